//! Repairs for single `.x` programs, which do not change the displayed model.

use super::super::Log;
use super::{Edit, Pass, Text, byte_order_mark, name_in, places, with_line, words};
use crate::codes::{Rule, x as rules};
use bindpose_parsers::x::{self, Animation, Frame, KeyKind};
use bindpose_parsers::{Span, counted};
use glam::{DMat3, DQuat, DVec3};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

/// Repairs for a program that fails because of these rules, in this order.
pub(super) const PASSES: [(&[Rule], Pass); 17] = [
    (&[rules::BYTE_ORDER_MARK], byte_order_mark),
    (&[rules::VERSION], places::version),
    (&[rules::FIRST_LINE], first_line),
    (&[rules::TYPE_CASE], type_case),
    (&[rules::TYPE_NOT_LISTED, rules::SKIPPED_OBJECT, rules::UNKNOWN_TYPE], unlisted_types),
    (&[rules::UNSUPPORTED], vertex_data),
    (&[rules::ODD_NAME], odd_names),
    (&[rules::EMPTY_MESH], empty_meshes),
    (&[rules::SINGLE_MATERIAL_INDEX, rules::MATERIAL_INDICES], material_indices),
    (&[rules::MATERIAL_COUNT, rules::UNRESOLVED_REFERENCE], places::own_materials),
    (&[rules::STRING_END], string_ends),
    (&[rules::FRACTION, rules::KEY_VALUES], whole_times),
    (&[rules::SEPARATOR_MISSING], key_ends),
    (&[rules::FRAME_IN_ITSELF, rules::DUPLICATE_FRAME], frame_names),
    (&[rules::LOOSE_WEIGHT], loose_weights),
    (&[rules::ONE_TIMELINE], one_timeline),
    (&[rules::FRAME_MATRIX_LOST], rest_keys),
];

/// Largest deviation that still counts as the identity, or as no shear.
const EXACT: f64 = 1e-6;

fn first_line(_: &Text, log: &mut Log) -> Vec<Edit> {
    log.done(rules::FIRST_LINE, "the header has a line of its own now");
    vec![(Span::new(16, 16), "\n".to_owned())]
}

fn type_case(text: &Text, log: &mut Log) -> Vec<Edit> {
    let names: Vec<String> = x::standard_templates().iter().map(|template| template.name.to_name()).collect();
    let mut edits = Vec::new();
    for word in text.objects().map(|object| &object.type_name) {
        let is_other =
            |name: &&String| name.as_bytes().eq_ignore_ascii_case(&word.bytes) && *name.as_bytes() != *word.bytes;
        edits.extend(names.iter().find(is_other).map(|meant| (word.span, meant.clone())));
    }
    log.done_by(&edits, rules::TYPE_CASE, "types are written as in their templates now");
    edits
}

/// Removes all objects of a type that OpenBVE does not know, such as an exporter's notes.
fn unlisted_types(text: &Text, log: &mut Log) -> Vec<Edit> {
    let stops = text.findings.iter().flat_map(|finding| &finding.said).filter(|said| said.outcome.stops());
    let Some(kind) =
        stops.filter_map(|said| said.message.split_once("Unrecognised token ")).map(|(_, kind)| kind).next()
    else {
        return Vec::new();
    };
    let same = text.objects().filter(|object| object.is(kind));
    let edits: Vec<Edit> = same.map(|object| (with_line(text.bytes, object.span), String::new())).collect();
    let count = counted(edits.len(), "object", "objects");
    log.done_by(&edits, rules::TYPE_NOT_LISTED, format!("{count} of the type '{kind}' are gone"));
    edits
}

/// Usages of vertex data that OpenBVE reads: positions, normals and texture coordinates.
const READ_USAGES: [u32; 3] = [0, x::USAGE_NORMAL, x::USAGE_TEXCOORD];

