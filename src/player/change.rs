//! Changes to the player's view, with exact values. [`super::Step`]s compute them from the current state.

use super::curves::Curve;
use super::ranges::NamedRange;
use super::state::Fade;
use super::{BasePose, Blend, Colouring, MOST_COPIES, Overlay, Page, Split, State, VertexRef};
use bindpose_core::model::{JointId, Model};
use bindpose_core::play::Repeat;
use bindpose_core::pose::RootMotion;
use bindpose_core::skin::MethodId;
use bindpose_render::{Background, Light, Projection, Shading, Surfaces, TextureFilter};
use glam::{DQuat, Vec3};
use std::collections::BTreeSet;

/// A change to a [`State`]. Values out of range are clamped; indices out of range change nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Pauses or plays. A clip that has played to its end starts again.
    TogglePause,
    /// Pauses if true, otherwise plays.
    Pause(bool),
    /// Pauses and moves by a number of frames.
    StepFrames(i64),
    /// Goes to the start of the range.
    First,
    /// Goes to the end of the range.
    Last,
    /// Goes to a time of the clip, in seconds.
    Seek(f64),
    /// Clip seconds per second, -4 to 4. Negative values play backwards.
    Speed(f64),
    /// Behaviour at the clip's end.
    Repeat(Repeat),
    /// Range to play, in seconds; `None` for the whole clip.
    Range(Option<(f64, f64)>),
    /// Names the current range. Replaces a range of the same name and clip.
    NameRange(String),
    /// Plays a named range.
    PickRange(usize),
    /// Deletes a named range.
    RemoveRange(usize),
    /// Shows a clip from its start.
    ShowClip(usize),
    /// Duration of the fade from one clip to the next, 0 to 10 seconds.
    FadeSeconds(f64),
    /// A second clip to blend with.
    Blend(Option<Blend>),
    /// Treatment of the roots' translation.
    RootMotion(RootMotion),
    /// Pose that the joints start from.
    BasePose(BasePose),
    /// Selects a joint and no vertex, or nothing.
    SelectJoint(Option<JointId>),
    /// Selects a vertex, and the joint with most weight on it.
    SelectVertex(VertexRef),
    /// Manual rotation of a joint, in its own axes, after the pose; the identity resets it.
    Turn(JointId, DQuat),
    /// Ends the current rotation of a joint. Further rotations are a new undo step.
    EndTurn,
    /// Undoes the last manual rotation.
    Undo,
    /// Restores the rotation that was undone last.
    Redo,
    /// Resets all manual rotations.
    ResetJoints,
    /// Shows a mesh, or hides it.
    ToggleMesh(usize),
    /// Hides all meshes but one.
    ShowMeshAlone(usize),
    /// Shows all meshes.
    ShowMeshes,
    /// Surfaces, edges, or both.
    Surfaces(Surfaces),
    /// Visible parts of the shading.
    Shading(Shading),
    /// Filter for enlarged textures.
    Filter(TextureFilter),
    /// Meaning of the surfaces' colours.
    Colouring(Colouring),
    /// Shows an overlay, or hides it.
    Toggle(Overlay),
    /// Skinning method.
    Method(MethodId),
    /// Number of copies, at least 1.
    Copies(usize),
    /// Content of the right half, or no split view.
    Split(Option<Split>),
    /// Looks through the animated camera, or stops doing so.
    LookThrough(bool),
    /// Goes to a time of the camera animation, in seconds.
    SeekCamera(f64),
    /// Orbits the camera to the right and down, as fractions of the view's height.
    Rotate(f32, f32),
    /// Moves the camera right and down, as fractions of the view's height. The last number is the view's aspect ratio,
    /// width by height.
    Drag(f32, f32, f32),
    /// Zooms by a factor.
    Magnify(f32),
    /// Zooms by a factor around a point. Its distances right and below of the centre are fractions of the view's
    /// height.
    ZoomAt(f32, f32, f32),
    /// Camera orbit in turns per minute.
    Turntable(f32),
    /// Lights; a direction becomes a unit vector.
    Light(Light),
    /// Background of the view.
    Background(Background),
    /// Centres a point in world space and makes a radius around it fill the view, in world units. A radius of 0 keeps
    /// the zoom.
    Focus(Vec3, f32),
    /// Looks from an angle, in radians: to the model's left, and up.
    LookFrom(f32, f32),
    /// Perspective or orthographic.
    Projection(Projection),
    /// Front and up axes in model space: perpendicular unit vectors.
    Axes(Vec3, Vec3),
    /// Length of the model's unit in metres; `None` if unknown.
    Unit(Option<f32>),
    /// Restores the initial view.
    ResetCamera,
    /// Shows panel and timeline, or hides them.
    Panel(bool),
    /// Shows curves over the clip; `None` hides them.
    Curves(Option<Curve>),
    /// Shows a page of the panel.
    Page(Page),
    /// Shows the list of keys, or hides it.
    Keys(bool),
}

