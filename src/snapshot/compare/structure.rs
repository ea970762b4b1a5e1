//! What is compared exactly: files, names, counts, hierarchy.

use super::{Comparison, Difference, InputChange, Part, Stage};
use crate::{Place, RecordedClip, RecordedJoint, Snapshot};
use std::collections::HashMap;

pub(super) fn compare_inputs(recorded: &Snapshot, now: &Snapshot) -> InputChange {
    let mut change = InputChange::default();
    let by_name = |snapshot: &Snapshot| -> HashMap<String, String> {
        snapshot.inputs.iter().map(|input| (input.file.clone(), input.xxh128.clone())).collect()
    };
    let (then, today) = (by_name(recorded), by_name(now));
    for input in &now.inputs {
        match then.get(&input.file) {
            Some(digest) if *digest == input.xxh128 => {}
            Some(_) => change.changed.push(input.file.clone()),
            None => change.added.push(input.file.clone()),
        }
    }
    let gone = recorded.inputs.iter().filter(|input| !today.contains_key(&input.file));
    change.removed.extend(gone.map(|input| input.file.clone()));
    change
}

/// Clips of the same name, the first with the first, the second with the second.
pub(super) fn clip_pairs<'a>(recorded: &'a Snapshot, now: &'a Snapshot) -> Vec<(&'a RecordedClip, &'a RecordedClip)> {
    let mut rest: Vec<&RecordedClip> = now.clips.iter().collect();
    let pair = |clip: &'a RecordedClip| {
        let place = rest.iter().position(|other| other.name == clip.name)?;
        Some((clip, rest.remove(place)))
    };
    recorded.clips.iter().filter_map(pair).collect()
}

pub(super) fn compare_documents(recorded: &Snapshot, now: &Snapshot, found: &mut Comparison) {
    let stage = Stage::Document;
    let materials = |snapshot: &Snapshot| snapshot.materials.iter().map(|material| material.name.clone()).collect();
    compare_names("material", "materials", stage, materials(recorded), materials(now), found);
    for (was, is) in recorded.materials.iter().zip(&now.materials).filter(|(was, is)| was.name == is.name) {
        if was.texture != is.texture {
            let name =
                |texture: &Option<String>| texture.as_ref().map_or("none".to_owned(), |name| format!("'{name}'"));
            let (texture, before) = (name(&is.texture), name(&was.texture));
            found.push(stage, None, format!("texture of material '{}' is {texture}, was {before}", is.name));
        }
        if was.colors != is.colors {
            found.push(stage, None, format!("material '{}' has other colours", is.name));
        }
    }
    let meshes = |snapshot: &Snapshot| snapshot.meshes.iter().map(|mesh| mesh.name.clone()).collect();
    compare_names("mesh", "meshes", stage, meshes(recorded), meshes(now), found);
    let clips = |snapshot: &Snapshot| snapshot.clips.iter().map(|clip| clip.name.clone()).collect();
    compare_names("clip", "clips", stage, clips(recorded), clips(now), found);
    for (was, is) in clip_pairs(recorded, now) {
        let keys = |clip: &RecordedClip| {
            clip.frames.samples.iter().filter(|sample| matches!(sample.place, Place::Key(_))).count().to_string()
        };
        let rate = |clip: &RecordedClip| clip.frame_rate.map_or("none".to_owned(), |rate| rate.to_string());
        for (what, before, today) in [
            ("number of frames", keys(was), keys(is)),
            ("frame rate", rate(was), rate(is)),
            ("duration in seconds", was.duration.to_string(), is.duration.to_string()),
            ("looping", was.looping.to_string(), is.looping.to_string()),
        ] {
            if before != today {
                found.push(stage, Some(&was.name), format!("{what} is {today}, was {before}"));
            }
        }
    }
}

/// Says which names came, went, or stand elsewhere.
fn compare_names(one: &str, many: &str, stage: Stage, recorded: Vec<String>, now: Vec<String>, found: &mut Comparison) {
    if recorded == now {
        return;
    }
    let without = |names: &[String], others: &[String]| {
        let mut others = others.to_vec();
        let mut left = Vec::new();
        for name in names {
            match others.iter().position(|other| other == name) {
                Some(place) => drop(others.swap_remove(place)),
                None => left.push(name.clone()),
            }
        }
        left
    };
    let (gone, new) = (without(&recorded, &now), without(&now, &recorded));
    match (&gone[..], &new[..]) {
        ([gone], [new]) => found.push(stage, None, format!("{one} '{new}' was '{gone}'")),
        ([], []) => {
            let place = recorded.iter().zip(&now).position(|(was, is)| was != is).unwrap_or(0);
            let names = (&now[place], &recorded[place]);
            found.push(
                stage,
                None,
                format!("{many} stand in another order: {place} is '{}', was '{}'", names.0, names.1),
            );
        }
        _ => {
            let list = |names: &[String]| {
                let shown: Vec<String> = names.iter().take(5).map(|name| format!("'{name}'")).collect();
                let more = names.len().saturating_sub(5);
                if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
            };
            for (names, how) in [(&gone, "no longer there"), (&new, "new")] {
                let noun = if names.len() == 1 { one } else { many };
                if !names.is_empty() {
                    found.push(stage, None, format!("{how}: {noun} {}", list(names)));
                }
            }
        }
    }
}

