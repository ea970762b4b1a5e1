//! The lexer. It searches for numbers instead of expecting them, and moves back by a byte for a missing separator.

use super::super::binary_sign;
use super::numbers::{digits, fast_atof};
use super::{Program, crash};
use crate::c::{Read, is_space, strtod_value, strtoul};
use crate::codes::{Rule, x as rules};
use crate::verdict::{Fallible, Stop};
use bindpose_parsers::Span;

/// Largest number of bytes read past the end of a string before the program counts as lost.
const STRAY: usize = 1 << 20;

/// True for bytes between numbers.
fn is_between(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b';' | b',' | b'}')
}

/// Position in a file that is being read.
pub(super) struct Tokens<'a> {
    pub bytes: &'a [u8],
    program: Program,
    pub at: usize,
    /// Line number that the program prints. It does not count all lines.
    pub line: u32,
    pub is_binary: bool,
    /// True if binary numbers have eight bytes.
    is_wide: bool,
    /// Number of elements left of a binary list.
    listed: u32,
    /// Span of the last token or number.
    pub last: Span,
    /// First number that is not finite.
    pub infinite: Option<Span>,
    /// True if numbers may differ from those written: text between them was skipped, or reading continues within one.
    pub is_odd: bool,
}

impl<'a> Tokens<'a> {
    /// Starts after the header. In a text file, the rest of its line is skipped.
    pub fn new(bytes: &'a [u8], program: Program, is_binary: bool, is_wide: bool) -> Self {
        let mut tokens = Self {
            bytes,
            program,
            at: bytes.len().min(16),
            line: 1,
            is_binary,
            is_wide,
            listed: 0,
            last: Span::new(0, bytes.len().min(16)),
            infinite: None,
            is_odd: false,
        };
        tokens.skip_line();
        tokens
    }

    /// Returns the remaining bytes.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// True within a list of a binary file.
    pub fn is_in_list(&self) -> bool {
        self.listed > 0
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Returns the byte at an offset. Returns 0 at the end, as in Luanti.
    fn peek(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    /// Reports a read after the end of the file, which Irrlicht does.
    fn guard(&self, index: usize) -> Fallible<()> {
        if self.program == Program::Irrlicht && index >= self.bytes.len() {
            let end = self.bytes.len();
            let span = Span::new(end.saturating_sub(1), end);
            return crash(rules::END_INSIDE, span, "the loader reads numbers past the end of the file");
        }
        Ok(())
    }

    fn skip_line(&mut self) {
        if self.is_binary {
            return;
        }
        let end = self.rest().iter().position(|&byte| byte == b'\n' || byte == b'\r');
        match end {
            Some(end) => {
                self.at += end + 1;
                self.line += 1;
            }
            None => self.at = self.bytes.len(),
        }
    }

    /// True at `//` or `#`.
    fn is_at_comment(&self) -> Fallible<bool> {
        if self.peek(0) == b'/' {
            self.guard(self.at + 1)?;
        }
        Ok(self.peek(0) == b'/' && self.peek(1) == b'/' || self.peek(0) == b'#')
    }

    fn skip_space(&mut self) -> Fallible<()> {
        loop {
            while !self.is_at_end() && is_space(self.peek(0)) {
                self.line += u32::from(self.peek(0) == b'\n');
                self.at += 1;
            }
            if self.is_at_end() || !self.is_at_comment()? {
                return Ok(());
            }
            self.skip_line();
        }
    }

    /// Skips everything except digits, points and minus signs.
    fn find_number(&mut self) -> Fallible<()> {
        while !self.is_at_end() && !matches!(self.peek(0), b'-' | b'.' | b'0'..=b'9') {
            if self.is_at_comment()? {
                self.skip_line();
            } else {
                self.is_odd |= !is_between(self.peek(0));
                self.at += 1;
            }
        }
        Ok(())
    }

    /// Ends a number. Moves to the bytes after it.
    fn end_number(&mut self, length: usize) -> Fallible<()> {
        let start = self.at;
        self.at += length;
        self.guard(self.at)?;
        self.last = Span::new(start, self.at);
        self.is_odd |= !self.is_at_end() && !is_between(self.peek(0));
        Ok(())
    }

    /// Returns the offset of the next object's type, or of the next closing brace.
    pub fn next_object(&self) -> usize {
        let is_brace = |byte: &u8| matches!(byte, b'{' | b'}');
        let brace = self.at + self.rest().iter().position(is_brace).unwrap_or(self.rest().len());
        if self.bytes.get(brace) != Some(&b'{') {
            return brace;
        }
        let is_sign = |byte: &u8| matches!(byte, b';' | b',') || is_brace(byte);
        self.bytes.iter().take(brace).rposition(is_sign).map_or(brace, |sign| sign + 1)
    }

    /// Reads the next word or punctuation. Returns an empty result at the end.
    pub fn token(&mut self) -> Fallible<&'a [u8]> {
        if self.is_binary {
            return self.binary_token();
        }
        self.skip_space()?;
        let start = self.at;
        while !self.is_at_end() && !is_space(self.peek(0)) {
            let is_sign = matches!(self.peek(0), b';' | b'}' | b'{' | b',');
            if is_sign && self.at > start {
                break;
            }
            self.at += 1;
            if is_sign {
                break;
            }
        }
        self.last = Span::new(start, self.at);
        Ok(self.bytes.get(start..self.at).unwrap_or_default())
    }

    fn binary_token(&mut self) -> Fallible<&'a [u8]> {
        let start = self.at;
        let word = self.word()?;
        if self.program == Program::Luanti && self.is_at_end() {
            return Ok(b"");
        }
        let token = self.binary_content(word)?;
        self.last = Span::new(start.min(self.bytes.len()), self.at.min(self.bytes.len()));
        Ok(token)
    }

