//! The commands, one file each: its arguments with their help, and what it does.

#[cfg(feature = "render")]
pub mod bench;
#[cfg(feature = "render")]
pub mod compare;
pub mod complete;
pub mod convert;
#[cfg(feature = "render")]
pub mod doctor;
pub mod dump;
mod engine;
pub mod explain;
pub mod generate;
mod image_args;
pub mod info;
pub mod ls;
pub mod methods;
pub mod mistakes;
pub mod output;
#[cfg(feature = "render")]
pub mod play;
#[cfg(feature = "render")]
mod record;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "render")]
mod scene;
#[cfg(unix)]
pub mod signals;
pub mod snapshot;
mod table;
pub mod validate;
#[cfg(feature = "render")]
mod view;

use anyhow::{Context, bail};
use bindpose::budget::{Budget, MemoryLimit};
use bindpose::diagnostic::{Diagnostic, Severity, Sources};
use bindpose::load::{LoadError, LoadOptions, Subject};
use bindpose::model::{JointId, Model};
use bindpose::read::ReadError;
use bindpose::suggest;
use bindpose::validate::codes::{self, Code, Group};
use bindpose::validate::draw;
use bindpose::vfs::{Vfs, tree};
use bindpose::write;
use codespan_reporting::term::termcolor::{BufferWriter, ColorChoice};
use output::tell;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What `--max-memory` says, once [`allow_memory`] was called.
static MAX_MEMORY: OnceLock<MemoryLimit> = OnceLock::new();

/// Sets what files may ask for in this run of the program.
pub fn allow_memory(limit: MemoryLimit) {
    MAX_MEMORY.get_or_init(|| limit);
}

/// How large files may be, and how much memory they may ask for.
fn memory() -> MemoryLimit {
    MAX_MEMORY.get().copied().unwrap_or_default()
}

/// Which game files are of: `--base` and `--game`.
#[derive(Debug, Default, clap::Args)]
pub struct GameArgs {
    /// The game that the files belong to: the folder with its pk4s, materials/ and models/, or a single pk4. Files may then be named as the
    /// game names them (models/md5/imp.md5mesh) [default: the folder above a file that holds models/, materials/ or def/]
    #[arg(long, value_name = "DIR", global = true, display_order = 901)]
    base: Option<PathBuf>,
    /// A mod whose files take precedence over those of --base: a folder beside it, or a path; of several, the last one wins
    #[arg(long = "game", value_name = "NAME", global = true, display_order = 902)]
    mods: Vec<String>,
    /// Take an entity of the game instead of files, by its name in a .def file: its model with anims, skin and head
    #[arg(long, value_name = "NAME", global = true, display_order = 903, conflicts_with = "model")]
    entity: Option<String>,
    /// Take a model of the game instead of files: a model decl, or an .md5mesh by the game's name for it
    #[arg(long, value_name = "NAME", global = true, display_order = 904)]
    model: Option<String>,
    /// The skin that the game's model wears, or one of Quake III's family beside a model (NAME for body_NAME.skin); of a glTF
    /// file, the one whose meshes are shown, by name or number
    #[arg(long, value_name = "NAME", global = true, display_order = 905)]
    skin: Option<String>,
}

/// What `--base` and `--game` say, once [`choose_game`] was called.
static GAME: OnceLock<GameArgs> = OnceLock::new();

/// Sets the game of this run of the program.
pub fn choose_game(args: GameArgs) {
    GAME.get_or_init(|| args);
}

/// Whether a game was named.
#[cfg(feature = "window")]
fn names_game() -> bool {
    GAME.get().is_some_and(|args| args.base.is_some())
}

/// The files of the game that was named, if one was.
fn game() -> anyhow::Result<Option<Arc<Vfs>>> {
    let Some(GameArgs { base, mods, entity, model, .. }) = GAME.get() else { return Ok(None) };
    let base = match (base, mods.is_empty(), entity.as_ref().or(model.as_ref())) {
        (Some(base), ..) => base,
        (None, true, None) => return Ok(None),
        (None, false, _) => bail!("--game needs --base, the folder of the game that the mod is for"),
        // The folder where the program runs may well be the game's; else a file says which game it is.
        (None, true, Some(_)) => {
            let here = Vfs::open(Path::new("."), &[]).ok();
            let is_game = |vfs: &Vfs| vfs.archives().next().is_some() || vfs.mounts().any(tree::is_game);
            return Ok(here.filter(is_game).map(Arc::new));
        }
    };
    let opened = Vfs::open(base, mods).with_context(|| format!("cannot open the game in {}", base.display()))?;
    Ok(Some(Arc::new(opened)))
}

