//! New names for joints and clips, in every format.

use crate::loss::NewName;
use bindpose_core::model::{JointId, Model, Skeleton};
use std::collections::HashMap;
use std::str::FromStr;

/// A pattern `FROM=TO`. A `*` in `FROM` matches any text, which replaces the `*` in `TO`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    from: String,
    to: String,
}

impl FromStr for Pattern {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (from, to) = text.split_once('=').ok_or("expected FROM=TO")?;
        match () {
            () if to.is_empty() => Err("the new name is empty"),
            () if from.matches('*').count() > 1 || to.matches('*').count() > 1 => Err("at most one * on each side"),
            () if to.contains('*') && !from.contains('*') => Err("the * in the new name has no counterpart"),
            () => Ok(Self { from: from.to_owned(), to: to.to_owned() }),
        }
    }
}

impl Pattern {
    /// Returns the new name; `None` if the pattern does not match, or the new name would be empty.
    fn applied(&self, name: &str) -> Option<String> {
        let new = match self.from.split_once('*') {
            None => (name == self.from).then(|| self.to.clone())?,
            Some((start, end)) => self.to.replace('*', name.strip_prefix(start)?.strip_suffix(end)?),
        };
        (!new.is_empty()).then_some(new)
    }
}

/// Renames joints and clips by the first pattern that matches each. Returns the changes; `notes` gets the patterns that
/// matched nothing.
pub fn rename(model: &mut Model, patterns: &[Pattern], notes: &mut Vec<String>) -> Vec<NewName> {
    let joints = model.skeleton.joints().iter().map(|joint| joint.name.as_str());
    let names: Vec<&str> = joints.chain(model.clips.iter().map(|clip| clip.name.as_str())).collect();
    for pattern in patterns.iter().filter(|pattern| !names.iter().any(|name| pattern.applied(name).is_some())) {
        notes.push(format!("--rename {}={}: no joint or clip has such a name", pattern.from, pattern.to));
    }
    let new_name = |name: &str| patterns.iter().find_map(|pattern| pattern.applied(name)).filter(|new| new != name);
    let joints = change_names(model, "joint", new_name);
    joints.into_iter().chain(change_names(model, "clip", new_name)).collect()
}

/// Changes names back that a conversion to the model's file had to change: the names of a [`Loss::Renamed`] and its
/// noun. Returns the changes.
///
/// [`Loss::Renamed`]: crate::Loss::Renamed
pub fn restore_names(model: &mut Model, what: &str, names: &[NewName]) -> Vec<NewName> {
    let old: HashMap<&str, &str> = names.iter().map(|name| (name.to.as_str(), name.from.as_str())).collect();
    change_names(model, what, |name| old.get(name).map(|&old| old.to_owned()))
}

/// Renames joints, clips, or with another noun materials and meshes. Returns the changes.
fn change_names(model: &mut Model, what: &str, new_name: impl Fn(&str) -> Option<String>) -> Vec<NewName> {
    let mut changed = Vec::new();
    let mut change = |name: &mut String| {
        if let Some(to) = new_name(name) {
            changed.push(NewName { from: std::mem::replace(name, to.clone()), to });
        }
    };
    match what {
        "joint" => {
            for joint in model.skeleton.ids() {
                let mut name = model.skeleton[joint].name.clone();
                change(&mut name);
                model.skeleton.set_name(joint, name);
            }
        }
        "clip" => model.clips.iter_mut().for_each(|clip| change(&mut clip.name)),
        _ => {
            model.materials.iter_mut().for_each(|material| change(&mut material.name));
            model.meshes.iter_mut().for_each(|mesh| change(&mut mesh.name));
        }
    }
    changed
}

