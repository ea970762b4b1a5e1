//! `dqs`: the palette as dual quaternions.

use super::{Error, Posing, UniformSink, Upload};
use crate::render::joint_uniforms::UniformArray;
use bindpose_core::skin::DualQuat;

pub(super) struct DualQuaternions {
    reals: UniformArray<[f32; 4]>,
    duals: UniformArray<[f32; 4]>,
}

impl DualQuaternions {
    pub fn new(joints: usize) -> Self {
        Self { reals: UniformArray::new("boneReal", joints), duals: UniformArray::new("boneDual", joints) }
    }
}

impl Upload for DualQuaternions {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let palette = posing.palette();
        let duals = || palette.iter().map(DualQuat::from_affine);
        self.reals.set(duals().map(|entry| entry.real.as_quat().to_array()));
        self.duals.set(duals().map(|entry| entry.dual.as_quat().to_array()));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.reals.bytes() + self.duals.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.reals.visit(output);
        self.duals.visit(output);
    }
}
