//! Templates: what an object of a type holds (docs/formats/x.md "Templates").

use super::catalogue;
use super::fault::Fault;
use super::report::{Error, Report, quote};
use super::token::{Guid, Token, Tokens, Word};
use super::{MAX_OBJECTS, Text};
use crate::Span;
use std::borrow::Cow;
use std::collections::HashMap;

/// A template declaration, as a file or the standard set gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Template<'a> {
    /// The type's name.
    pub name: Text<'a>,
    /// Its identifier; `None` where it is missing or malformed.
    pub guid: Option<Guid>,
    /// What objects hold, in order.
    pub members: Vec<Member<'a>>,
    /// Which objects may stand inside.
    pub children: Allowed<'a>,
    /// The whole declaration.
    pub span: Span,
}

/// One member of a template: `array DWORD indices[n];`
#[derive(Debug, Clone, PartialEq)]
pub struct Member<'a> {
    /// What its elements are.
    pub kind: MemberKind<'a>,
    /// Its name; optional in Microsoft's grammar.
    pub name: Option<Text<'a>>,
    /// The dimensions of an array, outermost first; empty for a single value.
    pub dimensions: Vec<Dimension<'a>>,
}

/// What a member holds.
#[derive(Debug, Clone, PartialEq)]
pub enum MemberKind<'a> {
    /// Plain values.
    Primitive(Primitive),
    /// The members of another template.
    Template(Text<'a>),
}

/// How long an array is.
#[derive(Debug, Clone, PartialEq)]
pub enum Dimension<'a> {
    /// Always the same.
    Fixed(u32),
    /// What an integer member before it says.
    Member(Text<'a>),
}

/// The restriction at a template's end.
#[derive(Debug, Clone, PartialEq)]
pub enum Allowed<'a> {
    /// Nothing in brackets: no object.
    None,
    /// `[...]`: any object.
    Any,
    /// `[A <guid>, B]`: objects of these types; the names decide.
    Types(Vec<(Text<'a>, Option<Guid>)>),
}

/// The types of plain values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// 16 bits.
    Word,
    /// 32 bits.
    Dword,
    /// 32 bits, signed.
    Sdword,
    /// 16 bits, signed.
    Sword,
    /// 8 bits, signed.
    Char,
    /// 8 bits.
    Uchar,
    /// 64 bits.
    Ulonglong,
    /// 32-bit floating point.
    Float,
    /// 64-bit floating point.
    Double,
    /// Text; LPSTR, CSTRING and UNICODE mean the same here.
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

/// Words that are no primitives and still cannot be names.
const OTHER_KEYWORDS: [&str; 5] = ["TEMPLATE", "ARRAY", "VOID", "BINARY", "BINARY_RESOURCE"];

impl Primitive {
    /// The keyword in capitals.
    pub fn keyword(self) -> &'static str {
        KEYWORDS.iter().find(|(_, primitive)| *primitive == self).map_or("", |(keyword, _)| keyword)
    }

    /// The keyword's token in binary files; `None` for those that have none.
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

    /// The values that it can hold, for integers.
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

/// Whether a word means something to the grammar.
pub(super) fn is_keyword(word: &[u8]) -> bool {
    Primitive::from_keyword(word).is_some()
        || OTHER_KEYWORDS.iter().any(|keyword| keyword.as_bytes().eq_ignore_ascii_case(word))
}

/// Index of a [`Layout`] in [`Templates`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LayoutId(usize);

/// A template made ready for reading objects.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layout {
    pub(super) items: Vec<Item>,
    /// Set where all values are of one type and their number is fixed, as in Vector.
    pub(super) flat: Option<(Primitive, usize)>,
    /// Whether it is a count and as many integers, as in MeshFace.
    pub(super) counted: bool,
    /// Whether it is an integer, a count and as many numbers with fractions, as in TimedFloatKeys.
    pub(super) keyed: bool,
    /// How many values there are at least. If 0, there are none at all.
    pub(super) fewest: u64,
    /// How deep templates are nested in it.
    depth: usize,
}

impl Layout {
    /// Whether it is a count and as many values of one type.
    fn is_counted(&self, primitive: Primitive) -> bool {
        let [count, list] = &self.items[..] else { return false };
        count.kind == ItemKind::Primitive(Primitive::Dword)
            && count.lengths.is_empty()
            && list.kind == ItemKind::Primitive(primitive)
            && matches!(&list.lengths[..], [Length::Slot(slot)] if count.slot == Some(*slot))
    }
}

/// One member of a [`Layout`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub(super) kind: ItemKind,
    pub(super) lengths: Vec<Length>,
    /// Where the value is kept because an array is as long as it says.
    pub(super) slot: Option<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemKind {
    Primitive(Primitive),
    Layout(LayoutId),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Fixed(u32),
    Slot(usize),
}

/// Counts that one template can refer to; PMInfo needs four.
pub(super) const SLOTS: usize = 8;
/// Templates inside templates; the standard set needs three levels.
const MAX_TEMPLATE_DEPTH: usize = 32;
/// Members of one template; Wine takes 50.
const MAX_MEMBERS: usize = 256;
/// Dimensions of one member; Wine takes 4.
const MAX_DIMENSIONS: usize = 8;

