//! The one table of skinning methods: what each is called, where it comes from and within which limits it works.
//!
//! Adding a method means a row here, its reference beside this file and its shader; everything else reads the table.

use std::fmt;
use std::str::FromStr;

/// Names a row of [`METHODS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is described by its row in the table")]
pub enum MethodId {
    Cpu,
    Ffp,
    FfpIndexed,
    MatrixLoop,
    MatrixUnrolled,
    MatrixBlend,
    Gradient,
    JointOffsets,
    QuatArray,
    BoneTexture,
    Sjb,
    Sjbbe,
    Sbs,
    Dqs,
    Cor,
    Rigid,
    Morph,
    GpuHierarchy,
}

/// Where the vertices are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// On the CPU; vertices are streamed.
    Cpu,
    /// In a vertex shader.
    VertexShader,
    /// In fragment passes over textures, read by a vertex shader.
    FragmentPasses,
}

/// What one joint of a batch looks like to the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointData {
    /// Nothing: the CPU has done the work.
    None,
    /// Three rows of the palette matrix.
    Rows4x3,
    /// The palette matrix with all four columns.
    Matrix4x4,
    /// The pose's rotation and position (not the palette's).
    PoseQuatPosition,
    /// The palette's rotation and translation.
    PaletteQuatPosition,
    /// The palette's rotation and the joint's posed position.
    PaletteQuatJointPosition,
    /// The palette as a dual quaternion.
    DualQuat,
    /// Three rows of the palette matrix and its rotation.
    Rows4x3AndQuat,
    /// The local rotation and translation.
    LocalQuatPosition,
}

impl JointData {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Rows4x3 => "4x3 matrix",
            Self::Matrix4x4 => "4x4 matrix",
            Self::PoseQuatPosition => "pose quat + position",
            Self::PaletteQuatPosition => "quat + translation",
            Self::PaletteQuatJointPosition => "quat + joint position",
            Self::DualQuat => "dual quaternion",
            Self::Rows4x3AndQuat => "4x3 matrix + quat",
            Self::LocalQuatPosition => "local quat + position",
        }
    }
}

/// How many joints one batch may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// As many as there are.
    Any,
    /// This many whatever the budget: it is what the method is.
    Always(u32),
    /// As many as the budget's registers hold, and at most as many as the article had (`None`: it set no bound).
    Budget(Option<u32>),
}

/// How the weights of a vertex reach the method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// As the file has them.
    AsWritten,
    /// Divided by their sum.
    SumToOne,
    /// Divided by their sum, and all but the last stored: that one is what is missing to 1.
    LastImplied,
}

/// Which form of the vertex the method turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vertex {
    /// One offset per influence, in joint space, as MD5 stores them.
    Offsets,
    /// One bind-space position.
    BindPosition,
}

/// How a method turns normals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normals {
    /// By the inverse transpose of the blended matrix (article 001 section 3.4): exact.
    Blended,
    /// By the matrix of each joint; the turned ones are summed by weight (articles 000 and 002): exact for one
    /// influence, close for several.
    PerJoint,
    /// By the vertex' own rotation.
    Turned,
}

/// What the method's vertices are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reference {
    /// The weighted sum that all linear methods share.
    Linear,
    /// Its own formula.
    Own,
}

/// What the machine or the model must offer beyond GLSL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// Texture units readable from the vertex shader.
    pub vertex_textures: u32,
    /// Textures with float components.
    pub float_textures: bool,
    /// Rendering into such textures.
    pub float_targets: bool,
    /// Joints that only rotate and move: scale and shear cannot be expressed.
    pub rigid_joints: bool,
    /// A clip: there is nothing to show in a pose that no clip has.
    pub clip: bool,
}

impl Needs {
    /// Nothing special.
    const NONE: Self =
        Self { vertex_textures: 0, float_textures: false, float_targets: false, rigid_joints: false, clip: false };
    /// Rotations as quaternions.
    const RIGID: Self = Self { rigid_joints: true, ..Self::NONE };

