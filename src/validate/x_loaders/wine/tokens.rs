//! Tokens of d3dxof in text and binary files.

use bindpose_parsers::Span;
use bindpose_parsers::x::{Guid, is_keyword};

/// Token numbers of binary files. Text is converted to the same tokens.
pub(super) mod kind {
    pub const NONE: u16 = 0;
    pub const NAME: u16 = 1;
    pub const STRING: u16 = 2;
    pub const INTEGER: u16 = 3;
    pub const GUID: u16 = 5;
    pub const INTEGER_LIST: u16 = 6;
    pub const FLOAT_LIST: u16 = 7;
    pub const OPEN_BRACE: u16 = 10;
    pub const CLOSE_BRACE: u16 = 11;
    pub const OPEN_BRACKET: u16 = 14;
    pub const CLOSE_BRACKET: u16 = 15;
    pub const DOT: u16 = 18;
    pub const COMMA: u16 = 19;
    pub const SEMICOLON: u16 = 20;
    pub const TEMPLATE: u16 = 31;
    pub const WORD: u16 = 40;
    pub const DWORD: u16 = 41;
    /// The keyword, and every number with a point.
    pub const FLOAT: u16 = 42;
    pub const DOUBLE: u16 = 43;
    pub const CHAR: u16 = 44;
    pub const UCHAR: u16 = 45;
    pub const SWORD: u16 = 46;
    pub const SDWORD: u16 = 47;
    /// The keyword STRING, and every string.
    pub const TEXT: u16 = 49;
    pub const UNICODE: u16 = 50;
    pub const CSTRING: u16 = 51;
    pub const ARRAY: u16 = 52;
    pub const ERROR: u16 = 0xffff;
}

/// Keywords, in any case.
const KEYWORDS: [(&[u8], u16); 14] = [
    (b"template", kind::TEMPLATE),
    (b"WORD", kind::WORD),
    (b"DWORD", kind::DWORD),
    (b"FLOAT", kind::FLOAT),
    (b"DOUBLE", kind::DOUBLE),
    (b"CHAR", kind::CHAR),
    (b"UCHAR", kind::UCHAR),
    (b"SWORD", kind::SWORD),
    (b"SDWORD", kind::SDWORD),
    (b"VOID", 48),
    (b"STRING", kind::TEXT),
    (b"UNICODE", kind::UNICODE),
    (b"CSTRING", kind::CSTRING),
    (b"array", kind::ARRAY),
];

/// Number of bytes of a name or string that fit in the reader's buffer.
const LONGEST_WORD: usize = 511;

