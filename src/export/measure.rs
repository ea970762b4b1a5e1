//! Displacement of vertices caused by content that a format cannot represent.

use crate::frames::Frames;
use bindpose_core::model::{Clip, Mesh, Model, Skeleton};
use bindpose_core::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose_core::skin::linear_position;

/// Largest number of vertices skinned for one measurement. If there are more, poses are skipped evenly.
const MOST_PLACED: usize = 20_000_000;

/// Measures `watched` vertices of each mesh: the largest distance from the same vertex in `simplified`, at rest, at all
/// keys and half-way between them.
pub(crate) fn moved_by_weights(model: &Model, simplified: &[&Mesh], watched: &[Vec<u32>]) -> Vec<Vec<f64>> {
    let mut most: Vec<Vec<f64>> = watched.iter().map(|vertices| vec![0.0; vertices.len()]).collect();
    let vertices: usize = watched.iter().map(Vec::len).sum();
    if vertices == 0 {
        return most;
    }
    let mut measure = |pose: &ModelPose| {
        for ((mesh, simple), (vertices, most)) in model.meshes.iter().zip(simplified).zip(watched.iter().zip(&mut most))
        {
            for (&vertex, most) in vertices.iter().zip(most) {
                let vertex = vertex as usize;
                *most = most.max(linear_position(mesh, pose, vertex).distance(linear_position(simple, pose, vertex)));
            }
        }
    };
    let mut local = LocalPose::rest(&model.skeleton);
    let mut pose = local.to_model(&model.skeleton);
    measure(&pose);
    for clip in &model.clips {
        for time in sample_times(clip, MOST_PLACED / vertices / model.clips.len()) {
            sample(&model.skeleton, clip, time, &mut local);
            local_to_model(&model.skeleton, &local, &mut pose);
            measure(&pose);
        }
    }
    most
}

/// Measures the largest distance of a vertex, or without vertices of a joint, between `other` on `skeleton` with
/// `meshes`, and `clip` on the model. `meshes` have the model's vertices in the same order. Measured at all keys and
/// half-way between them. Times of `other` are `pace` times those of the clip.
pub(crate) fn moved_by_clip(
    model: &Model,
    clip: &Clip,
    skeleton: &Skeleton,
    meshes: &[Mesh],
    other: &Clip,
    pace: f64,
) -> f64 {
    let (mut local, mut here, mut there) = (LocalPose::default(), ModelPose::default(), ModelPose::default());
    let vertices: usize = model.meshes.iter().map(Mesh::vertex_count).sum();
    let mut most = 0.0_f64;
    for time in sample_times(clip, MOST_PLACED / vertices.max(model.skeleton.len()).max(1)) {
        sample(&model.skeleton, clip, time, &mut local);
        local_to_model(&model.skeleton, &local, &mut here);
        sample(skeleton, other, time * pace, &mut local);
        local_to_model(skeleton, &local, &mut there);
        if vertices == 0 {
            let far = here.0.iter().zip(&there.0).map(|(a, b)| a.translation.distance(b.translation));
            most = far.fold(most, f64::max);
        }
        for (mesh, other) in model.meshes.iter().zip(meshes) {
            let far = |vertex| linear_position(mesh, &here, vertex).distance(linear_position(other, &there, vertex));
            let both = mesh.vertex_count().min(other.vertex_count());
            most = (0..both).map(far).fold(most, f64::max);
        }
    }
    most
}

/// Measures the largest distance of a vertex between `clip` and its `frames` if engines blend vertices linearly from
/// frame to frame. Measured at all keys and half-way between them.
pub(crate) fn moved_between_frames(model: &Model, clip: &Clip, frames: &Frames) -> f64 {
    let vertices: usize = model.meshes.iter().map(Mesh::vertex_count).sum();
    let mut local = LocalPose::default();
    let mut most = 0.0_f64;
    let last = frames.poses.len().saturating_sub(1);
    for time in sample_times(clip, MOST_PLACED / vertices.max(1) / 3) {
        let at = time * frames.rate;
        let before = (at as usize).min(last);
        let after = if before < last { before + 1 } else { 0 };
        let share = if at > last as f64 && !frames.looping { 0.0 } else { at - at.floor() };
        sample(&model.skeleton, clip, time, &mut local);
        let [exact, before, after] =
            [&local, &frames.poses[before], &frames.poses[after]].map(|pose| pose.to_model(&model.skeleton));
        for mesh in &model.meshes {
            let far = |vertex| {
                let shown = |pose| linear_position(mesh, pose, vertex);
                shown(&before).lerp(shown(&after), share).distance(shown(&exact))
            };
            most = (0..mesh.vertex_count()).map(far).fold(most, f64::max);
        }
    }
    most
}

/// Returns all key times and the middles between them, from 0 on; an even selection if there are more than `most`.
fn sample_times(clip: &Clip, most: usize) -> Vec<f64> {
    let mut keys: Vec<f64> = clip.timelines.iter().flat_map(|timeline| timeline.times()).copied().collect();
    keys.push(0.0);
    keys.retain(|time| *time >= 0.0);
    keys.sort_by(f64::total_cmp);
    keys.dedup();
    let middles: Vec<f64> = keys.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
    keys.extend(middles);
    keys.sort_by(f64::total_cmp);
    let step = keys.len().div_ceil(most.max(1));
    keys.into_iter().step_by(step.max(1)).collect()
}
