//! Reads files from the system's disk.

use super::{Item, on_disk};
use std::io;
use std::path::Path;

pub use rawzip::FileReader as Reader;
pub use std::fs::{File, Metadata, canonicalize, metadata, read_link};

/// Opens a file for reading.
pub fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// True for a file, or a link to one.
pub fn is_file(path: &Path) -> bool {
    path.is_file()
}

/// True for a folder, or a link to one.
pub fn is_dir(path: &Path) -> bool {
    path.is_dir()
}

/// True if the path exists, even as a link to nothing.
pub fn has(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Returns the items of a folder in no particular order. `""` is the current folder. Items of unknown kind are left
/// out.
pub fn list(folder: &Path) -> io::Result<Vec<Item>> {
    let mut items = Vec::new();
    for entry in std::fs::read_dir(on_disk(folder))?.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let is_link = kind.is_symlink();
        // A link counts as its target.
        let is_folder = if is_link { entry.path().is_dir() } else { kind.is_dir() };
        items.push(Item { name: entry.file_name(), is_folder, is_link });
    }
    Ok(items)
}
