//! Chunks of the file, and the contents of its buffers.

use super::error::Error;
use crate::budget::{Budget, Bytes};
use base64::Engine;
use bindpose_parsers::Span;
use gltf_json::Root;
use std::borrow::Cow;

/// A file split into its chunks.
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    /// The chunk `BIN` of a `.glb`.
    binary: Option<&'a [u8]>,
    /// Offset of the JSON in the file.
    json_start: usize,
}

impl<'a> Container<'a> {
    /// Splits a `.glb` into its chunks. Treats anything else as JSON.
    pub(super) fn new(file: &'a [u8]) -> Result<Self, Error> {
        let Some(rest) = file.strip_prefix(b"glTF") else {
            let json = file.strip_prefix(b"\xef\xbb\xbf").unwrap_or(file);
            return Ok(Self { json, binary: None, json_start: file.len() - json.len() });
        };
        let word = |at: usize| Some(u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?));
        let at = |at: usize, message: String| Error {
            span: Span::new(at, file.len().min(at + 4)),
            ..Error::new("", message)
        };
        let (Some(version), Some(length)) = (word(4), word(8)) else {
            return Err(at(0, format!("the header of a .glb file has 12 bytes, this file has {}", 4 + rest.len())));
        };
        if version != 2 {
            return Err(at(4, format!("glTF version {version}; version 2 is read")));
        }
        if length as usize > file.len() {
            let message = format!("the header says {length} bytes, the file has {}; it is cut short", file.len());
            return Err(at(8, message));
        }
        let mut chunks = Vec::new();
        let mut start = 12;
        while start + 8 <= length as usize && chunks.len() < 2 {
            let (Some(size), Some(kind)) = (word(start), file.get(start + 4..start + 8)) else { break };
            let end = start + 8 + size as usize;
            let Some(bytes) = file.get(start + 8..end) else {
                let left = file.len() - start - 8;
                return Err(at(start, format!("a chunk of {size} bytes where {left} are left; the file is cut short")));
            };
            chunks.push((kind, start + 8, bytes));
            start = end.next_multiple_of(4);
        }
        let Some(&(b"JSON", json_start, json)) = chunks.first() else {
            return Err(at(12, "a .glb file begins with a chunk of type JSON, this one does not".into()));
        };
        let binary = chunks.get(1).filter(|(kind, ..)| *kind == b"BIN\0").map(|&(.., bytes)| bytes);
        Ok(Self { json, binary, json_start })
    }

    /// Converts a position in the JSON to one in the file.
    pub(super) fn in_file(&self, span: Span) -> Span {
        Span::new(span.start as usize + self.json_start, span.end as usize + self.json_start)
    }
}

/// Contents of all buffers.
pub(super) struct Buffers<'a> {
    buffers: Vec<Cow<'a, [u8]>>,
    /// Number of bytes of all buffers.
    pub(super) length: u64,
}

impl<'a> Buffers<'a> {
    pub(super) fn read(
        root: &Root,
        container: &Container<'a>,
        read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let mut buffers = Vec::with_capacity(root.buffers.len());
        let mut length = 0;
        for (number, buffer) in root.buffers.iter().enumerate() {
            let pointer = format!("/buffers/{number}");
            let bytes: Cow<'a, [u8]> = match &buffer.uri {
                Some(uri) if uri.starts_with("data:") => data_uri(uri, &format!("{pointer}/uri"))?.into(),
                Some(uri) => {
                    let Some(path) = relative_path(uri) else {
                        let message = "only files in the folder of the glTF file and below are read";
                        return Err(Error::new(format!("{pointer}/uri"), message));
                    };
                    let bytes = read(&path).map_err(|reason| Error::new(format!("{pointer}/uri"), reason))?;
                    // Several buffers may name one file.
                    let what = || format!("buffer {number}");
                    budget.spend(bytes.len() as u128, what).map_err(|error| Error::memory(&pointer, &error))?;
                    bytes.into()
                }
                None => match container.binary.filter(|_| number == 0) {
                    Some(bytes) => bytes.into(),
                    None => return Err(Error::new(pointer, "it has no uri, and the file no binary chunk for it")),
                },
            };
            let wanted = buffer.byte_length.0;
            if wanted > bytes.len() as u64 {
                let (wanted, there) = (Bytes(wanted.into()), Bytes(bytes.len() as u128));
                let message = format!("it should have {wanted}, there are {there}");
                return Err(Error::new(format!("{pointer}/byteLength"), message));
            }
            length += bytes.len() as u64;
            buffers.push(bytes);
        }
        Ok(Self { buffers, length })
    }

    /// Returns the bytes of a view that the value at `pointer` names.
    pub(super) fn view(&self, root: &Root, number: usize, pointer: &str) -> Result<&[u8], Error> {
        let Some(view) = root.buffer_views.get(number) else {
            return Err(Error::new(pointer, format!("there is no buffer view {number}")));
        };
        let whole = self.buffers.get(view.buffer.value()).map_or(&[][..], |bytes| bytes);
        let start = view.byte_offset.map_or(0, |offset| offset.0);
        let range = start
            .checked_add(view.byte_length.0)
            .and_then(|end| Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?));
        range.and_then(|range| whole.get(range)).ok_or_else(|| {
            let message = format!(
                "{} bytes from byte {start} on, but buffer {} has {}",
                view.byte_length.0,
                view.buffer.value(),
                whole.len()
            );
            Error::new(format!("/bufferViews/{number}"), message)
        })
    }
}

/// Decodes a data URI.
pub(super) fn data_uri(uri: &str, pointer: &str) -> Result<Vec<u8>, Error> {
    let Some((head, data)) = uri.split_once(',').filter(|(head, _)| head.ends_with(";base64")) else {
        return Err(Error::new(pointer, "a data URI that is not in base64"));
    };
    let config = base64::engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent);
    let engine = base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, config);
    engine.decode(data).map_err(|error| Error::new(pointer, format!("the base64 of {head} is wrong: {error}")))
}

/// Converts a relative URI to a path with `/` that stays in its folder; `None` for any other URI.
fn relative_path(uri: &str) -> Option<String> {
    local_path(uri).filter(|path| path.split('/').all(|part| part != ".."))
}

/// Converts a relative URI to a path with `/`; `None` for an absolute one.
pub(super) fn local_path(uri: &str) -> Option<String> {
    let path = crate::uri::decoded(uri)?;
    let is_relative = !path.contains([':', '\\', '\0']) && path.split('/').all(|part| !part.is_empty());
    is_relative.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::{local_path, relative_path};

    #[test]
    fn paths_stay_in_their_folder() {
        assert_eq!(relative_path("a%20b/c.bin").as_deref(), Some("a b/c.bin"));
        for outside in ["../a", "a/../b", "/etc/passwd", "%2e%2e/a", "file:a", "http://a/b", "a\\b", "a%00", "%zz", ""]
        {
            assert_eq!(relative_path(outside), None, "{outside}");
        }
        assert_eq!(local_path("..%2Ftextures/a.png").as_deref(), Some("../textures/a.png"));
        for elsewhere in ["/etc/passwd", "file:a", "http://a/b", "a\\b", "a%00", ""] {
            assert_eq!(local_path(elsewhere), None, "{elsewhere}");
        }
    }
}
