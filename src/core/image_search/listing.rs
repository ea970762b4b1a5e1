//! Folders on disk and in archives, each listed once.

use crate::read;
use bindpose_parsers::decode_name;
use bindpose_vfs::{disk, member, name};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::ops::Bound::{Included, Unbounded};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Extensions of images in order of preference: first those that the player reads, then others that engines read.
pub const EXTENSIONS: [&str; 10] = ["tga", "png", "jpg", "jpeg", "dds", "bmp", "webp", "pcx", "lmp", "crn"];

/// Number of folders searched above a model's own: Doom 3's shader names start at the game's base folder.
pub const ANCESTORS: usize = 6;

/// Values by folder, each computed at the first request.
#[derive(Debug)]
pub(super) struct Cache<T: ?Sized>(Mutex<HashMap<PathBuf, Arc<T>>>);

impl<T: ?Sized> Default for Cache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: ?Sized> Cache<T> {
    pub fn get(&self, folder: &Path, read: impl FnOnce() -> Arc<T>) -> Arc<T> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lock().get(folder).cloned();
        found.unwrap_or_else(|| {
            let read = read();
            Arc::clone(lock().entry(folder.to_owned()).or_insert(read))
        })
    }
}

/// Listings of folders.
#[derive(Debug, Default)]
pub(super) struct Listings(Cache<Listing>);

impl Listings {
    pub fn of(&self, folder: &Path) -> Arc<Listing> {
        self.0.get(folder, || Arc::new(Listing::read(folder)))
    }

    /// Returns the folder that `parts` resolve to from `root`, and true if the case of every letter matches.
    pub fn folder(&self, root: &Path, parts: &[String]) -> Option<(PathBuf, bool)> {
        let mut path = root.to_owned();
        let mut exact = true;
        for part in parts {
            if part == ".." {
                path = above(&path)?;
                continue;
            }
            let listing = self.of(&path);
            let known = listing.folder_named(part)?;
            exact &= known.text == *part;
            path.push(&known.name);
        }
        Some((path, exact))
    }
}

/// A name in a folder.
#[derive(Debug)]
pub(super) struct Entry {
    pub name: OsString,
    /// Name as text. Old archives unpack to names that are not UTF-8.
    pub text: String,
    /// Name in lower case.
    pub folded: String,
}

impl Entry {
    /// Returns the extension in lower case. Returns an empty text if the name has no dot.
    pub fn extension(&self) -> &str {
        self.folded.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// Returns the name without extension, in lower case.
    pub fn stem(&self) -> &str {
        stem_of(&self.folded)
    }
}

/// Names in a folder.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Sorted by name.
    entries: Vec<Entry>,
    /// Indices of entries by [`Entry::stem`].
    by_stem: BTreeMap<String, Vec<usize>>,
    /// Indices of entries by [`Entry::extension`].
    by_extension: HashMap<String, Vec<usize>>,
}

impl Listing {
    fn read(folder: &Path) -> Self {
        let mut listing = Self::default();
        for name in read::names_in(folder) {
            let text = decode_name(name.as_encoded_bytes()).into_owned();
            let folded = text.to_lowercase();
            let (entry, index) = (Entry { name, text, folded }, listing.entries.len());
            listing.by_stem.entry(entry.stem().to_owned()).or_default().push(index);
            listing.by_extension.entry(entry.extension().to_owned()).or_default().push(index);
            listing.entries.push(entry);
        }
        listing
    }

    /// Returns the entries with a stem, given in lower case.
    pub fn named(&self, stem: &str) -> Vec<&Entry> {
        let indices = self.by_stem.get(stem).map_or(&[][..], Vec::as_slice);
        indices.iter().filter_map(|&index| self.entries.get(index)).collect()
    }

    /// Returns the entries whose stems begin with a text, given in lower case, sorted by name.
    fn beginning_with(&self, text: &str) -> Vec<&Entry> {
        let stems =
            self.by_stem.range::<str, _>((Included(text), Unbounded)).take_while(|(stem, _)| stem.starts_with(text));
        let mut indices: Vec<usize> = stems.flat_map(|(_, indices)| indices).copied().collect();
        indices.sort_unstable();
        indices.into_iter().filter_map(|index| self.entries.get(index)).collect()
    }

    /// Returns the entries with an extension, given in lower case, sorted by name.
    pub fn of_extension(&self, extension: &str) -> impl Iterator<Item = &Entry> {
        let indices = self.by_extension.get(extension).map_or(&[][..], Vec::as_slice);
        indices.iter().filter_map(|&index| self.entries.get(index))
    }

