//! Which clip belongs to which mesh, and whether they agree.

use super::finding::{FileIndex, Findings};
use super::number::pair;
use bindpose_parsers::md5::{AnimFile, MeshFile};
use std::collections::{HashMap, HashSet};

/// A mesh or clip of the files that are checked together.
pub struct Candidate<'d> {
    pub file: FileIndex,
    /// The name without folder and extension.
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

/// The mesh of every clip that has one.
///
/// The same stem decides; then joints with the same names and parents, then the same parents, then most of the
/// names. `together` says that the user named the files himself: then a single mesh takes every clip.
pub fn find(meshes: &[Candidate], anims: &[Candidate], together: bool) -> Vec<(usize, usize)> {
    anims.iter().enumerate().filter_map(|(index, anim)| Some((mesh_for(meshes, anim, together)?, index))).collect()
}

fn mesh_for(meshes: &[Candidate], anim: &Candidate, together: bool) -> Option<usize> {
    if together && meshes.len() == 1 {
        return Some(0);
    }
    let same_stem = meshes.iter().position(|mesh| mesh.stem.eq_ignore_ascii_case(&anim.stem));
    let same = || meshes.iter().position(|mesh| mesh.names == anim.names && mesh.parents == anim.parents);
    let same_shape = || meshes.iter().position(|mesh| mesh.parents == anim.parents && mesh.parents.len() > 1);
    let mostly = || {
        let wanted: HashSet<&[u8]> = anim.names.iter().copied().collect();
        let shared = |mesh: &Candidate| mesh.names.iter().filter(|name| wanted.contains(*name)).count();
        let best = meshes.iter().enumerate().max_by_key(|(_, mesh)| shared(mesh))?;
        (2 * shared(best.1) > wanted.len()).then_some(best.0)
    };
    same_stem.or_else(same).or_else(same_shape).or_else(mostly)
}

/// Two files that were compared.
pub struct Files<'a, 'd> {
    pub mesh: &'d MeshFile<'a>,
    pub mesh_file: FileIndex,
    pub anim: &'d AnimFile<'a>,
}

