//! What the checks find, before any engine is asked what it makes of it.

use super::codes::{Code, Group, Rule};
use super::profiles::{Loader, Profile};
use super::verdict::Outcome;
use crate::codes::shared;
use bindpose_core::diagnostic::cut;
use bindpose_parsers::Span;
use std::collections::HashMap;

/// Number of a file within the files that are checked together.
pub type FileIndex = usize;

/// [`Related::file`] while a file is checked that does not know its index yet.
pub(super) const OWN_FILE: FileIndex = usize::MAX;

/// Repeats that are kept with their places; the others are counted.
pub(super) const PLACES_KEPT: usize = 100;

/// Bytes of a message, note or value that are kept: a name from a file may have any length.
const LONGEST: usize = 4000;

/// Rules about the spelling of a word.
const SPELLING: [Rule; 11] = [
    shared::LEADING_ZERO,
    shared::NOT_FINITE,
    shared::UNQUOTED_NAME,
    shared::NUMBER_SPELLING,
    shared::UNCLOSED_STRING,
    shared::CHARACTER,
    shared::KEYWORD_SPELLING,
    shared::JOINED_STRINGS,
    shared::OTHER_BASE,
    shared::FRACTION_DROPPED,
    shared::INTEGER_WRAPS,
];

/// One more place of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The bytes.
    pub span: Span,
    /// Which object: `mesh[2].weight[117]`.
    pub path: Option<String>,
}

/// A place that explains a finding, perhaps in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// The file.
    pub file: FileIndex,
    /// The bytes.
    pub span: Span,
    /// Lower case, no full stop.
    pub message: String,
}

/// What one engine's loader said where it was followed step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The engine.
    pub profile: &'static Profile,
    /// How loading ended; a warning or an undefined place loads.
    pub outcome: Outcome,
    /// The engine's own words, without file and line; for undefined places ours.
    pub message: String,
    /// The line that the engine prints.
    pub line: Option<u32>,
    /// Whether what follows is not defined.
    pub undefined: bool,
}

/// One kind of defect in one file, with all its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub code: &'static Code,
    /// One sentence about the first place, lower case, no full stop, with the value and the bound.
    pub message: String,
    /// The first place.
    pub first: Place,
    /// Further places, as many as are kept.
    pub more: Vec<Place>,
    /// How many places there are.
    pub count: usize,
    /// Places that explain the first one.
    pub related: Vec<Related>,
    /// More to say, such as a list of numbers.
    pub notes: Vec<String>,
    /// What the engines' own words may want to print: `found`, `n`, `name`, ….
    pub values: Vec<(&'static str, String)>,
    /// The engines that are concerned, where a limit is exceeded that others do not have.
    pub only: Option<Vec<&'static Profile>>,
    /// What followed loaders said of it.
    pub said: Vec<Said>,
    /// Followed loaders that stopped before this place: nobody knows what they would have said but the table.
    pub unreached: Vec<&'static Profile>,
    /// Nothing but an engine found it: it concerns nobody else.
    pub by_engine: bool,
}

impl Finding {
    /// Whether it is about how something is written at these bytes.
    fn is_about_spelling_at(&self, span: Span) -> bool {
        let touches = |place: &Place| place.span.start <= span.end && span.start <= place.span.end;
        SPELLING.iter().any(|rule| rule.has(self.code)) && self.places().any(touches)
    }

    /// All places that were kept.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.first).chain(&self.more)
    }

    /// Adds a value that engines print.
    pub fn value(&mut self, name: &'static str, value: impl ToString) -> &mut Self {
        self.values.push((name, cut(value.to_string(), LONGEST)));
        self
    }

    /// Adds a note.
    pub fn note(&mut self, note: impl Into<String>) -> &mut Self {
        self.notes.push(cut(note.into(), LONGEST));
        self
    }

    /// Adds a place that explains the first one.
    pub fn related(&mut self, file: FileIndex, span: Span, message: impl Into<String>) -> &mut Self {
        self.related.push(Related { file, span, message: cut(message.into(), LONGEST) });
        self
    }
}

/// An engine's words without the file's name that it prints before them.
fn without_name(message: &str, name: &str) -> String {
    let plain = message.strip_prefix("Mod_LoadMD5MeshModel(").unwrap_or(message);
    let plain = plain.strip_prefix(name).map_or(message, |rest| rest.trim_start_matches([')', ':', ' ']));
    plain.to_owned()
}

/// Whether Doom 3 stops at a syntax error before the one that is known, which is another one then.
fn is_earlier_fault(known: &Finding, rule: Rule, span: Span, said: &Said) -> bool {
    rule == shared::SYNTAX
        && said.outcome != Outcome::Loads
        && matches!(said.profile.loader, Loader::Doom3(_))
        && span.end < known.first.span.start
}

