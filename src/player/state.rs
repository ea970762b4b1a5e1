//! The player's state as plain data.

use super::camera_path::CameraPlayback;
use super::curves::Curve;
use super::history::History;
use super::ranges::NamedRange;
use super::{BasePose, Blend, ClipEvent, Colouring, FADE_SECONDS, Overlay, Page, Side, Split, VertexRef};
use bindpose_core::model::{Clip, JointId, Model};
use bindpose_core::play::Playback;
use bindpose_core::skin::MethodId;
use bindpose_render::{Camera, RenderSettings};
use glam::{DQuat, Vec3};
use std::collections::{BTreeMap, BTreeSet};

/// The previous clip while it fades out.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fade {
    pub(super) clip: usize,
    pub(super) playback: Playback,
    pub(super) elapsed: f64,
    pub(super) seconds: f64,
}

/// State of the player.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// Current clip of the model.
    pub clip: Option<usize>,
    /// Time and playback of the clip.
    pub playback: Playback,
    /// Named ranges of all clips.
    pub ranges: Vec<NamedRange>,
    /// Joints of a game's channels, by name.
    pub channels: Vec<(String, Vec<JointId>)>,
    /// Frame commands of all clips.
    pub events: Vec<ClipEvent>,
    /// Duration of the fade from one clip to the next, in seconds.
    pub fade_seconds: f64,
    pub(super) fade: Option<Fade>,
    pub(super) has_moving_materials: bool,
    /// Time of the materials while no clip plays, in seconds.
    pub(super) seconds_without_clip: f64,
    /// Second clip that is blended in.
    pub blend: Option<Blend>,
    /// Pose that joints start from.
    pub base_pose: BasePose,
    /// Manual rotations of joints, each in the joint's own axes, after the pose.
    pub turns: BTreeMap<JointId, DQuat>,
    /// Earlier and undone turns of joints.
    pub history: History,
    /// The selected joint.
    pub joint: Option<JointId>,
    /// The selected vertex.
    pub vertex: Option<VertexRef>,
    /// Hidden meshes.
    pub hidden: BTreeSet<usize>,
    /// Drawing of surfaces, bones, grid and background.
    pub settings: RenderSettings,
    /// Overlays other than bones and grid.
    pub overlays: BTreeSet<Overlay>,
    /// Meaning of the surfaces' colours.
    pub colouring: Colouring,
    /// The skinning method.
    pub method: MethodId,
    /// Number of copies side by side, each at another time of its clip.
    pub copies: usize,
    /// Content of the right half.
    pub split: Option<Split>,
    /// The camera.
    pub camera: Camera,
    /// Playback of the `.md5camera`, if one is loaded.
    pub camera_path: Option<CameraPlayback>,
    /// Length of the model's unit in metres; `None` if unknown.
    pub unit: Option<f32>,
    /// Orbit of the camera, in turns per minute.
    pub turntable: f32,
    /// True if the selection is marked in the view.
    pub marks_selection: bool,
    /// True if panel and timeline are shown.
    pub has_panel: bool,
    /// Curves shown over the clip.
    pub curves: Option<Curve>,
    /// Selected page of the panel.
    pub page: Page,
    /// True if the list of keys is shown.
    pub has_keys: bool,
}

impl State {
    /// Creates the state at the start of a model's clip.
    pub fn new(model: &Model, clip: Option<usize>, camera: Camera) -> Self {
        Self {
            clip,
            playback: Playback::new(clip.and_then(|clip| model.clips.get(clip))),
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
            history: History::default(),
            joint: None,
            vertex: None,
            hidden: BTreeSet::new(),
            settings: RenderSettings::default(),
            overlays: BTreeSet::new(),
            colouring: Colouring::default(),
            method: MethodId::Cpu,
            copies: 1,
            split: None,
            camera,
            camera_path: None,
            unit: None,
            turntable: 0.0,
            marks_selection: true,
            has_panel: true,
            curves: None,
            page: Page::default(),
            has_keys: false,
        }
    }

