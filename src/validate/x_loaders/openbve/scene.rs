//! `ParseSubBlock` and `MeshBuilder`: conversion of objects to one static mesh.

use super::Kind;
use super::binary::BinaryBlock;
use super::place::Places;
use super::text::{NextObject, TextBlock, Wanted, lossy};
use super::thrown::{Try, not_in_list, out_of_range, throw};
use crate::codes::{Rule, x as rules};
use crate::verdict::{EngineFault, Verdict};
use bindpose_parsers::Span;
use std::borrow::Cow;
use std::collections::HashSet;

/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 256;

/// An object of either encoding.
pub(super) enum Block<'t> {
    Text(TextBlock<'t>),
    Binary(BinaryBlock<'t>),
}

impl<'t> Block<'t> {
    fn kind(&self) -> Kind {
        match self {
            Block::Text(block) => block.kind,
            Block::Binary(block) => block.kind,
        }
    }

    fn label(&self) -> &[u8] {
        match self {
            Block::Text(block) => block.label,
            Block::Binary(block) => &block.label,
        }
    }

    fn origin(&self) -> usize {
        match self {
            Block::Text(block) => block.origin(),
            Block::Binary(block) => block.origin(),
        }
    }

    fn has_more(&self) -> bool {
        match self {
            Block::Text(block) => block.has_more(),
            Block::Binary(block) => block.has_more(),
        }
    }

    fn next_object(&mut self, wanted: Wanted) -> Try<Block<'t>> {
        match self {
            Block::Text(block) => {
                let found: NextObject = block.find(wanted)?;
                TextBlock::new(block.text, found).map(Block::Text)
            }
            Block::Binary(block) => {
                let object = block.next_object()?;
                let fits = match wanted {
                    Wanted::Any => true,
                    Wanted::One(kind) => object.kind == kind,
                    Wanted::Material => object.kind == Kind::MATERIAL || object.kind == Kind::TEXTURE_KEY,
                };
                if !fits {
                    let message = "Exception of type 'System.Exception' was thrown.";
                    return throw(rules::SYNTAX, object.origin(), message);
                }
                Ok(Block::Binary(object))
            }
        }
    }

    #[inline]
    fn int(&mut self) -> Try<i32> {
        match self {
            Block::Text(block) => block.int(),
            Block::Binary(block) => block.int(),
        }
    }

    fn dword(&mut self) -> Try<u32> {
        match self {
            Block::Text(block) => block.int(),
            Block::Binary(block) => block.int().map(|value| value as u32),
        }
    }

    #[inline]
    fn single(&mut self) -> Try<f64> {
        match self {
            Block::Text(block) => block.single(),
            Block::Binary(block) => block.single(),
        }
    }

    fn singles<const N: usize>(&mut self) -> Try<[f64; N]> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.single()?;
        }
        Ok(values)
    }

    fn string(&mut self) -> Try<Cow<'t, [u8]>> {
        match self {
            Block::Text(block) => block.string().map(Cow::Borrowed),
            Block::Binary(block) => Ok(block.string()),
        }
    }

    fn exponent(&self) -> Option<usize> {
        match self {
            Block::Text(block) => block.exponent,
            Block::Binary(_) => None,
        }
    }
}

/// A mesh under construction.
#[derive(Default)]
struct Builder {
    vertices: usize,
    /// First three corners of each face, and its number of corners.
    faces: Vec<([i32; 3], usize)>,
    /// Offset of an unknown material name that is treated as a material.
    lacks_material: Option<usize>,
    frame: Option<usize>,
    /// Offset in the file.
    at: usize,
}

pub(super) struct Scene<'v> {
    verdict: &'v mut Verdict,
    builder: Builder,
    places: Places,
    level: usize,
    root_materials: HashSet<Vec<u8>>,
    /// Corners of faces used for normals, as vertices of the whole object, with the mesh's offset.
    corners: Vec<([i64; 3], usize)>,
    vertices: usize,
    pub is_too_deep: bool,
}

impl<'v> Scene<'v> {
    pub(super) fn new(verdict: &'v mut Verdict) -> Self {
        Self {
            verdict,
            builder: Builder::default(),
            places: Places::new(),
            level: 0,
            root_materials: HashSet::new(),
            corners: Vec::new(),
            vertices: 0,
            is_too_deep: false,
        }
    }

