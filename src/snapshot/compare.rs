//! Comparison of two snapshots of a model, frame by frame.

mod pairs;
mod structure;

use super::difference::{
    Affected, Check, ComparedStage, Comparison, Difference, Exact, FrameRange, Occurrence, PoseDeviation, Tolerance,
};
use super::digest::Digest;
use super::record::{FIELD_OF_VIEW, RecordedFrames, Snapshot};
use super::sample::Sample;
use super::times::FrameRef;
use bindpose_core::model::{Skeleton, Transform};
use bindpose_core::pose::ModelPose;
use glam::{DAffine3, DVec3};
use pairs::Pairs;
use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use structure::{
    MeshChange, clip_pairs, compare_documents, compare_inputs, compare_mesh_numbers, compare_meshes, compare_skeletons,
    frame_shift, joint_pairs, same_parents,
};

impl Snapshot {
    /// Returns the snapshot with the name of another model, also in the names of clips that are named after the model's
    /// file.
    #[must_use]
    pub fn renamed_like(&self, other: &Snapshot) -> Self {
        let mut renamed = self.clone();
        renamed.model.clone_from(&other.model);
        for clip in &mut renamed.clips {
            match clip.name.strip_prefix(self.model.as_str()) {
                Some(number) if number.is_empty() || number.starts_with(' ') => {
                    clip.name = format!("{}{number}", other.model);
                }
                _ => {}
            }
        }
        renamed
    }

    /// Returns digests of names of joints, shapes of meshes, files and frames, ascending. Similar models have many in
    /// common.
    pub fn aspects(&self) -> Vec<u64> {
        let mut digest = Digest::default();
        self.joints.iter().for_each(|joint| digest.bytes(joint.name.as_bytes()));
        let mut aspects = vec![digest.finish()];
        aspects.extend(self.meshes.iter().map(|mesh| mesh.shape));
        let mut of_bytes = |bytes: &[u8]| {
            digest.bytes(bytes);
            digest.finish()
        };
        aspects.extend(self.inputs.iter().map(|input| of_bytes(input.xxh128.as_bytes())));
        let samples = self.clips.iter().flat_map(|clip| &clip.frames.samples);
        aspects.extend(samples.map(|sample| u64::from(sample.digests.local)));
        aspects.sort_unstable();
        aspects.dedup();
        aspects
    }

    /// Replaces the recorded frames of a clip, by its present name, with those of `now`, and its file's digest. Returns
    /// false if the clip is none of both, or if joints or meshes differ, so that the frames do not fit.
    pub fn accept_clip(&mut self, now: &Snapshot, clip: &str) -> bool {
        let fits = self.joints == now.joints && self.meshes == now.meshes && self.size == now.size;
        let joints: Vec<_> = (0..self.joints.len()).map(|joint| (joint, joint)).collect();
        let pairs = clip_pairs(self, now, &joints);
        let found = pairs.list.iter().find(|(_, is)| fits && now.clips[*is].name == clip);
        let Some(&(was, is)) = found else { return false };
        let was_named = |file: &str| Path::new(file).file_stem().is_some_and(|stem| stem == &*self.clips[was].name);
        let input = now.inputs.iter().find(|input| Path::new(&input.file).file_stem().is_some_and(|stem| stem == clip));
        let known = self.inputs.iter().position(|input| was_named(&input.file));
        if let Some((input, known)) = input.zip(known) {
            self.inputs[known] = input.clone();
        }
        self.clips[was] = now.clips[is].clone();
        true
    }

