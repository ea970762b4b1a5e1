//! Slips in a text file: wrong counts, entries, strings, braces and times, which replace the faults that they cause.

use super::structure::{self, Block, Slip};
use crate::codes::{Rule, x as rules};
use crate::finding::{Finding, Findings, OWN_FILE, Place, on_one_line};
use bindpose_core::suggest;
use bindpose_parsers::Span;
use bindpose_parsers::x::Document;
use std::collections::HashSet;

/// Faults that a wrong count or entry can cause later.
pub(super) const AFTER_SLIP: [Rule; 13] = [
    rules::SYNTAX,
    rules::COUNT_TOO_LARGE,
    rules::SEPARATOR_MISSING,
    rules::SEPARATOR_EXTRA,
    rules::SEPARATOR_STRAY,
    rules::FRACTION,
    rules::INTEGER_RANGE,
    rules::VALUES_MISSING,
    rules::VALUES_EXTRA,
    rules::OBJECT_SKIPPED,
    rules::FACE_CORNERS,
    rules::FACE_INDEX,
    rules::KEY_VALUES,
];

/// Mismatches that follow from misread or missing parts of a mesh or of keys.
pub(super) const FOLLOWS_FROM_SLIP: [Rule; 25] = [
    rules::VALUES_MISSING,
    rules::VALUES_EXTRA,
    rules::FACE_CORNERS,
    rules::FACE_INDEX,
    rules::NORMAL_FACES,
    rules::NORMAL_INDEX,
    rules::TEXTURE_COORDS,
    rules::MATERIAL_COUNT,
    rules::MATERIAL_INDICES,
    rules::MATERIAL_INDEX,
    rules::SINGLE_MATERIAL_INDEX,
    rules::SKIN_HEADER_BONES,
    rules::WEIGHT_INDEX,
    rules::WEIGHT_SUM,
    rules::UNWEIGHTED,
    rules::SKIN_UNUSED,
    rules::KEY_TYPE,
    rules::KEY_TIMES_FALL,
    rules::KEY_TIMES_EQUAL,
    rules::QUATERNION_LENGTH,
    rules::SHEAR,
    rules::FAR_VERTEX,
    rules::FRAME_MATRIX,
    rules::VERTEX_DATA_SIZE,
    rules::DUPLICATION_COUNT,
];

/// Replaces findings by the slips that caused them.
pub(super) fn find(bytes: &[u8], body: usize, findings: &mut Findings) {
    find_open_string(bytes, body, findings);
    find_slips(bytes, body, findings);
    find_missing_brace(bytes, body, findings);
    find_late_time(bytes, body, findings);
    drop_unknown(bytes, body, findings);
    place_missing_open(bytes, findings);
}

/// Subject of a finding that an opening brace is missing.
pub(super) const OPEN_BRACE: &str = "{";

/// Moves the finding about a missing opening brace from the first word of a line to the end of the text before it.
fn place_missing_open(bytes: &[u8], findings: &mut Findings) {
    let Some(finding) = findings.get_mut(rules::SYNTAX).filter(|known| known.subject == Some(OPEN_BRACE)) else {
        return;
    };
    let before = bytes.get(..finding.first.span.start as usize).unwrap_or_default();
    let end = before.trim_ascii_end().len();
    if before.get(end..).is_some_and(|blanks| blanks.contains(&b'\n')) {
        finding.first.span = Span::new(end, end);
    }
}

/// Returns the objects with faults that a wrong count or entry can cause.
fn stumbled(blocks: &[Block], findings: &Findings) -> Vec<Block> {
    let mut stumbled: Vec<Block> = Vec::new();
    for finding in AFTER_SLIP.iter().filter_map(|&rule| findings.get(rule)) {
        for place in finding.places() {
            // Faces without corners are reported at their mesh.
            let is_mesh = |block: &&Block| block.span.start == place.span.start;
            let of_mesh = blocks.iter().filter(|_| rules::FACE_CORNERS.has(finding.code)).find(is_mesh).copied();
            let block = of_mesh.or_else(|| structure::innermost(blocks, place.span));
            stumbled.extend(block.filter(|block| !stumbled.contains(block)));
        }
    }
    stumbled
}

