//! OpenBVE's two parsers, which ignore some matrices of the frames around a mesh. A matrix transforms row vectors, as in the file.

use super::{IDENTITY, place, times};
use bindpose_parsers::x::{Document, Matrix};

/// Places meshes as the Assimp parser does: only the matrices of the outermost and the innermost frame count.
pub(super) fn keep_ends(document: &mut Document<'_>) {
    let has_one_root = document.frames.iter().filter(|frame| frame.parent.is_none()).count() == 1;
    let outermost = document.frames.first().filter(|_| has_one_root);
    let model_from_outermost = outermost.and_then(|frame| frame.matrix()).copied().unwrap_or(IDENTITY);
    for number in 0..document.mesh_uses.len() {
        let innermost = document.mesh_uses.get(number).and_then(|used| document.frames.get(used.frame?));
        let inner = innermost.filter(|frame| frame.parent.is_some() || !has_one_root);
        let parent_from_innermost = inner.and_then(|frame| frame.matrix()).copied().unwrap_or(IDENTITY);
        place(document, number, times(&parent_from_innermost, &model_from_outermost));
    }
}

/// Places meshes as OpenBVE's own parser does. It stores one matrix for the outermost frame and one for the current mesh, and
/// forgets both when another frame begins after a mesh.
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
    let mut builder = Builder {
        level: 0,
        root_from_mesh: IDENTITY,
        model_from_root: IDENTITY,
        mesh: None,
        placed: Vec::new(),
        unmoved: 0,
    };
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

/// Step through a file. If a frame ends where another one begins, it ends first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Close,
    Open(usize),
    Mesh(usize),
}

struct Builder {
    /// Number of frames around the current position.
    level: usize,
    /// Product of the matrices below the outermost frame, for the current mesh.
    root_from_mesh: Matrix,
    /// Matrix of the outermost frame.
    model_from_root: Matrix,
    /// Use of the current mesh.
    mesh: Option<usize>,
    /// Uses of finished meshes, with the matrix of each.
    placed: Vec<(usize, Matrix)>,
    /// Number of finished meshes that `model_from_root` does not move.
    unmoved: usize,
}

impl Builder {
    fn open(&mut self, matrices: &[Matrix]) {
        self.level += 1;
        if self.mesh.is_some() {
            self.put();
            self.move_by_root();
        }
        for parent_from_frame in matrices {
            match self.level {
                1 => (self.model_from_root, self.unmoved) = (*parent_from_frame, self.placed.len()),
                _ => self.root_from_mesh = times(parent_from_frame, &self.root_from_mesh),
            }
        }
    }

    fn close(&mut self) {
        self.level = self.level.saturating_sub(1);
        if self.mesh.is_none() {
            self.root_from_mesh = IDENTITY;
        }
    }

    /// Finishes the current mesh.
    fn put(&mut self) {
        if let Some(mesh) = self.mesh.take() {
            self.placed.push((mesh, self.root_from_mesh));
            self.root_from_mesh = IDENTITY;
        }
    }

    /// Applies the outermost frame's matrix to the meshes since it was read, and forgets it.
    fn move_by_root(&mut self) {
        for (_, matrix) in self.placed.iter_mut().skip(self.unmoved) {
            *matrix = times(matrix, &self.model_from_root);
        }
        (self.model_from_root, self.unmoved) = (IDENTITY, self.placed.len());
    }
}
