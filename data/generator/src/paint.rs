//! The textures. Colours depend on the position on the body, with shading where the skin is hidden; [`crate::unwrap`]
//! defines the layout.

use crate::banner::POLE_SHARE;
use crate::maths::smoothstep;
use crate::rig::{at, on_side, side_sign};
use crate::sample::Sample;
use crate::shape::{Body, Detail};
use crate::unwrap::{Island, SIZE};
use anyhow::{Context, Result};
use glam::{DVec2, DVec3, dvec3};
use image::{ExtendedColorType, ImageEncoder, codecs::png::PngEncoder};
use std::collections::BTreeSet;

/// Red, green, blue as in the file (sRGB), 0 to 1.
pub type Colour = DVec3;

/// Colour of hard parts.
const SHELL: Colour = dvec3(0.89, 0.84, 0.755);
/// Colour of bending parts.
const JOINT: Colour = dvec3(0.235, 0.295, 0.36);
/// Colour of the line between the two, and of the band on the left arm.
const LINE: Colour = dvec3(0.86, 0.42, 0.25);

/// Texels painted beyond an island's edge, so that bilinear sampling and coarser meshes stay inside.
const MARGIN: usize = 9;

/// Rings of triangles around an island that are also painted.
const RINGS: usize = 3;

/// Images of the mannequin, row by row from the top, with a side length of [`SIZE`] texels.
pub struct Mannequin {
    /// Colours, darker where the skin is hidden.
    pub colours: Vec<Colour>,
    /// Colours with eyes and dark grooves, for materials that also use the heights.
    pub detailed: Vec<Colour>,
    /// Heights: a face, seams and bolts; joints are ribbed.
    pub heights: Vec<Colour>,
    /// Specular reflectance.
    pub shine: Vec<Colour>,
    /// Emission at night: eyes, lines and the badge.
    pub glow: Vec<Colour>,
}

/// Paints the mannequin. `sample` is the mesh with the most detail.
pub fn mannequin(sample: &Sample) -> Mannequin {
    let body = Body::mannequin(Detail::Full);
    let light: Vec<f64> = sample.vertices.iter().map(|vertex| openness(&body, vertex.position)).collect();
    let grounds = [SHELL * 0.8, SHELL * 0.8, DVec3::splat(0.6), DVec3::splat(0.3), DVec3::ZERO];
    let [colours, detailed, heights, shine, glow] = painted(sample, grounds, |point, texel, corners, shares| {
        let marks = marks(&body, point, texel);
        let relief = relief(&marks, point, texel);
        let colour = colour(&marks, point);
        let [a, b, c] = corners.map(|vertex| light[vertex as usize]);
        let light = a * shares[0] + b * shares[1] + c * shares[2];
        let glow = (marks.line * (1.0 - marks.joint)).max(relief.lens).max(relief.badge);
        [
            colour * light,
            detailed(&relief, colour) * light,
            height(&relief, &marks, point),
            shine(&relief, &marks),
            DVec3::splat(glow),
        ]
    });
    Mannequin { colours, detailed, heights, shine, glow }
}

/// Encodes the mannequin's colours as a PNG.
///
/// # Errors
/// If the PNG encoder fails.
pub fn mannequin_png(images: &Mannequin) -> Result<Vec<u8>> {
    png(SIZE, SIZE, |x, y| images.colours[(y * SIZE + x) as usize])
}

