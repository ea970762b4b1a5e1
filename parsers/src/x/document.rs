//! Content of a file that concerns models, in the file's own words, units, axes and order.

use super::{Int, Numbers, Text, Vectors};
use crate::Span;

/// Content of a .x file that concerns models. Each `span` covers the whole object.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document<'a> {
    /// The first `Header` object.
    pub header: Option<Header>,
    /// All frames in depth-first order, parents before their children.
    pub frames: Vec<Frame<'a>>,
    /// All meshes: those of frames in the order of the frames, then those at top level.
    pub meshes: Vec<Mesh<'a>>,
    /// Uses of meshes, in the same order. A mesh can be drawn in several frames.
    pub mesh_uses: Vec<MeshUse>,
    /// All materials, including those inside meshes, in the order of the frames that use them. Unused ones come last.
    pub materials: Vec<Material<'a>>,
    /// Every `AnimTicksPerSecond` at top level. The last one counts.
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
    /// Flags of the header: 1 for text.
    pub flags: Int,
}

/// `Frame`
#[derive(Debug, Clone, PartialEq)]
pub struct Frame<'a> {
    /// Name as written. It need not be unique.
    pub name: Option<Text<'a>>,
    /// Index of the parent frame, always smaller than the frame's own index.
    pub parent: Option<usize>,
    /// Every FrameTransformMatrix in the frame. The last one counts. Without any, the matrix is the identity.
    pub matrices: Vec<Matrix>,
    /// The whole object.
    pub span: Span,
}

impl Frame<'_> {
    /// Returns the last matrix, which counts. Returns `None` if there is none.
    pub fn matrix(&self) -> Option<&Matrix> {
        self.matrices.last()
    }
}

/// Use of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeshUse {
    /// Index into [`Document::meshes`].
    pub mesh: usize,
    /// Index of the mesh's frame. `None` at top level.
    pub frame: Option<usize>,
    /// The mesh or the reference to it.
    pub span: Span,
}

/// `Mesh`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh<'a> {
    /// Name as written.
    pub name: Option<Text<'a>>,
    /// Positions in file units, left-handed.
    pub vertices: Vectors<3>,
    /// Polygons of three or more corners, clockwise as seen from the front. Indices are in range.
    pub faces: Faces,
    /// `MeshNormals`, if its faces match those of the mesh.
    pub normals: Option<MeshNormals>,
    /// `MeshTextureCoords`
    pub texture_coords: Option<MeshTextureCoords>,
    /// `MeshVertexColors`
    pub vertex_colors: Option<MeshVertexColors>,
    /// `MeshMaterialList`
    pub material_list: Option<MeshMaterialList>,
    /// `VertexDuplicationIndices`, if it has one index per vertex.
    pub duplication: Option<VertexDuplicationIndices>,
    /// `DeclData`, if the number of its words matches the vertices.
    pub decl_data: Option<DeclData>,
    /// `FVFData`, if the number of its words matches the vertices.
    pub fvf_data: Option<FvfData>,
    /// `XSkinMeshHeader`
    pub skin_header: Option<XSkinMeshHeader>,
    /// `SkinWeights`, one per bone.
    pub skin_weights: Vec<SkinWeights<'a>>,
    /// The whole object.
    pub span: Span,
}

/// Polygons in one flat list. [`Object::face_spans`](super::Object::face_spans) returns their positions.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faces {
    /// Corners of all faces, face by face.
    pub corners: Vec<u32>,
    /// End of each face's corners in `corners`.
    pub ends: Vec<u32>,
}

impl Faces {
    /// Returns the number of faces.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True if there are no faces.
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
    /// Normals. They need not have unit length.
    pub normals: Vectors<3>,
    /// Indices of the normals at each face's corners. Indices are in range.
    pub faces: Faces,
    /// The whole object.
    pub span: Span,
}

/// `MeshTextureCoords`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshTextureCoords {
    /// u and v per vertex, with v downwards from the top of the image. Faulty files can have too few or too many.
    pub coords: Vectors<2>,
    /// The whole object.
    pub span: Span,
}

/// `MeshVertexColors`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshVertexColors {
    /// Vertices and their red, green, blue and alpha. Vertices that are not listed are white. Indices are in range.
    pub colors: Vec<(u32, [f64; 4])>,
    /// The whole object.
    pub span: Span,
}

/// `MeshMaterialList`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MeshMaterialList {
    /// Declared number of materials. `materials.len()` is the number found.
    pub declared: Option<Int>,
    /// Indices into [`Document::materials`].
    pub materials: Vec<usize>,
    /// Index into `materials` for each face. Indices are in range, and there is one per face unless `materials` is
    /// empty.
    pub face_materials: Vec<u32>,
    /// The whole object.
    pub span: Span,
}

