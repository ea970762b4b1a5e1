//! Templates and data objects of d3dxof.

use super::super::{Length, fields};
use super::tokens::{Lexer, kind};
use crate::codes::{Rule, x as rules};
use crate::verdict::{Fallible, Outcome, Stop, refuse};
use bindpose_parsers::Span;
use bindpose_parsers::x::{Guid, MemberKind, Primitive, Template, standard_templates};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Number of templates that D3DX registers: only those of the retained mode.
const REGISTERED: usize = 35;
const MAX_TEMPLATES: usize = 200;
const MAX_MEMBERS: usize = 50;
const MAX_DIMENSIONS: usize = 4;
const MAX_OBJECTS: usize = 500;
/// Largest number of objects in one at the top level, including itself.
const MAX_SUBOBJECTS: usize = 2000;
const MAX_CHILDREN: usize = 200;
/// Largest size in bytes of all strings of a top-level object.
const STRINGS: usize = 10_000;
/// Largest number of bytes kept of an object's name.
const NAME: usize = 40;
/// Length from which a name overwrites the object's type.
const NAME_OVER_TYPE: usize = 56;
/// Size in bytes of a string in an object's data: a pointer.
pub(super) const POINTER: usize = 8;
/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 256;

#[derive(Clone)]
struct Layout {
    guid: Guid,
    members: Vec<Field>,
}

/// A member, with the token of its values, and its template if that is [`kind::NAME`].
type Field = super::super::Field<(u16, usize)>;

/// A data object.
pub(super) struct Object<'a> {
    /// Name, as far as it is kept.
    pub name: &'a [u8],
    /// Identifier of its template, unless the name overwrites it.
    pub kind: Option<Guid>,
    /// Span of its type.
    pub span: Span,
    /// Offset behind its closing brace, if that was read.
    pub end: usize,
    /// Range of its own data.
    pub data: std::ops::Range<usize>,
    pub children: Vec<Child>,
}

/// An object inside another, or the target of a reference.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub object: usize,
    pub is_reference: bool,
}

/// Result of reading a file's objects.
pub(super) struct Content<'a> {
    /// All objects, each top-level one followed by those inside it.
    pub objects: Vec<Object<'a>>,
    /// Top-level objects, in order.
    pub roots: Vec<usize>,
    /// Data of all objects, as passed to D3DX.
    pub data: Vec<u8>,
    /// Fault that ended reading before the file's end.
    pub halt: Option<Stop>,
    /// Top-level object in which reading ended.
    pub broken: Option<usize>,
    /// True if a template before all objects is faulty.
    pub is_template_at_fault: bool,
}

pub(super) struct ObjectReader<'a> {
    lexer: Lexer<'a>,
    templates: Vec<Layout>,
    /// First template of each name in lower case.
    by_name: HashMap<Vec<u8>, usize>,
    objects: Vec<Object<'a>>,
    names: HashMap<&'a [u8], usize>,
    data: Vec<u8>,
    /// Number of objects in the current top-level object.
    subobjects: usize,
    strings: usize,
    steps_left: usize,
}

/// Templates, and the first of each name in lower case.
type Standard = (Vec<Layout>, HashMap<Vec<u8>, usize>);

/// Registered templates, after `indexColor`, a member type that older files use instead of ColorRGBA.
static STANDARD: LazyLock<Standard> = LazyLock::new(|| {
    let field = |kind, name: &[u8], lengths| Field { kind: (kind, 0), name: name.to_vec(), lengths };
    let color = field(kind::FLOAT, b"color", vec![Length::Fixed(4)]);
    let members = vec![field(kind::DWORD, b"index", Vec::new()), color];
    let mut by_name = HashMap::from([(b"indexcolor".to_vec(), 0)]);
    let mut layouts = vec![Layout { guid: Guid::default(), members }];
    for template in standard_templates().iter().take(REGISTERED) {
        by_name.entry(template.name.bytes.to_ascii_lowercase()).or_insert(layouts.len());
        layouts.push(layout(template, &by_name));
    }
    (layouts, by_name)
});

fn layout(template: &Template, by_name: &HashMap<Vec<u8>, usize>) -> Layout {
    let members = fields(template, |kind| match kind {
        MemberKind::Primitive(primitive) => (token_of(*primitive), 0),
        MemberKind::Template(inner) => {
            (kind::NAME, by_name.get(&inner.bytes.to_ascii_lowercase()).copied().unwrap_or_default())
        }
    });
    Layout { guid: template.guid.unwrap_or_default(), members }
}

