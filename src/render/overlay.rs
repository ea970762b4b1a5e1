//! Skeleton, lines and background, computed on the CPU.

use super::settings::Line;
use bindpose_core::model::Skeleton;
use bindpose_core::pose::ModelPose;
use glam::{Mat4, Vec2, Vec3, Vec4};
use glium::implement_vertex;

/// Corner of a triangle with a single colour.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flat {
    clip_position: [f32; 4],
    rgba: [f32; 4],
}
implement_vertex!(Flat, clip_position, rgba);

/// Triangles of one colour each, in clip space.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    pub corners: Vec<Flat>,
}

/// Half widths of a bone's ends, and of a joint, in pixels.
const BONE: [f32; 2] = [2.2, 0.8];
const JOINT: f32 = 2.6;
/// Largest number of joints that are drawn as round dots. With more joints, they are triangles, which need a tenth of
/// the memory.
const MOST_ROUND_DOTS: usize = 10_000;
/// Width of the dark rim, in pixels.
const RIM: f32 = 1.2;
const RIM_COLOUR: [f32; 4] = [0.05, 0.05, 0.07, 0.65];
const BONE_COLOUR: [f32; 4] = [1.0, 0.78, 0.28, 1.0];
const JOINT_COLOUR: [f32; 4] = [1.0, 0.95, 0.82, 1.0];

impl Shapes {
    pub fn triangle(&mut self, corners: [Vec2; 3], rgba: [f32; 4]) {
        self.corners
            .extend(corners.map(|corner| Flat { clip_position: corner.extend(0.0).extend(1.0).to_array(), rgba }));
    }

    /// Fills the frame with a gradient between two colours.
    pub fn backdrop(&mut self, top: [f32; 4], bottom: [f32; 4]) {
        let corner = |x: f32, y: f32| Flat {
            // The largest depth.
            clip_position: [x, y, 1.0, 1.0],
            rgba: if y > 0.0 { top } else { bottom },
        };
        self.corners.extend([corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0)]);
        self.corners.extend([corner(-1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)]);
    }

    /// Adds a skeleton of tapering bones. `size` is in pixels; `pixel` is explained at [`super::RenderTarget`].
    pub fn skeleton(&mut self, skeleton: &Skeleton, pose: &ModelPose, clip_from_model: Mat4, size: Vec2, pixel: f32) {
        let to_pixels = 0.5 * size;
        let dot_corners = if skeleton.len() > MOST_ROUND_DOTS { 3 } else { 10 };
        let seen: Vec<Option<Vec2>> = pose
            .0
            .iter()
            .map(|joint| {
                let clip = clip_from_model * joint.translation.as_vec3().extend(1.0);
                in_front(clip).then(|| Vec2::new(clip.x, clip.y) / clip.w * to_pixels)
            })
            .collect();
        for (rim, bone, dot) in [(RIM, RIM_COLOUR, RIM_COLOUR), (0.0, BONE_COLOUR, JOINT_COLOUR)] {
            for (joint, &end) in skeleton.joints().iter().zip(&seen) {
                let start = joint.parent.and_then(|parent| seen.get(parent.index()).copied().flatten());
                if let (Some(start), Some(end)) = (start, end) {
                    self.ribbon([start, end], BONE.map(|half| (half + rim) * pixel), bone, to_pixels);
                }
            }
            for &place in seen.iter().flatten() {
                self.dot(place, (JOINT + rim) * pixel, dot_corners, dot, to_pixels);
            }
        }
    }

    /// Adds a line, clipped at the camera.
    pub fn line(&mut self, line: &Line, clip_from_world: Mat4, size: Vec2, pixel: f32) {
        /// Distance of the clipping plane in clip space.
        const NEAREST: f32 = 1e-4;
        let [from, to] = line.ends.map(|end| clip_from_world * end.extend(1.0));
        if !from.is_finite() || !to.is_finite() || from.w.max(to.w) <= NEAREST {
            return;
        }
        let cut = |end: Vec4, other: Vec4| match end.w > NEAREST {
            true => end,
            false => end.lerp(other, (NEAREST - end.w) / (other.w - end.w)),
        };
        let to_pixels = 0.5 * size;
        let [from, to] = [cut(from, to), cut(to, from)].map(|end| Vec2::new(end.x, end.y) / end.w * to_pixels);
        self.ribbon([from, to], [0.5 * line.width * pixel; 2], line.rgba, to_pixels);
    }

    fn ribbon(&mut self, [start, end]: [Vec2; 2], [wide, narrow]: [f32; 2], rgba: [f32; 4], to_pixels: Vec2) {
        let across = (end - start).perp().normalize_or_zero();
        let corner = |place: Vec2, half: f32| (place + across * half) / to_pixels;
        let [a, b, c, d] = [corner(start, wide), corner(start, -wide), corner(end, -narrow), corner(end, narrow)];
        self.triangle([a, b, c], rgba);
        self.triangle([a, c, d], rgba);
    }

    fn dot(&mut self, place: Vec2, radius: f32, corners: usize, rgba: [f32; 4], to_pixels: Vec2) {
        let corner = |number: usize| {
            let angle = number as f32 / corners as f32 * std::f32::consts::TAU;
            (place + Vec2::from_angle(angle) * radius) / to_pixels
        };
        for number in 0..corners {
            self.triangle([place / to_pixels, corner(number), corner(number + 1)], rgba);
        }
    }
}

fn in_front(clip: Vec4) -> bool {
    clip.is_finite() && clip.w > 1e-6
}

/// Returns the distance between grid lines for a model of this extent: 1, 2 or 5 times a power of ten, about a tenth of
/// the extent.
pub fn grid_cell(extent: f32) -> f32 {
    let wanted = extent / 10.0;
    if !(wanted > 1e-6 && wanted < 1e12) {
        return 1.0;
    }
    let power = 10.0_f32.powf(wanted.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().min_by(|a, b| {
        let off = |step: &f32| (step * power / wanted).ln().abs();
        off(a).total_cmp(&off(b))
    });
    step.unwrap_or(1.0) * power
}

/// Returns the height of the ground: z = 0 if the feet are near it, otherwise the lowest point.
pub fn ground_height(min: Vec3, max: Vec3) -> f32 {
    if min.z.abs() < 0.06 * (max.z - min.z).max(f32::MIN_POSITIVE) { 0.0 } else { min.z }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_cells_are_round() {
        let cases = [(72.0, 10.0), (1.8, 0.2), (100.0, 10.0), (0.03, 0.002), (15.0, 2.0), (0.0, 1.0), (f32::NAN, 1.0)];
        for (extent, cell) in cases {
            assert!((grid_cell(extent) - cell).abs() < 1e-4 * cell, "{extent}: {}", grid_cell(extent));
        }
    }
}
