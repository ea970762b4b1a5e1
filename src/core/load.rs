//! Files from disk into one model: reading, telling formats apart, joining clips to meshes.

mod cast;
mod clips;
mod games;
mod instead;

pub use cast::Subject;
pub use games::{Games, game_of};

use clips::Md5Files;

use crate::budget::{Budget, MemoryLimit};
use crate::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use crate::engines::{Engine, LeavesOut, LeftOut};
use crate::image_habits::{skin_beside, skins_beside};
#[cfg(feature = "gltf")]
use crate::import::gltf;
use crate::import::{ImportError, Warning, md5, x};
use crate::model::{CameraPath, Front, JointId, Model};
use crate::read::{self, ReadError};
use bindpose_parsers::decl::FrameCommand;
use bindpose_parsers::md5::FileKind;
use bindpose_parsers::x::{Parsed, Unpacked};
use bindpose_parsers::{Span, md5 as parsers, x as x_parser};
use bindpose_vfs::Vfs;
use glam::DVec3;
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// The joints of a game's channels, by name: what anims that play on a channel alone move.
    pub channels: Vec<(String, Vec<JointId>)>,
    /// What a game does at frames of clips, by the clip's name.
    pub frame_commands: Vec<(String, Vec<FrameCommand>)>,
    /// Images inside the files, by the names that materials have for them.
    pub images: Vec<(String, Vec<u8>)>,
    /// What the clips of .x files were measured in, before they were in seconds.
    pub ticks_per_second: Option<f64>,
    /// The camera that was given with the model.
    pub film: Option<CameraPath>,
    /// For MD5 clips, by their places in the model, smallest and largest corner of the box that the file has for each frame;
    /// model space.
    pub frame_boxes: Vec<Vec<[DVec3; 2]>>,
    /// The game that dressed the model: it was named, or the files lie in its tree.
    pub game: Option<Arc<Vfs>>,
    /// Whose playback the model shows.
    pub engine: Option<&'static Engine>,
    /// Clips that this engine leaves out, so that the bind pose stands in their place.
    pub left_out: Vec<LeftOut>,
    /// Whether the model is of MD5 files, so that an engine's playback can be shown.
    pub is_md5: bool,
    /// For [`Loaded::held_by`].
    md5_files: Option<Md5Files>,
}

/// Choices that files leave open.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Overrides a .x file's tick rate.
    pub ticks_per_second: Option<f64>,
    /// Whether a `.md5camera` may be among the files.
    pub with_film: bool,
    /// When no clip is given, take the `.md5anim` files beside the `.md5mesh` that fit it.
    pub find_clips: bool,
    /// How large files may be, and how much memory they may ask for together.
    pub memory: MemoryLimit,
    /// For `.md5mesh` and `.md5anim`.
    pub md5: md5::Options,
    /// Which way in model space a figure faces that faces glTF's front.
    pub front: Front,
    /// Shows only the meshes of one skin of a glTF file, its name or number; of a game's model the skin that it wears.
    pub skin: Option<String>,
    /// The game whose files these are, where materials are looked up. `None` guesses: the folder above the first file
    /// that holds `models`, `materials` or `def`.
    pub game: Option<Arc<Vfs>>,
    /// What of that game is loaded; then no files are.
    pub subject: Option<Subject>,
    /// More clips for that figure; for [`load`] of files they are among these.
    pub added: Vec<PathBuf>,
    /// The engine whose own playback the model is to show, instead of what the MD5 files mean.
    pub engine: Option<&'static Engine>,
    /// Says which clips that engine leaves out; without it, it takes all.
    pub leaves_out: Option<LeavesOut>,
    /// The games that were read for these options and all copies of them.
    pub games: Arc<Games>,
}

/// Why there is no model.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The files do not belong together: two models, say.
    #[error("{0}")]
    Usage(String),
    /// A clip moves nothing of the model: it is another skeleton's.
    #[error("{0}")]
    OtherSkeleton(String),
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
    /// DirectX .x in any encoding.
    X,
    /// glTF 2.0, `.gltf` or `.glb`.
    Gltf,
}

