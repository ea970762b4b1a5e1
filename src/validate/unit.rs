//! Files that are checked together: inputs and results.

use super::decls;
use super::finding::{FileIndex, Finding};
use super::motion::MotionReport;
use super::profiles::{Effect, FormatFamily, Profile};
use bindpose_core::diagnostic::{SourceId, Sources};
use bindpose_core::engines::EngineId;
use bindpose_core::import::md5::{ANIM_FILE, MESH_FILE};
use bindpose_core::import::{self, Format, Importer};
use bindpose_core::read::ReadError;
use bindpose_vfs::member;
use serde::{Serialize, Serializer};
use std::path::{Path, PathBuf};

/// A file to check.
#[derive(Debug)]
pub struct Input {
    /// Path, as given or found.
    pub path: PathBuf,
    /// Bytes of the file, or the reason why they are missing.
    pub bytes: Result<Vec<u8>, ReadError>,
}

/// Kind of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A format of the table of importers. Of glTF only the motion is checked.
    Format(&'static Importer),
    /// Declarations of id Tech 4: `.mtr`, `.skin`, `.def`, `.af`.
    Decl,
    /// An archive of a game. Its index is checked.
    Archive,
    /// An unknown or unreadable file.
    Unknown,
}

impl Kind {
    /// Identifies a file as [`import::identify`] does. For damaged files without a known extension, fewer words are
    /// enough.
    pub fn of(path: &Path, bytes: &[u8]) -> Self {
        if decls::folder_kind(path).is_some() {
            return Kind::Decl;
        }
        if member::is_archive(path) {
            return Kind::Archive;
        }
        let head = bytes.get(..4096).unwrap_or(bytes);
        let has = |word: &[u8]| head.windows(word.len()).any(|part| part == word);
        match import::identify(path, bytes) {
            Some(importer) => Kind::Format(importer),
            None if has(b"hierarchy") => Kind::Format(&ANIM_FILE),
            None if has(b"MD5Version") => Kind::Format(&MESH_FILE),
            None => Kind::Unknown,
        }
    }

    /// Returns the format, if the table of importers has it.
    pub fn format(self) -> Option<Format> {
        match self {
            Kind::Format(importer) => Some(importer.format),
            Kind::Decl | Kind::Archive | Kind::Unknown => None,
        }
    }

    /// Returns the family of formats by which engines read the file.
    pub fn family(self) -> Option<FormatFamily> {
        match self {
            Kind::Format(importer) => importer.format.family(),
            Kind::Decl => Some(FormatFamily::Decl),
            Kind::Archive | Kind::Unknown => None,
        }
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(match self {
            Kind::Format(importer) => importer.name,
            Kind::Decl => "decl",
            Kind::Archive => "archive",
            Kind::Unknown => "unknown",
        })
    }
}

/// Source of an engine's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectSource {
    /// The engine's own loader, run step by step.
    Followed,
    /// The table of effects.
    Table,
}

/// Judgement of one file by one engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// Engine of the judgement.
    pub profile: &'static Profile,
    /// Worst effect of all findings on the engine.
    pub effect: Effect,
    /// Source of the effect. `d3dx9` and `xna` are judged by the table: the first fault of our own reader that Direct3D
    /// also refuses counts as theirs.
    pub source: EffectSource,
    /// True if behaviour after loading is undefined.
    pub undefined: bool,
    /// The engine's own message, if it does not load the file.
    pub message: Option<String>,
    /// Line that the engine prints with its message.
    pub line: Option<u32>,
    /// Code of the finding behind the effect.
    pub code: Option<&'static str>,
}

/// Report on one file.
#[derive(Debug)]
pub struct FileReport {
    /// Path, as given.
    pub path: PathBuf,
    /// Kind of the file.
    pub kind: Kind,
    /// Source that contains its bytes.
    pub source: SourceId,
    /// True for a compressed .x file. Its spans refer to the uncompressed bytes.
    pub is_unpacked: bool,
    /// Findings, by position.
    pub findings: Vec<Finding>,
    /// Reports on the findings of motion, by clip.
    pub motion: Vec<MotionReport>,
    /// Engines that refuse all meshes of this clip, and so never play it.
    pub mesh_refused_by: Vec<EngineId>,
    /// Judgements of the chosen engines that read such files, in the order of [`super::profiles::PROFILES`].
    pub judgements: Vec<Judgement>,
}

/// A clip that was compared with a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairReport {
    /// Index into [`Validation::files`].
    pub mesh: FileIndex,
    /// Index into [`Validation::files`].
    pub anim: FileIndex,
}

/// Results of files that were checked together.
#[derive(Debug, Default)]
pub struct Validation {
    /// Bytes to which spans refer. The index of a file equals that of its source.
    pub sources: Sources,
    /// Files in the given order.
    pub files: Vec<FileReport>,
    /// Pairs of mesh and clip that were compared.
    pub pairs: Vec<PairReport>,
}
