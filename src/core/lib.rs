//! Loading, posing and skinning of models, without validation and drawing.
//!
//! Depend on the crate `bindpose`, which re-exports these modules and documents them together.

#![deny(unsafe_code)]

pub mod budget;
pub mod cylinder;
pub mod diagnostic;
pub mod engines;
pub mod escape;
#[cfg(feature = "examples")]
pub mod examples;
pub mod game;
pub mod image_search;
pub mod import;
#[cfg(feature = "json")]
pub mod json;
pub mod left_out;
pub mod load;
pub mod model;
pub mod pairing;
pub mod play;
pub mod pose;
pub mod read;
pub mod runtime;
pub mod skin;
pub mod suggest;
pub mod uri;
#[cfg(feature = "write")]
pub mod write;

pub use glam;
