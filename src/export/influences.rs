//! Influences as most formats need them: one bind position per vertex, and few positive weights that sum to one.

use crate::loss::{Displacement, Loss};
use crate::measure::moved_by_weights;
use bindpose_core::model::{BindJoint, Influence, Mesh, Model};
use bindpose_core::pose::LocalPose;
use glam::DAffine3;
use std::collections::BTreeSet;

/// Largest deviation of a vertex' weight sum from one at which its position is kept.
pub(crate) const SUM_TOLERANCE: f64 = 1e-3;
/// Largest deviation of the sum that is not reported.
pub(crate) const SUM_REPORTED: f64 = 3e-6;
/// Distance between the bind positions of a vertex' influences that rounded decimals explain, as a share of the model's
/// size.
const RESIDUAL_TOLERANCE: f64 = 1e-5;

/// A mesh with one bind position per vertex, and lists of the changed vertices.
pub(crate) struct Simplified {
    /// The mesh with changed positions and influences. The influences of a vertex are sorted by decreasing weight, have
    /// distinct bind joints, and their weights sum to one within rounding.
    pub(crate) mesh: Mesh,
    /// Vertices that lost influences, in increasing order.
    pub(crate) reduced: Vec<u32>,
    /// Vertices whose weights did not sum to one, in increasing order.
    pub(crate) divided: Vec<u32>,
    /// Vertices whose influences implied different bind positions, in increasing order.
    pub(crate) disagreed: Vec<u32>,
    /// Number of vertices without influences.
    pub(crate) unbound: usize,
    /// Largest share of weight that a vertex lost.
    pub(crate) most_dropped: f64,
}

impl Simplified {
    /// Copies a mesh without influences. They are added vertex by vertex.
    pub(crate) fn without_influences(mesh: &Mesh) -> Self {
        Self {
            mesh: Mesh { influences: Vec::new(), influence_starts: vec![0], ..mesh.clone() },
            reduced: Vec::new(),
            divided: Vec::new(),
            disagreed: Vec::new(),
            unbound: 0,
            most_dropped: 0.0,
        }
    }

    /// Sorts the influences of a vertex by decreasing weight and keeps the first `limit`.
    pub(crate) fn keep<T>(
        &mut self,
        kept: &mut Vec<T>,
        limit: Option<usize>,
        vertex: usize,
        weight: impl Fn(&T) -> f64,
    ) {
        // The sort is stable, so equal weights keep their order.
        kept.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
        let whole: f64 = kept.iter().map(&weight).sum();
        if let Some(limit) = limit.filter(|&limit| limit < kept.len()) {
            kept.truncate(limit);
            self.reduced.push(vertex as u32);
            let left: f64 = kept.iter().map(&weight).sum();
            self.most_dropped = self.most_dropped.max((whole - left) / whole);
        }
    }
}

/// Simplifies a mesh to at most `limit` influences per vertex. Vertices without influences are bound to `root`.
///
/// If weights do not sum to one, the position is the skinned position in the bind pose, which is scaled by the sum.
pub(crate) fn simplify(mesh: &Mesh, root: Option<BindJoint>, limit: Option<usize>, size: f64) -> Simplified {
    let mut made = Simplified::without_influences(mesh);
    let same: Vec<u32> = first_equal(&mesh.bind);
    let binds: Vec<DAffine3> = mesh.bind.iter().map(|bound| bound.inverse_bind.inverse()).collect();
    let mut kept: Vec<(u32, f64)> = Vec::new();
    for vertex in 0..mesh.vertex_count() {
        let position = mesh.positions[vertex].as_dvec3();
        let own = || mesh.influences_of(vertex).iter().filter(|influence| influence.weight != 0.0);
        kept.clear();
        for influence in own() {
            let (slot, weight) = (same[influence.slot as usize], f64::from(influence.weight));
            match kept.iter_mut().find(|(other, _)| *other == slot) {
                Some((_, sum)) => *sum += weight,
                None => kept.push((slot, weight)),
            }
        }
        let total: f64 = kept.iter().map(|(_, weight)| weight).sum();
        let before = kept.len();
        kept.retain(|&(_, weight)| weight > 0.0);
        let is_off = (total - 1.0).abs() > SUM_TOLERANCE;
        if kept.is_empty() || total <= 1e-12 {
            made.unbound += 1;
            kept.clear();
            if let Some(root) = root {
                kept.push((root_slot(&mut made.mesh.bind, root), 1.0));
            }
        } else if is_off || kept.len() < before {
            made.divided.push(vertex as u32);
            made.mesh.positions[vertex] = (position * total).as_vec3();
        } else if (total - 1.0).abs() > SUM_REPORTED {
            made.divided.push(vertex as u32);
        }
        let placed = |influence: &Influence| {
            binds[influence.slot as usize].transform_point3(influence.offset.as_dvec3()).distance(position)
        };
        if own().any(|influence| placed(influence) > RESIDUAL_TOLERANCE * size) {
            made.disagreed.push(vertex as u32);
        }
        made.keep(&mut kept, limit, vertex, |&(_, weight)| weight);
        push_normalised(&kept, vertex, &mut made.mesh);
    }
    made
}

