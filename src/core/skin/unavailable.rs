//! Reasons why a method refuses a mesh.

/// Largest size in bytes of the baked frames of `morph`.
pub const MAX_MORPH_BYTES: u64 = 512 << 20;

/// Largest number of clip keys for `velocity`: 64 MiB of quaternions.
pub(super) const MAX_MOTION_KEYS: usize = 1 << 21;

/// Largest number of distances that `bulge-free-dqs` measures: a second of work.
pub(super) const MAX_BONE_DISTANCES: u64 = 1 << 27;

/// Largest number of row entries that one smoothing step of `ddm` reads: seconds of work.
pub(super) const MAX_MUSH_PARTS: u64 = 1 << 24;

/// Largest size in bytes of the rows of one smoothing step of `ddm`.
pub(super) const MAX_MUSH_BYTES: u64 = 256 << 20;

/// Reason why a method cannot show a mesh.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// `morph` without a clip.
    #[error("there is no clip to store frames of")]
    NoClip,
    /// Scaled or sheared joints, for a method that supports rotations and translations only.
    #[error("{joints} joints are scaled; this method supports rotation and translation only")]
    Scaled {
        /// Number of such joints.
        joints: usize,
    },
    /// `morph` for a clip with too many frames.
    #[error("storing every frame needs {bytes} bytes, more than the limit of {MAX_MORPH_BYTES}")]
    TooManyFrames {
        /// Size of all frames in bytes.
        bytes: u64,
    },
    /// `velocity` for a clip with too many keys.
    #[error("the clip has {keys} keys, more than the limit of {MAX_MOTION_KEYS}")]
    TooManyKeys {
        /// Number of keys.
        keys: usize,
    },
    /// `ddm` for meshes that take too long to smooth.
    #[error("each smoothing step would read {parts} weights, more than the limit of {MAX_MUSH_PARTS}")]
    TooManyParts {
        /// Total number of joints over all neighbours of all vertices.
        parts: u64,
    },
    /// `ddm` for meshes whose vertices have too many joints after smoothing of their weights.
    #[error("delta mush needs more than {} MiB for this model", MAX_MUSH_BYTES >> 20)]
    TooManyBytes,
    /// `bulge-free-dqs` for too many vertices of joints with too many children.
    #[error("finding the bones of all vertices would measure more than {MAX_BONE_DISTANCES} distances")]
    TooManyDistances,
}
