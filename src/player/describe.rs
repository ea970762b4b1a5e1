//! Text about the player's state: titles, notes, rows of the command palette.

use super::{BACKGROUNDS, BasePose, Blend, Change, Mask, Player, Split, State, lights, unit_name};
use bindpose_core::diagnostic::Escaped;
use bindpose_core::engines::Engine;
use bindpose_core::model::Model;
use bindpose_core::play::Repeat;
use bindpose_core::pose::RootMotion;
use bindpose_core::skin::{Cost, MethodId};
use glam::Vec3;

impl Player {
    /// Returns the names of the halves of a split view: methods, clips or models.
    pub fn half_names(&self) -> Option<[String; 2]> {
        let state = &self.state;
        let clip = |clip: usize| self.model().clips.get(clip).map_or(String::new(), |clip| clip.name.clone());
        let method = |method: MethodId| method.method().title.to_owned();
        Some(match state.split? {
            Split::Method(other) => [method(state.method), method(other)],
            Split::Clip(other) => [state.clip.map_or(String::new(), clip), clip(other)],
            // Both halves have the same files, played by different engines.
            Split::File if self.other().is_some_and(|other| other.name == self.model().name) => {
                let title = |engine: Option<&Engine>| engine.map_or("as the files are", |engine| engine.title());
                self.engines_shown().map(|engine| title(engine).to_owned())
            }
            Split::File => [self.model().name.clone(), self.other().map_or(String::new(), |other| other.name.clone())],
        })
    }

    /// Returns the window title: model, engine, clip, frame, playback, frames per second, method.
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
        if let Some(path) = state.shown_camera_path() {
            parts.push(format!("camera at {:.2} of {:.2} s", path.time(), path.duration()));
        }
        parts.extend((state.base_pose != BasePose::Clip).then(|| state.base_pose.name().into()));
        parts.extend(state.blend.map(|blend| format!("with {}", state.describe_blend(blend, self.model()))));
        parts.extend((playback.root_motion != RootMotion::Keep).then(|| playback.root_motion.name().into()));
        parts.extend((playback.repeat != Repeat::Loop).then(|| playback.repeat.name().into()));
        if playback.paused {
            parts.push("paused".into());
        } else {
            parts.extend((playback.speed != 1.0).then(|| format!("speed {}", playback.speed)));
            parts.extend(state.is_moving().then(|| format!("{frames_per_second:.0} fps")));
        }
        parts.push(state.method.method().name.into());
        parts.join(" | ")
    }
}

impl State {
    /// Describes a change as `setting: value`. Returns `None` for changes that select no value, such as moves of the
    /// camera.
    pub fn describe(&self, change: &Change, model: &Model) -> Option<String> {
        let clip = |clip: usize| model.clips.get(clip).map_or("", |clip| clip.name.as_str());
        let mesh = |mesh: usize| model.meshes.get(mesh).map_or("", |mesh| mesh.name.as_str());
        let range = |range: usize| self.ranges.get(range).map_or("", |range| range.name.as_str());
        Some(match *change {
            Change::Speed(speed) => format!("speed: {speed}x"),
            Change::Repeat(repeat) => format!("repeat: {}", repeat.name()),
            Change::PickRange(number) => format!("range: {}", range(number)),
            Change::RemoveRange(number) => format!("delete range: {}", range(number)),
            Change::ShowClip(number) => format!("clip: {}", clip(number)),
            Change::FadeSeconds(seconds) if seconds > 0.0 => format!("fade: {seconds} s"),
            Change::FadeSeconds(_) => "fade: none".into(),
            Change::Blend(None) => "blend with: nothing".into(),
            Change::Blend(Some(blend)) => format!("blend with: {}", self.describe_blend(blend, model)),
            Change::RootMotion(motion) => format!("root motion: {}", motion.name()),
            Change::BasePose(pose) => format!("pose: {}", pose.name()),
            Change::SelectJoint(None) => "select joint: none".into(),
            Change::SelectJoint(Some(joint)) => format!("select joint: {}", model.skeleton[joint].name),
            Change::ToggleMesh(number) if self.hidden.contains(&number) => format!("show mesh: {}", mesh(number)),
            Change::ToggleMesh(number) => format!("hide mesh: {}", mesh(number)),
            Change::ShowMeshAlone(number) => format!("only mesh: {}", mesh(number)),
            Change::ShowMeshes => "show mesh: all".into(),
            Change::Surfaces(surfaces) => format!("surfaces: {}", surfaces.name()),
            Change::Shading(shading) => format!("shading: {}", shading.name()),
            Change::Filter(filter) => format!("texture filter: {}", filter.name()),
            Change::Colouring(colouring) => format!("colour by: {}", colouring.name()),
            Change::Method(method) => format!("method: {}", method.method().name),
            Change::Copies(copies) => format!("copies: {copies}"),
            Change::Split(None) => "split view: off".into(),
            Change::Split(Some(Split::Method(method))) => format!("split view: method {}", method.method().name),
            Change::Split(Some(Split::Clip(number))) => format!("split view: clip {}", clip(number)),
            Change::Split(Some(Split::File)) => "split view: the other file".into(),
            Change::Turntable(turns) => format!("turntable: {turns} turns a minute"),
            Change::Light(light) => {
                let known = lights().into_iter().find(|(_, known)| known.is_like(light));
                format!("light: {}", known.map_or("another direction", |(name, _)| name))
            }
            Change::Background(background) => {
                let known = BACKGROUNDS.iter().find(|(_, known)| *known == background);
                format!("background: {}", known.map_or("another colour", |(name, _)| name))
            }
            Change::Unit(unit) => format!("a unit is: {}", unit_name(unit)),
            Change::Axes(front, _) => format!("front: {}", axis_name(front)),
            Change::Curves(None) => "curves: none".into(),
            Change::Curves(Some(curve)) => format!("curves: {}", curve.name()),
            Change::Page(page) => format!("page: {}", page.name()),
            _ => return None,
        })
    }

