//! Whether two snapshots of a model show the same, and if not, where it begins.

mod structure;

use super::codec::{Grid, UNIT};
use super::digest::{Digest, canonical};
use super::record::{RecordedFrames, Sample, Snapshot};
use super::times::Place;
use bindpose_core::model::Transform;
use glam::{DQuat, DVec3};
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::HashMap;
use structure::{
    clip_pairs, compare_documents, compare_inputs, compare_mesh_numbers, compare_meshes, compare_skeletons, joint_pairs,
};

/// How far numbers may differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Positions of joints and vertices, as a share of [`Snapshot::size`].
    pub position: f64,
    /// Rotations of joints, and normals and tangents, as an angle in degrees.
    pub angle: f64,
    /// Scale and shear, as they are.
    pub stretch: f64,
}

impl Tolerance {
    /// The smallest that a snapshot file's grid can tell: four steps.
    pub const LEAST: Self = Self { position: 2e-9, angle: 4e-7, stretch: 2e-9 };
}

impl Default for Tolerance {
    /// Far above what rounding in f64 makes (1e-13), far below the sixth decimal of a file.
    fn default() -> Self {
        Self { position: 1e-8, angle: 1e-6, stretch: 1e-8 }
    }
}

/// When a difference within the tolerance is one all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Exact {
    /// Never: the tolerance holds throughout.
    Never,
    /// When the input files differ: the tolerance is for our own arithmetic, not for what someone changed.
    #[default]
    Edits,
    /// Always.
    Always,
}

/// How to compare.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Check {
    /// How far numbers may differ.
    pub tolerance: Tolerance,
    /// When they may not differ at all.
    pub exact: Exact,
}

/// The stages of the way from a file to vertices, in order; the first bad one is where to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ComparedStage {
    /// What there is: materials, meshes, clips, frames, and their names.
    Document,
    /// Joints, their order, names and parents, and the rest pose.
    Skeleton,
    /// Triangles, texture coordinates, weights and offsets, bind-space normals.
    Mesh,
    /// Each joint in its parent's space: decoding and sampling.
    Local,
    /// Each joint in model space: the product down the parents.
    ModelPose,
    /// Skinned positions, normals and tangents.
    Vertices,
}

impl std::fmt::Display for ComparedStage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ComparedStage::Document => "document",
            ComparedStage::Skeleton => "skeleton",
            ComparedStage::Mesh => "mesh",
            ComparedStage::Local => "local",
            ComparedStage::ModelPose => "model-pose",
            ComparedStage::Vertices => "vertices",
        })
    }
}

/// How far two poses of a joint are apart in model space.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct PoseDeviation {
    /// Distance, in the model's units.
    pub position: f64,
    /// The same as a share of the model's size.
    pub share: f64,
    /// Angle between the rotations, degrees.
    pub angle: f64,
    /// Largest difference of a part of scale or shear.
    pub stretch: f64,
}

impl PoseDeviation {
    fn exceeds(&self, tolerance: &Tolerance) -> bool {
        self.share > tolerance.position || self.angle > tolerance.angle || self.stretch > tolerance.stretch
    }

    /// Which of two is worse: the one that is farther off, and where none is too far, the one whose worst part is more
    /// times the tolerance.
    fn compare_badness(&self, other: &Self, tolerance: &Tolerance) -> Ordering {
        let distance = |of: &Self| if of.share > tolerance.position { of.share } else { 0.0 };
        let times = |of: &Self| {
            (of.share / tolerance.position).max(of.angle / tolerance.angle).max(of.stretch / tolerance.stretch)
        };
        distance(self).total_cmp(&distance(other)).then(times(self).total_cmp(&times(other)))
    }
}

/// A moment of a clip at which something differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Occurrence {
    /// `frame 7`, or `between frames 7 and 8`.
    #[serde(serialize_with = "as_text")]
    pub frame: Place,
    /// Seconds from the clip's start.
    pub time: f64,
    /// Which joint or mesh.
    #[serde(flatten)]
    pub part: Affected,
    /// How far apart.
    #[serde(flatten)]
    pub deviation: PoseDeviation,
}

