//! A small model made by hand from sums, products and square roots only, so that its bits are the same everywhere.
//!
//! ```text
//! root ── spine ── arm ── hand
//!     └── tail
//! ```

use bindpose::model::{
    BindJoint, Clip, Influence, Interpolation, JointTracks, Material, Mesh, Model, Skeleton, Timeline, TimelineId,
    Track, Transform,
};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, rest};
use glam::{DQuat, DVec3, Vec2, Vec3, Vec4};

/// Returns a turn about an axis by twice the arc tangent of `tangent`.
pub fn turn(axis: DVec3, tangent: f64) -> DQuat {
    let part = axis * tangent;
    DQuat::from_xyzw(part.x, part.y, part.z, 1.0).normalize()
}

pub fn skeleton() -> Skeleton {
    let mut skeleton = Skeleton::new();
    let at = |turn, x, y, z| Transform::from_rotation_translation(turn, DVec3::new(x, y, z));
    let root = skeleton.push("root", None, at(DQuat::IDENTITY, 0.0, 0.0, 1.0));
    let spine = skeleton.push("spine", Some(root), at(turn(DVec3::X, 0.125), 0.0, 0.0, 0.5));
    let arm = skeleton.push("arm", Some(spine), at(turn(DVec3::Z, 0.5), 0.25, 0.0, 0.5));
    skeleton.push("hand", Some(arm), at(DQuat::IDENTITY, 0.75, 0.0, 0.0));
    skeleton.push("tail", Some(root), at(turn(DVec3::Y, -0.25), -0.25, 0.0, 0.0));
    skeleton
}

/// Creates a mesh whose vertices follow the given joints, two each.
fn mesh(name: &str, skeleton: &Skeleton, joints: &[&str]) -> Mesh {
    let mut local = LocalPose::default();
    let mut model = ModelPose::default();
    rest(skeleton, &mut local);
    local_to_model(skeleton, &local, &mut model);
    let mut mesh = Mesh { name: name.to_owned(), influence_starts: vec![0], ..Mesh::default() };
    for joint in joints {
        let joint = skeleton.find(joint).unwrap();
        mesh.bind.push(BindJoint { joint, inverse_bind: model.0[joint.index()].inverse() });
    }
    for vertex in 0..2 * joints.len() {
        let slot = (vertex / 2) as u32;
        let side = if vertex % 2 == 0 { 0.25 } else { -0.25 };
        let next = (slot + 1) % joints.len() as u32;
        let position = model.0[mesh.bind[slot as usize].joint.index()].transform_point3(DVec3::new(0.125, side, 0.0));
        for (slot, weight) in [(slot, 0.75), (next, 0.25)] {
            let offset = mesh.bind[slot as usize].inverse_bind.transform_point3(position).as_vec3();
            mesh.influences.push(Influence { slot, weight, offset });
        }
        mesh.influence_starts.push(mesh.influences.len() as u32);
        mesh.positions.push(position.as_vec3());
        mesh.normals.push(Vec3::Z);
        mesh.tangents.push(Vec4::new(1.0, 0.0, 0.0, 1.0));
        mesh.uvs.push(Vec2::new(vertex as f32 / 8.0, 0.5));
        mesh.source_vertices.push(vertex as u32);
    }
    mesh.triangles = (2..mesh.positions.len() as u32).map(|corner| [corner - 2, corner - 1, corner]).collect();
    mesh
}

fn track<T>(timeline: u32, values: impl IntoIterator<Item = T>) -> Option<Track<T>> {
    Some(Track { timeline: TimelineId(timeline), values: values.into_iter().collect() })
}

/// Creates twelve frames on one timeline, as in MD5: the arm waves, the tail wags, the root walks.
fn wave() -> Clip {
    let frames = || (0..12).map(f64::from);
    let still = |t: DVec3| track(0, [t]);
    let parts = |translation, rotation| JointTracks::Parts { translation, rotation, scale: None };
    Clip {
        name: "wave".to_owned(),
        duration: 11.0 / 24.0,
        frame_rate: Some(24.0),
        looping: true,
        timelines: vec![Timeline::new(frames().map(|frame| frame / 24.0).collect()).unwrap()],
        joints: vec![
            parts(track(0, frames().map(|frame| DVec3::new(0.0625 * frame, 0.0, 1.0))), track(0, [DQuat::IDENTITY])),
            parts(still(DVec3::new(0.0, 0.0, 0.5)), track(0, frames().map(|frame| turn(DVec3::X, 0.01 * frame)))),
            parts(
                still(DVec3::new(0.25, 0.0, 0.5)),
                track(0, frames().map(|frame| turn(DVec3::Z, 0.05 * frame * (11.0 - frame)))),
            ),
            parts(still(DVec3::new(0.75, 0.0, 0.0)), track(0, [DQuat::IDENTITY])),
            parts(
                still(DVec3::new(-0.25, 0.0, 0.0)),
                track(0, frames().map(|frame| turn(DVec3::Y, 0.3 - 0.05 * frame))),
            ),
        ],
    }
}

/// Creates two timelines and whole transforms with scale and shear, as .x files may have.
fn stretch() -> Clip {
    let sheared = Transform {
        translation: DVec3::new(0.25, 0.0, 0.5),
        rotation: turn(DVec3::Z, 0.5),
        scale: DVec3::new(1.0, 1.5, 1.0),
        shear: DVec3::new(0.25, 0.0, 0.0),
    };
    let upright = Transform { scale: DVec3::splat(2.0), shear: DVec3::ZERO, ..sheared };
    let mut joints = vec![JointTracks::default(); 5];
    joints[2] = JointTracks::Whole { keys: track(0, [sheared, upright]).unwrap(), between: Interpolation::Elements };
    joints[4] = JointTracks::Parts {
        translation: None,
        rotation: track(1, [turn(DVec3::Y, 0.0), turn(DVec3::Y, 0.5), turn(DVec3::Y, 1.0)]),
        scale: track(0, [DVec3::ONE, DVec3::splat(0.5)]),
    };
    Clip {
        name: "stretch".to_owned(),
        duration: 2.0,
        frame_rate: None,
        looping: false,
        timelines: [vec![0.0, 2.0], vec![0.0, 0.5, 2.0]].map(|times| Timeline::new(times).unwrap()).to_vec(),
        joints,
    }
}

pub fn figure() -> Model {
    let skeleton = skeleton();
    let meshes = vec![mesh("body", &skeleton, &["root", "spine", "arm"]), mesh("flag", &skeleton, &["hand", "tail"])];
    Model {
        name: "figure".to_owned(),
        skeleton,
        meshes,
        materials: vec![Material::neutral("cloth")],
        clips: vec![wave(), stretch()],
        ..Model::default()
    }
}