/// The templates that a file can use: the standard set, then its own.
#[derive(Debug, Clone)]
pub(super) struct Templates {
    standard: &'static [Layout],
    standard_names: &'static HashMap<Vec<u8>, LayoutId>,
    layouts: Vec<Layout>,
    /// By name in small letters; `None` for a template that cannot be used.
    names: HashMap<Vec<u8>, Option<LayoutId>>,
}

/// Names of types are compared without regard to case.
fn key(name: &[u8]) -> Vec<u8> {
    name.to_ascii_lowercase()
}

impl Templates {
    /// The standard set alone.
    pub(super) fn standard() -> Self {
        let (layouts, names) = catalogue::layouts();
        Self { standard: layouts, standard_names: names, layouts: Vec::new(), names: HashMap::new() }
    }

    /// Nothing at all, for building the standard set.
    pub(super) fn none() -> Self {
        static NO_NAMES: std::sync::LazyLock<HashMap<Vec<u8>, LayoutId>> = std::sync::LazyLock::new(HashMap::new);
        Self { standard: &[], standard_names: &NO_NAMES, layouts: Vec::new(), names: HashMap::new() }
    }

    /// Layouts and names, for keeping them as the standard set.
    pub(super) fn into_parts(self) -> (Vec<Layout>, HashMap<Vec<u8>, LayoutId>) {
        let names = self.names.into_iter().filter_map(|(name, id)| Some((name, id?)));
        (self.layouts, names.collect())
    }

    /// The layout of a type; the standard set comes first, then the file's own templates.
    pub(super) fn find(&self, name: &[u8]) -> Option<LayoutId> {
        let key = key(name);
        self.standard_names.get(&key).copied().or_else(|| self.names.get(&key).copied().flatten())
    }

    /// The layout of an id that this set gave out.
    pub(super) fn get(&self, id: LayoutId) -> Option<&Layout> {
        match id.0.checked_sub(self.standard.len()) {
            None => self.standard.get(id.0),
            Some(own) => self.layouts.get(own),
        }
    }

    /// Takes up a file's template. Where it cannot be used, objects of its type are skipped.
    pub(super) fn declare(&mut self, template: &Template<'_>, report: &mut Report) -> Result<(), Error> {
        let name = quote(&template.name.bytes);
        let key = key(&template.name.bytes);
        let span = template.name.span;
        if self.names.contains_key(&key) {
            return report.fault(Fault::RepeatedTemplate { name }, span);
        }
        let layout = self.lay_out(template, report)?;
        if let Some(&standard) = self.standard_names.get(&key) {
            let expected = catalogue::guid(&template.name.bytes);
            let same_guid = template.guid.is_none() || expected.is_none() || template.guid == expected;
            let same = layout.as_ref().is_some_and(|layout| self.same_shape(standard, layout));
            self.names.insert(key, None);
            return match same && same_guid {
                true => Ok(()),
                false => report.fault(Fault::TemplateDiffers { name }, span),
            };
        }
        let id = layout.map(|layout| {
            self.layouts.push(layout);
            LayoutId(self.standard.len() + self.layouts.len() - 1)
        });
        self.names.insert(key, id);
        Ok(())
    }

    /// `None` after a fault.
    fn lay_out(&self, template: &Template<'_>, report: &mut Report) -> Result<Option<Layout>, Error> {
        let mut layout = Layout { items: Vec::new(), flat: None, counted: false, keyed: false, fewest: 0, depth: 0 };
        let mut slots: Vec<usize> = Vec::new();
        for (place, member) in template.members.iter().enumerate() {
            let kind = match &member.kind {
                MemberKind::Primitive(primitive) => ItemKind::Primitive(*primitive),
                MemberKind::Template(name) => match self.find(&name.bytes) {
                    Some(id) => ItemKind::Layout(id),
                    None => {
                        report.fault(Fault::UnknownMemberType { name: quote(&name.bytes) }, name.span)?;
                        return Ok(None);
                    }
                },
            };
            let mut lengths = Vec::new();
            for dimension in &member.dimensions {
                lengths.push(match dimension {
                    Dimension::Fixed(length) => Length::Fixed(*length),
                    Dimension::Member(name) => {
                        let Some(counter) = counter(template, place, &name.bytes) else {
                            report.fault(Fault::BadDimension { name: quote(&name.bytes) }, name.span)?;
                            return Ok(None);
                        };
                        let known = slots.iter().position(|&slot| slot == counter);
                        Length::Slot(known.unwrap_or_else(|| {
                            slots.push(counter);
                            slots.len() - 1
                        }))
                    }
                });
            }
            let nested = match kind {
                ItemKind::Primitive(_) => (1, 0),
                ItemKind::Layout(id) => self.get(id).map_or((0, 0), |nested| (nested.fewest, nested.depth + 1)),
            };
            layout.fewest = layout.fewest.saturating_add(nested.0.saturating_mul(fewest_elements(&lengths)));
            layout.depth = layout.depth.max(nested.1);
            layout.items.push(Item { kind, lengths, slot: None });
        }
        if layout.depth > MAX_TEMPLATE_DEPTH || slots.len() > SLOTS {
            report.fault(Fault::TemplateTooLarge { name: quote(&template.name.bytes) }, template.name.span)?;
            return Ok(None);
        }
        for (slot, member) in slots.into_iter().enumerate() {
            if let Some(item) = layout.items.get_mut(member) {
                item.slot = Some(slot);
            }
        }
        layout.flat = self.flat(&layout);
        layout.counted = layout.is_counted(Primitive::Dword);
        layout.keyed = self.is_keyed(&layout);
        Ok(Some(layout))
    }

