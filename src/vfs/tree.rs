//! Files of one or more games, searched in the order of an engine.
//!
//! A later game takes precedence over an earlier one. [`Order`] is the order within a game.

use crate::archive::{Archive, ArchiveError};
use crate::disk::{self, on_disk};
use crate::listing::{Entry, Listing, Listings, is_file};
use crate::member;
use crate::name::{BadName, fold, folder_of, game_name};
use bindpose_parsers::decode_name;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Folders that mark the root of a game's files. One of them is sufficient.
const GAME_FOLDERS: [&str; 4] = ["models", "Models", "materials", "def"];

/// Names of the first archive of Quake's games, which marks their root.
const FIRST_PAK: [&str; 2] = ["pak0.pak", "PAK0.PAK"];

/// Folders that mark the root if no folder above a file is that of a game.
const TEXTURES: [&str; 2] = ["textures", "Textures"];

/// True if a folder contains `models`, `materials`, `def` or Quake's `pak0.pak`.
pub fn is_game(folder: &Path) -> bool {
    GAME_FOLDERS.iter().any(|name| disk::is_dir(&folder.join(name)))
        || FIRST_PAK.iter().any(|name| disk::is_file(&folder.join(name)))
}

/// Returns the folder or archive in which the game of a file starts. An archive is a game by itself, but Quake's paks
/// make one with the others of their folder. The game of a file on disk starts in the nearest folder above it that
/// [`is_game`], else in the nearest one that contains `textures`. The path is empty for the current folder.
pub fn root_of(file: &Path) -> Option<PathBuf> {
    match member::split(file) {
        Some((archive, _)) if is_pak(archive) => Some(member::folder_of(archive)),
        Some((archive, _)) => Some(archive.to_owned()),
        None => root_from(&member::folder_of(file)),
    }
}

/// Returns the folder whose files a model in `folder` may use without being asked: that in which its game starts, else
/// `folder` itself. For a folder in an archive, at least the folder of the archive.
pub fn home_of(folder: &Path) -> PathBuf {
    let folder = member::split(folder).map_or_else(|| folder.to_owned(), |(archive, _)| member::folder_of(archive));
    root_from(&folder).unwrap_or(folder)
}

fn root_from(folder: &Path) -> Option<PathBuf> {
    // A relative path does not name the parents of the current folder.
    let above = std::env::current_dir().map_or(0, |here| here.components().count());
    let folders = || member::folders_from(folder).take(1 + folder.components().count() + above);
    let has_textures = |folder: &PathBuf| TEXTURES.iter().any(|name| disk::is_dir(&folder.join(name)));
    folders().find(|folder| is_game(folder)).or_else(|| folders().find(has_textures))
}

/// Returns the folders in which engines look for what belongs to a file, in search order: the file's own folder, and
/// that of the same name in every other folder and archive of its game. A file outside the game has only its own. For
/// a model in `DIR/md5` that replaces Quake II's `DIR/NAME.md2`, those of `DIR` follow.
pub fn folders_of(game: Option<&Vfs>, file: &Path) -> Vec<PathBuf> {
    let around = |file: &Path| game.map_or_else(|| vec![member::folder_of(file)], |game| game.folders_of(file));
    let (mut folders, own) = (around(file), member::folder_of(file));
    if member::is_md5_folder(&own) {
        let name = file.with_extension("md2");
        let name = name.file_name().unwrap_or_default().to_string_lossy();
        let old = around(&own);
        if old.iter().any(|folder| Listing::read(folder).is_ok_and(|listing| !listing.called(&name).is_empty())) {
            folders.extend(old);
        }
    }
    folders
}

/// Returns the files beside `file` with another extension, in the folders in which engines look for them, see
/// [`folders_of`], in their order.
pub fn files_beside(folders: &[PathBuf], file: &Path, extension: &str) -> impl Iterator<Item = PathBuf> {
    let path = member::split(file).map_or(file, |(_, name)| Path::new(name)).with_extension(extension);
    files_called(folders, path.file_name().unwrap_or_default().to_owned())
}

