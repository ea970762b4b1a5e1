//! Checks of a clip's movement against the thresholds of a [`Contract`]: faults that games show and no loader tests.
//!
//! Joints are compared in model space. If the root does not move, as in a walk on the spot, the ground is assumed to move with
//! most of the feet on it.

use super::geometry::angle;
use crate::codes::anim;
use crate::contract::{Contract, Thresholds, is_foot, is_standing};
use crate::finding::Findings;
use bindpose_core::budget::{Budget, product};
use bindpose_core::import::md5::rows::{Rows, transform_of};
use bindpose_core::import::md5::{RootTranslation, played_rate};
use bindpose_core::model::{Model, Transform};
use bindpose_parsers::Span;
use bindpose_parsers::md5::AnimFile;
use glam::{DVec2, DVec3};
use std::collections::HashSet;

/// Height above the lowest foot, as a share of the size, up to which a foot is on the ground.
const GROUND: f64 = 0.02;
/// Vertical step, as a share of the size, up to which a foot is level.
const STANDS: f64 = 0.003;
/// Height of a joint's lowest vertex above the mesh's, as a share of the size, up to which the joint may be a foot.
const SOLE: f64 = 0.05;
/// Change of velocity over a seam, relative to the largest within the clip, up to which a loop is smooth.
const SMOOTH: f64 = 1.5;
/// Distance from start to end, as a share of the size, up to which a root counts as not moving.
const STAYS: f64 = 0.1;
/// Largest rotation, in degrees, of the frames before and after a flip.
const CALM: f64 = 30.0;
/// Reversals in a row that count as jitter.
const REVERSALS: usize = 3;

/// A clip's joints in model space.
struct Motion<'a> {
    file: &'a AnimFile<'a>,
    rows: Rows<'a>,
    /// Positions of all joints, by frame.
    positions: Vec<Vec<DVec3>>,
    /// Diagonal of the joints' box in frame 0.
    size: f64,
    /// Frames per second.
    rate: f64,
}

/// Names of the joints whose vertices reach the ground in the bind pose, for [`check`].
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

/// Checks a clip called `name`; `soles` are those of its mesh, if it has one.
pub fn check(
    file: &AnimFile,
    name: &str,
    soles: Option<&HashSet<String>>,
    contract: &Contract,
    budget: &Budget,
    findings: &mut Findings,
) {
    let rows = Rows::new(file, RootTranslation::File);
    let (joints, frames) = (rows.channel_count(), rows.frame_count());
    if frames < 2 || joints == 0 {
        return;
    }
    let bytes = size_of::<DVec3>() + size_of::<Transform>();
    let (steps, times) = ((joints as u64, "joints"), (frames as u64, "frames"));
    if !super::can_follow(budget, steps, times, bytes, file.num_frames.span, "their movement is", findings)
        || budget.spend(product([joints, frames, size_of::<DVec3>()]), String::new).is_err()
    {
        return;
    }
    let positions: Vec<Vec<DVec3>> = (0..frames).map(|frame| model_positions(file, &rows, frame)).collect();
    let first = positions[0][0];
    let (min, max) = positions[0].iter().fold((first, first), |(min, max), at| (min.min(*at), max.max(*at)));
    let motion = Motion { file, rows, positions, size: min.distance(max), rate: played_rate(file.frame_rate) };
    if motion.size <= 0.0 || !motion.size.is_finite() {
        return;
    }
    let thresholds = contract.of(name);
    let is_loop = thresholds.is_loop(name);
    if is_loop && frames > 3 {
        motion.check_seam(thresholds, findings);
    }
    motion.check_feet(soles, thresholds, findings);
    motion.check_speed(name, thresholds, findings);
    motion.check_still(thresholds, findings);
    motion.check_flips(thresholds, findings);
    motion.check_jitter(thresholds, findings);
    if is_loop {
        motion.check_drift(thresholds, findings);
    }
}

