//! `sjb`, `sjb-article` and `sjbbe`: the palette's rotations, the joints' posed positions.

use super::examples::{self, Shares};
use super::{BatchMesh, Error, JointUpload, Posing, Upload, UploadContext, inconsistent};
use crate::joint_uniforms::{UniformArray, place, rotation, set_pairs};
use bindpose_core::model::BindJoint;
use bindpose_core::skin::{Data, Method};
use glam::DAffine3;

fn arrays(joints: usize) -> [UniformArray; 2] {
    ["boneQuat", "bonePos"].map(|name| UniformArray::new(name, joints))
}

fn set(arrays: [&mut UniformArray; 2], posing: &mut Posing<'_>) {
    let BatchMesh { mesh, .. } = posing.batch;
    let posed = |(bound, entry): (&BindJoint, &DAffine3)| {
        let posed_origin = entry.transform_point3(bound.inverse_bind.inverse().translation);
        [rotation(entry), place(posed_origin)]
    };
    set_pairs(arrays, mesh.bind.iter().zip(posing.palette()).map(posed));
}

/// Data of `sjb`.
pub(super) fn new(joints: usize) -> Box<dyn Upload> {
    JointUpload::boxed(arrays(joints), [], None, |posing, arrays, []| set(arrays.each_mut(), posing))
}

/// Offsets of examples at a vertex, and the index of their joint.
/// Data of `sjb-article`.
pub(super) fn signed(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let Data::Signs(_) = &input.prepared.data else {
        return Err(inconsistent(method, "signs that were not prepared"));
    };
    let whole = &input.prepared.mesh.bind;
    let slot = |bound: &BindJoint| whole.iter().position(|other| other.joint == bound.joint).unwrap_or(0);
    let slots: Vec<usize> = input.batch.mesh.bind.iter().map(slot).collect();
    Ok(JointUpload::boxed(arrays(input.joints()), [], None, move |posing, arrays, []| {
        let [quaternions, positions] = arrays;
        set([quaternions, positions], posing);
        if let Data::Signs(signs) = &posing.prepared.data {
            let rotations = signs.rotations(posing.palette_of_whole_mesh());
            quaternions.set(slots.iter().map(|&slot| rotations[slot].as_quat().to_array()));
        }
    }))
}

/// Data of `sjbbe`.
pub(super) fn with_examples(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let (offsets, shares) = examples::new(method, input)?;
    let [rotations, positions] = arrays(input.joints());
    let arrays = [rotations, positions, Shares::array(input)];
    Ok(JointUpload::boxed(arrays, [], Some(offsets), move |posing, [rotations, positions, weights], []| {
        shares.set(weights, posing);
        set([rotations, positions], posing);
    }))
}
