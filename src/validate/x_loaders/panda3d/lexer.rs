//! Tokens of x2egg's scanner, which uses the longest match of its rules.

/// A token.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Token<'a> {
    Name(&'a [u8]),
    /// A keyword other than `template` and `array`: a type of value.
    Primitive(Primitive),
    Template,
    Array,
    Text,
    /// An integer without a separator after it.
    Integer(i32),
    /// Integers separated, and possibly followed, by separators; the text of all.
    Integers(&'a [u8]),
    Reals(&'a [u8]),
    Guid,
    /// `{ } [ ] . , ;`
    Mark(u8),
    End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Primitive {
    Integer,
    Real,
    Text,
}

/// Error for a character that begins no token.
pub(super) const INVALID: &str = "Invalid character";

/// Length of a line, in bytes, from which the scanner's buffer is too small.
const LONGEST_LINE: usize = 16_382;

const KEYWORDS: [(&[u8], Token); 14] = [
    (b"array", Token::Array),
    (b"template", Token::Template),
    (b"byte", Token::Primitive(Primitive::Integer)),
    (b"char", Token::Primitive(Primitive::Integer)),
    (b"uchar", Token::Primitive(Primitive::Integer)),
    (b"word", Token::Primitive(Primitive::Integer)),
    (b"dword", Token::Primitive(Primitive::Integer)),
    (b"sword", Token::Primitive(Primitive::Integer)),
    (b"sdword", Token::Primitive(Primitive::Integer)),
    (b"float", Token::Primitive(Primitive::Real)),
    (b"double", Token::Primitive(Primitive::Real)),
    (b"string", Token::Primitive(Primitive::Text)),
    (b"cstring", Token::Primitive(Primitive::Text)),
    (b"unicode", Token::Primitive(Primitive::Text)),
];

/// Reader of tokens with one token of look-ahead.
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    pub at: usize,
    /// Offset of the last token.
    pub start: usize,
    peeked: Option<Token<'a>>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, start: at, peeked: None }
    }

    pub(super) fn peek(&mut self) -> Result<Token<'a>, &'static str> {
        match self.peeked {
            Some(token) => Ok(token),
            None => {
                let token = self.token()?;
                self.peeked = Some(token);
                Ok(token)
            }
        }
    }

    pub(super) fn next(&mut self) -> Result<Token<'a>, &'static str> {
        match self.peeked.take() {
            Some(token) => Ok(token),
            None => self.token(),
        }
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    fn token(&mut self) -> Result<Token<'a>, &'static str> {
        loop {
            self.start = self.at;
            let rest = self.rest();
            let Some(&byte) = rest.first() else { return Ok(Token::End) };
            match byte {
                b'\n' => {
                    let line = rest.get(1..).unwrap_or_default();
                    if memchr::memchr(b'\n', line).unwrap_or(line.len()) > LONGEST_LINE {
                        return Err("input buffer overflow, can't enlarge buffer because scanner uses REJECT");
                    }
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'#' => self.skip_comment(),
                b'/' if rest.starts_with(b"//") => self.skip_comment(),
                b'{' | b'}' | b'[' | b']' | b',' | b';' => {
                    self.at += 1;
                    return Ok(Token::Mark(byte));
                }
                b'"' => return self.text(),
                b'<' => return self.guid(),
                _ => return self.longest(),
            }
        }
    }

    fn skip_comment(&mut self) {
        let rest = self.rest();
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    /// Reads a string. A backslash escapes the next character.
    fn text(&mut self) -> Result<Token<'a>, &'static str> {
        self.at += 1;
        loop {
            match self.bytes.get(self.at) {
                None | Some(b'\n') => return Err("This quotation mark is unterminated."),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Token::Text);
                }
                Some(b'\\') => self.at += 2,
                Some(_) => self.at += 1,
            }
        }
    }

    fn guid(&mut self) -> Result<Token<'a>, &'static str> {
        let inner = self.rest().get(1..).unwrap_or_default();
        let length = inner.iter().position(|byte| !byte.is_ascii_hexdigit() && *byte != b'-').unwrap_or(inner.len());
        self.at += length + 2;
        let digits = inner.get(..length).unwrap_or_default();
        let hyphens = digits.iter().filter(|&&byte| byte == b'-').count();
        match inner.get(length) {
            None => Err("This GUID string is unterminated."),
            Some(b'>') if length - hyphens != 32 => Err("Incorrect number of hex digits in GUID."),
            Some(b'>') if hyphens != 4 => Err("Incorrect number of hyphens in GUID."),
            Some(b'>') => Ok(Token::Guid),
            Some(_) => Err("Invalid character in GUID."),
        }
    }

    /// Reads the longest of a name, a number and a list of numbers.
    fn longest(&mut self) -> Result<Token<'a>, &'static str> {
        let rest = self.rest();
        let name = name(rest);
        let integer = integer(rest);
        let (integers, with_context) = integers(rest);
        let reals = reals(rest);
        let text = |length: usize| rest.get(..length).unwrap_or_default();
        let longest = name.max(integer).max(with_context).max(reals);
        let (length, token) = match () {
            () if longest == 0 && rest.first() == Some(&b'.') => (1, Token::Mark(b'.')),
            () if longest == 0 => return Err(INVALID),
            () if integer == longest => {
                let spaces = rest.get(integer..).unwrap_or_default().iter().take_while(|&&byte| byte == b' ').count();
                let value = std::str::from_utf8(text(integer)).ok().and_then(|text| text.parse().ok());
                (integer + spaces, Token::Integer(value.unwrap_or_default()))
            }
            () if with_context == longest && integers > 0 => (integers, Token::Integers(text(integers))),
            () if reals == longest => (reals, Token::Reals(text(reals))),
            () => {
                let word = text(name);
                let keyword = KEYWORDS.iter().find(|(keyword, _)| word.eq_ignore_ascii_case(keyword));
                (name, keyword.map_or(Token::Name(word), |&(_, token)| token))
            }
        };
        self.at += length;
        Ok(token)
    }
}

fn count(bytes: &[u8], from: usize, fits: impl Fn(u8) -> bool) -> usize {
    bytes.get(from..).unwrap_or_default().iter().take_while(|&&byte| fits(byte)).count()
}

/// Returns the length of a name. Digits and hyphens may precede its first letter.
fn name(bytes: &[u8]) -> usize {
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'(' | b')' | b'-');
    let is_later = |byte: u8| is_first(byte) || byte.is_ascii_digit() || byte == b'.';
    let lead = count(bytes, 0, |byte| byte.is_ascii_digit() || byte == b'-');
    match bytes.get(lead).is_some_and(|&byte| is_first(byte)) || bytes.first() == Some(&b'-') {
        true => count(bytes, 0, |byte| byte.is_ascii_digit() || byte == b'-').max(count_name(bytes, lead, is_later)),
        false => 0,
    }
}

fn count_name(bytes: &[u8], lead: usize, is_later: impl Fn(u8) -> bool) -> usize {
    // A word that begins with a hyphen is a name immediately, so a point may follow the digits.
    if bytes.first() == Some(&b'-') { count(bytes, 0, is_later) } else { lead + count(bytes, lead, is_later) }
}

fn sign(bytes: &[u8], at: usize) -> usize {
    usize::from(matches!(bytes.get(at), Some(b'+' | b'-')))
}

fn digits(bytes: &[u8], at: usize) -> usize {
    count(bytes, at, |byte| byte.is_ascii_digit())
}

fn separators(bytes: &[u8], at: usize) -> usize {
    count(bytes, at, |byte| matches!(byte, b' ' | b'\t' | b';' | b','))
}

fn integer_at(bytes: &[u8], at: usize) -> usize {
    let sign = sign(bytes, at);
    match digits(bytes, at + sign) {
        0 => 0,
        digits => sign + digits,
    }
}

fn integer(bytes: &[u8]) -> usize {
    integer_at(bytes, 0)
}

/// Returns the length of a list of integers, and the length including the required context: an integer before a point
/// begins a real.
fn integers(bytes: &[u8]) -> (usize, usize) {
    let mut at = 0;
    loop {
        let integer = integer_at(bytes, at);
        let next = at + integer;
        if integer == 0 {
            return (at, at);
        }
        if at > 0 && bytes.get(next) == Some(&b'.') {
            return (at, next + 1);
        }
        let separators = separators(bytes, next);
        if separators == 0 {
            return if at == 0 { (0, 0) } else { (next, next) };
        }
        at = next + separators;
    }
}

fn real_at(bytes: &[u8], at: usize) -> usize {
    let sign = sign(bytes, at);
    let whole = digits(bytes, at + sign);
    if bytes.get(at + sign + whole) != Some(&b'.') {
        return 0;
    }
    let fraction = digits(bytes, at + sign + whole + 1);
    if whole + fraction == 0 {
        return 0;
    }
    let length = sign + whole + 1 + fraction;
    if !matches!(bytes.get(at + length), Some(b'e' | b'E')) {
        return length;
    }
    match integer_at(bytes, at + length + 1) {
        0 => length,
        exponent => length + 1 + exponent,
    }
}

/// Returns the length of a list of reals. The first needs a separator after it.
fn reals(bytes: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let real = real_at(bytes, at);
        if real == 0 {
            return at;
        }
        let separators = separators(bytes, at + real);
        if separators == 0 {
            return if at == 0 { 0 } else { at + real };
        }
        at += real + separators;
    }
}