pub(super) fn compare_skeletons(recorded: &Snapshot, now: &Snapshot, found: &mut Comparison) {
    let names = |snapshot: &Snapshot| snapshot.joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    compare_names("joint", "joints", Stage::Skeleton, names(recorded), names(now), found);
    let parent = |snapshot: &Snapshot, joint: usize| {
        let parent = snapshot.joints.get(joint)?.parent?;
        snapshot.joints.get(parent as usize).map(|parent| parent.name.clone())
    };
    for (was, is) in joint_pairs(recorded, now) {
        let (before, today) = (parent(recorded, was), parent(now, is));
        // A renamed parent was reported as such.
        let known = |name: &Option<String>, names: &[String]| name.as_ref().is_none_or(|name| names.contains(name));
        if before != today && known(&before, &names(now)) && known(&today, &names(recorded)) {
            let name = |parent: Option<String>| parent.map_or("none".to_owned(), |name| format!("'{name}'"));
            let message =
                format!("parent of joint '{}' is {}, was {}", recorded.joints[was].name, name(today), name(before));
            found.push(Stage::Skeleton, None, message);
        }
    }
}

/// Whether vertices can be compared: there are as many in each mesh.
pub(super) fn compare_meshes(recorded: &Snapshot, now: &Snapshot, found: &mut Comparison) -> bool {
    let stage = Stage::Mesh;
    let mut same = recorded.meshes.len() == now.meshes.len();
    for (was, is) in recorded.meshes.iter().zip(&now.meshes).filter(|_| same) {
        let counts = [
            ("vertices", was.vertices, is.vertices),
            ("triangles", was.triangles, is.triangles),
            ("influences", was.influences, is.influences),
        ];
        for (what, before, today) in counts.into_iter().filter(|(_, before, today)| before != today) {
            found.push(stage, None, format!("mesh '{}' has {today} {what}, had {before}", is.name));
        }
        if was.material != is.material {
            found.push(stage, None, format!("mesh '{}' has material {}, had {}", is.name, is.material, was.material));
        }
        if counts.iter().all(|(_, before, today)| before == today) && was.structure != is.structure {
            let name = &is.name;
            found.push(stage, None, format!("mesh '{name}' has other triangles, texture coordinates or joints"));
        }
    }
    same &= recorded.meshes.iter().zip(&now.meshes).all(|(was, is)| was.vertices == is.vertices);
    same
}

/// Numbers of meshes that differ without a frame that shows it.
pub(super) fn compare_mesh_numbers(recorded: &Snapshot, now: &Snapshot, strict: bool, found: &mut Comparison) {
    for (was, is) in recorded.meshes.iter().zip(&now.meshes) {
        let what = match () {
            () if was.weights != is.weights => "weights or offsets",
            () if was.surface != is.surface => "bind-space positions, normals or tangents",
            () => continue,
        };
        let part = Part::Mesh(was.name.clone());
        let shown = found.differences.iter().chain(&found.within_tolerance);
        let mut shown = shown.filter_map(|difference| difference.first.as_ref());
        if !shown.any(|moment| moment.part == part) {
            let message = format!("mesh '{}' has other {what}", is.name);
            let difference = Difference { stage: Stage::Mesh, clip: None, message, first: None, worst: None };
            if strict { &mut found.differences } else { &mut found.within_tolerance }.push(difference);
        }
    }
}

/// Joints by index where nothing changed, else by name, the first with the first; in the recorded order.
pub(super) fn joint_pairs(recorded: &Snapshot, now: &Snapshot) -> Vec<(usize, usize)> {
    if recorded.joints.len() == now.joints.len()
        && recorded.joints.iter().zip(&now.joints).all(|(a, b)| a.name == b.name)
    {
        return (0..recorded.joints.len()).map(|joint| (joint, joint)).collect();
    }
    let mut by_name: HashMap<&str, usize> = HashMap::new();
    for (index, joint) in now.joints.iter().enumerate() {
        by_name.entry(&joint.name).or_insert(index);
    }
    let pair = |(index, joint): (usize, &RecordedJoint)| Some((index, by_name.remove(joint.name.as_str())?));
    recorded.joints.iter().enumerate().filter_map(pair).collect()
}
