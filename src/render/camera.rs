//! Camera that orbits a point and initially shows the whole model.

use bindpose_core::model::Front;
use glam::{DVec3, Mat3, Mat4, Quat, Vec3};

/// Vertical angle of view, in radians.
const FIELD_OF_VIEW: f32 = 30.0 / 180.0 * std::f32::consts::PI;

/// Share of the frame that the model fills at zoom 1.
const FILL: f32 = 0.92;

/// Axis-aligned box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Bounds {
    /// Returns the box around points; `None` without points, or if one is not finite.
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

    /// Returns the box around both boxes.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// Moves the box.
    pub fn translated(self, by: Vec3) -> Self {
        Self { min: self.min + by, max: self.max + by }
    }

    /// Returns the box around this box after a turn about the origin. The size does not change if axes map to axes.
    pub fn turned(self, turn: Quat) -> Self {
        let centre = turn * self.centre();
        let [x, y, z] = Mat3::from_quat(turn).to_cols_array_2d().map(|column| Vec3::from(column).abs());
        let half = 0.5 * (self.max - self.min);
        let half = x * half.x + y * half.y + z * half.z;
        Self { min: centre - half, max: centre + half }
    }

    /// Returns the centre.
    pub fn centre(&self) -> Vec3 {
        0.5 * (self.min + self.max)
    }

    /// Returns the length of the diagonal.
    pub fn extent(&self) -> f32 {
        self.max.distance(self.min)
    }
}

/// Returns the rotation from model space to world space, in which models face +X and +Z is up.
///
/// `front` and `up` are two different axes of model space.
pub fn world_from_model(front: Vec3, up: Vec3) -> Quat {
    Quat::from_mat3(&Mat3::from_cols(front, up.cross(front), up).transpose())
}

/// Projection of depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Projection {
    /// Farther objects are smaller.
    #[default]
    Perspective,
    /// Size does not depend on distance.
    Orthographic,
}

/// Joint that is kept in the middle of the frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Followed {
    /// Position in world space.
    pub at: Vec3,
    /// Extent of the model from this joint along each axis, in world units.
    pub reach: Vec3,
}

/// View along a camera path, which replaces orbiting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shot {
    /// Position in world space.
    pub eye: Vec3,
    /// Rotation from camera space, which looks along +X with +Z up, to world space.
    pub world_from_camera: Quat,
    /// Vertical angle of view, in radians.
    pub vertical_angle: f32,
}

/// Lights.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Light {
    /// One over the camera's left shoulder, so that no view is dark.
    #[default]
    Shoulder,
    /// One in this direction, a unit vector in world space.
    Towards(Vec3),
    /// Three that turn with the camera: over its left shoulder, a weaker one at its right, and one behind the model.
    ThreePoint,
}

impl Light {
    /// True if both light alike; directions may differ by rounding.
    pub fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Towards(a), Self::Towards(b)) => a.distance(b) < 1e-3,
            (a, b) => a == b,
        }
    }
}

/// View of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Camera {
    /// Angle about +Z in radians: 0 looks at the model's front, which is at +X, and a quarter turn at its left side.
    pub yaw: f32,
    /// Angle above the horizon in radians.
    pub pitch: f32,
    /// Size of the model. At 1 it fills the frame, at 2 it is twice as large.
    pub zoom: f32,
    /// Shift of the centre of view, in world units.
    pub pan: Vec3,
    /// Box shown at zoom 1, in world space.
    pub framed: Bounds,
    /// Height of the ground in world space, if it is not that of the box.
    pub ground: Option<f32>,
    /// Pitch at which zoom 1 shows the whole box. Dragging does not change it, so the size stays the same.
    pub fitted_pitch: f32,
    /// Rotation from model space to the world; see [`world_from_model`].
    pub world_from_model: Quat,
    /// Projection of depth.
    pub projection: Projection,
    /// Joint to centre, which replaces the middle of the box.
    pub followed: Option<Followed>,
    /// Lights.
    pub light: Light,
    /// View that replaces all other fields.
    pub shot: Option<Shot>,
}

impl Camera {
    /// Default yaw: from the front, slightly to the left.
    pub const YAW: f32 = 30.0 / 180.0 * std::f32::consts::PI;
    /// Default pitch: slightly from above.
    pub const PITCH: f32 = 12.0 / 180.0 * std::f32::consts::PI;

    /// Returns the default view of a box in world space, for a model that faces +X.
    pub fn framing(framed: Bounds) -> Self {
        Self {
            yaw: Self::YAW,
            pitch: Self::PITCH,
            zoom: 1.0,
            pan: Vec3::ZERO,
            framed,
            ground: None,
            fitted_pitch: Self::PITCH,
            world_from_model: Quat::IDENTITY,
            projection: Projection::default(),
            followed: None,
            light: Light::default(),
            shot: None,
        }
    }

