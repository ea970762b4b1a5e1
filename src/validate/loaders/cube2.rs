//! Cube 2 (Red Eclipse's `md5.h`: `loadmesh`, `loadanim`): it reads line by line, skips unknown lines and prints
//! nothing.

use super::{Fallible, File, Joint, List, Range, Skeleton};
use super::{check_channel, check_corners, check_range, read_outside, refuse};
use crate::c::{Read, is_space, strtod, strtol};
use crate::codes::{Rule, anim, mesh, pair, shared};
use crate::verdict::{EngineFault, Outcome, Verdict, refuse_silently};
use bindpose_parsers::{Span, counted};

/// Largest number of bytes read of a line. The rest counts as the next line.
const LINE_READ: usize = 511;
/// Largest number of bytes of a joint's name in a clip.
const CHANNEL_NAME: usize = 100;
/// Largest number of bytes kept of a joint's name in a mesh.
const NAME_KEPT: usize = 511;

pub(super) fn read_mesh<'a>(verdict: &mut Verdict, file: File<'a>) -> Fallible<Skeleton<'a>> {
    let mut lines = Lines::new(file.bytes);
    let mut num_joints = 0;
    let mut joints_span = Span::default();
    let mut joints: Option<Vec<Joint>> = None;
    let mut surfaces = Vec::new();
    while let Some(line) = lines.next() {
        let mut scan = Scan::new(line.text);
        if let Some(version) = scan.keyword("MD5Version") {
            check_version(version, line)?;
        } else if let Some(count) = scan.keyword("numJoints") {
            if count < 1 {
                return silent(shared::COUNT, line.span);
            }
            if num_joints == 0 {
                num_joints = count;
                joints_span = line.span;
            }
        } else if let Some(count) = scan.keyword("numMeshes") {
            if count < 1 {
                return silent(shared::COUNT, line.span);
            }
        } else if line.has("joints {") {
            let block = read_joints(&mut lines);
            if block.len() as i64 != i64::from(num_joints) {
                let odd = lines.odd.take();
                let counts = || format!("numJoints says {num_joints}, but {} follow", block.len());
                return match odd {
                    Some((rule, span)) => silent(rule, span),
                    None => refuse_silently(Outcome::Refuses, shared::BLOCK_COUNT, joints_span, counts()),
                };
            }
            joints = Some(block);
        } else if line.has("mesh {") {
            let surface = read_surface(&mut lines);
            match surface.tris.declared == 0 || surface.verts.declared == 0 {
                true => {
                    let message = format!("Empty mesh in {}", file.name);
                    verdict.warnings.push(EngineFault::new(mesh::EMPTY_MESH, line.span, message));
                }
                false => surfaces.push(surface),
            }
        }
    }
    let joints = joints.unwrap_or_default();
    for (index, joint) in joints.iter().enumerate() {
        if i64::from(joint.parent) >= joints.len() as i64 {
            verdict.add_undefined(shared::PARENT_RANGE, joints_span, || {
                format!("joint {index} hangs under joint {} of {}", joint.parent, joints.len())
            });
        }
    }
    for surface in &surfaces {
        surface.check(verdict, joints.len());
    }
    Ok(Skeleton { used: joints.len(), joints })
}

