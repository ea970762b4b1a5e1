//! The commands, one file each, with arguments, help and implementation.

#[cfg(feature = "render")]
pub mod bench;
#[cfg(feature = "render")]
pub mod compare;
pub mod complete;
pub mod conformance;
pub mod convert;
#[cfg(feature = "render")]
pub mod doctor;
pub mod dump;
mod engine;
pub mod explain;
mod format_arg;
pub mod generate;
mod image_args;
#[cfg(feature = "render")]
mod image_difference;
pub mod info;
mod load_args;
pub mod ls;
pub mod methods;
pub mod mistakes;
pub mod output;
mod own_methods;
#[cfg(feature = "render")]
pub mod play;
#[cfg(feature = "render")]
mod record;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "render")]
mod scene;
mod shaders_arg;
pub mod signals;
pub mod snapshot;
mod table;
mod turns;
pub mod validate;
#[cfg(feature = "render")]
mod view;

use anyhow::{Context, ensure};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::diagnostic::{Diagnostic, Severity, Sources};
use bindpose::import::by_extension;
use bindpose::left_out::LeftOut;
use bindpose::load::LoadError;
use bindpose::read;
use bindpose::validate::codes::{self, Code, Group};
use bindpose::validate::draw;
use bindpose_core::{json, write};
use bindpose_parsers::counted;
use clap::builder::{OsStringValueParser, TypedValueParser};
use codespan_reporting::term::termcolor::BufferWriter;
use output::tell;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Reads settings from `given`, or from the nearest `bindpose.toml` in the current folder or above, if there is one.
/// Refuses a found link that leads out of its folder, because errors quote the file.
fn settings<T: DeserializeOwned + Default>(given: Option<&Path>, memory: MemoryLimit) -> anyhow::Result<T> {
    const NAME: &str = "bindpose.toml";
    let here = std::env::current_dir().unwrap_or_default();
    let path = match given {
        Some(path) => path.to_owned(),
        None => {
            let nearest = here.ancestors().find(|folder| folder.join(NAME).is_file());
            let Some(folder) = nearest else { return Ok(T::default()) };
            let path = folder.join(NAME);
            read::check_inside(&path, &[folder]).context("a link is followed only if --config names it")?;
            path
        }
    };
    let text = read::text(&path, &Budget::new(memory))?;
    toml::from_str(&text).with_context(|| format!("cannot understand {}", path.display()))
}

/// Parses the name of what a command writes, unless it is `-`: standard output cannot hold several files.
fn output_path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(|name| match name == "-" {
        true => Err("files are written, and not to standard output: give a name"),
        false => Ok(PathBuf::from(name)),
    })
}

/// Writes a file atomically, and creates its folder. A model is not replaced.
fn write_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let target = path.canonicalize();
    let is_model = target.is_ok_and(|target| by_extension(&target).is_some());
    ensure!(!is_model, "{} is a model or a clip; only `bindpose convert --force` replaces those", path.display());
    let written: anyhow::Result<u64> = write::replace(path, write);
    written.map(drop).with_context(|| format!("cannot write {}", path.display()))
}

/// Writes a file of a folder that the user named, as [`write_whole`] does. No link leads out of the folder.
fn write_in(
    folder: &Path,
    name: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let path = folder.join(name);
    write::check_below(&path, folder).with_context(|| format!("cannot write {}", path.display()))?;
    write_whole(&path, write)
}

/// Writes a text file as [`write_in`] does.
fn write_text_in(folder: &Path, name: impl AsRef<Path>, text: &str) -> anyhow::Result<()> {
    write_in(folder, name, |file| Ok(file.write_all(text.as_bytes())?))
}

/// Writes a text file as [`write_whole`] does.
fn write_text(path: &Path, text: &str) -> anyhow::Result<()> {
    write_whole(path, |file| Ok(file.write_all(text.as_bytes())?))
}

/// Prints a value as JSON.
fn print_json(out: &mut dyn Write, value: &impl Serialize) -> anyhow::Result<()> {
    Ok(writeln!(out, "{}", json::indented(value)?)?)
}

/// Result of a command, in increasing order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: a file is at fault, or something differs.
    AtFault,
}

impl Outcome {
    /// Returns the outcome of a model without these parts: at fault if a file is to blame for one.
    fn of(left_out: &[LeftOut]) -> Self {
        if left_out.iter().any(LeftOut::is_fault) { Self::AtFault } else { Self::Fine }
    }
}

/// Formats a report about a model as JSON, with the parts that the model lacks as a field `left_out`.
#[cfg(feature = "render")]
fn report_json(report: &impl Serialize, left_out: &[LeftOut]) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Whole<'a, R> {
        #[serde(flatten)]
        report: &'a R,
        left_out: &'a [LeftOut],
    }
    json::indented(&Whole { report, left_out })
}

/// Reduces the severity of a repair to that of its code in `validate`.
fn as_grave_as_validate_says(mut found: Diagnostic) -> Diagnostic {
    let is_repair = found.severity == Severity::Warning;
    let is_read = |code: &&Code| matches!(code.group, Group::X | Group::Mesh | Group::Anim | Group::Camera);
    if let Some(code) = codes::find(found.code).filter(|code| is_repair && is_read(code)) {
        found.severity = code.severity.min(Severity::Warning);
    }
    found
}

/// Returns the repairs that `validate` also reports as warnings, and errors.
fn warnings(diagnostics: &[Diagnostic]) -> Vec<Diagnostic> {
    let found = diagnostics.iter().cloned().map(as_grave_as_validate_says);
    found.filter(|found| found.severity >= Severity::Warning).collect()
}

/// Largest number of diagnostics printed for one file; `bindpose validate` sorts and counts all of them.
const MOST_DRAWN: usize = 20;

/// Prints diagnostics to stderr. Write errors are ignored.
fn print_diagnostics(diagnostics: &[Diagnostic], sources: &Sources) {
    let stderr = BufferWriter::stderr(output::Colours::of(&std::io::stderr()));
    let mut text = stderr.buffer();
    let drawn = diagnostics.iter().take(MOST_DRAWN).try_for_each(|found| draw::emit(found, sources, &mut text));
    if drawn.and_then(|()| stderr.print(&text)).is_ok() && diagnostics.len() > MOST_DRAWN {
        tell!("and {} more; `bindpose validate` lists them all", diagnostics.len() - MOST_DRAWN);
    }
}

/// Prints an error, and help if a file is missing.
pub fn tell_error(error: &anyhow::Error) {
    tell!("bindpose: {error:#}");
    if let Some(help) = mistakes::help_for(error) {
        tell!("help: {help}");
    }
}

/// Prints an error of one path, which does not stop the others. Returns the number of failures: 1.
fn tell_failure(error: &anyhow::Error) -> usize {
    tell_error(error);
    1
}

/// Returns an error if paths failed, so that the exit code is 2.
fn check_failed(count: usize) -> anyhow::Result<()> {
    let paths = counted(count, "path", "paths");
    ensure!(count == 0, "{paths} could not be read or written; the others are done");
    Ok(())
}

/// Reports why files could not be loaded: prints diagnostics, or returns a usage or I/O error.
fn load_failed(error: LoadError) -> anyhow::Result<Outcome> {
    match error {
        LoadError::File { sources, diagnostics } => {
            print_diagnostics(&diagnostics, &sources);
            Ok(Outcome::AtFault)
        }
        error => Err(error.into()),
    }
}