    /// Returns the default view of a box in model space, from the model's front.
    pub fn facing(front: Front, framed: Bounds) -> Self {
        let turn = world_from_model(front.direction().as_vec3(), Vec3::Z);
        Self { world_from_model: turn, ..Self::framing(framed.turned(turn)) }
    }

    /// Sets yaw and pitch so that the whole box is visible.
    pub fn look_from(&mut self, yaw: f32, pitch: f32) {
        (self.yaw, self.pitch, self.fitted_pitch) = (yaw, pitch, pitch);
    }

    /// Returns the unit vectors to the right, up and towards the camera, in world space.
    pub fn axes(&self) -> [Vec3; 3] {
        match self.shot {
            Some(shot) => [Vec3::NEG_Y, Vec3::Z, Vec3::NEG_X].map(|axis| shot.world_from_camera * axis),
            None => orbit_axes(self.yaw, self.pitch),
        }
    }

    fn looked_at(&self) -> Vec3 {
        self.followed.map_or(self.framed.centre(), |followed| followed.at) + self.pan
    }

    /// Returns the distance to the centre of view for a frame `aspect` times as wide as high, and half the frame's
    /// height there.
    ///
    /// The box is fitted as a cylinder about the vertical axis, so that orbiting does not change the size. The nearest
    /// distance at which every point of its rims is in the frame has a closed form. A point `c` is in the frame if
    /// `backwards.c + |right.c| / (t aspect) <= distance` and `backwards.c + |up.c| / t <= distance`, where `t` is the
    /// tangent of half the angle of view.
    fn distance(&self, aspect: f32) -> (f32, f32) {
        let half = self.followed.map_or(0.5 * (self.framed.max - self.framed.min), |followed| followed.reach);
        let (radius, half_height) = (half.truncate().length(), half.z);
        let (sin, cos) = self.fitted_pitch.sin_cos();
        let tangent = (0.5 * FIELD_OF_VIEW).tan();
        // The minimum below is for boxes without an extent.
        let fitting = match self.projection {
            Projection::Perspective => {
                let shown = tangent * FILL;
                let across = radius * (cos * cos + (shown * aspect).powi(-2)).sqrt() + half_height * sin.abs();
                let along = [1.0, -1.0].map(|side| {
                    radius * (cos - side * sin / shown).abs() + half_height * (sin + side * cos / shown).abs()
                });
                across.max(along[0]).max(along[1])
            }
            Projection::Orthographic => {
                let along = half_height * cos.abs() + radius * sin.abs();
                (radius / aspect).max(along) / (tangent * FILL)
            }
        };
        let distance = fitting.max(1e-4) / self.zoom.clamp(1e-3, 1e3);
        (distance, distance * tangent)
    }

    /// Returns the position in world space.
    pub fn eye(&self, aspect: f32) -> Vec3 {
        let [_, _, backwards] = self.axes();
        match (self.shot, self.projection) {
            (Some(shot), _) => shot.eye,
            (None, Projection::Perspective) => self.looked_at() + backwards * self.distance(aspect).0,
            // The distance is large enough for parallel directions.
            (None, Projection::Orthographic) => self.looked_at() + backwards * 1e4 * self.framed.extent().max(1e-4),
        }
    }

    /// Returns the unit vector towards the key light in world space.
    pub fn key_direction(&self) -> Vec3 {
        let [right, up, backwards] = self.axes();
        match self.light {
            Light::Towards(direction) => direction,
            Light::Shoulder | Light::ThreePoint => (0.75 * backwards - 0.55 * right + 0.65 * up).normalize(),
        }
    }

    /// Returns the transform from world space to OpenGL's clip space.
    pub fn clip_from_world(&self, aspect: f32) -> Mat4 {
        let [_, up, backwards] = self.axes();
        if let Some(shot) = self.shot {
            let extent = self.framed.extent().max(1e-4);
            let (near, far) = (0.005 * extent, shot.eye.distance(self.framed.centre()) + 6.0 * extent);
            return Mat4::perspective_rh_gl(shot.vertical_angle, aspect, near, far)
                * Mat4::look_to_rh(shot.eye, -backwards, up);
        }
        let (distance, half_height) = self.distance(aspect);
        let around = 2.0 * self.framed.extent() + self.looked_at().distance(self.framed.centre());
        let eye = self.looked_at() + backwards * distance;
        let far = distance + 4.0 * around + distance;
        let clip_from_camera = match self.projection {
            Projection::Perspective => {
                let near = (distance - around).max(0.02 * distance);
                Mat4::perspective_rh_gl(FIELD_OF_VIEW, aspect, near, far)
            }
            Projection::Orthographic => {
                let half_width = half_height * aspect;
                Mat4::orthographic_rh_gl(-half_width, half_width, -half_height, half_height, distance - around, far)
            }
        };
        clip_from_camera * Mat4::look_to_rh(eye, -backwards, up)
    }

