//! Exact digests of numbers: the same for the same values on every machine.

use glam::{DAffine3, DQuat, DVec3};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// Digest of a file's bytes: XXH3 with 128 bits, what `xxhsum -H2` prints.
pub fn of_file(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Collects values as little-endian bytes; the digest is XXH3 with 64 bits.
///
/// Numbers are digested by value: -0 as 0 and every not-a-number as one, because processors differ in the sign and
/// payload of those that they make.
#[derive(Debug, Default)]
pub struct Digest {
    bytes: Vec<u8>,
}

impl Digest {
    /// Appends a number.
    pub fn number(&mut self, value: f64) {
        let canonical = if value.is_nan() { 0x7ff8_0000_0000_0000 } else { (value + 0.0).to_bits() };
        self.bytes.extend_from_slice(&canonical.to_le_bytes());
    }

    /// Appends several numbers.
    pub fn numbers(&mut self, values: impl IntoIterator<Item = f64>) {
        values.into_iter().for_each(|value| self.number(value));
    }

    /// Appends a vector.
    pub fn vector(&mut self, value: DVec3) {
        self.numbers(value.to_array());
    }

    /// Appends a rotation; a quaternion and its negative are the same one.
    pub fn rotation(&mut self, value: DQuat) {
        self.numbers(canonical(value).to_array());
    }

    /// Appends an affine map.
    pub fn map(&mut self, value: &DAffine3) {
        self.numbers(value.to_cols_array());
    }

    /// Appends an integer.
    pub fn integer(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// The digest of what was appended since the last call; the memory is kept.
    pub fn finish(&mut self) -> u64 {
        let digest = xxh3_64(&self.bytes);
        self.bytes.clear();
        digest
    }
}

/// Of a quaternion and its negative the one with positive w; with w = 0 the one whose first other part is positive.
pub fn canonical(rotation: DQuat) -> DQuat {
    let [x, y, z, w] = rotation.to_array();
    let first = [w, x, y, z].into_iter().find(|&part| part != 0.0);
    if first.is_some_and(|part| part < 0.0) { -rotation } else { rotation }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(values: &[f64]) -> u64 {
        let mut digest = Digest::default();
        digest.numbers(values.iter().copied());
        digest.finish()
    }

    #[test]
    fn values_count_and_not_their_bits() {
        assert_eq!(digest(&[0.0]), digest(&[-0.0]));
        assert_eq!(digest(&[f64::NAN]), digest(&[-f64::NAN]));
        assert_ne!(digest(&[1.0]), digest(&[1.0 + f64::EPSILON]));
        // Published by the hash's author for an empty input: other readers of the format get the same figures.
        assert_eq!(digest(&[]), 0x2d06_8005_38d3_94c2);
    }

    #[test]
    fn a_rotation_has_one_sign() {
        let quaternion = |x, y, z, w| DQuat::from_xyzw(x, y, z, w);
        assert_eq!(canonical(quaternion(0.6, 0.0, 0.0, -0.8)), quaternion(-0.6, 0.0, 0.0, 0.8));
        assert_eq!(canonical(quaternion(0.0, -0.6, 0.8, 0.0)), quaternion(0.0, 0.6, -0.8, 0.0));
        assert_eq!(canonical(quaternion(0.0, -0.6, 0.8, -0.0)), quaternion(0.0, 0.6, -0.8, 0.0));
    }
}
