//! Copies of images by a program of ours.
//!
//! Where OpenGL draws on the CPU, Mesa compiles the shaders of its own copies again in every process, which takes longer
//! than drawing a frame. It keeps ours in its cache.

use super::dialect::Dialect;
use super::programs::{Recipe, ShaderFiles};
use super::square::Square;
use super::{Error, Gpu};
use glium::uniforms::AsUniformValue;
use glium::{DrawParameters, Program, Rect, Surface};

/// Program that copies images with one number of samples per pixel.
pub(super) struct CopyProgram {
    program: Program,
    square: Square,
}

impl CopyProgram {
    /// Creates the program for images of `samples` per pixel. `None` where the driver's own copy is better, or if the
    /// driver refuses the program.
    pub fn new(gpu: &Gpu, samples: u32) -> Option<Self> {
        if gpu.is_software() && gpu.dialect() != Dialect::Es { Self::build(gpu, samples).ok() } else { None }
    }

    fn build(gpu: &Gpu, samples: u32) -> Result<Self, Error> {
        let defines = [("SAMPLES", samples as usize)];
        let recipe = Recipe { vertex: &["copy.vert"], fragment: &["copy.frag"], defines: &defines, feedback: &[] };
        let program = recipe.build(gpu, &ShaderFiles::default(), &[Square::format()])?;
        Ok(Self { program, square: Square::new(gpu)? })
    }

    /// Copies an image of `width` times `height` pixels into `target` at a position from its lower left corner.
    pub fn copy(
        &self,
        picture: impl AsUniformValue,
        (width, height): (u32, u32),
        target: &mut impl Surface,
        (left, bottom): (u32, u32),
    ) -> Result<(), Error> {
        let uniforms = glium::uniform! { picture: picture, size: [width as f32, height as f32] };
        let viewport = Some(Rect { left, bottom, width, height });
        let parameters = DrawParameters { viewport, ..DrawParameters::default() };
        self.square.draw(target, &self.program, &uniforms, &parameters, "image")
    }
}
