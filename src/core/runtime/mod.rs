//! Poses and skinned vertices at playing speed, in `f32`.
//!
//! Built once from a [`Skeleton`](crate::model::Skeleton), a [`Clip`](crate::model::Clip) and a
//! [`Mesh`](crate::model::Mesh), then evaluated into buffers that the caller owns, without an allocation for each frame:
//!
//! 1. [`RuntimeSkeleton`] and [`RuntimeClip`] hold what a skeleton and a clip need in the order in which it is read.
//! 2. [`Pose::sample`] interpolates sixteen joints at a time, [`Pose::local_to_model`] multiplies down the parents.
//! 3. [`pose_all`] does both for many characters.
//! 4. [`RuntimeMesh`] blends one palette entry a vertex, four vertices at a time.
//!
//! [`crate::pose`] and [`crate::skin`] are the exact forms, which this room is tested against.

mod clip;
mod crowd;
mod pose;
mod simd;
mod skeleton;
mod skin;

pub use clip::RuntimeClip;
pub use crowd::{Character, pose_all};
pub use pose::{Matrix, Pose};
pub use simd::Simd;
pub use skeleton::RuntimeSkeleton;
pub use skin::{RuntimeMesh, SkinnedVertex};
