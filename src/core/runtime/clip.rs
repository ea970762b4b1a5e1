//! Keys of a clip in playback order.

use super::simd::{LANES, Lanes, Rows};
use super::skeleton::RuntimeSkeleton;
use crate::budget::{Budget, Exceeded};
use crate::model::{Clip, Interpolation, JointTracks, Skeleton, Timeline, TimelineId, Transform};
use crate::pose::{LocalPose, sample};
use glam::{DAffine3, DVec3};
use std::f64::consts::FRAC_1_SQRT_2;

/// All joints of a clip at the times of its keys, frame by frame.
///
/// If tracks have separate key times, there is a frame at each time: linear interpolation and slerp between neighbours
/// stay exact. Rotations stay in one hemisphere from frame to frame, so interpolation needs no sign checks. Constants
/// are stored once.
#[derive(Debug, Clone)]
pub struct RuntimeClip {
    /// Times in seconds, non-decreasing. Never empty.
    pub(super) times: Vec<f64>,
    /// Frames per second if all steps are equal.
    rate: Option<f64>,
    /// For each frame, x y z w of the rotations of all groups, then x y z of the changing translations.
    lanes: Vec<Lanes>,
    /// Number of groups of [`LANES`] joints: those whose translations change, then those whose rotations change.
    pub(super) groups: usize,
    /// Translations of the last groups, whose joints only rotate.
    pub(super) constant_translations: Vec<[Lanes; 3]>,
    /// Constant joints, in their parents' spaces.
    pub(super) constants: Vec<Rows>,
    /// Place of each joint, in the order of the skeleton's steps: four joints in each [`Rows`] of a pose, the groups
    /// before the constants.
    pub(super) places: Vec<u32>,
    /// Joints with scale, shear or special interpolation. There are few.
    pub(super) stretched: Vec<Stretched>,
    /// True if no joint rotates by more than 90 degrees from one frame to the next.
    pub(super) turns_little: bool,
    joints: usize,
}

/// A joint with scale or shear, or without slerp between keys.
#[derive(Debug, Clone)]
pub(super) struct Stretched {
    /// Place of the joint in a pose.
    pub place: u32,
    /// Scale and shear, or the whole matrix.
    pub by: Stretch,
}

#[derive(Debug, Clone)]
pub(super) enum Stretch {
    /// Scale x, y, z and shear xy, xz, yz before the rotation: one entry per frame, or one in total.
    Parts(Vec<[f32; 6]>),
    /// The rows of the whole matrix, interpolated element by element: one entry per frame.
    Elements(Vec<[[f32; 4]; 3]>),
    /// Rigid keys on the joint's own timeline (seconds), interpolated as dual quaternions. Inserting frames of other
    /// timelines between two keys would change the result.
    DualQuaternions { times: Vec<f64>, keys: Vec<Transform> },
}

/// Two frames around a time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Between {
    /// Frame at or before the time.
    pub frame: usize,
    /// Next frame, or the same one at the end.
    pub next: usize,
    /// Share of the next frame.
    pub share: f32,
}

impl RuntimeClip {
    /// Converts `clip` for `skeleton`. A joint without keys stays in its rest pose.
    ///
    /// # Errors
    ///
    /// [`Exceeded`] if the frames need more memory than `budget` has left. If every track of a .x file has separate key
    /// times, the number of joints multiplies with that of all keys.
    pub fn new(skeleton: &Skeleton, clip: &Clip, budget: &Budget) -> Result<Self, Exceeded> {
        let knots = knots(clip);
        let joints = skeleton.len();
        let bytes = knots.len() as u128 * joints as u128 * (size_of::<Transform>() + 7 * size_of::<f32>()) as u128;
        budget.spend(bytes, || {
            let grouped = crate::budget::grouped;
            format!("{} joints in {} frames", grouped(joints), grouped(knots.len()))
        })?;
        let locals = locals(skeleton, clip, &knots);
        let (order, moving, turning) = order(&locals, joints);
        let grouped = turning.next_multiple_of(LANES).min(joints);
        let lane = |group: &[u32], lane: usize| group.get(lane).copied().unwrap_or(joints as u32);
        let groups: Vec<[u32; LANES]> =
            order[..grouped].chunks(LANES).map(|group| std::array::from_fn(|number| lane(group, number))).collect();
        let (in_frames, constant) = groups.split_at(moving.div_ceil(LANES));
        let rotation = |local: &Transform| local.rotation.as_quat().to_array();
        let translation = |local: &Transform| local.translation.as_vec3().to_array();
        let mut lanes = Vec::with_capacity(knots.len() * (4 * groups.len() + 3 * in_frames.len()));
        for frame in &locals {
            lanes.extend(groups.iter().flat_map(|group| to_lanes(frame, group, rotation)));
            lanes.extend(in_frames.iter().flat_map(|group| to_lanes(frame, group, translation)));
        }
        let places = places(&order, grouped);
        let placed = |joint: usize| Some(Stretched { place: places[joint], by: stretch(clip, &locals, joint)? });
        let times: Vec<f64> = knots.iter().map(|knot| knot.time).collect();
        Ok(Self {
            rate: rate(&times),
            times,
            lanes,
            constant_translations: constant.iter().map(|group| to_lanes(&locals[0], group, translation)).collect(),
            constants: order[grouped..].chunks(4).map(|four| constants(&locals[0], four)).collect(),
            stretched: (0..joints).filter_map(placed).collect(),
            places: RuntimeSkeleton::new(skeleton).steps().iter().map(|step| places[step.joint as usize]).collect(),
            turns_little: turns_little(&locals),
            groups: groups.len(),
            joints,
        })
    }

