//! `BinaryBlock`: objects of a binary file. Lists before the first inner object are read in advance, and single
//! integers are lost.

use super::super::binary_sign;
use super::Kind;
use super::text::lossy;
use super::thrown::{Try, not_in_list, throw};
use crate::codes::x as rules;
use bindpose_parsers::x::FloatSize;
use std::borrow::Cow;
use std::collections::VecDeque;

/// A token as read by the program.
enum Token<'a> {
    Integers,
    Floats,
    Word(Cow<'a, [u8]>),
}

/// An object, and the position up to which it was read.
pub(super) struct BinaryBlock<'a> {
    bytes: &'a [u8],
    /// Offset of the first byte in the file.
    origin: usize,
    at: usize,
    float_size: FloatSize,
    pub kind: Kind,
    pub label: Vec<u8>,
    /// Integers, signed or not, in 32 bits.
    integers: VecDeque<u32>,
    floats: VecDeque<f64>,
    strings: VecDeque<Cow<'a, [u8]>>,
    level: i64,
}

impl<'a> BinaryBlock<'a> {
    /// Creates a block for everything after the header. A leading Header object is read as lists and strings.
    pub(super) fn whole(bytes: &'a [u8], origin: usize, float_size: FloatSize) -> Try<Self> {
        Self::new(bytes, origin, float_size, Kind::NONE, Vec::new())
    }

    fn new(bytes: &'a [u8], origin: usize, float_size: FloatSize, kind: Kind, label: Vec<u8>) -> Try<Self> {
        let (integers, floats, strings) = (VecDeque::new(), VecDeque::new(), VecDeque::new());
        let mut block = Self { bytes, origin, at: 0, float_size, kind, label, integers, floats, strings, level: 0 };
        let is_whole = kind == Kind::NONE;
        while block.has_any() {
            let start = block.at;
            match block.token()? {
                Token::Integers => {
                    let count = block.count()?;
                    for _ in 0..count.max(0) {
                        // Before all objects, integers are read as two bytes.
                        let value = if is_whole { block.short()?.into() } else { block.long()? };
                        block.integers.push_back(value);
                    }
                }
                Token::Floats => {
                    let count = block.count()?;
                    for _ in 0..count.max(0) {
                        let value = block.float()?;
                        block.floats.push_back(value);
                    }
                }
                Token::Word(word) => {
                    let inner = Kind::parse(&word);
                    block.strings.push_back(word);
                    if inner.is_some_and(|inner| !(is_whole && inner == Kind::HEADER)) {
                        block.at = start;
                        break;
                    }
                }
            }
        }
        Ok(block)
    }

    pub(super) fn origin(&self) -> usize {
        self.origin + self.at.min(self.bytes.len())
    }

    pub(super) fn has_any(&self) -> bool {
        self.at < self.bytes.len()
    }

    pub(super) fn has_more(&self) -> bool {
        self.at + 5 < self.bytes.len()
    }

    fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    fn take<const N: usize>(&mut self) -> Try<[u8; N]> {
        match self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(&bytes) => {
                self.at += N;
                Ok(bytes)
            }
            None => throw(rules::TOKEN_CUT, self.origin(), "Unable to read beyond the end of the stream."),
        }
    }

    fn short(&mut self) -> Try<u16> {
        self.take().map(u16::from_le_bytes)
    }

    fn long(&mut self) -> Try<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn count(&mut self) -> Try<i32> {
        self.take().map(i32::from_le_bytes)
    }

    fn float(&mut self) -> Try<f64> {
        match self.float_size {
            FloatSize::F32 => self.take().map(|bytes| f32::from_le_bytes(bytes).into()),
            FloatSize::F64 => self.take().map(f64::from_le_bytes),
        }
    }

    /// Reads up to `count` bytes; fewer at the end.
    fn bytes(&mut self, count: i32) -> Try<&'a [u8]> {
        let Ok(count) = usize::try_from(count) else {
            return throw(rules::TOKEN_CUT, self.origin(), "Non-negative number required.");
        };
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let bytes = rest.get(..count.min(rest.len())).unwrap_or_default();
        self.at += bytes.len();
        Ok(bytes)
    }

    fn token(&mut self) -> Try<Token<'a>> {
        const EMPTY: &[u8] = b"";
        let word: &'static [u8] = match self.short()? {
            0 => {
                self.long()?;
                EMPTY
            }
            1 => {
                if self.left() < 4 {
                    return Ok(Token::Word(EMPTY.into()));
                }
                let count = self.count()?;
                return self.bytes(count).map(|bytes| Token::Word(bytes.into()));
            }
            2 => {
                if self.left() < 4 {
                    return Ok(Token::Word(EMPTY.into()));
                }
                let count = self.count()?;
                // A string right before the end is read as tokens.
                if i64::from(count) + 4 > self.left() as i64 {
                    return Ok(Token::Word(EMPTY.into()));
                }
                return self.bytes(count).map(|bytes| Token::Word(bytes.into()));
            }
            3 => {
                self.bytes(4)?;
                EMPTY
            }
            5 => {
                self.bytes(16)?;
                EMPTY
            }
            6 if self.left() >= 4 => return Ok(Token::Integers),
            7 if self.left() >= 4 => return Ok(Token::Floats),
            // Keywords, none of which is a type of object.
            40..=52 => b"DWORD",
            sign => binary_sign(sign).unwrap_or(EMPTY),
        };
        Ok(Token::Word(word.into()))
    }

    /// Reads the next object.
    pub(super) fn next_object(&mut self) -> Try<BinaryBlock<'a>> {
        let place = self.origin();
        let name = match self.token()? {
            Token::Word(word) => word,
            Token::Integers => b"int_list".as_slice().into(),
            Token::Floats => b"float_list".as_slice().into(),
        };
        let Some(kind) = Kind::parse(&name) else {
            let message = format!("Unable to parse {} into a valid token.", lossy(&name));
            return throw(rules::TYPE_NOT_LISTED, place, message);
        };
        let mut start = 0;
        while self.has_any() {
            match self.token()? {
                Token::Integers => self.skip(4)?,
                Token::Floats => self.skip(if self.float_size == FloatSize::F64 { 8 } else { 4 })?,
                Token::Word(word) => match &*word {
                    b"{" => {
                        if self.level == 0 {
                            start = self.at;
                        }
                        self.level += 1;
                    }
                    b"}" => {
                        self.level -= 1;
                        if self.level == 0 {
                            let bytes = self.bytes.get(start..self.at).unwrap_or_default();
                            return Self::new(bytes, self.origin + start, self.float_size, kind, self.label.clone());
                        }
                    }
                    word if self.level == 0 && kind == Kind::MATERIAL => self.label = word.to_vec(),
                    _ => {}
                },
            }
        }
        let message = "Reached the end of the binary block, but did not find the block terminator.";
        throw(rules::END_INSIDE, place, message)
    }

    /// Skips a list of elements of `size` bytes, possibly past the end.
    fn skip(&mut self, size: usize) -> Try {
        let count = self.count()?;
        let Ok(count) = usize::try_from(count) else {
            return throw(rules::TOKEN_CUT, self.origin(), "Non-negative number required.");
        };
        self.at = self.at.saturating_add(count.saturating_mul(size));
        Ok(())
    }

    pub(super) fn int(&mut self) -> Try<i32> {
        match self.integers.pop_front() {
            Some(value) => Ok(value as i32),
            None => not_in_list(rules::VALUES_MISSING, self.origin()),
        }
    }

    pub(super) fn single(&mut self) -> Try<f64> {
        match self.floats.pop_front() {
            Some(value) => Ok(value),
            None => not_in_list(rules::VALUES_MISSING, self.origin()),
        }
    }

    pub(super) fn string(&mut self) -> Cow<'a, [u8]> {
        self.strings.pop_front().unwrap_or_default()
    }
}
