//! assimp (`MD5Parser`, `MD5Importer`, `fast_atoreal_move`): sections of lines in any order, what is not known ignored, a
//! number wherever one should stand. Line comments are blanked first; the end of a line in a section is the end of a
//! string, behind which what does not look for it goes on reading.

use super::{Fallible, File, Joint, Skeleton, Slots, Stop, refuse, rules};
use crate::codes::{Rule, anim, camera, mesh, shared};
use crate::outline::{Outline, Surface};
use crate::verdict::{Outcome, Verdict};
use bindpose_parsers::Span;
use std::collections::HashSet;

/// Which one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// Up to 6.0.5: most indices are used as they are.
    Release,
    /// After it.
    Later,
}

/// Bytes of the file in which the mark is looked for.
const HEAD: usize = 200;
/// Arrays beyond this many elements of a dozen bytes or more are taken to fail.
const MOST_ELEMENTS: u32 = 1 << 28;
/// As many as 256 MiB hold.
const MOST_VERTICES: u64 = (256 << 20) / 16;
const MOST_WEIGHTS: u64 = (256 << 20) / 20;
/// Weights between minus and plus this are none.
const EPSILON: f64 = f32::EPSILON as f64;

pub(super) fn read_mesh<'a>(version: Version, verdict: &mut Verdict, file: File<'a, '_>) -> Fallible<Skeleton<'a>> {
    let (joints, surfaces) = read_sections(version, verdict, file)?;
    let is_within = |surface: &Mesh| {
        let fits = |plain: &Surface| {
            // The release holds corners against this number, too.
            let is_shrunk = version == Version::Release && 3 * u64::from(plain.num_tris) < plain.num_verts.into();
            plain.joints as usize <= joints.len() && !is_shrunk
        };
        surface.plain.as_ref().is_none_or(fits)
    };
    let surfaces = match surfaces.iter().all(is_within) {
        true => surfaces,
        // Which weight names a joint that is not there is found word by word.
        false => {
            let outline = Outline::without_blocks(file.outline.bytes());
            read_sections(version, verdict, File { outline: &outline, ..file })?.1
        }
    };
    for surface in surfaces.iter().filter(|surface| !surface.is_empty()) {
        surface.check(version, verdict, joints.len())?;
    }
    Ok(Skeleton { used: joints.len(), joints })
}

/// The joints and meshes in order.
fn read_sections<'a>(
    version: Version,
    verdict: &mut Verdict,
    file: File<'a, '_>,
) -> Fallible<(Vec<Joint<'a>>, Vec<Mesh>)> {
    let buffer = Buffer::new(file, true)?;
    let mut joints = Vec::new();
    let mut surfaces = Vec::new();
    for section in &buffer.sections {
        match section.name(&buffer) {
            b"joints" => {
                for &line in section.lines(&buffer) {
                    joints.push(buffer.joint(line)?);
                }
            }
            b"mesh" => surfaces.push(buffer.surface(version, section, verdict)?),
            _ => {}
        }
    }
    Ok((joints, surfaces))
}

