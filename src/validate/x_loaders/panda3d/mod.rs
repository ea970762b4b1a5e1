//! Panda3D's x2egg (1.10): templates with its own value types, any separators, text only.

mod lexer;

use super::{Field, Length, XFile, fields};
use crate::codes::{Rule, x as rules};
use crate::verdict::{EngineFault, Fallible, Outcome, Stop, Verdict, refuse, refuse_for};
use bindpose_parsers::Span;
use bindpose_parsers::x::{MemberKind, Primitive, Template, standard_templates};
use lexer::{Lexer, Token};
use std::collections::{HashMap, HashSet};
use std::str::FromStr;
use std::sync::LazyLock;

const HEADER: usize = 16;
/// Nesting at which the parser's stack is full.
const MAX_DEPTH: usize = 165;
/// Number of templates of the retained mode.
const RETAINED_MODE: usize = 35;
/// Those of them that are not built in.
const LEFT_OUT: [&[u8]; 3] = [b"InlineData", b"Url", b"ProgressiveMesh"];
/// Further built-in templates.
const ADDED: [&[u8]; 4] = [b"XSkinMeshHeader", b"VertexDuplicationIndices", b"SkinWeights", b"AnimTicksPerSecond"];

pub(super) fn load(file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    let fail = |rule: Rule, from: usize, message: String| {
        let length = file.bytes.len();
        refuse(Outcome::Refuses, rule, Span::new(from.min(length), (from + 4).min(length)), message)
    };
    let word = |at: usize| file.header().get(at..at + 4);
    match word(0) {
        None => return fail(rules::EMPTY, 0, "Empty file.".to_owned()),
        Some(b"xof ") => {}
        Some(_) => return fail(rules::NOT_X, 0, "Not a DirectX file.".to_owned()),
    }
    match word(8) {
        Some(b"txt " | b"bin ") => {}
        Some(kind) if file.header().len() >= 12 => {
            let rule = if matches!(kind, b"tzip" | b"bzip") { rules::COMPRESSED } else { rules::ENCODING };
            return fail(rule, 8, format!("Unknown format type: {}", String::from_utf8_lossy(kind)));
        }
        _ => return fail(rules::HEADER_CUT, 0, "Truncated file.".to_owned()),
    }
    match word(12) {
        None => return fail(rules::HEADER_CUT, 0, "Truncated file.".to_owned()),
        Some(b"0032" | b"0064") => {}
        Some(size) => {
            return fail(rules::FLOAT_SIZE, 12, format!("Unknown float size: {}", String::from_utf8_lossy(size)));
        }
    }
    if word(8) == Some(b"bin ") {
        return fail(rules::ENCODING, 8, "Cannot read binary .x files at this time.".to_owned());
    }
    let mut parser = Parser {
        lexer: Lexer::new(file.bytes, HEADER),
        file,
        verdict,
        templates: STANDARD.clone(),
        names: HashMap::new(),
        path: Vec::new(),
        first_error: None,
        unconvertible: None,
        steps_left: file.bytes.len().saturating_mul(64).saturating_add(1 << 16),
    };
    let parsed = parser.file();
    let is_crash = matches!(&parsed, Err(Stop::Refusal(refusal)) if refusal.0 == Outcome::Exits);
    if let Some(first) = parser.first_error.take().filter(|_| !is_crash) {
        return Err(first);
    }
    parsed?;
    match parser.unconvertible {
        Some(fault) => refuse_for(Outcome::Refuses, fault),
        None => Ok(()),
    }
}

/// Members of a type of object.
type Layout = Vec<Field<Value>>;

#[derive(Clone)]
enum Value {
    Plain(lexer::Primitive),
    Template(Vec<u8>),
}

/// Built-in templates by name in lower case.
static STANDARD: LazyLock<HashMap<Vec<u8>, Layout>> = LazyLock::new(|| {
    let retained = standard_templates().iter().take(RETAINED_MODE);
    let retained = retained.filter(|template| !LEFT_OUT.contains(&&*template.name.bytes));
    let added = standard_templates().iter().filter(|template| ADDED.contains(&&*template.name.bytes));
    retained.chain(added).map(|template| (template.name.bytes.to_ascii_lowercase(), layout(template))).collect()
});