impl Format {
    /// Extensions, lower case, with what they stand for.
    const EXTENSIONS: [(&'static str, Self); 6] = [
        ("md5mesh", Self::Md5Mesh),
        ("md5anim", Self::Md5Anim),
        ("md5camera", Self::Md5Camera),
        ("x", Self::X),
        ("gltf", Self::Gltf),
        ("glb", Self::Gltf),
    ];

    /// By extension in any case.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        let known = Self::EXTENSIONS.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known));
        known.map(|&(_, format)| format)
    }

    /// Whether such a file may hold a figure, not only what is done with one.
    pub fn is_model(self) -> bool {
        matches!(self, Self::Md5Mesh | Self::X | Self::Gltf)
    }

    /// By extension in any case, else by the words that only one of the formats has.
    pub fn of(path: &Path, bytes: &[u8]) -> Option<Self> {
        if let Some(format) = Self::of_path(path) {
            return Some(format);
        }
        let head = &bytes[..bytes.len().min(4096)];
        let has = |word: &[u8]| head.windows(word.len()).any(|part| part == word);
        match () {
            () if has(b"numMeshes") => Some(Self::Md5Mesh),
            () if has(b"numAnimatedComponents") => Some(Self::Md5Anim),
            () if has(b"numCuts") => Some(Self::Md5Camera),
            () if head.starts_with(b"xof ") => Some(Self::X),
            () if head.starts_with(b"glTF") => Some(Self::Gltf),
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
    let budget = Budget::new(options.memory);
    let game = || options.game.clone().or_else(|| options.games.game_of(paths));
    let decls = || game().map(|game| options.games.decls(&game, options.memory));
    let def = paths.iter().map(AsRef::as_ref).find(|path| cast::is_def(path));
    if options.subject.is_some() || def.is_some() {
        let decls = decls().ok_or_else(|| LoadError::Usage("an entity or model needs its game: give --base".into()))?;
        let named = options.subject.clone().map(Ok);
        let subject = named.or_else(|| def.map(|def| cast::subject_of(def, &decls)));
        if let Some(subject) = subject {
            return cast::load(&subject?, &decls, options, budget);
        }
    }
    let read = |path: &Path| Ok((path.to_owned(), read::file(path, &budget)?));
    let files = paths.iter().map(|path| read(path.as_ref())).collect::<Result<Vec<_>, ReadError>>()?;
    let find_clips = options.find_clips;
    // A camera moves no joint.
    let is_model = |(path, bytes): &&(PathBuf, Vec<u8>)| Format::of(path, bytes) != Some(Format::Md5Camera);
    let models: Vec<_> = files.iter().filter(is_model).collect();
    let only_mesh = match &models[..] {
        [(path, bytes)] if find_clips && Format::of(path, bytes) == Some(Format::Md5Mesh) => Some(path.clone()),
        _ => None,
    };
    let mut loader = Loader { looks_beside: true, ..Loader::new(options, budget) };
    files.into_iter().try_for_each(|(path, bytes)| loader.add(path, bytes))?;
    if let Some(mesh) = only_mesh {
        loader.add_clips_beside(&mesh)?;
    }
    let is_md5 = matches!(loader.bones, Some(Bones::Md5(_)));
    let is_gltf = matches!(loader.bones, Some(Bones::Gltf));
    let mut loaded = loader.finish()?;
    let decls = is_md5.then(decls).flatten().filter(|decls| !decls.is_empty());
    // glTF has skins of its own.
    let beside = options.skin.as_deref().filter(|_| !is_gltf).map(|skin| wears_beside(&loaded, skin));
    if let Some(decls) = decls {
        let skin = options.skin.as_deref().filter(|_| !matches!(beside, Some(Ok(()))));
        cast::dress(&mut loaded, &decls, skin)?;
        loaded.game = Some(Arc::clone(decls.game()));
    } else if let Some(beside) = beside {
        beside?;
    }
    Ok(loaded)
}

/// As [`load`], from bytes: for the embedded sample and for tests. Reads what `options.added` names, and looks for nothing
/// beside the files.
///
/// # Errors
///
/// As [`load`].
pub fn load_bytes(files: Vec<(PathBuf, Vec<u8>)>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let budget = Budget::new(options.memory);
    files.iter().for_each(|(_, bytes)| budget.add_input(bytes.len()));
    let mut loader = Loader::new(options, budget);
    files.into_iter().try_for_each(|(path, bytes)| loader.add(path, bytes))?;
    loader.add_files(&options.added)?;
    let is_gltf = matches!(loader.bones, Some(Bones::Gltf));
    let loaded = loader.finish()?;
    if let Some(skin) = options.skin.as_deref().filter(|_| !is_gltf) {
        wears_beside(&loaded, skin)?;
    }
    Ok(loaded)
}

/// Whether a skin of this name lies beside the model, for whoever looks for its images.
fn wears_beside(loaded: &Loaded, skin: &str) -> Result<(), LoadError> {
    let is_model = |source: &SourceId| Format::of_path(loaded.sources.path(*source)).is_some_and(Format::is_model);
    match loaded.sources.ids().find(is_model) {
        Some(model) => find_skin(loaded.sources.path(model), skin),
        None => Err(LoadError::Usage(format!("no skin is called '{skin}'"))),
    }
}

/// Looks for a skin beside a model that is of no game with skins.
///
/// # Errors
///
/// [`LoadError::Usage`]: none lies there, and which ones do.
pub fn find_skin(model: &Path, skin: &str) -> Result<(), LoadError> {
    if skin_beside(model, skin).is_some() {
        return Ok(());
    }
    let name = model.file_name().unwrap_or_default().to_string_lossy();
    let known = skins_beside(model);
    Err(LoadError::Usage(match known.is_empty() {
        true => format!("no skin is called '{skin}': {name} has none, neither of a game nor in a .skin file beside it"),
        false => format!("no skin is called '{skin}'; beside {name} there are {}", known.join(", ")),
    }))
}

/// The name a file gives to its model or clip: its stem.
pub fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Collects files, clips last, because they need a skeleton.
struct Loader<'o> {
    options: &'o LoadOptions,
    budget: Budget,
    loaded: Loaded,
    /// What the model is made of; `None` before there is one.
    bones: Option<Bones>,
    /// `.md5anim` files, which wait for the skeleton, and their names where these are not their files'.
    clips: Vec<(SourceId, Option<String>)>,
    /// For each clip of an MD5 model its file, and its frames per second where a script says them.
    clip_files: Vec<(SourceId, Option<f64>)>,
    /// .x files, which wait until all are known: the one with a mesh is the model.
    x_files: Vec<XFile>,
    /// Whether files that a file names are read.
    #[cfg_attr(not(feature = "gltf"), expect(dead_code, reason = "only glTF names any"))]
    looks_beside: bool,
}

/// Which format a model has, and what joins clips to it.
enum Bones {
    /// The joints in the order of the MD5 file.
    Md5(Vec<JointId>),
    /// Frames, which are joined by name.
    X,
    /// Nodes of a glTF file, which has its clips in itself.
    #[cfg_attr(not(feature = "gltf"), expect(dead_code, reason = "there is no reader"))]
    Gltf,
}

/// A .x file whose unpacked bytes are in the sources.
struct XFile {
    source: SourceId,
    encoding: x_parser::Encoding,
    version: [u8; 4],
    body: usize,
}

impl<'o> Loader<'o> {
    fn new(options: &'o LoadOptions, budget: Budget) -> Self {
        Self {
            options,
            budget,
            loaded: Loaded::default(),
            bones: None,
            clips: Vec::new(),
            clip_files: Vec::new(),
            x_files: Vec::new(),
            looks_beside: false,
        }
    }