    fn folder_named(&self, part: &str) -> Option<&Entry> {
        let folded = part.to_lowercase();
        let entries = self.named(stem_of(&folded));
        let exact = entries.iter().find(|entry| entry.text == part);
        exact.or_else(|| entries.iter().find(|entry| entry.folded == folded)).copied()
    }
}

/// A folder on disk or in an archive.
pub(super) struct Folder<'f> {
    pub path: &'f Path,
    pub listing: Arc<Listing>,
}

impl<'f> Folder<'f> {
    pub fn of(listings: &Listings, path: &'f Path) -> Self {
        Self { path, listing: listings.of(path) }
    }

    /// Returns the path of an entry that is a file.
    pub fn file(&self, entry: &Entry) -> Option<PathBuf> {
        Some(self.path.join(&entry.name)).filter(|path| read::is_file(path))
    }

    /// Returns the file with a stem in any case. Earlier extensions are preferred.
    pub fn with_extension(&self, stem: &str, extensions: &[&str]) -> Option<PathBuf> {
        let alike = self.listing.named(&stem.to_lowercase());
        let of = |extension: &&str| {
            alike.iter().filter(|entry| entry.extension() == *extension).find_map(|entry| self.file(entry))
        };
        extensions.iter().find_map(of)
    }

    /// Returns the image with a stem in any case.
    pub fn image(&self, stem: &str) -> Option<PathBuf> {
        self.with_extension(stem, &EXTENSIONS)
    }

    /// Returns the image named after a model. Otherwise the first image named after the model with `_` and a suffix
    /// that does not denote another kind of map.
    pub fn image_like(&self, stem: &str) -> Option<PathBuf> {
        let named = || self.listing.beginning_with(&format!("{}_", stem.to_lowercase()));
        let is_its = |entry: &&Entry| EXTENSIONS.contains(&entry.extension()) && !is_other_map(entry.stem());
        self.image(stem).or_else(|| named().into_iter().filter(is_its).find_map(|entry| self.file(entry)))
    }
}

/// Suffixes of images that are not a surface's colour.
const OTHER_MAPS: [&str; 17] = [
    "n",
    "nm",
    "norm",
    "normal",
    "local",
    "bump",
    "bumpmap",
    "s",
    "spec",
    "specular",
    "mask",
    "glow",
    "luma",
    "h",
    "height",
    "inv",
    "inventory",
];

fn is_other_map(suffix: &str) -> bool {
    OTHER_MAPS.contains(&suffix.rsplit('_').next().unwrap_or(suffix))
}

/// Returns the part of a name before its last dot.
pub(super) fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Returns the folder and all folders above it.
pub(super) fn folders_from(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::successors(Some(folder.to_owned()), |folder| above(folder))
}

/// Returns the folder and those above it that may be the root of its game.
pub(super) fn game_folders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    folders_from(folder).take(1 + ANCESTORS)
}

/// Subfolders that mark the root of a game or mod.
const ROOT_MARKS: [&str; 6] = ["models", "materials", "def", "textures", "Models", "Textures"];

/// Returns the folder whose files a model in `folder` may use without being asked: the outermost of the six folders
/// above that contains `models`, `materials`, `def` or `textures`, else `folder` itself. For a folder in an archive, at
/// least the folder of the archive.
pub fn home_of(folder: &Path) -> PathBuf {
    let folder = match member::split(folder) {
        Some((archive, _)) => above(archive).unwrap_or_default(),
        None => folder.to_owned(),
    };
    let is_root = |folder: &PathBuf| ROOT_MARKS.iter().any(|mark| disk::is_dir(&folder.join(mark)));
    game_folders(&folder).filter(is_root).last().unwrap_or(folder)
}

/// Returns the parent of a folder, by name only. Returns `None` for a root.
pub(super) fn above(folder: &Path) -> Option<PathBuf> {
    if let Some((archive, name)) = member::split(folder) {
        return match name.trim_matches(['/', '\\']) {
            "" => above(archive),
            name => Some(member::join(archive, name::folder_of(name))),
        };
    }
    match folder.components().next_back() {
        Some(Component::Normal(_)) => folder.parent().map(Path::to_owned),
        None => Some(PathBuf::from("..")),
        Some(Component::CurDir) => folder.parent().map(|before| before.join("..")),
        Some(Component::ParentDir) => Some(folder.join("..")),
        Some(Component::RootDir | Component::Prefix(_)) => None,
    }
}
