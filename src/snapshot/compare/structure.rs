//! Comparison of files, names, counts, hierarchy and mesh content.

use super::pairs::Pairs;
use crate::difference::{Affected, ComparedStage, Comparison, Difference, InputChange};
use crate::digest::{Digest, ListChange};
use crate::grid::Grid;
use crate::record::{RecordedClip, RecordedFrames, RecordedMaterial, RecordedMesh, Snapshot};
use crate::sample::Sample;
use crate::times::FrameRef;
use bindpose_core::left_out::Part;
use bindpose_core::model::Transform;
use std::collections::HashSet;
use std::path::Path;

pub(super) fn compare_inputs(recorded: &Snapshot, now: &Snapshot) -> InputChange {
    let known = !recorded.inputs.is_empty() && !now.inputs.is_empty();
    let mut change = InputChange { known, ..InputChange::default() };
    if !known {
        return change;
    }
    let sides = [recorded, now];
    let names = sides.map(|of| of.inputs.iter().map(|input| input.file.clone()).collect());
    let content = sides.map(|of| move |at: usize| vec![digest_of(0, of.inputs[at].xxh128.as_bytes())]);
    let extension = sides.map(|of| move |at: usize| Path::new(&of.inputs[at].file).extension());
    let pairs = Pairs::by_name(names).or_alike(content, |_| 1).or_alone(extension);
    let (was, is) = (|at: usize| &recorded.inputs[at], |at: usize| &now.inputs[at]);
    for &(a, b) in &pairs.list {
        let (was, is) = (was(a), is(b));
        match (was.xxh128 == is.xxh128, was.file == is.file) {
            (true, true) => {}
            (true, false) => change.renamed.push((is.file.clone(), was.file.clone())),
            (false, true) => change.changed.push(is.file.clone()),
            (false, false) => change.changed.push(format!("{}, was {}", is.file, was.file)),
        }
    }
    change.added.extend(pairs.new.iter().map(|&at| is(at).file.clone()));
    for file in pairs.gone.iter().map(|&at| &was(at).file) {
        let is_here = now.left_out.iter().filter_map(|part| part.clip_file()).any(|path| path.ends_with(file));
        if is_here { &mut change.changed } else { &mut change.removed }.push(file.clone());
    }
    change
}

/// Returns a digest of one aspect of an element's content.
fn digest_of(aspect: u64, content: &[u8]) -> u64 {
    let mut digest = Digest::default();
    digest.integer(aspect);
    digest.bytes(content);
    digest.finish()
}

/// Pairs clips. A renamed one has a quarter of the poses of its joints, or is the only one with as many frames. `joints` are
/// pairs with the same parents: poses of others are not comparable.
pub(super) fn clip_pairs(recorded: &Snapshot, now: &Snapshot, joints: &[(usize, usize)]) -> Pairs {
    let (was, is): (Vec<usize>, Vec<usize>) = joints.iter().copied().unzip();
    let sides = [(recorded, &was), (now, &is)];
    // The coarser of the two grids.
    let grid = Grid::for_size(recorded.size.max(now.size));
    let poses = sides.map(|(of, joints)| move |at: usize| pose_digests(&of.clips[at].frames, joints, grid));
    let are_alone = recorded.clips.len() == 1 && now.clips.len() == 1;
    let count = sides.map(|(of, _)| move |at: usize| if are_alone { 0 } else { keys(&of.clips[at].frames).count() });
    let names = sides.map(|(of, _)| of.clips.iter().map(|clip| clip.name.clone()).collect());
    Pairs::by_name(names).or_alike(poses, |poses| poses.div_ceil(4)).or_alone(count)
}

/// About the number of poses by which a clip is recognised.
const MOST_POSES: usize = 2048;

/// Returns digests of the poses of those of some joints that move, or of all if none does.
fn pose_digests(frames: &RecordedFrames, joints: &[usize], grid: Grid) -> Vec<u64> {
    let poses = |joint: usize| keys(frames).filter_map(move |(_, sample)| sample.joints.get(joint));
    let moves = |&(joint, _): &(usize, u64)| poses(joint).zip(poses(joint).skip(1)).any(|(a, b)| a != b);
    let (moving, still): (Vec<_>, Vec<_>) = joints.iter().copied().zip(0..).partition(moves);
    let most = (MOST_POSES / frames.samples.len().max(1)).max(4);
    let (mut digest, mut digests) = (Digest::default(), Vec::new());
    for (joint, pair) in if moving.is_empty() { still } else { moving }.into_iter().take(most) {
        for pose in poses(joint) {
            digest.integer(pair);
            digest.pose(pose, grid);
            digests.push(digest.finish());
        }
    }
    digests
}

