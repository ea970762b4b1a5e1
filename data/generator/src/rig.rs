//! The mannequin's joints in the bind pose (an A-pose), and poses.

use crate::maths::frame;
use glam::{DQuat, DVec3};

/// A joint in model space.
#[derive(Debug, Clone, Copy)]
pub struct Placed {
    /// Position in inches.
    pub position: DVec3,
    /// Rotation. Its columns are the direction of the bone, the axis it bends about, and their cross product.
    pub rotation: DQuat,
}

/// One joint of a skeleton.
#[derive(Debug, Clone)]
pub struct Joint {
    /// Name in the files.
    pub name: &'static str,
    /// Index of its parent.
    pub parent: Option<usize>,
    /// Bind pose in model space.
    pub bind: Placed,
}

/// Indices of the joints: depth first, as Doom 3 expects.
pub mod id {
    #![allow(missing_docs, reason = "the names say it")]
    pub const ORIGIN: usize = 0;
    pub const PELVIS: usize = 1;
    pub const WAIST: usize = 2;
    pub const SPINE: usize = 3;
    pub const CHEST: usize = 4;
    pub const NECK: usize = 5;
    pub const HEAD: usize = 6;
    pub const SHOULDER: [usize; 2] = [7, 11];
    pub const UPPER_ARM: [usize; 2] = [8, 12];
    pub const FOREARM: [usize; 2] = [9, 13];
    pub const HAND: [usize; 2] = [10, 14];
    pub const THIGH: [usize; 2] = [15, 19];
    pub const SHIN: [usize; 2] = [16, 20];
    pub const FOOT: [usize; 2] = [17, 21];
    pub const TOE: [usize; 2] = [18, 22];
    pub const COUNT: usize = 23;
}

/// Returns 1 for the left side (0, +Y) and -1 for the right side (1).
pub fn side_sign(side: usize) -> f64 {
    if side == 0 { 1.0 } else { -1.0 }
}

/// Landmarks of the left side. The right side mirrors them.
pub mod at {
    #![allow(missing_docs, reason = "the names say it")]
    use glam::{DVec3, dvec3};
    pub const PELVIS: DVec3 = dvec3(-0.3, 0.0, 38.6);
    pub const WAIST: DVec3 = dvec3(-0.1, 0.0, 42.4);
    pub const SPINE: DVec3 = dvec3(-0.2, 0.0, 46.6);
    pub const CHEST: DVec3 = dvec3(-0.5, 0.0, 51.0);
    pub const NECK: DVec3 = dvec3(-0.8, 0.0, 59.4);
    pub const HEAD: DVec3 = dvec3(0.1, 0.0, 63.6);
    pub const CROWN: DVec3 = dvec3(0.4, 0.0, 72.0);
    pub const SHOULDER: DVec3 = dvec3(0.0, 1.2, 58.0);
    pub const UPPER_ARM: DVec3 = dvec3(-0.6, 7.5, 56.9);
    pub const FOREARM: DVec3 = dvec3(-0.9, 15.5, 48.5);
    pub const HAND: DVec3 = dvec3(1.1, 22.3, 41.1);
    pub const FINGERTIPS: DVec3 = dvec3(2.6, 27.3, 35.6);
    pub const THIGH: DVec3 = dvec3(0.0, 3.7, 37.0);
    pub const SHIN: DVec3 = dvec3(0.35, 4.3, 20.2);
    pub const FOOT: DVec3 = dvec3(-0.75, 4.8, 3.5);
    pub const TOE: DVec3 = dvec3(4.9, 5.5, 0.95);
    pub const TOE_TIP: DVec3 = dvec3(7.7, 5.85, 0.6);
}

/// Mirrors a left point to `side`.
pub fn on_side(point: DVec3, side: usize) -> DVec3 {
    DVec3::new(point.x, point.y * side_sign(side), point.z)
}

