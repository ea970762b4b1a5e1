//! Standing: breathing, shifting weight, and waving a hand.

use super::actor::{Actor, Arm};
use crate::maths::{pitch, roll, smoothstep, spline, yaw};
use crate::rig::{Joint, at, side_sign};
use crate::sample::Motion;
use glam::dvec3;
use std::f64::consts::TAU;

/// Distance of a foot from the middle in [`stand`], in inches.
const APART: f64 = 4.3;

/// Motions of a standing person, each between about -1 and 1.
#[derive(Clone, Copy)]
struct Stand {
    /// Weight on the left leg.
    weight: f64,
    /// Filling of the chest.
    breath: f64,
    /// Rotation of the head to the left.
    glance: f64,
}

/// Stands with both feet on the ground and arms hanging.
fn stand<'a>(joints: &'a [Joint], Stand { weight, breath, glance }: Stand) -> Actor<'a> {
    let mut actor = Actor::new(joints);
    let hips_roll = 3.0 * weight;
    let shift = dvec3(-0.35, 1.7 * weight, -0.12 - 0.14 * weight * weight + 0.04 * breath);
    actor.hips(shift, yaw(-2.5 * weight) * pitch(1.0) * roll(hips_roll));
    for side in 0..2 {
        let ankle = dvec3(at::FOOT.x, APART * side_sign(side), at::FOOT.z);
        actor.leg(side, ankle, yaw(5.0 * side_sign(side)), 0.0);
    }
    actor.back(-1.6 * hips_roll, 1.0 - 1.9 * breath, 4.0 * weight);
    actor.look(-1.5 * glance, 1.5 - 1.0 * breath + 1.5 * glance.abs(), 13.0 * glance);
    for side in 0..2 {
        actor.arm(side, hanging(breath, weight * side_sign(side)));
    }
    actor
}

fn hanging(breath: f64, sway: f64) -> Arm {
    Arm {
        swing: 1.0 + 1.2 * sway,
        out: 9.0 + 1.2 * breath - 1.0 * sway,
        flex: 15.0 + 1.5 * breath,
        twist: 2.0,
        wrist: 9.0 + 1.5 * breath,
        lift: 2.2 * breath,
        reach: -0.8 * breath,
    }
}

/// Stands at ease: 120 frames at 24 per second, two breaths, one shift of weight.
pub fn idle(joints: &[Joint]) -> Motion {
    const FRAMES: u32 = 120;
    let frames = (0..=FRAMES).map(|frame| {
        let phase = f64::from(frame % FRAMES) / f64::from(FRAMES);
        let wave = |times: f64, peak: f64| libm::cos((phase * times - peak) * TAU);
        // Shifts from one leg to the other, with a rest on each.
        let weight = wave(1.0, 0.22) + 0.18 * wave(3.0, 0.66);
        let breath = wave(2.0, 0.3) + 0.15 * wave(4.0, 0.1);
        let glance = 0.8 * wave(1.0, 0.55) + 0.25 * wave(2.0, 0.2);
        stand(joints, Stand { weight: 0.8 * weight, breath, glance }).done()
    });
    Motion { name: "idle", rate: 24, frames: frames.collect() }
}

/// Waves the right hand four times: 84 frames at 24 per second.
pub fn wave(joints: &[Joint]) -> Motion {
    const FRAMES: u32 = 84;
    let frames = (0..=FRAMES).map(|frame| {
        let frame = frame % FRAMES;
        let at = f64::from(frame);
        let raised = smoothstep(4.0, 22.0, at) * smoothstep(80.0, 60.0, at);
        let waving = smoothstep(18.0, 26.0, at) * smoothstep(66.0, 58.0, at);
        let swing = libm::sin((at - 20.0) / 10.5 * TAU) * waving;
        let late = libm::sin((at - 21.6) / 10.5 * TAU) * waving;
        let breath = libm::cos(at / f64::from(FRAMES) * 2.0 * TAU);
        let mut actor = stand(joints, Stand { weight: 0.35 + 0.45 * raised, breath: 0.6 * breath, glance: 0.0 });
        actor.back(-2.0 - 2.5 * raised + 0.8 * swing, 1.0 - 0.9 * breath, 1.0 - 5.0 * raised);
        actor.look(4.0 * raised, 1.0, -6.0 * raised + 1.0 * swing);
        let rest = hanging(0.6 * breath, 0.35);
        let keys = [
            (0.0, [rest.swing, rest.out, rest.flex, rest.twist, rest.wrist, rest.lift, rest.reach]),
            (0.45, [34.0, 26.0, 70.0, 14.0, 14.0, 4.0, 2.0]),
            (1.0, [56.0, 56.0, 104.0, 48.0, -4.0, 12.0, 2.0]),
        ];
        let [forward, out, flex, twist, wrist, lift, reach] = spline(&keys, raised);
        actor.arm(
            1,
            Arm {
                swing: forward,
                out: out + 3.0 * swing,
                flex: flex - 11.0 * swing,
                twist: twist + 15.0 * swing,
                wrist: wrist + 8.0 * late,
                lift,
                reach,
            },
        );
        actor.arm(0, hanging(0.6 * breath, -0.35));
        actor.done()
    });
    Motion { name: "wave", rate: 24, frames: frames.collect() }
}
