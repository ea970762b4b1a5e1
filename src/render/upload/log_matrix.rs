//! `log-matrix`: the palette's logarithms.

use super::{JointUpload, Upload};
use crate::joint_uniforms::{UniformArray, place, set_pairs};
use bindpose_core::skin::Twist;

pub(super) fn new(joints: usize) -> Box<dyn Upload> {
    let arrays = ["boneTurn", "boneTravel"].map(|name| UniformArray::new(name, joints));
    JointUpload::boxed(arrays, [], None, |posing, arrays, []| {
        let twists = posing.palette().iter().map(Twist::from_affine);
        set_pairs(arrays.each_mut(), twists.map(|twist| [twist.turn, twist.travel].map(place)));
    })
}
