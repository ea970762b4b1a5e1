//! OpenBVE's other parser, a C# port of an old assimp (commit bdf67e3b): each key and list must end with exactly the
//! expected separators.

mod tokens;

use super::XFile;
use super::openbve::header;
use super::openbve::place::{IDENTITY, Matrix, differ, times};
use super::openbve::thrown::{Thrown, Try, out_of_range, throw};
use crate::codes::{Rule, x as rules};
use crate::verdict::{Fallible, Outcome, Stop, Verdict, refuse};
use bindpose_parsers::Span;
use bindpose_parsers::x::FloatSize;

const HEADER: usize = 16;
/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 256;
/// Largest number of sets of texture coordinates or colours of a mesh.
const MAX_SETS: usize = 8;

pub(super) fn load(file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    let float_size = header(file)?;
    let (is_text, is_packed) = match file.header().get(8..12) {
        Some(b"txt ") => (true, false),
        Some(b"bin ") => (false, false),
        Some(b"tzip") => (true, true),
        Some(b"bzip") => (false, true),
        kind => {
            let kind = kind.unwrap_or_default().escape_ascii();
            let message = format!("Unsupported xfile format '{kind}' in {}", file.name);
            return refuse(Outcome::Refuses, rules::ENCODING, Span::new(8, 12), message);
        }
    };
    if is_packed && file.bytes.get(8..12) == file.header().get(8..12) {
        let message = "The compressed block's signature is incorrect.".to_owned();
        return refuse_seen(file, Thrown { message, at: HEADER, rule: rules::BLOCK_CORRUPT });
    }
    let mut parser = Parser {
        bytes: file.bytes,
        at: HEADER,
        is_text,
        float_size,
        numbers: 0,
        line: 0,
        lost: None,
        frames: Vec::new(),
        meshes: Vec::new(),
        is_too_deep: false,
    };
    if is_text && !is_packed {
        parser.skip_line();
        parser.look_for_lost(HEADER);
    }
    let result = parser.file().and_then(|()| parser.build());
    if let Some((rule, at, message)) = parser.lost {
        verdict.add_misread(rule, Span::new(at, at + 1), || message.to_owned());
    }
    match result {
        _ if parser.is_too_deep => Err(Stop::Lost),
        Ok(Some(at)) => {
            verdict.add_misread(rules::FRAME_IGNORED, Span::new(at, at + 1), || {
                "a mesh is shown elsewhere than its frames say: only the outermost and the innermost frame count"
                    .to_owned()
            });
            Ok(())
        }
        Ok(None) => Ok(()),
        Err(thrown) => refuse_seen(file, thrown),
    }
}

/// Refuses with an exception, whose message is shown with the file's name.
fn refuse_seen<T>(file: XFile, thrown: Thrown) -> Fallible<T> {
    let at = thrown.at.min(file.bytes.len());
    let span = Span::new(at, (at + 1).min(file.bytes.len()));
    refuse(Outcome::Refuses, thrown.rule, span, format!("{} in {}", thrown.message, file.name))
}

struct Frame {
    parent: Option<usize>,
    matrix: Option<Matrix>,
    depth: usize,
}

/// A mesh, with the properties for which later steps fail.
struct Mesh {
    frame: Option<usize>,
    vertices: usize,
    /// First three corners of each face, and its number of corners.
    faces: Vec<([u32; 3], u32)>,
    normals: usize,
    /// Number of normals of each face, and true if one has a negative index.
    normal_faces: Vec<(u32, bool)>,
    sets: [usize; 2],
    /// Number of material indices of all lists.
    face_materials: usize,
    at: usize,
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
    is_text: bool,
    float_size: FloatSize,
    /// Number of elements left of the current binary list.
    numbers: u32,
    line: u32,
    /// First part that is skipped silently: rule, offset and description.
    lost: Option<(Rule, usize, &'static str)>,
    frames: Vec<Frame>,
    meshes: Vec<Mesh>,
    is_too_deep: bool,
}

impl<'a> Parser<'a> {
    fn file(&mut self) -> Try {
        loop {
            let name = self.token()?;
            match &*name.to_ascii_lowercase() {
                b"" => return Ok(()),
                b"template" => self.template()?,
                b"frame" => self.frame(None)?,
                b"mesh" => self.mesh(None)?,
                b"animtickspersecond" => {
                    self.head()?;
                    self.int()?;
                    self.close()?;
                }
                b"animationset" => self.animation_set()?,
                b"material" => self.material()?,
                b"}" => {}
                _ => self.unknown()?,
            }
        }
    }

