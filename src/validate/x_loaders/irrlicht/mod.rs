//! Loaders of Irrlicht and of Luanti, which descends from it: no templates, counts decide, and separators hardly
//! matter.
//!
//! Order, checks and messages are those of `CXMeshFileLoader.cpp`, `SkinnedMesh.cpp` and `WeightBuffer.cpp` of Luanti
//! ecda1027 (5.17 and later) and the parent of 1c70a7f4 (5.16), and of `CXMeshFileLoader.cpp` and `CSkinnedMesh.cpp` of
//! Irrlicht 1.9. Luanti refuses a file with a fault. Irrlicht logs the fault and shows the content before it.

mod animation;
mod channels;
mod finish;
mod mesh;
mod model;
mod numbers;
mod objects;
mod tokens;
mod vertex_data;

use super::XFile;
use crate::c::is_space;
use crate::codes::{Rule, x as rules};
use crate::verdict::{EngineFault, Fallible, Outcome, Stop, Verdict, refuse, refuse_for};
use bindpose_parsers::Span;
use objects::Objects;
use tokens::Tokens;

/// Programs with this loader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Program {
    /// Luanti from 5.17.
    Luanti,
    /// Luanti up to 5.16.
    Luanti516,
    /// Irrlicht 1.8 and 1.9.
    Irrlicht,
}

/// Number of bytes that a count may request before the program runs out of memory.
const MEMORY: u64 = 8 << 30;

fn crash<T>(rule: Rule, span: Span, message: impl Into<String>) -> Fallible<T> {
    refuse(Outcome::Exits, rule, span, message)
}

/// Stops with a message that is logged, and the line number logged after it.
fn fault<T>(rule: Rule, span: Span, message: &str, line: Option<u32>) -> Fallible<T> {
    refuse_for(Outcome::Refuses, EngineFault { line, ..EngineFault::new(rule, span, message) })
}

/// Ends the program if a count requests more memory than available.
fn check_memory(tokens: &Tokens, count: u32, size: u64) -> Fallible<()> {
    if u64::from(count) * size > MEMORY {
        return crash(rules::COUNT_TOO_LARGE, tokens.last, "std::bad_alloc");
    }
    Ok(())
}

/// Runs the loader on a file.
pub(super) fn load(program: Program, file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    let header = read_header(program, file).or_else(|stop| end(program, file, stop))?;
    let tokens = Tokens::new(file.bytes, program, header.is_binary, header.is_wide);
    check_first_line(file.bytes, &tokens, verdict);
    let mut objects = Objects::new(program, tokens, verdict);
    let read = objects.read_all();
    if read.is_err() {
        objects.verdict.reading.end = Some(objects.kept);
    }
    match read {
        Err(Stop::Refusal(refusal)) if refusal.0 == Outcome::Refuses && program == Program::Irrlicht => {
            let rest = objects.tokens.rest();
            stop_early(&mut objects, refusal.1, rest);
        }
        Err(stop @ Stop::Refusal(_)) => return end(program, file, stop),
        _ => {}
    }
    match objects.finish() {
        Err(stop @ Stop::Refusal(_)) => end(program, file, stop),
        _ => Ok(()),
    }
}

/// Handles a fault in Irrlicht, which logs it and shows the content read so far.
fn stop_early(objects: &mut Objects, fault: EngineFault, rest: &[u8]) {
    if has_content(rest) {
        let message = || format!("{}: it stops here and shows what came before", fault.message);
        objects.verdict.add_misread(fault.rule, fault.span, message);
    }
    objects.verdict.warnings.push(fault);
}

/// True if text contains more than the ends of objects and lists.
fn has_content(text: &[u8]) -> bool {
    text.iter().any(|&byte| !is_space(byte) && !b"};,\"".contains(&byte))
}

/// Ends with the log's lines, and the client's message after them.
fn end<T>(program: Program, file: XFile, stop: Stop) -> Fallible<T> {
    let Stop::Refusal(refusal) = stop else { return Err(stop) };
    let (outcome, EngineFault { rule, span, message, line, .. }) = *refusal;
    let (message, detail) = match (program, outcome) {
        (Program::Irrlicht, Outcome::Exits) => (String::new(), format!("the program ends: {message}")),
        (Program::Irrlicht, _) => (with_line(message, line), String::new()),
        (_, Outcome::Exits) => (format!("An unhandled exception occurred: {message}"), String::new()),
        (..) => {
            let name = file.name.rsplit(['/', '\\']).next().unwrap_or(file.name);
            let log = with_line(message, line);
            (format!("{log}; GenericCAO::addToScene(): Could not load mesh {name}"), String::new())
        }
    };
    refuse_for(outcome, EngineFault { detail, ..EngineFault::new(rule, span, message) })
}

fn with_line(message: String, line: Option<u32>) -> String {
    match line {
        Some(line) => format!("{message}; Line: {line}"),
        None => message,
    }
}

struct Header {
    is_binary: bool,
    is_wide: bool,
}

fn read_header(program: Program, file: XFile) -> Fallible<Header> {
    let header = file.header();
    let part = |from: usize| header.get(from..from + 4).unwrap_or_default();
    let span = |from: usize| Span::new(from.min(file.bytes.len()), (from + 4).min(file.bytes.len()));
    if header.len() < 12 {
        let rule = if header.is_empty() { rules::EMPTY } else { rules::HEADER_CUT };
        return fault(rule, Span::new(0, file.bytes.len()), "X File is too small.", None);
    }
    if part(0) != b"xof " {
        let rule = if header.starts_with(b"\xef\xbb\xbf") { rules::BYTE_ORDER_MARK } else { rules::NOT_X };
        return fault(rule, span(0), "Not an x file, wrong header.", None);
    }
    let is_binary = match part(8) {
        b"txt " => false,
        b"bin " => true,
        encoding => {
            let rule = if matches!(encoding, b"tzip" | b"bzip") { rules::COMPRESSED } else { rules::ENCODING };
            return fault(rule, span(8), "Only uncompressed x files currently supported.", None);
        }
    };
    let is_wide = match part(12) {
        b"0032" => false,
        b"0064" => true,
        _ if header.len() < 16 && program == Program::Irrlicht => {
            return crash(rules::HEADER_CUT, span(12), "reads past the end of the header");
        }
        _ => {
            let rule = if header.len() < 16 { rules::HEADER_CUT } else { rules::FLOAT_SIZE };
            return fault(rule, span(12), "Float size not supported.", None);
        }
    };
    Ok(Header { is_binary, is_wide })
}

/// Reports data on the header's line, which is skipped.
fn check_first_line(bytes: &[u8], tokens: &Tokens, verdict: &mut Verdict) {
    let line = bytes.get(16..tokens.at).unwrap_or_default();
    let start = line.iter().position(|&byte| !is_space(byte));
    let is_comment =
        |at: usize| line.get(at) == Some(&b'#') || line.get(at..).is_some_and(|line| line.starts_with(b"//"));
    if let Some(start) = start.filter(|&start| !tokens.is_binary && !is_comment(start)) {
        let span = Span::new(16 + start, tokens.at);
        verdict.reading.skipped.push(span);
        verdict.add_misread(rules::FIRST_LINE, span, || {
            "the rest of the header's line is skipped, and what begins there is not shown".to_owned()
        });
    }
}
