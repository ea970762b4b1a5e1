//! Steps from sources to a model: import, then playback by an engine.

use super::error::LoadError;
use super::identify::add_file;
use super::loaded::Loaded;
use super::options::{LoadOptions, PlaybackRequest};
use super::playback::play_as;
use crate::budget::Budget;
use crate::diagnostic::Sources;
use crate::image_search::ImageFinder;
use crate::import::error::Mismatch;
use crate::import::importer::{Contents, ImportFailure, ImportJob, ImportedFiles, InputFile};
use crate::read;
use bindpose_vfs::Vfs;
use std::path::{Path, PathBuf};

/// Input of [`run`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub options: &'a LoadOptions,
    pub budget: &'a Budget,
    /// Game in which files belong together.
    pub game: Option<&'a Vfs>,
    /// See [`ImportJob::reads_named_files`].
    pub reads_named_files: bool,
    /// See [`ImportJob::finds_clips`].
    pub finds_clips: Option<&'a ImageFinder>,
}

/// Identifies files, imports them as one model, and applies the requested engine's playback. A given name replaces the
/// file's stem.
pub(super) fn run(files: Vec<(PathBuf, Vec<u8>, Option<String>)>, run: Run<'_>) -> Result<Loaded, LoadError> {
    let Run { options, budget, game, reads_named_files, finds_clips } = run;
    let skin = options.game.skin.as_deref();
    let (import, sources, diagnostics) = (&options.import, Sources::default(), Vec::new());
    let PlaybackRequest { engine, reads_x, .. } = options.playback;
    let mut job = ImportJob {
        options: import,
        skin,
        engine,
        reads_x,
        budget,
        reads_named_files,
        finds_clips,
        sources,
        diagnostics,
        left_out: Vec::new(),
    };
    let mut directories = Vec::new();
    for (path, ..) in &files {
        for folder in folders_of(path, game) {
            if !directories.contains(&folder) {
                directories.push(folder);
            }
        }
    }
    match import_all(files, options, &mut job) {
        Ok(imported) => {
            let ImportJob { sources, diagnostics, left_out, .. } = job;
            let mut loaded = Loaded {
                model: imported.model,
                sources,
                diagnostics,
                left_out,
                directories,
                images: imported.images,
                ticks_per_second: imported.ticks_per_second,
                camera: imported.camera,
                frame_boxes: imported.frame_boxes,
                format: imported.format,
                has_own_skins: imported.has_own_skins,
                md5: imported.md5,
                ..Loaded::default()
            };
            match play_as(options.playback, &mut loaded, budget) {
                Ok(()) => Ok(loaded),
                Err(failure) => Err(LoadError::new(failure, loaded.sources, loaded.diagnostics)),
            }
        }
        Err(failure) => Err(LoadError::new(failure, job.sources, job.diagnostics)),
    }
}

/// Returns the folders in which the engine looks for what belongs to a file, in search order.
fn folders_of(path: &Path, game: Option<&Vfs>) -> Vec<PathBuf> {
    game.map_or_else(|| vec![read::folder_of(path)], |game| game.folders_of(path))
}

fn import_all(
    files: Vec<(PathBuf, Vec<u8>, Option<String>)>,
    options: &LoadOptions,
    job: &mut ImportJob<'_>,
) -> Result<ImportedFiles, ImportFailure> {
    let mut inputs = Vec::with_capacity(files.len());
    for (path, bytes, name) in files {
        let input = add_file(path, bytes, &mut job.sources)?;
        inputs.push(InputFile { name: name.unwrap_or_else(|| input.name.clone()), ..input });
    }
    let is_camera = |file: &InputFile| file.importer.contents == Contents::Camera;
    let (cameras, files): (Vec<_>, Vec<_>) = inputs.into_iter().partition(is_camera);
    if let Some(camera) = cameras.first().filter(|_| !options.with_camera) {
        return Err(Mismatch::Camera(job.sources.path(camera.source).to_owned()).into());
    }
    let camera = match cameras.first() {
        Some(first) => (first.importer.import)(&cameras, job)?.camera,
        None => None,
    };
    let Some(main) = files.iter().find(|file| file.importer.is_model()).or(files.first()) else {
        return match camera {
            Some(_) => Err(Mismatch::CameraAlone.into()),
            None => Ok(ImportedFiles::default()),
        };
    };
    if let Some(other) = files.iter().find(|file| file.importer.family != main.importer.family) {
        let (path, title) = (job.sources.path(other.source).to_owned(), other.importer.title);
        return Err(Mismatch::OtherFormat { path, title, family: main.importer.family }.into());
    }
    let import = main.importer.import;
    Ok(ImportedFiles { camera, ..import(&files, job)? })
}
