//! `velocity`: palette matrices, and the motions of all joints of the skeleton in a texture.

use super::{Error, JointUpload, StagedTexture, Upload, UploadContext};
use crate::joint_uniforms::{UniformArray, rows};
use crate::vertex_layout::{four_joints, immutable};
use bindpose_core::skin::{DRAG, Data, JointMotion, Method, SQUASH};
use glam::DVec3;
use glium::implement_vertex;

/// Texels per joint.
const TEXELS: usize = 6;
/// Joints per row, as in velocity.vert.
const JOINTS_A_ROW: usize = 256;

/// Joints of the skeleton that influence a vertex.
#[derive(Debug, Clone, Copy)]
pub(super) struct MovedBy {
    moved_by: [f32; 4],
}
implement_vertex!(MovedBy, moved_by);

pub(super) fn new(method: &Method, input: &UploadContext<'_>) -> Result<Box<dyn Upload>, Error> {
    let joints = input.skeleton.len();
    let size = [TEXELS * joints.clamp(1, JOINTS_A_ROW), joints.div_ceil(JOINTS_A_ROW).max(1)];
    if size.into_iter().any(|side| side > input.texture_size as usize) {
        return Err(Error::unavailable(method, "its skeleton is wider than the driver's textures".into()));
    }
    if input.skeleton.depths().into_iter().max().unwrap_or(0) >= JOINTS_A_ROW as u32 {
        return Err(Error::unavailable(method, format!("more than {JOINTS_A_ROW} joints are above each other")));
    }
    let moved_by = |mesh: &bindpose_core::model::Mesh, vertex: usize| MovedBy {
        moved_by: four_joints(mesh, vertex)
            .map(|slot| mesh.bind.get(slot as usize).map_or(0.0, |bound| bound.joint.index() as f32)),
    };
    let moved_by = immutable(input.context, &input.batch.mesh, moved_by)?;
    let arrays = [UniformArray::new("palette", 3 * input.joints()), UniformArray::single("effect")];
    let motions = StagedTexture::new(input.context, ["motions", "motion_texels"], size)?;
    Ok(JointUpload::boxed(arrays, [motions], Some(moved_by), |posing, [palette, effect], [motions]| {
        palette.set(posing.palette().iter().flat_map(rows));
        let mut per_size = 0.0;
        if let Data::Motion(motion) = &posing.prepared.data {
            per_size = motion.per_size as f32;
            motions.set(motion.joints(posing.first.model, posing.first.time).iter().flat_map(texels));
        } else {
            // Without a clip nothing moves, so no joint needs its ancestors.
            motions.set(vec![[0.0, 0.0, 0.0, -1.0]; TEXELS * posing.first.model.0.len()]);
        }
        effect.set([[DRAG as f32, SQUASH as f32, per_size]]);
    }))
}

fn texels(joint: &JointMotion) -> [[f32; 4]; TEXELS] {
    let parent = joint.parent.map_or(-1.0, |parent| parent as f32);
    let texel = |vector: DVec3| vector.as_vec3().extend(0.0).to_array();
    let JointMotion { speed, turn, centre, stretch, squeeze, .. } = *joint;
    let position = joint.position.as_vec3().extend(parent).to_array();
    [position, texel(speed), texel(turn), texel(centre), texel(stretch), texel(squeeze)]
}
