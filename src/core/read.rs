//! Files from disk and from archives. They are checked before they are opened, read once and whole, and limited in
//! size.
//!
//! A path may point into an archive: `base/pak000.pk4:models/imp.md5mesh` ([`bindpose_vfs::member`]).

use crate::budget::{Budget, Bytes, Exceeded};
use bindpose_vfs::disk::{self, File, Item, Metadata};
pub use bindpose_vfs::listing::is_file;
pub use bindpose_vfs::member::folder_of;
pub use bindpose_vfs::tree::Unlisted;
use bindpose_vfs::{ArchiveError, ArchiveFault, member};
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Reason why a file was not read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the fields are named after the variants")]
pub enum ReadError {
    /// The file does not exist, access is denied, or reading failed.
    #[error("cannot read {}: {}", path.display(), self.reason())]
    Io {
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A link whose target does not exist.
    #[error("cannot read {}: {}", path.display(), self.reason())]
    DanglingLink { path: PathBuf, target: PathBuf },
    /// A folder, or a special file that may be endless or block forever.
    #[error("cannot read {}: {}", path.display(), self.reason())]
    NotAFile {
        /// Path of the folder or special file.
        path: PathBuf,
        /// Kind of file with its article: "a folder", "a named pipe".
        kind: &'static str,
    },
    /// More bytes than [`crate::budget::MemoryLimit::largest_file`].
    #[error("cannot read {}: {}", path.display(), self.reason())]
    TooLarge {
        path: PathBuf,
        /// Size of the file in bytes, or a lower bound of it.
        size: u64,
        /// Largest size in bytes.
        limit: u64,
    },
    /// Not enough memory is left beside the files kept so far.
    #[error("cannot read {}: {}", path.display(), self.reason())]
    Memory { path: PathBuf, exceeded: Box<Exceeded> },
    /// A file named by another file is outside the permitted folders.
    #[error("cannot read {}: {}", path.display(), self.reason())]
    Outside {
        path: PathBuf,
        /// The folder of the file that names it.
        folder: PathBuf,
    },
    /// An archive, or a file in one, is damaged or uses an unsupported packing.
    #[error("cannot read {}: {}", path.display(), self.reason())]
    Archive {
        path: PathBuf,
        /// Damage or unsupported packing.
        fault: ArchiveFault,
    },
}

impl ReadError {
    /// Returns the path of the file that was not read.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::DanglingLink { path, .. }
            | Self::NotAFile { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Memory { path, .. }
            | Self::Outside { path, .. }
            | Self::Archive { path, .. } => path,
        }
    }

    /// Returns the reason without the file's name.
    pub fn reason(&self) -> String {
        match self {
            Self::Io { error, .. } => error.to_string(),
            Self::DanglingLink { path, target } if path.file_name() == Some(target.as_os_str()) => {
                "it is a link to itself".to_owned()
            }
            Self::DanglingLink { target, .. } => {
                format!("it is a link to {}, which does not exist", target.display())
            }
            Self::NotAFile { kind, .. } => format!("it is {kind}, not a file"),
            Self::TooLarge { size, limit, .. } => {
                let (size, limit) = (Bytes((*size).into()), Bytes((*limit).into()));
                format!("it has {size}; files up to {limit} are read (--max-memory raises this)")
            }
            Self::Memory { exceeded, .. } => exceeded.to_string(),
            Self::Outside { folder, .. } => format!("it is outside {}", or_here(folder).display()),
            Self::Archive { fault, .. } => fault.to_string(),
        }
    }

    /// True if the file does not exist.
    pub fn is_missing(&self) -> bool {
        match self {
            Self::Io { error, .. } => error.kind() == io::ErrorKind::NotFound,
            Self::Archive { fault, .. } => matches!(fault, ArchiveFault::Missing | ArchiveFault::BadName(_)),
            _ => false,
        }
    }
}