/// A clip that has no frame or no joint is left out beside a mesh, and is nothing by itself.
pub(super) fn read_anim(verdict: &mut Verdict, skeleton: Option<&Skeleton>, file: File) -> Fallible<()> {
    let buffer = Buffer::new(file, skeleton.is_none())?;
    let mut channels = Vec::new();
    let (mut rows, mut rows_span) = (0, Span::default());
    let mut frames = Vec::new();
    for section in &buffer.sections {
        match section.name(&buffer) {
            b"hierarchy" => {
                for &line in section.lines(&buffer) {
                    channels.push(buffer.channel(line));
                }
            }
            b"baseframe" => {
                rows += section.plain_rows as usize;
                rows_span = section.name;
                for &line in section.lines(&buffer) {
                    let mut at = buffer.pointer(line);
                    at.triple()?;
                    at.triple()?;
                    rows += 1;
                }
            }
            b"frame" if section.value.is_none() => {}
            b"frame" => frames.push(Frame { values: buffer.values(section)?, span: section.name }),
            b"frameRate" => {
                if let Some(value) = section.value {
                    buffer.value(value).float()?;
                }
            }
            _ => {}
        }
        if let Some(components) = section.plain_frames {
            frames.push(Frame { values: components as usize, span: section.name });
        }
    }
    if channels.is_empty() || frames.is_empty() || rows != channels.len() {
        let (outcome, message) = match skeleton {
            Some(_) => (Outcome::LeavesOut, "MD5ANIM: No frames or animated bones loaded"),
            None => (Outcome::Refuses, "Failed to read valid contents out of this MD5* file"),
        };
        let rule = match () {
            () if channels.is_empty() => shared::COUNT,
            () if frames.is_empty() => anim::FRAME_MISSING,
            () if rows_span == Span::default() => anim::BLOCK_MISSING,
            () => anim::BASEFRAME_COUNT,
        };
        return refuse(outcome, rule, rows_span, message);
    }
    // Frames of as many values are read alike.
    let mut seen = HashSet::new();
    let differ = |(number, frame): &(usize, &Frame)| (*number == 0 || frame.values > 0) && seen.insert(frame.values);
    for (number, frame) in frames.iter().enumerate().filter(differ) {
        for (joint, channel) in channels.iter().enumerate() {
            if channel.first >= frame.values {
                if channel.flags != 0 {
                    let span = if number == 0 { channel.span } else { frame.span };
                    return refuse(
                        Outcome::Refuses,
                        anim::COMPONENT_RANGE,
                        span,
                        "MD5: Keyframe index is out of range",
                    );
                }
            } else if channel.first + (channel.flags & 63).count_ones() as usize > frame.values {
                verdict.add_undefined(anim::COMPONENT_RANGE, channel.span, || {
                    format!("joint {joint} reads past the {} values of frame {number}", frame.values)
                });
            }
        }
    }
    Ok(())
}

/// A camera, which only this loader of the family reads.
pub(super) fn read_camera(version: Version, verdict: &mut Verdict, file: File) -> Fallible<()> {
    let buffer = Buffer::new(file, true)?;
    let mut cuts = vec![(0, Span::default())];
    let mut frames = 0;
    for section in &buffer.sections {
        match section.name(&buffer) {
            b"cuts" => {
                for &line in section.lines(&buffer) {
                    cuts.push((buffer.pointer(line).integer().wrapping_add(1), line));
                }
            }
            b"camera" => {
                for &line in section.lines(&buffer) {
                    let mut at = buffer.pointer(line);
                    at.triple()?;
                    at.triple()?;
                    at.skip_spaces();
                    at.float()?;
                    frames += 1;
                }
            }
            b"frameRate" => {
                if let Some(value) = section.value {
                    buffer.value(value).float()?;
                }
            }
            _ => {}
        }
    }
    if frames == 0 {
        return refuse(Outcome::Refuses, shared::COUNT, Span::default(), "MD5CAMERA: No frames parsed");
    }
    let stray = cuts.windows(2).find(|pair| matches!(pair, [(a, _), (b, _)] if b < a || *b > frames));
    match (version, stray) {
        (_, None) => Ok(()),
        (Version::Later, Some(pair)) => {
            let span = pair.last().map_or_else(Span::default, |cut| cut.1);
            let message = "MD5CAMERA: Cut references a frame out of range";
            refuse(Outcome::Refuses, camera::CAMERA_CUT, span, message)
        }
        (Version::Release, Some(pair)) => {
            let span = pair.last().map_or_else(Span::default, |cut| cut.1);
            verdict.add_undefined(camera::CAMERA_CUT, span, || {
                "frames are read from outside the camera's array".to_owned()
            });
            Err(Stop::Lost)
        }
    }
}

struct Channel {
    flags: u32,
    first: usize,
    span: Span,
}

struct Frame {
    values: usize,
    span: Span,
}

/// A keyword with what stands behind it on its line, or the lines between its braces.
struct Section {
    name: Span,
    value: Option<Span>,
    /// Places in [`Buffer::lines`].
    lines: std::ops::Range<usize>,
    /// A mesh's plain block, which is none of the lines.
    plain_surface: Option<Surface>,
    plain_rows: u32,
    /// How many numbers the frame has, where it is one of several that are plain.
    plain_frames: Option<u32>,
}

impl Section {
    fn name<'a>(&self, buffer: &Buffer<'a, '_>) -> &'a [u8] {
        buffer.bytes.get(self.name.range()).unwrap_or_default()
    }

    fn lines<'b>(&self, buffer: &'b Buffer) -> &'b [Span] {
        buffer.lines.get(self.lines.clone()).unwrap_or_default()
    }
}

