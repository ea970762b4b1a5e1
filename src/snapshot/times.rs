//! Times at which a clip is sampled.

use bindpose_core::model::{Clip, Timeline};

/// A frame of a clip, or the interval after it. Frames are the clip's distinct key times, counted from 0. For MD5 they
/// are the file's frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameRef {
    /// Number of the frame, or of the one before the time.
    pub number: u32,
    /// True for a time between this frame and the next.
    pub is_between: bool,
}

impl FrameRef {
    /// Returns a frame itself.
    pub fn at(number: u32) -> Self {
        Self { number, is_between: false }
    }
}

/// Serialises the time in frames.
impl serde::Serialize for FrameRef {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.is_between {
            false => to.serialize_u32(self.number),
            true => to.serialize_f64(f64::from(self.number) + BETWEEN_SHARE),
        }
    }
}

impl std::fmt::Display for FrameRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.is_between {
            false => write!(f, "frame {}", self.number),
            true => write!(f, "between frames {} and {}", self.number, u64::from(self.number) + 1),
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
            samples.push(SampleTime { time, frame: FrameRef::at(key as u32) });
        }
        if between.contains(&key) {
            let time = time + (keys[key + 1] - time) * BETWEEN_SHARE;
            samples.push(SampleTime { time, frame: FrameRef { number: key as u32, is_between: true } });
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
        let found: Vec<(f64, u32, bool)> =
            samples.iter().map(|sample| (sample.time, sample.frame.number, sample.frame.is_between)).collect();
        let expected = [
            (0.0, 0, false),
            (0.375, 0, true),
            (1.0, 1, false),
            (1.375, 1, true),
            (2.0, 2, false),
            (2.375, 2, true),
            (3.0, 3, false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_still_has_one_time_and_a_long_clip_is_thinned_to_the_limit() {
        assert_eq!(sample_times(&Clip::default(), 100).len(), 1);
        let times: Vec<f64> = (0..1000).map(f64::from).collect();
        let samples = sample_times(&clip(&times, &[0.0]), 100);
        assert_eq!(samples.iter().filter(|s| !s.frame.is_between).count(), 100);
        assert!(samples.is_sorted_by(|a, b| a.time < b.time));
    }
}
