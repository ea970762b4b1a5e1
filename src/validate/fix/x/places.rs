//! Repairs for single `.x` programs that read objects only in certain places.

use super::super::Log;
use super::{Edit, Text, with_line};
use crate::codes::x as rules;
use bindpose_parsers::x::{self, Object};
use bindpose_parsers::{Span, counted};
use std::collections::HashMap;

/// Matrix of a frame that has none.
const IDENTITY: &str = "FrameTransformMatrix {\n  1.000000,0.000000,0.000000,0.000000,\n  \
                        0.000000,1.000000,0.000000,0.000000,\n  0.000000,0.000000,1.000000,0.000000,\n  \
                        0.000000,0.000000,0.000000,1.000000;;\n }";

/// Returns the offset after an object's opening brace and its GUID.
fn inside(text: &Text, object: &Object) -> Option<usize> {
    let head = object.name.as_ref().unwrap_or(&object.type_name).span.end as usize;
    let after = |from: usize, byte: u8| Some(from + memchr::memchr(byte, text.bytes.get(from..)?)? + 1);
    let open = after(head, b'{')?;
    if object.guid.is_some() { after(open, b'>') } else { Some(open) }
}

/// Begins every frame with its matrix.
pub(super) fn first_matrices(text: &Text, log: &mut Log) -> Vec<Edit> {
    let is_matrix = |object: &&Object| object.is("FrameTransformMatrix");
    let mut edits = Vec::new();
    let (mut moved, mut added) = (0, 0);
    for frame in text.objects().filter(|object| object.is("Frame")) {
        if matches!(frame.children.first(), Some(x::Child::Object(first)) if is_matrix(&first)) {
            continue;
        }
        let Some(start) = inside(text, frame) else { continue };
        let matrix = match frame.objects().filter(is_matrix).collect::<Vec<_>>()[..] {
            [] => {
                added += 1;
                IDENTITY.into()
            }
            [only] => {
                moved += 1;
                edits.push((with_line(text.bytes, only.span), String::new()));
                text.written(only.span)
            }
            _ => continue,
        };
        edits.push((Span::new(start, start), format!("\n {matrix}\n")));
    }
    for (count, what) in [(moved, "at its beginning"), (added, "with a matrix that changes nothing")] {
        if count > 0 {
            log.done(
                rules::MATRIX_MISSING,
                format!("{} {what} now", counted(count, "frame has its matrix", "frames have their matrices")),
            );
        }
    }
    edits
}

/// Moves materials of the top level into the lists that refer to them.
pub(super) fn own_materials(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((_, tree)) = text.read else { return Vec::new() };
    let outside: Vec<&Object> = tree.objects.iter().filter(|object| object.is("Material")).collect();
    let name = |text: &x::Text| text.bytes.to_vec();
    let by_name: HashMap<Vec<u8>, &Object> =
        outside.iter().filter_map(|&material| Some((name(material.name.as_ref()?), material))).collect();
    let mut edits: Vec<Edit> =
        outside.iter().map(|object| (with_line(text.bytes, object.span), String::new())).collect();
    let lists = text.objects().filter(|object| object.is("MeshMaterialList"));
    for child in lists.flat_map(|list| &list.children) {
        let x::Child::Reference(reference) = child else { continue };
        let named = reference.name.as_ref().and_then(|known| by_name.get(&name(known)));
        let Some(material) = named else {
            log.left(rules::MATERIAL_OUTSIDE, "a list refers to a material that is not at the top level");
            return Vec::new();
        };
        edits.push((reference.span, text.written(material.span).into_owned()));
    }
    log.done_by(&edits, rules::MATERIAL_OUTSIDE, "materials are inside the lists that use them now");
    edits
}

/// Declares the newer version, whose grammar is the same.
pub(super) fn version(text: &Text, log: &mut Log) -> Vec<Edit> {
    if text.bytes.get(4..8) != Some(b"0302") {
        return Vec::new();
    }
    log.done(rules::VERSION, "the version is 0303 now");
    vec![(Span::new(4, 8), "0303".to_owned())]
}
