//! `.md5mesh` (docs/formats/md5.md "The mesh file").

use super::{
    Blocks, Sections, absent, begins_block, capacity, count, entries, full, mismatch, missing_brace, only_once, open,
    parent_out_of_range, repeated,
};
use crate::Span;
use crate::md5::error::{Error, ErrorKind, FileKind};
use crate::md5::lex::Lexer;
use crate::md5::number::Plain;
use crate::md5::warning::{Parsed, Warning, WarningKind};
use crate::md5::{Int, Joint, Mesh, MeshFile, Text, Tri, Vert, Weight};
use std::borrow::Cow;

/// Begins the comment with a mesh's name.
pub const COMMENT_NAME: &[u8] = b"// meshes:";

/// Replaces a negative index until the range checks, which refuse it.
const NO_INDEX: u32 = u32::MAX;

const KEYWORDS: [&str; 6] = ["MD5Version", "commandline", "numJoints", "numMeshes", "joints", "mesh"];

/// Reads a `.md5mesh`.
///
/// In the document every parent is below `joints.len()` (or negative), every triangle's corner below `verts.len()`,
/// every weight's joint below `joints.len()`, and every vertex's weights are within `weights`. All numbers are finite
/// in f32. Not checked: the order of joints (a parent may come after its child, be the joint itself, or be on a cycle),
/// the number of roots, the sums of weights, and shapes.
///
/// # Errors
/// The first defect that cannot be repaired without guessing.
pub fn parse_mesh(bytes: &[u8]) -> Result<Parsed<MeshFile<'_>>, Error> {
    let (document, warnings) = read_mesh(bytes);
    Ok(Parsed { document: document?, warnings })
}

/// Reads as [`parse_mesh`] does. An error comes with the warnings before it.
pub fn read_mesh(bytes: &[u8]) -> (Result<MeshFile<'_>, Error>, Vec<Warning>) {
    match open(bytes) {
        Ok(mut lexer) => (mesh_file(&mut lexer), lexer.warnings.finish()),
        Err(error) => (Err(error), Vec::new()),
    }
}

/// Reads a `.md5mesh` up to the end of its joints, even if the file is damaged after them. `None` if it has none, or if
/// they cannot be read. The document has no meshes.
pub fn parse_joints(bytes: &[u8]) -> Option<MeshFile<'_>> {
    let mut lexer = open(bytes).ok()?;
    let mut blocks = MeshBlocks { only_joints: true, ..MeshBlocks::default() };
    let mut sections = Sections::new(FileKind::Mesh, KEYWORDS);
    // The first mesh ends the reading as a defect would.
    let _ = sections.collect(&mut lexer, &mut blocks);
    let MeshBlocks { num_joints, num_meshes, joints, .. } = blocks;
    let joints = joints.filter(|joints| !joints.is_empty())?;
    if joints.iter().any(|joint| parent_out_of_range(&joint.name, joint.parent, joints.len()).is_some()) {
        return None;
    }
    let num_joints = num_joints.unwrap_or_else(|| absent(lexer.end_point(), joints.len()));
    let num_meshes = num_meshes.unwrap_or_else(|| absent(lexer.end_point(), 0));
    let (version, command_line) = sections.finish(&mut lexer);
    Some(MeshFile { version, command_line, num_joints, num_meshes, joints, meshes: Vec::new() })
}

#[derive(Default)]
struct MeshBlocks<'a> {
    /// True if nothing after the joints is read.
    only_joints: bool,
    num_joints: Option<Int>,
    num_meshes: Option<Int>,
    joints: Option<Vec<Joint<'a>>>,
    meshes: Vec<Mesh<'a>>,
}

impl<'a> Blocks<'a> for MeshBlocks<'a> {
    const SURPLUS: Option<&'static str> = Some("mesh");

    fn complete(&self) -> bool {
        let found = self.meshes.len();
        self.joints.is_some() && (full(self.num_meshes, found) || self.num_meshes.is_none() && found > 0)
    }

    fn section(&mut self, lexer: &mut Lexer<'a>, keyword: &'static str, at: Span) -> Result<(), Error> {
        match keyword {
            "numJoints" => count(lexer, keyword, at, &mut self.num_joints)?,
            "numMeshes" => count(lexer, keyword, at, &mut self.num_meshes)?,
            "joints" => {
                only_once(self.joints.is_some(), keyword, at)?;
                self.joints = Some(entries(lexer, keyword, keyword, &["mesh"], self.num_joints, joint)?);
            }
            _ if self.only_joints => return Err(Error { kind: ErrorKind::NoJoints, span: at }),
            _ => {
                let mesh = mesh_block(lexer, at.start as usize);
                let found = self.meshes.len();
                self.meshes.push(mesh.map_err(|error| lexer.ends_in_list(error, "meshes", self.num_meshes, found))?);
            }
        }
        Ok(())
    }
}

