//! Daemon, and ET:Legacy's second renderer, which has the same origin (`R_LoadMD5`, `R_LoadMD5Anim`,
//! `RE_CheckSkeleton`, `COM_ParseExt2`): a fixed order, record numbers ignored, and each record on one line. Clips are
//! loaded by themselves and compared with a mesh when they are played.

use super::com_parse::{Position, Word};
use super::{Fallible, File, Joint, Range, Skeleton, Stop, check_channel, lose, read_outside, refuse, rules};
use crate::c::{atoi, strtod};
use crate::codes::{Rule, anim, mesh, pair, shared};
use crate::verdict::{Outcome, Verdict};
use bindpose_core::engines::EngineId;
use bindpose_parsers::Span;

fn most_joints(engine: EngineId) -> u16 {
    if engine == EngineId::Daemon { 256 } else { 128 }
}

/// Limits of a surface in ET:Legacy.
const MOST_VERTICES: u32 = 10_000;
const MOST_TRIANGLES: u32 = 20_000;
/// Default size of ET:Legacy's memory for everything that is loaded, in bytes.
const HUNK: u64 = 512 << 20;

const MOST_WEIGHTS: u32 = 4;
/// Largest number of bytes kept of a name.
const NAME_KEPT: usize = 63;
/// Largest number of bytes kept of a word.
const WORD_KEPT: usize = 1023;
/// Number of records from which the allocation of an array is assumed to fail.
const MOST_RECORDS: u32 = 1 << 28;

pub(super) fn read_mesh<'a>(engine: EngineId, verdict: &mut Verdict, file: File<'a>) -> Fallible<Skeleton<'a>> {
    let mut reader = Reader::new(engine, verdict, file, "R_LoadMD5");
    let is_md5 = file.bytes.get(..MARK.len()).is_some_and(|head| head.eq_ignore_ascii_case(MARK));
    if !is_md5 {
        // For a file of unknown kind, a .md3 is searched for, silently.
        return refuse(Outcome::Refuses, shared::SYNTAX, Span::default(), "");
    }
    let version = reader.version()?;
    if version != 10 {
        let span = reader.last;
        let message = format!("R_LoadMD5: {} has wrong version ({version} should be 10)", file.name);
        return refuse(Outcome::Refuses, shared::VERSION, span, message);
    }
    reader.first_keyword("numJoints")?;
    let num_joints = atoi(reader.beside()?.text) as u16;
    let joints_span = reader.last;
    if engine == EngineId::Daemon {
        reader.check_joints(num_joints, joints_span)?;
    }
    reader.require("numMeshes", true, shared::SYNTAX)?;
    let num_meshes = atoi(reader.beside()?.text) as u16;
    let meshes_span = reader.last;
    if engine == EngineId::EtLegacy {
        reader.check_joints(num_joints, joints_span)?;
    }
    reader.require("joints", true, shared::SYNTAX)?;
    reader.require("{", false, shared::SYNTAX)?;
    let mut joints = Vec::new();
    for _ in 0..num_joints {
        joints.push(reader.joint(num_joints)?);
    }
    reader.require("}", true, shared::BLOCK_COUNT)?;
    if num_meshes == 0 {
        return reader.refuse(shared::COUNT, meshes_span, &format!("'{}' has no surfaces", file.name));
    }
    for index in 0..num_meshes {
        reader.surface(index, num_joints)?;
    }
    Ok(Skeleton { used: joints.len(), joints })
}

