//! Parts of a `.x` file that a program does not read, or reads as something else.

use crate::engines::Engine;
use bindpose_parsers::Span;
use bindpose_parsers::x::{BodyFormat, Document, Faces, Mesh};
use std::borrow::Cow;

/// Differences between a program's reading of a `.x` file and ours.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct XReading {
    /// Bytes that are skipped.
    pub skipped: Vec<Span>,
    /// End of the bytes that are read, if it is before the end of the file.
    pub end: Option<XEnd>,
    /// Meshes in which other vertices or faces are found.
    pub lists: Vec<XLists>,
}

/// Position at which a program stops reading.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct XEnd {
    /// Offset in the uncompressed bytes.
    pub at: usize,
    /// Number of objects that are open there.
    pub open: usize,
}

/// Lists of a mesh as a program finds them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct XLists {
    /// Offset of a byte in the mesh.
    pub at: usize,
    /// Positions.
    pub vertices: Vec<[f64; 3]>,
    /// Triangles. A corner is `None` if no index is found.
    pub triangles: Vec<[Option<u32>; 3]>,
}

/// Determines a program's reading of a `.x` file, given its bytes on disk and uncompressed.
pub type ReadsX = fn(&Engine, disk: &[u8], bytes: &[u8]) -> XReading;

impl XReading {
    /// Adds skipped bytes of a file, unless they contain only one of an object's braces.
    pub fn skip(&mut self, span: Span, bytes: &[u8]) {
        let count =
            |brace: u8| bytes.get(span.range()).unwrap_or_default().iter().filter(|&&byte| byte == brace).count();
        if count(b'{') == count(b'}') {
            self.skipped.push(span);
        }
    }

    /// Returns the bytes that are read, at the same offsets. In text, skipped bytes become blanks.
    pub fn bytes<'a>(&self, bytes: &'a [u8], format: BodyFormat) -> Cow<'a, [u8]> {
        let XEnd { at, open } = self.end.unwrap_or(XEnd { at: bytes.len(), open: 0 });
        let kept = bytes.get(..at).unwrap_or(bytes);
        if self.skipped.is_empty() && open == 0 {
            return kept.into();
        }
        let (mut kept, closing) = (kept.to_vec(), if format == BodyFormat::Text { &b"\n}"[..] } else { &[11, 0] });
        for span in self.skipped.iter().filter(|_| format == BodyFormat::Text) {
            let skipped = kept.get_mut(span.range()).unwrap_or_default();
            skipped.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
        }
        kept.extend(closing.repeat(open));
        kept.into()
    }

    /// Replaces the lists of meshes that are found otherwise.
    pub fn apply(&self, document: &mut Document<'_>) {
        for lists in &self.lists {
            let is_in = |mesh: &&mut Mesh<'_>| mesh.span.range().contains(&lists.at);
            if let Some(mesh) = document.meshes.iter_mut().find(is_in) {
                lists.replace(mesh);
            }
        }
    }
}

impl XLists {
    /// Replaces the vertices and faces of a mesh. A triangle with an infinite coordinate is not drawn.
    fn replace(&self, mesh: &mut Mesh<'_>) {
        let origin = self.vertices.len() as u32;
        let is_finite = |corner: u32| {
            self.vertices
                .get(corner as usize)
                .is_none_or(|vertex| vertex.iter().all(|coordinate| coordinate.is_finite()))
        };
        mesh.faces = Faces::default();
        for corners in &self.triangles {
            let corners = corners.map(|corner| corner.unwrap_or(origin).min(origin));
            if corners.into_iter().all(is_finite) {
                mesh.faces.push(&corners);
            }
        }
        let finite = |vertex: &[f64; 3]| vertex.map(|coordinate| if coordinate.is_finite() { coordinate } else { 0.0 });
        mesh.vertices = self.vertices.iter().map(finite).chain([[0.0; 3]]).collect();
        if mesh.normals.as_ref().is_some_and(|normals| normals.faces.len() != mesh.faces.len()) {
            mesh.normals = None;
        }
        if let Some(list) = &mut mesh.material_list {
            list.face_materials.resize(mesh.faces.len(), 0);
        }
        if let Some(texture) = &mut mesh.texture_coords {
            let known = texture.coords.iter().chain(std::iter::repeat([0.0; 2]));
            texture.coords = known.take(mesh.vertices.len()).collect();
        }
        let count = mesh.vertices.len() as u32;
        mesh.skin_weights.iter_mut().for_each(|skin| skin.weights.retain(|&(vertex, _)| vertex < count));
    }
}
