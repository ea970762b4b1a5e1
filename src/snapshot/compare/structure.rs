//! Comparison of files, names, counts, hierarchy and mesh content.

use crate::difference::{Affected, ComparedStage, Comparison, Difference, InputChange};
use crate::digest::{ListChange, ListDigest};
use crate::record::{RecordedClip, RecordedFrames, RecordedJoint, RecordedMesh, Sample, Snapshot};
use crate::times::FrameRef;
use bindpose_core::model::Transform;
use std::collections::{HashMap, HashSet, VecDeque};

pub(super) fn compare_inputs(recorded: &Snapshot, now: &Snapshot) -> InputChange {
    let known = !recorded.inputs.is_empty() && !now.inputs.is_empty();
    let mut change = InputChange { known, ..InputChange::default() };
    let by_name = |snapshot: &Snapshot| -> HashMap<String, String> {
        snapshot.inputs.iter().map(|input| (input.file.clone(), input.xxh128.clone())).collect()
    };
    let (then, today) = (by_name(recorded), by_name(now));
    for input in now.inputs.iter().filter(|_| known) {
        match then.get(&input.file) {
            Some(digest) if *digest == input.xxh128 => {}
            Some(_) => change.changed.push(input.file.clone()),
            None => change.added.push(input.file.clone()),
        }
    }
    let gone = recorded.inputs.iter().filter(|input| known && !today.contains_key(&input.file));
    change.removed.extend(gone.map(|input| input.file.clone()));
    change
}

/// Pairs clips of the same name, in their order.
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
    compare_names(["material", "materials"], stage, materials(recorded), materials(now), found);
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
    compare_names(["mesh", "meshes"], stage, meshes(recorded), meshes(now), found);
    let clips = |snapshot: &Snapshot| snapshot.clips.iter().map(|clip| clip.name.clone()).collect();
    compare_names(["clip", "clips"], stage, clips(recorded), clips(now), found);
    for (was, is) in clip_pairs(recorded, now) {
        compare_clips(was, is, found);
    }
}

fn compare_clips(was: &RecordedClip, is: &RecordedClip, found: &mut Comparison) {
    let keys = |clip: &RecordedClip| keys(&clip.frames).count();
    if keys(was) != keys(is) {
        let shift =
            frame_shift(&was.frames, &is.frames).map_or_else(String::new, |shift| format!(": {}", shift.text()));
        let message = format!("number of frames is {}, was {}{shift}", keys(is), keys(was));
        found.push(ComparedStage::Document, Some(&was.name), message);
    }
    let rate = |clip: &RecordedClip| clip.frame_rate.map_or("none".to_owned(), |rate| rate.to_string());
    for (noun, before, today) in [
        ("frame rate", rate(was), rate(is)),
        ("duration in seconds", was.duration.to_string(), is.duration.to_string()),
        ("looping", was.looping.to_string(), is.looping.to_string()),
    ] {
        if before != today {
            found.push(ComparedStage::Document, Some(&was.name), format!("{noun} is {today}, was {before}"));
        }
    }
}

/// Returns the numbers of a clip's frames with their samples.
fn keys(frames: &RecordedFrames) -> impl Iterator<Item = (u32, &Sample)> {
    frames.samples.iter().filter_map(|sample| match sample.frame {
        FrameRef::At(number) => Some((number, sample)),
        FrameRef::After(_) => None,
    })
}

/// Frames that were removed from a clip or added to it.
pub(super) struct FrameShift {
    /// Their numbers in the longer clip, ascending.
    frames: Vec<u32>,
    /// True if they were removed.
    missing: bool,
    /// True if other frames follow.
    has_later: bool,
    /// Present number of each recorded frame.
    moved: Vec<Option<u32>>,
}

