//! Names and parents of joints, in meshes and clips.

use crate::codes::{Group, mesh, shared};
use crate::finding::{Findings, OWN_FILE};
use crate::taint::Part;
use bindpose_parsers::Span;
use bindpose_parsers::md5::{Int, Text};
use std::collections::{HashMap, HashSet};
use std::fmt::Display;

/// A line of `joints { … }` or of `hierarchy { … }`.
pub struct JointLine<'a, 'b> {
    pub name: &'b Text<'a>,
    pub parent: Int,
    pub span: Span,
}

/// Checks that both kinds of files share. `head` is the span of the joint count.
pub fn check(group: Group, joints: &[JointLine], head: Span, findings: &mut Findings) {
    check_count(group, joints.len() as u64, head, findings);
    let is_known = !findings.broken.any(&[Part::Joints]);
    let circles = in_circles(joints);
    for (index, joint) in joints.iter().enumerate() {
        check_name(group, joint, index, findings);
        if is_known {
            check_parent(joints, index, circles.get(index) == Some(&true), findings);
        }
        check_signed_byte(group, index, joint, findings);
    }
    if is_known {
        check_duplicates(joints, findings);
        check_roots(joints, findings);
    }
}

/// Reports names shared by several joints.
fn check_duplicates(joints: &[JointLine], findings: &mut Findings) {
    let mut first_of: HashMap<&[u8], (usize, Span)> = HashMap::with_capacity(joints.len());
    for (index, joint) in joints.iter().enumerate() {
        let Some(&(first, span)) = first_of.get(joint.name.bytes.as_ref()) else {
            first_of.insert(joint.name.bytes.as_ref(), (index, joint.name.span));
            continue;
        };
        let added = findings.add_at(shared::DUPLICATE_JOINT, joint.name.span, format_args!("joint[{index}]"), || {
            format!("joints {first} and {index} are both named '{}'", joint.name.to_name())
        });
        added.related(OWN_FILE, span, "the first of that name");
        findings.broken.mark_all(&[Part::Value, Part::Twice], joint.span);
    }
}

/// Marks the joints that are their own ancestors.
fn in_circles(joints: &[JointLine]) -> Vec<bool> {
    let parent = |joint: usize| usize::try_from(joints.get(joint)?.parent.value).ok().filter(|&it| it < joints.len());
    // Number of the traversal that reached a joint first, from 1.
    let mut walk_of = vec![0; joints.len()];
    let mut marked = vec![false; joints.len()];
    for start in 0..joints.len() {
        let (walk, mut at) = (start + 1, Some(start));
        while let Some(joint) = at.filter(|&joint| walk_of.get(joint) == Some(&0)) {
            walk_of[joint] = walk;
            at = parent(joint);
        }
        while let Some(joint) = at.filter(|&joint| walk_of.get(joint) == Some(&walk) && !marked[joint]) {
            marked[joint] = true;
            at = parent(joint);
        }
    }
    marked
}

/// Reports a parent that is not a joint, or comes after its child.
fn check_parent(joints: &[JointLine], index: usize, is_in_circle: bool, findings: &mut Findings) {
    let Some(joint) = joints.get(index) else { return };
    let path = format_args!("joint[{index}]");
    let parent = joint.parent.value;
    if parent < -1 {
        findings.add_at(shared::NEGATIVE_PARENT, joint.parent.span, path, || {
            format!("joint {index} '{}' has parent {parent}, expected -1 or more", joint.name.to_name())
        });
        findings.broken.mark(Part::Value, joint.span);
    } else if parent >= joints.len() as i64 {
        findings.add_at(shared::PARENT_RANGE, joint.parent.span, path, || {
            format!("joint {index} '{}' has parent {parent}, expected -1 or an earlier joint", joint.name.to_name())
        });
    } else if parent >= index as i64 {
        let added = findings.add_at(shared::LATE_PARENT, joint.parent.span, path, || {
            let what = match () {
                () if parent == index as i64 => "itself",
                () if is_in_circle => "one of its own descendants: the parents form a circle",
                () => "a later one",
            };
            format!("joint {index} '{}' has joint {parent} as its parent, which is {what}", joint.name.to_name())
        });
        let above = usize::try_from(parent).ok().and_then(|parent| joints.get(parent));
        let above = above.map_or(joint.span, |above| above.span);
        added.related(OWN_FILE, above, "the parent");
        findings.broken.mark(Part::Joints, joint.span);
    }
}

/// Reports more than one root.
fn check_roots(joints: &[JointLine], findings: &mut Findings) {
    let mut roots = joints.iter().enumerate().filter(|(_, joint)| joint.parent.value < 0);
    let Some((_, first)) = roots.next() else { return };
    let mut names = HashSet::from([&first.name.bytes]);
    for (index, joint) in roots {
        // A repeated root has been reported already.
        if !names.insert(&joint.name.bytes) || findings.broken.within(&[Part::Value], joint.span) {
            continue;
        }
        let added = findings.add_at(shared::SEVERAL_ROOTS, joint.span, format_args!("joint[{index}]"), || {
            format!("joints '{}' and '{}' are both roots", first.name.to_name(), joint.name.to_name())
        });
        added.related(OWN_FILE, first.span, "the first root");
        findings.broken.mark(Part::Value, joint.span);
    }
}

/// Reports parents that do not fit the signed byte of some engines.
fn check_signed_byte(group: Group, index: usize, joint: &JointLine, findings: &mut Findings) {
    let parent = joint.parent.value;
    if let Some(limit) = super::exceeded(group, shared::PARENT_128, parent.max(0) as u64).next() {
        let most = limit.most;
        findings.add_at(shared::PARENT_128, joint.parent.span, format_args!("joint[{index}]"), || {
            format!("joint {index} '{}' has parent {parent}, but a signed byte holds {most}", joint.name.to_name())
        });
    }
}

