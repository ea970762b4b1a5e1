//! Rendering: the only package that uses glium.
//!
//! A [`Gpu`] is an OpenGL context, headless or of a window. A [`GpuModel`] is a model on it. A [`Renderer`] draws a
//! [`FrameInput`] into a [`RenderTarget`], whose image is read, or copied to a window.
//!
//! # Joint data in the vertex shader
//!
//! Most methods use uniform arrays, as in the articles. glium sets arrays element by element (`palette[0]`,
//! `palette[1]`, …: a hash lookup, a comparison with the last value and one `glUniform4fv` each). Measured on llvmpipe
//! in a release build, an element costs 0.1 to 0.25 µs including the calculation of its value, and a model of 23 joints
//! less than 10 µs, little compared with its vertices. Uniform blocks would need a single call, but GLSL 1.40.
//! `glProgramUniform4fv` without glium would do too, but it needs OpenGL 4.1 and invalidates glium's cache of values.
//! `bone-texture` and `gpu-hierarchy` store joints in float textures instead, a row per copy, and draw many copies at
//! once.

#![deny(unsafe_code)]

mod camera;
#[allow(unsafe_code)]
mod context;
mod copy;
mod dialect;
mod error;
mod float_texture;
mod framing;
mod gpu_model;
mod gpu_timer;
#[cfg(feature = "window")]
mod gui;
mod hierarchy;
#[cfg(all(feature = "window", unix, not(target_os = "macos")))]
mod in_sight;
mod joint_uniforms;
mod material_images;
mod method_pipeline;
mod overlay;
mod pass_uniforms;
mod passes;
mod pipeline_key;
mod programs;
mod readback;
mod render_target;
mod renderer;
mod settings;
mod square;
mod stretch;
mod upload;
mod vertex_layout;
#[cfg(feature = "window")]
#[allow(unsafe_code)]
mod window;

pub use camera::{Bounds, Camera, Followed, Light, Projection, Shot, direction, world_from_model};
pub use context::{GlLimits, Gpu, headless};
pub use dialect::Dialect;
pub use error::Error;
pub use framing::{AttachedBounds, bounds_of_places, clip_bounds, clip_bounds_with_roots, places, reach_from};
pub use gpu_model::{GpuModel, probe};
pub use gpu_timer::GpuTimer;
#[cfg(feature = "window")]
pub use gui::{Gui, GuiPass};
pub use material_images::{AboutImage, GpuImage};
pub use method_pipeline::PipelineStats;
pub use overlay::{grid_cell, ground_height};
pub use passes::Shading;
pub use programs::ShaderFiles;
pub use readback::{ReadBatch, read_back};
pub use render_target::RenderTarget;
pub use renderer::{Attached, FrameCost, Renderer};
pub use settings::{Background, FrameInput, Instance, Line, Marks, RenderSettings, Surfaces, TextureFilter};
#[cfg(feature = "window")]
pub use window::Window;
#[cfg(all(feature = "window", unix, not(target_os = "macos")))]
pub use window::when_display_is_lost;
