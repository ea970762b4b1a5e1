//! Writes text that every reader accepts, tokens, and both in compressed form.

use super::document::Document;
use super::envelope::{BodyFormat, Encoding, FloatSize};
use super::inflate::BLOCK_LENGTH;
use super::layout::{ItemKind, LayoutId, Length, SLOTS, Templates};
use super::report::FaultLog;
use super::syntax::{is_number, reads_back_as_name, reads_back_as_word};
use super::template::{Allowed, Dimension, MemberKind, Template};
use super::token::{Guid, Token};
use super::tree::{Child, Object, Reference, Tree};
use super::values::{Datum, Value};
use super::{Reading, catalogue};
use crate::Span;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Writes a document: [`Document::to_tree`], then [`write_tree`].
pub fn write(document: &Document<'_>, encoding: Encoding) -> Vec<u8> {
    write_tree(&document.to_tree(), encoding)
}

/// Writes objects as a file of version 0303.
///
/// Text has the separators of Microsoft's own files. All readers accept them, even those stricter than D3DX. Numbers
/// read back as the same numbers, in binary files with 32-bit floats as the nearest ones. Names are unchanged if they
/// read back. Text cannot contain all names of binary files (for example those with a comma). Such a name is replaced
/// everywhere, including types and members of templates. In the new name `_` replaces all characters except ASCII
/// letters and digits. A `"` in a string becomes `'`, because the format cannot express it. A number that is not finite
/// becomes 0. Objects that could not be laid out are written token by token.
pub fn write_tree(tree: &Tree<'_>, encoding: Encoding) -> Vec<u8> {
    let mut bytes = b"xof 0303".to_vec();
    bytes.extend(encoding.words().into_iter().flatten());
    let header = bytes.len();
    match encoding.format {
        BodyFormat::Text => TextWriter::new(tree, &mut bytes).tree(tree),
        BodyFormat::Binary => BinaryWriter { bytes: &mut bytes, float_size: encoding.float_size }.tree(tree),
    }
    if encoding.compressed {
        let body = bytes.split_off(header);
        deflate(&body, &mut bytes);
    }
    bytes
}

/// Appends blocks of 32 KiB, each compressed separately.
fn deflate(body: &[u8], bytes: &mut Vec<u8>) {
    let total = u32::try_from(bytes.len() + body.len()).unwrap_or(u32::MAX);
    bytes.extend(total.to_le_bytes());
    for block in body.chunks(BLOCK_LENGTH) {
        let deflated = miniz_oxide::deflate::compress_to_vec(block, 9);
        // Incompressible data grows by five bytes for every 64 KiB, so neither length overflows.
        for length in [block.len(), deflated.len() + 2] {
            bytes.extend(u16::try_from(length).unwrap_or(u16::MAX).to_le_bytes());
        }
        bytes.extend(b"CK");
        bytes.extend(deflated);
    }
}

/// Number of elements of a primitive array per line.
const VALUES_PER_LINE: usize = 16;

struct TextWriter<'w> {
    bytes: &'w mut Vec<u8>,
    templates: Templates,
    names: TextNames,
    depth: usize,
}

/// Replacements of names that text cannot express.
struct TextNames {
    objects: HashMap<Vec<u8>, Vec<u8>>,
    /// Replacements by the type's name in lower case, because types are not case-sensitive.
    types: HashMap<Vec<u8>, Vec<u8>>,
    members: HashMap<Vec<u8>, Vec<u8>>,
}

impl TextNames {
    fn of(tree: &Tree<'_>) -> Self {
        let (mut objects, mut types, mut members) = (Vec::new(), Vec::new(), Vec::new());
        tree.objects.iter().for_each(|object| collect_names(object, &mut objects, &mut types));
        for template in &tree.templates {
            types.push(&template.name.bytes);
            if let Allowed::Types(allowed) = &template.children {
                types.extend(allowed.iter().map(|(name, _)| &name.bytes[..]));
            }
            for member in &template.members {
                if let MemberKind::Template(name) = &member.kind {
                    types.push(&name.bytes);
                }
                members.extend(member.name.iter().map(|name| &name.bytes[..]));
                members.extend(member.dimensions.iter().filter_map(|dimension| match dimension {
                    Dimension::Member(name) => Some(&name.bytes[..]),
                    Dimension::Fixed(_) => None,
                }));
            }
        }
        let types: BTreeSet<Vec<u8>> = types.into_iter().map(<[u8]>::to_ascii_lowercase).collect();
        Self {
            objects: substitutes(objects, reads_back_as_name),
            types: substitutes(types.iter().map(Vec::as_slice), reads_back_as_word),
            members: substitutes(members, reads_back_as_word),
        }
    }
}

