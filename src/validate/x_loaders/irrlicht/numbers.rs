//! Numbers as parsed by Irrlicht itself.

use crate::c::Read;

fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Parses digits only; at most `u32::MAX`.
pub(super) fn digits(text: &[u8]) -> (u32, usize) {
    let length = count_digits(text);
    let value = text.iter().take(length).fold(0_u32, |value, digit| {
        value.checked_mul(10).and_then(|value| value.checked_add(u32::from(digit - b'0'))).unwrap_or(u32::MAX)
    });
    (value, length)
}

/// Returns the result of Irrlicht's own parser: a sign, a point or an `e` alone is also a number.
pub(super) fn fast_atof(text: &[u8]) -> Read<f64> {
    let mut length = usize::from(text.first() == Some(&b'-'));
    let rest = |length: usize| text.get(length..).unwrap_or_default();
    length += count_digits(rest(length));
    if text.get(length) == Some(&b'.') {
        length += 1 + count_digits(rest(length + 1));
    }
    let mantissa = length;
    let mut exponent = 0;
    if matches!(text.get(length), Some(b'e' | b'E')) {
        length += 1;
        let sign = rest(length).first().copied().filter(|sign| matches!(sign, b'+' | b'-'));
        length += usize::from(sign.is_some());
        let (value, count) = digits(rest(length));
        length += count;
        let value = i32::try_from(value).unwrap_or(i32::MAX);
        exponent = if sign == Some(b'-') { -value } else { value };
    }
    let written = text.get(..mantissa).and_then(|text| std::str::from_utf8(text).ok());
    let value = written.and_then(|text| text.parse::<f32>().ok()).unwrap_or(0.0);
    Read { value: (value * 10.0_f64.powi(exponent) as f32).into(), length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_alone_is_a_number() {
        assert_eq!(digits(b"99999999999"), (u32::MAX, 11));
        assert_eq!(digits(b"-1"), (0, 0));
        let Read { value, length } = fast_atof(b"-1.25e2 ");
        assert_eq!((value, length), (-125.0, 7));
        let Read { value, length } = fast_atof(b"-;");
        assert_eq!((value, length), (0.0, 1));
    }
}
