//! Lines over angles as plots: PNG and SVG from the same drawing.

use super::figures::{Curve, Figure};
use super::letters::Lettered;
use bindpose_core::skin::MethodId;
use plotters::coord::Shift;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::prelude::*;
use std::ops::Range;

/// Width and height of a plot in pixels.
const SIZE: (u32, u32) = (1200, 800);

/// Colours that stay apart for most eyes (Okabe and Ito), and two greys.
const COLORS: [RGBColor; 9] = [
    RGBColor(0, 0, 0),
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(120, 94, 60),
    RGBColor(130, 130, 130),
];

/// A plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("the plot cannot be drawn: {0}")]
pub struct PlotError(String);

/// A plot as RGB8, rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Three bytes per pixel.
    pub rgb: Vec<u8>,
}

/// Lines over angles.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Above it.
    pub title: String,
    /// What is measured.
    pub measure: String,
    /// Rising, degrees.
    pub angles: Vec<f64>,
    /// A name and a value for each angle.
    pub lines: Vec<(String, Vec<f64>)>,
    /// The values between which the axis reaches at least.
    pub reach: [f64; 2],
}

impl Plot {
    /// The plot of a figure; curves that lie on each other are one line.
    pub fn of_figure(figure: Figure, curves: &[Curve]) -> Self {
        Self {
            title: figure.title().to_owned(),
            measure: figure.measure().to_owned(),
            angles: figure.angles(),
            lines: together(curves).into_iter().map(|(label, curve)| (label, curve.ratios.clone())).collect(),
            reach: [if figure == Figure::Sigma { 0.9 } else { 0.0 }, 1.05],
        }
    }

    /// As pixels.
    pub fn picture(&self) -> Result<Picture, PlotError> {
        let (width, height) = SIZE;
        let mut rgb = vec![0; (width * height * 3) as usize];
        self.draw(&Lettered::new(&mut rgb, SIZE).into_drawing_area())?;
        Ok(Picture { width, height, rgb })
    }

    /// As SVG text.
    pub fn svg(&self) -> Result<String, PlotError> {
        let mut text = String::new();
        self.draw(&SVGBackend::with_string(&mut text, SIZE).into_drawing_area())?;
        Ok(text)
    }

    fn draw<B: DrawingBackend>(&self, area: &DrawingArea<B, Shift>) -> Result<(), PlotError> {
        super::letters::register();
        let failed = |error: DrawingAreaErrorKind<B::ErrorType>| PlotError(error.to_string());
        let [first, last] = [self.angles.first(), self.angles.last()].map(|angle| angle.copied().unwrap_or(0.0));
        let values = self.lines.iter().flat_map(|(_, values)| values).copied().filter(|value| value.is_finite());
        let [least, most] =
            values.fold(self.reach, |[least, most], value| [f64::min(least, value), f64::max(most, value)]);
        let decimals = if most - least < 1.0 { 2 } else { 1 };
        area.fill(&WHITE).map_err(failed)?;
        let mut chart = ChartBuilder::on(area)
            .caption(&self.title, ("sans-serif", 30))
            .margin(20)
            .x_label_area_size(60)
            .y_label_area_size(70)
            .build_cartesian_2d(Angles { first, last }, least..most * 1.02)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .x_desc("angle in degrees")
            .y_desc(&self.measure)
            .x_label_formatter(&|angle| format!("{angle:.0}"))
            .y_label_formatter(&|value| format!("{value:.decimals$}"))
            .label_style(("sans-serif", 18))
            .axis_desc_style(("sans-serif", 20))
            .max_light_lines(1)
            .draw()
            .map_err(failed)?;
        for (number, (label, values)) in self.lines.iter().enumerate() {
            let style = COLORS[number % COLORS.len()].stroke_width(3);
            let points = self.angles.iter().copied().zip(values.iter().copied()).filter(|(_, value)| value.is_finite());
            chart
                .draw_series(LineSeries::new(points, style))
                .map_err(failed)?
                .label(label)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 24, y)], style));
        }
        // Shares that are left fall from 1, errors rise from 0: the legend stands where the lines are not.
        let corner = if self.reach[1] >= 1.0 { SeriesLabelPosition::LowerLeft } else { SeriesLabelPosition::UpperLeft };
        chart
            .configure_series_labels()
            .position(corner)
            .legend_area_size(36)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.4))
            .label_font(("sans-serif", 18))
            .margin(12)
            .draw()
            .map_err(failed)?;
        area.present().map_err(failed)
    }
}

/// An axis of angles, which is marked as angles are.
struct Angles {
    first: f64,
    last: f64,
}

