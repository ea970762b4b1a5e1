//! Annotations for GitHub Actions: `::error file=…,line=…::message`.

use super::{Writer, engine_notes, position, wanted};
use crate::unit::Validation;
use bindpose_core::diagnostic::{EscapedLines, Severity};
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
            let mut text = finding.message.clone();
            if finding.count > 1 {
                text += &format!(" ({} places)", finding.count);
            }
            for note in engine_notes(writer.selection, file, finding) {
                text.push('\n');
                text += &note.sentence();
            }
            writeln!(
                writer.out,
                "::{level} file={},line={},col={},title={} {}::{}",
                property(&EscapedLines(&path).to_string()),
                at.line,
                at.column,
                finding.code.id,
                property(finding.code.name),
                data(&EscapedLines(text).to_string())
            )?;
        }
    }
    Ok(())
}

/// Escapes percent signs and line ends, which would end the command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property, where colons and commas are also special.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn commands_cannot_be_broken_out_of() {
        assert_eq!(data("50%\nnext"), "50%25%0Anext");
        assert_eq!(property("C:\\a,b"), "C%3A\\a%2Cb");
    }
}
