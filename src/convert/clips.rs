//! Clips to write: selected, cut, joined and named.

use super::{Converted, Error, Format, FrameRange, JoinedClips, Options};
use bindpose_core::model::{Clip, JointTracks, Model};
use bindpose_export::{Loss, NewName, cut_clip, join_clips, play_at, x};
use std::sync::Arc;

/// Drops, cuts, retimes, joins, adds and names clips as the options request.
pub fn choose(made: &mut Converted, options: &Options, format: Format) -> Result<(), Error> {
    let (edits, Converted { loaded, notes, losses, names, .. }) = (&options.edits, made);
    let model = Arc::make_mut(&mut loaded.model);
    if edits.no_clips {
        model.clips.clear();
    }
    if !edits.clip.is_empty() {
        let chosen = edits.clip.iter().map(|name| find(model, name).cloned()).collect::<Result<_, _>>()?;
        model.clips = chosen;
    }
    if !edits.clips.is_empty() {
        let cut = |range: &FrameRange| -> Result<Clip, Error> {
            let clip = match (&range.clip, &model.clips[..]) {
                (Some(name), _) => find(model, name)?,
                (None, [only]) => only,
                (None, clips) => {
                    let (count, name) = (clips.len(), &range.name);
                    let advice = format!("name the one to cut, as in {name}=CLIP:A..B");
                    return Err(Error::Option(format!("--clips {name}: the model has {count} clips; {advice}")));
                }
            };
            cut_clip(model, clip, &range.name, range.first, range.last).map_err(Error::of("--clips"))
        };
        model.clips = edits.clips.iter().map(cut).collect::<Result<_, _>>()?;
    }
    // The parts of a joined clip have their rates before it is joined.
    let (parts, others): (Vec<_>, Vec<_>) = edits.clip_fps.iter().partition(|(name, _)| model.clip(name).is_some());
    set_rates(model, &parts, losses)?;
    for joined in &edits.join_clips {
        join(model, joined, notes)?;
    }
    set_rates(model, &others, losses)?;
    if edits.rest_clip {
        let joints = vec![JointTracks::default(); model.skeleton.len()];
        model.clips.push(Clip { name: "rest".into(), joints, ..Clip::default() });
    }
    let has_one_timeline = format == Format::X && options.engine().is_some_and(x::has_one_timeline);
    let is_joined_for_engine = has_one_timeline && model.clips.len() > 1;
    if is_joined_for_engine {
        let clips = model.clips.iter().map(|clip| clip.name.clone()).collect();
        join(model, &JoinedClips { name: "all".into(), clips }, notes)?;
    }
    if let Some(text) = &edits.clip_names {
        for clip in &mut model.clips {
            let to = text.replace("{clip}", &clip.name).replace("{model}", &model.name);
            if to != clip.name {
                names.push(NewName { from: std::mem::replace(&mut clip.name, to.clone()), to });
            }
        }
    }
    if is_joined_for_engine || !edits.join_clips.is_empty() {
        // Frames count at the joined clip's rate.
        loaded.ticks_per_second = None;
    }
    Ok(())
}

fn set_rates(model: &mut Model, rates: &[&(String, f64)], losses: &mut Vec<Loss>) -> Result<(), Error> {
    for (name, rate) in rates {
        find(model, name).map_err(Error::of("--clip-fps"))?;
        let mut clips = model.clips.iter_mut().filter(|clip| clip.name == *name);
        clips.try_for_each(|clip| play_at(clip, *rate, losses))?;
    }
    Ok(())
}

fn join(model: &mut Model, JoinedClips { name, clips }: &JoinedClips, notes: &mut Vec<String>) -> Result<(), Error> {
    let parts = clips.iter().map(|name| find(model, name)).collect::<Result<Vec<_>, _>>()?;
    let (joined, table) = join_clips(model, &parts, name).map_err(Error::of("--join-clips"))?;
    let rows = clips.iter().zip(table).map(|(clip, (first, last))| format!("{clip} {first}..{last}"));
    notes.push(format!("frames of '{name}': {}", rows.collect::<Vec<_>>().join(", ")));
    model.clips.retain(|clip| !clips.contains(&clip.name));
    model.clips.push(joined);
    Ok(())
}

fn find<'a>(model: &'a Model, name: &str) -> Result<&'a Clip, Error> {
    model.clip(name).ok_or_else(|| {
        let known: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
        Error::Option(format!("no clip is called '{name}'; there are: {}", known.join(", ")))
    })
}
