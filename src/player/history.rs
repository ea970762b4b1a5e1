//! Undo and redo of manual rotations.

use bindpose_core::model::JointId;
use glam::DQuat;
use std::collections::BTreeMap;

/// Largest number of steps that can be undone.
const MOST_STEPS: usize = 200;

type Turns = BTreeMap<JointId, DQuat>;

/// Manual rotations before and after the current ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct History {
    past: Vec<Turns>,
    future: Vec<Turns>,
    /// Joint that is being rotated. All its changes are one step.
    turning: Option<JointId>,
}

impl History {
    /// Records the rotations before a change. Further changes of the same joint belong to the same step.
    pub(super) fn remember(&mut self, turns: &Turns, joint: Option<JointId>) {
        if joint.is_none() || self.turning != joint {
            if self.past.len() >= MOST_STEPS {
                self.past.remove(0);
            }
            self.past.push(turns.clone());
        }
        self.future.clear();
        self.turning = joint;
    }

    /// Ends a step with several changes.
    pub(super) fn end_turn(&mut self) {
        self.turning = None;
    }

    pub(super) fn undo(&mut self, turns: &mut Turns) {
        if let Some(before) = self.past.pop() {
            self.future.push(std::mem::replace(turns, before));
        }
    }

    pub(super) fn redo(&mut self, turns: &mut Turns) {
        if let Some(after) = self.future.pop() {
            self.past.push(std::mem::replace(turns, after));
        }
    }

    /// True if a rotation can be undone.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// True if an undone rotation can be restored.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }
}
