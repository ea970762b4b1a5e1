//! Documents into the one model.
//!
//! The only place that knows the formats' maths conventions; every repair and every disagreement is a [`Warning`].

#[cfg(feature = "gltf")]
pub mod gltf;
pub mod md5;
pub mod shading;
pub mod x;

use crate::budget::{Exceeded, grouped};
use bindpose_parsers::Span;

/// A repair that import made, or a disagreement that it found.
#[derive(Debug, Clone, PartialEq)]
pub struct Warning {
    /// Stable code, as in [`crate::diagnostic::Diagnostic::code`].
    pub code: &'static str,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Where in the file that was imported.
    pub span: Span,
}

/// Why a document became no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct ImportError {
    /// What does not fit.
    pub fault: ImportFault,
    /// Where in the file that was imported.
    pub span: Span,
}

/// What a document asks for that cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportFault {
    /// More memory than there is in the budget.
    #[error(transparent)]
    Memory(#[from] Exceeded),
    /// More of something than the model can count.
    #[error("{what}; at most {} can be read", grouped(u64::from(u32::MAX)))]
    Count {
        /// What there is too much of, with the number: "4,900,000,000 weights of mesh 3".
        what: String,
    },
}

impl ImportError {
    fn new(fault: impl Into<ImportFault>, span: Span) -> Self {
        Self { fault: fault.into(), span }
    }
}
