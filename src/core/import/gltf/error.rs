//! Errors and warnings of the glTF import.

use crate::budget::Exceeded;
use crate::import::error::Warning;
use crate::left_out::Part;
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

/// Function that reports a finding at a JSON pointer.
pub(super) type Warn<'a> = dyn FnMut(&str, Warning) + 'a;

/// Creates a finding, which gets its position from its JSON pointer.
pub(super) fn oddity(code: &'static str, message: impl Into<String>) -> Warning {
    Warning::new(code, message, Span::default())
}

/// Creates the finding for a part of the file that is not read.
pub(super) fn unread(part: Part, name: &str, message: impl Into<String>) -> Warning {
    oddity("GLI001", message).leaving_out(part, name)
}
