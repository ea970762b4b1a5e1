//! Poses: a clip at a time, from local to model space.
//!
//! Free functions over buffers owned by the caller. Nothing allocates once the buffers have grown to the skeleton's
//! size.
//!
//! ```
//! # extern crate bindpose_core as bindpose;
//! use bindpose::glam::{DQuat, DVec3};
//! use bindpose::model::{Skeleton, Transform};
//! use bindpose::pose::{self, LocalPose, ModelPose};
//!
//! let mut skeleton = Skeleton::new();
//! let upper = skeleton.push("upperarm", None, Transform::IDENTITY);
//! let along_x = Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::X);
//! let lower = skeleton.push("forearm", Some(upper), along_x);
//!
//! let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
//! pose::rest(&skeleton, &mut local); // or pose::sample(&skeleton, &clip, seconds, &mut local)
//! local.0[upper.index()].rotation = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
//! pose::local_to_model(&skeleton, &local, &mut model);
//! assert!(model.0[lower.index()].translation.distance(DVec3::Y) < 1e-12);
//! ```

use crate::model::{
    BindJoint, Clip, Interpolation, JointId, JointTracks, Skeleton, Timeline, TimelineId, Track, Transform, slerp,
};
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// One transform per joint, to its parent's space, in the skeleton's order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LocalPose(pub Vec<Transform>);

/// One affine map per joint, from joint to model space: `model[j] = model[parent(j)] * local[j]`.
///
/// A rotated child of a non-uniformly scaled parent is sheared. A scale per joint in model space could not represent
/// that.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelPose(pub Vec<DAffine3>);

impl LocalPose {
    /// Creates the skeleton's rest pose.
    pub fn rest(skeleton: &Skeleton) -> Self {
        let mut local = Self::default();
        rest(skeleton, &mut local);
        local
    }

    /// Creates the pose of a clip at `time` as [`sample`] does. Without a clip, it is the rest pose.
    pub fn of_clip(skeleton: &Skeleton, clip: Option<&Clip>, time: f64) -> Self {
        let Some(clip) = clip else { return Self::rest(skeleton) };
        let mut local = Self::default();
        sample(skeleton, clip, time, &mut local);
        local
    }

    /// Creates the pose in model space as [`local_to_model`] does. Loops use that, which keeps the memory.
    ///
    /// # Panics
    ///
    /// If there is not one transform per joint.
    pub fn to_model(&self, skeleton: &Skeleton) -> ModelPose {
        let mut model = ModelPose::default();
        local_to_model(skeleton, self, &mut model);
        model
    }
}

/// Writes the skeleton's rest pose.
pub fn rest(skeleton: &Skeleton, local: &mut LocalPose) {
    local.0.clear();
    local.0.extend(skeleton.joints().iter().map(|joint| joint.rest_local));
}

/// Writes the pose of `clip` at `time` (seconds), clamped to the first and the last key.
///
/// Translations, scales and shears are interpolated linearly, rotations by [`slerp`]. Joints or components without keys
/// get the rest pose, and so do joints beyond the clip's tracks. Tracks beyond the skeleton's joints are ignored.
/// [`crate::play`] wraps looping times.
pub fn sample(skeleton: &Skeleton, clip: &Clip, time: f64, local: &mut LocalPose) {
    rest(skeleton, local);
    let mut cursor = Cursors::new(&clip.timelines, time);
    for (tracks, local) in clip.joints.iter().zip(&mut local.0) {
        match tracks {
            JointTracks::Parts { translation, rotation, scale } => {
                if translation.is_some() || rotation.is_some() || scale.is_some() {
                    // Keys replace the rest pose, and have no shear.
                    local.shear = DVec3::ZERO;
                }
                if let Some(value) = translation.as_ref().and_then(|keys| cursor.read(keys, DVec3::lerp)) {
                    local.translation = value;
                }
                if let Some(value) = rotation.as_ref().and_then(|keys| cursor.read(keys, slerp)) {
                    local.rotation = value;
                }
                if let Some(value) = scale.as_ref().and_then(|keys| cursor.read(keys, DVec3::lerp)) {
                    local.scale = value;
                }
            }
            JointTracks::Whole { keys, between } => {
                let between = match between {
                    Interpolation::Parts => Transform::lerp,
                    Interpolation::Elements => lerp_matrix_elements,
                    Interpolation::DualQuaternions => lerp_dual_quaternions,
                };
                if let Some(value) = cursor.read(keys, between) {
                    *local = value;
                }
            }
        }
    }
}

