//! Edits of clips before they are written in any format.

use crate::frames::{Frames, own_rate, sampled};
use crate::loss::size_of;
use crate::measure::moved_by_clip;
use crate::prepare::motion_loss;
use crate::{Error, Loss};
use bindpose_core::model::{Clip, JointId, JointTracks, Model, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use glam::{DAffine3, DQuat, DVec3};

/// Changes of all clips of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClipEdits {
    /// Shifts each clip so that it begins at its first key.
    pub trim: bool,
    /// Joints that keep their horizontal position.
    pub in_place: InPlace,
    /// Closes clips that do not end as they begin: adds a copy of the first key one frame after the end.
    pub close_loops: bool,
    /// Frame rate of the clips.
    pub frame_rate: FrameRate,
}

/// Frame rate of a clip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FrameRate {
    /// The clip's own rate.
    #[default]
    Own,
    /// Interpolates keys for all joints at this rate; the clip keeps its length.
    Resampled(f64),
    /// Plays the existing frames at this rate; the clip gets longer or shorter.
    Played(f64),
}

/// Joints that keep their horizontal position, so that the model walks on the spot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum InPlace {
    /// No joints.
    #[default]
    Off,
    /// The roots. If the model still walks away, also the joint that carries it: the first joint below a root that has
    /// at least half of all joints below it and moves farther than a tenth of the model's size.
    Carrier,
    /// This joint only.
    Joint(JointId),
}

/// Smallest distance that a carrying joint moves, as a share of the model's size. Hips sway by less.
const CARRIED: f64 = 0.1;

/// Largest difference between the ends of a closed loop, to allow for rounded decimals.
const END_TOLERANCE: f64 = 1e-6;

/// Edits all clips. Returns the edits that a clip does not allow, and their losses. Adds further changes caused by the
/// edits to `notes`.
///
/// # Errors
///
/// [`Error`]: at the frame rate, a clip would last longer than 32 bits can represent or have too many frames.
pub fn edit_clips(model: &mut Model, edits: &ClipEdits, notes: &mut Vec<String>) -> Result<Vec<Loss>, Error> {
    let mut losses = Vec::new();
    let size = size_of(model);
    for index in 0..model.clips.len() {
        let mut clip = model.clips[index].clone();
        if let FrameRate::Played(rate) = edits.frame_rate {
            play_at(&mut clip, rate, &mut losses)?;
        }
        if edits.trim {
            trim(&mut clip);
        }
        stay_in_place(&mut clip, &model.skeleton, size, &edits.in_place, notes);
        if edits.close_loops {
            close_loop(&mut clip);
        }
        if let FrameRate::Resampled(rate) = edits.frame_rate {
            let resampled = sampled(model, &clip, Some(rate), &[], &mut losses)?.to_clip(&model.skeleton);
            let moved = moved_by_clip(model, &clip, &model.skeleton, &model.meshes, &resampled, 1.0);
            losses.extend(motion_loss(&clip.name, moved, size));
            clip = resampled;
        }
        model.clips[index] = clip;
    }
    Ok(losses)
}

/// Plays the frames of a clip at this rate; the clip gets longer or shorter. A clip without a rate gets one that hits its
/// keys, and `losses` says which.
///
/// # Errors
///
/// [`Error`]: the clip would last longer than 32 bits can represent.
pub fn play_at(clip: &mut Clip, rate: f64, losses: &mut Vec<Loss>) -> Result<(), Error> {
    let own = clip.frame_rate.unwrap_or_else(|| own_rate(clip, losses));
    retime(clip, own, rate)
}

/// Returns the frames per second at which a clip is sampled if no rate is given.
pub fn own_frame_rate(clip: &Clip) -> f64 {
    own_rate(clip, &mut Vec::new())
}

/// Cuts the frames `first` to `last` of a clip, counted from 0, out as a new clip with a key in every frame.
///
/// # Errors
///
/// [`Error`]: the clip ends before the last frame, or has too many frames.
pub fn cut_clip(model: &Model, clip: &Clip, name: &str, first: usize, last: usize) -> Result<Clip, Error> {
    let mut frames = sampled(model, clip, None, &[], &mut Vec::new())?;
    let count = frames.poses.len();
    if first > last || last >= count {
        let clip = &clip.name;
        return Err(Error::Options(format!("clip '{clip}' has the frames 0 to {}, not {first} to {last}", count - 1)));
    }
    frames.poses.truncate(last + 1);
    frames.poses.drain(..first);
    Ok(Clip { name: name.to_owned(), ..frames.to_clip(&model.skeleton) })
}