/// Returns the files of a name in some folders, in their order.
pub fn files_called(folders: &[PathBuf], name: impl AsRef<Path>) -> impl Iterator<Item = PathBuf> {
    folders.iter().map(move |folder| folder.join(&name)).filter(|path| is_file(path))
}

/// Returns the file that a game's engine has made from `file` and keeps in a folder of the game, under the same name with
/// another extension. A file outside of a game is in its home, see [`home_of`].
pub fn made_from(game: Option<&Vfs>, file: &Path, folder: &str, extension: &str) -> Option<PathBuf> {
    if let Some((game, name)) = game.and_then(|game| Some((game, game.name_of(file)?))) {
        let made = Path::new(folder).join(name).with_extension(extension);
        return Some(game.find(made.to_str()?).ok()??.path);
    }
    let home = home_of(&member::folder_of(file));
    let made = home.join(folder).join(file.strip_prefix(&home).ok()?).with_extension(extension);
    disk::is_file(&made).then_some(made)
}

/// Returns the files of some folders in search order, but those that a file of an earlier folder hides: one of the same
/// name in any case.
pub fn unhidden<T>(folders: impl IntoIterator<Item = Vec<T>>, name: impl Fn(&T) -> String) -> Vec<T> {
    let (mut files, mut known) = (Vec::new(), HashSet::new());
    for mut own in folders {
        own.retain(|file| !known.contains(&name(file).to_lowercase()));
        known.extend(own.iter().map(|file| name(file).to_lowercase()));
        files.append(&mut own);
    }
    files
}

/// Folders that cannot be listed, each with the reason.
pub type Unlisted = Vec<(PathBuf, io::Error)>;

/// Order in which an engine searches the places of one game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Paks, loose files, other archives. Without an engine, and id Tech 4, which has no paks.
    #[default]
    PaksFirst,
    /// The same, but only the paks `pak0.pak`, `pak1.pak` and so on, up to the first that is missing: vkQuake and Ironwail
    /// (`COM_AddGameDirectory`).
    PaksInSequence,
    /// Paks and other archives, then loose files: Quake II's engines (Q2PRO's `add_game_dir`, Yamagi's
    /// `FS_AddDirToSearchPath`).
    ArchivesFirst,
    /// Loose files, other archives, paks: QSS-M and FTEQW.
    LooseFirst,
}

impl Order {
    /// Returns the key by which places are sorted.
    fn key(self, mount: &Mount) -> (Reverse<usize>, u8, usize) {
        let is_pak = mount.is_pak();
        let number = match (self, &mount.place) {
            (Self::LooseFirst, _) if is_pak => 3,
            (Self::ArchivesFirst, Place::Archive(_)) => 0,
            _ if is_pak => 0,
            (_, Place::Folder(_)) => 1,
            (_, Place::Archive(_)) => 2,
        };
        (Reverse(mount.game), number, mount.added)
    }

    /// True if engines with this order search a place, by the [`missing_paks`] of its games.
    fn searches(self, mount: &Mount, missing: &HashMap<usize, u32>) -> bool {
        let is_before = |number| missing.get(&mount.game).is_some_and(|first| number < *first);
        self != Self::PaksInSequence || !mount.is_pak() || mount.pak_number().is_some_and(is_before)
    }
}

/// Returns the first number for which a game has no pak, for each game with paks.
fn missing_paks<'m>(mounts: impl Iterator<Item = &'m Mount>) -> HashMap<usize, u32> {
    let paks: BTreeSet<(usize, u32)> = mounts.filter_map(|mount| Some((mount.game, mount.pak_number()?))).collect();
    let mut missing = HashMap::new();
    for (game, number) in paks {
        let first = missing.entry(game).or_default();
        *first += u32::from(number == *first);
    }
    missing
}

fn is_pak(archive: &Path) -> bool {
    archive.extension().is_some_and(|kind| kind.eq_ignore_ascii_case("pak"))
}

