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

    /// Returns the correctly rounded value if one division of exact numbers gives it.
    #[inline]
    pub fn quick_value(&self) -> Option<f64> {
        let power = POWERS.get(self.fraction.unwrap_or(0))?;
        ((1..=19).contains(&self.digits()) && self.mantissa <= 1 << 53).then(|| self.mantissa as f64 / power)
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
    fn short_decimals_are_those_that_digits_give_one_by_one() {
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
                    let value = str::from_utf8(&number).unwrap().parse().ok().map(|value: f64| (value, number.len()));
                    assert_eq!(short_decimal(&input), value.filter(|_| is_short), "{}", input.escape_ascii());
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
