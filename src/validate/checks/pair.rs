//! Checks of a clip on its mesh: boxes, rotated exports, proportions, and the effect of fewer weights.

use super::geometry::{angle, bind_maps};
use super::outliers;
use crate::codes::{mesh, pair};
use crate::finding::{Finding, Findings, OWN_FILE, Place};
use crate::pairs::Files;
use crate::taint::Part;
use bindpose_core::budget::Budget;
use bindpose_core::import::md5::rows::{Rows, transform_of, translation_of};
use bindpose_core::import::md5::{ImportedMesh, RootTranslation};
use bindpose_core::model::Mesh;
use bindpose_core::pose::{self, LocalPose, ModelPose};
use bindpose_core::skin::{linear_positions, posed_bounds, reduce_influences};
use bindpose_parsers::md5::{AnimFile, Bounds};
use bindpose_parsers::{Span, counted};
use glam::{DAffine3, DQuat, Vec3};

/// Part of the model's diagonal by which vertices may be outside a frame's box.
const BOX_TOLERANCE: f32 = 0.005;
/// Distance in model units below which boxes are as exact as printed decimals.
const BOX_STEP: f32 = 0.02;
/// Distance of vertices from the only box that misses them from which the frame is wrong, as a multiple of the model's
/// diagonal.
const FAR_FRAME: f32 = 5.0;
/// Number of frames from which the others tell that one is wrong.
const FEWEST_FRAMES: usize = 3;
/// Excess of a box over the model, as a fraction of the model's diagonal, from which it was made for something else.
const BOX_SURPLUS: f32 = 0.5;
/// Fraction of the bind box's diagonal by which animated vertices may leave it.
const LEAVES: f32 = 0.1;
/// Largest difference in degrees between the joints' rotations from the bind pose that counts as one common rotation.
const SAME_TURN: f64 = 1.0;
/// Smallest common rotation that is a mistake rather than a pose, in degrees.
const SMALLEST_TURN: f64 = 20.0;
/// Ratio of sizes from which skeleton and bind pose are in different units: 2.54 is the smallest factor between usual
/// units.
const OTHER_UNIT: f64 = 2.5;
/// Relative change of length that bones may have from the bind pose.
const STRETCH: f64 = 0.05;
/// Movement of a vertex, as a fraction of the model's diagonal, from which it is visible.
const VISIBLE: f32 = 0.002;

/// Ratio of lengths from which a bone that alone has another one is wrong.
const OTHER_LENGTH: f64 = 3.0;

/// Bytes charged to the budget for placing one vertex by one weight.
const STEP: usize = size_of::<f32>();

/// Checks a clip whose joints correspond to those of the mesh, one by one. `imported` is the mesh.
pub fn check(pair: &Files, imported: &ImportedMesh, budget: &Budget, findings: &mut Findings) {
    let rows = Rows::new(pair.anim, RootTranslation::File);
    if rows.frame_count() == 0 {
        return;
    }
    let mut poser = Poser::new(imported, &rows);
    check_turn(pair, poser.model_from_joint(0), findings);
    // Boxes around a spike, or in another unit, say nothing about the clip.
    let has_true_size = check_lengths(pair, &rows, findings) && !outliers::has_spikes(pair.mesh);
    let influences: usize = imported.model.meshes.iter().map(|mesh| mesh.influences.len()).sum();
    let steps = influences + imported.model.skeleton.len();
    let (steps, frames) = ((steps as u64, "joints and weights"), (rows.frame_count() as u64, "frames"));
    if super::can_follow(budget, steps, frames, STEP, pair.anim.num_frames.span, "boxes are", findings) {
        check_boxes(pair, imported, &mut poser, has_true_size, findings);
        name_odd_joint(findings);
    }
}

/// Frames of a clip on the skeleton of its mesh.
struct Poser<'p> {
    imported: &'p ImportedMesh,
    rows: &'p Rows<'p>,
    local: LocalPose,
    model: ModelPose,
}

