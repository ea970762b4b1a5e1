//! `gpu-hierarchy`: vertices as texels; [`crate::hierarchy`] uploads the local poses and runs the passes.

use super::{Error, Posing, UniformSink, Upload, UploadContext};
use crate::hierarchy::{VertexTexture, vertices_per_row};

pub(super) struct LocalTexels(VertexTexture);

impl LocalTexels {
    pub fn new(input: &UploadContext<'_>) -> Result<Self, Error> {
        let (influences, texture_size) = (input.padded_influences, input.texture_size);
        let per_row = vertices_per_row(influences, texture_size);
        VertexTexture::new(input.context, &input.batch.mesh, influences, per_row, texture_size).map(Self)
    }
}

impl Upload for LocalTexels {
    /// Does nothing, because local poses belong to the whole model.
    fn fill(&mut self, _: &mut Posing<'_>) {}

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(0)
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.0.visit(output);
    }

    fn fixed_bytes(&self) -> u64 {
        self.0.fixed_bytes()
    }

    fn most_copies(&self, texture_size: u32) -> usize {
        self.0.most_copies(texture_size)
    }

    fn vertex_texture(&mut self) -> Option<&mut VertexTexture> {
        Some(&mut self.0)
    }
}