    /// Turns the camera by a drag of the mouse, in shares of the frame's height. A whole height is half a turn.
    pub fn rotate(&mut self, right: f32, down: f32) {
        self.yaw = (self.yaw - right * std::f32::consts::PI) % std::f32::consts::TAU;
        let steepest = 89.0_f32.to_radians();
        self.pitch = (self.pitch + down * std::f32::consts::PI).clamp(-steepest, steepest);
    }

    /// Moves the model by a drag of the mouse, in shares of the frame's height.
    pub fn drag(&mut self, right: f32, down: f32, aspect: f32) {
        let height = 2.0 * self.distance(aspect).1;
        let [to_right, up, _] = self.axes();
        self.pan += (up * down - to_right * right) * height;
    }

    /// Multiplies the zoom. The point right and below of the centre, in shares of the frame's height, keeps its
    /// position if it is over the framed box. Elsewhere the middle of the box does, so that it is not lost.
    pub fn magnify_at(&mut self, factor: f32, right: f32, down: f32) {
        // The size in the centre's plane does not depend on the aspect.
        let before = 2.0 * self.distance(1.0).1;
        self.magnify(factor);
        let after = 2.0 * self.distance(1.0).1;
        let [to_right, up, _] = self.axes();
        let (pointer, middle) = ((to_right * right - up * down) * before, -self.pan);
        let half = 0.5 * (self.framed.max - self.framed.min);
        let is_over = [to_right, up].iter().all(|axis| axis.dot(pointer - middle).abs() <= axis.abs().dot(half));
        self.pan += if is_over { pointer } else { middle } * (1.0 - after / before);
    }

    /// Looks at a point in world space, so close that a ball of `radius` world units fills the frame. A radius of 0
    /// keeps the zoom.
    pub fn focus(&mut self, point: Vec3, radius: f32) {
        self.pan += point - self.looked_at();
        if radius > 0.0 {
            let height = 2.0 * self.distance(1.0).1;
            self.magnify(FILL * height / (2.0 * radius));
        }
    }

    /// Multiplies the zoom, within 0.05 to 100.
    pub fn magnify(&mut self, factor: f32) {
        self.zoom = (self.zoom * factor).clamp(0.05, 100.0);
    }
}

/// Returns the unit vectors to the right, up, and towards an orbiting camera.
fn orbit_axes(yaw: f32, pitch: f32) -> [Vec3; 3] {
    let ((sin_yaw, cos_yaw), (sin_pitch, cos_pitch)) = (yaw.sin_cos(), pitch.sin_cos());
    let backwards = Vec3::new(cos_pitch * cos_yaw, cos_pitch * sin_yaw, sin_pitch);
    let right = Vec3::new(-sin_yaw, cos_yaw, 0.0);
    [right, backwards.cross(right), backwards]
}

