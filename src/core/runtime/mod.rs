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
//! [`crate::pose`] and [`crate::skin`] are the exact forms that tests compare this module with.

mod clip;
mod crowd;
mod matrix;
mod pose;
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
