//! Clips sampled as frames, for formats that store a pose per frame.

use crate::{Error, Loss};
use bindpose_core::budget::grouped;
use bindpose_core::model::{Clip, JointTracks, Mesh, Model, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_core::pose::{LocalPose, ModelPose, sample};
use bindpose_core::skin::Skinned;
use glam::{DQuat, DVec3};

/// Largest number of frames of one clip.
const MOST_FRAMES: usize = 100_000;
/// Largest number of joint poses in all frames of all clips: 400 MiB.
const MOST_KEYS: f64 = 4_000_000.0;
/// Frames per second if neither the clip nor the user specifies a rate.
const DEFAULT_RATE: f64 = 24.0;
/// Highest rate that is chosen for a clip without a rate.
const FASTEST: u32 = 240;
/// Largest distance of a key from a frame that counts as none, in frames.
const KEY_TOLERANCE: f64 = 1e-3;
/// Largest deviation of a clip's length from whole frames that rounded decimals explain, in frames.
const FRAME_TOLERANCE: f64 = 1e-3;

/// A clip's frames.
pub(crate) struct Frames {
    pub(crate) name: String,
    /// Frames per second, whole.
    pub(crate) rate: f64,
    pub(crate) looping: bool,
    pub(crate) poses: Vec<LocalPose>,
}

/// Returns the positions of all vertices in a pose, in model space; of the joints if there are no meshes.
pub(crate) fn points(meshes: &[Mesh], pose: &ModelPose) -> Vec<DVec3> {
    if meshes.is_empty() {
        return pose.0.iter().map(|joint| joint.translation).collect();
    }
    meshes.iter().flat_map(|mesh| Skinned::linear(mesh, pose).positions).collect()
}

/// Samples the frames of a clip at `rate` per second (the clip's own if `None`), including its end. `before` are the
/// clips sampled before.
pub(crate) fn sampled(
    model: &Model,
    clip: &Clip,
    rate: Option<f64>,
    before: &[Frames],
    losses: &mut Vec<Loss>,
) -> Result<Frames, Error> {
    // Doom 3 reads the rate as a whole number.
    let rate = rate.map_or_else(|| own_rate(clip, losses), |rate| rate.round().max(1.0));
    let exact = clip.duration * rate;
    let intervals = if (exact - exact.round()).abs() < FRAME_TOLERANCE { exact.round() } else { exact.ceil() };
    if intervals.is_nan() || intervals >= MOST_FRAMES as f64 {
        return Err(Error::Limit(format!(
            "clip '{}' lasts {} s, {intervals} frames at {rate} a second; up to {} are written",
            clip.name,
            clip.duration,
            grouped(MOST_FRAMES)
        )));
    }
    let frames = intervals as usize + before.iter().map(|clip| clip.poses.len()).sum::<usize>();
    if frames as f64 * model.skeleton.len() as f64 > MOST_KEYS {
        return Err(Error::Limit(format!(
            "{} joints in {} frames up to clip '{}'; up to {} joints in all frames are written",
            grouped(model.skeleton.len()),
            grouped(frames),
            clip.name,
            grouped(MOST_KEYS as usize)
        )));
    }
    let lasts = intervals / rate;
    if (lasts - clip.duration).abs() > FRAME_TOLERANCE / rate {
        losses.push(Loss::Length { clip: clip.name.clone(), was: clip.duration, is: lasts });
    }
    let poses = (0..=intervals as usize).map(|frame| {
        let mut pose = LocalPose::default();
        sample(&model.skeleton, clip, frame as f64 / rate, &mut pose);
        pose
    });
    Ok(Frames { name: clip.name.clone(), rate, looping: clip.looping, poses: poses.collect() })
}

/// Returns the clip's own rate if it is whole, otherwise the smallest rate that hits all keys. Without such a rate,
/// returns the nearest whole rate or the default.
pub(crate) fn own_rate(clip: &Clip, losses: &mut Vec<Loss>) -> f64 {
    let whole = clip.frame_rate.map(|rate| rate.round().max(1.0));
    let own = clip.frame_rate.zip(whole).filter(|(rate, whole)| (rate - whole).abs() <= 1e-3 * whole);
    if let Some((_, whole)) = own {
        return whole;
    }
    let times = || clip.timelines.iter().flat_map(Timeline::times);
    if times().all(|time| *time <= 0.0) {
        return whole.unwrap_or(DEFAULT_RATE);
    }
    let hits = |rate: f64| {
        times().map(|time| time * rate).all(|frame| (frame - frame.round()).abs() <= KEY_TOLERANCE + 1e-7 * frame)
    };
    let found = (1..=FASTEST).map(f64::from).find(|&rate| hits(rate));
    let rate = found.or(whole).unwrap_or(DEFAULT_RATE);
    losses.push(Loss::ChosenRate { clip: clip.name.clone(), rate, hits_keys: found.is_some() });
    rate
}

impl Frames {
    /// Drops the last frame of a repeating clip if its pose equals the first.
    pub(crate) fn open_loop(&mut self) {
        let is_same = |a: &Transform, b: &Transform| {
            a.translation.abs_diff_eq(b.translation, 1e-4)
                && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-7
                && a.scale.abs_diff_eq(b.scale, 1e-6)
        };
        let [first, .., last] = &self.poses[..] else { return };
        if self.looping && first.0.iter().zip(&last.0).all(|(a, b)| is_same(a, b)) {
            self.poses.pop();
        }
    }

    /// Converts the frames to a clip with a key for every joint in every frame.
    pub(crate) fn to_clip(&self, skeleton: &Skeleton) -> Clip {
        let times: Vec<f64> = (0..self.poses.len()).map(|frame| frame as f64 / self.rate).collect();
        let tracks = |joint: usize| {
            let local = |pose: &LocalPose| pose.0.get(joint).copied().unwrap_or(Transform::IDENTITY);
            JointTracks::Parts {
                translation: Some(keys(&self.poses, |pose| -> DVec3 { local(pose).translation })),
                rotation: Some(keys(&self.poses, |pose| -> DQuat { local(pose).rotation })),
                scale: Some(keys(&self.poses, |pose| -> DVec3 { local(pose).scale })),
            }
        };
        Clip {
            name: self.name.clone(),
            duration: times.last().copied().unwrap_or(0.0),
            frame_rate: Some(self.rate),
            looping: self.looping,
            timelines: Timeline::new(times).into_iter().collect(),
            joints: (0..skeleton.len()).map(tracks).collect(),
        }
    }
}

fn keys<T>(poses: &[LocalPose], of: impl Fn(&LocalPose) -> T) -> Track<T> {
    Track { timeline: TimelineId(0), values: poses.iter().map(of).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clip_without_a_rate_gets_one_that_hits_its_keys() {
        let rate = |frame_rate, times: &[f64]| {
            let timelines = vec![Timeline::new(times.to_vec()).unwrap()];
            let mut losses = Vec::new();
            let rate = own_rate(&Clip { frame_rate, timelines, ..Clip::default() }, &mut losses);
            (rate, losses.len())
        };
        assert_eq!(rate(Some(30.0), &[0.0, 0.7]), (30.0, 0));
        assert_eq!(rate(None, &[0.0]), (24.0, 0));
        // 37.5 keys a second are every second frame at 75 frames a second.
        let keys: Vec<f64> = (0..30).map(|key| f64::from((f64::from(key) / 37.5) as f32)).collect();
        assert_eq!(rate(None, &keys), (75.0, 1));
        assert_eq!(rate(Some(37.5), &keys), (75.0, 1));
        assert_eq!(rate(None, &[0.0, std::f64::consts::FRAC_1_SQRT_2]), (24.0, 1));
    }
}
