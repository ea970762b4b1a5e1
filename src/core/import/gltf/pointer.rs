//! Positions in the JSON.

use bindpose_parsers::Span;
use gltf_json::Path;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Converts `nodes[3].mesh` to a JSON pointer: `/nodes/3/mesh`.
pub(super) fn from_path(path: &Path) -> String {
    let plain = path.0.split(" = ").next().unwrap_or_default();
    let slashes = plain.replace('.', "/").replace("[\"", "/").replace("\"]", "").replace('[', "/").replace(']', "");
    format!("/{}", slashes.trim_start_matches('/'))
}

/// Finds the values of a document. Every object and list is parsed once, however many values are searched.
pub(super) struct Places<'a> {
    text: &'a str,
    root: &'a str,
    /// Parts of objects and lists, by the offset of the text.
    parts: HashMap<usize, Parts<'a>>,
}

enum Parts<'a> {
    Object(HashMap<Cow<'a, str>, &'a RawValue>),
    List(Vec<&'a RawValue>),
}

impl<'a> Parts<'a> {
    fn parse(value: &'a str) -> Option<Self> {
        match value.as_bytes().first() {
            Some(b'{') => serde_json::from_str(value).ok().map(Self::Object),
            Some(b'[') => serde_json::from_str(value).ok().map(Self::List),
            _ => None,
        }
    }

    fn get(&self, part: &str) -> Option<&'a str> {
        let found = match self {
            Self::Object(object) => object.get(part),
            Self::List(list) => list.get(part.parse::<usize>().ok()?),
        };
        found.map(|value| value.get())
    }
}

impl<'a> Places<'a> {
    /// Returns `None` if the text is not JSON.
    pub(super) fn new(json: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(json).ok()?;
        let root = serde_json::from_str::<&RawValue>(text).ok()?.get();
        Some(Self { text, root, parts: HashMap::new() })
    }

    /// Returns the span of the value at a pointer, or of its deepest existing part.
    pub(super) fn span(&mut self, pointer: &str) -> Span {
        let mut value = self.root;
        for part in pointer.split('/').skip(1) {
            let offset = value.as_ptr() as usize - self.text.as_ptr() as usize;
            let parts = match self.parts.entry(offset) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => match Parts::parse(value) {
                    Some(parts) => new.insert(parts),
                    None => break,
                },
            };
            match parts.get(part) {
                Some(below) => value = below,
                None => break,
            }
        }
        let start = value.as_ptr() as usize - self.text.as_ptr() as usize;
        // The beginning of a long value is enough.
        let length = value.bytes().take(60).position(|byte| byte == b'\n').unwrap_or(value.len().min(60));
        Span::new(start, start + length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_bytes() {
        let json = br#"{"nodes": [{"mesh": 1}, {"children": [7, 8]}]}"#;
        let mut places = Places::new(json).unwrap();
        let mut at = |pointer: &str| {
            let span = places.span(pointer);
            std::str::from_utf8(&json[span.start as usize..span.end as usize]).unwrap()
        };
        assert_eq!(at("/nodes/1/children/1"), "8");
        assert_eq!(at("/nodes/0"), r#"{"mesh": 1}"#);
        assert_eq!(at("/nodes/0/skin"), r#"{"mesh": 1}"#);
        assert_eq!(from_path(&Path("nodes[3].mesh".into())), "/nodes/3/mesh");
        assert!(Places::new(b"{").is_none());
    }
}
