//! From the world to a picture's pixels and back.

use crate::render::Camera;
use glam::{Mat4, Vec2, Vec3};

/// How a picture shows the world: camera and size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    clip_from_world: Mat4,
    /// Width and height, pixels.
    pub size: Vec2,
}

impl Viewport {
    /// A camera's picture of so many pixels.
    pub fn new(camera: &Camera, size: Vec2) -> Self {
        Self { clip_from_world: camera.clip_from_world(size.x / size.y.max(1.0)), size }
    }

    /// Where a place in world space is seen: pixels from the picture's top left corner; `None` behind the camera.
    pub fn project(&self, place: Vec3) -> Option<Vec2> {
        let clip = self.clip_from_world * place.extend(1.0);
        let is_before = clip.is_finite() && clip.w > 1e-6;
        is_before.then(|| (Vec2::new(clip.x, -clip.y) / clip.w * 0.5 + 0.5) * self.size)
    }

    /// What is seen at a pixel: a place near the camera, and the direction away from it, unit length.
    pub fn ray(&self, pixel: Vec2) -> (Vec3, Vec3) {
        let [near, far] = [-1.0, 1.0].map(|depth| self.unproject(pixel, depth));
        (near, (far - near).normalize_or_zero())
    }

    /// The place at a pixel and a depth of clip space, -1 to 1.
    fn unproject(&self, pixel: Vec2, depth: f32) -> Vec3 {
        let seen = (pixel / self.size - 0.5) * 2.0;
        self.clip_from_world.inverse().project_point3(Vec3::new(seen.x, -seen.y, depth))
    }

    /// How long something at `place` is that is seen so many pixels long; `None` behind the camera.
    pub fn length_at(&self, place: Vec3, pixels: f32) -> Option<f32> {
        let seen = self.project(place)?;
        let depth = self.clip_from_world.project_point3(place).z;
        Some(self.unproject(seen + Vec2::new(pixels, 0.0), depth).distance(self.unproject(seen, depth)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::render::Bounds;

    /// From +X, 400 pixels each way, on a box of 2 x 2 x 4.
    pub(in crate::player) fn view() -> Viewport {
        let bounds = Bounds { min: Vec3::new(-1.0, -1.0, 0.0), max: Vec3::new(1.0, 1.0, 4.0) };
        let mut camera = Camera::framing(bounds);
        // From +X, so that +Y is on the right.
        (camera.yaw, camera.pitch) = (0.0, 0.0);
        Viewport::new(&camera, Vec2::new(400.0, 400.0))
    }

    #[test]
    fn what_is_projected_lies_on_the_ray_back() {
        let view = view();
        let centre = view.project(Vec3::new(0.0, 0.0, 2.0)).unwrap();
        assert!(centre.distance(Vec2::splat(200.0)) < 1e-2, "{centre}");
        let place = Vec3::new(0.3, 0.8, 3.0);
        let seen = view.project(place).unwrap();
        assert!(seen.x > 200.0 && seen.y < 200.0, "to the right and above: {seen}");
        let (origin, direction) = view.ray(seen);
        let beside = (place - origin).cross(direction).length();
        assert!(beside < 1e-3, "{beside}");
        let length = view.length_at(place, 10.0).unwrap();
        let moved = view.project(place + Vec3::new(0.0, length, 0.0)).unwrap();
        assert!((moved.x - seen.x - 10.0).abs() < 0.05, "{moved} {seen}");
    }
}
