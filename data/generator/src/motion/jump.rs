//! A jump on the spot.

use super::actor::{Actor, Arm};
use crate::maths::{hermite, pitch, spline, yaw};
use crate::rig::{Joint, at, side_sign};
use crate::sample::Motion;
use glam::dvec3;

/// Gravity in inches per second squared.
const GRAVITY: f64 = 386.0;
/// Times at which the feet leave and touch the ground, in seconds.
const OFF: f64 = 0.7;
const DOWN: f64 = 1.2;
/// Height of the hips above the bind pose when standing on the toes, in inches.
const STRETCHED: f64 = 2.4;

/// Crouches, jumps a foot high, lands, straightens: 60 frames at 30 per second.
#[expect(clippy::too_many_lines, reason = "one pose after the other")]
pub fn jump(joints: &[Joint]) -> Motion {
    const FRAMES: u32 = 60;
    let frames = (0..=FRAMES).map(|frame| {
        let time = f64::from(frame % FRAMES) / 30.0;
        let mut actor = Actor::new(joints);
        let height = flight(time);
        // Columns: time; hips forward and their pitch, pitch of the back, of the head.
        let [forward, lean, back, head] = spline(
            &[
                (0.0, [-0.3, 1.0, 1.0, 1.0]),
                (0.12, [-0.3, 1.0, 1.0, 1.0]),
                (0.46, [-4.2, 26.0, 22.0, 12.0]),
                (OFF, [1.0, 3.0, -5.0, -9.0]),
                (0.92, [0.6, 5.0, 3.0, 2.0]),
                (DOWN, [-0.4, 8.0, 8.0, 10.0]),
                (1.36, [-3.4, 23.0, 16.0, 10.0]),
                (1.66, [-0.9, 5.0, 2.0, 0.0]),
                (2.0, [-0.3, 1.0, 1.0, 1.0]),
            ],
            time,
        );
        actor.hips(dvec3(forward, 0.0, hips(time)), pitch(lean));
        // Columns: time; pitch of the feet.
        let [tip] = spline(
            &[
                (0.0, [0.0]),
                (0.54, [0.0]),
                (OFF, [52.0]),
                (0.8, [46.0]),
                (0.98, [24.0]),
                (DOWN, [20.0]),
                (1.28, [0.0]),
                (2.0, [0.0]),
            ],
            time,
        );
        let (sin, cos) = libm::sincos(tip.to_radians());
        let [x, z] = [at::FOOT.x - at::TOE.x, at::FOOT.z];
        // In the air, the feet rise more than the hips, so the knees bend.
        let ankle = [at::TOE.x + x * cos + z * sin - 0.25 * height, z * cos - x * sin + 1.35 * height];
        for side in 0..2 {
            let sign = side_sign(side);
            let toe = if height > 0.0 { -tip * 0.25 } else { -tip };
            actor.leg(side, dvec3(ankle[0], 4.1 * sign, ankle[1]), yaw(5.0 * sign) * pitch(tip), toe);
        }
        actor.back(0.0, back, 0.0);
        actor.look(0.0, head, 0.0);
        // Columns: time; arm forward, out, elbow, shoulder up.
        let [swing, out, flex, lift] = spline(
            &[
                (0.0, [1.0, 9.0, 15.0, 0.0]),
                (0.14, [14.0, 12.0, 24.0, 1.0]),
                (0.46, [-52.0, 16.0, 18.0, 0.0]),
                (0.6, [6.0, 15.0, 50.0, 2.0]),
                (OFF + 0.07, [124.0, 18.0, 36.0, 10.0]),
                (0.95, [112.0, 30.0, 30.0, 8.0]),
                (DOWN, [62.0, 34.0, 34.0, 4.0]),
                (1.38, [8.0, 22.0, 40.0, 0.0]),
                (1.66, [-7.0, 12.0, 20.0, 0.0]),
                (2.0, [1.0, 9.0, 15.0, 0.0]),
            ],
            time,
        );
        for side in 0..2 {
            actor.arm(side, Arm { swing, out, flex, twist: 2.0, wrist: 9.0, lift, reach: 0.0 });
        }
        actor.done()
    });
    Motion { name: "jump", rate: 30, frames: frames.collect() }
}

/// Returns the height of the flight's parabola in inches; 0 on the ground.
fn flight(time: f64) -> f64 {
    if time <= OFF || time >= DOWN { 0.0 } else { GRAVITY * 0.5 * (time - OFF) * (DOWN - time) }
}

/// Returns the height of the hips relative to the bind pose, in inches. On the ground it is a cubic between heights and
/// speeds.
fn hips(time: f64) -> f64 {
    let speed = GRAVITY * 0.5 * (DOWN - OFF);
    let keys = [
        (0.0, -0.15, 0.0),
        (0.1, -0.12, 0.0),
        (0.46, -11.5, 0.0),
        (OFF, STRETCHED, speed),
        (DOWN, 0.9, -speed),
        (1.36, -9.5, 0.0),
        (1.7, -0.6, 3.0),
        (2.0, -0.15, 0.0),
    ];
    if time > OFF && time < DOWN {
        let share = (time - OFF) / (DOWN - OFF);
        return STRETCHED + (0.9 - STRETCHED) * share + flight(time);
    }
    let next = keys.partition_point(|key| key.0 <= time).clamp(1, keys.len() - 1);
    let (from, to) = (keys[next - 1], keys[next]);
    let width = to.0 - from.0;
    hermite(from.1, from.2 * width, to.1, to.2 * width, (time - from.0) / width)
}
