//! Games of id Tech 4: decls, appearance of materials, and models of entities.
//!
//! Reads files through [`bindpose_vfs`], so that every name resolves as in the engine.

pub mod decls;
pub mod entity;
pub mod images;
mod inherit;
pub mod material;
pub mod program;

pub use decls::{Decls, Looks, LooksFrom};