/// What differs at a moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Affected {
    /// A joint, by name.
    Joint(String),
    /// A mesh, by name.
    Mesh(String),
}

fn as_text<S: serde::Serializer>(value: &impl std::fmt::Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(value)
}

/// One way in which snapshots differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The stage at which it shows first.
    pub stage: ComparedStage,
    /// The clip; `None` for what concerns no clip or the rest pose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// What differs, in words: lower case, no full stop.
    pub message: String,
    /// Where it begins: the first frame, and the first joint or mesh of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Occurrence>,
    /// Where it is worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Occurrence>,
    /// Every frame at which it shows, with what is worst in it.
    #[serde(skip)]
    pub frames: Vec<Occurrence>,
}

/// What became of the files that a model is read from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct InputChange {
    /// Files of the same name with other bytes.
    pub changed: Vec<String>,
    /// Files that are new.
    pub added: Vec<String>,
    /// Files that are gone.
    pub removed: Vec<String>,
}

impl InputChange {
    /// Whether the same bytes were read.
    pub fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.added.is_empty() && self.removed.is_empty()
    }
}

/// What a comparison found.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Comparison {
    /// Whether the files changed, or only our reading of them.
    pub inputs: InputChange,
    /// What differs, first stages first.
    pub differences: Vec<Difference>,
    /// What differs in the last bits only, within the tolerance.
    pub within_tolerance: Vec<Difference>,
}

impl Comparison {
    /// Whether the snapshots show the same within the tolerance.
    pub fn is_same(&self) -> bool {
        self.differences.is_empty()
    }

    /// The earliest stage that differs.
    pub fn first_bad_stage(&self) -> Option<ComparedStage> {
        self.differences.first().map(|difference| difference.stage)
    }

    fn push(&mut self, stage: ComparedStage, clip: Option<&str>, message: String) {
        let clip = clip.map(str::to_owned);
        self.differences.push(Difference { stage, clip, message, first: None, worst: None, frames: Vec::new() });
    }
}

impl Snapshot {
    /// A digest of all frames and of what they are counted by: the same for a model under another name.
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

    /// Whether `now` is what was recorded to the bit, under another name: of the model, and of clips that are called
    /// after it because their file gives them none.
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

    /// Compares what was recorded (`self`) with what there is now.
    pub fn compare(&self, now: &Snapshot, check: &Check) -> Comparison {
        let mut found = Comparison { inputs: compare_inputs(self, now), ..Comparison::default() };
        let strict = match check.exact {
            Exact::Never => false,
            Exact::Edits => !found.inputs.is_empty(),
            Exact::Always => true,
        };
        compare_documents(self, now, &mut found);
        compare_skeletons(self, now, &mut found);
        let same_meshes = compare_meshes(self, now, &mut found);
        let joints = joint_pairs(self, now);
        let parent = |&(recorded, _): &(usize, usize)| {
            let parent = self.joints[recorded].parent? as usize;
            joints.binary_search_by_key(&parent, |&(recorded, _)| recorded).ok()
        };
        let parents: Vec<Option<usize>> = joints.iter().map(parent).collect();
        let context = Context {
            recorded: self,
            now,
            joints: &joints,
            parents: &parents,
            same_joints: self.joints == now.joints,
            same_meshes,
            strict,
            tolerance: check.tolerance,
            grid: Grid::for_size(self.size),
        };
        context.compare_frames(None, &self.rest, &now.rest, &mut found);
        for (recorded, now) in clip_pairs(self, now) {
            context.compare_frames(Some(&recorded.name), &recorded.frames, &now.frames, &mut found);
        }
        if same_meshes {
            compare_mesh_numbers(self, now, strict, &mut found);
        }
        found.differences.sort_by_key(|difference| difference.stage);
        found
    }
}