impl<'p> Poser<'p> {
    fn new(imported: &'p ImportedMesh, rows: &'p Rows<'p>) -> Self {
        let local = LocalPose::rest(&imported.model.skeleton);
        Self { imported, rows, local, model: ModelPose::default() }
    }

    /// Returns the joints in model space in a frame, in the skeleton's order.
    fn pose(&mut self, frame: usize) -> &ModelPose {
        for (&joint, row) in self.imported.joints.iter().zip(self.rows.frame(frame)) {
            self.local.0[joint.index()] = transform_of(row);
        }
        pose::local_to_model(&self.imported.model.skeleton, &self.local, &mut self.model);
        &self.model
    }

    /// Returns the joints in model space in a frame, in file order.
    fn model_from_joint(&mut self, frame: usize) -> Vec<DAffine3> {
        let imported = self.imported;
        let pose = self.pose(frame);
        imported.joints.iter().map(|joint| pose.0[joint.index()]).collect()
    }
}

/// Smallest and largest corner of a box.
type Corners = (Vec3, Vec3);

fn diagonal((min, max): Corners) -> f32 {
    (max - min).length()
}

/// Returns the largest distance by which `inner` extends beyond `outer`.
fn excess(inner: Corners, outer: Corners) -> f32 {
    (outer.0 - inner.0).max(inner.1 - outer.1).max_element()
}

fn frame_span(pair: &Files, frame: usize) -> Span {
    let bounds = pair.anim.bounds.get(frame).map(|bounds| bounds.span);
    bounds.or_else(|| pair.anim.frames.get(frame).map(|frame| frame.number.span)).unwrap_or(pair.anim.num_frames.span)
}

/// Compares boxes with the vertices. Not if the sizes of mesh and clip disagree.
#[expect(clippy::too_many_lines, reason = "one check after the other")]
fn check_boxes(pair: &Files, imported: &ImportedMesh, poser: &mut Poser, has_true_size: bool, findings: &mut Findings) {
    let meshes = &imported.model.meshes;
    let rest = LocalPose::rest(&imported.model.skeleton).to_model(&imported.model.skeleton);
    let wrong = outliers::wrong_sums(pair.mesh);
    let Some(bind_box) = bounds_without(meshes, &rest, &wrong) else { return };
    let crowded = pair.mesh.meshes.iter().flat_map(|mesh| &mesh.verts).any(|vert| vert.weight_count > 4);
    let reduced: Vec<Mesh> = match crowded {
        true => meshes.iter().map(|mesh| reduce_influences(mesh, 4).mesh).collect(),
        false => Vec::new(),
    };
    let [_, broken] = pair.broken;
    if broken.any(&[Part::Motion]) {
        return;
    }
    let has_boxes = !broken.any(&[Part::FrameOrder, Part::Boxes]) && has_boxes(pair, findings);
    let mut left: (f32, usize) = (0.0, 0);
    let mut misses: Vec<(usize, f32)> = Vec::new();
    let mut dropped = Dropped::default();
    let mut full: Vec<Vec3> = Vec::new();
    for frame in 0..poser.rows.frame_count() {
        let pose = poser.pose(frame);
        let Some(actual) = bounds_without(meshes, pose, &wrong) else { return };
        let spans =
            [pair.anim.frames.get(frame).map(|frame| frame.span), pair.anim.bounds.get(frame).map(|it| it.span)];
        if spans.into_iter().flatten().any(|span| broken.within(&[Part::Value], span)) {
            continue;
        }
        let out = excess(actual, bind_box);
        if out > left.0 {
            left = (out, frame);
        }
        if has_true_size && has_boxes {
            misses.push((frame, compare_box(pair, frame, actual, findings)));
        }
        for (mesh, reduced) in meshes.iter().zip(&reduced) {
            full.clear();
            linear_positions(mesh, pose, |_, point| full.push(point));
            linear_positions(reduced, pose, |vertex, point| {
                let moved = full[vertex].distance(point);
                if moved > dropped.moved {
                    let (mesh, vertex) = (mesh.source_mesh, mesh.source_vertices[vertex] as usize);
                    dropped = Dropped { moved, mesh, vertex, frame };
                }
            });
        }
    }
    misses.retain(|&(_, out)| out > 0.0);
    if let Some(&(frame, out)) = misses.iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|_| misses.len() > 1)
        && let Some(finding) = findings.get_mut(pair::BOUNDS_SMALL)
    {
        finding.note(format!(
            "of {} frames, frame {frame} is the worst: its box misses vertices by {out:.3} units",
            misses.len()
        ));
    }
    let size = diagonal(bind_box);
    if let [(frame, out)] = misses[..]
        && (out > FAR_FRAME * size || is_all_zero(pair.anim, frame))
    {
        name_odd_frame(pair, frame, (out, out / size), findings);
    }
    if left.0 > LEAVES * size {
        let (out, frame) = left;
        findings.add_at(pair::LEAVES_BIND_BOX, frame_span(pair, frame), format_args!("frame[{frame}]"), || {
            format!(
                "frame {frame} leaves the box of the bind pose by {out:.2} units ({:.0} % of it)",
                100.0 * out / size
            )
        });
    }
    if dropped.moved > VISIBLE * size {
        let Dropped { moved, mesh: number, vertex, frame } = dropped;
        let span = frame_span(pair, frame);
        let added = findings.add_at(mesh::DROPPED_INFLUENCES, span, format_args!("frame[{frame}]"), || {
            format!("with its four largest weights only, vertex {vertex} of mesh {number} moves by {moved:.3} units in frame {frame}")
        });
        if let (Some(finding), Some(vert)) =
            (added.0, pair.mesh.meshes.get(number).and_then(|mesh| mesh.verts.get(vertex)))
        {
            finding.related(pair.mesh_file, vert.span, counted(vert.weight_count as usize, "weight", "weights"));
        }
    }
}

