//! Sampling a clip, local to model space, and CPU skinning, each compared with a floor, the least work that any
//! implementation must do.
//!
//! `cargo bench -p bindpose-benches --bench evaluate`

use bindpose::budget::{Budget, MemoryLimit};
use bindpose::model::{
    BindJoint, Clip, Influence, JointTracks, Mesh, Skeleton, Timeline, TimelineId, Track, Transform,
};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose::runtime::{RuntimeClip, RuntimeMatrix, RuntimeMesh, RuntimePose, RuntimeSkeleton, Simd, SkinnedVertex};
use bindpose::skin::{Skinned, linear};
use bindpose_benches::print_ratio;
use divan::Bencher;
use divan::counter::ItemsCount;
use glam::{DAffine3, DQuat, DVec3, Vec3, Vec4};
use std::hint::black_box;

const JOINTS: usize = 64;
const FRAMES: usize = 120;
const VERTICES: usize = 13_000;
const INFLUENCES: usize = 4;
/// Time in seconds, between two frames.
const TIME: f64 = 1.23;

struct Animated {
    skeleton: Skeleton,
    clip: Clip,
    mesh: Mesh,
}

/// Creates a branching skeleton with every joint animated, and a mesh with four influences per vertex.
fn animated() -> Animated {
    let mut skeleton = Skeleton::new();
    let mut ids = Vec::new();
    let rest_local = Transform::from_rotation_translation(DQuat::from_rotation_x(0.1), DVec3::new(0.0, 0.2, 1.0));
    for joint in 0..JOINTS {
        let parent = joint.checked_sub(1).map(|last| ids[last - last % 8 * usize::from(joint % 8 == 0)]);
        ids.push(skeleton.push(format!("joint {joint}"), parent, rest_local));
    }
    let turn = |joint: usize, frame: usize| DQuat::from_rotation_z((joint * 7 + frame) as f64 * 0.05);
    let tracks = |joint| JointTracks::Parts {
        translation: Some(Track { timeline: TimelineId(0), values: vec![rest_local.translation; FRAMES] }),
        rotation: Some(Track {
            timeline: TimelineId(0),
            values: (0..FRAMES).map(|frame| turn(joint, frame)).collect(),
        }),
        scale: None,
    };
    let times = (0..FRAMES).map(|frame| frame as f64 / 24.0).collect();
    let clip = Clip {
        duration: (FRAMES - 1) as f64 / 24.0,
        timelines: Timeline::new(times).into_iter().collect(),
        joints: (0..JOINTS).map(tracks).collect(),
        ..Clip::default()
    };
    let mut mesh = Mesh {
        positions: vec![Vec3::ONE; VERTICES],
        normals: vec![Vec3::Z; VERTICES],
        tangents: vec![Vec4::X; VERTICES],
        bind: ids.iter().map(|&joint| BindJoint { joint, inverse_bind: DAffine3::IDENTITY }).collect(),
        influence_starts: (0..=VERTICES).map(|vertex| (vertex * INFLUENCES) as u32).collect(),
        ..Mesh::default()
    };
    mesh.influences = (0..VERTICES * INFLUENCES)
        .map(|i| Influence { slot: (i * 37 / 5 % JOINTS) as u32, weight: 0.25, offset: Vec3::ONE })
        .collect();
    Animated { skeleton, clip, mesh }
}

fn main() {
    divan::main();
    println!();
    print_ratio("exact sample between frames / copying a pose", JOINTS, "joint", copy_pose(), sample_clip());
    print_ratio("exact local to model space / one matrix product each", JOINTS, "joint", multiply(), to_model_space());
    print_ratio("both at playing speed / one f32 product each", JOINTS, "joint", multiply_f32(), pose_runtime());
    print_ratio("both exact / at playing speed", JOINTS, "joint", pose_runtime(), pose_reference());
    print_ratio("skinning at playing speed / moving its bytes", VERTICES, "vertex", move_bytes(), skin_runtime());
    print_ratio("preparing one influence a vertex / moving bytes of four", VERTICES, "vertex", move_bytes(), prepare());
    print_ratio("exact skinning / at playing speed", VERTICES, "vertex", skin_runtime(), skin_reference());
}

#[divan::bench]
fn sample_floor(bencher: Bencher) {
    bencher.counter(ItemsCount::new(JOINTS)).bench_local(copy_pose());
}

#[divan::bench]
fn sample_between_frames(bencher: Bencher) {
    bencher.counter(ItemsCount::new(JOINTS)).bench_local(sample_clip());
}

#[divan::bench]
fn local_to_model_floor(bencher: Bencher) {
    bencher.counter(ItemsCount::new(JOINTS)).bench_local(multiply());
}

#[divan::bench]
fn local_to_model_space(bencher: Bencher) {
    bencher.counter(ItemsCount::new(JOINTS)).bench_local(to_model_space());
}

#[divan::bench]
fn pose_at_playing_speed(bencher: Bencher) {
    bencher.counter(ItemsCount::new(JOINTS)).bench_local(pose_runtime());
}

