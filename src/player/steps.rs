//! Steps that derive a change from the current state: the next item of a list, or the other of two.

use super::curves::Curve;
use super::{
    BLEND_SHARES, BasePose, Blend, COPIES, Change, Colouring, FADE_SECONDS, Mask, Overlay, Player, SPEEDS, Split,
    State, edit, lights,
};
use bindpose_core::model::Model;
use bindpose_core::play::Repeat;
use bindpose_core::pose::RootMotion;
use bindpose_core::skin::MethodId;
use bindpose_render::{Shading, Surfaces, TextureFilter};

/// Reason why a step about the selected joint does nothing.
pub(super) const NO_JOINT: &str = "no joint is selected; click one in the view or on the page Joints";

/// Derives a change from the current state, or returns the reason why there is none.
pub type Step = fn(&State, &Model) -> Result<Change, &'static str>;

impl Player {
    /// Resets pose, playback, split view, look and camera, and says so in a note.
    pub fn reset(&mut self) {
        let changes = self.state.resets(self.model());
        changes.iter().for_each(|change| self.apply(change));
        self.notes.push("all is reset but clip, time, method, light and background; ctrl+z restores rotations".into());
    }
}

impl State {
    /// Returns the changes that restore pose, playback, split view, look and camera. Clip, time, selection, method, light
    /// and background stay.
    pub(super) fn resets(&self, model: &Model) -> Vec<Change> {
        let turns = (!self.turns.is_empty()).then_some(Change::ResetJoints);
        let grid = (!self.settings.grid).then_some(Overlay::Grid);
        // Without surfaces, only the bones are visible.
        let skeleton = (self.settings.skeleton && !model.meshes.is_empty()).then_some(Overlay::Skeleton);
        let overlays = self.overlays.iter().copied().chain(grid).chain(skeleton).map(Change::Toggle);
        let others = [
            Change::BasePose(BasePose::Clip),
            Change::Blend(None),
            Change::RootMotion(RootMotion::Keep),
            Change::FadeSeconds(FADE_SECONDS),
            Change::Range(None),
            Change::Speed(1.0),
            Change::Repeat(Repeat::Loop),
            Change::Split(None),
            Change::Copies(1),
            Change::ShowMeshes,
            Change::Surfaces(Surfaces::Filled),
            Change::Shading(Shading::Lit),
            Change::Filter(TextureFilter::BySize),
            Change::Colouring(Colouring::Material),
            Change::Curves(None),
            Change::Turntable(0.0),
            Change::ResetCamera,
        ];
        turns.into_iter().chain(overlays).chain(others).collect()
    }

    /// Returns the next slower speed for a negative `by`, otherwise the next faster one. The direction of playback does
    /// not change.
    pub fn next_speed(&self, by: i32) -> Change {
        let speed = self.playback.speed;
        Change::Speed(speed.signum() * neighbour(&SPEEDS, speed.abs(), by))
    }

    /// Returns the next smaller number of copies for a negative `by`, otherwise the next larger one.
    pub fn next_copies(&self, by: i32) -> Change {
        Change::Copies(neighbour(&COPIES, self.copies, by))
    }

    /// Returns the range from the current frame to the range's end, or to the clip's end if the range ends before the
    /// frame.
    pub fn range_from_here(&self) -> Change {
        let (start, (_, end)) = (self.frame_time(), self.playback.range());
        Change::Range(Some((start, if end > start { end } else { self.playback.duration() })))
    }

    /// Returns the range from its start to the current frame, or from the clip's start if the range starts after the
    /// frame.
    pub fn range_to_here(&self) -> Change {
        let (end, (start, _)) = (self.frame_time(), self.playback.range());
        Change::Range(Some((if start < end { start } else { 0.0 }, end)))
    }

    /// Returns the time of the nearest frame, in seconds.
    fn frame_time(&self) -> f64 {
        let frame = (self.playback.time() * self.playback.frame_rate()).round();
        (frame / self.playback.frame_rate()).min(self.playback.duration())
    }

