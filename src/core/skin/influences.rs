//! Influences as a method sees them: fewer per vertex, weights that sum to one, one bind position.

use super::methods::{Method, Weights};
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
    /// Vertices within the limit whose weights were divided because they did not sum to one (off by more than 1e-6,
    /// the last printed decimal); only [`as_seen_by`] does that.
    pub divided_vertices: usize,
}

/// Keeps the `limit` largest weights of each vertex and divides them by their sum; ties keep the file's order.
///
/// A vertex within the limit keeps its weights as they are, not normalised (article 004). Where
/// the kept weights sum to nothing they stay as they are.
pub fn reduce_influences(mesh: &Mesh, limit: usize) -> Reduced {
    let mut reduced = Reduced {
        mesh: Mesh { influences: Vec::new(), influence_starts: vec![0], ..mesh.clone() },
        reduced_vertices: 0,
        most_dropped: None,
        dropped_influences: 0,
        divided_vertices: 0,
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

/// The mesh as a method's vertices hold it: influences up to its limit, weights stored its way, and one bind position
/// for all influences where the method has no room for an offset each.
///
/// The linear sum over this mesh is what a linear method must reach; how far that is from the linear sum over the
/// file's own influences is what the method's limits cost.
pub fn as_seen_by(method: &Method, mesh: &Mesh) -> Reduced {
    let mut reduced = reduce_influences(mesh, method.influences.unwrap_or(usize::MAX));
    if method.lightest > 0.0 {
        drop_light(&mut reduced, method.lightest);
    }
    if method.weights != Weights::AsWritten {
        reduced.divided_vertices = sum_to_one(&mut reduced.mesh);
    }
    if method.vertex.is_bind_position() {
        let mesh = &mut reduced.mesh;
        let starts = mesh.influence_starts.windows(2);
        for (position, range) in mesh.positions.iter().zip(starts) {
            let [start, end] = [range[0] as usize, range[1] as usize];
            for influence in &mut mesh.influences[start..end] {
                let inverse_bind = mesh.bind[influence.slot as usize].inverse_bind;
                influence.offset = inverse_bind.transform_point3(position.as_dvec3()).as_vec3();
            }
        }
    }
    reduced
}

/// Drops influences up to a weight and divides the others of such a vertex by their sum.
fn drop_light(reduced: &mut Reduced, lightest: f32) {
    let mesh = &mut reduced.mesh;
    let all = std::mem::take(&mut mesh.influences);
    let starts = std::mem::replace(&mut mesh.influence_starts, vec![0]);
    for (vertex, range) in starts.windows(2).enumerate() {
        let all = &all[range[0] as usize..range[1] as usize];
        let first = mesh.influences.len();
        mesh.influences.extend(all.iter().filter(|influence| influence.weight > lightest));
        let kept = &mut mesh.influences[first..];
        let dropped = all.len() - kept.len();
        if dropped > 0 {
            let sum: f32 = kept.iter().map(|influence| influence.weight).sum();
            let total: f32 = all.iter().map(|influence| influence.weight).sum();
            if sum != 0.0 {
                kept.iter_mut().for_each(|influence| influence.weight /= sum);
            }
            let share = if total == 0.0 { 0.0 } else { (total - sum) / total };
            reduced.dropped_influences += dropped;
            reduced.reduced_vertices += 1;
            if reduced.most_dropped.is_none_or(|(_, most)| share > most) {
                reduced.most_dropped = Some((vertex, share));
            }
        }
        mesh.influence_starts.push(mesh.influences.len() as u32);
    }
}

/// Divides the weights of every vertex by their sum; says how many summed to something else than one.
///
/// A vertex without influences, or with weights that cancel, follows the mesh's first bind joint: such a method has
/// no way to leave it behind.
fn sum_to_one(mesh: &mut Mesh) -> usize {
    let mut divided = 0;
    let mut influences = Vec::with_capacity(mesh.influences.len());
    let mut starts = vec![0];
    for vertex in 0..mesh.vertex_count() {
        let all = mesh.influences_of(vertex);
        let sum: f64 = all.iter().map(|influence| f64::from(influence.weight)).sum();
        if (sum - 1.0).abs() > 1e-6 {
            divided += 1;
        }
        if sum.abs() > 1e-12 {
            let share = |influence: &Influence| (f64::from(influence.weight) / sum) as f32;
            influences.extend(all.iter().map(|influence| Influence { weight: share(influence), ..*influence }));
        } else if let Some(first) = all.first() {
            influences.push(Influence { weight: 1.0, ..*first });
        } else if let Some(bound) = mesh.bind.first() {
            let offset = bound.inverse_bind.transform_point3(mesh.positions[vertex].as_dvec3()).as_vec3();
            influences.push(Influence { slot: 0, weight: 1.0, offset });
        }
        starts.push(influences.len() as u32);
    }
    mesh.influences = influences;
    mesh.influence_starts = starts;
    divided
}

#[cfg(test)]
mod tests {
    use super::super::methods::MethodId;
    use super::super::testing;
    use super::*;
    use glam::Vec3;

    fn weights_of(mesh: &Mesh, vertex: usize) -> Vec<(u32, f32)> {
        mesh.influences_of(vertex).iter().map(|influence| (influence.slot, influence.weight)).collect()
    }

    fn mesh(weights: &[&[(u32, f32)]]) -> Mesh {
        let (skeleton, bind) = testing::chain(6, 1.0);
        let vertices: Vec<_> = weights.iter().map(|weights| (Vec3::Y, *weights)).collect();
        testing::mesh(&skeleton, &bind, &vertices, Vec::new())
    }

    #[test]
    fn the_largest_weights_stay_in_the_files_order() {
        let mesh = mesh(&[&[(0, 0.1), (1, 0.2), (2, 0.1), (3, 0.2), (4, 0.4)], &[(0, 0.5), (1, 0.25)]]);
        let reduced = reduce_influences(&mesh, 3);
        let sum = 0.2_f32 + 0.2 + 0.4;
        assert_eq!(weights_of(&reduced.mesh, 0), [(1, 0.2 / sum), (3, 0.2 / sum), (4, 0.4 / sum)]);
        assert_eq!(weights_of(&reduced.mesh, 1), [(0, 0.5), (1, 0.25)], "within the limit: as written");
        assert_eq!((reduced.reduced_vertices, reduced.dropped_influences), (1, 2));
        // Of equal weights the first stays.
        assert_eq!(weights_of(&reduce_influences(&mesh, 2).mesh, 0), [(1, 0.2_f32 / 0.6), (4, 0.4_f32 / 0.6)]);
    }

    #[test]
    fn implied_weights_are_divided_and_counted() {
        let mesh = mesh(&[&[(0, 0.5), (1, 0.25)], &[(1, 1.0)], &[], &[(2, 0.5), (3, -0.5)]]);
        let seen = as_seen_by(MethodId::MatrixBlend.method(), &mesh);
        assert_eq!(seen.divided_vertices, 3);
        let third = 0.25_f32 / 0.75;
        assert_eq!(weights_of(&seen.mesh, 0), [(0, 0.5_f32 / 0.75), (1, third)]);
        assert_eq!(weights_of(&seen.mesh, 2), [(0, 1.0)]);
        assert_eq!(weights_of(&seen.mesh, 3), [(2, 1.0)]);
        assert_eq!(weights_of(&as_seen_by(MethodId::Cpu.method(), &mesh).mesh, 0), [(0, 0.5), (1, 0.25)]);
    }

    #[test]
    fn joint_offsets_skips_light_influences() {
        let mesh = mesh(&[&[(0, 0.9), (1, 0.0995), (2, 0.0005)], &[(3, 1.0)]]);
        let seen = as_seen_by(MethodId::JointOffsets.method(), &mesh);
        let sum = 0.9_f32 + 0.0995;
        assert_eq!(weights_of(&seen.mesh, 0), [(0, 0.9 / sum), (1, 0.0995 / sum)]);
        assert_eq!((seen.reduced_vertices, seen.dropped_influences), (1, 1));
        assert_eq!(weights_of(&as_seen_by(MethodId::Gradient.method(), &mesh).mesh, 0)[2], (2, 0.0005));
    }

    #[test]
    fn one_bind_position_replaces_offsets_that_disagree() {
        let mut mesh = mesh(&[&[(0, 0.5), (1, 0.5)]]);
        mesh.influences[1].offset += Vec3::X * 0.5;
        let gradient = as_seen_by(MethodId::Gradient.method(), &mesh).mesh;
        assert_eq!(gradient.influences[1].offset, Vec3::new(-1.0, 1.0, 0.0));
        let joint_offsets = as_seen_by(MethodId::JointOffsets.method(), &mesh).mesh;
        assert_eq!(joint_offsets.influences[1].offset, Vec3::new(-0.5, 1.0, 0.0));
    }
}