/// Part of the player that a change touches besides its state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// The programs, and what they draw, if another clip or method is shown.
    Look,
    Method,
    Split,
    Light,
    Camera,
    /// Front and up axes in model space, and the camera.
    Axes(Vec3, Vec3),
}

impl Change {
    pub(super) fn part(&self) -> Part {
        match *self {
            Self::Method(_) => Part::Method,
            Self::Split(_) => Part::Split,
            Self::Light(_) => Part::Light,
            Self::Copies(_) | Self::ResetCamera => Part::Camera,
            Self::Axes(front, up) => Part::Axes(front, up),
            _ => Part::Look,
        }
    }
}

impl State {
    /// Applies a change to the state; [`super::Player::apply`] adapts the part that it touches.
    #[expect(clippy::too_many_lines, reason = "one arm for each change")]
    pub fn apply(&mut self, change: &Change, model: &Model) {
        if !self.accepts(change, model) {
            return;
        }
        if !matches!(change, Change::Turn(..)) {
            self.history.end_turn();
        }
        match *change {
            Change::TogglePause => self.toggle_pause(),
            Change::Pause(paused) => self.playback.paused = paused,
            Change::StepFrames(frames) => self.seek(|playback| playback.step(frames)),
            Change::First => self.seek(|playback| playback.seek(playback.range().0)),
            Change::Last => self.seek(|playback| playback.seek(playback.range().1)),
            Change::Seek(time) => self.playback.seek(time),
            Change::Speed(speed) => self.playback.speed = speed.clamp(-4.0, 4.0),
            Change::Repeat(repeat) => self.playback.repeat = repeat,
            Change::Range(range) => self.set_range(range),
            Change::NameRange(ref name) => self.name_range(name, model),
            Change::PickRange(range) => self.pick_range(range, model),
            Change::RemoveRange(range) => drop(self.ranges.remove(range)),
            Change::ShowClip(clip) => self.show_clip(clip, model),
            Change::FadeSeconds(seconds) => self.fade_seconds = seconds.clamp(0.0, 10.0),
            Change::Blend(blend) => self.blend = blend,
            Change::RootMotion(motion) => self.playback.root_motion = motion,
            Change::BasePose(pose) => self.base_pose = pose,
            Change::SelectJoint(joint) => (self.joint, self.vertex) = (joint, None),
            Change::SelectVertex(vertex) => self.select_vertex(vertex, model),
            Change::Turn(joint, turn) => self.turn(joint, turn),
            Change::EndTurn => {}
            Change::Undo => self.history.undo(&mut self.turns),
            Change::Redo => self.history.redo(&mut self.turns),
            Change::ResetJoints => {
                self.history.remember(&self.turns, None);
                self.turns.clear();
            }
            Change::ToggleMesh(mesh) => self.hidden = &self.hidden ^ &BTreeSet::from([mesh]),
            Change::ShowMeshAlone(mesh) => {
                self.hidden = (0..model.meshes.len()).filter(|&other| other != mesh).collect()
            }
            Change::ShowMeshes => self.hidden.clear(),
            Change::Surfaces(surfaces) => self.settings.surfaces = surfaces,
            Change::Shading(shading) => self.settings.shading = shading,
            Change::Filter(filter) => self.settings.filter = filter,
            Change::Colouring(colouring) => self.colouring = colouring,
            Change::Toggle(overlay) => self.toggle_overlay(overlay),
            Change::Method(method) => self.method = method,
            Change::Copies(copies) => self.copies = copies.clamp(1, MOST_COPIES),
            Change::Split(split) => self.split = split,
            Change::LookThrough(is_shown) => self.look_through(is_shown),
            Change::SeekCamera(time) => self.change_camera_path(|path| path.seek(time)),
            Change::Rotate(right, down) => self.moved_camera().rotate(right, down),
            Change::Drag(right, down, aspect) => self.moved_camera().drag(right, down, aspect),
            Change::Magnify(factor) => self.moved_camera().magnify(factor),
            Change::ZoomAt(factor, right, down) => self.moved_camera().magnify_at(factor, right, down),
            Change::Turntable(turns) => self.turntable = turns,
            Change::Light(Light::Towards(direction)) => {
                self.camera.light = direction.try_normalize().map_or(Light::default(), Light::Towards);
            }
            Change::Light(light) => self.camera.light = light,
            Change::Background(background) => self.settings.background = background,
            Change::Focus(point, radius) => self.moved_camera().focus(point, radius),
            Change::LookFrom(yaw, pitch) => self.moved_camera().look_from(yaw, pitch),
            Change::Projection(projection) => self.camera.projection = projection,
            Change::Axes(..) | Change::ResetCamera => self.look_through(false),
            Change::Unit(unit) => self.unit = unit,
            Change::Panel(is_shown) => self.has_panel = is_shown,
            Change::Curves(curves) => self.curves = curves,
            Change::Page(page) => (self.page, self.has_panel) = (page, true),
            Change::Keys(is_shown) => self.has_keys = is_shown,
        }
    }