pub(super) fn read_anim(
    engine: EngineId,
    verdict: &mut Verdict,
    skeleton: Option<&Skeleton>,
    mesh_name: &str,
    file: File,
) -> Fallible<()> {
    let mut reader = Reader::new(engine, verdict, file, "RE_RegisterAnimation");
    let head = file.bytes.get(..MARK.len()).unwrap_or_default();
    let is_md5 = head == MARK || engine == EngineId::EtLegacy && head.eq_ignore_ascii_case(MARK);
    if !is_md5 {
        let span = Span::new(0, file.bytes.len().min(MARK.len()));
        return reader.refuse(shared::SYNTAX, span, &format!("unknown fileid for '{}'", file.name));
    }
    let version = reader.version()?;
    if version != 10 {
        let span = reader.last;
        let text = format!("'{}' has wrong version ({version} should be 10)", file.name);
        return reader.refuse(shared::VERSION, span, &text);
    }
    reader.first_keyword("numFrames")?;
    let num_frames = atoi(reader.beside()?.text) as u16;
    let frames_span = reader.last;
    if num_frames == 0 && engine == EngineId::Daemon {
        let span = frames_span;
        return refuse(
            Outcome::Refuses,
            shared::COUNT,
            span,
            format!("model '{}' has animation with no frames", file.name),
        );
    }
    reader.require("numJoints", true, shared::SYNTAX)?;
    let written = atoi(reader.beside()?.text);
    let num_joints = written as u8;
    let joints_span = reader.last;
    reader.require("frameRate", true, shared::SYNTAX)?;
    reader.beside()?;
    reader.require("numAnimatedComponents", true, shared::SYNTAX)?;
    let components = atoi(reader.beside()?.text) as u32;
    let components_span = reader.last;
    reader.require("hierarchy", true, shared::SYNTAX)?;
    reader.require("{", false, shared::SYNTAX)?;
    let mut channels = Vec::new();
    for index in 0..num_joints {
        channels.push(reader.channel(index, num_joints, components)?);
    }
    // Counts from 256 joints on wrap around at 8 bits.
    let is_wrapped = written > i32::from(num_joints);
    reader.require("}", true, if is_wrapped { shared::JOINTS_256 } else { shared::BLOCK_COUNT })?;
    reader.boxes("bounds", u32::from(num_frames), anim::BOUNDS_COUNT)?;
    reader.boxes("baseframe", u32::from(num_joints), anim::BASEFRAME_COUNT)?;
    for index in 0..num_frames {
        reader.frame(index, components, components_span)?;
    }
    if num_frames == 0 {
        reader.verdict.add_undefined(shared::COUNT, frames_span, || "frame 0 of none is played".to_owned());
    }
    reader.check_skeleton(skeleton, mesh_name, &channels, joints_span)
}

/// Returns the number of bytes that Daemon allocates: signed, rounded up to 32.
fn daemon_bytes(count: u32, size: u32) -> i32 {
    (count.wrapping_mul(size) as i32).wrapping_add(31) & !31
}

/// Returns the number of bytes that ET:Legacy allocates, computed in 32 bits.
fn rounded(count: u32, size: u32) -> u64 {
    (u64::from(count) * u64::from(size) + 31) & 0xffff_ffe0
}

/// First word of a file.
const MARK: &[u8] = b"MD5Version";

struct Reader<'a, 'v> {
    /// File up to the first NUL.
    bytes: &'a [u8],
    engine: EngineId,
    name: &'a str,
    position: Position,
    /// Span of the last word.
    last: Span,
    /// True if the line ended before the word.
    broke: bool,
    verdict: &'v mut Verdict,
    function: &'static str,
}

impl<'a, 'v> Reader<'a, 'v> {
    fn new(engine: EngineId, verdict: &'v mut Verdict, file: File<'a>, function: &'static str) -> Self {
        let (bytes, name, last) = (file.text(), file.name, Span::default());
        Self { bytes, engine, name, position: Position::At(0), last, broke: false, verdict, function }
    }

    fn refuse<T>(&self, rule: Rule, span: Span, text: &str) -> Fallible<T> {
        refuse(Outcome::Refuses, rule, span, format!("{}: {text}", self.function))
    }

