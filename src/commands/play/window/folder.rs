//! Models and games in a folder.

use crate::commands::play::window::palette::is_image;
use bindpose::import::{Contents, by_extension, is_model_file};
use bindpose::vfs::member::is_archive;
use bindpose::vfs::{self, Listing, Vfs};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// Largest number of folders that are searched for models.
const MOST_FOLDERS: usize = 500;
/// Largest number of listed entries of a folder.
const MOST_ENTRIES: usize = 2000;

/// Content of a folder, as the Files page lists it.
#[derive(Default)]
pub struct FolderList {
    pub folder: PathBuf,
    /// Folders, then models, then other files that can be opened, each by name. Of a folder without models, also those
    /// below it.
    pub entries: Vec<Entry>,
    /// True if the folder may open as a game.
    pub is_game: bool,
    /// Sentences on what the list lacks.
    pub notes: Vec<String>,
}

/// A folder or a file that can be opened.
pub struct Entry {
    pub path: PathBuf,
    /// Name, or path below the folder.
    pub name: String,
    pub is_folder: bool,
}

impl FolderList {
    pub fn read(folder: &Path) -> Self {
        let (listing, mut notes) = match Listing::read(folder) {
            Ok(listing) => (listing, Vec::new()),
            Err(error) => (Listing::default(), vec![format!("cannot read the folder: {error}")]),
        };
        let can_open = |entry: &vfs::Entry| {
            let path = Path::new(&entry.name);
            // A camera without a model has nothing to show.
            let is_read = by_extension(path).is_some_and(|file| file.contents != Contents::Camera);
            entry.is_folder || is_read || is_image(path) || is_archive(path)
        };
        let shown = listing.entries().iter().filter(|entry| !entry.text.starts_with('.') && can_open(entry));
        let mut entries: Vec<Entry> = shown
            .map(|entry| Entry { path: folder.join(&entry.name), name: entry.text.clone(), is_folder: entry.is_folder })
            .collect();
        // The sort keeps the order by name.
        entries.sort_by_cached_key(|entry| (!entry.is_folder, !is_model_file(&entry.path)));
        let is_game = may_be_game(folder, &listing);
        if !has_models(&listing) {
            let below = Search::of(folder, listing);
            notes.extend(below.notes());
            entries.extend(below.models.into_iter().map(|path| {
                let name = path.strip_prefix(folder).unwrap_or(&path).display().to_string();
                Entry { path, name, is_folder: false }
            }));
        }
        if let Some(more) = entries.len().checked_sub(MOST_ENTRIES).filter(|&more| more > 0) {
            notes.push(format!("{more} more are not listed; open them by their path"));
            entries.truncate(MOST_ENTRIES);
        }
        Self { folder: folder.to_owned(), entries, is_game, notes }
    }
}

/// Returns the models of a folder by name. If it has none, returns those below it, the nearest first.
pub fn models(folder: &Path) -> Vec<PathBuf> {
    Search::of(folder, Listing::read(folder).unwrap_or_default()).models
}

/// Models of a folder, or below it.
struct Search {
    /// By name, those of nearer folders first.
    models: Vec<PathBuf>,
    /// Number of folders that were not searched, because there are too many.
    skipped: usize,
    /// Folders that cannot be read.
    unreadable: Vec<PathBuf>,
}

impl Search {
    /// Searches a listed folder, and those below it if it has no models itself.
    fn of(folder: &Path, listing: Listing) -> Self {
        let (mut found, mut folders) =
            (Self { models: Vec::new(), skipped: 0, unreadable: Vec::new() }, VecDeque::new());
        found.add(folder, &listing, &mut folders);
        if !found.models.is_empty() {
            return found;
        }
        for _ in 1..MOST_FOLDERS {
            let Some(folder) = folders.pop_front() else { break };
            match Listing::read(&folder) {
                Ok(listing) => found.add(&folder, &listing, &mut folders),
                Err(_) => found.unreadable.push(folder),
            }
        }
        found.skipped = folders.len();
        found
    }

    fn add(&mut self, folder: &Path, listing: &Listing, below: &mut VecDeque<PathBuf>) {
        for entry in listing.entries() {
            let path = folder.join(&entry.name);
            match entry.is_folder {
                true if !entry.is_link && !entry.text.starts_with('.') => below.push_back(path),
                false if is_model_file(&path) && path.is_file() => self.models.push(path),
                _ => {}
            }
        }
    }

    fn notes(&self) -> impl Iterator<Item = String> {
        let skipped =
            (self.skipped > 0).then(|| format!("{} folders below were not searched for models", self.skipped));
        let unreadable = self.unreadable.first().map(|first| match self.unreadable.len() - 1 {
            0 => format!("cannot read {}", first.display()),
            more => format!("cannot read {} and {more} more", first.display()),
        });
        skipped.into_iter().chain(unreadable)
    }
}

fn has_models(listing: &Listing) -> bool {
    listing.entries().iter().any(|entry| !entry.is_folder && is_model_file(Path::new(&entry.name)))
}

/// True for a folder with archives or decls, or with a folder `base` with them, that has no models itself.
fn may_be_game(folder: &Path, listing: &Listing) -> bool {
    let is_part = |entry: &vfs::Entry| match entry.is_folder {
        true => entry.text == "def",
        false => is_archive(Path::new(&entry.name)),
    };
    let has_parts = |listing: &Listing| listing.entries().iter().any(is_part);
    !has_models(listing)
        && (has_parts(listing) || Listing::read(&folder.join("base")).is_ok_and(|base| has_parts(&base)))
}

/// Opens an archive, or the game of a folder that may be one and has MD5 meshes. `None` for another folder.
///
/// # Errors
///
/// A message, if an archive cannot be read.
pub fn game(path: &Path) -> Result<Option<Vfs>, String> {
    if !is_archive(path) && !Listing::read(path).is_ok_and(|listing| may_be_game(path, &listing)) {
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
    fn a_list_says_what_it_lacks() {
        let folder = tempfile::tempdir().unwrap();
        let notes = |folder: &Path| FolderList::read(folder).notes.join("; ");
        (0..MOST_FOLDERS + 1).for_each(|number| std::fs::create_dir(folder.path().join(number.to_string())).unwrap());
        assert_eq!(notes(folder.path()), "2 folders below were not searched for models");
        write(folder.path(), "own.x", b"");
        assert_eq!(notes(folder.path()), "");
        (0..MOST_ENTRIES).for_each(|number| write(folder.path(), &format!("{number}.png"), b""));
        assert_eq!(notes(folder.path()), "502 more are not listed; open them by their path");
        let missing = notes(&folder.path().join("missing"));
        assert!(missing.starts_with("cannot read the folder: "), "{missing}");
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
