//! Spherical blend skinning (Kavan and Zara 2005): `sjb` without its condition.
//!
//! A vertex rotates about the point on which its joints agree best, in the least-squares sense.

use super::joint_sets::JointSets;
use super::linear::{push_frame, push_turned};
use super::pivot::deepest_first;
use super::rotation::{blend, rotations};
use super::skinned::Skinned;
use crate::model::{Mesh, Skeleton};
use glam::{DAffine3, DVec3};

/// Sorts the influences from the deepest joint to the one nearest the root, and finds the joint sets.
pub(super) fn prepare(skeleton: &Skeleton, mesh: &mut Mesh) -> JointSets {
    deepest_first(skeleton, mesh);
    JointSets::new(skeleton, mesh)
}

/// Computes `p = Q (v - c) + sum w_i palette[i] c`, with `Q` as in `sjb`; `mesh` and `sets` come from [`prepare`].
pub(super) fn skin(mesh: &Mesh, sets: &JointSets, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let rotations = rotations(palette);
    let centres = sets.centres(palette);
    for vertex in 0..mesh.vertex_count() {
        let influences = mesh.influences_of(vertex);
        let Some(last) = influences.last() else {
            push_frame(out, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
            continue;
        };
        let centre = centres[sets.set_of[vertex] as usize];
        let rotation = blend(&rotations, last, influences);
        let moved: DVec3 = influences
            .iter()
            .map(|influence| palette[influence.slot as usize].transform_point3(centre) * f64::from(influence.weight))
            .sum();
        let position = rotation * (mesh.positions[vertex].as_dvec3() - centre) + moved;
        push_turned(out, mesh, vertex, position, rotation);
    }
}
