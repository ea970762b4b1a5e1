//! Pairs of meshes and clips, and their differences.

use super::finding::{FileIndex, Findings, OWN_FILE};
use crate::codes::pair;
use bindpose_parsers::counted;
use bindpose_parsers::md5::{AnimFile, Channel, MeshFile};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// A mesh or clip among the files that are checked together.
pub struct Candidate<'d> {
    pub file: FileIndex,
    /// Name without folder and extension.
    pub stem: String,
    pub names: Vec<&'d [u8]>,
    pub parents: Vec<i64>,
}

impl<'d> Candidate<'d> {
    pub fn mesh(file: FileIndex, stem: String, mesh: &'d MeshFile<'_>) -> Self {
        let names = mesh.joints.iter().map(|joint| joint.name.bytes.as_ref()).collect();
        let parents = mesh.joints.iter().map(|joint| joint.parent.value.max(-1)).collect();
        Self { file, stem, names, parents }
    }

    pub fn anim(file: FileIndex, stem: String, anim: &'d AnimFile<'_>) -> Self {
        let names = anim.hierarchy.iter().map(|channel| channel.name.bytes.as_ref()).collect();
        let parents = anim.hierarchy.iter().map(|channel| channel.parent.value.max(-1)).collect();
        Self { file, stem, names, parents }
    }
}

/// Largest number of meshes without clips of their own with which one clip is compared. Further ones with the same
/// joints would give the same findings.
const MESHES_OF_A_CLIP: usize = 16;

/// Pairs meshes and clips, ordered by clip.
///
/// A clip belongs to the mesh of the same name, and to every mesh with the same joint names and parents (the first
/// [`MESHES_OF_A_CLIP`]). If it has a mesh of the same name, meshes with another clip of their own name are excluded.
/// Otherwise it belongs to the first mesh with the same parents, or to the one that has most of its joint names. With
/// `together`, the user named the files, and a single mesh gets every clip.
pub fn find(meshes: &[Candidate], anims: &[Candidate], together: bool) -> Vec<(usize, usize)> {
    if together && meshes.len() == 1 {
        return (0..anims.len()).map(|anim| (0, anim)).collect();
    }
    let known = Known::new(meshes, anims);
    let mut alike = HashMap::new();
    let mut pairs = Vec::new();
    for (at, anim) in anims.iter().enumerate() {
        pairs.extend(known.meshes_of(anim, &mut alike).into_iter().map(|mesh| (mesh, at)));
    }
    pairs
}

/// Names and parents of joints.
type Hierarchy<'c, 'd> = (&'c [&'d [u8]], &'c [i64]);

/// Index of meshes for matching clips. Meshes with equal hierarchies are compared once.
struct Known<'c, 'd> {
    /// First mesh with each name, in lower case.
    by_stem: HashMap<String, usize>,
    by_hierarchy: HashMap<Hierarchy<'c, 'd>, Rig>,
    /// First mesh with these parents.
    by_parents: HashMap<&'c [i64], usize>,
    /// For each joint name, the first mesh of every hierarchy that contains it, and the number of its joints with that
    /// name.
    by_joint: HashMap<&'d [u8], Vec<(usize, usize)>>,
}

/// Meshes with the same hierarchy.
#[derive(Default)]
struct Rig {
    /// All of them, or the first [`MESHES_OF_A_CLIP`].
    meshes: Vec<usize>,
    /// Those without a clip of the same name.
    without_clip: Vec<usize>,
}

