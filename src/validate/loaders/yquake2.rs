//! yquake2remaster (`ReadMD5Model`, `ReadMD5Anim`, `COM_Parse`): keywords in any order, unknown ones skipped. A refused
//! clip leaves the bind pose.

use super::com_parse::{Dialect, TooLong, Word, Words};
use super::{Fallible, File, Joint, List, Range, Skeleton, check_channel, check_corners, check_range, refuse, rules};
use crate::c::strtol;
use crate::codes::{Rule, anim, mesh, pair, shared};
use crate::verdict::{EngineFault, Outcome, Verdict};
use bindpose_parsers::Span;

const DIALECT: Dialect = Dialect { block_comments: false, room: 1023, too_long: TooLong::Emptied };

/// Number of elements (a few dozen bytes each) from which the allocation of an array is assumed to fail.
const MOST_ELEMENTS: i64 = 1 << 28;

pub(super) fn read_mesh<'a>(verdict: &mut Verdict, file: File<'a>) -> Fallible<Skeleton<'a>> {
    let mut reader = Reader::new(verdict, file, "ReadMD5Model", Outcome::Refuses);
    let mut num_joints = 0;
    let mut joints = Vec::new();
    let mut used = 0;
    loop {
        let word = reader.next_keyword()?;
        let Some(word) = word else { break };
        match word.text {
            b"MD5Version" => reader.version("bad model version")?,
            b"numJoints" => num_joints = reader.count("numJoints")?,
            b"numMeshes" => {
                reader.count("numMeshes")?;
            }
            b"numSkins" | b"numFramenames" => {
                reader.word()?;
            }
            b"skin" | b"framename" => {
                reader.word()?;
                reader.word()?;
            }
            b"joints" => joints = reader.joints(num_joints)?,
            b"mesh" => reader.surface(num_joints, &mut used)?,
            _ => {}
        }
    }
    if (joints.len() as i64) < used as i64 {
        // The bones are zeroed memory, so all vertices collapse to one point.
        joints.resize(used, Joint { name: &[], parent: 0 });
    }
    let at = file.text().len();
    if at < file.bytes.len() {
        let span = Span::new(at, at + 1);
        let message = "what stands behind the NUL is taken for the clip".to_owned();
        return refuse(Outcome::LeavesOut, shared::NUL, span, message);
    }
    Ok(Skeleton { joints, used })
}

pub(super) fn read_anim(verdict: &mut Verdict, skeleton: Option<&Skeleton>, file: File) -> Fallible<()> {
    let mut clip = Clip::default();
    let mut reader = Reader::new(verdict, file, "ReadMD5Anim", Outcome::LeavesOut);
    while let Some(word) = reader.next_keyword()? {
        match word.text {
            b"MD5Version" => reader.version("bad animation version")?,
            b"numFrames" => reader.num_frames(&mut clip, word.span)?,
            b"numJoints" => reader.num_joints(&mut clip, skeleton, word.span)?,
            b"numAnimatedComponents" => {
                let value = reader.word()?;
                if clip.components > 0 {
                    return reader.drop_clip(
                        &clip,
                        shared::REPEATED_LINE,
                        word.span,
                        "several numAnimatedComponents sections",
                    );
                }
                clip.components = i64::from(strtol(value.text).value as i32);
                clip.components_span = value.span;
            }
            b"frameRate" => {
                reader.word()?;
            }
            b"hierarchy" => reader.hierarchy(&mut clip)?,
            b"bounds" => reader.bounds(&clip)?,
            b"baseframe" => reader.base_frame(&clip)?,
            b"frame" => reader.frame(&mut clip, word.span)?,
            _ => {}
        }
    }
    if clip.num_frames == 0 {
        let span = if clip.has_frames { clip.frames_span } else { reader.words.last() };
        return refuse(Outcome::LeavesOut, shared::COUNT, span, "Mod_LoadModel_MD5: no animation loaded.");
    }
    if clip.num_frames < 0 {
        reader.verdict.add_undefined(shared::COUNT, clip.frames_span, || "the number of frames is negative".to_owned());
    } else if !clip.has_joints {
        reader.verdict.add_undefined(shared::COUNT, clip.frames_span, || "frames are read that nobody made".to_owned());
    }
    Ok(())
}

