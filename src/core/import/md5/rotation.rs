//! Quaternions of MD5 files.

use glam::DQuat;

/// Returns the unit column-vector rotation of a file quaternion, and the excess of x² + y² + z² over 1, at least 0.
pub fn rotation(xyz: [f64; 3]) -> (DQuat, f64) {
    let [x, y, z] = xyz;
    let left = 1.0 - (x * x + y * y + z * z);
    let quaternion = DQuat::from_xyzw(x, y, z, -left.max(0.0).sqrt());
    // Only a quaternion whose components overflow has no length. It becomes the identity.
    let unit = if quaternion.is_finite() { quaternion.normalize() } else { DQuat::IDENTITY };
    (if unit.is_finite() { unit } else { DQuat::IDENTITY }, (-left).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// The table in docs/formats/md5.md "Quaternions", with w = 0 instead of the engine's sqrt(abs) in the third row.
    #[test]
    fn file_quaternions_turn_the_axes_as_the_engine_does() {
        let turned = |xyz, axis: DVec3| rotation(xyz).0 * axis;
        let half = [0.0, 0.0, 0.7071067691];
        assert!(turned(half, DVec3::X).distance(DVec3::NEG_Y) < 1e-7);
        assert!(turned(half, DVec3::Y).distance(DVec3::X) < 1e-7);
        let thirds = [0.5, 0.5, 0.5];
        assert!(turned(thirds, DVec3::X).distance(DVec3::Z) < 1e-12);
        assert!(turned(thirds, DVec3::Y).distance(DVec3::X) < 1e-12);
        assert!(turned(thirds, DVec3::Z).distance(DVec3::Y) < 1e-12);
        let (over, excess) = rotation([1.1, 0.0, 0.0]);
        assert_eq!(over, DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0));
        assert!((excess - 0.21).abs() < 1e-12);
    }
}
