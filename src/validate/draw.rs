//! Findings as text with the lines that they point at: codespan-reporting draws what [`Diagnostic`] says.

use bindpose_core::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use bindpose_parsers::Span;
use codespan_reporting::diagnostic as drawn;
use codespan_reporting::files::{Error as DrawError, Files};
use codespan_reporting::term;
use std::ops::Range;

/// Draws one diagnostic as text without colours.
pub fn text(diagnostic: &Diagnostic, sources: &Sources) -> String {
    // Only a span outside its file can make drawing fail; the message must not be lost for it.
    term::emit_into_string(&term::Config::default(), &Drawable(sources), &to_drawn(diagnostic, sources))
        .unwrap_or_else(|_| format!("{}: {}\n", diagnostic.code, diagnostic.message))
}

/// Draws one diagnostic on a terminal or file, coloured if `out` is.
pub fn emit(
    diagnostic: &Diagnostic,
    sources: &Sources,
    out: &mut dyn codespan_reporting::term::termcolor::WriteColor,
) -> std::io::Result<()> {
    match term::emit_to_write_style(out, &term::Config::default(), &Drawable(sources), &to_drawn(diagnostic, sources)) {
        Ok(()) => Ok(()),
        Err(DrawError::Io(error)) => Err(error),
        Err(_) => writeln!(out, "{}: {}", diagnostic.code, diagnostic.message),
    }
}

/// Places in binary files become notes with the byte's offset: they have no lines to draw.
fn to_drawn(diagnostic: &Diagnostic, sources: &Sources) -> drawn::Diagnostic<SourceId> {
    let severity = match diagnostic.severity {
        Severity::Error => drawn::Severity::Error,
        Severity::Warning => drawn::Severity::Warning,
        Severity::Info => drawn::Severity::Note,
        Severity::Hint => drawn::Severity::Help,
    };
    let primary = diagnostic.primary.iter().map(|place| (drawn::LabelStyle::Primary, place));
    let secondary = diagnostic.secondary.iter().map(|place| (drawn::LabelStyle::Secondary, place));
    let (in_bytes, in_lines): (Vec<_>, Vec<_>) =
        primary.chain(secondary).partition(|(_, place)| sources.get(place.source).is_binary());
    let labels = in_lines
        .into_iter()
        .map(|(style, place)| drawn::Label::new(style, place.source, place.span.range()).with_message(&place.message));
    let offsets = in_bytes.into_iter().map(|(_, place)| {
        let said = if place.message.is_empty() { String::new() } else { format!(": {}", place.message) };
        format!("at byte {} of {}{said}", place.span.start, sources.path(place.source).display())
    });
    drawn::Diagnostic::new(severity)
        .with_code(diagnostic.code)
        .with_message(&diagnostic.message)
        .with_labels(labels.collect())
        .with_notes(offsets.chain(diagnostic.notes.iter().cloned()).collect())
}

/// The files as codespan-reporting asks for them.
struct Drawable<'s>(&'s Sources);

impl<'a> Files<'a> for Drawable<'_> {
    type FileId = SourceId;
    type Name = String;
    type Source = &'a str;

    fn name(&'a self, id: SourceId) -> Result<String, DrawError> {
        Ok(self.0.get(id).path.display().to_string())
    }

    fn source(&'a self, id: SourceId) -> Result<&'a str, DrawError> {
        Ok(self.0.get(id).text())
    }

    fn line_index(&'a self, id: SourceId, byte: usize) -> Result<usize, DrawError> {
        Ok(self.0.get(id).position(Span::new(byte, byte).start).line as usize - 1)
    }

    fn line_range(&'a self, id: SourceId, line: usize) -> Result<Range<usize>, DrawError> {
        self.0.get(id).line_range(line).ok_or(DrawError::LineTooLarge { given: line, max: 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_drawn_with_its_line_and_binary_with_its_offset() {
        let mut sources = Sources::default();
        let text = sources.add("a.md5mesh", b"one\ntwo \xff three\n".to_vec());
        let binary = sources.add("b.x", b"xof 0303bin 0032\x0a\0".to_vec());
        let drawn = |source, start| {
            let found = Diagnostic::new("MD5M000", Severity::Error, "wrong word", source, Span::new(start, start + 3));
            super::text(&found, &sources)
        };
        let human = drawn(text, 4);
        assert!(human.contains("a.md5mesh:2:1") && human.contains("two ? three") && human.contains("^^^"), "{human}");
        let human = drawn(binary, 16);
        assert!(human.contains("at byte 16 of b.x"), "{human}");
    }
}