    /// Adds the last mesh to the object and computes normals.
    pub(super) fn finish(&mut self) -> Try {
        self.apply()?;
        self.places.move_by_root();
        for (corners, at) in &self.corners {
            let is_there = |corner: &i64| usize::try_from(*corner).is_ok_and(|corner| corner < self.vertices);
            if !corners.iter().all(is_there) {
                return out_of_range(rules::FACE_INDEX, *at);
            }
        }
        if let Some(at) = self.places.misplaced() {
            self.verdict.add_misread(rules::FRAME_IGNORED, Span::new(at, at + 1), || {
                "a mesh is shown elsewhere than its frames say: matrices of outer frames are forgotten behind a child"
                    .to_owned()
            });
        }
        Ok(())
    }

    fn warn(&mut self, rule: Rule, at: usize, message: String) {
        self.verdict.warnings.push(EngineFault::new(rule, Span::new(at, at + 1), message));
    }

    /// Adds the mesh to the object, if it has vertices and faces.
    fn apply(&mut self) -> Try {
        let builder = &mut self.builder;
        if builder.vertices == 0 || builder.faces.is_empty() {
            return Ok(());
        }
        if let Some(at) = builder.lacks_material {
            return throw(rules::UNRESOLVED_REFERENCE, at, "Object reference not set to an instance of an object");
        }
        let first = self.vertices as i64;
        let faces = builder.faces.drain(..).filter(|(_, count)| *count >= 3);
        self.corners.extend(faces.map(|(corners, _)| (corners.map(|corner| first + i64::from(corner)), builder.at)));
        self.vertices += builder.vertices;
        self.places.put(builder.vertices, builder.frame, builder.at);
        Ok(())
    }

    pub(super) fn object(&mut self, mut block: Block, depth: usize) -> Try {
        if depth > MAX_DEPTH {
            self.is_too_deep = true;
            return Ok(());
        }
        let result = self.read(&mut block, depth);
        let exponent = block.exponent();
        match result {
            Err(thrown) => Err(thrown.after(exponent)),
            Ok(()) => {
                if let Some(at) = exponent {
                    self.verdict.add_misread(rules::ODD_NUMBER, Span::new(at, at + 1), || {
                        "a number ends at its exponent, which is read as the next number".to_owned()
                    });
                }
                Ok(())
            }
        }
    }

    fn read(&mut self, block: &mut Block, depth: usize) -> Try {
        match block.kind() {
            Kind::TEMPLATE => block.string().map(drop),
            Kind::HEADER => header(block),
            Kind::FRAME => self.frame(block, depth),
            Kind::MATRIX => {
                let matrix = block.singles::<16>()?;
                self.places.set_matrix(matrix, self.level > 1);
                Ok(())
            }
            Kind::MESH => self.mesh(block, depth),
            Kind::MATERIAL_LIST => self.material_list(block, depth),
            Kind::MATERIAL => self.material(block, depth),
            Kind::TEXTURE_FILENAME => block.string().map(drop),
            Kind::TEXTURE_COORDS => self.texture_coords(block),
            Kind::NORMALS => self.normals(block),
            Kind::VERTEX_COLORS => self.vertex_colors(block),
            Kind::FACE_WRAPS => match usize::try_from(block.int()?) == Ok(self.builder.faces.len()) {
                true => Ok(()),
                false => {
                    throw(rules::COUNT, block.origin(), "nMeshFaceWraps must match the number of faces in the mesh")
                }
            },
            Kind::TEXTURE_KEY => {
                if !block.label().is_empty() && !self.root_materials.contains(block.label()) {
                    self.builder.lacks_material.get_or_insert(block.origin());
                }
                Ok(())
            }
            Kind::DECL_DATA => self.decl_data(block),
            _ => Ok(()),
        }
    }

    fn objects_inside(&mut self, block: &mut Block, depth: usize) -> Try {
        while block.has_more() {
            let object = block.next_object(Wanted::Any)?;
            self.object(object, depth + 1)?;
        }
        Ok(())
    }

    fn frame(&mut self, block: &mut Block, depth: usize) -> Try {
        self.level += 1;
        if self.builder.vertices > 0 {
            self.apply()?;
            self.places.move_by_root();
            self.places.forget_root();
            self.begin_mesh();
        }
        self.places.open_frame();
        self.objects_inside(block, depth)?;
        self.level -= 1;
        self.places.close_frame(self.builder.vertices > 0);
        Ok(())
    }

    fn begin_mesh(&mut self) {
        self.builder = Builder::default();
        self.places.reset_builder();
    }

