//! saba's reader of MikuMikuDance accessories (tinyxfileloader, commit 29b8efa8): triangles with normals, materials and
//! texture coordinates, in exactly the expected layout. Comments count as words.

use super::XFile;
use crate::codes::{Rule, x as rules};
use crate::verdict::{Fallible, Outcome, Stop, Verdict, refuse};
use bindpose_parsers::Span;

/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 256;

pub(super) fn load(file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    let mut reader = Reader { bytes: file.bytes, at: 0, line: 1, meshes: Vec::new(), verdict };
    let has_line = memchr::memchr2(b'\r', b'\n', file.disk).is_some();
    match file.is_packed() {
        true if has_line => reader.fail(rules::ENCODING, 8, "Header error."),
        true => past_the_end(rules::ENCODING, Span::new(8, 12)),
        false => reader.file(),
    }
}

/// Ends the program: the reader advances past the end of the file.
fn past_the_end<T>(rule: Rule, span: Span) -> Fallible<T> {
    refuse(Outcome::Exits, rule, span, "the reader goes past the end of the file (segmentation fault)")
}

/// Counts of a frame's mesh. A second mesh overwrites the first.
#[derive(Default)]
struct Mesh {
    positions: usize,
    faces: usize,
    normal_faces: usize,
    face_materials: usize,
    texture_coords: usize,
    at: usize,
}

struct Reader<'a, 'v> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    meshes: Vec<Mesh>,
    verdict: &'v mut Verdict,
}