pub(super) fn compare_documents(
    recorded: &Snapshot,
    now: &Snapshot,
    (joints, steady): (&Pairs, &[(usize, usize)]),
    clips: &mut Pairs,
    found: &mut Comparison,
) {
    let stage = ComparedStage::Document;
    for input in &now.inputs {
        let was = recorded.inputs.iter().find(|was| was.file == input.file);
        if was.is_some_and(|was| was.fourth_columns != input.fourth_columns) {
            let file = &input.file;
            found.push(stage, None, format!("the fourth column of a matrix in '{file}' differs; no frame shows it"));
        }
    }
    compare_materials(recorded, now, found);
    let rate = |rate: Option<f64>| rate.map_or("none".to_owned(), |rate| rate.to_string());
    let ticks = [recorded, now].map(|snapshot| snapshot.ticks_per_second);
    if ticks[0] != ticks[1] {
        found.push(stage, None, format!("ticks per second are {}, were {}", rate(ticks[1]), rate(ticks[0])));
    }
    let pace = ticks[0].zip(ticks[1]).map_or(1.0, |(was, is)| is / was);
    let is_explained = |&clip: &usize| {
        let name = &recorded.clips[clip].name;
        now.left_out.iter().find(|part| part.kind == Part::Clip && part.name == *name)
    };
    clips.gone.iter().filter_map(is_explained).for_each(|part| found.push(stage, None, part.to_string()));
    clips.gone.retain(|clip| is_explained(clip).is_none());
    clips.report(["clip", "clips"], stage, found);
    for &(was, is) in &clips.list {
        let (was, is) = (&recorded.clips[was], &now.clips[is]);
        compare_clips(was, is, steady, pace, found);
        if !was.flags.is_empty() && !is.flags.is_empty() {
            compare_flags(was, is, joints, now, found);
        }
    }
}

fn compare_flags(was: &RecordedClip, is: &RecordedClip, joints: &Pairs, now: &Snapshot, found: &mut Comparison) {
    let flags = |clip: &RecordedClip, joint: usize| clip.flags.get(joint).copied().unwrap_or_default();
    let mut changed = joints.list.iter().filter(|(a, b)| flags(was, *a) != flags(is, *b));
    if let Some(&(a, b)) = changed.next() {
        let more = match changed.count() {
            0 => String::new(),
            more => format!("; also those of {more} more"),
        };
        let (name, before, today) = (&now.joints[b].name, flags(was, a), flags(is, b));
        let message = format!("flags of joint '{name}' are {today}, were {before}{more}");
        found.push(ComparedStage::Document, Some(&is.name), message);
    }
}

fn compare_materials(recorded: &Snapshot, now: &Snapshot, found: &mut Comparison) {
    let stage = ComparedStage::Document;
    let sides = [recorded, now].map(|of| &of.materials);
    let content = |material: &RecordedMaterial| {
        let texture = material.texture.as_deref().unwrap_or_default();
        vec![digest_of(0, texture.as_bytes()), digest_of(1, &material.colors.to_le_bytes())]
    };
    let names = sides.map(|of| of.iter().map(|material| material.name.clone()).collect());
    let content = sides.map(|of| move |at: usize| content(&of[at]));
    let pairs = Pairs::by_name(names).or_alike(content, |_| 2).or_alone([|_| (); 2]);
    pairs.report(["material", "materials"], stage, found);
    for &(was, is) in &pairs.list {
        let (was, is) = (&recorded.materials[was], &now.materials[is]);
        // MD5 has one name for both.
        let follows = |of: &RecordedMaterial| of.texture.as_deref().unwrap_or_default() == of.name;
        if was.texture != is.texture && !(follows(was) && follows(is)) {
            let name =
                |texture: &Option<String>| texture.as_ref().map_or("none".to_owned(), |name| format!("'{name}'"));
            let (texture, before) = (name(&is.texture), name(&was.texture));
            found.push(stage, None, format!("texture of material '{}' is {texture}, was {before}", is.name));
        }
        if was.colors != is.colors {
            found.push(stage, None, format!("material '{}' has other colours", is.name));
        }
    }
}

