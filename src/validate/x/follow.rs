//! Verdicts of the followed loaders, and the findings that caused their faults.

use super::slips::AFTER_SLIP;
use super::structure::{self, Block};
use crate::Options;
use crate::codes::{Rule, x as rules};
use crate::finding::{Finding, Findings, on_one_line};
use crate::follow;
use crate::profiles::{PROFILES, Profile};
use crate::verdict::{Accepted, Verdict};
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
    let is_faulty = causes().any(|cause| own(findings, cause).is_some());
    let blocks = body.filter(|_| is_faulty).map_or_else(Vec::new, |body| structure::blocks(file.bytes, body));
    let cause = |findings: &Findings, stops, rule, span| {
        cause_of(findings, file.bytes, &blocks, stops, rule, span).unwrap_or_else(|| stumble(findings, rule, span))
    };
    for (profile, verdict) in &followed {
        let mut verdict = verdict.clone();
        for place in &mut verdict.misread {
            (place.rule, place.span) = cause(findings, false, place.rule, place.span);
        }
        if let Some(refusal) = &mut verdict.refusal {
            // A program that has misread something stumbles over it later.
            let is_before = |place: &&Accepted| {
                [rules::SYNTAX, rules::SEPARATOR_MISSING].contains(&place.rule)
                    && place.span.start <= refusal.span.start
            };
            let misread = verdict.misread.iter().rfind(is_before).filter(|_| STUMBLES.contains(&refusal.rule));
            let found = cause_of(findings, file.bytes, &blocks, true, refusal.rule, refusal.span)
                .or(misread.map(|place| (place.rule, place.span)));
            (refusal.rule, refusal.span) = found.unwrap_or_else(|| stumble(findings, refusal.rule, refusal.span));
        }
        for warning in &mut verdict.warnings {
            (warning.rule, warning.span) = cause(findings, false, warning.rule, warning.span);
        }
        for (rule, span, said) in follow::words(profile, &verdict) {
            findings.say(rule, span, said, file.name, file.bytes);
        }
    }
    followed
}

/// Length up to which a line is about one thing, in bytes.
const LINE: u32 = 200;

/// Faults from which others follow, besides [`AFTER_SLIP`].
const CAUSES: [Rule; 8] = [
    rules::ANIMATED_TWICE,
    rules::COUNT,
    rules::END_INSIDE,
    rules::UNCLOSED_STRING,
    rules::NOT_FINITE,
    rules::KEYS_REPEATED,
    rules::BROKEN_TEMPLATE,
    rules::BRACE_STRAY,
];

/// Faults after which a program understands nothing.
const LOSING_TRACK: [Rule; 7] = [
    rules::LONE_SLASH,
    rules::BYTE_ORDER_MARK,
    rules::ENCODING,
    rules::FLOAT_SIZE,
    rules::UNCLOSED_STRING,
    rules::BRACE_STRAY,
    rules::SYNTAX,
];

/// Faults at which a program may stop, or which it may see, because of another one in the same object.
const CONSEQUENCES: [Rule; 20] = [
    rules::FRACTION,
    rules::INTEGER_RANGE,
    rules::VALUES_MISSING,
    rules::MATERIAL_COUNT,
    rules::MATERIAL_INDICES,
    rules::UNWEIGHTED,
    rules::WEIGHT_INDEX,
    rules::KEY_TYPE,
    rules::KEY_TIMES_FALL,
    rules::LOOSE_WEIGHT,
    rules::WHOLE_NUMBER,
    rules::ODD_NUMBER,
    rules::TYPE_NOT_LISTED,
    rules::UNKNOWN_TYPE,
    rules::OBJECT_SKIPPED,
    rules::SKIPPED_OBJECT,
    rules::KEY_TIMES_IGNORED,
    rules::QUATERNION_LENGTH,
    rules::SEPARATOR_EXTRA,
    rules::SEPARATOR_STRAY,
];

/// Faults of a single word, for which a program may have other words.
const SPELLING: [Rule; 6] = [
    rules::ODD_NUMBER,
    rules::ODD_NAME,
    rules::SEPARATOR_EXTRA,
    rules::SEPARATOR_MISSING,
    rules::UNKNOWN_TYPE,
    rules::LONE_SLASH,
];

/// Returns our own finding of a rule.
fn own(findings: &Findings, rule: Rule) -> Option<&Finding> {
    findings.get(rule).filter(|known| !known.by_engine)
}

fn causes() -> impl Iterator<Item = Rule> {
    AFTER_SLIP.into_iter().chain(CAUSES).chain(LOSING_TRACK).chain(SPELLING)
}

/// Returns our finding that led to a fault that only a program has: one on the same line, one after which the program has
/// lost track, or one in the same object or its siblings. `stops` is true if the program stops at the fault.
fn cause_of(
    findings: &Findings,
    bytes: &[u8],
    blocks: &[Block],
    stops: bool,
    rule: Rule,
    at: Span,
) -> Option<(Rule, Span)> {
    let is_here = |place: Span| place.start.abs_diff(at.start) <= LINE && on_one_line(bytes, place, at);
    if own(findings, rule).is_some_and(|own| own.places().any(|place| is_here(place.span))) {
        return None;
    }
    let first = |cause: Rule| Some((cause, own(findings, cause)?.first.span));
    // All numbers are misread.
    if let Some(commas) = first(rules::DECIMAL_COMMA) {
        return Some(commas);
    }
    let here = |cause: Rule| {
        Some((cause, own(findings, cause)?.places().map(|place| place.span).find(|&span| is_here(span))?))
    };
    if let Some(here) = causes().find_map(here) {
        return Some(here);
    }
    let follows = STUMBLES.iter().chain(&CONSEQUENCES).any(|&known| known == rule);
    if let Some(frame) = first(rules::NESTED_FRAME).filter(|&(_, frame)| stops || follows && frame.start <= at.start) {
        return Some(frame);
    }
    if stops || follows {
        // The end of the word before it may be named instead.
        let is_reached = |span: Span| {
            let before = bytes.get(at.start as usize..span.start as usize).unwrap_or_default();
            before.iter().all(|byte| byte.is_ascii_whitespace() || b";,".contains(byte))
        };
        let lost = LOSING_TRACK.into_iter().filter_map(first).find(|&(_, span)| is_reached(span));
        if let Some(cause) = lost.or_else(|| first(rules::END_INSIDE)) {
            return Some(cause);
        }
    }
    if rule == rules::UNRESOLVED_REFERENCE {
        let names_it = |cause: &Rule| {
            let related = own(findings, *cause).into_iter().flat_map(|own| &own.related);
            related.into_iter().any(|related| on_one_line(bytes, related.span, at))
        };
        let missing = [rules::BONE_MISSING, rules::UNKNOWN_TYPE, rules::DUPLICATE_FRAME].into_iter().find(names_it);
        return first(missing.unwrap_or(rules::ODD_NAME));
    }
    let is_near = |&(_, span): &(Rule, Span)| {
        let Some(inner) = structure::innermost(blocks, span) else { return false };
        let outer = blocks.iter().find(|outer| outer.holds(inner.span) && **outer != inner);
        outer.unwrap_or(&inner).holds(at)
    };
    let near = AFTER_SLIP.into_iter().chain(CAUSES).filter_map(first).filter(is_near);
    near.filter(|_| follows).max_by_key(|(_, span)| span.start)
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
    let own = causes.filter_map(|cause| Some((cause, own(findings, cause)?.first.span)));
    let before = own.filter(|(_, known)| known.start <= span.end);
    before.max_by_key(|(_, known)| known.start).unwrap_or((rule, span))
}
