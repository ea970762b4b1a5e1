//! Checks of a clip's motion against the thresholds of a [`Contract`].
//!
//! Joints are compared in model space. If the root does not move, as in walking on the spot, the ground is assumed to
//! move with most of the feet on it.

use super::MotionFindings;
use super::clip::Motion;
use super::curve::SeamPart;
use crate::checks::geometry::angle;
use crate::codes::motion as rules;
use crate::contract::{Contract, Thresholds, is_foot, is_standing};
use bindpose_core::model::Model;
use glam::{DVec2, DVec3};
use std::collections::HashSet;

/// Height above the lowest foot up to which a foot is on the ground, as a fraction of the size.
const GROUND: f64 = 0.01;
/// Vertical step up to which a foot is level, as a fraction of the size.
const STANDS: f64 = 0.003;
/// Height of a joint's lowest vertex above the mesh's up to which the joint may be a foot, as a fraction of the size.
const SOLE: f64 = 0.05;
/// Largest smooth change of velocity over a seam, relative to the largest change within the clip.
const SMOOTH: f64 = 1.5;
/// Distance from start to end up to which a root counts as not moving, as a fraction of the size.
const STAYS: f64 = 0.1;
/// Largest rotation, in degrees, of the frames before and after a flip.
const CALM: f64 = 30.0;
/// Rotation between frames, in degrees, from which a joint may have jumped to another animation.
const JUMP: f64 = 10.0;
/// Number of joints in different limbs that jump at the same time where another animation begins.
const UNRELATED: usize = 3;
/// Number of consecutive reversals that count as jitter.
const REVERSALS: usize = 3;

/// Returns the names of joints whose vertices reach the ground in the bind pose, for [`check`].
pub fn soles(model: &Model) -> HashSet<String> {
    let mut lowest = vec![f32::INFINITY; model.skeleton.len()];
    for mesh in &model.meshes {
        for (vertex, position) in mesh.positions.iter().enumerate() {
            if let Some((_, joint)) = mesh.heaviest(vertex) {
                lowest[joint.index()] = lowest[joint.index()].min(position.z);
            }
        }
    }
    let bounds = model.meshes.iter().filter_map(|mesh| mesh.bounds());
    let bounds = bounds.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)));
    let Some((min, max)) = bounds else { return HashSet::new() };
    let highest = min.z + SOLE as f32 * min.distance(max);
    let joints = model.skeleton.joints().iter().zip(lowest).filter(|&(_, z)| z <= highest);
    joints.map(|(joint, _)| joint.name.clone()).collect()
}

/// Checks a clip. `soles` are those of its model, if known; `loops` is false if the file declares that the clip plays
/// once.
pub fn check(
    motion: &Motion,
    soles: Option<&HashSet<String>>,
    loops: bool,
    contract: &Contract,
    out: &mut MotionFindings,
) {
    let thresholds = contract.of(motion.clip);
    let is_loop = loops && thresholds.is_loop(motion.clip);
    if is_loop && motion.frames() > 3 {
        motion.check_seam(thresholds, out);
    }
    motion.check_feet(soles, thresholds, out);
    motion.check_speed(is_loop, thresholds, out);
    motion.check_still(thresholds, out);
    motion.check_flips(thresholds, out);
    motion.check_jitter(thresholds, out);
    if is_loop {
        motion.check_drift(thresholds, out);
    }
}

/// Returns the pair with the larger number.
fn larger<T>(most: (f64, T), next: (f64, T)) -> (f64, T) {
    if next.0 > most.0 { next } else { most }
}

