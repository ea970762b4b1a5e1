//! Spherical joint blending by example (article 000 section 5.3): `sjb` plus what a modeller has corrected.

use super::corrections::Corrections;
use super::cost::Cost;
use super::linear::push_frame;
use super::method::{Data, PrepareInput, Prepared, TimedPose, Unavailable};
use super::pivot::turns;
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::DAffine3;

/// As `sjb`, and what the examples add.
pub(super) fn prepare(source: &PrepareInput<'_>, mesh: &mut Mesh, cost: &mut Cost) -> Result<Data, Unavailable> {
    super::sjb::prepare(source, mesh, cost)?;
    Ok(Data::Corrections(Corrections::new(source.skeleton, mesh, source.examples)))
}

/// `p = Q (v + sum alpha_m d_m - a) + b`, the same for normals; `mesh` is one that `Prepared` made.
pub(super) fn formula(it: &Prepared, _: TimedPose<'_>, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let Data::Corrections(corrections) = &it.data else { return };
    let mesh = &it.mesh;
    let shares: Vec<_> = corrections.joints.iter().map(|joint| joint.shares(palette)).collect();
    for (vertex, turn) in turns(mesh, palette).enumerate() {
        let mut position = mesh.positions[vertex].as_dvec3();
        let mut normal = mesh.normals[vertex].as_dvec3();
        if let Some(place) = corrections.support[vertex] {
            for (number, share) in shares[place as usize].into_iter().enumerate() {
                position += corrections.offsets[vertex][number].as_dvec3() * share;
                normal += corrections.normal_offsets[vertex][number].as_dvec3() * share;
            }
        }
        push_frame(
            out,
            turn.point(position),
            (turn.rotation * normal).normalize_or_zero(),
            turn.rotation * mesh.tangents[vertex].truncate().as_dvec3(),
        );
    }
}
