//! Palette matrices: `ffp`, `ffp-indexed`, `matrix-loop`, `matrix-unrolled`, `matrix-blend`, `rigid`, `gradient`.

use super::{Error, Posing, UniformSink, Upload};
use crate::render::joint_uniforms::{UniformArray, rows};
use glam::DMat4;

/// Three rows per matrix.
pub(super) struct Rows {
    palette: UniformArray<[f32; 4]>,
}

impl Rows {
    pub fn new(joints: usize) -> Self {
        Self { palette: UniformArray::new("palette", 3 * joints) }
    }
}

impl Upload for Rows {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.palette.set(posing.palette().iter().flat_map(rows));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.palette.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.palette.visit(output);
    }
}

/// Whole matrices, as in article 001.
pub(super) struct Matrices {
    palette: UniformArray<[[f32; 4]; 4]>,
}

impl Matrices {
    pub fn new(joints: usize) -> Self {
        Self { palette: UniformArray::new("palette", joints) }
    }
}

impl Upload for Matrices {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let columns = |entry: &_| DMat4::from(*entry).as_mat4().to_cols_array_2d();
        self.palette.set(posing.palette().iter().map(columns));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.palette.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.palette.visit(output);
    }
}