    /// Returns the next named range of any clip of the model.
    pub fn next_named_range(&self, model: &Model) -> Result<Change, &'static str> {
        let is_playable = |range: &usize| model.clips.iter().any(|clip| clip.name == self.ranges[*range].clip);
        let playable: Vec<usize> = (0..self.ranges.len()).filter(is_playable).collect();
        let current = playable.iter().position(|&range| self.plays_range(range, model));
        let next = current.map_or(0, |position| position + 1) % playable.len().max(1);
        playable.get(next).map(|&range| Change::PickRange(range)).ok_or("no range has a name yet")
    }

    /// Returns the clip `by` positions further in the list, wrapping around.
    pub fn next_clip(&self, model: &Model, by: i64) -> Result<Change, &'static str> {
        let clip = self.clip.map_or(0, |clip| (clip as i64 + by).rem_euclid(model.clips.len().max(1) as i64));
        if model.clips.is_empty() { Err("the model has no clips") } else { Ok(Change::ShowClip(clip as usize)) }
    }

    /// Blends with the next other clip; after the last one, ends the blend.
    pub fn next_blend(&self, model: &Model) -> Result<Change, &'static str> {
        let next = self.next_other_clip(self.blend.map(|blend| blend.clip), model);
        Ok(Change::Blend(next.ok_or("there is no other clip to blend with")?.map(|clip| self.blend_with(clip))))
    }

    /// Returns the next share of the blended clip, wrapping around.
    pub fn next_blend_share(&self, _: &Model) -> Result<Change, &'static str> {
        let blend = self.blend.ok_or(NO_BLEND)?;
        let share = BLEND_SHARES.into_iter().find(|&share| share > blend.share).unwrap_or(BLEND_SHARES[0]);
        Ok(Change::Blend(Some(Blend { share, ..blend })))
    }

    /// Restricts the blend to the selected joint and its descendants, or removes the restriction.
    pub fn toggle_blend_mask(&self, _: &Model) -> Result<Change, &'static str> {
        let blend = self.blend.ok_or(NO_BLEND)?;
        let mask = match (blend.mask, self.joint) {
            (Some(_), _) => None,
            (None, Some(joint)) => Some(Mask::Below(joint)),
            (None, None) => return Err("select the topmost joint to blend first"),
        };
        Ok(Change::Blend(Some(Blend { mask, ..blend })))
    }

    /// Shows the next other clip in the right half; after the last one, ends the split view.
    pub fn next_split_clip(&self, model: &Model) -> Result<Change, &'static str> {
        let current = match self.split {
            Some(Split::Clip(clip)) => Some(clip),
            _ => None,
        };
        let next = self.next_other_clip(current, model).ok_or("there is no other clip to show beside this one")?;
        Ok(Change::Split(next.map(Split::Clip)))
    }

    /// Splits the view to compare a linear method with dual quaternions, another one with the linear reference. Ends a
    /// split view.
    pub fn toggle_split(&self) -> Change {
        let other = if self.method.method().is_linear { MethodId::Dqs } else { MethodId::Cpu };
        Change::Split(if self.split.is_some() { None } else { Some(Split::Method(other)) })
    }

    /// Shows curves of the halves' difference in a split view, otherwise of the selected joint's position. Hides curves
    /// that are shown.
    pub fn toggle_curves(&self) -> Change {
        let curve = if self.split.is_some() { Curve::Difference } else { Curve::Position };
        Change::Curves(if self.curves.is_some() { None } else { Some(curve) })
    }

    /// Shows curves of the selected joint's position, in a split view, too. Hides a joint's curves that are shown.
    pub fn toggle_joint_curves(&self) -> Change {
        let is_shown = self.curves.is_some_and(|curve| curve != Curve::Difference);
        Change::Curves(if is_shown { None } else { Some(Curve::Position) })
    }

    /// Undoes the last manual rotation.
    pub fn undo_turn(&self, _: &Model) -> Result<Change, &'static str> {
        if self.history.can_undo() { Ok(Change::Undo) } else { Err("no rotation to undo") }
    }

    /// Restores the rotation that was undone last.
    pub fn redo_turn(&self, _: &Model) -> Result<Change, &'static str> {
        if self.history.can_redo() { Ok(Change::Redo) } else { Err("no rotation to restore") }
    }

    /// Returns the joint `by` rows further down the tree, wrapping around.
    pub fn next_joint(&self, model: &Model, by: i64) -> Result<Change, &'static str> {
        let order = edit::tree_order(model);
        let row = match order.iter().position(|&joint| self.joint == Some(joint)) {
            Some(row) => (row as i64 + by).rem_euclid(order.len() as i64) as usize,
            None if by > 0 => 0,
            None => order.len().saturating_sub(1),
        };
        order.get(row).map(|&joint| Change::SelectJoint(Some(joint))).ok_or("the model has no joints")
    }

    /// Resets the selected joint's manual rotation.
    pub fn reset_selected_joint(&self, _: &Model) -> Result<Change, &'static str> {
        let joint = self.joint.filter(|joint| self.turns.contains_key(joint));
        let reset = |joint| Change::Turn(joint, glam::DQuat::IDENTITY);
        joint.map(reset).ok_or(match self.joint {
            Some(_) => "the selected joint has no manual rotation",
            None => NO_JOINT,
        })
    }

    /// Shows the first mesh alone, then the next; after the last one, all meshes.
    pub fn next_mesh_alone(&self, model: &Model) -> Result<Change, &'static str> {
        let count = model.meshes.len();
        let mut shown = (0..count).filter(|mesh| !self.hidden.contains(mesh));
        match (shown.next(), shown.next()) {
            _ if count < 2 => Err("there is no other mesh to hide"),
            (Some(mesh), None) if mesh + 1 == count => Ok(Change::ShowMeshes),
            (Some(mesh), None) => Ok(Change::ShowMeshAlone(mesh + 1)),
            _ => Ok(Change::ShowMeshAlone(0)),
        }
    }

    /// Lights the model from the next of [`lights`].
    pub fn next_light(&self) -> Change {
        let all = lights().map(|(_, light)| light);
        let current = all.iter().position(|light| light.is_like(self.camera.light));
        Change::Light(all[current.map_or(0, |light| (light + 1) % all.len())])
    }

    /// Returns the current blend with `clip` as its second clip; without a blend, half of `clip` on all joints.
    pub fn blend_with(&self, clip: usize) -> Blend {
        self.blend.map_or(Blend { clip, share: 0.5, mask: None }, |blend| Blend { clip, ..blend })
    }

    /// Returns the clip after `current`, beginning with the one after the shown clip, and `Some(None)` after all others.
    /// Returns `None` if there is no other clip.
    fn next_other_clip(&self, current: Option<usize>, model: &Model) -> Option<Option<usize>> {
        let count = model.clips.len();
        let shown = self.clip.filter(|&clip| clip < count);
        let mut others = shown.map_or(0..count, |clip| clip + 1..clip + count).map(|clip| clip % count);
        match current {
            None => others.next().map(Some),
            Some(current) => Some(others.skip_while(|&clip| clip != current).nth(1)),
        }
    }

    /// True if this named range is being played.
    pub fn plays_range(&self, range: usize, model: &Model) -> bool {
        self.ranges.get(range).is_some_and(|range| {
            self.playback.has_range()
                && self.current_clip(model).is_some_and(|clip| clip.name == range.clip)
                && self.playback.range() == (range.start, range.end)
        })
    }
}

const NO_BLEND: &str = "no clip is blended in yet";

/// Returns the element after `current`, wrapping around; the first if `current` is not an element.
pub fn next_of<T: Copy + PartialEq>(all: &[T], current: T) -> T {
    let next = all.iter().position(|&known| known == current).map_or(0, |position| (position + 1) % all.len());
    all.get(next).copied().unwrap_or(current)
}

/// Returns the next larger of increasing values for a positive `by`, otherwise the next smaller; `current` at the end.
fn neighbour<T: Copy + PartialOrd>(ascending: &[T], current: T, by: i32) -> T {
    let next = match by {
        1.. => ascending.iter().find(|&&known| known > current),
        _ => ascending.iter().rev().find(|&&known| known < current),
    };
    next.copied().unwrap_or(current)
}
