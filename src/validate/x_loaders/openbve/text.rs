//! `TextualBlock`: objects of a text file, cut from their parent's text.

use super::Kind;
use super::thrown::{Thrown, Try, past_the_end, throw};
use crate::c::is_space;
use crate::codes::x as rules;

/// Text as prepared by the program, with the file offset of each byte.
#[derive(Default)]
pub(super) struct Text {
    pub bytes: Vec<u8>,
    origins: Vec<u32>,
}

impl Text {
    pub(super) fn push(&mut self, byte: u8, origin: usize) {
        self.bytes.push(byte);
        self.origins.push(u32::try_from(origin).unwrap_or(u32::MAX));
    }

    /// Returns the file offset of a byte, or of the last one.
    pub(super) fn origin(&self, at: usize) -> usize {
        self.origins.get(at).or(self.origins.last()).map_or(0, |&origin| origin as usize)
    }

    /// Returns a part of the text, with every run of white space replaced by one space.
    pub(super) fn collapsed(&self, range: std::ops::Range<usize>) -> Text {
        let mut text = Text::default();
        let part = self.bytes.get(range.clone()).unwrap_or_default();
        let mut next = part.iter().skip(1);
        for (at, &byte) in part.iter().enumerate() {
            let is_followed_by_space = next.next().is_some_and(|&next| is_space(next));
            if !is_space(byte) {
                text.push(byte, self.origin(range.start + at));
            } else if !is_followed_by_space {
                text.push(b' ', self.origin(range.start + at));
            }
        }
        text
    }
}

/// Returns the range without white space at its ends.
fn trimmed(bytes: &[u8], range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let part = bytes.get(range.clone()).unwrap_or_default();
    let Some(first) = part.iter().position(|&byte| !is_space(byte)) else { return range.start..range.start };
    let last = part.iter().rposition(|&byte| !is_space(byte)).unwrap_or(first);
    range.start + first..range.start + last + 1
}

/// The next object in a text.
pub(super) struct NextObject {
    pub range: std::ops::Range<usize>,
    pub kind: Kind,
}

/// Types of object that may come next, and the reader that searches for them.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    Any,
    /// Only this type.
    One(Kind),
    /// A material or a reference to one: anything without a known type.
    Material,
}

/// An object, and the position up to which it was read.
pub(super) struct TextBlock<'t> {
    pub text: &'t Text,
    start: usize,
    end: usize,
    at: usize,
    pub kind: Kind,
    pub label: &'t [u8],
    /// File offset of the first number that was cut at an exponent.
    pub exponent: Option<usize>,
}

impl<'t> TextBlock<'t> {
    /// Creates a block for a whole prepared text.
    pub(super) fn whole(text: &'t Text) -> Self {
        let range = trimmed(&text.bytes, 0..text.bytes.len());
        Self { text, start: range.start, end: range.end, at: range.start, kind: Kind::NONE, label: &[], exponent: None }
    }

    /// Creates a block for an object in a text, and reads its head.
    pub(super) fn new(text: &'t Text, found: NextObject) -> Try<Self> {
        let NextObject { range, kind } = found;
        let mut block =
            Self { text, start: range.start, end: range.end, at: range.start, kind, label: &[], exponent: None };
        block.skip_to(b'{')?;
        if kind == Kind::TEXTURE_KEY {
            block.read_reference()?;
            return Ok(block);
        }
        if block.at == block.start {
            return throw(rules::SYNTAX, block.origin(), format!("Token {} was not found.", kind.name()));
        }
        let head = block.part(block.start, block.at);
        let space = head.iter().position(|&byte| byte == b' ');
        let word = head.get(..space.unwrap_or(head.len())).unwrap_or_default();
        if let Some(space) = space {
            block.label = head.get(space..).unwrap_or_default().trim_ascii();
        }
        match Kind::parse(word) {
            None => throw(rules::SYNTAX, block.origin(), format!("Invalid token {}", lossy(word))),
            Some(found) if found != kind => {
                let message = format!("Expected the {} token, got {}", kind.name(), found.name());
                throw(rules::SYNTAX, block.origin(), message)
            }
            Some(_) => {
                block.at += 1;
                Ok(block)
            }
        }
    }

