//! Spans of objects and keys.

use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Lexeme, Lexemes, Tree};
use std::collections::HashMap;

/// Returns the span of an object's type name.
pub(super) fn head_of(object: Span, kind: &str) -> Span {
    Span { start: object.start, end: object.end.min(object.start.saturating_add(kind.len() as u32)) }
}

/// Returns the objects of a type, by the offset of their first byte.
pub(super) fn objects_of<'t, 'a>(tree: &'t Tree<'a>, kind: &str) -> HashMap<u32, &'t x::Object<'a>> {
    tree.all_objects().filter(|object| object.is(kind)).map(|object| (object.span.start, object)).collect()
}

/// Returns the span of a key: its time in a text file, else its list.
pub(super) fn place_of_key(bytes: &[u8], format: x::BodyFormat, keys: &x::AnimationKey, key: usize) -> Span {
    // Type and count, then time, number of values and values of each key.
    let word = 2 + key * (2 + keys.kind.width());
    let place = (format == x::BodyFormat::Text).then(|| word_of(bytes, keys.span, word)).flatten();
    place.unwrap_or(head_of(keys.span, "AnimationKey"))
}

/// Returns the word with an index after an object's opening brace, from 0.
pub(super) fn word_of(bytes: &[u8], object: Span, number: usize) -> Option<Span> {
    let inside = Lexemes::new(bytes.get(..object.end as usize)?, object.start as usize);
    let mut inside = inside.skip_while(|(lexeme, _)| *lexeme != Lexeme::Open).skip(1);
    inside.by_ref().filter(|(lexeme, _)| *lexeme == Lexeme::Word).nth(number).map(|(_, span)| span)
}
