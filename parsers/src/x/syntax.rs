//! Reads the objects of a file by their templates (docs/formats/x.md "Objects and references").

use super::fault::Fault;
use super::layout::{Item, ItemKind, LayoutId, Length, SLOTS, Templates};
use super::report::{Error, FaultLog, quote};
use super::stream::Tokens;
use super::template::{Primitive, Template, TemplateReader, expected, is_keyword, text as text_at};
use super::text::TextLexer;
use super::token::{Guid, Token, Word, class};
use super::values::{Cursor, Datum, Odd, Value, Values};
use super::{MAX_DEPTH, MAX_OBJECTS, Text, catalogue};
use crate::Span;
use crate::number::not_finite;
use nom::Parser;
use nom::combinator::all_consuming;
use std::borrow::Cow;

/// All objects of a file, in order, including objects that the document does not know.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree<'a> {
    /// Templates that the file declares anywhere.
    pub templates: Vec<Template<'a>>,
    /// Objects at top level.
    pub objects: Vec<Object<'a>>,
}

/// `Type name { <guid> values… children… }`
#[derive(Debug, Clone, PartialEq)]
pub struct Object<'a> {
    /// Type as written. Case does not matter.
    pub type_name: Text<'a>,
    /// Name. Case matters.
    pub name: Option<Text<'a>>,
    /// Identifier of this object.
    pub guid: Option<Guid>,
    /// All values in the order of the template, without structure. Empty if no template is known.
    pub values: Values<'a>,
    /// Objects and references after the values.
    pub children: Vec<Child<'a>>,
    /// Bytes between the braces of an object that could not be laid out.
    pub unread: Option<Span>,
    /// Position from the type to the closing brace.
    pub span: Span,
}

/// Child of an object.
#[derive(Debug, Clone, PartialEq)]
pub enum Child<'a> {
    /// An object.
    Object(Object<'a>),
    /// `{name}`, `{<guid>}` or `{name <guid>}`.
    Reference(Reference<'a>),
}

/// Reference to another object.
#[derive(Debug, Clone, PartialEq)]
pub struct Reference<'a> {
    /// Name of the object.
    pub name: Option<Text<'a>>,
    /// Identifier of the object.
    pub guid: Option<Guid>,
    /// Position from brace to brace.
    pub span: Span,
}

impl<'a> Object<'a> {
    /// Creates an object without a position, for writing.
    pub fn new(type_name: &'static str) -> Self {
        Self {
            type_name: text_at(type_name.as_bytes(), Span::default()),
            name: None,
            guid: None,
            values: Values::default(),
            children: Vec::new(),
            unread: None,
            span: Span::default(),
        }
    }

    /// True if the object has this type. Case does not matter.
    pub fn is(&self, type_name: &str) -> bool {
        self.type_name.bytes.eq_ignore_ascii_case(type_name.as_bytes())
    }

    /// Returns the child objects without references.
    pub fn objects(&self) -> impl Iterator<Item = &Object<'a>> {
        self.children.iter().filter_map(|child| match child {
            Child::Object(object) => Some(object),
            Child::Reference(_) => None,
        })
    }

    /// Returns the spans of the faces of a `Mesh` or `MeshNormals`, each from its number of corners to the last one.
    /// Reads the file's words again.
    pub fn face_spans(&self) -> impl Iterator<Item = Span> {
        let mut values = self.values.iter();
        let count = |value: Value<'a>| match value.datum {
            Datum::Integer(count) => usize::try_from(count).unwrap_or(0),
            _ => 0,
        };
        let vectors = values.next().map_or(0, count);
        let mut values = values.skip(vectors.saturating_mul(3));
        let faces = values.next().map_or(0, count);
        (0..faces).map_while(move |_| {
            let corners = values.next()?;
            let span = corners.span;
            (0..count(corners)).try_fold(span, |span, _| Some(span.to(values.next()?.span)))
        })
    }
}

/// Reads the body of an unpacked file.
pub(super) fn tree<'a>(tokens: Tokens<'a>, log: &mut FaultLog) -> Result<Tree<'a>, Error> {
    let mut reader = TreeReader { tokens, log, templates: catalogue::layouts(), tree: Tree::default(), count: 0 };
    reader.file()?;
    Ok(reader.tree)
}