/// Joins clips into one at the rate of the first. Returns the clip, and the first and last frame of each part.
///
/// # Errors
///
/// [`Error`]: there are no clips, or they have too many frames.
pub fn join_clips(model: &Model, clips: &[&Clip], name: &str) -> Result<(Clip, Vec<(usize, usize)>), Error> {
    let first = clips.first().ok_or_else(|| Error::Options(format!("no clips to join to '{name}'")))?;
    let rate = own_frame_rate(first);
    let mut parts = Vec::new();
    for clip in clips {
        parts.push(sampled(model, clip, Some(rate), &parts, &mut Vec::new())?);
    }
    let mut table = Vec::new();
    let mut poses = Vec::new();
    for part in parts {
        table.push((poses.len(), poses.len() + part.poses.len() - 1));
        poses.extend(part.poses);
    }
    let joined = Frames { name: name.to_owned(), rate, looping: false, poses };
    Ok((joined.to_clip(&model.skeleton), table))
}

/// Changes the rate of a clip's frames.
fn retime(clip: &mut Clip, rate: f64, wanted: f64) -> Result<(), Error> {
    let pace = rate / wanted;
    let ends = clip.timelines.iter().filter_map(|timeline| timeline.times().last());
    let end = ends.fold(clip.duration, |a, &b| a.max(b));
    // Formats store times in 32 bits.
    if !((end * pace) as f32).is_finite() {
        let name = &clip.name;
        return Err(Error::Options(format!(
            "at {wanted:?} frames per second the clip '{name}' lasts too long; give a higher rate"
        )));
    }
    move_times(clip, |time| time * pace);
    clip.duration *= pace;
    clip.frame_rate = Some(wanted);
    Ok(())
}

/// Moves the times of all keys; `to` must be increasing.
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

/// Removes the horizontal movement of joints. They may still rise and sink.
fn stay_in_place(clip: &mut Clip, skeleton: &Skeleton, size: f64, which: &InPlace, notes: &mut Vec<String>) {
    match which {
        InPlace::Off => {}
        InPlace::Carrier => {
            skeleton.ids().filter(|&joint| skeleton[joint].parent.is_none()).for_each(|root| {
                pin(clip, skeleton, root);
            });
            if let Some(carrier) = carrier(clip, skeleton, size) {
                pin(clip, skeleton, carrier);
                notes.push(format!(
                    "clip '{}' was carried by '{}', below its root, which was kept in place too (--in-place=JOINT chooses \
                     another)",
                    clip.name, skeleton[carrier].name
                ));
            }
        }
        InPlace::Joint(joint) => {
            if !pin(clip, skeleton, *joint) {
                let name = &skeleton[*joint].name;
                notes.push(format!("clip '{}' does not move '{name}' itself, and is as it was", clip.name));
            }
        }
    }
}

/// Returns the keys of a joint's translation, if there are several.
fn translations(tracks: &JointTracks) -> Option<(TimelineId, Vec<DVec3>)> {
    let (timeline, values) = match tracks {
        JointTracks::Parts { translation, .. } => {
            let track = translation.as_ref()?;
            (track.timeline, track.values.clone())
        }
        JointTracks::Whole { keys, .. } => (keys.timeline, keys.values.iter().map(|key| key.translation).collect()),
    };
    (values.len() > 1).then_some((timeline, values))
}

/// Removes a joint's horizontal movement in model space. Returns false if the joint has no keys that move it.
fn pin(clip: &mut Clip, skeleton: &Skeleton, joint: JointId) -> bool {
    let Some((timeline, mut places)) = clip.joints.get(joint.index()).and_then(translations) else { return false };
    let times = clip.timelines.get(timeline.0 as usize).map(Timeline::times).unwrap_or_default();
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    let mut start: Option<DVec3> = None;
    for (place, &time) in places.iter_mut().zip(times) {
        let model_from_parent = match skeleton[joint].parent {
            None => DAffine3::IDENTITY,
            Some(parent) => {
                sample(skeleton, clip, time, &mut local);
                local_to_model(skeleton, &local, &mut pose);
                pose.0[parent.index()]
            }
        };
        let in_model = model_from_parent.transform_point3(*place);
        let start = start.get_or_insert(in_model);
        let kept = model_from_parent.inverse().transform_point3(DVec3::new(start.x, start.y, in_model.z));
        // A parent with a scale of zero has no inverse.
        if kept.is_finite() {
            *place = kept;
        }
    }
    match &mut clip.joints[joint.index()] {
        JointTracks::Parts { translation, .. } => {
            translation.iter_mut().for_each(|track| track.values.clone_from(&places));
        }
        JointTracks::Whole { keys, .. } => {
            keys.values.iter_mut().zip(places).for_each(|(key, place)| key.translation = place);
        }
    }
    true
}

