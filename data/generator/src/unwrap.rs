//! Texture coordinates: the mannequin's skin cut into ten islands, each rolled off a cylinder.
//!
//! A function of the position alone, so all levels of detail share one texture.

use crate::polygonise::Surface;
use crate::rig::{at, id, on_side};
use crate::weights::Share;
use glam::{DVec2, DVec3, dvec2, dvec3};
use std::collections::BTreeMap;

/// Width and height of the texture in texels.
pub const SIZE: u32 = 512;

/// The pieces that the skin is cut into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Island {
    /// Pelvis to shoulders.
    Torso,
    /// Head and neck.
    Head,
    /// Upper arm and forearm of a side.
    Arm(usize),
    /// Hand of a side.
    Hand(usize),
    /// Thigh and shin of a side.
    Leg(usize),
    /// Foot and toes of a side.
    Foot(usize),
}

impl Island {
    /// The island of a triangle by the shares of its corners.
    pub fn of(corners: [&[Share]; 3]) -> Self {
        let mut sums = BTreeMap::new();
        for &(joint, share) in corners.into_iter().flatten() {
            *sums.entry(Self::of_joint(joint)).or_insert(0.0) += share;
        }
        sums.into_iter().max_by(|a, b| f64::total_cmp(&a.1, &b.1)).map_or(Island::Torso, |(island, _)| island)
    }

    fn of_joint(joint: usize) -> Self {
        for side in 0..2 {
            if joint == id::UPPER_ARM[side] || joint == id::FOREARM[side] {
                return Island::Arm(side);
            } else if joint == id::HAND[side] {
                return Island::Hand(side);
            } else if joint == id::THIGH[side] || joint == id::SHIN[side] {
                return Island::Leg(side);
            } else if joint == id::FOOT[side] || joint == id::TOE[side] {
                return Island::Foot(side);
            }
        }
        if joint == id::NECK || joint == id::HEAD { Island::Head } else { Island::Torso }
    }

    /// Turns about the island's cylinder (0.5 is opposite the cut), and inches along it, downwards.
    pub fn cylinder(self, p: DVec3) -> DVec2 {
        let (center, down, opposite, flare) = match self {
            // Shoulders are nearly level: there distance from the axis counts as length too.
            Island::Torso => (
                dvec3(-0.3, 0.0, 0.0),
                dvec3(0.0, 0.0, -1.0),
                DVec3::X,
                crate::maths::smoothstep(55.0, 60.0, p.z) * 0.35,
            ),
            Island::Head => (dvec3(-0.2, 0.0, 0.0), dvec3(0.0, 0.0, -1.0), DVec3::X, 0.0),
            Island::Arm(side) => limb(at::UPPER_ARM, at::HAND, DVec3::Z, side),
            Island::Hand(side) => limb(at::HAND, at::FINGERTIPS, dvec3(0.0, 0.7, 0.7), side),
            Island::Leg(side) => limb(at::THIGH, at::FOOT, dvec3(0.3, 1.0, 0.0), side),
            Island::Foot(side) => {
                limb(at::FOOT + dvec3(-2.0, -0.1, -1.7), at::TOE_TIP + dvec3(0.0, 0.0, 0.6), DVec3::Z, side)
            }
        };
        let away = p - center;
        let along = away.dot(down);
        let round = away - down * along;
        let forward = (opposite - down * opposite.dot(down)).normalize();
        let angle = libm::atan2(round.dot(forward.cross(down)), round.dot(forward));
        dvec2(angle / std::f64::consts::TAU + 0.5, along + flare * round.length())
    }

    /// The islands.
    pub const ALL: [Island; 10] = [
        Island::Torso,
        Island::Head,
        Island::Arm(0),
        Island::Arm(1),
        Island::Hand(0),
        Island::Hand(1),
        Island::Leg(0),
        Island::Leg(1),
        Island::Foot(0),
        Island::Foot(1),
    ];

    /// The texel of a point that lies `turns` whole turns further.
    pub fn texel(self, point: DVec3, turns: f64) -> DVec2 {
        let on = self.cylinder(point);
        let [left, top, width, down, first] = self.place();
        dvec2(left + (on.x + turns) * width, top + (on.y - first) * down)
    }

    /// First and last column of texels that belong to the island with a margin.
    pub fn columns(self, margin: f64) -> [f64; 2] {
        let [left, _, width, ..] = self.place();
        [left - margin, left + width + margin]
    }

    /// Where the island lies in the texture, texels: left, top, width (one turn), texels per inch downwards, the
    /// cylinder's first inch.
    fn place(self) -> [f64; 5] {
        match self {
            Island::Torso => [14.0, 12.0, 256.0, 8.4, -59.4],
            Island::Leg(side) => [292.0 + 114.0 * side as f64, 12.0, 94.0, 6.6, -1.7],
            Island::Head => [14.0, 244.0, 170.0, 9.8, -72.3],
            Island::Hand(side) => [14.0 + 88.0 * side as f64, 404.0, 68.0, 10.0, -0.4],
            Island::Arm(side) => [206.0 + 96.0 * side as f64, 276.0, 76.0, 7.8, -4.2],
            Island::Foot(side) => [404.0, 276.0 + 118.0 * side as f64, 80.0, 8.4, -0.4],
        }
    }
}

fn limb(from: DVec3, to: DVec3, opposite: DVec3, side: usize) -> (DVec3, DVec3, DVec3, f64) {
    let [from, to, opposite] = [from, to, opposite].map(|point| on_side(point, side));
    (from, (to - from).normalize(), opposite, 0.0)
}

/// A cut-up skin.
pub struct Unwrapped {
    /// For each vertex the number of the surface's vertex that it is a copy of.
    pub source: Vec<u32>,
    /// Texture coordinates.
    pub uv: Vec<DVec2>,
    /// Vertex indices, as many triangles as the surface has and in its order.
    pub triangles: Vec<[u32; 3]>,
}

/// Cuts the mannequin's skin; vertices on a cut appear once per side.
pub fn unwrap(surface: &Surface, shares: &[Vec<Share>]) -> Unwrapped {
    let mut out = Unwrapped { source: Vec::new(), uv: Vec::new(), triangles: Vec::new() };
    let mut copies: BTreeMap<(u32, Island, i64), u32> = BTreeMap::new();
    for corners in &surface.triangles {
        let island = Island::of(corners.map(|vertex| &shares[vertex as usize][..]));
        let points = corners.map(|vertex| surface.positions[vertex as usize]);
        let middle = island.cylinder((points[0] + points[1] + points[2]) / 3.0).x;
        let around = points.map(|point| libm::round(middle - island.cylinder(point).x));
        // A triangle around the cylinder's axis has no cut to be kept off.
        let wide = points.iter().any(|&point| {
            let off = middle - island.cylinder(point).x;
            (off - libm::round(off)).abs() > 0.3
        });
        out.triangles.push([0, 1, 2].map(|n| {
            let turns = if wide { 0.0 } else { around[n] };
            *copies.entry((corners[n], island, turns as i64)).or_insert_with(|| {
                out.source.push(corners[n]);
                out.uv.push(island.texel(points[n], turns) / f64::from(SIZE));
                out.source.len() as u32 - 1
            })
        }));
    }
    out
}
