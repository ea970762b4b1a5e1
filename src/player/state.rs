//! What the player shows, as plain data, and what actions make of it.

use super::action::Action;
use super::clock::Clock;
use super::overlays::Overlays;
use super::posing::{BasePose, Blend, Fade};
use super::ranges::NamedRange;
use super::reel::Reel;
use super::{Side, joint_of_name};
use crate::model::{Clip, JointId, Model};
use crate::play::{Playback, Repeat};
use crate::render::{Camera, Projection, RenderSettings, Shading, Surfaces, TextureFilter};
use crate::skin::{Limits, MethodId};
use glam::DQuat;
use std::collections::{BTreeMap, BTreeSet};

/// Speeds that a player goes through, in clip seconds per second.
pub const SPEEDS: [f64; 8] = [0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0];

/// The most copies that are shown.
pub const MOST_COPIES: usize = 10_000;

/// What the colours of surfaces say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colouring {
    /// Their materials.
    #[default]
    Material,
    /// How much the selected joint moves each vertex.
    Support,
    /// Which batch of the method draws a triangle.
    Batches,
    /// Which vertices have no weights, and which lost some to the method's limit.
    Dropped,
    /// How far the two sides of a split view are apart.
    Difference,
}

impl Colouring {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 5] = [Self::Material, Self::Support, Self::Batches, Self::Dropped, Self::Difference];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "materials",
            Self::Support => "the joint's support",
            Self::Batches => "batches",
            Self::Dropped => "dropped influences",
            Self::Difference => "difference of the split",
        }
    }
}

/// What the right half of a split view shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// The same by another method.
    Method(MethodId),
    /// Another clip.
    Clip(usize),
    /// Another file's model.
    File,
}

/// A page of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Page {
    /// Clips.
    #[default]
    Clips,
    /// Joints.
    Joints,
    /// Meshes.
    Meshes,
    /// Skinning methods.
    Methods,
    /// What `validate` says.
    Findings,
    /// Files.
    Files,
    /// The camera and its light.
    Camera,
}

impl Page {
    /// All, in order.
    pub const ALL: [Self; 7] =
        [Self::Clips, Self::Joints, Self::Meshes, Self::Camera, Self::Methods, Self::Findings, Self::Files];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clips => "Clips",
            Self::Joints => "Joints",
            Self::Meshes => "Meshes",
            Self::Methods => "Methods",
            Self::Findings => "Findings",
            Self::Files => "Files",
            Self::Camera => "View",
        }
    }
}

