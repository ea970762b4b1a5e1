//! Meshes.

use bindpose_core::model::{BindJoint, Influence, Mesh, Skeleton, Transform};
use glam::{DAffine3, Vec3};

#[test]
fn the_first_of_the_heaviest_influences_has_its_joint() {
    let mut skeleton = Skeleton::new();
    let joints = ["low", "high"].map(|name| skeleton.push(name, None, Transform::IDENTITY));
    let pull = |slot, weight| Influence { slot, weight, offset: Vec3::ZERO };
    let mesh = Mesh {
        positions: vec![Vec3::ZERO; 4],
        bind: joints.map(|joint| BindJoint { joint, inverse_bind: DAffine3::IDENTITY }).into(),
        influences: vec![pull(0, 0.3), pull(1, 0.7), pull(1, 0.5), pull(0, 0.5), pull(7, 1.0)],
        influence_starts: vec![0, 2, 4, 4, 5],
        ..Mesh::default()
    };
    let found: Vec<_> = (0..5).map(|vertex| mesh.heaviest(vertex).map(|(pull, joint)| (pull.weight, joint))).collect();
    // `None` without influences, with an invalid slot, and after the last vertex.
    assert_eq!(found, [Some((0.7, joints[1])), Some((0.5, joints[1])), None, None, None]);
}
