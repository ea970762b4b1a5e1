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

#[cfg(test)]
mod tests {
    use super::super::{MethodId, Prepared, TimedPose};
    use super::*;
    use crate::cylinder::{Cylinder, Shape};
    use glam::DQuat;

    /// A ring half way between both joints, the far joint turned by 120 degrees about the axis. Linear blending leaves
    /// cos(60 degrees) of its radius, dual quaternions all of it, both turned by 60 degrees. So the mix leaves three
    /// quarters.
    #[test]
    fn half_is_linear_and_half_dual_quaternions() {
        let cylinder = Cylinder::new(Shape::USUAL);
        let pose = cylinder.turned(DQuat::from_rotation_x(120_f64.to_radians()));
        let prepared = Prepared::new(MethodId::Blend, &cylinder.skeleton, &cylinder.mesh, &[], None).unwrap();
        let found = Skinned::reference(&prepared, TimedPose { pose: &pose, time: 0.0 });
        let middle = |&vertex: &usize| f64::from(cylinder.mesh.positions[vertex].x) == Shape::USUAL.half;
        for vertex in (0..cylinder.mesh.vertex_count()).filter(middle) {
            let radius = found.positions[vertex].y.hypot(found.positions[vertex].z);
            assert!((radius - 0.75).abs() < 1e-6, "{radius}");
            let out = DVec3::new(0.0, found.positions[vertex].y, found.positions[vertex].z).normalize();
            assert!(found.normals[vertex].distance(out) < 1e-6);
        }
    }
}
