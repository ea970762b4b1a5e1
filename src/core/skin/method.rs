//! How a skinning method is described, and what it makes of a mesh: the words of the table's rows.

use super::bulge_free_dqs::{Bones, MOST_DISTANCES};
use super::corrections::{Corrections, Example};
use super::cost::Cost;
use super::ddm::{DeltaMush, MOST_PARTS, MOST_ROW_BYTES};
use super::joint_sets::JointSets;
use super::morph_frames::{MOST_BYTES, MorphFrames};
use super::skinned::Skinned;
use crate::model::{Clip, Mesh, Skeleton};
use crate::pose::ModelPose;
use glam::{DAffine3, DVec3};

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
    /// As `DualQuaternions`, and every vertex has its bone.
    DualQuaternionsAndBones,
    /// `scale[3 * JOINTS]`, `boneReal[JOINTS]`, `boneDual[JOINTS]`: three rows of the palette's scale about the joint, and the
    /// rest of it as dual quaternions.
    RowsAndDualQuaternions,
    /// `boneTurn[JOINTS]`, `boneTravel[JOINTS]`: the palette's logarithm, a twist.
    Twists,
    /// `palette[3 * JOINTS]`, `boneQuat[JOINTS]`: three rows of the palette matrix and its rotation.
    RowsAndQuaternions,
    /// The palette matrix' three rows, in a texture.
    MatrixTexels,
    /// The local rotation and translation, in a texture.
    LocalTexels,
}

impl JointData {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Rows | Self::MatrixTexels => "4x3 matrix",
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

    /// Constant registers (vec4 uniforms) that one joint takes; 0 where the palette is elsewhere. Of a `float` array each
    /// element takes one.
    pub fn registers(self) -> u32 {
        match self {
            Self::None | Self::QuaternionTexels | Self::MatrixTexels | Self::LocalTexels => 0,
            Self::PoseQuaternions
            | Self::Quaternions
            | Self::Pivots
            | Self::DualQuaternions
            | Self::DualQuaternionsAndBones
            | Self::Twists => 2,
            Self::Rows | Self::PivotsAndExamples => 3,
            Self::Matrices | Self::RowsAndQuaternions => 4,
            Self::RowsAndDualQuaternions => 5,
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
    /// Bind position alone: what moves it is in textures.
    Bind,
    /// Bind position and one index.
    One,
    /// One offset per influence, in joint space, as MD5 stores them.
    Offsets,
    /// The same, in textures; the vertex has the place of its texels only.
    Texel,
    /// As the pose has it: skinned by the CPU, written anew for every pose.
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
    pub(super) const NONE: Self =
        Self { vertex_textures: 0, float_textures: false, float_targets: false, rigid_joints: false, clip: false };
    /// Rotations as quaternions.
    pub(super) const RIGID: Self = Self { rigid_joints: true, ..Self::NONE };

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

/// A mesh made ready for one method.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The method's row.
    pub method: &'static Method,
    /// The mesh as the method sees it: within its influence limit, weights its way. For `sjb`, `sjbbe` and `sbs` the
    /// influences of a vertex run from the deepest joint to the one nearest the root; for `bulge-free-dqs` the heaviest comes
    /// first.
    pub mesh: Mesh,
    /// What the influence limit and the weights cost.
    pub cost: Cost,
    /// What the method worked out.
    pub data: Data,
}

/// What a method worked out once per mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Nothing.
    None,
    /// Sets of joints, for `sbs`.
    Sets(JointSets),
    /// Centres of rotation of the vertices, bind pose's model space, for `cor`.
    Centres(Vec<DVec3>),
    /// Bones of the vertices, for `bulge-free-dqs`.
    Bones(Bones),
    /// The smoothed surface around every vertex, for `ddm`.
    DeltaMush(DeltaMush),
    /// Examples, for `sjbbe`.
    Corrections(Corrections),
    /// Baked frames, for `morph`.
    Frames(MorphFrames),
}

/// What a method may look at besides the mesh.
#[derive(Debug, Clone, Copy)]
pub struct PrepareInput<'a> {
    /// The joints that the mesh is bound to.
    pub skeleton: &'a Skeleton,
    /// Example poses.
    pub examples: &'a [Example],
    /// The clip that will be shown, if any.
    pub clip: Option<&'a Clip>,
}

/// Works out a method's data once per mesh; may put influences into another order, and counts what breaks its conditions.
pub type Prepare = fn(&PrepareInput<'_>, &mut Mesh, &mut Cost) -> Result<Data, Unavailable>;

/// A method's vertices in f64, given the palette of the pose.
pub type Formula = fn(&Prepared, TimedPose<'_>, &[DAffine3], &mut Skinned);

/// For methods that need nothing but the mesh.
pub(super) fn nothing(_: &PrepareInput<'_>, _: &mut Mesh, _: &mut Cost) -> Result<Data, Unavailable> {
    Ok(Data::None)
}

/// Why a method cannot show a mesh.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// `morph` without a clip.
    #[error("there is no clip to store frames of")]
    NoClip,
    /// `morph` of a clip with too many frames.
    #[error("storing every frame would take {bytes} bytes, and {MOST_BYTES} are the most")]
    TooManyFrames {
        /// What it would take.
        bytes: u64,
    },
    /// `ddm` of a mesh too large to be smoothed in seconds.
    #[error("each step of smoothing would read {parts} parts, and {MOST_PARTS} are the most")]
    TooManyParts {
        /// Joints of the neighbours of every vertex.
        parts: u64,
    },
    /// `ddm` of a mesh whose vertices have too many joints once they are smoothed.
    #[error("what is smoothed would take more than {MOST_ROW_BYTES} bytes")]
    TooManyBytes,
    /// `bulge-free-dqs` of too many vertices of joints with too many children.
    #[error("the bones of all vertices would take more than {MOST_DISTANCES} distances to find")]
    TooManyDistances,
}

/// A moment of a model, as the references take it.
#[derive(Debug, Clone, Copy)]
pub struct TimedPose<'a> {
    /// The joints.
    pub pose: &'a ModelPose,
    /// Time of the clip in seconds: all that `morph` looks at.
    pub time: f64,
}
