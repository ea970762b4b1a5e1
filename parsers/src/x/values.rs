//! Values of an object. Numbers are in plain lists, and spans are computed on demand.

use super::Reading;
use super::numbers::{Floats, Numbers, Vectors};
use super::report::FaultLog;
use super::stream::Tokens;
use super::template::Primitive;
use crate::Span;
use std::borrow::Cow;
use std::sync::Arc;

/// Value and its position.
#[derive(Debug, Clone, PartialEq)]
pub struct Value<'a> {
    /// Content of the value.
    pub datum: Datum<'a>,
    /// Position of the value's bytes.
    pub span: Span,
}

/// Content of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Datum<'a> {
    /// Value of WORD, DWORD and similar types.
    Integer(i64),
    /// Value of FLOAT and DOUBLE. In the lenient reading also a fraction in place of an integer.
    Float(f64),
    /// Value of STRING and similar types. Boxed, because numbers are a hundred times more frequent.
    Text(Box<Cow<'a, [u8]>>),
}

/// Values of an object in the order of its template, without structure.
///
/// A number takes four or eight bytes. Positions are not stored: [`Values::iter`] reads the file's words again. Values
/// that were not parsed have no position.
#[derive(Clone, Default)]
pub struct Values<'a> {
    /// Content. Boxed, because most objects have no values.
    stored: Option<Box<Stored<'a>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Integer,
    Float,
    Text,
}

/// Order of the three lists in a [`Run`].
const VALUE_KINDS: [ValueKind; 3] = [ValueKind::Integer, ValueKind::Float, ValueKind::Text];

/// Numbers of integers, floats and texts that follow each other. The run is repeated `times`.
#[derive(Debug, Clone, Copy)]
struct Run {
    counts: [usize; VALUE_KINDS.len()],
    times: usize,
}

#[derive(Clone, Default)]
struct Stored<'a> {
    /// Order of the values. The last run is not repeated.
    runs: Vec<Run>,
    integers: Vec<u32>,
    /// Values of integer members that do not fit in a u32, by rising index in `integers`.
    odd: Vec<(usize, Odd)>,
    floats: List,
    texts: Vec<Cow<'a, [u8]>>,
    /// Position before the first value.
    source: Option<Tokens<'a>>,
}

/// Floats of an object, while it is read and afterwards.
#[derive(Debug, Clone)]
enum List {
    Growing(Floats),
    Shared(Arc<Floats>),
}

/// Value of an integer member that need not fit in a u32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Odd {
    Whole(i64),
    Fraction(f64),
}

impl<'a> Values<'a> {
    /// Creates an empty list. The values to be pushed start at this position.
    pub(super) fn from_here(tokens: &Tokens<'a>) -> Self {
        Self { stored: Some(Box::new(Stored { source: Some(tokens.clone()), ..Stored::default() })) }
    }