fn layout(template: &Template) -> Layout {
    fields(template, |kind| match kind {
        MemberKind::Primitive(Primitive::Float | Primitive::Double) => Value::Plain(lexer::Primitive::Real),
        MemberKind::Primitive(Primitive::String) => Value::Plain(lexer::Primitive::Text),
        MemberKind::Primitive(_) => Value::Plain(lexer::Primitive::Integer),
        MemberKind::Template(inner) => Value::Template(inner.bytes.to_ascii_lowercase()),
    })
}

/// A value of an object: a list of numbers, or a string.
enum Part {
    Integers(Vec<i32>),
    Reals(Vec<f64>),
    Text,
}

/// Values of an object, and the position up to which each was used.
struct Parts {
    list: Vec<(Part, usize)>,
    at: usize,
    inner: usize,
    /// All numbers used so far, in order.
    used: Vec<f64>,
}

/// Properties of an object's children, collected while it is read.
#[derive(Default)]
struct Children {
    /// Times of each list of keys.
    keys: Vec<Vec<f64>>,
    /// True if they include a reference to a frame.
    names_frame: bool,
    /// First key that cannot be converted.
    bad_key: Option<EngineFault>,
    /// Vertices named by weights.
    weighted: Option<HashSet<u32>>,
}

/// Something with a name, which references find.
#[derive(Clone, Copy)]
struct Named {
    /// True for a data object; false for a template or its member, to which no reference is possible.
    is_object: bool,
    is_frame: bool,
}

struct Parser<'a, 'v> {
    lexer: Lexer<'a>,
    file: XFile<'a>,
    verdict: &'v mut Verdict,
    templates: HashMap<Vec<u8>, Layout>,
    /// Data objects, templates and their members by name in lower case.
    names: HashMap<Vec<u8>, Named>,
    /// Types of the objects that contain the current one.
    path: Vec<&'a [u8]>,
    /// First error after which parsing continues.
    first_error: Option<Stop>,
    /// Fault that ends the conversion after the whole file is parsed.
    unconvertible: Option<EngineFault>,
    steps_left: usize,
}

