//! Snapshots in a folder, one for each model, and the models that they are of.

use super::file::ReadError;
use super::projection::fourth_columns;
use super::record::{Input, Snapshot};
use bindpose_core::budget::{Budget, MemoryLimit};
use bindpose_core::load::{Format, LoadError, LoadOptions, Loaded, load};
use bindpose_core::read;
use bindpose_parsers::md5;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// What names of snapshot files end in.
const EXTENSION: &str = "snapshot";

/// A file that is a model of its own or a clip of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFile {
    /// Its path from the folder that was searched, with `/`; the name of a file that was given itself.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

/// Why files could not be listed.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// A path cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Two files would have the same snapshot.
    #[error("{} and {} would both be called '{name}'; give the folder that holds both", first.display(), second.display())]
    SameName {
        /// The name.
        name: String,
        /// One.
        first: PathBuf,
        /// The other.
        second: PathBuf,
    },
}

/// All model and clip files among `paths`, those in folders and their folders included, sorted by name.
///
/// Folders and files whose name begins with a dot are left out, and links to folders are not followed.
///
/// # Errors
///
/// [`FindError`].
pub fn find_models(paths: &[impl AsRef<Path>]) -> Result<Vec<ModelFile>, FindError> {
    let mut found: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut add = |name: String, path: PathBuf| match found.get(&name) {
        Some(first) if !same_file(first, &path) => {
            Err(FindError::SameName { name, first: first.clone(), second: path })
        }
        Some(_) => Ok(()),
        None => {
            found.insert(name, path);
            Ok(())
        }
    };
    for path in paths {
        let path = path.as_ref();
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |error| FindError::Io { path, error }
        };
        if read::is_file(path) || !fs::metadata(path).map_err(failed(path))?.is_dir() {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            add(name, path.to_owned())?;
            continue;
        }
        for (name, path) in walk(path).map_err(|(path, error)| FindError::Io { path, error })? {
            if matches!(Format::of(&path, &[]), Some(format) if format != Format::Md5Camera) {
                add(name, path)?;
            }
        }
    }
    Ok(found.into_iter().map(|(name, path)| ModelFile { name, path }).collect())
}

fn same_file(first: &Path, second: &Path) -> bool {
    first == second || matches!((first.canonicalize(), second.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// All files below a folder with their names from there.
fn walk(top: &Path) -> Result<Vec<(String, PathBuf)>, (PathBuf, io::Error)> {
    let mut files = Vec::new();
    let mut folders = vec![(String::new(), top.to_owned())];
    while let Some((prefix, folder)) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| (folder.clone(), error))?;
        for entry in entries {
            let entry = entry.map_err(|error| (folder.clone(), error))?;
            let file_name = entry.file_name().to_string_lossy().into_owned();
            let name = format!("{prefix}{file_name}");
            let kind = entry.file_type().map_err(|error| (entry.path(), error))?;
            match () {
                () if file_name.starts_with('.') => {}
                () if kind.is_dir() => folders.push((format!("{name}/"), entry.path())),
                () if entry.path().is_file() => files.push((name, entry.path())),
                () => {}
            }
        }
    }
    Ok(files)
}

/// Meshes times clips of one folder up to which each mesh brings all clips that fit.
const MOST_PAIRS: usize = 1 << 15;

fn is_mesh(path: &Path) -> bool {
    Format::of(path, &[]) == Some(Format::Md5Mesh)
}

fn is_clip(path: &Path) -> bool {
    Format::of(path, &[]) == Some(Format::Md5Anim)
}

/// A folder with so many meshes and clips that not every mesh brings all clips that fit, as [`take_all`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrowdedFolder {
    /// The folder; empty for the current one.
    pub path: PathBuf,
    /// Meshes in it, by index into the files.
    meshes: Vec<usize>,
    /// Clips in it, sorted.
    clips: Vec<PathBuf>,
}

/// The folders of meshes among `files` whose clips are not recorded with every mesh that they fit.
pub fn crowded_folders(files: &[ModelFile]) -> Vec<CrowdedFolder> {
    let mut folders: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (index, file) in files.iter().enumerate().filter(|(_, file)| is_mesh(&file.path)) {
        folders.entry(file.path.parent().unwrap_or(Path::new(""))).or_default().push(index);
    }
    let crowded = folders.into_iter().filter_map(|(path, meshes)| {
        let folder = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| path.join(entry.file_name()));
        let mut clips: Vec<PathBuf> = names.filter(|path| is_clip(path)).collect();
        clips.sort();
        (meshes.len().saturating_mul(clips.len()) > MOST_PAIRS).then(|| CrowdedFolder {
            path: path.to_owned(),
            meshes,
            clips,
        })
    });
    crowded.collect()
}

