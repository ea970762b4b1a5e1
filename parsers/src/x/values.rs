//! The values of an object: numbers in plain lists, places looked up again when they are asked for.

use super::Reading;
use super::floats::Floats;
use super::report::Report;
use super::syntax::{Datum, Value};
use super::template::Primitive;
use super::token::Tokens;
use crate::Span;
use std::borrow::Cow;

/// All values of an object in the order of its template, without structure.
///
/// A number takes four or eight bytes. Where it stands is not kept: [`Values::iter`] reads the file's words once more.
/// Values that were collected and not parsed have no place.
#[derive(Clone, Default)]
pub struct Values<'a> {
    /// Boxed, because most objects have none, and those that have many are few.
    stored: Option<Box<Stored<'a>>>,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Integer,
    Float,
    Text,
}

#[derive(Clone, Default)]
struct Stored<'a> {
    /// How many values of one sort follow each other; in all as many as there are values.
    runs: Vec<(Sort, u32)>,
    integers: Vec<u32>,
    /// Where a member for integers holds something else, rising: the place in `integers`, and what it holds.
    odd: Vec<(usize, Odd)>,
    floats: Floats,
    texts: Vec<Cow<'a, [u8]>>,
    /// Of lists that are counted one by one, such as faces, the places.
    groups: Vec<Span>,
    /// In front of the first value.
    source: Option<Tokens<'a>>,
}

/// The value of a member for integers, which 32 bits need not hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Odd {
    Whole(i64),
    Fraction(f64),
}

impl<'a> Values<'a> {
    /// None yet; what is pushed stands from here on.
    pub(super) fn from_here(tokens: &Tokens<'a>) -> Self {
        Self { stored: Some(Box::new(Stored { source: Some(tokens.clone()), ..Stored::default() })) }
    }

    fn stored(&mut self) -> &mut Stored<'a> {
        self.stored.get_or_insert_default()
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.stored.as_ref().map_or(0, |stored| stored.integers.len() + stored.floats.len() + stored.texts.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every value and where it stands.
    pub fn iter(&self) -> impl Iterator<Item = Value<'a>> {
        let mut cursor = Cursor::of(self);
        let runs = self.stored.iter().flat_map(|stored| &stored.runs);
        let sorts = runs.flat_map(|&(sort, count)| std::iter::repeat_n(sort, count as usize));
        sorts.map_while(move |sort| {
            let span = cursor.next_span();
            let datum = match sort {
                Sort::Integer => match cursor.integer()? {
                    Odd::Whole(value) => Datum::Integer(value),
                    Odd::Fraction(value) => Datum::Float(value),
                },
                Sort::Float => Datum::Float(cursor.float()?),
                Sort::Text => Datum::Text(Box::new(cursor.text()?.clone())),
            };
            Some(Value { datum, span })
        })
    }

    /// Makes room for so many values of one type, or of several. Numbers of a text are read into 64 bits.
    pub(super) fn reserve(&mut self, primitive: Option<Primitive>, count: usize, is_text: bool) {
        match primitive {
            Some(Primitive::Float | Primitive::Double) if is_text => self.stored().floats.double().reserve(count),
            Some(Primitive::Float | Primitive::Double) => self.stored().floats.reserve(count),
            Some(Primitive::Dword) => self.stored().integers.reserve(count),
            _ => {}
        }
    }

    /// Adds the value of a member for integers.
    pub(super) fn push_integer(&mut self, value: Odd) {
        let small = match value {
            Odd::Whole(value) => u32::try_from(value).ok(),
            Odd::Fraction(_) => None,
        };
        let stored = self.stored();
        if small.is_none() {
            stored.odd.push((stored.integers.len(), value));
        }
        stored.integers.push(small.unwrap_or_default());
        stored.ran(Sort::Integer, 1);
    }

    /// Adds the value of a member for numbers with fractions.
    pub(super) fn push_float(&mut self, value: f64) {
        let stored = self.stored();
        stored.floats.push(value);
        stored.ran(Sort::Float, 1);
    }

    /// Adds the value of a member for text.
    pub(super) fn push_text(&mut self, text: Cow<'a, [u8]>) {
        let stored = self.stored();
        stored.texts.push(text);
        stored.ran(Sort::Text, 1);
    }

