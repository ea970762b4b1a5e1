//! The one table of skinning methods: what each is called, where it comes from and within which limits it works.
//!
//! Adding a method means a row here, its reference beside this file and its shader; everything else reads the table. A row
//! chooses among the layouts of joints and vertices that the renderer can upload ([`JointData`], [`VertexLayout`], [`Data`]).

use super::prepare::{Formula, Prepare, Prepared, TimedPose, nothing};
use super::{Skinned, cor, dqs, linear, linear_joint_normals, morph, rigid, sbs, sjb, sjbbe};
use glam::DAffine3;
use std::fmt;
use std::str::FromStr;

/// Where the vertices are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkinningStage {
    /// On the CPU; vertices are streamed.
    Cpu,
    /// In a vertex shader.
    VertexShader,
    /// In fragment passes over textures, read by a vertex shader.
    FragmentPasses,
}

/// What one joint of a batch looks like to the method: arrays of uniforms, or texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointData {
    /// Nothing: the CPU has done the work.
    None,
    /// `palette[3 * JOINTS]`: three rows of the palette matrix.
    Rows,
    /// `palette[JOINTS]`: the palette matrix with all four columns.
    Matrices,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: the pose's rotation and position (not the palette's), and the parent.
    PoseQuaternions,
    /// `bones[7 * JOINTS]`: the palette's conjugate rotation and translation, number by number.
    SevenFloats,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: the palette's rotation and translation.
    Quaternions,
    /// The same in two textures, a row per copy.
    QuaternionTexels,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: the palette's rotation and the joint's posed position.
    Pivots,
    /// As `Pivots`, and `exampleWeights[JOINTS]`.
    PivotsAndExamples,
    /// `boneReal[JOINTS]`, `boneDual[JOINTS]`: the palette as dual quaternions.
    DualQuaternions,
    /// `palette[3 * JOINTS]`, `boneQuat[JOINTS]`: three rows of the palette matrix and its rotation.
    RowsAndQuaternions,
    /// The local rotation and translation, in a texture.
    LocalTexels,
}

impl JointData {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Rows => "4x3 matrix",
            Self::Matrices => "4x4 matrix",
            Self::PoseQuaternions => "pose quat + position",
            Self::SevenFloats | Self::Quaternions | Self::QuaternionTexels => "quat + translation",
            Self::Pivots | Self::PivotsAndExamples => "quat + joint position",
            Self::DualQuaternions => "dual quaternion",
            Self::RowsAndQuaternions => "4x3 matrix + quat",
            Self::LocalTexels => "local quat + position",
        }
    }

    /// Constant registers (vec4 uniforms) that one joint takes; 0 where the palette is elsewhere. Of a `float` array each
    /// element takes one.
    pub fn registers(self) -> u32 {
        match self {
            Self::None | Self::QuaternionTexels | Self::LocalTexels => 0,
            Self::PoseQuaternions | Self::Quaternions | Self::Pivots | Self::DualQuaternions => 2,
            Self::Rows | Self::PivotsAndExamples => 3,
            Self::Matrices | Self::RowsAndQuaternions => 4,
            Self::SevenFloats => 7,
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
}

/// How a method's vertices are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VertexLayout {
    /// Bind position, four indices, three weights; the last weight is what is missing to 1.
    LastImplied,
    /// Bind position and three weights for the first three of four joints, without indices.
    InOrder,
    /// Bind position, four indices, four weights.
    Four,
    /// As `Four`, indices raised by 0.2 so that truncation is safe (article 001).
    FourRaised,
    /// As `Four`, the position relative to the first joint's bind position.
    FromPivot,
    /// Bind position and one index.
    One,
    /// One offset per influence, in joint space, as MD5 stores them.
    Offsets,
    /// The same, in textures; the vertex has the place of its texels only.
    Texel,
    /// As the pose has it: skinned by the CPU from offsets, written anew for every pose.
    Finished,
    /// As two key frames have it, written anew when a key is passed.
    TwoFrames,
}

