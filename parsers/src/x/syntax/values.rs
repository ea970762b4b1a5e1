//! Values of objects by their templates: numbers and strings, member by member.

use super::TreeReader;
use crate::Span;
use crate::number::not_finite;
use crate::x::fault::Fault;
use crate::x::layout::{Item, ItemKind, LayoutId, Length, SLOTS};
use crate::x::report::{Error, quote};
use crate::x::template::{Primitive, expected};
use crate::x::token::{Token, Word, class};
use crate::x::tree::Object;
use crate::x::values::{Cursor, Datum, Odd};
use nom::Parser;
use nom::combinator::all_consuming;
use std::borrow::Cow;

impl<'a> TreeReader<'_, 'a> {
    /// Reads the values of one template.
    ///
    /// Recursion ends because templates can only name templates above them, and no deeper than
    /// [`crate::x::template`] allows.
    pub(super) fn struct_values(&mut self, id: LayoutId, object: &mut Object<'a>) -> Result<(), Error> {
        let mut slots = [0_i64; SLOTS];
        let mut place = 0;
        // Looked up each time, so that `self` is not borrowed.
        while let Some(item) = self.templates.get(id).and_then(|layout| layout.items.get(place)) {
            let (kind, slot) = (item.kind, item.slot);
            let announced = item.lengths.iter().any(|length| matches!(length, Length::Slot(_)));
            let elements = elements(item, &slots);
            self.item_values(kind, elements, announced, object)?;
            if let Some(slot) = slot
                && let Some(count) = slots.get_mut(slot)
            {
                *count = object.values.last_number().map_or(0, |count| count as i64);
            }
            place += 1;
        }
        Ok(())
    }

    /// Reads the elements of one member. `count` is `None` for an invalid number. `announced` is true if the file
    /// declared the count.
    fn item_values(
        &mut self,
        kind: ItemKind,
        count: Option<u64>,
        announced: bool,
        object: &mut Object<'a>,
    ) -> Result<(), Error> {
        let layout = match kind {
            ItemKind::Layout(id) => Some(id),
            ItemKind::Primitive(_) => None,
        };
        let (fewest, flat) = match kind {
            ItemKind::Primitive(primitive) => (1, Some((primitive, 1))),
            ItemKind::Layout(id) => self.templates.get(id).map_or((0, None), |layout| (layout.fewest, layout.flat)),
        };
        if fewest == 0 {
            return Ok(());
        }
        let left = self.tokens.values_left() as u64 + 1;
        let fits = count.is_some_and(|count| count.saturating_mul(fewest) <= left);
        if !fits && announced && (count.is_none() || self.closes()) {
            return Err(self.too_large(object));
        }
        // A number of elements that is fixed by the template needs no check, because the first missing element ends
        // reading.
        let count = count.unwrap_or(u64::MAX);
        let is_counted = layout.and_then(|id| self.templates.get(id)).is_some_and(|layout| layout.counted);
        if fits {
            // Most faces are triangles.
            let (primitive, each) =
                if is_counted { (Some(Primitive::Dword), 4) } else { (flat.map(|(primitive, _)| primitive), fewest) };
            let numbers = usize::try_from(count.saturating_mul(each).min(left)).unwrap_or(0);
            object.values.reserve(primitive, numbers, self.tokens.is_text());
        }
        let mut left = count;
        let before = object.values.len();
        let read = match (flat, layout) {
            (Some((primitive, each)), _) => {
                let read = self.flat_values(primitive, count.saturating_mul(each as u64), object);
                left -= ((object.values.len() - before) as u64 / fewest).min(left);
                read
            }
            (None, Some(_)) if is_counted => self.counted_values(&mut left, object),
            (None, Some(id)) => self.struct_elements(id, &mut left, object),
            (None, None) => Ok(()),
        };
        read.map_err(|error| match error.kind {
            Fault::EndInside { object, .. } | Fault::Truncated { object, .. } if announced => {
                Error { kind: Fault::Truncated { object, missing: left, declared: count }, ..error }
            }
            _ => error,
        })
    }

    /// Reads elements of a template until `left` is 0.
    fn struct_elements(&mut self, id: LayoutId, left: &mut u64, object: &mut Object<'a>) -> Result<(), Error> {
        let keyed = self.templates.get(id).is_some_and(|layout| layout.keyed);
        while *left > 0 {
            if !keyed || !object.values.append(|times, keys| self.tokens.quick_key(times, keys)) {
                self.struct_values(id, object)?;
            }
            *left -= 1;
        }
        Ok(())
    }

    /// True if the rest of the file closes the current object. If the file was cut off, it does not. Then the elements
    /// are missing, and the count is not wrong.
    #[cold]
    fn closes(&self) -> bool {
        self.tokens.clone().skip_block(b"").is_ok()
    }

    /// Returns the error for the last value, which is a count that the file is too short for.
    #[cold]
    fn too_large(&self, object: &Object<'a>) -> Error {
        let count = object.values.last_number().unwrap_or_default();
        let span = match object.values.len().checked_sub(1) {
            Some(last) => Cursor::of(&object.values).span(last),
            None => object.span,
        };
        Error { kind: Fault::CountTooLarge { count, left: self.tokens.bytes_left() }, span }
    }

    /// Reads `count` values of one type.
    fn flat_values(&mut self, primitive: Primitive, count: u64, object: &mut Object<'a>) -> Result<(), Error> {
        let mut left = count;
        while left > 0 {
            let most = usize::try_from(left).unwrap_or(usize::MAX);
            let before = object.values.len();
            object.values.append(|integers, floats| match primitive {
                Primitive::Float => self.tokens.quick_floats(most, floats),
                Primitive::Dword => self.tokens.quick_integers(most, integers),
                _ => {}
            });
            left -= (object.values.len() - before) as u64;
            if left > 0 {
                self.value(primitive, object)?;
                left -= 1;
            }
        }
        Ok(())
    }

    /// Repeats reading a count and that number of integers until `left` is 0.
    fn counted_values(&mut self, left: &mut u64, object: &mut Object<'a>) -> Result<(), Error> {
        while *left > 0 {
            *left -= object.values.append(|integers, _| self.tokens.quick_counted(*left, integers));
            if *left > 0 {
                self.odd_counted_values(object)?;
                *left -= 1;
            }
        }
        Ok(())
    }

    #[cold]
    fn odd_counted_values(&mut self, object: &mut Object<'a>) -> Result<(), Error> {
        self.value(Primitive::Dword, object)?;
        let count = object.values.last_number().map_or(0, |count| count as i64);
        let fits = |count: &u64| *count <= self.tokens.values_left() as u64 + 1 || !self.closes();
        let Some(count) = u64::try_from(count).ok().filter(fits) else { return Err(self.too_large(object)) };
        (0..count).try_for_each(|_| self.value(Primitive::Dword, object))
    }

    // value ::= (integer | float | string) separators
    /// Reads a value in any spelling and appends it.
    fn value(&mut self, primitive: Primitive, object: &mut Object<'a>) -> Result<(), Error> {
        let datum = self.any_value(primitive, object)?;
        match (primitive, datum) {
            (Primitive::Float | Primitive::Double, Datum::Float(value)) => object.values.push_float(value),
            (_, Datum::Text(text)) => object.values.push_text(*text),
            (_, Datum::Integer(value)) => object.values.push_integer(Odd::Whole(value)),
            (_, Datum::Float(value)) => object.values.push_integer(Odd::Fraction(value)),
        }
        Ok(())
    }

    fn any_value(&mut self, primitive: Primitive, object: &Object<'a>) -> Result<Datum<'a>, Error> {
        let (token, span) = self.tokens.next(self.log)?;
        let datum = match (primitive, token) {
            (Primitive::Float | Primitive::Double, Token::Word(word)) if is_plain_number(word) => {
                match fast_float2::parse(word.bytes) {
                    Ok(value) => self.float(primitive, value, &token, span)?,
                    Err(_) => return Err(self.wrong(primitive, &token, span, object)),
                }
            }
            (Primitive::Float | Primitive::Double, Token::Float(value)) => {
                self.float(primitive, value, &token, span)?
            }
            (Primitive::Float | Primitive::Double, Token::Integer(value)) => Some(Datum::Float(value.into())),
            (Primitive::String, Token::Text(bytes)) => Some(Datum::Text(Box::new(Cow::Borrowed(bytes)))),
            (Primitive::String, Token::Word(word)) if self.templates.find(word.bytes).is_none() => {
                let wrong = self.wrong(primitive, &token, span, object);
                self.log.fault(wrong.kind, wrong.span)?;
                Some(Datum::Text(Box::new(Cow::Borrowed(word.bytes))))
            }
            (Primitive::String, _) => return Err(self.wrong(primitive, &token, span, object)),
            (_, Token::Integer(value)) => Some(self.integer(primitive, value.into(), &token, span)?),
            (_, Token::Word(word)) => match short_integer(word) {
                Some(value) => Some(self.integer(primitive, value, &token, span)?),
                None => self.odd_number(primitive, word, &token, span, object)?,
            },
            (_, Token::Float(value)) => self.fraction(value, &token, span)?,
            _ => return Err(self.wrong(primitive, &token, span, object)),
        };
        let zero = if primitive.range().is_some() { Datum::Integer(0) } else { Datum::Float(0.0) };
        // The separator after a non-finite number can be missing.
        if datum.is_some() || self.separator_follows() {
            self.tokens.separators(self.log)?;
        }
        Ok(datum.unwrap_or(zero))
    }

    fn separator_follows(&self) -> bool {
        matches!(self.tokens.peek(self.log), Ok((Token::Semicolon | Token::Comma, _)))
    }

    /// Checks a number. Returns `None` if it is not finite.
    #[inline]
    fn float(
        &mut self,
        primitive: Primitive,
        value: f64,
        token: &Token<'a>,
        span: Span,
    ) -> Result<Option<Datum<'a>>, Error> {
        if value.abs() <= largest(primitive) {
            return Ok(Some(Datum::Float(value)));
        }
        self.log.fault(Fault::NotFinite { found: plain(token) }, span)?;
        Ok(None)
    }

    #[inline]
    fn integer(&mut self, primitive: Primitive, value: i64, token: &Token<'a>, span: Span) -> Result<Datum<'a>, Error> {
        if primitive.range().is_some_and(|range| !range.contains(&value)) {
            self.log.fault(Fault::IntegerRange { found: plain(token), kind: primitive.keyword() }, span)?;
        }
        Ok(Datum::Integer(value))
    }

    /// Checks a fraction in place of an integer, as in key times.
    fn fraction(&mut self, value: f64, token: &Token<'a>, span: Span) -> Result<Option<Datum<'a>>, Error> {
        if !value.is_finite() {
            self.log.fault(Fault::NotFinite { found: plain(token) }, span)?;
            return Ok(None);
        }
        self.log.fault(Fault::FractionForInteger { found: plain(token) }, span)?;
        let whole = value.trunc() == value && value.abs() < 9e15;
        Ok(Some(if whole { Datum::Integer(value as i64) } else { Datum::Float(value) }))
    }

    /// Reads numbers in unusual spelling: exponents, plus signs, fractions for integers, and non-finite ones.
    #[cold]
    fn odd_number(
        &mut self,
        primitive: Primitive,
        word: Word<'a>,
        token: &Token<'a>,
        span: Span,
        object: &Object<'a>,
    ) -> Result<Option<Datum<'a>>, Error> {
        if is_not_finite(word.bytes) {
            self.log.fault(Fault::NotFinite { found: quote(word.bytes) }, span)?;
            return Ok(None);
        }
        let Ok(value) = fast_float2::parse::<f64, _>(word.bytes) else {
            return Err(self.wrong(primitive, token, span, object));
        };
        if word.classes & (class::LETTER | class::OTHER) != 0 && value.abs() <= largest(primitive) {
            self.log.fault(Fault::OddNumber { found: quote(word.bytes) }, span)?;
        }
        if primitive.range().is_none() {
            return self.float(primitive, value, token, span);
        }
        // Integers with more digits than the quick scan reads.
        if word.classes & !(class::DIGIT | class::MINUS) == 0 {
            return self.integer(primitive, value as i64, token, span).map(Some);
        }
        self.fraction(value, token, span)
    }

    #[cold]
    fn wrong(&self, primitive: Primitive, token: &Token<'a>, span: Span, object: &Object<'a>) -> Error {
        let what = match primitive {
            Primitive::Float | Primitive::Double => "a number",
            Primitive::String => "a string in double quotes",
            _ => "an integer",
        };
        // A number that was cut off is reported as the end of the file.
        let is_end = matches!(token, Token::End) || self.tokens.is_text() && self.tokens.bytes_left() == 0;
        match token {
            _ if is_end => {
                Error { kind: Fault::EndInside { object: quote(&object.type_name.bytes), expected: what }, span }
            }
            token => expected(what, token, span),
        }
    }
}