/// What one of the model's vertices is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VertexRef {
    /// Index into the model's meshes.
    pub mesh: usize,
    /// Index into the mesh's vertices.
    pub vertex: usize,
}

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
            fade_seconds: 0.2,
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

    /// The same for a model that took the place of another: what has a name goes by name, what has none by number.
    pub fn moved_to(&self, before: &Model, after: &Model) -> Self {
        let clip = |clip: usize| {
            let name = &before.clips.get(clip)?.name;
            after.clips.iter().position(|clip| clip.name == *name)
        };
        let joint = |joint: JointId| joint_of_name(joint, before, after);
        let mut state = self.clone();
        state.clip = self.clip.and_then(clip).or((!after.clips.is_empty()).then_some(0));
        let shown = state.clip.and_then(|clip| after.clips.get(clip));
        state.playback.change_clip(shown);
        if self.playback.has_range() {
            state.playback.set_range(Some(self.playback.range()));
        }
        state.playback.seek(self.playback.time());
        (state.fade, state.has_moving_materials) = (None, has_moving_materials(after));
        state.blend = self
            .blend
            .and_then(|blend| Some(Blend { clip: clip(blend.clip)?, mask: blend.mask.and_then(joint), ..blend }));
        state.joint = self.joint.and_then(joint);
        state.turns = self.turns.iter().filter_map(|(&turned, &turn)| Some((joint(turned)?, turn))).collect();
        let has_vertex =
            |vertex: &VertexRef| after.meshes.get(vertex.mesh).is_some_and(|m| vertex.vertex < m.vertex_count());
        state.vertex = self.vertex.filter(has_vertex);
        state.hidden.retain(|&mesh| mesh < after.meshes.len());
        state.split = match self.split {
            Some(Split::Clip(right)) => clip(right).map(Split::Clip),
            other => other,
        };
        state
    }

    /// Takes over from what was shown before all that is no matter of its model: how things are drawn, played and arranged.
    /// Bones that are all there is to see of this model stay.
    pub fn keep_look_of(&mut self, before: &Self) {
        self.settings =
            RenderSettings { skeleton: self.settings.skeleton || before.settings.skeleton, ..before.settings };
        (self.overlays, self.colouring) = (before.overlays, before.colouring);
        (self.clock, self.fade_seconds) = (before.clock, before.fade_seconds);
        (self.has_panel, self.page) = (before.has_panel, before.page);
    }

    /// The film as it is played, if the picture is what its camera sees.
    pub fn shown_film(&self) -> Option<Playback> {
        self.reel.as_ref().filter(|reel| reel.is_shown).map(|reel| reel.led_by(&self.playback))
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

    /// Does what an action says, as far as it needs no more than the model; the rest is [`super::Player`]'s.
    pub fn apply(&mut self, action: &Action, model: &Model) {
        match *action {
            Action::TogglePause => self.toggle(),
            Action::Pause(paused) => self.playback.paused = paused,
            Action::Step(frames) => {
                self.playback.step(frames);
                self.change_film(|film| film.step(frames));
            }
            Action::First => {
                self.playback.seek(self.playback.range().0);
                self.change_film(|film| film.seek(0.0));
            }
            Action::Last => {
                self.playback.seek(self.playback.range().1);
                self.change_film(|film| film.seek(film.duration()));
            }
            Action::Seek(time) => self.playback.seek(time),
            Action::Speed(speed) if speed.is_finite() => self.playback.speed = speed.clamp(-4.0, 4.0),
            Action::ChangeSpeed(direction) => {
                let (size, sign) = (self.playback.speed.abs(), self.playback.speed.signum());
                self.playback.speed = sign * next_speed(size, direction);
            }
            Action::Backwards => self.playback.speed = -self.playback.speed,
            Action::Repeat(repeat) => self.playback.repeat = repeat,
            Action::NextRepeat => {
                self.playback.repeat = match self.playback.repeat {
                    Repeat::Loop => Repeat::Clamp,
                    Repeat::Clamp => Repeat::PingPong,
                    Repeat::PingPong => Repeat::Loop,
                };
            }
            Action::Clock(clock) => self.clock = clock,
            Action::RangeStart => self.begin_range(),
            Action::RangeEnd => self.end_range(),
            Action::Range(range) => self.playback.set_range(range),
            Action::NameRange(ref name) => self.name_range(name, model),
            Action::PickRange(range) => self.pick_range(range, model),
            Action::RemoveRange(range) => {
                if range < self.ranges.len() {
                    self.ranges.remove(range);
                }
            }
            Action::ShowClip(clip) => self.show_clip(clip, model),
            Action::ChangeClip(by) => {
                if !model.clips.is_empty() {
                    let count = model.clips.len() as i64;
                    let clip = self.clip.map_or(0, |clip| (clip as i64 + i64::from(by)).rem_euclid(count));
                    self.show_clip(clip as usize, model);
                }
            }
            Action::FadeSeconds(seconds) if seconds.is_finite() => self.fade_seconds = seconds.clamp(0.0, 10.0),
            Action::Blend(blend) => self.blend = blend.filter(|blend| blend.clip < model.clips.len()),
            Action::RootMotion(motion) => self.playback.root_motion = motion,
            Action::BasePose(pose) => self.base_pose = pose,
            Action::NextBasePose => self.base_pose = next(&BasePose::ALL, self.base_pose),
            Action::SelectJoint(joint) => {
                (self.joint, self.vertex) = (joint.filter(|joint| joint.index() < model.skeleton.len()), None);
            }
            Action::SelectVertex(vertex) => self.select_vertex(vertex, model),
            Action::Turn(joint, turn) if joint.index() < model.skeleton.len() && turn.is_finite() => {
                if turn.angle_between(DQuat::IDENTITY) < 1e-9 {
                    self.turns.remove(&joint);
                } else {
                    self.turns.insert(joint, turn.normalize());
                }
            }
            Action::ResetJoint(joint) => drop(self.turns.remove(&joint)),
            Action::ResetJoints => self.turns.clear(),
            Action::ToggleMesh(mesh) => {
                if mesh < model.meshes.len() && !self.hidden.remove(&mesh) {
                    self.hidden.insert(mesh);
                }
            }
            Action::ShowMeshes => self.hidden.clear(),
            Action::NextSurfaces => {
                self.settings.surfaces = next(&Surfaces::ALL, self.settings.surfaces);
            }
            Action::Surfaces(surfaces) => self.settings.surfaces = surfaces,
            Action::NextShading => self.settings.shading = next(&Shading::ALL, self.settings.shading),
            Action::Shading(shading) => self.settings.shading = shading,
            Action::Specular(specular) => self.settings.specular = specular,
            Action::NextFilter => self.settings.filter = next(&TextureFilter::ALL, self.settings.filter),
            Action::Filter(filter) => self.settings.filter = filter,
            Action::Colouring(colouring) => self.colouring = colouring,
            Action::Toggle(overlay) => self.toggle_overlay(overlay),
            Action::Method(method) => self.method = method,
            Action::Limits(limits) => self.limits = limits,
            Action::Copies(copies) => self.copies = copies.clamp(1, MOST_COPIES),
            Action::AllClips(all) => self.all_clips = all,
            Action::Split(split) => {
                self.split = split.filter(|split| !matches!(split, Split::Clip(clip) if *clip >= model.clips.len()));
            }
            Action::LookThrough(is_shown) => self.look_through(is_shown),
            Action::ToggleLookThrough => self.look_through(self.shown_film().is_none()),
            Action::SeekFilm(time) => self.change_film(|film| film.seek(time)),
            Action::Rotate(right, down) => self.moved_camera().rotate(right, down),
            Action::Drag(right, down, aspect) => self.moved_camera().drag(right, down, aspect),
            Action::Magnify(factor) => self.moved_camera().magnify(factor),
            Action::Turntable(turns) if turns.is_finite() => self.turntable = turns,
            Action::Background(background) => self.settings.background = background,
            Action::LookFrom(yaw, pitch) => self.moved_camera().look_from(yaw, pitch),
            Action::ToggleProjection => {
                self.camera.projection = match self.camera.projection {
                    Projection::Perspective => Projection::Orthographic,
                    Projection::Orthographic => Projection::Perspective,
                };
            }
            Action::Centre(place) if place.is_finite() => {
                self.moved_camera().pan = place - self.camera.framed.centre();
            }
            Action::ResetCamera => self.look_through(false),
            Action::TogglePanel => self.has_panel = !self.has_panel,
            Action::Page(page) => (self.page, self.has_panel) = (page, true),
            Action::ToggleKeys => self.has_keys = !self.has_keys,
            // Numbers that are none, and what needs more than the model.
            Action::Speed(_)
            | Action::FadeSeconds(_)
            | Action::Turn(..)
            | Action::Centre(_)
            | Action::Turntable(_)
            | Action::Light(_)
            | Action::ToggleSplit
            | Action::NextMethod
            | Action::CentreOnJoint => {}
        }
    }

    fn look_through(&mut self, is_shown: bool) {
        if let Some(reel) = &mut self.reel {
            reel.is_shown = is_shown;
        }
        if !is_shown {
            self.camera.shot = None;
        }
    }

    fn change_film(&mut self, change: impl FnOnce(&mut Playback)) {
        if let Some(reel) = &mut self.reel {
            reel.playback = reel.led_by(&self.playback);
            change(&mut reel.playback);
        }
    }

    /// Pauses or plays on. Where a film is shown it is the one that may have ended and begin anew, and the clip with it.
    fn toggle(&mut self) {
        let Some(mut film) = self.shown_film() else { return self.playback.toggle() };
        let before = film.time();
        film.toggle();
        if film.time() != before {
            let (start, end) = self.playback.range();
            self.playback.seek(if self.playback.speed < 0.0 { end } else { start });
        }
        self.playback.paused = film.paused;
        self.change_film(|known| *known = film);
    }

    /// The camera that is moved by hand; what is moved is no film's.
    fn moved_camera(&mut self) -> &mut Camera {
        self.look_through(false);
        &mut self.camera
    }

    /// Where the range's ends are put: on the frame that is shown.
    fn frame_time(&self) -> f64 {
        self.playback.frame() as f64 / self.playback.frame_rate()
    }

    fn begin_range(&mut self) {
        let (start, (_, end)) = (self.frame_time(), self.playback.range());
        let end = if end > start { end } else { self.playback.duration() };
        self.playback.set_range(Some((start, end)));
    }

    fn end_range(&mut self) {
        let (end, (start, _)) = (self.frame_time(), self.playback.range());
        let start = if start < end { start } else { 0.0 };
        let time = self.playback.time();
        self.playback.set_range(Some((start, end)));
        self.playback.seek(time.clamp(start, end.max(start)));
    }

    fn name_range(&mut self, name: &str, model: &Model) {
        let (Some(clip), false) = (self.current_clip(model), name.trim().is_empty()) else { return };
        let (start, end) = self.playback.range();
        let range = NamedRange { name: name.trim().to_owned(), clip: clip.name.clone(), start, end };
        match self.ranges.iter_mut().find(|known| known.name == range.name && known.clip == range.clip) {
            Some(known) => *known = range,
            None => self.ranges.push(range),
        }
    }

    fn pick_range(&mut self, range: usize, model: &Model) {
        let Some(range) = self.ranges.get(range).cloned() else { return };
        let Some(clip) = model.clips.iter().position(|clip| clip.name == range.clip) else { return };
        if self.clip != Some(clip) {
            self.show_clip(clip, model);
        }
        self.playback.set_range(Some((range.start, range.end)));
        self.playback.seek(range.start);
    }

    fn show_clip(&mut self, clip: usize, model: &Model) {
        if clip >= model.clips.len() {
            return;
        }
        let before = self.clip.filter(|&before| before != clip && self.fade_seconds > 0.0 && self.is_moving());
        self.fade = before.map(|before| Fade {
            clip: before,
            playback: self.playback.clone(),
            elapsed: 0.0,
            seconds: self.fade_seconds,
        });
        self.clip = Some(clip);
        self.base_pose = BasePose::Clip;
        self.playback.change_clip(model.clips.get(clip));
    }

    fn select_vertex(&mut self, vertex: VertexRef, model: &Model) {
        let Some(mesh) = model.meshes.get(vertex.mesh).filter(|mesh| vertex.vertex < mesh.vertex_count()) else {
            return;
        };
        self.vertex = Some(vertex);
        self.joint = mesh.heaviest(vertex.vertex).map(|(_, joint)| joint);
    }
}

