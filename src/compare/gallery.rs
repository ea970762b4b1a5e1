//! What a comparison shows: pictures of each group, the error on the mesh, the worst joint from nearby.

use super::comparison::{AROUND_WORST, Comparison, near};
use super::finding::{self, Alike, Group, SAME_WITHIN};
use super::page::Shown;
use super::pictures::{Row, Scale, Shapes, opaque};
use super::report::ComparisonReport;
use crate::player::paint;
use crate::render::{Camera, Error};
use bindpose_core::skin::MethodId;
use glam::{Vec3, Vec4};
use image::{Rgb, RgbImage, RgbaImage};

/// Moments that the contact sheet shows at most.
const MOST_SHOWN: usize = 4;
/// Angles that [`strip`] shows at most.
const MOST_ANGLES: usize = 7;
/// Meshes whose error is shown in colours at most: OpenGL's wrapper looks through all vertex buffers for each that goes.
const MOST_COLOURED: usize = 1_000;

impl Comparison<'_> {
    /// Draws what the report shows: for each group pictures of some moments, the error on the mesh, and the worst joint.
    pub(super) fn show(
        mut self,
        report: &ComparisonReport,
        methods: &[MethodId],
        alike: &[Alike],
        mut drawn: Vec<Vec<RgbImage>>,
        expected: &[RgbaImage],
    ) -> Result<Shown, Error> {
        let named = |name: &String| report.methods.iter().position(|method| method.method == *name);
        let firsts: Vec<usize> = report.groups.iter().filter_map(|group| named(group.methods.first()?)).collect();
        // One scale for all, of the largest error, at least of what counts as none.
        let share = report.groups.last().map_or(0.0, |group| group.departs_by);
        let share = if share.is_finite() { share.max(SAME_WITHIN) } else { 1.0 };
        let scale = scale(format!("{} of the size", finding::percent(share)));
        let shown = spread(self.moments.len(), MOST_SHOWN);
        let zoom = self.zoom(report);
        let mut headings: Vec<String> = Vec::new();
        for &moment in &shown {
            let error = if self.shows_errors() { "from the weighted sum" } else { "not coloured: too many meshes" };
            headings.extend([self.plan.names[moment].clone(), error.to_owned()]);
        }
        let mut reference =
            Row { lines: vec!["reference".into(), "weighted sum of all influences".into()], ..Row::default() };
        reference.tiles.extend(shown.iter().flat_map(|&moment| [Some(opaque(&expected[moment])), None]));
        if let Some((moment, camera, joint)) = &zoom {
            headings.extend([format!("{joint}, {}", self.plan.names[*moment]), "from the weighted sum".to_owned()]);
            reference.tiles.extend([Some(opaque(&self.draw_expected(*moment, *camera)?)), None]);
        }
        let mut rows = vec![reference];
        for (group, &number) in report.groups.iter().zip(&firsts) {
            let id = methods[number];
            let Some(alike) = alike.iter().find(|alike| alike.methods[0] == number) else { continue };
            let positions = |moment: usize| alike.positions[moment].as_slice();
            let mut tiles = Vec::new();
            for &moment in &shown {
                let camera = self.moments[moment].camera;
                let error = self.error_picture(id, moment, camera, share, positions(moment))?;
                tiles.extend([drawn[number].get(moment).cloned(), error]);
            }
            if let Some((moment, camera, _)) = zoom {
                let near = self.picture(id, moment, camera, None)?;
                let error = self.error_picture(id, moment, camera, share, positions(moment))?;
                tiles.extend([Some(opaque(&near)), error]);
            }
            rows.push(Row { lines: about(group), tiles });
        }
        let left_out = report.methods.iter().filter(|method| method.moments.is_empty());
        rows.extend(left_out.map(|method| {
            let reason = method.reason.as_ref().and_then(|reason| reason.lines().next()).unwrap_or_default();
            Row { lines: vec![method.method.clone(), reason.to_owned()], tiles: Vec::new() }
        }));
        let drawn = firsts.iter().map(|&number| std::mem::take(&mut drawn[number])).collect();
        let expected = expected.iter().map(opaque).collect();
        Ok(Shown { expected, drawn, headings, rows, scale, figures: Vec::new() })
    }

    /// Where the methods differ most, seen from nearby: the moment, the camera, the joint's name. A joint that was asked for
    /// comes before the one with the largest error.
    fn zoom(&self, report: &ComparisonReport) -> Option<(usize, Camera, String)> {
        // Pictures of a turn are of its joint anyway.
        let worst = report.groups.last().filter(|group| group.departs_by > SAME_WITHIN && self.plan.turn.is_none())?;
        let named = || worst.joint.as_deref().and_then(|name| self.model.skeleton.find(name));
        let joint = self.settings.view.target.or_else(named)?;
        let moment = &self.moments[worst.moment];
        let camera = near(
            self.model,
            &self.settings.view,
            joint,
            &moment.pose,
            (moment.truth.extent, AROUND_WORST),
            moment.camera,
        );
        Some((worst.moment, Camera { zoom: 1.0, ..camera }, self.model.skeleton[joint].name.clone()))
    }

    /// A method's distance from the weighted sum in colours on the meshes, if there are not too many; `share` of the extent is
    /// the most.
    fn error_picture(
        &mut self,
        id: MethodId,
        moment: usize,
        camera: Camera,
        share: f64,
        positions: &[Vec<Vec3>],
    ) -> Result<Option<RgbImage>, Error> {
        if !self.shows_errors() {
            return Ok(None);
        }
        let truth = &self.moments[moment].truth;
        let colours = paint::distances(&truth.distances(positions), (share * truth.extent) as f32);
        Ok(Some(opaque(&self.picture(id, moment, camera, Some(&colours))?)))
    }

    /// Whether the error is shown in colours on the meshes.
    fn shows_errors(&self) -> bool {
        self.model.meshes.len() <= MOST_COLOURED
    }
}

