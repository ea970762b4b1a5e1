//! `compare --twist --bend --sigma`: the cylinder tests of the articles.

use super::Args;
use super::files::{write_chart, write_image};
use crate::commands::output::tell;
use crate::commands::write_text_in;
use bindpose::render::{Gpu, headless};
use bindpose::skin::MethodId;
use bindpose_compare::contact_sheet::{CylinderImages, Scale, contact_sheet};
use bindpose_compare::cylinder_images::draw;
use bindpose_compare::cylinder_report::{self, CylinderReport};
use bindpose_compare::cylinder_test::{Curve, CylinderTest, curves};
use bindpose_compare::gallery;
use bindpose_compare::page::{self, CylinderSection};
use bindpose_core::json;
use serde::Serialize;
use std::path::Path;

/// Results of one test.
pub struct TestResult {
    test: CylinderTest,
    curves: Vec<Curve>,
    pub report: CylinderReport,
}

/// Runs the tests that the options name.
pub fn measure(args: &Args, methods: &[MethodId]) -> anyhow::Result<Vec<TestResult>> {
    let options =
        [(args.twist, CylinderTest::Twist), (args.bend, CylinderTest::Bend), (args.sigma, CylinderTest::Sigma)];
    let measure = |(_, test)| {
        let curves = curves(test, methods)?;
        Ok(TestResult { test, report: CylinderReport::new(test, &curves), curves })
    };
    options.into_iter().filter(|(is_wanted, _)| *is_wanted).map(measure).collect()
}

/// Writes charts, tables and images of all tests. Without OpenGL there are no images.
pub fn write(folder: &Path, results: Vec<TestResult>, size: (u32, u32)) -> anyhow::Result<Vec<CylinderSection>> {
    if results.is_empty() {
        return Ok(Vec::new());
    }
    let gpu = headless().inspect_err(|error| tell!("note: the cylinder is not drawn: {error}")).ok();
    results.into_iter().map(|result| write_one(folder, result, gpu.as_ref(), size)).collect()
}

fn write_one(
    folder: &Path,
    TestResult { test, curves, mut report }: TestResult,
    gpu: Option<&Gpu>,
    size: (u32, u32),
) -> anyhow::Result<CylinderSection> {
    let (name, chart) = (test.name(), CylinderReport::chart(test, &curves));
    write_chart(folder, name, &chart)?;
    write_text_in(folder, format!("{name}.csv"), &report.all_values().csv())?;
    report.images.push(format!("{name}.png"));
    tell!("wrote {name}.png, {name}.svg and {name}.csv to {}", folder.display());
    let mut images = CylinderImages::default();
    if let Some(gpu) = gpu {
        images = draw(gpu, test, &curves, size)?;
        let (headings, rows) = gallery::cylinder_rows(&images);
        let file = format!("{name}-shapes.png");
        write_image(folder, &file, &contact_sheet(&headings, size, &rows, &Scale::default()))?;
        tell!("wrote {file} to {}", folder.display());
        report.images.push(file);
    }
    Ok(CylinderSection { report, chart, images })
}

/// Writes a report without a model.
pub fn write_report(folder: &Path, sections: &[CylinderSection]) -> anyhow::Result<()> {
    let reports: Vec<CylinderReport> = sections.iter().map(|section| section.report.clone()).collect();
    write_text_in(folder, "report.json", &json::indented(&AsFigures { figures: &reports })?)?;
    write_text_in(folder, "report.md", &cylinder_report::markdown(&reports))?;
    write_text_in(folder, "report.html", &page::cylinder(sections)?)?;
    tell!("wrote report.html, report.md and report.json to {}", folder.display());
    Ok(())
}

/// Reports without a model as JSON.
#[derive(Serialize)]
pub struct AsFigures<'r> {
    pub figures: &'r [CylinderReport],
}
