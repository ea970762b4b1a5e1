//! The pose at a time: clip, blended clip, fading clip, manual rotations.

use super::{BasePose, Blend, Mask, State, edit};
use bindpose_core::model::{Clip, Model, Skeleton, pose_helpers};
use bindpose_core::play::Playback;
use bindpose_core::pose::{self, LocalPose, ModelPose, RootMotion};

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
    pub(super) fn time_alone(&self, model: &Model, clip: Option<usize>, share: f64) -> Option<f64> {
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
