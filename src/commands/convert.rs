//! `bindpose convert`

mod args;
mod batch;

use super::load_args::{check_ticks, locate};
use super::output::{self, Output, tell};
#[cfg(feature = "window")]
use super::scene::SceneArgs;
use super::{Outcome, print_json};
use anyhow::ensure;
pub use args::Args;
use bindpose::convert::{ConvertReport, Error, Format, convert_loaded};
use bindpose::diagnostic::Severity;
use bindpose::image_search::ImageFinder;
use bindpose::load::{LoadError, load};
use bindpose::model::Model;
#[cfg(feature = "window")]
use clap::{Args as _, FromArgMatches};
use indicatif::ProgressBar;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Runs the command. The outcome is at fault if a file is, or if the validator finds an error in the result.
pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Outcome> {
    let target = args.target()?;
    check_ticks(args.ticks_per_second, &args.files)?;
    if batch::is_asked_for(args, target)? {
        return batch::run(args, target, out);
    }
    let bar = output::progress(4, "steps");
    let converted = convert(args, target, &args.files, None, &Arc::default(), &bar);
    bar.finish_and_clear();
    let report = match converted {
        Ok(report) => report,
        Err(error) => {
            if args.format.is_json() {
                print_json(out, &json!({ "errors": messages(&error) }))?;
            }
            return super::load_failed(error.downcast()?);
        }
    };
    if args.format.is_json() {
        print_json(out, &report)?;
    } else {
        report.print(out)?;
        tell!("{}", report.drawn.trim_end());
    }
    Ok(outcome(&report))
}

/// Report of a conversion for the window's form.
#[cfg(feature = "window")]
#[derive(Debug)]
pub struct FormReport {
    /// Report and findings.
    pub text: String,
    /// True if a file is at fault, or the result.
    pub is_at_fault: bool,
}

/// Runs the command for one model with these arguments, without printing, and with the options of the window's files.
///
/// # Errors
///
/// Wrong arguments, files that cannot be read or written.
#[cfg(feature = "window")]
pub fn described(arguments: Vec<std::ffi::OsString>, like: SceneArgs) -> anyhow::Result<FormReport> {
    let command = Args::augment_args(clap::Command::new("convert").no_binary_name(true));
    let mut args = Args::from_arg_matches(&command.try_get_matches_from(arguments)?)?;
    args.ticks_per_second = like.ticks_per_second;
    args.load.memory = like.load.memory;
    args.load.game = like.load.game;
    args.load.skin = like.load.skin;
    args.wanted_images = like.images;
    let path = args.output.clone();
    let report = convert(&args, args.target()?, &args.files, Some(&path), &Arc::default(), &ProgressBar::hidden());
    let report = report.map_err(|error| anyhow::Error::msg(messages(&error).join("\n")))?;
    let mut text = Vec::new();
    report.print(&mut text)?;
    let warnings = report.warnings.iter().map(|warning| format!("  warning: {}\n", warning.message));
    let text = String::from_utf8_lossy(&text).into_owned() + &warnings.collect::<String>() + &report.drawn;
    Ok(FormReport { text, is_at_fault: report.is_at_fault() })
}

/// Converts one model to `path`, or to the path that follows from the options and the model's name. Prints diagnostics
/// of the files if it is the only model. All models share the listings of folders.
fn convert(
    args: &Args,
    target: Format,
    files: &[PathBuf],
    path: Option<&Path>,
    listed: &Arc<ImageFinder>,
    bar: &ProgressBar,
) -> anyhow::Result<ConvertReport> {
    bar.set_message("reading");
    let options = args.options(listed)?;
    let loaded = load(&locate(files, options.load.game_files().as_deref()), &options.load)?;
    if path.is_none() {
        bar.suspend(|| super::print_diagnostics(&loaded.diagnostics, &loaded.sources));
    }
    let skinning = |model: &Model| {
        bar.inc(1);
        bar.set_message("converting");
        args.skinning.skinning(model, files, &args.load).map_err(|error| Error::Option(format!("{error:#}")))
    };
    let converted = convert_loaded(loaded, files, path.unwrap_or(&args.output), target, &options, skinning)?;
    bar.inc(1);
    ensure!(!args.load.limit().is_short(), "the model is converted again with more memory");
    bar.set_message("writing");
    converted.write(args.force || args.newer)?;
    bar.inc(1);
    bar.set_message("checking");
    Ok(ConvertReport::new(converted, target, &options, args.format.is_json())?)
}

/// Returns the outcome for the exit code.
fn outcome(report: &ConvertReport) -> Outcome {
    if report.is_at_fault() { Outcome::AtFault } else { Outcome::Fine }
}

/// Returns the reasons why a model was not converted, one sentence each.
pub fn messages(error: &anyhow::Error) -> Vec<String> {
    match error.downcast_ref() {
        Some(LoadError::File { diagnostics, .. }) => {
            let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
            errors.map(|found| format!("{}: {}", found.code, found.message)).collect()
        }
        Some(error) => vec![error.to_string()],
        None => vec![format!("{error:#}")],
    }
}

#[cfg(all(test, feature = "window"))]
mod tests {
    use super::*;

    #[test]
    fn the_windows_options_count_for_what_it_converts() {
        let folder = tempfile::tempdir().unwrap();
        let converted = |options: &[&str]| {
            let command = SceneArgs::augment_args(clap::Command::new("play").no_binary_name(true));
            let like = SceneArgs::from_arg_matches(&command.try_get_matches_from(options).unwrap()).unwrap();
            let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5mesh");
            let output = folder.path().join("a.glb").into_os_string();
            described(vec!["--force".into(), "--output".into(), output, mesh.into()], like)
        };
        assert!(converted(&[]).is_ok_and(|report| report.text.contains("a.glb") && !report.is_at_fault));
        let refused = format!("{:#}", converted(&["--max-memory", "1K"]).unwrap_err());
        assert!(refused.contains("--max-memory"), "{refused}");
    }
}
