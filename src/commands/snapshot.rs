//! `bindpose snapshot`

mod diff;
#[cfg(feature = "render")]
mod pictures;
mod report;

use super::Outcome;
use crate::commands::output::tell;
use anyhow::Context;
use bindpose::budget::grouped;
use bindpose::load::LoadError;
use bindpose::snapshot::{
    self, Check, Comparison, Detail, Exact, ModelFile, ReadError, Snapshot, Store, StoreError, TextFormat, Tolerance,
    crowded_folders, find_models, runs_in_ci, take_all,
};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Record what every frame of models is, and verify that no frame changed
///
/// A snapshot holds names and hierarchy, for every frame the joints in model space, and exact digests of joints and
/// vertices. A mesh and the clips beside it that fit make one snapshot; a clip without a mesh one of its own.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Record(Record),
    Verify(Verify),
    Update(Update),
    Diff(diff::Diff),
    Show(Show),
}

/// Write a snapshot of every model, over older ones
#[derive(Debug, clap::Args)]
struct Record {
    /// Files and folders; folders are searched with all folders in them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Folder to write the snapshots into
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// Compare every model with its snapshot
///
/// Says of each model that changed whether its files changed or our reading of them, the first bad stage (document,
/// skeleton, mesh, local, model-pose, vertices), the first frame and joint, and how far off it is.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exit codes: 0 every model is as recorded, 1 one is not (with --ci also: one has no snapshot, or \
                        a snapshot has no model), 2 usage or I/O"
)]
struct Verify {
    #[command(flatten)]
    what: What,
    /// Fail where a snapshot or its model is missing; on where the environment variable CI is set
    #[arg(long)]
    ci: bool,
    /// Text or JSON
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
    /// Folder for a report: summary.md, and index.html with pictures of the frames that differ: expected, actual, difference
    #[arg(long, value_name = "DIR")]
    report: Option<PathBuf>,
}

/// Write the snapshots of those models that verify would report, and no others
#[derive(Debug, clap::Args)]
struct Update {
    #[command(flatten)]
    what: What,
    /// Also delete snapshots whose model is not among the paths
    #[arg(long)]
    prune: bool,
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
    /// Text or JSON
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ReportFormat {
    Text,
    Json,
}

/// Models, snapshots, and how they are compared.
#[derive(Debug, clap::Args)]
struct What {
    /// Files and folders; folders are searched with all folders in them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Folder with the snapshots
    #[arg(short, long, visible_alias = "baseline", value_name = "DIR")]
    snapshots: PathBuf,
    #[command(flatten)]
    tolerances: Tolerances,
}

/// How far numbers may be off.
#[derive(Debug, clap::Args)]
struct Tolerances {
    /// How far positions may be off, as a share of the model's size [default: 1e-8, and nothing where a file changed]
    #[arg(long, value_name = "SHARE", value_parser = at_least(Tolerance::LEAST.position))]
    position_tolerance: Option<f64>,
    /// How far joints may be turned, in degrees [default: 1e-6, and nothing where a file changed]
    #[arg(long, value_name = "DEGREES", value_parser = at_least(Tolerance::LEAST.angle))]
    angle_tolerance: Option<f64>,
    /// How far scale and shear may be off [default: 1e-8, and nothing where a file changed]
    #[arg(long, value_name = "SHARE", value_parser = at_least(Tolerance::LEAST.stretch))]
    stretch_tolerance: Option<f64>,
    /// No tolerance: report every frame that differs in any bit
    #[arg(long, conflicts_with_all = ["position_tolerance", "angle_tolerance", "stretch_tolerance"])]
    exact: bool,
}

fn at_least(least: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| match text.parse::<f64>() {
        Ok(value) if value >= least => Ok(value),
        Ok(_) => Err(format!("a snapshot cannot tell less than {least:e}; --exact reports every bit")),
        Err(_) => Err(format!("'{text}' is no number")),
    }
}

impl Tolerances {
    fn check(&self) -> Check {
        let given = [self.position_tolerance, self.angle_tolerance, self.stretch_tolerance];
        let default = Tolerance::default();
        Check {
            tolerance: Tolerance {
                position: self.position_tolerance.unwrap_or(default.position),
                angle: self.angle_tolerance.unwrap_or(default.angle),
                stretch: self.stretch_tolerance.unwrap_or(default.stretch),
            },
            exact: match self.exact {
                true => Exact::Always,
                false if given.iter().any(Option::is_some) => Exact::Never,
                false => Exact::Edits,
            },
        }
    }
}

/// Runs one of the five.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &args.command {
        Command::Record(args) => record(args, out),
        Command::Verify(args) => verify(args, out),
        Command::Update(args) => update(args, out),
        Command::Diff(args) => diff::run(args, out),
        Command::Show(args) => show(args, out),
    }
}

