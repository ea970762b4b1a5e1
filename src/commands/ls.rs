//! `bindpose ls`

use super::format_arg::FormatArg;
use super::load_args::{GameArgs, MemoryArgs};
use super::output::tell;
use super::{Outcome, check_failed, complete, print_json, tell_failure};
use anyhow::{Context, bail};
use bindpose::budget::Budget;
use bindpose::convert::parse::profile;
use bindpose::diagnostic::Escaped;
use bindpose::game::Decls;
use bindpose::game::entity::has_appearance;
use bindpose::read::ReadError;
use bindpose::validate::profiles::Profile;
use bindpose::vfs::{Order, Vfs, member, name};
use bindpose_parsers::counted;
use bindpose_parsers::decl::DeclKind;
use clap_complete::ArgValueCandidates;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// List the files of a game, or of a pk4, as an engine finds them
///
/// A game is a folder with pk4s and loose files, such as base/. If several files have one name, the one that the engine
/// loads is listed, with those that it hides. Nothing is unpacked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose ls pak000.pk4\n  \
    bindpose ls --base doom3/base models/md5\n  \
    bindpose ls --base doom3/base --decls")]
pub struct Args {
    /// A game's folder, an archive (pk4, pk3, zip, pak), a folder inside one (pak000.pk4:models), or, with --base, a
    /// folder or file of that game (models/md5) [default: the folder of --base, or this one]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// List what the game declares instead of its files: entities with models of bones (for --entity), models
    /// (--model), skins (--skin)
    #[arg(long)]
    decls: bool,
    #[command(flatten)]
    format: FormatArg,
    /// Engine whose order of paks and loose files counts [default: that of most engines, paks first]
    #[arg(long, value_name = "NAME", value_parser = profile, add = ArgValueCandidates::new(complete::profiles))]
    profile: Option<&'static Profile>,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    game: GameArgs,
}

/// A decl of a game.
#[derive(Debug, Serialize)]
struct ListedDecl {
    /// `entity`, `model` or `skin`: the option that accepts the name.
    kind: &'static str,
    name: String,
    path: String,
    line: u32,
}

/// A file of a game.
#[derive(Debug, Serialize)]
struct Listed {
    name: String,
    path: String,
    /// Other locations of the same name, which this file hides.
    shadows: Vec<String>,
}

/// Prints the list.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let (game, below) = open(args)?;
    let game = game.in_order(args.profile.map_or_else(Order::default, |profile| profile.id.order()));
    for left in game.left_out() {
        tell!("{} is left out: {}", left.archive.display(), left.why);
    }
    for archive in game.archives() {
        if let Some(first) = archive.duplicates().first() {
            let count = archive.duplicates().len();
            let names = if count == 1 { format!("{first} is") } else { format!("{count} names, such as {first}, are") };
            tell!("{}: {names} there more than once; the last one counts", archive.path().display());
        }
    }
    if args.decls {
        return list_decls(game, args, out);
    }
    let (mut files, mut unlisted) = game.files_and_unlisted();
    files.retain(|name, _| is_below(name, &below));
    unlisted.retain(|(folder, _)| game.name_of(folder).is_some_and(|name| is_below(&name, &below)));
    if files.is_empty() && unlisted.is_empty() && !below.is_empty() {
        bail!("{below}: no such file or folder in {}", mounts(&game));
    }
    let count = files.len();
    if args.format.is_json() {
        print_json(out, &listed(files).collect::<Vec<_>>())?;
    } else {
        let several = game.mounts().nth(1).is_some();
        for (name, places) in files {
            match places.split_first() {
                Some((first, hidden)) if several || !hidden.is_empty() => {
                    // Files of one folder differ in the case of their names.
                    let is_told = hidden.iter().all(|path| origin(path, &name) != origin(first, &name));
                    let place = |path: &PathBuf| if is_told { origin(path, &name) } else { path.display().to_string() };
                    let (from, hidden) = (place(first), hidden.iter().map(place).collect::<Vec<_>>().join(", "));
                    let hidden = if hidden.is_empty() { hidden } else { format!(", shadows {hidden}") };
                    writeln!(out, "{}\tfrom {}{}", Escaped(&name), Escaped(from), Escaped(hidden))?;
                }
                _ => writeln!(out, "{}", Escaped(name))?,
            }
        }
        let files = counted(count, "file", "files");
        tell!("{files} in {}", mounts(&game));
    }
    let unlisted = unlisted.into_iter().map(|(path, error)| ReadError::Io { path, error });
    check_failed(unlisted.map(|error| tell_failure(&error.into())).sum())?;
    Ok(Outcome::Fine)
}