impl<'a> Reader<'a, '_> {
    fn fail<T>(&self, rule: Rule, at: usize, message: &str) -> Fallible<T> {
        let span = Span::new(at, (at + 1).min(self.bytes.len()));
        refuse(Outcome::Refuses, rule, span, format!("({}) : {message}", self.line))
    }

    /// Refuses without a message.
    fn fail_silently<T>(&self, rule: Rule, at: usize) -> Fallible<T> {
        let span = Span::new(at, (at + 1).min(self.bytes.len()));
        let detail = "the file is refused without a reason".to_owned();
        crate::verdict::refuse_silently(Outcome::Refuses, rule, span, detail)
    }

    fn file(&mut self) -> Fallible<()> {
        let Some(end) = self.bytes.iter().position(|&byte| byte == b'\r' || byte == b'\n') else {
            return past_the_end(rules::HEADER_CUT, Span::new(0, self.bytes.len()));
        };
        let header = self.bytes.get(..end).unwrap_or_default();
        if header != b"xof 0303txt 0032" {
            let expected = b"xof 0303txt 0032";
            let same = header.iter().zip(expected).take_while(|(a, b)| a == b).count();
            let rule = match same {
                0..4 if header.starts_with(b"\xef\xbb\xbf") => rules::BYTE_ORDER_MARK,
                0..4 => rules::NOT_X,
                4..8 => rules::VERSION,
                8..12 => rules::ENCODING,
                12..16 => rules::FLOAT_SIZE,
                _ => rules::FIRST_LINE,
            };
            return self.fail(rule, same, "Header error.");
        }
        self.at = end + 1;
        if self.bytes.get(end) == Some(&b'\r') {
            // One more byte is skipped, whatever it is, and then a line feed.
            self.at += 1;
            self.at += usize::from(self.byte() == Some(b'\n'));
        }
        self.line += 1;
        while self.at < self.bytes.len() {
            let before = self.at;
            let Some((kind, _)) = self.block() else {
                self.drop_rest(before);
                break;
            };
            match kind {
                b"Mesh" => {
                    self.meshes.push(Mesh::default());
                    self.mesh(self.meshes.len() - 1)?;
                }
                b"Frame" => self.frame(0)?,
                _ => self.skip_unknown(kind, before),
            }
            self.skip_spaces();
        }
        self.check_counts()
    }

    /// Reports a mesh after the position at which reading ends without an error.
    fn drop_rest(&mut self, from: usize) {
        let rest = self.bytes.get(from..).unwrap_or_default();
        if memchr::memmem::find(rest, b"Mesh").is_some() {
            let (rule, span) = (rules::SYNTAX, Span::new(from, from + 1));
            self.verdict.add_misread(rule, span, || "everything from here on is dropped".to_owned());
        }
    }

    fn skip_unknown(&mut self, kind: &[u8], at: usize) {
        if kind.eq_ignore_ascii_case(b"Mesh") || kind.eq_ignore_ascii_case(b"Frame") {
            self.verdict.add_misread(rules::OBJECT_SKIPPED, Span::new(at, at + 1), || {
                "the object is skipped: type names are compared letter by letter".to_owned()
            });
        }
        self.skip_block();
    }

    /// Checks the counts that the caller compares.
    fn check_counts(&self) -> Fallible<()> {
        for mesh in self.meshes.iter().filter(|mesh| mesh.positions > 0) {
            let span = Span::new(mesh.at, mesh.at + 1);
            if mesh.faces != mesh.normal_faces || mesh.faces != mesh.face_materials {
                let rule = if mesh.faces != mesh.normal_faces { rules::NORMAL_FACES } else { rules::MATERIAL_INDICES };
                return refuse(Outcome::Refuses, rule, span, "XFile face size error.");
            }
            if mesh.positions != mesh.texture_coords {
                return refuse(Outcome::Refuses, rules::TEXTURE_COORDS, span, "XFile uv size error.");
            }
        }
        Ok(())
    }

    fn byte(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while let Some(byte) = self.byte() {
            match byte {
                b'\r' | b'\n' => {
                    self.line += 1;
                    self.at += 1;
                    self.at += usize::from(byte == b'\r' && self.byte() == Some(b'\n'));
                }
                b' ' | b'\t' => self.at += 1,
                _ => break,
            }
        }
    }

    fn term(&mut self) -> &'a [u8] {
        self.skip_spaces();
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let is_end = |&byte: &u8| matches!(byte, b'{' | b'}' | b';' | b',' | b' ' | 9..=13);
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        self.at += length;
        self.skip_spaces();
        rest.get(..length).unwrap_or_default()
    }

    /// Reads type and name of the next block, and its opening brace.
    fn block(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        let kind = self.term();
        let mut name: &[u8] = &[];
        if self.byte() != Some(b'{') {
            name = self.term();
        }
        let opens = self.byte() == Some(b'{');
        self.at += usize::from(opens);
        opens.then_some((kind, name))
    }

    fn skip_block(&mut self) {
        let mut level = 1_usize;
        while level > 0 {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(distance) = memchr::memchr2(b'{', b'}', rest) else {
                self.at = self.bytes.len();
                return;
            };
            let skipped = rest.get(..distance).unwrap_or_default();
            self.line += memchr::memchr_iter(b'\n', skipped).count();
            self.at += distance + 1;
            match rest.get(distance) {
                Some(b'{') => level += 1,
                _ => level -= 1,
            }
        }
        self.skip_spaces();
    }

    fn delimiter(&mut self, delimiter: u8) -> Fallible<()> {
        match self.byte() {
            Some(byte) if byte == delimiter => {
                self.at += 1;
                Ok(())
            }
            Some(_) => {
                let message = format!("Failed to find delimiter.[{}]", char::from(delimiter));
                self.fail(rules::SEPARATOR_MISSING, self.at, &message)
            }
            None => past_the_end(rules::END_INSIDE, Span::new(self.bytes.len(), self.bytes.len())),
        }
    }

    /// Reads a delimiter without anything before it.
    fn bare_delimiter(&mut self, delimiter: u8) -> Fallible<()> {
        let term = self.term();
        let at = self.at;
        self.delimiter(delimiter)?;
        if term.is_empty() { Ok(()) } else { self.fail(rules::SEPARATOR_MISSING, at, "Invalid format.") }
    }

    fn int(&mut self, delimiter: u8) -> Fallible<i32> {
        let term = self.term();
        let at = self.at;
        self.delimiter(delimiter)?;
        let sign = usize::from(matches!(term.first(), Some(b'+' | b'-')));
        let digits = term.iter().skip(sign).take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(term.get(..sign + digits).unwrap_or_default()).ok();
        match text.filter(|_| digits > 0).and_then(|text| text.parse().ok()) {
            Some(value) => Ok(value),
            None => self.fail(rules::SYNTAX, at, "stoi"),
        }
    }

    /// Reads a number like C does: the rest of the word is ignored.
    fn float(&mut self, delimiter: u8) -> Fallible<()> {
        let term = self.term();
        let at = self.at;
        self.delimiter(delimiter)?;
        let body = term.strip_prefix(b"-").or(term.strip_prefix(b"+")).unwrap_or(term);
        let starts_with = |word: &[u8]| body.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
        let is_number = body.iter().find(|&&byte| byte != b'.').is_some_and(u8::is_ascii_digit);
        if !is_number && !starts_with(b"nan") && !starts_with(b"inf") {
            return self.fail(rules::SYNTAX, at, "stof");
        }
        let length = body.iter().position(|byte| !byte.is_ascii_digit() && !b".eE+-".contains(byte));
        let text = std::str::from_utf8(body.get(..length.unwrap_or(body.len())).unwrap_or_default());
        let value = text.ok().and_then(|text| text.parse::<f64>().ok()).unwrap_or_default();
        let is_in_range = value == 0.0 || (f64::from(f32::MIN_POSITIVE)..=f64::from(f32::MAX)).contains(&value);
        if is_in_range { Ok(()) } else { self.fail(rules::ODD_NUMBER, at, "stof") }
    }

    fn floats(&mut self, count: usize) -> Fallible<()> {
        (0..count).try_for_each(|_| self.float(b';'))
    }

    /// Reads a number of elements, for which memory is allocated at once.
    fn count(&mut self) -> Fallible<usize> {
        let at = self.at;
        let count = self.int(b';')?;
        usize::try_from(count).or_else(|_| {
            let message = "terminate called after throwing an instance of 'std::length_error'";
            refuse(Outcome::Exits, rules::COUNT, Span::new(at, at + 1), message)
        })
    }

    /// Reads `count` vectors of `width` numbers, separated by commas and followed by a semicolon.
    fn vectors(&mut self, width: usize) -> Fallible<usize> {
        let count = self.count()?;
        for number in 1..=count {
            self.floats(width)?;
            self.bare_delimiter(if number == count { b';' } else { b',' })?;
        }
        Ok(count)
    }

    fn triangles(&mut self) -> Fallible<usize> {
        let count = self.count()?;
        for number in 1..=count {
            self.skip_spaces();
            let at = self.at;
            if self.int(b';')? != 3 {
                return self.fail_silently(rules::POLYGON, at);
            }
            for delimiter in [b',', b',', b';'] {
                self.int(delimiter)?;
            }
            self.bare_delimiter(if number == count { b';' } else { b',' })?;
        }
        Ok(count)
    }

    fn frame(&mut self, depth: usize) -> Fallible<()> {
        if depth > MAX_DEPTH {
            return Err(Stop::Lost);
        }
        let own = self.meshes.len();
        self.meshes.push(Mesh::default());
        let at = self.at;
        match self.block() {
            None => return self.fail(rules::SYNTAX, self.at, "Failed to find block begin."),
            Some((b"FrameTransformMatrix", _)) => {}
            Some(_) => return self.fail(rules::MATRIX_MISSING, at, "Failed to find FrameTransformMatrix block."),
        }
        for _ in 0..15 {
            self.float(b',')?;
        }
        self.float(b';')?;
        self.skip_block();
        loop {
            let before = self.at;
            let Some((kind, _)) = self.block() else { break };
            match kind {
                b"Frame" => self.frame(depth + 1)?,
                b"Mesh" => self.mesh(own)?,
                _ => self.skip_unknown(kind, before),
            }
        }
        self.skip_block();
        Ok(())
    }

    fn mesh(&mut self, own: usize) -> Fallible<()> {
        let mut mesh = self.meshes.get_mut(own).map(std::mem::take).unwrap_or_default();
        mesh.at = self.at;
        mesh.positions = self.vectors(3)?;
        mesh.faces = self.triangles()?;
        self.skip_spaces();
        while self.byte().is_some_and(|byte| byte != b'}') {
            match self.block() {
                None => return self.fail(rules::SYNTAX, self.at, "Failed to find block begin."),
                Some((b"MeshNormals", _)) => {
                    self.vectors(3)?;
                    mesh.normal_faces = self.triangles()?;
                    self.skip_block();
                }
                Some((b"MeshTextureCoords", _)) => {
                    mesh.texture_coords = self.vectors(2)?;
                    self.skip_block();
                }
                Some((b"MeshMaterialList", _)) => mesh.face_materials = self.material_list()?,
                Some(_) => self.skip_block(),
            }
        }
        self.skip_block();
        if let Some(slot) = self.meshes.get_mut(own) {
            *slot = mesh;
        }
        Ok(())
    }

    fn material_list(&mut self) -> Fallible<usize> {
        let materials = self.count()?;
        let faces = self.count()?;
        for number in 1..=faces {
            self.int(if number == faces { b';' } else { b',' })?;
        }
        for _ in 0..materials {
            let at = self.at;
            match self.block() {
                None => return self.fail(rules::SYNTAX, at, "Failed to find block begin."),
                Some((b"Material", _)) => {}
                Some(_) => return self.fail(rules::MATERIAL_COUNT, at, "Failed to find material block."),
            }
            self.floats(4)?;
            self.bare_delimiter(b';')?;
            self.float(b';')?;
            for _ in 0..2 {
                self.floats(3)?;
                self.bare_delimiter(b';')?;
            }
            if let Some((kind, _)) = self.block() {
                if kind == b"TextureFilename" {
                    self.string()?;
                }
                self.skip_block();
            }
            self.skip_block();
        }
        self.skip_block();
        Ok(faces)
    }

    fn string(&mut self) -> Fallible<()> {
        self.skip_spaces();
        let at = self.at;
        let rest = self.bytes.get(at..).unwrap_or_default();
        let end = rest.strip_prefix(b"\"").and_then(|text| memchr::memchr(b'"', text));
        let Some(end) = end else { return self.fail(rules::UNCLOSED_STRING, at, "Failed to parse string.") };
        self.at += end + 2;
        self.skip_spaces();
        if self.byte().is_some_and(|byte| byte != b';') {
            return self.fail(rules::SEPARATOR_MISSING, self.at, "Failed to find delimiter.[;]");
        }
        Ok(())
    }
}
