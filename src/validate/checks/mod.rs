//! Checks of parsed files: content that engines reject, and defects that no loader tests: motion that jumps, loops
//! that do not close, boxes that do not hold the model, exports that were turned. One idea a file.

pub(super) mod anim;
pub(super) mod camera;
pub(super) mod geometry;
pub(super) mod joints;
mod layout;
pub(super) mod mesh;
pub(super) mod motion;
pub(super) mod outliers;
pub(super) mod pair;
pub(super) mod parsed;
pub(super) mod playback;
pub(super) mod text;

use super::codes::{Group, Rule, file};
use super::finding::Findings;
use super::profiles::{Limit, limits};
use bindpose_core::budget::{Budget, grouped, product};
use bindpose_parsers::Span;

/// The engines whose limit a count exceeds.
fn exceeded(group: Group, rule: Rule, count: u64) -> impl Iterator<Item = &'static Limit> {
    limits(rule.code(group)).iter().filter(move |limit| count > limit.most)
}

/// A number of things and what they are called.
type Counted = (u64, &'static str);

/// True if a product of sizes fits the budget at `bytes` a step; a finding names what is `left_out`
/// where it cannot.
pub(super) fn can_follow(
    budget: &Budget,
    (count, things): Counted,
    (times, places): Counted,
    bytes: usize,
    span: Span,
    left_out: &str,
    findings: &mut Findings,
) -> bool {
    let steps = product([count as usize, times as usize, bytes]);
    let fits = budget.check(steps, String::new).is_ok();
    if !fits {
        findings.add(file::TOO_LARGE_TO_CHECK, span, || {
            let (count, times) = (grouped(count), grouped(times));
            format!("{count} {things} in {times} {places} are more than is followed (--max-memory raises it): {left_out} not checked")
        });
    }
    fits
}
