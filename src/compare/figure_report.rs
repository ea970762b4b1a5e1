//! What `--twist`, `--bend` and `--sigma` found: plain data, its sentence, tables and Markdown.

use super::figures::{Curve, Figure};
use super::finding::{called, percent};
use super::report::ComparisonReport;
use super::table::Table;
use crate::html::line;
use serde::Serialize;
use std::fmt::Write as _;

/// A figure, measured.
#[derive(Debug, Clone, Serialize)]
pub struct FigureReport {
    /// Twist, bend or sigma; files are called like it.
    pub name: &'static str,
    /// The heading.
    pub title: &'static str,
    /// What was found, in a sentence.
    pub finding: String,
    /// What is shown and measured, for who has never heard of it.
    pub about: &'static str,
    /// What the values are.
    pub measure: &'static str,
    /// Files with pictures beside the report.
    pub pictures: Vec<String>,
    /// Degrees.
    pub angles: Vec<f64>,
    /// One for each method, or value of sigma.
    pub lines: Vec<Line>,
}

/// What was measured of one method, or value of sigma.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Line {
    /// What it is called.
    pub name: String,
    /// A value for each angle.
    pub values: Vec<f64>,
}

impl FigureReport {
    /// The report on the curves of a figure.
    pub fn new(figure: Figure, curves: &[Curve]) -> Self {
        let line = |curve: &Curve| Line { name: curve.name.clone(), values: curve.ratios.clone() };
        Self {
            name: figure.name(),
            title: figure.title(),
            finding: sentence(figure, curves),
            about: match figure {
                Figure::Twist => {
                    "A cylinder hangs on two joints, half on each, and near its middle both pull at the surface. The second joint \
                     turns about the cylinder's own axis, as a forearm does. Measured is the smallest distance of a vertex from \
                     the middle of its ring, over what it was before: 1 is a cylinder that keeps its radius, 0 one that is \
                     pinched to a point."
                }
                Figure::Bend => {
                    "A cylinder hangs on two joints, half on each, and near its middle both pull at the surface. The second joint \
                     turns about an axis across the cylinder, as an elbow does. Measured is the volume inside, over what it was \
                     before: 1 is a cylinder that keeps it. sjbbe has an example to keep to, an elbow of 90 degrees as a \
                     modeller would make it."
                }
                Figure::Sigma => {
                    "The bent cylinder once more. sjbbe draws the surface towards an example, an elbow of 90 degrees that keeps \
                     its volume; sigma says from how many radians away the example is felt. sjb is the same method without an \
                     example."
                }
            },
            measure: figure.measure(),
            pictures: Vec::new(),
            angles: figure.angles(),
            lines: curves.iter().map(line).collect(),
        }
    }

    /// A row for each line, a column for every thirty degrees.
    pub fn table(&self) -> Table {
        let shown: Vec<usize> = (0..self.angles.len()).filter(|&place| self.angles[place] % 30.0 == 0.0).collect();
        let headings = shown.iter().map(|&place| format!("{}\u{b0}", self.angles[place]));
        let mut table = Table::new(std::iter::once("method".to_owned()).chain(headings));
        for Line { name, values } in &self.lines {
            let values = shown.iter().map(|&place| format!("{:.4}", values[place]));
            table.push(std::iter::once(name.clone()).chain(values));
        }
        table
    }

    /// A row for each angle, a column for each line, all digits: for CSV.
    pub fn all_values(&self) -> Table {
        let mut table = Table::new(std::iter::once("degrees").chain(self.lines.iter().map(|line| line.name.as_str())));
        for (place, angle) in self.angles.iter().enumerate() {
            let values = self.lines.iter().map(|line| line.values[place].to_string());
            table.push(std::iter::once(angle.to_string()).chain(values));
        }
        table
    }

    /// The report for people.
    pub fn markdown(&self) -> String {
        let [title, finding, about, measure] = [self.title, &self.finding, self.about, self.measure].map(line);
        let mut text = format!("## {title}\n\n{finding}\n\n{about}\n\n{measure}:\n\n{}", self.table().markdown());
        for file in &self.pictures {
            let _ = write!(text, "\n![{title}]({file})\n");
        }
        text
    }
}

/// Who keeps how much, who keeps least first.
fn sentence(figure: Figure, curves: &[Curve]) -> String {
    let worst = |curve: &Curve| match figure {
        Figure::Twist | Figure::Bend => curve.ratios.iter().copied().fold(1.0, f64::min),
        Figure::Sigma => curve.ratios.iter().map(|ratio| (ratio - 1.0).abs()).fold(0.0, f64::max),
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
    let last = figure.angles().last().copied().unwrap_or(0.0);
    match figure {
        Figure::Twist => format!(
            "Twisted by up to {last} degrees, what is left of the cylinder's radius at the worst angle is {clauses}."
        ),
        Figure::Bend => format!(
            "Bent by up to {last} degrees, what is left of the cylinder's volume at the worst angle is {clauses}."
        ),
        Figure::Sigma => format!(
            "Bent by up to {last} degrees, the cylinder's volume departs from that at rest by at most {clauses}."
        ),
    }
}

/// Figures alone, for people.
pub fn markdown(figures: &[FigureReport]) -> String {
    let sections: Vec<String> = figures.iter().map(FigureReport::markdown).collect();
    let (word, meaning) = ComparisonReport::LINEAR;
    format!("# {PAGE}\n\n{}\n\n- *{word}*: {meaning}.\n\n{}", ComparisonReport::INTRODUCTION, sections.join("\n"))
}

/// The heading of a page of figures alone.
pub const PAGE: &str = "What skinning methods do to a cylinder";
