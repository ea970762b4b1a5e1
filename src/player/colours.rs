//! Vertex colours other than the materials', and the distance between the two sides of a split view.

use super::paint::PaintKey;
use super::{Colouring, Player, Side, VertexRef, paint};
use bindpose_core::model::{JointId, Model};
use bindpose_core::pose::{LocalPose, ModelPose};
use bindpose_core::skin::{self, MethodId, Skinned, TimedPose};
use glam::Vec3;

impl Player {
    /// Returns new colours for a side's vertices. `Some(None)` restores the model's colours, `None` changes nothing.
    pub(super) fn colours(
        &mut self,
        side: Side,
        (method, shown): (MethodId, Option<usize>),
        model: &Model,
        poses: &[(LocalPose, ModelPose)],
        times: &[(Option<usize>, f64)],
    ) -> Option<Option<paint::Colours>> {
        let (colouring, joint) = (self.state.colouring, self.joint_on(side));
        let key = PaintKey { colouring, joint: joint.filter(|_| colouring.is_of_joint()) };
        let plain = PaintKey { colouring: Colouring::Material, joint: None };
        // Both sides may use the buffers of one method.
        let is_other = self.state.shows_other(side);
        let buffers = (is_other, method, shown.filter(|_| method.method().needs.clip));
        let entry = self.painted.iter().position(|(known, _)| *known == buffers);
        let known = entry.map_or(plain, |entry| self.painted[entry].1);
        let is_difference = colouring == Colouring::Difference && self.state.split.is_some();
        let wanted = match colouring {
            Colouring::Difference if !is_difference || side == Side::Left => plain,
            _ if colouring.is_of_joint() && joint.is_none() => plain,
            _ => key,
        };
        if wanted == known && !(is_difference && side == Side::Right) {
            return None;
        }
        match entry {
            Some(entry) => self.painted[entry].1 = wanted,
            None => self.painted.push((buffers, wanted)),
        }
        Some(match wanted.colouring {
            Colouring::Material | Colouring::Batches => None,
            Colouring::Weights => joint.map(|joint| paint::weights(model, joint)),
            Colouring::Support => joint.map(|joint| paint::support(model, joint)),
            Colouring::Dropped => Some(paint::dropped(model, method.method())),
            Colouring::Matrices => Some(paint::matrices(model)),
            Colouring::Difference => {
                let time = times.first().map_or(0.0, |&(_, time)| time);
                let right = poses.first().and_then(|(_, posed)| self.skinned(side, posed, time));
                let left = self.poses.first().cloned().and_then(|(_, posed)| self.skinned(Side::Left, &posed, time));
                let apart = left.zip(right).and_then(|(left, right)| paint::apart(&left, &right));
                self.shown_difference = apart.as_deref().map_or(0.0, paint::largest);
                apart.map(|apart| paint::distances(&apart, self.shown_difference))
            }
        })
    }

    /// Computes the vertices of a pose in model space with a side's method. Returns `None` before the side was drawn,
    /// or if the method fails.
    pub(super) fn skinned(&mut self, side: Side, posed: &ModelPose, time: f64) -> Option<Vec<Vec<Vec3>>> {
        let (method, clip) = self.shown_on(side);
        let (gpu_model, _) = self.models_on(side);
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

    /// Returns the largest distance between the halves of a split view as last drawn, in model units, with its vertex
    /// and the joint that moves it most. Without a split view, returns the distance from linear blending without
    /// limits.
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