/// What became of a model or a snapshot.
#[derive(Debug, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
enum Finding {
    /// As recorded.
    Same { comparison: Comparison },
    /// Not as recorded.
    Changed { comparison: Comparison },
    /// It has no snapshot.
    Added,
    /// The snapshot has no model.
    Removed,
    /// A snapshot of another name, whose model is gone, is of the same frames.
    Renamed {
        /// That name.
        from: String,
    },
    /// The model does not load.
    Broken {
        message: String,
        /// Whether it did when the snapshot was taken.
        recorded: bool,
    },
    /// The snapshot is of a format that this version does not read.
    Outdated { message: String },
    /// The snapshot does not read.
    Damaged { message: String },
}

/// What verifying a model found.
#[derive(Debug, Serialize)]
struct Verdict {
    model: String,
    #[serde(flatten)]
    finding: Finding,
    /// The snapshot of a model that changed.
    #[serde(skip)]
    #[cfg_attr(not(feature = "render"), expect(dead_code, reason = "only pictures show it"))]
    recorded: Option<Snapshot>,
    /// The model as it is now, unless it is the same or broken.
    #[serde(skip)]
    now: Option<Snapshot>,
    /// Why it is broken, with places.
    #[serde(skip)]
    failure: Option<LoadError>,
}

impl Verdict {
    fn new(model: &str, finding: Finding) -> Self {
        Self { model: model.to_owned(), finding, recorded: None, now: None, failure: None }
    }
}

fn progress(count: usize) -> ProgressBar {
    // Draws nothing where stderr is no terminal.
    let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} models").unwrap_or(ProgressStyle::default_bar());
    ProgressBar::new(count as u64).with_style(style)
}

fn find(paths: &[PathBuf]) -> anyhow::Result<Vec<ModelFile>> {
    let files = find_models(paths)?;
    anyhow::ensure!(!files.is_empty(), "no model or clip is among the paths given");
    for folder in crowded_folders(&files) {
        let (meshes, clips) = folder.counts();
        let path = if folder.path.as_os_str().is_empty() { Path::new(".") } else { &folder.path };
        tell!(
            "note: {} has {} meshes and {} clips, too many for each with each: of the meshes of one skeleton only the \
             first bring all clips that fit, the others the clip of their name",
            path.display(),
            grouped(meshes),
            grouped(clips)
        );
    }
    Ok(files)
}

fn record(args: &Record, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let files = find(&args.paths)?;
    let store = Store::new(&args.output, super::memory());
    let bar = progress(files.len());
    let results = take_all(&files, super::memory(), |file, snapshot| {
        bar.inc(1);
        let snapshot = snapshot.map_err(RecordError::Load)?;
        let bytes = store.write(&file.name, &snapshot).map_err(RecordError::Write)?;
        let samples: usize = snapshot.clips.iter().map(|clip| clip.frames.samples.len()).sum();
        Ok((snapshot.clips.len(), samples, bytes))
    });
    bar.finish_and_clear();
    let mut outcome = Outcome::Fine;
    let (mut models, mut clips, mut samples, mut bytes) = (0, 0, 0, 0);
    for (file, result) in results {
        match result {
            Ok(found) => {
                models += 1;
                clips += found.0;
                samples += found.1;
                bytes += found.2;
            }
            Err(RecordError::Load(error)) => {
                writeln!(out, "broken   {}: not recorded", file.name)?;
                super::load_failed(error)?;
                outcome = Outcome::AtFault;
            }
            Err(RecordError::Write(error)) => return Err(error).context("cannot write"),
        }
    }
    let size = bytes.div_ceil(1024);
    let (models, clips, samples) = (counted(models, "model"), counted(clips, "clip"), counted(samples, "sample"));
    writeln!(out, "recorded {models}, {clips}, {samples}: {} KiB in {}", grouped(size), args.output.display())?;
    Ok(outcome)
}

