//! Tracks of numbers as few bytes: rounded to a grid, predicted, and sorted so that deflate finds the pattern.
//!
//! Part of the file format: every operation here is one that gives the same bits everywhere (+ − × ÷ and square
//! root, no library function), and none may change without a new format version.

/// Stands for not-a-number.
const NOT_A_NUMBER: i64 = i64::MIN;

/// Everything from here on is infinite.
const LIMIT: f64 = (1_u64 << 62) as f64;

/// A grid of numbers whose step is a power of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    exponent: i32,
}

impl Grid {
    /// The grid of a file; `None` if no step of that exponent makes sense.
    pub fn new(exponent: i32) -> Option<Self> {
        (-960..=960).contains(&exponent).then_some(Self { exponent })
    }

    /// A grid that is at least 2^31 times finer than `size` (positive) is large.
    pub fn for_size(size: f64) -> Self {
        // The exponent's bits of a float: 2^exponent <= size.
        let exponent = (size.to_bits() >> 52) as i32 & 0x7ff;
        Self { exponent: (exponent - 1023 - 31).clamp(-960, 960) }
    }

    /// The exponent of the step.
    pub fn exponent(self) -> i32 {
        self.exponent
    }

    /// The step: how far apart two numbers of the grid are.
    pub fn step(self) -> f64 {
        power_of_two(self.exponent)
    }

    /// The nearest number of the grid, in steps.
    pub fn round(self, value: f64) -> i64 {
        if value.is_nan() {
            return NOT_A_NUMBER;
        }
        (value * power_of_two(-self.exponent)).round().clamp(-LIMIT, LIMIT) as i64
    }