struct TreeReader<'r, 'a> {
    tokens: Tokens<'a>,
    log: &'r mut FaultLog,
    templates: Templates,
    tree: Tree<'a>,
    /// Objects, references and templates so far.
    count: usize,
}

/// Type that cannot be laid out although its template is known.
const OPAQUE: &str = "InlineData";

/// Types that a model needs. A fault in their values ends the reading.
const ESSENTIAL: [&str; 2] = ["Mesh", "FrameTransformMatrix"];

/// Types whose values are kept even if incomplete. Other objects that do not follow their templates are skipped.
const PARTIAL: [&str; 9] = [
    "MeshNormals",
    "MeshTextureCoords",
    "MeshVertexColors",
    "MeshMaterialList",
    "Material",
    "XSkinMeshHeader",
    "SkinWeights",
    "AnimationKey",
    "AnimTicksPerSecond",
];

/// Names the innermost object in which the file ends, regardless of the expected token.
fn ends_inside(error: Error, object: &[u8]) -> Error {
    match error.kind {
        Fault::Expected { expected, found } if found == Token::End.describe() => {
            Error { kind: Fault::EndInside { object: quote(object), expected }, ..error }
        }
        // A string is open in the last line.
        Fault::UnclosedString if error.span.end > error.span.start + 1 => {
            let end = error.span.end as usize;
            Error { kind: Fault::EndInside { object: quote(object), expected: "'\"'" }, span: Span::new(end, end) }
        }
        _ => error,
    }
}

fn is_one_of(object: &Object<'_>, types: &[&str]) -> bool {
    types.iter().any(|type_name| object.is(type_name))
}

