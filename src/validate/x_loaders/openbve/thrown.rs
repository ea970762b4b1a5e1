//! Exceptions of .NET, as far as they decide what is loaded.

use crate::codes::{Rule, x as rules};

/// An exception that is thrown.
#[derive(Debug, Clone)]
pub(in super::super) struct Thrown {
    /// Its message.
    pub message: String,
    /// Offset in the file.
    pub at: usize,
    pub rule: Rule,
}

pub(in super::super) type Try<T = ()> = Result<T, Thrown>;

pub(in super::super) fn throw<T>(rule: Rule, at: usize, message: impl Into<String>) -> Try<T> {
    Err(Thrown { message: message.into(), at, rule })
}

/// `IndexOutOfRangeException`, of arrays and strings.
pub(in super::super) fn out_of_range<T>(rule: Rule, at: usize) -> Try<T> {
    throw(rule, at, "Index was outside the bounds of the array.")
}

/// `ArgumentOutOfRangeException`, of lists.
pub(in super::super) fn not_in_list<T>(rule: Rule, at: usize) -> Try<T> {
    throw(rule, at, "Index was out of range. Must be non-negative and less than the size of the collection.")
}

/// The end of a text is passed.
pub(in super::super) fn past_the_end<T>(at: usize) -> Try<T> {
    out_of_range(rules::END_INSIDE, at)
}
