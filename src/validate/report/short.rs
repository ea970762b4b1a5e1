//! One line per position, for editors and grep.

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
            for (number, place) in finding.places().enumerate() {
                let at = position(&report.sources, file, place.span);
                let path = place.path.as_ref().map_or_else(String::new, |path| format!(" [{path}]"));
                // The message is about the first position.
                let message = if number == 0 { finding.message.as_str() } else { finding.code.title };
                writeln!(
                    writer.out,
                    "{name}:{at}: {}[{}]: {}",
                    severity,
                    finding.code.id,
                    Escaped(format_args!("{message}{path}")),
                )?;
            }
            let left_out = finding.count.saturating_sub(1 + finding.more.len());
            if left_out > 0 {
                let at = position(&report.sources, file, finding.first.span);
                writeln!(writer.out, "{name}:{at}: {}[{}]: {left_out} more of these", severity, finding.code.id)?;
            }
        }
    }
    Ok(())
}
