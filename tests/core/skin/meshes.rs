//! Small skeletons and meshes, for tests of skinning methods.

use bindpose_core::cylinder::{Cylinder, Shape};
use bindpose_core::model::{BindJoint, Influence, Mesh, Skeleton, Transform};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::{MethodId, Prepared, Skinned, TimedPose, palette};
use glam::{DAffine3, DVec3, Vec2, Vec3, Vec4};

/// Returns a skeleton whose rest pose is the bind pose of the meshes made for it, and its joints in model space.
pub fn skeleton(joints: &[(Option<usize>, Transform)]) -> (Skeleton, ModelPose) {
    let mut skeleton = Skeleton::new();
    for (number, (parent, rest_local)) in joints.iter().enumerate() {
        let parent = parent.and_then(|parent| skeleton.id(parent));
        skeleton.push(format!("joint{number}"), parent, *rest_local);
    }
    let model = LocalPose::rest(&skeleton).to_model(&skeleton);
    (skeleton, model)
}

/// Returns a chain along x, with joint `k` at `x = k * length`.
pub fn chain(joints: usize, length: f64) -> (Skeleton, ModelPose) {
    let place = |number: usize| Transform {
        translation: if number == 0 { DVec3::ZERO } else { DVec3::X * length },
        ..Transform::IDENTITY
    };
    let joints: Vec<_> = (0..joints).map(|number| (number.checked_sub(1), place(number))).collect();
    skeleton(&joints)
}

/// Returns a mesh of the given vertices, bound in `bind_pose` with all joints as slots. Normals are along x, and there
/// are no uvs.
pub fn mesh(
    skeleton: &Skeleton,
    bind_pose: &ModelPose,
    vertices: &[(Vec3, &[(u32, f32)])],
    triangles: Vec<[u32; 3]>,
) -> Mesh {
    let bind: Vec<BindJoint> =
        skeleton.ids().map(|joint| BindJoint { joint, inverse_bind: bind_pose.0[joint.index()].inverse() }).collect();
    let mut mesh = Mesh {
        name: "test".into(),
        source_vertices: (0..vertices.len() as u32).collect(),
        normals: vec![Vec3::X; vertices.len()],
        tangents: vec![Vec4::new(0.0, 1.0, 0.0, 1.0); vertices.len()],
        uvs: vec![Vec2::ZERO; vertices.len()],
        triangles,
        influence_starts: vec![0],
        ..Mesh::default()
    };
    for (position, weights) in vertices {
        mesh.positions.push(*position);
        for &(slot, weight) in *weights {
            let offset = bind[slot as usize].inverse_bind.transform_point3(position.as_dvec3()).as_vec3();
            mesh.influences.push(Influence { slot, weight, offset });
        }
        mesh.influence_starts.push(mesh.influences.len() as u32);
    }
    mesh.bind = bind;
    mesh
}

/// Returns a cylinder of radius 1 along x on two joints, extending `half` on both sides of the second. Its weights
/// change within `blend` on both sides.
pub fn tube(half: f64, blend: f64, segments: usize, sides: usize) -> (Skeleton, ModelPose, Mesh) {
    let cylinder = Cylinder::new(Shape { half, blend, segments, sides });
    let bind_pose = cylinder.turned(glam::DQuat::IDENTITY);
    (cylinder.skeleton, bind_pose, cylinder.mesh)
}

/// Returns the pose with some joints rotated from the rest pose, in their own space.
pub fn turned(skeleton: &Skeleton, turns: &[(usize, glam::DQuat)]) -> ModelPose {
    let mut local = LocalPose::rest(skeleton);
    for &(joint, turn) in turns {
        local.0[joint].rotation *= turn;
    }
    local.to_model(skeleton)
}

/// Returns the pose with one joint rotated from the rest pose, in its parent's axes, as in examples.
pub fn turned_in_parent(skeleton: &Skeleton, joint: usize, turn: glam::DQuat) -> ModelPose {
    let mut local = LocalPose::rest(skeleton);
    local.0[joint].rotation = turn * local.0[joint].rotation;
    local.to_model(skeleton)
}

/// Returns the palette of a mesh in a pose.
pub fn palette_of(mesh: &Mesh, pose: &ModelPose) -> Vec<DAffine3> {
    let mut entries = Vec::new();
    palette(mesh, pose, &mut entries);
    entries
}

/// Skins a mesh in a pose by the reference of a method, without examples and clip.
pub fn run(method: MethodId, skeleton: &Skeleton, mesh: &Mesh, pose: &ModelPose) -> Skinned {
    let prepared = Prepared::new(method, skeleton, mesh, &[], None).unwrap();
    Skinned::reference(&prepared, TimedPose { pose, time: 0.0 })
}

/// Returns the number of random inputs for a slow property: few by default, proptest's default with `tests/run --all`.
pub fn random_cases() -> u32 {
    if std::env::var_os("BINDPOSE_TESTS").is_some_and(|what| what == "all") { 256 } else { 40 }
}
