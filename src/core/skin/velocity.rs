//! Velocity skinning (Rohmer et al. 2021): the weighted sum, squashed and dragged by the joints' velocities.

use super::linear::by_palette;
use super::skinned::Skinned;
use super::timed_pose::TimedPose;
use super::unavailable::{MAX_MOTION_KEYS, Unavailable};
use crate::model::{Clip, JointTracks, Mesh, Skeleton};
use crate::pose::{LocalPose, ModelPose, sample};
use glam::{DAffine3, DVec3};

/// Seconds by which a moving part lags behind. For a rotating part, radians at a speed of one skeleton size per second.
pub const DRAG: f64 = 0.05;
/// Growth along the motion at a speed of one skeleton size per second.
pub const SQUASH: f64 = 0.1;
/// Angle beyond which drag by a rotation grows more slowly, in radians, as in the authors' program.
const MOST_DRAGGED: f64 = std::f64::consts::FRAC_PI_6;
/// A joint that moves by more than so many skeleton sizes per second relative to its parent jumps, and has no speed.
const JUMP: f64 = 4.0;
/// Frames per second of clips without a rate.
const USUAL_RATE: f64 = 24.0;

/// A clip that provides velocities.
#[derive(Debug, Clone, PartialEq)]
pub struct Motion {
    skeleton: Skeleton,
    clip: Clip,
    /// Reciprocal diagonal of the box around the joints at rest. 0 without an extent.
    pub per_size: f64,
}

/// Motion of a joint relative to its parent, in model space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointMotion {
    /// Index of the parent.
    pub parent: Option<usize>,
    /// Position of the joint.
    pub position: DVec3,
    /// Linear velocity in units per second.
    pub speed: DVec3,
    /// Angular velocity in radians per second.
    pub turn: DVec3,
    /// Centre of the part that the joint moves.
    pub centre: DVec3,
    /// Unit vector along which a rotation stretches the part. Zero without one.
    pub stretch: DVec3,
    /// Unit vector along which a rotation squeezes the part. Zero without one.
    pub squeeze: DVec3,
}

impl Motion {
    /// Prepares the velocities of a clip.
    pub(super) fn new(skeleton: &Skeleton, clip: &Clip) -> Result<Self, Unavailable> {
        let keys: usize = clip.joints.iter().map(keys).sum();
        if keys > MAX_MOTION_KEYS {
            return Err(Unavailable::TooManyKeys { keys });
        }
        let model = LocalPose::rest(skeleton).to_model(skeleton);
        let places = model.0.iter().map(|joint| joint.translation);
        let (min, max) = places.fold((DVec3::MAX, DVec3::MIN), |(min, max), at| (min.min(at), max.max(at)));
        let size = (max - min).length();
        let per_size = if size.is_finite() && size > 0.0 { size.recip() } else { 0.0 };
        Ok(Self { skeleton: skeleton.clone(), clip: clip.clone(), per_size })
    }

    /// Motions of all joints in a pose at a time of the clip. Velocities are differences over one frame around that
    /// time, within the clip.
    pub fn joints(&self, pose: &ModelPose, time: f64) -> Vec<JointMotion> {
        let half = 0.5 / self.clip.frame_rate.unwrap_or(USUAL_RATE);
        let [start, end] = [time - half, time + half].map(|time| time.clamp(0.0, self.clip.duration.max(0.0)));
        let per_second = if end > start { (end - start).recip() } else { 0.0 };
        let (mut before, mut after) = (LocalPose::default(), LocalPose::default());
        sample(&self.skeleton, &self.clip, start, &mut before);
        sample(&self.skeleton, &self.clip, end, &mut after);
        let centres = self.centres(pose);
        let joints = self.skeleton.joints().iter().zip(pose.0.iter().zip(centres)).zip(before.0.iter().zip(&after.0));
        joints
            .map(|((joint, (posed, centre)), (before, after))| {
                let parent = joint.parent.map(|parent| parent.index());
                let to_model = |vector: DVec3| parent.map_or(vector, |parent| pose.0[parent].matrix3 * vector);
                let speed = to_model(after.translation - before.translation) * per_second;
                let speed = if speed.length() * self.per_size > JUMP { DVec3::ZERO } else { speed };
                let turned = after.rotation * before.rotation.inverse();
                let turned = if turned.w < 0.0 { -turned } else { turned };
                let turn = to_model(turned.to_scaled_axis()) * per_second;
                let along = (centre - posed.translation).normalize_or_zero();
                // A rotation about the limb's own axis stretches nothing.
                let across = along.cross(turn.normalize_or_zero());
                let stretch = if across.length() < 1e-2 { DVec3::ZERO } else { across.normalize() };
                let (position, squeeze) = (posed.translation, along.cross(stretch));
                JointMotion { parent, position, speed, turn, centre, stretch, squeeze }
            })
            .collect()
    }

