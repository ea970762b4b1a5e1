//! Linear blending and dual quaternions, half of each.

use super::dqs::{DualQuat, blended};
use super::linear::{push_frame, unit_normal, weighted_sum};
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::{DAffine3, DVec3};

/// Share of dual quaternions, `f`. The shader has the same.
const FACTOR: f64 = 0.5;

/// Computes `p = (1 - f) * sum_i w_i * skin[j_i] * v + f * D v`; likewise for normals, which are then normalised.
pub(super) fn skin(mesh: &Mesh, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let duals: Vec<DualQuat> = palette.iter().map(DualQuat::from_affine).collect();
    for vertex in 0..mesh.vertex_count() {
        let influences = mesh.influences_of(vertex);
        let (sum, unit) = (weighted_sum(palette, influences), blended(influences, &duals));
        let position = mesh.positions[vertex].as_dvec3();
        let position = sum.transform_point3(position).lerp(unit.transform_point3(position), FACTOR);
        let turned = |direction: DVec3| (sum.matrix3 * direction).lerp(unit.real * direction, FACTOR);
        let normal = unit_normal(turned(mesh.normals[vertex].as_dvec3()), 1.0);
        push_frame(out, position, normal, turned(mesh.tangent(vertex).truncate().as_dvec3()));
    }
}