/// Creates images. `paint` computes them from a point of the skin, the size of a texel there, and the corners of its
/// triangle with their shares. `grounds` are used where there is no skin.
fn painted<const IMAGES: usize>(
    sample: &Sample,
    grounds: [Colour; IMAGES],
    paint: impl Fn(DVec3, f64, [u32; 3], [f64; 3]) -> [Colour; IMAGES],
) -> [Vec<Colour>; IMAGES] {
    let points = |corners: [u32; 3]| corners.map(|vertex| sample.vertices[vertex as usize].position);
    let islands: Vec<Island> =
        sample.triangles.iter().map(|&corners| Island::of(sample.shares(corners), points(corners))).collect();
    let mut canvas = Canvas::new();
    for island in Island::ALL {
        // The island's own triangles are painted over those within a few rings around it.
        let own: Vec<bool> = islands.iter().map(|&other| other == island).collect();
        let mut near = own.clone();
        for _ in 0..RINGS {
            near = with_neighbours(sample, &near);
        }
        for chosen in [near, own] {
            let mut layer = Canvas::new();
            for (&corners, _) in sample.triangles.iter().zip(chosen).filter(|&(_, chosen)| chosen) {
                let points = points(corners);
                layer.triangle(island, points, |shares, texel| {
                    let [a, b, c] = shares;
                    paint(points[0] * a + points[1] * b + points[2] * c, texel, corners, shares)
                });
            }
            canvas.cover(&layer);
        }
    }
    for _ in 0..MARGIN {
        canvas.grow();
    }
    let texels = || (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (x, y)));
    std::array::from_fn(|n| texels().map(|(x, y)| canvas.at(x, y).map_or(grounds[n], |colours| colours[n])).collect())
}

/// Returns the chosen triangles and all that touch them, even across texture seams.
fn with_neighbours(sample: &Sample, chosen: &[bool]) -> Vec<bool> {
    let key = |vertex: u32| sample.vertices[vertex as usize].position.to_array().map(f64::to_bits);
    let corners = || sample.triangles.iter().zip(chosen);
    let touched: BTreeSet<_> =
        corners().filter(|&(_, &chosen)| chosen).flat_map(|(corners, _)| corners.map(key)).collect();
    corners().map(|(corners, _)| corners.iter().any(|&vertex| touched.contains(&key(vertex)))).collect()
}

/// Returns the visible share of the sky at a point of the skin, from about a half to 1.
fn openness(body: &Body, point: DVec3) -> f64 {
    let normal = body.gradient(point).normalize();
    let mut hidden = 0.0;
    let mut share = 0.5;
    for step in [0.5, 1.0, 2.0, 4.0] {
        hidden += share * ((step - body.distance(point + normal * step)) / step).clamp(0.0, 1.0);
        share *= 0.75;
    }
    1.0 - 0.5 * smoothstep(0.03, 1.1, hidden)
}

/// Returns 1 if the `distance` from an edge is negative, 0 outside, with a transition over `texel`.
fn within(distance: f64, texel: f64) -> f64 {
    smoothstep(texel, -texel, distance)
}

/// Marks at a point of the skin, each from 0 to 1.
struct Marks {
    /// Share of the bending parts.
    joint: f64,
    /// Share of the line along the joints' edges.
    line: f64,
    /// Share of the band on the left arm.
    band: f64,
    /// Share of an eye in the face.
    eye: f64,
    /// Distance to the edge of the nearest joint area in inches; negative inside.
    edge: f64,
    /// Position around the limb or the trunk, in turns about its axis.
    turn: f64,
    /// Approximate length of such a turn, in inches.
    girth: f64,
    /// True on an arm or a leg.
    on_limb: bool,
}

