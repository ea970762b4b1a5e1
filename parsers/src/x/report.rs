//! How faults are reported: as errors that end the reading, or as warnings.

use super::Reading;
use super::fault::Fault;
use crate::Span;
use std::mem::discriminant;

/// Why a file cannot be read, and where.
///
/// Displays without the position: the caller has the path and a [`LineIndex`](crate::LineIndex).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct Error {
    /// What is wrong.
    pub kind: Fault,
    /// The culprit's bytes; for something missing, the point where it was expected.
    pub span: Span,
}

/// Something that a reader can get around.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// What it is; [`Fault::d3dx`] tells whether D3DX would refuse the file for it.
    pub kind: Fault,
    /// The first place.
    pub span: Span,
    /// How often it occurs within one object; at least 1.
    pub times: u32,
    /// Further places, at most [`MORE_PLACES`].
    pub more: Vec<Span>,
}

/// Places of one fault in one object that are kept besides the first.
pub const MORE_PLACES: usize = 100;

/// Collects warnings, or turns the first that D3DX would refuse into an error.
#[derive(Debug, Clone)]
pub(super) struct FaultLog {
    reading: Reading,
    warnings: Vec<Warning>,
    /// Where the warnings of the current object begin: repeats are counted from there on.
    scope: usize,
}

/// How far back a repeat is looked for, so that an object with many different faults stays cheap.
const REPEAT_WINDOW: usize = 16;

impl FaultLog {
    pub(super) fn new(reading: Reading) -> Self {
        Self { reading, warnings: Vec::new(), scope: 0 }
    }

    /// Begins a new object, whose warnings are counted apart.
    pub(super) fn enter(&mut self) {
        self.scope = self.warnings.len();
    }

    /// Something that the lenient reading gets around.
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

    /// An empty one of the same reading, for looking ahead.
    pub(super) fn scratch(&self) -> Self {
        Self::new(self.reading)
    }

    /// For going back: [`FaultLog::rewind`] forgets what came after.
    pub(super) fn mark(&self) -> usize {
        self.warnings.len()
    }

    pub(super) fn rewind(&mut self, mark: usize) {
        self.warnings.truncate(mark);
        self.scope = self.scope.min(mark);
    }

    /// Whether the reading repairs what can be repaired.
    pub(super) fn lenient(&self) -> bool {
        self.reading == Reading::Lenient
    }

    pub(super) fn into_warnings(self) -> Vec<Warning> {
        self.warnings
    }
}

/// Longest piece of a file that a message repeats.
const QUOTED_BYTES: usize = 40;

/// Bytes of the file for a message: shortened, control characters made visible.
pub(super) fn quote(bytes: &[u8]) -> String {
    let kept = bytes.get(..QUOTED_BYTES).unwrap_or(bytes);
    let kept = match std::str::from_utf8(kept) {
        // Cut within a character.
        Err(error) if error.error_len().is_none() && kept.len() < bytes.len() => &kept[..error.valid_up_to()],
        _ => kept,
    };
    let visible = |c: char| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c };
    let mut text: String = crate::decode_name(kept).chars().map(visible).collect();
    if bytes.len() > QUOTED_BYTES {
        text.push('…');
    }
    text
}
