//! three.js' XLoader (threeXfileLoader 795b3c3): it finds objects by their braces, and lists by `;;`, `;,` and `,`. It
//! checks nothing. A JavaScript exception ends loading.

mod tree;

use super::XFile;
use super::openbve::place::{IDENTITY, Matrix, differ};
use crate::codes::{Rule, x as rules};
use crate::verdict::{Fallible, Outcome, Stop, Verdict, refuse};
use bindpose_core::engines::{XEnd, XLists};
use bindpose_parsers::Span;
use std::collections::HashMap;
use tree::{Object, Trouble, read_line};

/// Number of bytes read by the test for binary files.
const SMALLEST: usize = 84;
const HEADER: usize = 16;

fn throw<T>(rule: Rule, at: usize, message: &str) -> Fallible<T> {
    refuse(Outcome::Refuses, rule, Span::new(at, at + 1), message)
}

/// Returns the exception `Cannot read properties of undefined`.
fn undefined<T>(rule: Rule, at: usize, property: &str) -> Fallible<T> {
    throw(rule, at, &format!("Cannot read properties of undefined (reading '{property}')"))
}

fn hang<T>(rule: Rule, at: usize) -> Fallible<T> {
    refuse(Outcome::Exits, rule, Span::new(at, at + 1), "endless loop: the page hangs")
}

pub(super) fn load(file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    if file.disk.len() < SMALLEST {
        return throw(rules::NOTHING, 0, "Offset is outside the bounds of the DataView");
    }
    if file.is_packed() || file.header().get(8..12) == Some(b"bin ") {
        return read_tokens(file.disk, verdict);
    }
    let tree = match tree::read(file.bytes) {
        Ok(tree) => tree,
        Err(Trouble::Deep) => return Err(Stop::Lost),
        Err(Trouble::Hang(at)) => return hang(rules::END_INSIDE, at),
        Err(Trouble::Overflow(at)) => return throw(rules::END_INSIDE, at, "Maximum call stack size exceeded"),
    };
    if tree.objects.is_empty() {
        let is_text = file.header().get(8..12) == Some(b"txt ");
        return undefined(if is_text { rules::NOTHING } else { rules::ENCODING }, 8, "worked");
    }
    let rest = file.bytes.get(tree.end..).unwrap_or_default();
    if tree.end > 0 && memchr::memmem::find(rest, b"Mesh").is_some() {
        let span = Span::new(tree.end, tree.end + 1);
        verdict.add_misread(rules::SYNTAX, span, || "everything from here on is dropped".to_owned());
        verdict.reading.end = Some(XEnd { at: tree.end - 1, open: 0 });
    }
    let mut loader = Loader {
        bytes: file.bytes,
        verdict,
        frames: Vec::new(),
        by_name: HashMap::new(),
        current_frame: None,
        mesh: None,
        is_misread: false,
        set: None,
        animation: None,
    };
    loader.objects(&tree.objects)
}

/// Reads a compressed or binary file: braces are searched in it as in text, and the objects between them have unknown
/// types.
fn read_tokens(disk: &[u8], verdict: &mut Verdict) -> Fallible<()> {
    match tree::read(disk) {
        Ok(tree) if tree.objects.is_empty() => undefined(rules::ENCODING, 8, "worked"),
        Ok(_) | Err(Trouble::Deep) => {
            verdict.add_misread(rules::ENCODING, Span::new(8, 12), || {
                "the data is searched for braces as if it were text: nothing is shown".to_owned()
            });
            verdict.reading.end = Some(XEnd { at: HEADER, open: 0 });
            Ok(())
        }
        Err(Trouble::Hang(_)) => hang(rules::ENCODING, 8),
        Err(Trouble::Overflow(_)) => throw(rules::ENCODING, 8, "Maximum call stack size exceeded"),
    }
}

#[derive(Default)]
struct Frame {
    name: Vec<u8>,
    parent: Option<Vec<u8>>,
    matrix: Option<Matrix>,
    has_bone: bool,
}

/// The mesh being read.
struct Mesh {
    lists: XLists,
    is_skinned: bool,
    frame: Option<usize>,
}

/// Lists of vertices or of faces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum List {
    Mesh,
    Normals,
}

