//! Content of a file that concerns models, in the file's own words, units, axes and order.

use super::{Int, Numbers, Text, Vectors};
use crate::Span;

/// Content of a .x file that concerns models. Each `span` covers the whole object.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document<'a> {
    /// The first `Header` object.
    pub header: Option<Header>,
    /// All frames, depth first, parents before their children.
    pub frames: Vec<Frame<'a>>,
    /// All meshes: those of the frames in the order of the frames, then those at top level.
    pub meshes: Vec<Mesh<'a>>,
    /// Uses of meshes, in the same order; a mesh may be drawn in several frames.
    pub mesh_uses: Vec<MeshUse>,
    /// All materials, those inside meshes included, in the order of the frames that use them; unused ones last.
    pub materials: Vec<Material<'a>>,
    /// Every `AnimTicksPerSecond` at top level; the last one counts.
    pub ticks_per_second: Vec<Int>,
    /// The animation sets.
    pub animation_sets: Vec<AnimationSet<'a>>,
    /// Animations outside of any set.
    pub loose_animations: Vec<Animation<'a>>,
}

/// Sixteen numbers in file order. They are the rows of a matrix for row vectors, with the translation last. They are
/// also the columns of the same transform for column vectors.
pub type Matrix = [f64; 16];

/// `Header`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Major version, 1.
    pub major: Int,
    /// Minor version, 0.
    pub minor: Int,
    /// 1 for text.
    pub flags: Int,
}

/// `Frame`
#[derive(Debug, Clone, PartialEq)]
pub struct Frame<'a> {
    /// Name as written; not necessarily unique.
    pub name: Option<Text<'a>>,
    /// Index of the parent frame, always smaller than its own.
    pub parent: Option<usize>,
    /// Every FrameTransformMatrix in it; the last one counts, none means the identity.
    pub matrices: Vec<Matrix>,
    /// The whole object.
    pub span: Span,
}

impl Frame<'_> {
    /// Returns the last matrix, which counts.
    pub fn matrix(&self) -> Option<&Matrix> {
        self.matrices.last()
    }
}

/// A use of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshUse {
    /// Index into [`Document::meshes`].
    pub mesh: usize,
    /// Index of its frame; `None` at top level.
    pub frame: Option<usize>,
    /// The mesh or the reference to it.
    pub span: Span,
}

/// `Mesh`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh<'a> {
    /// Name as written.
    pub name: Option<Text<'a>>,
    /// Positions, file units, left-handed.
    pub vertices: Vectors<3>,
    /// Polygons of three or more corners, clockwise seen from the front; indices are in range.
    pub faces: Faces,
    /// `MeshNormals`, if its faces fit the mesh's.
    pub normals: Option<MeshNormals>,
    /// `MeshTextureCoords`
    pub texture_coords: Option<MeshTextureCoords>,
    /// `MeshVertexColors`
    pub vertex_colors: Option<MeshVertexColors>,
    /// `MeshMaterialList`
    pub material_list: Option<MeshMaterialList>,
    /// `VertexDuplicationIndices`, if there is one index per vertex.
    pub duplication: Option<VertexDuplicationIndices>,
    /// `DeclData`, if its words fill the vertices.
    pub decl_data: Option<DeclData>,
    /// `FVFData`, if its words fill the vertices.
    pub fvf_data: Option<FvfData>,
    /// `XSkinMeshHeader`
    pub skin_header: Option<XSkinMeshHeader>,
    /// `SkinWeights`, one per bone.
    pub skin_weights: Vec<SkinWeights<'a>>,
    /// The whole object.
    pub span: Span,
}

/// Polygons in one flat list; [`Object::face_spans`](super::Object::face_spans) gives their positions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faces {
    /// Corners of all faces, face by face.
    pub corners: Vec<u32>,
    /// For each face the end of its corners in `corners`.
    pub ends: Vec<u32>,
}

impl Faces {
    /// Returns the number of faces.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if empty.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the corners of one face. Returns an empty slice beyond the last face.
    #[inline]
    pub fn get(&self, face: usize) -> &[u32] {
        let start = face.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(face).copied()).map(|(start, end)| start as usize..end as usize);
        range.and_then(|range| self.corners.get(range)).unwrap_or_default()
    }

    /// Returns the corners of every face in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.ends.iter().scan(0, |start, &end| {
            let corners = self.corners.get(*start..end as usize).unwrap_or_default();
            *start = end as usize;
            Some(corners)
        })
    }

    /// Appends a face.
    pub fn push(&mut self, corners: &[u32]) {
        self.corners.extend_from_slice(corners);
        self.ends.push(self.corners.len() as u32);
    }
}