    fn mesh(&mut self, block: &mut Block, depth: usize) -> Try {
        self.level += 1;
        if self.builder.vertices > 0 {
            self.apply()?;
            self.begin_mesh();
        }
        self.builder.frame = self.places.current();
        self.builder.at = block.origin();
        let vertices = block.int()?;
        if vertices == 0 {
            let label = lossy(block.label());
            let message = format!("nVertices should be greater than zero in Mesh {label}");
            self.warn(rules::EMPTY_MESH, block.origin(), message);
        }
        for _ in 0..vertices {
            block.singles::<3>()?;
            self.builder.vertices += 1;
        }
        let faces = block.int()?;
        if faces == 0 {
            let place = block.origin();
            self.rest_of_mesh_without_faces(block, depth).or_else(|thrown| {
                let message = "nFaces was declared as zero, but unrecognised data remains in the block";
                throw(thrown.rule, place, message)
            })?;
        }
        for _ in 0..faces {
            let count = block.int()?;
            if count == 0 {
                self.warn(rules::FACE_CORNERS, block.origin(), "fVerts was declared as zero".to_owned());
                break;
            }
            self.face(block, count)?;
        }
        self.objects_inside(block, depth)?;
        self.level -= 1;
        Ok(())
    }

    fn rest_of_mesh_without_faces(&mut self, block: &mut Block, depth: usize) -> Try {
        block.string()?;
        if block.has_more() {
            let object = block.next_object(Wanted::Any)?;
            self.object(object, depth + 1)?;
        }
        Ok(())
    }

    fn face(&mut self, block: &mut Block, count: i32) -> Try {
        let Ok(count) = usize::try_from(count) else {
            return throw(rules::FACE_CORNERS, block.origin(), "Arithmetic operation resulted in an overflow.");
        };
        let mut corners = [0; 3];
        for corner in 0..count {
            let index = block.int()?;
            if let Some(slot) = corners.get_mut(corner) {
                *slot = index;
            }
        }
        self.builder.faces.push((corners, count));
        Ok(())
    }

    fn material_list(&mut self, block: &mut Block, depth: usize) -> Try {
        let materials = block.int()?;
        if materials < 0 {
            return throw(rules::COUNT, block.origin(), "Arithmetic operation resulted in an overflow.");
        }
        let indices = block.int()?;
        let faces = self.builder.faces.len();
        let is_compact = indices == 1 && faces > 1;
        if !is_compact && usize::try_from(indices) != Ok(faces) {
            let message = "nFaceIndices must match the number of faces in the mesh";
            return throw(rules::MATERIAL_INDICES, block.origin(), message);
        }
        let mut largest = -1;
        for _ in 0..indices {
            let index = block.int()?;
            if index < 0 || index >= materials {
                return out_of_range(rules::MATERIAL_INDEX, block.origin());
            }
            largest = largest.max(index);
        }
        if let Block::Binary(binary) = block
            && *binary.string() == *b"{"
        {
            // Missing names become a white material.
            return Ok(());
        }
        for number in 0..materials {
            let read = block.next_object(Wanted::Material).and_then(|object| self.object(object, depth + 1));
            if read.is_err() {
                if largest >= number {
                    let at = block.origin();
                    self.verdict.add_misread(rules::MATERIAL_COUNT, Span::new(at, at), || {
                        format!(
                            "{materials} materials are declared, but {number} are read; faces use material {largest}"
                        )
                    });
                }
                break;
            }
        }
        Ok(())
    }

    fn material(&mut self, block: &mut Block, depth: usize) -> Try {
        block.singles::<4>()?;
        block.single()?;
        // An unreadable colour is black.
        let _ = block.singles::<3>();
        let _ = block.singles::<3>();
        if block.has_more() {
            let object = block.next_object(Wanted::One(Kind::TEXTURE_FILENAME))?;
            self.object(object, depth + 1)?;
        }
        if self.level == 0 && !block.label().is_empty() {
            self.root_materials.insert(block.label().to_vec());
        }
        Ok(())
    }

    fn texture_coords(&mut self, block: &mut Block) -> Try {
        for vertex in 0..block.int()? {
            self.find_vertex(vertex, rules::TEXTURE_COORDS, block.origin())?;
            block.singles::<2>()?;
        }
        Ok(())
    }

    fn find_vertex(&self, vertex: i32, rule: Rule, at: usize) -> Try {
        match usize::try_from(vertex).is_ok_and(|vertex| vertex < self.builder.vertices) {
            true => Ok(()),
            false => not_in_list(rule, at),
        }
    }

