//! Palette matrices: `ffp`, `ffp-indexed`, `matrix-loop`, `matrix-unrolled`, `matrix-blend`, `rigid`, `gradient`.

use super::{JointUpload, Upload};
use crate::joint_uniforms::{self, UniformArray};
use glam::DMat4;

/// Three rows per matrix.
pub(super) fn rows(joints: usize) -> Box<dyn Upload> {
    JointUpload::boxed([UniformArray::new("palette", 3 * joints)], [], None, |posing, [palette], []| {
        palette.set(posing.palette().iter().flat_map(joint_uniforms::rows));
    })
}

/// Whole matrices, as in article 001.
pub(super) fn whole(joints: usize) -> Box<dyn Upload> {
    JointUpload::boxed([UniformArray::new("palette", joints)], [], None, |posing, [palette], []| {
        palette.set(posing.palette().iter().map(|entry| DMat4::from(*entry).as_mat4().to_cols_array_2d()));
    })
}
