//! Models and games in a folder.

use bindpose::import::is_model_file;
use bindpose::vfs::member::is_archive;
use bindpose::vfs::{Listing, Vfs};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Largest number of folders that are searched for models.
const MOST_FOLDERS: usize = 500;

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

/// Returns the game of a folder with archives or decls, or with a folder `base` with them. It has MD5 meshes, and the
/// folder has no models itself.
pub fn game(folder: &Path) -> Option<Vfs> {
    let has = |folder: &Path, wanted: fn(&str, bool) -> bool| {
        Listing::read(folder).unwrap_or_default().entries().iter().any(|entry| wanted(&entry.text, entry.is_folder))
    };
    let is_part = |name: &str, is_folder: bool| if is_folder { name == "def" } else { is_archive(Path::new(name)) };
    let is_game = has(folder, is_part) || has(&folder.join("base"), is_part);
    if !is_game || has(folder, |name, is_folder| !is_folder && is_model_file(Path::new(name))) {
        return None;
    }
    Vfs::open(folder, &[]).ok().filter(|game| game.files().keys().any(|name| name.ends_with(".md5mesh")))
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
        let archive = zip_of([("models/imp.md5mesh", "")]).unwrap();
        for (name, bytes) in [("pak000.pk4", &*archive), ("base/pak000.pk4", &archive), ("def/imp.def", b"")] {
            let folder = tempfile::tempdir().unwrap();
            write(folder.path(), "notes.txt", b"");
            assert!(game(folder.path()).is_none());
            write(folder.path(), name, bytes);
            assert_eq!(game(folder.path()).is_some(), name.ends_with(".pk4"), "{name}");
            write(folder.path(), "models/imp.md5mesh", b"");
            assert!(game(folder.path()).is_some(), "{name}");
            write(folder.path(), "own.x", b"");
            assert!(game(folder.path()).is_none(), "{name}");
        }
    }
}
