//! Text and binary files as one stream of tokens.

use super::binary::BinaryLexer;
use super::envelope::Format;
use super::fault::Fault;
use super::numbers::Floats;
use super::report::{Error, Report, quote};
use super::text::TextLexer;
use crate::Span;

/// A 128-bit identifier as four groups, in the order in which it is printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guid(pub [u8; 16]);

impl std::fmt::Display for Guid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (place, byte) in self.0.iter().enumerate() {
            let dash = if matches!(place, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(f, "{dash}{byte:02X}")?;
        }
        Ok(())
    }
}

impl std::fmt::Debug for Guid {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{self}>")
    }
}

/// The smallest piece that has a meaning.
///
/// Words of a text file are not told apart here, because `5`, `1.#IND` and `Bone 1` are names in one place and
/// numbers in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    /// A name, a keyword, and in text files a number.
    Word(Word<'a>),
    /// An integer of a binary file.
    Integer(u32),
    /// A float of a binary file.
    Float(f64),
    /// A string without its quotes.
    Text(&'a [u8]),
    /// `<…>`; `None` where it is malformed.
    Guid(Option<Guid>),
    /// `{`
    Open,
    /// `}`
    Close,
    /// `;`
    Semicolon,
    /// `,`
    Comma,
    /// One of `[ ] ( ) < > .`
    Mark(u8),
    /// Behind the last token.
    End,
}

/// A word and which kinds of bytes are in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Word<'a> {
    pub(super) bytes: &'a [u8],
    /// Union of the bytes' classes, see [`super::text::class`].
    pub(super) classes: u8,
}

impl Token<'_> {
    /// The token for a message.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Word(word) => format!("'{}'", quote(word.bytes)),
            Self::Integer(value) => format!("the integer {value}"),
            Self::Float(value) => format!("the number {value}"),
            Self::Text(bytes) => format!("the string \"{}\"", quote(bytes)),
            Self::Guid(Some(guid)) => format!("<{guid}>"),
            Self::Guid(None) => "a malformed GUID".to_owned(),
            Self::Open => "'{'".to_owned(),
            Self::Close => "'}'".to_owned(),
            Self::Semicolon => "';'".to_owned(),
            Self::Comma => "','".to_owned(),
            Self::Mark(byte) => format!("'{}'", char::from(*byte)),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// A place in the stream.
#[derive(Debug, Clone)]
pub(super) enum Tokens<'a> {
    Text(TextLexer<'a>),
    Binary(BinaryLexer<'a>),
}

impl<'a> Tokens<'a> {
    /// The tokens of `bytes` from `at` on.
    pub(super) fn new(bytes: &'a [u8], at: usize, encoding: super::Encoding) -> Self {
        match encoding.format {
            Format::Text => Self::Text(TextLexer::new(bytes, at)),
            Format::Binary => Self::Binary(BinaryLexer::new(bytes, at, encoding.float_size)),
        }
    }

    /// The next token and its bytes.
    #[inline]
    pub(super) fn next(&mut self, report: &mut Report) -> Result<(Token<'a>, Span), Error> {
        match self {
            Self::Text(lexer) => lexer.next(report),
            Self::Binary(lexer) => lexer.next(),
        }
    }

    /// The next token without moving on.
    pub(super) fn peek(&self, report: &Report) -> Result<(Token<'a>, Span), Error> {
        // What there is to say about the token is said when it is read.
        self.clone().next(&mut report.scratch())
    }

    /// What has to stand behind a scalar value: any number of `;`, then at most one `,`, but not nothing
    /// (docs/formats/x.md "Separators"). Elements of binary lists bring their own.
    #[inline]
    pub(super) fn separators(&mut self, report: &mut Report) -> Result<(), Error> {
        match self {
            Self::Text(lexer) => lexer.separators(report),
            Self::Binary(lexer) => lexer.separators(report),
        }
    }

    /// Appends up to `count` plain numbers, which nearly all are, and reads what separates them. What stands in front of
    /// the first that is anything else has been read then, and no more.
    #[inline]
    pub(super) fn quick_floats(&mut self, count: usize, to: &mut Floats) {
        match self {
            Self::Text(lexer) => lexer.quick_floats(count, to.double()),
            Self::Binary(lexer) => lexer.quick_floats(count, to),
        }
    }

    /// As [`Tokens::quick_floats`], for integers that fit 32 bits without sign.
    #[inline]
    pub(super) fn quick_integers(&mut self, count: usize, to: &mut Vec<u32>) {
        match self {
            Self::Text(lexer) => lexer.quick_integers(count, to),
            Self::Binary(lexer) => lexer.quick_integers(count, to),
        }
    }

    /// Appends a count and as many integers, as [`Tokens::quick_integers`] reads them; false, and nothing read, where one is
    /// anything else.
    #[inline]
    pub(super) fn quick_counted(&mut self, to: &mut Vec<u32>) -> bool {
        match self {
            Self::Text(lexer) => lexer.quick_counted(to),
            Self::Binary(lexer) => lexer.quick_counted(to),
        }
    }

    /// Appends an integer, a count and as many numbers, as [`Tokens::quick_floats`] reads them; false, and nothing read, where
    /// one is anything else.
    #[inline]
    pub(super) fn quick_key(&mut self, integers: &mut Vec<u32>, floats: &mut Floats) -> bool {
        match self {
            Self::Text(lexer) => lexer.quick_key(integers, floats.double()),
            Self::Binary(lexer) => lexer.quick_key(integers, floats),
        }
    }

    /// Skips to the `}` that closes the block one is in, and over it. `object` is for the error at the end of the file.
    pub(super) fn skip_block(&mut self, object: &[u8]) -> Result<(), Error> {
        let closed = match self {
            Self::Text(lexer) => lexer.skip_block()?,
            Self::Binary(lexer) => lexer.skip_block()?,
        };
        match closed {
            true => Ok(()),
            false => Err(Error {
                kind: Fault::EndInside { object: quote(object), expected: "'}'" },
                span: Span::new(self.offset(), self.offset()),
            }),
        }
    }

    /// Offset of the next byte.
    pub(super) fn offset(&self) -> usize {
        match self {
            Self::Text(lexer) => lexer.offset(),
            Self::Binary(lexer) => lexer.offset(),
        }
    }

    /// Goes back to the token that was read last; false, and nothing done, if it is an element of a list.
    pub(super) fn back_to(&mut self, offset: usize) -> bool {
        match self {
            Self::Text(lexer) => lexer.back_to(offset),
            Self::Binary(lexer) => lexer.back_to(offset),
        }
    }

    /// Whether names are told apart from other words by their letters.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// How many values the rest of the file can hold at most.
    pub(super) fn values_left(&self) -> usize {
        match self {
            Self::Text(lexer) => lexer.values_left(),
            Self::Binary(lexer) => lexer.values_left(),
        }
    }

    /// Bytes up to the end of the file.
    pub(super) fn bytes_left(&self) -> usize {
        match self {
            Self::Text(lexer) => lexer.bytes_left(),
            Self::Binary(lexer) => lexer.bytes_left(),
        }
    }
}
