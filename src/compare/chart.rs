//! Line charts, as SVG and as an image from the same drawing.

use super::text::{self, width_of};
use bindpose_core::escape::markup;
use image::{Rgb, RgbImage};
use std::fmt::Write as _;

const WIDTH: f32 = 1200.0;
/// Plot area in pixels: left, top, right, bottom.
const AREA: [f32; 4] = [80.0, 100.0, 1170.0, 720.0];
/// Height of a row of the legend, which is below the plot area.
const LEGEND_ROW: f32 = 28.0;
const LABEL: f32 = 18.0;
const GREY: [u8; 3] = [210; 3];
/// Background of the marked range.
const MARK: [u8; 3] = [255, 236, 179];
const BLACK: [u8; 3] = [0; 3];

/// Colours that colour-blind readers can distinguish (Okabe and Ito), plus brown and grey.
const COLOURS: [[u8; 3]; 9] = [
    BLACK,
    [213, 94, 0],
    [0, 114, 178],
    [0, 158, 115],
    [204, 121, 167],
    [230, 159, 0],
    [86, 180, 233],
    [120, 94, 60],
    [130, 130, 130],
];

/// Lines with their axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Heading.
    pub title: String,
    /// Name and unit of the values.
    pub measure: String,
    /// Horizontal axis.
    pub across: Across,
    /// Name and points of each line; points that are not finite are left out.
    pub lines: Vec<(String, Vec<[f64; 2]>)>,
    /// Range that the vertical axis always covers.
    pub range: [f64; 2],
    /// Range of the horizontal axis to highlight.
    pub marked: Option<[f64; 2]>,
}

/// Horizontal axis of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Across {
    /// Angles in degrees.
    Angle,
    /// Anything else, by name and unit.
    Named(&'static str),
}

#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// Surface that a chart is drawn on; pixels from the top left corner.
trait Canvas {
    fn line(&mut self, points: &[[f32; 2]], width: f32, colour: [u8; 3]);
    fn text(&mut self, text: &str, size: f32, baseline: [f32; 2], anchor: Anchor);
}

impl Chart {
    /// Creates a chart over angles in degrees. Each line has one value per angle.
    pub fn over_angles(
        title: &str,
        measure: &str,
        angles: &[f64],
        lines: &[(String, Vec<f64>)],
        range: [f64; 2],
    ) -> Self {
        let points = |values: &[f64]| angles.iter().zip(values).map(|(&angle, &value)| [angle, value]).collect();
        Self {
            title: title.to_owned(),
            measure: measure.to_owned(),
            across: Across::Angle,
            lines: lines.iter().map(|(name, values)| (name.clone(), points(values))).collect(),
            range,
            marked: None,
        }
    }

    /// Renders the chart as an image.
    pub fn image(&self) -> RgbImage {
        let mut image = RgbImage::from_pixel(WIDTH as u32, self.height() as u32, Rgb([255; 3]));
        self.draw(&mut image);
        image
    }

