//! Projection from world space to a view's pixels and back.

use bindpose_render::Camera;
use glam::{Mat4, Vec2, Vec3};

/// A camera's view with a size in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewport {
    clip_from_world: Mat4,
    /// Width and height, in pixels.
    pub size: Vec2,
}

impl Viewport {
    /// Creates a camera's view of `size` pixels.
    pub fn new(camera: &Camera, size: Vec2) -> Self {
        Self { clip_from_world: camera.clip_from_world(size.x / size.y.max(1.0)), size }
    }

    /// Projects a point in world space to pixels from the view's top left corner. Returns `None` behind the camera.
    pub fn project(&self, point: Vec3) -> Option<Vec2> {
        let clip = self.clip_from_world * point.extend(1.0);
        let is_before = clip.is_finite() && clip.w > 1e-6;
        is_before.then(|| (Vec2::new(clip.x, -clip.y) / clip.w * 0.5 + 0.5) * self.size)
    }

    /// Returns the ray through a pixel: a point near the camera, and the direction away from it, unit length.
    pub fn ray(&self, pixel: Vec2) -> (Vec3, Vec3) {
        let [near, far] = [-1.0, 1.0].map(|depth| self.unproject(pixel, depth));
        (near, (far - near).normalize_or_zero())
    }

    /// Returns the point at a pixel and a clip-space depth from -1 to 1.
    fn unproject(&self, pixel: Vec2, depth: f32) -> Vec3 {
        let seen = (pixel / self.size - 0.5) * 2.0;
        self.clip_from_world.inverse().project_point3(Vec3::new(seen.x, -seen.y, depth))
    }

    /// Returns the length in world units that covers some pixels at a point; `None` behind the camera.
    pub fn length_at(&self, point: Vec3, pixels: f32) -> Option<f32> {
        let seen = self.project(point)?;
        let depth = self.clip_from_world.project_point3(point).z;
        Some(self.unproject(seen + Vec2::new(pixels, 0.0), depth).distance(self.unproject(seen, depth)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use bindpose_render::Bounds;

    /// Creates a view from +X with 400 by 400 pixels, on a box of 2 x 2 x 4.
    pub(crate) fn view() -> Viewport {
        let bounds = Bounds { min: Vec3::new(-1.0, -1.0, 0.0), max: Vec3::new(1.0, 1.0, 4.0) };
        let mut camera = Camera::framing(bounds);
        // The view is from +X, so +Y is on the right.
        (camera.yaw, camera.pitch) = (0.0, 0.0);
        Viewport::new(&camera, Vec2::new(400.0, 400.0))
    }

    #[test]
    fn a_projected_point_is_on_its_ray() {
        let view = view();
        let centre = view.project(Vec3::new(0.0, 0.0, 2.0)).unwrap();
        assert!(centre.distance(Vec2::splat(200.0)) < 1e-2, "{centre}");
        let point = Vec3::new(0.3, 0.8, 3.0);
        let seen = view.project(point).unwrap();
        assert!(seen.x > 200.0 && seen.y < 200.0, "to the right and above: {seen}");
        let (origin, direction) = view.ray(seen);
        let beside = (point - origin).cross(direction).length();
        assert!(beside < 1e-3, "{beside}");
        let length = view.length_at(point, 10.0).unwrap();
        let moved = view.project(point + Vec3::new(0.0, length, 0.0)).unwrap();
        assert!((moved.x - seen.x - 10.0).abs() < 0.05, "{moved} {seen}");
    }
}
