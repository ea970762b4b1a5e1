//! Findings of the checks, before engines judge them.

use super::codes::{Code, Group, Rule};
use super::profiles::{Profile, limits};
use super::taint::{Broken, Part, Scope};
use super::verdict::Outcome;
use crate::codes::{pair, shared, x};
use bindpose_core::diagnostic::cut;
use bindpose_parsers::Span;
use std::borrow::Cow;
use std::fmt::Display;

/// Index of a file among those checked together.
pub type FileIndex = usize;

/// Value of [`Related::file`] while the index of the checked file is unknown.
pub(super) const OWN_FILE: FileIndex = usize::MAX;

/// Number of repeats whose positions are kept. Further ones are only counted.
pub(super) const PLACES_KEPT: usize = 100;

/// Largest number of bytes kept of a message, note or value: a name from a file may have any length.
const LONGEST: usize = 4000;

/// Returns the number of findings of one code with different messages that are kept separately: each missing image, and
/// each word for which a material is ignored, is corrected by itself.
fn kept_apart(code: &Code) -> usize {
    match code.group {
        Group::Pak | Group::Decl | Group::Material | Group::ImageProgram | Group::Skin | Group::Def => PLACES_KEPT,
        _ if is_any(&[shared::SYNTAX, shared::COMMENT, x::COUNT, pair::REPLACED], code) => 10,
        _ => 1,
    }
}

fn is_any(rules: &[Rule], code: &Code) -> bool {
    rules.iter().any(|rule| rule.has(code))
}

/// A position of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Bytes of the position.
    pub span: Span,
    /// Path of the object: `mesh[2].weight[117]`.
    pub path: Option<String>,
}

/// A position that explains a finding, possibly in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// File that contains the position.
    pub file: FileIndex,
    /// Bytes of the position.
    pub span: Span,
    /// Lower case, no full stop.
    pub message: String,
}

/// Message of an engine's loader that was run step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineReport {
    /// Engine that prints the message.
    pub profile: &'static Profile,
    /// Outcome of loading. After a warning or undefined behaviour the file loads.
    pub outcome: Outcome,
    /// The engine's own message, without file and line. For undefined behaviour our description.
    pub message: String,
    /// Our description, for an engine that prints nothing. May be empty.
    pub detail: String,
    /// Line number that the engine prints.
    pub line: Option<u32>,
    /// True if the behaviour from here on is undefined.
    pub undefined: bool,
}

impl EngineReport {
    pub(super) fn new(profile: &'static Profile, outcome: Outcome, message: impl Into<String>) -> Self {
        Self { profile, outcome, message: message.into(), detail: String::new(), line: None, undefined: false }
    }

    /// True if the engine treats the file alike for both messages.
    fn is_like(&self, other: &Self) -> bool {
        (self.profile, self.outcome, self.undefined) == (other.profile, other.outcome, other.undefined)
    }
}

/// Promise that [`fix::fix`](crate::fix::fix) or a conversion removes a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Promise {
    /// There is none.
    #[default]
    None,
    /// The finding is removed from files where this needs no guess.
    WithoutGuess,
    /// The repair was tried, and removes the finding from this file.
    Tried,
    /// A conversion for this program removes the finding.
    Converted(&'static Profile),
}

/// One kind of defect in one file, with all its positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Kind of the defect.
    pub code: &'static Code,
    /// Keyword of the line that the finding is about, if it decides what follows from the finding.
    pub subject: Option<&'static str>,
    /// One sentence about the first position, lower case, no full stop, with the value and the bound.
    pub message: String,
    /// First position of the defect.
    pub first: Place,
    /// Further positions, limited in number.
    pub more: Vec<Place>,
    /// Total number of positions.
    pub count: usize,
    /// Positions that explain the first one.
    pub related: Vec<Related>,
    /// Additional information, such as a list of numbers.
    pub notes: Vec<String>,
    /// Values for the engines' messages in the table, and for repairs: `found`, `name`, `words`, ….
    pub values: Vec<(&'static str, String)>,
    /// Affected engines, if a limit is exceeded that others do not have. Otherwise `None`.
    pub only: Option<Vec<&'static Profile>>,
    /// Messages of followed loaders about the finding.
    pub said: Vec<EngineReport>,
    /// Followed loaders that stopped before this position. Only the table knows their reaction.
    pub unreached: Vec<&'static Profile>,
    /// True if only an engine's loader found it, so that it does not concern other engines.
    pub by_engine: bool,
    /// Advice for this finding, instead of the code's.
    pub remedy: Option<&'static str>,
    /// Promise of `--fix`, which [`fix::mark_fixable`](crate::fix::mark_fixable) and
    /// [`fix::mark_tried`](crate::fix::mark_tried) set.
    pub promise: Promise,
}