    fn add(&mut self, path: PathBuf, bytes: Vec<u8>) -> Result<(), LoadError> {
        let folder = read::folder_of(&path);
        if !self.loaded.directories.contains(&folder) {
            self.loaded.directories.push(folder);
        }
        let format = Format::of(&path, &bytes);
        if format == Some(Format::X) {
            return self.add_x(path, bytes);
        }
        let source = self.loaded.sources.add(path, bytes);
        match format {
            Some(Format::Md5Mesh) => self.add_mesh(source),
            Some(Format::Md5Anim) => {
                self.clips.push((source, None));
                Ok(())
            }
            Some(Format::Md5Camera) if self.options.with_film => self.add_film(source),
            Some(Format::Md5Camera) => {
                let path = self.loaded.sources.path(source).display();
                Err(LoadError::Usage(format!("{path} is a camera, not a model: `bindpose info` shows what is in it")))
            }
            Some(Format::Gltf) => self.add_gltf(source),
            Some(Format::X) | None => {
                let message = "unrecognised format: expected .md5mesh, .md5anim, .md5camera, .x, .gltf or .glb";
                let mut error = Diagnostic::new("IO002", Severity::Error, message, source, Span::new(0, 0));
                let file = self.loaded.sources.get(source);
                if let Some(help) = instead::help(&file.path, &file.bytes) {
                    error = error.with_note(help);
                }
                Err(self.fail(error))
            }
        }
    }

