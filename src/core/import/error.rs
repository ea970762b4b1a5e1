//! Repairs and failures of the importers.

use crate::budget::{Exceeded, grouped};
use crate::diagnostic::{Diagnostic, Severity, SourceId};
use bindpose_parsers::Span;

/// A repair or a contradiction that an importer found.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Stable code, as in [`Diagnostic::code`].
    pub code: &'static str,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Bytes of the imported file.
    pub span: Span,
}

impl Warning {
    pub(crate) fn into_diagnostic(self, source: SourceId) -> Diagnostic {
        Diagnostic::new(self.code, Severity::Warning, self.message, source, self.span)
    }
}

/// Reason why a document became no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct ImportError {
    /// The exceeded limit.
    pub fault: ImportFault,
    /// Bytes of the imported file.
    pub span: Span,
}

/// A limit that a document exceeds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportFault {
    /// Not enough memory is left in the budget.
    #[error(transparent)]
    Memory(#[from] Exceeded),
    /// More items than 32-bit indices can address.
    #[error("{what}; at most {} can be read", grouped(u64::from(u32::MAX)))]
    Count {
        /// The items with their number: "4,900,000,000 weights of mesh 3".
        what: String,
    },
}

impl ImportError {
    pub(crate) fn new(fault: impl Into<ImportFault>, span: Span) -> Self {
        Self { fault: fault.into(), span }
    }

    pub(crate) fn into_diagnostic(self, source: SourceId) -> Diagnostic {
        Diagnostic::new("IO005", Severity::Error, self.to_string(), source, self.span)
    }
}
