//! The figures as plots: PNG and SVG from the same drawing.

use super::figures::{Curve, Figure};
use bindpose_core::skin::{MethodId, Reference};
use plotters::coord::Shift;
use plotters::prelude::*;

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

/// The plot of a figure as pixels.
pub fn picture(figure: Figure, curves: &[Curve]) -> Result<Picture, PlotError> {
    let (width, height) = SIZE;
    let mut rgb = vec![0; (width * height * 3) as usize];
    draw(&BitMapBackend::with_buffer(&mut rgb, SIZE).into_drawing_area(), figure, curves)?;
    Ok(Picture { width, height, rgb })
}

/// The plot of a figure as SVG text.
pub fn svg(figure: Figure, curves: &[Curve]) -> Result<String, PlotError> {
    let mut text = String::new();
    draw(&SVGBackend::with_string(&mut text, SIZE).into_drawing_area(), figure, curves)?;
    Ok(text)
}

fn draw<B: DrawingBackend>(area: &DrawingArea<B, Shift>, figure: Figure, curves: &[Curve]) -> Result<(), PlotError> {
    super::pictures::register();
    let failed = |error: DrawingAreaErrorKind<B::ErrorType>| PlotError(error.to_string());
    let angles = figure.angles();
    let last = angles.last().copied().unwrap_or(1.0);
    let values = curves.iter().flat_map(|curve| &curve.ratios).copied();
    let (least, most) = values.fold((0.0_f64, 1.05_f64), |(least, most), value| (least.min(value), most.max(value)));
    area.fill(&WHITE).map_err(failed)?;
    let title = match figure {
        Figure::Twist => "A cylinder twisted about its axis",
        Figure::Bend => "A cylinder bent at its middle",
    };
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 30))
        .margin(20)
        .x_label_area_size(60)
        .y_label_area_size(70)
        .build_cartesian_2d(0.0..last, least..most * 1.02)
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_desc("angle in degrees")
        .y_desc(figure.measure())
        .x_labels((last / 30.0) as usize + 1)
        .x_label_formatter(&|angle| format!("{angle:.0}"))
        .y_label_formatter(&|ratio| format!("{ratio:.1}"))
        .label_style(("sans-serif", 18))
        .axis_desc_style(("sans-serif", 20))
        .max_light_lines(1)
        .draw()
        .map_err(failed)?;
    for (number, (label, curve)) in together(curves).into_iter().enumerate() {
        let style = COLORS[number % COLORS.len()].stroke_width(3);
        chart
            .draw_series(LineSeries::new(angles.iter().copied().zip(curve.ratios.iter().copied()), style))
            .map_err(failed)?
            .label(label)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 24, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .legend_area_size(36)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.4))
        .label_font(("sans-serif", 18))
        .margin(12)
        .draw()
        .map_err(failed)?;
    area.present().map_err(failed)
}

/// Curves that lie on each other (to a thousandth) as one, with the names of all of them.
fn together(curves: &[Curve]) -> Vec<(String, &Curve)> {
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
    let linear: Vec<MethodId> =
        group.iter().map(|curve| curve.method).filter(|id| id.method().reference == Reference::Linear).collect();
    let others = group.iter().map(|curve| curve.method).filter(|id| id.method().reference != Reference::Linear);
    let mut names: Vec<String> = Vec::new();
    match linear[..] {
        [] => {}
        [only] => names.push(only.to_string()),
        _ => names.push(format!("linear ({} methods)", linear.len())),
    }
    names.extend(others.map(|id| id.to_string()));
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_curves_are_drawn_once() {
        let curve = |method, ratios: [f64; 2]| Curve { method, ratios: ratios.to_vec() };
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
    fn the_picture_shows_every_curve_and_the_svg_names_it() {
        let methods = [MethodId::Cpu, MethodId::Dqs, MethodId::Cor];
        let curves = super::super::figures::curves(Figure::Bend, &methods).unwrap();
        let picture = picture(Figure::Bend, &curves).unwrap();
        for color in &COLORS[..3] {
            let wanted = [color.0, color.1, color.2];
            let pixels = picture.rgb.chunks_exact(3).filter(|pixel| **pixel == wanted).count();
            assert!(pixels > 300, "{pixels} pixels of {wanted:?}");
        }
        let text = svg(Figure::Bend, &curves).unwrap();
        for name in ["dqs", "cor", "angle in degrees", "volume / volume at rest"] {
            assert!(text.contains(name), "{name}");
        }
    }
}
