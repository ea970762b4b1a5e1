//! Files in memory, for systems without a disk. Folders exist through the paths of files. There are no links.

use super::Item;
use rawzip::ReaderAt;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

#[derive(Clone)]
struct Stored {
    bytes: Arc<Vec<u8>>,
    modified: SystemTime,
}

/// Files by path, without `.` and `..`.
static FILES: RwLock<BTreeMap<PathBuf, Stored>> = RwLock::new(BTreeMap::new());

/// Adds or replaces a file. `modified` is the time since 1970. A path that leaves the current folder adds nothing.
pub fn put(path: &Path, bytes: Vec<u8>, modified: Duration) {
    let stored = Stored { bytes: Arc::new(bytes), modified: SystemTime::UNIX_EPOCH + modified };
    if let Some(path) = plain(path) {
        FILES.write().unwrap_or_else(PoisonError::into_inner).insert(path, stored);
    }
}

/// Removes all files.
pub fn clear() {
    FILES.write().unwrap_or_else(PoisonError::into_inner).clear();
}

/// Returns the path without `.` and `..`. Returns `None` if the path leaves the current folder.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => plain = plain.file_name().map(|_| plain.parent().unwrap_or(&plain).to_owned())?,
            part => plain.push(part),
        }
    }
    Some(plain)
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

fn stored(path: &Path) -> Option<Stored> {
    FILES.read().unwrap_or_else(PoisonError::into_inner).get(&plain(path)?).cloned()
}

/// Opened file.
#[derive(Debug)]
pub struct File {
    bytes: Arc<Vec<u8>>,
    modified: SystemTime,
    at: usize,
}

impl File {
    /// Returns the properties of the file.
    ///
    /// # Errors
    ///
    /// Never fails.
    pub fn metadata(&self) -> io::Result<Metadata> {
        Ok(Metadata { file: Some((self.bytes.len() as u64, self.modified)) })
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.get(self.at..).unwrap_or_default().read(buffer)?;
        self.at += read;
        Ok(read)
    }
}

/// File that is read at any offset.
#[derive(Debug)]
pub struct Reader(Arc<Vec<u8>>);

impl From<File> for Reader {
    fn from(file: File) -> Self {
        Self(file.bytes)
    }
}

impl ReaderAt for Reader {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        self.0.get(start..).unwrap_or_default().read(buffer)
    }
}

/// Properties of a file or folder.
#[derive(Debug, Clone, Copy)]
pub struct Metadata {
    /// Size in bytes and modification time. `None` for a folder.
    file: Option<(u64, SystemTime)>,
}

impl Metadata {
    /// True for a folder.
    pub fn is_dir(&self) -> bool {
        self.file.is_none()
    }

    /// True for a file.
    pub fn is_file(&self) -> bool {
        self.file.is_some()
    }

    /// Returns the size of the file in bytes, 0 for a folder.
    #[expect(clippy::len_without_is_empty, reason = "as in std::fs::Metadata")]
    pub fn len(&self) -> u64 {
        self.file.map_or(0, |(bytes, _)| bytes)
    }

    /// Returns the time of the last change.
    ///
    /// # Errors
    ///
    /// Fails for folders, which have no time.
    pub fn modified(&self) -> io::Result<SystemTime> {
        self.file.map(|(_, modified)| modified).ok_or_else(|| io::ErrorKind::Unsupported.into())
    }
}

/// Returns the properties of a file or folder.
///
/// # Errors
///
/// Fails if the path does not exist.
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    match stored(path.as_ref()) {
        Some(file) => Ok(Metadata { file: Some((file.bytes.len() as u64, file.modified)) }),
        None if is_dir(path.as_ref()) => Ok(Metadata { file: None }),
        None => Err(missing()),
    }
}

/// Opens a file for reading.
///
/// # Errors
///
/// Fails if there is no such file.
pub fn open(path: &Path) -> io::Result<File> {
    let Stored { bytes, modified } = stored(path).ok_or_else(missing)?;
    Ok(File { bytes, modified, at: 0 })
}

