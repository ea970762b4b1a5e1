//! Clips that replace a Quake model: its frames one by one, and its skins.

use crate::frames::Frames;
use crate::{Error, Loss};
use bindpose_core::pose::LocalPose;
use bindpose_parsers::quake::{VertexFrame, VertexModel};

/// Returns runs of frames whose names differ only in their numbers: name without number, and count.
fn runs(old: &VertexModel) -> Vec<(&str, usize)> {
    let mut runs: Vec<(&str, usize)> = Vec::new();
    for VertexFrame { name, .. } in &old.frames {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
        let stem = if stem.is_empty() { name } else { stem };
        match runs.last_mut() {
            Some((last, frames)) if last.eq_ignore_ascii_case(stem) => *frames += 1,
            _ => runs.push((stem, 1)),
        }
    }
    runs
}

/// Joins clips into one with the given name, in the order of the old frames. Frames without a clip show the bind pose.
/// Clips that are too long are cut; clips that are too short repeat their last frame.
pub(crate) fn arranged(
    wanted: &VertexModel,
    clips: Vec<Frames>,
    bind: &LocalPose,
    stem: &str,
    groups: &[(String, String)],
    losses: &mut Vec<Loss>,
) -> Result<Frames, Error> {
    let rate = clips.first().map_or(10.0, |clip| clip.rate);
    let all = wanted.frames.len();
    let mut made = Frames { name: stem.to_owned(), rate, looping: false, poses: Vec::with_capacity(all) };
    if let [only] = &clips[..]
        && only.poses.len() == all
    {
        made.poses.clone_from(&only.poses);
        return Ok(made);
    }
    for (group, clip) in groups {
        if !runs(wanted).iter().any(|(stem, _)| stem.eq_ignore_ascii_case(group)) {
            let known: Vec<&str> = runs(wanted).into_iter().map(|(stem, _)| stem).collect();
            return Err(Error::Options(format!("the old model has no frames '{group}'; it has {}", known.join(", "))));
        }
        if !clips.iter().any(|known| known.name == *clip) {
            return Err(Error::Options(format!("there is no clip '{clip}' for the frames '{group}'")));
        }
    }
    let chosen = |stem: &str| {
        let group = groups.iter().find(|(group, _)| group.eq_ignore_ascii_case(stem));
        match group {
            Some((_, chosen)) => clips.iter().position(|clip| clip.name == *chosen),
            None => clips.iter().position(|clip| means(&clip.name, stem)),
        }
    };
    let mut is_used = vec![false; clips.len()];
    let mut cut = Vec::new();
    let mut first = 0;
    for (stem, frames) in runs(wanted) {
        let of = (wanted.frames[first].name.clone(), wanted.frames[first + frames - 1].name.clone());
        first += frames;
        match chosen(stem) {
            Some(index) => {
                is_used[index] = true;
                let poses = &clips[index].poses;
                made.poses.extend((0..frames).filter_map(|frame| poses.get(frame).or(poses.last()).cloned()));
                if poses.len() != frames {
                    cut.push(clips[index].name.clone());
                    losses.push(Loss::OtherLength {
                        clip: clips[index].name.clone(),
                        frames: poses.len(),
                        wanted: frames,
                    });
                }
            }
            None => {
                made.poses.extend((0..frames).map(|_| bind.clone()));
                losses.push(Loss::MissingClip { first: of.0, last: of.1, frames });
            }
        }
    }
    let unused: Vec<&str> =
        clips.iter().zip(is_used).filter(|(_, is_used)| !is_used).map(|(clip, _)| clip.name.as_str()).collect();
    // A dropped clip has no other losses, and the length of a cut or extended clip is already reported.
    losses.retain(|loss| match loss {
        Loss::Motion { clip, .. } => !unused.contains(&clip.as_str()),
        Loss::Length { clip, .. } => !unused.contains(&clip.as_str()) && !cut.contains(clip),
        _ => true,
    });
    losses.extend(unused.into_iter().map(|clip| Loss::UnusedClip { clip: clip.to_owned() }));
    Ok(made)
}

/// True if a clip provides the frames of a name: `walk`, `Armature|walk`, `ogre_walk`.
fn means(clip: &str, stem: &str) -> bool {
    let last = |separator: char| clip.rsplit(separator).next().unwrap_or(clip);
    [clip, last('|'), last('_'), last('-')].iter().any(|name| name.eq_ignore_ascii_case(stem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loss::Displacement;
    use bindpose_core::model::Transform;
    use bindpose_parsers::quake::Skins;
    use glam::{DQuat, DVec3};

    #[test]
    fn clips_are_ordered_and_cut() {
        let pose =
            |x: f64| LocalPose(vec![Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::new(x, 0.0, 0.0))]);
        let clip = |name: &str, places: &[f64]| Frames {
            name: name.into(),
            rate: 10.0,
            looping: true,
            poses: places.iter().map(|&x| pose(x)).collect(),
        };
        let frame = |name: &str| VertexFrame { name: name.to_owned(), vertices: Vec::new() };
        let frames = ["stand1", "stand2", "walk1", "walk2", "walk3", "pain1"].map(frame).to_vec();
        let clips = || vec![clip("Armature|walk", &[1.0, 2.0]), clip("stand", &[3.0, 4.0, 5.0]), clip("fly", &[9.0])];
        let length = |clip: &str| Loss::Length { clip: clip.to_owned(), was: 1.05, is: 1.1 };
        let motion = |clip: &str| Loss::Motion { clip: clip.to_owned(), moved: Displacement::new(1.0, 10.0) };
        // `stand` is cut, and `fly` is left out.
        let mut losses = vec![length("stand"), length("fly"), motion("stand"), motion("fly")];
        let old =
            VertexModel { frames, surfaces: Vec::new(), skins: Skins::Numbered(Vec::new()), image: None, flags: 0 };
        let places = |made: Frames| -> Vec<f64> { made.poses.iter().map(|pose| pose.0[0].translation.x).collect() };
        let named = arranged(&old, clips(), &pose(0.0), "model", &[], &mut losses).unwrap();
        assert_eq!(places(named), [3.0, 4.0, 1.0, 2.0, 2.0, 0.0]);
        assert_eq!((losses.len(), &losses[0]), (5, &motion("stand")), "{losses:?}");
        assert!(losses.contains(&Loss::MissingClip { first: "pain1".into(), last: "pain1".into(), frames: 1 }));
        let mapped = |group: &str, clip: &str| {
            let groups = [(group.into(), clip.into())];
            arranged(&old, clips(), &pose(0.0), "model", &groups, &mut Vec::new())
                .map(places)
                .map_err(|error| error.to_string())
        };
        assert_eq!(mapped("PAIN", "fly"), Ok(vec![3.0, 4.0, 1.0, 2.0, 2.0, 9.0]));
        let no_frames = "the old model has no frames 'die'; it has stand, walk, pain";
        assert_eq!(mapped("die", "fly"), Err(no_frames.to_owned()));
        assert_eq!(mapped("pain", "fall"), Err("there is no clip 'fall' for the frames 'pain'".to_owned()));
    }
}
