//! Report of `--twist`, `--bend` and `--sigma`: data, conclusion, chart, tables and Markdown.

use super::chart::Chart;
use super::cylinder_test::{Curve, CylinderTest, distinct};
use super::finding::{INTRODUCTION, LINEAR, called, percent};
use super::table::Table;
use bindpose_core::escape::markdown_line;
use serde::Serialize;
use std::fmt::Write as _;

/// Results of one test.
#[derive(Debug, Clone, Serialize)]
pub struct CylinderReport {
    /// Twist, bend or sigma; also the name of its files.
    pub name: &'static str,
    /// Heading.
    pub title: &'static str,
    /// Conclusion in one sentence.
    pub finding: String,
    /// Explanation of the test for newcomers.
    pub about: &'static str,
    /// Description of the values.
    pub measure: &'static str,
    /// Image files next to the report.
    #[serde(rename = "pictures")]
    pub images: Vec<String>,
    /// Degrees.
    pub angles: Vec<f64>,
    /// Results of each method or value of sigma.
    pub lines: Vec<MethodLine>,
}

/// Results of one method or value of sigma.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodLine {
    /// Name of the method, with its sigma.
    pub name: String,
    /// A value for each angle.
    pub values: Vec<f64>,
}

impl CylinderReport {
    /// Creates the report of a test from its curves.
    pub fn new(test: CylinderTest, curves: &[Curve]) -> Self {
        let line = |curve: &Curve| MethodLine { name: curve.name.clone(), values: curve.ratios.clone() };
        Self {
            name: test.name(),
            title: test.title(),
            finding: conclusion(test, curves),
            about: match test {
                CylinderTest::Twist => {
                    "A cylinder is bound to two joints; near its middle the weights blend from one to the other. The second joint \
                     turns about the cylinder's axis, as a forearm does. The measure is the smallest width of a cross-section \
                     of its surface, at rings of vertices and between, divided by that at rest: at 1 the cylinder keeps its \
                     thickness, at 0 it is pinched to a point."
                }
                CylinderTest::Bend => {
                    "A cylinder is bound to two joints; near its middle the weights blend from one to the other. The second joint \
                     turns about an axis across the cylinder, as an elbow does. The measure is the enclosed volume, divided by \
                     that at rest: at 1 the cylinder keeps its volume. sjbbe has an example: an elbow of 90 degrees as an artist \
                     would model it."
                }
                CylinderTest::Sigma => {
                    "The bent cylinder again. sjbbe pulls the surface towards an example, an elbow of 90 degrees that keeps its \
                     volume. Sigma is the reach of the example in radians. sjb is the same method without an example."
                }
            },
            measure: test.measure(),
            images: Vec::new(),
            angles: test.angles(),
            lines: curves.iter().map(line).collect(),
        }
    }

    /// Draws a test's curves as a chart.
    pub fn chart(test: CylinderTest, curves: &[Curve]) -> Chart {
        let lines: Vec<_> = distinct(curves).into_iter().map(|(name, curve)| (name, curve.ratios.clone())).collect();
        let range = [if test == CylinderTest::Sigma { 0.9 } else { 0.0 }, 1.05];
        Chart::over_angles(test.title(), test.measure(), &test.angles(), &lines, range)
    }

    /// Formats the values as a table, one row per line and one column for every 30 degrees.
    pub fn table(&self) -> Table {
        let shown: Vec<usize> = (0..self.angles.len()).filter(|&number| self.angles[number] % 30.0 == 0.0).collect();
        let headings = shown.iter().map(|&number| format!("{}\u{b0}", self.angles[number]));
        let mut table = Table::new(std::iter::once("method".to_owned()).chain(headings));
        for MethodLine { name, values } in &self.lines {
            let values = shown.iter().map(|&number| format!("{:.4}", values[number]));
            table.push(std::iter::once(name.clone()).chain(values));
        }
        table
    }

    /// Formats all values for CSV with full precision: one row per angle, one column per line.
    pub fn all_values(&self) -> Table {
        let mut table = Table::new(std::iter::once("degrees").chain(self.lines.iter().map(|line| line.name.as_str())));
        for (number, angle) in self.angles.iter().enumerate() {
            let values = self.lines.iter().map(|line| line.values[number].to_string());
            table.push(std::iter::once(angle.to_string()).chain(values));
        }
        table
    }

    /// Formats the report as Markdown.
    pub fn markdown(&self) -> String {
        let [title, finding, about, measure] = [self.title, &self.finding, self.about, self.measure].map(markdown_line);
        let mut text = format!("## {title}\n\n{finding}\n\n{about}\n\n{measure}:\n\n{}", self.table().markdown());
        for file in &self.images {
            let _ = write!(text, "\n![{title}]({file})\n");
        }
        text
    }
}

/// States the shares that the methods keep, the smallest first.
fn conclusion(test: CylinderTest, curves: &[Curve]) -> String {
    let worst = |curve: &Curve| match test {
        CylinderTest::Twist | CylinderTest::Bend => curve.ratios.iter().copied().fold(1.0, f64::min),
        CylinderTest::Sigma => curve.ratios.iter().map(|ratio| (ratio - 1.0).abs()).fold(0.0, f64::max),
    };
    let mut by_worst: Vec<(f64, &String)> = curves.iter().map(|curve| (worst(curve), &curve.name)).collect();
    by_worst.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut clauses: Vec<(String, Vec<String>)> = Vec::new();
    for (worst, name) in by_worst {
        let share = percent(worst);
        match clauses.last_mut().filter(|(known, _)| *known == share) {
            Some((_, names)) => names.push(name.clone()),
            None => clauses.push((share, vec![name.clone()])),
        }
    }
    let everyone: Vec<String> = curves.iter().map(|curve| curve.name.clone()).collect();
    let clauses: Vec<String> =
        clauses.iter().map(|(share, names)| format!("{share} with {}", called(names, &everyone))).collect();
    let clauses = clauses.join("; ");
    let last = test.angles().last().copied().unwrap_or(0.0);
    match test {
        CylinderTest::Twist => format!(
            "Twisted by up to {last} degrees, the cylinder keeps this share of its thickness at the worst angle: {clauses}."
        ),
        CylinderTest::Bend => format!(
            "Bent by up to {last} degrees, the cylinder keeps this share of its volume at the worst angle: {clauses}."
        ),
        CylinderTest::Sigma => format!(
            "Bent by up to {last} degrees, the cylinder's volume differs from that at rest by at most {clauses}."
        ),
    }
}

/// Formats reports without a model as Markdown.
pub fn markdown(reports: &[CylinderReport]) -> String {
    let sections: Vec<String> = reports.iter().map(CylinderReport::markdown).collect();
    let (word, meaning) = LINEAR;
    format!("# {PAGE}\n\n{}\n\n- *{word}*: {meaning}.\n\n{}", INTRODUCTION, sections.join("\n"))
}

/// Heading of reports without a model.
pub const PAGE: &str = "Skinning methods on a cylinder";
