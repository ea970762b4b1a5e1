//! Properties of skinning methods, and meshes prepared for them.

use super::bulge_free_dqs::VertexBones;
use super::corrections::{Corrections, Example};
use super::cost::{Cost, Reduced};
use super::ddm::DeltaMush;
use super::joint_sets::JointSets;
use super::morph::MorphFrames;
use super::mwe::MultiWeights;
use super::pivot::Signs;
use super::skinned::Skinned;
use super::timed_pose::TimedPose;
use super::unavailable::Unavailable;
use super::velocity::Motion;
use crate::model::{Clip, Mesh, Skeleton};
use glam::{DAffine3, DVec3};

/// Processor stage that computes the vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkinningStage {
    /// CPU. Vertices are streamed.
    Cpu,
    /// Vertex shader.
    VertexShader,
    /// Fragment passes over textures, which a vertex shader reads.
    FragmentPasses,
}

/// Data uploaded per joint of a batch: arrays of uniforms, or texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointData {
    /// No joints: the CPU skins.
    None,
    /// `palette[3 * JOINTS]`: three rows of the palette matrix.
    Rows,
    /// `palette[JOINTS]`: the palette matrix with all four columns.
    Matrices,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: rotation and position of the pose, not of the palette.
    PoseQuaternions,
    /// `bones[7 * JOINTS]`: conjugate rotation and translation of the palette, as single numbers.
    SevenFloats,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: rotation and translation of the palette.
    Quaternions,
    /// Same as `Quaternions`, in two textures with one row per copy.
    QuaternionTexels,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: rotation of the palette and posed position of the joint.
    Pivots,
    /// Same as `Pivots`, plus `exampleWeights[JOINTS]`.
    PivotsAndExamples,
    /// Same as `Rows`, plus `exampleWeights[JOINTS]`.
    RowsAndExamples,
    /// `boneReal[JOINTS]`, `boneDual[JOINTS]`: the palette as dual quaternions.
    DualQuaternions,
    /// Same as `DualQuaternions`. Every vertex also stores its bone.
    DualQuaternionsAndBones,
    /// `scale[3 * JOINTS]`, `boneReal[JOINTS]`, `boneDual[JOINTS]`: three rows of the palette's scale about the joint,
    /// and its rigid part as dual quaternions.
    RowsAndDualQuaternions,
    /// Same as `Rows`, plus the motions of all joints in a texture.
    RowsAndMotions,
    /// Same as `Rows`, plus the weights of vertices in a texture.
    RowsAndMultiWeights,
    /// `boneTurn[JOINTS]`, `boneTravel[JOINTS]`: logarithm of the palette, a twist.
    Twists,
    /// `palette[3 * JOINTS]`, `boneQuat[JOINTS]`: three rows of the palette matrix and its rotation.
    RowsAndQuaternions,
    /// Three rows of the palette matrix, in a texture.
    MatrixTexels,
    /// Local rotation and translation, in a texture.
    LocalTexels,
}

impl JointData {
    /// Returns the label for tables.
    pub fn text(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Rows | Self::MatrixTexels | Self::RowsAndExamples | Self::RowsAndMultiWeights => "4x3 matrix",
            Self::RowsAndMotions => "4x3 matrix + velocities",
            Self::Matrices => "4x4 matrix",
            Self::PoseQuaternions => "pose quat + position",
            Self::SevenFloats | Self::Quaternions | Self::QuaternionTexels => "quat + translation",
            Self::Pivots | Self::PivotsAndExamples => "quat + joint position",
            Self::DualQuaternions | Self::DualQuaternionsAndBones => "dual quaternion",
            Self::RowsAndDualQuaternions => "4x3 scale + dual quaternion",
            Self::Twists => "rotation vector + velocity",
            Self::RowsAndQuaternions => "4x3 matrix + quat",
            Self::LocalTexels => "local quat + position",
        }
    }

    /// Returns the number of constant registers (vec4 uniforms) per joint. Returns 0 if the palette is in textures or
    /// unused. Each element of a `float` array uses one register.
    pub fn registers(self) -> u32 {
        match self {
            Self::None | Self::QuaternionTexels | Self::MatrixTexels | Self::LocalTexels => 0,
            Self::PoseQuaternions
            | Self::Quaternions
            | Self::Pivots
            | Self::DualQuaternions
            | Self::DualQuaternionsAndBones
            | Self::Twists => 2,
            Self::Rows | Self::RowsAndMotions | Self::RowsAndMultiWeights | Self::PivotsAndExamples => 3,
            Self::Matrices | Self::RowsAndQuaternions | Self::RowsAndExamples => 4,
            Self::RowsAndDualQuaternions => 5,
            Self::SevenFloats => 7,
        }
    }

    /// True for methods with example poses.
    pub fn has_examples(self) -> bool {
        matches!(self, Self::PivotsAndExamples | Self::RowsAndExamples | Self::RowsAndMultiWeights)
    }

    /// Returns the number of constant registers that the method needs whatever the number of joints, beyond those that
    /// [every method needs](super::RESERVED_REGISTERS).
    pub(super) fn shared_registers(self) -> u32 {
        match self {
            // Two uniforms, and constants of the shader, which NVIDIA's driver counts too.
            Self::RowsAndMotions => 6,
            _ => 0,
        }
    }
}

