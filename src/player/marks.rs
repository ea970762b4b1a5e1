//! Lines drawn over the model: axes, normals, boxes, rings, selection.

use super::curves::{self, Curve};
use super::draw::shot;
use super::{Gizmo, Overlay, Player, Side, Viewport, edit, paint};
use bindpose_core::model::{CameraPath, JointId, Model};
use bindpose_core::pose::{self, LocalPose, ModelPose};
use bindpose_render::{Bounds, Line, Shot};
use glam::{Affine3A, DAffine3, Vec2, Vec3};

/// Colours of x, y and z.
const AXES: [[f32; 4]; 3] = [[0.95, 0.30, 0.28, 1.0], [0.45, 0.85, 0.30, 1.0], [0.35, 0.55, 1.0, 1.0]];
const SELECTED: [f32; 4] = [0.25, 0.95, 1.0, 1.0];
const SELECTED_VERTEX: [f32; 4] = [1.0, 0.35, 0.85, 1.0];
const BELOW: [f32; 4] = [0.25, 0.75, 0.85, 0.9];
const NORMAL: [f32; 4] = [0.55, 0.75, 1.0, 0.8];
const TANGENT: [f32; 4] = [1.0, 0.55, 0.45, 0.8];
const BOX: [f32; 4] = [0.9, 0.9, 0.95, 0.8];
const FILE_BOX: [f32; 4] = [1.0, 0.55, 0.15, 0.9];
const CAMERA: [f32; 4] = [1.0, 0.85, 0.35, 0.9];
const CAMERA_PATH: [f32; 4] = [1.0, 0.85, 0.35, 0.5];

const TRAIL: [f32; 4] = [1.0, 0.45, 0.9, 0.95];
const TRAIL_AHEAD: [f32; 4] = [1.0, 0.45, 0.9, 0.45];
/// Steps before and after the current time with their colours: blue before, orange after.
const ONION: [(f64, [f32; 4]); 4] = [
    (-2.0, [0.35, 0.6, 1.0, 0.4]),
    (-1.0, [0.35, 0.6, 1.0, 0.75]),
    (1.0, [1.0, 0.6, 0.25, 0.75]),
    (2.0, [1.0, 0.6, 0.25, 0.4]),
];
/// Steps per second, rounded to whole frames.
const ONION_RATE: f64 = 10.0;

/// Largest number of segments of a camera's path.
const PATH_POINTS: usize = 500;

/// Largest number of vertices whose normals are drawn.
const MOST_NORMALS: usize = 20_000;
/// Length of a joint's axes, in points.
const AXIS_PIXELS: f32 = 22.0;

impl Player {
    /// Creates the lines over the first copy of a side, in a view of `size` pixels.
    pub(super) fn marks(
        &mut self,
        side: Side,
        model: &Model,
        poses: &[(LocalPose, ModelPose)],
        size: (u32, u32),
    ) -> Vec<Line> {
        let mut lines = Vec::new();
        let Some((_, posed)) = poses.first() else { return lines };
        let world_from_model = self.world_from_first();
        let in_world = world_from_model.as_affine3a();
        let size = Vec2::new(size.0 as f32, size.1 as f32) / self.state.settings.scale;
        let view = Viewport::new(&self.state.camera, size);
        if self.state.has_overlay(Overlay::Axes) {
            for joint in &posed.0 {
                axes(&mut lines, &view, &(world_from_model * *joint), AXIS_PIXELS, 1.5);
            }
        }
        if self.state.has_overlay(Overlay::Normals) || self.state.has_overlay(Overlay::Tangents) {
            self.normals(&mut lines, model, posed, &in_world);
        }
        if self.state.has_overlay(Overlay::Bounds) {
            self.bounds(&mut lines, side, &paint::linear_positions(model, posed), &in_world);
        }
        if side == Side::Left && self.state.has_overlay(Overlay::Trail) {
            self.trail(&mut lines, model, &in_world);
        }
        if side == Side::Left && self.state.has_overlay(Overlay::Onion) {
            self.onion(&mut lines, model, &in_world);
        }
        if let Some(path) = self.scene.loaded.camera.as_ref().filter(|_| self.state.camera.shot.is_none()) {
            self.camera_marks(&mut lines, path);
        }
        if !self.state.marks_selection {
            return lines;
        }
        if let Some(joint) = self.joint_on(side).filter(|joint| joint.index() < posed.0.len()) {
            descendants(&mut lines, model, posed, joint, &in_world);
            let selected = world_from_model * posed.0[joint.index()];
            cross(&mut lines, &view, selected.translation.as_vec3(), SELECTED);
            match Gizmo::new(&view, &selected).filter(|_| side == Side::Left) {
                Some(gizmo) => rings(&mut lines, &gizmo),
                None => axes(&mut lines, &view, &selected, 1.5 * AXIS_PIXELS, 2.0),
            }
        }
        if let Some(vertex) = self.state.vertex.filter(|_| side == Side::Left) {
            let positions = paint::linear_positions(model, posed);
            if let Some(&position) = positions.get(vertex.mesh).and_then(|mesh| mesh.get(vertex.vertex)) {
                cross(&mut lines, &view, in_world.transform_point3(position), SELECTED_VERTEX);
            }
        }
        lines
    }

