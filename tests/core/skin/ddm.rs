//! Direct delta mush against smoothing of the skinned surface.

use super::meshes as testing;
use bindpose_core::model::{Mesh, Transform};
use bindpose_core::skin::{MethodId, Prepared};
use glam::{DMat3, DQuat, DVec3, Vec3};

/// Number of smoothing steps, as in docs/methods.md.
const ITERATIONS: usize = 30;
/// Shares of the neighbours in each step: for the surface, and for the weights that move the centre.
const LAMBDA: f64 = 0.9;
const KAPPA: f64 = 0.5;
/// Share of the centre moved by smoothed weights.
const ALPHA: f64 = 0.5;
/// Radius of the ball that replaces every vertex, as a fraction of the mesh's extent.
const BALL: f64 = 1e-3;

/// Returns the smoothing matrix of all steps, element by element.
fn smoothing(mesh: &Mesh, step: f64) -> Vec<Vec<f64>> {
    let count = mesh.vertex_count();
    let joined = |a: usize, b: usize| {
        a != b && mesh.triangles.iter().any(|it| it.contains(&(a as u32)) && it.contains(&(b as u32)))
    };
    let once: Vec<Vec<f64>> = (0..count)
        .map(|a| {
            let degree = (0..count).filter(|&b| joined(a, b)).count() as f64;
            let share = |b: usize| if joined(a, b) { step / degree } else { 0.0 };
            (0..count).map(|b| if a == b { 1.0 - step } else { share(b) }).collect()
        })
        .collect();
    let mut all: Vec<Vec<f64>> =
        (0..count).map(|a| (0..count).map(|b| f64::from(u8::from(a == b))).collect()).collect();
    for _ in 0..ITERATIONS {
        let row = |row: &Vec<f64>| (0..count).map(|b| (0..count).map(|k| row[k] * once[k][b]).sum()).collect();
        all = all.iter().map(row).collect();
    }
    all
}

/// Delta mush without precomputed sums: the skinned surface is smoothed, and each vertex rotates with its
/// surroundings, whose rotation Newton's iteration finds (Higham 1986).
#[test]
fn agrees_with_sums_over_the_surface() {
    let (skeleton, _, tube) = testing::tube(2.0, 1.0, 6, 5);
    let pose = testing::turned(
        &skeleton,
        &[(0, DQuat::from_rotation_y(0.4)), (1, DQuat::from_scaled_axis(DVec3::new(0.7, 0.2, 1.1)))],
    );
    let palette = testing::palette_of(&tube, &pose);
    let out = testing::run(MethodId::Ddm, &skeleton, &tube, &pose);
    let [surface, weights] = [LAMBDA, KAPPA].map(|step| smoothing(&tube, step));
    let at_rest: Vec<DVec3> = tube.positions.iter().map(|position| position.as_dvec3()).collect();
    let extent = tube.bounds().map_or(0.0, |(min, max)| f64::from(min.distance(max)));
    let blended = |vertex: usize| {
        let parts = tube.influences_of(vertex).iter().map(|it| (palette[it.slot as usize], f64::from(it.weight)));
        parts.collect::<Vec<_>>()
    };
    let skin = |vertex: usize, point: DVec3| {
        blended(vertex).iter().map(|(entry, weight)| entry.transform_point3(point) * *weight).sum::<DVec3>()
    };
    for vertex in 0..tube.vertex_count() {
        let shares = &surface[vertex];
        let around = |point: &dyn Fn(usize) -> DVec3| (0..at_rest.len()).map(|k| point(k) * shares[k]).sum::<DVec3>();
        let centre = around(&|k| at_rest[k]);
        let smoothed = around(&|k| skin(k, at_rest[k]));
        let mut spread = DMat3::ZERO;
        for (k, share) in shares.iter().enumerate() {
            let (from, to) = (at_rest[k] - centre, (skin(k, at_rest[k]) - smoothed) * *share);
            spread += DMat3::from_cols(to * from.x, to * from.y, to * from.z);
            let ball = (BALL * extent).powi(2) * share;
            blended(k).iter().for_each(|(entry, weight)| spread += entry.matrix3 * (ball * weight));
        }
        for _ in 0..60 {
            spread = (spread + spread.inverse().transpose()) * 0.5;
        }
        let by_weights: DVec3 = weights[vertex].iter().enumerate().map(|(k, share)| skin(k, centre) * *share).sum();
        let moved = smoothed * (1.0 - ALPHA) + by_weights * ALPHA;
        let expected = spread * (at_rest[vertex] - centre) + moved;
        assert!(out.positions[vertex].distance(expected) < 1e-6, "{} instead of {expected}", out.positions[vertex]);
        let normal = spread * tube.normals[vertex].as_dvec3();
        assert!(out.normals[vertex].distance(normal) < 1e-6, "{} instead of {normal}", out.normals[vertex]);
    }
}

/// A seam is two rows of vertices at the same positions. Both sides move together.
#[test]
fn seams_stay_closed() {
    let (skeleton, _, tube) = testing::tube(2.0, 1.0, 6, 5);
    let mut split = tube.clone();
    let count = tube.vertex_count() as u32;
    for vertex in 0..tube.vertex_count() {
        split.positions.push(tube.positions[vertex]);
        split.normals.push(-tube.normals[vertex]);
        split.tangents.push(tube.tangents[vertex]);
        split.uvs.push(tube.uvs[vertex]);
        split.source_vertices.push(vertex as u32);
        split.influences.extend(tube.influences_of(vertex));
        split.influence_starts.push(split.influences.len() as u32);
    }
    for corners in split.triangles.iter_mut().step_by(2) {
        *corners = corners.map(|corner| corner + count);
    }
    let pose = testing::turned(&skeleton, &[(1, DQuat::from_rotation_z(1.3))]);
    let (whole, split) =
        (testing::run(MethodId::Ddm, &skeleton, &tube, &pose), testing::run(MethodId::Ddm, &skeleton, &split, &pose));
    for vertex in 0..tube.vertex_count() {
        assert_eq!(split.positions[vertex], whole.positions[vertex]);
        assert_eq!(split.positions[vertex + count as usize], whole.positions[vertex]);
    }
}

/// A fan of triangles with one joint per rim vertex. After one step its hub has all joints, after two every vertex.
/// The second step reads 2.5e7 parts for 5000 joints. For 4000 it reads 1.6e7, but creates as many, of 88 bytes
/// each.
#[test]
fn meshes_that_need_minutes_or_gigabytes_are_refused() {
    let refused = |rim: usize| {
        let (skeleton, bind) = testing::skeleton(&vec![(None, Transform::IDENTITY); rim]);
        let weights: Vec<[(u32, f32); 1]> = (0..rim as u32).map(|joint| [(joint, 1.0)]).collect();
        let place = |k: usize| Vec3::new((k as f32).cos(), (k as f32).sin(), k as f32);
        let mut vertices: Vec<_> = weights.iter().enumerate().map(|(k, weights)| (place(k), &weights[..])).collect();
        vertices.push((Vec3::ZERO, &[(0, 1.0)]));
        let triangles = (1..rim as u32).map(|k| [rim as u32, k - 1, k]).collect();
        let mesh = testing::mesh(&skeleton, &bind, &vertices, triangles);
        Prepared::new(MethodId::Ddm, &skeleton, &mesh, &[], None).unwrap_err().to_string()
    };
    let refusal = refused(5000);
    assert!(refusal.ends_with("weights, more than the limit of 16777216"), "{refusal}");
    assert_eq!(refused(4000), "delta mush needs more than 256 MiB for this model");
}
