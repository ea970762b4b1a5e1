//! `.skin` files of Quake III's family next to a model.

use super::finder::ImageFinder;
use super::listing::{Folder, game_folders};
use super::shaders::{LARGEST_SCRIPT, SkinRow, skin_rows};
use crate::read;
use bindpose_vfs::unhidden;
use std::path::{Path, PathBuf};

/// Finds the `.skin` of a model by a name in the model's folders: for `body.md5mesh`, `body_NAME.skin` or `NAME.skin`.
pub fn find_skin_file(folders: &[PathBuf], model: &Path, name: &str) -> Option<PathBuf> {
    let (finder, stem) = (ImageFinder::default(), read::stem_of(model));
    folders.iter().find_map(|folder| skin_named(&finder.folder_at(folder), &stem, name))
}

/// Returns the rows of a model's `.skin`, one for each mesh: of the one with this name, else of the default one. Empty if
/// there is none.
pub fn rows_of_model(finder: &ImageFinder, folders: &[PathBuf], model: &Path, name: Option<&str>) -> Vec<SkinRow> {
    let (stem, mut folders) = (read::stem_of(model), folders.iter().map(|folder| finder.folder_at(folder)));
    let named = name.and_then(|name| folders.clone().find_map(|folder| skin_named(&folder, &stem, name)));
    let skin = named.or_else(|| folders.find_map(|folder| default_skin(&folder, &stem)));
    let bytes = skin.and_then(|skin| read::up_to(&skin, LARGEST_SCRIPT).ok());
    bytes.map_or_else(Vec::new, |bytes| skin_rows(&bytes))
}

/// Returns the names by which [`find_skin_file`] finds the skins named after a model.
pub fn skin_names(folders: &[PathBuf], model: &Path) -> Vec<String> {
    let (finder, stem) = (ImageFinder::default(), read::stem_of(model).to_lowercase());
    let names_in = |folder: &PathBuf| {
        let folder = finder.folder_at(folder);
        let names = skins(&folder, &stem).filter(|(path, _)| is_skin(path)).map(|(_, name)| name.to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    unhidden(folders.iter().map(names_in), String::clone)
}

/// True if the game around a model's folder has a shader of this name, in a script of Quake III's family or as an
/// image. `None` if there are no scripts.
pub fn has_shader(finder: &ImageFinder, folder: &Path, name: &str) -> Option<bool> {
    let scripts: Vec<_> = game_folders(folder).map(|game| finder.shaders_of(&game)).collect();
    if scripts.iter().all(|scripts| scripts.is_empty()) {
        return None;
    }
    let is_image = || finder.path_of(&[folder.to_owned()], name).is_some();
    Some(scripts.iter().any(|scripts| scripts.get(name).is_some()) || is_image())
}

/// True if a `.skin` belongs to Quake III's family.
fn is_skin(path: &Path) -> bool {
    read::up_to(path, LARGEST_SCRIPT).is_ok_and(|bytes| !skin_rows(&bytes).is_empty())
}

/// Returns the `.skin` of a model: the default one, else the first.
pub(super) fn default_skin(folder: &Folder<'_>, stem: &str) -> Option<PathBuf> {
    let stem = stem.to_lowercase();
    let own = ["", "_default"].iter().find_map(|end| folder.with_extension(&format!("{stem}{end}"), &["skin"]));
    own.or_else(|| skins(folder, &stem).map(|(path, _)| path).next())
}

/// Returns the `.skin` of a model with this name.
pub(super) fn skin_named(folder: &Folder<'_>, stem: &str, name: &str) -> Option<PathBuf> {
    let name = name.strip_suffix(".skin").unwrap_or(name);
    let named = |name: &str| folder.with_extension(name, &["skin"]).filter(|path| is_skin(path));
    named(&format!("{stem}_{name}")).or_else(|| named(name))
}

/// Returns the files `STEM_NAME.skin` with their names; `stem` is in lower case.
fn skins<'f>(folder: &'f Folder<'_>, stem: &'f str) -> impl Iterator<Item = (PathBuf, &'f str)> {
    let entries = folder.listing.of_extension("skin");
    entries.filter_map(move |entry| Some((folder.file(entry)?, entry.stem().strip_prefix(stem)?.strip_prefix('_')?)))
}
