//! The pose at a moment: the clip's with another mixed in, the clip before that fades, and joints turned by hand.

use super::{Clock, State, edit};
use crate::model::{Clip, JointId, Model, Skeleton};
use crate::play::Playback;
use crate::pose::{self, LocalPose, ModelPose, RootMotion};
use glam::DVec3;

/// Which pose the joints start from, before they are turned by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BasePose {
    /// The clip's; without a clip the rest pose.
    #[default]
    Clip,
    /// The pose that the meshes were bound in.
    Bind,
    /// The skeleton's own.
    Rest,
}

impl BasePose {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Self; 3] = [Self::Clip, Self::Bind, Self::Rest];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clip => "clip",
            Self::Bind => "bind pose",
            Self::Rest => "rest pose",
        }
    }
}

/// A second clip that is mixed in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blend {
    /// Which of the model's clips.
    pub clip: usize,
    /// 0 shows the first clip alone, 1 this one.
    pub share: f64,
    /// The joints that take part, where not all do.
    pub mask: Option<Mask>,
}

/// Joints that a second clip moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mask {
    /// This one and those below it.
    Below(JointId),
    /// Those of one of [`State::channels`].
    Channel(usize),
}

/// The clip before, while it gives way to the present one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fade {
    pub(super) clip: usize,
    pub(super) playback: Playback,
    pub(super) elapsed: f64,
    pub(super) seconds: f64,
}

impl State {
    /// How far the loops completed so far have brought the figure from where its clip has it, model space; see
    /// [`RootMotion::Accumulate`].
    pub fn travelled(&self, model: &Model) -> DVec3 {
        if self.base_pose != BasePose::Clip || self.playback.root_motion != RootMotion::Accumulate {
            return DVec3::ZERO;
        }
        let mut playback = self.playback.clone();
        let [there, here] = [RootMotion::Accumulate, RootMotion::Keep].map(|motion| {
            playback.root_motion = motion;
            let mut local = LocalPose::default();
            playback.local_pose(&model.skeleton, self.current_clip(model), 0.0, &mut local);
            local.0.first().map_or(DVec3::ZERO, |root| root.translation)
        });
        there - here
    }

    /// Seconds that materials have had to change: those of the clip, all rounds of it counted; without one, of the wall.
    pub fn material_time(&self) -> f64 {
        let playback = &self.playback;
        if !self.has_clip_time() {
            return self.seconds_without_clip;
        }
        playback.loops() as f64 * playback.duration() + self.clock.shown(playback.time(), playback.frame_rate())
    }

    /// The same without anything that moves by itself.
    pub fn at_rest(&self) -> Self {
        let mut state = Self { fade: None, ..self.clone() };
        state.playback.paused = true;
        state
    }

    /// The pose of a figure that plays `clip`, later than the others by a share (0 to 1) of it; returns the time of the clip,
    /// seconds.
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
        pose::local_to_model(&model.skeleton, local, posed);
        time
    }

    /// Where a figure as in [`State::pose`] is in `clip`, seconds, if nothing but the clip makes its pose.
    pub(super) fn time_alone(&self, model: &Model, clip: Option<usize>, share: f64) -> Option<f64> {
        let is_mixed = clip == self.clip && (self.blend.is_some() || self.fade.is_some());
        let is_turned = self.base_pose != BasePose::Clip || !self.turns.is_empty();
        if is_mixed || is_turned || self.playback.root_motion != RootMotion::Keep {
            return None;
        }
        let (playback, phase) = self.playing(Some(model.clips.get(clip?)?), clip, share);
        Some(playback.time_later(phase))
    }

    /// For each joint 1 if a second clip moves it, else 0.
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

    /// How a figure plays `clip`, which is `of_model`, and by how many seconds of it later than the others.
    fn playing(&self, of_model: Option<&Clip>, clip: Option<usize>, share: f64) -> (Playback, f64) {
        let shown = |playback: &Playback| {
            let mut shown = playback.clone();
            if self.clock != Clock::Smooth {
                shown.seek(self.clock.shown(playback.time(), playback.frame_rate()));
            }
            shown
        };
        if clip == self.clip {
            return (shown(&self.playback), share * self.playback.duration());
        }
        let mut other = Playback::new(of_model);
        other.root_motion = self.playback.root_motion;
        other.repeat = self.playback.repeat;
        let elapsed = self.playback.time() + self.playback.loops() as f64 * self.playback.duration();
        other.advance(elapsed);
        (shown(&other), share * other.duration())
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
            // Both go through their clips in the same time, so that steps stay steps.
            let place = if playback.duration() > 0.0 { time / playback.duration() } else { 0.0 };
            let mut mixed = LocalPose::default();
            pose::sample(&model.skeleton, other, place * other.duration, &mut mixed);
            let mask = mask.map(|mask| self.shares(&model.skeleton, mask));
            pose::blend(local, &mixed, share, mask.as_deref());
        }
        if let Some(fade) = &self.fade {
            let mut before = LocalPose::default();
            fade.playback.local_pose(&model.skeleton, model.clips.get(fade.clip), 0.0, &mut before);
            pose::blend(local, &before, 1.0 - fade.elapsed / fade.seconds, None);
        }
        time
    }
}
