//! Numbers as parsed by C and Irrlicht.

/// A number and its length in bytes. 0 if there is none.
pub(super) struct Float {
    pub value: f32,
    pub length: usize,
}

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

/// Returns the result of C's `strtoul` in base 10, truncated to 32 bits.
pub(super) fn strtoul(text: &[u8]) -> (u32, usize) {
    let sign = usize::from(text.first() == Some(&b'-'));
    let body = text.get(sign..).unwrap_or_default();
    let length = count_digits(body);
    if length == 0 {
        return (0, 0);
    }
    let value = body
        .iter()
        .take(length)
        .fold(0_u64, |value, digit| value.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    let value = if sign == 1 && value < u64::MAX { value.wrapping_neg() } else { value };
    (value as u32, sign + length)
}

/// Returns the result of C's `strtod`, converted to 32 bits. Accepts hexadecimal, infinity and NaN.
pub(super) fn strtod(text: &[u8]) -> Float {
    let sign = usize::from(text.first() == Some(&b'-'));
    let body = text.get(sign..).unwrap_or_default();
    let negate = |value: f32| if sign == 1 { -value } else { value };
    let starts = |word: &[u8]| body.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word));
    for (word, value) in [(&b"infinity"[..], f32::INFINITY), (b"inf", f32::INFINITY), (b"nan", f32::NAN)] {
        if starts(word) {
            return Float { value: negate(value), length: sign + word.len() };
        }
    }
    if starts(b"0x") {
        let hex = body.iter().skip(2).take_while(|byte| byte.is_ascii_hexdigit());
        let (value, count) = hex.fold((0.0_f64, 0), |(value, count), digit| {
            (value * 16.0 + f64::from(char::from(*digit).to_digit(16).unwrap_or(0)), count + 1)
        });
        if count > 0 {
            return Float { value: negate(value as f32), length: sign + 2 + count };
        }
    }
    let length = decimal(body);
    let written = body.get(..length).and_then(|text| std::str::from_utf8(text).ok());
    match written.and_then(|text| text.parse::<f64>().ok()) {
        Some(value) => Float { value: negate(value as f32), length: sign + length },
        None => Float { value: 0.0, length: 0 },
    }
}

/// Returns the length in bytes of a decimal number without a sign. Returns 0 if there is none.
fn decimal(text: &[u8]) -> usize {
    let whole = count_digits(text);
    let mut length = whole;
    if text.get(length) == Some(&b'.') {
        let fraction = count_digits(text.get(length + 1..).unwrap_or_default());
        if whole + fraction == 0 {
            return 0;
        }
        length += 1 + fraction;
    }
    if length > 0 && matches!(text.get(length), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(text.get(length + 1), Some(b'+' | b'-')));
        let exponent = count_digits(text.get(length + 1 + sign..).unwrap_or_default());
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

/// Returns the result of Irrlicht's own parser: a sign, a point or an `e` alone is also a number.
pub(super) fn fast_atof(text: &[u8]) -> Float {
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
    Float { value: value * 10.0_f64.powi(exponent) as f32, length }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_where_c_ends_them() {
        let float = |text: &str| {
            let Float { value, length } = strtod(text.as_bytes());
            (value, length)
        };
        assert_eq!(float("1.5;"), (1.5, 3));
        assert_eq!(float("-.5e+1x"), (-5.0, 6));
        assert_eq!(float("1e;"), (1.0, 1));
        assert_eq!(float("-"), (0.0, 0));
        assert_eq!(float("."), (0.0, 0));
        assert_eq!(float("5."), (5.0, 2));
        assert_eq!(float("0x1A;"), (26.0, 4));
        assert_eq!(float("1e400"), (f32::INFINITY, 5));
        assert_eq!(float("-inf,"), (f32::NEG_INFINITY, 4));
        assert_eq!(strtoul(b"-1;"), (u32::MAX, 2));
        assert_eq!(strtoul(b"4294967297"), (1, 10));
        assert_eq!((strtoul(b".5"), strtoul(b"-x")), ((0, 0), (0, 0)));
        assert_eq!(digits(b"99999999999"), (u32::MAX, 11));
        assert_eq!(digits(b"-1"), (0, 0));
        let Float { value, length } = fast_atof(b"-1.25e2 ");
        assert_eq!((value, length), (-125.0, 7));
        let Float { value, length } = fast_atof(b"-;");
        assert_eq!((value, length), (0.0, 1));
    }
}
