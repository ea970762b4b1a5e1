//! `.md5mesh` (docs/formats/md5.md "The mesh file").

use super::frames::pieces_of;
use super::{
    Sections, absent, begins_block, capacity, count, full, mismatch, missing_brace, open, parent_out_of_range,
    repeated, trailing_text,
};
use crate::Span;
use crate::md5::error::{Error, ErrorKind, FileKind};
use crate::md5::lex::Lexer;
use crate::md5::number::Plain;
use crate::md5::warning::{Parsed, WarningKind};
use crate::md5::{Int, Joint, Mesh, MeshFile, Text, Tri, Vert, Weight};
use std::borrow::Cow;
use std::thread;

/// Stands for a negative index until the range checks, which it cannot pass.
const NO_INDEX: u32 = u32::MAX;

/// Reads a `.md5mesh`.
///
/// In the document that comes back, every parent is below `joints.len()` (or negative), every triangle's corner
/// below `verts.len()`, every weight's joint below `joints.len()`, and every vertex's weights lie within `weights`;
/// all numbers are finite in f32. Not checked: the order of joints, so a parent may come after its child, be the
/// joint itself, or lie on a cycle; how many roots there are; the sums of the weights; shapes.
///
/// # Errors
/// The first defect that cannot be repaired without guessing, with its place.
pub fn parse_mesh(bytes: &[u8]) -> Result<Parsed<MeshFile<'_>>, Error> {
    parse_mesh_in(bytes, pieces_of)
}

/// As [`parse_mesh`]; `pieces` says in how many so many bytes of meshes are read, each on a thread.
fn parse_mesh_in(bytes: &[u8], pieces: impl Fn(usize) -> usize) -> Result<Parsed<MeshFile<'_>>, Error> {
    let mut lexer = open(bytes)?;
    let document = mesh_file(&mut lexer, pieces)?;
    Ok(Parsed { document, warnings: lexer.warnings.finish() })
}

// file ::= 'MD5Version' int 'commandline' text 'numJoints' int 'numMeshes' int joints { mesh }
fn mesh_file<'a>(lexer: &mut Lexer<'a>, pieces: impl Fn(usize) -> usize) -> Result<MeshFile<'a>, Error> {
    let keywords = ["MD5Version", "commandline", "numJoints", "numMeshes", "joints", "mesh"];
    let mut sections = Sections::new(FileKind::Mesh, keywords);
    let (mut num_joints, mut num_meshes) = (None, None);
    let mut joints: Option<Vec<Joint<'a>>> = None;
    let mut meshes: Vec<Mesh<'a>> = Vec::new();
    while !lexer.at_end() {
        let start = lexer.offset();
        // Doom 3 reads no further, so what follows is no reason to refuse the file.
        let complete =
            joints.is_some() && (full(num_meshes, meshes.len()) || num_meshes.is_none() && !meshes.is_empty());
        match sections.next(lexer)? {
            Some(("numJoints", at)) => count(lexer, "numJoints", at, &mut num_joints)?,
            Some(("numMeshes", at)) => count(lexer, "numMeshes", at, &mut num_meshes)?,
            Some(("joints", at)) if joints.is_some() => {
                return Err(Error { kind: ErrorKind::RepeatedBlock { keyword: "joints" }, span: at });
            }
            Some(("joints", _)) => joints = Some(joint_block(lexer, num_joints)?),
            Some((_, at)) => {
                if meshes.is_empty() {
                    // More than threads, because meshes are unequal.
                    let pieces = 2 * pieces(lexer.rest().len()) - 1;
                    meshes = meshes_side_by_side(lexer, at.start as usize, pieces);
                    if !meshes.is_empty() {
                        continue;
                    }
                }
                let mark = lexer.warnings.mark();
                match mesh_block(lexer, at.start as usize) {
                    Ok(mesh) => meshes.push(mesh),
                    Err(_) if complete => {
                        lexer.warnings.rewind(mark);
                        trailing_text(lexer, start);
                        break;
                    }
                    Err(error) => return Err(error),
                }
            }
            None if lexer.at_end() => {}
            None if complete => {
                trailing_text(lexer, lexer.offset());
                break;
            }
            None => return Err(sections.unknown(lexer)),
        }
    }
    if sections.none_met() {
        return Err(sections.unknown(lexer));
    }
    let Some(joints) = joints else { return Err(sections.missing_block("joints", lexer)) };
    if let Some(count) = num_meshes
        && usize::try_from(count.value).is_ok_and(|declared| declared > 0)
        && meshes.is_empty()
    {
        return Err(sections.missing_block("mesh", lexer));
    }
    if let Some(error) = joints.iter().find_map(|joint| parent_out_of_range(&joint.name, joint.parent, joints.len())) {
        return Err(error);
    }
    for mesh in &mut meshes {
        check_mesh(lexer, mesh, joints.len())?;
    }
    let num_joints = sections.count_or("numJoints", num_joints, joints.len(), lexer);
    let num_meshes = sections.count_or("numMeshes", num_meshes, meshes.len(), lexer);
    let (version, command_line) = sections.finish(lexer);
    Ok(MeshFile { version, command_line, num_joints, num_meshes, joints, meshes })
}

