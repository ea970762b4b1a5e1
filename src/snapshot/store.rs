//! A folder with a snapshot for each model.

use super::file::ReadError;
use super::record::Snapshot;
use super::walk::walk;
use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::read;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// Extension of snapshot files.
const EXTENSION: &str = "snapshot";

/// Suffix of the present frames that a failed test writes next to a snapshot.
const PENDING: &str = ".new";

/// File in a store that records its root.
const STORE_FILE: &str = "store.json";

/// A snapshot or a store that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the message names the fields")]
pub enum StoreError {
    /// Writing, listing or deleting failed.
    #[error("{}: {error}", path.display())]
    Io { path: PathBuf, error: io::Error },
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] read::ReadError),
    /// The file is not a snapshot, or it is damaged.
    #[error("{} {error}", path.display())]
    Content { path: PathBuf, error: ReadError },
    /// The file with the root is invalid.
    #[error("{} does not record the root of the models: {error}", path.display())]
    Root { path: PathBuf, error: serde_json::Error },
}

/// Content of [`STORE_FILE`].
#[derive(Serialize, Deserialize)]
struct StoreFile {
    /// Folder that model names are relative to, as a path from the store with `/`.
    root: String,
}

/// A folder of snapshots.
///
/// The snapshot of the model `ROOT/boss/boss.md5mesh` is `boss/boss.md5mesh.snapshot`. The store records ROOT.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    limit: MemoryLimit,
}

impl Store {
    /// Opens the store in a folder, which does not need to exist yet. `limit` is the memory for reading one snapshot.
    pub fn new(folder: impl Into<PathBuf>, limit: MemoryLimit) -> Self {
        Self { folder: folder.into(), limit }
    }

    /// Returns the same store with another memory limit.
    pub fn within(&self, limit: MemoryLimit) -> Self {
        Self { limit, ..self.clone() }
    }

    /// Returns the memory limit given to [`Self::new`].
    pub fn limit(&self) -> MemoryLimit {
        self.limit
    }

    /// Returns the folder that model names are relative to, if it is recorded.
    pub fn root(&self) -> Result<Option<PathBuf>, StoreError> {
        let path = self.folder.join(STORE_FILE);
        read::check_link(&path, &self.folder)?;
        let bytes = match read::file(&path, &Budget::new(self.limit)) {
            Err(error) if error.is_missing() => return Ok(None),
            bytes => bytes?,
        };
        let file: StoreFile = serde_json::from_slice(&bytes).map_err(|error| StoreError::Root { path, error })?;
        Ok(Some(self.folder.join(file.root)))
    }