/// Kinds of decls in the list, and their labels.
const KINDS: [(DeclKind, &str); 6] = [
    (DeclKind::EntityDef, "entity"),
    (DeclKind::Model, "model"),
    (DeclKind::Skin, "skin"),
    (DeclKind::Material, "material"),
    (DeclKind::Table, "table"),
    (DeclKind::Ragdoll, "ragdoll"),
];

/// Prints the decls from which a model can be loaded.
fn list_decls(game: Arc<Vfs>, args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let decls = Decls::read(game, &Budget::new(args.memory.limit()));
    decls.unreadable.iter().for_each(|error| tell!("{error}"));
    let mut listed = Vec::new();
    for (kind, option) in KINDS {
        for name in decls.names(kind) {
            let is_shown = kind != DeclKind::EntityDef || has_appearance(&decls, name);
            let Some(place) = decls.place(kind, name).filter(|_| is_shown) else { continue };
            let file = decls.sources.get(place.source);
            let line = file.position(place.name.start).line;
            let path = file.path.display().to_string();
            listed.push(ListedDecl { kind: option, name: name.to_owned(), path, line });
        }
    }
    if args.format.is_json() {
        print_json(out, &listed)?;
    } else {
        for ListedDecl { kind, name, path, line } in &listed {
            writeln!(out, "{kind} {}\tfrom {}:{line}", Escaped(name), Escaped(path))?;
        }
    }
    Ok(Outcome::Fine)
}

/// Opens the game. The returned text is the folder or file to list, or empty for all.
fn open(args: &Args) -> anyhow::Result<(Arc<Vfs>, String)> {
    let open = |path: &Path| {
        let game = Vfs::open(path, &[]).with_context(|| format!("cannot list {}", path.display()))?;
        anyhow::Ok(Arc::new(game))
    };
    match (args.game.open()?, args.path.as_deref()) {
        (Some(game), None) => Ok((game, String::new())),
        (Some(game), Some(path)) => Ok((game, name::game_name(&path.to_string_lossy())?.trim_matches('/').to_owned())),
        (None, None) => Ok((open(Path::new("."))?, String::new())),
        (None, Some(path)) => match member::split(path) {
            Some((archive, inside)) => Ok((open(archive)?, name::fold(inside.trim_matches('/')))),
            None => Ok((open(path)?, String::new())),
        },
    }
}

fn is_below(name: &str, folder: &str) -> bool {
    folder.is_empty() || name.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Formats the folders and archives that are searched.
fn mounts(game: &Vfs) -> String {
    const MOST: usize = 6;
    let mut names: Vec<String> = game.mounts().map(|path| path.display().to_string()).collect();
    let left = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let names = names.join(", ");
    if left > 0 { format!("{names} and {left} more") } else { names }
}

/// Returns the folder or archive that contains a file: the shortest text that distinguishes it from others.
fn origin(path: &Path, name: &str) -> String {
    match member::split(path) {
        Some((archive, _)) => archive.display().to_string(),
        None => {
            let depth = name.split('/').count();
            path.ancestors().nth(depth).unwrap_or(path).display().to_string()
        }
    }
}

fn listed(files: BTreeMap<String, Vec<PathBuf>>) -> impl Iterator<Item = Listed> {
    files.into_iter().filter_map(|(name, places)| {
        let mut places = places.iter().map(|path| path.display().to_string());
        Some(Listed { name, path: places.next()?, shadows: places.collect() })
    })
}