/// Count, names, order and parents; whether joint by joint comparisons make sense afterwards.
pub fn check(files: &Files, findings: &mut Findings) -> bool {
    let (mesh, anim) = (&files.mesh.joints, &files.anim.hierarchy);
    let mut agree = true;
    if mesh.len() != anim.len() {
        agree = false;
        let added = findings.add(pair::COUNT, files.anim.num_joints.span, || {
            format!("the clip has {} joints, the mesh has {}", anim.len(), mesh.len())
        });
        if let Some(finding) = added {
            finding.value("mesh", mesh.len()).value("anim", anim.len());
            finding.related(files.mesh_file, files.mesh.num_joints.span, "declared here");
            missing_joints(files, finding);
        }
    }
    let mut by_name: HashMap<&[u8], usize> = HashMap::new();
    for (index, joint) in mesh.iter().enumerate() {
        by_name.entry(joint.name.bytes.as_ref()).or_insert(index);
    }
    // After a missing joint everything stands elsewhere: then only unknown names are news.
    let in_order = mesh.len() == anim.len();
    for (index, channel) in anim.iter().enumerate() {
        let path = || Some(format!("joint[{index}]"));
        let known = by_name.get(channel.name.bytes.as_ref()).copied();
        let opposite = mesh.get(index).filter(|_| in_order);
        let renamed = match opposite {
            Some(joint) => joint.name.bytes != channel.name.bytes,
            None => known.is_none(),
        };
        if renamed {
            agree = false;
            let added = findings.add_at(pair::NAME, channel.name.span, path, || {
                let name = channel.name.to_name();
                match opposite {
                    Some(joint) => {
                        format!("joint {index} is '{}' in the mesh and '{name}' in the clip", joint.name.to_name())
                    }
                    None => format!("joint {index} '{name}' of the clip is no joint of the mesh"),
                }
            });
            if let Some(finding) = added {
                finding.value("name", opposite.map_or_else(|| channel.name.to_name(), |joint| joint.name.to_name()));
                if let Some(joint) = opposite {
                    finding.related(files.mesh_file, joint.name.span, "the mesh's joint");
                }
                if let Some(other) = known.and_then(|known| mesh.get(known)) {
                    finding.note(format!("the mesh has '{}' as joint {}", other.name.to_name(), known.unwrap_or(0)));
                } else if let Some(near) = nearest(&channel.name.to_name(), files.mesh) {
                    finding.note(format!("the mesh has no such name; the nearest is '{near}'"));
                }
            }
            continue;
        }
        check_parent(files, index, known, &by_name, findings, &mut agree);
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
    for (names, what) in [(absent, "only in the mesh"), (surplus, "only in the clip")] {
        if !names.is_empty() {
            let rest = names.len().saturating_sub(10);
            let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
            finding.note(format!("{what}: {}{more}", names.iter().take(10).cloned().collect::<Vec<_>>().join(", ")));
        }
    }
}

fn check_parent(
    files: &Files,
    index: usize,
    known: Option<usize>,
    by_name: &HashMap<&[u8], usize>,
    findings: &mut Findings,
    agree: &mut bool,
) {
    let (mesh, anim) = (&files.mesh.joints, &files.anim.hierarchy);
    let in_order = mesh.len() == anim.len();
    let (Some(channel), Some(joint)) = (anim.get(index), known.and_then(|known| mesh.get(known))) else { return };
    let name_of_channel = |at: i64| usize::try_from(at).ok().and_then(|at| anim.get(at)).map(|parent| &parent.name);
    let name_of_joint = |at: i64| usize::try_from(at).ok().and_then(|at| mesh.get(at)).map(|parent| &parent.name);
    let (theirs, ours) = (name_of_channel(channel.parent.value), name_of_joint(joint.parent.value));
    let path = || Some(format!("joint[{index}]"));
    if let Some(parent) = theirs.filter(|parent| !by_name.contains_key(parent.bytes.as_ref())) {
        let added = findings.add_at(pair::UNMAPPED, channel.parent.span, path, || {
            format!(
                "joint {index} '{}' hangs under '{}', which the mesh does not have",
                channel.name.to_name(),
                parent.to_name()
            )
        });
        if let Some(finding) = added {
            finding.value("name", channel.name.to_name());
        }
    }
    // Indices are compared by the engines; with other counts only names can be.
    let same = if in_order {
        channel.parent.value.max(-1) == joint.parent.value.max(-1)
    } else {
        theirs.map(|name| &name.bytes) == ours.map(|name| &name.bytes)
    };
    if !same {
        *agree = false;
        let words = |name: Option<&bindpose_parsers::md5::Text>| {
            name.map_or("none".to_owned(), |name| format!("'{}'", name.to_name()))
        };
        let added = findings.add_at(pair::PARENT, channel.parent.span, path, || {
            format!(
                "joint {index} '{}' has parent {} in the mesh and {} in the clip",
                channel.name.to_name(),
                words(ours),
                words(theirs)
            )
        });
        if let Some(finding) = added {
            finding.value("name", channel.name.to_name());
            finding.related(files.mesh_file, joint.parent.span, "the parent in the mesh");
        }
    }
}

/// The joint whose name is written most like `name`.
fn nearest(name: &str, mesh: &MeshFile) -> Option<String> {
    let distance = |joint: &String| (edit_distance(&name.to_lowercase(), &joint.to_lowercase()), joint.len());
    let nearest = mesh.joints.iter().map(|joint| joint.name.to_name()).min_by_key(distance)?;
    (edit_distance(&name.to_lowercase(), &nearest.to_lowercase()) <= name.len().max(3) / 3).then_some(nearest)
}

/// Letters to insert, remove or exchange.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().take(64).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (slot, &other) in row.iter_mut().skip(1).zip(&b) {
            let best = (diagonal + usize::from(letter != other)).min(left + 1).min(*slot + 1);
            diagonal = *slot;
            *slot = best;
            left = best;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// The rate that most clips have; the first of several.
pub fn usual_rate(rates: &[f64]) -> Option<f64> {
    let count = |rate: f64| rates.iter().filter(|&&other| other == rate).count();
    rates.iter().copied().reduce(|usual, rate| if count(rate) > count(usual) { rate } else { usual })
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn names_that_are_alike_are_near() {
        assert_eq!(edit_distance("spine", "spine"), 0);
        assert_eq!(edit_distance("spine", "spine1"), 1);
        assert_eq!(edit_distance("hand", "band"), 1);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("kitten", "sitting"), 3);
    }
}