/// What of the game is meant: `--entity` or `--model`, and `--skin`.
fn subject() -> (Option<Subject>, Option<String>) {
    let Some(args) = GAME.get() else { return (None, None) };
    let entity = args.entity.clone().map(Subject::Entity);
    (entity.or_else(|| args.model.clone().map(Subject::Model)), args.skin.clone())
}

/// How files are loaded: what the options of every command say.
fn load_options() -> anyhow::Result<LoadOptions> {
    let (subject, skin) = subject();
    Ok(LoadOptions {
        memory: memory(),
        game: game()?,
        subject,
        skin,
        engine: engine::chosen(),
        leaves_out: Some(bindpose::validate::leaves_out),
        ..LoadOptions::default()
    })
}

/// The paths, and for those that lead nowhere the files that the game has under these names.
fn locate(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let Some(game) = game()? else { return Ok(paths.to_vec()) };
    let locate = |path: &PathBuf| {
        let is_there = path.as_os_str() == "-" || path.symlink_metadata().is_ok() || bindpose::read::is_file(path);
        let found = || game.find(&path.to_string_lossy()).ok().flatten();
        let found = if is_there { None } else { found() };
        found.map_or_else(|| path.clone(), |found| found.path)
    };
    Ok(paths.iter().map(locate).collect())
}

/// A number of the command line that has to be over 0.
fn positive(text: &str) -> Result<f64, &'static str> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0).ok_or("expected a number over 0")
}

/// A moment of the command line.
fn seconds(text: &str) -> Result<f64, &'static str> {
    let time = text.parse().ok().filter(|time: &f64| time.is_finite() && *time >= 0.0);
    time.ok_or("expected a number of seconds, 0 or more")
}

/// The joint that the command line calls so.
fn joint(model: &Model, name: &str) -> anyhow::Result<JointId> {
    let skeleton = &model.skeleton;
    let named = |same: fn(&str, &str) -> bool| skeleton.ids().find(|&joint| same(&skeleton[joint].name, name));
    if let Some(joint) = named(|a, b| a == b).or_else(|| named(|a, b| a.eq_ignore_ascii_case(b))) {
        return Ok(joint);
    }
    match suggest::nearest(name, skeleton.joints().iter().map(|joint| joint.name.as_str())) {
        Some(near) => bail!("no joint is called '{name}'; did you mean '{near}'?"),
        None => bail!("no joint is called '{name}'; `bindpose info` lists the joints"),
    }
}

/// Writes a text file, which appears whole or not at all.
fn write_text(path: &Path, text: &str) -> anyhow::Result<()> {
    let written = write::replace(path, |file| file.write_all(text.as_bytes()));
    written.map(drop).with_context(|| format!("cannot write {}", path.display()))
}

/// A file's bytes.
fn read(path: &Path) -> Result<Vec<u8>, ReadError> {
    bindpose::read::file(path, &Budget::new(memory()))
}

/// How a command ended; the same for every command. What is worse is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: a file is at fault, or something differs.
    AtFault,
}

/// What a lenient reading of a file repaired, no louder than `validate` says it.
fn as_grave_as_validate_says(mut found: Diagnostic) -> Diagnostic {
    let is_repair = found.severity == Severity::Warning;
    let is_read = |code: &&Code| matches!(code.group, Group::X | Group::Mesh | Group::Anim | Group::Camera);
    if let Some(code) = codes::find(found.code).filter(|code| is_repair && is_read(code)) {
        found.severity = code.severity.min(Severity::Warning);
    }
    found
}

/// Diagnostics that are drawn of one file; `bindpose validate` sorts and counts them all.
const MOST_DRAWN: usize = 20;

/// Draws diagnostics on stderr, in colour on a terminal. That nobody reads them is no reason to stop.
fn print_diagnostics(diagnostics: &[Diagnostic], sources: &Sources) {
    let colour = if std::io::stderr().is_terminal() { ColorChoice::Auto } else { ColorChoice::Never };
    let stderr = BufferWriter::stderr(colour);
    let mut text = stderr.buffer();
    let drawn = diagnostics.iter().take(MOST_DRAWN).try_for_each(|found| draw::emit(found, sources, &mut text));
    if drawn.and_then(|()| stderr.print(&text)).is_ok() && diagnostics.len() > MOST_DRAWN {
        tell!("and {} more; `bindpose validate` lists them all", diagnostics.len() - MOST_DRAWN);
    }
}

/// Says why files made no model: at fault with the places drawn, or an error of usage or I/O.
fn load_failed(error: LoadError) -> anyhow::Result<Outcome> {
    match error {
        LoadError::File { sources, diagnostics } => {
            print_diagnostics(&diagnostics, &sources);
            Ok(Outcome::AtFault)
        }
        error @ LoadError::OtherSkeleton(_) => {
            tell!("bindpose: {error}");
            Ok(Outcome::AtFault)
        }
        error => Err(error.into()),
    }
}
