//! What is compared exactly: files, names, counts, hierarchy.

use super::{Affected, ComparedStage, Comparison, Difference, InputChange};
use crate::{Place, RecordedClip, RecordedJoint, Snapshot};
use std::collections::{HashMap, HashSet, VecDeque};

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
    let mut by_name: HashMap<&str, VecDeque<&RecordedClip>> = HashMap::new();
    for clip in &now.clips {
        by_name.entry(&clip.name).or_default().push_back(clip);
    }
    let pair = |clip: &'a RecordedClip| Some((clip, by_name.get_mut(clip.name.as_str())?.pop_front()?));
    recorded.clips.iter().filter_map(pair).collect()
}

pub(super) fn compare_documents(recorded: &Snapshot, now: &Snapshot, found: &mut Comparison) {
    let stage = ComparedStage::Document;
    let columns: HashMap<&str, &Option<String>> =
        recorded.inputs.iter().map(|input| (input.file.as_str(), &input.fourth_columns)).collect();
    for input in &now.inputs {
        if columns.get(input.file.as_str()).is_some_and(|recorded| **recorded != input.fourth_columns) {
            let file = &input.file;
            found.push(stage, None, format!("the fourth column of a matrix in '{file}' differs; no frame shows it"));
        }
    }
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
fn compare_names(
    one: &str,
    many: &str,
    stage: ComparedStage,
    recorded: Vec<String>,
    now: Vec<String>,
    found: &mut Comparison,
) {
    if recorded == now {
        return;
    }
    let without = |names: &[String], others: &[String]| {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        others.iter().for_each(|other| *counts.entry(other).or_default() += 1);
        let matched = |name: &&String| match counts.get_mut(name.as_str()) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        };
        let (_, left): (Vec<&String>, Vec<&String>) = names.iter().partition(matched);
        left.into_iter().cloned().collect::<Vec<String>>()
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
    compare_names("joint", "joints", ComparedStage::Skeleton, names(recorded), names(now), found);
    let parent = |snapshot: &Snapshot, joint: usize| {
        let parent = snapshot.joints.get(joint)?.parent?;
        snapshot.joints.get(parent as usize).map(|parent| parent.name.clone())
    };
    let [then, today] = [recorded, now].map(|snapshot| names(snapshot).into_iter().collect::<HashSet<_>>());
    for (was, is) in joint_pairs(recorded, now) {
        let (parent_then, parent_today) = (parent(recorded, was), parent(now, is));
        // A renamed parent was reported as such.
        let known = |name: &Option<String>, names: &HashSet<String>| name.as_ref().is_none_or(|n| names.contains(n));
        if parent_then != parent_today && known(&parent_then, &today) && known(&parent_today, &then) {
            let name = |parent: Option<String>| parent.map_or("none".to_owned(), |name| format!("'{name}'"));
            let message = format!(
                "parent of joint '{}' is {}, was {}",
                recorded.joints[was].name,
                name(parent_today),
                name(parent_then)
            );
            found.push(ComparedStage::Skeleton, None, message);
        }
    }
}

/// Whether vertices can be compared: there are as many in each mesh.
pub(super) fn compare_meshes(recorded: &Snapshot, now: &Snapshot, found: &mut Comparison) -> bool {
    let stage = ComparedStage::Mesh;
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
    let differences = found.differences.iter().chain(&found.within_tolerance);
    let shown = differences.filter_map(|difference| match &difference.first.as_ref()?.part {
        Affected::Mesh(name) => Some(name.clone()),
        Affected::Joint(_) => None,
    });
    let shown: HashSet<String> = shown.collect();
    for (was, is) in recorded.meshes.iter().zip(&now.meshes) {
        let what = match () {
            () if was.weights != is.weights => "weights or offsets",
            () if was.surface != is.surface => "bind-space positions, normals or tangents",
            () => continue,
        };
        if !shown.contains(&was.name) {
            let message = format!("mesh '{}' has other {what}", is.name);
            let difference = Difference {
                stage: ComparedStage::Mesh,
                clip: None,
                message,
                first: None,
                worst: None,
                frames: Vec::new(),
            };
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
