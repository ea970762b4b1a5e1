//! Poses and vertices of playback against the exact ones, on all available files, by default by one instruction set each.

use crate::support::{is_sampled, pose_at, real_files};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::load::{LoadOptions, load};
use bindpose::model::Model;
use bindpose::runtime::{RuntimeClip, RuntimeMesh, RuntimePose, RuntimeSkeleton, Simd, SkinnedVertex};
use bindpose::skin::{Skinned, linear};
use glam::DVec3;

/// Largest difference of joints and vertices, as a share of the extent.
const POSITION: f64 = 1e-5;
/// Largest difference of joints and normals, in radians.
const ANGLE: f64 = 1e-4;
/// Number of times per clip; most are between keys.
const TIMES: u32 = 7;

/// Largest differences of a model.
#[derive(Debug, Default)]
struct Worst {
    /// Share of the extent.
    joint: f64,
    vertex: f64,
    /// Angle in radians.
    axis: f64,
    normal: f64,
}

/// Returns the angle between two directions; 0 if the exact one has no length.
fn angle(exact: DVec3, quick: DVec3) -> f64 {
    if exact.length() < 1e-9 { 0.0 } else { exact.cross(quick).length().atan2(exact.dot(quick)) }
}

/// Compares every clip of a model at some times, with the instruction set `simd`.
fn compare(model: &Model, simd: Simd) -> Worst {
    let skeleton = RuntimeSkeleton::new(&model.skeleton);
    let meshes: Vec<RuntimeMesh> = model.meshes.iter().map(RuntimeMesh::new).collect();
    let budget = Budget::new(MemoryLimit::NONE);
    let (mut pose, mut matrices, mut vertices) = (RuntimePose::new(simd), Vec::new(), Vec::new());
    let mut exact = Skinned::default();
    let mut worst = Worst::default();
    for (number, clip) in model.clips.iter().enumerate() {
        let runtime_clip = RuntimeClip::new(&model.skeleton, clip, &budget).unwrap();
        for step in 0..=TIMES {
            let time = clip.duration * f64::from(step) / f64::from(TIMES);
            let (_, exact_pose) = pose_at(model, number, time);
            pose.sample(&runtime_clip, time);
            pose.local_to_model(&skeleton);
            let mut extent = exact_pose.0.iter().map(|joint| joint.translation.abs().max_element()).fold(0.0, f64::max);
            let mut apart = 0.0_f64;
            for (mesh, runtime_mesh) in model.meshes.iter().zip(&meshes) {
                linear(mesh, &exact_pose, &mut exact);
                vertices.clear();
                vertices.resize(runtime_mesh.vertices(), SkinnedVertex::default());
                runtime_mesh.palette(pose.model(), &mut matrices);
                runtime_mesh.skin(simd, &matrices, &mut vertices);
                for (vertex, quick) in vertices.iter().enumerate() {
                    extent = extent.max(exact.positions[vertex].abs().max_element());
                    apart = apart.max(exact.positions[vertex].distance(double(quick.position)));
                    worst.normal = worst.normal.max(angle(exact.normals[vertex], double(quick.normal)));
                }
            }
            worst.vertex = worst.vertex.max(apart / extent);
            for (exact, quick) in exact_pose.0.iter().zip(pose.model()) {
                let quick = quick.to_affine();
                let apart = exact.translation.distance(quick.translation.as_dvec3());
                worst.joint = worst.joint.max(apart / extent);
                for axis in 0..3 {
                    let turned = angle(exact.matrix3.col(axis), quick.matrix3.col(axis).as_dvec3());
                    worst.axis = worst.axis.max(turned);
                }
            }
        }
    }
    worst
}

fn double(vector: [f32; 3]) -> DVec3 {
    DVec3::from_array(vector.map(f64::from))
}

#[test]
fn every_model_moves_as_the_reference_does() {
    let (mut models, mut clips) = (0, 0);
    for file in real_files(&["md5mesh", "md5anim", "x"]) {
        // Other tests check files that do not load.
        let Ok(loaded) = load(&[&file], &LoadOptions::with_clips()) else { continue };
        models += 1;
        clips += loaded.model.clips.len();
        let all = Simd::available().enumerate();
        for (_, simd) in all.filter(|(number, _)| is_sampled(*number, models, 3)) {
            let worst = compare(&loaded.model, simd);
            let is_close = worst.joint.max(worst.vertex) <= POSITION && worst.axis.max(worst.normal) <= ANGLE;
            assert!(is_close, "{} with {}: {worst:?}", file.display(), simd.name());
        }
    }
    println!("{models} models with {clips} clips compared");
}
