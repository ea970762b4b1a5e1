//! The corpus of real files, and independent expectations for it. Both are outside the repository.

#[path = "../../parsers/tests/corpus.rs"]
mod real_files;

pub use real_files::{files_with, shared, skip};
use std::path::{Path, PathBuf};

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
