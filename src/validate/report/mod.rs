//! Reports: for people, one line per place, JSON, SARIF, and GitHub's annotations.

mod github;
mod human;
mod json;
mod matrix;
mod sarif;
mod short;

use super::codes::{self, Code};
use super::finding::Finding;
use super::profiles::{Effect, EngineId, FormatFamily, PROFILES, Profile, fact, follows, is_about_decls};
use super::unit::{FileReport, Judgement, Kind, Validation};
use bindpose_core::diagnostic::{Severity, Source, Sources};
use bindpose_parsers::{Position, Span};
use codespan_reporting::term::termcolor::WriteColor;
use std::io;

/// Format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Lines with carets, effects on engines, remedies, and a matrix.
    #[default]
    Human,
    /// `file:line:column: severity[code]: message`, one line per place.
    Short,
    /// One JSON document; docs/validate.schema.json.
    Json,
    /// SARIF 2.1.0; docs/validate-sarif.schema.json.
    Sarif,
    /// Annotations for GitHub Actions.
    Github,
}

/// Engines and codes that a report covers.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The chosen engines; if empty, [`DEFAULT_PROFILES`].
    pub profiles: Vec<&'static Profile>,
    /// Codes or beginnings of codes; empty means all.
    pub only: Vec<String>,
    /// Codes or beginnings of codes.
    pub ignore: Vec<String>,
    /// Codes that are errors whatever the engines do.
    pub error: Vec<String>,
    /// Codes that are warnings whatever the engines do.
    pub warn: Vec<String>,
}

/// The engines that the formats were made for.
pub const DEFAULT_PROFILES: [EngineId; 2] = [EngineId::Doom3, EngineId::D3dx9];

impl Selection {
    /// True if an engine decides about severities.
    pub fn contains(&self, profile: &Profile) -> bool {
        if self.profiles.is_empty() {
            return DEFAULT_PROFILES.contains(&profile.id);
        }
        self.profiles.contains(&profile)
    }

    /// The engines for whose judgements there is room in the matrix: all where none was asked for.
    fn shown(&self, format: FormatFamily) -> impl Iterator<Item = &'static Profile> {
        let all = self.profiles.is_empty();
        PROFILES.iter().filter(move |profile| profile.reads(format) && (all || self.contains(profile)))
    }

    /// True if a code is reported.
    pub fn wants(&self, code: &Code) -> bool {
        let named = |list: &[String]| list.iter().any(|wanted| is_named(code, wanted));
        !named(&self.ignore) && (self.only.is_empty() || named(&self.only))
    }

    /// Severity of a finding; `None` if it is not reported.
    pub fn severity(&self, finding: &Finding) -> Option<Severity> {
        let code = finding.code;
        let named = |list: &[String]| list.iter().any(|wanted| is_named(code, wanted));
        if !self.wants(code) {
            return None;
        }
        if finding.by_engine && !finding.said.iter().any(|said| self.contains(said.profile)) {
            return None;
        }
        if named(&self.error) {
            return Some(Severity::Error);
        }
        if named(&self.warn) {
            return Some(Severity::Warning);
        }
        let effects = PROFILES.iter().filter(|profile| self.contains(profile));
        let worst = effects.filter_map(|profile| finding.effect(profile)).max();
        // What only other engines mind is no warning to those who named theirs.
        let is_of_engines = || PROFILES.iter().any(|profile| fact(code, profile).is_some());
        let nobody_minds = worst.is_none_or(|worst| worst < Effect::Wrong);
        if !self.profiles.is_empty() && code.severity == Severity::Warning && nobody_minds && is_of_engines() {
            return Some(Severity::Info);
        }
        let by_engines = match worst {
            None | Some(Effect::Fine) => Severity::Hint,
            Some(Effect::Note) => Severity::Info,
            // Where nothing that follows is defined, nothing can be relied on.
            Some(Effect::Wrong) if self.is_undefined(finding) => Severity::Error,
            Some(Effect::Wrong) => Severity::Warning,
            Some(Effect::Refuses | Effect::Drops | Effect::Exits) => Severity::Error,
        };
        // A file that every chosen engine loads has no error. That is known of followed loaders and of decls.
        let mut concerned =
            PROFILES.iter().filter(|profile| self.contains(profile) && finding.effect(profile).is_some());
        let all_load = !self.profiles.is_empty()
            && worst.is_some_and(|worst| worst <= Effect::Wrong)
            && concerned.all(|profile| follows(profile, code) || is_about_decls(code));
        let least = if all_load { code.severity.min(Severity::Warning) } else { code.severity };
        Some(by_engines.max(least))
    }

    fn is_undefined(&self, finding: &Finding) -> bool {
        finding.said.iter().any(|said| said.undefined && self.contains(said.profile))
    }
}

