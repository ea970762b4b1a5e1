//! Matrix of files and engines, one sign each.

use super::{Selection, shown};
use crate::profiles::{Effect, FormatFamily, Profile};
use crate::unit::Validation;
use bindpose_core::diagnostic::Escaped;
use std::io::{self, Write};

/// Rows collected so far.
#[derive(Default)]
pub(super) struct Matrix {
    rows: Vec<Row>,
}

struct Row {
    path: String,
    format: FormatFamily,
    signs: Vec<(&'static Profile, Effect, bool)>,
}

/// Number of files up to which all are listed. In longer matrices, files that every engine loads correctly are only
/// counted.
const ALL_LISTED: usize = 40;

impl Matrix {
    pub(super) fn add(&mut self, report: &Validation, selection: &Selection) {
        for file in &report.files {
            // There are many decls, and their findings already show the effects.
            let Some(format) = file.kind.family().filter(|&format| format != FormatFamily::Decl) else { continue };
            let signs: Vec<_> = shown(selection, file)
                .into_iter()
                .map(|judgement| (judgement.profile, judgement.effect, judgement.undefined))
                .collect();
            if !signs.is_empty() {
                self.rows.push(Row { path: Escaped(file.path.display()).to_string(), format, signs });
            }
        }
    }

    pub(super) fn write(&self, selection: &Selection, out: &mut dyn Write) -> io::Result<()> {
        let is_listed = |row: &&Row| self.rows.len() <= ALL_LISTED || !row.is_fine();
        let listed: Vec<&Row> = self.rows.iter().filter(is_listed).collect();
        for format in [FormatFamily::Md5, FormatFamily::X] {
            let rows: Vec<&Row> = listed.iter().copied().filter(|row| row.format == format).collect();
            let columns: Vec<&Profile> = selection.shown(format).collect();
            if !rows.is_empty() && !columns.is_empty() {
                writeln!(out)?;
                table(&rows, &columns, out)?;
            }
        }
        match self.rows.len() - listed.len() {
            0 => {}
            1 => writeln!(out, "and 1 file that every engine loads as it is meant")?,
            more => writeln!(out, "and {more} files that every engine loads as they are meant")?,
        }
        if !listed.is_empty() {
            writeln!(out, "\n. fine   i loads, worth knowing   w loads incorrectly   ! undefined behaviour")?;
            let signs = || listed.iter().flat_map(|row| &row.signs);
            if signs().any(|&(_, effect, _)| effect == Effect::Unused) {
                writeln!(out, "o another model is shown in its place")?;
            }
            writeln!(out, "E refused   X ends the game or the program   - not read")?;
        }
        Ok(())
    }
}

impl Row {
    /// True if every engine loads the file correctly.
    fn is_fine(&self) -> bool {
        self.signs.iter().all(|&(_, effect, undefined)| effect <= Effect::Note && !undefined)
    }
}

/// Writes the names of the columns as stairs with a bar down to each column, then a line for each file. Paths come last, because
/// some are longer than a terminal is wide.
fn table(rows: &[&Row], columns: &[&Profile], out: &mut dyn Write) -> io::Result<()> {
    for (place, profile) in columns.iter().enumerate() {
        writeln!(out, "{}{}", "│ ".repeat(place), profile.name)?;
    }
    for row in rows {
        for profile in columns {
            let known = row.signs.iter().find(|(known, ..)| known.name == profile.name);
            let sign = known.map_or(
                '-',
                |&(_, effect, undefined)| {
                    if undefined && effect <= Effect::Wrong { '!' } else { effect.sign() }
                },
            );
            write!(out, "{sign} ")?;
        }
        writeln!(out, " {}", row.path)?;
    }
    Ok(())
}
