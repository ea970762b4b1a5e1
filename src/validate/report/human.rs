//! Reports for people: lines with carets, effects on engines and remedies; pairs, matrix and codes at the end. A code
//! is explained once, and further findings of it get one line each.

use super::{Counts, Selection, Writer, engine_notes, is_binary, is_valid, wanted};
use crate::codes::Code;
use crate::finding::{Finding, Place};
use crate::neighbours;
use crate::profiles::{Effect, FormatFamily};
use crate::unit::{FileReport, Validation};
use bindpose_core::diagnostic::{Diagnostic, Escaped, Label, Severity};
use bindpose_parsers::counted;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// Number of further positions whose lines are listed.
const LINES_NAMED: usize = 8;
/// Number of clips listed for a mesh.
const CLIPS_NAMED: usize = 40;

pub(super) fn add(writer: &mut Writer, report: &Validation) -> io::Result<()> {
    writer.matrix.add(report, writer.selection);
    for file in &report.files {
        let is_md5 = file.kind.family() == Some(FormatFamily::Md5);
        for name in is_md5.then(|| neighbours::profiles_beside(&file.path)).into_iter().flatten() {
            if !writer.suggested.contains(name) {
                writer.suggested.push(name);
            }
        }
        let mut counts = Counts::default();
        let mut lines: Vec<String> = Vec::new();
        let mut any_drawn = false;
        for (severity, finding) in wanted(writer.selection, file) {
            counts.add(severity);
            if severity < writer.least {
                continue;
            }
            let is_explained = writer.explained.add(severity, finding.code, &file.path);
            if is_explained && !writer.in_full {
                let line = again(writer.selection, report, file, finding, severity);
                // A clip may have the same fault on each of its meshes.
                if !lines.contains(&line) {
                    writeln!(writer.out, "{}", Escaped(&line))?;
                    lines.push(line);
                    writer.after_line = true;
                }
            } else {
                if writer.after_line {
                    writeln!(writer.out)?;
                }
                let drawn = drawn(writer, report, file, finding, severity);
                crate::draw::emit(&drawn, &report.sources, writer.out)?;
                any_drawn = true;
                writer.after_line = false;
            }
        }
        let is_valid_file = is_valid(writer.selection, file);
        // For a file that loads, single lines are enough.
        let is_reported = is_valid_file && !lines.is_empty() && !any_drawn;
        let is_worth_it = counts.at_least(Severity::Warning) > 0 || !is_valid_file || writer.least < Severity::Warning;
        if is_worth_it && !is_reported && !writer.is_quiet() {
            writer.after_line = false;
            let unpacked = if file.is_unpacked { "; places count its content once unpacked" } else { "" };
            writeln!(writer.out, "{}: {}{unpacked}\n", Escaped(file.path.display()), verdict(counts, is_valid_file))?;
        }
    }
    if writer.is_quiet() { Ok(()) } else { add_pairs(writer, report) }
}

/// Formats a finding whose code was already explained, on one line: position, message, and the engine that it stops.
fn again(
    selection: &Selection,
    report: &Validation,
    file: &FileReport,
    finding: &Finding,
    severity: Severity,
) -> String {
    let source = report.sources.get(file.source);
    let start = finding.first.span.start;
    let at = match is_binary(file, source) {
        _ if source.bytes.is_empty() => String::new(),
        true => format!("byte {start}:"),
        false => format!("{}:", source.position(start)),
    };
    let places = if finding.count > 1 { format!(" ({} places)", finding.count) } else { String::new() };
    let stops = engine_notes(selection, file, finding).into_iter().find(|note| note.effect > Effect::Wrong);
    let stops = stops.map_or_else(String::new, |note| format!("; {}", note.sentence()));
    let (severity, code) = (word(severity), finding.code.id);
    let meant = finding.notes.iter().find(|note| note.starts_with("did you mean"));
    let meant = meant.map_or_else(String::new, |meant| format!("; {meant}"));
    format!("{severity}[{code}]: {}:{at} {}{places}{stops}{meant}", file.path.display(), finding.message)
}