/// Folders and archives of games in search order.
#[derive(Debug, Default)]
pub struct Vfs {
    /// Folders and archives. The first one that contains a file provides it.
    mounts: Vec<Mount>,
    order: Order,
    /// Folders of the games, without links.
    games: Vec<PathBuf>,
    left_out: Vec<Arc<LeftOut>>,
    listings: Arc<Listings>,
    index: OnceLock<Index>,
}

/// Index of all archives, so that a search takes the same time for any number of them.
#[derive(Debug)]
struct Index {
    /// Indices of the archives in [`Vfs::mounts`] by their paths as found and without links.
    archives: HashMap<PathBuf, usize>,
    /// Hashes of the names of files and of their folders, each with an archive that may contain it. Sorted.
    names: Vec<(u64, u32)>,
    /// Indices of the folders in [`Vfs::mounts`].
    folders: Vec<usize>,
    missing_paks: HashMap<usize, u32>,
}

/// A folder or archive of a game.
#[derive(Debug, Clone)]
struct Mount {
    place: Place,
    /// Number of its game: 0 for the first.
    game: usize,
    /// Number among all places as they were added: of archives, the first takes precedence.
    added: usize,
}

#[derive(Debug, Clone)]
enum Place {
    Folder(PathBuf),
    Archive(Arc<Archive>),
}

/// File that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Path on disk, or a path made by [`member::join`].
    pub path: PathBuf,
    /// Hidden files with the same name, in search order.
    pub shadowed: Vec<PathBuf>,
    /// True if the case of the folders on disk is neither that of the name nor all lower. Then an engine on a
    /// case-sensitive file system does not find the file.
    pub is_in_other_case: bool,
}

/// Archive that is not searched.
#[derive(Debug)]
pub struct LeftOut {
    /// Path of the archive.
    pub archive: PathBuf,
    /// Reason why it is not searched.
    pub why: WhyLeftOut,
    /// The archive, if engines with another order search it.
    mount: Option<Mount>,
}

/// Reason for leaving an archive out of the search.
#[derive(Debug, thiserror::Error)]
pub enum WhyLeftOut {
    /// The archive contains `addon.conf`.
    #[error("it is an addon (it holds addon.conf), which the game searches only when asked to")]
    Addon,
    /// The archive contains `binary.conf`.
    #[error("it holds the game's program (binary.conf), no files of the game")]
    Program,
    /// A pak that is not in sequence.
    #[error("of paks, the engine searches pak0.pak, pak1.pak and so on, up to the first that is missing")]
    NotInSequence,
    /// The archive cannot be read.
    #[error("{0}")]
    Unreadable(ArchiveError),
}

impl Vfs {
    /// Opens the game in the folder `base`, then adds `games`. They are names of folders beside `base`, or paths. A
    /// repeated game counts once.
    ///
    /// `base` can also be the parent folder of the game, or a single archive.
    ///
    /// # Errors
    ///
    /// Fails if a folder is missing or unreadable, or if the single archive is unreadable.
    pub fn open(base: &Path, games: &[String]) -> io::Result<Self> {
        let mut vfs = Self::default();
        if disk::is_file(base) {
            let archive = crate::open(base).map_err(io::Error::other)?;
            vfs.mounts.push(Mount { place: Place::Archive(archive), game: 0, added: 0 });
            return Ok(vfs);
        }
        let folder_in = |folder: &Path, name: &str| -> io::Result<Option<PathBuf>> {
            let listing = Listing::read(folder)?;
            let entries = listing.called(name);
            Ok(entries.iter().find(|entry| entry.is_folder).map(|entry| folder.join(&entry.name)))
        };
        let inner = folder_in(base, "base")?.filter(|_| !is_game(base));
        let base = inner.unwrap_or_else(|| base.to_owned());
        vfs.add_game(&base)?;
        // `.` has no name to remove.
        let around = match base.file_name() {
            Some(_) => base.parent().map(Path::to_owned),
            None => disk::canonicalize(on_disk(&base))?.parent().map(Path::to_owned),
        };
        let around = around.unwrap_or_default();
        for game in games {
            let folder = folder_in(&around, game)?.unwrap_or_else(|| PathBuf::from(game));
            let named = |error: io::Error| io::Error::new(error.kind(), format!("the mod {game}: {error}"));
            vfs.add_game(&folder).map_err(named)?;
        }
        Ok(vfs)
    }