/// Reader of tokens with one token of look-ahead.
#[derive(Default)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
    is_text: bool,
    /// Last token, [`kind::NONE`] before the first.
    current: u16,
    is_peeked: bool,
    /// Number of elements left of a binary list.
    list: u32,
    is_float_list: bool,
    /// True if the next token of a list is the comma after an element.
    is_separator_due: bool,
    /// Span of the last token.
    pub span: Span,
    /// Content of the last name or string.
    pub word: &'a [u8],
    /// Last number, as four bytes.
    pub number: u32,
    /// Last GUID.
    pub guid: Guid,
    /// True if an unknown word was found.
    pub is_unrecognised: bool,
    /// True if a binary word overran the reader's buffer.
    pub is_overrun: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, is_text: bool) -> Self {
        Self { bytes, at, is_text, span: Span::new(at, at), ..Self::default() }
    }

    /// True if all bytes were read, regardless of the current token.
    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// True if the last token is the end of the file.
    pub(super) fn has_ended(&self) -> bool {
        self.current == kind::NONE
    }

    /// Returns the next token without consuming it.
    #[inline]
    pub(super) fn peek(&mut self) -> u16 {
        if !self.is_peeked {
            self.current = self.token();
            self.is_peeked = true;
        }
        self.current
    }

    #[inline]
    pub(super) fn next(&mut self) -> u16 {
        if !self.is_peeked {
            self.current = self.token();
        }
        self.is_peeked = false;
        self.current
    }

    fn token(&mut self) -> u16 {
        let token = if self.is_text { self.text() } else { self.binary() };
        self.span.end = self.span.end.max(Span::new(0, self.at).end);
        token
    }

    fn begin(&mut self) {
        self.span = Span::new(self.at, self.at);
    }

    fn text(&mut self) -> u16 {
        loop {
            self.begin();
            let Some(&byte) = self.bytes.get(self.at) else { return kind::NONE };
            self.at += 1;
            match byte {
                b'#' | b'/' => {
                    if byte == b'/' && self.bytes.get(self.at) != Some(&b'/') {
                        return kind::ERROR;
                    }
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
                }
                _ if is_space(byte) => {}
                b'.' => return kind::DOT,
                b'<' => {
                    self.at -= 1;
                    return self.angle();
                }
                _ => match operator(byte) {
                    Some(token) => return token,
                    None => {
                        self.at -= 1;
                        return self.word();
                    }
                },
            }
        }
    }

    /// Reads a GUID. Anything else is read as an integer without digits, which consumes nothing.
    fn angle(&mut self) -> u16 {
        const LENGTH: usize = 38;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if let Some(text) = rest.get(..LENGTH)
            && text.iter().position(|&byte| byte == b'>') == Some(LENGTH - 1)
        {
            self.at += LENGTH;
            if let Some(guid) = guid(text) {
                self.guid = guid;
                return kind::GUID;
            }
        }
        kind::INTEGER
    }

    fn word(&mut self) -> u16 {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&byte| is_separator(byte)).unwrap_or(rest.len());
        let word = rest.get(..length).unwrap_or_default();
        if word.first().is_some_and(u8::is_ascii_alphabetic)
            && let Some(&(_, token)) = KEYWORDS.iter().find(|(keyword, _)| word.eq_ignore_ascii_case(keyword))
        {
            self.at += length;
            return token;
        }
        if word.iter().all(u8::is_ascii_digit) {
            self.at += length;
            let digit = |value: u64, byte: &u8| value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
            self.number = word.iter().fold(0_u64, digit) as u32;
            return kind::INTEGER;
        }
        if is_float(word) {
            self.at += length;
            let number = std::str::from_utf8(word).ok().and_then(|word| word.parse::<f32>().ok());
            self.number = number.unwrap_or_default().to_bits();
            return kind::FLOAT;
        }
        if let [b'"', text @ ..] = rest
            && let Some(end) = memchr::memchr(b'"', text)
        {
            self.at += end + 2;
            self.keep(text.get(..end).unwrap_or_default());
            return kind::TEXT;
        }
        if word.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-') {
            self.at += length;
            self.keep(word);
            return kind::NAME;
        }
        self.span.end = Span::new(0, self.at + length).end;
        self.is_unrecognised = true;
        kind::ERROR
    }

    /// True if the last token is a keyword of text.
    pub fn is_keyword(&self) -> bool {
        self.bytes.get(self.span.range()).is_some_and(is_keyword)
    }

    /// Keeps a word as a C string, as far as the buffer holds it.
    fn keep(&mut self, word: &'a [u8]) {
        let word = word.get(..word.len().min(LONGEST_WORD)).unwrap_or_default();
        let end = word.iter().position(|&byte| byte == 0).unwrap_or(word.len());
        self.word = word.get(..end).unwrap_or_default();
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let bytes = self.bytes.get(self.at..)?.first_chunk::<N>().copied()?;
        self.at += N;
        Some(bytes)
    }

    fn long(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn binary(&mut self) -> u16 {
        self.begin();
        let mut token = kind::ERROR;
        if self.list == 0 {
            let Some(read) = self.take().map(u16::from_le_bytes) else { return kind::NONE };
            token = read;
            if token == kind::INTEGER_LIST || token == kind::FLOAT_LIST {
                self.is_float_list = token == kind::FLOAT_LIST;
                let Some(count) = self.long() else { return kind::ERROR };
                self.list = count;
                // A list without elements is read as a single element.
                token = if self.is_float_list { kind::FLOAT } else { kind::INTEGER };
            }
        }
        if self.list > 0 {
            return self.element();
        }
        match token {
            kind::NAME | kind::STRING => {
                let word = self.long().and_then(|count| self.bytes.get(self.at..)?.get(..count as usize));
                let Some(word) = word else { return kind::ERROR };
                self.at += word.len();
                self.is_overrun |= word.len() > LONGEST_WORD;
                self.keep(word);
                if token == kind::STRING { kind::TEXT } else { token }
            }
            kind::INTEGER => match self.long() {
                Some(number) => {
                    self.number = number;
                    token
                }
                None => kind::ERROR,
            },
            kind::GUID => match self.take() {
                Some(bytes) => {
                    self.guid = binary_guid(bytes);
                    token
                }
                None => kind::ERROR,
            },
            10..=20 | 31 | 40..=52 => token,
            _ => kind::ERROR,
        }
    }

    /// Reads an element of a list, or the comma after it.
    fn element(&mut self) -> u16 {
        if self.is_separator_due {
            self.list -= 1;
            self.is_separator_due = false;
            return kind::COMMA;
        }
        let Some(number) = self.long() else { return kind::ERROR };
        self.number = number;
        self.is_separator_due = true;
        if self.is_float_list { kind::FLOAT } else { kind::INTEGER }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\r' | b'\n' | b' ' | b'\t')
}

fn operator(byte: u8) -> Option<u16> {
    Some(match byte {
        b'{' => kind::OPEN_BRACE,
        b'}' => kind::CLOSE_BRACE,
        b'[' => kind::OPEN_BRACKET,
        b']' => kind::CLOSE_BRACKET,
        b'(' => 12,
        b')' => 13,
        b'>' => 17,
        b',' => kind::COMMA,
        b';' => kind::SEMICOLON,
        _ => return None,
    })
}

fn is_separator(byte: u8) -> bool {
    is_space(byte) || byte == b'<' || operator(byte).is_some()
}

/// True for an optional leading minus, digits and at most one point. Digits may be missing.
fn is_float(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"-").unwrap_or(word);
    digits.iter().all(|&byte| byte.is_ascii_digit() || byte == b'.')
        && digits.iter().filter(|&&byte| byte == b'.').count() <= 1
}

/// Creates a GUID from binary data, where the first three fields are little-endian.
fn binary_guid([d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p]: [u8; 16]) -> Guid {
    Guid([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p])
}

/// Parses the digits of `<8-4-4-4-12>`, as many as there are up to each dash.
fn guid(text: &[u8]) -> Option<Guid> {
    let inner = text.strip_prefix(b"<")?.strip_suffix(b">")?;
    let digits: Vec<u8> = inner.iter().filter(|&&byte| byte != b'-').copied().collect();
    let dashes = [8, 13, 18, 23].into_iter().all(|at| inner.get(at) == Some(&b'-'));
    let mut bytes = [0; 16];
    let (pairs, rest) = digits.as_chunks::<2>();
    if !dashes || pairs.len() != bytes.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(Guid(bytes))
}
