//! `quat-array`: seven floats per joint in one array, which are the palette's conjugate rotation and its translation.

use super::{JointUpload, Upload};
use crate::joint_uniforms::UniformArray;
use bindpose_core::skin;

pub(super) fn new(joints: usize) -> Box<dyn Upload> {
    JointUpload::boxed([UniformArray::new("bones", 7 * joints)], [], None, |posing, [bones], []| {
        bones.set(posing.palette().iter().flat_map(|entry| {
            let [x, y, z, w] = skin::rotation(entry).conjugate().as_quat().to_array();
            let [tx, ty, tz] = entry.translation.as_vec3().to_array();
            [x, y, z, w, tx, ty, tz]
        }));
    })
}