/// Compares what a clip has besides its frames. Times that follow from `pace`, the present ticks per second over the
/// recorded ones, are no difference.
fn compare_clips(was: &RecordedClip, is: &RecordedClip, steady: &[(usize, usize)], pace: f64, found: &mut Comparison) {
    let stage = ComparedStage::Document;
    let count = |clip: &RecordedClip| keys(&clip.frames).count();
    if count(was) != count(is) {
        let shift = frame_shift(&was.frames, &is.frames, steady)
            .map_or_else(String::new, |shift| format!(": {}", shift.text()));
        found.push(stage, Some(&is.name), format!("number of frames is {}, was {}{shift}", count(is), count(was)));
    }
    let at_pace = |was: f64, is: f64| (was - is * pace).abs() <= 1e-8 * (1.0 + was.abs());
    let are_at_pace = || keys(&was.frames).zip(keys(&is.frames)).all(|((_, was), (_, is))| at_pace(was.time, is.time));
    let is_paced = pace != 1.0 && at_pace(was.duration, is.duration) && are_at_pace();
    let rate =
        |clip: &RecordedClip| clip.frame_rate.filter(|_| !is_paced).map_or("none".to_owned(), |rate| rate.to_string());
    // The duration follows from rate and number of frames, unless the file has one of its own.
    let follows = |clip: &RecordedClip| {
        let frames = clip.duration * clip.frame_rate.unwrap_or(f64::NAN) + 1.0 + clip.cuts.len() as f64;
        (frames - count(clip) as f64).abs() < 1e-6 * frames
    };
    let follow = is_paced || follows(was) && follows(is);
    let seconds = |clip: &RecordedClip| if follow { String::new() } else { clip.duration.to_string() };
    for (noun, before, today) in [
        ("frame rate", rate(was), rate(is)),
        ("duration in seconds", seconds(was), seconds(is)),
        ("looping", was.looping.to_string(), is.looping.to_string()),
        ("list of cuts", format!("{:?}", was.cuts), format!("{:?}", is.cuts)),
    ] {
        if before != today {
            found.push(stage, Some(&is.name), format!("{noun} is {today}, was {before}"));
        }
    }
    if was.frames.numbers != is.frames.numbers {
        let fate = if is.frames.numbers.is_empty() { "missing" } else { "new" };
        found.push(stage, Some(&is.name), format!("numbers of its frames are {fate}, such as bounds"));
    }
    let moved = || keys(&was.frames).zip(keys(&is.frames)).filter(|((_, was), (_, is))| was.time != is.time);
    if let (Some(((frame, was), (_, now))), true) = (moved().next(), !follow && count(was) == count(is)) {
        let (frames, today, before) = (moved().count(), now.time, was.time);
        let message =
            format!("times of {frames} frames differ: frame {frame} is at {today:.6} s, was at {before:.6} s");
        found.push(stage, Some(&is.name), message);
    }
}

