//! Conversion of several models: those that are named, that match a pattern, or that lie below a folder. A failing model
//! or folder does not stop the others.

use super::{Args, ConvertReport, Format, Outcome, Output, convert, messages};
use crate::commands::{check_failed, output, print_json};
use anyhow::{Context, anyhow, bail};
use bindpose::budget::{MemoryLimit, share_out};
use bindpose::convert::{names_file, output_stem};
use bindpose::diagnostic::Escaped;
use bindpose::image_search::ImageFinder;
use bindpose::import::x::X_FILE;
use bindpose::import::{Importer, by_extension, extensions, is_model_file};
use bindpose::load::{LoadError, load};
use bindpose::read;
use bindpose::validate::inputs::{self, FindOptions, InputError};
use bindpose::vfs::{Listing, Vfs, folders_of, member};
use bindpose_core::write;
use indicatif::ProgressBar;
use serde::Serialize;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Result for `--json`.
#[derive(Serialize)]
struct BatchReport {
    converted: usize,
    /// Models that are not newer than their output.
    skipped: usize,
    failed: usize,
    models: Vec<ModelReport>,
}

/// Result for one model.
#[derive(Serialize)]
struct ModelReport {
    input: PathBuf,
    #[serde(flatten)]
    result: ModelResult,
}

#[derive(Serialize)]
#[serde(tag = "result", rename_all = "lowercase")]
enum ModelResult {
    Converted(Box<ConvertReport>),
    Skipped,
    Failed {
        errors: Vec<String>,
        /// True if a file or folder cannot be read or written.
        #[serde(skip)]
        is_io: bool,
    },
}

impl From<anyhow::Error> for ModelResult {
    fn from(error: anyhow::Error) -> Self {
        let is_read = matches!(error.downcast_ref(), Some(LoadError::Read(_)));
        let is_io = is_read || error.chain().any(|cause| cause.is::<std::io::Error>());
        Self::Failed { errors: messages(&error), is_io }
    }
}

/// A model to convert.
struct Job {
    input: PathBuf,
    /// File to write, or the reason why there is none.
    output: Result<PathBuf, String>,
}

/// Returns true if the arguments are several models: a folder, a pattern, or several files with meshes for an output
/// that is a folder.
pub fn is_asked_for(args: &Args, target: Format) -> anyhow::Result<bool> {
    if args.files.iter().any(|file| file.is_dir() || is_pattern(file)) {
        return Ok(true);
    }
    let models: Vec<&PathBuf> = args.files.iter().filter(|file| is_model_file(file)).collect();
    if models.len() < 2 || names_file(&args.output, target) {
        return Ok(false);
    }
    let mut options = args.load.options()?;
    options.import.without_tangents = true;
    // A .x file without a mesh is a clip of the others.
    let has_mesh = |file: &&&PathBuf| {
        by_extension(file) != Some(&X_FILE)
            || load(&[file], &options).map_or(true, |loaded| !loaded.model.meshes.is_empty())
    };
    Ok(models.iter().filter(has_mesh).nth(1).is_some())
}

/// True for a name with wildcards that is no file.
fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[']) && !path.exists()
}

