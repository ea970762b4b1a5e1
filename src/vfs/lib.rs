//! Files of games in folders and archives, found by name in an engine's order.
//!
//! - [`Archive`]: one pk4 (a zip file) or Quake `.pak`. Only its index is in memory; nothing is ever written to disk.
//! - [`Vfs`]: the folders and archives of one or more games, searched in an engine's order.
//! - [`disk`]: what files are read from.
//! - [`member`]: a file inside an archive as one path, `pak000.pk4:models/imp.md5mesh`, which is how the rest of the
//!   program names it.
//!
//! Nothing here interprets the files' content.

pub mod archive;
pub mod disk;
pub mod member;
pub mod name;
mod pak;
pub mod tree;
mod zip;

pub use archive::{Archive, ArchiveError, ArchiveFault};
pub use tree::{Found, Vfs};
pub use zip::zip_of;

#[cfg(test)]
mod tests;
