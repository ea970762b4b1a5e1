//! Files that `bindpose compare` writes next to its report: charts, tables, animations.

use crate::commands::output::tell;
use crate::commands::record::{self, Animation, MediaOutput, Quality};
use crate::commands::{write_in, write_text_in};
use anyhow::Context;
use bindpose_compare::chart::Chart;
use bindpose_compare::contact_sheet::{Scale, contact_sheet, tiles};
use bindpose_compare::plan::SWEEP_INTERVAL;
use bindpose_compare::report::ComparisonReport;
use bindpose_compare::{finding, gallery};
use image::RgbImage;
use std::path::Path;

/// Writes a chart as PNG and SVG.
pub fn write_chart(folder: &Path, name: &str, chart: &Chart) -> anyhow::Result<()> {
    write_image(folder, &format!("{name}.png"), &chart.image())?;
    write_text_in(folder, format!("{name}.svg"), &chart.svg())
}

/// Writes a chart and a table for each measure of a sweep. Returns titles and image files.
pub fn write_sweep(folder: &Path, report: &ComparisonReport) -> anyhow::Result<Vec<(String, String)>> {
    let mut images = Vec::new();
    for measure in report.sweeps() {
        let name = format!("sweep-{}", measure.name);
        write_chart(folder, &name, &measure.chart(&report.angles))?;
        write_text_in(folder, format!("{name}.csv"), &report.sweep_table(&measure, usize::MAX).csv())?;
        images.push((measure.title.to_owned(), format!("{name}.png")));
    }
    if !images.is_empty() {
        tell!("wrote sweep-*.png, .svg and .csv to {}", folder.display());
    }
    Ok(images)
}

/// Writes a sheet with a row for each group and a column for each angle.
pub fn write_strip(folder: &Path, report: &ComparisonReport, drawn: &[Vec<RgbImage>]) -> anyhow::Result<()> {
    let Some(tile) = drawn.iter().flatten().next().map(RgbImage::dimensions) else { return Ok(()) };
    let (headings, rows) = gallery::strip(report, drawn);
    write_image(folder, "sweep.png", &contact_sheet(&headings, tile, &rows, &Scale::default()))
}

/// Writes an animation of the groups side by side, a frame for each angle.
pub fn write_animation(folder: &Path, report: &ComparisonReport, drawn: &[Vec<RgbImage>]) -> anyhow::Result<()> {
    let frame = |number: usize| {
        let groups = report.groups.iter().zip(drawn);
        let images = groups.filter_map(|(group, images)| Some((finding::label(&group.methods), images.get(number)?)));
        let joint = report.turn.as_ref().map_or("", |turn| turn.joint.as_str());
        let title = format!("{joint} {}", report.pose_names[number]);
        tiles(&title, &images.collect::<Vec<_>>()).context("an animation needs an image of each angle")
    };
    let animation = Animation {
        size: frame(0)?.dimensions(),
        frames: report.angles.len() as u32,
        rate: SWEEP_INTERVAL.recip(),
        is_endless: true,
        quality: Quality::High,
    };
    let mut draw = |number: u32| Ok(image::DynamicImage::from(frame(number as usize)?).to_rgba8());
    let path = folder.join("sweep.gif");
    bindpose_core::write::check_below(&path, folder)?;
    record::write(&MediaOutput::of(&path, None)?, animation, &mut draw)
}

/// Writes a PNG.
pub fn write_image(folder: &Path, name: &str, image: &RgbImage) -> anyhow::Result<()> {
    write_in(folder, name, |file| Ok(image.write_with_encoder(image::codecs::png::PngEncoder::new(file))?))
}
