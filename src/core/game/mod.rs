//! Games of id Tech 4: their decls, what materials look like, which entity is which model.
//!
//! Reads through [`bindpose_vfs`], so that every name means what it means to the engine.

pub mod decls;
pub mod entity;
pub mod images;
pub mod material;
pub mod program;

pub use decls::{Decls, Looks, LooksFrom};
