//! Affine maps laid out for vector instructions.

use glam::{Affine3A, DAffine3, Mat3A, Vec3A};

/// An affine map of one cache line: the columns x, y, z and the translation, each padded to four elements.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct RuntimeMatrix(pub [[f32; 4]; 4]);

impl RuntimeMatrix {
    /// Identity matrix.
    pub const IDENTITY: Self = Self([[1., 0., 0., 0.], [0., 1., 0., 0.], [0., 0., 1., 0.], [0.; 4]]);

    /// Drops the padding.
    pub fn to_affine(self) -> Affine3A {
        let [x, y, z, translation] = self.0.map(|[x, y, z, _]| Vec3A::new(x, y, z));
        Affine3A { matrix3: Mat3A::from_cols(x, y, z), translation }
    }
}

impl From<&DAffine3> for RuntimeMatrix {
    fn from(affine: &DAffine3) -> Self {
        affine.as_affine3a().into()
    }
}

impl From<Affine3A> for RuntimeMatrix {
    fn from(affine: Affine3A) -> Self {
        let column = |column: Vec3A| [column.x, column.y, column.z, 0.0];
        let Affine3A { matrix3, translation } = affine;
        Self([matrix3.x_axis, matrix3.y_axis, matrix3.z_axis, translation].map(column))
    }
}

impl From<RuntimeMatrix> for DAffine3 {
    fn from(matrix: RuntimeMatrix) -> Self {
        matrix.to_affine().as_daffine3()
    }
}
