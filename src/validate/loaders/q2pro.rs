//! Q2PRO and q2repro (`MD5_ParseMesh`, `MD5_ParseAnim`, `COM_ParseToken`): a fixed order of words. Every number is
//! parsed completely and compared with its bounds.

use super::com_parse::{Dialect, TooLong, Word, Words};
use super::{Fallible, File, Joint, Range, Skeleton, Slots, refuse, rules};
use crate::c::{strtod, strtol, strtoul};
use crate::codes::{Rule, anim, mesh, pair, shared};
use crate::verdict::{Outcome, Verdict};
use bindpose_parsers::Span;
use std::ops::RangeInclusive;

const DIALECT: Dialect = Dialect { block_comments: true, room: 1023, too_long: TooLong::Cut };

const MOST_JOINTS: u64 = 256;
const MOST_MESHES: u64 = 32;
const MOST_VERTICES: u64 = 6144;
const MOST_TRIANGLES: u64 = 6144;
const MOST_WEIGHTS: u64 = 8192;
const MOST_FRAMES: u64 = 1024;
const MOST_COMPONENTS: u64 = MOST_JOINTS * 6;

pub(super) fn read_mesh<'a>(verdict: &mut Verdict, file: File<'a>) -> Fallible<Skeleton<'a>> {
    let mut reader = Reader::new(verdict, file);
    let num_joints = reader.header("numJoints", 1..=MOST_JOINTS, shared::JOINTS_256)?;
    reader.require("numMeshes", shared::SYNTAX)?;
    let num_meshes = reader.count(1..=MOST_MESHES, shared::COUNT, mesh::TOO_MANY_MESHES)?;
    reader.require("joints", shared::SYNTAX)?;
    reader.require("{", shared::SYNTAX)?;
    let mut joints = Vec::new();
    for _ in 0..num_joints {
        let name = reader.word()?.text;
        let parent = strtol(reader.word()?.text).value as i32;
        reader.vector(shared::BLOCK_COUNT)?;
        reader.vector(shared::SYNTAX)?;
        joints.push(Joint { name, parent });
    }
    reader.require("}", shared::BLOCK_COUNT)?;
    for _ in 0..num_meshes {
        reader.surface(num_joints)?;
    }
    Ok(Skeleton { used: joints.len(), joints })
}

pub(super) fn read_anim(verdict: &mut Verdict, skeleton: Option<&Skeleton>, file: File) -> Fallible<()> {
    let mut reader = Reader::new(verdict, file);
    let num_frames = reader.header("numFrames", 1..=MOST_FRAMES, anim::TOO_MANY_FRAMES)?;
    reader.require("numJoints", shared::SYNTAX)?;
    let num_joints = reader.count(1..=MOST_JOINTS, shared::COUNT, shared::JOINTS_256)?;
    if skeleton.is_some_and(|skeleton| skeleton.joints.len() as u64 != num_joints) {
        let span = reader.words.last();
        return reader.refuse(pair::JOINT_COUNT, span, "Bad numJoints");
    }
    reader.require("frameRate", shared::SYNTAX)?;
    reader.word()?;
    reader.require("numAnimatedComponents", shared::SYNTAX)?;
    let components = reader.count(0..=MOST_COMPONENTS, anim::COMPONENT_COUNT, anim::TOO_MANY_FRAMES)?;
    reader.require("hierarchy", shared::SYNTAX)?;
    reader.require("{", shared::SYNTAX)?;
    for index in 0..num_joints {
        reader.channel(index, num_joints, components)?;
    }
    reader.require("}", shared::BLOCK_COUNT)?;
    reader.require("bounds", anim::BLOCK_MISSING)?;
    reader.require("{", shared::SYNTAX)?;
    for _ in 0..num_frames * 10 {
        reader.word()?;
    }
    reader.require("}", anim::BOUNDS_COUNT)?;
    reader.require("baseframe", anim::BLOCK_MISSING)?;
    reader.require("{", shared::SYNTAX)?;
    for _ in 0..num_joints {
        reader.vector(anim::BASEFRAME_COUNT)?;
        reader.vector(anim::BASEFRAME_COUNT)?;
    }
    reader.require("}", anim::BASEFRAME_COUNT)?;
    for _ in 0..num_frames {
        reader.require("frame", anim::FRAME_MISSING)?;
        reader.unsigned(0..=num_frames - 1, anim::FRAME_ORDER)?;
        reader.require("{", shared::SYNTAX)?;
        for _ in 0..components {
            reader.float(anim::FRAME_VALUES)?;
        }
        reader.require("}", anim::FRAME_VALUES)?;
    }
    Ok(())
}

