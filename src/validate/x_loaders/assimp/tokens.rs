//! Words, numbers and separators, each in exactly the expected form.

use super::super::binary_sign;
use super::super::openbve::thrown::{Try, past_the_end, throw};
use super::{Parser, Version};
use crate::c;
use crate::codes::{Rule, x as rules};
use bindpose_parsers::x::FloatSize;

/// Number of letters of a text that is shown as not a number. assimp shows the rest of the file.
const SHOWN: usize = 24;

impl<'a> Parser<'a> {
    pub(super) fn fail<T>(&self, rule: Rule, message: &str) -> Try<T> {
        match self.is_text {
            true => throw(rule, self.at, format!("Line {}: {message}", self.line)),
            false => throw(rule, self.at, message),
        }
    }

    fn is_port(&self) -> bool {
        self.version == Version::Port
    }

    /// True for white space. .NET adds that of Latin-1.
    fn is_space(&self, byte: u8) -> bool {
        c::is_space(byte) || self.is_port() && matches!(byte, 0x85 | 0xa0)
    }

    /// Repeats a step, in the port not for a negative number. What follows the end of a binary file is zeros, which
    /// change nothing.
    pub(super) fn repeat(&mut self, times: u32, mut step: impl FnMut(&mut Self) -> Try) -> Try {
        let times = if self.is_port() && i32::try_from(times).is_err() { 0 } else { times };
        for _ in 0..times {
            if !self.is_text && self.left() == 0 {
                break;
            }
            step(self)?;
        }
        Ok(())
    }

    /// Returns the next byte. After the last one there is a NUL, or in the port an exception.
    pub(super) fn byte(&self) -> Try<u8> {
        match self.bytes.get(self.at) {
            Some(&byte) => Ok(byte),
            None if self.is_port() => past_the_end(self.at),
            None => Ok(0),
        }
    }