// file ::= 'MD5Version' int 'commandline' text 'numJoints' int 'numMeshes' int joints { mesh }
fn mesh_file<'a>(lexer: &mut Lexer<'a>) -> Result<MeshFile<'a>, Error> {
    let mut sections = Sections::new(FileKind::Mesh, KEYWORDS);
    let mut blocks = MeshBlocks::default();
    sections.collect(lexer, &mut blocks)?;
    let MeshBlocks { num_joints, num_meshes, joints, mut meshes, .. } = blocks;
    let Some(joints) = joints else { return Err(sections.missing_block("joints", lexer)) };
    if num_meshes.is_some_and(|count| count.value > 0) && meshes.is_empty() {
        let error = sections.missing_block("mesh", lexer);
        return Err(lexer.ends_in_list(error, "meshes", num_meshes, 0));
    }
    let num_joints = sections.count_or("numJoints", num_joints, joints.len(), lexer);
    if let Some(error) = joints.iter().find_map(|joint| parent_out_of_range(&joint.name, joint.parent, joints.len())) {
        return Err(error);
    }
    for mesh in &mut meshes {
        check_mesh(lexer, mesh, joints.len())?;
    }
    let num_meshes = sections.count_or("numMeshes", num_meshes, meshes.len(), lexer);
    let (version, command_line) = sections.finish(lexer);
    Ok(MeshFile { version, command_line, num_joints, num_meshes, joints, meshes })
}

// joints ::= 'joints' '{' { joint } '}'
// joint ::= text int vector3 vector3
fn joint<'a>(lexer: &mut Lexer<'a>) -> Result<Joint<'a>, Error> {
    let name = lexer.text("a joint's name or '}'")?;
    let start = name.span.start as usize;
    let parent = lexer.int("the index of the joint's parent")?;
    let position = lexer.vector()?;
    let rotation = lexer.vector()?;
    Ok(Joint { name, parent, position, rotation, span: lexer.span_from(start) })
}

const MESH_KEYWORDS: [&str; 11] = [
    "name",
    "shader",
    "numverts",
    "vert",
    "numtris",
    "tri",
    "numweights",
    "weight",
    "flags",
    "numvertexcolors",
    "vertexcolor",
];

// mesh ::= 'mesh' '{' ['name' text] 'shader' text verts tris weights '}'
// verts ::= 'numverts' int { vert }, tris ::= 'numtris' int { tri }, weights ::= 'numweights' int { weight }
fn mesh_block<'a>(lexer: &mut Lexer<'a>, start: usize) -> Result<Mesh<'a>, Error> {
    lexer.require(b'{', "'{'")?;
    let open = lexer.offset();
    if lexer.next_is(b'}') {
        return Err(lexer.expected("'shader'"));
    }
    let mut parts = MeshParts::default();
    match mesh_lines(lexer, &mut parts) {
        Ok(()) => Ok(parts.finish(lexer, open, lexer.span_from(start))),
        Err(error) => {
            let (what, count, found) = parts.unfinished();
            Err(lexer.ends_in_list(error, what, count, found))
        }
    }
}

fn mesh_lines<'a>(lexer: &mut Lexer<'a>, parts: &mut MeshParts<'a>) -> Result<(), Error> {
    while parts.is_within_list() || !lexer.eat(b'}') {
        if let Some((index, at)) = lexer.keyword(&MESH_KEYWORDS) {
            parts.line(lexer, MESH_KEYWORDS.get(index).copied().unwrap_or_default(), at)?;
        } else if parts.complete() && (lexer.at_end() || begins_block(lexer, &["mesh"])) {
            missing_brace(lexer, "mesh");
            break;
        } else {
            return Err(lexer.expected(parts.expected()));
        }
    }
    Ok(())
}

/// Lines of a mesh that were read so far, in any order.
#[derive(Debug, Default)]
struct MeshParts<'a> {
    name: Option<Text<'a>>,
    shader: Option<Text<'a>>,
    num_verts: Option<Int>,
    verts: Vec<Vert>,
    num_tris: Option<Int>,
    tris: Vec<Tri>,
    num_weights: Option<Int>,
    weights: Vec<Weight>,
    /// Keyword of the last line.
    last: &'static str,
}

