//! The clips.

use crate::maths::*;
use crate::rig::{Joint, Pose, id};
use crate::sample::Motion;

/// All clips of the mannequin.
pub fn all(joints: &[Joint]) -> Vec<Motion> {
    let frames = (0..25).map(|n| {
        let s = libm::sin(n as f64 / 24.0 * std::f64::consts::TAU);
        let mut pose = Pose::bind(joints.len());
        for side in 0..2 {
            pose.turns[id::UPPER_ARM[side]] = roll(-20.0 * crate::rig::side_sign(side) * (1.0 + s));
            pose.turns[id::FOREARM[side]] = pitch(-30.0 * (1.0 + s));
            pose.turns[id::THIGH[side]] = pitch(-40.0 * (1.0 + s) * side as f64);
            pose.turns[id::SHIN[side]] = pitch(50.0 * (1.0 + s) * side as f64);
        }
        pose.turns[id::SPINE] = pitch(10.0 * s);
        pose
    });
    vec![Motion { name: "idle", rate: 24, frames: frames.collect() }]
}