    /// Returns the number of frames.
    pub fn count(&self) -> usize {
        self.times.len()
    }

    /// Returns the number of joints.
    pub fn joints(&self) -> usize {
        self.joints
    }

    /// Returns the size of the frames in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.lanes.as_slice())
    }

    /// Finds the frames around `time` (seconds), clamped to the first and the last.
    pub(super) fn between(&self, time: f64) -> Between {
        let last = self.times.len() - 1;
        if let Some(rate) = self.rate {
            let place = ((time - self.times[0]) * rate).clamp(0.0, last as f64);
            let frame = place as usize;
            return Between { frame, next: (frame + 1).min(last), share: (place - frame as f64) as f32 };
        }
        let after = self.times.partition_point(|&key| key <= time);
        let frame = after.saturating_sub(1);
        let next = if after == 0 { 0 } else { after.min(last) };
        let (start, end) = (self.times[frame], self.times[next]);
        let share = if end > start { ((time - start) / (end - start)).clamp(0.0, 1.0) as f32 } else { 0.0 };
        Between { frame, next, share }
    }

    /// Returns the rotations of one frame, and its changing translations, group by group.
    #[inline(always)]
    pub(super) fn frame(&self, frame: usize) -> (&[[Lanes; 4]], &[[Lanes; 3]]) {
        let rotations = 4 * self.groups;
        let all = rotations + 3 * (self.groups - self.constant_translations.len());
        let (rotations, translations) = self.lanes[frame * all..][..all].split_at(rotations);
        (rotations.as_chunks().0, translations.as_chunks().0)
    }
}

/// Time of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Knot {
    time: f64,
    /// True for the left limit at a time at which a track has several keys.
    is_left: bool,
}

/// Returns the key times of all tracks with more than one key; time 0 if there are none.
fn knots(clip: &Clip) -> Vec<Knot> {
    let mut used = vec![false; clip.timelines.len()];
    let mut using = |TimelineId(timeline): TimelineId, keys: usize| {
        if let (Some(used), 2..) = (used.get_mut(timeline as usize), keys) {
            *used = true;
        }
    };
    for tracks in &clip.joints {
        match tracks {
            JointTracks::Parts { translation, rotation, scale } => {
                for track in [translation, scale].into_iter().flatten() {
                    using(track.timeline, track.values.len());
                }
                rotation.iter().for_each(|track| using(track.timeline, track.values.len()));
            }
            JointTracks::Whole { keys, .. } => using(keys.timeline, keys.values.len()),
        }
    }
    let mut all: Vec<(f64, bool)> = Vec::new();
    for (timeline, _) in clip.timelines.iter().zip(used).filter(|&(_, used)| used) {
        let times = Timeline::times(timeline);
        let repeats = |at: usize| at > 0 && times[at - 1] == times[at];
        all.extend(times.iter().enumerate().map(|(at, &time)| (time, repeats(at))));
    }
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut knots: Vec<Knot> = Vec::new();
    for same in all.chunk_by(|a, b| a.0 == b.0) {
        let time = same[0].0;
        if same.iter().any(|&(_, repeats)| repeats) {
            knots.push(Knot { time, is_left: true });
        }
        knots.push(Knot { time, is_left: false });
    }
    if knots.is_empty() {
        knots.push(Knot { time: 0.0, is_left: false });
    }
    knots
}

/// Returns the frames per second if all steps are equal to within 1e-9 frames; else `None`.
fn rate(times: &[f64]) -> Option<f64> {
    let (first, last) = (*times.first()?, *times.last()?);
    let rate = (times.len() - 1) as f64 / (last - first);
    let is_regular = |(number, &time): (usize, &f64)| ((time - first) * rate - number as f64).abs() < 1e-9;
    (rate.is_finite() && times.iter().enumerate().all(is_regular)).then_some(rate)
}

/// Samples exact poses at all knots, with the rotations of neighbours in one hemisphere.
fn locals(skeleton: &Skeleton, clip: &Clip, knots: &[Knot]) -> Vec<Vec<Transform>> {
    let mut locals: Vec<Vec<Transform>> = Vec::with_capacity(knots.len());
    let mut local = LocalPose::default();
    for knot in knots {
        sample(skeleton, clip, if knot.is_left { knot.time.next_down() } else { knot.time }, &mut local);
        let mut frame = local.0.clone();
        if let Some(before) = locals.last() {
            for (joint, before) in frame.iter_mut().zip(before) {
                if joint.rotation.dot(before.rotation) < 0.0 {
                    joint.rotation = -joint.rotation;
                }
            }
        }
        locals.push(frame);
    }
    locals
}

