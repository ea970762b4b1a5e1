//! Checks of archives: their index, and the files that a game uses from them.

use super::kind_in;
use crate::codes::{Group, pak};
use crate::finding::{Finding, Findings};
use bindpose_core::import::{self, gltf::GLTF_FILE};
use bindpose_parsers::Span;
use bindpose_vfs::{Vfs, member, name};
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

/// Reports that a game takes another file instead of this one.
pub(crate) fn hidden(by: &Path) -> Vec<Finding> {
    let mut findings = Findings::new(Group::Pak);
    findings.add(pak::ENTRY_HIDDEN, Span::new(0, 0), || format!("the game takes {} instead", by.display()));
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
                let game = game.filter(|_| is_checked(entry));
                if let Some(by) = game.and_then(|game| game.hidden_by(&member::join(path, entry))) {
                    findings.add(pak::ENTRY_HIDDEN, start, || {
                        format!("{entry} is not checked: the game takes {}", by.display())
                    });
                }
            }
        }
    }
    findings.finish(0)
}
