//! Files from disk into one model: reading, telling formats apart, joining clips to meshes.

use crate::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use crate::import::{Warning, md5};
use crate::model::{JointId, Model};
use bindpose_parsers::{Span, md5 as parsers};
use std::path::{Path, PathBuf};

/// What a set of files became.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The model with all clips.
    pub model: Model,
    /// The files, for diagnostics.
    pub sources: Sources,
    /// What was repaired on the way, and which clips do not fit.
    pub diagnostics: Vec<Diagnostic>,
    /// Where textures are looked for: the folders of the files, in order, without repeats.
    pub directories: Vec<PathBuf>,
}

/// Choices that files leave open.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Overrides a .x file's tick rate.
    pub ticks_per_second: Option<f64>,
    /// When no clip is given, take the `.md5anim` files beside the `.md5mesh` that fit it.
    pub find_clips: bool,
    /// For `.md5mesh` and `.md5anim`.
    pub md5: md5::Options,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// The files do not belong together: two models, say.
    #[error("{0}")]
    Usage(String),
    /// A file is at fault; the diagnostics say how, the last one is the reason.
    #[error("{}", diagnostics.last().map_or("a file is at fault", |last| &last.message))]
    File {
        /// For drawing them.
        sources: Sources,
        /// At least one.
        diagnostics: Vec<Diagnostic>,
    },
}

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Doom 3 mesh.
    Md5Mesh,
    /// Doom 3 animation.
    Md5Anim,
    /// Doom 3 camera.
    Md5Camera,
}

impl Format {
    /// By extension in any case, else by the words that only one of the formats has.
    pub fn of(path: &Path, bytes: &[u8]) -> Option<Self> {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("md5mesh") => return Some(Self::Md5Mesh),
            Some("md5anim") => return Some(Self::Md5Anim),
            Some("md5camera") => return Some(Self::Md5Camera),
            _ => {}
        }
        let head = &bytes[..bytes.len().min(4096)];
        let has = |word: &[u8]| head.windows(word.len()).any(|part| part == word);
        match () {
            () if has(b"numMeshes") => Some(Self::Md5Mesh),
            () if has(b"numAnimatedComponents") => Some(Self::Md5Anim),
            () if has(b"numCuts") => Some(Self::Md5Camera),
            () => None,
        }
    }
}

/// Reads mesh and clip files into one model, in the order given.
///
/// # Errors
///
/// [`LoadError`]: a file that cannot be read or is at fault, or files that make no one model.
pub fn load(paths: &[impl AsRef<Path>], options: &LoadOptions) -> Result<Loaded, LoadError> {
    let read = |path: &Path| {
        let bytes = std::fs::read(path).map_err(|error| LoadError::Io { path: path.to_owned(), error })?;
        Ok((path.to_owned(), bytes))
    };
    let files = paths.iter().map(|path| read(path.as_ref())).collect::<Result<Vec<_>, _>>()?;
    let find_clips = options.find_clips;
    let only_mesh = match &files[..] {
        [(path, bytes)] if find_clips && Format::of(path, bytes) == Some(Format::Md5Mesh) => Some(path.clone()),
        _ => None,
    };
    let mut loader = Loader::new(options);
    files.into_iter().try_for_each(|(path, bytes)| loader.add(path, bytes))?;
    if let Some(mesh) = only_mesh {
        loader.add_clips_beside(&mesh);
    }
    loader.finish()
}

/// As [`load`], from bytes: for the embedded sample and for tests. Looks for nothing beside the files.
///
/// # Errors
///
/// As [`load`], without I/O.
pub fn load_bytes(files: Vec<(PathBuf, Vec<u8>)>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let mut loader = Loader::new(options);
    files.into_iter().try_for_each(|(path, bytes)| loader.add(path, bytes))?;
    loader.finish()
}

/// The name a file gives to its model or clip: its stem.
pub fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Collects files, clips last, because they need a skeleton.
struct Loader<'o> {
    options: &'o LoadOptions,
    loaded: Loaded,
    /// The joints of the model's file in that file's order; `None` before there is a model.
    joints: Option<Vec<JointId>>,
    /// `.md5anim` files that wait for the skeleton.
    clips: Vec<SourceId>,
}

impl<'o> Loader<'o> {
    fn new(options: &'o LoadOptions) -> Self {
        Self { options, loaded: Loaded::default(), joints: None, clips: Vec::new() }
    }

    fn add(&mut self, path: PathBuf, bytes: Vec<u8>) -> Result<(), LoadError> {
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        if !self.loaded.directories.contains(&folder) {
            self.loaded.directories.push(folder);
        }
        let format = Format::of(&path, &bytes);
        let source = self.loaded.sources.add(path, bytes);
        match format {
            Some(Format::Md5Mesh) => self.add_mesh(source),
            Some(Format::Md5Anim) => {
                self.clips.push(source);
                Ok(())
            }
            Some(Format::Md5Camera) => {
                let path = self.loaded.sources.path(source).display();
                Err(LoadError::Usage(format!("{path} is a camera, not a model: `bindpose info` shows what is in it")))
            }
            None => {
                let message = "neither the name nor the first bytes are those of md5mesh, md5anim, md5camera or x";
                Err(self.fail(Diagnostic::new("IO001", Severity::Error, message, source, Span::new(0, 0))))
            }
        }
    }

