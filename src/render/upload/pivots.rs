//! `sjb`, `sjbbe` and their articles' forms: the palette's rotations, the joints' posed positions.

use super::examples::{self, Shares};
use super::{BatchMesh, Error, JointUpload, Posing, Upload, UploadContext};
use crate::joint_uniforms::{UniformArray, place, rotation, set_pairs};
use bindpose_core::model::BindJoint;
use bindpose_core::skin::Method;
use glam::DAffine3;

/// Joints of a batch.
struct Pivots {
    /// Index of each joint in the whole mesh's palette, which decides signs.
    slots: Vec<usize>,
}

impl Pivots {
    fn new(input: &UploadContext<'_>) -> Self {
        let whole = &input.prepared.mesh.bind;
        let slot = |bound: &BindJoint| whole.iter().position(|other| other.joint == bound.joint).unwrap_or(0);
        Self { slots: input.batch.mesh.bind.iter().map(slot).collect() }
    }

    fn set(&self, [quaternions, positions]: [&mut UniformArray; 2], posing: &mut Posing<'_>) {
        let BatchMesh { mesh, .. } = posing.batch;
        let posed = |(bound, entry): (&BindJoint, &DAffine3)| {
            let posed_origin = entry.transform_point3(bound.inverse_bind.inverse().translation);
            [rotation(entry), place(posed_origin)]
        };
        set_pairs([&mut *quaternions, positions], mesh.bind.iter().zip(posing.palette()).map(posed));
        if let Some(signs) = posing.prepared.data.signs() {
            let rotations = signs.rotations(posing.palette_of_whole_mesh());
            quaternions.set(self.slots.iter().map(|&slot| rotations[slot].as_quat().to_array()));
        }
    }
}

fn arrays(joints: usize) -> [UniformArray; 2] {
    ["boneQuat", "bonePos"].map(|name| UniformArray::new(name, joints))
}

/// Data of `sjb` and `sjb-article`.
pub(super) fn new(input: &UploadContext<'_>) -> Box<dyn Upload> {
    let pivots = Pivots::new(input);
    JointUpload::boxed(arrays(input.joints()), [], None, move |posing, arrays, []| {
        pivots.set(arrays.each_mut(), posing)
    })
}

/// Data of `sjbbe` and `sjbbe-article`.
pub(super) fn with_examples(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let (offsets, shares) = examples::new(method, input)?;
    let pivots = Pivots::new(input);
    let [rotations, positions] = arrays(input.joints());
    let arrays = [rotations, positions, Shares::array(input)];
    Ok(JointUpload::boxed(arrays, [], Some(offsets), move |posing, [rotations, positions, weights], []| {
        shares.set(weights, posing);
        pivots.set([rotations, positions], posing);
    }))
}
