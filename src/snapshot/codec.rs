//! Poses over time as small integers: rounded to a grid, and predicted from the previous pose.
//!
//! This is part of the file format. Every operation gives the same bits on every machine (+ − × ÷ and square root, no
//! library function), and none may change without a new format version.

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

    /// Returns the distance between two adjacent numbers of the grid.
    pub fn step(self) -> f64 {
        power_of_two(self.exponent)
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
            steps => steps * self.step(),
        }
    }

    /// Returns the number of the grid nearest to `value`.
    pub fn nearest(self, value: f64) -> f64 {
        self.value(self.round(value))
    }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// Grid of quaternions, scales, shears and directions. Its step is 2^-31, an angle of 1e-9 or 5e-8 degrees.
pub const UNIT: Grid = Grid { exponent: -31 };

/// A position and a rotation on their grids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Steps {
    /// Translation.
    pub position: [i64; 3],
    /// Quaternion x, y, z, w.
    pub rotation: [i64; 4],
}

/// Encodes a joint as seven tracks (three of position, four of rotation). Each value is the difference from its
/// prediction.
///
/// `parent` has the parent's poses at the same times.
pub fn joint_to_tracks(joint: &[Steps], parent: Option<&[Steps]>, grid: Grid) -> [Vec<i64>; 7] {
    let mut tracks: [Vec<i64>; 7] = std::array::from_fn(|_| Vec::with_capacity(joint.len()));
    for (index, steps) in joint.iter().enumerate() {
        let predicted = predict(&joint[..index], parent, grid);
        let [x, y, z, w] = steps.rotation;
        let expected_w = fourth([x, y, z], predicted.rotation[3]);
        let moved = (0..3).map(|axis| steps.position[axis].wrapping_sub(predicted.position[axis]));
        let turned = (0..3).map(|axis| steps.rotation[axis].wrapping_sub(predicted.rotation[axis]));
        let differences = moved.chain(turned).chain([w.wrapping_sub(expected_w)]);
        tracks.iter_mut().zip(differences).for_each(|(track, difference)| track.push(difference));
    }
    tracks
}

/// Decodes the tracks of [`joint_to_tracks`]. All seven tracks have the same length.
pub fn tracks_to_joint(tracks: &[Vec<i64>; 7], parent: Option<&[Steps]>, grid: Grid) -> Vec<Steps> {
    let mut joint: Vec<Steps> = Vec::with_capacity(tracks[0].len());
    while joint.len() < tracks[0].len() {
        let index = joint.len();
        let predicted = predict(&joint, parent, grid);
        let position = std::array::from_fn(|axis| tracks[axis][index].wrapping_add(predicted.position[axis]));
        let [x, y, z] = std::array::from_fn(|axis| tracks[3 + axis][index].wrapping_add(predicted.rotation[axis]));
        let w = tracks[6][index].wrapping_add(fourth([x, y, z], predicted.rotation[3]));
        joint.push(Steps { position, rotation: [x, y, z, w] });
    }
    joint
}

/// Predicts the next pose: the joint keeps still relative to its parent, or in model space if it has none.
fn predict(before: &[Steps], parent: Option<&[Steps]>, grid: Grid) -> Steps {
    let Some(&last) = before.last() else { return Steps::default() };
    match parent.and_then(|parent| parent.get(before.len() - 1..=before.len())) {
        Some(&[parent_before, parent_now]) => ride(parent_before, parent_now, last, grid),
        _ => last,
    }
}

/// Returns the pose of a joint that keeps still relative to its parent, from the parent before and now and the joint
/// before.
fn ride(parent_before: Steps, parent_now: Steps, before: Steps, grid: Grid) -> Steps {
    let quaternion = |steps: Steps| steps.rotation.map(|part| UNIT.value(part));
    let position = |steps: Steps| steps.position.map(|part| grid.value(part));
    let (back, forth) = (conjugate(quaternion(parent_before)), quaternion(parent_now));
    let [from, at, to] = [parent_before, before, parent_now].map(position);
    let offset = turn(back, std::array::from_fn(|axis| at[axis] - from[axis]));
    let carried = turn(forth, offset);
    Steps {
        position: std::array::from_fn(|axis| grid.round(to[axis] + carried[axis])),
        rotation: product(forth, product(back, quaternion(before))).map(|part| UNIT.round(part)),
    }
}

