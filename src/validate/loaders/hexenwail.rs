//! Hexenwail (`MD5_ParseMesh`, `MD5_ParseAnim`): keywords are searched as words between blanks, also in strings and
//! comments; of a mesh, records are read line by line, of a clip, numbers wherever they stand.

use super::cube2::Scan;
use super::{Fallible, File, Joint, Skeleton, refuse, rules};
use crate::c::{atoi, strtod_value};
use crate::codes::{Rule, anim, mesh, pair, shared};
use crate::verdict::{Outcome, Verdict};
use bindpose_parsers::Span;
use std::ops::RangeInclusive;

const MOST_JOINTS: i32 = 128;
const MOST_VERTICES: i32 = 4096;
const MOST_TRIANGLES: i32 = 8192;
const MOST_FRAMES: i32 = 1024;
/// Bytes kept of a joint's name.
const NAME: usize = 31;

pub(super) fn read_mesh<'a>(verdict: &mut Verdict, file: File<'a>) -> Fallible<Skeleton<'a>> {
    let message = format!("MD5_LoadMesh: parse failed for {}", file.name);
    let mut reader = Reader { text: file.text(), at: 0, outcome: Outcome::Refuses, message };
    let num_joints = reader.count("numJoints", 1..=MOST_JOINTS, shared::JOINTS_256)?;
    reader.find("joints", shared::SYNTAX)?;
    reader.skip_past(b'{')?;
    let joints = (0..num_joints).map(|_| reader.joint()).collect::<Fallible<Vec<_>>>()?;
    reader.skip_past(b'}')?;
    reader.surface(verdict, num_joints)?;
    let late = joints.iter().zip(0..).find(|((joint, _), index)| joint.parent >= *index);
    if let Some(((joint, span), index)) = late {
        let (name, parent) = (file.name, joint.parent);
        let message = format!("MD5_LoadMesh: bad parent index in {name} (bone {index} parent {parent})");
        let rule = if parent < num_joints { shared::LATE_PARENT } else { shared::PARENT_RANGE };
        return refuse(Outcome::Refuses, rule, *span, message);
    }
    Ok(Skeleton { used: joints.len(), joints: joints.into_iter().map(|(joint, _)| joint).collect() })
}

