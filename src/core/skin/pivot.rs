//! Joint about which a vertex rotates, and its rotation, for `sjb` and its relatives.

use super::rotation::{bind_origin, blend, rotations, towards};
use crate::model::{Influence, JointId, Mesh, Skeleton};
use glam::{DAffine3, DQuat, DVec3};

/// Sorts the influences of every vertex from the deepest joint to the one nearest the root. Equals keep the file order.
/// The vertex rotates about the first joint, and the quaternion of the last one determines the signs.
///
/// For a parent and the joints that start at its end, this is article 000's choice: the vertex rotates about that end,
/// and the parent leads (section 5.2). For any other vertex it is our rule.
pub(super) fn deepest_first(skeleton: &Skeleton, mesh: &mut Mesh) {
    let depths = skeleton.depths();
    let bind = &mesh.bind;
    for range in mesh.influence_starts.windows(2) {
        mesh.influences[range[0] as usize..range[1] as usize]
            .sort_by_key(|influence| std::cmp::Reverse(depths[bind[influence.slot as usize].joint.index()]));
    }
}

/// Sorts the influences of every vertex by weight, heaviest first. Ties keep the file order.
pub(super) fn heaviest_first(mesh: &mut Mesh) {
    for range in mesh.influence_starts.windows(2) {
        let influences = &mut mesh.influences[range[0] as usize..range[1] as usize];
        influences.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    }
}

/// Returns the number of vertices for which spherical joint blending is not exact: those with influences other than one
/// joint's parent and the joints that start where that joint does.
///
/// Joints start at the same position if they share a parent and their bind positions differ by at most 1e-5 of the
/// mesh's extent (rounding of decimals).
pub(super) fn broken_conditions(skeleton: &Skeleton, mesh: &Mesh) -> usize {
    let extent = mesh.bounds().map_or(0.0, |(min, max)| f64::from(min.distance(max)));
    let origins: Vec<_> = mesh.bind.iter().map(bind_origin).collect();
    let holds = |slots: &[u32]| {
        let joint = |slot: u32| mesh.bind[slot as usize].joint;
        let Some(&first) = slots.first() else { return true };
        if slots.iter().all(|&slot| joint(slot) == joint(first)) {
            return true;
        }
        // One of the influences starts at the common position, so each is tried.
        slots.iter().any(|&start| {
            let parent: Option<JointId> = skeleton[joint(start)].parent;
            slots.iter().all(|&slot| {
                let beside = skeleton[joint(slot)].parent == parent
                    && origins[slot as usize].distance(origins[start as usize]) <= 1e-5 * extent;
                beside || Some(joint(slot)) == parent
            })
        })
    };
    let mut slots: Vec<u32> = Vec::new();
    (0..mesh.vertex_count())
        .filter(|&vertex| {
            slots.clear();
            slots.extend(mesh.influences_of(vertex).iter().map(|influence| influence.slot));
            !holds(&slots)
        })
        .count()
}

/// Returns [`turns`] as maps of vertices.
pub(super) fn maps(mesh: &Mesh, signs: Option<&Signs>, palette: &[DAffine3]) -> Vec<DAffine3> {
    turns(mesh, signs, palette)
        .map(|turn| DAffine3::from_rotation_translation(turn.rotation, turn.point(DVec3::ZERO)))
        .collect()
}

/// Rotation of one vertex about its joint: `p = rotation * (v - bind_pivot) + posed_pivot`.
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

/// Returns the rotation of every vertex. Influences must be sorted by [`deepest_first`].
///
/// `rotation = normalize(sum w_i s_i quat(palette[i]))`, with signs relative to the last influence's quaternion and the
/// pivot of the first influence. With `signs`, those of the joints, for all vertices.
pub(super) fn turns(mesh: &Mesh, signs: Option<&Signs>, palette: &[DAffine3]) -> impl Iterator<Item = Pivot> {
    let rotations = signs.map_or_else(|| rotations(palette), |signs| signs.rotations(palette));
    let has_signs = signs.is_some();
    let pivots: Vec<(DVec3, DVec3)> = mesh
        .bind
        .iter()
        .map(bind_origin)
        .zip(palette)
        .map(|(origin, entry)| (origin, entry.transform_point3(origin)))
        .collect();
    (0..mesh.vertex_count()).map(move |vertex| {
        let influences = mesh.influences_of(vertex);
        let (Some(first), Some(lead)) = (influences.first(), influences.last()) else { return Pivot::NONE };
        let rotation = if has_signs { sum(&rotations, influences) } else { blend(&rotations, lead, influences) };
        let (bind_pivot, posed_pivot) = pivots[first.slot as usize];
        Pivot { rotation, bind_pivot, posed_pivot }
    })
}

/// Returns `normalize(sum w_i q_i)`, the identity if the sum vanishes.
fn sum(rotations: &[DQuat], influences: &[Influence]) -> DQuat {
    let zero = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    let add = |sum: DQuat, it: &Influence| sum + rotations[it.slot as usize] * f64::from(it.weight);
    let sum = influences.iter().fold(zero, add);
    if sum.length_squared() > 1e-24 { sum.normalize() } else { DQuat::IDENTITY }
}

/// Joints of a mesh, parents first, whose quaternions get the signs of their parents': article 000's programs expect them
/// so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signs {
    /// Slot of each joint, and that of the nearest joint above it that moves the mesh.
    joints: Vec<(usize, Option<usize>)>,
}

impl Signs {
    pub(super) fn new(skeleton: &Skeleton, mesh: &Mesh) -> Self {
        let mut slots: Vec<usize> = (0..mesh.bind.len()).collect();
        slots.sort_by_key(|&slot| mesh.bind[slot].joint);
        let mut of_joints = vec![None; skeleton.len()];
        slots.iter().for_each(|&slot| of_joints[mesh.bind[slot].joint.index()] = Some(slot));
        let above = |slot: usize| {
            let parents = std::iter::successors(skeleton[mesh.bind[slot].joint].parent, |&id| skeleton[id].parent);
            parents.filter_map(|id| of_joints[id.index()]).next()
        };
        Self { joints: slots.into_iter().map(|slot| (slot, above(slot))).collect() }
    }

    /// Returns the rotations of the mesh's palette.
    pub fn rotations(&self, palette: &[DAffine3]) -> Vec<DQuat> {
        let mut rotations = rotations(palette);
        for &(slot, above) in &self.joints {
            rotations[slot] = above.map_or(rotations[slot], |above| towards(rotations[above], rotations[slot]));
        }
        rotations
    }
}
