//! Dual quaternions in two phases, for joints with scale (Kavan et al. 2008, section 4.2).
//!
//! From the paper: every palette entry is a scale followed by a rigid map. Scales are blended as matrices and applied
//! in the bind pose; then rigid maps are blended as dual quaternions. Ours: joints scale about their own origin in the
//! bind pose, so that the result does not depend on the model's position; and the rotation is the nearest one.

use super::dqs::{DualQuat, blended};
use super::linear::{push_frame, weighted_sum};
use super::polar::nearest_rotation;
use super::rotation::bind_origin;
use super::skinned::Skinned;
use crate::model::{BindJoint, Mesh, cofactors};
use glam::{DAffine3, DMat3};

/// A palette entry in two phases: first `scale`, then `rigid`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScaledDualQuat {
    /// Scale and shear about the joint, in the bind pose's model space.
    pub scale: DAffine3,
    /// Rotation and translation.
    pub rigid: DualQuat,
}

impl ScaledDualQuat {
    /// Splits the palette entry of a bind joint: `entry = rigid * scale`.
    pub fn new(bound: &BindJoint, entry: &DAffine3) -> Self {
        let origin = bind_origin(bound);
        let rotation = nearest_rotation(&entry.matrix3);
        let scale = DMat3::from_quat(rotation).transpose() * entry.matrix3;
        Self {
            scale: DAffine3 { matrix3: scale, translation: origin - scale * origin },
            rigid: DualQuat::new(rotation, entry.transform_point3(origin) - rotation * origin),
        }
    }
}

/// Computes `Q * (sum w_i scale_i v)`, with the blended dual quaternion `Q` of the rigid parts.
pub(super) fn skin(mesh: &Mesh, palette: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let (scales, duals): (Vec<DAffine3>, Vec<DualQuat>) = mesh
        .bind
        .iter()
        .zip(palette)
        .map(|(bound, entry)| ScaledDualQuat::new(bound, entry))
        .map(|ScaledDualQuat { scale, rigid }| (scale, rigid))
        .unzip();
    for vertex in 0..mesh.vertex_count() {
        let influences = mesh.influences_of(vertex);
        let scale = weighted_sum(&scales, influences);
        let unit = blended(influences, &duals);
        push_frame(
            out,
            unit.transform_point3(scale.transform_point3(mesh.positions[vertex].as_dvec3())),
            (unit.real * (cofactors(&scale.matrix3) * mesh.normals[vertex].as_dvec3())).normalize_or_zero(),
            unit.real * (scale.matrix3 * mesh.tangent(vertex).truncate().as_dvec3()),
        );
    }
}