/// Returns the numbers of a clip's frames with their samples.
fn keys(frames: &RecordedFrames) -> impl Iterator<Item = (u32, &Sample)> {
    frames.samples.iter().filter(|sample| !sample.frame.is_between).map(|sample| (sample.frame.number, sample))
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

/// Finds the frames that were removed or added, by `joints`, pairs with the same parents. Returns `None` if the frames that
/// both clips have are not the same or moved by one step.
pub(super) fn frame_shift(was: &RecordedFrames, is: &RecordedFrames, joints: &[(usize, usize)]) -> Option<FrameShift> {
    // A thinned clip has no consecutive frames.
    let [was, is] = [was, is].map(|frames| -> Option<Vec<&Sample>> {
        keys(frames).zip(0..).map(|((number, sample), place)| (number == place).then_some(sample)).collect()
    });
    let (was, is) = (was?, is?);
    let missing = was.len() > is.len();
    let (long, short) = if missing { (was, is) } else { (is, was) };
    if long.len() == short.len() {
        return None;
    }
    let joint = |&(was, is): &(usize, usize)| {
        let (a, b) = if missing { (was, is) } else { (is, was) };
        let steps = long.windows(2).filter_map(|two| Some(gap(two[0].joints.get(a)?, two[1].joints.get(a)?)));
        let sum = steps.fold([0.0, 0.0], |sum: [f64; 2], step| [sum[0] + step[0], sum[1] + step[1]]);
        (a, b, sum.map(|sum| sum / (long.len() - 1).max(1) as f64))
    };
    let joints = joints.iter().map(joint).filter(|(.., step)| *step != [0.0, 0.0]).collect();
    let matching = Matching { long, short, joints };
    let matched = matching.subsequence().or_else(|| matching.single_gap(0.0)).or_else(|| matching.single_gap(0.25))?;
    let frames: Vec<u32> = (0..).zip(&matched).filter(|(_, other)| other.is_none()).map(|(frame, _)| frame).collect();
    let has_later = matched.last().is_some_and(Option::is_some);
    let moved = if missing {
        matched
    } else {
        (0..).zip(matched).filter_map(|(frame, recorded)| recorded.map(|_| Some(frame))).collect()
    };
    Some(FrameShift { frames, missing, has_later, moved })
}

/// Frames of two clips, one longer than the other, and the pairs of joints that move, each with its average movement and
/// turn from one frame to the next. Matches are numbers in the shorter clip for each frame of the longer one.
struct Matching<'a> {
    long: Vec<&'a Sample>,
    short: Vec<&'a Sample>,
    joints: Vec<(usize, usize, [f64; 2])>,
}

/// Returns the distance of two poses of a joint, and of their quaternions.
fn gap(a: &Transform, b: &Transform) -> [f64; 2] {
    [a.translation.distance(b.translation), (a.rotation - b.rotation).length()]
}

impl Matching<'_> {
    /// Returns the share of the joints that differ by more than `noise` times their movement between frames.
    fn different(&self, long: &Sample, short: &Sample, noise: f64) -> f64 {
        let is_same = |&&(a, b, step): &&(usize, usize, [f64; 2])| {
            let gap = long.joints.get(a).zip(short.joints.get(b)).map(|(a, b)| gap(a, b));
            gap.is_some_and(|gap| gap[0] <= noise * step[0] && gap[1] <= noise * step[1])
        };
        let same = self.joints.iter().filter(is_same).count();
        (self.joints.len() - same) as f64 / self.joints.len().max(1) as f64
    }

    /// Matches the frames if one clip is the other without some frames.
    fn subsequence(&self) -> Option<Vec<Option<u32>>> {
        let mut next = 0;
        let mut find = |sample: &&Sample| {
            let found = self.short.get(next).is_some_and(|other| self.different(sample, other, 0.0) == 0.0);
            next += usize::from(found);
            found.then(|| next as u32 - 1)
        };
        let matched = self.long.iter().map(&mut find).collect();
        (next == self.short.len()).then_some(matched)
    }

    /// Matches the frames if a gap of consecutive frames leaves at least half of the others' joints the same, within `noise`.
    /// The rest is edited.
    fn single_gap(&self, noise: f64) -> Option<Vec<Option<u32>>> {
        let Self { long, short, .. } = self;
        let apart = |a: usize, b: usize| self.different(long[a], short[b], noise);
        let gap = long.len() - short.len();
        let mut sum: f64 = (0..short.len()).map(|place| apart(place + gap, place)).sum();
        let mut best = (0, sum);
        for place in 0..short.len() {
            sum += apart(place, place) - apart(place + gap, place);
            if sum < best.1 {
                best = (place + 1, sum);
            }
        }
        let ((first, different), count) = (best, short.len() as f64);
        let number =
            |place: usize| if place < first { Some(place) } else { place.checked_sub(gap).filter(|&at| at >= first) };
        let matched = (0..long.len()).map(|place| number(place).map(|place| place as u32));
        (2.0 * different <= count && different < count).then(|| matched.collect())
    }
}

