//! What an engine's own loader makes of a file.

use super::codes::Rule;
use super::profiles::Effect;
use bindpose_parsers::Span;

/// How loading ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The loader finishes.
    Loads,
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
    /// What it comes to for the user.
    pub fn effect(self) -> Effect {
        match self {
            Outcome::Loads => Effect::Note,
            Outcome::LeavesOut => Effect::Wrong,
            Outcome::Refuses => Effect::Refuses,
            Outcome::Drops => Effect::Drops,
            Outcome::Exits => Effect::Exits,
        }
    }
}

/// Where an engine stops, and in which words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Our rule for it.
    pub rule: Rule,
    /// The engine's own words; empty where it says nothing.
    pub message: String,
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

/// Something that an engine accepts although what follows is not defined: a read outside an array, a pose from
/// memory that nobody wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undefined {
    /// Our rule for it.
    pub rule: Rule,
    /// What happens, in our words.
    pub message: String,
    /// The bytes at fault.
    pub span: Span,
    /// How many places have the same fault; the span is the first.
    pub count: usize,
}

/// The result of following a loader step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// How it ends.
    pub outcome: Outcome,
    /// Why it does not load.
    pub refusal: Option<Refusal>,
    /// Printed on the way, in order.
    pub warnings: Vec<EngineWarning>,
    /// Accepted without a definition, one entry per rule.
    pub undefined: Vec<Undefined>,
}

impl Verdict {
    /// Loads without a word.
    pub fn loads() -> Self {
        Self { outcome: Outcome::Loads, refusal: None, warnings: Vec::new(), undefined: Vec::new() }
    }

    /// Notes undefined behaviour; further places of the same rule are only counted.
    pub fn add_undefined(&mut self, rule: Rule, span: Span, message: impl FnOnce() -> String) {
        match self.undefined.iter_mut().find(|known| known.rule == rule) {
            Some(known) => known.count += 1,
            None => self.undefined.push(Undefined { rule, message: message(), span, count: 1 }),
        }
    }
}