/// A clip while it is being read.
#[derive(Default)]
struct Clip {
    num_frames: i64,
    has_frames: bool,
    frames_span: Span,
    num_joints: i64,
    /// True once frames were allocated, which needs both counts, with that of frames first.
    has_joints: bool,
    components: i64,
    components_span: Span,
    hierarchy: Option<Vec<Channel>>,
    /// True once a frame was posed by this hierarchy. All others read the same elements.
    is_posed: bool,
}

#[derive(Clone, Copy)]
struct Channel {
    parent: i32,
    flags: i32,
    first: i32,
    span: Span,
}

struct Reader<'a, 'v> {
    words: Words<'a>,
    verdict: &'v mut Verdict,
    function: &'static str,
    outcome: Outcome,
}

impl<'a, 'v> Reader<'a, 'v> {
    fn new(verdict: &'v mut Verdict, file: File<'a>, function: &'static str, outcome: Outcome) -> Self {
        Self { words: Words::new(file, DIALECT), verdict, function, outcome }
    }

    fn refuse<T>(&self, rule: Rule, span: Span, text: &str) -> Fallible<T> {
        refuse(self.outcome, rule, span, format!("{}: {text}", self.function))
    }

    /// Discards a clip: its frames are freed, whether or not they were allocated.
    fn drop_clip<T>(&mut self, clip: &Clip, rule: Rule, span: Span, text: &str) -> Fallible<T> {
        self.drop_clip_after(&[], clip, rule, span, text)
    }

    /// Discards a clip as [`Self::drop_clip`] does, after other messages.
    fn drop_clip_after<T>(
        &mut self,
        printed: &[EngineFault],
        clip: &Clip,
        rule: Rule,
        span: Span,
        text: &str,
    ) -> Fallible<T> {
        if clip.num_frames > 0 && !clip.has_joints {
            self.verdict.add_undefined(rule, span, || {
                "frames are freed before numJoints has made them: the program may crash".to_owned()
            });
        }
        let before: String = printed.iter().map(|warning| format!("{}; ", warning.message)).collect();
        refuse(self.outcome, rule, span, format!("{before}{}: {text}", self.function))
    }

