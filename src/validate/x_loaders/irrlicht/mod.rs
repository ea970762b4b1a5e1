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
use crate::codes::{Rule, x as rules};
use crate::verdict::{EngineWarning, Fallible, Outcome, Refusal, Stop, Verdict};
use bindpose_parsers::Span;
use objects::Objects;
use tokens::{Tokens, is_space};

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

/// A fault that a program logs.
#[derive(Debug)]
struct Fault {
    rule: Rule,
    span: Span,
    message: String,
    /// Line number logged after it.
    line: Option<u32>,
}

/// Reason why reading ends before the end of the file.
enum End {
    /// No error: the content read so far is shown.
    Finished,
    /// The program logs a fault.
    Fault(Box<Fault>),
    /// The program crashes.
    Crash(Box<Fault>),
}

type Read<T> = Result<T, End>;

fn crash<T>(rule: Rule, span: Span, message: impl Into<String>) -> Read<T> {
    Err(End::Crash(Box::new(Fault { rule, span, message: message.into(), line: None })))
}

/// Ends the program if a count requests more memory than available.
fn check_memory(tokens: &Tokens, count: u32, size: u64) -> Read<()> {
    if u64::from(count) * size > MEMORY {
        return crash(rules::COUNT_TOO_LARGE, tokens.last, "std::bad_alloc");
    }
    Ok(())
}

/// Runs the loader on a file.
pub(super) fn load(program: Program, file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    let header = match read_header(program, file) {
        Ok(header) => header,
        Err((rule, span, "")) => {
            let fault = Fault { rule, span, message: "reads past the end of the header".to_owned(), line: None };
            return end(program, file, Outcome::Exits, fault);
        }
        Err((rule, span, message)) => {
            let fault = Fault { rule, span, message: message.to_owned(), line: None };
            return end(program, file, Outcome::Refuses, fault);
        }
    };
    let tokens = Tokens::new(file.bytes, program, header.is_binary, header.is_wide);
    check_first_line(file.bytes, &tokens, verdict);
    let mut objects = Objects::new(program, tokens, verdict);
    let read = objects.read_all();
    if read.is_err() {
        objects.verdict.reading.end = Some(objects.kept);
    }
    let stopped = match read {
        Ok(()) | Err(End::Finished) => None,
        Err(End::Fault(fault)) => Some((Outcome::Refuses, *fault)),
        Err(End::Crash(fault)) => Some((Outcome::Exits, *fault)),
    };
    match stopped {
        Some((Outcome::Refuses, fault)) if program == Program::Irrlicht => {
            let rest = objects.tokens.rest();
            stop_early(&mut objects, fault, rest);
        }
        Some((outcome, fault)) => return end(program, file, outcome, fault),
        None => {}
    }
    match objects.finish() {
        Err(End::Crash(fault)) => end(program, file, Outcome::Exits, *fault),
        _ => Ok(()),
    }
}

/// Handles a fault in Irrlicht, which logs it and shows the content read so far.
fn stop_early(objects: &mut Objects, fault: Fault, rest: &[u8]) {
    let Fault { rule, span, message, line } = fault;
    if has_content(rest) {
        objects.verdict.add_misread(rule, span, || format!("{message}: it stops here and shows what came before"));
    }
    objects.verdict.warnings.push(EngineWarning { rule, message, line, span });
}

/// True if text contains more than the ends of objects and lists.
fn has_content(text: &[u8]) -> bool {
    text.iter().any(|&byte| !is_space(byte) && !b"};,\"".contains(&byte))
}

/// Ends with the log's lines, and the client's message after them.
fn end(program: Program, file: XFile, outcome: Outcome, fault: Fault) -> Fallible<()> {
    let Fault { rule, span, message, line } = fault;
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
    Err(Stop::Refusal(Box::new((outcome, Refusal { rule, message, detail, line: None, span }))))
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

/// Reads the header. The message is empty if the program reads past the end.
fn read_header(program: Program, file: XFile) -> Result<Header, (Rule, Span, &'static str)> {
    let header = file.header();
    let part = |from: usize| header.get(from..from + 4).unwrap_or_default();
    let span = |from: usize| Span::new(from.min(file.bytes.len()), (from + 4).min(file.bytes.len()));
    if header.len() < 12 {
        let rule = if header.is_empty() { rules::EMPTY } else { rules::HEADER_CUT };
        return Err((rule, Span::new(0, file.bytes.len()), "X File is too small."));
    }
    if part(0) != b"xof " {
        let rule = if header.starts_with(b"\xef\xbb\xbf") { rules::BYTE_ORDER_MARK } else { rules::NOT_X };
        return Err((rule, span(0), "Not an x file, wrong header."));
    }
    let is_binary = match part(8) {
        b"txt " => false,
        b"bin " => true,
        encoding => {
            let rule = if matches!(encoding, b"tzip" | b"bzip") { rules::COMPRESSED } else { rules::ENCODING };
            return Err((rule, span(8), "Only uncompressed x files currently supported."));
        }
    };
    let is_wide = match part(12) {
        b"0032" => false,
        b"0064" => true,
        _ if header.len() < 16 && program == Program::Irrlicht => return Err((rules::HEADER_CUT, span(12), "")),
        _ if header.len() < 16 => return Err((rules::HEADER_CUT, span(12), "Float size not supported.")),
        _ => return Err((rules::FLOAT_SIZE, span(12), "Float size not supported.")),
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
