//! The corpus of real files and the independent expectations for it, which stand beside the project, not in it.

use std::path::{Path, PathBuf};

/// The folder `$BINDPOSE_SHARED`, else `../shared` beside the project; `None` when there is none.
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("BINDPOSE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    folder.join("corpus").is_dir().then_some(folder)
}

/// All files under `folder` with one of the extensions (lower case), sorted.
pub fn files_with(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if extensions.contains(&extension.as_str()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The smallest file of each folder directly below `corpus`, which is one maker's work, and of each extension (lower
/// case), sorted.
pub fn smallest_of_each(corpus: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(u64::MAX, |found| found.len());
    let folders = std::fs::read_dir(corpus).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut chosen: Vec<PathBuf> = folders
        .flat_map(|folder| {
            extensions
                .iter()
                .filter_map(move |extension| files_with(&folder, &[extension]).into_iter().min_by_key(size))
        })
        .collect();
    chosen.sort();
    chosen
}
