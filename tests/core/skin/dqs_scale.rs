//! Dual quaternions with scale, in two phases.

use super::meshes as testing;
use bindpose_core::model::Transform;
use bindpose_core::pose::ModelPose;
use bindpose_core::skin::{MethodId, Prepared, Skinned, TimedPose};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};

fn run(method: MethodId, bind: &ModelPose, pose: &ModelPose, weights: &[&[(u32, f32)]]) -> (Vec<DVec3>, Skinned) {
    let parents = [None, Some(0), Some(1)];
    let (skeleton, _) = testing::skeleton(&parents.map(|parent| (parent, Transform::IDENTITY)));
    let place = |k: usize| Vec3::new(1.5, (k as f32).sin(), 0.5 - k as f32);
    let vertices: Vec<_> = weights.iter().enumerate().map(|(k, weights)| (place(k), *weights)).collect();
    let mesh = testing::mesh(&skeleton, bind, &vertices, Vec::new());
    let prepared = Prepared::new(method, &skeleton, &mesh, &[], None).unwrap();
    let out = Skinned::reference(&prepared, TimedPose { pose, time: 0.0 });
    (mesh.positions.iter().map(|position| position.as_dvec3()).collect(), out)
}

fn bind() -> ModelPose {
    let joint = |axis: [f64; 3], place: [f64; 3]| {
        DAffine3::from_rotation_translation(DQuat::from_scaled_axis(axis.into()), place.into())
    };
    ModelPose(vec![
        joint([0.1, 0.0, 0.7], [0.0, 0.0, 0.0]),
        joint([0.0, -1.0, 0.2], [1.0, 0.5, 0.0]),
        joint([0.4, 0.4, 0.4], [2.0, 0.0, 1.0]),
    ])
}

/// Returns the pose with each joint rotated, translated and scaled along its own axes after the bind pose.
fn posed(turns: [[f64; 3]; 3], scales: [[f64; 3]; 3]) -> ModelPose {
    let joints = bind().0.into_iter().zip(turns.into_iter().zip(scales)).map(|(joint, (turn, scale))| {
        let shift = DVec3::from_array(turn) * 0.3;
        joint * DAffine3::from_scale_rotation_translation(scale.into(), DQuat::from_scaled_axis(turn.into()), shift)
    });
    ModelPose(joints.collect())
}

const SCALES: [[f64; 3]; 3] = [[1.0, 1.0, 1.0], [2.0, 0.5, 1.2], [1.5, 1.5, -1.5]];

const TURNS: [[f64; 3]; 3] = [[0.3, 0.2, -0.5], [1.9, -0.2, 0.4], [-0.8, 0.1, 1.0]];

#[test]
fn one_joint_alone_is_followed_with_its_scale() {
    let pose = posed(TURNS, SCALES);
    let (at_rest, out) = run(MethodId::DqsScale, &bind(), &pose, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]]);
    for (joint, position) in at_rest.into_iter().enumerate() {
        let entry = pose.0[joint] * bind().0[joint].inverse();
        assert!(out.positions[joint].distance(entry.transform_point3(position)) < 1e-6, "joint {joint}");
        // A mirror turns a surface inside out, and its normal follows.
        let inverse = entry.matrix3.inverse().transpose() * DVec3::X * entry.matrix3.determinant().signum();
        assert!(out.normals[joint].distance(inverse.normalize()) < 1e-6, "joint {joint}");
    }
}

#[test]
fn rigid_joints_are_shown_as_dqs_shows_them() {
    let pose = posed(TURNS, [[1.0; 3]; 3]);
    let weights: [&[(u32, f32)]; 2] = [&[(0, 0.25), (1, 0.75)], &[(0, 0.25), (1, 0.25), (2, 0.5)]];
    let [(_, plain), (_, scaled)] = [MethodId::Dqs, MethodId::DqsScale].map(|id| run(id, &bind(), &pose, &weights));
    for vertex in 0..2 {
        assert!(plain.positions[vertex].distance(scaled.positions[vertex]) < 1e-12);
        assert!(plain.normals[vertex].distance(scaled.normals[vertex]) < 1e-12);
    }
}

/// Returns the nearest rotation to a matrix that does not mirror, by Newton's iteration (Higham 1986).
fn polar(mut matrix: DMat3) -> DMat3 {
    for _ in 0..60 {
        matrix = (matrix + matrix.inverse().transpose()) * 0.5;
    }
    matrix
}

/// Both phases with matrices: scales about the joints are summed, then rotation and translation follow from
/// products of quaternions, written out.
#[test]
fn two_phases_by_their_formula() {
    let pose = posed(TURNS, SCALES);
    let weights = [(0, 0.25_f32), (1, 0.75)];
    let (at_rest, out) = run(MethodId::DqsScale, &bind(), &pose, &[&weights]);
    let (mut scaled, mut real, mut dual) = (DVec3::ZERO, [0.0; 4], [0.0; 4]);
    let mut lead = None;
    for (joint, weight) in weights {
        let weight = f64::from(weight);
        let entry = pose.0[joint as usize] * bind().0[joint as usize].inverse();
        let origin = bind().0[joint as usize].translation;
        let rotation = polar(entry.matrix3);
        scaled += (rotation.inverse() * entry.matrix3 * (at_rest[0] - origin) + origin) * weight;
        let t = entry.transform_point3(origin) - rotation * origin;
        let q = DQuat::from_mat3(&rotation);
        let lead = *lead.get_or_insert(q);
        let [x, y, z, w] = if lead.dot(q) < 0.0 { (-q).to_array() } else { q.to_array() };
        let half_t_q = [
            t.x * w + t.y * z - t.z * y,
            t.y * w + t.z * x - t.x * z,
            t.z * w + t.x * y - t.y * x,
            -t.x * x - t.y * y - t.z * z,
        ];
        for (k, part) in [x, y, z, w].into_iter().enumerate() {
            real[k] += weight * part;
            dual[k] += weight * half_t_q[k] / 2.0;
        }
    }
    let [x, y, z, w] = real;
    let square = x * x + y * y + z * z + w * w;
    let [dx, dy, dz, dw] = dual;
    let moved = DVec3::new(
        w * dx - dw * x + y * dz - z * dy,
        w * dy - dw * y + z * dx - x * dz,
        w * dz - dw * z + x * dy - y * dx,
    ) * (2.0 / square);
    let expected = DQuat::from_array(real).normalize() * scaled + moved;
    assert!(out.positions[0].distance(expected) < 1e-6, "{} instead of {expected}", out.positions[0]);
}
