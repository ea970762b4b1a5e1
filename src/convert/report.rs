//! Result of a conversion, as text and as JSON.

use super::subjects::Subjects;
use super::{Converted, Format, Options, WrittenClip};
use bindpose_core::budget::grouped;
use bindpose_core::diagnostic::{Diagnostic, Escaped, Severity};
use bindpose_core::engines::EngineId;
use bindpose_core::left_out::LeftOut;
use bindpose_export::{Loss, NewName};
use bindpose_validate::profiles::FormatFamily;
use bindpose_validate::report::{self, Counts, DEFAULT_PROFILES, Selection, Style, summarize};
use bindpose_validate::{self as validate, Input};
use serde::Serialize;
use std::io::{self, Write};
use std::path::PathBuf;

/// Result of one conversion, as `--json` prints it.
#[derive(Serialize)]
pub struct ConvertReport {
    format: Format,
    /// Direction that the model faces, with `--front` or `--up` after turning: x, -x, y or -y.
    front: &'static str,
    files: Vec<WrittenFile>,
    losses: Vec<ReportedLoss>,
    /// Numbers of the validator's findings; `None` if it does not support the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<Counts>,
    /// The validator's report, as `validate --format json` prints it.
    #[serde(skip_serializing_if = "Option::is_none")]
    validation: Option<serde_json::Value>,
    notes: Vec<String>,
    /// Warnings about the files that were read.
    pub warnings: Vec<ReadWarning>,
    /// New names of joints and clips, in the order of the changes.
    names: Vec<NewName>,
    /// Names of the joints as written, parents first.
    joints: Vec<String>,
    clips: Vec<WrittenClip>,
    /// Findings that matter to the engine, as text.
    #[serde(skip)]
    pub drawn: String,
}

#[derive(Serialize)]
struct WrittenFile {
    path: PathBuf,
    bytes: u64,
}

/// A loss: its numbers and names, and the sentence that says the same.
#[derive(Serialize)]
#[serde(untagged)]
enum ReportedLoss {
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
    /// Code, such as `MD5P001`.
    pub code: &'static str,
    /// Sentence.
    pub message: String,
}

impl ConvertReport {
    /// Validates the files of a conversion for its engine. `as_json` adds the validator's report to the JSON.
    ///
    /// # Errors
    ///
    /// The validator's report cannot be written.
    pub fn new(converted: Converted, format: Format, options: &Options, as_json: bool) -> io::Result<Self> {
        let Converted { loaded, names, files, losses, .. } = converted;
        let written =
            |(path, bytes): &(PathBuf, Vec<u8>)| WrittenFile { path: path.clone(), bytes: bytes.len() as u64 };
        let read = loaded.left_out.into_iter().map(ReportedLoss::Read);
        let lost = losses.into_iter().map(|loss| ReportedLoss::Written { text: loss.to_string(), loss });
        let warning = |found: &Diagnostic| ReadWarning { code: found.code, message: found.message.clone() };
        let mut report = Self {
            format,
            front: loaded.model.front.name(),
            files: files.iter().map(written).collect(),
            losses: read.chain(lost).collect(),
            findings: None,
            validation: None,
            notes: converted.notes,
            warnings: loaded.diagnostics.iter().map(warning).collect(),
            clips: converted.clips,
            names,
            joints: loaded.model.skeleton.joints().iter().map(|joint| joint.name.clone()).collect(),
            drawn: String::new(),
        };
        if let Some(family) = format.family() {
            let subjects = Subjects::new(&loaded.model, &report.names, &files);
            let (findings, validation, drawn) = check(files, family, options, as_json, &subjects)?;
            (report.findings, report.validation, report.drawn) = (Some(findings), validation, drawn);
        }
        Ok(report)
    }

    /// True if the engine will not load the files, or if a file that was read is at fault.
    pub fn is_at_fault(&self) -> bool {
        let refused = self.findings.is_some_and(|counts| counts.errors > 0);
        refused || self.losses.iter().any(ReportedLoss::is_fault)
    }

    /// Prints files, losses and notes as text.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{} ({} bytes)", Escaped(file.path.display()), grouped(file.bytes))?;
        }
        for loss in &self.losses {
            match loss {
                ReportedLoss::Read(left) => writeln!(out, "  {}", Escaped(left))?,
                ReportedLoss::Written { text, .. } => writeln!(out, "  {}", Escaped(text))?,
            }
        }
        for note in &self.notes {
            writeln!(out, "  {}", Escaped(note))?;
        }
        if self.losses.is_empty() {
            writeln!(out, "  nothing was lost")?;
        }
        Ok(())
    }
}

/// Validates the written files. Returns the numbers of findings, the report as JSON, which names their subjects, and as text.
fn check(
    files: Vec<(PathBuf, Vec<u8>)>,
    family: FormatFamily,
    options: &Options,
    as_json: bool,
    subjects: &Subjects<'_>,
) -> io::Result<(Counts, Option<serde_json::Value>, String)> {
    let files = files.into_iter().filter(|(path, bytes)| validate::Kind::of(path, bytes).family() == Some(family));
    let inputs = files.map(|(path, bytes)| Input { path, bytes: Ok(bytes) });
    let selection = Selection { profiles: options.profile.into_iter().collect(), ..Selection::default() };
    let usual = || DEFAULT_PROFILES.map(EngineId::profile).to_vec();
    let profiles = options.profile.map_or_else(usual, |profile| vec![profile]);
    let checked = validate::check(
        inputs.collect(),
        &validate::Options { together: true, memory: options.load.memory, profiles, ..validate::Options::default() },
    );
    let counts = summarize(&checked, &selection).findings;
    let written = |style, least| report::write(style, &selection, least, [&checked]).map(|(_, text)| text);
    let least = if options.profile.is_some() { Severity::Warning } else { Severity::Error };
    let drawn = if counts.at_least(least) > 0 { written(Style::Human, least)? } else { Vec::new() };
    let json = as_json.then(|| written(Style::Json, Severity::Hint)).transpose()?;
    let mut json = json.map(|json| serde_json::from_slice(&json)).transpose()?;
    json.iter_mut().for_each(|json| subjects.add_to(json));
    Ok((counts, json, String::from_utf8_lossy(&drawn).into_owned()))
}