/// Largest number of joints in one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// Any number of joints.
    Any,
    /// Fixed by the method, independent of the budget.
    Always(u32),
    /// As many as the budget's registers allow, up to the article's bound (`None`: no bound).
    Budget(Option<u32>),
}

/// Storage of a method's vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VertexLayout {
    /// Bind position, four indices and three weights. The last weight is the rest to 1.
    LastImplied,
    /// Bind position and three weights for the first three of four joints, without indices.
    InOrder,
    /// Bind position, four indices, four weights.
    Four,
    /// Same as `Four`, with 0.2 added to the indices so that truncation is safe (article 001).
    FourRaised,
    /// Same as `Four`, with the position relative to the first joint's bind position.
    FromPivot,
    /// Only the bind position. Weights are in textures.
    Bind,
    /// Bind position and one index.
    One,
    /// One offset per influence, in joint space, as MD5 stores them.
    Offsets,
    /// Same as `Offsets`, in textures. The vertex stores only the index of its texels.
    Texel,
    /// Posed vertices, written by the CPU for every pose.
    Finished,
    /// Vertices of two key frames, written whenever a key is passed.
    TwoFrames,
}

impl VertexLayout {
    /// True if all influences share one bind position, so that the file's offsets are not stored.
    pub fn is_bind_position(self) -> bool {
        !matches!(self, Self::Offsets | Self::Texel | Self::Finished | Self::TwoFrames)
    }
}

/// Transformation of normals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normals {
    /// Inverse transpose of the blended matrix (article 001 section 3.4): exact.
    Blended,
    /// Matrix of each joint, with results summed by weight (articles 000 and 002): exact for one influence, close for
    /// several.
    PerJoint,
    /// Rotation of the vertex.
    Turned,
}

/// Requirements on the machine and the model besides GLSL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requirements {
    /// Number of texture units of the vertex shader.
    pub vertex_textures: u32,
    /// True if textures need float components.
    pub float_textures: bool,
    /// True if such textures are render targets.
    pub float_targets: bool,
    /// True if joints must not have scale or shear.
    pub rigid_joints: bool,
    /// True if a clip is needed in addition to the pose.
    pub clip: bool,
    /// True if the shader loops as often as a uniform says.
    pub loops: bool,
    /// True if the shader loops as often as each vertex says.
    pub vertex_loops: bool,
}

impl Requirements {
    pub(super) const NONE: Self = Self {
        vertex_textures: 0,
        float_textures: false,
        float_targets: false,
        rigid_joints: false,
        clip: false,
        loops: false,
        vertex_loops: false,
    };
    /// Requirement of joints stored as quaternion and vector.
    pub(super) const RIGID: Self = Self { rigid_joints: true, ..Self::NONE };