// joints ::= 'joints' '{' { joint } '}'
fn joint_block<'a>(lexer: &mut Lexer<'a>, declared: Option<Int>) -> Result<Vec<Joint<'a>>, Error> {
    lexer.require(b'{', "'{'")?;
    let mut joints = Vec::with_capacity(capacity(lexer, declared));
    while !lexer.eat(b'}') {
        if begins_block(lexer, &["mesh"]) {
            missing_brace(lexer, "joints");
            break;
        }
        joints.push(joint(lexer)?);
    }
    Ok(joints)
}

// joint ::= text int vector3 vector3
fn joint<'a>(lexer: &mut Lexer<'a>) -> Result<Joint<'a>, Error> {
    let name = lexer.text("a joint's name or '}'")?;
    let start = name.span.start as usize;
    let parent = lexer.int("the index of the joint's parent")?;
    let position = lexer.vector()?;
    let rotation = lexer.vector()?;
    Ok(Joint { name, parent, position, rotation, span: lexer.span_from(start) })
}

/// The meshes that begin at `start`, in so many `pieces` of the rest of the file, each on a thread, up to the first that is not
/// without fault; where a piece does not end as the next begins, the meshes behind it are left. Reads nothing where there
/// would be one piece.
fn meshes_side_by_side<'a>(lexer: &mut Lexer<'a>, start: usize, pieces: usize) -> Vec<Mesh<'a>> {
    let whole = lexer.whole();
    let mut starts = vec![start];
    for piece in 1..pieces {
        let from = start + (whole.len() - start) / pieces * piece;
        let next = whole.get(from..).and_then(next_mesh).map(|offset| from + offset);
        starts.extend(next.filter(|next| starts.last() < Some(next)));
    }
    if starts.len() < 2 {
        return Vec::new();
    }
    let lexer_at = |start: usize| lexer.again(Span::new(start, whole.len()));
    let ends = starts.iter().skip(1).copied().chain([whole.len()]);
    let read: Vec<Option<Read<'a>>> = thread::scope(|scope| {
        let mut work = starts.iter().zip(ends).map(|(&start, end)| (lexer_at(start), end));
        let first = work.next();
        let started: Vec<_> = work
            .map(|(lexer, end)| thread::Builder::new().spawn_scoped(scope, move || meshes_up_to(lexer, end)))
            .collect();
        let first = first.map(|(lexer, end)| meshes_up_to(lexer, end));
        let others = started.into_iter().map(|thread| thread.ok().and_then(|thread| thread.join().ok()));
        std::iter::once(first).chain(others).collect()
    });
    let mut meshes = Vec::new();
    for read in read.into_iter().map_while(|read| read) {
        if !read.meshes.is_empty() {
            lexer.rewind(read.end);
        }
        meshes.extend(read.meshes);
        if !read.is_whole {
            break;
        }
    }
    meshes
}

/// Where a mesh may begin in `text`.
fn next_mesh(text: &[u8]) -> Option<usize> {
    let begins = |offset: &usize| {
        let mut words = Plain::new(text.get(*offset..).unwrap_or_default());
        words.word(b"mesh").and_then(|()| words.mark(b"{")).is_some()
    };
    (0..text.len()).filter(|&offset| text.get(offset) == Some(&b'm')).find(begins)
}

/// Some meshes in a row.
struct Read<'a> {
    meshes: Vec<Mesh<'a>>,
    /// Offset behind the last.
    end: usize,
    /// Whether what comes next begins where the reader was told to stop.
    is_whole: bool,
}

/// The meshes from a lexer's place to `end`, as far as they are without fault.
fn meshes_up_to(mut lexer: Lexer<'_>, end: usize) -> Read<'_> {
    let mut read = Read { meshes: Vec::new(), end: lexer.offset(), is_whole: false };
    while let Some(start) = lexer.eat_keyword(b"mesh") {
        if start >= end {
            read.is_whole = start == end && lexer.warnings.is_empty();
            break;
        }
        match mesh_block(&mut lexer, start) {
            Ok(mesh) if lexer.warnings.is_empty() => read.meshes.push(mesh),
            _ => break,
        }
        read.end = lexer.offset();
    }
    read
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
    while !lexer.eat(b'}') {
        if let Some((index, at)) = lexer.keyword(&MESH_KEYWORDS) {
            parts.line(lexer, MESH_KEYWORDS.get(index).copied().unwrap_or_default(), at)?;
        } else if parts.complete() && (lexer.at_end() || begins_block(lexer, &["mesh"])) {
            missing_brace(lexer, "mesh");
            break;
        } else {
            return Err(lexer.expected(parts.expected()));
        }
    }
    Ok(parts.finish(lexer, open, lexer.span_from(start)))
}

/// A mesh while it is being read, its lines in any order.
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
    /// The keyword of the last line.
    last: &'static str,
}

impl<'a> MeshParts<'a> {
    /// Reads what follows `keyword`, which stands at `at`; a record and all that follow it in one go.
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

