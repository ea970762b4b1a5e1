//! Blended logarithms against logarithms and exponentials of any matrix.

use super::meshes as testing;
use bindpose_core::pose::ModelPose;
use bindpose_core::skin::{MethodId, Prepared, Skinned, TimedPose};
use glam::{DAffine3, DMat4, DQuat, DVec3, Vec3};

/// Returns the logarithm of a matrix without eigenvalues on the negative real axis: square roots (Denman and
/// Beavers 1976) until it is close to the identity, then the series.
fn log(mut matrix: DMat4) -> DMat4 {
    let mut times = 1.0;
    while (matrix - DMat4::IDENTITY).to_cols_array().iter().any(|element| element.abs() > 0.02) {
        let mut inverse_root = DMat4::IDENTITY;
        for _ in 0..30 {
            let root = (matrix + inverse_root.inverse()) * 0.5;
            inverse_root = (inverse_root + matrix.inverse()) * 0.5;
            matrix = root;
        }
        times *= 2.0;
    }
    let x = matrix - DMat4::IDENTITY;
    let (mut power, mut sum) = (DMat4::IDENTITY, DMat4::ZERO);
    for k in 1..30 {
        power *= x;
        sum += power * (if k % 2 == 1 { 1.0 } else { -1.0 } / f64::from(k));
    }
    sum * times
}

/// Returns the exponential of any matrix, by its series.
fn exp(matrix: DMat4) -> DMat4 {
    let (mut term, mut sum) = (DMat4::IDENTITY, DMat4::IDENTITY);
    for k in 1..60 {
        term = term * matrix * f64::from(k).recip();
        sum += term;
    }
    sum
}

fn maps() -> [DAffine3; 3] {
    let map = |axis: [f64; 3], shift: [f64; 3]| {
        DAffine3::from_rotation_translation(DQuat::from_scaled_axis(axis.into()), shift.into())
    };
    [
        map([0.4, -1.9, 0.7], [3.0, -2.0, 0.5]),
        map([0.0, 0.0, 1e-5], [-0.4, 0.1, 2.0]),
        map([2.1, 0.3, 1.6], [0.0, 1.0, -5.0]),
    ]
}

const WEIGHTS: [(u32, f32); 3] = [(0, 0.25), (1, 0.5), (2, 0.25)];

#[test]
fn agrees_with_logarithm_and_exponential_of_any_matrix() {
    let (skeleton, _) = testing::chain(3, 0.0);
    let bind = ModelPose(vec![DAffine3::IDENTITY; 3]);
    let vertices = [(Vec3::new(0.3, 1.0, -2.0), &WEIGHTS[..]), (Vec3::X, &WEIGHTS[..2])];
    let mesh = testing::mesh(&skeleton, &bind, &vertices, Vec::new());
    let pose = ModelPose(maps().to_vec());
    let prepared = Prepared::new(MethodId::LogMatrix, &skeleton, &mesh, &[], None).unwrap();
    let out = Skinned::reference(&prepared, TimedPose { pose: &pose, time: 0.0 });
    for (vertex, (position, weights)) in vertices.into_iter().enumerate() {
        let total: f64 = weights.iter().map(|&(_, weight)| f64::from(weight)).sum();
        let parts =
            weights.iter().map(|&(joint, weight)| log(maps()[joint as usize].into()) * (f64::from(weight) / total));
        let blended = exp(parts.fold(DMat4::ZERO, |sum, part| sum + part));
        let expected = blended.transform_point3(position.as_dvec3());
        assert!(out.positions[vertex].distance(expected) < 1e-6, "{} instead of {expected}", out.positions[vertex]);
        let normal = blended.transform_vector3(DVec3::X);
        assert!(out.normals[vertex].distance(normal) < 1e-6, "{} instead of {normal}", out.normals[vertex]);
    }
}

/// Alexa 2002: the blend is the same in other axes. But 170 and -170 degrees, which are 20 degrees apart, blend to
/// 0 and not to 180.
#[test]
fn logarithms_know_where_zero_is() {
    let (skeleton, bind) = testing::chain(2, 0.0);
    let half = [(0, 0.5), (1, 0.5)];
    let mesh = testing::mesh(&skeleton, &bind, &[(Vec3::Y, &half)], Vec::new());
    let prepared = Prepared::new(MethodId::LogMatrix, &skeleton, &mesh, &[], None).unwrap();
    let blend = |a: DAffine3, b: DAffine3, point: DVec3| {
        let mut prepared = prepared.clone();
        prepared.mesh.positions[0] = point.as_vec3();
        Skinned::reference(&prepared, TimedPose { pose: &ModelPose(vec![a, b]), time: 0.0 }).positions[0]
    };
    let [a, _, b] = maps();
    let axes = DAffine3::from_rotation_translation(DQuat::from_rotation_y(0.5), DVec3::new(1.0, 2.0, 3.0));
    let elsewhere = blend(axes * a * axes.inverse(), axes * b * axes.inverse(), axes.transform_point3(DVec3::Y));
    assert!(elsewhere.distance(axes.transform_point3(blend(a, b, DVec3::Y))) < 1e-5);
    let turn = |degrees: f64| DAffine3::from_rotation_x(degrees.to_radians());
    assert!(blend(turn(170.0), turn(-170.0), DVec3::Y).distance(DVec3::Y) < 1e-7);
    assert!(blend(turn(30.0), turn(50.0), DVec3::Y).distance(turn(40.0).transform_point3(DVec3::Y)) < 1e-7);
}
