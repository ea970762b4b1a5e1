//! Lexer of id Tech 4's words (docs/formats/id4.md "Words").
//!
//! The scanners at the end are nom parsers over plain bytes. Nothing is repaired here: a word that ends a decl in the
//! engine ends it here.

use super::fault::{Fault, FaultKind};
use crate::{Span, decode_name};
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while, take_while_m_n, take_while1};
use nom::character::complete::{char, one_of};
use nom::combinator::{opt, recognize};
use nom::sequence::preceded;
use nom::{IResult, Parser};
use std::borrow::Cow;

type Matched<'a> = IResult<&'a [u8], &'a [u8], ()>;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TokenKind {
    /// Text in double quotes.
    String,
    /// Text in single quotes, which does not make a string.
    Literal,
    /// Value of a number, and true if it is written as an integer.
    Number(f64, bool),
    Name,
    Punctuation,
}

/// Word with its position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token<'a> {
    pub kind: TokenKind,
    /// Text without quotes.
    pub text: Cow<'a, [u8]>,
    /// Position including quotes.
    pub span: Span,
    /// True if a line ends between this word and the previous one.
    pub starts_line: bool,
}

impl Token<'_> {
    /// True if the token is this word, in any case.
    pub fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word.as_bytes())
    }

    /// True if the token is exactly this word.
    pub fn is_exactly(&self, word: &str) -> bool {
        *self.text == *word.as_bytes()
    }

    pub fn to_text(&self) -> String {
        decode_name(&self.text).into_owned()
    }

    /// Returns the value of a number. Returns 0 for other tokens.
    pub fn number(&self) -> f64 {
        if let TokenKind::Number(value, _) = self.kind { value } else { 0.0 }
    }
}

/// Reads the words of a span.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    whole: &'a [u8],
    at: usize,
    /// End of the last token.
    last_end: usize,
    pub faults: Vec<Fault>,
}

impl<'a> Lexer<'a> {
    /// Creates a lexer for the words of `span` in `file`.
    pub fn new(file: &'a [u8], span: Span) -> Self {
        let end = (span.end as usize).min(file.len());
        let at = (span.start as usize).min(end);
        Self { whole: file.get(..end).unwrap_or_default(), at, last_end: at, faults: Vec::new() }
    }

    pub fn add(&mut self, kind: FaultKind, span: Span) {
        self.faults.push(Fault { kind, span });
    }

    /// Returns an empty span at the end of the last token.
    pub fn end_point(&self) -> Span {
        Span::new(self.last_end, self.last_end)
    }

