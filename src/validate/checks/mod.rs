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

use super::codes::{self, Code};
use super::profiles::{Limit, limits};

/// The engines whose limit a number exceeds.
fn exceeded(prefix: &str, number: u16, count: u64) -> impl Iterator<Item = &'static Limit> {
    let code: &'static Code = codes::numbered(prefix, number);
    limits(code).iter().filter(move |limit| count > limit.most)
}