impl<'a> TreeReader<'_, 'a> {
    // file ::= { template | object }
    fn file(&mut self) -> Result<(), Error> {
        loop {
            let (token, span) = self.tokens.next(self.log)?;
            match token {
                Token::End => return Ok(()),
                Token::Word(word) if word.bytes.eq_ignore_ascii_case(b"template") => self.template(span)?,
                Token::Word(word) => {
                    // For example, the byte 26 ended files under DOS.
                    if let (Token::End, _) = self.tokens.peek(self.log)? {
                        let fault = Fault::EndInside { object: quote(word.bytes), expected: "'{'" };
                        return self.log.fault(fault, span);
                    }
                    let object = self.object(word, span, 1)?;
                    self.tree.objects.push(object);
                }
                Token::Open => {
                    let reference = self.reference(span)?;
                    self.log.fault(Fault::StrayReference, reference.span)?;
                }
                Token::Close => self.log.fault(Fault::StrayBrace, span)?,
                Token::Semicolon | Token::Comma => self.log.fault(Fault::StraySeparator, span)?,
                token => return Err(expected("an object or a template", &token, span)),
            }
        }
    }

    fn count(&mut self, span: Span) -> Result<(), Error> {
        self.count += 1;
        if self.count > MAX_OBJECTS {
            return Err(Error { kind: Fault::TooManyObjects { limit: MAX_OBJECTS }, span });
        }
        Ok(())
    }

    fn template(&mut self, start: Span) -> Result<(), Error> {
        self.log.enter();
        self.count(start)?;
        let name = match self.tokens.next(self.log)? {
            (Token::Word(word), span) => text_at(word.bytes, span),
            (token, span) => return Err(expected("the template's name", &token, span)),
        };
        match self.tokens.next(self.log)? {
            (Token::Open, _) => {}
            (token, span) => return Err(expected("'{'", &token, span)),
        }
        let (place, mark) = (self.tokens.clone(), self.log.mark());
        let mut reader = TemplateReader { tokens: &mut self.tokens, log: self.log };
        match reader.template(start, name.clone()) {
            Ok(template) => {
                self.templates.declare(&template, self.log)?;
                self.tree.templates.push(template);
                Ok(())
            }
            Err(error) if self.log.lenient() => {
                self.tokens = place;
                self.log.rewind(mark);
                let fault = Fault::BrokenTemplate { name: quote(&name.bytes), why: error.kind.to_string() };
                self.log.fault(fault, error.span)?;
                self.tokens.skip_block(&name.bytes)
            }
            Err(error) => Err(error),
        }
    }

    // object ::= type [name] '{' [guid] values {object | reference} '}'; the type has been read
    fn object(&mut self, type_name: Word<'a>, type_span: Span, depth: usize) -> Result<Object<'a>, Error> {
        self.log.enter();
        self.count(type_span)?;
        if depth > MAX_DEPTH {
            return Err(Error { kind: Fault::TooDeep { limit: MAX_DEPTH }, span: type_span });
        }
        let type_name_bytes = type_name.bytes;
        let name = self.name(type_name, type_span)?;
        let mut object = Object {
            type_name: text_at(type_name_bytes, type_span),
            name,
            guid: None,
            values: Values::default(),
            children: Vec::new(),
            unread: None,
            span: type_span,
        };
        let layout = self.templates.find(type_name_bytes);
        if layout.is_none() || object.is(OPAQUE) {
            let fault = match layout {
                None => Fault::UnknownType { name: quote(type_name_bytes) },
                Some(_) => Fault::Unsupported { object: quote(type_name_bytes) },
            };
            self.log.fault(fault, type_span)?;
            self.skip(&mut object)?;
            return Ok(object);
        }
        let (place, mark) = (self.tokens.clone(), self.log.mark());
        let first = self.tokens.peek(self.log).map_err(|error| ends_inside(error, type_name_bytes))?;
        if let (Token::Guid(guid), _) = first {
            self.tokens.next(self.log)?;
            object.guid = guid;
        }
        let has_values = |&layout: &LayoutId| self.templates.get(layout).is_some_and(|layout| layout.fewest > 0);
        let layout = layout.filter(has_values);
        if layout.is_some() {
            object.values = Values::from_here(&self.tokens);
        }
        if let Some(layout) = layout
            && let Err(error) = self.struct_values(layout, &mut object)
        {
            let error = self.named_by_number(layout, &object, ends_inside(error, type_name_bytes))?;
            if !self.keeps_values(&object, &error)? {
                self.tokens = place;
                self.log.rewind(mark);
                let fault = Fault::Skipped { object: quote(type_name_bytes), why: error.kind.to_string() };
                self.log.fault(fault, error.span)?;
                object.values = Values::default();
                self.skip(&mut object)?;
                return Ok(object);
            }
        }
        object.values.share();
        self.children(&mut object, depth).map_err(|error| ends_inside(error, type_name_bytes))?;
        Ok(object)
    }

    /// True if an object keeps the values read before `error`, false if it is skipped instead.
    ///
    /// # Errors
    ///
    /// Returns `error` if the object can neither be kept nor skipped.
    fn keeps_values(&mut self, object: &Object<'a>, error: &Error) -> Result<bool, Error> {
        let hopeless =
            is_one_of(object, &ESSENTIAL) || matches!(error.kind, Fault::EndInside { .. } | Fault::Truncated { .. });
        if hopeless || !self.log.lenient() {
            return Err(error.clone());
        }
        if !is_one_of(object, &PARTIAL) {
            return Ok(false);
        }
        if !self.ends_early(error)? {
            return Err(error.clone());
        }
        self.log.fault(Fault::MissingValues { object: quote(&object.type_name.bytes) }, error.span)?;
        Ok(true)
    }

    /// Rewords `error` for an object of a fixed number of values that ends too early.
    fn named_by_number(&mut self, layout: LayoutId, object: &Object<'a>, error: Error) -> Result<Error, Error> {
        let flat = self.templates.get(layout).and_then(|layout| layout.flat);
        let found = object.values.len();
        let Some((_, expected)) = flat.filter(|_| found > 1) else { return Ok(error) };
        if !is_one_of(object, &ESSENTIAL) || !self.ends_early(&error)? {
            return Ok(error);
        }
        let mut cursor = Cursor::of(&object.values);
        let span = cursor.span(0).to(cursor.span(found - 1));
        Ok(Error { kind: Fault::FewValues { object: quote(&object.type_name.bytes), found, expected }, span })
    }

    /// True if the object's end or a child ends its values early. The reader then returns to this position.
    fn ends_early(&mut self, error: &Error) -> Result<bool, Error> {
        if !matches!(error.kind, Fault::Expected { .. }) || !self.tokens.back_to(error.span.start as usize) {
            return Ok(false);
        }
        Ok(match self.tokens.peek(self.log)?.0 {
            Token::Close | Token::Open => true,
            Token::Word(word) => self.templates.find(word.bytes).is_some(),
            _ => false,
        })
    }

    /// Skips the block of an object and notes its span.
    fn skip(&mut self, object: &mut Object<'a>) -> Result<(), Error> {
        let start = self.tokens.offset();
        self.tokens.skip_block(&object.type_name.bytes)?;
        object.unread = Some(Span::new(start, self.tokens.offset()));
        object.span = object.span.to(Span::new(start, self.tokens.offset()));
        Ok(())
    }

    /// Reads the name between the type and `{`, and the brace.
    ///
    /// D3DX accepts one word. Real files have names with blanks, dots, bars and brackets, so that everything up to the
    /// brace counts (docs/formats/x.md "Words of text files").
    fn name(&mut self, type_name: Word<'a>, type_span: Span) -> Result<Option<Text<'a>>, Error> {
        let mut pieces: Vec<(&'a [u8], Span)> = Vec::new();
        let mut classes = 0;
        loop {
            let (token, span) = self.tokens.next(self.log)?;
            match token {
                Token::Open => break,
                Token::Word(word) => {
                    classes |= word.classes;
                    pieces.push((word.bytes, span));
                }
                Token::Mark(byte) if !pieces.is_empty() => {
                    classes |= class::OTHER;
                    pieces.push((mark_bytes(byte), span));
                }
                Token::Text(bytes) => {
                    classes |= class::OTHER;
                    pieces.push((bytes, span));
                }
                Token::Integer(_) | Token::Float(_) | Token::Guid(_) | Token::Mark(_) => {
                    return Err(expected("a name or '{'", &token, span));
                }
                Token::End => {
                    let object = quote(type_name.bytes);
                    return Err(Error { kind: Fault::EndInside { object, expected: "'{'" }, span });
                }
                token => return Err(expected("'{'", &token, span)),
            }
            // A file of blanks and letters must not become a single name.
            if pieces.len() > MAX_NAME_PIECES {
                return Err(expected("'{'", &token, span));
            }
        }
        // In binary files, any bytes can be a name.
        let text = self.tokens.is_text();
        if text && is_odd(type_name.classes, type_name.bytes) {
            self.log.fault(Fault::OddName { name: quote(type_name.bytes) }, type_span)?;
        }
        let Some(name) = joined(&pieces).filter(|name| !name.bytes.is_empty()) else { return Ok(None) };
        if !text {
            return Ok(Some(name));
        }
        if pieces.len() > 1 || is_odd(classes, &name.bytes) {
            self.log.fault(Fault::OddName { name: quote(&name.bytes) }, name.span)?;
        } else if name.bytes.first().is_some_and(u8::is_ascii_digit) {
            self.log.fault(Fault::DigitFirst { name: quote(&name.bytes) }, name.span)?;
        }
        Ok(Some(name))
    }

    // reference ::= '{' (name | guid | name guid) '}'; the brace has been read
    fn reference(&mut self, open: Span) -> Result<Reference<'a>, Error> {
        self.count(open)?;
        let mut pieces: Vec<(&'a [u8], Span)> = Vec::new();
        let mut reference = Reference { name: None, guid: None, span: open };
        loop {
            let (token, span) = self.tokens.next(self.log)?;
            match token {
                Token::Close => {
                    reference.span = open.to(span);
                    break;
                }
                Token::Word(word) => pieces.push((word.bytes, span)),
                Token::Mark(byte) if !pieces.is_empty() => pieces.push((mark_bytes(byte), span)),
                Token::Guid(guid) => reference.guid = guid,
                token => return Err(expected("the name of an object, a GUID or '}'", &token, span)),
            }
            if pieces.len() > MAX_NAME_PIECES {
                return Err(expected("'}'", &token, span));
            }
        }
        reference.name = joined(&pieces);
        if pieces.len() > 1
            && let Some(name) = &reference.name
        {
            self.log.fault(Fault::OddName { name: quote(&name.bytes) }, name.span)?;
        }
        Ok(reference)
    }

    /// Reads objects and references up to the closing brace.
    fn children(&mut self, object: &mut Object<'a>, depth: usize) -> Result<(), Error> {
        loop {
            let (token, span) = self.tokens.next(self.log)?;
            match token {
                Token::Close => {
                    object.span = object.span.to(span);
                    return Ok(());
                }
                Token::Open => object.children.push(Child::Reference(self.reference(span)?)),
                Token::Word(word) if !is_number(word) => {
                    let child = self.object(word, span, depth + 1)?;
                    object.children.push(Child::Object(child));
                }
                Token::Semicolon | Token::Comma => self.log.fault(Fault::StraySeparator, span)?,
                Token::Word(_) | Token::Integer(_) | Token::Float(_) | Token::Text(_) => {
                    self.log.fault(Fault::ExtraValues { object: quote(&object.type_name.bytes) }, span)?;
                    self.tokens.separators(&mut self.log.scratch())?;
                }
                Token::End => {
                    let object = quote(&object.type_name.bytes);
                    return Err(Error { kind: Fault::EndInside { object, expected: "'}'" }, span });
                }
                token => return Err(expected("an object, a reference or '}'", &token, span)),
            }
        }
    }

    /// Reads the values of one template.
    ///
    /// Recursion ends because templates can only name templates above them, and no deeper than
    /// [`super::template`] allows.
    fn struct_values(&mut self, id: LayoutId, object: &mut Object<'a>) -> Result<(), Error> {
        let mut slots = [0_i64; SLOTS];
        let mut place = 0;
        // Looked up each time, so that `self` is not borrowed.
        while let Some(item) = self.templates.get(id).and_then(|layout| layout.items.get(place)) {
            let (kind, slot) = (item.kind, item.slot);
            let announced = item.lengths.iter().any(|length| matches!(length, Length::Slot(_)));
            let elements = elements(item, &slots);
            self.item_values(kind, elements, announced, object)?;
            if let Some(slot) = slot
                && let Some(count) = slots.get_mut(slot)
            {
                *count = object.values.last_number().map_or(0, |count| count as i64);
            }
            place += 1;
        }
        Ok(())
    }

    /// Reads the elements of one member. `count` is `None` for an invalid number. `announced` is true if the file
    /// declared the count.
    fn item_values(
        &mut self,
        kind: ItemKind,
        count: Option<u64>,
        announced: bool,
        object: &mut Object<'a>,
    ) -> Result<(), Error> {
        let layout = match kind {
            ItemKind::Layout(id) => Some(id),
            ItemKind::Primitive(_) => None,
        };
        let (fewest, flat) = match kind {
            ItemKind::Primitive(primitive) => (1, Some((primitive, 1))),
            ItemKind::Layout(id) => self.templates.get(id).map_or((0, None), |layout| (layout.fewest, layout.flat)),
        };
        if fewest == 0 {
            return Ok(());
        }
        let left = self.tokens.values_left() as u64 + 1;
        let fits = count.is_some_and(|count| count.saturating_mul(fewest) <= left);
        if !fits && announced && (count.is_none() || self.closes()) {
            return Err(self.too_large(object));
        }
        // A number of elements that is fixed by the template needs no check, because the first missing element ends
        // reading.
        let count = count.unwrap_or(u64::MAX);
        if fits {
            let numbers = usize::try_from(count.saturating_mul(fewest)).unwrap_or(0);
            let is_text = self.tokens.is_text();
            object.values.reserve(flat.map(|(primitive, _)| primitive), numbers, is_text);
        }
        let mut left = count;
        let before = object.values.len();
        let read = match (flat, layout) {
            (Some((primitive, each)), _) => {
                let read = self.flat_values(primitive, count.saturating_mul(each as u64), object);
                left -= ((object.values.len() - before) as u64 / fewest).min(left);
                read
            }
            (None, Some(id)) if self.templates.get(id).is_some_and(|layout| layout.counted) => {
                self.counted_values(&mut left, object)
            }
            (None, Some(id)) => self.struct_elements(id, &mut left, object),
            (None, None) => Ok(()),
        };
        read.map_err(|error| match error.kind {
            Fault::EndInside { object, .. } | Fault::Truncated { object, .. } if announced => {
                Error { kind: Fault::Truncated { object, missing: left, declared: count }, ..error }
            }
            _ => error,
        })
    }

    /// Reads elements of a template until `left` is 0.
    fn struct_elements(&mut self, id: LayoutId, left: &mut u64, object: &mut Object<'a>) -> Result<(), Error> {
        let keyed = self.templates.get(id).is_some_and(|layout| layout.keyed);
        while *left > 0 {
            if !keyed || !object.values.append(|times, keys| self.tokens.quick_key(times, keys)) {
                self.struct_values(id, object)?;
            }
            *left -= 1;
        }
        Ok(())
    }

    /// True if the rest of the file closes the current object. If the file was cut off, it does not. Then the elements
    /// are missing, and the count is not wrong.
    #[cold]
    fn closes(&self) -> bool {
        self.tokens.clone().skip_block(b"").is_ok()
    }

    /// Returns the error for the last value, which is a count that the file is too short for.
    #[cold]
    fn too_large(&self, object: &Object<'a>) -> Error {
        let count = object.values.last_number().unwrap_or_default();
        let span = match object.values.len().checked_sub(1) {
            Some(last) => Cursor::of(&object.values).span(last),
            None => object.span,
        };
        Error { kind: Fault::CountTooLarge { count, left: self.tokens.bytes_left() }, span }
    }

    /// Reads `count` values of one type.
    fn flat_values(&mut self, primitive: Primitive, count: u64, object: &mut Object<'a>) -> Result<(), Error> {
        let mut left = count;
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX);
            let before = object.values.len();
            object.values.append(|integers, floats| match primitive {
                Primitive::Float => self.tokens.quick_floats(most, floats),
                Primitive::Dword => self.tokens.quick_integers(most, integers),
                _ => {}
            });
            left -= (object.values.len() - before) as u64;
            if left > 0 {
                self.value(primitive, object)?;
                left -= 1;
            }
        }
        Ok(())
    }

    /// Repeats reading a count and that number of integers until `left` is 0.
    fn counted_values(&mut self, left: &mut u64, object: &mut Object<'a>) -> Result<(), Error> {
        while *left > 0 {
            object.values.append(|integers, _| {
                while *left > 0 && self.tokens.quick_counted(integers) {
                    *left -= 1;
                }
            });
            if *left > 0 {
                self.odd_counted_values(object)?;
                *left -= 1;
            }
        }
        Ok(())
    }

    #[cold]
    fn odd_counted_values(&mut self, object: &mut Object<'a>) -> Result<(), Error> {
        self.value(Primitive::Dword, object)?;
        let count = object.values.last_number().map_or(0, |count| count as i64);
        let fits = |count: &u64| *count <= self.tokens.values_left() as u64 + 1 || !self.closes();
        let Some(count) = u64::try_from(count).ok().filter(fits) else { return Err(self.too_large(object)) };
        (0..count).try_for_each(|_| self.value(Primitive::Dword, object))
    }

    // value ::= (integer | float | string) separators
    /// Reads a value in any spelling and appends it.
    fn value(&mut self, primitive: Primitive, object: &mut Object<'a>) -> Result<(), Error> {
        let datum = self.any_value(primitive, object)?;
        match (primitive, datum) {
            (Primitive::Float | Primitive::Double, Datum::Float(value)) => object.values.push_float(value),
            (_, Datum::Text(text)) => object.values.push_text(*text),
            (_, Datum::Integer(value)) => object.values.push_integer(Odd::Whole(value)),
            (_, Datum::Float(value)) => object.values.push_integer(Odd::Fraction(value)),
        }
        Ok(())
    }

    fn any_value(&mut self, primitive: Primitive, object: &Object<'a>) -> Result<Datum<'a>, Error> {
        let (token, span) = self.tokens.next(self.log)?;
        let datum = match (primitive, token) {
            (Primitive::Float | Primitive::Double, Token::Word(word)) if is_plain_number(word) => {
                match fast_float2::parse(word.bytes) {
                    Ok(value) => self.float(primitive, value, &token, span)?,
                    Err(_) => return Err(self.wrong(primitive, &token, span, object)),
                }
            }
            (Primitive::Float | Primitive::Double, Token::Float(value)) => {
                self.float(primitive, value, &token, span)?
            }
            (Primitive::Float | Primitive::Double, Token::Integer(value)) => Some(Datum::Float(value.into())),
            (Primitive::String, Token::Text(bytes)) => Some(Datum::Text(Box::new(Cow::Borrowed(bytes)))),
            (Primitive::String, Token::Word(word)) if self.templates.find(word.bytes).is_none() => {
                let wrong = self.wrong(primitive, &token, span, object);
                self.log.fault(wrong.kind, wrong.span)?;
                Some(Datum::Text(Box::new(Cow::Borrowed(word.bytes))))
            }
            (Primitive::String, _) => return Err(self.wrong(primitive, &token, span, object)),
            (_, Token::Integer(value)) => Some(self.integer(primitive, value.into(), &token, span)?),
            (_, Token::Word(word)) => match short_integer(word) {
                Some(value) => Some(self.integer(primitive, value, &token, span)?),
                None => self.odd_number(primitive, word, &token, span, object)?,
            },
            (_, Token::Float(value)) => self.fraction(value, &token, span)?,
            _ => return Err(self.wrong(primitive, &token, span, object)),
        };
        let zero = if primitive.range().is_some() { Datum::Integer(0) } else { Datum::Float(0.0) };
        // The separator after a non-finite number can be missing.
        if datum.is_some() || self.separator_follows() {
            self.tokens.separators(self.log)?;
        }
        Ok(datum.unwrap_or(zero))
    }

    fn separator_follows(&self) -> bool {
        matches!(self.tokens.peek(self.log), Ok((Token::Semicolon | Token::Comma, _)))
    }

    /// Checks a number. Returns `None` if it is not finite.
    #[inline]
    fn float(
        &mut self,
        primitive: Primitive,
        value: f64,
        token: &Token<'a>,
        span: Span,
    ) -> Result<Option<Datum<'a>>, Error> {
        // Direct3D stores a FLOAT in 32 bits, regardless of the digits in the file.
        let largest = if primitive == Primitive::Double { f64::MAX } else { f64::from(f32::MAX) };
        if value.abs() <= largest {
            return Ok(Some(Datum::Float(value)));
        }
        self.log.fault(Fault::NotFinite { found: plain(token) }, span)?;
        Ok(None)
    }

    #[inline]
    fn integer(&mut self, primitive: Primitive, value: i64, token: &Token<'a>, span: Span) -> Result<Datum<'a>, Error> {
        if primitive.range().is_some_and(|range| !range.contains(&value)) {
            self.log.fault(Fault::IntegerRange { found: plain(token), kind: primitive.keyword() }, span)?;
        }
        Ok(Datum::Integer(value))
    }

    /// Checks a fraction in place of an integer, as in key times.
    fn fraction(&mut self, value: f64, token: &Token<'a>, span: Span) -> Result<Option<Datum<'a>>, Error> {
        if !value.is_finite() {
            self.log.fault(Fault::NotFinite { found: plain(token) }, span)?;
            return Ok(None);
        }
        self.log.fault(Fault::FractionForInteger { found: plain(token) }, span)?;
        let whole = value.trunc() == value && value.abs() < 9e15;
        Ok(Some(if whole { Datum::Integer(value as i64) } else { Datum::Float(value) }))
    }

    /// Reads numbers in unusual spelling: exponents, plus signs, fractions for integers, and non-finite ones.
    #[cold]
    fn odd_number(
        &mut self,
        primitive: Primitive,
        word: Word<'a>,
        token: &Token<'a>,
        span: Span,
        object: &Object<'a>,
    ) -> Result<Option<Datum<'a>>, Error> {
        if is_not_finite(word.bytes) {
            self.log.fault(Fault::NotFinite { found: quote(word.bytes) }, span)?;
            return Ok(None);
        }
        let Ok(value) = fast_float2::parse::<f64, _>(word.bytes) else {
            return Err(self.wrong(primitive, token, span, object));
        };
        if word.classes & (class::LETTER | class::OTHER) != 0 {
            self.log.fault(Fault::OddNumber { found: quote(word.bytes) }, span)?;
        }
        if primitive.range().is_none() {
            return self.float(primitive, value, token, span);
        }
        // Integers with more digits than the quick scan reads.
        if word.classes & !(class::DIGIT | class::MINUS) == 0 {
            return self.integer(primitive, value as i64, token, span).map(Some);
        }
        self.fraction(value, token, span)
    }

    #[cold]
    fn wrong(&self, primitive: Primitive, token: &Token<'a>, span: Span, object: &Object<'a>) -> Error {
        let what = match primitive {
            Primitive::Float | Primitive::Double => "a number",
            Primitive::String => "a string in double quotes",
            _ => "an integer",
        };
        // A number that was cut off is reported as the end of the file.
        let is_end = matches!(token, Token::End) || self.tokens.is_text() && self.tokens.bytes_left() == 0;
        match token {
            _ if is_end => {
                Error { kind: Fault::EndInside { object: quote(&object.type_name.bytes), expected: what }, span }
            }
            token => expected(what, token, span),
        }
    }
}

/// Maximum number of words of one name.
const MAX_NAME_PIECES: usize = 64;

/// Returns the number of elements of a member. Returns `None` if a count is negative or overflows.
fn elements(item: &Item, slots: &[i64; SLOTS]) -> Option<u64> {
    item.lengths.iter().try_fold(1_u64, |product, length| {
        let length = match length {
            Length::Fixed(length) => u64::from(*length),
            Length::Slot(slot) => u64::try_from(*slots.get(*slot)?).ok()?,
        };
        product.checked_mul(length)
    })
}

/// Returns a mark as bytes of a name.
fn mark_bytes(byte: u8) -> &'static [u8] {
    match byte {
        b'[' => b"[",
        b']' => b"]",
        b'(' => b"(",
        b')' => b")",
        b'<' => b"<",
        b'>' => b">",
        _ => b".",
    }
}

