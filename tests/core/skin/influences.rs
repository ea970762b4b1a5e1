//! Influences of vertices as each method sees them.

use super::meshes as testing;
use bindpose_core::model::Mesh;
use bindpose_core::skin::{MethodId, as_seen_by, reduce_influences};
use glam::Vec3;

fn weights_of(mesh: &Mesh, vertex: usize) -> Vec<(u32, f32)> {
    mesh.influences_of(vertex).iter().map(|influence| (influence.slot, influence.weight)).collect()
}

fn mesh(weights: &[&[(u32, f32)]]) -> Mesh {
    let (skeleton, bind) = testing::chain(6, 1.0);
    let vertices: Vec<_> = weights.iter().map(|weights| (Vec3::Y, *weights)).collect();
    testing::mesh(&skeleton, &bind, &vertices, Vec::new())
}

#[test]
fn the_largest_weights_stay_in_the_files_order() {
    let mesh = mesh(&[&[(0, 0.1), (1, 0.2), (2, 0.1), (3, 0.2), (4, 0.4)], &[(0, 0.5), (1, 0.25)]]);
    let reduced = reduce_influences(&mesh, 3);
    let sum = 0.2_f32 + 0.2 + 0.4;
    assert_eq!(weights_of(&reduced.mesh, 0), [(1, 0.2 / sum), (3, 0.2 / sum), (4, 0.4 / sum)]);
    assert_eq!(weights_of(&reduced.mesh, 1), [(0, 0.5), (1, 0.25)], "within the limit: as written");
    assert_eq!((reduced.cost.reduced_vertices, reduced.cost.dropped_influences), (1, 2));
    // Among equal weights the first stays.
    assert_eq!(weights_of(&reduce_influences(&mesh, 2).mesh, 0), [(1, 0.2_f32 / 0.6), (4, 0.4_f32 / 0.6)]);
}

#[test]
fn implied_weights_are_divided_and_counted() {
    let mesh = mesh(&[&[(0, 0.5), (1, 0.25)], &[(1, 1.0)], &[], &[(2, 0.5), (3, -0.5)]]);
    let seen = as_seen_by(MethodId::MatrixBlend.method(), &mesh);
    assert_eq!(seen.cost.divided_vertices, 3);
    let third = 0.25_f32 / 0.75;
    assert_eq!(weights_of(&seen.mesh, 0), [(0, 0.5_f32 / 0.75), (1, third)]);
    assert_eq!(weights_of(&seen.mesh, 2), [(0, 1.0)]);
    assert_eq!(weights_of(&seen.mesh, 3), [(2, 1.0)]);
    assert_eq!(weights_of(&as_seen_by(MethodId::Cpu.method(), &mesh).mesh, 0), [(0, 0.5), (1, 0.25)]);
}

#[test]
fn joint_offsets_skips_light_influences() {
    let mesh = mesh(&[&[(0, 0.9), (1, 0.0995), (2, 0.0005)], &[(3, 1.0)]]);
    let seen = as_seen_by(MethodId::JointOffsets.method(), &mesh);
    let sum = 0.9_f32 + 0.0995;
    assert_eq!(weights_of(&seen.mesh, 0), [(0, 0.9 / sum), (1, 0.0995 / sum)]);
    assert_eq!((seen.cost.reduced_vertices, seen.cost.dropped_influences), (1, 1));
    assert_eq!(weights_of(&as_seen_by(MethodId::Gradient.method(), &mesh).mesh, 0)[2], (2, 0.0005));
}

#[test]
fn one_bind_position_replaces_offsets_that_disagree() {
    let mut mesh = mesh(&[&[(0, 0.5), (1, 0.5)]]);
    mesh.influences[1].offset += Vec3::X * 0.5;
    let gradient = as_seen_by(MethodId::Gradient.method(), &mesh).mesh;
    assert_eq!(gradient.influences[1].offset, Vec3::new(-1.0, 1.0, 0.0));
    let joint_offsets = as_seen_by(MethodId::JointOffsets.method(), &mesh).mesh;
    assert_eq!(joint_offsets.influences[1].offset, Vec3::new(-0.5, 1.0, 0.0));
}