pub(super) fn read_anim(verdict: &mut Verdict, skeleton: Option<&Skeleton>, file: File) -> Fallible<()> {
    let mut lines = Lines::new(file.bytes);
    let mut clip = Clip::default();
    let joints = skeleton.map(|skeleton| skeleton.joints.as_slice());
    let mut num_joints = joints.map(|joints| joints.len() as i64);
    while let Some(line) = lines.next() {
        let mut scan = Scan::new(line.text);
        if let Some(version) = scan.keyword("MD5Version") {
            check_version(version, line)?;
        } else if let Some(count) = scan.keyword("numJoints") {
            if *num_joints.get_or_insert(i64::from(count)) != i64::from(count) {
                return silent(pair::JOINT_COUNT, line.span);
            }
        } else if let Some(count) = scan.keyword("numFrames") {
            if count < 1 {
                return silent(shared::COUNT, line.span);
            }
            clip.num_frames = i64::from(count);
        } else if scan.keyword("frameRate").is_some() {
            // The rate comes from elsewhere.
        } else if let Some(count) = scan.keyword("numAnimatedComponents") {
            clip.components = i64::from(count);
            clip.is_posed = false;
        } else if line.has("bounds {") {
            lines.skip_block();
        } else if line.has("hierarchy {") {
            clip.read_hierarchy(&mut lines, joints.map(<[Joint]>::len), verdict);
        } else if line.has("baseframe {") {
            clip.rows = read_base_frame(&mut lines);
            if num_joints.is_some_and(|joints| clip.rows as i64 != joints) {
                return match lines.odd.take() {
                    Some((rule, span)) => silent(rule, span),
                    None => {
                        let rows = counted(clip.rows, "row", "rows");
                        let detail = format!("`baseframe` has {rows}, but numJoints is {}", num_joints.unwrap_or(0));
                        refuse_silently(Outcome::Refuses, anim::BASEFRAME_COUNT, line.span, detail)
                    }
                };
            }
            clip.has_base_frame = true;
        } else if let Some(index) = scan.keyword("frame") {
            lines.skip_block();
            clip.check_frame(index, line.span, verdict);
        }
    }
    if !clip.has_base_frame {
        let length = file.bytes.len();
        let end = Span::new(length, length);
        return silent(anim::BLOCK_MISSING, end);
    }
    Ok(())
}

fn silent<T>(rule: Rule, span: Span) -> Fallible<T> {
    refuse(Outcome::Refuses, rule, span, "")
}

fn check_version(version: i32, line: Line) -> Fallible<()> {
    if version == 10 { Ok(()) } else { silent(shared::VERSION, line.span) }
}

fn read_joints<'a>(lines: &mut Lines<'a>) -> Vec<Joint<'a>> {
    let mut joints = Vec::new();
    while let Some(line) = lines.next_in_block() {
        let (name, rest) = joint_name(line.text);
        let mut scan = Scan::new(rest);
        let parent = scan.integer();
        let is_whole = parent.is_some() && scan.vector(3) && scan.numbers(3);
        match parent.filter(|_| is_whole) {
            Some(parent) => joints.push(Joint { name, parent }),
            None => lines.note_odd(line, &scan),
        }
    }
    joints
}

/// Splits off a name with or without quotes. Returns it and the rest of the line.
fn joint_name(line: &[u8]) -> (&[u8], &[u8]) {
    let start = line.iter().position(|&byte| !is_space(byte)).unwrap_or(line.len());
    let rest = line.get(start..).unwrap_or_default();
    let is_string = rest.first() == Some(&b'"');
    let rest = rest.get(usize::from(is_string)..).unwrap_or_default();
    let ends = |byte: u8| byte == b'"' || (is_space(byte) && !is_string);
    let length = rest.iter().take(NAME_KEPT).position(|&byte| ends(byte)).unwrap_or(rest.len().min(NAME_KEPT));
    (rest.get(..length).unwrap_or_default(), rest.get(length + 1..).unwrap_or_default())
}

fn read_surface(lines: &mut Lines) -> Surface {
    let mut surface = Surface::default();
    while let Some(line) = lines.next_in_block() {
        if line.has("// meshes:") || line.has("shader") {
            continue;
        }
        let mut scan = Scan::new(line.text);
        if let Some(count) = scan.keyword("numverts") {
            surface.verts = List::new(count.max(0).into(), line.span);
        } else if let Some(count) = scan.keyword("numtris") {
            surface.tris = List::new(count.max(0).into(), line.span);
        } else if let Some(count) = scan.keyword("numweights") {
            surface.weights = List::new(count.max(0).into(), line.span);
        } else if let Some((slot, range)) = scan.vert(line.span) {
            surface.verts.set(slot, range);
        } else if let Some((slot, corners)) = scan.triangle() {
            surface.tris.set(slot, (corners, line.span));
        } else if let Some((slot, joint)) = scan.weight() {
            surface.weights.set(slot, (joint, line.span));
        } else {
            lines.note_odd(line, &scan);
        }
    }
    surface
}

fn read_base_frame(lines: &mut Lines) -> usize {
    let mut rows = 0;
    while let Some(line) = lines.next_in_block() {
        let mut scan = Scan::new(line.text);
        match scan.vector(3) && scan.numbers(3) {
            true => rows += 1,
            false => lines.note_odd(line, &scan),
        }
    }
    rows
}

