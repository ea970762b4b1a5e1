//! Verdicts of the followed loaders, and assignment of their messages to findings.

use super::models::{Missing, Names};
use crate::Options;
use crate::codes::{Group, Rule, x as rules};
use crate::finding::{Findings, on_one_line};
use crate::follow;
use crate::profiles::{PROFILES, Profile};
use crate::taint::{Part, Scope};
use crate::verdict::{Accepted, Verdict};
use crate::x_loaders::{self, XFile};
use bindpose_parsers::Span;

/// Runs the followed loaders of the chosen engines, and assigns their messages to the findings.
pub(super) fn follow_loaders(
    file: XFile,
    names: &Names,
    options: &Options,
    findings: &mut Findings,
) -> Vec<(&'static Profile, Verdict)> {
    let verdict = |profile: &'static Profile| Some((profile, x_loaders::load(profile.id, file)?));
    let followed: Vec<_> = PROFILES.iter().filter(|profile| options.contains(profile)).filter_map(verdict).collect();
    for (profile, verdict) in &followed {
        let mut verdict = verdict.clone();
        move_to_misread(&mut verdict);
        for (rule, span, said) in follow::words(profile, &verdict) {
            let (rule, span) = of_missing_name(names, findings, file.bytes, rule, span);
            let (rule, span) = of_cause(findings, rule, span);
            findings.say(rule, span, said, file.name, file.bytes);
        }
    }
    // The header is right, but the program does not read such files.
    if let Some(finding) = findings.get_mut(rules::ENCODING).filter(|finding| finding.by_engine) {
        finding.remedy = Some("write its objects as text (`bindpose convert --encoding text`)");
    }
    followed
}

/// Moves a refusal to what the program has misread before it.
fn move_to_misread(verdict: &mut Verdict) {
    let Some(refusal) = &mut verdict.refusal else { return };
    let is_before = |place: &&Accepted| {
        [rules::SYNTAX, rules::SEPARATOR_MISSING].contains(&place.rule) && place.span.start <= refusal.span.start
    };
    if refusal.rule.code(Group::X).scope() == Scope::Rest
        && let Some(misread) = verdict.misread.iter().rfind(is_before)
    {
        (refusal.rule, refusal.span) = (misread.rule, misread.span);
    }
}

/// Rules of messages about a whole object, with those of the faults from which they can follow.
const CAUSES: &[(Rule, &[Rule])] = &[
    (rules::CHILD_REPEATED, &[rules::SKIN_HEADER_BONES]),
    (rules::KEY_TIMES_FALL, &[rules::INTEGER_RANGE]),
    (rules::KEY_TIMES_IGNORED, &[rules::KEY_TIMES_FALL, rules::INTEGER_RANGE]),
    (rules::MATERIAL_COUNT, &[rules::MATERIAL_INDEX]),
    (rules::MATERIAL_INDEX, &[rules::INTEGER_RANGE]),
    (rules::NOTHING, &[rules::UNKNOWN_TYPE]),
    (rules::UNWEIGHTED, &[rules::SKIN_HEADER_BONES, rules::WEIGHT_INDEX]),
];

/// Returns the finding of a fault in the object that a message is about, if the message follows from it, or else the
/// rule and the position themselves.
fn of_cause(findings: &Findings, rule: Rule, at: Span) -> (Rule, Span) {
    let own = |rule: Rule| findings.get(rule).filter(|known| !known.by_engine);
    let causes = CAUSES.iter().find(|(known, _)| *known == rule && own(rule).is_none()).map_or(&[][..], |it| it.1);
    let is_in = |object: Span, it: Span| object.start <= it.start && it.end <= object.end;
    let is_here = |&cause: &Span| {
        let mut objects = findings.broken.spans(Part::Object);
        rule == rules::NOTHING || objects.any(|object| is_in(object, cause) && is_in(object, at))
    };
    let found = causes.iter().find_map(|&cause| Some((cause, own(cause)?.first.span)).filter(|it| is_here(&it.1)));
    found.unwrap_or((rule, at))
}

/// Returns the finding about a name that a reference lacks, or else the rule and the position themselves.
fn of_missing_name(names: &Names, findings: &Findings, bytes: &[u8], rule: Rule, at: Span) -> (Rule, Span) {
    let own = |rule: Rule| findings.get(rule).filter(|known| !known.by_engine);
    if rule != rules::UNRESOLVED_REFERENCE || own(rule).is_some() {
        return (rule, at);
    }
    let is_here = |missing: &&Missing| missing.spans.iter().any(|&span| on_one_line(bytes, span, at));
    let cause = names.missing.iter().find(is_here).map(|missing| missing.cause);
    let cause = cause.filter(|&cause| own(cause).is_some()).unwrap_or(rules::ODD_NAME);
    own(cause).map_or((rule, at), |own| (cause, own.first.span))
}
