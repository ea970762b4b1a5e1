//! Parts of a file that a finding makes unreliable. Later checks are silent about them, and engines' messages about them
//! belong to the finding: one cause, one finding.

use super::codes::Code;
use bindpose_parsers::Span;
use std::collections::BTreeMap;

/// Part of a file on which checks rely.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    /// A value, or a row: only what is at the same bytes, or on the same line.
    Value,
    /// A number that was read as another one.
    Number,
    /// Bytes that readers take for something else.
    Bytes,
    /// The text to the end of the file: its author sees something else there.
    Text,
    /// A declared count.
    Count,
    /// Number and order of the joints, to which parents and clips refer by index.
    Joints,
    /// A row that may be one too many.
    Twice,
    /// Number of components in a frame.
    Width,
    /// Assignment of components to joints.
    Layout,
    /// Poses that the frames give the joints.
    Motion,
    /// Number of frames.
    FrameCount,
    /// Order of frames.
    FrameOrder,
    /// Boxes of frames.
    Boxes,
    /// Poses of the base frame.
    Base,
    /// Number and order of a mesh's records, or of the values of an object in a `.x` file.
    Records,
    /// Number and order of a mesh's weights.
    Weights,
    /// Frames and meshes of a `.x` file.
    Frames,
    /// Object of a `.x` file in which readers are out of step, with those around it.
    Object,
}

/// A position at which a part is broken.
#[derive(Debug)]
struct Mark {
    span: Span,
    /// Largest end of this span and those before it.
    reach: u32,
}

/// Broken parts of a file, each with its positions in ascending order.
#[derive(Debug, Default)]
pub(crate) struct Broken(BTreeMap<Part, Vec<Mark>>);

impl Broken {
    pub fn mark(&mut self, part: Part, span: Span) {
        let marks = self.0.entry(part).or_default();
        let at = marks.partition_point(|known| known.span.start <= span.start);
        marks.insert(at, Mark { span, reach: 0 });
        let mut reach = at.checked_sub(1).and_then(|before| marks.get(before)).map_or(0, |before| before.reach);
        for mark in marks.iter_mut().skip(at) {
            reach = reach.max(mark.span.end);
            mark.reach = reach;
        }
    }

    /// Marks several parts at one position.
    pub fn mark_all(&mut self, parts: &[Part], span: Span) {
        parts.iter().for_each(|&part| self.mark(part, span));
    }

    /// True if one of the parts is broken, anywhere in the file.
    pub fn any(&self, parts: &[Part]) -> bool {
        parts.iter().any(|part| self.0.contains_key(part))
    }

    /// True if one of the parts is broken within a span.
    pub fn within(&self, parts: &[Part], span: Span) -> bool {
        parts.iter().filter_map(|part| self.0.get(part)).any(|marks| {
            let next = marks.partition_point(|mark| mark.span.start <= span.end);
            next.checked_sub(1).and_then(|last| marks.get(last)).is_some_and(|last| last.reach >= span.start)
        })
    }

    /// Positions at which the part is broken, in ascending order.
    pub fn spans(&self, part: Part) -> impl Iterator<Item = Span> {
        self.0.get(&part).into_iter().flatten().map(|mark| mark.span)
    }
}

/// Bytes in which readers may stumble over a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// None: only a message with its own code is about it.
    Nothing,
    /// Its lines, and those next to them.
    Line,
    /// Everything from its line on.
    Rest,
}

impl Code {
    pub(crate) fn scope(&self) -> Scope {
        match self {
            _ if self.breaks_rest => Scope::Rest,
            _ if self.breaks_line => Scope::Line,
            _ => Scope::Nothing,
        }
    }
}