/// Joins the parts of a name, with one space for blanks.
fn joined<'a>(pieces: &[(&'a [u8], Span)]) -> Option<Text<'a>> {
    let (first, others) = pieces.split_first()?;
    let mut name = text_at(first.0, first.1);
    for (bytes, span) in others {
        if span.start > name.span.end {
            name.bytes.to_mut().push(b' ');
        }
        name.bytes.to_mut().extend_from_slice(bytes);
        name.span = name.span.to(*span);
    }
    Some(name)
}

/// True if a text file can contain the unchanged name, between braces and after a type.
pub(super) fn reads_back_as_name(name: &[u8]) -> bool {
    let mut lexer = TextLexer::new(name, 0);
    let mut scratch = FaultLog::new(super::Reading::Lenient);
    let mut pieces = Vec::new();
    while let Ok((token, span)) = lexer.next(&mut scratch) {
        match token {
            Token::Word(word) => pieces.push((word.bytes, span)),
            // A GUID can begin with `<`.
            Token::Mark(byte) if !pieces.is_empty() && byte != b'<' => pieces.push((mark_bytes(byte), span)),
            Token::End => return joined(&pieces).is_some_and(|joined| *joined.bytes == *name),
            _ => return false,
        }
        if pieces.len() > MAX_NAME_PIECES {
            return false;
        }
    }
    false
}

