//! Findings of the checks, before engines judge them.

use super::codes::{Code, Group, Rule};
use super::profiles::Profile;
use super::verdict::Outcome;
use crate::codes::{shared, x};
use bindpose_core::diagnostic::cut;
use bindpose_parsers::Span;
use std::borrow::Cow;
use std::collections::HashMap;

/// Number of a file within the files that are checked together.
pub type FileIndex = usize;

/// [`Related::file`] while a file is checked that does not know its index yet.
pub(super) const OWN_FILE: FileIndex = usize::MAX;

/// Repeats that are kept with their places; the others are counted.
pub(super) const PLACES_KEPT: usize = 100;

/// Bytes of a message, note or value that are kept: a name from a file may have any length.
const LONGEST: usize = 4000;

/// Findings of one code with different messages that are kept apart: each missing image and each word that loses a material
/// is corrected on its own.
fn kept_apart(code: &Code) -> usize {
    match code.group {
        Group::Pak | Group::Decl | Group::Material | Group::ImageProgram | Group::Skin | Group::Def => PLACES_KEPT,
        _ if shared::SYNTAX.has(code) || x::COUNT.has(code) => 10,
        _ => 1,
    }
}

fn is_any(rules: &[Rule], code: &Code) -> bool {
    rules.iter().any(|rule| rule.has(code))
}

/// One more place of a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The bytes.
    pub span: Span,
    /// Path of the object: `mesh[2].weight[117]`.
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

/// Words of an engine's loader that was followed step by step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// The engine.
    pub profile: &'static Profile,
    /// End of loading; after a warning or undefined behaviour the file loads.
    pub outcome: Outcome,
    /// The engine's own words, without file and line; for undefined places ours.
    pub message: String,
    /// Our description, for an engine that prints nothing; may be empty.
    pub detail: String,
    /// The line that the engine prints.
    pub line: Option<u32>,
    /// True if the behaviour from here on is undefined.
    pub undefined: bool,
}

/// One kind of defect in one file, with all its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Kind of the defect.
    pub code: &'static Code,
    /// One sentence about the first place, lower case, no full stop, with the value and the bound.
    pub message: String,
    /// The first place.
    pub first: Place,
    /// Further places, as many as are kept.
    pub more: Vec<Place>,
    /// Number of places, including those that are not kept.
    pub count: usize,
    /// Places that explain the first one.
    pub related: Vec<Related>,
    /// More to say, such as a list of numbers.
    pub notes: Vec<String>,
    /// Values for the engines' own words: `found`, `n`, `name`, ….
    pub values: Vec<(&'static str, String)>,
    /// The engines that are concerned, where a limit is exceeded that others do not have.
    pub only: Option<Vec<&'static Profile>>,
    /// Words of followed loaders about it.
    pub said: Vec<Said>,
    /// Followed loaders that stopped before this place: nobody knows what they would have said but the table.
    pub unreached: Vec<&'static Profile>,
    /// True if only an engine's loader found it: it does not concern other engines.
    pub by_engine: bool,
    /// Advice for this finding in the place of the code's.
    pub remedy: Option<&'static str>,
    /// True if [`fix::fix`](crate::fix::fix) removes it from this file; set by [`fix::mark_fixable`](crate::fix::mark_fixable).
    pub is_fixable: bool,
}

impl Finding {
    /// True if the finding is about the spelling at these bytes.
    fn is_about_spelling_at(&self, span: Span) -> bool {
        let touches = |place: &Place| place.span.start <= span.end && span.start <= place.span.end;
        self.code.is_spelling() && self.places().any(touches)
    }

    /// The advice of the code, with a promise of `--fix` if it holds for this file.
    pub fn help(&self) -> Cow<'static, str> {
        let help = self.remedy.unwrap_or(self.code.help);
        match self.is_fixable {
            true => format!("{help}; `--fix` does this").into(),
            false => help.into(),
        }
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

