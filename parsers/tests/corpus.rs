//! Real files, which are stored beside the project.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Returns the folder `$BINDPOSE_SHARED`, which `.cargo/config.toml` sets to `../shared`. Returns `None` without a
/// corpus in it.
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("BINDPOSE_SHARED").map(PathBuf::from);
    let folder = folder.filter(|folder| folder.join("corpus").is_dir());
    if folder.is_none() {
        skip("read no corpus");
    }
    folder
}

/// Prints why the running test checks less than it could, and adds the reason to the file `$BINDPOSE_SKIPS`, which
/// `tests/run` counts.
pub fn skip(reason: &str) {
    let thread = std::thread::current();
    let line = format!("{reason}\t{}\n", thread.name().unwrap_or("a thread of a test"));
    print!("{line}");
    if let Some(path) = std::env::var_os("BINDPOSE_SKIPS") {
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.and_then(|mut file| file.write_all(line.as_bytes())).expect("a file that can be appended to");
    }
}

/// Returns all files below `folder` with one of the extensions (lower case), sorted.
pub fn files_with(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
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
