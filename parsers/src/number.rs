//! Reads numbers as both formats write them: plain decimals, which are the most frequent, and C's words for numbers
//! that are not finite.

use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while, take_while1};
use nom::character::complete::{digit1, one_of};
use nom::combinator::{opt, recognize};
use nom::sequence::delimited;
use nom::{AsChar, IResult, Parser};
use std::hint::select_unpredictable;

/// Powers of ten that are exact in an f64.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Returns the value and the length of a decimal as exporters write it: with a point, up to seven digits before it, 14
/// in all, and at least 17 bytes left. Returns `None` for everything else.
///
/// Only values depend on the number of digits, never a branch, which the processor would mispredict.
#[inline(always)]
pub(crate) fn short_decimal(input: &[u8]) -> Option<(f64, usize)> {
    let chunk: &[u8; 17] = input.first_chunk()?;
    let ([sign, unsigned @ ..], [signed @ .., _]) = (chunk, chunk);
    let is_negative = *sign == b'-';
    let [first, second] = select_unpredictable(is_negative, words(unsigned), words(signed));
    let (others, later) = (other_bytes(first), other_bytes(second));
    let whole = others.trailing_zeros() as usize / 8;
    let is_padded = (whole > 1) & (first & 0xFF == 0);
    if chunk.get(usize::from(is_negative) + whole) != Some(&b'.') || is_padded || whole > 7 {
        return None;
    }
    let before_point = (others ^ others.wrapping_sub(1)) >> 8;
    let after_point = others & others.wrapping_sub(1);
    let in_first = after_point.trailing_zeros() as usize / 8;
    let end = in_first + if in_first == 8 { later.trailing_zeros() as usize / 8 } else { 0 };
    // The first eight digits, without the point.
    let eight = first & before_point | (first >> 8 | second << 56) & !before_point;
    let mantissa = match end - 1 {
        0 => return None,
        count @ 1..=8 => eight_digits(eight << (64 - 8 * count)),
        count @ 9..=14 => {
            let power = *POWERS_OF_TEN.get(count - 8)?;
            eight_digits(eight) * power + eight_digits((second >> 8) << (128 - 8 * count))
        }
        _ => return None,
    };
    // Conversion from a signed integer is one instruction everywhere. The mantissa is exact.
    let size = mantissa as i64 as f64 / POWERS.get(end - 1 - whole)?;
    let value = f64::from_bits(size.to_bits() | u64::from(is_negative) << 63);
    Some((value, usize::from(is_negative) + end))
}

/// Works as [`short_decimal`] for 15 to 19 digits and at least 25 bytes.
#[inline(never)]
pub(crate) fn long_decimal(input: &[u8]) -> Option<(f64, usize)> {
    let chunk: &[u8; 25] = input.first_chunk()?;
    let ([sign, unsigned @ ..], [signed @ .., _]) = (chunk, chunk);
    let is_negative = *sign == b'-';
    let number = if is_negative { unsigned } else { signed };
    let [Some(first), Some(second), Some(third)] =
        [0, 1, 2].map(|word| Some(u64::from_le_bytes(*number.as_chunks().0.get(word)?) ^ EIGHT_ZEROS))
    else {
        return None;
    };
    let others = other_bytes(first);
    let whole = others.trailing_zeros() as usize / 8;
    let is_padded = (whole > 1) & (first & 0xFF == 0);
    let count = other_bytes(third).trailing_zeros() as usize / 8;
    let has_fifteen = others.is_power_of_two() && other_bytes(second) == 0;
    if !has_fifteen || number.get(whole) != Some(&b'.') || is_padded || count > 4 {
        return None;
    }
    let before_point = (others ^ others.wrapping_sub(1)) >> 8;
    let eight = first & before_point | (first >> 8 | second << 56) & !before_point;
    let fifteen = eight_digits(eight) * 10_000_000 + eight_digits(second & !0xFF);
    let mantissa = fifteen * POWERS_OF_TEN.get(count)? + eight_digits(third << 8 << (56 - 8 * count));
    let size = quotient(mantissa, 15 + count - whole)?;
    let value = f64::from_bits(size.to_bits() | u64::from(is_negative) << 63);
    Some((value, usize::from(is_negative) + 16 + count))
}

/// Reciprocals of the powers of ten up to 10^19: `2^bits / power`, rounded down to 64 bits, and `bits`.
const RECIPROCALS: [(u64, u32); 20] = {
    let mut reciprocals = [(0, 0); 20];
    let (mut place, mut power) = (0, 1_u128);
    while place < reciprocals.len() {
        let bits = 63 + u128::BITS - (power - 1).leading_zeros();
        reciprocals[place] = (((1 << bits) / power) as u64, bits);
        (place, power) = (place + 1, power * 10);
    }
    reciprocals
};

