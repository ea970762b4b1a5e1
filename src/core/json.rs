//! Values as text of JSON that a terminal only prints, in one form for all reports.

use crate::escape::EscapedLines;
use serde::Serialize;

/// Formats a value as JSON in one line.
///
/// # Errors
///
/// A map whose keys are no texts.
pub fn line(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(EscapedLines(serde_json::to_string(value)?).to_string())
}

/// Formats a value as indented JSON without a line end.
///
/// # Errors
///
/// A map whose keys are no texts.
pub fn indented(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(EscapedLines(serde_json::to_string_pretty(value)?).to_string())
}
