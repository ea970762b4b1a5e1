//! Template declarations: the layout of objects by type (docs/formats/x.md "Templates").

use super::fault::Fault;
use super::report::{Error, FaultLog, quote};
use super::stream::Tokens;
use super::token::{Guid, Token, Word};
use super::{MAX_OBJECTS, Text};
use crate::Span;
use std::borrow::Cow;

/// Template declaration, from a file or the standard set.
#[derive(Debug, Clone, PartialEq)]
pub struct Template<'a> {
    /// Name of the type.
    pub name: Text<'a>,
    /// Identifier. `None` if missing or malformed.
    pub guid: Option<Guid>,
    /// Members of the template's objects, in order.
    pub members: Vec<Member<'a>>,
    /// Objects allowed as children.
    pub children: Allowed<'a>,
    /// The whole declaration.
    pub span: Span,
}

/// Member of a template: `array DWORD indices[n];`
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'a> {
    /// Type of the member's elements.
    pub kind: MemberKind<'a>,
    /// Name of the member, which is optional in Microsoft's grammar.
    pub name: Option<Text<'a>>,
    /// Dimensions of an array, outermost first. Empty for a single value.
    pub dimensions: Vec<Dimension<'a>>,
}

/// Type of a member.
#[derive(Debug, Clone, PartialEq)]
pub enum MemberKind<'a> {
    /// Plain values.
    Primitive(Primitive),
    /// The members of another template.
    Template(Text<'a>),
}

/// Length of an array.
#[derive(Debug, Clone, PartialEq)]
pub enum Dimension<'a> {
    /// Constant length.
    Fixed(u32),
    /// Value of an earlier integer member.
    Member(Text<'a>),
}

/// Restriction at the end of a template.
#[derive(Debug, Clone, PartialEq)]
pub enum Allowed<'a> {
    /// No brackets: the template allows no children.
    None,
    /// `[...]`: any object.
    Any,
    /// `[A <guid>, B]`: objects of these types. The names decide.
    Types(Vec<(Text<'a>, Option<Guid>)>),
}

/// Type of plain values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// Unsigned, 16 bits.
    Word,
    /// Unsigned, 32 bits.
    Dword,
    /// 32 bits, signed.
    Sdword,
    /// 16 bits, signed.
    Sword,
    /// 8 bits, signed.
    Char,
    /// Unsigned, 8 bits.
    Uchar,
    /// Unsigned, 64 bits.
    Ulonglong,
    /// 32-bit floating point.
    Float,
    /// 64-bit floating point.
    Double,
    /// Text. LPSTR, CSTRING and UNICODE have the same meaning.
    String,
}

/// Primitives by their keywords, the preferred spelling first.
const KEYWORDS: [(&str, Primitive); 14] = [
    ("WORD", Primitive::Word),
    ("DWORD", Primitive::Dword),
    ("SDWORD", Primitive::Sdword),
    ("SWORD", Primitive::Sword),
    ("CHAR", Primitive::Char),
    ("UCHAR", Primitive::Uchar),
    ("BYTE", Primitive::Uchar),
    ("ULONGLONG", Primitive::Ulonglong),
    ("FLOAT", Primitive::Float),
    ("DOUBLE", Primitive::Double),
    ("STRING", Primitive::String),
    ("LPSTR", Primitive::String),
    ("CSTRING", Primitive::String),
    ("UNICODE", Primitive::String),
];

/// Words that are not primitives, but cannot be names either.
const OTHER_KEYWORDS: [&str; 5] = ["TEMPLATE", "ARRAY", "VOID", "BINARY", "BINARY_RESOURCE"];

impl Primitive {
    /// Returns the keyword in capitals.
    pub fn keyword(self) -> &'static str {
        KEYWORDS.iter().find(|(_, primitive)| *primitive == self).map_or("", |(keyword, _)| keyword)
    }

    /// Returns the keyword's token in binary files. Returns `None` if it has no token.
    pub(super) fn token(self) -> Option<u16> {
        Some(match self {
            Self::Word => 40,
            Self::Dword => 41,
            Self::Float => 42,
            Self::Double => 43,
            Self::Char => 44,
            Self::Uchar => 45,
            Self::Sword => 46,
            Self::Sdword => 47,
            Self::String => 49,
            Self::Ulonglong => return None,
        })
    }

    fn from_keyword(word: &[u8]) -> Option<Self> {
        let same = |(keyword, _): &&(&str, _)| keyword.as_bytes().eq_ignore_ascii_case(word);
        KEYWORDS.iter().find(same).map(|&(_, primitive)| primitive)
    }

    /// Returns the range of values for integers.
    pub(super) fn range(self) -> Option<std::ops::RangeInclusive<i64>> {
        Some(match self {
            Self::Word => 0..=0xFFFF,
            Self::Dword => 0..=0xFFFF_FFFF,
            Self::Sdword => i32::MIN.into()..=i32::MAX.into(),
            Self::Sword => i16::MIN.into()..=i16::MAX.into(),
            Self::Char => i8::MIN.into()..=i8::MAX.into(),
            Self::Uchar => 0..=0xFF,
            Self::Ulonglong => 0..=i64::MAX,
            Self::Float | Self::Double | Self::String => return None,
        })
    }
}

/// True if the grammar reserves a word, in any case of its letters. Such a word is not a name.
pub fn is_keyword(word: &[u8]) -> bool {
    Primitive::from_keyword(word).is_some()
        || OTHER_KEYWORDS.iter().any(|keyword| keyword.as_bytes().eq_ignore_ascii_case(word))
}