impl VertexLayout {
    /// Whether all influences share one bind position, and the file's offsets are lost.
    pub fn is_bind_position(self) -> bool {
        !matches!(self, Self::Offsets | Self::Texel | Self::Finished | Self::TwoFrames)
    }
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
#[derive(Debug, Clone)]
pub struct Method {
    /// What `--method` takes; also the stem of its shader files.
    pub name: &'static str,
    /// Where it comes from.
    pub article: &'static str,
    /// Where the vertices are computed.
    pub stage: SkinningStage,
    /// Version that the shader asks for (110, 120, 130); `None` for `cpu`, which needs the plain shader only.
    pub glsl: Option<u16>,
    /// What is uploaded per joint.
    pub joint_data: JointData,
    /// How many joints one batch may use.
    pub capacity: Capacity,
    /// Influences per vertex; `None` for all.
    pub influences: Option<usize>,
    /// How the weights are stored.
    pub weights: Weights,
    /// Influences up to this weight are skipped, the others divided by their sum.
    pub lightest: f32,
    /// How vertices are stored.
    pub vertex: VertexLayout,
    /// Whether its shader is compiled once per influence count.
    pub unrolled: bool,
    /// How normals are turned.
    pub normals: Normals,
    /// What it works out once per mesh.
    pub prepare: Prepare,
    /// Its vertices in f64.
    pub formula: Formula,
    /// What it is compared with.
    pub reference: Reference,
    /// What it needs.
    pub needs: Needs,
    /// One sentence for people.
    pub about: &'static str,
}

/// A method in the common case: four influences of a bind-space position with the palette in registers.
const fn shader(name: &'static str, article: &'static str, about: &'static str) -> Method {
    Method {
        name,
        article,
        stage: SkinningStage::VertexShader,
        glsl: Some(120),
        joint_data: JointData::Rows,
        capacity: Capacity::Budget(None),
        influences: Some(4),
        weights: Weights::AsWritten,
        lightest: 0.0,
        vertex: VertexLayout::Four,
        unrolled: false,
        normals: Normals::Blended,
        prepare: nothing,
        formula: |it, moment, palette, out| linear(&it.mesh, moment.pose, palette, out),
        reference: Reference::Linear,
        needs: Needs::NONE,
        about,
    }
}

/// Makes the table and the names of its rows.
macro_rules! methods {
    ($($id:ident = $row:expr),* $(,)?) => {
        /// Names a row of [`METHODS`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "each is described by its row in the table")]
        pub enum MethodId {
            $($id),*
        }

        /// All methods, in the order in which they are listed and cycled through.
        ///
        /// Figures: docs/methods.md "Limits and batches". `ffp-indexed` had matrices beside the registers, which are
        /// emulated by three of them.
        pub static METHODS: &[Method] = &[$($row),*];

        const IDS: &[MethodId] = &[$(MethodId::$id),*];
    };
}

/// The weighted sum with normals turned joint by joint.
fn linear_by_joint(it: &Prepared, moment: TimedPose<'_>, palette: &[DAffine3], out: &mut Skinned) {
    linear_joint_normals(&it.mesh, moment.pose, palette, out);
}

methods!(
    Cpu = Method {
        stage: SkinningStage::Cpu,
        glsl: None,
        joint_data: JointData::None,
        capacity: Capacity::Any,
        influences: None,
        vertex: VertexLayout::Finished,
        ..shader(
            "cpu",
            "000 SW, 001, 002",
            "the weighted sum over all influences on the CPU, vertices streamed every frame",
        )
    },
    Ffp = Method {
        glsl: Some(110),
        capacity: Capacity::Always(4),
        weights: Weights::SumToOne,
        vertex: VertexLayout::InOrder,
        ..shader("ffp", "000 FFP", "four matrices per draw, no indices: the fixed-function pipeline's vertex blending")
    },
    FfpIndexed = Method {
        glsl: Some(110),
        capacity: Capacity::Budget(Some(57)),
        weights: Weights::SumToOne,
        vertex: VertexLayout::LastImplied,
        ..shader(
            "ffp-indexed",
            "000 FFP2",
            "a matrix palette with byte indices: the fixed-function pipeline of a Radeon 8500",
        )
    },
    MatrixLoop = Method {
        weights: Weights::SumToOne,
        vertex: VertexLayout::LastImplied,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        ..shader("matrix-loop", "000 VSP", "position and normal turned by every matrix, in a loop with a uniform bound")
    },
    MatrixUnrolled = Method {
        weights: Weights::SumToOne,
        vertex: VertexLayout::LastImplied,
        unrolled: true,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        ..shader(
            "matrix-unrolled",
            "000 VSP2",
            "as matrix-loop, compiled once per influence count, without flow control",
        )
    },
    MatrixBlend = Method {
        weights: Weights::SumToOne,
        vertex: VertexLayout::LastImplied,
        ..shader(
            "matrix-blend",
            "000 VSP3",
            "the matrices are summed first and transform once: the fastest of article 000",
        )
    },
    Gradient = Method {
        joint_data: JointData::Matrices,
        vertex: VertexLayout::FourRaised,
        capacity: Capacity::Budget(Some(32)),
        ..shader("gradient", "001", "mat4 palette of gradient matrices, indices as floats with 0.2 added")
    },
    JointOffsets = Method {
        joint_data: JointData::PoseQuaternions,
        capacity: Capacity::Budget(Some(100)),
        lightest: 0.001,
        vertex: VertexLayout::Offsets,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        needs: Needs::RIGID,
        ..shader(
            "joint-offsets",
            "002",
            "the pose itself as quaternions; each influence brings its own joint-space offset, as in the file",
        )
    },
    QuatArray = Method {
        glsl: Some(130),
        joint_data: JointData::SevenFloats,
        capacity: Capacity::Budget(Some(18)),
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        needs: Needs::RIGID,
        ..shader("quat-array", "004", "seven floats per joint in one float array, rotation by Doom 3's nine products")
    },
    BoneTexture = Method {
        joint_data: JointData::QuaternionTexels,
        capacity: Capacity::Budget(Some(256)),
        needs: Needs { vertex_textures: 2, float_textures: true, rigid_joints: true, ..Needs::NONE },
        ..shader(
            "bone-texture",
            "003",
            "the palette in two float textures that the vertex shader reads, written in turn",
        )
    },
    Sjb = Method {
        joint_data: JointData::Pivots,
        weights: Weights::SumToOne,
        vertex: VertexLayout::FromPivot,
        normals: Normals::Turned,
        prepare: sjb::prepare,
        formula: sjb::formula,
        reference: Reference::Own,
        needs: Needs::RIGID,
        ..shader(
            "sjb",
            "000 section 5.2",
            "spherical joint blending: a blended quaternion about the joint, no candy wrapper",
        )
    },
    Sjbbe = Method {
        joint_data: JointData::PivotsAndExamples,
        weights: Weights::SumToOne,
        vertex: VertexLayout::FromPivot,
        normals: Normals::Turned,
        prepare: sjbbe::prepare,
        formula: sjbbe::formula,
        reference: Reference::Own,
        needs: Needs::RIGID,
        ..shader(
            "sjbbe",
            "000 section 5.3",
            "sjb with up to four example poses per joint, blended by radial basis functions",
        )
    },
    Sbs = Method {
        joint_data: JointData::Quaternions,
        weights: Weights::SumToOne,
        normals: Normals::Turned,
        prepare: sbs::prepare,
        formula: sbs::formula,
        reference: Reference::Own,
        needs: Needs { vertex_textures: 1, float_textures: true, rigid_joints: true, ..Needs::NONE },
        ..shader(
            "sbs",
            "Kavan and Zara 2005",
            "spherical blend skinning: a blended quaternion about a centre fitted to each set of joints",
        )
    },
    Dqs = Method {
        joint_data: JointData::DualQuaternions,
        weights: Weights::SumToOne,
        normals: Normals::Turned,
        formula: dqs::formula,
        reference: Reference::Own,
        needs: Needs::RIGID,
        ..shader("dqs", "Kavan et al. 2007", "blended dual quaternions")
    },
    Cor = Method {
        joint_data: JointData::RowsAndQuaternions,
        weights: Weights::SumToOne,
        normals: Normals::Turned,
        prepare: cor::prepare,
        formula: cor::formula,
        reference: Reference::Own,
        needs: Needs::RIGID,
        ..shader(
            "cor",
            "Le and Hodgins 2016",
            "a blended quaternion about a centre of rotation computed per vertex from the weights",
        )
    },
    Rigid = Method {
        capacity: Capacity::Budget(None),
        influences: Some(1),
        weights: Weights::SumToOne,
        vertex: VertexLayout::One,
        formula: rigid::formula,
        reference: Reference::Own,
        ..shader("rigid", "000 section 2.4.2", "every vertex follows its heaviest joint alone")
    },
    Morph = Method {
        glsl: Some(110),
        joint_data: JointData::None,
        capacity: Capacity::Any,
        influences: None,
        vertex: VertexLayout::TwoFrames,
        prepare: morph::prepare,
        formula: morph::formula,
        reference: Reference::Own,
        needs: Needs { clip: true, ..Needs::NONE },
        ..shader("morph", "000 section 2.3, 002", "vertices stored per key frame, moved on straight lines between them")
    },
    GpuHierarchy = Method {
        stage: SkinningStage::FragmentPasses,
        joint_data: JointData::LocalTexels,
        capacity: Capacity::Any,
        influences: None,
        vertex: VertexLayout::Texel,
        normals: Normals::PerJoint,
        formula: linear_by_joint,
        needs: Needs { vertex_textures: 1, float_textures: true, float_targets: true, rigid_joints: true, clip: false },
        ..shader(
            "gpu-hierarchy",
            "002, closing section",
            "local poses in textures; the hierarchy and the vertices are computed by fragment passes",
        )
    },
);

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
        IDS.iter().copied()
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
        Self::all().find(|id| id.method().name == name).ok_or_else(|| UnknownMethod { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_name() {
        for (id, method) in MethodId::all().zip(METHODS) {
            assert_eq!((id.method().name, method.name.parse()), (method.name, Ok(id)));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let error = "matrx-blend".parse::<MethodId>().unwrap_err().to_string();
        assert!(error.starts_with("no skinning method is called 'matrx-blend'; there are cpu, ffp, "), "{error}");
    }

    /// docs/methods.md "Limits and batches".
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
        for expected in expected {
            let row = expected.0.parse::<MethodId>().unwrap().method();
            assert_eq!((row.name, row.glsl, row.joint_data.registers(), row.capacity, row.influences), expected);
        }
    }
}