    fn word(&mut self) -> Fallible<Word<'a>> {
        self.words.read(self.verdict)
    }

    /// Reads the next word outside of any block. Returns `None` at the end, or after a string without an end.
    fn next_keyword(&mut self) -> Fallible<Option<Word<'a>>> {
        Ok(self.words.next().filter(|_| !self.words.is_at_end()))
    }

    fn integer(&mut self) -> Fallible<i32> {
        Ok(strtol(self.word()?.text).value as i32)
    }

    fn version(&mut self, otherwise: &str) -> Fallible<()> {
        let word = self.word()?;
        if word.text == b"10" { Ok(()) } else { self.refuse(shared::VERSION, word.span, otherwise) }
    }

    fn count(&mut self, keyword: &str) -> Fallible<i64> {
        let value = i64::from(self.integer()?);
        if value > MOST_ELEMENTS {
            let message = format!("out of memory for {keyword} {value}");
            return refuse(Outcome::Exits, shared::COUNT, self.words.last(), message);
        }
        Ok(value)
    }

    /// Reads the count of a list, which is emptied.
    fn list<T>(&mut self, keyword: &str) -> Fallible<List<T>> {
        Ok(List::new(self.count(keyword)?, self.words.last()))
    }

    fn require(&mut self, wanted: &str, rule: Rule, otherwise: &str) -> Fallible<()> {
        let word = self.word()?;
        if word.text == wanted.as_bytes() {
            return Ok(());
        }
        self.refuse(rules::word(wanted, word.text, rule), word.span, otherwise)
    }

    /// Reads `( … )` with any words inside. Error messages name this function of the engine.
    fn block(&mut self, count: usize) -> Fallible<Result<(), (Rule, Span, &'static str)>> {
        let word = self.word()?;
        if word.text != b"(" {
            let rule = rules::word("(", word.text, shared::SYNTAX);
            return Ok(Err((rule, word.span, "ParseFloatBlock: expected float block open")));
        }
        let mut last = word;
        for _ in 0..count {
            last = self.word()?;
        }
        let word = self.word()?;
        if word.text != b")" {
            let is_comment = last.text.starts_with(b"/*") || word.text.starts_with(b"/*") || word.text == b"*/";
            let rule = match is_comment {
                true => shared::COMMENT,
                false => rules::word(")", word.text, shared::SYNTAX),
            };
            return Ok(Err((rule, word.span, "ParseFloatBlock: expected float block close")));
        }
        Ok(Ok(()))
    }

    fn mesh_block(&mut self, count: usize) -> Fallible<()> {
        match self.block(count)? {
            Ok(()) => Ok(()),
            Err((rule, span, message)) => refuse(Outcome::Refuses, rule, span, message),
        }
    }

    fn joints(&mut self, num_joints: i64) -> Fallible<Vec<Joint<'a>>> {
        self.require("{", shared::SYNTAX, "expected joints block open")?;
        let mut joints = Vec::new();
        for _ in 0..num_joints {
            let name = self.word()?.text;
            let parent = self.integer()?;
            self.mesh_block(3)?;
            self.mesh_block(3)?;
            joints.push(Joint { name, parent });
        }
        self.require("}", shared::BLOCK_COUNT, "expected joints block close")?;
        Ok(joints)
    }

    fn surface(&mut self, num_joints: i64, used: &mut usize) -> Fallible<()> {
        self.require("{", shared::SYNTAX, "expected mesh block open")?;
        let mut surface = Surface::default();
        loop {
            let word = self.word()?;
            match word.text {
                b"}" => break,
                b"shader" => {
                    self.word()?;
                }
                b"numverts" => surface.verts = self.list("numverts")?,
                b"numtris" => surface.tris = self.list("numtris")?,
                b"numweights" => surface.weights = self.list("numweights")?,
                b"vert" => self.vert(&mut surface)?,
                b"tri" => self.triangle(&mut surface)?,
                b"weight" => self.weight(&mut surface, num_joints, used)?,
                _ => {}
            }
            if self.words.is_at_end() {
                break;
            }
        }
        self.check_surface(&surface);
        Ok(())
    }

    /// Reads the number of a vertex or triangle. The engine does not check if it is negative.
    fn slot(&mut self, count: i64, otherwise: &str) -> Fallible<i64> {
        let slot = i64::from(self.integer()?);
        let span = self.words.last();
        if slot >= count {
            return self.refuse(rules::record(slot, count), span, otherwise);
        }
        if slot < 0 {
            self.verdict
                .add_undefined(mesh::RECORD_NUMBER, span, || format!("record {slot} is written before the array"));
        }
        Ok(slot)
    }

    fn vert(&mut self, surface: &mut Surface) -> Fallible<()> {
        let slot = self.slot(surface.verts.declared, "incorrect vert index")?;
        let start = self.words.last();
        self.mesh_block(2)?;
        let first = i64::from(self.integer()?);
        let count = i64::from(self.integer()?);
        let span = start.to(self.words.last());
        surface.verts.set(slot, Range { first, count, span });
        Ok(())
    }

    fn triangle(&mut self, surface: &mut Surface) -> Fallible<()> {
        let slot = self.slot(surface.tris.declared, "incorrect tri index")?;
        for _ in 0..3 {
            let corner = i64::from(self.integer()?);
            surface.corners.push((corner, self.words.last()));
        }
        surface.tris.set(slot, ());
        Ok(())
    }

    fn weight(&mut self, surface: &mut Surface, num_joints: i64, used: &mut usize) -> Fallible<()> {
        let number = self.word()?;
        let slot = i64::from(strtol(number.text).value as i32);
        let declared = surface.weights.declared;
        if slot < 0 || slot >= declared {
            return self.refuse(rules::record(slot, declared), number.span, "incorrect weight index");
        }
        let word = self.word()?;
        let joint = i64::from(strtol(word.text).value as i32);
        if joint < 0 || joint >= num_joints {
            return self.refuse(mesh::INDEX_RANGE, word.span, "incorrect weight joint");
        }
        *used = (*used).max(joint as usize + 1);
        self.word()?;
        self.mesh_block(3)?;
        surface.weights.set(slot, ());
        Ok(())
    }

    /// Reports invalid indices, which the engine does not check.
    fn check_surface(&mut self, surface: &Surface) {
        let Surface { verts, tris, weights, corners } = surface;
        verts.check(self.verdict, "vertices", |_| verts.span);
        tris.check(self.verdict, "triangles", |()| tris.span);
        weights.check(self.verdict, "weights", |()| weights.span);
        for range in verts.records.values().filter(|range| range.count > 0) {
            check_range(self.verdict, range, weights.declared);
        }
        check_corners(self.verdict, corners.iter().copied(), verts.declared);
    }

    fn num_frames(&mut self, clip: &mut Clip, keyword: Span) -> Fallible<()> {
        let value = self.word()?;
        if clip.has_frames && clip.num_frames > 0 {
            return self.drop_clip(clip, shared::REPEATED_LINE, keyword, "Error several numFrames sections");
        }
        clip.num_frames = i64::from(strtol(value.text).value as i32);
        clip.has_frames = true;
        clip.frames_span = value.span;
        if clip.num_frames > MOST_ELEMENTS {
            let message = "ReadMD5Anim: Failed to allocate animation";
            return refuse(Outcome::Exits, shared::COUNT, value.span, message);
        }
        Ok(())
    }

    fn num_joints(&mut self, clip: &mut Clip, skeleton: Option<&Skeleton>, keyword: Span) -> Fallible<()> {
        let value = self.word()?;
        if clip.num_joints > 0 {
            return self.drop_clip(clip, shared::REPEATED_LINE, keyword, "Error several numJoints sections");
        }
        clip.num_joints = i64::from(strtol(value.text).value as i32);
        if clip.num_joints > MOST_ELEMENTS {
            let message = "ReadMD5Anim: Failed to allocate animation";
            return refuse(Outcome::Exits, shared::COUNT, value.span, message);
        }
        clip.has_joints = clip.num_joints > 0 && clip.num_frames > 0;
        let Some(skeleton) = skeleton.filter(|_| clip.has_joints) else { return Ok(()) };
        let (mesh, ours) = (skeleton.joints.len() as i64, clip.num_joints);
        if ours > mesh {
            self.verdict.add_undefined(pair::JOINT_COUNT, value.span, || {
                format!("{ours} joints are copied from the mesh's array of {mesh}")
            });
        } else if ours < skeleton.used as i64 {
            self.verdict.add_undefined(pair::JOINT_COUNT, value.span, || {
                format!("weights name joint {} of an array of {ours}", skeleton.used - 1)
            });
        }
        Ok(())
    }

    /// Requires the brace that opens a block of a clip.
    fn open(&mut self, clip: &Clip, rule: Rule, otherwise: &str) -> Fallible<Span> {
        let word = self.word()?;
        if word.text == b"{" {
            return Ok(word.span);
        }
        self.drop_clip(clip, rules::word("{", word.text, rule), word.span, otherwise)
    }

    fn hierarchy(&mut self, clip: &mut Clip) -> Fallible<()> {
        let brace = self.open(clip, shared::SYNTAX, "expected hierarchy block open")?;
        if clip.num_joints <= 0 {
            return self.drop_clip(clip, shared::KEYWORD_ORDER, brace, "unexpected block");
        }
        let mut channels = Vec::new();
        for _ in 0..clip.num_joints {
            let span = self.word()?.span;
            let (parent, flags, first) = (self.integer()?, self.integer()?, self.integer()?);
            channels.push(Channel { parent, flags, first, span: span.to(self.words.last()) });
            if self.words.is_at_end() {
                break;
            }
        }
        let word = self.word()?;
        if word.text != b"}" {
            let rule = rules::word("}", word.text, shared::BLOCK_COUNT);
            return self.drop_clip(clip, rule, word.span, "expected hierarchy block close");
        }
        clip.hierarchy = Some(channels);
        clip.is_posed = false;
        Ok(())
    }

    /// Reads rows of two blocks each. A fault is printed and ends the rows.
    fn rows(&mut self, count: i64, otherwise: &str, rule: Rule) -> Fallible<Vec<EngineFault>> {
        for _ in 0..count {
            for _ in 0..2 {
                if let Err((found, span, text)) = self.block(3)? {
                    let rule = if found == shared::SYNTAX { rule } else { found };
                    let texts = [text.to_owned(), format!("{}: {otherwise}", self.function)];
                    return Ok(texts.into_iter().map(|text| EngineFault::new(rule, span, text)).collect());
                }
            }
        }
        Ok(Vec::new())
    }

    /// Reads the end of a block of rows.
    fn end_rows(&mut self, clip: &Clip, printed: Vec<EngineFault>, rule: Rule, otherwise: &str) -> Fallible<()> {
        let word = self.word()?;
        if word.text == b"}" {
            self.verdict.warnings.extend(printed);
            return Ok(());
        }
        let (rule, span) = match printed.first() {
            Some(first) => (first.rule, first.span),
            None => (rules::word("}", word.text, rule), word.span),
        };
        self.drop_clip_after(&printed, clip, rule, span, otherwise)
    }

    fn bounds(&mut self, clip: &Clip) -> Fallible<()> {
        self.open(clip, shared::SYNTAX, "expected hierarchy bounds open")?;
        let printed = self.rows(clip.num_frames, "unexpected bounds format", anim::BOUNDS_COUNT)?;
        self.end_rows(clip, printed, anim::BOUNDS_COUNT, "expected block close")
    }

    fn base_frame(&mut self, clip: &Clip) -> Fallible<()> {
        self.open(clip, shared::SYNTAX, "expected baseframe block open")?;
        let printed = self.rows(clip.num_joints, "unexpected baseframe format", anim::BASEFRAME_COUNT)?;
        self.end_rows(clip, printed, anim::BASEFRAME_COUNT, "expected baseframe block close")
    }

    fn frame(&mut self, clip: &mut Clip, keyword: Span) -> Fallible<()> {
        let number = self.word()?;
        let index = i64::from(strtol(number.text).value as i32);
        self.open(clip, shared::SYNTAX, "expected frame bounds open")?;
        for _ in 0..clip.components {
            self.word()?;
            if self.words.is_at_end() {
                break;
            }
        }
        if index < 0 || index >= clip.num_frames {
            return self.drop_clip(clip, anim::FRAME_VALUES, number.span, "unknown frame number");
        }
        if clip.num_joints <= 0 || clip.components <= 0 {
            let (rule, span) = match clip.components_span == Span::default() || clip.num_joints <= 0 {
                true => (shared::KEYWORD_ORDER, keyword),
                false if clip.components < 0 => (anim::COMPONENT_COUNT, clip.components_span),
                false => (anim::NO_COMPONENTS, clip.components_span),
            };
            return self.drop_clip(clip, rule, span, "unknown size of frame");
        }
        if !clip.is_posed {
            self.pose(clip, number.span);
            clip.is_posed = clip.hierarchy.is_some();
        }
        let word = self.word()?;
        if word.text == b"}" {
            return Ok(());
        }
        let rule = rules::word("}", word.text, anim::FRAME_VALUES);
        self.drop_clip(clip, rule, word.span, "expected frame block close")
    }

    /// Reports invalid elements that are read for a pose.
    fn pose(&mut self, clip: &Clip, span: Span) {
        let Some(channels) = &clip.hierarchy else {
            self.verdict
                .add_undefined(shared::KEYWORD_ORDER, span, || "joints are posed that were not read yet".to_owned());
            return;
        };
        for (index, channel) in channels.iter().enumerate() {
            let &Channel { flags, first, span, .. } = channel;
            check_channel(self.verdict, index, flags, first.into(), clip.components, span);
            if i64::from(channel.parent) >= clip.num_joints {
                self.verdict.add_undefined(shared::PARENT_RANGE, channel.span, || {
                    format!("joint {index} hangs under joint {} of {}", channel.parent, clip.num_joints)
                });
            }
        }
    }
}

/// A mesh while it is being read.
#[derive(Default)]
struct Surface {
    verts: List<Range>,
    tris: List<()>,
    weights: List<()>,
    corners: Vec<(i64, Span)>,
}
