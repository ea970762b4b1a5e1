//! Exact digests of numbers. Equal values have equal digests on every machine.

use super::grid::Grid;
use bindpose_core::model::Transform;
use glam::{DAffine3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// Collects values as little-endian bytes. The digest is their 64-bit XXH3.
///
/// Numbers are digested by value: -0 as 0 and every not-a-number as one, because its sign and payload depend on the
/// processor.
#[derive(Debug, Default)]
pub struct Digest {
    bytes: Vec<u8>,
}

impl Digest {
    /// Appends numbers.
    pub fn numbers<const N: usize>(&mut self, values: [f64; N]) {
        let canonical = |value: f64| if value.is_nan() { 0x7ff8_0000_0000_0000 } else { (value + 0.0).to_bits() };
        self.bytes.extend_from_slice(values.map(|value| canonical(value).to_le_bytes()).as_flattened());
    }

    /// Appends the components of a 32-bit vector.
    pub fn floats<const N: usize>(&mut self, values: [f32; N]) {
        self.numbers(values.map(f64::from));
    }

    /// Appends a vector.
    pub fn vector(&mut self, value: DVec3) {
        self.numbers(value.to_array());
    }

    /// Appends a rotation. A quaternion and its negative have the same digest.
    pub fn rotation(&mut self, value: DQuat) {
        self.numbers(canonical(value).to_array());
    }

    /// Appends a joint's pose relative to its parent, with the position rounded to a grid.
    pub fn pose(&mut self, pose: &Transform, grid: Grid) {
        let round = |part: f64| grid.value(grid.round(part));
        self.transform(&Transform { translation: DVec3::from_array(pose.translation.to_array().map(round)), ..*pose });
    }

    /// Appends a joint's pose relative to its parent.
    pub fn transform(&mut self, value: &Transform) {
        self.vector(value.translation);
        self.rotation(value.rotation);
        self.vector(value.scale);
        self.vector(value.shear);
    }

    /// Appends an affine map.
    pub fn map(&mut self, value: &DAffine3) {
        self.numbers(value.to_cols_array());
    }

    /// Appends an integer.
    pub fn integer(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends bytes.
    pub fn bytes(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
    }

    /// Returns the digest of everything appended since the last call. The buffer keeps its memory.
    pub fn finish(&mut self) -> u64 {
        let digest = xxh3_64(&self.bytes);
        self.bytes.clear();
        digest
    }
}

/// Returns the quaternion or its negative, whichever has positive w. If w is 0, returns the one whose first other
/// non-zero component is positive.
pub fn canonical(rotation: DQuat) -> DQuat {
    let [x, y, z, w] = rotation.to_array();
    let first = [w, x, y, z].into_iter().find(|&part| part != 0.0);
    if first.is_some_and(|part| part < 0.0) { -rotation } else { rotation }
}

/// Digest of a numbered list. It distinguishes an edit of one element and a new order from other changes.
///
/// It consists of two sums modulo the prime 2^61 - 1: of the elements' digests, and of each digest times the 17th power of
/// its number. If one element changed, the second sum changed by that power times the change of the first. Two equal
/// changes do not look like one of the number between, as they would with the numbers themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ListDigest {
    /// Number of elements.
    pub count: u32,
    sum: u64,
    weighted: u64,
}

/// Difference between two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListChange {
    /// The same elements with the same numbers.
    Same,
    /// The same elements with other numbers.
    Reordered,
    /// Only the element with this number.
    One(u32),
    /// Several elements, or their count.
    Several,
}

const PRIME: u64 = (1 << 61) - 1;

/// Exponent of an element's number in the second sum; it has no factor in common with `PRIME - 1`.
const EXPONENT: u64 = 17;

/// Exponent that takes the root: 17 times this is 1 modulo `PRIME - 1`.
const ROOT: u64 = 1763291712928118903;

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    // 2^61 is 1 modulo the prime.
    ((product & u128::from(PRIME)) as u64 + (product >> 61) as u64) % PRIME
}

