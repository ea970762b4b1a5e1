//! The model that a file of clips belongs to, found by the names of frames.

use super::spans::head_of;
use crate::codes::Rule;
use crate::motion::Sets;
use bindpose_parsers::Span;
use bindpose_parsers::x::{AnimationSet, Document, Text};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// A name of bones or animations that is no frame of their file.
#[derive(Debug)]
pub(super) struct Missing {
    pub name: String,
    /// Places of the name, bones before animations.
    pub spans: Vec<Span>,
    /// Finding of which this name is a part, if the file has it.
    pub cause: Rule,
    /// Findings about the name, the first that the file has.
    pub found_as: [Rule; 2],
}

/// Frame names by which a file relates to others: its own, and those that it lacks.
#[derive(Debug, Default)]
pub(crate) struct Names {
    pub(super) frames: HashSet<String>,
    pub(super) missing: Vec<Missing>,
    /// Span of the only frame without a name.
    pub(super) nameless: Option<Span>,
    /// True for a file of clips, which may move a model of another file.
    is_of_clips: bool,
    /// Clips of the file.
    pub sets: Sets,
}

impl Names {
    pub(super) fn of(document: &Document, missing: Vec<Missing>) -> Self {
        let set = |set: &AnimationSet| (set.name.as_ref().map(Text::to_name), head_of(set.span, "AnimationSet"));
        let mut nameless = document.frames.iter().filter(|frame| frame.name.is_none());
        Self {
            frames: document.frames.iter().filter_map(|frame| Some(frame.name.as_ref()?.to_name())).collect(),
            missing,
            nameless: nameless.next().filter(|_| nameless.next().is_none()).map(|frame| head_of(frame.span, "Frame")),
            is_of_clips: document.frames.is_empty() && document.meshes.is_empty(),
            sets: document.animation_sets.iter().map(set).collect(),
        }
    }
}

/// Model to which a file of clips belongs.
#[derive(Clone, Copy)]
pub(crate) struct Model<'m> {
    pub path: &'m Path,
    pub names: &'m Names,
}

/// Largest number of models with a given frame name that are compared with a file of clips.
const MODELS_ASKED: usize = 16;

/// Returns the model of each file of clips among files: the first that has most of the frames that the clips move.
pub(crate) fn models_of(files: &[Names]) -> Vec<Option<usize>> {
    let mut models_with: HashMap<&str, Vec<usize>> = HashMap::new();
    for (model, names) in files.iter().enumerate() {
        for frame in &names.frames {
            let models = models_with.entry(frame).or_default();
            if models.len() < MODELS_ASKED {
                models.push(model);
            }
        }
    }
    let of_clip = |names: &Names| {
        let mut known: BTreeMap<usize, usize> = BTreeMap::new();
        let wanted = names.missing.iter().filter(|_| names.is_of_clips);
        for &model in wanted.filter_map(|missing| models_with.get(&*missing.name)).flatten() {
            *known.entry(model).or_default() += 1;
        }
        known.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(model, _)| model)
    };
    files.iter().map(of_clip).collect()
}

/// Returns the frames named by animations.
pub(super) fn targets<'d>(document: &'d Document) -> impl Iterator<Item = &'d Text<'d>> {
    let sets = document.animation_sets.iter().flat_map(|set| &set.animations).chain(&document.loose_animations);
    sets.filter_map(|animation| Some(&animation.target.as_ref()?.name))
}