/// A number of things for people.
fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

enum RecordError {
    Load(LoadError),
    Write(StoreError),
}

fn verify_all(files: &[ModelFile], store: &Store, check: &Check) -> anyhow::Result<Vec<Verdict>> {
    let bar = progress(files.len());
    let verdicts = take_all(files, super::memory(), |file, now| {
        bar.inc(1);
        verify_one(&file.name, now, store, check)
    });
    bar.finish_and_clear();
    verdicts.into_iter().map(|(_, verdict)| verdict).collect()
}

fn verify_one(name: &str, now: Result<Snapshot, LoadError>, store: &Store, check: &Check) -> anyhow::Result<Verdict> {
    let recorded = match store.read(name) {
        Err(error @ StoreError::File(_)) => return Err(error.into()),
        recorded => recorded,
    };
    let now = match now {
        Ok(now) => now,
        Err(error @ LoadError::Read(_)) => return Err(error.into()),
        Err(failure) => {
            let recorded = recorded.is_ok_and(|found| found.is_some());
            let finding = Finding::Broken { message: failure.to_string(), recorded };
            return Ok(Verdict { failure: Some(failure), ..Verdict::new(name, finding) });
        }
    };
    let recorded = match recorded {
        Ok(Some(recorded)) => recorded,
        Ok(None) => return Ok(Verdict { now: Some(now), ..Verdict::new(name, Finding::Added) }),
        Err(error) => {
            let message = error.to_string();
            let finding = match error {
                StoreError::Content { error: ReadError::Older { .. } | ReadError::Newer { .. }, .. } => {
                    Finding::Outdated { message }
                }
                _ => Finding::Damaged { message },
            };
            return Ok(Verdict { now: Some(now), ..Verdict::new(name, finding) });
        }
    };
    Ok(match recorded.compare(&now, check) {
        // Of thousands of models that are the same none needs to be kept.
        comparison if comparison.is_same() => Verdict::new(name, Finding::Same { comparison }),
        comparison => {
            let verdict = Verdict::new(name, Finding::Changed { comparison });
            Verdict { recorded: Some(recorded), now: Some(now), ..verdict }
        }
    })
}

/// Names of snapshots that belong to none of the models.
fn orphans(store: &Store, verdicts: &[Verdict]) -> anyhow::Result<Vec<String>> {
    let known: HashSet<&str> = verdicts.iter().map(|verdict| verdict.model.as_str()).collect();
    let mut names = store.names().context("cannot list")?;
    names.retain(|name| !known.contains(name.as_str()));
    Ok(names)
}

/// Takes an orphan away and calls a model without a snapshot renamed where the one holds the frames of the other.
fn find_renamed(verdicts: &mut [Verdict], orphans: &mut Vec<String>, store: &Store) {
    let mut added = verdicts.iter_mut().filter(|verdict| matches!(verdict.finding, Finding::Added)).peekable();
    if added.peek().is_none() {
        return;
    }
    // A snapshot that cannot be read is no model's.
    let recorded = |name: &str| store.read(name).ok().flatten();
    let mut by_frames: HashMap<u64, Vec<String>> = HashMap::new();
    for name in &*orphans {
        if let Some(snapshot) = recorded(name) {
            by_frames.entry(snapshot.frames_digest()).or_default().push(name.clone());
        }
    }
    let mut found = HashSet::new();
    for verdict in added {
        let Some(now) = &verdict.now else { continue };
        let Some(names) = by_frames.get_mut(&now.frames_digest()) else { continue };
        let same = |name: &String| recorded(name).is_some_and(|snapshot| snapshot.is_renamed(now));
        if let Some(place) = names.iter().position(same) {
            let from = names.swap_remove(place);
            found.insert(from.clone());
            verdict.finding = Finding::Renamed { from };
        }
    }
    orphans.retain(|name| !found.contains(name));
}