/// Returns the marks at a point where a texel covers `texel` inches.
fn marks(body: &Body, point: DVec3, texel: f64) -> Marks {
    let texel = (texel * 0.75).clamp(0.09, 0.3);
    let parts = body.parts(point);
    let side = usize::from(point.y < 0.0);
    // The distance to the edge of the nearest joint area. The line is outside of it.
    let mut edge = f64::MAX;
    let mut area = |distance: f64| edge = edge.min(distance);
    let on_arm = parts.arms[side] < parts.trunk;
    let on_leg = parts.legs[side] < parts.trunk && point.z < 38.0;
    if on_arm {
        let along = |from: DVec3, to: DVec3| {
            let [from, to] = [on_side(from, side), on_side(to, side)];
            (point - from).dot((to - from).normalize())
        };
        let elbow = (along(at::UPPER_ARM, at::HAND) - 12.0) * 0.9;
        area(elbow.abs() - 1.25);
        area((along(at::FOREARM, at::HAND) - at::FOREARM.distance(at::HAND)).abs() - 0.55);
    } else if on_leg {
        area((point.z - at::SHIN.z + 0.3).abs() - 1.7);
        // Boots.
        let ankle = (point - on_side(at::FOOT, side)).dot(dvec3(0.18, 0.0, 0.98));
        area(ankle - 2.4);
    } else {
        // The belly: its upper edge is an arch.
        let middle = 44.2 + 0.02 * point.y * point.y;
        area((point.z - middle).abs() - 2.7);
    }
    // Neck and shoulders: up to the jaw, down to an arch over the chest and a ring around each arm.
    let out = point.y.abs();
    let arch = (57.3 - 0.1 * out * out - point.z) / (1.0 + 0.04 * out * out).sqrt();
    let jaw = (point - at::HEAD).dot(dvec3(0.5, 0.0, 0.87)) + 0.4;
    let [shoulder, elbow] = [on_side(at::UPPER_ARM, side), on_side(at::FOREARM, side)];
    let sleeve = (point - shoulder).dot((elbow - shoulder).normalize()) - 3.5;
    if point.z > 47.0 {
        let pit = sleeve.max(parts.arms[side] - parts.trunk - 0.4);
        area(if on_arm { sleeve } else { jaw.max(arch).min(pit) });
    }
    let hip = on_side(at::THIGH, side);
    let groin = (hip - point).dot(dvec3(0.0, -0.5 * side_sign(side), 0.87));
    if point.z < 41.5 && !on_arm {
        area((groin - 0.6).abs() - 0.62);
    }
    let (island, girth) = match () {
        () if on_arm => (Island::Arm(side), 9.5),
        () if on_leg => (Island::Leg(side), 16.0),
        () if point.z > 61.0 => (Island::Head, 20.0),
        () => (Island::Torso, 33.0),
    };
    let eye = dvec3(3.6, 1.3, 67.75) - dvec3(point.x, point.y.abs(), point.z);
    let eye = dvec3(eye.x * 0.5, eye.y, eye.z * 1.5).length();
    Marks {
        joint: within(edge, texel),
        line: within((edge - 0.27).abs() - 0.17, texel),
        band: if on_arm && side == 0 { within((sleeve - 2.5).abs() - 0.9, texel) } else { 0.0 },
        eye: smoothstep(1.15, 0.3, eye),
        edge,
        turn: island.unrolled(point).x,
        girth,
        on_limb: on_arm || on_leg,
    }
}

/// Returns the colour of a marked point.
fn colour(marks: &Marks, point: DVec3) -> Colour {
    // Shells are a little warmer and darker towards the ground.
    let shell = SHELL.lerp(dvec3(0.82, 0.745, 0.64), 0.5 * smoothstep(45.0, 0.0, point.z));
    // One arm's band distinguishes left from right. Eyes are only a shade.
    let colour = shell.lerp(LINE, marks.band).lerp(LINE, marks.line).lerp(JOINT, marks.joint);
    colour.lerp(JOINT, 0.45 * marks.eye)
}

/// Relief of the shells.
struct Relief {
    /// Height, negative below the surface. The range of heights is 1.
    height: f64,
    /// 1 in a groove.
    groove: f64,
    /// 1 on the glass of an eye.
    lens: f64,
    /// 1 on the badge on the chest.
    badge: f64,
    /// 1 on metal: bolts and the discs over the ears.
    metal: f64,
}

/// Returns a bell curve about 0 with this `width`.
fn bell(distance: f64, width: f64) -> f64 {
    let share = distance / width;
    libm::exp(-share * share)
}

/// Returns the height of half a sphere about 0, 1 in its middle.
fn dome(distance: f64, radius: f64) -> f64 {
    let share = distance / radius;
    (1.0 - share * share).max(0.0).sqrt()
}

