//! The pose at a time: clip, blended clip, fading clip, manual rotations. Copies that only play a clip use the fast
//! runtime.

use super::{BasePose, Blend, Mask, State, edit};
use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::model::{Clip, Model, Skeleton, pose_helpers};
use bindpose_core::play::Playback;
use bindpose_core::pose::{self, LocalPose, ModelPose, RootMotion};
use bindpose_core::runtime::{Character, RuntimeClip, RuntimeSkeleton, pose_all};
use glam::DAffine3;
use std::collections::HashMap;
use std::sync::Arc;

impl State {
    /// Returns the time of the materials in seconds: the clip's time with all its loops. Without a clip, it is wall
    /// time scaled by the playback speed.
    pub fn material_time(&self) -> f64 {
        let playback = &self.playback;
        if !self.has_clip_time() {
            return self.seconds_without_clip;
        }
        playback.loops() as f64 * playback.duration() + playback.time()
    }

    /// Returns the state without marks of the selection, for an image.
    pub fn for_image(&self) -> Self {
        Self { marks_selection: false, ..self.clone() }
    }

    /// Returns the state for images of other times: paused, without a fade.
    pub fn for_recording(&self) -> Self {
        let mut state = Self { fade: None, ..self.for_image() };
        state.playback.paused = true;
        state
    }

    /// Poses a copy that plays `clip`, later than the first copy by a share (0 to 1) of the clip's length. Returns the
    /// clip's time in seconds.
    pub fn pose(
        &self,
        model: &Model,
        clip: Option<usize>,
        share: f64,
        local: &mut LocalPose,
        posed: &mut ModelPose,
    ) -> f64 {
        let time = match self.base_pose {
            BasePose::Clip => self.clip_pose(model, clip, share, local),
            BasePose::Rest => {
                pose::rest(&model.skeleton, local);
                0.0
            }
            BasePose::Bind => {
                edit::bind_pose(model, local);
                0.0
            }
        };
        for (joint, &turn) in &self.turns {
            if let Some(local) = local.0.get_mut(joint.index()) {
                local.rotation = (local.rotation * turn).normalize();
            }
        }
        for &joint in self.turns.keys() {
            pose_helpers(model, joint, local);
        }
        pose::local_to_model(&model.skeleton, local, posed);
        time
    }

    /// Returns the time in seconds of a copy in `clip`, as in [`State::pose`]; `None` if anything except the clip
    /// affects its pose.
    fn time_alone(&self, model: &Model, clip: Option<usize>, share: f64) -> Option<f64> {
        let is_blended = clip == self.clip && (self.blend.is_some() || self.fade.is_some());
        let is_turned = self.base_pose != BasePose::Clip || !self.turns.is_empty();
        if is_blended || is_turned || self.playback.root_motion != RootMotion::Keep {
            return None;
        }
        let (playback, phase) = self.playing(Some(model.clips.get(clip?)?), clip, share);
        Some(playback.time_later(phase))
    }

    /// For each joint, returns 1 if the mask contains it, otherwise 0.
    fn shares(&self, skeleton: &Skeleton, mask: Mask) -> Vec<f64> {
        match mask {
            Mask::Below(joint) => edit::below(skeleton, joint),
            Mask::Channel(number) => {
                let mut shares = vec![0.0; skeleton.len()];
                for joint in self.channels.get(number).into_iter().flat_map(|(_, joints)| joints) {
                    if let Some(share) = shares.get_mut(joint.index()) {
                        *share = 1.0;
                    }
                }
                shares
            }
        }
    }

    /// Returns the playback of a copy in `clip`, the clip's data, and the copy's delay in seconds.
    fn playing(&self, of_model: Option<&Clip>, clip: Option<usize>, share: f64) -> (Playback, f64) {
        if clip == self.clip {
            return (self.playback.clone(), share * self.playback.duration());
        }
        let mut other = Playback::new(of_model);
        other.root_motion = self.playback.root_motion;
        other.repeat = self.playback.repeat;
        let elapsed = self.playback.time() + self.playback.loops() as f64 * self.playback.duration();
        other.advance(elapsed);
        let delay = share * other.duration();
        (other, delay)
    }

    fn clip_pose(&self, model: &Model, clip: Option<usize>, share: f64, local: &mut LocalPose) -> f64 {
        let of_model = clip.and_then(|clip| model.clips.get(clip));
        let (playback, phase) = self.playing(of_model, clip, share);
        let time = playback.local_pose(&model.skeleton, of_model, phase, local);
        if clip != self.clip {
            return time;
        }
        if let Some(Blend { clip, share, mask }) = self.blend
            && let Some(other) = model.clips.get(clip)
        {
            // Both clips run at the same share of their length, so that steps stay in phase.
            let share_of_length = if playback.duration() > 0.0 { time / playback.duration() } else { 0.0 };
            let mut blended = LocalPose::default();
            pose::sample(&model.skeleton, other, share_of_length * other.duration, &mut blended);
            let mask = mask.map(|mask| self.shares(&model.skeleton, mask));
            pose::blend(local, &blended, share, mask.as_deref());
        }
        if let Some(fade) = &self.fade {
            let mut before = LocalPose::default();
            fade.playback.local_pose(&model.skeleton, model.clips.get(fade.clip), 0.0, &mut before);
            pose::blend(local, &before, 1.0 - fade.elapsed / fade.seconds, None);
        }
        time
    }
}

/// A model's clips in the runtime's layout. Each is built when it is first played.
pub(super) struct Crowd {
    model: Arc<Model>,
    skeleton: RuntimeSkeleton,
    /// `None` for a clip that exceeds the memory limit.
    clips: HashMap<usize, Option<RuntimeClip>>,
    memory: MemoryLimit,
}

