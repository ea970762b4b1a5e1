//! Per-vertex animation: vertices stored per key frame (article 000 section 2.3).

use super::cost::Cost;
use super::linear::push_frame;
use super::method::{Data, PrepareInput, Prepared, TimedPose, Unavailable};
use super::morph_frames::MorphFrames;
use super::skinned::Skinned;
use crate::model::Mesh;
use glam::{DAffine3, Vec3};

/// The mesh at every key of the clip.
pub(super) fn prepare(source: &PrepareInput<'_>, mesh: &mut Mesh, _: &mut Cost) -> Result<Data, Unavailable> {
    let clip = source.clip.ok_or(Unavailable::NoClip)?;
    let frames = MorphFrames::bake(source.skeleton, mesh, clip);
    Ok(Data::Frames(frames.map_err(|bytes| Unavailable::TooManyFrames { bytes })?))
}

/// Vertices on the straight line between two frames; normals likewise, brought to unit length.
pub(super) fn formula(it: &Prepared, moment: TimedPose<'_>, _: &[DAffine3], out: &mut Skinned) {
    out.clear();
    let Data::Frames(frames) = &it.data else { return };
    let (before, after, share) = frames.between(moment.time);
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