/// Simplifies meshes to one bind position and at most `limit` influences per vertex, and measures the losses.
pub(crate) fn simplified_meshes(
    model: &Model,
    limit: Option<usize>,
    size: f64,
    losses: &mut Vec<Loss>,
) -> Vec<Simplified> {
    let root = root_of(model);
    let made: Vec<Simplified> = model.meshes.iter().map(|mesh| simplify(mesh, root, limit, size)).collect();
    report(model, &made, size, losses);
    made
}

/// Returns the first joint, at rest, to which vertices without influences are bound.
pub(crate) fn root_of(model: &Model) -> Option<BindJoint> {
    let rest = LocalPose::rest(&model.skeleton).to_model(&model.skeleton);
    let joint = model.skeleton.ids().next()?;
    Some(BindJoint { joint, inverse_bind: inverse_or_identity(&rest.0[joint.index()]) })
}

/// Reports the losses of simplified meshes, with the displacement of their vertices.
pub(crate) fn report(model: &Model, made: &[Simplified], size: f64, losses: &mut Vec<Loss>) {
    let watched: Vec<Vec<u32>> = made
        .iter()
        .map(|made| {
            let lists = [&made.reduced, &made.divided, &made.disagreed];
            lists.into_iter().flatten().copied().collect::<BTreeSet<u32>>().into_iter().collect()
        })
        .collect();
    let meshes: Vec<&Mesh> = made.iter().map(|made| &made.mesh).collect();
    let moved = moved_by_weights(model, &meshes, &watched);
    for ((made, watched), moved) in made.iter().zip(&watched).zip(&moved) {
        let most = |vertices: &[u32]| {
            let of = |vertex: &u32| watched.binary_search(vertex).map_or(0.0, |place| moved[place]);
            Displacement::new(vertices.iter().map(of).fold(0.0, f64::max), size)
        };
        let name = || made.mesh.name.clone();
        let Simplified { reduced, divided, disagreed, unbound, most_dropped, .. } = made;
        if !reduced.is_empty() {
            let (vertices, moved) = (reduced.len(), most(reduced));
            losses.push(Loss::DroppedWeight { mesh: name(), vertices, most: *most_dropped, moved });
        }
        if !divided.is_empty() {
            losses.push(Loss::WeightSum { mesh: name(), vertices: divided.len(), moved: most(divided) });
        }
        if !disagreed.is_empty() {
            losses.push(Loss::BindResidual { mesh: name(), vertices: disagreed.len(), moved: most(disagreed) });
        }
        if *unbound > 0 {
            losses.push(Loss::Unbound { mesh: name(), vertices: *unbound });
        }
    }
}

/// Returns the inverse, or the identity if there is none.
pub(crate) fn inverse_or_identity(map: &DAffine3) -> DAffine3 {
    let inverse = map.inverse();
    if inverse.is_finite() { inverse } else { DAffine3::IDENTITY }
}

/// For each bind joint, returns the index of the first one equal to it.
fn first_equal(bind: &[BindJoint]) -> Vec<u32> {
    let mut sorted: Vec<u32> = (0..bind.len() as u32).collect();
    sorted.sort_by_key(|&slot| (bind[slot as usize].joint, slot));
    let mut first: Vec<u32> = (0..bind.len() as u32).collect();
    for run in sorted.chunk_by(|&a, &b| bind[a as usize].joint == bind[b as usize].joint) {
        for (place, &slot) in run.iter().enumerate() {
            let equal = run[..place].iter().find(|&&other| bind[other as usize] == bind[slot as usize]);
            first[slot as usize] = equal.copied().unwrap_or(slot);
        }
    }
    first
}

/// Returns the slot of a joint, adding it if it is missing.
pub(crate) fn root_slot(bind: &mut Vec<BindJoint>, root: BindJoint) -> u32 {
    let known = bind.iter().position(|bound| *bound == root);
    known.unwrap_or_else(|| {
        bind.push(root);
        bind.len() - 1
    }) as u32
}

/// Appends a vertex' influences with their weights divided by their sum. The largest weight absorbs the rounding error.
fn push_normalised(kept: &[(u32, f64)], vertex: usize, mesh: &mut Mesh) {
    let sum: f64 = kept.iter().map(|(_, weight)| weight).sum();
    let start = mesh.influences.len();
    let position = mesh.positions[vertex].as_dvec3();
    for &(slot, weight) in kept {
        let weight = (weight / sum) as f32;
        if weight > 0.0 {
            let offset = mesh.bind[slot as usize].inverse_bind.transform_point3(position).as_vec3();
            mesh.influences.push(Influence { slot, weight, offset });
        }
    }
    let rounded: f64 = mesh.influences[start..].iter().map(|influence| f64::from(influence.weight)).sum();
    if let Some(heaviest) = mesh.influences.get_mut(start) {
        heaviest.weight = (f64::from(heaviest.weight) + 1.0 - rounded) as f32;
    }
    mesh.influence_starts.push(mesh.influences.len() as u32);
}
