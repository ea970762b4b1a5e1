//! Lays out a mesh and its palette for a GPU, as wgpu and bevy read them, and skins on the CPU what a shader would:
//! `cargo run --example gpu_buffers -- body.md5mesh walk.md5anim`
//!
//! ```wgsl
//! struct Vertex {
//!     @location(0) position: vec3<f32>, @location(1) normal: vec3<f32>, @location(2) uv: vec2<f32>,
//!     @location(3) joints: vec4<u32>, @location(4) weights: vec4<f32>,
//! }
//! @group(0) @binding(0) var<storage> palette: array<mat4x4<f32>>;
//!
//! fn skin(v: Vertex) -> vec4<f32> {
//!     let m = v.weights.x * palette[v.joints.x] + v.weights.y * palette[v.joints.y]
//!         + v.weights.z * palette[v.joints.z] + v.weights.w * palette[v.joints.w];
//!     return m * vec4(v.position, 1.0);
//! }
//! ```
//!
//! In bevy, `position`, `normal`, `uv`, `joints` and `weights` are `Mesh::ATTRIBUTE_POSITION`, `_NORMAL`, `_UV_0`, `_JOINT_INDEX` and
//! `_JOINT_WEIGHT`; `SkinnedMeshInverseBindposes` takes `Mesh::bind[…].inverse_bind`, and `SkinnedMesh::joints` the entities of
//! `Mesh::bind[…].joint`. Up is +Z here and +Y there: rotate the model's entity by -90 degrees about X.

use bindpose::glam::{Mat4, Vec3, Vec4};
use bindpose::load::{LoadOptions, load};
use bindpose::model::Mesh;
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose::skin::{self, Skinned, reduce_influences};
use std::error::Error;

/// Influences that a vertex stores.
const INFLUENCES: usize = 4;

/// 56 bytes, without padding: `bytemuck::cast_slice` makes a vertex buffer of them.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Vertex {
    /// `Float32x3`, bind pose.
    pub position: [f32; 3],
    /// `Float32x3`.
    pub normal: [f32; 3],
    /// `Float32x2`; (0, 0) is the top left of the image, as in wgpu.
    pub uv: [f32; 2],
    /// `Uint16x4`, into the palette.
    pub joints: [u16; INFLUENCES],
    /// `Float32x4`.
    pub weights: [f32; INFLUENCES],
}

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let model = load(&files, &LoadOptions::with_clips())?.model;
    let clip = model.clips.first().ok_or("no clip")?;
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    sample(&model.skeleton, clip, 0.5 * clip.duration, &mut local);
    local_to_model(&model.skeleton, &local, &mut pose);
    for mesh in &model.meshes {
        let (vertices, indices, matrices) = (vertices(mesh)?, mesh.triangles.as_flattened(), palette(mesh, &pose));
        let error = largest_error(mesh, &pose, &vertices, &matrices);
        println!(
            "{}: {} vertices, {} indices, {} matrices; the shader is off by {error} units",
            mesh.name,
            vertices.len(),
            indices.len(),
            matrices.len()
        );
    }
    Ok(())
}

/// The vertex buffer; the index buffer is [`Mesh::triangles`], counter-clockwise from the front.
pub fn vertices(mesh: &Mesh) -> Result<Vec<Vertex>, Box<dyn Error>> {
    // The four heaviest influences of each vertex, their sum 1.
    let mesh = reduce_influences(mesh, INFLUENCES).mesh;
    let vertex = |index: usize| {
        let (mut joints, mut weights) = ([0; INFLUENCES], [0.0; INFLUENCES]);
        for (number, influence) in mesh.influences_of(index).iter().enumerate() {
            (joints[number], weights[number]) = (influence.slot.try_into()?, influence.weight);
        }
        let (position, normal) = (mesh.positions[index].to_array(), mesh.normals[index].to_array());
        Ok(Vertex { position, normal, uv: mesh.uvs[index].to_array(), joints, weights })
    };
    (0..mesh.vertex_count()).map(vertex).collect()
}

/// The palette, column by column, one matrix for each [`Mesh::bind`].
pub fn palette(mesh: &Mesh, pose: &ModelPose) -> Vec<[f32; 16]> {
    let mut entries = Vec::new();
    skin::palette(mesh, pose, &mut entries);
    entries.iter().map(|entry| Mat4::from(entry.as_affine3a()).to_cols_array()).collect()
}

/// Largest distance between the shader's positions and the exact ones, in model units.
pub fn largest_error(mesh: &Mesh, pose: &ModelPose, vertices: &[Vertex], palette: &[[f32; 16]]) -> f32 {
    let mut exact = Skinned::default();
    skin::linear(mesh, pose, &mut exact);
    let shader = |vertex: &Vertex| {
        let position = Vec3::from(vertex.position).extend(1.0);
        let parts = vertex.joints.iter().zip(vertex.weights);
        parts
            .map(|(&joint, weight)| weight * (Mat4::from_cols_array(&palette[usize::from(joint)]) * position))
            .sum::<Vec4>()
    };
    let errors = vertices
        .iter()
        .zip(&exact.positions)
        .map(|(vertex, exact)| shader(vertex).truncate().distance(exact.as_vec3()));
    errors.fold(0.0, f32::max)
}
