//! Prints where the joints of a model are: `cargo run --example joints -- 0.5 body.md5mesh walk.md5anim`

use bindpose::load::{LoadOptions, load};
use bindpose::pose::LocalPose;
use std::error::Error;
use std::fmt::Write;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (time, files) = arguments.split_first().ok_or("usage: joints SECONDS FILE…")?;
    print!("{}", joints(files, time.parse()?)?);
    Ok(())
}

/// A line for each joint, indented below its parent, with its position in model space.
pub fn joints(files: &[String], time: f64) -> Result<String, Box<dyn Error>> {
    // A lone mesh gets the clips next to it that fit.
    let loaded = load(files, &LoadOptions::with_clips())?;
    for repair in &loaded.diagnostics {
        eprintln!("{repair}");
    }
    let skeleton = &loaded.model.skeleton;
    let pose = LocalPose::of_clip(skeleton, loaded.model.clips.first(), time).to_model(skeleton);

    let mut text = String::new();
    for ((joint, depth), model_from_joint) in skeleton.joints().iter().zip(skeleton.depths()).zip(&pose.0) {
        let indent = 2 * depth as usize;
        writeln!(text, "{:indent$}{} {:.3}", "", joint.name, model_from_joint.translation)?;
    }
    Ok(text)
}
