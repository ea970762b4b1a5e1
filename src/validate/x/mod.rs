//! Checks of DirectX .x files: D3DX's reaction to every fault, and faults that no reader tests for.

mod animation;
mod braces;
pub(super) mod commas;
mod document;
mod faults;
mod follow;
mod models;
mod names;
mod open;
mod space;
pub(super) mod spans;

use super::checks::parsed::{MERGE_CONFLICT, is_conflict};
use super::codes::{Group, x as rules};
use super::finding::{FileIndex, Finding, Findings, OWN_FILE};
use super::profiles::{FormatFamily, LoaderFamily, PROFILES, Profile};
use super::taint::Part;
use super::unit::Judgement;
use super::verdict::{Outcome, Verdict};
use super::x_loaders::XFile;
use super::{Options, neighbours};
use bindpose_core::image_search::ImageFinder;
use bindpose_parsers::Span;
use bindpose_parsers::x::{self, Document, Encoding, Fault, Reading, Tree, Unpacked, Warning};
use commas::Commas;
pub(super) use models::{Model, Names, models_of};
pub(super) use open::{Head, open};
use std::borrow::Cow;
use std::path::Path;

/// A file that was opened.
pub(super) struct XInput<'a> {
    /// Index among the files checked together.
    pub file: FileIndex,
    pub path: &'a Path,
    /// Bytes of [`open::Opened`].
    pub bytes: &'a [u8],
    pub head: &'a Result<Head, (Fault, Span)>,
}

/// Reads a file and checks all but the names that it lacks: the frames of clips may be in another file.
pub(super) fn read(input: &XInput, images: &ImageFinder) -> (Findings, Names) {
    let mut findings = Findings::new(Group::X);
    let names = match input.head {
        Err((fault, span)) => {
            faults::add(fault, *span, 1, &[], &mut findings);
            faults::name_content(input.bytes, fault, &mut findings);
            Names::default()
        }
        Ok(head) => check_content(input.path, input.bytes, images, head, &mut findings),
    };
    (findings, names)
}

/// Finishes the findings of a file, and judges it. `model` is the one to which its clips belong.
pub(super) fn finish(
    input: &XInput,
    mut findings: Findings,
    names: &Names,
    model: Option<Model>,
    options: &Options,
) -> (Vec<Finding>, Vec<Judgement>) {
    names::settle(names, model, &mut findings);
    let name = input.path.display().to_string();
    let disk = input.head.as_ref().ok().and_then(|head| head.packed.as_deref()).unwrap_or(input.bytes);
    let followed =
        follow::follow_loaders(XFile { name: &name, disk, bytes: input.bytes }, names, options, &mut findings);
    let findings = findings.finish(input.file);
    let judge = |profile: &'static Profile| {
        let mut by_faults = Verdict::loads();
        let said = findings.iter().flat_map(|finding| &finding.said);
        if said.filter(|said| said.profile == profile).any(|said| said.outcome == Outcome::Refuses) {
            by_faults.outcome = Outcome::Refuses;
        }
        let verdict = match profile.loader {
            LoaderFamily::D3dx => Some((&by_faults, None)),
            _ => followed.iter().find(|(known, _)| *known == profile).map(|(_, verdict)| (verdict, None)),
        };
        Judgement::new(profile, &name, verdict, &findings)
    };
    let judgements = PROFILES
        .iter()
        .filter(|profile| profile.reads(FormatFamily::X) && options.contains(profile))
        .map(judge)
        .collect();
    (findings, judgements)
}

