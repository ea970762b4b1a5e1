//! Fewer influences per vertex, as attributes of fixed width demand.

use crate::model::{Influence, Mesh};

/// A mesh with at most `limit` influences per vertex, and what that cost.
#[derive(Debug, Clone)]
pub struct Reduced {
    /// The mesh with its influences cut down; everything else is unchanged.
    pub mesh: Mesh,
    /// Vertices that lost influences.
    pub reduced_vertices: usize,
    /// Largest share of a vertex' weight that was dropped, and the vertex.
    pub most_dropped: Option<(usize, f32)>,
    /// Influences dropped in all.
    pub dropped_influences: usize,
}

/// Keeps the `limit` largest weights of each vertex and divides them by their sum; ties keep the file's order.
///
/// A vertex within the limit keeps its weights as they are, not normalised (article 004; skinning-methods.md). Where
/// the kept weights sum to nothing they stay as they are.
pub fn reduce_influences(mesh: &Mesh, limit: usize) -> Reduced {
    let mut reduced = Reduced {
        mesh: Mesh { influences: Vec::new(), influence_starts: vec![0], ..mesh.clone() },
        reduced_vertices: 0,
        most_dropped: None,
        dropped_influences: 0,
    };
    let mut kept: Vec<(usize, Influence)> = Vec::new();
    for vertex in 0..mesh.vertex_count() {
        let all = mesh.influences_of(vertex);
        kept.clear();
        kept.extend(all.iter().copied().enumerate().filter(|(_, influence)| influence.weight != 0.0));
        if kept.len() > limit {
            let total: f32 = kept.iter().map(|(_, influence)| influence.weight).sum();
            kept.sort_by(|(a_place, a), (b_place, b)| b.weight.total_cmp(&a.weight).then(a_place.cmp(b_place)));
            reduced.dropped_influences += kept.len() - limit;
            kept.truncate(limit);
            kept.sort_by_key(|&(place, _)| place);
            let sum: f32 = kept.iter().map(|(_, influence)| influence.weight).sum();
            reduced.reduced_vertices += 1;
            let dropped = if total == 0.0 { 0.0 } else { (total - sum) / total };
            if reduced.most_dropped.is_none_or(|(_, most)| dropped > most) {
                reduced.most_dropped = Some((vertex, dropped));
            }
            if sum != 0.0 {
                kept.iter_mut().for_each(|(_, influence)| influence.weight /= sum);
            }
        }
        reduced.mesh.influences.extend(kept.iter().map(|&(_, influence)| influence));
        reduced.mesh.influence_starts.push(reduced.mesh.influences.len() as u32);
    }
    reduced
}
