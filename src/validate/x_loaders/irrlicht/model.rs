//! Joints and meshes while a file is read.

use super::channels::Channels;
use bindpose_parsers::Span;

/// A joint: a frame, or a name of a bone or animation without a frame.
#[derive(Default)]
pub(super) struct Joint<'a> {
    pub name: &'a [u8],
    /// Parent frame. The last one if there are several.
    pub parent: Option<usize>,
    /// Children, as stored by Irrlicht.
    pub children: Vec<usize>,
    pub span: Span,
    /// True if there is a frame with this name.
    pub is_frame: bool,
    pub matrix: Option<[f32; 16]>,
    /// Offset matrix of the bone with this name.
    pub offset: Option<[f32; 16]>,
    pub channels: Channels,
}

/// A weight of a vertex.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    pub vertex: u32,
    pub strength: f32,
    /// Span of its list.
    pub span: Span,
}

/// A mesh while it is being read.
#[derive(Debug, Default)]
pub(super) struct Mesh {
    pub span: Span,
    /// Declared number of vertices.
    pub vertices: u32,
    /// Corners of triangles.
    pub indices: Vec<u32>,
    /// Number of triangle corners of each face, in 16 bits.
    pub corners: Vec<u16>,
    /// Material of each triangle. Empty without a material list.
    pub face_materials: Vec<u32>,
    /// Number of buffers. 0 means 1.
    pub materials: usize,
    pub material_span: Span,
    pub weights: Vec<Weight>,
    /// First corner whose vertex does not exist.
    pub wrong_index: Option<Span>,
}
