//! Joints turned on purpose: poses that no clip has, and what a method leaves of the thickness there.

use crate::player::paint;
use bindpose_core::model::{Clip, Interpolation, JointId, JointTracks, Model, Skeleton, Timeline, TimelineId, Track};
use bindpose_core::pose::{LocalPose, ModelPose};
use glam::{DQuat, DVec3, Vec3};

/// A turn of one joint about one of its own axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// The joint.
    pub joint: JointId,
    /// Joint space, unit length.
    pub axis: DVec3,
    /// How far, counter-clockwise seen from the axis' end.
    pub degrees: f64,
}

impl Turn {
    /// Turns the joint out of a pose: `local = local * turn`.
    pub fn apply(&self, local: &mut LocalPose) {
        if let Some(joint) = local.0.get_mut(self.joint.index()) {
            joint.rotation *= DQuat::from_axis_angle(self.axis, self.degrees.to_radians());
        }
    }

    /// What a person would call it: about the bone it is a twist, across it a bend.
    pub fn verb(&self, skeleton: &Skeleton) -> &'static str {
        let along = bone(skeleton, self.joint).map_or(0.5, |bone| bone.dot(self.axis).abs());
        if along > 0.85 {
            "twisting"
        } else if along < 0.35 {
            "bending"
        } else {
            "turning"
        }
    }
}

/// Where a joint's bone goes, joint space, unit length: to the middle of its children, else on from its parent.
fn bone(skeleton: &Skeleton, joint: JointId) -> Option<DVec3> {
    let children = skeleton.joints().iter().filter(|child| child.parent == Some(joint));
    let sum: DVec3 = children.map(|child| child.rest_local.translation).sum();
    let own = &skeleton[joint].rest_local;
    sum.try_normalize().or_else(|| (own.rotation.inverse() * own.translation).try_normalize())
}

/// Poses as a clip, one every `interval` seconds.
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

/// The vertices that a turn pulls both ways, and how far each was from the axis before.
///
/// Those that follow the joint keep that distance as it turns, and so do those that stay: what a method takes away from
/// it is thickness lost to blending.
#[derive(Debug, Clone, PartialEq)]
pub struct Seam {
    /// Model space, a point of the axis.
    origin: DVec3,
    /// Model space, unit length.
    axis: DVec3,
    /// Mesh, vertex, distance from the axis before the turn.
    vertices: Vec<(usize, usize, f64)>,
}

/// A vertex belongs to the seam if the turned joints have at least this share of its weight, and the others too.
const BLENDED: f32 = 0.05;
/// Vertices nearer to the axis than this share of the farthest one's distance say nothing about thickness.
const NEAR_THE_AXIS: f64 = 0.25;

impl Seam {
    /// The seam of a turn out of the pose `before`; `None` if no vertex is pulled both ways.
    pub fn new(model: &Model, before: &ModelPose, turn: &Turn) -> Option<Self> {
        let joint = before.0.get(turn.joint.index())?;
        let (origin, axis) = (joint.translation, joint.transform_vector3(turn.axis).try_normalize()?);
        let turned = below(&model.skeleton, turn.joint);
        let positions = paint::linear_positions(model, before);
        let mut vertices = Vec::new();
        for (number, mesh) in model.meshes.iter().enumerate() {
            let is_turned = |slot: u32| mesh.bind.get(slot as usize).is_some_and(|bound| turned[bound.joint.index()]);
            for (vertex, position) in positions[number].iter().enumerate() {
                let influences = mesh.influences_of(vertex);
                let whole: f32 = influences.iter().map(|influence| influence.weight).sum();
                let of_turned = influences.iter().filter(|influence| is_turned(influence.slot));
                let share = of_turned.map(|influence| influence.weight).sum::<f32>() / whole;
                if (BLENDED..=1.0 - BLENDED).contains(&share) {
                    vertices.push((number, vertex, from_axis(*position, origin, axis)));
                }
            }
        }
        let farthest = vertices.iter().map(|&(_, _, distance)| distance).fold(0.0, f64::max);
        vertices.retain(|&(_, _, distance)| distance > NEAR_THE_AXIS * farthest);
        (!vertices.is_empty()).then_some(Self { origin, axis, vertices })
    }

    /// What is left of the distance from the axis where most is lost: 1 if nothing is, 0 at a point on the axis.
    /// `positions` of each mesh's vertices, model space.
    pub fn thickness(&self, positions: &[Vec<Vec3>]) -> f64 {
        let left = self
            .vertices
            .iter()
            .map(|&(mesh, vertex, before)| from_axis(positions[mesh][vertex], self.origin, self.axis) / before);
        left.fold(1.0, f64::min)
    }
}

fn from_axis(position: Vec3, origin: DVec3, axis: DVec3) -> f64 {
    (position.as_dvec3() - origin).reject_from_normalized(axis).length()
}

/// For each joint whether it is `top` or hangs below it.
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

    /// A blend of equal parts of a point and the point turned by `a` lies at cos(a/2) of its distance from the axis.
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

    #[test]
    fn a_turn_about_the_bone_twists_and_one_across_bends() {
        let (model, joint) = cylinder();
        let verb = |axis| Turn { joint, axis, degrees: 1.0 }.verb(&model.skeleton);
        assert_eq!([DVec3::X, DVec3::NEG_Z, DVec3::ONE.normalize()].map(verb), ["twisting", "bending", "turning"]);
    }

    #[test]
    fn a_clip_shows_its_poses_one_after_the_other() {
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
