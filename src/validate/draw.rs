//! Rendering of [`Diagnostic`]s with their source lines, by codespan-reporting.

use bindpose_core::diagnostic::{Diagnostic, Escaped, EscapedLines, Label, Severity, SourceId, Sources, cut};
use bindpose_parsers::Span;
use codespan_reporting::files::{Error as DrawError, Files};
use codespan_reporting::{diagnostic as drawn, term};
use std::ops::Range;

/// Renders one diagnostic as text without colours.
///
/// Long lines are cut to a window around the fault, and control characters for the terminal are escaped.
pub fn text(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let mut drawable = Drawable::new(sources);
    let drawn = to_drawn(diagnostic, &mut drawable);
    // Rendering can fail only for a span outside its file. Then the message is still returned.
    term::emit_into_string(&term::Config::default(), &drawable, &drawn)
        .unwrap_or_else(|_| format!("{}: {}\n", diagnostic.code, Escaped(&diagnostic.message)))
}

/// Writes one diagnostic to a terminal or file, with colours if `out` supports them; otherwise as [`text`].
///
/// This takes many small writes, so `out` should be buffered.
pub fn emit(
    diagnostic: &Diagnostic,
    sources: &Sources,
    out: &mut dyn codespan_reporting::term::termcolor::WriteColor,
) -> std::io::Result<()> {
    let mut drawable = Drawable::new(sources);
    let drawn = to_drawn(diagnostic, &mut drawable);
    match term::emit_to_write_style(out, &term::Config::default(), &drawable, &drawn) {
        Ok(()) => Ok(()),
        Err(DrawError::Io(error)) => Err(error),
        Err(_) => writeln!(out, "{}: {}", diagnostic.code, Escaped(&diagnostic.message)),
    }
}

/// Number of bytes shown of a long line.
const WINDOW: usize = 160;
/// Number of these bytes before the span.
const BEFORE: usize = 60;
/// Largest number of bytes shown of a message or note.
const LONGEST: usize = 2000;

/// Positions in binary files become notes with the byte offset, because there are no lines to show. So do positions
/// outside the shown window of a long line.
fn to_drawn(diagnostic: &Diagnostic, drawable: &mut Drawable) -> drawn::Diagnostic<SourceId> {
    let severity = match diagnostic.severity {
        Severity::Error => drawn::Severity::Error,
        Severity::Warning => drawn::Severity::Warning,
        Severity::Info => drawn::Severity::Note,
        Severity::Hint => drawn::Severity::Help,
    };
    let primary = diagnostic.primary.iter().map(|place| (drawn::LabelStyle::Primary, place));
    let secondary = diagnostic.secondary.iter().map(|place| (drawn::LabelStyle::Secondary, place));
    let mut labels = Vec::new();
    let mut notes = Vec::new();
    for (style, place) in primary.chain(secondary) {
        let source = drawable.sources.get(place.source);
        match drawable.show(place) {
            Some(range) => {
                let message = cut(Escaped(&place.message).to_string(), LONGEST);
                labels.push(drawn::Label::new(style, place.source, range).with_message(message));
            }
            None => {
                let said = if place.message.is_empty() { String::new() } else { format!(": {}", place.message) };
                let at = match source.is_binary() {
                    true => format!("byte {}", place.span.start),
                    false => source.position(place.span.start).to_string(),
                };
                notes.push(cut(Escaped(format!("at {at} of {}{said}", source.path.display())).to_string(), LONGEST));
            }
        }
    }
    notes.extend(
        drawable
            .windows
            .iter()
            .map(|window| format!("line {} has {} bytes; a piece of it is shown", window.line + 1, window.whole.len())),
    );
    notes.extend(diagnostic.notes.iter().map(|note| cut(EscapedLines(note).to_string(), LONGEST)));
    drawn::Diagnostic::new(severity)
        .with_code(diagnostic.code)
        .with_message(cut(Escaped(&diagnostic.message).to_string(), LONGEST))
        .with_labels(labels)
        .with_notes(notes)
}

/// Shown window of a long line.
struct Window {
    source: SourceId,
    /// Line number, counted from 0.
    line: usize,
    /// Byte range of the line.
    whole: Range<usize>,
    /// Byte range that is shown.
    shown: Range<usize>,
}

/// Files as seen by codespan-reporting, with long lines cut.
struct Drawable<'s> {
    sources: &'s Sources,
    windows: Vec<Window>,
}

impl<'s> Drawable<'s> {
    fn new(sources: &'s Sources) -> Self {
        Self { sources, windows: Vec::new() }
    }

    /// Returns the range to be marked for a position, on its first line. Cuts a long line around it. Returns `None` if
    /// there is no such line, or if it is already cut elsewhere.
    fn show(&mut self, place: &Label) -> Option<Range<usize>> {
        let source = self.sources.get(place.source);
        if source.is_binary() {
            return None;
        }
        let length = source.bytes.len();
        let start = source.character_at((place.span.start as usize).min(length));
        let line = source.position(start as u32).line as usize - 1;
        let whole = source.line_range(line)?;
        let end = source.character_at((place.span.end as usize).clamp(start, whole.end.max(start)));
        if whole.len() <= WINDOW {
            return Some(start..end);
        }
        let known = self.windows.iter().find(|window| window.source == place.source && window.line == line);
        let shown = match known {
            Some(window) => window.shown.clone(),
            None => {
                let from = start.saturating_sub(BEFORE).max(whole.start).min(whole.end.saturating_sub(WINDOW));
                let shown = source.character_at(from)..source.character_at((from + WINDOW).min(whole.end));
                self.windows.push(Window { source: place.source, line, whole, shown: shown.clone() });
                shown
            }
        };
        (shown.contains(&start) || start == shown.end).then(|| start..end.min(shown.end))
    }
}

impl<'a> Files<'a> for Drawable<'_> {
    type FileId = SourceId;
    type Name = String;
    type Source = &'a str;

    fn name(&'a self, id: SourceId) -> Result<String, DrawError> {
        Ok(Escaped(self.sources.get(id).path.display()).to_string())
    }

    fn source(&'a self, id: SourceId) -> Result<&'a str, DrawError> {
        Ok(self.sources.get(id).text())
    }

    fn line_index(&'a self, id: SourceId, byte: usize) -> Result<usize, DrawError> {
        Ok(self.sources.get(id).position(Span::new(byte, byte).start).line as usize - 1)
    }

    fn column_number(&'a self, id: SourceId, _: usize, byte: usize) -> Result<usize, DrawError> {
        Ok(self.sources.get(id).position(Span::new(byte, byte).start).column as usize)
    }

    fn line_range(&'a self, id: SourceId, line: usize) -> Result<Range<usize>, DrawError> {
        if let Some(window) = self.windows.iter().find(|window| window.source == id && window.line == line) {
            return Ok(window.shown.clone());
        }
        let source = self.sources.get(id);
        let whole = source.line_range(line).ok_or(DrawError::LineTooLarge { given: line, max: 0 })?;
        Ok(whole.start..source.character_at(whole.end.min(whole.start + WINDOW)))
    }
}