/// Removes tangents and other vertex data that OpenBVE does not read.
fn vertex_data(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let data = document.meshes.iter().filter_map(|mesh| mesh.decl_data.as_ref());
    let edits: Vec<Edit> = data.filter_map(|data| fewer_elements(text, data)).collect();
    log.done_by(&edits, rules::UNSUPPORTED, "vertex data has only normals and texture coordinates now");
    edits
}

fn fewer_elements(text: &Text, data: &x::DeclData) -> Option<Edit> {
    let words = words(text.bytes, data.span);
    let written = |word: &Span| text.written(*word);
    let (first, rest) = words.split_first()?;
    let (elements, rest) = rest.split_at_checked(4 * data.elements.len())?;
    let values = rest.get(1..).filter(|values| values.len() == data.data.len())?;
    let is_read: Vec<bool> = data.elements.iter().map(|element| READ_USAGES.contains(&element.usage)).collect();
    if is_read.iter().all(|&is_read| is_read) {
        return None;
    }
    let rows = elements.chunks(4).zip(&is_read).filter(|(_, is_read)| **is_read);
    let rows: Vec<String> = rows.map(|(row, _)| row.iter().map(written).collect::<Vec<_>>().join(";")).collect();
    if rows.is_empty() {
        return Some((with_line(text.bytes, data.span), String::new()));
    }
    let sizes: Vec<usize> = data.elements.iter().map(|element| element.words()).collect::<Option<_>>()?;
    let of_vertex: Vec<bool> =
        is_read.iter().zip(sizes).flat_map(|(&is_read, size)| std::iter::repeat_n(is_read, size)).collect();
    let kept = values.iter().zip(of_vertex.iter().cycle()).filter(|(_, is_read)| **is_read);
    let kept: Vec<_> = kept.map(|(word, _)| written(word)).collect();
    let lists = format!("{};\n{};;\n{};\n{}", rows.len(), rows.join(";,\n"), kept.len(), kept.join(","));
    Some((Span::new(first.start as usize, values.last()?.end as usize), lists))
}

/// Length of the longest name that fits into Wine's objects, and of one that overwrites their types, in bytes.
const WINE_NAMES: (usize, usize) = (39, 56);

/// Reduces names to letters, digits, `_` and `-`, and shortens those that are too long for Wine, wherever they occur.
fn odd_names(text: &Text, log: &mut Log) -> Vec<Edit> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let all: Vec<&x::Object> = text.objects().collect();
    let names = || all.iter().filter_map(|object| object.name.as_ref());
    let mut taken: HashSet<String> = names().map(x::Text::to_name).collect();
    let mut new: HashMap<String, String> = HashMap::new();
    let (longest, too_long) = WINE_NAMES;
    let is_odd = |name: &[u8]| !name.iter().all(is_plain) || x::is_keyword(name) || name.len() >= too_long;
    for name in names().filter(|name| is_odd(&name.bytes)) {
        let length = if name.bytes.len() >= too_long { longest } else { name.bytes.len() };
        let plain = |byte: &u8| if is_plain(byte) { char::from(*byte) } else { '_' };
        let mut plain: String = name.bytes.iter().take(length).map(plain).collect();
        plain.insert_str(0, if x::is_keyword(&name.bytes) { "_" } else { "" });
        if let Entry::Vacant(renamed) = new.entry(name.to_name()) {
            while !taken.insert(plain.clone()) {
                plain.push('_');
            }
            renamed.insert(plain);
        }
    }
    let references = all.iter().flat_map(|object| &object.children).filter_map(|child| match child {
        x::Child::Reference(reference) => reference.name.as_ref(),
        x::Child::Object(_) => None,
    });
    let skins = text.read.into_iter().flat_map(|(document, _)| &document.meshes).flat_map(|mesh| &mesh.skin_weights);
    let places = names().chain(references).map(|name| (name.span, name.to_name()));
    let bones = skins.map(|skin| (skin.bone.span, skin.bone.to_name()));
    let edit = |(place, name): (Span, String)| {
        let (word, _) = name_in(text.bytes, place)?;
        Some((word, new.get(&name)?.clone()))
    };
    let edits: Vec<Edit> = places.chain(bones).filter_map(edit).collect();
    let mut renamed: Vec<_> = new.iter().collect();
    renamed.sort();
    for (old, new) in renamed {
        log.done(rules::ODD_NAME, format!("'{old}' is called '{new}' now"));
    }
    edits
}