struct Loader<'a, 'v> {
    bytes: &'a [u8],
    verdict: &'v mut Verdict,
    frames: Vec<Frame>,
    by_name: HashMap<Vec<u8>, usize>,
    current_frame: Option<usize>,
    mesh: Option<Mesh>,
    /// True if the current mesh has other vertices or faces than are written.
    is_misread: bool,
    /// Number of keys of each animation in the current set.
    set: Option<Vec<usize>>,
    /// Number of keys of the current animation.
    animation: Option<usize>,
}

/// Returns the result of JavaScript's `parseFloat`.
fn leading_float(text: &[u8]) -> f64 {
    let text = text.trim_ascii_start();
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let length = text.iter().take_while(|byte| is_part(byte)).count();
    let numbers = (1..=length).rev().filter_map(|end| std::str::from_utf8(text.get(..end)?).ok()?.parse().ok());
    numbers.into_iter().next().unwrap_or(f64::NAN)
}

fn leading_int(text: &[u8]) -> Option<u32> {
    let text = text.trim_ascii_start();
    let length = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(text.get(..length)?).ok()?.parse().ok()
}

/// Returns the result of JavaScript's `substr`.
fn substr(text: &[u8], from: usize, length: usize) -> &[u8] {
    let rest = text.get(from..).unwrap_or_default();
    rest.get(..length).unwrap_or(rest)
}

/// Finds the first occurrence of `needle` at or after an offset.
fn search(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    memchr::memmem::find(text.get(from..)?, needle).map(|at| from + at)
}