impl<'c, 'd> Known<'c, 'd> {
    fn new(meshes: &'c [Candidate<'d>], anims: &[Candidate]) -> Self {
        let clips: HashSet<String> = anims.iter().map(|anim| anim.stem.to_lowercase()).collect();
        let mut known = Self {
            by_stem: HashMap::new(),
            by_hierarchy: HashMap::new(),
            by_parents: HashMap::new(),
            by_joint: HashMap::new(),
        };
        for (at, mesh) in meshes.iter().enumerate() {
            let stem = mesh.stem.to_lowercase();
            let rig: &mut Rig = known.by_hierarchy.entry((&mesh.names, &mesh.parents)).or_default();
            if rig.meshes.is_empty() {
                known.by_parents.entry(&mesh.parents).or_insert(at);
                for &name in &mesh.names {
                    let rigs = known.by_joint.entry(name).or_default();
                    match rigs.last_mut() {
                        Some((last, times)) if *last == at => *times += 1,
                        _ => rigs.push((at, 1)),
                    }
                }
            }
            if rig.meshes.len() < MESHES_OF_A_CLIP {
                rig.meshes.push(at);
            }
            if rig.without_clip.len() < MESHES_OF_A_CLIP && !clips.contains(&stem) {
                rig.without_clip.push(at);
            }
            known.by_stem.entry(stem).or_insert(at);
        }
        known
    }

    /// Returns the meshes for a clip. `alike` caches the mesh for hierarchies that no mesh has.
    fn meshes_of<'a>(&self, anim: &'a Candidate, alike: &mut HashMap<Hierarchy<'a, 'a>, Option<usize>>) -> Vec<usize> {
        let namesake = self.by_stem.get(&anim.stem.to_lowercase()).copied();
        let rig = self.by_hierarchy.get(&(&*anim.names, &*anim.parents));
        if let Some(namesake) = namesake {
            let others = rig.into_iter().flat_map(|rig| &rig.without_clip).copied();
            return std::iter::once(namesake).chain(others.filter(|&mesh| mesh != namesake)).collect();
        }
        if let Some(rig) = rig {
            return rig.meshes.clone();
        }
        let most_alike = alike.entry((&anim.names, &anim.parents)).or_insert_with(|| {
            let same_parents = self.by_parents.get(&*anim.parents).filter(|_| anim.parents.len() > 1);
            same_parents.copied().or_else(|| self.with_most_names(anim))
        });
        most_alike.iter().copied().collect()
    }

    /// Returns the mesh that has most of a clip's joint names, if more than half; the first among equals.
    fn with_most_names(&self, anim: &Candidate) -> Option<usize> {
        let wanted: HashSet<&[u8]> = anim.names.iter().copied().collect();
        let mut shared: HashMap<usize, usize> = HashMap::new();
        for &(mesh, times) in wanted.iter().filter_map(|name| self.by_joint.get(name)).flatten() {
            *shared.entry(mesh).or_default() += times;
        }
        let (mesh, count) = shared.into_iter().max_by_key(|&(mesh, count)| (count, Reverse(mesh)))?;
        (2 * count > wanted.len()).then_some(mesh)
    }
}

/// Number of letters compared of long names.
const LETTERS_COMPARED: usize = 64;

/// Two files that are compared.
pub struct Files<'a, 'd> {
    pub mesh: &'d MeshFile<'a>,
    pub mesh_file: FileIndex,
    pub anim: &'d AnimFile<'a>,
}

/// Compares count, names, order and parents. Returns true if comparing joint by joint makes sense afterwards.
pub fn check(files: &Files, findings: &mut Findings) -> bool {
    let (mesh, anim) = (&files.mesh.joints, &files.anim.hierarchy);
    let mut agree = true;
    if mesh.len() != anim.len() {
        let added = findings.add(pair::JOINT_COUNT, files.anim.num_joints.span, || {
            format!("the clip has {}, but the mesh has {}", counted(anim.len(), "joint", "joints"), mesh.len())
        });
        if let Some(finding) = added {
            finding.value("mesh", mesh.len()).value("anim", anim.len());
            finding.related(files.mesh_file, files.mesh.num_joints.span, "declared here");
            missing_joints(files, finding);
        }
        // After a missing joint, every index names another one.
        return false;
    }
    let mut by_name: HashMap<&[u8], usize> = HashMap::new();
    for (index, joint) in mesh.iter().enumerate() {
        by_name.entry(joint.name.bytes.as_ref()).or_insert(index);
    }
    for (index, channel) in anim.iter().enumerate() {
        let path = || Some(format!("joint[{index}]"));
        let known = by_name.get(channel.name.bytes.as_ref()).copied();
        let Some(opposite) = mesh.get(index) else { continue };
        if opposite.name.bytes != channel.name.bytes {
            agree = false;
            let added = findings.add_at(pair::JOINT_NAME, channel.name.span, path, || {
                let (ours, theirs) = (opposite.name.to_name(), channel.name.to_name());
                format!("joint {index} is '{ours}' in the mesh and '{theirs}' in the clip")
            });
            if let Some(finding) = added {
                finding.value("name", opposite.name.to_name());
                finding.related(files.mesh_file, opposite.name.span, "the mesh's joint");
                if let Some(other) = known.and_then(|known| mesh.get(known)) {
                    finding.note(format!("the mesh has '{}' as joint {}", other.name.to_name(), known.unwrap_or(0)));
                } else if let Some(near) = nearest(&channel.name.to_name(), files.mesh) {
                    finding.note(format!("the mesh has no such name; the nearest is '{near}'"));
                }
            }
            continue;
        }
        check_parent(files, index, findings, &mut agree);
    }
    agree
}