/// The file in memory, cut into sections.
struct Buffer<'a, 'o> {
    bytes: &'a [u8],
    outline: &'o Outline<'a>,
    /// Blanked, in order.
    comments: Vec<Span>,
    /// Each up to the zero that was put behind it.
    lines: Vec<Span>,
    sections: Vec<Section>,
}

fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | 0 | 0x0c)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

impl<'a, 'o> Buffer<'a, 'o> {
    /// A file that is opened by its name must hold the mark near its beginning.
    fn new(file: File<'a, 'o>, is_named: bool) -> Fallible<Self> {
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
    fn byte(&self, at: usize) -> u8 {
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
        let line = before.rsplit(|&byte| is_line_end(byte)).next().unwrap_or_default().trim_ascii();
        // Neither an empty line nor one that begins or ends a frame.
        !line.is_empty() && line != b"}" && !line.ends_with(b"{")
    }

    fn pointer<'b>(&'b self, line: Span) -> Pointer<'b, 'a, 'o> {
        let Span { start, end } = line;
        // Up to here a byte of the file is what it seems.
        let comment = self.comments.partition_point(|comment| comment.end <= start);
        let plain = self.comments.get(comment).map_or(end, |comment| comment.start.min(end));
        Pointer { buffer: self, at: start as usize, plain: plain as usize, stop: usize::MAX, line, odd: None }
    }

    /// A word behind a keyword, which is copied with the blank behind it.
    fn value<'b>(&'b self, value: Span) -> Pointer<'b, 'a, 'o> {
        Pointer { stop: value.range().end + 1, ..self.pointer(value) }
    }

    /// A name in quotes and a parent, then whatever stands there.
    fn joint(&self, line: Span) -> Fallible<Joint<'a>> {
        let mut at = self.pointer(line);
        let name = at.quoted();
        at.skip_spaces();
        let parent = at.signed();
        at.triple()?;
        at.triple()?;
        Ok(Joint { name, parent })
    }

    fn channel(&self, line: Span) -> Channel {
        let mut at = self.pointer(line);
        at.quoted();
        at.skip_spaces();
        at.signed();
        at.skip_spaces();
        let flags = at.integer();
        at.skip_spaces();
        Channel { flags, first: at.integer() as usize, span: line }
    }

    /// How many numbers a frame has.
    fn values(&self, section: &Section) -> Fallible<usize> {
        let mut values = 0;
        for &line in section.lines(self) {
            let mut at = self.pointer(line);
            loop {
                while matches!(at.byte(), b' ' | b'\t' | b'\r' | b'\n') {
                    at.at += 1;
                }
                if at.byte() == 0 {
                    break;
                }
                at.float()?;
                values += 1;
            }
        }
        Ok(values)
    }

    fn surface(&self, version: Version, section: &Section, verdict: &mut Verdict) -> Fallible<Mesh> {
        let mut mesh = Mesh { plain: section.plain_surface.clone(), ..Mesh::default() };
        for &line in section.lines(self) {
            let mut at = self.pointer(line);
            if at.keyword(b"shader") {
                continue;
            } else if at.keyword(b"numverts") {
                mesh.verts_span = Span::new(line.range().start, line.range().start + "numverts".len());
                mesh.verts.resize(at.count()?);
            } else if at.keyword(b"numtris") {
                mesh.tris_span = Span::new(at.at, line.range().end);
                mesh.tris.resize(at.count()?);
            } else if at.keyword(b"numweights") {
                mesh.weights.resize(at.count()?);
            } else if at.keyword(b"vert") {
                let slot = at.slot(version, verdict)?;
                at.skip_spaces();
                at.step(verdict)?;
                at.skip_spaces();
                at.float()?;
                at.skip_spaces();
                at.float()?;
                at.skip_spaces();
                at.step(verdict)?;
                at.skip_spaces();
                let first = at.integer();
                at.skip_spaces();
                let count = at.integer();
                mesh.verts.put(slot, Vert { first, count, span: line });
            } else if at.keyword(b"tri") {
                let slot = at.slot(version, verdict)?;
                let mut corners = [0; 3];
                for corner in &mut corners {
                    at.skip_spaces();
                    *corner = at.integer();
                }
                mesh.tris.put(slot, (corners, line));
            } else if at.keyword(b"weight") {
                let slot = at.slot(version, verdict)?;
                at.skip_spaces();
                let joint = at.integer();
                at.skip_spaces();
                let weight = at.float()?;
                at.triple()?;
                mesh.weights.put(slot, Weight { joint, weight, span: line });
            }
        }
        Ok(mesh)
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
        if let Some(block) = blocks.next_if(|block| block.start == at) {
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

/// Reads one line, or on behind it.
struct Pointer<'b, 'a, 'o> {
    buffer: &'b Buffer<'a, 'o>,
    at: usize,
    plain: usize,
    /// Where the string ends, if not where a line got its zero.
    stop: usize,
    line: Span,
    /// A record's number that is none: what fails behind it fails for that.
    odd: Option<Span>,
}

/// Digits, wrapping around at 32 bits.
fn integer(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |sum: u32, digit| sum.wrapping_mul(10).wrapping_add(u32::from(digit - b'0')))
}