/// The findings of one file: one entry per code.
#[derive(Debug)]
pub struct Findings {
    group: Group,
    list: Vec<Finding>,
    /// Where in the list the finding of a code is; the first of several that were taken over.
    at: HashMap<&'static str, usize>,
}

impl Findings {
    /// For a file whose codes are those of `group`.
    pub fn new(group: Group) -> Self {
        Self { group, list: Vec::new(), at: HashMap::new() }
    }

    /// A finding outside of any list, for an explanation further on: the first of its code comes back to be added
    /// to, repeats are only counted and placed.
    pub fn add(&mut self, rule: Rule, span: Span, message: impl FnOnce() -> String) -> Option<&mut Finding> {
        self.add_at(rule, span, || None, message)
    }

    /// As [`Self::add`], with the path of an object.
    pub fn add_at(
        &mut self,
        rule: Rule,
        span: Span,
        path: impl FnOnce() -> Option<String>,
        message: impl FnOnce() -> String,
    ) -> Option<&mut Finding> {
        let code = rule.code(self.group);
        match self.at.get(code.id).and_then(|&at| self.list.get_mut(at)) {
            Some(known) => {
                known.count += 1;
                if known.more.len() < PLACES_KEPT {
                    known.more.push(Place { span, path: path().map(|path| cut(path, LONGEST)) });
                }
                None
            }
            None => {
                self.at.insert(code.id, self.list.len());
                self.list.push(Finding {
                    code,
                    message: cut(message(), LONGEST),
                    first: Place { span, path: path().map(|path| cut(path, LONGEST)) },
                    more: Vec::new(),
                    count: 1,
                    related: Vec::new(),
                    notes: Vec::new(),
                    values: Vec::new(),
                    only: None,
                    said: Vec::new(),
                    unreached: Vec::new(),
                    by_engine: false,
                });
                self.list.last_mut()
            }
        }
    }

    /// The finding of a rule, if there is one.
    pub fn get_mut(&mut self, rule: Rule) -> Option<&mut Finding> {
        let at = *self.at.get(rule.code(self.group).id)?;
        self.list.get_mut(at)
    }

    /// The finding of a rule, if there is one.
    pub fn get(&self, rule: Rule) -> Option<&Finding> {
        self.at.get(rule.code(self.group).id).and_then(|&at| self.list.get(at))
    }

    /// Removes the finding of a rule if a condition holds for it.
    pub fn take(&mut self, rule: Rule, condition: impl FnOnce(&Finding) -> bool) -> Option<Finding> {
        let at = *self.at.get(rule.code(self.group).id)?;
        let taken = self.list.get(at).is_some_and(condition).then(|| self.list.remove(at))?;
        let rest = std::mem::take(&mut self.list);
        self.at.clear();
        self.extend(rest);
        Some(taken)
    }

    /// Takes over findings that were made elsewhere.
    pub fn extend(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            self.at.entry(finding.code.id).or_insert(self.list.len());
            self.list.push(finding);
        }
    }

    /// Puts an engine's words to the finding that they are about: one of the same code, else one about the spelling
    /// of the same bytes, else a new one.
    pub(super) fn say(&mut self, rule: Rule, span: Span, mut said: Said, file_name: &str) {
        said.message = cut(said.message, LONGEST);
        let code = rule.code(self.group);
        let same_code = self.at.get(code.id).copied();
        let same_bytes = || self.list.iter().position(|known| known.is_about_spelling_at(span));
        let known = same_code.or_else(same_bytes).and_then(|known| self.list.get_mut(known));
        match known {
            // A mesh is followed once for each of its clips.
            Some(known) if known.said.contains(&said) => {}
            Some(known) => {
                if is_earlier_fault(known, rule, span, &said) {
                    let later = std::mem::replace(&mut known.first, Place { span, path: None });
                    known.more.insert(0, later);
                    known.more.truncate(PLACES_KEPT);
                    known.count += 1;
                    known.message = without_name(&said.message, file_name);
                }
                known.said.push(said);
            }
            None => {
                let message = without_name(&said.message, file_name);
                if let Some(finding) = self.add_at(rule, span, || None, || message) {
                    finding.said.push(said);
                    finding.by_engine = true;
                }
            }
        }
    }

    /// By position in the file; `own` is the file's index.
    pub fn finish(mut self, own: FileIndex) -> Vec<Finding> {
        for related in self.list.iter_mut().flat_map(|finding| &mut finding.related) {
            if related.file == OWN_FILE {
                related.file = own;
            }
        }

        self.list.sort_by_key(|finding| (finding.first.span.start, finding.code.id));
        self.list
    }
}