/// A code by its id, its name, or the beginning of its id (`TEX`, `MD5A2`).
fn is_named(code: &Code, wanted: &str) -> bool {
    code.name.eq_ignore_ascii_case(wanted)
        || code.id.get(..wanted.len()).is_some_and(|head| !head.is_empty() && head.eq_ignore_ascii_case(wanted))
}

/// Effect of a finding on one or more engines, for one sentence.
struct EngineNote {
    profiles: Vec<&'static Profile>,
    effect: Effect,
    words: Option<String>,
    undefined: bool,
    /// The engine refuses the file for another reason.
    refuses: bool,
}

/// True if an engine refuses a file or its mesh, or worse.
fn refuses(file: &FileReport, profile: &Profile) -> bool {
    let is_mesh_refused = file.mesh_refused_by.contains(&profile.id);
    is_mesh_refused
        || file.judgements.iter().any(|judgement| judgement.profile == profile && judgement.effect > Effect::Wrong)
}

/// Effects of a finding on the chosen engines, engines with equal effects and words together.
fn engine_notes(selection: &Selection, file: &FileReport, finding: &Finding) -> Vec<EngineNote> {
    let path = file.path.display().to_string();
    let mut notes: Vec<EngineNote> = Vec::new();
    for (profile, effect) in effects(selection, file, finding) {
        let spoke = finding.said.iter().any(|said| said.profile == profile);
        let words = full_words(finding, profile, &path).filter(|_| effect > Effect::Note || spoke);
        let undefined = finding.said.iter().any(|said| said.profile == profile && said.undefined);
        let refuses = effect <= Effect::Wrong && refuses(file, profile);
        let note = EngineNote { profiles: vec![profile], effect, words, undefined, refuses };
        match notes.iter_mut().find(|known| known.says_the_same(&note)) {
            Some(known) => known.profiles.push(profile),
            None => notes.push(note),
        }
    }
    notes
}

/// Describes effects of at least `least` on the chosen engines, one sentence for engines with equal effects and words.
pub fn said_by_engines(selection: &Selection, file: &FileReport, finding: &Finding, least: Effect) -> Vec<String> {
    let notes = engine_notes(selection, file, finding).into_iter().filter(|note| note.effect >= least);
    notes.map(|note| note.sentence()).collect()
}

/// Effects of a finding on the chosen engines that mind it. An engine that refuses the file for another reason is left out,
/// unless it printed something here.
fn effects<'f>(
    selection: &'f Selection,
    file: &'f FileReport,
    finding: &'f Finding,
) -> impl Iterator<Item = (&'static Profile, Effect)> {
    PROFILES.iter().filter(|profile| selection.contains(profile)).filter_map(move |profile| {
        let effect = finding.effect(profile).filter(|&effect| effect > Effect::Fine)?;
        let spoke = finding.said.iter().any(|said| said.profile == profile);
        (effect > Effect::Wrong || spoke || !refuses(file, profile)).then_some((profile, effect))
    })
}

/// An engine's words as it prints them, file and line before them where it does so.
fn full_words(finding: &Finding, profile: &Profile, path: &str) -> Option<String> {
    let said = finding.said.iter().filter(|said| said.profile == profile).max_by_key(|said| said.outcome);
    match said {
        Some(said) => match said.line {
            Some(line) => Some(format!("file {path}, line {line}: {}", said.message)),
            None => Some(said.message.clone()).filter(|message| !message.is_empty()),
        },
        None => finding.words_of(profile, path),
    }
}

impl EngineNote {
    /// True if another note differs in nothing but its engines.
    fn says_the_same(&self, other: &EngineNote) -> bool {
        (self.effect, &self.words, self.undefined, self.refuses)
            == (other.effect, &other.words, other.undefined, other.refuses)
    }

