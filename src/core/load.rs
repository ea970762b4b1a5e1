//! Files from disk into one model.
//!
//! [`Loaded`] is filled step by step: read the files, identify their formats, import them with their clips as they are
//! or as an engine plays them, apply the materials of their game. [`LoadOptions`] has a part for each step.
//!
//! ```
//! # extern crate bindpose_core as bindpose;
//! use bindpose::load::{LoadError, LoadOptions, load};
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/md5/cylinder.md5mesh");
//! // A lone mesh gets the fitting clips of its folder.
//! let loaded = load(&[path], &LoadOptions::with_clips())?;
//! for repair in &loaded.diagnostics {
//!     eprintln!("{repair}");
//! }
//! for clip in &loaded.model.clips {
//!     println!("{}: {} s", clip.name, clip.duration);
//! }
//! assert!(loaded.model.clip("cylinder_bend").is_some());
//!
//! match load(&["nothing.md5mesh"], &LoadOptions::default()) {
//!     Err(LoadError::Read(error)) => println!("{error}"),
//!     Err(LoadError::File { diagnostics, .. }) => diagnostics.iter().for_each(|found| println!("{found}")),
//!     other => panic!("{other:?}"),
//! }
//! # Ok::<(), LoadError>(())
//! ```

mod error;
mod game;
mod game_cache;
mod options;
mod skin;

pub use crate::import::Loaded;
pub use crate::import::error::Mismatch;
pub use crate::import::importer::PlaybackRequest;
pub use error::LoadError;
pub use game_cache::GameCache;
pub use options::{ClipRequest, GameRequest, LoadOptions, Subject};
pub use skin::find_skin;

use crate::budget::Budget;
use crate::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use crate::engines::FormatFamily;
use crate::image_search::ImageFinder;
use crate::import::importer::{Contents, ImportFailure, ImportJob, InputFile};
use crate::import::{extensions, identify, is_model_file};
use crate::left_out::LeftOut;
use crate::pairing::NO_MESH;
use crate::read::{self, ReadError};
use bindpose_parsers::Span;
use bindpose_vfs::{Vfs, folders_of, member};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads mesh and clip files, or an entity or model of a game, into one model. Clips keep the order of their files.
///
/// # Errors
///
/// [`LoadError`]: a file cannot be read or breaks its format, or the files do not make one model.
pub fn load(paths: &[impl AsRef<Path>], options: &LoadOptions) -> Result<Loaded, LoadError> {
    let budget = Budget::new(options.memory);
    let request = &options.game;
    let game = || options.game_files().or_else(|| request.cache.game_of(paths, options.playback.order()));
    let decls = || game().map(|game| request.cache.decls(&game, options.memory));
    let def = paths.iter().map(AsRef::as_ref).find(|path| game::is_def(path));
    if request.subject.is_some() || def.is_some() {
        let decls = decls().ok_or(Mismatch::NeedsGame)?;
        let named = request.subject.clone().map(Ok);
        if let Some(subject) = named.or_else(|| def.map(|def| game::subject_of(def, &decls))) {
            return game::load_subject(&subject?, &decls, options, &budget);
        }
    }
    let read = |path: &Path| Ok((path.to_owned(), read::file(path, &budget)?, None));
    let files = paths.iter().map(|path| read(path.as_ref())).collect::<Result<Vec<_>, ReadError>>()?;
    let (shared, own) = (options.clips.folders.as_deref(), ImageFinder::default());
    let finds_clips = options.clips.find.then(|| shared.unwrap_or(&own));
    let around = game();
    let job = ImportJob { reads_named_files: true, finds_clips, ..options.job(&budget) };
    let mut loaded = import_files(files, options.with_camera, around.as_deref(), &job)?;
    let is_md5 = loaded.format == Some(FormatFamily::Md5);
    if is_md5 {
        skin::split_materials(&mut loaded, request.skin.as_deref(), shared.unwrap_or(&own));
    }
    let decls = around.filter(|_| is_md5).map(|game| request.cache.decls(&game, options.memory));
    if let Some(decls) = &decls {
        // Such a clip belongs to a mesh of another folder.
        let is_declared = |left: &LeftOut| {
            let path = loaded.sources.path(left.reason.primary.as_ref()?.source);
            Some(left.reason.code == NO_MESH && decls.anim_files().contains(&decls.game().name_of(path)?))
        };
        let own = std::mem::take(&mut loaded.left_out).into_iter();
        loaded.left_out = own.filter(|left| is_declared(left) != Some(true)).collect();
    }
    apply_skin_and_materials(
        &mut loaded,
        decls.filter(|decls| !decls.is_empty() || !decls.unreadable.is_empty()).as_deref(),
        request.skin.as_deref(),
    )?;
    Ok(loaded)
}

/// Loads files from memory, as [`load`] does. Reads the files in `options.clips.added`, but searches no folder.
pub fn load_bytes(files: Vec<(PathBuf, Vec<u8>)>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let budget = Budget::new(options.memory);
    files.iter().for_each(|(_, bytes)| budget.add_input(bytes.len()));
    let mut files: Vec<_> = files.into_iter().map(|(path, bytes)| (path, bytes, None)).collect();
    for path in &options.clips.added {
        files.push((path.clone(), read::file(path, &budget)?, None));
    }
    let mut loaded = import_files(files, options.with_camera, None, &options.job(&budget))?;
    apply_skin_and_materials(&mut loaded, None, options.game.skin.as_deref())?;
    Ok(loaded)
}

