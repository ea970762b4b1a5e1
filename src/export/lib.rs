//! Models in other formats: the counterpart of `import`, and like it the only place that knows what a format's axes,
//! quaternions and units are.
//!
//! One module for each format, with a function `write` that turns a model into an [`Output`]: the bytes of the files,
//! and as [`Loss`]es the content that the format cannot hold, with numbers. Nothing here writes to disk.
//!
//! ```
//! # mod bindpose { pub use bindpose_core::model; pub use bindpose_export as export; }
//! use bindpose::export::{gltf, x};
//! use bindpose::model::{Model, Transform};
//!
//! let mut model = Model { name: "crane".into(), ..Model::default() };
//! model.skeleton.push("arm", None, Transform::IDENTITY);
//!
//! let options = gltf::Options { container: gltf::Container::Gltf, ..gltf::Options::default() };
//! let gltf = gltf::write(&model, &options)?;
//! assert!(String::from_utf8_lossy(&gltf.bytes).contains("\"name\": \"arm\""));
//! assert!(gltf.losses.is_empty());
//!
//! let x = x::write(&model, &x::Options::default())?;
//! assert!(x.bytes.starts_with(b"xof 0303txt 0032"));
//! # Ok::<(), bindpose_export::Error>(())
//! ```

#![forbid(unsafe_code)]

mod axes;
pub mod baked;
mod edit;
mod frames;
pub mod gltf;
mod influences;
pub mod iqm;
mod loss;
pub mod md5;
mod measure;
mod names;
mod normals;
pub mod obj;
mod prepare;
mod turn;
mod unique;
pub mod x;

#[cfg(test)]
mod tests;

pub use bindpose_core::model::Front;
pub use edit::{ClipEdits, FrameRate, InPlace, cut_clip, edit_clips, join_clips, own_frame_rate, play_at};
pub use loss::{Displacement, Loss, NewName};
pub use names::{Pattern, order_joints, rename, restore_names};
pub use normals::{Normals, fix_normals};
pub use turn::set_upright;

use bindpose_core::budget::Exceeded;
use bindpose_core::read::is_device;
use std::path::{Path, PathBuf};

/// The files of a written model.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Content of the file itself.
    pub bytes: Vec<u8>,
    /// Files that it refers to, for the same folder.
    pub beside: Vec<NamedFile>,
    /// Content that the format cannot represent.
    pub losses: Vec<Loss>,
}

impl Output {
    /// Returns all files with their bytes. The main file is at `path`, the others are in the same folder.
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

/// Reason why a model cannot be written. A variant's text is the whole message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The model has nothing that the format can store.
    #[error("there is nothing to write: the model has {0}")]
    Empty(&'static str),
    /// Numbers that are not finite, or too large for the format.
    #[error("{0}")]
    Numbers(String),
    /// A count exceeds the limit of the format, or of the engine it is written for.
    #[error("{0}")]
    Limit(String),
    /// A property of the model that the format or the engine does not support.
    #[error("{0}")]
    Unsupported(String),
    /// Options that do not fit the model, such as clips or frames that it does not have.
    #[error("{0}")]
    Options(String),
    /// The writer of the format failed.
    #[error("{0}")]
    Writer(String),
    /// The file needs more memory than is left in the budget.
    #[error(transparent)]
    Memory(#[from] Exceeded),
}

/// Longest name of a file without its extension, in bytes.
const MOST_NAME_BYTES: usize = 200;

/// Makes a name safe for file systems and shells: letters, digits, `-`, `_` and `.` stay, everything else becomes `_`, and
/// so do dots at the end, which Windows drops. A `_` follows the names of Windows' devices. What exceeds 200 bytes is cut,
/// because file systems allow 255 with the extension.
pub fn file_name(name: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '_' };
    let mut name: String = name.chars().map(safe).collect();
    name.truncate(unique::cut(&name, MOST_NAME_BYTES).len());
    let kept = name.trim_end_matches('.').len();
    if name[..kept].trim_start_matches('.').is_empty() {
        return "model".into();
    }
    name.replace_range(kept.., &"_".repeat(name.len() - kept));
    if is_device(&name) {
        name.insert(name.find('.').unwrap_or(name.len()), '_');
    }
    name
}