    /// Compares the recorded snapshot (`self`) with the present one.
    pub fn compare(&self, now: &Snapshot, check: &Check) -> Comparison {
        let mut found = Comparison { inputs: compare_inputs(self, now), ..Comparison::default() };
        let strict = match check.exact {
            Exact::Never => false,
            Exact::Edits => !found.inputs.is_empty(),
            Exact::Always => true,
        };
        let joints = joint_pairs(self, now);
        let same_parents = same_parents(self, now, &joints);
        let is_aligned = joints.is_complete() && same_parents.iter().all(|same| *same);
        let steady = joints.list.iter().zip(&same_parents).filter(|(_, same)| **same).map(|(pair, _)| *pair);
        let steady: Vec<(usize, usize)> = steady.collect();
        let mut clips = clip_pairs(self, now, &steady);
        compare_documents(self, now, (&joints, &steady), &mut clips, &mut found);
        compare_skeletons(self, now, &joints, &same_parents, &mut found);
        let (meshes, same_meshes) = compare_meshes(self, now, is_aligned, check.exact == Exact::Always, &mut found);
        let context = Context {
            recorded: self,
            now,
            skeletons: [self.skeleton(), now.skeleton()],
            parents: joints.list.iter().map(|&(joint, _)| paired_ancestor(self, &joints, joint)).collect(),
            joints: &joints.list,
            steady: &steady,
            same_parents,
            is_aligned,
            meshes: if same_meshes { &meshes } else { &[] },
            strict,
            check,
        };
        context.compare_frames(None, &self.rest, &now.rest, &mut found);
        for &(was, is) in &clips.list {
            let (was, is) = (&self.clips[was], &now.clips[is]);
            context.compare_frames(Some([&was.name, &is.name]), &was.frames, &is.frames, &mut found);
        }
        compare_mesh_numbers(&meshes, strict, &mut found);
        found.differences.sort_by_key(|difference| difference.stage);
        found
    }
}

/// Pairs recorded models with present ones of other names by their [`Snapshot::aspects`]: those that have all in common,
/// then those that have most, at least a third.
pub fn pair_models(recorded: &[Vec<u64>], now: &[Vec<u64>]) -> Vec<(usize, usize)> {
    let names = [recorded, now].map(|models| models.iter().map(|aspects| format!("{aspects:x?}")).collect());
    let content = [recorded, now].map(|models| |at: usize| models[at].clone());
    Pairs::by_name(names).or_alike(content, |aspects| aspects.div_ceil(3)).list
}

/// Returns the pair of the nearest ancestor of a recorded joint that has one.
fn paired_ancestor(recorded: &Snapshot, joints: &Pairs, joint: usize) -> Option<usize> {
    let mut parent = recorded.joints[joint].parent;
    while let Some(joint) = parent.map(|joint| joint as usize) {
        if let Ok(pair) = joints.list.binary_search_by_key(&joint, |&(recorded, _)| recorded) {
            return Some(pair);
        }
        parent = recorded.joints[joint].parent;
    }
    None
}

/// Inputs of a comparison of frames.
struct Context<'a> {
    recorded: &'a Snapshot,
    now: &'a Snapshot,
    /// The recorded one, and the present one.
    skeletons: [Skeleton; 2],
    /// Index in the recorded snapshot, index now.
    joints: &'a [(usize, usize)],
    /// Those of these pairs whose parents are a pair too.
    steady: &'a [(usize, usize)],
    /// For each of these pairs, the index of the pair of its nearest recorded ancestor.
    parents: Vec<Option<usize>>,
    /// True for pairs whose parents are a pair too.
    same_parents: Vec<bool>,
    /// True if all joints have the same indices and parents, so that digests of all joints are comparable.
    is_aligned: bool,
    /// One per mesh; empty if vertices cannot be compared.
    meshes: &'a [MeshChange],
    strict: bool,
    check: &'a Check,
}

/// Allowed deviations of one joint, or of the vertices.
#[derive(Clone, Copy)]
struct Limit {
    tolerance: Tolerance,
    /// True if no bit may differ.
    strict: bool,
}

impl Limit {
    /// True if a deviation of something whose bits differ is a difference.
    fn is_broken(&self, deviation: &PoseDeviation) -> bool {
        self.strict || deviation.exceeds(&self.tolerance)
    }
}

