//! The commands, one file each: its arguments with their help, and what it does.

pub mod info;
pub mod methods;

/// How a command ended; the same for every command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Exit code 0.
    Fine,
    /// Exit code 1: a file is at fault, or something differs.
    AtFault,
}