    /// For people; empty if nothing is needed.
    pub fn text(self) -> String {
        let units = match self.vertex_textures {
            0 => String::new(),
            1 => "1 vertex texture unit".to_owned(),
            many => format!("{many} vertex texture units"),
        };
        let parts = [
            (self.vertex_textures > 0, units.as_str()),
            (self.float_textures, "float textures"),
            (self.float_targets, "rendering to float textures"),
            (self.rigid_joints, "rigid joints"),
            (self.clip, "a clip"),
        ];
        parts.into_iter().filter_map(|(needed, text)| needed.then_some(text)).collect::<Vec<_>>().join(", ")
    }
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Method {
    /// The row.
    pub id: MethodId,
    /// What `--method` takes; also the stem of its shader files.
    pub name: &'static str,
    /// Where it comes from.
    pub article: &'static str,
    /// Where the vertices are computed.
    pub stage: Stage,
    /// Version that the shader asks for (110, 120, 130); `None` for `cpu`, which needs the plain shader only.
    pub glsl: Option<u16>,
    /// What is uploaded per joint.
    pub joint_data: JointData,
    /// Constant registers (vec4 uniforms) that one joint takes; 0 where the palette is elsewhere.
    pub registers: u32,
    /// How many joints one batch may use.
    pub capacity: Capacity,
    /// Influences per vertex; `None` for all.
    pub influences: Option<usize>,
    /// How the weights are stored.
    pub weights: Weights,
    /// Influences up to this weight are skipped, the others divided by their sum.
    pub lightest: f32,
    /// What is multiplied by the joints.
    pub vertex: Vertex,
    /// How normals are turned.
    pub normals: Normals,
    /// What it is compared with.
    pub reference: Reference,
    /// What it needs.
    pub needs: Needs,
    /// One sentence for people.
    pub about: &'static str,
}

/// A method in the common case: four influences of a bind-space position with the palette in registers.
const fn shader(id: MethodId, name: &'static str, article: &'static str, about: &'static str) -> Method {
    Method {
        id,
        name,
        article,
        stage: Stage::VertexShader,
        glsl: Some(120),
        joint_data: JointData::Rows4x3,
        registers: 3,
        capacity: Capacity::Budget(None),
        influences: Some(4),
        weights: Weights::AsWritten,
        lightest: 0.0,
        vertex: Vertex::BindPosition,
        normals: Normals::Blended,
        reference: Reference::Linear,
        needs: Needs::NONE,
        about,
    }
}

/// All methods, in the order in which they are listed and cycled through.
///
/// Figures: skinning-methods.md. `quat-array` keeps its palette in a `float` array, of which each element takes a
/// register of its own; `ffp-indexed` had matrices beside the registers, which are emulated by three of them.
pub static METHODS: [Method; 18] = [
    Method {
        stage: Stage::Cpu,
        glsl: None,
        joint_data: JointData::None,
        registers: 0,
        capacity: Capacity::Any,
        influences: None,
        vertex: Vertex::Offsets,
        ..shader(
            MethodId::Cpu,
            "cpu",
            "000 SW, 001, 002",
            "the weighted sum over all influences on the CPU, vertices streamed every frame",
        )
    },
    Method {
        glsl: Some(110),
        capacity: Capacity::Always(4),
        weights: Weights::LastImplied,
        ..shader(
            MethodId::Ffp,
            "ffp",
            "000 FFP",
            "four matrices per draw, no indices: the fixed-function pipeline's vertex blending",
        )
    },
    Method {
        glsl: Some(110),
        capacity: Capacity::Budget(Some(57)),
        weights: Weights::LastImplied,
        ..shader(
            MethodId::FfpIndexed,
            "ffp-indexed",
            "000 FFP2",
            "a matrix palette with byte indices: the fixed-function pipeline of a Radeon 8500",
        )
    },
    Method {
        weights: Weights::LastImplied,
        normals: Normals::PerJoint,
        ..shader(
            MethodId::MatrixLoop,
            "matrix-loop",
            "000 VSP",
            "position and normal turned by every matrix, in a loop with a uniform bound",
        )
    },
    Method {
        weights: Weights::LastImplied,
        normals: Normals::PerJoint,
        ..shader(
            MethodId::MatrixUnrolled,
            "matrix-unrolled",
            "000 VSP2",
            "as matrix-loop, compiled once per influence count, without flow control",
        )
    },
    Method {
        weights: Weights::LastImplied,
        ..shader(
            MethodId::MatrixBlend,
            "matrix-blend",
            "000 VSP3",
            "the matrices are summed first and transform once: the fastest of article 000",
        )
    },
    Method {
        joint_data: JointData::Matrix4x4,
        registers: 4,
        capacity: Capacity::Budget(Some(32)),
        ..shader(
            MethodId::Gradient,
            "gradient",
            "001",
            "mat4 palette of gradient matrices, indices as floats with 0.2 added",
        )
    },
    Method {
        joint_data: JointData::PoseQuatPosition,
        registers: 2,
        capacity: Capacity::Budget(Some(100)),
        lightest: 0.001,
        vertex: Vertex::Offsets,
        normals: Normals::PerJoint,
        needs: Needs::RIGID,
        ..shader(
            MethodId::JointOffsets,
            "joint-offsets",
            "002",
            "the pose itself as quaternions; each influence brings its own joint-space offset, as in the file",
        )
    },
    Method {
        glsl: Some(130),
        joint_data: JointData::PaletteQuatPosition,
        registers: 7,
        capacity: Capacity::Budget(Some(18)),
        normals: Normals::PerJoint,
        needs: Needs::RIGID,
        ..shader(
            MethodId::QuatArray,
            "quat-array",
            "004",
            "seven floats per joint in one float array, rotation by Doom 3's nine products",
        )
    },
    Method {
        joint_data: JointData::PaletteQuatPosition,
        registers: 0,
        capacity: Capacity::Budget(Some(256)),
        needs: Needs { vertex_textures: 2, float_textures: true, rigid_joints: true, ..Needs::NONE },
        ..shader(
            MethodId::BoneTexture,
            "bone-texture",
            "003",
            "the palette in two float textures that the vertex shader reads, written in turn",
        )
    },
    Method {
        joint_data: JointData::PaletteQuatJointPosition,
        registers: 2,
        weights: Weights::SumToOne,
        normals: Normals::Turned,
        reference: Reference::Own,
        needs: Needs::RIGID,
        ..shader(
            MethodId::Sjb,
            "sjb",
            "000 section 5.2",
            "spherical joint blending: a blended quaternion about the joint, no candy wrapper",
        )
    },
    Method {
        joint_data: JointData::PaletteQuatJointPosition,
        registers: 3,
        weights: Weights::SumToOne,
        normals: Normals::Turned,
        reference: Reference::Own,
        needs: Needs::RIGID,
        ..shader(
            MethodId::Sjbbe,
            "sjbbe",
            "000 section 5.3",
            "sjb with up to four example poses per joint, blended by radial basis functions",
        )
    },
    Method {
        joint_data: JointData::PaletteQuatPosition,
        registers: 2,
        weights: Weights::SumToOne,
        normals: Normals::Turned,
        reference: Reference::Own,
        needs: Needs { vertex_textures: 1, float_textures: true, rigid_joints: true, ..Needs::NONE },
        ..shader(
            MethodId::Sbs,
            "sbs",
            "Kavan and Zara 2005",
            "spherical blend skinning: a blended quaternion about a centre fitted to each set of joints",
        )
    },
    Method {
        joint_data: JointData::DualQuat,
        registers: 2,
        weights: Weights::SumToOne,
        normals: Normals::Turned,
        reference: Reference::Own,
        needs: Needs::RIGID,
        ..shader(MethodId::Dqs, "dqs", "Kavan et al. 2007", "blended dual quaternions")
    },
    Method {
        joint_data: JointData::Rows4x3AndQuat,
        registers: 4,
        weights: Weights::SumToOne,
        normals: Normals::Turned,
        reference: Reference::Own,
        needs: Needs::RIGID,
        ..shader(
            MethodId::Cor,
            "cor",
            "Le and Hodgins 2016",
            "a blended quaternion about a centre of rotation computed per vertex from the weights",
        )
    },
    Method {
        capacity: Capacity::Budget(None),
        influences: Some(1),
        weights: Weights::LastImplied,
        reference: Reference::Own,
        ..shader(MethodId::Rigid, "rigid", "000 section 2.4.2", "every vertex follows its heaviest joint alone")
    },
    Method {
        glsl: Some(110),
        joint_data: JointData::None,
        registers: 0,
        capacity: Capacity::Any,
        influences: None,
        vertex: Vertex::Offsets,
        reference: Reference::Own,
        needs: Needs { clip: true, ..Needs::NONE },
        ..shader(
            MethodId::Morph,
            "morph",
            "000 section 2.3, 002",
            "vertices stored per key frame, moved on straight lines between them",
        )
    },
    Method {
        stage: Stage::FragmentPasses,
        joint_data: JointData::LocalQuatPosition,
        registers: 0,
        capacity: Capacity::Any,
        influences: None,
        vertex: Vertex::Offsets,
        normals: Normals::PerJoint,
        needs: Needs { vertex_textures: 1, float_textures: true, float_targets: true, rigid_joints: true, clip: false },
        ..shader(
            MethodId::GpuHierarchy,
            "gpu-hierarchy",
            "002, closing section",
            "local poses in textures; the hierarchy and the vertices are computed by fragment passes",
        )
    },
];

/// The articles that the rows name by number.
pub const ARTICLES: [(&str, &str); 5] = [
    ("000", "Vít Houska: Animace na GPU (diploma thesis, Charles University, 2005; Czech)"),
    ("001", "Alessandro Ribeiro: Programação de Personagem 3D, Parte 1: Skinning de Mesh (Portuguese)"),
    ("002", "Основы скелетной анимации (skeletal animation of Doom 3's models, on the GPU; Russian)"),
    ("003", "ひにけにXNA: 頂点テクスチャでスキンアニメーション (skinning by vertex textures, 2009; Japanese)"),
    ("004", "iOrange: Расчет скелетной анимации в шейдере (skeletal animation in a shader, 2011; Russian)"),
];

impl MethodId {
    /// The row.
    pub fn method(self) -> &'static Method {
        &METHODS[self as usize]
    }

