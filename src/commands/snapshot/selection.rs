//! Models and snapshots that a command works on: all of a store, or parts of it.

use crate::commands::output::tell;
use anyhow::{Context, bail, ensure};
use bindpose::budget::grouped;
use bindpose::import::{by_extension, md5};
use bindpose::snapshot::{ModelFile, Pattern, Store, crowded_folders, find_models, name_of_part};
use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// Models below the root of a store.
#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// Files and folders below the root, searched with their subfolders [default: the root]
    paths: Vec<PathBuf>,
    /// Only models whose path from the root matches, such as 'weapons/**'; repeatable
    #[arg(long, value_name = "GLOB", value_parser = Pattern::new)]
    only: Vec<Pattern>,
    /// Folder that names of snapshots are relative to [default: the recorded one, in a new store the folder given]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl ModelArgs {
    /// True if `--root` is given.
    pub fn names_root(&self) -> bool {
        self.root.is_some()
    }

    /// Refuses to write with a root in or around the recorded one, which would rename every snapshot.
    pub fn check_root(&self, store: &Store) -> anyhow::Result<()> {
        let Some((given, recorded)) = self.root.as_ref().zip(store.root()?) else { return Ok(()) };
        // A recorded root that was moved is replaced.
        let (Ok(real), Ok(known)) = (given.canonicalize(), recorded.canonicalize()) else { return Ok(()) };
        let (relation, advice) = match () {
            () if real == known => return Ok(()),
            () if real.starts_with(&known) => ("in", "name it as a path instead, or record it into another folder"),
            () if known.starts_with(&real) => ("around", "record it into another folder"),
            () => return Ok(()),
        };
        bail!(
            "{} is {relation} {}, the root of these snapshots, and all of them would get other names; {advice}",
            given.display(),
            recorded.display()
        )
    }

    /// True if paths or patterns are given.
    pub fn names_part(&self) -> bool {
        !self.paths.is_empty() || !self.only.is_empty()
    }
}

/// Models to evaluate, and the names that belong to the selection.
pub struct Selection {
    root: PathBuf,
    /// Names of paths below the root. An empty name is the root itself.
    parts: Vec<String>,
    only: Vec<Pattern>,
    /// The models, and meshes next to selected clips, which are needed to assign the clips; sorted by name.
    pub files: Vec<ModelFile>,
    /// Names of folders that cannot be listed, so that the models in them are unknown.
    unlisted: Vec<String>,
}

impl Selection {
    /// Creates the selection of a command. A store without a recorded root uses the folder of the paths.
    pub fn new(args: &ModelArgs, store: &Store, folder: &Path) -> anyhow::Result<Self> {
        let recorded = store.root()?.filter(|_| args.root.is_none());
        if let Some(root) = &recorded {
            check_repository(root, folder)?;
        }
        let root = match args.root.clone().or(recorded) {
            Some(root) => root,
            None => common_folder(&args.paths)
                .with_context(|| format!("{} records no root: name the folder of the models", folder.display()))?,
        };
        ensure!(root.is_dir(), "cannot read {}, the root of the snapshots in {}", root.display(), folder.display());
        let mut parts = Vec::new();
        for path in &args.paths {
            parts.push(part_of(path, &root, folder)?);
        }
        if parts.is_empty() {
            parts.push(PathBuf::new());
        }
        let names = parts.iter().map(|part| name_of_part(part)).collect();
        let (only, files, unlisted) = (args.only.clone(), Vec::new(), Vec::new());
        let mut selection = Self { root, parts: names, only, files, unlisted };
        let mut files: BTreeMap<String, PathBuf> = BTreeMap::new();
        for part in &parts {
            files.extend(selection.find(part).into_iter().map(|file| (file.name, file.path)));
        }
        files.retain(|name, _| selection.contains(name));
        if selection.parts != [""] || !selection.only.is_empty() {
            selection.add_meshes_of_clips(&mut files);
        }
        selection.files = files.into_iter().map(|(name, path)| ModelFile { name, path }).collect();
        report_crowded(&selection.files);
        Ok(selection)
    }

    /// Returns the folder that names are relative to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the number of models: clips beside a mesh are none.
    pub fn models(&self) -> usize {
        let is = |file: &ModelFile, kind| by_extension(&file.path) == Some(kind);
        let meshes = self.files.iter().filter(|file| is(file, &md5::MESH_FILE));
        let folders: HashSet<_> = meshes.map(|file| file.path.parent()).collect();
        let is_clip = |file: &&ModelFile| is(file, &md5::ANIM_FILE) && folders.contains(&file.path.parent());
        self.files.len() - self.files.iter().filter(is_clip).count()
    }

