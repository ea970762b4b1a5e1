//! Archives that are open, and values by folder, each read once.

use crate::archive::{Archive, ArchiveError};
use crate::member::Stamp;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Opens an archive, or returns the archive opened before if its file has not changed.
pub fn open(archive: &Path) -> Result<Arc<Archive>, ArchiveError> {
    /// Archives by path, with the stamp of the file when it was opened.
    type Known = Mutex<HashMap<PathBuf, (Stamp, Arc<Archive>)>>;
    static KNOWN: LazyLock<Known> = LazyLock::new(Known::default);
    let stamp = Stamp::of(archive);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, archive)) = known().get(archive).filter(|(then, _)| stamp.is_some() && stamp == Some(*then)) {
        return Ok(Arc::clone(archive));
    }
    let opened = Arc::new(Archive::open(archive)?);
    if let Some(stamp) = stamp {
        known().insert(archive.to_owned(), (stamp, Arc::clone(&opened)));
    }
    Ok(opened)
}

/// Values by folder, each computed at the first request.
#[derive(Debug)]
pub struct Cache<T: ?Sized>(Mutex<HashMap<PathBuf, Arc<T>>>);

impl<T: ?Sized> Default for Cache<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T: ?Sized> Cache<T> {
    /// Returns the value of a folder. `read` computes it.
    pub fn get(&self, folder: &Path, read: impl FnOnce() -> Arc<T>) -> Arc<T> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lock().get(folder).cloned();
        found.unwrap_or_else(|| {
            let read = read();
            Arc::clone(lock().entry(folder.to_owned()).or_insert(read))
        })
    }
}
