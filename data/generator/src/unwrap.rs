//! Texture coordinates: the mannequin's skin is cut into islands, which are unrolled from cylinders.
//!
//! They only depend on the position, so all levels of detail share one texture.

use crate::maths::smoothstep;
use crate::polygonise::Surface;
use crate::rig::{at, id, on_side};
use crate::weights::Share;
use glam::{DVec2, DVec3, dvec2, dvec3};
use std::collections::BTreeMap;
use std::f64::consts::TAU;

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
    /// Palm of a side's hand.
    Palm(usize),
    /// Back of a side's hand.
    Back(usize),
    /// Thigh and shin of a side.
    Leg(usize),
    /// Foot and toes of a side.
    Foot(usize),
}

impl Island {
    /// Returns the island of a triangle from the shares and positions of its corners.
    pub fn of(shares: [&[Share]; 3], points: [DVec3; 3]) -> Self {
        let mut sums = BTreeMap::new();
        for &(joint, share) in shares.into_iter().flatten() {
            *sums.entry(Self::of_joint(joint)).or_insert(0.0) += share;
        }
        let most = sums.into_iter().max_by(|a, b| f64::total_cmp(&a.1, &b.1));
        match most.map_or(Island::Torso, |(island, _)| island) {
            Island::Palm(side) if normal(points).dot(on_side(OUT_OF_HAND, side)) > 0.0 => Island::Back(side),
            island => island,
        }
    }

    fn of_joint(joint: usize) -> Self {
        for side in 0..2 {
            if joint == id::UPPER_ARM[side] || joint == id::FOREARM[side] {
                return Island::Arm(side);
            } else if joint == id::HAND[side] {
                return Island::Palm(side);
            } else if joint == id::THIGH[side] || joint == id::SHIN[side] {
                return Island::Leg(side);
            } else if joint == id::FOOT[side] || joint == id::TOE[side] {
                return Island::Foot(side);
            }
        }
        if joint == id::NECK || joint == id::HEAD { Island::Head } else { Island::Torso }
    }

    fn roll(self) -> Roll {
        let upright =
            |center: f64| Roll { from: dvec3(center, 0.0, 0.0), down: -DVec3::Z, opposite: DVec3::X, across: None };
        let limb = |from: DVec3, to: DVec3, opposite: DVec3, side: usize| {
            let [from, to, opposite] = [from, to, opposite].map(|point| on_side(point, side));
            let down = (to - from).normalize();
            Roll { from, down, opposite: (opposite - down * opposite.dot(down)).normalize(), across: None }
        };
        let hand = |out: f64, side: usize| Roll {
            across: Some(HAND_WIDTH),
            ..limb(at::HAND, at::FINGERTIPS, OUT_OF_HAND * out, side)
        };
        match self {
            Island::Torso => upright(-0.3),
            Island::Head => upright(-0.2),
            Island::Arm(side) => limb(at::UPPER_ARM, at::HAND, DVec3::Z, side),
            Island::Palm(side) => hand(-1.0, side),
            Island::Back(side) => hand(1.0, side),
            Island::Leg(side) => limb(at::THIGH, at::FOOT, dvec3(0.3, 1.0, 0.0), side),
            Island::Foot(side) => {
                limb(at::FOOT + dvec3(-2.0, -0.1, -1.7), at::TOE_TIP + dvec3(0.0, 0.0, 0.6), DVec3::Z, side)
            }
        }
    }

    /// Returns the turns about the island's cylinder (0.5 is opposite the cut), and the inches along it, downwards. For
    /// an island that is projected, returns multiples of its width instead of turns.
    pub fn unrolled(self, point: DVec3) -> DVec2 {
        let Roll { from, down, opposite, across } = self.roll();
        let away = point - from;
        let along = away.dot(down);
        let round = away - down * along;
        let aside = round.dot(opposite.cross(down));
        if let Some(width) = across {
            return dvec2(aside / width + 0.5, along);
        }
        // Shoulders are nearly level, so the distance from the axis counts as length too.
        let flare = if self == Island::Torso { 0.35 * smoothstep(55.0, 60.0, point.z) } else { 0.0 };
        dvec2(libm::atan2(aside, round.dot(opposite)) / TAU + 0.5, along + flare * round.length())
    }

    /// All islands.
    pub const ALL: [Island; 12] = [
        Island::Torso,
        Island::Head,
        Island::Arm(0),
        Island::Arm(1),
        Island::Palm(0),
        Island::Palm(1),
        Island::Back(0),
        Island::Back(1),
        Island::Leg(0),
        Island::Leg(1),
        Island::Foot(0),
        Island::Foot(1),
    ];

