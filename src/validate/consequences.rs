//! One cause, one finding: findings that follow from another one of the same file are merged into it.

use super::codes::{Rule, anim, pair, shared};
use super::finding::{Finding, Findings};

/// Rules, and those whose findings follow from theirs.
const CONSEQUENCES: [(Rule, &[Rule]); 4] = [
    (
        shared::BLOCK_COUNT,
        &[
            shared::LATE_PARENT,
            shared::SEVERAL_ROOTS,
            shared::PARENT_RANGE,
            anim::UNUSED_COMPONENTS,
            anim::SHARED_COMPONENTS,
            anim::BASEFRAME_COUNT,
            pair::JOINT_COUNT,
            pair::JOINT_NAME,
            pair::JOINT_PARENT,
        ],
    ),
    (shared::LATE_PARENT, &[pair::JOINT_NAME, pair::JOINT_PARENT]),
    (anim::SHARED_COMPONENTS, &[pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
    (anim::UNUSED_COMPONENTS, &[pair::BOUNDS_SMALL, pair::LEAVES_BIND_BOX]),
];

/// True if a finding has the consequences of its rule.
fn is_cause(finding: &Finding) -> bool {
    match () {
        // Behind a missing row every index names another joint. Other counts shift nothing.
        () if shared::BLOCK_COUNT.has(finding.code) => finding.message.starts_with("numJoints"),
        // A joint is at fault, not an exporter that writes more than it needs.
        () if anim::UNUSED_COMPONENTS.has(finding.code) => finding.first.path.is_some(),
        () => true,
    }
}

/// Merges consequences into their causes. Engines' words on a consequence become words on its cause.
pub(super) fn merge(findings: &mut Findings) {
    for (cause, consequences) in CONSEQUENCES {
        if !findings.get(cause).is_some_and(is_cause) {
            continue;
        }
        for &consequence in consequences {
            while let Some(gone) = findings.take(consequence, |_| true) {
                let Some(known) = findings.get_mut(cause) else { return };
                known.note(format!("consequence: {}", gone.message));
                for said in gone.said {
                    if !known.said.contains(&said) {
                        known.said.push(said);
                    }
                }
            }
        }
    }
}