impl<'a> MeshParts<'a> {
    /// Reads the line after `keyword`, which is at `at`. Reads a record together with all following records of its
    /// kind.
    fn line(&mut self, lexer: &mut Lexer<'a>, keyword: &'static str, at: Span) -> Result<(), Error> {
        let start = at.start as usize;
        self.last = keyword;
        match keyword {
            "name" => {
                repeated(lexer, self.name.is_some(), keyword, at);
                self.name = Some(lexer.text_of(at, "a name")?);
            }
            "shader" => {
                repeated(lexer, self.shader.is_some(), keyword, at);
                self.shader = Some(lexer.text_of(at, "a shader's name")?);
            }
            "numverts" => {
                count(lexer, keyword, at, &mut self.num_verts)?;
                self.verts.reserve(capacity(lexer, self.num_verts));
            }
            "numtris" => {
                count(lexer, keyword, at, &mut self.num_tris)?;
                self.tris.reserve(capacity(lexer, self.num_tris));
            }
            "numweights" => {
                count(lexer, keyword, at, &mut self.num_weights)?;
                self.weights.reserve(capacity(lexer, self.num_weights));
            }
            "vert" => run_of(lexer, b"vert", start, &mut self.verts, plain_vert, vert)?,
            "tri" => run_of(lexer, b"tri", start, &mut self.tris, plain_tri, tri)?,
            "weight" => run_of(lexer, b"weight", start, &mut self.weights, plain_weight, weight)?,
            "flags" => {
                lexer.skip_block()?;
                lexer.warn(WarningKind::SkippedExtra { what: "flags" }, start);
            }
            "numvertexcolors" => {
                lexer.int("a count")?;
                lexer.warn(WarningKind::SkippedExtra { what: "numvertexcolors" }, start);
            }
            _ => {
                lexer.record_number("a record number")?;
                lexer.vector::<4>()?;
                lexer.warn(WarningKind::SkippedExtra { what: "vertexcolor" }, start);
            }
        }
        Ok(())
    }

    /// Returns each list: keyword of the count, keyword of a record, the count, and the number of records read.
    fn lists(&self) -> [(&'static str, &'static str, Option<Int>, usize); 3] {
        [
            ("numverts", "vert", self.num_verts, self.verts.len()),
            ("numtris", "tri", self.num_tris, self.tris.len()),
            ("numweights", "weight", self.num_weights, self.weights.len()),
        ]
    }

    /// Returns the plural noun, and the declared and found numbers, of the first list that is shorter than declared.
    fn unfinished(&self) -> (&'static str, Option<Int>, usize) {
        let lists = ["vertices", "triangles", "weights"].into_iter().zip(self.lists());
        let mut short = lists.filter(|(_, (_, _, count, found))| count.is_some() && !full(*count, *found));
        short.next().map_or(("", None, 0), |(what, (_, _, count, found))| (what, count, found))
    }

    /// True if records of the current list are missing and another list has not begun: a brace here is a stray one.
    fn is_within_list(&self) -> bool {
        let lists = self.lists();
        let is_short = |(_, record, count, found): &(_, &str, _, _)| *record == self.last && !full(*count, *found);
        lists.iter().any(is_short) && lists.iter().any(|(_, _, count, _)| count.is_none())
    }

    /// True if all lists are as long as declared.
    fn complete(&self) -> bool {
        self.lists().iter().all(|(_, _, count, found)| full(*count, *found))
    }

    /// Returns the words to expect in place of an unknown one: another record of the current list, else the missing
    /// counts, else the end.
    fn expected(&self) -> String {
        for (count_keyword, record, count, found) in self.lists() {
            if let Some(count) = count
                && [count_keyword, record].contains(&self.last)
                && !full(Some(count), found)
            {
                return format!("'{record}' ({found} of {} read)", count.value);
            }
        }
        let lists = self.lists();
        let missing = lists.iter().filter(|(_, _, count, _)| count.is_none());
        let missing: Vec<String> = missing.map(|(count_keyword, ..)| format!("'{count_keyword}'")).collect();
        if missing.is_empty() { "'}'".into() } else { missing.join(" or ") }
    }

