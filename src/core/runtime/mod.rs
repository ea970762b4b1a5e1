//! Poses and skinned vertices at playing speed, in `f32`.
//!
//! Built once from a [`Skeleton`](crate::model::Skeleton), a [`Clip`](crate::model::Clip) and a
//! [`Mesh`](crate::model::Mesh), then evaluated into the caller's buffers without an allocation per frame:
//!
//! 1. [`RuntimeSkeleton`] and [`RuntimeClip`] store skeleton and clip in reading order.
//! 2. [`RuntimePose::sample`] interpolates sixteen joints at a time. Then [`RuntimePose::local_to_model`] multiplies
//!    each joint's transform with that of its parent.
//! 3. [`pose_all`] does both for many characters.
//! 4. [`RuntimeMesh`] blends one palette entry a vertex, four vertices at a time.
//!
//! ```
//! # extern crate bindpose_core as bindpose;
//! use bindpose::budget::Budget;
//! use bindpose::load::{LoadOptions, load};
//! use bindpose::runtime::{RuntimeClip, RuntimeMesh, RuntimePose, RuntimeSkeleton, Simd, SkinnedVertex};
//!
//! # let files = ["cylinder.md5mesh", "cylinder_twist.md5anim"];
//! # let files = files.map(|name| format!("{}/../../data/md5/{name}", env!("CARGO_MANIFEST_DIR")));
//! let model = load(&files, &LoadOptions::default())?.model; // cylinder.md5mesh, cylinder_twist.md5anim
//! let (skeleton, mesh) = (RuntimeSkeleton::new(&model.skeleton), RuntimeMesh::new(&model.meshes[0]));
//! let clip = RuntimeClip::new(&model.skeleton, &model.clips[0], &Budget::default())?;
//! let (simd, mut palette) = (Simd::best(), Vec::new());
//! let (mut pose, mut vertices) = (RuntimePose::new(simd), vec![SkinnedVertex::default(); mesh.vertices()]);
//!
//! pose.sample(&clip, 1.5); // from here on in every frame
//! pose.local_to_model(&skeleton);
//! mesh.palette(pose.model(), &mut palette);
//! mesh.skin(simd, &palette, &mut vertices);
//! # assert!(vertices.iter().all(|vertex| vertex.position.iter().all(|number| number.is_finite())));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`crate::pose`] and [`crate::skin`] are the exact forms that tests compare this module with.

mod clip;
mod crowd;
mod matrix;
mod pose;
#[allow(unsafe_code)]
mod simd;
mod skeleton;
mod skin;

pub use clip::RuntimeClip;
pub use crowd::{Character, pose_all};
pub use matrix::RuntimeMatrix;
pub use pose::RuntimePose;
pub use simd::Simd;
pub use skeleton::RuntimeSkeleton;
pub use skin::{RuntimeMesh, SkinnedVertex};
