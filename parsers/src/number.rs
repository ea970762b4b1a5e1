//! Reads numbers as both formats write them: plain decimals, which are the most frequent, and C's words for numbers
//! that are not finite.

use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while, take_while1};
use nom::character::complete::{digit1, one_of};
use nom::combinator::{opt, recognize};
use nom::sequence::delimited;
use nom::{AsChar, IResult, Parser};

/// Powers of ten that are exact in an f64.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

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

/// Works as [`digits`], for fractions: converts up to eight digits at once.
#[inline]
fn many_digits(input: &[u8], value: u64) -> (u64, &[u8]) {
    let Some((eight, rest)) = input.split_first_chunk() else { return digits(input, value) };
    let word = u64::from_le_bytes(*eight) ^ EIGHT_ZEROS;
    // Adding 0x76 makes every byte from 10 on at least 0x80, and no smaller byte. Carries only reach bytes after such a
    // byte.
    let others = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
    if others == 0 {
        return digits(rest, value.wrapping_mul(100_000_000).wrapping_add(eight_digits(word)));
    }
    // Most exporters write six decimals. With a constant, the processor can begin the next number before it has read
    // this one.
    if others.trailing_zeros() / 8 == 6 {
        let value = value.wrapping_mul(1_000_000).wrapping_add(eight_digits(word << 16));
        return (value, input.get(6..).unwrap_or_default());
    }
    digits(input, value)
}

/// Eight times the character `0`.
const EIGHT_ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

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

    #[test]
    fn digits_end_at_every_byte_that_is_none_wherever_it_stands() {
        let number = b"90817263544536271809";
        for length in 0..=number.len() {
            let expected = number[..length]
                .iter()
                .fold(0_u64, |value, digit| value.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')));
            for end in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                // Enough for whole words after the end, and too few bytes for them.
                for behind in 0..9 {
                    let rest: Vec<u8> = std::iter::once(end).chain(std::iter::repeat_n(b'7', behind)).collect();
                    let input = [&number[..length], &rest].concat();
                    assert_eq!(many_digits(&input, 0), (expected, &rest[..]), "{}", input.escape_ascii());
                }
            }
            assert_eq!(many_digits(&number[..length], 0), (expected, &[][..]));
        }
        assert_eq!(many_digits(b"25;", 7), (725, &b";"[..]));
        assert_eq!(many_digits(b"12345678.", 9), (912_345_678, &b"."[..]));
    }
}