/// Replaces findings by their causes: wrong counts, and entries with too many or too few values.
fn find_slips(bytes: &[u8], body: usize, findings: &mut Findings) {
    if AFTER_SLIP.iter().all(|&rule| findings.get(rule).is_none()) {
        return;
    }
    let blocks = structure::blocks(bytes, body);
    for block in stumbled(&blocks, findings) {
        let slips = structure::slips(bytes, &blocks, block);
        let Some(first) = slips.first() else { continue };
        let mut led_to: Vec<Finding> = Vec::new();
        for rule in AFTER_SLIP {
            led_to.extend(findings.take_places(rule, |place| block.holds(place.span)));
        }
        led_to.sort_by_key(|finding| finding.first.span.start);
        let code_of = |slip: &Slip| match slip {
            Slip::Count(_) | Slip::Swapped(_) => rules::COUNT,
            Slip::KeyType(_) => rules::KEY_VALUES,
            Slip::Entry(wrong) if wrong.found < wrong.expected => rules::VALUES_MISSING,
            Slip::Entry(_) => rules::VALUES_EXTRA,
        };
        for slip in &slips {
            let code = code_of(slip);
            let Some(finding) = findings.add(code, slip.span(), || slip.says()) else { continue };
            match slip {
                Slip::Count(wrong) => {
                    finding.value("expected", wrong.announced).value("found", wrong.found);
                    finding.related(OWN_FILE, wrong.last, "the last one");
                }
                Slip::Swapped(_) => finding.remedy = Some("swap the two numbers"),
                Slip::KeyType(_) => {
                    finding.remedy = Some("write 0 for rotation, 1 for scale, 2 for position, 4 for a matrix")
                }
                Slip::Entry(wrong) if wrong.found == 0 => finding.remedy = Some("write what is missing"),
                Slip::Entry(_) => {}
            }
            if let Some(led_to) = led_to.first().filter(|_| slip == first) {
                finding.related(OWN_FILE, led_to.first.span, format!("which leads to: {}", led_to.message));
            }
        }
        for said in led_to.into_iter().flat_map(|finding| finding.said) {
            if let Some(finding) = findings.get_mut(code_of(first)).filter(|finding| !finding.said.contains(&said)) {
                finding.said.push(said);
            }
        }
        if slips.iter().any(|slip| matches!(slip, Slip::KeyType(_)))
            && let Some(animation) = structure::animation_around(bytes, &blocks, block)
        {
            for rule in [rules::KEYS_REPEATED, rules::KEYS_MIXED] {
                findings.take_places(rule, |place| animation.holds(place.span));
            }
        }
        let mesh = structure::mesh_around(bytes, &blocks, block);
        for rule in FOLLOWS_FROM_SLIP {
            findings.take_places(rule, |place| {
                let is_slip = |slip: &Slip| code_of(slip) == rule && slip.span() == place.span;
                mesh.holds(place.span) && !slips.iter().any(is_slip)
            });
        }
    }
}

/// Replaces an error by its cause: a string that is not closed on its line.
fn find_open_string(bytes: &[u8], body: usize, findings: &mut Findings) {
    for rule in [rules::SYNTAX, rules::UNCLOSED_STRING, rules::END_INSIDE] {
        let Some(at) = findings.get(rule).map(|finding| finding.first.span) else { continue };
        let Some(string) = structure::open_string(bytes, body, at.start as usize).filter(|&string| string != at) else {
            continue;
        };
        let Some(led_to) = findings.take(rule, |_| true) else { continue };
        let added =
            findings.add(rules::UNCLOSED_STRING, string, || "a string goes on over the end of its line".to_owned());
        if let Some(finding) = added {
            finding.related(OWN_FILE, at, format!("which leads to: {}", led_to.message));
            finding.said.extend(led_to.said);
        }
        return;
    }
}