impl FrameShift {
    /// Returns the present number of a recorded frame; `None` for removed frames and times between frames.
    pub(super) fn moved(&self, frame: FrameRef) -> Option<FrameRef> {
        let moved = self.moved.get(frame.number as usize).copied().flatten();
        moved.filter(|_| !frame.is_between).map(FrameRef::at)
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

/// Pairs joints. A renamed one has two aspects in common: its rest pose, index, parent's name, or its track in a clip.
pub(super) fn joint_pairs(recorded: &Snapshot, now: &Snapshot) -> Pairs {
    let content = |of: &Snapshot, clips: &[&Vec<u64>], joint: usize| {
        let mut content = vec![digest_of(1, &joint.to_le_bytes())];
        content.extend(of.rest.local.get(joint).map(|digest| digest_of(2, &digest.to_le_bytes())));
        let parent = of.joints[joint].parent.map(|parent| &of.joints[parent as usize]);
        content.extend(parent.map(|parent| digest_of(3, parent.name.as_bytes())));
        let tracks = clips.iter().filter_map(|tracks| tracks.get(joint)).zip(4..);
        content.extend(tracks.map(|(digest, clip)| digest_of(clip, &digest.to_le_bytes())));
        content
    };
    let sides = [recorded, now];
    let names = sides.map(|of| of.joints.iter().map(|joint| joint.name.clone()).collect());
    let contents = sides.map(|of| {
        // A few clips are enough to recognise a joint.
        let clips = of.clips.iter().map(|clip| &clip.frames.local).filter(|tracks| !tracks.is_empty());
        let clips: Vec<_> = clips.take(8).collect();
        move |joint| content(of, &clips, joint)
    });
    Pairs::by_name(names).or_alike(contents, |_| 2)
}

/// Returns true for each pair of joints whose parents are a pair too, or missing on both sides.
pub(super) fn same_parents(recorded: &Snapshot, now: &Snapshot, joints: &Pairs) -> Vec<bool> {
    let parent = |snapshot: &Snapshot, joint: usize| snapshot.joints[joint].parent.map(|parent| parent as usize);
    let is_same = |&(was, is): &(usize, usize)| match (parent(recorded, was), parent(now, is)) {
        (Some(was), is) => is.is_some() && joints.now(was) == is,
        (None, is) => is.is_none(),
    };
    joints.list.iter().map(is_same).collect()
}

pub(super) fn compare_skeletons(
    recorded: &Snapshot,
    now: &Snapshot,
    joints: &Pairs,
    same_parents: &[bool],
    found: &mut Comparison,
) {
    joints.report(["joint", "joints"], ComparedStage::Skeleton, found);
    for (&(was, is), _) in joints.list.iter().zip(same_parents).filter(|(_, same)| !**same) {
        let (then, today) = (recorded.joints[was].parent, now.joints[is].parent);
        // A removed or new parent is already reported.
        let is_reported = then.is_some_and(|parent| joints.gone.contains(&(parent as usize)))
            || today.is_some_and(|parent| joints.new.contains(&(parent as usize)));
        if !is_reported {
            let name = |snapshot: &Snapshot, parent: Option<u32>| {
                parent.map_or("none".to_owned(), |parent| format!("'{}'", snapshot.joints[parent as usize].name))
            };
            let (joint, before, today) = (&now.joints[is].name, name(recorded, then), name(now, today));
            let message = format!("parent of joint '{joint}' is {today}, was {before}");
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
    /// Compares two meshes. Without `same_joints`, numbers of joints are not comparable.
    fn new(was: &RecordedMesh, is: &RecordedMesh, same_joints: bool) -> Self {
        let joints = |mesh: &RecordedMesh| if same_joints { mesh.joints } else { was.joints };
        let lists = |mesh: &RecordedMesh| [mesh.triangles, mesh.uvs, joints(mesh), mesh.weights];
        let same_counts = lists(was).map(|list| list.count) == lists(is).map(|list| list.count);
        let same_shape = same_counts && was.shape == is.shape;
        let lists_of = [lists(was), lists(is)];
        let [triangles, uvs, joints, weights] =
            [0, 1, 2, 3].map(|list| lists_of[0][list].change_to(&lists_of[1][list]));
        // Of the three, one may be edited, too. New numbers of vertices change triangles.
        let moved = [uvs, joints, weights].iter().filter(|list| **list == ListChange::Reordered).count() >= 2;
        Self {
            name: is.name.clone(),
            same_vertex_count: was.vertices == is.vertices,
            reordered: (same_shape && lists_of[0] != lists_of[1]) || (moved && triangles != ListChange::Same),
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

/// Returns names by which meshes are paired. One whose shape the other snapshot has under another name is paired by its
/// shape.
fn mesh_keys([snapshot, other]: [&Snapshot; 2]) -> Vec<String> {
    let shapes: HashSet<u64> = other.meshes.iter().map(|mesh| mesh.shape).collect();
    let named: HashSet<(&str, u64)> = other.meshes.iter().map(|mesh| (mesh.name.as_str(), mesh.shape)).collect();
    let key = |mesh: &RecordedMesh| match named.contains(&(mesh.name.as_str(), mesh.shape)) {
        false if shapes.contains(&mesh.shape) => format!("shape {:016x}", mesh.shape),
        _ => mesh.name.clone(),
    };
    snapshot.meshes.iter().map(key).collect()
}

/// Compares names, counts and references of the meshes. Returns the changes of each pair, and true if vertices of all
/// meshes are comparable. A different order is a note, or a difference if `exact`.
pub(super) fn compare_meshes(
    recorded: &Snapshot,
    now: &Snapshot,
    same_joints: bool,
    exact: bool,
    found: &mut Comparison,
) -> (Vec<MeshChange>, bool) {
    let stage = ComparedStage::Mesh;
    let sides = [recorded, now].map(|of| &of.meshes);
    let content = |mesh: &RecordedMesh| {
        let lists = [mesh.triangles, mesh.uvs, mesh.joints, mesh.weights].map(|list| list.to_string());
        let lists = (0..).zip(&lists).map(|(aspect, list)| digest_of(aspect, list.as_bytes()));
        let numbers = [(4, mesh.bind), (5, mesh.surface)].map(|(aspect, of)| digest_of(aspect, &of.to_le_bytes()));
        lists.chain(numbers).collect()
    };
    let content = sides.map(|of| move |at: usize| content(&of[at]));
    let pairs = Pairs::by_name([[recorded, now], [now, recorded]].map(mesh_keys));
    let mut pairs = pairs.or_alike(content, |_| 2).or_alone([|_| (); 2]);
    pairs.names = sides.map(|of| of.iter().map(|mesh| mesh.name.clone()).collect());
    pairs.report(["mesh", "meshes"], ComparedStage::Document, found);
    let is_permuted = !pairs.is_complete() && pairs.gone.is_empty() && pairs.new.is_empty();
    if is_permuted && pairs.same_names() {
        found.push_order("meshes are in another order; their shapes are the same".to_owned(), exact);
    }
    let mut changes = Vec::with_capacity(now.meshes.len());
    for &(was, is) in &pairs.list {
        let (was, is) = (&recorded.meshes[was], &now.meshes[is]);
        let (change, name) = (MeshChange::new(was, is, same_joints), &is.name);
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
        let material = |snapshot: &Snapshot, mesh: &RecordedMesh| {
            snapshot.materials.get(mesh.material as usize).map_or("none".to_owned(), |of| format!("'{}'", of.name))
        };
        let (before, today) = (material(recorded, was), material(now, is));
        if before != today && was.material != is.material {
            found.push(stage, None, format!("mesh '{name}' has material {today}, had {before}"));
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
    (changes, pairs.is_complete())
}

/// Reports changed numbers of meshes if no frame shows the change.
pub(super) fn compare_mesh_numbers(meshes: &[MeshChange], strict: bool, found: &mut Comparison) {
    let differences = found.differences.iter().chain(&found.within_tolerance);
    let shown = differences.filter_map(|difference| match &difference.first.as_ref()?.part {
        Affected::Mesh(name) => Some(name.clone()),
        Affected::Joint(_) | Affected::Number(_) => None,
    });
    let shown: HashSet<String> = shown.collect();
    for mesh in meshes.iter().filter(|mesh| !shown.contains(&mesh.name)) {
        if let Some(cause) = mesh.numbers() {
            let difference = Difference::of_structure(ComparedStage::Mesh, None, format!("{cause} differ"));
            if strict { &mut found.differences } else { &mut found.within_tolerance }.push(difference);
        }
    }
}
