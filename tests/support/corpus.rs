//! Real files, and independent expectations for them.

#[path = "../../parsers/tests/corpus.rs"]
mod real_files;

use super::skip;
pub use real_files::{everything, files_with, goldens, is_sampled, real_files, real_folders, shared};
use std::path::{Path, PathBuf};

/// Returns the folder of the corpus and its expectations. Without it, the running test does nothing.
pub fn shared_only() -> Option<PathBuf> {
    let found = shared();
    if found.is_none() {
        skip("read no corpus");
    }
    found
}

/// Returns the smallest file of each folder directly below `corpus`, each of which has one origin, and of each
/// extension (lower case), sorted.
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