/// Interpolates every matrix element linearly.
fn lerp_matrix_elements(from: Transform, to: Transform, share: f64) -> Transform {
    if share <= 0.0 {
        return from;
    }
    let (from, to) = (from.to_affine(), to.to_affine());
    Transform::from_affine(DAffine3 {
        matrix3: DMat3::from_cols(
            from.matrix3.x_axis.lerp(to.matrix3.x_axis, share),
            from.matrix3.y_axis.lerp(to.matrix3.y_axis, share),
            from.matrix3.z_axis.lerp(to.matrix3.z_axis, share),
        ),
        translation: from.translation.lerp(to.translation, share),
    })
}

/// Interpolates the dual quaternions of two rigid keys linearly, with equal signs. Divides by the length of the real
/// part.
pub(crate) fn lerp_dual_quaternions(from: Transform, to: Transform, share: f64) -> Transform {
    let dual = |key: Transform| {
        let DVec3 { x, y, z } = key.translation;
        DQuat::from_xyzw(x, y, z, 0.0) * key.rotation * 0.5
    };
    let share_of_to = if from.rotation.dot(to.rotation) < 0.0 { -share } else { share };
    let real = from.rotation * (1.0 - share) + to.rotation * share_of_to;
    let dual = dual(from) * (1.0 - share) + dual(to) * share_of_to;
    // With equal signs, the two are never opposite.
    let translation = (dual * real.conjugate()).xyz() * (2.0 / real.length_squared());
    Transform::from_rotation_translation(real.normalize(), translation)
}

/// Key search by time, which caches the result of the last timeline.
struct Cursors<'a> {
    timelines: &'a [Timeline],
    time: f64,
    /// Timeline, index of the key at or before the time, and share of the next key.
    last: Option<(TimelineId, usize, f64)>,
}

impl<'a> Cursors<'a> {
    fn new(timelines: &'a [Timeline], time: f64) -> Self {
        Self { timelines, time, last: None }
    }

    fn read<T: Copy>(&mut self, track: &Track<T>, between: impl Fn(T, T, f64) -> T) -> Option<T> {
        if let [constant] = track.values[..] {
            return Some(constant);
        }
        let (key, share) = match self.last {
            Some((timeline, key, share)) if timeline == track.timeline => (key, share),
            _ => {
                let times = self.timelines.get(track.timeline.0 as usize)?.times();
                let (key, share) = key_before(times, self.time);
                self.last = Some((track.timeline, key, share));
                (key, share)
            }
        };
        let from = *track.values.get(key)?;
        match track.values.get(key + 1) {
            Some(&to) if share > 0.0 => Some(between(from, to, share)),
            _ => Some(from),
        }
    }
}

/// Returns the index of the last key at or before `time`, and the share of the next key; clamped to the ends.
pub(crate) fn key_before(times: &[f64], time: f64) -> (usize, f64) {
    let after = times.partition_point(|&key| key <= time);
    let Some(key) = after.checked_sub(1) else { return (0, 0.0) };
    match times.get(after) {
        Some(next) => (key, (time - times[key]) / (next - times[key])),
        None => (key, 0.0),
    }
}

/// Writes the joints in model space. Parents precede their children, so one loop suffices.
///
/// # Panics
///
/// If `local` does not have one transform per joint.
pub fn local_to_model(skeleton: &Skeleton, local: &LocalPose, model: &mut ModelPose) {
    assert_eq!(local.0.len(), skeleton.len(), "a pose of this skeleton");
    model.0.clear();
    for (joint, local) in skeleton.joints().iter().zip(&local.0) {
        let local = local.to_affine();
        model.0.push(match joint.parent {
            Some(parent) => model.0[parent.index()] * local,
            None => local,
        });
    }
}