/// Returns the box around the vertices in a pose, without those that are marked by mesh of the file.
fn bounds_without(meshes: &[Mesh], pose: &ModelPose, marked: &[Vec<bool>]) -> Option<Corners> {
    if marked.is_empty() {
        return posed_bounds(meshes, pose);
    }
    let mut bounds: Option<Corners> = None;
    for mesh in meshes {
        let marked = marked.get(mesh.source_mesh);
        linear_positions(mesh, pose, |vertex, point| {
            let source = mesh.source_vertices.get(vertex).map(|&source| source as usize);
            if source.and_then(|source| marked?.get(source)) != Some(&true) && point.is_finite() {
                let (min, max) = bounds.unwrap_or((point, point));
                bounds = Some((min.min(point), max.max(point)));
            }
        });
    }
    bounds
}

/// Reports the frame instead of its box, which alone of all boxes misses the vertices by far.
fn name_odd_frame(pair: &Files, frame: usize, (out, times): (f32, f32), findings: &mut Findings) {
    let Some(head) = pair.anim.frames.get(frame).map(|frame| frame.number.span) else { return };
    if pair.anim.frames.len() < FEWEST_FRAMES {
        return;
    }
    let Some(finding) = findings.get_mut(pair::BOUNDS_SMALL) else { return };
    finding.message = match is_all_zero(pair.anim, frame) {
        true => format!("all values of frame {frame} are 0, which puts vertices {out:.2} units outside its box"),
        false => format!(
            "frame {frame} puts vertices {out:.2} units outside its box, {times:.0} times the size of the model"
        ),
    };
    finding.subject = Some("frame");
    finding.remedy = Some("correct the frame, or export the clip again");
    let bounds = std::mem::replace(&mut finding.first, Place { span: head, path: Some(format!("frame[{frame}]")) });
    finding.related(OWN_FILE, bounds.span, "its box");
}