/// Names a second header, which begins another file, and drops what follows from it.
pub(super) fn find_second_header(bytes: &[u8], findings: &mut Findings) {
    let is_header = |span: Span| bytes.get(span.range()).is_some_and(|object| object.starts_with(b"xof"));
    let Some(header) = findings.get(rules::UNKNOWN_TYPE).map(|finding| finding.first.span).filter(|&at| is_header(at))
    else {
        return;
    };
    let names = findings.take_places(rules::ODD_NAME, |place| header.start <= place.span.start);
    findings.take(rules::DUPLICATE_FRAME, |finding| header.start <= finding.first.span.start);
    if let Some(finding) = findings.get_mut(rules::UNKNOWN_TYPE) {
        finding.message = "a second header: another file begins here".to_owned();
        finding.remedy = Some("remove the header, or split the file before it");
        finding.add_said(names.map_or_else(Vec::new, |names| names.said));
    }
}

/// Rules about the target or meaning of a single word.
const NAMED_BY_WORD: [Rule; 8] = [
    rules::BONE_MISSING,
    rules::MATERIAL_COUNT,
    rules::MATERIAL_INDEX,
    rules::FACE_INDEX,
    rules::NORMAL_INDEX,
    rules::WEIGHT_INDEX,
    rules::KEY_TYPE,
    rules::KEY_TIMES_FALL,
];

/// Drops findings about a word that is misspelt or out of range, and so names nothing that exists.
pub(super) fn drop_misread(findings: &mut Findings) {
    for cause in [rules::SYNTAX, rules::INTEGER_RANGE] {
        let words: Vec<Span> =
            findings.get(cause).into_iter().flat_map(Finding::places).map(|place| place.span).collect();
        for rule in NAMED_BY_WORD {
            let gone = findings.take_places(rule, |place| words.contains(&place.span));
            if let (Some(gone), Some(known)) = (gone, findings.get_mut(cause)) {
                known.note(format!("consequence: {}", gone.message));
                known.add_said(gone.said);
            }
        }
    }
}

/// Merges findings that follow from numbers that are not finite: about frame matrices, keys and weights that contain them.
fn drop_unknown(bytes: &[u8], body: usize, findings: &mut Findings) {
    let Some(numbers) = findings.get(rules::NOT_FINITE) else { return };
    let spans: Vec<Span> = numbers.places().map(|place| place.span).collect();
    let blocks = structure::blocks(bytes, body);
    let broken: Vec<Block> = spans.iter().filter_map(|&span| structure::innermost(&blocks, span)).collect();
    let in_skins = broken.iter().filter(|block| bytes.get(block.kind()) == Some(SKIN_WEIGHTS.as_bytes())).count();
    let is_in_block = |place: &Place| broken.iter().any(|block| block.holds(place.span));
    let is_on_line = |place: &Place| spans.iter().any(|&span| on_one_line(bytes, span, place.span));
    let mut gone = vec![findings.take_places(rules::FRAME_MATRIX, is_in_block)];
    gone.push(findings.take_places(rules::ODD_NUMBER, |place| spans.contains(&place.span)));
    gone.extend([rules::QUATERNION_LENGTH, rules::SHEAR].map(|rule| findings.take_places(rule, is_on_line)));
    gone.extend([rules::UNWEIGHTED, rules::WEIGHT_SUM].map(|rule| findings.take(rule, |it| it.count <= in_skins)));
    let Some(numbers) = findings.get_mut(rules::NOT_FINITE) else { return };
    for gone in gone.into_iter().flatten() {
        numbers.note(format!("consequence: {}", gone.message));
        numbers.add_said(gone.said);
    }
}

/// Type of a bone's weights.
const SKIN_WEIGHTS: &str = "SkinWeights";