impl CrowdedFolder {
    /// How many meshes and clips are in it.
    pub fn counts(&self) -> (usize, usize) {
        (self.meshes.len(), self.clips.len())
    }

    /// Which clips go with each mesh: the first meshes of a skeleton have all that fit, the others that of their name.
    fn clips_of_meshes(&self, files: &[ModelFile], memory: MemoryLimit) -> HashMap<usize, Vec<&Path>> {
        type Joints = Option<Vec<String>>;
        let read = |path: &Path| read::file(path, &Budget::new(memory)).ok();
        let of_mesh = |&mesh: &usize| -> Joints {
            let bytes = read(&files[mesh].path)?;
            let joints = md5::parse_mesh(&bytes).ok()?.document.joints;
            Some(joints.iter().map(|joint| joint.name.to_name()).collect())
        };
        let of_clip = |clip: &PathBuf| -> Joints {
            let bytes = read(clip)?;
            let joints = md5::parse_anim(&bytes).ok()?.document.hierarchy;
            Some(joints.iter().map(|joint| joint.name.to_name()).collect())
        };
        let joints: Vec<Joints> = self.clips.par_iter().map(of_clip).collect();
        let mut fitting: HashMap<&[String], Vec<&Path>> = HashMap::new();
        for (clip, joints) in self.clips.iter().zip(&joints) {
            if let Some(joints) = joints {
                fitting.entry(joints).or_default().push(clip);
            }
        }
        let joints: Vec<Joints> = self.meshes.par_iter().map(of_mesh).collect();
        let mut served: HashMap<&[String], usize> = HashMap::new();
        let mut chosen = HashMap::new();
        for (&mesh, joints) in self.meshes.iter().zip(&joints) {
            let fitting = joints.as_ref().and_then(|joints| Some((joints, fitting.get(&joints[..])?)));
            let Some((joints, clips)) = fitting else { continue };
            let served = served.entry(joints).or_default();
            *served += 1;
            if *served <= (MOST_PAIRS / clips.len()).max(1) {
                chosen.insert(mesh, clips.clone());
            } else if let Ok(own) = clips.binary_search(&&*files[mesh].path.with_extension("md5anim")) {
                chosen.insert(mesh, vec![clips[own]]);
            }
        }
        chosen
    }
}

/// Loads every model and calls `each` with its snapshot, in parallel; the results are in the order of `files`.
///
/// A mesh brings the clips beside it that fit. A clip that belongs to no mesh among `files` is a model of its own.
/// Each model may take as much memory as `memory` allows. Where a folder has more than 32,768 pairs of mesh and clip
/// ([`crowded_folders`]), only the first meshes of each skeleton bring all clips that fit, as many as make 32,768 such
/// pairs, and the others the clip of their own name.
pub fn take_all<R: Send>(
    files: &[ModelFile],
    memory: MemoryLimit,
    each: impl Fn(&ModelFile, Result<Snapshot, LoadError>) -> R + Sync,
) -> Vec<(&ModelFile, R)> {
    let options = LoadOptions { find_clips: true, memory, ..LoadOptions::default() };
    let taken: Mutex<HashSet<PathBuf>> = Mutex::default();
    let crowded = crowded_folders(files);
    let in_crowd: HashSet<usize> = crowded.iter().flat_map(|folder| &folder.meshes).copied().collect();
    let chosen: HashMap<usize, Vec<&Path>> =
        crowded.iter().flat_map(|folder| folder.clips_of_meshes(files, memory)).collect();
    let one = |(index, file): (usize, &'_ ModelFile)| {
        let clips = chosen.get(&index).map(Vec::as_slice).unwrap_or_default();
        let paths: Vec<&Path> = std::iter::once(&*file.path).chain(clips.iter().copied()).collect();
        let options = LoadOptions { find_clips: !in_crowd.contains(&index), ..options.clone() };
        let snapshot = load(&paths, &options).map(|loaded| {
            let clips = loaded.sources.ids().skip(1).filter_map(|id| loaded.sources.path(id).canonicalize().ok());
            // The set stays whole even if another thread panics.
            taken.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).extend(clips);
            Snapshot::of_files(&loaded)
        });
        (index, each(file, snapshot))
    };
    let (clips, models): (Vec<_>, Vec<_>) = files.iter().enumerate().partition(|(_, file)| is_clip(&file.path));
    let mut results: Vec<(usize, R)> = models.into_par_iter().map(one).collect();
    let belongs = |path: &Path| {
        let taken = taken.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        path.canonicalize().is_ok_and(|path| taken.contains(&path))
    };
    let alone: Vec<_> = clips.into_iter().filter(|(_, file)| !belongs(&file.path)).collect();
    results.extend(alone.into_par_iter().map(one).collect::<Vec<_>>());
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(index, result)| (&files[index], result)).collect()
}