    fn template(&mut self) -> Try {
        self.head()?;
        self.token()?;
        loop {
            match self.token()? {
                b"}" => return Ok(()),
                b"" => {
                    let message = "Unexpected end of file reached while parsing template definition";
                    return self.fail(rules::END_INSIDE, message);
                }
                _ => {}
            }
        }
    }

    /// Skips an object up to its closing brace. Braces in strings count.
    fn unknown(&mut self) -> Try {
        const ENDED: &str = "Unexpected end of file while parsing unknown segment.";
        loop {
            let place = self.at;
            let token = self.token()?;
            let is_lost = [&b"Mesh"[..], b"Frame", b"FrameTransformMatrix"].contains(&token);
            if is_lost && self.lost.is_none() {
                self.lost = Some((
                    rules::OBJECT_SKIPPED,
                    place,
                    "this object is taken for a part of the one before it, and skipped",
                ));
            }
            match token {
                b"{" => break,
                b"" => return self.fail(rules::END_INSIDE, ENDED),
                _ => {}
            }
        }
        let mut level = 1_usize;
        while level > 0 {
            match self.token()? {
                b"{" => level += 1,
                b"}" => level -= 1,
                b"" => return self.fail(rules::END_INSIDE, ENDED),
                _ => {}
            }
        }
        Ok(())
    }

    fn frame(&mut self, parent: Option<usize>) -> Try {
        let depth = parent.and_then(|parent| self.frames.get(parent)).map_or(0, |parent| parent.depth + 1);
        if depth > MAX_DEPTH {
            self.is_too_deep = true;
            return throw(rules::TOO_DEEP, self.at, "");
        }
        self.head()?;
        let frame = self.frames.len();
        self.frames.push(Frame { parent, matrix: None, depth });
        loop {
            let name = self.token()?;
            match &*name.to_ascii_lowercase() {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file reached while parsing frame"),
                b"}" => return Ok(()),
                b"frame" => self.frame(Some(frame))?,
                b"frametransformmatrix" => {
                    self.head()?;
                    let matrix = self.floats::<16>()?;
                    self.semicolon()?;
                    self.close()?;
                    if let Some(frame) = self.frames.get_mut(frame) {
                        frame.matrix = Some(matrix);
                    }
                }
                b"mesh" => self.mesh(Some(frame))?,
                _ => self.unknown()?,
            }
        }
    }

    fn mesh(&mut self, frame: Option<usize>) -> Try {
        let at = self.at;
        self.head()?;
        let mut mesh = Mesh {
            frame,
            vertices: 0,
            faces: Vec::new(),
            normals: 0,
            normal_faces: Vec::new(),
            sets: [0; 2],
            face_materials: 0,
            at,
        };
        let vertices = self.count()?;
        for _ in 0..vertices {
            self.vector::<3>()?;
            mesh.vertices += 1;
        }
        self.end_list(vertices)?;
        let faces = self.count()?;
        for _ in 0..faces {
            let count = self.int()?;
            let mut corners = [0; 3];
            for corner in 0..i32::try_from(count).unwrap_or_default() {
                let index = self.int()?;
                if let Some(slot) = corners.get_mut(corner as usize) {
                    *slot = index;
                }
            }
            mesh.faces.push((corners, count));
            self.separators()?;
        }
        self.end_list(faces)?;
        loop {
            let name = self.token()?;
            match &*name.to_ascii_lowercase() {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing mesh structure"),
                b"}" => break,
                b"meshnormals" => self.normals(&mut mesh)?,
                b"meshtexturecoords" => self.texture_coords(&mut mesh)?,
                b"meshvertexcolors" => self.vertex_colors(&mut mesh)?,
                b"meshmateriallist" => self.material_list(&mut mesh)?,
                b"xskinmeshheader" => {
                    self.head()?;
                    (0..3).try_for_each(|_| self.int().map(drop))?;
                    self.close()?;
                }
                b"skinweights" => self.skin_weights()?,
                _ => self.unknown()?,
            }
        }
        self.meshes.push(mesh);
        Ok(())
    }

