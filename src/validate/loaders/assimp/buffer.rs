//! The file in memory, cut into sections of lines.

use super::super::{Fallible, File, refuse};
use super::pointer::integer;
use crate::codes::shared;
use crate::outline::{Outline, Surface};
use crate::verdict::Outcome;
use bindpose_parsers::Span;

/// Bytes of the file in which the mark is looked for.
const HEAD: usize = 200;

/// A keyword with what stands behind it on its line, or the lines between its braces.
pub(super) struct Section {
    pub(super) name: Span,
    pub(super) value: Option<Span>,
    /// Places in [`Buffer::lines`].
    pub(super) lines: std::ops::Range<usize>,
    /// A mesh's plain block, which is none of the lines.
    pub(super) plain_surface: Option<Surface>,
    pub(super) plain_rows: u32,
    /// How many numbers the frame has, where it is one of several that are plain.
    pub(super) plain_frames: Option<u32>,
}

impl Section {
    pub(super) fn name<'a>(&self, buffer: &Buffer<'a, '_>) -> &'a [u8] {
        buffer.bytes.get(self.name.range()).unwrap_or_default()
    }

    pub(super) fn lines<'b>(&self, buffer: &'b Buffer) -> &'b [Span] {
        buffer.lines.get(self.lines.clone()).unwrap_or_default()
    }
}

/// The file in memory, cut into sections.
pub(super) struct Buffer<'a, 'o> {
    pub(super) bytes: &'a [u8],
    outline: &'o Outline<'a>,
    /// Blanked, in order.
    pub(super) comments: Vec<Span>,
    /// Each up to the zero that was put behind it.
    pub(super) lines: Vec<Span>,
    pub(super) sections: Vec<Section>,
}

