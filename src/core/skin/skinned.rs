//! Output of skinning, and palettes.

use crate::model::Mesh;
use crate::pose::ModelPose;
use glam::{DAffine3, DVec3};

/// Skinned vertices in model space: output buffers with one entry per vertex of the mesh.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Skinned {
    /// Positions in model units.
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

/// Computes `palette[s] = model[bind[s].joint] * inverse_bind[s]`, which maps the bind pose's model space to that of
/// the pose; one entry per bind joint of the mesh. Panics if `pose` lacks a joint of the mesh.
pub fn palette(mesh: &Mesh, pose: &ModelPose, palette: &mut Vec<DAffine3>) {
    palette.clear();
    palette.extend(mesh.bind.iter().map(|bound| pose.0[bound.joint.index()] * bound.inverse_bind));
}