    /// Reads `{name}`. A name of one letter counts as missing.
    fn read_reference(&mut self) -> Try {
        self.at += 1;
        let first = self.at;
        self.skip_to(b'}')?;
        let length = self.at - self.start - 1;
        let is_short = self.at - 1 <= first;
        if is_short && self.at + 1 == self.end {
            return Ok(());
        }
        let end = first + length;
        if end > self.end {
            return throw(rules::SYNTAX, self.origin(), "Index and length must refer to a location within the string.");
        }
        self.label = self.part(first, end).trim_ascii();
        self.at += usize::from(is_short);
        Ok(())
    }

    fn part(&self, from: usize, to: usize) -> &'t [u8] {
        self.text.bytes.get(from..to).unwrap_or_default()
    }

    pub(super) fn origin(&self) -> usize {
        self.text.origin(self.at)
    }

    /// True while more than five characters are left. The rest of an object is ignored.
    pub(super) fn has_more(&self) -> bool {
        self.at + 5 < self.end
    }

    #[inline]
    fn byte(&self) -> Try<u8> {
        match self.text.bytes.get(self.at) {
            Some(&byte) if self.at < self.end => Ok(byte),
            _ => past_the_end(self.origin()),
        }
    }

    fn skip_to(&mut self, byte: u8) -> Try {
        match memchr::memchr(byte, self.part(self.at, self.end)) {
            Some(distance) => {
                self.at += distance;
                Ok(())
            }
            None => {
                self.at = self.end;
                past_the_end(self.origin())
            }
        }
    }

    /// Finds the next object.
    pub(super) fn find(&mut self, wanted: Wanted) -> Try<NextObject> {
        let mut start = self.at;
        while self.byte()? == b';' {
            self.at += 1;
            start += 1;
        }
        let head = loop {
            let Some(distance) = memchr::memchr2(b'{', b'}', self.part(self.at, self.end)) else {
                self.at = self.end;
                break start..start;
            };
            self.at += distance + 1;
            if self.text.bytes.get(self.at - 1) == Some(&b'{') {
                break trimmed(&self.text.bytes, start..self.at - 1);
            }
            // The brace of an object that was closed too late.
            start = self.at;
        };
        let place = self.text.origin(head.start);
        let word = self.part(head.start, head.end);
        if word.is_empty() && !matches!(wanted, Wanted::Material) {
            return throw(rules::SYNTAX, place, "Exception of type 'System.Exception' was thrown.");
        }
        let word = word.split(|&byte| byte == b' ').next().unwrap_or_default();
        let kind = match (Kind::parse(word), wanted) {
            (Some(kind), _) => kind,
            (None, Wanted::Material) => Kind::TEXTURE_KEY,
            (None, _) => return throw(rules::TYPE_NOT_LISTED, place, format!("Unrecognised token {}", lossy(word))),
        };
        match wanted {
            Wanted::One(one) if one != kind => {
                let message = format!("Expected the {} token, got {}", one.name(), kind.name());
                return throw(rules::SYNTAX, place, message);
            }
            Wanted::Material if kind != Kind::MATERIAL && kind != Kind::TEXTURE_KEY => {
                let message = "Expected one of the following tokens: Object.DirectX.TemplateID[] , got ";
                return throw(rules::SYNTAX, place, format!("{message}{}", kind.name()));
            }
            _ => {}
        }
        self.close(place)?;
        Ok(NextObject { range: trimmed(&self.text.bytes, start..self.at), kind })
    }

    /// Skips to after the closing brace of an object. After an inner one, one character is ignored.
    fn close(&mut self, place: usize) -> Try {
        let mut level = 0_usize;
        while let Some(distance) = memchr::memchr2(b'{', b'}', self.part(self.at, self.end)) {
            self.at += distance + 1;
            if self.text.bytes.get(self.at - 1) == Some(&b'{') {
                level += 1;
                continue;
            }
            if level == 0 {
                return Ok(());
            }
            level -= 1;
            self.at += 1;
        }
        self.at = self.end;
        throw(rules::END_INSIDE, place, format!("Unexpected end of block in {}", self.kind.name()))
    }

    /// Reads the next number, string or GUID. Returns an empty result for anything else, which is not consumed.
    fn value(&mut self) -> Try<&'t [u8]> {
        while matches!(self.byte()?, b';' | b',') || is_space(self.byte()?) {
            self.at += 1;
        }
        let first = self.at;
        let closing = match self.byte()? {
            b'"' => b'"',
            b'<' => b'>',
            _ => {
                let rest = self.part(self.at, self.end);
                let is_number = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'+' | b'-');
                let length = rest.iter().position(|byte| !is_number(byte)).unwrap_or(rest.len());
                self.at += length;
                if matches!(self.byte()?, b'e' | b'E') && length > 0 && self.exponent.is_none() {
                    self.exponent = Some(self.text.origin(first));
                }
                return Ok(self.part(first, self.at));
            }
        };
        self.at += 1;
        self.skip_to(closing)?;
        self.at += 1;
        Ok(self.part(first + 1, self.at - 1).trim_ascii())
    }

    fn skip_spaces(&mut self) -> Try {
        while is_space(self.byte()?) {
            self.at += 1;
        }
        Ok(())
    }

    fn unreadable<T>(&self, word: &[u8], at: usize, kind: &str) -> Try<T> {
        let message = format!("Unable to parse {} to a valid {kind} in block {}", lossy(word), self.kind.name());
        throw(rules::SYNTAX, self.text.origin(at), message)
    }

    /// Reads an integer that fits into `T`.
    pub(super) fn int<T: TryFrom<i64>>(&mut self) -> Try<T> {
        let at = self.at;
        let word = self.value()?;
        self.skip_spaces()?;
        match integer(word).and_then(|value| T::try_from(value).ok()) {
            Some(value) => Ok(value),
            None => self.unreadable(word, at, "integer"),
        }
    }

    /// Reads a number and one character after it.
    pub(super) fn single(&mut self) -> Try<f64> {
        let at = self.at;
        let word = self.value()?;
        self.at += 1;
        match number(word) {
            Some(value) => Ok(value),
            None => self.unreadable(word, at, "float"),
        }
    }

    pub(super) fn string(&mut self) -> Try<&'t [u8]> {
        let rest = self.part(self.at, self.end);
        self.at += rest.iter().position(|&byte| !is_space(byte)).unwrap_or(rest.len());
        self.value()
    }
}

pub(super) fn lossy(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

/// Parses as `NumberStyles.Number`: a sign before or after, and one point.
fn number(word: &[u8]) -> Option<f64> {
    let (sign, digits) = match word {
        [b'-', digits @ ..] | [digits @ .., b'-'] => (-1.0, digits),
        [b'+', digits @ ..] | [digits @ .., b'+'] => (1.0, digits),
        digits => (1.0, digits),
    };
    let is_plain = digits.iter().all(|&byte| byte.is_ascii_digit() || byte == b'.');
    let text = std::str::from_utf8(digits).ok().filter(|_| is_plain && digits.iter().any(u8::is_ascii_digit))?;
    text.parse::<f64>().ok().map(|value| sign * value)
}

/// Parses a number whose fraction is zero.
fn integer(word: &[u8]) -> Option<i64> {
    let value = number(word)?;
    (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
}

impl Thrown {
    /// Returns the same exception, attributed to an earlier number whose exponent was not read.
    pub(super) fn after(self, exponent: Option<usize>) -> Self {
        match exponent.filter(|&at| at < self.at) {
            Some(at) => Thrown { rule: rules::ODD_NUMBER, at, ..self },
            None => self,
        }
    }
}
