//! Models and games in a folder.

use crate::commands::play::window::palette::is_image;
use bindpose::import::{Contents, by_extension, is_model_file};
use bindpose::vfs::member::is_archive;
use bindpose::vfs::{Listing, Vfs};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Largest number of folders that are searched for models.
const MOST_FOLDERS: usize = 500;
/// Largest number of listed entries of a folder.
const MOST_ENTRIES: usize = 2000;

/// Content of a folder, as the Files page lists it.
pub struct FolderList {
    pub folder: PathBuf,
    /// Folders, then models, then other files that can be opened, each by name. Of a folder without models, also those
    /// below it.
    pub entries: Vec<Entry>,
    /// True if the folder may open as a game.
    pub is_game: bool,
}

/// A folder or a file that can be opened.
pub struct Entry {
    pub path: PathBuf,
    /// Name, or path below the folder.
    pub name: String,
    pub is_folder: bool,
}

impl FolderList {
    /// Lists a folder. A folder that cannot be read is empty.
    pub fn read(folder: &Path) -> Self {
        let listing = Listing::read(folder).unwrap_or_default();
        let mut entries: Vec<Entry> = listing
            .entries()
            .iter()
            .filter_map(|entry| {
                let (path, name, is_folder) = (folder.join(&entry.name), entry.text.clone(), entry.is_folder);
                // A camera without a model has nothing to show.
                let can_open = by_extension(&path).is_some_and(|file| file.contents != Contents::Camera)
                    || is_image(&path)
                    || is_archive(&path);
                let is_shown = !name.starts_with('.') && (is_folder || can_open);
                is_shown.then_some(Entry { path, name, is_folder })
            })
            .take(MOST_ENTRIES)
            .collect();
        // The sort keeps the order by name.
        entries.sort_by_cached_key(|entry| (!entry.is_folder, !is_model_file(&entry.path)));
        if !entries.iter().any(|entry| !entry.is_folder && is_model_file(&entry.path)) {
            let below = models(folder).into_iter().take(MOST_ENTRIES);
            entries.extend(below.map(|path| {
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                Entry { path, name, is_folder: false }
            }));
        }
        Self { folder: folder.to_owned(), entries, is_game: may_be_game(folder) }
    }
}

/// Returns the models of a folder by name. If it has none, returns those below it, the nearest first.
pub fn models(folder: &Path) -> Vec<PathBuf> {
    let (mut models, mut folders) = (Vec::new(), VecDeque::from([folder.to_owned()]));
    for searched in 0..MOST_FOLDERS {
        let Some(folder) = folders.pop_front().filter(|_| searched != 1 || models.is_empty()) else { break };
        for entry in Listing::read(&folder).unwrap_or_default().entries() {
            let path = folder.join(&entry.name);
            match entry.is_folder {
                true if !entry.is_link && !entry.text.starts_with('.') => folders.push_back(path),
                false if is_model_file(&path) && path.is_file() => models.push(path),
                _ => {}
            }
        }
    }
    models
}

/// True for a folder with archives or decls, or with a folder `base` with them, that has no models itself.
fn may_be_game(folder: &Path) -> bool {
    let has = |folder: &Path, wanted: fn(&str, bool) -> bool| {
        Listing::read(folder).unwrap_or_default().entries().iter().any(|entry| wanted(&entry.text, entry.is_folder))
    };
    let is_part = |name: &str, is_folder: bool| if is_folder { name == "def" } else { is_archive(Path::new(name)) };
    (has(folder, is_part) || has(&folder.join("base"), is_part))
        && !has(folder, |name, is_folder| !is_folder && is_model_file(Path::new(name)))
}

/// Opens an archive, or the game of a folder that may be one and has MD5 meshes. `None` for another folder.
///
/// # Errors
///
/// A message, if an archive cannot be read.
pub fn game(path: &Path) -> Result<Option<Vfs>, String> {
    if !is_archive(path) && !may_be_game(path) {
        return Ok(None);
    }
    let game = Vfs::open(path, &[]).map_err(|error| error.to_string())?;
    let has_meshes = || game.files().keys().any(|name| name.ends_with(".md5mesh"));
    Ok((is_archive(path) || has_meshes()).then_some(game))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bindpose::vfs::zip_of;

    fn write(folder: &Path, name: &str, bytes: &[u8]) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    #[test]
    fn models_are_listed_before_clips() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.md5anim", "body.md5mesh", "c.md5camera", "Arm.x", "skin.png", "notes.txt", ".hidden.x"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("more")).unwrap();
        let names: Vec<_> = FolderList::read(folder.path()).entries.into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["more", "Arm.x", "body.md5mesh", "a.md5anim", "skin.png"]);
    }

    #[test]
    fn models_below_are_listed_for_a_folder_without_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let below = models(folder.path()).into_iter();
            below.map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string()).collect::<Vec<_>>()
        };
        for name in ["a/b/deep.x", "c/near.md5mesh", "c/walk.md5anim", ".hidden/other.x", "notes.txt"] {
            write(folder.path(), name, b"");
        }
        assert_eq!(names(), ["c/near.md5mesh", "a/b/deep.x"]);
        write(folder.path(), "own.x", b"");
        assert_eq!(names(), ["own.x"]);
    }

    #[test]
    fn a_folder_with_archives_or_decls_is_a_game() {
        let open = |folder: &tempfile::TempDir| game(folder.path()).unwrap();
        let archive = zip_of([("models/imp.md5mesh", "")]).unwrap();
        for (name, bytes) in [("pak000.pk4", &*archive), ("base/pak000.pk4", &archive), ("def/imp.def", b"")] {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), "notes.txt", b"");
            assert!(open(&folder).is_none());
            write(folder.path(), name, bytes);
            assert_eq!(open(&folder).is_some(), name.ends_with(".pk4"), "{name}");
            write(folder.path(), "models/imp.md5mesh", b"");
            assert!(open(&folder).is_some(), "{name}");
            write(folder.path(), "own.x", b"");
            assert!(open(&folder).is_none(), "{name}");
        }
    }
}
