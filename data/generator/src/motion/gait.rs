//! Walking and running on the spot: the ground moves backwards, and standing feet move with it.

use super::actor::{Actor, Arm};
use crate::maths::{hermite, pitch, roll, smoothstep, yaw};
use crate::rig::{Joint, at, side_sign};
use crate::sample::Motion;
use glam::dvec3;
use std::f64::consts::TAU;

/// Offsets from the ankle to the contact points of the heel and the ball of the foot: forward, up.
const HEEL: [f64; 2] = [-2.3, -at::FOOT.z];
const BALL: [f64; 2] = [at::TOE.x - at::FOOT.x, -at::FOOT.z];

/// Pose of a foot: ankle forward and up (inches, relative to the bind pose's ankle in x), pitch of the foot, bend of
/// the toes (degrees).
type Foot = [f64; 4];

/// A gait. Phases run from 0 to 1, beginning when the foot touches the ground.
struct Gait {
    /// Distance in inches that the ground moves in one cycle.
    stride: f64,
    /// Phase at which the foot leaves the ground.
    off: f64,
    /// Forward position of the ankle when the foot touches the ground.
    contact: f64,
    /// Pitch of the foot when it touches the ground (negative: toes up), and phase at which it is flat.
    strike: [f64; 2],
    /// Phase at which the heel rises, and pitch when the toes leave the ground.
    rise: [f64; 2],
    /// Poses of the foot in the air, by phase.
    swing: &'static [(f64, Foot)],
}

impl Gait {
    /// Returns the pose of a foot on the ground, which rolls over heel and ball.
    fn stance(&self, phase: f64) -> Foot {
        let ground = self.contact - self.stride * phase;
        let about = |point: [f64; 2], degrees: f64| {
            let (sin, cos) = libm::sincos(degrees.to_radians());
            let [x, z] = [-point[0], -point[1]];
            [ground + point[0] + x * cos + z * sin, z * cos - x * sin]
        };
        let [strike, flat] = self.strike;
        let [rise, last] = self.rise;
        if phase < flat {
            // The heel's position is where it touches while the foot is still tilted.
            let degrees = strike * (1.0 - smoothstep(-flat, flat, phase)) * 2.0;
            let [x, z] = about(HEEL, degrees);
            [x, z, degrees, -0.3 * degrees.abs()]
        } else if phase < rise {
            [ground, -BALL[1], 0.0, 0.0]
        } else {
            let share = (phase - rise) / (self.off - rise);
            let degrees = last * share * share * (1.6 - 0.6 * share);
            let [x, z] = about(BALL, degrees);
            [x, z, degrees, -degrees]
        }
    }

    /// Returns the pose of a foot at any phase.
    fn foot(&self, phase: f64) -> Foot {
        let phase = phase - libm::floor(phase);
        if phase <= self.off {
            return self.stance(phase);
        }
        const STEP: f64 = 0.02;
        let mut keys = vec![(self.off - STEP, self.stance(self.off - STEP)), (self.off, self.stance(self.off))];
        keys.extend_from_slice(self.swing);
        keys.extend([(1.0, self.stance(0.0)), (1.0 + STEP, self.stance(STEP))]);
        let next = keys.partition_point(|key| key.0 <= phase).min(keys.len() - 2);
        let [before, from, to, after] = [next - 2, next - 1, next, next + 1].map(|n| keys[n]);
        let width = to.0 - from.0;
        std::array::from_fn(|n| {
            // At both ends of the swing, the foot keeps the speed of the stance.
            let slope = |a: (f64, Foot), b: (f64, Foot)| (b.1[n] - a.1[n]) / (b.0 - a.0) * width;
            let slope_from = if from.0 == self.off { slope(before, from) } else { slope(before, to) };
            let slope_to = if to.0 == 1.0 { slope(to, after) } else { slope(from, after) };
            hermite(from.1[n], slope_from, to.1[n], slope_to, (phase - from.0) / width)
        })
    }

    fn plant(&self, actor: &mut Actor, side: usize, phase: f64, apart: f64, toes_out: f64) {
        let [x, z, pitched, toe] = self.foot(phase);
        let ankle = dvec3(at::FOOT.x + x, apart * side_sign(side), z);
        actor.leg(side, ankle, yaw(toes_out * side_sign(side)) * pitch(pitched), toe);
    }
}

/// Returns one cycle of a shifted cosine: 1 at `peak`.
fn wave(phase: f64, peak: f64) -> f64 {
    libm::cos((phase - peak) * TAU)
}