    /// Returns the comma-separated list for tables. Returns an empty text if nothing is required.
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
    /// Value of `--method`.
    pub name: &'static str,
    /// Stem of the shader file. That of another method if only data differ.
    pub shader: &'static str,
    /// Name for people, in a few words.
    pub title: &'static str,
    /// Source: article number and section, or paper.
    pub article: &'static str,
    /// Processor stage that computes the vertices.
    pub stage: SkinningStage,
    /// GLSL version (110, 120, 130). `None` for `cpu`, which uses the plain shader.
    pub glsl: Option<u16>,
    /// Data uploaded per joint.
    pub joint_data: JointData,
    /// Largest number of joints in one batch.
    pub capacity: Capacity,
    /// Largest number of influences per vertex. `None` for all.
    pub influences: Option<usize>,
    /// True if weights are divided by their sum. Otherwise they are used as in the file.
    pub normalises_weights: bool,
    /// Influences up to this weight are dropped, and the others are divided by their sum.
    pub lightest: f32,
    /// Storage of vertices.
    pub vertex: VertexLayout,
    /// True if the shader is compiled once per influence count.
    pub unrolled: bool,
    /// Transformation of normals.
    pub normals: Normals,
    /// Function that computes the data needed once per model.
    pub prepare: Prepare,
    /// Reference in f64.
    pub formula: Formula,
    /// True if the reference is the weighted sum. False if it is a formula of the method.
    pub is_linear: bool,
    /// Requirements beyond GLSL.
    pub needs: Requirements,
    /// Description in one sentence.
    pub about: &'static str,
}

/// A mesh prepared for one method.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// Row of the method.
    pub method: &'static Method,
    /// The mesh with the method's influence limit and weights applied. For `sjb`, `sjbbe`, their articles' forms and `sbs`,
    /// influences are sorted from the deepest joint to the one nearest the root; for `bulge-free-dqs` and `mwe`, heaviest first.
    pub mesh: Mesh,
    /// Losses caused by the influence limit and the weights.
    pub cost: Cost,
    /// Data of the method.
    pub data: Data,
}

/// Data computed once per mesh by a method.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Nothing.
    None,
    /// Signs of quaternions, for `sjb-article`.
    Signs(Signs),
    /// Sets of joints, for `sbs`.
    Sets(JointSets),
    /// Centres of rotation of the vertices in the bind pose's model space, for `cor`.
    Centres(Vec<DVec3>),
    /// Bones of the vertices, for `bulge-free-dqs`.
    Bones(VertexBones),
    /// Smoothed surface around every vertex, for `ddm`.
    DeltaMush(DeltaMush),
    /// Weights fitted to examples, for `mwe`.
    MultiWeights(MultiWeights),
    /// Examples, for `sjbbe`, `sjbbe-article`, `sbe`, `psd` and `eigenskin`.
    Corrections(Corrections),
    /// Baked frames, for `morph`.
    Frames(MorphFrames),
    /// The clip, for `velocity`.
    Motion(Box<Motion>),
}

impl Data {
    /// Returns the signs of quaternions, if they are those of the joints.
    pub fn signs(&self) -> Option<&Signs> {
        match self {
            Self::Signs(signs) => Some(signs),
            Self::Corrections(corrections) => corrections.signs.as_ref(),
            _ => None,
        }
    }
}

/// Input of [`Prepare`] besides the meshes.
#[derive(Debug, Clone, Copy)]
pub struct PrepareInput<'a> {
    /// The skeleton of the meshes.
    pub skeleton: &'a Skeleton,
    /// Example poses for corrections.
    pub examples: &'a [Example],
    /// Clip that will be shown, if any.
    pub clip: Option<&'a Clip>,
}

/// Computes a method's data for all meshes of a model; one entry per mesh. May reorder influences, add joints to `bind`,
/// and counts vertices that violate the method's conditions.
pub type Prepare = fn(&PrepareInput<'_>, &mut [Reduced]) -> Result<Vec<Data>, Unavailable>;

/// Reference of a method in f64, for the palette of a pose.
pub type Formula = fn(&Prepared, TimedPose<'_>, &[DAffine3], &mut Skinned);

/// Implements [`Prepare`] for methods that need only the meshes.
pub(super) fn nothing(_: &PrepareInput<'_>, meshes: &mut [Reduced]) -> Result<Vec<Data>, Unavailable> {
    Ok(vec![Data::None; meshes.len()])
}
