//! Models in other formats: the counterpart of `import`, and like it the only place that knows what a format's axes,
//! quaternions and units are.
//!
//! One module a format, each with a function `write` that takes a model to an [`Output`]: the bytes of the files, and
//! as [`Loss`]es what the format could not hold, with numbers. Nothing here writes to disk.

mod axes;
mod edit;
mod frames;
pub mod gltf;
mod influences;
pub mod iqm;
mod loss;
pub mod md5;
mod measure;
pub mod obj;
mod turn;
mod unique;
pub mod x;

#[cfg(test)]
mod tests;

pub use bindpose_core::model::{Front, UnknownFront};
pub use edit::{ClipEdits, InPlace, edit_clips};
pub use loss::{Displacement, Loss};

use std::path::{Path, PathBuf};

/// What a model became.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// Files that it names, to be put into the same folder.
    pub beside: Vec<NamedFile>,
    /// What the format could not hold.
    pub losses: Vec<Loss>,
}

impl Output {
    /// All files with their bytes: the file itself at a path, the others in the same folder.
    pub fn at(self, path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let beside = self.beside.into_iter().map(|file| (path.with_file_name(file.name), file.bytes));
        std::iter::once((path.to_owned(), self.bytes)).chain(beside).collect()
    }
}

/// A file of an [`Output`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// Name without a folder.
    pub name: String,
    /// The whole file.
    pub bytes: Vec<u8>,
}

/// Called whenever another clip is done.
pub type EachClip<'a> = dyn FnMut() + 'a;

/// Why a model cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Error(String);

/// A name with nothing in it that a file system or a shell minds: letters, digits, `-`, `_` and `.` stay, the rest
/// becomes `_`.
pub fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let name: String = name.chars().map(safe).collect();
    if name.trim_matches('.').is_empty() { "model".into() } else { name }
}