    /// Builds the mesh and warns of missing lines. `open` is the offset after its brace.
    fn finish(self, lexer: &mut Lexer<'a>, open: usize, span: Span) -> Mesh<'a> {
        let here = Span::new(open, open);
        let [num_verts, num_tris, num_weights] = self.lists().map(|(keyword, _, count, found)| match count {
            Some(count) => {
                mismatch(lexer, keyword, count, found);
                count
            }
            None => {
                lexer.warnings.push(WarningKind::Missing { keyword }, here);
                absent(here, found)
            }
        });
        let shader = self.shader.unwrap_or_else(|| {
            lexer.warnings.push(WarningKind::Missing { keyword: "shader" }, here);
            Text { bytes: Cow::Borrowed(b""), span: here }
        });
        let comment_name = comment_name(lexer.whole(), open, shader.span.start as usize);
        let Self { name, verts, tris, weights, .. } = self;
        Mesh { name, comment_name, shader, num_verts, verts, num_tris, tris, num_weights, weights, span }
    }
}

/// Finds the mesh's name in the exporter's comment between the opening brace and the shader.
fn comment_name(bytes: &[u8], open: usize, shader: usize) -> Option<Text<'_>> {
    let before = bytes.get(..shader)?;
    let mut starts = before.get(open..)?.windows(COMMENT_NAME.len());
    let start = open + starts.position(|bytes| bytes == COMMENT_NAME)? + COMMENT_NAME.len();
    let line = before.get(start..)?.split(|&byte| byte == b'\n').next()?;
    let name = line.trim_ascii();
    let start = start + (line.len() - line.trim_ascii_start().len());
    let span = Span::new(start, start + name.len());
    Some(Text { bytes: Cow::Borrowed(name), span }).filter(|name| !name.bytes.is_empty())
}