impl Finding {
    /// True if an engine's message adds nothing: a mesh is loaded once for each of its clips, and of very many messages
    /// the first suffice.
    fn repeats(&self, said: &EngineReport) -> bool {
        self.said.contains(said) || self.said.iter().filter(|known| known.is_like(said)).count() >= PLACES_KEPT
    }

    /// Returns the advice for the finding, with the command that follows it for this file, if there is one.
    pub fn help(&self) -> Cow<'static, str> {
        let help = self.remedy.unwrap_or(self.code.help);
        match self.promise {
            Promise::Tried => format!("{help}; `--fix` does this").into(),
            Promise::WithoutGuess => format!("{help}; `--fix` does this where it needs no guess").into(),
            Promise::Converted(Profile { name, .. }) => {
                format!("{help}; `bindpose convert --profile {name}` writes a file for it").into()
            }
            Promise::None => help.into(),
        }
    }

    /// Returns the message, with the number of positions if there are several.
    pub fn counted_message(&self) -> String {
        match self.count {
            0 | 1 => self.message.clone(),
            count => format!("{} ({count} places)", self.message),
        }
    }

    /// Returns all kept positions.
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
        self.notes.push(one_line(note.into()));
        self
    }

    /// Adds engines' messages, each once.
    pub(super) fn add_said(&mut self, said: Vec<EngineReport>) {
        for said in said {
            if !self.said.contains(&said) {
                self.said.push(said);
            }
        }
    }

    /// Adds a position that explains the first one.
    pub fn related(&mut self, file: FileIndex, span: Span, message: impl Into<String>) -> &mut Self {
        self.related.push(Related { file, span, message: one_line(message.into()) });
        self
    }
}

/// A finding that was just added, for its details. `None` for a repeat, which has the details of the first one.
pub(crate) struct Added<'f>(pub Option<&'f mut Finding>);

impl Added<'_> {
    fn with(mut self, change: impl FnOnce(&mut Finding)) -> Self {
        if let Some(finding) = &mut self.0 {
            change(finding);
        }
        self
    }

    /// Adds a value that engines print.
    pub fn value(self, name: &'static str, value: impl ToString) -> Self {
        self.with(|finding| _ = finding.value(name, value))
    }

    /// Adds a note.
    pub fn note(self, note: impl ToString) -> Self {
        self.with(|finding| _ = finding.note(note.to_string()))
    }

    /// Adds a note with the name that was probably meant.
    pub fn suggest(self, meant: Option<impl Display>) -> Self {
        match meant {
            Some(meant) => self.note(format_args!("did you mean '{meant}'?")),
            None => self,
        }
    }

    /// Adds a position that explains the first one.
    pub fn related(self, file: FileIndex, span: Span, message: &str) -> Self {
        self.with(|finding| _ = finding.related(file, span, message))
    }

    /// Restricts the finding to engines.
    pub fn only(self, profiles: Vec<&'static Profile>) -> Self {
        self.with(|finding| finding.only = Some(profiles))
    }

    /// Adds engines' messages.
    pub fn said(self, reports: Vec<EngineReport>) -> Self {
        self.with(|finding| finding.said = reports)
    }

    /// Replaces the code's advice.
    pub fn remedy(self, remedy: &'static str) -> Self {
        self.with(|finding| finding.remedy = Some(remedy))
    }
}

