//! `bindpose validate`

mod clip_report;

use super::load_args::{GameArgs, MemoryArgs, locate};
use super::output::{self, Output};
use super::{Outcome, complete, settings};
use crate::commands::output::tell;
use anyhow::{Context, anyhow, bail};
use bindpose::budget::{MemoryLimit, share_out};
use bindpose::diagnostic::Severity;
use bindpose::game::Decls;
use bindpose::load::GameCache;
use bindpose::validate::finding::Finding;
use bindpose::validate::inputs::{self, FindOptions, Group, Inputs};
use bindpose::validate::report::{Selection, Style, Writer};
use bindpose::validate::{self, Contract, EqualFiles, Options, Thresholds, Validation, codes, docs, fix, profiles};
use bindpose::vfs::{Vfs, member};
use bindpose_parsers::counted;
#[cfg(feature = "render")]
use bindpose_player::ranges;
use clap::ValueEnum;
use clap_complete::ArgValueCandidates;
use clip_report::ClipFindings;
use indicatif::ProgressBar;
use serde::Deserialize;
use serde::de::IgnoredAny;
#[cfg(feature = "render")]
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Check models and report which engines will load them
///
/// Takes files, folders with all below them, archives, patterns such as 'models/**/*.md5mesh', or - for standard input.
/// In a game folder, archives are checked for the files the game would load from them. Clips are compared with the
/// meshes that they belong to. Exit code 0: no findings at or above --fail-on; 1: some; 2: a file or an argument could
/// not be read or understood.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose validate models/ --profile vkquake,ironwail\n  \
    bindpose validate models/ --profile all --only MD5P -v\n  \
    bindpose validate progs/ogre.md5mesh --neighbours --base id1 --game rogue\n  \
    bindpose validate walker.x --profile luanti --fix -o fixed/\n  \
    bindpose validate models/ --motion --report report/\n\n\
    If nothing is found and a model still looks wrong: docs/troubleshooting.md lists causes by what you see")]
pub struct Args {
    /// Files, folders, archives or patterns to check [default: the whole game of --base]
    #[arg(required_unless_present = "base", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Also check the models and clips in the folders of the files named
    #[arg(long, conflicts_with = "fix")]
    neighbours: bool,
    /// Engines, separated by commas, or all [default: doom3,d3dx9]
    #[arg(long, value_name = "NAME", value_delimiter = ',', add = ArgValueCandidates::new(complete::profiles_or_all))]
    profile: Vec<String>,
    /// Format of the report [default: human]
    #[arg(long, help_heading = "Report", value_enum)]
    format: Option<Format>,
    /// Short for --format json
    #[arg(long, help_heading = "Report", conflicts_with = "format")]
    json: bool,
    /// Lowest severity that makes the exit code 1 [default: error]
    #[arg(long, help_heading = "Which findings count", value_enum, value_name = "LEVEL")]
    fail_on: Option<Level>,
    /// Report only these codes: a code, its name, or the beginning of codes such as MD5P
    #[arg(long, help_heading = "Which findings count", value_name = "CODE", value_delimiter = ',', add = ArgValueCandidates::new(complete::codes))]
    only: Vec<String>,
    /// Do not report these codes
    #[arg(long, help_heading = "Which findings count", value_name = "CODE", value_delimiter = ',', add = ArgValueCandidates::new(complete::codes))]
    ignore: Vec<String>,
    /// Treat these codes as errors
    #[arg(long, help_heading = "Which findings count", value_name = "CODE", value_delimiter = ',', add = ArgValueCandidates::new(complete::codes))]
    error: Vec<String>,
    /// Treat these codes as warnings
    #[arg(long, help_heading = "Which findings count", value_name = "CODE", value_delimiter = ',', add = ArgValueCandidates::new(complete::codes))]
    warn: Vec<String>,
    /// Also check the motion of clips, glTF files included: loops that break, feet that slide, joints that flip or
    /// jitter
    #[arg(long)]
    motion: bool,
    /// Folder for report.html, a page with a curve for each finding of motion
    #[arg(long, help_heading = "Report", value_name = "DIR")]
    report: Option<PathBuf>,
    /// Show notes; given twice, hints as well
    #[arg(long, short, help_heading = "Report", action = clap::ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
    /// Show lines and help for every finding, not only for the first of each code
    #[arg(long, help_heading = "Report")]
    full: bool,
    /// Show errors only
    #[arg(long, short, help_heading = "Report")]
    quiet: bool,
    /// Write repaired files to a folder; repairs only what needs no guessing, lists the rest, and overwrites nothing
    #[arg(long, help_heading = "Repairs", requires = "output")]
    fix: bool,
    /// Output folder for --fix
    #[arg(long, short, help_heading = "Repairs", value_name = "DIR", requires = "fix", value_parser = super::output_path())]
    output: Option<PathBuf>,
    /// Web address of docs/diagnostics.md, for SARIF's links to the codes
    #[arg(long, help_heading = "Report", value_name = "URL", value_parser = address)]
    docs: Option<String>,
    /// Settings file [default: the nearest bindpose.toml from here upwards]
    #[arg(long, help_heading = "Which findings count", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    game: GameArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Format {
    /// Lines with carets, effects on engines, remedies, and a matrix
    Human,
    /// One line per location
    Short,
    /// docs/validate.schema.json
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// Annotations for GitHub Actions
    Github,
}

