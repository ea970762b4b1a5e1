//! Gives the libraries access to files: on the system's disk or, in a web page, in the page's memory.
//!
//! The libraries open files for reading only through this module. Everything that works from a folder therefore works
//! in a web page.

#[cfg(any(test, target_family = "wasm"))]
pub mod memory;
#[cfg(not(target_family = "wasm"))]
mod system;

#[cfg(target_family = "wasm")]
pub use memory::{File, Metadata, Reader, canonicalize, has, is_dir, is_file, list, metadata, open, read_link};
#[cfg(not(target_family = "wasm"))]
pub use system::{File, Metadata, Reader, canonicalize, has, is_dir, is_file, list, metadata, open, read_link};

use std::ffi::OsString;
use std::path::Path;

/// Item of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Name without the folder.
    pub name: OsString,
    /// True for a folder, or a link to one.
    pub is_folder: bool,
    /// True for a link.
    pub is_link: bool,
}

/// Returns the path for the system, in which the current folder is `.`.
pub(crate) fn on_disk(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}
