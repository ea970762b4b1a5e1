//! Bounds of clips, and positions of copies.

use super::camera::Bounds;
use bindpose_core::model::{Clip, JointId, Mesh, Model};
use bindpose_core::pose::{self, LocalPose, ModelPose, RootMotion};
use bindpose_core::skin;
use glam::{DAffine3, Vec3};

/// Number of poses of a clip that are checked for its bounds. It is chosen so that all poses together have at most
/// [`MOST_VERTICES`] vertices, within this range.
const LOOKED_AT: std::ops::RangeInclusive<usize> = 9..=65;
/// See [`LOOKED_AT`].
const MOST_VERTICES: usize = 400_000;

/// A pose larger than the clip's median pose by this factor is an error in the clip.
const FLUNG: f32 = 8.0;

/// Box of a model that is attached to a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttachedBounds {
    /// The joint.
    pub joint: JointId,
    /// Transform from the attached model's space to the joint's.
    pub joint_from_attached: DAffine3,
    /// Box in the attached model's space.
    pub bounds: Bounds,
}

impl AttachedBounds {
    /// Returns the box around this box in a pose; `None` if a joint is not finite.
    fn in_pose(&self, pose: &ModelPose) -> Option<Bounds> {
        let placement = *pose.0.get(self.joint.index())? * self.joint_from_attached;
        let Bounds { min, max } = self.bounds;
        let corner = |number: u32| {
            let side = |axis: u32| number >> axis & 1 == 1;
            Vec3::select(glam::BVec3::new(side(0), side(1), side(2)), max, min).as_dvec3()
        };
        Bounds::around((0..8).map(|number| placement.transform_point3(corner(number))))
    }
}

/// Returns a box around the model in some poses of a clip, or in its rest pose, in model space.
///
/// It is a box around the vertices, or around the joints if there are no meshes. For an empty model it is a unit box
/// around the origin.
pub fn clip_bounds(model: &Model, clip: Option<&Clip>) -> Bounds {
    clip_bounds_with_roots(model, clip, None, &[])
}

/// Works like [`clip_bounds`], with roots fixed to their position at a time in seconds, if given
/// ([`RootMotion::Remove`]), and with attached models.
pub fn clip_bounds_with_roots(
    model: &Model,
    clip: Option<&Clip>,
    roots_at: Option<f64>,
    attached: &[AttachedBounds],
) -> Bounds {
    let mut poses = Vec::new();
    each_pose(model, clip, roots_at, attached, |_, seen| poses.push(seen));
    let mut extents: Vec<f32> = poses.iter().map(Bounds::extent).collect();
    extents.sort_by(f32::total_cmp);
    let usual = extents.get(extents.len() / 2).copied().unwrap_or(0.0);
    // A single exploded pose must not make all others tiny.
    let calm = poses.into_iter().filter(|pose| pose.extent() <= FLUNG * usual);
    calm.reduce(Bounds::union).unwrap_or(Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) })
}

/// Returns the largest extent of the model with attached ones from a joint along each axis of model space, in some poses
/// of a clip.
pub fn reach_from(model: &Model, clip: Option<&Clip>, joint: JointId, attached: &[AttachedBounds]) -> Vec3 {
    let mut reach = Vec3::ZERO;
    // Distances between joints do not depend on the roots.
    each_pose(model, clip, None, attached, |posed, seen| {
        let at = posed.0.get(joint.index()).map_or(Vec3::ZERO, |joint| joint.translation.as_vec3());
        reach = reach.max((seen.max - at).abs()).max((seen.min - at).abs());
    });
    reach
}

/// Calls `each` with poses of a clip, or with the rest pose, and the bounds of the visible parts.
fn each_pose(
    model: &Model,
    clip: Option<&Clip>,
    roots_at: Option<f64>,
    attached: &[AttachedBounds],
    mut each: impl FnMut(&ModelPose, Bounds),
) {
    let vertices: usize = model.meshes.iter().map(Mesh::vertex_count).sum();
    let most = (MOST_VERTICES / vertices.max(1)).clamp(*LOOKED_AT.start(), *LOOKED_AT.end());
    let times: Vec<f64> = match clip {
        Some(clip) if clip.duration > 0.0 => {
            (0..most).map(|step| clip.duration * step as f64 / (most - 1) as f64).collect()
        }
        _ => vec![0.0],
    };
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    for time in times {
        match clip {
            Some(clip) => {
                pose::sample(&model.skeleton, clip, time, &mut local);
                if let Some(start) = roots_at {
                    pose::apply_root_motion(&model.skeleton, clip, start, RootMotion::Remove, &mut local);
                }
            }
            None => pose::rest(&model.skeleton, &mut local),
        }
        pose::local_to_model(&model.skeleton, &local, &mut posed);
        if let Some(seen) = pose_bounds(model, &posed) {
            let attached = attached.iter().filter_map(|attached| attached.in_pose(&posed));
            each(&posed, attached.fold(seen, Bounds::union));
        }
    }
}

