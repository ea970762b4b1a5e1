//! All meshes of a model as one, for methods that look at the surface around a vertex.

use super::cost::Reduced;
use crate::model::{BindJoint, Influence, Mesh};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Meshes as one mesh: their vertices and triangles in order, with one slot per joint and inverse bind matrix. It has no
/// normals, tangents or texture coordinates.
#[derive(Debug, Default)]
pub(super) struct Joined {
    pub mesh: Mesh,
    /// Vertices of each mesh.
    pub vertices: Vec<Range<usize>>,
}

impl Joined {
    pub(super) fn new(meshes: &[Reduced]) -> Self {
        let mut joined = Self::default();
        let Mesh { positions, triangles, bind, influences, influence_starts, .. } = &mut joined.mesh;
        influence_starts.push(0);
        let mut slots: HashMap<_, u32> = HashMap::new();
        for Reduced { mesh, .. } in meshes {
            let first = positions.len();
            let start = influences.len() as u32;
            let slot = |bound: &BindJoint| {
                *slots.entry((bound.joint, bound.inverse_bind.to_cols_array().map(f64::to_bits))).or_insert_with(|| {
                    bind.push(*bound);
                    bind.len() as u32 - 1
                })
            };
            let of_mesh: Vec<u32> = mesh.bind.iter().map(slot).collect();
            let moved = |influence: &Influence| Influence { slot: of_mesh[influence.slot as usize], ..*influence };
            influences.extend(mesh.influences.iter().map(moved));
            influence_starts.extend(mesh.influence_starts[1..].iter().map(|end| start + end));
            positions.extend(&mesh.positions);
            triangles.extend(mesh.triangles.iter().map(|corners| corners.map(|corner| corner + first as u32)));
            joined.vertices.push(first..positions.len());
        }
        joined
    }

    /// True if no joint has two bind poses, which a joint of `.x` files may have.
    pub(super) fn has_one_bind_pose(&self) -> bool {
        let mut joints = HashSet::new();
        self.mesh.bind.iter().all(|bound| joints.insert(bound.joint))
    }
}
