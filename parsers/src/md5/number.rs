//! Numbers of the three formats (docs/formats/md5.md "Numbers").
//!
//! A quick scan reads plain decimals, which exporters write nearly always. Everything else goes through
//! [`Lexer::odd_number`], which knows every spelling that some reader accepts, and warns of each.

use super::Int;
use super::error::{Error, ErrorKind};
use super::lex::{Lexer, Matched, NumberList, shorten, skip};
use super::warning::WarningKind;
use crate::Span;
use crate::number::{Decimal, digits, not_finite, short_decimal, short_integer};
use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while1};
use nom::character::complete::{digit0, digit1, one_of};
use nom::combinator::{opt, recognize};
use nom::sequence::preceded;

/// Number in any spelling.
#[derive(Debug, Clone, Copy)]
enum Number {
    /// Number without fraction and exponent, saturated.
    Integer(i64),
    /// Number with a fraction or an exponent.
    Real(f64),
}

/// Spelling of a number without its sign.
enum Spelling<'a> {
    /// Digits with a prefix that names their base.
    Based(u32, &'a [u8]),
    Decimal(&'a [u8]),
    NotFinite,
}

impl<'a> Lexer<'a> {
    /// Reads a number where fractions are allowed. The result is finite in f32.
    #[inline]
    pub(super) fn float(&mut self) -> Result<f64, Error> {
        self.skip_blanks();
        match quick_float(self.rest()) {
            Some((value, rest)) => {
                self.set_rest(rest);
                Ok(value)
            }
            None => self.odd_float(),
        }
    }

    /// Appends up to `count` plain decimals separated by white space. Stops before the first word of another form.
    pub(super) fn quick_floats(&mut self, count: usize, to: &mut Vec<f64>) {
        let mut plain = Plain { rest: self.rest() };
        for _ in 0..count {
            let rest = plain.rest;
            let Some(value) = plain.float() else {
                plain.rest = rest;
                break;
            };
            to.push(value);
        }
        self.set_rest(plain.rest);
    }

    /// Applies `read` to the following words, and returns its result with the span. If `read` returns `None`, nothing
    /// is consumed.
    #[inline]
    pub(super) fn plain<T>(&mut self, read: impl FnOnce(&mut Plain<'a>) -> Option<T>) -> Option<(T, Span)> {
        let mut plain = Plain { rest: self.rest() };
        plain.blanks();
        let start = self.whole().len() - plain.rest.len();
        let value = read(&mut plain)?;
        self.set_rest(plain.rest);
        Some((value, self.span_from(start)))
    }

    #[cold]
    fn odd_float(&mut self) -> Result<f64, Error> {
        let start = self.offset();
        let value = match self.odd_number("a number", true)? {
            Number::Real(value) => value,
            Number::Integer(value) => {
                if value.unsigned_abs() > u64::from(u32::MAX) {
                    let text = self.text_from(start);
                    self.warn(WarningKind::IntegerWraps { text, value: wrap(value) }, start);
                }
                value as f64
            }
        };
        // The comparison is also false for NaN.
        if value.abs() <= f64::from(f32::MAX) {
            return Ok(value);
        }
        let text = self.text_from(start);
        let kind = if value.is_nan() { WarningKind::NotFinite { text } } else { WarningKind::TooLarge { text } };
        self.warn(kind, start);
        Ok(0.0)
    }

    /// Reads a number outside any list, where a comma between digits is a decimal point.
    pub(super) fn single_float(&mut self) -> Result<f64, Error> {
        self.list = None;
        self.float()
    }

    // vector ::= '(' number … ')'
    #[inline]
    pub(super) fn vector<const N: usize>(&mut self) -> Result<[f64; N], Error> {
        self.require(b'(', "'('")?;
        self.list = Some(NumberList { start: self.offset(), values: N, decimal_commas: None });
        let mut vector = [0.0; N];
        for value in &mut vector {
            *value = self.float()?;
        }
        self.require(b')', "')'")?;
        Ok(vector)
    }

    /// Reads a count, index or version. `expected` describes it in the error.
    #[inline]
    pub(super) fn int(&mut self, expected: &'static str) -> Result<Int, Error> {
        self.skip_blanks();
        let start = self.offset();
        let value = match quick_int(self.rest()) {
            Some((value, rest)) => {
                self.set_rest(rest);
                value
            }
            None => self.odd_int(expected)?,
        };
        Ok(Int { value, span: self.span_from(start) })
    }

    #[cold]
    fn odd_int(&mut self, expected: &'static str) -> Result<i64, Error> {
        let start = self.offset();
        let value = match self.odd_number(expected, false)? {
            Number::Integer(value) => value,
            Number::Real(real) => {
                // The conversion saturates, and gives 0 for NaN.
                let value = real as i64;
                let text = self.text_from(start);
                self.warn(WarningKind::FractionDropped { text, value }, start);
                value
            }
        };
        let wrapped = wrap(value);
        if wrapped != value {
            let text = self.text_from(start);
            self.warn(WarningKind::IntegerWraps { text, value: wrapped }, start);
        }
        Ok(wrapped)
    }

    /// Reads the number of a record. Any width is accepted, because the number is not used.
    #[inline]
    pub(super) fn record_number(&mut self, expected: &'static str) -> Result<i64, Error> {
        self.skip_blanks();
        match quick_int(self.rest()) {
            Some((value, rest)) => {
                self.set_rest(rest);
                Ok(value)
            }
            None => self.odd_number(expected, false).map(|number| match number {
                Number::Integer(value) => value,
                Number::Real(value) => value as i64,
            }),
        }
    }

    fn text_from(&self, start: usize) -> String {
        shorten(self.whole().get(start..self.offset()).unwrap_or_default())
    }

    /// Reads a number in any spelling, with a warning for each oddity. `real` allows a comma as decimal point.
    fn odd_number(&mut self, expected: &'static str, real: bool) -> Result<Number, Error> {
        let start = self.offset();
        let negative = match self.rest() {
            [sign @ (b'-' | b'+'), rest @ ..] => {
                self.set_rest(rest);
                if *sign == b'+' {
                    self.warn(WarningKind::PlusSign, start);
                }
                let apart = self.offset();
                self.skip_blanks();
                if self.offset() > apart {
                    self.warn(WarningKind::MinusApart, start);
                }
                *sign == b'-'
            }
            _ => false,
        };
        let digits = self.offset();
        let Ok((rest, spelling)) = spelling(self.rest()) else {
            return Err(self.no_number(start, expected));
        };
        self.set_rest(rest);
        let number = match spelling {
            Spelling::NotFinite if !real => return Err(self.no_number(start, expected)),
            Spelling::NotFinite => Number::Real(f64::NAN),
            Spelling::Based(base, digits) => Number::Integer(negative_integer(digits, base)),
            Spelling::Decimal(text) => self.decimal(text, digits, real),
        };
        self.suffix();
        if self.rest().first().is_some_and(|&byte| !ends_number(byte)) {
            return Err(self.no_number(start, expected));
        }
        let number = match number {
            Number::Integer(0) if negative && real => Number::Real(-0.0),
            // Digits are read as a negative number, because the lowest i64 has no positive counterpart.
            Number::Integer(value) => Number::Integer(if negative { value } else { value.saturating_neg() }),
            Number::Real(value) => Number::Real(if negative { -value } else { value }),
        };
        let based = matches!(spelling, Spelling::Based(..));
        let zero_led = matches!(self.whole().get(digits..digits + 2), Some([b'0', next]) if next.is_ascii_digit() || *next == b'e' || *next == b'E');
        if based || zero_led {
            let text = self.text_from(start);
            let value = match number {
                Number::Integer(value) => value as f64,
                Number::Real(value) => value,
            };
            let octal = matches!(spelling, Spelling::Based(8, _)) || !based;
            let kind =
                if octal { WarningKind::LeadingZero { text, value } } else { WarningKind::OtherBase { text, value } };
            self.warn(kind, start);
        }
        Ok(number)
    }

    /// Returns the value of `text`, which begins at `start` and has just been read. Integers are negated.
    fn decimal(&mut self, text: &'a [u8], start: usize, real: bool) -> Number {
        if text.contains(&b'E') {
            self.warn(WarningKind::UpperCaseExponent, start);
        }
        if real
            && let [b',', fraction @ ..] = self.rest()
            && fraction.first().is_some_and(u8::is_ascii_digit)
            && text.iter().all(u8::is_ascii_digit)
            && self.comma_is_point()
        {
            let rest = skip(fraction, |byte| byte.is_ascii_digit());
            let fraction = fraction.get(..fraction.len() - rest.len()).unwrap_or_default();
            self.set_rest(rest);
            let written = self.text_from(start);
            self.warn(WarningKind::DecimalComma { text: written }, start);
            return Number::Real(real_value(&[text, b".", fraction].concat()));
        }
        if text.iter().all(u8::is_ascii_digit) {
            Number::Integer(negative_integer(text, 10))
        } else {
            Number::Real(real_value(text))
        }
    }

    /// True if commas between digits are decimal points here.
    ///
    /// In a list, they are decimal points if the list has as many pieces between blanks as numbers. `(0,0,10)` is three
    /// numbers with separators, `(0,5 1,25 10,0)` is three numbers with decimal commas.
    fn comma_is_point(&mut self) -> bool {
        let Some(mut list) = self.list else { return true };
        if let Some(known) = list.decimal_commas {
            return known;
        }
        let inside = self.whole().get(list.start..).unwrap_or_default();
        // Stop at the next bracket, because a list without an end must not cause a search through the whole file.
        let tail = skip(inside, |byte| !matches!(byte, b'(' | b')' | b'{' | b'}'));
        let inside = inside.get(..inside.len() - tail.len()).unwrap_or_default();
        let pieces = inside.split(|&byte| byte <= b' ').filter(|piece| !piece.is_empty());
        let point = pieces.count() == list.values;
        list.decimal_commas = Some(point);
        self.list = Some(list);
        point
    }

    // suffix ::= { 'f' | 'F' | 'l' | 'L' | 'u' | 'U' }
    fn suffix(&mut self) {
        let start = self.offset();
        let rest = skip(self.rest(), |byte| matches!(byte, b'f' | b'F' | b'l' | b'L' | b'u' | b'U'));
        if rest.len() < self.rest().len() {
            self.set_rest(rest);
            self.warn(WarningKind::NumberSuffix, start);
        }
    }

    /// Returns the error for a word at `start` that is not a number.
    fn no_number(&mut self, start: usize, expected: &'static str) -> Error {
        self.rewind(start);
        let span = self.peek();
        let word = self.whole().get(span.range()).unwrap_or_default();
        let digits = skip(word, |byte| matches!(byte, b'-' | b'+' | b'.'));
        if digits.first().is_some_and(u8::is_ascii_digit) {
            return Error { kind: ErrorKind::BadNumber { text: shorten(word), expected: expected.into() }, span };
        }
        self.lacking(expected)
    }
}

/// Reader of text as exporters write it, with only white space between words. Returns `None`, at any position, for
/// everything else.
pub(super) struct Plain<'a> {
    rest: &'a [u8],
}

impl<'a> Plain<'a> {
    /// Takes a mark, regardless of the next byte.
    #[inline]
    pub(super) fn mark(&mut self, mark: &[u8]) -> Option<()> {
        self.blanks();
        self.rest = self.rest.strip_prefix(mark)?;
        Some(())
    }

    #[inline]
    fn blanks(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Takes a word or mark followed by a blank.
    #[inline]
    pub(super) fn word(&mut self, word: &[u8]) -> Option<()> {
        self.mark(word)?;
        matches!(self.rest, [b' ' | b'\t' | b'\n' | b'\r', ..]).then_some(())
    }

    #[inline]
    fn take<T>(&mut self, quick: impl FnOnce(&'a [u8]) -> Option<(T, &'a [u8])>) -> Option<T> {
        self.blanks();
        let (value, rest) = quick(self.rest)?;
        self.rest = rest;
        Some(value)
    }

    #[inline]
    pub(super) fn int(&mut self) -> Option<i64> {
        self.take(quick_int)
    }

    #[inline]
    pub(super) fn index(&mut self) -> Option<u32> {
        self.int().and_then(|value| u32::try_from(value).ok())
    }

    #[inline]
    pub(super) fn float(&mut self) -> Option<f64> {
        self.take(quick_float)
    }

    #[inline]
    pub(super) fn vector<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut vector = [0.0; N];
        self.word(b"(")?;
        for value in &mut vector {
            *value = self.float()?;
        }
        self.mark(b")")?;
        Some(vector)
    }
}

/// Returns a plain decimal of up to 19 digits with a blank or bracket after it. Returns `None` for everything else.
#[inline]
fn quick_float(input: &[u8]) -> Option<(f64, &[u8])> {
    if let Some((value, length)) = short_decimal(input) {
        let rest = input.get(length..).unwrap_or_default();
        return rest.first().is_none_or(|&byte| byte != b',' && ends_number(byte)).then_some((value, rest));
    }
    plain_float(input)
}

/// Works as [`quick_float`], digit by digit.
fn plain_float(input: &[u8]) -> Option<(f64, &[u8])> {
    let (negative, number) = match input {
        [b'-', number @ ..] => (true, number),
        _ => (false, input),
    };
    let (decimal, rest) = Decimal::scan(number);
    if decimal.whole > 1 && number.first() == Some(&b'0') {
        return None;
    }
    // Doom 3 wraps integers at 32 bits, which needs a warning.
    if decimal.fraction.is_none() && decimal.mantissa > u64::from(u32::MAX) {
        return None;
    }
    // A comma can be a decimal point.
    if !(1..=19).contains(&decimal.digits()) || rest.first().is_some_and(|&byte| byte == b',' || !ends_number(byte)) {
        return None;
    }
    let value = match decimal.quick_value() {
        Some(value) => value,
        None => real_value(number.get(..number.len() - rest.len())?),
    };
    Some((if negative { -value } else { value }, rest))
}

/// Returns a plain integer of up to 9 digits with a blank or bracket after it. Returns `None` for everything else.
#[inline]
fn quick_int(input: &[u8]) -> Option<(i64, &[u8])> {
    if let Some((value, length)) = short_integer(input) {
        let rest = input.get(length..).unwrap_or_default();
        return rest.first().is_none_or(|&byte| ends_number(byte)).then_some((value as i64, rest));
    }
    let (negative, number) = match input {
        [b'-', number @ ..] => (true, number),
        _ => (false, input),
    };
    let (value, rest) = digits(number, 0);
    let count = number.len() - rest.len();
    if !(1..=9).contains(&count)
        || (count > 1 && number.first() == Some(&b'0'))
        || rest.first().is_some_and(|&byte| !ends_number(byte))
    {
        return None;
    }
    let value = value as i64;
    Some((if negative { -value } else { value }, rest))
}

/// True if a number can end before `byte`.
#[inline]
fn ends_number(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | b'(' | b')' | b'{' | b'}' | b'"' | b'/' | b';' | b',' | 0x80..)
}

