//! Conversion from the file's left-handed space, +Y up, to the model's right-handed space, +Z up.

use crate::model::Transform;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// `P`: swaps y and z. A mirror and its own inverse.
pub(super) const SWAP: DMat3 = DMat3::from_cols(DVec3::X, DVec3::Z, DVec3::Y);

/// Handedness of a joint's own space: the file's or its mirror image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// `G = P`
    Mirrored,
    /// `G = 1`
    Same,
}

impl Side {
    /// Returns the `G` for which `P * world * G` does not mirror; `None` for a world transform that is flat or not
    /// finite.
    pub(super) fn of_world(world: &DAffine3) -> Option<Self> {
        let determinant = world.matrix3.determinant();
        if determinant > 0.0 && determinant.is_finite() {
            Some(Self::Mirrored)
        } else if determinant < 0.0 && determinant.is_finite() {
            Some(Self::Same)
        } else {
            None
        }
    }

    /// `G`, which is also its own inverse.
    pub(super) fn matrix(self) -> DMat3 {
        match self {
            Self::Mirrored => SWAP,
            Self::Same => DMat3::IDENTITY,
        }
    }
}

/// Conversion of a local transform: `local = from^-1 * A * to`. `from` is the parent's `G` (`P` at a root), `to` the
/// joint's `G`.
///
/// In parts, `A = T * R * S`, with `D = diag(-1, 1, 1)`, which commutes with scales and makes `P * D` a rotation `C`:
///
/// ```text
/// P * A * P = (P T) * (P R P) * (P S P)
/// P * A     = (P T) * (P R P) C * (D S)
///     A * P =    T  *      R  C * (D (P S P))
/// ```
///
/// `P R P` turns by the opposite angle about the swapped axis. Both it and the factor `C` keep the distance of
/// quaternions, so that slerp between keys is the same on either side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Crossing {
    pub(super) from: Side,
    pub(super) to: Side,
}

/// `C = P * D`: half a turn about (0, 1, 1).
const HALF_TURN: DQuat = DQuat::from_xyzw(0.0, std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2, 0.0);

impl Crossing {
    /// True if the handedness of the two spaces differs: the frame's own matrix mirrors.
    pub(super) fn mirrors(self) -> bool {
        self.from != self.to
    }

    /// Converts a whole transform.
    pub(super) fn affine(self, local: &DAffine3) -> DAffine3 {
        let from = self.from.matrix();
        DAffine3 { matrix3: from * local.matrix3 * self.to.matrix(), translation: from * local.translation }
    }

    /// Converts a translation.
    pub(super) fn translation(self, translation: DVec3) -> DVec3 {
        self.from.matrix() * translation
    }

    /// Converts a rotation, for column vectors.
    pub(super) fn rotation(self, rotation: DQuat) -> DQuat {
        let turned = match self.from {
            Side::Mirrored => DQuat::from_xyzw(-rotation.x, -rotation.z, -rotation.y, rotation.w),
            Side::Same => rotation,
        };
        if self.mirrors() { turned * HALF_TURN } else { turned }
    }

    /// Converts a scale.
    pub(super) fn scale(self, scale: DVec3) -> DVec3 {
        let swapped = self.to.matrix() * scale;
        if self.mirrors() { swapped * DVec3::new(-1.0, 1.0, 1.0) } else { swapped }
    }
}

/// Converts sixteen numbers of a file to a map for column vectors.
pub(super) fn file_affine(matrix: &[f64; 16]) -> DAffine3 {
    let column = |start: usize| DVec3::new(matrix[start], matrix[start + 1], matrix[start + 2]);
    DAffine3 { matrix3: DMat3::from_cols(column(0), column(4), column(8)), translation: column(12) }
}

/// Converts a rotation key to a unit quaternion for column vectors. Returns `None` if its length is 0.
pub(super) fn file_rotation([w, x, y, z]: [f64; 4]) -> Option<DQuat> {
    let quaternion = DQuat::from_xyzw(-x, -y, -z, w);
    let unit = quaternion.normalize();
    (quaternion.length_squared() > 0.0 && unit.is_finite()).then_some(unit)
}

/// Splits a frame's matrix for the lists that an animation lacks. Scales are the lengths of the axes, all negative for
/// a mirroring matrix.
pub(super) fn decompose(local: &DAffine3) -> (DVec3, DQuat, DVec3) {
    let sign = if local.matrix3.determinant() < 0.0 { -1.0 } else { 1.0 };
    let axes = [local.matrix3.x_axis, local.matrix3.y_axis, local.matrix3.z_axis];
    let [x, y, z] = axes.map(|axis| axis * sign);
    let matrix3 = DMat3::from_cols(x, y, z);
    let rotation = Transform::from_affine(DAffine3 { matrix3, translation: DVec3::ZERO }).rotation;
    let scale = DVec3::from_array(axes.map(|axis| sign * axis.length()));
    (local.translation, rotation, scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(matrix: [[f64; 3]; 3]) -> DMat3 {
        // Rows of a row-vector matrix are columns of the column-vector map.
        DMat3::from_cols(matrix[0].into(), matrix[1].into(), matrix[2].into())
    }

    fn close(a: DMat3, b: DMat3, tolerance: f64) -> bool {
        a.abs_diff_eq(b, tolerance)
    }

    /// docs/formats/x.md "Animation keys": rows measured from the genuine XNA importer (case C58), and the direction of
    /// rotation (C60).
    #[test]
    fn rotation_keys_are_conjugate_quaternions() {
        let half = 707_107.0 / 1e6;
        let about_x = file_rotation([half, half, 0.0, 0.0]).unwrap();
        let expected = rows([[1., 0., 0.], [0., 0., -1.], [0., 1., 0.]]);
        assert!(close(DMat3::from_quat(about_x), expected, 1e-6));
        let about_z = file_rotation([half, 0.0, 0.0, half]).unwrap();
        assert!((about_z * DVec3::X).distance(DVec3::NEG_Y) < 1e-6);
        assert_eq!(file_rotation([0.0; 4]), None);
    }

    #[test]
    fn parts_cross_as_the_whole_does() {
        let rotation = DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -3.0).normalize(), 0.7);
        let (translation, scale) = (DVec3::new(4.0, 5.0, 6.0), DVec3::new(0.5, 2.0, 3.0));
        let local = DAffine3 { matrix3: DMat3::from_quat(rotation) * DMat3::from_diagonal(scale), translation };
        for from in [Side::Mirrored, Side::Same] {
            for to in [Side::Mirrored, Side::Same] {
                let crossing = Crossing { from, to };
                let matrix3 =
                    DMat3::from_quat(crossing.rotation(rotation)) * DMat3::from_diagonal(crossing.scale(scale));
                let whole = crossing.affine(&local);
                assert!(close(matrix3, whole.matrix3, 1e-12), "{crossing:?}");
                assert!(crossing.translation(translation).abs_diff_eq(whole.translation, 1e-12), "{crossing:?}");
            }
        }
    }

    #[test]
    fn mirroring_matrices_decompose_into_negative_scales() {
        let local = DAffine3 { matrix3: rows([[1., 0., 0.], [0., 0., 2.], [0., 3., 0.]]), translation: DVec3::X };
        let (translation, rotation, scale) = decompose(&local);
        assert_eq!(translation, DVec3::X);
        assert_eq!(scale, DVec3::new(-1.0, -2.0, -3.0));
        assert!(close(DMat3::from_quat(rotation) * DMat3::from_diagonal(scale), local.matrix3, 1e-12));
    }
}
