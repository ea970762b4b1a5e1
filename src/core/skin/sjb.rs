//! Spherical joint blending (article 000 section 5.2).

use super::cost::Reduced;
use super::linear::push_turned;
use super::pivot::{Pivot, broken_conditions, deepest_first};
use super::skinned::Skinned;
use crate::model::{Mesh, Skeleton};

/// Sorts influences from the deepest joint to the one nearest the root. Counts the vertices that violate the condition.
pub(super) fn prepare(skeleton: &Skeleton, Reduced { mesh, cost }: &mut Reduced) {
    deepest_first(skeleton, mesh);
    cost.broken_conditions = broken_conditions(skeleton, mesh);
}

/// Computes `p = Q (v - a) + b`; `mesh` must be sorted by [`prepare`].
pub(super) fn skin(mesh: &Mesh, turns: impl Iterator<Item = Pivot>, out: &mut Skinned) {
    out.clear();
    for (vertex, turn) in turns.enumerate() {
        let position = turn.point(mesh.positions[vertex].as_dvec3());
        push_turned(out, mesh, vertex, position, turn.rotation);
    }
}
