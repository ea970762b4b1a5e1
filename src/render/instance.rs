//! A model's copies: where each stands, and in which pose.

use bindpose_core::pose::{LocalPose, ModelPose};
use glam::Vec3;

/// A moment of a model, as the methods need it.
#[derive(Debug, Clone, Copy)]
pub struct PoseRef<'a> {
    /// The joints in model space.
    pub model: &'a ModelPose,
    /// The joints in their parents' spaces, for `gpu-hierarchy`.
    pub local: &'a LocalPose,
    /// Which of the model's clips it is a moment of, for `morph`.
    pub clip: Option<usize>,
    /// Seconds into the clip, for `morph`.
    pub time: f64,
}

/// One copy of the model.
#[derive(Debug, Clone, Copy)]
pub struct Instance<'a> {
    /// Its pose.
    pub pose: PoseRef<'a>,
    /// Where it stands, world space.
    pub position: Vec3,
}