    /// Opens the game around a file. Returns `None` if there is none, or if it cannot be read.
    pub fn around(file: &Path) -> Option<Self> {
        Self::open(&root_of(file)?, &[]).ok()
    }

    /// Returns the same games, with the places of each in the order of an engine.
    pub fn in_order(self: &Arc<Self>, order: Order) -> Arc<Self> {
        if self.order == order {
            return Arc::clone(self);
        }
        let Self { mounts, games, left_out, listings, .. } = &**self;
        let (later, never): (Vec<_>, Vec<_>) = left_out.iter().cloned().partition(|left| left.mount.is_some());
        let all = || mounts.iter().chain(later.iter().filter_map(|left| left.mount.as_ref()));
        let missing = missing_paks(all());
        let (mounts, dropped): (Vec<_>, Vec<_>) = all().cloned().partition(|mount| order.searches(mount, &missing));
        let dropped = dropped.into_iter().map(|mount| {
            let archive = mount.path().to_owned();
            Arc::new(LeftOut { archive, why: WhyLeftOut::NotInSequence, mount: Some(mount) })
        });
        let left_out = never.into_iter().chain(dropped).collect();
        let (games, listings) = (games.clone(), Arc::clone(listings));
        let mut other = Self { mounts, order, games, left_out, listings, index: OnceLock::new() };
        other.sort();
        Arc::new(other)
    }

    fn sort(&mut self) {
        self.mounts.sort_by_key(|mount| self.order.key(mount));
        self.index = OnceLock::new();
    }

    /// Returns the order in which the places of each game are searched.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Adds a folder and its archives before all others in search order.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read. Unreadable archives are added to [`Self::left_out`].
    pub fn add_game(&mut self, folder: &Path) -> io::Result<()> {
        let whole = disk::canonicalize(on_disk(folder))?;
        if self.games.contains(&whole) {
            return Ok(());
        }
        let listing = Listing::read(folder)?;
        let is_archive = |entry: &&Entry| !entry.is_folder && member::is_archive(Path::new(&entry.name));
        let mut archives: Vec<&Entry> = listing.entries().iter().filter(is_archive).collect();
        archives.sort_by(|a, b| by_number(&b.folded, &a.folded));
        let game = self.games.len();
        let mut add = |place| self.mounts.push(Mount { place, game, added: self.mounts.len() });
        add(Place::Folder(folder.to_owned()));
        for Entry { name, .. } in archives {
            let path = folder.join(name);
            let why = match crate::open(&path) {
                Ok(archive) if archive.has("addon.conf") => WhyLeftOut::Addon,
                Ok(archive) if archive.has("binary.conf") => WhyLeftOut::Program,
                Ok(archive) => {
                    add(Place::Archive(archive));
                    continue;
                }
                Err(error) => WhyLeftOut::Unreadable(error),
            };
            self.left_out.push(Arc::new(LeftOut { archive: path, why, mount: None }));
        }
        self.sort();
        self.games.push(whole);
        Ok(())
    }

    /// Returns folders and archives in search order.
    pub fn mounts(&self) -> impl Iterator<Item = &Path> {
        self.mounts.iter().map(Mount::path)
    }

    /// Returns the archives that are searched.
    pub fn archives(&self) -> impl Iterator<Item = &Archive> {
        self.mounts.iter().filter_map(|mount| match &mount.place {
            Place::Archive(archive) => Some(&**archive),
            Place::Folder(_) => None,
        })
    }

