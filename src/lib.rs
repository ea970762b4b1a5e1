//! Skeletal animation in MD5 and DirectX .x files: read, checked, posed, skinned and shown.
//!
//! The story, stage by stage, each a free function over plain data:
//!
//! 1. *Bytes* become a *document* in the crate `bindpose_parsers`, in the file's own words.
//! 2. [`import`] turns documents into one [`model::Model`]: parents first, seconds, our axes, every repair a
//!    warning. No later stage knows the format.
//! 3. [`pose::sample`] takes a clip at a time to a local pose, [`pose::local_to_model`] multiplies down the
//!    parents.
//! 4. [`skin`] turns a pose and a mesh into vertices, on the CPU as the reference and in GLSL for speed; [`runtime`] does
//!    3 and 4 in `f32`, laid out once and then fast.
//! 5. `render` (feature `render`) makes pixels, headless or in a window.
//!
//! # Conventions
//!
//! Column vectors: `p_parent = local * p_joint`, `p_model = model[j] * p_joint`, `model[j] = model[parent] * local[j]`.
//! Model space is right-handed with +Z up and MD5's units and axes; triangles are counter-clockwise seen from
//! the front; texture coordinate (0, 0) is the first (top) row's left corner. Angles are radians, times
//! seconds. Poses and transforms are `f64` (the same bits on every machine: + − × ÷, square roots, and `libm` where
//! rotations are interpolated), vertex data is `f32`.
//!
//! # Features
//!
//! Without any, loading, posing and skinning. `export`, `snapshot` (with `dump`) and `validate` add the modules of those names,
//! `render` draws without a window, `cli` is the command line and `compare`, `window`, the default, the player.

#[cfg(feature = "cli")]
pub mod compare;
#[cfg(feature = "render")]
pub mod examples;
#[cfg(feature = "cli")]
pub mod html;
#[cfg(feature = "images")]
pub mod images;
#[cfg(feature = "render")]
pub mod player;
#[cfg(feature = "render")]
pub mod render;
pub mod sample;
#[cfg(any(feature = "cli", feature = "render"))]
mod shaders;

#[cfg(feature = "cli")]
pub use bindpose_core::write;
pub use bindpose_core::{
    budget, cube2_scripts, cylinder, diagnostic, engines, game, glam, image_habits, image_search, import, load, model,
    play, pose, read, runtime, shader_scripts, skin, suggest,
};
#[cfg(feature = "export")]
pub use bindpose_export as export;
#[cfg(feature = "snapshot")]
pub use bindpose_snapshot::{self as snapshot, dump};
#[cfg(feature = "validate")]
pub use bindpose_validate as validate;
pub use bindpose_vfs as vfs;
