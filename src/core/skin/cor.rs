//! Optimised centres of rotation (Le and Hodgins 2016).

use super::cost::Reduced;
use super::joined::Joined;
use super::linear::{push_frame, push_turned, weighted_sum};
use super::rotation::{blend, rotations};
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::{DAffine3, DVec3};
use rayon::prelude::*;
use std::collections::HashMap;

/// Width of the similarity between two sets of weights: the paper's sigma.
const SIGMA: f64 = 0.1;

/// Computes the centre of rotation of every vertex in the bind pose's model space: the mean of the triangles' centres,
/// weighted by area and by the similarity of their weights to those of the vertex.
///
/// `c = sum s(w_v, w_t) area_t centre_t / sum s(w_v, w_t) area_t` over triangles `t` with the mean weights of their
/// corners, and `s(a, b) = sum over joints j != k of a_j a_k b_j b_k exp(-(a_j b_k - a_k b_j)^2 / SIGMA^2)`. A vertex
/// similar to no triangle (only one joint) is its own centre, since every centre gives the same result.
pub fn centres_of_rotation(mesh: &Mesh) -> Vec<DVec3> {
    let surface = WeightedSurface::new(mesh);
    (0..mesh.vertex_count())
        .into_par_iter()
        .map(|vertex| {
            let weights = sparse_weights(mesh, &[vertex as u32]);
            surface.centre(&weights).unwrap_or(mesh.positions[vertex].as_dvec3())
        })
        .collect()
}

/// Computes the centres over the triangles of all meshes, so that seams stay closed.
pub(super) fn prepare(meshes: &[Reduced]) -> Vec<Vec<DVec3>> {
    let Joined { mesh, vertices } = Joined::new(meshes);
    let centres = centres_of_rotation(&mesh);
    vertices.into_iter().map(|range| centres[range].to_vec()).collect()
}

/// A triangle and its weights for one pair of joints.
struct PairWeights {
    triangle: u32,
    weights: [f64; 2],
}

struct WeightedSurface {
    /// Area and centre of each triangle.
    triangles: Vec<(f64, DVec3)>,
    /// Triangles influenced by both slots of a pair (lower first).
    by_pair: HashMap<[u32; 2], Vec<PairWeights>>,
}

impl WeightedSurface {
    fn new(mesh: &Mesh) -> Self {
        let mut surface = Self { triangles: Vec::new(), by_pair: HashMap::new() };
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = corners.map(|corner| mesh.positions[corner as usize].as_dvec3());
            surface.triangles.push(((b - a).cross(c - a).length() / 2.0, (a + b + c) / 3.0));
            pairs(&sparse_weights(mesh, corners), |slots, weights| {
                surface.by_pair.entry(slots).or_default().push(PairWeights { triangle: number as u32, weights });
            });
        }
        surface
    }

    fn centre(&self, vertex: &[(u32, f64)]) -> Option<DVec3> {
        let mut sum = DVec3::ZERO;
        let mut total = 0.0;
        pairs(vertex, |slots, [own_j, own_k]| {
            for seen in self.by_pair.get(&slots).map_or(&[][..], |seen| seen) {
                let [j, k] = seen.weights;
                let unlike = (own_j * k - own_k * j) / SIGMA;
                let (area, centre) = self.triangles[seen.triangle as usize];
                let share = area * own_j * own_k * j * k * (-unlike * unlike).exp();
                sum += centre * share;
                total += share;
            }
        });
        (total > 0.0).then(|| sum / total)
    }
}

/// Returns the mean weights of some vertices, sorted by slot.
fn sparse_weights(mesh: &Mesh, vertices: &[u32]) -> Vec<(u32, f64)> {
    let mut weights: Vec<(u32, f64)> = Vec::new();
    for influence in vertices.iter().flat_map(|&vertex| mesh.influences_of(vertex as usize)) {
        let weight = f64::from(influence.weight) / vertices.len() as f64;
        match weights.iter_mut().find(|(slot, _)| *slot == influence.slot) {
            Some((_, sum)) => *sum += weight,
            None => weights.push((influence.slot, weight)),
        }
    }
    weights.sort_unstable_by_key(|&(slot, _)| slot);
    weights
}

fn pairs(weights: &[(u32, f64)], mut each: impl FnMut([u32; 2], [f64; 2])) {
    for (place, &(j, weight_j)) in weights.iter().enumerate() {
        for &(k, weight_k) in &weights[place + 1..] {
            each([j, k], [weight_j, weight_k]);
        }
    }
}

/// Computes `p = Q (v - c) + (sum w_i palette[i]) c`, with the signs of quaternions relative to the vertex' first
/// influence.
pub(super) fn skin(mesh: &Mesh, centres: &[DVec3], palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let rotations = rotations(palette);
    for (vertex, &centre) in centres.iter().enumerate() {
        let influences = mesh.influences_of(vertex);
        let Some(first) = influences.first() else {
            push_frame(out, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            continue;
        };
        let blended = weighted_sum(palette, influences);
        let rotation = blend(&rotations, first, influences);
        let position = rotation * (mesh.positions[vertex].as_dvec3() - centre) + blended.transform_point3(centre);
        push_turned(out, mesh, vertex, position, rotation);
    }
}