    /// Reads the next word on this line or a later one.
    fn anywhere(&mut self) -> Fallible<Word<'a>> {
        self.next(true)
    }

    /// Reads the next word on this line. Returns an empty result at the end of the line.
    fn beside(&mut self) -> Fallible<Word<'a>> {
        self.next(false)
    }

    fn next(&mut self, across_lines: bool) -> Fallible<Word<'a>> {
        self.broke = false;
        let (start, has_new_lines) = match self.position {
            Position::Behind => return lose(self.verdict, self.last),
            Position::End => (None, false),
            Position::At(at) => self.skip(at, across_lines),
        };
        let Some(start) = start else {
            self.position = Position::End;
            self.last = Span::new(self.bytes.len(), self.bytes.len());
            return Ok(Word { text: &[], span: self.last });
        };
        if has_new_lines && !across_lines {
            self.position = Position::At(start);
            self.broke = true;
            self.last = Span::new(start, start);
            return Ok(Word { text: &[], span: self.last });
        }
        let rest = self.bytes.get(start..).unwrap_or_default();
        let (from, length, next) = match rest.first() {
            Some(b'"') => string(rest),
            _ => {
                let length = word_length(rest);
                (0, length, Some(length))
            }
        };
        self.position = next.map_or(Position::Behind, |next| Position::At(start + next));
        self.last = Span::new(start + from, start + from + length);
        let text = self.bytes.get(self.last.range()).unwrap_or_default();
        Ok(Word { text: text.get(..WORD_KEPT).unwrap_or(text), span: self.last })
    }

    /// Skips white space and comments. Also returns true if a line ended outside of `/* … */`. Without `across_lines`,
    /// stops after the first line end.
    fn skip(&self, mut at: usize, across_lines: bool) -> (Option<usize>, bool) {
        let mut has_new_lines = false;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            // ET:Legacy compares characters as signed numbers.
            let is_blank = |byte: u8| byte <= b' ' || byte >= 0x80 && self.engine == EngineId::EtLegacy;
            let Some(blanks) = rest.iter().position(|&byte| !is_blank(byte)) else { return (None, has_new_lines) };
            has_new_lines |= rest.iter().take(blanks).any(|&byte| byte == b'\n');
            at += blanks;
            if has_new_lines && !across_lines {
                return (Some(at), true);
            }
            match self.bytes.get(at..).unwrap_or_default() {
                rest @ [b'/', b'/', ..] => at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
                rest @ [b'/', b'*', body @ ..] => {
                    at += body.windows(2).position(|pair| pair == b"*/").map_or(rest.len(), |length| length + 4);
                }
                _ => return (Some(at), has_new_lines),
            }
        }
    }

    fn require(&mut self, wanted: &str, across_lines: bool, rule: Rule) -> Fallible<()> {
        self.require_as(wanted, wanted, across_lines, rule)
    }

    /// Requires a word. Some of the engine's messages name another word than the expected one.
    fn require_as(&mut self, wanted: &str, printed: &str, across_lines: bool, rule: Rule) -> Fallible<()> {
        let word = self.next(across_lines)?;
        if word.text.eq_ignore_ascii_case(wanted.as_bytes()) {
            return Ok(());
        }
        let rule = self.rule(wanted, word.text, rule);
        self.refuse(
            rule,
            word.span,
            &format!("expected '{printed}' found '{}' in model '{}'", word.printed(), self.name),
        )
    }

    fn rule(&self, wanted: &str, found: &[u8], otherwise: Rule) -> Rule {
        if self.broke { shared::LINE_BREAK } else { rules::word(wanted, found, otherwise) }
    }

    /// Reads the version. The file's signature is not checked again.
    fn version(&mut self) -> Fallible<i32> {
        self.beside()?;
        Ok(atoi(self.beside()?.text))
    }

    /// Skips two words, whatever they are, and requires the keyword of the first count.
    fn first_keyword(&mut self, keyword: &str) -> Fallible<()> {
        let first = self.anywhere()?;
        self.anywhere()?;
        let word = self.anywhere()?;
        if word.text.eq_ignore_ascii_case(keyword.as_bytes()) {
            return Ok(());
        }
        let rule = match first.text.eq_ignore_ascii_case(b"commandline") {
            true => self.rule(keyword, word.text, shared::COMMANDLINE_VALUE),
            false => shared::COMMANDLINE_MISSING,
        };
        let text = format!("expected '{keyword}' found '{}' in model '{}'", word.printed(), self.name);
        self.refuse(rule, word.span, &text)
    }

    /// Reads `( … )` with `count` numbers. It begins on the current line, or anywhere with `across_lines`.
    fn vector(&mut self, across_lines: bool, count: usize, rule: Rule, printed: [&str; 2]) -> Fallible<()> {
        self.require_as("(", printed[0], across_lines, rule)?;
        let mut odd = None;
        for _ in 0..count {
            let word = self.beside()?;
            if strtod(word.text) != word.text.len() || word.text.is_empty() {
                odd.get_or_insert(word);
            }
        }
        // The number as written was read as several words.
        let rule = odd.map_or(shared::NUMBER_SPELLING, |word| match self.broke {
            true => shared::LINE_BREAK,
            false => rules::number(word.text, false),
        });
        self.require_as(")", printed[1], false, rule)
    }

    fn joint(&mut self, num_joints: u16) -> Fallible<Joint<'a>> {
        let (_, joint) = self.name_and_parent("bone", num_joints)?;
        self.vector(false, 3, shared::SYNTAX, ["(", ")"])?;
        // The message for the last parenthesis names the other one.
        self.vector(false, 3, shared::SYNTAX, ["(", "("])?;
        Ok(joint)
    }

    /// Reads the start of a row of joints or hierarchy. Also returns the name's span.
    fn name_and_parent(&mut self, what: &str, num_joints: u16) -> Fallible<(Span, Joint<'a>)> {
        let name = self.anywhere()?;
        let kept = name.text.get(..NAME_KEPT).unwrap_or(name.text);
        let number = self.beside()?;
        // Stored in 8 bits.
        let parent = i32::from(atoi(number.text) as i8);
        if parent >= i32::from(num_joints) {
            let text = format!(
                "{}: '{}' has {what} '{}' with bad parent index {parent} while numBones is {num_joints}",
                self.function,
                self.name,
                String::from_utf8_lossy(kept)
            );
            return refuse(Outcome::Drops, shared::PARENT_RANGE, number.span, text);
        }
        Ok((name.span, Joint { name: kept, parent }))
    }

    /// Checks a number of joints, which is stored in 16 bits.
    fn check_joints(&self, num_joints: u16, span: Span) -> Fallible<()> {
        let most = most_joints(self.engine);
        if num_joints == 0 {
            return self.refuse(shared::COUNT, span, &format!("'{}' has no bones", self.name));
        }
        if num_joints > most {
            let text = format!("'{}' has more than {most} bones ({num_joints})", self.name);
            let is_negative = self.bytes.get(span.range()).is_some_and(|word| word.starts_with(b"-"));
            let rule = if is_negative { shared::COUNT } else { shared::JOINTS_256 };
            return self.refuse(rule, span, &text);
        }
        Ok(())
    }

    /// Reads a 32-bit count for which memory of `size` bytes each is allocated at once. ET:Legacy limits some counts.
    fn count(&mut self, keyword: &str, size: u32, limit: Option<(u32, &str, Rule)>) -> Fallible<u32> {
        self.require(keyword, true, mesh::RECORD_COUNT)?;
        let word = self.beside()?;
        let count = atoi(word.text) as u32;
        match (self.engine, limit) {
            // A size that rounds to 0 or wraps around is too small, but no record follows for which that matters.
            (EngineId::Daemon, _) if daemon_bytes(count, size) < 0 => {
                self.verdict.add_undefined(shared::COUNT, word.span, || {
                    format!("memory of {} bytes is allocated and cleared", daemon_bytes(count, size))
                });
                Err(Stop::Lost)
            }
            (EngineId::EtLegacy, Some((most, what, rule))) if count > most => {
                let (name, count) = (self.name, count as i32);
                let text = format!("R_LoadMD5: '{name}' has more than {most} {what} on a surface ({count})");
                let rule = if count < 0 { shared::COUNT } else { rule };
                refuse(Outcome::Drops, rule, word.span, text)
            }
            (EngineId::EtLegacy, None) if rounded(count, size) > HUNK => {
                let text = format!("Hunk_Alloc failed on {}", rounded(count, size));
                refuse(Outcome::Drops, shared::COUNT, word.span, text)
            }
            _ => Ok(count),
        }
    }

    fn surface(&mut self, index: u16, num_joints: u16) -> Fallible<()> {
        self.require("mesh", true, shared::BLOCK_COUNT)?;
        self.require("{", false, shared::SYNTAX)?;
        self.require("shader", true, shared::SYNTAX)?;
        self.beside()?;
        let limit = Some((MOST_VERTICES, "verts", mesh::TOO_MANY_VERTICES));
        let num_verts = self.count("numVerts", 112, limit)?;
        let mut ranges = Vec::new();
        for vertex in 0..num_verts {
            self.require("vert", true, mesh::RECORD_COUNT)?;
            self.beside()?;
            let start = self.last;
            self.vector(false, 2, shared::SYNTAX, ["(", ")"])?;
            let first = i64::from(atoi(self.beside()?.text) as u32);
            let count = atoi(self.beside()?.text) as u32;
            // Stored in 16 bits.
            let count = if self.engine == EngineId::EtLegacy { count & 0xffff } else { count };
            let span = start.to(self.last);
            if count > MOST_WEIGHTS {
                let text = format!(
                    "R_LoadMD5: vertex {vertex} requires more than {MOST_WEIGHTS} weights on surface ({index}) in model \
                     '{}'",
                    self.name
                );
                return refuse(Outcome::Drops, mesh::INFLUENCES_4, span, text);
            }
            ranges.push(Range { first, count: i64::from(count), span });
        }
        let limit = Some((MOST_TRIANGLES, "triangles", mesh::TOO_MANY_TRIANGLES));
        let num_tris = self.count("numTris", 12, limit)?;
        for _ in 0..num_tris {
            self.require("tri", true, mesh::RECORD_COUNT)?;
            self.beside()?;
            for _ in 0..3 {
                let corner = atoi(self.beside()?.text);
                if corner < 0 || corner as u32 >= num_verts {
                    read_outside(self.verdict, self.last, "vertex", corner, num_verts);
                }
            }
        }
        let num_weights = self.count("numWeights", 20, None)?;
        let mut joints = Vec::new();
        for _ in 0..num_weights {
            self.require("weight", true, mesh::RECORD_COUNT)?;
            self.beside()?;
            let joint = atoi(self.beside()?.text) as u8;
            joints.push((joint, self.last));
            self.beside()?;
            self.vector(false, 3, shared::SYNTAX, ["(", ")"])?;
        }
        self.require("}", true, mesh::RECORD_COUNT)?;
        self.check_weights(&ranges, &joints, num_joints);
        Ok(())
    }

    /// Reports invalid weights of vertices and invalid joints, which the engine does not check.
    fn check_weights(&mut self, ranges: &[Range], joints: &[(u8, Span)], num_joints: u16) {
        for range in ranges {
            for weight in range.first..range.first + range.count {
                match usize::try_from(weight).ok().and_then(|weight| joints.get(weight)) {
                    None => read_outside(self.verdict, range.span, "weight", weight, joints.len()),
                    Some(&(joint, span)) if u16::from(joint) >= num_joints => {
                        read_outside(self.verdict, span, "joint", joint, num_joints);
                    }
                    Some(_) => {}
                }
            }
        }
    }

    fn channel(&mut self, index: u8, num_joints: u8, components: u32) -> Fallible<Joint<'a>> {
        let (name, joint) = self.name_and_parent("channel", num_joints.into())?;
        let flags = atoi(self.beside()?.text) as u8;
        let first = i64::from(atoi(self.beside()?.text) as u16);
        check_channel(self.verdict, index, flags.into(), first, components.into(), name.to(self.last));
        Ok(joint)
    }

    /// Reads `keyword { ( … ) ( … ) … }` with `rows` rows.
    fn boxes(&mut self, keyword: &str, rows: u32, rule: Rule) -> Fallible<()> {
        self.require(keyword, true, anim::BLOCK_MISSING)?;
        self.require("{", false, shared::SYNTAX)?;
        for _ in 0..rows {
            self.vector(true, 3, rule, ["(", ")"])?;
            self.vector(false, 3, shared::SYNTAX, ["(", ")"])?;
        }
        self.require("}", true, rule)
    }

    fn frame(&mut self, index: u16, components: u32, components_span: Span) -> Fallible<()> {
        self.require_as("frame", "baseframe", true, anim::FRAME_MISSING)?;
        let wanted = index.to_string();
        self.require(&wanted, false, anim::FRAME_ORDER)?;
        self.require("{", false, shared::SYNTAX)?;
        if components > MOST_RECORDS {
            // Too little memory is allocated, and values are written after it.
            self.verdict.add_undefined(anim::COMPONENT_COUNT, components_span, || match self.engine {
                EngineId::EtLegacy => {
                    format!("{components} values are written into an array of {} bytes", rounded(components, 4))
                }
                _ => format!("{components} values are written into an array of {} bytes", daemon_bytes(components, 4)),
            });
            return Err(Stop::Lost);
        }
        let mut odd = None;
        for _ in 0..components {
            let word = self.anywhere()?;
            if self.position == Position::End {
                break;
            }
            if strtod(word.text) != word.text.len() {
                odd.get_or_insert(word.text);
            }
        }
        let rule = odd.filter(|text| *text != b"}").map_or(anim::FRAME_VALUES, |text| rules::number(text, false));
        self.require("}", true, rule)
    }

    /// Compares a clip with the mesh on which it is played.
    fn check_skeleton(
        &mut self,
        skeleton: Option<&Skeleton>,
        mesh_name: &str,
        channels: &[Joint],
        span: Span,
    ) -> Fallible<()> {
        let Some(skeleton) = skeleton else { return Ok(()) };
        if skeleton.joints.len() != channels.len() {
            let text = format!(
                "RE_CheckSkeleton: model '{mesh_name}' has different number of bones than animation '{}': {} != {}",
                self.name,
                skeleton.joints.len(),
                channels.len()
            );
            return refuse(Outcome::Refuses, pair::JOINT_COUNT, span, text);
        }
        let mut pairs = skeleton.joints.iter().zip(channels);
        match pairs.any(|(joint, channel)| !joint.name.eq_ignore_ascii_case(channel.name)) {
            true => refuse(Outcome::Refuses, pair::JOINT_NAME, span, ""),
            false => Ok(()),
        }
    }
}

