//! Image files by the names in models.

use super::cube2::{self, Anim, Cube2Script};
use super::listing::{ANCESTORS, EXTENSIONS, Folder};
use super::luanti::{self, LuaScript};
use super::name::{FoundAs, ImageName, image_of};
use super::shaders::ShaderScripts;
use crate::budget::{Budget, MemoryLimit};
use crate::pairing::Candidate;
use crate::read;
use bindpose_parsers::md5;
use bindpose_vfs::{Cache, Entry, Listings, member};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImageSearch {
    /// An image, or at least a file with its name.
    Found(FoundImage),
    /// No file was found.
    Missing {
        /// Paths tried below the folders, most likely first; relative, with `/`.
        tried: Vec<String>,
    },
    /// The name cannot be an image's: it is empty, longer than a path, or only MikuMikuDance's sphere map.
    NoImage,
}

/// An image that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundImage {
    /// Path, starting with a searched folder or one above it.
    pub path: PathBuf,
    /// Difference between the path and the name in the file.
    pub found_as: FoundAs,
    /// Number of folders above the searched one at which the name starts.
    pub above: usize,
}

/// Search in folders, each of which is listed once.
#[derive(Debug, Default)]
pub struct ImageFinder {
    pub(super) listings: Listings,
    /// Shaders by game folder.
    shaders: Cache<ShaderScripts>,
    /// Cube 2's scripts by the folder of the models that they may load.
    cube2_scripts: Cache<[Cube2Script]>,
    /// Scripts of Luanti's mods by the folder of their models.
    lua_scripts: Cache<[LuaScript]>,
    /// Meshes by folder.
    rigs: Cache<[Candidate<'static>]>,
}

impl ImageFinder {
    /// Finds an image by its name in a file: a path, a Doom 3 shader name, or a bare file name.
    ///
    /// A relative path may start in each of the folders or in one of the [`ANCESTORS`] above it. For an absolute path,
    /// or one that is not found, shorter and shorter tails are tried. The bare file name is tried only in the folders
    /// themselves and in a folder `textures` in or next to them. `\` counts as `/`, and case does not matter. From
    /// `base.bmp*env.sph`, the part that is not a sphere map counts.
    pub fn find(&self, folders: &[PathBuf], name: &str) -> ImageSearch {
        let Some(wanted) = image_of(name).and_then(ImageName::new) else { return ImageSearch::NoImage };
        match self.search(folders, &wanted) {
            Some(found) => ImageSearch::Found(found),
            None => ImageSearch::Missing { tried: wanted.tried() },
        }
    }

    /// Finds an image as [`Self::find`] does, without listing the names tried, so that a missing image is cheap.
    pub(super) fn path_of(&self, folders: &[PathBuf], name: &str) -> Option<PathBuf> {
        let wanted = image_of(name).filter(|_| !folders.is_empty()).and_then(ImageName::new)?;
        Some(self.search(folders, &wanted)?.path)
    }

    /// Returns the scale at which Cube 2 shows a model, 1 for its own size, and the script that sets it.
    pub fn cube2_scale(&self, mesh: &Path) -> Option<(f64, PathBuf)> {
        self.cube2_of(mesh, |script| script.scale())
    }

    /// Returns the joints of a model to which Cube 2 attaches something, with the game's names for the attachments, and
    /// the script.
    pub fn cube2_tags(&self, mesh: &Path) -> Option<(Vec<[String; 2]>, PathBuf)> {
        self.cube2_of(mesh, |script| Some(script.tags()).filter(|tags| !tags.is_empty()))
    }

    /// Returns the clips that Cube 2's script gives to a model.
    pub(crate) fn cube2_anims(&self, mesh: &Path) -> Vec<Anim> {
        let anims = self.cube2_of(mesh, |script| Some(script.anims()).filter(|anims| !anims.is_empty()));
        anims.map_or_else(Vec::new, |(anims, _)| anims)
    }

    /// Returns the `.md5anim` files of a folder, sorted by name.
    pub fn anims_in(&self, folder: &Path) -> Vec<PathBuf> {
        self.listings.of(folder).of_extension("md5anim").map(|entry| folder.join(&entry.name)).collect()
    }

    /// Returns the `.md5mesh` files of a folder, sorted by name, each with its joints. A file above `largest` bytes, or
    /// that cannot be read, has none.
    pub(crate) fn rigs_in(&self, folder: &Path, largest: MemoryLimit) -> Arc<[Candidate<'static>]> {
        self.rigs.get(folder, || {
            let read = |entry: &Entry| {
                let path = folder.join(&entry.name);
                let bytes = read::file(&path, &Budget::new(largest)).unwrap_or_default();
                Candidate::mesh(read::stem_of(&path), md5::parse_joints(&bytes).as_ref()).into_owned()
            };
            self.listings.of(folder).of_extension("md5mesh").map(read).collect()
        })
    }

