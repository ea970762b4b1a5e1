//! Documents into the one model.
//!
//! The only place that knows the formats' maths conventions; every repair and every disagreement is a [`Warning`].

pub mod md5;
pub mod shading;
pub mod x;

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
