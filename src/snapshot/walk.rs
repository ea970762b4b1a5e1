//! Files in a folder and its subfolders.

use bindpose_core::read;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns all files below a folder with their relative paths, with `/`. Names that begin with a dot are left out, and
/// links that [`read::check_link`] refuses.
pub fn walk(top: &Path) -> Result<Vec<(String, PathBuf)>, (PathBuf, io::Error)> {
    let mut files = Vec::new();
    let mut folders = vec![(String::new(), top.to_owned())];
    while let Some((prefix, folder)) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| (folder.clone(), error))?;
        for entry in entries {
            let entry = entry.map_err(|error| (folder.clone(), error))?;
            let file_name = entry.file_name().to_string_lossy().into_owned();
            let name = format!("{prefix}{file_name}");
            let kind = entry.file_type().map_err(|error| (entry.path(), error))?;
            match () {
                () if file_name.starts_with('.') => {}
                () if kind.is_dir() => folders.push((format!("{name}/"), entry.path())),
                () if kind.is_symlink() && read::check_link(&entry.path(), top).is_err() => {}
                () if entry.path().is_file() => files.push((name, entry.path())),
                () => {}
            }
        }
    }
    Ok(files)
}
