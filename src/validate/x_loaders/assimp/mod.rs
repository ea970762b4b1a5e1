//! assimp (`XFileParser`, `XFileImporter`; 5.2.5 to 6.0.5, and 21bea12f), and OpenBVE's other parser, a C# port of an old
//! assimp (commit bdf67e3b): each key and list must end with exactly the expected separators.

mod header;
mod scene;
mod tokens;

use super::XFile;
use super::openbve::place::Matrix;
use super::openbve::thrown::{Thrown, Try, throw};
use crate::codes::{Rule, x as rules};
use crate::verdict::{Fallible, Outcome, Stop, Verdict, refuse};
use bindpose_parsers::Span;
use bindpose_parsers::x::FloatSize;

const HEADER: usize = 16;
/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 256;
/// Largest number of sets of texture coordinates or colours of a mesh.
const MAX_SETS: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Version {
    /// OpenBVE's port.
    Port,
    /// Releases up to 6.0.5.
    Release,
    /// Versions after 6.0.5, which read FVFData.
    Later,
}

/// Types that are read, in the letters that assimp expects. The port ignores case in the places where it says so.
const TYPES: [&[u8]; 20] = [
    b"template",
    b"Frame",
    b"FrameTransformMatrix",
    b"Mesh",
    b"MeshNormals",
    b"MeshTextureCoords",
    b"MeshVertexColors",
    b"MeshMaterialList",
    b"XSkinMeshHeader",
    b"SkinWeights",
    b"FVFData",
    b"Material",
    b"TextureFilename",
    b"TextureFileName",
    b"NormalmapFilename",
    b"NormalmapFileName",
    b"AnimTicksPerSecond",
    b"AnimationSet",
    b"Animation",
    b"AnimationKey",
];

pub(super) fn load(version: Version, file: XFile, verdict: &mut Verdict) -> Fallible<()> {
    let mut parser = match header::parser(version, file)? {
        Ok(parser) => parser,
        Err(thrown) => return refuse_seen(version, file, thrown),
    };
    let result = parser.file().and_then(|()| if version == Version::Port { parser.build() } else { Ok(None) });
    if let Some((rule, at, message)) = parser.lost.take() {
        verdict.add_misread(rule, Span::new(at, at + 1), || message);
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
        Ok(None) if version != Version::Port => parser.import(verdict),
        Ok(None) => Ok(()),
        Err(thrown) => refuse_seen(version, file, thrown),
    }
}

/// Refuses with an exception. OpenBVE shows its message with the file's name.
fn refuse_seen<T>(version: Version, file: XFile, thrown: Thrown) -> Fallible<T> {
    let at = thrown.at.min(file.bytes.len());
    let span = Span::new(at, (at + 1).min(file.bytes.len()));
    let message = match version {
        Version::Port => format!("{} in {}", thrown.message, file.name),
        Version::Release | Version::Later => thrown.message,
    };
    refuse(Outcome::Refuses, thrown.rule, span, message)
}

struct Frame {
    parent: Option<usize>,
    matrix: Option<Matrix>,
    depth: usize,
}

/// A mesh, with the properties for which later steps fail.
#[derive(Default)]
struct Mesh<'a> {
    frame: Option<usize>,
    vertices: usize,
    /// Positions that are in the file.
    positions: Vec<[f32; 3]>,
    faces: Faces,
    normals: usize,
    normal_faces: Faces,
    sets: [usize; 2],
    /// Number of texture coordinates of the shortest set.
    coords: usize,
    /// Material indices of all lists.
    face_materials: Vec<u32>,
    /// Number of materials in the lists.
    materials: usize,
    bones: Vec<Bone<'a>>,
    at: usize,
}

struct Bone<'a> {
    name: &'a [u8],
    weights: Vec<(u32, f32)>,
    at: usize,
}

/// Indices of faces.
#[derive(Default)]
struct Faces {
    corners: Vec<u32>,
    /// End in `corners` of each face, and the number of corners in the file.
    ends: Vec<(usize, u32)>,
}

