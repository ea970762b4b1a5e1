//! Per-vertex animation: vertices stored per key frame (article 000 section 2.3).

use super::linear::{linear, push_frame};
use super::skinned::Skinned;
use super::unavailable::{MAX_MORPH_BYTES, Unavailable};
use crate::model::{Clip, Mesh, Skeleton};
use crate::pose::{LocalPose, ModelPose, local_to_model, sample};
use glam::{DVec3, Vec3};

/// A mesh at every key of a clip.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MorphFrames {
    /// Times of the frames in seconds, ascending; at least one.
    pub times: Vec<f64>,
    /// Baked frames in order of time.
    pub frames: Vec<MorphFrame>,
}

/// One frame, with one entry per vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MorphFrame {
    /// Positions in model space.
    pub positions: Vec<Vec3>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Unit tangents.
    pub tangents: Vec<Vec3>,
}

impl MorphFrames {
    /// Skins the mesh by the linear reference at every key time of the clip.
    pub(super) fn bake(skeleton: &Skeleton, mesh: &Mesh, clip: &Clip) -> Result<Self, Unavailable> {
        let mut times: Vec<f64> = clip.timelines.iter().flat_map(|timeline| timeline.times()).copied().collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        if times.is_empty() {
            times.push(0.0);
        }
        let bytes = times.len() as u64 * mesh.vertex_count() as u64 * BYTES_PER_VERTEX;
        if bytes > MAX_MORPH_BYTES {
            return Err(Unavailable::TooManyFrames { bytes });
        }
        let (mut local, mut model) = (LocalPose::default(), ModelPose::default());
        let mut skinned = Skinned::default();
        let frames = times.iter().map(|&time| {
            sample(skeleton, clip, time, &mut local);
            local_to_model(skeleton, &local, &mut model);
            linear(mesh, &model, &mut skinned);
            let rounded = |all: &[DVec3]| all.iter().map(|vector| vector.as_vec3()).collect();
            MorphFrame {
                positions: rounded(&skinned.positions),
                normals: rounded(&skinned.normals),
                tangents: rounded(&skinned.tangents),
            }
        });
        Ok(Self { frames: frames.collect(), times })
    }

    /// Returns the indices of the frames around `time` (seconds) and the share of the second one, clamped at the ends.
    pub fn between(&self, time: f64) -> (usize, usize, f64) {
        let last = self.times.len().saturating_sub(1);
        let after = self.times.partition_point(|&key| key <= time);
        let Some(before) = after.checked_sub(1) else { return (0, 0, 0.0) };
        if after > last {
            return (last, last, 0.0);
        }
        let (from, to) = (self.times[before], self.times[after]);
        (before, after, (time - from) / (to - from))
    }

    /// Returns the size of all frames in bytes.
    pub fn bytes(&self) -> u64 {
        self.frames.iter().map(|frame| frame.positions.len() as u64 * BYTES_PER_VERTEX).sum()
    }
}

/// Size of position, normal and tangent in f32.
const BYTES_PER_VERTEX: u64 = 36;

/// Interpolates positions and normals linearly between two frames, and normalises the normals.
pub(super) fn skin(frames: &MorphFrames, time: f64, out: &mut Skinned) {
    out.clear();
    let (before, after, share) = frames.between(time);
    let (Some(from), Some(to)) = (frames.frames.get(before), frames.frames.get(after)) else { return };
    let mix = |from: Vec3, to: Vec3| from.as_dvec3().lerp(to.as_dvec3(), share);
    for (vertex, (&a, &b)) in from.positions.iter().zip(&to.positions).enumerate() {
        push_frame(
            out,
            mix(a, b),
            mix(from.normals[vertex], to.normals[vertex]).normalize_or_zero(),
            mix(from.tangents[vertex], to.tangents[vertex]),
        );
    }
}