    fn add_files(&mut self, paths: &[PathBuf]) -> Result<(), LoadError> {
        paths.iter().try_for_each(|path| {
            let bytes = read::file(path, &self.budget)?;
            self.add(path.clone(), bytes)
        })
    }

    fn add_film(&mut self, source: SourceId) -> Result<(), LoadError> {
        let file = self.loaded.sources.get(source);
        let parsed = match parsers::parse_camera(&file.bytes) {
            Ok(parsed) => parsed,
            Err(error) => {
                let error = md5_error(&error, FileKind::Camera, source);
                return Err(self.fail(error));
            }
        };
        let warnings = &parsed.warnings;
        let warned = warnings.iter().map(|warning| md5_warning(warning, FileKind::Camera, source));
        self.loaded.diagnostics.extend(warned);
        match md5::import_camera(&parsed.document) {
            Some(film) => self.loaded.film = Some(film),
            None => {
                let (message, span) = ("the camera has no frame, or no frame rate", parsed.document.num_frames.span);
                let error = Diagnostic::new("MD5C007", Severity::Error, message, source, span);
                return Err(self.fail(error));
            }
        }
        Ok(())
    }

    fn add_mesh(&mut self, source: SourceId) -> Result<(), LoadError> {
        if self.bones.is_some() {
            return Err(self.second_model(source));
        }
        let file = self.loaded.sources.get(source);
        match read_mesh(source, &file.bytes, self.options, &self.budget) {
            Ok((imported, diagnostics)) => {
                self.loaded.model = Model { name: name_of(&file.path), ..imported.model };
                self.bones = Some(Bones::Md5(imported.joints));
                self.loaded.diagnostics.extend(diagnostics);
                Ok(())
            }
            Err(error) => Err(self.fail(*error)),
        }
    }

    #[cfg(feature = "gltf")]
    fn add_gltf(&mut self, source: SourceId) -> Result<(), LoadError> {
        if self.bones.is_some() {
            return Err(self.second_model(source));
        }
        let Self { options, budget, loaded, looks_beside, .. } = self;
        let file = loaded.sources.get(source);
        let folder = read::folder_of(&file.path);
        let mut read = |name: &str| match looks_beside {
            true => read::file(&folder.join(name), budget).map_err(|error| error.to_string()),
            false => Err(format!("{name} is not among the files that were given")),
        };
        let options = gltf::Options { name: name_of(&file.path), front: options.front, skin: options.skin.clone() };
        match gltf::import(&file.bytes, &options, &mut read, budget) {
            Ok(gltf::Imported { model, images, warnings }) => {
                loaded.model = model;
                loaded.images.extend(images);
                loaded.diagnostics.extend(imported_warnings(source, warnings));
                self.bones = Some(Bones::Gltf);
                Ok(())
            }
            Err(error) => {
                let code = if error.is_memory { "IO005" } else { "GLI000" };
                Err(self.fail(Diagnostic::new(code, Severity::Error, error.to_string(), source, error.span)))
            }
        }
    }