/// Creates a relaxed walk: 32 frames at 30 per second, 46 inches.
pub fn walk(joints: &[Joint]) -> Motion {
    const GAIT: Gait = Gait {
        stride: 46.0,
        off: 0.62,
        contact: 12.3,
        strike: [-20.0, 0.12],
        rise: [0.3, 52.0],
        swing: &[(0.72, [-9.0, 8.8, 44.0, -14.0]), (0.82, [2.5, 6.2, 12.0, 0.0]), (0.92, [10.9, 4.7, -12.0, -6.0])],
    };
    let frames = cycle(32).map(|phase| {
        let mut actor = Actor::new(joints);
        // The left foot touches the ground at phase 0, the right one at 0.5.
        let twice = phase * 2.0;
        let down = -0.88 - 0.56 * wave(twice, 0.1);
        let aside = 0.85 * wave(phase, 0.3);
        let hips_yaw = -6.0 * wave(phase, 0.0);
        let hips_roll = 3.2 * wave(phase, 0.17);
        actor.hips(dvec3(0.0, aside, down), yaw(hips_yaw) * pitch(2.0) * roll(hips_roll));
        GAIT.plant(&mut actor, 0, phase, 2.9, 4.0);
        GAIT.plant(&mut actor, 1, phase + 0.5, 2.9, 4.0);
        let chest_yaw = 6.0 * wave(phase, 0.02);
        actor.back(-hips_roll - 1.0 * wave(phase, 0.2), 0.5 + 1.0 * wave(twice, 0.1), chest_yaw - hips_yaw);
        actor.look(0.4 * wave(phase, 0.25), 1.0 + 0.8 * wave(twice, 0.3), 0.0);
        for side in 0..2 {
            let phase = phase + 0.5 * side as f64;
            let swing = -21.0 * wave(phase, 0.03) + 1.0;
            actor.arm(
                side,
                Arm {
                    swing,
                    out: 8.5 - 1.5 * wave(phase, 0.5),
                    flex: 17.0 - 11.0 * wave(phase, 0.1),
                    twist: 12.0 - 6.0 * wave(phase, 0.05),
                    wrist: 8.0 + 5.0 * wave(phase, 0.3),
                    lift: 0.8 * wave(twice, 0.35),
                    reach: -2.5 * wave(phase, 0.03),
                },
            );
        }
        actor.done()
    });
    Motion { name: "walk", rate: 30, frames: frames.collect() }
}

/// Creates a run: 20 frames at 30 per second, 98 inches, with both feet in the air for a third of the time.
pub fn run(joints: &[Joint]) -> Motion {
    const GAIT: Gait = Gait {
        stride: 98.0,
        off: 0.32,
        contact: 9.5,
        strike: [-6.0, 0.05],
        rise: [0.12, 58.0],
        swing: &[
            (0.43, [-21.0, 13.5, 82.0, -8.0]),
            (0.54, [-14.5, 20.0, 88.0, 6.0]),
            (0.66, [-1.0, 18.5, 62.0, 6.0]),
            (0.78, [11.5, 12.5, 22.0, 0.0]),
            (0.89, [14.8, 7.2, -4.0, -6.0]),
        ],
    };
    let frames = cycle(20).map(|phase| {
        let mut actor = Actor::new(joints);
        let twice = phase * 2.0;
        let down = -2.2 - 1.5 * wave(twice, 0.26);
        let aside = 0.35 * wave(phase, 0.16);
        let hips_yaw = -9.0 * wave(phase, 0.02);
        let hips_roll = 3.0 * wave(phase, 0.14);
        actor.hips(dvec3(0.6, aside, down), yaw(hips_yaw) * pitch(9.0 + 2.0 * wave(twice, 0.2)) * roll(hips_roll));
        GAIT.plant(&mut actor, 0, phase, 2.0, 2.0);
        GAIT.plant(&mut actor, 1, phase + 0.5, 2.0, 2.0);
        let chest_yaw = 11.0 * wave(phase, 0.04);
        actor.back(-hips_roll - 1.0 * wave(phase, 0.15), 3.0 + 1.5 * wave(twice, 0.3), chest_yaw - hips_yaw);
        actor.look(0.5 * wave(phase, 0.2), 4.0 + 1.2 * wave(twice, 0.45), 1.0 * wave(phase, 0.05));
        for side in 0..2 {
            let phase = phase + 0.5 * side as f64;
            let swing = -8.0 - 38.0 * wave(phase, 0.04);
            actor.arm(
                side,
                Arm {
                    swing,
                    out: 10.0 + 5.0 * wave(phase, 0.04),
                    flex: 88.0 - 14.0 * wave(phase, 0.12),
                    twist: -12.0 + 10.0 * wave(phase, 0.04),
                    wrist: 6.0,
                    lift: 2.0 + 1.5 * wave(twice, 0.4),
                    reach: -5.0 * wave(phase, 0.04),
                },
            );
        }
        actor.done()
    });
    Motion { name: "run", rate: 30, frames: frames.collect() }
}

/// Returns the phases of a loop of `frames` steps, with the first phase again at the end.
fn cycle(frames: u32) -> impl Iterator<Item = f64> {
    (0..=frames).map(move |frame| f64::from(frame % frames) / f64::from(frames))
}