    /// Returns the chart as an SVG document.
    pub fn svg(&self) -> String {
        let (height, title) = (self.height(), markup(&self.title));
        let mut svg = Svg(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" \
             font-family=\"sans-serif\" role=\"img\">\n<title>{title}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
        ));
        self.draw(&mut svg);
        svg.0 + "</svg>\n"
    }

    fn height(&self) -> f32 {
        AREA[3] + 90.0 + LEGEND_ROW * self.lines.len() as f32
    }

    fn draw(&self, canvas: &mut dyn Canvas) {
        let [left, top, right, bottom] = AREA;
        let points = || self.lines.iter().flat_map(|(_, points)| points).filter(|point| is_finite(point));
        let wider = |[least, most]: [f64; 2], value: f64| [least.min(value), most.max(value)];
        let [first, last] = points().map(|point| point[0]).fold([f64::INFINITY, f64::NEG_INFINITY], wider);
        let [first, last] = if first <= last { [first, last] } else { [0.0, 0.0] };
        let [least, most] = points().map(|point| point[1]).fold(self.range, wider);
        let share = |value: f64, [from, to]: [f64; 2]| ((value - from) / (to - from).max(f64::MIN_POSITIVE)) as f32;
        let x_of = |value: f64| left + share(value, [first, last]) * (right - left);
        let y_of = |value: f64| bottom - share(value, [least, most]) * (bottom - top);
        canvas.text(&self.title, 30.0, [left, 44.0], Anchor::Start);
        if self.measure != self.title {
            canvas.text(&self.measure, 20.0, [left, 80.0], Anchor::Start);
        }
        if let Some(marked) = self.marked {
            let [from, to] = marked.map(|value| x_of(value.clamp(first, last)));
            let middle = 0.5 * (from + to);
            canvas.line(&[[middle, top], [middle, bottom]], (to - from).max(6.0), MARK);
        }
        let (across, (ticks, decimals)) = match self.across {
            Across::Angle => ("angle in degrees", (angle_ticks(first, last), 0)),
            Across::Named(name) => (name, value_ticks(first, last)),
        };
        canvas.text(across, 20.0, [(left + right) / 2.0, bottom + 60.0], Anchor::Middle);
        for tick in ticks {
            canvas.line(&[[x_of(tick), top], [x_of(tick), bottom]], 1.0, GREY);
            canvas.text(&format!("{tick:.decimals$}"), LABEL, [x_of(tick), bottom + 26.0], Anchor::Middle);
        }
        let (ticks, decimals) = value_ticks(least, most);
        for value in ticks {
            canvas.line(&[[left, y_of(value)], [right, y_of(value)]], 1.0, GREY);
            canvas.text(&format!("{value:.decimals$}"), LABEL, [left - 10.0, y_of(value) + 6.0], Anchor::End);
        }
        canvas.line(&[[left, top], [left, bottom], [right, bottom]], 1.0, BLACK);
        for (number, (name, points)) in self.lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let points = points.iter().filter(|point| is_finite(point));
            let points: Vec<[f32; 2]> = points.map(|&[x, y]| [x_of(x), y_of(y)]).collect();
            let round = number / COLOURS.len();
            dashes(&points, round).iter().for_each(|piece| canvas.line(piece, 3.0, colour));
            let y = bottom + 90.0 + LEGEND_ROW * number as f32;
            dashes(&[[left, y], [left + 24.0, y]], round).iter().for_each(|piece| canvas.line(piece, 3.0, colour));
            canvas.text(name, LABEL, [left + 34.0, y + 6.0], Anchor::Start);
        }
    }
}

/// Returns the pieces of a line in the style of its round through the colours: solid, then with shorter and shorter
/// dashes.
fn dashes(points: &[[f32; 2]], round: usize) -> Vec<Vec<[f32; 2]>> {
    let dash = 14.0 / round as f32;
    if round == 0 {
        return vec![points.to_vec()];
    }
    let mut pieces = Vec::new();
    let mut start = 0.0;
    for ends in points.windows(2) {
        let [from, to] = [glam::Vec2::from(ends[0]), glam::Vec2::from(ends[1])];
        let length = from.distance(to);
        let at = |along: f32| from.lerp(to, (along / length).clamp(0.0, 1.0)).to_array();
        // Each period is a dash and a gap of the same length; a dash continues around a corner.
        let first = ((start - dash) / (2.0 * dash)).ceil() as i32;
        for begin in (first..).map(|period| 2.0 * dash * period as f32 - start).take_while(|&begin| begin < length) {
            pieces.push(vec![at(begin), at(begin + dash)]);
        }
        start += length;
    }
    pieces
}

fn is_finite(point: &[f64; 2]) -> bool {
    point.iter().all(|value| value.is_finite())
}

/// Returns the multiples of 45 degrees, or of a smaller step that gives at least three ticks.
fn angle_ticks(first: f64, last: f64) -> Vec<f64> {
    let step = [45.0, 15.0, 5.0, 1.0].into_iter().find(|step| (last - first) / step >= 2.0).unwrap_or(1.0);
    multiples(step, first, last)
}