/// A sweep without the error: the headings of some angles, and for each group its pictures at these. `drawn` of each group at
/// each moment.
pub fn strip(report: &ComparisonReport, drawn: &[Vec<RgbImage>]) -> (Vec<String>, Vec<Row>) {
    let shown = spread(report.moments.len(), MOST_ANGLES);
    let row = |(group, drawn): (&Group, &Vec<RgbImage>)| Row {
        lines: about(group),
        tiles: shown.iter().map(|&moment| drawn.get(moment).cloned()).collect(),
    };
    let headings = shown.iter().map(|&moment| report.moments[moment].clone()).collect();
    (headings, report.groups.iter().zip(drawn).map(row).collect())
}

/// The same of a figure's shapes: a row for each line, every second angle.
pub fn strip_of(shapes: &Shapes) -> (Vec<String>, Vec<Row>) {
    let row = |(name, drawn): &(String, Vec<RgbImage>)| Row {
        lines: in_lines(name.split(", ")),
        tiles: drawn.iter().step_by(2).cloned().map(Some).collect(),
    };
    (shapes.angles.iter().step_by(2).cloned().collect(), shapes.drawn.iter().map(row).collect())
}

/// The colours of [`paint::distances`], whose last one is called `most`.
pub(super) fn scale(most: String) -> Scale {
    Scale { colours: (0..64).map(|step| srgb(paint::heat(step as f32 / 63.0))).collect(), most }
}

/// A colour of linear light for a picture.
fn srgb(linear: Vec4) -> Rgb<u8> {
    let channel = |value: f32| {
        let encoded = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded).round() as u8
    };
    Rgb([channel(linear.x), channel(linear.y), channel(linear.z)])
}

/// At most so many numbers below `count`, the first and the last among them.
fn spread(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|place| place * (count - 1) / (most - 1)).collect()
}

/// Beside a group's pictures.
fn about(group: &Group) -> Vec<String> {
    let mut lines = vec![finding::label(&group.methods)];
    lines.push(format!("{} from the weighted sum", finding::percent(group.departs_by)));
    if let Some(joint) = group.joint.as_ref().filter(|_| group.departs_by > SAME_WITHIN) {
        lines.push(format!("at {joint}"));
    }
    lines.extend(group.similarity.map(|similarity| format!("similarity {similarity:.4}")));
    lines.extend(group.thickness.map(|left| format!("thickness left {}", finding::percent(left))));
    // The others of the group, as many as a line holds.
    if group.methods.len() > 1 {
        lines.extend(in_lines(group.methods.iter().map(String::as_str)));
    }
    lines
}

/// Names in lines as wide as there is room beside pictures.
fn in_lines<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    let mut lines = vec![String::new()];
    for name in names {
        if let Some(line) = lines.last_mut().filter(|line| line.is_empty() || line.len() + name.len() <= 26) {
            *line += &format!("{name} ");
        } else {
            lines.push(format!("{name} "));
        }
    }
    lines
}
