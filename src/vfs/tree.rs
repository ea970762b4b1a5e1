//! The files of one or more games, searched in the order of id Tech's engines.
//!
//! A later game beats an earlier one. In one game loose files beat pk4s, and of these the last by name beats the others;
//! `.pak` archives beat loose files instead, the highest number first, as in the Quake engines.

use crate::archive::{Archive, ArchiveError};
use crate::member;
use crate::name::{BadName, fold, folder_of, game_name};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Folders that tell where a game's files begin.
const GAME_FOLDERS: [&str; 3] = ["models", "materials", "def"];

/// Whether a folder holds a folder `models`, `materials` or `def`, as a game's does.
pub fn is_game(folder: &Path) -> bool {
    GAME_FOLDERS.iter().any(|name| folder.join(name).is_dir())
}

/// The nearest folder above a file that holds a folder `models`, `materials` or `def`; empty where that is the current folder.
pub fn game_of(file: &Path) -> Option<PathBuf> {
    if let Some(folder) = file.ancestors().skip(1).find(|folder| is_game(folder)) {
        return Some(folder.to_owned());
    }
    // A path that begins in the current folder has others above it, which it does not name.
    let is_relative = matches!(file.components().next(), Some(Component::Normal(_)));
    let above = std::env::current_dir().ok().filter(|_| is_relative)?.ancestors().skip(1).count();
    let folders = (1..=above).map(|count| (0..count).map(|_| "..").collect::<PathBuf>());
    folders.into_iter().find(|folder| is_game(folder))
}

/// The games' folders and archives in the order of searching.
#[derive(Debug, Default)]
pub struct Vfs {
    /// The first one that has a file gives it.
    mounts: Vec<Mount>,
    games: Vec<PathBuf>,
    left_out: Vec<LeftOut>,
}

#[derive(Debug)]
enum Mount {
    Folder(Folder),
    Archive(Arc<Archive>),
}

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Where: a plain path, or one of [`member::join`]'s.
    pub path: PathBuf,
    /// The same name elsewhere, which this one hides, in the order of searching.
    pub shadowed: Vec<PathBuf>,
    /// Whether a folder or game on disk is written otherwise than asked for, where an engine on a system that tells upper from
    /// lower case finds nothing.
    pub is_in_other_case: bool,
}

/// An archive that is not searched.
#[derive(Debug)]
pub struct LeftOut {
    /// Which.
    pub archive: PathBuf,
    /// Why.
    pub why: WhyLeftOut,
}

/// Why an archive is not searched.
#[derive(Debug, thiserror::Error)]
pub enum WhyLeftOut {
    /// It holds `addon.conf`.
    #[error("it is an addon (it holds addon.conf), which the game searches only when asked to")]
    Addon,
    /// It holds `binary.conf`.
    #[error("it holds the game's program (binary.conf), no files of the game")]
    Program,
    /// It cannot be read.
    #[error("{0}")]
    Unreadable(ArchiveError),
}