fn missing_joints(files: &Files, finding: &mut super::finding::Finding) {
    let in_anim: HashSet<&[u8]> = files.anim.hierarchy.iter().map(|channel| channel.name.bytes.as_ref()).collect();
    let in_mesh: HashSet<&[u8]> = files.mesh.joints.iter().map(|joint| joint.name.bytes.as_ref()).collect();
    let mut absent: Vec<String> = Vec::new();
    for joint in files.mesh.joints.iter().filter(|joint| !in_anim.contains(joint.name.bytes.as_ref())) {
        absent.push(format!("'{}'", joint.name.to_name()));
    }
    let mut surplus: Vec<String> = Vec::new();
    for channel in files.anim.hierarchy.iter().filter(|channel| !in_mesh.contains(channel.name.bytes.as_ref())) {
        surplus.push(format!("'{}'", channel.name.to_name()));
    }
    let is_surplus = |channel: &&Channel| !in_mesh.contains(channel.name.bytes.as_ref());
    if let (true, [_], Some(row)) = (absent.is_empty(), &surplus[..], files.anim.hierarchy.iter().find(is_surplus)) {
        finding.related(OWN_FILE, finding.first.span, "declared here");
        finding.first.span = row.name.span;
    }
    for (names, what) in [(absent, "only in the mesh"), (surplus, "only in the clip")] {
        if !names.is_empty() {
            let rest = names.len().saturating_sub(10);
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            finding.note(format!("{what}: {}{more}", names.iter().take(10).cloned().collect::<Vec<_>>().join(", ")));
        }
    }
}

fn check_parent(files: &Files, index: usize, findings: &mut Findings, agree: &mut bool) {
    let (mesh, anim) = (&files.mesh.joints, &files.anim.hierarchy);
    let (Some(channel), Some(joint)) = (anim.get(index), mesh.get(index)) else { return };
    let name_of_channel = |at: i64| usize::try_from(at).ok().and_then(|at| anim.get(at)).map(|parent| &parent.name);
    let name_of_joint = |at: i64| usize::try_from(at).ok().and_then(|at| mesh.get(at)).map(|parent| &parent.name);
    let (theirs, ours) = (name_of_channel(channel.parent.value), name_of_joint(joint.parent.value));
    let path = || Some(format!("joint[{index}]"));
    if channel.parent.value.max(-1) != joint.parent.value.max(-1) {
        *agree = false;
        // Engines compare indices. Names are only shown if they differ too.
        let has_names = theirs.zip(ours).is_some_and(|(theirs, ours)| theirs.bytes != ours.bytes);
        let words = |parent: i64, name: Option<&bindpose_parsers::md5::Text>| match name {
            Some(name) if has_names => format!("'{}'", name.to_name()),
            _ if parent < 0 => "none".to_owned(),
            _ => parent.to_string(),
        };
        let added = findings.add_at(pair::JOINT_PARENT, channel.parent.span, path, || {
            format!(
                "joint {index} '{}' has parent {} in the mesh and {} in the clip",
                channel.name.to_name(),
                words(joint.parent.value, ours),
                words(channel.parent.value, theirs)
            )
        });
        if let Some(finding) = added {
            finding.value("name", channel.name.to_name());
            finding.related(files.mesh_file, joint.parent.span, "the parent in the mesh");
        }
    }
}

/// Returns the most similar joint name to `name`, if at most a third of its letters differ.
fn nearest(name: &str, mesh: &MeshFile) -> Option<String> {
    let comparable = |name: &str| name.chars().take(LETTERS_COMPARED).flat_map(char::to_lowercase).collect::<String>();
    let wanted = comparable(name);
    let distance_to = |joint: String| (strsim::levenshtein(&wanted, &comparable(&joint)), joint.len(), joint);
    let (distance, _, nearest) = mesh.joints.iter().map(|joint| distance_to(joint.name.to_name())).min()?;
    (distance <= name.len().max(3) / 3).then_some(nearest)
}

/// Returns the most common rate; the first among equals.
pub fn usual_rate(rates: &[f64]) -> Option<f64> {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for rate in rates {
        *counts.entry(rate.to_bits()).or_default() += 1;
    }
    let count = |rate: f64| counts.get(&rate.to_bits()).copied().unwrap_or(0);
    rates.iter().copied().reduce(|usual, rate| if count(rate) > count(usual) { rate } else { usual })
}

#[cfg(test)]
mod tests {
    use super::{Candidate, find};

