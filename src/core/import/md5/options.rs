//! Choices that MD5 files leave open.

use crate::import::shading::NormalMerge;

/// Choices for [`import_mesh`](super::import_mesh) and [`import_clip`](super::import_clip).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Md5ImportOptions {
    /// Merging of the normals of vertices at one position.
    pub normals: NormalMerge,
    /// Meaning of the root joint's translation in clips.
    pub root: RootTranslation,
    /// See [`ImportOptions::without_tangents`](crate::import::ImportOptions::without_tangents).
    pub without_tangents: bool,
}

/// Meaning of the root joint's translation in a clip.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RootTranslation {
    /// Root translation as in the file.
    #[default]
    File,
    /// As in Doom 3: animated axes of joint 0 are relative to the base frame, others are 0
    /// (docs/formats/md5.md "The root joint").
    Engine,
}
