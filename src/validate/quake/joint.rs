//! Joints of the mesh.

use bindpose_parsers::Span;

/// A joint of the mesh, as compared with the clip.
pub(super) struct Joint<'a> {
    /// Name, cut to 31 bytes.
    pub name: &'a [u8],
    pub parent: i64,
    pub span: Span,
}

/// Largest number of bytes kept of a joint's name.
pub(super) const NAME_KEPT: usize = 31;