fn conjugate([x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [-x, -y, -z, w]
}

/// Multiplies two quaternions. The product is written out, because a library may change the order of its sums.
fn product([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        ((aw * bx + ax * bw) + ay * bz) - az * by,
        ((aw * by - ax * bz) + ay * bw) + az * bx,
        ((aw * bz + ax * by) - ay * bx) + az * bw,
        ((aw * bw - ax * bx) - ay * by) - az * bz,
    ]
}

/// Rotates a vector: `rotation * (0, vector) * conjugate(rotation)`.
fn turn(rotation: [f64; 4], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let [x, y, z, _] = product(product(rotation, [x, y, z, 0.0]), conjugate(rotation));
    [x, y, z]
}

/// Returns the fourth component of a unit quaternion, with the sign of `predicted`.
fn fourth(xyz: [i64; 3], predicted: i64) -> i64 {
    let [x, y, z] = xyz.map(|part| UNIT.value(part));
    let rest = 1.0 - ((x * x + y * y) + z * z);
    let size = if rest > 0.0 { UNIT.round(rest.sqrt()) } else { 0 };
    if predicted < 0 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_grid_is_fine_and_keeps_its_numbers() {
        for size in [1e-300, 0.02, 1.0, 1.5, 2.0, 72.3, 1e9, 1e280] {
            let grid = Grid::for_size(size);
            let share = grid.step() / size;
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
            let kept = grid.nearest(value);
            assert_eq!(kept.is_nan(), value.is_nan());
            assert!(value.is_nan() || (kept.is_infinite() && kept.signum() == value.signum()));
            assert_eq!(grid.round(kept), grid.round(value));
        }
    }

    /// A turn by 90 degrees about z takes x to y, so the written-out product agrees with the definition of the
    /// rotation.
    #[test]
    fn a_child_follows_its_parent() {
        let half = std::f64::consts::FRAC_1_SQRT_2;
        let grid = Grid::for_size(1.0);
        let steps = |position: [f64; 3], rotation: [f64; 4]| Steps {
            position: position.map(|part| grid.round(part)),
            rotation: rotation.map(|part| UNIT.round(part)),
        };
        let still = [0.0, 0.0, 0.0, 1.0];
        let ridden = ride(
            steps([1.0, 0.0, 0.0], still),
            steps([5.0, 0.0, 0.0], [0.0, 0.0, half, half]),
            steps([3.0, 0.0, 1.0], still),
            grid,
        );
        let expected = steps([5.0, 2.0, 1.0], [0.0, 0.0, half, half]);
        let parts =
            ridden.position.iter().chain(&ridden.rotation).zip(expected.position.iter().chain(&expected.rotation));
        for (ridden, expected) in parts {
            assert!((ridden - expected).abs() <= 4);
        }
    }

    fn any_steps() -> impl Strategy<Value = Steps> {
        let part = prop_oneof![-(1_i64 << 31)..1 << 31, any::<i64>(), Just(0)];
        (prop::array::uniform3(part.clone()), prop::array::uniform4(part))
            .prop_map(|(position, rotation)| Steps { position, rotation })
    }

    proptest! {
        #[test]
        fn joints_survive_with_and_without_a_parent(
            joint in prop::collection::vec(any_steps(), 6),
            parent in prop::collection::vec(any_steps(), 6),
            exponent in -60..60,
        ) {
            let grid = Grid { exponent };
            for parent in [None, Some(&parent[..])] {
                let tracks = joint_to_tracks(&joint, parent, grid);
                prop_assert_eq!(&tracks_to_joint(&tracks, parent, grid), &joint);
            }
        }
    }
}
