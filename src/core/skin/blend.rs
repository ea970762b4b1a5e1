//! Linear blending and dual quaternions, mixed by a factor per vertex.

use super::dqs::{DualQuat, blended};
use super::linear::{push_frame, unit_normal, weighted_sum};
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::{DAffine3, DVec3};

/// Share of dual quaternions for vertices without [`Mesh::blend`].
pub const BLEND: f32 = 0.5;

/// Computes `p = (1 - f) * sum_i w_i * skin[j_i] * v + f * D v`; likewise for normals, which are then normalised.
pub(super) fn skin(mesh: &Mesh, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let duals: Vec<DualQuat> = palette.iter().map(DualQuat::from_affine).collect();
    for vertex in 0..mesh.vertex_count() {
        let influences = mesh.influences_of(vertex);
        let (sum, unit) = (weighted_sum(palette, influences), blended(influences, &duals));
        let factor = f64::from(mesh.blend.get(vertex).copied().unwrap_or(BLEND));
        let position = mesh.positions[vertex].as_dvec3();
        let position = sum.transform_point3(position).lerp(unit.transform_point3(position), factor);
        let turned = |direction: DVec3| (sum.matrix3 * direction).lerp(unit.real * direction, factor);
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
    /// cos(60 degrees) of its radius, dual quaternions all of it, both turned by 60 degrees. So the mix leaves one half
    /// plus half of the factor.
    #[test]
    fn the_factor_goes_from_linear_to_dual_quaternions() {
        let cylinder = Cylinder::new(Shape::USUAL);
        let pose = cylinder.turned(DQuat::from_rotation_x(120_f64.to_radians()));
        for factor in [None, Some(0.0), Some(0.25), Some(1.0)] {
            let mut mesh = cylinder.mesh.clone();
            mesh.blend = factor.map_or(Vec::new(), |factor| vec![factor; mesh.vertex_count()]);
            let prepared = Prepared::new(MethodId::Blend, &cylinder.skeleton, &mesh, &[], None).unwrap();
            let found = Skinned::reference(&prepared, TimedPose { pose: &pose, time: 0.0 });
            for vertex in cylinder.ring(cylinder.rings() / 2) {
                let expected = 0.5 + 0.5 * f64::from(factor.unwrap_or(BLEND));
                let radius = found.positions[vertex].y.hypot(found.positions[vertex].z);
                assert!((radius - expected).abs() < 1e-6, "{factor:?}: {radius}");
                let out = DVec3::new(0.0, found.positions[vertex].y, found.positions[vertex].z).normalize();
                assert!(found.normals[vertex].distance(out) < 1e-6, "{factor:?}");
            }
        }
    }
}
