//! The file in memory, split into sections of lines.

use super::super::{Fallible, File, refuse};
use crate::codes::shared;
use crate::verdict::Outcome;
use bindpose_parsers::Span;

/// Number of bytes in which the signature is searched.
const HEAD: usize = 200;

/// A keyword with the rest of its line, or with the lines between its braces.
pub(super) struct Section {
    pub(super) name: Span,
    pub(super) value: Option<Span>,
    /// Indices in [`Buffer::lines`].
    pub(super) lines: std::ops::Range<usize>,
}

impl Section {
    pub(super) fn name<'a>(&self, buffer: &Buffer<'a>) -> &'a [u8] {
        buffer.bytes.get(self.name.range()).unwrap_or_default()
    }

    pub(super) fn lines<'b>(&self, buffer: &'b Buffer) -> &'b [Span] {
        buffer.lines.get(self.lines.clone()).unwrap_or_default()
    }
}

/// The file in memory, split into sections.
pub(super) struct Buffer<'a> {
    pub(super) bytes: &'a [u8],
    /// Blanked comments, in order.
    pub(super) comments: Vec<Span>,
    /// Lines, each up to the zero written after it.
    pub(super) lines: Vec<Span>,
    pub(super) sections: Vec<Section>,
}

/// Converts digits, wrapping around at 32 bits.
pub(super) fn integer(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |sum: u32, digit| sum.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')))
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | 0 | 0x0c)
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl<'a> Buffer<'a> {
    /// Reads a file. If it is opened by name, the signature must be near its beginning.
    pub(super) fn new(file: File<'a>, is_named: bool) -> Fallible<Self> {
        let bytes = file.bytes;
        let head = bytes.get(..HEAD).unwrap_or(bytes);
        if is_named && !head.windows(MARK.len()).any(|word| word.eq_ignore_ascii_case(MARK)) {
            let message = format!("No suitable reader found for the file format of file \"{}\".", file.name);
            return refuse(Outcome::Refuses, shared::SYNTAX, Span::new(0, 0), message);
        }
        let comments = comments(file.text());
        let mut buffer = Self { bytes, comments, lines: Vec::new(), sections: Vec::new() };
        let mut walk = Walk { at: 0, comment: 0 };
        buffer.header(&mut walk)?;
        while buffer.section(&mut walk).is_some() {}
        Ok(buffer)
    }

    /// Returns the byte at the current position, before zeros are written after lines.
    fn raw(&self, walk: &mut Walk) -> u8 {
        while self.comments.get(walk.comment).is_some_and(|comment| comment.end as usize <= walk.at) {
            walk.comment += 1;
        }
        match self.comments.get(walk.comment) {
            Some(comment) if comment.start as usize <= walk.at => b' ',
            _ => self.bytes.get(walk.at).copied().unwrap_or(0),
        }
    }

    fn skip(&self, walk: &mut Walk, wanted: impl Fn(u8) -> bool) {
        while walk.at < self.bytes.len() && wanted(self.raw(walk)) {
            walk.at += 1;
        }
    }

    /// Reads the version, the rest of its line, and the next line, whatever it is.
    fn header(&self, walk: &mut Walk) -> Fallible<()> {
        self.skip(walk, is_space);
        let word = Span::new(walk.at, walk.at + MARK.len());
        let is_mark = self.bytes.get(word.range()) == Some(MARK);
        walk.at += MARK.len();
        if !is_mark || !is_space(self.raw(walk)) && !is_line_end(self.raw(walk)) {
            let message = "[MD5] Line 0: Invalid MD5 file: MD5Version tag has not been found";
            return refuse(Outcome::Refuses, shared::SYNTAX, Span::new(0, 0), message);
        }
        walk.at += 1;
        self.skip(walk, is_space);
        let start = walk.at;
        self.skip(walk, |byte| byte.is_ascii_digit());
        let digits = self.bytes.get(start..walk.at).unwrap_or_default();
        if integer(digits) != 10 {
            let message = "[MD5] Line 0: MD5 version tag is unknown (10 is expected)";
            return refuse(Outcome::Refuses, shared::VERSION, Span::new(start, walk.at), message);
        }
        self.skip(walk, |byte| !matches!(byte, b'\r' | b'\n' | 0 | b'#'));
        self.skip(walk, |byte| matches!(byte, b'\r' | b'\n'));
        self.skip(walk, |byte| !is_line_end(byte));
        walk.at += 1;
        self.skip(walk, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        Ok(())
    }

    /// Reads one section. Returns `None` at the end of the file, even inside a section.
    fn section(&mut self, walk: &mut Walk) -> Option<()> {
        let length = self.bytes.len();
        let is_more = |walk: &Walk| (walk.at < length).then_some(());
        is_more(walk)?;
        let start = walk.at;
        self.skip(walk, |byte| !is_space(byte) && !is_line_end(byte));
        let lines = self.lines.len()..self.lines.len();
        self.sections.push(Section { name: Span::new(start, walk.at), value: None, lines });
        self.skip(walk, is_space);
        is_more(walk)?;
        self.body(walk)?;
        is_more(walk)?;
        self.skip(walk, |byte| is_space(byte) || is_line_end(byte));
        is_more(walk)
    }

    /// Reads words up to a blank or an empty line, or lines between braces.
    fn body(&mut self, walk: &mut Walk) -> Option<()> {
        while self.raw(walk) != b'{' && !is_space(self.raw(walk)) && !is_line_end(self.raw(walk)) {
            let start = walk.at;
            self.skip(walk, |byte| !is_space(byte) && !is_line_end(byte));
            let value = Span::new(start, walk.at);
            if walk.at >= self.bytes.len() {
                return None;
            }
            // The following blank or line end is skipped, so that the next line's word counts as another value.
            walk.at += 1;
            self.sections.last_mut()?.value = Some(value);
        }
        if self.raw(walk) != b'{' {
            return Some(());
        }
        walk.at += 1;
        loop {
            self.skip(walk, |byte| is_space(byte) || is_line_end(byte));
            if walk.at >= self.bytes.len() {
                return None;
            }
            if self.raw(walk) == b'}' {
                walk.at += 1;
                return Some(());
            }
            let start = walk.at;
            self.skip(walk, |byte| !is_line_end(byte));
            self.lines.push(Span::new(start, walk.at));
            self.sections.last_mut()?.lines.end += 1;
            walk.at += 1;
        }
    }

    /// Returns the byte at an offset, including the zeros after lines.
    pub(super) fn byte(&self, at: usize) -> u8 {
        let line = self.lines.partition_point(|line| (line.end as usize) < at);
        if self.lines.get(line).is_some_and(|line| line.end as usize == at) {
            return 0;
        }
        let comment = self.comments.partition_point(|comment| (comment.end as usize) <= at);
        match self.comments.get(comment) {
            Some(comment) if comment.start as usize <= at => b' ',
            _ => self.bytes.get(at).copied().unwrap_or(0),
        }
    }
}

/// Signature near the beginning of a file.
const MARK: &[u8] = b"MD5Version";

/// Finds comments: `//` to the end of the line, unless between two quotes of either kind.
fn comments(text: &[u8]) -> Vec<Span> {
    let mut comments = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let is_quote = |at: usize| text.get(at).is_some_and(|byte| matches!(byte, b'"' | b'\''));
        if is_quote(at) {
            at += 1;
            while at < text.len() && !is_quote(at) {
                at += 1;
            }
        }
        if text.get(at..at + 2) == Some(b"//") {
            let rest = text.get(at..).unwrap_or_default();
            let length = rest.iter().position(|&byte| is_line_end(byte)).unwrap_or(rest.len());
            comments.push(Span::new(at, at + length));
            at += length;
        }
        at += 1;
    }
    comments
}

/// Position while the file is split into sections.
struct Walk {
    at: usize,
    /// Index of the next comment.
    comment: usize,
}
