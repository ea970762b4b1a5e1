//! Data that each method sends to the GPU per batch and pose. There is a file for each layout of joints; [`new`] lists
//! them.

mod bone_texture;
mod cor;
mod cpu;
mod ddm;
mod dual_quaternions;
mod examples;
mod gpu_hierarchy;
mod joint_offsets;
mod joint_upload;
mod log_matrix;
mod matrices;
mod morph;
mod mwe;
mod pivots;
mod quat_array;
mod sbs;
mod velocity;

use super::hierarchy::VertexTexture;
use super::joint_uniforms::UniformSink;
use super::settings::Instance;
use super::{Error, vertex_layout};
use bindpose_core::model::{Mesh, Skeleton};
use bindpose_core::runtime::RuntimeMatrix;
use bindpose_core::skin::{self, JointData, Method, Prepared, SkinningStage, VertexLayout};
use glam::DAffine3;
use glium::backend::Context;
use glium::vertex::{Vertex as _, VertexFormat, VerticesSource};
use joint_upload::{JointUpload, StagedTexture, WithTexture};
use std::rc::Rc;

/// Part of a mesh that is drawn by one call.
pub(super) struct BatchMesh {
    /// Index into the model's meshes.
    pub mesh_index: usize,
    /// The batch as a mesh: its vertices, its palette as bind joints, and influences as the method sees them.
    pub mesh: Mesh,
    /// Index of each vertex in the model's mesh.
    pub source: Vec<u32>,
}

/// Input of [`new`].
pub(super) struct UploadContext<'a> {
    pub context: &'a Rc<Context>,
    pub skeleton: &'a Skeleton,
    pub batch: &'a BatchMesh,
    /// The whole mesh as prepared by the method.
    pub prepared: &'a Prepared,
    /// Joints that the programs support.
    pub capacity: usize,
    /// Largest side of a texture, in texels.
    pub texture_size: u32,
    /// Influences per vertex of `gpu-hierarchy`, padded.
    pub padded_influences: usize,
    /// True if a bump map needs tangents.
    pub has_bump_map: bool,
}

impl UploadContext<'_> {
    /// Returns the number of joints of the batch.
    fn joints(&self) -> usize {
        self.batch.mesh.bind.len()
    }
}

/// Memory that all batches of a pipeline share.
#[derive(Default)]
pub(super) struct Scratch {
    palette: Vec<DAffine3>,
    /// All joints of the first copy in model space, for `cpu`.
    model: Vec<RuntimeMatrix>,
    /// Palette of one batch, for `cpu`.
    matrices: Vec<RuntimeMatrix>,
}

impl Scratch {
    /// Converts the joints of a copy, for methods that skin on the CPU.
    pub fn set_pose(&mut self, method: &Method, instance: Instance<'_>) {
        if method.stage == SkinningStage::Cpu {
            self.model.clear();
            self.model.extend(instance.model.0.iter().map(RuntimeMatrix::from));
        }
    }
}

/// A batch, and the poses from which its data is computed.
pub(super) struct Posing<'a> {
    pub batch: &'a BatchMesh,
    pub prepared: &'a Prepared,
    /// All copies of the next draw call.
    pub instances: &'a [Instance<'a>],
    /// The first copy. Without instancing there is no other.
    pub first: Instance<'a>,
    pub scratch: &'a mut Scratch,
}

impl Posing<'_> {
    /// Computes the batch's palette in the first copy's pose.
    fn palette(&mut self) -> &[DAffine3] {
        self.palette_of(self.first)
    }

    /// Computes the batch's palette in a copy's pose.
    fn palette_of(&mut self, instance: Instance<'_>) -> &[DAffine3] {
        skin::palette(&self.batch.mesh, instance.model, &mut self.scratch.palette);
        &self.scratch.palette
    }

    /// Computes the whole mesh's palette in the first copy's pose.
    fn palette_of_whole_mesh(&mut self) -> &[DAffine3] {
        skin::palette(&self.prepared.mesh, self.first.model, &mut self.scratch.palette);
        &self.scratch.palette
    }
}