    /// Records the folder that model names are relative to, as a path from the store. Both must exist.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn set_root(&self, root: &Path) -> Result<(), StoreError> {
        let canonical =
            |path: &Path| path.canonicalize().map_err(|error| StoreError::Io { path: path.to_owned(), error });
        fs::create_dir_all(&self.folder).map_err(|error| StoreError::Io { path: self.folder.clone(), error })?;
        let root = relative(&canonical(root)?, &canonical(&self.folder)?);
        let path = self.folder.join(STORE_FILE);
        self.check_below(&path)?;
        let written = bindpose_core::write::replace(&path, |file| {
            serde_json::to_writer_pretty(&mut *file, &StoreFile { root }).map_err(io::Error::from)?;
            file.write_all(b"\n")
        });
        written.map(drop).map_err(|error| StoreError::Io { path, error })
    }

    /// Returns the path of a model's snapshot.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{EXTENSION}"))
    }

    /// Reads the snapshot of a model. Returns `None` if it has none.
    ///
    /// # Errors
    ///
    /// [`StoreError::File`], also for a link to a file outside the store that is not a snapshot, and
    /// [`StoreError::Content`].
    pub fn read(&self, name: &str) -> Result<Option<Snapshot>, StoreError> {
        let path = self.path_of(name);
        read::check_link(&path, &self.folder)?;
        read_existing(&path, self.limit)
    }

    /// Writes the snapshot of a model, creating folders, and returns its size in bytes. An older one is replaced
    /// atomically.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`], also for a link out of the store.
    pub fn write(&self, name: &str, snapshot: &Snapshot) -> Result<u64, StoreError> {
        let path = self.path_of(name);
        self.check_below(&path)?;
        write(&path, snapshot)
    }

    /// Refuses to write through a link out of the store.
    fn check_below(&self, path: &Path) -> Result<(), StoreError> {
        bindpose_core::write::check_below(path, &self.folder)
            .map_err(|error| StoreError::Io { path: path.to_owned(), error })
    }

    /// Deletes the snapshot of a model.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.path_of(name);
        fs::remove_file(&path).map_err(|error| StoreError::Io { path, error })
    }

    /// Returns the names of all models with a snapshot, sorted, and the folders that cannot be listed; nothing if the
    /// store does not exist.
    pub fn names(&self) -> (Vec<String>, Vec<read::ReadError>) {
        self.names_before(&format!(".{EXTENSION}"))
    }

    /// Returns the names of models with frames that [`assert_unchanged`](crate::assert_unchanged) left for review,
    /// sorted, and the folders that cannot be listed.
    pub fn pending(&self) -> (Vec<String>, Vec<read::ReadError>) {
        self.names_before(&format!(".{EXTENSION}{PENDING}"))
    }

    /// Reads frames left for review; see [`Self::pending`].
    pub fn read_pending(&self, name: &str) -> Result<Snapshot, StoreError> {
        let path = pending_path(&self.path_of(name));
        read::check_link(&path, &self.folder)?;
        read(&path, self.limit)
    }

    /// Deletes frames left for review; see [`Self::pending`].
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn remove_pending(&self, name: &str) -> Result<(), StoreError> {
        remove_pending(&self.path_of(name))
    }

    /// Returns the names of files that end in `end`, without it, sorted.
    fn names_before(&self, end: &str) -> (Vec<String>, Vec<read::ReadError>) {
        if !self.folder.exists() {
            return (Vec::new(), Vec::new());
        }
        let (files, errors) = walk(&self.folder);
        let names = files.into_iter().filter_map(|(name, _)| Some(name.strip_suffix(end)?.to_owned()));
        let mut names: Vec<String> = names.collect();
        names.sort();
        (names, errors)
    }
}

/// Reads a snapshot file within a memory limit.
///
/// # Errors
///
/// [`StoreError::File`] and [`StoreError::Content`].
pub fn read(path: &Path, limit: MemoryLimit) -> Result<Snapshot, StoreError> {
    let budget = Budget::new(limit);
    let bytes = read::file(path, &budget)?;
    Snapshot::from_bytes_within(&bytes, &budget).map_err(|error| StoreError::Content { path: path.to_owned(), error })
}

/// Reads a snapshot file like [`read`]. Returns `None` if there is no file.
pub(super) fn read_existing(path: &Path, limit: MemoryLimit) -> Result<Option<Snapshot>, StoreError> {
    match read(path, limit) {
        Err(StoreError::File(error)) if error.is_missing() => Ok(None),
        read => read.map(Some),
    }
}

/// Writes a snapshot atomically and returns its size in bytes.
pub(super) fn write(path: &Path, snapshot: &Snapshot) -> Result<u64, StoreError> {
    let bytes = snapshot.to_bytes();
    bindpose_core::write::replace(path, |file| file.write_all(&bytes))
        .map_err(|error| StoreError::Io { path: path.to_owned(), error })
}

/// Returns the path of the frames that wait for review next to a snapshot.
pub(super) fn pending_path(snapshot: &Path) -> PathBuf {
    let mut path = snapshot.as_os_str().to_owned();
    path.push(PENDING);
    path.into()
}

/// Deletes the frames that wait for review next to a snapshot, if present.
pub(super) fn remove_pending(snapshot: &Path) -> Result<(), StoreError> {
    let path = pending_path(snapshot);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(StoreError::Io { path, error }),
        _ => Ok(()),
    }
}

/// Returns the path from one canonical folder to another, with `/`; `to` itself if they have no common root.
fn relative(to: &Path, from: &Path) -> String {
    let common = to.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    if common == 0 {
        return to.to_string_lossy().into_owned();
    }
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let parts: Vec<String> =
        up.chain(to.components().skip(common)).map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}
