//! Results of a method's vertex shader, read back through transform feedback.

use super::gpu_model::GpuModel;
use super::method_pipeline::GpuBatch;
use super::pipeline_key::Purpose;
use super::settings::Instance;
use super::{Error, Gpu};
use bindpose_core::model::Mesh;
use bindpose_core::skin::MethodId;
use glam::{Mat4, Vec3, Vec4};
use glium::DrawParameters;
use glium::framebuffer::SimpleFrameBuffer;
use glium::texture::Texture2d;
use glium::uniforms::{UniformValue, Uniforms};
use glium::vertex::{TransformFeedbackSession, VertexBuffer};

/// Vertices of a batch, computed on the GPU.
#[derive(Debug)]
pub struct ReadBatch<'a> {
    /// Index of the mesh.
    pub mesh_index: usize,
    /// The batch as a mesh, with the influences that the method uses.
    pub mesh: &'a Mesh,
    /// Index of each vertex in the model's mesh. Vertices without a triangle are in no batch; others may be in several.
    pub source: &'a [u32],
    /// Posed positions in model space.
    pub positions: Vec<Vec3>,
    /// Posed unit vectors in model space.
    pub normals: Vec<Vec3>,
    /// Posed tangents in model space towards +u, with the sign of the bitangent in w, like [`Mesh::tangents`]. They are
    /// neither of unit length nor orthogonal to the normals. They are zero if the method leaves them to the fragment
    /// shader, and those of the bind pose for `cpu` without a bump map.
    pub tangents: Vec<Vec4>,
}

/// Captured varyings in order.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
struct Captured {
    world_position: [f32; 3],
    world_normal: [f32; 3],
    world_tangent: [f32; 4],
}
glium::implement_vertex!(Captured, world_position, world_normal, world_tangent);

/// Computes every vertex of every mesh in the pose of a copy on the GPU.
///
/// Needs transform feedback (OpenGL 3.0 or `GL_EXT_transform_feedback`); see [`Gpu::has_transform_feedback`].
///
/// # Errors
///
/// [`Error`] without transform feedback, if the method cannot show the model here, or of OpenGL.
pub fn read_back<'a>(
    gpu: &Gpu,
    gpu_model: &'a mut GpuModel,
    id: MethodId,
    instance: Instance<'_>,
) -> Result<Vec<ReadBatch<'a>>, Error> {
    if !gpu.has_transform_feedback() {
        let reason = "reading back needs transform feedback (OpenGL 3.0 or GL_EXT_transform_feedback)";
        return Err(Error::Unavailable { method: id.method().name.into(), reason: reason.into() });
    }
    let target = Texture2d::empty(gpu, 1, 1).map_err(Error::resource("texture"))?;
    let mut surface = SimpleFrameBuffer::new(gpu, &target).map_err(Error::resource("frame"))?;
    let (pipeline, _) = gpu_model.pipeline(id, instance.clip)?;
    pipeline.fill(&[instance]);
    pipeline.upload()?;
    let pipeline = &*pipeline;
    let mut batches = Vec::with_capacity(pipeline.batches.len());
    let vertex_counts = pipeline.batches.iter().map(|batch| batch.shape.mesh.vertex_count());
    // All batches share one buffer: for every freed buffer, glium searches the records of all programs.
    let mut captured = VertexBuffer::<Captured>::empty(gpu, vertex_counts.max().unwrap_or(0))
        .map_err(Error::resource("vertex buffer"))?;
    for batch in &pipeline.batches {
        {
            let program = pipeline.program(batch, Purpose::Feedback)?;
            let session =
                TransformFeedbackSession::new(gpu, &program, &mut captured).map_err(Error::resource("readback"))?;
            let parameters = DrawParameters {
                transform_feedback: Some(&session),
                draw_primitives: false,
                ..DrawParameters::default()
            };
            pipeline.draw(&mut surface, batch, Purpose::Feedback, &ModelSpace(batch), &parameters)?;
        }
        let of_batch = captured.slice(..batch.shape.mesh.vertex_count());
        let captured =
            of_batch.map_or(Ok(Vec::new()), |vertices| vertices.read()).map_err(Error::resource("readback"))?;
        batches.push(ReadBatch {
            mesh_index: batch.shape.mesh_index,
            mesh: &batch.shape.mesh,
            source: &batch.shape.source,
            positions: captured.iter().map(|vertex| Vec3::from_array(vertex.world_position)).collect(),
            tangents: captured.iter().map(|vertex| Vec4::from_array(vertex.world_tangent)).collect(),
            normals: captured.iter().map(|vertex| Vec3::from_array(vertex.world_normal)).collect(),
        });
    }
    Ok(batches)
}

/// Identity transforms, so that captured vertices are in model space.
struct ModelSpace<'a>(&'a GpuBatch);

impl Uniforms for ModelSpace<'_> {
    fn visit_values<'v, F: FnMut(&str, UniformValue<'v>)>(&'v self, mut output: F) {
        output("world_from_model", UniformValue::Mat4(Mat4::IDENTITY.to_cols_array_2d()));
        output("clip_from_world", UniformValue::Mat4(Mat4::IDENTITY.to_cols_array_2d()));
        self.0.visit(&mut output);
    }
}