/// Orders the joints: those whose translation changes, those whose rotation changes, then the others. Also returns the
/// size of the first group, and of the first two together.
fn order(locals: &[Vec<Transform>], joints: usize) -> (Vec<u32>, usize, usize) {
    let changes = |is_equal: fn(&Transform, &Transform) -> bool, joint: u32| {
        locals.windows(2).any(|pair| !is_equal(&pair[0][joint as usize], &pair[1][joint as usize]))
    };
    let moves = |&joint: &u32| changes(|a, b| a.translation == b.translation, joint);
    let turns = |&joint: &u32| changes(|a, b| a.rotation == b.rotation, joint);
    let (mut order, others): (Vec<u32>, Vec<u32>) = (0..joints as u32).partition(moves);
    let (turning, still): (Vec<u32>, Vec<u32>) = others.into_iter().partition(turns);
    let moving = order.len();
    order.extend(&turning);
    order.extend(still);
    (order, moving, moving + turning.len())
}

/// Returns the place of each joint. The first `grouped` joints of `order` are in groups.
fn places(order: &[u32], grouped: usize) -> Vec<u32> {
    let mut places = vec![0; order.len()];
    for (number, &joint) in order.iter().enumerate() {
        let (first, lane) = match number < grouped {
            true => (number - number % LANES, number % LANES),
            false => (grouped.next_multiple_of(LANES), number - grouped),
        };
        // Lanes 0, 4, 8 and 12 of a group come first, then 1, 5, 9 and 13, and so on.
        let place = if number < grouped { lane % 4 * 4 + lane / 4 } else { lane };
        places[joint as usize] = (first + place) as u32;
    }
    places
}

/// Returns the rows of up to four constant joints.
fn constants(frame: &[Transform], joints: &[u32]) -> Rows {
    let mut constants = Rows::default();
    for (number, &joint) in joints.iter().enumerate() {
        let local = &frame[joint as usize];
        let matrix = DAffine3::from_rotation_translation(local.rotation, local.translation);
        for (row, constants) in rows(&matrix).into_iter().zip(&mut constants.0) {
            constants[number] = row;
        }
    }
    constants
}

/// Returns the rows of a matrix.
pub(super) fn rows(matrix: &DAffine3) -> [[f32; 4]; 3] {
    let columns = matrix.to_cols_array_2d();
    std::array::from_fn(|row| columns.map(|column| column[row] as f32))
}

/// True if no rotation differs by more than 90 degrees from the one before it.
fn turns_little(locals: &[Vec<Transform>]) -> bool {
    let is_near = |(a, b): (&Transform, &Transform)| a.rotation.dot(b.rotation) >= FRAC_1_SQRT_2;
    locals.windows(2).all(|pair| pair[0].iter().zip(&pair[1]).all(is_near))
}

/// Components of a group's joints. Unused lanes repeat the first joint, so that none is degenerate.
fn to_lanes<const PARTS: usize>(
    frame: &[Transform],
    group: &[u32; LANES],
    parts: impl Fn(&Transform) -> [f32; PARTS],
) -> [Lanes; PARTS] {
    let mut lanes = [Lanes::default(); PARTS];
    for (lane, &joint) in group.iter().enumerate() {
        let local = frame.get(joint as usize).unwrap_or(&frame[0]);
        for (lanes, part) in lanes.iter_mut().zip(parts(local)) {
            lanes.0[lane] = part;
        }
    }
    lanes
}

/// Returns the scale, shear or special interpolation of a joint, if any.
fn stretch(clip: &Clip, locals: &[Vec<Transform>], joint: usize) -> Option<Stretch> {
    let frames = || locals.iter().map(|frame| frame[joint]);
    match clip.joints.get(joint) {
        Some(JointTracks::Whole { between: Interpolation::Elements, .. }) => {
            Some(Stretch::Elements(frames().map(|local| rows(&local.to_affine())).collect()))
        }
        Some(JointTracks::Whole { keys, between: Interpolation::DualQuaternions }) if !keys.values.is_empty() => {
            let times = clip.timelines.get(keys.timeline.0 as usize).map_or(&[][..], Timeline::times);
            Some(Stretch::DualQuaternions { times: times.to_vec(), keys: keys.values.clone() })
        }
        _ if frames().all(|local| local.scale == DVec3::ONE && local.shear == DVec3::ZERO) => None,
        _ => {
            let parts = |local: Transform| {
                let ([x, y, z], [xy, xz, yz]) = (local.scale.to_array(), local.shear.to_array());
                [x, y, z, xy, xz, yz].map(|part| part as f32)
            };
            let mut parts: Vec<[f32; 6]> = frames().map(parts).collect();
            if parts.windows(2).all(|pair| pair[0] == pair[1]) {
                parts.truncate(1);
            }
            Some(Stretch::Parts(parts))
        }
    }
}
