//! Report as one JSON document, described by docs/validate.schema.json.
//!
//! Files are written one after the other, so that thousands of them need no memory.

use super::{Writer, effects, full_words, is_valid, position, shown, wanted};
use crate::finding::Finding;
use crate::profiles::{Effect, PROFILES};
use crate::unit::{EffectSource, FileReport, Validation};
use bindpose_core::diagnostic::Severity;
use bindpose_core::json;
use bindpose_parsers::Span;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

/// Version of the format, raised for changes that readers must adapt to.
const SCHEMA: &str = "bindpose.validate/1";

#[derive(Serialize)]
struct PlaceOut<'r> {
    line: u32,
    column: u32,
    start: u32,
    end: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'r str>,
}

#[derive(Serialize)]
struct RelatedOut<'r> {
    file: String,
    #[serde(flatten)]
    at: PlaceOut<'r>,
    message: &'r str,
}

#[derive(Serialize)]
struct EngineOut {
    profile: &'static str,
    effect: Effect,
    #[serde(skip_serializing_if = "Option::is_none")]
    says: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    undefined: bool,
}

#[derive(Serialize)]
struct FindingOut<'r> {
    code: &'r str,
    name: &'r str,
    severity: Severity,
    message: &'r str,
    #[serde(flatten)]
    first: PlaceOut<'r>,
    count: usize,
    places: Vec<PlaceOut<'r>>,
    related: Vec<RelatedOut<'r>>,
    notes: &'r [String],
    engines: Vec<EngineOut>,
    #[serde(skip_serializing_if = "str::is_empty")]
    help: Cow<'static, str>,
}

#[derive(Serialize)]
struct VerdictOut<'r> {
    profile: &'static str,
    verdict: Effect,
    loads: bool,
    followed: bool,
    undefined: bool,
    inferred: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
}

#[derive(Serialize)]
struct FileOut<'r> {
    path: String,
    kind: crate::unit::Kind,
    valid: bool,
    unpacked: bool,
    findings: Vec<FindingOut<'r>>,
    verdicts: Vec<VerdictOut<'r>>,
    compared_with: Vec<String>,
}

pub(super) fn begin(writer: &mut Writer) -> io::Result<()> {
    let selected: Vec<&str> =
        PROFILES.iter().filter(|profile| writer.selection.contains(profile)).map(|profile| profile.name).collect();
    let tool = serde_json::json!({ "name": "bindpose", "version": env!("CARGO_PKG_VERSION") });
    write!(
        writer.out,
        "{{\"schema\":\"{SCHEMA}\",\n\"tool\":{tool},\n\"profiles\":{},\n\"files\":[",
        serde_json::json!(selected)
    )
}

pub(super) fn add(writer: &mut Writer, report: &Validation) -> io::Result<()> {
    let mut partners: HashMap<usize, Vec<usize>> = HashMap::new();
    for pair in &report.pairs {
        partners.entry(pair.mesh).or_default().push(pair.anim);
        partners.entry(pair.anim).or_default().push(pair.mesh);
    }
    for (index, file) in report.files.iter().enumerate() {
        writer.out.write_all(if writer.is_first { b"\n" } else { b",\n" })?;
        writer.is_first = false;
        let findings: Vec<_> = wanted(writer.selection, file);
        let name =
            |file: usize| report.files.get(file).map_or_else(String::new, |file| file.path.display().to_string());
        let partner = partners.get(&index).into_iter().flatten().map(|&file| name(file));
        let out = FileOut {
            path: file.path.display().to_string(),
            kind: file.kind,
            unpacked: file.is_unpacked,
            valid: is_valid(writer.selection, file),
            findings: findings
                .iter()
                .map(|&(severity, finding)| out(writer, report, file, finding, severity))
                .collect(),
            verdicts: verdicts(writer, file),
            compared_with: partner.collect(),
        };
        write!(writer.out, "{}", json::line(&out)?)?;
    }
    Ok(())
}

pub(super) fn end(writer: &mut Writer) -> io::Result<()> {
    let summary = json::line(&writer.summary)?;
    writeln!(writer.out, "\n],\n\"summary\":{summary}}}")
}

fn place<'r>(report: &Validation, file: &FileReport, span: Span, path: Option<&'r str>) -> PlaceOut<'r> {
    let at = position(&report.sources, file, span);
    PlaceOut { line: at.line, column: at.column, start: span.start, end: span.end, path }
}

fn out<'r>(
    writer: &Writer,
    report: &Validation,
    file: &FileReport,
    finding: &'r Finding,
    severity: Severity,
) -> FindingOut<'r> {
    let own_path = file.path.display().to_string();
    let engines = effects(writer.selection, file, finding).map(|(profile, effect)| {
        let said = finding.said.iter().filter(|said| said.profile == profile);
        let said = said.max_by_key(|said| said.outcome);
        EngineOut {
            profile: profile.name,
            effect,
            says: full_words(finding, profile, &own_path),
            line: said.and_then(|said| said.line),
            undefined: said.is_some_and(|said| said.undefined),
        }
    });
    let related = finding.related.iter().filter_map(|related| {
        let other = report.files.get(related.file)?;
        let at = place(report, other, related.span, None);
        Some(RelatedOut { file: other.path.display().to_string(), at, message: &related.message })
    });
    FindingOut {
        code: finding.code.id,
        name: finding.code.name,
        severity,
        message: &finding.message,
        first: place(report, file, finding.first.span, finding.first.path.as_deref()),
        count: finding.count,
        places: finding.places().map(|known| place(report, file, known.span, known.path.as_deref())).collect(),
        related: related.collect(),
        notes: &finding.notes,
        engines: engines.collect(),
        help: finding.help(),
    }
}

fn verdicts<'r>(writer: &Writer, file: &'r FileReport) -> Vec<VerdictOut<'r>> {
    let verdict = |judgement: &&'r crate::unit::Judgement| VerdictOut {
        profile: judgement.profile.name,
        verdict: judgement.effect,
        loads: judgement.effect <= Effect::Wrong,
        followed: judgement.source == EffectSource::Followed,
        undefined: judgement.undefined,
        inferred: judgement.profile.inferred,
        message: judgement.message.as_deref(),
        line: judgement.line,
        code: judgement.code,
    };
    shown(writer.selection, file).iter().map(verdict).collect()
}
