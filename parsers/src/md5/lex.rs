//! Words of the three formats: blanks, comments and keywords (docs/formats/md5.md "Words and numbers").
//!
//! The scanners at the end are nom parsers over plain bytes. [`Lexer`] adds positions, warnings and repairs.

use super::Int;
use super::error::{Error, ErrorKind, MissingRecords};
use super::warning::{WarningKind, Warnings};
use crate::Span;
use nom::bytes::complete::{tag, take_till, take_while, take_while1};
use nom::sequence::preceded;
use nom::{IResult, Parser};
use std::borrow::Cow;

/// Result of a scanner. Errors contain no data: the lexer words them, because it knows the context.
pub(super) type Matched<'a> = IResult<&'a [u8], &'a [u8], ()>;

/// Maximum number of bytes of the file that an error quotes.
const QUOTED_BYTES: usize = 40;

/// Reader of the words of a file.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    /// The file up to its logical end.
    whole: &'a [u8],
    /// Remaining part of `whole`.
    rest: &'a [u8],
    /// `\n`, or `\r` in a file without any `\n`.
    pub(super) line_end: u8,
    /// Cause of a logical end before the last byte, with its position.
    cut: Option<(Cut, Span)>,
    /// Current list of numbers, which determines the meaning of a comma.
    pub(super) list: Option<NumberList>,
    pub(super) warnings: Warnings,
}

/// Reason why the rest of a file is hidden.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Cut {
    NulByte,
    OpenComment,
}

