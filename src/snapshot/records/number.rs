//! Numbers as text that changes only if the number does.

use glam::DQuat;

/// Formats a number with nine decimals, never as `-0`; or as `nan`, `inf`, `-inf`.
pub(crate) fn fixed(value: f64) -> String {
    if value.is_nan() {
        return "nan".to_owned();
    }
    let text = format!("{value:.9}");
    match text.strip_prefix('-') {
        Some(positive) if is_zero(positive) => positive.to_owned(),
        _ => text,
    }
}

fn is_zero(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0' | b'.' | b'-'))
}

/// Formats x, y, z, w. Of a quaternion and its negative, it uses the one whose printed w is positive, otherwise the one
/// whose first other component that is not 0 is positive.
pub(crate) fn rotation(rotation: DQuat) -> [String; 4] {
    let parts = rotation.to_array();
    let [x, y, z, w] = parts.map(fixed);
    let first = [&w, &x, &y, &z].into_iter().find(|part| !is_zero(part)).is_some_and(|part| part.starts_with('-'));
    if first { parts.map(|part| fixed(-part)) } else { [x, y, z, w] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign_and_not_a_number_is_named() {
        let cases = [
            (-0.0, "0.000000000"),
            (-4e-10, "0.000000000"),
            (-6e-10, "-0.000000001"),
            (1.0 / 3.0, "0.333333333"),
            (-f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ];
        for (value, text) in cases {
            assert_eq!(fixed(value), text);
        }
    }

    #[test]
    fn a_quaternion_has_one_sign_even_if_its_w_prints_as_zero() {
        let [x, y, z, w] = rotation(DQuat::from_xyzw(0.6, 0.0, 0.0, -0.8));
        assert_eq!([&*x, &*y, &*z, &*w], ["-0.600000000", "0.000000000", "0.000000000", "0.800000000"]);
        let half_turn = rotation(DQuat::from_xyzw(-0.6, 0.8, 0.0, -1e-12));
        assert_eq!(half_turn, rotation(DQuat::from_xyzw(-0.6, 0.8, 0.0, 1e-12)));
        assert_eq!(half_turn[0], "0.600000000");
    }
}