/// Returns the relief at a marked point where a texel covers `texel` inches.
fn relief(marks: &Marks, point: DVec3, texel: f64) -> Relief {
    let texel = (texel * 0.75).clamp(0.09, 0.3);
    let DVec3 { x, y, z } = point;
    let out = y.abs();
    let mut relief = Relief { height: 0.0, groove: 0.0, lens: 0.0, badge: 0.0, metal: 0.0 };
    let seam = |distance: f64| within(distance.abs() - 0.07, texel);
    if !marks.on_limb && z > 62.0 && marks.edge > 0.0 {
        // The head: a plate with the face in front, discs over the ears, a seam over the crown.
        let plate = (DVec2::new(y / 2.5, (z - 66.7) / 3.9).length() - 1.0) * 2.5;
        if x > 0.0 {
            relief.groove = seam(plate);
            face(&mut relief, out, z, texel);
        }
        let ear = DVec2::new(x + 0.1, z - 66.9).length();
        if out > 2.0 {
            relief.metal = within(ear - 0.95, texel);
            relief.height += 0.14 * relief.metal + 0.1 * dome(ear, 0.35);
            relief.groove = relief.groove.max(seam(ear - 1.05)).max(0.7 * seam(ear - 0.6));
        }
        if x < 0.0 || plate > 0.3 {
            relief.groove = relief.groove.max(seam(y));
        }
    } else if marks.edge > 0.45 {
        // Bolts around the joints.
        let bolts = libm::round(marks.girth / 1.9);
        let place = marks.turn * bolts;
        let beside = (place - libm::floor(place) - 0.5) / bolts * marks.girth;
        let bolt = DVec2::new(beside, marks.edge - 0.95).length();
        relief.metal = within(bolt - 0.26, texel);
        relief.height = 0.2 * dome(bolt, 0.3);
        if marks.on_limb {
            // Shells of two halves.
            let turn = marks.turn - 0.25;
            let half = (turn * 2.0 - libm::round(turn * 2.0)) * 0.5 * marks.girth;
            relief.groove = seam(half) * smoothstep(1.3, 1.5, marks.edge);
        } else if z > 46.0 {
            trunk(&mut relief, point, texel);
        }
    }
    relief
}

/// Adds eyes, brows, nose and mouth to one half of the face.
fn face(relief: &mut Relief, out: f64, z: f64, texel: f64) {
    let eye = DVec2::new(out - 1.25, (z - 67.6) * 1.3).length();
    relief.lens = within(eye - 0.6, texel);
    relief.height += 0.45 * dome(eye, 0.62) - 0.3 * smoothstep(1.25, 0.7, eye);
    relief.groove = relief.groove.max(0.8 * within((eye - 0.68).abs() - 0.06, texel));
    let brow = 69.0 - 0.14 * (out - 1.1) * (out - 1.1);
    relief.height += 0.2 * bell(z - brow, 0.33) * smoothstep(2.5, 1.9, out) * smoothstep(0.1, 0.5, out);
    // The nose gets wider and higher towards its tip, and ends below it.
    let tip = smoothstep(68.6, 65.6, z);
    relief.height += 0.42 * tip * bell(out, 0.3 + 0.3 * tip) * smoothstep(65.05, 65.5, z);
    let line = 64.25 + 0.06 * out * out;
    let ends = smoothstep(1.15, 0.9, out);
    relief.groove = relief.groove.max(within((z - line).abs() - 0.07, texel) * ends);
    relief.height += 0.12 * (bell(z - line - 0.3, 0.22) + bell(z - line + 0.32, 0.25)) * ends;
    // Cheeks.
    let cheek = DVec2::new(out - 1.9, (z - 65.7) * 0.8).length();
    relief.height += 0.12 * bell(cheek, 0.8);
}

/// Adds chest and back: plates, a badge, a row of plates along the spine.
fn trunk(relief: &mut Relief, point: DVec3, texel: f64) {
    let DVec3 { x, y, z } = point;
    let seam = |distance: f64| within(distance.abs() - 0.07, texel);
    if x > 0.0 {
        relief.groove = seam(y).max(seam(z - 49.6 - 0.05 * y * y));
        let badge = DVec2::new(y - 2.6, z - 52.6).length();
        relief.badge = within((badge - 0.55).abs() - 0.12, texel);
        relief.height += 0.12 * within(badge - 0.85, texel) - 0.12 * relief.badge;
    } else {
        let link = z / 1.5 - libm::floor(z / 1.5) - 0.5;
        let plate = (y.abs() - 0.75).max((link.abs() - 0.38) * 1.5);
        relief.height += 0.16 * within(plate, texel);
        relief.groove = relief.groove.max(seam(y.abs() - 3.2));
    }
}

