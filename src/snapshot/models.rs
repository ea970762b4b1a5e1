//! Model files in a folder, and their snapshots.

use super::projection::fourth_columns;
use super::record::{BOUNDS, FIELD_OF_VIEW, Input, Snapshot};
use super::walk::{name_of_part, walk};
use bindpose_core::budget::{Budget, MemoryLimit, share_out};
use bindpose_core::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use bindpose_core::image_search::ImageFinder;
use bindpose_core::import::md5::{ANIM_FILE, CAMERA_FILE, MESH_FILE, import_camera, parse_error};
use bindpose_core::import::x::X_FILE;
use bindpose_core::import::{Contents, by_extension, identify};
use bindpose_core::load::{LoadError, LoadOptions, Loaded, load};
use bindpose_core::model::{CameraPath, Clip, JointTracks, Model, Skeleton, Timeline, TimelineId, Track, Transform};
use bindpose_core::pairing::{Candidate, Pairing};
use bindpose_core::read::{self, ReadError, text_of};
use bindpose_parsers::md5;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A file that is a model, or a clip of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFile {
    /// Path relative to the root of the models, with `/`.
    pub name: String,
    /// Path of the file.
    pub path: PathBuf,
}

/// Finds all model, clip and camera files in `part`, a path below `root`, sorted by name, and the paths that cannot be
/// listed. An empty part is the whole folder. If the part is a file, returns that file.
///
/// Subfolders are searched too. Files and folders whose name begins with a dot are left out, and links to folders are
/// not followed.
pub fn find_models(root: &Path, part: &Path) -> (Vec<ModelFile>, Vec<ReadError>) {
    let top = if part.as_os_str().is_empty() { root.to_owned() } else { root.join(part) };
    let part = name_of_part(part);
    if read::is_file(&top) {
        return (vec![ModelFile { name: part, path: top }], Vec::new());
    }
    let (found, errors) = walk(&top);
    let prefix = if part.is_empty() { String::new() } else { format!("{part}/") };
    let models = found.into_iter().filter(|(_, path)| by_extension(path).is_some());
    let mut models: Vec<ModelFile> =
        models.map(|(name, path)| ModelFile { name: format!("{prefix}{name}"), path }).collect();
    models.sort_by(|a, b| a.name.cmp(&b.name));
    (models, errors)
}

/// Largest number of pairs of mesh and clip in a folder with which each mesh gets all clips that fit.
const MOST_PAIRS: usize = 1 << 15;

/// Largest number of meshes in a folder that each search it for clips. With more, the folder is listed once.
const FEW_MESHES: usize = 8;

fn is_mesh(path: &Path) -> bool {
    by_extension(path) == Some(&MESH_FILE)
}

fn is_clip(path: &Path) -> bool {
    by_extension(path) == Some(&ANIM_FILE)
}

/// Meshes and clips of one folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFolder {
    /// The folder; empty for the current one.
    pub path: PathBuf,
    /// Indices of the meshes among the files.
    meshes: Vec<usize>,
    /// The clips, sorted.
    clips: Vec<PathBuf>,
}

/// Lists the folders of the meshes among `files`, each with all clips in it.
fn folders(files: &[ModelFile]) -> impl Iterator<Item = ModelFolder> {
    let mut folders: BTreeMap<&Path, Vec<usize>> = BTreeMap::new();
    for (index, file) in files.iter().enumerate().filter(|(_, file)| is_mesh(&file.path)) {
        folders.entry(file.path.parent().unwrap_or(Path::new(""))).or_default().push(index);
    }
    folders.into_iter().map(|(path, meshes)| {
        let mut clips = ImageFinder::default().anims_in(path);
        clips.sort();
        ModelFolder { path: path.to_owned(), meshes, clips }
    })
}

/// Returns the folders with too many meshes and clips for every mesh to get all clips that fit; see [`take_all`].
pub fn crowded_folders(files: &[ModelFile]) -> Vec<ModelFolder> {
    folders(files).filter(ModelFolder::is_crowded).collect()
}

impl ModelFolder {
    /// Returns the numbers of meshes and of clips.
    pub fn counts(&self) -> (usize, usize) {
        (self.meshes.len(), self.clips.len())
    }

    fn is_crowded(&self) -> bool {
        self.meshes.len().saturating_mul(self.clips.len()) > MOST_PAIRS
    }

