//! Example poses for spherical joint blending: the intended shape when one joint is turned.
//!
//! Article 000 section 5.3: each example is modelled with the skeleton in the bind pose except for one joint. It only
//! affects vertices that the joint's parent influences and the grandparent does not.

use crate::cylinder;
use crate::maths::{pitch, roll, smooth_min, smoothstep, turn};
use crate::md5;
use crate::rig::{Placed, at, id, on_side, side_sign};
use crate::sample::{Sample, Vertex};
use crate::shape::{Body, Detail};
use glam::{DQuat, DVec3, dvec3};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A model with one joint turned, as if modelled by hand.
pub struct Example {
    /// The mesh file's name without extension.
    pub name: String,
    /// The joint.
    pub joint: usize,
    /// Its rotation from the bind pose, in model axes.
    pub turn: DQuat,
    /// Every vertex of the model, in the model's order, in model space of the example's pose.
    pub positions: Vec<DVec3>,
}

impl Example {
    /// Returns the mesh in the example's pose: the same vertices and triangles, each vertex bound to its strongest
    /// joint.
    pub fn sample(&self, model: &Sample) -> Sample {
        let mut joints = model.joints.clone();
        let pivot = joints[self.joint].bind.position;
        for index in 0..joints.len() {
            let mut above = Some(index);
            while let Some(joint) = above.filter(|&joint| joint != self.joint) {
                above = joints[joint].parent;
            }
            if above.is_some() {
                let Placed { position, rotation } = joints[index].bind;
                joints[index].bind = Placed {
                    position: pivot + self.turn * (position - pivot),
                    rotation: (self.turn * rotation).normalize(),
                };
            }
        }
        let vertices = model.vertices.iter().zip(&self.positions).map(|(vertex, &position)| Vertex {
            position,
            uv: vertex.uv,
            shares: vec![(strongest(vertex), 1.0)],
        });
        Sample { shader: model.shader, joints, vertices: vertices.collect(), triangles: model.triangles.clone() }
    }
}

fn strongest(vertex: &Vertex) -> usize {
    let first = vertex.shares[0];
    vertex.shares.iter().fold(first, |best, &share| if share.1 > best.1 { share } else { best }).0
}

/// Returns the list for the file next to the model, `MODEL.examples.toml`.
pub fn list(model: &Sample, folder: &str, examples: &[Example]) -> String {
    let mut out = String::from(
        "# Example poses for the skinning method sjbbe: the model with one joint turned away from the bind pose.\n\
         # joint: its name. rotation: its turn in its parent's axes, a unit quaternion x, y, z, w for column vectors,\n\
         # so that local = rotation * bind local. mesh: the vertices in that pose, in the model's order.\n",
    );
    let bind = md5::bind_as_written(&model.joints);
    for example in examples {
        let parent = model.joints[example.joint].parent.map_or(DQuat::IDENTITY, |parent| bind[parent].1);
        let DQuat { x, y, z, w } = (parent.conjugate() * example.turn * parent).normalize();
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "\n[[example]]\njoint = \"{}\"\nrotation = [{x:.9}, {y:.9}, {z:.9}, {w:.9}]\nmesh = \"{folder}/{}.md5mesh\"\n",
            model.joints[example.joint].name, example.name
        );
    }
    out.replace("-0.000000000", "0.000000000")
}

/// Returns the cylinder as an elbow that keeps its volume, bent by 60 and by 120 degrees.
pub fn cylinder(model: &Sample) -> Vec<Example> {
    let rest = volume(model, model.vertices.iter().map(|vertex| vertex.position));
    [60.0, 120.0]
        .map(|degrees: f64| {
            // Bisection finds the swelling that compensates for the volume lost by bending.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..48 {
                let swelling = (low + high) * 0.5;
                let bent = model.vertices.iter().map(|vertex| elbow(vertex.position, degrees, swelling));
                if volume(model, bent) < rest {
                    low = swelling;
                } else {
                    high = swelling;
                }
            }
            Example {
                name: format!("cylinder_upper_{degrees}"),
                joint: 1,
                turn: pitch(degrees),
                positions: model.vertices.iter().map(|vertex| elbow(vertex.position, degrees, low)).collect(),
            }
        })
        .into()
}

/// Bends a point of the cylinder around an arc where both bones influence it, with a swelling below the joint like a
/// muscle's.
fn elbow(point: DVec3, degrees: f64, swelling: f64) -> DVec3 {
    let reach = cylinder::REACH;
    let (start, end) = (cylinder::BONE - reach, cylinder::BONE + reach);
    if point.z >= end {
        let joint = dvec3(0.0, 0.0, cylinder::BONE);
        return joint + pitch(degrees) * (point - joint);
    }
    let along = smoothstep(3.0, 17.0, point.z) * smoothstep(end, 20.0, point.z);
    let mut wide = point * (1.0 + swelling * along);
    let bend = ((point.z - start) / (2.0 * reach)).max(0.0);
    // The arc that touches both bones' axes where the sharing begins and ends. Its inner side stays on its side.
    let radius = reach / libm::tan(degrees.to_radians() * 0.5);
    let squeezed = smooth_min(wide.x, radius * 0.9, 1.2);
    wide.x += (squeezed - wide.x) * smoothstep(0.0, 0.35, bend) * smoothstep(1.0, 0.65, bend);
    let (sin, cos) = libm::sincos((degrees * bend).to_radians());
    let center = dvec3(radius * (1.0 - cos), 0.0, start.min(point.z) + radius * sin);
    center + dvec3(cos, 0.0, -sin) * wide.x + DVec3::Y * wide.y
}

