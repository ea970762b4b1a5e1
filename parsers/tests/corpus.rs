//! Real files: the samples of the project, and the corpus, which is stored beside it; and what an ordinary run takes of
//! them.

use std::path::{Path, PathBuf};

/// Returns the folder `$BINDPOSE_SHARED`, which `.cargo/config.toml` sets to `../shared`. Returns `None` without a
/// corpus in it.
pub fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("BINDPOSE_SHARED").map(PathBuf::from);
    folder.filter(|folder| folder.join("corpus").is_dir())
}

/// Returns the top folder of the project, which is the package's own folder or one above it.
fn project() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_top = |folder: &&Path| folder.join("data").is_dir();
    package.ancestors().take(3).find(is_top).expect("the samples").to_path_buf()
}

/// Returns the folder of the samples, and that of the corpus if it is present.
pub fn real_folders() -> Vec<PathBuf> {
    let corpus = shared().map(|shared| shared.join("corpus"));
    [Some(project().join("data")), corpus].into_iter().flatten().collect()
}

/// Returns all real files with one of the extensions (lower case), and prints their number.
pub fn real_files(extensions: &[&str]) -> Vec<PathBuf> {
    let files: Vec<PathBuf> = real_folders().iter().flat_map(|folder| files_with(folder, extensions)).collect();
    println!("{} real files", files.len());
    assert!(!files.is_empty(), "no real file");
    files
}

/// Returns independent results: the folder of the files, and the folder of what was computed from them, for the samples
/// by `tests/golden/make.py`.
pub fn goldens() -> Vec<[PathBuf; 2]> {
    let project = project();
    let mut folders = vec![[project.join("data"), project.join("tests/golden")]];
    folders.extend(shared().map(|shared| [shared.join("corpus"), shared.join("golden/visible")]));
    folders
}

/// True for `tests/run --all`. An ordinary run tests less.
pub fn everything() -> bool {
    std::env::var_os("BINDPOSE_TESTS").is_some_and(|what| what == "all")
}

/// True if a row and a column of a cross product are tested together: all pairs in the full run, otherwise one of
/// `step`, so that each row and each column is tested. For a plain list, `column` is the number of the first one.
pub fn is_sampled(row: usize, column: usize, step: usize) -> bool {
    everything() || row % step == column % step
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
