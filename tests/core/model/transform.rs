//! Transforms of joints, and their interpolation.

use bindpose_core::model::{Transform, slerp};
use glam::{DAffine3, DQuat};

fn affine(columns: [f64; 12]) -> DAffine3 {
    DAffine3::from_cols_array(&columns)
}

#[test]
fn every_invertible_map_survives_being_split() {
    let maps = [
        [1., 0., 0., 0., 1., 0., 0., 0., 1., 5., 6., 7.],
        // y and z swapped, as in the root that Blender's .x exporters write: determinant -1.
        [1., 0., 0., 0., 0., 1., 0., 1., 0., 0., 0., 0.],
        // Scale, shear and rotation together.
        [0.2, 3., -1., 2., 2., 0.5, -0.3, 0.25, 4., 1., 2., 3.],
        [-0.2, 3., -1., 2., 2., 0.5, -0.3, 0.25, -4., 1., 2., 3.],
    ];
    for columns in maps {
        let back = Transform::from_affine(affine(columns)).to_affine().to_cols_array();
        for (a, b) in columns.iter().zip(back) {
            assert!((a - b).abs() < 1e-12, "{columns:?} became {back:?}");
        }
    }
}

#[test]
fn slerp_takes_the_short_way() {
    let from = DQuat::from_rotation_z(0.1);
    let to = -DQuat::from_rotation_z(0.5);
    let half = slerp(from, to, 0.5);
    assert!(half.dot(DQuat::from_rotation_z(0.3)).abs() > 1.0 - 1e-12);
}
