//! Names in folders on disk and in archives, each folder listed once.

use crate::cache::Cache;
use crate::disk::{self, Item};
use crate::member;
use bindpose_parsers::decode_name;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// True if the file exists, on disk or in an archive.
pub fn is_file(path: &Path) -> bool {
    match member::split(path) {
        Some((archive, name)) => crate::open(archive).is_ok_and(|archive| archive.has(name)),
        None => disk::is_file(path),
    }
}

/// A name in a folder.
#[derive(Debug)]
pub struct Entry {
    /// Name on disk or in the archive.
    pub name: OsString,
    /// Name as text. Old archives unpack to names that are not UTF-8.
    pub text: String,
    /// Name in lower case.
    pub folded: String,
    /// True for a folder, or a link to one.
    pub is_folder: bool,
    /// True for a link.
    pub is_link: bool,
}

impl Entry {
    fn new(name: OsString, is_folder: bool, is_link: bool) -> Self {
        let text = decode_name(name.as_encoded_bytes()).into_owned();
        Self { folded: text.to_lowercase(), name, text, is_folder, is_link }
    }

    /// Returns the extension in lower case. Returns an empty text if the name has no dot.
    pub fn extension(&self) -> &str {
        self.folded.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// Returns the name without extension, in lower case.
    pub fn stem(&self) -> &str {
        self.folded.rsplit_once('.').map_or(&self.folded, |(stem, _)| stem)
    }
}

/// Names in a folder.
#[derive(Debug, Default)]
pub struct Listing {
    /// Sorted by name in lower case.
    entries: Vec<Entry>,
    /// Indices of the entries, sorted by [`Entry::extension`].
    by_extension: Vec<usize>,
}

impl Listing {
    /// Lists a folder on disk or in an archive.
    ///
    /// # Errors
    ///
    /// Fails for a folder on disk that cannot be read. A folder missing in an archive is empty.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut entries: Vec<Entry> = match member::split(folder) {
            Some((archive, inside)) => {
                let archive = crate::open(archive).map_err(io::Error::other)?;
                let entry = |name: &str| Entry::new(name.trim_end_matches('/').into(), name.ends_with('/'), false);
                archive.inside(inside).into_iter().map(entry).collect()
            }
            None => {
                let entry = |Item { name, is_folder, is_link }| Entry::new(name, is_folder, is_link);
                disk::list(folder)?.into_iter().map(entry).collect()
            }
        };
        // The file system's order is arbitrary, and nothing should depend on it.
        entries.sort_by(|a, b| (&a.folded, &a.name).cmp(&(&b.folded, &b.name)));
        let extension = |&index: &usize| entries.get(index).map(Entry::extension);
        let mut by_extension: Vec<usize> = (0..entries.len()).collect();
        by_extension.sort_by(|a, b| extension(a).cmp(&extension(b)));
        Ok(Self { entries, by_extension })
    }

    /// Returns all entries, sorted by name in lower case.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the entries whose names begin with a text in lower case.
    fn starting(&self, text: &str) -> impl Iterator<Item = &Entry> {
        let start = self.entries.partition_point(|entry| entry.folded.as_str() < text);
        self.entries.iter().skip(start).take_while(move |entry| entry.folded.starts_with(text))
    }

    /// Returns the entries with a name in any case.
    pub fn called(&self, name: &str) -> Vec<&Entry> {
        let folded = name.to_lowercase();
        self.starting(&folded).take_while(|entry| entry.folded == folded).collect()
    }

    /// Returns the entries with a stem, given in lower case.
    pub fn named(&self, stem: &str) -> Vec<&Entry> {
        let bare = self.starting(stem).take_while(|entry| entry.folded == stem);
        let start = format!("{stem}.");
        bare.chain(self.starting(&start)).filter(|entry| entry.stem() == stem).collect()
    }

    /// Returns the entries whose stems begin with a text, given in lower case.
    pub fn beginning_with(&self, text: &str) -> impl Iterator<Item = &Entry> {
        self.starting(text).filter(move |entry| entry.stem().starts_with(text))
    }

    /// Returns the entries with an extension, given in lower case.
    pub fn of_extension(&self, extension: &str) -> impl Iterator<Item = &Entry> {
        let entry = |&index: &usize| self.entries.get(index);
        let start = self.by_extension.partition_point(|index| entry(index).is_some_and(|e| e.extension() < extension));
        let rest = self.by_extension.iter().skip(start).filter_map(entry);
        rest.take_while(move |entry| entry.extension() == extension)
    }
}

/// Listings of folders.
#[derive(Debug, Default)]
pub struct Listings(Cache<Listing>);

impl Listings {
    /// Returns the listing of a folder on disk or in an archive. An unreadable folder counts as empty.
    pub fn of(&self, folder: &Path) -> Arc<Listing> {
        self.0.get(folder, || Arc::new(Listing::read(folder).unwrap_or_default()))
    }

    /// Returns the folder to which `parts` lead from `root`, and true if the case of every letter matches.
    pub fn folder(&self, root: &Path, parts: impl IntoIterator<Item: AsRef<str>>) -> Option<(PathBuf, bool)> {
        let mut path = root.to_owned();
        let mut is_exact = true;
        for part in parts {
            let part = part.as_ref();
            if part == ".." {
                path = member::above(&path)?;
                continue;
            }
            let listing = self.of(&path);
            let mut folders = listing.called(part);
            folders.retain(|entry| entry.is_folder);
            let exact = folders.iter().find(|entry| entry.text == part);
            let known = exact.or(folders.first())?;
            is_exact &= known.text == part;
            path.push(&known.name);
        }
        Some((path, is_exact))
    }

    /// Returns the folders `textures` in a folder and next to it, each with the number of folders above: Luanti's mods
    /// keep `models` and `textures` side by side.
    pub fn textures_of(&self, folder: &Path) -> impl Iterator<Item = (usize, PathBuf)> {
        let textures = |root: PathBuf| self.folder(&root, ["textures"]);
        let near = member::folders_from(folder).take(2).enumerate();
        near.filter_map(move |(above, root)| Some((above, textures(root)?.0)))
    }
}
