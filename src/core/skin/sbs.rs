//! Spherical blend skinning (Kavan and Zara 2005): `sjb` without its condition.
//!
//! The centre about which a vertex turns is fitted to the joints that pull on it: the point that they agree about best.

use super::cost::Cost;
use super::joint_sets::JointSets;
use super::linear::{push_frame, push_turned};
use super::method::{Data, PrepareInput, Prepared, TimedPose, Unavailable};
use super::pivot::deepest_first;
use super::rotation::{blend, rotations};
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::{DAffine3, DVec3};

/// The sets of the mesh, influences from the deepest joint to the one nearest the root.
pub(super) fn prepare(source: &PrepareInput<'_>, mesh: &mut Mesh, _: &mut Cost) -> Result<Data, Unavailable> {
    deepest_first(source.skeleton, mesh);
    Ok(Data::Sets(JointSets::new(source.skeleton, mesh)))
}

/// `p = Q (v - c) + sum w_i palette[i] c`, with `Q` as in `sjb`; `mesh` is one that `Prepared` made.
pub(super) fn formula(it: &Prepared, _: TimedPose<'_>, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let Data::Sets(sets) = &it.data else { return };
    let mesh = &it.mesh;
    let rotations = rotations(palette);
    let centres = sets.centres(palette);
    for vertex in 0..mesh.vertex_count() {
        let influences = mesh.influences_of(vertex);
        let Some(last) = influences.last() else {
            push_frame(out, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            continue;
        };
        let centre = centres[sets.set_of[vertex] as usize];
        let weighted =
            influences.iter().map(|influence| (f64::from(influence.weight), rotations[influence.slot as usize]));
        let rotation = blend(rotations[last.slot as usize], weighted);
        let moved: DVec3 = influences
            .iter()
            .map(|influence| palette[influence.slot as usize].transform_point3(centre) * f64::from(influence.weight))
            .sum();
        let position = rotation * (mesh.positions[vertex].as_dvec3() - centre) + moved;
        push_turned(out, mesh, vertex, position, rotation);
    }
}
