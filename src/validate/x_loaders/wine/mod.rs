//! Wine's Direct3D 9: `D3DXLoadMeshHierarchyFromX` of d3dx9_36, based on d3dxof (Wine 8.0).
//!
//! A fault ends reading, but the call continues with the objects before it. Only the templates of Direct3D's retained
//! mode are built in.

mod hierarchy;
mod objects;
mod tokens;

use super::XFile;
use crate::codes::{Rule, x as rules};
use crate::verdict::{EngineFault, Fallible, Outcome, Stop, Verdict, refuse};
use bindpose_core::engines::XEnd;
use bindpose_parsers::Span;
use hierarchy::{ANIMATION_SET, Ending};
use objects::{Content, ObjectReader};

const HEADER: usize = 16;
/// Offset of the first compressed block, after the length of all.
const FIRST_BLOCK: usize = 20;
const E_FAIL: u32 = 0x8000_4005;
const INVALID_CALL: u32 = 0x8876_086c;
const BAD_ALLOCATION: u32 = 0x8876_0356;
const BAD_FILE_TYPE: u32 = 0x8876_035d;
const BAD_VERSION: u32 = 0x8876_035e;
const BAD_FLOAT_SIZE: u32 = 0x8876_035f;
const PARSE_ERROR: u32 = 0x8876_0362;

/// Fails with an HRESULT and the message of the debug channels, if any.
fn fail<T>(result: u32, rule: Rule, span: Span, message: &str) -> Fallible<T> {
    let separator = if message.is_empty() { "" } else { ": " };
    refuse(Outcome::Refuses, rule, span, format!("{result:#010x}{separator}{message}"))
}

pub(super) fn load(file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    let is_text = header(file)?;
    let content = ObjectReader::new(file.bytes, HEADER, is_text).read();
    if content.is_template_at_fault
        && let Some(Stop::Refusal(refusal)) = &content.halt
    {
        let fault = &refusal.1;
        return fail(PARSE_ERROR, fault.rule, fault.span, &fault.message);
    }
    for object in content.objects.iter().filter(|object| object.kind.is_none()) {
        verdict.add_misread(rules::ODD_NAME, object.span, || {
            "the name is longer than its buffer and overwrites the type: the object is ignored".to_owned()
        });
        verdict.reading.skip(Span::new(object.span.start as usize, object.end), file.bytes);
    }
    let ending = hierarchy::load(&content)?;
    match (ending, &content.halt) {
        (Ending::Circle, _) => {
            let first = content.roots.first().and_then(|&root| content.objects.get(root));
            let message = "a circle of references overflows the stack";
            let span = first.map_or(Span::default(), |object| object.span);
            return refuse(Outcome::Exits, rules::USELESS_REFERENCE, span, message);
        }
        (Ending::Lost, _) | (_, Some(Stop::Lost | Stop::Finished)) => return Err(Stop::Lost),
        (Ending::Nothing, Some(Stop::Refusal(refusal))) => {
            let fault = &refusal.1;
            return fail(E_FAIL, fault.rule, fault.span, &fault.message);
        }
        (Ending::Nothing, None) => {
            // A name that overwrites its object's type.
            let typeless = content.objects.iter().find(|object| object.kind.is_none());
            let (rule, span) =
                typeless.map_or((rules::NOTHING, Span::new(0, HEADER)), |object| (rules::ODD_NAME, object.span));
            return fail(E_FAIL, rule, span, "");
        }
        (Ending::Hierarchy, Some(Stop::Refusal(refusal))) => drop_rest(&content, &refusal.1, verdict),
        (Ending::Hierarchy, None) => {}
    }
    leave_out_clips(&content, verdict);
    Ok(())
}

/// Returns true if the body is text.
fn header(file: XFile) -> Fallible<bool> {
    let word = |at: usize| file.header().get(at..at + 4).unwrap_or_default();
    let span = |at: usize| Span::new(at.min(file.bytes.len()), (at + 4).min(file.bytes.len()));
    if file.bytes.is_empty() {
        return fail(INVALID_CALL, rules::EMPTY, Span::default(), "");
    }
    if file.header().len() < HEADER {
        return fail(BAD_FILE_TYPE, rules::HEADER_CUT, Span::new(0, file.bytes.len()), "");
    }
    if word(0) != b"xof " {
        return fail(BAD_FILE_TYPE, rules::NOT_X, span(0), "");
    }
    if !matches!(word(4), b"0302" | b"0303") {
        return fail(BAD_VERSION, rules::VERSION, span(4), "");
    }
    let (is_text, is_packed) = match word(8) {
        b"txt " => (true, false),
        b"bin " => (false, false),
        b"tzip" => (true, true),
        b"bzip" => (false, true),
        kind => {
            let kind = kind.escape_ascii();
            return fail(BAD_FILE_TYPE, rules::ENCODING, span(8), &format!("File type '{kind}' unknown"));
        }
    };
    if !matches!(word(12), b"0032" | b"0064") {
        return fail(BAD_FLOAT_SIZE, rules::FLOAT_SIZE, span(12), "");
    }
    if is_packed {
        blocks(file.disk)?;
    }
    if let Some(rule) = if is_packed { file.damage() } else { None } {
        return fail(BAD_ALLOCATION, rule, span(20), "Error while decompressing MSZIP chunk");
    }
    Ok(is_text)
}

/// Reads the sizes of compressed blocks. They are not compared with the length of the file.
fn blocks(disk: &[u8]) -> Fallible<()> {
    let span = Span::new(8, 12);
    let mut rest = disk.get(FIRST_BLOCK..).unwrap_or_default();
    while !rest.is_empty() {
        let Some(([_, _, low, high], data)) = rest.split_first_chunk() else {
            return fail(BAD_FILE_TYPE, rules::BLOCK_CUT, span, "");
        };
        let length = usize::from(u16::from_le_bytes([*low, *high]));
        if length > data.len() && data.starts_with(b"CK") {
            let message = "Unhandled page fault on read access: a compressed block is cut";
            return refuse(Outcome::Exits, rules::BLOCK_CUT, span, message);
        }
        rest = data.get(length..).unwrap_or_default();
    }
    Ok(())
}

/// Reports that the call succeeds without the faulty object and everything after it.
fn drop_rest(content: &Content, fault: &EngineFault, verdict: &mut Verdict) {
    let broken = content.broken.and_then(|broken| content.objects.get(broken));
    let end = broken.map_or(fault.span, |broken| broken.span);
    verdict.reading.end = Some(XEnd { at: end.start as usize, open: 0 });
    verdict.add_misread(fault.rule, fault.span, || {
        let name = broken.map_or_else(String::new, |object| String::from_utf8_lossy(object.name).into_owned());
        let what = match (broken, &*name) {
            (None, _) => "everything from here on is dropped".to_owned(),
            (Some(_), "") => "the top-level object around this and everything behind it are dropped".to_owned(),
            (Some(_), name) => format!("the top-level object '{name}' and everything behind it are dropped"),
        };
        if fault.message.is_empty() { what } else { format!("{what}: {}", fault.message) }
    });
}

/// Reports ignored clips: animation controllers are never created.
fn leave_out_clips(content: &Content, verdict: &mut Verdict) {
    let objects = content.roots.iter().filter_map(|&root| content.objects.get(root));
    for set in objects.filter(|object| object.kind == Some(ANIMATION_SET)) {
        verdict.add_misread(rules::CLIPS_IGNORED, set.span, || {
            "Animation controller creation not implemented.".to_owned()
        });
    }
}