impl<'a> Parser<'a, '_> {
    fn message(&self, at: usize, says: &str) -> String {
        let before = self.file.bytes.get(..at).unwrap_or(self.file.bytes);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(HEADER.min(before.len()), |end| end + 1);
        format!("Error in {} at line {line}, column {column}: {says}", self.file.name)
    }

    /// Refuses at the end of the last token, where the program reports the position.
    fn fail<T>(&self, rule: Rule, says: &str) -> Fallible<T> {
        let (start, end) = (self.lexer.start, self.lexer.at.min(self.file.bytes.len()));
        let span = Span::new(start, end.max(start));
        refuse(Outcome::Refuses, rule, span, self.message(end, says))
    }

    /// Records an error after which the program continues, to refuse the file at its end.
    fn recover(&mut self, result: Fallible<()>) -> Fallible<()> {
        match result {
            Err(Stop::Refusal(refusal)) if refusal.0 == Outcome::Refuses => {
                self.first_error.get_or_insert(Stop::Refusal(refusal));
                Ok(())
            }
            other => other,
        }
    }

    /// Reads a token with the given method of the lexer. Invalid characters are skipped.
    fn scan(&mut self, read: fn(&mut Lexer<'a>) -> Result<Token<'a>, &'static str>) -> Fallible<Token<'a>> {
        loop {
            let (rule, says) = match read(&mut self.lexer) {
                Ok(token) => return Ok(token),
                Err(lexer::INVALID) => {
                    let byte = self.file.bytes.get(self.lexer.start..=self.lexer.start).unwrap_or_default();
                    let says = format!("{} '{}'.", lexer::INVALID, String::from_utf8_lossy(byte));
                    self.lexer.at += 1;
                    let error = self.fail(rules::ODD_NAME, &says);
                    self.recover(error)?;
                    continue;
                }
                Err(says @ "This quotation mark is unterminated.") => (rules::UNCLOSED_STRING, says),
                Err(says) if says.contains("GUID") => (rules::GUID, says),
                Err(says) => (rules::LONG_LINE, says),
            };
            return self.fail(rule, says);
        }
    }

    fn peek(&mut self) -> Fallible<Token<'a>> {
        self.scan(Lexer::peek)
    }

    fn next(&mut self) -> Fallible<Token<'a>> {
        self.scan(Lexer::next)
    }

    fn unexpected<T>(&self, token: Token) -> Fallible<T> {
        let rule = match token {
            Token::End => rules::END_INSIDE,
            Token::Name(word) if word.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'-') => {
                rules::ODD_NUMBER
            }
            // A name that is a keyword.
            Token::Primitive(_) | Token::Template | Token::Array => rules::ODD_NAME,
            _ => rules::SYNTAX,
        };
        self.fail(rule, "syntax error")
    }

    fn expect(&mut self, wanted: Token) -> Fallible<()> {
        let token = self.next()?;
        if token == wanted { Ok(()) } else { self.unexpected(token) }
    }

    fn single_name(&mut self) -> Fallible<&'a [u8]> {
        match self.next()? {
            Token::Name(name) => Ok(name),
            token => self.unexpected(token),
        }
    }

    /// Reads the words of a name, possibly none.
    fn name(&mut self) -> Fallible<Vec<u8>> {
        let mut name: Vec<u8> = Vec::new();
        loop {
            match self.peek()? {
                Token::Name(word) => {
                    if !name.is_empty() {
                        name.push(b' ');
                    }
                    name.extend(word);
                }
                Token::Integer(number) if !name.is_empty() => name.extend(format!(" {number}").bytes()),
                _ => return Ok(name),
            }
            self.next()?;
        }
    }

    fn file(&mut self) -> Fallible<()> {
        loop {
            match self.peek()? {
                Token::End => return Ok(()),
                // The converter of 3ds Max writes one brace too many.
                Token::Mark(b'}') => {
                    self.next()?;
                }
                Token::Template => self.template()?,
                _ => {
                    self.object(0)?;
                }
            }
        }
    }

    fn template(&mut self) -> Fallible<()> {
        self.next()?;
        let name = self.single_name()?.to_ascii_lowercase();
        self.expect(Token::Mark(b'{'))?;
        self.expect(Token::Guid)?;
        let named = Named { is_object: false, is_frame: false };
        self.names.insert(name.clone(), named);
        let mut layout = Layout::new();
        loop {
            let token = self.next()?;
            let (is_array, token) = if token == Token::Array { (true, self.next()?) } else { (false, token) };
            let kind = match token {
                Token::Primitive(primitive) => Value::Plain(primitive),
                Token::Name(word) => {
                    let word = word.to_ascii_lowercase();
                    if word != name && !self.templates.contains_key(&word) {
                        return self.fail(rules::MEMBER_TYPE, "Unknown template: ");
                    }
                    Value::Template(word)
                }
                Token::Mark(b'[') if !is_array => {
                    self.restriction()?;
                    self.expect(Token::Mark(b'}'))?;
                    break;
                }
                Token::Mark(b'}') if !is_array && !layout.is_empty() => break,
                token => return self.unexpected(token),
            };
            let member = self.name()?;
            let mut lengths = Vec::new();
            while is_array && self.peek()? == Token::Mark(b'[') {
                lengths.push(self.length(&layout)?);
            }
            self.expect(Token::Mark(b';'))?;
            self.names.entry(member.to_ascii_lowercase()).or_insert(named);
            layout.push(Field { kind, name: member, lengths });
        }
        self.templates.insert(name, layout);
        Ok(())
    }

    fn length(&mut self, layout: &[Field<Value>]) -> Fallible<Length> {
        self.next()?;
        let length = match self.peek()? {
            Token::Integer(length) => {
                self.next()?;
                Length::Fixed(u32::try_from(length).unwrap_or(0))
            }
            _ => {
                let name = self.name()?;
                match layout.iter().position(|member| member.name == name) {
                    Some(at) => Length::Member(at),
                    None => return self.fail(rules::DIMENSION, "Unknown identifier: "),
                }
            }
        };
        self.expect(Token::Mark(b']'))?;
        Ok(length)
    }

    fn restriction(&mut self) -> Fallible<()> {
        loop {
            match self.next()? {
                Token::Mark(b']') => return Ok(()),
                Token::Mark(b'.') | Token::Guid => {}
                Token::Name(name) if self.templates.contains_key(&name.to_ascii_lowercase()) => {}
                Token::Name(_) => return self.fail(rules::MEMBER_TYPE, "Unknown template: "),
                token => return self.unexpected(token),
            }
        }
    }

    /// Reads an object. Returns its type and the numbers in it.
    fn object(&mut self, depth: usize) -> Fallible<(&'a [u8], Vec<f64>)> {
        if depth > MAX_DEPTH {
            return self.fail(rules::TOO_DEEP, "memory exhausted");
        }
        let kind = self.single_name()?;
        let start = self.lexer.start;
        let name = self.name()?;
        self.expect(Token::Mark(b'{'))?;
        let lower = kind.to_ascii_lowercase();
        if !self.templates.contains_key(&lower) {
            let says = format!("Unknown template: {}", String::from_utf8_lossy(kind));
            return self.fail(rules::UNKNOWN_TYPE, &says);
        }
        self.declare(&name, &lower);
        if self.peek()? == Token::Guid {
            self.next()?;
        }
        let mut parts = Parts { list: Vec::new(), at: 0, inner: 0, used: Vec::new() };
        let mut children = Children::default();
        self.path.push(kind);
        loop {
            match self.peek()? {
                Token::Mark(b'}') => break,
                Token::Mark(b'{') => children.names_frame |= self.reference()?,
                Token::Mark(b';' | b',') => {
                    self.next()?;
                }
                Token::Name(_) => {
                    let at = self.lexer.start;
                    let (kind, numbers) = self.object(depth + 1)?;
                    children.note(kind, at, &numbers);
                }
                Token::Integers(text) => {
                    self.next()?;
                    // An out-of-range number keeps its low 32 bits.
                    let integers = words(text).map(|word| leading::<i64>(word) as i32).collect();
                    parts.list.push((Part::Integers(integers), self.lexer.start));
                }
                Token::Reals(text) => {
                    self.next()?;
                    parts.list.push((Part::Reals(words(text).map(leading).collect()), self.lexer.start));
                }
                Token::Text => {
                    self.next()?;
                    parts.list.push((Part::Text, self.lexer.start));
                    match self.next()? {
                        Token::Mark(b';' | b',') => {}
                        token => return self.unexpected(token),
                    }
                }
                token => return self.unexpected(token),
            }
        }
        self.next()?;
        self.path.pop();
        let unpacked = self.unpack(&lower, &mut parts);
        self.recover(unpacked)?;
        self.check(kind, start, &parts.used, &children);
        let span = Span::new(start, start + kind.len());
        self.convert_animation(kind, &name, span, children);
        Ok((kind, parts.used))
    }

    /// Records a name: for the last object at the top level that has it, else for the first object.
    fn declare(&mut self, name: &[u8], kind: &[u8]) {
        let named = Named { is_object: true, is_frame: kind == b"frame" };
        let name = name.to_ascii_lowercase();
        if self.path.is_empty() || !self.names.contains_key(&name) {
            self.names.insert(name, named);
        }
    }

    /// Finds faults for which the converter refuses an Animation of a set.
    fn convert_animation(&mut self, kind: &[u8], name: &[u8], span: Span, children: Children) {
        let is_in_set = matches!(&self.path[..], [set] if set.eq_ignore_ascii_case(b"AnimationSet"));
        if !is_in_set || !kind.eq_ignore_ascii_case(b"Animation") || self.unconvertible.is_some() {
            return;
        }
        self.unconvertible = match children.names_frame {
            true => children.bad_key,
            false => {
                let name = String::from_utf8_lossy(name);
                let message = format!("Animation {name} includes no reference to a frame.");
                Some(EngineFault::new(rules::NO_TARGET, span, message))
            }
        };
    }

    /// Reads a reference. Returns true if it names a frame. A reference to a name that was not declared before ends the
    /// program.
    fn reference(&mut self) -> Fallible<bool> {
        self.next()?;
        let name = self.name()?;
        let has_guid = self.peek()? == Token::Guid;
        if has_guid {
            self.next()?;
        }
        let named = self.names.get(&name.to_ascii_lowercase()).filter(|named| named.is_object);
        if let Some(is_frame) = named.filter(|_| !has_guid && !name.is_empty()).map(|named| named.is_frame) {
            self.expect(Token::Mark(b'}'))?;
            return Ok(is_frame);
        }
        if name.is_empty() {
            let token = self.next()?;
            return self.unexpected(token);
        }
        let says = format!("Unknown data_object: {} (segmentation fault)", String::from_utf8_lossy(&name));
        let span = Span::new(self.lexer.start, self.lexer.at);
        refuse(Outcome::Exits, rules::UNRESOLVED_REFERENCE, span, self.message(self.lexer.at, &says))
    }

    /// Assigns an object's values to the members of its template.
    fn unpack(&mut self, template: &[u8], parts: &mut Parts) -> Fallible<()> {
        let members = self.templates.get(template).map_or(0, Vec::len);
        let mut firsts = Vec::with_capacity(members);
        for at in 0..members {
            let field = self.templates.get(template).and_then(|layout| layout.get(at)).cloned();
            let Some(field) = field else { break };
            firsts.push(parts.used.len());
            let mut elements = 1_i64;
            for length in &field.lengths {
                let length = match *length {
                    Length::Fixed(length) => length,
                    Length::Member(member) => {
                        let value = firsts.get(member).and_then(|&first| parts.used.get(first));
                        value.map_or(0, |&value| (value as i32).max(0) as u32)
                    }
                };
                elements = elements.saturating_mul(length.into());
            }
            for element in 0..elements {
                self.steps_left = self.steps_left.checked_sub(1).ok_or(Stop::Lost)?;
                if parts.at >= parts.list.len()
                    && !(matches!(field.kind, Value::Template(_)) && field.lengths.is_empty())
                {
                    let says = match field.lengths.is_empty() {
                        true => {
                            format!("Not enough data elements in structure at {}", String::from_utf8_lossy(&field.name))
                        }
                        false => format!("Expected {elements} array elements, found {element}"),
                    };
                    return self.fail(rules::VALUES_MISSING, &says);
                }
                match &field.kind {
                    Value::Plain(primitive) => self.value(*primitive, &field.name, parts)?,
                    Value::Template(inner) => self.unpack(inner, parts)?,
                }
            }
        }
        Ok(())
    }

    fn value(&mut self, wanted: lexer::Primitive, name: &[u8], parts: &mut Parts) -> Fallible<()> {
        let Some((part, place)) = parts.list.get(parts.at) else { return Ok(()) };
        let (value, length) = match (part, wanted) {
            (Part::Integers(list), lexer::Primitive::Integer | lexer::Primitive::Real) => {
                (list.get(parts.inner).copied().map_or(f64::NAN, f64::from), list.len())
            }
            (Part::Reals(list), lexer::Primitive::Real) => {
                (list.get(parts.inner).copied().unwrap_or(f64::NAN), list.len())
            }
            (Part::Text, lexer::Primitive::Text) => (f64::NAN, 1),
            _ => {
                let (kind, rule) = match wanted {
                    lexer::Primitive::Integer => ("integer", rules::FRACTION),
                    lexer::Primitive::Real => ("floating-point", rules::SYNTAX),
                    lexer::Primitive::Text => ("string", rules::SYNTAX),
                };
                let says = format!("Expected {kind} data for {}", String::from_utf8_lossy(name));
                return refuse(Outcome::Refuses, rule, Span::new(*place, place + 1), self.message(*place, &says));
            }
        };
        parts.used.push(value);
        parts.inner += 1;
        if parts.inner >= length {
            parts.at += 1;
            parts.inner = 0;
        }
        Ok(())
    }

    /// Reports faults after which the converter continues.
    fn check(&mut self, kind: &[u8], at: usize, numbers: &[f64], children: &Children) {
        let span = Span::new(at, at + kind.len());
        if kind.eq_ignore_ascii_case(b"Animation") && children.are_keys_uneven() {
            self.verdict.add_misread(rules::KEY_TIMES_IGNORED, span, || {
                "keys are played as samples at one rate: their times are not even, or lists of keys differ in length".to_owned()
            });
        }
        if kind.eq_ignore_ascii_case(b"AnimationSet") && self.verdict.warnings.is_empty() {
            // x2egg prints nothing: other ways into the program lose the clip.
            self.verdict.warnings.push(EngineFault::new(rules::CLIPS_BY_ASSIMP, span, ""));
        }
        if !kind.eq_ignore_ascii_case(b"Mesh") {
            return;
        }
        let vertices = numbers.first().copied().unwrap_or_default();
        let mut corners = corners(numbers, vertices as usize);
        if corners.clone().any(|corner| corner < 0.0 || corner >= vertices) {
            self.verdict.add_misread(rules::FACE_INDEX, span, || {
                "Vertex index out of range in Mesh: the face is dropped".to_owned()
            });
        }
        if let Some(weighted) = &children.weighted
            && corners.any(|corner| !weighted.contains(&(corner as u32)))
        {
            self.verdict.add_misread(rules::UNWEIGHTED, span, || {
                "vertices without weights follow no bone, and faces that become flat are dropped".to_owned()
            });
        }
    }
}