/// Returns about six multiples of 1, 2 or 5 times a power of ten, and the number of decimals that makes their labels
/// distinct.
fn value_ticks(least: f64, most: f64) -> (Vec<f64>, usize) {
    let rough = ((most - least) / 6.0).max(1e-6 * most.abs()).max(1e-9);
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|step| step * power).into_iter().find(|&step| step >= rough).unwrap_or(rough);
    (multiples(step, least, most), (-(step * 1.001).log10().floor()).max(0.0) as usize)
}

fn multiples(step: f64, first: f64, last: f64) -> Vec<f64> {
    let (from, to) = ((first / step - 1e-9).ceil() as i64, (last / step + 1e-9).floor() as i64);
    (from..=to).map(|number| number as f64 * step).collect()
}

/// An SVG document without its closing tag.
struct Svg(String);

impl Canvas for Svg {
    fn line(&mut self, points: &[[f32; 2]], width: f32, [r, g, b]: [u8; 3]) {
        let points: Vec<String> = points.iter().map(|[x, y]| format!("{x:.1},{y:.1}")).collect();
        let _ = writeln!(
            self.0,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#{r:02x}{g:02x}{b:02x}\" stroke-width=\"{width}\"/>",
            points.join(" ")
        );
    }

    fn text(&mut self, text: &str, size: f32, [x, y]: [f32; 2], anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = markup(text);
        let _ = writeln!(
            self.0,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\">{text}</text>"
        );
    }
}

impl Canvas for RgbImage {
    fn line(&mut self, points: &[[f32; 2]], width: f32, colour: [u8; 3]) {
        for ends in points.windows(2) {
            let [from, to] = [glam::Vec2::from(ends[0]), glam::Vec2::from(ends[1])];
            let reach = glam::Vec2::splat(0.5 * width + 0.5);
            let (min, max) = ((from.min(to) - reach).max(glam::Vec2::ZERO), from.max(to) + reach);
            for (y, x) in (min.y as u32..=max.y as u32).flat_map(|y| (min.x as u32..=max.x as u32).map(move |x| (y, x)))
            {
                let centre = glam::Vec2::new(x as f32, y as f32) + 0.5;
                let along = (centre - from).dot(to - from) / (to - from).length_squared().max(f32::MIN_POSITIVE);
                let distance = centre.distance(from.lerp(to, along.clamp(0.0, 1.0)));
                text::blend(self, x, y, colour, (reach.x - distance).clamp(0.0, 1.0));
            }
        }
    }