impl From<Format> for Style {
    fn from(format: Format) -> Self {
        match format {
            Format::Human => Style::Human,
            Format::Short => Style::Short,
            Format::Json => Style::Json,
            Format::Sarif => Style::Sarif,
            Format::Github => Style::Github,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Error,
    Warning,
    Info,
}

impl From<Level> for Severity {
    fn from(level: Level) -> Self {
        match level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Info => Severity::Info,
        }
    }
}

/// Content of `bindpose.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ConfigFile {
    #[serde(default)]
    validate: Config,
    /// Settings of `snapshot`, which this command ignores.
    #[serde(default, rename = "snapshot")]
    _snapshot: IgnoredAny,
}

/// Section `[validate]`: the same keys as on the command line, whose values take precedence.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Config {
    profile: Vec<String>,
    format: Option<Format>,
    fail_on: Option<Level>,
    only: Vec<String>,
    ignore: Vec<String>,
    error: Vec<String>,
    warn: Vec<String>,
    docs: Option<String>,
    motion: Vec<Thresholds>,
}

/// Parses the value of `--docs`.
fn address(text: &str) -> Result<String, &'static str> {
    let is_absolute = ["https://", "http://"].iter().any(|start| text.starts_with(start));
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'#';
    if is_absolute && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("expected an address such as https://host/diagnostics.md")
    }
}

/// Number of groups that are checked before their reports are written.
const BATCH: usize = 64;
/// Smallest number of files with a progress bar.
const FEWEST_WITH_BAR: usize = 20;

/// Returns the lowest severity that is shown.
fn least_shown(args: &Args) -> Severity {
    match (args.quiet, args.verbose) {
        (true, _) => Severity::Error,
        (false, 0) => Severity::Warning,
        (false, 1) => Severity::Info,
        (false, _) => Severity::Hint,
    }
}

/// Checks files and writes the report to standard output.
pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Outcome> {
    let config = settings::<ConfigFile>(args.config.as_deref(), args.memory.limit())?.validate;
    let selection = selection(args, &config)?;
    let motion = contract(args, &config)?;
    if args.report.is_some() && motion.is_none() {
        bail!("--report shows findings of motion: give --motion, too");
    }
    let folders = Arc::default();
    let options = |together| Options {
        together,
        memory: args.memory.limit(),
        motion: motion.clone(),
        profiles: selection.profiles.clone(),
        folders: Arc::clone(&folders),
    };
    let json = args.json.then_some(Format::Json);
    let style = json.or(args.format).or(config.format).map_or(Style::Human, Style::from);
    let least = least_shown(args);
    let fail_on = args.fail_on.or(config.fail_on).map_or(Severity::Error, Severity::from);
    if args.fix && args.paths.iter().any(|path| path.as_os_str() == "-") {
        bail!("--fix needs files, not standard input");
    }
    let mut orders = selection.profiles.iter().map(|profile| profile.id.order());
    let order = orders.next().filter(|first| orders.all(|other| other == *first)).unwrap_or_default();
    let game = args.game.open()?.map(|game| game.in_order(order));
    let wanted = FindOptions { neighbours: args.neighbours, gltf: motion.is_some(), missing: true, order };
    let Inputs { groups, unsearched } = inputs::find(&places(&args.paths, game.as_deref()), game.as_ref(), wanted)?;
    let count: usize = groups.iter().map(|group| group.paths.len()).sum();
    if count == 0 {
        bail!("no .md5mesh, .md5anim, .md5camera or .x files were found");
    }

    let configured =
        config.docs.as_deref().map(address).transpose().map_err(|why| anyhow!("bindpose.toml: docs: {why}"))?;
    let docs = args.docs.as_ref().or(configured.as_ref());
    if style == Style::Github {
        out.allow_workflow_commands();
    }
    let mut writer = Writer::new(style, &selection, least, out)?.in_full(args.full).with_docs(docs.map(String::as_str));
    let games = GameCache::default();
    let bar = progress(count, style);
    let clips = ClipFindings::default();
    let equal = EqualFiles::default();
    let mut run = Run { args, options: &options, selection: &selection, least, bar, games, clips, equal };
    for batch in batches(&groups, args.memory.limit()) {
        run.check(batch, &mut writer)?;
    }
    run.bar.finish_and_clear();
    if let Some(folder) = &args.report {
        run.clips.write(folder)?;
    }
    let summary = writer.finish()?;
    if !args.quiet {
        report_unsearched(&unsearched);
    }
    let found = summary.findings.at_least(fail_on) > 0;
    if summary.unreadable > 0 {
        bail!("{} of {} files could not be read", summary.unreadable, summary.files);
    }
    #[cfg(feature = "render")]
    let found = has_broken_ranges(&groups, args.memory.limit()) || found;
    Ok(if found { Outcome::AtFault } else { Outcome::Fine })
}

