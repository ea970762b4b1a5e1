//! Input of each step of loading.

use super::game_cache::GameCache;
use crate::budget::{Budget, MemoryLimit};
use crate::image_search::ImageFinder;
use crate::import::importer::{ImportJob, ImportOptions, PlaybackRequest};
use bindpose_vfs::Vfs;
use std::path::PathBuf;
use std::sync::Arc;

/// Choices for [`load`](super::load), by step.
#[derive(Debug, Clone, Default)]
pub struct LoadOptions {
    /// Limit for the size of files, and for all memory that the files request.
    pub memory: MemoryLimit,
    /// Choices that files leave open.
    pub import: ImportOptions,
    /// Clips to load in addition to the given files.
    pub clips: ClipRequest,
    /// True if a `.md5camera` may be among the files.
    pub with_camera: bool,
    /// Game of the files.
    pub game: GameRequest,
    /// Playback by an engine's rules.
    pub playback: PlaybackRequest,
}

impl LoadOptions {
    /// Returns the default options, but with the clips next to a lone mesh.
    pub fn with_clips() -> Self {
        let clips = ClipRequest { find: true, ..ClipRequest::default() };
        Self { clips, ..Self::default() }
    }

    /// Also loads the clips next to a lone mesh, and allows a camera.
    pub fn with_all_parts(mut self) -> Self {
        (self.clips.find, self.with_camera) = (true, true);
        self
    }

    /// Returns the files of the requested game, in the order of the engine that plays the model.
    pub fn game_files(&self) -> Option<Arc<Vfs>> {
        Some(self.game.files.as_ref()?.in_order(self.playback.order()))
    }

    /// Returns the input of an import that reads only the given files.
    pub(super) fn job<'a>(&'a self, budget: &'a Budget) -> ImportJob<'a> {
        let (skin, playback) = (self.game.skin.as_deref(), self.playback);
        ImportJob { skin, playback, ..ImportJob::new(&self.import, budget) }
    }
}

/// Clips to load in addition to the given files.
#[derive(Debug, Clone, Default)]
pub struct ClipRequest {
    /// True to add matching `.md5anim` files if only an `.md5mesh` is given: those of its folder, and of the folders of
    /// the same name in its game.
    pub find: bool,
    /// Additional clips for an entity, a model of a game or bytes. [`load`](super::load) of files ignores them.
    pub added: Vec<PathBuf>,
    /// Listings of folders shared by several loads, so that each folder is listed once. Without them, each load lists
    /// folders again and sees new files.
    pub folders: Option<Arc<ImageFinder>>,
}

/// Game of the files, and what to load from it.
#[derive(Debug, Clone, Default)]
pub struct GameRequest {
    /// Files of the game. `None` uses that around the first file, in the order of the engine that plays the model.
    pub files: Option<Arc<Vfs>>,
    /// Entity or model of the game to load instead of files.
    pub subject: Option<Subject>,
    /// Skin to apply. For glTF, name or number of the skin whose meshes are shown.
    pub skin: Option<String>,
    /// Cache of games, shared by all copies of these options.
    pub cache: Arc<GameCache>,
}

/// Something declared by a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// An entityDef: its model with skin and head.
    Entity(String),
    /// A model decl, or an `.md5mesh` by its name in the game.
    Model(String),
}