/// Returns the replacements of names that do not read back.
fn substitutes<'n>(
    names: impl IntoIterator<Item = &'n [u8]>,
    reads_back: fn(&[u8]) -> bool,
) -> HashMap<Vec<u8>, Vec<u8>> {
    let (held, others): (Vec<&[u8]>, Vec<&[u8]>) = names.into_iter().partition(|name| reads_back(name));
    let mut taken: HashSet<Vec<u8>> = held.into_iter().map(<[u8]>::to_vec).collect();
    let mut instead = HashMap::new();
    // Last number tried for a name, so that many similar names do not try the same numbers again.
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::new();
    for name in others {
        if instead.contains_key(name) {
            continue;
        }
        let plain = plain_name(name);
        let number = numbers.entry(plain.clone()).or_insert(1);
        let mut chosen = plain.clone();
        while !taken.insert(chosen.clone()) {
            *number += 1;
            chosen = [&plain[..], format!("_{number}").as_bytes()].concat();
        }
        instead.insert(name.to_vec(), chosen);
    }
    instead
}

/// Collects names and types of an object, its references and its descendants.
fn collect_names<'t>(object: &'t Object<'_>, names: &mut Vec<&'t [u8]>, types: &mut Vec<&'t [u8]>) {
    names.extend(object.name.iter().map(|name| &name.bytes[..]));
    types.push(&object.type_name.bytes);
    for child in &object.children {
        match child {
            Child::Object(child) => collect_names(child, names, types),
            Child::Reference(reference) => names.extend(reference.name.iter().map(|name| &name.bytes[..])),
        }
    }
}

/// Returns a name of the letters and digits of another name. D3DX accepts such names, too.
fn plain_name(name: &[u8]) -> Vec<u8> {
    let plain = name.iter().map(|&byte| if byte.is_ascii_alphanumeric() || byte == b'-' { byte } else { b'_' });
    let plain: Vec<u8> = plain.collect();
    let as_it_is = plain.first().is_some_and(u8::is_ascii_alphabetic) && reads_back_as_name(&plain);
    if as_it_is { plain } else { [b"_", &plain[..]].concat() }
}

impl<'w> TextWriter<'w> {
    fn new(tree: &Tree<'_>, bytes: &'w mut Vec<u8>) -> Self {
        let mut templates = catalogue::layouts();
        // Faults of templates were reported when they were read.
        let mut log = FaultLog::new(Reading::Lenient);
        for template in &tree.templates {
            let _ = templates.declare(template, &mut log);
        }
        Self { bytes, templates, names: TextNames::of(tree), depth: 0 }
    }

    fn put(&mut self, text: impl AsRef<[u8]>) {
        self.bytes.extend_from_slice(text.as_ref());
    }

    /// Writes the name of an object or reference.
    fn name(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(self.names.objects.get(name).map_or(name, Vec::as_slice));
    }

    fn type_name(&mut self, name: &[u8]) {
        let instead = self.names.types.get(&name.to_ascii_lowercase());
        self.bytes.extend_from_slice(instead.map_or(name, Vec::as_slice));
    }

    fn member_name(&mut self, name: &[u8]) {
        self.bytes.extend_from_slice(self.names.members.get(name).map_or(name, Vec::as_slice));
    }

    fn line(&mut self) {
        self.bytes.push(b'\n');
        self.bytes.resize(self.bytes.len() + 2 * self.depth, b' ');
    }

    fn tree(&mut self, tree: &Tree<'_>) {
        for template in &tree.templates {
            self.line();
            self.template(template);
        }
        for object in &tree.objects {
            self.object(object);
        }
        self.line();
    }

