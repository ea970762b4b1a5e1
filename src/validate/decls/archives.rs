//! Checks of archives: their index, and the files that a game uses from them.

use super::kind_in;
use crate::codes::{Group, pak};
use crate::finding::{Finding, Findings};
use bindpose_core::import::{self, gltf::GLTF_FILE};
use bindpose_parsers::Span;
use bindpose_vfs::{Order, Vfs, member, name};
use std::path::Path;

/// True for a model or clip that is checked in folders and archives.
pub(crate) fn is_model_or_clip(path: &Path) -> bool {
    import::by_extension(path).is_some_and(|importer| *importer != GLTF_FILE)
}

/// True if a file in an archive is checked. `entry` is its name in lower case.
pub(crate) fn is_checked(entry: &str) -> bool {
    let is_decl = |(_, extension)| kind_in(name::folder_of(entry), extension).is_some();
    is_model_or_clip(Path::new(entry)) || entry.rsplit_once('.').is_some_and(is_decl)
}

/// Returns a sentence if engines take another file of a game instead of this one.
fn taken_instead(path: &Path, game: &Vfs) -> Option<String> {
    let by = |order| game.hidden_by(path, order).map(|by| by.display().to_string());
    let usual = by(Order::PaksFirst);
    let others = [(Order::PaksInSequence, "vkQuake and Ironwail"), (Order::LooseFirst, "QSS-M and FTEQW")];
    let others = others.into_iter().map(|(order, engines)| (by(order), engines)).filter(|(other, _)| *other != usual);
    let of_others = others.map(|(other, engines)| match (&usual, other) {
        (Some(_), Some(other)) => format!("{engines} {other}"),
        (_, None) => format!("{engines} this one"),
        (None, Some(other)) => format!("{engines} take {other} instead"),
    });
    let parts: Vec<_> = usual.iter().map(|by| format!("the game takes {by} instead")).chain(of_others).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// Reports that engines take another file instead of this one.
pub(crate) fn hidden(path: &Path, game: &Vfs) -> Vec<Finding> {
    let mut findings = Findings::new(Group::Pak);
    if let Some(sentence) = taken_instead(path, game) {
        findings.add(pak::ENTRY_HIDDEN, Span::new(0, 0), || sentence);
    }
    findings.finish(0)
}

/// Checks the index of an archive, and its role in the game.
pub(crate) fn check_archive(path: &Path, game: Option<&Vfs>) -> Vec<Finding> {
    let mut findings = Findings::new(Group::Pak);
    let start = Span::new(0, 0);
    match bindpose_vfs::open(path) {
        Err(error) => {
            findings.add(pak::ARCHIVE_UNREADABLE, start, || error.fault.to_string());
        }
        Ok(archive) => {
            for name in archive.duplicates() {
                findings.add(pak::DUPLICATE_ENTRY, start, || {
                    format!("{name} is there more than once; the last one counts")
                });
            }
            for (entry, _) in archive.files() {
                if let Err(error) = name::game_name(entry) {
                    findings.add(pak::BAD_NAME, start, || format!("{entry}: {error}"));
                }
                let Some(game) = game.filter(|_| is_checked(entry)) else { continue };
                let member = member::join(path, entry);
                // A file that is checked has the finding itself.
                if game.hidden_by(&member, game.order()).is_some()
                    && let Some(sentence) = taken_instead(&member, game)
                {
                    findings.add(pak::ENTRY_HIDDEN, start, || format!("{entry} is not checked: {sentence}"));
                }
            }
        }
    }
    findings.finish(0)
}
