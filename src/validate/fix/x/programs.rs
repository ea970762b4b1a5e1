//! Repairs for single programs of today, which change nothing of what a `.x` text shows.

use super::super::Log;
use super::{Edit, Pass, Text, words};
use crate::codes::{Rule, x as rules};
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Animation, Frame, KeyKind};
use glam::{DMat3, DQuat, DVec3};
use std::collections::{HashMap, HashSet};

/// Repairs for a program that stumbles over these rules, in this order.
pub(super) const PASSES: [(&[Rule], Pass); 8] = [
    (&[rules::BYTE_ORDER_MARK], byte_order_mark),
    (&[rules::FIRST_LINE], first_line),
    (&[rules::TYPE_CASE], type_case),
    (&[rules::STRING_END], string_ends),
    (&[rules::FRACTION, rules::KEY_VALUES], whole_times),
    (&[rules::FRAME_IN_ITSELF, rules::DUPLICATE_FRAME], frame_names),
    (&[rules::LOOSE_WEIGHT], loose_weights),
    (&[rules::FRAME_MATRIX_LOST], rest_keys),
];

/// Difference from the identity that is still the identity, and shear that is still none.
const EXACT: f64 = 1e-6;

fn byte_order_mark(text: &Text, log: &mut Log) -> Vec<Edit> {
    if !text.bytes.starts_with(b"\xef\xbb\xbf") {
        return Vec::new();
    }
    log.done(rules::BYTE_ORDER_MARK, "the byte order mark is gone");
    vec![(Span::new(0, 3), String::new())]
}

fn first_line(_: &Text, log: &mut Log) -> Vec<Edit> {
    log.done(rules::FIRST_LINE, "the header has a line of its own now");
    vec![(Span::new(16, 16), "\n".to_owned())]
}

/// All objects of the file.
fn objects<'t, 'a>(text: &'t Text<'a>) -> Vec<&'t x::Object<'a>> {
    let Some((_, tree)) = text.read else { return Vec::new() };
    let mut open: Vec<&x::Object> = tree.objects.iter().collect();
    let mut found = Vec::new();
    while let Some(object) = open.pop() {
        open.extend(object.objects());
        found.push(object);
    }
    found
}

fn type_case(text: &Text, log: &mut Log) -> Vec<Edit> {
    let names: Vec<String> = x::standard_templates().iter().map(|template| template.name.to_name()).collect();
    let mut edits = Vec::new();
    for word in objects(text).into_iter().map(|object| &object.type_name) {
        let is_other =
            |name: &&String| name.as_bytes().eq_ignore_ascii_case(&word.bytes) && *name.as_bytes() != *word.bytes;
        edits.extend(names.iter().find(is_other).map(|meant| (word.span, meant.clone())));
    }
    if !edits.is_empty() {
        log.done(rules::TYPE_CASE, "types are written as in their templates now");
    }
    edits
}

/// `"name" ;` and `"name",` become `"name";`.
fn string_ends(text: &Text, log: &mut Log) -> Vec<Edit> {
    let mut edits = Vec::new();
    let has_string = |object: &&x::Object| ["SkinWeights", "TextureFilename"].iter().any(|kind| object.is(kind));
    for object in objects(text).into_iter().filter(has_string) {
        let (start, bytes) = (object.span.start as usize, text.bytes.get(object.span.range()).unwrap_or_default());
        let quotes = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'"').map(|(at, _)| at + 1);
        let Some(end) = quotes.skip(1).map(|at| at.min(bytes.len())).next() else { continue };
        let rest = bytes.get(end..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match rest.get(blanks) {
            Some(b';') if blanks == 0 => {}
            Some(b';' | b',') => edits.push((Span::new(start + end, start + end + blanks + 1), ";".to_owned())),
            _ => edits.push((Span::new(start + end, start + end), ";".to_owned())),
        }
    }
    if !edits.is_empty() {
        log.done(rules::STRING_END, "strings end with \";, without a blank or comma between");
    }
    edits
}

fn animations<'t>(text: &'t Text<'_>) -> impl Iterator<Item = &'t Animation<'t>> {
    let sets = text.read.into_iter().flat_map(|(document, _)| &document.animation_sets);
    sets.flat_map(|set| &set.animations)
}

/// Times and counts of keys without `.0`.
fn whole_times(text: &Text, log: &mut Log) -> Vec<Edit> {
    let mut edits = Vec::new();
    for keys in animations(text).flat_map(|animation| &animation.keys) {
        let width = keys.kind.width();
        let words = words(text.bytes, keys.span);
        let in_keys = words.get(2..).unwrap_or_default().chunks(2 + width).flat_map(|key| key.iter().take(2));
        for &word in words.iter().take(2).chain(in_keys) {
            let written = text.bytes.get(word.range()).and_then(|word| std::str::from_utf8(word).ok());
            let Some(written) = written.filter(|written| written.contains('.')) else { continue };
            match written.parse::<f64>() {
                Ok(value) if value.fract() == 0.0 && (0.0..4e9).contains(&value) => {
                    edits.push((word, (value as u64).to_string()));
                }
                _ => log.left(rules::FRACTION, "a key between two ticks has no whole number"),
            }
        }
    }
    if !edits.is_empty() {
        log.done(rules::FRACTION, "times of keys are whole numbers now");
    }
    edits
}