impl Crowd {
    pub(super) fn new(model: &Arc<Model>, memory: MemoryLimit) -> Self {
        let skeleton = RuntimeSkeleton::new(&model.skeleton);
        Self { model: Arc::clone(model), skeleton, clips: HashMap::new(), memory }
    }

    /// True if it was built for this instance of the model.
    pub(super) fn is_of(&self, model: &Arc<Model>) -> bool {
        Arc::ptr_eq(&self.model, model)
    }

    /// Poses all copies. Returns the clip and its time in seconds for each.
    ///
    /// The first copy, which can be picked, measured and saved, is posed exactly. The others play `shown`.
    /// They get a local pose only `with_local`, or if the runtime cannot pose them.
    pub(super) fn pose(
        &mut self,
        state: &State,
        (shown, with_local): (Option<usize>, bool),
        poses: &mut [(LocalPose, ModelPose)],
    ) -> Vec<(Option<usize>, f64)> {
        let model = Arc::clone(&self.model);
        // With the golden ratio, neighbours differ much, and further copies fill the gaps.
        let share = |number: usize| (number as f64 * 0.618_033_988_749_895).fract();
        let alone = |number: usize| {
            let time = state.time_alone(&model, shown, share(number));
            time.filter(|_| number > 0 && !with_local)
        };
        if let Some(clip) = shown.filter(|_| (0..poses.len()).any(|number| alone(number).is_some())) {
            self.clips.entry(clip).or_insert_with(|| {
                RuntimeClip::new(&model.skeleton, &model.clips[clip], &Budget::new(self.memory)).ok()
            });
        }
        let (mut times, mut characters) = (Vec::with_capacity(poses.len()), Vec::new());
        for (number, (local, pose)) in poses.iter_mut().enumerate() {
            let laid_out = shown.and_then(|clip| self.clips.get(&clip)?.as_ref());
            let time = match (alone(number), laid_out) {
                (Some(time), Some(clip)) => {
                    local.0.clear();
                    pose.0.resize(self.skeleton.len(), DAffine3::IDENTITY);
                    characters.push(Character { clip, time, joints: &mut pose.0 });
                    time
                }
                _ => state.pose(&model, shown, share(number), local, pose),
            };
            times.push((shown, time));
        }
        pose_all(&self.skeleton, &mut characters);
        times
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, Scene};
    use bindpose_render::{Bounds, Camera};
    use glam::{DQuat, Vec3};

    /// Returns the number of copies with a local pose, and the largest distance of a joint from its exact position.
    fn posed(actions: &[Change], with_local: bool) -> (usize, f64) {
        let scene = Scene::load(&[], bindpose_core::load::LoadOptions::default()).unwrap();
        let mut state =
            State::new(&scene.loaded.model, Some(0), Camera::framing(Bounds { min: Vec3::NEG_ONE, max: Vec3::ONE }));
        actions.iter().for_each(|action| state.apply(action, &scene.loaded.model));
        state.advance(0.1);
        let mut poses = vec![Default::default(); 40];
        let mut crowd = Crowd::new(&scene.loaded.model, MemoryLimit::NONE);
        let times = crowd.pose(&state, (state.clip, with_local), &mut poses);
        let mut farthest: f64 = 0.0;
        for (number, ((_, pose), (clip, time))) in poses.iter().zip(times).enumerate() {
            let share = (number as f64 * 0.618_033_988_749_895).fract();
            let (mut local, mut exact) = Default::default();
            assert_eq!(state.pose(&scene.loaded.model, clip, share, &mut local, &mut exact), time);
            for (a, b) in pose.0.iter().zip(&exact.0) {
                farthest = farthest.max(a.translation.distance(b.translation));
            }
            assert_eq!(pose.0.len(), exact.0.len());
        }
        (poses.iter().filter(|(local, _)| !local.0.is_empty()).count(), farthest)
    }

    /// Largest distance of a joint from the exact one, as a share of the model's height: joints of the quick form are 32-bit
    /// numbers, whose last digit is 6e-8, and multiplied along a chain. 4e-7 was measured.
    const SHARE: f64 = 1e-6;

    #[test]
    fn copies_are_posed_like_the_exact_form() {
        let model = Scene::load(&[], bindpose_core::load::LoadOptions::default()).unwrap().loaded.model;
        let turned = model.skeleton.id(3).unwrap();
        let rest = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
        let height = rest.0.iter().map(|joint| joint.translation.z).fold(0.0, f64::max);
        let blend = Blend { clip: 1, share: 0.5, mask: None };
        let exact: [&[Change]; 5] = [
            &[Change::Turn(turned, DQuat::from_rotation_x(0.5))],
            &[Change::Blend(Some(blend))],
            &[Change::BasePose(BasePose::Bind)],
            &[Change::RootMotion(RootMotion::Remove)],
            &[Change::FadeSeconds(1.0), Change::ShowClip(1)],
        ];
        let quick: [&[Change]; 2] = [&[], &[Change::Seek(0.4), Change::Pause(true)]];
        for actions in quick {
            let (with_local, farthest) = posed(actions, false);
            assert_eq!(with_local, 1, "{actions:?}");
            assert!(farthest > 0.0 && farthest < SHARE * height, "{actions:?}: {farthest} of {height}");
        }
        for actions in exact {
            assert_eq!(posed(actions, false), (40, 0.0), "{actions:?}");
        }
        assert_eq!(posed(&[], true), (40, 0.0));
    }
}