/// Maximum number of members of one template. Wine allows 50.
const MAX_MEMBERS: usize = 256;
/// Maximum number of dimensions of one member. Wine allows 4.
const MAX_DIMENSIONS: usize = 8;

/// Reads template declarations.
pub(super) struct TemplateReader<'t, 'a> {
    pub(super) tokens: &'t mut Tokens<'a>,
    pub(super) log: &'t mut FaultLog,
}

impl<'a> TemplateReader<'_, 'a> {
    // template ::= 'template' name '{' [guid] {member} [restriction] '}'; the first word has been read
    pub(super) fn template(&mut self, start: Span, name: Text<'a>) -> Result<Template<'a>, Error> {
        let mut template = Template { name, guid: None, members: Vec::new(), children: Allowed::None, span: start };
        loop {
            let (token, span) = self.tokens.next(self.log)?;
            match token {
                Token::Guid(guid) if template.members.is_empty() && template.guid.is_none() => template.guid = guid,
                Token::Word(word) => {
                    if template.members.len() >= MAX_MEMBERS {
                        return Err(Error {
                            kind: Fault::TemplateTooLarge { name: quote(&template.name.bytes) },
                            span,
                        });
                    }
                    self.member(word, span, &mut template.members)?;
                }
                Token::Mark(b'[') => template.children = self.restriction()?,
                Token::Close => {
                    template.span = start.to(span);
                    return Ok(template);
                }
                token => return Err(expected("a member, '[' or '}'", &token, span)),
            }
        }
    }

    // member ::= type [name] ';' | 'array' type name {'[' (integer | name) ']'} ';'
    fn member(&mut self, word: Word<'a>, span: Span, members: &mut Vec<Member<'a>>) -> Result<(), Error> {
        let array = word.bytes.eq_ignore_ascii_case(b"array");
        let (kind, kind_span) = if array { self.word("the array's type")? } else { (word, span) };
        let mut dimensions = Vec::new();
        let mut name = None;
        let (mut token, mut at) = self.tokens.next(self.log)?;
        if let Token::Word(word) = token {
            name = Some(text(word.bytes, at));
            (token, at) = self.tokens.next(self.log)?;
        }
        while array && token == Token::Mark(b'[') && dimensions.len() < MAX_DIMENSIONS {
            let (length, span) = self.tokens.next(self.log)?;
            let bytes = match length {
                Token::Word(word) => Cow::Borrowed(word.bytes),
                Token::Integer(length) => Cow::Owned(length.to_string().into_bytes()),
                token => return Err(expected("the array's length", &token, span)),
            };
            let number = std::str::from_utf8(&bytes).ok().and_then(|digits| digits.parse().ok());
            dimensions.push(match number {
                Some(number) => Dimension::Fixed(number),
                None => Dimension::Member(Text { bytes, span }),
            });
            let (token_after, span) = self.tokens.next(self.log)?;
            if token_after != Token::Mark(b']') {
                return Err(expected("']'", &token_after, span));
            }
            (token, at) = self.tokens.next(self.log)?;
        }
        if array && dimensions.is_empty() {
            return Err(expected("'['", &token, at));
        }
        if token != Token::Semicolon {
            return Err(expected("';'", &token, at));
        }
        // The old type `indexColor`, in exactly this spelling, is an index and a colour.
        if kind.bytes == b"indexColor" && !array {
            let plain =
                |primitive, dimensions| Member { kind: MemberKind::Primitive(primitive), name: None, dimensions };
            members.push(plain(Primitive::Dword, Vec::new()));
            members.push(plain(Primitive::Float, vec![Dimension::Fixed(4)]));
            return Ok(());
        }
        let kind = match Primitive::from_keyword(kind.bytes) {
            Some(primitive) => MemberKind::Primitive(primitive),
            None => MemberKind::Template(text(kind.bytes, kind_span)),
        };
        members.push(Member { kind, name, dimensions });
        Ok(())
    }

    // restriction ::= '[' ('...' | name [guid] {[','] name [guid]}) ']'
    fn restriction(&mut self) -> Result<Allowed<'a>, Error> {
        let mut types: Vec<(Text<'a>, Option<Guid>)> = Vec::new();
        let mut open = false;
        loop {
            let (token, span) = self.tokens.next(self.log)?;
            match token {
                Token::Word(word) if word.bytes.iter().all(|&byte| byte == b'.') => open = true,
                Token::Mark(b'.') => open = true,
                Token::Word(word) if types.len() < MAX_OBJECTS => types.push((text(word.bytes, span), None)),
                Token::Guid(guid) => {
                    if let Some((_, of_type)) = types.last_mut() {
                        *of_type = guid;
                    }
                }
                Token::Comma => {}
                Token::Mark(b']') => return Ok(if open { Allowed::Any } else { Allowed::Types(types) }),
                token => return Err(expected("a type, ',' or ']'", &token, span)),
            }
        }
    }

    fn word(&mut self, what: &'static str) -> Result<(Word<'a>, Span), Error> {
        match self.tokens.next(self.log)? {
            (Token::Word(word), span) => Ok((word, span)),
            (token, span) => Err(expected(what, &token, span)),
        }
    }
}

pub(super) fn expected(what: &'static str, token: &Token<'_>, span: Span) -> Error {
    Error { kind: Fault::Expected { expected: what, found: token.describe() }, span }
}

pub(super) fn text(bytes: &[u8], span: Span) -> Text<'_> {
    Text { bytes: Cow::Borrowed(bytes), span }
}
