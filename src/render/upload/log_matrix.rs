//! `log-matrix`: the palette's logarithms.

use super::{Error, Posing, UniformSink, Upload};
use crate::render::joint_uniforms::{UniformArray, place};
use bindpose_core::skin::Twist;

pub(super) struct Twists {
    turns: UniformArray<[f32; 4]>,
    travels: UniformArray<[f32; 4]>,
}

impl Twists {
    pub fn new(joints: usize) -> Self {
        Self { turns: UniformArray::new("boneTurn", joints), travels: UniformArray::new("boneTravel", joints) }
    }
}

impl Upload for Twists {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let twists: Vec<Twist> = posing.palette().iter().map(Twist::from_affine).collect();
        self.turns.set(twists.iter().map(|twist| place(twist.turn)));
        self.travels.set(twists.iter().map(|twist| place(twist.travel)));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.turns.bytes() + self.travels.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.turns.visit(output);
        self.travels.visit(output);
    }
}
