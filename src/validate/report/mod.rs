//! Reports in several formats: for people, one line per position, JSON, SARIF, and GitHub's annotations.

mod github;
mod human;
mod json;
mod matrix;
mod sarif;
mod short;

use super::codes::{self, Code};
use super::finding::Finding;
use super::profiles::{Effect, EngineId, FormatFamily, PROFILES, Profile, fact, follows, is_about_decls};
use super::unit::{FileReport, Judgement, Validation};
use bindpose_core::diagnostic::{Severity, Source, Sources};
use bindpose_core::import::Format;
use bindpose_parsers::{Position, Span};
use codespan_reporting::term::termcolor::{Buffer, WriteColor};
use std::io;

/// Format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Lines with carets, effects on engines, remedies, and a matrix.
    #[default]
    Human,
    /// `file:line:column: severity[code]: message`, one line per position.
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
    /// Chosen engines. If empty, [`DEFAULT_PROFILES`].
    pub profiles: Vec<&'static Profile>,
    /// Codes or prefixes of codes to report. Empty means all.
    pub only: Vec<String>,
    /// Codes or prefixes of codes not to report.
    pub ignore: Vec<String>,
    /// Codes that are errors, regardless of engines.
    pub error: Vec<String>,
    /// Codes that are warnings, regardless of engines.
    pub warn: Vec<String>,
}

/// Engines for which the formats were made.
pub const DEFAULT_PROFILES: [EngineId; 2] = [EngineId::Doom3, EngineId::D3dx9];

impl Selection {
    /// True if an engine affects severities.
    pub fn contains(&self, profile: &Profile) -> bool {
        if self.profiles.is_empty() {
            return DEFAULT_PROFILES.contains(&profile.id);
        }
        self.profiles.contains(&profile)
    }

    /// Returns the engines in the matrix: the chosen ones, else all.
    fn shown(&self, format: FormatFamily) -> impl Iterator<Item = &'static Profile> {
        let all = self.profiles.is_empty();
        PROFILES.iter().filter(move |profile| profile.reads(format) && (all || self.contains(profile)))
    }

    /// True if a code is reported.
    pub fn wants(&self, code: &Code) -> bool {
        let named = |list: &[String]| list.iter().any(|wanted| is_named(code, wanted));
        !named(&self.ignore) && (self.only.is_empty() || named(&self.only))
    }

    /// Returns the severity of a finding. Returns `None` if it is not reported.
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
        // A warning that affects only other engines than the chosen ones is not a warning.
        let is_of_engines = || PROFILES.iter().any(|profile| fact(code, profile).is_some());
        let nobody_minds = worst.is_none_or(|worst| worst < Effect::Wrong);
        if !self.profiles.is_empty() && code.severity == Severity::Warning && nobody_minds && is_of_engines() {
            return Some(Severity::Info);
        }
        let by_engines = match worst {
            None | Some(Effect::Fine) => Severity::Hint,
            Some(Effect::Note) => Severity::Info,
            // Undefined behaviour counts as an error.
            Some(Effect::Wrong) if self.is_undefined(finding) => Severity::Error,
            Some(Effect::Wrong | Effect::Unused) => Severity::Warning,
            Some(Effect::Refuses | Effect::Drops | Effect::Exits) => Severity::Error,
        };
        // A file that every chosen engine loads has no error. This is known only for followed loaders and decls.
        let mut concerned =
            PROFILES.iter().filter(|profile| self.contains(profile) && finding.effect(profile).is_some());
        let all_load = !self.profiles.is_empty()
            && worst.is_some_and(|worst| worst <= Effect::Unused)
            && concerned.all(|profile| follows(profile, code) || is_about_decls(code));
        let least = if all_load { code.severity.min(Severity::Warning) } else { code.severity };
        Some(by_engines.max(least))
    }

    fn is_undefined(&self, finding: &Finding) -> bool {
        finding.said.iter().any(|said| said.undefined && self.contains(said.profile))
    }
}