/// Shortens a text and escapes its control characters, such as a line break in a name.
fn one_line(text: String) -> String {
    let escaped = |letter: char| match letter.is_control() {
        true => letter.escape_default().to_string(),
        false => letter.to_string(),
    };
    cut(if text.contains(char::is_control) { text.chars().map(escaped).collect() } else { text }, LONGEST)
}

/// Removes the file name that an engine prints before its message.
fn without_name(message: &str, name: &str) -> String {
    let plain = message.strip_prefix("Mod_LoadMD5MeshModel(").unwrap_or(message);
    let plain = plain.strip_prefix(name).map_or(message, |rest| rest.trim_start_matches([')', ':', ' ']));
    plain.to_owned()
}

/// Returns the message of a finding made only by an engine: the limit that the text at its position exceeds, the
/// engine's message, or the code's title if it prints nothing.
fn in_words(code: &Code, said: &EngineReport, file_name: &str, text: &[u8]) -> String {
    let mut own = limits(code).iter().filter(|limit| limit.profile == said.profile);
    if let (Some(limit), None) = (own.next(), own.next())
        && let Some(count) = str::from_utf8(text).ok().and_then(|text| text.split(' ').find_map(|it| it.parse().ok()))
        && count > limit.most
    {
        return limit.message(count);
    }
    match said.message.is_empty() {
        true if said.detail.is_empty() => code.title.to_owned(),
        true => said.detail.clone(),
        false => without_name(&said.message, file_name),
    }
}

/// True if no line ends between two spans, and they are at most 64 KiB apart.
pub(crate) fn on_one_line(bytes: &[u8], a: Span, b: Span) -> bool {
    const LONGEST_LINE: usize = 1 << 16;
    let (from, to) = (a.end.min(b.end), a.start.max(b.start));
    let between = bytes.get(from as usize..to as usize).unwrap_or_default();
    between.len() <= LONGEST_LINE && !between.contains(&b'\n')
}

/// True if at most one line ends between two spans, and they are at most 64 KiB apart.
pub(crate) fn is_near(bytes: &[u8], a: Span, b: Span) -> bool {
    const LONGEST_LINE: usize = 1 << 16;
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    let between = bytes.get(first.end as usize..second.start as usize).unwrap_or_default();
    between.len() <= LONGEST_LINE && between.iter().filter(|&&byte| byte == b'\n').nth(1).is_none()
}

/// Findings of one file: one per code, or several for codes with different messages.
#[derive(Debug)]
pub(crate) struct Findings {
    group: Group,
    list: Vec<Finding>,
    /// Parts that the findings make unreliable.
    pub(crate) broken: Broken,
}

impl Findings {
    /// Creates an empty list for a file with the codes of `group`.
    pub fn new(group: Group) -> Self {
        Self { group, list: Vec::new(), broken: Broken::default() }
    }