/// Returns the pose in which meshes with these joints were bound, in model space. The first finite inverse bind matrix of a
/// joint counts; joints without one are at rest, relative to their parent.
///
/// # Panics
///
/// If the skeleton lacks one of the joints.
pub fn bind_pose<'m>(skeleton: &Skeleton, bind: impl IntoIterator<Item = &'m BindJoint>) -> ModelPose {
    let mut bound = vec![None; skeleton.len()];
    for it in bind {
        let known = &mut bound[it.joint.index()];
        *known = known.or(Some(it.inverse_bind.inverse()).filter(DAffine3::is_finite));
    }
    let mut pose: Vec<DAffine3> = Vec::with_capacity(skeleton.len());
    for (joint, bound) in skeleton.joints().iter().zip(bound) {
        let parent = joint.parent.map_or(DAffine3::IDENTITY, |parent| pose[parent.index()]);
        pose.push(bound.unwrap_or_else(|| parent * joint.rest_local.to_affine()));
    }
    ModelPose(pose)
}

/// Blends `other` into `pose`: `share` 0 keeps `pose`, 1 replaces it. `mask` scales the share per joint (torso, legs).
///
/// Translation, scale and shear are blended linearly, rotation by [`slerp`]. Shares are clamped to 0 to 1. Joints
/// beyond the mask or the shorter pose stay unchanged.
pub fn blend(pose: &mut LocalPose, other: &LocalPose, share: f64, mask: Option<&[f64]>) {
    for (joint, (local, other)) in pose.0.iter_mut().zip(&other.0).enumerate() {
        let share = share * mask.map_or(1.0, |mask| mask.get(joint).copied().unwrap_or(0.0));
        *local = local.lerp(*other, share.clamp(0.0, 1.0));
    }
}

/// Rotation of one joint about one of its own axes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Joint that is rotated.
    pub joint: JointId,
    /// Unit vector in joint space.
    pub axis: DVec3,
    /// Angle in degrees, counter-clockwise seen from the tip of the axis.
    pub degrees: f64,
}

impl Turn {
    /// Rotates the joint in a pose: `local = local * turn`.
    pub fn apply(&self, local: &mut LocalPose) {
        if let Some(joint) = local.0.get_mut(self.joint.index()) {
            joint.rotation *= DQuat::from_axis_angle(self.axis, self.degrees.to_radians());
        }
    }
}

/// Treatment of the root joints' translation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RootMotion {
    /// Roots move as in the clip and restart with every loop.
    #[default]
    Keep,
    /// Roots stay at their start, so the model walks on the spot.
    Remove,
}

impl RootMotion {
    /// All modes, in display order.
    pub const ALL: [Self; 2] = [Self::Keep, Self::Remove];

    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Keep => "kept",
            Self::Remove => "in place",
        }
    }

    /// Returns the description for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Keep => "as in the clip, restarting with every loop",
            Self::Remove => "the model moves on the spot",
        }
    }
}

/// Applies `motion` to a pose sampled from `clip`. `start` is the time at which each loop starts, in seconds.
pub fn apply_root_motion(skeleton: &Skeleton, clip: &Clip, start: f64, motion: RootMotion, pose: &mut LocalPose) {
    if motion == RootMotion::Keep {
        return;
    }
    let roots = skeleton.joints().iter().zip(&clip.joints).zip(&mut pose.0).filter(|((j, _), _)| j.parent.is_none());
    for ((joint, tracks), local) in roots {
        local.translation = root_translation(clip, tracks, start).unwrap_or(joint.rest_local.translation);
    }
}

fn root_translation(clip: &Clip, tracks: &JointTracks, time: f64) -> Option<DVec3> {
    let mut cursor = Cursors::new(&clip.timelines, time);
    match tracks {
        JointTracks::Parts { translation, .. } => cursor.read(translation.as_ref()?, DVec3::lerp),
        JointTracks::Whole { keys, .. } => cursor.read(keys, Transform::lerp).map(|key| key.translation),
    }
}

/// Computes a joint's transform in its parent's space from both model-space transforms. `parent_model` is `None` for a
/// root.
pub fn model_to_local(parent_model: Option<DAffine3>, model: DAffine3) -> Transform {
    Transform::from_affine(parent_model.map_or(model, |parent| parent.inverse() * model))
}

/// Returns the rotation of a rigid map as a unit quaternion.
pub fn rotation_of(model: &DAffine3) -> DQuat {
    DQuat::from_mat3(&model.matrix3).normalize()
}