/// `MeshNormals`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshNormals {
    /// Normals, not necessarily of unit length.
    pub normals: Vectors<3>,
    /// For each face of the mesh the normals of its corners; indices are in range.
    pub faces: Faces,
    /// The whole object.
    pub span: Span,
}

/// `MeshTextureCoords`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshTextureCoords {
    /// u and v per vertex, v downwards from the image's top; too few or too many in a faulty file.
    pub coords: Vectors<2>,
    /// The whole object.
    pub span: Span,
}

/// `MeshVertexColors`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshVertexColors {
    /// Vertex and its red, green, blue, alpha; vertices that are not listed are white. Indices are in range.
    pub colors: Vec<(u32, [f64; 4])>,
    /// The whole object.
    pub span: Span,
}

/// `MeshMaterialList`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshMaterialList {
    /// Declared number of materials; `materials.len()` were found.
    pub declared: Option<Int>,
    /// Indices into [`Document::materials`].
    pub materials: Vec<usize>,
    /// For each face an index into `materials`, in range and one per face unless `materials` is empty.
    pub face_materials: Vec<u32>,
    /// The whole object.
    pub span: Span,
}

/// `VertexDuplicationIndices`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VertexDuplicationIndices {
    /// For each vertex the original of which it is a copy, or itself.
    pub indices: Vec<u32>,
    /// The whole object.
    pub span: Span,
}

/// `XSkinMeshHeader`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XSkinMeshHeader {
    /// Most weights on one vertex; often wrong.
    pub max_weights_per_vertex: Int,
    /// Most weights on one face; often wrong.
    pub max_weights_per_face: Int,
    /// Number of bones.
    pub bones: Int,
    /// The whole object.
    pub span: Span,
}

/// `SkinWeights`: the weights of one bone on a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct SkinWeights<'a> {
    /// Name of the bone's frame.
    pub bone: Text<'a>,
    /// Index of that frame: the first of its name.
    pub frame: Option<usize>,
    /// Vertex and weight as written, zeros included; vertices are in range.
    pub weights: Vec<(u32, f64)>,
    /// Map from mesh space to the bone's space in the bind pose.
    pub matrix_offset: Matrix,
    /// The whole object.
    pub span: Span,
}

/// `Material`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Material<'a> {
    /// Name as written.
    pub name: Option<Text<'a>>,
    /// Diffuse red, green, blue, alpha.
    pub face_color: [f64; 4],
    /// Specular exponent; 0 where exporters had none.
    pub power: f64,
    /// Specular red, green, blue.
    pub specular: [f64; 3],
    /// Emissive red, green, blue.
    pub emissive: [f64; 3],
    /// Texture files in order: `TextureFilename` and exporters' own types such as `NormalmapFilename`.
    pub textures: Vec<Texture<'a>>,
    /// `EffectInstance`
    pub effect: Option<EffectInstance<'a>>,
    /// The whole object.
    pub span: Span,
}

/// A texture of a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture<'a> {
    /// Type of the object.
    pub kind: Text<'a>,
    /// File name, backslashes included.
    pub filename: Text<'a>,
}

/// `EffectInstance`
#[derive(Debug, Clone, PartialEq)]
pub struct EffectInstance<'a> {
    /// The effect file.
    pub filename: Text<'a>,
    /// Its parameters in order.
    pub parameters: Vec<EffectParameter<'a>>,
}

/// A parameter of an effect.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectParameter<'a> {
    /// The parameter's name.
    pub name: Text<'a>,
    /// The value.
    pub value: EffectValue<'a>,
}

/// The value of an effect's parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum EffectValue<'a> {
    /// `EffectParamFloats`: 1 a float, 2 to 4 a vector, 16 a matrix, others an array.
    Floats(Vec<f64>),
    /// `EffectParamString`, often a texture's file name.
    Text(Text<'a>),
    /// `EffectParamDWord`
    Dword(Int),
}

