//! `mwe`: rows of the palette matrices, and the weights of each vertex' influences in a texture that never changes.

use super::{BatchMesh, Error, JointUpload, Upload, UploadContext, WithTexture, inconsistent};
use crate::float_texture::fixed_texture;
use crate::joint_uniforms::{UniformArray, rows};
use crate::vertex_layout::immutable;
use bindpose_core::model::Mesh;
use bindpose_core::skin::{Data, Method};
use glium::implement_vertex;

/// Texels of a vertex: three rows of four influences.
const TEXELS: usize = 12;
/// Vertices per row of texels.
const VERTICES_A_ROW: usize = 64;

/// Bind position of the heaviest joint, and number of the vertex in the texture.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pivot {
    pivot: [f32; 3],
    weight_vertex: f32,
}
implement_vertex!(Pivot, pivot, weight_vertex);

pub(super) fn new(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let Data::MultiWeights(weights) = &input.prepared.data else {
        return Err(inconsistent(method, "weights that were not prepared"));
    };
    let BatchMesh { mesh, source, .. } = input.batch;
    let whole = &input.prepared.mesh;
    let (width, height) = (TEXELS * VERTICES_A_ROW, source.len().div_ceil(VERTICES_A_ROW).max(1));
    if width.max(height) > input.texture_size as usize {
        return Err(Error::unavailable(method, "it has more vertices than the driver's textures have rows".into()));
    }
    let mut texels = vec![[0.0; 4]; width * height];
    for (vertex, to) in source.iter().zip(texels.chunks_exact_mut(TEXELS)) {
        let start = whole.influence_starts[*vertex as usize] as usize;
        let count = whole.influences_of(*vertex as usize).len();
        to[..3 * count].copy_from_slice(weights.of_influences[start..start + count].as_flattened());
    }
    let pivot = |mesh: &Mesh, vertex: usize| {
        let slot = mesh.influences_of(vertex).first().map_or(0, |first| first.slot as usize);
        let pivot = mesh.bind.get(slot).map(|bound| bound.inverse_bind.inverse().translation).unwrap_or_default();
        Pivot { pivot: pivot.as_vec3().to_array(), weight_vertex: vertex as f32 }
    };
    let pivots = immutable(input.context, mesh, pivot)?;
    let array = UniformArray::new("palette", 3 * input.joints());
    let palette = JointUpload::boxed([array], [], Some(pivots), |posing, [palette], []| {
        palette.set(posing.palette().iter().flat_map(rows));
    });
    let texture = fixed_texture(input.context, &texels, width as u32, height as u32)?;
    Ok(WithTexture::boxed(palette, ["multi_weights", "weight_texels"], texture))
}
