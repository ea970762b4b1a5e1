//! What `bindpose compare` writes beside its report: plots, tables, the film.

use crate::commands::output::tell;
use crate::commands::record::{self, Film, Output, write_whole};
use crate::commands::write_text;
use anyhow::Context;
use bindpose::compare::pictures::{Scale, contact_sheet, tiles};
use bindpose::compare::plan::SWEEP_INTERVAL;
use bindpose::compare::plot::Plot;
use bindpose::compare::report::ComparisonReport;
use bindpose::compare::{finding, gallery};
use image::{ImageEncoder, RgbImage};
use std::path::Path;

/// The plot as PNG and SVG.
pub fn write_plot(folder: &Path, name: &str, plot: &Plot) -> anyhow::Result<()> {
    let picture = plot.picture()?;
    write_rgb(folder, &format!("{name}.png"), picture.width, picture.height, &picture.rgb)?;
    write_text(&folder.join(format!("{name}.svg")), &plot.svg()?)
}

/// A plot and a table for each measure of a sweep; titles and files of what can be shown.
pub fn write_sweep(folder: &Path, report: &ComparisonReport) -> anyhow::Result<Vec<(String, String)>> {
    let mut shown = Vec::new();
    for measure in report.sweeps() {
        let name = format!("sweep-{}", measure.name);
        write_plot(folder, &name, &measure.plot(&report.angles))?;
        write_text(&folder.join(format!("{name}.csv")), &report.sweep_table(&measure, usize::MAX).csv())?;
        shown.push((measure.title.to_owned(), format!("{name}.png")));
    }
    if !shown.is_empty() {
        tell!("wrote sweep-*.png, .svg and .csv to {}", folder.display());
    }
    Ok(shown)
}

/// A row of pictures for each group, angle beside angle.
pub fn write_strip(folder: &Path, report: &ComparisonReport, drawn: &[Vec<RgbImage>]) -> anyhow::Result<()> {
    let Some(tile) = drawn.iter().flatten().next().map(RgbImage::dimensions) else { return Ok(()) };
    let (headings, rows) = gallery::strip(report, drawn);
    let sheet = contact_sheet(&headings, tile, &rows, &Scale::default());
    write_rgb(folder, "sweep.png", sheet.width(), sheet.height(), &sheet)
}

/// The groups' pictures side by side, angle after angle.
pub fn write_film(path: &Path, report: &ComparisonReport, drawn: &[Vec<RgbImage>]) -> anyhow::Result<()> {
    let frame = |number: usize| {
        let pictures = report
            .groups
            .iter()
            .zip(drawn)
            .filter_map(|(group, pictures)| Some((finding::label(&group.methods), pictures.get(number)?)));
        let joint = report.turn.as_ref().map_or("", |turn| turn.joint.as_str());
        let title = format!("{joint} {}", report.moments[number]);
        tiles(&title, &pictures.collect::<Vec<_>>()).context("a film needs at least one picture of each angle")
    };
    let film = Film {
        size: frame(0)?.dimensions(),
        frames: report.angles.len() as u32,
        rate: SWEEP_INTERVAL.recip(),
        is_endless: true,
    };
    let mut draw = |number: u32| Ok(image::DynamicImage::from(frame(number as usize)?).to_rgba8());
    record::write(&Output::of(path, None)?, film, &mut draw)
}

/// A PNG of three bytes per pixel.
pub fn write_rgb(folder: &Path, name: &str, width: u32, height: u32, rgb: &[u8]) -> anyhow::Result<()> {
    let colour = image::ExtendedColorType::Rgb8;
    write_whole(&folder.join(name), |file| {
        Ok(image::codecs::png::PngEncoder::new(file).write_image(rgb, width, height, colour)?)
    })
}