// number ::= '0' [xX] hex | '0' [bB] binary | '0' octal | not finite | decimal
fn spelling(input: &[u8]) -> nom::IResult<&[u8], Spelling<'_>, ()> {
    let hex = preceded(tag_no_case("0x"), take_while1(|byte: u8| byte.is_ascii_hexdigit()));
    let binary = preceded(tag_no_case("0b"), take_while1(|byte| matches!(byte, b'0' | b'1')));
    alt((
        hex.map(|digits| Spelling::Based(16, digits)),
        binary.map(|digits| Spelling::Based(2, digits)),
        octal.map(|digits| Spelling::Based(8, digits)),
        not_finite.map(|_| Spelling::NotFinite),
        decimal.map(Spelling::Decimal),
    ))
    .parse(input)
}

/// Reads '0' and octal digits that are not part of a decimal. `08` and `00.5` are decimals for all readers except
/// Doom 3.
fn octal(input: &[u8]) -> Matched<'_> {
    let (rest, digits) = digit1.parse(input)?;
    let octal = digits.len() > 1 && digits.starts_with(b"0") && digits.iter().all(|digit| *digit < b'8');
    match rest.first() {
        Some(b'.' | b'e' | b'E') => Err(nom::Err::Error(())),
        _ if octal => Ok((rest, digits)),
        _ => Err(nom::Err::Error(())),
    }
}

