//! Properties of skinning methods, and meshes prepared for them.

use super::bulge_free_dqs::VertexBones;
use super::corrections::{Corrections, Example};
use super::cost::Cost;
use super::ddm::DeltaMush;
use super::joint_sets::JointSets;
use super::morph::MorphFrames;
use super::skinned::Skinned;
use super::unavailable::Unavailable;
use super::velocity::Motion;
use crate::model::{Clip, Mesh, Skeleton};
use crate::pose::ModelPose;
use glam::{DAffine3, DVec3};

/// Processor stage that computes the vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkinningStage {
    /// On the CPU; vertices are streamed.
    Cpu,
    /// In a vertex shader.
    VertexShader,
    /// In fragment passes over textures, read by a vertex shader.
    FragmentPasses,
}

/// Data uploaded per joint of a batch: arrays of uniforms, or texels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JointData {
    /// Nothing: the CPU skins.
    None,
    /// `palette[3 * JOINTS]`: three rows of the palette matrix.
    Rows,
    /// `palette[JOINTS]`: the palette matrix with all four columns.
    Matrices,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: the pose's rotation and position, not the palette's.
    PoseQuaternions,
    /// `bones[7 * JOINTS]`: the palette's conjugate rotation and translation, number by number.
    SevenFloats,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: the palette's rotation and translation.
    Quaternions,
    /// As `Quaternions`, in two textures, a row per copy.
    QuaternionTexels,
    /// `boneQuat[JOINTS]`, `bonePos[JOINTS]`: the palette's rotation and the joint's posed position.
    Pivots,
    /// As `Pivots`, and `exampleWeights[JOINTS]`.
    PivotsAndExamples,
    /// `boneReal[JOINTS]`, `boneDual[JOINTS]`: the palette as dual quaternions.
    DualQuaternions,
    /// As `DualQuaternions`; every vertex has its bone.
    DualQuaternionsAndBones,
    /// `scale[3 * JOINTS]`, `boneReal[JOINTS]`, `boneDual[JOINTS]`: three rows of the palette's scale about the joint, and
    /// its rigid rest as dual quaternions.
    RowsAndDualQuaternions,
    /// As `Rows`, and the motions of all joints in a texture.
    RowsAndMotions,
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
    /// Label for tables.
    pub fn text(self) -> &'static str {
        match self {
            Self::None => "-",
            Self::Rows | Self::MatrixTexels => "4x3 matrix",
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

    /// Constant registers (vec4 uniforms) per joint; 0 where the palette is in textures or unused. Each element of a
    /// `float` array takes one.
    pub fn registers(self) -> u32 {
        match self {
            Self::None | Self::QuaternionTexels | Self::MatrixTexels | Self::LocalTexels => 0,
            Self::PoseQuaternions
            | Self::Quaternions
            | Self::Pivots
            | Self::DualQuaternions
            | Self::DualQuaternionsAndBones
            | Self::Twists => 2,
            Self::Rows | Self::RowsAndMotions | Self::PivotsAndExamples => 3,
            Self::Matrices | Self::RowsAndQuaternions => 4,
            Self::RowsAndDualQuaternions => 5,
            Self::SevenFloats => 7,
        }
    }
}

/// Most joints of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// Unlimited.
    Any,
    /// Fixed by the method, whatever the budget.
    Always(u32),
    /// As many as the budget's registers allow, and at most the article's bound (`None`: it has none).
    Budget(Option<u32>),
}

/// Storage of a method's vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VertexLayout {
    /// Bind position, four indices, three weights; the last weight is the rest to 1.
    LastImplied,
    /// Bind position and three weights for the first three of four joints, without indices.
    InOrder,
    /// Bind position, four indices, four weights.
    Four,
    /// As `Four`, and [`Mesh::blend`].
    FourAndBlend,
    /// As `Four`, indices raised by 0.2 so that truncation is safe (article 001).
    FourRaised,
    /// As `Four`, the position relative to the first joint's bind position.
    FromPivot,
    /// Bind position alone; weights are in textures.
    Bind,
    /// Bind position and one index.
    One,
    /// One offset per influence, in joint space, as MD5 stores them.
    Offsets,
    /// As `Offsets`, in textures; the vertex stores only the index of its texels.
    Texel,
    /// Posed vertices, written by the CPU for every pose.
    Finished,
    /// Vertices of two key frames, written whenever a key is passed.
    TwoFrames,
}

impl VertexLayout {
    /// True if all influences share one bind position and the file's offsets are not stored.
    pub fn is_bind_position(self) -> bool {
        !matches!(self, Self::Offsets | Self::Texel | Self::Finished | Self::TwoFrames)
    }
}

/// Transformation of normals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normals {
    /// By the inverse transpose of the blended matrix (article 001 section 3.4): exact.
    Blended,
    /// By the matrix of each joint, then summed by weight (articles 000 and 002): exact for one influence, close for
    /// several.
    PerJoint,
    /// By the vertex' own rotation.
    Turned,
}

