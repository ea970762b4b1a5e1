//! Conversion of animations to clips.

use super::context::Context;
use super::error::{Error, Warn, oddity, unread};
use super::nodes::{Joints, times, unit};
use crate::budget::{grouped, product};
use crate::import::FRAME_RATES;
use crate::left_out::Part;
use crate::model::{Clip, JointTracks, Model, Timelines, Track, Transform};
use glam::{DQuat, DVec3};
use gltf_json::animation::{Animation, Channel, Interpolation, Property, Sampler};
use gltf_json::validation::Checked;
use std::collections::HashSet;

/// Largest deviation of line segments from a cubic spline, as a fraction of its largest value.
const SPLINE_TOLERANCE: f64 = 1e-6;
/// Largest number of line segments that replace a spline between two keys.
const MOST_LINES: usize = 256;

/// Adds all animations that move a joint.
pub(super) fn import(
    context: &Context<'_>,
    joints: &Joints,
    name: &str,
    model: &mut Model,
    warn: &mut Warn<'_>,
) -> Result<(), Error> {
    let mut nameless = 0;
    let mut names = HashSet::new();
    for (number, animation) in context.root.animations.iter().enumerate() {
        let pointer = format!("/animations/{number}");
        let own = animation.name.clone().filter(|name| !name.is_empty()).unwrap_or_else(|| {
            nameless += 1;
            if nameless == 1 { name.to_owned() } else { format!("{name} {nameless}") }
        });
        let (morphs, others): (Vec<&Channel>, Vec<&Channel>) = animation
            .channels
            .iter()
            .partition(|channel| channel.target.path == Checked::Valid(Property::MorphTargetWeights));
        if !others.iter().any(|channel| joints.id(channel.target.node.value()).is_some()) {
            let what =
                if morphs.is_empty() { "no joint of the model" } else { "only morph targets, which are not read" };
            warn(&pointer, oddity("GLI004", format!("it moves {what}")).leaving_out(Part::Clip, &own));
            continue;
        }
        if !morphs.is_empty() {
            warn(&pointer, unread(Part::Morph, &own, "what the clip does to morph targets is not read"));
        }
        let what = || format!("the tracks of {} joints", grouped(model.skeleton.len()));
        let spent = context.budget.spend(product([model.skeleton.len(), size_of::<JointTracks>()]), what);
        spent.map_err(|error| Error::memory(&pointer, &error))?;
        let mut builder = Builder {
            context,
            animation,
            pointer: &pointer,
            joints,
            timelines: Timelines::default(),
            end: 0.0,
            splines: 0,
            bad_rotations: 0,
        };
        let tracks = builder.tracks(model.skeleton.len())?;
        if builder.splines > 0 {
            let message = format!("cubic splines of '{own}' are followed by {} keys", grouped(builder.splines));
            warn(&pointer, oddity("GLI003", message));
        }
        if builder.bad_rotations > 0 {
            let message =
                format!("{} rotation keys of '{own}' have zero length; treated as identity", builder.bad_rotations);
            warn(&pointer, oddity("GLI002", message));
        }
        if !names.insert(own.clone()) {
            let message = format!("a second animation called '{own}'; its name leads to the first");
            warn(&pointer, oddity("GLI006", message));
        }
        model.clips.push(Clip {
            name: own,
            duration: builder.end,
            frame_rate: builder.frame_rate(),
            looping: true,
            timelines: builder.timelines.list,
            joints: tracks,
        });
    }
    Ok(())
}

struct Builder<'a> {
    context: &'a Context<'a>,
    animation: &'a Animation,
    pointer: &'a str,
    joints: &'a Joints,
    timelines: Timelines,
    /// Latest time of any channel.
    end: f64,
    /// Number of keys that replace splines.
    splines: usize,
    bad_rotations: usize,
}

