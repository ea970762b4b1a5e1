//! Files that are written completely or not at all.
//!
//! One rule for existing files applies to every command. A file that the user names is replaced, except that a model is
//! only replaced with `--force`, because it may be someone's source. A file that the user does not name gets an unused
//! name ([`free_path`]).
//!
//! Output goes to a temporary file in the same folder, which replaces the old file when it is complete. If writing
//! fails, or writes nothing, the old file stays and the temporary one is removed. Temporary files have random names, so
//! one left behind by a killed program does not get in the way.

use crate::read;
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::NamedTempFile;

/// Temporary files being written. Locked while one is created, moved or removed.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Writes a file, including its folders, and replaces an older one of the same name. Returns the number of bytes
/// written.
///
/// A link is followed: its target is replaced.
///
/// # Errors
///
/// Errors of `write` and of the system; `InvalidInput` if the path is a folder, a pipe or a device, or not a valid file
/// name on Windows; `InvalidData` if `write` wrote nothing. The old file is untouched in each case.
pub fn replace<E: From<io::Error>>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<u64, E> {
    check_name(path)?;
    // A path that does not exist yet, or a dangling link, is written as given.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let old = match fs::metadata(&target) {
        Ok(old) if old.is_dir() => return Err(invalid("it is a folder").into()),
        Ok(old) if !old.is_file() => return Err(invalid("it is a pipe or a device, not a file").into()),
        // On other systems, the folder's permissions decide.
        Ok(old) if cfg!(windows) && old.permissions().readonly() => {
            let reason = "it is read-only; clear that in its properties and try again";
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, reason).into());
        }
        found => found.ok(),
    };
    through_temporary(&target, write, |file, target| {
        if let Some(old) = old {
            file.as_file().set_permissions(old.permissions())?;
            // After a loss of power, there is the old file or the new one, but no empty one.
            file.as_file().sync_all()?;
        }
        file.persist(target).map(drop).map_err(|error| in_use(error.error))
    })
}

/// Checks that no link leads a path below `folder` out of it. The folder itself may be a link, because the user named it.
///
/// # Errors
///
/// `InvalidInput`, also for a link to nothing.
pub fn check_below(path: &Path, folder: &Path) -> io::Result<()> {
    let Ok(top) = fs::canonicalize(read::or_here(folder)) else { return Ok(()) };
    let known = path.ancestors().find(|known| known.symlink_metadata().is_ok());
    let real = known.map_or_else(|| Ok(top.clone()), fs::canonicalize);
    match real.is_ok_and(|real| real.starts_with(&top)) {
        true => Ok(()),
        false => Err(invalid(format!("a link leads out of {}", read::or_here(folder).display()))),
    }
}

/// Returns a path that does not exist: `path` itself, else with `-2`, `-3` and so on before its extension.
pub fn free_path(path: &Path) -> PathBuf {
    let taken = |path: &Path| path.symlink_metadata().is_ok();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let extension = path.extension().map_or_else(String::new, |extension| format!(".{}", extension.to_string_lossy()));
    let numbered = (2_u64..).map(|number| path.with_file_name(format!("{stem}-{number}{extension}")));
    std::iter::once(path.to_owned()).chain(numbered).find(|path| !taken(path)).unwrap_or_else(|| path.to_owned())
}

/// Writes a new file, including its folders. Returns the number of bytes written.
///
/// # Errors
///
/// `AlreadyExists` if there is a file of that name; else as [`replace`].
pub fn create<E: From<io::Error>>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<(), E>) -> Result<u64, E> {
    check_name(path)?;
    let exists = || io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of that name already");
    if path.symlink_metadata().is_ok() {
        return Err(exists().into());
    }
    through_temporary(path, write, |file, path| {
        file.persist_noclobber(path).map(drop).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => exists(),
            _ => error.error,
        })
    })
}

/// Writes new files of a folder, given as paths and bytes, including their folders: all of them, or none if one cannot
/// be written.
///
/// # Errors
///
/// Fails as [`check_below`] and [`create`] do. The error contains the path.
pub fn create_all(files: &[(PathBuf, Vec<u8>)], folder: &Path) -> io::Result<()> {
    for (written, (path, bytes)) in files.iter().enumerate() {
        let created = check_below(path, folder).and_then(|()| create(path, |file| file.write_all(bytes)));
        if let Err(error) = created {
            // Remove the files written so far.
            files[..written].iter().for_each(|(path, _)| drop(fs::remove_file(path)));
            return Err(io::Error::new(error.kind(), format!("cannot write {}: {error}", path.display())));
        }
    }
    Ok(())
}

