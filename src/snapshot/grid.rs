//! Numbers as integers: steps of a grid.

/// Code for not-a-number.
const NOT_A_NUMBER: i64 = i64::MIN;

/// Number of steps from which a number counts as infinite.
const LIMIT: f64 = (1_u64 << 62) as f64;

/// A grid of numbers whose step is a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    exponent: i32,
}

impl Grid {
    /// Creates a grid whose step is at most 2^-31 of `size`, a positive number.
    pub fn for_size(size: f64) -> Self {
        // The exponent bits of a float: 2^exponent <= size.
        let exponent = (size.to_bits() >> 52) as i32 & 0x7ff;
        Self { exponent: (exponent - 1023 - 31).clamp(-960, 960) }
    }

    /// Returns the number of steps from 0 to the nearest number of the grid.
    pub fn round(self, value: f64) -> i64 {
        if value.is_nan() {
            return NOT_A_NUMBER;
        }
        (value * power_of_two(-self.exponent)).round().clamp(-LIMIT, LIMIT) as i64
    }

    /// Returns the number at `steps` from 0, the inverse of [`Self::round`].
    pub fn value(self, steps: i64) -> f64 {
        match steps as f64 {
            _ if steps == NOT_A_NUMBER => f64::NAN,
            steps if steps >= LIMIT => f64::INFINITY,
            steps if steps <= -LIMIT => f64::NEG_INFINITY,
            steps => steps * power_of_two(self.exponent),
        }
    }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Grid of quaternions, scales, shears, directions and times. Its step is 2^-31, an angle of 1e-9 or 5e-8 degrees.
pub const UNIT: Grid = Grid { exponent: -31 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_fine_and_keeps_its_numbers() {
        for size in [1e-300, 0.02, 1.0, 1.5, 2.0, 72.3, 1e9, 1e280] {
            let grid = Grid::for_size(size);
            let share = grid.value(1) / size;
            assert!(size < 1e-280 || (share <= 2f64.powi(-31) && share > 2f64.powi(-33)), "{size}: {share}");
            for steps in [0, 1, -1, 123_456_789, -(1 << 40), 1 << 52] {
                assert_eq!(grid.round(grid.value(steps)), steps);
            }
        }
    }

    #[test]
    fn infinite_numbers_and_not_a_number_are_kept() {
        let grid = Grid::for_size(1.0);
        for value in [f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, f64::NAN] {
            let kept = grid.value(grid.round(value));
            assert_eq!(kept.is_nan(), value.is_nan());
            assert!(value.is_nan() || (kept.is_infinite() && kept.signum() == value.signum()));
            assert_eq!(grid.round(kept), grid.round(value));
        }
    }
}