/// Finds the joint that carries the model away from roots that stand still; see [`InPlace::Carrier`].
fn carrier(clip: &Clip, skeleton: &Skeleton, size: f64) -> Option<JointId> {
    let mut below = vec![1_usize; skeleton.len()];
    for joint in (0..skeleton.len()).rev().filter_map(|joint| skeleton.id(joint)) {
        if let Some(parent) = skeleton[joint].parent {
            below[parent.index()] += below[joint.index()];
        }
    }
    let carries = |joint: JointId| {
        skeleton[joint].parent.is_some()
            && 2 * below[joint.index()] >= skeleton.len()
            && clip.joints.get(joint.index()).and_then(translations).is_some()
    };
    let candidates: Vec<JointId> = skeleton.ids().filter(|&joint| carries(joint)).collect();
    let mut times: Vec<f64> = clip.timelines.iter().flat_map(|timeline| timeline.times()).copied().collect();
    times.sort_by(f64::total_cmp);
    times.dedup();
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    let mut starts: Vec<DVec3> = Vec::new();
    let mut first: Option<JointId> = None;
    for time in times.into_iter().filter(|_| !candidates.is_empty()) {
        sample(skeleton, clip, time, &mut local);
        local_to_model(skeleton, &local, &mut pose);
        let place = |joint: &JointId| pose.0[joint.index()].translation;
        if starts.is_empty() {
            starts = candidates.iter().map(place).collect();
        }
        let is_far =
            |(joint, start): &(&JointId, &DVec3)| (place(joint) - **start).truncate().length() > CARRIED * size;
        // Joints follow their parents, so the first one is the highest.
        let far = candidates.iter().zip(&starts).find(is_far).map(|(joint, _)| *joint);
        first = [first, far].into_iter().flatten().min_by_key(|joint| joint.index());
    }
    first
}

/// A value of a key.
trait Key: Copy {
    fn is_near(self, other: Self) -> bool;
    /// Returns the same value in the form that is nearer to `before`.
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

/// Adds a copy of the first key to every track, one frame after the clip's end, unless all tracks end as they begin.
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

/// Returns the length of a frame in seconds. For a clip without frames, it is the interval before the last key.
fn frame_of(clip: &Clip) -> Option<f64> {
    let steps = clip.timelines.iter().filter_map(|timeline| match timeline.times() {
        [.., before, last] => Some(last - before).filter(|step| *step > 0.0),
        _ => None,
    });
    clip.frame_rate.map(|rate| 1.0 / rate).or_else(|| steps.reduce(f64::min))
}

struct Closer<'a> {
    end: f64,
    /// For each original timeline, the copy with the end added; `None` until it is created.
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
    use bindpose_core::model::{Interpolation, Mesh};
    use glam::Vec3;