    /// Returns the archives that are not searched.
    pub fn left_out(&self) -> impl Iterator<Item = &LeftOut> {
        self.left_out.iter().map(|left| &**left)
    }

    /// Returns the name within the game of a file on disk or in an archive. Returns `None` for a file elsewhere.
    pub fn name_of(&self, path: &Path) -> Option<String> {
        Some(self.place_of(path)?.1)
    }

    /// Returns the folder or archive that contains a file, and the file's name within the game.
    fn place_of(&self, path: &Path) -> Option<(&Mount, String)> {
        if let Some((archive, name)) = member::split(path) {
            return Some((self.archive_at(archive).filter(|known| known.path() == archive)?, fold(name)));
        }
        let folders = || self.index().folders.iter().filter_map(|&index| self.mounts.get(index));
        let inside = |mount: &Path, path: &Path| {
            let inside = path.strip_prefix(mount).ok()?;
            let climbs = inside.components().any(|part| part == Component::ParentDir);
            (!climbs).then(|| fold(&decode_name(inside.as_os_str().as_encoded_bytes())))
        };
        folders().find_map(|mount| Some((mount, inside(mount.path(), path)?))).or_else(|| {
            // A path with `..` or a link can name the same file.
            let path = disk::canonicalize(path).ok()?;
            let real = |mount: &Mount| disk::canonicalize(on_disk(mount.path())).ok();
            folders().find_map(|mount| Some((mount, inside(&real(mount)?, &path)?)))
        })
    }

    /// Returns the rank of the game that contains a file: 0 for the first game, 1 for the mod added to it, and so on.
    /// Archives and loose files of one game have the same rank.
    pub fn rank(&self, path: &Path) -> Option<usize> {
        Some(self.place_of(path)?.0.game)
    }

    /// See [`folders_of`].
    fn folders_of(&self, file: &Path) -> Vec<PathBuf> {
        let own = member::folder_of(file);
        let Some((place, name)) = self.place_of(file) else { return vec![own] };
        let folder = folder_of(&name);
        let path = |mount: &Mount| match mount.path() == place.path() {
            true => Some(own.clone()),
            false => mount.folder(folder, &self.listings),
        };
        self.mounts_with(folder).filter_map(path).collect()
    }

    /// Returns the file that engines with an order take instead of a file of the games. Returns `None` if they take the
    /// file itself.
    pub fn hidden_by(&self, path: &Path, order: Order) -> Option<PathBuf> {
        let (place, name) = self.place_of(path)?;
        let (taken, found) = self.taken_from(&name, order)?;
        (taken.path() != place.path()).then_some(found)
    }

    /// Returns the file that engines with an order find for a name, and its [rank](Self::rank).
    pub fn taken(&self, name: &str, order: Order) -> Option<(PathBuf, usize)> {
        self.taken_from(name, order).map(|(mount, found)| (found, mount.game))
    }

    fn taken_from(&self, name: &str, order: Order) -> Option<(&Mount, PathBuf)> {
        let name = game_name(name).ok()?;
        let mounts = self.mounts_with(&name).filter(|mount| order.searches(mount, &self.index().missing_paks));
        let found = mounts.filter_map(|mount| Some((mount, mount.find(&name, &self.listings)?.0)));
        found.min_by_key(|(mount, _)| order.key(mount))
    }

    /// Returns the folders of the games by rank, without links.
    pub fn games(&self) -> &[PathBuf] {
        &self.games
    }

    /// Returns the path of an archive as the game found it. Returns `None` if the game does not search it.
    pub fn mount_of(&self, archive: &Path) -> Option<&Path> {
        self.archive_at(archive).map(Mount::path)
    }

    fn archive_at(&self, archive: &Path) -> Option<&Mount> {
        let known = &self.index().archives;
        let index = known.get(archive).or_else(|| known.get(&disk::canonicalize(archive).ok()?))?;
        self.mounts.get(*index)
    }