    #[cfg(not(feature = "gltf"))]
    fn add_gltf(&mut self, source: SourceId) -> Result<(), LoadError> {
        let path = self.loaded.sources.path(source).display();
        Err(LoadError::Usage(format!("{path} is glTF, which this program was built without (feature `gltf`)")))
    }

    fn finish(mut self) -> Result<Loaded, LoadError> {
        self.add_x_files()?;
        self.add_md5_clips()?;
        if self.bones.is_none() && self.loaded.film.is_some() {
            return Err(LoadError::Usage("a camera alone shows nothing; give a model with it".into()));
        }
        if let Some(engine) = self.options.engine {
            self.play_as(engine)?;
        }
        if let Some(Bones::Md5(joints)) = self.bones {
            self.loaded.is_md5 = true;
            self.loaded.md5_files = Some(Md5Files { joints, clips: self.clip_files });
        }
        Ok(self.loaded)
    }

    /// The first .x file with a mesh is the model, without one the first; the others give it their clips.
    fn add_x_files(&mut self) -> Result<(), LoadError> {
        let Loaded { model, sources, diagnostics, ticks_per_second, .. } = &mut self.loaded;
        let mut unpacked = Vec::with_capacity(self.x_files.len());
        for XFile { source, encoding, version, body } in self.x_files.drain(..) {
            let bytes = Cow::Borrowed(&sources.get(source).bytes[..]);
            unpacked.push((source, Unpacked { encoding, version, bytes, body, warnings: Vec::new() }));
        }
        let mut parsed = Vec::with_capacity(unpacked.len());
        for (source, file) in &unpacked {
            match x_parser::parse(file, x_parser::Reading::Lenient) {
                // The tree is not needed any more, and it is large.
                Ok(Parsed { document, warnings, .. }) => parsed.push((*source, document, warnings)),
                Err(error) => {
                    let error =
                        Diagnostic::new(error.kind.code(), Severity::Error, error.to_string(), *source, error.span);
                    drop(unpacked);
                    return Err(self.fail(error));
                }
            }
        }
        if parsed.is_empty() {
            return Ok(());
        }
        let main = parsed.iter().position(|(_, document, _)| !document.mesh_uses.is_empty()).unwrap_or(0);
        let (source, document, warnings) = parsed.remove(main);
        if let Some(bones) = &self.bones {
            let path = sources.path(source).display();
            let model = if matches!(bones, Bones::Gltf) { "glTF" } else { "MD5" };
            return Err(LoadError::Usage(format!(
                "{path} is DirectX .x, the model is {model}; give one model and its clips"
            )));
        }
        let options = |source| x::Options {
            name: name_of(sources.path(source)),
            ticks_per_second: self.options.ticks_per_second,
        };
        diagnostics.extend(warnings.iter().map(|warning| x_warning(warning, source)));
        let imported = match x::import(&document, &options(source), &self.budget) {
            Ok(imported) => imported,
            Err(error) => {
                let error = refused(&error, source);
                drop((document, parsed));
                drop(unpacked);
                return Err(self.fail(error));
            }
        };
        diagnostics.extend(imported_warnings(source, imported.warnings));
        *model = imported.model;
        *ticks_per_second = (!model.clips.is_empty()).then_some(imported.ticks_per_second);
        for (source, document, warnings) in parsed {
            if document.animation_sets.is_empty() && document.loose_animations.is_empty() {
                return Err(self.second_model(source));
            }
            diagnostics.extend(warnings.iter().map(|warning| x_warning(warning, source)));
            let clips = match x::import_clips(&document, &imported.frames, &options(source), &self.budget) {
                Ok(clips) => clips,
                Err(error) => return Err(self.fail(refused(&error, source))),
            };
            if clips.clips.is_empty() {
                return Err(LoadError::OtherSkeleton(format!(
                    "{} is a clip of another skeleton: it moves none of the model's {} frames",
                    sources.path(source).display(),
                    model.skeleton.len()
                )));
            }
            model.clips.extend(clips.clips);
            ticks_per_second.get_or_insert(clips.ticks_per_second);
            diagnostics.extend(imported_warnings(source, clips.warnings));
        }
        self.bones = Some(Bones::X);
        Ok(())
    }