    /// Adds what `read` appends, first the integers, then the numbers with fractions; of lists that are counted one by one
    /// it appends the places, too.
    #[inline]
    pub(super) fn append<T>(&mut self, read: impl FnOnce(&mut Vec<u32>, &mut Floats, &mut Vec<Span>) -> T) -> T {
        let stored = self.stored();
        let (integers, floats) = (stored.integers.len(), stored.floats.len());
        let read = read(&mut stored.integers, &mut stored.floats, &mut stored.groups);
        stored.ran(Sort::Integer, stored.integers.len() - integers);
        stored.ran(Sort::Float, stored.floats.len() - floats);
        read
    }

    /// Notes where a list stands that was counted by itself.
    #[inline]
    pub(super) fn push_group(&mut self, span: Span) {
        self.stored().groups.push(span);
    }

    /// The number that was added last, if that is one.
    #[inline]
    pub(super) fn last_number(&self) -> Option<f64> {
        let stored = self.stored.as_ref()?;
        match stored.runs.last()?.0 {
            Sort::Integer => {
                let place = stored.integers.len().checked_sub(1)?;
                match stored.odd.last() {
                    Some(&(odd, value)) if odd == place => Some(value.number()),
                    _ => stored.integers.last().map(|&value| value.into()),
                }
            }
            Sort::Float => stored.floats.get(stored.floats.len().checked_sub(1)?),
            Sort::Text => None,
        }
    }
}

impl Stored<'_> {
    #[inline]
    fn ran(&mut self, sort: Sort, count: usize) {
        let mut count = count;
        while count > 0 {
            match self.runs.last_mut() {
                Some((last, so_far)) if *last == sort && *so_far < u32::MAX => {
                    let added = count.min((u32::MAX - *so_far) as usize);
                    *so_far += added as u32;
                    count -= added;
                }
                _ => self.runs.push((sort, 0)),
            }
        }
    }
}

impl Odd {
    fn number(self) -> f64 {
        match self {
            Self::Whole(value) => value as f64,
            Self::Fraction(value) => value,
        }
    }

    fn whole(self) -> i64 {
        match self {
            Self::Whole(value) => value,
            Self::Fraction(value) => value as i64,
        }
    }
}

impl<'a> Extend<Datum<'a>> for Values<'a> {
    fn extend<I: IntoIterator<Item = Datum<'a>>>(&mut self, data: I) {
        for datum in data {
            match datum {
                Datum::Integer(value) => self.push_integer(Odd::Whole(value)),
                Datum::Float(value) => self.push_float(value),
                Datum::Text(text) => self.push_text(*text),
            }
        }
    }
}

/// Without their places.
impl<'a> FromIterator<Value<'a>> for Values<'a> {
    fn from_iter<I: IntoIterator<Item = Value<'a>>>(values: I) -> Self {
        let mut collected = Self::default();
        collected.extend(values.into_iter().map(|value| value.datum));
        collected
    }
}

impl PartialEq for Values<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The values of one object, one after the other.
///
/// Templates have laid the values out, so that only an object that was cut short can run out of them.
pub(super) struct Cursor<'o, 'a> {
    stored: Option<&'o Stored<'a>>,
    integers: usize,
    odd: usize,
    floats: usize,
    texts: usize,
    places: Places<'a>,
}

/// Where the values stand, as far as somebody asked.
struct Places<'a> {
    tokens: Option<Tokens<'a>>,
    spans: Vec<Span>,
}

impl<'a> Places<'a> {
    fn next(&mut self) -> Span {
        let Some(tokens) = &mut self.tokens else { return Span::default() };
        // What there is to say was said when the values were read.
        let mut scratch = Report::new(Reading::Lenient);
        let read = tokens.next(&mut scratch);
        let separated = tokens.separators(&mut scratch);
        match (read, separated) {
            (Ok((_, span)), Ok(())) => span,
            (Ok((_, span)), Err(_)) => {
                self.tokens = None;
                span
            }
            (Err(error), _) => {
                self.tokens = None;
                error.span
            }
        }
    }
}

impl<'o, 'a> Cursor<'o, 'a> {
    pub(super) fn of(values: &'o Values<'a>) -> Self {
        let stored = values.stored.as_deref();
        let tokens = stored.and_then(|stored| stored.source.clone());
        let places = Places { tokens, spans: Vec::new() };
        Self { stored, integers: 0, odd: 0, floats: 0, texts: 0, places }
    }