impl Snapshot {
    /// The snapshot of a loaded model, its files as inputs.
    pub fn of_files(loaded: &Loaded) -> Self {
        let input = |id| {
            let source = loaded.sources.get(id);
            let name = source.path.file_name().unwrap_or_default().to_string_lossy();
            let bytes = source.file_bytes();
            let is_x = Format::of(&source.path, &source.bytes) == Some(Format::X);
            let fourth_columns = is_x.then(|| fourth_columns(&source.bytes)).flatten();
            let fourth_columns = fourth_columns.map(|digest| format!("{digest:016x}"));
            Input { fourth_columns, ..Input::new(name, bytes) }
        };
        Self::take(&loaded.model, loaded.sources.ids().map(input).collect())
    }
}

/// Why a snapshot file could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Writing, listing or deleting failed.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] read::ReadError),
    /// The file is no snapshot, or a damaged one.
    #[error("{} {error}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Why.
        error: ReadError,
    },
}

/// A folder of snapshots.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
    limit: MemoryLimit,
}

impl Store {
    /// The store in a folder, which need not exist yet; reading a snapshot may take as much memory as `limit` allows.
    pub fn new(folder: impl Into<PathBuf>, limit: MemoryLimit) -> Self {
        Self { folder: folder.into(), limit }
    }

    /// Where the snapshot of a model is.
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{EXTENSION}"))
    }

    /// Reads the snapshot of a model; `None` where there is none.
    ///
    /// # Errors
    ///
    /// [`StoreError`].
    pub fn read(&self, name: &str) -> Result<Option<Snapshot>, StoreError> {
        read_existing(&self.path_of(name), self.limit)
    }

    /// Writes the snapshot of a model, folders included; an older one is replaced at once or not at all.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn write(&self, name: &str, snapshot: &Snapshot) -> Result<u64, StoreError> {
        write(&self.path_of(name), snapshot)
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

    /// The names of all models that have a snapshot here, sorted; none where the folder does not exist.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn names(&self) -> Result<Vec<String>, StoreError> {
        if !self.folder.exists() {
            return Ok(Vec::new());
        }
        let files = walk(&self.folder).map_err(|(path, error)| StoreError::Io { path, error })?;
        let of_snapshot = |(name, _): (String, _)| Some(name.strip_suffix(EXTENSION)?.strip_suffix('.')?.to_owned());
        let mut names: Vec<String> = files.into_iter().filter_map(of_snapshot).collect();
        names.sort();
        Ok(names)
    }
}

/// Reads a snapshot file with as much memory as `limit` allows.
///
/// # Errors
///
/// [`StoreError::File`] and [`StoreError::Content`].
pub fn read(path: &Path, limit: MemoryLimit) -> Result<Snapshot, StoreError> {
    let budget = Budget::new(limit);
    let bytes = read::file(path, &budget)?;
    Snapshot::from_bytes_within(&bytes, &budget).map_err(|error| StoreError::Content { path: path.to_owned(), error })
}

/// As [`read`]; `None` where there is no file.
pub(super) fn read_existing(path: &Path, limit: MemoryLimit) -> Result<Option<Snapshot>, StoreError> {
    match read(path, limit) {
        Err(StoreError::File(error)) if error.is_missing() => Ok(None),
        read => read.map(Some),
    }
}

/// Writes a snapshot in one piece, so that nobody ever sees half of it; returns how many bytes.
pub(super) fn write(path: &Path, snapshot: &Snapshot) -> Result<u64, StoreError> {
    let bytes = snapshot.to_bytes();
    bindpose_core::write::replace(path, |file| file.write_all(&bytes))
        .map_err(|error| StoreError::Io { path: path.to_owned(), error })
}
