//! Lexer of text files (docs/formats/x.md "Words of text files").

use super::fault::Fault;
use super::report::{Error, FaultLog, quote};
use super::token::{Guid, Token, Word, class, classes as classes_of, classify};
use crate::Span;
use crate::number::{Decimal, digits, long_decimal, short_decimal};
use nom::bytes::complete::{tag, take_till, take_while_m_n};
use nom::combinator::all_consuming;
use nom::sequence::{preceded, terminated};
use nom::{IResult, Parser};

/// Position in a text file.
#[derive(Debug, Clone)]
pub(super) struct TextLexer<'a> {
    bytes: &'a [u8],
    at: usize,
    /// End of a comment: LF, or CR in a file without any LF.
    line_end: u8,
    /// Position of a comment without LF.
    open_comment: Option<Span>,
    /// First line of the first string that goes on over the end of its line.
    long_string: Option<Span>,
}

impl<'a> TextLexer<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        let line_end = if !bytes.contains(&b'\n') && bytes.contains(&b'\r') { b'\r' } else { b'\n' };
        Self { bytes, at: at.min(bytes.len()), line_end, open_comment: None, long_string: None }
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Returns the first line of the first string so far that goes on over the end of its line.
    pub(super) fn long_string(&self) -> Option<Span> {
        self.long_string
    }

    pub(super) fn back_to(&mut self, offset: usize) -> bool {
        self.at = offset.min(self.at);
        true
    }

    /// Continues at a later byte.
    pub(super) fn skip_to(&mut self, offset: usize) {
        self.at = offset.clamp(self.at, self.bytes.len());
    }

    /// True if only blanks precede `offset` on its line.
    pub(super) fn begins_line(&self, offset: usize) -> bool {
        let before = self.bytes.get(..offset).unwrap_or_default();
        before.iter().skip(before.trim_ascii_end().len()).any(|&byte| byte == self.line_end)
    }

    pub(super) fn bytes_left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Returns the largest number of values that the rest of the file could contain. The shortest value is a digit and
    /// its separator.
    pub(super) fn values_left(&self) -> usize {
        self.bytes_left() / 2
    }

    #[inline]
    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and comments, and returns the byte that follows.
    ///
    /// `#` begins a comment only here, not within a word: `-1.#IND00` is one.
    #[inline]
    fn skip_blanks(&mut self) -> Option<u8> {
        loop {
            match self.byte()? {
                byte if classify(byte) == class::BLANK => self.at += 1,
                b'#' => self.skip_comment(),
                b'/' if self.bytes.get(self.at + 1) == Some(&b'/') => self.skip_comment(),
                byte => return Some(byte),
            }
        }
    }

    // comment ::= ('//' | '#') up to the line's end
    fn skip_comment(&mut self) {
        let (start, line_end) = (self.at, self.line_end);
        let to_line_end: IResult<_, _, ()> = take_till(|byte| byte == line_end)(self.rest());
        let rest = to_line_end.map_or(&[][..], |(rest, _)| rest);
        self.at = self.bytes.len() - rest.len();
        if rest.is_empty() || line_end != b'\n' {
            self.open_comment = self.open_comment.or(Some(Span::new(start, self.at)));
        }
    }

    #[inline]
    pub(super) fn next(&mut self, log: &mut FaultLog) -> Result<(Token<'a>, Span), Error> {
        let Some(byte) = self.skip_blanks() else {
            if let Some(span) = self.open_comment.take() {
                log.fault(Fault::CommentAtEnd, span)?;
            }
            return Ok((Token::End, Span::new(self.at, self.at)));
        };
        let start = self.at;
        if classify(byte) != class::MARK {
            return self.word(start);
        }
        let token = match byte {
            b'{' => Token::Open,
            b'}' => Token::Close,
            b';' => Token::Semicolon,
            b',' => Token::Comma,
            b'"' => return self.string(start),
            b'<' => return self.guid(start, log),
            byte => Token::Mark(byte),
        };
        self.at += 1;
        Ok((token, Span::new(start, self.at)))
    }

    /// Reads a run of bytes that are neither blanks nor marks, up to a `//`.
    #[inline]
    fn word(&mut self, start: usize) -> Result<(Token<'a>, Span), Error> {
        let mut classes = 0;
        let mut end = start;
        while let Some(&byte) = self.bytes.get(end) {
            let class = classify(byte);
            if class & (class::BLANK | class::MARK) != 0 {
                break;
            }
            classes |= class;
            end += 1;
        }
        let mut bytes = self.bytes.get(start..end).unwrap_or_default();
        if classes & class::SLASH != 0 {
            if bytes.first() == Some(&b'/') {
                return Err(Error { kind: Fault::LoneSlash, span: Span::new(start, start + 1) });
            }
            if let Some(comment) = bytes.windows(2).position(|pair| pair == b"//") {
                bytes = bytes.get(..comment).unwrap_or_default();
                classes = classes_of(bytes);
            }
        } else if classes & class::LETTER != 0 && self.bytes.get(end) == Some(&b'(') {
            bytes = self.not_a_number(start, bytes);
        }
        self.at = start + bytes.len();
        Ok((Token::Word(Word { bytes, classes }), Span::new(start, self.at)))
    }

    /// `nan(ind)` is one word, as C libraries print it.
    fn not_a_number(&self, start: usize, word: &'a [u8]) -> &'a [u8] {
        let digits = word.strip_prefix(b"-").unwrap_or(word);
        let rest = self.bytes.get(start + word.len()..).unwrap_or_default();
        let bracket = rest.iter().take(16).position(|&byte| byte == b')');
        match bracket {
            Some(end) if digits.eq_ignore_ascii_case(b"nan") => {
                self.bytes.get(start..=start + word.len() + end).unwrap_or(word)
            }
            _ => word,
        }
    }

    // string ::= '"' anything but '"' '"'
    fn string(&mut self, start: usize) -> Result<(Token<'a>, Span), Error> {
        let quote = || tag::<_, _, ()>(&b"\""[..]);
        let string = preceded(quote(), terminated(take_till(|byte| byte == b'"'), quote())).parse(self.rest());
        let text = string.as_ref().map_or(self.rest(), |&(_, text)| text);
        if let (None, Some(length)) = (self.long_string, text.iter().position(|byte| matches!(byte, b'\r' | b'\n'))) {
            let quotes = usize::from(string.is_ok());
            self.long_string = Some(Span::new(start, start + quotes + length));
        }
        let Ok((rest, text)) = string else {
            // Strings end on their line. A string that is open in the last line means that the file is cut off.
            let end = if self.rest().contains(&b'\n') { start + 1 } else { self.bytes.len() };
            return Err(Error { kind: Fault::UnclosedString, span: Span::new(start, end) });
        };
        self.at = self.bytes.len() - rest.len();
        Ok((Token::Text(text), Span::new(start, self.at)))
    }

    // guid ::= '<' hex{8} '-' hex{4} '-' hex{4} '-' hex{4} '-' hex{12} '>'
    fn guid(&mut self, start: usize, log: &mut FaultLog) -> Result<(Token<'a>, Span), Error> {
        /// Number of bytes that are searched for `>`, far more than a GUID with blanks needs.
        const LONGEST: usize = 80;
        let within = self.rest().get(..self.rest().len().min(LONGEST)).unwrap_or_default();
        let Some(end) = within.iter().position(|&byte| byte == b'>') else {
            self.at += 1;
            return Ok((Token::Mark(b'<'), Span::new(start, self.at)));
        };
        let written = within.get(1..end).unwrap_or_default();
        self.at = start + end + 1;
        let span = Span::new(start, self.at);
        let blank = |byte: &u8| classify(*byte) == class::BLANK;
        let compact: Vec<u8> = written.iter().copied().filter(|byte| !blank(byte)).collect();
        let guid = all_consuming(guid_digits).parse(compact.as_slice()).ok().map(|(_, guid)| guid);
        if guid.is_none() {
            log.fault(Fault::BadGuid { found: quote(written) }, span)?;
        } else if compact.len() < written.len() {
            log.fault(Fault::BlankInGuid, span)?;
        }
        Ok((Token::Guid(guid), span))
    }

    /// Returns the offset of the next byte that is not a blank. Stops at comments.
    #[inline]
    fn after_blanks(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(|&byte| classify(byte) == class::BLANK) {
            at += 1;
        }
        at
    }

    /// Returns the offset of the token that follows a value and its separators. Returns `None` if they are irregular.
    #[inline]
    fn quick_separators(&self, end: usize) -> Option<usize> {
        let mut at = end;
        while self.bytes.get(at) == Some(&b';') {
            at += 1;
        }
        if self.bytes.get(at) == Some(&b',') {
            at += 1;
        }
        let next = self.after_blanks(at);
        let plain = !matches!(self.bytes.get(next), Some(b';' | b',' | b'#' | b'/'));
        (at > end && plain).then_some(next)
    }

    #[inline]
    fn quick_float(&mut self) -> Option<f64> {
        let start = self.after_blanks(self.at);
        let rest = self.bytes.get(start..)?;
        if let Some((value, length)) = short_decimal(rest).or_else(|| long_decimal(rest)) {
            self.at = self.quick_separators(start + length)?;
            return Some(value);
        }
        let negative = self.bytes.get(start) == Some(&b'-');
        let number = self.bytes.get(start + usize::from(negative)..)?;
        let (decimal, rest) = Decimal::scan(number);
        let end = self.bytes.len() - rest.len();
        let value = match decimal.quick_value() {
            Some(value) if negative => -value,
            Some(value) => value,
            None => fast_float2::parse(self.bytes.get(start..end)?).ok().filter(fits)?,
        };
        self.at = self.quick_separators(end)?;
        Some(value)
    }

    #[inline]
    fn quick_integer(&mut self) -> Option<u32> {
        let start = self.after_blanks(self.at);
        let (value, rest) = digits(self.bytes.get(start..)?, 0);
        let end = self.bytes.len() - rest.len();
        if !(1..=9).contains(&(end - start)) {
            return None;
        }
        self.at = self.quick_separators(end)?;
        Some(value as u32)
    }

    #[inline]
    pub(super) fn quick_floats(&mut self, count: usize, to: &mut Vec<f64>) {
        to.extend(std::iter::from_fn(|| self.quick_float()).take(count));
    }

    #[inline]
    pub(super) fn quick_integers(&mut self, count: usize, to: &mut Vec<u32>) {
        to.extend(std::iter::from_fn(|| self.quick_integer()).take(count));
    }

    #[inline]
    pub(super) fn quick_counted(&mut self, most: u64, to: &mut Vec<u32>) -> u64 {
        for read in 0..most {
            let (at, known) = (self.at, to.len());
            let count = self.quick_integer().map(|count| {
                to.push(count);
                self.quick_integers(count as usize, to);
                count as usize
            });
            if count != Some(to.len().wrapping_sub(known + 1)) {
                self.at = at;
                to.truncate(known);
                return read;
            }
        }
        most
    }

    #[inline]
    pub(super) fn quick_key(&mut self, integers: &mut Vec<u32>, floats: &mut Vec<f64>) -> bool {
        let (at, known) = (self.at, floats.len());
        if let Some(first) = self.quick_integer()
            && let Some(count) = self.quick_integer()
        {
            self.quick_floats(count as usize, floats);
            if floats.len() - known == count as usize {
                integers.extend([first, count]);
                return true;
            }
        }
        self.at = at;
        floats.truncate(known);
        false
    }

    #[inline]
    pub(super) fn separators(&mut self, log: &mut FaultLog) -> Result<(), Error> {
        let start = self.at;
        let mut found = false;
        while self.skip_blanks() == Some(b';') {
            self.at += 1;
            found = true;
        }
        if self.byte() == Some(b',') {
            self.at += 1;
            found = true;
            if matches!(self.skip_blanks(), Some(b';' | b',')) {
                return self.extra_separators(log);
            }
        }
        match found {
            true => Ok(()),
            false => log.fault(Fault::MissingSeparator, Span::new(start, start)),
        }
    }

    #[cold]
    fn extra_separators(&mut self, log: &mut FaultLog) -> Result<(), Error> {
        let start = self.at;
        while matches!(self.skip_blanks(), Some(b';' | b',')) {
            self.at += 1;
        }
        log.fault(Fault::ExtraSeparator, Span::new(start, start + 1))
    }

    /// Skips past the `}` that closes the current block. Returns false if the file ends first.
    pub(super) fn skip_block(&mut self) -> Result<bool, Error> {
        let mut depth = 1_usize;
        while let Some(plain) = bytes_before_mark(self.rest()) {
            self.at += plain;
            match self.rest() {
                [b'"', ..] => {
                    self.string(self.at)?;
                }
                [b'#', ..] | [b'/', b'/', ..] => self.skip_comment(),
                [mark, ..] => {
                    self.at += 1;
                    depth = match mark {
                        b'{' => depth + 1,
                        b'}' => depth - 1,
                        _ => depth,
                    };
                    if depth == 0 {
                        return Ok(true);
                    }
                }
                [] => {}
            }
        }
        self.at = self.bytes.len();
        Ok(false)
    }
}

