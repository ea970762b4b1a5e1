//! Repairs for single `.x` programs that read objects only in certain places.

use super::super::Log;
use super::{Edit, Text, with_line};
use crate::codes::x as rules;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Object};
use std::collections::HashMap;

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
            log.left(rules::UNRESOLVED_REFERENCE, "a list refers to a material that is not at the top level");
            return Vec::new();
        };
        edits.push((reference.span, text.written(material.span).into_owned()));
    }
    log.done_by(&edits, rules::UNRESOLVED_REFERENCE, "materials are inside the lists that use them now");
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
