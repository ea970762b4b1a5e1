//! `sbs`: the palette's rotations and translations, and a texture with the centre of every set of joints.

use super::{BatchMesh, Error, JointUpload, StagedTexture, Upload, UploadContext, inconsistent};
use crate::joint_uniforms::{UniformArray, place, rotation, set_pairs};
use crate::vertex_layout::immutable;
use bindpose_core::skin::{Data, Method};
use glium::implement_vertex;

/// Set of joints of a vertex.
#[derive(Debug, Clone, Copy)]
pub(super) struct JointSet {
    joint_set: f32,
}
implement_vertex!(JointSet, joint_set);

pub(super) fn new(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let Data::Sets(sets) = &input.prepared.data else {
        return Err(inconsistent(method, "sets of joints that were not prepared"));
    };
    let BatchMesh { mesh, source, .. } = input.batch;
    let set = |_: &_, vertex: usize| JointSet { joint_set: sets.set_of[source[vertex] as usize] as f32 };
    let joint_sets = immutable(input.context, mesh, set)?;
    let arrays = ["boneQuat", "bonePos"].map(|name| UniformArray::new(name, input.joints()));
    // The joint sets of the whole mesh, one texel each.
    let width = sets.sets.len().clamp(1, 64);
    let size = [width, sets.sets.len().div_ceil(width).max(1)];
    let centres = StagedTexture::new(input.context, ["centres", "centre_texels"], size)?;
    Ok(JointUpload::boxed(arrays, [centres], Some(joint_sets), |posing, arrays, [centres]| {
        if let Data::Sets(sets) = &posing.prepared.data {
            let posed = sets.centres(posing.palette_of_whole_mesh());
            centres.set(posed.iter().map(|centre| centre.as_vec3().extend(0.0).to_array()));
        }
        let joints = posing.palette().iter().map(|entry| [rotation(entry), place(entry.translation)]);
        set_pairs(arrays.each_mut(), joints);
    }))
}