    fn rest(&self) -> &'a [u8] {
        self.whole.get(self.at..).unwrap_or_default()
    }

    /// Skips white space and comments. Returns true if a line ended.
    fn skip_blanks(&mut self) -> bool {
        let start = self.at;
        loop {
            let rest = self.rest();
            // The engine compares signed characters with a blank: bytes from 0x80 are white space.
            let blanks: Matched<'_> = take_while(|byte: u8| (1..=b' ').contains(&byte) || byte >= 0x80).parse(rest);
            self.at += blanks.map_or(0, |(_, blanks)| blanks.len());
            match self.rest() {
                [b'/', b'/', ..] => {
                    let line: Matched<'_> = take_till(|byte| byte == b'\n').parse(self.rest());
                    self.at += line.map_or(0, |(_, line)| line.len());
                }
                [b'/', b'*', inside @ ..] => self.block_comment(inside),
                _ => break,
            }
        }
        self.whole.get(start..self.at).unwrap_or_default().contains(&b'\n')
    }

    // comment ::= '/*' to the first '*/'
    fn block_comment(&mut self, inside: &[u8]) {
        let start = self.at;
        let length = inside.windows(2).position(|pair| pair == b"*/");
        let text = length.and_then(|length| inside.get(..length)).unwrap_or(inside);
        if let Some(nested) = text.windows(2).position(|pair| pair == b"/*") {
            let at = start + 2 + nested;
            self.add(FaultKind::NestedComment, Span::new(at, at + 2));
        }
        self.at += 2 + length.map_or(inside.len(), |length| length + 2);
        if length.is_none() {
            self.add(FaultKind::OpenComment, Span::new(start, start + 2));
        }
    }

    /// Returns the next word. Returns `None` at the end and at an unreadable word. Such a word ends a decl, but a file
    /// continues after it.
    pub fn next(&mut self) -> Option<Token<'a>> {
        let starts_line = self.skip_blanks();
        let start = self.at;
        let rest = self.rest();
        // For every reader in C, a 0 byte ends the file.
        if rest.first().is_none_or(|&byte| byte == 0) {
            self.at = self.whole.len();
            return None;
        }
        match scan(rest) {
            Ok((kind, text, length)) => {
                self.at += length;
                let mut token = Token { kind, text: Cow::Borrowed(text), span: Span::new(start, self.at), starts_line };
                if kind == TokenKind::String {
                    self.join(&mut token);
                }
                self.last_end = self.at;
                Some(token)
            }
            Err((kind, length)) => {
                // The engine continues after the word, but never passes a byte that begins no word.
                self.at = if matches!(kind, FaultKind::Character { .. }) { self.whole.len() } else { start + length };
                self.last_end = self.at;
                self.add(kind, Span::new(start, start + length));
                None
            }
        }
    }

    /// `"a" \ "b"` is one string.
    fn join(&mut self, token: &mut Token<'a>) {
        loop {
            let mut ahead = self.ahead();
            ahead.skip_blanks();
            let [b'\\', ..] = ahead.rest() else { return };
            ahead.at += 1;
            ahead.skip_blanks();
            let Ok((TokenKind::String, text, length)) = scan(ahead.rest()) else { return };
            self.at = ahead.at + length;
            self.faults.append(&mut ahead.faults);
            token.text.to_mut().extend(text);
            token.span.end = Span::new(0, self.at).end;
        }
    }

    /// Returns a second lexer that starts at the current position and has its own faults.
    fn ahead(&self) -> Self {
        Self { faults: Vec::new(), ..*self }
    }

    /// Returns the next word without taking it.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.ahead().next()
    }

    /// Returns the next word if it is on the same line.
    pub fn next_on_line(&mut self) -> Option<Token<'a>> {
        self.peek().filter(|token| !token.starts_line).and_then(|_| self.next())
    }

    /// Takes the next word if it is this one.
    pub fn eat(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_exactly(word));
        if found {
            self.next();
        }
        found
    }

    /// Skips the rest of the line, comments included.
    pub fn skip_line(&mut self) -> Span {
        let start = self.at;
        let line: Matched<'_> = take_till(|byte| byte == b'\n').parse(self.rest());
        self.at += line.map_or(0, |(_, line)| line.len());
        self.last_end = self.at;
        Span::new(start, self.at)
    }

    /// Reads a number with an optional minus.
    pub fn float(&mut self) -> Result<f64, FaultKind> {
        let Some(token) = self.next() else { return Err(FaultKind::UnexpectedEnd { expected: "a number" }) };
        let (sign, token) = match token.is_exactly("-") {
            true => (-1.0, self.next().unwrap_or(token)),
            false => (1.0, token),
        };
        match token.kind {
            TokenKind::Number(value, _) => Ok(sign * value),
            _ => Err(FaultKind::Expected { expected: "a number", found: token.to_text() }),
        }
    }

    /// Skips past the brace that closes the one just read. Returns false if the text ends first.
    pub fn skip_braces(&mut self) -> bool {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next() {
                Some(token) if token.kind == TokenKind::Punctuation && token.is_exactly("{") => depth += 1,
                Some(token) if token.kind == TokenKind::Punctuation && token.is_exactly("}") => depth -= 1,
                Some(_) => {}
                None => return false,
            }
        }
        true
    }
}

/// Punctuation of more than one character, longer marks first. Words that begin with a slash, a backslash or a dot are
/// names.
const LONG: [&str; 21] = [
    ">>=", "<<=", "##", "&&", "||", ">=", "<=", "==", "!=", "*=", "%=", "+=", "-=", "++", "--", "&=", "|=", "^=", ">>",
    "<<", "->",
];