    /// True if a model or a snapshot of this name is selected.
    pub fn contains(&self, name: &str) -> bool {
        let in_part = |part: &String| {
            name.strip_prefix(part.as_str())
                .is_some_and(|rest| part.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        self.parts.iter().any(in_part) && (self.only.is_empty() || self.only.iter().any(|only| only.matches(name)))
    }

    /// Finds the models in a part of the root, and reports folders that cannot be listed.
    fn find(&mut self, part: &Path) -> Vec<ModelFile> {
        let (files, errors) = find_models(&self.root, part);
        for error in errors {
            let name = name_of_part(error.path().strip_prefix(&self.root).unwrap_or(error.path()));
            if !self.unlisted.contains(&name) {
                tell!("bindpose: {error}");
                self.unlisted.push(name);
            }
        }
        files
    }

    /// True if a model of this name may be in a folder that cannot be listed.
    pub fn is_unknown(&self, name: &str) -> bool {
        let is_in = |folder: &String| name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
        self.unlisted.iter().any(|folder| folder.is_empty() || is_in(folder))
    }

    /// Returns the number of folders that cannot be listed.
    pub fn unlisted(&self) -> usize {
        self.unlisted.len()
    }

    fn add_meshes_of_clips(&mut self, files: &mut BTreeMap<String, PathBuf>) {
        let is_clip = |path: &PathBuf| by_extension(path) == Some(&md5::ANIM_FILE);
        let folders = files.iter().filter(|(_, path)| is_clip(path));
        let folders: HashSet<String> =
            folders.map(|(name, _)| name.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()).collect();
        for folder in folders {
            let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            let beside = self.find(Path::new(&folder)).into_iter().filter(|file| {
                let is_here = file.name.strip_prefix(&prefix).is_some_and(|rest| !rest.contains('/'));
                is_here && by_extension(&file.path) == Some(&md5::MESH_FILE)
            });
            files.extend(beside.map(|file| (file.name, file.path)));
        }
    }
}

/// Refuses a recorded root outside of the repository that contains the store: a store from elsewhere could name any
/// folder.
fn check_repository(root: &Path, store: &Path) -> anyhow::Result<()> {
    let (Ok(root), Ok(folder)) = (root.canonicalize(), store.canonicalize()) else { return Ok(()) };
    let Some(repository) = folder.ancestors().find(|folder| folder.join(".git").exists()) else { return Ok(()) };
    ensure!(
        root.starts_with(repository),
        "{} records the root {}, which is outside of the repository {}; give it as --root if it is meant",
        store.display(),
        root.display(),
        repository.display()
    );
    Ok(())
}

fn report_crowded(files: &[ModelFile]) {
    for folder in crowded_folders(files) {
        let (meshes, clips) = folder.counts();
        let path = if folder.path.as_os_str().is_empty() { Path::new(".") } else { &folder.path };
        tell!(
            "note: {} has {} meshes and {} clips, too many for each with each: of the meshes of one skeleton only the \
             first bring all clips that fit, the others the clip of their name",
            path.display(),
            grouped(meshes),
            grouped(clips)
        );
    }
}

/// Returns the path relative to the root. A path that does not exist relative to the current folder may be relative to
/// the root.
fn part_of(path: &Path, root: &Path, store: &Path) -> anyhow::Result<PathBuf> {
    let from_root = root.join(path);
    let path = if path.symlink_metadata().is_err() && from_root.exists() { &from_root } else { path };
    path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
    let inside = |path: PathBuf, root: PathBuf| path.strip_prefix(root).ok().map(Path::to_owned);
    let below =
        inside(normal(path), normal(root)).or_else(|| inside(path.canonicalize().ok()?, root.canonicalize().ok()?));
    let Some(below) = below else {
        bail!(
            "{} is not below {}, the root of the snapshots in {}: record it into another folder, or give --root",
            path.display(),
            root.display(),
            store.display()
        );
    };
    Ok(below)
}

/// Returns the deepest folder that contains all paths; `None` without paths.
fn common_folder(paths: &[PathBuf]) -> Option<PathBuf> {
    if let [only] = paths
        && only.is_dir()
    {
        return Some(only.clone());
    }
    let folders = paths.iter().map(|path| {
        let folder = if path.is_dir() { Some(path.as_path()) } else { path.parent() };
        normal(folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
    });
    folders.reduce(|a, b| a.components().zip(b.components()).take_while(|(a, b)| a == b).map(|(a, _)| a).collect())
}

/// Returns the absolute path without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normal = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}