/// List of numbers with a known length, for example a vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct NumberList {
    /// Offset of its first byte after the opening bracket.
    pub(super) start: usize,
    /// Expected number of numbers.
    pub(super) values: usize,
    /// True if commas in the list are decimal points. `None` before the first comma.
    pub(super) decimal_commas: Option<bool>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(whole: &'a [u8]) -> Self {
        let line_end = if whole.contains(&b'\n') || !whole.contains(&b'\r') { b'\n' } else { b'\r' };
        let mut lexer = Self { whole, rest: whole, line_end, cut: None, list: None, warnings: Warnings::default() };
        if let Some(rest) = whole.strip_prefix(b"\xEF\xBB\xBF") {
            lexer.warnings.push(WarningKind::ByteOrderMark, Span::new(0, 3));
            lexer.rest = rest;
        }
        lexer
    }

    /// Returns a second lexer for `span` only, to read a record again.
    pub(super) fn again(&self, span: Span) -> Lexer<'a> {
        let end = (span.end as usize).min(self.whole.len());
        let whole = self.whole.get(..end).unwrap_or_default();
        let rest = whole.get(span.start as usize..).unwrap_or_default();
        Lexer { whole, rest, line_end: self.line_end, cut: None, list: None, warnings: Warnings::default() }
    }

    #[inline]
    pub(super) fn offset(&self) -> usize {
        self.whole.len() - self.rest.len()
    }

    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Returns the whole file up to its logical end.
    pub(super) fn whole(&self) -> &'a [u8] {
        self.whole
    }

    /// Continues at `rest`, a tail of the current rest.
    #[inline]
    pub(super) fn set_rest(&mut self, rest: &'a [u8]) {
        debug_assert!(rest.len() <= self.rest.len());
        self.rest = rest;
    }

    /// Goes back to an `offset` seen before.
    pub(super) fn rewind(&mut self, offset: usize) {
        self.rest = self.whole.get(offset..).unwrap_or_default();
    }

    /// Returns the span from `start` to the current position.
    #[inline]
    pub(super) fn span_from(&self, start: usize) -> Span {
        Span::new(start, self.offset())
    }

    pub(super) fn warn(&mut self, kind: WarningKind, start: usize) {
        let span = self.span_from(start);
        self.warnings.push(kind, span);
    }

    /// Skips white space, comments, and bytes read as white space.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.rest {
                [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] => self.rest = rest,
                [0..=0x20 | 0x80..=0xFF | b'/' | b',' | b';', ..] => {
                    if !self.skip_oddity() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// Skips one comment, or one run of bytes that only some readers accept as white space. Returns false at a token.
    #[inline(never)]
    fn skip_oddity(&mut self) -> bool {
        let start = self.offset();
        match self.rest {
            [b'/', b'/', ..] => self.line_comment(),
            [b'/', b'*', b'/', rest @ ..] => {
                self.rest = rest;
                self.warn(WarningKind::ShortComment, start);
                self.after_block_comment();
            }
            [b'/', b'*', inside @ ..] => self.block_comment(inside),
            [b'/', ..] | [] => return false,
            [0, after @ ..] => {
                let left_out = after.len();
                self.end_here(Cut::NulByte, Span::new(start, start + 1));
                self.warnings.push(WarningKind::Nul { left_out }, Span::new(start, start + 1));
            }
            [byte @ (b',' | b';'), rest @ ..] => {
                self.rest = rest;
                self.warn(WarningKind::Separator { byte: *byte }, start);
            }
            [0x80..=0xFF, rest @ ..] => {
                self.rest = skip(rest, |byte| byte >= 0x80);
                let bytes = self.whole.get(self.span_from(start).range()).unwrap_or_default();
                let is_minus = ["−", "–", "—"].into_iter().any(|minus| minus.as_bytes() == bytes);
                let is_sign = is_minus && self.rest.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
                self.warn(if is_sign { WarningKind::OtherMinus } else { WarningKind::NonAscii }, start);
            }
            [byte, rest @ ..] => {
                self.rest = rest;
                // All readers accept form feed and vertical tab as white space.
                if !matches!(byte, 0x0B | 0x0C) {
                    self.warn(WarningKind::ControlByte { byte: *byte }, start);
                }
            }
        }
        true
    }

    // line comment ::= '//' to the line end
    fn line_comment(&mut self) {
        let start = self.offset();
        let line_end = self.line_end;
        // A 0 byte ends the file, even in a comment.
        self.rest = skip(self.rest, |byte| byte != line_end && byte != 0);
        if line_end == b'\r' {
            self.warn(WarningKind::CommentBeforeCr, start);
        }
    }

    // block comment ::= '/*' to the first '*/'; `inside` is what follows '/*'
    fn block_comment(&mut self, inside: &'a [u8]) {
        let start = self.offset();
        let length = inside.windows(2).position(|pair| pair == b"*/");
        let text = length.and_then(|length| inside.get(..length)).unwrap_or(inside);
        if let Some(nested) = text.windows(2).position(|pair| pair == b"/*") {
            let at = start + 2 + nested;
            self.warnings.push(WarningKind::NestedComment, Span::new(at, at + 2));
        }
        match length {
            Some(length) => {
                self.rest = inside.get(length + 2..).unwrap_or_default();
                self.after_block_comment();
            }
            None => {
                let span = Span::new(start, self.whole.len());
                self.end_here(Cut::OpenComment, span);
                self.warnings.push(WarningKind::UnclosedComment, span);
            }
        }
    }

    /// Ends reading at the start of `span`.
    fn end_here(&mut self, cut: Cut, span: Span) {
        self.whole = self.whole.get(..span.start as usize).unwrap_or_default();
        self.rest = &[];
        self.cut = Some((cut, span));
    }

    /// Warns about the byte after a block comment, which Doom 3 skips. This is harmless for white space.
    fn after_block_comment(&mut self) {
        if let Some(&byte) = self.rest.first()
            && !(1..=0x20).contains(&byte)
        {
            let at = self.offset();
            self.warnings.push(WarningKind::SwallowedByte, Span::new(at, at + 1));
        }
    }

    /// True if only blanks are left.
    pub(super) fn at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest.is_empty()
    }

    /// True if the byte `mark` comes next.
    #[inline]
    pub(super) fn next_is(&mut self, mark: u8) -> bool {
        self.skip_blanks();
        self.rest.first() == Some(&mark)
    }

    /// Takes the punctuation `mark` if it comes next.
    #[inline]
    pub(super) fn eat(&mut self, mark: u8) -> bool {
        self.skip_blanks();
        match self.rest {
            [first, rest @ ..] if *first == mark => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// Takes the punctuation `mark` or fails.
    #[inline]
    pub(super) fn require(&mut self, mark: u8, expected: &'static str) -> Result<(), Error> {
        if self.eat(mark) { Ok(()) } else { Err(self.lacking(expected)) }
    }

    /// Takes `keyword` if exactly this word comes next. This is fast for long runs of records.
    #[inline]
    pub(super) fn eat_keyword(&mut self, keyword: &[u8]) -> Option<usize> {
        self.skip_blanks();
        let rest = self.rest.strip_prefix(keyword)?;
        if rest.first().is_some_and(|&byte| is_word(byte)) {
            return None;
        }
        let start = self.offset();
        self.rest = rest;
        Some(start)
    }

    /// Takes one of the `known` keywords, in any case and even in quotes. Returns its index and span. Takes nothing if
    /// no keyword comes next.
    pub(super) fn keyword(&mut self, known: &[&'static str]) -> Option<(usize, Span)> {
        self.skip_blanks();
        let start = self.offset();
        let (rest, word, quoted) = match quoted(b'"', self.rest) {
            Ok((rest, word)) => (rest, word, true),
            Err(_) => {
                let (rest, word) = word(self.rest).ok()?;
                (rest, word, false)
            }
        };
        let exact = known.iter().position(|keyword| keyword.as_bytes() == word);
        let index = exact.or_else(|| known.iter().position(|known| known.as_bytes().eq_ignore_ascii_case(word)))?;
        let keyword = known.get(index)?;
        self.rest = rest;
        if exact.is_none() {
            self.warn(WarningKind::KeywordCase { found: shorten(word), keyword }, start);
        }
        if quoted {
            self.warn(WarningKind::QuotedKeyword { keyword }, start);
        }
        Some((index, self.span_from(start)))
    }

    /// Skips `{ … }` with balanced braces.
    pub(super) fn skip_block(&mut self) -> Result<(), Error> {
        self.require(b'{', "'{'")?;
        let mut depth = 1_usize;
        while depth > 0 {
            let token = self.peek();
            match self.whole.get(token.range()) {
                Some(b"") | None => return Err(self.expected("'}'")),
                Some(b"{") => depth += 1,
                Some(b"}") => depth -= 1,
                Some(_) => {}
            }
            self.rewind(token.end as usize);
        }
        Ok(())
    }

    /// Returns the span of the next token. Returns an empty span at the end of the file.
    pub(super) fn peek(&mut self) -> Span {
        self.skip_blanks();
        let start = self.offset();
        let rest = quoted(b'"', self.rest).or_else(|_| name(self.rest)).map(|(rest, _)| rest);
        let rest = rest.unwrap_or_else(|_| self.rest.get(1..).unwrap_or_default());
        Span::new(start, self.whole.len() - rest.len())
    }

    /// Returns the error for a next token other than `expected`.
    #[cold]
    pub(super) fn expected(&mut self, expected: impl Into<Cow<'static, str>>) -> Error {
        let expected = expected.into();
        let span = self.peek();
        if span.start == span.end {
            return self.unexpected_end(expected);
        }
        let found = shorten(self.whole.get(span.range()).unwrap_or_default());
        Error { kind: ErrorKind::Expected { expected, found }, span }
    }

    /// Returns [`Lexer::expected`] in the middle of a record. If the next word begins a line, a word is missing at the
    /// end of the line before.
    #[cold]
    pub(super) fn lacking(&mut self, expected: &'static str) -> Error {
        let error = self.expected(expected);
        match (self.last_line_end(error.span.start), error.kind) {
            (Some(end), ErrorKind::Expected { expected, found: next }) => {
                Error { kind: ErrorKind::UnexpectedLineEnd { expected, next }, span: Span { start: end, end } }
            }
            (_, kind) => Error { kind, ..error },
        }
    }

    /// Returns the end of the word before the one at `offset`, if the latter begins a line. Reads from the beginning of
    /// the file, because only this distinguishes comments from words.
    fn last_line_end(&self, offset: u32) -> Option<u32> {
        let mut again = self.again(Span { start: 0, end: offset });
        let mut end = 0;
        while !again.at_end() {
            end = again.peek().end;
            again.rewind(end as usize);
        }
        let between = self.whole.get(end as usize..offset as usize)?;
        between.contains(&self.line_end).then_some(end)
    }

    /// Returns the error for the end of the file.
    pub(super) fn unexpected_end(&self, expected: Cow<'static, str>) -> Error {
        match self.cut {
            None => Error { kind: ErrorKind::UnexpectedEnd { expected, missing: None }, span: self.end_point() },
            Some((Cut::NulByte, span)) => Error { kind: ErrorKind::NulByte { expected }, span },
            Some((Cut::OpenComment, span)) => Error { kind: ErrorKind::OpenComment { expected }, span },
        }
    }

    /// Rewords the error of a list of records if the file ends in the list, even in the middle of a word. The missing
    /// records matter then, not the word. An error without a declared number of records keeps its expectation.
    #[cold]
    pub(super) fn ends_in_list(&self, error: Error, what: &'static str, count: Option<Int>, found: usize) -> Error {
        let is_in_word = self.whole.last().is_some_and(|&byte| is_word(byte) || matches!(byte, b'-' | b'+' | b'.'))
            && error.span.end as usize == self.whole.len();
        let expected = match error.kind {
            ErrorKind::UnexpectedEnd { expected, missing: None } => expected,
            ErrorKind::UnclosedString => "'\"'".into(),
            ErrorKind::Expected { expected, .. }
            | ErrorKind::UnexpectedLineEnd { expected, .. }
            | ErrorKind::BadNumber { expected, .. }
                if is_in_word && self.cut.is_none() =>
            {
                expected
            }
            _ => return error,
        };
        let missing = count.and_then(|count| {
            let missing = count.value.checked_sub(i64::try_from(found).ok()?).filter(|&missing| missing > 0)?;
            Some(MissingRecords { what, missing, declared: count.value })
        });
        Error { kind: ErrorKind::UnexpectedEnd { expected, missing }, span: self.end_point() }
    }

    /// True if something hides the rest of the file.
    pub(super) fn is_cut(&self) -> bool {
        self.cut.is_some()
    }

    /// Returns the end of the last word: the point where something is missing at the end of the file.
    pub(super) fn end_point(&self) -> Span {
        let end = self.whole.iter().rposition(|&byte| byte > b' ').map_or(0, |last| last + 1);
        Span::new(end, end)
    }
}

/// Returns the tail of `bytes` after the leading ones that satisfy `inside`.
pub(super) fn skip(bytes: &[u8], inside: impl Fn(u8) -> bool) -> &[u8] {
    let scan: Matched<'_> = take_while(inside).parse(bytes);
    scan.map_or(bytes, |(rest, _)| rest)
}

/// Returns a part of the file for a message, as lossy and shortened UTF-8.
pub(super) fn shorten(bytes: &[u8]) -> String {
    match bytes.get(..QUOTED_BYTES) {
        Some(start) if bytes.len() > QUOTED_BYTES => format!("{}…", String::from_utf8_lossy(start)),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// True if `byte` continues a keyword or a number.
#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

// word ::= (letter | '_') { letter | digit | '_' }
fn word(input: &[u8]) -> Matched<'_> {
    match input {
        [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..] => take_while1(is_word).parse(input),
        _ => Err(nom::Err::Error(())),
    }
}

/// Reads a bare word where text is expected. Doom 3 accepts less: it stops at '-' and at bytes from 0x80 on.
pub(super) fn name(input: &[u8]) -> Matched<'_> {
    take_while1(|byte| byte > b' ' && !matches!(byte, b'(' | b')' | b'{' | b'}' | b'"' | b',' | b';')).parse(input)
}

/// Reads a string on one line, without its quotes. A backslash is an ordinary byte.
pub(super) fn quoted(quote: u8, input: &[u8]) -> Matched<'_> {
    let (rest, bytes) =
        preceded(tag([quote].as_slice()), take_till(|byte| byte == quote || byte == b'\n')).parse(input)?;
    match rest {
        [end, rest @ ..] if *end == quote => Ok((rest, bytes)),
        _ => Err(nom::Err::Error(())),
    }
}
