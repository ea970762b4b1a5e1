//! Positions in a file: byte spans, and lines and columns that are computed from them on demand.

/// A range of bytes `start..end` in one file.
///
/// Stored instead of line and column because it is eight bytes, exact, and cheap. [`LineIndex`] converts it. Files over
/// 4 GiB are refused before an offset could overflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Offset of the first byte, counted from 0.
    pub start: u32,
    /// Offset after the last byte. Equal to `start` for a point, such as the end of the file.
    pub end: u32,
}

impl Span {
    /// Returns the span `start..end`. Offsets past `u32::MAX` saturate.
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// Returns the smallest span that contains both.
    pub fn to(self, other: Span) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Returns the range for slicing the file's bytes.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Line and column, as editors show them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, counted from 1. Lines end at `\n`, and a `\r` before it belongs to the line end. In a file without any `\n`,
    /// lines end at `\r`.
    pub line: u32,
    /// Column in bytes, counted from 1. Bytes are counted because files are not always UTF-8.
    pub column: u32,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Line starts of one file. Converts offsets to [`Position`]s in logarithmic time.
#[derive(Debug, Clone)]
pub struct LineIndex {
    /// Offset of the first byte of every line. Never empty.
    starts: Vec<u32>,
}

impl LineIndex {
    /// Creates the index in one pass over `bytes`.
    pub fn new(bytes: &[u8]) -> Self {
        let line_end = if memchr::memchr(b'\n', bytes).is_some() { b'\n' } else { b'\r' };
        let after_newlines = memchr::memchr_iter(line_end, bytes).map(|offset| Span::new(offset + 1, offset + 1).start);
        Self { starts: std::iter::once(0).chain(after_newlines).collect() }
    }

    /// Returns the line and column of the byte at `offset`. An offset past the end is in the last line.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.starts.partition_point(|&start| start <= offset);
        Position { line: line as u32, column: offset - self.starts[line - 1] + 1 }
    }

    /// Returns the byte range of a line (counted from 0) of a file of `length` bytes, including its line end.
    pub fn line_range(&self, line: usize, length: usize) -> Option<std::ops::Range<usize>> {
        let start = *self.starts.get(line)? as usize;
        let end = self.starts.get(line + 1).map_or(length, |&next| next as usize);
        Some(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one_and_lines_end_at_newline() {
        let index = LineIndex::new(b"ab\r\ncd\n");
        let at = |offset| index.position(offset).to_string();
        assert_eq!(at(0), "1:1");
        assert_eq!(at(1), "1:2");
        assert_eq!(at(4), "2:1");
        assert_eq!(at(7), "3:1");
    }

    #[test]
    fn lines_end_at_cr_where_there_is_no_newline() {
        let index = LineIndex::new(b"ab\rcd");
        assert_eq!(index.position(4).to_string(), "2:2");
    }
}
