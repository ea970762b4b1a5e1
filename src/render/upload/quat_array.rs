//! `quat-array`: seven floats per joint in one array, which are the palette's conjugate rotation and its translation.

use super::{Error, Posing, UniformSink, Upload};
use crate::render::joint_uniforms::UniformArray;
use bindpose_core::skin;

pub(super) struct SevenFloats {
    bones: UniformArray<f32>,
}

impl SevenFloats {
    pub fn new(joints: usize) -> Self {
        Self { bones: UniformArray::new("bones", 7 * joints) }
    }
}

impl Upload for SevenFloats {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        self.bones.set(posing.palette().iter().flat_map(|entry| {
            let [x, y, z, w] = skin::rotation(entry).conjugate().as_quat().to_array();
            let [tx, ty, tz] = entry.translation.as_vec3().to_array();
            [x, y, z, w, tx, ty, tz]
        }));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.bones.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.bones.visit(output);
    }
}