/// True if a name is one word in a text file.
pub(super) fn reads_back_as_word(name: &[u8]) -> bool {
    let mut lexer = TextLexer::new(name, 0);
    let mut scratch = FaultLog::new(super::Reading::Lenient);
    let is_word = matches!(lexer.next(&mut scratch), Ok((Token::Word(word), _)) if word.bytes == name);
    is_word && matches!(lexer.next(&mut scratch), Ok((Token::End, _)))
}

/// True if D3DX does not accept a word as a name.
fn is_odd(classes: u8, bytes: &[u8]) -> bool {
    classes & !(class::LETTER | class::DIGIT | class::MINUS) != 0 || is_keyword(bytes)
}

/// True for digits with or without sign and point.
#[inline]
fn is_plain_number(word: Word<'_>) -> bool {
    word.classes & !(class::DIGIT | class::DOT | class::MINUS) == 0
}

/// True if a word in place of an object can only be a number.
fn is_number(word: Word<'_>) -> bool {
    is_plain_number(word) || fast_float2::parse::<f64, _>(word.bytes).is_ok() || is_not_finite(word.bytes)
}

/// Reads an integer with few digits, the most frequent case.
#[inline]
fn short_integer(word: Word<'_>) -> Option<i64> {
    if word.classes != class::DIGIT || word.bytes.len() > 18 {
        return None;
    }
    Some(word.bytes.iter().fold(0, |value, &digit| value * 10 + i64::from(digit - b'0')))
}

/// True for spellings of C libraries for values that are not finite, with or without sign.
fn is_not_finite(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    all_consuming(not_finite).parse(word).is_ok()
}

/// Formats the characters of a number for a message.
fn plain(token: &Token<'_>) -> String {
    match token {
        Token::Word(word) => quote(word.bytes),
        Token::Integer(value) => value.to_string(),
        Token::Float(value) => value.to_string(),
        token => token.describe(),
    }
}
