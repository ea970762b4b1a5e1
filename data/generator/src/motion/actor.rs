//! Posing of body parts instead of single joints.

use crate::maths::{frame, pitch, roll, turn, yaw};
use crate::rig::{Joint, Placed, Pose, at, id, on_side, side_sign};
use glam::{DQuat, DVec3, dvec3};

/// Angle in degrees by which an arm sinks from the bind pose until it hangs straight down.
const ARM_DOWN: f64 = 43.0;

/// A mannequin to be posed. Parts have to be set from the hips outwards.
pub struct Actor<'a> {
    joints: &'a [Joint],
    pose: Pose,
}

/// Pose of an arm in degrees. At zero it hangs straight down.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arm {
    /// Angle forward.
    pub swing: f64,
    /// Angle away from the body.
    pub out: f64,
    /// Flexion of the elbow.
    pub flex: f64,
    /// Rotation about the upper arm. Outwards turns a bent forearm away from the body.
    pub twist: f64,
    /// Flexion of the wrist, towards the palm.
    pub wrist: f64,
    /// Rotation of the shoulder upwards.
    pub lift: f64,
    /// Rotation of the shoulder forward.
    pub reach: f64,
}

impl<'a> Actor<'a> {
    /// Starts in the bind pose.
    pub fn new(joints: &'a [Joint]) -> Self {
        Self { joints, pose: Pose::bind(joints.len()) }
    }

    /// Returns the finished pose.
    pub fn done(self) -> Pose {
        self.pose
    }

    fn placed(&self, joint: usize) -> (Placed, DQuat) {
        self.pose.place(self.joints)[joint]
    }

    /// Moves the hips by `shift` (inches) and turns them.
    pub fn hips(&mut self, shift: DVec3, turned: DQuat) {
        self.pose.shift = shift;
        self.pose.turns[id::PELVIS] = turned;
    }

    /// Turns the chest relative to the hips in degrees, a third in each joint of the back.
    pub fn back(&mut self, rolled: f64, pitched: f64, yawed: f64) {
        for (joint, share) in [(id::WAIST, 0.35), (id::SPINE, 0.35), (id::CHEST, 0.3)] {
            self.pose.turns[joint] = yaw(yawed * share) * pitch(pitched * share) * roll(rolled * share);
        }
    }

    /// Turns the head in model space, whatever the back does; two fifths of the rotation are in the neck.
    pub fn look(&mut self, rolled: f64, pitched: f64, yawed: f64) {
        let (_, chest) = self.placed(id::CHEST);
        let wanted = chest.conjugate() * (yaw(yawed) * pitch(pitched) * roll(rolled));
        let neck = part_way(wanted, 0.4);
        self.pose.turns[id::NECK] = neck;
        self.pose.turns[id::HEAD] = neck.conjugate() * wanted;
    }

    /// Poses an arm.
    pub fn arm(&mut self, side: usize, arm: Arm) {
        let sign = side_sign(side);
        let upper = (on_side(at::FOREARM, side) - on_side(at::UPPER_ARM, side)).normalize();
        let hinge = self.joints[id::FOREARM[side]].bind.rotation * DVec3::Y;
        self.pose.turns[id::SHOULDER[side]] = yaw(-arm.reach * sign) * roll(arm.lift * sign);
        self.pose.turns[id::UPPER_ARM[side]] =
            pitch(-arm.swing) * roll((arm.out - ARM_DOWN) * sign) * turn(upper, (arm.twist * -sign).to_radians());
        self.pose.turns[id::FOREARM[side]] = turn(hinge, arm.flex.to_radians());
        let palm = self.joints[id::HAND[side]].bind.rotation * DVec3::Z;
        self.pose.turns[id::HAND[side]] = turn(palm, (arm.wrist * sign).to_radians());
    }

    /// Puts the ankle at `ankle` (model space), with the foot turned by `foot` from flat and the toes bent by `toe`
    /// degrees (positive: down). The knee points in the direction of hips and foot.
    pub fn leg(&mut self, side: usize, ankle: DVec3, foot: DQuat, toe: f64) {
        let [thigh, shin, foot_joint, toe_joint] = [id::THIGH, id::SHIN, id::FOOT, id::TOE].map(|joint| joint[side]);
        let bind = |joint: usize| self.joints[joint].bind.position;
        let (hip, _) = self.placed(thigh);
        let (_, hips) = self.placed(id::PELVIS);
        let (upper, lower) = (bind(thigh).distance(bind(shin)), bind(shin).distance(bind(foot_joint)));
        let reach = ankle - hip.position;
        let length = reach.length().min((upper + lower) * 0.9995);
        let towards = reach.normalize();
        let forward = hips * dvec3(1.0, 0.06 * side_sign(side), 0.0) + foot * DVec3::X * 0.6;
        let axis = forward.cross(towards).normalize();
        let ahead = towards.cross(axis);
        // Law of cosines: the angle by which the thigh leans forward from the straight line.
        let cos = (upper * upper + length * length - lower * lower) / (2.0 * upper * length);
        let sin = (1.0 - cos * cos).max(0.0).sqrt();
        let knee = hip.position + (towards * cos + ahead * sin) * upper;
        let ankle = hip.position + towards * length;
        let turned = |from: usize, to: usize, direction: DVec3| {
            let rest = frame((bind(to) - bind(from)).normalize(), DVec3::Y);
            frame(direction.normalize(), axis) * rest.conjugate()
        };
        let thigh_turn = turned(thigh, shin, knee - hip.position);
        let shin_turn = turned(shin, foot_joint, ankle - knee);
        self.pose.turns[thigh] = hips.conjugate() * thigh_turn;
        self.pose.turns[shin] = thigh_turn.conjugate() * shin_turn;
        self.pose.turns[foot_joint] = shin_turn.conjugate() * foot;
        self.pose.turns[toe_joint] = pitch(toe);
    }
}

/// Returns a share of the rotation `turned`, by the shorter path.
fn part_way(turned: DQuat, share: f64) -> DQuat {
    let turned = if turned.w < 0.0 { -turned } else { turned };
    (DQuat::IDENTITY * (1.0 - share) + turned * share).normalize()
}
