//! Curves that illustrate findings of motion.

use super::clip::Motion;
use super::report::MotionCurve;
use crate::checks::geometry::angle;
use glam::{DVec2, DVec3};
use std::ops::RangeInclusive;

/// Number of frames shown before and after a finding.
const AROUND: usize = 30;
/// Largest number of points of a line. Longer lines are thinned evenly.
const MOST_POINTS: usize = 240;

/// Criterion that the seam of a loop violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeamPart {
    Distance,
    Rotation,
    Velocity,
}

impl Motion<'_> {
    /// Returns the range of frames around `first` and `last`, within the clip.
    fn around(&self, first: usize, last: usize) -> RangeInclusive<usize> {
        first.saturating_sub(AROUND)..=(last + AROUND).min(self.frames() - 1)
    }

    /// Returns the movement of a joint per frame, on both sides of the seam.
    pub(super) fn seam_curve(&self, joint: usize, part: SeamPart) -> MotionCurve {
        let last = self.frames() - 1;
        let reach = AROUND.min(last - 1);
        // The last frame of a smooth loop repeats the first, so it counts once.
        let start = usize::from(part == SeamPart::Velocity);
        let frames: Vec<usize> = (last - reach..=last).chain(start..=start + reach).collect();
        let step = |place: usize| {
            let (before, after) = (frames[place - 1], frames[place]);
            match part {
                SeamPart::Rotation => {
                    DVec3::X * angle(self.local(before, joint).rotation, self.local(after, joint).rotation)
                }
                _ => (self.relative_to_root(after, joint) - self.relative_to_root(before, joint)) * 100.0 / self.size,
            }
        };
        let value = |place: usize| match part {
            SeamPart::Velocity => (step(place + 1) - step(place)).length(),
            _ => step(place).length(),
        };
        let seam = if part == SeamPart::Velocity { reach } else { reach + 1 };
        let points = (1..frames.len() - 1).map(|place| [place as f64 - seam as f64, value(place)]).collect();
        MotionCurve {
            title: format!("{} around the end of the loop", self.name(joint)),
            across: "frames before and after the end of the loop",
            up: match part {
                SeamPart::Distance => "step from frame to frame, % of the size",
                SeamPart::Rotation => "turn from frame to frame, degrees",
                SeamPart::Velocity => "change of velocity, % of the size per frame",
            },
            lines: vec![(self.name(joint).to_owned(), points)],
            marked: Some([-0.5, 0.5]),
        }
    }

    /// Returns the path of a foot, seen from the side, while it slides. The ground moves by `ground` per frame.
    pub(super) fn foot_curve(
        &self,
        foot: usize,
        slides: RangeInclusive<usize>,
        slid: DVec2,
        ground: DVec2,
    ) -> MotionCurve {
        let (first, last) = (*slides.start(), *slides.end());
        let start = self.position(first, foot);
        let along = slid.normalize_or_zero();
        let point = |frame: usize| {
            let moved = self.position(frame, foot) - start;
            let on_ground = moved.truncate() - ground * (frame as f64 - first as f64);
            [100.0 * on_ground.dot(along) / self.size, 100.0 * moved.z / self.size]
        };
        let name = self.name(foot);
        let whole = self.around(first, last).map(point).collect();
        MotionCurve {
            title: format!("Path of {name} over the ground, seen from the side"),
            across: "along the slide, % of the size",
            up: "height, % of the size",
            lines: thinned(vec![
                (name.to_owned(), whole),
                (format!("frames {first} to {last}: slides"), slides.map(point).collect()),
            ]),
            marked: None,
        }
    }

    /// Returns the distance of the root from its start, and the expected distance.
    pub(super) fn travel_curve(&self, speed: Option<f64>) -> MotionCurve {
        let from_start = |frame| self.position(frame, self.root).distance(self.position(0, self.root));
        let expected = |frame: usize| speed.unwrap_or(0.0) * frame as f64 / self.rate;
        let line =
            |value: &dyn Fn(usize) -> f64| (0..self.frames()).map(|frame| [frame as f64, value(frame)]).collect();
        MotionCurve {
            title: format!("Distance of the root {} from its start", self.name(self.root)),
            across: "frame",
            up: "distance, units",
            lines: thinned(vec![
                (self.name(self.root).to_owned(), line(&from_start)),
                ("expected".to_owned(), line(&expected)),
            ]),
            marked: None,
        }
    }

    /// Returns the rotation of a joint that flips from frame `before` to the next.
    pub(super) fn flip_curve(&self, joint: usize, before: usize) -> MotionCurve {
        let turned = |frame| angle(self.local(before, joint).rotation, self.local(frame, joint).rotation);
        let points = self.around(before, before + 1).map(|frame| [frame as f64, turned(frame)]).collect();
        MotionCurve {
            title: format!("Rotation of {}", self.name(joint)),
            across: "frame",
            up: "rotation since the frame before the flip, degrees",
            lines: vec![(self.name(joint).to_owned(), points)],
            marked: Some([before as f64, before as f64 + 1.0]),
        }
    }

    /// Returns the position of a joint along the direction of its jitter.
    pub(super) fn jitter_curve(&self, joint: usize, first: usize, last: usize) -> MotionCurve {
        let start = self.relative_to_root(first, joint);
        let along = (self.relative_to_root(first + 1, joint) - start).normalize_or_zero();
        let offset = |frame| 100.0 * (self.relative_to_root(frame, joint) - start).dot(along) / self.size;
        let points = self.around(first, last).map(|frame| [frame as f64, offset(frame)]).collect();
        MotionCurve {
            title: format!("Position of {} along its jitter", self.name(joint)),
            across: "frame",
            up: "position, % of the size",
            lines: vec![(self.name(joint).to_owned(), points)],
            marked: Some([first as f64, last as f64]),
        }
    }

    /// Returns the distance of the model's middle, which is at `centre` in each frame, from its start.
    pub(super) fn drift_curve(&self, centre: &dyn Fn(usize) -> DVec3) -> MotionCurve {
        let point = |frame: usize| [frame as f64, 100.0 * centre(frame).distance(centre(0)) / self.size];
        MotionCurve {
            title: format!("Middle of the model relative to its root {}", self.name(self.root)),
            across: "frame",
            up: "distance from its start, % of the size",
            lines: thinned(vec![("middle of the model's box".to_owned(), (0..self.frames()).map(point).collect())]),
            marked: None,
        }
    }
}

/// Thins lines to about [`MOST_POINTS`] points. Keeps the last point.
fn thinned(lines: Vec<(String, Vec<[f64; 2]>)>) -> Vec<(String, Vec<[f64; 2]>)> {
    let thin = |points: Vec<[f64; 2]>| {
        let (step, last) = (points.len().div_ceil(MOST_POINTS).max(1), points.len().saturating_sub(1));
        let kept = points.into_iter().enumerate().filter(|&(place, _)| place % step == 0 || place == last);
        kept.map(|(_, point)| point).collect()
    };
    lines.into_iter().map(|(name, points)| (name, thin(points))).collect()
}
