//! Clips to write: selected, cut, joined and named.

use super::Args;
use super::clip_args::{FrameRange, Joined};
use super::target::Target;
use anyhow::{Context, bail};
use bindpose::export::{Loss, NewName, cut_clip, join_clips, play_at, x};
use bindpose::model::{Clip, JointTracks, Model};

/// Drops, cuts, retimes, joins, adds and names clips as the options request. `notes` gets the frames of joined clips,
/// `losses` the rates chosen for clips without one, `names` the new names. Returns true if clips were joined, so that
/// their frames have the rate of the first.
pub fn choose(
    model: &mut Model,
    args: &Args,
    target: Target,
    notes: &mut Vec<String>,
    losses: &mut Vec<Loss>,
    names: &mut Vec<NewName>,
) -> anyhow::Result<bool> {
    if args.no_clips {
        model.clips.clear();
    }
    if !args.clip.is_empty() {
        let chosen = args.clip.iter().map(|name| find(model, name).cloned()).collect::<Result<_, _>>()?;
        model.clips = chosen;
    }
    if !args.clips.is_empty() {
        let cut = |range: &FrameRange| -> anyhow::Result<Clip> {
            let clip = match (&range.clip, &model.clips[..]) {
                (Some(name), _) => find(model, name)?,
                (None, [only]) => only,
                (None, clips) => {
                    let (count, name) = (clips.len(), &range.name);
                    bail!("--clips {name}: the model has {count} clips; name the one to cut, as in {name}=CLIP:A..B")
                }
            };
            cut_clip(model, clip, &range.name, range.first, range.last).context("--clips")
        };
        model.clips = args.clips.iter().map(cut).collect::<Result<_, _>>()?;
    }
    // The parts of a joined clip have their rates before it is joined.
    let (parts, others): (Vec<_>, Vec<_>) = args.clip_fps.iter().partition(|(name, _)| model.clip(name).is_some());
    set_rates(model, &parts, losses)?;
    for joined in &args.join_clips {
        join(model, joined, notes)?;
    }
    set_rates(model, &others, losses)?;
    if args.rest_clip {
        let joints = vec![JointTracks::default(); model.skeleton.len()];
        model.clips.push(Clip { name: "rest".into(), joints, ..Clip::default() });
    }
    let has_one_timeline = target == Target::X && args.engine().is_some_and(x::has_one_timeline);
    let is_joined_for_engine = has_one_timeline && model.clips.len() > 1;
    if is_joined_for_engine {
        let clips = model.clips.iter().map(|clip| clip.name.clone()).collect();
        join(model, &Joined { name: "all".into(), clips }, notes)?;
    }
    if let Some(text) = &args.clip_names {
        for clip in &mut model.clips {
            let to = text.replace("{clip}", &clip.name).replace("{model}", &model.name);
            if to != clip.name {
                names.push(NewName { from: std::mem::replace(&mut clip.name, to.clone()), to });
            }
        }
    }
    Ok(is_joined_for_engine || !args.join_clips.is_empty())
}

fn set_rates(model: &mut Model, rates: &[&(String, f64)], losses: &mut Vec<Loss>) -> anyhow::Result<()> {
    for (name, rate) in rates {
        find(model, name).context("--clip-fps")?;
        let mut clips = model.clips.iter_mut().filter(|clip| clip.name == *name);
        clips.try_for_each(|clip| play_at(clip, *rate, losses))?;
    }
    Ok(())
}

fn join(model: &mut Model, Joined { name, clips }: &Joined, notes: &mut Vec<String>) -> anyhow::Result<()> {
    let parts = clips.iter().map(|name| find(model, name)).collect::<Result<Vec<_>, _>>()?;
    let (joined, table) = join_clips(model, &parts, name).context("--join-clips")?;
    let rows = clips.iter().zip(table).map(|(clip, (first, last))| format!("{clip} {first}..{last}"));
    notes.push(format!("frames of '{name}': {}", rows.collect::<Vec<_>>().join(", ")));
    model.clips.retain(|clip| !clips.contains(&clip.name));
    model.clips.push(joined);
    Ok(())
}

fn find<'a>(model: &'a Model, name: &str) -> anyhow::Result<&'a Clip> {
    model.clip(name).with_context(|| {
        let known: Vec<&str> = model.clips.iter().map(|clip| clip.name.as_str()).collect();
        format!("no clip is called '{name}'; there are: {}", known.join(", "))
    })
}
