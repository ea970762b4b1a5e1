//! Dual quaternions without bulging, and the bones that limit them.

use super::meshes as testing;
use bindpose_core::model::{BindJoint, Mesh, Transform};
use bindpose_core::skin::{Data, MethodId, Prepared, Unavailable};
use glam::{DAffine3, DQuat, DVec3, Vec3};

/// A bent tube of radius 1 whose bones are its axis before and after the joint. On the outside of the bend dual
/// quaternions are farther away than 1. Elsewhere nothing changes.
#[test]
fn the_outside_of_a_bend_keeps_its_distance() {
    let (skeleton, bind, tube) = testing::tube(2.0, 1.25, 16, 12);
    let angle = 2.0_f64;
    let pose = testing::turned(&skeleton, &[(1, DQuat::from_rotation_z(angle))]);
    let dqs = testing::run(MethodId::Dqs, &skeleton, &tube, &pose);
    let out = testing::run(MethodId::BulgeFreeDqs, &skeleton, &tube, &pose);
    let joint = bind.0[1].translation;
    // In the xy plane the near half of the axis ends at the joint, and the far half starts there.
    let beyond = DVec3::new(angle.cos(), angle.sin(), 0.0);
    let mut pulled_back = 0;
    for vertex in 0..tube.vertex_count() {
        let far = tube.influences_of(vertex).iter().filter(|it| it.slot == 1).map(|it| it.weight).sum::<f32>();
        let foot = |point: DVec3| {
            if far > 0.5 {
                joint + beyond * (point - joint).dot(beyond).max(0.0)
            } else {
                DVec3::X * point.x.clamp(0.0, joint.x)
            }
        };
        let at_rest = tube.positions[vertex].as_dvec3();
        let at_rest = at_rest.distance(DVec3::X * at_rest.x);
        let (before, after) = (dqs.positions[vertex], out.positions[vertex]);
        let expected = if before.distance(foot(before)) > at_rest {
            pulled_back += usize::from(before.distance(foot(before)) > 1.05 * at_rest);
            foot(before) + (before - foot(before)).normalize_or_zero() * at_rest
        } else {
            before
        };
        assert!(after.distance(expected) < 1e-6, "vertex {vertex}: {after} instead of {expected}, dqs {before}");
        assert!(after.distance(foot(after)) < 1.0 + 1e-6, "vertex {vertex}");
    }
    assert!(pulled_back > 20, "{pulled_back}");
    assert_eq!(out.normals, dqs.normals);
}

/// The bind pose of a joint that moves another mesh counts, not its rest pose, unless the two meshes differ in the
/// bind pose of a joint.
#[test]
fn bones_are_those_of_all_meshes() {
    let (skeleton, rest) = testing::chain(2, 3.0);
    let bound = |joint: usize, x: f64| BindJoint {
        joint: skeleton.id(joint).unwrap(),
        inverse_bind: DAffine3::from_translation(DVec3::NEG_X * x),
    };
    let mesh = |bind: Vec<BindJoint>| {
        let mesh = testing::mesh(&skeleton, &rest, &[(Vec3::Y, &[(0, 1.0)])], Vec::new());
        Mesh { bind, ..mesh }
    };
    for (other, end) in [(vec![bound(1, 5.0)], 5.0), (vec![bound(1, 5.0), bound(0, 1.0)], 3.0)] {
        let meshes = [mesh(vec![bound(0, 0.0)]), mesh(other)];
        let prepared = Prepared::all(MethodId::BulgeFreeDqs, &skeleton, &meshes, &[], None).unwrap();
        let Data::Bones(bones) = &prepared[0].data else { panic!("bones") };
        assert_eq!(bones.of_vertices, [[DVec3::ZERO, DVec3::X * end]]);
    }
}

/// 30,000 vertices of a joint with 5,000 children need 1.5e8 distances. A chain of 20,000 joints at one position
/// needs 2e8.
#[test]
fn meshes_that_need_long_are_refused() {
    let refused = |joints: &[(Option<usize>, Transform)], vertices: usize| {
        let (skeleton, bind) = testing::skeleton(joints);
        let mesh = testing::mesh(&skeleton, &bind, &vec![(Vec3::ZERO, &[(0, 1.0)][..]); vertices], Vec::new());
        Prepared::new(MethodId::BulgeFreeDqs, &skeleton, &mesh, &[], None).err()
    };
    let at = |x: usize| Transform { translation: DVec3::X * x as f64, ..Transform::IDENTITY };
    let star = |rays: usize| (0..=rays).map(|k| (Some(0).filter(|_| k > 0), at(k))).collect::<Vec<_>>();
    let chain = |joints: usize| (0..joints).map(|k| (k.checked_sub(1), at(0))).collect::<Vec<_>>();
    assert_eq!(refused(&star(5_000), 30_000), Some(Unavailable::TooManyDistances));
    assert_eq!(refused(&star(5_000), 3), None);
    assert_eq!(refused(&chain(20_000), 3), Some(Unavailable::TooManyDistances));
    assert_eq!(refused(&chain(2_000), 3), None);
}
