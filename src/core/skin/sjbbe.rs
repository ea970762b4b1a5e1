//! Spherical joint blending by example (article 000 section 5.3): `sjb` plus a modeller's corrections.

use super::corrections::Corrections;
use super::linear::push_frame;
use super::pivot::turns;
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::DAffine3;

/// Computes `p = Q (v + sum alpha_m d_m - a) + b`, and likewise normals; `mesh` must be sorted as for `sjb`.
pub(super) fn skin(mesh: &Mesh, corrections: &Corrections, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let shares: Vec<_> = corrections.joints.iter().map(|joint| joint.shares(palette)).collect();
    for (vertex, turn) in turns(mesh, palette).enumerate() {
        let mut position = mesh.positions[vertex].as_dvec3();
        let mut normal = mesh.normals[vertex].as_dvec3();
        if let Some(joint) = corrections.support[vertex] {
            for (number, share) in shares[joint as usize].into_iter().enumerate() {
                position += corrections.offsets[vertex][number].as_dvec3() * share;
                normal += corrections.normal_offsets[vertex][number].as_dvec3() * share;
            }
        }
        push_frame(
            out,
            turn.point(position),
            (turn.rotation * normal).normalize_or_zero(),
            turn.rotation * mesh.tangent(vertex).truncate().as_dvec3(),
        );
    }
}