pub(super) fn read_anim(skeleton: Option<&Skeleton>, file: File) -> Fallible<()> {
    let message = format!("MD5: {} failed to parse; using rest pose", file.name);
    let mut reader = Reader { text: file.text(), at: 0, outcome: Outcome::LeavesOut, message };
    let num_frames = reader.count("numFrames", 1..=MOST_FRAMES, anim::TOO_MANY_FRAMES)?;
    reader.at = 0;
    let num_joints = reader.count("numJoints", 1..=i32::MAX, shared::COUNT)?;
    if skeleton.is_some_and(|skeleton| skeleton.joints.len() as i32 != num_joints) {
        return reader.refuse(pair::JOINT_COUNT);
    }
    reader.at = 0;
    let most = num_joints.saturating_mul(6);
    let components = reader.count("numAnimatedComponents", 0..=most, anim::COMPONENT_COUNT)?;
    reader.at = 0;
    reader.find("hierarchy", shared::SYNTAX)?;
    reader.expect(b'{', shared::SYNTAX)?;
    for index in 0..num_joints {
        reader.name()?;
        let [parent, _, first] = [(), (), ()].map(|()| reader.integer(shared::SYNTAX));
        let (parent, first) = (parent?, first?);
        if parent >= index {
            return reader.refuse(shared::LATE_PARENT);
        }
        let of_mesh = skeleton.and_then(|skeleton| skeleton.joints.get(index as usize));
        if of_mesh.is_some_and(|joint| joint.parent != parent) {
            return reader.refuse(pair::JOINT_PARENT);
        }
        if !(0..=components).contains(&first) {
            return reader.refuse(anim::COMPONENT_RANGE);
        }
    }
    reader.expect(b'}', shared::BLOCK_COUNT)?;
    reader.find("baseframe", anim::BLOCK_MISSING)?;
    reader.expect(b'{', shared::SYNTAX)?;
    for _ in 0..6 * num_joints {
        reader.float(anim::BASEFRAME_COUNT)?;
    }
    reader.expect(b'}', anim::BASEFRAME_COUNT)?;
    for frame in 0..num_frames {
        reader.find("frame", anim::FRAME_MISSING)?;
        if reader.integer(shared::SYNTAX)? != frame {
            return reader.refuse(anim::FRAME_ORDER);
        }
        reader.expect(b'{', shared::SYNTAX)?;
        for _ in 0..components {
            reader.float(anim::FRAME_VALUES)?;
        }
        reader.expect(b'}', anim::FRAME_VALUES)?;
    }
    Ok(())
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    /// Outcome and message of every refusal.
    outcome: Outcome,
    message: String,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Returns the span from a position to the end of its line.
    fn line(&self, from: usize) -> Span {
        let rest = self.text.get(from..).unwrap_or_default();
        let length = rest.iter().position(|byte| b"\r\n".contains(byte)).unwrap_or(rest.len());
        Span::new(from, from + length)
    }

    fn refuse<T>(&self, rule: Rule) -> Fallible<T> {
        self.refuse_at(rule, self.line(self.at))
    }

    fn refuse_at<T>(&self, rule: Rule, span: Span) -> Fallible<T> {
        refuse(self.outcome, rule, span, &*self.message)
    }

    /// Goes behind the next occurrence of a word between blanks, and returns its position.
    fn find(&mut self, word: &str, rule: Rule) -> Fallible<usize> {
        let is_blank = |byte: Option<&u8>| byte.is_none_or(|&byte| byte <= b' ');
        let is_word = |at: &usize| {
            (*at == self.at || is_blank(self.text.get(at - 1))) && is_blank(self.text.get(at + word.len()))
        };
        let found = memchr::memmem::find_iter(self.rest(), word).map(|at| self.at + at).find(is_word);
        // A word is missing somewhere.
        let Some(at) = found else { return self.refuse_at(rule, Span::default()) };
        self.at = at + word.len();
        Ok(at)
    }

    /// Reads the number behind a keyword, and returns it with its line.
    fn count(&mut self, word: &str, range: RangeInclusive<i32>, limit: Rule) -> Fallible<i32> {
        let at = self.find(word, shared::SYNTAX)?;
        let number = atoi(self.rest());
        match range.contains(&number) {
            true => Ok(number),
            false => self.refuse_at(if number < *range.start() { shared::COUNT } else { limit }, self.line(at)),
        }
    }

    fn skip_past(&mut self, byte: u8) -> Fallible<()> {
        let Some(at) = memchr::memchr(byte, self.rest()) else { return self.refuse(shared::SYNTAX) };
        self.at += at + 1;
        Ok(())
    }

    fn skip_line(&mut self) {
        self.at += memchr::memchr(b'\n', self.rest()).map_or(self.rest().len(), |end| end + 1);
    }

    /// Reads a line of `joints`, which begins after blanks and line feeds, but not after a carriage return.
    fn joint(&mut self) -> Fallible<(Joint<'a>, Span)> {
        self.at += self.rest().iter().take_while(|byte| b" \t\n".contains(byte)).count();
        let line = self.line(self.at);
        let mut name: &[u8] = &[];
        let mut numbers = self.rest();
        if let Some(quoted) = numbers.strip_prefix(b"\"") {
            let length = quoted.iter().take(NAME).take_while(|byte| **byte != b'"').count();
            (name, numbers) = (&quoted[..length], quoted.get(length + 1..).unwrap_or_default());
        }
        let mut scan = Scan::new(numbers);
        let parent = scan.integer().filter(|_| scan.vector(3) && scan.numbers(3));
        let Some(parent) = parent else {
            let rule = match self.rest() {
                [b'/', b'/' | b'*', ..] => shared::COMMENT,
                [b'}', ..] => shared::BLOCK_COUNT,
                _ if name.len() == NAME => shared::LONG_JOINT_NAME,
                _ => shared::SYNTAX,
            };
            return self.refuse_at(rule, line);
        };
        self.skip_line();
        Ok((Joint { name, parent }, line))
    }

    /// Reads the first mesh. Its blocks may be in any order.
    fn surface(&mut self, verdict: &mut Verdict, num_joints: i32) -> Fallible<()> {
        let start = self.at;
        let num_verts = self.count("numverts", 1..=MOST_VERTICES, mesh::TOO_MANY_VERTICES)?;
        let mut ranges = Vec::new();
        for row in 0..num_verts {
            let (mut scan, span) = self.record("vert")?;
            let number = scan.integer();
            let range = number.filter(|_| scan.vector(2)).and_then(|_| Some((scan.integer()?, scan.integer()?)));
            let Some((first, count)) = range else { return self.refuse_at(shared::SYNTAX, span) };
            if first < 0 || count < 0 {
                return self.refuse_at(mesh::INDEX_RANGE, span);
            }
            if number != Some(row) {
                verdict.add_misread(mesh::RECORD_NUMBER, span, || format!("this line is taken for vertex {row}"));
            }
            ranges.push((first, count));
        }
        self.at = start;
        let num_tris = self.count("numtris", 1..=MOST_TRIANGLES, mesh::TOO_MANY_TRIANGLES)?;
        for _ in 0..num_tris {
            let (mut scan, span) = self.record("tri")?;
            let corners = [(), (), (), ()].map(|()| scan.integer());
            match corners {
                [Some(_), Some(a), Some(b), Some(c)] if [a, b, c].iter().all(|it| (0..num_verts).contains(it)) => {}
                [Some(_), Some(_), Some(_), Some(_)] => return self.refuse_at(mesh::INDEX_RANGE, span),
                _ => return self.refuse_at(shared::SYNTAX, span),
            }
        }
        self.at = start;
        let num_weights = self.count("numweights", 0..=i32::MAX, mesh::TOO_MANY_WEIGHTS)?;
        let owners = Owners::of(&ranges);
        // Otherwise, the ranges themselves are in doubt.
        let is_within = |&(first, count): &(i32, i32)| i64::from(first) + i64::from(count) <= i64::from(num_weights);
        let unclaimed = match (verdict.misread.is_empty(), ranges.iter().all(is_within)) {
            (true, true) if ranges.iter().any(|&(_, count)| count == 0) => mesh::NO_WEIGHTS,
            (true, true) => mesh::UNUSED_WEIGHT,
            (true, false) => mesh::INDEX_RANGE,
            (false, _) => mesh::RECORD_COUNT,
        };
        for _ in 0..num_weights {
            let (mut scan, span) = self.record("weight")?;
            let read = (scan.integer(), scan.integer(), scan.float(), scan.numbers(3));
            let (Some(weight), Some(joint), Some(()), true) = read else { return self.refuse_at(shared::SYNTAX, span) };
            if !(0..num_weights).contains(&weight) {
                return self.refuse_at(mesh::RECORD_NUMBER, span);
            }
            if !owners.has(weight) {
                return self.refuse_at(unclaimed, span);
            }
            if !(0..num_joints).contains(&joint) {
                verdict.add_undefined(mesh::INDEX_RANGE, span, || {
                    format!("joint {joint} of {num_joints} is read from outside the array")
                });
            }
        }
        Ok(())
    }

    /// Finds the next record of a kind, and goes to the line after it.
    fn record(&mut self, word: &str) -> Fallible<(Scan<'a>, Span)> {
        let at = self.find(word, mesh::RECORD_COUNT)?;
        let scan = Scan::new(self.rest());
        self.skip_line();
        Ok((scan, self.line(at)))
    }

    /// Skips blanks, comments and parentheses.
    fn skip_fluff(&mut self) {
        loop {
            match self.rest() {
                [b'/', b'/', ..] => self.at += memchr::memchr(b'\n', self.rest()).unwrap_or(self.rest().len()),
                [0..=b' ' | b'(' | b')', ..] => self.at += 1,
                _ => return,
            }
        }
    }

    fn expect(&mut self, byte: u8, rule: Rule) -> Fallible<()> {
        self.skip_fluff();
        if self.rest().first() != Some(&byte) {
            return self.refuse(rule);
        }
        self.at += 1;
        Ok(())
    }

    fn float(&mut self, rule: Rule) -> Fallible<f64> {
        self.skip_fluff();
        let read = strtod_value(self.rest());
        if read.length == 0 {
            let word = self.rest().split(u8::is_ascii_whitespace).next().unwrap_or_default();
            return self.refuse(if word.starts_with(b"}") { rule } else { rules::number(word, false) });
        }
        self.at += read.length;
        Ok(read.value)
    }

    fn integer(&mut self, rule: Rule) -> Fallible<i32> {
        Ok(self.float(rule)? as i32)
    }

    fn name(&mut self) -> Fallible<()> {
        self.skip_fluff();
        if self.rest().first() != Some(&b'"') {
            let rule = if self.rest().starts_with(b"}") { shared::BLOCK_COUNT } else { shared::UNQUOTED_NAME };
            return self.refuse(rule);
        }
        self.at += 1;
        match memchr::memchr(b'"', self.rest()) {
            Some(end) => self.at += end + 1,
            None => return self.refuse(shared::UNCLOSED_STRING),
        }
        Ok(())
    }
}

/// Numbers of vertices that name weights: from each position on, as many as the entry says.
struct Owners(Vec<(i64, usize)>);

impl Owners {
    fn of(ranges: &[(i32, i32)]) -> Self {
        let ends =
            |&(first, count): &(i32, i32)| [(i64::from(first), true), (i64::from(first) + i64::from(count), false)];
        let mut ends: Vec<(i64, bool)> = ranges.iter().filter(|(_, count)| *count > 0).flat_map(ends).collect();
        ends.sort_unstable();
        let count = |open: &mut usize, (at, begins): (i64, bool)| {
            *open = if begins { *open + 1 } else { *open - 1 };
            Some((at, *open))
        };
        Self(ends.into_iter().scan(0, count).collect())
    }

    fn has(&self, weight: i32) -> bool {
        let after = self.0.partition_point(|&(at, _)| at <= i64::from(weight));
        after.checked_sub(1).and_then(|last| self.0.get(last)).is_some_and(|&(_, count)| count > 0)
    }
}
