//! Skinning: from a pose and a mesh to vertices. The CPU references of all methods, one file per method.
//!
//! `palette[s] = model[bind[s].joint] * inverse_bind[s]`.
//!
//! ```
//! # extern crate bindpose_core as bindpose;
//! use bindpose::load::{LoadOptions, load};
//! use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
//! use bindpose::skin::{MethodId, Prepared, Skinned, TimedPose, linear, posed_bounds, reference};
//!
//! # let files = ["cylinder.md5mesh", "cylinder_twist.md5anim"];
//! # let files = files.map(|name| format!("{}/../../data/md5/{name}", env!("CARGO_MANIFEST_DIR")));
//! let model = load(&files, &LoadOptions::default())?.model; // cylinder.md5mesh, cylinder_twist.md5anim
//! let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
//! sample(&model.skeleton, &model.clips[0], 1.5, &mut local);
//! local_to_model(&model.skeleton, &local, &mut pose);
//!
//! let (mesh, mut vertices) = (&model.meshes[0], Skinned::default());
//! linear(mesh, &pose, &mut vertices); // the weighted sum, as most engines compute it
//! let (min, max) = posed_bounds(&model.meshes, &pose).expect("there are vertices");
//! assert!(vertices.positions.iter().all(|p| p.as_vec3().cmple(max + 1e-4).all() && p.as_vec3().cmpge(min - 1e-4).all()));
//!
//! let prepared = Prepared::new(MethodId::Dqs, &model.skeleton, mesh, &[], None)?; // dual quaternions, once per mesh
//! reference(&prepared, TimedPose { pose: &pose, time: 1.5 }, &mut vertices);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod blend;
mod bulge_free_dqs;
mod cor;
mod corrections;
mod cost;
mod ddm;
mod dqs;
mod dqs_scale;
mod influences;
mod joined;
mod joint_sets;
mod limits;
mod linear;
mod log_matrix;
mod method;
mod methods;
mod morph;
mod mwe;
mod pack;
mod pivot;
mod polar;
mod prepare;
mod rbf;
mod rigid;
mod rotation;
mod sbs;
mod sjb;
mod skinned;
mod skinning;
mod timed_pose;
mod unavailable;
mod velocity;

pub use batch::{Batch, Split, draws_in_file_order, split};
pub use bulge_free_dqs::VertexBones;
pub use cor::centres_of_rotation;
pub use corrections::{
    CorrectedJoint, Corrections, Example, ExampleError, ExampleMesh, MOST_COMPRESSED, MOST_EXAMPLES, SIGMA,
    is_in_support,
};
pub use cost::{Cost, Reduced};
pub use ddm::{DeltaMush, MushPart};
pub use dqs::DualQuat;
pub use dqs_scale::ScaledDualQuat;
pub use influences::{as_seen_by, reduce_influences};
pub use joint_sets::JointSets;
pub use limits::{GL2_REGISTERS, LIMITS, Limits, RESERVED_REGISTERS, UnknownLimits};
pub use linear::{linear, linear_joint_normals, linear_position, linear_positions, posed_bounds};
pub use log_matrix::Twist;
pub use method::{
    Capacity, Data, Formula, JointData, Method, Normals, Prepare, PrepareInput, Prepared, Requirements, SkinningStage,
    VertexLayout,
};
pub use methods::{ARTICLES, METHODS, MethodId, UnknownMethod};
pub use morph::{MorphFrame, MorphFrames};
pub use mwe::MultiWeights;
pub use pivot::Signs;
pub use prepare::{joints_that_are_not_rigid, reference};
pub use rotation::{RIGID, rigidity_error, rotation};
pub use skinned::{Skinned, palette};
pub use skinning::{Skinning, checked_reference};
pub use timed_pose::TimedPose;
pub use unavailable::{MAX_MORPH_BYTES, Unavailable};
pub use velocity::{DRAG, JointMotion, Motion, SQUASH};
