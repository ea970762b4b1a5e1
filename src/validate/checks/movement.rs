//! How the joints of a clip move: what games notice and no loader tests. Held against a [`Contract`].
//!
//! Joints are looked at in model space. What belongs to a walk or run that the game moves (feet that go backwards on the
//! spot) is taken out: where the root stays, the ground goes as most feet on it do.

use super::geometry::angle;
use crate::codes::anim;
use crate::contract::{Contract, Thresholds, is_foot, is_standing};
use crate::finding::Findings;
use bindpose_core::budget::{Budget, product};
use bindpose_core::import::md5::rows::{Rows, transform_of};
use bindpose_core::import::md5::{RootTranslation, played_rate};
use bindpose_core::model::Transform;
use bindpose_parsers::Span;
use bindpose_parsers::md5::AnimFile;
use glam::{DVec2, DVec3};

/// A foot this near to the lowest place of all feet is on the ground, a share of the size.
const GROUND: f64 = 0.02;
/// A root that goes less than this from start to end stays, a share of the size.
const STAYS: f64 = 0.1;
/// Turns before and after a flip are smaller than this, degrees.
const CALM: f64 = 30.0;
/// As many turns to and fro in a row are jitter.
const REVERSALS: usize = 3;

/// A clip's joints in model space.
struct Motion<'a> {
    file: &'a AnimFile<'a>,
    rows: Rows<'a>,
    /// Frame by frame, all joints.
    places: Vec<Vec<DVec3>>,
    /// Diagonal of the joints' box in frame 0.
    size: f64,
    rate: f64,
}

/// Looks at a clip called `name`.
pub fn check(file: &AnimFile, name: &str, contract: &Contract, budget: &Budget, findings: &mut Findings) {
    let rows = Rows::new(file, RootTranslation::File);
    let (joints, frames) = (rows.channel_count(), rows.frame_count());
    if frames < 2 || joints == 0 {
        return;
    }
    let bytes = size_of::<DVec3>() + size_of::<Transform>();
    let (steps, times) = ((joints as u64, "joints"), (frames as u64, "frames"));
    if !super::can_follow(budget, steps, times, bytes, file.num_frames.span, "how they move is", findings)
        || budget.spend(product([joints, frames, size_of::<DVec3>()]), String::new).is_err()
    {
        return;
    }
    let places: Vec<Vec<DVec3>> = (0..frames).map(|frame| model_places(file, &rows, frame)).collect();
    let (min, max) =
        places[0].iter().fold((places[0][0], places[0][0]), |(min, max), place| (min.min(*place), max.max(*place)));
    let motion = Motion { file, rows, places, size: min.distance(max), rate: played_rate(file.frame_rate) };
    if motion.size <= 0.0 || !motion.size.is_finite() {
        return;
    }
    let thresholds = contract.of(name);
    let is_loop = thresholds.is_loop(name);
    if is_loop && frames > 3 {
        motion.check_seam(thresholds, findings);
    }
    motion.check_feet(thresholds, findings);
    motion.check_speed(name, thresholds, findings);
    motion.check_still(thresholds, findings);
    motion.check_flips(thresholds, findings);
    motion.check_jitter(thresholds, findings);
    if is_loop {
        motion.check_drift(thresholds, findings);
    }
}

/// All joints of a frame in model space; a parent that does not stand before its joint is none.
fn model_places(file: &AnimFile, rows: &Rows, frame: usize) -> Vec<DVec3> {
    let mut model: Vec<Transform> = Vec::with_capacity(rows.channel_count());
    for (channel, row) in file.hierarchy.iter().zip(rows.frame(frame)) {
        let local = transform_of(row);
        let parent = usize::try_from(channel.parent.value).ok().and_then(|parent| model.get(parent));
        model.push(parent.map_or(local, |parent| {
            let place = parent.translation + parent.rotation * local.translation;
            Transform::from_rotation_translation(parent.rotation * local.rotation, place)
        }));
    }
    model.iter().map(|joint| joint.translation).collect()
}

/// The larger of two, by the number that counts.
fn more<T>(most: (f64, T), next: (f64, T)) -> (f64, T) {
    if next.0 > most.0 { next } else { most }
}

