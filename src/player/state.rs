//! What the player shows, as plain data, and what actions make of it.

use super::clock::Clock;
use super::overlays::Overlays;
use super::posing::{BasePose, Blend, Fade};
use super::ranges::NamedRange;
use super::reel::Reel;
use super::{ClipEvent, Colouring, FADE_SECONDS, Page, Side, Split, VertexRef};
use crate::model::{Clip, JointId, Model};
use crate::play::Playback;
use crate::render::{Camera, RenderSettings};
use crate::skin::{Limits, MethodId};
use glam::DQuat;
use std::collections::{BTreeMap, BTreeSet};

/// What the player shows.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Which of the model's clips.
    pub clip: Option<usize>,
    /// Where the clip stands.
    pub playback: Playback,
    /// At which moments it is shown.
    pub clock: Clock,
    /// Named ranges of all clips.
    pub ranges: Vec<NamedRange>,
    /// The joints of a game's channels, by name.
    pub channels: Vec<(String, Vec<JointId>)>,
    /// What a game does at frames of all clips.
    pub events: Vec<ClipEvent>,
    /// Seconds in which a clip gives way to the next.
    pub fade_seconds: f64,
    pub(super) fade: Option<Fade>,
    /// Whether materials change with time.
    pub(super) has_moving_materials: bool,
    /// Seconds that they have had while no clip went on.
    pub(super) seconds_without_clip: f64,
    /// A second clip that is mixed in.
    pub blend: Option<Blend>,
    /// The pose that joints start from.
    pub base_pose: BasePose,
    /// How joints are turned by hand, each in its own axes, after the pose.
    pub turns: BTreeMap<JointId, DQuat>,
    /// The selected joint.
    pub joint: Option<JointId>,
    /// The selected vertex.
    pub vertex: Option<VertexRef>,
    /// Meshes that are not shown.
    pub hidden: BTreeSet<usize>,
    /// What is shown besides the figures.
    pub settings: RenderSettings,
    /// What lies over them.
    pub overlays: Overlays,
    /// What surfaces' colours say.
    pub colouring: Colouring,
    /// The skinning method.
    pub method: MethodId,
    /// Which machine's registers to keep to.
    pub limits: Limits,
    /// Figures side by side, each at another moment of its clip.
    pub copies: usize,
    /// Whether copies play all clips in turn instead of the one that is shown.
    pub all_clips: bool,
    /// The right half.
    pub split: Option<Split>,
    /// The view.
    pub camera: Camera,
    /// The film of an `.md5camera`, if there is one.
    pub reel: Option<Reel>,
    /// How the camera goes about the figure, turns a minute.
    pub turntable: f32,
    /// Whether panel and timeline are shown.
    pub has_panel: bool,
    /// The panel's page.
    pub page: Page,
    /// Whether the table of keys is shown.
    pub has_keys: bool,
}

impl State {
    /// A model's clip, played from its start.
    pub fn new(model: &Model, clip: Option<usize>, camera: Camera) -> Self {
        Self {
            clip,
            playback: Playback::new(clip.and_then(|clip| model.clips.get(clip))),
            clock: Clock::default(),
            ranges: Vec::new(),
            channels: Vec::new(),
            events: Vec::new(),
            fade_seconds: FADE_SECONDS,
            fade: None,
            has_moving_materials: has_moving_materials(model),
            seconds_without_clip: 0.0,
            blend: None,
            base_pose: BasePose::default(),
            turns: BTreeMap::new(),
            joint: None,
            vertex: None,
            hidden: BTreeSet::new(),
            settings: RenderSettings::default(),
            overlays: Overlays::default(),
            colouring: Colouring::default(),
            method: MethodId::Cpu,
            limits: Limits::default(),
            copies: 1,
            all_clips: false,
            split: None,
            camera,
            reel: None,
            turntable: 0.0,
            has_panel: true,
            page: Page::default(),
            has_keys: false,
        }
    }

    /// The clip that is shown.
    pub fn current_clip<'m>(&self, model: &'m Model) -> Option<&'m Clip> {
        self.clip.and_then(|clip| model.clips.get(clip))
    }

    /// Whether a side shows another file's model.
    pub(super) fn shows_other(&self, side: Side) -> bool {
        side == Side::Right && self.split == Some(Split::File)
    }

    /// Which method and clip a side shows; another file's model may have its clip elsewhere.
    pub(super) fn shown_on(&self, side: Side) -> (MethodId, Option<usize>) {
        match (side, self.split) {
            (Side::Right, Some(Split::Method(method))) => (method, self.clip),
            (Side::Right, Some(Split::Clip(clip))) => (self.method, Some(clip)),
            (Side::Left, _) | (_, None | Some(Split::File)) => (self.method, self.clip),
        }
    }

    /// Whether joints can be turned by hand: while nothing moves.
    pub fn can_turn(&self) -> bool {
        self.playback.paused || self.base_pose != BasePose::Clip || self.clip.is_none()
    }

    /// Whether the next picture would be another one.
    pub fn is_moving(&self) -> bool {
        let clip_moves = self.base_pose == BasePose::Clip && self.playback.is_moving();
        let film_moves = self.shown_film().is_some_and(|film| film.is_moving());
        let is_paused = self.playback.paused || self.playback.speed == 0.0;
        let materials_move = self.has_moving_materials && !self.has_clip_time() && !is_paused;
        let fades = self.fade.is_some() && !self.playback.paused;
        clip_moves || film_moves || materials_move || fades || self.turntable != 0.0
    }

    /// Whether there is a clip that takes time, in whose time materials change as well.
    pub(super) fn has_clip_time(&self) -> bool {
        self.base_pose == BasePose::Clip && self.playback.duration() > 0.0
    }

    /// Lets seconds of wall time pass.
    pub fn advance(&mut self, seconds: f64) {
        let turned = self.turntable * seconds as f32 / 60.0 * std::f32::consts::TAU;
        self.camera.yaw = (self.camera.yaw + turned) % std::f32::consts::TAU;
        self.change_film(|film| film.advance(seconds));
        if !self.has_clip_time() && !self.playback.paused {
            self.seconds_without_clip = (self.seconds_without_clip + seconds * self.playback.speed).max(0.0);
        }
        if self.base_pose != BasePose::Clip {
            return;
        }
        let factor = |playback: &Playback| self.clock.factor(playback.frame_rate());
        self.playback.advance(seconds * factor(&self.playback));
        if let Some(fade) = self.fade.as_mut().filter(|_| !self.playback.paused) {
            fade.playback.advance(seconds * self.clock.factor(fade.playback.frame_rate()));
            fade.elapsed += seconds;
            if fade.elapsed >= fade.seconds {
                self.fade = None;
            }
        }
    }
}

pub(super) fn has_moving_materials(model: &Model) -> bool {
    model.materials.iter().filter_map(|material| material.surface.as_ref()).any(|surface| surface.changes_with_time())
}
