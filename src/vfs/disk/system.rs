//! The system's disk.

use super::{Item, on_disk};
use std::io;
use std::path::Path;

pub use rawzip::FileReader as Reader;
pub use std::fs::{File, FileType, Metadata, canonicalize, metadata, read_link};

/// Opens a file for reading.
///
/// # Errors
///
/// As [`File::open`].
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

/// True if there is anything, even a link to nothing.
pub fn has(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Items of a folder in no order; `""` is the current folder. Items whose kind the system does not tell are left out.
///
/// # Errors
///
/// As [`std::fs::read_dir`].
pub fn list(folder: &Path) -> io::Result<Vec<Item>> {
    let mut items = Vec::new();
    for entry in std::fs::read_dir(on_disk(folder))?.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let is_link = kind.is_symlink();
        // Links count as their targets.
        let is_folder = if is_link { entry.path().is_dir() } else { kind.is_dir() };
        items.push(Item { name: entry.file_name(), is_folder, is_link });
    }
    Ok(items)
}