fn token_of(primitive: Primitive) -> u16 {
    match primitive {
        Primitive::Word => kind::WORD,
        Primitive::Dword => kind::DWORD,
        Primitive::Float => kind::FLOAT,
        Primitive::Double | Primitive::Ulonglong => kind::DOUBLE,
        Primitive::Char => kind::CHAR,
        Primitive::Uchar => kind::UCHAR,
        Primitive::Sword => kind::SWORD,
        Primitive::Sdword => kind::SDWORD,
        Primitive::String => kind::TEXT,
    }
}

impl<'a> ObjectReader<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize, is_text: bool) -> Self {
        let (templates, by_name) = STANDARD.clone();
        Self {
            lexer: Lexer::new(bytes, at, is_text),
            templates,
            by_name,
            objects: Vec::new(),
            names: HashMap::new(),
            data: Vec::new(),
            subobjects: 0,
            strings: 0,
            steps_left: bytes.len().saturating_mul(64).saturating_add(1 << 16),
        }
    }

    /// Reads objects until the end or a fault.
    pub(super) fn read(mut self) -> Content<'a> {
        let mut roots = Vec::new();
        let first = self.templates();
        let is_template_at_fault = first.is_err();
        let mut halt = first.err();
        let mut broken = None;
        while halt.is_none() && !self.lexer.is_at_end() {
            if roots.len() >= MAX_OBJECTS {
                halt = self.fault::<()>(rules::TOO_MANY_OBJECTS, "Too many objects").err();
                break;
            }
            self.subobjects = 1;
            self.strings = 0;
            let begun = self.objects.len();
            match self.object(0) {
                Ok(object) => {
                    roots.push(object);
                    halt = self.templates().err();
                }
                Err(error) => (halt, broken) = (Some(error), Some(begun)),
            }
        }
        // Reading past a buffer makes the rest unpredictable.
        if self.lexer.is_overrun {
            halt = Some(Stop::Lost);
        }
        Content { objects: self.objects, roots, data: self.data, halt, broken, is_template_at_fault }
    }

    /// Stops at the last token. The message is that of the debug channels.
    fn fault<T>(&self, rule: Rule, message: impl Into<String>) -> Fallible<T> {
        let (rule, message) = match () {
            () if self.lexer.is_unrecognised => (rules::ODD_NAME, "Unrecognize element".to_owned()),
            () if self.lexer.has_ended() => (rules::END_INSIDE, message.into()),
            () => (rule, message.into()),
        };
        refuse(Outcome::Refuses, rule, self.lexer.span, message)
    }

    fn expect(&mut self, token: u16) -> Fallible<()> {
        if self.lexer.next() == token {
            return Ok(());
        }
        let is_name = token == kind::OPEN_BRACE && self.lexer.is_keyword();
        self.fault(if is_name { rules::ODD_NAME } else { rules::SYNTAX }, "")
    }

    fn step(&mut self) -> Fallible<()> {
        self.steps_left = self.steps_left.checked_sub(1).ok_or(Stop::Lost)?;
        Ok(())
    }

    /// Reads templates up to the next object.
    fn templates(&mut self) -> Fallible<()> {
        while self.lexer.peek() == kind::TEMPLATE {
            self.template().map_err(|mut stop| {
                if let Some(fault) = stop.refusal_mut().filter(|fault| fault.message.is_empty()) {
                    fault.rule = rules::BROKEN_TEMPLATE;
                    fault.message = "Template is not correct".to_owned();
                }
                stop
            })?;
        }
        Ok(())
    }

    fn template(&mut self) -> Fallible<()> {
        self.expect(kind::TEMPLATE)?;
        self.expect(kind::NAME)?;
        let name = self.lexer.word.to_ascii_lowercase();
        self.expect(kind::OPEN_BRACE)?;
        self.expect(kind::GUID)?;
        let guid = self.lexer.guid;
        let mut members = Vec::new();
        while let Some(member) = self.member(&members)? {
            members.push(member);
        }
        if self.lexer.peek() == kind::OPEN_BRACKET {
            self.lexer.next();
            self.restriction()?;
            self.expect(kind::CLOSE_BRACKET)?;
        }
        self.expect(kind::CLOSE_BRACE)?;
        if self.templates.len() >= MAX_TEMPLATES || members.len() > MAX_MEMBERS || name.len() >= NAME {
            return Err(Stop::Lost);
        }
        self.by_name.entry(name).or_insert(self.templates.len());
        self.templates.push(Layout { guid, members });
        Ok(())
    }

    fn member(&mut self, members: &[Field]) -> Fallible<Option<Field>> {
        let is_array = self.lexer.peek() == kind::ARRAY;
        if is_array {
            self.lexer.next();
        }
        let mut template = 0;
        let kind = match self.lexer.peek() {
            kind::NAME => {
                self.lexer.next();
                let word = self.lexer.word;
                // `indexColor` in exactly this spelling is the reserved template.
                if word != b"indexColor" {
                    let known = self.by_name.get(&word.to_ascii_lowercase()).copied().filter(|&known| known > 0);
                    template = known.map_or_else(
                        || {
                            let name = String::from_utf8_lossy(word);
                            self.fault(rules::MEMBER_TYPE, format!("Reference to a nonexistent template '{name}'"))
                        },
                        Ok,
                    )?;
                }
                kind::NAME
            }
            token @ (kind::WORD..=kind::SDWORD | kind::TEXT..=kind::CSTRING) => {
                self.lexer.next();
                token
            }
            _ => return Ok(None),
        };
        self.expect(kind::NAME)?;
        let name = self.lexer.word.to_vec();
        let mut dimensions = Vec::new();
        while is_array && self.lexer.peek() == kind::OPEN_BRACKET {
            if dimensions.len() >= MAX_DIMENSIONS {
                let number = dimensions.len() + 1;
                let message = format!("Too many dimensions ({number}) for multi-dimensional array");
                return self.fault(rules::TEMPLATE_TOO_LARGE, message);
            }
            self.lexer.next();
            dimensions.push(self.dimension(members)?);
            self.expect(kind::CLOSE_BRACKET)?;
        }
        if is_array && dimensions.is_empty() {
            return self.fault(rules::DIMENSION, "");
        }
        self.expect(kind::SEMICOLON)?;
        Ok(Some(Field { kind: (kind, template), name, lengths: dimensions }))
    }

    fn dimension(&mut self, members: &[Field]) -> Fallible<Length> {
        if self.lexer.peek() == kind::INTEGER {
            self.lexer.next();
            return Ok(Length::Fixed(self.lexer.number));
        }
        self.expect(kind::NAME)?;
        let word = self.lexer.word;
        match members.iter().position(|member| member.name == word) {
            Some(at) if members.get(at).is_some_and(|member| !member.lengths.is_empty()) => {
                self.fault(rules::DIMENSION, "Array cannot be used to specify variable array size")
            }
            Some(at) if members.get(at).is_some_and(|member| member.kind.0 != kind::DWORD) => {
                self.fault(rules::DIMENSION, "Only DWORD supported to specify variable array size")
            }
            Some(at) => Ok(Length::Member(at)),
            None => {
                let name = String::from_utf8_lossy(word);
                self.fault(rules::DIMENSION, format!("Reference to unknown member {name}"))
            }
        }
    }

    /// Reads `...`, or names with or without GUIDs. The restriction itself is not checked.
    fn restriction(&mut self) -> Fallible<()> {
        if self.lexer.peek() == kind::DOT {
            return (0..3).try_for_each(|_| self.expect(kind::DOT));
        }
        loop {
            self.expect(kind::NAME)?;
            if self.lexer.peek() == kind::GUID {
                self.lexer.next();
            }
            if self.lexer.peek() != kind::COMMA {
                return Ok(());
            }
            self.lexer.next();
        }
    }

    fn object(&mut self, depth: usize) -> Fallible<usize> {
        if depth > MAX_DEPTH {
            return Err(Stop::Lost);
        }
        self.expect(kind::NAME)?;
        let (word, span) = (self.lexer.word, self.lexer.span);
        let Some(&template) = self.by_name.get(&word.to_ascii_lowercase()) else {
            let message = format!("Unknown template {}", String::from_utf8_lossy(word));
            return self.fault(rules::UNKNOWN_TYPE, message);
        };
        let mut kind = self.templates.get(template).map(|template| template.guid);
        let object = self.objects.len();
        let mut name: &[u8] = &[];
        if self.lexer.peek() == kind::NAME {
            self.lexer.next();
            name = self.lexer.word;
            if name.len() >= NAME_OVER_TYPE {
                kind = None;
            }
            name = name.get(..NAME).unwrap_or(name);
        }
        let start = self.data.len();
        let end = span.end as usize;
        self.objects.push(Object { name, kind, span, end, data: start..start, children: Vec::new() });
        self.names.entry(name).or_insert(object);
        self.expect(kind::OPEN_BRACE)?;
        if self.lexer.peek() == kind::GUID {
            self.lexer.next();
        }
        self.members(template, &mut Vec::new())?;
        let end = self.data.len();
        if let Some(known) = self.objects.get_mut(object) {
            known.data.end = end;
        }
        self.children(object, depth)?;
        self.expect(kind::CLOSE_BRACE)?;
        if let Some(known) = self.objects.get_mut(object) {
            known.end = self.lexer.span.end as usize;
        }
        // The next token is already read here.
        self.lexer.peek();
        Ok(object)
    }

    fn children(&mut self, object: usize, depth: usize) -> Fallible<()> {
        let mut count = 0;
        loop {
            let is_reference = match self.lexer.peek() {
                kind::OPEN_BRACE => true,
                kind::NAME => false,
                _ => break,
            };
            let child = if is_reference { self.reference()? } else { self.objects.len() };
            if self.subobjects >= MAX_SUBOBJECTS {
                return self.fault(rules::TOO_MANY_OBJECTS, "Too many sub-objects");
            }
            self.subobjects += 1;
            count += 1;
            if count > MAX_CHILDREN {
                return self.fault(rules::TOO_MANY_OBJECTS, format!("Too many children {count}"));
            }
            if !is_reference {
                self.object(depth + 1)?;
            }
            if let Some(object) = self.objects.get_mut(object) {
                object.children.push(Child { object: child, is_reference });
            }
        }
        Ok(())
    }

    fn reference(&mut self) -> Fallible<usize> {
        self.lexer.next();
        self.expect(kind::NAME)?;
        let (word, span) = (self.lexer.word, self.lexer.span);
        self.expect(kind::CLOSE_BRACE)?;
        let Some(&object) = self.names.get(word) else {
            let message = format!("Reference to unknown object {}", String::from_utf8_lossy(word));
            return refuse(Outcome::Refuses, rules::UNRESOLVED_REFERENCE, span, message);
        };
        Ok(object)
    }

    /// Reads an object's members. `starts` contains the start of each. Members of inner templates overwrite them, as in
    /// Wine.
    fn members(&mut self, template: usize, starts: &mut Vec<usize>) -> Fallible<()> {
        let count = self.templates.get(template).map_or(0, |template| template.members.len());
        for at in 0..count {
            if starts.len() <= at {
                starts.push(0);
            }
            if let Some(start) = starts.get_mut(at) {
                *start = self.data.len();
            }
            let Some(field) = self.templates.get(template).and_then(|template| template.members.get(at)) else {
                return Err(Stop::Lost);
            };
            let (kind, inner) = field.kind;
            let mut elements = 1_u32;
            for dimension in &field.lengths {
                let length = match *dimension {
                    Length::Fixed(length) => length,
                    Length::Member(member) => {
                        let start = starts.get(member).copied().unwrap_or(usize::MAX);
                        let bytes = self.data.get(start..).and_then(|data| data.first_chunk());
                        bytes.copied().map(u32::from_le_bytes).ok_or(Stop::Lost)?
                    }
                };
                elements = elements.wrapping_mul(length);
            }
            for _ in 0..elements {
                self.step()?;
                match kind {
                    kind::NAME => self.members(inner, starts)?,
                    _ => self.value(kind)?,
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn value(&mut self, wanted: u16) -> Fallible<()> {
        match (self.lexer.peek(), wanted) {
            (kind::INTEGER, kind::DWORD) | (kind::FLOAT, kind::FLOAT) => {
                self.data.extend(self.lexer.number.to_le_bytes());
            }
            (kind::INTEGER, kind::WORD) => self.data.extend((self.lexer.number as u16).to_le_bytes()),
            (kind::TEXT, kind::TEXT) => {
                self.strings += self.lexer.word.len() + 1;
                if self.strings > STRINGS {
                    return self.fault(rules::COUNT_TOO_LARGE, "Buffer too small");
                }
                self.data.extend([0; POINTER]);
            }
            (found @ (kind::INTEGER | kind::FLOAT | kind::TEXT), _) => {
                let rule = match (found, wanted) {
                    (kind::FLOAT, kind::DWORD | kind::WORD) => rules::FRACTION,
                    (kind::INTEGER, kind::FLOAT) => rules::WHOLE_NUMBER,
                    _ => rules::SYNTAX,
                };
                return self.fault(rule, format!("Token {wanted} not supported."));
            }
            (found, _) => {
                let rule = if found == kind::CLOSE_BRACE { rules::VALUES_MISSING } else { rules::SYNTAX };
                return self.fault(rule, format!("Unexpected token {found}."));
            }
        }
        self.lexer.next();
        if !matches!(self.lexer.peek(), kind::COMMA | kind::SEMICOLON) {
            return self.fault(rules::SEPARATOR_MISSING, "");
        }
        while self.lexer.peek() == kind::SEMICOLON {
            self.lexer.next();
        }
        if self.lexer.peek() == kind::COMMA {
            self.lexer.next();
        }
        Ok(())
    }
}