/// True if `wanted` is a code's id, its name, or a prefix of its id (`TEX`, `MD5A2`).
fn is_named(code: &Code, wanted: &str) -> bool {
    code.name.eq_ignore_ascii_case(wanted)
        || code.id.get(..wanted.len()).is_some_and(|head| !head.is_empty() && head.eq_ignore_ascii_case(wanted))
}

/// Effect of a finding on one or more engines, described in one sentence.
struct EngineNote {
    profiles: Vec<&'static Profile>,
    effect: Effect,
    words: Option<String>,
    undefined: bool,
    /// True if the engine refuses the file for another reason.
    refuses: bool,
    /// True if the finding is about a decl of the file.
    is_of_decl: bool,
}

/// True if an engine refuses a file or its mesh, or worse.
fn refuses(file: &FileReport, profile: &Profile) -> bool {
    let is_mesh_refused = file.mesh_refused_by.contains(&profile.id);
    is_mesh_refused
        || file.judgements.iter().any(|judgement| judgement.profile == profile && judgement.effect > Effect::Wrong)
}

/// Effects of a finding on the chosen engines, grouped by equal effects and messages.
fn engine_notes(selection: &Selection, file: &FileReport, finding: &Finding) -> Vec<EngineNote> {
    let path = file.path.display().to_string();
    let mut notes: Vec<EngineNote> = Vec::new();
    for (profile, effect) in effects(selection, file, finding) {
        let spoke = finding.said.iter().any(|said| said.profile == profile);
        let words = full_words(finding, profile, &path).filter(|_| effect > Effect::Note || spoke);
        let undefined = finding.said.iter().any(|said| said.profile == profile && said.undefined);
        let refuses = effect <= Effect::Wrong && refuses(file, profile);
        let is_of_decl = is_about_decls(finding.code);
        let note = EngineNote { profiles: vec![profile], effect, words, undefined, refuses, is_of_decl };
        match notes.iter_mut().find(|known| known.says_the_same(&note)) {
            Some(known) => known.profiles.push(profile),
            None => notes.push(note),
        }
    }
    notes
}

/// Describes effects of at least `least` on the chosen engines, with one sentence for equal effects and messages.
pub fn said_by_engines(selection: &Selection, file: &FileReport, finding: &Finding, least: Effect) -> Vec<String> {
    let notes = engine_notes(selection, file, finding).into_iter().filter(|note| note.effect >= least);
    notes.map(|note| note.sentence()).collect()
}

/// Effects of a finding on those chosen engines that it concerns. An engine that refuses the file for another reason is
/// omitted, unless it printed something here.
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

/// Returns an engine's message as printed, with file and line in front if it prints them.
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
    /// True if another note differs only in its engines.
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
            (Effect::Refuses, false) if self.is_of_decl => "ignores the decl",
            (Effect::Refuses, true) if self.is_of_decl => "ignore the decl",
            (effect, many) => effect.in_words(many),
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

/// Number of findings of each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    /// Number of errors: a file cannot be used, or not reliably.
    pub errors: usize,
    /// Number of warnings: something is probably wrong.
    pub warnings: usize,
    /// Number of findings that are worth knowing.
    pub infos: usize,
    /// Number of possible improvements.
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

    /// Returns the number of findings of at least this severity.
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
    /// Number of files checked.
    pub files: usize,
    /// Number of files with errors.
    pub at_fault: usize,
    /// Number of files that could not be read.
    pub unreadable: usize,
    /// Number of findings. Repeats of one kind in one file count once.
    #[serde(flatten)]
    pub findings: Counts,
    /// Number of clips compared with a mesh.
    pub pairs: usize,
}

