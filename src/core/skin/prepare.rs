//! What a method works out once per mesh, and the one door to all references.

use super::Skinned;
use super::batch::Split;
use super::influences::{Reduced, as_seen_by};
use super::methods::MethodId;
use super::morph::{MOST_BYTES, MorphFrames};
use super::rotation::{RIGID, rigidity_error};
use super::sbs::JointSets;
use super::sjbbe::{Corrections, Example};
use crate::model::{Clip, Mesh, Skeleton};
use crate::pose::ModelPose;
use glam::{DAffine3, DVec3};
use serde::Serialize;

/// A mesh made ready for one method.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// The method.
    pub method: MethodId,
    /// The mesh as the method sees it: within its influence limit, weights its way. For `sjb`, `sjbbe` and `sbs` the
    /// influences of a vertex run from the deepest joint to the one nearest the root.
    pub mesh: Mesh,
    /// What the influence limit and the weights cost.
    pub cost: Cost,
    /// What the method worked out.
    pub data: Data,
}

/// What a method's limits and conditions cost a mesh or a model, in numbers for a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Cost {
    /// Influences over the limit per vertex, or too light for the method, or dropped from triangles.
    pub dropped_influences: usize,
    /// Vertices that lost influences to the limit per vertex.
    pub reduced_vertices: usize,
    /// Largest share of a vertex' weight that was dropped; 0 without any.
    pub most_dropped: f32,
    /// Vertices whose weights did not sum to one and were divided.
    pub divided_vertices: usize,
    /// Triangles that lost influences because they use more joints than a batch may.
    pub trimmed_triangles: usize,
    /// Vertices that break the condition under which `sjb` and `sjbbe` are exact; 0 for other methods.
    pub broken_conditions: usize,
}

impl Cost {
    /// Adds what another mesh cost.
    pub fn add(&mut self, other: &Self) {
        self.dropped_influences += other.dropped_influences;
        self.reduced_vertices += other.reduced_vertices;
        self.most_dropped = self.most_dropped.max(other.most_dropped);
        self.divided_vertices += other.divided_vertices;
        self.trimmed_triangles += other.trimmed_triangles;
        self.broken_conditions += other.broken_conditions;
    }

    /// Adds what dividing a mesh into batches cost.
    pub fn add_split(&mut self, split: &Split) {
        self.dropped_influences += split.dropped_influences;
        self.trimmed_triangles += split.trimmed.len();
    }
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
}

impl Prepared {
    /// Works out once what `method` needs of a mesh; `clip` is the one that will be shown, if any.
    pub fn new(
        method: MethodId,
        skeleton: &Skeleton,
        mesh: &Mesh,
        examples: &[Example],
        clip: Option<&Clip>,
    ) -> Result<Self, Unavailable> {
        let Reduced { mut mesh, mut cost } = as_seen_by(method.method(), mesh);
        let data = (method.method().prepare)(&PrepareInput { skeleton, examples, clip }, &mut mesh, &mut cost)?;
        Ok(Self { method, mesh, cost, data })
    }
}

/// A moment of a model, as the references take it.
#[derive(Debug, Clone, Copy)]
pub struct TimedPose<'a> {
    /// The joints.
    pub pose: &'a ModelPose,
    /// Time of the clip in seconds: all that `morph` looks at.
    pub time: f64,
}

/// The vertices that the method must produce, in f64, for the mesh as the method sees it.
///
/// For linear methods the weighted sum, for the others their own formula.
pub fn reference(prepared: &Prepared, moment: TimedPose<'_>, out: &mut Skinned) {
    let mut palette: Vec<DAffine3> = Vec::new();
    super::palette(&prepared.mesh, moment.pose, &mut palette);
    (prepared.method.method().formula)(prepared, moment, &palette, out);
}

/// Joints of a mesh that do more in a pose than turn and move: methods that hold a joint as a quaternion and a vector
/// cannot show those.
pub fn joints_that_are_not_rigid(mesh: &Mesh, pose: &ModelPose) -> usize {
    let entry = |bound: &crate::model::BindJoint| pose.0[bound.joint.index()] * bound.inverse_bind;
    mesh.bind.iter().filter(|bound| rigidity_error(&entry(bound)) > RIGID).count()
}
