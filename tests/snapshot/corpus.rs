//! Real files: every one is recorded, read back and found again, and a small edit of any of them is found.

use crate::common::{files_with, shared};
use bindpose::load::{LoadOptions, load_bytes};
use bindpose::snapshot::{Check, Exact, Input, Part, Place, Snapshot, Stage, find_models, take_all};
use bindpose_parsers::md5;
use std::path::Path;

#[test]
fn every_model_survives_its_file() {
    let Some(shared) = shared() else { return println!("no corpus: nothing read") };
    let files = find_models(&[shared.join("corpus")]).unwrap();
    let results = take_all(&files, |_, snapshot| {
        let now = snapshot.ok()?;
        let bytes = now.to_bytes();
        let recorded = Snapshot::from_bytes(&bytes).unwrap();
        let comparison = recorded.compare(&now, &Check { exact: Exact::Always, ..Check::default() });
        assert!(comparison.is_same(), "{comparison}");
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

/// One component of one frame made larger by a ten thousandth, in every clip several times: frame and joint are named.
#[test]
fn an_edit_of_a_ten_thousandth_is_named_in_every_clip() {
    let Some(shared) = shared() else { return println!("no corpus: nothing read") };
    let (mut clips, mut edits, mut unchanged) = (0, 0, 0);
    for path in files_with(&shared.join("corpus"), &["md5anim"]) {
        let bytes = std::fs::read(&path).unwrap();
        let Some(recorded) = snapshot(&path, &bytes) else { continue };
        let recorded = Snapshot::from_bytes(&recorded.to_bytes()).unwrap();
        let parsed = md5::parse_anim(&bytes).unwrap().document;
        let width = parsed.num_animated_components.value as usize;
        clips += 1;
        let count = parsed.components.len();
        // Spread over frames and components by a step that shares no factor with most widths.
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
            // A quaternion of only one part that is 1 or more is brought back to unit length.
            if now.clips[0].frames.local == recorded.clips[0].frames.local {
                unchanged += 1;
                continue;
            }
            let comparison = recorded.compare(&now, &Check::default());
            let place = format!("{}, frame {frame}, {}", path.display(), channel.name.to_name());
            let found = comparison.differences.first().unwrap_or_else(|| panic!("{place}: not found"));
            let first = found.first.as_ref().unwrap();
            assert_eq!(found.stage, Stage::Local, "{place}: {comparison}");
            let expected = (Place::Key(frame as u32), Part::Joint(channel.name.to_name()));
            assert_eq!((first.frame, first.part.clone()), expected, "{place}: {comparison}");
            edits += 1;
        }
    }
    assert!(unchanged * 50 < edits, "{unchanged} of {edits} edits changed nothing");
    println!("{edits} edits of {clips} clips, all found; {unchanged} more do not change any pose");
}