/// Converts all models below the folders. The outcome is at fault if any fails, or if the validator finds an error in
/// any result. Files that cannot be read or written become an error at the end.
pub fn run(args: &Args, target: Format, out: &mut Output) -> anyhow::Result<Outcome> {
    if Format::of_extension(&args.output).is_some() && !args.output.is_dir() {
        bail!("{} is one file; for a folder of models, -o names a folder and --to the format", args.output.display());
    }
    let jobs = jobs(args, target)?;
    if jobs.is_empty() {
        bail!(
            "no {} file in {}",
            extensions(Importer::is_model),
            args.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
        );
    }
    let bar = output::progress(jobs.len(), "models");
    let listed = Arc::default();
    let one = |job: &Job, memory: MemoryLimit| {
        bar.set_message(job.input.display().to_string());
        let mut args = args.clone();
        args.load.memory.set(memory);
        let result = convert_one(&args, target, job, &listed);
        if !memory.is_short() {
            bar.inc(1);
        }
        ModelReport { input: job.input.clone(), result }
    };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.map_or(0, NonZeroUsize::get)).build()?;
    let models = threads.install(|| share_out(&jobs, args.load.limit(), one));
    bar.finish_and_clear();
    let count = |is: fn(&ModelResult) -> bool| models.iter().filter(|model| is(&model.result)).count();
    let report = BatchReport {
        converted: count(|result| matches!(result, ModelResult::Converted(_))),
        skipped: count(|result| matches!(result, ModelResult::Skipped)),
        failed: count(|result| matches!(result, ModelResult::Failed { .. })),
        models,
    };
    if args.format.is_json() {
        print_json(out, &report)?;
    } else {
        report.print(out)?;
    }
    let at_fault = |model: &ModelReport| match &model.result {
        ModelResult::Converted(report) => report.is_at_fault(),
        ModelResult::Skipped => false,
        ModelResult::Failed { .. } => true,
    };
    let is_io = |model: &&ModelReport| matches!(model.result, ModelResult::Failed { is_io: true, .. });
    check_failed(report.models.iter().filter(is_io).count())?;
    Ok(if report.models.iter().any(at_fault) { Outcome::AtFault } else { Outcome::Fine })
}

impl BatchReport {
    fn print(&self, out: &mut Output) -> std::io::Result<()> {
        for ModelReport { input, result } in &self.models {
            match result {
                ModelResult::Converted(report) => {
                    report.print(out)?;
                    let mut known = HashSet::new();
                    for warning in report.warnings.iter().filter(|warning| known.insert(warning.code)) {
                        writeln!(out, "  {} ({})", Escaped(&warning.message), warning.code)?;
                    }
                    if let Some(counts) = report.findings.filter(|counts| counts.errors > 0) {
                        writeln!(
                            out,
                            "  the engine will not load it: {} errors (bindpose validate lists them)",
                            counts.errors
                        )?;
                    }
                }
                ModelResult::Skipped => {}
                ModelResult::Failed { errors, .. } => {
                    writeln!(out, "{} failed: {}", Escaped(input.display()), Escaped(errors.join("; ")))?
                }
            }
        }
        let skipped = if self.skipped > 0 { format!(", {} up to date", self.skipped) } else { String::new() };
        writeln!(out, "{} converted, {} failed{skipped}", self.converted, self.failed)
    }
}

fn convert_one(args: &Args, target: Format, job: &Job, listed: &Arc<ImageFinder>) -> ModelResult {
    let output = match &job.output {
        Ok(output) => output,
        // A file that cannot be read has a better reason.
        Err(reason) => {
            let loaded = args.options(listed).and_then(|options| Ok(load(&[&job.input], &options.load)?));
            return loaded.err().unwrap_or_else(|| anyhow!("{reason}")).into();
        }
    };
    if args.newer && !is_newer(&job.input, output) {
        return ModelResult::Skipped;
    }
    let checked =
        write::check_below(output, &args.output).with_context(|| format!("cannot write {}", output.display()));
    let files = std::slice::from_ref(&job.input);
    match checked.and_then(|()| convert(args, target, files, Some(output), listed, &ProgressBar::hidden())) {
        Ok(report) => ModelResult::Converted(Box::new(report)),
        Err(error) => error.into(),
    }
}