/// True if a value fits in a FLOAT, which Direct3D stores in 32 bits, regardless of the digits in the file.
#[inline]
pub(super) fn fits(value: &f64) -> bool {
    value.abs() <= f64::from(f32::MAX)
}

/// Returns the number of bytes before the first brace, quote, `#` or slash.
fn bytes_before_mark(bytes: &[u8]) -> Option<usize> {
    const CHUNK: usize = 64;
    let is_mark = |byte: u8| b"{}\"#/".iter().fold(0, |found, &mark| found | u8::from(byte == mark));
    // Bytes, not truth values: the compiler then compares a chunk at once.
    let has_mark = |chunk: &[u8; CHUNK]| chunk.iter().fold(0, |found, &byte| found | is_mark(byte)) != 0;
    let plain = CHUNK * bytes.as_chunks().0.iter().take_while(|chunk| !has_mark(chunk)).count();
    Some(plain + bytes.get(plain..)?.iter().position(|&byte| is_mark(byte) != 0)?)
}

fn guid_digits(input: &[u8]) -> IResult<&[u8], Guid, ()> {
    let group = |digits| take_while_m_n(digits, digits, |byte: u8| byte.is_ascii_hexdigit());
    let dash = || tag(&b"-"[..]);
    let (rest, (a, _, b, _, c, _, d, _, e)) =
        (group(8), dash(), group(4), dash(), group(4), dash(), group(4), dash(), group(12)).parse(input)?;
    let mut guid = [0; 16];
    let digits = [a, b, c, d, e].into_iter().flatten();
    for (place, digit) in digits.enumerate() {
        let value = char::from(*digit).to_digit(16).unwrap_or_default() as u8;
        if let Some(byte) = guid.get_mut(place / 2) {
            *byte = *byte << 4 | value;
        }
    }
    Ok((rest, Guid(guid)))
}