    fn sentence(&self) -> String {
        let names: Vec<&str> = self.profiles.iter().map(|profile| profile.name).collect();
        let many = names.len() > 1;
        let inferred = if self.profiles.iter().all(|profile| profile.inferred) { " (inferred)" } else { "" };
        let does = match (self.effect, many) {
            _ if self.refuses && many => "refuse the file for another reason",
            _ if self.refuses => "refuses the file for another reason",
            (Effect::Fine, _) => "fine",
            (Effect::Note, false) => "loads it",
            (Effect::Note, true) => "load it",
            (Effect::Wrong, false) => "loads it incorrectly",
            (Effect::Wrong, true) => "load it incorrectly",
            (Effect::Refuses, false) => "refuses the file",
            (Effect::Refuses, true) => "refuse the file",
            (Effect::Drops, false) => "drops to the console",
            (Effect::Drops, true) => "drop to the console",
            (Effect::Exits, false) => "exits",
            (Effect::Exits, true) => "exit",
        };
        let names = names.join(", ");
        match (&self.words, self.undefined) {
            (Some(words), _) if self.refuses => format!("{names}{inferred} {does}, and here: {words}"),
            (Some(words), true) => format!("{names}{inferred} {does}, with undefined behaviour: {words}"),
            (Some(words), false) => format!("{names}{inferred} {does}: {words}"),
            (None, _) => format!("{names}{inferred} {does}"),
        }
    }
}

/// Number of findings by severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// A file cannot be used, or not reliably.
    pub errors: usize,
    /// Something is likely wrong.
    pub warnings: usize,
    /// Worth knowing.
    pub infos: usize,
    /// Could be nicer.
    pub hints: usize,
}

impl Counts {
    fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Info => self.infos += 1,
            Severity::Hint => self.hints += 1,
        }
    }

    /// Number of findings of at least this severity.
    pub fn at_least(&self, severity: Severity) -> usize {
        match severity {
            Severity::Error => self.errors,
            Severity::Warning => self.errors + self.warnings,
            Severity::Info => self.errors + self.warnings + self.infos,
            Severity::Hint => self.errors + self.warnings + self.infos + self.hints,
        }
    }

    fn sum(self, other: Counts) -> Counts {
        Counts {
            errors: self.errors + other.errors,
            warnings: self.warnings + other.warnings,
            infos: self.infos + other.infos,
            hints: self.hints + other.hints,
        }
    }
}

/// Totals of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Files that were looked at.
    pub files: usize,
    /// Files with errors.
    pub at_fault: usize,
    /// Files that could not be read.
    pub unreadable: usize,
    /// Findings, repeats of one kind in one file counted once.
    #[serde(flatten)]
    pub findings: Counts,
    /// Clips that were compared with a mesh.
    pub pairs: usize,
}

impl Summary {
    /// Both together.
    pub fn sum(self, other: Summary) -> Summary {
        Summary {
            files: self.files + other.files,
            at_fault: self.at_fault + other.at_fault,
            unreadable: self.unreadable + other.unreadable,
            findings: self.findings.sum(other.findings),
            pairs: self.pairs + other.pairs,
        }
    }
}

/// The findings of a file that the user wants to hear of, the gravest first where they stand at one place.
fn wanted<'r>(selection: &Selection, file: &'r FileReport) -> Vec<(Severity, &'r Finding)> {
    let wanted = |finding: &'r Finding| Some((selection.severity(finding)?, finding));
    file.findings.iter().filter_map(wanted).collect()
}

/// True if a file has no errors, and none of the chosen engines refuses it: a model's fault may be in its other file.
fn is_valid(selection: &Selection, file: &FileReport) -> bool {
    let is_wanted = |code: &str| codes::find(code).is_none_or(|code| selection.wants(code));
    let refuses = |judgement: &Judgement| {
        selection.contains(judgement.profile)
            && judgement.effect > Effect::Wrong
            && judgement.code.is_none_or(is_wanted)
    };
    let has_errors = wanted(selection, file).iter().any(|&(severity, _)| severity == Severity::Error);
    !has_errors && !file.judgements.iter().any(refuses)
}