    fn candidate(stem: &str, names: &[&'static str], parents: &[i64]) -> Candidate<'static> {
        let names = names.iter().map(|name| name.as_bytes()).collect();
        Candidate { file: 0, stem: stem.to_owned(), names, parents: parents.to_vec() }
    }

    #[test]
    fn clips_belong_to_the_meshes_that_they_fit() {
        let rig = |stem: &str| candidate(stem, &["root", "arm", "hand"], &[-1, 0, 1]);
        let other = |stem: &str| candidate(stem, &["base", "lid", "hinge"], &[-1, 0, 1]);
        let chain = |stem: &str| candidate(stem, &["root", "arm", "hand", "tip"], &[-1, 0, 1, 2]);
        /// Meshes, clips, and expected pairs.
        type Case<'a> = (&'a [Candidate<'a>], &'a [Candidate<'a>], &'a [(&'a str, &'a str)]);
        let cases: [Case; 8] = [
            (&[rig("body"), rig("light")], &[rig("walk")], &[("body", "walk"), ("light", "walk")]),
            // Every mesh has a clip of the same name, as the Quake engines load them.
            (&[rig("rock"), rig("nail")], &[rig("rock"), rig("NAIL")], &[("rock", "rock"), ("nail", "NAIL")]),
            // The mesh without one gets those that fit.
            (&[rig("rock"), rig("nail")], &[rig("rock")], &[("rock", "rock"), ("nail", "rock")]),
            // A name takes precedence over joints, but other meshes still get the clip.
            (&[chain("walk"), rig("body")], &[rig("walk")], &[("walk", "walk"), ("body", "walk")]),
            // Parents alone are a guess, used only if nothing better matches.
            (&[other("box"), rig("body")], &[rig("run")], &[("body", "run")]),
            (&[other("box"), other("chest")], &[rig("run")], &[("box", "run")]),
            // Most of the names match.
            (&[other("box"), chain("body")], &[candidate("run", &["root", "arm"], &[-1, 0])], &[("body", "run")]),
            (&[other("box")], &[candidate("run", &["root", "arm"], &[-1, 0])], &[]),
        ];
        for (meshes, anims, expected) in cases {
            let found = find(meshes, anims, false);
            let names: Vec<_> = found.iter().map(|&(m, a)| (meshes[m].stem.as_str(), anims[a].stem.as_str())).collect();
            assert_eq!(names, expected);
        }
        let alone = [other("box")];
        assert_eq!(find(&alone, &[candidate("run", &["root"], &[-1])], true), [(0, 0)]);
    }

    #[test]
    fn one_clip_is_compared_with_so_many_meshes_of_one_skeleton() {
        let rig = |stem: String| candidate(&stem, &["root", "arm"], &[-1, 0]);
        let meshes: Vec<Candidate> = (0..100).map(|at| rig(format!("m{at}"))).collect();
        let anims = [rig("walk".into()), rig("m99".into()), rig("m7".into())];
        let found = find(&meshes, &anims, false);
        let of = |clip| found.iter().filter(|&&(_, anim)| anim == clip).map(|&(mesh, _)| mesh).collect::<Vec<_>>();
        assert_eq!(of(0), (0..16).collect::<Vec<_>>());
        // The mesh of the same name, and those without a clip of their own.
        let without: Vec<usize> = (0..17).filter(|&at| at != 7).collect();
        assert_eq!(of(1), [&[99], &without[..]].concat());
        assert_eq!(of(2), [&[7], &without[..]].concat());
    }

    /// Comparing each clip with each mesh would take 16 million times 20 steps.
    #[test]
    fn many_meshes_and_clips_are_no_product() {
        const RIGS: usize = 4000;
        let names: &'static [String] = (0..20 * RIGS).map(|at| format!("j{at}")).collect::<Vec<_>>().leak();
        let joints = |rig: usize, count| names[20 * rig..][..count].iter().map(String::as_str).collect::<Vec<_>>();
        let meshes: Vec<Candidate> =
            (0..RIGS).map(|at| candidate(&format!("m{at}"), &joints(at, 20), &[-1; 20])).collect();
        // One joint fewer than the mesh: found by the common names.
        let anims: Vec<Candidate> =
            (0..RIGS).map(|at| candidate(&format!("a{at}"), &joints(RIGS - 1 - at, 19), &[-1; 19])).collect();
        let expected: Vec<(usize, usize)> = (0..RIGS).map(|at| (RIGS - 1 - at, at)).collect();
        assert_eq!(find(&meshes, &anims, false), expected);
    }
}
