//! Preparing a mesh for a method once, and the one door to all references.

use super::corrections::Example;
use super::influences::{Reduced, as_seen_by};
use super::method::{PrepareInput, Prepared, TimedPose, Unavailable};
use super::methods::MethodId;
use super::rotation::{RIGID, rigidity_error};
use super::skinned::{Skinned, palette};
use crate::model::{Clip, Mesh, Skeleton};
use crate::pose::ModelPose;
use glam::DAffine3;

impl Prepared {
    /// Works out once what `method` needs of a mesh; `clip` is the one that will be shown, if any.
    pub fn new(
        method: MethodId,
        skeleton: &Skeleton,
        mesh: &Mesh,
        examples: &[Example],
        clip: Option<&Clip>,
    ) -> Result<Self, Unavailable> {
        let method = method.method();
        let Reduced { mut mesh, mut cost } = as_seen_by(method, mesh);
        let data = (method.prepare)(&PrepareInput { skeleton, examples, clip }, &mut mesh, &mut cost)?;
        Ok(Self { method, mesh, cost, data })
    }
}

/// The vertices that the method must produce, in f64, for the mesh as the method sees it.
///
/// For linear methods the weighted sum, for the others their own formula.
pub fn reference(prepared: &Prepared, moment: TimedPose<'_>, out: &mut Skinned) {
    let mut entries: Vec<DAffine3> = Vec::new();
    palette(&prepared.mesh, moment.pose, &mut entries);
    (prepared.method.formula)(prepared, moment, &entries, out);
}

/// Joints of a mesh that do more in a pose than turn and move: methods that hold a joint as a quaternion and a vector
/// cannot show those.
pub fn joints_that_are_not_rigid(mesh: &Mesh, pose: &ModelPose) -> usize {
    let entry = |bound: &crate::model::BindJoint| pose.0[bound.joint.index()] * bound.inverse_bind;
    mesh.bind.iter().filter(|bound| rigidity_error(&entry(bound)) > RIGID).count()
}
