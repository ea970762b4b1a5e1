//! Undo and redo of manual rotations.

use super::State;
use crate::model::JointId;
use glam::DQuat;
use std::collections::BTreeMap;

/// Largest number of steps that can be undone.
const MOST_STEPS: usize = 200;

type Turns = BTreeMap<JointId, DQuat>;

/// Manual rotations before and after the current ones.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct History {
    past: Vec<Turns>,
    future: Vec<Turns>,
    /// Joint that is being rotated. All its changes are one step.
    turning: Option<JointId>,
}

impl State {
    /// Records the rotations before a change. Further changes of the same joint belong to the same step.
    pub(super) fn remember_turns(&mut self, joint: Option<JointId>) {
        let history = &mut self.history;
        if joint.is_none() || history.turning != joint {
            if history.past.len() >= MOST_STEPS {
                history.past.remove(0);
            }
            history.past.push(self.turns.clone());
        }
        history.future.clear();
        history.turning = joint;
    }

    /// Ends a step with several changes.
    pub(super) fn end_turn(&mut self) {
        self.history.turning = None;
    }

    pub(super) fn undo(&mut self) {
        if let Some(before) = self.history.past.pop() {
            self.history.future.push(std::mem::replace(&mut self.turns, before));
        }
    }

    pub(super) fn redo(&mut self) {
        if let Some(after) = self.history.future.pop() {
            self.history.past.push(std::mem::replace(&mut self.turns, after));
        }
    }

    /// True if a rotation can be undone.
    pub fn can_undo(&self) -> bool {
        !self.history.past.is_empty()
    }

    /// True if an undone rotation can be restored.
    pub fn can_redo(&self) -> bool {
        !self.history.future.is_empty()
    }
}
