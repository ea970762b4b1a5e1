//! Selection of the files that are checked together, from the user's arguments.

use super::decls;
use super::unit::Input;
use bindpose_core::budget::{Budget, Bytes, MemoryLimit};
use bindpose_core::game::Decls;
use bindpose_core::import::{self, gltf::GLTF_FILE};
use bindpose_core::load::GameCache;
use bindpose_core::read::{self, ReadError};
use bindpose_vfs::disk;
use bindpose_vfs::{Listing, Order, Vfs, folders_of, member, name, tree, unhidden};
use glob::MatchOptions;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are checked together.
#[derive(Debug, Clone, Default)]
pub struct Group {
    /// Paths in the order of reporting. `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// See [`super::Options::together`].
    pub together: bool,
    /// Game to which the files belong.
    pub game: Option<Arc<Vfs>>,
}

impl Group {
    /// Returns the total size in bytes of the files that are read.
    pub fn size(&self) -> u64 {
        // Only the index of an archive is read.
        let read = self.paths.iter().filter(|path| !member::is_archive(path));
        read.filter_map(|path| read::size_of(path)).fold(0, u64::saturating_add)
    }

    /// Returns the decls of the files' game, which `games` reads once.
    pub fn decls(&self, games: &GameCache, memory: MemoryLimit) -> Option<Arc<Decls>> {
        Some(games.decls(self.game.as_ref()?, memory))
    }
}

/// Files that [`find`] adds, and the order of its search.
#[derive(Debug, Clone, Copy, Default)]
pub struct FindOptions {
    /// True to add the models and clips beside each named file, wherever its game has them.
    pub neighbours: bool,
    /// True to add glTF files in folders and by patterns.
    pub gltf: bool,
    /// True to keep names of nothing, so that reading reports them, instead of [`InputError::Missing`].
    pub missing: bool,
    /// Order in which the places of a game are searched.
    pub order: Order,
}

/// Files to check.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Groups in the order of the report.
    pub groups: Vec<Group>,
    /// Archives below folders whose index alone is checked, because the game does not search them.
    pub unsearched: Vec<PathBuf>,
}

/// Reason why there is nothing to check.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A name of neither a file nor a folder.
    #[error("no such file or folder: {}", .0.display())]
    Missing(PathBuf),
    /// A pattern that matches no file that is checked.
    #[error("no .md5mesh, .md5anim, .md5camera or .x file matches {}", .0.display())]
    NoMatch(PathBuf),
    /// An invalid pattern.
    #[error("cannot understand the pattern {pattern}: {reason}")]
    Pattern {
        /// The pattern as written.
        pattern: String,
        /// Reason.
        reason: String,
    },
}

/// Finds the files for paths: files themselves, folders and archives with everything in them, folders of the game named
/// by the user, and patterns such as `a/**/*.x`. Archives below a folder belong to the game that starts there, and files hidden in that game are omitted.
///
/// Files of one folder form a group; in a game, regardless of the folder or archive on disk that contains them. A
/// single named mesh forms a group with the clips named with it. `game` is the game named by the user; without it, each
/// file's own game is searched for.
///
/// # Errors
/// [`InputError`]. A file that turns out to be unreadable later is a finding, not an error.
pub fn find(paths: &[PathBuf], game: Option<&Arc<Vfs>>, options: FindOptions) -> Result<Inputs, InputError> {
    let mut named: Vec<PathBuf> = Vec::new();
    let (named_game, order) = (game.map(|game| game.in_order(options.order)), options.order);
    let mut search = Search { named: named_game, order, ..Search::default() };
    for path in paths {
        if disk::is_file(path) && member::is_archive(path) {
            search.add_archive(path);
        } else if options.neighbours && read::is_file(path) {
            let game = search.game_of(path);
            search.add_all(Path::new(""), beside(path, game.as_deref()));
        } else if path.as_os_str() == "-" || read::is_file(path) {
            named.push(path.clone());
        } else if disk::is_dir(path) {
            search.add_all(path, below(path, options.gltf, |_| true));
        } else if disk::has(path) {
            // A pipe, a device, or a dangling link: reading it reports that.
            named.push(path.clone());
        } else if let Some(files) = search.named.as_deref().and_then(|game| below_in(game, path)) {
            search.add_all(Path::new(""), files);
        } else if options.missing && !is_magic(&path.to_string_lossy()) {
            named.push(path.clone());
        } else {
            search.add_all(Path::new(""), matching(path, options.gltf)?);
        }
    }
    let has = |path: &Path, wanted: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(wanted));
    let meshes = named.iter().filter(|path| has(path, "md5mesh")).count();
    let clips = named.iter().filter(|path| has(path, "md5anim")).count();
    let found = std::mem::take(&mut search.found);
    if meshes == 1 && clips > 0 {
        let game = named.first().and_then(|path| search.game_of(path));
        search.groups.push(Group { paths: named, together: true, game });
    } else {
        named.into_iter().for_each(|path| search.put(path, None));
    }
    found.into_iter().for_each(|(path, game)| search.put(path, game));
    Ok(Inputs { groups: search.groups, unsearched: search.unsearched })
}

