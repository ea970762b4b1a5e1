//! Tokens of a file as Doom 3's lexer reads them (docs/formats/md5.md "Words and numbers"; dhewm3 idlib/Lexer.cpp).
//!
//! It reproduces oddities: a byte from 0x80 is white space (the engine compares signed characters), a NUL ends the
//! file, the character after a block comment is swallowed (not by The Dark Mod), and a number that begins with 0 is
//! octal. Nothing is repaired: a refusal has the engine's message and the line that it prints.

use super::super::loaders::com_parse::is_white_space;
use super::super::verdict::{EngineFault, Fallible, Outcome, refuse_for, with_rule};
use crate::codes::{Rule, shared};
use bindpose_core::engines::EngineId;
use bindpose_parsers::Span;
use std::borrow::Cow;

/// Type of a token. A number keeps its notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    String,
    Literal,
    Number(Number),
    Name,
    Punctuation,
}

/// Notation of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Number {
    Decimal,
    Octal,
    Hexadecimal,
    Binary,
    Float,
}

#[derive(Debug, Clone)]
pub(super) struct Token<'a> {
    pub text: Cow<'a, [u8]>,
    pub kind: Kind,
    pub span: Span,
}

impl Token<'_> {
    /// Returns the text as the engine prints it.
    pub fn printed(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text)
    }

    /// Returns the value as an integer: 32 bits, wrapping. A float is truncated towards zero.
    ///
    /// The engine narrows a float to `float`, then to a 64-bit unsigned integer, then to 32 bits.
    pub fn integer(&self) -> i32 {
        let digits = |skip: usize, base: u32| {
            let value = |byte: u8| char::from(byte).to_digit(16).unwrap_or(0);
            let add = |sum: u32, &byte: &u8| sum.wrapping_mul(base).wrapping_add(value(byte));
            self.text.get(skip..).unwrap_or_default().iter().fold(0u32, add)
        };
        let value = match self.kind {
            Kind::Number(Number::Decimal) => digits(0, 10),
            Kind::Number(Number::Octal) => digits(1, 8),
            Kind::Number(Number::Hexadecimal) => digits(2, 16),
            Kind::Number(Number::Binary) => digits(2, 2),
            Kind::Number(Number::Float) => {
                let value = self.float();
                // From 2^64 on (also infinity), no low bits remain on x86-64.
                if value >= 18_446_744_073_709_551_616.0 { 0 } else { value as u64 as u32 }
            }
            Kind::String | Kind::Literal | Kind::Name | Kind::Punctuation => 0,
        };
        value as i32
    }

    fn float(&self) -> f32 {
        let text = std::str::from_utf8(&self.text).unwrap_or_default();
        // `1e`, `1e-` and `.5` are numbers to the engine. A missing exponent counts as 0.
        text.trim_end_matches(['+', '-']).trim_end_matches('e').parse::<f64>().unwrap_or(0.0) as f32
    }
}

/// Lexer with the state of the engine's scanner.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u32,
    last_at: usize,
    last_line: u32,
    /// True if `"a" "b"` is one string, as in .md5mesh.
    concatenate: bool,
    /// True if the character after a block comment is skipped.
    swallows: bool,
    /// True if such a character was skipped.
    pub swallowed: bool,
    /// First byte from 0x80 that counted as white space.
    pub high_space: Option<Span>,
    /// Span of the last token, for faults in its value.
    pub last_span: Span,
    pub warnings: Vec<EngineFault>,
}

impl<'a> Lexer<'a> {
    pub fn new(engine: EngineId, bytes: &'a [u8], concatenate: bool) -> Self {
        Self {
            bytes,
            at: 0,
            line: 1,
            last_at: 0,
            last_line: 1,
            concatenate,
            swallows: engine != EngineId::Tdm,
            swallowed: false,
            high_space: None,
            last_span: Span::default(),
            warnings: Vec::new(),
        }
    }

    /// Creates a refusal at the scanner's current line.
    pub fn fail<T>(&self, rule: Rule, span: Span, message: impl Into<String>) -> Fallible<T> {
        refuse_for(Outcome::Drops, self.fault(rule, span, message))
    }

    /// Adds a warning at the scanner's current line.
    pub fn warn(&mut self, rule: Rule, span: Span, message: impl Into<String>) {
        self.warnings.push(self.fault(rule, span, message));
    }

    fn fault(&self, rule: Rule, span: Span, message: impl Into<String>) -> EngineFault {
        EngineFault { line: Some(self.line), ..EngineFault::new(rule, span, message) }
    }

    /// Returns the byte at an offset. NUL after the end of the file.
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn here(&self) -> Span {
        let end = self.at.min(self.bytes.len());
        Span::new(end, end)
    }