    fn add_mesh(&mut self, source: SourceId) -> Result<(), LoadError> {
        if self.joints.is_some() {
            let path = self.loaded.sources.path(source).display();
            return Err(LoadError::Usage(format!("{path} is a second model; give one model and any number of clips")));
        }
        let file = self.loaded.sources.get(source);
        match read_mesh(source, &file.bytes, self.options) {
            Ok((imported, diagnostics)) => {
                self.loaded.model = Model { name: name_of(&file.path), ..imported.model };
                self.joints = Some(imported.joints);
                self.loaded.diagnostics.extend(diagnostics);
                Ok(())
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    /// Adds those `.md5anim` files of the mesh's folder that have its joints, by name of file.
    fn add_clips_beside(&mut self, mesh: &Path) {
        let folder = mesh.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let is_clip =
            |path: &PathBuf| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md5anim"));
        let mut paths: Vec<PathBuf> = entries.filter(is_clip).collect();
        paths.sort();
        for path in paths {
            let Ok(bytes) = std::fs::read(&path) else { continue };
            if self.fits(&bytes) {
                let source = self.loaded.sources.add(path, bytes);
                self.clips.push(source);
            }
        }
    }

    /// Whether an animation has exactly the joints of the model.
    fn fits(&self, bytes: &[u8]) -> bool {
        let Ok(parsed) = parsers::parse_anim(bytes) else { return false };
        let joints = self.joints.as_deref().unwrap_or_default();
        let skeleton = &self.loaded.model.skeleton;
        let names = joints.iter().map(|&joint| skeleton[joint].name.clone());
        parsed.document.hierarchy.iter().map(|channel| channel.name.to_name()).eq(names)
    }

    fn finish(mut self) -> Result<Loaded, LoadError> {
        for source in std::mem::take(&mut self.clips) {
            self.add_clip(source)?;
        }
        Ok(self.loaded)
    }

    fn add_clip(&mut self, source: SourceId) -> Result<(), LoadError> {
        let Loaded { model, sources, diagnostics, .. } = &mut self.loaded;
        let file = sources.get(source);
        let name = name_of(&file.path);
        let parsed = match parsers::parse_anim(&file.bytes) {
            Ok(parsed) => parsed,
            Err(error) => {
                let error = Diagnostic::new("MD5A000", Severity::Error, error.to_string(), source, error.span);
                return Err(self.fail(error));
            }
        };
        diagnostics.extend(
            parsed.warnings.iter().map(|warning| warned("MD5A000", warning.kind.to_string(), source, warning.span)),
        );
        let joints = self.joints.get_or_insert_with(|| {
            let alone = md5::import_skeleton(&parsed.document);
            diagnostics.extend(imported_warnings(source, alone.warnings));
            *model = Model { name: name.clone(), ..alone.model };
            alone.joints
        });
        let imported = md5::import_clip(&parsed.document, &name, &model.skeleton, joints, &self.options.md5);
        model.clips.extend(imported.clip);
        diagnostics.extend(imported_warnings(source, imported.warnings));
        Ok(())
    }

    fn fail(&mut self, error: Diagnostic) -> LoadError {
        let loaded = std::mem::take(&mut self.loaded);
        let diagnostics = loaded.diagnostics.into_iter().chain([error]).collect();
        LoadError::File { sources: loaded.sources, diagnostics }
    }
}

/// A mesh file's model, and what was repaired.
fn read_mesh(
    source: SourceId,
    bytes: &[u8],
    options: &LoadOptions,
) -> Result<(md5::ImportedMesh, Vec<Diagnostic>), Diagnostic> {
    let parsed = parsers::parse_mesh(bytes)
        .map_err(|error| Diagnostic::new("MD5M000", Severity::Error, error.to_string(), source, error.span))?;
    let mut imported = md5::import_mesh(&parsed.document, &options.md5);
    let repaired =
        parsed.warnings.iter().map(|warning| warned("MD5M000", warning.kind.to_string(), source, warning.span));
    let warnings = std::mem::take(&mut imported.warnings);
    let diagnostics = repaired.chain(imported_warnings(source, warnings)).collect();
    Ok((imported, diagnostics))
}

fn imported_warnings(source: SourceId, warnings: Vec<Warning>) -> impl Iterator<Item = Diagnostic> {
    warnings.into_iter().map(move |Warning { code, message, span }| warned(code, message, source, span))
}

fn warned(code: &'static str, message: String, source: SourceId, span: Span) -> Diagnostic {
    Diagnostic::new(code, Severity::Warning, message, source, span)
}