    /// Creates a root that moves along x, y and z, in parts or in whole keys, at 10 frames a second from 0.5 s on.
    fn model(whole: bool) -> Model {
        let mut model = Model::default();
        model.skeleton.push("root", None, Transform::IDENTITY);
        let places = [DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0), DVec3::new(2.0, 4.0, 6.0)];
        let timeline = TimelineId(0);
        let tracks = if whole {
            let key = |place| Transform::from_rotation_translation(DQuat::IDENTITY, place);
            JointTracks::Whole {
                keys: Track { timeline, values: places.map(key).to_vec() },
                between: Interpolation::Parts,
            }
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
    fn roots_are_pinned_loops_closed_and_clips_trimmed() {
        for whole in [false, true] {
            let mut edited = model(whole);
            let edits = ClipEdits { trim: true, in_place: InPlace::Carrier, close_loops: true, ..ClipEdits::default() };
            assert!(edit_clips(&mut edited, &edits, &mut Vec::new()).unwrap().is_empty());
            // Only the height (z) of the motion remains.
            let expected = [(0.0, [0., 0., 0.]), (0.1, [0., 0., 3.]), (0.2, [0., 0., 6.]), (0.3, [0., 0., 0.])];
            near(&keys(&edited), &expected);
            assert!((edited.clips[0].duration - 0.3).abs() < 1e-12);
            // A closed loop stays unchanged.
            edit_clips(&mut edited, &ClipEdits { close_loops: true, ..ClipEdits::default() }, &mut Vec::new()).unwrap();
            near(&keys(&edited), &expected);
        }
    }

    #[test]
    fn frames_follow_each_other_at_another_rate() {
        let mut edited = model(false);
        let edits = ClipEdits { frame_rate: FrameRate::Played(20.0), ..ClipEdits::default() };
        assert!(edit_clips(&mut edited, &edits, &mut Vec::new()).unwrap().is_empty());
        near(&keys(&edited), &[(0.25, [0., 0., 0.]), (0.3, [1., 2., 3.]), (0.35, [2., 4., 6.])]);
        edited.clips[0].frame_rate = None;
        // All keys are on frames at 20 frames a second.
        let chosen = Loss::ChosenRate { clip: "walk".into(), rate: 20.0, hits_keys: true };
        assert_eq!(edit_clips(&mut edited, &edits, &mut Vec::new()), Ok(vec![chosen]));
        play_at(&mut edited.clips[0], 10.0, &mut Vec::new()).unwrap();
        near(&keys(&edited), &[(0.5, [0., 0., 0.]), (0.6, [1., 2., 3.]), (0.7, [2., 4., 6.])]);
        edit_clips(&mut edited, &edits, &mut Vec::new()).unwrap();
        edited.clips[0].frame_rate = None;
        // Without frames, the last interval is used as the frame's length.
        edit_clips(&mut edited, &ClipEdits { close_loops: true, ..ClipEdits::default() }, &mut Vec::new()).unwrap();
        assert!((edited.clips[0].duration - 0.4).abs() < 1e-12);
    }

    #[test]
    fn clips_are_cut_and_joined_by_frames() {
        let mut whole = model(false);
        edit_clips(&mut whole, &ClipEdits { trim: true, ..ClipEdits::default() }, &mut Vec::new()).unwrap();
        let cut = |first, last| cut_clip(&whole, &whole.clips[0], "step", first, last);
        let step = cut(1, 2).unwrap();
        let error = "clip 'walk' has the frames 0 to 2, not 1 to 3";
        assert_eq!(cut(1, 3).map_err(|error| error.to_string()).map(drop), Err(error.to_owned()));
        assert!(cut(2, 1).is_err());
        let (joined, table) = join_clips(&whole, &[&step, &whole.clips[0]], "all").unwrap();
        assert_eq!(table, [(0, 1), (2, 4)]);
        let heights = |clip: Clip| -> Vec<f64> {
            let model = Model { skeleton: whole.skeleton.clone(), clips: vec![clip], ..Model::default() };
            keys(&model).into_iter().map(|(_, place)| place.z.round()).collect()
        };
        assert_eq!((heights(step), heights(joined)), (vec![3.0, 6.0], vec![3.0, 6.0, 0.0, 3.0, 6.0]));
        assert!(join_clips(&whole, &[], "none").is_err());
    }

    #[test]
    fn resampled_clips_last_as_long_and_have_a_key_in_every_frame() {
        let mut edited = model(false);
        let edits = ClipEdits { trim: true, frame_rate: FrameRate::Resampled(20.0), ..ClipEdits::default() };
        edit_clips(&mut edited, &edits, &mut Vec::new()).unwrap();
        let times: Vec<f64> = keys(&edited).iter().map(|(time, _)| *time).collect();
        assert_eq!(times, [0.0, 0.05, 0.1, 0.15, 0.2]);
        assert!(keys(&edited)[1].1.distance(DVec3::new(0.5, 1.0, 1.5)) < 1e-12);
    }

    #[test]
    fn a_rate_that_stretches_a_clip_beyond_32_bits_is_refused() {
        let mut edited = model(false);
        let mut at = |rate| {
            let edits = ClipEdits { frame_rate: FrameRate::Played(rate), ..ClipEdits::default() };
            let result = edit_clips(&mut edited, &edits, &mut Vec::new()).map_err(|error| error.to_string());
            (result, edited.clips[0].duration)
        };
        for (rate, words) in [(1e-310, "1e-310"), (1e-40, "1e-40")] {
            let error = format!("at {words} frames per second the clip 'walk' lasts too long; give a higher rate");
            assert_eq!(at(rate), (Err(error), 0.7));
        }
        // The clip lasts 7e30 seconds.
        assert_eq!(at(1e-30).0, Ok(Vec::new()));
    }

    #[test]
    fn the_closing_rotation_is_on_the_side_of_the_last_one() {
        let mut edited = model(false);
        let values = vec![DQuat::from_rotation_z(0.1), -DQuat::from_rotation_z(0.2), -DQuat::from_rotation_z(0.3)];
        let rotation = Some(Track { timeline: TimelineId(0), values });
        edited.clips[0].joints[0] = JointTracks::Parts { translation: None, rotation, scale: None };
        edit_clips(&mut edited, &ClipEdits { close_loops: true, ..ClipEdits::default() }, &mut Vec::new()).unwrap();
        let JointTracks::Parts { rotation: Some(track), .. } = &edited.clips[0].joints[0] else { panic!() };
        assert_eq!(track.values[3], -DQuat::from_rotation_z(0.1));
    }

    /// Creates a root that stands still, turned a quarter about z. Below it are hips that walk 3 along the model's x
    /// and sway by 0.2, a chest, and a hand that reaches far.
    fn walker(stride: f64) -> Model {
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        let mut model = Model::default();
        let root = model.skeleton.push("origin", None, Transform::from_rotation_translation(quarter, DVec3::ZERO));
        let hips = model.skeleton.push("hips", Some(root), Transform::IDENTITY);
        let chest = model.skeleton.push("chest", Some(hips), Transform::IDENTITY);
        model.skeleton.push("hand", Some(chest), Transform::IDENTITY);
        model.skeleton.push("foot", Some(hips), Transform::IDENTITY);
        let track = |places: [[f64; 3]; 3]| JointTracks::Parts {
            translation: Some(Track { timeline: TimelineId(0), values: places.map(DVec3::from_array).to_vec() }),
            rotation: None,
            scale: None,
        };
        // Below the turned root, -y is the model's x and x the model's y.
        let walk = track([[0., 0., 1.], [0.2, -stride / 2.0, 1.2], [0., -stride, 1.]]);
        let reach = track([[0.; 3], [9., 0., 0.], [0.; 3]]);
        let rest = JointTracks::default;
        model.clips.push(Clip {
            name: "walk".into(),
            duration: 1.0,
            timelines: vec![Timeline::new(vec![0.0, 0.5, 1.0]).unwrap()],
            joints: vec![rest(), walk, rest(), reach, rest()],
            ..Clip::default()
        });
        model.meshes.push(Mesh { positions: vec![Vec3::ZERO, Vec3::splat(10.0)], ..Mesh::default() });
        model
    }

    #[test]
    fn the_joint_that_carries_the_motion_stays_in_place() {
        let places = |model: &Model, joint: usize| translations(&model.clips[0].joints[joint]).unwrap().1;
        let near = |places: Vec<DVec3>, expected: [[f64; 3]; 3]| {
            let expected = expected.map(DVec3::from_array);
            assert!(places.iter().zip(&expected).all(|(a, b)| a.distance(*b) < 1e-12), "{places:?}");
        };
        let edits = ClipEdits { in_place: InPlace::Carrier, ..ClipEdits::default() };
        let mut notes = Vec::new();
        let mut walking = walker(3.0);
        edit_clips(&mut walking, &edits, &mut notes).unwrap();
        near(places(&walking, 1), [[0., 0., 1.], [0., 0., 1.2], [0., 0., 1.]]);
        near(places(&walking, 3), [[0.; 3], [9., 0., 0.], [0.; 3]]);
        assert!(matches!(&notes[..], [note] if note.contains("'hips'")), "{notes:?}");
        // Hips that only sway are no carrier, whatever a hand does.
        notes.clear();
        let mut standing = walker(0.5);
        edit_clips(&mut standing, &edits, &mut notes).unwrap();
        near(places(&standing, 1), [[0., 0., 1.], [0.2, -0.25, 1.2], [0., -0.5, 1.]]);
        assert!(notes.is_empty(), "{notes:?}");
        // A named joint is pinned, wherever it is and however far it moves.
        let joint = |name: &str| InPlace::Joint(walking.skeleton.find(name).unwrap());
        let mut named = walker(0.5);
        edit_clips(&mut named, &ClipEdits { in_place: joint("hips"), ..ClipEdits::default() }, &mut notes).unwrap();
        near(places(&named, 1), [[0., 0., 1.], [0., 0., 1.2], [0., 0., 1.]]);
        assert!(notes.is_empty(), "{notes:?}");
        edit_clips(&mut named, &ClipEdits { in_place: joint("chest"), ..ClipEdits::default() }, &mut notes).unwrap();
        assert_eq!(notes, ["clip 'walk' does not move 'chest' itself, and is as it was"]);
    }
}
