//! What there is to be seen: how far a clip reaches, and where copies stand.

use super::camera::Bounds;
use bindpose_core::model::{Clip, Model};
use bindpose_core::pose::{self, LocalPose, ModelPose};
use bindpose_core::skin;
use glam::{Affine3A, Vec3};

/// Poses of a clip that are looked at for its bounds.
const LOOKED_AT: usize = 9;

/// A box around the model in some poses of a clip, or in its rest pose.
///
/// Vertices only, or joints where there are none; a box of one unit around the origin if nothing is there at all.
pub fn clip_bounds(model: &Model, clip: Option<&Clip>) -> Bounds {
    let times: Vec<f64> = match clip {
        Some(clip) if clip.duration > 0.0 => {
            (0..LOOKED_AT).map(|step| clip.duration * step as f64 / (LOOKED_AT - 1) as f64).collect()
        }
        _ => vec![0.0],
    };
    let (mut local, mut posed) = (LocalPose::default(), ModelPose::default());
    let mut bounds: Option<Bounds> = None;
    for time in times {
        match clip {
            Some(clip) => pose::sample(&model.skeleton, clip, time, &mut local),
            None => pose::rest(&model.skeleton, &mut local),
        }
        pose::local_to_model(&model.skeleton, &local, &mut posed);
        let seen = pose_bounds(model, &posed);
        bounds = match (bounds, seen) {
            (Some(bounds), Some(seen)) => Some(bounds.union(seen)),
            (bounds, seen) => bounds.or(seen),
        };
    }
    bounds.unwrap_or(Bounds { min: Vec3::splat(-0.5), max: Vec3::splat(0.5) })
}

fn pose_bounds(model: &Model, posed: &ModelPose) -> Option<Bounds> {
    let joints: Vec<Affine3A> = posed.0.iter().map(|joint| joint.as_affine3a()).collect();
    let mut bounds: Option<(Vec3, Vec3)> = None;
    for mesh in &model.meshes {
        skin::linear_positions(mesh, &joints, |_, position| {
            if position.is_finite() {
                let (min, max) = bounds.unwrap_or((position, position));
                bounds = Some((min.min(position), max.max(position)));
            }
        });
    }
    match bounds {
        Some((min, max)) => Some(Bounds { min, max }),
        None => Bounds::around(posed.0.iter().map(|joint| joint.translation)),
    }
}

/// Places for `count` copies of a figure that needs `bounds`: rows of a square on the ground, centred.
pub fn places(count: usize, bounds: &Bounds) -> Vec<Vec3> {
    let columns = (count as f64).sqrt().ceil().max(1.0) as usize;
    let rows = count.div_ceil(columns);
    let size = bounds.max - bounds.min;
    let step = 1.1 * size.truncate().max(glam::Vec2::splat(0.25 * size.max_element()));
    (0..count)
        .map(|number| {
            let (row, column) = (number / columns, number % columns);
            // The last row may be short; it stands in the middle like the others.
            let in_row = if row + 1 == rows { count - row * columns } else { columns };
            let x = (rows - 1) as f32 / 2.0 - row as f32;
            let y = column as f32 - (in_row - 1) as f32 / 2.0;
            Vec3::new(x * step.x, y * step.y, 0.0)
        })
        .collect()
}

/// The box around all copies.
pub fn bounds_of_places(places: &[Vec3], bounds: &Bounds) -> Bounds {
    places.iter().map(|&place| bounds.translated(place)).reduce(Bounds::union).unwrap_or(*bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stand_apart_and_centred() {
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

    #[test]
    fn nothing_has_bounds_too() {
        assert_eq!(clip_bounds(&Model::default(), None).centre(), Vec3::ZERO);
    }
}
