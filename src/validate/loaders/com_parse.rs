//! Quake's oldest tokenizer (`COM_Parse`), still used by Q2PRO, FTEQW and yquake2remaster: only white space ends a
//! word, and strings have no escapes.

use super::{Fallible, lose};
use crate::verdict::{File, Verdict};
use bindpose_parsers::Span;

/// Treatment of a word that does not fit into the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooLong {
    /// The rest is dropped.
    Cut,
    /// The rest becomes the next word.
    Split,
    /// The word becomes empty.
    Emptied,
}

/// Differences between the engines' tokenizers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dialect {
    /// True if `/* … */` is a comment.
    pub block_comments: bool,
    /// Largest number of bytes in a word.
    pub room: usize,
    /// Treatment of longer words.
    pub too_long: TooLong,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'a> {
    /// Text without quotes. Empty at the end of the file.
    pub text: &'a [u8],
    /// Span of the text, without quotes.
    pub span: Span,
}

impl Word<'_> {
    pub fn printed(&self) -> String {
        String::from_utf8_lossy(self.text).into_owned()
    }
}

/// Position of the tokenizer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Offset of the next byte.
    At(usize),
    /// The engine's pointer is null.
    End,
    /// The pointer is past the byte that ends the text, because a string was not closed.
    Behind,
}

/// Reader of the words of a file.
#[derive(Debug, Clone)]
pub(super) struct Words<'a> {
    /// File up to the first NUL.
    bytes: &'a [u8],
    dialect: Dialect,
    position: Position,
    last: Span,
}

impl<'a> Words<'a> {
    pub fn new(file: File<'a>, dialect: Dialect) -> Self {
        Self { bytes: file.text(), dialect, position: Position::At(0), last: Span::default() }
    }

    /// True if the last word ended at the end of the file, or there was no word.
    pub fn is_at_end(&self) -> bool {
        self.position == Position::End
    }

    /// Returns the span of the last word.
    pub fn last(&self) -> Span {
        self.last
    }

    /// Returns the rest of the text.
    pub fn rest(&self) -> &'a [u8] {
        match self.position {
            Position::At(at) => self.bytes.get(at..).unwrap_or_default(),
            Position::End | Position::Behind => &[],
        }
    }

    /// Advances by a number of bytes.
    pub fn advance(&mut self, bytes: usize) {
        if let Position::At(at) = &mut self.position {
            *at += bytes;
        }
    }

    /// Returns the line number of the current position, from 1.
    pub fn line(&self) -> usize {
        let read = match self.position {
            Position::At(at) => self.bytes.get(..at).unwrap_or(self.bytes),
            Position::End | Position::Behind => self.bytes,
        };
        1 + read.iter().filter(|&&byte| byte == b'\n').count()
    }

    /// Reads the next word. Returns `None` if the tokenizer reads memory after the text.
    pub fn next(&mut self) -> Option<Word<'a>> {
        let at = match self.position {
            Position::Behind => return None,
            Position::End => None,
            Position::At(at) => skip_white_space(self.bytes, at, self.dialect.block_comments),
        };
        let Some(start) = at else {
            self.position = Position::End;
            self.last = Span::new(self.bytes.len(), self.bytes.len());
            return Some(Word { text: &[], span: self.last });
        };
        let is_string = self.bytes.get(start) == Some(&b'"');
        let start = start + usize::from(is_string);
        let rest = self.bytes.get(start..).unwrap_or_default();
        let ends = |byte: u8| if is_string { byte == b'"' } else { is_white_space(byte) };
        let room = self.dialect.room;
        // For an overlong word that is read in pieces, the first piece is enough here.
        let seen = match self.dialect.too_long {
            TooLong::Split => rest.get(..=room).unwrap_or(rest),
            TooLong::Cut | TooLong::Emptied => rest,
        };
        let length = seen.iter().position(|&byte| ends(byte));
        let whole = length.unwrap_or(seen.len());
        let is_split = self.dialect.too_long == TooLong::Split && whole >= room && (is_string || whole > room);
        let kept = match self.dialect.too_long {
            TooLong::Emptied if whole > room => 0,
            _ => whole.min(room),
        };
        self.position = match (is_split, is_string, length) {
            (true, ..) => Position::At(start + room),
            (false, true, None) => Position::Behind,
            (false, true, Some(length)) => Position::At(start + length + 1),
            (false, false, _) => Position::At(start + whole),
        };
        self.last = Span::new(start, start + if is_split { room } else { whole });
        Some(Word { text: rest.get(..kept).unwrap_or_default(), span: self.last })
    }

    /// Reads the next word as [`Self::next`] does. Reading after the text is undefined behaviour.
    pub fn read(&mut self, verdict: &mut Verdict) -> Fallible<Word<'a>> {
        let before = self.last;
        self.next().map_or_else(|| lose(verdict, before), Ok)
    }
}

/// Skips white space and comments. `None` at the end.
pub(crate) fn skip_white_space(bytes: &[u8], mut at: usize, block_comments: bool) -> Option<usize> {
    loop {
        let rest = bytes.get(at..)?;
        at += rest.iter().position(|&byte| !is_white_space(byte))?;
        match bytes.get(at..)? {
            rest @ [b'/', b'/', ..] => at += rest.iter().position(|&byte| byte == b'\n')?,
            [b'/', b'*', body @ ..] if block_comments => {
                at += 2 + body.windows(2).position(|pair| pair == b"*/")? + 2;
            }
            _ => return Some(at),
        }
    }
}

/// True for white space: characters are compared as signed numbers, so it includes bytes from 0x80.
pub(crate) fn is_white_space(byte: u8) -> bool {
    (byte as i8) <= 0x20
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &[u8], dialect: Dialect) -> Vec<String> {
        let mut words = Words::new(File { bytes: text, name: "" }, dialect);
        let mut found = Vec::new();
        while let Some(word) = words.next() {
            if words.is_at_end() {
                break;
            }
            found.push(word.printed());
        }
        found
    }

    #[test]
    fn words_end_at_white_space_alone() {
        let dialect = Dialect { block_comments: true, room: 4, too_long: TooLong::Cut };
        assert_eq!(split(b"a{b \"c d\"e /* x */ f\x80g // h\ni\0j", dialect), ["a{b", "c d", "e", "f", "g", "i"]);
        let without = Dialect { block_comments: false, ..dialect };
        assert_eq!(split(b"/* x */", without), ["/*", "x", "*/"]);
    }

    #[test]
    fn long_words_are_cut_split_or_emptied() {
        let dialect = |too_long| Dialect { block_comments: true, room: 4, too_long };
        let text = b"abcd abcdefghij \"12345\" z";
        assert_eq!(split(text, dialect(TooLong::Cut)), ["abcd", "abcd", "1234", "z"]);
        assert_eq!(split(text, dialect(TooLong::Emptied)), ["abcd", "", "", "z"]);
        // The rest of a string becomes a word, and its closing quote starts another string.
        assert_eq!(split(text, dialect(TooLong::Split)), ["abcd", "abcd", "efgh", "ij", "1234", "5\"", "z"]);
    }

    #[test]
    fn a_string_without_an_end_is_read_beyond() {
        let dialect = Dialect { block_comments: true, room: 9, too_long: TooLong::Cut };
        let mut words = Words::new(File { bytes: b"a \"b", name: "" }, dialect);
        assert_eq!(words.next().expect("a word").text, b"a");
        assert_eq!(words.next().expect("a word").text, b"b");
        assert!(words.next().is_none());
    }
}
