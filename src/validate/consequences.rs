//! Merging of findings that follow from another finding of the same file: one cause, one finding.

use super::checked::{Checked, Pair};
use super::codes::{Rule, anim, mesh, pair, shared};
use super::finding::{Finding, Findings, OWN_FILE, Place};
use super::verdict::Outcome;
use bindpose_parsers::Span;

/// Rules, each with the rules whose findings follow from it.
const CONSEQUENCES: [(Rule, &[Rule]); 16] = [
    (
        shared::BLOCK_COUNT,
        &[
            shared::LATE_PARENT,
            shared::SEVERAL_ROOTS,
            shared::DUPLICATE_JOINT,
            shared::PARENT_RANGE,
            anim::UNUSED_COMPONENTS,
            anim::SHARED_COMPONENTS,
            anim::BASEFRAME_COUNT,
            anim::COMPONENT_COUNT,
            pair::JOINT_COUNT,
            pair::JOINT_NAME,
            pair::JOINT_PARENT,
        ],
    ),
    (shared::LATE_PARENT, &[shared::PARENT_RANGE, pair::JOINT_NAME, pair::JOINT_PARENT]),
    (shared::SEVERAL_ROOTS, &[pair::JOINT_PARENT]),
    (shared::INTEGER_WRAPS, &[shared::COUNT, mesh::RECORD_COUNT, anim::COMPONENT_COUNT]),
    (anim::SHARED_COMPONENTS, &[anim::UNUSED_COMPONENTS, pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
    (anim::UNUSED_COMPONENTS, &[pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
    (anim::COMPONENT_RANGE, &[anim::SHARED_COMPONENTS, anim::UNUSED_COMPONENTS]),
    (anim::FRAME_VALUES, &[anim::COMPONENT_RANGE, anim::COMPONENT_COUNT]),
    (anim::FRAME_ORDER, &[anim::FRAME_MISSING, shared::SURPLUS_BLOCK, anim::BOUNDS_COUNT, pair::BOUNDS_SMALL]),
    (anim::FRAME_MISSING, &[anim::BOUNDS_COUNT]),
    (anim::BLOCK_MISSING, &[anim::BASEFRAME_COUNT]),
    (anim::BOUNDS_COUNT, &[pair::BOUNDS_SMALL]),
    (anim::BOUNDS_INVERTED, &[pair::BOUNDS_SMALL]),
    (shared::NOT_FINITE, &[pair::BOUNDS_SMALL, shared::RATE_ZERO, mesh::NO_WEIGHTS]),
    (shared::FLOAT_OVERFLOW, &[mesh::NO_WEIGHTS]),
    (mesh::RECORD_COUNT, &[mesh::INDEX_RANGE, mesh::FAR_VERTEX, mesh::WEIGHT_SUM]),
];

/// True if a finding has the consequences listed for its rule.
fn is_cause(finding: &Finding) -> bool {
    match () {
        // After a missing row, every index names another joint. Other counts shift nothing.
        () if shared::BLOCK_COUNT.has(finding.code) => finding.message.starts_with("numJoints"),
        // The finding is about a joint, not about an exporter that writes more than necessary.
        () if anim::UNUSED_COMPONENTS.has(finding.code) => finding.first.path.is_some(),
        // The count is wrong, not a frame.
        () if anim::FRAME_VALUES.has(finding.code) => finding.message.starts_with("numAnimatedComponents"),
        // The numbers have a gap. The order of frames is right.
        () if anim::FRAME_ORDER.has(finding.code) => finding.count == 1,
        // The other way round too few vertices make vertices far.
        () if mesh::RECORD_COUNT.has(finding.code) => finding.count == 1,
        () => true,
    }
}

/// True if a finding of a listed rule follows from a cause.
fn follows(cause: &Finding, finding: &Finding, bytes: &[u8]) -> bool {
    let is = |rules: &[Rule]| rules.iter().any(|rule| rule.has(finding.code));
    let is_at_cause = || {
        let touches = |place: &Place| on_one_line(bytes, place.span, finding.first.span);
        finding.count == 1 && cause.places().any(touches)
    };
    match () {
        // Index errors that only engines find follow from the count or order that they use.
        () if is(&[mesh::INDEX_RANGE, shared::PARENT_RANGE]) => {
            finding.by_engine || shared::BLOCK_COUNT.has(cause.code)
        }
        () if is(&[shared::RATE_ZERO]) => is_at_cause(),
        () if shared::SEVERAL_ROOTS.has(cause.code) || shared::INTEGER_WRAPS.has(cause.code) => is_at_cause(),
        // All weights after a gap belong to other vertices.
        () if is(&[mesh::WEIGHT_SUM]) => cause.message.starts_with("numweights"),
        () if is(&[mesh::NO_WEIGHTS]) => finding.message.contains("only weights of 0"),
        () => true,
    }
}

/// True if no line ends between two spans.
pub(super) fn on_one_line(bytes: &[u8], a: Span, b: Span) -> bool {
    let (from, to) = (a.end.min(b.end), a.start.max(b.start));
    !bytes.get(from as usize..to as usize).unwrap_or_default().contains(&b'\n')
}

/// Merges consequences into their causes, with the engines' messages about them.
pub(super) fn merge(findings: &mut Findings, bytes: &[u8]) {
    place_record_count(findings, bytes);
    for (cause, consequences) in CONSEQUENCES {
        let Some(known) = findings.get(cause).filter(|known| is_cause(known)).cloned() else { continue };
        for &consequence in consequences {
            while let Some(gone) = findings.take(consequence, |finding| follows(&known, finding, bytes)) {
                let Some(known) = findings.get_mut(cause) else { return };
                known.note(format!("consequence: {}", gone.message));
                known.add_said(gone.said);
            }
        }
    }
}

/// Moves the finding about a wrong count of records to the first record with a wrong number: one is missing before it, or it is
/// repeated.
fn place_record_count(findings: &mut Findings, bytes: &[u8]) {
    let (Some(count), Some(numbers)) = (findings.get(mesh::RECORD_COUNT), findings.get(mesh::RECORD_NUMBER)) else {
        return;
    };
    // Another count between them begins another list.
    let between = bytes.get(count.first.span.end as usize..numbers.first.span.start as usize);
    let is_of_list = between.is_some_and(|between| memchr::memmem::find(between, b"num").is_none());
    if count.count > 1 || numbers.count == 1 || !is_of_list {
        return;
    }
    let Some(numbers) = findings.take(mesh::RECORD_NUMBER, |_| true) else { return };
    let Some(count) = findings.get_mut(mesh::RECORD_COUNT) else { return };
    count.message = format!("{}: {}", count.message, numbers.message);
    count.related(OWN_FILE, count.first.span, "the count");
    count.first = numbers.first;
    count.add_said(numbers.said);
}

/// Merges the differences between a clip and its mesh into the mesh's own fault about the same joint.
pub(super) fn merge_pairs(checked: &mut [Checked], pairs: &[Pair]) {
    for pair in pairs {
        let cause = checked.get(pair.mesh).and_then(|mesh| mesh.findings.get(shared::LATE_PARENT)).cloned();
        let Some((cause, clip)) = cause.zip(checked.get_mut(pair.anim)) else { continue };
        let is_same = |finding: &Finding| cause.places().any(|place| place.path == finding.first.path);
        let gone: Vec<Finding> = [pair::JOINT_PARENT, pair::JOINT_NAME]
            .into_iter()
            .filter_map(|rule| clip.findings.take(rule, is_same))
            .collect();
        let name = clip.name.clone();
        let Some(known) = checked.get_mut(pair.mesh).and_then(|mesh| mesh.findings.get_mut(shared::LATE_PARENT)) else {
            continue;
        };
        for gone in gone {
            known.note(format!("consequence in {name}: {}", gone.message));
            let refused = gone.said.iter().filter(|said| said.outcome > Outcome::Loads);
            let words: Vec<String> = refused.map(|said| format!("{}: {}", said.profile.name, said.message)).collect();
            words.into_iter().for_each(|words| _ = known.note(words));
        }
    }
}