    /// How many values have been read: the number of the next one.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.integers + self.floats + self.texts
    }

    /// Where a value stands; the place of the last one for those behind it.
    pub(super) fn span(&mut self, value: usize) -> Span {
        let count = self.stored.map_or(0, |stored| stored.integers.len() + stored.floats.len() + stored.texts.len());
        while self.places.spans.len() <= value && self.places.spans.len() < count {
            let span = self.places.next();
            self.places.spans.push(span);
        }
        self.places.spans.get(value).or(self.places.spans.last()).copied().unwrap_or_default()
    }

    /// Where the next value stands, for those who ask for all of them in order.
    fn next_span(&mut self) -> Span {
        self.places.next()
    }

    /// Where the list number `group` stands that was counted by itself.
    pub(super) fn group(&self, group: usize) -> Span {
        self.stored.and_then(|stored| stored.groups.get(group)).copied().unwrap_or_default()
    }

    #[inline]
    fn integer(&mut self) -> Option<Odd> {
        let stored = self.stored?;
        let value = *stored.integers.get(self.integers)?;
        let odd = stored.odd.get(self.odd).filter(|(place, _)| *place == self.integers);
        self.odd += usize::from(odd.is_some());
        self.integers += 1;
        Some(odd.map_or(Odd::Whole(value.into()), |(_, odd)| *odd))
    }

    /// The next value of a member for integers, its fraction cut off.
    #[inline]
    pub(super) fn int(&mut self) -> Option<i64> {
        self.integer().map(Odd::whole)
    }

    /// The next value of a member for integers, with its fraction where it has one.
    #[inline]
    pub(super) fn int_or_fraction(&mut self) -> Option<f64> {
        self.integer().map(Odd::number)
    }

    /// The next `count` values of members for integers if all are there and below `limit`; else nothing is read.
    #[inline]
    pub(super) fn plain_integers(&mut self, count: usize, limit: usize) -> Option<&'o [u32]> {
        let stored = self.stored?;
        let end = self.integers.checked_add(count)?;
        let integers = stored.integers.get(self.integers..end)?;
        let odd = stored.odd.get(self.odd).is_some_and(|&(place, _)| place < end);
        let plain = !odd && integers.iter().all(|&value| (value as usize) < limit);
        self.integers = if plain { end } else { self.integers };
        plain.then_some(integers)
    }

    /// The next value of a member for numbers with fractions.
    #[inline]
    pub(super) fn float(&mut self) -> Option<f64> {
        let value = self.stored?.floats.get(self.floats)?;
        self.floats += 1;
        Some(value)
    }

    /// The next `count` times `N` of them, or fewer if there are no more.
    pub(super) fn vectors<const N: usize>(&mut self, count: usize) -> Vec<[f64; N]> {
        let Some(stored) = self.stored else { return Vec::new() };
        let vectors = stored.floats.vectors(self.floats, count);
        self.floats += vectors.len() * N;
        vectors
    }

    /// Appends the next `count` of them to `to`, or fewer if there are no more.
    #[inline]
    pub(super) fn floats(&mut self, count: usize, to: &mut Vec<f64>) {
        if let Some(stored) = self.stored {
            self.floats += stored.floats.copy(self.floats, count, to);
        }
    }

    /// The next value of a member for text.
    pub(super) fn text(&mut self) -> Option<&'o Cow<'a, [u8]>> {
        let text = self.stored?.texts.get(self.texts)?;
        self.texts += 1;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use crate::x::{Reading, parse, unpack};

    #[test]
    fn lists_take_what_was_reserved_and_objects_without_values_nothing() {
        let text = b"xof 0303txt 0032\nFrame {}\nMesh { 3; 0.5;1;2;, 3;4;5;, 6;7;8;; 1; 3;0,1,2;; }";
        let unpacked = unpack(text, Reading::Lenient).unwrap();
        let mut objects = parse(&unpacked, Reading::Lenient).unwrap().tree.objects;
        assert!(objects[0].values.stored.is_none());
        let floats = &mut objects[1].values.stored.as_mut().unwrap().floats;
        assert_eq!((floats.len(), floats.double().capacity()), (9, 9));
    }
}
