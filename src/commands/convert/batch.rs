//! Conversion of whole folders: every model below them. A failing model does not stop the others.

use super::report::{ConvertReport, messages, write_json};
use super::{Args, Outcome, Output, Target, convert};
use anyhow::{Context, bail};
use bindpose::image_search::ImageFinder;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::HashMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest depth of nested folders.
const DEEPEST: usize = 64;

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
    Failed { errors: Vec<String> },
}

/// A model to convert.
struct Job {
    input: PathBuf,
    output: PathBuf,
}

/// Converts all models below the folders. The outcome is at fault if any fails, or if the validator finds an error in
/// any result.
pub fn run(args: &Args, target: Target, out: &mut Output) -> anyhow::Result<Outcome> {
    if Target::of_extension(&args.output).is_some() && !args.output.is_dir() {
        bail!("{} is one file; for a folder of models, -o names a folder and --to the format", args.output.display());
    }
    let jobs = jobs(args, target)?;
    if jobs.is_empty() {
        bail!(
            "no .md5mesh, .x, .glb or .gltf file in {}",
            args.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
        );
    }
    let bar = if std::io::stderr().is_terminal() { ProgressBar::new(jobs.len() as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{spinner} {bar:30} {pos} of {len}, {msg}") {
        bar.set_style(style);
    }
    let listed = Arc::default();
    let one = |job: Job| {
        bar.set_message(job.input.display().to_string());
        let result = convert_one(args, target, &job, &listed);
        bar.inc(1);
        ModelReport { input: job.input, result }
    };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.map_or(0, NonZeroUsize::get)).build()?;
    let models: Vec<ModelReport> = threads.install(|| jobs.into_par_iter().map(one).collect());
    bar.finish_and_clear();
    let count = |is: fn(&ModelResult) -> bool| models.iter().filter(|model| is(&model.result)).count();
    let report = BatchReport {
        converted: count(|result| matches!(result, ModelResult::Converted(_))),
        skipped: count(|result| matches!(result, ModelResult::Skipped)),
        failed: count(|result| matches!(result, ModelResult::Failed { .. })),
        models,
    };
    if args.json {
        write_json(out, &report)?;
    } else {
        report.print(out)?;
    }
    let at_fault = |model: &ModelReport| match &model.result {
        ModelResult::Converted(report) => report.outcome() == Outcome::AtFault,
        ModelResult::Skipped => false,
        ModelResult::Failed { .. } => true,
    };
    Ok(if report.models.iter().any(at_fault) { Outcome::AtFault } else { Outcome::Fine })
}

impl BatchReport {
    fn print(&self, out: &mut Output) -> std::io::Result<()> {
        for ModelReport { input, result } in &self.models {
            match result {
                ModelResult::Converted(report) => {
                    report.print(out)?;
                    if let Some(counts) = report.findings.filter(|counts| counts.errors > 0) {
                        writeln!(
                            out,
                            "  the engine will not load it: {} errors (bindpose validate lists them)",
                            counts.errors
                        )?;
                    }
                }
                ModelResult::Skipped => {}
                ModelResult::Failed { errors } => writeln!(out, "{} failed: {}", input.display(), errors.join("; "))?,
            }
        }
        let skipped = if self.skipped > 0 { format!(", {} up to date", self.skipped) } else { String::new() };
        writeln!(out, "{} converted, {} failed{skipped}", self.converted, self.failed)
    }
}

fn convert_one(args: &Args, target: Target, job: &Job, listed: &Arc<ImageFinder>) -> ModelResult {
    if args.newer && !is_newer(&job.input, &job.output) {
        return ModelResult::Skipped;
    }
    match convert(args, target, std::slice::from_ref(&job.input), Some(&job.output), listed, &ProgressBar::hidden()) {
        Ok(Ok(report)) => ModelResult::Converted(Box::new(report)),
        Ok(Err(error)) => ModelResult::Failed { errors: messages(&error) },
        Err(error) => ModelResult::Failed { errors: vec![format!("{error:#}")] },
    }
}

/// True if the model, or for MD5 a clip next to it, is newer than the output, or if there is no output.
fn is_newer(input: &Path, output: &Path) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|known| known.modified()).ok();
    let Some(made) = time(output) else { return true };
    let is_clip = |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md5anim"));
    let is_md5 = input.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md5mesh"));
    let folder = input.parent().filter(|_| is_md5).and_then(|folder| fs::read_dir(folder).ok());
    let beside = folder.into_iter().flatten().flatten().map(|entry| entry.path()).filter(is_clip);
    let newest = std::iter::once(input.to_owned()).chain(beside).filter_map(|path| time(&path)).max();
    newest.is_some_and(|newest| newest > made)
}

/// Returns all models with their outputs, sorted by path. MD5 output gets a folder for each model, because clips of
/// several models may have the same name.
fn jobs(args: &Args, target: Target) -> anyhow::Result<Vec<Job>> {
    let mut jobs = Vec::new();
    let mut taken: HashMap<PathBuf, PathBuf> = HashMap::new();
    for file in &args.files {
        let mut models = Vec::new();
        let top = if file.is_dir() { file.as_path() } else { file.parent().unwrap_or(Path::new("")) };
        if file.is_dir() {
            collect(file, &args.output, 0, &mut models)?
        } else {
            models.push(file.clone())
        }
        models.sort();
        for input in models {
            let place = input.strip_prefix(top).unwrap_or(&input).with_extension("");
            let stem = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let folder = args.output.join(place.parent().unwrap_or(Path::new("")));
            let folder = if target == Target::Md5 { folder.join(&stem) } else { folder };
            let output = folder.join(format!("{stem}.{}", target.extension()));
            if let Some(other) = taken.insert(output.clone(), input.clone()) {
                bail!("{} and {} would both become {}", other.display(), input.display(), output.display());
            }
            jobs.push(Job { input, output });
        }
    }
    Ok(jobs)
}

/// Adds the models below a folder. If the output folder is inside, it is left out.
fn collect(folder: &Path, output: &Path, depth: usize, models: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        let is_output = || path.canonicalize().ok().zip(output.canonicalize().ok()).is_some_and(|(a, b)| a == b);
        if path.is_dir() && !path.is_symlink() && depth < DEEPEST && !is_output() {
            collect(&path, output, depth + 1, models)?;
        }
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        if path.is_file()
            && extension.is_some_and(|extension| ["md5mesh", "x", "glb", "gltf"].contains(&extension.as_str()))
        {
            models.push(path);
        }
    }
    Ok(())
}
