//! Checks of parsed files: content that engines reject, and defects that no loader tests, such as jumping motion, loops
//! that do not close, boxes smaller than the model, and rotated exports. One topic per file.

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
pub(super) mod text;

use super::codes::{Group, Rule, file};
use super::finding::Findings;
use super::profiles::{Limit, limits};
use bindpose_core::budget::{Budget, grouped, product};
use bindpose_parsers::Span;

/// Returns the limits of engines that a count exceeds.
fn exceeded(group: Group, rule: Rule, count: u64) -> impl Iterator<Item = &'static Limit> {
    limits(rule.code(group)).iter().filter(move |limit| count > limit.most)
}

/// A count and its noun.
type Counted = (u64, &'static str);

/// True if the product of both counts, at `bytes` per step, fits the budget. Otherwise a finding says that `left_out`
/// is not checked.
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
