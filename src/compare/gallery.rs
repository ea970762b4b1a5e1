//! Images of a comparison: each group, its error on the mesh, and a close-up of the worst joint.

use super::comparison::{AROUND_WORST, MethodComparison, close_up};
use super::contact_sheet::{CylinderImages, Scale, SheetRow, opaque};
use super::finding::{self, MethodGroup, SAME_WITHIN, SameShape};
use super::page::{ReportImages, worst_pose};
use super::report::ComparisonReport;
use super::visible_side::face;
use bindpose_core::skin::MethodId;
use bindpose_player::{VertexRef, paint};
use bindpose_render::{Camera, Error};
use glam::{Vec3, Vec4};
use image::{Rgb, RgbImage, RgbaImage};

/// Largest number of poses on the contact sheet, a close-up included.
const MOST_SHOWN: usize = 3;
/// A method that is this many times farther from the weighted sum than the median does not stretch the colour scale.
const OUTLIER: f64 = 3.0;
/// Largest number of angles in [`strip`].
const MOST_ANGLES: usize = 7;
/// Largest number of meshes whose error is drawn. In glium, freeing a vertex buffer takes time proportional to the
/// number of all buffers.
const MOST_COLOURED: usize = 1_000;

impl MethodComparison<'_> {
    /// Draws each group in some poses, its error on the mesh, and the worst joint. `drawn` contains the images of the
    /// first method of each group by method and pose, `expected` those of the reference by pose.
    pub(super) fn images(
        &mut self,
        report: &ComparisonReport,
        methods: &[MethodId],
        same: &[SameShape],
        mut drawn: Vec<Vec<RgbImage>>,
        expected: &[RgbaImage],
    ) -> Result<ReportImages, Error> {
        let named = |name: &String| report.methods.iter().position(|method| method.method == *name);
        let firsts: Vec<usize> = report.groups.iter().filter_map(|group| named(group.methods.first()?)).collect();
        let (share, and_more) = end_of_scale(&report.groups);
        let scale =
            scale(format!("{} of the size{}", finding::percent(share), if and_more { " and more" } else { "" }));
        let worst = self.worst_joint(report, methods, same);
        let shown = telling(report, MOST_SHOWN - usize::from(worst.is_some()));
        let mut headings: Vec<String> = Vec::new();
        for &pose in &shown {
            let error =
                if self.shows_errors() { "distance from the weighted sum" } else { "not coloured: too many meshes" };
            let name = &self.plan.names[pose];
            headings.extend([name.clone(), format!("{name}, {error}")]);
        }
        let mut reference = SheetRow {
            lines: vec!["reference".into(), "weighted sum of all influences".into()],
            ..SheetRow::default()
        };
        reference.tiles.extend(shown.iter().flat_map(|&pose| [Some(opaque(&expected[pose])), None]));
        if let Some((pose, camera, joint)) = &worst {
            headings
                .extend([format!("{joint}, {}", self.plan.names[*pose]), "distance from the weighted sum".to_owned()]);
            reference.tiles.extend([Some(opaque(&self.reference_image(*pose, *camera)?)), None]);
        }
        let mut rows = vec![reference];
        for (group, &number) in report.groups.iter().zip(&firsts) {
            let id = methods[number];
            let Some(same) = same.iter().find(|same| same.methods[0] == number) else { continue };
            let positions = |pose: usize| same.positions[pose].as_slice();
            let mut tiles = Vec::new();
            for &pose in &shown {
                let camera = self.poses[pose].camera;
                let error = self.error_image(id, pose, camera, share, positions(pose))?;
                tiles.extend([drawn[number].get(pose).cloned(), error]);
            }
            if let Some((pose, camera, _)) = worst {
                let image = self.image(id, pose, camera, None)?;
                let error = self.error_image(id, pose, camera, share, positions(pose))?;
                tiles.extend([Some(opaque(&image)), error]);
            }
            rows.push(SheetRow { lines: about(group), tiles });
        }
        let left_out = report.methods.iter().filter(|method| method.poses.is_empty());
        rows.extend(left_out.map(|method| {
            let reason = method.reason.as_ref().and_then(|reason| reason.lines().next()).unwrap_or_default();
            SheetRow { lines: vec![method.method.clone(), reason.to_owned()], tiles: Vec::new() }
        }));
        let drawn = firsts.iter().map(|&number| std::mem::take(&mut drawn[number])).collect();
        let expected = expected.iter().map(opaque).collect();
        Ok(ReportImages { expected, drawn, headings, rows, scale, cylinder: Vec::new() })
    }

    /// Returns the close-up of the joint where the methods differ most, or of `--target`: pose, camera, name of the
    /// joint.
    fn worst_joint(
        &self,
        report: &ComparisonReport,
        methods: &[MethodId],
        same: &[SameShape],
    ) -> Option<(usize, Camera, String)> {
        // Images of a turn are already close-ups of its joint.
        let worst = report.groups.last().filter(|group| group.departs_by > SAME_WITHIN && self.plan.turn.is_none())?;
        let named = || worst.joint.as_deref().and_then(|name| self.model.skeleton.find(name));
        let joint = self.settings.view.target.or_else(named)?;
        let compared = &self.poses[worst.pose];
        let around = (compared.truth.extent, AROUND_WORST);
        let view = &self.settings.view;
        let mut camera = close_up(self.model, view, joint, &compared.pose, around, compared.camera);
        let is_worst = |same: &&SameShape| worst.methods.contains(&methods[same.methods[0]].to_string());
        if let Some(positions) = same.iter().find(is_worst).map(|same| &same.positions[worst.pose]) {
            face(&mut camera, view, self.model, positions, &farthest(&compared.truth.distances(positions)));
        }
        Some((worst.pose, Camera { zoom: 1.0, ..camera }, self.model.skeleton[joint].name.clone()))
    }

    /// Draws the distance of a method from the weighted sum as vertex colours, up to `share` of the extent. Returns
    /// `None` if there are too many meshes.
    fn error_image(
        &mut self,
        id: MethodId,
        pose: usize,
        camera: Camera,
        share: f64,
        positions: &[Vec<Vec3>],
    ) -> Result<Option<RgbImage>, Error> {
        if !self.shows_errors() {
            return Ok(None);
        }
        let truth = &self.poses[pose].truth;
        let colours = paint::distances(&truth.distances(positions), (share * truth.extent) as f32);
        Ok(Some(opaque(&self.image(id, pose, camera, Some(&colours))?)))
    }

    /// True if the error is drawn on the meshes.
    fn shows_errors(&self) -> bool {
        self.model.meshes.len() <= MOST_COLOURED
    }
}

