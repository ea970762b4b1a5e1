//! Interpolation of scattered data by radial basis functions (article 000, appendix B).

/// Interpolation of one number per sample between poses: 1 at its own pose, 0 at the others and at the bind pose.
///
/// Only distances between poses count. The basis function is `exp(-r^2 / (2 s^2))`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rbf {
    sigma: f64,
    /// `lambda[sample][pose]`. The samples are all poses except the first.
    lambda: Vec<Vec<f64>>,
}

impl Rbf {
    /// Solves `G lambda = f` once for each sample. `distances` between all poses, the bind pose first, are not 0. Returns
    /// `None` if two poses are too close to solve the equations.
    pub(super) fn new(distances: &[Vec<f64>], sigma: f64) -> Option<Self> {
        let lambda = (1..distances.len()).map(|sample| {
            let value = |row: usize| f64::from(u8::from(row == sample));
            let row = |(row, to): (usize, &Vec<f64>)| to.iter().map(|r| basis(*r, sigma)).chain([value(row)]).collect();
            solve(distances.iter().enumerate().map(row).collect())
        });
        Some(Self { lambda: lambda.collect::<Option<_>>()?, sigma })
    }

    /// Returns the value of each sample at a pose with these distances.
    pub(super) fn at(&self, distances: &[f64]) -> impl Iterator<Item = f64> {
        let basis: Vec<f64> = distances.iter().map(|r| basis(*r, self.sigma)).collect();
        self.lambda.iter().map(move |lambda| lambda.iter().zip(&basis).map(|(l, b)| l * b).sum())
    }
}

fn basis(distance: f64, sigma: f64) -> f64 {
    (-distance * distance / (2.0 * sigma * sigma)).exp()
}

/// Solves equations by Gaussian elimination with pivoting. Rows end with the right-hand side. Returns `None` if
/// singular.
pub(super) fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
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

    fn distances(points: &[f64]) -> Vec<Vec<f64>> {
        points.iter().map(|a| points.iter().map(|b| (a - b).abs()).collect()).collect()
    }

    #[test]
    fn samples_are_met_and_the_bind_pose_has_none() {
        let distances = distances(&[0.0, 1.2, -0.7, 2.0]);
        let rbf = Rbf::new(&distances, 1.0).unwrap();
        for (pose, to) in distances.iter().enumerate() {
            for (sample, value) in rbf.at(to).enumerate() {
                let expected = if pose == sample + 1 { 1.0 } else { 0.0 };
                assert!((value - expected).abs() < 1e-12, "sample {sample} at {pose}: {value}");
            }
        }
    }

    /// One sample at distance r, calculated by hand: G = [1 g; g 1], f = (0, 1), lambda = (-g, 1) / (1 - g^2).
    #[test]
    fn one_sample_by_hand() {
        for sigma in [1.0, 0.4] {
            let rbf = Rbf::new(&distances(&[0.0, 1.5]), sigma).unwrap();
            let g = (-(1.5 / sigma).powi(2) / 2.0_f64).exp();
            let half = (-(0.75 / sigma).powi(2) / 2.0_f64).exp();
            let expected = (half - g * half) / (1.0 - g * g);
            let middle = rbf.at(&[0.75, 0.75]).next().unwrap();
            assert!((middle - expected).abs() < 1e-14, "{middle} instead of {expected} for {sigma}");
        }
    }

    #[test]
    fn equal_poses_are_refused() {
        assert_eq!(Rbf::new(&distances(&[0.0, 1.0, 1.0]), 1.0), None);
    }
}
