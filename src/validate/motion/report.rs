//! Reports on findings of motion.

use crate::codes::Code;

/// A finding of motion, for a report on clips.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionReport {
    /// Code of the finding.
    pub code: &'static Code,
    /// Name of the clip.
    pub clip: String,
    /// Message of the finding.
    pub message: String,
    /// Curve that illustrates it. `None` if nothing moves.
    pub curve: Option<MotionCurve>,
}

/// Lines over frames, or a path through space.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionCurve {
    /// Heading.
    pub title: String,
    /// Name and unit of the horizontal axis.
    pub across: &'static str,
    /// Name and unit of the vertical axis.
    pub up: &'static str,
    /// Name and points of each line.
    pub lines: Vec<(String, Vec<[f64; 2]>)>,
    /// Part of the horizontal axis where the finding is.
    pub marked: Option<[f64; 2]>,
}
