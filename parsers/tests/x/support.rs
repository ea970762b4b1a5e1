//! Helpers of the tests: files from pieces, and results as text.

use bindpose_parsers::x::{self, Child, Datum, Error, Object, Parsed, Reading, Unpacked, Warning};
use bindpose_parsers::{LineIndex, Span};

/// Returns a text file with this body, which begins in line 2.
pub fn txt(body: &str) -> Vec<u8> {
    format!("xof 0303txt 0032\n{body}").into_bytes()
}

/// Tokens of a binary file.
pub enum T<'a> {
    Name(&'a str),
    Text(&'a str),
    Int(u32),
    Guid([u8; 16]),
    Ints(&'a [u32]),
    Floats(&'a [f32]),
    Doubles(&'a [f64]),
    Open,
    Close,
    Comma,
    Semi,
    Other(u16),
}

/// Encodes tokens as in docs/formats/x.md "Tokens of binary files".
pub fn tokens(tokens: &[T]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for token in tokens {
        let id: u16 = match token {
            T::Name(_) => 1,
            T::Text(_) => 2,
            T::Int(_) => 3,
            T::Guid(_) => 5,
            T::Ints(_) => 6,
            T::Floats(_) | T::Doubles(_) => 7,
            T::Open => 10,
            T::Close => 11,
            T::Comma => 19,
            T::Semi => 20,
            T::Other(id) => *id,
        };
        bytes.extend(id.to_le_bytes());
        let mut count = |length: usize| bytes.extend((length as u32).to_le_bytes());
        match token {
            T::Name(text) | T::Text(text) => {
                count(text.len());
                bytes.extend(text.as_bytes());
            }
            T::Int(value) => bytes.extend(value.to_le_bytes()),
            T::Guid(guid) => bytes.extend(guid),
            T::Ints(values) => {
                count(values.len());
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            T::Floats(values) => {
                count(values.len());
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            T::Doubles(values) => {
                count(values.len());
                bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            }
            T::Open | T::Close | T::Comma | T::Semi | T::Other(_) => {}
        }
    }
    bytes
}

/// Returns a binary file of these tokens.
pub fn bin(list: &[T]) -> Vec<u8> {
    [b"xof 0303bin 0032".to_vec(), tokens(list)].concat()
}

/// Returns the line and column, or for binary and compressed files the offset: `@36`.
fn place(span: Span, bytes: &[u8]) -> String {
    match bytes.get(8..12) {
        Some(b"bin " | b"tzip" | b"bzip") => format!("@{}", span.start),
        _ => LineIndex::new(bytes).position(span.start).to_string(),
    }
}

fn error_text(error: &Error, bytes: &[u8]) -> String {
    format!("{} {}", place(error.span, bytes), error.kind)
}

fn warning_text(warning: &Warning, bytes: &[u8]) -> String {
    let times = if warning.times > 1 { format!(" ({} times)", warning.times) } else { String::new() };
    format!("{} {}{times}", place(warning.span, bytes), warning.kind)
}

/// Returns D3DX's verdict: `ok`, or the name of its error and the position.
pub fn strict(bytes: &[u8]) -> String {
    let refused = |error: Error, bytes: &[u8]| {
        let d3dx = error.kind.d3dx().map_or("accepted".to_owned(), |d3dx| d3dx.to_string());
        format!("{d3dx} {}", place(error.span, bytes))
    };
    let file = match x::unpack(bytes, Reading::Strict) {
        Ok(file) => file,
        Err(error) => return refused(error, bytes),
    };
    match x::parse(&file, Reading::Strict) {
        Ok(_) => "ok".to_owned(),
        Err(error) => refused(error, &file.bytes),
    }
}

/// Returns a player's verdict: the warnings, one per line, or the error.
pub fn lenient(bytes: &[u8]) -> Result<Vec<String>, String> {
    let file = x::unpack(bytes, Reading::Lenient).map_err(|error| error_text(&error, bytes))?;
    let parsed = x::parse(&file, Reading::Lenient).map_err(|error| error_text(&error, &file.bytes))?;
    let unpacking = file.warnings.iter().map(|warning| warning_text(warning, bytes));
    Ok(unpacking.chain(parsed.warnings.iter().map(|warning| warning_text(warning, &file.bytes))).collect())
}

/// Unpacks a file that the lenient reading must accept.
pub fn unpacked(bytes: &[u8]) -> Unpacked<'_> {
    x::unpack(bytes, Reading::Lenient).unwrap()
}

/// Parses an unpacked file that the lenient reading must accept.
pub fn parsed<'a>(file: &'a Unpacked<'_>) -> Parsed<'a> {
    x::parse(file, Reading::Lenient).unwrap()
}

/// Returns the objects of a file: `Type name(values){children}`, references in angle brackets, opaque objects with `?`.
pub fn tree(bytes: &[u8]) -> String {
    let file = unpacked(bytes);
    let objects: Vec<String> = parsed(&file).tree.objects.iter().map(object).collect();
    objects.join(" ")
}

fn object(object_of_tree: &Object<'_>) -> String {
    let mut text = object_of_tree.type_name.to_name();
    if let Some(name) = &object_of_tree.name {
        text += &format!(" {}", name.to_name());
    }
    if object_of_tree.unread.is_some() {
        return text + "?";
    }
    let values: Vec<String> = object_of_tree
        .values
        .iter()
        .map(|value| match &value.datum {
            Datum::Integer(value) => value.to_string(),
            Datum::Float(value) => format!("{value:?}"),
            Datum::Text(bytes) => format!("'{}'", bytes.escape_ascii()),
        })
        .collect();
    text += &format!("({})", values.join(" "));
    let children: Vec<String> = object_of_tree
        .children
        .iter()
        .map(|child| match child {
            Child::Object(child) => object(child),
            Child::Reference(reference) => {
                let name = reference.name.as_ref().map_or(String::new(), x::Text::to_name);
                format!("<{name}{}>", reference.guid.map_or(String::new(), |guid| format!(" {guid}")))
            }
        })
        .collect();
    if !children.is_empty() {
        text += &format!("{{{}}}", children.join(" "));
    }
    text
}
