//! Text and binary files as one stream of tokens.

use super::binary::BinaryLexer;
use super::envelope::{BodyFormat, Encoding};
use super::fault::Fault;
use super::numbers::Floats;
use super::report::{Error, FaultLog, quote};
use super::text::TextLexer;
use super::token::Token;
use crate::Span;

/// Reader of the stream.
#[derive(Debug, Clone)]
pub(super) enum Tokens<'a> {
    Text(TextLexer<'a>),
    Binary(BinaryLexer<'a>),
}

/// Calls the lexer of either format.
macro_rules! either {
    ($tokens:expr, $lexer:ident => $call:expr) => {
        match $tokens {
            Tokens::Text($lexer) => $call,
            Tokens::Binary($lexer) => $call,
        }
    };
}

impl<'a> Tokens<'a> {
    /// Creates the tokens of `bytes` from offset `at` on.
    pub(super) fn new(bytes: &'a [u8], at: usize, encoding: Encoding) -> Self {
        match encoding.format {
            BodyFormat::Text => Self::Text(TextLexer::new(bytes, at)),
            BodyFormat::Binary => Self::Binary(BinaryLexer::new(bytes, at, encoding.float_size)),
        }
    }

    /// Returns the next token and its bytes.
    #[inline]
    pub(super) fn next(&mut self, log: &mut FaultLog) -> Result<(Token<'a>, Span), Error> {
        match self {
            Self::Text(lexer) => lexer.next(log),
            Self::Binary(lexer) => lexer.next(),
        }
    }

    /// Returns the next token without moving on. Its faults are reported when it is read.
    pub(super) fn peek(&self, log: &FaultLog) -> Result<(Token<'a>, Span), Error> {
        self.clone().next(&mut log.scratch())
    }

    /// Reads the separators after a scalar value: any number of `;`, then at most one `,`, at least one in total
    /// (docs/formats/x.md "Separators"). Elements of binary lists need no separators.
    #[inline]
    pub(super) fn separators(&mut self, log: &mut FaultLog) -> Result<(), Error> {
        either!(self, lexer => lexer.separators(log))
    }

    /// Appends up to `count` plain numbers and reads their separators. Stops before the first number in another
    /// spelling.
    #[inline]
    pub(super) fn quick_floats(&mut self, count: usize, to: &mut Floats) {
        match self {
            Self::Text(lexer) => lexer.quick_floats(count, to.double()),
            Self::Binary(lexer) => lexer.quick_floats(count, to),
        }
    }

    /// Works as [`Tokens::quick_floats`], for integers that fit in a u32.
    #[inline]
    pub(super) fn quick_integers(&mut self, count: usize, to: &mut Vec<u32>) {
        either!(self, lexer => lexer.quick_integers(count, to))
    }

    /// Appends up to `most` lists, each a count and that number of plain integers, and returns the number of lists. Stops
    /// before the first with another spelling.
    #[inline]
    pub(super) fn quick_counted(&mut self, most: u64, to: &mut Vec<u32>) -> u64 {
        either!(self, lexer => lexer.quick_counted(most, to))
    }

    /// Appends an integer, a count and that number of plain numbers. Returns false and reads nothing if one has another
    /// spelling.
    #[inline]
    pub(super) fn quick_key(&mut self, integers: &mut Vec<u32>, floats: &mut Floats) -> bool {
        match self {
            Self::Text(lexer) => lexer.quick_key(integers, floats.double()),
            Self::Binary(lexer) => lexer.quick_key(integers, floats),
        }
    }

    /// Skips past the `}` that closes the current block. The error at the end of the file names `object`.
    pub(super) fn skip_block(&mut self, object: &[u8]) -> Result<(), Error> {
        if either!(self, lexer => lexer.skip_block())? {
            return Ok(());
        }
        let kind = Fault::EndInside { object: quote(object), expected: "'}'" };
        Err(Error { kind, span: Span::new(self.offset(), self.offset()) })
    }

    /// Returns the offset of the next byte.
    pub(super) fn offset(&self) -> usize {
        either!(self, lexer => lexer.offset())
    }

    /// Returns to the token that was read last. Returns false and does nothing for an element of a list.
    pub(super) fn back_to(&mut self, offset: usize) -> bool {
        either!(self, lexer => lexer.back_to(offset))
    }

    /// True if only blanks precede a token of a text file on its line.
    pub(super) fn begins_line(&self, token: Span) -> bool {
        matches!(self, Self::Text(lexer) if lexer.begins_line(token.start as usize))
    }

    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }

    /// Returns the largest number of values that the rest of the file could contain.
    pub(super) fn values_left(&self) -> usize {
        either!(self, lexer => lexer.values_left())
    }

    /// Returns the number of bytes up to the end of the file.
    pub(super) fn bytes_left(&self) -> usize {
        either!(self, lexer => lexer.bytes_left())
    }
}
