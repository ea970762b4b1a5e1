//! Reads names, shaders and command lines.

use super::Text;
use super::error::{Error, ErrorKind};
use super::lex::{Lexer, name, quoted, skip};
use super::warning::WarningKind;
use crate::Span;
use std::borrow::Cow;

impl<'a> Lexer<'a> {
    /// Reads a name or shader: a string, adjacent strings joined, or a bare word.
    pub(super) fn text(&mut self, expected: &'static str) -> Result<Text<'a>, Error> {
        self.skip_blanks();
        if self.rest().starts_with(b"\"") {
            return self.string();
        }
        let start = self.offset();
        let (rest, bytes, kind) = match quoted(b'\'', self.rest()) {
            Ok((rest, bytes)) => (rest, bytes, WarningKind::SingleQuotes),
            Err(_) => {
                let (rest, bytes) = name(self.rest()).map_err(|_| self.expected(expected))?;
                (rest, bytes, WarningKind::UnquotedText)
            }
        };
        self.set_rest(rest);
        self.warn(kind, start);
        Ok(Text { bytes: bytes.into(), span: self.span_from(start) })
    }

    /// Reads the text after a keyword. A bare word on another line counts as the next keyword.
    pub(super) fn text_of(&mut self, keyword: Span, expected: &'static str) -> Result<Text<'a>, Error> {
        self.skip_blanks();
        let between = self.whole().get(keyword.end as usize..self.offset()).unwrap_or_default();
        if between.contains(&self.line_end) && !self.rest().starts_with(b"\"") {
            return Err(self.lacking(expected));
        }
        self.text(expected)
    }

    // string ::= '"' bytes '"' { '"' bytes '"' }
    fn string(&mut self) -> Result<Text<'a>, Error> {
        let start = self.offset();
        let mut bytes = Cow::Borrowed(self.piece()?);
        let mut span = self.span_from(start);
        loop {
            self.skip_blanks();
            if !self.rest().starts_with(b"\"") {
                return Ok(Text { bytes, span });
            }
            let next = self.piece()?;
            bytes.to_mut().extend_from_slice(next);
            span = self.span_from(start);
            self.warnings.push(WarningKind::JoinedStrings, span);
        }
    }

    /// Reads one string, without its quotes.
    fn piece(&mut self) -> Result<&'a [u8], Error> {
        match quoted(b'"', self.rest()) {
            Ok((rest, bytes)) => {
                self.set_rest(rest);
                Ok(bytes)
            }
            Err(_) => {
                let start = self.offset();
                let tail = skip(self.rest(), |byte| byte != b'\n');
                let kind = if tail.is_empty() { ErrorKind::UnclosedString } else { ErrorKind::NewlineInString };
                Err(Error { kind, span: Span::new(start, self.whole().len() - tail.len()) })
            }
        }
    }

    /// Reads the value of `commandline` (at `keyword`): a string, or the words up to the end of the line.
    ///
    /// One of `keywords` ends it too, because a file may be one line. Nothing depends on this text, so nothing in it is
    /// an error.
    pub(super) fn command_line(&mut self, keyword: Span, keywords: &[&str]) -> Text<'a> {
        if let Some(text) = self.command_words(keywords) {
            return text;
        }
        // The string can be on a separate line.
        self.skip_blanks();
        if self.rest().starts_with(b"\"")
            && let Some(text) = self.command_words(keywords)
        {
            return text;
        }
        self.warnings.push(WarningKind::EmptyCommandLine, keyword);
        Text { bytes: Cow::Borrowed(b""), span: Span { start: keyword.end, end: keyword.end } }
    }

    /// Reads the strings and bare words on the current line. Returns `None` if there are none.
    fn command_words(&mut self, keywords: &[&str]) -> Option<Text<'a>> {
        self.set_rest(skip(self.rest(), |byte| matches!(byte, b' ' | b'\t')));
        let start = self.offset();
        let mut strings: Option<Cow<'a, [u8]>> = None;
        let (mut bare, mut is_open) = (false, false);
        let mut span = Span::new(start, start);
        loop {
            self.set_rest(skip(self.rest(), |byte| matches!(byte, b' ' | b'\t')));
            if self.rest().starts_with(b"\"") {
                is_open |= quoted(b'"', self.rest()).is_err();
                let bytes = self.command_string();
                match &mut strings {
                    None => strings = Some(Cow::Borrowed(bytes)),
                    Some(strings) => {
                        strings.to_mut().extend_from_slice(bytes);
                        self.warn(WarningKind::JoinedStrings, start);
                    }
                }
            } else {
                let comment = self.rest().starts_with(b"//") || self.rest().starts_with(b"/*");
                let rest = skip(self.rest(), |byte| byte > b' ' && byte != b'"');
                let word = self.whole().get(self.offset()..self.whole().len() - rest.len()).unwrap_or_default();
                if comment || word.is_empty() || begins_section(word, rest, keywords) {
                    break;
                }
                self.set_rest(rest);
                bare = true;
            }
            span = self.span_from(start);
        }
        if bare {
            // Any of the quotes could belong to the text, so keep all. A missing quote has been reported.
            if !is_open {
                self.warnings.push(WarningKind::UnquotedCommandLine, span);
            }
            return Some(Text { bytes: self.whole().get(span.range()).unwrap_or_default().into(), span });
        }
        strings.map(|bytes| Text { bytes, span })
    }

    /// Reads a string. Without a closing quote it ends with its line.
    fn command_string(&mut self) -> &'a [u8] {
        if let Ok((rest, bytes)) = quoted(b'"', self.rest()) {
            self.set_rest(rest);
            return bytes;
        }
        let start = self.offset();
        let rest = skip(self.rest(), |byte| byte != b'\n' && byte != b'\r');
        self.set_rest(rest);
        self.warn(WarningKind::UnclosedCommandLine, start);
        self.whole().get(start + 1..self.offset()).unwrap_or_default()
    }
}

/// True if `word` is one of the `keywords` and not part of a command line such as "mesh models/imp.mb": a count, or
/// a block with its brace in `rest`.
fn begins_section(word: &[u8], rest: &[u8], keywords: &[&str]) -> bool {
    let count = word.starts_with(b"num") || word == b"frameRate";
    let block = skip(rest, |byte| matches!(byte, b' ' | b'\t')).starts_with(b"{");
    (count || block) && keywords.iter().any(|keyword| keyword.as_bytes() == word)
}
