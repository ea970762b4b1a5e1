//! Files of one or more games, searched in the order of id Tech's engines.
//!
//! A later game takes precedence over an earlier one. Within a game, `.pak` archives come first, the highest number
//! first, as in the Quake engines. Loose files follow, then pk4 archives, the last by name first.

use crate::archive::{Archive, ArchiveError};
use crate::disk::{self, Item, on_disk};
use crate::member;
use crate::name::{BadName, fold, folder_of, game_name};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Folders that mark the root of a game's files. One of them is sufficient.
const GAME_FOLDERS: [&str; 3] = ["models", "materials", "def"];

/// Names of the first archive of Quake's games, which marks their root.
const FIRST_PAK: [&str; 2] = ["pak0.pak", "PAK0.PAK"];

/// True if a folder contains `models`, `materials`, `def` or Quake's `pak0.pak`.
pub fn is_game(folder: &Path) -> bool {
    GAME_FOLDERS.iter().any(|name| disk::is_dir(&folder.join(name)))
        || FIRST_PAK.iter().any(|name| disk::is_file(&folder.join(name)))
}

/// Returns the nearest parent folder of a file that [`is_game`]. The path is empty for the current folder.
pub fn game_of(file: &Path) -> Option<PathBuf> {
    if let Some(folder) = file.ancestors().skip(1).find(|folder| is_game(folder)) {
        return Some(folder.to_owned());
    }
    // A relative path does not name the parents of the current folder.
    let is_relative = matches!(file.components().next(), Some(Component::Normal(_)));
    let above = std::env::current_dir().ok().filter(|_| is_relative)?.ancestors().skip(1).count();
    let folders = (1..=above).map(|count| (0..count).map(|_| "..").collect::<PathBuf>());
    folders.into_iter().find(|folder| is_game(folder))
}

/// Folders and archives of games in search order.
#[derive(Debug, Default)]
pub struct Vfs {
    /// Folders and archives. The first one that contains a file provides it.
    mounts: Vec<Mount>,
    games: Vec<PathBuf>,
    left_out: Vec<LeftOut>,
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
}

