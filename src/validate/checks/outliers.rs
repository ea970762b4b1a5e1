//! Vertices far from the rest of their mesh: a wrong joint or a wrong digit shows as a spike.

use super::geometry::{bind_maps, positions, weights_of};
use bindpose_core::import::md5::placed;
use bindpose_core::model::bounds_of;
use bindpose_parsers::md5::{Mesh, MeshFile, Weight};
use glam::{DAffine3, DVec3};

/// Number of vertices from which a mesh has a typical edge length.
const FEWEST: usize = 12;
/// Ratio of a spike to the shortest edges of nine in ten vertices.
const UNUSUAL: f64 = 8.0;
/// Length from which a spike is reported if its joints differ from those of its neighbours, as a fraction of the size.
const FAR: f64 = 0.25;
/// Length from which a spike is always reported, as a fraction of the size. A cone may have a shorter apex.
const VERY_FAR: f64 = 1.0;
/// Deviation of a vertex's weight sum from 1 that explains its position by itself.
const OTHER_SUM: f64 = 1e-3;

/// Largest number of spikes examined per mesh.
const MOST: usize = 100;

/// A vertex far from all its neighbours.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spike {
    pub vertex: usize,
    /// Distance to the nearest neighbour, in model units.
    pub distance: f64,
    /// Distance as a fraction of the size of the rest of the mesh.
    pub share: f64,
}

/// Finds vertices whose shortest edge is unusually long and at least a quarter of the mesh's size. The size is the
/// diagonal of all other vertices, at least `size`. Vertices without edges are ignored, and so are spikes after the
/// first hundred.
pub fn spikes(points: &[DVec3], edges: impl Iterator<Item = (u32, u32)>, size: f64) -> Vec<Spike> {
    if points.len() < FEWEST {
        return Vec::new();
    }
    let mut nearest = vec![f64::INFINITY; points.len()];
    for (a, b) in edges {
        let (Some(&one), Some(&other)) = (points.get(a as usize), points.get(b as usize)) else { continue };
        let length = one.distance(other);
        if length > 0.0 {
            nearest[a as usize] = nearest[a as usize].min(length);
            nearest[b as usize] = nearest[b as usize].min(length);
        }
    }
    let mut lengths: Vec<f64> = nearest.iter().copied().filter(|length| length.is_finite()).collect();
    let tenth = lengths.len() / 10;
    if tenth == 0 {
        return Vec::new();
    }
    // In the standard library's size-optimised version, used by the web page, selection is quadratic for equal lengths.
    lengths.sort_unstable_by(f64::total_cmp);
    let usual = lengths[lengths.len() - 1 - tenth];
    let is_long = |length: f64| length.is_finite() && length > UNUSUAL * usual;
    let rest = points.iter().zip(&nearest).filter(|&(_, &length)| !is_long(length)).map(|(point, _)| *point);
    let size = diagonal(rest).max(size);
    let spike = |(vertex, &distance): (usize, &f64)| Spike { vertex, distance, share: distance / size };
    let long = nearest.iter().enumerate().filter(|&(_, &length)| is_long(length));
    long.map(spike).filter(|spike| spike.share >= FAR).take(MOST).collect()
}

/// Returns the diagonal of the bounding box of points. Returns 0 if there are none.
pub fn diagonal(points: impl Iterator<Item = DVec3>) -> f64 {
    bounds_of(points).map_or(0.0, |(min, max)| min.distance(max))
}

/// Finds the spikes of a mesh that neither a cone nor the sum of their weights explains. `points` are the vertices in
/// the bind pose.
pub fn spikes_of(mesh: &Mesh, points: &[DVec3], maps: &[DAffine3]) -> Vec<Spike> {
    let edges = || mesh.tris.iter().flat_map(|tri| sides(tri.corners));
    let mut spikes = spikes(points, edges(), diagonal(maps.iter().map(|map| map.translation)));
    spikes.retain(|spike| {
        let sum: f64 = weights_of(mesh, spike.vertex).iter().map(|weight| weight.bias).sum();
        (sum - 1.0).abs() <= OTHER_SUM && (spike.share > VERY_FAR || is_on_other_joints(mesh, spike.vertex, edges()))
    });
    spikes
}

/// Returns the edges of a triangle.
pub fn sides([a, b, c]: [u32; 3]) -> [(u32, u32); 3] {
    [(a, b), (b, c), (c, a)]
}

