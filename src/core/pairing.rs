//! Pairs of meshes and clips of one folder: which clip belongs to which mesh.
//!
//! One rule serves loading, conversion, snapshots and validation.

use bindpose_parsers::md5::{Channel, MeshFile};
use bindpose_parsers::{counted, decode_name};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Name of each joint, as its bytes.
type Names<'d> = Vec<Cow<'d, [u8]>>;

/// Names and parents of joints, in file order.
type OwnHierarchy = (Names<'static>, Vec<i64>);

/// A mesh or a clip among the files of a folder.
#[derive(Debug, Clone, Default)]
pub struct Candidate<'d> {
    /// Name of the file without folder and extension.
    pub stem: String,
    /// Names of the joints, in file order. Empty if the file cannot be read.
    pub names: Names<'d>,
    /// Index of each joint's parent; -1 for a root.
    pub parents: Vec<i64>,
}

impl<'d> Candidate<'d> {
    /// Creates the candidate for a mesh. `None` is a file whose joints cannot be read.
    pub fn mesh(stem: String, file: Option<&'d MeshFile<'_>>) -> Self {
        let joints = file.map_or(&[][..], |file| &file.joints);
        let names = joints.iter().map(|joint| Cow::Borrowed(joint.name.bytes.as_ref())).collect();
        Self { stem, names, parents: joints.iter().map(|joint| joint.parent.value.max(-1)).collect() }
    }

    /// Creates the candidate for the hierarchy of a clip.
    pub fn clip(stem: String, hierarchy: &'d [Channel<'_>]) -> Self {
        let names = hierarchy.iter().map(|channel| Cow::Borrowed(channel.name.bytes.as_ref())).collect();
        Self { stem, names, parents: hierarchy.iter().map(|channel| channel.parent.value.max(-1)).collect() }
    }

    /// Copies the names, so that the file is not needed any more.
    pub fn into_owned(self) -> Candidate<'static> {
        let names = self.names.into_iter().map(|name| Cow::Owned(name.into_owned())).collect();
        Candidate { stem: self.stem, names, parents: self.parents }
    }

    /// Returns the first difference between the joint names of this mesh and those of a clip.
    pub fn difference(&self, clip: &Candidate<'_>) -> Option<Difference> {
        let name = |names: &Names, joint: usize| names.get(joint).map(|name| decode_name(name).into_owned());
        let place = self.names.iter().zip(&clip.names).position(|(mesh, clip)| mesh != clip);
        if self.names.len() != clip.names.len() {
            let joint = place.unwrap_or(self.names.len().min(clip.names.len()));
            let names = [name(&self.names, joint), name(&clip.names, joint)];
            return Some(Difference::Count { mesh: self.names.len(), clip: clip.names.len(), joint, names });
        }
        let joint = place?;
        let [mesh, clip] = [&self.names, &clip.names].map(|names| name(names, joint).unwrap_or_default());
        Some(Difference::Name { joint, mesh, clip })
    }
}

/// First difference between the joint names of a mesh and those of a clip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Difference {
    /// Different numbers of joints.
    Count {
        /// Number of the mesh's joints.
        mesh: usize,
        /// Number of the clip's joints.
        clip: usize,
        /// First joint of which the names differ.
        joint: usize,
        /// Its name in the mesh and in the clip; `None` after the end of either.
        names: [Option<String>; 2],
    },
    /// Different names at one place.
    Name {
        /// Index of the joint.
        joint: usize,
        /// Name in the mesh.
        mesh: String,
        /// Name in the clip.
        clip: String,
    },
}