/// Returns the unit vector in a direction given in radians to the model's left and up.
pub fn direction(yaw: f32, pitch: f32) -> Vec3 {
    orbit_axes(yaw, pitch)[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    fn bounds() -> Bounds {
        Bounds { min: Vec3::new(-10.0, -20.0, 0.0), max: Vec3::new(10.0, 20.0, 72.0) }
    }

    /// Every corner is inside the frame, and the frame is not mostly empty, from all sides and at all aspects.
    #[test]
    fn the_framed_box_fills_the_frame() {
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

    fn corners(bounds: Bounds) -> impl Iterator<Item = Vec3> {
        (0..8).map(move |corner| {
            let pick = |bit: usize, min: f32, max: f32| if corner >> bit & 1 == 0 { min } else { max };
            let (min, max) = (bounds.min, bounds.max);
            Vec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z))
        })
    }

    /// Tall, flat and long boxes, from below and above and from all sides.
    #[test]
    fn boxes_of_any_shape_fill_the_frame_uncropped() {
        for size in [Vec3::new(1.0, 1.0, 9.0), Vec3::new(8.0, 8.0, 0.0), Vec3::new(9.0, 0.1, 2.0), Vec3::splat(1e-3)] {
            for projection in [Projection::Perspective, Projection::Orthographic] {
                for (pitch, aspect) in
                    [-90.0_f32, -30.0, 0.0, 12.0, 50.0, 90.0].into_iter().flat_map(|pitch| [(pitch, 0.6), (pitch, 2.0)])
                {
                    let bounds = Bounds { min: Vec3::ZERO, max: size };
                    let mut camera = Camera { projection, ..Camera::framing(bounds) };
                    let mut most: f32 = 0.0;
                    for turn in 0..36 {
                        camera.look_from((turn as f32 * 10.0).to_radians(), pitch.to_radians());
                        let clip = camera.clip_from_world(aspect);
                        for seen in corners(bounds).map(|corner| clip.project_point3(corner)) {
                            assert!(
                                seen.z.abs() <= 1.0,
                                "{size} {projection:?} {pitch} {aspect}: {seen} is clipped away"
                            );
                            most = most.max(seen.x.abs()).max(seen.y.abs());
                        }
                    }
                    assert!((0.88..0.93).contains(&most), "{size} {projection:?} {pitch} {aspect}: {most}");
                }
            }
        }
    }

    /// docs/formats/md5.md "The camera file": the camera looks along +X with +Z up, so +Y is on its left.
    #[test]
    fn a_shot_looks_along_its_own_axis() {
        let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_2);
        let shot = Shot { eye: Vec3::new(0.0, -50.0, 10.0), world_from_camera: quarter, vertical_angle: 1.0 };
        let camera = Camera { shot: Some(shot), ..Camera::framing(bounds()) };
        let seen = |point: Vec3| camera.clip_from_world(1.0).project_point3(point);
        assert!(seen(Vec3::new(0.0, 0.0, 10.0)).truncate().length() < 1e-5);
        let (left, above) = (seen(Vec3::new(-5.0, 0.0, 10.0)), seen(Vec3::new(0.0, 0.0, 15.0)));
        assert!(left.x < -0.1 && left.y.abs() < 1e-5, "{left}");
        assert!(above.y > 0.1 && above.x.abs() < 1e-5, "{above}");
        assert!((above.y - 0.1 / 0.5_f32.tan()).abs() < 1e-4, "{above}");
    }

    #[test]
    fn dragging_moves_the_centre_with_the_mouse() {
        let mut camera = Camera::framing(bounds());
        let centre = camera.clip_from_world(1.0).project_point3(bounds().centre());
        assert!(centre.truncate().length() < 1e-5);
        camera.drag(0.25, 0.125, 1.0);
        let moved = camera.clip_from_world(1.0).project_point3(bounds().centre());
        assert!((moved.truncate() - Vec2::new(0.5, -0.25)).length() < 1e-4, "{moved}");
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer() {
        for projection in [Projection::Perspective, Projection::Orthographic] {
            let mut camera = Camera { projection, ..Camera::framing(bounds()) };
            let seen = |camera: &Camera, point: Vec3| camera.clip_from_world(1.0).project_point3(point).truncate();
            // A point in the plane of the centre, over the box.
            let [right, up, _] = camera.axes();
            let half = camera.distance(1.0).1;
            let point = bounds().centre() + (right * 0.25 + up * 0.5) * half;
            let before = seen(&camera, point);
            assert!(before.distance(Vec2::new(0.25, 0.5)) < 1e-4, "{before}");
            camera.magnify_at(2.0, 0.125, -0.25);
            assert!(seen(&camera, point).distance(before) < 1e-3, "{}", seen(&camera, point));
            let middle = Vec2::new(-0.25, -0.5);
            assert!(seen(&camera, bounds().centre()).distance(middle) < 1e-3);
            // Beside the box.
            camera.magnify_at(4.0, 0.5, -0.4);
            assert!(seen(&camera, bounds().centre()).distance(middle) < 1e-3);
        }
    }

    #[test]
    fn focus_shows_a_ball() {
        let mut camera = Camera::framing(bounds());
        let point = bounds().centre() + Vec3::new(0.3, -0.2, 0.4);
        let radius = 0.1 * bounds().extent();
        camera.focus(point, radius);
        let clip = camera.clip_from_world(1.0);
        assert!(clip.project_point3(point).truncate().length() < 1e-4);
        let [right, ..] = camera.axes();
        let edge = clip.project_point3(point + right * radius).x;
        assert!((0.85..1.0).contains(&edge), "{edge}");
        let zoom = camera.zoom;
        camera.focus(bounds().centre(), 0.0);
        assert_eq!((camera.zoom, camera.pan.length() < 1e-5), (zoom, true));
    }

    #[test]
    fn the_camera_position_follows_yaw_and_pitch() {
        let mut camera = Camera::framing(bounds());
        (camera.yaw, camera.pitch) = (std::f32::consts::FRAC_PI_2, 0.0);
        let from = (camera.eye(1.0) - bounds().centre()).normalize();
        assert!(from.distance(Vec3::Y) < 1e-6, "{from}");
    }
}
