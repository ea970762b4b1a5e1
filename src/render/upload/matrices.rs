//! Palette matrices: `ffp`, `ffp-indexed`, `matrix-loop`, `matrix-unrolled`, `matrix-blend`, `rigid`, `gradient`.

use super::examples::{self, Shares};
use super::{Error, JointUpload, Upload, UploadContext};
use crate::joint_uniforms::{self, UniformArray};
use bindpose_core::skin::Method;
use glam::DMat4;

/// Three rows per matrix.
pub(super) fn rows(joints: usize) -> Box<dyn Upload> {
    JointUpload::boxed([UniformArray::new("palette", 3 * joints)], [], None, |posing, [palette], []| {
        palette.set(posing.palette().iter().flat_map(joint_uniforms::rows));
    })
}

/// Three rows per matrix, and the shares of examples: `sbe`, `psd`, `eigenskin`.
pub(super) fn rows_with_examples(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let (offsets, shares) = examples::new(method, input)?;
    let arrays = [UniformArray::new("palette", 3 * input.joints()), Shares::array(input)];
    Ok(JointUpload::boxed(arrays, [], Some(offsets), move |posing, [palette, weights], []| {
        shares.set(weights, posing);
        palette.set(posing.palette().iter().flat_map(joint_uniforms::rows));
    }))
}

/// Whole matrices, as in article 001.
pub(super) fn whole(joints: usize) -> Box<dyn Upload> {
    JointUpload::boxed([UniformArray::new("palette", joints)], [], None, |posing, [palette], []| {
        palette.set(posing.palette().iter().map(|entry| DMat4::from(*entry).as_mat4().to_cols_array_2d()));
    })
}