/// Returns the unique path of a file or folder.
///
/// # Errors
///
/// Fails if the path does not exist.
pub fn canonicalize(path: impl AsRef<Path>) -> io::Result<PathBuf> {
    metadata(&path)?;
    plain(path.as_ref()).ok_or_else(missing)
}

/// Fails because there are no links.
///
/// # Errors
///
/// Always fails.
pub fn read_link(_: impl AsRef<Path>) -> io::Result<PathBuf> {
    Err(io::ErrorKind::InvalidInput.into())
}

/// True for a file.
pub fn is_file(path: &Path) -> bool {
    stored(path).is_some()
}

/// True for a folder: the current one, or one that contains files.
pub fn is_dir(path: &Path) -> bool {
    let Some(folder) = plain(path) else { return false };
    let files = FILES.read().unwrap_or_else(PoisonError::into_inner);
    folder.as_os_str().is_empty()
        || files
            .range(folder.clone()..)
            .map(|(path, _)| path)
            .find(|path| **path != folder)
            .is_some_and(|path| path.starts_with(&folder))
}

/// True for a file or folder.
pub fn has(path: &Path) -> bool {
    is_file(path) || is_dir(path)
}

/// Returns the items of a folder, sorted by name. `""` is the current folder.
///
/// # Errors
///
/// Fails if there is no such folder.
pub fn list(folder: &Path) -> io::Result<Vec<Item>> {
    let folder = plain(folder).filter(|folder| is_dir(folder)).ok_or_else(missing)?;
    let files = FILES.read().unwrap_or_else(PoisonError::into_inner);
    let below = files.range(folder.clone()..).map_while(|(path, _)| path.strip_prefix(&folder).ok());
    let mut items: Vec<Item> = Vec::new();
    for path in below {
        let mut parts = path.components();
        let Some(Component::Normal(name)) = parts.next() else { continue };
        let name = OsString::from(name);
        if items.last().is_none_or(|last| last.name != name) {
            items.push(Item { name, is_folder: parts.next().is_some(), is_link: false });
        }
    }
    Ok(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_those_of_the_files_paths() {
        let put = |path: &str, text: &str| put(Path::new(path), text.into(), Duration::from_secs(5));
        for (path, text) in [("./a/b.md5mesh", "mesh"), ("a/c/d.tga", "image"), ("a.b", "x"), ("../out", "no")] {
            put(path, text);
        }
        let names = |folder: &str| -> Vec<(String, bool)> {
            let items = list(Path::new(folder)).unwrap();
            items.into_iter().map(|item| (item.name.into_string().unwrap(), item.is_folder)).collect()
        };
        let expected =
            |items: &[(&str, bool)]| items.iter().map(|&(name, is)| (name.to_owned(), is)).collect::<Vec<_>>();
        assert_eq!(names(""), expected(&[("a", true), ("a.b", false)]));
        assert_eq!(names("a/c/.."), expected(&[("b.md5mesh", false), ("c", true)]));
        assert!(list(Path::new("a/b.md5mesh")).is_err() && list(Path::new("nowhere")).is_err());
        assert!(is_dir(Path::new("a/c")) && !is_dir(Path::new("a/b.md5mesh")) && !is_dir(Path::new("..")));
        assert!(is_file(Path::new("a/c/../b.md5mesh")) && !has(Path::new("out")) && !has(Path::new("../out")));
        assert_eq!(canonicalize("a/./c/d.tga").unwrap(), Path::new("a/c/d.tga"));
        let found = metadata("a/c/d.tga").unwrap();
        assert_eq!((found.len(), found.modified().unwrap()), (5, SystemTime::UNIX_EPOCH + Duration::from_secs(5)));
        let mut text = String::new();
        open(Path::new("a.b")).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "x");
        let mut bytes = [0; 8];
        assert_eq!(Reader::from(open(Path::new("a/c/d.tga")).unwrap()).read_at(&mut bytes, 2).unwrap(), 3);
        clear();
        assert!(!has(Path::new("a.b")));
    }
}
