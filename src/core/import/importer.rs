//! The interface between the loader and the formats.

use super::error::Mismatch;
use super::loaded::Loaded;
use crate::budget::Budget;
use crate::diagnostic::{Diagnostic, SourceId, Sources};
use crate::engines::{Engine, EngineId, FormatFamily, LeavesOut, ReadsX};
use crate::image_search::ImageFinder;
use crate::read::ReadError;
use bindpose_parsers::md5::FileKind;
use bindpose_vfs::Order;
use std::fmt;

/// One file format, a row of [`IMPORTERS`](super::IMPORTERS).
pub struct Importer {
    /// The format. No other row has it.
    pub format: Format,
    /// Name in options and reports: `md5mesh`.
    pub name: &'static str,
    /// Name in sentences: `an MD5 mesh`.
    pub title: &'static str,
    /// Name of the group of formats that may be loaded together: `MD5`.
    pub family: &'static str,
    /// File extensions, lower case, without the dot.
    pub extensions: &'static [&'static str],
    /// MIME type that an installation registers with the desktop.
    pub mime: Option<&'static str>,
    /// Role of such a file in a model.
    pub contents: Contents,
    /// True if the first 4096 bytes of a file have a mark unique to this format.
    pub sniff: fn(&[u8]) -> bool,
    /// Adds the model, clips or camera of all files of the family, in the given order.
    pub import: fn(&[InputFile], &ImportJob<'_>, &mut Loaded) -> Result<(), ImportFailure>,
}

/// Format of an [`Importer`].
///
/// What other packages do with each format is a `match` without a `_`, so that the compiler finds what a new one lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A file of the MD5 family with these contents.
    Md5(Contents),
    /// DirectX `.x`.
    X,
    /// glTF 2.0, as text or binary.
    Gltf,
    /// Quake's models of vertices: `.mdl`, `.md2`, `.md3`.
    Vertices,
}

impl Format {
    /// Returns the format by which engines read such a file. `None` if they are not judged.
    pub fn family(self) -> Option<FormatFamily> {
        match self {
            Self::Md5(_) => Some(FormatFamily::Md5),
            Self::X => Some(FormatFamily::X),
            Self::Gltf | Self::Vertices => None,
        }
    }
}

impl PartialEq for Importer {
    fn eq(&self, other: &Self) -> bool {
        self.format == other.format
    }
}

impl Eq for Importer {}

impl fmt::Debug for Importer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Importer {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

impl Importer {
    /// True if such a file can contain a model.
    pub fn is_model(&self) -> bool {
        self.contents == Contents::Model
    }
}

/// Role of a file in a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// Joints and meshes, and in some formats clips.
    Model,
    /// A clip for a model of another file.
    Clip,
    /// An animated camera.
    Camera,
}

impl Contents {
    /// Returns the MD5 format of such files, by which the parser's findings have their codes.
    pub fn md5(self) -> FileKind {
        match self {
            Self::Model => FileKind::Mesh,
            Self::Clip => FileKind::Anim,
            Self::Camera => FileKind::Camera,
        }
    }
}

/// A file whose format is known.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// The bytes, in [`Loaded::sources`].
    pub source: SourceId,
    /// Format of the file.
    pub importer: &'static Importer,
    /// Name of the model or clip.
    pub name: String,
}

/// Choices that the files leave open.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// Ticks per second of `.x` clips, which replace those of the file.
    pub ticks_per_second: Option<f64>,
    /// True for a model that is neither drawn nor recorded: [`Mesh::tangents`](crate::model::Mesh::tangents) stays empty.
    pub without_tangents: bool,
}

/// Playback by an engine's rules instead of the meaning of the files.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlaybackRequest {
    /// The engine. `None` plays the files as they are meant.
    pub engine: Option<&'static Engine>,
    /// Function that decides which clips the engine does not load. `None` loads all.
    pub leaves_out: Option<LeavesOut>,
    /// Function that determines the parts of a `.x` file that the engine reads. `None` reads everything.
    pub reads_x: Option<ReadsX>,
}

impl PlaybackRequest {
    /// Returns the engine if it plays MD5 files.
    pub fn md5_engine(&self) -> Option<&'static Engine> {
        self.engine.filter(|engine| engine.x.is_none())
    }

    /// Returns the order in which the engine searches the places of a game.
    pub fn order(&self) -> Order {
        self.engine.and_then(|engine| engine.id).map_or_else(Order::default, EngineId::order)
    }
}

/// Input of one import, shared by all formats.
#[derive(Debug, Clone, Copy)]
pub struct ImportJob<'a> {
    /// Choices of the caller.
    pub options: &'a ImportOptions,
    /// glTF skin, by name or number, whose meshes are imported. `None` imports all.
    pub skin: Option<&'a str>,
    /// Engine whose playback is reproduced.
    pub playback: PlaybackRequest,
    /// Memory that the import may use.
    pub budget: &'a Budget,
    /// True if an importer may read files named in a file.
    pub reads_named_files: bool,
    /// Listings of folders, if a lone `.md5mesh` gets the matching `.md5anim` files of its folder; else `None`.
    pub finds_clips: Option<&'a ImageFinder>,
}

impl<'a> ImportJob<'a> {
    /// Creates the input for files that need no others.
    pub fn new(options: &'a ImportOptions, budget: &'a Budget) -> Self {
        let playback = PlaybackRequest::default();
        Self { options, skin: None, playback, budget, reads_named_files: false, finds_clips: None }
    }
}

/// Reason why files became no model.
#[derive(Debug)]
pub enum ImportFailure {
    /// A file that another file names cannot be read.
    Read(ReadError),
    /// The files do not belong together.
    Mismatch(Mismatch),
    /// A file breaks its format.
    File(Box<Diagnostic>),
}

impl From<ReadError> for ImportFailure {
    fn from(error: ReadError) -> Self {
        Self::Read(error)
    }
}

impl From<Mismatch> for ImportFailure {
    fn from(mismatch: Mismatch) -> Self {
        Self::Mismatch(mismatch)
    }
}

impl From<Diagnostic> for ImportFailure {
    fn from(diagnostic: Diagnostic) -> Self {
        Self::File(Box::new(diagnostic))
    }
}

/// Returns the error for a second file with a model.
pub(super) fn second_model(sources: &Sources, source: SourceId) -> ImportFailure {
    Mismatch::SecondModel(sources.path(source).to_owned()).into()
}

/// True if `head` contains `word`.
pub(super) fn contains(head: &[u8], word: &[u8]) -> bool {
    head.windows(word.len()).any(|part| part == word)
}
