//! Preparation of a mesh for a method, and the reference of any method.

use super::corrections::Example;
use super::cost::Reduced;
use super::influences::as_seen_by;
use super::method::{PrepareInput, Prepared};
use super::methods::MethodId;
use super::rotation::{RIGID, rigidity_error};
use super::skinned::{Skinned, palette};
use super::timed_pose::TimedPose;
use super::unavailable::Unavailable;
use crate::model::{Clip, Mesh, Skeleton};
use crate::pose::ModelPose;
use glam::DAffine3;

impl Prepared {
    /// Prepares all meshes of a model for `method`, one entry per mesh: `cor`, `ddm` and `bulge-free-dqs` see one surface.
    /// `clip` will be shown; only `morph` requires it. `examples` are for methods that [use
    /// them](super::JointData::has_examples).
    ///
    /// # Errors
    ///
    /// [`Unavailable`] if `morph` has no clip, or the method would need too much time or memory for these meshes.
    pub fn all(
        method: MethodId,
        skeleton: &Skeleton,
        meshes: &[Mesh],
        examples: &[Example],
        clip: Option<&Clip>,
    ) -> Result<Vec<Self>, Unavailable> {
        let method = method.method();
        let mut reduced: Vec<Reduced> = meshes.iter().map(|mesh| as_seen_by(method, mesh)).collect();
        let data = (method.prepare)(&PrepareInput { skeleton, examples, clip }, &mut reduced)?;
        let prepared = |(Reduced { mesh, cost }, data)| Self { method, mesh, cost, data };
        Ok(reduced.into_iter().zip(data).map(prepared).collect())
    }

    /// Prepares a mesh by itself, as [`Prepared::all`] does.
    ///
    /// # Errors
    ///
    /// As [`Prepared::all`].
    pub fn new(
        method: MethodId,
        skeleton: &Skeleton,
        mesh: &Mesh,
        examples: &[Example],
        clip: Option<&Clip>,
    ) -> Result<Self, Unavailable> {
        let mut all = Self::all(method, skeleton, std::slice::from_ref(mesh), examples, clip)?;
        Ok(all.swap_remove(0))
    }
}

/// Computes the vertices that the method must produce, in f64: the weighted sum for linear methods, their own formula
/// for others.
///
/// `out` gets one entry per vertex of the mesh. Panics if the pose lacks a joint of the mesh.
pub fn reference(prepared: &Prepared, at: TimedPose<'_>, out: &mut Skinned) {
    let mut entries: Vec<DAffine3> = Vec::new();
    palette(&prepared.mesh, at.pose, &mut entries);
    (prepared.method.formula)(prepared, at, &entries, out);
}

impl Skinned {
    /// Computes the vertices as [`reference()`] does.
    pub fn reference(prepared: &Prepared, at: TimedPose<'_>) -> Self {
        let mut out = Self::default();
        reference(prepared, at, &mut out);
        out
    }
}

/// Returns the number of bind joints with scale or shear in a pose. Methods with quaternions and vectors cannot show
/// these.
pub fn joints_that_are_not_rigid(mesh: &Mesh, pose: &ModelPose) -> usize {
    let entry = |bound: &crate::model::BindJoint| pose.0[bound.joint.index()] * bound.inverse_bind;
    mesh.bind.iter().filter(|bound| rigidity_error(&entry(bound)) > RIGID).count()
}