    pub(super) fn skip_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        match rest.iter().position(|&byte| byte == b'\n' || byte == b'\r') {
            Some(end) => {
                self.at += end + 1;
                self.line += 1;
            }
            None => self.at = self.bytes.len(),
        }
    }

    /// Records data on the header's line, which is skipped.
    pub(super) fn look_for_lost(&mut self, from: usize) {
        let line = self.bytes.get(from..self.at).unwrap_or_default();
        let first = line.iter().position(|&byte| !self.is_space(byte));
        if let Some(first) = first.filter(|&first| !matches!(line.get(first..), Some([b'#', ..] | [b'/', b'/', ..]))) {
            let message = "the rest of the header's line is skipped".to_owned();
            self.lost = Some((rules::FIRST_LINE, from + first, message));
        }
    }

    pub(super) fn skip_spaces(&mut self) -> Try {
        while self.is_text {
            while let Some(&byte) = self.bytes.get(self.at).filter(|&&byte| self.is_space(byte)) {
                self.line += u32::from(byte == b'\n');
                self.at += 1;
            }
            match self.bytes.get(self.at) {
                Some(b'#') => self.skip_line(),
                Some(b'/') => match self.bytes.get(self.at + 1) {
                    None if self.is_port() => return past_the_end(self.at),
                    Some(b'/') => self.skip_line(),
                    _ => break,
                },
                _ => break,
            }
        }
        Ok(())
    }

    /// Reads the next word or punctuation. Returns an empty result at the end, and for unknown tokens of binary files.
    pub(super) fn token(&mut self) -> Try<&'a [u8]> {
        if !self.is_text {
            return self.binary_token();
        }
        self.skip_spaces()?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_mark = |byte: u8| matches!(byte, b';' | b'}' | b'{' | b',');
        let length = rest.iter().position(|&byte| self.is_space(byte) || is_mark(byte)).unwrap_or(rest.len());
        let length = if length == 0 { rest.len().min(1) } else { length };
        self.at += length;
        Ok(rest.get(..length).unwrap_or_default())
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = self.bytes.get(self.at..)?.first_chunk::<N>().copied()?;
        self.at += N;
        Some(bytes)
    }

    pub(super) fn binary_token(&mut self) -> Try<&'a [u8]> {
        let Some(token) = self.take().map(u16::from_le_bytes) else { return Ok(b"") };
        Ok(match token {
            1 | 2 => {
                let Some(length) = self.take().map(u32::from_le_bytes) else { return Ok(b"") };
                let Ok(length) = i32::try_from(length) else {
                    if !self.is_port() {
                        return Ok(b"");
                    }
                    return throw(rules::TOKEN_CUT, self.at, "Non-negative number required.");
                };
                let length = length as usize;
                if self.left() < length {
                    return Ok(b"");
                }
                let word = self.bytes.get(self.at..self.at + length).unwrap_or_default();
                self.at += length + if token == 2 { 2 } else { 0 };
                word
            }
            3 => self.skip(4, b"<integer>"),
            5 => self.skip(16, b"<guid>"),
            6 | 7 => {
                let Some(count) = self.take().map(u32::from_le_bytes) else { return Ok(b"") };
                let size = if token == 7 && self.float_size == FloatSize::F64 { 8 } else { 4 };
                self.skip((count as usize).saturating_mul(size), b"<list>")
            }
            40..=52 => b"DWORD",
            sign => binary_sign(sign).unwrap_or_default(),
        })
    }

    pub(super) fn skip(&mut self, bytes: usize, name: &'static [u8]) -> &'static [u8] {
        self.at = self.at.saturating_add(bytes);
        name
    }

    pub(super) fn head(&mut self) -> Try<&'a [u8]> {
        let name = self.token()?;
        if name == b"{" {
            return Ok(b"");
        }
        if self.token()? != b"{" {
            return self.fail(rules::SYNTAX, "Opening brace expected.");
        }
        Ok(name)
    }

    /// Reads the closing brace. The port skips numbers and separators before it.
    pub(super) fn close(&mut self) -> Try {
        let mut token = self.token()?;
        while self.is_port() && (matches!(token, b"," | b";") || is_double(token)) {
            token = self.token()?;
        }
        if token == b"}" { Ok(()) } else { self.fail(rules::SYNTAX, "Closing brace expected.") }
    }

    pub(super) fn semicolon(&mut self) -> Try {
        if self.is_text && self.token()? != b";" {
            return self.fail(rules::SEPARATOR_MISSING, "Semicolon expected.");
        }
        Ok(())
    }

    pub(super) fn separator(&mut self) -> Try {
        if self.is_text && !matches!(self.token()?, b"," | b";") {
            return self.fail(rules::SEPARATOR_MISSING, "Separator character (';' or ',') expected.");
        }
        Ok(())
    }

    /// Skips a separator, if there is one; in the port all of them.
    pub(super) fn separators(&mut self) -> Try {
        self.skip_spaces()?;
        while self.is_text && matches!(self.byte()?, b';' | b',') {
            self.at += 1;
            if !self.is_port() {
                break;
            }
        }
        Ok(())
    }

    /// Skips the separators after an empty list, as only the port does. Those of others follow their elements.
    pub(super) fn end_list(&mut self, count: u32) -> Try {
        if count == 0 && self.is_port() { self.separators() } else { Ok(()) }
    }

    /// Reads a binary value. Reading past the end gives zeros, for which every object eventually fails.
    pub(super) fn binary_value<const N: usize>(&mut self, list: u16) -> Try<[u8; N]> {
        if self.numbers == 0 {
            let token = self.take().map(u16::from_le_bytes);
            self.numbers = 1;
            if token == Some(list)
                && let Some(count) = self.take().map(u32::from_le_bytes)
            {
                self.numbers = count;
            }
        }
        self.numbers = self.numbers.wrapping_sub(1);
        Ok(self.take().unwrap_or_else(|| {
            self.at = self.bytes.len().max(self.at);
            [0; N]
        }))
    }

    pub(super) fn int(&mut self) -> Try<u32> {
        if !self.is_text {
            return self.binary_value(6).map(u32::from_le_bytes);
        }
        self.skip_spaces()?;
        let is_negative = self.byte()? == b'-';
        self.at += usize::from(is_negative);
        if !self.byte()?.is_ascii_digit() {
            return self.fail(rules::SYNTAX, "Number expected.");
        }
        let mut number = 0_u32;
        while let Some(&byte) = self.bytes.get(self.at).filter(|byte| byte.is_ascii_digit()) {
            number = number.wrapping_mul(10).wrapping_add(u32::from(byte - b'0'));
            self.at += 1;
        }
        self.separator()?;
        Ok(if is_negative { number.wrapping_neg() } else { number })
    }

    /// Reads a number of elements, for which memory is allocated.
    pub(super) fn count(&mut self) -> Try<u32> {
        let count = self.int()?;
        match i32::try_from(count) {
            Err(_) if self.is_port() => throw(rules::COUNT, self.at, "Non-negative number required."),
            _ => Ok(count),
        }
    }

    pub(super) fn float(&mut self) -> Try<f64> {
        if !self.is_text {
            return match self.float_size {
                FloatSize::F32 => self.binary_value(7).map(|bytes| f32::from_le_bytes(bytes).into()),
                FloatSize::F64 => self.binary_value(7).map(f64::from_le_bytes),
            };
        }
        self.skip_spaces()?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.len() < 9 && self.is_port() {
            let message = "Index and count must refer to a location within the buffer.";
            return throw(rules::END_INSIDE, self.at, message);
        }
        let skipped = match () {
            () if rest.starts_with(b"-1.#IND00") || rest.starts_with(b"1.#IND00") => 9,
            () if rest.starts_with(b"1.#QNAN0") => 8,
            () => 0,
        };
        self.at += skipped;
        let value = if skipped > 0 { 0.0 } else { self.real(rest)? };
        self.separator()?;
        Ok(value)
    }

    fn real(&mut self, rest: &[u8]) -> Try<f64> {
        let sign = usize::from(matches!(rest.first(), Some(b'-' | b'+')));
        let is_negative = rest.first() == Some(&b'-');
        let body = rest.get(sign..).unwrap_or_default();
        let word = |at: usize, length: usize| body.get(at..at + length).unwrap_or_default();
        if word(0, 3).eq_ignore_ascii_case(b"nan") {
            self.at += sign + 3;
            return Ok(f64::NAN);
        }
        if word(0, 3).eq_ignore_ascii_case(b"inf") {
            self.at += sign + if word(3, 5).eq_ignore_ascii_case(b"inity") { 8 } else { 3 };
            return Ok(if is_negative { f64::NEG_INFINITY } else { f64::INFINITY });
        }
        let is_digit = |at: usize| body.get(at).is_some_and(u8::is_ascii_digit);
        let begins = is_digit(0) || matches!(body.first(), Some(b'.' | b',')) && is_digit(1);
        if !begins && self.is_port() {
            let message =
                "Cannot parse string as real number: does not start with digit or decimal point followed by digit.";
            return self.fail(rules::SYNTAX, message);
        }
        if !self.is_port() {
            self.at += sign;
            let value = self.decimal(begins)?;
            return Ok(f64::from(if is_negative { -value } else { value }));
        }
        let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-');
        let length = body.iter().position(|byte| !is_part(byte)).unwrap_or(body.len());
        let (digits, is_turned) = match word(0, length) {
            [digits @ .., b'-'] => (digits, true),
            [digits @ .., b'+'] => (digits, false),
            digits => (digits, false),
        };
        let is_plain = digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.');
        let value = std::str::from_utf8(digits).ok().filter(|_| is_plain).and_then(|text| text.parse::<f64>().ok());
        let Some(value) = value else {
            return self.fail(rules::ODD_NUMBER, "Input string was not in a correct format.");
        };
        self.at += sign + length;
        Ok(if is_negative != is_turned { -value } else { value })
    }

    /// Reads digits. Returns them and their number.
    fn digits(&mut self) -> (f64, i32) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        self.at += length;
        let value = rest.iter().take(length).fold(0.0, |value, digit| value * 10.0 + f64::from(digit - b'0'));
        (value, i32::try_from(length).unwrap_or(i32::MAX))
    }

    /// Reads a number without a sign as `fast_atoreal_move` does: a comma before a digit is a decimal point.
    fn decimal(&mut self, begins: bool) -> Try<f32> {
        let text = |parser: &Self| {
            let rest = parser.bytes.get(parser.at..).unwrap_or_default();
            let shown = rest
                .get(..SHOWN)
                .unwrap_or(rest)
                .iter()
                .map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { ' ' });
            shown.collect::<String>() + if rest.len() > SHOWN { "…" } else { "" }
        };
        if !begins {
            let message = format!(
                "Cannot parse string \"{}\" as a real number: does not start with digit or decimal point followed by digit.",
                text(self)
            );
            return throw(rules::SYNTAX, self.at, message);
        }
        let mut value = self.digits().0 as f32;
        let is_point = matches!(self.byte()?, b'.' | b',');
        if is_point && self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
            let (decimals, count) = self.digits();
            value += (decimals / 10_f64.powi(count)) as f32;
        } else if self.byte()? == b'.' {
            self.at += 1;
        }
        if matches!(self.byte()?, b'e' | b'E') {
            self.at += 1;
            let is_negative = self.byte()? == b'-';
            self.at += usize::from(matches!(self.byte()?, b'-' | b'+'));
            if !self.byte()?.is_ascii_digit() {
                let message = format!("The string \"{}\" cannot be converted into a value.", text(self));
                return throw(rules::ODD_NUMBER, self.at, message);
            }
            let exponent = self.digits().0 as f32;
            value *= 10_f32.powf(if is_negative { -exponent } else { exponent });
        }
        Ok(value)
    }

    pub(super) fn floats<const N: usize>(&mut self) -> Try<[f64; N]> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.float()?;
        }
        Ok(values)
    }

    pub(super) fn vector<const N: usize>(&mut self) -> Try<[f64; N]> {
        let values = self.floats()?;
        self.separators()?;
        Ok(values)
    }

    pub(super) fn string(&mut self) -> Try<&'a [u8]> {
        if !self.is_text {
            return self.token();
        }
        self.skip_spaces()?;
        if self.left() == 0 {
            return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing string");
        }
        if self.byte()? != b'"' {
            return self.fail(rules::SYNTAX, "Expected quotation mark.");
        }
        let rest = self.bytes.get(self.at + 1..).unwrap_or_default();
        let length = memchr::memchr(b'"', rest).unwrap_or(rest.len());
        self.at += 1 + length;
        if self.left() <= 1 {
            return self.fail(rules::UNCLOSED_STRING, "Unexpected end of file while parsing string");
        }
        if self.bytes.get(self.at + 1) != Some(&b';') {
            let message = "Expected quotation mark and semicolon at the end of a string.";
            return self.fail(rules::STRING_END, message);
        }
        self.at += 2;
        Ok(rest.get(..length).unwrap_or_default())
    }
}

/// True for a word that .NET parses as a number.
fn is_double(word: &[u8]) -> bool {
    let is_number = word.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte));
    matches!(word, b"NaN" | b"Infinity" | b"-Infinity")
        || is_number && std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok())
}