/// Sorts joints into the order of an older file of the model, so that its clips and definitions still fit. New joints
/// come last. `notes` gets the joints that are missing, new, or below another parent.
pub fn order_joints(model: &mut Model, old: &Skeleton, notes: &mut Vec<String>) {
    let skeleton = &model.skeleton;
    let by_name = |skeleton: &'_ Skeleton| -> HashMap<String, JointId> {
        let mut ids = HashMap::new();
        skeleton.ids().for_each(|joint| _ = ids.entry(skeleton[joint].name.clone()).or_insert(joint));
        ids
    };
    let (ids, old_ids) = (by_name(skeleton), by_name(old));
    let mut order: Vec<JointId> = Vec::with_capacity(skeleton.len());
    let mut is_placed = vec![false; skeleton.len()];
    let named = old.joints().iter().map(|joint| ids.get(&joint.name).copied());
    for joint in named.flatten().chain(skeleton.ids()) {
        // A new joint between two old ones has to precede the second.
        let above = std::iter::successors(Some(joint), |&joint| skeleton[joint].parent);
        let missing: Vec<JointId> = above.take_while(|joint| !is_placed[joint.index()]).collect();
        for joint in missing.into_iter().rev() {
            is_placed[joint.index()] = true;
            order.push(joint);
        }
    }
    let list = |names: Vec<&str>| names.join("', '");
    let lost: Vec<&str> =
        old.joints().iter().map(|joint| joint.name.as_str()).filter(|&name| !ids.contains_key(name)).collect();
    if !lost.is_empty() {
        notes.push(format!("joints of the old file are missing, so its clips will not fit: '{}'", list(lost)));
    }
    let new: Vec<&str> =
        skeleton.joints().iter().map(|joint| joint.name.as_str()).filter(|&name| !old_ids.contains_key(name)).collect();
    if !new.is_empty() {
        notes.push(format!("joints are new, so clips of the old file will not fit: '{}'", list(new)));
    }
    let parent = |skeleton: &Skeleton, joint: Option<&JointId>| {
        Some(skeleton[*joint?].parent.map(|parent| skeleton[parent].name.clone()))
    };
    let moved = old.joints().iter().map(|joint| joint.name.as_str());
    let moved = moved
        .filter(|&name| parent(skeleton, ids.get(name)).is_some_and(|now| Some(now) != parent(old, old_ids.get(name))));
    let moved: Vec<&str> = moved.collect();
    if !moved.is_empty() {
        notes.push(format!("joints have a different parent than in the old file: '{}'", list(moved)));
    }
    model.reorder_joints(&order);
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose_core::model::{Clip, Transform};

    #[test]
    fn joints_keep_the_order_of_an_older_file() {
        let skeleton = |joints: &[(&str, Option<usize>)]| {
            let mut skeleton = Skeleton::new();
            for (name, parent) in joints {
                skeleton.push(*name, parent.and_then(|parent| skeleton.id(parent)), Transform::IDENTITY);
            }
            skeleton
        };
        let old = skeleton(&[("root", None), ("leg", Some(0)), ("arm", Some(0)), ("tail", Some(0))]);
        let now = skeleton(&[("root", None), ("spine", Some(0)), ("arm", Some(1)), ("leg", Some(0))]);
        let mut model = Model { skeleton: now, ..Model::default() };
        let mut notes = Vec::new();
        order_joints(&mut model, &old, &mut notes);
        let joints = model.skeleton.joints().iter();
        let joints: Vec<_> = joints.map(|joint| (joint.name.as_str(), joint.parent.map(JointId::index))).collect();
        assert_eq!(joints, [("root", None), ("leg", Some(0)), ("spine", Some(0)), ("arm", Some(2))]);
        let expected = ["missing, so its clips will not fit: 'tail'", "will not fit: 'spine'", "old file: 'arm'"];
        assert!(notes.len() == 3 && notes.iter().zip(expected).all(|(note, end)| note.ends_with(end)), "{notes:?}");
    }

    #[test]
    fn patterns_rename_joints_and_clips() {
        let mut model = Model::default();
        for name in ["mixamorig:Hips", "mixamorig:LeftArm", "tail", "mixamorig:"] {
            model.skeleton.push(name, None, Transform::IDENTITY);
        }
        model.clips.push(Clip { name: "Armature|walk".into(), ..Clip::default() });
        let patterns = ["*:Left*=l", "mixamorig:Left*=*.L", "Armature|*=*", "tail=Schwanz", "wing*=*", "mixamorig:*=*"];
        assert!(patterns[0].parse::<Pattern>().is_err());
        let patterns: Vec<Pattern> = patterns[1..].iter().map(|text| text.parse().unwrap()).collect();
        let mut notes = Vec::new();
        let changed = rename(&mut model, &patterns, &mut notes);
        let names: Vec<&str> = model.skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["Hips", "Arm.L", "Schwanz", "mixamorig:"]);
        assert_eq!(model.clips[0].name, "walk");
        assert_eq!(changed.len(), 4);
        assert_eq!(notes, ["--rename wing*=*: no joint or clip has such a name"]);
        assert!(
            "a".parse::<Pattern>().is_err() && "a=".parse::<Pattern>().is_err() && "a=*".parse::<Pattern>().is_err()
        );
    }
}