    fn text(&mut self, text: &str, size: f32, [x, y]: [f32; 2], anchor: Anchor) {
        let width = width_of(text, size) as f32;
        let left = match anchor {
            Anchor::Start => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::End => x - width,
        };
        text::draw(self, text, size, (left.round() as i32, y.round() as i32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(lines: &[(&str, [f64; 3])], angles: [f64; 3]) -> Chart {
        let lines: Vec<_> = lines.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())).collect();
        Chart::over_angles("a < b", "volume / volume at rest", &angles, &lines, [0.0, 1.05])
    }

    #[test]
    fn angle_ticks_are_eighths_of_a_turn() {
        assert_eq!(angle_ticks(0.0, 180.0), [0.0, 45.0, 90.0, 135.0, 180.0]);
        assert_eq!(angle_ticks(0.0, 150.0), [0.0, 45.0, 90.0, 135.0]);
        assert_eq!(angle_ticks(-100.0, 20.0), [-90.0, -45.0, 0.0]);
        assert_eq!(angle_ticks(0.0, 40.0), [0.0, 15.0, 30.0]);
        let text = chart(&[("cpu", [1.0, 0.5, 0.0])], [0.0, 90.0, 180.0]).svg();
        let has_label = |label: &str| text.contains(&format!(">{label}</text>"));
        assert!(["45", "90", "135", "180"].into_iter().all(has_label) && !has_label("60"), "{text}");
    }

    /// Two ticks with the same label would mislead, however small the range.
    #[test]
    fn value_ticks_have_distinct_labels() {
        for (least, most) in [(0.0, 1.05), (0.99, 1.0), (0.9995, 1.0001), (0.0, 240.0), (-3.0, 7.0), (1.0, 1.0)] {
            let (ticks, decimals) = value_ticks(least, most);
            let mut labels: Vec<String> = ticks.iter().map(|tick| format!("{tick:.decimals$}")).collect();
            assert!((1..=9).contains(&labels.len()), "{least} {most}: {labels:?}");
            labels.dedup();
            assert_eq!(labels.len(), ticks.len(), "{least} {most}: {labels:?}");
        }
    }

    #[test]
    fn image_and_svg_show_every_line_and_its_name() {
        let lines = [("cpu", [1.0, 0.7, 0.1]), ("dqs", [1.0, 1.0, 1.0]), ("cor", [1.0, f64::NAN, 0.9])];
        let chart = chart(&lines, [0.0, 90.0, 180.0]);
        let image = chart.image();
        for colour in &COLOURS[..3] {
            let pixels = image.pixels().filter(|pixel| pixel.0 == *colour).count();
            assert!(pixels > 300, "{pixels} pixels of {colour:?}");
        }
        let text = chart.svg();
        for name in ["dqs", "cor", "angle in degrees", "volume / volume at rest", "a &lt; b"] {
            assert!(text.contains(name), "{name}");
        }
        assert!(!text.contains("NaN"), "{text}");
    }

    /// A line of 40 pixels around a corner, in the second round: dashes of 14 pixels at 0 and 28.
    #[test]
    fn lines_beyond_the_colours_are_dashed() {
        let corner = [[0.0, 0.0], [10.0, 0.0], [10.0, 30.0]];
        assert_eq!(dashes(&corner, 0), [corner.to_vec()]);
        let expected = [[[0.0, 0.0], [10.0, 0.0]], [[10.0, 0.0], [10.0, 4.0]], [[10.0, 18.0], [10.0, 30.0]]];
        assert_eq!(dashes(&corner, 1), expected.map(|piece| piece.to_vec()));
        let lines: Vec<_> = (0..30).map(|line| (line.to_string(), vec![line.into(), 30.0])).collect();
        let text = Chart::over_angles("", "", &[0.0, 90.0], &lines, [0.0, 1.0]).svg();
        let mut styles: Vec<(&str, usize)> = Vec::new();
        for line in text.lines().filter(|line| line.contains("stroke-width=\"3\"")) {
            let colour = line.split_once("stroke=").unwrap().1;
            match styles.iter_mut().find(|(known, _)| *known == colour) {
                Some((_, count)) => *count += 1,
                None => styles.push((colour, 1)),
            }
        }
        assert_eq!(styles.len(), COLOURS.len());
    }

    /// The axis covers a path that doubles back.
    #[test]
    fn a_path_keeps_the_order_of_its_points() {
        let path = vec![[5.0, 0.0], [0.0, 1.0], [10.0, 0.5]];
        let chart = Chart {
            across: Across::Named("forward, % of the size"),
            lines: vec![("foot".into(), path)],
            marked: Some([2.0, 4.0]),
            ..chart(&[], [0.0; 3])
        };
        let text = chart.svg();
        let [left, top, right, bottom] = AREA;
        let y_of = |value: f32| bottom - value / 1.05 * (bottom - top);
        let middle = (left + right) / 2.0;
        let points = format!("{middle:.1},{bottom:.1} {left:.1},{:.1} {right:.1},{:.1}", y_of(1.0), y_of(0.5));
        assert!(text.contains(&points) && text.contains(">forward, % of the size</text>"), "{text}");
        // The mark is a fifth of the axis wide and begins at 3 of 10.
        let (x, width) = (left + 0.3 * (right - left), 0.2 * (right - left));
        let mark = format!(
            "points=\"{x:.1},{top:.1} {x:.1},{bottom:.1}\" fill=\"none\" stroke=\"#ffecb3\" stroke-width=\"{width}\""
        );
        assert!(text.contains(&mark), "{mark}: {text}");
    }
}