    /// Returns the texel of a point, `turns` whole turns further.
    pub fn texel(self, point: DVec3, turns: f64) -> DVec2 {
        let on = self.unrolled(point);
        let [left, top, width, down, first] = self.place();
        dvec2(left + (on.x + turns) * width, top + (on.y - first) * down)
    }

    /// Returns the first and last column of texels that belong to the island with a margin.
    pub fn columns(self, margin: f64) -> [f64; 2] {
        let [left, _, width, ..] = self.place();
        [left - margin, left + width + margin]
    }

    /// Returns the position of the island in the texture, in texels: left, top, width (one turn), texels per inch
    /// downwards, and the cylinder's first inch.
    fn place(self) -> [f64; 5] {
        match self {
            Island::Torso => [14.0, 12.0, 256.0, 8.4, -59.4],
            Island::Leg(side) => [292.0 + 114.0 * side as f64, 12.0, 94.0, 6.6, -1.7],
            Island::Head => [14.0, 244.0, 170.0, 9.8, -72.3],
            Island::Palm(side) => [14.0 + 88.0 * side as f64, 404.0, 34.0, 10.0, -0.4],
            Island::Back(side) => [58.0 + 88.0 * side as f64, 404.0, 34.0, 10.0, -0.4],
            Island::Arm(side) => [206.0 + 96.0 * side as f64, 276.0, 76.0, 7.8, -4.2],
            Island::Foot(side) => [404.0, 276.0 + 118.0 * side as f64, 80.0, 8.4, -0.4],
        }
    }
}

/// Projection of an island.
struct Roll {
    /// A point of the cylinder's axis.
    from: DVec3,
    /// Direction of the axis, downwards in the texture.
    down: DVec3,
    /// Direction away from the axis, opposite the cut.
    opposite: DVec3,
    /// Width in inches if the island is projected along `opposite` instead of unrolled.
    across: Option<f64>,
}

/// Direction out of the back of the left hand.
const OUT_OF_HAND: DVec3 = dvec3(0.0, 0.7, 0.7);
/// Width of a hand's island, in inches.
const HAND_WIDTH: f64 = 5.6;

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// A skin that was cut into islands.
pub struct Unwrapped {
    /// For each vertex, the number of the surface's vertex that it copies.
    pub source: Vec<u32>,
    /// Texture coordinates.
    pub uv: Vec<DVec2>,
    /// Vertex indices; the triangles are those of the surface, in the same order.
    pub triangles: Vec<[u32; 3]>,
}

/// Cuts the mannequin's skin. Vertices on a cut appear once per side.
///
/// No triangle is mirrored: those that the ends of their cylinder would flip get a separate patch.
pub fn unwrap(surface: &Surface, shares: &[Vec<Share>]) -> Unwrapped {
    let mut out = Unwrapped { source: Vec::new(), uv: Vec::new(), triangles: Vec::new() };
    let mut copies: BTreeMap<(u32, Island, i64), u32> = BTreeMap::new();
    for corners in &surface.triangles {
        let points = corners.map(|vertex| surface.positions[vertex as usize]);
        let island = Island::of(corners.map(|vertex| &shares[vertex as usize][..]), points);
        let center = (points[0] + points[1] + points[2]) / 3.0;
        let middle = island.unrolled(center).x;
        let turns = points.map(|point| libm::round(middle - island.unrolled(point).x));
        let texels = [0, 1, 2].map(|n| island.texel(points[n], turns[n]));
        // Texture rows run downwards, so seen from outside the corners have the opposite orientation.
        let mirrored = (texels[1] - texels[0]).perp_dot(texels[2] - texels[0]) >= 0.0;
        let mut copy = |source: u32, texel: DVec2| {
            out.source.push(source);
            out.uv.push(texel / f64::from(SIZE));
            out.source.len() as u32 - 1
        };
        out.triangles.push(if mirrored {
            let flat = flattened(points).map(|offset| island.texel(center, 0.0) + offset);
            [0, 1, 2].map(|n| copy(corners[n], flat[n]))
        } else {
            [0, 1, 2].map(|n| {
                let key = (corners[n], island, turns[n] as i64);
                *copies.entry(key).or_insert_with(|| copy(corners[n], texels[n]))
            })
        });
    }
    out
}

/// Returns the corners of a triangle in its own plane, in texels around its middle.
fn flattened(points: [DVec3; 3]) -> [DVec2; 3] {
    const TEXELS_PER_INCH: f64 = 4.0;
    let center = (points[0] + points[1] + points[2]) / 3.0;
    let right = (points[1] - points[0]).normalize();
    let down = right.cross(normal(points).normalize());
    points.map(|point| dvec2((point - center).dot(right), (point - center).dot(down)) * TEXELS_PER_INCH)
}