/// Reports the only joint that is far too near to its parent, or too far from it, instead of the boxes that miss what it
/// moves.
fn name_odd_joint(findings: &mut Findings) {
    let is_box = findings.get(pair::BOUNDS_SMALL).is_some_and(|finding| finding.subject.is_none());
    let is_alone = |finding: &Finding| is_box && finding.subject == Some("joint");
    let Some(joint) = findings.take(pair::PROPORTIONS, is_alone) else { return };
    let Some(finding) = findings.get_mut(pair::BOUNDS_SMALL) else { return };
    finding.message = format!("{}: {}", joint.message, finding.message);
    finding.subject = joint.subject;
    finding.remedy = Some("correct the joint's flags or frames, or export the clip again");
    let bounds = std::mem::replace(&mut finding.first, joint.first);
    finding.related(OWN_FILE, bounds.span, "its box");
    finding.related.extend(joint.related);
}

/// True if a frame has values, and all are 0.
fn is_all_zero(anim: &AnimFile, frame: usize) -> bool {
    let width = usize::try_from(anim.num_animated_components.value).unwrap_or(0);
    let values = anim.components.chunks(width.max(1)).nth(frame).unwrap_or_default();
    !values.is_empty() && values.iter().all(|&value| value == 0.0)
}

/// The vertex that moves most if only its four largest weights count.
#[derive(Default)]
struct Dropped {
    /// Distance in model units.
    moved: f32,
    mesh: usize,
    vertex: usize,
    frame: usize,
}

/// True unless there are several boxes and all are empty. This is reported as one finding.
fn has_boxes(pair: &Files, findings: &mut Findings) -> bool {
    let Some(first) = pair.anim.bounds.first() else { return true };
    let is_empty = |bounds: &Bounds| bounds.min == bounds.max;
    let has_boxes = pair.anim.bounds.len() < 2 || !pair.anim.bounds.iter().all(is_empty);
    if !has_boxes {
        findings.add_at(pair::BOUNDS_SMALL, first.span, "bounds[0]", || {
            format!("no boxes were exported: all {} of `bounds` are empty", pair.anim.bounds.len())
        });
    }
    has_boxes
}

/// Reports vertices outside a frame's box, and boxes that are too large. Returns the largest distance of vertices
/// outside. Returns 0 if it is negligible.
fn compare_box(pair: &Files, frame: usize, actual: Corners, findings: &mut Findings) -> f32 {
    let Some(bounds) = pair.anim.bounds.get(frame) else { return 0.0 };
    let corner = |values: [f64; 3]| Vec3::from_array(values.map(|value| value as f32));
    let written = (corner(bounds.min), corner(bounds.max));
    let size = diagonal(actual);
    let path = format_args!("bounds[{frame}]");
    let out = excess(actual, written);
    if out > (BOX_TOLERANCE * size).max(BOX_STEP) {
        let added = findings.add_at(pair::BOUNDS_SMALL, bounds.span, path, || {
            format!("the box of frame {frame} misses vertices by {out:.3} units")
        });
        if let Some(finding) = added.0 {
            let [min, max] =
                [actual.0, actual.1].map(|corner| format!("( {:.4} {:.4} {:.4} )", corner.x, corner.y, corner.z));
            finding.note(format!("the skinned vertices lie in {min} {max}"));
        }
        return out;
    }
    let surplus = excess(written, actual);
    if surplus > BOX_SURPLUS * size {
        findings.add_at(pair::BOUNDS_LARGE, bounds.span, path, || {
            format!("the box of frame {frame} extends up to {surplus:.3} units beyond the vertices")
        });
    }
    0.0
}