/// A mesh while it is being read.
#[derive(Default)]
struct Surface {
    verts: List<Range>,
    tris: List<([u16; 3], Span)>,
    weights: List<(i32, Span)>,
}

impl Surface {
    /// Reports invalid indices, which the engine does not check.
    fn check(&self, verdict: &mut Verdict, num_joints: usize) {
        self.verts.check(verdict, "vertices", |range| range.span);
        self.tris.check(verdict, "triangles", |(_, span)| *span);
        self.weights.check(verdict, "weights", |(_, span)| *span);
        self.verts.records.values().for_each(|range| check_range(verdict, range, self.weights.declared));
        for &(corners, span) in self.tris.records.values() {
            let beyond = corners.into_iter().map(i64::from).find(|&corner| corner >= self.verts.declared);
            check_corners(verdict, beyond.map(|corner| (corner, span)), self.verts.declared);
        }
        for &(joint, span) in self.weights.records.values() {
            if usize::try_from(joint).map_or(true, |joint| joint >= num_joints) {
                read_outside(verdict, span, "joint", joint, num_joints);
            }
        }
    }
}

/// A clip while it is being read.
#[derive(Default)]
struct Clip {
    num_frames: i64,
    components: i64,
    /// First component, flags and span of each row of the hierarchy.
    hierarchy: Vec<(i32, i32, Span)>,
    rows: usize,
    has_base_frame: bool,
    /// True once a frame was posed by this hierarchy. All others read the same elements.
    is_posed: bool,
}

impl Clip {
    fn read_hierarchy(&mut self, lines: &mut Lines, num_joints: Option<usize>, verdict: &mut Verdict) {
        self.is_posed = false;
        while let Some(line) = lines.next_in_block() {
            let mut scan = Scan::new(line.text);
            let row = scan.name(CHANNEL_NAME).and_then(|()| {
                scan.integer()?;
                Some((scan.integer()?, scan.integer()?))
            });
            let Some((flags, first)) = row else {
                lines.note_odd(line, &scan);
                continue;
            };
            if num_joints.is_some_and(|joints| self.hierarchy.len() >= joints) {
                verdict.add_undefined(shared::BLOCK_COUNT, line.span, || {
                    "the row is compared with a joint that the mesh does not have".to_owned()
                });
            }
            self.hierarchy.push((first, flags, line.span));
        }
    }

    /// Reports invalid elements that are read or written for a pose.
    fn check_frame(&mut self, index: i32, span: Span, verdict: &mut Verdict) {
        if self.rows == 0 {
            return;
        }
        if i64::from(index) < 0 || i64::from(index) >= self.num_frames {
            verdict.add_undefined(anim::FRAME_VALUES, span, || {
                format!("frame {index} of {} is written outside the array", self.num_frames)
            });
        }
        if self.hierarchy.len() < self.rows {
            verdict.add_undefined(shared::BLOCK_COUNT, span, || {
                format!("{} joints are posed by {} rows of the hierarchy", self.rows, self.hierarchy.len())
            });
        }
        if std::mem::replace(&mut self.is_posed, true) {
            return;
        }
        for (joint, &(first, flags, span)) in self.hierarchy.iter().enumerate() {
            // Joints that begin behind the values read none.
            if i64::from(first) < self.components {
                check_channel(verdict, joint, flags, first.into(), self.components, span);
            }
        }
    }
}

/// A result of `fgets`.
#[derive(Clone, Copy)]
struct Line<'a> {
    /// Text up to a NUL.
    text: &'a [u8],
    span: Span,
}

