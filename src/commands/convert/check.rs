//! Validation of the written files.

use super::args::Args;
use super::subjects::Subjects;
use bindpose::diagnostic::Severity;
use bindpose::engines::EngineId;
use bindpose::validate::profiles::FormatFamily;
use bindpose::validate::report::{DEFAULT_PROFILES, Selection, Style, Writer, summarize};
use bindpose::validate::{self, Input};
use codespan_reporting::term::termcolor::Buffer;
use std::path::PathBuf;

/// Findings of the validator.
#[derive(Default)]
pub struct WrittenFindings {
    /// Numbers of findings; `None` if nothing was checked.
    pub counts: Option<validate::report::Counts>,
    /// The report as JSON, if requested.
    pub json: Option<serde_json::Value>,
    /// Text report of the findings that matter to the engine.
    pub drawn: String,
}

/// Validates the written files. The JSON names the subjects of the findings.
pub fn check(
    files: Vec<(PathBuf, Vec<u8>)>,
    family: FormatFamily,
    args: &Args,
    subjects: &Subjects<'_>,
) -> anyhow::Result<WrittenFindings> {
    let files = files.into_iter().filter(|(path, bytes)| validate::Kind::of(path, bytes).family() == Some(family));
    let inputs = files.map(|(path, bytes)| Input { path, bytes: Ok(bytes) });
    let selection = Selection { profiles: args.options.profile.into_iter().collect(), ..Selection::default() };
    let usual = || DEFAULT_PROFILES.map(EngineId::profile).to_vec();
    let profiles = args.options.profile.map_or_else(usual, |profile| vec![profile]);
    let report = validate::check(
        inputs.collect(),
        &validate::Options { together: true, memory: args.load.limit(), profiles, ..validate::Options::default() },
    );
    let counts = summarize(&report, &selection).findings;
    let written = |style: Style, least: Severity| -> anyhow::Result<Vec<u8>> {
        let mut text = Buffer::no_color();
        let mut writer = Writer::new(style, &selection, least, &mut text)?;
        writer.add(&report)?;
        writer.finish()?;
        Ok(text.into_inner())
    };
    let least = if args.options.profile.is_some() { Severity::Warning } else { Severity::Error };
    let drawn = if counts.at_least(least) > 0 { written(Style::Human, least)? } else { Vec::new() };
    let json = args.format.is_json().then(|| written(Style::Json, Severity::Hint)).transpose()?;
    let mut json = json.map(|json| serde_json::from_slice(&json)).transpose()?;
    json.iter_mut().for_each(|json| subjects.add_to(json));
    Ok(WrittenFindings { counts: Some(counts), json, drawn: String::from_utf8_lossy(&drawn).into_owned() })
}
