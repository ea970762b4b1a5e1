//! Spherical joint blending (article 000 section 5.2).

use super::Skinned;
use super::linear::push_frame;
use super::pivot::{broken_conditions, deepest_first};
use super::prepare::{Cost, Data, PrepareInput, Prepared, TimedPose, Unavailable};
use super::rotation::{bind_origin, blend, rotations};
use crate::model::Mesh;
use glam::{DAffine3, DQuat, DVec3};

/// How one vertex turns about its joint: `p = rotation * (v - bind_pivot) + posed_pivot`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pivot {
    pub rotation: DQuat,
    pub bind_pivot: DVec3,
    pub posed_pivot: DVec3,
}

impl Pivot {
    const NONE: Self = Self { rotation: DQuat::IDENTITY, bind_pivot: DVec3::ZERO, posed_pivot: DVec3::ZERO };

    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * (point - self.bind_pivot) + self.posed_pivot
    }
}

/// The turn of every vertex, for influences sorted from the deepest joint up.
///
/// `rotation = normalize(sum w_i s_i quat(palette[i]))`, signs by the last influence's quaternion, pivot of the first.
pub(super) fn turns(mesh: &Mesh, palette: &[DAffine3]) -> impl Iterator<Item = Pivot> {
    let rotations = rotations(palette);
    let pivots: Vec<(DVec3, DVec3)> = mesh
        .bind
        .iter()
        .map(bind_origin)
        .zip(palette)
        .map(|(origin, entry)| (origin, entry.transform_point3(origin)))
        .collect();
    (0..mesh.vertex_count()).map(move |vertex| {
        let influences = mesh.influences_of(vertex);
        let (Some(first), Some(last)) = (influences.first(), influences.last()) else { return Pivot::NONE };
        let weighted =
            influences.iter().map(|influence| (f64::from(influence.weight), rotations[influence.slot as usize]));
        let (bind_pivot, posed_pivot) = pivots[first.slot as usize];
        Pivot { rotation: blend(rotations[last.slot as usize], weighted), bind_pivot, posed_pivot }
    })
}
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
        push_frame(
            out,
            turn.point(mesh.positions[vertex].as_dvec3()),
            (turn.rotation * mesh.normals[vertex].as_dvec3()).normalize_or_zero(),
            turn.rotation * mesh.tangents[vertex].truncate().as_dvec3(),
        );
    }
}