impl From<ArchiveError> for ReadError {
    fn from(error: ArchiveError) -> Self {
        let path = error.path();
        match error.fault {
            ArchiveFault::Io(error) => Self::Io { path, error },
            ArchiveFault::TooLarge { size, limit } => Self::TooLarge { path, size, limit },
            fault => Self::Archive { path, fault },
        }
    }
}

/// Reads all bytes of a file, on disk or in an archive, and adds them to the input of `budget`.
///
/// # Errors
///
/// [`ReadError`]. Named pipes, devices and sockets are refused without opening them, because opening alone may block
/// forever.
pub fn file(path: &Path, budget: &Budget) -> Result<Vec<u8>, ReadError> {
    let limit = budget.limit();
    let bytes = up_to(path, limit.largest_file()).inspect_err(|error| {
        if matches!(error, ReadError::TooLarge { .. }) {
            limit.refuse();
        }
    })?;
    budget.add_input(bytes.len());
    Ok(bytes)
}

/// Reads all bytes of a file of at most `largest` bytes that stays in memory together with others; spends them from
/// `budget`.
///
/// # Errors
///
/// As [`file()`]; [`ReadError::Memory`] if `budget` has too little left, which is checked before reading.
pub fn kept(path: &Path, largest: u64, budget: &Budget) -> Result<Vec<u8>, ReadError> {
    let what = || "the files of the game".to_owned();
    let memory = |exceeded| ReadError::Memory { path: path.to_owned(), exceeded: Box::new(exceeded) };
    let bytes = match up_to(path, largest.min(budget.left())) {
        Err(ReadError::TooLarge { size, .. }) if size <= largest => {
            let exceeded = budget.check(size.into(), what).err();
            return Err(
                exceeded.map_or(ReadError::TooLarge { path: path.to_owned(), size, limit: budget.left() }, memory)
            );
        }
        read => read?,
    };
    budget.spend(bytes.len() as u128, what).map_err(memory)?;
    Ok(bytes)
}

/// Reads all bytes of a file that the user did not name: another file names it, or it is next to one. It must be in or
/// below one of `folders`, after links are resolved. A file in an archive cannot name anything outside.
///
/// # Errors
///
/// Fails as [`file()`] does, or with [`ReadError::Outside`].
pub fn found(path: &Path, folders: &[&Path], budget: &Budget) -> Result<Vec<u8>, ReadError> {
    check_inside(path, folders)?;
    file(path, budget)
}

/// Checks that a path is in or below one of the folders, after links and `..` are resolved.
///
/// # Errors
///
/// [`ReadError::Outside`]. A path that does not exist passes: reading it fails.
pub fn check_inside(path: &Path, folders: &[&Path]) -> Result<(), ReadError> {
    if member::split(path).is_some() {
        return Ok(());
    }
    let Ok(real) = disk::canonicalize(path) else { return Ok(()) };
    let real_folder = |folder: &Path| disk::canonicalize(or_here(folder)).ok();
    match folders.iter().filter_map(|folder| real_folder(folder)).any(|folder| real.starts_with(folder)) {
        true => Ok(()),
        false => {
            let folder = folders.first().map_or_else(PathBuf::new, |folder| (*folder).to_owned());
            Err(ReadError::Outside { path: path.to_owned(), folder })
        }
    }
}

/// Checks a link that was found in the folder `top`: its target must be in or below `top`, or have the same extension.
/// Any other target is hardly a model, and errors would quote it.
///
/// # Errors
///
/// [`ReadError::Outside`]. A dangling link passes: reading it fails.
pub fn check_link(path: &Path, top: &Path) -> Result<(), ReadError> {
    let same_extension = |real: PathBuf| match (real.extension(), path.extension()) {
        (Some(of_target), Some(of_link)) => of_target.eq_ignore_ascii_case(of_link),
        _ => false,
    };
    if disk::canonicalize(path).is_ok_and(same_extension) { Ok(()) } else { check_inside(path, &[top]) }
}

