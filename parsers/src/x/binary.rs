//! Lexer of binary files, which are little endian without alignment (docs/formats/x.md "Tokens of binary files").

use super::envelope::FloatSize;
use super::fault::Fault;
use super::numbers::Floats;
use super::report::{Error, FaultLog};
use super::token::{Guid, Token, Word, classes};
use crate::Span;
use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::{le_f32, le_f64, le_u16, le_u32};

/// Elements of the current list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum List {
    Integers,
    Floats,
}

/// Position in a binary file.
#[derive(Debug, Clone)]
pub(super) struct BinaryLexer<'a> {
    bytes: &'a [u8],
    at: usize,
    float_size: FloatSize,
    /// Remaining elements of the current list.
    list: Option<(List, usize)>,
    /// True if the last token was an element of a list. Such elements need no separator.
    in_list: bool,
}

impl<'a> BinaryLexer<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, float_size: FloatSize) -> Self {
        Self { bytes, at: at.min(bytes.len()), float_size, list: None, in_list: false }
    }

    pub(super) fn offset(&self) -> usize {
        self.at
    }

    pub(super) fn back_to(&mut self, offset: usize) -> bool {
        if !self.in_list {
            self.at = offset.min(self.at);
        }
        !self.in_list
    }

    pub(super) fn bytes_left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Returns the largest number of values that the rest of the file could contain. The smallest value is a list
    /// element of four bytes.
    pub(super) fn values_left(&self) -> usize {
        self.bytes_left() / 4
    }

    fn width(&self, list: List) -> usize {
        match (list, self.float_size) {
            (List::Floats, FloatSize::F64) => 8,
            _ => 4,
        }
    }

    /// Reads a payload with nom. Returns `None` past the end.
    #[inline]
    fn read<T>(&mut self, mut parser: impl Parser<&'a [u8], Output = T, Error = ()>) -> Option<T> {
        let (rest, value) = parser.parse(self.bytes.get(self.at..)?).ok()?;
        self.at = self.bytes.len() - rest.len();
        Some(value)
    }

    fn cut(&self, what: &'static str, needed: u64) -> Error {
        Error {
            kind: Fault::TokenCut { what, needed, left: self.bytes_left() },
            span: Span::new(self.at, self.bytes.len()),
        }
    }

    fn counted_bytes(&mut self, what: &'static str) -> Result<&'a [u8], Error> {
        let count = self.read(le_u32).ok_or_else(|| self.cut(what, 4))?;
        self.read(take(count)).ok_or_else(|| self.cut(what, count.into()))
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Span), Error> {
        while self.list.is_none() {
            let start = self.at;
            if let Some(token) = self.token()? {
                self.in_list = false;
                return Ok((token, Span::new(start, self.at)));
            }
        }
        self.in_list = true;
        self.element()
    }

    /// Begins a list if a complete list of the wanted kind comes next.
    #[inline]
    fn begin(&mut self, wanted: List) {
        if self.list.is_some() {
            return;
        }
        let id: u16 = if wanted == List::Integers { 6 } else { 7 };
        let Some([a, b, count @ ..]) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<6>()) else {
            return;
        };
        let count = u32::from_le_bytes(*count) as usize;
        let whole = count > 0 && count.checked_mul(4).is_some_and(|needed| needed <= self.bytes_left() - 6);
        if [*a, *b] == id.to_le_bytes() && whole {
            self.at += 6;
            self.list = Some((wanted, count));
        }
    }

    /// Returns the bytes of up to `count` elements of the current list, without its last element if a separator follows
    /// the list.
    #[inline]
    fn elements(&mut self, wanted: List, count: usize) -> &'a [[u8; 4]] {
        self.begin(wanted);
        let left = self.list.filter(|&(list, _)| list == wanted).map_or(0, |(_, left)| left);
        let (elements, _) = self.bytes.get(self.at..).unwrap_or_default().as_chunks();
        if count < left {
            return elements.get(..count).unwrap_or_default();
        }
        let end = self.at + 4 * left;
        let separated = matches!(self.bytes.get(end..).and_then(|rest| rest.first_chunk()), Some([19 | 20, 0]));
        elements.get(..left - usize::from(separated && left > 0)).unwrap_or_default()
    }

    /// Skips `count` elements of four bytes.
    #[inline]
    fn take(&mut self, count: usize) {
        if let Some((list, left)) = self.list.filter(|_| count > 0) {
            self.at += 4 * count;
            self.in_list = true;
            self.list = (left > count).then(|| (list, left - count));
        }
    }

    pub(super) fn quick_floats(&mut self, count: usize, to: &mut Floats) {
        if self.float_size != FloatSize::F32 {
            return;
        }
        let elements = self.elements(List::Floats, count);
        let values = elements.iter().map(|&element| f32::from_le_bytes(element));
        // One comparison for all is faster than a search.
        let finite = match values.clone().fold(true, |all, value| all & value.is_finite()) {
            true => elements.len(),
            false => values.clone().take_while(|value| value.is_finite()).count(),
        };
        to.extend(values.take(finite));
        self.take(finite);
    }

    pub(super) fn quick_integers(&mut self, count: usize, to: &mut Vec<u32>) {
        let elements = self.elements(List::Integers, count);
        to.extend(elements.iter().map(|&element| u32::from_le_bytes(element)));
        self.take(elements.len());
    }

    #[inline]
    pub(super) fn quick_counted(&mut self, most: u64, to: &mut Vec<u32>) -> u64 {
        let mut read = 0;
        while read < most {
            let elements = self.elements(List::Integers, usize::MAX);
            let mut length = 0_usize;
            while read < most {
                let Some(&count) = elements.get(length) else { break };
                let end = length.saturating_add(1).saturating_add(u32::from_le_bytes(count) as usize);
                if end > elements.len() {
                    break;
                }
                (length, read) = (end, read + 1);
            }
            let Some(whole @ [_, ..]) = elements.get(..length) else { break };
            to.extend(whole.iter().map(|&element| u32::from_le_bytes(element)));
            self.take(length);
        }
        read
    }

    #[inline]
    pub(super) fn quick_key(&mut self, integers: &mut Vec<u32>, floats: &mut Floats) -> bool {
        let (at, list, in_list) = (self.at, self.list, self.in_list);
        if let &[first, count] = self.elements(List::Integers, 2)
            && self.float_size == FloatSize::F32
        {
            self.take(2);
            let length = u32::from_le_bytes(count) as usize;
            let elements = self.elements(List::Floats, length);
            let values = elements.iter().map(|&element| f32::from_le_bytes(element));
            if elements.len() == length && values.clone().all(f32::is_finite) {
                self.take(length);
                integers.extend([first, count].map(u32::from_le_bytes));
                floats.extend(values);
                return true;
            }
        }
        (self.at, self.list, self.in_list) = (at, list, in_list);
        false
    }

    /// Reads one element of the current list.
    #[inline]
    fn element(&mut self) -> Result<(Token<'a>, Span), Error> {
        let start = self.at;
        let token = match (self.list, self.float_size) {
            (Some((List::Floats, _)), FloatSize::F32) => self.read(le_f32).map(|value| Token::Float(value.into())),
            (Some((List::Floats, _)), FloatSize::F64) => self.read(le_f64).map(Token::Float),
            _ => self.read(le_u32).map(Token::Integer),
        };
        self.list = self.list.and_then(|(list, left)| (left > 1).then_some((list, left - 1)));
        // The length was checked at the beginning of the list.
        let token = token.ok_or_else(|| self.cut("a list", 4))?;
        Ok((token, Span::new(start, self.at)))
    }

    /// Reads the number of a token. Returns `None` at the end of the file. A single byte there is not a token, and zero
    /// bytes are padding, of which Luanti from 5.17 needs two.
    fn id(&mut self) -> Option<u16> {
        let rest = self.bytes.get(self.at..)?;
        if rest.iter().all(|&byte| byte == 0) {
            self.at = self.bytes.len();
        }
        self.read(le_u16)
    }

    /// Reads one token. Returns `None` if it begins a list.
    fn token(&mut self) -> Result<Option<Token<'a>>, Error> {
        let start = self.at;
        let Some(id) = self.id() else { return Ok(Some(Token::End)) };
        let token = match id {
            1 => {
                let bytes = self.counted_bytes("a name")?;
                // Some writers include a terminating zero in the length.
                let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                word(bytes.get(..end).unwrap_or_default())
            }
            2 => Token::Text(self.counted_bytes("a string")?),
            3 => Token::Integer(self.read(le_u32).ok_or_else(|| self.cut("an integer", 4))?),
            5 => {
                let parts = self.read((le_u32, le_u16, le_u16, take(8_usize)));
                let (a, b, c, d) = parts.ok_or_else(|| self.cut("a GUID", 16))?;
                let mut guid = [0; 16];
                let parts = [&a.to_be_bytes()[..], &b.to_be_bytes(), &c.to_be_bytes(), d];
                guid.iter_mut().zip(parts.into_iter().flatten()).for_each(|(to, from)| *to = *from);
                Token::Guid(Some(Guid(guid)))
            }
            6 | 7 => {
                let (list, what) =
                    if id == 6 { (List::Integers, "an integer list") } else { (List::Floats, "a float list") };
                let count = self.read(le_u32).ok_or_else(|| self.cut(what, 4))?;
                let needed = u64::from(count) * self.width(list) as u64;
                if needed > self.bytes_left() as u64 {
                    return Err(Error {
                        kind: Fault::TokenCut { what, needed, left: self.bytes_left() },
                        span: Span::new(start, self.at),
                    });
                }
                // An empty list is not a token.
                self.list = usize::try_from(count).ok().filter(|&count| count > 0).map(|count| (list, count));
                return Ok(None);
            }
            10 => Token::Open,
            11 => Token::Close,
            12 => Token::Mark(b'('),
            13 => Token::Mark(b')'),
            14 => Token::Mark(b'['),
            15 => Token::Mark(b']'),
            16 => Token::Mark(b'<'),
            17 => Token::Mark(b'>'),
            18 => Token::Mark(b'.'),
            19 => Token::Comma,
            20 => Token::Semicolon,
            31 => word(b"template"),
            40 => word(b"WORD"),
            41 => word(b"DWORD"),
            42 => word(b"FLOAT"),
            43 => word(b"DOUBLE"),
            44 => word(b"CHAR"),
            45 => word(b"UCHAR"),
            46 => word(b"SWORD"),
            47 => word(b"SDWORD"),
            48 => word(b"VOID"),
            49 => word(b"STRING"),
            50 => word(b"UNICODE"),
            51 => word(b"CSTRING"),
            52 => word(b"array"),
            id => return Err(Error { kind: Fault::UnknownToken { id }, span: Span::new(start, self.at) }),
        };
        Ok(Some(token))
    }

    #[inline]
    pub(super) fn separators(&mut self, log: &mut FaultLog) -> Result<(), Error> {
        if self.list.is_some() {
            return Ok(());
        }
        let start = self.at;
        if !self.in_list {
            let semicolons = self.skip(20, usize::MAX);
            if semicolons + self.skip(19, 1) == 0 {
                return log.fault(Fault::MissingSeparator, Span::new(start, start));
            }
        }
        let extra = self.at;
        while self.skip(19, usize::MAX) + self.skip(20, usize::MAX) > 0 {}
        match self.at > extra {
            true => log.fault(Fault::ExtraSeparator, Span::new(extra, extra + 2)),
            false => Ok(()),
        }
    }

    /// Skips up to `most` tokens of one kind, and returns the number skipped.
    fn skip(&mut self, id: u16, most: usize) -> usize {
        let mut count = 0;
        while count < most && self.bytes.get(self.at..self.at + 2) == Some(&id.to_le_bytes()) {
            self.at += 2;
            count += 1;
        }
        count
    }

    /// Skips past the `}` that closes the current block. Returns false if the file ends first.
    pub(super) fn skip_block(&mut self) -> Result<bool, Error> {
        let mut depth = 1_usize;
        loop {
            // Skip a list as a whole.
            if let Some((list, left)) = self.list.take() {
                self.at += left * self.width(list);
            }
            match self.token()? {
                Some(Token::Open) => depth += 1,
                Some(Token::Close) => depth -= 1,
                Some(Token::End) => return Ok(false),
                _ => {}
            }
            if depth == 0 {
                self.in_list = false;
                return Ok(true);
            }
        }
    }
}

fn word(bytes: &[u8]) -> Token<'_> {
    Token::Word(Word { bytes, classes: classes(bytes) })
}
