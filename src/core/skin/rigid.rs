//! Basic skinning: every vertex follows one joint (article 000 section 2.4.2).

use super::linear::push_frame;
use super::skinned::Skinned;
use crate::model::{Mesh, cofactors};
use crate::pose::ModelPose;
use glam::{DAffine3, DVec3};

/// Computes `p = model[j] * offset` for the heaviest influence, the only one within the method's limit.
pub(super) fn skin(mesh: &Mesh, pose: &ModelPose, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    for vertex in 0..mesh.vertex_count() {
        let Some(influence) = mesh.influences_of(vertex).first() else {
            push_frame(out, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            continue;
        };
        let slot = influence.slot as usize;
        let entry = &palette[slot].matrix3;
        push_frame(
            out,
            pose.0[mesh.bind[slot].joint.index()].transform_point3(influence.offset.as_dvec3()),
            (cofactors(entry) * mesh.normals[vertex].as_dvec3()).normalize_or_zero(),
            *entry * mesh.tangent(vertex).truncate().as_dvec3(),
        );
    }
}