/// Returns the paths of files below a folder on disk, sorted, and the folders that cannot be listed. Leaves out files
/// and folders for which `takes` is false, links to folders, which may form circles, links that [`check_link`] refuses,
/// pipes and devices. A link to nothing is a file: reading it reports that.
pub fn below(top: &Path, takes: impl Fn(&Path) -> bool) -> (Vec<PathBuf>, Unlisted) {
    let (mut files, mut unlisted, mut waiting) = (Vec::new(), Vec::new(), vec![top.to_owned()]);
    while let Some(folder) = waiting.pop() {
        let items = match disk::list(&folder) {
            Ok(items) => items,
            Err(error) => {
                unlisted.push((folder, error));
                continue;
            }
        };
        for Item { name, is_folder, is_link } in items {
            let path = folder.join(name);
            let is_special = || !is_folder && disk::metadata(&path).is_ok_and(|found| !found.is_file());
            let is_refused = || is_link && (is_folder || check_link(&path, top).is_err()) || is_special();
            if takes(&path) && !is_refused() {
                if is_folder { &mut waiting } else { &mut files }.push(path);
            }
        }
    }
    files.sort();
    (files, unlisted)
}

/// Reads all bytes of a file of at most `limit` bytes, on disk or in an archive.
pub(crate) fn up_to(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let io_error = |error| ReadError::Io { path: path.to_owned(), error };
    if let Some((archive, name)) = member::split(path) {
        return Ok(bindpose_vfs::open(archive)?.read(name, limit)?);
    }
    let (file, found) = open(path, limit)?;
    let mut bytes = Vec::new();
    let size = usize::try_from(found.len()).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(size).map_err(|_| io_error(io::ErrorKind::OutOfMemory.into()))?;
    #[cfg(unix)]
    if size >= SIDE_BY_SIDE_FROM {
        // One allocation of this size fits. It is freed first.
        bytes = Vec::new();
        if let Some(whole) = side_by_side(&file, size) {
            return Ok(whole);
        }
    }
    // The limit also stops a file that grows during reading, and system files that report no size.
    let read = file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(io_error)?;
    if read as u64 > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), size: read as u64, limit });
    }
    Ok(bytes)
}

/// Size in bytes from which several threads read a file: most of the time is spent on new memory pages.
#[cfg(unix)]
const SIDE_BY_SIDE_FROM: usize = 1 << 23;

/// Largest number of threads per file.
#[cfg(unix)]
const MOST_READERS: usize = 8;

/// Reads a file of `size` bytes on several threads; `None` if its size has changed, or reading fails.
///
/// These are not rayon's threads: a waiting rayon thread would start other work, which might need a lock held by the
/// caller.
#[cfg(unix)]
fn side_by_side(file: &File, size: usize) -> Option<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    use std::thread;
    // Untouched zeros do not use memory yet.
    let mut bytes = vec![0; size];
    let readers = thread::available_parallelism().map_or(1, usize::from).min(MOST_READERS);
    let piece = size.div_ceil(readers).max(1);
    let is_read = thread::scope(|scope| {
        let read = |(number, own): (usize, _)| {
            let own: &mut [u8] = own;
            thread::Builder::new().spawn_scoped(scope, move || file.read_exact_at(own, (number * piece) as u64))
        };
        let started: Vec<_> = bytes.chunks_mut(piece).enumerate().map(read).collect();
        started.into_iter().all(|thread| thread.is_ok_and(|thread| matches!(thread.join(), Ok(Ok(())))))
    });
    (is_read && file.read_at(&mut [0], size as u64).ok()? == 0).then_some(bytes)
}

/// True for the names of Windows' devices, which are reserved in any case and with any extension.
pub fn is_device(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_port = |kind| {
        name.strip_prefix(kind)
            .is_some_and(|port| matches!(port, "¹" | "²" | "³") || matches!(port.as_bytes(), [b'0'..=b'9']))
    };
    matches!(&*name, "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") || is_port("COM") || is_port("LPT")
}