    /// Returns the first value found in the scripts of a model, with the script.
    fn cube2_of<T>(&self, mesh: &Path, value: impl Fn(&Cube2Script) -> Option<T>) -> Option<(T, PathBuf)> {
        let stem = read::stem_of(mesh);
        let scripts = self.cube2_scripts(&read::folder_of(mesh));
        cube2::of_model(&scripts, &stem).find_map(|script| Some((value(script)?, script.path.clone())))
    }

    fn search(&self, folders: &[PathBuf], wanted: &ImageName) -> Option<FoundImage> {
        for folder in folders {
            for (number, tail) in wanted.tails.iter().enumerate() {
                let is_written = number == 0 && !wanted.is_absolute;
                let ancestors = if tail.is_empty() && !is_written { 0 } else { ANCESTORS };
                for (above, root) in member::folders_from(folder).take(1 + ancestors).enumerate() {
                    let Some((inside, exact)) = self.listings.folder(&root, tail) else { continue };
                    let Some((path, found_as)) = self.image(&inside, wanted) else { continue };
                    let found_as = if is_written && exact { found_as } else { FoundAs::Loosely };
                    return Some(FoundImage { path, found_as, above });
                }
            }
            for (above, inside) in self.listings.textures_of(folder) {
                if let Some((path, _)) = self.image(&inside, wanted) {
                    return Some(FoundImage { path, found_as: FoundAs::Loosely, above });
                }
            }
        }
        None
    }

    /// Returns the best match in a folder.
    fn image(&self, folder: &Path, wanted: &ImageName) -> Option<(PathBuf, FoundAs)> {
        let listing = self.listings.of(folder);
        let is_file = |entry: &&&Entry| read::is_file(&folder.join(&entry.name));
        let written = listing.named(&wanted.file_stem);
        let exact = written.iter().find(|entry| entry.text == wanted.file).filter(is_file);
        let folded = || written.iter().find(|entry| entry.folded == wanted.file.to_lowercase()).filter(is_file);
        if let Some(found) = exact.or_else(folded) {
            let found_as = if found.text == wanted.file { FoundAs::Written } else { FoundAs::Loosely };
            return Some((folder.join(&found.name), found_as));
        }
        wanted.stems.iter().find_map(|(stem, found_as)| {
            let entries = listing.named(stem);
            let of = |extension: &&str| {
                let named = |entry: &&&Entry| entry.stem() == stem && entry.extension() == *extension;
                // A name in the same case is preferred.
                let exact = |entry: &&&Entry| entry.text.starts_with(&wanted.stem);
                let mut all = entries.iter().filter(named);
                all.clone().find(exact).or_else(|| all.next()).filter(is_file)
            };
            let found = EXTENSIONS.iter().find_map(of)?;
            let in_other_letters = !found.text.starts_with(&wanted.stem);
            Some((folder.join(&found.name), if in_other_letters { FoundAs::Loosely } else { *found_as }))
        })
    }

    /// Shaders of a game folder, from scripts in `scripts` and, for ET: Legacy, in `materials`.
    pub(super) fn shaders_of(&self, game: &Path) -> Arc<ShaderScripts> {
        self.shaders.get(game, || {
            let folders = ["scripts", "materials"].into_iter();
            let folders = folders.filter_map(|name| self.listings.folder(game, [name]));
            let scripts = folders.flat_map(|(folder, _)| {
                let listing = self.listings.of(&folder);
                let paths = listing.of_extension("shader").map(|entry| folder.join(&entry.name));
                paths.filter(|path| read::is_file(path)).collect::<Vec<_>>()
            });
            Arc::new(ShaderScripts::read(scripts))
        })
    }

    /// Returns the scripts of Cube 2 that may load the models of a folder, nearest first.
    pub(super) fn cube2_scripts(&self, folder: &Path) -> Arc<[Cube2Script]> {
        self.cube2_scripts.get(folder, || cube2::around(&self.listings, folder).into())
    }

    /// Returns the scripts of the Luanti mod of a folder.
    pub(super) fn lua_scripts(&self, folder: &Path) -> Arc<[LuaScript]> {
        self.lua_scripts.get(folder, || luanti::around(&self.listings, folder).into())
    }

    /// Returns the folder with its listing.
    pub(super) fn folder_at<'f>(&self, path: &'f Path) -> Folder<'f> {
        Folder::of(&self.listings, path)
    }
}