/// Positions of all joints of a frame in model space; a joint with an invalid or later parent is a root.
fn model_positions(file: &AnimFile, rows: &Rows, frame: usize) -> Vec<DVec3> {
    let mut model: Vec<Transform> = Vec::with_capacity(rows.channel_count());
    for (channel, row) in file.hierarchy.iter().zip(rows.frame(frame)) {
        let local = transform_of(row);
        let parent = usize::try_from(channel.parent.value).ok().and_then(|parent| model.get(parent));
        model.push(parent.map_or(local, |parent| {
            let position = parent.translation + parent.rotation * local.translation;
            Transform::from_rotation_translation(parent.rotation * local.rotation, position)
        }));
    }
    model.iter().map(|joint| joint.translation).collect()
}

/// The pair with the larger first number.
fn larger<T>(most: (f64, T), next: (f64, T)) -> (f64, T) {
    if next.0 > most.0 { next } else { most }
}

impl Motion<'_> {
    fn frames(&self) -> usize {
        self.positions.len()
    }

    fn joints(&self) -> std::ops::Range<usize> {
        0..self.rows.channel_count()
    }

    fn name(&self, joint: usize) -> String {
        self.file.hierarchy.get(joint).map_or_else(String::new, |channel| channel.name.to_name())
    }

    fn span(&self, frame: usize) -> Span {
        self.file.frames.get(frame).map_or(self.file.num_frames.span, |frame| frame.number.span)
    }

    /// Position of a joint relative to the root, so that travel of the root is not a seam.
    fn relative_to_root(&self, frame: usize, joint: usize) -> DVec3 {
        self.positions[frame][joint] - self.positions[frame][0]
    }

    /// Movement of the root from the first to the last frame.
    fn travel(&self) -> DVec3 {
        self.positions[self.frames() - 1][0] - self.positions[0][0]
    }

    fn report(
        &self,
        rule: crate::codes::Rule,
        frame: usize,
        joint: usize,
        findings: &mut Findings,
        message: impl FnOnce(String) -> String,
    ) {
        let name = self.name(joint);
        let path = || Some(format!("frame[{frame}].joint[{joint}]"));
        let added = findings.add_at(rule, self.span(frame), path, || message(name.clone()));
        if let Some(finding) = added {
            finding.value("name", name);
        }
    }

    /// Distance (share of the size), rotation (degrees) and change of velocity (share of the size per frame) of a joint between
    /// the end and the start. The last frame may repeat the first or be one step before it: then these are 0. A change of
    /// velocity no larger than others of this joint in the clip is 0, too.
    fn seam_of(&self, joint: usize) -> [f64; 3] {
        let last = self.frames() - 1;
        let rotation = |frame| transform_of(self.rows.row(joint, frame)).rotation;
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

    /// Compares the end of a loop with its start; reports the worst joint of the first criterion that fails.
    fn check_seam(&self, thresholds: &Thresholds, findings: &mut Findings) {
        type Words = fn(f64, f64) -> String;
        let criteria: [(f64, Words); 3] = [
            (thresholds.seam, |found, limit| {
                format!("is {:.1} % of the size from its start (limit {:.1} %)", 100.0 * found, 100.0 * limit)
            }),
            (thresholds.seam_degrees, |found, limit| {
                format!("is turned by {found:.1} degrees from its start (limit {limit})")
            }),
            (thresholds.seam_velocity, |found, limit| {
                let (found, limit) = (100.0 * found, 100.0 * limit);
                format!("changes its velocity by {found:.1} % of the size per frame (limit {limit:.1} %)")
            }),
        ];
        let seams: Vec<[f64; 3]> = self.joints().map(|joint| self.seam_of(joint)).collect();
        for (criterion, (limit, words)) in criteria.into_iter().enumerate() {
            let of_joints = seams.iter().enumerate().map(|(joint, seam)| (seam[criterion], joint));
            let (worst, joint) = of_joints.fold((0.0, 0), larger);
            if worst > limit {
                self.report(anim::LOOP_BREAKS, self.frames() - 1, joint, findings, |name| {
                    format!("the loop breaks: at its end joint {joint} '{name}' {}", words(worst, limit))
                });
                return;
            }
        }
    }

    /// The joints that touch the ground: those of the thresholds; or else the lowest with such names and, if the mesh is
    /// known, with vertices near the ground. Control joints have none.
    fn feet(&self, soles: Option<&HashSet<String>>, thresholds: &Thresholds) -> Vec<usize> {
        if !thresholds.feet.is_empty() {
            return self.joints().filter(|&joint| thresholds.feet.contains(&self.name(joint))).collect();
        }
        let lowest = |joint: usize| self.positions.iter().map(|frame| frame[joint].z).fold(f64::INFINITY, f64::min);
        let may_be_foot = |name: &str| is_foot(name) && soles.is_none_or(|soles| soles.contains(name));
        let named = self.joints().filter(|&joint| may_be_foot(&self.name(joint)));
        let named: Vec<(usize, f64)> = named.map(|joint| (joint, lowest(joint))).collect();
        let ground = named.iter().map(|&(_, z)| z).fold(f64::INFINITY, f64::min);
        named.into_iter().filter(|&(_, z)| z < ground + GROUND * self.size).map(|(joint, _)| joint).collect()
    }

    /// Checks that feet do not slide while they are on the ground: the lowest height at which a foot stands.
    fn check_feet(&self, soles: Option<&HashSet<String>>, thresholds: &Thresholds, findings: &mut Findings) {
        let feet = self.feet(soles, thresholds);
        let height = |frame: usize, foot: usize| self.positions[frame][foot].z;
        let is_level = |frame: usize, foot: usize| {
            (1..self.frames()).contains(&frame)
                && (height(frame, foot) - height(frame - 1, foot)).abs() <= STANDS * self.size
        };
        // At the top of a jump a foot is level for one step.
        let stands = |frame: usize, foot: usize| {
            is_level(frame, foot) && (is_level(frame - 1, foot) || is_level(frame + 1, foot))
        };
        let steps_of = |foot: usize| (1..self.frames()).filter(move |&frame| stands(frame, foot));
        let heights = feet.iter().flat_map(|&foot| steps_of(foot).map(move |frame| height(frame, foot)));
        let ground = heights.fold(f64::INFINITY, f64::min) + GROUND * self.size;
        let step =
            |frame: usize, foot: usize| (self.positions[frame][foot] - self.positions[frame - 1][foot]).truncate();
        let steps = |foot: usize| {
            steps_of(foot).filter(move |&frame| height(frame - 1, foot).max(height(frame, foot)) <= ground)
        };
        // On the spot the ground moves with the median step of the feet on it.
        let stays = self.travel().length() < STAYS * self.size;
        let all: Vec<DVec2> = feet.iter().flat_map(|&foot| steps(foot).map(move |frame| step(frame, foot))).collect();
        let ground_step = if stays { median(&all) } else { DVec2::ZERO };
        let mut worst = (thresholds.slide, None);
        for &foot in &feet {
            let (mut slid, mut before) = (DVec2::ZERO, 0);
            for frame in steps(foot) {
                slid = if frame == before + 1 { slid } else { DVec2::ZERO } + step(frame, foot) - ground_step;
                before = frame;
                worst = larger(worst, (slid.length() / self.size, Some((frame, foot))));
            }
        }
        if let (slid, Some((frame, foot))) = worst {
            self.report(anim::FOOT_SLIDES, frame, foot, findings, |name| {
                format!(
                    "joint {foot} '{name}' slides by {:.1} % of the size while it is on the ground (limit {:.1} %)",
                    100.0 * slid,
                    100.0 * thresholds.slide
                )
            });
        }
    }

    /// Compares the root's speed with the thresholds' speed, or with 0 for clips with names such as idle.
    fn check_speed(&self, name: &str, thresholds: &Thresholds, findings: &mut Findings) {
        let last = self.frames() - 1;
        let speed = self.travel().length() * self.rate / last as f64;
        if let Some(wanted) = thresholds.speed {
            if (speed - wanted).abs() > thresholds.speed_tolerance * wanted.max(f64::MIN_POSITIVE) {
                self.report(anim::ROOT_SPEED, last, 0, findings, |joint| {
                    format!(
                        "the root '{joint}' moves at {speed:.2} units per second at {} frames per second, expected {wanted} \
                         (limit {:.0} %)",
                        self.rate,
                        100.0 * thresholds.speed_tolerance
                    )
                });
            }
        } else if is_standing(name) && self.travel().length() > STAYS * self.size {
            self.report(anim::ROOT_SPEED, last, 0, findings, |joint| {
                format!(
                    "the clip's name implies no movement, but its root '{joint}' moves {:.2} units, {:.0} % of the size \
                     (limit {:.0} %)",
                    self.travel().length(),
                    100.0 * self.travel().length() / self.size,
                    100.0 * STAYS
                )
            });
        }
    }

    /// Checks that anything moves, and that the joints of the thresholds do.
    fn check_still(&self, thresholds: &Thresholds, findings: &mut Findings) {
        let is_still = |joint: usize| {
            let first = self.rows.row(joint, 0);
            (1..self.frames()).all(|frame| self.rows.row(joint, frame) == first)
        };
        // Two equal frames are a still image for engines that need an interval.
        if self.frames() > 2 && self.joints().all(is_still) {
            findings.add(anim::NOTHING_MOVES, self.file.num_frames.span, || {
                format!("no joint moves in any of the {} frames", self.frames())
            });
            return;
        }
        for joint in self.joints().filter(|&joint| thresholds.moving.contains(&self.name(joint))) {
            if is_still(joint) {
                self.report(anim::NOTHING_MOVES, 0, joint, findings, |name| {
                    format!("joint {joint} '{name}' must move, but is the same in all {} frames", self.frames())
                });
            }
        }
    }

    /// Looks for a single large rotation among small ones.
    fn check_flips(&self, thresholds: &Thresholds, findings: &mut Findings) {
        for joint in self.joints() {
            let rotation = |frame| transform_of(self.rows.row(joint, frame)).rotation;
            let turns: Vec<f64> = (1..self.frames()).map(|frame| angle(rotation(frame - 1), rotation(frame))).collect();
            let calm = |place: Option<usize>| place.and_then(|place| turns.get(place)).is_none_or(|&turn| turn < CALM);
            let flip = turns.iter().enumerate().find(|&(place, &turn)| {
                turn > thresholds.flip_degrees && calm(place.checked_sub(1)) && calm(place.checked_add(1))
            });
            if let Some((place, turn)) = flip {
                self.report(anim::ROTATION_FLIPS, place + 1, joint, findings, |name| {
                    format!(
                        "joint {joint} '{name}' flips by {turn:.0} degrees from frame {place} to {} (limit {})",
                        place + 1,
                        thresholds.flip_degrees
                    )
                });
            }
        }
    }

    /// Looks for joints that reverse direction in every frame.
    fn check_jitter(&self, thresholds: &Thresholds, findings: &mut Findings) {
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
                    worst = larger(worst, (shortest / self.size, Some((frame, joint))));
                }
            }
        }
        if let (far, Some((frame, joint))) = worst {
            self.report(anim::JITTER, frame, joint, findings, |name| {
                format!(
                    "joint {joint} '{name}' jitters by {:.1} % of the size in the frames up to {frame} (limit {:.1} %)",
                    100.0 * far,
                    100.0 * thresholds.jitter
                )
            });
        }
    }

    /// Checks that the model stays at its root.
    fn check_drift(&self, thresholds: &Thresholds, findings: &mut Findings) {
        let centre = |frame: usize| {
            let first = self.relative_to_root(frame, 0);
            let corners = self.joints().skip(1).map(|joint| self.relative_to_root(frame, joint));
            let (min, max) = corners.fold((first, first), |(min, max), place| (min.min(place), max.max(place)));
            0.5 * (min + max)
        };
        let last = self.frames() - 1;
        let apart = (centre(last) - centre(0)).length() / self.size;
        if apart > thresholds.drift {
            self.report(anim::LEAVES_ROOT, last, 0, findings, |name| {
                format!(
                    "relative to the root '{name}', the model's box moves by {:.0} % of the size (limit {:.0} %)",
                    100.0 * apart,
                    100.0 * thresholds.drift
                )
            });
        }
    }
}

/// Median of steps by component; zero without steps.
fn median(steps: &[DVec2]) -> DVec2 {
    let middle = |part: fn(&DVec2) -> f64| {
        let mut all: Vec<f64> = steps.iter().map(part).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    };
    DVec2::new(middle(|step| step.x), middle(|step| step.y))
}
