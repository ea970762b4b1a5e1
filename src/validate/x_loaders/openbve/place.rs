//! Positions of meshes: the program's two matrices, compared with those of the frames.

use glam::DMat4;

pub(in super::super) type Matrix = [f64; 16];

pub(in super::super) const IDENTITY: Matrix = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

/// Returns the product of two matrices that are stored by rows.
pub(in super::super) fn times(a: &Matrix, b: &Matrix) -> Matrix {
    // Read by columns, they are the transposes, whose product has the reverse order.
    (DMat4::from_cols_array(b) * DMat4::from_cols_array(a)).to_cols_array()
}

/// True if two matrices differ by more than rounding errors.
pub(in super::super) fn differ(shown: &Matrix, meant: &Matrix) -> bool {
    let size = meant.iter().fold(1.0_f64, |size, cell| size.max(cell.abs()));
    shown.iter().zip(meant).any(|(shown, meant)| (shown - meant).abs() > 1e-4 * size)
}

/// A mesh that was added to the object.
struct Placed {
    /// Number of vertices before it.
    first: usize,
    /// Frame that contains it.
    frame: usize,
    shown: Matrix,
    /// Offset in the file.
    at: usize,
}

struct Frame {
    parent: Option<usize>,
    local: Matrix,
}

/// Tracks the positions of meshes.
pub(super) struct Places {
    frames: Vec<Frame>,
    current: Option<usize>,
    placed: Vec<Placed>,
    /// Matrix of the mesh builder.
    builder: Matrix,
    root: Matrix,
    /// Number of vertices that the root's matrix does not move.
    unmoved: usize,
    /// Number of vertices of the object.
    vertices: usize,
}

impl Places {
    pub(super) fn new() -> Self {
        let (frames, placed) = (Vec::new(), Vec::new());
        Self { frames, current: None, placed, builder: IDENTITY, root: IDENTITY, unmoved: 0, vertices: 0 }
    }

    pub(super) fn open_frame(&mut self) {
        self.frames.push(Frame { parent: self.current, local: IDENTITY });
        self.current = Some(self.frames.len() - 1);
    }

    pub(super) fn close_frame(&mut self, has_pending_mesh: bool) {
        self.current = self.current.and_then(|frame| self.frames.get(frame)?.parent);
        if !has_pending_mesh {
            self.builder = IDENTITY;
        }
    }

    pub(super) fn set_matrix(&mut self, matrix: Matrix, is_inner: bool) {
        if let Some(frame) = self.current.and_then(|frame| self.frames.get_mut(frame)) {
            frame.local = matrix;
        }
        match is_inner {
            true => self.builder = times(&matrix, &self.builder),
            false => (self.root, self.unmoved) = (matrix, self.vertices),
        }
    }

    pub(super) fn current(&self) -> Option<usize> {
        self.current
    }

    /// Adds a mesh to the object, and starts a new mesh without a matrix.
    pub(super) fn put(&mut self, vertices: usize, frame: Option<usize>, at: usize) {
        if let Some(frame) = frame {
            self.placed.push(Placed { first: self.vertices, frame, shown: self.builder, at });
        }
        self.vertices += vertices;
    }

    pub(super) fn reset_builder(&mut self) {
        self.builder = IDENTITY;
    }

    /// Moves the meshes added since the root's matrix was read.
    pub(super) fn move_by_root(&mut self) {
        for placed in self.placed.iter_mut().rev().take_while(|placed| placed.first >= self.unmoved) {
            placed.shown = times(&placed.shown, &self.root);
        }
    }

    pub(super) fn forget_root(&mut self) {
        (self.unmoved, self.root) = (self.vertices, IDENTITY);
    }

    /// Returns the offset of the first mesh that is displaced relative to its frames.
    pub(super) fn misplaced(&self) -> Option<usize> {
        // Parents come first.
        let mut whole: Vec<Matrix> = Vec::with_capacity(self.frames.len());
        for frame in &self.frames {
            let parent = frame.parent.and_then(|parent| whole.get(parent)).unwrap_or(&IDENTITY);
            whole.push(times(&frame.local, parent));
        }
        let differs = |placed: &&Placed| differ(&placed.shown, whole.get(placed.frame).unwrap_or(&IDENTITY));
        self.placed.iter().find(differs).map(|placed| placed.at)
    }
}
