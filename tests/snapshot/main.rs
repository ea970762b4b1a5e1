//! Snapshots: what they hold, what they find, and what a damaged one does.

#[path = "../common/mod.rs"]
mod common;

mod bytes;
mod command;
mod compare;
mod corpus;
mod figure;
mod take;
