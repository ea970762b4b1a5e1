//! Verdicts of the followed loaders, and the findings that caused their faults.

use super::slips::AFTER_SLIP;
use crate::Options;
use crate::codes::{Rule, x as rules};
use crate::finding::Findings;
use crate::follow;
use crate::profiles::{PROFILES, Profile};
use crate::verdict::Verdict;
use crate::x_loaders::{self, XFile};
use bindpose_parsers::Span;

/// Runs the followed loaders of the chosen engines, and assigns their messages to the findings.
pub(super) fn follow_loaders(
    file: XFile,
    options: &Options,
    findings: &mut Findings,
) -> Vec<(&'static Profile, Verdict)> {
    let verdict = |profile: &'static Profile| Some((profile, x_loaders::load(profile.id, file)?));
    let followed: Vec<_> = PROFILES.iter().filter(|profile| options.contains(profile)).filter_map(verdict).collect();
    for (profile, verdict) in &followed {
        let mut verdict = verdict.clone();
        if let Some(refusal) = &mut verdict.refusal {
            (refusal.rule, refusal.span) = stumble(findings, refusal.rule, refusal.span);
        }
        for place in &mut verdict.misread {
            (place.rule, place.span) = stumble(findings, place.rule, place.span);
        }
        for warning in &mut verdict.warnings {
            (warning.rule, warning.span) = stumble(findings, warning.rule, warning.span);
        }
        follow::say(findings, profile, &verdict, file.name, file.bytes);
    }
    followed
}

/// Faults that a loader may report some distance after their cause.
const STUMBLES: [Rule; 14] = [
    rules::SYNTAX,
    rules::SEPARATOR_MISSING,
    rules::NORMAL_FACES,
    rules::NORMAL_CORNERS,
    rules::TEXTURE_COORDS,
    rules::MATERIAL_INDEX,
    rules::END_INSIDE,
    rules::VALUES_EXTRA,
    rules::COUNT_TOO_LARGE,
    rules::FACE_CORNERS,
    rules::FACE_INDEX,
    rules::KEY_VALUES,
    rules::STRING_END,
    rules::OUT_OF_STEP,
];

/// Returns our nearest preceding finding that may have caused a loader's fault; else the fault itself.
fn stumble(findings: &Findings, rule: Rule, span: Span) -> (Rule, Span) {
    if !STUMBLES.contains(&rule) {
        return (rule, span);
    }
    let causes = AFTER_SLIP.into_iter().chain([rules::COUNT, rules::END_INSIDE, rules::UNCLOSED_STRING]);
    let causes = causes.filter(|cause| ![rules::SEPARATOR_MISSING, rules::SEPARATOR_EXTRA].contains(cause));
    let own =
        causes.filter_map(|cause| Some((cause, findings.get(cause).filter(|known| !known.by_engine)?.first.span)));
    let before = own.filter(|(_, known)| known.start <= span.end);
    before.max_by_key(|(_, known)| known.start).unwrap_or((rule, span))
}