/// Returns the largest value of a type. Direct3D stores a FLOAT in 32 bits, regardless of the digits in the file.
#[inline]
fn largest(primitive: Primitive) -> f64 {
    if primitive == Primitive::Float { f64::from(f32::MAX) } else { f64::MAX }
}

/// Returns the number of elements of a member. Returns `None` if a count is negative or overflows.
fn elements(item: &Item, slots: &[i64; SLOTS]) -> Option<u64> {
    item.lengths.iter().try_fold(1_u64, |product, length| {
        let length = match length {
            Length::Fixed(length) => u64::from(*length),
            Length::Slot(slot) => u64::try_from(*slots.get(*slot)?).ok()?,
        };
        product.checked_mul(length)
    })
}

/// True for digits with or without sign and point.
#[inline]
fn is_plain_number(word: Word<'_>) -> bool {
    word.classes & !(class::DIGIT | class::DOT | class::MINUS) == 0
}

/// True if a word in place of an object can only be a number.
pub(in crate::x) fn is_number(word: Word<'_>) -> bool {
    is_plain_number(word) || fast_float2::parse::<f64, _>(word.bytes).is_ok() || is_not_finite(word.bytes)
}

/// Reads an integer with few digits, the most frequent case.
#[inline]
fn short_integer(word: Word<'_>) -> Option<i64> {
    if word.classes != class::DIGIT || word.bytes.len() > 18 {
        return None;
    }
    Some(word.bytes.iter().fold(0, |value, &digit| value * 10 + i64::from(digit - b'0')))
}

/// True for spellings of C libraries for values that are not finite, with or without sign.
fn is_not_finite(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(word);
    all_consuming(not_finite).parse(word).is_ok()
}

/// Formats the characters of a number for a message.
fn plain(token: &Token<'_>) -> String {
    match token {
        Token::Word(word) => quote(word.bytes),
        Token::Integer(value) => value.to_string(),
        Token::Float(value) => value.to_string(),
        token => token.describe(),
    }
}
