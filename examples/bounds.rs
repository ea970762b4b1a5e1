//! Prints the box around every clip of a model: `cargo run --example bounds -- body.md5mesh walk.md5anim`

use bindpose::glam::Vec3;
use bindpose::load::{LoadError, LoadOptions, load};
use bindpose::model::{Clip, Model};
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose::skin::posed_bounds;

fn main() -> Result<(), LoadError> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let model = load(&files, &LoadOptions::with_clips())?.model;
    for clip in &model.clips {
        match clip_bounds(&model, clip) {
            Some((min, max)) => println!("{}: {min:.2} to {max:.2}", clip.name),
            None => println!("{}: no vertices", clip.name),
        }
    }
    Ok(())
}

/// Smallest and largest corner of the vertices in all frames of a clip, model space; 30 times a second without frames.
pub fn clip_bounds(model: &Model, clip: &Clip) -> Option<(Vec3, Vec3)> {
    let rate = clip.frame_rate.unwrap_or(30.0);
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    let frames = 0..=(clip.duration * rate).round() as u32;
    let boxes = frames.filter_map(|frame| {
        sample(&model.skeleton, clip, f64::from(frame) / rate, &mut local);
        local_to_model(&model.skeleton, &local, &mut pose);
        posed_bounds(&model.meshes, &pose)
    });
    boxes.reduce(|(low, high), (min, max)| (low.min(min), high.max(max)))
}
