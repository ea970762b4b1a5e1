//! Reasons why files became no model.

use crate::diagnostic::{Diagnostic, Sources};
use crate::import::importer::ImportFailure;
use crate::read::ReadError;

/// Reason why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The files do not belong together: two models, say.
    #[error("{0}")]
    Usage(String),
    /// A clip moves no joint of the model: it belongs to another skeleton.
    #[error("{0}")]
    OtherSkeleton(String),
    /// A file breaks its format; the last diagnostic is the reason.
    #[error("{}", diagnostics.last().map_or("a file is at fault", |last| &last.message))]
    File {
        /// The files that the diagnostics point into.
        sources: Sources,
        /// At least one.
        diagnostics: Vec<Diagnostic>,
    },
}

impl LoadError {
    /// Adds the files, and the diagnostics found before the failure.
    pub(super) fn new(failure: ImportFailure, sources: Sources, mut diagnostics: Vec<Diagnostic>) -> Self {
        match failure {
            ImportFailure::Read(error) => Self::Read(error),
            ImportFailure::Usage(message) => Self::Usage(message),
            ImportFailure::OtherSkeleton(message) => Self::OtherSkeleton(message),
            ImportFailure::File(diagnostic) => {
                diagnostics.push(*diagnostic);
                Self::File { sources, diagnostics }
            }
        }
    }
}