/// Counts a report's findings.
pub fn summarize(report: &Validation, selection: &Selection) -> Summary {
    let mut summary = Summary { files: report.files.len(), pairs: report.pairs.len(), ..Summary::default() };
    for file in &report.files {
        let mut counts = Counts::default();
        for (severity, finding) in wanted(selection, file) {
            counts.add(severity);
            summary.unreadable += usize::from(codes::file::UNREADABLE.has(finding.code));
        }
        summary.at_fault += usize::from(!is_valid(selection, file));
        summary.findings = summary.findings.sum(counts);
    }
    summary
}

/// Writes the reports of a run, one after the other.
pub struct Writer<'w> {
    style: Style,
    selection: &'w Selection,
    /// The least grave findings that people are shown.
    least: Severity,
    out: &'w mut dyn WriteColor,
    summary: Summary,
    matrix: matrix::Matrix,
    explained: human::Explained,
    /// Profiles that the files' neighbours speak for.
    suggested: Vec<&'static str>,
    /// The codes that results name, in the order in which they came.
    rules: Vec<&'static Code>,
    /// People are shown every finding with all its lines.
    in_full: bool,
    /// The address of docs/diagnostics.md.
    docs: Option<&'w str>,
    /// The human report last wrote a single line, not a paragraph.
    after_line: bool,
    /// Separates entries of lists.
    is_first: bool,
}

impl<'w> Writer<'w> {
    /// Begins; `least` is for the styles that people read, the others hold everything.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn new(
        style: Style,
        selection: &'w Selection,
        least: Severity,
        out: &'w mut dyn WriteColor,
    ) -> io::Result<Self> {
        let mut writer = Self {
            style,
            selection,
            least,
            out,
            summary: Summary::default(),
            matrix: matrix::Matrix::default(),
            explained: human::Explained::default(),
            suggested: Vec::new(),
            rules: Vec::new(),
            in_full: false,
            docs: None,
            after_line: false,
            is_first: true,
        };
        match style {
            Style::Json => json::begin(&mut writer)?,
            Style::Sarif => sarif::begin(&mut writer)?,
            Style::Human | Style::Short | Style::Github => {}
        }
        Ok(writer)
    }

    /// Has people shown every finding with its lines and help, also where its code was explained before.
    #[must_use]
    pub fn in_full(mut self, in_full: bool) -> Self {
        self.in_full = in_full;
        self
    }

    /// SARIF's rules lead to their headings on the page at this address, which is docs/diagnostics.md.
    #[must_use]
    pub fn with_docs(mut self, address: Option<&'w str>) -> Self {
        self.docs = address;
        self
    }

    /// Adds one report.
    ///
    /// # Errors
    /// Those of the output.
    pub fn add(&mut self, report: &Validation) -> io::Result<()> {
        self.summary = self.summary.sum(summarize(report, self.selection));
        match self.style {
            Style::Human => human::add(self, report),
            Style::Short => short::add(self, report),
            Style::Json => json::add(self, report),
            Style::Sarif => sarif::add(self, report),
            Style::Github => github::add(self, report),
        }
    }

    /// Ends, and gives what it came to.
    ///
    /// # Errors
    /// Those of the output.
    pub fn finish(mut self) -> io::Result<Summary> {
        match self.style {
            Style::Human => human::end(&mut self)?,
            Style::Short | Style::Github => {}
            Style::Json => json::end(&mut self)?,
            Style::Sarif => sarif::end(&mut self)?,
        }
        self.out.flush()?;
        Ok(self.summary)
    }
}

/// Line and column of a span's start.
fn position(sources: &Sources, file: &FileReport, span: Span) -> Position {
    sources.get(file.source).position(span.start)
}

/// The judgements that have room in the matrix.
fn shown<'r>(selection: &Selection, file: &'r FileReport) -> Vec<&'r Judgement> {
    let Some(format) = file.kind.format() else { return Vec::new() };
    let shown: Vec<_> = selection.shown(format).collect();
    file.judgements.iter().filter(|judgement| shown.contains(&judgement.profile)).collect()
}

/// True for a binary .x file, in which lines mean nothing, and for glTF, whose JSON findings do not point into.
fn is_binary(file: &FileReport, source: &Source) -> bool {
    let encoding = source.bytes.get(8..11);
    let is_binary_x = source.bytes.starts_with(b"xof ") && encoding.is_some_and(|word| word != b"txt");
    file.kind == Kind::Gltf || file.kind == Kind::X && is_binary_x
}