impl Builder<'_> {
    fn tracks(&mut self, joint_count: usize) -> Result<Vec<JointTracks>, Error> {
        let mut tracks = vec![JointTracks::default(); joint_count];
        for (number, channel) in self.animation.channels.iter().enumerate() {
            let node = channel.target.node.value();
            let pointer = format!("{}/channels/{number}", self.pointer);
            let Some(joint) = self.joints.id(node) else { continue };
            let Some(sampler) = self.animation.samplers.get(channel.sampler.value()) else {
                let message = format!("there is no sampler {}", channel.sampler.value());
                return Err(Error::new(format!("{pointer}/sampler"), message));
            };
            let pointer = format!("{}/samplers/{}", self.pointer, channel.sampler.value());
            let above = self.joints.above(node);
            // Converting each part alone gives the same result as converting the whole transform.
            let turn = |local: Transform| self.joints.turned(&times(&above, &local));
            let JointTracks::Parts { translation, rotation, scale } = &mut tracks[joint.index()] else { continue };
            let identity = Transform::IDENTITY;
            match channel.target.path {
                Checked::Valid(Property::Translation) => {
                    let keys = self.keys::<3>(sampler, &pointer, false)?;
                    let value =
                        |value| turn(Transform { translation: DVec3::from_array(value), ..identity }).translation;
                    *translation = Some(self.track(keys, value));
                }
                Checked::Valid(Property::Scale) => {
                    let keys = self.keys::<3>(sampler, &pointer, false)?;
                    let value = |value| turn(Transform { scale: DVec3::from_array(value), ..identity }).scale;
                    *scale = Some(self.track(keys, value));
                }
                Checked::Valid(Property::Rotation) => {
                    let keys = self.keys::<4>(sampler, &pointer, true)?;
                    self.bad_rotations += keys.iter().filter(|(_, value)| *value == [0.0; 4]).count();
                    let value =
                        |value| turn(Transform { rotation: unit(DQuat::from_array(value)), ..identity }).rotation;
                    *rotation = Some(self.track(keys, value));
                }
                Checked::Valid(Property::MorphTargetWeights) | Checked::Invalid => {}
            }
        }
        Ok(tracks)
    }

    fn track<const N: usize, T>(&mut self, keys: Vec<(f64, [f64; N])>, value: impl Fn([f64; N]) -> T) -> Track<T> {
        let (times, values): (Vec<f64>, Vec<[f64; N]>) = keys.into_iter().unzip();
        self.end = times.last().copied().unwrap_or(0.0).max(self.end);
        Track { timeline: self.timelines.of(&times), values: values.into_iter().map(value).collect() }
    }

    /// Returns times and values of a sampler, with linear interpolation between them (spherical for rotations).
    fn keys<const N: usize>(
        &mut self,
        sampler: &Sampler,
        pointer: &str,
        is_rotation: bool,
    ) -> Result<Vec<(f64, [f64; N])>, Error> {
        let Checked::Valid(interpolation) = sampler.interpolation else {
            return Err(Error::new(format!("{pointer}/interpolation"), "it is none that glTF has"));
        };
        let times = self.context.accessors.read::<1>(sampler.input.value())?;
        let values = self.context.accessors.read::<N>(sampler.output.value())?;
        if let Some(place) = times.windows(2).position(|pair| pair[1][0] <= pair[0][0]) {
            let message = format!(
                "times must rise: key {} is at {} s, key {} at {} s",
                place,
                times[place][0],
                place + 1,
                times[place + 1][0]
            );
            return Err(Error::new(format!("/accessors/{}", sampler.input.value()), message));
        }
        let for_each = if interpolation == Interpolation::CubicSpline { 3 } else { 1 };
        if times.is_empty() || values.len() != times.len() * for_each {
            let message = format!("{} values for {} times", values.len(), times.len());
            return Err(Error::new(format!("{pointer}/output"), message));
        }
        let times = times.iter().map(|&[time]| time);
        Ok(match interpolation {
            Interpolation::Linear => times.zip(values).collect(),
            Interpolation::Step => {
                let mut keys: Vec<(f64, [f64; N])> = Vec::with_capacity(2 * values.len());
                for (time, value) in times.zip(values) {
                    keys.extend(keys.last().map(|&(_, before)| (time, before)));
                    keys.push((time, value));
                }
                keys
            }
            Interpolation::CubicSpline => {
                let triples =
                    values.chunks_exact(3).map(|triple| Knot { before: triple[0], at: triple[1], after: triple[2] });
                let knots: Vec<(f64, Knot<N>)> = times.zip(triples).collect();
                self.spline(&knots, pointer, is_rotation)?
            }
        })
    }

    /// Approximates a cubic spline by keys within [`SPLINE_TOLERANCE`].
    fn spline<const N: usize>(
        &mut self,
        knots: &[(f64, Knot<N>)],
        pointer: &str,
        is_rotation: bool,
    ) -> Result<Vec<(f64, [f64; N])>, Error> {
        let largest = knots.iter().flat_map(|(_, knot)| knot.at).fold(0.0, |most: f64, part| most.max(part.abs()));
        let mut keys: Vec<(f64, [f64; N])> = knots.first().map(|(time, knot)| (*time, knot.at)).into_iter().collect();
        for pair in knots.windows(2) {
            let [(start, from), (end, to)] = pair else { continue };
            let at = |share: f64| between(from, to, end - start, share, is_rotation);
            let mut lines = 1;
            while lines < MOST_LINES {
                // A cubic that meets its line at both ends crosses it at most once in between.
                let off = |line: usize| {
                    let [a, third, two_thirds, b] =
                        [0.0, 1.0, 2.0, 3.0].map(|part| at((line as f64 + part / 3.0) / lines as f64));
                    let far = |part: usize| {
                        let step = (b[part] - a[part]) / 3.0;
                        (third[part] - a[part] - step).abs().max((two_thirds[part] - b[part] + step).abs())
                    };
                    (0..N).map(far).fold(0.0, f64::max)
                };
                if (0..lines).all(|line| off(line) <= SPLINE_TOLERANCE * largest) {
                    break;
                }
                lines *= 2;
            }
            let what = || format!("{} keys for a spline", grouped(keys.len() + lines));
            let spent = self.context.budget.spend(product([lines, size_of::<(f64, [f64; N])>()]), what);
            spent.map_err(|error| Error::memory(pointer, &error))?;
            for line in 1..=lines {
                let share = line as f64 / lines as f64;
                keys.push((start + (end - start) * share, at(share)));
            }
        }
        self.splines += keys.len();
        Ok(keys)
    }

    /// Returns the frame rate in the file's extras, else the rate whose frames contain all keys.
    fn frame_rate(&self) -> Option<f64> {
        let extras = self.animation.extras.as_ref();
        let written = extras.and_then(|extras| serde_json::from_str::<Extras>(extras.get()).ok()?.bindpose?.fps);
        if let Some(written) = written.filter(|rate| FRAME_RATES.contains(rate)) {
            return Some(written);
        }
        if self.splines > 0 {
            return None;
        }
        let times = || self.timelines.list.iter().flat_map(|timeline| timeline.times()).copied();
        let on_frames =
            |rate: f64| times().all(|time| ((time * rate).round() / rate - time).abs() <= 1e-6 * time.max(1.0));
        let last = times().fold(0.0, f64::max);
        [1.0, 5.0, 8.0, 10.0, 12.0, 15.0, 20.0, 24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0]
            .into_iter()
            .find(|&rate| last > 0.0 && on_frames(rate))
    }
}

