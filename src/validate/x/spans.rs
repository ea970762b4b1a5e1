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
    let place = (format == x::BodyFormat::Text).then(|| words_of(bytes, keys.span).nth(word)).flatten();
    place.unwrap_or(head_of(keys.span, "AnimationKey"))
}

/// Returns the words of an object after its opening brace, up to the first object in it.
pub(crate) fn words_of(bytes: &[u8], object: Span) -> impl Iterator<Item = Span> {
    // Only the object's bytes: the lexer first searches its whole input for line ends.
    let start = object.start as usize;
    let inside = Lexemes::new(bytes.get(object.range()).unwrap_or_default(), 0);
    let inside = inside.skip_while(|(lexeme, _)| *lexeme != Lexeme::Open).skip(1);
    let inside = inside.take_while(|(lexeme, _)| !matches!(lexeme, Lexeme::Open | Lexeme::Close));
    let words = inside.filter(|(lexeme, _)| *lexeme == Lexeme::Word).map(|(_, span)| span.range());
    words.map(move |word| Span::new(start + word.start, start + word.end))
}
