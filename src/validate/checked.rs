//! MD5 files while they are checked together.

use super::codes::Code;
use super::finding::{FileIndex, Finding, Findings};
use super::motion::MotionReport;
use super::profiles::Profile;
use super::unit::Judgement;
use super::verdict::Verdict;
use super::{Options, doom3};
use bindpose_core::engines::EngineId;
use bindpose_core::game::Decls;
use bindpose_core::image_search::ImageFinder;
use bindpose_core::import::Contents;
use bindpose_parsers::md5::{AnimFile, MeshFile};
use bindpose_vfs::{Vfs, files_beside, folders_of};
use std::path::{Path, PathBuf};

/// A file before it is parsed.
pub(super) struct Bytes<'a> {
    pub file: FileIndex,
    pub path: &'a Path,
    pub kind: Contents,
    pub bytes: &'a [u8],
}

/// Result of parsing a file.
pub(super) enum Document<'a> {
    Mesh(MeshFile<'a>),
    /// Joints of a mesh file that cannot be read to its end, which are enough for comparing clips.
    Joints(MeshFile<'a>),
    Anim(AnimFile<'a>),
    Camera,
    None,
}

/// A file after the checks that need only this file.
pub(super) struct Checked<'a> {
    pub file: FileIndex,
    /// Path as printed by engines.
    pub name: String,
    /// True if the mesh's engines find a clip with its name, even if that is not checked.
    pub has_clip_beside: bool,
    pub bytes: &'a [u8],
    pub stem: String,
    pub kind: Contents,
    pub document: Document<'a>,
    /// Result of Doom 3's loader.
    pub doom3: doom3::Loaded<'a>,
    /// Results for engines of the same family that differ on this file.
    pub family: Vec<(EngineId, doom3::Loaded<'a>)>,
    pub findings: Findings,
    /// Reports on the findings of motion.
    pub motion: Vec<MotionReport>,
    /// Verdicts of the engines whose loaders read a mesh and a clip together.
    pub followed: Vec<Followed>,
}

/// An engine's verdict on a model.
pub(super) struct Followed {
    pub profile: &'static Profile,
    pub verdict: Verdict,
    /// Code of the finding for which the engine refuses the model. May be in the model's other file.
    pub code: Option<&'static Code>,
}

impl<'a> Checked<'a> {
    /// Returns the result of a loader of Doom 3's family.
    pub fn loaded(&self, engine: EngineId) -> &doom3::Loaded<'a> {
        self.family.iter().find(|(known, _)| *known == engine).map_or(&self.doom3, |(_, loaded)| loaded)
    }
}

/// Results for one file.
pub(super) struct Outcomes {
    pub file: FileIndex,
    pub findings: Vec<Finding>,
    pub motion: Vec<MotionReport>,
    pub judgements: Vec<Judgement>,
}

/// Context of the checked files.
pub(super) struct CheckContext<'a> {
    pub options: &'a Options,
    pub images: &'a ImageFinder,
    /// Game to which the files belong.
    pub files: Option<&'a Vfs>,
    /// Decls of this game, if it has any.
    pub game: Option<&'a Decls>,
}

impl CheckContext<'_> {
    /// Returns the file with the same name and another extension that engines find.
    pub fn beside(&self, file: &Path, extension: &str) -> Option<PathBuf> {
        files_beside(&folders_of(self.files, file), file, extension).next()
    }
}

/// Indices in the list of checked files.
pub(super) struct Pair {
    pub mesh: usize,
    pub anim: usize,
}
