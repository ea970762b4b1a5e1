//! Where a scene is looked at from: angles, axes, what is in the middle, where the light comes from.

use crate::model::{Clip, JointId, Model};
use crate::pose::ModelPose;
use crate::render::{
    Bounds, Camera, Followed, Projection, bounds_of_places, clip_bounds_with_roots, places, reach_from,
    world_from_model,
};
use glam::{Quat, Vec3};

/// Where a view looks from, around what it frames.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewAngles {
    /// Radians to the figure's left.
    pub yaw: f32,
    /// Radians up.
    pub pitch: f32,
    /// Size of the figure; 1 fills the picture.
    pub zoom: f32,
}

impl Default for ViewAngles {
    fn default() -> Self {
        Self { yaw: Camera::YAW, pitch: Camera::PITCH, zoom: 1.0 }
    }
}

/// How a scene is looked at, whatever clip is shown.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct View {
    /// From where.
    pub angles: ViewAngles,
    /// How depth is shown.
    pub projection: Projection,
    /// The rotation from model space to the world, in which figures face +X and +Z is up.
    pub world_from_model: Quat,
    /// The joint that stays in the middle.
    pub target: Option<JointId>,
    /// Towards the key light, world space, unit length; else it comes over the camera's left shoulder.
    pub light: Option<Vec3>,
}

/// The axes that were asked for are one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the front and the top of a model cannot lie on one axis")]
pub struct OneAxis;

impl View {
    /// Sets what is the front and what is up, axes of model space; the model's own where nothing is asked for.
    ///
    /// A model that is set upright keeps the side that it shows, or tips it over with itself.
    ///
    /// # Errors
    ///
    /// [`OneAxis`].
    pub fn orient(&mut self, model: &Model, front: Option<Vec3>, up: Option<Vec3>) -> Result<(), OneAxis> {
        let up = up.unwrap_or(Vec3::Z);
        let own = model.front.direction().as_vec3();
        let front = front.unwrap_or(if own.dot(up) == 0.0 { own } else { Quat::from_rotation_arc(Vec3::Z, up) * own });
        if front.dot(up).abs() > 0.5 {
            return Err(OneAxis);
        }
        self.world_from_model = world_from_model(front, up);
        Ok(())
    }

    /// The camera, and where copies stand in the world, for a clip of a model.
    pub fn framing(&self, model: &Model, clip: Option<&Clip>, copies: usize) -> (Camera, Vec<Vec3>) {
        self.framing_with_roots(model, clip, None, copies)
    }

    /// The same of a clip whose roots stay where a moment of it has them, seconds, if one is given.
    pub fn framing_with_roots(
        &self,
        model: &Model,
        clip: Option<&Clip>,
        roots_at: Option<f64>,
        copies: usize,
    ) -> (Camera, Vec<Vec3>) {
        let figure: Bounds = clip_bounds_with_roots(model, clip, roots_at).turned(self.world_from_model);
        let places = places(copies, &figure);
        let mut camera = Camera::framing(bounds_of_places(&places, &figure));
        camera.look_from(self.angles.yaw, self.angles.pitch);
        camera.zoom = self.angles.zoom;
        camera.world_from_model = self.world_from_model;
        camera.projection = self.projection;
        camera.light = self.light;
        camera.followed = self.target.map(|joint| {
            let reach = reach_from(model, clip, joint);
            let reach = Bounds { min: -reach, max: reach }.turned(self.world_from_model).max;
            Followed { at: Vec3::ZERO, reach }
        });
        (camera, places)
    }

    /// Brings a camera to the joint that stays in the middle.
    pub fn follow(&self, camera: &mut Camera, pose: &ModelPose) {
        let joint = self.target.and_then(|joint| pose.0.get(joint.index()));
        if let (Some(joint), Some(followed)) = (joint, &mut camera.followed) {
            followed.at = self.world_from_model * joint.translation.as_vec3();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Front;

    #[test]
    fn front_and_up_lead_to_the_worlds_axes() {
        let model = Model { front: Front::NegativeY, ..Model::default() };
        // asked for: front, up; where they are then looked for
        let cases = [
            (None, None, Vec3::NEG_Y, Vec3::Z),
            (Some(Vec3::X), None, Vec3::X, Vec3::Z),
            (None, Some(Vec3::NEG_Z), Vec3::NEG_Y, Vec3::NEG_Z),
            // Lying on its back, it looks up: upright again it shows what was its front.
            (None, Some(Vec3::Y), Vec3::Z, Vec3::Y),
            (None, Some(Vec3::X), Vec3::NEG_Y, Vec3::X),
            (Some(Vec3::NEG_Z), Some(Vec3::Y), Vec3::NEG_Z, Vec3::Y),
        ];
        for (front, up, to_x, to_z) in cases {
            let mut view = View::default();
            view.orient(&model, front, up).unwrap();
            let turn = view.world_from_model;
            assert!((turn * to_x).distance(Vec3::X) < 1e-6, "{front:?} {up:?}: {}", turn * to_x);
            assert!((turn * to_z).distance(Vec3::Z) < 1e-6, "{front:?} {up:?}: {}", turn * to_z);
        }
        assert_eq!(View::default().orient(&model, Some(Vec3::Y), Some(Vec3::NEG_Y)), Err(OneAxis));
    }
}
