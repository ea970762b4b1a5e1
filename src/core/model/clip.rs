//! Clips: keys over time for every joint.

use super::Transform;
use glam::{DQuat, DVec3};
use std::collections::HashMap;

/// A named animation with tracks for every joint of the skeleton it was imported for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clip {
    /// Name for people and for `--clip`.
    pub name: String,
    /// Length in seconds: the loop's period and the time of the last key. 0 for a single pose.
    pub duration: f64,
    /// Frames per second for display and stepping; MD5's frame rate. `None` if the file has no frames.
    pub frame_rate: Option<f64>,
    /// True if the clip is meant to repeat.
    pub looping: bool,
    /// Key times shared by tracks. MD5 has one timeline for the whole clip, .x one for each distinct list.
    pub timelines: Vec<Timeline>,
    /// Tracks of each joint, in the skeleton's order.
    pub joints: Vec<JointTracks>,
}

/// Non-decreasing key times in seconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    times: Vec<f64>,
}

impl Timeline {
    /// Creates a timeline from times in seconds. Returns `None` if they decrease or one is NaN.
    pub fn new(times: Vec<f64>) -> Option<Self> {
        times.is_sorted().then_some(Self { times })
    }

    /// Returns the times in seconds, non-decreasing.
    pub fn times(&self) -> &[f64] {
        &self.times
    }
}

/// Index into [`Clip::timelines`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimelineId(pub u32);

/// Timelines of a clip being built. Tracks with the same times share one.
#[derive(Debug, Default)]
pub struct Timelines {
    /// The timelines so far, for [`Clip::timelines`].
    pub list: Vec<Timeline>,
    known: HashMap<Vec<u64>, TimelineId>,
}

impl Timelines {
    /// Returns the timeline with these times in seconds, adding it if it is new. Times that [`Timeline::new`] refuses
    /// give an empty one.
    pub fn of(&mut self, times: &[f64]) -> TimelineId {
        let bits = times.iter().map(|time| time.to_bits()).collect();
        *self.known.entry(bits).or_insert_with(|| {
            self.list.push(Timeline::new(times.to_vec()).unwrap_or_default());
            TimelineId(self.list.len() as u32 - 1)
        })
    }
}

/// Keys of one quantity of one joint.
///
/// No keys mean the joint's rest pose, one key a constant. Times before the first and after the last key are clamped.
#[derive(Debug, Clone, PartialEq)]
pub struct Track<T> {
    /// Timeline with the times of the keys.
    pub timeline: TimelineId,
    /// One value per time of the timeline, or a single value for all times.
    pub values: Vec<T>,
}

/// Keys of one joint: whole transforms or separate parts.
#[derive(Debug, Clone, PartialEq)]
pub enum JointTracks {
    /// Translation, rotation and scale, each on its own timeline.
    Parts {
        /// Translation in the parent's space, model units.
        translation: Option<Track<DVec3>>,
        /// Rotation, as unit quaternions.
        rotation: Option<Track<DQuat>>,
        /// Scale, applied before the rotation.
        scale: Option<Track<DVec3>>,
    },
    /// Whole transforms: matrix keys of .x, and joints of engines with other interpolation.
    Whole {
        /// The keys.
        keys: Track<Transform>,
        /// Interpolation between keys.
        between: Interpolation,
    },
}

/// Interpolation between keys that are whole transforms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Interpolation {
    /// Linear translation, scale and shear; spherical rotation.
    #[default]
    Parts,
    /// Linear in every matrix element: for sheared keys, and for engines that interpolate this way.
    Elements,
    /// Linear in dual quaternions of equal sign, divided by the length of the real part. Scale and shear are ignored.
    DualQuaternions,
}

impl Default for JointTracks {
    /// Returns tracks without keys, so that the joint stays at rest.
    fn default() -> Self {
        Self::Parts { translation: None, rotation: None, scale: None }
    }
}
