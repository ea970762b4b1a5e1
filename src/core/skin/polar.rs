//! The rotation nearest to a matrix.

use glam::{DMat3, DQuat};

/// Returns the rotation `R` with the smallest sum of squares of the elements of `R - matrix`: the orthogonal part of
/// the polar decomposition, or the nearest proper rotation if that part mirrors.
///
/// It is the unit quaternion that is the eigenvector of the largest eigenvalue of a symmetric 4x4 matrix (Davenport's
/// q-method; Horn 1987, "Closed-form solution of absolute orientation using unit quaternions"). The identity for a
/// matrix of zeros.
pub(super) fn nearest_rotation(matrix: &DMat3) -> DQuat {
    let a = matrix.transpose().to_cols_array_2d();
    let [wx, wy, wz] = [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]];
    let [xy, xz, yz] = [a[0][1] + a[1][0], a[0][2] + a[2][0], a[1][2] + a[2][1]];
    let form = [
        [a[0][0] + a[1][1] + a[2][2], wx, wy, wz],
        [wx, a[0][0] - a[1][1] - a[2][2], xy, xz],
        [wy, xy, a[1][1] - a[0][0] - a[2][2], yz],
        [wz, xz, yz, a[2][2] - a[0][0] - a[1][1]],
    ];
    let (values, vectors) = eigenvectors(form);
    let largest = (0..4).reduce(|best, next| if values[next] > values[best] { next } else { best }).unwrap_or(0);
    let [w, x, y, z] = vectors.map(|row| row[largest]);
    DQuat::from_xyzw(x, y, z, w).normalize()
}

/// Returns the eigenvalues of a symmetric matrix, and its eigenvectors as columns, by cyclic Jacobi rotations.
pub(super) fn eigenvectors<const N: usize>(mut form: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    /// Jacobi's method converges quadratically: six sweeps are enough for four rows.
    const MOST_SWEEPS: usize = 12;
    let mut vectors = std::array::from_fn(|row| std::array::from_fn(|column| f64::from(u8::from(row == column))));
    let size: f64 = form.as_flattened().iter().map(|element| element * element).sum();
    for _ in 0..MOST_SWEEPS {
        let pairs = || (0..N).flat_map(|p| (p + 1..N).map(move |q| (p, q)));
        let off: f64 = pairs().map(|(p, q)| form[p][q] * form[p][q]).sum();
        if off <= 1e-32 * size {
            break;
        }
        for (p, q) in pairs() {
            if form[p][q] == 0.0 {
                continue;
            }
            let theta = (form[q][q] - form[p][p]) / (2.0 * form[p][q]);
            let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
            let cosine = tangent.hypot(1.0).recip();
            let sine = tangent * cosine;
            for row in &mut form {
                (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
            }
            let (above, below) = (form[p], form[q]);
            form[p] = std::array::from_fn(|column| cosine * above[column] - sine * below[column]);
            form[q] = std::array::from_fn(|column| sine * above[column] + cosine * below[column]);
            for row in &mut vectors {
                (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
            }
        }
    }
    (std::array::from_fn(|place| form[place][place]), vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn apart(a: DQuat, b: DQuat) -> f64 {
        (1.0 - a.dot(b).abs()).abs()
    }

    /// A rotation times a symmetric matrix with positive eigenvalues has that rotation.
    #[test]
    fn the_rotation_of_a_stretched_matrix() {
        let along = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, -1.0, 0.4)));
        for axis in [DVec3::new(0.2, 0.1, 3.0), DVec3::new(-2.0, 1.0, 0.5), DVec3::X * 3.1, DVec3::ZERO] {
            let rotation = DQuat::from_scaled_axis(axis);
            for scale in [DVec3::ONE, DVec3::new(0.1, 2.0, 5.0), DVec3::new(1e-6, 1.0, 1e3), DVec3::new(0.0, 1.0, 2.0)]
            {
                let stretch = along * DMat3::from_diagonal(scale) * along.transpose();
                let found = nearest_rotation(&(DMat3::from_quat(rotation) * stretch));
                assert!(apart(found, rotation) < 1e-12, "{axis} {scale}: {found}");
            }
        }
    }

    /// A mirror has no rotation. The nearest rotation gives up the weakest direction.
    #[test]
    fn a_mirror_gives_up_its_weakest_direction() {
        let found = nearest_rotation(&DMat3::from_diagonal(DVec3::new(3.0, 2.0, -1.0)));
        assert!(apart(found, DQuat::IDENTITY) < 1e-12, "{found}");
        assert_eq!(nearest_rotation(&DMat3::ZERO), DQuat::IDENTITY);
    }
}