    /// Adds engines' words, each once.
    pub(super) fn add_said(&mut self, said: Vec<Said>) {
        for said in said {
            if !self.said.contains(&said) {
                self.said.push(said);
            }
        }
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

/// Message of a finding that only an engine made: its words, or the code's title if it prints nothing.
fn in_words(code: &Code, said: &Said, file_name: &str) -> String {
    match said.message.is_empty() {
        true if said.detail.is_empty() => code.title.to_owned(),
        true => said.detail.clone(),
        false => without_name(&said.message, file_name),
    }
}

/// True if at most one line ends between two spans, and no more bytes are there than in a line that people write.
fn is_near(bytes: &[u8], a: Span, b: Span) -> bool {
    const LONGEST_LINE: usize = 1 << 16;
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    let between = bytes.get(first.end as usize..second.start as usize).unwrap_or_default();
    between.len() <= LONGEST_LINE && between.iter().filter(|&&byte| byte == b'\n').nth(1).is_none()
}

/// The findings of one file: one entry per code, or several where the same code says different things.
#[derive(Debug)]
pub(crate) struct Findings {
    group: Group,
    list: Vec<Finding>,
    /// Where in the list the finding of a code is; the first of several.
    at: HashMap<&'static str, usize>,
    /// Why the file could not be read to its end: what follows from that is not reported beside it.
    stop: Option<(&'static Code, Span)>,
    /// True if that is the end of the file: an engine that refuses a missing block means the same.
    is_cut_off: bool,
}

impl Findings {
    /// For a file whose codes are those of `group`.
    pub fn new(group: Group) -> Self {
        Self { group, list: Vec::new(), at: HashMap::new(), stop: None, is_cut_off: false }
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
        // What the text of these codes says is what is wrong: two sentences are two faults.
        let kept = kept_apart(code);
        if kept > 1 {
            let message = cut(message(), LONGEST);
            let alike = |known: &Finding| known.code == code && known.message == message;
            let of_code = self.list.iter().filter(|known| known.code == code).count();
            let known = self.list.iter().position(alike).or_else(|| {
                (of_code >= kept).then(|| self.list.iter().rposition(|known| known.code == code)).flatten()
            });
            return self.put(code, known, span, path, || message);
        }
        let known = self.at.get(code.id).copied();
        self.put(code, known, span, path, message)
    }

    /// Adds a place to a known finding, or a new finding, which comes back.
    fn put(
        &mut self,
        code: &'static Code,
        known: Option<usize>,
        span: Span,
        path: impl FnOnce() -> Option<String>,
        message: impl FnOnce() -> String,
    ) -> Option<&mut Finding> {
        match known.and_then(|at| self.list.get_mut(at)) {
            Some(known) => {
                known.count += 1;
                if known.more.len() < PLACES_KEPT {
                    known.more.push(Place { span, path: path().map(|path| cut(path, LONGEST)) });
                }
                None
            }
            None => {
                self.at.entry(code.id).or_insert(self.list.len());
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
                    remedy: None,
                    is_fixable: false,
                });
                self.list.last_mut()
            }
        }
    }

    /// Remembers why the file could not be read to its end, and whether it is cut off there.
    pub(super) fn stop_at(&mut self, rule: Rule, span: Span, is_cut_off: bool) {
        self.stop = Some((rule.code(self.group), span));
        self.is_cut_off = is_cut_off;
    }

    /// The code of the finding that an engine's refusal was put to.
    pub(super) fn code_of_refusal(&self, profile: &Profile) -> Option<&'static Code> {
        let refuses = |said: &Said| said.profile == profile && said.outcome.stops();
        self.list.iter().find(|finding| finding.said.iter().any(refuses)).map(|finding| finding.code)
    }

    /// The finding that was added last.
    pub(super) fn last_mut(&mut self) -> Option<&mut Finding> {
        self.list.last_mut()
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

    /// Removes the places of a rule's finding for which a condition holds, and gives them as a finding of their own. What
    /// remains has the code's title as its message if the first place is gone.
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

    /// Takes over findings that were made elsewhere.
    pub fn extend(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            self.at.entry(finding.code.id).or_insert(self.list.len());
            self.list.push(finding);
        }
    }

    /// Puts an engine's words to the finding that they are about, or to a new one; `bytes` are the file's.
    pub(super) fn say(&mut self, rule: Rule, span: Span, mut said: Said, file_name: &str, bytes: &[u8]) {
        said.message = cut(said.message, LONGEST);
        if let Some(stop) = self.consequence(rule, span, &said, bytes) {
            self.fold(stop, rule, span, &said, file_name);
        }
        self.name_the_word(rule, span, &said, bytes);
        let known = self.about(rule, span, &said, bytes);
        match known.and_then(|known| self.list.get_mut(known)) {
            // A mesh is followed once for each of its clips.
            Some(known) if known.said.contains(&said) => {}
            Some(known) => known.said.push(said),
            None => {
                let code = rule.code(self.group);
                let message = in_words(code, &said, file_name);
                if let Some(finding) = self.put(code, None, span, || None, || message) {
                    finding.said.push(said);
                    finding.by_engine = true;
                }
            }
        }
    }