fn power(mut base: u64, mut exponent: u64) -> u64 {
    let mut product = 1;
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = times(product, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    product
}

impl ListDigest {
    /// Adds an element by its number and digest.
    pub fn add(&mut self, number: u32, digest: u64) {
        let digest = digest % PRIME;
        self.count = self.count.saturating_add(1);
        self.sum = (self.sum + digest) % PRIME;
        self.weighted = (self.weighted + times(digest, power(u64::from(number) + 1, EXPONENT))) % PRIME;
    }

    /// Returns the difference between this list and a later one.
    pub fn change_to(&self, later: &Self) -> ListChange {
        let [sum, weighted] = [(self.sum, later.sum), (self.weighted, later.weighted)]
            .map(|(was, is)| (is % PRIME + PRIME - was % PRIME) % PRIME);
        match (sum, weighted) {
            _ if self.count != later.count => ListChange::Several,
            (0, 0) => ListChange::Same,
            (0, _) => ListChange::Reordered,
            _ => match u32::try_from(power(times(weighted, power(sum, PRIME - 2)), ROOT)) {
                Ok(number @ 1..) => ListChange::One(number - 1),
                _ => ListChange::Several,
            },
        }
    }
}

impl fmt::Display for ListDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.sum, self.weighted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(values: &[f64]) -> u64 {
        let mut digest = Digest::default();
        values.iter().for_each(|&value| digest.numbers([value]));
        digest.finish()
    }

    #[test]
    fn digests_depend_on_values_not_bits() {
        assert_eq!(digest(&[0.0]), digest(&[-0.0]));
        assert_eq!(digest(&[f64::NAN]), digest(&[-f64::NAN]));
        assert_ne!(digest(&[1.0]), digest(&[1.0 + f64::EPSILON]));
        // The hash's author published this value for an empty input, so other readers of the format get the same
        // numbers.
        assert_eq!(digest(&[]), 0x2d06_8005_38d3_94c2);
    }

    #[test]
    fn a_rotation_has_one_sign() {
        let quaternion = |x, y, z, w| DQuat::from_xyzw(x, y, z, w);
        assert_eq!(canonical(quaternion(0.6, 0.0, 0.0, -0.8)), quaternion(-0.6, 0.0, 0.0, 0.8));
        assert_eq!(canonical(quaternion(0.0, -0.6, 0.8, 0.0)), quaternion(0.0, 0.6, -0.8, 0.0));
        assert_eq!(canonical(quaternion(0.0, -0.6, 0.8, -0.0)), quaternion(0.0, 0.6, -0.8, 0.0));
    }

    #[test]
    fn a_list_names_the_one_element_that_changed() {
        let list = |values: &[f64]| {
            let mut list = ListDigest::default();
            values.iter().zip(0..).for_each(|(&value, number)| list.add(number, digest(&[value])));
            list
        };
        let numbers: Vec<f64> = (0..1000).map(f64::from).collect();
        let original = list(&numbers);
        for changed in [0, 1, 517, 999] {
            let mut edited = numbers.clone();
            edited[changed] += 0.5;
            assert_eq!(original.change_to(&list(&edited)), ListChange::One(changed as u32));
            edited[(changed + 300) % 1000] -= 0.5;
            assert_eq!(original.change_to(&list(&edited)), ListChange::Several);
        }
        // Two corners of a seam have equal content.
        let (mut seam, mut moved) = (numbers.clone(), numbers.clone());
        (seam[143], moved[143], moved[213]) = (213.0, 0.25, 0.25);
        assert_eq!(list(&seam).change_to(&list(&moved)), ListChange::Several);
        let reversed: Vec<f64> = numbers.iter().rev().copied().collect();
        assert_eq!(original.change_to(&list(&reversed)), ListChange::Reordered);
        assert_eq!(original.change_to(&list(&numbers[1..])), ListChange::Several);
        assert_eq!(original.change_to(&original), ListChange::Same);
    }
}
