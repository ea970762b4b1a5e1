//! Findings about files, and the files that they point into.

use crate::escape::is_plain;
pub use crate::escape::{Escaped, EscapedLines, is_harmless};
use bindpose_parsers::{LineIndex, Position, Span};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fmt, iter};

/// Severity of a finding, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Severity {
    /// Nothing is wrong, but something could be improved.
    Hint,
    /// Information without a fault.
    Info,
    /// The file loads, but the result is probably wrong or depends on the engine.
    Warning,
    /// A loader must refuse the file, or reads it wrongly.
    Error,
}

/// Formats the severity as in JSON: `error`.
impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Hint => "hint",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// Index of a file in [`Sources`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(u32);

/// Position in a file, with a message about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Source file of the position.
    pub source: SourceId,
    /// Bytes that the message is about.
    pub span: Span,
    /// Lower case, no full stop. May be empty.
    pub message: String,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, independent of the severity, such as `MD5M014`.
    pub code: &'static str,
    /// Seriousness, from a hint to an error.
    pub severity: Severity,
    /// One sentence, lower case, no full stop, with the offending value and the bound.
    pub message: String,
    /// Main position. `None` if the finding is about an unreadable file as a whole.
    pub primary: Option<Label>,
    /// Further relevant positions, possibly in other files.
    pub secondary: Vec<Label>,
    /// Path of the object: `mesh[2].weight[117]`.
    pub path: Option<String>,
    /// Behaviour of engines, and ways to fix it.
    pub notes: Vec<String>,
}

/// Formats `warning[MD5M014]: message in mesh[2].weight[117]`, escaped for a terminal; [`Sources`] provides file and
/// line.
impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}[{}]: {}", self.severity, self.code, Escaped(&self.message))?;
        self.path.as_ref().map_or(Ok(()), |path| write!(out, " in {}", Escaped(path)))
    }
}

impl Diagnostic {
    /// Creates a finding at one position.
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

    /// Creates a warning without a position in a file.
    pub fn general(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Warning,
            message: message.into(),
            primary: None,
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

    /// Adds a second position.
    pub fn with_label(mut self, source: SourceId, span: Span, message: impl Into<String>) -> Self {
        self.secondary.push(Label { source, span, message: message.into() });
        self
    }
}

/// Cuts text whose length a file chooses to about `most` bytes, and appends the original length.
pub fn cut(mut text: String, most: usize) -> String {
    let length = text.len();
    if length > most {
        let end = (0..=most).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push_str(&format!("… ({length} bytes)"));
    }
    text
}

/// One file's bytes and name.
#[derive(Debug)]
pub struct Source {
    /// Path as given by the user or found by a search.
    pub path: PathBuf,
    /// The whole file. For a compressed file the unpacked bytes, to which positions refer.
    pub bytes: Vec<u8>,
    packed: Option<Vec<u8>>,
    lines: OnceLock<LineIndex>,
    text: OnceLock<String>,
}

impl Source {
    fn new(path: PathBuf, bytes: Vec<u8>) -> Self {
        Self { path, bytes, packed: None, lines: OnceLock::new(), text: OnceLock::new() }
    }

    /// Returns the line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        self.lines.get_or_init(|| LineIndex::new(&self.bytes)).position(offset)
    }

    /// Returns the bytes as stored in the file, from which digests are computed.
    pub fn file_bytes(&self) -> &[u8] {
        self.packed.as_deref().unwrap_or(&self.bytes)
    }

    /// True if one of the first 1000 bytes is 0.
    pub fn is_binary(&self) -> bool {
        self.bytes.iter().take(1000).any(|&byte| byte == 0)
    }

    /// Returns the range of a line, counted from 0, including its line end. Returns `None` after the last line.
    pub fn line_range(&self, line: usize) -> Option<Range<usize>> {
        self.lines.get_or_init(|| LineIndex::new(&self.bytes)).line_range(line, self.bytes.len())
    }

    /// Returns the printable text of the same length: `?` replaces every byte that is not UTF-8 or that controls a
    /// terminal, except tabs and line ends.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| {
            let mut text = String::with_capacity(self.bytes.len());
            for chunk in self.bytes.utf8_chunks() {
                for line in chunk.valid().split_inclusive('\n') {
                    let inner = line.strip_suffix('\n').map_or(line, |inner| inner.strip_suffix('\r').unwrap_or(inner));
                    if is_plain(inner.as_bytes()) {
                        text.push_str(line);
                        continue;
                    }
                    for letter in inner.chars() {
                        match letter == '\t' || is_harmless(letter) {
                            true => text.push(letter),
                            false => text.extend(iter::repeat_n('?', letter.len_utf8())),
                        }
                    }
                    text.push_str(&line[inner.len()..]);
                }
                text.extend(iter::repeat_n('?', chunk.invalid().len()));
            }
            text
        })
    }

    /// Returns the nearest offset up to `offset` at which a character of [`Source::text`] begins.
    pub fn character_at(&self, offset: usize) -> usize {
        (0..=offset).rev().find(|&at| self.text().is_char_boundary(at)).unwrap_or(0)
    }
}

/// Files that diagnostics point into.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<PathBuf>, bytes: Vec<u8>) -> SourceId {
        self.files.push(Source::new(path.into(), bytes));
        SourceId(self.files.len() as u32 - 1)
    }

    /// Replaces the bytes of a compressed file by its unpacked bytes. [`Source::file_bytes`] keeps the packed ones.
    pub(crate) fn set_unpacked(&mut self, id: SourceId, unpacked: Vec<u8>) {
        let file = &mut self.files[id.0 as usize];
        let packed = std::mem::replace(&mut file.bytes, unpacked);
        *file = Source {
            packed: Some(packed),
            ..Source::new(std::mem::take(&mut file.path), std::mem::take(&mut file.bytes))
        };
    }

    /// Returns the file of an id from this set.
    pub fn get(&self, id: SourceId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// Returns the path of a file.
    pub fn path(&self, id: SourceId) -> &Path {
        &self.get(id).path
    }

    /// Frees the bytes of all files, and keeps their paths.
    pub fn free_bytes(&mut self) {
        for file in &mut self.files {
            *file = Source::new(std::mem::take(&mut file.path), Vec::new());
        }
    }

    /// Returns all ids in order of addition.
    pub fn ids(&self) -> impl Iterator<Item = SourceId> + use<> {
        (0..self.files.len() as u32).map(SourceId)
    }
}

#[cfg(test)]
mod tests {
    use super::{Sources, cut};

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(cut("name".into(), 4), "name");
        assert_eq!(cut("n\u{e9}me".into(), 2), "n… (5 bytes)");
    }

    #[test]
    fn drawn_text_has_its_length_and_nothing_to_obey() {
        let mut sources = Sources::default();
        let id = sources.add("a", b"a\x1b[m\tb\r\nc\rd\x7f\xc2\x9b\0\xe4\xbd\x93\xe4\xbd\xe2\x80\xae".to_vec());
        assert_eq!(sources.get(id).text(), "a?[m\tb\r\nc?d????\u{4f53}?????");
    }
}
