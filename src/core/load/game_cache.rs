//! Games around files, each opened and read once.

use crate::budget::{Budget, MemoryLimit};
use crate::game::Decls;
use bindpose_vfs::{Order, Vfs, disk, root_of};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Games by folder or archive without `..` and links, and order. `None` if one cannot be opened.
type Opened = HashMap<(PathBuf, Order), Option<Arc<Vfs>>>;

/// Games and their decls, each read once for many loads. Changes on disk are not noticed.
#[derive(Debug, Default)]
pub struct GameCache {
    opened: Mutex<Opened>,
    decls: Mutex<Vec<Arc<Decls>>>,
}

impl GameCache {
    /// Opens the game around the first of some files, to be searched in an order.
    pub fn game_of(&self, paths: &[impl AsRef<Path>], order: Order) -> Option<Arc<Vfs>> {
        let root = root_of(paths.first()?.as_ref())?;
        let whole = disk::canonicalize(&root).unwrap_or_else(|_| root.clone());
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || Some(Arc::new(Vfs::open(&root, &[]).ok()?).in_order(order));
        opened.entry((whole, order)).or_insert_with(open).clone()
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