#[derive(Debug)]
enum Mount {
    Folder(Folder),
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
            vfs.mounts.push(Mount::Archive(archive));
            return Ok(vfs);
        }
        let is_game = is_game(base);
        let inner = entries(base)?.into_iter().find(|entry| !is_game && entry.is_folder && entry.folded == "base");
        let base = inner.map_or_else(|| base.to_owned(), |inner| base.join(inner.name));
        vfs.add_game(&base)?;
        // `.` has no name to remove.
        let around = match base.file_name() {
            Some(_) => base.parent().map(Path::to_owned),
            None => disk::canonicalize(on_disk(&base))?.parent().map(Path::to_owned),
        };
        let around = around.unwrap_or_default();
        for game in games {
            let beside = entries(&around)?.into_iter().find(|entry| entry.is_folder && entry.folded == fold(game));
            let folder = match beside {
                Some(entry) => around.join(entry.name),
                None => PathBuf::from(game),
            };
            let named = |error: io::Error| io::Error::new(error.kind(), format!("the mod {game}: {error}"));
            vfs.add_game(&folder).map_err(named)?;
        }
        Ok(vfs)
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
        let mut archives: Vec<Listed> = entries(folder)?;
        archives.retain(|entry| !entry.is_folder && member::is_archive(Path::new(&entry.name)));
        archives.sort_by(|a, b| by_number(&b.folded, &a.folded));
        let (paks, others): (Vec<_>, Vec<_>) = archives.into_iter().partition(|entry| entry.folded.ends_with(".pak"));
        let mut mounts = Vec::new();
        let mut open = |entries: Vec<Listed>, mounts: &mut Vec<Mount>| {
            for Listed { name, .. } in entries {
                let path = folder.join(name);
                let why = match crate::open(&path) {
                    Ok(archive) if archive.has("addon.conf") => WhyLeftOut::Addon,
                    Ok(archive) if archive.has("binary.conf") => WhyLeftOut::Program,
                    Ok(archive) => {
                        mounts.push(Mount::Archive(archive));
                        continue;
                    }
                    Err(error) => WhyLeftOut::Unreadable(error),
                };
                self.left_out.push(LeftOut { archive: path, why });
            }
        };
        open(paks, &mut mounts);
        mounts.push(Mount::Folder(Folder::new(folder.to_owned())));
        open(others, &mut mounts);
        self.mounts.splice(0..0, mounts);
        self.index = OnceLock::new();
        self.games.push(whole);
        Ok(())
    }

    /// Returns folders and archives in search order.
    pub fn mounts(&self) -> impl Iterator<Item = &Path> {
        self.mounts.iter().map(Mount::path)
    }

    /// Returns the archives that are searched.
    pub fn archives(&self) -> impl Iterator<Item = &Archive> {
        self.mounts.iter().filter_map(|mount| match mount {
            Mount::Archive(archive) => Some(&**archive),
            Mount::Folder(_) => None,
        })
    }

    /// Returns the archives that are not searched.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// Returns the name within the game of a file on disk or in an archive. Returns `None` for a file elsewhere.
    pub fn name_of(&self, path: &Path) -> Option<String> {
        Some(self.place_of(path)?.1)
    }

    /// Returns the folder or archive that contains a file, and the file's name within the game.
    fn place_of(&self, path: &Path) -> Option<(&Path, String)> {
        if let Some((archive, name)) = member::split(path) {
            return Some((self.mount_of(archive).filter(|known| *known == archive)?, fold(name)));
        }
        let folders = || self.index().folders.iter().filter_map(|&index| Some(self.mounts.get(index)?.path()));
        let inside = |mount: &Path, path: &Path| {
            let inside = path.strip_prefix(mount).ok()?;
            let climbs = inside.components().any(|part| part == Component::ParentDir);
            (!climbs).then(|| fold(&inside.to_string_lossy()))
        };
        folders().find_map(|mount| Some((mount, inside(mount, path)?))).or_else(|| {
            // A path with `..` or a link can name the same file.
            let path = disk::canonicalize(path).ok()?;
            folders().find_map(|mount| Some((mount, inside(&disk::canonicalize(on_disk(mount)).ok()?, &path)?)))
        })
    }

    /// Returns the rank of the game that contains a file: 0 for the first game, 1 for the mod added to it, and so on.
    /// Archives and loose files of one game have the same rank.
    pub fn rank(&self, path: &Path) -> Option<usize> {
        let (mount, _) = self.place_of(path)?;
        let is_its = |folder: &Path| folder == mount || mount.parent() == Some(folder);
        let folders = self.mounts.iter().filter(|mount| matches!(mount, Mount::Folder(_)));
        folders.rev().position(|folder| is_its(folder.path()))
    }

    /// Returns the folders in which engines look for what belongs to a file, in search order: the file's own folder, and
    /// that of the same name in every other folder and archive. A file outside the games has only its own.
    pub fn folders_of(&self, file: &Path) -> Vec<PathBuf> {
        let own = match member::split(file) {
            Some((archive, name)) => member::join(archive, folder_of(name)),
            None => file.parent().map_or_else(PathBuf::new, Path::to_owned),
        };
        let Some((place, name)) = self.place_of(file) else { return vec![own] };
        let folder = folder_of(&name);
        let path = |mount: &Mount| if mount.path() == place { Some(own.clone()) } else { mount.folder(folder) };
        self.mounts_with(folder).filter_map(path).collect()
    }

    /// Returns the file that engines take instead of a file of the games. Returns `None` if they take the file itself.
    pub fn hidden_by(&self, path: &Path) -> Option<PathBuf> {
        let (place, name) = self.place_of(path)?;
        let found = self.find(&name).ok().flatten()?;
        (self.place_of(&found.path)?.0 != place).then_some(found.path)
    }

    /// Returns the path of an archive as the game found it. Returns `None` if the game does not search it.
    pub fn mount_of(&self, archive: &Path) -> Option<&Path> {
        let known = &self.index().archives;
        let index = known.get(archive).or_else(|| known.get(&disk::canonicalize(archive).ok()?))?;
        self.mounts.get(*index).map(Mount::path)
    }

    /// Returns the file that an engine finds for a name. Returns `None` if there is none.
    ///
    /// # Errors
    ///
    /// Returns [`BadName`] for names that engines refuse.
    pub fn find(&self, name: &str) -> Result<Option<Found>, BadName> {
        let folded = game_name(name)?;
        let mut places = self.mounts_with(&folded).filter_map(|mount| mount.find(&folded, name));
        let Some((path, is_in_other_case)) = places.next() else { return Ok(None) };
        Ok(Some(Found { path, shadowed: places.map(|(path, _)| path).collect(), is_in_other_case }))
    }

    /// Returns the files with an extension directly inside a folder, sorted by name. Each entry is the name in the game
    /// and the path that the engine finds.
    pub fn list(&self, folder: &str, extension: &str) -> Vec<(String, PathBuf)> {
        let folder = fold(folder);
        let extension = format!(".{}", extension.to_ascii_lowercase());
        let mut found = BTreeMap::new();
        for mount in self.mounts_with(&folder) {
            for (name, path) in mount.inside(&folder, &extension) {
                found.entry(inside(&folder, &name)).or_insert(path);
            }
        }
        found.into_iter().collect()
    }

    /// Returns all files by name, each with its paths in search order. Engines use the first path.
    ///
    /// The function visits each folder on disk once. Files in a folder that several links lead to have only one name.
    /// It is the name in their own folder if that belongs to the game.
    pub fn files(&self) -> BTreeMap<String, Vec<PathBuf>> {
        let mut found: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for mount in &self.mounts {
            match mount {
                Mount::Archive(archive) => {
                    for (name, _) in archive.files() {
                        found.entry(name.to_owned()).or_default().push(member::join(archive.path(), name));
                    }
                }
                Mount::Folder(folder) => walk(&folder.path, &mut found),
            }
        }
        found
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
        let mut index = Self { archives: HashMap::new(), names: Vec::new(), folders: Vec::new() };
        for (number, mount) in mounts.iter().enumerate() {
            let Mount::Archive(archive) = mount else {
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
    /// Returns the path of the folder or archive.
    fn path(&self) -> &Path {
        match self {
            Self::Folder(folder) => &folder.path,
            Self::Archive(archive) => archive.path(),
        }
    }

    /// Returns the path of a folder by its name in lower case.
    fn folder(&self, name: &str) -> Option<PathBuf> {
        match self {
            Self::Folder(folder) => Some(folder.folder(name, name)?.0),
            Self::Archive(archive) => (!archive.inside(name).is_empty()).then(|| member::join(archive.path(), name)),
        }
    }

    /// Returns the path of a file by its name in lower case, and true if engines do not find it (see
    /// [`Found::is_in_other_case`]). `written` is the requested name.
    fn find(&self, name: &str, written: &str) -> Option<(PathBuf, bool)> {
        match self {
            Self::Folder(folder) => folder.find(name, written),
            Self::Archive(archive) => archive.has(name).then(|| (member::join(archive.path(), name), false)),
        }
    }

    /// Returns the files directly inside a folder whose names end in `end`: names in lower case without the folder, and
    /// paths. Of several files with the same name, engines find the first.
    fn inside(&self, folder: &str, end: &str) -> Vec<(String, PathBuf)> {
        match self {
            Self::Folder(mount) => {
                let Some((path, _)) = mount.folder(folder, folder) else { return Vec::new() };
                let listing = mount.listing(&path);
                let files = listing.iter().filter(|entry| !entry.is_folder && entry.folded.ends_with(end));
                files.map(|entry| (entry.folded.clone(), path.join(&entry.name))).collect()
            }
            Self::Archive(archive) => {
                let files = archive.inside(folder).into_iter().filter(|name| name.ends_with(end));
                let named = files.map(|name| (name, inside(folder, name))).filter(|(_, whole)| archive.has(whole));
                named.map(|(name, whole)| (name.to_owned(), member::join(archive.path(), &whole))).collect()
            }
        }
    }
}

/// Returns the name of an item in a folder.
fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Item of a folder on disk.
#[derive(Debug, Clone)]
struct Listed {
    name: OsString,
    /// Name in lower case.
    folded: String,
    is_folder: bool,
    is_link: bool,
}

/// Folder on disk. Its subfolders are listed when they are first needed.
#[derive(Debug)]
struct Folder {
    path: PathBuf,
    listings: Mutex<HashMap<PathBuf, Arc<[Listed]>>>,
}

impl Folder {
    fn new(path: PathBuf) -> Self {
        Self { path, listings: Mutex::default() }
    }

    fn find(&self, name: &str, written: &str) -> Option<(PathBuf, bool)> {
        let written = written.replace('\\', "/");
        let written = written.strip_prefix('/').unwrap_or(&written);
        let (folder, is_exact) = self.folder(folder_of(name), folder_of(written))?;
        let file = name.rsplit('/').next()?;
        let listing = self.listing(&folder);
        let listed = named(&listing, file).find(|entry| !entry.is_folder)?;
        Some((folder.join(&listed.name), !is_exact))
    }

    /// Returns the path of a folder by its name in lower case, and true if engines find it. Its case must be as
    /// written, or all lower.
    fn folder(&self, name: &str, written: &str) -> Option<(PathBuf, bool)> {
        let mut path = self.path.clone();
        let (mut is_written, mut is_small) = (true, true);
        let parts = name.split('/').filter(|part| !part.is_empty());
        for (part, written) in parts.zip(written.split('/').filter(|part| !part.is_empty())) {
            let listing = self.listing(&path);
            let mut alike = named(&listing, part).filter(|entry| entry.is_folder);
            let exact = alike.clone().find(|entry| entry.name == written);
            let listed = exact.or_else(|| alike.next())?;
            is_written &= listed.name == written;
            is_small &= listed.name == part;
            path.push(&listed.name);
        }
        Some((path, is_written || is_small))
    }

    fn listing(&self, folder: &Path) -> Arc<[Listed]> {
        let known = || self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listing) = known().get(folder) {
            return Arc::clone(listing);
        }
        // An unreadable folder counts as empty.
        let listing: Arc<[Listed]> = entries(folder).unwrap_or_default().into();
        Arc::clone(known().entry(folder.to_owned()).or_insert(listing))
    }
}

/// Returns the items of a folder, sorted by name in lower case.
fn entries(folder: &Path) -> io::Result<Vec<Listed>> {
    let listed = |Item { name, is_folder, is_link }| {
        let folded = fold(&name.to_string_lossy());
        Listed { name, folded, is_folder, is_link }
    };
    let mut found: Vec<Listed> = disk::list(folder)?.into_iter().map(listed).collect();
    found.sort_by(|a, b| (&a.folded, &a.name).cmp(&(&b.folded, &b.name)));
    Ok(found)
}

/// Returns the items with a given name in lower case from a listing by [`entries`].
fn named<'l>(listing: &'l [Listed], folded: &str) -> impl Iterator<Item = &'l Listed> + Clone {
    let start = listing.partition_point(|entry| entry.folded.as_str() < folded);
    listing.iter().skip(start).take_while(move |entry| entry.folded == folded)
}

/// Adds all files below a folder, files behind links last. Visits each folder on disk once, because links can form
/// circles and several links can lead to one folder.
fn walk(root: &Path, found: &mut BTreeMap<String, Vec<PathBuf>>) {
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
            for Listed { name: own, folded, is_folder, is_link } in entries(&folder).unwrap_or_default() {
                let (path, name) = (folder.join(&own), inside(&name, &folded));
                match (is_folder, is_link) {
                    (true, true) => links.push_back((path, name)),
                    (true, false) => below.push((path, real.join(&own), name)),
                    (false, _) => found.entry(name).or_default().push(path),
                }
            }
            // The last item pushed is popped first.
            folders.extend(below.into_iter().rev());
        }
    }
}

/// Orders Quake's archives by number (`pak9` before `pak10`), others as text, as Doom 3 does.
fn by_number(a: &str, b: &str) -> Ordering {
    let number = |name: &str| name.strip_prefix("pak")?.strip_suffix(".pak")?.parse::<u32>().ok();
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.cmp(b),
    }
}