pub(super) fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | 0 | 0x0c)
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl<'a, 'o> Buffer<'a, 'o> {
    /// A file that is opened by its name must hold the mark near its beginning.
    pub(super) fn new(file: File<'a, 'o>, is_named: bool) -> Fallible<Self> {
        let outline = file.outline;
        let bytes = outline.bytes();
        let head = bytes.get(..HEAD).unwrap_or(bytes);
        if is_named && !head.windows(MARK.len()).any(|word| word.eq_ignore_ascii_case(MARK)) {
            let message = format!("No suitable reader found for the file format of file \"{}\".", file.name);
            return refuse(Outcome::Refuses, shared::SYNTAX, Span::new(0, 0), message);
        }
        let comments = comments(outline);
        let mut buffer = Self { bytes, outline, comments, lines: Vec::new(), sections: Vec::new() };
        let mut walk = Walk { at: 0, comment: 0 };
        buffer.header(&mut walk)?;
        while buffer.section(&mut walk).is_some() {}
        Ok(buffer)
    }

    /// What stands there before any line has its zero.
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

    /// The version, the rest of its line, and the next line, whatever it is.
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

    /// Reads one section; `None` at the end of the file, in the middle of one or not.
    fn section(&mut self, walk: &mut Walk) -> Option<()> {
        let length = self.bytes.len();
        let is_more = |walk: &Walk| (walk.at < length).then_some(());
        is_more(walk)?;
        if let Some((block, count, components)) = self.outline.frames_from(walk.at) {
            let name = Span::new(walk.at, walk.at);
            let frame = |_| Section { plain_frames: Some(components), ..self.begin(name) };
            let frames: Vec<Section> = (0..count).map(frame).collect();
            walk.at = block.end;
            self.sections.extend(frames);
        } else {
            let start = walk.at;
            self.skip(walk, |byte| !is_space(byte) && !is_line_end(byte));
            let section = self.begin(Span::new(start, walk.at));
            self.sections.push(section);
            self.skip(walk, is_space);
            is_more(walk)?;
            self.body(walk)?;
        }
        is_more(walk)?;
        self.skip(walk, |byte| is_space(byte) || is_line_end(byte));
        is_more(walk)
    }

    fn begin(&self, name: Span) -> Section {
        let lines = self.lines.len()..self.lines.len();
        Section { name, value: None, lines, plain_surface: None, plain_rows: 0, plain_frames: None }
    }

    /// Words up to a blank or an empty line, or lines between braces.
    fn body(&mut self, walk: &mut Walk) -> Option<()> {
        while self.raw(walk) != b'{' && !is_space(self.raw(walk)) && !is_line_end(self.raw(walk)) {
            let start = walk.at;
            self.skip(walk, |byte| !is_space(byte) && !is_line_end(byte));
            let value = Span::new(start, walk.at);
            if walk.at >= self.bytes.len() {
                return None;
            }
            // The blank or line end behind it is stepped over, and the next line's word is taken for another value.
            walk.at += 1;
            self.sections.last_mut()?.value = Some(value);
        }
        if self.raw(walk) != b'{' {
            return Some(());
        }
        walk.at += 1;
        let is_mesh = self.sections.last()?.name(self) == b"mesh";
        let is_base_frame = self.sections.last()?.name(self) == b"baseframe";
        let has_rows = is_base_frame || self.sections.last()?.name(self) == b"bounds";
        loop {
            self.skip(walk, |byte| is_space(byte) || is_line_end(byte));
            if walk.at >= self.bytes.len() {
                return None;
            }
            if self.raw(walk) == b'}' {
                walk.at += 1;
                return Some(());
            }
            let section = self.sections.last_mut()?;
            if let Some((block, surface)) = self.outline.surface_at(walk.at).filter(|_| is_mesh) {
                section.plain_surface = Some(surface.clone());
                walk.at = block.end;
                continue;
            }
            if let Some((block, rows)) = self.outline.rows_from(walk.at).filter(|_| has_rows) {
                section.plain_rows += if is_base_frame { rows } else { 0 };
                walk.at = block.end;
                continue;
            }
            let start = walk.at;
            self.skip(walk, |byte| !is_line_end(byte));
            self.lines.push(Span::new(start, walk.at));
            self.sections.last_mut()?.lines.end += 1;
            walk.at += 1;
        }
    }

    /// The byte there, the zeros behind lines included.
    pub(super) fn byte(&self, at: usize) -> u8 {
        let line = self.lines.partition_point(|line| (line.end as usize) < at);
        if self.lines.get(line).is_some_and(|line| line.end as usize == at) {
            return 0;
        }
        let comment = self.comments.partition_point(|comment| (comment.end as usize) <= at);
        match self.comments.get(comment) {
            Some(comment) if comment.start as usize <= at => b' ',
            _ if self.ends_plain_line(at) => 0,
            _ => self.bytes.get(at).copied().unwrap_or(0),
        }
    }

    /// Whether a line of a plain block got its zero there.
    fn ends_plain_line(&self, at: usize) -> bool {
        if !self.bytes.get(at).is_some_and(|&byte| is_line_end(byte)) {
            return false;
        }
        let blocks = self.outline.blocks();
        let block = blocks.get(blocks.partition_point(|block| block.end <= at)).filter(|block| block.start <= at);
        let before = block.and_then(|block| self.bytes.get(block.start..at)).unwrap_or_default();
        let line = before.rsplit(|&byte| is_line_end(byte)).next().unwrap_or_default();
        // Nothing else of a plain block has a slash.
        let line = line.split(|&byte| byte == b'/').next().unwrap_or_default().trim_ascii();
        // Neither an empty line nor one that begins or ends a frame.
        !line.is_empty() && line != b"}" && !line.ends_with(b"{")
    }
}

/// What a file must hold near its beginning.
const MARK: &[u8] = b"MD5Version";

/// `//` to the end of its line, but not between two quotes of either kind.
fn comments(outline: &Outline) -> Vec<Span> {
    let text = outline.text();
    let mut comments = Vec::new();
    let mut blocks = outline.blocks().iter().peekable();
    let mut at = 0;
    while at < text.len() {
        if let Some(block) = blocks.next_if(|block| block.start == at).filter(|block| !block.has_comments) {
            at = block.end;
            continue;
        }
        let is_quote = |at: usize| text.get(at).is_some_and(|byte| matches!(byte, b'"' | b'\''));
        if is_quote(at) {
            at += 1;
            while at < text.len() && !is_quote(at) {
                at += 1;
            }
            while blocks.next_if(|block| block.start < at).is_some() {}
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

/// Where the cutting into sections stands.
struct Walk {
    at: usize,
    /// The comment that comes next.
    comment: usize,
}
