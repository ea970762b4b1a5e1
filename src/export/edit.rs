//! What can be done to clips before they are written, whatever the format.

use crate::Loss;
use bindpose_core::model::{Clip, JointTracks, Model, Skeleton, Timeline, TimelineId, Track, Transform};
use glam::{DQuat, DVec3};

/// Changes of all clips of a model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClipEdits {
    /// Clips begin with their first key.
    pub trim: bool,
    /// Roots keep their horizontal place.
    pub in_place: bool,
    /// Clips that do not end as they begin get a last key like their first, a frame behind the end.
    pub close_loops: bool,
    /// Frames follow each other at this rate: they stay what they are, and the clip gets longer or shorter.
    pub frame_rate: Option<f64>,
}

/// How far the two ends of a loop may be apart and still be one pose: printed decimals.
const END_TOLERANCE: f64 = 1e-6;

/// Changes all clips; what could not be done is told.
pub fn edit_clips(model: &mut Model, edits: &ClipEdits) -> Vec<Loss> {
    let mut losses = Vec::new();
    for clip in &mut model.clips {
        if let Some(wanted) = edits.frame_rate {
            match clip.frame_rate {
                Some(rate) => retime(clip, rate / wanted, wanted),
                None => losses.push(Loss::NotCarried {
                    what: format!("another frame rate for clip '{}', whose keys are in no frames", clip.name),
                }),
            }
        }
        if edits.trim {
            trim(clip);
        }
        if edits.in_place {
            stay_in_place(clip, &model.skeleton);
        }
        if edits.close_loops {
            close_loop(clip);
        }
    }
    losses
}

fn retime(clip: &mut Clip, pace: f64, rate: f64) {
    move_times(clip, |time| time * pace);
    clip.duration *= pace;
    clip.frame_rate = Some(rate);
}

/// `to` keeps the order of times.
fn move_times(clip: &mut Clip, to: impl Fn(f64) -> f64) {
    for timeline in &mut clip.timelines {
        let moved = timeline.times().iter().map(|&time| to(time)).collect();
        *timeline = Timeline::new(moved).unwrap_or_default();
    }
}

fn trim(clip: &mut Clip) {
    let moving = clip.timelines.iter().filter(|timeline| timeline.times().len() > 1);
    let start = moving.filter_map(|timeline| timeline.times().first()).fold(f64::INFINITY, |a, &b| a.min(b));
    if start > 0.0 && start.is_finite() {
        move_times(clip, |time| (time - start).max(0.0));
        clip.duration -= start;
    }
}

/// Keeps each root above the place where it starts: it may rise and sink, but not walk away.
fn stay_in_place(clip: &mut Clip, skeleton: &Skeleton) {
    fn stay<'a>(mut values: impl Iterator<Item = &'a mut DVec3>) {
        let Some(start) = values.next().copied() else { return };
        values.for_each(|value| *value = DVec3::new(start.x, start.y, value.z));
    }
    let roots = skeleton.joints().iter().zip(&mut clip.joints).filter(|(joint, _)| joint.parent.is_none());
    for (_, tracks) in roots {
        match tracks {
            JointTracks::Parts { translation, .. } => stay(translation.iter_mut().flat_map(|track| &mut track.values)),
            JointTracks::Whole { keys, .. } => stay(keys.values.iter_mut().map(|key| &mut key.translation)),
        }
    }
}

/// A value of a key.
trait Key: Copy {
    fn is_near(self, other: Self) -> bool;
    /// The same, in the form that is the shorter way from `before`.
    fn after(self, before: Self) -> Self;
}

impl Key for DVec3 {
    fn is_near(self, other: Self) -> bool {
        self.distance(other) <= END_TOLERANCE * self.length().max(1.0)
    }

    fn after(self, _: Self) -> Self {
        self
    }
}

impl Key for DQuat {
    fn is_near(self, other: Self) -> bool {
        // The distance of unit quaternions is half the angle.
        self.after(other).to_array().iter().zip(other.to_array()).all(|(a, b)| (a - b).abs() <= END_TOLERANCE)
    }

    fn after(self, before: Self) -> Self {
        if self.dot(before) < 0.0 { -self } else { self }
    }
}

impl Key for Transform {
    fn is_near(self, other: Self) -> bool {
        self.translation.is_near(other.translation)
            && self.rotation.is_near(other.rotation)
            && self.scale.is_near(other.scale)
            && self.shear.is_near(other.shear)
    }

    fn after(self, before: Self) -> Self {
        Self { rotation: self.rotation.after(before.rotation), ..self }
    }
}

fn is_closed<T: Key>(track: &Track<T>) -> bool {
    track.values.first().zip(track.values.last()).is_none_or(|(first, last)| first.is_near(*last))
}

/// Adds to every track a key equal to its first, one frame behind the clip's end, unless all tracks end as they begin.
fn close_loop(clip: &mut Clip) {
    let closed = |tracks: &JointTracks| match tracks {
        JointTracks::Parts { translation, rotation, scale } => {
            translation.as_ref().is_none_or(is_closed)
                && rotation.as_ref().is_none_or(is_closed)
                && scale.as_ref().is_none_or(is_closed)
        }
        JointTracks::Whole { keys, .. } => is_closed(keys),
    };
    let Some(frame) = frame_of(clip).filter(|_| !clip.joints.iter().all(closed)) else { return };
    let end = clip.duration + frame;
    let mut closer = Closer { end, closed: vec![None; clip.timelines.len()], timelines: &mut clip.timelines };
    for tracks in &mut clip.joints {
        match tracks {
            JointTracks::Parts { translation, rotation, scale } => {
                translation.iter_mut().for_each(|track| closer.close(track));
                rotation.iter_mut().for_each(|track| closer.close(track));
                scale.iter_mut().for_each(|track| closer.close(track));
            }
            JointTracks::Whole { keys, .. } => closer.close(keys),
        }
    }
    clip.duration = end;
}