impl Summary {
    /// Adds two totals.
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

/// Returns the findings of a file that are to be reported, worst first at each position.
fn wanted<'r>(selection: &Selection, file: &'r FileReport) -> Vec<(Severity, &'r Finding)> {
    let wanted = |finding: &'r Finding| Some((selection.severity(finding)?, finding));
    file.findings.iter().filter_map(wanted).collect()
}

/// True if a file has no errors and none of the chosen engines refuses it. A model's fault may be in its other file.
fn is_valid(selection: &Selection, file: &FileReport) -> bool {
    let is_wanted = |code: &str| codes::find(code).is_none_or(|code| selection.wants(code));
    let refuses = |judgement: &Judgement| {
        selection.contains(judgement.profile)
            && judgement.effect > Effect::Unused
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

/// Writer for the reports of a run, one after the other.
pub struct Writer<'w> {
    style: Style,
    selection: &'w Selection,
    /// Lowest severity shown in reports for people.
    least: Severity,
    out: &'w mut dyn WriteColor,
    summary: Summary,
    matrix: matrix::Matrix,
    explained: human::Explained,
    /// Profiles suggested by the files' neighbours.
    suggested: Vec<&'static str>,
    /// Codes used by results, in order of first use.
    rules: Vec<&'static Code>,
    /// True if reports for people show every finding with all its lines.
    in_full: bool,
    /// Address of docs/diagnostics.md.
    docs: Option<&'w str>,
    /// True if the human report last wrote a single line instead of a paragraph.
    after_line: bool,
    /// True before the first entry of a list.
    is_first: bool,
}

/// Returns a report as text without colours, and its counts. `least` applies to the styles for people.
///
/// # Errors
///
/// None in practice, because the text is written to memory.
pub fn write<'r>(
    style: Style,
    selection: &Selection,
    least: Severity,
    groups: impl IntoIterator<Item = &'r Validation>,
) -> io::Result<(Summary, Vec<u8>)> {
    let mut text = Buffer::no_color();
    let mut writer = Writer::new(style, selection, least, &mut text)?;
    groups.into_iter().try_for_each(|group| writer.add(group))?;
    let summary = writer.finish()?;
    Ok((summary, text.into_inner()))
}

impl<'w> Writer<'w> {
    /// Starts a report. `least` applies to the styles for people. The others contain everything.
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

    /// True if reports for people show errors and nothing else.
    fn is_quiet(&self) -> bool {
        self.least > Severity::Warning
    }

    /// Shows every finding with its lines and help in reports for people, even if its code was explained before.
    #[must_use]
    pub fn in_full(mut self, in_full: bool) -> Self {
        self.in_full = in_full;
        self
    }

    /// Sets the address of docs/diagnostics.md, to whose headings SARIF's rules refer.
    #[must_use]
    pub fn with_docs(mut self, address: Option<&'w str>) -> Self {
        self.docs = address;
        self
    }

    /// Adds one report.
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

    /// Ends the report and returns the totals.
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

/// Returns the line and column of a span's start.
fn position(sources: &Sources, file: &FileReport, span: Span) -> Position {
    sources.get(file.source).position(span.start)
}

/// Judgements that appear in the matrix.
fn shown<'r>(selection: &Selection, file: &'r FileReport) -> Vec<&'r Judgement> {
    let Some(format) = file.kind.family() else { return Vec::new() };
    let shown: Vec<_> = selection.shown(format).collect();
    file.judgements.iter().filter(|judgement| shown.contains(&judgement.profile)).collect()
}

/// True for a binary .x file, in which lines have no meaning, and for glTF, whose findings have no positions in the
/// JSON.
fn is_binary(file: &FileReport, source: &Source) -> bool {
    let encoding = source.bytes.get(8..11);
    let is_binary_x = source.bytes.starts_with(b"xof ") && encoding.is_some_and(|word| word != b"txt");
    match file.kind.format() {
        Some(Format::Gltf | Format::Vertices) => true,
        Some(Format::X) => is_binary_x,
        Some(Format::Md5(_)) | None => false,
    }
}