impl Difference {
    /// Returns the code of the finding.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Count { .. } => "MD5P001",
            Self::Name { .. } => "MD5P002",
        }
    }

    /// Returns the index of the joint that differs.
    pub fn joint(&self) -> usize {
        let (Self::Count { joint, .. } | Self::Name { joint, .. }) = self;
        *joint
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { mesh, clip, joint, names } => {
                write!(out, "the clip has {}, but the mesh has {mesh}", counted(*clip, "joint", "joints"))?;
                match names {
                    [Some(mesh), Some(clip)] => {
                        write!(
                            out,
                            "; joint {joint} is the first to differ, '{mesh}' in the mesh and '{clip}' in the clip"
                        )
                    }
                    [Some(mesh), None] => write!(out, "; the clip ends before joint {joint}, '{mesh}'"),
                    [None, Some(clip)] => write!(out, "; the mesh ends before joint {joint}, '{clip}'"),
                    [None, None] => Ok(()),
                }
            }
            Self::Name { joint, mesh, clip } => {
                write!(out, "joint {joint} is '{mesh}' in the mesh and '{clip}' in the clip")
            }
        }
    }
}

/// Code of a clip that belongs to no mesh of its folder.
pub const NO_MESH: &str = "MD5P017";

/// Returns the message for a clip that belongs to no mesh of its folder. `nearest` is the name of the nearest mesh.
pub fn no_mesh(nearest: &str, difference: &Difference) -> String {
    format!("the clip belongs to no mesh of its folder; the nearest is '{nearest}': {difference}")
}

/// Names and parents of joints.
type Hierarchy<'c, 'd> = (&'c [Cow<'d, [u8]>], &'c [i64]);

/// Index of the meshes of a folder, which finds those of each clip. Meshes with equal hierarchies are compared once.
///
/// A clip belongs to the mesh of the same name, and to every mesh with the same joint names and parents. If it has a
/// mesh of the same name, meshes with another clip of their own name are excluded. Otherwise it belongs to the first
/// mesh with the same joint names, else with the same parents, else to the one that has most of its joint names, and to
/// all meshes with the hierarchy of that one. A clip whose joints cannot be read belongs to the mesh of the same name,
/// else to all.
#[derive(Debug, Default)]
pub struct Pairing<'c, 'd> {
    meshes: Vec<&'c Candidate<'d>>,
    /// First mesh with each name, in lower case.
    by_stem: HashMap<String, usize>,
    by_hierarchy: HashMap<Hierarchy<'c, 'd>, Rig>,
    /// First mesh with these joint names.
    by_names: HashMap<&'c [Cow<'d, [u8]>], usize>,
    /// First mesh with these parents.
    by_parents: HashMap<&'c [i64], usize>,
    /// For each joint name, the first mesh of every hierarchy that contains it, and the number of its joints with that
    /// name.
    by_joint: HashMap<&'c [u8], Vec<(usize, usize)>>,
    /// Mesh of each hierarchy that no mesh has.
    alike: Mutex<HashMap<OwnHierarchy, Option<usize>>>,
}

/// Meshes with the same hierarchy, in ascending order.
#[derive(Debug, Default)]
struct Rig {
    meshes: Vec<usize>,
    /// Those without a clip of the same name.
    without_clip: Vec<usize>,
}

