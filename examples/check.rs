//! Checks files or folders for engines: `cargo run --example check -- vkquake,ironwail models/`

use bindpose::diagnostic::Severity;
use bindpose::validate::{self, PathsError};
use std::error::Error;
use std::process::ExitCode;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (engines, paths) = arguments.split_first().ok_or("usage: check ENGINES PATH…")?;
    let (report, errors) = check(paths, engines)?;
    print!("{report}");
    Ok(if errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A line for each warning and error, with what an author can do about it, and the number of errors.
pub fn check(paths: &[String], engines: &str) -> Result<(String, usize), PathsError> {
    let checked = validate::paths(paths, engines)?;
    let mut report = String::new();
    for found in checked.findings().filter(|found| found.severity >= Severity::Warning) {
        report += &format!("{found}\n    {}\n", found.finding.help());
    }
    Ok((report, checked.summary().findings.errors))
}
