//! Merging of findings that follow from another finding of the same file: one cause, one finding.

use super::checked::{Checked, Document, Pair};
use super::codes::{Rule, anim, mesh, pair, shared};
use super::finding::{Finding, Findings, OWN_FILE, Place, on_one_line};
use super::verdict::Outcome;
use bindpose_parsers::Span;

/// Rules, each with the rules whose findings follow from it.
const CONSEQUENCES: [(Rule, &[Rule]); 24] = [
    (
        shared::COMMENT,
        &[shared::BLOCK_COUNT, anim::FRAME_MISSING, anim::BOUNDS_COUNT, anim::BLOCK_MISSING, pair::BOUNDS_SMALL],
    ),
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
    (shared::NEGATIVE_PARENT, &[shared::SEVERAL_ROOTS, pair::JOINT_PARENT]),
    (shared::SEVERAL_ROOTS, &[pair::JOINT_PARENT]),
    (shared::INTEGER_WRAPS, &[shared::COUNT, mesh::RECORD_COUNT, anim::COMPONENT_COUNT]),
    (anim::SHARED_COMPONENTS, &[anim::UNUSED_COMPONENTS, pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
    (anim::UNUSED_COMPONENTS, &[anim::BASEFRAME_NEEDED, pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
    (anim::COMPONENT_RANGE, &[anim::SHARED_COMPONENTS, anim::UNUSED_COMPONENTS]),
    (anim::FRAME_VALUES, &[anim::COMPONENT_RANGE, anim::COMPONENT_COUNT]),
    (
        anim::FRAME_ORDER,
        &[anim::FRAME_MISSING, anim::FRAME_VALUES, shared::SURPLUS_BLOCK, anim::BOUNDS_COUNT, pair::BOUNDS_SMALL],
    ),
    (anim::FRAME_MISSING, &[anim::BOUNDS_COUNT, shared::SYNTAX]),
    (anim::BLOCK_MISSING, &[anim::BASEFRAME_COUNT]),
    (anim::BOUNDS_COUNT, &[pair::BOUNDS_SMALL]),
    (anim::BOUNDS_INVERTED, &[pair::BOUNDS_SMALL]),
    (shared::NOT_ASCII, &[shared::UNQUOTED_NAME, pair::JOINT_NAME]),
    (shared::UNQUOTED_NAME, &[pair::JOINT_NAME]),
    (mesh::WEIGHT_SUM, &[shared::FRACTION_DROPPED]),
    (shared::NOT_FINITE, &[pair::BOUNDS_SMALL, shared::RATE_ZERO, mesh::NO_WEIGHTS]),
    (shared::FLOAT_OVERFLOW, &[mesh::NO_WEIGHTS, pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
    (shared::QUATERNION_LENGTH, &[pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
    (anim::FLAGS, &[anim::BASEFRAME_NEEDED, pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
    (mesh::RECORD_COUNT, &[mesh::INDEX_RANGE, mesh::FAR_VERTEX, mesh::WEIGHT_SUM]),
    (mesh::RECORD_NUMBER, &[mesh::FAR_VERTEX]),
];

/// Rules of our own findings, each with the rules of findings that only engines make and that follow from them.
const BY_ENGINES: [(Rule, &[Rule]); 6] = [
    (shared::SYNTAX, &[mesh::RECORD_COUNT, anim::BLOCK_MISSING, anim::COMPONENT_RANGE]),
    (shared::KEYWORD_SPELLING, &[mesh::INDEX_RANGE, anim::BLOCK_MISSING]),
    (shared::UNQUOTED_NAME, &[shared::BLOCK_COUNT]),
    (shared::BLOCK_COUNT, &[mesh::TOO_MANY_MESHES]),
    (anim::FRAME_VALUES, &[anim::COMPONENT_RANGE, anim::NO_COMPONENTS]),
    (pair::JOINT_NAME, &[pair::JOINT_PARENT, pair::UNMAPPED_PARENT]),
];

/// Rules about words that engines read as something else, or as several words.
const SPELLING: [Rule; 6] = [
    shared::NOT_FINITE,
    shared::NUMBER_SPELLING,
    shared::OTHER_BASE,
    shared::FRACTION_DROPPED,
    shared::CHARACTER,
    shared::NOT_ASCII,
];

/// Rules of findings that only engines make, and that follow from such a word before them.
const AFTER_SPELLING: [Rule; 6] = [
    shared::SYNTAX,
    shared::BLOCK_COUNT,
    shared::PARENT_RANGE,
    mesh::RECORD_COUNT,
    anim::FRAME_VALUES,
    anim::COMPONENT_RANGE,
];

/// Rules about counts, which may also be spelled in a way that few readers understand.
const COUNTS: [Rule; 6] = [
    shared::BLOCK_COUNT,
    shared::SURPLUS_BLOCK,
    anim::FRAME_MISSING,
    anim::FRAME_VALUES,
    anim::COMPONENT_COUNT,
    mesh::RECORD_COUNT,
];

/// Rules with consequences on their own lines only.
const AT_CAUSE: [Rule; 6] = [
    shared::SEVERAL_ROOTS,
    shared::NEGATIVE_PARENT,
    shared::INTEGER_WRAPS,
    shared::NOT_ASCII,
    shared::UNQUOTED_NAME,
    mesh::WEIGHT_SUM,
];

/// True if a finding has the consequences listed for its rule.
fn is_cause(finding: &Finding, bytes: &[u8]) -> bool {
    match () {
        // After a missing row, every index names another joint. Other counts shift nothing.
        () if shared::BLOCK_COUNT.has(finding.code) => {
            let line = bytes.get(finding.first.span.range()).unwrap_or_default();
            finding.subject == Some("numJoints") || line.starts_with(b"numJoints")
        }
        // A comment with an end hides nothing.
        () if shared::COMMENT.has(finding.code) => finding.subject == Some("/*"),
        // The finding is about a joint, not about an exporter that writes more than necessary.
        () if anim::UNUSED_COMPONENTS.has(finding.code) => finding.first.path.is_some(),
        // The count is wrong, not a frame.
        () if anim::FRAME_VALUES.has(finding.code) => finding.subject == Some("numAnimatedComponents"),
        // The other way round too few vertices make vertices far.
        () if mesh::RECORD_COUNT.has(finding.code) => finding.count == 1,
        // A single wrong number moves no record.
        () if mesh::RECORD_NUMBER.has(finding.code) => finding.count > 1,
        () => true,
    }
}

/// True if a finding of a listed rule follows from a cause.
fn follows(cause: &Finding, finding: &Finding, bytes: &[u8]) -> bool {
    let is = |rules: &[Rule]| rules.iter().any(|rule| rule.has(finding.code));
    let is_at_cause = || {
        let touches = |place: &Place| on_one_line(bytes, place.span, finding.first.span);
        finding.count <= cause.count && cause.places().any(touches)
    };
    match () {
        // Index errors that only engines find follow from the count or order that they use.
        () if is(&[mesh::INDEX_RANGE, shared::PARENT_RANGE]) => {
            finding.by_engine || shared::BLOCK_COUNT.has(cause.code)
        }
        () if is(&[shared::RATE_ZERO, shared::SYNTAX]) => is_at_cause(),
        () if AT_CAUSE.iter().any(|rule| rule.has(cause.code)) => is_at_cause(),
        // All weights after a gap belong to other vertices.
        () if is(&[mesh::WEIGHT_SUM]) => cause.subject == Some("numweights"),
        () if is(&[mesh::NO_WEIGHTS]) => finding.subject == Some("weight"),
        // Each frame with another's number is in the place of that one.
        () if anim::FRAME_ORDER.has(cause.code) && cause.count > 1 => {
            is(&[pair::BOUNDS_SMALL]) && finding.count <= cause.count
        }
        () if is(&[anim::FRAME_VALUES]) && anim::FRAME_ORDER.has(cause.code) => finding.subject == Some("frame"),
        () if is(&[anim::BASEFRAME_NEEDED]) => finding.count <= cause.count,
        // Each such number spoils one frame.
        () if shared::QUATERNION_LENGTH.has(cause.code) || shared::FLOAT_OVERFLOW.has(cause.code) => {
            finding.count <= cause.count
        }
        () => true,
    }
}

/// Merges consequences into their causes, with the engines' messages about them.
pub(super) fn merge(findings: &mut Findings, bytes: &[u8]) {
    merge_spelling(findings);
    place_record_count(findings, bytes);
    for (cause, consequences) in CONSEQUENCES {
        let Some(known) = findings.get(cause).filter(|known| is_cause(known, bytes)).cloned() else { continue };
        for &consequence in consequences {
            while let Some(gone) = findings.take(consequence, |finding| follows(&known, finding, bytes)) {
                let Some(known) = findings.get_mut(cause) else { return };
                known.note(format!("consequence: {}", gone.message));
                known.add_said(gone.said);
            }
        }
    }
    BY_ENGINES
        .into_iter()
        .for_each(|(cause, consequences)| merge_by_engines(findings, cause, consequences, |_, _| true));
    for cause in SPELLING {
        // The end of the word before it may be named instead, or the count of the records.
        let is_behind = |cause: &Finding, finding: &Finding| {
            mesh::RECORD_COUNT.has(finding.code)
                || cause.first.span.start <= finding.first.span.end
                || on_one_line(bytes, cause.first.span, finding.first.span)
        };
        merge_by_engines(findings, cause, &AFTER_SPELLING, is_behind);
    }
    // Some engines do not read a weight with a fraction for its joint.
    let is_swapped = |cause: &Finding, _: &Finding| cause.subject == Some("joint");
    merge_by_engines(findings, mesh::WEIGHT_SUM, &[mesh::RECORD_COUNT], is_swapped);
}

/// Merges findings of some rules that only engines make into our own finding of a rule.
fn merge_by_engines(
    findings: &mut Findings,
    cause: Rule,
    consequences: &[Rule],
    follows: impl Fn(&Finding, &Finding) -> bool,
) {
    let Some(known) = findings.get(cause).filter(|known| !known.by_engine).cloned() else { return };
    for &consequence in consequences {
        while let Some(gone) = findings.take(consequence, |finding| finding.by_engine && follows(&known, finding)) {
            let Some(known) = findings.get_mut(cause) else { return };
            known.add_said(gone.said);
        }
    }
}

/// Merges the spelling of a count such as `1e3` into the finding that the count is wrong.
fn merge_spelling(findings: &mut Findings) {
    for rule in COUNTS {
        let Some(count) = findings.get(rule).map(|count| count.first.span) else { continue };
        let is_same = |spelling: &Finding| spelling.count == 1 && spelling.first.span == count;
        let Some(spelling) = findings.take(shared::FRACTION_DROPPED, is_same) else { continue };
        let Some(known) = findings.get_mut(rule) else { return };
        known.note(spelling.message);
        known.add_said(spelling.said);
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
        merge_missing_row(checked, pair);
        merge_quotes(checked, pair);
        merge_repeated_row(checked, pair);
        for rule in [shared::LATE_PARENT, shared::NEGATIVE_PARENT] {
            merge_pair(checked, pair, rule, &[pair::JOINT_PARENT, pair::JOINT_NAME], |cause, finding| {
                cause.places().any(|place| place.path == finding.first.path)
            });
        }
    }
}

/// Merges names that differ because of the mesh's quotes into the finding about those.
fn merge_quotes(checked: &mut [Checked], pair: &Pair) {
    let Some(bytes) = checked.get(pair.mesh).map(|mesh| mesh.bytes) else { return };
    merge_pair(checked, pair, shared::NOT_ASCII, &[pair::JOINT_NAME], |cause, finding| {
        let is_there = |joint: Span| cause.places().any(|place| on_one_line(bytes, place.span, joint));
        finding.count <= cause.count && finding.related.first().is_some_and(|joint| is_there(joint.span))
    });
}

/// Merges a repeated joint of a mesh into the finding that its clip has one joint less.
fn merge_repeated_row(checked: &mut [Checked], pair: &Pair) {
    let Some((mesh, clip)) = checked.get(pair.mesh).zip(checked.get(pair.anim)) else { return };
    let (Document::Mesh(file), Document::Anim(anim)) = (&mesh.document, &clip.document) else { return };
    if file.joints.len() != anim.hierarchy.len() + 1 || clip.findings.get(pair::JOINT_COUNT).is_none() {
        return;
    }
    let index = mesh.file;
    let twice = checked
        .get_mut(pair.mesh)
        .and_then(|mesh| mesh.findings.take(shared::DUPLICATE_JOINT, |known| known.count == 1 && !known.by_engine));
    let count = checked.get_mut(pair.anim).and_then(|clip| clip.findings.get_mut(pair::JOINT_COUNT));
    let (Some(twice), Some(count)) = (twice, count) else { return };
    count.message = format!("{}: {}", count.message, twice.message);
    count.related(index, twice.first.span, "this row may be one too many");
    count.remedy = Some("remove the second row from the mesh, or export again");
}

/// Names the joint whose row a mesh lacks, if its clip has just one more: all later parents are then off by one. The row
/// may be in a comment.
fn merge_missing_row(checked: &mut [Checked], pair: &Pair) {
    let Some((mesh, clip)) = checked.get(pair.mesh).zip(checked.get(pair.anim)) else { return };
    let (Document::Mesh(file) | Document::Joints(file), Document::Anim(anim)) = (&mesh.document, &clip.document) else {
        return;
    };
    let names = file.joints.iter().map(|joint| &joint.name.bytes);
    let at = names.clone().zip(&anim.hierarchy).take_while(|(name, channel)| **name == channel.name.bytes).count();
    let rest = anim.hierarchy.iter().skip(at + 1).map(|channel| &channel.name.bytes);
    let Some(missing) = anim.hierarchy.get(at).filter(|_| names.skip(at).eq(rest)) else { return };
    let row = file.joints.get(at).map(|joint| joint.span);
    let name = missing.name.to_name();
    let is_cause = |rule: &Rule| mesh.findings.get(*rule).is_some_and(|known| is_cause(known, mesh.bytes));
    let Some(rule) = [shared::BLOCK_COUNT, shared::LATE_PARENT].into_iter().find(is_cause) else { return };
    let is_in_it = |comment: &Finding| {
        let text = mesh.bytes.get(comment.first.span.range()).unwrap_or_default();
        memchr::memmem::find(text, &[b"\"", &*missing.name.bytes, b"\""].concat()).is_some()
    };
    let comment = mesh.findings.get(shared::COMMENT).filter(|comment| is_in_it(comment));
    let comment = comment.map(|comment| comment.first.span);
    if !merge_pair(checked, pair, rule, &[pair::JOINT_COUNT, pair::JOINT_NAME, pair::JOINT_PARENT], |_, _| true)
        && comment.is_none()
    {
        return;
    }
    let Some(findings) = checked.get_mut(pair.mesh).map(|mesh| &mut mesh.findings) else { return };
    // The last joint has another index.
    let names_joint = |finding: &Finding| finding.values.contains(&("what", "joint".to_owned()));
    let gone = findings.take(mesh::INDEX_RANGE, names_joint);
    let Some(known) = findings.get_mut(rule) else { return };
    if let Some(gone) = gone {
        known.note(format!("consequence: {}", gone.message));
        known.add_said(gone.said);
    }
    known.message = match comment {
        Some(_) => format!("the row of joint {at} '{name}' is in a comment: {}", known.message),
        None => format!("the row of joint {at} '{name}' seems to be missing: {}", known.message),
    };
    known.remedy = Some("restore the row, or export again");
    if let (true, Some(row)) = (shared::LATE_PARENT.has(known.code), row) {
        known.first.span = row;
    }
    if let Some(comment) = comment {
        known.first.span = comment;
        let others =
            [shared::COMMENT, shared::BLOCK_COUNT, shared::LATE_PARENT].into_iter().filter(|&other| other != rule);
        let gone: Vec<Finding> = others.filter_map(|other| findings.take(other, |_| true)).collect();
        if let Some(known) = findings.get_mut(rule) {
            gone.into_iter().for_each(|gone| known.add_said(gone.said));
        }
    }
}

/// Merges those of a clip's findings of some rules that follow from its mesh's finding of a rule. Returns true if there
/// are any.
fn merge_pair(
    checked: &mut [Checked],
    pair: &Pair,
    rule: Rule,
    consequences: &[Rule],
    is_same: impl Fn(&Finding, &Finding) -> bool,
) -> bool {
    let cause = checked.get(pair.mesh).and_then(|mesh| mesh.findings.get(rule)).cloned();
    let Some((cause, clip)) = cause.zip(checked.get_mut(pair.anim)) else { return false };
    let gone: Vec<Finding> =
        consequences.iter().filter_map(|&rule| clip.findings.take(rule, |finding| is_same(&cause, finding))).collect();
    let name = clip.name.clone();
    let Some(known) = checked.get_mut(pair.mesh).and_then(|mesh| mesh.findings.get_mut(rule)) else { return false };
    for gone in &gone {
        known.note(format!("consequence in {name}: {}", gone.message));
        let refused = gone.said.iter().filter(|said| said.outcome > Outcome::Loads);
        let words: Vec<String> = refused.map(|said| format!("{}: {}", said.profile.name, said.message)).collect();
        words.into_iter().for_each(|words| _ = known.note(words));
    }
    !gone.is_empty()
}