/// Returns the paths named by the user; without any, the folders of the game, which contain its archives, or the archive
/// that is a game by itself.
fn places(paths: &[PathBuf], game: Option<&Vfs>) -> Vec<PathBuf> {
    let Some(game) = game.filter(|_| paths.is_empty()) else { return locate(paths, game) };
    let (folders, archives): (Vec<&Path>, Vec<_>) = game.mounts().partition(|place| !member::is_archive(place));
    if folders.is_empty() { archives } else { folders }.into_iter().map(Path::to_owned).collect()
}

/// Prints an error for each file of ranges beside a model that `play` cannot read. Returns true if there is one.
#[cfg(feature = "render")]
fn has_broken_ranges(groups: &[Group], memory: MemoryLimit) -> bool {
    let beside: BTreeSet<PathBuf> =
        groups.iter().flat_map(|group| &group.paths).map(|path| ranges::path_beside(path)).collect();
    let read = beside.iter().filter(|path| path.is_file()).map(|path| ranges::read(path, memory));
    read.filter_map(Result::err).inspect(|error| tell!("error: {error}")).count() > 0
}

/// Settings of a run.
struct Run<'r> {
    args: &'r Args,
    /// Options, depending on whether the files were named together.
    options: &'r (dyn Fn(bool) -> Options + Sync),
    selection: &'r Selection,
    /// Lowest severity that is shown.
    least: Severity,
    bar: ProgressBar,
    /// Decls of the groups' games.
    games: GameCache,
    /// Findings for `--report`.
    clips: ClipFindings,
    equal: EqualFiles,
}

impl Run<'_> {
    /// Checks groups in parallel and writes their reports in order.
    fn check(&mut self, batch: &[Group], writer: &mut Writer<'_>) -> anyhow::Result<()> {
        // Decls are read by many threads, each game after the other.
        let decls: Vec<_> = batch.iter().map(|group| group.decls(&self.games, self.args.memory.limit())).collect();
        let check = |(group, decls): &(&Group, Option<Arc<Decls>>), memory: MemoryLimit| {
            let mut options = (self.options)(group.together);
            // Standard input is read once.
            if group.paths.iter().all(|path| path.as_os_str() != "-") {
                options.memory = memory;
            }
            let inputs = inputs::read(group, options.memory);
            let mut report = validate::check_in(inputs, &options, decls.as_deref());
            match self.args.fix {
                true => {}
                false if self.args.verbose > 0 => fix::mark_tried(&mut report, &options, |finding| {
                    self.selection.severity(finding) >= Some(self.least)
                }),
                false => fix::mark_fixable(&mut report),
            }
            if !memory.is_short() {
                self.bar.inc(group.paths.len() as u64);
            }
            report
        };
        let mut reports = share_out(&batch.iter().zip(decls).collect::<Vec<_>>(), self.args.memory.limit(), check);
        for (report, group) in reports.iter_mut().zip(batch) {
            self.equal.mark(report);
            let options = (self.options)(group.together);
            let repaired = match &self.args.output {
                Some(folder) => Some(repair(report, (folder, &self.args.paths), &options, self.selection)?),
                None => None,
            };
            let shown = repaired.as_ref().unwrap_or(report);
            shown.files.iter().for_each(|file| self.clips.add(file, self.selection));
            self.bar.suspend(|| writer.add(shown))?;
        }
        Ok(())
    }
}