fn check_count(group: Group, count: u64, head: Span, findings: &mut Findings) {
    for rule in [shared::JOINTS_256, shared::JOINTS_64] {
        let limits: Vec<_> = super::exceeded(group, rule, count).collect();
        let Some(first) = limits.first() else { continue };
        findings
            .add(rule, head, || format!("{count} joints, but some engines have room for {}", first.most))
            .only(limits.iter().map(|limit| limit.profile).collect());
    }
}

fn check_name(group: Group, joint: &JointLine, index: usize, findings: &mut Findings) {
    let length = joint.name.bytes.len();
    let path = format_args!("joint[{index}]");
    if super::exceeded(group, shared::LONG_JOINT_NAME, length as u64).next().is_some() {
        let name = joint.name.to_name();
        let added = findings.add_at(shared::LONG_JOINT_NAME, joint.name.span, path, || {
            format!("the name of joint {index} has {length} bytes, but some engines keep 31")
        });
        added.note(format_args!("the name is '{name}'"));
    }
    if joint.name.bytes.is_empty() {
        findings.add_at(shared::EMPTY_JOINT_NAME, joint.name.span, path, || format!("joint {index} has no name"));
    }
    if joint.name.bytes.contains(&b' ') && !findings.broken.within(&[Part::Value, Part::Bytes], joint.span) {
        findings.broken.mark(Part::Value, joint.span);
        findings.add_at(shared::UNQUOTED_NAME, joint.name.span, path, || {
            format!("the name of joint {index}, '{}', contains a space", joint.name.to_name())
        });
    }
}

/// Longest quaternion vector that still has a real w.
const LONGEST: f64 = 1.0 + 1e-3;

/// Square of the length from which a vector is no quaternion at all: no part of one exceeds 1.
const LARGEST_SQUARE: f64 = 3.0 + 1e-3;

/// Reports a rotation whose x, y and z leave no real w.
pub fn check_rotation(rotation: [f64; 3], span: impl FnOnce() -> Span, path: impl Display, findings: &mut Findings) {
    let squared: f64 = rotation.iter().map(|part| part * part).sum();
    if squared > LONGEST {
        let span = span();
        findings.broken.mark(Part::Value, span);
        let added = findings.add_at(shared::QUATERNION_LENGTH, span, path, || {
            format!("x² + y² + z² of the quaternion is {squared:.6}, more than 1")
        });
        if squared > LARGEST_SQUARE {
            added.remedy("write x, y and z of a unit quaternion; these numbers seem to be angles");
        }
    }
}

/// Reports joints whose siblings' descendants are not contiguous. Doom 3's channels take the joints after a joint until
/// one has an earlier parent. So a joint's parent must be the joint before it or an ancestor of that joint.
pub fn check_subtrees(joints: &[JointLine], findings: &mut Findings) {
    let parent_of = |index: usize| {
        let parent = joints.get(index).and_then(|joint| usize::try_from(joint.parent.value).ok());
        parent.filter(|&parent| parent < index)
    };
    // Every joint's descendants get numbers that follow its own, so that ancestry is a range test.
    let mut sizes = vec![1; joints.len()];
    for index in (0..joints.len()).rev() {
        if let Some(parent) = parent_of(index) {
            sizes[parent] += sizes[index];
        }
    }
    let mut numbers = vec![0; joints.len()];
    let mut next_below = vec![0; joints.len()];
    let mut next_root = 0;
    for index in 0..joints.len() {
        let next = parent_of(index).map_or(&mut next_root, |parent| &mut next_below[parent]);
        numbers[index] = *next;
        *next += sizes[index];
        next_below[index] = numbers[index] + 1;
    }
    for (index, joint) in joints.iter().enumerate().skip(1) {
        let Some(parent) = parent_of(index) else { continue };
        let below_parent = numbers[parent]..numbers[parent] + sizes[parent];
        if !below_parent.contains(&numbers[index - 1]) {
            findings.add_at(mesh::SPLIT_SUBTREE, joint.span, format_args!("joint[{index}]"), || {
                format!(
                    "joint {index} '{}' is not listed together with the other descendants of its parent",
                    joint.name.to_name()
                )
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    /// Returns the number of joints that are separated from their parents' other descendants.
    fn apart(parents: &[i64]) -> usize {
        let name = Text { bytes: Cow::Borrowed(b"a"), span: Span::default() };
        let line = |&value: &i64| JointLine {
            name: &name,
            parent: Int { value, span: Span::default() },
            span: Span::default(),
        };
        let joints: Vec<JointLine> = parents.iter().map(line).collect();
        let mut findings = Findings::new(Group::Mesh);
        check_subtrees(&joints, &mut findings);
        findings.get(mesh::SPLIT_SUBTREE).map_or(0, |finding| finding.count)
    }

    #[test]
    fn descendants_stand_together() {
        assert_eq!(apart(&[-1, 0, 1, 1, 0, 4, -1, 6]), 0);
        // 3 is a child of 1, but 2 between them is not.
        assert_eq!(apart(&[-1, 0, 0, 1]), 1);
        assert_eq!(apart(&[-1, -1, 0, 1]), 2);
        // An invalid or later parent counts as a root.
        assert_eq!(apart(&[5, 0, 9, 2, 0]), 1);
    }

    /// Climbing from each joint to the root would take more than 10^10 steps.
    #[test]
    fn long_chains_take_no_time() {
        let count = 200_000;
        let chain = -1..count;
        // Parents alternate between the root and the far end of the chain.
        let parents: Vec<i64> = chain.chain((0..count).flat_map(|_| [0, count])).collect();
        assert_eq!(apart(&parents), count as usize);
    }
}
