//! Centres of rotation by the published formula.

use super::meshes as testing;
use bindpose_core::model::Mesh;
use bindpose_core::skin::centres_of_rotation;
use glam::{DVec3, Vec3};

/// Evaluates the formula as published, over all joints and triangles.
fn by_the_book(mesh: &Mesh, vertex: usize) -> Option<DVec3> {
    let joints = mesh.bind.len();
    let full = |vertex: usize| {
        let mut weights = vec![0.0; joints];
        for influence in mesh.influences_of(vertex) {
            weights[influence.slot as usize] += f64::from(influence.weight);
        }
        weights
    };
    let own = full(vertex);
    let (mut above, mut below) = (DVec3::ZERO, 0.0);
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize].as_dvec3());
        let [wa, wb, wc] = corners.map(|corner| full(corner as usize));
        let mean: Vec<f64> = (0..joints).map(|j| (wa[j] + wb[j] + wc[j]) / 3.0).collect();
        let mut alike = 0.0;
        for j in 0..joints {
            for k in (0..joints).filter(|&k| k != j) {
                let unlike = own[j] * mean[k] - own[k] * mean[j];
                alike += own[j] * own[k] * mean[j] * mean[k] * (-unlike * unlike / 0.01).exp();
            }
        }
        let area = 0.5 * (b - a).cross(c - a).length();
        above += (a + b + c) / 3.0 * alike * area;
        below += alike * area;
    }
    (below > 0.0).then(|| above / below)
}

#[test]
fn centres_are_those_of_the_formula() {
    let (skeleton, bind) = testing::chain(4, 1.0);
    let weights: [&[(u32, f32)]; 7] = [
        &[(0, 0.5), (1, 0.5)],
        &[(1, 0.3), (0, 0.7)],
        &[(0, 0.2), (1, 0.3), (2, 0.5)],
        &[(3, 1.0)],
        &[(2, 0.6), (3, 0.1), (0, 0.3)],
        &[(1, 0.9), (2, 0.1)],
        &[(0, 0.25), (1, 0.25), (2, 0.25), (3, 0.25)],
    ];
    let place = |k: usize| Vec3::new(k as f32 * 0.7, (k * k) as f32 * 0.3, 1.0 - k as f32);
    let vertices: Vec<_> = weights.iter().enumerate().map(|(k, weights)| (place(k), *weights)).collect();
    let triangles = vec![[0, 1, 2], [1, 2, 3], [2, 3, 4], [4, 5, 6], [0, 5, 6], [1, 3, 6]];
    let mesh = testing::mesh(&skeleton, &bind, &vertices, triangles);
    for (vertex, centre) in centres_of_rotation(&mesh).into_iter().enumerate() {
        let expected = by_the_book(&mesh, vertex).unwrap_or(mesh.positions[vertex].as_dvec3());
        assert!(centre.distance(expected) < 1e-12, "vertex {vertex}: {centre} instead of {expected}");
    }
    assert_eq!(by_the_book(&mesh, 3), None, "the case of one joint is in the test");
}

/// On a tube bent at its middle, the centres are on the axis by symmetry.
#[test]
fn centres_of_a_tube_lie_on_its_axis() {
    let (_, _, tube) = testing::tube(2.0, 1.0, 16, 12);
    for (vertex, centre) in centres_of_rotation(&tube).into_iter().enumerate() {
        if tube.influences_of(vertex).len() > 1 {
            assert!(centre.y.hypot(centre.z) < 1e-6, "vertex {vertex}: {centre}");
        }
    }
}
