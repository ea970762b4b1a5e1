//! Influences within a method's limits: fewer per vertex, weights that sum to one, one bind position.

use super::cost::{Cost, Reduced};
use super::method::Method;
use crate::model::{Influence, Mesh};
use glam::Vec3;

/// Keeps the `limit` largest weights of each vertex and divides them by their sum. Ties keep the file order.
///
/// A vertex within the limit keeps its weights, even if they do not sum to one (article 004). Kept weights that sum to
/// zero also stay unchanged.
pub fn reduce_influences(mesh: &Mesh, limit: usize) -> Reduced {
    rewritten(mesh, |_, kept, cost| keep_largest(kept, limit, cost))
}

/// Returns the mesh as a method stores it: with its influence limit, its weights, and one bind position for all
/// influences unless it stores offsets.
///
/// A linear method must match the linear sum over this mesh. The distance from the sum over the file's own influences
/// is the loss caused by the method's limits.
pub fn as_seen_by(method: &Method, mesh: &Mesh) -> Reduced {
    rewritten(mesh, |vertex, kept, cost| {
        keep_largest(kept, method.influences.unwrap_or(usize::MAX), cost);
        if method.lightest > 0.0 {
            drop_light(kept, method.lightest, cost);
        }
        if method.normalises_weights {
            sum_to_one(mesh, vertex, kept, cost);
        }
        if method.vertex.is_bind_position() {
            kept.iter_mut().for_each(|influence| influence.offset = offset(mesh, vertex, influence.slot));
        }
    })
}

/// Applies `rewrite` to the influences of each vertex, without those of weight zero.
fn rewritten(mesh: &Mesh, mut rewrite: impl FnMut(usize, &mut Vec<Influence>, &mut Cost)) -> Reduced {
    let mut cost = Cost::default();
    let mut influences = Vec::with_capacity(mesh.influences.len());
    let mut influence_starts = Vec::with_capacity(mesh.influence_starts.len());
    influence_starts.push(0);
    let mut kept: Vec<Influence> = Vec::new();
    for vertex in 0..mesh.vertex_count() {
        kept.clear();
        kept.extend(mesh.influences_of(vertex).iter().filter(|influence| influence.weight != 0.0));
        let dropped = cost.dropped_influences;
        rewrite(vertex, &mut kept, &mut cost);
        if cost.dropped_influences > dropped {
            cost.reduced_vertices += 1;
        }
        influences.extend_from_slice(&kept);
        influence_starts.push(influences.len() as u32);
    }
    let mesh = Mesh {
        influences,
        influence_starts,
        name: mesh.name.clone(),
        material: mesh.material,
        source_mesh: mesh.source_mesh,
        source_vertices: mesh.source_vertices.clone(),
        positions: mesh.positions.clone(),
        normals: mesh.normals.clone(),
        tangents: mesh.tangents.clone(),
        uvs: mesh.uvs.clone(),
        colors: mesh.colors.clone(),
        triangles: mesh.triangles.clone(),
        bind: mesh.bind.clone(),
    };
    Reduced { mesh, cost }
}

fn sum(influences: &[Influence]) -> f32 {
    influences.iter().map(|influence| influence.weight).sum()
}

fn keep_largest(kept: &mut Vec<Influence>, limit: usize, cost: &mut Cost) {
    if kept.len() <= limit {
        return;
    }
    let total = sum(kept);
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by(|&a, &b| kept[b].weight.total_cmp(&kept[a].weight).then(a.cmp(&b)));
    order.truncate(limit);
    order.sort_unstable();
    cost.dropped_influences += kept.len() - limit;
    *kept = order.into_iter().map(|index| kept[index]).collect();
    divide(kept, total, cost);
}

/// Drops influences up to a weight.
fn drop_light(kept: &mut Vec<Influence>, lightest: f32, cost: &mut Cost) {
    let (all, total) = (kept.len(), sum(kept));
    kept.retain(|influence| influence.weight > lightest);
    if kept.len() < all {
        cost.dropped_influences += all - kept.len();
        divide(kept, total, cost);
    }
}

/// Divides the kept weights by their sum. `total` is the sum before dropping.
fn divide(kept: &mut [Influence], total: f32, cost: &mut Cost) {
    let sum = sum(kept);
    let dropped = if total == 0.0 { 0.0 } else { (total - sum) / total };
    cost.most_dropped = cost.most_dropped.max(dropped);
    if sum != 0.0 {
        kept.iter_mut().for_each(|influence| influence.weight /= sum);
    }
}

/// Divides the weights of a vertex by their sum. Counts the vertex if the sum was not one within 1e-6, the last printed
/// decimal.
///
/// A vertex whose weights cancel follows its first joint, and one without influences the mesh's first bind joint: the
/// method cannot leave it unposed.
fn sum_to_one(mesh: &Mesh, vertex: usize, kept: &mut Vec<Influence>, cost: &mut Cost) {
    let sum: f64 = kept.iter().map(|influence| f64::from(influence.weight)).sum();
    if (sum - 1.0).abs() > 1e-6 {
        cost.divided_vertices += 1;
    }
    if sum.abs() > 1e-12 {
        kept.iter_mut().for_each(|influence| influence.weight = (f64::from(influence.weight) / sum) as f32);
    } else if let Some(first) = kept.first().copied() {
        *kept = vec![Influence { weight: 1.0, ..first }];
    } else if !mesh.bind.is_empty() {
        kept.push(Influence { slot: 0, weight: 1.0, offset: offset(mesh, vertex, 0) });
    }
}

/// Returns the bind position of a vertex in the space of a bind joint.
fn offset(mesh: &Mesh, vertex: usize, slot: u32) -> Vec3 {
    mesh.bind[slot as usize].inverse_bind.transform_point3(mesh.positions[vertex].as_dvec3()).as_vec3()
}
