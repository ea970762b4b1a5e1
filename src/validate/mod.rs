//! Which engine will load a file, and what is wrong with it.

pub mod doom3;
mod number;
mod verdict;

pub use verdict::{EngineWarning, Outcome, Refusal, Undefined, Verdict};