    fn normals(&mut self, block: &mut Block) -> Try {
        let normals = block.int()?;
        if normals < 0 {
            return throw(rules::COUNT, block.origin(), "Arithmetic operation resulted in an overflow.");
        }
        for _ in 0..normals {
            block.singles::<3>()?;
        }
        if usize::try_from(block.int()?) != Ok(self.builder.faces.len()) {
            let message = "nFaceNormals must match the number of faces in the mesh";
            return throw(rules::NORMAL_FACES, block.origin(), message);
        }
        for &(_, corners) in &self.builder.faces {
            let count = block.int()?;
            if usize::try_from(count) != Ok(corners) {
                let message = "nVertexNormals must match the number of vertices in the face";
                return throw(rules::NORMAL_CORNERS, block.origin(), message);
            }
            for _ in 0..count {
                if block.int()? < 0 {
                    return out_of_range(rules::NORMAL_INDEX, block.origin());
                }
            }
        }
        Ok(())
    }

    fn vertex_colors(&mut self, block: &mut Block) -> Try {
        for _ in 0..block.int()? {
            let index = block.int()?;
            let vertices = self.builder.vertices;
            if usize::try_from(index).is_ok_and(|index| index >= vertices) {
                // The colour remains to be read as the next index.
                let label = lossy(block.label());
                let message = format!("MeshVertexColors index {index} should be less than nVertices in Mesh {label}");
                self.warn(rules::COLOR_INDEX, block.origin(), message);
                continue;
            }
            self.find_vertex(index, rules::COLOR_INDEX, block.origin())?;
            block.singles::<4>()?;
        }
        Ok(())
    }

    fn decl_data(&mut self, block: &mut Block) -> Try {
        let mut elements = Vec::new();
        for _ in 0..block.dword()? as i32 {
            block.dword()?;
            block.dword()?;
            elements.push((block.dword()?, block.dword()?));
        }
        let mut left = block.dword()? as i32;
        let mut vertex = 0;
        while left > 0 {
            if elements.is_empty() {
                return out_of_range(rules::VERTEX_DATA_SIZE, block.origin());
            }
            for &(usage, index) in &elements {
                if left <= 0 {
                    break;
                }
                left -= self.decl_element(block, usage, index, vertex)?;
            }
            vertex += 1;
        }
        Ok(())
    }

    /// Reads an element of a vertex. Returns the number of words that the program counts for it.
    fn decl_element(&mut self, block: &mut Block, usage: u32, index: u32, vertex: i32) -> Try<i32> {
        /// Usages by number.
        const USAGES: [&str; 14] = [
            "POSITION",
            "BLENDWEIGHT",
            "BLENDINDICES",
            "NORMAL",
            "PSIZE",
            "TEXCOORD",
            "TANGENT",
            "BINORMAL",
            "TESSFACTOR",
            "POSITIONT",
            "COLOR",
            "FOG",
            "DEPTH",
            "SAMPLE",
        ];
        let at = block.origin();
        match usage {
            3 => {
                (0..3).try_for_each(|_| block.dword().map(drop))?;
                Ok(3)
            }
            5 => {
                (0..2).try_for_each(|_| block.dword().map(drop))?;
                if index == 0 {
                    self.find_vertex(vertex, rules::VERTEX_DATA_SIZE, at)?;
                }
                Ok(2)
            }
            10 => {
                // Five words are read, but none is counted.
                let set = block.dword()?;
                (0..4).try_for_each(|_| block.dword().map(drop))?;
                if set == 0 {
                    self.find_vertex(vertex, rules::VERTEX_DATA_SIZE, at)?;
                }
                Ok(0)
            }
            _ => {
                let name =
                    USAGES.get(usage as usize).map_or_else(|| usage.to_string(), |name| format!("D3DDECLUSAGE_{name}"));
                throw(rules::UNSUPPORTED, at, format!("{name} is not implemented by this decoder."))
            }
        }
    }
}

fn header(block: &mut Block) -> Try {
    block.int()?;
    block.int()?;
    let flags = block.int()? as u16;
    let is_text = matches!(block, Block::Text(_));
    match (flags == 0) == is_text {
        true => throw(
            rules::ENCODING,
            block.origin(),
            "Mixed-mode text and binary objects are not supported by this parser.",
        ),
        false => Ok(()),
    }
}