impl Ranged for Angles {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (left, right): (i32, i32)) -> i32 {
        let share = (value - self.first) / (self.last - self.first).max(f64::MIN_POSITIVE);
        left + (share * f64::from(right - left)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _: H) -> Vec<f64> {
        ticks(self.first, self.last)
    }

    fn range(&self) -> Range<f64> {
        self.first..self.last
    }
}

/// Where an axis of angles is marked: every eighth of a turn, more often where that would be fewer than three.
fn ticks(first: f64, last: f64) -> Vec<f64> {
    let step = [45.0, 15.0, 5.0, 1.0].into_iter().find(|step| (last - first) / step >= 2.0).unwrap_or(1.0);
    let from = (first / step).ceil() as i64;
    (from..=(last / step).floor() as i64).map(|number| number as f64 * step).collect()
}

/// Curves that lie on each other (to a thousandth) as one, with the names of all of them.
pub(super) fn together(curves: &[Curve]) -> Vec<(String, &Curve)> {
    let mut groups: Vec<Vec<&Curve>> = Vec::new();
    for curve in curves {
        let same =
            |group: &&mut Vec<&Curve>| group[0].ratios.iter().zip(&curve.ratios).all(|(a, b)| (a - b).abs() < 1e-3);
        match groups.iter_mut().find(same) {
            Some(group) => group.push(curve),
            None => groups.push(vec![curve]),
        }
    }
    groups.into_iter().map(|group| (label(&group), group[0])).collect()
}

fn label(group: &[&Curve]) -> String {
    let linear: Vec<MethodId> = group.iter().map(|curve| curve.method).filter(|id| id.method().is_linear).collect();
    let others = group.iter().filter(|curve| !curve.method.method().is_linear);
    let mut names: Vec<String> = Vec::new();
    match linear[..] {
        [] => {}
        [only] => names.push(only.to_string()),
        _ => names.push(format!("linear ({} methods)", linear.len())),
    }
    names.extend(others.map(|curve| curve.name.clone()));
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_curves_are_drawn_once() {
        let curve = |method: MethodId, ratios: [f64; 2]| Curve {
            name: method.to_string(),
            method,
            sigma: 1.0,
            ratios: ratios.to_vec(),
        };
        let curves = [
            curve(MethodId::Cpu, [1.0, 0.0]),
            curve(MethodId::Sjb, [1.0, 1.0]),
            curve(MethodId::MatrixBlend, [1.0, 1e-5]),
            curve(MethodId::Dqs, [1.0, 0.9999]),
            curve(MethodId::Cor, [1.0, 0.9]),
        ];
        let labels: Vec<String> = together(&curves).into_iter().map(|(label, _)| label).collect();
        assert_eq!(labels, ["linear (2 methods)", "sjb, dqs", "cor"]);
    }

    #[test]
    fn angles_are_marked_by_eighths_of_a_turn() {
        assert_eq!(ticks(0.0, 180.0), [0.0, 45.0, 90.0, 135.0, 180.0]);
        assert_eq!(ticks(0.0, 150.0), [0.0, 45.0, 90.0, 135.0]);
        assert_eq!(ticks(-100.0, 20.0), [-90.0, -45.0, 0.0]);
        assert_eq!(ticks(0.0, 40.0), [0.0, 15.0, 30.0]);
        let curves = super::super::figures::curves(Figure::Twist, &[MethodId::Cpu]).unwrap();
        let text = Plot::of_figure(Figure::Twist, &curves).svg().unwrap();
        let is_mark = |text: &str| ["45", "90", "135", "180"].contains(&text);
        assert_eq!(text.lines().filter(|line| is_mark(line.trim())).count(), 4, "{text}");
        assert!(!text.lines().any(|line| line.trim() == "60"), "{text}");
    }

    #[test]
    fn the_picture_shows_every_curve_and_the_svg_names_it() {
        let methods = [MethodId::Cpu, MethodId::Dqs, MethodId::Cor];
        let curves = super::super::figures::curves(Figure::Bend, &methods).unwrap();
        let plot = Plot::of_figure(Figure::Bend, &curves);
        let picture = plot.picture().unwrap();
        for color in &COLORS[..3] {
            let wanted = [color.0, color.1, color.2];
            let pixels = picture.rgb.chunks_exact(3).filter(|pixel| **pixel == wanted).count();
            assert!(pixels > 300, "{pixels} pixels of {wanted:?}");
        }
        let text = plot.svg().unwrap();
        for name in ["dqs", "cor", "angle in degrees", "volume / volume at rest"] {
            assert!(text.contains(name), "{name}");
        }
    }
}
