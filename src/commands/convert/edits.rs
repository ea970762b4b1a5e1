//! Options that change the model, whatever the format.

use super::super::turns::{Axis, add_all_helpers};
use super::args::{Args, FramesArg, NormalsArg, Renaming};
use super::conversion::{game_of, limit};
use super::target::Target;
use anyhow::Context;
use bindpose::export::{
    ClipEdits, FrameRate, InPlace, Loss, NewName, Normals, edit_clips, fix_normals, md5, order_joints, rename,
    restore_names, set_upright,
};
use bindpose::glam::DVec3;
use bindpose::load::{self, LoadOptions};
use bindpose::model::{Joint, Model, bake_scale};
use serde::Deserialize;

/// Returns the frame rate of all clips if the engine determines it.
pub fn loaded_rate(args: &Args, target: Target) -> Option<f64> {
    // These engines interpolate from the last frame to the first by themselves, at ten frames a second.
    let plays_frames = args.profile.is_some_and(|profile| game_of(profile) != md5::Game::Doom3);
    (target == Target::Md5 && plays_frames).then_some(10.0)
}

/// Applies the options that change the model, whatever the format.
pub fn edit(
    model: &mut Model,
    target: Target,
    args: &Args,
    notes: &mut Vec<String>,
    losses: &mut Vec<Loss>,
    names: &mut Vec<NewName>,
) -> anyhow::Result<()> {
    if args.front.is_some() || args.up.is_some() {
        let axis = |axis: Option<Axis>| axis.map(|Axis(axis)| axis);
        set_upright(model, axis(args.front), axis(args.up)).context("--front and --up name one axis")?;
    }
    if args.bake_scale {
        bake_scale(model);
        // MD5 and OBJ have no scale at all.
        if !matches!(target, Target::Md5 | Target::Obj) {
            notes.extend(still_scaled(model));
        }
    }
    add_all_helpers(&args.helpers, model, limit(args, ["MD5M102", "MD5A102"]), notes)?;
    let edits = edits(args, target, model)?;
    losses.extend(edit_clips(model, &edits, notes)?);
    let treatment = match args.normals {
        Some(NormalsArg::Keep) => Normals::Keep,
        Some(NormalsArg::Fix) | None => Normals::Fix,
        Some(NormalsArg::Recompute) => Normals::Recompute,
    };
    // MD5 has no normals, so engines compute them.
    if target != Target::Md5 {
        notes.extend(fix_normals(model, treatment));
    }
    let mut patterns = Vec::new();
    for renaming in &args.rename {
        match renaming {
            Renaming::Pattern(pattern) => patterns.push(pattern.clone()),
            Renaming::Report(path) => {
                let bytes = args.load.memory.read(path).context("--rename: expected FROM=TO or a file")?;
                let report: Report = serde_json::from_slice(&bytes)
                    .with_context(|| format!("{} is not a report that convert --json printed", path.display()))?;
                let losses = report.losses.iter();
                names.extend(losses.flat_map(|loss| restore_names(model, &loss.what, &loss.names)));
            }
        }
    }
    names.extend(rename(model, &patterns, notes));
    if let Some(path) = &args.order_from {
        let old =
            load::load(&[path], &LoadOptions::default()).with_context(|| format!("cannot use {}", path.display()))?;
        order_joints(model, &old.model.skeleton, notes);
    }
    Ok(())
}

/// Report of an earlier conversion.
#[derive(Deserialize)]
struct Report {
    losses: Vec<Renamed>,
}

/// A loss; `names` is empty unless it is [`Loss::Renamed`].
#[derive(Default, Deserialize)]
#[serde(default)]
struct Renamed {
    what: String,
    names: Vec<NewName>,
}

/// Describes the joints whose scale cannot be moved into the vertices.
fn still_scaled(model: &Model) -> Option<String> {
    let is_scaled = |joint: &&Joint| !joint.rest_local.scale.abs_diff_eq(DVec3::ONE, 1e-6);
    let mut scaled = model.skeleton.joints().iter().filter(is_scaled);
    let first = scaled.next()?;
    let joints = match scaled.count() {
        0 => format!("joint '{}' keeps its scale", first.name),
        more => format!("{} joints keep their scale, such as '{}'", more + 1, first.name),
    };
    Some(format!("--bake-scale: {joints}: it is uneven, or changes in a clip"))
}

fn edits(args: &Args, target: Target, model: &Model) -> anyhow::Result<ClipEdits> {
    let in_place = match args.in_place.as_deref() {
        None => InPlace::Off,
        Some("") => InPlace::Carrier,
        Some(name) => InPlace::Joint(super::super::joint(model, name).context("--in-place")?),
    };
    let frame_rate = match (args.fps, args.frames) {
        (None, FramesArg::Resample) => FrameRate::Own,
        (None, FramesArg::Keep) => loaded_rate(args, target).map_or(FrameRate::Own, FrameRate::Played),
        (Some(rate), FramesArg::Keep) => FrameRate::Played(rate),
        // For formats with whole frames, the writer samples the clips and measures losses.
        (Some(rate), FramesArg::Resample) if matches!(target, Target::Glb | Target::Gltf | Target::X) => {
            FrameRate::Resampled(rate)
        }
        (Some(_), FramesArg::Resample) => FrameRate::Own,
    };
    Ok(ClipEdits { trim: args.trim, in_place, close_loops: args.close_loops, frame_rate })
}