/// What comparing frames needs to know.
struct Context<'a> {
    recorded: &'a Snapshot,
    now: &'a Snapshot,
    /// Index in the recorded snapshot, index now.
    joints: &'a [(usize, usize)],
    /// For each of these pairs which pair its recorded parent is in.
    parents: &'a [Option<usize>],
    same_joints: bool,
    same_meshes: bool,
    strict: bool,
    tolerance: Tolerance,
    grid: Grid,
}

/// What comparing a pose found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pose {
    /// The same bits.
    Same,
    /// The same within the tolerance.
    Near,
    /// Another one.
    Off,
}

/// What the pairs of samples of a clip show.
#[derive(Default)]
struct Found {
    /// What is more than allowed.
    bad: Option<Run>,
    /// What stays within the tolerance.
    within: Option<Run>,
}

/// Frames that differ.
struct Run {
    stage: ComparedStage,
    first: Occurrence,
    worst: Occurrence,
    /// What is worst in each.
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

/// Samples at the same place of a clip.
fn sample_pairs<'a>(recorded: &'a RecordedFrames, now: &'a RecordedFrames) -> Vec<(&'a Sample, &'a Sample)> {
    let place = |sample: &Sample| match sample.place {
        Place::Key(key) => (key, false),
        Place::After(key) => (key, true),
    };
    let by_place: HashMap<(u32, bool), &Sample> = now.samples.iter().map(|sample| (place(sample), sample)).collect();
    let pair = |sample: &'a Sample| Some((sample, *by_place.get(&place(sample))?));
    recorded.samples.iter().filter_map(pair).collect()
}

/// Digests of a joint or mesh through all frames.
struct Columns<'a> {
    recorded: &'a RecordedFrames,
    now: &'a RecordedFrames,
    /// Whether both have the same samples.
    comparable: bool,
}