/// Returns the corners of all faces of a mesh.
fn corners(numbers: &[f64], vertices: usize) -> impl Iterator<Item = f64> + Clone + use<'_> {
    let faces = numbers.get(1_usize.saturating_add(vertices.saturating_mul(3)).saturating_add(1)..).unwrap_or_default();
    let mut left = 0_usize;
    faces.iter().copied().filter(move |&number| match left.checked_sub(1) {
        Some(rest) => {
            left = rest;
            true
        }
        None => {
            left = number.max(0.0) as usize;
            false
        }
    })
}

impl Children {
    fn note(&mut self, kind: &[u8], at: usize, numbers: &[f64]) {
        if kind.eq_ignore_ascii_case(b"AnimationKey") {
            let mut times = Vec::new();
            let key_type = numbers.first().copied().unwrap_or_default();
            let mut rest = numbers.get(2..).unwrap_or_default();
            while let [time, count, values @ ..] = rest {
                times.push(*time);
                if self.bad_key.is_none() {
                    self.bad_key = bad_key(key_type, *count, Span::new(at, at + kind.len()));
                }
                rest = values.get(count.max(0.0) as usize..).unwrap_or_default();
            }
            self.keys.push(times);
        }
        if kind.eq_ignore_ascii_case(b"SkinWeights") {
            // A string and a count come first.
            let count = numbers.get(1).copied().unwrap_or_default().max(0.0) as usize;
            let indices = numbers.get(2..).unwrap_or_default().iter().take(count);
            self.weighted.get_or_insert_default().extend(indices.map(|&index| index as u32));
        }
    }

