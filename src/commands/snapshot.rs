//! `bindpose snapshot`

#[cfg(feature = "render")]
mod before;
mod diff;
#[cfg(feature = "render")]
mod images;
mod report;
mod review;
mod selection;
mod settings;
mod verdict;

use super::load_args::MemoryArgs;
use super::{Outcome, check_failed, print_json, tell_failure};
use crate::commands::format_arg::FormatArg;
use crate::commands::output::{self, Output, tell};
use anyhow::{Context, ensure};
use bindpose::budget::{MemoryLimit, grouped};
use bindpose::diagnostic::Escaped;
use bindpose::left_out::LeftOut;
use bindpose::load::LoadError;
use bindpose::snapshot::{self, Pattern, Snapshot, Store, StoreError, runs_in_ci, take_all};
use selection::{ModelArgs, Selection};
use serde::Serialize;
use settings::{Settings, ToleranceArgs};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use verdict::{Finding, Verdict, accept, counted, describe, verify_all};

/// Record every frame of models, and verify that no frame changed
///
/// A snapshot stores names and hierarchy, the joints of every frame relative to their parents, and exact digests of
/// joints and vertices. A mesh and the fitting clips next to it make one snapshot; a clip without a mesh makes its own.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose snapshot record models/ -o snapshots/\n  \
    bindpose snapshot verify models/ --snapshots snapshots/\n  \
    bindpose snapshot update models/ --snapshots snapshots/")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Record(Record),
    Verify(Verify),
    Update(Update),
    Review(review::Review),
    Diff(diff::Diff),
    Show(Show),
}

/// Write a snapshot of every model, over older ones
///
/// The folder given first becomes the root of the store. Snapshots are named by paths from there, even if later only a
/// part is recorded.
#[derive(Debug, clap::Args)]
struct Record {
    #[command(flatten)]
    models: ModelArgs,
    /// Folder to write the snapshots into
    #[arg(short, long, short_alias = 's', aliases = ["snapshots", "baseline"], value_name = "DIR", value_parser = super::output_path())]
    output: PathBuf,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// Folder of snapshots.
#[derive(Debug, clap::Args)]
struct StoreArgs {
    /// Folder with the snapshots
    #[arg(short, long, visible_alias = "baseline", short_alias = 'o', alias = "output", value_name = "DIR")]
    snapshots: PathBuf,
    #[command(flatten)]
    memory: MemoryArgs,
}

impl StoreArgs {
    fn open(&self) -> anyhow::Result<Store> {
        let folder = &self.snapshots;
        ensure!(folder.is_dir(), "there is no folder {}: `bindpose snapshot record` makes it", folder.display());
        Ok(Store::new(folder, self.memory.limit()))
    }
}

/// Compare every model with its snapshot
///
/// For each model that changed: whether its files changed or our reading of them, the first bad stage (document,
/// skeleton, mesh, local, model-pose, vertices), the first frame and joint, and the distance.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every model is as recorded, 1 one is not (with --ci also: one has no snapshot, or \
                        a snapshot has no model), 2 usage or I/O"
)]
#[cfg_attr(feature = "render", command(mut_arg("before", |before| before.requires("report"))))]
struct Verify {
    #[command(flatten)]
    models: ModelArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    tolerances: ToleranceArgs,
    /// Fail if a snapshot or its model is missing; on if the environment variable CI is set
    #[arg(long)]
    ci: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    format: VerifyFormat,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// JUnit XML file to write, for build servers
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// List every frame and joint that differs, instead of ten lines a clip
    #[arg(long)]
    all: bool,
    /// Folder for a report: summary.md, and index.html with images of the frames that differ: expected, actual,
    /// difference
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
    #[command(flatten)]
    drawing: DrawingArgs,
}

