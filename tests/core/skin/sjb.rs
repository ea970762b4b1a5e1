//! Spherical joint blending: the condition of article 000, and the joint about which a vertex rotates.

use super::meshes as testing;
use bindpose_core::model::Transform;
use bindpose_core::skin::{MethodId, Prepared};
use glam::{DQuat, DVec3, Vec3};

#[test]
fn condition_of_article_000() {
    let at = |x: f64, y: f64| Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(x, y, 0.0));
    // 0 root; 1 its child; 2 and 3 both start at 1's end; 4 starts elsewhere on 1; 5 follows 2.
    let parents = [None, Some(0), Some(1), Some(1), Some(1), Some(2)];
    let places = [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 0.0), at(1.0, 0.0), at(1.0, 0.5), at(1.0, 0.0)];
    let joints: Vec<_> = parents.into_iter().zip(places).collect();
    let (skeleton, bind) = testing::skeleton(&joints);
    let cases: [(&[u32], bool); 10] = [
        (&[3], true),
        (&[0, 1], true),
        (&[1, 2], true),
        (&[1, 2, 3], true),
        (&[3, 2], true),
        (&[2, 4], false),
        (&[1, 2, 4], false),
        (&[1, 2, 5], false),
        (&[0, 2], false),
        (&[], true),
    ];
    for (joints, holds) in cases {
        let weights: Vec<(u32, f32)> = joints.iter().map(|&joint| (joint, 1.0 / joints.len() as f32)).collect();
        let mesh = testing::mesh(&skeleton, &bind, &[(Vec3::Y, &weights), (Vec3::ONE, &[(0, 1.0)])], Vec::new());
        let prepared = Prepared::new(MethodId::Sjb, &skeleton, &mesh, &[], None).unwrap();
        assert_eq!(prepared.cost.broken_conditions, usize::from(!holds), "{joints:?}");
    }
}

#[test]
fn the_deepest_comes_first_and_equals_keep_their_order() {
    let joints: Vec<_> =
        [None, Some(0), Some(1), Some(1)].into_iter().map(|parent| (parent, Transform::IDENTITY)).collect();
    let (skeleton, bind) = testing::skeleton(&joints);
    let weights = [(0, 0.1), (3, 0.2), (1, 0.3), (2, 0.4)];
    let mesh = testing::mesh(&skeleton, &bind, &[(Vec3::Y, &weights)], Vec::new());
    let prepared = Prepared::new(MethodId::Sjb, &skeleton, &mesh, &[], None).unwrap();
    let slots: Vec<u32> = prepared.mesh.influences.iter().map(|influence| influence.slot).collect();
    assert_eq!(slots, [3, 2, 1, 0]);
}