/// Frames after the first of a name get one of their own: references mean the first.
fn frame_names(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let names = || document.frames.iter().filter_map(|frame| frame.name.as_ref());
    let mut taken: HashSet<String> = names().map(x::Text::to_name).collect();
    // The number of the next frame of each name: thousands may share one.
    let mut next: HashMap<String, u64> = HashMap::new();
    let mut edits = Vec::new();
    for name in names().filter(|name| !name.bytes.is_empty()) {
        let known = name.to_name();
        let Some(number) = next.get_mut(&known) else {
            next.insert(known, 2);
            continue;
        };
        let mut new = format!("{known}_{number}");
        while taken.contains(&new) {
            *number += 1;
            new = format!("{known}_{number}");
        }
        log.done(rules::DUPLICATE_FRAME, format!("the second frame '{known}' is called '{new}' now"));
        taken.insert(new.clone());
        edits.push((name.span, new));
    }
    edits
}

/// Takes weights from vertices that no face uses.
fn loose_weights(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let (mut edits, mut dropped) = (Vec::new(), 0);
    for mesh in &document.meshes {
        let used: HashSet<u32> = mesh.faces.iter().flat_map(|corners| corners.iter().copied()).collect();
        for skin in &mesh.skin_weights {
            let count = skin.weights.len();
            let words = words(text.bytes, skin.span);
            if words.len() != 2 + 2 * count + 16 || skin.weights.iter().all(|(vertex, _)| used.contains(vertex)) {
                continue;
            }
            let written = |word: &Span| String::from_utf8_lossy(text.bytes.get(word.range()).unwrap_or_default());
            let list = |from: usize| {
                let words = words.get(from..from + count).unwrap_or_default().iter().zip(&skin.weights);
                let kept = words.filter(|(_, (vertex, _))| used.contains(vertex)).map(|(word, _)| written(word));
                kept.collect::<Vec<_>>()
            };
            let (vertices, weights) = (list(2), list(2 + count));
            let (Some(first), Some(last)) = (words.get(1), words.get(1 + 2 * count)) else { continue };
            dropped += count - vertices.len();
            let lists = format!("{};\n{};\n{}", vertices.len(), vertices.join(","), weights.join(","));
            edits.push((Span::new(first.start as usize, last.end as usize), lists));
        }
    }
    if dropped > 0 {
        log.done(rules::LOOSE_WEIGHT, format!("{dropped} weights of vertices that no face uses are gone"));
    }
    edits
}

/// Gives frames with keys the parts of their matrix that the keys do not have, as a key each.
fn rest_keys(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let mut kinds: HashMap<String, HashSet<&str>> = HashMap::new();
    let mut places: Vec<(String, &Animation)> = Vec::new();
    for animation in animations(text) {
        let Some(name) = animation.target.as_ref().map(|target| target.name.to_name()) else { continue };
        let known = kinds.entry(name.clone()).or_insert_with(|| {
            places.push((name, animation));
            HashSet::new()
        });
        for keys in animation.keys.iter().filter(|keys| !keys.times.is_empty()) {
            known.extend(match keys.kind {
                KeyKind::Rotation => &["rotation"][..],
                KeyKind::Scale => &["scale"],
                KeyKind::Position => &["position"],
                // Its scale is another fault.
                KeyKind::Matrix => &["rotation", "scale", "position"],
            });
        }
    }
    let mut edits = Vec::new();
    for (name, animation) in places {
        let frame = document.frames.iter().find(|frame| frame.name.as_ref().is_some_and(|own| own.to_name() == name));
        let Some(known) = kinds.get(&name).filter(|known| !known.is_empty()) else { continue };
        let Some(rest) = frame.and_then(Frame::matrix) else { continue };
        let Some(parts) = parts(rest) else {
            log.left(rules::FRAME_MATRIX_LOST, "a matrix that mirrors or shears has no keys that say the same");
            continue;
        };
        let time = animation.keys.iter().flat_map(|keys| keys.times.first()).copied().fold(f64::MAX, f64::min);
        let missing = parts.into_iter().filter(|(kind, ..)| !known.contains(kind));
        let keys: String = missing
            .map(|(_, number, values)| {
                let values: Vec<String> = values.iter().map(|value| format!("{value:.6}")).collect();
                format!(" AnimationKey {{ {number}; 1; {time};{};{};;; }}\n", values.len(), values.join(","))
            })
            .collect();
        if !keys.is_empty() {
            let end = (animation.span.end as usize).saturating_sub(1);
            edits.push((Span::new(end, end), keys));
            log.done(rules::FRAME_MATRIX_LOST, format!("'{name}' has keys for what its matrix says now"));
        }
    }
    edits
}

/// The parts of a matrix that are not the identity: kind, number of the key's type, values of a key. `None` for a matrix
/// that has none.
fn parts(matrix: &x::Matrix) -> Option<Vec<(&'static str, u8, Vec<f64>)>> {
    let [a0, a1, a2, _, b0, b1, b2, _, c0, c1, c2, _, x, y, z, _] = *matrix;
    let axes = [DVec3::new(a0, a1, a2), DVec3::new(b0, b1, b2), DVec3::new(c0, c1, c2)];
    let scale = axes.map(DVec3::length);
    let [a, b, c] = axes.map(DVec3::normalize_or_zero);
    let is_skew = [a.dot(b), b.dot(c), c.dot(a)].into_iter().any(|cosine| cosine.abs() > 1e-4);
    if is_skew || DMat3::from_cols(a, b, c).determinant() < 0.5 {
        return None;
    }
    let rotation = DQuat::from_mat3(&DMat3::from_cols(a, b, c)).normalize();
    let differs = |value: f64, wanted: f64| (value - wanted).abs() > EXACT;
    let mut found = Vec::new();
    if differs(rotation.w.abs(), 1.0) {
        found.push(("rotation", 0, vec![rotation.w, -rotation.x, -rotation.y, -rotation.z]));
    }
    if scale.into_iter().any(|scale| differs(scale, 1.0)) {
        found.push(("scale", 1, scale.to_vec()));
    }
    if [x, y, z].into_iter().any(|part| differs(part, 0.0)) {
        found.push(("position", 2, vec![x, y, z]));
    }
    Some(found)
}
