//! Words of a file as the Quake engines read them: one global token, no line numbers, no token types
//! (docs/formats/engines.md "Words and order"; Quake/common.c, COM_Parse).
//!
//! The parser's lexer cannot be used, because it distinguishes and repairs words. These engines split a file into words
//! regardless of context, and accept any word as a number.

use super::super::loaders::com_parse::{is_white_space, skip_white_space};
use crate::c::{strtol_any, strtoull_any};
use crate::verdict::File;
use bindpose_parsers::Span;

/// Scans the word at `start`: range of its text, and the position after it.
fn word(bytes: &[u8], start: usize) -> ((usize, usize), usize) {
    let rest = bytes.get(start..).unwrap_or_default();
    let single = |byte: u8| matches!(byte, b'{' | b'}' | b'(' | b')' | b'\'');
    match rest.first() {
        Some(b'"') => {
            let inside = rest.get(1..).unwrap_or_default();
            let length = inside.iter().position(|&byte| byte == b'"').unwrap_or(inside.len());
            ((start + 1, start + 1 + length), start + 1 + (length + 1).min(inside.len()))
        }
        Some(&byte) if single(byte) || byte == b':' => ((start, start + 1), start + 1),
        _ => {
            let tail = rest.get(1..).unwrap_or_default();
            let length = 1 + tail.iter().position(|&byte| is_white_space(byte) || single(byte)).unwrap_or(tail.len());
            ((start, start + length), start + length)
        }
    }
}

/// Reader of a file's words. The current word is the engine's global token.
#[derive(Debug, Clone)]
pub struct TokenReader<'a> {
    /// Path as printed by the engine.
    pub name: &'a str,
    bytes: &'a [u8],
    /// Span of the current word without quotes. `None` at the end.
    current: Option<Span>,
    /// Offset from which the next word is searched.
    next: usize,
    /// Number of characters in the engine's token buffer.
    limit: usize,
    /// Overlong word, after which all words are empty.
    overlong: Option<Span>,
}

impl<'a> TokenReader<'a> {
    pub fn new(file: File<'a>, limit: usize) -> Self {
        let mut cursor = Self { name: file.name, bytes: file.text(), current: None, next: 0, limit, overlong: None };
        cursor.read();
        cursor
    }

    /// Reads the next word.
    fn read(&mut self) {
        let start = skip_white_space(self.bytes, self.next, true);
        self.current = start.map(|start| {
            let ((from, to), next) = word(self.bytes, start);
            self.next = next;
            Span::new(from, to)
        });
    }

    /// Returns the span of the current word. Returns an empty span at the end of the file.
    pub fn span(&self) -> Span {
        let end = self.bytes.len();
        self.current.unwrap_or_else(|| Span::new(end, end))
    }

    pub fn is_lost(&self) -> bool {
        self.overlong.is_some()
    }

    /// Returns the first word that does not fit in the token buffer.
    pub fn overlong(&self) -> Option<Span> {
        self.overlong
    }

    pub fn is_at_end(&self) -> bool {
        self.is_lost() || self.current.is_none()
    }

    pub fn text(&self) -> &'a [u8] {
        if self.is_at_end() {
            return &[];
        }
        let text = self.bytes.get(self.span().range()).unwrap_or_default();
        text.get(..self.limit).unwrap_or(text)
    }

    /// Returns the current word, as in a message.
    pub fn printed(&self) -> String {
        String::from_utf8_lossy(self.text()).into_owned()
    }

    pub fn advance(&mut self) {
        if let Some(span) = self.current {
            if span.range().len() > self.limit {
                self.overlong.get_or_insert(span);
            }
            self.read();
        }
    }

    /// Advances if the current word is `wanted`.
    pub fn check(&mut self, wanted: &str) -> bool {
        let found = self.text() == wanted.as_bytes();
        if found {
            self.advance();
        }
        found
    }

    /// Reads a number like `strtoull` with base 0: octal and hexadecimal are accepted, and a minus wraps around.
    pub fn unsigned(&mut self) -> u64 {
        let value = strtoull_any(self.text());
        self.advance();
        value
    }

    /// Reads a number as [`Self::unsigned`] does, and returns its span.
    pub fn number(&mut self) -> (u64, Span) {
        let span = self.span();
        (self.unsigned(), span)
    }

    /// Reads a number like `strtol` with base 0, in 64 bits.
    pub fn signed(&mut self) -> i64 {
        let value = strtol_any(self.text());
        self.advance();
        value
    }

    pub fn skip(&mut self, words: u64) {
        for _ in 0..words {
            if self.current.is_none() {
                break;
            }
            self.advance();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_braces_and_keep_quotes_inside() {
        let bytes = b"a{b}(c)\"d e\"f'g:h i\"j /*x*/k//l\nm\x80n\0o";
        let mut cursor = TokenReader::new(File { bytes, name: "" }, 1023);
        let mut texts = Vec::new();
        while !cursor.is_at_end() {
            texts.push(cursor.printed());
            cursor.advance();
        }
        assert_eq!(texts, ["a", "{", "b", "}", "(", "c", ")", "d e", "f", "'", "g:h", "i\"j", "k//l", "m", "n"]);
    }
}
