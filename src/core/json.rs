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

#[cfg(test)]
mod tests {
    #[test]
    fn texts_contain_nothing_that_a_terminal_would_obey() {
        let name = "a\u{1b}\"\u{9b}\u{e9}\u{202e}\u{7f}";
        let text = super::line(&[name]).unwrap();
        assert_eq!(text, "[\"a\\u001b\\\"\\u009b\u{e9}\\u202e\\u007f\"]");
        for text in [text, super::indented(&[name]).unwrap()] {
            assert_eq!(serde_json::from_str::<[String; 1]>(&text).unwrap(), [name]);
        }
    }
}
