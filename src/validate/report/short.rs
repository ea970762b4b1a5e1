//! One line per finding, for editors and grep.

use super::{Writer, position, wanted};
use crate::unit::Validation;
use bindpose_core::diagnostic::Escaped;
use std::io;

pub(super) fn add(writer: &mut Writer, report: &Validation) -> io::Result<()> {
    for file in &report.files {
        let name = Escaped(file.path.display());
        for (severity, finding) in wanted(writer.selection, file) {
            if severity < writer.least {
                continue;
            }
            let at = position(&report.sources, file, finding.first.span);
            let path = finding.first.path.as_ref().map_or_else(String::new, |path| format!(" [{path}]"));
            let message = format_args!("{}{path}", finding.counted_message());
            writeln!(writer.out, "{name}:{at}: {severity}[{}]: {}", finding.code.id, Escaped(message))?;
        }
    }
    Ok(())
}
