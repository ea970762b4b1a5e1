//! Programs of a method, and the features they need.

use super::float_texture::float_texture;
use super::passes::PassImages;
use super::programs::{Recipe, ShaderFiles};
use super::vertex_layout::{self, Copies};
use super::{Error, GlLimits, upload};
use bindpose_core::skin::{JointData, Limits, Method, SkinningStage};
use glium::backend::Context;
use glium::framebuffer::SimpleFrameBuffer;
use glium::program::Program;
use glium::vertex::VertexBuffer;
use glium::{Api, Version};
use std::rc::Rc;

/// Purpose of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// Lit and textured surfaces.
    Shown(PassImages),
    /// Shadows on the ground.
    Shadow,
    /// Reading back vertices.
    Feedback,
    /// Vertices only, for timing.
    Bare,
}

/// True if a method draws several copies at once: its palettes are rows of textures, and the driver supports
/// instancing.
pub(super) fn is_instanced(method: &Method, context: &Rc<Context>) -> bool {
    let by_rows = method.joint_data == JointData::QuaternionTexels || method.stage == SkinningStage::FragmentPasses;
    by_rows && has_instancing(context)
}

/// True if glium accepts an instanced buffer.
fn has_instancing(context: &Rc<Context>) -> bool {
    VertexBuffer::<Copies>::empty(context, 1).is_ok_and(|buffer| buffer.per_instance().is_ok())
}

/// Parameters of a method's program.
pub(super) struct PipelineKey {
    pub purpose: Purpose,
    /// Joints that it supports.
    pub capacity: usize,
    /// Influences per vertex, for unrolled methods.
    pub influences: usize,
    /// True if several copies are drawn at once.
    pub instanced: bool,
}

pub(super) fn compile(
    context: &Rc<Context>,
    shaders: &ShaderFiles,
    method: &Method,
    key: &PipelineKey,
) -> Result<Program, Error> {
    let own = format!("{}.vert", method.name);
    let (end, fragment) = match key.purpose {
        Purpose::Shown(_) | Purpose::Feedback => ("figure.vert", "figure.frag"),
        Purpose::Shadow => ("figure.vert", "shadow.frag"),
        Purpose::Bare => ("plain.vert", "plain.frag"),
    };
    let mut defines = vec![("JOINTS", key.capacity), ("INFLUENCES", key.influences)];
    if key.instanced {
        defines.push(("INSTANCED", 1));
    }
    if vertex_layout::turns_tangents(method.vertex) {
        defines.push(("TANGENTS", 1));
    }
    let images = match key.purpose {
        Purpose::Shown(images) => images,
        Purpose::Shadow | Purpose::Feedback | Purpose::Bare => PassImages::default(),
    };
    let maps = [("DIFFUSE_MAP", images.diffuse), ("BUMP_MAP", images.bump), ("SPECULAR_MAP", images.specular)];
    defines.extend(maps.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| (name, 1)));
    defines.push(("LOOKUP", images.lookup));
    let recipe = Recipe {
        vertex: &["quaternion.glsl", &own, end],
        fragment: &[fragment],
        defines: &defines,
        feedback: match key.purpose {
            Purpose::Feedback => &["world_position", "world_normal", "world_tangent"],
            Purpose::Shown(_) | Purpose::Shadow | Purpose::Bare => &[],
        },
    };
    recipe.build(context, shaders, &upload::vertex_formats(method))
}

/// Returns the largest number of joints in a batch; `None` without a limit.
///
/// # Errors
///
/// [`Error::Unavailable`] if the machine lacks a feature of the method.
pub(super) fn capacity(
    context: &Rc<Context>,
    method: &Method,
    limits: Limits,
    gl: &GlLimits,
) -> Result<Option<u32>, Error> {
    let capacity = limits.capacity(method, gl.vertex_registers());
    if capacity == Some(0) {
        return Err(Error::unavailable(method, "no joint fits into the uniform registers".into()));
    }
    if method.needs.vertex_textures > gl.vertex_texture_units {
        let units = gl.vertex_texture_units;
        return Err(Error::unavailable(method, format!("it needs {}, the driver has {units}", method.needs.text())));
    }
    if let Some(version) = method.glsl {
        // glium represents GLSL 1.20 as 1.2.
        let needed = Version(Api::Gl, (version / 100) as u8, (version % 100 / 10) as u8);
        if context.get_supported_glsl_version() < needed && !context.is_glsl_version_supported(&needed) {
            return Err(Error::unavailable(method, format!("it needs GLSL {version}, which the driver does not have")));
        }
    }
    if method.needs.float_textures {
        let missing = |error: Error| Error::unavailable(method, format!("the driver has no float textures ({error})"));
        let texture = float_texture(context, 1, 1).map_err(missing)?;
        if method.needs.float_targets {
            SimpleFrameBuffer::new(context, &texture).map_err(|error| {
                Error::unavailable(method, format!("the driver does not render to float textures ({error})"))
            })?;
        }
    }
    // The width of textures limits a palette of texels.
    Ok(match method.joint_data {
        JointData::QuaternionTexels => Some(capacity.unwrap_or(u32::MAX).min(gl.texture_size)),
        _ => capacity,
    })
}

/// Compiles a method's program for `capacity` joints.
pub(super) fn try_program(
    context: &Rc<Context>,
    shaders: &ShaderFiles,
    method: &Method,
    capacity: Option<u32>,
) -> Result<(), Error> {
    let capacity =
        if method.joint_data == JointData::QuaternionTexels { 2 } else { capacity.unwrap_or(2).max(2) as usize };
    let purpose = Purpose::Shown(PassImages::default());
    let key = PipelineKey { purpose, capacity, influences: 4, instanced: is_instanced(method, context) };
    compile(context, shaders, method, &key).map(|_| ())
}