fn pose_bounds(model: &Model, posed: &ModelPose) -> Option<Bounds> {
    match skin::posed_bounds(&model.meshes, posed) {
        Some((min, max)) => Some(Bounds { min, max }),
        None => Bounds::around(posed.0.iter().map(|joint| joint.translation)),
    }
}

/// Returns positions for `count` copies of a model with `bounds`: rows of a centred square on the ground.
pub fn places(count: usize, bounds: &Bounds) -> Vec<Vec3> {
    let columns = (count as f64).sqrt().ceil().max(1.0) as usize;
    let rows = count.div_ceil(columns);
    let size = bounds.max - bounds.min;
    let step = 1.1 * size.truncate().max(glam::Vec2::splat(0.25 * size.max_element()));
    (0..count)
        .map(|number| {
            let (row, column) = (number / columns, number % columns);
            // A shorter last row is centred too.
            let in_row = if row + 1 == rows { count - row * columns } else { columns };
            let x = (rows - 1) as f32 / 2.0 - row as f32;
            let y = column as f32 - (in_row - 1) as f32 / 2.0;
            Vec3::new(x * step.x, y * step.y, 0.0)
        })
        .collect()
}

/// Returns the box around all copies.
pub fn bounds_of_places(places: &[Vec3], bounds: &Bounds) -> Bounds {
    places.iter().map(|&place| bounds.translated(place)).reduce(Bounds::union).unwrap_or(*bounds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::{JointTracks, Skeleton, Timeline, TimelineId, Track, Transform};
    use glam::DVec3;

    #[test]
    fn copies_are_separate_and_centred() {
        let bounds = Bounds { min: Vec3::new(-1.0, -2.0, 0.0), max: Vec3::new(1.0, 2.0, 6.0) };
        for count in [1, 2, 3, 5, 9, 36] {
            let places = places(count, &bounds);
            assert_eq!(places.len(), count);
            for (number, a) in places.iter().enumerate() {
                for b in &places[..number] {
                    let apart = (*a - *b).abs();
                    assert!(apart.x >= 2.0 || apart.y >= 4.0, "{count}: {a} and {b}");
                }
            }
            let all = bounds_of_places(&places, &bounds);
            assert!(all.centre().truncate().length() < 1e-4, "{count}: {all:?}");
        }
    }

    /// A joint moves from 0 to 10 along x, except for one key at 1e6. The bones have lengths 1, 11 and a million.
    #[test]
    fn an_exploded_pose_does_not_count() {
        let mut skeleton = Skeleton::default();
        let root = skeleton.push("root", None, Transform::IDENTITY);
        skeleton.push("tip", Some(root), Transform::IDENTITY);
        let model = Model { skeleton, ..Model::default() };
        let clip = |far: f64| {
            let places = [5.0, 5.0, far, 10.0, 10.0].map(|x| DVec3::new(x, 0.0, 0.0));
            let parts = |translation| JointTracks::Parts { translation, rotation: None, scale: None };
            let moved = Track { timeline: TimelineId(0), values: places.to_vec() };
            Clip {
                duration: 4.0,
                timelines: vec![Timeline::new((0..5).map(f64::from).collect()).unwrap()],
                joints: vec![parts(None), parts(Some(moved))],
                ..Clip::default()
            }
        };
        assert_eq!(clip_bounds(&model, Some(&clip(30.0))).max.x, 30.0);
        assert_eq!(clip_bounds(&model, Some(&clip(1e6))).max.x, 10.0);
    }

    /// A root that moves from 3 to 13 along x, and a joint one unit above it.
    #[test]
    fn roots_that_stay_in_place_have_no_path() {
        let mut skeleton = Skeleton::default();
        let root = skeleton.push("root", None, Transform::IDENTITY);
        skeleton.push("tip", Some(root), Transform { translation: DVec3::Z, ..Transform::IDENTITY });
        let model = Model { skeleton, ..Model::default() };
        let moved = Track { timeline: TimelineId(0), values: vec![DVec3::X * 3.0, DVec3::X * 13.0] };
        let clip = Clip {
            duration: 2.0,
            timelines: vec![Timeline::new(vec![0.0, 2.0]).unwrap()],
            joints: vec![
                JointTracks::Parts { translation: Some(moved), rotation: None, scale: None },
                JointTracks::default(),
            ],
            ..Clip::default()
        };
        // Time at which roots are fixed, and the model's range along x.
        for (roots_at, from, to) in [(None, 3.0, 13.0), (Some(0.0), 3.0, 3.0), (Some(0.5), 5.5, 5.5)] {
            let bounds = clip_bounds_with_roots(&model, Some(&clip), roots_at, &[]);
            assert_eq!((bounds.min.x, bounds.max.x, bounds.max.z), (from, to, 1.0), "{roots_at:?}");
        }
    }

    #[test]
    fn an_empty_model_has_bounds() {
        assert_eq!(clip_bounds(&Model::default(), None).centre(), Vec3::ZERO);
    }
}
