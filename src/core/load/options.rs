//! Input of each step of loading.

use super::game_cache::GameCache;
use crate::budget::MemoryLimit;
use crate::engines::{Engine, LeavesOut};
use crate::image_search::ImageFinder;
use crate::import::importer::ImportOptions;
use bindpose_vfs::Vfs;
use std::path::PathBuf;
use std::sync::Arc;

/// Choices for [`load`](super::load), by step.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Size limit of files, and of the memory that their sizes request together.
    pub memory: MemoryLimit,
    /// Choices that files leave open.
    pub import: ImportOptions,
    /// Clips beyond the files given.
    pub clips: ClipRequest,
    /// True if a `.md5camera` may be among the files.
    pub with_camera: bool,
    /// The game of the files.
    pub game: GameRequest,
    /// Playback by an engine's rules.
    pub playback: PlaybackRequest,
}

impl LoadOptions {
    /// The defaults, but with the clips next to a lone mesh.
    pub fn with_clips() -> Self {
        let clips = ClipRequest { find: true, ..ClipRequest::default() };
        Self { clips, ..Self::default() }
    }

    /// These options, but with the clips next to a lone mesh, and with a camera allowed.
    pub fn with_all_parts(mut self) -> Self {
        (self.clips.find, self.with_camera) = (true, true);
        self
    }
}

/// Clips beyond the files given.
#[derive(Debug, Clone, Default)]
pub struct ClipRequest {
    /// True to add, when only an `.md5mesh` is given, the `.md5anim` files of its folder that fit it.
    pub find: bool,
    /// More clips for an entity, a model of a game or bytes; [`load`](super::load) of files ignores them.
    pub added: Vec<PathBuf>,
    /// Listings of folders that several loads share, so that each folder is listed once. Without them a load lists
    /// the folders again and sees what is new there.
    pub folders: Option<Arc<ImageFinder>>,
}

/// The game of the files.
#[derive(Debug, Clone, Default)]
pub struct GameRequest {
    /// The game's files. Without them the game is the folder above the first file that holds `models`, `materials` or
    /// `def`.
    pub files: Option<Arc<Vfs>>,
    /// Entity or model of the game to load instead of files.
    pub subject: Option<Subject>,
    /// The skin to apply; of a glTF file, name or number of the skin whose meshes are shown.
    pub skin: Option<String>,
    /// Games that were read before, shared by all copies of these options.
    pub cache: Arc<GameCache>,
}

/// Something a game declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// An entityDef: its model with skin and head.
    Entity(String),
    /// A model decl, or the game's name of an `.md5mesh`.
    Model(String),
}

/// Playback by an engine's rules instead of the meaning of the MD5 files.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlaybackRequest {
    /// The engine; without one the model is what the files mean.
    pub engine: Option<&'static Engine>,
    /// Decides which clips the engine does not load; without it, it loads all.
    pub leaves_out: Option<LeavesOut>,
}
