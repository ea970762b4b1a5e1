//! Clips: keys over time, for every joint.

use super::Transform;
use glam::{DQuat, DVec3};

/// A named animation with tracks for every joint of the skeleton it was imported for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clip {
    /// Name for people and for `--clip`.
    pub name: String,
    /// Length in seconds: the loop's period and the time of the last key; 0 for a still.
    pub duration: f64,
    /// Frames per second for display and for stepping; MD5's frame rate. `None` where the file has no frames.
    pub frame_rate: Option<f64>,
    /// True if the clip is meant to repeat.
    pub looping: bool,
    /// Key times that tracks share. MD5 has one for the whole clip, .x one per distinct list.
    pub timelines: Vec<Timeline>,
    /// One per joint, in the skeleton's order.
    pub joints: Vec<JointTracks>,
}

/// Rising key times in seconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    times: Vec<f64>,
}

impl Timeline {
    /// Takes nondecreasing times in seconds; `None` if one falls or is not a number.
    pub fn new(times: Vec<f64>) -> Option<Self> {
        times.is_sorted().then_some(Self { times })
    }

    /// Seconds, nondecreasing.
    pub fn times(&self) -> &[f64] {
        &self.times
    }
}

/// Index into [`Clip::timelines`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimelineId(pub u32);

/// Keys of one quantity of one joint.
///
/// No keys: the joint's rest pose. One key: a constant. Values are clamped before the first and after the last key.
#[derive(Debug, Clone, PartialEq)]
pub struct Track<T> {
    /// Times of the keys.
    pub timeline: TimelineId,
    /// One value per time of the timeline, or exactly one for all times.
    pub values: Vec<T>,
}

/// Keys of one joint: whole transforms or separate parts.
#[derive(Debug, Clone, PartialEq)]
pub enum JointTracks {
    /// Translation, rotation and scale, each on its own timeline.
    Parts {
        /// Translation in the parent's space, model units.
        translation: Option<Track<DVec3>>,
        /// Unit quaternions.
        rotation: Option<Track<DQuat>>,
        /// Scale, applied before the rotation.
        scale: Option<Track<DVec3>>,
    },
    /// Whole transforms: matrix keys of .x, and joints as engines mix them.
    Whole {
        /// The keys.
        keys: Track<Transform>,
        /// Interpolation between keys.
        between: Interpolation,
    },
}

/// Interpolation between whole keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Translation, scale and shear linearly, rotation spherically.
    #[default]
    Parts,
    /// Every element of the matrix linearly: for sheared keys, and for engines that do so for all.
    Elements,
    /// Dual quaternions of equal sign linearly, divided by the length of the real part; scale and shear are ignored.
    DualQuaternions,
}

impl Default for JointTracks {
    /// No keys: the joint stays at rest.
    fn default() -> Self {
        Self::Parts { translation: None, rotation: None, scale: None }
    }
}