    /// False for indices out of range and numbers that are not finite.
    fn accepts(&self, change: &Change, model: &Model) -> bool {
        let has_clip = |clip: usize| clip < model.clips.len();
        match *change {
            Change::Speed(number) | Change::FadeSeconds(number) => number.is_finite(),
            Change::Turntable(turns) => turns.is_finite(),
            Change::Unit(unit) => unit.is_none_or(|unit| unit.is_finite() && unit > 0.0),
            Change::Axes(front, up) => front.is_finite() && up.is_finite() && front.dot(up).abs() < 0.5,
            Change::Focus(point, radius) => point.is_finite() && radius.is_finite(),
            Change::RemoveRange(range) | Change::PickRange(range) => range < self.ranges.len(),
            Change::ShowClip(clip) | Change::Split(Some(Split::Clip(clip))) => has_clip(clip),
            // A clip is not blended with itself.
            Change::Blend(Some(blend)) => has_clip(blend.clip) && Some(blend.clip) != self.clip,
            Change::SelectJoint(Some(joint)) => joint.index() < model.skeleton.len(),
            Change::Turn(joint, turn) => joint.index() < model.skeleton.len() && turn.is_finite(),
            Change::ToggleMesh(mesh) | Change::ShowMeshAlone(mesh) => mesh < model.meshes.len(),
            _ => true,
        }
    }

    /// Keeps the time, or moves it to the nearer end of the range.
    fn set_range(&mut self, range: Option<(f64, f64)>) {
        let time = self.playback.time();
        self.playback.set_range(range);
        let (start, end) = self.playback.range();
        self.playback.seek(time.clamp(start, end));
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
        let range = self.ranges[range].clone();
        let Some(clip) = model.clips.iter().position(|clip| clip.name == range.clip) else { return };
        if self.clip != Some(clip) {
            self.show_clip(clip, model);
        }
        self.playback.set_range(Some((range.start, range.end)));
        self.playback.seek(range.start);
    }

    fn show_clip(&mut self, clip: usize, model: &Model) {
        let before = self.clip.filter(|&before| before != clip && self.fade_seconds > 0.0 && self.is_moving());
        self.fade = before.map(|before| Fade {
            clip: before,
            playback: self.playback.clone(),
            elapsed: 0.0,
            seconds: self.fade_seconds,
        });
        self.clip = Some(clip);
        self.blend = self.blend.filter(|blend| blend.clip != clip);
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

    fn toggle_overlay(&mut self, overlay: Overlay) {
        match overlay {
            Overlay::Skeleton => self.settings.skeleton ^= true,
            Overlay::Grid => self.settings.grid ^= true,
            other => self.overlays = &self.overlays ^ &BTreeSet::from([other]),
        }
    }

    fn turn(&mut self, joint: JointId, turn: DQuat) {
        self.history.remember(&self.turns, Some(joint));
        if turn.angle_between(DQuat::IDENTITY) < 1e-9 {
            self.turns.remove(&joint);
        } else {
            self.turns.insert(joint, turn.normalize());
        }
    }
}
