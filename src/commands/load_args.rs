//! Options that commands share: memory limit, game, and subject of the game.

use anyhow::{Context, bail, ensure};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::import::by_extension;
use bindpose::import::x::X_FILE;
use bindpose::load::{GameRequest, LoadOptions, PlaybackRequest, Subject};
use bindpose::read::{self, ReadError};
use bindpose::vfs::{Vfs, tree};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Option `--max-memory`.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct MemoryArgs {
    /// Limit of the memory that all files together may request by their sizes, such as 512M or 4G; a single file may use
    /// a quarter of it [default: 64M plus 256 bytes for each byte of input, at most 2G]
    #[arg(long, value_name = "SIZE", display_order = 900)]
    max_memory: Option<MemoryLimit>,
}

impl MemoryArgs {
    /// Returns the limit of file sizes, and of the memory that files request together.
    pub fn limit(self) -> MemoryLimit {
        self.max_memory.unwrap_or_default()
    }

    /// Replaces the limit.
    pub fn set(&mut self, limit: MemoryLimit) {
        self.max_memory = Some(limit);
    }

    /// Reads a whole file.
    pub fn read(self, path: &Path) -> Result<Vec<u8>, ReadError> {
        read::file(path, &Budget::new(self.limit()))
    }
}

/// Options `--base` and `--game`.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Games")]
pub struct GameArgs {
    /// Game that the files belong to: a folder with pk4s, materials/ and models/, or a single pk4. Files may then be
    /// named as in the game (models/md5/imp.md5mesh) [default: the folder above a file that contains models/,
    /// materials/, def/ or pak0.pak; for a file in a .pak, its folder]
    #[arg(long, value_name = "DIR", display_order = 901)]
    base: Option<PathBuf>,
    /// A mod whose files take precedence over those of --base: a folder next to it, or a path; the last of several wins
    #[arg(long = "game", value_name = "NAME", display_order = 902)]
    mods: Vec<String>,
}

impl GameArgs {
    /// Opens the game of `--base`, if given.
    pub fn open(&self) -> anyhow::Result<Option<Arc<Vfs>>> {
        let Self { base, mods } = self;
        match base {
            Some(base) => {
                let opened = Vfs::open(base, mods);
                Ok(Some(Arc::new(opened.with_context(|| format!("cannot open the game in {}", base.display()))?)))
            }
            None if mods.is_empty() => Ok(None),
            None => bail!("--game needs --base, the folder of the game that the mod is for"),
        }
    }
}

/// Refuses `--ticks-per-second` without a `.x` file, folder or pattern.
pub fn check_ticks<'f>(ticks: Option<f64>, files: impl IntoIterator<Item = &'f PathBuf>) -> anyhow::Result<()> {
    let has_x = files.into_iter().any(|file| by_extension(file).is_none_or(|kind| kind == &X_FILE));
    ensure!(
        ticks.is_none() || has_x,
        "--ticks-per-second sets the speed of a .x file's clips, and none of the files is one"
    );
    Ok(())
}

/// Replaces paths that do not exist with the game's files of the same names.
pub fn locate(paths: &[PathBuf], game: Option<&Vfs>) -> Vec<PathBuf> {
    let locate = |path: &PathBuf| {
        let exists = path.as_os_str() == "-" || path.symlink_metadata().is_ok() || read::is_file(path);
        let found = || game?.find(&path.to_string_lossy()).ok().flatten();
        let found = if exists { None } else { found() };
        found.map_or_else(|| path.clone(), |found| found.path)
    };
    paths.iter().map(locate).collect()
}

/// Options of commands that load models.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Games")]
pub struct LoadArgs {
    #[command(flatten)]
    pub memory: MemoryArgs,
    #[command(flatten)]
    pub game: GameArgs,
    /// Entity of the game to load instead of files, by its name in a .def file: model, anims, skin and head
    #[arg(long, value_name = "NAME", display_order = 903, conflicts_with = "model")]
    entity: Option<String>,
    /// Model of the game to load instead of files: a model decl, or the game's name of an .md5mesh
    #[arg(long, value_name = "NAME", display_order = 904)]
    model: Option<String>,
    /// Skin to apply: one of the game, or of a .skin file next to a Quake III model (NAME for body_NAME.skin); of a
    /// glTF file, the name or number of the skin whose meshes are shown
    #[arg(long, value_name = "NAME", display_order = 905)]
    pub skin: Option<String>,
}

impl LoadArgs {
    /// Returns the limit of file sizes, and of the memory that files request together.
    pub fn limit(&self) -> MemoryLimit {
        self.memory.limit()
    }

    /// Returns the entity or model of the game.
    pub fn subject(&self) -> Option<Subject> {
        let entity = self.entity.clone().map(Subject::Entity);
        entity.or_else(|| self.model.clone().map(Subject::Model))
    }

    /// Opens the game of `--base`. For an entity or a model without `--base`, opens the current folder if it is a game.
    pub fn open_game(&self) -> anyhow::Result<Option<Arc<Vfs>>> {
        let named = self.game.open()?;
        if named.is_some() || self.subject().is_none() {
            return Ok(named);
        }
        let here = Vfs::open(Path::new("."), &[]).ok();
        let is_game = |vfs: &Vfs| vfs.archives().next().is_some() || vfs.mounts().any(tree::is_game);
        Ok(here.filter(is_game).map(Arc::new))
    }

    /// Returns the options for the loader.
    pub fn options(&self) -> anyhow::Result<LoadOptions> {
        let (subject, skin) = (self.subject(), self.skin.clone());
        let game = GameRequest { files: self.open_game()?, subject, skin, ..GameRequest::default() };
        let playback = PlaybackRequest {
            engine: None,
            leaves_out: Some(bindpose::validate::leaves_out),
            reads_x: Some(bindpose::validate::reads_x),
        };
        Ok(LoadOptions { memory: self.limit(), game, playback, ..LoadOptions::default() })
    }
}