impl<'a> Pointer<'_, 'a, '_> {
    fn byte(&self) -> u8 {
        self.ahead(0)
    }

    fn ahead(&self, bytes: usize) -> u8 {
        let at = self.at + bytes;
        match self.buffer.bytes.get(at) {
            _ if at >= self.stop => 0,
            Some(&byte) if at < self.plain => byte,
            _ => self.buffer.byte(at),
        }
    }

    fn skip_spaces(&mut self) {
        while is_space(self.byte()) {
            self.at += 1;
        }
    }

    /// The word, and one blank or line end, which is stepped over.
    fn keyword(&mut self, word: &[u8]) -> bool {
        let is_word = word.iter().enumerate().all(|(at, &byte)| self.ahead(at) == byte);
        let behind = self.ahead(word.len());
        let is_found = is_word && (is_space(behind) || is_line_end(behind));
        if is_found {
            self.at += word.len() + usize::from(behind != 0);
        }
        is_found
    }

    /// Digits; none are 0.
    fn integer(&mut self) -> u32 {
        let mut value: u32 = 0;
        while let digit @ b'0'..=b'9' = self.byte() {
            value = value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'));
            self.at += 1;
        }
        value
    }

    fn signed(&mut self) -> i32 {
        let is_negative = self.byte() == b'-';
        self.at += usize::from(matches!(self.byte(), b'-' | b'+'));
        let value = self.integer() as i32;
        if is_negative && value > i32::MIN && value < i32::MAX { -value } else { value }
    }

    fn count(&mut self) -> Fallible<u32> {
        self.skip_spaces();
        let start = self.at;
        let count = self.integer();
        if count > MOST_ELEMENTS {
            return refuse(Outcome::Refuses, shared::COUNT, Span::new(start, self.at), "std::bad_alloc");
        }
        Ok(count)
    }

    /// A record's number, up to which its array grows.
    fn slot(&mut self, version: Version, verdict: &mut Verdict) -> Fallible<u32> {
        self.skip_spaces();
        let start = self.at;
        let slot = self.integer();
        let span = Span::new(start, self.at);
        if self.at == start {
            self.odd = Some(Span::new(start, start + self.word(start).len()));
        }
        match version {
            Version::Later if slot == u32::MAX => {
                let line = self.buffer.lines.partition_point(|line| line.start < self.line.start);
                let message = format!("[MD5] Line {line}: Index out of range");
                refuse(Outcome::Refuses, mesh::RECORD_NUMBER, span, message)
            }
            Version::Release if slot == u32::MAX => {
                verdict.add_undefined(mesh::RECORD_NUMBER, span, || {
                    format!("record {slot} is written into an array that was emptied for it")
                });
                Err(Stop::Lost)
            }
            _ if slot > MOST_ELEMENTS => refuse(Outcome::Refuses, mesh::RECORD_NUMBER, span, "std::bad_alloc"),
            _ => Ok(slot),
        }
    }

