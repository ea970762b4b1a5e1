//! Paths of files inside archives: `base/pak000.pk4:models/imp.md5mesh`.

use crate::{disk, name};
use std::path::{Component, Path, PathBuf};
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

/// Returns the folder of a file. For `a.pk4:b.md5mesh` it is `a.pk4:`, the archive's root.
pub fn folder_of(file: &Path) -> PathBuf {
    match split(file) {
        Some((archive, name)) => join(archive, name::folder_of(name)),
        None => file.parent().map_or_else(PathBuf::new, Path::to_owned),
    }
}

/// True for a folder in which Quake II's engines look for the MD5 model that replaces a `.md2` of the folder above.
pub fn is_md5_folder(folder: &Path) -> bool {
    let name = folder.to_string_lossy();
    name.rsplit(['/', '\\', ':']).next().is_some_and(|name| name.eq_ignore_ascii_case("md5"))
}

/// Returns the parent of a folder, by name only. The parent of an archive's root is the archive's folder. Returns `None`
/// for the root of a disk.
pub fn above(folder: &Path) -> Option<PathBuf> {
    if let Some((archive, name)) = split(folder) {
        return match name.trim_matches(['/', '\\']) {
            "" => above(archive),
            name => Some(join(archive, name::folder_of(name))),
        };
    }
    match folder.components().next_back() {
        Some(Component::Normal(_)) => folder.parent().map(Path::to_owned),
        None => Some(PathBuf::from("..")),
        Some(Component::CurDir) => folder.parent().map(|before| before.join("..")),
        Some(Component::ParentDir) => Some(folder.join("..")),
        Some(Component::RootDir | Component::Prefix(_)) => None,
    }
}

/// Returns the folder and all folders above it, without end for a relative path.
pub fn folders_from(folder: &Path) -> impl Iterator<Item = PathBuf> {
    std::iter::successors(Some(folder.to_owned()), |folder| above(folder))
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
    fn folders_lie_above_a_relative_one() {
        let above: Vec<PathBuf> = folders_from(Path::new("a/b")).take(5).collect();
        assert_eq!(above, ["a/b", "a", "", "..", "../.."].map(PathBuf::from));
        assert_eq!(folders_from(Path::new("/a")).collect::<Vec<_>>(), ["/a", "/"].map(PathBuf::from));
    }

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
