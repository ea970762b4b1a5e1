//! Games around files, each opened and read once.

use crate::budget::{Budget, MemoryLimit};
use crate::game::Decls;
use crate::read;
use bindpose_vfs::{Vfs, member, tree};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Returns the folder or archive of the first file's game.
fn root_of(paths: &[impl AsRef<Path>]) -> Option<PathBuf> {
    let first = paths.first()?.as_ref();
    match member::split(first) {
        // Quake's archives make one game with the others of their folder.
        Some((archive, _)) if archive.extension().is_some_and(|kind| kind.eq_ignore_ascii_case("pak")) => {
            Some(read::folder_of(archive))
        }
        Some((archive, _)) => Some(archive.to_owned()),
        None => tree::game_of(first),
    }
}

/// Opens the game of some files: the archive that contains the first file, for Quake's paks its folder, else the nearest
/// folder above the file that contains `models`, `materials`, `def` or `pak0.pak`.
pub fn game_of(paths: &[impl AsRef<Path>]) -> Option<Arc<Vfs>> {
    Vfs::open(&root_of(paths)?, &[]).ok().map(Arc::new)
}

/// Games and their decls, each read once for many loads. Changes on disk are not noticed.
#[derive(Debug, Default)]
pub struct GameCache {
    /// Games by folder or archive. `None` if one cannot be opened.
    opened: Mutex<HashMap<PathBuf, Option<Arc<Vfs>>>>,
    decls: Mutex<Vec<Arc<Decls>>>,
}

impl GameCache {
    /// Opens the game of some files, as [`game_of`] does.
    pub fn game_of(&self, paths: &[impl AsRef<Path>]) -> Option<Arc<Vfs>> {
        let root = root_of(paths)?;
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let open = |root: &PathBuf| Vfs::open(root, &[]).ok().map(Arc::new);
        opened.entry(root).or_insert_with_key(open).clone()
    }

    /// Reads the decls of a game, or returns those read before.
    pub fn decls(&self, game: &Arc<Vfs>, memory: MemoryLimit) -> Arc<Decls> {
        let mut read = self.decls.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.iter().find(|decls| Arc::ptr_eq(decls.game(), game)) {
            return Arc::clone(known);
        }
        let decls = Arc::new(Decls::read(Arc::clone(game), &Budget::new(memory)));
        read.push(Arc::clone(&decls));
        decls
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_game_is_read_once_for_all_files_in_it() {
        let root = std::env::temp_dir().join(format!("bindpose-games-{}", std::process::id()));
        let models = root.join("models/deep");
        fs::create_dir_all(&models).unwrap();
        let games = GameCache::default();
        let decls =
            |file: &str| games.game_of(&[models.join(file)]).map(|game| games.decls(&game, MemoryLimit::default()));
        let (a, b) = (decls("a.md5mesh"), decls("../b.md5mesh"));
        fs::remove_dir_all(&root).unwrap();
        assert!(Arc::ptr_eq(&a.unwrap(), &b.unwrap()));
        assert!(games.game_of(&[] as &[PathBuf]).is_none());
    }
}
