//! Turned joints, and the thickness that a method leaves there.

use crate::player::{VertexRef, paint};
use bindpose_core::model::{Clip, Interpolation, JointId, JointTracks, Model, Skeleton, Timeline, TimelineId, Track};
use bindpose_core::pose::{LocalPose, ModelPose, Turn};
use glam::{DVec3, Vec3};

/// "twisting" about the bone, "bending" across it, or "turning".
pub fn verb(turn: &Turn, skeleton: &Skeleton) -> &'static str {
    let along = skeleton.bone(turn.joint).map_or(0.5, |bone| bone.dot(turn.axis).abs());
    if along > 0.85 {
        "twisting"
    } else if along < 0.35 {
        "bending"
    } else {
        "turning"
    }
}

/// Clip with a pose every `interval` seconds; all poses have the same joints.
pub fn clip_of(name: &str, poses: &[LocalPose], interval: f64) -> Clip {
    let joints = poses.first().map_or(0, |pose| pose.0.len());
    let track = |joint: usize| JointTracks::Whole {
        keys: Track { timeline: TimelineId(0), values: poses.iter().map(|pose| pose.0[joint]).collect() },
        between: Interpolation::Parts,
    };
    let times: Vec<f64> = (0..poses.len()).map(|number| number as f64 * interval).collect();
    Clip {
        name: name.to_owned(),
        duration: times.last().copied().unwrap_or(0.0),
        frame_rate: Some(interval.recip()),
        timelines: Timeline::new(times).into_iter().collect(),
        joints: (0..joints).map(track).collect(),
        ..Clip::default()
    }
}

/// Vertices blended between turned and other joints, with their distances from the axis and from the vertex across the bone.
///
/// A rigid motion keeps both distances: a method that shortens both has lost thickness to blending. One alone is not enough: an
/// elbow bent like a pipe may come nearer to the axis at full thickness, and two vertices with different weights come nearer to
/// each other on a twisted limb of full thickness.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// Point of the axis in model space.
    origin: DVec3,
    /// Unit vector in model space.
    axis: DVec3,
    vertices: Vec<SeamVertex>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct SeamVertex {
    vertex: VertexRef,
    /// Distance before the turn, in model units.
    from_axis: f64,
    /// Vertex across the bone and its distance before the turn, if there is one.
    across: Option<(VertexRef, f64)>,
}

/// Smallest share of the weight of both turned and other joints on a vertex of the seam.
const BLENDED: f32 = 0.05;
/// Vertices nearer to the axis than this share of the largest distance are left out.
const NEAR_THE_AXIS: f64 = 0.25;
/// Largest number of vertices of a seam; of more, evenly spread ones are used.
const MOST_VERTICES: usize = 4000;

impl Seam {
    /// Seam of a turn from the pose `before`; `None` if no vertex is blended between turned and other joints.
    ///
    /// The vertex across the bone is the one nearest to the vertex turned by 180 degrees about the bone.
    pub fn new(model: &Model, before: &ModelPose, turn: &Turn) -> Option<Self> {
        let joint = before.0.get(turn.joint.index())?;
        let (origin, axis) = (joint.translation, joint.transform_vector3(turn.axis).try_normalize()?);
        let along = model.skeleton.bone(turn.joint).and_then(|bone| joint.transform_vector3(bone).try_normalize());
        let turned = below(&model.skeleton, turn.joint);
        let positions = paint::linear_positions(model, before);
        let mut blended = Vec::new();
        for (number, mesh) in model.meshes.iter().enumerate() {
            let is_turned = |slot: u32| mesh.bind.get(slot as usize).is_some_and(|bound| turned[bound.joint.index()]);
            for (vertex, position) in positions[number].iter().enumerate() {
                let influences = mesh.influences_of(vertex);
                let whole: f32 = influences.iter().map(|influence| influence.weight).sum();
                let of_turned = influences.iter().filter(|influence| is_turned(influence.slot));
                let share = of_turned.map(|influence| influence.weight).sum::<f32>() / whole;
                if (BLENDED..=1.0 - BLENDED).contains(&share) {
                    blended.push((VertexRef { mesh: number, vertex }, position.as_dvec3() - origin));
                }
            }
        }
        let one_of = blended.len().div_ceil(MOST_VERTICES).max(1);
        let blended: Vec<_> = blended.into_iter().step_by(one_of).collect();
        let from_axis = |position: DVec3| position.reject_from_normalized(axis).length();
        let farthest = blended.iter().map(|&(_, position)| from_axis(position)).fold(0.0, f64::max);
        let far = blended.iter().filter(|&&(_, position)| from_axis(position) > NEAR_THE_AXIS * farthest);
        let vertices: Vec<SeamVertex> = far
            .map(|&(vertex, position)| {
                let across = along.and_then(|along| {
                    let wanted = 2.0 * position.project_onto_normalized(along) - position;
                    let distance = |other: &&(VertexRef, DVec3)| other.1.distance_squared(wanted);
                    let &(other, there) = blended.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
                    let apart = there.distance(position);
                    // Half of a tube has no vertex across.
                    (apart > position.reject_from_normalized(along).length()).then_some((other, apart))
                });
                SeamVertex { vertex, from_axis: from_axis(position), across }
            })
            .collect();
        (!vertices.is_empty()).then_some(Self { origin, axis, vertices })
    }