/// State of the search for files.
#[derive(Default)]
struct Search {
    /// Game named by the user.
    named: Option<Arc<Vfs>>,
    order: Order,
    /// Files below folders and in archives, with the game if it is already known.
    found: Vec<(PathBuf, Option<Arc<Vfs>>)>,
    unsearched: Vec<PathBuf>,
    /// Games that start in folders with archives, by folder.
    roots: HashMap<PathBuf, Option<Arc<Vfs>>>,
    /// Games of other files, by folder.
    games: HashMap<PathBuf, Option<Arc<Vfs>>>,
    opened: GameCache,
    groups: Vec<Group>,
    /// Group of each folder: by its name in a game, else by its path.
    places: HashMap<(Option<*const Vfs>, PathBuf), usize>,
    known: HashSet<PathBuf>,
}

impl Search {
    /// Adds an archive named by the user. It belongs to the game named by the user if that searches it, else it is a
    /// game by itself.
    fn add_archive(&mut self, path: &Path) {
        let own = self.named.as_ref().and_then(|game| Some((game.mount_of(path)?.to_owned(), Arc::clone(game))));
        match own {
            Some((path, game)) => self.add_members(&path, Some(game)),
            None => {
                let alone = Vfs::open(path, &[]).ok().map(Arc::new);
                self.add_members(path, alone);
            }
        }
    }

    /// Adds an archive, and the files in it that its game uses.
    fn add_members(&mut self, path: &Path, game: Option<Arc<Vfs>>) {
        self.found.push((path.to_owned(), game.clone()));
        // The archive itself gets the error that it cannot be read.
        let (Ok(archive), Some(game)) = (bindpose_vfs::open(path), game) else { return };
        let names = archive.files().map(|(name, _)| name).filter(|name| decls::is_checked(name));
        let members = names.map(|name| member::join(path, name));
        let taken = members.filter(|member| game.hidden_by(member, game.order()).is_none());
        self.found.extend(taken.map(|member| (member, Some(Arc::clone(&game)))));
    }

    /// Adds files below a folder, and archives with their content. The engine opens archives directly inside a game's
    /// folder, but none deeper down.
    fn add_all(&mut self, root: &Path, paths: Vec<PathBuf>) {
        let archives = paths.iter().filter(|path| member::is_archive(path));
        let folders: BTreeSet<PathBuf> = archives.map(|path| read::folder_of(path)).collect();
        for folder in folders {
            let mut above = folder.ancestors().skip(1).take_while(|above| above.starts_with(root));
            if !above.any(|above| self.roots.contains_key(above) || tree::is_game(above)) {
                let mut game = Vfs::default();
                let game = game.add_game(&folder).is_ok().then(|| Arc::new(game).in_order(self.order));
                self.roots.insert(folder, game);
            }
        }
        for path in paths {
            if !member::is_archive(&path) {
                self.found.push((path, None));
                continue;
            }
            let game = self.named.clone().or_else(|| self.roots.get(&read::folder_of(&path)).cloned().flatten());
            match game.and_then(|game| Some((game.mount_of(&path)?.to_owned(), game))) {
                Some((path, game)) => self.add_members(&path, Some(game)),
                None => {
                    // An unreadable archive is a finding.
                    self.unsearched.extend(bindpose_vfs::open(&path).is_ok().then(|| path.clone()));
                    self.found.push((path, None));
                }
            }
        }
    }

    /// Returns the game to which a file belongs.
    fn game_of(&mut self, path: &Path) -> Option<Arc<Vfs>> {
        if self.named.is_some() {
            return self.named.clone();
        }
        let folder = match member::split(path) {
            Some((archive, _)) => archive.to_owned(),
            None => read::folder_of(path),
        };
        if let Some(known) = self.games.get(&folder) {
            return known.clone();
        }
        let mut above = folder.ancestors().take_while(|above| !tree::is_game(above) || self.roots.contains_key(*above));
        let root = above.find_map(|above| self.roots.get(above)).filter(|_| !member::is_archive(&folder)).cloned();
        let game = root.unwrap_or_else(|| self.opened.game_of(&[path], self.order));
        self.games.insert(folder, game.clone());
        game
    }

    /// Adds a file to those of its folder. Groups keep the order in which their folders were first found.
    fn put(&mut self, path: PathBuf, game: Option<Arc<Vfs>>) {
        if !self.known.insert(path.clone()) {
            return;
        }
        let game = game.or_else(|| self.game_of(&path));
        let of_game = || Some(PathBuf::from(name::folder_of(&game.as_ref()?.name_of(&path)?)));
        let place = match of_game().filter(|_| !member::is_archive(&path)) {
            Some(folder) => (game.as_ref().map(Arc::as_ptr), folder),
            None => (None, read::folder_of(&path)),
        };
        let index = *self.places.entry(place).or_insert_with(|| {
            self.groups.push(Group { game, ..Group::default() });
            self.groups.len() - 1
        });
        if let Some(group) = self.groups.get_mut(index) {
            group.paths.push(path);
        }
    }
}

