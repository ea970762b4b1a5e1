//! Weights as engines need them: few and positive, with biases that sum to one.

use crate::influences::{SUM_REPORTED, SUM_TOLERANCE, Simplified, root_of, root_slot};
use bindpose_core::model::{BindJoint, Influence, Mesh, Model};
use glam::DVec3;

/// Number of steps between 0 and 1 of a printed bias.
const STEPS: u32 = 100_000_000;

/// Reduces each mesh to at most `limit` weights per vertex, one per joint. Offsets do not change, even if they imply
/// different bind positions: MD5 can store that.
pub(super) fn reduced(model: &Model, limit: Option<usize>) -> Vec<Simplified> {
    let root = root_of(model);
    model.meshes.iter().map(|mesh| reduced_mesh(mesh, root, limit)).collect()
}

fn reduced_mesh(mesh: &Mesh, root: Option<BindJoint>, limit: Option<usize>) -> Simplified {
    let mut made = Simplified::without_influences(mesh);
    let mut kept: Vec<(u32, f64, DVec3)> = Vec::new();
    for vertex in 0..mesh.vertex_count() {
        gather(mesh, vertex, &mut kept);
        let total: f64 = kept.iter().map(|(_, weight, _)| weight).sum();
        let before = kept.len();
        kept.retain(|&(_, weight, _)| weight > 0.0);
        let is_bound = !kept.is_empty() && total > 1e-12;
        if !is_bound {
            made.unbound += 1;
            kept.clear();
            if let Some(root) = root {
                let offset = root.inverse_bind.transform_point3(mesh.positions[vertex].as_dvec3());
                kept.push((root_slot(&mut made.mesh.bind, root), 1.0, offset));
            }
        }
        kept.iter_mut().for_each(|(_, weight, offset)| *offset /= *weight);
        let is_off = (total - 1.0).abs() > SUM_TOLERANCE || kept.len() < before;
        if is_bound && (is_off || (total - 1.0).abs() > SUM_REPORTED) {
            made.divided.push(vertex as u32);
        }
        if is_bound && is_off {
            // The position that the file shows in the bind pose, as closely as weights with a sum of one allow.
            let shown = mesh.positions[vertex].as_dvec3() * total;
            made.mesh.positions[vertex] = shown.as_vec3();
            for (slot, _, offset) in &mut kept {
                *offset = mesh.bind[*slot as usize].inverse_bind.transform_point3(shown);
            }
        }
        made.keep(&mut kept, limit, vertex, |&(_, weight, _)| weight);
        let left: f64 = kept.iter().map(|(_, weight, _)| weight).sum();
        made.mesh.influences.extend(kept.iter().map(|&(slot, weight, offset)| Influence {
            slot,
            weight: (weight / left) as f32,
            offset: offset.as_vec3(),
        }));
        made.mesh.influence_starts.push(made.mesh.influences.len() as u32);
    }
    made
}

/// Collects slot, weight and weighted offset for each joint of a vertex. Two influences of one joint are averaged.
fn gather(mesh: &Mesh, vertex: usize, kept: &mut Vec<(u32, f64, DVec3)>) {
    kept.clear();
    for influence in mesh.influences_of(vertex).iter().filter(|influence| influence.weight != 0.0) {
        let (weight, offset) = (f64::from(influence.weight), influence.offset.as_dvec3());
        let joint = |slot: u32| mesh.bind[slot as usize].joint;
        match kept.iter_mut().find(|(slot, ..)| joint(*slot) == joint(influence.slot)) {
            Some((_, sum, weighted)) => {
                *sum += weight;
                *weighted += offset * weight;
            }
            None => kept.push((influence.slot, weight, offset * weight)),
        }
    }
}

/// Rounds weights to decimals that sum to exactly one. Each is rounded down to eight decimals, and the rest goes to
/// those that lost most.
pub(super) fn printed(weights: &[f32]) -> Vec<f64> {
    let sum: f64 = weights.iter().map(|&weight| f64::from(weight)).sum();
    let exact: Vec<f64> = weights.iter().map(|&weight| f64::from(weight) / sum * f64::from(STEPS)).collect();
    let mut steps: Vec<u32> = exact.iter().map(|exact| exact.floor() as u32).collect();
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| exact[b].fract().total_cmp(&exact[a].fract()));
    let left = STEPS.saturating_sub(steps.iter().sum());
    for &place in order.iter().cycle().take(if order.is_empty() { 0 } else { left as usize }) {
        steps[place] += 1;
    }
    steps.into_iter().map(|steps| f64::from(steps) / f64::from(STEPS)).collect()
}

#[cfg(test)]
mod tests {
    use super::printed;

    #[test]
    fn printed_biases_sum_to_one() {
        assert_eq!(printed(&[1.0]), [1.0]);
        assert_eq!(printed(&[1.0, 1.0, 1.0]), [0.33333334, 0.33333333, 0.33333333]);
        assert_eq!(printed(&[0.5, 0.25, 0.25]), [0.5, 0.25, 0.25]);
        assert_eq!(printed(&[2e-9, 1.0]), [0.0, 1.0]);
        assert_eq!(printed(&[]), [0.0; 0]);
    }
}
