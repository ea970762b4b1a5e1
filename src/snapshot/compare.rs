//! Comparison of two snapshots of a model, frame by frame.

mod structure;

use super::codec::{Grid, UNIT};
use super::difference::{
    Affected, Check, ComparedStage, Comparison, Difference, Exact, Occurrence, PoseDeviation, Tolerance,
};
use super::digest::{Digest, canonical};
use super::record::{RecordedFrames, Sample, Snapshot};
use super::times::FrameRef;
use bindpose_core::model::Transform;
use glam::{DQuat, DVec3};
use std::cmp::Ordering;
use std::collections::HashMap;
use structure::{
    MeshChange, clip_pairs, compare_documents, compare_inputs, compare_mesh_numbers, compare_meshes, compare_skeletons,
    frame_shift, joint_pairs,
};

impl Snapshot {
    /// Returns a digest of all frames and their times. It does not depend on the model's name.
    pub fn frames_digest(&self) -> u64 {
        let mut digest = Digest::default();
        let clips = self.clips.iter().map(|clip| &clip.frames);
        for frames in std::iter::once(&self.rest).chain(clips) {
            for column in [&frames.local, &frames.model, &frames.positions, &frames.shading] {
                digest.integer(column.len() as u64);
                column.iter().for_each(|&of_one| digest.integer(of_one));
            }
            frames.samples.iter().for_each(|sample| digest.number(sample.time));
        }
        digest.finish()
    }

    /// True if `now` equals the recorded snapshot to the bit, apart from the names of the model and of clips that are
    /// named after the model's file.
    pub fn is_renamed(&self, now: &Snapshot) -> bool {
        let mut renamed = self.clone();
        renamed.model.clone_from(&now.model);
        for clip in &mut renamed.clips {
            match clip.name.strip_prefix(self.model.as_str()) {
                Some(number) if number.is_empty() || number.starts_with(' ') => {
                    clip.name = format!("{}{number}", now.model);
                }
                _ => {}
            }
        }
        renamed.compare(now, &Check { exact: Exact::Always, ..Check::default() }).is_same()
    }

    /// Compares the recorded snapshot (`self`) with the present one.
    pub fn compare(&self, now: &Snapshot, check: &Check) -> Comparison {
        let mut found = Comparison { inputs: compare_inputs(self, now), ..Comparison::default() };
        let strict = match check.exact {
            Exact::Never => false,
            Exact::Edits => !found.inputs.is_empty(),
            Exact::Always => true,
        };
        compare_documents(self, now, &mut found);
        compare_skeletons(self, now, &mut found);
        let meshes = compare_meshes(self, now, check.exact == Exact::Always, &mut found);
        let joints = joint_pairs(self, now);
        let parent = |&(recorded, _): &(usize, usize)| {
            let parent = self.joints[recorded].parent? as usize;
            joints.binary_search_by_key(&parent, |&(recorded, _)| recorded).ok()
        };
        let context = Context {
            recorded: self,
            parents: joints.iter().map(parent).collect(),
            joints: &joints,
            same_joints: self.joints == now.joints,
            meshes: &meshes,
            strict,
            check,
            grid: Grid::for_size(self.size),
        };
        context.compare_frames(None, &self.rest, &now.rest, &mut found);
        for (recorded, now) in clip_pairs(self, now) {
            context.compare_frames(Some(&recorded.name), &recorded.frames, &now.frames, &mut found);
        }
        compare_mesh_numbers(&meshes, strict, &mut found);
        found.differences.sort_by_key(|difference| difference.stage);
        found
    }
}

/// Inputs of a comparison of frames.
struct Context<'a> {
    recorded: &'a Snapshot,
    /// Index in the recorded snapshot, index now.
    joints: &'a [(usize, usize)],
    /// For each of these pairs, the index of the pair of its recorded parent.
    parents: Vec<Option<usize>>,
    same_joints: bool,
    /// One per mesh; empty if meshes cannot be paired.
    meshes: &'a [MeshChange],
    strict: bool,
    check: &'a Check,
    grid: Grid,
}

/// Allowed deviations of one joint, or of the vertices.
#[derive(Clone, Copy)]
struct Limit {
    tolerance: Tolerance,
    /// True if no bit may differ.
    strict: bool,
}

/// Result for the joints of one sample.
enum PoseOutcome {
    /// Equal bits.
    Same,
    /// Within the tolerance, with this largest deviation.
    Within(PoseDeviation),
    /// Beyond the tolerance.
    Beyond,
}