    fn are_keys_uneven(&self) -> bool {
        let is_even = |times: &Vec<f64>| {
            let steps: Vec<f64> = times.iter().zip(times.iter().skip(1)).map(|(a, b)| b - a).collect();
            steps.iter().all(|&step| step > 0.0 && Some(&step) == steps.first())
        };
        let differ = self.keys.windows(2).any(|pair| matches!(pair, [a, b] if a.len() != b.len()));
        differ || !self.keys.iter().all(is_even)
    }
}

/// Returns the fault of a key that the converter refuses.
fn bad_key(key_type: f64, count: f64, span: Span) -> Option<EngineFault> {
    let (wanted, name) = match key_type as i32 {
        0 => (4.0, "rotation"),
        1 => (3.0, "scale"),
        2 => (3.0, "position"),
        4 => (16.0, "matrix"),
        other => {
            let rule = if other == 3 { rules::KEY_TYPE_3 } else { rules::KEY_TYPE };
            let message = format!("Unsupported key type {other} in animation table.");
            return Some(EngineFault::new(rule, span, message));
        }
    };
    let message = format!("Incorrect number of values in animation table: {count} for {name} data.");
    (count != wanted).then_some(EngineFault::new(rules::KEY_VALUES, span, message))
}

/// Returns the words of a list. Words separated only by blanks count as one, and its first number is used.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(|&byte| byte == b',' || byte == b';').map(<[u8]>::trim_ascii);
    words.filter(|word| !word.is_empty())
}

/// Parses the first number of a word. Returns 0 if it is none.
fn leading<T: FromStr + Default>(word: &[u8]) -> T {
    let first = word.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    std::str::from_utf8(first).ok().and_then(|word| word.parse().ok()).unwrap_or_default()
}