impl Motion<'_> {
    /// Returns the distance (fraction of the size), rotation (degrees) and change of velocity (fraction of the size per
    /// frame) of a joint between the end and the start. These are 0 if the last frame repeats the first or is one step
    /// before it. The change of velocity is also 0 if it is no larger than others of this joint in the clip.
    fn seam_of(&self, joint: usize) -> [f64; 3] {
        let last = self.frames() - 1;
        let rotation = |frame| self.local(frame, joint).rotation;
        let position = |frame| self.relative_to_root(frame, joint);
        let gap = position(last) - position(0);
        let (leaving, coming) = (position(1) - position(0), position(last) - position(last - 1));
        let step = leaving.length().max(coming.length());
        // A gap as long as the neighbouring steps is the step from the last frame to the first.
        let distance = if gap.length() > 1.5 * step { gap.length() / self.size } else { 0.0 };
        let turn = angle(rotation(last), rotation(0));
        let near = angle(rotation(0), rotation(1)).max(angle(rotation(last - 1), rotation(last)));
        let turned = if turn > 1.5 * near { turn } else { 0.0 };
        // If the last frame repeats the first, their velocities must agree.
        let is_closed = gap.length() <= 0.25 * step;
        let step_to = |frame| position(frame) - position(frame - 1);
        let own = (2..=last).map(|frame| (step_to(frame) - step_to(frame - 1)).length()).fold(0.0, f64::max);
        let change = (leaving - coming).length();
        let change = if is_closed && change > SMOOTH * own { change / self.size } else { 0.0 };
        [distance, turned, change]
    }

    /// Compares the end of a loop with its start. Reports the worst joint of the first criterion that fails.
    fn check_seam(&self, thresholds: &Thresholds, out: &mut MotionFindings) {
        type Words = fn(f64, f64) -> String;
        let criteria: [(SeamPart, f64, Words); 3] = [
            (SeamPart::Distance, thresholds.seam, |found, limit| {
                format!("is {:.1} % of the size from its start (limit {:.1} %)", 100.0 * found, 100.0 * limit)
            }),
            (SeamPart::Rotation, thresholds.seam_degrees, |found, limit| {
                format!("is turned by {found:.1} degrees from its start (limit {limit})")
            }),
            (SeamPart::Velocity, thresholds.seam_velocity, |found, limit| {
                let (found, limit) = (100.0 * found, 100.0 * limit);
                format!("changes its velocity by {found:.1} % of the size per frame (limit {limit:.1} %)")
            }),
        ];
        let seams: Vec<[f64; 3]> = self.joints().map(|joint| self.seam_of(joint)).collect();
        for (criterion, (part, limit, words)) in criteria.into_iter().enumerate() {
            let of_joints = seams.iter().enumerate().map(|(joint, seam)| (seam[criterion], joint));
            let (worst, joint) = of_joints.fold((0.0, 0), larger);
            if worst > limit {
                self.report(
                    rules::LOOP_BREAKS,
                    Some((self.frames() - 1, joint)),
                    |name| format!("the loop breaks: at its end joint {joint} '{name}' {}", words(worst, limit)),
                    || Some(self.seam_curve(joint, part)),
                    out,
                );
                return;
            }
        }
    }

    /// Returns the joints that touch the ground: those of the thresholds, else the lowest joints with suitable names.
    /// If the mesh is known, their vertices must be near the ground, which excludes control joints.
    fn feet(&self, soles: Option<&HashSet<String>>, thresholds: &Thresholds) -> Vec<usize> {
        if !thresholds.feet.is_empty() {
            return self.joints().filter(|&joint| is_any(&thresholds.feet, self.name(joint))).collect();
        }
        let lowest =
            |joint: usize| (0..self.frames()).map(|frame| self.position(frame, joint).z).fold(f64::INFINITY, f64::min);
        let may_be_foot = |name: &str| is_foot(name) && soles.is_none_or(|soles| soles.contains(name));
        let named = self.joints().filter(|&joint| may_be_foot(self.name(joint)));
        let named: Vec<(usize, f64)> = named.map(|joint| (joint, lowest(joint))).collect();
        let ground = named.iter().map(|&(_, z)| z).fold(f64::INFINITY, f64::min);
        named.into_iter().filter(|&(_, z)| z < ground + GROUND * self.size).map(|(joint, _)| joint).collect()
    }

    /// Reports feet that slide while they are on the ground, at the lowest height at which a foot stands.
    fn check_feet(&self, soles: Option<&HashSet<String>>, thresholds: &Thresholds, out: &mut MotionFindings) {
        let feet = self.feet(soles, thresholds);
        let height = |frame: usize, foot: usize| self.position(frame, foot).z;
        let is_level = |frame: usize, foot: usize| {
            (1..self.frames()).contains(&frame)
                && (height(frame, foot) - height(frame - 1, foot)).abs() <= STANDS * self.size
        };
        // At the top of a jump, a foot is level for one step.
        let stands = |frame: usize, foot: usize| {
            is_level(frame, foot) && (is_level(frame - 1, foot) || is_level(frame + 1, foot))
        };
        let steps_of = |foot: usize| (1..self.frames()).filter(move |&frame| stands(frame, foot));
        let heights = feet.iter().flat_map(|&foot| steps_of(foot).map(move |frame| height(frame, foot)));
        let ground = heights.fold(f64::INFINITY, f64::min) + GROUND * self.size;
        let step = |frame: usize, foot: usize| (self.position(frame, foot) - self.position(frame - 1, foot)).truncate();
        let steps = |foot: usize| {
            steps_of(foot).filter(move |&frame| height(frame - 1, foot).max(height(frame, foot)) <= ground)
        };
        // On the spot, the ground moves with the median step of the feet on it.
        let stays = self.travel().length() < STAYS * self.size;
        let all: Vec<DVec2> = feet.iter().flat_map(|&foot| steps(foot).map(move |frame| step(frame, foot))).collect();
        let ground_step = if stays { median(&all) } else { DVec2::ZERO };
        let mut worst = (thresholds.slide, None);
        for &foot in &feet {
            let (mut slid, mut first, mut before) = (DVec2::ZERO, 0, 0);
            for frame in steps(foot) {
                if frame != before + 1 {
                    (slid, first) = (DVec2::ZERO, frame - 1);
                }
                slid += step(frame, foot) - ground_step;
                before = frame;
                worst = larger(worst, (slid.length() / self.size, Some((foot, first, frame, slid))));
            }
        }
        if let (share, Some((foot, first, frame, slid))) = worst {
            let (share, limit) = (100.0 * share, 100.0 * thresholds.slide);
            self.report(
                rules::FOOT_SLIDES,
                Some((frame, foot)),
                |name| {
                    format!(
                        "joint {foot} '{name}' slides by {share:.1} % of the size while it is on the ground (limit {limit:.1} %)"
                    )
                },
                || Some(self.foot_curve(foot, first..=frame, slid, ground_step)),
                out,
            );
        }
    }

    /// Compares the root's speed with that of the thresholds, or with 0 for clips with names such as idle. Reports the way
    /// of the root of other loops.
    fn check_speed(&self, loops: bool, thresholds: &Thresholds, out: &mut MotionFindings) {
        let last = self.frames() - 1;
        let moved = self.travel().length();
        let speed = moved * self.rate / last as f64;
        let place = Some((last, self.root));
        let curve = || Some(self.travel_curve(thresholds.speed));
        if let Some(wanted) = thresholds.speed {
            if (speed - wanted).abs() > thresholds.speed_tolerance * wanted.max(f64::MIN_POSITIVE) {
                let message = |joint: &str| {
                    format!(
                        "the root '{joint}' moves at {speed:.2} units per second at {} frames per second, expected {wanted} \
                         (limit {:.0} %)",
                        self.rate,
                        100.0 * thresholds.speed_tolerance
                    )
                };
                self.report(rules::ROOT_SPEED, place, message, curve, out);
            }
        } else if is_standing(self.clip) && moved > STAYS * self.size {
            let message = |joint: &str| {
                format!(
                    "the clip's name implies no movement, but its root '{joint}' moves {moved:.2} units, {:.0} % of the size \
                     (limit {:.0} %)",
                    100.0 * moved / self.size,
                    100.0 * STAYS
                )
            };
            self.report(rules::ROOT_SPEED, place, message, curve, out);
        } else if loops && moved > STAYS * self.size {
            let message = |joint: &str| {
                format!(
                    "the root '{joint}' travels {moved:.2} units in a cycle: Doom 3 and its family carry the model on, in \
                     other engines it jumps back"
                )
            };
            self.report(rules::ROOT_TRAVELS, place, message, curve, out);
        }
    }

    /// Reports clips in which nothing moves, and unmoved joints of the thresholds.
    fn check_still(&self, thresholds: &Thresholds, out: &mut MotionFindings) {
        let frames = self.frames();
        let is_still = |joint: usize| (1..frames).all(|frame| self.local(frame, joint) == self.local(0, joint));
        // Two equal frames are a single pose for engines that need an interval.
        if frames > 2 && self.joints().all(is_still) {
            let message = |_: &str| format!("no joint moves in any of the {frames} frames");
            self.report(rules::NOTHING_MOVES, None, message, || None, out);
            return;
        }
        for joint in self.joints().filter(|&joint| is_any(&thresholds.moving, self.name(joint))) {
            if is_still(joint) {
                let message =
                    |name: &str| format!("joint {joint} '{name}' must move, but is the same in all {frames} frames");
                self.report(rules::NOTHING_MOVES, Some((0, joint)), message, || None, out);
            }
        }
    }

    /// Reports a single large rotation between small ones.
    fn check_flips(&self, thresholds: &Thresholds, out: &mut MotionFindings) {
        let turns: Vec<Vec<f64>> = self.joints().map(|joint| self.turns_of(joint)).collect();
        for (joint, of_joint) in turns.iter().enumerate() {
            let moved =
                |place: usize| self.local(place, joint).translation.distance(self.local(place + 1, joint).translation);
            let flip = of_joint.iter().enumerate().find(|&(place, &turn)| {
                turn > thresholds.flip_degrees
                    && is_sudden(of_joint, place, CALM)
                    // The joint is moved elsewhere, like a magazine being changed.
                    && moved(place) < STAYS * self.size
                    && !self.is_cut(&turns, place)
            });
            if let Some((place, turn)) = flip {
                let (after, limit) = (place + 1, thresholds.flip_degrees);
                self.report(
                    rules::ROTATION_FLIPS,
                    Some((after, joint)),
                    |name| {
                        format!("joint {joint} '{name}' flips by {turn:.0} degrees from frame {place} to {after} (limit {limit})")
                    },
                    || Some(self.flip_curve(joint, place)),
                    out,
                );
            }
        }
    }

    /// Returns the rotation of a joint between successive frames, in degrees.
    fn turns_of(&self, joint: usize) -> Vec<f64> {
        let rotation = |frame| self.local(frame, joint).rotation;
        (1..self.frames()).map(|frame| angle(rotation(frame - 1), rotation(frame))).collect()
    }

    /// True if one animation ends before this frame and another one begins: unrelated joints jump at once.
    fn is_cut(&self, turns: &[Vec<f64>], place: usize) -> bool {
        let jumps =
            |joint: usize| turns[joint][place] > JUMP && is_sudden(&turns[joint], place, 0.25 * turns[joint][place]);
        self.joints().filter(|&joint| jumps(joint) && !self.ancestors(joint).any(jumps)).count() >= UNRELATED
    }

    /// Reports joints that reverse direction in every frame.
    fn check_jitter(&self, thresholds: &Thresholds, out: &mut MotionFindings) {
        let least = thresholds.jitter * self.size;
        let mut worst = (0.0, None);
        for joint in self.joints() {
            let step = |frame| self.relative_to_root(frame, joint) - self.relative_to_root(frame - 1, joint);
            let (mut in_a_row, mut shortest) = (0, f64::INFINITY);
            for frame in 2..self.frames() {
                let (before, after) = (step(frame - 1), step(frame));
                let length = before.length().min(after.length());
                if length > least && before.dot(after) < -0.5 * before.length() * after.length() {
                    (in_a_row, shortest) = (in_a_row + 1, f64::min(shortest, length));
                } else {
                    (in_a_row, shortest) = (0, f64::INFINITY);
                }
                if in_a_row >= REVERSALS {
                    worst = larger(worst, (shortest / self.size, Some((joint, frame - in_a_row - 1, frame))));
                }
            }
        }
        if let (far, Some((joint, first, frame))) = worst {
            let (far, limit) = (100.0 * far, 100.0 * thresholds.jitter);
            self.report(
                rules::JITTER,
                Some((frame, joint)),
                |name| {
                    format!(
                        "joint {joint} '{name}' jitters by {far:.1} % of the size in the frames up to {frame} (limit {limit:.1} %)"
                    )
                },
                || Some(self.jitter_curve(joint, first, frame)),
                out,
            );
        }
    }

    /// Reports models that move away from their root.
    fn check_drift(&self, thresholds: &Thresholds, out: &mut MotionFindings) {
        let centre = |frame: usize| {
            let places = self.joints().map(|joint| self.relative_to_root(frame, joint));
            let (min, max) =
                places.fold((DVec3::ZERO, DVec3::ZERO), |(min, max), place| (min.min(place), max.max(place)));
            0.5 * (min + max)
        };
        let last = self.frames() - 1;
        let apart = (centre(last) - centre(0)).length() / self.size;
        if apart > thresholds.drift {
            let (apart, limit) = (100.0 * apart, 100.0 * thresholds.drift);
            self.report(
                rules::LEAVES_ROOT,
                Some((last, self.root)),
                |name| {
                    format!("relative to the root '{name}', the model's box moves by {apart:.0} % of the size (limit {limit:.0} %)")
                },
                || Some(self.drift_curve(&centre)),
                out,
            );
        }
    }
}

/// True if the rotations before and after the one at `place` are smaller than `calm`, in degrees.
fn is_sudden(turns: &[f64], place: usize, calm: f64) -> bool {
    let is_calm = |place: Option<usize>| place.and_then(|place| turns.get(place)).is_none_or(|&turn| turn < calm);
    is_calm(place.checked_sub(1)) && is_calm(place.checked_add(1))
}

/// True if a name is in a list.
fn is_any(names: &[String], name: &str) -> bool {
    names.iter().any(|known| known == name)
}

/// Returns the median of steps by component. Returns zero if there are none.
fn median(steps: &[DVec2]) -> DVec2 {
    let middle = |part: fn(&DVec2) -> f64| {
        let mut all: Vec<f64> = steps.iter().map(part).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    };
    DVec2::new(middle(|step| step.x), middle(|step| step.y))
}
