//! From what the user named to files that are checked together.

use super::decls;
use super::pattern::Pattern;
use super::unit::Input;
use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::read::{self, ReadError};
use bindpose_vfs::member;
use std::collections::{HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// What is looked for in folders.
const EXTENSIONS: [&str; 4] = ["md5mesh", "md5anim", "md5camera", "x"];

/// Files that stand together, by their paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// In the order in which they are reported; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// See [`super::Options::together`].
    pub together: bool,
}

/// Why there is nothing to check.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A name that is neither file nor folder.
    #[error("no such file or folder: {}", .0.display())]
    Missing(PathBuf),
    /// A pattern that fits no file of a kind that is checked.
    #[error("no .md5mesh, .md5anim, .md5camera or .x file matches {}", .0.display())]
    NoMatch(PathBuf),
    /// A pattern that is none.
    #[error("cannot understand the pattern {pattern}: {reason}")]
    Pattern {
        /// As written.
        pattern: String,
        /// Why.
        reason: String,
    },
}

/// Finds the files behind paths: files as they are, folders and archives with all that lies below, patterns such as
/// `a/**/*.x`.
///
/// Files of one folder stand together, and so do a single mesh and the clips that are named beside it.
///
/// # Errors
/// [`InputError`]; a file that turns out to be unreadable later is a finding, not an error.
pub fn find(paths: &[PathBuf]) -> Result<Vec<Group>, InputError> {
    let mut named: Vec<PathBuf> = Vec::new();
    let mut found: Vec<PathBuf> = Vec::new();
    for path in paths {
        if path.is_file() && member::is_archive(path) {
            found.extend(in_archive(path));
        } else if path.as_os_str() == "-" || read::is_file(path) {
            named.push(path.clone());
        } else if path.is_dir() {
            found.extend(below(path, |_| true));
        } else if path.symlink_metadata().is_ok() {
            // A pipe, a device, a link to nothing: reading says so.
            named.push(path.clone());
        } else {
            found.extend(matching(path)?);
        }
    }
    let has = |path: &Path, wanted: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(wanted));
    let meshes = named.iter().filter(|path| has(path, "md5mesh")).count();
    let clips = named.iter().filter(|path| has(path, "md5anim")).count();
    if meshes == 1 && clips > 0 {
        let together = Group { paths: named, together: true };
        return Ok(std::iter::once(together).chain(by_folder(found)).collect());
    }
    named.extend(found);
    Ok(by_folder(named))
}

/// Keeps the order in which folders were met first.
fn by_folder(paths: Vec<PathBuf>) -> Vec<Group> {
    let mut order: Vec<Group> = Vec::new();
    let mut at: HashMap<PathBuf, usize> = HashMap::new();
    let mut known = HashSet::new();
    for path in paths.into_iter().filter(|path| known.insert(path.clone())) {
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        let index = *at.entry(folder).or_insert_with(|| {
            order.push(Group::default());
            order.len() - 1
        });
        if let Some(group) = order.get_mut(index) {
            group.paths.push(path);
        }
    }
    order
}

/// The files below a folder that are of our kinds, sorted; folders that cannot be opened are among them, so that
/// reading says why.
fn below(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let path = match &entry {
            Ok(entry) => entry.path(),
            Err(error) => {
                files.extend(error.path().map(Path::to_owned));
                continue;
            }
        };
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        let is_ours = extension.is_some_and(|extension| EXTENSIONS.contains(&extension.as_str()))
            || decls::in_folder(path).is_some()
            || member::is_archive(path) && path.extension().is_some_and(|found| found.eq_ignore_ascii_case("pk4"));
        // Links to files count as files, and reading says where one leads nowhere; links to folders are not followed,
        // for they may go in circles.
        if is_ours && wanted(path) && (path.is_file() || !path.exists()) {
            files.push(path.to_owned());
        }
    }
    files
}

/// An archive and the files of our kinds in it.
fn in_archive(path: &Path) -> Vec<PathBuf> {
    let Ok(archive) = member::open(path) else { return vec![path.to_owned()] };
    let is_ours = |name: &str| {
        name.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
            || decls::in_folder(&member::join(path, name)).is_some()
    };
    let inside = archive.files().filter(|(name, _)| is_ours(name)).map(|(name, _)| member::join(path, name));
    std::iter::once(path.to_owned()).chain(inside).collect()
}

/// The files that fit a pattern.
fn matching(pattern: &Path) -> Result<Vec<PathBuf>, InputError> {
    let text = pattern.to_string_lossy();
    let is_magic = |part: &str| part.contains(['*', '?', '[', '{']);
    if !is_magic(&text) {
        return Err(InputError::Missing(pattern.to_owned()));
    }
    let refuse = |reason| InputError::Pattern { pattern: text.clone().into_owned(), reason };
    let glob = Pattern::of_paths(&text).map_err(refuse)?;
    // Walk from the last folder that is written out.
    let fixed: PathBuf =
        pattern.components().take_while(|part| !is_magic(&part.as_os_str().to_string_lossy())).collect();
    let start = if fixed.as_os_str().is_empty() { Path::new(".") } else { &fixed };
    if !start.is_dir() {
        return Err(InputError::NoMatch(pattern.to_owned()));
    }
    let strip = |path: &Path| path.strip_prefix("./").unwrap_or(path).to_owned();
    let files = below(start, |path| strip(path).to_str().is_some_and(|path| glob.matches(path)));
    if files.is_empty() {
        return Err(InputError::NoMatch(pattern.to_owned()));
    }
    Ok(files.iter().map(|path| strip(path)).collect())
}

/// Reads a group's files; `memory` says how large they may be.
pub fn read(group: &Group, memory: MemoryLimit) -> Vec<Input> {
    // The check that follows has a budget of its own; here only the size of single files counts.
    let budget = Budget::new(memory);
    let read = |path: &PathBuf| match path.as_os_str() == "-" {
        // Only its index is looked at.
        false if member::is_archive(path) => Input { path: path.clone(), bytes: Ok(Vec::new()) },
        true => {
            let path = PathBuf::from("<stdin>");
            Input { bytes: read_stdin(&path, memory.largest_file()), path }
        }
        false => Input { path: path.clone(), bytes: read::file(path, &budget) },
    };
    group.paths.iter().map(read).collect()
}

fn read_stdin(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes);
    let size = read.map_err(|error| ReadError::Io { path: path.to_owned(), error })? as u64;
    if size > limit {
        return Err(ReadError::TooLarge { path: path.to_owned(), size, limit });
    }
    Ok(bytes)
}
