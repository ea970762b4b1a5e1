//! Interpolation of scattered data by radial basis functions (article 000, appendix B).

use glam::DVec3;

/// Interpolation of one number per sample between directions: 1 at its own direction, 0 at the others and at the bind
/// direction.
///
/// The distance `r` of two directions is the angle between them in radians; the basis function is `exp(-r^2 / (2
/// s^2))`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DirectionRbf {
    directions: Vec<DVec3>,
    sigma: f64,
    /// `lambda[sample][direction]`. The samples are all directions except the first.
    lambda: Vec<Vec<f64>>,
}

/// Smallest angle in radians between two directions. Below it, the solution would be noise.
const CLOSEST: f64 = 1e-3;

impl DirectionRbf {
    /// Solves `G lambda = f` once for each sample. `Err` is the index of the first sample whose direction is already
    /// taken.
    pub(super) fn new(bind: DVec3, samples: &[DVec3], sigma: f64) -> Result<Self, usize> {
        let directions: Vec<DVec3> = std::iter::once(bind).chain(samples.iter().copied()).collect();
        for (place, direction) in directions.iter().enumerate() {
            if directions[..place].iter().any(|other| arc(*direction, *other) < CLOSEST) {
                return Err(place - 1);
            }
        }
        let lambda = (0..samples.len()).map(|sample| {
            let value = |row: usize| f64::from(u8::from(row == sample + 1));
            let rows = directions
                .iter()
                .enumerate()
                .map(|(row, a)| directions.iter().map(|b| basis(arc(*a, *b), sigma)).chain([value(row)]).collect());
            solve(rows.collect()).ok_or(sample)
        });
        Ok(Self { lambda: lambda.collect::<Result<_, _>>()?, directions, sigma })
    }

    /// Returns the value of each sample at a direction.
    pub(super) fn at(&self, direction: DVec3) -> Vec<f64> {
        let basis: Vec<f64> = self.directions.iter().map(|known| basis(arc(*known, direction), self.sigma)).collect();
        self.lambda.iter().map(|lambda| lambda.iter().zip(&basis).map(|(l, b)| l * b).sum()).collect()
    }
}

fn basis(distance: f64, sigma: f64) -> f64 {
    (-distance * distance / (2.0 * sigma * sigma)).exp()
}

/// Returns the angle between two unit vectors, accurate for small angles.
fn arc(a: DVec3, b: DVec3) -> f64 {
    a.cross(b).length().atan2(a.dot(b))
}

/// Solves equations by Gaussian elimination with pivoting. Rows end with the right-hand side. Returns `None` if
/// singular.
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let count = rows.len();
    for column in 0..count {
        let pivot = (column..count).max_by(|&a, &b| rows[a][column].abs().total_cmp(&rows[b][column].abs()))?;
        rows.swap(column, pivot);
        let (done, left) = rows.split_at_mut(column + 1);
        let pivot_row = &done[column];
        if pivot_row[column].abs() < 1e-12 {
            return None;
        }
        for row in left {
            let factor = row[column] / pivot_row[column];
            row.iter_mut().zip(pivot_row).for_each(|(element, above)| *element -= factor * above);
        }
    }
    let mut solution = vec![0.0; count];
    for row in (0..count).rev() {
        let known: f64 = (row + 1..count).map(|column| rows[row][column] * solution[column]).sum();
        solution[row] = (rows[row][count] - known) / rows[row][row];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_met_and_the_bind_pose_has_none() {
        let samples = [DVec3::Y, DVec3::Z, DVec3::new(0.6, 0.8, 0.0)];
        let rbf = DirectionRbf::new(DVec3::X, &samples, 1.0).unwrap();
        for (place, direction) in std::iter::once(DVec3::X).chain(samples).enumerate() {
            for (sample, value) in rbf.at(direction).into_iter().enumerate() {
                let expected = if place == sample + 1 { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-12, "sample {sample} at {direction}: {value}");
            }
        }
    }

    /// One sample at arc r, calculated by hand: G = [1 g; g 1], f = (0, 1), lambda = (-g, 1) / (1 - g^2).
    #[test]
    fn one_sample_by_hand() {
        for sigma in [1.0, 0.4] {
            let rbf = DirectionRbf::new(DVec3::X, &[DVec3::Y], sigma).unwrap();
            let quarter = std::f64::consts::FRAC_PI_2 / sigma;
            let g = (-quarter * quarter / 2.0).exp();
            let half = (-quarter * quarter / 8.0).exp();
            let expected = (half - g * half) / (1.0 - g * g);
            let middle = rbf.at(DVec3::new(1.0, 1.0, 0.0).normalize())[0];
            assert!((middle - expected).abs() < 1e-14, "{middle} instead of {expected} for {sigma}");
        }
    }

    #[test]
    fn equal_directions_are_refused() {
        assert_eq!(DirectionRbf::new(DVec3::X, &[DVec3::Y, DVec3::X], 1.0), Err(1));
        assert_eq!(DirectionRbf::new(DVec3::X, &[DVec3::Y, DVec3::Y], 1.0), Err(1));
        assert_eq!(DirectionRbf::new(DVec3::X, &[DVec3::X], 1.0), Err(0));
    }
}
