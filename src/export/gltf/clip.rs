//! Clips as glTF stores them: translations, rotations and scales, each with its own increasing times.

use crate::loss::Loss;
use crate::measure::moved_by_clip;
use crate::prepare::motion_loss;
use bindpose_core::model::{
    Clip, Interpolation, JointTracks, Model, Skeleton, Timeline, TimelineId, Timelines, Track, Transform, slerp,
};
use glam::{DQuat, DVec3};

/// Largest distance of scale keys from 1 at which they are left out.
const UNIT_SCALE: f64 = 1e-6;
/// Shear that rounded decimals may cause, as a share of the scale.
const SHEAR_TOLERANCE: f64 = 1e-4;

/// Returns the skeleton without the shear of its rest pose, which a node cannot represent.
pub(super) fn unsheared(skeleton: &Skeleton, losses: &mut Vec<Loss>) -> Skeleton {
    let mut unsheared = skeleton.clone();
    let mut sheared = Sheared::default();
    for joint in skeleton.ids() {
        let rest = skeleton[joint].rest_local;
        if sheared.add(joint.index(), &rest) {
            unsheared.set_rest_local(joint, Transform { shear: DVec3::ZERO, ..rest });
        }
    }
    losses.extend(sheared.loss(skeleton, None));
    unsheared
}

/// Joints with shear.
#[derive(Default)]
struct Sheared {
    joints: usize,
    last: Option<usize>,
    /// Joint with the largest shear, and that shear as a share of the scale.
    most: Option<(usize, f64)>,
}

impl Sheared {
    /// Records a key of a joint and returns true if it has any shear. Keys of one joint must follow each other.
    fn add(&mut self, joint: usize, key: &Transform) -> bool {
        let shear = key.shear.abs().max_element();
        let share = shear / key.scale.abs().max_element();
        if share > SHEAR_TOLERANCE {
            if self.last != Some(joint) {
                self.joints += 1;
                self.last = Some(joint);
            }
            if self.most.is_none_or(|(_, most)| share > most) {
                self.most = Some((joint, share));
            }
        }
        shear > 0.0
    }

    fn loss(&self, skeleton: &Skeleton, clip: Option<&str>) -> Option<Loss> {
        let (joint, most) = self.most?;
        let joint = skeleton.joints()[joint].name.clone();
        Some(Loss::Shear { clip: clip.map(str::to_owned), joint, joints: self.joints, most })
    }
}

/// Converts a clip for `skeleton` (the model's, [`unsheared`]). Its times are f32 values, `pace` times those of `clip`.
/// Every track is split into parts, starts at 0 or later, and has increasing times.
pub(super) fn simplify(
    model: &Model,
    skeleton: &Skeleton,
    clip: &Clip,
    pace: f64,
    size: f64,
    losses: &mut Vec<Loss>,
) -> Clip {
    let mut builder = Builder { clip, pace, timelines: Timelines::default(), merged: 0 };
    let mut sheared = Sheared::default();
    let mut may_differ = false;
    let mut joints = Vec::with_capacity(clip.joints.len());
    for (number, tracks) in clip.joints.iter().enumerate() {
        joints.push(match tracks {
            JointTracks::Parts { translation, rotation, scale } => JointTracks::Parts {
                translation: translation.as_ref().and_then(|track| builder.translations(track)),
                rotation: rotation.as_ref().and_then(|track| builder.rotations(track)),
                scale: scale.as_ref().and_then(|track| builder.scales(track, &skeleton.joints()[number].rest_local)),
            },
            JointTracks::Whole { keys, between } => {
                let is_sheared = keys.values.iter().filter(|key| sheared.add(number, key)).count() > 0;
                may_differ |= *between != Interpolation::Parts || is_sheared;
                JointTracks::Parts {
                    translation: builder.translations(&part(keys, |key| key.translation)),
                    rotation: builder.rotations(&part(keys, |key| key.rotation)),
                    scale: builder.scales(&part(keys, |key| key.scale), &skeleton.joints()[number].rest_local),
                }
            }
        });
    }
    let merged = builder.merged;
    let simple = Clip {
        joints,
        duration: f64::from((clip.duration * pace) as f32),
        timelines: builder.timelines.list,
        ..clip.clone()
    };
    losses.extend(sheared.loss(skeleton, Some(&clip.name)));
    if merged > 0 {
        losses.push(Loss::MergedKeys { clip: clip.name.clone(), keys: merged });
    }
    if may_differ || merged > 0 || *skeleton != model.skeleton {
        let moved = moved_by_clip(model, clip, skeleton, &model.meshes, &simple, pace);
        losses.extend(motion_loss(&clip.name, moved, size));
    }
    simple
}

