//! A banner in the wind in the form that the Quake engines load: ten frames per second, `origin` first, the clip named
//! after the mesh.

use crate::maths::yaw;
use crate::rig::{Joint, Placed, Pose};
use crate::sample::{Motion, Sample, Vertex};
use crate::weights::Share;
use glam::{DQuat, DVec3, dvec2, dvec3};
use std::f64::consts::TAU;

/// Share of the texture's width that belongs to the pole.
pub const POLE_SHARE: f64 = 0.125;
/// Joints of the cloth, one after the other along +X.
const PARTS: usize = 4;
/// Distance between the cloth's joints, in inches.
const PART: f64 = 12.0;
/// Columns of the cloth per joint.
const COLUMNS: usize = 2;
/// Number of frames of the only clip. Games repeat it, so the last frame is not a copy of the first.
const FRAMES: u32 = 10;

/// Creates the mesh: a pole with six sides, and a thin closed cloth.
pub fn sample() -> Sample {
    let mut joints = vec![joint("origin", None, DVec3::ZERO), joint("pole", Some(0), DVec3::ZERO)];
    for (part, name) in ["cloth1", "cloth2", "cloth3", "cloth4"].into_iter().enumerate() {
        joints.push(joint(name, Some(part + 1), dvec3(part as f64 * PART, 0.0, 58.0)));
    }
    let mut sample = Sample { shader: "banner", joints, vertices: Vec::new(), triangles: Vec::new() };
    let pole = [0.0, 80.0].map(|z| {
        let corner = |n: u32| {
            let (sin, cos) = libm::sincos(f64::from(n) / 6.0 * TAU);
            dvec3(1.2 * cos, 1.2 * sin, z)
        };
        (0..6).map(corner).collect()
    });
    add_tube(&mut sample, &pole, (0.0, POLE_SHARE), |_| vec![(1, 1.0)]);
    let cloth: Vec<Vec<DVec3>> = (0..=PARTS * COLUMNS)
        .map(|column| {
            let x = column as f64 * PART / COLUMNS as f64;
            let outline = [(0.4, 58.0), (0.4, 76.0), (-0.4, 76.0), (-0.4, 58.0), (-0.4, 40.0), (0.4, 40.0)];
            outline.into_iter().map(|(y, z)| dvec3(x, y, z)).collect()
        })
        .collect();
    add_tube(&mut sample, &cloth, (POLE_SHARE, 1.0), cloth_shares);
    sample
}

fn joint(name: &'static str, parent: Option<usize>, position: DVec3) -> Joint {
    Joint { name, parent, bind: Placed { position, rotation: DQuat::IDENTITY } }
}

/// Returns the shares of the two nearest joints of the cloth. In the middle of its part, a joint has the whole share.
fn cloth_shares(point: DVec3) -> Vec<Share> {
    let along = (point.x / PART - 0.5).clamp(0.0, (PARTS - 1) as f64);
    let (first, share) = (along.floor() as usize, along.fract());
    let near = [(first + 2, 1.0 - share), (first + 3, share)];
    near.into_iter().filter(|&(_, share)| share > 0.0).collect()
}

/// Adds rings with equal numbers of corners, counter-clockwise seen from the last ring, with a cap at both ends. The
/// texture runs along the rings over a range of u.
fn add_tube(
    sample: &mut Sample,
    rings: &[Vec<DVec3>],
    (left, right): (f64, f64),
    shares: impl Fn(DVec3) -> Vec<Share>,
) {
    let (first, around) = (sample.vertices.len() as u32, rings[0].len() as u32);
    let at = |ring: usize, n: u32| first + ring as u32 * (around + 1) + n;
    for (ring, corners) in rings.iter().enumerate() {
        let u = left + (right - left) * ring as f64 / (rings.len() - 1) as f64;
        // The first corner is repeated for the texture's seam.
        for n in 0..=around {
            let position = corners[(n % around) as usize];
            let uv = dvec2(u, 1.0 - f64::from(n) / f64::from(around));
            sample.vertices.push(Vertex { position, uv, shares: shares(position) });
        }
        for n in (0..around).filter(|_| ring > 0) {
            let [a, b, c, d] = [at(ring - 1, n), at(ring - 1, n + 1), at(ring, n + 1), at(ring, n)];
            sample.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let last = rings.len() - 1;
    for n in 1..around - 1 {
        sample.triangles.extend([[at(0, 0), at(0, n + 1), at(0, n)], [at(last, 0), at(last, n), at(last, n + 1)]]);
    }
}

/// Creates a wave that runs along the cloth once.
pub fn wave() -> Motion {
    let frames = (0..FRAMES).map(|frame| {
        let mut pose = Pose::bind(PARTS + 2);
        for part in 0..PARTS {
            let phase = f64::from(frame) / f64::from(FRAMES) * TAU - 0.9 * part as f64;
            pose.turns[part + 2] = yaw((12.0 + 5.0 * part as f64) * libm::sin(phase));
        }
        pose
    });
    Motion { name: "banner", rate: 10, frames: frames.collect() }
}
