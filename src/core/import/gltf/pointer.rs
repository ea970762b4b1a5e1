//! Positions in the JSON.

use bindpose_parsers::Span;
use gltf_json::Path;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

/// Converts `nodes[3].mesh` to a JSON pointer: `/nodes/3/mesh`.
pub(super) fn from_path(path: &Path) -> String {
    let plain = path.0.split(" = ").next().unwrap_or_default();
    let slashes = plain.replace('.', "/").replace("[\"", "/").replace("\"]", "").replace('[', "/").replace(']', "");
    format!("/{}", slashes.trim_start_matches('/'))
}

/// Returns the span of the value at a pointer, or of its deepest existing part. Returns `None` if the text is not JSON.
pub(super) fn span(json: &[u8], pointer: &str) -> Option<Span> {
    let text = std::str::from_utf8(json).ok()?;
    let mut value: &str = serde_json::from_str::<&RawValue>(text).ok()?.get();
    for part in pointer.split('/').skip(1) {
        let below = match value.as_bytes().first() {
            Some(b'{') => serde_json::from_str::<HashMap<Cow<'_, str>, &RawValue>>(value).ok()?.get(part).copied(),
            Some(b'[') => {
                let list: Vec<&RawValue> = serde_json::from_str(value).ok()?;
                part.parse().ok().and_then(|number: usize| list.get(number).copied())
            }
            _ => None,
        };
        match below {
            Some(below) => value = below.get(),
            None => break,
        }
    }
    let start = value.as_ptr() as usize - text.as_ptr() as usize;
    // The beginning of a long value is enough.
    let length = value.find('\n').unwrap_or(value.len()).min(60);
    Some(Span::new(start, start + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_bytes() {
        let json = br#"{"nodes": [{"mesh": 1}, {"children": [7, 8]}]}"#;
        let at = |pointer: &str| {
            let span = span(json, pointer).unwrap();
            std::str::from_utf8(&json[span.start as usize..span.end as usize]).unwrap()
        };
        assert_eq!(at("/nodes/1/children/1"), "8");
        assert_eq!(at("/nodes/0"), r#"{"mesh": 1}"#);
        assert_eq!(at("/nodes/0/skin"), r#"{"mesh": 1}"#);
        assert_eq!(from_path(&Path("nodes[3].mesh".into())), "/nodes/3/mesh");
        assert_eq!(span(b"{", "/nodes"), None);
    }
}
