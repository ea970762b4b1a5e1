//! `bindpose convert`

mod args;
mod batch;
mod check;
mod clip_args;
mod clips;
mod conversion;
mod edits;
mod report;
mod subjects;
mod target;

use super::load_args::locate;
use super::output::{self, Output, tell};
#[cfg(feature = "window")]
use super::scene::SceneArgs;
use super::{Outcome, print_json};
#[cfg(feature = "window")]
use anyhow::anyhow;
use anyhow::{Context, bail};
pub use args::{Args, profile};
use bindpose::export::{self, Loss, NewName, own_frame_rate};
use bindpose::image_search::ImageFinder;
use bindpose::load::{self, LoadError};
use bindpose::model::{Clip, Model};
use bindpose::read;
use bindpose_core::write;
use check::{WrittenFindings, check};
#[cfg(feature = "window")]
use clap::{Args as _, FromArgMatches};
use conversion::Conversion;
use edits::{edit, loaded_rate};
use indicatif::ProgressBar;
use report::{ClipReport, ConvertReport, Failure, ReadWarning, ReportedLoss, WrittenFile, messages};
use std::path::{Path, PathBuf};
use std::sync::Arc;
#[cfg(feature = "window")]
use std::{ffi::OsString, io::Write};
use subjects::Subjects;
pub use target::Target;

/// Runs the command. The outcome is at fault if a file is, or if the validator finds an error in the result.
pub fn run(args: &Args, out: &mut Output) -> anyhow::Result<Outcome> {
    let target = args.target()?;
    if batch::is_asked_for(args, target)? {
        return batch::run(args, target, out);
    }
    let bar = output::progress(4, "steps");
    let converted = convert(args, target, &args.files, None, &Arc::default(), &bar);
    bar.finish_and_clear();
    let report = match converted {
        Ok(Ok(report)) => report,
        Ok(Err(error)) => {
            if args.format.is_json() {
                print_json(out, &Failure { errors: messages(&error) })?;
            }
            return super::load_failed(error);
        }
        Err(error) => {
            if args.format.is_json() {
                print_json(out, &Failure { errors: vec![format!("{error:#}")] })?;
            }
            return Err(error);
        }
    };
    if args.format.is_json() {
        print_json(out, &report)?;
    } else {
        report.print(out)?;
        tell!("{}", report.drawn.trim_end());
    }
    Ok(report.outcome())
}

/// Runs the command for one model with these arguments, without printing, and with the options of the window's files.
/// Returns the report and the findings as text.
///
/// # Errors
///
/// Wrong arguments, files that cannot be read or written.
#[cfg(feature = "window")]
pub fn described(arguments: Vec<OsString>, like: SceneArgs) -> anyhow::Result<String> {
    let command = Args::augment_args(clap::Command::new("convert").no_binary_name(true));
    let mut args = Args::from_arg_matches(&command.try_get_matches_from(arguments)?)?;
    args.ticks_per_second = like.ticks_per_second;
    args.load.memory = like.load.memory;
    args.load.game = like.load.game;
    args.load.skin = like.load.skin;
    args.wanted_images = like.images;
    let path = args.output.clone();
    let report = convert(&args, args.target()?, &args.files, Some(&path), &Arc::default(), &ProgressBar::hidden())?;
    let report = report.map_err(|error| anyhow!(messages(&error).join("\n")))?;
    let mut text = Vec::new();
    report.print(&mut text)?;
    report.warnings.iter().try_for_each(|warning| writeln!(text, "  warning: {}", warning.message))?;
    Ok(String::from_utf8_lossy(&text).into_owned() + &report.drawn)
}