/// Returns the word at the beginning of `input` as kind, text and length with quotes. Otherwise returns a fault and its
/// length in bytes.
fn scan(input: &[u8]) -> Result<(TokenKind, &[u8], usize), (FaultKind, usize)> {
    match input {
        [quote @ (b'"' | b'\''), after @ ..] => {
            let inside: Matched<'_> = take_till(|byte| byte == *quote || byte == b'\n').parse(after);
            let (rest, text) = inside.unwrap_or((&[], after));
            if rest.first() != Some(quote) {
                return Err((FaultKind::OpenString, text.len() + 1));
            }
            let kind = if *quote == b'"' { TokenKind::String } else { TokenKind::Literal };
            Ok((kind, text, text.len() + 2))
        }
        [b'0'..=b'9', ..] | [b'.', b'0'..=b'9', ..] => number(input),
        _ => {
            if let Ok((_, text)) = name(input) {
                return Ok((TokenKind::Name, text, text.len()));
            }
            let long = LONG.iter().map(|mark| mark.as_bytes()).find(|mark| input.starts_with(mark));
            let mark = long.or_else(|| input.get(..1)).unwrap_or_default();
            match mark {
                [byte] if !b"*%+-=&|^~!><,;:?(){}[]#$".contains(byte) => Err((FaultKind::Character { byte: *byte }, 1)),
                _ => Ok((TokenKind::Punctuation, mark, mark.len())),
            }
        }
    }
}

// name ::= (letter | '_' | '/' | '\' | '.') { letter | digit | '_' | '/' | '\' | ':' | '.' }
fn name(input: &[u8]) -> Matched<'_> {
    let first = |byte: u8| byte.is_ascii_alphabetic() || b"_/\\.".contains(&byte);
    let more = |byte: u8| byte.is_ascii_alphanumeric() || b"_/\\:.".contains(&byte);
    recognize((take_while_m_n(1, 1, first), take_while(more))).parse(input)
}