/// Parts of one sample that differ, by their numbers.
type Parts = Vec<(usize, Affected, PoseDeviation)>;

/// Differing samples of a clip.
#[derive(Default)]
struct Runs {
    beyond: Option<Run>,
    within: Option<Run>,
}

/// Samples that differ at one stage.
struct Run {
    stage: ComparedStage,
    first: Occurrence,
    worst: Occurrence,
    /// The worst part of each sample.
    frames: Vec<Occurrence>,
    ranges: Vec<RangeInProgress>,
}

/// Consecutive samples that differ.
struct RangeInProgress {
    first: FrameRef,
    last: FrameRef,
    /// Number of the last sample among those compared.
    number: usize,
    parts: BTreeMap<usize, Occurrence>,
    /// Pairs of joints that moved.
    moved: BTreeSet<usize>,
}

impl Run {
    /// Adds a sample with at least one part that differs.
    fn extend(
        run: &mut Option<Self>,
        stage: ComparedStage,
        (number, sample): (usize, &Sample),
        parts: Parts,
        moved: impl IntoIterator<Item = usize>,
        tolerance: &Tolerance,
    ) {
        let is_worse =
            |a: &Occurrence, b: &Occurrence| a.deviation.compare_badness(&b.deviation, tolerance) == Ordering::Greater;
        let occurrence = |(key, part, deviation): (usize, Affected, PoseDeviation)| {
            (key, Occurrence { frame: sample.frame, time: sample.time, part, deviation })
        };
        let parts: Vec<(usize, Occurrence)> = parts.into_iter().map(occurrence).collect();
        let Some((_, first)) = parts.first() else { return };
        let worst = parts.iter().fold(first, |worst, (_, part)| if is_worse(part, worst) { part } else { worst });
        let (first, worst) = (first.clone(), worst.clone());
        let run = run.get_or_insert_with(|| Self {
            stage,
            first,
            worst: worst.clone(),
            frames: Vec::new(),
            ranges: Vec::new(),
        });
        if is_worse(&worst, &run.worst) {
            run.worst = worst.clone();
        }
        run.frames.push(worst);
        if run.ranges.last().is_none_or(|range| range.number + 1 != number || sample.frame.is_between) {
            let (first, parts, moved) = (sample.frame, BTreeMap::new(), BTreeSet::new());
            run.ranges.push(RangeInProgress { first, last: first, number, parts, moved });
        }
        let Some(range) = run.ranges.last_mut() else { return };
        (range.last, range.number) = (sample.frame, number);
        range.moved.extend(moved);
        for (key, part) in parts {
            match range.parts.get(&key) {
                Some(known) if !is_worse(&part, known) => {}
                _ => drop(range.parts.insert(key, part)),
            }
        }
    }
}

impl RangeInProgress {
    fn finish(self) -> FrameRange {
        let Self { first, last, parts, moved, .. } = self;
        let followers = moved.iter().filter(|pair| !parts.contains_key(pair)).count();
        FrameRange { first, last, parts: parts.into_values().collect(), followers }
    }
}

/// Two recordings of a clip, and its names then and now. There is no name for the rest pose.
struct Frames<'a> {
    clip: Option<[&'a str; 2]>,
    recorded: &'a RecordedFrames,
    now: &'a RecordedFrames,
    /// True if both have the same samples, so that the digests over all of them are comparable.
    comparable: bool,
    /// One limit per pair of joints; empty without rules.
    limits: Vec<Limit>,
    vertex_limit: Limit,
}