/// Imports files, which belong together in a game, as one model. A given name replaces the file's stem.
fn import_files(
    files: Vec<(PathBuf, Vec<u8>, Option<String>)>,
    with_camera: bool,
    game: Option<&Vfs>,
    job: &ImportJob<'_>,
) -> Result<Loaded, LoadError> {
    let mut loaded = Loaded::default();
    for (path, ..) in &files {
        // The engine looks for what belongs to a file in folders of its game, in search order.
        for folder in folders_of(game, path) {
            if !loaded.directories.contains(&folder) {
                loaded.directories.push(folder);
            }
        }
    }
    match import_into(&mut loaded, files, with_camera, job) {
        Ok(()) => Ok(loaded),
        Err(failure) => Err(LoadError::new(failure, loaded)),
    }
}

fn import_into(
    loaded: &mut Loaded,
    files: Vec<(PathBuf, Vec<u8>, Option<String>)>,
    with_camera: bool,
    job: &ImportJob<'_>,
) -> Result<(), ImportFailure> {
    let mut inputs = Vec::with_capacity(files.len());
    for (path, bytes, name) in files {
        let input = add_file(path, bytes, &mut loaded.sources)?;
        inputs.push(InputFile { name: name.unwrap_or_else(|| input.name.clone()), ..input });
    }
    let is_camera = |file: &InputFile| file.importer.contents == Contents::Camera;
    let (cameras, files): (Vec<_>, Vec<_>) = inputs.into_iter().partition(is_camera);
    if let Some(camera) = cameras.first() {
        if !with_camera {
            return Err(Mismatch::Camera(loaded.sources.path(camera.source).to_owned()).into());
        }
        (camera.importer.import)(&cameras, job, loaded)?;
    }
    if let Some(main) = files.iter().find(|file| file.importer.is_model()).or(files.first()) {
        if let Some(other) = files.iter().find(|file| file.importer.family != main.importer.family) {
            let (path, title) = (loaded.sources.path(other.source).to_owned(), other.importer.title);
            return Err(Mismatch::OtherFormat { path, title, family: main.importer.family }.into());
        }
        (main.importer.import)(&files, job, loaded)?;
    } else if !cameras.is_empty() {
        return Err(Mismatch::CameraAlone.into());
    }
    match job.playback.engine.filter(|_| loaded.engine.is_none()) {
        Some(engine) => {
            let format = if engine.x.is_some() { ".x" } else { "MD5" };
            Err(Mismatch::OtherEngine { engine: engine.title(), format, model: loaded.model.name.clone() }.into())
        }
        None => Ok(()),
    }
}

/// Adds a file to the sources and finds its format.
fn add_file(path: PathBuf, bytes: Vec<u8>, sources: &mut Sources) -> Result<InputFile, ImportFailure> {
    let (importer, name) = (identify(&path, &bytes), read::stem_of(&path));
    let source = sources.add(path, bytes);
    match importer {
        Some(importer) => Ok(InputFile { source, importer, name }),
        None => Err(unknown_format(source, sources).into()),
    }
}

/// Returns the error for a file of unknown format, with a hint for archives and images.
pub fn unknown_format(source: SourceId, sources: &Sources) -> Diagnostic {
    let message = format!("unrecognised format: expected {}", extensions(|_| true));
    let error = Diagnostic::new("IO002", Severity::Error, message, source, Span::new(0, 0));
    let file = sources.get(source);
    match help(&file.path, &file.bytes) {
        Some(help) => error.with_note(help),
        None => error,
    }
}

/// Returns the hint for a file of unknown format: a model in the archive, or the option for an image.
fn help(path: &Path, bytes: &[u8]) -> Option<String> {
    if member::is_archive(path) {
        let archive = bindpose_vfs::open(path).ok()?;
        let model = archive.files().map(|(name, _)| name).find(|name| is_model_file(Path::new(name)));
        return Some(model.map_or_else(
            || "it is an archive without models".to_owned(),
            |model| format!("it is an archive; name a model in it, such as {}", member::join(path, model).display()),
        ));
    }
    let marks: [&[u8]; 5] = [b"\x89PNG", b"\xff\xd8\xff", b"DDS ", b"GIF8", b"BM"];
    let is_targa = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tga"));
    let is_image = is_targa || marks.iter().any(|mark| bytes.starts_with(mark));
    is_image.then(|| "it is an image; `bindpose play MODEL --texture IMAGE` shows it on a model".to_owned())
}

/// Gives materials the surfaces declared by the game. The skin is one of the game or next to the model. A glTF file
/// uses its own.
fn apply_skin_and_materials(
    loaded: &mut Loaded,
    decls: Option<&crate::game::Decls>,
    skin: Option<&str>,
) -> Result<(), LoadError> {
    let skin = skin.filter(|_| !loaded.has_own_skins);
    let next_to_it = skin.map(|skin| skin::find_skin_of(loaded, skin));
    match (decls, next_to_it) {
        (Some(decls), found) => {
            game::apply_materials(loaded, decls, skin.filter(|_| !matches!(found, Some(Ok(())))))?;
            loaded.game = Some(Arc::clone(decls.game()));
            Ok(())
        }
        (None, Some(found)) => found,
        (None, None) => Ok(()),
    }
}
