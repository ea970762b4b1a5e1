//! A clip at one time, and its numbers as columns of a table.

use super::digest::canonical;
use super::grid::{Grid, UNIT};
use super::times::FrameRef;
use bindpose_core::model::{Skeleton, Transform};
use bindpose_core::pose::{LocalPose, ModelPose};
use glam::{DQuat, DVec3};

/// A clip at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Seconds from the clip's start.
    pub time: f64,
    /// The same time in frames.
    pub frame: FrameRef,
    /// Digests of the whole sample.
    pub digests: SampleDigests,
    /// Joints in their parents' space.
    pub joints: Vec<Transform>,
    /// Sums over all joints in model space, of positions and of the ends of their axes, with fixed patterns of signs.
    /// They show an error of the products along the hierarchy.
    pub joint_sums: [DVec3; 2],
    /// Bounds of all vertices; `None` without vertices.
    pub bounds: Option<(DVec3, DVec3)>,
    /// Two sums over the positions of the file's vertices, each with its own fixed pattern of signs.
    ///
    /// A vertex that moves by d changes both by d. If many move independently, the change is the root of the sum of
    /// their squares. This estimates how far vertices moved without storing them.
    pub position_sums: [DVec3; 2],
    /// The same sum over normals and tangents, with one pattern each. Vertices whose triangles are smaller than the
    /// average weigh less, because a sliver's normal turns with the last decimal of a corner.
    pub shading_sum: DVec3,
    /// Numbers of the file; see the frames' `numbers`. Between frames, those of the frame before.
    pub numbers: Vec<f64>,
}

/// Digests of one sample, 32 bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SampleDigests {
    /// All local transforms.
    pub local: u32,
    /// All model-space transforms.
    pub model: u32,
    /// All vertices' positions.
    pub positions: u32,
    /// All normals and tangents.
    pub shading: u32,
    /// The file's numbers.
    pub numbers: u32,
}

impl From<[u32; 5]> for SampleDigests {
    fn from([local, model, positions, shading, numbers]: [u32; 5]) -> Self {
        Self { local, model, positions, shading, numbers }
    }
}

impl From<SampleDigests> for [u32; 5] {
    fn from(SampleDigests { local, model, positions, shading, numbers }: SampleDigests) -> Self {
        [local, model, positions, shading, numbers]
    }
}

impl Sample {
    /// Returns the joints in model space. `skeleton` is that of the snapshot.
    pub fn model_pose(&self, skeleton: &Skeleton) -> ModelPose {
        let mut joints = self.joints.clone();
        joints.resize(skeleton.len(), Transform::IDENTITY);
        LocalPose(joints).to_model(skeleton)
    }
}

/// Columns of the samples of a clip: one row of integers for each sample, written column by column, each number as its
/// difference from the one above.
pub struct Columns {
    pub joints: usize,
    pub has_vertices: bool,
    /// Count of the file's own numbers.
    pub numbers: usize,
    /// Grid of lengths.
    pub grid: Grid,
}

impl Columns {
    /// Frame, time, five digests and two sums of joints; then per joint position, rotation, scale and shear; bounds and
    /// sums of vertices; the file's own numbers.
    pub fn count(&self) -> usize {
        13 + 13 * self.joints + if self.has_vertices { 15 } else { 0 } + self.numbers
    }

    /// Rounds a sample, as a file does.
    pub fn rounded(&self, sample: &Sample) -> Sample {
        self.sample(&mut self.row(sample).into_iter()).unwrap_or_else(|| sample.clone())
    }

    pub fn write(&self, samples: &[Sample]) -> Vec<i64> {
        let rows: Vec<Vec<i64>> = samples.iter().map(|sample| self.row(sample)).collect();
        let mut numbers = Vec::with_capacity(rows.len() * self.count());
        for column in 0..self.count() {
            let mut above = 0_i64;
            for row in &rows {
                let value = row.get(column).copied().unwrap_or_default();
                numbers.push(value.wrapping_sub(above));
                above = value;
            }
        }
        numbers
    }

    /// Reads the numbers of [`Self::write`]. Returns `None` for other content.
    pub fn read(&self, mut numbers: Vec<i64>) -> Option<Vec<Sample>> {
        let count = numbers.len() / self.count();
        if !numbers.len().is_multiple_of(self.count()) {
            return None;
        }
        for column in numbers.chunks_exact_mut(count.max(1)) {
            let mut above = 0_i64;
            for value in column {
                above = above.wrapping_add(*value);
                *value = above;
            }
        }
        (0..count).map(|row| self.sample(&mut numbers.iter().skip(row).step_by(count).copied())).collect()
    }

    fn row(&self, sample: &Sample) -> Vec<i64> {
        let length = |vector: DVec3| vector.to_array().map(|part| self.grid.round(part));
        let unit = |vector: DVec3| vector.to_array().map(|part| UNIT.round(part));
        let mut row = Vec::with_capacity(self.count());
        let frame = 2 * i64::from(sample.frame.number) + i64::from(sample.frame.is_between);
        row.extend([frame, UNIT.round(sample.time)]);
        row.extend(<[u32; 5]>::from(sample.digests).map(i64::from));
        row.extend([length(sample.joint_sums[0]), unit(sample.joint_sums[1])].as_flattened());
        for joint in &sample.joints {
            row.extend(length(joint.translation));
            row.extend(canonical(joint.rotation).to_array().map(|part| UNIT.round(part)));
            row.extend([unit(joint.scale), unit(joint.shear)].as_flattened());
        }
        if self.has_vertices {
            let ((low, high), [first, second]) = (sample.bounds.unwrap_or_default(), sample.position_sums);
            row.extend([low, high, first, second].map(length).as_flattened());
            row.extend(unit(sample.shading_sum));
        }
        row.extend(sample.numbers.iter().map(|&number| self.grid.round(number)));
        row
    }

    /// Returns the sample of a row of [`Self::count`] numbers.
    fn sample(&self, row: &mut impl Iterator<Item = i64>) -> Option<Sample> {
        fn vector(row: &mut impl Iterator<Item = i64>, grid: Grid) -> DVec3 {
            DVec3::from_array(std::array::from_fn(|_| grid.value(row.next().unwrap_or_default())))
        }
        let (grid, frame) = (self.grid, row.next()?);
        let mut sample = Sample {
            frame: FrameRef { number: u32::try_from(frame.div_euclid(2)).ok()?, is_between: frame % 2 != 0 },
            time: UNIT.value(row.next()?),
            digests: std::array::from_fn(|_| row.next().unwrap_or_default() as u32).into(),
            joint_sums: [vector(row, grid), vector(row, UNIT)],
            joints: Vec::with_capacity(self.joints),
            bounds: None,
            position_sums: Default::default(),
            shading_sum: DVec3::ZERO,
            numbers: Vec::new(),
        };
        for _ in 0..self.joints {
            sample.joints.push(Transform {
                translation: vector(row, grid),
                rotation: DQuat::from_array(std::array::from_fn(|_| UNIT.value(row.next().unwrap_or_default()))),
                scale: vector(row, UNIT),
                shear: vector(row, UNIT),
            });
        }
        if self.has_vertices {
            sample.bounds = Some((vector(row, grid), vector(row, grid)));
            sample.position_sums = [vector(row, grid), vector(row, grid)];
            sample.shading_sum = vector(row, UNIT);
        }
        sample.numbers.extend(row.take(self.numbers).map(|steps| grid.value(steps)));
        Some(sample)
    }
}