    /// Adds the path of the selected joint during the clip. The past is more opaque than the future.
    fn trail(&mut self, lines: &mut Vec<Line>, model: &Model, in_world: &Affine3A) {
        let (Some(joint), Some(number)) = (self.state.joint, self.state.clip) else { return };
        let Some(clip) = model.clips.get(number) else { return };
        let key = (std::ptr::from_ref(model) as usize, number, joint);
        if self.trail.as_ref().is_none_or(|(known, _)| *known != key) {
            let parts = curves::of_joint(model, clip, joint, Curve::Position);
            let point = |frame: usize| Vec3::from_array(std::array::from_fn(|axis| parts[axis][frame] as f32));
            self.trail = Some((key, (0..parts[0].len()).map(point).collect()));
        }
        let Some((_, points)) = &self.trail else { return };
        let now = self.state.playback.frame() as usize;
        for (frame, ends) in points.windows(2).enumerate() {
            let ends = [ends[0], ends[1]].map(|end| in_world.transform_point3(end));
            let rgba = if frame < now { TRAIL } else { TRAIL_AHEAD };
            lines.push(Line { ends, rgba, width: if frame < now { 2.5 } else { 1.5 } });
        }
    }

    /// Adds the bones of two poses before and two after the current one.
    fn onion(&self, lines: &mut Vec<Line>, model: &Model, in_world: &Affine3A) {
        let Some(clip) = self.state.current_clip(model) else { return };
        let playback = &self.state.playback;
        let step = (playback.frame_rate() / ONION_RATE).round().max(1.0) / playback.frame_rate();
        let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
        for (steps, rgba) in ONION {
            let time = playback.time() + steps * step;
            if !(0.0..=playback.duration()).contains(&time) {
                continue;
            }
            pose::sample(&model.skeleton, clip, time, &mut local);
            pose::local_to_model(&model.skeleton, &local, &mut posed);
            for (joint, known) in posed.0.iter().zip(model.skeleton.joints()) {
                let Some(parent) = known.parent else { continue };
                let ends = [posed.0[parent.index()], *joint];
                let ends = ends.map(|end| in_world.transform_point3(end.translation.as_vec3()));
                lines.push(Line { ends, rgba, width: 1.5 });
            }
        }
    }

    /// Adds the animated camera as a frustum, and its path.
    fn camera_marks(&self, lines: &mut Vec<Line>, path: &CameraPath) {
        let Some(playback) = &self.state.camera_path else { return };
        let camera = &self.state.camera;
        let shot_at = |time| shot(path, time, camera.world_from_model);
        let count = PATH_POINTS.min((playback.playback.duration() * playback.playback.frame_rate()) as usize);
        let place = |point: usize| shot_at(playback.playback.duration() * point as f64 / count.max(1) as f64).eye;
        let points: Vec<Vec3> = (0..=count).map(place).collect();
        lines.extend(points.windows(2).map(|ends| Line { ends: [ends[0], ends[1]], rgba: CAMERA_PATH, width: 1.0 }));
        let Shot { eye, world_from_camera, vertical_angle } = shot_at(playback.led_by(&self.state.playback).time());
        let depth = 0.2 * camera.framed.extent();
        let high = depth * (0.5 * vertical_angle).tan();
        let wide = high * 4.0 / 3.0;
        // The camera looks along +X, with +Y on its left.
        let corner = |y: f32, z: f32| eye + world_from_camera * Vec3::new(depth, y * wide, z * high);
        let corners = [corner(1.0, 1.0), corner(-1.0, 1.0), corner(-1.0, -1.0), corner(1.0, -1.0)];
        for number in 0..4 {
            lines.push(Line { ends: [eye, corners[number]], rgba: CAMERA, width: 1.5 });
            lines.push(Line { ends: [corners[number], corners[(number + 1) % 4]], rgba: CAMERA, width: 1.5 });
        }
        for side in [0.4, -0.4] {
            lines.push(Line { ends: [corner(side, 1.0), corner(0.0, 1.4)], rgba: CAMERA, width: 1.5 });
        }
    }

    /// True if the view looks through the animated camera and no part of the model is visible, in a view of `size`
    /// pixels.
    pub fn sees_nothing(&self, size: Vec2) -> bool {
        if self.state.shown_camera_path().is_none() {
            return false;
        }
        let Some((_, posed)) = self.pose() else { return false };
        let (view, in_world) = (Viewport::new(&self.state.camera, size), self.world_from_first().as_affine3a());
        let is_seen = |point: Vec3| {
            let seen = view.project(in_world.transform_point3(point));
            seen.is_some_and(|seen| seen.cmpge(Vec2::ZERO).all() && seen.cmple(size).all())
        };
        let sees_joint = posed.0.iter().any(|joint| is_seen(joint.translation.as_vec3()));
        !sees_joint && !paint::linear_positions(self.model(), posed).into_iter().flatten().any(is_seen)
    }