fn verify(args: &Verify, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let What { paths, snapshots, .. } = &args.what;
    anyhow::ensure!(
        snapshots.is_dir(),
        "there is no folder {}: `bindpose snapshot record` makes it",
        snapshots.display()
    );
    let files = find(paths)?;
    let store = Store::new(snapshots, super::memory());
    let mut verdicts = verify_all(&files, &store, &args.what.tolerances.check())?;
    let mut orphans = orphans(&store, &verdicts)?;
    find_renamed(&mut verdicts, &mut orphans, &store);
    for verdict in &mut verdicts {
        verdict.failure.take().map_or(Ok(Outcome::Fine), super::load_failed)?;
    }
    verdicts.extend(orphans.iter().map(|model| Verdict::new(model, Finding::Removed)));
    let strict = args.ci || runs_in_ci();
    let fails = |verdict: &Verdict| match verdict.finding {
        Finding::Same { .. } => false,
        Finding::Added | Finding::Removed | Finding::Renamed { .. } => strict,
        Finding::Changed { .. } | Finding::Broken { .. } | Finding::Outdated { .. } | Finding::Damaged { .. } => true,
    };
    let outcome = if verdicts.iter().any(fails) { Outcome::AtFault } else { Outcome::Fine };
    match args.format {
        ReportFormat::Json => {
            let report = Report { format: "bindpose verify", version: 1, models: &verdicts };
            writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        }
        ReportFormat::Text => {
            verdicts.iter().try_for_each(|verdict| write!(out, "{}", describe(verdict)))?;
            writeln!(out, "{}", summary(&verdicts))?;
        }
    }
    if let Some(folder) = &args.report {
        let pictures = draw(&verdicts, &files, folder);
        let page = folder.join("index.html");
        super::write_text(&folder.join("summary.md"), &report::markdown(&verdicts))?;
        super::write_text(&page, &report::html(&verdicts, &pictures))?;
        tell!("report: {}", page.display());
    }
    Ok(outcome)
}

/// Pictures of the models that changed, in `folder`. Where none can be drawn the report says so, and the verdict stays
/// what it is.
#[cfg(feature = "render")]
fn draw(verdicts: &[Verdict], files: &[ModelFile], folder: &Path) -> report::Pictures {
    let changed = verdicts.iter().filter_map(|verdict| {
        let Verdict { model: name, finding: Finding::Changed { comparison }, recorded, now, .. } = verdict else {
            return None;
        };
        let path = &files.iter().find(|file| file.name == *name)?.path;
        Some(pictures::Changed { name, path, recorded: recorded.as_ref()?, now: now.as_ref()?, comparison })
    });
    let changed: Vec<_> = changed.collect();
    if changed.is_empty() {
        return report::Pictures::new();
    }
    let names = changed.iter().map(|changed| changed.name.to_owned());
    match pictures::draw(&changed, folder) {
        Ok(drawn) => names.zip(drawn).collect(),
        Err(error) => names.map(|name| (name, Err(format!("{error:#}")))).collect(),
    }
}

/// Without OpenGL there are no pictures.
#[cfg(not(feature = "render"))]
fn draw(verdicts: &[Verdict], _: &[ModelFile], _: &Path) -> report::Pictures {
    let changed = verdicts.iter().filter(|verdict| matches!(verdict.finding, Finding::Changed { .. }));
    let reason = || Err("this build of bindpose cannot draw".to_owned());
    changed.map(|verdict| (verdict.model.clone(), reason())).collect()
}

#[derive(Serialize)]
struct Report<'a> {
    format: &'static str,
    version: u32,
    models: &'a [Verdict],
}

/// What is to be said about one model; nothing where it is as recorded to the bit.
fn describe(verdict: &Verdict) -> String {
    let Verdict { model, finding, .. } = verdict;
    let indented = |comparison: &Comparison| {
        comparison.to_string().lines().map(|line| format!("    {line}\n")).collect::<String>()
    };
    match finding {
        Finding::Same { comparison } if comparison.to_string().is_empty() => String::new(),
        Finding::Same { comparison } => format!("same     {model}\n{}", indented(comparison)),
        Finding::Changed { comparison } => format!("changed  {model}\n{}", indented(comparison)),
        Finding::Added => format!("added    {model}: it has no snapshot; `bindpose snapshot update` writes it\n"),
        Finding::Removed => {
            format!("removed  {model}: a snapshot without a model; `bindpose snapshot update --prune` deletes it\n")
        }
        Finding::Renamed { from } => {
            format!(
                "renamed  {model}: was {from}, every frame is the same; `bindpose snapshot update` moves its snapshot\n"
            )
        }
        Finding::Broken { message, recorded: true } => {
            format!("changed  {model}\n    first bad stage: document\n    it no longer loads: {message}\n")
        }
        Finding::Broken { message, recorded: false } => format!("broken   {model}: {message}\n"),
        Finding::Outdated { message } => format!("outdated {message}\n"),
        Finding::Damaged { message } => format!("damaged  {message}\n"),
    }
}

