//! Checking of files and folders for chosen engines in one call.

use crate::equal::EqualFiles;
use crate::finding::Finding;
use crate::inputs::{self, Group, InputError};
use crate::profiles::{self, UnknownProfile};
use crate::report::{Selection, Summary, summarize};
use crate::unit::{FileReport, Validation};
use crate::{Options, check_in};
use bindpose_core::diagnostic::{Escaped, Severity};
use bindpose_core::load::GameCache;
use bindpose_parsers::Position;
use std::fmt;
use std::path::{Path, PathBuf};

/// Files with their findings, and the engines for which they were checked.
#[derive(Debug)]
pub struct PathsReport {
    /// Files that were checked together, in the order of the report.
    pub groups: Vec<Validation>,
    /// Chosen engines, which determine the severity of findings.
    pub selection: Selection,
}

/// Reason why nothing was checked.
#[derive(Debug, thiserror::Error)]
pub enum PathsError {
    /// An unknown engine.
    #[error(transparent)]
    Profile(#[from] UnknownProfile),
    /// A path that does not exist.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Checks files, folders with everything below them, archives and patterns, as `bindpose validate` does with
/// `--profile`.
///
/// `engines` are names separated by commas, or `all`. A file that cannot be read is a finding.
///
/// # Errors
///
/// [`PathsError`]: an unknown engine, or a path that does not exist.
pub fn paths(paths: &[impl AsRef<Path>], engines: &str) -> Result<PathsReport, PathsError> {
    let selection = Selection { profiles: profiles::named(engines.split(','))?, ..Selection::default() };
    let paths: Vec<PathBuf> = paths.iter().map(|path| path.as_ref().to_owned()).collect();
    let games = GameCache::default();
    let mut options = Options { profiles: selection.profiles.clone(), ..Options::default() };
    let mut equal = EqualFiles::default();
    let check = |group: Group| {
        options.together = group.together;
        let decls = group.decls(&games, options.memory);
        let mut report = check_in(inputs::read(&group, options.memory), &options, decls.as_deref());
        equal.mark(&mut report);
        report
    };
    let groups = inputs::find(&paths, None, Default::default())?.groups.into_iter().map(check).collect();
    Ok(PathsReport { groups, selection })
}

/// A finding in one of the files.
#[derive(Debug, Clone, Copy)]
pub struct LocatedFinding<'c> {
    /// File with the finding.
    pub file: &'c FileReport,
    /// Line and column of its first position.
    pub position: Position,
    /// Severity for the engines.
    pub severity: Severity,
    /// The finding.
    pub finding: &'c Finding,
}

/// Formats `path:line:column: error[MD5P002]: message`, escaped for a terminal.
impl fmt::Display for LocatedFinding<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, position, severity, finding } = self;
        let (path, message) = (Escaped(file.path.display()), Escaped(&finding.message));
        write!(out, "{path}:{position}: {severity}[{}]: {message}", finding.code.id)
    }
}

impl PathsReport {
    /// Returns the findings that concern the engines, in the order of the report.
    pub fn findings(&self) -> impl Iterator<Item = LocatedFinding<'_>> {
        let files = self.groups.iter().flat_map(|group| group.files.iter().map(move |file| (group, file)));
        files.flat_map(move |(group, file)| {
            file.findings.iter().filter_map(move |finding| {
                let position = group.sources.get(file.source).position(finding.first.span.start);
                Some(LocatedFinding { file, position, severity: self.selection.severity(finding)?, finding })
            })
        })
    }

    /// Returns the numbers of files and of findings.
    pub fn summary(&self) -> Summary {
        let groups = self.groups.iter().map(|group| summarize(group, &self.selection));
        groups.fold(Summary::default(), Summary::sum)
    }
}

/// Writes one line per warning and error.
impl fmt::Display for PathsReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.findings().filter(|found| found.severity >= Severity::Warning);
        lines.try_for_each(|found| writeln!(out, "{found}"))
    }
}
