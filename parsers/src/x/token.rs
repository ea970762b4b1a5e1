//! Tokens of text and binary files.

use super::report::quote;

/// 128-bit identifier, with its bytes in the order in which it is printed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
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

/// Smallest piece of a file with a meaning.
///
/// Words of a text file are not classified here, because `5`, `1.#IND` and `Bone 1` are names in one position and
/// numbers in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    /// Name, keyword, or in text files a number.
    Word(Word<'a>),
    /// Integer of a binary file.
    Integer(u32),
    /// Float of a binary file.
    Float(f64),
    /// String without its quotes.
    Text(&'a [u8]),
    /// `<…>`; `None` if malformed.
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
    /// End of the file.
    End,
}

/// A word and the classes of its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Word<'a> {
    pub(super) bytes: &'a [u8],
    /// Union of the classes of the bytes, see [`class`].
    pub(super) classes: u8,
}

impl Token<'_> {
    /// Describes the token for a message.
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

/// Classes of bytes. A word has the union of the classes of its bytes.
pub(super) mod class {
    /// Space, tab, CR, LF, NUL, and the other two characters of C's `isspace`.
    pub const BLANK: u8 = 1;
    /// Byte that ends a word, and is a token or begins one.
    pub const MARK: u8 = 2;
    /// `0` to `9`
    pub const DIGIT: u8 = 4;
    /// `.`
    pub const DOT: u8 = 8;
    /// `-`
    pub const MINUS: u8 = 16;
    /// A letter or `_`.
    pub const LETTER: u8 = 32;
    /// `/`
    pub const SLASH: u8 = 64;
    /// Everything else.
    pub const OTHER: u8 = 128;
}

const fn class_of(byte: u8) -> u8 {
    match byte {
        b' ' | 0 | b'\t'..=b'\r' => class::BLANK,
        b'{' | b'}' | b'[' | b']' | b'(' | b')' | b'<' | b'>' | b',' | b';' | b'"' => class::MARK,
        b'0'..=b'9' => class::DIGIT,
        b'.' => class::DOT,
        b'-' => class::MINUS,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => class::LETTER,
        b'/' => class::SLASH,
        _ => class::OTHER,
    }
}

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = class_of(byte as u8);
        byte += 1;
    }
    classes
};

#[inline]
pub(super) fn classify(byte: u8) -> u8 {
    CLASSES[usize::from(byte)]
}

/// Returns the union of the classes of all bytes.
pub(super) fn classes(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |classes, &byte| classes | classify(byte))
}