    /// What stands between the next two quotes; nothing where the line has not two.
    fn quoted(&mut self) -> &'a [u8] {
        let is_inside = |byte: u8| !matches!(byte, b'"' | 0);
        while is_inside(self.byte()) {
            self.at += 1;
        }
        if self.byte() == 0 {
            return &[];
        }
        self.at += 1;
        let start = self.at;
        while is_inside(self.byte()) {
            self.at += 1;
        }
        if self.byte() == 0 {
            return &[];
        }
        let name = self.buffer.bytes.get(start..self.at).unwrap_or_default();
        self.at += 1;
        name.get(..LONGEST_NAME).unwrap_or(name)
    }

    /// Three numbers; brackets are stepped over, and so is what stands in their place.
    fn triple(&mut self) -> Fallible<()> {
        self.skip_spaces();
        if self.byte() != b'(' {
            self.at += 1;
        }
        // Only here the end of the file is looked for.
        if self.at >= self.buffer.bytes.len() {
            return Ok(());
        }
        self.at += 1;
        for _ in 0..3 {
            self.skip_spaces();
            self.float()?;
        }
        self.skip_spaces();
        self.at += 1;
        Ok(())
    }

    /// One character, whatever it is.
    fn step(&mut self, verdict: &mut Verdict) -> Fallible<()> {
        if self.at >= self.buffer.bytes.len() {
            verdict.add_undefined(shared::SYNTAX, self.line, || "the record goes on behind the file's end".to_owned());
            return Err(Stop::Lost);
        }
        self.at += 1;
        Ok(())
    }

    fn fail<T>(&self, from: usize, message: String) -> Fallible<T> {
        // Where a bracket was missed, or the line's end, the number is one of the next line.
        let here = Span::new(from.min(self.buffer.bytes.len()), from.min(self.buffer.bytes.len()));
        let is_behind = from >= self.line.range().end;
        let word = self.word(from);
        let text = self.buffer.bytes.get(self.line.range()).unwrap_or_default();
        let is_joint = !text.starts_with(b"vert") && !text.starts_with(b"weight") && !text.contains(&b'{');
        if let Some(number) = self.odd {
            return refuse(Outcome::Refuses, mesh::RECORD_NUMBER, number, message);
        }
        let rule: Rule = match () {
            () if is_behind && is_joint && !text.contains(&b'"') => shared::UNQUOTED_NAME,
            () if is_behind && text.contains(&b'{') => shared::SYNTAX,
            () if is_behind => shared::LINE_BREAK,
            () if word.first().is_none_or(|byte| b"(){}".contains(byte)) => shared::SYNTAX,
            () => rules::number(word, false),
        };
        let span = if is_behind { self.line } else { Span::new(from, from + word.len().max(1)) };
        refuse(Outcome::Refuses, rule, if span.start > span.end { here } else { span }, message)
    }

    fn word(&self, from: usize) -> &'a [u8] {
        let rest = self.buffer.bytes.get(from..).unwrap_or_default();
        let length = rest.iter().position(|&byte| is_space(byte) || is_line_end(byte)).unwrap_or(rest.len());
        rest.get(..length).unwrap_or_default()
    }

    /// The rest of the string, as messages show it.
    fn printed(&self) -> String {
        let mut printed = String::new();
        for at in 0..LONGEST_PRINTED {
            match self.ahead(at) {
                0 => break,
                byte @ b' '..=b'~' => printed.push(char::from(byte)),
                _ => printed.push('?'),
            }
        }
        printed
    }

    /// `nan` and `inf` are numbers, and a comma is a point.
    fn float(&mut self) -> Fallible<f64> {
        let start = self.at;
        let is_negative = self.byte() == b'-';
        self.at += usize::from(matches!(self.byte(), b'-' | b'+'));
        let sign = if is_negative { -1.0 } else { 1.0 };
        let is_word = |at: usize, word: &[u8]| {
            word.iter().enumerate().all(|(offset, byte)| self.ahead(at + offset).eq_ignore_ascii_case(byte))
        };
        if is_word(0, b"nan") {
            self.at += 3;
            return Ok(f64::NAN);
        }
        if is_word(0, b"inf") {
            self.at += if is_word(3, b"inity") { 8 } else { 3 };
            return Ok(sign * f64::INFINITY);
        }
        let is_point = |byte: u8| matches!(byte, b'.' | b',');
        let has_fraction = |pointer: &Self| is_point(pointer.byte()) && pointer.ahead(1).is_ascii_digit();
        if !self.byte().is_ascii_digit() && !has_fraction(self) {
            let text = self.printed();
            let message = format!(
                "Cannot parse string \"{text}\" as a real number: does not start with digit or decimal point followed by digit."
            );
            return self.fail(start, message);
        }
        let mut value = self.digits();
        if has_fraction(self) {
            self.at += 1;
            let before = self.at;
            let fraction = self.digits();
            value += fraction / 10_f64.powi((self.at - before) as i32);
        } else if self.byte() == b'.' {
            self.at += 1;
        }
        if matches!(self.byte(), b'e' | b'E') {
            self.at += 1;
            let is_small = self.byte() == b'-';
            self.at += usize::from(matches!(self.byte(), b'-' | b'+'));
            if !self.byte().is_ascii_digit() {
                let message = format!("The string \"{}\" cannot be converted into a value.", self.printed());
                return self.fail(start, message);
            }
            let power = self.digits();
            value *= 10_f64.powf(if is_small { -power } else { power });
        }
        Ok(sign * value)
    }

    fn digits(&mut self) -> f64 {
        let mut value = 0.0;
        while let digit @ b'0'..=b'9' = self.byte() {
            value = value * 10.0 + f64::from(digit - b'0');
            self.at += 1;
        }
        value
    }
}

