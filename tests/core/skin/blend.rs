//! The mean of linear blending and dual quaternions.

use bindpose_core::cylinder::{Cylinder, Shape};
use bindpose_core::skin::{MethodId, Prepared, Skinned, TimedPose};
use glam::{DQuat, DVec3};

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
