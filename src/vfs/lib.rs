//! Finds files of games in folders and archives by name, in an engine's order.
//!
//! - [`Archive`]: one pk4 (a zip file) or Quake `.pak`. Only its index is in memory. Nothing is written to disk.
//! - [`Vfs`]: the folders and archives of one or more games, searched in an engine's order.
//! - [`Listings`]: the names in folders, on disk and in archives.
//! - [`disk`]: the source of all files, on disk or in memory.
//! - [`member`]: paths of files inside archives, for example `pak000.pk4:models/imp.md5mesh`. The rest of the program
//!   uses these paths.
//!
//! This library does not interpret the content of files.

#![forbid(unsafe_code)]

pub mod archive;
mod cache;
pub mod disk;
mod index;
pub mod listing;
pub mod member;
pub mod name;
mod pak;
pub mod tree;
mod zip;

pub use archive::{Archive, ArchiveError, ArchiveFault};
pub use cache::{Cache, open};
pub use listing::{Entry, Listing, Listings};
pub use tree::{Found, Order, Vfs, files_beside, files_called, folders_of, home_of, made_from, root_of, unhidden};
pub use zip::zip_of;

#[cfg(test)]
mod tests;
