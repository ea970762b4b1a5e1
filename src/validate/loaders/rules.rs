//! Our rules for words that an engine rejects.

use crate::codes::{Rule, mesh, shared};

const COUNTS: [&[u8]; 10] = [
    b"numjoints",
    b"nummeshes",
    b"numframes",
    b"framerate",
    b"numanimatedcomponents",
    b"numverts",
    b"numtris",
    b"numweights",
    b"commandline",
    b"joints",
];

const RECORDS: [&[u8]; 3] = [b"vert", b"tri", b"weight"];

fn is_one_of(text: &[u8], words: &[&[u8]]) -> bool {
    words.iter().any(|word| text.eq_ignore_ascii_case(word))
}

fn is_brace(byte: &u8) -> bool {
    b"(){}".contains(byte)
}

/// True for a brace or parenthesis joined with other characters.
fn is_glued(text: &[u8]) -> bool {
    text.len() > 1 && text.iter().any(is_brace)
}

/// Returns the rule for another word than the expected one; `otherwise` if no better one is known.
pub(super) fn word(wanted: &str, found: &[u8], otherwise: Rule) -> Rule {
    let wanted = wanted.as_bytes();
    if is_glued(found) {
        return shared::GLUED;
    }
    if wanted == b"10" {
        return shared::VERSION;
    }
    if wanted.eq_ignore_ascii_case(b"commandline") {
        return shared::COMMANDLINE_MISSING;
    }
    if wanted == b"shader" && found == b"name" {
        return mesh::MESH_NAME;
    }
    let ends_records = is_one_of(found, &[b"}", b"numtris", b"numweights"]);
    if is_one_of(wanted, &RECORDS) && ends_records || is_one_of(found, &RECORDS) {
        return mesh::RECORD_COUNT;
    }
    if is_one_of(wanted, &COUNTS) && is_one_of(found, &COUNTS) {
        return shared::KEYWORD_ORDER;
    }
    otherwise
}

/// Returns the rule for a word in place of a number.
pub(super) fn number(found: &[u8], is_integer: bool) -> Rule {
    let lower = found.to_ascii_lowercase();
    let has = |part: &[u8]| lower.windows(part.len()).any(|window| window == part);
    if is_glued(found) {
        shared::GLUED
    } else if found.contains(&b'#') || has(b"nan") || has(b"inf") {
        shared::NOT_FINITE
    } else if found.starts_with(b"/*") || found.starts_with(b"//") {
        shared::COMMENT
    } else if !found.iter().any(u8::is_ascii_digit) {
        shared::SYNTAX
    } else if has(b"0x") {
        shared::OTHER_BASE
    } else if is_integer && found.contains(&b'.') {
        shared::FRACTION_DROPPED
    } else {
        shared::NUMBER_SPELLING
    }
}

/// Returns the rule for a surplus record, or for one with a wrong number.
pub(crate) fn record<T: PartialEq>(slot: T, count: T) -> Rule {
    if slot == count { mesh::RECORD_COUNT } else { mesh::RECORD_NUMBER }
}
