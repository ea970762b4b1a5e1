//! Files that change while they are shown.

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What lies beside a model and belongs to it.
const KINDS: [&str; 11] = ["md5mesh", "md5anim", "x", "gltf", "glb", "bin", "tga", "png", "jpg", "dds", "bmp"];

/// Watches the folders of files; programs that save a file replace it by another, so that watching the file alone would lose it.
pub struct Watcher {
    watcher: RecommendedWatcher,
    folders: BTreeSet<PathBuf>,
}

impl Watcher {
    /// Calls `changed` from another thread with a file that was written, made or removed. `None` where the system cannot.
    pub fn new(changed: impl Fn(PathBuf) + Send + 'static) -> Option<Self> {
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            if matches!(event.kind, EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_)) {
                event.paths.into_iter().for_each(&changed);
            }
        });
        Some(Self { watcher: watcher.ok()?, folders: BTreeSet::new() })
    }

    /// Watches these folders and no others.
    pub fn watch(&mut self, folders: impl IntoIterator<Item = PathBuf>) {
        let wanted: BTreeSet<PathBuf> = folders.into_iter().map(|folder| absolute(&folder)).collect();
        for gone in self.folders.difference(&wanted) {
            // A folder that is gone is watched no longer.
            let _ = self.watcher.unwatch(gone);
        }
        for new in wanted.difference(&self.folders) {
            // What cannot be watched can be read again by hand.
            let _ = self.watcher.watch(new, RecursiveMode::NonRecursive);
        }
        self.folders = wanted;
    }
}

/// The folder of a file.
pub fn folder_of(file: &Path) -> PathBuf {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Whether a change of a file concerns those that are shown: one of them, or something beside them that they may use.
pub fn concerns(changed: &Path, shown: &[PathBuf]) -> bool {
    let changed = absolute(changed);
    let is_shown = shown.iter().any(|file| absolute(file) == changed);
    let name = changed.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let kind = changed.extension().map(|kind| kind.to_string_lossy().to_lowercase());
    let is_used = name.ends_with(".examples.toml") || kind.is_some_and(|kind| KINDS.contains(&kind.as_str()));
    let is_beside = shown.iter().any(|file| changed.parent() == absolute(file).parent());
    is_shown || is_used && is_beside
}

/// A path from the root, so that two of one file are the same.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_belongs_to_a_model_concerns_it() {
        let shown = [PathBuf::from("a/imp.md5mesh")];
        let cases = [
            ("a/imp.md5mesh", true),
            ("a/new.md5anim", true),
            ("a/skin.tga", true),
            ("a/imp.examples.toml", true),
            ("a/imp.ranges.toml", false),
            ("a/notes.txt", false),
            ("b/skin.tga", false),
            ("a/.imp.md5mesh.swp", false),
        ];
        for (path, expected) in cases {
            assert_eq!(concerns(Path::new(path), &shown), expected, "{path}");
        }
    }
}
