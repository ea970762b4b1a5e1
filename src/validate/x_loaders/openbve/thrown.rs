//! .NET exceptions that determine what is loaded.

use crate::codes::{Rule, x as rules};

/// A thrown exception.
#[derive(Debug, Clone)]
pub(in super::super) struct Thrown {
    /// Message of the exception.
    pub message: String,
    /// Offset in the file.
    pub at: usize,
    pub rule: Rule,
}

pub(in super::super) type Try<T = ()> = Result<T, Thrown>;

pub(in super::super) fn throw<T>(rule: Rule, at: usize, message: impl Into<String>) -> Try<T> {
    Err(Thrown { message: message.into(), at, rule })
}

/// `IndexOutOfRangeException`, thrown by arrays and strings.
pub(in super::super) fn out_of_range<T>(rule: Rule, at: usize) -> Try<T> {
    throw(rule, at, "Index was outside the bounds of the array.")
}

/// `ArgumentOutOfRangeException`, thrown by lists.
pub(in super::super) fn not_in_list<T>(rule: Rule, at: usize) -> Try<T> {
    throw(rule, at, "Index was out of range. Must be non-negative and less than the size of the collection.")
}

/// Returns the exception for reading past the end of a text.
pub(in super::super) fn past_the_end<T>(at: usize) -> Try<T> {
    out_of_range(rules::END_INSIDE, at)
}
