//! Reports of faults: errors, which end the reading, and warnings.

use super::Reading;
use super::fault::Fault;
use crate::Span;
use std::mem::discriminant;

/// An unreadable file: the fault and its position.
///
/// Displays without the position: the caller has the path and a [`LineIndex`](crate::LineIndex).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    /// Kind of the fault.
    pub kind: Fault,
    /// Bytes at fault. For something missing, the point where it was expected.
    pub span: Span,
}

/// Fault that the reading repairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Fault. [`Fault::d3dx`] is D3DX's answer.
    pub kind: Fault,
    /// Position of the first occurrence.
    pub span: Span,
    /// Number of occurrences within one object, at least 1.
    pub times: u32,
    /// Further positions, at most [`MORE_PLACES`].
    pub more: Vec<Span>,
}

/// Number of positions of one fault in one object that are kept in addition to the first.
pub const MORE_PLACES: usize = 100;

/// Collects warnings, or turns the first that D3DX would refuse into an error.
#[derive(Debug, Clone)]
pub(super) struct FaultLog {
    reading: Reading,
    warnings: Vec<Warning>,
    /// Index of the current object's first warning. Repeats are counted from there.
    scope: usize,
}

/// Number of warnings that are searched for a repeat. The limit keeps objects with many different faults fast.
const REPEAT_WINDOW: usize = 16;

impl FaultLog {
    pub(super) fn new(reading: Reading) -> Self {
        Self { reading, warnings: Vec::new(), scope: 0 }
    }

    /// Begins a new object, whose warnings are counted separately.
    pub(super) fn enter(&mut self) {
        self.scope = self.warnings.len();
    }

    /// Adds a warning. In the strict reading, returns an error if D3DX refuses the fault.
    pub(super) fn fault(&mut self, kind: Fault, span: Span) -> Result<(), Error> {
        if self.reading == Reading::Strict && kind.d3dx().is_some() {
            return Err(Error { kind, span });
        }
        let recent = self.scope.max(self.warnings.len().saturating_sub(REPEAT_WINDOW));
        let same = |warning: &&mut Warning| discriminant(&warning.kind) == discriminant(&kind);
        match self.warnings.get_mut(recent..).and_then(|recent| recent.iter_mut().find(same)) {
            Some(repeated) => {
                repeated.times = repeated.times.saturating_add(1);
                if repeated.more.len() < MORE_PLACES {
                    repeated.more.push(span);
                }
            }
            None => self.warnings.push(Warning { kind, span, times: 1, more: Vec::new() }),
        }
        Ok(())
    }

    /// Adds a fault that the lenient reading found by itself. It is never a repeat.
    pub(super) fn add(&mut self, Error { kind, span }: Error) {
        self.warnings.push(Warning { kind, span, times: 1, more: Vec::new() });
    }

    /// Returns the faults since a state of the log.
    pub(super) fn since(&self, mark: usize) -> impl Iterator<Item = &Fault> {
        self.warnings.iter().skip(mark).map(|warning| &warning.kind)
    }

    /// Removes faults that were found since a state of the log.
    pub(super) fn forget(&mut self, mark: usize, is_gone: impl Fn(&Fault) -> bool) {
        let mut at = 0;
        self.warnings.retain(|warning| {
            at += 1;
            at <= mark || !is_gone(&warning.kind)
        });
        self.scope = self.scope.min(self.warnings.len());
    }

    /// Returns an empty log with the same reading, for looking ahead.
    pub(super) fn scratch(&self) -> Self {
        Self::new(self.reading)
    }

    /// Returns the state to return to with [`FaultLog::rewind`].
    pub(super) fn mark(&self) -> usize {
        self.warnings.len()
    }

    pub(super) fn rewind(&mut self, mark: usize) {
        self.warnings.truncate(mark);
        self.scope = self.scope.min(mark);
    }

    /// True if the reading repairs faults.
    pub(super) fn lenient(&self) -> bool {
        self.reading == Reading::Lenient
    }

    pub(super) fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }
}

/// Maximum number of bytes of a file that a message quotes.
const QUOTED_BYTES: usize = 40;

/// Formats bytes of the file for a message: decoded, shortened, with control characters escaped.
pub(super) fn quote(bytes: &[u8]) -> String {
    let kept = bytes.get(..QUOTED_BYTES).unwrap_or(bytes);
    let kept = match std::str::from_utf8(kept) {
        // Cut within a character.
        Err(error) if error.error_len().is_none() && kept.len() < bytes.len() => &kept[..error.valid_up_to()],
        _ => kept,
    };
    let visible = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    let mut text: String = crate::decode_name(kept).chars().map(visible).collect();
    if bytes.len() > QUOTED_BYTES {
        text.push('…');
    }
    text
}