/// Prints a note about archives of which only the index was checked.
fn report_unsearched(archives: &[PathBuf]) {
    let Some((first, rest)) = archives.split_first() else { return };
    let others = match rest.len() {
        0 => String::new(),
        more => format!(" and {}", counted(more, "more archive", "more archives")),
    };
    tell!(
        "{}{others}: the game does not search there, so only the index was checked; name an archive to check what is in it",
        first.display()
    );
}

/// Writes repaired files, lists repairs and remaining findings on standard error, and returns the report on the result.
fn repair(
    report: &Validation,
    (folder, paths): (&Path, &[PathBuf]),
    options: &Options,
    selection: &Selection,
) -> anyhow::Result<Validation> {
    let mut repairs = fix::fix(report, options);
    let mut fixed = std::mem::take(&mut repairs.fixed);
    for file in &mut fixed {
        let Some(known) = report.files.get(file.file) else { continue };
        let target = fix::write(folder, &known.path, paths, &file.bytes)
            .with_context(|| format!("cannot write the repaired {}", known.path.display()))?;
        file.path = Some(target);
    }
    let after = fix::recheck(report, &fixed, options);
    for (index, (known, now)) in report.files.iter().zip(&after.files).enumerate() {
        let file = fixed.iter().find(|file| file.file == index);
        let left: Vec<&Finding> =
            now.findings.iter().filter(|finding| selection.severity(finding) >= Some(Severity::Warning)).collect();
        match file.and_then(|file| file.path.as_ref()) {
            Some(target) => tell!("{} -> {}", known.path.display(), target.display()),
            None if left.is_empty() => continue,
            None => tell!("{}: nothing could be repaired", known.path.display()),
        }
        for done in file.iter().flat_map(|file| &file.done) {
            tell!("  repaired {done}");
        }
        for finding in left {
            let why = repairs.why_left(index, now, finding);
            tell!("  left {}: {}; {why}", finding.code.id, finding.message);
        }
    }
    Ok(after)
}

/// Splits groups into batches that are checked at once: enough for all cores, with a limited number of bytes.
fn batches(groups: &[Group], memory: MemoryLimit) -> impl Iterator<Item = &[Group]> {
    let mut left = groups;
    std::iter::from_fn(move || {
        let mut size = 0_u64;
        let fits = |group: &&Group| {
            let is_first = size == 0;
            size = size.saturating_add(group.size());
            is_first || size <= memory.largest_file()
        };
        let count = left.iter().take(BATCH).take_while(fits).count();
        let (batch, rest) = left.split_at_checked(count.max(1))?;
        left = rest;
        Some(batch)
    })
}

fn progress(count: usize, style: Style) -> ProgressBar {
    match count >= FEWEST_WITH_BAR && style == Style::Human {
        true => output::progress(count, "files"),
        false => ProgressBar::hidden(),
    }
}

/// Returns the thresholds of motion, if the command line or the settings request motion checks.
fn contract(args: &Args, config: &Config) -> anyhow::Result<Option<Arc<Contract>>> {
    if !args.motion && config.motion.is_empty() {
        return Ok(None);
    }
    Ok(Some(Arc::new(Contract::new(config.motion.clone())?)))
}

fn selection(args: &Args, config: &Config) -> anyhow::Result<Selection> {
    let choose = |ours: &[String], theirs: &[String]| if ours.is_empty() { theirs.to_vec() } else { ours.to_vec() };
    let selection = Selection {
        profiles: profiles::named(choose(&args.profile, &config.profile).iter().map(String::as_str))?,
        only: choose(&args.only, &config.only),
        ignore: choose(&args.ignore, &config.ignore),
        error: choose(&args.error, &config.error),
        warn: choose(&args.warn, &config.warn),
    };
    for code in [&selection.only, &selection.ignore, &selection.error, &selection.warn].into_iter().flatten() {
        let is_known = !codes::named(code).is_empty()
            || codes::all().iter().any(|known| known.id.starts_with(&code.to_ascii_uppercase()));
        if !is_known {
            match docs::nearest_code(code) {
                Some(near) => bail!("no code is called '{code}'; did you mean '{near}'?"),
                None => bail!("no code is called '{code}'; `bindpose explain` lists all codes"),
            }
        }
    }
    Ok(selection)
}
