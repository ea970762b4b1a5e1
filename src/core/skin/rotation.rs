//! Rotations of palette entries and their blend.

use crate::model::{BindJoint, Influence, Transform};
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Returns the rotation of a palette entry, without scale and shear.
///
/// References and GPU palettes share this function: at half a turn both signs of the quaternion are valid, and both
/// must choose the same.
pub fn rotation(palette: &DAffine3) -> DQuat {
    Transform::from_affine(*palette).rotation
}

/// Returns the rotations of a whole palette.
pub(super) fn rotations(palette: &[DAffine3]) -> Vec<DQuat> {
    palette.iter().map(rotation).collect()
}

/// Largest [`rigidity_error`] of a rigid joint. It moves a vertex by 1e-5 of its distance from the joint, the tolerance
/// of the agreement tests.
pub const RIGID: f64 = 2e-5;

/// Returns the largest element of `transpose(M) * M - 1`: 0 for a rotation with a translation, at least 2 for a
/// mirrored map.
pub fn rigidity_error(map: &DAffine3) -> f64 {
    let difference = map.matrix3.transpose() * map.matrix3 - DMat3::IDENTITY;
    let largest = difference.to_cols_array().into_iter().fold(0.0_f64, |most, element| most.max(element.abs()));
    if map.matrix3.determinant() < 0.0 { largest.max(2.0) } else { largest }
}

/// Computes `normalize(sum w_i s_i q_i)` with signs `s_i` such that no quaternion points away from the rotation of
/// `lead` (article 000, appendix A); `rotations` are indexed by slot.
///
/// Returns the lead's rotation if the sum vanishes, which requires negative weights.
pub(super) fn blend(rotations: &[DQuat], lead: &Influence, influences: &[Influence]) -> DQuat {
    let lead = rotations[lead.slot as usize];
    let mut sum = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for influence in influences {
        sum += towards(lead, rotations[influence.slot as usize]) * f64::from(influence.weight);
    }
    if sum.length_squared() > 1e-24 { sum.normalize() } else { lead }
}

/// Returns the quaternion of a rotation, negated if it points away from `lead`.
///
/// Within 1e-6 of a right angle (half a turn apart, where both signs are valid) it stays, so that f32 on the GPU and
/// f64 here decide equally.
pub(super) fn towards(lead: DQuat, rotation: DQuat) -> DQuat {
    if lead.dot(rotation) < -1e-6 { -rotation } else { rotation }
}

/// Returns the origin of a bind joint in the bind pose, in model space.
pub(super) fn bind_origin(bound: &BindJoint) -> DVec3 {
    bound.inverse_bind.inverse().translation
}