/// Options of images of changed models.
#[derive(Debug, clap::Args)]
struct DrawingArgs {
    /// Older files of changed meshes, which images show as expected: a git revision, or a folder like the root
    #[cfg(feature = "render")]
    #[arg(long, value_name = "REV|DIR")]
    before: Option<before::Before>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum VerifyFormat {
    Text,
    Json,
    /// Annotations for GitHub Actions
    Github,
}

/// Accept changes: write the snapshots of models that verify reports, and no others
#[derive(Debug, clap::Args)]
#[command(visible_alias = "accept")]
struct Update {
    #[command(flatten)]
    models: ModelArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    tolerances: ToleranceArgs,
    /// Also delete snapshots without a model, of the paths and patterns given only
    #[arg(long)]
    prune: bool,
    /// Accept only the frames of clips whose name matches, such as 'walk*'
    #[arg(long, value_name = "GLOB", value_parser = Pattern::new, conflicts_with = "prune")]
    clip: Option<Pattern>,
}

/// Print snapshots as text
///
/// The text can be compared line by line; for `git diff` on snapshots:
/// git config diff.bindpose.textconv "bindpose snapshot show", and in .gitattributes: *.snapshot diff=bindpose
#[derive(Debug, clap::Args)]
struct Show {
    /// Snapshot files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Leave out the frames
    #[arg(long)]
    summary: bool,
    #[command(flatten)]
    format: FormatArg,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// Runs a subcommand.
pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Record(args) => record(args, out),
        Command::Verify(args) => verify(args, out),
        Command::Update(args) => update(args, out),
        Command::Review(args) => review::run(args, out),
        Command::Diff(args) => diff::run(args, out),
        Command::Show(args) => show(args, out),
    }
}

enum RecordError {
    Load(LoadError),
    Write(StoreError),
}

fn record(args: &Record, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let store = Store::new(&args.output, args.memory.limit());
    args.models.check_root(&store)?;
    let selection = Selection::new(&args.models, &store, &args.output)?;
    ensure!(!selection.files.is_empty(), "no model or clip is among the paths given");
    store.set_root(selection.root()).context("cannot write")?;
    let bar = output::progress(selection.models(), "models");
    let results = take_all(&selection.files, args.memory.limit(), |file, snapshot, _| {
        bar.inc(1);
        if !selection.contains(&file.name) {
            return Ok(None);
        }
        let snapshot = snapshot.map_err(RecordError::Load)?;
        let bytes = store.write(&file.name, &snapshot).map_err(RecordError::Write)?;
        let samples: usize = snapshot.clips.iter().map(|clip| clip.frames.samples.len()).sum();
        Ok(Some((snapshot.clips.len(), samples, bytes, snapshot.left_out.clone())))
    });
    bar.finish_and_clear();
    let (mut outcome, mut failed) = (Outcome::Fine, selection.unlisted());
    let (mut models, mut clips, mut samples, mut bytes) = (0, 0, 0, 0);
    let own: HashMap<&Path, bool> = results.iter().map(|(file, result)| (&*file.path, result.is_ok())).collect();
    // The line of a broken clip itself says so, and one of no mesh is not lost: it is recorded alone.
    let is_told = |left: &LeftOut, clip: &Path| own.get(clip).is_some_and(|is_read| !is_read || !left.is_fault());
    for (file, result) in results {
        match result {
            Ok(None) => {}
            Ok(Some(found)) => {
                models += 1;
                clips += found.0;
                samples += found.1;
                bytes += found.2;
                for left in found.3.iter().filter(|left| !left.clip_file().is_some_and(|path| is_told(left, path))) {
                    writeln!(out, "{}: {}", Escaped(&file.name), Escaped(left))?;
                    outcome = outcome.max(Outcome::of(std::slice::from_ref(left)));
                }
            }
            Err(RecordError::Load(error)) => {
                writeln!(out, "broken   {}: not recorded", Escaped(&file.name))?;
                match super::load_failed(error) {
                    Ok(fault) => outcome = outcome.max(fault),
                    Err(error) => failed += tell_failure(&error),
                }
            }
            Err(RecordError::Write(error)) => {
                failed += tell_failure(&anyhow::Error::new(error).context("cannot write"))
            }
        }
    }
    let size = bytes.div_ceil(1024);
    let (models, clips, samples) = (counted(models, "model"), counted(clips, "clip"), counted(samples, "sample"));
    writeln!(out, "recorded {models}, {clips}, {samples}: {} KiB in {}", grouped(size), args.output.display())?;
    check_failed(failed)?;
    Ok(outcome)
}