    /// Returns the clips for each mesh by index: for the first meshes of a skeleton, all clips that belong to them; for
    /// the others, the clip with the mesh's name. Meshes that would have a clip which is damaged or does not fit are left
    /// out: they search the folder for themselves and name the reason.
    fn clips_of_meshes(&self, files: &[ModelFile], memory: MemoryLimit) -> HashMap<usize, Vec<&Path>> {
        let mut chosen: HashMap<usize, Vec<&Path>> = self.meshes.iter().map(|&mesh| (mesh, Vec::new())).collect();
        if self.clips.is_empty() {
            return chosen;
        }
        let read = |path: &Path| read::file(path, &Budget::new(memory)).unwrap_or_default();
        let of_mesh = |&mesh: &usize| {
            let path = &*files[mesh].path;
            Candidate::mesh(read::stem_of(path), md5::parse_joints(&read(path)).as_ref()).into_owned()
        };
        let of_clip = |path: &PathBuf| {
            let bytes = read(path);
            let hierarchy = md5::parse_anim(&bytes).map_or_else(|_| Vec::new(), |parsed| parsed.document.hierarchy);
            Candidate::clip(read::stem_of(path), &hierarchy).into_owned()
        };
        let meshes: Vec<Candidate> = self.meshes.par_iter().map(of_mesh).collect();
        let clips: Vec<Candidate> = self.clips.par_iter().map(of_clip).collect();
        let pairing = Pairing::new(meshes.iter().collect(), clips.iter().map(|clip| &*clip.stem));
        let most = if self.is_crowded() { (MOST_PAIRS / clips.len()).max(1) } else { usize::MAX };
        let mut searching = HashSet::new();
        for (path, clip) in self.clips.iter().zip(&clips) {
            let fits = |&mesh: &usize| !clip.names.is_empty() && meshes[mesh].difference(clip).is_none();
            let (fitting, others): (Vec<_>, Vec<_>) = pairing.meshes_of(clip, most).into_iter().partition(fits);
            let nearest = pairing.nearest(clip).filter(|_| fitting.is_empty() && others.is_empty());
            fitting.iter().for_each(|&mesh| chosen.entry(self.meshes[mesh]).or_default().push(path));
            searching.extend(others.into_iter().chain(nearest.map(|(mesh, _)| mesh)).map(|mesh| self.meshes[mesh]));
        }
        chosen.retain(|mesh, _| self.is_crowded() || !searching.contains(mesh));
        chosen
    }
}

/// Loads every model and calls `each` with its snapshot and the memory for what belongs to it, in parallel. The results
/// have the order of `files`.
///
/// A camera is a model with one joint, its clip, and a field of view in each frame.
/// A mesh is loaded with the clips next to it that fit. A clip that belongs to no mesh among `files` is a model of its
/// own. `memory` limits all models together ([`share_out`]). In a folder with more than 32,768 pairs of mesh and clip
/// ([`crowded_folders`]), only the first meshes of each skeleton get all clips that fit, up to 32,768 pairs. The others
/// get the clip with their own name.
pub fn take_all<R: Send>(
    files: &[ModelFile],
    memory: MemoryLimit,
    each: impl Fn(&ModelFile, Result<Snapshot, LoadError>, MemoryLimit) -> R + Sync,
) -> Vec<(&ModelFile, R)> {
    let mut options = LoadOptions::with_clips();
    options.clips.folders = Some(Arc::default());
    let taken: Mutex<HashSet<PathBuf>> = Mutex::default();
    let is_listed =
        |folder: &ModelFolder| folder.clips.is_empty() || folder.meshes.len() > FEW_MESHES || folder.is_crowded();
    let listed: Vec<ModelFolder> = folders(files).filter(is_listed).collect();
    let chosen: HashMap<usize, Vec<&Path>> =
        listed.iter().flat_map(|folder| folder.clips_of_meshes(files, memory)).collect();
    let one = |&(index, file): &(usize, &ModelFile), memory: MemoryLimit| {
        let clips = chosen.get(&index).map(Vec::as_slice).unwrap_or_default();
        let paths: Vec<&Path> = std::iter::once(&*file.path).chain(clips.iter().copied()).collect();
        if let Some(camera) = Snapshot::of_camera(&file.path, memory) {
            return (!memory.is_short()).then(|| (index, each(file, camera, memory)));
        }
        let mut options = LoadOptions { memory, ..options.clone() };
        options.clips.find = !chosen.contains_key(&index);
        let snapshot = load(&paths, &options).and_then(|loaded| {
            let snapshot = Snapshot::of_files_within(&loaded, memory)?;
            let clips = loaded.inputs().skip(1).map(|id| loaded.sources.path(id).to_owned());
            // The set is consistent even if another thread panics.
            taken.lock().unwrap_or_else(PoisonError::into_inner).extend(clips);
            Ok(snapshot)
        });
        (!memory.is_short()).then(|| (index, each(file, snapshot, memory)))
    };
    let (clips, models): (Vec<_>, Vec<_>) = files.iter().enumerate().partition(|(_, file)| is_clip(&file.path));
    let mut results: Vec<(usize, R)> = share_out(&models, memory, one).into_iter().flatten().collect();
    let taken = std::mem::take(&mut *taken.lock().unwrap_or_else(PoisonError::into_inner));
    let taken: HashSet<PathBuf> = taken.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let belongs = |path: &Path| path.canonicalize().is_ok_and(|path| taken.contains(&path));
    let alone: Vec<_> = clips.into_iter().filter(|(_, file)| !belongs(&file.path)).collect();
    results.extend(share_out(&alone, memory, one).into_iter().flatten());
    results.sort_by_key(|&(index, _)| index);
    results.into_iter().map(|(index, result)| (&files[index], result)).collect()
}