    /// Skips white space and comments. Returns false at the end of the file.
    fn skip_white_space(&mut self) -> bool {
        loop {
            loop {
                let byte = self.byte(self.at);
                if !is_white_space(byte) {
                    break;
                }
                if byte == 0 {
                    return false;
                }
                if byte >= 0x80 {
                    self.high_space.get_or_insert(Span::new(self.at, self.at + 1));
                }
                self.line += u32::from(byte == b'\n');
                self.at += 1;
            }
            if self.byte(self.at) != b'/' {
                return true;
            }
            match self.byte(self.at + 1) {
                b'/' => {
                    if !self.skip_line_comment() {
                        return false;
                    }
                }
                b'*' => {
                    if !self.skip_block_comment() {
                        return false;
                    }
                }
                _ => return true,
            }
        }
    }

    fn skip_line_comment(&mut self) -> bool {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        match rest.iter().position(|&byte| byte == b'\n' || byte == 0) {
            Some(length) if rest.get(length) == Some(&b'\n') => {
                self.line += 1;
                self.at += length + 1;
                self.byte(self.at) != 0
            }
            length => {
                self.at += length.unwrap_or(rest.len());
                false
            }
        }
    }

    fn skip_block_comment(&mut self) -> bool {
        let start = self.at;
        self.at += 1;
        loop {
            self.at += 1;
            match self.byte(self.at) {
                0 => return false,
                b'\n' => self.line += 1,
                // The `*` may be the opening one: `/*/` is a complete comment.
                b'/' if self.byte(self.at - 1) == b'*' => break,
                b'/' if self.byte(self.at + 1) == b'*' => {
                    let span = Span::new(start, self.at + 2);
                    self.warn(shared::COMMENT, span, "nested comment");
                }
                _ => {}
            }
        }
        self.at += 1;
        if self.byte(self.at) == 0 {
            return false;
        }
        if self.swallows {
            // Even a line end is skipped.
            self.at += 1;
            self.swallowed = true;
        }
        self.byte(self.at) != 0
    }

