//! Images among the names in a folder.

use crate::read;
use bindpose_vfs::{Entry, Listing, Listings, member};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Extensions of images in order of preference: first those that the player reads, then others that engines read.
pub const EXTENSIONS: [&str; 10] = ["tga", "png", "jpg", "jpeg", "dds", "bmp", "webp", "pcx", "lmp", "crn"];

/// Number of folders searched above a model's own: Doom 3's shader names start at the game's base folder.
pub const ANCESTORS: usize = 6;

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
        self.image_of(stem, false, |_| true)
    }

    /// Returns the first of these images that is suitable. Those with a number may come before those with a word.
    pub fn image_of(&self, stem: &str, has_numbers: bool, is_suitable: impl Fn(&Path) -> bool) -> Option<PathBuf> {
        let stem = stem.to_lowercase();
        let suffix = |entry: &&Entry| entry.stem().get(stem.len()..).unwrap_or_default().to_owned();
        let is_number = |suffix: &str| has_numbers && suffix.bytes().all(|byte| byte.is_ascii_digit());
        let is_its = |entry: &&Entry| {
            let suffix = suffix(entry);
            let is_like = is_number(&suffix) || suffix.starts_with('_') && !is_other_map(entry.stem());
            is_like && EXTENSIONS.contains(&entry.extension())
        };
        let mut named: Vec<_> = self.listing.beginning_with(&stem).filter(is_its).collect();
        named.sort_by_key(|entry| !is_number(&suffix(entry)));
        let suitable = |entry: &Entry| self.file(entry).filter(|path| is_suitable(path));
        self.image(&stem).filter(|path| is_suitable(path)).or_else(|| named.into_iter().find_map(suitable))
    }
}

/// Suffixes of images that are not a surface's colour.
const OTHER_MAPS: [&str; 18] = [
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
    "egg",
];

fn is_other_map(suffix: &str) -> bool {
    OTHER_MAPS.contains(&suffix.rsplit('_').next().unwrap_or(suffix))
}

/// Returns the folder and those above it that may be the root of its game.
pub(super) fn game_folders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    member::folders_from(folder).take(1 + ANCESTORS)
}
