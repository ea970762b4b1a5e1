//! Reasons why a method refuses a mesh.

/// Bytes of baked frames that `morph` stores at most.
pub const MAX_MORPH_BYTES: u64 = 512 << 20;

/// Keys of the clip that `velocity` stores at most: 64 MiB of quaternions.
pub(super) const MAX_MOTION_KEYS: usize = 1 << 21;

/// Distances that `bulge-free-dqs` measures at most: a second of work.
pub(super) const MAX_BONE_DISTANCES: u64 = 1 << 27;

/// Row entries that one smoothing step of `ddm` reads at most: seconds of work.
pub(super) const MAX_MUSH_PARTS: u64 = 1 << 24;

/// Bytes that the rows of one smoothing step of `ddm` take at most.
pub(super) const MAX_MUSH_BYTES: u64 = 256 << 20;

/// Reason why a method cannot show a mesh.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// `morph` without a clip.
    #[error("there is no clip to store frames of")]
    NoClip,
    /// A pose with scaled or sheared joints, by a method of rotations and translations.
    #[error("{joints} joints are scaled; this method supports rotation and translation only")]
    Scaled {
        /// Their number.
        joints: usize,
    },
    /// `morph` of a clip with too many frames.
    #[error("storing every frame needs {bytes} bytes, more than the limit of {MAX_MORPH_BYTES}")]
    TooManyFrames {
        /// Bytes of all frames.
        bytes: u64,
    },
    /// `velocity` of a clip with too many keys.
    #[error("the clip has {keys} keys, more than the limit of {MAX_MOTION_KEYS}")]
    TooManyKeys {
        /// Their number.
        keys: usize,
    },
    /// `ddm` of a mesh that takes too long to smooth.
    #[error("each smoothing step would read {parts} weights, more than the limit of {MAX_MUSH_PARTS}")]
    TooManyParts {
        /// Joints of all neighbours of all vertices.
        parts: u64,
    },
    /// `ddm` of a mesh whose vertices have too many joints once their weights are smoothed.
    #[error("delta mush needs more than {} MiB for this mesh", MAX_MUSH_BYTES >> 20)]
    TooManyBytes,
    /// `bulge-free-dqs` of too many vertices of joints with too many children.
    #[error("finding the bones of all vertices would measure more than {MAX_BONE_DISTANCES} distances")]
    TooManyDistances,
}
