//! `log-matrix`: the palette's logarithms.

use super::{Error, Posing, UniformSink, Upload};
use crate::render::joint_uniforms::{Pair, place};
use bindpose_core::skin::Twist;

pub(super) struct Twists(Pair);

impl Twists {
    pub fn new(joints: usize) -> Self {
        Self(Pair::new(["boneTurn", "boneTravel"], joints))
    }
}

impl Upload for Twists {
    fn fill(&mut self, posing: &mut Posing<'_>) {
        let twists = posing.palette().iter().map(Twist::from_affine);
        self.0.set(twists.map(|twist| [twist.turn, twist.travel].map(place)));
    }

    fn upload(&mut self) -> Result<u64, Error> {
        Ok(self.0.bytes())
    }

    fn visit<'v>(&'v self, output: UniformSink<'_, 'v>) {
        self.0.visit(output);
    }
}