/// True if the heaviest weight of a vertex belongs to a joint that moves none of its neighbours.
fn is_on_other_joints(mesh: &Mesh, vertex: usize, edges: impl Iterator<Item = (u32, u32)>) -> bool {
    let heaviest = weights_of(mesh, vertex).iter().max_by(|a, b| a.bias.total_cmp(&b.bias));
    let Some(joint) = heaviest.map(|weight| weight.joint) else { return false };
    let mut neighbours = neighbours(vertex, edges);
    neighbours.all(|neighbour| weights_of(mesh, neighbour).iter().all(|weight| weight.joint != joint))
}

fn neighbours(vertex: usize, edges: impl Iterator<Item = (u32, u32)>) -> impl Iterator<Item = usize> {
    edges.filter_map(move |(a, b)| match vertex {
        _ if a as usize == vertex => Some(b as usize),
        _ if b as usize == vertex => Some(a as usize),
        _ => None,
    })
}

/// Returns the index, within the mesh, of the weight that pulls a vertex farthest from its neighbours.
pub fn culprit(mesh: &Mesh, vertex: usize, points: &[DVec3], maps: &[DAffine3]) -> Option<usize> {
    let edges = mesh.tris.iter().flat_map(|tri| sides(tri.corners));
    let near: Vec<DVec3> = neighbours(vertex, edges).filter_map(|vertex| points.get(vertex)).copied().collect();
    let middle = near.iter().sum::<DVec3>() / near.len().max(1) as f64;
    let pull = |weight: &&Weight| placed(weight, maps).distance(middle) * weight.bias.abs();
    let weights = weights_of(mesh, vertex).iter().enumerate();
    let (slot, _) = weights.max_by(|(_, a), (_, b)| pull(a).total_cmp(&pull(b)))?;
    Some(mesh.verts.get(vertex)?.first_weight as usize + slot)
}

/// True if a mesh of the file has a spike.
pub fn has_spikes(file: &MeshFile) -> bool {
    let maps = bind_maps(file);
    file.meshes.iter().any(|mesh| !spikes_of(mesh, &positions(mesh, &maps), &maps).is_empty())
}

/// For each mesh, true for the vertices whose weights do not sum to 1. Empty if none do so, or more than one of a hundred:
/// then it is the exporter's custom.
pub fn wrong_sums(file: &MeshFile) -> Vec<Vec<bool>> {
    let is_wrong = |weights: &[Weight]| (weights.iter().map(|weight| weight.bias).sum::<f64>() - 1.0).abs() > OTHER_SUM;
    let of_mesh = |mesh: &Mesh| (0..mesh.verts.len()).map(|vertex| is_wrong(weights_of(mesh, vertex))).collect();
    let marked: Vec<Vec<bool>> = file.meshes.iter().map(of_mesh).collect();
    let all = marked.iter().flatten().count();
    let wrong = marked.iter().flatten().filter(|&&is_wrong| is_wrong).count();
    if wrong > 0 && 100 * wrong <= all.max(100) { marked } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a grid of 6 by 6 vertices with a step of 1.
    fn grid() -> (Vec<DVec3>, Vec<(u32, u32)>) {
        let points = (0..36).map(|at| DVec3::new(f64::from(at % 6), f64::from(at / 6), 0.0)).collect();
        let right = (0..36).filter(|at| at % 6 < 5).map(|at| (at, at + 1));
        (points, right.chain((0..30).map(|at| (at, at + 6))).collect())
    }

    #[test]
    fn a_vertex_thrown_away_is_a_spike() {
        let (mut points, edges) = grid();
        assert_eq!(spikes(&points, edges.iter().copied(), 0.0), []);
        // Its neighbours are at (0, 1) and (1, 0), and the rest has a diagonal of sqrt(50).
        points[0] = DVec3::new(0.0, 1.0, 30.0);
        let found = spikes(&points, edges.iter().copied(), 0.0);
        assert_eq!(found, [Spike { vertex: 0, distance: 30.0, share: 30.0 / 50f64.sqrt() }]);
        assert_eq!(spikes(&points, edges.iter().copied(), 121.0), []);
    }

    #[test]
    fn long_edges_everywhere_are_no_spikes() {
        let (points, edges) = grid();
        let stretched: Vec<DVec3> = points.iter().map(|point| point * DVec3::new(1.0, 100.0, 1.0)).collect();
        assert_eq!(spikes(&stretched, edges.into_iter(), 0.0), []);
    }
}
