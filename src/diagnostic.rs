//! What is to be said about a file: our own type is the truth, codespan-reporting only draws it.

use bindpose_parsers::{LineIndex, Position, Span};
use codespan_reporting::diagnostic as drawn;
use codespan_reporting::files::{Error as DrawError, Files};
use codespan_reporting::term;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How much a finding matters; the order is from harmless to grave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is wrong; something could be nicer.
    Hint,
    /// Worth knowing.
    Info,
    /// Loads; the result is likely wrong, or depends on the engine.
    Warning,
    /// A loader must refuse the file or reads it wrong.
    Error,
}

/// Index of a file in [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(u32);

/// A place in a file and what to say about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The file.
    pub source: SourceId,
    /// The bytes.
    pub span: Span,
    /// Lower case, no full stop; may be empty.
    pub message: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, free of severity, such as `MD5M014`.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// One sentence, lower case, no full stop, with the offending value and the bound.
    pub message: String,
    /// Where; `None` when it concerns a file as a whole that cannot be read.
    pub primary: Option<Label>,
    /// Other places that matter, perhaps in another file.
    pub secondary: Vec<Label>,
    /// Which object: `mesh[2].weight[117]`.
    pub path: Option<String>,
    /// What an engine does, how to mend it.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// A finding at one place.
    pub fn new(
        code: &'static str,
        severity: Severity,
        message: impl Into<String>,
        source: SourceId,
        span: Span,
    ) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            primary: Some(Label { source, span, message: String::new() }),
            secondary: Vec::new(),
            path: None,
            notes: Vec::new(),
        }
    }

    /// Adds a note.
    pub fn with_note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds a second place.
    pub fn with_label(mut self, source: SourceId, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label { source, span, message: message.into() });
        self
    }
}

/// One file's bytes and name.
#[derive(Debug)]
pub struct Source {
    /// As the user gave it, or as it was found.
    pub path: PathBuf,
    /// The whole file.
    pub bytes: Vec<u8>,
    lines: OnceLock<LineIndex>,
    /// For drawing only: the bytes as text of the same length, every byte that is not ASCII replaced.
    text: OnceLock<String>,
}

impl Source {
    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        self.lines.get_or_init(|| LineIndex::new(&self.bytes)).position(offset)
    }

    /// Whether there are no lines to speak of: a 0 byte among the first thousand.
    pub fn is_binary(&self) -> bool {
        self.bytes.iter().take(1000).any(|&byte| byte == 0)
    }

    fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let printable = |&byte: &u8| if byte.is_ascii() && byte != 0 { char::from(byte) } else { '?' };
            self.bytes.iter().map(printable).collect()
        })
    }
}

/// The files that diagnostics point into.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, bytes: Vec<u8>) -> SourceId {
        self.files.push(Source { path: path.into(), bytes, lines: OnceLock::new(), text: OnceLock::new() });
        SourceId(self.files.len() as u32 - 1)
    }

    /// The file of an id that this set gave out.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// The path of a file.
    pub fn path(&self, id: SourceId) -> &Path {
        &self.get(id).path
    }

    /// All ids in order of addition.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.files.len() as u32).map(SourceId)
    }
}

/// How much of the source to draw with a diagnostic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// The offending lines with carets, labels and notes.
    Human,
    /// One line: `file:line:column: severity[code]: message`.
    Short,
}

/// Draws one diagnostic as text without colours.
pub fn render(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    // Only a span outside its file can make drawing fail; the message must not be lost for it.
    term::emit_into_string(&config(style), sources, &to_drawn(diagnostic, sources))
        .unwrap_or_else(|_| format!("{}: {}\n", diagnostic.code, diagnostic.message))
}

/// Draws one diagnostic on a terminal or file, coloured if `out` is.
pub fn emit(
    diagnostic: &Diagnostic,
    sources: &Sources,
    style: Style,
    out: &mut dyn codespan_reporting::term::termcolor::WriteColor,
) -> std::io::Result<()> {
    match term::emit_to_write_style(out, &config(style), sources, &to_drawn(diagnostic, sources)) {
        Ok(()) => Ok(()),
        Err(DrawError::Io(error)) => Err(error),
        Err(_) => writeln!(out, "{}: {}", diagnostic.code, diagnostic.message),
    }
}

fn config(style: Style) -> term::Config {
    let display_style = match style {
        Style::Human => term::DisplayStyle::Rich,
        Style::Short => term::DisplayStyle::Short,
    };
    term::Config { display_style, ..term::Config::default() }
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

impl<'a> Files<'a> for Sources {
    type FileId = SourceId;
    type Name = String;
    type Source = &'a str;

    fn name(&'a self, id: SourceId) -> Result<String, DrawError> {
        Ok(self.get(id).path.display().to_string())
    }

    fn source(&'a self, id: SourceId) -> Result<&'a str, DrawError> {
        Ok(self.get(id).text())
    }

    fn line_index(&'a self, id: SourceId, byte: usize) -> Result<usize, DrawError> {
        Ok(self.get(id).position(Span::new(byte, byte).start).line as usize - 1)
    }

    fn line_range(&'a self, id: SourceId, line: usize) -> Result<Range<usize>, DrawError> {
        let source = self.get(id);
        source
            .lines
            .get_or_init(|| LineIndex::new(&source.bytes))
            .line_range(line, source.bytes.len())
            .ok_or(DrawError::LineTooLarge { given: line, max: 0 })
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
        let drawn = |source, start, style| {
            let found = Diagnostic::new("MD5M000", Severity::Error, "wrong word", source, Span::new(start, start + 3));
            render(&found, &sources, style)
        };
        let human = drawn(text, 4, Style::Human);
        assert!(human.contains("a.md5mesh:2:1") && human.contains("two ? three") && human.contains("^^^"), "{human}");
        assert_eq!(drawn(text, 4, Style::Short), "a.md5mesh:2:1: error[MD5M000]: wrong word\n");
        let human = drawn(binary, 16, Style::Human);
        assert!(human.contains("at byte 16 of b.x"), "{human}");
    }
}
