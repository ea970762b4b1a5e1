//! The camera: it orbits a point and sees the whole figure to begin with.

use glam::{DVec3, Mat4, Vec2, Vec3};

/// Vertical angle of view.
const FIELD_OF_VIEW: f32 = 30.0 / 180.0 * std::f32::consts::PI;

/// Share of the picture that the figure fills at zoom 1.
const FILL: f32 = 0.92;

/// A box around everything that will be seen, model space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Bounds {
    /// Around points; `None` without any, or if one is not finite.
    pub fn around(points: impl IntoIterator<Item = DVec3>) -> Option<Self> {
        let mut bounds: Option<(DVec3, DVec3)> = None;
        for point in points {
            if !point.is_finite() {
                return None;
            }
            let (min, max) = bounds.unwrap_or((point, point));
            bounds = Some((min.min(point), max.max(point)));
        }
        bounds.map(|(min, max)| Self { min: min.as_vec3(), max: max.as_vec3() })
    }

    /// Around both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// The same box, moved.
    pub fn translated(self, by: Vec3) -> Self {
        Self { min: self.min + by, max: self.max + by }
    }

    /// The middle.
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Length of the diagonal.
    pub fn extent(&self) -> f32 {
        self.max.distance(self.min)
    }
}

/// A view onto a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Radians about +Z: 0 looks at the figure from +X, a quarter turn from +Y.
    pub yaw: f32,
    /// Radians above the horizon.
    pub pitch: f32,
    /// How large the figure appears: 1 fills the picture, 2 is twice as large.
    pub zoom: f32,
    /// Shift of the looked-at point, world units.
    pub pan: Vec3,
    /// What zoom 1 shows.
    pub framed: Bounds,
}

impl Camera {
    /// Where a picture is taken from unless something else is asked for: from the front, a little to its left and above.
    pub const YAW: f32 = 30.0 / 180.0 * std::f32::consts::PI;
    /// See [`Camera::YAW`].
    pub const PITCH: f32 = 12.0 / 180.0 * std::f32::consts::PI;

    /// The standard view of a box.
    pub fn framing(framed: Bounds) -> Self {
        Self { yaw: Self::YAW, pitch: Self::PITCH, zoom: 1.0, pan: Vec3::ZERO, framed }
    }

    /// From the looked-at point towards the camera, unit length.
    fn backwards(&self) -> Vec3 {
        let (sin_yaw, cos_yaw) = self.yaw.sin_cos();
        let (sin_pitch, cos_pitch) = self.pitch.sin_cos();
        Vec3::new(cos_pitch * cos_yaw, cos_pitch * sin_yaw, sin_pitch)
    }

    /// To the right and up in the picture, world space, unit length.
    fn right_up(&self) -> (Vec3, Vec3) {
        let right = Vec3::new(-self.yaw.sin(), self.yaw.cos(), 0.0);
        (right, self.backwards().cross(right))
    }

    fn looked_at(&self) -> Vec3 {
        self.framed.centre() + self.pan
    }

    /// Distance to the looked-at point for a picture `aspect` times as wide as high.
    ///
    /// The box is turned about its vertical axis in thought, so that orbiting does not change the size.
    fn distance(&self, aspect: f32) -> f32 {
        let half = 0.5 * (self.framed.max - self.framed.min);
        let radius = Vec2::new(half.x, half.y).length();
        // The pitch of the standard view, so that looking from above does not change the size either.
        let high = half.z * Self::PITCH.cos() + radius * Self::PITCH.sin();
        let tangent = (0.5 * FIELD_OF_VIEW).tan() * FILL;
        let farthest = (high / tangent).max(radius / (tangent * aspect));
        // A single point, or nothing, is looked at from nearby.
        let fitting = (farthest + 0.5 * radius).max(1e-4);
        fitting / self.zoom.clamp(1e-3, 1e3)
    }

    /// Position in world space.
    pub fn eye(&self, aspect: f32) -> Vec3 {
        self.looked_at() + self.backwards() * self.distance(aspect)
    }

