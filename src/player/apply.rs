//! What actions make of the state, as far as they need no more than the model.

use super::action::Action;
use super::posing::{BasePose, Fade};
use super::ranges::NamedRange;
use super::step::next;
use super::{MOST_COPIES, SPEEDS, Split, State, VertexRef};
use crate::model::Model;
use crate::play::Repeat;
use crate::render::{Projection, Shading, Surfaces, TextureFilter};
use glam::DQuat;

impl State {
    /// Does what an action says, as far as it needs no more than the model; the rest is [`super::Player`]'s.
    pub fn apply(&mut self, action: &Action, model: &Model) {
        if let Some(meant) = self.meant(action, model) {
            return meant.into_iter().for_each(|action| self.apply(&action, model));
        }
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
            Action::NextRepeat => self.playback.repeat = next(&Repeat::ALL, self.playback.repeat),
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
            // A clip with itself is no mixture.
            Action::Blend(blend) => {
                self.blend = blend.filter(|blend| blend.clip < model.clips.len() && Some(blend.clip) != self.clip);
            }
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
            Action::ShowMeshAlone(mesh) if mesh < model.meshes.len() => {
                self.hidden = (0..model.meshes.len()).filter(|&other| other != mesh).collect();
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
            // Numbers that are none, what needs more than the model, and what has been told what it comes to.
            Action::Speed(_)
            | Action::ShowMeshAlone(_)
            | Action::NextClock
            | Action::NextNamedRange
            | Action::ToggleFade
            | Action::NextBlend
            | Action::NextBlendShare
            | Action::ToggleBlendMask
            | Action::NextRootMotion
            | Action::ChangeJoint(_)
            | Action::ResetSelectedJoint
            | Action::HideSelectedMesh
            | Action::NextMeshAlone
            | Action::NextSpecular
            | Action::NextColouring
            | Action::ToggleColouring(_)
            | Action::NextLimits
            | Action::ChangeCopies(_)
            | Action::ToggleAllClips
            | Action::NextSplitClip
            | Action::NextLight
            | Action::NextBackground
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
}

pub(super) fn next_speed(speed: f64, direction: i32) -> f64 {
    let next = match direction {
        1.. => SPEEDS.iter().find(|&&known| known > speed),
        _ => SPEEDS.iter().rev().find(|&&known| known < speed),
    };
    next.copied().unwrap_or(speed)
}
