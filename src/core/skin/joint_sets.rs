//! Sets of joints that influence the same vertices, and their centres of rotation, for `sbs`.

use super::rotation::bind_origin;
use crate::model::{Mesh, Skeleton};
use glam::{DAffine3, DMat3, DVec3};
use std::collections::HashMap;

/// Distinct sets of joints that influence vertices together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JointSets {
    /// For each vertex, the index of its set in `sets`.
    pub set_of: Vec<u32>,
    /// Slots of each set, ascending.
    pub sets: Vec<Vec<u32>>,
    /// Bind position of each set's deepest joint, in model space: the centre if the joints do not determine one.
    pub anchors: Vec<DVec3>,
}

impl JointSets {
    pub(super) fn new(skeleton: &Skeleton, mesh: &Mesh) -> Self {
        let depths = skeleton.depths();
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut result = Self::default();
        for vertex in 0..mesh.vertex_count() {
            let mut slots: Vec<u32> = mesh.influences_of(vertex).iter().map(|influence| influence.slot).collect();
            slots.sort_unstable();
            slots.dedup();
            let next = result.sets.len() as u32;
            let index = *known.entry(slots.clone()).or_insert(next);
            if index == next {
                let depth = |slot: u32| depths[mesh.bind[slot as usize].joint.index()];
                let deepest = slots.iter().copied().min_by_key(|&slot| (std::cmp::Reverse(depth(slot)), slot));
                let anchor = deepest.map_or(DVec3::ZERO, |slot| bind_origin(&mesh.bind[slot as usize]));
                result.anchors.push(anchor);
                result.sets.push(slots);
            }
            result.set_of.push(index);
        }
        result
    }

    /// Returns the centre of each set in the bind pose's model space: the point where its palette entries differ least.
    pub fn centres(&self, palette: &[DAffine3]) -> Vec<DVec3> {
        let centre = |(slots, anchor): (&Vec<u32>, &DVec3)| {
            let entries: Vec<&DAffine3> = slots.iter().map(|&slot| &palette[slot as usize]).collect();
            centre_of_rotation(&entries, *anchor)
        };
        self.sets.iter().zip(&self.anchors).map(centre).collect()
    }
}

/// Strength of the pull towards the anchor. Joints rotated relative to each other by less than its square root
/// (radians) hardly determine a centre, which would otherwise be too far away for f32.
const DAMPING: f64 = 1e-5;

/// Returns the point `c` with the smallest sum of squares of `entries[i] c - entries[k] c` over all pairs; the one
/// nearest to `anchor` if several are equally good (all points on the axis of a twist).
fn centre_of_rotation(entries: &[&DAffine3], anchor: DVec3) -> DVec3 {
    // Normal equations of D step = -apart over the pairs, for the step from the anchor.
    let mut normal = DMat3::ZERO;
    let mut right = DVec3::ZERO;
    for (place, a) in entries.iter().enumerate() {
        for b in &entries[..place] {
            let difference = a.matrix3 - b.matrix3;
            let apart = a.transform_point3(anchor) - b.transform_point3(anchor);
            normal += difference.transpose() * difference;
            right -= difference.transpose() * apart;
        }
    }
    anchor + (normal + DMat3::from_diagonal(DVec3::splat(DAMPING))).inverse() * right
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;

    fn about(point: DVec3, rotation: DQuat) -> DAffine3 {
        DAffine3::from_translation(point) * DAffine3::from_quat(rotation) * DAffine3::from_translation(-point)
    }

    #[test]
    fn joints_that_turn_about_one_point_have_their_centre_there() {
        let point = DVec3::new(3.0, -2.0, 5.0);
        let a = about(point, DQuat::from_rotation_x(0.7));
        let b = about(point, DQuat::from_rotation_y(-1.1));
        let c = about(point, DQuat::IDENTITY);
        assert!(centre_of_rotation(&[&a, &b, &c], point).distance(point) < 1e-12);
        // At a distance, the damping holds back 1e-5 divided by the square of the angle.
        assert!(centre_of_rotation(&[&a, &b, &c], DVec3::ZERO).distance(point) < 1e-3);
    }

    #[test]
    fn a_twist_leaves_the_anchor_its_place_along_the_axis() {
        let a = about(DVec3::new(0.0, 4.0, 0.0), DQuat::from_rotation_x(1.0));
        let centre = centre_of_rotation(&[&a, &DAffine3::IDENTITY], DVec3::new(2.0, 0.0, 1.0));
        assert!(centre.distance(DVec3::new(2.0, 4.0, 0.0)) < 1e-3, "{centre}");
        assert_eq!(centre.x, 2.0);
        let still = centre_of_rotation(&[&DAffine3::IDENTITY, &DAffine3::IDENTITY], DVec3::ONE);
        assert_eq!(still, DVec3::ONE);
    }
}
