//! Colours of vertices that say something other than their materials, and how far apart two sides are.

use super::{Colouring, Player, Side, VertexRef, paint};
use crate::model::{JointId, Model};
use crate::pose::{LocalPose, ModelPose};
use crate::skin::{self, MethodId, Skinned, TimedPose};
use glam::Vec3;

/// Whose vertices: those of the other file, of a method, and of a clip for methods that depend on it.
pub(super) type Painted = (bool, MethodId, Option<usize>);

/// What vertices' colours were made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PaintKey {
    colouring: Colouring,
    joint: Option<JointId>,
}

impl Player {
    /// Colours for a side's vertices where they have to change: `Some(None)` gives them their own again.
    pub(super) fn colours(
        &mut self,
        side: Side,
        (method, shown): (MethodId, Option<usize>),
        model: &Model,
        poses: &[(LocalPose, ModelPose)],
        moments: &[(Option<usize>, f64)],
    ) -> Option<Option<paint::Colours>> {
        let (colouring, joint) = (self.state.colouring, self.joint_on(side));
        let key = PaintKey { colouring, joint: joint.filter(|_| colouring == Colouring::Support) };
        let plain = PaintKey { colouring: Colouring::Material, joint: None };
        // Both sides may be drawn by one method's buffers.
        let is_other = self.state.shows_other(side);
        let buffers = (is_other, method, shown.filter(|_| method.method().needs.clip));
        let place = self.painted.iter().position(|(known, _)| *known == buffers);
        let known = place.map_or(plain, |place| self.painted[place].1);
        let is_difference = colouring == Colouring::Difference && self.state.split.is_some();
        let wanted = match colouring {
            Colouring::Difference if !is_difference || side == Side::Left => plain,
            Colouring::Support if joint.is_none() => plain,
            _ => key,
        };
        if wanted == known && !(is_difference && side == Side::Right) {
            return None;
        }
        match place {
            Some(place) => self.painted[place].1 = wanted,
            None => self.painted.push((buffers, wanted)),
        }
        Some(match wanted.colouring {
            Colouring::Material | Colouring::Batches => None,
            Colouring::Support => joint.map(|joint| paint::support(model, joint)),
            Colouring::Dropped => Some(paint::dropped(model, method.method())),
            Colouring::Difference => {
                let time = moments.first().map_or(0.0, |&(_, time)| time);
                let right = poses.first().and_then(|(_, posed)| self.skinned(side, posed, time));
                let left = self.poses.first().cloned().and_then(|(_, posed)| self.skinned(Side::Left, &posed, time));
                let apart = left.zip(right).and_then(|(left, right)| paint::apart(&left, &right));
                apart.map(|apart| paint::distances(&apart, paint::largest(&apart)))
            }
        })
    }

    /// The vertices that a side's method makes of a pose, model space; `None` where there are none to speak of.
    fn skinned(&mut self, side: Side, posed: &ModelPose, time: f64) -> Option<Vec<Vec<Vec3>>> {
        let (method, clip) = self.shown_on(side);
        let gpu_model = self.gpu_model_on(side);
        // The right half has no pose before it was drawn.
        if posed.0.len() != gpu_model.model().skeleton.len() {
            return None;
        }
        let prepared = gpu_model.references(method, clip).ok()?;
        let mut out = Skinned::default();
        let of_mesh = |prepared: &skin::Prepared| {
            out.clear();
            skin::reference(prepared, TimedPose { pose: posed, time }, &mut out);
            out.positions.iter().map(|position| position.as_vec3()).collect()
        };
        Some(prepared.iter().map(of_mesh).collect())
    }

    /// How far the halves of a split view are apart as drawn last: the largest distance, its vertex, and the joint that
    /// moves it most. Without a split, how far the method is from blending everything that the file says.
    pub fn worst_difference(&mut self) -> Option<(f32, VertexRef, Option<JointId>)> {
        let posed = self.poses.first()?.1.clone();
        let time = self.state.playback.time();
        let left = self.skinned(Side::Left, &posed, time)?;
        let right = match self.state.split {
            Some(_) => {
                let posed = self.right_pose.1.clone();
                self.skinned(Side::Right, &posed, time)?
            }
            None => paint::linear_positions(self.model(), &posed),
        };
        paint::worst(self.model(), &paint::apart(&left, &right)?)
    }
}
