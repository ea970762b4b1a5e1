//! Files from disk into one model: reading, telling formats apart, joining clips to meshes.

use crate::diagnostic::{Diagnostic, Sources};
use crate::model::Model;
use std::path::{Path, PathBuf};

/// What a set of files became.
#[derive(Debug)]
pub struct Loaded {
    /// The model with all clips.
    pub model: Model,
    /// The files, for diagnostics.
    pub sources: Sources,
    /// What was repaired on the way.
    pub diagnostics: Vec<Diagnostic>,
    /// Where textures are looked for: the folders of the files, in order, without repeats.
    pub directories: Vec<PathBuf>,
}

/// Choices that files leave open.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Overrides a .x file's tick rate.
    pub ticks_per_second: Option<f64>,
}

/// Why there is no model.
#[derive(Debug)]
pub enum LoadError {
    /// A file cannot be read.
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// A file is at fault; the diagnostics say how, the last one is the reason.
    File {
        /// For drawing them.
        sources: Sources,
        /// At least one.
        diagnostics: Vec<Diagnostic>,
    },
}

/// Reads mesh and clip files into one model, in the order given.
pub fn load(paths: &[impl AsRef<Path>], options: &LoadOptions) -> Result<Loaded, LoadError> {
    let _ = (paths, options);
    unimplemented!()
}

/// As [`load`], from bytes: for the embedded sample and for tests.
pub fn load_bytes(files: Vec<(PathBuf, Vec<u8>)>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let _ = (files, options);
    unimplemented!()
}