    /// Returns the current clip.
    pub fn current_clip<'m>(&self, model: &'m Model) -> Option<&'m Clip> {
        self.clip.and_then(|clip| model.clips.get(clip))
    }

    /// Returns the front and up axes in model space.
    pub fn axes(&self) -> [Vec3; 2] {
        let model_from_world = self.camera.world_from_model.inverse();
        // Adding zero turns -0 into 0.
        [Vec3::X, Vec3::Z].map(|axis| (model_from_world * axis).round() + Vec3::ZERO)
    }

    /// True if a side shows another file's model.
    pub(super) fn shows_other(&self, side: Side) -> bool {
        side == Side::Right && self.split == Some(Split::File)
    }

    /// Returns method and clip of a side. The clip is an index into this model.
    pub(super) fn shown_on(&self, side: Side) -> (MethodId, Option<usize>) {
        match (side, self.split) {
            (Side::Right, Some(Split::Method(method))) => (method, self.clip),
            (Side::Right, Some(Split::Clip(clip))) => (self.method, Some(clip)),
            (Side::Left, _) | (_, None | Some(Split::File)) => (self.method, self.clip),
        }
    }

    /// True if the next frame would differ.
    pub fn is_moving(&self) -> bool {
        let clip_moves = self.base_pose == BasePose::Clip && self.playback.is_moving();
        let camera_moves = self.shown_camera_path().is_some_and(|path| path.is_moving());
        let is_paused = self.playback.paused || self.playback.speed == 0.0;
        let materials_move = self.has_moving_materials && !self.has_clip_time() && !is_paused;
        let fades = self.fade.is_some() && !self.playback.paused;
        clip_moves || camera_moves || materials_move || fades || self.turntable != 0.0
    }

    /// True if a clip with a positive length plays. Materials follow its time.
    pub(super) fn has_clip_time(&self) -> bool {
        self.base_pose == BasePose::Clip && self.playback.duration() > 0.0
    }

    /// True if an overlay is drawn.
    pub fn has_overlay(&self, overlay: Overlay) -> bool {
        match overlay {
            Overlay::Skeleton => self.settings.skeleton,
            Overlay::Grid => self.settings.grid,
            other => self.overlays.contains(&other),
        }
    }

    /// Returns the playback of the camera path if the view follows it.
    pub fn shown_camera_path(&self) -> Option<Playback> {
        self.camera_path.as_ref().filter(|path| path.is_shown).map(|path| path.led_by(&self.playback))
    }

    pub(super) fn look_through(&mut self, is_shown: bool) {
        if let Some(path) = &mut self.camera_path {
            path.is_shown = is_shown;
        }
        if !is_shown {
            self.camera.shot = None;
        }
    }

    /// Changes the time of clip and camera path.
    pub(super) fn seek(&mut self, seek: impl Fn(&mut Playback)) {
        seek(&mut self.playback);
        self.change_camera_path(seek);
    }

    pub(super) fn change_camera_path(&mut self, change: impl FnOnce(&mut Playback)) {
        if let Some(path) = &mut self.camera_path {
            path.playback = path.led_by(&self.playback);
            change(&mut path.playback);
        }
    }

    /// Pauses or plays. If the view follows the camera path, its end counts, and it starts again together with the
    /// clip.
    pub(super) fn toggle_pause(&mut self) {
        let Some(mut path) = self.shown_camera_path() else { return self.playback.toggle() };
        let before = path.time();
        path.toggle();
        if path.time() != before {
            let (start, end) = self.playback.range();
            self.playback.seek(if self.playback.speed < 0.0 { end } else { start });
        }
        self.playback.paused = path.paused;
        self.change_camera_path(|known| *known = path);
    }

    /// Returns the camera for manual movement. The view leaves the camera path.
    pub(super) fn moved_camera(&mut self) -> &mut Camera {
        self.look_through(false);
        &mut self.camera
    }

    /// Returns the commands of a clip by frame. Several commands of one frame are joined by commas.
    pub fn events_of(&self, clip: &Clip) -> BTreeMap<u64, String> {
        let mut texts = BTreeMap::new();
        for event in self.events.iter().filter(|event| event.clip == clip.name) {
            let text: &mut String = texts.entry(event.frame).or_default();
            if !text.is_empty() {
                text.push_str(", ");
            }
            text.push_str(&event.text);
        }
        texts
    }

    /// Advances by wall time in seconds.
    pub fn advance(&mut self, seconds: f64) {
        let turned = self.turntable * seconds as f32 / 60.0 * std::f32::consts::TAU;
        self.camera.yaw = (self.camera.yaw + turned) % std::f32::consts::TAU;
        self.change_camera_path(|path| path.advance(seconds));
        if !self.has_clip_time() && !self.playback.paused {
            self.seconds_without_clip = (self.seconds_without_clip + seconds * self.playback.speed).max(0.0);
        }
        if self.base_pose != BasePose::Clip {
            return;
        }
        self.playback.advance(seconds);
        if let Some(fade) = self.fade.as_mut().filter(|_| !self.playback.paused) {
            fade.playback.advance(seconds);
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
