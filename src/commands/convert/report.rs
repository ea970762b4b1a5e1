//! Result of a conversion, as text and as JSON.

use super::super::Outcome;
use bindpose::convert::{Format, WrittenClip};
use bindpose::diagnostic::Severity;
use bindpose::export::{Loss, NewName};
use bindpose::left_out::LeftOut;
use bindpose::load::LoadError;
use bindpose::validate;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Result of one conversion, as `--json` prints it.
#[derive(Serialize)]
pub struct ConvertReport {
    pub format: Format,
    /// Direction that the model faces, with `--front` or `--up` after turning: x, -x, y or -y.
    pub front: &'static str,
    pub files: Vec<WrittenFile>,
    pub losses: Vec<ReportedLoss>,
    /// Numbers of the validator's findings; `None` if it does not support the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<validate::report::Counts>,
    /// The validator's report, as `validate --format json` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation: Option<serde_json::Value>,
    pub notes: Vec<String>,
    /// Warnings about the files that were read.
    pub warnings: Vec<ReadWarning>,
    /// New names of joints and clips, in the order of the changes.
    pub names: Vec<NewName>,
    /// Names of the joints as written, parents first.
    pub joints: Vec<String>,
    pub clips: Vec<WrittenClip>,
    /// The validator's findings as text.
    #[serde(skip)]
    pub drawn: String,
}

#[derive(Serialize)]
pub struct WrittenFile {
    pub path: PathBuf,
    pub bytes: u64,
}

/// A loss: its numbers and names, and the sentence that says the same.
#[derive(Serialize)]
#[serde(untagged)]
pub enum ReportedLoss {
    /// Something that was not read.
    Read(LeftOut),
    /// Something that the written files lack or change.
    Written {
        #[serde(flatten)]
        loss: Loss,
        text: String,
    },
}

impl ReportedLoss {
    /// True if a file that was read is at fault.
    fn is_fault(&self) -> bool {
        matches!(self, Self::Read(left) if left.is_fault())
    }
}

/// A warning about a file that was read.
#[derive(Serialize)]
pub struct ReadWarning {
    pub code: &'static str,
    pub message: String,
}

/// Report of a conversion that failed.
#[derive(Serialize)]
pub struct Failure {
    pub errors: Vec<String>,
}

impl ConvertReport {
    pub fn outcome(&self) -> Outcome {
        let refused = self.findings.is_some_and(|counts| counts.errors > 0);
        if refused || self.losses.iter().any(ReportedLoss::is_fault) { Outcome::AtFault } else { Outcome::Fine }
    }

    pub fn print(&self, out: &mut impl Write) -> std::io::Result<()> {
        for file in &self.files {
            writeln!(out, "{} ({} bytes)", file.path.display(), bindpose::budget::grouped(file.bytes))?;
        }
        for loss in &self.losses {
            match loss {
                ReportedLoss::Read(left) => writeln!(out, "  {left}")?,
                ReportedLoss::Written { text, .. } => writeln!(out, "  {text}")?,
            }
        }
        for note in &self.notes {
            writeln!(out, "  {note}")?;
        }
        if self.losses.is_empty() {
            writeln!(out, "  nothing was lost")?;
        }
        Ok(())
    }
}

/// Returns the reasons why a model was not converted, one sentence each.
pub fn messages(error: &anyhow::Error) -> Vec<String> {
    match error.downcast_ref() {
        Some(LoadError::File { diagnostics, .. }) => {
            let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
            errors.map(|found| format!("{}: {}", found.code, found.message)).collect()
        }
        Some(error) => vec![error.to_string()],
        None => vec![format!("{error:#}")],
    }
}
