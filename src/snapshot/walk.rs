//! Files in a folder and its subfolders.

use bindpose_core::read::{self, ReadError, text_of};
use std::path::{Path, PathBuf};

/// Returns all files below a folder with their relative paths, with `/`, and the paths that cannot be listed. Names that
/// begin with a dot are left out, and links that [`read::check_link`] refuses.
pub fn walk(top: &Path) -> (Vec<(String, PathBuf)>, Vec<ReadError>) {
    let is_shown = |path: &Path| !text_of(path.file_name().unwrap_or_default()).starts_with('.');
    let (files, unlisted) = read::below(top, is_shown);
    let named = |path: PathBuf| (name_of_part(path.strip_prefix(top).unwrap_or(&path)), path);
    (
        files.into_iter().map(named).collect(),
        unlisted.into_iter().map(|(path, error)| ReadError::Io { path, error }).collect(),
    )
}

/// Returns the name of a path below a root: its components joined by `/`. Bytes that are not UTF-8 are replaced by U+FFFD
/// and their hexadecimal digits.
pub fn name_of_part(part: &Path) -> String {
    let parts: Vec<_> = part.components().map(|part| text_of(part.as_os_str())).collect();
    parts.join("/")
}