/// Returns the vertices with more than half of the largest distance; `distances` by mesh and vertex.
fn farthest(distances: &[Vec<f32>]) -> Vec<VertexRef> {
    let most = distances.iter().flatten().copied().fold(0.0, f32::max);
    let of_mesh = |(mesh, distances): (usize, &Vec<f32>)| {
        let far = distances.iter().enumerate().filter(|&(_, &distance)| distance > 0.5 * most);
        far.map(|(vertex, _)| VertexRef { mesh, vertex }).collect::<Vec<_>>()
    };
    distances.iter().enumerate().flat_map(of_mesh).collect()
}

/// Returns the end of the colour scale as a share of the size, and true if a method exceeds it. Otherwise one bad
/// method would leave all others blue.
fn end_of_scale(groups: &[MethodGroup]) -> (f64, bool) {
    let departing = groups.iter().map(|group| group.departs_by).filter(|share| *share > SAME_WITHIN || share.is_nan());
    let mut shares: Vec<f64> = departing.map(|share| if share.is_finite() { share } else { 1.0 }).collect();
    shares.sort_by(f64::total_cmp);
    match (shares.get(shares.len().saturating_sub(1) / 2), shares.last()) {
        (Some(&usual), Some(&most)) if most > OUTLIER * usual => (usual, true),
        (_, Some(&most)) => (most, false),
        _ => (SAME_WITHIN, false),
    }
}