/// Returns the word for a severity, as in [`crate::draw`].
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
        Severity::Hint => "help",
    }
}

/// Codes shown so far, with the number of files of each.
#[derive(Default)]
pub(super) struct Explained(Vec<ExplainedCode>);

#[derive(Clone)]
struct ExplainedCode {
    code: &'static Code,
    worst: Severity,
    files: usize,
    last_file: PathBuf,
}

impl Explained {
    /// Counts a finding. Returns true if an earlier file had the same code.
    fn add(&mut self, severity: Severity, code: &'static Code, file: &Path) -> bool {
        let Some(known) = self.0.iter_mut().find(|known| known.code.id == code.id) else {
            self.0.push(ExplainedCode { code, worst: severity, files: 1, last_file: file.to_owned() });
            return false;
        };
        known.worst = severity.max(known.worst);
        if known.last_file == file {
            return known.files > 1;
        }
        known.files += 1;
        known.last_file = file.to_owned();
        true
    }

    /// Lists the codes, worst first, then by number of files.
    fn lines(&self) -> Vec<String> {
        let mut all = self.0.clone();
        all.sort_by_key(|known| (Reverse(known.worst), Reverse(known.files), known.code.id));
        let line = |ExplainedCode { code, worst, files, .. }: ExplainedCode| {
            let files = counted(files, "file", "files");
            format!("{:7} {} in {files}: {}", word(worst), code.id, code.title)
        };
        all.into_iter().map(line).collect()
    }
}

fn verdict(counts: Counts, is_valid: bool) -> String {
    let word = match (is_valid, counts.errors) {
        (true, _) => "valid",
        (false, 0) => "refused: see the model's other file",
        (false, _) => "at fault",
    };
    format!("{word}{}", listed(counts))
}

/// Lists the nonzero counts: ", 1 error, 2 warnings".
fn listed(counts: Counts) -> String {
    let parts = [
        (counts.errors, "error", "errors"),
        (counts.warnings, "warning", "warnings"),
        (counts.infos, "note", "notes"),
        (counts.hints, "hint", "hints"),
    ];
    let parts = parts.iter().filter(|(count, ..)| *count > 0);
    parts.map(|&(count, one, many)| format!(", {count} {}", if count == 1 { one } else { many })).collect()
}

fn add_pairs(writer: &mut Writer, report: &Validation) -> io::Result<()> {
    let path = |file: usize| report.files.get(file).map_or(Path::new(""), |file| &file.path);
    let mut clips_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for pair in &report.pairs {
        clips_of.entry(pair.mesh).or_default().push(pair.anim);
    }
    if !clips_of.is_empty() && writer.after_line {
        writeln!(writer.out)?;
    }
    for (mesh, clips) in clips_of {
        let mesh = path(mesh);
        // Clips in the mesh's folder are listed by name only.
        let name = |clip: &usize| {
            let clip = path(*clip);
            let beside = clip.file_name().filter(|_| clip.parent() == mesh.parent());
            Escaped(beside.map_or(clip, Path::new).display()).to_string()
        };
        let mut named: Vec<String> = clips.iter().take(CLIPS_NAMED).map(name).collect();
        if clips.len() > CLIPS_NAMED {
            named.push(format!("and {} more", clips.len() - CLIPS_NAMED));
        }
        writeln!(writer.out, "compared {} with {}", Escaped(mesh.display()), named.join(", "))?;
    }
    if !report.pairs.is_empty() {
        writeln!(writer.out)?;
        writer.after_line = false;
    }
    Ok(())
}