/// Adds a last key to the root's translation if no key lasts as long as the clip: glTF has no other length. `rest` is
/// that translation at rest.
pub(super) fn held_to_the_end(mut clip: Clip, rest: DVec3) -> Clip {
    let mut ends = clip.timelines.iter().filter_map(|timeline| timeline.times().last());
    let lasts = clip.duration <= 0.0 || ends.any(|&time| time >= clip.duration);
    let Some(JointTracks::Parts { translation, .. }) = clip.joints.first_mut().filter(|_| !lasts) else { return clip };
    let (mut times, mut values) = match translation.take() {
        Some(track) => (clip.timelines[track.timeline.0 as usize].times().to_vec(), track.values),
        None => (vec![0.0], vec![rest]),
    };
    values.extend(values.last().copied());
    times.push(clip.duration);
    *translation = Some(Track { timeline: TimelineId(clip.timelines.len() as u32), values });
    clip.timelines.extend(Timeline::new(times));
    clip
}

fn part<T>(keys: &Track<Transform>, of: impl Fn(&Transform) -> T) -> Track<T> {
    Track { timeline: keys.timeline, values: keys.values.iter().map(of).collect() }
}

struct Builder<'a> {
    clip: &'a Clip,
    pace: f64,
    timelines: Timelines,
    merged: usize,
}

impl Builder<'_> {
    fn translations(&mut self, track: &Track<DVec3>) -> Option<Track<DVec3>> {
        self.track(track, DVec3::lerp)
    }

    fn rotations(&mut self, track: &Track<DQuat>) -> Option<Track<DQuat>> {
        let mut track = self.track(track, slerp)?;
        // Adjacent quaternions get matching signs, so that importers with linear interpolation take the shorter path.
        for at in 1..track.values.len() {
            if track.values[at].dot(track.values[at - 1]) < 0.0 {
                track.values[at] = -track.values[at];
            }
        }
        Some(track)
    }

    /// Returns the scale keys; `None` if all are 1 on a joint without scale at rest.
    fn scales(&mut self, track: &Track<DVec3>, rest: &Transform) -> Option<Track<DVec3>> {
        let is_one = |scale: &DVec3| scale.abs_diff_eq(DVec3::ONE, UNIT_SCALE);
        if rest.scale == DVec3::ONE && track.values.iter().all(is_one) {
            return None;
        }
        self.track(track, DVec3::lerp)
    }

    fn track<T: Copy + PartialEq>(&mut self, track: &Track<T>, between: impl Fn(T, T, f64) -> T) -> Option<Track<T>> {
        let first = *track.values.first()?;
        if track.values.iter().all(|value| *value == first) {
            return Some(Track { timeline: self.timelines.of(&[0.0]), values: vec![first] });
        }
        let times = self.clip.timelines.get(track.timeline.0 as usize)?.times();
        let mut keys: Vec<(f64, T)> = times.iter().copied().zip(track.values.iter().copied()).collect();
        // A clip begins at 0: earlier keys are merged into one there.
        let negative = keys.partition_point(|&(time, _)| time < 0.0);
        if let Some(last) = negative.checked_sub(1) {
            let (before, from) = keys[last];
            let value = match keys.get(negative) {
                Some(&(after, to)) => between(from, to, -before / (after - before)),
                None => from,
            };
            keys.drain(..last);
            keys[0] = (0.0, value);
        }
        let mut kept: Vec<(f64, T)> = Vec::with_capacity(keys.len());
        for (time, value) in keys {
            let rounded = (time * self.pace) as f32;
            let (time, before) = (f64::from(rounded), f64::from(rounded.next_down()));
            match &mut kept[..] {
                [.., last] if last.0 >= time && last.1 == value => {}
                // A step: the value before it lasts until the last f32 before `time`.
                [.., earlier, last] if last.0 >= time && earlier.0 < before => {
                    last.0 = before;
                    kept.push((time, value));
                }
                // Of several keys at one time, the last one wins.
                [.., last] if last.0 >= time => {
                    self.merged += 1;
                    last.1 = value;
                }
                _ => kept.push((time, value)),
            }
        }
        let (times, values): (Vec<f64>, Vec<T>) = kept.into_iter().unzip();
        Some(Track { timeline: self.timelines.of(&times), values })
    }
}
