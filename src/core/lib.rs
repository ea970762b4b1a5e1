//! The model, its poses and the skinning references: what `bindpose` is made of before anything is checked or drawn.
//!
//! The crate `bindpose` tells the whole story and re-exports these modules; depend on that one.

pub mod budget;
pub mod cube2_scripts;
pub mod cylinder;
pub mod diagnostic;
pub mod engines;
pub mod game;
pub mod image_habits;
pub mod image_search;
pub mod import;
pub mod load;
pub mod model;
pub mod play;
pub mod pose;
pub mod read;
pub mod runtime;
pub mod shader_scripts;
pub mod skin;
pub mod suggest;
#[cfg(feature = "write")]
pub mod write;
