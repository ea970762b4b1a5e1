//! Functions that give the same bits on every machine: std's sine and cosine are the platform's, `libm`'s are not.

use glam::{DMat3, DQuat, DVec3};

/// The rotation about a unit `axis` by `angle` (radians, counter-clockwise seen from the axis' tip).
pub fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// As [`turn`], about +X, degrees: from +Y (left) towards +Z (up).
pub fn roll(degrees: f64) -> DQuat {
    turn(DVec3::X, degrees.to_radians())
}

/// As [`turn`], about +Y, degrees: from +Z (up) towards +X (forward).
pub fn pitch(degrees: f64) -> DQuat {
    turn(DVec3::Y, degrees.to_radians())
}

/// As [`turn`], about +Z, degrees: from +X (forward) towards +Y (left).
pub fn yaw(degrees: f64) -> DQuat {
    turn(DVec3::Z, degrees.to_radians())
}

/// The rotation whose columns are `x` (unit), the part of `y` at right angles to it, and their cross product.
pub fn frame(x: DVec3, y: DVec3) -> DQuat {
    let y = (y - x * y.dot(x)).normalize();
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
}

/// 0 up to `from`, 1 from `to` on, smooth in between.
pub fn smoothstep(from: f64, to: f64, value: f64) -> f64 {
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// The smaller of the two, rounded where they differ by less than `reach`: twice continuously differentiable.
pub fn smooth_min(a: f64, b: f64, reach: f64) -> f64 {
    let near = (reach - (a - b).abs()).max(0.0) / reach;
    a.min(b) - near * near * near * reach / 6.0
}

/// The larger of the two, rounded as [`smooth_min`].
pub fn smooth_max(a: f64, b: f64, reach: f64) -> f64 {
    -smooth_min(-a, -b, reach)
}

/// Linear interpolation.
pub fn mix(from: f64, to: f64, share: f64) -> f64 {
    from + (to - from) * share
}

/// A value over keys: cubic, through every key, never beyond the keys on its two sides, level at both ends.
///
/// `keys` are (place, value) with rising places; outside of them the end values hold. Slopes after Fritsch and
/// Butland (1984): the weighted harmonic mean of the neighbouring ones, 0 at a peak.
pub fn spline<const N: usize>(keys: &[(f64, [f64; N])], at: f64) -> [f64; N] {
    let last = keys.len() - 1;
    if at <= keys[0].0 {
        return keys[0].1;
    }
    if at >= keys[last].0 {
        return keys[last].1;
    }
    let next = keys.partition_point(|key| key.0 <= at);
    let (from, to) = (next - 1, next);
    let width = keys[to].0 - keys[from].0;
    let share = (at - keys[from].0) / width;
    let slope = |key: usize, n: usize| {
        if key == 0 || key == last {
            return 0.0;
        }
        let before = keys[key].0 - keys[key - 1].0;
        let after = keys[key + 1].0 - keys[key].0;
        let down = (keys[key].1[n] - keys[key - 1].1[n]) / before;
        let up = (keys[key + 1].1[n] - keys[key].1[n]) / after;
        if down * up <= 0.0 {
            return 0.0;
        }
        let part = (before + 2.0 * after) / (3.0 * (before + after));
        down * up / (part * up + (1.0 - part) * down)
    };
    std::array::from_fn(|n| {
        hermite(keys[from].1[n], slope(from, n) * width, keys[to].1[n], slope(to, n) * width, share)
    })
}

/// Cubic between two values with given slopes (per unit of `share`).
pub fn hermite(from: f64, slope_from: f64, to: f64, slope_to: f64, share: f64) -> f64 {
    let (s2, s3) = (share * share, share * share * share);
    (2.0 * s3 - 3.0 * s2 + 1.0) * from
        + (s3 - 2.0 * s2 + share) * slope_from
        + (3.0 * s2 - 2.0 * s3) * to
        + (s3 - s2) * slope_to
}