    /// Reads the header of a .x file and keeps it, its compression undone, for [`Self::add_x_files`].
    fn add_x(&mut self, path: PathBuf, bytes: Vec<u8>) -> Result<(), LoadError> {
        let limit = self.budget.limit().largest_unpacked();
        match x_parser::unpack_within(&bytes, x_parser::Reading::Lenient, limit) {
            Ok(Unpacked { encoding, version, bytes: unpacked, body, warnings }) => {
                let unpacked = match unpacked {
                    Cow::Owned(unpacked) => Some(unpacked),
                    Cow::Borrowed(_) => None,
                };
                let sources = &mut self.loaded.sources;
                let source = match unpacked {
                    Some(unpacked) => sources.add_packed(path, unpacked, bytes),
                    None => sources.add(path, bytes),
                };
                self.loaded.diagnostics.extend(warnings.iter().map(|warning| x_warning(warning, source)));
                self.x_files.push(XFile { source, encoding, version, body });
                Ok(())
            }
            Err(error) => {
                let source = self.loaded.sources.add(path, bytes);
                Err(self.fail(Diagnostic::new(
                    error.kind.code(),
                    Severity::Error,
                    error.to_string(),
                    source,
                    error.span,
                )))
            }
        }
    }

    fn second_model(&self, source: SourceId) -> LoadError {
        let path = self.loaded.sources.path(source).display();
        LoadError::Usage(format!("{path} is a second model; give one model and any number of clips"))
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
    budget: &Budget,
) -> Result<(md5::ImportedMesh, Vec<Diagnostic>), Box<Diagnostic>> {
    let parsed = parsers::parse_mesh(bytes).map_err(|error| Box::new(md5_error(&error, FileKind::Mesh, source)))?;
    let mut imported =
        md5::import_mesh(&parsed.document, &options.md5, budget).map_err(|error| Box::new(refused(&error, source)))?;
    let repaired = parsed.warnings.iter().map(|warning| md5_warning(warning, FileKind::Mesh, source));
    let warnings = std::mem::take(&mut imported.warnings);
    let diagnostics = repaired.chain(imported_warnings(source, warnings)).collect();
    Ok((imported, diagnostics))
}

/// A file that asks for more memory than the budget has.
fn refused(error: &ImportError, source: SourceId) -> Diagnostic {
    Diagnostic::new("IO005", Severity::Error, error.to_string(), source, error.span)
}

fn imported_warnings(source: SourceId, warnings: Vec<Warning>) -> impl Iterator<Item = Diagnostic> {
    warnings.into_iter().map(move |Warning { code, message, span }| warned(code, message, source, span))
}

fn warned(code: &'static str, message: String, source: SourceId, span: Span) -> Diagnostic {
    Diagnostic::new(code, Severity::Warning, message, source, span)
}

/// Why an MD5 file cannot be read.
pub fn md5_error(error: &parsers::Error, file: FileKind, source: SourceId) -> Diagnostic {
    Diagnostic::new(error.kind.code(file), Severity::Error, error.to_string(), source, error.span)
}

/// What was repaired to read an MD5 file.
pub fn md5_warning(warning: &parsers::Warning, file: FileKind, source: SourceId) -> Diagnostic {
    warned(warning.kind.code(file), warning.kind.to_string(), source, warning.span)
}

fn x_warning(warning: &x_parser::Warning, source: SourceId) -> Diagnostic {
    let times = if warning.times > 1 { format!(" ({} times)", warning.times) } else { String::new() };
    warned(warning.kind.code(), format!("{}{times}", warning.kind), source, warning.span)
}

#[cfg(test)]
mod tests;