    fn template(&mut self, template: &Template<'_>) {
        self.put("template ");
        self.type_name(&template.name.bytes);
        self.put(" {");
        if let Some(guid) = template.guid {
            self.put(format!(" <{guid}>"));
        }
        for member in &template.members {
            self.put(if member.dimensions.is_empty() { " " } else { " array " });
            match &member.kind {
                MemberKind::Primitive(primitive) => self.put(primitive.keyword()),
                MemberKind::Template(name) => self.type_name(&name.bytes),
            }
            if let Some(name) = &member.name {
                self.put(" ");
                self.member_name(&name.bytes);
            }
            for dimension in &member.dimensions {
                self.put("[");
                match dimension {
                    Dimension::Fixed(length) => self.put(length.to_string()),
                    Dimension::Member(name) => self.member_name(&name.bytes),
                }
                self.put("]");
            }
            self.put(";");
        }
        match &template.children {
            Allowed::None => {}
            Allowed::Any => self.put(" [...]"),
            Allowed::Types(types) => {
                for (place, (name, guid)) in types.iter().enumerate() {
                    self.put(if place == 0 { " [" } else { ", " });
                    self.type_name(&name.bytes);
                    if let Some(guid) = guid {
                        self.put(format!(" <{guid}>"));
                    }
                }
                self.put("]");
            }
        }
        self.put(" }");
    }

    fn object(&mut self, object: &Object<'_>) {
        self.line();
        self.type_name(&object.type_name.bytes);
        if let Some(name) = &object.name {
            self.put(" ");
            self.name(&name.bytes);
        }
        self.put(" {");
        self.depth += 1;
        self.unread(object);
        if let Some(guid) = object.guid.filter(|_| object.unread.is_none()) {
            self.line();
            self.put(format!("<{guid}>"));
        }
        if !object.values.is_empty() {
            self.line();
        }
        let values: Vec<Value<'_>> = object.values.iter().collect();
        let mut values = values.iter();
        if let Some(layout) = self.templates.find(&object.type_name.bytes) {
            self.struct_values(layout, &mut values, true);
        }
        // These values are beyond the template.
        for value in values {
            self.scalar(value, ";");
        }
        for child in &object.children {
            match child {
                Child::Object(child) => self.object(child),
                Child::Reference(reference) => self.reference(reference),
            }
        }
        self.depth -= 1;
        self.line();
        self.put("}");
    }

    /// Writes the tokens of an object that could not be laid out.
    fn unread(&mut self, object: &Object<'_>) {
        let mut tokens = unread_tokens(object).into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                Token::Semicolon => self.put(";"),
                Token::Comma => self.put(","),
                Token::Open | Token::Close => self.put(if token == Token::Open { " {" } else { " }" }),
                Token::Mark(mark) => self.put([b' ', mark]),
                Token::Guid(guid) => self.put(guid.map_or_else(String::new, |guid| format!(" <{guid}>"))),
                Token::Word(word) => {
                    self.put(" ");
                    match reads_back_as_name(word.bytes) {
                        true => self.put(word.bytes),
                        false => self.put(plain_name(word.bytes)),
                    }
                }
                Token::Integer(value) => self.put(format!(" {value}")),
                Token::Float(value) => self.put(format!(" {}", float(value))),
                Token::Text(text) => {
                    self.put(" ");
                    self.text(text);
                }
                Token::End => {}
            }
            let is_number = matches!(token, Token::Integer(_) | Token::Float(_));
            if is_number && !matches!(tokens.peek(), Some(Token::Semicolon | Token::Comma)) {
                self.put(";");
            }
        }
    }

    fn reference(&mut self, reference: &Reference<'_>) {
        self.line();
        self.put("{");
        if let Some(name) = &reference.name {
            self.name(&name.bytes);
        }
        if let Some(guid) = reference.guid {
            self.put(if reference.name.is_some() { " " } else { "" });
            self.put(format!("<{guid}>"));
        }
        self.put("}");
    }

    /// Writes the members of a template: `;` after each, `,` between the elements of an array.
    ///
    /// Stops when the values end. If `outer`, elements of arrays are on lines of their own.
    fn struct_values(&mut self, id: LayoutId, values: &mut std::slice::Iter<'_, Value<'_>>, outer: bool) {
        let mut slots = [0_i64; SLOTS];
        let mut place = 0;
        while let Some(item) = self.templates.get(id).and_then(|layout| layout.items.get(place)) {
            let (kind, slot, array) = (item.kind, item.slot, !item.lengths.is_empty());
            let count = item.lengths.iter().fold(1_i64, |product, length| match length {
                Length::Fixed(length) => product.saturating_mul(i64::from(*length)),
                Length::Slot(slot) => product.saturating_mul(slots.get(*slot).copied().unwrap_or(0)),
            });
            if let (Some(slot), Some(Value { datum: Datum::Integer(value), .. })) =
                (slot.and_then(|slot| slots.get_mut(slot)), values.as_slice().first())
            {
                *slot = *value;
            }
            for element in 0..count {
                if values.as_slice().is_empty() {
                    return;
                }
                if array && element > 0 {
                    self.put(",");
                    let per_line = if matches!(kind, ItemKind::Layout(_)) { 1 } else { VALUES_PER_LINE as i64 };
                    if outer && element % per_line == 0 {
                        self.line();
                    }
                }
                match kind {
                    ItemKind::Layout(id) => self.struct_values(id, values, false),
                    ItemKind::Primitive(_) => {
                        if let Some(value) = values.next() {
                            self.scalar(value, "");
                        }
                    }
                }
            }
            self.put(";");
            place += 1;
            let more = self.templates.get(id).is_some_and(|layout| layout.items.len() > place);
            if outer && more {
                self.line();
            }
        }
    }

    fn scalar(&mut self, value: &Value<'_>, separator: &str) {
        match &value.datum {
            Datum::Integer(value) => self.put(value.to_string()),
            Datum::Float(value) => self.put(float(*value)),
            Datum::Text(text) => self.text(text),
        }
        self.put(separator);
    }

    fn text(&mut self, text: &[u8]) {
        self.put("\"");
        self.bytes.extend(text.iter().map(|&byte| if byte == b'"' { b'\'' } else { byte }));
        self.put("\"");
    }
}