/// Bytes of a name that are kept.
const LONGEST_NAME: usize = 1023;
/// Characters of a string that are worth repeating.
const LONGEST_PRINTED: usize = 1000;

struct Vert {
    first: u32,
    count: u32,
    span: Span,
}

struct Weight {
    joint: u32,
    weight: f64,
    span: Span,
}

/// An array that grows as far as its records say; what is not written is zero.
struct Growing<T> {
    written: Slots<T>,
    length: u32,
}

impl<T> Default for Growing<T> {
    fn default() -> Self {
        Self { written: Slots::new(), length: 0 }
    }
}

impl<T> Growing<T> {
    fn resize(&mut self, length: u32) {
        self.length = length;
        self.written.split_off(&length.into());
    }

    fn put(&mut self, slot: u32, record: T) {
        self.length = self.length.max(slot.saturating_add(1));
        self.written.insert(slot.into(), record);
    }
}

/// One mesh.
#[derive(Default)]
struct Mesh {
    verts: Growing<Vert>,
    tris: Growing<([u32; 3], Span)>,
    weights: Growing<Weight>,
    /// Of `numverts`.
    verts_span: Span,
    /// Of the number behind `numtris`.
    tris_span: Span,
    plain: Option<Surface>,
}

impl Mesh {
    fn is_empty(&self) -> bool {
        match &self.plain {
            Some(plain) => plain.num_verts == 0 || plain.num_tris == 0,
            None => self.verts.length == 0 || self.tris.length == 0,
        }
    }

    /// What is made of it, and read for that.
    fn check(&self, version: Version, verdict: &mut Verdict, num_joints: usize) -> Fallible<()> {
        if version == Version::Later {
            self.check_sizes()?;
        }
        if let Some(plain) = &self.plain {
            if version == Version::Release && overruns(plain.num_verts, plain.num_tris, plain.used_verts) {
                leaves_vertices(verdict, plain.span);
            }
            return Ok(());
        }
        let used = self.check_triangles(version, verdict)?;
        if version == Version::Release && overruns(self.verts.length, self.tris.length, used as u32) {
            leaves_vertices(verdict, self.verts_span);
        }
        let strays = self.strays(version, num_joints);
        for vert in self.verts.written.values() {
            self.check_weights(vert, &strays, version, verdict, num_joints)?;
        }
        Ok(())
    }

    /// Each triangle may take three vertices and their weights of its own.
    fn check_sizes(&self) -> Fallible<()> {
        let (verts, tris, weights, span) = match &self.plain {
            Some(plain) => (plain.num_verts, plain.num_tris, plain.num_weights, plain.span),
            None => (self.verts.length, self.tris.length, self.weights.length, self.verts_span),
        };
        let corners = 3 * u64::from(tris);
        if u64::from(verts) + corners > MOST_VERTICES {
            return refuse(Outcome::Refuses, mesh::TOO_MANY_VERTICES, span, "MD5MESH: too many vertices");
        }
        let copies = u64::from(weights) * corners / u64::from(verts.max(1));
        if copies > MOST_WEIGHTS {
            return refuse(Outcome::Refuses, mesh::TOO_MANY_WEIGHTS, span, "MD5MESH: too many weights");
        }
        Ok(())
    }

