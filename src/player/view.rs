//! Initial view of a scene: angles, axes, target, light.

use bindpose_core::model::{Clip, JointId, Model, OneAxis};
use bindpose_core::pose::ModelPose;
use bindpose_render::{
    AttachedBounds, Bounds, Camera, Followed, Light, Projection, bounds_of_places, clip_bounds_with_roots,
    ground_height, places, reach_from, world_from_model,
};
use glam::{Quat, Vec3};

/// Direction from which a view looks at the scene.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ViewAngles {
    /// Angle to the model's left, in radians.
    pub yaw: f32,
    /// Angle up, in radians.
    pub pitch: f32,
    /// Size of the model on the screen; 1 fills the view.
    pub zoom: f32,
}

impl Default for ViewAngles {
    fn default() -> Self {
        Self { yaw: Camera::YAW, pitch: Camera::PITCH, zoom: 1.0 }
    }
}

/// Initial view, for any clip.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct View {
    /// Direction from which the view looks.
    pub angles: ViewAngles,
    /// Perspective or orthographic.
    pub projection: Projection,
    /// Rotation from model space to world space, in which models face +X and +Z is up.
    pub world_from_model: Quat,
    /// Joint that is kept in the centre.
    pub target: Option<JointId>,
    /// Lights.
    pub light: Light,
}

impl View {
    /// Sets front and up axis, as directions in model space. One that is not given follows from the other
    /// ([`Front::with_up`](bindpose_core::model::Front::with_up)).
    ///
    /// # Errors
    ///
    /// [`OneAxis`] if the two are parallel.
    pub fn orient(&mut self, model: &Model, front: Option<Vec3>, up: Option<Vec3>) -> Result<(), OneAxis> {
        let (front, up) = model.front.with_up(front, up)?;
        self.world_from_model = world_from_model(front, up);
        Ok(())
    }

    /// Returns the camera, and the positions of the copies in world space, for a clip of a model.
    pub fn framing(&self, model: &Model, clip: Option<&Clip>, copies: usize) -> (Camera, Vec<Vec3>) {
        self.framing_with(model, clip, None, &[], copies)
    }

    /// Works like [`View::framing`], with attached models. If a time in seconds is given, the clip's roots stay where
    /// they are at this time.
    pub(super) fn framing_with(
        &self,
        model: &Model,
        clip: Option<&Clip>,
        roots_at: Option<f64>,
        attached: &[AttachedBounds],
        copies: usize,
    ) -> (Camera, Vec<Vec3>) {
        let bounds: Bounds = clip_bounds_with_roots(model, clip, roots_at, attached).turned(self.world_from_model);
        let positions = places(copies, &bounds);
        let mut camera = Camera::framing(bounds_of_places(&positions, &bounds));
        camera.look_from(self.angles.yaw, self.angles.pitch);
        camera.zoom = self.angles.zoom;
        if !attached.is_empty() {
            let own = clip_bounds_with_roots(model, clip, roots_at, &[]).turned(self.world_from_model);
            camera.ground = Some(ground_height(own.min, own.max));
        }
        camera.world_from_model = self.world_from_model;
        camera.projection = self.projection;
        camera.light = self.light;
        camera.followed = self.target.map(|joint| {
            let reach = reach_from(model, clip, joint, attached);
            let reach = Bounds { min: -reach, max: reach }.turned(self.world_from_model).max;
            Followed { at: Vec3::ZERO, reach }
        });
        (camera, positions)
    }

    /// Moves a camera to the joint that is kept in the centre.
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
    use bindpose_core::model::Front;

    /// The box of an attached model reaches 50 below its joint, which is at the model's feet.
    #[test]
    fn the_ground_stays_below_the_model_itself() {
        let cylinder = bindpose_core::cylinder::Cylinder::new(bindpose_core::cylinder::Shape::USUAL);
        let model = Model { skeleton: cylinder.skeleton, meshes: vec![cylinder.mesh], ..Model::default() };
        let bounds = Bounds { min: Vec3::splat(-50.0), max: Vec3::ZERO };
        let joint = model.skeleton.ids().next().unwrap();
        let attached = AttachedBounds { joint, joint_from_attached: Default::default(), bounds };
        let view = View::default();
        let (with, _) = view.framing_with(&model, None, None, &[attached], 1);
        let (alone, _) = view.framing(&model, None, 1);
        assert!(with.framed.min.z < alone.framed.min.z - 20.0, "{:?}", with.framed);
        assert_eq!(with.ground, Some(ground_height(alone.framed.min, alone.framed.max)));
        assert_eq!(alone.ground, None);
    }

    #[test]
    fn front_and_up_become_the_worlds_axes() {
        let model = Model { front: Front::NegativeY, ..Model::default() };
        // Inputs: front, up. Expected: model directions that become the world's +X and +Z.
        let cases = [
            (None, None, Vec3::NEG_Y, Vec3::Z),
            (Some(Vec3::X), None, Vec3::X, Vec3::Z),
            (None, Some(Vec3::NEG_Z), Vec3::NEG_Y, Vec3::NEG_Z),
            // A model on its back faces up; turned upright, it faces the front again.
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