/// Data of one batch that a method sends to the GPU for every pose.
pub(super) trait Upload {
    /// Computes the data of a pose without calls of OpenGL.
    fn fill(&mut self, posing: &mut Posing<'_>);

    /// Writes textures and vertex buffers. Returns the number of bytes sent, including uniforms.
    fn upload(&mut self) -> Result<u64, Error>;

    /// Passes the uniforms to glium.
    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>);

    /// Adds vertex buffers to the batch's own.
    fn add_sources<'a>(&'a self, _sources: &mut Vec<VerticesSource<'a>>) {}

    /// Returns the memory in addition to uniforms, in bytes.
    fn fixed_bytes(&self) -> u64 {
        0
    }

    /// Returns the largest number of copies per draw call, for textures of at most `texture_size` rows.
    fn most_copies(&self, texture_size: u32) -> usize {
        texture_size as usize
    }

    /// Returns the vertices written by the fragment passes of `gpu-hierarchy`.
    fn vertex_texture(&mut self) -> Option<&mut VertexTexture> {
        None
    }
}

/// Creates the data of a batch according to its method.
///
/// # Errors
///
/// [`Error`] of OpenGL, or if the method's row in the table is inconsistent.
pub(super) fn new(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let joints = input.joints();
    Ok(match method.joint_data {
        // Without indices, there are always four matrices.
        JointData::Rows if method.vertex == VertexLayout::InOrder => matrices::rows(4),
        JointData::Rows => matrices::rows(joints),
        JointData::Matrices => matrices::whole(joints),
        JointData::PoseQuaternions => joint_offsets::new(input),
        JointData::SevenFloats => quat_array::new(joints),
        JointData::Quaternions => sbs::new(method, input)?,
        JointData::QuaternionTexels => Box::new(bone_texture::PaletteTexture::new(input)?),
        JointData::Pivots => pivots::new(input),
        JointData::RowsAndExamples => matrices::rows_with_examples(method, input)?,
        JointData::PivotsAndExamples => pivots::with_examples(method, input)?,
        JointData::DualQuaternions => dual_quaternions::new(joints),
        JointData::DualQuaternionsAndBones => dual_quaternions::with_bones(method, input)?,
        JointData::RowsAndDualQuaternions => dual_quaternions::with_scale(joints),
        JointData::RowsAndMotions => velocity::new(method, input)?,
        JointData::RowsAndMultiWeights => mwe::new(method, input)?,
        JointData::Twists => log_matrix::new(joints),
        JointData::RowsAndQuaternions => cor::new(method, input)?,
        JointData::MatrixTexels => ddm::new(method, input)?,
        JointData::LocalTexels => Box::new(gpu_hierarchy::LocalTexels::new(input)?),
        JointData::None => match method.vertex {
            VertexLayout::Finished => Box::new(cpu::FinishedVertices::new(input)?),
            VertexLayout::TwoFrames => Box::new(morph::KeyFrames::new(method, input)?),
            _ => return Err(inconsistent(method, "nothing per joint, and vertices that nothing poses")),
        },
    })
}

/// Returns the formats of all vertices that a method's program may read.
pub(super) fn vertex_formats(method: &Method) -> Vec<VertexFormat> {
    let own = match method.vertex {
        VertexLayout::Finished => VertexFormat::default(),
        VertexLayout::TwoFrames => morph::TwoFrames::build_bindings(),
        layout => vertex_layout::format(layout),
    };
    let mut formats = vertex_layout::common_formats().to_vec();
    formats.extend(cpu::formats().into_iter().filter(|_| method.vertex == VertexLayout::Finished));
    formats.extend([
        own,
        sbs::JointSet::build_bindings(),
        cor::Centre::build_bindings(),
        ddm::Surroundings::build_bindings(),
        examples::ExampleOffsets::build_bindings(),
        mwe::Pivot::build_bindings(),
        dual_quaternions::Bone::build_bindings(),
        velocity::MovedBy::build_bindings(),
    ]);
    formats
}

/// Creates the error for an inconsistent row of the table of methods.
fn inconsistent(method: &Method, what: &str) -> Error {
    Error::unavailable(method, format!("its row in the table of methods asks for {what}"))
}
