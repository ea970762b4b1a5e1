//! Small meshes for the tests of this module.

use crate::model::{BindJoint, Influence, Mesh, Skeleton, Transform};
use crate::pose::{LocalPose, ModelPose, local_to_model, rest};
use glam::{DAffine3, DVec3, Vec2, Vec3, Vec4};

/// A skeleton whose rest pose is the bind pose of the meshes made for it, and its joints in model space.
pub fn skeleton(joints: &[(Option<usize>, Transform)]) -> (Skeleton, ModelPose) {
    let mut skeleton = Skeleton::new();
    for (number, (parent, rest_local)) in joints.iter().enumerate() {
        let parent = parent.and_then(|parent| skeleton.id(parent));
        skeleton.push(format!("joint{number}"), parent, *rest_local);
    }
    let mut local = LocalPose::default();
    let mut model = ModelPose::default();
    rest(&skeleton, &mut local);
    local_to_model(&skeleton, &local, &mut model);
    (skeleton, model)
}

/// A chain along x: joint `k` stands at `x = k * length`.
pub fn chain(joints: usize, length: f64) -> (Skeleton, ModelPose) {
    let place = |number: usize| Transform {
        translation: if number == 0 { DVec3::ZERO } else { DVec3::X * length },
        ..Transform::IDENTITY
    };
    let joints: Vec<_> = (0..joints).map(|number| (number.checked_sub(1), place(number))).collect();
    skeleton(&joints)
}

/// A mesh of the given vertices, bound in `bind_pose` with all joints as slots; normals along x, no uvs.
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

/// A tube of radius 1 along x from 0 to `2 * length`, bound to a chain of two joints (at 0 and at `length`) with
/// weights that change smoothly over `2 * blend` about the joint; closed by a vertex at each end.
pub fn tube(length: f64, blend: f64, rings: usize, sides: usize) -> (Skeleton, ModelPose, Mesh) {
    let (skeleton, bind_pose) = chain(2, length);
    let mut vertices: Vec<(Vec3, Vec<(u32, f32)>)> = Vec::new();
    let mut normals = Vec::new();
    for ring in 0..=rings {
        let x = 2.0 * length * ring as f64 / rings as f64;
        let share = ((x - length) / (2.0 * blend) + 0.5).clamp(0.0, 1.0);
        let far = (share * share * (3.0 - 2.0 * share)) as f32;
        let weights: Vec<(u32, f32)> =
            [(0, 1.0 - far), (1, far)].into_iter().filter(|&(_, weight)| weight > 0.0).collect();
        for side in 0..sides {
            let angle = std::f64::consts::TAU * side as f64 / sides as f64;
            let out = DVec3::new(0.0, angle.cos(), angle.sin());
            vertices.push(((out + DVec3::X * x).as_vec3(), weights.clone()));
            normals.push(out.as_vec3());
        }
    }
    let index = |ring: usize, side: usize| (ring * sides + side % sides) as u32;
    let mut triangles = Vec::new();
    for ring in 0..rings {
        for side in 0..sides {
            let [a, b] = [index(ring, side), index(ring, side + 1)];
            let [c, d] = [index(ring + 1, side), index(ring + 1, side + 1)];
            triangles.push([a, b, c]);
            triangles.push([b, d, c]);
        }
    }
    for (ring, x, slot) in [(0, 0.0, 0), (rings, 2.0 * length, 1)] {
        let middle = vertices.len() as u32;
        vertices.push((DVec3::new(x, 0.0, 0.0).as_vec3(), vec![(slot, 1.0)]));
        normals.push(if ring == 0 { Vec3::NEG_X } else { Vec3::X });
        for side in 0..sides {
            let [a, b] = [index(ring, side), index(ring, side + 1)];
            triangles.push(if ring == 0 { [middle, b, a] } else { [middle, a, b] });
        }
    }
    let borrowed: Vec<(Vec3, &[(u32, f32)])> = vertices.iter().map(|(place, weights)| (*place, &weights[..])).collect();
    let mut tube = mesh(&skeleton, &bind_pose, &borrowed, triangles);
    tube.normals = normals;
    tube.tangents = tube.normals.iter().map(|n| n.any_orthonormal_vector().extend(1.0)).collect();
    (skeleton, bind_pose, tube)
}

/// The pose in which some joints are turned in their own space out of the rest pose.
pub fn turned(skeleton: &Skeleton, turns: &[(usize, glam::DQuat)]) -> ModelPose {
    let mut local = LocalPose::default();
    rest(skeleton, &mut local);
    for &(joint, turn) in turns {
        local.0[joint].rotation *= turn;
    }
    let mut model = ModelPose::default();
    local_to_model(skeleton, &local, &mut model);
    model
}

/// The palette of a mesh in a pose.
pub fn palette_of(mesh: &Mesh, pose: &ModelPose) -> Vec<DAffine3> {
    let mut palette = Vec::new();
    super::palette(mesh, pose, &mut palette);
    palette
}