/// Returns the colour of a point with a relief.
fn detailed(relief: &Relief, colour: Colour) -> Colour {
    /// Glass, and the area behind it.
    const GLASS: Colour = dvec3(0.05, 0.075, 0.1);
    const METAL: Colour = dvec3(0.55, 0.57, 0.6);
    let colour = colour.lerp(METAL, 0.8 * relief.metal).lerp(LINE, relief.badge);
    (colour * (1.0 - 0.45 * relief.groove)).lerp(GLASS, relief.lens)
}

/// Returns the height of the skin at a marked point, from 0 to 1, as a grey.
fn height(relief: &Relief, marks: &Marks, point: DVec3) -> Colour {
    // Joints are cloth with ribs around the body, about four per inch; boots have none on top.
    let ribs = 0.5 + 0.5 * libm::sin(point.z * std::f64::consts::TAU * 1.6) * smoothstep(3.2, 5.2, point.z);
    let height = 0.5 + 0.1 * marks.band + relief.height;
    let height = height + (0.15 + 0.18 * ribs - height) * marks.joint;
    let height = height + (0.05 - height) * marks.line;
    DVec3::splat(height - 0.25 * relief.groove)
}

/// Returns the shininess of a marked point, from 0 to 1, as a grey: glass and metal are above shells, cloth is 0.
fn shine(relief: &Relief, marks: &Marks) -> Colour {
    let shine = 0.55 + (0.8 - 0.55) * relief.metal;
    let shine = shine + (0.06 - shine) * marks.joint;
    let shine = shine + (0.2 - shine) * marks.line.max(relief.groove);
    DVec3::splat(shine + (1.0 - shine) * relief.lens)
}

/// Returns the cylinder's texture as a PNG: rings and lines that make bends and twists visible.
///
/// # Errors
/// If the PNG encoder fails.
pub fn cylinder() -> Result<Vec<u8>> {
    const WIDE: u32 = 192;
    const HIGH: u32 = 384;
    png(WIDE, HIGH, |x, y| {
        let (u, v) = ((f64::from(x) + 0.5) / f64::from(WIDE), (f64::from(y) + 0.5) / f64::from(HIGH));
        // Twelve lines around, twenty-eight rings: squares of about two inches.
        let near = |value: f64, count: f64| (value * count - libm::round(value * count)).abs();
        let line = smoothstep(0.09, 0.05, near(u, 12.0)).max(smoothstep(0.09, 0.05, near(v, 28.0)));
        let stripe = smoothstep(0.25, 0.22, near(u, 3.0));
        SHELL.lerp(LINE, stripe * 0.85).lerp(JOINT, line * 0.8)
    })
}

/// Returns the texture of the banner: the pole's colour on the left, stripes along the cloth.
///
/// # Errors
/// If the PNG encoder fails.
pub fn banner() -> Result<Vec<u8>> {
    const SIDE: u32 = 64;
    png(SIDE, SIDE, |x, _| {
        let u = (f64::from(x) + 0.5) / f64::from(SIDE);
        match u < POLE_SHARE {
            true => JOINT,
            false if (u * 16.0).floor() % 4.0 == 2.0 => SHELL,
            false => LINE,
        }
    })
}

fn png(wide: u32, high: u32, colour: impl Fn(u32, u32) -> Colour) -> Result<Vec<u8>> {
    let mut pixels = Vec::new();
    for (y, x) in (0..high).flat_map(|y| (0..wide).map(move |x| (y, x))) {
        let texel = (colour(x, y).clamp(DVec3::ZERO, DVec3::ONE) * 255.0 + 0.5).floor();
        pixels.extend(texel.to_array().map(|channel| channel as u8));
    }
    let mut bytes = Vec::new();
    PngEncoder::new_with_quality(
        &mut bytes,
        image::codecs::png::CompressionType::Best,
        image::codecs::png::FilterType::Adaptive,
    )
    .write_image(&pixels, wide, high, ExtendedColorType::Rgb8)
    .context("cannot encode a texture")?;
    Ok(bytes)
}