/// Returns the supported files below a folder, sorted. Includes folders that cannot be opened, and dangling links, so
/// that reading reports the reason.
fn below(folder: &Path, gltf: bool, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let is_taken = |path: &PathBuf| {
        let is_ours = decls::is_model_or_clip(path)
            || gltf && import::by_extension(path) == Some(&GLTF_FILE)
            || decls::in_folder(path).is_some()
            // A zip may contain anything.
            || member::is_archive(path) && path.extension().is_some_and(|found| !found.eq_ignore_ascii_case("zip"));
        is_ours && wanted(path)
    };
    let (mut files, unlisted) = read::below(folder, |_| true);
    files.retain(is_taken);
    files.extend(unlisted.into_iter().map(|(folder, _)| folder));
    files.sort();
    files
}

/// Returns the supported files that a game finds below one of its folders. Returns `None` if there are none.
fn below_in(game: &Vfs, folder: &Path) -> Option<Vec<PathBuf>> {
    let folder = format!("{}/", name::fold(folder.to_str()?).trim_end_matches('/'));
    let files = game.files().into_iter().filter(|(name, _)| name.starts_with(&folder) && decls::is_checked(name));
    let files: Vec<PathBuf> = files.filter_map(|(_, places)| places.into_iter().next()).collect();
    (!files.is_empty()).then_some(files)
}

/// Returns a file, and the models and clips in the folders in which engines look for what belongs to it, sorted.
fn beside(file: &Path, game: Option<&Vfs>) -> Vec<PathBuf> {
    let models_in = |folder: &PathBuf| {
        let listing = Listing::read(folder).unwrap_or_default();
        let files = listing.entries().iter().filter(|entry| !entry.is_folder).map(|entry| folder.join(&entry.name));
        let is_safe = |path: &Path| read::check_link(path, read::or_here(folder)).is_ok();
        files.filter(|path| path != file && decls::is_model_or_clip(path) && is_safe(path)).collect()
    };
    let folders = folders_of(game, file);
    let name = |path: &PathBuf| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = unhidden(folders.iter().map(models_in), name);
    files.push(file.to_owned());
    files.sort();
    files
}

fn is_magic(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

/// Returns the files that match a pattern.
fn matching(pattern: &Path, gltf: bool) -> Result<Vec<PathBuf>, InputError> {
    let text = pattern.to_string_lossy();
    if !is_magic(&text) {
        return Err(InputError::Missing(pattern.to_owned()));
    }
    let refuse = |error: glob::PatternError| InputError::Pattern {
        pattern: text.clone().into_owned(),
        reason: error.msg.to_owned(),
    };
    let glob = glob::Pattern::new(&text).map_err(refuse)?;
    let by_folder = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    // The search starts at the last folder without wildcards.
    let fixed: PathBuf =
        pattern.components().take_while(|part| !is_magic(&part.as_os_str().to_string_lossy())).collect();
    let start = if fixed.as_os_str().is_empty() { Path::new(".") } else { &fixed };
    if !disk::is_dir(start) {
        return Err(InputError::NoMatch(pattern.to_owned()));
    }
    let strip = |path: &Path| path.strip_prefix("./").unwrap_or(path).to_owned();
    let files = below(start, gltf, |path| strip(path).to_str().is_some_and(|path| glob.matches_with(path, by_folder)));
    if files.is_empty() {
        return Err(InputError::NoMatch(pattern.to_owned()));
    }
    Ok(files.iter().map(|path| strip(path)).collect())
}

/// Reads a group's files. `memory` limits their single and total size.
pub fn read(group: &Group, memory: MemoryLimit) -> Vec<Input> {
    // The check has its own budget. Here only sizes count.
    let budget = Budget::new(memory);
    let mut together = 0_u64;
    let mut read = |path: &PathBuf| {
        if path.as_os_str() == "-" {
            let path = PathBuf::from("<stdin>");
            return Input { bytes: read_stdin(&path, memory.largest_file()), path };
        }
        // Only the index of an archive is read.
        if member::is_archive(path) {
            return Input { path: path.clone(), bytes: Ok(Vec::new()) };
        }
        // A file that is too large by itself is refused without reading it.
        let size = read::size_of(path).filter(|&size| size <= memory.largest_file()).unwrap_or(0);
        let bytes = match together.saturating_add(size) > memory.most() {
            true => {
                memory.refuse();
                Err(too_many(path, memory.most()))
            }
            false => {
                together += size;
                read::file(path, &budget)
            }
        };
        Input { path: path.clone(), bytes }
    };
    group.paths.iter().map(&mut read).collect()
}

fn too_many(path: &Path, most: u64) -> ReadError {
    let why = format!(
        "the files of its folder are checked together and have more than {} (--max-memory raises this)",
        Bytes(most.into())
    );
    ReadError::Io { path: path.to_owned(), error: io::Error::new(io::ErrorKind::OutOfMemory, why) }
}

fn read_stdin(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes);
    let size = read.map_err(|error| ReadError::Io { path: path.to_owned(), error })? as u64;
    if size > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), size, limit });
    }
    Ok(bytes)
}