    /// Describes the blended clip with its share and its joints.
    fn describe_blend(&self, blend: Blend, model: &Model) -> String {
        let clip = model.clips.get(blend.clip).map_or("", |clip| clip.name.as_str());
        let joints = blend.mask.map_or(String::new(), |mask| format!(" of {}", self.describe_mask(mask, model)));
        format!("{:.0} % {clip}{joints}", 100.0 * blend.share)
    }

    /// Describes the joints that a blended clip moves.
    pub fn describe_mask(&self, mask: Mask, model: &Model) -> String {
        match mask {
            Mask::Below(joint) => format!("{} and below", model.skeleton[joint].name),
            Mask::Channel(number) => {
                format!("channel {}", self.channels.get(number).map_or("", |(name, _)| name))
            }
        }
    }
}

/// Returns the name of the axis nearest to a direction, such as `-y`.
pub fn axis_name(direction: Vec3) -> &'static str {
    let names = [["x", "-x"], ["y", "-y"], ["z", "-z"]];
    let size = direction.abs();
    let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
    names[axis][usize::from(direction[axis] < 0.0)]
}

/// True if the title or the view shows the change at once, so that a note would be redundant.
pub(super) fn is_evident(change: &Change) -> bool {
    use Change::{BasePose, Curves, Filter, Repeat, SelectJoint, Shading, ShowClip, Speed, Surfaces};
    matches!(
        change,
        SelectJoint(_)
            | Repeat(_)
            | Speed(_)
            | ShowClip(_)
            | BasePose(_)
            | Curves(_)
            | Surfaces(_)
            | Shading(_)
            | Filter(_)
            | Change::Split(Some(Split::Method(_)))
    )
}

/// Returns a note for each loss of precision under a method's limits.
pub(super) fn cost_notes(method: MethodId, cost: &Cost) -> Vec<String> {
    let mut notes = Vec::new();
    if cost.reduced_vertices > 0 {
        let most = 100.0 * cost.most_dropped;
        let limit = method.method().influences.unwrap_or(0);
        notes.push(format!(
            "{method} supports {limit} influences per vertex: {} vertices lost some, at most {most:.1} % of their weight",
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
            "{method} is exact only for a joint and its children; {vertices} vertices follow other joints"
        ));
    }
    if cost.left_out_examples > 0 {
        let examples = cost.left_out_examples;
        notes.push(format!("{method} ignores {examples} examples: too many, of the same pose, or of other vertices"));
    }
    if cost.example_error > 0.0 {
        notes.push(format!("{method} is up to {:.3} off the examples", cost.example_error));
    }
    if cost.trimmed_triangles > 0 {
        notes.push(format!(
            "{} triangles use more joints than fit a batch of {method}, and lost some",
            cost.trimmed_triangles
        ));
    }
    notes
}
