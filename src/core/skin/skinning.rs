//! A method chosen for a whole model.

use super::batch::split;
use super::corrections::Example;
use super::method::{Capacity, Prepared};
use super::methods::MethodId;
use super::prepare::{joints_that_are_not_rigid, reference};
use super::skinned::Skinned;
use super::timed_pose::TimedPose;
use super::unavailable::Unavailable;
use crate::model::{Clip, Model};
use crate::pose::Turn;

/// A method with its examples, and rotations to apply to each pose first.
#[derive(Debug, Clone, PartialEq)]
pub struct Skinning {
    /// Method of skinning.
    pub method: MethodId,
    /// Example poses.
    pub examples: Vec<Example>,
    /// Rotations added to the pose of a clip or the rest pose.
    pub turns: Vec<Turn>,
}

impl Default for Skinning {
    /// Returns the weighted sum over all influences.
    fn default() -> Self {
        Self { method: MethodId::Cpu, examples: Vec::new(), turns: Vec::new() }
    }
}

impl Skinning {
    /// Prepares all meshes of a model. `clip` will be shown. Meshes for a method with a fixed number of joints a batch
    /// are trimmed as their batches are, so that a vertex can occur more than once.
    ///
    /// # Errors
    ///
    /// [`Unavailable`], as [`Prepared::all`].
    pub fn prepare(&self, model: &Model, clip: Option<&Clip>) -> Result<Vec<Prepared>, Unavailable> {
        let mut all = Prepared::all(self.method, &model.skeleton, &model.meshes, &self.examples, clip)?;
        if let Capacity::Always(joints) = self.method.method().capacity {
            all.iter_mut().for_each(|it| it.mesh = split(&it.mesh, Some(joints as usize)).to_mesh(&it.mesh));
        }
        Ok(all)
    }
}

/// Computes [`reference()`] for a pose that may have scaled joints.
///
/// # Errors
///
/// [`Unavailable::Scaled`] if the method does not support them.
pub fn checked_reference(prepared: &Prepared, at: TimedPose<'_>, out: &mut Skinned) -> Result<(), Unavailable> {
    if prepared.method.needs.rigid_joints {
        let joints = joints_that_are_not_rigid(&prepared.mesh, at.pose);
        if joints > 0 {
            return Err(Unavailable::Scaled { joints });
        }
    }
    reference(prepared, at, out);
    Ok(())
}
