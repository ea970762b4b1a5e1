//! Reasons why files became no model.

use crate::diagnostic::{Diagnostic, Sources};
use crate::import::Loaded;
use crate::import::error::Mismatch;
use crate::import::importer::ImportFailure;
use crate::read::ReadError;

/// Reason why loading failed.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The files do not belong together, or lack something that the options request.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// A failure in a caller's own step of loading.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// A file breaks its format. The last diagnostic is the reason.
    #[error("{}", diagnostics.last().map_or("a file is at fault", |last| &last.message))]
    File {
        /// Files that the diagnostics point into.
        sources: Sources,
        /// Diagnostics, at least one.
        diagnostics: Vec<Diagnostic>,
    },
}

impl LoadError {
    /// Creates an error with the sources and the diagnostics found before the failure.
    pub(super) fn new(failure: ImportFailure, loaded: Loaded) -> Self {
        match failure {
            ImportFailure::Read(error) => Self::Read(error),
            ImportFailure::Mismatch(mismatch) => Self::Mismatch(mismatch),
            ImportFailure::File(diagnostic) => {
                let Loaded { sources, mut diagnostics, .. } = loaded;
                diagnostics.push(*diagnostic);
                Self::File { sources, diagnostics }
            }
        }
    }
}
