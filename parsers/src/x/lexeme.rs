//! Splits a text file into words and marks, to analyse a file that could not be read.

use super::Reading;
use super::report::FaultLog;
use super::text::TextLexer;
use super::token::Token;
use crate::Span;

/// Kind of a lexeme of a text file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lexeme {
    /// `{`
    Open,
    /// `}`
    Close,
    /// `;`
    Semicolon,
    /// `,`
    Comma,
    /// `<…>`
    Guid,
    /// Name, number, string with its quotes, or any other mark.
    Word,
}

/// Lexemes of a text file with their spans, split as the parser does. Blanks and comments are left out.
///
/// Never fails: a string without closing quote is a word up to the end of the file. So is a lone slash by itself.
#[derive(Debug, Clone)]
pub struct Lexemes<'a> {
    lexer: TextLexer<'a>,
    end: usize,
    // Faults, which are discarded because they are reported when the file is parsed.
    log: FaultLog,
}

impl<'a> Lexemes<'a> {
    /// Starts at byte `at` of an unpacked text file.
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { lexer: TextLexer::new(bytes, at), end: bytes.len(), log: FaultLog::new(Reading::Lenient) }
    }

    /// Starts at the position of a lexer.
    pub(super) fn of(lexer: &TextLexer<'a>) -> Self {
        let end = lexer.offset() + lexer.bytes_left();
        Self { lexer: lexer.clone(), end, log: FaultLog::new(Reading::Lenient) }
    }

    /// Returns the next lexeme without taking it.
    pub fn peek(&self) -> Option<(Lexeme, Span)> {
        Self { lexer: self.lexer.clone(), end: self.end, log: self.log.scratch() }.next()
    }
}

impl Iterator for Lexemes<'_> {
    type Item = (Lexeme, Span);

    fn next(&mut self) -> Option<Self::Item> {
        let (token, span) = match self.lexer.next(&mut self.log) {
            Ok(lexeme) => lexeme,
            Err(error) => {
                let start = error.span.start as usize;
                let is_slash = error.kind == super::Fault::LoneSlash;
                let end = if is_slash { error.span.end as usize } else { self.end };
                self.lexer.skip_to(end);
                return Some((Lexeme::Word, Span::new(start, end)));
            }
        };
        let lexeme = match token {
            Token::End => return None,
            Token::Open => Lexeme::Open,
            Token::Close => Lexeme::Close,
            Token::Semicolon => Lexeme::Semicolon,
            Token::Comma => Lexeme::Comma,
            Token::Guid(_) => Lexeme::Guid,
            Token::Word(_) | Token::Text(_) | Token::Integer(_) | Token::Float(_) | Token::Mark(_) => Lexeme::Word,
        };
        Some((lexeme, span))
    }
}