    /// Adds the bounding boxes of the visible vertices, and those of the file for the frame.
    fn bounds(&self, lines: &mut Vec<Line>, side: Side, positions: &[Vec<Vec3>], in_world: &Affine3A) {
        let shown = positions.iter().enumerate().filter(|(mesh, _)| !self.state.hidden.contains(mesh));
        let shown = shown.flat_map(|(_, positions)| positions.iter().map(|position| position.as_dvec3()));
        if let Some(bounds) = Bounds::around(shown) {
            bounds_lines(lines, bounds, BOX, in_world);
        }
        let clip = self.state.clip.filter(|_| side == Side::Left);
        let frames = clip.and_then(|clip| self.scene.loaded.frame_boxes.get(clip));
        if let Some([min, max]) = frames.and_then(|frames| frames.get(self.state.playback.frame() as usize)) {
            let bounds = Bounds { min: min.as_vec3(), max: max.as_vec3() };
            bounds_lines(lines, bounds, FILE_BOX, in_world);
        }
    }

    fn normals(&self, lines: &mut Vec<Line>, model: &Model, posed: &ModelPose, in_world: &Affine3A) {
        let length = 0.012 * self.state.camera.framed.extent() / self.state.camera.zoom.max(1.0);
        let mut skinned = bindpose_core::skin::Skinned::default();
        for (number, mesh) in model.meshes.iter().enumerate() {
            if self.state.hidden.contains(&number) || lines.len() > MOST_NORMALS {
                continue;
            }
            bindpose_core::skin::linear(mesh, posed, &mut skinned);
            let mut add = |directions: &[glam::DVec3], rgba| {
                for (position, direction) in skinned.positions.iter().zip(directions).take(MOST_NORMALS) {
                    let from = in_world.transform_point3(position.as_vec3());
                    let direction = in_world.transform_vector3(direction.as_vec3());
                    lines.push(Line { ends: [from, from + direction * length], rgba, width: 1.0 });
                }
            };
            if self.state.has_overlay(Overlay::Normals) {
                add(&skinned.normals, NORMAL);
            }
            if self.state.has_overlay(Overlay::Tangents) {
                add(&skinned.tangents, TANGENT);
            }
        }
    }
}

/// Adds the bones from a joint to all its descendants. Its own bones are the most opaque.
fn descendants(lines: &mut Vec<Line>, model: &Model, posed: &ModelPose, joint: JointId, in_world: &Affine3A) {
    let below = edit::below(&model.skeleton, joint);
    for (index, known) in model.skeleton.joints().iter().enumerate() {
        let Some(parent) = known.parent.filter(|_| below[index] > 0.0 && index != joint.index()) else { continue };
        let ends = [parent.index(), index].map(|end| in_world.transform_point3(posed.0[end].translation.as_vec3()));
        let (rgba, width) = if parent == joint { (SELECTED, 4.0) } else { (BELOW, 3.0) };
        lines.push(Line { ends, rgba, width });
    }
}

fn rings(lines: &mut Vec<Line>, gizmo: &Gizmo) {
    for (axis, rgba) in AXES.into_iter().enumerate() {
        let points: Vec<Vec3> = gizmo.ring(axis).collect();
        lines.extend(points.windows(2).map(|ends| Line { ends: [ends[0], ends[1]], rgba, width: 2.0 }));
    }
}

fn axes(lines: &mut Vec<Line>, view: &Viewport, joint: &DAffine3, pixels: f32, width: f32) {
    let from = joint.translation.as_vec3();
    let Some(length) = view.length_at(from, pixels) else { return };
    let directions = [joint.matrix3.x_axis, joint.matrix3.y_axis, joint.matrix3.z_axis];
    for (direction, rgba) in directions.into_iter().zip(AXES) {
        let direction = direction.as_vec3().normalize_or_zero();
        lines.push(Line { ends: [from, from + direction * length], rgba, width });
    }
}

/// Adds a small cross along the world's axes.
fn cross(lines: &mut Vec<Line>, view: &Viewport, point: Vec3, rgba: [f32; 4]) {
    let Some(length) = view.length_at(point, 7.0) else { return };
    for direction in Vec3::AXES {
        lines.push(Line { ends: [point - direction * length, point + direction * length], rgba, width: 2.5 });
    }
}

fn bounds_lines(lines: &mut Vec<Line>, bounds: Bounds, rgba: [f32; 4], in_world: &Affine3A) {
    let corner = |number: usize| {
        let pick = |bit: usize, min: f32, max: f32| if number >> bit & 1 == 0 { min } else { max };
        let (min, max) = (bounds.min, bounds.max);
        in_world.transform_point3(Vec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z)))
    };
    for from in 0..8 {
        for bit in (0..3).filter(|bit| from >> bit & 1 == 0) {
            lines.push(Line { ends: [corner(from), corner(from | 1 << bit)], rgba, width: 1.5 });
        }
    }
}