/// Removes meshes without faces, which show nothing.
fn empty_meshes(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let empty = document.meshes.iter().filter(|mesh| mesh.faces.is_empty());
    let edits: Vec<Edit> = empty.map(|mesh| (with_line(text.bytes, mesh.span), String::new())).collect();
    log.done_by(
        &edits,
        rules::EMPTY_MESH,
        format!("{} gone", counted(edits.len(), "mesh without faces is", "meshes without faces are")),
    );
    edits
}

/// Repeats the only material index of a list for each face.
fn material_indices(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let mut edits = Vec::new();
    for mesh in &document.meshes {
        let (faces, Some(list)) = (mesh.faces.len(), &mesh.material_list) else { continue };
        let words = words(text.bytes, list.span);
        if let [_, count, index, ..] = &words[..]
            && text.written(*count) == "1"
            && faces > 1
        {
            edits.push((*count, faces.to_string()));
            edits.push((*index, vec![text.written(*index); faces].join(",")));
        }
    }
    log.done_by(&edits, rules::SINGLE_MATERIAL_INDEX, "each face has a material index now");
    edits
}

/// Replaces `"name" ;` and `"name",` by `"name";`.
fn string_ends(text: &Text, log: &mut Log) -> Vec<Edit> {
    let mut edits = Vec::new();
    let has_string = |object: &&x::Object| ["SkinWeights", "TextureFilename"].iter().any(|kind| object.is(kind));
    for object in text.objects().filter(has_string) {
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
    log.done_by(&edits, rules::STRING_END, "strings end with \";, without a blank or comma between");
    edits
}

fn animations<'t>(text: &'t Text<'_>) -> impl Iterator<Item = &'t Animation<'t>> {
    let sets = text.read.into_iter().flat_map(|(document, _)| &document.animation_sets);
    sets.flat_map(|set| &set.animations)
}

/// Removes `.0` from times and counts of keys.
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
    let numbers = counted(edits.len(), "time or count of a key", "times and counts of keys");
    log.done_by(&edits, rules::FRACTION, format!("the '.0' of {numbers} is gone"));
    edits
}

/// Ends keys in the separators that OpenBVE's Assimp parser reads. After a vector, it skips separators up to the next
/// white space, and then needs one more.
fn key_ends(text: &Text, log: &mut Log) -> Vec<Edit> {
    let mut edits = Vec::new();
    for keys in animations(text).flat_map(|animation| &animation.keys) {
        let width = keys.kind.width();
        let words = words(text.bytes, keys.span);
        let list_end = (keys.span.end as usize).saturating_sub(1);
        let mut all = words.get(2..).unwrap_or_default().chunks_exact(2 + width).peekable();
        while let Some(last) = all.next().and_then(<[Span]>::last) {
            let next = all.peek().and_then(|key| key.first());
            let wanted = match (width, next) {
                (3, Some(_)) => ";; ,",
                (3, None) => ";; ;",
                (_, Some(_)) => ";;,",
                (_, None) => ";;;",
            };
            let start = last.end as usize;
            let between = text.bytes.get(start..next.map_or(list_end, |word| word.start as usize)).unwrap_or_default();
            let written = between.trim_ascii_end();
            let is_separator = |byte: &u8| matches!(byte, b';' | b',') || byte.is_ascii_whitespace();
            if written != wanted.as_bytes() && written.iter().all(is_separator) {
                edits.push((Span::new(start, start + written.len()), wanted.to_owned()));
            }
        }
    }
    let keys = counted(edits.len(), "key ends", "keys end");
    log.done_by(&edits, rules::SEPARATOR_MISSING, format!("{keys} in the separators that the program looks for"));
    edits
}