/// Returns `mantissa / 10^digits`, correctly rounded, for up to 19 digits (Lemire, "Number parsing at a gigabyte per
/// second", 2021). Returns `None` for zero, and if 64 bits of the reciprocal are too few.
#[inline]
fn quotient(mantissa: u64, digits: usize) -> Option<f64> {
    const EXPONENT_BIAS: u32 = 1023;
    let &(reciprocal, bits) = RECIPROCALS.get(digits)?;
    let zeros = mantissa.leading_zeros();
    let product = u128::from(mantissa.checked_shl(zeros)?) * u128::from(reciprocal);
    // The reciprocal is rounded down, so that the true product is less than 2^64 larger.
    let shift = u64::BITS + 1;
    let [low, high] = [0, 2].map(|more| ((product >> shift) as i64 + more) as f64);
    let scale = f64::from_bits(u64::from(EXPONENT_BIAS + shift - bits - zeros) << 52);
    (low == high).then_some(low * scale)
}

/// `digits ['.' [digits]]` or `'.' digits`, without a sign.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Decimal {
    /// All digits as one integer. Wrapped if there are more than 19.
    pub mantissa: u64,
    /// Number of digits before the point.
    pub whole: usize,
    /// Number of digits after the point. `None` without a point.
    pub fraction: Option<usize>,
}

impl Decimal {
    /// Splits the decimal off the front of `input`. It is empty if there are no digits.
    #[inline]
    pub fn scan(input: &[u8]) -> (Self, &[u8]) {
        let (mantissa, rest) = digits(input, 0);
        let whole = input.len() - rest.len();
        match rest {
            [b'.', after @ ..] => {
                let (mantissa, rest) = many_digits(after, mantissa);
                (Self { mantissa, whole, fraction: Some(after.len() - rest.len()) }, rest)
            }
            _ => (Self { mantissa, whole, fraction: None }, rest),
        }
    }

    /// Returns the number of digits. The mantissa is exact for at most 19 digits.
    #[inline]
    pub fn digits(&self) -> usize {
        self.whole + self.fraction.unwrap_or(0)
    }

    /// Returns the correctly rounded value if one operation gives it.
    #[inline]
    pub fn quick_value(&self) -> Option<f64> {
        let fraction = self.fraction.unwrap_or(0);
        match self.digits() {
            1..=19 if self.mantissa <= 1 << 53 => Some(self.mantissa as f64 / POWERS.get(fraction)?),
            1..=19 => quotient(self.mantissa, fraction),
            _ => None,
        }
    }
}

/// Appends the leading digits to `value`, and returns the rest. Wraps after 19 digits.
#[inline]
pub(crate) fn digits(mut input: &[u8], mut value: u64) -> (u64, &[u8]) {
    while let [byte @ b'0'..=b'9', rest @ ..] = input {
        value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        input = rest;
    }
    (value, input)
}

/// Works as [`digits`], for fractions: converts eight digits at once.
#[inline]
fn many_digits(mut input: &[u8], mut value: u64) -> (u64, &[u8]) {
    while let Some((eight, rest)) = input.split_first_chunk() {
        let word = u64::from_le_bytes(*eight) ^ EIGHT_ZEROS;
        if other_bytes(word) != 0 {
            break;
        }
        value = value.wrapping_mul(100_000_000).wrapping_add(eight_digits(word));
        input = rest;
    }
    digits(input, value)
}

/// Returns the value and the length of up to seven digits.
#[inline(always)]
pub(crate) fn short_integer(input: &[u8]) -> Option<(u64, usize)> {
    let word = u64::from_le_bytes(*input.first_chunk()?) ^ EIGHT_ZEROS;
    let count = other_bytes(word).trailing_zeros() as usize / 8;
    let is_padded = (count > 1) & (word & 0xFF == 0);
    ((1..=7).contains(&count) && !is_padded).then(|| (eight_digits(word << (64 - 8 * count)), count))
}

