//! The commands, one file each: its arguments with their help, and what it does.

#[cfg(feature = "render")]
pub mod bench;
#[cfg(feature = "render")]
pub mod compare;
#[cfg(feature = "render")]
pub mod doctor;
pub mod dump;
pub mod explain;
pub mod info;
pub mod methods;
#[cfg(feature = "render")]
pub mod play;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "render")]
mod scene;
pub mod snapshot;
mod table;
pub mod validate;

use bindpose::diagnostic::{Diagnostic, Sources};
use bindpose::load::LoadError;
use bindpose::validate::draw;
use codespan_reporting::term::termcolor::{ColorChoice, StandardStream};
use std::io::{self, IsTerminal};

/// How a command ended; the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: a file is at fault, or something differs.
    AtFault,
}

/// Draws diagnostics on stderr, in colour on a terminal.
fn print_diagnostics(diagnostics: &[Diagnostic], sources: &Sources) -> std::io::Result<()> {
    let colour = if std::io::stderr().is_terminal() { ColorChoice::Auto } else { ColorChoice::Never };
    let mut out = StandardStream::stderr(colour);
    diagnostics.iter().try_for_each(|found| draw::emit(found, sources, &mut out))
}

/// Says why files made no model: at fault with the places drawn, or an error of usage or I/O.
fn load_failed(error: LoadError) -> anyhow::Result<Outcome> {
    match error {
        LoadError::File { sources, diagnostics } => {
            print_diagnostics(&diagnostics, &sources)?;
            Ok(Outcome::AtFault)
        }
        error => Err(error.into()),
    }
}

/// Whether whoever reads the output has seen enough, such as `head`.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|cause| cause.downcast_ref::<io::Error>());
    kinds.into_iter().any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
