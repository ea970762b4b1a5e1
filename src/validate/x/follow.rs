//! Verdicts of the followed loaders, and the findings that caused their faults.

use super::slips::AFTER_SLIP;
use super::structure::{self, Block};
use crate::Options;
use crate::codes::{Rule, x as rules};
use crate::consequences::on_one_line;
use crate::finding::Findings;
use crate::follow;
use crate::profiles::{PROFILES, Profile};
use crate::verdict::Verdict;
use crate::x_loaders::{self, XFile};
use bindpose_parsers::Span;

/// Runs the followed loaders of the chosen engines, and assigns their messages to the findings. `body` is the start of the
/// objects of a text file.
pub(super) fn follow_loaders(
    file: XFile,
    body: Option<usize>,
    options: &Options,
    findings: &mut Findings,
) -> Vec<(&'static Profile, Verdict)> {
    let verdict = |profile: &'static Profile| Some((profile, x_loaders::load(profile.id, file)?));
    let followed: Vec<_> = PROFILES.iter().filter(|profile| options.contains(profile)).filter_map(verdict).collect();
    let stops = followed.iter().any(|(_, verdict)| verdict.refusal.is_some());
    let blocks = body.filter(|_| stops).map_or_else(Vec::new, |body| structure::blocks(file.bytes, body));
    for (profile, verdict) in &followed {
        let mut verdict = verdict.clone();
        if let Some(refusal) = &mut verdict.refusal {
            let (rule, span) = (refusal.rule, refusal.span);
            (refusal.rule, refusal.span) = cause_of_stop(findings, file.bytes, &blocks, rule, span)
                .unwrap_or_else(|| stumble(findings, rule, span));
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

/// Length up to which a line is about one thing, in bytes.
const LINE: u32 = 200;

/// Faults from which others follow, besides [`AFTER_SLIP`].
const CAUSES: [Rule; 3] = [rules::COUNT, rules::END_INSIDE, rules::UNCLOSED_STRING];

/// Faults at which a program may stop because of another one in the same object.
const STOPS: [Rule; 9] = [
    rules::FRACTION,
    rules::INTEGER_RANGE,
    rules::VALUES_MISSING,
    rules::MATERIAL_INDICES,
    rules::WEIGHT_INDEX,
    rules::KEY_TYPE,
    rules::LOOSE_WEIGHT,
    rules::WHOLE_NUMBER,
    rules::TYPE_NOT_LISTED,
];

/// Faults of spelling, for which a program may have other words.
const SPELLING: [Rule; 5] =
    [rules::ODD_NUMBER, rules::NOT_FINITE, rules::ODD_NAME, rules::SEPARATOR_EXTRA, rules::SEPARATOR_MISSING];

/// Returns our finding that made a program stop at a fault that only programs have: one on the same line, or one in the
/// same object or its siblings.
fn cause_of_stop(findings: &Findings, bytes: &[u8], blocks: &[Block], rule: Rule, stop: Span) -> Option<(Rule, Span)> {
    let is_here = |place: Span| place.start.abs_diff(stop.start) <= LINE && on_one_line(bytes, place, stop);
    let own = |rule: Rule| findings.get(rule).filter(|known| !known.by_engine);
    if own(rule).is_some_and(|own| own.places().any(|place| is_here(place.span))) {
        return None;
    }
    let first = |cause: Rule| Some((cause, own(cause)?.first.span));
    let causes = || AFTER_SLIP.into_iter().chain(CAUSES);
    let here = causes().chain(SPELLING).filter_map(first).find(|&(_, span)| is_here(span));
    if here.is_some() || !STUMBLES.iter().chain(&STOPS).any(|&known| known == rule) {
        return here;
    }
    let is_near = |&(_, span): &(Rule, Span)| {
        let Some(inner) = structure::innermost(blocks, span) else { return false };
        let outer = blocks.iter().find(|outer| outer.holds(inner.span) && **outer != inner);
        outer.unwrap_or(&inner).holds(stop)
    };
    causes().filter_map(first).filter(is_near).max_by_key(|(_, span)| span.start)
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
    let causes = AFTER_SLIP.into_iter().chain(CAUSES);
    let causes = causes.filter(|cause| ![rules::SEPARATOR_MISSING, rules::SEPARATOR_EXTRA].contains(cause));
    let own =
        causes.filter_map(|cause| Some((cause, findings.get(cause).filter(|known| !known.by_engine)?.first.span)));
    let before = own.filter(|(_, known)| known.start <= span.end);
    before.max_by_key(|(_, known)| known.start).unwrap_or((rule, span))
}