#[cfg(test)]
mod tests {
    use crate::x::{Datum, Reading, parse, unpack};

    #[test]
    fn skipped_blocks_end_at_their_own_brace() {
        for length in 0..140 {
            for mark in ["", "{ }", "\" } \"", "# }\n", "// }\n", "/"] {
                let block = format!("{{ {}{mark} 5; }}", "5".repeat(length));
                let text = format!("xof 0303txt 0032 Lamp {block} Frame A {{ }}");
                let unpacked = unpack(text.as_bytes(), Reading::Lenient).unwrap();
                let tree = parse(&unpacked, Reading::Lenient).unwrap().tree;
                let skipped = tree.objects[0].unread.map(|span| &text[span.start as usize..span.end as usize]);
                assert_eq!((skipped, tree.objects.len()), (Some(&block[1..]), 2), "{text}");
            }
        }
    }

    #[test]
    fn long_numbers_are_rounded_once_and_fit_in_32_bits() {
        let (long, huge) = ("-23.767805099487305", format!("1{}", "0".repeat(39)));
        let text = format!("xof 0303txt 0032 Vector {{ {long}; 0.1234567890123456789; {huge}; }}");
        let unpacked = unpack(text.as_bytes(), Reading::Lenient).unwrap();
        let parsed = parse(&unpacked, Reading::Lenient).unwrap();
        let values: Vec<Datum<'_>> = parsed.tree.objects[0].values.iter().map(|value| value.datum).collect();
        assert_eq!(values, [long.parse().unwrap(), 0.123_456_789_012_345_68, 0.0].map(Datum::Float));
        assert_eq!(parsed.warnings[0].kind.code(), "XF042", "{:?}", parsed.warnings);
    }
}
