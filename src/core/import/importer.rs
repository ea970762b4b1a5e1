//! The interface between the loader and the formats.

use super::error::Mismatch;
use super::md5::options::Md5ImportOptions;
use crate::budget::Budget;
use crate::diagnostic::{Diagnostic, SourceId, Sources};
use crate::engines::{Engine, FormatFamily, ReadsX};
use crate::image_search::ImageFinder;
use crate::left_out::LeftOut;
use crate::model::{CameraPath, Front, JointId, Model};
use crate::read::ReadError;
use bindpose_parsers::md5::FileKind;
use glam::DVec3;
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
    /// Converts all files of the family, in the given order, to one model.
    pub import: fn(&[InputFile], &mut ImportJob<'_>) -> Result<ImportedFiles, ImportFailure>,
}

/// Format of an [`Importer`].
///
/// What other packages do with each format is a `match` without a `_`, so that the compiler finds what a new one lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// A file of the MD5 family.
    Md5(FileKind),
    /// DirectX `.x`.
    X,
    /// glTF 2.0, as text or binary.
    Gltf,
}

impl Format {
    /// Returns the format by which engines read such a file. `None` if they are not judged.
    pub fn family(self) -> Option<FormatFamily> {
        match self {
            Self::Md5(_) => Some(FormatFamily::Md5),
            Self::X => Some(FormatFamily::X),
            Self::Gltf => None,
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

/// A file whose format is known.
#[derive(Debug, Clone)]
pub struct InputFile {
    /// The bytes, in [`ImportJob::sources`].
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
    /// Choices for `.md5mesh` and `.md5anim`.
    pub md5: Md5ImportOptions,
    /// Direction in model space of glTF's front.
    pub front: Front,
    /// True for a model that is neither drawn nor recorded: [`Mesh::tangents`](crate::model::Mesh::tangents) stays empty.
    pub without_tangents: bool,
}

/// Input and results of one import, shared by all formats.
#[derive(Debug)]
pub struct ImportJob<'a> {
    /// Choices of the caller.
    pub options: &'a ImportOptions,
    /// glTF skin, by name or number, whose meshes are imported. `None` imports all.
    pub skin: Option<&'a str>,
    /// Engine whose playback of `.x` files is reproduced; `None` imports a file as it is meant.
    pub engine: Option<&'static Engine>,
    /// Function that determines the parts of a `.x` file that this engine reads. `None` reads everything.
    pub reads_x: Option<ReadsX>,
    /// Memory that the import may use.
    pub budget: &'a Budget,
    /// True if an importer may read files named in a file.
    pub reads_named_files: bool,
    /// Listings of folders, if a lone `.md5mesh` gets the matching `.md5anim` files of its folder; else `None`.
    pub finds_clips: Option<&'a ImageFinder>,
    /// The files read so far.
    pub sources: Sources,
    /// Findings so far.
    pub diagnostics: Vec<Diagnostic>,
    /// Parts that the model will lack, so far. The reasons are not among the findings.
    pub left_out: Vec<LeftOut>,
}

/// A model and further data from its files.
#[derive(Debug, Default)]
pub struct ImportedFiles {
    /// The model with all clips.
    pub model: Model,
    /// Number of clips of the file that has the model; those of other files follow.
    pub own_clips: usize,
    /// Animated camera, if the files contain one.
    pub camera: Option<CameraPath>,
    /// Images inside the files, by the names that materials use.
    pub images: Vec<(String, Vec<u8>)>,
    /// Ticks per second of `.x` clips before conversion to seconds.
    pub ticks_per_second: Option<f64>,
    /// Smallest and largest corner of the box of each frame, for each MD5 clip; model space.
    pub frame_boxes: Vec<Vec<[DVec3; 2]>>,
    /// True if a requested skin was applied already.
    pub has_own_skins: bool,
    /// Format of the files, if engines play it.
    pub format: Option<FormatFamily>,
    /// MD5 files of model and clips.
    pub md5: Option<Md5Files>,
}

/// MD5 files from which a model and its clips were made.
#[derive(Debug, Clone, Default)]
pub struct Md5Files {
    /// Joints in mesh file order.
    pub joints: Vec<JointId>,
    /// File of each clip, and the frame rate set by a script.
    pub clips: Vec<(SourceId, Option<f64>)>,
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