    /// Towards the key light: over the camera's left shoulder, so that no view is dark.
    pub fn key_direction(&self) -> Vec3 {
        let (right, up) = self.right_up();
        (0.75 * self.backwards() - 0.55 * right + 0.65 * up).normalize()
    }

    /// OpenGL's clip space from world space.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        let distance = self.distance(aspect);
        let around = 2.0 * self.framed.extent() + self.pan.length();
        let near = (distance - around).max(0.02 * distance);
        let far = distance + 4.0 * around + distance;
        let eye = self.eye(aspect);
        let (_, up) = self.right_up();
        Mat4::perspective_rh_gl(FIELD_OF_VIEW, aspect, near, far) * Mat4::look_at_rh(eye, self.looked_at(), up)
    }

    /// Turns by a drag of the mouse, in shares of the picture's height: once across is half a turn.
    pub fn rotate(&mut self, right: f32, down: f32) {
        self.yaw = (self.yaw - right * std::f32::consts::PI) % std::f32::consts::TAU;
        let steepest = 89.0_f32.to_radians();
        self.pitch = (self.pitch + down * std::f32::consts::PI).clamp(-steepest, steepest);
    }

    /// Moves the figure with the mouse, in shares of the picture's height.
    pub fn drag(&mut self, right: f32, down: f32, aspect: f32) {
        let height = 2.0 * self.distance(aspect) * (0.5 * FIELD_OF_VIEW).tan();
        let (to_right, up) = self.right_up();
        self.pan += (up * down - to_right * right) * height;
    }

    /// Enlarges by a factor.
    pub fn magnify(&mut self, factor: f32) {
        self.zoom = (self.zoom * factor).clamp(0.05, 100.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds() -> Bounds {
        Bounds { min: Vec3::new(-10.0, -20.0, 0.0), max: Vec3::new(10.0, 20.0, 72.0) }
    }

    /// Every corner lies inside the picture, and the picture is not mostly empty, from all sides and in all shapes.
    #[test]
    fn the_framed_box_fills_the_picture() {
        for aspect in [0.5, 1.0, 16.0 / 9.0, 4.0] {
            for turn in 0..12 {
                let mut camera = Camera::framing(bounds());
                camera.yaw = turn as f32 / 12.0 * std::f32::consts::TAU;
                let clip = camera.clip_from_world(aspect);
                let mut most: f32 = 0.0;
                for corner in 0..8 {
                    let pick = |bit: usize, min: f32, max: f32| if corner >> bit & 1 == 0 { min } else { max };
                    let (min, max) = (bounds().min, bounds().max);
                    let corner = Vec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z));
                    let seen = clip.project_point3(corner);
                    assert!(seen.z > -1.0 && seen.z < 1.0, "corner {corner} is clipped away");
                    most = most.max(seen.x.abs()).max(seen.y.abs());
                }
                assert!(most < 1.0, "aspect {aspect}, turn {turn}: a corner at {most}");
                assert!(most > 0.6, "aspect {aspect}, turn {turn}: the box reaches only {most}");
            }
        }
    }

    #[test]
    fn dragging_moves_the_looked_at_point_with_the_mouse() {
        let mut camera = Camera::framing(bounds());
        let centre = camera.clip_from_world(1.0).project_point3(bounds().centre());
        assert!(centre.truncate().length() < 1e-5);
        camera.drag(0.25, 0.125, 1.0);
        let moved = camera.clip_from_world(1.0).project_point3(bounds().centre());
        assert!((moved.truncate() - Vec2::new(0.5, -0.25)).length() < 1e-4, "{moved}");
    }

    #[test]
    fn the_camera_stands_where_yaw_and_pitch_say() {
        let mut camera = Camera::framing(bounds());
        (camera.yaw, camera.pitch) = (std::f32::consts::FRAC_PI_2, 0.0);
        let from = (camera.eye(1.0) - bounds().centre()).normalize();
        assert!(from.distance(Vec3::Y) < 1e-6, "{from}");
    }
}