fn verify(args: &Verify, out: &mut Output) -> anyhow::Result<Outcome> {
    let store = args.store.open()?;
    let selection = Selection::new(&args.models, &store, &args.store.snapshots)?;
    let mut verdicts = verify_all(&selection, &store, &Settings::new(&args.tolerances)?)?;
    for verdict in &mut verdicts {
        verdict.report_failure()?;
    }
    let strict = args.ci || runs_in_ci();
    match if args.json { VerifyFormat::Json } else { args.format } {
        VerifyFormat::Json => {
            let report = JsonReport { format: "bindpose verify", version: 2, models: &verdicts };
            print_json(out, &report)?;
        }
        VerifyFormat::Text => verdict::write_all(&verdicts, args.all, out)?,
        VerifyFormat::Github => {
            out.allow_workflow_commands();
            out.write_all(report::github(&verdicts, strict, &store).as_bytes())?;
        }
    }
    if let Some(file) = &args.junit {
        super::write_text(file, &report::junit(&verdicts, strict))?;
    }
    if let Some(folder) = &args.report {
        let drawn = args.drawing.draw(&verdicts, folder, args.store.memory.limit());
        super::write_text_in(folder, "summary.md", &report::markdown(&verdicts))?;
        super::write_text_in(folder, "index.html", &report::html(&verdicts, &drawn))?;
        tell!("report: {}", folder.join("index.html").display());
    }
    let unreadable = verdicts.iter().filter(|verdict| matches!(verdict.finding, Finding::Unreadable { .. })).count();
    check_failed(selection.unlisted() + unreadable)?;
    Ok(if verdicts.iter().any(|verdict| verdict.fails(strict)) { Outcome::AtFault } else { Outcome::Fine })
}

impl DrawingArgs {
    /// Draws the models that changed into `folder`. An error is reported on the page and does not affect the verdict.
    #[cfg(feature = "render")]
    fn draw(&self, verdicts: &[Verdict], folder: &Path, memory: MemoryLimit) -> report::Images {
        let changed: Vec<_> = verdicts.iter().filter_map(images::Changed::of).collect();
        if changed.is_empty() {
            return report::Images::new();
        }
        let names = changed.iter().map(|changed| changed.name.to_owned());
        match images::draw(&changed, self.before.as_ref(), folder, memory) {
            Ok(drawn) => names.zip(drawn).collect(),
            Err(error) => names.map(|name| (name, Err(format!("{error:#}")))).collect(),
        }
    }

    /// Draws nothing: this build has no OpenGL.
    #[cfg(not(feature = "render"))]
    fn draw(&self, verdicts: &[Verdict], _: &Path, _: MemoryLimit) -> report::Images {
        let changed = verdicts.iter().filter(|verdict| matches!(verdict.finding, Finding::Changed { .. }));
        let reason = || Err("this build of bindpose cannot draw".to_owned());
        changed.map(|verdict| (verdict.model.clone(), reason())).collect()
    }
}

#[derive(Serialize)]
struct JsonReport<'a> {
    format: &'static str,
    version: u32,
    models: &'a [Verdict],
}

/// Checks that a root is recorded or named, and that they agree.
fn check_recorded(args: &Update, store: &Store) -> anyhow::Result<()> {
    let is_recorded = store.root()?.is_some() || store.names().0.is_empty();
    ensure!(
        is_recorded || args.models.names_root(),
        "{} records no root: `bindpose snapshot record FOLDER -o {0}` records the folder that names start at, --root \
         names it",
        args.store.snapshots.display()
    );
    args.models.check_root(store)
}

