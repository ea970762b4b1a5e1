//! Errors and warnings of the glTF import.

use crate::budget::Exceeded;
use bindpose_parsers::Span;
use std::fmt;

/// Extension for the colour of highlights.
pub(super) const SPECULAR: &str = "KHR_materials_specular";
/// Reason why a file became no model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// JSON pointer such as `/accessors/3`. Empty for the file as a whole.
    pub pointer: String,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// Bytes of the file.
    pub span: Span,
    /// True if a larger memory limit would help.
    pub is_memory: bool,
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.pointer.is_empty() {
            true => out.write_str(&self.message),
            false => write!(out, "{}: {}", self.pointer, self.message),
        }
    }
}

impl Error {
    pub(super) fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into(), span: Span::default(), is_memory: false }
    }

    pub(super) fn memory(pointer: impl Into<String>, exceeded: &Exceeded) -> Self {
        Self { is_memory: true, ..Self::new(pointer, exceeded.to_string()) }
    }
}

/// Function that reports an oddity: code, JSON pointer, sentence.
pub(super) type Warn<'a> = dyn FnMut(&'static str, &str, String) + 'a;