/// Returns the size of a file in bytes, if known without reading it.
pub fn size_of(path: &Path) -> Option<u64> {
    match member::split(path) {
        Some((archive, name)) => bindpose_vfs::open(archive).ok()?.size_of(name),
        None => Some(disk::metadata(path).ok()?.len()),
    }
}

/// Returns the path of a folder for messages: `.` for the current one.
pub fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() { Path::new(".") } else { folder }
}

/// Returns a file's name as text. Each byte that is not UTF-8 becomes U+FFFD and its two hexadecimal digits, so that
/// different names stay different.
pub fn text_of(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text += chunk.valid();
        chunk.invalid().iter().for_each(|byte| text += &format!("\u{fffd}{byte:02x}"));
    }
    text
}

/// Returns the file name without extension, used as the name of a model or clip.
pub fn stem_of(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, text_of)
}

/// Reads up to the first `length` bytes of a file of any size, on disk or in an archive.
///
/// # Errors
///
/// Fails as [`file()`] does, except with [`ReadError::TooLarge`].
pub fn head(path: &Path, length: u64) -> Result<Vec<u8>, ReadError> {
    if let Some((archive, name)) = member::split(path) {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        return Ok(bindpose_vfs::open(archive)?.read_head(name, length)?);
    }
    let mut bytes = Vec::new();
    let (file, _) = open(path, u64::MAX)?;
    let read = file.take(length).read_to_end(&mut bytes);
    read.map_err(|error| ReadError::Io { path: path.to_owned(), error })?;
    Ok(bytes)
}

/// Reads a whole text file, such as a configuration or a shader, as [`file()`] does.
///
/// # Errors
///
/// As [`file()`]; [`ReadError::Io`] of kind [`io::ErrorKind::InvalidData`] if the text is not UTF-8 or contains NUL.
pub fn text(path: &Path, budget: &Budget) -> Result<String, ReadError> {
    let invalid = |message: String| ReadError::Io {
        path: path.to_owned(),
        error: io::Error::new(io::ErrorKind::InvalidData, message),
    };
    let text = String::from_utf8(file(path, budget)?)
        .map_err(|error| invalid(format!("byte {} is not UTF-8", error.utf8_error().valid_up_to())))?;
    match text.find('\0') {
        Some(at) => Err(invalid(format!("byte {at} is NUL: it is no text file"))),
        None => Ok(text),
    }
}

/// Opens a regular file of at most `limit` bytes.
fn open(path: &Path, limit: u64) -> Result<(File, Metadata), ReadError> {
    let io_error = |error| ReadError::Io { path: path.to_owned(), error };
    let found = disk::metadata(path).map_err(|error| dangling(path).unwrap_or_else(|| io_error(error)))?;
    if found.is_dir() {
        // The system's reason counts more.
        disk::list(path).map_err(io_error)?;
    }
    refuse(path, &found, limit)?;
    let file = disk::open(path).map_err(io_error)?;
    // The file may have been replaced since.
    let found = file.metadata().map_err(io_error)?;
    refuse(path, &found, limit)?;
    Ok((file, found))
}

/// True for paths by which a person or a shell, as in `<(command)`, passes a stream. They cannot be reached from a
/// folder of models, and they end.
fn is_stream(path: &Path) -> bool {
    [Path::new("/dev/null"), Path::new("/dev/stdin")].contains(&path)
        || ["/dev/fd", "/proc/self/fd"].iter().any(|folder| path.parent() == Some(Path::new(folder)))
}

fn refuse(path: &Path, found: &Metadata, limit: u64) -> Result<(), ReadError> {
    if let Some(kind) = kind_of(found).filter(|_| found.is_dir() || !is_stream(path)) {
        return Err(ReadError::NotAFile { path: path.to_owned(), kind });
    }
    if found.len() > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), size: found.len(), limit });
    }
    Ok(())
}