/// Merges the weights of a bone that is there twice, or missing, into the finding about the number of bones, and this into
/// the one about a misspelt type of the weights.
pub(super) fn merge_bones(bytes: &[u8], document: &Document, findings: &mut Findings) {
    if findings.get(rules::SKIN_HEADER_BONES).is_none() {
        return;
    }
    let misspelt = findings.get(rules::UNKNOWN_TYPE).and_then(|finding| bytes.get(finding.first.span.range()));
    let is_like_weights = |kind: &[u8]| {
        kind.len() < 2 * SKIN_WEIGHTS.len()
            && suggest::nearest(&String::from_utf8_lossy(kind), std::iter::once(SKIN_WEIGHTS)).is_some()
    };
    if misspelt.is_some_and(is_like_weights) {
        for rule in [rules::SKIN_HEADER_BONES, rules::UNWEIGHTED, rules::WEIGHT_SUM] {
            let gone = findings.take(rule, |_| true);
            if let (Some(gone), Some(known)) = (gone, findings.get_mut(rules::UNKNOWN_TYPE)) {
                known.note(format!("consequence: {}", gone.message));
                known.add_said(gone.said);
            }
        }
        return;
    }
    let twice = document.meshes.iter().find_map(|mesh| {
        let mut seen = HashSet::new();
        mesh.skin_weights.iter().map(|skin| &skin.bone).find(|bone| !seen.insert(&bone.bytes))
    });
    let follows = if twice.is_some() { rules::WEIGHT_SUM } else { rules::UNWEIGHTED };
    let gone = findings.take(follows, |_| true);
    let Some(finding) = findings.get_mut(rules::SKIN_HEADER_BONES) else { return };
    if let Some(bone) = twice {
        let header = std::mem::replace(&mut finding.first.span, bone.span);
        finding.message = format!("a second SkinWeights of '{}': {}", bone.to_name(), finding.message);
        finding.related(OWN_FILE, header, "the XSkinMeshHeader");
        finding.remedy = Some("remove one of the two");
    }
    if let Some(gone) = gone {
        finding.note(format!("consequence: {}", gone.message));
        finding.add_said(gone.said);
    }
}

/// Drops findings about vertices that lack the weights of vertices that do not exist.
pub(super) fn drop_sums(findings: &mut Findings) {
    let Some(lost) = findings.get(rules::WEIGHT_INDEX).map(|finding| finding.count) else { return };
    for rule in [rules::WEIGHT_SUM, rules::UNWEIGHTED] {
        findings.take(rule, |finding| finding.count <= lost);
    }
}

/// Moves a finding about falling key times to an earlier time that is far too late, if that is the cause.
fn find_late_time(bytes: &[u8], body: usize, findings: &mut Findings) {
    let Some(finding) = findings.get_mut(rules::KEY_TIMES_FALL) else { return };
    if let Some(late) = structure::late_time(bytes, body, finding.first.span) {
        let fallen = std::mem::replace(&mut finding.first.span, late);
        let word = |span: Span| String::from_utf8_lossy(bytes.get(span.range()).unwrap_or_default()).into_owned();
        let says =
            format!("going by the other keys, the key time {} is far too late: {} follows", word(late), word(fallen));
        let seen = std::mem::replace(&mut finding.message, says);
        finding.related(OWN_FILE, fallen, "the next key");
        finding.note(seen);
        finding.remedy = Some("correct the time");
    }
}

/// Names the object that seems to lack its closing brace if the file ends inside one, or the surplus brace if one is
/// left over.
fn find_missing_brace(bytes: &[u8], body: usize, findings: &mut Findings) {
    if let Some(finding) = findings.get_mut(rules::END_INSIDE)
        && let Some(unclosed) = structure::unclosed(bytes, body)
    {
        let end = std::mem::replace(&mut finding.first.span, unclosed.open);
        let is_template = bytes.get(unclosed.closed.range()) == Some(structure::TEMPLATE);
        let (by, seen) = match is_template {
            true => ("", "no template can be inside another object"),
            false => ("going by the indentation, ", "this one closes what is around it"),
        };
        finding.message = format!("{by}the brace that opens here is not closed: {}", finding.message);
        finding.related(OWN_FILE, unclosed.closed, seen);
        finding.related(OWN_FILE, end, "here the file ends");
    }
    if let Some(finding) = findings.get_mut(rules::BRACE_STRAY)
        && let Some(surplus) = structure::surplus(bytes, body).filter(|&surplus| surplus != finding.first.span)
    {
        let last = std::mem::replace(&mut finding.first.span, surplus);
        finding.message = "going by the indentation, this closing brace is one too many".to_owned();
        finding.related(OWN_FILE, last, "here one is left over");
    }
}