/// Renames all frames but the first with a name, because references mean the first.
fn frame_names(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let names = || document.frames.iter().filter_map(|frame| frame.name.as_ref());
    let mut taken: HashSet<String> = names().map(x::Text::to_name).collect();
    // Next number for each name: thousands of frames may share one.
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

/// Removes weights of vertices that no face uses.
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
            let list = |from: usize| {
                let words = words.get(from..from + count).unwrap_or_default().iter().zip(&skin.weights);
                let kept = words.filter(|(_, (vertex, _))| used.contains(vertex)).map(|(word, _)| text.written(*word));
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

/// Moves sets that share times one after the other, and reports the frames of each as Lua.
fn one_timeline(text: &Text, log: &mut Log) -> Vec<Edit> {
    let Some((document, _)) = text.read else { return Vec::new() };
    let sets = &document.animation_sets;
    if let Some(why) = why_not_joined(sets) {
        log.left(rules::ONE_TIMELINE, why);
        return Vec::new();
    }
    let (mut edits, mut ranges, mut next) = (Vec::new(), Vec::new(), None);
    for (set, number) in sets.iter().zip(1..) {
        let (start, end) = range(set);
        let shift = next.map_or(0.0, |next: f64| next - start);
        next = Some(end + shift + 1.0);
        let name = set.name.as_ref().map_or_else(|| format!("set_{number}"), x::Text::to_name);
        ranges.push(format!("{name} = {{x = {}, y = {}}}", start + shift, end + shift));
        for keys in set.animations.iter().flat_map(|animation| &animation.keys) {
            let words = words(text.bytes, keys.span);
            let times = words.get(2..).unwrap_or_default().chunks(2 + keys.kind.width());
            let times = times.filter_map(|key| key.first()).zip(&keys.times);
            edits.extend(times.map(|(word, time)| (*word, (time + shift).to_string())));
        }
    }
    log.done(rules::ONE_TIMELINE, format!("the sets follow each other now; in Lua: {}", ranges.join(", ")));
    edits
}

/// Returns the first and last time of a set.
fn range(set: &x::AnimationSet) -> (f64, f64) {
    let times = || set.animations.iter().flat_map(|animation| &animation.keys).flat_map(|keys| &keys.times).copied();
    (times().fold(f64::MAX, f64::min), times().fold(f64::MIN, f64::max))
}

/// Returns the reason why sets would play differently one after the other. In all sets, every list of keys must last as
/// long as its set, because the program holds and blends keys beyond the ends of a set.
fn why_not_joined(sets: &[x::AnimationSet]) -> Option<String> {
    let mut first: Option<HashSet<(String, KeyKind)>> = None;
    for set in sets {
        let (start, end) = range(set);
        let mut lists = HashSet::new();
        for animation in &set.animations {
            let name = animation.target.as_ref().map_or_else(String::new, |target| target.name.to_name());
            for keys in &animation.keys {
                let is_whole = keys.times.iter().all(|time| time.fract() == 0.0);
                if !is_whole || keys.times.first() != Some(&start) || keys.times.last() != Some(&end) {
                    return Some(format!(
                        "keys of '{name}' do not last as long as their set; convert --profile luanti adds them"
                    ));
                }
                lists.insert((name.clone(), keys.kind));
            }
        }
        if *first.get_or_insert_with(|| lists.clone()) != lists {
            return Some("the sets move different frames; convert --profile luanti adds keys for all".to_owned());
        }
    }
    None
}

/// Adds keys for those parts of a frame's matrix that its keys do not replace.
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

/// Components of a matrix that differ from the identity: kind, number of the key's type, values of a key. `None` if the
/// matrix has shear or mirrors.
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