/// Reads the record whose keyword is at `start` and all following records of its kind. `plain` reads records in the
/// form of exporters, `record` all others.
#[inline]
fn run_of<T, F: FnOnce(Span) -> T>(
    lexer: &mut Lexer<'_>,
    keyword: &[u8],
    start: usize,
    records: &mut Vec<T>,
    plain: impl Fn(&mut Plain<'_>) -> Option<F>,
    record: impl Fn(&mut Lexer<'_>, usize) -> Result<T, Error>,
) -> Result<(), Error> {
    records.push(record(lexer, start)?);
    loop {
        while let Some((record, span)) = lexer.plain(|words| words.word(keyword).and_then(|()| plain(words))) {
            records.push(record(span));
        }
        let Some(start) = lexer.eat_keyword(keyword) else { return Ok(()) };
        records.push(record(lexer, start)?);
    }
}

#[inline]
fn plain_vert(words: &mut Plain<'_>) -> Option<impl FnOnce(Span) -> Vert + use<>> {
    let (number, uv, first_weight, weight_count) = (words.int()?, words.vector()?, words.index()?, words.index()?);
    Some(move |span| Vert { number, uv, first_weight, weight_count, span })
}

#[inline]
fn plain_tri(words: &mut Plain<'_>) -> Option<impl FnOnce(Span) -> Tri + use<>> {
    let (number, corners) = (words.int()?, [words.index()?, words.index()?, words.index()?]);
    Some(move |span| Tri { number, corners, span })
}

#[inline]
fn plain_weight(words: &mut Plain<'_>) -> Option<impl FnOnce(Span) -> Weight + use<>> {
    let (number, joint, bias, offset) = (words.int()?, words.index()?, words.float()?, words.vector()?);
    Some(move |span| Weight { number, joint, bias, offset, span })
}

// vert ::= 'vert' int '(' number number ')' int int
// Version 12 has a normal and a tangent before the last two.
fn vert(lexer: &mut Lexer<'_>, start: usize) -> Result<Vert, Error> {
    let number = lexer.record_number("a record number")?;
    let uv = lexer.vector()?;
    if lexer.next_is(b'(') {
        let extra = lexer.offset();
        lexer.vector::<3>()?;
        lexer.vector::<4>()?;
        lexer.warn(WarningKind::SkippedExtra { what: "normal and tangent" }, extra);
    }
    let first_weight = index(lexer, "the index of the vertex's first weight")?;
    let weight_count = index(lexer, "the number of the vertex's weights")?;
    Ok(Vert { number, uv, first_weight, weight_count, span: lexer.span_from(start) })
}

// tri ::= 'tri' int int int int
fn tri(lexer: &mut Lexer<'_>, start: usize) -> Result<Tri, Error> {
    let number = lexer.record_number("a record number")?;
    let mut corners = [0; 3];
    for corner in &mut corners {
        *corner = index(lexer, "the index of a vertex")?;
    }
    Ok(Tri { number, corners, span: lexer.span_from(start) })
}

// weight ::= 'weight' int int number vector3
fn weight(lexer: &mut Lexer<'_>, start: usize) -> Result<Weight, Error> {
    let number = lexer.record_number("a record number")?;
    let joint = index(lexer, "the index of the weight's joint")?;
    let bias = lexer.single_float()?;
    let offset = lexer.vector()?;
    Ok(Weight { number, joint, bias, offset, span: lexer.span_from(start) })
}

fn index(lexer: &mut Lexer<'_>, expected: &'static str) -> Result<u32, Error> {
    Ok(u32::try_from(lexer.int(expected)?.value).unwrap_or(NO_INDEX))
}

/// Checks all indices of a mesh, list by list in file order.
fn check_mesh(lexer: &mut Lexer<'_>, mesh: &mut Mesh<'_>, joints: usize) -> Result<(), Error> {
    let weights = mesh.weights.len();
    let missing_weight = || {
        let numbers = mesh.weights.iter().map(|weight| (weight.number, weight.span));
        missing_record("weight", "numweights", mesh.num_weights, numbers)
    };
    for (number, vert) in mesh.verts.iter_mut().enumerate() {
        let end = u64::from(vert.first_weight) + u64::from(vert.weight_count);
        if vert.weight_count == 0 {
            lexer.warnings.push(WarningKind::VertexWithoutWeights, vert.span);
            vert.first_weight = vert.first_weight.min(weights as u32);
        } else if end > weights as u64 {
            if let Some(error) = missing_weight() {
                return Err(error);
            }
            // The last two words. Version 12 has more words in the middle.
            let words = words(lexer, vert.span);
            let (first, _) = written(lexer, vert.span, words.iter().rev().nth(1));
            let (count, span) = written(lexer, vert.span, words.last());
            return Err(Error { kind: ErrorKind::WeightsOutOfRange { vert: number, first, count, weights }, span });
        }
    }
    for (number, tri) in mesh.tris.iter().enumerate() {
        if let Some(corner) = tri.corners.iter().position(|&corner| corner as usize >= mesh.verts.len()) {
            let numbers = mesh.verts.iter().map(|vert| (vert.number, vert.span));
            if let Some(error) = missing_record("vert", "numverts", mesh.num_verts, numbers) {
                return Err(error);
            }
            let (vertex, span) = written(lexer, tri.span, words(lexer, tri.span).get(2 + corner));
            return Err(Error {
                kind: ErrorKind::VertexOutOfRange { tri: number, vertex, verts: mesh.verts.len() },
                span,
            });
        }
    }
    for (number, weight) in mesh.weights.iter().enumerate() {
        if weight.joint as usize >= joints {
            let (joint, span) = written(lexer, weight.span, words(lexer, weight.span).get(2));
            return Err(Error { kind: ErrorKind::JointOutOfRange { weight: number, joint, joints }, span });
        }
    }
    Ok(())
}

/// Returns the first gap in the written numbers of a list that has fewer records than its count says.
fn missing_record(
    record: &'static str,
    keyword: &'static str,
    count: Int,
    numbers: impl ExactSizeIterator<Item = (i64, Span)>,
) -> Option<Error> {
    let (declared, found) = (count.value, numbers.len());
    if declared <= found as i64 {
        return None;
    }
    let (first, (next, span)) = (0i64..).zip(numbers).find(|&(index, (number, _))| number != index)?;
    let last = next.checked_sub(1).filter(|&last| first <= last && last < declared)?;
    Some(Error { kind: ErrorKind::MissingRecord { record, first, last, keyword, declared, found }, span })
}

/// Returns the spans of a record's words, read again for an error message.
fn words(lexer: &Lexer<'_>, record: Span) -> Vec<Span> {
    let mut again = lexer.again(record);
    let mut words = Vec::new();
    while !again.at_end() {
        let word = again.peek();
        again.rewind(word.end as usize);
        words.push(word);
    }
    words
}

/// Returns the value and span of a record's index `word`.
fn written(lexer: &Lexer<'_>, record: Span, word: Option<&Span>) -> (i64, Span) {
    let span = word.copied().unwrap_or(record);
    let value = lexer.again(span).int("an index").map_or(-1, |int| int.value);
    (value, span)
}