/// The length of a frame; where a clip has none, the step before the last key.
fn frame_of(clip: &Clip) -> Option<f64> {
    let steps = clip.timelines.iter().filter_map(|timeline| match timeline.times() {
        [.., before, last] => Some(last - before).filter(|step| *step > 0.0),
        _ => None,
    });
    clip.frame_rate.map(|rate| 1.0 / rate).or_else(|| steps.reduce(f64::min))
}

struct Closer<'a> {
    end: f64,
    /// For each timeline that was there the one with the end behind it, once it is made.
    closed: Vec<Option<TimelineId>>,
    timelines: &'a mut Vec<Timeline>,
}

impl Closer<'_> {
    fn close<T: Key>(&mut self, track: &mut Track<T>) {
        let [first, .., last] = track.values[..] else { return };
        let before = track.timeline.0 as usize;
        track.timeline = self.closed[before].unwrap_or_else(|| {
            let times = self.timelines[before].times().iter().copied().chain([self.end]);
            let longer = Timeline::new(times.collect()).unwrap_or_default();
            self.timelines.push(longer);
            TimelineId(self.timelines.len() as u32 - 1)
        });
        self.closed[before] = Some(track.timeline);
        track.values.push(first.after(last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root that walks along x, y and z, in parts and in whole keys, at 10 frames a second from 0.5 s on.
    fn model(whole: bool) -> Model {
        let mut model = Model::default();
        model.skeleton.push("root", None, Transform::IDENTITY);
        let places = [DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 4.0, 6.0)];
        let timeline = TimelineId(0);
        let tracks = if whole {
            let key = |place| Transform::from_rotation_translation(DQuat::IDENTITY, place);
            JointTracks::Whole { keys: Track { timeline, values: places.map(key).to_vec() }, lerp_elements: false }
        } else {
            let translation = Some(Track { timeline, values: places.to_vec() });
            JointTracks::Parts { translation, rotation: None, scale: None }
        };
        model.clips.push(Clip {
            name: "walk".into(),
            duration: 0.7,
            frame_rate: Some(10.0),
            looping: true,
            timelines: vec![Timeline::new(vec![0.5, 0.6, 0.7]).unwrap()],
            joints: vec![tracks],
        });
        model
    }

    fn keys(model: &Model) -> Vec<(f64, DVec3)> {
        let clip = &model.clips[0];
        let (timeline, places): (_, Vec<DVec3>) = match &clip.joints[0] {
            JointTracks::Parts { translation: Some(track), .. } => (track.timeline, track.values.clone()),
            JointTracks::Whole { keys, .. } => (keys.timeline, keys.values.iter().map(|key| key.translation).collect()),
            JointTracks::Parts { .. } => panic!("no translation"),
        };
        clip.timelines[timeline.0 as usize].times().iter().copied().zip(places).collect()
    }

    fn near(keys: &[(f64, DVec3)], expected: &[(f64, [f64; 3])]) {
        assert_eq!(keys.len(), expected.len());
        for ((time, place), (at, expected)) in keys.iter().zip(expected) {
            assert!((time - at).abs() < 1e-12 && *place == DVec3::from_array(*expected), "{keys:?}");
        }
    }

    #[test]
    fn roots_stay_loops_close_and_clips_are_trimmed() {
        for whole in [false, true] {
            let mut edited = model(whole);
            let edits = ClipEdits { trim: true, in_place: true, close_loops: true, frame_rate: None };
            assert!(edit_clips(&mut edited, &edits).is_empty());
            // Only the height, which is z, is left of the motion.
            let expected = [(0.0, [0., 0., 0.]), (0.1, [0., 0., 3.]), (0.2, [0., 0., 6.]), (0.3, [0., 0., 0.])];
            near(&keys(&edited), &expected);
            assert!((edited.clips[0].duration - 0.3).abs() < 1e-12);
            // A loop that is closed stays as it is.
            edit_clips(&mut edited, &ClipEdits { close_loops: true, ..ClipEdits::default() });
            near(&keys(&edited), &expected);
        }
    }

    #[test]
    fn frames_follow_each_other_at_another_rate() {
        let mut edited = model(false);
        let edits = ClipEdits { frame_rate: Some(20.0), ..ClipEdits::default() };
        assert!(edit_clips(&mut edited, &edits).is_empty());
        near(&keys(&edited), &[(0.25, [0., 0., 0.]), (0.3, [1., 2., 3.]), (0.35, [2., 4., 6.])]);
        edited.clips[0].frame_rate = None;
        assert!(matches!(&edit_clips(&mut edited, &edits)[..], [Loss::NotCarried { .. }]));
        // Without frames the last step stands for one.
        edit_clips(&mut edited, &ClipEdits { close_loops: true, ..ClipEdits::default() });
        assert!((edited.clips[0].duration - 0.4).abs() < 1e-12);
    }

    #[test]
    fn the_closing_rotation_is_on_the_side_of_the_last_one() {
        let mut edited = model(false);
        let values = vec![DQuat::from_rotation_z(0.1), -DQuat::from_rotation_z(0.2), -DQuat::from_rotation_z(0.3)];
        let rotation = Some(Track { timeline: TimelineId(0), values });
        edited.clips[0].joints[0] = JointTracks::Parts { translation: None, rotation, scale: None };
        edit_clips(&mut edited, &ClipEdits { close_loops: true, ..ClipEdits::default() });
        let JointTracks::Parts { rotation: Some(track), .. } = &edited.clips[0].joints[0] else { panic!() };
        assert_eq!(track.values[3], -DQuat::from_rotation_z(0.1));
    }
}
