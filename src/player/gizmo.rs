//! Three rings around a joint that rotate it.

use super::Viewport;
use super::pick::from_segment;
use glam::{DAffine3, Vec2, Vec3};
use std::f32::consts::TAU;

/// Radius of the rings, in points.
const RADIUS: f32 = 80.0;
/// Segments of a ring.
const CORNERS: usize = 64;
/// Largest distance between the pointer and a ring that it grabs, in points.
const REACH: f32 = 8.0;
/// Cosine of the view angle below which a ring counts as edge-on. Such a ring is dragged along its tangent.
const EDGE_ON: f32 = 0.2;

/// Rings about a joint's own axes x, y and z.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gizmo {
    centre: Vec3,
    /// Axes of unit length in world space.
    axes: [Vec3; 3],
    /// Radius in world units.
    radius: f32,
}

impl Gizmo {
    /// Creates the rings around a joint in world space. Returns `None` behind the camera, or if an axis has no length.
    pub fn new(view: &Viewport, joint: &DAffine3) -> Option<Self> {
        let centre = joint.translation.as_vec3();
        let radius = view.length_at(centre, RADIUS)?;
        let axes = [joint.matrix3.x_axis, joint.matrix3.y_axis, joint.matrix3.z_axis];
        let [x, y, z] = axes.map(|axis| axis.as_vec3().try_normalize());
        Some(Self { centre, axes: [x?, y?, z?], radius })
    }

    /// Returns the points of one ring in world space. The first one is repeated at the end.
    pub fn ring(&self, axis: usize) -> impl Iterator<Item = Vec3> + use<> {
        let (from, to) = self.plane(axis);
        let (centre, radius) = (self.centre, self.radius);
        (0..=CORNERS).map(move |corner| {
            let angle = corner as f32 / CORNERS as f32 * TAU;
            centre + radius * (from * angle.cos() + to * angle.sin())
        })
    }

    /// Returns the axis of the ring under the pointer.
    pub fn ring_at(&self, view: &Viewport, pixel: Vec2) -> Option<usize> {
        let distance = |axis| {
            let seen: Vec<Vec2> = self.ring(axis).filter_map(|point| view.project(point)).collect();
            seen.windows(2).map(|ends| from_segment(pixel, ends[0], ends[1])).fold(f32::INFINITY, f32::min)
        };
        (0..3)
            .map(|axis| (axis, distance(axis)))
            .filter(|&(_, d)| d <= REACH)
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|r| r.0)
    }

    /// Returns the angle in radians by which a drag from one pixel to another rotates the joint about one of its axes.
    pub fn turned(&self, view: &Viewport, axis: usize, from: Vec2, to: Vec2) -> f64 {
        let normal = self.axes[axis];
        let (_, direction) = view.ray(to);
        let angle = match direction.dot(normal).abs() > EDGE_ON {
            true => self.angle_at(view, axis, to).zip(self.angle_at(view, axis, from)).map(|(to, from)| to - from),
            false => self.along_tangent(view, axis, from, to),
        };
        let angle = angle.filter(|angle| angle.is_finite()).unwrap_or(0.0);
        // The shorter direction.
        f64::from((angle + 1.5 * TAU).rem_euclid(TAU) - 0.5 * TAU)
    }

    /// Returns two perpendicular directions in a ring's plane.
    fn plane(&self, axis: usize) -> (Vec3, Vec3) {
        let normal = self.axes[axis];
        let from = normal.any_orthonormal_vector();
        (from, normal.cross(from))
    }

    /// Returns the angle of a pixel on a ring's plane.
    fn angle_at(&self, view: &Viewport, axis: usize, pixel: Vec2) -> Option<f32> {
        let (origin, direction) = view.ray(pixel);
        let normal = self.axes[axis];
        let along = (self.centre - origin).dot(normal) / direction.dot(normal);
        let (from, to) = self.plane(axis);
        let point = origin + direction * along - self.centre;
        point.is_finite().then(|| point.dot(to).atan2(point.dot(from)))
    }

    /// Returns the angle for a ring seen edge-on: its near side follows the pointer.
    fn along_tangent(&self, view: &Viewport, axis: usize, from: Vec2, to: Vec2) -> Option<f32> {
        let centre = view.project(self.centre)?;
        let (_, direction) = view.ray(centre);
        // The point of the ring nearest to the camera, and the direction in which a small rotation moves it.
        let near = -(direction - self.axes[axis] * direction.dot(self.axes[axis])).try_normalize()?;
        let point = self.centre + near * self.radius;
        let step = 0.01;
        let moved = point + self.axes[axis].cross(near) * self.radius * step;
        let tangent = (view.project(moved)? - view.project(point)?) / step;
        Some((to - from).dot(tangent) / tangent.length_squared())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_render::{Bounds, Camera};
    use glam::DVec3;

    /// Creates a joint in the centre of the view, seen from +X.
    fn gizmo() -> (Viewport, Gizmo) {
        let mut camera = Camera::framing(Bounds { min: Vec3::splat(-2.0), max: Vec3::splat(2.0) });
        (camera.yaw, camera.pitch) = (0.0, 0.0);
        let view = Viewport::new(&camera, Vec2::splat(600.0));
        (view, Gizmo::new(&view, &DAffine3::from_translation(DVec3::ZERO)).unwrap())
    }

    #[test]
    fn rings_have_the_same_size_on_screen() {
        let (view, gizmo) = gizmo();
        for point in gizmo.ring(0) {
            let distance = view.project(point).unwrap().distance(Vec2::splat(300.0));
            assert!((distance - RADIUS).abs() < 0.5, "{distance}");
        }
    }

    #[test]
    fn the_ring_under_the_pointer_is_found() {
        let (view, gizmo) = gizmo();
        // The ring about x faces the camera; those about y and z are a vertical and a horizontal line.
        let diagonal = Vec2::splat(RADIUS / std::f32::consts::SQRT_2);
        assert_eq!(gizmo.ring_at(&view, Vec2::splat(300.0) + diagonal), Some(0));
        assert_eq!(gizmo.ring_at(&view, Vec2::new(300.0, 340.0)), Some(1));
        assert_eq!(gizmo.ring_at(&view, Vec2::new(340.0, 300.0)), Some(2));
        assert_eq!(gizmo.ring_at(&view, Vec2::new(330.0, 330.0)), None);
    }

    #[test]
    fn a_drag_rotates_in_its_direction() {
        let (view, gizmo) = gizmo();
        let at = |x: f32, y: f32| Vec2::new(300.0 + x, 300.0 - y);
        // Seen from +X, +Y is on the right and +Z at the top, so a quarter from right to top is a quarter about +X.
        let quarter = gizmo.turned(&view, 0, at(80.0, 0.0), at(0.0, 80.0));
        assert!((quarter - std::f64::consts::FRAC_PI_2).abs() < 1e-3, "{quarter}");
        let back = gizmo.turned(&view, 0, at(-60.0, -1.0), at(-60.0, 1.0));
        assert!(back < 0.0 && back > -0.1, "the shorter way over the seam: {back}");
        // About +Z the near side goes right, about +Y it goes down.
        let about_z = gizmo.turned(&view, 2, at(0.0, 0.0), at(20.0, 0.0));
        let about_y = gizmo.turned(&view, 1, at(0.0, 0.0), at(0.0, -20.0));
        for angle in [about_z, about_y] {
            assert!(angle > 0.15 && angle < 0.3, "about z {about_z}, about y {about_y}");
        }
    }
}
