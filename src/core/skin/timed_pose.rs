//! A pose as input of skinning.

use crate::pose::ModelPose;

/// A pose and its time.
#[derive(Debug, Clone, Copy)]
pub struct TimedPose<'a> {
    /// Joints in model space.
    pub pose: &'a ModelPose,
    /// Time of the clip in seconds. `morph` uses only this.
    pub time: f64,
}
