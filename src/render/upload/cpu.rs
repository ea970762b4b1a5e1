//! `cpu`: finished vertices, streamed for every pose.

use super::{Error, Posing, UniformSink, Upload, UploadContext};
use bindpose_core::skin;
use glam::Affine3A;
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

/// Format of the vertices.
pub(super) fn format() -> VertexFormat {
    Finished::build_bindings()
}

pub(super) struct FinishedVertices {
    vertices: VertexBuffer<Finished>,
    staged: Vec<Finished>,
    model: Vec<Affine3A>,
    palette: Vec<Affine3A>,
}

impl FinishedVertices {
    pub fn new(input: &UploadContext<'_>) -> Result<Self, Error> {
        let vertices = VertexBuffer::empty_dynamic(input.context, input.batch.mesh.vertex_count());
        Ok(Self {
            vertices: vertices.map_err(Error::resource("vertex buffer"))?,
            staged: Vec::new(),
            model: Vec::new(),
            palette: Vec::new(),
        })
    }
}

impl Upload for FinishedVertices {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.model.clear();
        self.model.extend(posing.pose.model.0.iter().map(|joint| joint.as_affine3a()));
        self.palette.clear();
        self.palette.extend(posing.palette().iter().map(|entry| entry.as_affine3a()));
        self.staged.clear();
        skin::linear_f32(&posing.batch.mesh, &self.model, &self.palette, |_, position, normal| {
            self.staged.push(Finished { position: position.to_array(), normal: normal.to_array() });
        });
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
