//! `sjb` and `sjbbe`: the palette's rotations, the joints' posed positions, and the weight of each example.

use super::{BatchMesh, Error, JointUpload, Posing, Upload, UploadContext, inconsistent};
use crate::joint_uniforms::{UniformArray, place, rotation, set_pairs};
use crate::vertex_layout::immutable;
use bindpose_core::model::BindJoint;
use bindpose_core::skin::{Data, Method};
use glam::DAffine3;
use glium::implement_vertex;

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
#[derive(Debug, Clone, Copy)]
pub(super) struct ExampleOffsets {
    offset0: [f32; 4],
    offset1: [f32; 3],
    offset2: [f32; 3],
    offset3: [f32; 3],
    normal_offset0: [f32; 3],
    normal_offset1: [f32; 3],
    normal_offset2: [f32; 3],
    normal_offset3: [f32; 3],
}
implement_vertex!(
    ExampleOffsets,
    offset0,
    offset1,
    offset2,
    offset3,
    normal_offset0,
    normal_offset1,
    normal_offset2,
    normal_offset3
);

/// Data of `sjbbe`.
pub(super) fn with_examples(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let Data::Corrections(corrections) = &input.prepared.data else {
        return Err(inconsistent(method, "examples that were not prepared"));
    };
    let BatchMesh { mesh, source, .. } = input.batch;
    // Sorted indices of the mesh's corrected joints in this batch.
    let mut corrected: Vec<u32> = source.iter().filter_map(|&vertex| corrections.support[vertex as usize]).collect();
    corrected.sort_unstable();
    corrected.dedup();
    if corrected.len() > input.capacity {
        return Err(Error::unavailable(method, "more joints with examples than joints in a batch".to_owned()));
    }
    let offsets = immutable(input.context, mesh, |_, vertex| {
        let vertex = source[vertex] as usize;
        let joint = corrections.support[vertex].and_then(|joint| corrected.binary_search(&joint).ok());
        let [a, b, c, d] = corrections.offsets[vertex];
        let [na, nb, nc, nd] = corrections.normal_offsets[vertex];
        ExampleOffsets {
            offset0: a.extend(joint.unwrap_or(0) as f32).to_array(),
            offset1: b.to_array(),
            offset2: c.to_array(),
            offset3: d.to_array(),
            normal_offset0: na.to_array(),
            normal_offset1: nb.to_array(),
            normal_offset2: nc.to_array(),
            normal_offset3: nd.to_array(),
        }
    })?;
    let [rotations, positions] = arrays(input.joints());
    let arrays = [rotations, positions, UniformArray::new("exampleWeights", input.joints())];
    Ok(JointUpload::boxed(arrays, [], Some(offsets), move |posing, [rotations, positions, all_shares], []| {
        if let Data::Corrections(corrections) = &posing.prepared.data {
            let palette = posing.palette_of_whole_mesh();
            let shares = |&joint: &u32| corrections.joints[joint as usize].shares(palette).map(|share| share as f32);
            all_shares.set(corrected.iter().map(shares));
        }
        set([rotations, positions], posing);
    }))
}
