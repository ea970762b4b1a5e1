//! Input that all parts of the glTF import share.

use super::accessor::Accessors;
use crate::budget::Budget;
use glam::DMat3;
use gltf_json::Root;

/// Input of every part of the import.
pub(super) struct Context<'a> {
    pub root: &'a Root,
    pub accessors: Accessors<'a>,
    pub budget: &'a Budget,
    /// Rotation from glTF's axes to the model's.
    pub turn: DMat3,
    pub without_tangents: bool,
}
