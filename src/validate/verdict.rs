//! Verdict of an engine's own loader on a file.

use super::codes::{Rule, shared};
use super::profiles::Effect;
use bindpose_core::engines::XReading;
use bindpose_parsers::Span;

/// A file, and the name that an engine prints for it.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Bytes of the file.
    pub bytes: &'a [u8],
    /// Path as printed by the engine.
    pub name: &'a str,
}

impl<'a> File<'a> {
    /// Returns the bytes up to the first NUL, where a C string ends.
    pub(crate) fn text(&self) -> &'a [u8] {
        // `contains` is much faster than searching for the position.
        let length = if self.bytes.contains(&0) { self.bytes.iter().position(|&byte| byte == 0) } else { None };
        self.bytes.get(..length.unwrap_or(self.bytes.len())).unwrap_or_default()
    }
}

/// Outcome of loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The loader finishes.
    #[default]
    Loads,
    /// The loader may finish, but the engine shows another model.
    Unused,
    /// The loader finishes, but the display differs from the file.
    Misreads,
    /// The loader ignores this file and shows the model without it.
    LeavesOut,
    /// The loader gives up. The program continues.
    Refuses,
    /// The game returns to the console or the menu.
    Drops,
    /// The program ends, deliberately or by a crash.
    Exits,
}

impl Outcome {
    /// Returns the effect for the user.
    pub fn effect(self) -> Effect {
        match self {
            Outcome::Loads => Effect::Note,
            Outcome::Unused => Effect::Unused,
            Outcome::Misreads | Outcome::LeavesOut => Effect::Wrong,
            Outcome::Refuses => Effect::Refuses,
            Outcome::Drops => Effect::Drops,
            Outcome::Exits => Effect::Exits,
        }
    }

    /// True if the loader does not reach the end of the file.
    pub fn stops(self) -> bool {
        self > Outcome::Misreads
    }
}

/// A fault of a file as an engine's loader meets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineFault {
    /// Our rule for the fault.
    pub rule: Rule,
    /// Bytes at fault, where it occurs first.
    pub span: Span,
    /// The engine's own message; empty if it prints nothing. Of what it accepts, our description.
    pub message: String,
    /// Our description, for an engine that stops and prints nothing. May be empty.
    pub detail: String,
    /// Line that the engine prints, if any. Its count can lag behind the file's.
    pub line: Option<u32>,
}

impl EngineFault {
    pub(crate) fn new(rule: Rule, span: Span, message: impl Into<String>) -> Self {
        Self { rule, span, message: message.into(), detail: String::new(), line: None }
    }
}

/// Result of running a loader step by step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Outcome of loading.
    pub outcome: Outcome,
    /// Reason why the file does not load.
    pub refusal: Option<EngineFault>,
    /// Warnings printed during loading, in order.
    pub warnings: Vec<EngineFault>,
    /// Undefined behaviour, such as reading outside an array or using uninitialised memory, one entry per rule.
    pub undefined: Vec<EngineFault>,
    /// Differences between the display and the file, one entry per rule.
    pub misread: Vec<EngineFault>,
    /// Parts of a `.x` file that are read.
    pub reading: XReading,
}

impl Verdict {
    /// Returns the verdict for a file that loads without messages.
    pub fn loads() -> Self {
        Self::default()
    }

    /// Adds undefined behaviour, once for each rule.
    pub(crate) fn add_undefined(&mut self, rule: Rule, span: Span, message: impl FnOnce() -> String) {
        accept(&mut self.undefined, rule, span, message);
    }

    /// Adds a difference between the display and the file, once for each rule.
    pub(crate) fn add_misread(&mut self, rule: Rule, span: Span, message: impl FnOnce() -> String) {
        accept(&mut self.misread, rule, span, message);
    }

    /// Moves positions after the end of a file of `length` bytes to its end, where the loader misses a byte.
    pub(crate) fn within(mut self, length: usize) -> Self {
        let spans = self.undefined.iter_mut().chain(&mut self.misread).map(|place| &mut place.span);
        let spans = spans.chain(self.warnings.iter_mut().map(|warning| &mut warning.span));
        for span in spans.chain(self.refusal.as_mut().map(|refusal| &mut refusal.span)) {
            *span = Span::new((span.start as usize).min(length), (span.end as usize).min(length));
        }
        self
    }

    /// Adds the reason why the loader stopped, if it did.
    pub(crate) fn stopped(mut self, result: Fallible<()>) -> Self {
        if let Err(Stop::Refusal(refusal)) = result {
            let (outcome, refusal) = *refusal;
            self.outcome = outcome;
            self.refusal = Some(refusal);
        }
        self
    }
}

fn accept(known: &mut Vec<EngineFault>, rule: Rule, span: Span, message: impl FnOnce() -> String) {
    if !knows(known, rule) {
        known.push(EngineFault::new(rule, span, message()));
    }
}

fn knows(known: &[EngineFault], rule: Rule) -> bool {
    known.iter().any(|known| known.rule == rule)
}

/// Reason why a loader stops.
pub(crate) enum Stop {
    /// The loader refuses the file. Boxed, because refusals are rare and every step's result has room for one.
    Refusal(Box<(Outcome, EngineFault)>),
    /// The next step of the loader is undefined. [`Verdict::undefined`] contains the reason.
    Lost,
    /// Reading ends without an error: the content read so far is shown.
    Finished,
}

impl Stop {
    /// Returns the refusal, if it is one.
    pub(crate) fn refusal_mut(&mut self) -> Option<&mut EngineFault> {
        match self {
            Self::Refusal(refusal) => Some(&mut refusal.1),
            Self::Lost | Self::Finished => None,
        }
    }
}

pub(crate) type Fallible<T> = Result<T, Stop>;

/// Refuses with the engine's message, which may be empty.
pub(crate) fn refuse<T>(outcome: Outcome, rule: Rule, span: Span, message: impl Into<String>) -> Fallible<T> {
    refuse_for(outcome, EngineFault::new(rule, span, message))
}

/// Refuses without a message. `detail` is our description.
pub(crate) fn refuse_silently<T>(outcome: Outcome, rule: Rule, span: Span, detail: String) -> Fallible<T> {
    refuse_for(outcome, EngineFault { detail, ..EngineFault::new(rule, span, "") })
}

pub(crate) fn refuse_for<T>(outcome: Outcome, fault: EngineFault) -> Fallible<T> {
    Err(Stop::Refusal(Box::new((outcome, fault))))
}

/// Gives a refusal for a wrong word a more specific rule.
pub(crate) fn with_rule<T>(result: Fallible<T>, rule: Rule) -> Fallible<T> {
    result.map_err(|mut stop| {
        if let Some(refusal) = stop.refusal_mut().filter(|refusal| refusal.rule == shared::SYNTAX) {
            refusal.rule = rule;
        }
        stop
    })
}