/// True if the model, or for MD5 a clip that belongs to it, is newer than the output, or if there is no output.
fn is_newer(input: &Path, output: &Path) -> bool {
    // A file in an archive has the archive's time.
    let on_disk = |path: &Path| member::split(path).map_or_else(|| path.to_owned(), |(archive, _)| archive.to_owned());
    let time = |path: &Path| fs::metadata(on_disk(path)).and_then(|known| known.modified()).ok();
    let Some(made) = time(output) else { return true };
    let is_md5 = input.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md5mesh"));
    let folders = if is_md5 { folders_of(Vfs::around(input).as_ref(), input) } else { Vec::new() };
    let clips_in = |folder: PathBuf| {
        let listing = Listing::read(&folder).unwrap_or_default();
        listing.of_extension("md5anim").map(|entry| folder.join(&entry.name)).collect::<Vec<_>>()
    };
    let beside = folders.into_iter().flat_map(clips_in);
    let newest = std::iter::once(input.to_owned()).chain(beside).filter_map(|path| time(&path)).max();
    newest.is_some_and(|newest| newest > made)
}

/// Returns all models with their outputs, sorted by path. MD5 output gets a folder for each model, because clips of
/// several models may have the same name. A folder that cannot be read is a job without an output, and so are models
/// that would have the same one. If the output folder is inside, it is left out.
fn jobs(args: &Args, target: Format) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    let mut takers: HashMap<PathBuf, Vec<usize>> = HashMap::new();
    for file in &args.files {
        let (mut models, mut unreadable) = (Vec::new(), Vec::new());
        let mut top = file.parent().unwrap_or(Path::new("")).to_owned();
        if file.is_dir() {
            top.clone_from(file);
            let output = args.output.canonicalize().unwrap_or_default();
            let is_output = |path: &Path| {
                path.file_name() == output.file_name() && path.canonicalize().is_ok_and(|path| path == output)
            };
            (models, unreadable) = read::below(file, |path| !is_output(path));
            models.retain(|path| is_model_file(path));
        } else if is_pattern(file) {
            let wanted = FindOptions { gltf: true, ..FindOptions::default() };
            let found = inputs::find(std::slice::from_ref(file), None, wanted).map_err(|error| match error {
                InputError::NoMatch(_) => {
                    anyhow!("no {} file matches {}", extensions(Importer::is_model), file.display())
                }
                error => error.into(),
            })?;
            let found = found.groups.into_iter();
            let (folders, files) = found.flat_map(|group| group.paths).partition::<Vec<_>, _>(|path| path.is_dir());
            unreadable = folders.iter().flat_map(|folder| read::below(folder, |_| false).1).collect();
            models.extend(files.into_iter().filter(|path| is_model_file(path)));
            top = fixed_part(file);
        } else {
            models.push(file.clone());
        }
        models.sort();
        for input in models {
            let place = input.strip_prefix(&top).unwrap_or(&input);
            let stem = output_stem(&input);
            let folder = args.output.join(place.parent().unwrap_or(Path::new("")));
            let folder = if target == Format::Md5 { folder.join(&stem) } else { folder };
            let output = folder.join(format!("{stem}.{}", target.extension()));
            takers.entry(output.clone()).or_default().push(jobs.len());
            jobs.push(Job { input, output: Ok(output) });
        }
        jobs.extend(unreadable.into_iter().map(|(input, error)| {
            let reason = format!("cannot read the folder: {error}");
            Job { input, output: Err(reason) }
        }));
    }
    for (output, takers) in takers.into_iter().filter(|(_, takers)| takers.len() > 1) {
        let names: Vec<String> = takers.iter().map(|&job| jobs[job].input.display().to_string()).collect();
        for job in takers {
            jobs[job].output = Err(format!(
                "{} would become the same file, {}; convert each to a name of its own (-o NAME.{})",
                names.join(" and "),
                output.display(),
                target.extension()
            ));
        }
    }
    Ok(jobs)
}

/// Returns the folders of a pattern before its first wildcard.
fn fixed_part(pattern: &Path) -> PathBuf {
    let is_fixed = |part: &Component<'_>| !part.as_os_str().to_string_lossy().contains(['*', '?', '[']);
    pattern.components().take_while(is_fixed).collect()
}