/// Returns the 23 joints.
pub fn mannequin() -> Vec<Joint> {
    let mut joints =
        vec![Joint { name: "origin", parent: None, bind: Placed { position: DVec3::ZERO, rotation: DQuat::IDENTITY } }];
    let mut add = |name, parent, position: DVec3, end: DVec3, bends_about: DVec3| {
        let rotation = frame((end - position).normalize(), bends_about);
        joints.push(Joint { name, parent: Some(parent), bind: Placed { position, rotation } });
    };
    add("pelvis", id::ORIGIN, at::PELVIS, at::WAIST, DVec3::Y);
    add("waist", id::PELVIS, at::WAIST, at::SPINE, DVec3::Y);
    add("spine", id::WAIST, at::SPINE, at::CHEST, DVec3::Y);
    add("chest", id::SPINE, at::CHEST, at::NECK, DVec3::Y);
    add("neck", id::CHEST, at::NECK, at::HEAD, DVec3::Y);
    add("head", id::NECK, at::HEAD, at::CROWN, DVec3::Y);
    let names = [
        ["shoulder_l", "upperarm_l", "forearm_l", "hand_l", "thigh_l", "shin_l", "foot_l", "toe_l"],
        ["shoulder_r", "upperarm_r", "forearm_r", "hand_r", "thigh_r", "shin_r", "foot_r", "toe_r"],
    ];
    for (side, [shoulder, upper_arm, forearm, hand, ..]) in names.into_iter().enumerate() {
        let at = |point| on_side(point, side);
        let hinge = DVec3::new(0.0, -1.0, -side_sign(side));
        add(shoulder, id::CHEST, at(at::SHOULDER), at(at::UPPER_ARM), DVec3::Z);
        add(upper_arm, id::SHOULDER[side], at(at::UPPER_ARM), at(at::FOREARM), hinge);
        add(forearm, id::UPPER_ARM[side], at(at::FOREARM), at(at::HAND), hinge);
        add(hand, id::FOREARM[side], at(at::HAND), at(at::FINGERTIPS), hinge);
    }
    for (side, [.., thigh, shin, foot, toe]) in names.into_iter().enumerate() {
        let at = |point| on_side(point, side);
        add(thigh, id::PELVIS, at(at::THIGH), at(at::SHIN), DVec3::Y);
        add(shin, id::THIGH[side], at(at::SHIN), at(at::FOOT), DVec3::Y);
        add(foot, id::SHIN[side], at(at::FOOT), at(at::TOE), DVec3::Y);
        add(toe, id::FOOT[side], at(at::TOE), at(at::TOE_TIP), DVec3::Y);
    }
    joints
}

/// A pose of a skeleton, as rotations from the bind pose.
///
/// `turns[j]` turns joint j and everything below it, about model axes as they are in the bind pose: if nothing else is
/// turned, `pitch(30)` leans any joint forward. `shift` moves the pelvis.
#[derive(Debug, Clone)]
pub struct Pose {
    /// One rotation per joint.
    pub turns: Vec<DQuat>,
    /// Shift of joint 1 in inches, in model axes.
    pub shift: DVec3,
}

impl Pose {
    /// Returns the bind pose.
    pub fn bind(joints: usize) -> Self {
        Self { turns: vec![DQuat::IDENTITY; joints], shift: DVec3::ZERO }
    }

    /// Returns all joints in model space. The second value is the rotation of each joint from the bind pose.
    pub fn place(&self, joints: &[Joint]) -> Vec<(Placed, DQuat)> {
        let mut placed: Vec<(Placed, DQuat)> = Vec::with_capacity(joints.len());
        for (index, joint) in joints.iter().enumerate() {
            let (mut position, turn) = match joint.parent {
                None => (joint.bind.position, self.turns[index]),
                Some(parent) => {
                    let (above, turned) = placed[parent];
                    let bone = joint.bind.position - joints[parent].bind.position;
                    (above.position + turned * bone, (turned * self.turns[index]).normalize())
                }
            };
            if index == 1 {
                position += self.shift;
            }
            placed.push((Placed { position, rotation: (turn * joint.bind.rotation).normalize() }, turn));
        }
        placed
    }
}
