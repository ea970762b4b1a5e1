//! Joints: their count, and their order, parents before children.

use super::{Log, count_up};
use crate::codes::shared;
use bindpose_parsers::md5::{AnimFile, Int, MeshFile, Text};
use std::collections::HashSet;

/// Raises the count of joints to the number of their names, as [`count_up`] does. If a name repeats, one of its lines may
/// be too much, and the count stays.
pub(super) fn count_joints<'n, 'a: 'n>(
    count: &mut Int,
    names: impl Iterator<Item = &'n Text<'a>> + Clone,
    log: &mut Log,
) -> bool {
    let found = names.clone().count();
    let mut known = HashSet::new();
    if count.value < found as i64 && !names.map(|name| &name.bytes).all(|name| known.insert(name)) {
        log.left(shared::BLOCK_COUNT, "two joints have one name, and one of their lines may be too much");
        return false;
    }
    count_up(count, "numJoints", found, shared::BLOCK_COUNT, log)
}

/// Reason why joints are not sorted.
pub(super) const OTHER_PARENT: &str = "mesh and clip name different parents, and nobody knows which of them is right";

/// True if mesh and clip have the same joints in the same order with different parents: a parent seems to be wrong, not
/// the order.
pub(super) fn has_other_parents(mesh: &MeshFile, clip: &AnimFile) -> bool {
    let joints = || mesh.joints.iter().zip(&clip.hierarchy);
    mesh.joints.len() == clip.hierarchy.len()
        && joints().all(|(joint, channel)| joint.name.bytes == channel.name.bytes)
        && joints().any(|(joint, channel)| joint.parent.value != channel.parent.value)
}

/// Returns the order in which every parent comes before its children, with as few moves as possible.
///
/// `None` if nothing has to move, or if a joint is its own ancestor, which sorting cannot resolve.
pub fn parents_first(parents: &[i64]) -> Option<Vec<usize>> {
    let in_order = parents.iter().enumerate().all(|(index, &parent)| parent < index as i64);
    if in_order {
        return None;
    }
    let mut order: Vec<usize> = Vec::with_capacity(parents.len());
    let mut placed = vec![false; parents.len()];
    let mut is_in_chain = vec![false; parents.len()];
    for start in 0..parents.len() {
        let mut chain = Vec::new();
        let mut at = Some(start);
        while let Some(joint) = at.filter(|&joint| placed.get(joint) == Some(&false)) {
            if std::mem::replace(&mut is_in_chain[joint], true) {
                return None;
            }
            chain.push(joint);
            at = parents.get(joint).and_then(|&parent| usize::try_from(parent).ok());
        }
        for joint in chain.into_iter().rev() {
            if let Some(slot) = placed.get_mut(joint) {
                *slot = true;
            }
            order.push(joint);
        }
    }
    Some(order)
}

/// Returns the new index of every joint.
pub fn new_places(order: &[usize]) -> Vec<usize> {
    let mut places = vec![0; order.len()];
    for (new, &old) in order.iter().enumerate() {
        if let Some(place) = places.get_mut(old) {
            *place = new;
        }
    }
    places
}

/// Returns the new index of a parent. Roots stay roots.
pub fn moved(parent: i64, places: &[usize]) -> i64 {
    usize::try_from(parent).ok().and_then(|parent| places.get(parent)).map_or(parent, |&place| place as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_move_behind_their_parents_and_no_further() {
        assert_eq!(parents_first(&[-1, 0, 0, 2]), None);
        assert_eq!(parents_first(&[2, -1, 1]), Some(vec![1, 2, 0]));
        assert_eq!(parents_first(&[1, 0]), None, "a circle");
        assert_eq!(new_places(&[1, 2, 0]), [2, 0, 1]);
        assert_eq!(moved(2, &[2, 0, 1]), 1);
        assert_eq!(moved(-1, &[2, 0, 1]), -1);
    }
}
