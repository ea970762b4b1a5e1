//! Names and parents, in meshes and clips alike.

use crate::codes::{Group, mesh, shared};
use crate::finding::{Findings, OWN_FILE};
use bindpose_parsers::Span;
use bindpose_parsers::md5::{Int, Text};
use std::collections::HashMap;

/// A line of `joints { … }` or of `hierarchy { … }`.
pub struct JointLine<'a, 'b> {
    pub name: &'b Text<'a>,
    pub parent: Int,
    pub span: Span,
}

/// What both kinds of files share; `head` is where the number of joints stands.
pub fn check(group: Group, joints: &[JointLine], head: Span, findings: &mut Findings) {
    check_count(group, joints.len() as u64, head, findings);
    let mut roots: Option<usize> = None;
    let mut names: HashMap<&[u8], usize> = HashMap::with_capacity(joints.len());
    for (index, joint) in joints.iter().enumerate() {
        let path = || Some(format!("joint[{index}]"));
        check_name(group, joint, index, findings);
        if let Some(&first) = names.get(joint.name.bytes.as_ref()) {
            let name = joint.name.to_name();
            let added = findings.add_at(shared::DUPLICATE_JOINT, joint.name.span, path, || {
                format!("joint {index} is named '{name}' as joint {first} is")
            });
            if let (Some(finding), Some(first)) = (added, joints.get(first)) {
                finding.value("name", &name).related(OWN_FILE, first.name.span, "the first of that name");
            }
        } else {
            names.insert(joint.name.bytes.as_ref(), index);
        }
        let parent = joint.parent.value;
        if parent < -1 || parent >= joints.len() as i64 {
            let added = findings.add_at(shared::PARENT_RANGE, joint.parent.span, path, || {
                format!("joint {index} '{}' has parent {parent}, expected -1 to {}", joint.name.to_name(), index)
            });
            if let Some(finding) = added {
                finding.value("name", joint.name.to_name()).value("found", parent);
                finding.value("n", joints.len()).value("max", joints.len().saturating_sub(1));
            }
        } else if parent >= index as i64 {
            let added = findings.add_at(shared::LATE_PARENT, joint.parent.span, path, || {
                let what = if parent == index as i64 { "itself" } else { "a later one" };
                format!("joint {index} '{}' has joint {parent} as its parent, {what}", joint.name.to_name())
            });
            if let Some(finding) = added {
                finding.value("found", parent).value("name", joint.name.to_name());
                if let Some(parent) = usize::try_from(parent).ok().and_then(|parent| joints.get(parent)) {
                    finding.related(OWN_FILE, parent.span, "the parent");
                }
            }
        }
        if parent < 0 {
            match roots {
                None => roots = Some(index),
                Some(first) => {
                    let other = joints.get(first).map_or_else(String::new, |root| root.name.to_name());
                    let added = findings.add_at(shared::SEVERAL_ROOTS, joint.span, path, || {
                        format!("joints '{other}' and '{}' are both roots", joint.name.to_name())
                    });
                    if let (Some(finding), Some(first)) = (added, joints.get(first)) {
                        finding.related(OWN_FILE, first.span, "the first root");
                    }
                }
            }
        }
        for limit in super::exceeded(group, shared::PARENT_128, parent.max(0) as u64).take(1) {
            let most = limit.most;
            findings.add_at(shared::PARENT_128, joint.parent.span, path, || {
                format!("joint {index} '{}' has parent {parent}, but a signed byte holds {most}", joint.name.to_name())
            });
        }
    }
}

fn check_count(group: Group, count: u64, head: Span, findings: &mut Findings) {
    for rule in [shared::JOINTS_256, shared::JOINTS_64] {
        let limits: Vec<_> = super::exceeded(group, rule, count).collect();
        let Some(first) = limits.first() else { continue };
        let added = findings.add(rule, head, || format!("{count} joints, but {} hold {}", "some engines", first.most));
        if let Some(finding) = added {
            finding.value("n", count);
            finding.only = Some(limits.iter().map(|limit| limit.profile).collect());
        }
    }
}

fn check_name(group: Group, joint: &JointLine, index: usize, findings: &mut Findings) {
    let length = joint.name.bytes.len();
    let path = || Some(format!("joint[{index}]"));
    if super::exceeded(group, shared::LONG_JOINT_NAME, length as u64).next().is_some() {
        let name = joint.name.to_name();
        let added = findings.add_at(shared::LONG_JOINT_NAME, joint.name.span, path, || {
            format!("the name of joint {index} has {length} bytes, but some engines keep 31")
        });
        if let Some(finding) = added {
            let kept: String = String::from_utf8_lossy(joint.name.bytes.get(..31).unwrap_or_default()).into_owned();
            finding.value("name", kept).value("n", length).note(format!("the name is '{name}'"));
        }
    }
    if joint.name.bytes.contains(&b' ') {
        findings.add_at(shared::UNQUOTED_NAME, joint.name.span, path, || {
            format!("the name of joint {index}, '{}', holds a blank", joint.name.to_name())
        });
    }
}

/// A quaternion's written part longer than this has no real w.
const LONGEST: f64 = 1.0 + 1e-3;

/// Is there a w for x, y and z?
pub fn check_rotation(rotation: [f64; 3], span: Span, path: impl FnOnce() -> String, findings: &mut Findings) {
    let squared: f64 = rotation.iter().map(|part| part * part).sum();
    if squared > LONGEST {
        let added = findings.add_at(
            shared::QUATERNION_LENGTH,
            span,
            || Some(path()),
            || format!("x² + y² + z² of the quaternion is {squared:.6}, more than 1"),
        );
        if let Some(finding) = added {
            finding.value("n", format!("{squared:.6}"));
        }
    }
}

/// Doom 3's channels take the joints that follow one until a parent lies before it.
pub fn check_subtrees(joints: &[JointLine], findings: &mut Findings) {
    let parent = |index: usize| joints.get(index).and_then(|joint| usize::try_from(joint.parent.value).ok());
    // Walking down, the joint's parent must be the last joint or one of its ancestors.
    for (index, joint) in joints.iter().enumerate().skip(1) {
        let Some(wanted) = parent(index).filter(|&wanted| wanted < index) else { continue };
        let mut above = Some(index - 1);
        let mut steps = 0;
        while let Some(at) = above.filter(|&at| at != wanted && steps <= joints.len()) {
            above = parent(at).filter(|&next| next < at);
            steps += 1;
        }
        if above.is_none() {
            findings.add_at(
                mesh::SPLIT_SUBTREE,
                joint.span,
                || Some(format!("joint[{index}]")),
                || {
                    format!(
                        "joint {index} '{}' does not stand with the other descendants of its parent",
                        joint.name.to_name()
                    )
                },
            );
        }
    }
}
