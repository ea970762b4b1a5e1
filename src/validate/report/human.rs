//! For people: the lines at fault with carets, what engines do, how to mend it; the pairs and the matrix at the end.

use super::{Counts, Writer, engine_notes, is_binary, is_valid, wanted};
use crate::finding::Finding;
use crate::unit::{FileReport, Validation};
use bindpose_core::diagnostic::{Diagnostic, Escaped, Label, Severity};
use std::collections::BTreeMap;
use std::io;

/// Further places that are named by their lines.
const LINES_NAMED: usize = 8;
/// Clips of one mesh that are named.
const CLIPS_NAMED: usize = 40;

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
        if counts.at_least(Severity::Warning) > 0
            || !is_valid(writer.selection, file)
            || writer.least < Severity::Warning
        {
            let unpacked = if file.is_unpacked { "; places count its content once unpacked" } else { "" };
            writeln!(
                writer.out,
                "{}: {}{unpacked}\n",
                Escaped(file.path.display()),
                verdict(counts, is_valid(writer.selection, file))
            )?;
        }
    }
    add_pairs(writer, report)
}

fn verdict(counts: Counts, is_valid: bool) -> String {
    let word = match (is_valid, counts.errors) {
        (true, _) => "valid",
        (false, 0) => "refused for the model's other file",
        (false, _) => "at fault",
    };
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
    let name =
        |file: usize| report.files.get(file).map_or_else(String::new, |file| Escaped(file.path.display()).to_string());
    let mut clips_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for pair in &report.pairs {
        clips_of.entry(pair.mesh).or_default().push(pair.anim);
    }
    for (mesh, clips) in clips_of {
        let mut named: Vec<String> = clips.iter().take(CLIPS_NAMED).map(|&clip| name(clip)).collect();
        if clips.len() > CLIPS_NAMED {
            named.push(format!("and {} more", clips.len() - CLIPS_NAMED));
        }
        writeln!(writer.out, "compared {} with {}", name(mesh), named.join(", "))?;
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
    let can_draw = !is_binary(file, source);
    let mut diagnostic = Diagnostic {
        code: finding.code.id,
        severity,
        message: finding.message.clone(),
        primary: can_draw.then(|| Label { source: file.source, span: finding.first.span, message: String::new() }),
        secondary: Vec::new(),
        path: finding.first.path.clone(),
        notes: Vec::new(),
    };
    if !can_draw {
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
    if lines.is_empty() {
        return format!("{} places in all", finding.count);
    }
    let named: Vec<String> = lines.iter().take(LINES_NAMED).map(u32::to_string).collect();
    let more = if lines.len() > LINES_NAMED || finding.count > finding.more.len() + 1 { ", …" } else { "" };
    format!("{} places in all, also in lines {}{more}", finding.count, named.join(", "))
}
