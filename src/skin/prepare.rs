//! What a method works out once per mesh, and the one door to all references.

use super::cor::{centres_of_rotation, cor};
use super::dqs::dqs;
use super::influences::{Reduced, as_seen_by};
use super::methods::{MethodId, Normals};
use super::morph::{MOST_BYTES, MorphFrames, morph};
use super::pivot::{broken_conditions, deepest_first};
use super::rigid::rigid;
use super::rotation::{RIGID, rigidity_error};
use super::sbs::{JointSets, sbs};
use super::sjb::sjb;
use super::sjbbe::{Corrections, Example, sjbbe};
use super::{Skinned, linear, linear_joint_normals};
use crate::model::{Clip, Mesh, Skeleton};
use crate::pose::ModelPose;
use glam::{DAffine3, DVec3};

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

/// What a method's limits and conditions cost a mesh, in numbers for a report.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// Influences dropped by the limit.
    pub dropped_influences: usize,
    /// Vertices that lost influences.
    pub reduced_vertices: usize,
    /// Largest share of a vertex' weight that was dropped; 0 without any.
    pub most_dropped: f32,
    /// Vertices whose weights did not sum to one and were divided.
    pub divided_vertices: usize,
    /// Vertices that break the condition under which `sjb` and `sjbbe` are exact; 0 for other methods.
    pub broken_conditions: usize,
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
        let Reduced { mut mesh, reduced_vertices, most_dropped, dropped_influences, divided_vertices } =
            as_seen_by(method.method(), mesh);
        let mut broken = 0;
        if matches!(method, MethodId::Sjb | MethodId::Sjbbe | MethodId::Sbs) {
            deepest_first(skeleton, &mut mesh);
            if method != MethodId::Sbs {
                broken = broken_conditions(skeleton, &mesh);
            }
        }
        let data = match method {
            MethodId::Sbs => Data::Sets(JointSets::new(skeleton, &mesh)),
            MethodId::Cor => Data::Centres(centres_of_rotation(&mesh)),
            MethodId::Sjbbe => Data::Corrections(Corrections::new(skeleton, &mesh, examples)),
            MethodId::Morph => {
                let clip = clip.ok_or(Unavailable::NoClip)?;
                let frames = MorphFrames::bake(skeleton, &mesh, clip);
                Data::Frames(frames.map_err(|bytes| Unavailable::TooManyFrames { bytes })?)
            }
            _ => Data::None,
        };
        let cost = Cost {
            dropped_influences,
            reduced_vertices,
            most_dropped: most_dropped.map_or(0.0, |(_, share)| share),
            divided_vertices,
            broken_conditions: broken,
        };
        Ok(Self { method, mesh, cost, data })
    }
}

/// A moment of a model, as the references take it.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// The joints.
    pub pose: &'a ModelPose,
    /// Time of the clip in seconds: all that `morph` looks at.
    pub time: f64,
}

/// The vertices that the method must produce, in f64, for the mesh as the method sees it.
///
/// For linear methods the weighted sum, for the others their own formula.
pub fn reference(prepared: &Prepared, moment: Moment<'_>, out: &mut Skinned) {
    let mesh = &prepared.mesh;
    let mut palette: Vec<DAffine3> = Vec::new();
    super::palette(mesh, moment.pose, &mut palette);
    match (&prepared.data, prepared.method) {
        (Data::Sets(sets), _) => sbs(mesh, sets, &palette, out),
        (Data::Centres(centres), _) => cor(mesh, centres, &palette, out),
        (Data::Corrections(corrections), _) => sjbbe(mesh, corrections, &palette, out),
        (Data::Frames(frames), _) => morph(frames, moment.time, out),
        (Data::None, MethodId::Sjb) => sjb(mesh, &palette, out),
        (Data::None, MethodId::Dqs) => dqs(mesh, &palette, out),
        (Data::None, MethodId::Rigid) => rigid(mesh, moment.pose, &palette, out),
        (Data::None, _) => match prepared.method.method().normals {
            Normals::PerJoint => linear_joint_normals(mesh, moment.pose, &palette, out),
            Normals::Blended | Normals::Turned => linear(mesh, moment.pose, &palette, out),
        },
    }
}

/// Joints of a mesh that do more in a pose than turn and move: methods that hold a joint as a quaternion and a vector
/// cannot show those.
pub fn joints_that_are_not_rigid(mesh: &Mesh, pose: &ModelPose) -> usize {
    let entry = |bound: &crate::model::BindJoint| pose.0[bound.joint.index()] * bound.inverse_bind;
    mesh.bind.iter().filter(|bound| rigidity_error(&entry(bound)) > RIGID).count()
}
