//! Transform of a joint, split into components that interpolate well.

use glam::{DAffine3, DMat3, DQuat, DVec3};

/// `p_parent = translation + rotation * (stretch * p_joint)`.
///
/// `stretch` is the upper triangular matrix with `scale` on its diagonal and `shear` = (xy, xz, yz) above it. It can
/// represent every affine map. MD5 has neither scale nor shear. Matrix keys of .x may have both. A mirrored space has a
/// negative scale on x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Transform {
    /// Position of the joint in its parent's space, file units.
    pub translation: DVec3,
    /// Unit quaternion.
    pub rotation: DQuat,
    /// Scale, applied before the rotation.
    pub scale: DVec3,
    /// Fractions of y added to x, of z added to x, and of z added to y, before the rotation.
    pub shear: DVec3,
}

impl Transform {
    /// Identity transform.
    pub const IDENTITY: Self =
        Self { translation: DVec3::ZERO, rotation: DQuat::IDENTITY, scale: DVec3::ONE, shear: DVec3::ZERO };

    /// Creates a rigid transform.
    pub fn from_rotation_translation(rotation: DQuat, translation: DVec3) -> Self {
        Self { translation, rotation, ..Self::IDENTITY }
    }

    /// Splits an affine map into components (Gram-Schmidt). Exact up to rounding for every invertible map.
    ///
    /// Axes of length zero get the missing directions of a right-handed frame, and a scale of zero.
    pub fn from_affine(affine: DAffine3) -> Self {
        let [x, y, z] = [affine.matrix3.x_axis, affine.matrix3.y_axis, affine.matrix3.z_axis];
        let axis_x = x.try_normalize().unwrap_or(DVec3::X);
        let (axis_y, tilted_y) = perpendicular_part(y, axis_x);
        let mut axis_x = axis_x;
        let mut axis_z = axis_x.cross(axis_y);
        let mirrored = affine.matrix3.determinant() < 0.0;
        if mirrored {
            axis_x = -axis_x;
            axis_z = -axis_z;
        }
        // A mirrored map keeps a proper rotation by reversing x and its scale.
        let axis_z = if mirrored { axis_x.cross(axis_y) } else { axis_z };
        Self {
            translation: affine.translation,
            rotation: DQuat::from_mat3(&DMat3::from_cols(axis_x, axis_y, axis_z)).normalize(),
            scale: DVec3::new(axis_x.dot(x), tilted_y, axis_z.dot(z)),
            shear: DVec3::new(axis_x.dot(y), axis_x.dot(z), axis_y.dot(z)),
        }
    }

    /// Converts the transform to an affine map.
    pub fn to_affine(self) -> DAffine3 {
        let rotation = DMat3::from_quat(self.rotation);
        let matrix3 = DMat3::from_cols(
            rotation.x_axis * self.scale.x,
            rotation.x_axis * self.shear.x + rotation.y_axis * self.scale.y,
            rotation.x_axis * self.shear.y + rotation.y_axis * self.shear.z + rotation.z_axis * self.scale.z,
        );
        DAffine3 { matrix3, translation: self.translation }
    }

    /// Interpolates from `self` (share 0) to `other` (share 1): translation, scale and shear linearly, rotation by
    /// [`slerp`].
    pub fn lerp(self, other: Self, share: f64) -> Self {
        Self {
            translation: self.translation.lerp(other.translation, share),
            rotation: slerp(self.rotation, other.rotation, share),
            scale: self.scale.lerp(other.scale, share),
            shear: self.shear.lerp(other.shear, share),
        }
    }
}

/// Returns the unit direction and length of the part of `vector` perpendicular to a unit axis.
fn perpendicular_part(vector: DVec3, axis: DVec3) -> (DVec3, f64) {
    let rest = vector - axis * axis.dot(vector);
    match rest.try_normalize() {
        Some(direction) if rest.length() > 1e-12 * vector.length() => (direction, rest.length()),
        _ => (axis.any_orthonormal_vector(), 0.0),
    }
}

/// Interpolates unit quaternions spherically along the shorter arc, exact at both ends. `share` is clamped to 0 to 1.
///
/// As in Doom 3 (docs/formats/md5.md "Quaternions"), the second quaternion is negated if the dot product is negative.
/// Within 1e-6 of parallel, interpolation is linear. The result is normalised in both cases. Sine and arc cosine come
/// from the crate `libm`, so that poses have the same bits on every machine.
pub fn slerp(from: DQuat, to: DQuat, share: f64) -> DQuat {
    if share <= 0.0 || from == to {
        return from;
    }
    let dot = from.dot(to);
    let to = if dot < 0.0 { -to } else { to };
    if share >= 1.0 {
        return to;
    }
    let cosine = dot.abs();
    let (weight_from, weight_to) = if 1.0 - cosine > 1e-6 {
        let angle = libm::acos(cosine);
        let sine = libm::sin(angle);
        (libm::sin((1.0 - share) * angle) / sine, libm::sin(share * angle) / sine)
    } else {
        (1.0 - share, share)
    };
    (from * weight_from + to * weight_to).normalize()
}

/// Returns the cofactor matrix: the transposed inverse times the determinant. Transforms normals if `matrix` transforms
/// points, even without an inverse.
pub fn cofactors(matrix: &DMat3) -> DMat3 {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y))
}
