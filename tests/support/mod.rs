//! Generated models, headless contexts, and real files.

mod corpus;
mod gltf;
mod quake;
mod skips;

pub use corpus::{
    everything, files_with, goldens, is_sampled, real_files, real_folders, shared, shared_only, smallest_of_each,
};
pub use gltf::{GltfFile, armature};
pub use quake::{md2, mdl};
pub use skips::skip;

use bindpose::model::{
    BindJoint, Clip, Influence, JointTracks, Material, Mesh, Model, Skeleton, Timeline, TimelineId, Track, Transform,
};
use bindpose::pose::{LocalPose, ModelPose};
use glam::{DQuat, DVec3, Vec2, Vec3, Vec4};
use std::f64::consts::{PI, TAU};

/// Creates a tube along +Z with a chain of joints inside, bent and twisted by its clip.
///
/// Every vertex has up to `influences` influences of the joints around it. The clip lasts two seconds at ten frames per
/// second.
pub fn tube(joints: usize, influences: usize) -> Model {
    const LENGTH: f64 = 10.0;
    const RADIUS: f64 = 1.0;
    let step = LENGTH / joints as f64;
    let mut skeleton = Skeleton::new();
    let mut parent = None;
    for number in 0..joints {
        // The bind rotations are not the identity, so that confusing spaces has an effect.
        let turn = DQuat::from_rotation_x(0.3) * DQuat::from_rotation_z(0.2 * number as f64);
        let model_turn = |number: usize| DQuat::from_rotation_x(0.3) * DQuat::from_rotation_z(0.2 * number as f64);
        let local = match number.checked_sub(1) {
            None => Transform::from_rotation_translation(turn, DVec3::ZERO),
            Some(before) => Transform::from_rotation_translation(
                model_turn(before).inverse() * turn,
                model_turn(before).inverse() * (DVec3::Z * step),
            ),
        };
        parent = Some(skeleton.push(format!("joint{number}"), parent, local));
    }
    let bind_pose = LocalPose::rest(&skeleton).to_model(&skeleton);
    let bind: Vec<BindJoint> =
        skeleton.ids().map(|joint| BindJoint { joint, inverse_bind: bind_pose.0[joint.index()].inverse() }).collect();

    // Tests of many joints are not about vertices.
    let (rings, sides) = (4 * joints + 1, if joints > 50 { 6 } else { 24 });
    let mut mesh = Mesh { name: "tube".into(), influence_starts: vec![0], ..Mesh::default() };
    for ring in 0..rings {
        for side in 0..=sides {
            let (height, angle) = (ring as f64 / (rings - 1) as f64, side as f64 / sides as f64 * TAU);
            let outward = DVec3::new(angle.cos(), angle.sin(), 0.0);
            let position = outward * RADIUS + DVec3::Z * (height * LENGTH);
            mesh.source_vertices.push(mesh.positions.len() as u32);
            mesh.positions.push(position.as_vec3());
            mesh.normals.push(outward.as_vec3());
            mesh.tangents.push(Vec4::new(-angle.sin() as f32, angle.cos() as f32, 0.0, -1.0));
            mesh.uvs.push(Vec2::new(side as f32 / sides as f32, 1.0 - height as f32));
            // Joints sorted by the distance from the middle of their bone; the nearest has the largest weight.
            let mut near: Vec<(f64, usize)> = (0..joints)
                .map(|joint| ((height * LENGTH - (joint as f64 + 0.5) * step).abs() / step, joint))
                .collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0));
            near.truncate(influences);
            let weights: Vec<f64> = near.iter().map(|(distance, _)| (-1.5 * distance * distance).exp()).collect();
            let sum: f64 = weights.iter().sum();
            for ((_, joint), weight) in near.iter().zip(&weights) {
                let offset = bind[*joint].inverse_bind.transform_point3(position).as_vec3();
                mesh.influences.push(Influence { slot: *joint as u32, weight: (weight / sum) as f32, offset });
            }
            mesh.influence_starts.push(mesh.influences.len() as u32);
        }
    }
    let row = sides as u32 + 1;
    for ring in 0..rings as u32 - 1 {
        for side in 0..sides as u32 {
            let corner = ring * row + side;
            mesh.triangles.push([corner, corner + 1, corner + row + 1]);
            mesh.triangles.push([corner, corner + row + 1, corner + row]);
        }
    }
    mesh.bind = bind;

    let frames = 21;
    let timeline = Timeline::new((0..frames).map(|frame| f64::from(frame) / 10.0).collect()).unwrap();
    let tracks = skeleton
        .joints()
        .iter()
        .enumerate()
        .map(|(number, joint)| {
            let values = (0..frames).map(|frame| {
                let phase = f64::from(frame) / f64::from(frames - 1) * TAU;
                let bend = DQuat::from_rotation_y(0.9 * PI / joints as f64 * phase.sin());
                let twist = DQuat::from_rotation_z(0.7 * PI / joints as f64 * (0.5 * phase).sin());
                if number == 0 { joint.rest_local.rotation } else { joint.rest_local.rotation * bend * twist }
            });
            JointTracks::Parts {
                translation: None,
                rotation: Some(Track { timeline: TimelineId(0), values: values.collect() }),
                scale: None,
            }
        })
        .collect();
    let clip = Clip {
        name: "bend".into(),
        duration: 2.0,
        frame_rate: Some(10.0),
        looping: true,
        timelines: vec![timeline],
        joints: tracks,
    };
    let material = Material { diffuse: Vec3::new(0.8, 0.3, 0.2).extend(1.0), ..Material::neutral("rubber") };
    Model {
        name: "tube".into(),
        skeleton,
        meshes: vec![mesh],
        materials: vec![material],
        clips: vec![clip],
        ..Model::default()
    }
}

/// Variables with which Mesa has only forward-compatible core contexts, and shader files are compiled as on macOS.
pub const CORE: &[(&str, &str)] = &[("MESA_GL_VERSION_OVERRIDE", "4.1FC"), ("BINDPOSE_GLSL", "150")];

/// Creates a headless context. If this fails, the running test does less: prints the reason and returns `None`, or
/// panics with `BINDPOSE_REQUIRE_GL=1`, which `tests/run` sets if it can install Mesa.
#[cfg(feature = "render")]
pub fn gpu() -> Option<bindpose::render::Gpu> {
    match bindpose::render::headless() {
        Ok(gpu) => {
            if !gpu.has_transform_feedback() {
                skip("read no vertices back: OpenGL has no transform feedback");
            }
            Some(gpu)
        }
        Err(error) if std::env::var_os("BINDPOSE_REQUIRE_GL").is_some() => panic!("{error}"),
        Err(error) => {
            skip(&format!("drew nothing: {error}"));
            None
        }
    }
}

/// Returns a pose of a clip, in the parents' spaces and in model space.
pub fn pose_at(model: &Model, clip: usize, time: f64) -> (LocalPose, ModelPose) {
    let local = LocalPose::of_clip(&model.skeleton, model.clips.get(clip), time);
    let pose = local.to_model(&model.skeleton);
    (local, pose)
}
