//! The cylinder of two and a half bones, the usual test of a skinning method for bends and twists.

use crate::maths::{frame, pitch, smoothstep, yaw};
use crate::rig::{Joint, Placed, Pose};
use crate::sample::{Motion, Sample, Vertex};
use glam::{DQuat, DVec3, dvec2, dvec3};
use std::f64::consts::TAU;

/// Radius in inches.
pub const RADIUS: f64 = 4.0;
/// Height of the second joint, and distance between the second and the third, in inches.
pub const BONE: f64 = 24.0;
/// Total height in inches.
pub const HEIGHT: f64 = 60.0;
/// Half the length over which two bones share a vertex, in inches.
pub const REACH: f64 = 6.0;
/// Number of vertices around. The first is repeated for the texture's seam.
const AROUND: usize = 24;
/// Distance between rings, in inches. One ring is exactly at each joint.
const STEP: f64 = 1.2;

/// Creates the joints along +Z, two of full length and a short one.
pub fn joints() -> Vec<Joint> {
    let upwards = frame(DVec3::Z, DVec3::Y);
    let joint =
        |name, parent, z| Joint { name, parent, bind: Placed { position: dvec3(0.0, 0.0, z), rotation: upwards } };
    vec![joint("lower", None, 0.0), joint("upper", Some(0), BONE), joint("end", Some(1), 2.0 * BONE)]
}

/// Creates the closed mesh with bevelled rims.
pub fn sample() -> Sample {
    // Radius and height of each ring, from the centre of the bottom to the centre of the top.
    let mut profile = vec![(0.0, 0.0), (RADIUS * 0.45, 0.0), (RADIUS - 1.0, 0.0), (RADIUS - 0.3, 0.25)];
    let rings = libm::round(HEIGHT / STEP) as usize;
    profile.extend((1..rings).map(|ring| (RADIUS, ring as f64 * STEP)));
    let top: Vec<_> = profile[..4].iter().rev().map(|&(radius, z)| (radius, HEIGHT - z)).collect();
    profile.extend(top);

    // The texture runs along the profile. A quarter of a radius of the cap at each end is enough.
    let length: f64 = profile.windows(2).map(|pair| step(pair[0], pair[1])).sum();
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let mut along = 0.0;
    for (ring, &(radius, z)) in profile.iter().enumerate() {
        if ring > 0 {
            along += step(profile[ring - 1], (radius, z));
        }
        for n in 0..=AROUND {
            // Both sides of the seam have exactly equal positions.
            let (sin, cos) = libm::sincos((n % AROUND) as f64 / AROUND as f64 * TAU);
            vertices.push(Vertex {
                position: dvec3(-radius * cos, -radius * sin, z),
                uv: dvec2(n as f64 / AROUND as f64, 1.0 - along / length),
                shares: shares(z),
            });
        }
        let at = |ring: usize, n: usize| (ring * (AROUND + 1) + n) as u32;
        for n in (0..AROUND).filter(|_| ring > 0) {
            let [a, b, c, d] = [at(ring - 1, n), at(ring - 1, n + 1), at(ring, n + 1), at(ring, n)];
            if ring > 1 {
                triangles.push([a, b, c]);
            }
            if ring + 1 < profile.len() {
                triangles.push([a, c, d]);
            }
        }
    }
    // A pole has one vertex per triangle; its last copy belongs to none.
    Sample { shader: "cylinder", joints: joints(), vertices, triangles }.without_unused()
}

fn step(from: (f64, f64), to: (f64, f64)) -> f64 {
    libm::hypot(to.0 - from.0, to.1 - from.1)
}

fn shares(z: f64) -> Vec<(usize, f64)> {
    for (joint, height) in [(1, BONE), (2, 2.0 * BONE)] {
        let upper = libm::round(smoothstep(-REACH, REACH, z - height) * 1e6) / 1e6;
        if upper <= 0.0 {
            return vec![(joint - 1, 1.0)];
        }
        if upper < 1.0 {
            return vec![(joint - 1, 1.0 - upper), (joint, upper)];
        }
    }
    vec![(2, 1.0)]
}

/// Bends to 150 degrees towards +X and back.
pub fn bend() -> Motion {
    there_and_back("cylinder_bend", |share| pitch(150.0 * share))
}

/// Twists to 180 degrees about the cylinder's axis and back.
pub fn twist() -> Motion {
    there_and_back("cylinder_twist", |share| yaw(180.0 * share))
}

fn there_and_back(name: &'static str, turn: impl Fn(f64) -> DQuat) -> Motion {
    let frames = (0..=72).map(|frame: i32| {
        let mut pose = Pose::bind(3);
        pose.turns[1] = turn(smoothstep(0.0, 36.0, f64::from(36 - (frame - 36).abs())));
        pose
    });
    Motion { name, rate: 24, frames: frames.collect() }
}
