//! Rotations of palettes and how several become one.

use crate::model::Transform;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// The rotation in a palette entry; what scale and shear it has besides is left out.
///
/// One function for references and GPU palettes: for half a turn both signs of the quaternion are as good, and both
/// must take the same.
pub fn rotation(palette: &DAffine3) -> DQuat {
    Transform::from_affine(*palette).rotation
}

/// Rotations of a whole palette.
pub(super) fn rotations(palette: &[DAffine3]) -> Vec<DQuat> {
    palette.iter().map(rotation).collect()
}

/// How large [`rigidity_error`] may be before a joint counts as stretched: what moves a vertex by a hundred-thousandth
/// of its distance from the joint, the tolerance of the agreement tests.
pub const RIGID: f64 = 2e-5;

/// How far a map is from a rotation and a translation: the largest element of `transpose(M) * M - 1`.
pub fn rigidity_error(map: &DAffine3) -> f64 {
    let difference = map.matrix3.transpose() * map.matrix3 - DMat3::IDENTITY;
    let largest = difference.to_cols_array().into_iter().fold(0.0_f64, |most, element| most.max(element.abs()));
    // A mirrored map has orthogonal axes, too.
    if map.matrix3.determinant() < 0.0 { largest.max(2.0) } else { largest }
}

/// `normalize(sum w_i s_i q_i)` with the signs `s_i` such that none points away from `lead` (article 000, appendix A).
///
/// Where the sum vanishes (it cannot with non-negative weights) it is `lead`.
pub(super) fn blend(lead: DQuat, weighted: impl IntoIterator<Item = (f64, DQuat)>) -> DQuat {
    let mut sum = DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0);
    for (weight, rotation) in weighted {
        sum += towards(lead, rotation) * weight;
    }
    if sum.length_squared() > 1e-24 { sum.normalize() } else { lead }
}

/// The one of the two quaternions of a rotation that does not point away from `lead`.
///
/// Within 1e-6 of a right angle (half a turn apart, where both are as good) it stays as it is, so that f32 on the GPU
/// and f64 here decide alike.
pub(super) fn towards(lead: DQuat, rotation: DQuat) -> DQuat {
    if lead.dot(rotation) < -1e-6 { -rotation } else { rotation }
}

/// Where a bind joint's origin is in the bind pose, model space.
pub(super) fn bind_origin(bound: &crate::model::BindJoint) -> DVec3 {
    bound.inverse_bind.inverse().translation
}