    /// Smallest share of the thickness left at a vertex, at most 1. For each vertex the larger of its distances from the axis and
    /// across the bone counts, each over that before. `positions` by mesh and vertex, in model space.
    pub fn thickness(&self, positions: &[Vec<Vec3>]) -> f64 {
        let at = |vertex: VertexRef| positions[vertex.mesh][vertex.vertex].as_dvec3();
        let left = self.vertices.iter().map(|it| {
            let position = at(it.vertex);
            let from_axis = (position - self.origin).reject_from_normalized(self.axis).length() / it.from_axis;
            it.across.map_or(from_axis, |(other, before)| from_axis.max(position.distance(at(other)) / before))
        });
        left.fold(1.0, f64::min)
    }
}

/// True for `top` and its descendants.
fn below(skeleton: &Skeleton, top: JointId) -> Vec<bool> {
    crate::player::edit::below(skeleton, top).into_iter().map(|share| share > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::cylinder::{Cylinder, Shape};
    use bindpose_core::pose::{local_to_model, rest, sample};

    fn cylinder() -> (Model, JointId) {
        let cylinder = Cylinder::new(Shape::USUAL);
        let far = cylinder.skeleton.find("far").unwrap();
        (Model { skeleton: cylinder.skeleton, meshes: vec![cylinder.mesh], ..Model::default() }, far)
    }

    /// The mean of a point and the point turned by `a` is at cos(a/2) of its distance from the axis, and two such points across the
    /// bone, in the plane of the turn, at cos(a/2) of theirs.
    #[test]
    fn linear_blending_leaves_the_cosine_of_half_the_turn() {
        let (model, joint) = cylinder();
        let (mut local, mut before) = (LocalPose::default(), ModelPose::default());
        rest(&model.skeleton, &mut local);
        local_to_model(&model.skeleton, &local, &mut before);
        for (degrees, left) in [(0.0, 1.0), (60.0, 0.75_f64.sqrt()), (90.0, 0.5_f64.sqrt()), (180.0, 0.0)] {
            for axis in [DVec3::X, DVec3::Z] {
                let turn = Turn { joint, axis, degrees };
                let seam = Seam::new(&model, &before, &turn).unwrap();
                let (mut turned, mut posed) = (local.clone(), ModelPose::default());
                turn.apply(&mut turned);
                local_to_model(&model.skeleton, &turned, &mut posed);
                let found = seam.thickness(&paint::linear_positions(&model, &posed));
                assert!((found - left).abs() < 1e-6, "{degrees} about {axis}: {found}, not {left}");
            }
        }
    }

    /// An elbow bent about a point beside the joint, like a pipe, keeps its thickness, though its outside reaches the joint.
    #[test]
    fn a_bend_like_a_pipe_keeps_the_thickness() {
        let (model, joint) = cylinder();
        let (mut local, mut before) = (LocalPose::default(), ModelPose::default());
        rest(&model.skeleton, &mut local);
        local_to_model(&model.skeleton, &local, &mut before);
        let seam = Seam::new(&model, &before, &Turn { joint, axis: DVec3::Z, degrees: 90.0 }).unwrap();
        let moved = paint::linear_positions(&model, &before);
        let moved: Vec<Vec<Vec3>> = moved.iter().map(|mesh| mesh.iter().map(|at| *at - Vec3::Y).collect()).collect();
        assert!((seam.thickness(&moved) - 1.0).abs() < 1e-6, "{}", seam.thickness(&moved));
    }

    #[test]
    fn a_turn_about_the_bone_twists_and_one_across_bends() {
        let (model, joint) = cylinder();
        let verb_of = |axis| verb(&Turn { joint, axis, degrees: 1.0 }, &model.skeleton);
        assert_eq!([DVec3::X, DVec3::NEG_Z, DVec3::ONE.normalize()].map(verb_of), ["twisting", "bending", "turning"]);
    }

    #[test]
    fn a_clip_contains_its_poses_in_order() {
        let (model, joint) = cylinder();
        let poses = [0.0, 40.0, -30.0].map(|degrees| {
            let mut local = LocalPose::default();
            rest(&model.skeleton, &mut local);
            Turn { joint, axis: DVec3::Y, degrees }.apply(&mut local);
            local
        });
        let clip = clip_of("sweep", &poses, 0.1);
        assert_eq!((clip.duration, clip.frame_rate), (0.2, Some(10.0)));
        let mut shown = LocalPose::default();
        for (number, pose) in poses.iter().enumerate() {
            sample(&model.skeleton, &clip, number as f64 * 0.1, &mut shown);
            assert!(shown.0[1].rotation.angle_between(pose.0[1].rotation) < 1e-12, "{number}");
        }
    }
}
