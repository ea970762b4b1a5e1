//! Content of a `.md5mesh`.

use super::{Int, Text};
use crate::Span;

/// Content of a whole `.md5mesh` file.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshFile<'a> {
    /// Value of `MD5Version`; `None` if the line is missing.
    pub version: Option<Int>,
    /// Value of `commandline`; `None` if the line is missing.
    pub command_line: Option<Text<'a>>,
    /// Declared joint count. `joints.len()` is the number found.
    pub num_joints: Int,
    /// Declared mesh count. `meshes.len()` is the number found.
    pub num_meshes: Int,
    /// Joints in file order.
    pub joints: Vec<Joint<'a>>,
    /// Mesh blocks in file order.
    pub meshes: Vec<Mesh<'a>>,
}

/// Line of `joints { … }`: a joint of the bind pose, in model space.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint<'a> {
    /// Name of the joint.
    pub name: Text<'a>,
    /// Index of the parent, below the number of joints. Negative for a root. The order is not checked: the parent can
    /// come later, be the joint itself, or close a cycle (docs/formats/md5.md "Joints of a mesh").
    pub parent: Int,
    /// Model-space position in file units.
    pub position: [f64; 3],
    /// x, y, z of the file's (conjugated) unit quaternion; w is not in the file.
    pub rotation: [f64; 3],
    /// Position from the name to the last parenthesis.
    pub span: Span,
}

/// `mesh { … }` block.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh<'a> {
    /// Value of the optional `name` line.
    pub name: Option<Text<'a>>,
    /// Name in the comment `// meshes: NAME` before the shader. Exporters write it; only Cube 2 reads it.
    pub comment_name: Option<Text<'a>>,
    /// Value of the `shader` line.
    pub shader: Text<'a>,
    /// Declared vertex count.
    pub num_verts: Int,
    /// Vertices in order of appearance.
    pub verts: Vec<Vert>,
    /// Declared triangle count.
    pub num_tris: Int,
    /// Triangles in order of appearance.
    pub tris: Vec<Tri>,
    /// Declared weight count.
    pub num_weights: Int,
    /// Weights in order of appearance.
    pub weights: Vec<Weight>,
    /// Position from `mesh` to its closing brace.
    pub span: Span,
}

/// `vert N ( s t ) first count`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Vert {
    /// Written record number, which engines ignore.
    pub number: i64,
    /// Texture coordinates. t = 0 is the top row of the image.
    pub uv: [f64; 2],
    /// Index of the first weight. `first_weight + weight_count <= weights.len()` in every document that was read.
    pub first_weight: u32,
    /// Number of weights.
    pub weight_count: u32,
    /// The whole record.
    pub span: Span,
}

/// `tri N a b c`, clockwise as seen from the front.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tri {
    /// Written record number, which engines ignore.
    pub number: i64,
    /// Vertex indices, each below `verts.len()`.
    pub corners: [u32; 3],
    /// The whole record.
    pub span: Span,
}

/// `weight N joint bias ( x y z )`
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weight {
    /// Written record number, which engines ignore.
    pub number: i64,
    /// Joint index, below `joints.len()`.
    pub joint: u32,
    /// Weight of the joint. It is not normalised and can be negative.
    pub bias: f64,
    /// Offset in the joint's space, in file units.
    pub offset: [f64; 3],
    /// The whole record.
    pub span: Span,
}