/// Images painted triangle by triangle. Texels covered several times get the mean.
struct Canvas<const IMAGES: usize> {
    sums: Vec<[Colour; IMAGES]>,
    counts: Vec<u32>,
}

impl<const IMAGES: usize> Canvas<IMAGES> {
    fn new() -> Self {
        let texels = (SIZE * SIZE) as usize;
        Self { sums: vec![[DVec3::ZERO; IMAGES]; texels], counts: vec![0; texels] }
    }

    fn at(&self, x: u32, y: u32) -> Option<[Colour; IMAGES]> {
        let texel = (y * SIZE + x) as usize;
        (self.counts[texel] > 0).then(|| self.sums[texel].map(|sum| sum / f64::from(self.counts[texel])))
    }

    /// Paints a triangle of the skin at its position in the island, on both sides of its cut.
    fn triangle(&mut self, island: Island, points: [DVec3; 3], colours: impl Fn([f64; 3], f64) -> [Colour; IMAGES]) {
        let middle = island.unrolled((points[0] + points[1] + points[2]) / 3.0).x;
        let turns = points.map(|point| libm::round(middle - island.unrolled(point).x));
        for shift in [-1.0, 0.0, 1.0] {
            let corners = [0, 1, 2].map(|n| island.texel(points[n], turns[n] + shift));
            let low = corners[0].min(corners[1]).min(corners[2]).floor();
            let high = corners[0].max(corners[1]).max(corners[2]).ceil();
            let [left, right] = island.columns(MARGIN as f64);
            let whole = cross(corners[1] - corners[0], corners[2] - corners[0]);
            if whole.abs() < 1e-9 || high.x - low.x > f64::from(SIZE) / 4.0 {
                continue;
            }
            // Movement of the point from one texel to the next, along a row and along a column.
            let [u, v] = [corners[1] - corners[0], corners[2] - corners[0]];
            let [s, t] = [points[1] - points[0], points[2] - points[0]];
            let texel_size = ((s * v.y - t * u.y) / whole).length().max(((t * u.x - s * v.x) / whole).length());
            for y in low.y.max(0.0) as u32..(high.y.min(f64::from(SIZE))).max(0.0) as u32 {
                for x in low.x.max(left) as u32..(high.x.min(right)).max(0.0) as u32 {
                    let here = DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5);
                    let a = cross(corners[1] - here, corners[2] - here) / whole;
                    let b = cross(corners[2] - here, corners[0] - here) / whole;
                    let shares = [a, b, 1.0 - a - b];
                    if shares.iter().all(|&share| share >= -1e-9) {
                        let texel = (y * SIZE + x) as usize;
                        let colours = colours(shares, texel_size);
                        self.sums[texel].iter_mut().zip(colours).for_each(|(sum, colour)| *sum += colour);
                        self.counts[texel] += 1;
                    }
                }
            }
        }
    }

    /// Paints `over` on top.
    fn cover(&mut self, over: &Self) {
        for texel in (0..self.counts.len()).filter(|&texel| over.counts[texel] > 0) {
            self.sums[texel] = over.sums[texel];
            self.counts[texel] = over.counts[texel];
        }
    }

    /// Fills empty texels next to painted ones with the mean of their neighbours.
    fn grow(&mut self) {
        let mut grown = Vec::new();
        for (y, x) in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| (y, x))) {
            if self.at(x, y).is_some() {
                continue;
            }
            let beside = [(x.wrapping_sub(1), y), (x + 1, y), (x, y.wrapping_sub(1)), (x, y + 1)];
            let painted: Vec<[Colour; IMAGES]> =
                beside.into_iter().filter(|&(x, y)| x < SIZE && y < SIZE).filter_map(|(x, y)| self.at(x, y)).collect();
            if !painted.is_empty() {
                let count = painted.len() as f64;
                let mean = |n| painted.iter().map(|colours| colours[n]).sum::<Colour>() / count;
                grown.push(((y * SIZE + x) as usize, std::array::from_fn(mean)));
            }
        }
        for (texel, colours) in grown {
            self.sums[texel] = colours;
            self.counts[texel] = 1;
        }
    }
}

fn cross(a: DVec2, b: DVec2) -> f64 {
    a.x * b.y - a.y * b.x
}