/// Returns the tokens between the braces of an object that could not be laid out.
fn unread_tokens<'a>(object: &Object<'a>) -> Vec<Token<'a>> {
    let Some(mut tokens) = object.values.source().filter(|_| object.unread.is_some()).cloned() else {
        return Vec::new();
    };
    let mut log = FaultLog::new(Reading::Lenient);
    let mut depth = 0_usize;
    let inside = std::iter::from_fn(|| {
        let (token, _) = tokens.next(&mut log).ok()?;
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.checked_sub(1)?,
            Token::End => return None,
            _ => {}
        }
        Some(token)
    });
    inside.collect()
}

/// Returns the shortest decimal that reads back as the same number, always with a point and never with an exponent.
fn float(value: f64) -> String {
    let mut text = if value.is_finite() { value.to_string() } else { "0".to_owned() };
    if !text.contains('.') {
        text.push_str(".0");
    }
    text
}

struct BinaryWriter<'w> {
    bytes: &'w mut Vec<u8>,
    float_size: FloatSize,
}

impl BinaryWriter<'_> {
    fn token(&mut self, id: u16) {
        self.bytes.extend(id.to_le_bytes());
    }

    fn count(&mut self, count: usize) {
        self.bytes.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
    }

    fn name(&mut self, name: &[u8]) {
        self.token(1);
        self.count(name.len());
        self.bytes.extend(name);
    }

    fn guid(&mut self, guid: Guid) {
        let [a, b, c, d, e, f, g, h, rest @ ..] = guid.0;
        self.token(5);
        self.bytes.extend([d, c, b, a, f, e, h, g]);
        self.bytes.extend(rest);
    }

    fn tree(&mut self, tree: &Tree<'_>) {
        tree.templates.iter().for_each(|template| self.template(template));
        tree.objects.iter().for_each(|object| self.object(object));
    }

    fn template(&mut self, template: &Template<'_>) {
        self.token(31);
        self.name(&template.name.bytes);
        self.token(10);
        if let Some(guid) = template.guid {
            self.guid(guid);
        }
        for member in &template.members {
            if !member.dimensions.is_empty() {
                self.token(52);
            }
            match &member.kind {
                MemberKind::Primitive(primitive) => match primitive.token() {
                    Some(token) => self.token(token),
                    None => self.name(primitive.keyword().as_bytes()),
                },
                MemberKind::Template(name) => self.name(&name.bytes),
            }
            if let Some(name) = &member.name {
                self.name(&name.bytes);
            }
            for dimension in &member.dimensions {
                self.token(14);
                match dimension {
                    Dimension::Fixed(length) => {
                        self.token(3);
                        self.bytes.extend(length.to_le_bytes());
                    }
                    Dimension::Member(name) => self.name(&name.bytes),
                }
                self.token(15);
            }
            self.token(20);
        }
        match &template.children {
            Allowed::None => {}
            Allowed::Any => [14, 18, 18, 18, 15].into_iter().for_each(|token| self.token(token)),
            Allowed::Types(types) => {
                for (place, (name, guid)) in types.iter().enumerate() {
                    self.token(if place == 0 { 14 } else { 19 });
                    self.name(&name.bytes);
                    if let Some(guid) = guid {
                        self.guid(*guid);
                    }
                }
                self.token(15);
            }
        }
        self.token(11);
    }

    fn object(&mut self, object: &Object<'_>) {
        self.name(&object.type_name.bytes);
        if let Some(name) = &object.name {
            self.name(&name.bytes);
        }
        self.token(10);
        unread_tokens(object).into_iter().for_each(|token| self.unread(token));
        if let Some(guid) = object.guid.filter(|_| object.unread.is_none()) {
            self.guid(guid);
        }
        self.values(&object.values.iter().collect::<Vec<_>>());
        for child in &object.children {
            match child {
                Child::Object(child) => self.object(child),
                Child::Reference(reference) => {
                    self.token(10);
                    if let Some(name) = &reference.name {
                        self.name(&name.bytes);
                    }
                    if let Some(guid) = reference.guid {
                        self.guid(guid);
                    }
                    self.token(11);
                }
            }
        }
        self.token(11);
    }

    /// Writes a token of an object that could not be laid out. Without a template, a number's spelling is its type.
    fn unread(&mut self, token: Token<'_>) {
        match token {
            Token::Word(word) if is_number(word) => {
                let number = std::str::from_utf8(word.bytes).ok().and_then(|number| {
                    let whole = number.parse().ok().map(Datum::Integer);
                    whole.or_else(|| number.parse().ok().map(Datum::Float))
                });
                match number {
                    Some(number) => self.number(number),
                    None => self.name(word.bytes),
                }
            }
            Token::Word(word) => self.name(word.bytes),
            Token::Integer(value) => self.number(Datum::Integer(value.into())),
            Token::Float(value) => self.number(Datum::Float(value)),
            Token::Text(text) => {
                self.token(2);
                self.count(text.len());
                self.bytes.extend(text);
            }
            Token::Guid(guid) => guid.into_iter().for_each(|guid| self.guid(guid)),
            Token::Open => self.token(10),
            Token::Close => self.token(11),
            Token::Semicolon => self.token(20),
            Token::Comma => self.token(19),
            Token::Mark(mark) => {
                let place = b"()[]<>.".iter().position(|&known| known == mark);
                self.token(12 + place.unwrap_or_default() as u16);
            }
            Token::End => {}
        }
    }

    fn number(&mut self, number: Datum<'_>) {
        self.values(&[Value { datum: number, span: Span::default() }]);
    }

    /// Writes runs of values of one kind as lists that can cross members (docs/formats/x.md "Tokens of binary files").
    fn values(&mut self, values: &[Value<'_>]) {
        for run in values.chunk_by(same_sort) {
            match run.first().map(|value| &value.datum) {
                Some(Datum::Integer(_)) => {
                    self.token(6);
                    self.count(run.len());
                }
                Some(Datum::Float(_)) => {
                    self.token(7);
                    self.count(run.len());
                }
                Some(Datum::Text(_)) | None => {}
            }
            run.iter().for_each(|value| self.value(&value.datum));
        }
    }

    fn value(&mut self, datum: &Datum<'_>) {
        match datum {
            // Signed types keep their bits.
            Datum::Integer(value) => self.bytes.extend((*value as u32).to_le_bytes()),
            Datum::Float(value) => {
                let value = if value.is_finite() { *value } else { 0.0 };
                match self.float_size {
                    FloatSize::F32 => self.bytes.extend((value as f32).to_le_bytes()),
                    FloatSize::F64 => self.bytes.extend(value.to_le_bytes()),
                }
            }
            Datum::Text(text) => {
                self.token(2);
                self.count(text.len());
                self.bytes.extend(text.iter());
                self.token(20);
            }
        }
    }
}

fn same_sort(a: &Value<'_>, b: &Value<'_>) -> bool {
    std::mem::discriminant(&a.datum) == std::mem::discriminant(&b.datum)
}
