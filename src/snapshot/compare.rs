//! Whether two snapshots of a model show the same, and if not, where it begins.

use super::codec::{Grid, UNIT};
use super::digest::canonical;
use super::record::{Frames, RecordedClip, Sample, Snapshot};
use super::times::Place;
use crate::model::Transform;
use glam::{DQuat, DVec3};
use serde::Serialize;
use std::collections::HashMap;

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
    /// Always, wherever the digests hold on every machine.
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
pub enum Stage {
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

impl std::fmt::Display for Stage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stage::Document => "document",
            Stage::Skeleton => "skeleton",
            Stage::Mesh => "mesh",
            Stage::Local => "local",
            Stage::ModelPose => "model-pose",
            Stage::Vertices => "vertices",
        })
    }
}

/// How far two poses of a joint are apart in model space.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Deviation {
    /// Distance, in the model's units.
    pub position: f64,
    /// The same as a share of the model's size.
    pub share: f64,
    /// Angle between the rotations, degrees.
    pub angle: f64,
    /// Largest difference of a part of scale or shear.
    pub stretch: f64,
}

impl Deviation {
    fn exceeds(&self, tolerance: &Tolerance) -> bool {
        self.share > tolerance.position || self.angle > tolerance.angle || self.stretch > tolerance.stretch
    }

    /// How many times the tolerance the worst part is.
    fn severity(&self, tolerance: &Tolerance) -> f64 {
        let parts = [self.share / tolerance.position, self.angle / tolerance.angle, self.stretch / tolerance.stretch];
        parts.into_iter().fold(0.0, f64::max)
    }
}

/// A moment of a clip at which something differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Moment {
    /// `frame 7`, or `between frames 7 and 8`.
    pub frame: String,
    /// Seconds from the clip's start.
    pub time: f64,
    /// The joint or mesh.
    pub name: String,
    /// How far apart.
    pub deviation: Deviation,
    #[serde(skip)]
    pub(super) place: Option<Place>,
}

/// One way in which snapshots differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// The stage at which it shows first.
    pub stage: Stage,
    /// The clip; `None` for what concerns no clip or the rest pose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clip: Option<String>,
    /// What differs, in words: lower case, no full stop.
    pub message: String,
    /// Where it begins: the first frame, and the first joint or mesh of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Moment>,
    /// Where it is worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worst: Option<Moment>,
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
    pub fn first_bad_stage(&self) -> Option<Stage> {
        self.differences.first().map(|difference| difference.stage)
    }

    fn push(&mut self, stage: Stage, clip: Option<&str>, message: String) {
        let clip = clip.map(str::to_owned);
        self.differences.push(Difference { stage, clip, message, first: None, worst: None });
    }
}

impl Snapshot {
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
        let same_meshes = compare_meshes(self, now, strict, &mut found);
        let joints = joint_pairs(self, now);
        let context = Context {
            recorded: self,
            now,
            joints: &joints,
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
        found.differences.sort_by_key(|difference| difference.stage);
        found
    }
}

fn compare_inputs(recorded: &Snapshot, now: &Snapshot) -> InputChange {
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
fn clip_pairs<'a>(recorded: &'a Snapshot, now: &'a Snapshot) -> Vec<(&'a RecordedClip, &'a RecordedClip)> {
    let mut rest: Vec<&RecordedClip> = now.clips.iter().collect();
    let pair = |clip: &'a RecordedClip| {
        let place = rest.iter().position(|other| other.name == clip.name)?;
        Some((clip, rest.remove(place)))
    };
    recorded.clips.iter().filter_map(pair).collect()
}

fn compare_documents(recorded: &Snapshot, now: &Snapshot, found: &mut Comparison) {
    let stage = Stage::Document;
    compare_names("material", stage, recorded.materials.iter().map(|m| &m.name), now.materials.iter().map(|m| &m.name), found);
    if recorded.materials.len() == now.materials.len() {
        for (was, is) in recorded.materials.iter().zip(&now.materials) {
            if was.texture != is.texture {
                let name = |texture: &Option<String>| texture.clone().map_or("none".to_owned(), |t| format!("'{t}'"));
                let (was, texture) = (name(&was.texture), name(&is.texture));
                found.push(stage, None, format!("texture of material '{}' is {texture}, was {was}", is.name));
            }
            if was.colors != is.colors {
                found.push(stage, None, format!("material '{}' has other colours", is.name));
            }
        }
    }
    compare_names("mesh", stage, recorded.meshes.iter().map(|m| &m.name), now.meshes.iter().map(|m| &m.name), found);
    compare_names("clip", stage, recorded.clips.iter().map(|c| &c.name), now.clips.iter().map(|c| &c.name), found);
    for (was, is) in clip_pairs(recorded, now) {
        let mut differs = |what: &str, was: String, is: String| {
            if was != is {
                found.push(stage, Some(&was_name(&is, &was, what)), format!("{what} is {is}, was {was}"));
            }
        };
        let _ = &mut differs;
    }
    for (was, is) in clip_pairs(recorded, now) {
        let keys = |clip: &RecordedClip| {
            clip.frames.samples.iter().filter(|sample| matches!(sample.place, Place::Key(_))).count().to_string()
        };
        let rate = |clip: &RecordedClip| clip.frame_rate.map_or("none".to_owned(), |rate| rate.to_string());
        for (what, was, is) in [
            ("number of frames", keys(was), keys(is)),
            ("frame rate", rate(was), rate(is)),
            ("duration in seconds", was.duration.to_string(), is.duration.to_string()),
            ("looping", was.looping.to_string(), is.looping.to_string()),
        ] {
            if was != is {
                found.push(stage, Some(&recorded_name), format!("{what} is {is}, was {was}"));
            }
        }
    }
}
