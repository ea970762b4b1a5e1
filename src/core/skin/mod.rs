//! From a pose and a mesh to vertices: the CPU references that every GPU method is compared with.
//!
//! Palette: `skin[s] = model[bind[s].joint] * inverse_bind[s]`. One method per file.

mod batch;
mod cor;
mod dqs;
mod influences;
mod limits;
mod linear;
mod methods;
mod morph;
mod pack;
mod pivot;
mod prepare;
mod rbf;
mod rigid;
mod rotation;
mod sbs;
mod sjb;
mod sjbbe;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use batch::{Batch, Split, split};
pub use cor::centres_of_rotation;
pub use dqs::DualQuat;
pub use influences::{Reduced, as_seen_by, reduce_influences};
pub use limits::{GL2_REGISTERS, LIMITS, Limits, RESERVED_REGISTERS, UnknownLimits};
pub use linear::{linear, linear_f32, linear_joint_normals};
pub use methods::{
    ARTICLES, Capacity, JointData, METHODS, Method, MethodId, Needs, Normals, Reference, SkinningStage, UnknownMethod,
    VertexLayout, Weights,
};
pub use morph::{MOST_BYTES, MorphFrame, MorphFrames};
pub use prepare::{
    Cost, Data, Formula, Prepare, PrepareInput, Prepared, TimedPose, Unavailable, joints_that_are_not_rigid, reference,
};
pub use rotation::{RIGID, rigidity_error, rotation};
pub use sbs::JointSets;
pub use sjbbe::{CorrectedJoint, Corrections, Example, ExampleError, ExampleMesh, MOST_EXAMPLES};

use crate::model::Mesh;
use crate::pose::ModelPose;
use glam::{DAffine3, DVec3};

/// Skinned vertices in model space: the output buffers of a reference, one entry per vertex of the mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skinned {
    /// Positions, model units.
    pub positions: Vec<DVec3>,
    /// Unit normals.
    pub normals: Vec<DVec3>,
    /// Unit tangents, perpendicular to the normals.
    pub tangents: Vec<DVec3>,
}

impl Skinned {
    /// Empties the buffers, keeping their memory.
    pub fn clear(&mut self) {
        self.positions.clear();
        self.normals.clear();
        self.tangents.clear();
    }
}

/// `palette[s] = model[bind[s].joint] * inverse_bind[s]`: model space of the pose from model space of the bind pose.
pub fn palette(mesh: &Mesh, pose: &ModelPose, palette: &mut Vec<DAffine3>) {
    palette.clear();
    palette.extend(mesh.bind.iter().map(|bound| pose.0[bound.joint.index()] * bound.inverse_bind));
}