fn check_content(path: &Path, bytes: &[u8], images: &ImageFinder, head: &Head, findings: &mut Findings) -> Names {
    let mut names = Names::default();
    // Spans of the envelope refer to the packed bytes, which are not shown.
    let start = Span::new(0, head.body.min(bytes.len()));
    for warning in &head.warnings {
        let span = if head.is_unpacked() { start } else { warning.span };
        faults::add(&warning.kind, span, warning.times, &[], findings);
    }
    let file = Unpacked {
        encoding: Encoding { compressed: false, ..head.encoding },
        version: head.version,
        bytes: Cow::Borrowed(bytes),
        body: head.body,
        warnings: Vec::new(),
    };
    let is_text = head.encoding.format == x::BodyFormat::Text;
    let commas = is_text.then(|| commas::find(bytes, head.body)).flatten();
    if let Some(commas) = commas.as_ref().filter(|commas| commas.are_decimal(&file)) {
        let head = Head { warnings: Vec::new(), packed: None, ..*head };
        let names = check_content(path, &commas.points, images, &head, findings);
        commas.report(bytes, findings);
        return names;
    }
    let (read, warnings) = x::read(&file, Reading::Lenient);
    add_faults(bytes, head.body, &read, &warnings, commas.as_ref(), findings);
    name_line_ends(bytes, findings);
    if let Ok((document, tree)) = &read {
        document::check(bytes, head.encoding.format, document, tree, findings);
        names = Names::of(document, names::missing(bytes, document, tree, findings));
        neighbours::check_x(path, document, images, findings);
    }
    check_first_line(bytes, head.body, findings);
    if is_text {
        braces::place(bytes, head.body, findings);
    }
    names
}

/// Reports the faults of the parser, or the commas in place of those that they can cause.
fn add_faults(
    bytes: &[u8],
    body: usize,
    read: &Result<(Document, Tree), x::Error>,
    warnings: &[Warning],
    commas: Option<&Commas>,
    findings: &mut Findings,
) {
    let error = read.as_ref().err();
    let faults = warnings.iter().map(|warning| (&warning.kind, warning.span));
    let mut misread =
        faults.chain(error.map(|error| (&error.kind, error.span))).filter(|(it, _)| commas::is_misread(it));
    let cause = commas.zip(misread.next());
    if let Some((commas, (fault, span))) = cause {
        commas.report(bytes, findings);
        if let Some(finding) = findings.last_mut() {
            finding.related(OWN_FILE, span, format!("which leads to: {fault}"));
        }
        findings.broken.mark(Part::Records, Span::new(body, bytes.len()));
    }
    let is_known = |fault: &Fault| cause.is_none() || !commas::is_of_values(fault);
    let warnings: Vec<&Warning> = warnings.iter().filter(|warning| is_known(&warning.kind)).collect();
    faults::add_all(&warnings, read.as_ref().ok().map(|(_, tree)| tree), findings);
    if let Some(error) = error.filter(|error| is_known(&error.kind)) {
        faults::add(&error.kind, error.span, 1, &[], findings);
        if let Some(finding) = findings.last_mut().filter(|_| is_conflict(bytes, error.span)) {
            finding.remedy = Some(MERGE_CONFLICT);
        }
    }
}

/// Names the cause if a comment of a file with CR alone ends its text for Direct3D.
fn name_line_ends(bytes: &[u8], findings: &mut Findings) {
    if !bytes.contains(&b'\n')
        && bytes.contains(&b'\r')
        && let Some(finding) = findings.get_mut(rules::COMMENT_AT_END)
    {
        finding.message = "lines end in CR alone, so that for Direct3D this comment goes on to the end".to_owned();
        finding.remedy = Some("write LF or CR LF");
    }
}

/// Reports data on the header's line, which is legal but ignored by some readers.
fn check_first_line(bytes: &[u8], body: usize, findings: &mut Findings) {
    let is_text = bytes.get(8..12) == Some(b"txt ");
    let rest = bytes.get(body..).unwrap_or_default();
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let first = line.iter().position(|&byte| byte > b' ');
    if let Some(first) = first.filter(|_| is_text) {
        let end = line.iter().rposition(|&byte| byte > b' ').unwrap_or(first);
        findings
            .add(rules::FIRST_LINE, Span::new(body + first, body + end + 1), || "data on the header's line".to_owned());
    }
}