impl<'a> Loader<'a, '_> {
    fn data(&self, object: &Object) -> &'a [u8] {
        self.bytes.get(object.data.clone()).unwrap_or_default()
    }

    fn objects(&mut self, objects: &[Object]) -> Fallible<()> {
        let mut at = 0;
        let mut outer: Vec<&Object> = Vec::new();
        while let Some(object) = objects.get(at) {
            if object.is_top_level && at > 0 {
                self.output(object.at)?;
            }
            while outer.last().is_some_and(|outer| outer.end <= at) {
                outer.pop();
            }
            self.object(object, outer.last().copied())?;
            outer.push(object);
            // Textures are read together with their material.
            at = if object.kind == b"Material" { object.end } else { at + 1 };
        }
        self.output(self.bytes.len().saturating_sub(1))
    }

    fn object(&mut self, object: &Object, outer: Option<&Object>) -> Fallible<()> {
        match object.kind {
            b"Frame" => {
                self.begin_frame(object, outer);
                Ok(())
            }
            b"FrameTransformMatrix" => self.matrix(object),
            b"Mesh" => {
                self.output(object.at)?;
                let frame = self.current_frame;
                let lists = XLists { at: object.at, ..XLists::default() };
                self.is_misread = false;
                self.mesh = Some(Mesh { lists, is_skinned: false, frame });
                self.make_bone(object.at)?;
                self.lists(object, List::Mesh)
            }
            b"MeshNormals" => self.lists(object, List::Normals),
            b"MeshTextureCoords" if self.mesh.is_none() => {
                throw(rules::OBJECT_SKIPPED, object.at, "Cannot set properties of undefined (setting 'faceVertexUvs')")
            }
            b"MeshMaterialList" => self.material_list(object),
            b"Material" if self.mesh.is_none() => undefined(rules::MATERIAL_OUTSIDE, object.at, "push"),
            b"SkinWeights" => match &mut self.mesh {
                Some(mesh) => {
                    mesh.is_skinned = true;
                    Ok(())
                }
                None => undefined(rules::OBJECT_SKIPPED, object.at, "length"),
            },
            b"AnimationSet" => {
                self.output(object.at)?;
                self.set = Some(Vec::new());
                Ok(())
            }
            b"Animation" => {
                if let Some(keys) = self.animation.replace(0) {
                    match &mut self.set {
                        Some(set) => set.push(keys),
                        None => return undefined(rules::LOOSE_ANIMATION, object.at, "push"),
                    }
                }
                Ok(())
            }
            b"AnimationKey" => self.keys(object),
            kind => {
                if object.has_junk
                    && search(self.bytes.get(..object.at).unwrap_or_default(), b"Mesh", self.head(object)).is_some()
                {
                    let span = Span::new(object.at, object.at + 1);
                    let kind = String::from_utf8_lossy(kind).into_owned();
                    self.verdict.reading.lists.push(XLists { at: object.at, ..XLists::default() });
                    self.verdict.add_misread(rules::OBJECT_SKIPPED, span, || {
                        format!("the mesh is skipped: '{kind}' is taken for its type")
                    });
                }
                Ok(())
            }
        }
    }

    /// Returns the start of the line with the words before an object's brace.
    fn head(&self, object: &Object) -> usize {
        let before = self.bytes.get(..object.at).unwrap_or_default().trim_ascii_end();
        memchr::memrchr3(b'{', b'}', b'\n', before).map_or(0, |at| at + 1)
    }

    fn begin_frame(&mut self, object: &Object, outer: Option<&Object>) {
        let parent = outer.map(|outer| outer.name.to_vec());
        let name = object.name.to_vec();
        self.by_name.insert(name.clone(), self.frames.len());
        self.current_frame = Some(self.frames.len());
        self.frames.push(Frame { name, parent, matrix: None, has_bone: false });
    }

    fn matrix(&mut self, object: &Object) -> Fallible<()> {
        let mut matrix = [f64::NAN; 16];
        for (cell, word) in matrix.iter_mut().zip(self.data(object).split(|&byte| byte == b',')) {
            *cell = leading_float(word);
        }
        if let Some(frame) = self.current_frame.and_then(|frame| self.frames.get_mut(frame)) {
            frame.matrix = Some(matrix);
        }
        let holds_mesh = self.mesh.as_ref().is_some_and(|mesh| mesh.frame == self.current_frame);
        if holds_mesh {
            self.check_own_matrix(self.current_frame, object.at);
        }
        self.make_bone(object.at)
    }

    /// Reports a mesh's own frame with a matrix: it moves the bone, but not the mesh.
    fn check_own_matrix(&mut self, frame: Option<usize>, at: usize) {
        let matrix = frame.and_then(|frame| self.frames.get(frame)).and_then(|frame| frame.matrix);
        if matrix.is_some_and(|matrix| differ(&matrix, &IDENTITY)) {
            self.verdict.add_misread(rules::FRAME_IGNORED, Span::new(at, at + 1), || {
                "the mesh is shown without the matrix of its own frame".to_owned()
            });
        }
    }

    fn make_bone(&mut self, at: usize) -> Fallible<()> {
        let Some(frame) = self.current_frame.and_then(|frame| self.frames.get_mut(frame)) else { return Ok(()) };
        if frame.matrix.is_none() {
            return Ok(());
        }
        frame.has_bone = true;
        let parent = frame.parent.as_ref().and_then(|parent| self.by_name.get(parent));
        match parent.and_then(|&parent| self.frames.get(parent)) {
            Some(parent) if !parent.has_bone => undefined(rules::MATRIX_MISSING, at, "add"),
            _ => Ok(()),
        }
    }

    /// Reads vertices and faces, or normals and their faces.
    fn lists(&mut self, object: &Object, list: List) -> Fallible<()> {
        let data = self.data(object);
        let place = object.data.start;
        let (mut at, mut mode, mut largest, mut entry) = (0, 0, 0, 0);
        let (mut is_count_due, mut declared) = (true, None);
        // Separator before the first vertex beyond the count: the end of the list was not found.
        let mut missed = None;
        // If the end of a list is not found, the script returns to the beginning.
        for _ in 0..=2 * data.len() + 8 {
            if is_count_due {
                declared = read_line(data.get(at..).unwrap_or_default()).and_then(leading_int);
                at = search(data, b";", at).map_or(0, |end| end + 1);
                is_count_due = false;
                entry = 0;
                largest = search(data, b";;", at).map_or(data.len(), |end| end + 1);
            } else {
                let found = match mode {
                    0 => search(data, b",", at),
                    1 => search(data, b";,", at),
                    _ => None,
                };
                let mut end = found.map_or(0, |found| found + 1);
                let is_last = end == 0 || end > largest;
                if is_last {
                    end = largest;
                    is_count_due = true;
                }
                let line = data.get(at..end).unwrap_or_default();
                if mode == 0 && declared == Some(entry) {
                    missed.get_or_insert(place + at.saturating_sub(2));
                }
                self.entry(list, mode, entry as usize, line, missed.unwrap_or(place + at))?;
                at = end + 1;
                entry += 1;
                mode += usize::from(is_last);
            }
            if at >= data.len() {
                if declared != Some(0) && list == List::Mesh {
                    self.check_lists(object.at, missed);
                }
                return Ok(());
            }
        }
        hang(rules::SEPARATOR_MISSING, place)
    }

    /// Reports a mesh in which no face was found, and keeps the lists of one that is not shown as it is written.
    fn check_lists(&mut self, at: usize, missed: Option<usize>) {
        let Some(Mesh { lists, .. }) = &self.mesh else { return };
        if lists.triangles.is_empty() {
            self.is_misread = true;
            let at = missed.unwrap_or(at);
            self.verdict.misread.retain(|known| missed.is_none_or(|missed| known.span.start as usize != missed));
            self.verdict.add_misread(rules::SEPARATOR_MISSING, Span::new(at, at + 1), || {
                "no face of this mesh is found: lists must end in ';;', and faces in ';,'".to_owned()
            });
        }
        let is_vertex = |corner: &Option<u32>| corner.is_some_and(|corner| (corner as usize) < lists.vertices.len());
        if self.is_misread || !lists.triangles.iter().flatten().all(is_vertex) {
            self.verdict.reading.lists.push(lists.clone());
        }
    }

    fn entry(&mut self, list: List, mode: usize, number: usize, line: &[u8], at: usize) -> Fallible<()> {
        if mode > 1 {
            return Ok(());
        }
        let Some(text) = read_line(line.trim_ascii()) else { return hang(rules::COMMENT_AT_END, at) };
        let (start, drops, separator) = if mode == 0 { (0, 2, b';') } else { (2, 4, b',') };
        let part = substr(text, start, line.len().saturating_sub(drops));
        let mut words = part.split(|&byte| byte == separator);
        let mut words = || words.next().unwrap_or_default();
        let Some(Mesh { lists, .. }) = &mut self.mesh else { return undefined(rules::OBJECT_SKIPPED, at, "push") };
        let written = text.split(|byte| matches!(byte, b';' | b','));
        let numbers = |skipped| {
            let words = written.clone().skip(skipped).take(3).map(|word| std::str::from_utf8(word.trim_ascii()));
            words.map(|word| word.ok()?.parse().ok()).collect::<Vec<Option<f64>>>()
        };
        let (found, written, instead) = match (list, mode) {
            (List::Mesh, 0) => {
                let found = [words(), words(), words()].map(leading_float);
                lists.vertices.push(found.map(|number| if number.is_nan() { 0.0 } else { number }));
                (found, numbers(0), "0")
            }
            (List::Mesh, _) => {
                let found = [words(), words(), words()];
                lists.triangles.push(found.map(leading_int));
                if leading_int(text).is_some_and(|corners| corners > 3) {
                    self.verdict.add_misread(rules::POLYGON, Span::new(at, at + 1), || {
                        "only the first three corners of a face are shown".to_owned()
                    });
                }
                (found.map(leading_float), numbers(1), "a corner at the origin")
            }
            (List::Normals, 1) if number >= lists.triangles.len() => {
                let message = "Cannot set properties of undefined (setting 'vertexNormals')";
                return throw(rules::NORMAL_FACES, at, message);
            }
            (List::Normals, _) => return Ok(()),
        };
        self.is_misread |= found.map(Some) != *written;
        let mut all = found.iter().zip(&written);
        if all.any(|(found, written)| found.is_nan() || written.is_some_and(|written| written != *found)) {
            let message = match found.iter().any(|number| number.is_nan()) {
                true => format!("what is read here is not a number, and counts as {instead}"),
                false => "numbers are read otherwise than they are written".to_owned(),
            };
            self.verdict.add_misread(rules::SYNTAX, Span::new(at, at + 1), || message);
        }
        Ok(())
    }

    fn material_list(&mut self, object: &Object) -> Fallible<()> {
        let data = self.data(object);
        let mut at = 0;
        for _ in 0..2 {
            at = search(data, b";", at).map_or(0, |end| end + 1);
            if at >= data.len() {
                return Ok(());
            }
        }
        let end = search(data, b";", at).unwrap_or(data.len());
        let line = data.get(at..end).unwrap_or_default();
        let Some(text) = read_line(line.trim_ascii()) else { return hang(rules::COMMENT_AT_END, object.at) };
        let materials: Vec<u32> =
            text.split(|&byte| byte == b',').map(|index| leading_int(index).unwrap_or(0)).collect();
        match &self.mesh {
            None => undefined(rules::OBJECT_SKIPPED, object.at, "faces"),
            Some(mesh) if materials.len() > mesh.lists.triangles.len() => {
                let message = "Cannot set properties of undefined (setting 'materialIndex')";
                throw(rules::MATERIAL_INDICES, object.at, message)
            }
            Some(mesh) => {
                if matches!(materials[..], [material] if material > 0) && mesh.lists.triangles.len() > 1 {
                    self.verdict.add_misread(rules::SINGLE_MATERIAL_INDEX, Span::new(object.at, object.at + 1), || {
                        "only the first face gets the material, the others the first of all".to_owned()
                    });
                    self.verdict.reading.lists.retain(|lists| lists.at != mesh.lists.at);
                    self.verdict.reading.lists.push(XLists { materials, ..mesh.lists.clone() });
                }
                Ok(())
            }
        }
    }

    fn keys(&mut self, object: &Object) -> Fallible<()> {
        let data = self.data(object);
        if leading_int(data) == Some(3) {
            self.skip_keys(object);
        }
        let mut at = 0;
        for _ in 0..2 {
            at = search(data, b";", at).map_or(0, |end| end + 1);
        }
        let text = data.get(at..).unwrap_or_default().trim_ascii();
        let Some(text) = read_line(text) else { return hang(rules::COMMENT_AT_END, object.at) };
        let Some(keys) = &mut self.animation else {
            let message = "Cannot read properties of null (reading 'keyFrames')";
            return throw(rules::LOOSE_ANIMATION, object.at, message);
        };
        let mut rest = text;
        loop {
            let end = memchr::memmem::find(rest, b";;,");
            let key = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            if memchr::memchr_iter(b';', key).nth(1).is_none() {
                return undefined(rules::KEY_VALUES, object.at, "split");
            }
            *keys += 1;
            let Some(end) = end else { return Ok(()) };
            rest = rest.get(end + 3..).unwrap_or_default();
        }
    }

    /// Reports keys of type 3, whose times count, but not their matrices.
    fn skip_keys(&mut self, object: &Object) {
        let span = Span::new(object.at, object.at + 1);
        self.verdict.add_misread(rules::KEY_TYPE_3, span, || "keys of type 3 move nothing".to_owned());
        let end = search(self.bytes, b"}", object.at).map_or(self.bytes.len(), |end| end + 1);
        self.verdict.reading.skip(Span::new(self.head(object), end), self.bytes);
    }

    /// Ends a mesh or an animation set.
    fn output(&mut self, at: usize) -> Fallible<()> {
        if let Some(mesh) = self.mesh.take() {
            match mesh.is_skinned {
                true => self.check_bones(&mesh)?,
                false => self.check_own_matrix(mesh.frame, mesh.lists.at),
            }
        }
        if let Some(mut set) = self.set.take() {
            set.extend(self.animation.take());
            match set.first() {
                None => return undefined(rules::NOTHING, at, "keys"),
                Some(0) => return undefined(rules::NO_TARGET, at, "time"),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Checks the bones: all frames from the parent of a skinned mesh's frame on.
    fn check_bones(&self, mesh: &Mesh) -> Fallible<()> {
        let parent = mesh.frame.and_then(|frame| self.frames.get(frame)?.parent.as_ref());
        let Some(&first) = parent.and_then(|parent| self.by_name.get(parent)) else { return Ok(()) };
        let is_shadowed = |(at, frame): (usize, &Frame)| self.by_name.get(&frame.name) != Some(&at);
        let mut later = self.frames.iter().enumerate().skip(first).filter(|&frame| !is_shadowed(frame));
        match later.any(|(_, frame)| frame.matrix.is_none()) {
            true => undefined(rules::MATRIX_MISSING, mesh.lists.at, "elements"),
            false => Ok(()),
        }
    }
}
