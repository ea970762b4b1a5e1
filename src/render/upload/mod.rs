//! What each method gives the GPU per batch and pose: one file for each way of storing joints.
//!
//! [`new`] is the only place that lists them.

mod bone_texture;
mod cor;
mod cpu;
mod ddm;
mod dual_quaternions;
mod gpu_hierarchy;
mod joint_offsets;
mod log_matrix;
mod matrices;
mod morph;
mod pivots;
mod quat_array;
mod sbs;

use super::Error;
use super::float_texture::TexelFormat;
use super::hierarchy::VertexTexture;
use super::instance::{Instance, PoseRef};
use super::joint_uniforms::UniformSink;
use super::vertex_layout;
use bindpose_core::model::{Mesh, Skeleton};
use bindpose_core::skin::{self, JointData, Method, Prepared, VertexLayout};
use glam::DAffine3;
use glium::backend::Context;
use glium::vertex::{VertexFormat, VerticesSource};
use std::rc::Rc;

/// What one draw call draws, as numbers.
pub(super) struct BatchMesh {
    /// Index into the model's meshes.
    pub mesh_index: usize,
    /// The batch as a mesh: its vertices, its palette as bind joints, influences as the method sees them.
    pub mesh: Mesh,
    /// For each vertex its number in the model's mesh.
    pub source: Vec<u32>,
}

/// What an upload is built with.
pub(super) struct UploadContext<'a> {
    pub context: &'a Rc<Context>,
    pub skeleton: &'a Skeleton,
    pub batch: &'a BatchMesh,
    /// The whole mesh, with what the method worked out for it.
    pub prepared: &'a Prepared,
    /// Joints that the programs have room for.
    pub capacity: usize,
    /// How exact `bone-texture`'s palette is.
    pub texels: TexelFormat,
    /// Largest side of a texture, texels.
    pub texture_size: u32,
    /// Influences that every vertex of `gpu-hierarchy` is padded to.
    pub padded_influences: usize,
    /// Whether a bump map needs tangents.
    pub has_bump_map: bool,
}

impl UploadContext<'_> {
    /// Joints of the batch.
    fn joints(&self) -> usize {
        self.batch.mesh.bind.len()
    }
}

/// What a pose is worked out from.
pub(super) struct Posing<'a> {
    pub batch: &'a BatchMesh,
    pub prepared: &'a Prepared,
    /// All copies that the next draw shows.
    pub instances: &'a [Instance<'a>],
    /// The first copy's pose: the only one, unless the method is drawn instanced.
    pub pose: PoseRef<'a>,
    pub palette: &'a mut Vec<DAffine3>,
}

impl Posing<'_> {
    /// The batch's palette in the first copy's pose.
    fn palette(&mut self) -> &[DAffine3] {
        self.palette_of(self.pose)
    }

    /// The batch's palette in a pose.
    fn palette_of(&mut self, pose: PoseRef<'_>) -> &[DAffine3] {
        skin::palette(&self.batch.mesh, pose.model, self.palette);
        self.palette
    }

    /// The whole mesh's palette in the first copy's pose.
    fn palette_of_whole_mesh(&mut self) -> &[DAffine3] {
        skin::palette(&self.prepared.mesh, self.pose.model, self.palette);
        self.palette
    }
}

/// What a method keeps on the GPU for one batch beside its fixed vertices, and brings to every pose.
pub(super) trait Upload {
    /// Works out what the program needs: the CPU's share, without OpenGL.
    fn fill(&mut self, posing: &mut Posing<'_>);

    /// Writes textures and vertex buffers; the bytes that go up, those of the uniforms included.
    fn upload(&mut self) -> Result<u64, Error>;

    /// Hands over the uniforms.
    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>);

    /// Vertex buffers beside the batch's own.
    fn add_sources<'a>(&'a self, _sources: &mut Vec<VerticesSource<'a>>) {}

    /// Memory besides uniforms, bytes.
    fn fixed_bytes(&self) -> u64 {
        0
    }

    /// The most copies that one draw can show where the driver's textures have so many rows.
    fn most_copies(&self, texture_size: u32) -> usize {
        texture_size as usize
    }

    /// The vertices that the fragment passes of `gpu-hierarchy` write.
    fn vertex_texture(&mut self) -> Option<&mut VertexTexture> {
        None
    }
}

/// What a method uploads for a batch, by its row in the table.
pub(super) fn new(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let joints = input.joints();
    Ok(match method.joint_data {
        // Without indices there is room for four matrices, whatever a batch uses.
        JointData::Rows if method.vertex == VertexLayout::InOrder => Box::new(matrices::Rows::new(4)),
        JointData::Rows => Box::new(matrices::Rows::new(joints)),
        JointData::Matrices => Box::new(matrices::Matrices::new(joints)),
        JointData::PoseQuaternions => Box::new(joint_offsets::PoseQuaternions::new(input)),
        JointData::SevenFloats => Box::new(quat_array::SevenFloats::new(joints)),
        JointData::Quaternions => Box::new(sbs::Quaternions::new(method, input)?),
        JointData::QuaternionTexels => Box::new(bone_texture::PaletteTexture::new(input)?),
        JointData::Pivots => Box::new(pivots::Pivots::new(joints)),
        JointData::PivotsAndExamples => Box::new(pivots::PivotsAndExamples::new(method, input)?),
        JointData::DualQuaternions => Box::new(dual_quaternions::DualQuaternions::new(joints)),
        JointData::DualQuaternionsAndBones => Box::new(dual_quaternions::WithBones::new(method, input)?),
        JointData::RowsAndDualQuaternions => Box::new(dual_quaternions::WithScale::new(joints)),
        JointData::Twists => Box::new(log_matrix::Twists::new(joints)),
        JointData::RowsAndQuaternions => Box::new(cor::RowsAndQuaternions::new(method, input)?),
        JointData::MatrixTexels => Box::new(ddm::MatrixTexels::new(method, input)?),
        JointData::LocalTexels => Box::new(gpu_hierarchy::LocalTexels::new(input)?),
        JointData::None => match method.vertex {
            VertexLayout::Finished => Box::new(cpu::FinishedVertices::new(input)?),
            VertexLayout::TwoFrames => Box::new(morph::KeyFrames::new(method, input)?),
            _ => return Err(inconsistent(method, "nothing per joint, and vertices that nothing poses")),
        },
    })
}

/// Formats of all vertices that a method's program may read, for checking it against them.
pub(super) fn vertex_formats(method: &Method) -> Vec<VertexFormat> {
    let own = match method.vertex {
        VertexLayout::Finished => VertexFormat::default(),
        VertexLayout::TwoFrames => morph::format(),
        layout => vertex_layout::format(layout),
    };
    let mut formats = vertex_layout::common_formats().to_vec();
    formats.extend(cpu::formats().into_iter().filter(|_| method.vertex == VertexLayout::Finished));
    formats.extend([own, sbs::format(), cor::format(), ddm::format(), pivots::format(), dual_quaternions::format()]);
    formats
}

/// A row of the table of methods that contradicts itself.
fn inconsistent(method: &Method, what: &str) -> Error {
    Error::unavailable(method, format!("its row in the table of methods asks for {what}"))
}
