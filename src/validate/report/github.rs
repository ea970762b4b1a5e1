//! Annotations for GitHub Actions: `::error file=…,line=…::message`.

use super::{Writer, engine_notes, position, wanted};
use crate::unit::Validation;
use bindpose_core::diagnostic::Severity;
use bindpose_core::escape::{annotation, annotation_property};
use std::io;

pub(super) fn add(writer: &mut Writer, report: &Validation) -> io::Result<()> {
    for file in &report.files {
        let path = file.path.display().to_string();
        for (severity, finding) in wanted(writer.selection, file) {
            let level = match severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info => "notice",
                // Hints are not worth a notification.
                Severity::Hint => continue,
            };
            let at = position(&report.sources, file, finding.first.span);
            let mut text = finding.counted_message();
            for note in engine_notes(writer.selection, file, finding) {
                text.push('\n');
                text += &note.sentence();
            }
            writeln!(
                writer.out,
                "::{level} file={},line={},col={},title={} {}::{}",
                annotation_property(&path),
                at.line,
                at.column,
                finding.code.id,
                finding.code.name,
                annotation(&text)
            )?;
        }
    }
    Ok(())
}