    /// The finding that an engine's words are about: of the same code; for a refusal also the one that it follows
    /// from, which is why the file could not be read, a word on the same line, or what is out of place before it.
    fn about(&self, rule: Rule, span: Span, said: &Said, bytes: &[u8]) -> Option<usize> {
        let code = rule.code(self.group);
        let distance = |known: &Finding| known.first.span.start.abs_diff(span.start);
        let nearest = |wanted: &dyn Fn(&Finding) -> bool| {
            let known = self.list.iter().enumerate().filter(|(_, known)| wanted(known));
            known.min_by_key(|(_, known)| distance(known)).map(|(at, _)| at)
        };
        let refuses = said.outcome != Outcome::Loads || said.undefined;
        let is_stop = |known: &Finding| self.stop == Some((known.code, known.first.span));
        let is_behind = |(_, stop): (&Code, Span)| stop.start <= span.start || is_near(bytes, stop, span);
        let is_cut = self.is_cut_off && code.is_structure();
        if refuses && (is_cut || self.stop.is_some_and(is_behind)) {
            return nearest(&is_stop);
        }
        let is_out_of_place = |known: &Finding| !known.by_engine && known.code.is_structure();
        let follows = refuses && code.is_structure();
        let same_code = || nearest(&|known| known.code == code);
        let same_bytes = || nearest(&|known| known.is_about_spelling_at(span));
        // Two engines that were followed may stop at one line, each over what it reads there.
        let is_engines = |known: &Finding| known.by_engine && known.code.group == code.group;
        let same_line = || {
            nearest(&|known: &Finding| {
                let is_fault = is_out_of_place(known) || !known.by_engine && known.code.is_spelling();
                (follows && is_fault || is_engines(known))
                    && known.places().any(|place| is_near(bytes, place.span, span))
            })
        };
        let before = || nearest(&|known: &Finding| is_out_of_place(known) && known.first.span.start <= span.start);
        same_code().or_else(same_bytes).or_else(|| refuses.then(same_line)?).or_else(|| follows.then(before)?)
    }

    /// The finding that says why the file could not be read, if an engine stops earlier over the same fault.
    fn consequence(&self, rule: Rule, span: Span, said: &Said, bytes: &[u8]) -> Option<usize> {
        let (code, stop) = self.stop.filter(|_| !self.is_cut_off)?;
        let is_earlier = said.outcome.stops() && span.end < stop.start && !is_near(bytes, span, stop);
        // Without a command line the file is still read to its end.
        let leads_on = !shared::COMMANDLINE_MISSING.has(rule.code(self.group));
        let is_same_fault = leads_on && rule.code(self.group).is_structure() && code.is_structure();
        let is_news = self.list.iter().all(|known| known.code != rule.code(self.group) || known.code == code);
        let at = || self.list.iter().position(|known| known.code == code && known.first.span == stop);
        (is_earlier && is_same_fault && is_news).then(at)?
    }

    /// Gives the finding that says why the file could not be read the code of the wrong word that it is about.
    fn name_the_word(&mut self, rule: Rule, span: Span, said: &Said, bytes: &[u8]) {
        let code = rule.code(self.group);
        // What is missing behind the end of a file is no word, and a number that our reader cannot read is no spelling of one.
        if self.is_cut_off || shared::NUMBER_SPELLING.has(code) {
            return;
        }
        let Some((known, stop)) = self.stop.filter(|(known, _)| shared::SYNTAX.has(known)) else { return };
        let is_known = self.list.iter().any(|finding| finding.code == code);
        if !said.outcome.stops() || is_known || !code.is_spelling() || !is_near(bytes, stop, span) {
            return;
        }
        let at = self.list.iter().position(|finding| finding.code == known && finding.first.span == stop);
        if let Some((at, finding)) = at.and_then(|at| Some((at, self.list.get_mut(at)?))) {
            finding.code = code;
            self.stop = Some((code, stop));
            self.at.insert(code.id, at);
        }
    }

    /// Moves a finding to the place where its fault is seen first; the earlier location becomes a related one.
    fn fold(&mut self, at: usize, rule: Rule, span: Span, said: &Said, file_name: &str) {
        let code = rule.code(self.group);
        let Some(finding) = self.list.get_mut(at) else { return };
        let later = std::mem::replace(&mut finding.first, Place { span, path: None });
        let seen = std::mem::replace(&mut finding.message, in_words(code, said, file_name));
        finding.related(OWN_FILE, later.span, format!("reading gives up here: {seen}"));
        finding.values.clear();
        finding.code = code;
        self.stop = Some((code, span));
        self.at.entry(code.id).or_insert(at);
    }

    /// Removes what is said of the layout of the line where reading stopped.
    pub(super) fn drop_consequences(&mut self, bytes: &[u8]) {
        let Some((_, stop)) = self.stop else { return };
        let layout = [shared::GLUED, shared::LINE_BREAK, shared::LONG_LINE];
        self.list
            .retain(|known| known.count > 1 || !is_any(&layout, known.code) || !is_near(bytes, known.first.span, stop));
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