/// Reports a first frame that is the bind pose except for one common rotation.
fn check_turn(pair: &Files, first: Vec<DAffine3>, findings: &mut Findings) {
    let turn_of =
        |(anim, bind): (&DAffine3, &DAffine3)| DQuat::from_mat3(&(anim.matrix3 * bind.matrix3.transpose())).normalize();
    let turns: Vec<DQuat> = first.iter().zip(&bind_maps(pair.mesh)).map(turn_of).collect();
    let Some(&root) = turns.first() else { return };
    let turned = angle(root, DQuat::IDENTITY);
    let all_agree = turns.len() > 2 && turns.iter().all(|&turn| angle(turn, root) < SAME_TURN);
    if turned > SMALLEST_TURN && all_agree {
        let (axis, _) = root.to_axis_angle();
        let span = pair.anim.baseframe.first().map_or(pair.anim.num_joints.span, |pose| pose.span);
        let added = findings.add(pair::UNAPPLIED_TRANSFORM, span, || {
            format!(
                "all joints are rotated by {turned:.0} degrees about ({:.2} {:.2} {:.2}) from the bind pose",
                axis.x, axis.y, axis.z
            )
        });
        if let (Some(finding), Some(joint)) = (added.0, pair.mesh.joints.first()) {
            finding.related(pair.mesh_file, joint.span, "the root in the bind pose");
        }
    }
}

/// Reports bones that change their lengths. Returns false if mesh and clip seem to be in different units.
fn check_lengths(pair: &Files, rows: &Rows, findings: &mut Findings) -> bool {
    let bind = bind_maps(pair.mesh);
    let parent = |index: usize| {
        let parent = pair.mesh.joints.get(index).map(|joint| joint.parent.value);
        parent.and_then(|parent| usize::try_from(parent).ok()).filter(|&parent| parent < index)
    };
    let mut ratios: Vec<(f64, usize)> = Vec::new();
    for (index, row) in rows.frame(0).enumerate() {
        let Some(above) = parent(index).and_then(|parent| bind.get(parent)) else { continue };
        let Some(own) = bind.get(index) else { continue };
        let length = own.translation.distance(above.translation);
        if length > 1e-3 {
            ratios.push((translation_of(row).length() / length, index));
        }
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let Some(&(usual, _)) = ratios.get(ratios.len() / 2) else { return true };
    let far = |ratio: f64| (ratio - 1.0).abs() > STRETCH;
    let alike = ratios.iter().filter(|&&(ratio, _)| (ratio - usual).abs() < 0.01 * usual).count();
    // Limbs are never that much longer. A smaller factor must apply to all of them.
    let is_unit = !(1.0 / OTHER_UNIT..OTHER_UNIT).contains(&usual) && 2 * alike > ratios.len();
    if is_unit || (far(usual) && ratios.len() > 2 && alike == ratios.len()) {
        let span = pair.anim.baseframe.first().map_or(pair.anim.num_joints.span, |pose| pose.span);
        let which = if alike == ratios.len() { "all".to_owned() } else { format!("{alike} of {}", ratios.len()) };
        let added = findings.add(pair::UNAPPLIED_TRANSFORM, span, || {
            format!("{which} bones are {usual:.4} times as long as in the bind pose")
        });
        if let Some(finding) = added.0.filter(|_| is_unit) {
            finding.note("mesh and clip seem to be in different units");
        }
        return !is_unit;
    }
    let worst = ratios.iter().copied().filter(|&(ratio, _)| far(ratio));
    let worst = worst.max_by(|a, b| (a.0 - 1.0).abs().total_cmp(&(b.0 - 1.0).abs()));
    if let Some((ratio, index)) = worst {
        let count = ratios.iter().filter(|&&(ratio, _)| far(ratio)).count();
        let span = pair.anim.hierarchy.get(index).map_or(pair.anim.num_joints.span, |channel| channel.span);
        let added = findings.add_at(pair::PROPORTIONS, span, format_args!("joint[{index}]"), || {
            let name = pair.anim.hierarchy.get(index).map_or_else(String::new, |channel| channel.name.to_name());
            let others = if count == 1 { String::new() } else { format!("; {} of {} are off", count, ratios.len()) };
            format!("'{name}' is {ratio:.2} times as far from its parent as in the bind pose{others}")
        });
        if let (Some(finding), Some(joint)) = (added.0, pair.mesh.joints.get(index)) {
            finding.related(pair.mesh_file, joint.span, "the joint in the bind pose");
            finding.subject = (count == 1 && !(1.0 / OTHER_LENGTH..OTHER_LENGTH).contains(&ratio)).then_some("joint");
        }
    }
    true
}