impl Frames<'_> {
    fn local_differs(&self, (was, is): (usize, usize)) -> bool {
        !self.comparable || self.recorded.local.get(was) != self.now.local.get(is)
    }

    fn model_differs(&self, (was, is): (usize, usize)) -> bool {
        !self.comparable || self.recorded.model.get(was) != self.now.model.get(is)
    }

    fn limit(&self, pair: usize) -> &Limit {
        self.limits.get(pair).unwrap_or(&self.vertex_limit)
    }

    /// Pairs samples of the same frame. Frames after removed or added ones are paired at their new number.
    fn pairs(&self, steady: &[(usize, usize)]) -> Vec<(&Sample, &Sample)> {
        let shift = frame_shift(self.recorded, self.now, steady);
        let today: HashMap<FrameRef, &Sample> = self.now.samples.iter().map(|sample| (sample.frame, sample)).collect();
        let pair = |sample: &'_ Sample| {
            let frame = match &shift {
                Some(shift) => shift.moved(sample.frame)?,
                None => sample.frame,
            };
            today.get(&frame).copied()
        };
        self.recorded.samples.iter().filter_map(|sample| Some((sample, pair(sample)?))).collect()
    }
}

/// A sample of each side, with model-space poses that are computed when they are needed.
struct Posed<'a> {
    number: usize,
    was: &'a Sample,
    is: &'a Sample,
    poses: OnceCell<[ModelPose; 2]>,
}

impl Posed<'_> {
    fn poses(&self, skeletons: &[Skeleton; 2]) -> &[ModelPose; 2] {
        self.poses.get_or_init(|| [self.was.model_pose(&skeletons[0]), self.is.model_pose(&skeletons[1])])
    }
}