/// `AnimationSet`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AnimationSet<'a> {
    /// Name as written.
    pub name: Option<Text<'a>>,
    /// The animations in order.
    pub animations: Vec<Animation<'a>>,
    /// The whole object.
    pub span: Span,
}

impl AnimationSet<'_> {
    /// Returns the largest key time: the set's period in ticks (docs/formats/x.md "Time").
    pub fn period(&self) -> f64 {
        self.animations.iter().map(Animation::last_time).fold(0.0, f64::max)
    }
}

/// `Animation`: the motion of one frame.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Animation<'a> {
    /// Name as written.
    pub name: Option<Text<'a>>,
    /// The frame it moves, from the last reference or frame inside; `None` if it names none.
    pub target: Option<Target<'a>>,
    /// The key lists in order.
    pub keys: Vec<AnimationKey>,
    /// The last `AnimationOptions`.
    pub options: Option<AnimationOptions>,
    /// The whole object.
    pub span: Span,
}

impl Animation<'_> {
    /// True if its options play it once; closed ones and those without options repeat.
    ///
    /// So Direct3D Retained Mode used `D3DRMANIMATION_OPEN`; D3DX plays all sets in loops, and Wintermute reads 1 as a
    /// loop (docs/formats/x.md "Time").
    pub fn is_open(&self) -> bool {
        self.options.is_some_and(|options| options.open_closed.value == 1)
    }

    fn last_time(&self) -> f64 {
        self.keys.iter().flat_map(|keys| &keys.times).copied().fold(0.0, f64::max)
    }
}

/// Target of an animation.
#[derive(Debug, Clone, PartialEq)]
pub struct Target<'a> {
    /// The frame's name.
    pub name: Text<'a>,
    /// Index of the frame: the first of its name; `None` if this file has none.
    pub frame: Option<usize>,
}

/// `AnimationOptions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnimationOptions {
    /// 0 closed, 1 open: see [`Animation::is_open`].
    pub open_closed: Int,
    /// 0 spline, 1 linear; no reader draws splines.
    pub position_quality: Int,
}

/// Meaning of a key's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyKind {
    /// Type 0: w, x, y, z of a quaternion, the conjugate of D3DX's own.
    Rotation,
    /// Type 1: x, y, z.
    Scale,
    /// Type 2: x, y, z.
    Position,
    /// Types 3 and 4: a [`Matrix`].
    Matrix,
}

impl KeyKind {
    /// Returns the numbers in one key: 3, 4 or 16.
    pub fn width(self) -> usize {
        match self {
            Self::Rotation => 4,
            Self::Scale | Self::Position => 3,
            Self::Matrix => 16,
        }
    }

    /// Returns the type number in files.
    pub fn key_type(self) -> i64 {
        match self {
            Self::Rotation => 0,
            Self::Scale => 1,
            Self::Position => 2,
            Self::Matrix => 4,
        }
    }
}

/// `AnimationKey`: a list of keys of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct AnimationKey {
    /// Meaning of the values.
    pub kind: KeyKind,
    /// Times in ticks ([`Document::ticks_per_second`]), one per key, not necessarily rising.
    pub times: Vec<f64>,
    /// Values of all keys, `times.len() * kind.width()` numbers.
    pub values: Numbers,
    /// The whole object.
    pub span: Span,
}

/// `DeclData`: further data of every vertex, as bit patterns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeclData {
    /// The layout of one vertex, in order and without gaps.
    pub elements: Vec<VertexElement>,
    /// Words of all vertices.
    pub data: Vec<u32>,
    /// The whole object.
    pub span: Span,
}

/// `VertexElement`: Direct3D's `D3DVERTEXELEMENT9` without stream and offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexElement {
    /// `D3DDECLTYPE`, 0 to 16: the number and meaning of its words.
    pub kind: u32,
    /// `D3DDECLMETHOD`
    pub method: u32,
    /// `D3DDECLUSAGE`, such as [`USAGE_NORMAL`](super::USAGE_NORMAL).
    pub usage: u32,
    /// Number among the elements of one usage, from 0.
    pub usage_index: u32,
}

/// `FVFData`: further data of every vertex, as bit patterns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FvfData {
    /// Direct3D's `D3DFVF` flags.
    pub fvf: u32,
    /// Words of all vertices.
    pub data: Vec<u32>,
    /// The whole object.
    pub span: Span,
}