fn update(args: &Update, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let folder = &args.store.snapshots;
    let store = Store::new(folder, args.store.memory.limit());
    check_recorded(args, &store)?;
    let selection = Selection::new(&args.models, &store, folder)?;
    ensure!(
        !args.prune || !selection.files.is_empty() || args.models.names_part(),
        "{} has no models, and --prune would delete every snapshot; to do that, delete {}",
        selection.root().display(),
        folder.display()
    );
    let verdicts = verify_all(&selection, &store, &Settings::new(&args.tolerances)?)?;
    if store.root()?.is_none() {
        store.set_root(selection.root()).context("cannot write")?;
    }
    let (mut outcome, mut failed) = (Outcome::Fine, selection.unlisted());
    let (mut kept, mut written, mut deleted) = (0, 0, 0);
    for mut verdict in verdicts {
        match &verdict.finding {
            Finding::Unreadable { message } => failed += tell_failure(&anyhow::anyhow!("{message}")),
            Finding::Changed { .. } if args.clip.is_some() => {
                let is_moved = verdict.was.is_some();
                let is_written = accept_clips(&mut verdict, args, &store, out)?;
                written += usize::from(is_written);
                deleted += usize::from(is_moved && is_written);
                kept += usize::from(!is_written);
            }
            _ if args.clip.is_some() => kept += 1,
            Finding::Same { .. } => kept += 1,
            Finding::Removed if args.prune => {
                writeln!(out, "deleted  {}", Escaped(&verdict.model))?;
                store.remove(&verdict.model).context("cannot delete")?;
                deleted += 1;
            }
            Finding::Removed => write!(out, "{}", describe(&verdict))?,
            _ => match accept(&verdict, &store) {
                Ok(true) => {
                    write!(out, "{}", describe(&verdict))?;
                    if verdict.lacks().next().is_some() {
                        outcome = Outcome::AtFault;
                    }
                    written += 1;
                    deleted += usize::from(verdict.was.is_some());
                }
                Ok(false) => {
                    writeln!(out, "broken   {}: its snapshot is unchanged", Escaped(&verdict.model))?;
                    verdict.report_failure()?;
                    outcome = Outcome::AtFault;
                }
                Err(error) => failed += tell_failure(&error),
            },
        }
    }
    if args.clip.is_some() && written == 0 {
        outcome = Outcome::AtFault;
    }
    writeln!(out, "{} written, {deleted} deleted, {kept} unchanged", counted(written, "snapshot"))?;
    check_failed(failed)?;
    Ok(outcome)
}

/// Accepts the frames of the clips of `--clip` in a changed model. Returns true if any were.
fn accept_clips(verdict: &mut Verdict, args: &Update, store: &Store, out: &mut dyn Write) -> anyhow::Result<bool> {
    let Finding::Changed { comparison } = &verdict.finding else { return Ok(false) };
    let is_meant = |clip: &&str| args.clip.as_ref().is_some_and(|pattern| pattern.matches(clip));
    let clips: Vec<String> = comparison.clips().into_iter().filter(is_meant).map(str::to_owned).collect();
    let mut is_written = false;
    for clip in clips {
        is_written |= verdict::accept_clip(verdict, &clip, store, out)?;
    }
    Ok(is_written)
}

fn show(args: &Show, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let mut outcome = Outcome::Fine;
    for path in &args.files {
        match read(path, args.memory.limit())? {
            Some(snapshot) => snapshot.write_text(!args.summary, args.format.get(), out)?,
            None => outcome = Outcome::AtFault,
        }
    }
    Ok(outcome)
}

/// Reads a snapshot. Returns `None` if the file is at fault, and reports it.
fn read(path: &Path, memory: MemoryLimit) -> anyhow::Result<Option<Snapshot>> {
    match snapshot::read(path, memory) {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(error @ StoreError::File(_)) => Err(error.into()),
        Err(error) => {
            tell!("bindpose: {error}");
            Ok(None)
        }
    }
}