    /// Returns the mean position of the joints below each joint; half a bone beyond a joint without children.
    fn centres(&self, pose: &ModelPose) -> Vec<DVec3> {
        let joints = self.skeleton.joints();
        let mut below = vec![(DVec3::ZERO, 0.0); joints.len()];
        for (index, joint) in joints.iter().enumerate().rev() {
            if let Some(parent) = joint.parent {
                let (sum, count) = below[index];
                let above = &mut below[parent.index()];
                *above = (above.0 + sum + pose.0[index].translation, above.1 + count + 1.0);
            }
        }
        let centre = |(index, (sum, count)): (usize, &(DVec3, f64))| {
            let own = pose.0[index].translation;
            match joints[index].parent {
                _ if *count > 0.0 => *sum / *count,
                Some(parent) => own + 0.5 * (own - pose.0[parent.index()].translation),
                None => own,
            }
        };
        below.iter().enumerate().map(centre).collect()
    }
}

/// Returns the number of a joint's keys.
fn keys(tracks: &JointTracks) -> usize {
    match tracks {
        JointTracks::Parts { translation, rotation, scale } => {
            let vectors = [translation, scale].into_iter().flatten().map(|track| track.values.len());
            vectors.sum::<usize>() + rotation.as_ref().map_or(0, |track| track.values.len())
        }
        JointTracks::Whole { keys, .. } => keys.values.len(),
    }
}

/// Returns the displacement of a point by squash and drag of one joint.
fn displacement(joint: &JointMotion, point: DVec3, per_size: f64) -> DVec3 {
    let mut moved = -DRAG * joint.speed;
    if let Some(along) = joint.speed.try_normalize() {
        let growth = 1.0 + SQUASH * joint.speed.length() * per_size;
        let from = point - joint.centre;
        let part = from.project_onto_normalized(along);
        moved += (growth - 1.0) * part + (growth.sqrt().recip() - 1.0) * (from - part);
    }
    if let Some(axis) = joint.turn.try_normalize() {
        let from = point - joint.position;
        let speed = joint.turn.cross(from).length() * per_size;
        let across = from.reject_from_normalized(axis);
        let angle = DRAG * speed;
        let angle = if angle > MOST_DRAGGED { MOST_DRAGGED + (angle - MOST_DRAGGED) / speed } else { angle };
        let (sin, cos) = (-angle).sin_cos();
        moved += (cos - 1.0) * across + sin * axis.cross(across);
        let growth = 1.0 + SQUASH * speed;
        moved += joint.stretch * (joint.stretch.dot(from) * (growth - 1.0));
        moved += joint.squeeze * (joint.squeeze.dot(from) * (growth.recip() - 1.0));
    }
    moved
}

/// Adds displacements to the weighted sum: by weight, those of the joints of each influence and of all their ancestors.
/// Without a motion the result is the weighted sum.
pub(super) fn skin(
    mesh: &Mesh,
    motion: Option<&Motion>,
    TimedPose { pose, time }: TimedPose<'_>,
    palette: &[DAffine3],
    out: &mut Skinned,
) {
    by_palette(mesh, pose, palette, out);
    let Some(motion) = motion else { return };
    let joints = motion.joints(pose, time);
    for (vertex, position) in out.positions.iter_mut().enumerate() {
        let point = *position;
        for influence in mesh.influences_of(vertex) {
            let mut next = Some(mesh.bind[influence.slot as usize].joint.index());
            while let Some(joint) = next {
                *position += f64::from(influence.weight) * displacement(&joints[joint], point, motion.per_size);
                next = joints[joint].parent;
            }
        }
    }
}
