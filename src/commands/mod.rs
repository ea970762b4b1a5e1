//! The commands, one file each: its arguments with their help, and what it does.

#[cfg(feature = "render")]
pub mod bench;
#[cfg(feature = "render")]
pub mod compare;
pub mod convert;
#[cfg(feature = "render")]
pub mod doctor;
pub mod dump;
pub mod explain;
pub mod info;
pub mod methods;
pub mod output;
#[cfg(feature = "render")]
pub mod play;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "render")]
mod scene;
#[cfg(unix)]
pub mod signals;
pub mod snapshot;
mod table;
pub mod validate;
#[cfg(feature = "render")]
mod view;

use bindpose::budget::{Budget, MemoryLimit};
use bindpose::diagnostic::{Diagnostic, Severity, Sources};
use bindpose::load::LoadError;
use bindpose::read::ReadError;
use bindpose::validate::codes::{self, Group};
use bindpose::validate::draw;
use codespan_reporting::term::termcolor::{BufferWriter, ColorChoice};
use output::tell;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::OnceLock;

/// What `--max-memory` says, once [`allow_memory`] was called.
static MAX_MEMORY: OnceLock<MemoryLimit> = OnceLock::new();

/// Sets what files may ask for in this run of the program.
pub fn allow_memory(limit: MemoryLimit) {
    MAX_MEMORY.get_or_init(|| limit);
}

/// How large files may be, and how much memory they may ask for.
fn memory() -> MemoryLimit {
    MAX_MEMORY.get().copied().unwrap_or_default()
}

/// A file's bytes.
fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    bindpose::read::file(path, &Budget::new(memory()))
}

/// How a command ended; the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: a file is at fault, or something differs.
    AtFault,
}

/// What a lenient reading of a .x file repaired, no louder than `validate` says it.
fn as_grave_as_validate_says(mut found: Diagnostic) -> Diagnostic {
    let is_repair = found.severity == Severity::Warning;
    if let Some(code) = codes::find(found.code).filter(|code| is_repair && code.group == Group::X) {
        found.severity = code.severity.min(Severity::Warning);
    }
    found
}

/// Diagnostics that are drawn of one file; `bindpose validate` sorts and counts them all.
const MOST_DRAWN: usize = 20;

/// Draws diagnostics on stderr, in colour on a terminal. That nobody reads them is no reason to stop.
fn print_diagnostics(diagnostics: &[Diagnostic], sources: &Sources) {
    let colour = if std::io::stderr().is_terminal() { ColorChoice::Auto } else { ColorChoice::Never };
    let stderr = BufferWriter::stderr(colour);
    let mut text = stderr.buffer();
    let drawn = diagnostics.iter().take(MOST_DRAWN).try_for_each(|found| draw::emit(found, sources, &mut text));
    if drawn.and_then(|()| stderr.print(&text)).is_ok() && diagnostics.len() > MOST_DRAWN {
        tell!("and {} more; `bindpose validate` lists them all", diagnostics.len() - MOST_DRAWN);
    }
}

/// Says why files made no model: at fault with the places drawn, or an error of usage or I/O.
fn load_failed(error: LoadError) -> anyhow::Result<Outcome> {
    match error {
        LoadError::File { sources, diagnostics } => {
            print_diagnostics(&diagnostics, &sources);
            Ok(Outcome::AtFault)
        }
        error => Err(error.into()),
    }
}
