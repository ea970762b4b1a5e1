//! Paths of files inside archives: `base/pak000.pk4:models/imp.md5mesh`.

use crate::disk;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Extensions of archives of Doom 3, Quake III and its successors, Daemon, Quake's re-release, plain zip, and Quake.
pub const EXTENSIONS: [&str; 6] = ["pk4", "pk3", "dpk", "kpf", "zip", "pak"];

/// True if a path has the extension of an archive.
pub fn is_archive(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Returns the path of a file or folder inside an archive. `name` may be empty.
pub fn join(archive: &Path, name: &str) -> PathBuf {
    let mut path = archive.as_os_str().to_owned();
    path.push(":");
    path.push(name);
    path.into()
}

/// Splits a path made by [`join`] into the archive and the name inside. The archive must be a file.
pub fn split(path: &Path) -> Option<(&Path, &str)> {
    let text = path.to_str()?;
    let colons = text.match_indices(':').map(|(at, _)| at);
    colons.filter_map(|at| Some((Path::new(text.get(..at)?), text.get(at + 1..)?))).find(|(archive, name)| {
        // Joining paths inserts a slash between archive and name.
        is_archive(archive) && !name.starts_with(':') && disk::is_file(archive)
    })
}

/// Length and modification time of a file. A different stamp means that the file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    length: u64,
    modified: SystemTime,
}

impl Stamp {
    /// Returns the stamp of a file, or of the archive that contains it. Returns `None` if the system does not provide
    /// it.
    pub fn of(path: &Path) -> Option<Self> {
        let found = disk::metadata(split(path).map_or(path, |(archive, _)| archive)).ok()?;
        Some(Self { length: found.len(), modified: found.modified().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn members_are_recognised_by_the_archive_before_the_colon() {
        let folder = tempfile::tempdir().unwrap();
        // Windows does not allow a colon in a name.
        let pak = folder.path().join(if cfg!(windows) { "a.PK4" } else { "a:b.PK4" });
        fs::write(&pak, "").unwrap();
        let member = join(&pak, "models/x.md5mesh");
        assert_eq!(split(&member), Some((pak.as_path(), "models/x.md5mesh")));
        assert_eq!(split(&join(&pak, "")), Some((pak.as_path(), "")));
        // `Path::join` on the root of an archive gives this path.
        let below = join(&pak, "").join("def");
        assert_eq!(split(&below).map(|(archive, name)| (archive, &name[1..])), Some((pak.as_path(), "def")));
        assert_eq!(split(&pak), None);
        assert_eq!(split(Path::new("nowhere.pk4:a")), None);
        assert_eq!(split(Path::new("C:/models/a.x")), None);
    }
}