    /// Adds a finding of a rule. A repeat only adds a position to the known finding.
    pub fn add(&mut self, rule: Rule, span: Span, message: impl FnOnce() -> String) -> Added<'_> {
        self.add_at(rule, span, "", message)
    }

    /// Adds a finding as [`Self::add`] does, with the path of an object, unless it is empty.
    pub fn add_at(
        &mut self,
        rule: Rule,
        span: Span,
        path: impl Display,
        message: impl FnOnce() -> String,
    ) -> Added<'_> {
        let code = rule.code(self.group);
        let is_needed = kept_apart(code) > 1 || self.get(rule).is_none();
        let message = if is_needed { one_line(message()) } else { String::new() };
        self.put(code, self.repeated(code, &message), span, &path, message)
    }

    /// Returns the finding that a new one of a code repeats.
    fn repeated(&self, code: &Code, message: &str) -> Option<usize> {
        // For these codes, different messages are different faults.
        let kept = kept_apart(code);
        let alike = |known: &Finding| known.code == code && (kept == 1 || known.message == message);
        let of_code = self.list.iter().filter(|known| known.code == code).count();
        self.list
            .iter()
            .position(alike)
            .or_else(|| (of_code >= kept).then(|| self.list.iter().rposition(|known| known.code == code)).flatten())
    }

    /// Adds a position to a known finding, or adds a new finding.
    fn put(
        &mut self,
        code: &'static Code,
        known: Option<usize>,
        span: Span,
        path: &dyn Display,
        message: String,
    ) -> Added<'_> {
        let place = || Place { span, path: Some(one_line(path.to_string())).filter(|path| !path.is_empty()) };
        Added(match known.and_then(|at| self.list.get_mut(at)) {
            Some(known) => {
                known.count += 1;
                if known.more.len() < PLACES_KEPT {
                    known.more.push(place());
                }
                None
            }
            None => {
                self.list.push(Finding {
                    code,
                    subject: None,
                    message,
                    first: place(),
                    more: Vec::new(),
                    count: 1,
                    related: Vec::new(),
                    notes: Vec::new(),
                    values: Vec::new(),
                    only: None,
                    said: Vec::new(),
                    unreached: Vec::new(),
                    by_engine: false,
                    remedy: None,
                    promise: Promise::None,
                });
                self.list.last_mut()
            }
        })
    }

    /// Returns the code of the finding to which an engine's refusal was assigned.
    pub(super) fn code_of_refusal(&self, profile: &Profile) -> Option<&'static Code> {
        let refuses = |said: &EngineReport| said.profile == profile && said.outcome.stops();
        self.list.iter().find(|finding| finding.said.iter().any(refuses)).map(|finding| finding.code)
    }

    /// Returns the number of findings.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Adds what follows from findings of some rules, from the finding `first` on, to their messages.
    pub(super) fn say_what_follows(&mut self, first: usize, rules: &[Rule], consequence: &str) {
        let is_about = |known: &&mut Finding| rules.iter().any(|rule| rule.has(known.code));
        self.list.iter_mut().skip(first).filter(is_about).for_each(|known| known.message += consequence);
    }

    /// Returns the finding added last.
    pub(super) fn last_mut(&mut self) -> Option<&mut Finding> {
        self.list.last_mut()
    }

    /// Returns the finding of a rule, if there is one.
    pub fn get_mut(&mut self, rule: Rule) -> Option<&mut Finding> {
        let code = rule.code(self.group);
        self.list.iter_mut().find(|known| known.code == code)
    }

    /// Returns the finding of a rule, if there is one.
    pub fn get(&self, rule: Rule) -> Option<&Finding> {
        let code = rule.code(self.group);
        self.list.iter().find(|known| known.code == code)
    }

    /// Removes and returns the finding of a rule if a condition holds for it.
    pub fn take(&mut self, rule: Rule, condition: impl FnOnce(&Finding) -> bool) -> Option<Finding> {
        let code = rule.code(self.group);
        let at = self.list.iter().position(|known| known.code == code)?;
        self.list.get(at).is_some_and(condition).then(|| self.list.remove(at))
    }

    /// Removes the positions of a rule's finding for which a condition holds, and returns them as a separate finding.
    /// If the first position is removed, the remaining finding gets the code's title as message.
    pub fn take_places(&mut self, rule: Rule, condition: impl Fn(&Place) -> bool) -> Option<Finding> {
        if self.get(rule)?.places().all(&condition) {
            return self.take(rule, |_| true);
        }
        let finding = self.get_mut(rule)?;
        let keeps_first = !condition(&finding.first);
        let places: Vec<Place> = finding.places().cloned().collect();
        let (taken, kept): (Vec<Place>, Vec<Place>) = places.into_iter().partition(condition);
        let (&[ref first, ref more @ ..], [first_taken, more_taken @ ..]) = (&kept[..], &taken[..]) else {
            return None;
        };
        let mut gone = finding.clone();
        (gone.first, gone.more, gone.count) = (first_taken.clone(), more_taken.to_vec(), taken.len());
        finding.count = finding.count.saturating_sub(taken.len());
        (finding.first, finding.more) = (first.clone(), more.to_vec());
        if !keeps_first {
            finding.message = finding.code.title.to_owned();
            finding.notes.clear();
            finding.related.clear();
            finding.values.clear();
        }
        Some(gone)
    }

    /// Adds findings made elsewhere.
    pub fn extend(&mut self, findings: Vec<Finding>) {
        self.list.extend(findings);
    }

    /// Assigns an engine's message to the finding that it is about, or to a new one. `bytes` are those of the file.
    pub(super) fn say(&mut self, rule: Rule, span: Span, mut said: EngineReport, file_name: &str, bytes: &[u8]) {
        said.message = cut(said.message, LONGEST);
        match self.about(rule.code(self.group), span, &said, bytes).and_then(|known| self.list.get_mut(known)) {
            Some(known) if known.repeats(&said) => {}
            Some(known) => known.said.push(said),
            None => {
                let code = rule.code(self.group);
                let text = bytes.get(span.start as usize..span.end as usize).unwrap_or_default();
                let message = one_line(in_words(code, &said, file_name, text));
                let says_alike = |known: &Finding| known.said.iter().any(|known| known.is_like(&said));
                let alike = |known: &Finding| known.by_engine && known.code == code && says_alike(known);
                let is_full = self.list.iter().filter(|known| alike(known)).count() >= PLACES_KEPT;
                let last = is_full.then(|| self.list.iter().rposition(alike)).flatten();
                if let Some(finding) = self.put(code, last, span, &"", message).0 {
                    finding.said.push(said);
                    finding.by_engine = true;
                }
            }
        }
    }

    /// Finds the finding that an engine's message is about: that of the same code, or else the last one at or before
    /// its position that reaches it. A reader may also name a place before the one where it stumbles, such as a count or
    /// the head of the object.
    fn about(&self, code: &Code, span: Span, said: &EngineReport, bytes: &[u8]) -> Option<usize> {
        let last = |wanted: &dyn Fn(&Finding) -> bool| {
            let known = self.list.iter().enumerate().filter(|(_, known)| wanted(known));
            known.max_by_key(|(_, known)| known.first.span.start).map(|(at, _)| at)
        };
        // An engine that names no position is not at the first byte.
        let is_somewhere = span != Span::default();
        let touches = |place: &Place| is_somewhere && place.span.start <= span.end && span.start <= place.span.end;
        let is_here = |known: &Finding| known.places().any(|place| is_near(bytes, place.span, span));
        let stops_too = |other: &EngineReport| other.outcome.stops() == said.outcome.stops();
        let is_consequence = code.scope() != Scope::Nothing;
        let has = |object: Span, span: Span| object.start <= span.start && span.end <= object.end;
        // Only what loses a reader altogether shows outside of the object.
        let is_beside = |known: &Finding, object: Span| {
            code.scope() != Scope::Rest && has(object, known.first.span) && !has(object, span)
        };
        // A reader may name an object at its head for what is wrong in it.
        let names_object = |known: &Finding| {
            let is_named = |object: Span| is_near(bytes, Span { end: object.start, ..object }, span);
            self.broken.spans(Part::Object).any(|object| has(object, known.first.span) && is_named(object))
        };
        let is_after = |known: &Finding| {
            known.first.span.start <= span.start
                && !self.broken.spans(Part::Object).any(|object| is_beside(known, object))
        };
        let reaches = |known: &Finding| match known.code.scope() {
            Scope::Nothing => false,
            _ if known.by_engine => {
                known.code.group == code.group && is_here(known) && known.said.iter().any(stops_too)
            }
            _ if known.places().any(touches) => true,
            _ if is_consequence && names_object(known) => true,
            // A word too many or too few moves the numbers of its line.
            _ if shared::SYNTAX.has(known.code) && is_here(known) => true,
            Scope::Line => is_consequence && is_here(known),
            Scope::Rest => is_consequence && (is_after(known) || is_here(known)),
        };
        let is_early = is_consequence && (code.is_count || !is_somewhere);
        let rest = |known: &Finding| is_early && !known.by_engine && known.code.scope() == Scope::Rest;
        // Two readers that miss a word at different places may mean different words.
        let is_other = |known: &Finding| {
            shared::SYNTAX.has(code) && is_somewhere && span.end < known.first.span.start && !is_here(known)
        };
        last(&|known| known.code == code && !is_other(known) && (!known.by_engine || is_here(known)))
            .or_else(|| last(&reaches))
            .or_else(|| self.list.iter().position(rest))
    }

    /// Returns the findings by position. `own` is the file's index.
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