fn volume(model: &Sample, positions: impl Iterator<Item = DVec3>) -> f64 {
    let positions: Vec<DVec3> = positions.collect();
    let corners = model.triangles.iter().map(|corners| corners.map(|vertex| positions[vertex as usize]));
    corners.map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// Returns a raised shoulder and a bent forearm with a tense biceps, left and right.
pub fn mannequin(model: &Sample) -> Vec<Example> {
    let body = Body::mannequin(Detail::Light);
    let both = [0, 1].map(|side| [raised(&body, model, side), tense(model, side)]);
    both.into_iter().flatten().collect()
}

/// Returns the pose with the arm raised above the shoulder: the skin is smoothed on the body with its arm turned.
fn raised(body: &Body, model: &Sample, side: usize) -> Example {
    let joint = id::UPPER_ARM[side];
    let turn = roll(65.0 * side_sign(side));
    let pivot = on_side(at::UPPER_ARM, side);
    let turned: Vec<f64> =
        model.vertices.iter().map(|vertex| pulled(vertex, id::UPPER_ARM[side]..=id::HAND[side])).collect();
    let posed = |(vertex, &share): (&Vertex, &f64)| pivot + blended(turn, share) * (vertex.position - pivot);
    let mut positions: Vec<DVec3> = model.vertices.iter().zip(&turned).map(posed).collect();
    let neighbours = neighbours(model);
    for _ in 0..12 {
        let moved = (0..positions.len()).map(|vertex| {
            // Only where both sides of the joint influence a vertex: other vertices ignore examples.
            let share = if supported(model, vertex, joint) { smoothstep(1.0, 0.9, turned[vertex]) } else { 0.0 };
            let here = positions[vertex];
            if share == 0.0 {
                return here;
            }
            let around: DVec3 = neighbours[vertex].iter().map(|&other| positions[other]).sum();
            let middle = here.lerp(around / neighbours[vertex].len() as f64, 0.5);
            here.lerp(body.towards_raised(middle, side, turn, pivot), share)
        });
        positions = moved.collect();
    }
    let name = format!("mannequin_light_{}_raised", model.joints[joint].name);
    Example { name, joint, turn, positions }
}

/// True if the parent of `joint` influences a vertex and the grandparent does not.
fn supported(model: &Sample, vertex: usize, joint: usize) -> bool {
    let parent = model.joints[joint].parent;
    let pulls = |joint: usize| model.vertices[vertex].shares.iter().any(|&(other, _)| other == joint);
    parent.is_some_and(pulls) && !parent.and_then(|parent| model.joints[parent].parent).is_some_and(pulls)
}

/// For each vertex, returns one vertex at each adjacent position. Copies of a vertex at a texture seam have the same
/// neighbours.
fn neighbours(model: &Sample) -> Vec<Vec<usize>> {
    let key = |vertex: u32| model.vertices[vertex as usize].position.to_array().map(f64::to_bits);
    let mut first = BTreeMap::new();
    let mut around: BTreeMap<_, BTreeSet<usize>> = BTreeMap::new();
    for &vertex in model.triangles.iter().flatten() {
        first.entry(key(vertex)).or_insert(vertex as usize);
    }
    for &[a, b, c] in &model.triangles {
        for [here, other] in [[a, b], [b, c], [c, a], [b, a], [c, b], [a, c]] {
            around.entry(key(here)).or_default().insert(first[&key(other)]);
        }
    }
    (0..model.vertices.len() as u32).map(|vertex| around[&key(vertex)].iter().copied().collect()).collect()
}

/// Returns the pose with the forearm bent and the biceps thick.
fn tense(model: &Sample, side: usize) -> Example {
    let joint = id::FOREARM[side];
    let [shoulder, pivot] = [on_side(at::UPPER_ARM, side), on_side(at::FOREARM, side)];
    let turn = turn(model.joints[joint].bind.rotation * DVec3::Y, 110f64.to_radians());
    let axis = (pivot - shoulder).normalize();
    let front = (DVec3::X - axis * axis.x).normalize();
    let positions = model.vertices.iter().enumerate().map(|(index, vertex)| {
        let arm = pulled(vertex, id::UPPER_ARM[side]..=id::HAND[side]);
        let turned = pulled(vertex, joint..=id::HAND[side]);
        let away = vertex.position - shoulder;
        let along = away.dot(axis) / shoulder.distance(pivot);
        let round = (away - axis * away.dot(axis)).normalize_or_zero();
        let facing = round.dot(front);
        // The biceps bulges in front, the triceps a little behind, and the point of the elbow stands out.
        let belly = smoothstep(0.18, 0.55, along) * smoothstep(0.98, 0.6, along);
        let tip = smoothstep(0.8, 1.0, along) * smoothstep(1.25, 1.02, along);
        let swollen = belly * (0.12 + 0.75 * smoothstep(-0.2, 0.9, facing) + 0.12 * smoothstep(0.2, 0.9, -facing))
            + tip * 0.15 * smoothstep(0.3, 1.0, -facing);
        let swollen = if supported(model, index, joint) { swollen * smoothstep(0.4, 1.0, arm) } else { 0.0 };
        let shaped = vertex.position + round * swollen;
        pivot + blended(turn, turned) * (shaped - pivot)
    });
    let name = format!("mannequin_light_{}_tense", model.joints[joint].name);
    Example { name, joint, turn, positions: positions.collect() }
}

/// Returns the share of a range of joints in a vertex.
fn pulled(vertex: &Vertex, joints: std::ops::RangeInclusive<usize>) -> f64 {
    let shares = vertex.shares.iter().filter(|(joint, _)| joints.contains(joint));
    shares.map(|&(_, share)| share).sum()
}

/// Interpolates between no turn and `turn` as spherical joint blending does.
fn blended(turn: DQuat, share: f64) -> DQuat {
    (DQuat::IDENTITY * (1.0 - share) + turn * share).normalize()
}