/// Scans a string from its opening quote: start and length of its text, and the position after it, `None` without an
/// end. A quote after a backslash belongs to the text.
fn string(rest: &[u8]) -> (usize, usize, Option<usize>) {
    let mut at = 1;
    loop {
        match (rest.get(at), rest.get(at + 1)) {
            (Some(b'\\'), Some(b'"')) => at += 2,
            (Some(b'"'), _) => return (1, at - 1, Some(at + 1)),
            (Some(_), _) => at += 1,
            (None, _) => return (1, at - 1, None),
        }
    }
}

/// Words of two punctuation characters.
const PUNCTUATION: [&[u8; 2]; 14] =
    [b"+=", b"-=", b"*=", b"/=", b"&=", b"|=", b"++", b"--", b"&&", b"||", b"<=", b">=", b"==", b"!="];

/// Returns the length of a word without quotes: a number, a name, or punctuation.
fn word_length(rest: &[u8]) -> usize {
    let digit = |at: usize| rest.get(at).is_some_and(u8::is_ascii_digit);
    let is = |at: usize, wanted: u8| rest.get(at) == Some(&wanted);
    let is_number =
        digit(0) || (is(0, b'-') && digit(1)) || (is(0, b'.') && digit(1)) || (is(0, b'-') && is(1, b'.') && digit(2));
    let count =
        |from: usize, accepts: fn(u8) -> bool| rest.iter().skip(from).take_while(|&&byte| accepts(byte)).count();
    if is_number {
        let mut end = 1 + count(1, |byte| byte.is_ascii_digit() || byte == b'.');
        if is(end, b'e') || is(end, b'E') {
            end += 1 + usize::from(is(end + 1, b'-') || is(end + 1, b'+'));
            // One more character is consumed, whatever it is.
            end += 1 + count(end + 1, |byte| byte.is_ascii_digit());
        }
        return end.min(rest.len());
    }
    let begins_name = |byte: u8| byte.is_ascii_alphabetic() || b"_/\\$*".contains(&byte);
    if rest.first().is_some_and(|&byte| begins_name(byte)) {
        return 1 + count(1, |byte| byte.is_ascii_alphanumeric() || b"_-/\\:.$*@".contains(&byte));
    }
    if rest.first_chunk().is_some_and(|signs| PUNCTUATION.contains(&signs)) { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_numbers_names_strings_and_signs() {
        let text = b"a-b.c 1.5e-3x -.5 +1 \"q\\\" r\" (0) -nan // c\n/* d */ e\x80";
        let mut verdict = Verdict::loads();
        let mut reader = Reader::new(EngineId::Daemon, &mut verdict, File { bytes: text, name: "" }, "");
        let mut found = Vec::new();
        while let Ok(word) = reader.anywhere() {
            if reader.position == Position::End {
                break;
            }
            found.push(word.text.to_vec());
        }
        let wanted: [&[u8]; 14] =
            [b"a-b.c", b"1.5e-3", b"x", b"-.5", b"+", b"1", b"q\\\" r", b"(", b"0", b")", b"-", b"nan", b"e", b"\x80"];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_line_s_end_is_a_word_where_one_line_is_wanted() {
        let mut verdict = Verdict::loads();
        let text = b"a /*\n*/ b // c\nd";
        let mut reader = Reader::new(EngineId::Daemon, &mut verdict, File { bytes: text, name: "" }, "");
        let mut next = |across| reader.next(across).unwrap_or_else(|_| panic!("a word")).text.to_vec();
        assert_eq!(next(false), b"a");
        assert_eq!(next(false), b"b");
        assert_eq!(next(false), b"");
        assert_eq!(next(false), b"d");
    }
}