    fn binary_content(&mut self, word: u16) -> Fallible<&'a [u8]> {
        Ok(match word {
            1 => self.binary_string()?,
            2 => {
                let text = self.binary_string()?;
                self.advance(2);
                text
            }
            3 => {
                self.advance(4);
                b"<integer>"
            }
            5 => {
                self.advance(16);
                b"<guid>"
            }
            6 | 7 => {
                let count = self.long()?;
                let size = if word == 7 && self.is_wide { 8 } else { 4 };
                self.advance(count.wrapping_mul(size) as usize);
                if word == 6 { b"<int_list>" } else { b"<flt_list>" }
            }
            0x28..=0x34 => b"word",
            sign => binary_sign(sign).unwrap_or_default(),
        })
    }

    fn binary_string(&mut self) -> Fallible<&'a [u8]> {
        let length = self.long()? as usize;
        if self.program == Program::Luanti && self.is_at_end() {
            return Ok(b"");
        }
        let rest = self.rest();
        let excess = length.saturating_sub(rest.len());
        let is_lost = match self.program {
            Program::Luanti => false,
            Program::Luanti516 => excess > STRAY,
            Program::Irrlicht => excess > 0,
        };
        if is_lost {
            return crash(rules::TOKEN_CUT, self.last, "the loader reads a name past the end of the file");
        }
        self.advance(length);
        Ok(rest.get(..length).unwrap_or(rest))
    }

    fn advance(&mut self, length: usize) {
        self.at = match self.program {
            Program::Luanti => self.at.saturating_add(length).min(self.bytes.len()),
            _ => self.at.saturating_add(length),
        };
    }

    /// Reads little-endian bytes. Those after the end are 0.
    fn take<const N: usize>(&mut self) -> Fallible<[u8; N]> {
        let mut found = [0; N];
        if self.is_at_end() {
            return Ok(found);
        }
        self.guard(self.at + N - 1)?;
        for (to, from) in found.iter_mut().zip(self.rest()) {
            *to = *from;
        }
        self.advance(N);
        Ok(found)
    }

    fn word(&mut self) -> Fallible<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn long(&mut self) -> Fallible<u32> {
        self.take().map(u32::from_le_bytes)
    }

    /// Starts a binary list if none is open. Anything else counts as a list of one number.
    fn open_list(&mut self, list: u16) -> Fallible<()> {
        if self.listed == 0 {
            self.listed = if self.word()? == list { self.long()? } else { 1 };
        }
        // An empty list counts as 2^32 - 1 further elements.
        self.listed = self.listed.wrapping_sub(1);
        Ok(())
    }

    /// Reads an integer. Returns 0 if none is left.
    pub fn int(&mut self) -> Fallible<u32> {
        if self.is_binary {
            self.open_list(6)?;
            return self.long();
        }
        self.find_number()?;
        let (value, length) = match self.program {
            Program::Irrlicht => digits(self.rest()),
            _ => {
                let Read { value, length } = strtoul(self.rest());
                (value as u32, length)
            }
        };
        self.end_number(length)?;
        Ok(value)
    }

    /// True if the last number has a minus sign.
    pub fn is_negative(&self) -> bool {
        !self.is_binary && self.bytes.get(self.last.start as usize) == Some(&b'-')
    }

    /// Reads a number. Returns 0 if none is left.
    pub fn float(&mut self) -> Fallible<f32> {
        if self.is_binary {
            self.open_list(7)?;
            // Irrlicht and Luanti 5.16 do not check for the end here.
            self.guard(self.at)?;
            return match self.is_wide {
                true => self.take().map(|bytes| f64::from_le_bytes(bytes) as f32),
                false => self.take().map(f32::from_le_bytes),
            };
        }
        self.find_number()?;
        let Read { value, length } = match self.program {
            Program::Irrlicht => fast_atof(self.rest()),
            _ => strtod_value(self.rest()),
        };
        let value = value as f32;
        self.end_number(length)?;
        if !value.is_finite() {
            self.infinite.get_or_insert(self.last);
            self.is_odd = true;
        }
        Ok(value)
    }

    pub fn floats<const N: usize>(&mut self) -> Fallible<[f32; N]> {
        let mut found = [0.0; N];
        for value in &mut found {
            *value = self.float()?;
        }
        Ok(found)
    }

    /// Reads a matrix and the separator after it.
    pub fn matrix(&mut self) -> Fallible<[f32; 16]> {
        let matrix = self.floats()?;
        self.semicolon()?;
        Ok(matrix)
    }

    /// Repeats a step `count` times, or until it stops advancing, from where it would only repeat itself.
    pub fn repeat(&mut self, count: u32, mut step: impl FnMut(&mut Self, u32) -> Fallible<()>) -> Fallible<()> {
        for index in 0..count {
            let before = self.at;
            step(self, index)?;
            if self.at <= before {
                break;
            }
        }
        Ok(())
    }

    /// Moves back by a byte, as the program does after an unexpected token.
    pub fn step_back(&mut self) {
        self.at = self.at.saturating_sub(1);
    }

    /// Reads a semicolon. If another token is there, the position is a byte before its end.
    pub fn semicolon(&mut self) -> Fallible<bool> {
        if self.is_binary {
            return Ok(true);
        }
        let found = self.token()? == b";";
        if !found {
            self.step_back();
            self.is_odd = true;
        }
        Ok(found)
    }

    /// Skips a semicolon if it is the next byte.
    pub fn optional_semicolon(&mut self) -> Fallible<()> {
        self.guard(self.at)?;
        self.at += usize::from(self.peek(0) == b';');
        Ok(())
    }

    /// Reads two semicolons.
    pub fn two_semicolons(&mut self) -> Fallible<bool> {
        Ok(self.semicolon()? && self.semicolon()?)
    }

    pub fn closing_brace(&mut self) -> Fallible<bool> {
        Ok(self.token()? == b"}")
    }

    /// Reads an object's name up to its opening brace. Returns `None` if the brace is not the first or second token.
    pub fn head(&mut self) -> Fallible<Option<&'a [u8]>> {
        let name = self.token()?;
        if name == b"{" {
            return Ok(Some(b""));
        }
        Ok((self.token()? == b"{").then_some(name))
    }

    /// Reads a string that ends with `";`; `None` for any other.
    pub fn string(&mut self) -> Fallible<Option<&'a [u8]>> {
        if self.is_binary {
            return self.token().map(Some);
        }
        self.skip_space()?;
        self.last = Span::new(self.at.min(self.bytes.len()), (self.at + 1).min(self.bytes.len()));
        if self.peek(0) != b'"' {
            return Ok(None);
        }
        let start = self.at + 1;
        let text = self.bytes.get(start..).unwrap_or_default();
        let length = text.iter().position(|&byte| byte == b'"').unwrap_or(text.len());
        self.guard(start + length + 1)?;
        self.at = start + length;
        self.last = Span::new(start - 1, (self.at + 2).min(self.bytes.len()));
        if (self.peek(0), self.peek(1)) != (b'"', b';') {
            return Ok(None);
        }
        self.at += 2;
        Ok(text.get(..length))
    }

    /// Returns the rule for an unexpected end. The last brace of a binary file is not seen.
    pub fn rule_of_end(&self) -> (Rule, Span) {
        let end = self.bytes.len();
        let is_last_brace = self.is_binary && self.bytes.ends_with(&[0x0b, 0]) && self.is_at_end();
        match is_last_brace {
            true => (rules::BINARY_END, Span::new(end - 2, end)),
            false => (rules::END_INSIDE, Span::new(end.saturating_sub(1), end)),
        }
    }

    /// Stops with an error that has no separate cause.
    pub fn finished<T>() -> Fallible<T> {
        Err(Stop::Finished)
    }
}
