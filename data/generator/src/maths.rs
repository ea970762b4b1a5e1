//! Functions that give the same bits on every machine. Sine and cosine come from `libm`, because std's depend on the
//! platform.

use glam::{DMat3, DQuat, DVec3};

/// Returns the rotation about a unit `axis` by `angle` (radians, counter-clockwise seen from the axis' tip).
pub fn turn(axis: DVec3, angle: f64) -> DQuat {
    let (sin, cos) = libm::sincos(angle * 0.5);
    DQuat::from_xyzw(axis.x * sin, axis.y * sin, axis.z * sin, cos)
}

/// Works like [`turn`] about +X, in degrees: from +Y (left) towards +Z (up).
pub fn roll(degrees: f64) -> DQuat {
    turn(DVec3::X, degrees.to_radians())
}

/// Works like [`turn`] about +Y, in degrees: from +Z (up) towards +X (forward).
pub fn pitch(degrees: f64) -> DQuat {
    turn(DVec3::Y, degrees.to_radians())
}

/// Works like [`turn`] about +Z, in degrees: from +X (forward) towards +Y (left).
pub fn yaw(degrees: f64) -> DQuat {
    turn(DVec3::Z, degrees.to_radians())
}

/// Returns the rotation whose columns are `x` (unit), the part of `y` orthogonal to it, and their cross product.
pub fn frame(x: DVec3, y: DVec3) -> DQuat {
    let y = (y - x * y.dot(x)).normalize();
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
}

/// Returns 0 up to `from`, 1 from `to` on, and a smooth transition in between.
pub fn smoothstep(from: f64, to: f64, value: f64) -> f64 {
    let share = ((value - from) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// Returns the smaller value, rounded if they differ by less than `reach`. It is twice continuously differentiable.
pub fn smooth_min(a: f64, b: f64, reach: f64) -> f64 {
    let near = (reach - (a - b).abs()).max(0.0) / reach;
    a.min(b) - near * near * near * reach / 6.0
}

/// Returns the larger value, rounded like [`smooth_min`].
pub fn smooth_max(a: f64, b: f64, reach: f64) -> f64 {
    -smooth_min(-a, -b, reach)
}

/// Interpolates linearly.
pub fn mix(from: f64, to: f64, share: f64) -> f64 {
    from + (to - from) * share
}

/// Interpolates keys with a cubic spline that passes through every key, never exceeds the adjacent keys, and is level
/// at both ends.
///
/// `keys` are (position, value) with increasing positions. The end values hold outside of them. Slopes after Fritsch
/// and Butland (1984): the weighted harmonic mean of the adjacent ones, 0 at a peak.
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

/// Interpolates two values with given slopes (per unit of `share`) by a cubic.
pub fn hermite(from: f64, slope_from: f64, to: f64, slope_to: f64, share: f64) -> f64 {
    let (s2, s3) = (share * share, share * share * share);
    (2.0 * s3 - 3.0 * s2 + 1.0) * from
        + (s3 - 2.0 * s2 + share) * slope_from
        + (3.0 * s2 - 2.0 * s3) * to
        + (s3 - s2) * slope_to
}
