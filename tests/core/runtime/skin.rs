//! Vertices of playback against the reference, with every instruction set.

use bindpose_core::model::{BindJoint, Influence, JointId, Mesh, Skeleton, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model};
use bindpose_core::runtime::{RuntimeMatrix, RuntimeMesh, Simd, SkinnedVertex};
use bindpose_core::skin::{Skinned, linear};
use glam::{DQuat, DVec3, Vec3, Vec4};

/// More vertices than two groups that are skinned together.
const VERTICES: usize = 2 * 4096 + 77;

/// Returns the vertices with up to six influences, some of which disagree about the bind position.
fn mesh(vertices: usize, bind_pose: &ModelPose, joints: &[JointId]) -> Mesh {
    let mut state = 5_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    };
    let bind: Vec<BindJoint> =
        joints.iter().map(|&joint| BindJoint { joint, inverse_bind: bind_pose.0[joint.index()].inverse() }).collect();
    let mut mesh = Mesh { influence_starts: vec![0], ..Mesh::default() };
    for vertex in 0..vertices {
        let position = Vec3::new(noise(), noise(), noise()) * 3.0;
        mesh.positions.push(position);
        mesh.normals.push(Vec3::new(noise(), noise(), noise()).normalize());
        mesh.tangents.push(Vec4::X);
        let count = vertex % 7;
        for number in 0..count {
            let slot = (vertex * 3 + number) % joints.len();
            let apart = if vertex % 5 == 0 { Vec3::new(noise(), noise(), noise()) * 0.1 } else { Vec3::ZERO };
            let offset = bind[slot].inverse_bind.transform_point3((position + apart).as_dvec3()).as_vec3();
            mesh.influences.push(Influence { slot: slot as u32, weight: 1.0 / count as f32, offset });
        }
        mesh.influence_starts.push(mesh.influences.len() as u32);
    }
    mesh.bind = bind;
    mesh
}

#[test]
fn vertices_are_those_of_the_reference() {
    let mut skeleton = Skeleton::new();
    let mut joints = Vec::new();
    for joint in 0..9 {
        let turn = DQuat::from_rotation_y(0.2 * f64::from(joint));
        let local = Transform::from_rotation_translation(turn, DVec3::new(0.1, 0.3, 0.5));
        joints.push(skeleton.push(format!("joint{joint}"), joints.last().copied(), local));
    }
    let pose = |turn: f64| {
        let locals = skeleton.joints().iter().enumerate().map(|(number, joint)| Transform {
            rotation: joint.rest_local.rotation * DQuat::from_rotation_x(turn),
            scale: DVec3::splat(1.0 + 0.1 * turn * number as f64),
            ..joint.rest_local
        });
        let mut model = ModelPose::default();
        local_to_model(&skeleton, &LocalPose(locals.collect()), &mut model);
        model
    };
    let mesh = mesh(VERTICES, &pose(0.0), &joints);
    let skin = RuntimeMesh::new(&mesh);
    let mut exact = Skinned::default();
    let (mut quick, mut quick_palette) = (vec![SkinnedVertex::default(); skin.vertices()], Vec::new());
    // The last pose scales joints at the end of the chain to a fiftieth and less.
    for turn in [0.0, 0.3, -0.7, -1.2] {
        let posed = pose(turn);
        linear(&mesh, &posed, &mut exact);
        let model: Vec<RuntimeMatrix> = posed.0.iter().map(RuntimeMatrix::from).collect();
        skin.palette(&model, &mut quick_palette);
        for simd in Simd::available() {
            quick.fill(SkinnedVertex { position: [f32::NAN; 3], normal: [f32::NAN; 3] });
            skin.skin(simd, &quick_palette, &mut quick);
            for (vertex, quick) in quick.iter().enumerate() {
                let position = DVec3::from_array(quick.position.map(f64::from));
                let normal = DVec3::from_array(quick.normal.map(f64::from));
                let apart = position.distance(exact.positions[vertex]);
                assert!(apart < 4e-5, "{}: vertex {vertex} at {turn} is {apart} apart", simd.name());
                let turned = normal.distance(exact.normals[vertex]);
                assert!(turned < 1e-4, "{}: normal {vertex} at {turn} is {turned} apart", simd.name());
            }
        }
    }
}
