//! `morph`: vertices of two key frames, written when playback passes a key.

use super::{BatchMesh, Error, Posing, UniformSink, Upload, UploadContext, inconsistent};
use bindpose_core::skin::{Data, Method};
use glium::implement_vertex;
use glium::uniforms::UniformValue;
use glium::vertex::{VertexBuffer, VerticesSource};

#[derive(Debug, Clone, Copy)]
pub(super) struct TwoFrames {
    position: [f32; 3],
    normal: [f32; 3],
    next_position: [f32; 3],
    next_normal: [f32; 3],
}
implement_vertex!(TwoFrames, position, normal, next_position, next_normal);

pub(super) struct KeyFrames {
    /// Not a dynamic buffer; see `MethodPipeline::copies`.
    vertices: VertexBuffer<TwoFrames>,
    /// Indices of the key frames before and after the pose in `vertices` or `staged`.
    shown: Option<(usize, usize)>,
    /// Vertices to be written; empty if `vertices` is up to date.
    staged: Vec<TwoFrames>,
    /// Position between the two frames, 0 to 1.
    share: f32,
}

impl KeyFrames {
    pub fn new(method: &Method, input: &UploadContext<'_>) -> Result<Self, Error> {
        let Data::Frames(_) = &input.prepared.data else {
            return Err(inconsistent(method, "frames that were not prepared"));
        };
        let vertices = VertexBuffer::empty(input.context, input.batch.mesh.vertex_count());
        let vertices = vertices.map_err(Error::resource("vertex buffer"))?;
        Ok(Self { vertices, shown: None, staged: Vec::new(), share: 0.0 })
    }
}

impl Upload for KeyFrames {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let Data::Frames(frames) = &posing.prepared.data else { return };
        let (before, after, share) = frames.between(posing.first.time);
        self.share = share as f32;
        if self.shown == Some((before, after)) {
            return;
        }
        self.shown = Some((before, after));
        let (from, to) = (&frames.frames[before], &frames.frames[after]);
        let BatchMesh { source, .. } = posing.batch;
        self.staged.clear();
        self.staged.extend(source.iter().map(|&vertex| TwoFrames {
            position: from.positions[vertex as usize].to_array(),
            normal: from.normals[vertex as usize].to_array(),
            next_position: to.positions[vertex as usize].to_array(),
            next_normal: to.normals[vertex as usize].to_array(),
        }));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        if self.staged.is_empty() {
            return Ok(0);
        }
        // A new buffer store, so that writing does not wait for a draw call that still reads the old one.
        self.vertices.invalidate();
        self.vertices.write(&self.staged);
        let bytes = size_of_val(self.staged.as_slice()) as u64;
        self.staged.clear();
        Ok(bytes)
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        output("share", UniformValue::Float(self.share));
    }

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        sources.push((&self.vertices).into());
    }

    fn fixed_bytes(&self) -> u64 {
        self.vertices.get_size() as u64
    }
}