/// Reads a number in C's spelling, with the suffixes that the engine skips.
fn number(input: &[u8]) -> Result<(TokenKind, &[u8], usize), (FaultKind, usize)> {
    let digits = |base: u32| move |byte: u8| char::from(byte).is_digit(base);
    let whole = |base: u32, text: &[u8]| {
        let add = |sum: u64, &byte: &u8| {
            let digit = char::from(byte).to_digit(base).unwrap_or(0);
            sum.wrapping_mul(base.into()).wrapping_add(digit.into())
        };
        // The engine keeps 32 bits.
        f64::from(text.iter().fold(0, add) as u32)
    };
    let suffixed = |text: &[u8], letters: &[u8], most: usize| {
        let after = input.get(text.len()..).unwrap_or_default();
        text.len() + after.iter().take(most).take_while(|byte| letters.contains(byte)).count()
    };
    let prefixed = |prefix: &'static str, base| {
        let marks = [prefix.as_bytes(), &prefix.to_ascii_uppercase().into_bytes()].map(<[u8]>::to_vec);
        let scanned: Matched<'_> =
            preceded(alt((tag(marks[0].as_slice()), tag(marks[1].as_slice()))), take_while(digits(base))).parse(input);
        scanned.ok().map(|(_, text)| (whole(base, text), text.len() + 2))
    };
    if let Some((value, length)) = prefixed("0x", 16).or_else(|| prefixed("0b", 2)) {
        let text = input.get(..length).unwrap_or(input);
        return Ok((TokenKind::Number(value, true), text, suffixed(text, b"lLuU", 2)));
    }
    if let [b'0', after @ ..] = input
        && after.first() != Some(&b'.')
    {
        let octal: Matched<'_> = take_while(digits(8)).parse(after);
        let text = input.get(..1 + octal.map_or(0, |(_, text)| text.len())).unwrap_or(input);
        return Ok((TokenKind::Number(whole(8, text), true), text, suffixed(text, b"lLuU", 2)));
    }
    let mantissa: Matched<'_> = take_while1(|byte: u8| byte.is_ascii_digit() || byte == b'.').parse(input);
    let (_, mantissa) = mantissa.map_err(|_| (FaultKind::Character { byte: b'.' }, 1))?;
    let dots = mantissa.iter().filter(|&&byte| byte == b'.').count();
    if dots > 1 {
        return Err((FaultKind::TwoDots, mantissa.len()));
    }
    let behind = input.get(mantissa.len()..).unwrap_or_default();
    if dots == 1 && behind.first() == Some(&b'#') {
        return Err((FaultKind::NotFinite, mantissa.len() + 4));
    }
    let exponent: Matched<'_> =
        recognize((char('e'), opt(one_of("+-")), take_while(|byte: u8| byte.is_ascii_digit()))).parse(behind);
    let exponent = exponent.map_or(&[][..], |(_, exponent)| exponent);
    let text = input.get(..mantissa.len() + exponent.len()).unwrap_or(input);
    if dots == 0 && exponent.is_empty() {
        return Ok((TokenKind::Number(whole(10, text), true), text, suffixed(text, b"lLuU", 2)));
    }
    let written = std::str::from_utf8(text).unwrap_or_default();
    // `1e` and `1e-` are numbers to the engine, as are `.5` and `1.`.
    let value: f64 = written.trim_end_matches(['+', '-']).trim_end_matches('e').parse().unwrap_or(0.0);
    Ok((TokenKind::Number(f64::from(value as f32), false), text, suffixed(text, b"fFlL", 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut lexer = Lexer::new(text.as_bytes(), Span::new(0, text.len()));
        std::iter::from_fn(|| lexer.next()).map(|token| token.to_text()).collect()
    }

    fn numbers(text: &str) -> Vec<f64> {
        let mut lexer = Lexer::new(text.as_bytes(), Span::new(0, text.len()));
        std::iter::from_fn(|| lexer.next()).map(|token| token.number()).collect()
    }

    #[test]
    fn names_are_paths_and_end_at_a_minus() {
        assert_eq!(words("models/foo-bar a\\b:c.tga"), ["models/foo", "-", "bar", "a\\b:c.tga"]);
        assert_eq!(words("\"a-b \\c\" 8--4 x//y /z"), ["a-b \\c", "8", "--", "4", "x//y", "/z"]);
        assert_eq!(words("a/* b */c // d\ne\u{e9}f 'x'"), ["a/", "*", "b", "*", "/c", "e", "f", "x"]);
        assert_eq!(words("\"a\" \\\n \"b\" \"c\""), ["ab", "c"]);
    }

    #[test]
    fn numbers_are_those_of_c() {
        assert_eq!(
            numbers("10 010 0x1F 0b101 1.5 .5 1. 2e1 0.25f 7u"),
            [10.0, 8.0, 31.0, 5.0, 1.5, 0.5, 1.0, 20.0, 0.25, 7.0]
        );
        // `08` is 0, then 8: an octal number ends before a digit that it cannot contain.
        assert_eq!(numbers("08"), [0.0, 8.0]);
    }

    #[test]
    fn unreadable_words_are_faults_and_all_but_a_stray_byte_are_passed() {
        for (text, kind, next) in [
            ("1.2.3", FaultKind::TwoDots, Some("after")),
            ("1.#IND", FaultKind::NotFinite, Some("after")),
            ("\"abc\n", FaultKind::OpenString, Some("after")),
            ("@", FaultKind::Character { byte: b'@' }, None),
        ] {
            let text = format!("before {text} after");
            let mut lexer = Lexer::new(text.as_bytes(), Span::new(0, text.len()));
            assert!(lexer.next().is_some() && lexer.next().is_none());
            assert_eq!(lexer.next().map(|token| token.to_text()).as_deref(), next, "{text}");
            assert_eq!(lexer.faults.len(), 1);
            assert_eq!((&lexer.faults[0].kind, lexer.faults[0].span.start), (&kind, 7));
        }
    }
}
