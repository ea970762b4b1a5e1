//! `cor`: rows of the palette matrices and their rotations, and each vertex' centre of rotation.

use super::{BatchMesh, Error, Posing, UniformSink, Upload, UploadContext, inconsistent};
use crate::render::joint_uniforms::{UniformArray, rotation, rows};
use crate::render::vertex_layout::immutable;
use bindpose_core::skin::{Data, Method};
use glium::implement_vertex;
use glium::vertex::{Vertex as _, VertexBufferAny, VertexFormat, VerticesSource};

#[derive(Debug, Clone, Copy)]
struct Centre {
    centre: [f32; 3],
}
implement_vertex!(Centre, centre);

/// Returns the format of the additional vertices.
pub(super) fn format() -> VertexFormat {
    Centre::build_bindings()
}

pub(super) struct RowsAndQuaternions {
    palette: UniformArray<[f32; 4]>,
    rotations: UniformArray<[f32; 4]>,
    centres: VertexBufferAny,
}

impl RowsAndQuaternions {
    pub fn new(method: &Method, input: &UploadContext<'_>) -> Result<Self, Error> {
        let Data::Centres(centres) = &input.prepared.data else {
            return Err(inconsistent(method, "centres that were not prepared"));
        };
        let BatchMesh { mesh, source, .. } = input.batch;
        let centre = |_: &_, vertex: usize| Centre { centre: centres[source[vertex] as usize].as_vec3().to_array() };
        Ok(Self {
            palette: UniformArray::new("palette", 3 * input.joints()),
            rotations: UniformArray::new("boneQuat", input.joints()),
            centres: immutable(input.context, mesh, centre)?,
        })
    }
}

impl Upload for RowsAndQuaternions {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let palette = posing.palette();
        self.palette.set(palette.iter().flat_map(rows));
        self.rotations.set(palette.iter().map(rotation));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.palette.bytes() + self.rotations.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.palette.visit(output);
        self.rotations.visit(output);
    }

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        sources.push((&self.centres).into());
    }

    fn fixed_bytes(&self) -> u64 {
        self.centres.get_size() as u64
    }
}
