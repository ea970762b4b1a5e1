//! What no loader tests and still shows: motion that jumps, loops that do not close, boxes that do not hold the
//! model, exports that were turned.

mod motion;
mod pair;

pub(super) use motion::check as check_motion;
pub(super) use pair::{Pair, check as check_pair};