impl Line<'_> {
    fn has(&self, part: &str) -> bool {
        let part = part.as_bytes();
        // Most lines lack one of the bytes, which is faster to check.
        part.iter().all(|byte| self.text.contains(byte)) && self.text.windows(part.len()).any(|window| window == part)
    }
}

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    /// First line of a block that was skipped although it is not empty.
    odd: Option<(Rule, Span)>,
}

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, odd: None }
    }

    fn next(&mut self) -> Option<Line<'a>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let rest = rest.get(..LINE_READ).unwrap_or(rest);
        let length = rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1);
        let text = rest.get(..length).unwrap_or_default();
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        let start = self.at;
        self.at += length;
        Some(Line { text, span: Span::new(start, start + text.trim_ascii_end().len()) })
    }

    /// Reads the next line of a block. Returns `None` at a line that begins with `}`.
    fn next_in_block(&mut self) -> Option<Line<'a>> {
        self.next().filter(|line| line.text.first() != Some(&b'}'))
    }

    fn skip_block(&mut self) {
        while self.next_in_block().is_some() {}
    }

    fn note_odd(&mut self, line: Line, scan: &Scan) {
        let text = line.text.trim_ascii();
        if text.is_empty() || text.starts_with(b"//") || self.odd.is_some() {
            return;
        }
        let word = scan.rest().split(|&byte| is_space(byte)).find(|word| !word.is_empty()).unwrap_or_default();
        let rule = match text.starts_with(b"/*") || word.starts_with(b"/*") {
            true => shared::COMMENT,
            false if word.is_empty() => shared::LINE_BREAK,
            false => super::rules::number(word, false),
        };
        self.odd = Some((rule, line.span));
    }
}

/// `sscanf` on one line: a blank in the format matches any white space.
pub(super) struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn spaces(&mut self) {
        self.at += self.rest().iter().take_while(|&&byte| is_space(byte)).count();
    }

    fn literal(&mut self, wanted: &str) -> Option<()> {
        self.spaces();
        self.rest().starts_with(wanted.as_bytes()).then(|| self.at += wanted.len())
    }

    /// ` WORD %d`
    fn keyword(&mut self, wanted: &str) -> Option<i32> {
        let before = self.at;
        let found = self.literal(wanted).and_then(|()| self.integer());
        if found.is_none() {
            self.at = before;
        }
        found
    }

    pub fn integer(&mut self) -> Option<i32> {
        let Read { value, length } = strtol(self.rest());
        self.at += length;
        (length > 0).then_some(value as i32)
    }

    pub fn float(&mut self) -> Option<()> {
        let length = strtod(self.rest());
        // An exponent's letter without digits is consumed, and the number fails.
        let is_cut = self.rest().get(length).is_some_and(|byte| b"eE".contains(byte));
        if length == 0 || is_cut {
            return None;
        }
        self.at += length;
        Some(())
    }

    /// `( %f …`: a parenthesis after the last number of a line is not checked.
    pub fn numbers(&mut self, count: usize) -> bool {
        self.literal("(").is_some() && (0..count).all(|_| self.float().is_some())
    }

    /// `( %f … )`
    pub fn vector(&mut self, count: usize) -> bool {
        self.numbers(count) && self.literal(")").is_some()
    }

    /// ` %100s`
    fn name(&mut self, most: usize) -> Option<()> {
        self.spaces();
        let length = self.rest().iter().take(most).take_while(|&&byte| !is_space(byte)).count();
        self.at += length;
        (length > 0).then_some(())
    }

    /// ` vert %d ( %f %f ) %hu %hu`
    fn vert(&mut self, span: Span) -> Option<(i32, Range)> {
        let slot = self.record("vert")?;
        if !self.vector(2) {
            return None;
        }
        // Stored in 16 bits.
        let first = i64::from(self.integer()? as u16);
        let count = i64::from(self.integer()? as u16);
        Some((slot, Range { first, count, span }))
    }

    /// ` tri %d %hu %hu %hu`
    fn triangle(&mut self) -> Option<(i32, [u16; 3])> {
        let slot = self.record("tri")?;
        Some((slot, [self.integer()? as u16, self.integer()? as u16, self.integer()? as u16]))
    }

    /// ` weight %d %d %f ( %f %f %f ) `
    fn weight(&mut self) -> Option<(i32, i32)> {
        let slot = self.record("weight")?;
        let joint = self.integer()?;
        self.float()?;
        self.numbers(3).then_some((slot, joint))
    }

    /// ` WORD %d`. On failure the position is restored.
    fn record(&mut self, wanted: &str) -> Option<i32> {
        self.spaces();
        let start = self.at;
        let is_wanted = self.rest().starts_with(wanted.as_bytes());
        if !is_wanted {
            self.at = start;
            return None;
        }
        self.at += wanted.len();
        self.integer()
    }
}
