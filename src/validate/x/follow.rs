//! Verdicts of the followed loaders, and assignment of their messages to findings.

use super::models::{Missing, Names};
use crate::Options;
use crate::codes::{Group, Rule, x as rules};
use crate::finding::{Findings, on_one_line};
use crate::follow;
use crate::profiles::{PROFILES, Profile};
use crate::taint::Scope;
use crate::verdict::{EngineFault, Verdict};
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
    let is_before = |place: &&EngineFault| {
        [rules::SYNTAX, rules::SEPARATOR_MISSING].contains(&place.rule) && place.span.start <= refusal.span.start
    };
    if refusal.rule.code(Group::X).scope() == Scope::Rest
        && let Some(misread) = verdict.misread.iter().rfind(is_before)
    {
        (refusal.rule, refusal.span) = (misread.rule, misread.span);
    }
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
