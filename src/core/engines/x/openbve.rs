//! OpenBVE's two parsers: both leave out matrices of frames around a mesh.

use super::{IDENTITY, place, times};
use bindpose_parsers::x::{Document, Matrix};

/// Puts meshes where the Assimp parser does: the matrices of the outermost and the innermost frame count.
pub(super) fn keep_ends(document: &mut Document<'_>) {
    let has_one_root = document.frames.iter().filter(|frame| frame.parent.is_none()).count() == 1;
    let outermost = document.frames.first().filter(|_| has_one_root);
    let outer = outermost.and_then(|frame| frame.matrix()).copied().unwrap_or(IDENTITY);
    for number in 0..document.mesh_uses.len() {
        let innermost = document.mesh_uses.get(number).and_then(|used| document.frames.get(used.frame?));
        let inner = innermost.filter(|frame| frame.parent.is_some() || !has_one_root);
        let own = inner.and_then(|frame| frame.matrix()).copied().unwrap_or(IDENTITY);
        place(document, number, times(&own, &outer));
    }
}

/// Puts meshes where OpenBVE's own parser does: it has one matrix for the outermost frame and one for the mesh that it builds,
/// and forgets both when another frame begins after a mesh.
pub(super) fn forget_matrices(document: &mut Document<'_>) {
    let mut steps: Vec<(u32, Step)> = Vec::new();
    for (number, frame) in document.frames.iter().enumerate() {
        steps.extend([(frame.span.start, Step::Open(number)), (frame.span.end, Step::Close)]);
    }
    for (number, used) in document.mesh_uses.iter().enumerate() {
        if document.meshes.get(used.mesh).is_some_and(|mesh| !mesh.vertices.is_empty()) {
            steps.push((used.span.start, Step::Mesh(number)));
        }
    }
    steps.sort();
    let mut builder =
        Builder { level: 0, matrix: IDENTITY, root: IDENTITY, mesh: None, placed: Vec::new(), unmoved: 0 };
    for (_, step) in steps {
        match step {
            Step::Close => builder.close(),
            Step::Open(frame) => builder.open(document.frames.get(frame).map_or(&[], |frame| &frame.matrices)),
            Step::Mesh(used) => {
                builder.put();
                builder.mesh = Some(used);
            }
        }
    }
    builder.put();
    builder.move_by_root();
    builder.placed.into_iter().for_each(|(number, matrix)| place(document, number, matrix));
}

/// A step through a file. A frame that ends where another one begins ends first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Close,
    Open(usize),
    Mesh(usize),
}

struct Builder {
    /// Frames around the current position.
    level: usize,
    /// Matrix of the mesh that is being built.
    matrix: Matrix,
    /// Matrix of the outermost frame.
    root: Matrix,
    /// Use of the mesh that is being built.
    mesh: Option<usize>,
    /// Uses of the meshes that are built.
    placed: Vec<(usize, Matrix)>,
    /// Number of meshes that the outermost frame's matrix does not move.
    unmoved: usize,
}

impl Builder {
    fn open(&mut self, matrices: &[Matrix]) {
        self.level += 1;
        if self.mesh.is_some() {
            self.put();
            self.move_by_root();
        }
        for own in matrices {
            match self.level {
                1 => (self.root, self.unmoved) = (*own, self.placed.len()),
                _ => self.matrix = times(own, &self.matrix),
            }
        }
    }

    fn close(&mut self) {
        self.level = self.level.saturating_sub(1);
        if self.mesh.is_none() {
            self.matrix = IDENTITY;
        }
    }

    /// Ends the mesh that is being built.
    fn put(&mut self) {
        if let Some(mesh) = self.mesh.take() {
            self.placed.push((mesh, self.matrix));
            self.matrix = IDENTITY;
        }
    }

    fn move_by_root(&mut self) {
        for (_, matrix) in self.placed.iter_mut().skip(self.unmoved) {
            *matrix = times(matrix, &self.root);
        }
        (self.root, self.unmoved) = (IDENTITY, self.placed.len());
    }
}
