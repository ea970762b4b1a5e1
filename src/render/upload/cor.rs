//! `cor`: rows of the palette matrices and their rotations, and each vertex' centre of rotation.

use super::{BatchMesh, Error, JointUpload, Upload, UploadContext, inconsistent};
use crate::joint_uniforms::{UniformArray, rotation, rows};
use crate::vertex_layout::immutable;
use bindpose_core::skin::{Data, Method};
use glium::implement_vertex;

#[derive(Debug, Clone, Copy)]
pub(super) struct Centre {
    centre: [f32; 3],
}
implement_vertex!(Centre, centre);

pub(super) fn new(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let Data::Centres(centres) = &input.prepared.data else {
        return Err(inconsistent(method, "centres that were not prepared"));
    };
    let BatchMesh { mesh, source, .. } = input.batch;
    let centre = |_: &_, vertex: usize| Centre { centre: centres[source[vertex] as usize].as_vec3().to_array() };
    let centres = immutable(input.context, mesh, centre)?;
    let arrays = [UniformArray::new("palette", 3 * input.joints()), UniformArray::new("boneQuat", input.joints())];
    Ok(JointUpload::boxed(arrays, [], Some(centres), |posing, [matrices, rotations], []| {
        let palette = posing.palette();
        matrices.set(palette.iter().flat_map(rows));
        rotations.set(palette.iter().map(rotation));
    }))
}