    fn skin_weights(&mut self) -> Try {
        self.head()?;
        self.string()?;
        let weights = self.count()?;
        for _ in 0..weights {
            self.int()?;
        }
        for _ in 0..weights {
            self.float()?;
        }
        self.floats::<16>()?;
        self.semicolon()?;
        self.close()
    }

    fn normals(&mut self, mesh: &mut Mesh) -> Try {
        self.head()?;
        let normals = self.count()?;
        mesh.normals = 0;
        for _ in 0..normals {
            self.vector::<3>()?;
            mesh.normals += 1;
        }
        self.end_list(normals)?;
        let faces = self.int()?;
        if faces as usize != mesh.faces.len() {
            return self.fail(rules::NORMAL_FACES, "Normal face count does not match vertex face count.");
        }
        for _ in 0..faces {
            let count = self.int()?;
            let mut is_negative = false;
            for _ in 0..i32::try_from(count).unwrap_or_default() {
                is_negative |= i32::try_from(self.int()?).is_err();
            }
            mesh.normal_faces.push((count, is_negative));
            self.separators()?;
        }
        self.end_list(faces)?;
        self.close()
    }

    fn texture_coords(&mut self, mesh: &mut Mesh) -> Try {
        self.head()?;
        let [sets, _] = &mut mesh.sets;
        if *sets == MAX_SETS {
            return self.fail(rules::CHILD_REPEATED, "Too many sets of texture coordinates");
        }
        *sets += 1;
        let count = self.int()?;
        if count as usize != mesh.vertices {
            return self.fail(rules::TEXTURE_COORDS, "Texture coord count does not match vertex count");
        }
        for _ in 0..count {
            self.vector::<2>()?;
        }
        self.end_list(count)?;
        self.close()
    }

    fn vertex_colors(&mut self, mesh: &mut Mesh) -> Try {
        self.head()?;
        let [_, sets] = &mut mesh.sets;
        if *sets == MAX_SETS {
            return self.fail(rules::CHILD_REPEATED, "Too many colorsets");
        }
        *sets += 1;
        let count = self.int()?;
        if count as usize != mesh.vertices {
            return self.fail(rules::COUNT, "Vertex color count does not match vertex count");
        }
        for _ in 0..count {
            if self.int()? as usize >= mesh.vertices {
                return self.fail(rules::COLOR_INDEX, "Vertex color index out of bounds");
            }
            self.vector::<4>()?;
            if self.is_text {
                self.skip_spaces()?;
                self.at += usize::from(matches!(self.byte()?, b';' | b','));
            }
        }
        self.end_list(count)?;
        self.close()
    }

    fn material_list(&mut self, mesh: &mut Mesh) -> Try {
        self.head()?;
        self.int()?;
        let indices = self.int()?;
        if indices as usize != mesh.faces.len() && indices != 1 {
            let message = "Per-Face material index count does not match face count.";
            return self.fail(rules::MATERIAL_INDICES, message);
        }
        for _ in 0..indices {
            self.int()?;
        }
        // A single index is repeated for all faces.
        mesh.face_materials = (mesh.face_materials + indices as usize).max(mesh.faces.len());
        if self.is_text && self.bytes.get(self.at) == Some(&b';') {
            self.at += 1;
        }
        loop {
            match self.token()? {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing mesh material list."),
                b"}" => return Ok(()),
                b"{" => {
                    self.token()?;
                    self.close()?;
                }
                b"Material" => self.material()?,
                b";" => {}
                _ => self.unknown()?,
            }
        }
    }

    fn material(&mut self) -> Try {
        self.head()?;
        self.vector::<4>()?;
        self.float()?;
        self.vector::<3>()?;
        self.vector::<3>()?;
        loop {
            let name = self.token()?;
            match &*name.to_ascii_lowercase() {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing mesh material"),
                b"}" => return Ok(()),
                b"texturefilename" | b"normalmapfilename" => {
                    self.head()?;
                    self.string()?;
                    self.close()?;
                }
                _ => self.unknown()?,
            }
        }
    }

