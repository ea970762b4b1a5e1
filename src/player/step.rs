//! Actions that go on from what is shown: the next of a list, the other of two.

use super::posing::{Blend, Mask};
use super::{
    Action, BACKGROUNDS, BLEND_SHARES, COPIES, Clock, Colouring, FADE_SECONDS, LIGHTS, Split, State, edit,
    towards_light,
};
use crate::model::Model;
use crate::pose::RootMotion;
use crate::render::Specular;
use crate::skin::LIMITS;
use glam::Vec3;

/// Directions of light that are farther apart than this are others; both have unit length.
const SAME_LIGHT: f32 = 1e-3;

impl State {
    /// What an action comes to that goes on from what is shown, or why it comes to nothing; `None` of any other action.
    pub(super) fn meant(&self, action: &Action, model: &Model) -> Option<Result<Action, &'static str>> {
        Some(match *action {
            Action::NextClock => Ok(Action::Clock(next(&Clock::ALL, self.clock))),
            Action::NextNamedRange => self.next_named_range(model),
            Action::ToggleFade => Ok(Action::FadeSeconds(if self.fade_seconds > 0.0 { 0.0 } else { FADE_SECONDS })),
            Action::NextBlend => match self.next_of_other_clips(self.blend.map(|blend| blend.clip), model) {
                Err(()) => Err("there is no other clip that could be mixed in"),
                Ok(None) => Ok(Action::Blend(None)),
                Ok(Some(clip)) => Ok(Action::Blend(Some(self.blend_with(clip)))),
            },
            Action::NextBlendShare => self.changed_blend(|blend| {
                let share = BLEND_SHARES.into_iter().find(|&share| share > blend.share).unwrap_or(BLEND_SHARES[0]);
                Ok(Blend { share, ..blend })
            }),
            Action::ToggleBlendMask => self.changed_blend(|blend| match (blend.mask, self.joint) {
                (Some(_), _) => Ok(Blend { mask: None, ..blend }),
                (None, Some(joint)) => Ok(Blend { mask: Some(Mask::Below(joint)), ..blend }),
                (None, None) => Err("select the joint first from which down the clip is to be mixed in"),
            }),
            Action::NextRootMotion => Ok(Action::RootMotion(next(&RootMotion::ALL, self.playback.root_motion))),
            Action::ChangeJoint(by) => {
                let order = edit::tree_order(model);
                let place = order.iter().position(|&joint| self.joint == Some(joint));
                let place = match (place, by) {
                    (Some(place), by) => (place as i64 + i64::from(by)).rem_euclid(order.len() as i64) as usize,
                    (None, 1..) => 0,
                    (None, _) => order.len().saturating_sub(1),
                };
                match order.get(place) {
                    Some(&joint) => Ok(Action::SelectJoint(Some(joint))),
                    None => Err("the model has no joints"),
                }
            }
            Action::ResetSelectedJoint => match self.joint.filter(|joint| self.turns.contains_key(joint)) {
                Some(joint) => Ok(Action::ResetJoint(joint)),
                None => Err("no joint is selected that was turned by hand"),
            },
            Action::HideSelectedMesh => match self.vertex {
                Some(vertex) => Ok(Action::ToggleMesh(vertex.mesh)),
                None => Err("select a vertex of the mesh first"),
            },
            Action::NextMeshAlone => match (model.meshes.len(), self.mesh_alone(model)) {
                (0 | 1, _) => Err("there is no other mesh that could be hidden"),
                (_, None) => Ok(Action::ShowMeshAlone(0)),
                (count, Some(mesh)) if mesh + 1 < count => Ok(Action::ShowMeshAlone(mesh + 1)),
                _ => Ok(Action::ShowMeshes),
            },
            Action::NextSpecular => Ok(Action::Specular(next(&Specular::ALL, self.settings.specular))),
            Action::NextColouring => Ok(Action::Colouring(next(&Colouring::ALL, self.colouring))),
            Action::ToggleColouring(colouring) => {
                let is_shown = self.colouring == colouring;
                Ok(Action::Colouring(if is_shown { Colouring::Material } else { colouring }))
            }
            Action::NextLimits => Ok(Action::Limits(next(&LIMITS, self.limits))),
            Action::ChangeCopies(by) => {
                let next = match by {
                    1.. => COPIES.into_iter().find(|&copies| copies > self.copies),
                    _ => COPIES.into_iter().rev().find(|&copies| copies < self.copies),
                };
                Ok(Action::Copies(next.unwrap_or(self.copies)))
            }
            Action::ToggleAllClips => Ok(Action::AllClips(!self.all_clips)),
            Action::NextSplitClip => {
                let present = match self.split {
                    Some(Split::Clip(clip)) => Some(clip),
                    _ => None,
                };
                match self.next_of_other_clips(present, model) {
                    Err(()) => Err("there is no other clip that could be shown beside this one"),
                    Ok(clip) => Ok(Action::Split(clip.map(Split::Clip))),
                }
            }
            Action::NextLight => {
                let all = LIGHTS.map(|(_, angles)| towards_light(angles));
                let present = all.iter().position(|&light| self.has_light(light));
                let next = present.map_or(0, |place| (place + 1) % all.len());
                Ok(Action::Light(all[next]))
            }
            Action::NextBackground => {
                Ok(Action::Background(next(&BACKGROUNDS.map(|(_, one)| one), self.settings.background)))
            }
            _ => return None,
        })
    }

    /// The clip as it is mixed in first, or instead of the one that is.
    pub fn blend_with(&self, clip: usize) -> Blend {
        self.blend.map_or(Blend { clip, share: 0.5, mask: None }, |blend| Blend { clip, ..blend })
    }

    /// The mesh that is shown alone, where there are others.
    fn mesh_alone(&self, model: &Model) -> Option<usize> {
        let mut shown = (0..model.meshes.len()).filter(|mesh| !self.hidden.contains(mesh));
        shown.next().filter(|_| model.meshes.len() > 1 && shown.next().is_none())
    }

    /// After `present` the next clip that is not shown itself; after the last one none. `Err` where there is no other.
    fn next_of_other_clips(&self, present: Option<usize>, model: &Model) -> Result<Option<usize>, ()> {
        let others = || (0..model.clips.len()).filter(|&clip| self.clip != Some(clip));
        if others().next().is_none() {
            return Err(());
        }
        Ok(others().find(|&clip| present.is_none_or(|present| clip > present)))
    }

    fn changed_blend(&self, change: impl FnOnce(Blend) -> Result<Blend, &'static str>) -> Result<Action, &'static str> {
        let blend = self.blend.ok_or("no clip is mixed in yet")?;
        change(blend).map(|blend| Action::Blend(Some(blend)))
    }

    fn next_named_range(&self, model: &Model) -> Result<Action, &'static str> {
        let is_there = |place: &usize| model.clips.iter().any(|clip| clip.name == self.ranges[*place].clip);
        let there: Vec<usize> = (0..self.ranges.len()).filter(is_there).collect();
        let played = there.iter().position(|&place| self.plays_range(place, model));
        let next = played.map_or(0, |place| place + 1) % there.len().max(1);
        there.get(next).map(|&range| Action::PickRange(range)).ok_or("no range has a name yet")
    }

    /// Whether light comes from there.
    pub fn has_light(&self, light: Option<Vec3>) -> bool {
        is_same_light(light, self.camera.light)
    }

    /// Whether a named range is what is played.
    pub fn plays_range(&self, range: usize, model: &Model) -> bool {
        self.ranges.get(range).is_some_and(|range| {
            self.playback.has_range()
                && self.current_clip(model).is_some_and(|clip| clip.name == range.clip)
                && self.playback.range() == (range.start, range.end)
        })
    }
}

/// Whether light comes from the same direction.
pub(super) fn is_same_light(a: Option<Vec3>, b: Option<Vec3>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.distance(b) < SAME_LIGHT,
        (a, b) => a == b,
    }
}

/// The one after `present`, around the end.
pub(super) fn next<T: Copy + PartialEq>(all: &[T], present: T) -> T {
    let place = all.iter().position(|&known| known == present).map_or(0, |place| (place + 1) % all.len());
    all.get(place).copied().unwrap_or(present)
}