/// Finds the frames that were removed or added. Returns `None` if the frames that both clips have are not the same or
/// moved by one step.
pub(super) fn frame_shift(recorded: &RecordedFrames, now: &RecordedFrames) -> Option<FrameShift> {
    // A thinned clip has no consecutive frames.
    let [was, is] = [recorded, now].map(|frames| -> Option<Vec<&Sample>> {
        keys(frames).zip(0..).map(|((number, sample), place)| (number == place).then_some(sample)).collect()
    });
    let (was, is) = (was?, is?);
    let missing = was.len() > is.len();
    let (long, short) = if missing { (&was, &is) } else { (&is, &was) };
    if long.len() == short.len() {
        return None;
    }
    let matched = subsequence(long, short).or_else(|| single_gap(long, short)).or_else(|| nearest_gap(long, short))?;
    let frames: Vec<u32> = (0..).zip(&matched).filter(|(_, other)| other.is_none()).map(|(frame, _)| frame).collect();
    let has_later = matched.last().is_some_and(Option::is_some);
    let moved = if missing {
        matched
    } else {
        (0..).zip(matched).filter_map(|(frame, recorded)| recorded.map(|_| Some(frame))).collect()
    };
    Some(FrameShift { frames, missing, has_later, moved })
}

/// Returns for each frame of `long` its number in `short`, if `short` is `long` without some frames.
fn subsequence(long: &[&Sample], short: &[&Sample]) -> Option<Vec<Option<u32>>> {
    let mut next = 0;
    let mut find = |sample: &&Sample| {
        let found = short.get(next).is_some_and(|other| is_same(sample, other));
        next += usize::from(found);
        found.then(|| next as u32 - 1)
    };
    let matched = long.iter().map(&mut find).collect();
    (next == short.len()).then_some(matched)
}

/// Returns for each frame of `long` its number in `short`, if a gap of consecutive frames leaves at least half of the
/// others equal. The rest is edited.
fn single_gap(long: &[&Sample], short: &[&Sample]) -> Option<Vec<Option<u32>>> {
    let (first, different) = best_gap(long, short, |a, b| if is_same(a, b) { 0.0 } else { 1.0 });
    let count = short.len() as f64;
    (2.0 * different <= count && different < count).then(|| with_gap(first, long.len(), short.len()))
}

/// Returns for each frame of `long` its number in `short`, if a gap of consecutive frames leaves every other one nearly
/// where it was: at most a quarter as far away as the frames in the gap are from those around it.
fn nearest_gap(long: &[&Sample], short: &[&Sample]) -> Option<Vec<Option<u32>>> {
    const NOISE: f64 = 0.25;
    let reach = |sample: &&Sample| sample.joints.iter().map(|joint| joint.translation.length()).fold(0.0, f64::max);
    let reach = long.first().map_or(1.0, reach).max(f64::MIN_POSITIVE);
    // The square of the distance, in units. A turn counts as at the end of a joint as long as the model.
    let apart = |a: &Sample, b: &Sample| -> f64 {
        let moved = |a: &Transform, b: &Transform| {
            let turned = 1.0 - a.rotation.dot(b.rotation).abs().min(1.0);
            a.translation.distance_squared(b.translation) + 8.0 * turned * reach * reach
        };
        a.joints.iter().zip(&b.joints).map(|(a, b)| moved(a, b)).sum()
    };
    let (first, _) = best_gap(long, short, apart);
    let matched = with_gap(first, long.len(), short.len());
    let kept =
        long.iter().zip(&matched).filter_map(|(sample, other)| Some(apart(sample, short.get((*other)? as usize)?)));
    let noise = kept.fold(0.0, f64::max);
    let after = first + long.len() - short.len();
    let around = [first.checked_sub(1).and_then(|before| long.get(before)), long.get(after)];
    let is_apart = |gone: &&Sample| around.iter().flatten().all(|other| noise < NOISE * NOISE * apart(gone, other));
    (noise.is_finite() && !short.is_empty() && long[first..after].iter().all(is_apart)).then_some(matched)
}

fn is_same(a: &Sample, b: &Sample) -> bool {
    a.digests.local == b.digests.local
}