    /// Reads the next token. Returns `None` at the end of the file.
    pub fn read(&mut self) -> Fallible<Option<Token<'a>>> {
        self.last_at = self.at;
        self.last_line = self.line;
        if !self.skip_white_space() {
            self.last_span = self.here();
            return Ok(None);
        }
        let start = self.at;
        let first = self.byte(start);
        let (text, kind) = match first {
            b'0'..=b'9' => self.read_number(start)?,
            b'.' if self.byte(start + 1).is_ascii_digit() => self.read_number(start)?,
            b'"' | b'\'' => self.read_string(first)?,
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'/' | b'\\' | b'.' => self.read_name(start),
            _ => self.read_punctuation(start)?,
        };
        let span = Span::new(start, self.at);
        self.last_span = span;
        Ok(Some(Token { text, kind, span }))
    }

    fn slice(&self, start: usize, end: usize) -> &'a [u8] {
        self.bytes.get(start..end).unwrap_or_default()
    }

    fn read_name(&mut self, start: usize) -> (Cow<'a, [u8]>, Kind) {
        self.at += 1;
        while matches!(self.byte(self.at), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'/' | b'\\' | b':' | b'.')
        {
            self.at += 1;
        }
        (Cow::Borrowed(self.slice(start, self.at)), Kind::Name)
    }

    fn read_string(&mut self, quote: u8) -> Fallible<(Cow<'a, [u8]>, Kind)> {
        let opened = self.at;
        self.at += 1;
        let mut text = Cow::Borrowed(&[][..]);
        loop {
            let start = self.at;
            while !matches!(self.byte(self.at), 0 | b'\n') && self.byte(self.at) != quote {
                self.at += 1;
            }
            let part = self.slice(start, self.at);
            if text.is_empty() {
                text = Cow::Borrowed(part);
            } else {
                text.to_mut().extend_from_slice(part);
            }
            match self.byte(self.at) {
                0 => return self.fail(shared::UNCLOSED_STRING, Span::new(opened, self.at), "missing trailing quote"),
                b'\n' => {
                    return self.fail(shared::UNCLOSED_STRING, Span::new(opened, self.at), "newline inside string");
                }
                _ => self.at += 1,
            }
            if !self.concatenate {
                break;
            }
            let (end, line) = (self.at, self.line);
            if !self.skip_white_space() || self.byte(self.at) != quote {
                self.at = end;
                self.line = line;
                break;
            }
            self.at += 1;
        }
        if quote == b'"' {
            return Ok((text, Kind::String));
        }
        if text.len() != 1 {
            let span = Span::new(opened, self.at);
            self.warn(shared::UNQUOTED_NAME, span, "literal is not one character long");
        }
        Ok((text, Kind::Literal))
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while wanted(self.byte(self.at)) {
            self.at += 1;
        }
    }

    fn read_number(&mut self, start: usize) -> Fallible<(Cow<'a, [u8]>, Kind)> {
        let next = self.byte(start + 1);
        let number = if self.byte(start) == b'0' && next != b'.' {
            match next {
                b'x' | b'X' => {
                    self.at += 2;
                    self.skip_while(|byte| byte.is_ascii_hexdigit());
                    Number::Hexadecimal
                }
                b'b' | b'B' => {
                    self.at += 2;
                    self.skip_while(|byte| matches!(byte, b'0' | b'1'));
                    Number::Binary
                }
                _ => {
                    self.at += 1;
                    self.skip_while(|byte| matches!(byte, b'0'..=b'7'));
                    Number::Octal
                }
            }
        } else {
            self.read_decimal(start)?
        };
        let text = Cow::Borrowed(self.slice(start, self.at));
        if number == Number::Float {
            // One suffix of C's floats is accepted and ignored.
            self.at += usize::from(matches!(self.byte(self.at), b'f' | b'F' | b'l' | b'L'));
        } else {
            // Up to two suffixes of C's integers are accepted.
            for _ in 0..2 {
                self.at += usize::from(matches!(self.byte(self.at), b'l' | b'L' | b'u' | b'U'));
            }
        }
        Ok((text, Kind::Number(number)))
    }

    fn read_decimal(&mut self, start: usize) -> Fallible<Number> {
        let mut dots = 0;
        loop {
            match self.byte(self.at) {
                b'0'..=b'9' => {}
                b'.' => dots += 1,
                _ => break,
            }
            self.at += 1;
        }
        if dots > 1 {
            return self.fail(shared::NUMBER_SPELLING, Span::new(start, self.at), "more than one dot in number");
        }
        match self.byte(self.at) {
            b'e' => {
                self.at += 1;
                self.at += usize::from(matches!(self.byte(self.at), b'-' | b'+'));
                self.skip_while(|byte| byte.is_ascii_digit());
                Ok(Number::Float)
            }
            b'#' if dots == 1 => {
                // `#` and any three characters, then digits: `1.#QNAN` is cut to `1.#QNA`.
                self.at += 4;
                self.skip_while(|byte| byte.is_ascii_digit());
                let read = self.slice(start, self.at.min(self.bytes.len()));
                let printed = read.split(|&byte| byte == 0).next().unwrap_or_default();
                let message = format!("parsed {}", String::from_utf8_lossy(printed));
                self.fail(shared::NOT_FINITE, Span::new(start, start + printed.len()), message)
            }
            _ if dots == 1 => Ok(Number::Float),
            _ => Ok(Number::Decimal),
        }
    }

    fn read_punctuation(&mut self, start: usize) -> Fallible<(Cow<'a, [u8]>, Kind)> {
        let rest = self.bytes.get(start..).unwrap_or_default();
        // Those that begin with a slash, a backslash or a dot are names in these files.
        const PAIRS: [&[u8; 2]; 20] = [
            b"##", b"&&", b"||", b">=", b"<=", b"==", b"!=", b"*=", b"%=", b"+=", b"-=", b"++", b"--", b"&=", b"|=",
            b"^=", b">>", b"<<", b"->", b"::",
        ];
        let length = match rest {
            [b'>', b'>', b'=', ..] | [b'<', b'<', b'=', ..] => 3,
            [first, second, ..] if PAIRS.contains(&&[*first, *second]) => 2,
            _ => 1,
        };
        let first = self.byte(start);
        if length == 1 && !b"*%+-=&|^~!><,;:?(){}[]#$".contains(&first) {
            let span = Span::new(start, start + 1);
            return self.fail(shared::CHARACTER, span, format!("unknown punctuation {}", char::from(first)));
        }
        self.at += length;
        Ok((Cow::Borrowed(self.slice(start, self.at)), Kind::Punctuation))
    }

    /// Reads a token that must have this text, quoted or not.
    pub fn require(&mut self, wanted: &str) -> Fallible<()> {
        let Some(token) = self.read()? else {
            return self.fail(shared::SYNTAX, self.last_span, format!("couldn't find expected '{wanted}'"));
        };
        if token.text.as_ref() != wanted.as_bytes() {
            let message = format!("expected '{wanted}' but found '{}'", token.printed());
            return self.fail(shared::SYNTAX, token.span, message);
        }
        Ok(())
    }

    /// Calls [`Self::require`], with a more specific rule than syntax for its refusal.
    pub fn require_as(&mut self, wanted: &str, rule: Rule) -> Fallible<()> {
        with_rule(self.require(wanted), rule)
    }

    /// Reads a closing brace. Another token in its place violates `rule`. The end of the file is a syntax error.
    pub fn close_as(&mut self, rule: Rule) -> Fallible<()> {
        let result = self.require("}");
        let is_end = self.last_span.start == self.last_span.end;
        if is_end { result } else { with_rule(result, rule) }
    }

    /// Reads a keyword of the header. If it is missing, the rule depends on whether it appears later.
    pub fn expect_keyword(&mut self, wanted: &str, missing: Rule) -> Fallible<()> {
        let from = self.at;
        let result = self.require(wanted);
        let stands_later = || {
            let rest = self.bytes.get(from..).unwrap_or_default();
            rest.windows(wanted.len()).any(|word| word == wanted.as_bytes())
        };
        let rule = if result.is_err() && missing == shared::SYNTAX && stands_later() {
            shared::KEYWORD_ORDER
        } else {
            missing
        };
        with_rule(result, rule)
    }

    /// Reads the next token if it has this text.
    pub fn check(&mut self, wanted: &str) -> Fallible<bool> {
        match self.read()? {
            // At the end of the file, the scanner stays there.
            None => Ok(false),
            Some(token) if token.text.as_ref() == wanted.as_bytes() => Ok(true),
            Some(_) => {
                self.at = self.last_at;
                self.line = self.last_line;
                Ok(false)
            }
        }
    }

    /// Reads any token. Returns an empty result at the end of the file, which is no error yet.
    pub fn any(&mut self) -> Fallible<Cow<'a, [u8]>> {
        Ok(self.read()?.map_or(Cow::Borrowed(&[][..]), |token| token.text))
    }

    /// Reads an integer. A minus is a separate token, and floats are truncated unless negative.
    pub fn integer(&mut self) -> Fallible<i32> {
        let Some(token) = self.read()? else {
            return self.fail(shared::SYNTAX, self.last_span, "couldn't read expected integer");
        };
        match token.kind {
            Kind::Punctuation if token.text.as_ref() == b"-" => {
                let minus = token.span;
                let token = self.number_after_minus()?;
                if token.kind == Kind::Number(Number::Float) {
                    let message = format!("expected integer but found '{}'", token.printed());
                    return self.fail(shared::NUMBER_SPELLING, token.span, message);
                }
                self.last_span = minus.to(token.span);
                Ok(token.integer().wrapping_neg())
            }
            Kind::Number(_) => Ok(token.integer()),
            _ => {
                let message = format!("expected integer value, found '{}'", token.printed());
                self.fail(expected_number(&token), token.span, message)
            }
        }
    }

    /// Reads a float, whose value no loader tests.
    pub fn float(&mut self) -> Fallible<()> {
        let Some(token) = self.read()? else {
            return self.fail(shared::SYNTAX, self.last_span, "couldn't read expected floating point number");
        };
        match token.kind {
            Kind::Punctuation if token.text.as_ref() == b"-" => {
                let minus = token.span;
                let token = self.number_after_minus()?;
                self.last_span = minus.to(token.span);
                Ok(())
            }
            Kind::Number(_) => Ok(()),
            _ => {
                let message = format!("expected float value, found '{}'", token.printed());
                self.fail(expected_number(&token), token.span, message)
            }
        }
    }

    fn number_after_minus(&mut self) -> Fallible<Token<'a>> {
        let Some(token) = self.read()? else {
            return self.fail(shared::SYNTAX, self.last_span, "couldn't read expected token");
        };
        if matches!(token.kind, Kind::Number(_)) {
            return Ok(token);
        }
        let message = format!("expected a number but found '{}'", token.printed());
        self.fail(expected_number(&token), token.span, message)
    }

    /// Reads `( … )` with `length` floats.
    pub fn vector(&mut self, length: usize) -> Fallible<()> {
        self.require("(")?;
        self.rest_of_vector(length)
    }

    /// Reads the rest of a vector after its opening parenthesis.
    pub fn rest_of_vector(&mut self, length: usize) -> Fallible<()> {
        for _ in 0..length {
            self.float()?;
        }
        self.require(")")
    }
}

/// Returns our rule for a token in place of a number.
fn expected_number(token: &Token) -> Rule {
    let lower = token.text.to_ascii_lowercase();
    match lower.as_slice() {
        b"nan" | b"inf" | b"infinity" | b"ind" => shared::NOT_FINITE,
        b"+" | b"," | b"--" => shared::NUMBER_SPELLING,
        _ => shared::SYNTAX,
    }
}