impl Motion<'_> {
    fn frames(&self) -> usize {
        self.places.len()
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

    /// Where a joint is, seen from the root: moving on from loop to loop is no seam.
    fn beside_root(&self, frame: usize, joint: usize) -> DVec3 {
        self.places[frame][joint] - self.places[frame][0]
    }

    /// How far the root goes in all.
    fn travel(&self) -> DVec3 {
        self.places[self.frames() - 1][0] - self.places[0][0]
    }

    fn tell(
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

    /// The end beside the start, in place, turn and velocity; the last frame may be the first again or the one before it.
    fn check_seam(&self, thresholds: &Thresholds, findings: &mut Findings) {
        let last = self.frames() - 1;
        let rotation = |frame, joint| transform_of(self.rows.row(joint, frame)).rotation;
        let measure = |joint: usize| {
            let place = |frame| self.beside_root(frame, joint);
            let gap = place(last) - place(0);
            let (leaving, coming) = (place(1) - place(0), place(last) - place(last - 1));
            let step = leaving.length().max(coming.length());
            // As long as the steps beside it, it is the way from the last frame to the first.
            let apart = if gap.length() > 1.5 * step { gap.length() / self.size } else { 0.0 };
            let turn = angle(rotation(last, joint), rotation(0, joint));
            let beside = angle(rotation(0, joint), rotation(1, joint))
                .max(angle(rotation(last - 1, joint), rotation(last, joint)));
            let turned = if turn > 1.5 * beside { turn } else { 0.0 };
            // Where the end is the start, the velocities are to be alike.
            let is_closed = gap.length() <= 0.25 * step;
            let change = if is_closed { (leaving - coming).length() / self.size } else { 0.0 };
            (apart, turned, change)
        };
        let measured: Vec<_> = self.joints().map(measure).collect();
        let worst = |of: fn(&(f64, f64, f64)) -> f64| {
            measured.iter().enumerate().map(|(joint, all)| (of(all), joint)).fold((0.0, 0), more)
        };
        let (apart, joint) = worst(|all| all.0);
        let percent = |share: f64| 100.0 * share;
        if apart > thresholds.seam {
            self.tell(anim::LOOP_BREAKS, last, joint, findings, |name| {
                format!(
                    "the loop breaks: at its end joint {joint} '{name}' is {:.1} % of the size from its start, {:.1} % pass",
                    percent(apart),
                    percent(thresholds.seam)
                )
            });
            return;
        }
        let (turned, joint) = worst(|all| all.1);
        if turned > thresholds.seam_degrees {
            self.tell(anim::LOOP_BREAKS, last, joint, findings, |name| {
                format!(
                    "the loop breaks: at its end joint {joint} '{name}' is turned by {turned:.1} degrees from its start, {} pass",
                    thresholds.seam_degrees
                )
            });
            return;
        }
        let (change, joint) = worst(|all| all.2);
        if change > thresholds.seam_velocity {
            self.tell(anim::LOOP_BREAKS, last, joint, findings, |name| {
                format!(
                    "the loop breaks: over its seam the velocity of joint {joint} '{name}' changes by {:.1} % of the size a \
                     frame, {:.1} % pass",
                    percent(change),
                    percent(thresholds.seam_velocity)
                )
            });
        }
    }

    /// The joints that touch the ground: those that were named, else the lowest with such names.
    fn feet(&self, thresholds: &Thresholds) -> Vec<usize> {
        if !thresholds.feet.is_empty() {
            return self.joints().filter(|&joint| thresholds.feet.contains(&self.name(joint))).collect();
        }
        let lowest = |joint: usize| self.places.iter().map(|frame| frame[joint].z).fold(f64::INFINITY, f64::min);
        let named: Vec<(usize, f64)> =
            self.joints().filter(|&joint| is_foot(&self.name(joint))).map(|joint| (joint, lowest(joint))).collect();
        let ground = named.iter().map(|&(_, z)| z).fold(f64::INFINITY, f64::min);
        named.into_iter().filter(|&(_, z)| z < ground + GROUND * self.size).map(|(joint, _)| joint).collect()
    }

    /// How far a foot goes along the ground while it is on it.
    fn check_feet(&self, thresholds: &Thresholds, findings: &mut Findings) {
        let feet = self.feet(thresholds);
        let heights = feet.iter().flat_map(|&foot| self.places.iter().map(move |frame| frame[foot].z));
        let ground = heights.fold(f64::INFINITY, f64::min) + GROUND * self.size;
        let planted = |frame: usize, foot: usize| self.places[frame][foot].z <= ground;
        let step = |frame: usize, foot: usize| (self.places[frame][foot] - self.places[frame - 1][foot]).truncate();
        let steps =
            |foot: usize| (1..self.frames()).filter(move |&frame| planted(frame - 1, foot) && planted(frame, foot));
        // On the spot the ground goes as the feet on it do: half of the steps are as long in each direction.
        let stays = self.travel().length() < STAYS * self.size;
        let all: Vec<DVec2> = feet.iter().flat_map(|&foot| steps(foot).map(move |frame| step(frame, foot))).collect();
        let ground_step = if stays { median(&all) } else { DVec2::ZERO };
        let mut worst = (thresholds.slide, None);
        for &foot in &feet {
            let (mut slid, mut before) = (DVec2::ZERO, 0);
            for frame in steps(foot) {
                slid = if frame == before + 1 { slid } else { DVec2::ZERO } + step(frame, foot) - ground_step;
                before = frame;
                worst = more(worst, (slid.length() / self.size, Some((frame, foot))));
            }
        }
        if let (slid, Some((frame, foot))) = worst {
            self.tell(anim::FOOT_SLIDES, frame, foot, findings, |name| {
                format!(
                    "joint {foot} '{name}' slides by {:.1} % of the size while it is on the ground, {:.1} % pass",
                    100.0 * slid,
                    100.0 * thresholds.slide
                )
            });
        }
    }

    /// The root's speed beside the one that was asked for, and clips that stand by their names.
    fn check_speed(&self, name: &str, thresholds: &Thresholds, findings: &mut Findings) {
        let last = self.frames() - 1;
        let speed = self.travel().length() * self.rate / last as f64;
        if let Some(wanted) = thresholds.speed {
            if (speed - wanted).abs() > thresholds.speed_tolerance * wanted.max(f64::MIN_POSITIVE) {
                self.tell(anim::ROOT_SPEED, last, 0, findings, |joint| {
                    format!(
                        "the root '{joint}' moves at {speed:.2} units a second at {} frames a second, {wanted} were asked \
                         for; {:.0} % pass",
                        self.rate,
                        100.0 * thresholds.speed_tolerance
                    )
                });
            }
        } else if is_standing(name) && self.travel().length() > STAYS * self.size {
            self.tell(anim::ROOT_SPEED, last, 0, findings, |joint| {
                format!(
                    "the clip stands by its name, but its root '{joint}' goes {:.2} units, {:.0} % of the size; {:.0} % pass",
                    self.travel().length(),
                    100.0 * self.travel().length() / self.size,
                    100.0 * STAYS
                )
            });
        }
    }

    /// Whether nothing moves, or what is to move does not.
    fn check_still(&self, thresholds: &Thresholds, findings: &mut Findings) {
        let is_still = |joint: usize| {
            let first = self.rows.row(joint, 0);
            (1..self.frames()).all(|frame| self.rows.row(joint, frame) == first)
        };
        // Two frames are how a still is written where a clip needs an interval.
        if self.frames() > 2 && self.joints().all(is_still) {
            findings.add(anim::NOTHING_MOVES, self.file.num_frames.span, || {
                format!("no joint moves in any of the {} frames", self.frames())
            });
            return;
        }
        for joint in self.joints().filter(|&joint| thresholds.moving.contains(&self.name(joint))) {
            if is_still(joint) {
                self.tell(anim::NOTHING_MOVES, 0, joint, findings, |name| {
                    format!("joint {joint} '{name}' is to move, but is the same in all {} frames", self.frames())
                });
            }
        }
    }

    /// A single large turn among small ones.
    fn check_flips(&self, thresholds: &Thresholds, findings: &mut Findings) {
        for joint in self.joints() {
            let rotation = |frame| transform_of(self.rows.row(joint, frame)).rotation;
            let turns: Vec<f64> = (1..self.frames()).map(|frame| angle(rotation(frame - 1), rotation(frame))).collect();
            let calm = |place: Option<usize>| place.and_then(|place| turns.get(place)).is_none_or(|&turn| turn < CALM);
            let flip = turns.iter().enumerate().find(|&(place, &turn)| {
                turn > thresholds.flip_degrees && calm(place.checked_sub(1)) && calm(place.checked_add(1))
            });
            if let Some((place, turn)) = flip {
                self.tell(anim::ROTATION_FLIPS, place + 1, joint, findings, |name| {
                    format!(
                        "joint {joint} '{name}' flips by {turn:.0} degrees from frame {place} to {}, {} pass",
                        place + 1,
                        thresholds.flip_degrees
                    )
                });
            }
        }
    }

    /// Joints that go to and fro from frame to frame.
    fn check_jitter(&self, thresholds: &Thresholds, findings: &mut Findings) {
        let least = thresholds.jitter * self.size;
        let mut worst = (0.0, None);
        for joint in self.joints() {
            let step = |frame| self.beside_root(frame, joint) - self.beside_root(frame - 1, joint);
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
                    worst = more(worst, (shortest / self.size, Some((frame, joint))));
                }
            }
        }
        if let (far, Some((frame, joint))) = worst {
            self.tell(anim::JITTER, frame, joint, findings, |name| {
                format!(
                    "joint {joint} '{name}' goes to and fro by {:.1} % of the size in the frames up to {frame}, {:.1} % pass",
                    100.0 * far,
                    100.0 * thresholds.jitter
                )
            });
        }
    }

    /// A figure that leaves its root behind.
    fn check_drift(&self, thresholds: &Thresholds, findings: &mut Findings) {
        let centre = |frame: usize| {
            let first = self.beside_root(frame, 0);
            let corners = self.joints().skip(1).map(|joint| self.beside_root(frame, joint));
            let (min, max) = corners.fold((first, first), |(min, max), place| (min.min(place), max.max(place)));
            0.5 * (min + max)
        };
        let last = self.frames() - 1;
        let apart = (centre(last) - centre(0)).length() / self.size;
        if apart > thresholds.drift {
            self.tell(anim::LEAVES_ROOT, last, 0, findings, |name| {
                format!(
                    "the figure's box ends {:.0} % of the size from where it began, seen from the root '{name}'; {:.0} % pass",
                    100.0 * apart,
                    100.0 * thresholds.drift
                )
            });
        }
    }
}

/// The middle of steps, each part for itself; nothing without any.
fn median(steps: &[DVec2]) -> DVec2 {
    let middle = |part: fn(&DVec2) -> f64| {
        let mut all: Vec<f64> = steps.iter().map(part).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0)
    };
    DVec2::new(middle(|step| step.x), middle(|step| step.y))
}
