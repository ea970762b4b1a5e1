//! Real files, which stand beside the project, not in it.

use std::path::{Path, PathBuf};

/// The folder `$BINDPOSE_SHARED`, else `../shared` beside the project; `None` when there is none.
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("BINDPOSE_SHARED").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"));
    folder.join("corpus").is_dir().then_some(folder)
}

/// All files below `folder` with one of the extensions (lower case), sorted.
pub fn files_with(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
            if path.is_dir() {
                folders.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension.as_str())) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