fn has_moving_materials(model: &Model) -> bool {
    model.materials.iter().filter_map(|material| material.surface.as_ref()).any(|surface| surface.changes_with_time())
}

/// The one after `present`, around the end.
fn next<T: Copy + PartialEq>(all: &[T], present: T) -> T {
    let place = all.iter().position(|&known| known == present).map_or(0, |place| (place + 1) % all.len());
    all.get(place).copied().unwrap_or(present)
}

fn next_speed(speed: f64, direction: i32) -> f64 {
    let next = match direction {
        1.. => SPEEDS.iter().find(|&&known| known > speed),
        _ => SPEEDS.iter().rev().find(|&&known| known < speed),
    };
    next.copied().unwrap_or(speed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CameraFrame, Clip, Film, JointTracks, Mesh, Skeleton, Timeline, TimelineId, Track, Transform};
    use crate::player::Overlay;
    use crate::pose::{LocalPose, ModelPose};
    use crate::render::{Background, Bounds};
    use glam::{DVec3, Vec3};

    /// Two joints; clips "walk" of two seconds at ten frames a second, which moves the root ten units along x, and "run" of
    /// one, which moves it as far along y.
    fn model() -> Model {
        let mut skeleton = Skeleton::new();
        let root = skeleton.push("root", None, Transform::IDENTITY);
        skeleton.push("hand", Some(root), Transform::IDENTITY);
        let clip = |name: &str, duration: f64, to: DVec3| {
            let translation = Track { timeline: TimelineId(0), values: vec![DVec3::ZERO, to] };
            let moved = JointTracks::Parts { translation: Some(translation), rotation: None, scale: None };
            Clip {
                name: name.into(),
                duration,
                frame_rate: Some(10.0),
                timelines: vec![Timeline::new(vec![0.0, duration]).unwrap()],
                joints: vec![moved, JointTracks::default()],
                ..Clip::default()
            }
        };
        let clips = vec![clip("walk", 2.0, DVec3::X * 10.0), clip("run", 1.0, DVec3::Y * 10.0)];
        Model { skeleton, meshes: vec![Mesh::default(); 2], clips, ..Model::default() }
    }

    fn state(model: &Model) -> State {
        State::new(model, Some(0), Camera::framing(Bounds { min: Vec3::NEG_ONE, max: Vec3::ONE }))
    }

    fn applied(actions: &[Action]) -> (Model, State) {
        let model = model();
        let mut state = state(&model);
        actions.iter().for_each(|action| state.apply(action, &model));
        (model, state)
    }

    /// Where the first joint is.
    fn root(state: &State, model: &Model) -> DVec3 {
        let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
        state.pose(model, state.clip, 0.0, &mut local, &mut posed);
        posed.0[0].translation
    }

    #[test]
    fn speeds_end_at_the_slowest_and_the_fastest_and_keep_their_direction() {
        assert_eq!(next_speed(1.0, 1), 1.5);
        assert_eq!(next_speed(4.0, 1), 4.0);
        assert_eq!(next_speed(0.05, -1), 0.05);
        let (_, state) = applied(&[Action::Backwards, Action::ChangeSpeed(1)]);
        assert_eq!(state.playback.speed, -1.5);
    }

    #[test]
    fn each_overlay_is_shown_and_hidden_alone() {
        use Overlay::{Axes, Bounds, Grid, Names, Normals, Ruler, Skeleton, Tangents, Tips};
        let all = [Skeleton, Names, Axes, Tips, Normals, Tangents, Bounds, Ruler, Grid];
        let (model, mut state) = applied(&[Action::Toggle(Grid)]);
        for shown in all {
            state.apply(&Action::Toggle(shown), &model);
            assert_eq!(all.map(|overlay| state.has_overlay(overlay)), all.map(|overlay| overlay == shown), "{shown:?}");
            state.apply(&Action::Toggle(shown), &model);
        }
    }

    #[test]
    fn a_range_is_set_by_its_ends_named_and_found_again() {
        let (model, mut state) = applied(&[
            Action::Seek(0.52),
            Action::RangeStart,
            Action::Seek(1.5),
            Action::RangeEnd,
            Action::NameRange(" step ".into()),
        ]);
        let ranges = [NamedRange { name: "step".into(), clip: "walk".into(), start: 0.5, end: 1.5 }];
        assert_eq!((state.playback.range(), &state.ranges[..]), ((0.5, 1.5), &ranges[..]));
        // An end before the start begins a range anew.
        state.apply(&Action::Seek(0.2), &model);
        state.apply(&Action::RangeEnd, &model);
        assert_eq!(state.playback.range(), (0.0, 0.2));
        state.apply(&Action::ShowClip(1), &model);
        assert!(!state.playback.has_range(), "a range belongs to its clip");
        state.apply(&Action::PickRange(0), &model);
        assert_eq!((state.clip, state.playback.range(), state.playback.time()), (Some(0), (0.5, 1.5), 0.5));
        state.apply(&Action::RemoveRange(0), &model);
        state.apply(&Action::PickRange(0), &model);
        assert!(state.ranges.is_empty());
    }

    #[test]
    fn clips_go_around_and_what_is_not_there_changes_nothing() {
        let (model, mut state) = applied(&[Action::ChangeClip(1)]);
        assert_eq!(state.clip, Some(1));
        state.apply(&Action::ChangeClip(1), &model);
        assert_eq!(state.clip, Some(0));
        state.apply(&Action::ChangeClip(-1), &model);
        assert_eq!(state.clip, Some(1));
        let before = state.clone();
        for action in [
            Action::ShowClip(7),
            Action::PickRange(3),
            Action::ToggleMesh(9),
            Action::Split(Some(Split::Clip(9))),
            Action::Speed(f64::NAN),
            Action::Centre(Vec3::NAN),
            Action::SelectVertex(VertexRef { mesh: 0, vertex: 3 }),
        ] {
            state.apply(&action, &model);
            assert_eq!(state, before, "{action:?}");
        }
    }

    #[test]
    fn one_clip_gives_way_to_the_next() {
        let (model, mut state) = applied(&[Action::Seek(1.0), Action::FadeSeconds(0.4), Action::ShowClip(1)]);
        assert_eq!(root(&state, &model), DVec3::X * 5.0, "at first nothing has changed");
        state.advance(0.2);
        // Half way: walk at 1.2 s is at 6 along x, run at 0.2 s at 2 along y.
        assert!(root(&state, &model).distance(DVec3::new(3.0, 1.0, 0.0)) < 1e-9, "{}", root(&state, &model));
        state.advance(0.3);
        assert!(root(&state, &model).distance(DVec3::Y * 5.0) < 1e-9);
        let (model, state) = applied(&[Action::Seek(1.0), Action::Pause(true), Action::ShowClip(1)]);
        assert_eq!(root(&state, &model), DVec3::ZERO, "paused, the next clip is shown at once");
    }

    #[test]
    fn another_clip_is_mixed_in_at_the_same_share_of_its_length() {
        let blend = Blend { clip: 1, share: 0.25, mask: None };
        let (model, mut state) = applied(&[Action::Seek(1.0), Action::Blend(Some(blend))]);
        assert!(root(&state, &model).distance(DVec3::new(3.75, 1.25, 0.0)) < 1e-9);
        let hand = model.skeleton.find("hand");
        state.apply(&Action::Blend(Some(Blend { mask: hand, ..blend })), &model);
        assert_eq!(root(&state, &model), DVec3::X * 5.0, "the root is not below the hand");
    }

    #[test]
    fn a_joint_is_turned_in_its_own_axes_after_the_pose() {
        let (model, mut state) = applied(&[Action::Seek(1.0)]);
        let joint = model.skeleton.id(0).unwrap();
        let quarter = DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2);
        state.apply(&Action::Turn(joint, quarter), &model);
        let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
        state.pose(&model, state.clip, 0.0, &mut local, &mut posed);
        assert!(posed.0[0].transform_vector3(DVec3::X).distance(DVec3::Y) < 1e-12);
        assert_eq!(posed.0[0].translation, DVec3::X * 5.0, "it stays where it is");
        state.apply(&Action::Turn(joint, DQuat::IDENTITY), &model);
        assert!(state.turns.is_empty(), "no turn is none");
    }

    /// Five frames at ten a second, none of them twice.
    fn film() -> Film {
        let frame = |x: f64| CameraFrame { position: DVec3::X * x, rotation: DQuat::IDENTITY, horizontal_angle: 1.5 };
        Film::new((0..5).map(|x| frame(f64::from(x))).collect(), 10.0, Vec::new()).unwrap()
    }

    #[test]
    fn a_film_goes_on_with_the_clip_until_the_camera_is_moved() {
        let (model, mut state) = applied(&[]);
        state.apply(&Action::LookThrough(true), &model);
        assert_eq!(state.reel, None, "there is no film");
        state.reel = Some(Reel::new(&film()));
        state.apply(&Action::ToggleLookThrough, &model);
        let film = |state: &State| state.reel.as_ref().unwrap().playback.clone();
        let time = |state: &State| (film(state).time() * 1e6).round() / 1e6;
        state.advance(0.35);
        assert_eq!(time(&state), 0.35);
        state.advance(0.1);
        assert_eq!(time(&state), 0.05, "after 0.4 s it begins again");
        state.apply(&Action::Step(2), &model);
        assert_eq!((time(&state), state.playback.paused), (0.2, true));
        state.apply(&Action::Step(-3), &model);
        assert_eq!(time(&state), 0.4, "before its start is its end");
        state.apply(&Action::SeekFilm(0.25), &model);
        state.apply(&Action::Step(-1), &model);
        assert_eq!(time(&state), 0.2, "the frame before a moment between two");
        state.apply(&Action::SeekFilm(9.0), &model);
        assert_eq!(time(&state), 0.4);
        state.apply(&Action::Repeat(Repeat::Clamp), &model);
        state.apply(&Action::Step(1), &model);
        assert_eq!(time(&state), 0.4, "played once, it stays at its end");
        state.apply(&Action::BasePose(BasePose::Bind), &model);
        assert!(!state.is_moving());
        state.apply(&Action::TogglePause, &model);
        assert_eq!((time(&state), state.playback.paused), (0.0, false), "and begins anew");
        state.advance(9.0);
        assert!(time(&state) == 0.4 && !state.is_moving());
        for action in [Action::Rotate(0.1, 0.0), Action::Magnify(2.0), Action::LookFrom(0.0, 0.0), Action::ResetCamera]
        {
            state.apply(&Action::LookThrough(true), &model);
            state.apply(&action, &model);
            assert_eq!(state.shown_film(), None, "{action:?}");
        }
    }

    #[test]
    fn nothing_that_rests_is_drawn_again() {
        let (model, mut state) = applied(&[]);
        assert!(state.is_moving());
        state.apply(&Action::BasePose(BasePose::Bind), &model);
        assert!(!state.is_moving() && state.can_turn());
        state.apply(&Action::BasePose(BasePose::Clip), &model);
        state.apply(&Action::TogglePause, &model);
        assert!(!state.is_moving() && state.can_turn());
        assert!(!State::new(&model, None, state.camera).is_moving(), "without a clip nothing moves");
    }

    #[test]
    fn materials_go_on_where_no_clip_does() {
        use crate::model::Material;
        use crate::model::surface::{Expression, Stage, Surface, TextureTransform};
        let scrolled = |by: Expression| {
            let mut stage = Stage::new(Default::default());
            stage.transforms.push(TextureTransform::Translate(by, Expression::Number(0.0)));
            let surface = Surface { stages: vec![stage], ..Surface::default() };
            Material { surface: Some(surface), ..Material::neutral("belt") }
        };
        let mut model = Model { clips: Vec::new(), ..model() };
        let of = |model: &Model| State { clip: None, ..State::new(model, None, state(model).camera) };
        model.materials = vec![scrolled(Expression::Number(0.5))];
        assert!(!of(&model).is_moving(), "it is moved, but stays there");
        model.materials.push(scrolled(Expression::Table("t".into(), Box::new(Expression::Time))));
        let mut state = of(&model);
        assert!(state.is_moving());
        state.advance(0.25);
        assert_eq!(state.material_time(), 0.25);
        state.apply(&Action::TogglePause, &model);
        state.advance(0.25);
        assert_eq!((state.is_moving(), state.material_time()), (false, 0.25));
    }

    #[test]
    fn a_file_that_was_saved_keeps_what_goes_by_name() {
        let (before, state) = applied(&[
            Action::ShowClip(1),
            Action::Seek(0.7),
            Action::Pause(true),
            Action::Speed(2.0),
            Action::SelectJoint(model().skeleton.find("hand")),
            Action::ToggleMesh(1),
        ]);
        let mut after = before.clone();
        after.clips.swap(0, 1);
        after.meshes.pop();
        let mut skeleton = Skeleton::new();
        skeleton.push("new", None, Transform::IDENTITY);
        let hand = skeleton.push("hand", None, Transform::IDENTITY);
        after.skeleton = skeleton;
        let moved = state.moved_to(&before, &after);
        assert_eq!((moved.clip, moved.playback.time(), moved.playback.speed), (Some(0), 0.7, 2.0));
        assert_eq!((moved.joint, moved.playback.paused, moved.camera), (Some(hand), true, state.camera));
        assert!(moved.hidden.is_empty(), "the mesh is gone");
        after.clips.clear();
        assert_eq!(state.moved_to(&before, &after).clip, None);
    }

    #[test]
    fn another_model_is_looked_at_like_the_one_before() {
        let look = [
            Action::Surfaces(Surfaces::Edges),
            Action::Shading(Shading::Normals),
            Action::Filter(TextureFilter::Texels),
            Action::Background(Background::Flat([1.0; 4])),
            Action::Colouring(Colouring::Dropped),
            Action::Toggle(Overlay::Grid),
            Action::Toggle(Overlay::Names),
            Action::Clock(Clock::Doom3),
            Action::FadeSeconds(0.7),
            Action::Page(Page::Meshes),
        ];
        let of_model = [Action::Seek(1.0), Action::SelectJoint(model().skeleton.find("hand")), Action::ToggleMesh(1)];
        let (_, before) = applied(&[&look[..], &of_model].concat());
        let (_, expected) = applied(&look);
        let (_, mut after) = applied(&[]);
        after.keep_look_of(&before);
        assert_eq!(after, expected);
        after.settings.skeleton = true;
        after.keep_look_of(&before);
        assert!(after.settings.skeleton, "there may be nothing else to see");
    }

    #[test]
    fn a_vertex_leads_to_the_joint_that_moves_it_most() {
        use crate::model::{BindJoint, Influence};
        let mut model = model();
        let bound = |joint: usize| BindJoint {
            joint: model.skeleton.id(joint).unwrap(),
            inverse_bind: glam::DAffine3::IDENTITY,
        };
        let pull = |slot, weight| Influence { slot, weight, offset: Vec3::ZERO };
        model.meshes[0] = Mesh {
            positions: vec![Vec3::ZERO],
            bind: vec![bound(1), bound(0)],
            influences: vec![pull(0, 0.7), pull(1, 0.3)],
            influence_starts: vec![0, 2],
            ..Mesh::default()
        };
        let mut state = state(&model);
        let vertex = VertexRef { mesh: 0, vertex: 0 };
        state.apply(&Action::SelectVertex(vertex), &model);
        assert_eq!((state.vertex, state.joint), (Some(vertex), model.skeleton.find("hand")));
        state.apply(&Action::SelectJoint(None), &model);
        assert_eq!((state.vertex, state.joint), (None, None));
    }
}