    /// Keyword of the count, keyword of a record, the count, and how many records were read.
    fn lists(&self) -> [(&'static str, &'static str, Option<Int>, usize); 3] {
        [
            ("numverts", "vert", self.num_verts, self.verts.len()),
            ("numtris", "tri", self.num_tris, self.tris.len()),
            ("numweights", "weight", self.num_weights, self.weights.len()),
        ]
    }

    /// Whether all lists are as long as declared.
    fn complete(&self) -> bool {
        self.lists().iter().all(|(_, _, count, found)| full(*count, *found))
    }

    /// What should stand where an unknown word does: one more record of the list that is being read, else the
    /// counts that are missing, else the end.
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

    /// The mesh, with warnings of what is missing; `open` is behind its brace, `span` its place.
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
        let Self { name, verts, tris, weights, .. } = self;
        Mesh { name, shader, num_verts, verts, num_tris, tris, num_weights, weights, span }
    }
}

/// The record whose keyword was just read at `start`, and all of its kind that follow: those that are written as
/// exporters do by `plain`, the others by `record`.
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

/// Checks all indices of a mesh, in file order of the lists that hold them.
fn check_mesh(lexer: &mut Lexer<'_>, mesh: &mut Mesh<'_>, joints: usize) -> Result<(), Error> {
    let weights = mesh.weights.len();
    for (number, vert) in mesh.verts.iter_mut().enumerate() {
        let end = u64::from(vert.first_weight) + u64::from(vert.weight_count);
        if vert.weight_count == 0 {
            lexer.warnings.push(WarningKind::VertexWithoutWeights, vert.span);
            vert.first_weight = vert.first_weight.min(weights as u32);
        } else if end > weights as u64 {
            // The last two words; version 12 has more words in the middle.
            let words = words(lexer, vert.span);
            let (first, _) = written(lexer, vert.span, words.iter().rev().nth(1));
            let (count, span) = written(lexer, vert.span, words.last());
            return Err(Error { kind: ErrorKind::WeightsOutOfRange { vert: number, first, count, weights }, span });
        }
    }
    for (number, tri) in mesh.tris.iter().enumerate() {
        if let Some(corner) = tri.corners.iter().position(|&corner| corner as usize >= mesh.verts.len()) {
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

/// The places of a record's words, read again for an error message.
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

/// The index that a record's `word` gives, and its place.
fn written(lexer: &Lexer<'_>, record: Span, word: Option<&Span>) -> (i64, Span) {
    let span = word.copied().unwrap_or(record);
    let value = lexer.again(span).int("an index").map_or(-1, |int| int.value);
    (value, span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn text(meshes: usize) -> String {
        let mut text = format!(
            "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes {meshes}\njoints {{\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}}\n"
        );
        for mesh in 0..meshes {
            write!(
                text,
                "\nmesh {{\n\tshader \"mesh {{ {mesh}\"\n\n\tnumverts 1\n\tvert 0 ( 0.5 {mesh} ) 0 1\n\n\tnumtris 1\n\ttri 0 0 0 0\n\n\
                 \tnumweights 1\n\tweight 0 0 1 ( 1 2 {mesh} )\n}}\n"
            )
            .unwrap();
        }
        text
    }

    #[test]
    fn pieces_make_what_one_reader_makes() {
        let plain = text(9);
        let mut changed = vec![plain.clone(), text(1), text(2), plain.replace("numMeshes 9", "numMeshes 4")];
        for mesh in [0, 3, 4, 5, 8] {
            let (shader, place) = (format!("\"mesh {{ {mesh}\""), format!("( 1 2 {mesh} )"));
            for (from, to) in [
                (&shader, format!("{shader} // mesh {{")),
                (&shader, format!("{shader} /* mesh {{ */ name \"b\"")),
                (&shader, format!("{shader} flags {{ }}")),
                (&place, "( 1 2 3 4 )".to_owned()),
                (&place, "( 1, 2, 3 )".to_owned()),
                (&place, format!("{place} }} x")),
                (&place, format!("{place} // }}")),
                (&place, format!("{place} }} numMeshes 7 /*")),
                (&place, format!("{place} \0")),
                (&place, format!("{place} }} ; MESH {{")),
            ] {
                changed.push(plain.replace(from, &to));
            }
        }
        let mut refused = 0;
        for text in &changed {
            let one = parse_mesh_in(text.as_bytes(), |_| 1);
            refused += usize::from(one.is_err());
            for pieces in 2..7 {
                assert_eq!(parse_mesh_in(text.as_bytes(), |_| pieces), one, "{pieces} pieces of {text}");
            }
        }
        assert!(refused > 10 && refused < changed.len() * 2 / 3, "{refused} of {} refused", changed.len());
    }

    #[test]
    fn all_meshes_are_taken_from_all_pieces() {
        let plain = text(9);
        for pieces in 2..7 {
            let mut lexer = open(plain.as_bytes()).unwrap();
            let meshes = meshes_side_by_side(&mut lexer, plain.find("mesh {").unwrap(), pieces);
            assert_eq!((meshes.len(), lexer.rest()), (9, &b"\n"[..]), "{pieces}");
        }
    }
}