/// Eight times the character `0`.
const EIGHT_ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// Powers of ten up to the number of digits in a word.
const POWERS_OF_TEN: [u64; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Returns the two words of `bytes`, in which digits have their values.
#[inline]
fn words(bytes: &[u8; 16]) -> [u64; 2] {
    let both = u128::from_le_bytes(*bytes);
    [both as u64 ^ EIGHT_ZEROS, (both >> 64) as u64 ^ EIGHT_ZEROS]
}

/// Returns the highest bit of each byte above 9. Bytes from 0x8A on can also set it in later ones.
#[inline]
fn other_bytes(word: u64) -> u64 {
    // Adding 0x76 makes every byte from 10 on at least 0x80, and no smaller byte.
    (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080
}

/// Returns the value of eight digits, the first in the lowest byte. Joins digits to pairs, pairs to fours, and fours to
/// eight.
#[inline]
fn eight_digits(digits: u64) -> u64 {
    const PAIRS: u64 = 0x0000_00FF_0000_00FF;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first = (pairs & PAIRS).wrapping_mul(100 + (1_000_000 << 32));
    let second = (pairs >> 16 & PAIRS).wrapping_mul(1 + (10_000 << 32));
    first.wrapping_add(second) >> 32
}

/// Spellings of C libraries for values that are not finite, without a sign: `nan`, `nan(ind)`, `inf`, `1.#IND00`,
/// `1.#QNAN`.
pub(crate) fn not_finite(input: &[u8]) -> IResult<&[u8], &[u8], ()> {
    let bracket = || opt(delimited(one_of("("), take_while(|byte: u8| byte.is_alphanum()), one_of(")")));
    let old = recognize((digit1, one_of("."), one_of("#"), take_while1(|byte: u8| byte.is_ascii_alphanumeric())));
    let infinity = recognize(alt((tag_no_case("infinity"), tag_no_case("inf"))));
    alt((recognize((tag_no_case("nan"), bracket())), infinity, old)).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits of the tests, without a zero at the front of any part.
    const DIGITS: &[u8] = b"98172635445362718192";

    #[test]
    fn decimals_are_those_that_digits_give_one_by_one() {
        for (sign, whole, fraction) in ["", "-"]
            .into_iter()
            .flat_map(|sign| (0..10).flat_map(move |whole| (0..17).map(move |fraction| (sign, whole, fraction))))
        {
            let number =
                [sign.as_bytes(), &DIGITS[..whole], b".", &DIGITS[whole..][..fraction.min(20 - whole)]].concat();
            for end in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                for behind in [&b"7777777777777777"[..], b".\xff.-7777777777777", b""] {
                    let input = [&number, &[end][..], behind].concat();
                    let is_short = (1..=14).contains(&(whole + fraction)) && whole <= 7 && input.len() >= 17;
                    let is_long = (15..=19).contains(&(whole + fraction)) && whole <= 7 && input.len() >= 25;
                    let value = str::from_utf8(&number).unwrap().parse().ok().map(|value: f64| (value, number.len()));
                    assert_eq!(short_decimal(&input), value.filter(|_| is_short), "{}", input.escape_ascii());
                    assert_eq!(long_decimal(&input), value.filter(|_| is_long), "{}", input.escape_ascii());
                }
            }
        }
        let bits = |text: &[u8]| short_decimal(text).map(|(value, length)| (value.to_bits(), length));
        assert_eq!(bits(b"-0.000000 0.25     "), Some(((-0.0_f64).to_bits(), 9)));
        for other in [
            &b"1 .5              "[..],
            b"00.5              ",
            b"-                 ",
            b"--1.5             ",
            b"+1.5              ",
        ] {
            assert_eq!(bits(other), None, "{}", other.escape_ascii());
        }
        for other in ["00.12345678901234567", "1.2.34567890123456789", "+1.23456789012345678", "1.23456789012345678901"]
        {
            assert_eq!(long_decimal(format!("{other:25}").as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn quotients_are_rounded_correctly_or_left_out() {
        let mut state = 1_u64;
        let mut left_out = 0;
        for round in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (mantissa, digits) = (state >> (round % 60), round % 20);
            match quotient(mantissa, digits) {
                Some(value) => {
                    assert_eq!(value, format!("{mantissa}e-{digits}").parse().unwrap(), "{mantissa} {digits}")
                }
                None => left_out += 1,
            }
        }
        assert!(left_out < 100, "{left_out}");
        // Half a unit in the last place.
        assert_eq!([(1 << 53) + 1, (1 << 54) + 2, 0].map(|mantissa| quotient(mantissa, 0)), [None; 3]);
        assert_eq!(quotient(500_000_000_000_000, 15), Some(0.5));
        assert_eq!(quotient(u64::MAX, 0), Some(18_446_744_073_709_551_615.0));
    }

    #[test]
    fn short_integers_have_up_to_seven_digits() {
        for length in 0..=9 {
            for end in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                let input = [&DIGITS[..length], &[end], b"7654321"].concat();
                let value = (1..=7).contains(&length).then(|| (digits(&input, 0).0, length));
                assert_eq!(short_integer(&input), value, "{}", input.escape_ascii());
            }
        }
        assert_eq!((short_integer(b"0       "), short_integer(b"01      ")), (Some((0, 1)), None));
    }

    #[test]
    fn fractions_end_at_every_byte_that_is_no_digit() {
        for length in 0..=DIGITS.len() {
            let number = &DIGITS[..length];
            let expected =
                number.iter().fold(0_u64, |value, digit| value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')));
            for end in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                // Enough for whole words after the end, and too few bytes for them.
                for behind in 0..9 {
                    let rest: Vec<u8> = std::iter::once(end).chain(std::iter::repeat_n(b'7', behind)).collect();
                    let input = [number, &rest].concat();
                    assert_eq!(many_digits(&input, 0), (expected, &rest[..]), "{}", input.escape_ascii());
                }
            }
            assert_eq!(many_digits(number, 0), (expected, &[][..]));
        }
        assert_eq!(many_digits(b"25;", 7), (725, &b";"[..]));
        assert_eq!(many_digits(b"12345678.", 9), (912_345_678, &b"."[..]));
    }
}