/// `VertexDuplicationIndices`
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VertexDuplicationIndices {
    /// Original of each vertex: the vertex that it copies, or itself.
    pub indices: Vec<u32>,
    /// The whole object.
    pub span: Span,
}

/// `XSkinMeshHeader`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct XSkinMeshHeader {
    /// Largest number of weights on one vertex. Often wrong.
    pub max_weights_per_vertex: Int,
    /// Largest number of weights on one face. Often wrong.
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
    /// Index of the first frame with that name.
    pub frame: Option<usize>,
    /// Vertices and weights as written, including zeros. Vertices are in range.
    pub weights: Vec<(u32, f64)>,
    /// Transform from mesh space to the bone's space in the bind pose.
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
    /// Specular exponent. Some exporters write 0 for none.
    pub power: f64,
    /// Specular red, green, blue.
    pub specular: [f64; 3],
    /// Emissive red, green, blue.
    pub emissive: [f64; 3],
    /// Texture files in order: `TextureFilename`, and exporters' own types such as `NormalmapFilename`.
    pub textures: Vec<Texture<'a>>,
    /// `EffectInstance`
    pub effect: Option<EffectInstance<'a>>,
    /// The whole object.
    pub span: Span,
}

/// Texture of a material.
#[derive(Debug, Clone, PartialEq)]
pub struct Texture<'a> {
    /// Type of the object.
    pub kind: Text<'a>,
    /// File name as written, with backslashes.
    pub filename: Text<'a>,
}

/// `EffectInstance`
#[derive(Debug, Clone, PartialEq)]
pub struct EffectInstance<'a> {
    /// Effect file.
    pub filename: Text<'a>,
    /// Parameters of the effect in order.
    pub parameters: Vec<EffectParameter<'a>>,
}

/// Parameter of an effect.
#[derive(Debug, Clone, PartialEq)]
pub struct EffectParameter<'a> {
    /// Name of the parameter.
    pub name: Text<'a>,
    /// Value of the parameter.
    pub value: EffectValue<'a>,
}

/// Value of an effect's parameter.
#[derive(Debug, Clone, PartialEq)]
pub enum EffectValue<'a> {
    /// `EffectParamFloats`: 1 number is a float, 2 to 4 are a vector, 16 are a matrix, others are an array.
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
    /// Animations in order.
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
    /// Frame that the animation moves, from the last reference or frame inside. `None` if it names none.
    pub target: Option<Target<'a>>,
    /// Lists of keys in order.
    pub keys: Vec<AnimationKey>,
    /// Last `AnimationOptions`.
    pub options: Option<AnimationOptions>,
    /// The whole object.
    pub span: Span,
}

impl Animation<'_> {
    /// True if its options play it once. Closed ones and those without options repeat.
    ///
    /// So Direct3D Retained Mode used `D3DRMANIMATION_OPEN`. D3DX plays all sets in loops, and Wintermute reads 1 as a
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
    /// Name of the frame.
    pub name: Text<'a>,
    /// Index of the first frame with that name. `None` if this file has none.
    pub frame: Option<usize>,
}

/// `AnimationOptions`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnimationOptions {
    /// 0 for closed, 1 for open: see [`Animation::is_open`].
    pub open_closed: Int,
    /// 0 for spline, 1 for linear. No reader supports splines.
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

/// `AnimationKey`: list of keys of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct AnimationKey {
    /// Meaning of the values.
    pub kind: KeyKind,
    /// Times in ticks ([`Document::ticks_per_second`]), one per key. They need not rise.
    pub times: Vec<f64>,
    /// Values of all keys: `times.len() * kind.width()` numbers.
    pub values: Numbers,
    /// The whole object.
    pub span: Span,
}

/// `DeclData`: further data of every vertex, as bit patterns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeclData {
    /// Layout of one vertex, in order and without gaps.
    pub elements: Vec<VertexElement>,
    /// Words of all vertices.
    pub data: Vec<u32>,
    /// The whole object.
    pub span: Span,
}

/// `VertexElement`: Direct3D's `D3DVERTEXELEMENT9` without stream and offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexElement {
    /// `D3DDECLTYPE`, 0 to 16: number and meaning of the element's words.
    pub kind: u32,
    /// `D3DDECLMETHOD`
    pub method: u32,
    /// `D3DDECLUSAGE`, for example [`USAGE_NORMAL`](super::USAGE_NORMAL).
    pub usage: u32,
    /// Index among the elements with one usage, from 0.
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