/// Removes all temporary files and prevents new ones, for a program that ends because of a signal. Other threads block
/// when they write files.
pub fn remove_unfinished() {
    let mut unfinished = unfinished();
    for path in unfinished.drain(..) {
        // Files that cannot be removed stay. The program ends.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(unfinished);
}

fn through_temporary<E: From<io::Error>>(
    target: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    persist: impl FnOnce(NamedTempFile, &Path) -> io::Result<()>,
) -> Result<u64, E> {
    let Some(name) = target.file_name() else {
        return Err(invalid("it is no name of a file").into());
    };
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let not_a_folder = folder.ancestors().find(|above| above.exists() && !above.is_dir());
    if let Some(above) = not_a_folder {
        return Err(invalid(format!("{} is not a folder", above.display())).into());
    }
    fs::create_dir_all(folder)?;
    // Windows moves a file to a path of more than 260 characters only in the form that this returns. A few drives have
    // none.
    let verbatim = if cfg!(windows) { fs::canonicalize(folder).ok() } else { None };
    let folder = verbatim.as_deref().unwrap_or(folder);
    let (temporary, _listed) = begin(folder)?;
    let mut file = BufWriter::new(temporary.as_file());
    write(&mut file)?;
    file.flush()?;
    drop(file);
    let bytes = temporary.as_file().metadata()?.len();
    if bytes == 0 {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "there is nothing to write").into());
    }
    // A signal is handled before or after the move, not during it.
    let _unfinished = unfinished();
    persist(temporary, &folder.join(name))?;
    Ok(bytes)
}

/// Creates a temporary file and registers it.
fn begin(folder: &Path) -> io::Result<(NamedTempFile, Listed)> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".bindpose-").suffix(".part");
    // The usual permissions of a new file. The user's mask is applied to them.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut unfinished = unfinished();
    // The reason without the temporary file's name, which the user does not know.
    let file = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()))?;
    unfinished.push(file.path().to_owned());
    let listed = Listed(file.path().to_owned());
    Ok((file, listed))
}

/// Entry in the list of unfinished files, removed when this is dropped.
struct Listed(PathBuf);

impl Drop for Listed {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason.into())
}

/// Refuses names that are not ordinary files on Windows.
fn check_name(path: &Path) -> io::Result<()> {
    let fault = windows_fault(&path.to_string_lossy()).filter(|_| cfg!(windows));
    fault.map_or(Ok(()), |fault| Err(invalid(fault)))
}

/// Returns the reason why a path is not an ordinary file on Windows. Returns `None` if it is.
fn windows_fault(path: &str) -> Option<String> {
    if path.starts_with(r"\\.\") {
        return Some(format!("'{path}' is a device of Windows; use another name"));
    }
    let path = path.strip_prefix(r"\\?\").unwrap_or(path);
    let drive = path.as_bytes().get(..2).is_some_and(|drive| drive[0].is_ascii_alphabetic() && drive[1] == b':');
    let names = path.get(if drive { 2 } else { 0 }..)?.split(['/', '\\']);
    names.filter(|name| !matches!(*name, "" | "." | "..")).find_map(|name| match () {
        () if name.contains(':') => Some(format!("'{name}' would be a hidden stream of another file; remove the ':'")),
        () if name.contains(|c: char| "<>\"|?*".contains(c) || c.is_control()) => {
            Some(format!("Windows allows none of < > \" | ? * in a name: '{name}'"))
        }
        () if name.ends_with(['.', ' ']) => {
            Some(format!("Windows drops the dots and blanks that end a name: '{name}'"))
        }
        () if read::is_device(name) => Some(format!("'{name}' is a device of Windows; use another name")),
        () => None,
    })
}

/// Explains Windows' errors about a file that another program has open.
fn in_use(error: io::Error) -> io::Error {
    const ACCESS_DENIED: i32 = 5;
    const SHARING_VIOLATION: i32 = 32;
    match error.raw_os_error() {
        Some(ACCESS_DENIED | SHARING_VIOLATION) if cfg!(windows) => io::Error::new(
            error.kind(),
            "another program has it open, or you may not change it; close it there and try again",
        ),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_cannot_keep_are_known() {
        let faults = [
            (r"pak000.pk4:a.obj", "hidden stream"),
            (r"C:\x\a.txt:b", "hidden stream"),
            ("NUL", "device"),
            (r"models\con.md5mesh", "device"),
            ("lpt1.a.b", "device"),
            ("COM².x", "device"),
            (r"\\.\pipe\a", "device"),
            ("what?.png", "none of"),
            ("walk .", "dots and blanks"),
            ("a/trailing /b.png", "blanks"),
        ];
        for (path, word) in faults {
            let fault = windows_fault(path).unwrap_or_else(|| panic!("{path} is allowed"));
            assert!(fault.contains(word), "{path}: {fault}");
        }
        for path in
            ["a.png", r"C:\x\a b.png", r"\\?\C:\x.png", r"\\server\share\a.x", "../b/./c", "console.x", "com10.x", ""]
        {
            assert_eq!(windows_fault(path), None, "{path}");
        }
    }
}
