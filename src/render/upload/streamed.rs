//! `ddm`: the reference's vertices, streamed for every pose.

use super::{Error, Posing, UniformSink, Upload, UploadContext};
use bindpose_core::skin::{Skinned, TimedPose};
use glium::implement_vertex;
use glium::vertex::{VertexBuffer, VerticesSource};

/// Model space of the pose.
#[derive(Debug, Clone, Copy)]
struct Streamed {
    position: [f32; 3],
    normal: [f32; 3],
    tangent: [f32; 4],
}
implement_vertex!(Streamed, position, normal, tangent);

/// Vertices that the method's formula works out on the CPU.
pub(super) struct StreamedVertices {
    vertices: VertexBuffer<Streamed>,
    staged: Vec<Streamed>,
    skinned: Skinned,
}

impl StreamedVertices {
    pub fn new(input: &UploadContext<'_>) -> Result<Self, Error> {
        let vertices = VertexBuffer::empty_dynamic(input.context, input.batch.mesh.vertex_count());
        let vertices = vertices.map_err(Error::resource("vertex buffer"))?;
        Ok(Self { vertices, staged: Vec::new(), skinned: Skinned::default() })
    }
}

impl Upload for StreamedVertices {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let (prepared, pose) = (posing.prepared, posing.pose);
        let moment = TimedPose { pose: pose.model, time: pose.time };
        (prepared.method.formula)(prepared, moment, posing.palette_of_whole_mesh(), &mut self.skinned);
        let Skinned { positions, normals, tangents } = &self.skinned;
        self.staged.clear();
        self.staged.extend(posing.batch.source.iter().map(|&source| {
            let vertex = source as usize;
            let sign = prepared.mesh.tangents[vertex].w;
            Streamed {
                position: positions[vertex].as_vec3().to_array(),
                normal: normals[vertex].as_vec3().to_array(),
                tangent: tangents[vertex].as_vec3().extend(sign).to_array(),
            }
        }));
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
