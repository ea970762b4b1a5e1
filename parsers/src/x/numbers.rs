//! Lists of floats, in 32 bits each if all numbers of a list fit.

use std::sync::Arc;

/// Growing list. The numbers are in `single` as long as all fit in 32 bits, else in `double`.
#[derive(Debug, Clone, Default)]
pub(super) struct Floats {
    single: Vec<f32>,
    double: Option<Vec<f64>>,
}

/// List of floats, in 32 bits each if all fit, as in most binary files, else in 64. Copies and parts of a list share
/// its memory.
#[derive(Clone, Default)]
pub struct Numbers {
    list: Arc<Floats>,
    start: usize,
    end: usize,
}

/// Vectors of `N` numbers each, stored as [`Numbers`].
#[derive(Clone, Default, PartialEq)]
pub struct Vectors<const N: usize>(Numbers);

impl Floats {
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.double.as_ref().map_or(self.single.len(), Vec::len)
    }

    pub(super) fn reserve(&mut self, count: usize) {
        match &mut self.double {
            Some(values) => values.reserve(count),
            None => self.single.reserve(count),
        }
    }

    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<f64> {
        match &self.double {
            Some(values) => values.get(place).copied(),
            None => self.single.get(place).map(|&value| value.into()),
        }
    }

    pub(super) fn push(&mut self, value: f64) {
        if self.double.is_none() && f64::from(value as f32) == value {
            self.single.push(value as f32);
        } else {
            self.double().push(value);
        }
    }

    /// Converts the list to 64 bits permanently.
    #[inline]
    pub(super) fn double(&mut self) -> &mut Vec<f64> {
        let single = &mut self.single;
        self.double.get_or_insert_with(|| std::mem::take(single).into_iter().map(f64::from).collect())
    }

    /// Appends numbers of 32 bits.
    #[inline]
    pub(super) fn extend(&mut self, values: impl Iterator<Item = f32>) {
        match &mut self.double {
            Some(to) => to.extend(values.map(f64::from)),
            None => self.single.extend(values),
        }
    }

    #[inline]
    fn vector<const N: usize>(&self, start: usize) -> Option<[f64; N]> {
        match &self.double {
            Some(values) => values.get(start..)?.first_chunk().copied(),
            None => self.single.get(start..)?.first_chunk().map(|vector| vector.map(f64::from)),
        }
    }
}

impl Numbers {
    /// Creates a part of a list: up to `count` numbers from index `start` on.
    pub(super) fn of(list: &Arc<Floats>, start: usize, count: usize) -> Self {
        let start = start.min(list.len());
        Self { list: Arc::clone(list), start, end: start.saturating_add(count).min(list.len()) }
    }

    /// Returns the number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.start
    }

    /// True if there are no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all numbers in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = f64> + Clone + '_ {
        (self.start..self.end).map(|place| self.list.get(place).unwrap_or_default())
    }

    /// Returns the numbers as vectors of `N` numbers each. An incomplete last vector is dropped.
    pub fn vectors<const N: usize>(&self) -> Vectors<N> {
        let whole = self.len().checked_div(N).unwrap_or(0) * N;
        Vectors(Self { end: self.start + whole, ..self.clone() })
    }
}

impl From<Vec<f64>> for Numbers {
    fn from(numbers: Vec<f64>) -> Self {
        let end = numbers.len();
        Self { list: Arc::new(Floats { single: Vec::new(), double: Some(numbers) }), start: 0, end }
    }
}

impl PartialEq for Numbers {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl std::fmt::Debug for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<const N: usize> Vectors<N> {
    /// Returns the number of vectors.
    #[inline]
    pub fn len(&self) -> usize {
        self.0.len().checked_div(N).unwrap_or(0)
    }

    /// True if there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the vector at an index. Returns `None` beyond the last.
    #[inline]
    pub fn get(&self, vector: usize) -> Option<[f64; N]> {
        if vector < self.len() { self.0.list.vector(self.0.start + vector * N) } else { None }
    }

    /// Returns all vectors in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [f64; N]> + Clone + '_ {
        (0..self.len()).map(|vector| self.get(vector).unwrap_or([0.0; N]))
    }

    /// Returns all numbers, vector after vector.
    pub fn numbers(&self) -> &Numbers {
        &self.0
    }
}

impl<const N: usize> From<Vec<[f64; N]>> for Vectors<N> {
    fn from(vectors: Vec<[f64; N]>) -> Self {
        Self(vectors.into_flattened().into())
    }
}

impl<const N: usize> FromIterator<[f64; N]> for Vectors<N> {
    fn from_iter<I: IntoIterator<Item = [f64; N]>>(vectors: I) -> Self {
        vectors.into_iter().collect::<Vec<_>>().into()
    }
}

impl<const N: usize> std::fmt::Debug for Vectors<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_with_their_list() {
        let mut list = Floats::default();
        [1.0, 2.0, 3.0, 4.0, 0.1].into_iter().for_each(|number| list.push(number));
        let list = Arc::new(list);
        assert_eq!(Numbers::of(&list, 1, usize::MAX), vec![2.0, 3.0, 4.0, 0.1].into());
        assert!(Numbers::of(&list, 9, 1).is_empty());
        let pairs = Numbers::of(&list, 0, 5).vectors::<2>();
        assert_eq!((pairs.len(), pairs.get(1), pairs.get(2)), (2, Some([3.0, 4.0]), None));
        assert_eq!(pairs, vec![[1.0, 2.0], [3.0, 4.0]].into());
    }
}