    /// The one type and number of all values, where there is one.
    fn flat(&self, layout: &Layout) -> Option<(Primitive, usize)> {
        let mut flat: Option<(Primitive, usize)> = None;
        for item in &layout.items {
            let (primitive, each) = match item.kind {
                ItemKind::Primitive(primitive) => (primitive, 1),
                ItemKind::Layout(id) => self.get(id)?.flat?,
            };
            let mut count = each;
            for length in &item.lengths {
                let Length::Fixed(length) = length else { return None };
                count = count.checked_mul(usize::try_from(*length).ok()?)?;
            }
            flat = match flat {
                None => Some((primitive, count)),
                Some((same, before)) if same == primitive => Some((same, before.checked_add(count)?)),
                Some(_) => return None,
            };
        }
        flat
    }

    fn is_keyed(&self, layout: &Layout) -> bool {
        let [time, keys] = &layout.items[..] else { return false };
        let ItemKind::Layout(list) = keys.kind else { return false };
        time.kind == ItemKind::Primitive(Primitive::Dword)
            && time.lengths.is_empty()
            && keys.lengths.is_empty()
            && self.get(list).is_some_and(|list| list.is_counted(Primitive::Float))
    }

    /// Whether a file's own layout of a standard type holds the same values.
    fn same_shape(&self, standard: LayoutId, own: &Layout) -> bool {
        let Some(standard) = self.get(standard) else { return false };
        if let (Some(standard), Some(own)) = (standard.flat, own.flat) {
            return standard == own;
        }
        let same_item = |(standard, own): (&Item, &Item)| {
            let same_kind = match (standard.kind, own.kind) {
                (ItemKind::Layout(standard), ItemKind::Layout(own)) => {
                    standard == own || self.get(own).is_some_and(|own| self.same_shape(standard, own))
                }
                (standard, own) => standard == own,
            };
            same_kind && standard.lengths == own.lengths
        };
        standard.items.len() == own.items.len() && standard.items.iter().zip(&own.items).all(same_item)
    }
}

/// The member above `place` that counts an array's elements.
fn counter(template: &Template<'_>, place: usize, name: &[u8]) -> Option<usize> {
    template.members.iter().take(place).position(|member| {
        let integer = matches!(&member.kind, MemberKind::Primitive(primitive) if primitive.range().is_some());
        let named = member.name.as_ref().is_some_and(|own| *own.bytes == *name);
        integer && named && member.dimensions.is_empty()
    })
}

/// How many elements an array has at least.
fn fewest_elements(lengths: &[Length]) -> u64 {
    lengths.iter().fold(1, |product: u64, length| match length {
        Length::Fixed(length) => product.saturating_mul(u64::from(*length)),
        Length::Slot(_) => 0,
    })
}

/// Reads template declarations.
pub(super) struct TemplateReader<'t, 'a> {
    pub(super) tokens: &'t mut Tokens<'a>,
    pub(super) report: &'t mut Report,
}

impl<'a> TemplateReader<'_, 'a> {
    // template ::= 'template' name '{' [guid] {member} [restriction] '}'; the first word has been read
    pub(super) fn template(&mut self, start: Span, name: Text<'a>) -> Result<Template<'a>, Error> {
        let mut template = Template { name, guid: None, members: Vec::new(), children: Allowed::None, span: start };
        loop {
            let (token, span) = self.tokens.next(self.report)?;
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
        let (mut token, mut at) = self.tokens.next(self.report)?;
        if let Token::Word(word) = token {
            name = Some(text(word.bytes, at));
            (token, at) = self.tokens.next(self.report)?;
        }
        while array && token == Token::Mark(b'[') && dimensions.len() < MAX_DIMENSIONS {
            let (length, span) = self.tokens.next(self.report)?;
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
            let (token_after, span) = self.tokens.next(self.report)?;
            if token_after != Token::Mark(b']') {
                return Err(expected("']'", &token_after, span));
            }
            (token, at) = self.tokens.next(self.report)?;
        }
        if array && dimensions.is_empty() {
            return Err(expected("'['", &token, at));
        }
        if token != Token::Semicolon {
            return Err(expected("';'", &token, at));
        }
        // The legacy type `indexColor`, in exactly this spelling, is an index and a colour.
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
            let (token, span) = self.tokens.next(self.report)?;
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
        match self.tokens.next(self.report)? {
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
