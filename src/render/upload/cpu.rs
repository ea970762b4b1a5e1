//! `cpu`: finished vertices, streamed for every pose.

use super::{Error, Posing, UniformSink, Upload, UploadContext};
use bindpose_core::runtime::{Matrix, RuntimeMesh, Simd, SkinnedVertex};
use glium::implement_vertex;
use glium::vertex::{Vertex as _, VertexBuffer, VertexFormat, VerticesSource};

#[derive(Debug, Clone, Copy)]
struct Finished {
    /// Model space of the pose.
    position: [f32; 3],
    /// Unit length.
    normal: [f32; 3],
}
implement_vertex!(Finished, position, normal);

impl From<SkinnedVertex> for Finished {
    fn from(SkinnedVertex { position, normal }: SkinnedVertex) -> Self {
        Self { position, normal }
    }
}

/// Format of the vertices.
pub(super) fn format() -> VertexFormat {
    Finished::build_bindings()
}

pub(super) struct FinishedVertices {
    vertices: VertexBuffer<Finished>,
    staged: Vec<Finished>,
    mesh: RuntimeMesh,
    simd: Simd,
    model: Vec<Matrix>,
    palette: Vec<Matrix>,
}

impl FinishedVertices {
    pub fn new(input: &UploadContext<'_>) -> Result<Self, Error> {
        let mesh = RuntimeMesh::new(&input.batch.mesh);
        let vertices = VertexBuffer::empty_dynamic(input.context, mesh.vertices());
        Ok(Self {
            vertices: vertices.map_err(Error::resource("vertex buffer"))?,
            staged: vec![SkinnedVertex::default().into(); mesh.vertices()],
            mesh,
            simd: Simd::best(),
            model: Vec::new(),
            palette: Vec::new(),
        })
    }
}

impl Upload for FinishedVertices {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.model.clear();
        self.model.extend(posing.pose.model.0.iter().map(Matrix::from));
        self.mesh.palette(&self.model, &mut self.palette);
        self.mesh.skin(self.simd, &self.palette, &mut self.staged);
    }

    fn upload(&mut self) -> Result<u64, Error> {
        // A fresh store, so that writing does not wait for a draw that still reads the old one.
        self.vertices.invalidate();
        self.vertices.write(&self.staged);
        Ok(size_of_val(self.staged.as_slice()) as u64)
    }

    fn visit<'v>(&'v self, _: UniformSink<'_, 'v>) {}

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        sources.push((&self.vertices).into());
    }

    fn fixed_bytes(&self) -> u64 {
        self.vertices.get_size() as u64
    }
}
