//! The model that a file of clips belongs to, found by the names of frames.

use super::spans::head_of;
use crate::finding::FileIndex;
use crate::motion::Sets;
use bindpose_parsers::x::{AnimationSet, Document, Text};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Frame names by which a file relates to others: its own, or those that its clips move.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Frames of a model.
    pub(super) frames: HashSet<String>,
    /// Frames moved by the clips of a file without frames and meshes.
    wanted: HashSet<String>,
    /// Clips of the file.
    pub sets: Sets,
}

impl Names {
    pub(super) fn of(document: &Document) -> Self {
        let set = |set: &AnimationSet| (set.name.as_ref().map(Text::to_name), head_of(set.span, "AnimationSet"));
        let sets = document.animation_sets.iter().map(set).collect();
        if document.frames.is_empty() && document.meshes.is_empty() {
            return Self { frames: HashSet::new(), wanted: targets(document).map(Text::to_name).collect(), sets };
        }
        let frames = document.frames.iter().filter_map(|frame| frame.name.as_ref());
        Self { frames: frames.map(Text::to_name).collect(), wanted: HashSet::new(), sets }
    }

    /// True for a file of clips, which may move a model of another file.
    pub fn are_of_clips(&self) -> bool {
        !self.wanted.is_empty()
    }
}

/// Model to which a file of clips belongs.
#[derive(Clone, Copy)]
pub(crate) struct Model<'m> {
    pub path: &'m Path,
    pub names: &'m Names,
}

/// Knowledge of the model to which a file of clips belongs.
#[derive(Clone, Copy)]
pub(crate) enum Partner<'m> {
    /// It may be among the files whose names are not known yet.
    Unknown,
    None,
    Model(Model<'m>),
}

/// Largest number of models with a given frame name that are compared with a file of clips.
const MODELS_ASKED: usize = 16;

/// Finds the models for files of clips. Returns pairs of both. A file belongs to the first model that has most of its
/// frames.
pub(crate) fn models_of(files: &[(FileIndex, &Path, &Names)]) -> Vec<(FileIndex, FileIndex)> {
    let mut models_with: HashMap<&str, Vec<FileIndex>> = HashMap::new();
    for &(model, _, names) in files {
        for frame in &names.frames {
            let models = models_with.entry(frame).or_default();
            if models.len() < MODELS_ASKED {
                models.push(model);
            }
        }
    }
    let of_clip = |&(clip, _, names): &(FileIndex, &Path, &Names)| {
        let mut known: BTreeMap<FileIndex, usize> = BTreeMap::new();
        for &model in names.wanted.iter().filter_map(|name| models_with.get(&**name)).flatten() {
            *known.entry(model).or_default() += 1;
        }
        let (model, _) = known.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        Some((model, clip))
    };
    files.iter().filter_map(of_clip).collect()
}

/// Returns the frames named by animations.
pub(super) fn targets<'d>(document: &'d Document) -> impl Iterator<Item = &'d Text<'d>> {
    let sets = document.animation_sets.iter().flat_map(|set| &set.animations).chain(&document.loose_animations);
    sets.filter_map(|animation| Some(&animation.target.as_ref()?.name))
}
