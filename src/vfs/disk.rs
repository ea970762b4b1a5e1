//! The disk, as the libraries read it: the system's, or, in a page, files that the page keeps in memory.
//!
//! Nothing else in the libraries opens files for reading, so that whatever works from a folder works in a page, too.

#[cfg(any(test, target_family = "wasm"))]
pub mod memory;
#[cfg(not(target_family = "wasm"))]
mod system;

#[cfg(target_family = "wasm")]
pub use memory::{
    File, FileType, Metadata, Reader, canonicalize, has, is_dir, is_file, list, metadata, open, read_link,
};
#[cfg(not(target_family = "wasm"))]
pub use system::{
    File, FileType, Metadata, Reader, canonicalize, has, is_dir, is_file, list, metadata, open, read_link,
};

use std::ffi::OsString;
use std::path::Path;

/// An item of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Name without the folder.
    pub name: OsString,
    /// True for a folder, or a link to one.
    pub is_folder: bool,
    /// True for a link.
    pub is_link: bool,
}

/// Path for the system, in which the current folder is `.`.
pub(crate) fn on_disk(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}