// decimal ::= (digits ['.' [digits]] | '.' digits) [('e' | 'E') ['-' | '+'] digits]
fn decimal(input: &[u8]) -> Matched<'_> {
    let exponent = || opt((one_of("eE"), opt(one_of("+-")), digit1));
    alt((recognize((digit1, opt((one_of("."), digit0)), exponent())), recognize((one_of("."), digit1, exponent()))))
        .parse(input)
}

/// Returns the negated value of `digits`, saturated.
fn negative_integer(digits: &[u8], base: u32) -> i64 {
    digits.iter().fold(0_i64, |value, &digit| {
        let digit = char::from(digit).to_digit(base).unwrap_or_default();
        value.saturating_mul(i64::from(base)).saturating_sub(i64::from(digit))
    })
}

/// Returns the length in bytes of a number that is not finite, as C libraries print it (`-nan(ind)`, `inf`, `1.#QNAN`).
/// The number must be at the beginning of `text`. The length includes the sign. Returns `None` for anything else.
pub fn not_finite_length(text: &[u8]) -> Option<usize> {
    let number = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let (rest, _) = not_finite(number).ok()?;
    rest.first().is_none_or(|&byte| ends_number(byte)).then(|| text.len() - rest.len())
}

/// Returns the correctly rounded value of a decimal accepted by [`decimal`].
fn real_value(text: &[u8]) -> f64 {
    fast_float2::parse(text).unwrap_or(f64::NAN)
}

/// Returns the low 32 bits of an integer, signed, as Doom 3 reads it.
fn wrap(value: i64) -> i64 {
    if (i64::from(i32::MIN)..=i64::from(i32::MAX)).contains(&value) { value } else { i64::from(value as i32) }
}

#[cfg(test)]
mod tests {
    use super::not_finite_length;

    /// Spellings of Visual C++'s and the GNU C library.
    #[test]
    fn words_for_numbers_that_are_not_finite_are_whole() {
        for word in ["nan", "-nan(ind)", "nan(snan)", "-nan(snan)", "1.#QNAN", "-1.#IND", "1.#INF", "inf", "-1.#IND00"]
        {
            assert_eq!(not_finite_length(format!("{word} 0.5 )").as_bytes()), Some(word.len()), "{word}");
        }
        for text in ["nano 1", "info", "1.5 nan", "(nan", "-", ""] {
            assert_eq!(not_finite_length(text.as_bytes()), None, "{text}");
        }
    }
}
