//! `compare --twist --bend --sigma`: the articles' figures.

use super::Args;
use super::files::{write_plot, write_rgb};
use crate::commands::output::tell;
use crate::commands::write_text;
use bindpose::compare::figure_pictures::draw;
use bindpose::compare::figure_report::{self, FigureReport};
use bindpose::compare::figures::{Curve, Figure, curves};
use bindpose::compare::gallery;
use bindpose::compare::page::{self, ShownFigure};
use bindpose::compare::pictures::{Scale, Shapes, contact_sheet};
use bindpose::compare::plot::Plot;
use bindpose::render::{Gpu, headless};
use bindpose::skin::MethodId;
use std::path::Path;

/// What was measured of a figure.
pub struct Measured {
    figure: Figure,
    curves: Vec<Curve>,
    /// In words and numbers.
    pub report: FigureReport,
}

/// Measures the figures that were asked for.
pub fn measure(args: &Args, methods: &[MethodId]) -> anyhow::Result<Vec<Measured>> {
    let asked_for = [(args.twist, Figure::Twist), (args.bend, Figure::Bend), (args.sigma, Figure::Sigma)];
    let figures = asked_for.into_iter().filter(|(wanted, _)| *wanted);
    let measure = |(_, figure)| {
        let curves = curves(figure, methods)?;
        Ok(Measured { figure, report: FigureReport::new(figure, &curves), curves })
    };
    figures.map(measure).collect()
}

/// Writes plots, tables and pictures of all figures.
pub fn write(folder: &Path, measured: Vec<Measured>, size: (u32, u32)) -> anyhow::Result<Vec<ShownFigure>> {
    let gpu = if measured.is_empty() { None } else { gpu() };
    measured.into_iter().map(|measured| write_one(folder, measured, gpu.as_ref(), size)).collect()
}

/// What draws, if something does.
fn gpu() -> Option<Gpu> {
    headless().inspect_err(|error| tell!("note: the figures have no pictures of shapes: {error}")).ok()
}

fn write_one(folder: &Path, measured: Measured, gpu: Option<&Gpu>, size: (u32, u32)) -> anyhow::Result<ShownFigure> {
    let Measured { figure, curves, mut report } = measured;
    let (name, plot) = (figure.name(), Plot::of_figure(figure, &curves));
    write_plot(folder, name, &plot)?;
    write_text(&folder.join(format!("{name}.csv")), &report.all_values().csv())?;
    report.pictures.push(format!("{name}.png"));
    tell!("wrote {name}.png, {name}.svg and {name}.csv to {}", folder.display());
    let mut shapes = Shapes::default();
    if let Some(gpu) = gpu {
        shapes = draw(gpu, figure, &curves, size)?;
        let (headings, rows) = gallery::strip_of(&shapes);
        let sheet = contact_sheet(&headings, size, &rows, &Scale::default());
        let file = format!("{name}-shapes.png");
        write_rgb(folder, &file, sheet.width(), sheet.height(), &sheet)?;
        tell!("wrote {file} to {}", folder.display());
        report.pictures.push(file);
    }
    Ok(ShownFigure { report, plot, shapes })
}

/// Writes a report on figures alone.
pub fn write_report(folder: &Path, shown: &[ShownFigure]) -> anyhow::Result<()> {
    let reports: Vec<FigureReport> = shown.iter().map(|shown| shown.report.clone()).collect();
    write_text(&folder.join("report.json"), &json(&reports)?)?;
    write_text(&folder.join("report.md"), &figure_report::markdown(&reports))?;
    write_text(&folder.join("report.html"), &page::figures(shown)?)?;
    tell!("wrote report.html, report.md and report.json to {}", folder.display());
    Ok(())
}

/// Figures alone.
pub fn json(reports: &[FigureReport]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&serde_json::json!({ "figures": reports }))
}