/// Requirements on the machine and the model beyond GLSL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Requirements {
    /// Texture units of the vertex shader.
    pub vertex_textures: u32,
    /// Textures with float components.
    pub float_textures: bool,
    /// Rendering into such textures.
    pub float_targets: bool,
    /// Joints without scale and shear.
    pub rigid_joints: bool,
    /// A clip, beyond the pose.
    pub clip: bool,
}

impl Requirements {
    pub(super) const NONE: Self =
        Self { vertex_textures: 0, float_textures: false, float_targets: false, rigid_joints: false, clip: false };
    /// Joints stored as quaternion and vector.
    pub(super) const RIGID: Self = Self { rigid_joints: true, ..Self::NONE };

    /// Comma-separated list for tables; empty if nothing is required.
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
    /// Value of `--method` and stem of the shader files.
    pub name: &'static str,
    /// Source: article number and section, or paper.
    pub article: &'static str,
    /// Processor stage that computes the vertices.
    pub stage: SkinningStage,
    /// GLSL version (110, 120, 130); `None` for `cpu`, which uses the plain shader.
    pub glsl: Option<u16>,
    /// Data uploaded per joint.
    pub joint_data: JointData,
    /// Most joints of one batch.
    pub capacity: Capacity,
    /// Most influences per vertex; `None` for all.
    pub influences: Option<usize>,
    /// True if weights are divided by their sum; otherwise they are used as in the file.
    pub normalises_weights: bool,
    /// Influences with at most this weight are dropped and the others divided by their sum.
    pub lightest: f32,
    /// Storage of vertices.
    pub vertex: VertexLayout,
    /// True if its shader is compiled once per influence count.
    pub unrolled: bool,
    /// Transformation of normals.
    pub normals: Normals,
    /// Computes the data that is needed once per mesh.
    pub prepare: Prepare,
    /// The reference in f64.
    pub formula: Formula,
    /// True if the weighted sum is its reference; otherwise its own formula is.
    pub is_linear: bool,
    /// Requirements beyond GLSL.
    pub needs: Requirements,
    /// Description in one sentence.
    pub about: &'static str,
}

impl Method {
    /// A method with another shader, and everything else of this one. Lives as long as the program.
    pub fn variant(&self, name: String) -> Self {
        let about = format!("a shader of your own with the input of {}", self.name);
        let [name, about] = [name, about].map(|text| &*Box::leak(text.into_boxed_str()));
        Self { name, article: "--shaders", about, ..self.clone() }
    }
}

/// A mesh prepared for one method.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The method's row.
    pub method: &'static Method,
    /// The mesh with the method's influence limit and weights applied. For `sjb`, `sjbbe` and `sbs` influences run from the
    /// deepest joint to the one nearest the root; for `bulge-free-dqs` the heaviest comes first.
    pub mesh: Mesh,
    /// Losses by the influence limit and the weights.
    pub cost: Cost,
    /// Data of the method.
    pub data: Data,
}

/// Data that a method computes once per mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Nothing.
    None,
    /// Sets of joints, for `sbs`.
    Sets(JointSets),
    /// Centres of rotation of the vertices, bind pose's model space, for `cor`.
    Centres(Vec<DVec3>),
    /// Bones of the vertices, for `bulge-free-dqs`.
    Bones(VertexBones),
    /// The smoothed surface around every vertex, for `ddm`.
    DeltaMush(DeltaMush),
    /// Examples, for `sjbbe`.
    Corrections(Corrections),
    /// Baked frames, for `morph`.
    Frames(MorphFrames),
    /// The clip, for `velocity`.
    Motion(Box<Motion>),
}

/// Input of [`Prepare`] besides the mesh.
#[derive(Debug, Clone, Copy)]
pub struct PrepareInput<'a> {
    /// The skeleton of the mesh.
    pub skeleton: &'a Skeleton,
    /// Example poses.
    pub examples: &'a [Example],
    /// The clip that will be shown, if any.
    pub clip: Option<&'a Clip>,
}

/// Computes a method's data once per mesh; may reorder influences, and counts vertices that break its conditions.
pub type Prepare = fn(&PrepareInput<'_>, &mut Mesh, &mut Cost) -> Result<Data, Unavailable>;

/// A method's reference in f64, given the palette of the pose.
pub type Formula = fn(&Prepared, TimedPose<'_>, &[DAffine3], &mut Skinned);

/// [`Prepare`] of methods that need nothing but the mesh.
pub(super) fn nothing(_: &PrepareInput<'_>, _: &mut Mesh, _: &mut Cost) -> Result<Data, Unavailable> {
    Ok(Data::None)
}

/// A pose and its time, as the references take it.
#[derive(Debug, Clone, Copy)]
pub struct TimedPose<'a> {
    /// The joints in model space.
    pub pose: &'a ModelPose,
    /// Time of the clip in seconds; `morph` uses nothing else.
    pub time: f64,
}
