//! Joint hierarchy in evaluation order.

use crate::model::Skeleton;

/// Joints of a skeleton in the order in which model-space matrices are computed fastest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeSkeleton {
    /// One step per joint, sorted by depth, so that neighbouring steps rarely depend on each other.
    steps: Vec<Step>,
}

/// One matrix product. Matrix 0 is the identity, and joint `j` has matrix `j + 1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub joint: u32,
    /// Index of the parent's matrix. 0 for a root.
    pub parent: u32,
}

impl RuntimeSkeleton {
    /// Sorts the joints of `skeleton` by depth.
    pub fn new(skeleton: &Skeleton) -> Self {
        let depths = skeleton.depths();
        let step = |(joint, parent): (usize, Option<crate::model::JointId>)| Step {
            joint: joint as u32,
            parent: parent.map_or(0, |parent| parent.index() as u32 + 1),
        };
        let parents = skeleton.joints().iter().map(|joint| joint.parent);
        let mut steps: Vec<Step> = parents.enumerate().map(step).collect();
        steps.sort_by_key(|step| depths[step.joint as usize]);
        Self { steps }
    }

    /// Returns the number of joints.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// True if there are no joints.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Steps with parents before their children.
    pub(super) fn steps(&self) -> &[Step] {
        &self.steps
    }
}