impl Context<'_> {
    fn compare_frames(
        &self,
        clip: Option<[&str; 2]>,
        recorded: &RecordedFrames,
        now: &RecordedFrames,
        found: &mut Comparison,
    ) {
        let comparable =
            recorded.samples.iter().map(|sample| sample.frame).eq(now.samples.iter().map(|sample| sample.frame));
        // Without rules, all limits are equal.
        let limited = if self.check.rules.is_empty() { &[] } else { self.joints };
        let name = clip.map(|[_, now]| now);
        let limits = limited.iter().map(|&(_, joint)| self.limit(name, Some(&self.now.joints[joint].name)));
        let frames =
            Frames { clip, recorded, now, comparable, limits: limits.collect(), vertex_limit: self.limit(name, None) };
        let pairs = frames.pairs(self.steady);
        let (keys, between): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|(was, _)| !was.frame.is_between);
        self.compare_numbers(&frames, &keys, found);
        // A differing key also changes the times before and after it, so only the key is reported.
        if self.compare_samples(&frames, &keys, "frames", found) {
            self.compare_samples(&frames, &between, "times between frames", found);
        }
    }

    /// Returns the limit of a joint of a clip, or without a joint, of the clip's vertices.
    fn limit(&self, clip: Option<&str>, joint: Option<&str>) -> Limit {
        let mut limit = Limit { tolerance: self.check.tolerance, strict: self.strict };
        for rule in self.check.rules.iter().filter(|rule| rule.applies_to(clip, joint)) {
            rule.apply(&mut limit.tolerance);
            limit.strict = self.check.exact == Exact::Always;
        }
        limit
    }

    /// Compares the numbers that the file has for each frame.
    fn compare_numbers(&self, frames: &Frames<'_>, pairs: &[(&Sample, &Sample)], found: &mut Comparison) {
        let names = &frames.now.numbers;
        let mut runs = Runs::default();
        let same_names = *names == frames.recorded.numbers;
        // Equal numbers may lie on other grids, because the grid follows from the model's size.
        let differs = |(was, is): &(&Sample, &Sample)| same_names && was.digests.numbers != is.digests.numbers;
        for (number, (was, is)) in pairs.iter().enumerate().filter(|(_, pair)| differs(pair)) {
            let part = |(index, name): (usize, &String)| {
                let position = gap(*was.numbers.get(index)?, *is.numbers.get(index)?).abs();
                let share = position / self.recorded.size;
                let deviation = PoseDeviation { position, share, ..PoseDeviation::default() };
                (position > 0.0).then(|| (index, Affected::Number(name.clone()), deviation))
            };
            let mut parts: Parts = names.iter().enumerate().filter_map(part).collect();
            if parts.is_empty() {
                let name = names.first().cloned().unwrap_or_default();
                parts.push((0, Affected::Number(name), PoseDeviation::default()));
            }
            let limit = &frames.vertex_limit;
            let is_beyond = parts.iter().any(|(.., deviation)| limit.is_broken(deviation));
            let run = if is_beyond { &mut runs.beyond } else { &mut runs.within };
            Run::extend(run, ComparedStage::Numbers, (number, is), parts, [], &limit.tolerance);
        }
        let who = if *names == FIELD_OF_VIEW { "fields of view" } else { "bounds" };
        self.report(frames, runs, who, pairs.len(), "frames", found);
    }

    /// Compares samples one by one. Returns true if all are equal within the tolerance.
    fn compare_samples(
        &self,
        frames: &Frames<'_>,
        pairs: &[(&Sample, &Sample)],
        noun: &str,
        found: &mut Comparison,
    ) -> bool {
        let (mut poses, mut vertices) = (Runs::default(), Runs::default());
        for (number, &(was, is)) in pairs.iter().enumerate() {
            let posed = Posed { number, was, is, poses: OnceCell::new() };
            // If joints differ, their vertices follow, so vertices are not compared.
            if let Some(follow) = self.compare_pose(frames, &posed, &mut poses) {
                self.compare_vertices(frames, &posed, &follow, &mut vertices);
            }
        }
        if poses.beyond.is_some() {
            vertices.beyond = None;
        }
        let same = poses.beyond.is_none() && vertices.beyond.is_none();
        self.report(frames, poses, "joints", pairs.len(), noun, found);
        self.report(frames, vertices, "vertices", pairs.len(), noun, found);
        same
    }

    fn report(&self, frames: &Frames<'_>, runs: Runs, who: &str, count: usize, noun: &str, found: &mut Comparison) {
        let difference = |run: Run| {
            let Run { stage, first, worst, frames: occurrences, ranges } = run;
            let mut message = match frames.clip {
                None => format!("{who} of the rest pose differ"),
                Some(_) => format!("{who} differ in {} of {count} {noun}", occurrences.len()),
            };
            if let (ComparedStage::Mesh, Affected::Mesh(name)) = (stage, &first.part)
                && let Some(cause) = self.meshes.iter().find(|mesh| mesh.name == *name).and_then(MeshChange::numbers)
            {
                message = format!("{message}: {cause}");
            }
            if stage == ComparedStage::ModelPose {
                message += ": products along the hierarchy; distances are estimates";
            }
            Difference {
                stage,
                clip: frames.clip.map(|[_, now]| now.to_owned()),
                was: frames.clip.filter(|[was, now]| was != now).map(|[was, _]| was.to_owned()),
                message,
                first: Some(first),
                worst: Some(worst),
                frames: occurrences,
                ranges: ranges.into_iter().map(RangeInProgress::finish).collect(),
            }
        };
        found.differences.extend(runs.beyond.map(difference));
        found.within_tolerance.extend(runs.within.map(difference));
    }

    /// Compares the joints of a sample. Returns the largest deviation of a joint in model space if all are within the
    /// tolerance.
    fn compare_pose(&self, frames: &Frames<'_>, posed: &Posed<'_>, runs: &mut Runs) -> Option<PoseDeviation> {
        let (was, is) = (posed.was, posed.is);
        let differs = |digest: fn(&Sample) -> u32| self.is_aligned && digest(was) != digest(is);
        let (local, model) = (differs(|sample| sample.digests.local), differs(|sample| sample.digests.model));
        if self.is_aligned && !local && !model {
            return Some(PoseDeviation::default());
        }
        let is_rounded = is.frame.is_between && self.is_rounded(was, is);
        let has_own = |pair: &usize| !self.same_parents[*pair] || frames.local_differs(self.joints[*pair]);
        let own = |pair: usize| (pair, self.own_deviation(pair, posed));
        // Products of numbers of the grid are rounded.
        let zero = Tolerance { position: 0.0, angle: 0.0, stretch: 0.0 };
        let rounding = |pair: usize| if self.same_parents[pair] { zero } else { Tolerance::default() };
        let is_real = |&(pair, own): &(usize, PoseDeviation)| own.exceeds(&rounding(pair));
        let mut changed: Vec<_> = (0..self.joints.len()).filter(has_own).map(own).filter(is_real).collect();
        let mut stage = if frames.clip.is_some() { ComparedStage::Local } else { ComparedStage::Skeleton };
        if changed.is_empty() && (local || model) && !is_rounded {
            // The bits differ by less than the grid, or only the products do.
            let has_bits = |pair: &usize| match local {
                true => frames.local_differs(self.joints[*pair]),
                false => frames.model_differs(self.joints[*pair]),
            };
            let bits = (0..self.joints.len()).filter(has_bits);
            let first = bits.clone().find(|&pair| frames.limit(pair).strict).or_else(|| bits.clone().next());
            let deviation = if local { PoseDeviation::default() } else { self.product_deviation(was, is) };
            changed.extend(first.map(|pair| (pair, deviation)));
            stage = if local { stage } else { ComparedStage::ModelPose };
        }
        let is_broken = |&(pair, own): &(usize, PoseDeviation)| match is_rounded {
            true => own.exceeds(&frames.limit(pair).tolerance),
            false => frames.limit(pair).is_broken(&own),
        };
        let is_beyond = changed.iter().any(is_broken);
        if changed.is_empty() {
            return Some(PoseDeviation::default());
        }
        if is_rounded && !is_beyond {
            return Some(self.model_deviation(posed));
        }
        changed.retain(|part| !is_beyond || is_broken(part));
        let name = |pair: usize| self.now.joints[self.joints[pair].1].name.clone();
        let parts = changed.into_iter().map(|(pair, own)| (pair, Affected::Joint(name(pair)), own)).collect();
        let run = if is_beyond { &mut runs.beyond } else { &mut runs.within };
        let moved = if stage == ComparedStage::ModelPose { Vec::new() } else { self.moved(posed) };
        Run::extend(run, stage, (posed.number, is), parts, moved, &self.check.tolerance);
        (!is_beyond).then(|| self.model_deviation(posed))
    }

    /// True if samples may differ by rounding alone: at another frame rate, and between the equal frames of an edited file.
    fn is_rounded(&self, was: &Sample, is: &Sample) -> bool {
        was.time != is.time || (is.frame.is_between && self.strict && self.check.exact == Exact::Edits)
    }

    /// Returns the pairs of joints that moved in model space.
    fn moved(&self, posed: &Posed<'_>) -> Vec<usize> {
        let [was, is] = posed.poses(&self.skeletons);
        let is_moved = |pair: &usize| {
            let (a, b) = self.joints[*pair];
            let distance = was.0[a].translation.distance(is.0[b].translation) / self.recorded.size;
            let turned = was.0[a].matrix3 - is.0[b].matrix3;
            let turned = turned.to_cols_array().into_iter().fold(0.0, |most: f64, part| most.max(part.abs()));
            distance > Tolerance::default().position || turned > Tolerance::default().stretch
        };
        (0..self.joints.len()).filter(is_moved).collect()
    }

    /// Returns the largest deviation of a joint in model space.
    fn model_deviation(&self, posed: &Posed<'_>) -> PoseDeviation {
        let [was, is] = posed.poses(&self.skeletons);
        let of_pair = |&(a, b): &(usize, usize)| {
            let [was, is] = [was.0[a], is.0[b]].map(Transform::from_affine);
            self.deviation(&was, &is, &DAffine3::IDENTITY)
        };
        let all = self.joints.iter().map(of_pair);
        all.max_by(|a, b| a.compare_badness(b, &self.check.tolerance)).unwrap_or_default()
    }

    /// Estimates from sums how far the products along the hierarchy differ.
    fn product_deviation(&self, was: &Sample, is: &Sample) -> PoseDeviation {
        let [position, turned] = [0, 1].map(|sum| gaps(was.joint_sums[sum], is.joint_sums[sum]).length());
        let (share, angle) = (position / self.recorded.size, turned.to_degrees().min(180.0));
        PoseDeviation { position, share, angle, stretch: 0.0 }
    }

    /// Compares the sums of vertices whose joints deviate by at most `follow`.
    fn compare_vertices(&self, frames: &Frames<'_>, posed: &Posed<'_>, follow: &PoseDeviation, runs: &mut Runs) {
        let (was, is) = (posed.was, posed.is);
        let positions = !self.meshes.is_empty() && self.meshes.iter().all(MeshChange::keeps_vertices);
        let shading = positions && self.meshes.iter().all(MeshChange::keeps_shading);
        let position_bits = positions && was.digests.positions != is.digests.positions;
        let shading_bits = shading && was.digests.shading != is.digests.shading;
        if !position_bits && !shading_bits {
            return;
        }
        let mut deviation = self.vertex_deviation(was, is);
        if !shading {
            deviation.angle = 0.0;
        }
        let limit = self.limit_of_followers(&frames.vertex_limit.tolerance, follow);
        let moved = position_bits || deviation.share > limit.position;
        let (then, today) = match moved {
            true => (&frames.recorded.positions, &frames.now.positions),
            false => (&frames.recorded.shading, &frames.now.shading),
        };
        let mesh = then.iter().zip(today).position(|(was, is)| was != is).filter(|_| frames.comparable).unwrap_or(0);
        let Some(change) = self.meshes.get(mesh) else { return };
        let stage = if change.explains(moved) { ComparedStage::Mesh } else { ComparedStage::Vertices };
        // An edited vertex turns normals by any angle: MD5 uses those of its largest triangle. Unless a tolerance for
        // angles asks for them, only the cause is reported and held against a tolerance.
        if moved && change.explains(true) && frames.vertex_limit.tolerance.angle <= Tolerance::default().angle {
            deviation.angle = 0.0;
        }
        // Without a tolerance for edits, a moved joint still moves its vertices, and other products are rounded
        // differently.
        let is_rounded = !self.is_aligned || self.is_rounded(was, is);
        let strict = frames.vertex_limit.strict && *follow == PoseDeviation::default() && !is_rounded;
        let is_beyond = deviation.exceeds(&limit) || strict;
        if !is_beyond && is_rounded && stage == ComparedStage::Vertices {
            return;
        }
        let run = if is_beyond { &mut runs.beyond } else { &mut runs.within };
        let parts = vec![(mesh, Affected::Mesh(change.name.clone()), deviation)];
        Run::extend(run, stage, (posed.number, is), parts, [], &self.check.tolerance);
    }

    /// Returns the tolerance of the sums of vertices if joints move each vertex by up to `follow`. Signs are random, so
    /// it is four standard deviations.
    fn limit_of_followers(&self, tolerance: &Tolerance, follow: &PoseDeviation) -> Tolerance {
        let vertices: f64 = self.recorded.meshes.iter().map(|mesh| f64::from(mesh.vertices)).sum();
        let together = 4.0 * vertices.sqrt();
        let reach = follow.share + follow.angle.to_radians() + follow.stretch;
        Tolerance {
            position: tolerance.position + reach * together,
            angle: tolerance.angle + (follow.angle + follow.stretch.to_degrees()) * together,
            ..*tolerance
        }
    }

    /// Returns the deviation of a joint relative to its parent, without the parent's own deviation. If its parent is
    /// another one, both poses are relative to the recorded one.
    fn own_deviation(&self, pair: usize, posed: &Posed<'_>) -> PoseDeviation {
        let (a, b) = self.joints[pair];
        let identity = Transform::IDENTITY;
        let (was, is) = (posed.was.joints.get(a).unwrap_or(&identity), posed.is.joints.get(b).unwrap_or(&identity));
        if self.same_parents[pair] {
            if was == is {
                return PoseDeviation::default();
            }
            let space = self.parents[pair].map(|parent| posed.poses(&self.skeletons)[0].0[self.joints[parent].0]);
            return self.deviation(was, is, &space.unwrap_or(DAffine3::IDENTITY));
        }
        let poses = posed.poses(&self.skeletons);
        let own = |side: usize, joint: usize, parent: Option<usize>| {
            let parent = parent.map_or(DAffine3::IDENTITY, |parent| poses[side].0[parent]);
            let own = parent.inverse() * poses[side].0[joint];
            // A parent with a scale of zero has no inverse.
            if own.is_finite() { own } else { poses[side].0[joint] }
        };
        let parent = self.parents[pair].map(|parent| self.joints[parent]);
        let [was, is] = [own(0, a, parent.map(|parent| parent.0)), own(1, b, parent.map(|parent| parent.1))];
        let space = parent.map_or(DAffine3::IDENTITY, |parent| poses[0].0[parent.0]);
        self.deviation(&Transform::from_affine(was), &Transform::from_affine(is), &space)
    }

    /// Returns the deviation between two poses of a joint in a space, whose map to model space gives their distance.
    fn deviation(&self, was: &Transform, is: &Transform, space: &DAffine3) -> PoseDeviation {
        let gaps = gaps(was.translation, is.translation);
        let in_model = space.transform_vector3(gaps).length();
        let position = if in_model.is_finite() && gaps.is_finite() { in_model } else { gaps.length() };
        let chord = |sign: f64| {
            let gaps =
                was.rotation.to_array().into_iter().zip(is.rotation.to_array()).map(|(was, is)| gap(was, sign * is));
            gaps.map(|gap| gap * gap).sum::<f64>().sqrt()
        };
        // This formula is precise for small angles; the arc cosine of the product is not.
        let angle = 4.0 * libm::asin((chord(1.0).min(chord(-1.0)) / 2.0).min(1.0));
        let stretch = gaps_of_stretch(was, is);
        PoseDeviation { position, share: position / self.recorded.size, angle: angle.to_degrees(), stretch }
    }

    /// Estimates from sums and bounds how far vertices moved and normals turned.
    fn vertex_deviation(&self, was: &Sample, is: &Sample) -> PoseDeviation {
        let moved = |was: DVec3, is: DVec3| gaps(was, is).length();
        let [first, second] = [0, 1].map(|sum| moved(was.position_sums[sum], is.position_sums[sum]));
        let corners = match (was.bounds, is.bounds) {
            (Some(was), Some(is)) => moved(was.0, is.0).max(moved(was.1, is.1)),
            _ => 0.0,
        };
        let position = ((first * first + second * second) / 2.0).sqrt().max(corners);
        let angle = moved(was.shading_sum, is.shading_sum).to_degrees().min(180.0);
        PoseDeviation { position, share: position / self.recorded.size, angle, stretch: 0.0 }
    }
}

fn gaps_of_stretch(was: &Transform, is: &Transform) -> f64 {
    let scale = gaps(was.scale, is.scale).abs().max_element();
    scale.max(gaps(was.shear, is.shear).abs().max_element())
}

fn gaps(was: DVec3, is: DVec3) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|axis| gap(was[axis], is[axis])))
}

/// Returns the difference of two numbers. Not-a-number equals itself and is infinitely far from any number.
fn gap(was: f64, is: f64) -> f64 {
    if was == is || (was.is_nan() && is.is_nan()) {
        return 0.0;
    }
    let gap = is - was;
    if gap.is_nan() { f64::INFINITY } else { gap }
}
