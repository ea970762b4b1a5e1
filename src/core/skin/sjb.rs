//! Spherical joint blending (article 000 section 5.2).

use super::cost::Cost;
use super::linear::push_turned;
use super::method::{Data, PrepareInput, Prepared, TimedPose, Unavailable};
use super::pivot::{broken_conditions, deepest_first, turns};
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::DAffine3;

/// Influences from the deepest joint to the one nearest the root; counts the vertices that break the condition.
pub(super) fn prepare(source: &PrepareInput<'_>, mesh: &mut Mesh, cost: &mut Cost) -> Result<Data, Unavailable> {
    deepest_first(source.skeleton, mesh);
    cost.broken_conditions = broken_conditions(source.skeleton, mesh);
    Ok(Data::None)
}

/// Vertices by spherical joint blending; `mesh` is one that `Prepared` made.
pub(super) fn formula(it: &Prepared, _: TimedPose<'_>, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let mesh = &it.mesh;
    for (vertex, turn) in turns(mesh, palette).enumerate() {
        let position = turn.point(mesh.positions[vertex].as_dvec3());
        push_turned(out, mesh, vertex, position, turn.rotation);
    }
}
