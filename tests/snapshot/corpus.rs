//! Real files: each is recorded, read back and found equal, and a small edit of any of them is found, by default of a
//! third.

use crate::support::{is_sampled, real_files, real_folders};
use bindpose::budget::MemoryLimit;
use bindpose::load::{LoadOptions, load, load_bytes};
use bindpose::model::{JointTracks, Model, TimelineId};
use bindpose::snapshot::{Affected, Check, ComparedStage, Exact, FrameRef, Input, Snapshot, find_models, take_all};
use bindpose_parsers::md5;
use std::path::{Path, PathBuf};

#[test]
fn every_model_survives_its_file() {
    let models = |folder: &PathBuf| find_models(folder, Path::new("")).0;
    let files: Vec<_> = real_folders().iter().flat_map(models).collect();
    let results = take_all(&files, MemoryLimit::default(), |_, snapshot, _| {
        let now = snapshot.ok()?;
        let bytes = now.to_bytes();
        let recorded = Snapshot::from_bytes(&bytes).unwrap();
        let comparison = recorded.compare(&now, &Check { exact: Exact::Always, ..Check::default() });
        assert!(comparison.is_same() && comparison.within_tolerance.is_empty(), "{comparison}");
        Some(recorded.to_bytes() == bytes)
    });
    for (file, same) in &results {
        assert_ne!(*same, Some(false), "{}: writing again changes something", file.name);
    }
    println!("{} of {} models read", results.iter().flat_map(|(_, read)| read).count(), results.len());
}

fn snapshot(path: &Path, bytes: &[u8]) -> Option<Snapshot> {
    let loaded = load_bytes(vec![(path.to_owned(), bytes.to_vec())], &LoadOptions::default()).ok()?;
    Some(Snapshot::take(&loaded.model, vec![Input::new("clip", bytes)]))
}

/// Returns the real files with an extension, by default a third of them.
fn sampled(extension: &str) -> Vec<PathBuf> {
    let files = real_files(&[extension]).into_iter().enumerate();
    files.filter(|(number, _)| is_sampled(*number, 0, 3)).map(|(_, path)| path).collect()
}

/// One component of one frame is increased by a ten thousandth, several times in every clip. Frame and joint are named.
#[test]
fn an_edit_of_a_ten_thousandth_is_named_in_every_clip() {
    let (mut clips, mut edits, mut unchanged) = (0, 0, 0);
    for path in sampled("md5anim") {
        let bytes = std::fs::read(&path).unwrap();
        let Some(recorded) = snapshot(&path, &bytes) else { continue };
        let recorded = Snapshot::from_bytes(&recorded.to_bytes()).unwrap();
        let parsed = md5::parse_anim(&bytes).unwrap().document;
        let width = parsed.num_animated_components.value as usize;
        clips += 1;
        let count = parsed.components.len();
        // Spread over frames and components by a step that is coprime to most widths.
        for index in (0..count).step_by((count / 23).max(1) | 1) {
            let (frame, component) = (index / width, index % width);
            let Some(channel) = parsed.hierarchy.iter().find(|channel| {
                let first = channel.first_component.value as usize;
                (first..first + (channel.flags.value & 63).count_ones() as usize).contains(&component)
            }) else {
                continue;
            };
            let mut edited = parsed.clone();
            if edited.components[index] == 0.0 {
                continue;
            }
            edited.components[index] *= 1.0001;
            let mut text = Vec::new();
            md5::write_anim(&edited, &mut text).unwrap();
            let now = snapshot(&path, &text).unwrap();
            // A quaternion with a single component of 1 or more is normalised.
            if now.clips[0].frames.local == recorded.clips[0].frames.local {
                unchanged += 1;
                continue;
            }
            let comparison = recorded.compare(&now, &Check::default());
            let place = format!("{}, frame {frame}, {}", path.display(), channel.name.to_name());
            let found = comparison.differences.first().unwrap_or_else(|| panic!("{place}: not found"));
            let first = found.first.as_ref().unwrap();
            assert_eq!(found.stage, ComparedStage::Local, "{place}: {comparison}");
            let expected = (FrameRef::at(frame as u32), Affected::Joint(channel.name.to_name()));
            assert_eq!((first.frame, first.part.clone()), expected, "{place}: {comparison}");
            edits += 1;
        }
    }
    assert!(unchanged * 50 < edits, "{unchanged} of {edits} edits changed nothing");
    println!("{edits} edits of {clips} clips, all found; {unchanged} more do not change any pose");
}

/// The same for .x files, whose joints have their own key times: one component of one key of the imported clip.
#[test]
fn an_edit_of_a_key_is_named_in_every_x_file() {
    let (mut clips, mut edits) = (0, 0);
    for path in sampled("x") {
        let Ok(loaded) = load(&[&path], &LoadOptions::default()) else { continue };
        let take = |model: &Model, bytes: &[u8]| Snapshot::take(model, vec![Input::new("file", bytes)]);
        let recorded = Snapshot::from_bytes(&take(&loaded.model, b"1").to_bytes()).unwrap();
        for (number, clip) in loaded.model.clips.iter().enumerate() {
            clips += 1;
            for joint in (0..clip.joints.len()).step_by(clip.joints.len() / 4 + 1) {
                let mut model = Model::clone(&loaded.model);
                let Some((timeline, key)) = edit_key(&mut model.clips[number].joints[joint]) else { continue };
                let times = clip.timelines[timeline.0 as usize].times();
                let comparison = recorded.compare(&take(&model, b"2"), &Check::default());
                let name = loaded.model.skeleton.joints()[joint].name.clone();
                let place = format!("{}, clip {number}, key {key} of {name}", path.display());
                let found = comparison.differences.first().unwrap_or_else(|| panic!("{place}: not found"));
                let first = found.first.as_ref().unwrap();
                assert_eq!(
                    (found.stage, &first.part),
                    (ComparedStage::Local, &Affected::Joint(name)),
                    "{place}: {comparison}"
                );
                // Keys of other joints before this one may already show it.
                assert!(key == 0 || first.time > times[key - 1], "{place}: {comparison}");
                assert!(first.time <= times[key] + 1e-9, "{place}: {comparison}");
                edits += 1;
            }
        }
    }
    println!("{edits} edits of {clips} clips, all found");
}

/// Increases one component of a key in the middle by a ten thousandth. Returns `None` if all components are 0, or it is
/// the only key.
fn edit_key(tracks: &mut JointTracks) -> Option<(TimelineId, usize)> {
    let (timeline, keys, values): (_, _, [&mut f64; 3]) = match tracks {
        JointTracks::Parts { rotation: Some(track), .. } if track.values.len() > 1 => {
            let middle = track.values.len() / 2;
            let key = &mut track.values[middle];
            (track.timeline, middle, [&mut key.x, &mut key.y, &mut key.z])
        }
        JointTracks::Whole { keys, .. } if keys.values.len() > 1 => {
            let middle = keys.values.len() / 2;
            let key = &mut keys.values[middle].translation;
            (keys.timeline, middle, [&mut key.x, &mut key.y, &mut key.z])
        }
        _ => return None,
    };
    let value = values.into_iter().find(|value| **value != 0.0)?;
    *value *= 1.0001;
    Some((timeline, keys))
}
