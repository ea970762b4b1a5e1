//! Programs of a method, and the features they need.

use super::float_texture::float_texture;
use super::passes::PassImages;
use super::programs::{Recipe, ShaderFiles};
use super::vertex_layout::{self, Copies};
use super::{Error, Gpu, upload};
use bindpose_core::skin::{JointData, Limits, Method, SkinningStage};
use bindpose_shaders::{ProgramSize, measure};
use glium::backend::{Context, Facade};
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

pub(super) fn compile(gpu: &Gpu, shaders: &ShaderFiles, method: &Method, key: &PipelineKey) -> Result<Program, Error> {
    with_recipe(method, key, |recipe| recipe.build(gpu, shaders, &upload::vertex_formats(method)))
}

/// Calls `use_it` with the parts of a method's program.
fn with_recipe<T>(method: &Method, key: &PipelineKey, use_it: impl FnOnce(&Recipe) -> T) -> T {
    let own = format!("{}.vert", method.shader);
    let mut vertex = vec!["quaternion.glsl"];
    if method.joint_data.has_examples() {
        vertex.push("examples.glsl");
    }
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
    vertex.extend([&own, end]);
    use_it(&Recipe {
        vertex: &vertex,
        fragment: &[fragment],
        defines: &defines,
        feedback: match key.purpose {
            Purpose::Feedback => &["world_position", "world_normal", "world_tangent"],
            Purpose::Shown(_) | Purpose::Shadow | Purpose::Bare => &[],
        },
    })
}

/// Measures a method's program; `None` for own GLSL that the counter does not know.
pub(super) fn program_size(shaders: &ShaderFiles, method: &Method) -> Option<ProgramSize> {
    measure(method.shader, method.influences.unwrap_or(4), |name| shaders.read(name).ok())
}

/// Returns the largest number of joints in a batch of a method with a program of this size; `None` without a limit.
///
/// # Errors
///
/// [`Error::Unavailable`] if the machine lacks a feature of the method.
pub(super) fn capacity(
    gpu: &Gpu,
    method: &Method,
    limits: Limits,
    size: Option<ProgramSize>,
) -> Result<Option<u32>, Error> {
    let (context, gl) = (gpu.get_context(), gpu.limits());
    if let Some(reason) = limits.refusal(method, ProgramSize::demand(size)) {
        return Err(Error::unavailable(method, format!("{limits} cannot run it: {reason}")));
    }
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
    gpu: &Gpu,
    shaders: &ShaderFiles,
    method: &Method,
    capacity: Option<u32>,
) -> Result<(), Error> {
    let capacity =
        if method.joint_data == JointData::QuaternionTexels { 2 } else { capacity.unwrap_or(2).max(2) as usize };
    let purpose = Purpose::Shown(PassImages::default());
    let key = PipelineKey { purpose, capacity, influences: 4, instanced: is_instanced(method, gpu.get_context()) };
    compile(gpu, shaders, method, &key).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use bindpose_core::skin::METHODS;
    use std::process::Command;

    /// Mesa compiles GLSL 1.20 in core contexts, too. Khronos' compiler refuses its words there, as macOS does.
    #[test]
    fn a_strict_compiler_accepts_every_program() {
        if Command::new("glslangValidator").arg("--version").output().is_err() {
            return crate::context::skips::skip("compiled nothing: glslangValidator (glslang-tools) is not installed");
        }
        let folder = tempfile::tempdir().unwrap();
        let (mut count, mut programs) = (0, Vec::new());
        let mut write = |dialect, texts: Result<[String; 2], Error>| {
            for (text, stage) in texts.unwrap().iter().zip(["vert", "frag"]) {
                let path = folder.path().join(format!("{count}.{dialect:?}.{stage}"));
                std::fs::write(&path, text).unwrap();
                programs.push(path);
            }
            count += 1;
        };
        let shaders = ShaderFiles::default();
        let maps = |lookup| PassImages { diffuse: true, bump: true, specular: true, lookup };
        let shown = (0..=4).flat_map(|lookup| [maps(lookup), PassImages { lookup, ..PassImages::default() }]);
        let purposes: Vec<_> =
            shown.map(Purpose::Shown).chain([Purpose::Shadow, Purpose::Feedback, Purpose::Bare]).collect();
        let joints: [&[&str]; 2] =
            [&["quaternion.glsl", "gpu-hierarchy.joints.frag"], &["quaternion.glsl", "gpu-hierarchy.vertices.frag"]];
        let shared: [&[&str]; 3] = [&["overlay.frag"], &["ground.frag"], &["blur.frag"]];
        let others = [["pass.vert"]; 2].into_iter().zip(joints);
        let others: Vec<_> =
            others.chain([["overlay.vert"], ["ground.vert"], ["blur.vert"]].into_iter().zip(shared)).collect();
        for dialect in [Dialect::Core, Dialect::Es] {
            for samples in [1, 4] {
                let (vertex, fragment) = (&["copy.vert"], &["copy.frag"]);
                let recipe = Recipe { vertex, fragment, defines: &[("SAMPLES", samples)], feedback: &[] };
                write(dialect, recipe.assemble(dialect, &shaders));
            }
            for (vertex, fragment) in &others {
                let recipe = Recipe { vertex, fragment, defines: &[("INFLUENCES", 4)], feedback: &[] };
                write(dialect, recipe.assemble(dialect, &shaders));
            }
            for method in METHODS {
                for (&purpose, instanced) in purposes.iter().zip([false, true].into_iter().cycle()) {
                    let instanced = instanced && method.joint_data == JointData::QuaternionTexels;
                    let key = PipelineKey { purpose, capacity: 18, influences: 4, instanced };
                    with_recipe(method, &key, |recipe| write(dialect, recipe.assemble(dialect, &shaders)));
                }
            }
        }
        let found = Command::new("glslangValidator").args(&programs).output().unwrap();
        let said = String::from_utf8_lossy(&found.stdout);
        let errors: Vec<_> = said.lines().filter(|line| line.contains("ERROR")).take(20).collect();
        assert!(found.status.success(), "{}", errors.join("\n"));
    }
}