struct Reader<'a, 'v> {
    words: Words<'a>,
    name: &'a str,
    verdict: &'v mut Verdict,
}

impl<'a, 'v> Reader<'a, 'v> {
    fn new(verdict: &'v mut Verdict, file: File<'a>) -> Self {
        Self { words: Words::new(file, DIALECT), name: file.name, verdict }
    }

    fn refuse<T>(&self, rule: Rule, span: Span, text: impl std::fmt::Display) -> Fallible<T> {
        let line = self.words.line();
        refuse(Outcome::Refuses, rule, span, format!("Couldn't load {}: Line {line}: {text}", self.name))
    }

    fn word(&mut self) -> Fallible<Word<'a>> {
        self.words.read(self.verdict)
    }

    fn require(&mut self, wanted: &str, rule: Rule) -> Fallible<()> {
        let word = self.word()?;
        if word.text == wanted.as_bytes() {
            return Ok(());
        }
        let rule = rules::word(wanted, word.text, rule);
        self.refuse(rule, word.span, format_args!("Expected \"{wanted}\", got \"{}\"", printable(word.text)))
    }

    fn float(&mut self, rule: Rule) -> Fallible<()> {
        let word = self.word()?;
        let length = strtod(word.text);
        if length > 0 && length == word.text.len() {
            return Ok(());
        }
        let rule = if word.text == b"}" || word.text == b")" { rule } else { rules::number(word.text, false) };
        self.refuse(rule, word.span, format_args!("Expected float, got \"{}\"", printable(word.text)))
    }

    fn vector(&mut self, rule: Rule) -> Fallible<()> {
        self.require("(", rule)?;
        for _ in 0..3 {
            self.float(shared::SYNTAX)?;
        }
        self.require(")", shared::SYNTAX)
    }

    fn number(&mut self) -> Fallible<(u64, Word<'a>)> {
        let word = self.word()?;
        let read = strtoul(word.text);
        if read.length == 0 || read.length != word.text.len() {
            let rule = rules::number(word.text, true);
            return self.refuse(rule, word.span, format_args!("Expected uint, got \"{}\"", printable(word.text)));
        }
        Ok((read.value, word))
    }

    fn unsigned(&mut self, range: RangeInclusive<u64>, rule: Rule) -> Fallible<u64> {
        let (value, word) = self.number()?;
        match range.contains(&value) {
            true => Ok(value),
            false => self.refuse(rule, word.span, format_args!("Value out of range: {value}")),
        }
    }

    /// Reads a count as [`Self::unsigned`] does. A number that is too small or negative is an invalid count. One that
    /// is too large exceeds a limit.
    fn count(&mut self, range: RangeInclusive<u64>, small: Rule, limit: Rule) -> Fallible<u64> {
        let (value, word) = self.number()?;
        if range.contains(&value) {
            return Ok(value);
        }
        let is_small = value < *range.start() || word.text.starts_with(b"-");
        let rule = if is_small { small } else { limit };
        self.refuse(rule, word.span, format_args!("Value out of range: {value}"))
    }

    /// Reads version, command line and the first count.
    fn header(&mut self, keyword: &str, range: RangeInclusive<u64>, limit: Rule) -> Fallible<u64> {
        self.require("MD5Version", shared::SYNTAX)?;
        self.require("10", shared::VERSION)?;
        self.require("commandline", shared::COMMANDLINE_MISSING)?;
        self.word()?;
        self.require(keyword, shared::COMMANDLINE_VALUE)?;
        self.count(range, shared::COUNT, limit)
    }

    fn surface(&mut self, num_joints: u64) -> Fallible<()> {
        self.require("mesh", shared::BLOCK_COUNT)?;
        self.require("{", shared::SYNTAX)?;
        self.require("shader", shared::SYNTAX)?;
        self.word()?;
        self.require("numverts", shared::SYNTAX)?;
        let num_verts = self.count(0..=MOST_VERTICES, shared::COUNT, mesh::TOO_MANY_VERTICES)?;
        let mut ranges = Slots::new();
        for _ in 0..num_verts {
            self.require("vert", mesh::RECORD_COUNT)?;
            let slot = self.unsigned(0..=num_verts - 1, mesh::RECORD_NUMBER)?;
            let start = self.words.last();
            self.require("(", shared::SYNTAX)?;
            self.float(shared::SYNTAX)?;
            self.float(shared::SYNTAX)?;
            self.require(")", shared::SYNTAX)?;
            let first = self.unsigned(0..=u64::from(u16::MAX), mesh::INDEX_RANGE)? as i64;
            let count = self.unsigned(0..=u64::from(u16::MAX), mesh::INDEX_RANGE)? as i64;
            ranges.insert(slot as i64, Range { first, count, span: start.to(self.words.last()) });
        }
        self.require("numtris", shared::SYNTAX)?;
        let num_tris = self.count(0..=MOST_TRIANGLES, shared::COUNT, mesh::TOO_MANY_TRIANGLES)?;
        for _ in 0..num_tris {
            self.triangle(num_tris, num_verts)?;
        }
        self.require("numweights", shared::SYNTAX)?;
        let num_weights = self.count(0..=MOST_WEIGHTS, shared::COUNT, mesh::TOO_MANY_WEIGHTS)?;
        for _ in 0..num_weights {
            self.require("weight", mesh::RECORD_COUNT)?;
            self.unsigned(0..=num_weights - 1, mesh::RECORD_NUMBER)?;
            self.unsigned(0..=num_joints - 1, mesh::INDEX_RANGE)?;
            self.float(shared::SYNTAX)?;
            self.vector(shared::SYNTAX)?;
        }
        self.require("}", mesh::RECORD_COUNT)?;
        let beyond = ranges.values().find(|range| range.first + range.count > num_weights as i64);
        beyond.map_or(Ok(()), |range| self.refuse(mesh::INDEX_RANGE, range.span, "Bad vert start/count"))
    }

    fn triangle(&mut self, num_tris: u64, num_verts: u64) -> Fallible<()> {
        self.require("tri", mesh::RECORD_COUNT)?;
        self.unsigned(0..=num_tris - 1, mesh::RECORD_NUMBER)?;
        for _ in 0..3 {
            // Without vertices, the bound wraps around.
            let most = u64::from((num_verts as u32).wrapping_sub(1));
            let corner = self.unsigned(0..=most, mesh::INDEX_RANGE)?;
            if num_verts == 0 {
                self.verdict.add_undefined(mesh::INDEX_RANGE, self.words.last(), || {
                    format!("vertex {corner} of a mesh without vertices is read")
                });
            }
        }
        Ok(())
    }

    fn channel(&mut self, index: u64, num_joints: u64, components: u64) -> Fallible<()> {
        let start = self.word()?.span;
        let parent = self.parent(num_joints)?;
        let flags = self.unsigned(0..=u64::from(u32::MAX), anim::FLAGS)?;
        let first = self.unsigned(0..=components, anim::COMPONENT_RANGE)?;
        if first + u64::from((flags & 63).count_ones()) > components {
            return self.refuse(anim::COMPONENT_RANGE, start.to(self.words.last()), "Bad joint info");
        }
        if parent >= index as i64 {
            return self.refuse(shared::LATE_PARENT, start.to(self.words.last()), "Bad parent joint");
        }
        Ok(())
    }

    fn parent(&mut self, num_joints: u64) -> Fallible<i64> {
        let word = self.word()?;
        let read = strtol(word.text);
        if read.length == 0 || read.length != word.text.len() {
            let rule = rules::number(word.text, true);
            return self.refuse(rule, word.span, format_args!("Expected int, got \"{}\"", printable(word.text)));
        }
        if read.value < -1 || read.value >= num_joints as i64 {
            return self.refuse(shared::PARENT_RANGE, word.span, format_args!("Value out of range: {}", read.value));
        }
        Ok(read.value)
    }
}

/// Escapes a text as `Com_MakePrintable` does.
fn printable(text: &[u8]) -> String {
    let mut printed = String::new();
    for &byte in text {
        match byte {
            0x07 => printed.push_str("\\a"),
            0x08 => printed.push_str("\\b"),
            b'\t' => printed.push_str("\\t"),
            b'\n' => printed.push_str("\\n"),
            0x0b => printed.push_str("\\v"),
            0x0c => printed.push_str("\\f"),
            b'\r' => printed.push_str("\\r"),
            b'\\' | b'"' => printed.extend(['\\', char::from(byte)]),
            b' '..=b'~' => printed.push(char::from(byte)),
            _ => printed.push_str(&format!("\\x{byte:02X}")),
        }
    }
    printed
}
