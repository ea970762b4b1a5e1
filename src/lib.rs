//! Skeletal animation in MD5, DirectX .x and glTF files: loading, posing, skinning, validation and rendering.
//!
//! ```
//! use bindpose::load::{LoadError, LoadOptions, load};
//! use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
//! use bindpose::skin::{Skinned, linear};
//!
//! let files = ["data/md5/mannequin_light.md5mesh", "data/md5/walk.md5anim"];
//! let model = load(&files, &LoadOptions::default())?.model;
//! let walk = model.clip("walk").expect("the clip is called as its file");
//! let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
//! sample(&model.skeleton, walk, 0.5, &mut local); // seconds
//! local_to_model(&model.skeleton, &local, &mut pose);
//!
//! let (mesh, mut vertices) = (&model.meshes[0], Skinned::default());
//! linear(mesh, &pose, &mut vertices);
//! println!("vertex 0 is at {}", vertices.positions[0]); // model space
//! # assert_eq!(vertices.positions.len(), mesh.vertex_count());
//! # Ok::<(), LoadError>(())
//! ```
//!
//! The repository's folder `examples` has five small programs: `joints` prints a pose, `bounds` the box around a clip,
//! `check` asks engines about files, `frames` records frames and verifies them, `gpu_buffers` lays out vertices and
//! palettes for wgpu and bevy.
//!
//! The stages are free functions over plain data:
//!
//! 1. `bindpose_parsers` turns *bytes* into a *document* in the file's own words.
//! 2. [`import`] turns documents into one [`model::Model`]: parents first, seconds, our axes; every repair is a
//!    warning. Later stages do not know the format. [`mod@load`] finds, reads and imports files.
//! 3. [`pose::sample`] turns a clip at a time into a local pose, [`pose::local_to_model`] into a model pose.
//! 4. [`skin`] turns a pose and a mesh into vertices. [`runtime`] does 3 and 4 faster, in `f32`.
//! 5. `export` (feature `export`) writes a model in another format; `convert` (feature `convert`) does so from files, with
//!    edits and an engine's limits.
//! 6. `render` (feature `render`) draws, with or without a window, and skins in GLSL.
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
//! Without features: loading, posing and skinning of MD5 and .x. `gltf` reads glTF, `shift-jis` Japanese names.
//! `export`, `snapshot` (with `dump`), `validate`, `images` and `convert` (with the three that it needs) add the modules
//! of those names. `render` draws without a
//! window, and has the bundled `sample` and its `examples`. `cli` is the command line, and brings all of these but
//! `render`. `window`, the default, adds the player and brings everything.

#![forbid(unsafe_code)]

#[cfg(feature = "convert")]
pub use bindpose_convert as convert;
#[cfg(any(feature = "cli", feature = "render"))]
pub use bindpose_core::examples;
pub use bindpose_core::{
    budget, diagnostic, engines, game, glam, image_search, import, left_out, load, model, play, pose, read, runtime,
    skin,
};
#[cfg(feature = "export")]
pub use bindpose_export as export;
#[cfg(feature = "images")]
pub use bindpose_images as images;
#[cfg(any(feature = "cli", feature = "render"))]
pub use bindpose_mannequin as sample;
#[cfg(feature = "render")]
pub use bindpose_render as render;
#[cfg(feature = "snapshot")]
pub use bindpose_snapshot::{self as snapshot, dump};
#[cfg(feature = "validate")]
pub use bindpose_validate as validate;
pub use bindpose_vfs as vfs;