    fn animation_set(&mut self) -> Try {
        self.head()?;
        loop {
            match self.token()? {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing animation set."),
                b"}" => return Ok(()),
                b"Animation" => self.animation()?,
                _ => self.unknown()?,
            }
        }
    }

    fn animation(&mut self) -> Try {
        self.head()?;
        loop {
            match self.token()? {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing animation."),
                b"}" => return Ok(()),
                b"AnimationKey" => self.keys()?,
                b"{" => {
                    self.token()?;
                    self.close()?;
                }
                _ => self.unknown()?,
            }
        }
    }

    fn keys(&mut self) -> Try {
        self.head()?;
        let kind = self.int()?;
        let keys = self.int()?;
        for _ in 0..i32::try_from(keys).unwrap_or_default() {
            self.int()?;
            let (wanted, name) = match kind {
                0 => (4, "quaternion"),
                1 | 2 => (3, "vector"),
                3 | 4 => (16, "matrix"),
                _ => return self.fail(rules::KEY_TYPE, &format!("Unknown key type {kind} in animation.")),
            };
            if self.int()? != wanted {
                let message = format!("Invalid number of arguments for {name} key in animation");
                return self.fail(rules::KEY_VALUES, &message);
            }
            for _ in 0..wanted {
                self.float()?;
            }
            match wanted {
                3 => self.separators()?,
                _ => self.semicolon()?,
            }
            self.separator()?;
        }
        self.close()
    }

    /// Builds the object. Returns the offset of a mesh that is displaced relative to its frames.
    fn build(&self) -> Try<Option<usize>> {
        let built = self.meshes.iter().filter(|mesh| mesh.vertices > 0 && !mesh.faces.is_empty());
        let vertices: usize = built.clone().map(|mesh| mesh.vertices).sum();
        let mut first = 0_i64;
        for mesh in built.clone() {
            if mesh.face_materials > mesh.faces.len() {
                return out_of_range(rules::MATERIAL_INDICES, mesh.at);
            }
            mesh.check_normals()?;
            for (corners, _) in mesh.faces.iter().filter(|(_, count)| *count >= 3) {
                let is_there = |&corner: &u32| {
                    usize::try_from(first + i64::from(corner as i32)).is_ok_and(|corner| corner < vertices)
                };
                if !corners.iter().all(is_there) {
                    return out_of_range(rules::FACE_INDEX, mesh.at);
                }
            }
            first += mesh.vertices as i64;
        }
        let mut whole: Vec<Matrix> = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let parent = frame.parent.and_then(|parent| whole.get(parent)).unwrap_or(&IDENTITY);
            whole.push(times(&frame.matrix.unwrap_or(IDENTITY), parent));
        }
        let has_dummy = self.frames.iter().filter(|frame| frame.parent.is_none()).count() > 1;
        let root = self.frames.first().and_then(|frame| frame.matrix).filter(|_| !has_dummy).unwrap_or(IDENTITY);
        let is_elsewhere = |mesh: &&Mesh| {
            let Some((frame, index)) = mesh.frame.and_then(|index| Some((self.frames.get(index)?, index))) else {
                return false;
            };
            let is_root = frame.parent.is_none() && !has_dummy;
            let own = if is_root { Some(IDENTITY) } else { frame.matrix };
            // The position of a mesh in an inner frame without a matrix is unknown.
            own.is_some_and(|own| differ(&times(&own, &root), whole.get(index).unwrap_or(&IDENTITY)))
        };
        Ok(built.clone().find(is_elsewhere).map(|mesh| mesh.at))
    }
}

impl Mesh {
    fn check_normals(&self) -> Try {
        if self.normal_faces.len() > self.faces.len() {
            return throw(rules::NORMAL_FACES, self.at, "nFaceNormals must match the number of faces in the mesh");
        }
        for (&(count, is_negative), &(_, corners)) in self.normal_faces.iter().zip(&self.faces) {
            if count > corners {
                let message = "nVertexNormals must match the number of verticies in the face";
                return throw(rules::NORMAL_CORNERS, self.at, message);
            }
            if is_negative {
                return out_of_range(rules::NORMAL_INDEX, self.at);
            }
        }
        Ok(())
    }
}