    /// Returns the file that an engine finds for a name. Returns `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns [`BadName`] for names that engines refuse.
    pub fn find(&self, name: &str) -> Result<Option<Found>, BadName> {
        let folded = game_name(name)?;
        let mut places = self.mounts_with(&folded).filter_map(|mount| mount.find(name, &self.listings));
        let Some((path, is_in_other_case)) = places.next() else { return Ok(None) };
        Ok(Some(Found { path, shadowed: places.map(|(path, _)| path).collect(), is_in_other_case }))
    }

    /// Returns the files with an extension directly inside a folder, sorted by name. Each entry is the name in the game
    /// and the path that the engine finds.
    pub fn list(&self, folder: &str, extension: &str) -> Vec<(String, PathBuf)> {
        let (folder, extension) = (fold(folder), extension.to_ascii_lowercase());
        let mut found = BTreeMap::new();
        for path in self.mounts_with(&folder).filter_map(|mount| mount.folder(&folder, &self.listings)) {
            let listing = self.listings.of(&path);
            for entry in listing.of_extension(&extension).filter(|entry| !entry.is_folder) {
                if let Ok(name) = game_name(&inside(&folder, &entry.text)) {
                    found.entry(name).or_insert_with(|| path.join(&entry.name));
                }
            }
        }
        found.into_iter().collect()
    }

    /// Returns all files by name, each with its paths in search order. Engines use the first path.
    ///
    /// The function visits each folder on disk once. Files in a folder that several links lead to have only one name.
    /// It is the name in their own folder if that belongs to the game.
    pub fn files(&self) -> BTreeMap<String, Vec<PathBuf>> {
        self.files_and_unlisted().0
    }

    /// Returns what [`Self::files`] does, and the folders that cannot be listed.
    pub fn files_and_unlisted(&self) -> (BTreeMap<String, Vec<PathBuf>>, Unlisted) {
        let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        let mut unlisted = Vec::new();
        for mount in &self.mounts {
            match &mount.place {
                Place::Archive(archive) => {
                    for (name, _) in archive.files() {
                        found.entry(name.to_owned()).or_default().push(member::join(archive.path(), name));
                    }
                }
                Place::Folder(folder) => walk(folder, &mut found, &mut unlisted),
            }
        }
        (found, unlisted)
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| Index::of(&self.mounts))
    }

    /// Returns the folders on disk, and the archives that may contain a file, or files of a folder, with a name in lower
    /// case. They are in search order.
    fn mounts_with(&self, name: &str) -> impl Iterator<Item = &Mount> {
        let Index { names, folders, .. } = self.index();
        let hash = hash_of(name);
        let start = names.partition_point(|&(known, _)| known < hash);
        let archives = names.iter().skip(start).take_while(move |&&(known, _)| known == hash);
        let mut found: Vec<usize> = archives.map(|&(_, index)| index as usize).chain(folders.iter().copied()).collect();
        found.sort_unstable();
        found.into_iter().filter_map(|index| self.mounts.get(index))
    }
}

impl Index {
    fn of(mounts: &[Mount]) -> Self {
        let missing_paks = missing_paks(mounts.iter());
        let mut index = Self { archives: HashMap::new(), names: Vec::new(), folders: Vec::new(), missing_paks };
        for (number, mount) in mounts.iter().enumerate() {
            let Place::Archive(archive) = &mount.place else {
                index.folders.push(number);
                continue;
            };
            index.archives.entry(archive.path().to_owned()).or_insert(number);
            if let Ok(whole) = disk::canonicalize(archive.path()) {
                index.archives.entry(whole).or_insert(number);
            }
            let names = archive.files().flat_map(|(name, _)| [name, folder_of(name)]);
            index.names.extend(names.map(|name| (hash_of(name), number as u32)));
        }
        index.names.sort_unstable();
        index.names.dedup();
        index
    }
}

/// Returns the hash of a name, regardless of slashes at its ends.
fn hash_of(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.trim_matches('/').hash(&mut hasher);
    hasher.finish()
}