/// Extras that our own writer adds to an animation.
#[derive(serde::Deserialize)]
struct Extras {
    bindpose: Option<OwnExtras>,
}

#[derive(serde::Deserialize)]
struct OwnExtras {
    fps: Option<f64>,
}

/// A key of a cubic spline.
struct Knot<const N: usize> {
    /// Tangent towards the key, per second.
    before: [f64; N],
    at: [f64; N],
    /// Tangent from the key on, per second.
    after: [f64; N],
}

/// Returns the value of the spline between two keys that are `seconds` apart.
fn between<const N: usize>(from: &Knot<N>, to: &Knot<N>, seconds: f64, share: f64, is_rotation: bool) -> [f64; N] {
    let (t, t2, t3) = (share, share * share, share * share * share);
    let value: [f64; N] = std::array::from_fn(|part| {
        (2.0 * t3 - 3.0 * t2 + 1.0) * from.at[part]
            + seconds * (t3 - 2.0 * t2 + t) * from.after[part]
            + (3.0 * t2 - 2.0 * t3) * to.at[part]
            + seconds * (t3 - t2) * to.before[part]
    });
    let length = value.iter().map(|part| part * part).sum::<f64>().sqrt();
    if is_rotation && length > 0.0 { value.map(|part| part / length) } else { value }
}
