//! FTEQW (`Mod_ParseMD5MeshModel`, `Mod_ParseMD5Anim`, `COM_ParseOut`): words in any order in a mesh, in a fixed order
//! in a clip. A missing required word in a mesh ends the program. A refused clip leaves the bind pose.

use super::com_parse::{Dialect, TooLong, Word, Words};
use super::{Fallible, File, Joint, Range, Skeleton, Slots};
use super::{check_channel, check_corners, check_range, refuse, rules};
use crate::c::atoi;
use crate::codes::{Rule, anim, mesh, pair, shared};
use crate::verdict::{Outcome, Verdict};
use bindpose_parsers::Span;

const MESH_DIALECT: Dialect = Dialect { block_comments: true, room: 1023, too_long: TooLong::Split };
const ANIM_DIALECT: Dialect = Dialect { room: 8191, ..MESH_DIALECT };

/// Largest number of bytes kept of a joint's name.
const NAME_KEPT: usize = 63;

/// Number of bytes from which the allocation of an array is assumed to fail.
const MOST_BYTES: u64 = 1 << 34;

pub(super) fn read_mesh<'a>(verdict: &mut Verdict, file: File<'a>) -> Fallible<Skeleton<'a>> {
    let words = Words::new(file, MESH_DIALECT);
    let mut reader = Reader { words, verdict, what: "MD5MESH", outcome: Outcome::Refuses };
    if reader.word()?.text != b"MD5Version" {
        let span = reader.words.last();
        return reader.refuse(shared::SYNTAX, span, "MD5 model without MD5Version identifier first");
    }
    let version = reader.word()?;
    if atoi(version.text) != 10 {
        return reader.refuse(shared::VERSION, version.span, "MD5 model with unsupported MD5Version");
    }
    let mut head = Head::default();
    loop {
        let word = reader.word()?;
        if reader.words.is_at_end() {
            break;
        }
        match word.text {
            // The whole file is read again as a clip, and the result is ignored.
            b"numFrames" => return Ok(Skeleton::default()),
            b"commandline" => reader.command_line()?,
            b"numJoints" => {
                if head.num_joints != 0 {
                    return reader.fail(shared::REPEATED_LINE, word.span, "numJoints was already declared");
                }
                head.num_joints = reader.positive("Needs some joints")?;
            }
            b"numMeshes" => {
                if head.num_meshes != 0 {
                    return reader.fail(shared::REPEATED_LINE, word.span, "numMeshes was already declared");
                }
                head.num_meshes = reader.positive("Needs some meshes")?;
            }
            b"joints" => reader.joints(&mut head, word.span)?,
            b"mesh" => reader.surface(&mut head, word.span)?,
            _ => {
                let rule =
                    if word.text == b"}" { shared::BLOCK_COUNT } else { rules::word("", word.text, shared::SYNTAX) };
                let message = format!("Unrecognised token in MD5 model ({})", word.printed());
                return reader.refuse(rule, word.span, message);
            }
        }
    }
    if !head.has_mesh {
        let span = reader.words.last();
        return reader.fail(shared::BLOCK_COUNT, span, "No meshes");
    }
    Ok(Skeleton { used: head.joints.len(), joints: head.joints })
}

pub(super) fn read_anim(verdict: &mut Verdict, skeleton: Option<&Skeleton>, file: File) -> Fallible<()> {
    let words = Words::new(file, ANIM_DIALECT);
    let mut reader = Reader { words, verdict, what: "MD5ANIM", outcome: Outcome::LeavesOut };
    reader.require("MD5Version", shared::SYNTAX)?;
    reader.require("10", shared::VERSION)?;
    reader.require("commandline", shared::COMMANDLINE_MISSING)?;
    reader.word()?;
    reader.require("numFrames", shared::COMMANDLINE_VALUE)?;
    let num_frames = reader.integer()? as u32;
    let frames_span = reader.words.last();
    reader.require("numJoints", shared::SYNTAX)?;
    let num_joints = reader.integer()? as u32;
    let joints_span = reader.words.last();
    reader.require("frameRate", shared::SYNTAX)?;
    reader.word()?;
    reader.require("numAnimatedComponents", shared::SYNTAX)?;
    let components = i64::from(reader.integer()?);
    let poses = u64::from(num_joints).saturating_mul(u64::from(num_frames)).saturating_mul(48);
    if components < 0 {
        let span = reader.words.last();
        return exit(anim::COMPONENT_COUNT, span, allocation("BZ_Malloc", components.saturating_mul(4) as u64));
    }
    if poses > MOST_BYTES {
        return exit(shared::COUNT, frames_span, allocation("Z_Malloc", poses));
    }
    if skeleton.is_some_and(|skeleton| skeleton.joints.len() as u64 != u64::from(num_joints)) {
        return reader.fail(pair::JOINT_COUNT, joints_span, "number of bones doesn't match");
    }
    reader.hierarchy(skeleton, num_joints, components)?;
    reader.boxes(num_frames, num_joints)?;
    for index in 0..num_frames {
        reader.require("frame", anim::FRAME_MISSING)?;
        let number = reader.word()?;
        if atoi(number.text) as u32 != index {
            let message = format!("MD5ANIM: expected frame {}", index as i32);
            return reader.refuse(anim::FRAME_ORDER, number.span, message);
        }
        reader.require("{", shared::SYNTAX)?;
        for _ in 0..components {
            reader.word()?;
            if reader.words.is_at_end() {
                break;
            }
        }
        reader.require("}", anim::FRAME_VALUES)?;
    }
    if num_frames == 0 {
        // There is no pose, and nothing is printed.
        return refuse(Outcome::LeavesOut, shared::COUNT, frames_span, "");
    }
    Ok(())
}

