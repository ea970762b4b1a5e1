//! Times at which a clip is sampled.

use bindpose_core::model::{Clip, Timeline};

/// A frame of a clip, or the interval after it. Frames are the clip's distinct key times, counted from 0. For MD5 they
/// are the file's frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameRef {
    /// The frame itself.
    At(u32),
    /// A time between this frame and the next.
    After(u32),
}

impl FrameRef {
    /// Returns the number of the frame, or of the one before the time.
    pub fn number(self) -> u32 {
        self.order().0
    }

    fn order(self) -> (u32, bool) {
        match self {
            FrameRef::At(frame) => (frame, false),
            FrameRef::After(frame) => (frame, true),
        }
    }
}

impl Ord for FrameRef {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

impl PartialOrd for FrameRef {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// Serialises the time in frames.
impl serde::Serialize for FrameRef {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match *self {
            FrameRef::At(frame) => to.serialize_u32(frame),
            FrameRef::After(frame) => to.serialize_f64(f64::from(frame) + BETWEEN_SHARE),
        }
    }
}

impl std::fmt::Display for FrameRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FrameRef::At(frame) => write!(f, "frame {frame}"),
            FrameRef::After(frame) => write!(f, "between frames {frame} and {}", u64::from(*frame) + 1),
        }
    }
}

/// One time at which a clip is sampled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct SampleTime {
    /// Seconds from the clip's start.
    pub time: f64,
    /// The same time in frames.
    pub frame: FrameRef,
}

/// Number of times between keys at which a clip is sampled.
const BETWEEN: usize = 4;

/// Position of such a time between two keys. It is not the middle, where two errors in the interpolation could cancel
/// out. It is exact in binary.
const BETWEEN_SHARE: f64 = 0.375;

/// Returns all distinct finite key times of a clip in seconds, increasing: for MD5 one per frame, for .x those of all
/// joints' keys.
///
/// A clip without keys has the time 0.
pub fn key_times(clip: &Clip) -> Vec<f64> {
    let mut times: Vec<f64> = clip.timelines.iter().flat_map(Timeline::times).copied().collect();
    times.retain(|time| time.is_finite());
    times.sort_by(f64::total_cmp);
    times.dedup();
    if times.is_empty() {
        times.push(0.0);
    }
    times
}

/// Returns every key time, or at most `most` evenly chosen ones, and up to four times between keys.
pub(super) fn sample_times(clip: &Clip, most: usize) -> Vec<SampleTime> {
    let keys = key_times(clip);
    let step = keys.len().div_ceil(most.max(1)).max(1);
    let intervals = keys.len() - 1;
    // The middles of equal parts of the clip. In a short clip, each interval appears once.
    let mut between: Vec<usize> =
        (0..BETWEEN).filter_map(|part| ((2 * part + 1) * intervals).checked_div(2 * BETWEEN)).collect();
    between.retain(|&key| key < intervals);
    between.dedup();
    let mut samples = Vec::with_capacity(keys.len() / step + BETWEEN + 1);
    for (key, &time) in keys.iter().enumerate() {
        if key % step == 0 {
            samples.push(SampleTime { time, frame: FrameRef::At(key as u32) });
        }
        if between.contains(&key) {
            let time = time + (keys[key + 1] - time) * BETWEEN_SHARE;
            samples.push(SampleTime { time, frame: FrameRef::After(key as u32) });
        }
    }
    samples
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::{JointTracks, TimelineId, Track};
    use glam::{DQuat, DVec3};

    fn clip(turning: &[f64], moving: &[f64]) -> Clip {
        let track = |timeline, count| Track { timeline: TimelineId(timeline), values: vec![DVec3::ZERO; count] };
        let rotation = Track { timeline: TimelineId(0), values: vec![DQuat::IDENTITY; turning.len()] };
        Clip {
            timelines: [turning, moving].map(|times| Timeline::new(times.to_vec()).unwrap()).to_vec(),
            joints: vec![JointTracks::Parts {
                translation: Some(track(1, moving.len())),
                rotation: Some(rotation),
                scale: None,
            }],
            ..Clip::default()
        }
    }

    #[test]
    fn every_key_of_every_timeline_is_a_time() {
        assert_eq!(key_times(&clip(&[0.0, 1.0, 2.0], &[0.5, 1.0])), [0.0, 0.5, 1.0, 2.0]);
        assert_eq!(key_times(&Clip::default()), [0.0]);
    }

    #[test]
    fn every_interval_of_a_short_clip_is_sampled_once() {
        let samples = sample_times(&clip(&[0.0, 2.0], &[1.0, 2.0, 3.0]), 100);
        let found: Vec<(f64, FrameRef)> = samples.iter().map(|sample| (sample.time, sample.frame)).collect();
        let expected = [
            (0.0, FrameRef::At(0)),
            (0.375, FrameRef::After(0)),
            (1.0, FrameRef::At(1)),
            (1.375, FrameRef::After(1)),
            (2.0, FrameRef::At(2)),
            (2.375, FrameRef::After(2)),
            (3.0, FrameRef::At(3)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_still_has_one_time_and_a_long_clip_is_thinned_to_the_limit() {
        assert_eq!(sample_times(&Clip::default(), 100).len(), 1);
        let times: Vec<f64> = (0..1000).map(f64::from).collect();
        let samples = sample_times(&clip(&times, &[0.0]), 100);
        assert_eq!(samples.iter().filter(|s| matches!(s.frame, FrameRef::At(_))).count(), 100);
        assert!(samples.is_sorted_by(|a, b| a.time < b.time));
    }
}
