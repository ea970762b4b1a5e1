//! The mannequin's clips.

mod actor;
mod gait;
mod idle;
mod jump;

use crate::rig::Joint;
use crate::sample::Motion;

/// Returns all clips of the mannequin.
pub fn all(joints: &[Joint]) -> Vec<Motion> {
    vec![idle::idle(joints), gait::walk(joints), gait::run(joints), idle::wave(joints), jump::jump(joints)]
}