impl Snapshot {
    /// Takes a snapshot as [`Self::of_files`] does, if its samples fit a memory limit.
    ///
    /// # Errors
    ///
    /// [`ReadError::Memory`], with the path of the first file.
    pub fn of_files_within(loaded: &Loaded, limit: MemoryLimit) -> Result<Self, ReadError> {
        let budget = Budget::new(limit);
        loaded.inputs().for_each(|id| budget.add_input(loaded.sources.get(id).bytes.len()));
        Self::spend_samples(&loaded.model, &budget).map_err(|exceeded| {
            let path = loaded.inputs().next().map_or_else(PathBuf::new, |id| loaded.sources.path(id).to_owned());
            ReadError::Memory { path, exceeded: exceeded.into() }
        })?;
        Ok(Self::of_files(loaded))
    }

    /// Takes a snapshot of a loaded model, with its files as inputs, and what these have besides the model: boxes and
    /// flags of MD5 clips, ticks per second.
    pub fn of_files(loaded: &Loaded) -> Self {
        let input = |id| {
            let source = loaded.sources.get(id);
            let name = text_of(source.path.file_name().unwrap_or_default());
            let bytes = source.file_bytes();
            let is_x = identify(&source.path, &source.bytes) == Some(&X_FILE);
            let fourth_columns = is_x.then(|| fourth_columns(&source.bytes)).flatten();
            let fourth_columns = fourth_columns.map(|digest| format!("{digest:016x}"));
            Input { fourth_columns, ..Input::new(name, bytes) }
        };
        let mut taken = Self::take(&loaded.model, loaded.inputs().map(input).collect());
        let clips = taken.clips.len().min(loaded.frame_boxes.len());
        for (clip, boxes) in loaded.frame_boxes.iter().enumerate().take(clips).filter(|(_, boxes)| !boxes.is_empty()) {
            let corners: Vec<[f64; 6]> =
                boxes.iter().map(|[min, max]| [min.x, min.y, min.z, max.x, max.y, max.z]).collect();
            taken.add_numbers(clip, BOUNDS, &corners);
        }
        taken.clips.iter_mut().zip(&loaded.clip_flags).for_each(|(clip, flags)| clip.flags.clone_from(flags));
        (taken.ticks_per_second, taken.left_out) = (loaded.ticks_per_second, loaded.left_out.clone());
        taken
    }

    /// Takes a snapshot of a camera's file. Returns `None` for other files.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or it is no camera.
    pub fn of_camera(path: &Path, memory: MemoryLimit) -> Option<Result<Self, LoadError>> {
        (by_extension(path) == Some(&CAMERA_FILE)).then(|| {
            let bytes = read::file(path, &Budget::new(memory))?;
            let file = text_of(path.file_name().unwrap_or_default());
            let failed = |error: &dyn Fn(SourceId) -> Diagnostic| {
                let mut sources = Sources::default();
                let diagnostics = vec![error(sources.add(path, bytes.clone()))];
                LoadError::File { sources, diagnostics }
            };
            let parsed = md5::parse_camera(&bytes)
                .map_err(|error| failed(&|source| parse_error(&error, Contents::Camera, source)))?;
            let camera = import_camera(&parsed.document).ok_or_else(|| {
                let (message, span) = ("the camera has no frame, or no frame rate", parsed.document.num_frames.span);
                failed(&|source| Diagnostic::new("MD5C007", Severity::Error, message, source, span))
            })?;
            let model = model_of_camera(&camera, &read::stem_of(path));
            let mut taken = Self::take(&model, vec![Input::new(file, &bytes)]);
            taken.clips[0].cuts = camera.cuts().iter().map(|&cut| cut as i64).collect();
            let angles: Vec<_> = camera.frames().iter().map(|frame| [frame.horizontal_angle.to_degrees()]).collect();
            taken.add_numbers(0, FIELD_OF_VIEW, &angles);
            Ok(taken)
        })
    }
}

/// Returns a model whose only joint is the camera, and its movement as a clip.
fn model_of_camera(camera: &CameraPath, name: &str) -> Model {
    let mut skeleton = Skeleton::new();
    skeleton.push("camera", None, Transform::IDENTITY);
    let frames = camera.frames();
    let times = (0..frames.len()).map(|frame| frame as f64 / camera.frame_rate()).collect();
    let timeline = TimelineId(0);
    let tracks = JointTracks::Parts {
        translation: Some(Track { timeline, values: frames.iter().map(|frame| frame.position).collect() }),
        rotation: Some(Track { timeline, values: frames.iter().map(|frame| frame.rotation).collect() }),
        scale: None,
    };
    let clip = Clip {
        name: name.to_owned(),
        duration: camera.duration(),
        frame_rate: Some(camera.frame_rate()),
        timelines: Timeline::new(times).into_iter().collect(),
        joints: vec![tracks],
        ..Clip::default()
    };
    Model { name: name.to_owned(), skeleton, clips: vec![clip], ..Model::default() }
}

/// Records the files as inputs, like [`Snapshot::of_files`].
impl From<&Loaded> for Snapshot {
    fn from(loaded: &Loaded) -> Self {
        Self::of_files(loaded)
    }
}