/// Converts one model to `path`, or to the path that follows from the options and the model's name. Prints diagnostics
/// of the files if it is the only model. All models share the listings of folders.
fn convert(
    args: &Args,
    target: Target,
    files: &[PathBuf],
    path: Option<&Path>,
    listed: &Arc<ImageFinder>,
    bar: &ProgressBar,
) -> anyhow::Result<Result<ConvertReport, LoadError>> {
    bar.set_message("reading");
    let mut options = args.load.options()?;
    options.clips.find = !args.no_clips;
    options.clips.folders = Some(Arc::clone(listed));
    options.import.ticks_per_second = args.ticks_per_second;
    let mut loaded = match load::load(&locate(files, options.game_files().as_deref()), &options) {
        Ok(loaded) => loaded,
        Err(error) => return Ok(Err(error)),
    };
    if path.is_none() {
        bar.suspend(|| super::print_diagnostics(&loaded.diagnostics, &loaded.sources));
    }
    let rates: Vec<(String, f64)> =
        loaded.model.clips.iter().map(|clip| (clip.name.clone(), rate_of(clip, None))).collect();
    let (mut notes, mut losses, mut names) = (Vec::new(), Vec::new(), Vec::new());
    if clips::choose(Arc::make_mut(&mut loaded.model), args, target, &mut notes, &mut losses, &mut names)? {
        // Frames count at the joined clip's rate.
        loaded.ticks_per_second = None;
    }
    edit(Arc::make_mut(&mut loaded.model), target, args, &mut notes, &mut losses, &mut names)?;
    let path = path.map_or_else(|| output_path(args, target, &loaded.model), Path::to_owned);
    let own = files.first().filter(|_| !names_file(args, target)).map(|file| read::stem_of(file));
    if let Some(own) = own.filter(|own| *own != read::stem_of(&path)) {
        notes.push(format!("the file is {}, because Windows reserves the name '{own}'", path.display()));
    }
    bar.inc(1);
    bar.set_message("converting");
    let skinning = args.skinning.skinning(&loaded.model, files, &args.load)?;
    let conversion = Conversion::new(&loaded, target, &path, args, files, listed);
    let mut left_out = loaded.left_out.clone();
    let mut output = conversion.run(target, skinning, &mut notes, &mut left_out)?;
    bar.inc(1);
    losses.append(&mut output.losses);
    let mut written = output.at(&path);
    if args.only_clips {
        written.remove(0);
    }
    bar.set_message("writing");
    write_all(&written, args.force || args.newer, &path)?;
    let files = written.iter().map(|(path, bytes)| WrittenFile { path: path.clone(), bytes: bytes.len() as u64 });
    let files = files.collect();
    bar.inc(1);
    bar.set_message("checking");
    names.extend(losses.iter().flat_map(Loss::new_names).cloned());
    let subjects = Subjects::new(&loaded.model, &names, &written);
    let checked = target.family().map(|family| check(written, family, args, &subjects)).transpose()?;
    let WrittenFindings { counts, json: validation, drawn } = checked.unwrap_or_default();
    Ok(Ok(ConvertReport {
        format: target,
        front: loaded.model.front.name(),
        files,
        losses: left_out.into_iter().map(ReportedLoss::Read).chain(losses.into_iter().map(ReportedLoss::new)).collect(),
        findings: counts,
        validation,
        notes,
        warnings: loaded.diagnostics.iter().map(ReadWarning::new).collect(),
        clips: clip_reports(&loaded.model.clips, &rates, &names, args, target),
        names,
        joints: loaded.model.skeleton.joints().iter().map(|joint| joint.name.clone()).collect(),
        drawn,
    }))
}

/// Returns the clips as they were written, with the source's rates by name.
fn clip_reports(
    clips: &[Clip],
    rates: &[(String, f64)],
    names: &[NewName],
    args: &Args,
    target: Target,
) -> Vec<ClipReport> {
    let report = |clip: &Clip| {
        let fps = args.fps.or(loaded_rate(args, target)).unwrap_or_else(|| rate_of(clip, Some(target)));
        let source = names.iter().find(|name| name.to == clip.name).map_or(&clip.name, |name| &name.from);
        let source_fps = rates.iter().find(|(name, _)| name == source).map(|(_, rate)| *rate);
        ClipReport { name: clip.name.clone(), fps, frames: (clip.duration * fps).round() as u64 + 1, source_fps }
    };
    clips.iter().map(report).collect()
}

/// Returns the frames per second of a clip, a whole number if it is written as frames.
fn rate_of(clip: &Clip, target: Option<Target>) -> f64 {
    let has_frames = matches!(target, Some(Target::Md5 | Target::Iqm));
    clip.frame_rate.filter(|_| !has_frames).unwrap_or_else(|| own_frame_rate(clip))
}

/// True if the output is a file of the format, not a folder.
fn names_file(args: &Args, target: Target) -> bool {
    Target::of_extension(&args.output) == Some(target) && !args.output.is_dir()
}

/// Returns the file to write: the output itself, or a file with the model's name in that folder.
fn output_path(args: &Args, target: Target, model: &Model) -> PathBuf {
    if names_file(args, target) {
        return args.output.clone();
    }
    let name = args.files.first().map_or_else(|| model.name.clone(), |file| output_stem(file));
    args.output.join(format!("{name}.{}", target.extension()))
}

/// Returns the name of a model's output without extension: the model's own, unless it is reserved on Windows.
fn output_stem(model: &Path) -> String {
    let stem = read::stem_of(model);
    if read::is_device(&stem) || stem.ends_with('.') { export::file_name(&stem) } else { stem }
}

/// Writes all files: the one that the user named, which may be a link, and those beside it. Without `force`, writes all
/// or none, and only if none of them exists.
fn write_all(files: &[(PathBuf, Vec<u8>)], force: bool, named: &Path) -> anyhow::Result<()> {
    let folder = &read::folder_of(named);
    if force {
        for (path, bytes) in files {
            let checked = if path == named { Ok(()) } else { write::check_below(path, folder) };
            let written = checked.and_then(|()| write::replace(path, |file| file.write_all(bytes)));
            written.with_context(|| format!("cannot write {}", path.display()))?;
        }
        return Ok(());
    }
    let known: Vec<String> =
        files.iter().filter(|(path, _)| path.exists()).map(|(path, _)| path.display().to_string()).collect();
    if !known.is_empty() {
        bail!("there is already {}; --force replaces it", known.join(", "));
    }
    Ok(write::create_all(files, folder)?)
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
        assert!(converted(&[]).is_ok_and(|report| report.contains("a.glb")));
        let refused = format!("{:#}", converted(&["--max-memory", "1K"]).unwrap_err());
        assert!(refused.contains("--max-memory"), "{refused}");
    }
}