    fn stored(&mut self) -> &mut Stored<'a> {
        self.stored.get_or_insert_default()
    }

    /// Makes the complete list of numbers shareable between copies.
    pub(super) fn share(&mut self) {
        if let Some(stored) = &mut self.stored
            && let List::Growing(floats) = &mut stored.floats
        {
            stored.floats = List::Shared(Arc::new(std::mem::take(floats)));
        }
    }

    /// Returns the position before the first value of a file.
    pub(super) fn source(&self) -> Option<&Tokens<'a>> {
        self.stored.as_ref()?.source.as_ref()
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.stored.as_ref().map_or(0, |stored| stored.integers.len() + stored.floats.get().len() + stored.texts.len())
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all values with their positions.
    pub fn iter(&self) -> impl Iterator<Item = Value<'a>> {
        let mut cursor = Cursor::of(self);
        let runs = self.stored.iter().flat_map(|stored| &stored.runs);
        let counts = runs.flat_map(|run| std::iter::repeat_n(run.counts, run.times));
        let kinds = counts.flat_map(|counts| VALUE_KINDS.into_iter().zip(counts));
        let kinds = kinds.flat_map(|(kind, count)| std::iter::repeat_n(kind, count));
        kinds.map_while(move |kind| {
            let span = cursor.next_span();
            let datum = match kind {
                ValueKind::Integer => match cursor.integer()? {
                    Odd::Whole(value) => Datum::Integer(value),
                    Odd::Fraction(value) => Datum::Float(value),
                },
                ValueKind::Float => Datum::Float(cursor.float()?),
                ValueKind::Text => Datum::Text(Box::new(cursor.text()?.clone())),
            };
            Some(Value { datum, span })
        })
    }

    /// Reserves memory for `count` values of a type. Numbers of text files take 64 bits.
    pub(super) fn reserve(&mut self, primitive: Option<Primitive>, count: usize, is_text: bool) {
        match primitive {
            Some(Primitive::Float | Primitive::Double) if is_text => {
                self.stored().floats.grow().double().reserve(count)
            }
            Some(Primitive::Float | Primitive::Double) => self.stored().floats.grow().reserve(count),
            Some(Primitive::Dword) => self.stored().integers.reserve(count),
            _ => {}
        }
    }

    /// Appends the value of an integer member.
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
        stored.ran(ValueKind::Integer, 1);
    }

    /// Appends the value of a float member.
    pub(super) fn push_float(&mut self, value: f64) {
        let stored = self.stored();
        stored.floats.grow().push(value);
        stored.ran(ValueKind::Float, 1);
    }

    /// Appends the value of a text member.
    pub(super) fn push_text(&mut self, text: Cow<'a, [u8]>) {
        let stored = self.stored();
        stored.texts.push(text);
        stored.ran(ValueKind::Text, 1);
    }

    /// Records the values that `read` appends, first the integers, then the floats.
    #[inline]
    pub(super) fn append<T>(&mut self, read: impl FnOnce(&mut Vec<u32>, &mut Floats) -> T) -> T {
        let stored = self.stored();
        let to = stored.floats.grow();
        let (integers, floats) = (stored.integers.len(), to.len());
        let read = read(&mut stored.integers, to);
        let (integers, floats) = (stored.integers.len() - integers, to.len() - floats);
        stored.ran(ValueKind::Integer, integers);
        stored.ran(ValueKind::Float, floats);
        read
    }

    /// Returns the last value if it is a number.
    #[inline]
    pub(super) fn last_number(&self) -> Option<f64> {
        let stored = self.stored.as_ref()?;
        let counts = stored.runs.last()?.counts;
        let (kind, _) = VALUE_KINDS.into_iter().zip(counts).rfind(|&(_, count)| count > 0)?;
        match kind {
            ValueKind::Integer => {
                let place = stored.integers.len().checked_sub(1)?;
                match stored.odd.last() {
                    Some(&(odd, value)) if odd == place => Some(value.number()),
                    _ => stored.integers.last().map(|&value| value.into()),
                }
            }
            ValueKind::Float => stored.floats.get().get(stored.floats.get().len().checked_sub(1)?),
            ValueKind::Text => None,
        }
    }
}

impl List {
    #[inline]
    fn get(&self) -> &Floats {
        match self {
            Self::Growing(floats) => floats,
            Self::Shared(floats) => floats,
        }
    }

    /// Returns the list of floats for appending.
    #[inline]
    fn grow(&mut self) -> &mut Floats {
        match self {
            Self::Growing(floats) => floats,
            Self::Shared(floats) => Arc::make_mut(floats),
        }
    }
}

impl Default for List {
    fn default() -> Self {
        Self::Growing(Floats::default())
    }
}

impl Stored<'_> {
    /// Records that `count` values of one kind were appended.
    #[inline]
    fn ran(&mut self, kind: ValueKind, count: usize) {
        if count == 0 {
            return;
        }
        let place = kind as usize;
        match self.runs.last_mut() {
            Some(last) if last.counts.iter().skip(place + 1).all(|&later| later == 0) => {
                if let Some(known) = last.counts.get_mut(place) {
                    *known += count;
                }
            }
            _ => self.begin_run(place, count),
        }
    }

    #[inline]
    fn begin_run(&mut self, place: usize, count: usize) {
        if let [.., before, last] = self.runs.as_mut_slice()
            && before.counts == last.counts
        {
            before.times += 1;
            self.runs.pop();
        }
        let mut run = Run { counts: [0; VALUE_KINDS.len()], times: 1 };
        if let Some(known) = run.counts.get_mut(place) {
            *known = count;
        }
        self.runs.push(run);
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

/// Collects values without their positions.
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

/// Iterates over the values of one object.
///
/// Values follow their templates, so that only an object that was cut short runs out of them.
pub(super) struct Cursor<'o, 'a> {
    stored: Option<&'o Stored<'a>>,
    integers: usize,
    odd: usize,
    floats: usize,
    texts: usize,
    places: Places<'a>,
}

/// Spans of the values, computed as far as needed.
struct Places<'a> {
    tokens: Option<Tokens<'a>>,
    spans: Vec<Span>,
}

