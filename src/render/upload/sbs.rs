//! `sbs`: the palette's rotations and translations, and a texture with the centre of every set of joints.

use super::{BatchMesh, Error, Posing, UniformSink, Upload, UploadContext, inconsistent};
use crate::render::float_texture::{FlippingTexture, TexelFormat, nearest};
use crate::render::joint_uniforms::{Pair, place, rotation};
use crate::render::vertex_layout::immutable;
use bindpose_core::skin::{Data, Method};
use glium::implement_vertex;
use glium::uniforms::UniformValue;
use glium::vertex::{Vertex as _, VertexBufferAny, VertexFormat, VerticesSource};

/// Set of joints of a vertex.
#[derive(Debug, Clone, Copy)]
struct JointSet {
    joint_set: f32,
}
implement_vertex!(JointSet, joint_set);

/// Returns the format of the additional vertices.
pub(super) fn format() -> VertexFormat {
    JointSet::build_bindings()
}

pub(super) struct Quaternions {
    joints: Pair,
    /// The joint sets of the whole mesh, one texel each.
    centres: FlippingTexture,
    staged_centres: Vec<[f32; 4]>,
    joint_sets: VertexBufferAny,
}

impl Quaternions {
    pub fn new(method: &Method, input: &UploadContext<'_>) -> Result<Self, Error> {
        let Data::Sets(sets) = &input.prepared.data else {
            return Err(inconsistent(method, "sets of joints that were not prepared"));
        };
        let BatchMesh { mesh, source, .. } = input.batch;
        let set = |_: &_, vertex: usize| JointSet { joint_set: sets.set_of[source[vertex] as usize] as f32 };
        let width = (sets.sets.len() as u32).clamp(1, 64);
        let height = (sets.sets.len() as u32).div_ceil(width).max(1);
        Ok(Self {
            joints: Pair::new(["boneQuat", "bonePos"], input.joints()),
            centres: FlippingTexture::new(input.context, TexelFormat::Float, width, height)?,
            staged_centres: Vec::new(),
            joint_sets: immutable(input.context, mesh, set)?,
        })
    }
}

impl Upload for Quaternions {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        if let Data::Sets(sets) = &posing.prepared.data {
            let centres = sets.centres(posing.palette_of_whole_mesh());
            self.staged_centres.clear();
            self.staged_centres.extend(centres.iter().map(|centre| centre.as_vec3().extend(0.0).to_array()));
            self.staged_centres.resize((self.centres.width() * self.centres.rows()) as usize, [0.0; 4]);
        }
        self.joints.set(posing.palette().iter().map(|entry| [rotation(entry), place(entry.translation)]));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.joints.bytes() + self.centres.write(&self.staged_centres))
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.joints.visit(output);
        output("centres", nearest(self.centres.texture()));
        output("centre_texels", UniformValue::Vec2(self.centres.texels()));
    }

    fn add_sources<'a>(&'a self, sources: &mut Vec<VerticesSource<'a>>) {
        sources.push((&self.joint_sets).into());
    }

    fn fixed_bytes(&self) -> u64 {
        self.centres.bytes() + self.joint_sets.get_size() as u64
    }
}
