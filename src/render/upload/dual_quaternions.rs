//! `dqs`, `dqs-scale`, `bulge-free-dqs`: the palette as dual quaternions.

use super::{BatchMesh, Error, JointUpload, Upload, UploadContext, inconsistent};
use crate::joint_uniforms::{UniformArray, rows, set_pairs};
use crate::vertex_layout::immutable;
use bindpose_core::skin::{Data, DualQuat, Method, ScaledDualQuat};
use glium::implement_vertex;
use glium::vertex::VertexBufferAny;

/// Returns arrays of the real and the dual part of each joint.
fn arrays(joints: usize) -> [UniformArray; 2] {
    ["boneReal", "boneDual"].map(|name| UniformArray::new(name, joints))
}

fn set(arrays: [&mut UniformArray; 2], duals: impl Iterator<Item = DualQuat>) {
    set_pairs(arrays, duals.map(|entry| [entry.real, entry.dual].map(|part| part.as_quat().to_array())));
}

/// Dual quaternions, and vertices that they need.
fn with_vertices(joints: usize, vertices: Option<VertexBufferAny>) -> Box<dyn Upload> {
    JointUpload::boxed(arrays(joints), [], vertices, |posing, arrays, []| {
        set(arrays.each_mut(), posing.palette().iter().map(DualQuat::from_affine));
    })
}

/// Dual quaternions alone.
pub(super) fn new(joints: usize) -> Box<dyn Upload> {
    with_vertices(joints, None)
}

/// Dual quaternions with the three rows of each joint's scale.
pub(super) fn with_scale(joints: usize) -> Box<dyn Upload> {
    let [real, dual] = arrays(joints);
    let arrays = [real, dual, UniformArray::new("scale", 3 * joints)];
    JointUpload::boxed(arrays, [], None, |posing, [real, dual, scales], []| {
        let bind = &posing.batch.mesh.bind;
        let joints: Vec<ScaledDualQuat> =
            bind.iter().zip(posing.palette()).map(|(bound, entry)| ScaledDualQuat::new(bound, entry)).collect();
        scales.set(joints.iter().flat_map(|joint| rows(&joint.scale)));
        set([real, dual], joints.iter().map(|joint| joint.rigid));
    })
}

/// Bone to which a vertex keeps its distance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bone {
    bone_start: [f32; 3],
    bone_end: [f32; 3],
}
implement_vertex!(Bone, bone_start, bone_end);

/// Dual quaternions with the bone of each vertex.
pub(super) fn with_bones(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let Data::Bones(bones) = &input.prepared.data else {
        return Err(inconsistent(method, "bones that were not prepared"));
    };
    let BatchMesh { mesh, source, .. } = input.batch;
    let bone = |_: &_, vertex: usize| {
        let [bone_start, bone_end] = bones.of_vertices[source[vertex] as usize].map(|end| end.as_vec3().to_array());
        Bone { bone_start, bone_end }
    };
    Ok(with_vertices(input.joints(), Some(immutable(input.context, mesh, bone)?)))
}