impl Faces {
    fn end(&mut self, count: u32) {
        self.ends.push((self.corners.len(), count));
    }

    /// Returns the indices of each face, and its number of corners in the file.
    fn iter(&self) -> impl Iterator<Item = (&[u32], u32)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, &(end, count))| (self.corners.get(start..end).unwrap_or_default(), count))
    }
}

/// An animated frame: times of the keys by kind, which are rotation, scale, position and matrix.
struct Channel {
    times: [Vec<u32>; 4],
    at: usize,
}

struct Parser<'a> {
    version: Version,
    bytes: &'a [u8],
    at: usize,
    is_text: bool,
    float_size: FloatSize,
    /// Number of elements left of the current binary list.
    numbers: u32,
    line: u32,
    /// First part that is skipped silently: rule, offset and description.
    lost: Option<(Rule, usize, String)>,
    frames: Vec<Frame>,
    meshes: Vec<Mesh<'a>>,
    sets: Vec<Vec<Channel>>,
    is_too_deep: bool,
}

impl<'a> Parser<'a> {
    /// Returns the type that a word names, or the word itself.
    fn type_of(&self, word: &'a [u8]) -> &'a [u8] {
        let is_port = self.version == Version::Port;
        let named = TYPES.iter().find(|name| is_port && name.eq_ignore_ascii_case(word));
        named.copied().unwrap_or(word)
    }

    fn file(&mut self) -> Try {
        loop {
            let name = self.token()?;
            match self.type_of(name) {
                b"" => return Ok(()),
                b"template" => self.template()?,
                b"Frame" => self.frame(None)?,
                b"Mesh" => self.mesh(None)?,
                b"AnimTicksPerSecond" => {
                    self.head()?;
                    self.int()?;
                    self.close()?;
                }
                b"AnimationSet" => self.animation_set()?,
                b"Material" => self.material()?,
                b"}" => {}
                _ => self.unknown(name)?,
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
    fn unknown(&mut self, name: &[u8]) -> Try {
        const ENDED: &str = "Unexpected end of file while parsing unknown segment.";
        let start = self.at.saturating_sub(name.len());
        let meant = TYPES.iter().find(|known| known.eq_ignore_ascii_case(name) && **known != name);
        if let Some(meant) = meant.filter(|_| self.lost.is_none()) {
            let [name, meant] = [name, meant].map(String::from_utf8_lossy);
            let message = format!("{name} is not {meant} here: the object is skipped and not shown");
            self.lost = Some((rules::TYPE_CASE, start, message));
        }
        loop {
            let place = self.at;
            let token = self.token()?;
            let rule = match token {
                b"Mesh" | b"Frame" | b"FrameTransformMatrix" => Some((rules::OBJECT_SKIPPED, place)),
                b"AnimationKey" => Some((rules::SYNTAX, start)),
                _ => None,
            };
            if let Some((rule, place)) = rule.filter(|_| self.lost.is_none()) {
                let message = "this object is taken for a part of the one before it, and skipped".to_owned();
                self.lost = Some((rule, place, message));
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
            match self.type_of(name) {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file reached while parsing frame"),
                b"}" => return Ok(()),
                b"Frame" => self.frame(Some(frame))?,
                b"FrameTransformMatrix" => {
                    self.head()?;
                    let matrix = self.floats::<16>()?;
                    self.semicolon()?;
                    self.close()?;
                    if let Some(frame) = self.frames.get_mut(frame) {
                        frame.matrix = Some(matrix);
                    }
                }
                b"Mesh" => self.mesh(Some(frame))?,
                _ => self.unknown(name)?,
            }
        }
    }

    fn mesh(&mut self, frame: Option<usize>) -> Try {
        let at = self.at;
        self.head()?;
        let mut mesh = Mesh { frame, coords: usize::MAX, at, ..Mesh::default() };
        let vertices = self.count()?;
        mesh.vertices = vertices as usize;
        self.repeat(vertices, |parser| {
            mesh.positions.push(parser.vector::<3>()?.map(|value| value as f32));
            Ok(())
        })?;
        self.end_list(vertices)?;
        let faces = self.count()?;
        self.repeat(faces, |parser| {
            let count = parser.int()?;
            parser.repeat(count, |parser| {
                let index = parser.int()?;
                if parser.version == Version::Port || index <= vertices {
                    mesh.faces.corners.push(index);
                } else if parser.lost.is_none() {
                    let message = format!("vertex {index} of {vertices} is left out of its face");
                    parser.lost = Some((rules::FACE_INDEX, parser.at, message));
                }
                Ok(())
            })?;
            mesh.faces.end(count);
            parser.separators()
        })?;
        self.end_list(faces)?;
        self.children(&mut mesh)?;
        self.meshes.push(mesh);
        Ok(())
    }

    fn children(&mut self, mesh: &mut Mesh<'a>) -> Try {
        loop {
            let name = self.token()?;
            match self.type_of(name) {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing mesh structure"),
                b"}" => return Ok(()),
                b"MeshNormals" => self.normals(mesh)?,
                b"MeshTextureCoords" => self.texture_coords(mesh)?,
                b"MeshVertexColors" => self.vertex_colors(mesh)?,
                b"MeshMaterialList" => self.material_list(mesh)?,
                b"XSkinMeshHeader" => {
                    self.head()?;
                    (0..3).try_for_each(|_| self.int().map(drop))?;
                    self.close()?;
                }
                b"SkinWeights" => self.skin_weights(mesh)?,
                b"FVFData" if self.version == Version::Later => self.fvf_data(mesh)?,
                _ => self.unknown(name)?,
            }
        }
    }

    /// Reads FVFData's bits of texture coordinates as whole numbers.
    fn fvf_data(&mut self, mesh: &mut Mesh) -> Try {
        let at = self.at;
        self.head()?;
        let sets = (self.int()? as usize & 0xf00) >> 8;
        let words = self.int()?;
        let [known, _] = &mut mesh.sets;
        if *known + sets > MAX_SETS {
            return self.fail(rules::CHILD_REPEATED, "Too many sets of texture coordinates");
        }
        *known += sets;
        if sets > 0 {
            let coords = words as usize / (2 * sets);
            mesh.coords = mesh.coords.min(coords);
            self.repeat(u32::try_from(coords * sets * 2).unwrap_or(words), |parser| parser.int().map(drop))?;
            if self.lost.is_none() {
                let message = "the bits of FVFData's texture coordinates are taken for whole numbers".to_owned();
                self.lost = Some((rules::FVF_DATA, at, message));
            }
        }
        self.close()
    }

    fn skin_weights(&mut self, mesh: &mut Mesh<'a>) -> Try {
        self.head()?;
        let at = self.at;
        let mut bone = Bone { name: self.string()?, weights: Vec::new(), at };
        let weights = self.count()?;
        self.repeat(weights, |parser| {
            bone.weights.push((parser.int()?, 0.0));
            Ok(())
        })?;
        let mut read = bone.weights.iter_mut();
        self.repeat(weights, |parser| {
            let value = parser.float()?;
            read.next().into_iter().for_each(|(_, weight)| *weight = value as f32);
            Ok(())
        })?;
        self.floats::<16>()?;
        self.semicolon()?;
        mesh.bones.push(bone);
        self.close()
    }

    fn normals(&mut self, mesh: &mut Mesh) -> Try {
        self.head()?;
        let normals = self.count()?;
        mesh.normals = normals as usize;
        self.repeat(normals, |parser| parser.vector::<3>().map(drop))?;
        self.end_list(normals)?;
        let faces = self.int()?;
        if faces as usize != mesh.faces.ends.len() {
            return self.fail(rules::NORMAL_FACES, "Normal face count does not match vertex face count.");
        }
        if self.version != Version::Port {
            mesh.normal_faces = Faces::default();
        }
        self.repeat(faces, |parser| {
            let count = parser.int()?;
            parser.repeat(count, |parser| {
                mesh.normal_faces.corners.push(parser.int()?);
                Ok(())
            })?;
            mesh.normal_faces.end(count);
            parser.separators()
        })?;
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
        mesh.coords = mesh.coords.min(count as usize);
        self.repeat(count, |parser| parser.vector::<2>().map(drop))?;
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
        self.repeat(count, |parser| {
            if parser.int()? as usize >= mesh.vertices {
                return parser.fail(rules::COLOR_INDEX, "Vertex color index out of bounds");
            }
            parser.vector::<4>()?;
            if parser.is_text {
                parser.skip_spaces()?;
                parser.at += usize::from(matches!(parser.byte()?, b';' | b','));
            }
            Ok(())
        })?;
        self.end_list(count)?;
        self.close()
    }

    fn material_list(&mut self, mesh: &mut Mesh) -> Try {
        self.head()?;
        self.int()?;
        let indices = self.int()?;
        let faces = mesh.faces.ends.len();
        if indices as usize != faces && indices != 1 {
            let message = "Per-Face material index count does not match face count.";
            return self.fail(rules::MATERIAL_INDICES, message);
        }
        self.repeat(indices, |parser| {
            mesh.face_materials.push(parser.int()?);
            Ok(())
        })?;
        // A single index is repeated for all faces.
        if let Some(&first) = mesh.face_materials.first().filter(|_| mesh.face_materials.len() < faces) {
            mesh.face_materials.resize(faces, first);
        }
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
                    mesh.materials += 1;
                }
                b"Material" => {
                    self.material()?;
                    mesh.materials += 1;
                }
                b";" => {}
                name => self.unknown(name)?,
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
            match self.type_of(name) {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing mesh material"),
                b"}" => return Ok(()),
                b"TextureFilename" | b"TextureFileName" | b"NormalmapFilename" | b"NormalmapFileName" => {
                    self.head()?;
                    self.string()?;
                    self.close()?;
                }
                _ => self.unknown(name)?,
            }
        }
    }

    fn animation_set(&mut self) -> Try {
        self.head()?;
        self.sets.push(Vec::new());
        loop {
            match self.token()? {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing animation set."),
                b"}" => return Ok(()),
                b"Animation" => self.animation()?,
                name => self.unknown(name)?,
            }
        }
    }

    fn animation(&mut self) -> Try {
        let mut channel = Channel { times: Default::default(), at: self.at };
        self.head()?;
        loop {
            match self.token()? {
                b"" => return self.fail(rules::END_INSIDE, "Unexpected end of file while parsing animation."),
                b"}" => break,
                b"AnimationKey" => self.keys(&mut channel)?,
                b"{" => {
                    self.token()?;
                    self.close()?;
                }
                name => self.unknown(name)?,
            }
        }
        if let Some(set) = self.sets.last_mut() {
            set.push(channel);
        }
        Ok(())
    }

    fn keys(&mut self, channel: &mut Channel) -> Try {
        self.head()?;
        let kind = self.int()?;
        let keys = self.int()?;
        self.repeat(keys, |parser| {
            let time = parser.int()?;
            let (wanted, name) = match kind {
                0 => (4, "quaternion"),
                1 | 2 => (3, "vector"),
                3 | 4 => (16, "matrix"),
                _ => return parser.fail(rules::KEY_TYPE, &format!("Unknown key type {kind} in animation.")),
            };
            if parser.int()? != wanted {
                let message = format!("Invalid number of arguments for {name} key in animation");
                return parser.fail(rules::KEY_VALUES, &message);
            }
            for _ in 0..wanted {
                parser.float()?;
            }
            channel.times.get_mut(kind.min(3) as usize).into_iter().for_each(|times| times.push(time));
            match wanted {
                3 => parser.separators()?,
                _ => parser.semicolon()?,
            }
            parser.separator()
        })?;
        self.close()
    }
}
