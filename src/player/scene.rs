//! What there is to show: a model with its clips, and what lies beside it.

use crate::examples;
use crate::images::TextureFinder;
use crate::load::{self, LoadError, LoadOptions, Loaded};
use crate::model::Model;
use crate::render::{Error, Gpu, GpuModel, ShaderFiles, TexelFormat};
use crate::sample;
use crate::skin::{Example, Limits};
use bindpose_core::budget::MemoryLimit;
use bindpose_core::diagnostic::{Diagnostic, Sources};
use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::rc::Rc;

/// A model with its clips, ready to be shown.
pub struct Scene {
    /// The model.
    pub model: Rc<Model>,
    directories: Vec<PathBuf>,
    /// Textures that are part of the program: name and bytes.
    images: Vec<(String, Cow<'static, [u8]>)>,
    /// Example poses for `sjbbe`.
    examples: Vec<Example>,
}

impl Scene {
    /// Reads a model, its clips and the examples beside them; without any files, the bundled sample, in the memory that is allowed. Beside it comes
    /// what is to be said about the files.
    ///
    /// # Errors
    ///
    /// [`LoadError`].
    pub fn load(
        files: &[PathBuf],
        ticks_per_second: Option<f64>,
        memory: MemoryLimit,
    ) -> Result<(Self, Sources, Vec<Diagnostic>), LoadError> {
        let options = LoadOptions { find_clips: true, ticks_per_second, memory, ..LoadOptions::default() };
        let bundled = files.is_empty();
        let Loaded { model, sources, diagnostics, directories, images, .. } =
            if bundled { load::load_bytes(sample::files(), &options)? } else { load::load(files, &options)? };
        let mut found = Vec::new();
        for path in files.iter().map(|file| examples::path_beside(file)).filter(|path| path.is_file()) {
            found.extend(examples::read(&path, &model.skeleton, memory)?);
        }
        let bundled = if bundled { &sample::IMAGES[..] } else { &[] };
        let bundled = bundled.iter().map(|&(name, bytes)| (name.to_owned(), Cow::Borrowed(bytes)));
        let images = images.into_iter().map(|(name, bytes)| (name, Cow::Owned(bytes))).chain(bundled).collect();
        Ok((Self { model: Rc::new(model), directories, images, examples: found }, sources, diagnostics))
    }

    /// The model on the GPU.
    ///
    /// # Errors
    ///
    /// [`Error`] of programs, textures and buffers.
    pub fn gpu_model(
        &self,
        gpu: &Gpu,
        shaders: &ShaderFiles,
        limits: Limits,
        texels: TexelFormat,
    ) -> Result<GpuModel, Error> {
        let images: Vec<(&str, &[u8])> = self.images.iter().map(|(name, bytes)| (name.as_str(), &**bytes)).collect();
        let textures = TextureFinder::new(&self.directories, &images).with_memory(shaders.memory);
        let gpu_model = GpuModel::new(gpu, Rc::clone(&self.model), &textures, shaders, limits)?;
        Ok(gpu_model.with_examples(self.examples.clone()).with_texels(texels))
    }
}

/// What is shown first of clips that nobody named: these tell more about a figure than its attack or death.
const STARTING_CLIPS: [&str; 4] = ["walk", "idle", "run", "stand"];

/// Names of clips that an error lists.
const MOST_NAMES: usize = 50;

/// The clip to start with: the one asked for, else the first named; of clips found beside the model, a quiet one.
///
/// # Errors
///
/// [`NoSuchClip`] where no clip has the name or number asked for.
pub fn choose_clip(model: &Model, files: &[PathBuf], wanted: Option<&str>) -> Result<Option<usize>, NoSuchClip> {
    let Some(wanted) = wanted else {
        let first = (!model.clips.is_empty()).then_some(0);
        if files.len() > 1 {
            return Ok(first);
        }
        let named = |name: &&str| model.clips.iter().position(|clip| clip.name.to_lowercase().contains(name));
        return Ok(STARTING_CLIPS.iter().find_map(named).or(first));
    };
    let named = model.clips.iter().position(|clip| clip.name == *wanted);
    let folded = || model.clips.iter().position(|clip| clip.name.eq_ignore_ascii_case(wanted));
    let numbered = || wanted.parse::<usize>().ok()?.checked_sub(1).filter(|&number| number < model.clips.len());
    let found = named.or_else(folded).or_else(numbered);
    match found {
        Some(clip) => Ok(Some(clip)),
        None => Err(NoSuchClip {
            wanted: wanted.to_owned(),
            names: model.clips.iter().map(|clip| clip.name.clone()).collect(),
        }),
    }
}

/// No clip has the name or number asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct NoSuchClip {
    /// What was asked for.
    pub wanted: String,
    /// The clips that there are.
    pub names: Vec<String>,
}

impl fmt::Display for NoSuchClip {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "no clip is called '{}'", self.wanted)?;
        match self.names.len() {
            0 => write!(out, ": the model has none"),
            count => {
                write!(out, "; there are {}", self.names[..count.min(MOST_NAMES)].join(", "))?;
                match count.saturating_sub(MOST_NAMES) {
                    0 => Ok(()),
                    left => write!(out, " and {left} more"),
                }
            }
        }
    }
}