/// Selects at most `most` poses, evenly spread over those in which methods differ. The pose with the largest difference
/// is always included.
fn telling(report: &ComparisonReport, most: usize) -> Vec<usize> {
    let farthest = |pose: usize| {
        let of_pose = report.methods.iter().filter_map(|method| method.poses.get(pose));
        of_pose.map(|pose| pose.linear.max_of_extent).fold(0.0, f64::max)
    };
    let worst = worst_pose(report);
    let differing: Vec<usize> = (0..report.pose_names.len()).filter(|&pose| farthest(pose) > SAME_WITHIN).collect();
    let mut shown: Vec<usize> = spread(differing.len(), most).into_iter().map(|number| differing[number]).collect();
    if !shown.contains(&worst) {
        match shown.iter_mut().min_by_key(|pose| pose.abs_diff(worst)) {
            Some(nearest) => *nearest = worst,
            None => shown.push(worst),
        }
    }
    shown
}

/// Returns headings for some angles of a sweep, and a row of images for each group. `drawn` contains images by group
/// and pose.
pub fn strip(report: &ComparisonReport, drawn: &[Vec<RgbImage>]) -> (Vec<String>, Vec<SheetRow>) {
    strip_of(&report.pose_names, report.groups.iter().map(about).zip(drawn.iter().map(Vec::as_slice)))
}

/// Returns headings for some poses, and a row for each text with its images by pose.
pub fn strip_of<'i>(
    poses: &[String],
    rows: impl Iterator<Item = (Vec<String>, &'i [RgbImage])>,
) -> (Vec<String>, Vec<SheetRow>) {
    let shown = spread(poses.len(), MOST_ANGLES);
    let row = |(lines, drawn): (Vec<String>, &[RgbImage])| SheetRow {
        lines,
        tiles: shown.iter().map(|&pose| drawn.get(pose).cloned()).collect(),
    };
    (shown.iter().map(|&pose| poses[pose].clone()).collect(), rows.map(row).collect())
}

/// Returns headings for every second angle of a cylinder test, and a row of images for each curve.
pub fn cylinder_rows(images: &CylinderImages) -> (Vec<String>, Vec<SheetRow>) {
    let row = |(name, drawn): &(String, Vec<RgbImage>)| SheetRow {
        lines: in_lines(name.split(", ")),
        tiles: drawn.iter().step_by(2).cloned().map(Some).collect(),
    };
    (images.angles.iter().step_by(2).cloned().collect(), images.curves.iter().map(row).collect())
}

/// Creates the colour scale of [`paint::distances`] with a label for its end.
pub(super) fn scale(most: String) -> Scale {
    Scale { colours: (0..64).map(|step| srgb(paint::heat(step as f32 / 63.0))).collect(), most }
}

/// Converts a colour from linear light to sRGB.
fn srgb(linear: Vec4) -> Rgb<u8> {
    let channel = |value: f32| {
        let encoded = if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded).round() as u8
    };
    Rgb([channel(linear.x), channel(linear.y), channel(linear.z)])
}

/// Returns at most `most` indices below `count`, evenly spread, including the first and the last.
fn spread(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|number| number * (count - 1) / (most - 1)).collect()
}

/// Returns the text next to a group's images.
fn about(group: &MethodGroup) -> Vec<String> {
    let mut lines = vec![finding::label(&group.methods)];
    lines.push(format!("{} from the weighted sum", finding::percent(group.departs_by)));
    if let Some(joint) = group.joint.as_ref().filter(|_| group.departs_by > SAME_WITHIN) {
        lines.push(format!("at {joint}"));
    }
    lines.extend(group.similarity.map(|similarity| format!("similarity {similarity:.4}")));
    lines.extend(group.thickness.map(|left| format!("thickness left {}", finding::percent(left))));
    if group.methods.len() > 1 {
        lines.extend(in_lines(group.methods.iter().map(String::as_str)));
    }
    lines
}

/// Breaks names into lines that fit next to the images.
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