    /// All ids, in the table's order.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        METHODS.iter().map(|method| method.id)
    }
}

impl fmt::Display for MethodId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.method().name)
    }
}

/// A name that is in no row.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no skinning method is called '{name}'; there are {}", names())]
pub struct UnknownMethod {
    /// What was asked for.
    pub name: String,
}

fn names() -> String {
    METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", ")
}

impl FromStr for MethodId {
    type Err = UnknownMethod;

    fn from_str(name: &str) -> Result<Self, UnknownMethod> {
        let found = METHODS.iter().find(|method| method.name == name);
        found.map(|method| method.id).ok_or_else(|| UnknownMethod { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_where_their_ids_point() {
        for (place, method) in METHODS.iter().enumerate() {
            assert_eq!(method.id as usize, place, "{}", method.name);
            assert_eq!(method.id.method().name, method.name);
            assert_eq!(method.name.parse(), Ok(method.id));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = "matrx-blend".parse::<MethodId>().unwrap_err().to_string();
        assert!(error.starts_with("no skinning method is called 'matrx-blend'; there are cpu, ffp, "), "{error}");
    }

    /// skinning-methods.md, the rows' columns for GLSL, registers, capacity and influences.
    #[test]
    fn the_table_agrees_with_the_articles() {
        use Capacity::{Always, Any, Budget};
        let expected = [
            ("cpu", None, 0, Any, None),
            ("ffp", Some(110), 3, Always(4), Some(4)),
            ("ffp-indexed", Some(110), 3, Budget(Some(57)), Some(4)),
            ("matrix-loop", Some(120), 3, Budget(None), Some(4)),
            ("matrix-unrolled", Some(120), 3, Budget(None), Some(4)),
            ("matrix-blend", Some(120), 3, Budget(None), Some(4)),
            ("gradient", Some(120), 4, Budget(Some(32)), Some(4)),
            ("joint-offsets", Some(120), 2, Budget(Some(100)), Some(4)),
            ("quat-array", Some(130), 7, Budget(Some(18)), Some(4)),
            ("bone-texture", Some(120), 0, Budget(Some(256)), Some(4)),
            ("sjb", Some(120), 2, Budget(None), Some(4)),
            ("sjbbe", Some(120), 3, Budget(None), Some(4)),
            ("sbs", Some(120), 2, Budget(None), Some(4)),
            ("dqs", Some(120), 2, Budget(None), Some(4)),
            ("cor", Some(120), 4, Budget(None), Some(4)),
            ("rigid", Some(120), 3, Budget(None), Some(1)),
            ("morph", Some(110), 0, Any, None),
            ("gpu-hierarchy", Some(120), 0, Any, None),
        ];
        let actual = METHODS.iter().map(|row| (row.name, row.glsl, row.registers, row.capacity, row.influences));
        assert!(actual.eq(expected), "{METHODS:#?}");
    }
}
