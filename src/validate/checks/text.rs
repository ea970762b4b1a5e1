//! Checks of the text before parsing: comments, glued braces, long lines.

use crate::codes::{Group, shared};
use crate::finding::Findings;
use crate::taint::Part;
use bindpose_parsers::Span;
use bindpose_parsers::md5::not_finite_length;
use std::ops::Range;

/// Number of characters per line that Cube 2's reader supports.
const LINE_LIMIT: usize = 511;

/// Content of a file in UTF-16, and how to save it.
pub const UTF_16: (&str, &str) = ("UTF-16 text", "save it as ASCII or as UTF-8 without a byte order mark");

/// True for text that begins with a byte order mark of UTF-16, which some editors write.
pub fn is_utf16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}

/// Returns what a file without a model is, and how to get the model.
pub fn other_content(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const KNOWN: [(&[u8], &str, &str); 5] = [
        (b"version https://git-lfs", "a pointer of Git LFS, not the file itself", "get the file with `git lfs pull`"),
        (b"\x1f\x8b", "compressed by gzip", "unpack it"),
        (b"PK\x03\x04", "a zip archive", "unpack it"),
        (b"<!DOCTYPE", "a web page", "download the file itself"),
        (b"<html", "a web page", "download the file itself"),
    ];
    KNOWN.into_iter().find(|(start, ..)| bytes.starts_with(start)).map(|(_, what, advice)| (what, advice))
}

/// Scans the bytes once.
pub fn check(bytes: &[u8], findings: &mut Findings) {
    let stop = findings.broken.spans(Part::Text).next().map(|span| lines_around(bytes, span));
    let mut scan = Scan { bytes, at: 0, line_start: 0, stop, findings };
    while let Some(&byte) = bytes.get(scan.at) {
        match byte {
            // Every engine stops here.
            0 => return scan.check_line(scan.at),
            b'\n' => scan.end_line(),
            b'"' => scan.skip_string(),
            b'/' => scan.skip_comment(),
            b'(' | b')' | b'{' | b'}' => scan.mark(byte),
            // The parentheses of "nan(ind)" are not punctuation.
            b'n' | b'N' => scan.at += not_finite_length(bytes.get(scan.at..).unwrap_or_default()).unwrap_or(1),
            _ => scan.at += 1,
        }
    }
    scan.check_line(bytes.len());
}

/// Returns the lines of a span and those next to them.
fn lines_around(bytes: &[u8], span: Span) -> Range<usize> {
    let (start, end) = (span.start as usize, span.end as usize);
    let (before, after) = (bytes.get(..start).unwrap_or_default(), bytes.get(end..).unwrap_or_default());
    let first = memchr::memrchr_iter(b'\n', before).nth(1).map_or(0, |newline| newline + 1);
    first..end + memchr::memchr_iter(b'\n', after).nth(1).unwrap_or(after.len())
}

struct Scan<'a, 'f> {
    bytes: &'a [u8],
    at: usize,
    line_start: usize,
    /// Lines where reading stopped: the layout there is part of the fault.
    stop: Option<Range<usize>>,
    findings: &'f mut Findings,
}

impl Scan<'_, '_> {
    fn end_line(&mut self) {
        self.check_line(self.at);
        self.at += 1;
        self.line_start = self.at;
    }

    fn check_line(&mut self, end: usize) {
        let length = end - self.line_start.min(end);
        if length > LINE_LIMIT {
            let span = Span::new(self.line_start, end);
            self.findings
                .add(shared::LONG_LINE, span, || format!("a line of {length} characters, more than {LINE_LIMIT}"));
        }
    }

    /// Skips a string up to its quote, or to the end of the line if the quote is missing.
    fn skip_string(&mut self) {
        let start = self.at + 1;
        let rest = self.bytes.get(start..).unwrap_or_default();
        let length = rest.iter().position(|&byte| byte == b'"' || byte == b'\n').unwrap_or(rest.len());
        self.at = start + length + usize::from(rest.get(length) == Some(&b'"'));
        if length > 0 && rest.get(length - 1) == Some(&b'\\') && rest.get(length) == Some(&b'"') {
            let span = Span::new(start + length - 1, self.at);
            self.findings.add(shared::ESCAPED_QUOTE, span, || {
                "the string ends in a backslash, with which two engines take its quote for a letter".to_owned()
            });
        }
        // The longest strings are command lines.
        if length > super::super::quake::SHORTEST_TOKEN_BUFFER {
            long_string(self.findings, Span::new(start - 1, self.at), length);
        }
    }

    fn skip_comment(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(b"//") {
            self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
        } else if rest.starts_with(b"/*") {
            let start = self.at;
            let body = rest.get(2..).unwrap_or_default();
            let end = body.windows(2).position(|pair| pair == b"*/");
            let length = end.map_or(body.len(), |length| length + 2);
            self.at += 2 + length;
            if let Some(line) = rest.get(..2 + length).and_then(|text| text.iter().rposition(|&byte| byte == b'\n')) {
                self.line_start = start + line + 1;
            }
            // The parser reports a comment without an end.
            if end.is_some() {
                self.findings.add(shared::COMMENT, Span::new(start, self.at), || "a block comment".to_owned());
            }
        } else {
            self.at += 1;
        }
    }

    /// Reports a parenthesis or brace that touches its neighbours, or is not where line-based readers expect it.
    fn mark(&mut self, byte: u8) {
        let at = self.at;
        // A stray comma or semicolon is reported by the parser.
        let blank = |neighbour: Option<&u8>| neighbour.is_none_or(|&byte| byte <= b' ' || b",;".contains(&byte));
        let before = at.checked_sub(1).and_then(|before| self.bytes.get(before));
        if self.stop.as_ref().is_some_and(|stop| stop.contains(&at)) {
            self.at += 1;
            return;
        }
        if !blank(before) || !blank(self.bytes.get(at + 1)) {
            self.findings
                .add(shared::GLUED, Span::new(at, at + 1), || format!("'{}' touches its neighbour", char::from(byte)));
        }
        if byte == b'{' || byte == b'}' {
            let line = self.bytes.get(self.line_start..at).unwrap_or_default();
            let alone = line.iter().all(|&byte| byte <= b' ');
            if byte == b'{' && alone {
                self.findings.add(shared::LINE_BREAK, Span::new(at, at + 1), || {
                    "'{' is not on the line of its keyword".to_owned()
                });
            }
            if byte == b'}' && !line.is_empty() {
                self.findings.add(shared::LONG_LINE, Span::new(at, at + 1), || {
                    "'}' does not stand at the beginning of its line".to_owned()
                });
            }
        }
        self.at += 1;
    }
}

fn long_string(findings: &mut Findings, span: Span, length: usize) {
    let limits: Vec<_> = super::exceeded(Group::Mesh, shared::LONG_STRING, length as u64).collect();
    let Some(most) = limits.iter().map(|limit| limit.most).min() else { return };
    let added = findings.add(shared::LONG_STRING, span, || {
        format!("a string of {length} characters, but token buffers have room for {most}")
    });
    added.only(limits.iter().map(|limit| limit.profile).collect());
}