    /// The number that is so many steps from 0.
    pub fn value(self, steps: i64) -> f64 {
        match steps as f64 {
            _ if steps == NOT_A_NUMBER => f64::NAN,
            steps if steps >= LIMIT => f64::INFINITY,
            steps if steps <= -LIMIT => f64::NEG_INFINITY,
            steps => steps * self.step(),
        }
    }
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// The grid of quaternions, scales, shears and directions: 2^-31, an angle of 1e-9 or 5e-8 degrees.
pub const UNIT: Grid = Grid { exponent: -31 };

/// Integers along time, one list per quantity, all of one length.
///
/// Each list is turned into what is left over by the best of three predictions (0, the value before, the straight
/// line through the two before). What is left over is written without sign in planes of bytes: all lowest bytes,
/// then all next ones, as many planes as the largest needs, at least one.
pub fn write_tracks(tracks: &[Vec<i64>], out: &mut Vec<u8>) {
    let mut leftovers = Vec::with_capacity(tracks.iter().map(Vec::len).sum());
    for track in tracks {
        let order = (0..=2).min_by_key(|&order| track_cost(track, order)).unwrap_or(0);
        out.push(order);
        leftovers.extend(leftover(track, order));
    }
    let widest = leftovers.iter().fold(0, |all, left| all | left);
    let planes = (64 - widest.leading_zeros()).div_ceil(8).max(1);
    out.push(planes as u8);
    for plane in 0..planes {
        out.extend(leftovers.iter().map(|left| (left >> (8 * plane)) as u8));
    }
}

/// The reverse of [`write_tracks`] for `count` tracks of `length`; `None` where the bytes do not hold them.
pub fn read_tracks(bytes: &mut &[u8], count: usize, length: usize) -> Option<Vec<Vec<i64>>> {
    let orders = bytes.split_off(..count)?;
    let planes = usize::from(*bytes.split_off_first()?);
    if !(1..=8).contains(&planes) || orders.iter().any(|&order| order > 2) {
        return None;
    }
    let all = count.checked_mul(length)?;
    let planes = bytes.split_off(..planes.checked_mul(all)?)?;
    let left_at = |index: usize| -> u64 {
        // The planes are `all` bytes long each, and `index` is below that.
        let lowest_first = planes[index..].iter().step_by(all).zip(0..);
        lowest_first.fold(0, |left, (&byte, plane)| left | u64::from(byte) << (8 * plane))
    };
    let track = |(number, &order): (usize, &u8)| {
        let mut values: Vec<i64> = Vec::with_capacity(length);
        for index in 0..length {
            let left = unsigned_to_signed(left_at(number * length + index));
            values.push(predict(&values, order).wrapping_add(left));
        }
        values
    };
    Some(orders.iter().enumerate().map(track).collect())
}

fn leftover(track: &[i64], order: u8) -> impl Iterator<Item = u64> {
    (0..track.len()).map(move |index| {
        let left = track[index].wrapping_sub(predict(&track[..index], order));
        signed_to_unsigned(left)
    })
}

fn track_cost(track: &[i64], order: u8) -> u64 {
    leftover(track, order).map(|left| u64::from(64 - left.leading_zeros())).sum()
}

fn predict(before: &[i64], order: u8) -> i64 {
    match (order, before) {
        (0, _) | (_, []) => 0,
        (2, [.., second, last]) => last.wrapping_mul(2).wrapping_sub(*second),
        (_, [.., last]) => *last,
    }
}

/// 0, -1, 1, -2, … become 0, 1, 2, 3, …
fn signed_to_unsigned(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unsigned_to_signed(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// A position and a rotation on their grids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Steps {
    /// Translation.
    pub position: [i64; 3],
    /// Quaternion x, y, z, w.
    pub rotation: [i64; 4],
}

/// A joint's poses along time as seven tracks: three of position, four of rotation.
///
/// With `parent`, x, y, z and the position are what is left over from [`ride`]. The fourth part of the quaternion is
/// always what is left over from its size by the other three, with the sign that it is expected to have.
pub fn joint_to_tracks(joint: &[Steps], parent: Option<&[Steps]>, grid: Grid) -> [Vec<i64>; 7] {
    let mut tracks: [Vec<i64>; 7] = std::array::from_fn(|_| Vec::with_capacity(joint.len()));
    for (index, steps) in joint.iter().enumerate() {
        let expected = expect(&joint[..index], parent, grid);
        let [x, y, z, w] = steps.rotation;
        let fourth = fourth(x, y, z);
        let fourth = if expected.rotation[3] < 0 { -fourth } else { fourth };
        let parts = (0..3).map(|axis| steps.position[axis].wrapping_sub(expected.position[axis]));
        let turns = (0..3).map(|axis| steps.rotation[axis].wrapping_sub(expected.rotation[axis]));
        let left = parts.chain(turns).chain([w.wrapping_sub(fourth)]);
        tracks.iter_mut().zip(left).for_each(|(track, left)| track.push(left));
    }
    tracks
}

/// The reverse of [`joint_to_tracks`]; `tracks` are seven of one length.
pub fn tracks_to_joint(tracks: &[Vec<i64>], parent: Option<&[Steps]>, grid: Grid, length: usize) -> Vec<Steps> {
    let mut joint: Vec<Steps> = Vec::with_capacity(length);
    for index in 0..length {
        let expected = expect(&joint, parent, grid);
        let left = |track: usize| tracks.get(track).and_then(|track| track.get(index)).copied().unwrap_or(0);
        let position = std::array::from_fn(|axis| left(axis).wrapping_add(expected.position[axis]));
        let [x, y, z] = std::array::from_fn(|axis| left(3 + axis).wrapping_add(expected.rotation[axis]));
        let fourth = fourth(x, y, z);
        let fourth = if expected.rotation[3] < 0 { -fourth } else { fourth };
        joint.push(Steps { position, rotation: [x, y, z, left(6).wrapping_add(fourth)] });
    }
    joint
}

/// What the next pose is expected to be. Without a parent only the sign of the quaternion's fourth part is.
fn expect(before: &[Steps], parent: Option<&[Steps]>, grid: Grid) -> Steps {
    let Some(&last) = before.last() else { return Steps::default() };
    match parent.and_then(|parent| parent.get(before.len() - 1..=before.len())) {
        Some(&[parent_before, parent_now]) => ride(parent_before, parent_now, last, grid),
        _ => Steps { rotation: [0, 0, 0, last.rotation[3]], ..Steps::default() },
    }
}

/// How many bits the left-overs of a joint's tracks take, about.
pub fn cost(tracks: &[Vec<i64>]) -> u64 {
    tracks.iter().map(|track| (0..=2).map(|order| track_cost(track, order)).min().unwrap_or(0)).sum()
}

/// Where a joint would be if it had kept still on its parent: the parent before and now, the joint before.
///
/// Most joints keep their place on their parent and turn little, so what is left over is small.
fn ride(parent_before: Steps, parent_now: Steps, before: Steps, grid: Grid) -> Steps {
    let quaternion = |steps: Steps| steps.rotation.map(|part| UNIT.value(part));
    let position = |steps: Steps| steps.position.map(|part| grid.value(part));
    let (parent_then, parent_now_turn) = (quaternion(parent_before), quaternion(parent_now));
    let back = conjugate(parent_then);
    let [from, at, to] = [parent_before, before, parent_now].map(position);
    let held = turn(back, std::array::from_fn(|axis| at[axis] - from[axis]));
    let carried = turn(parent_now_turn, held);
    Steps {
        position: std::array::from_fn(|axis| grid.round(to[axis] + carried[axis])),
        rotation: product(parent_now_turn, product(back, quaternion(before))).map(|part| UNIT.round(part)),
    }
}

fn conjugate([x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [-x, -y, -z, w]
}

/// Hamilton's product, written out: a library may reorder its sums from one version to the next.
fn product([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        ((aw * bx + ax * bw) + ay * bz) - az * by,
        ((aw * by - ax * bz) + ay * bw) + az * bx,
        ((aw * bz + ax * by) - ay * bx) + az * bw,
        ((aw * bw - ax * bx) - ay * by) - az * bz,
    ]
}

/// `rotation * (0, vector) * conjugate(rotation)`.
fn turn(rotation: [f64; 4], [x, y, z]: [f64; 3]) -> [f64; 3] {
    let [x, y, z, _] = product(product(rotation, [x, y, z, 0.0]), conjugate(rotation));
    [x, y, z]
}

/// The size of the fourth part of a unit quaternion from the other three.
fn fourth(x: i64, y: i64, z: i64) -> i64 {
    let [x, y, z] = [x, y, z].map(|part| UNIT.value(part));
    let rest = 1.0 - ((x * x + y * y) + z * z);
    if rest > 0.0 { UNIT.round(rest.sqrt()) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_grid_is_fine_and_holds_what_is_on_it() {
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
    fn numbers_that_fit_no_grid_have_a_place() {
        let grid = Grid::for_size(1.0);
        for value in [f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, f64::NAN] {
            let kept = grid.value(grid.round(value));
            assert_eq!(kept.is_nan(), value.is_nan());
            assert!(value.is_nan() || (kept.is_infinite() && kept.signum() == value.signum()));
            assert_eq!(grid.round(kept), grid.round(value));
        }
    }

    /// 90 degrees about z take x to y; the written-out product agrees with the definition of the rotation.
    #[test]
    fn a_child_rides_on_its_parent() {
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
        for (ridden, expected) in ridden.position.iter().zip(expected.position) {
            assert!((ridden - expected).abs() <= 4);
        }
        for (ridden, expected) in ridden.rotation.iter().zip(expected.rotation) {
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
        fn tracks_survive(tracks in prop::collection::vec(prop::collection::vec(any::<i64>(), 5), 0..4)) {
            let mut bytes = Vec::new();
            write_tracks(&tracks, &mut bytes);
            let mut rest = &bytes[..];
            prop_assert_eq!(read_tracks(&mut rest, tracks.len(), 5), Some(tracks.clone()));
            prop_assert!(rest.is_empty());
            let mut cut = &bytes[..bytes.len() - 1];
            prop_assert_eq!(read_tracks(&mut cut, tracks.len(), 5), None);
        }

        #[test]
        fn joints_survive_with_and_without_a_parent(
            joint in prop::collection::vec(any_steps(), 6),
            parent in prop::collection::vec(any_steps(), 6),
            exponent in -60..60,
        ) {
            let grid = Grid::new(exponent).unwrap();
            for parent in [None, Some(&parent[..])] {
                let tracks = joint_to_tracks(&joint, parent, grid);
                prop_assert_eq!(&tracks_to_joint(&tracks, parent, grid, 6), &joint);
            }
        }
    }
}