fn exit<T>(rule: Rule, span: Span, message: String) -> Fallible<T> {
    refuse(Outcome::Exits, rule, span, message)
}

fn allocation(function: &str, bytes: u64) -> String {
    format!("{function}: Failed on allocation of {bytes} bytes")
}

/// Content of the file before the meshes.
#[derive(Default)]
struct Head<'a> {
    num_joints: i32,
    num_meshes: i32,
    has_joints: bool,
    joints: Vec<Joint<'a>>,
    has_mesh: bool,
}

struct Reader<'a, 'v> {
    words: Words<'a>,
    verdict: &'v mut Verdict,
    what: &'static str,
    outcome: Outcome,
}

impl<'a> Reader<'a, '_> {
    fn refuse<T>(&self, rule: Rule, span: Span, message: impl Into<String>) -> Fallible<T> {
        refuse(self.outcome, rule, span, message)
    }

    /// Refuses as [`Self::refuse`] does, with the prefix of the engine's messages.
    fn fail<T>(&self, rule: Rule, span: Span, text: &str) -> Fallible<T> {
        self.refuse(rule, span, format!("{}: {text}", self.what))
    }

    fn word(&mut self) -> Fallible<Word<'a>> {
        self.words.read(self.verdict)
    }

    fn integer(&mut self) -> Fallible<i32> {
        Ok(atoi(self.word()?.text))
    }

    fn positive(&mut self, otherwise: &str) -> Fallible<i32> {
        let word = self.word()?;
        match atoi(word.text) {
            value if value > 0 => Ok(value),
            _ => self.fail(shared::COUNT, word.span, otherwise),
        }
    }

    /// Requires a word. A missing word in a mesh ends the program.
    fn require(&mut self, wanted: &str, rule: Rule) -> Fallible<()> {
        let word = self.word()?;
        if word.text == wanted.as_bytes() {
            return Ok(());
        }
        let outcome = if self.outcome == Outcome::Refuses { Outcome::Exits } else { self.outcome };
        let rule = rules::word(wanted, word.text, rule);
        refuse(outcome, rule, word.span, format!("{}: expected {wanted}", self.what))
    }

    fn vector(&mut self, rule: Rule) -> Fallible<()> {
        self.require("(", rule)?;
        for _ in 0..3 {
            self.word()?;
        }
        self.require(")", shared::SYNTAX)
    }

    /// Skips the command line: reading continues after the second quote, whatever is before it.
    fn command_line(&mut self) -> Fallible<()> {
        let span = self.words.last();
        let rest = self.words.rest();
        let mut quotes = rest.iter().enumerate().filter(|(_, byte)| **byte == b'"').map(|(at, _)| at);
        let Some(second) = quotes.nth(1) else {
            let message = "the program crashes: it looks for two quotes and does not find them".to_owned();
            return exit(shared::COMMANDLINE_VALUE, span, message);
        };
        self.words.advance(second + 1);
        Ok(())
    }

    fn joints(&mut self, head: &mut Head<'a>, span: Span) -> Fallible<()> {
        if head.has_joints {
            return self.fail(shared::REPEATED_LINE, span, "Duplicate joints section");
        }
        head.has_joints = true;
        if head.num_joints == 0 {
            return self.fail(shared::KEYWORD_ORDER, span, "joints section before (or without) numjoints");
        }
        let bytes = u64::from(head.num_joints.unsigned_abs()) * 48;
        if bytes > MOST_BYTES {
            return exit(shared::COUNT, span, allocation("Z_Malloc", bytes));
        }
        self.require("{", shared::SYNTAX)?;
        for index in 0..head.num_joints {
            let name = self.word()?;
            let number = self.word()?;
            // Stored in 16 bits.
            let parent = i32::from(atoi(number.text) as i16);
            if let Some(text) = bad_parent(parent, index) {
                let rule = match parent {
                    _ if name.text == b"}" => shared::BLOCK_COUNT,
                    _ if parent >= index => shared::LATE_PARENT,
                    -1 => shared::SEVERAL_ROOTS,
                    _ => shared::PARENT_RANGE,
                };
                return self.fail(rule, number.span, text);
            }
            self.vector(shared::SYNTAX)?;
            self.vector(shared::SYNTAX)?;
            head.joints.push(Joint { name: name.text.get(..NAME_KEPT).unwrap_or(name.text), parent });
        }
        self.require("}", shared::BLOCK_COUNT)
    }

    fn surface(&mut self, head: &mut Head, span: Span) -> Fallible<()> {
        if head.num_meshes == 0 {
            return self.fail(shared::KEYWORD_ORDER, span, "mesh section before (or without) nummeshes");
        }
        if !head.has_joints {
            return self.fail(shared::KEYWORD_ORDER, span, "mesh must come after joints");
        }
        head.has_mesh = true;
        self.require("{", shared::SYNTAX)?;
        let mut surface = Surface::default();
        loop {
            let word = self.word()?;
            if self.words.is_at_end() {
                return self.fail(shared::SYNTAX, word.span, "unexpected eof");
            }
            match word.text {
                b"shader" => {
                    self.word()?;
                }
                b"numverts" => {
                    let count = self.size(surface.num_verts, "numverts", "numverts cannot be negative")?;
                    surface.num_verts = count;
                    surface.ranges.clear();
                }
                b"vert" => self.vert(&mut surface)?,
                b"numtris" => {
                    surface.num_tris = self.size(surface.num_tris, "numtris", "numverts cannot be negative")?
                }
                b"tri" => self.triangle(&mut surface)?,
                b"numweights" => surface.num_weights = self.num_weights(surface.num_weights)?,
                b"weight" => self.weight(&surface, head.num_joints)?,
                b"}" => break,
                _ => {
                    let rule =
                        if word.text == b"name" { mesh::MESH_NAME } else { rules::word("", word.text, shared::SYNTAX) };
                    let message = format!("Unrecognised token inside mesh ({})", word.printed());
                    return self.fail(rule, word.span, &message);
                }
            }
        }
        self.check_weights(&surface)
    }

    /// Reads a count that must not be repeated or negative.
    fn size(&mut self, known: i32, keyword: &str, negative: &str) -> Fallible<i32> {
        if known != 0 {
            let span = self.words.last();
            return self.fail(shared::REPEATED_LINE, span, &format!("{keyword} was already specified"));
        }
        let word = self.word()?;
        match atoi(word.text) {
            value if value < 0 => self.fail(shared::COUNT, word.span, negative),
            value => Ok(value),
        }
    }

    fn num_weights(&mut self, known: i32) -> Fallible<i32> {
        if known != 0 {
            let span = self.words.last();
            return self.fail(shared::REPEATED_LINE, span, "numweights was already specified");
        }
        let word = self.word()?;
        match atoi(word.text) {
            value if value < 0 => {
                exit(shared::COUNT, word.span, allocation("Z_Malloc", i64::from(value).wrapping_mul(16) as u64))
            }
            value => Ok(value),
        }
    }

    /// Reads the number of a record, which must be below the declared count.
    fn slot(&mut self, count: i32, otherwise: &str) -> Fallible<i32> {
        let number = self.word()?;
        match atoi(number.text) {
            slot if (0..count).contains(&slot) => Ok(slot),
            slot => self.fail(rules::record(slot, count), number.span, otherwise),
        }
    }

    fn vert(&mut self, surface: &mut Surface) -> Fallible<()> {
        let slot = self.slot(surface.num_verts, "vertex out of range")?;
        let start = self.words.last();
        self.require("(", shared::SYNTAX)?;
        self.word()?;
        self.word()?;
        self.require(")", shared::SYNTAX)?;
        let first = i64::from(self.integer()?);
        let count = i64::from(self.integer()?);
        surface.usable += count;
        let span = start.to(self.words.last());
        surface.ranges.insert(slot.into(), Range { first, count, span });
        Ok(())
    }

    fn triangle(&mut self, surface: &mut Surface) -> Fallible<()> {
        self.slot(surface.num_tris, "vertex out of range")?;
        for _ in 0..3 {
            let corner = self.integer()?.into();
            surface.corners.push((corner, self.words.last()));
        }
        Ok(())
    }

    fn weight(&mut self, surface: &Surface, num_joints: i32) -> Fallible<()> {
        self.slot(surface.num_weights, "weight out of range")?;
        let joint = self.word()?;
        if !(0..num_joints).contains(&atoi(joint.text)) {
            return self.fail(mesh::INDEX_RANGE, joint.span, "weight specifies bad bone");
        }
        self.word()?;
        self.vector(shared::SYNTAX)
    }

    fn check_weights(&mut self, surface: &Surface) -> Fallible<()> {
        if surface.usable < 0 {
            let span =
                surface.ranges.values().find(|range| range.count < 0).map_or_else(Span::default, |range| range.span);
            return exit(mesh::INDEX_RANGE, span, "out of memory for weights".to_owned());
        }
        let mut slots = surface.ranges.iter();
        for slot in 0..i64::from(surface.num_verts) {
            let range = match slots.next() {
                Some((&known, range)) if known == slot && range.count > 0 => range,
                Some((&known, range)) if known == slot => {
                    return self.fail(mesh::NO_WEIGHTS, range.span, "weights not set on vertex");
                }
                _ => return self.fail(mesh::RECORD_COUNT, self.words.last(), "weights not set on vertex"),
            };
            check_range(self.verdict, range, surface.num_weights.into());
        }
        check_corners(self.verdict, surface.corners.iter().copied(), surface.num_verts.into());
        Ok(())
    }

    fn hierarchy(&mut self, skeleton: Option<&Skeleton>, num_joints: u32, components: i64) -> Fallible<()> {
        self.require("hierarchy", shared::SYNTAX)?;
        self.require("{", shared::SYNTAX)?;
        for index in 0..num_joints {
            let name = self.word()?;
            let joint = skeleton.and_then(|skeleton| skeleton.joints.get(index as usize));
            if joint.is_some_and(|joint| joint.name != name.text) {
                let rule = if name.text == b"}" { shared::BLOCK_COUNT } else { pair::JOINT_NAME };
                let text = format!("bone name doesn't match ({})", name.printed());
                return self.fail(rule, name.span, &text);
            }
            let parent = self.word()?;
            if joint.is_some_and(|joint| joint.parent != atoi(parent.text)) {
                let text = format!("bone name doesn't match ({})", parent.printed());
                return self.fail(pair::JOINT_PARENT, parent.span, &text);
            }
            let flags = self.integer()? as u8;
            let first = i64::from(self.integer()?);
            let row = name.span.to(self.words.last());
            check_channel(self.verdict, index, flags.into(), first, components, row);
            if self.words.is_at_end() {
                break;
            }
        }
        self.require("}", shared::BLOCK_COUNT)
    }

    /// Reads the boxes, only as integers, and the base frame.
    fn boxes(&mut self, num_frames: u32, num_joints: u32) -> Fallible<()> {
        for (keyword, rows, rule) in
            [("bounds", num_frames, anim::BOUNDS_COUNT), ("baseframe", num_joints, anim::BASEFRAME_COUNT)]
        {
            self.require(keyword, anim::BLOCK_MISSING)?;
            self.require("{", shared::SYNTAX)?;
            for _ in 0..rows {
                self.vector(rule)?;
                self.vector(rule)?;
            }
            self.require("}", rule)?;
        }
        Ok(())
    }
}

/// A mesh while it is being read.
#[derive(Default)]
struct Surface {
    num_verts: i32,
    num_tris: i32,
    num_weights: i32,
    ranges: Slots<Range>,
    corners: Vec<(i64, Span)>,
    /// Total weights of all vertex lines. Repeated lines count twice.
    usable: i64,
}

/// Returns the message about a parent that does not precede its child, or about a second root.
fn bad_parent(parent: i32, index: i32) -> Option<&'static str> {
    if parent >= index {
        return Some("joints parent's must be lower");
    }
    let is_odd_root = (parent < 0 && index > 0) || (index == 0 && parent != -1);
    is_odd_root.then_some("Only the root joint may have a negative parent")
}
