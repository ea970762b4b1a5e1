//! Numbers with fractions, each in 32 bits where all of a list fit.

/// A list of numbers with fractions: in `single` as long as 32 bits hold each of them, else in `double`.
#[derive(Debug, Clone, Default)]
pub(super) struct Floats {
    single: Vec<f32>,
    double: Option<Vec<f64>>,
}

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

    /// The list in 64 bits, which it is from now on.
    #[inline]
    pub(super) fn double(&mut self) -> &mut Vec<f64> {
        let single = &mut self.single;
        self.double.get_or_insert_with(|| std::mem::take(single).into_iter().map(f64::from).collect())
    }

    /// Adds numbers of 32 bits.
    #[inline]
    pub(super) fn extend(&mut self, values: impl Iterator<Item = f32>) {
        match &mut self.double {
            Some(to) => to.extend(values.map(f64::from)),
            None => self.single.extend(values),
        }
    }

    /// Up to `count` vectors from place `from` on.
    pub(super) fn vectors<const N: usize>(&self, from: usize, count: usize) -> Vec<[f64; N]> {
        match &self.double {
            Some(values) => {
                let (vectors, _) = values.get(from..).unwrap_or_default().as_chunks();
                vectors.get(..count).unwrap_or(vectors).to_vec()
            }
            None => {
                let (vectors, _) = self.single.get(from..).unwrap_or_default().as_chunks();
                vectors.iter().take(count).map(|vector| vector.map(f64::from)).collect()
            }
        }
    }

    /// Appends up to `count` from place `from` on, and returns how many.
    #[inline]
    pub(super) fn copy(&self, from: usize, count: usize, to: &mut Vec<f64>) -> usize {
        let count = count.min(self.len().saturating_sub(from));
        match &self.double {
            Some(values) => to.extend_from_slice(values.get(from..from + count).unwrap_or_default()),
            None => to.extend(self.single.iter().skip(from).take(count).map(|&value| f64::from(value))),
        }
        count
    }
}
