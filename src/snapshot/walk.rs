//! Files in a folder and its subfolders.

use bindpose_core::read;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A path that cannot be read or listed.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {error}", path.display())]
pub struct FindError {
    /// The path.
    pub path: PathBuf,
    /// The reason.
    pub error: io::Error,
}

/// Returns all files below a folder with their relative paths, with `/`, and the paths that cannot be listed. Names that
/// begin with a dot are left out, and links that [`read::check_link`] refuses.
pub fn walk(top: &Path) -> (Vec<(String, PathBuf)>, Vec<FindError>) {
    let (mut files, mut errors) = (Vec::new(), Vec::new());
    let mut folders = vec![(String::new(), top.to_owned())];
    while let Some((prefix, folder)) = folders.pop() {
        let mut fail = |path: PathBuf, error: io::Error| errors.push(FindError { path, error });
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) => {
                fail(folder, error);
                continue;
            }
        };
        for entry in entries {
            let known = entry.map_err(|error| (folder.clone(), error));
            let known = known.and_then(|entry| match entry.file_type() {
                Ok(kind) => Ok((entry, kind)),
                Err(error) => Err((entry.path(), error)),
            });
            let (entry, kind) = match known {
                Ok(known) => known,
                Err((path, error)) => {
                    fail(path, error);
                    continue;
                }
            };
            let file_name = text_of(&entry.file_name());
            let name = format!("{prefix}{file_name}");
            match () {
                () if file_name.starts_with('.') => {}
                () if kind.is_dir() => folders.push((format!("{name}/"), entry.path())),
                () if kind.is_symlink() && read::check_link(&entry.path(), top).is_err() => {}
                () if entry.path().is_file() => files.push((name, entry.path())),
                () => {}
            }
        }
    }
    (files, errors)
}

/// Returns a file's name as text. Each byte that is not UTF-8 becomes U+FFFD and its two hexadecimal digits, so that
/// different names stay different.
pub fn text_of(name: &std::ffi::OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text += chunk.valid();
        chunk.invalid().iter().for_each(|byte| text += &format!("\u{fffd}{byte:02x}"));
    }
    text
}