impl Mount {
    fn is_pak(&self) -> bool {
        matches!(&self.place, Place::Archive(archive) if is_pak(archive.path()))
    }

    /// Returns the number of Quake's `pak0.pak`, `pak1.pak` and so on.
    fn pak_number(&self) -> Option<u32> {
        pak_number(&fold(&self.path().file_name()?.to_string_lossy()))
    }

    /// Returns the path of the folder or archive.
    fn path(&self) -> &Path {
        match &self.place {
            Place::Folder(folder) => folder,
            Place::Archive(archive) => archive.path(),
        }
    }

    /// Returns the path of a folder by its name.
    fn folder(&self, name: &str, listings: &Listings) -> Option<PathBuf> {
        match &self.place {
            Place::Folder(root) => Some(listings.folder(root, parts(name))?.0),
            Place::Archive(archive) => (!archive.inside(name).is_empty()).then(|| member::join(archive.path(), name)),
        }
    }

    /// Returns the path of a file by its name, and true if engines do not find it (see [`Found::is_in_other_case`]).
    fn find(&self, name: &str, listings: &Listings) -> Option<(PathBuf, bool)> {
        let root = match &self.place {
            Place::Folder(root) => root,
            Place::Archive(archive) => {
                let folded = game_name(name).ok().filter(|name| archive.has(name))?;
                return Some((member::join(archive.path(), &folded), false));
            }
        };
        let name = name.replace('\\', "/");
        let (folder, is_written) = listings.folder(root, parts(folder_of(&name)))?;
        let listing = listings.of(&folder);
        let files = listing.called(name.rsplit('/').next()?);
        let file = files.iter().find(|entry| !entry.is_folder)?;
        // Engines try the folders as written, then in lower case.
        let small = fold(folder_of(&name));
        let is_small = || folder.strip_prefix(root).is_ok_and(|inside| parts(&small).eq(inside.iter()));
        Some((folder.join(&file.name), !is_written && !is_small()))
    }
}

/// Returns the folders that a name consists of.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split('/').filter(|part| !part.is_empty())
}

/// Returns the name of an item in a folder.
fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Adds all files below a folder, files behind links last, and the folders that cannot be listed. Visits each folder on
/// disk once, because links can form circles and several links can lead to one folder.
fn walk(root: &Path, found: &mut BTreeMap<String, Vec<PathBuf>>, unlisted: &mut Unlisted) {
    let mut walked = HashSet::new();
    let mut links = VecDeque::from([(root.to_owned(), String::new())]);
    while let Some((link, name)) = links.pop_front() {
        let Ok(real) = disk::canonicalize(on_disk(&link)) else { continue };
        let mut folders = vec![(link, real, name)];
        while let Some((folder, real, name)) = folders.pop() {
            if !walked.insert(real.clone()) {
                continue;
            }
            let mut below = Vec::new();
            let listing = Listing::read(&folder).unwrap_or_else(|error| {
                unlisted.push((folder.clone(), error));
                Listing::default()
            });
            for Entry { name: own, text, is_folder, is_link, .. } in listing.entries() {
                let (path, name) = (folder.join(own), inside(&name, &fold(text)));
                match (*is_folder, *is_link) {
                    (true, true) => links.push_back((path, name)),
                    (true, false) => below.push((path, real.join(own), name)),
                    (false, _) => found.entry(name).or_default().push(path),
                }
            }
            // The last item pushed is popped first.
            folders.extend(below.into_iter().rev());
        }
    }
}

/// Orders archives as they are added. Of Quake's, those with a number come first (`pak9` before `pak10`), others as
/// text, as Doom 3 does.
fn by_number(a: &str, b: &str) -> Ordering {
    let key = |name| pak_number(name).map_or((true, 0), |number| (false, number));
    (key(a), a).cmp(&(key(b), b))
}

fn pak_number(name: &str) -> Option<u32> {
    name.strip_prefix("pak")?.strip_suffix(".pak")?.parse().ok()
}