/// Differing samples of a clip.
#[derive(Default)]
struct Runs {
    beyond: Option<Run>,
    within: Option<Run>,
}

/// Consecutive samples that differ at one stage.
struct Run {
    stage: ComparedStage,
    first: Occurrence,
    worst: Occurrence,
    /// The worst part of each sample.
    frames: Vec<Occurrence>,
}

impl Run {
    fn extend(
        run: &mut Option<Self>,
        stage: ComparedStage,
        first: Occurrence,
        worst: Occurrence,
        tolerance: &Tolerance,
    ) {
        match run {
            None => *run = Some(Self { stage, first, frames: vec![worst.clone()], worst }),
            Some(run) => {
                run.frames.push(worst.clone());
                if worst.deviation.compare_badness(&run.worst.deviation, tolerance) == Ordering::Greater {
                    run.worst = worst;
                }
            }
        }
    }
}

/// Two recordings of a clip, and its name. The name is `None` for the rest pose.
struct Frames<'a> {
    clip: Option<&'a str>,
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

    /// Pairs samples of the same frame. Frames after removed or added ones are paired at their new number.
    fn pairs(&self) -> Vec<(&Sample, &Sample)> {
        let shift = frame_shift(self.recorded, self.now);
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

impl Context<'_> {
    fn compare_frames(
        &self,
        clip: Option<&str>,
        recorded: &RecordedFrames,
        now: &RecordedFrames,
        found: &mut Comparison,
    ) {
        let same_frames =
            recorded.samples.iter().map(|sample| sample.frame).eq(now.samples.iter().map(|sample| sample.frame));
        // Without rules, all limits are equal.
        let limited = if self.check.rules.is_empty() { &[] } else { self.joints };
        let limits = limited.iter().map(|&(joint, _)| self.limit(clip, Some(&self.recorded.joints[joint].name)));
        let frames = Frames {
            clip,
            recorded,
            now,
            comparable: same_frames,
            limits: limits.collect(),
            vertex_limit: self.limit(clip, None),
        };
        let pairs = frames.pairs();
        let (keys, between): (Vec<_>, Vec<_>) =
            pairs.into_iter().partition(|(was, _)| matches!(was.frame, FrameRef::At(_)));
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

    /// Compares samples one by one. Returns true if all are equal within the tolerance.
    fn compare_samples(
        &self,
        frames: &Frames<'_>,
        pairs: &[(&Sample, &Sample)],
        noun: &str,
        found: &mut Comparison,
    ) -> bool {
        let (mut poses, mut vertices) = (Runs::default(), Runs::default());
        for &(was, is) in pairs {
            match self.compare_pose(frames, was, is, &mut poses) {
                // If joints differ, their vertices follow, so vertices are not compared.
                PoseOutcome::Beyond => {}
                PoseOutcome::Within(worst) => self.compare_vertices(frames, was, is, &worst, &mut vertices),
                PoseOutcome::Same => {
                    self.compare_vertices(frames, was, is, &PoseDeviation::default(), &mut vertices);
                }
            }
        }
        let difference = |run: Run, who: &str| {
            let Run { stage, first, worst, frames: occurrences } = run;
            let mut message = match frames.clip {
                None => format!("{who} of the rest pose differ"),
                Some(_) => format!("{who} differ in {} of {} {noun}", occurrences.len(), pairs.len()),
            };
            if let (ComparedStage::Mesh, Affected::Mesh(name)) = (stage, &first.part)
                && let Some(cause) = self.meshes.iter().find(|mesh| mesh.name == *name).and_then(MeshChange::numbers)
            {
                message = format!("{message}: {cause}");
            }
            let clip = frames.clip.map(str::to_owned);
            Difference { stage, clip, message, first: Some(first), worst: Some(worst), frames: occurrences }
        };
        if poses.beyond.is_some() {
            vertices.beyond = None;
        }
        let same = poses.beyond.is_none() && vertices.beyond.is_none();
        found.differences.extend(poses.beyond.map(|run| difference(run, "joints")));
        found.differences.extend(vertices.beyond.map(|run| difference(run, "vertices")));
        found.within_tolerance.extend(poses.within.map(|run| difference(run, "joints")));
        found.within_tolerance.extend(vertices.within.map(|run| difference(run, "vertices")));
        same
    }

    fn compare_pose(&self, frames: &Frames<'_>, was: &Sample, is: &Sample, runs: &mut Runs) -> PoseOutcome {
        let local_bits = self.same_joints && was.digests.local != is.digests.local;
        let bits = local_bits || (self.same_joints && was.digests.model != is.digests.model);
        let deviations: Vec<PoseDeviation> =
            self.joints.iter().map(|&(a, b)| self.deviation(&was.joints[a], &is.joints[b])).collect();
        let is_over = |pair: usize| {
            let tolerance = &frames.limits.get(pair).unwrap_or(&frames.vertex_limit).tolerance;
            deviations[pair].exceeds(tolerance) && self.own_deviation(pair, was, is).exceeds(tolerance)
        };
        let over = (0..deviations.len()).any(is_over);
        let beyond = over || (bits && self.breaks_strictness(frames));
        if !beyond && !bits {
            return PoseOutcome::Same;
        }
        let tolerance = &self.check.tolerance;
        let limit = if self.strict || !over { Tolerance::LEAST } else { *tolerance };
        let badness = |a: &usize, b: &usize| deviations[*a].compare_badness(&deviations[*b], tolerance);
        let worst = (0..deviations.len()).rev().max_by(badness);
        let outcome = match worst {
            Some(worst) if !beyond => PoseOutcome::Within(deviations[worst]),
            _ if !beyond => PoseOutcome::Same,
            _ => PoseOutcome::Beyond,
        };
        let Some((first, worst)) = self.first_joint(&deviations, &limit, frames).zip(worst) else { return outcome };
        // Digests of whole samples are comparable only if the joints are the same. Digests of one joint are always
        // comparable.
        let local = if self.same_joints { local_bits } else { frames.local_differs(self.joints[first]) };
        let stage = match frames.clip {
            Some(_) if local => ComparedStage::Local,
            None if local => ComparedStage::Skeleton,
            _ => ComparedStage::ModelPose,
        };
        let occurrence = |pair: usize| Occurrence {
            frame: is.frame,
            time: is.time,
            part: Affected::Joint(self.recorded.joints[self.joints[pair].0].name.clone()),
            deviation: deviations[pair],
        };
        let run = if beyond { &mut runs.beyond } else { &mut runs.within };
        Run::extend(run, stage, occurrence(first), occurrence(worst), tolerance);
        outcome
    }

    /// True if a joint without a tolerance differs in a bit: in its own track, or if no track differs, in the product.
    fn breaks_strictness(&self, frames: &Frames<'_>) -> bool {
        let mut limits = frames.limits.iter().zip(self.joints);
        if limits.clone().all(|(limit, _)| limit.strict == self.strict) {
            return self.strict;
        }
        let is_local = self.joints.iter().any(|&pair| frames.local_differs(pair));
        limits.any(|(limit, &pair)| limit.strict && (!is_local || frames.local_differs(pair)))
    }

    /// Returns the first joint that deviates by more than `limit`, or its nearest ancestor whose own track differs. If
    /// no joint deviates, returns the first one whose digest differs.
    fn first_joint(&self, deviations: &[PoseDeviation], limit: &Tolerance, frames: &Frames<'_>) -> Option<usize> {
        let local_differs = |pair: &usize| frames.local_differs(self.joints[*pair]);
        let model_differs = |pair: &usize| frames.model_differs(self.joints[*pair]);
        let off = || (0..deviations.len()).filter(|&pair| deviations[pair].exceeds(limit));
        let all = || 0..self.joints.len();
        // For every joint, the nearest joint towards the root (including itself) whose own track differs; parents
        // first.
        let mut to_blame: Vec<Option<usize>> = Vec::with_capacity(self.joints.len());
        for pair in all() {
            let inherited = || *to_blame.get(self.parents[pair]?)?;
            let blamed = if local_differs(&pair) { Some(pair) } else { inherited() };
            to_blame.push(blamed);
        }
        off()
            .find_map(|pair| to_blame[pair])
            .or_else(|| off().next())
            .or_else(|| all().find(local_differs))
            .or_else(|| all().find(model_differs))
            .or_else(|| all().next())
    }

    /// Compares the sums of vertices whose joints deviate by at most `follow`.
    fn compare_vertices(
        &self,
        frames: &Frames<'_>,
        was: &Sample,
        is: &Sample,
        follow: &PoseDeviation,
        runs: &mut Runs,
    ) {
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
        let part = Affected::Mesh(change.name.clone());
        let occurrence = Occurrence { frame: is.frame, time: is.time, part, deviation };
        // Without a tolerance for edits, a moved joint still moves its vertices.
        let strict = frames.vertex_limit.strict && *follow == PoseDeviation::default();
        let run = if deviation.exceeds(&limit) || strict { &mut runs.beyond } else { &mut runs.within };
        Run::extend(run, stage, occurrence.clone(), occurrence, &self.check.tolerance);
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

    /// Returns the deviation of a joint relative to its parent, without the parent's own deviation.
    fn own_deviation(&self, pair: usize, was: &Sample, is: &Sample) -> PoseDeviation {
        let (a, b) = self.joints[pair];
        let relative = |sample: &Sample, joint: usize, parent: usize| {
            let back = self.on_grid(&sample.joints[parent]).to_affine().inverse();
            let own = back * self.on_grid(&sample.joints[joint]).to_affine();
            // A parent with a scale of zero has no inverse.
            own.is_finite().then(|| Transform::from_affine(own))
        };
        let parent = self.parents[pair].map(|parent| self.joints[parent]);
        let own = parent.and_then(|(c, d)| relative(was, a, c).zip(relative(is, b, d)));
        let (was, is) = own.unwrap_or((was.joints[a], is.joints[b]));
        self.deviation(&was, &is)
    }

    fn on_grid(&self, transform: &Transform) -> Transform {
        let unit = |vector: DVec3| DVec3::from_array(vector.to_array().map(|part| UNIT.nearest(part)));
        Transform {
            translation: DVec3::from_array(transform.translation.to_array().map(|part| self.grid.nearest(part))),
            rotation: DQuat::from_array(canonical(transform.rotation).to_array().map(|part| UNIT.nearest(part))),
            scale: unit(transform.scale),
            shear: unit(transform.shear),
        }
    }

    /// Returns the deviation between two poses of a joint, both rounded to the file's grid.
    fn deviation(&self, was: &Transform, is: &Transform) -> PoseDeviation {
        let [was, is] = [was, is].map(|transform| self.on_grid(transform));
        let position = distance(was.translation, is.translation);
        let chord = |sign: f64| {
            let gaps =
                was.rotation.to_array().into_iter().zip(is.rotation.to_array()).map(|(was, is)| gap(was, sign * is));
            gaps.map(|gap| gap * gap).sum::<f64>().sqrt()
        };
        // This formula is precise for small angles; the arc cosine of the product is not.
        let angle = 4.0 * libm::asin((chord(1.0).min(chord(-1.0)) / 2.0).min(1.0));
        let parts = |transform: &Transform| transform.scale.to_array().into_iter().chain(transform.shear.to_array());
        PoseDeviation {
            position,
            share: position / self.recorded.size,
            angle: angle.to_degrees(),
            stretch: parts(&was).zip(parts(&is)).map(|(was, is)| gap(was, is)).fold(0.0, f64::max),
        }
    }

    /// Estimates from sums and bounds how far vertices moved and normals turned.
    fn vertex_deviation(&self, was: &Sample, is: &Sample) -> PoseDeviation {
        let on_grid = |vector: DVec3| DVec3::from_array(vector.to_array().map(|part| self.grid.nearest(part)));
        let moved = |was: DVec3, is: DVec3| distance(on_grid(was), on_grid(is));
        let [first, second] = [0, 1].map(|sum| moved(was.position_sums[sum], is.position_sums[sum]));
        let corners = match (was.bounds, is.bounds) {
            (Some(was), Some(is)) => moved(was.0, is.0).max(moved(was.1, is.1)),
            _ => 0.0,
        };
        let position = ((first * first + second * second) / 2.0).sqrt().max(corners);
        let unit = |vector: DVec3| DVec3::from_array(vector.to_array().map(|part| UNIT.nearest(part)));
        let turned = distance(unit(was.shading_sum), unit(is.shading_sum));
        PoseDeviation { position, share: position / self.recorded.size, angle: turned.to_degrees(), stretch: 0.0 }
    }
}

fn distance(was: DVec3, is: DVec3) -> f64 {
    let gaps = was.to_array().into_iter().zip(is.to_array()).map(|(was, is)| gap(was, is));
    gaps.map(|gap| gap * gap).sum::<f64>().sqrt()
}

/// Returns the distance of two numbers. Not-a-number equals itself and is infinitely far from any number.
fn gap(was: f64, is: f64) -> f64 {
    if was == is || (was.is_nan() && is.is_nan()) {
        return 0.0;
    }
    let gap = (was - is).abs();
    if gap.is_nan() { f64::INFINITY } else { gap }
}
