//! State that carries over to another model, or to a changed file of the same one.

use super::state::has_moving_materials;
use super::{AttachedScene, Blend, Mask, Scene, Split, State, VertexRef, events, joint_of_name};
use bindpose_core::model::{JointId, Model};
use bindpose_core::play::Playback;
use bindpose_render::RenderSettings;

impl State {
    /// Returns the state for a model that replaces another one. Clips and joints are matched by name, meshes by number.
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
        let mask = |mask: Mask| match mask {
            Mask::Below(top) => joint(top).map(Mask::Below),
            Mask::Channel(_) => Some(mask),
        };
        state.blend = self
            .blend
            .and_then(|blend| Some(Blend { clip: clip(blend.clip)?, mask: blend.mask.and_then(mask), ..blend }));
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

    /// Moves to the frame and range of another playback of the same frames, whatever its frame rate.
    pub(super) fn keep_frames_of(&mut self, before: &Playback) {
        let seconds = |before_seconds: f64| before_seconds * before.frame_rate() / self.playback.frame_rate();
        let (time, (start, end)) = (seconds(before.time()), before.range());
        let range = before.has_range().then(|| (seconds(start), seconds(end)));
        self.playback.set_range(range);
        self.playback.seek(time);
    }

    /// Copies a scene's ranges, channels and frame commands.
    pub(super) fn take_from(&mut self, scene: &Scene) {
        self.ranges.clone_from(&scene.ranges);
        self.channels.clone_from(&scene.loaded.channels);
        self.events = events::of_commands(&scene.loaded.frame_commands);
        // Attached models move at the time of the materials.
        self.has_moving_materials |= scene.attached.iter().any(AttachedScene::is_moving);
        let is_there = |mask: &Mask| !matches!(mask, Mask::Channel(number) if *number >= self.channels.len());
        if let Some(blend) = &mut self.blend {
            blend.mask = blend.mask.filter(is_there);
        }
    }

    /// Copies the settings that do not depend on the model: drawing, playback, panel. Bones stay visible if the model
    /// has nothing else. They do not follow from a model that had nothing else.
    pub fn keep_look_of(&mut self, before: &Self, model_before: &Model) {
        let skeleton = before.settings.skeleton && !model_before.meshes.is_empty();
        self.settings = RenderSettings { skeleton: self.settings.skeleton || skeleton, ..before.settings };
        (self.overlays, self.colouring) = (before.overlays.clone(), before.colouring);
        self.fade_seconds = before.fade_seconds;
        (self.has_panel, self.page, self.curves) = (before.has_panel, before.page, before.curves);
    }
}