fn summary(verdicts: &[Verdict]) -> String {
    let count = |wanted: fn(&Finding) -> bool| verdicts.iter().filter(|verdict| wanted(&verdict.finding)).count();
    let parts = [
        (count(|finding| matches!(finding, Finding::Same { .. })), "same"),
        (
            count(|finding| matches!(finding, Finding::Changed { .. } | Finding::Broken { recorded: true, .. })),
            "changed",
        ),
        (count(|finding| matches!(finding, Finding::Added)), "added"),
        (count(|finding| matches!(finding, Finding::Removed)), "removed"),
        (count(|finding| matches!(finding, Finding::Renamed { .. })), "renamed"),
        (count(|finding| matches!(finding, Finding::Broken { recorded: false, .. })), "broken"),
        (count(|finding| matches!(finding, Finding::Outdated { .. })), "with a snapshot of another format"),
        (count(|finding| matches!(finding, Finding::Damaged { .. })), "with damaged snapshot"),
    ];
    let texts: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    format!("{}: {}", counted(verdicts.len(), "model"), texts.join(", "))
}

fn update(args: &Update, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let files = find(&args.what.paths)?;
    let store = Store::new(&args.what.snapshots, super::memory());
    let mut verdicts = verify_all(&files, &store, &args.what.tolerances.check())?;
    let mut orphans = orphans(&store, &verdicts)?;
    find_renamed(&mut verdicts, &mut orphans, &store);
    let mut outcome = Outcome::Fine;
    let (mut kept, mut written, mut deleted) = (0, 0, 0);
    for verdict in verdicts {
        let name = &verdict.model;
        match (&verdict.finding, &verdict.now) {
            (Finding::Same { .. }, _) => kept += 1,
            (_, Some(now)) => {
                write!(out, "{}", describe(&verdict))?;
                store.write(name, now).context("cannot write")?;
                written += 1;
                if let Finding::Renamed { from } = &verdict.finding {
                    store.remove(from).context("cannot delete")?;
                    deleted += 1;
                }
            }
            (_, None) => {
                writeln!(out, "broken   {name}: its snapshot stays as it is")?;
                verdict.failure.map_or(Ok(Outcome::Fine), super::load_failed)?;
                outcome = Outcome::AtFault;
            }
        }
    }
    for name in orphans {
        if args.prune {
            writeln!(out, "deleted  {name}")?;
            store.remove(&name).context("cannot delete")?;
            deleted += 1;
        } else {
            writeln!(out, "removed  {name}: a snapshot without a model among the paths; --prune deletes it")?;
        }
    }
    writeln!(out, "{} written, {deleted} deleted, {kept} as they were", counted(written, "snapshot"))?;
    Ok(outcome)
}

fn show(args: &Show, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let detail = if args.summary { Detail::Summary } else { Detail::Everything };
    let format = match args.format {
        ReportFormat::Text => TextFormat::Text,
        ReportFormat::Json => TextFormat::Json,
    };
    let mut outcome = Outcome::Fine;
    for path in &args.files {
        match read(path)? {
            Some(snapshot) => snapshot.write_text(detail, format, out)?,
            None => outcome = Outcome::AtFault,
        }
    }
    Ok(outcome)
}

/// A snapshot's file; `None` where it is at fault, which was said then.
fn read(path: &Path) -> anyhow::Result<Option<Snapshot>> {
    match snapshot::read(path, super::memory()) {
        Ok(snapshot) => Ok(Some(snapshot)),
        Err(error @ StoreError::File(_)) => Err(error.into()),
        Err(error) => {
            tell!("bindpose: {error}");
            Ok(None)
        }
    }
}
