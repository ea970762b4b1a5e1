//! What a file says that engines may take amiss, and what no loader tests and still shows: motion that jumps, loops
//! that do not close, boxes that do not hold the model, exports that were turned. One idea a file.

pub(super) mod anim;
pub(super) mod camera;
pub(super) mod geometry;
pub(super) mod joints;
pub(super) mod mesh;
pub(super) mod motion;
pub(super) mod pair;
pub(super) mod parsed;
pub(super) mod text;

use super::codes::{Group, Rule};
use super::profiles::{Limit, limits};

/// The engines whose limit a count exceeds.
fn exceeded(group: Group, rule: Rule, count: u64) -> impl Iterator<Item = &'static Limit> {
    limits(rule.code(group)).iter().filter(move |limit| count > limit.most)
}