    /// How many vertices triangles name.
    fn check_triangles(&self, version: Version, verdict: &mut Verdict) -> Fallible<usize> {
        let mut used = HashSet::new();
        let mut end = self.tris_span;
        let mut written = self.tris.written.iter();
        for slot in 0..i64::from(self.tris.length) {
            let Some((_, (corners, span))) = written.next().filter(|(known, _)| **known == slot) else {
                if version == Version::Later {
                    let message = "MD5MESH: face is missing its three vertex indices";
                    return refuse(Outcome::Refuses, mesh::RECORD_COUNT, end, message);
                }
                verdict.add_undefined(mesh::RECORD_COUNT, end, || "a triangle without corners is read".to_owned());
                return Err(Stop::Lost);
            };
            end = *span;
            for (number, &corner) in corners.iter().enumerate() {
                // Only the first is looked at in the release, and against as many as the triangles have corners.
                let is_refused = match version {
                    Version::Later => corner >= self.verts.length,
                    Version::Release => number == 0 && u64::from(corner) >= 3 * u64::from(self.tris.length),
                };
                if is_refused {
                    return refuse(Outcome::Refuses, mesh::INDEX_RANGE, *span, "MD5MESH: Invalid vertex index");
                }
                if corner >= self.verts.length {
                    verdict.add_undefined(mesh::INDEX_RANGE, *span, || {
                        format!("vertex {corner} of {} is read from outside the array", self.verts.length)
                    });
                }
                if corner < self.verts.length {
                    used.insert(corner);
                }
            }
        }
        Ok(used.len())
    }

    /// The weights that name no joint, by their slots.
    fn strays(&self, version: Version, num_joints: usize) -> Slots<&Weight> {
        let is_stray = |weight: &Weight| {
            // The release does not use weights that are nearly 0.
            let is_none = weight.weight < EPSILON && weight.weight >= -EPSILON && version == Version::Release;
            weight.joint as usize >= num_joints && !is_none
        };
        let written = self.weights.written.iter().map(|(&slot, weight)| (slot, weight));
        written.filter(|(_, weight)| is_stray(weight)).collect()
    }

    fn check_weights(
        &self,
        vert: &Vert,
        strays: &Slots<&Weight>,
        version: Version,
        verdict: &mut Verdict,
        num_joints: usize,
    ) -> Fallible<()> {
        let end = vert.first.wrapping_add(vert.count);
        if end <= vert.first {
            return Ok(());
        }
        let length = self.weights.length;
        // What was announced and not written names joint 0.
        let is_blank = num_joints == 0 && vert.first < length && version == Version::Later;
        let stray = strays.range(i64::from(vert.first)..i64::from(end)).next();
        if let Some((_, weight)) = stray.filter(|_| !is_blank) {
            if version == Version::Later {
                return refuse(Outcome::Refuses, mesh::INDEX_RANGE, weight.span, "MD5MESH: Invalid bone index");
            }
            verdict.add_undefined(mesh::INDEX_RANGE, weight.span, || {
                format!("joint {} of {num_joints} is read from outside the array", weight.joint)
            });
        }
        if is_blank {
            return refuse(Outcome::Refuses, mesh::INDEX_RANGE, vert.span, "MD5MESH: Invalid bone index");
        }
        if end > length {
            if version == Version::Release {
                verdict.add_undefined(mesh::INDEX_RANGE, vert.span, || {
                    format!("weight {} of {length} is read from outside the array", end - 1)
                });
            }
            return refuse(Outcome::Refuses, mesh::INDEX_RANGE, vert.span, "MD5MESH: Invalid weight index");
        }
        Ok(())
    }
}

/// Whether the release writes behind its array of vertices: it makes room for three a triangle, in an array that grows
/// to twice its size at least, and puts copies of vertices behind all that there are.
fn overruns(verts: u32, tris: u32, used: u32) -> bool {
    let (verts, corners, used) = (u64::from(verts), 3 * u64::from(tris), u64::from(used));
    let room = if corners > verts { corners.max(2 * verts) } else { verts };
    corners > used && verts + corners - used > room
}

/// The release makes room for three vertices a triangle, and copies into it behind the vertices that there are.
fn leaves_vertices(verdict: &mut Verdict, span: Span) {
    verdict.add_undefined(mesh::RECORD_COUNT, span, || {
        "vertices that no triangle uses make the release write behind its array".to_owned()
    });
}
