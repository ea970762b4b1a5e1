//! Verdict of an engine's own loader on a file.

use super::codes::Rule;
use super::profiles::Effect;
use bindpose_parsers::Span;

/// A file and the name that an engine prints for it.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Path as the engine would print it.
    pub name: &'a str,
}

impl<'a> File<'a> {
    /// The bytes up to the first NUL, where a C string ends.
    pub(crate) fn text(&self) -> &'a [u8] {
        // `contains` is much faster than looking for the position.
        let length = if self.bytes.contains(&0) { self.bytes.iter().position(|&byte| byte == 0) } else { None };
        self.bytes.get(..length.unwrap_or(self.bytes.len())).unwrap_or_default()
    }
}

/// Outcome of loading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The loader finishes.
    Loads,
    /// The loader finishes, and what is shown differs from what the file says.
    Misreads,
    /// The loader gives this file up, and shows the model without it.
    LeavesOut,
    /// The loader gives up; the program goes on.
    Refuses,
    /// The game is left for the console or the menu.
    Drops,
    /// The program ends, on purpose or by a fault.
    Exits,
}

impl Outcome {
    /// Effect for the user.
    pub fn effect(self) -> Effect {
        match self {
            Outcome::Loads => Effect::Note,
            Outcome::Misreads | Outcome::LeavesOut => Effect::Wrong,
            Outcome::Refuses => Effect::Refuses,
            Outcome::Drops => Effect::Drops,
            Outcome::Exits => Effect::Exits,
        }
    }

    /// True if the loader does not come to the file's end.
    pub fn stops(self) -> bool {
        self > Outcome::Misreads
    }
}

/// The place where an engine stops, and its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Our rule for it.
    pub rule: Rule,
    /// The engine's own words; empty where it says nothing.
    pub message: String,
    /// Our description, for an engine that says nothing; may be empty.
    pub detail: String,
    /// The line that the engine prints, if it prints one: its count can lag behind the file's.
    pub line: Option<u32>,
    /// The bytes at fault.
    pub span: Span,
}

/// A warning that an engine prints while it goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineWarning {
    /// Our rule for it.
    pub rule: Rule,
    /// The engine's own words.
    pub message: String,
    /// The line that the engine prints, if it prints one.
    pub line: Option<u32>,
    /// The bytes at fault.
    pub span: Span,
}

/// Something that an engine accepts and should not: what follows is not defined, such as a read outside an array or a
/// pose from memory that nobody wrote, or it is not what the file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// Our rule for it.
    pub rule: Rule,
    /// Description, in our words.
    pub message: String,
    /// The bytes at fault.
    pub span: Span,
    /// Number of places with the same fault; the span is the first.
    pub count: usize,
}

/// The result of following a loader step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Outcome of loading.
    pub outcome: Outcome,
    /// Why it does not load.
    pub refusal: Option<Refusal>,
    /// Printed on the way, in order.
    pub warnings: Vec<EngineWarning>,
    /// Accepted without a definition, one entry per rule.
    pub undefined: Vec<Accepted>,
    /// Shown otherwise than the file says, one entry per rule.
    pub misread: Vec<Accepted>,
}

impl Verdict {
    /// Loads without a word.
    pub fn loads() -> Self {
        Self {
            outcome: Outcome::Loads,
            refusal: None,
            warnings: Vec::new(),
            undefined: Vec::new(),
            misread: Vec::new(),
        }
    }

    /// Notes undefined behaviour; further places of the same rule are only counted.
    pub(crate) fn add_undefined(&mut self, rule: Rule, span: Span, message: impl FnOnce() -> String) {
        accept(&mut self.undefined, rule, span, message);
    }

    /// Notes what the user sees instead of what the file says; further places of the same rule are only counted.
    pub(crate) fn add_misread(&mut self, rule: Rule, span: Span, message: impl FnOnce() -> String) {
        accept(&mut self.misread, rule, span, message);
    }

    /// Moves places behind the end of a file of `length` bytes to its end: a loader reports the byte that it misses there.
    pub(crate) fn within(mut self, length: usize) -> Self {
        let spans = self.undefined.iter_mut().chain(&mut self.misread).map(|place| &mut place.span);
        let spans = spans.chain(self.warnings.iter_mut().map(|warning| &mut warning.span));
        for span in spans.chain(self.refusal.as_mut().map(|refusal| &mut refusal.span)) {
            *span = Span::new((span.start as usize).min(length), (span.end as usize).min(length));
        }
        self
    }

    /// Ends with the reason why the loader stopped, if it did.
    pub(crate) fn stopped(mut self, result: Fallible<()>) -> Self {
        if let Err(Stop::Refusal(refusal)) = result {
            let (outcome, refusal) = *refusal;
            self.outcome = outcome;
            self.refusal = Some(refusal);
        }
        self
    }
}

fn accept(known: &mut Vec<Accepted>, rule: Rule, span: Span, message: impl FnOnce() -> String) {
    match known.iter_mut().find(|known| known.rule == rule) {
        Some(known) => known.count += 1,
        None => known.push(Accepted { rule, message: message(), span, count: 1 }),
    }
}

/// Why a loader goes no further.
pub(crate) enum Stop {
    /// It gives up in its own words. Boxed, because it is rare and every step's result carries it.
    Refusal(Box<(Outcome, Refusal)>),
    /// Its next step is undefined; [`Verdict::undefined`] has the reason.
    Lost,
}

pub(crate) type Fallible<T> = Result<T, Stop>;

/// Gives up in the engine's words, which may be empty.
pub(crate) fn refuse<T>(outcome: Outcome, rule: Rule, span: Span, message: impl Into<String>) -> Fallible<T> {
    let refusal = Refusal { rule, message: message.into(), detail: String::new(), line: None, span };
    Err(Stop::Refusal(Box::new((outcome, refusal))))
}

/// Gives up without a word; `detail` is our description.
pub(crate) fn refuse_silently<T>(outcome: Outcome, rule: Rule, span: Span, detail: String) -> Fallible<T> {
    Err(Stop::Refusal(Box::new((outcome, Refusal { rule, message: String::new(), detail, line: None, span }))))
}
