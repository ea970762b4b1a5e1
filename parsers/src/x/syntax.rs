//! Reader of the objects of a file by their templates (docs/formats/x.md "Objects and references").

mod recount;
mod values;

use super::fault::Fault;
use super::layout::{LayoutId, Templates};
use super::report::{Error, FaultLog, quote};
use super::stream::Tokens;
use super::template::{TemplateReader, expected, is_keyword, text as text_at};
use super::text::TextLexer;
use super::token::{Token, Word, class};
use super::tree::{Child, Object, Reference, Tree};
use super::values::{Cursor, Values};
use super::{MAX_DEPTH, MAX_OBJECTS, Text, catalogue};
use crate::Span;
pub(super) use recount::recount;
pub(super) use values::is_number;

/// Reads the body of an unpacked file, and its templates.
pub(super) fn tree<'a>(tokens: Tokens<'a>, log: &mut FaultLog) -> Result<(Tree<'a>, Templates), Error> {
    let mut reader = TreeReader { tokens, log, templates: catalogue::layouts(), tree: Tree::default(), count: 0 };
    match reader.file() {
        Ok(()) => Ok((reader.tree, reader.templates)),
        Err(error) => Err(reader.caused_by_string(error)),
    }
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
                Token::Word(word) if word.bytes == b"xof" && self.tokens.is_text() => self.second_header(span)?,
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

    /// Skips the rest of a header inside the file.
    fn second_header(&mut self, span: Span) -> Result<(), Error> {
        self.log.fault(Fault::SecondHeader, span)?;
        while matches!(self.tokens.peek(self.log)?, (Token::Word(word), _) if word.bytes.starts_with(b"0")) {
            self.tokens.next(self.log)?;
        }
        Ok(())
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
                self.tokens.skip_block(&name.bytes)?;
                self.log.fault(fault, error.span)
            }
            Err(error) => Err(error),
        }
    }

    // object ::= type [name] '{' [guid] values {object | reference} '}'; the type has been read
    fn object(&mut self, type_name: Word<'a>, type_span: Span, depth: usize) -> Result<Object<'a>, Error> {
        let mut object = self.without_children(type_name, type_span, depth)?;
        if object.unread.is_none() {
            object.values.share();
            self.children(&mut object, depth).map_err(|error| ends_inside(error, type_name.bytes))?;
        }
        Ok(object)
    }

    /// Reads an object up to its children, or skips all of it.
    // Apart, so that nested objects take little of the stack.
    #[inline(never)]
    fn without_children(&mut self, type_name: Word<'a>, type_span: Span, depth: usize) -> Result<Object<'a>, Error> {
        self.log.enter();
        self.count(type_span)?;
        if depth > MAX_DEPTH {
            return Err(Error { kind: Fault::TooDeep { limit: MAX_DEPTH }, span: type_span });
        }
        let type_name_bytes = type_name.bytes;
        let name = self.name(type_name, type_span)?;
        let type_name = text_at(type_name_bytes, type_span);
        let mut object = Object { type_name, name, span: type_span, ..Object::new("") };
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
        if let Some(layout) = layout
            && let Err(error) = self.object_values(layout, &mut object, mark)
            && !self.keeps_values(&object, &error, mark)?
        {
            self.tokens = place;
            if object.slip.is_none() {
                self.log.rewind(mark);
                let fault = Fault::Skipped { object: quote(type_name_bytes), why: error.kind.to_string() };
                self.log.fault(fault, error.span)?;
            }
            self.skip(&mut object)?;
            return Ok(object);
        }
        Ok(object)
    }

    /// Reads the values of an object. If they do not follow its template, finds the slips in them that led to this.
    /// `mark` is the state of the log before them.
    fn object_values(&mut self, layout: LayoutId, object: &mut Object<'a>, mark: usize) -> Result<(), Error> {
        object.values = Values::from_here(&self.tokens);
        let read = self.struct_values(layout, object).map_err(|error| ends_inside(error, &object.type_name.bytes));
        let is_stray = || match self.tokens.peek(self.log) {
            Ok((Token::Word(word), _)) => is_number(word),
            next => matches!(next, Ok((Token::Semicolon | Token::Comma | Token::Text(_), _))),
        };
        let may_follow = match &read {
            Ok(()) => self.log.since(mark).any(is_misread) || is_stray(),
            Err(error) => matches!(error.kind, Fault::Expected { .. } | Fault::CountTooLarge { .. }),
        };
        if may_follow && self.log.lenient() {
            let slips = recount(&self.templates, object);
            object.slip = slips.first().cloned().map(Box::new);
            if object.slip.is_some() {
                self.log.forget(mark, is_misread);
            }
            slips.into_iter().for_each(|slip| self.log.add(slip));
        }
        match read {
            Err(error) if object.slip.is_none() => Err(self.named_by_number(layout, object, error)?),
            read => read,
        }
    }

    /// True if an object keeps the values read before `error`, false if it is skipped instead.
    ///
    /// # Errors
    ///
    /// Returns `error`, or the slip that led to it, if the object can neither be kept nor skipped.
    fn keeps_values(&mut self, object: &Object<'a>, error: &Error, mark: usize) -> Result<bool, Error> {
        let hopeless =
            is_one_of(object, &ESSENTIAL) || matches!(error.kind, Fault::EndInside { .. } | Fault::Truncated { .. });
        let is_partial = is_one_of(object, &PARTIAL);
        if hopeless || !self.log.lenient() || is_partial && !self.ends_early(error)? {
            let Some(slip) = object.slip.as_deref() else {
                self.log.rewind(mark);
                return Err(error.clone());
            };
            self.log.forget(mark, |fault| *fault == slip.kind);
            return Err(slip.clone());
        }
        if is_partial && object.slip.is_none() {
            self.log.fault(Fault::MissingValues { object: quote(&object.type_name.bytes) }, error.span)?;
        }
        Ok(is_partial)
    }

    /// Returns the string that goes on over the end of its line, if there is one before the error: all text after it is
    /// on the wrong side of the quotes.
    fn caused_by_string(&self, error: Error) -> Error {
        let Tokens::Text(lexer) = &self.tokens else { return error };
        let is_lost = matches!(error.kind, Fault::Expected { .. } | Fault::UnclosedString | Fault::EndInside { .. });
        match lexer.long_string().filter(|string| is_lost && string.start <= error.span.start) {
            Some(span) if self.log.lenient() => Error { kind: Fault::LongString, span },
            _ => error,
        }
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

    /// Skips the block of an object and notes its position and span.
    fn skip(&mut self, object: &mut Object<'a>) -> Result<(), Error> {
        let start = self.tokens.offset();
        object.values = Values::from_here(&self.tokens);
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
                Token::Word(word) if self.tokens.begins_line(span) && self.templates.find(word.bytes).is_some() => {
                    // The next object begins. Either the brace of this one is missing, or what was read is no type.
                    if pieces.is_empty() && self.templates.find(type_name.bytes).is_none() {
                        return Err(expected("an object or a reference in braces", &Token::Word(type_name), type_span));
                    }
                    let end = pieces.last().map_or(type_span, |(_, piece)| *piece).end as usize;
                    return Err(expected("'{'", &token, Span::new(end, end)));
                }
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
                Token::Semicolon | Token::Comma if object.slip.is_some() => {}
                Token::Semicolon | Token::Comma => self.log.fault(Fault::StraySeparator, span)?,
                Token::Word(_) | Token::Integer(_) | Token::Float(_) | Token::Text(_) if object.slip.is_some() => {}
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
}

/// True for a fault that a wrong count before it can cause.
fn is_misread(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::Expected { .. }
            | Fault::MissingSeparator
            | Fault::ExtraSeparator
            | Fault::FractionForInteger { .. }
            | Fault::IntegerRange { .. }
    )
}

/// Maximum number of words of one name.
const MAX_NAME_PIECES: usize = 64;

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
