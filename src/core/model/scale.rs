//! Removal of constant scales from a skeleton.

use super::{JointTracks, Model};
use glam::{DAffine3, DVec3};

/// Largest relative difference between the components of a uniform scale.
const TOLERANCE: f64 = 1e-6;

/// Moves every uniform joint scale that is the same in all clips into the offsets of its vertices and the translations
/// of its children. No vertex moves. The joint's scale becomes 1.
///
/// Files made in centimetres and used in metres have such a scale at their root.
pub fn bake_scale(model: &mut Model) {
    let joints = model.skeleton.len();
    let mut factors: Vec<f64> = vec![1.0; joints];
    for joint in model.skeleton.ids() {
        let rest = model.skeleton[joint].rest_local;
        let factor = rest.scale.x;
        let is_factor = |scale: DVec3| scale.abs_diff_eq(DVec3::splat(factor), TOLERANCE * factor);
        let is_constant = |tracks: &JointTracks| match tracks {
            JointTracks::Parts { scale: None, .. } => true,
            JointTracks::Parts { scale: Some(track), .. } => track.values.iter().all(|&scale| is_factor(scale)),
            JointTracks::Whole { keys, .. } => {
                keys.values.iter().all(|key| is_factor(key.scale) && key.shear == DVec3::ZERO)
            }
        };
        let is_uniform = factor > 0.0 && factor != 1.0 && is_factor(rest.scale) && rest.shear == DVec3::ZERO;
        if is_uniform && model.clips.iter().all(|clip| clip.joints.get(joint.index()).is_none_or(is_constant)) {
            factors[joint.index()] = factor;
        }
    }
    // Product of a joint's factor and those of its ancestors.
    let mut whole: Vec<f64> = Vec::with_capacity(joints);
    for joint in model.skeleton.ids() {
        let above = model.skeleton[joint].parent.map_or(1.0, |parent| whole[parent.index()]);
        let own = factors[joint.index()];
        whole.push(above * own);
        let mut rest = model.skeleton[joint].rest_local;
        rest.translation *= above;
        if own != 1.0 {
            rest.scale = DVec3::ONE;
        }
        model.skeleton.set_rest_local(joint, rest);
        for tracks in model.clips.iter_mut().filter_map(|clip| clip.joints.get_mut(joint.index())) {
            match tracks {
                JointTracks::Parts { translation, scale, .. } => {
                    translation.iter_mut().flat_map(|track| &mut track.values).for_each(|value| *value *= above);
                    if own != 1.0 {
                        *scale = None;
                    }
                }
                JointTracks::Whole { keys, .. } => {
                    for key in &mut keys.values {
                        key.translation *= above;
                        if own != 1.0 {
                            key.scale = DVec3::ONE;
                        }
                    }
                }
            }
        }
    }
    for mesh in &mut model.meshes {
        for influence in &mut mesh.influences {
            let factor = whole[mesh.bind[influence.slot as usize].joint.index()];
            influence.offset = (influence.offset.as_dvec3() * factor).as_vec3();
        }
        for bound in &mut mesh.bind {
            let factor = whole[bound.joint.index()];
            bound.inverse_bind = DAffine3::from_scale(DVec3::splat(factor)) * bound.inverse_bind;
        }
    }
}