/// Finds the gap of consecutive frames that leaves the others closest to those of `short`. Returns its first frame, and
/// the sum of their distances.
fn best_gap(long: &[&Sample], short: &[&Sample], apart: impl Fn(&Sample, &Sample) -> f64) -> (usize, f64) {
    let gap = long.len() - short.len();
    let mut sum: f64 = long[gap..].iter().zip(short).map(|(a, b)| apart(a, b)).sum();
    let mut best = (0, sum);
    for place in 0..short.len() {
        sum += apart(long[place], short[place]) - apart(long[place + gap], short[place]);
        if sum < best.1 {
            best = (place + 1, sum);
        }
    }
    best
}

/// Returns for each of `long` frames its number among `short` ones, if the gap between them begins at `first`.
fn with_gap(first: usize, long: usize, short: usize) -> Vec<Option<u32>> {
    let gap = long - short;
    let number = |place: usize| match place {
        _ if place < first => Some(place as u32),
        _ if place < first + gap => None,
        _ => Some((place - gap) as u32),
    };
    (0..long).map(number).collect()
}

impl FrameShift {
    /// Returns the present number of a recorded frame; `None` for removed frames and times between frames.
    pub(super) fn moved(&self, frame: FrameRef) -> Option<FrameRef> {
        match frame {
            FrameRef::At(number) => self.moved.get(number as usize).copied().flatten().map(FrameRef::At),
            FrameRef::After(_) => None,
        }
    }

    fn text(&self) -> String {
        const MOST: usize = 5;
        let (fate, way) = if self.missing { ("missing", "up") } else { ("new", "down") };
        let runs: Vec<&[u32]> = self.frames.chunk_by(|a, b| a + 1 == *b).collect();
        let name = |run: &&[u32]| match run {
            [first, .., last] => format!("{first} to {last}"),
            _ => run[0].to_string(),
        };
        let mut names: Vec<String> = runs.iter().take(MOST).map(name).collect();
        let more: usize = runs.iter().skip(MOST).map(|run| run.len()).sum();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        let last = names.pop().unwrap_or_default();
        let names = if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
        let (noun, verb) = if self.frames.len() == 1 { ("frame", "is") } else { ("frames", "are") };
        let later = if self.has_later { format!("; later frames moved {way}") } else { String::new() };
        format!("{noun} {names} {verb} {fate}{later}")
    }
}

/// Reports names that were removed, added or moved. `noun` has singular and plural.
fn compare_names(
    noun: [&str; 2],
    stage: ComparedStage,
    recorded: Vec<String>,
    now: Vec<String>,
    found: &mut Comparison,
) {
    if recorded == now {
        return;
    }
    let [one, many] = noun;
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
            let first = recorded.iter().zip(&now).position(|(was, is)| was != is).unwrap_or(0);
            let (is, was) = (&now[first], &recorded[first]);
            found.push(stage, None, format!("{many} are in another order: {first} is '{is}', was '{was}'"));
        }
        _ => {
            for (names, fate) in [(&gone, "missing"), (&new, "new")] {
                let noun = if names.len() == 1 { one } else { many };
                if !names.is_empty() {
                    found.push(stage, None, format!("{fate}: {noun} {}", first_five(names)));
                }
            }
        }
    }
}

