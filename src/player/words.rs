//! What the player says of itself in words.

use super::posing::{Blend, Mask};
use super::step::is_same_light;
use super::{Action, BACKGROUNDS, BasePose, Clock, LIGHTS, Player, Split, State, towards_light};
use crate::model::Model;
use crate::play::Repeat;
use crate::pose::RootMotion;
use crate::skin::{Cost, MethodId};
use bindpose_core::diagnostic::Escaped;

impl Player {
    /// Model, whose playback, clip, frame, how it is played, frames per second, method: a window's title.
    pub fn title(&self, frames_per_second: f64) -> String {
        let (state, playback) = (&self.state, &self.state.playback);
        let mut parts = vec![Escaped(&self.model().name).to_string()];
        parts.extend(self.engine().map(|engine| format!("as {}", engine.title())));
        match self.current_clip() {
            Some(clip) => {
                parts.push(Escaped(&clip.name).to_string());
                parts.push(format!("frame {}/{}", playback.frame(), playback.last_frame()));
            }
            None => parts.push("no clip".into()),
        }
        if let Some(film) = state.shown_film() {
            parts.push(format!("camera at {:.2} of {:.2} s", film.time(), film.duration()));
        }
        match state.base_pose {
            BasePose::Clip => {}
            other => parts.push(other.name().into()),
        }
        if let Some(blend) = state.blend {
            parts.push(format!("with {}", state.blend_in_words(blend, self.model())));
        }
        if playback.root_motion != RootMotion::Keep {
            parts.push(playback.root_motion.name().into());
        }
        if playback.repeat != Repeat::Loop {
            parts.push(playback.repeat.name().into());
        }
        if state.clock != Clock::Smooth {
            parts.push(format!("clock {}", state.clock.name()));
        }
        if playback.paused {
            parts.push("paused".into());
        } else {
            if playback.speed != 1.0 {
                parts.push(format!("speed {}", playback.speed));
            }
            if state.is_moving() {
                parts.push(format!("{frames_per_second:.0} fps"));
            }
        }
        parts.push(state.method.method().name.into());
        parts.join(" | ")
    }
}

impl State {
    /// What an action makes of the state, as `what: which`; `None` of actions that choose nothing.
    pub fn in_words(&self, action: &Action, model: &Model) -> Option<String> {
        let clip = |clip: usize| model.clips.get(clip).map_or("", |clip| clip.name.as_str());
        let mesh = |mesh: usize| model.meshes.get(mesh).map_or("", |mesh| mesh.name.as_str());
        let range = |range: usize| self.ranges.get(range).map_or("", |range| range.name.as_str());
        let text = match *action {
            Action::Speed(speed) => format!("speed: {speed}x"),
            Action::Repeat(repeat) => format!("at the end: {}", repeat.name()),
            Action::Clock(clock) => format!("clock: {}", clock.name()),
            Action::PickRange(number) => format!("range: {}", range(number)),
            Action::RemoveRange(number) => format!("forget range: {}", range(number)),
            Action::ShowClip(number) => format!("clip: {}", clip(number)),
            Action::FadeSeconds(seconds) if seconds > 0.0 => format!("fade: {seconds} s"),
            Action::FadeSeconds(_) => "fade: none".into(),
            Action::Blend(None) => "mix in: nothing".into(),
            Action::Blend(Some(blend)) => format!("mix in: {}", self.blend_in_words(blend, model)),
            Action::RootMotion(motion) => format!("root motion: {}", motion.name()),
            Action::BasePose(pose) => format!("pose: {}", pose.name()),
            Action::SelectJoint(None) => "select joint: none".into(),
            Action::SelectJoint(Some(joint)) => format!("select joint: {}", model.skeleton[joint].name),
            Action::ToggleMesh(number) if self.hidden.contains(&number) => format!("show mesh: {}", mesh(number)),
            Action::ToggleMesh(number) => format!("hide mesh: {}", mesh(number)),
            Action::ShowMeshAlone(number) => format!("mesh alone: {}", mesh(number)),
            Action::ShowMeshes => "show mesh: all".into(),
            Action::Surfaces(surfaces) => format!("surfaces: {}", surfaces.name()),
            Action::Shading(shading) => format!("shading: {}", shading.name()),
            Action::Specular(specular) => format!("highlights: {}", specular.name()),
            Action::Filter(filter) => format!("images: {}", filter.name()),
            Action::Colouring(colouring) => format!("colours: {}", colouring.name()),
            Action::Method(method) => format!("method: {}", method.method().name),
            Action::Limits(limits) => format!("registers: {}", limits.name()),
            Action::Copies(copies) => format!("copies: {copies}"),
            Action::AllClips(true) => "copies play: all clips".into(),
            Action::AllClips(false) => "copies play: the clip that is shown".into(),
            Action::Split(None) => "beside it: nothing".into(),
            Action::Split(Some(Split::Method(method))) => format!("beside it: method {}", method.method().name),
            Action::Split(Some(Split::Clip(number))) => format!("beside it: clip {}", clip(number)),
            Action::Split(Some(Split::File)) => "beside it: the other file".into(),
            Action::Turntable(turns) => format!("turntable: {turns} turns a minute"),
            Action::Light(light) => {
                let known = LIGHTS.iter().find(|(_, angles)| is_same_light(towards_light(*angles), light));
                format!("light: {}", known.map_or("from elsewhere", |(name, _)| name))
            }
            Action::Background(background) => {
                let known = BACKGROUNDS.iter().find(|(_, known)| *known == background);
                format!("background: {}", known.map_or("another colour", |(name, _)| name))
            }
            Action::Page(page) => format!("page: {}", page.name()),
            _ => return None,
        };
        Some(text)
    }

    /// A clip that is mixed in, how much of it, and what it moves.
    fn blend_in_words(&self, blend: Blend, model: &Model) -> String {
        let clip = model.clips.get(blend.clip).map_or("", |clip| clip.name.as_str());
        let moved = match blend.mask {
            None => String::new(),
            Some(mask) => format!(" of {}", self.mask_in_words(mask, model)),
        };
        format!("{:.0} % {clip}{moved}", 100.0 * blend.share)
    }

    /// What a clip that is mixed in moves.
    pub fn mask_in_words(&self, mask: Mask, model: &Model) -> String {
        match mask {
            Mask::Below(joint) => format!("{} and below", model.skeleton[joint].name),
            Mask::Channel(number) => {
                format!("channel {}", self.channels.get(number).map_or("", |(name, _)| name))
            }
        }
    }
}

/// A line on each thing that a method's limits took away, or that it cannot do exactly.
pub(super) fn cost_notes(method: MethodId, cost: &Cost) -> Vec<String> {
    let mut notes = Vec::new();
    if cost.reduced_vertices > 0 {
        let most = 100.0 * cost.most_dropped;
        let limit = method.method().influences.unwrap_or(0);
        notes.push(format!(
            "{method} takes {limit} influences per vertex: {} vertices lost some, at most {most:.1} % of their weight",
            cost.reduced_vertices
        ));
    }
    if cost.divided_vertices > 0 {
        let vertices = cost.divided_vertices;
        notes.push(format!("the weights of {vertices} vertices do not sum to 1; {method} divides them by their sum"));
    }
    if cost.broken_conditions > 0 {
        let vertices = cost.broken_conditions;
        notes.push(format!(
            "{method} is exact where a joint meets the joints that start at its end; {vertices} vertices follow others"
        ));
    }
    if cost.trimmed_triangles > 0 {
        notes.push(format!(
            "{} triangles use more joints than a batch of {method} may, and lost some",
            cost.trimmed_triangles
        ));
    }
    notes
}