pub(super) fn end(writer: &mut Writer) -> io::Result<()> {
    if writer.is_quiet() {
        return Ok(());
    }
    writer.matrix.write(writer.selection, &mut *writer.out)?;
    let summary = writer.summary;
    if summary.files > 1 && !writer.explained.0.is_empty() {
        writeln!(writer.out)?;
        for line in writer.explained.lines() {
            writeln!(writer.out, "{line}")?;
        }
        writeln!(writer.out)?;
    }
    let files = counted(summary.files, "file", "files");
    let counts = summary.findings;
    writeln!(writer.out, "{files}: {} at fault{}", summary.at_fault, listed(counts))?;
    let hidden = counts.at_least(Severity::Hint) - counts.at_least(writer.least);
    match hidden {
        0 => {}
        1 => writeln!(writer.out, "1 finding of lower severity is not shown; -v shows notes, -vv also hints")?,
        _ => writeln!(writer.out, "{hidden} findings of lower severity are not shown; -v shows notes, -vv also hints")?,
    }
    if writer.selection.profiles.is_empty() && summary.files > 0 {
        if writer.suggested.is_empty() {
            writeln!(
                writer.out,
                "severities are for doom3 and d3dx9; choose other engines with --profile NAME or all"
            )?;
        } else {
            let names = writer.suggested.join(",");
            writeln!(
                writer.out,
                "severities are for doom3; Quake models lie beside the files, so try --profile {names}"
            )?;
        }
    }
    Ok(())
}

fn drawn(writer: &Writer, report: &Validation, file: &FileReport, finding: &Finding, severity: Severity) -> Diagnostic {
    let path = file.path.display().to_string();
    let source = report.sources.get(file.source);
    let can_draw = !is_binary(file, source) && !source.bytes.is_empty();
    let mut diagnostic = Diagnostic {
        code: finding.code.id,
        severity,
        message: match source.bytes.is_empty() {
            true => format!("{path}: {}", finding.message),
            false => finding.message.clone(),
        },
        primary: can_draw.then(|| Label { source: file.source, span: finding.first.span, message: String::new() }),
        secondary: Vec::new(),
        path: finding.first.path.clone(),
        notes: Vec::new(),
    };
    if !can_draw && !source.bytes.is_empty() {
        diagnostic.notes.push(format!("at {path}:byte {}", finding.first.span.start));
    }
    for related in &finding.related {
        let Some(other) = report.files.get(related.file) else { continue };
        if !is_binary(other, report.sources.get(other.source)) && can_draw {
            let label = Label { source: other.source, span: related.span, message: related.message.clone() };
            diagnostic.secondary.push(label);
        }
    }
    if let Some(place) = &finding.first.path {
        diagnostic.notes.push(format!("in {place}"));
    }
    if finding.count > 1 {
        diagnostic.notes.push(others(report, file, finding));
    }
    diagnostic.notes.extend(finding.notes.iter().cloned());
    diagnostic.notes.extend(engine_notes(writer.selection, file, finding).iter().map(|note| note.sentence()));
    diagnostic.notes.push(format!("help: {}", finding.help()));
    diagnostic
}

/// Formats "117 places in all, also in lines 12, 13, 14, …".
fn others(report: &Validation, file: &FileReport, finding: &Finding) -> String {
    let source = report.sources.get(file.source);
    if is_binary(file, source) {
        return format!("{} places in all", finding.count);
    }
    let line = |place: &Place| source.position(place.span.start).line;
    let mut lines: Vec<u32> = finding.more.iter().map(line).filter(|&other| other != line(&finding.first)).collect();
    lines.dedup();
    if lines.is_empty() {
        return format!("{} places in all", finding.count);
    }
    let named: Vec<String> = lines.iter().take(LINES_NAMED).map(u32::to_string).collect();
    let more = if lines.len() > LINES_NAMED || finding.count > finding.more.len() + 1 { ", …" } else { "" };
    let lines = if named.len() == 1 && more.is_empty() { "line" } else { "lines" };
    format!("{} places in all, also in {lines} {}{more}", finding.count, named.join(", "))
}
