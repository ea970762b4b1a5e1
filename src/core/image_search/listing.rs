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
        let start = format!("{}_", stem.to_lowercase());
        let is_its = |entry: &&Entry| EXTENSIONS.contains(&entry.extension()) && !is_other_map(entry.stem());
        let named = || self.listing.beginning_with(&start).filter(is_its).find_map(|entry| self.file(entry));
        self.image(stem).or_else(named)
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

/// Returns the folder and those above it that may be the root of its game.
pub(super) fn game_folders(folder: &Path) -> impl Iterator<Item = PathBuf> {
    member::folders_from(folder).take(1 + ANCESTORS)
}