impl Vfs {
    /// The games in `base`'s folder and, above it, those of `games`: names of folders beside `base`, or paths. A game
    /// that is named twice counts once.
    ///
    /// `base` may also be the folder around it, or a single archive.
    ///
    /// # Errors
    ///
    /// A folder that is not there or cannot be read, or the only archive, if that cannot be read.
    pub fn open(base: &Path, games: &[String]) -> io::Result<Self> {
        let mut vfs = Self::default();
        if base.is_file() {
            let archive = member::open(base).map_err(io::Error::other)?;
            vfs.mounts.push(Mount::Archive(archive));
            return Ok(vfs);
        }
        let is_game = is_game(base);
        let inner = entries(base)?.into_iter().find(|entry| !is_game && entry.is_folder && entry.folded == "base");
        let base = inner.map_or_else(|| base.to_owned(), |inner| base.join(inner.name));
        vfs.add_game(&base)?;
        // `.` has no name to cut off.
        let around = match base.file_name() {
            Some(_) => base.parent().map(Path::to_owned),
            None => on_disk(&base).canonicalize()?.parent().map(Path::to_owned),
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

    /// Adds a folder with its archives; it goes before all that was added already.
    ///
    /// # Errors
    ///
    /// The folder cannot be read. Archives that cannot are [`Self::left_out`].
    pub fn add_game(&mut self, folder: &Path) -> io::Result<()> {
        let whole = on_disk(folder).canonicalize()?;
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
                let why = match member::open(&path) {
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
        self.games.push(whole);
        Ok(())
    }

    /// Folders and archives in the order of searching.
    pub fn mounts(&self) -> impl Iterator<Item = &Path> {
        self.mounts.iter().map(|mount| match mount {
            Mount::Folder(folder) => folder.path.as_path(),
            Mount::Archive(archive) => archive.path(),
        })
    }

    /// The archives that are searched.
    pub fn archives(&self) -> impl Iterator<Item = &Archive> {
        self.mounts.iter().filter_map(|mount| match mount {
            Mount::Archive(archive) => Some(&**archive),
            Mount::Folder(_) => None,
        })
    }

    /// Archives that are not searched.
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The name in the game of a file on disk or in an archive; `None` for one that lies elsewhere.
    pub fn name_of(&self, path: &Path) -> Option<String> {
        if let Some((archive, name)) = member::split(path) {
            return self.archives().any(|known| known.path() == archive).then(|| fold(name));
        }
        let inside =
            |mount: &Path, path: &Path| path.strip_prefix(mount).ok().map(|inside| fold(&inside.to_string_lossy()));
        self.mounts().find_map(|mount| inside(mount, path)).or_else(|| {
            // The same place has other names where a path goes up.
            let path = path.canonicalize().ok()?;
            self.mounts().find_map(|mount| inside(&on_disk(mount).canonicalize().ok()?, &path))
        })
    }

    /// The file that an engine takes for a name; `None` if there is none.
    ///
    /// # Errors
    ///
    /// [`BadName`]: a name that an engine refuses unseen.
    pub fn find(&self, name: &str) -> Result<Option<Found>, BadName> {
        let folded = game_name(name)?;
        let mut places = self.mounts.iter().filter_map(|mount| mount.find(&folded, name));
        let Some((path, is_in_other_case)) = places.next() else { return Ok(None) };
        Ok(Some(Found { path, shadowed: places.map(|(path, _)| path).collect(), is_in_other_case }))
    }

    /// The files right inside a folder whose names end in `.` and `extension`, by name, each as the engine finds it:
    /// its name in the game and where it is.
    pub fn list(&self, folder: &str, extension: &str) -> Vec<(String, PathBuf)> {
        let folder = fold(folder);
        let extension = format!(".{}", extension.to_ascii_lowercase());
        let mut found = BTreeMap::new();
        for mount in &self.mounts {
            for (name, path) in mount.inside(&folder, &extension) {
                found.entry(inside(&folder, &name)).or_insert(path);
            }
        }
        found.into_iter().collect()
    }

    /// All files by name, each with its places in the order of searching: the first one is what an engine finds. Walks
    /// all folders; of one that links lead to the files have one name each, that of the folder itself if it is the game's.
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
}

impl Mount {
    /// Where a file is, by its name in lower case, and whether folders are written otherwise than in `written`.
    fn find(&self, name: &str, written: &str) -> Option<(PathBuf, bool)> {
        match self {
            Self::Folder(folder) => folder.find(name, written),
            Self::Archive(archive) => archive.has(name).then(|| (member::join(archive.path(), name), false)),
        }
    }

    /// The files right inside a folder whose names end so: their names in lower case, without the folder, and where they
    /// are. Of two of one name the first one is what an engine finds.
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

/// The name of what is in a folder.
fn inside(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Something in a folder on disk.
#[derive(Debug, Clone)]
struct Listed {
    name: OsString,
    /// In lower case.
    folded: String,
    is_folder: bool,
    is_link: bool,
}

/// A folder on disk, whose own folders are listed when they are first looked into.
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

    /// A folder by its name in lower case, and whether an engine finds it: all letters are as written, or all small.
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
        // A folder that cannot be read holds nothing that can be.
        let listing: Arc<[Listed]> = entries(folder).unwrap_or_default().into();
        Arc::clone(known().entry(folder.to_owned()).or_insert(listing))
    }
}

/// A folder as the system knows it, for which the current one has a name.
fn on_disk(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// What is in a folder, by name.
fn entries(folder: &Path) -> io::Result<Vec<Listed>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(on_disk(folder))?.flatten() {
        let name = entry.file_name();
        let folded = fold(&name.to_string_lossy());
        let Ok(kind) = entry.file_type() else { continue };
        let is_link = kind.is_symlink();
        // Links count as what they lead to.
        let is_folder = if is_link { entry.path().is_dir() } else { kind.is_dir() };
        found.push(Listed { name, folded, is_folder, is_link });
    }
    found.sort_by(|a, b| (&a.folded, &a.name).cmp(&(&b.folded, &b.name)));
    Ok(found)
}

/// What has a name in lower case, in a folder as [`entries`] gives it.
fn named<'l>(listing: &'l [Listed], folded: &str) -> impl Iterator<Item = &'l Listed> + Clone {
    let start = listing.partition_point(|entry| entry.folded.as_str() < folded);
    listing.iter().skip(start).take_while(move |entry| entry.folded == folded)
}

/// Adds all files below a folder, those behind links last. Each folder on disk is walked once: links may go in circles, and
/// many of them to one place.
fn walk(root: &Path, found: &mut BTreeMap<String, Vec<PathBuf>>) {
    let mut walked = HashSet::new();
    let mut links = VecDeque::from([(root.to_owned(), String::new())]);
    while let Some((link, name)) = links.pop_front() {
        let Ok(real) = on_disk(&link).canonicalize() else { continue };
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
            // The last one that is put in comes out first.
            folders.extend(below.into_iter().rev());
        }
    }
}

/// `pak9` before `pak10` where the names are those of Quake's archives; else as text, as Doom 3 sorts.
fn by_number(a: &str, b: &str) -> Ordering {
    let number = |name: &str| name.strip_prefix("pak")?.strip_suffix(".pak")?.parse::<u32>().ok();
    match (number(a), number(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.cmp(b),
    }
}
