//! Examples of `sjbbe`, `sbe`, `psd` and `eigenskin`: offsets of each vertex, and their shares in each pose.

use super::{BatchMesh, Error, Posing, UploadContext, inconsistent};
use crate::joint_uniforms::UniformArray;
use crate::vertex_layout::immutable;
use bindpose_core::skin::{Data, Method};
use glium::implement_vertex;
use glium::vertex::VertexBufferAny;

#[derive(Debug, Clone, Copy)]
pub(super) struct ExampleOffsets {
    offset0: [f32; 4],
    offset1: [f32; 3],
    offset2: [f32; 3],
    offset3: [f32; 3],
    normal_offset0: [f32; 3],
    normal_offset1: [f32; 3],
    normal_offset2: [f32; 3],
    normal_offset3: [f32; 3],
}
implement_vertex!(
    ExampleOffsets,
    offset0,
    offset1,
    offset2,
    offset3,
    normal_offset0,
    normal_offset1,
    normal_offset2,
    normal_offset3
);

/// Shares of the joints with examples whose supports a batch contains.
pub(super) struct Shares {
    /// Sorted indices into the joints of the mesh's corrections.
    corrected: Vec<u32>,
}

impl Shares {
    /// Returns the uniform without values.
    pub fn array(input: &UploadContext<'_>) -> UniformArray {
        UniformArray::new("exampleWeights", input.joints())
    }

    /// Computes the values in the first copy's pose.
    pub fn set(&self, array: &mut UniformArray, posing: &Posing<'_>) {
        if let Data::Corrections(corrections) = &posing.prepared.data {
            let shares = |&joint: &u32| corrections.joints[joint as usize].shares(posing.first.model);
            array.set(self.corrected.iter().map(shares).map(|shares| shares.map(|share| share as f32)));
        }
    }
}

/// Returns the offsets of a batch's vertices, and the shares that they use.
pub(super) fn new(method: &Method, input: &UploadContext<'_>) -> Result<(VertexBufferAny, Shares), Error> {
    let Data::Corrections(corrections) = &input.prepared.data else {
        return Err(inconsistent(method, "examples that were not prepared"));
    };
    let BatchMesh { mesh, source, .. } = input.batch;
    let mut corrected: Vec<u32> = source.iter().filter_map(|&vertex| corrections.support[vertex as usize]).collect();
    corrected.sort_unstable();
    corrected.dedup();
    if corrected.len() > input.capacity {
        return Err(Error::unavailable(method, "more joints with examples than joints in a batch".to_owned()));
    }
    let offsets = immutable(input.context, mesh, |_, vertex| {
        let vertex = source[vertex] as usize;
        let joint = corrections.support[vertex].and_then(|joint| corrected.binary_search(&joint).ok());
        let [a, b, c, d] = corrections.offsets[vertex];
        let [na, nb, nc, nd] = corrections.normal_offsets[vertex];
        ExampleOffsets {
            offset0: a.extend(joint.unwrap_or(0) as f32).to_array(),
            offset1: b.to_array(),
            offset2: c.to_array(),
            offset3: d.to_array(),
            normal_offset0: na.to_array(),
            normal_offset1: nb.to_array(),
            normal_offset2: nc.to_array(),
            normal_offset3: nd.to_array(),
        }
    })?;
    Ok((offsets, Shares { corrected }))
}
