//! Numbers and white space as in the C library.

/// True for white space according to `isspace`.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A parsed number and its length in bytes. 0 if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Read<T> {
    pub value: T,
    pub length: usize,
}

fn spaces(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| is_space(byte)).count()
}

fn sign(text: &[u8]) -> usize {
    usize::from(matches!(text.first(), Some(b'-' | b'+')))
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

fn tail(text: &[u8], from: usize) -> &[u8] {
    text.get(from..).unwrap_or_default()
}

/// Returns the sign and magnitude in base 10. The magnitude saturates far beyond 64 bits.
fn decimal(text: &[u8]) -> Option<(bool, u128, usize)> {
    let start = spaces(text);
    let sign = sign(tail(text, start));
    let negative = tail(text, start).first() == Some(&b'-');
    let body = tail(text, start + sign);
    let count = digits(body);
    let add = |sum: u128, digit: &u8| sum.saturating_mul(10).saturating_add(u128::from(digit - b'0'));
    let magnitude = body.iter().take(count).fold(0, add);
    (count > 0).then_some((negative, magnitude, start + sign + count))
}

/// `strtol` with base 10 and 64 bits; value 0 and length 0 without a number.
pub(crate) fn strtol(text: &[u8]) -> Read<i64> {
    let Some((negative, magnitude, length)) = decimal(text) else { return Read { value: 0, length: 0 } };
    let value = i128::try_from(magnitude).unwrap_or(i128::MAX);
    let value = if negative { -value } else { value };
    Read { value: value.clamp(i64::MIN.into(), i64::MAX.into()) as i64, length }
}

/// `strtoul` with base 10 and 64 bits. A minus wraps around.
pub(crate) fn strtoul(text: &[u8]) -> Read<u64> {
    let Some((negative, magnitude, length)) = decimal(text) else { return Read { value: 0, length: 0 } };
    let value = match u64::try_from(magnitude) {
        Ok(value) if negative => value.wrapping_neg(),
        Ok(value) => value,
        Err(_) => u64::MAX,
    };
    Read { value, length }
}

/// `atoi`: `strtol`, truncated to 32 bits.
pub(crate) fn atoi(text: &[u8]) -> i32 {
    strtol(text).value as i32
}

fn starts_with(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}

/// `strtol` with base 0 and 64 bits: octal and hexadecimal are accepted.
pub(crate) fn strtol_any(text: &[u8]) -> i64 {
    let (negative, magnitude) = any_base(text);
    let value = i128::try_from(magnitude).unwrap_or(i128::MAX);
    (if negative { -value } else { value }).clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// `strtoull` with base 0. A minus wraps around.
pub(crate) fn strtoull_any(text: &[u8]) -> u64 {
    let (negative, magnitude) = any_base(text);
    let value = u64::try_from(magnitude).unwrap_or(u64::MAX);
    if negative && u128::from(value) == magnitude { value.wrapping_neg() } else { value }
}

/// Returns the sign and magnitude with base 0. Without digits the magnitude is 0.
fn any_base(text: &[u8]) -> (bool, u128) {
    let text = tail(text, spaces(text));
    let negative = text.first() == Some(&b'-');
    let rest = tail(text, sign(text));
    let is_hexadecimal = matches!(rest, [b'0', b'x' | b'X', digit, ..] if digit.is_ascii_hexdigit());
    let (base, digits) = match rest {
        [b'0', _, tail @ ..] if is_hexadecimal => (16, tail),
        [b'0', tail @ ..] => (8, tail),
        _ => (10, rest),
    };
    let values = digits.iter().map_while(|&byte| char::from(byte).to_digit(base));
    let add = |sum: u128, digit: u32| sum.saturating_mul(u128::from(base)).saturating_add(u128::from(digit));
    (negative, values.fold(0, add))
}

/// Returns the value that `strtod` reads, and its length. A hexadecimal number has no exponent or fraction here.
pub(crate) fn strtod_value(text: &[u8]) -> Read<f64> {
    let length = strtod(text);
    let start = spaces(text);
    let negative = text.get(start) == Some(&b'-');
    let body = text.get(start + sign(tail(text, start))..length).unwrap_or_default();
    let value = match body {
        [b'n' | b'N', ..] => f64::NAN,
        [b'i' | b'I', ..] => f64::INFINITY,
        [b'0', b'x' | b'X', digits @ ..] => {
            let digits = digits.iter().map_while(|&byte| char::from(byte).to_digit(16));
            digits.fold(0.0, |value, digit| 16.0 * value + f64::from(digit))
        }
        _ => std::str::from_utf8(body).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0),
    };
    Read { value: if negative { -value } else { value }, length }
}

/// Returns the length in bytes of the number that `strtod` reads. Returns 0 if there is none.
pub(crate) fn strtod(text: &[u8]) -> usize {
    let start = spaces(text);
    let start = start + sign(tail(text, start));
    let body = tail(text, start);
    if starts_with(body, "infinity") {
        return start + "infinity".len();
    }
    if starts_with(body, "inf") {
        return start + "inf".len();
    }
    if starts_with(body, "nan") {
        return start + "nan".len() + nan_payload(tail(body, "nan".len()));
    }
    let is_hexadecimal = starts_with(body, "0x");
    let (prefix, is_digit, letter): (usize, fn(&u8) -> bool, &[u8]) = match is_hexadecimal {
        true => (2, u8::is_ascii_hexdigit, b"pP"),
        false => (0, u8::is_ascii_digit, b"eE"),
    };
    let count = |text: &[u8]| text.iter().take_while(|byte| is_digit(byte)).count();
    let whole = count(tail(body, prefix));
    let mut end = prefix + whole;
    let mut fraction = 0;
    if body.get(end) == Some(&b'.') {
        fraction = count(tail(body, end + 1));
        end += 1 + fraction;
    }
    if whole + fraction == 0 {
        // "0x" alone is read as 0.
        return if is_hexadecimal { start + 1 } else { 0 };
    }
    if body.get(end).is_some_and(|byte| letter.contains(byte)) {
        let power = end + 1 + sign(tail(body, end + 1));
        let count = digits(tail(body, power));
        if count > 0 {
            end = power + count;
        }
    }
    start + end
}

fn nan_payload(text: &[u8]) -> usize {
    let inside = tail(text, 1).iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let is_closed = text.first() == Some(&b'(') && text.get(1 + inside) == Some(&b')');
    if is_closed { inside + 2 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stop_at_the_first_other_character() {
        for (text, value, length) in [("12", 12, 2), (" -7x", -7, 3), ("+5", 5, 2), ("010", 10, 3), ("0x1F", 0, 1)] {
            assert_eq!(strtol(text.as_bytes()), Read { value, length }, "{text}");
        }
        assert_eq!(strtol(b"x"), Read { value: 0, length: 0 });
        assert_eq!(strtol(b"99999999999999999999").value, i64::MAX);
        assert_eq!(strtoul(b"-1").value, u64::MAX);
        assert_eq!(atoi(b"4294967297"), 1);
    }

    #[test]
    fn base_0_reads_octal_and_hexadecimal() {
        for (text, value) in
            [("12", 12), ("-12x", -12), ("010", 8), ("08", 0), ("0x1F", 31), ("0x", 0), (" +7", 7), ("abc", 0)]
        {
            assert_eq!(strtol_any(text.as_bytes()), value, "{text}");
            assert_eq!(strtoull_any(text.as_bytes()), value as u64, "{text}");
        }
    }

    #[test]
    fn floats_have_the_value_that_c_gives_them() {
        for (text, value, length) in [
            ("1.5;", 1.5, 3),
            ("-.5e+1x", -5.0, 6),
            ("1e;", 1.0, 1),
            ("-", 0.0, 0),
            ("5.", 5.0, 2),
            ("0x1A;", 26.0, 4),
            ("1e400", f64::INFINITY, 5),
            ("-inf,", f64::NEG_INFINITY, 4),
        ] {
            assert_eq!(strtod_value(text.as_bytes()), Read { value, length }, "{text}");
        }
        assert!(strtod_value(b"nan").value.is_nan());
    }

    #[test]
    fn floats_have_the_length_that_c_gives_them() {
        let cases = [
            ("1.5", 3),
            ("-.5e1", 5),
            ("1.", 2),
            ("1e", 1),
            ("0.5f", 3),
            ("1.#IND", 2),
            ("-nan", 4),
            ("nan(12)x", 7),
            ("INFINITY", 8),
            ("infx", 3),
            ("0x1p3", 5),
            ("0x", 1),
            (".", 0),
            ("abc", 0),
            (" 2", 2),
        ];
        for (text, length) in cases {
            assert_eq!(strtod(text.as_bytes()), length, "{text}");
        }
    }
}
