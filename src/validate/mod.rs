//! Which engine will load a file, and what is wrong with it.

pub mod codes;
pub mod doom3;
mod facts;
pub mod finding;
mod lints;
mod number;
mod poses;
pub mod profiles;
pub mod quake;
mod verdict;

pub use verdict::{EngineWarning, Outcome, Refusal, Undefined, Verdict};
