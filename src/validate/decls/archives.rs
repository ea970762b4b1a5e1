//! Checks of archives: their index, and the files that a game uses from them.

use super::kind_in;
use crate::codes::{Group, pak};
use crate::finding::{Finding, Findings};
use bindpose_core::import::{self, gltf::GLTF_FILE};
use bindpose_parsers::Span;
use bindpose_vfs::{Vfs, member, name};
use std::path::{Path, PathBuf};

/// True for a model or clip that is checked in folders and archives.
pub(crate) fn is_model_or_clip(path: &Path) -> bool {
    import::by_extension(path).is_some_and(|importer| *importer != GLTF_FILE)
}

/// True if a file in an archive is checked. `entry` is its name in lower case.
pub(crate) fn is_checked(entry: &str) -> bool {
    let is_decl = |(_, extension)| kind_in(name::folder_of(entry), extension).is_some();
    is_model_or_clip(Path::new(entry)) || entry.rsplit_once('.').is_some_and(is_decl)
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
                let by =
                    game.filter(|_| is_checked(entry)).and_then(|game| hidden_by(game, &member::join(path, entry)));
                if let Some(by) = by {
                    findings.add(pak::ENTRY_HIDDEN, start, || {
                        format!("{entry} is not checked: the game takes {}", by.display())
                    });
                }
            }
        }
    }
    findings.finish(0)
}

/// Returns the file that the game uses instead of one with the same name in an archive that it searches.
pub(crate) fn hidden_by(game: &Vfs, path: &Path) -> Option<PathBuf> {
    let found = game.find(&game.name_of(path)?).ok().flatten()?;
    (found.path != path).then_some(found.path)
}