impl<'a> Places<'a> {
    fn next(&mut self) -> Span {
        let Some(tokens) = &mut self.tokens else { return Span::default() };
        // Faults were reported when the values were read.
        let mut scratch = FaultLog::new(Reading::Lenient);
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

    /// Returns the index of the next value.
    #[inline]
    pub(super) fn at(&self) -> usize {
        self.integers + self.floats + self.texts
    }

    /// Returns the span of a value, or of the last one beyond the end.
    pub(super) fn span(&mut self, value: usize) -> Span {
        let count =
            self.stored.map_or(0, |stored| stored.integers.len() + stored.floats.get().len() + stored.texts.len());
        while self.places.spans.len() <= value && self.places.spans.len() < count {
            let span = self.places.next();
            self.places.spans.push(span);
        }
        self.places.spans.get(value).or(self.places.spans.last()).copied().unwrap_or_default()
    }

    /// Returns the span of the next value. Use it to read all values in order.
    fn next_span(&mut self) -> Span {
        self.places.next()
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

    /// Returns the next value of an integer member, without its fraction.
    #[inline]
    pub(super) fn int(&mut self) -> Option<i64> {
        self.integer().map(Odd::whole)
    }

    /// Returns the next value of an integer member, with a fraction if it has one.
    #[inline]
    pub(super) fn int_or_fraction(&mut self) -> Option<f64> {
        self.integer().map(Odd::number)
    }

    /// Returns the next values of integer members, up to the first that does not fit in a u32.
    pub(super) fn plain_integers_left(&self) -> &'o [u32] {
        let Some(stored) = self.stored else { return &[] };
        let end = stored.odd.get(self.odd).map_or(stored.integers.len(), |&(place, _)| place);
        stored.integers.get(self.integers..end).unwrap_or_default()
    }

    /// Skips the first `count` of [`Self::plain_integers_left`].
    pub(super) fn pass_integers(&mut self, count: usize) {
        self.integers += count;
    }

    /// Returns the next `count` values of integer members if all exist and are below `limit`. Otherwise reads nothing.
    #[inline]
    pub(super) fn plain_integers(&mut self, count: usize, limit: usize) -> Option<&'o [u32]> {
        let integers = self.plain_integers_left().get(..count)?;
        let are_below = integers.iter().all(|&value| (value as usize) < limit);
        self.integers += if are_below { count } else { 0 };
        are_below.then_some(integers)
    }

    /// Returns the next value of a float member.
    #[inline]
    pub(super) fn float(&mut self) -> Option<f64> {
        let value = self.stored?.floats.get().get(self.floats)?;
        self.floats += 1;
        Some(value)
    }

    /// Returns the next `count` vectors, or fewer at the end.
    pub(super) fn vectors<const N: usize>(&mut self, count: usize) -> Vectors<N> {
        let vectors = self.shared(self.floats, count.saturating_mul(N)).vectors();
        self.floats += vectors.len() * N;
        vectors
    }

    /// Returns the index of the next float.
    pub(super) fn next_float(&self) -> usize {
        self.floats
    }

    /// Skips `count` floats and returns the index of the first. Returns `None` without moving if there are fewer.
    #[inline]
    pub(super) fn pass_floats(&mut self, count: usize) -> Option<usize> {
        let left = self.stored.map_or(0, |stored| stored.floats.get().len()) - self.floats;
        let first = self.floats;
        (count <= left).then(|| self.floats += count).map(|()| first)
    }

    /// Returns `count` floats from index `start` on, or fewer at the end.
    pub(super) fn shared(&self, start: usize, count: usize) -> Numbers {
        match self.stored.map(|stored| &stored.floats) {
            Some(List::Shared(floats)) => Numbers::of(floats, start, count),
            Some(List::Growing(floats)) => Numbers::of(&Arc::new(floats.clone()), start, count),
            None => Numbers::default(),
        }
    }

    /// Returns the next value of a text member.
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
    fn lists_use_the_reserved_memory_and_empty_objects_none() {
        let text = b"xof 0303txt 0032\nFrame {}\nMesh { 3; 0.5;1;2;, 3;4;5;, 6;7;8;; 1; 3;0,1,2;; }";
        let unpacked = unpack(text, Reading::Lenient).unwrap();
        let mut objects = parse(&unpacked, Reading::Lenient).unwrap().tree.objects;
        assert!(objects[0].values.stored.is_none());
        let floats = objects[1].values.stored.as_mut().unwrap().floats.grow();
        assert_eq!((floats.len(), floats.double().capacity()), (9, 9));
    }
}
