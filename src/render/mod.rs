//! Pixels: the only module that names glium.
//!
//! A [`Gpu`] is an OpenGL context, headless or a window's. A [`Subject`] is a model on it, a [`Renderer`] draws it into
//! a [`Frame`], whose picture is read, or copied to a window.
//!
//! # How joints reach the vertex shader
//!
//! Mostly as arrays of uniforms, as in the articles. glium takes arrays element by element (`palette[0]`, `palette[1]`,
//! …: a hash lookup, a comparison with the last value and one `glUniform4fv` each). `bone-texture` and `gpu-hierarchy`
//! have them in float textures, a row per copy, and draw many copies at once.

mod attributes;
mod camera;
mod context;
mod error;
mod form;
mod frame;
mod framing;
mod hierarchy;
mod joints;
mod overlay;
mod programs;
mod readback;
mod renderer;
mod subject;
mod textures;

pub use camera::{Bounds, Camera};
pub use context::{GlLimits, Gpu, headless};
pub use error::Error;
pub use form::Loss;
pub use frame::Frame;
pub use framing::{bounds_of_places, clip_bounds, places};
pub use joints::TexelFormat;
pub use programs::ShaderFiles;
pub use readback::{ReadBatch, read_back};
pub use renderer::{Background, Figure, Look, Posed, Renderer};
pub use subject::{Subject, probe};
pub use textures::{Texture, TextureFinder};