#[divan::bench]
fn skinning_floor(bencher: Bencher) {
    bencher.counter(ItemsCount::new(VERTICES)).bench_local(move_bytes());
}

#[divan::bench]
fn skinning_at_playing_speed(bencher: Bencher) {
    bencher.counter(ItemsCount::new(VERTICES)).bench_local(skin_runtime());
}

#[divan::bench]
fn skinning_reference(bencher: Bencher) {
    bencher.counter(ItemsCount::new(VERTICES)).bench_local(skin_reference());
}

/// Does the least work of sampling: writes one transform per joint.
fn copy_pose() -> impl FnMut() {
    let skeleton = animated().skeleton;
    let mut copied: Vec<Transform> = Vec::new();
    move || {
        copied.clear();
        copied.extend(skeleton.joints().iter().map(|joint| black_box(joint.rest_local)));
    }
}

fn sample_clip() -> impl FnMut() {
    let Animated { skeleton, clip, .. } = animated();
    let mut local = LocalPose::default();
    move || sample(&skeleton, black_box(&clip), TIME, &mut local)
}

/// Does the least work of the hierarchy: one product per joint.
fn multiply() -> impl FnMut() {
    let locals: Vec<DAffine3> = posed().0.0.iter().map(|local| local.to_affine()).collect();
    let mut products: Vec<DAffine3> = Vec::new();
    move || {
        products.clear();
        products.extend(locals.iter().map(|local| *black_box(local) * locals[0]));
    }
}

fn to_model_space() -> impl FnMut() {
    let (local, mut model) = posed();
    let skeleton = animated().skeleton;
    move || local_to_model(&skeleton, black_box(&local), &mut model)
}

/// Works like [`multiply`], with the types that playback multiplies.
fn multiply_f32() -> impl FnMut() {
    let locals: Vec<glam::Affine3A> = posed().0.0.iter().map(|local| local.to_affine().as_affine3a()).collect();
    let mut products: Vec<glam::Affine3A> = Vec::new();
    move || {
        products.clear();
        products.extend(locals.iter().map(|local| *black_box(local) * locals[0]));
    }
}

fn pose_reference() -> impl FnMut() {
    let Animated { skeleton, clip, .. } = animated();
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    move || {
        sample(&skeleton, black_box(&clip), TIME, &mut local);
        local_to_model(&skeleton, &local, &mut model);
    }
}

fn pose_runtime() -> impl FnMut() {
    let Animated { skeleton, clip, .. } = animated();
    let clip = RuntimeClip::new(&skeleton, &clip, &Budget::new(MemoryLimit::NONE)).expect("there is no limit");
    let skeleton = RuntimeSkeleton::new(&skeleton);
    let mut pose = RuntimePose::default();
    move || {
        pose.sample(black_box(&clip), TIME);
        pose.local_to_model(&skeleton);
    }
}

/// Reads and writes the data of skinning, and only adds it up.
fn move_bytes() -> impl FnMut() {
    let mesh = animated().mesh;
    let mut out = Vec::with_capacity(VERTICES);
    move || {
        out.clear();
        for (influences, normal) in black_box(&mesh).influences.chunks_exact(INFLUENCES).zip(&mesh.normals) {
            let sum = influences.iter().fold(Vec3::ZERO, |sum, influence| sum + influence.offset * influence.weight);
            out.push([sum, *normal]);
        }
        black_box(&out);
    }
}

fn skin_runtime() -> impl FnMut() {
    let mesh = RuntimeMesh::new(&animated().mesh);
    let model: Vec<RuntimeMatrix> = posed().1.0.iter().map(RuntimeMatrix::from).collect();
    let mut palette = Vec::new();
    mesh.palette(&model, &mut palette);
    let mut out = vec![SkinnedVertex::default(); VERTICES];
    move || {
        mesh.skin(Simd::best(), black_box(&palette), &mut out);
        black_box(&out);
    }
}

/// Groups the vertices of a mesh with one influence each, of joints in no order.
fn prepare() -> impl FnMut() {
    let mut mesh = animated().mesh;
    let influence = |vertex| Influence { slot: (vertex * 37 / 5 % JOINTS) as u32, weight: 1.0, offset: Vec3::ONE };
    mesh.influences = (0..VERTICES).map(influence).collect();
    mesh.influence_starts = (0..=VERTICES as u32).collect();
    move || drop(black_box(RuntimeMesh::new(black_box(&mesh))))
}

fn skin_reference() -> impl FnMut() {
    let mesh = animated().mesh;
    let model = posed().1;
    let mut skinned = Skinned::default();
    move || linear(black_box(&mesh), &model, &mut skinned)
}

/// Returns the model's pose at [`TIME`], in local and in model space.
fn posed() -> (LocalPose, ModelPose) {
    let Animated { skeleton, clip, .. } = animated();
    let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
    sample(&skeleton, &clip, TIME, &mut local);
    local_to_model(&skeleton, &local, &mut model);
    (local, model)
}