impl Columns<'_> {
    fn local_differs(&self, (was, is): (usize, usize)) -> bool {
        !self.comparable || self.recorded.local.get(was) != self.now.local.get(is)
    }

    fn model_differs(&self, (was, is): (usize, usize)) -> bool {
        !self.comparable || self.recorded.model.get(was) != self.now.model.get(is)
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
        let pairs = sample_pairs(recorded, now);
        let comparable = pairs.len() == recorded.samples.len() && pairs.len() == now.samples.len();
        let columns = Columns { recorded, now, comparable };
        let (keys, between): (Vec<_>, Vec<_>) = pairs.iter().partition(|(was, _)| matches!(was.place, Place::Key(_)));
        // What differs at a key also differs before and after it: then only the key is news.
        if self.compare_samples(clip, &keys, "frames", &columns, found) {
            self.compare_samples(clip, &between, "moments between frames", &columns, found);
        }
    }

    /// Compares samples one by one; whether all are the same within the tolerance.
    fn compare_samples(
        &self,
        clip: Option<&str>,
        pairs: &[(&Sample, &Sample)],
        what: &str,
        columns: &Columns<'_>,
        found: &mut Comparison,
    ) -> bool {
        let mut poses = Found::default();
        let mut vertices = Found::default();
        for &(was, is) in pairs {
            let limit = match self.compare_pose(clip, was, is, columns, &mut poses) {
                // Vertices that follow their joints are no news.
                Pose::Off => continue,
                Pose::Near => self.tolerance_of_followers(),
                Pose::Same => self.tolerance,
            };
            if self.same_meshes {
                self.compare_vertices(was, is, &limit, columns, &mut vertices);
            }
        }
        let difference = |run: Run, who: &str| {
            let message = match clip {
                None => format!("{who} of the rest pose differ"),
                Some(_) => format!("{who} differ in {} of {} {what}", run.frames.len(), pairs.len()),
            };
            let Run { stage, first, worst, frames } = run;
            Difference { stage, clip: clip.map(str::to_owned), message, first: Some(first), worst: Some(worst), frames }
        };
        if poses.bad.is_some() {
            vertices.bad = None;
        }
        let same = poses.bad.is_none() && vertices.bad.is_none();
        found.differences.extend(poses.bad.map(|run| difference(run, "joints")));
        found.differences.extend(vertices.bad.map(|run| difference(run, "vertices")));
        found.within_tolerance.extend(poses.within.map(|run| difference(run, "joints")));
        found.within_tolerance.extend(vertices.within.map(|run| difference(run, "vertices")));
        same
    }

    /// How far vertices may be off whose joints are off within the tolerance: each by as much as a joint's position
    /// may be, and by what a turn of the whole model makes; taken together, as the sums of a sample take them.
    fn tolerance_of_followers(&self) -> Tolerance {
        let vertices: f64 = self.recorded.meshes.iter().map(|mesh| f64::from(mesh.vertices)).sum();
        let Tolerance { position, angle, stretch } = self.tolerance;
        let together = vertices.sqrt();
        Tolerance { position: (position + angle.to_radians() + stretch) * together, angle: angle * together, stretch }
    }

    fn compare_pose(
        &self,
        clip: Option<&str>,
        was: &Sample,
        is: &Sample,
        columns: &Columns<'_>,
        found: &mut Found,
    ) -> Pose {
        let local_bits = self.same_joints && was.digests.local != is.digests.local;
        let model_bits = self.same_joints && was.digests.model != is.digests.model;
        let deviations: Vec<PoseDeviation> =
            self.joints.iter().map(|&(a, b)| self.deviation(&was.joints[a], &is.joints[b])).collect();
        let bits = local_bits || model_bits;
        let over = deviations.iter().any(|deviation| deviation.exceeds(&self.tolerance));
        let bad = over || (self.strict && bits);
        if !bad && !bits {
            return Pose::Same;
        }
        let pose = if bad { Pose::Off } else { Pose::Near };
        let limit = if self.strict || !over { Tolerance::LEAST } else { self.tolerance };
        let Some(first) = self.first_joint(&deviations, &limit, columns) else { return pose };
        let badness = |a: &usize, b: &usize| deviations[*a].compare_badness(&deviations[*b], &self.tolerance);
        let worst = (0..deviations.len()).rev().max_by(badness).unwrap_or(first);
        // Digests of whole samples are of the same joints only, those of one joint can always be compared.
        let local = if self.same_joints { local_bits } else { columns.local_differs(self.joints[first]) };
        let stage = match clip {
            Some(_) if local => ComparedStage::Local,
            None if local => ComparedStage::Skeleton,
            _ => ComparedStage::ModelPose,
        };
        let moment = |pair: usize| Occurrence {
            frame: is.place,
            time: is.time,
            part: Affected::Joint(self.recorded.joints[self.joints[pair].0].name.clone()),
            deviation: deviations[pair],
        };
        let run = if bad { &mut found.bad } else { &mut found.within };
        Run::extend(run, stage, moment(first), moment(worst), &self.tolerance);
        pose
    }

    /// Of the joints that are off by more than `limit` the first, or rather that ancestor of it whose own track is to
    /// blame; where all are too little off to tell, the first whose digest says so.
    fn first_joint(&self, deviations: &[PoseDeviation], limit: &Tolerance, columns: &Columns<'_>) -> Option<usize> {
        let local_differs = |pair: &usize| columns.local_differs(self.joints[*pair]);
        let model_differs = |pair: &usize| columns.model_differs(self.joints[*pair]);
        let off = || (0..deviations.len()).filter(|&pair| deviations[pair].exceeds(limit));
        let all = || 0..self.joints.len();
        // For every joint the nearest on its way to the root, itself included, whose own track differs; parents first.
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

    fn compare_vertices(&self, was: &Sample, is: &Sample, limit: &Tolerance, columns: &Columns<'_>, found: &mut Found) {
        let position_bits = was.digests.positions != is.digests.positions;
        let shading_bits = was.digests.shading != is.digests.shading;
        let deviation = self.vertex_deviation(was, is);
        let over = deviation.exceeds(limit);
        if !over && !position_bits && !shading_bits {
            return;
        }
        let moved = position_bits || deviation.share > limit.position;
        let (then, today) = match moved {
            true => (&columns.recorded.positions, &columns.now.positions),
            false => (&columns.recorded.shading, &columns.now.shading),
        };
        let mesh = then.iter().zip(today).position(|(was, is)| was != is).filter(|_| columns.comparable).unwrap_or(0);
        let Some((recorded, now)) = self.recorded.meshes.get(mesh).zip(self.now.meshes.get(mesh)) else { return };
        let same = if moved { recorded.weights == now.weights } else { recorded.surface == now.surface };
        let stage = if same { ComparedStage::Vertices } else { ComparedStage::Mesh };
        let part = Affected::Mesh(recorded.name.clone());
        let moment = Occurrence { frame: is.place, time: is.time, part, deviation };
        let run = if over || self.strict { &mut found.bad } else { &mut found.within };
        Run::extend(run, stage, moment.clone(), moment, &self.tolerance);
    }

    /// How far a joint's poses are apart, both as the file's grid has them.
    fn deviation(&self, was: &Transform, is: &Transform) -> PoseDeviation {
        let position = self.distance(was.translation, is.translation);
        let quaternion = |rotation: DQuat| canonical(rotation).to_array().map(|part| UNIT.value(UNIT.round(part)));
        let [was_turn, is_turn] = [was.rotation, is.rotation].map(quaternion);
        let chord = |sign: f64| {
            let gaps = was_turn.iter().zip(is_turn).map(|(was, is)| gap(*was, sign * is));
            gaps.map(|gap| gap * gap).sum::<f64>().sqrt()
        };
        // Precise for small angles, where the arc cosine of the product is not.
        let angle = 4.0 * libm::asin((chord(1.0).min(chord(-1.0)) / 2.0).min(1.0));
        let stretch = |of: fn(&Transform) -> DVec3| {
            let on_grid = |vector: DVec3| vector.to_array().map(|part| UNIT.value(UNIT.round(part)));
            let gaps = on_grid(of(was)).into_iter().zip(on_grid(of(is))).map(|(was, is)| gap(was, is));
            gaps.fold(0.0, f64::max)
        };
        PoseDeviation {
            position,
            share: position / self.recorded.size,
            angle: angle.to_degrees(),
            stretch: stretch(|transform| transform.scale).max(stretch(|transform| transform.shear)),
        }
    }

    /// Estimates how far vertices moved and normals turned, from sums and bounds.
    fn vertex_deviation(&self, was: &Sample, is: &Sample) -> PoseDeviation {
        let [first, second] = [0, 1].map(|sum| self.distance(was.position_sums[sum], is.position_sums[sum]));
        let corners = match (was.bounds, is.bounds) {
            (Some(was), Some(is)) => self.distance(was.0, is.0).max(self.distance(was.1, is.1)),
            _ => 0.0,
        };
        let position = ((first * first + second * second) / 2.0).sqrt().max(corners);
        let on_grid = |vector: DVec3| vector.to_array().map(|part| UNIT.value(UNIT.round(part)));
        let gaps = on_grid(was.shading_sum).into_iter().zip(on_grid(is.shading_sum)).map(|(was, is)| gap(was, is));
        let turned = gaps.map(|gap| gap * gap).sum::<f64>().sqrt();
        PoseDeviation { position, share: position / self.recorded.size, angle: turned.to_degrees(), stretch: 0.0 }
    }

    fn distance(&self, was: DVec3, is: DVec3) -> f64 {
        let on_grid = |vector: DVec3| vector.to_array().map(|part| self.grid.value(self.grid.round(part)));
        let gaps = on_grid(was).into_iter().zip(on_grid(is)).map(|(was, is)| gap(was, is));
        gaps.map(|gap| gap * gap).sum::<f64>().sqrt()
    }
}

/// Distance of two numbers; what is no number is infinitely far from any number and equal to itself.
fn gap(was: f64, is: f64) -> f64 {
    if was == is || (was.is_nan() && is.is_nan()) {
        return 0.0;
    }
    let gap = (was - is).abs();
    if gap.is_nan() { f64::INFINITY } else { gap }
}