impl<'c, 'd> Pairing<'c, 'd> {
    /// Creates the index. `clips` are the names of all clips, without folder and extension.
    pub fn new<'s>(meshes: Vec<&'c Candidate<'d>>, clips: impl Iterator<Item = &'s str>) -> Self {
        let clips: HashSet<String> = clips.map(str::to_lowercase).collect();
        let mut known = Self::default();
        for (at, mesh) in meshes.iter().enumerate() {
            let stem = mesh.stem.to_lowercase();
            let has_clip = clips.contains(&stem);
            known.by_stem.entry(stem).or_insert(at);
            if mesh.names.is_empty() {
                continue;
            }
            let rig: &mut Rig = known.by_hierarchy.entry((&mesh.names, &mesh.parents)).or_default();
            if rig.meshes.is_empty() {
                known.by_names.entry(&mesh.names).or_insert(at);
                known.by_parents.entry(&mesh.parents).or_insert(at);
                for name in &mesh.names {
                    let rigs = known.by_joint.entry(name).or_default();
                    match rigs.last_mut() {
                        Some((last, times)) if *last == at => *times += 1,
                        _ => rigs.push((at, 1)),
                    }
                }
            }
            rig.meshes.push(at);
            if !has_clip {
                rig.without_clip.push(at);
            }
        }
        known.meshes = meshes;
        known
    }

    /// Returns the meshes to which a clip belongs: the one of the same name, and at most `most` others.
    pub fn meshes_of(&self, clip: &Candidate<'_>, most: usize) -> Vec<usize> {
        let (namesake, others) = self.belongs(clip, most);
        namesake.into_iter().chain(others).collect()
    }

    /// True if a clip belongs to a mesh.
    pub fn has(&self, mesh: usize, clip: &Candidate<'_>) -> bool {
        let (namesake, others) = self.belongs(clip, usize::MAX);
        namesake == Some(mesh) || others.contains(&mesh)
    }

    /// True if a clip belongs to any mesh.
    pub fn is_paired(&self, clip: &Candidate<'_>) -> bool {
        !self.meshes_of(clip, 1).is_empty()
    }

    /// Returns the mesh that a clip which belongs to none resembles most, and the difference.
    pub fn nearest(&self, clip: &Candidate<'_>) -> Option<(usize, Difference)> {
        let readable = || self.meshes.iter().position(|mesh| !mesh.names.is_empty());
        let nearest = self.most_names(clip).map(|(mesh, _)| mesh).or_else(readable)?;
        Some((nearest, self.meshes.get(nearest)?.difference(clip)?))
    }

    /// Returns the mesh with a clip's name, and the first `most` of the others to which the clip belongs.
    fn belongs(&self, clip: &Candidate<'_>, most: usize) -> (Option<usize>, Vec<usize>) {
        let namesake = self.by_stem.get(&clip.stem.to_lowercase()).copied();
        if clip.names.is_empty() {
            let all = if namesake.is_some() { 0..0 } else { 0..self.meshes.len() };
            return (namesake, all.take(most).collect());
        }
        let rig = self.by_hierarchy.get(&(&*clip.names, &*clip.parents));
        let others = match (namesake, rig) {
            (Some(namesake), rig) => {
                let others = rig.into_iter().flat_map(|rig| &rig.without_clip).copied();
                others.filter(|&mesh| mesh != namesake).take(most).collect()
            }
            (None, Some(rig)) => rig.meshes.iter().take(most).copied().collect(),
            (None, None) => {
                let nearest = self.most_alike(clip).map(|mesh| self.meshes[mesh]);
                let rig = nearest.and_then(|mesh| self.by_hierarchy.get(&(&*mesh.names, &*mesh.parents)));
                rig.into_iter().flat_map(|rig| &rig.meshes).take(most).copied().collect()
            }
        };
        (namesake, others)
    }

    fn most_alike(&self, clip: &Candidate<'_>) -> Option<usize> {
        let lock = || self.alike.lock().unwrap_or_else(PoisonError::into_inner);
        let Candidate { names, parents, .. } = clip.clone().into_owned();
        let key = (names, parents);
        if let Some(&known) = lock().get(&key) {
            return known;
        }
        let same_names = self.by_names.get(&*clip.names);
        let same_parents = || self.by_parents.get(&*clip.parents).filter(|_| clip.parents.len() > 1);
        let most_names = || self.most_names(clip).filter(|(_, share)| *share > 0.5).map(|(mesh, _)| mesh);
        let found = same_names.or_else(same_parents).copied().or_else(most_names);
        lock().insert(key, found);
        found
    }

    /// Returns the mesh that has most of a clip's joint names, the first among equals, and their share.
    fn most_names(&self, clip: &Candidate<'_>) -> Option<(usize, f64)> {
        let wanted: HashSet<&[u8]> = clip.names.iter().map(|name| &**name).collect();
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for &(mesh, times) in wanted.iter().filter_map(|name| self.by_joint.get(name)).flatten() {
            *shared.entry(mesh).or_default() += times;
        }
        let (mesh, count) = shared.into_iter().max_by_key(|&(mesh, count)| (count, Reverse(mesh)))?;
        Some((mesh, count as f64 / wanted.len() as f64))
    }
}
