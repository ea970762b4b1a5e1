//! Changes of the model, whatever the format.

use super::clips::choose;
use super::format::game_of;
use super::formats::limit;
use super::{Converted, Error, Format, Options, Renaming};
use bindpose_core::budget::Budget;
use bindpose_core::load::{LoadOptions, load};
use bindpose_core::model::{Joint, Model, bake_scale};
use bindpose_core::read;
use bindpose_export::{
    ClipEdits, FrameRate, InPlace, NewName, baked, edit_clips, fix_normals, md5, order_joints, rename, restore_names,
    set_upright,
};
use glam::DVec3;
use serde::Deserialize;
use std::sync::Arc;

/// Returns the frame rate of all clips if the engine determines it.
pub fn engine_rate(options: &Options, format: Format) -> Option<f64> {
    // Quake plays ten frames a second.
    let plays_frames = options.profile.is_some_and(|profile| game_of(profile) != md5::Game::Doom3);
    (format.is_baked() || format == Format::Md5 && plays_frames).then_some(baked::FRAME_RATE)
}

/// Applies the options that change the model, whatever the format.
pub fn edit(made: &mut Converted, options: &Options, format: Format) -> Result<(), Error> {
    choose(made, options, format)?;
    let (edits, Converted { loaded, notes, losses, names, .. }) = (&options.edits, made);
    let model = Arc::make_mut(&mut loaded.model);
    if edits.front.is_some() || edits.up.is_some() {
        let upright = set_upright(model, edits.front, edits.up);
        upright.map_err(Error::of("--front and --up name one axis"))?;
    }
    if edits.bake_scale {
        bake_scale(model);
        // MD5 and formats without joints have no scale at all.
        if !(format.is_baked() || matches!(format, Format::Md5 | Format::Obj)) {
            notes.extend(still_scaled(model));
        }
    }
    edits.helpers.iter().try_for_each(|helpers| helpers.add_to(model, notes))?;
    let (joints, most) = (model.skeleton.len(), limit(options.profile, ["MD5M102", "MD5A102"]));
    if let Some(most) = most.filter(|&most| joints > most && !edits.helpers.is_empty()) {
        let error = format!("--helpers: the model would have {joints} joints, and the engine takes {most}");
        return Err(Error::Option(error));
    }
    let clip_edits = clip_edits(options, format, model)?;
    losses.extend(edit_clips(model, &clip_edits, notes)?);
    // MD5 has no normals, so engines compute them.
    if format != Format::Md5 {
        notes.extend(fix_normals(model, edits.normals.unwrap_or_default()));
    }
    let mut patterns = Vec::new();
    for renaming in &edits.rename {
        match renaming {
            Renaming::Pattern(pattern) => patterns.push(pattern.clone()),
            Renaming::Report(path) => {
                let read = read::file(path, &Budget::new(options.load.memory));
                let bytes = read.map_err(Error::of("--rename: expected FROM=TO or a file"))?;
                let no_report = Error::of(format!("{} is not a report that convert --json printed", path.display()));
                let losses = serde_json::from_slice::<Report>(&bytes).map_err(no_report)?.losses;
                names.extend(losses.iter().flat_map(|loss| restore_names(model, &loss.what, &loss.names)));
            }
        }
    }
    names.extend(rename(model, &patterns, notes));
    if let Some(path) = &edits.order_from {
        let old =
            load(&[path], &LoadOptions::default()).map_err(Error::of(format!("cannot use {}", path.display())))?;
        order_joints(model, &old.model.skeleton, notes);
    }
    Ok(())
}

/// Report of an earlier conversion.
#[derive(Deserialize)]
struct Report {
    losses: Vec<Renamed>,
}

/// A loss; `names` is empty unless it is [`Loss::Renamed`](bindpose_export::Loss::Renamed).
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

fn clip_edits(options: &Options, format: Format, model: &Model) -> Result<ClipEdits, Error> {
    let edits = &options.edits;
    let in_place = match edits.in_place.as_deref() {
        None => InPlace::Off,
        Some("") => InPlace::Carrier,
        Some(name) => InPlace::Joint(model.skeleton.named(name).map_err(Error::of("--in-place"))?),
    };
    let frame_rate = match (edits.fps, edits.keep_frames) {
        (None, false) => FrameRate::Own,
        (None, true) => engine_rate(options, format).map_or(FrameRate::Own, FrameRate::Played),
        (Some(rate), true) => FrameRate::Played(rate),
        // For formats with whole frames, the writer samples the clips and measures losses.
        (Some(rate), false) if matches!(format, Format::Glb | Format::Gltf | Format::X) => FrameRate::Resampled(rate),
        (Some(_), false) => FrameRate::Own,
    };
    Ok(ClipEdits { trim: edits.trim, in_place, close_loops: edits.close_loops, frame_rate })
}
