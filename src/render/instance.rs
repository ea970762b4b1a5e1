//! Copies of a model with their positions and poses.

use bindpose_core::pose::{LocalPose, ModelPose};
use glam::Vec3;

/// A pose in the forms that methods need.
#[derive(Debug, Clone, Copy)]
pub struct PoseRef<'a> {
    /// Joints in model space.
    pub model: &'a ModelPose,
    /// Joints in their parents' spaces, for `gpu-hierarchy`.
    pub local: &'a LocalPose,
    /// Index of the clip, for `morph`.
    pub clip: Option<usize>,
    /// Time in the clip in seconds, for `morph`.
    pub time: f64,
}

/// One copy of the model.
#[derive(Debug, Clone, Copy)]
pub struct Instance<'a> {
    /// Pose.
    pub pose: PoseRef<'a>,
    /// Position in world space.
    pub position: Vec3,
}
