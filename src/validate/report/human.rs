//! For people: the lines at fault with carets, what engines do, how to mend it; the pairs and the matrix at the end.

use super::{Counts, Writer, engine_notes, is_binary, position, wanted};
use crate::finding::Finding;
use crate::unit::{FileReport, Validation};
use bindpose_core::diagnostic::{Diagnostic, Label, Severity, Source};
use bindpose_parsers::Span;
use std::io;

/// Longer lines are not drawn: they would fill the screen.
const LONGEST_LINE: usize = 200;
/// Further places that are named by their lines.
const LINES_NAMED: usize = 8;

pub(super) fn add(writer: &mut Writer, report: &Validation) -> io::Result<()> {
    writer.matrix.add(report, writer.selection);
    for file in &report.files {
        let mut counts = Counts::default();
        for (severity, finding) in wanted(writer.selection, file) {
            counts.add(severity);
            if severity >= writer.least {
                let drawn = drawn(writer, report, file, finding, severity);
                crate::draw::emit(&drawn, &report.sources, writer.out)?;
            }
        }
        if counts.at_least(Severity::Warning) > 0 || writer.least < Severity::Warning {
            let unpacked = if file.is_unpacked { "; places count its content once unpacked" } else { "" };
            writeln!(writer.out, "{}: {}{unpacked}\n", file.path.display(), verdict(counts))?;
        }
    }
    add_pairs(writer, report)
}

fn verdict(counts: Counts) -> String {
    let word = if counts.errors > 0 { "at fault" } else { "valid" };
    format!("{word}{}", listed(counts))
}

/// ", 1 error, 2 warnings": what there is.
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
    let name = |file: usize| report.files.get(file).map_or_else(String::new, |file| file.path.display().to_string());
    let mut meshes: Vec<usize> = report.pairs.iter().map(|pair| pair.mesh).collect();
    meshes.sort_unstable();
    meshes.dedup();
    for mesh in meshes {
        let clips = report.pairs.iter().filter(|pair| pair.mesh == mesh).map(|pair| name(pair.anim));
        let clips: Vec<String> = clips.collect();
        writeln!(writer.out, "compared {} with {}", name(mesh), clips.join(", "))?;
    }
    if !report.pairs.is_empty() {
        writeln!(writer.out)?;
    }
    Ok(())
}

pub(super) fn end(writer: &mut Writer) -> io::Result<()> {
    writer.matrix.write(writer.selection, &mut *writer.out)?;
    let summary = writer.summary;
    let files = if summary.files == 1 { "1 file".to_owned() } else { format!("{} files", summary.files) };
    let counts = summary.findings;
    writeln!(writer.out, "{files}: {} at fault{}", summary.at_fault, listed(counts))?;
    let hidden = counts.at_least(Severity::Hint) - counts.at_least(writer.least);
    if hidden > 0 {
        writeln!(writer.out, "{hidden} notes and hints are not shown; -v shows notes, -vv all")?;
    }
    if writer.selection.profiles.is_empty() && summary.files > 0 {
        writeln!(writer.out, "told for doom3 and d3dx9; --profile NAME or --profile all tells what others do")?;
    }
    Ok(())
}

fn drawn(writer: &Writer, report: &Validation, file: &FileReport, finding: &Finding, severity: Severity) -> Diagnostic {
    let path = file.path.display().to_string();
    let source = report.sources.get(file.source);
    let span = first_line(source, finding.first.span);
    let can_draw = !is_binary(file, source) && !line_is_long(source, span);
    let mut diagnostic = Diagnostic {
        code: finding.code.id,
        severity,
        message: finding.message.clone(),
        primary: can_draw.then(|| Label { source: file.source, span, message: String::new() }),
        secondary: Vec::new(),
        path: finding.first.path.clone(),
        notes: Vec::new(),
    };
    if !can_draw {
        let at = if is_binary(file, source) {
            format!("byte {}", finding.first.span.start)
        } else {
            position(&report.sources, file, finding.first.span).to_string()
        };
        diagnostic.notes.push(format!("at {path}:{at}"));
    }
    for related in &finding.related {
        let Some(other) = report.files.get(related.file) else { continue };
        let other_source = report.sources.get(other.source);
        let span = first_line(other_source, related.span);
        if !is_binary(other, other_source) && !line_is_long(other_source, span) && can_draw {
            diagnostic.secondary.push(Label { source: other.source, span, message: related.message.clone() });
        }
    }
    if let Some(place) = &finding.first.path {
        diagnostic.notes.push(format!("in {place}"));
    }
    if finding.count > 1 {
        diagnostic.notes.push(others(report, file, finding));
    }
    diagnostic.notes.extend(finding.notes.iter().cloned());
    diagnostic.notes.extend(engine_notes(writer.selection, finding, &path).iter().map(|note| note.sentence()));
    if !finding.code.help.is_empty() {
        diagnostic.notes.push(format!("help: {}", finding.code.help));
    }
    diagnostic
}

/// "117 places in all, also in lines 12, 13, 14, …"
fn others(report: &Validation, file: &FileReport, finding: &Finding) -> String {
    let source = report.sources.get(file.source);
    if is_binary(file, source) {
        return format!("{} places in all", finding.count);
    }
    let mut lines: Vec<u32> = finding.more.iter().map(|place| source.position(place.span.start).line).collect();
    lines.dedup();
    let named: Vec<String> = lines.iter().take(LINES_NAMED).map(u32::to_string).collect();
    let more = if lines.len() > LINES_NAMED || finding.count > finding.more.len() + 1 { ", …" } else { "" };
    format!("{} places in all, also in lines {}{more}", finding.count, named.join(", "))
}

/// A span of many lines is marked in its first.
fn first_line(source: &Source, span: Span) -> Span {
    let bytes = source.bytes.get(span.range()).unwrap_or_default();
    let end = bytes.iter().position(|&byte| byte == b'\n').map_or(span.end, |at| span.start + at as u32);
    Span { start: span.start.min(source.bytes.len() as u32), end: end.min(source.bytes.len() as u32) }
}

fn line_is_long(source: &Source, span: Span) -> bool {
    let is_end = |&byte: &u8| byte == b'\n';
    let before = source.bytes.get(..span.start as usize).unwrap_or_default();
    let after = source.bytes.get(span.start as usize..).unwrap_or_default();
    let before = before.iter().rev().take(LONGEST_LINE + 1).position(is_end);
    let after = after.iter().take(LONGEST_LINE + 1).position(is_end);
    let to_start = before.unwrap_or_else(|| (span.start as usize).min(LONGEST_LINE + 1));
    let to_end = after.unwrap_or_else(|| (source.bytes.len() - span.start as usize).min(LONGEST_LINE + 1));
    to_start + to_end > LONGEST_LINE
}
