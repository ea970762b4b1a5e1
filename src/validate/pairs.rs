//! Differences between the meshes and clips that are paired.

use super::finding::{FileIndex, Findings, OWN_FILE};
use super::taint::{Broken, Part};
use crate::codes::pair;
use bindpose_core::pairing::Difference;
use bindpose_core::suggest;
use bindpose_parsers::counted;
use bindpose_parsers::md5::{AnimFile, Channel, MeshFile, Text};
use std::collections::{HashMap, HashSet};

/// Two files that are compared.
pub struct Files<'a, 'd> {
    pub mesh: &'d MeshFile<'a>,
    pub mesh_file: FileIndex,
    pub anim: &'d AnimFile<'a>,
    /// Broken parts of mesh and clip.
    pub broken: [&'d Broken; 2],
}

/// Compares count, names, order and parents. Returns true if comparing joint by joint makes sense afterwards.
pub fn check(files: &Files, findings: &mut Findings) -> bool {
    let (mesh, anim) = (&files.mesh.joints, &files.anim.hierarchy);
    let mut agree = true;
    if mesh.len() != anim.len() {
        let added = findings.add(pair::JOINT_COUNT, files.anim.num_joints.span, || {
            format!("the clip has {}, but the mesh has {}", counted(anim.len(), "joint", "joints"), mesh.len())
        });
        if let Some(finding) = added.related(files.mesh_file, files.mesh.num_joints.span, "declared here").0 {
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
        let known = by_name.get(channel.name.bytes.as_ref()).copied();
        let Some(opposite) = mesh.get(index) else { continue };
        let rows = files.broken.iter().zip([opposite.span, channel.span]);
        if rows.into_iter().any(|(broken, row)| broken.within(&[Part::Value, Part::Bytes], row)) {
            let parents = [channel.parent.value, opposite.parent.value].map(|parent| parent.max(-1));
            agree &= opposite.name.bytes == channel.name.bytes && parents[0] == parents[1];
            continue;
        }
        if opposite.name.bytes != channel.name.bytes {
            agree = false;
            let added = findings.add_at(pair::JOINT_NAME, channel.name.span, format_args!("joint[{index}]"), || {
                let (mesh, clip) = (opposite.name.to_name(), channel.name.to_name());
                Difference::Name { joint: index, mesh, clip }.to_string()
            });
            if let Some(finding) = added.0 {
                finding.related(files.mesh_file, opposite.name.span, "the mesh's joint");
                if let Some(other) = known.and_then(|known| mesh.get(known)) {
                    finding.note(format!("the mesh has '{}' as joint {}", other.name.to_name(), known.unwrap_or(0)));
                    continue;
                }
                let names: Vec<String> = mesh.iter().map(|joint| joint.name.to_name()).collect();
                if let Some(near) = suggest::nearest_name(&channel.name.to_name(), names.iter().map(String::as_str)) {
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
    let quoted = |name: &Text| format!("'{}'", name.to_name());
    let absent = files.mesh.joints.iter().filter(|joint| !in_anim.contains(joint.name.bytes.as_ref()));
    let absent: Vec<String> = absent.map(|joint| quoted(&joint.name)).collect();
    let is_surplus = |channel: &&Channel| !in_mesh.contains(channel.name.bytes.as_ref());
    let rows: Vec<&Channel> = files.anim.hierarchy.iter().filter(is_surplus).collect();
    let surplus: Vec<String> = rows.iter().map(|channel| quoted(&channel.name)).collect();
    if let (true, [row]) = (absent.is_empty(), &rows[..]) {
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
    if channel.parent.value.max(-1) != joint.parent.value.max(-1) {
        *agree = false;
        // Engines compare indices. Names are only shown if they differ too.
        let has_names = theirs.zip(ours).is_some_and(|(theirs, ours)| theirs.bytes != ours.bytes);
        let words = |parent: i64, name: Option<&Text>| match name {
            Some(name) if has_names => format!("'{}'", name.to_name()),
            _ if parent < 0 => "none".to_owned(),
            _ => parent.to_string(),
        };
        let added = findings.add_at(pair::JOINT_PARENT, channel.parent.span, format_args!("joint[{index}]"), || {
            format!(
                "joint {index} '{}' has parent {} in the mesh and {} in the clip",
                channel.name.to_name(),
                words(joint.parent.value, ours),
                words(channel.parent.value, theirs)
            )
        });
        added.related(files.mesh_file, joint.parent.span, "the parent in the mesh");
    }
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