fn first_five(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(5).map(|name| format!("'{name}'")).collect();
    let more = names.len().saturating_sub(5);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

pub(super) fn compare_skeletons(recorded: &Snapshot, now: &Snapshot, found: &mut Comparison) {
    let names = |snapshot: &Snapshot| snapshot.joints.iter().map(|joint| joint.name.clone()).collect::<Vec<_>>();
    compare_names(["joint", "joints"], ComparedStage::Skeleton, names(recorded), names(now), found);
    let parent = |snapshot: &Snapshot, joint: usize| {
        let parent = snapshot.joints.get(joint)?.parent?;
        snapshot.joints.get(parent as usize).map(|parent| parent.name.clone())
    };
    let [then, today] = [recorded, now].map(|snapshot| names(snapshot).into_iter().collect::<HashSet<_>>());
    for (was, is) in joint_pairs(recorded, now) {
        let (parent_then, parent_today) = (parent(recorded, was), parent(now, is));
        // A renamed parent is already reported.
        let known = |name: &Option<String>, names: &HashSet<String>| name.as_ref().is_none_or(|n| names.contains(n));
        if parent_then != parent_today && known(&parent_then, &today) && known(&parent_today, &then) {
            let name = |parent: Option<String>| parent.map_or("none".to_owned(), |name| format!("'{name}'"));
            let joint = &recorded.joints[was].name;
            let message = format!("parent of joint '{joint}' is {}, was {}", name(parent_today), name(parent_then));
            found.push(ComparedStage::Skeleton, None, message);
        }
    }
}

/// Changes of one mesh.
pub(super) struct MeshChange {
    pub(super) name: String,
    same_vertex_count: bool,
    /// True if vertices or triangles are in another order.
    reordered: bool,
    /// True if nothing but their order differs.
    same_shape: bool,
    triangles: ListChange,
    uvs: ListChange,
    joints: ListChange,
    weights: ListChange,
    bind: bool,
    surface: bool,
}

impl MeshChange {
    fn new(was: &RecordedMesh, is: &RecordedMesh) -> Self {
        let lists = |mesh: &RecordedMesh| [mesh.triangles, mesh.uvs, mesh.joints, mesh.weights];
        let same_counts = lists(was).map(|list| list.count) == lists(is).map(|list| list.count);
        let same_shape = same_counts && was.shape == is.shape;
        let change = |list: fn(&RecordedMesh) -> ListDigest| list(was).change_to(&list(is));
        let triangles = change(|mesh| mesh.triangles);
        let [uvs, joints, weights] = [change(|mesh| mesh.uvs), change(|mesh| mesh.joints), change(|mesh| mesh.weights)];
        // Of the three, one may be edited, too. New numbers of vertices change triangles.
        let moved = [uvs, joints, weights].iter().filter(|list| **list == ListChange::Reordered).count() >= 2;
        Self {
            name: was.name.clone(),
            same_vertex_count: was.vertices == is.vertices,
            reordered: (same_shape && lists(was) != lists(is)) || (moved && triangles != ListChange::Same),
            same_shape,
            triangles,
            uvs,
            joints,
            weights,
            bind: was.bind != is.bind,
            surface: was.surface != is.surface,
        }
    }

    /// True if positions of vertices are comparable.
    pub(super) fn keeps_vertices(&self) -> bool {
        self.same_vertex_count && !self.reordered
    }

    /// True if normals and tangents are comparable.
    pub(super) fn keeps_shading(&self) -> bool {
        self.keeps_vertices() && self.triangles == ListChange::Same && self.uvs == ListChange::Same
    }

    /// True if changes of the mesh explain that vertices moved, or that only their normals turned.
    pub(super) fn explains(&self, moved: bool) -> bool {
        let numbers = self.weights != ListChange::Same || self.joints != ListChange::Same || self.bind;
        numbers || (!moved && self.surface)
    }

    /// Describes vertices in another order that are not all the same.
    fn reordered_and_edited(&self) -> String {
        let lists = [
            (self.uvs, "texture coordinates or colours"),
            (self.joints, "joints"),
            (self.weights, "weights or offsets"),
        ];
        let edited = lists.iter().find(|(list, _)| !matches!(list, ListChange::Same | ListChange::Reordered));
        let content = edited.map_or("triangles", |(_, content)| content);
        format!("mesh '{}' has its vertices in another order and other {content}", self.name)
    }

    /// Reports lists of references that differ although their lengths are the same.
    fn push_lists(&self, found: &mut Comparison) {
        let lists = [
            (self.triangles, "corners", ["triangle", "triangles"]),
            (self.uvs, "texture coordinates or colours", ["vertex", "vertices"]),
            (self.joints, "joints", ["vertex", "vertices"]),
        ];
        for (list, content, [one, many]) in lists {
            let owner = match list {
                ListChange::Same => continue,
                ListChange::One(number) => format!("{one} {number}"),
                ListChange::Several | ListChange::Reordered => format!("several {many}"),
            };
            found.push(ComparedStage::Mesh, None, format!("{content} of {owner} of mesh '{}' differ", self.name));
        }
    }

    /// Describes numbers that differ although counts and references are the same.
    pub(super) fn numbers(&self) -> Option<String> {
        let name = &self.name;
        match self.weights {
            _ if !self.keeps_vertices() => None,
            ListChange::One(vertex) => Some(format!("weights or offsets of vertex {vertex} of mesh '{name}'")),
            ListChange::Several | ListChange::Reordered => Some(format!("weights or offsets of mesh '{name}'")),
            ListChange::Same if self.bind => Some(format!("inverse bind transforms of mesh '{name}'")),
            ListChange::Same if self.surface && self.keeps_shading() => {
                Some(format!("bind-space positions, normals or tangents of mesh '{name}'"))
            }
            ListChange::Same => None,
        }
    }
}

/// Compares counts and references of each mesh. Returns no changes if the meshes cannot be paired. A different order is
/// a note, or a difference if `exact`.
pub(super) fn compare_meshes(
    recorded: &Snapshot,
    now: &Snapshot,
    exact: bool,
    found: &mut Comparison,
) -> Vec<MeshChange> {
    if recorded.meshes.len() != now.meshes.len() {
        return Vec::new();
    }
    let stage = ComparedStage::Mesh;
    let shapes = |snapshot: &Snapshot| snapshot.meshes.iter().map(|mesh| mesh.shape).collect::<Vec<u64>>();
    let sorted = |mut shapes: Vec<u64>| {
        shapes.sort_unstable();
        shapes
    };
    if shapes(recorded) != shapes(now) && sorted(shapes(recorded)) == sorted(shapes(now)) {
        found.push_order("meshes are in another order; their shapes are the same".to_owned(), exact);
        return Vec::new();
    }
    let mut changes = Vec::with_capacity(now.meshes.len());
    for (was, is) in recorded.meshes.iter().zip(&now.meshes) {
        let (change, name) = (MeshChange::new(was, is), &is.name);
        let counts = [
            ("vertices", was.vertices, is.vertices),
            ("triangles", was.triangles.count, is.triangles.count),
            ("influences", was.influences, is.influences),
        ];
        let mut same_counts = true;
        for (noun, before, today) in counts.into_iter().filter(|(_, before, today)| before != today) {
            found.push(stage, None, format!("mesh '{name}' has {today} {noun}, had {before}"));
            same_counts = false;
        }
        if was.material != is.material {
            found.push(stage, None, format!("mesh '{name}' has material {}, had {}", is.material, was.material));
        }
        if change.reordered && change.same_shape {
            let message =
                format!("mesh '{name}' has its vertices or triangles in another order; its shape is the same");
            found.push_order(message, exact);
        } else if change.reordered {
            found.push(stage, None, change.reordered_and_edited());
        } else if same_counts {
            change.push_lists(found);
        }
        changes.push(change);
    }
    changes
}

/// Reports changed numbers of meshes if no frame shows the change.
pub(super) fn compare_mesh_numbers(meshes: &[MeshChange], strict: bool, found: &mut Comparison) {
    let differences = found.differences.iter().chain(&found.within_tolerance);
    let shown = differences.filter_map(|difference| match &difference.first.as_ref()?.part {
        Affected::Mesh(name) => Some(name.clone()),
        Affected::Joint(_) => None,
    });
    let shown: HashSet<String> = shown.collect();
    for mesh in meshes.iter().filter(|mesh| !shown.contains(&mesh.name)) {
        if let Some(cause) = mesh.numbers() {
            let difference = Difference::of_structure(ComparedStage::Mesh, None, format!("{cause} differ"));
            if strict { &mut found.differences } else { &mut found.within_tolerance }.push(difference);
        }
    }
}

/// Pairs joints by index if names and order are the same, otherwise by name, the first with the first. The result has
/// the recorded order.
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