/// Returns the kind of a directory entry that is not a regular file. Returns `None` for a file.
fn kind_of(found: &Metadata) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kind = found.file_type();
        if kind.is_fifo() {
            return Some("a named pipe");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    if found.is_dir() {
        return Some("a folder");
    }
    (!found.is_file()).then_some("something special")
}

/// Returns the error for a link whose target does not exist.
fn dangling(path: &Path) -> Option<ReadError> {
    let target = disk::read_link(path).ok()?;
    Some(ReadError::DanglingLink { path: path.to_owned(), target })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::MemoryLimit;
    use std::fs;

    #[cfg(target_os = "linux")]
    fn sentence(path: &str) -> String {
        file(Path::new(path), &Budget::default()).unwrap_err().to_string()
    }

    #[test]
    fn a_file_is_read_whole_and_counts_as_input() {
        let budget = Budget::default();
        let before = budget.allowed();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("read.rs");
        let bytes = file(&path, &budget).unwrap();
        assert_eq!(bytes, include_bytes!("read.rs"));
        assert_eq!(budget.allowed() - before, bytes.len() as u64 * 256);
        assert_eq!(head(&path, 9).unwrap(), bytes[..9]);
    }

    #[test]
    fn text_has_no_nul() {
        let path = std::env::temp_dir().join(format!("bindpose-nul-{}", std::process::id()));
        fs::write(&path, "secret\n\0").unwrap();
        let error = text(&path, &Budget::default()).unwrap_err();
        fs::remove_file(&path).unwrap();
        assert!(error.to_string().ends_with(": byte 7 is NUL: it is no text file"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_large_file_is_read_whole_by_several_threads() {
        let path = std::env::temp_dir().join(format!("bindpose-large-{}", std::process::id()));
        let bytes: Vec<u8> = (0..SIDE_BY_SIDE_FROM as u32 + 77).map(|place| (place ^ place >> 9) as u8).collect();
        fs::write(&path, &bytes).unwrap();
        let (found, opened) = (file(&path, &Budget::default()), File::open(&path).unwrap());
        fs::remove_file(&path).unwrap();
        assert!(found.unwrap() == bytes);
        assert!(side_by_side(&opened, bytes.len()).is_some_and(|found| found == bytes));
        // The file has grown, or was truncated, since its size was read.
        assert!(side_by_side(&opened, bytes.len() - 1).is_none());
        assert!(side_by_side(&opened, bytes.len() + 1).is_none());
    }

    #[test]
    fn a_file_over_the_limit_is_refused_by_its_size() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("read.rs");
        let error = file(&path, &Budget::new(MemoryLimit::Bytes(4000))).unwrap_err();
        assert!(matches!(error, ReadError::TooLarge { limit: 1000, .. }), "{error}");
        assert!(error.to_string().ends_with("; files up to 1000 bytes are read (--max-memory raises this)"), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn folders_and_devices_are_named() {
        assert_eq!(sentence("/proc/self"), "cannot read /proc/self: it is a folder, not a file");
        assert_eq!(sentence("/dev/zero"), "cannot read /dev/zero: it is a device, not a file");
        // The system reports no size for these. The limit applies while reading.
        let budget = Budget::new(MemoryLimit::Bytes(4));
        assert!(matches!(file(Path::new("/proc/version"), &budget), Err(ReadError::TooLarge { size: 2, .. })));
    }

    /// `bindpose --config /dev/null`, and `<(command)`, where a shell passes a pipe by number.
    #[cfg(target_os = "linux")]
    #[test]
    fn streams_that_a_person_names_are_read() {
        use std::io::Write as _;
        use std::os::fd::AsRawFd as _;
        assert_eq!(file(Path::new("/dev/null"), &Budget::default()).unwrap(), b"");
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"text").unwrap();
        drop(writer);
        for folder in ["/dev/fd", "/proc/self/fd"] {
            let path = Path::new(folder).join(reader.as_raw_fd().to_string());
            let expected: &[u8] = if folder == "/dev/fd" { b"text" } else { b"" };
            assert_eq!(file(&path, &Budget::default()).unwrap(), expected, "{folder}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_files_of_their_kind() {
        let folder = std::env::temp_dir().join(format!("bindpose-links-{}", std::process::id()));
        let top = folder.join("top");
        fs::create_dir_all(&top).unwrap();
        for name in ["secret", "shared.X", "top/cache"] {
            fs::write(folder.join(name), "text").unwrap();
        }
        let passes = ["../secret", "../shared.X", "cache", "../missing"].map(|target| {
            let link = top.join("link.x");
            std::os::unix::fs::symlink(target, &link).unwrap();
            let passes = check_link(&link, &top).is_ok();
            fs::remove_file(&link).unwrap();
            passes
        });
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(passes, [false, true, true, true]);
    }

    #[cfg(unix)]
    #[test]
    fn found_files_stay_inside_their_folders() {
        let folder = std::env::temp_dir().join(format!("bindpose-inside-{}", std::process::id()));
        let (model, other) = (folder.join("model"), folder.join("other"));
        fs::create_dir_all(&model).unwrap();
        fs::create_dir_all(&other).unwrap();
        fs::write(model.join("a.png"), "a").unwrap();
        fs::write(other.join("b.png"), "b").unwrap();
        std::os::unix::fs::symlink("../other/b.png", model.join("link.png")).unwrap();
        let read = |name: &str, folders: &[&Path]| found(&model.join(name), folders, &Budget::default());
        let own = read("a.png", &[&model]);
        let refused = ["../other/b.png", "link.png", "/etc/hosts"].map(|name| read(name, &[&model]));
        let of_game = read("../other/b.png", &[&model, &folder]);
        let missing = read("../none.png", &[&model]);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!((own.unwrap(), of_game.unwrap()), (b"a".to_vec(), b"b".to_vec()));
        for refused in refused {
            assert!(matches!(&refused, Err(ReadError::Outside { folder, .. }) if *folder == model), "{refused:?}");
        }
        assert!(missing.unwrap_err().is_missing());
    }

    #[test]
    fn kept_files_are_paid_for_together() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("read.rs");
        let size = fs::metadata(&path).unwrap().len();
        let budget = Budget::new(MemoryLimit::Bytes(2 * size + 1));
        assert!(kept(&path, size, &budget).is_ok() && kept(&path, size, &budget).is_ok());
        assert_eq!(budget.left(), 1);
        let refused = kept(&path, size, &budget);
        assert!(
            matches!(&refused, Err(ReadError::Memory { exceeded, .. }) if exceeded.needed == size.into()),
            "{refused:?}"
        );
        assert!(matches!(kept(&path, size - 1, &Budget::default()), Err(ReadError::TooLarge { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_links_to_nothing_are_refused_at_once() {
        let folder = std::env::temp_dir().join(format!("bindpose-read-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (pipe, link) = (folder.join("pipe"), folder.join("link"));
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let own = folder.join("own");
        std::os::unix::fs::symlink("own", &own).unwrap();
        let of_pipe = file(&pipe, &Budget::default()).unwrap_err().to_string();
        let of_link = file(&link, &Budget::default()).unwrap_err().to_string();
        let of_own = file(&own, &Budget::default()).unwrap_err().reason();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(of_own, "it is a link to itself");
        assert_eq!(of_pipe, format!("cannot read {}: it is a named pipe, not a file", pipe.display()));
        let reason = "it is a link to nowhere, which does not exist";
        assert_eq!(of_link, format!("cannot read {}: {reason}", link.display()));
    }
}
