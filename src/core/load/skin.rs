//! Skins next to a model outside of games.

use super::error::LoadError;
use super::loaded::Loaded;
use crate::diagnostic::SourceId;
use crate::image_search::{find_skin_file, skin_names};
use crate::import::error::Mismatch;
use crate::import::is_model_file;
use std::path::Path;

/// Checks that a skin exists next to a model.
///
/// # Errors
///
/// [`Mismatch::NoSkin`] with the names of the existing skins.
pub fn find_skin(model: &Path, skin: &str) -> Result<(), LoadError> {
    if find_skin_file(model, skin).is_some() {
        return Ok(());
    }
    let name = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Err(Mismatch::NoSkin { skin: skin.to_owned(), model: name, known: skin_names(model) }.into())
}

/// Checks that a skin exists next to the first file with a model.
pub(super) fn find_skin_of(loaded: &Loaded, skin: &str) -> Result<(), LoadError> {
    let is_model = |source: &SourceId| is_model_file(loaded.sources.path(*source));
    match loaded.sources.ids().find(is_model) {
        Some(model) => find_skin(loaded.sources.path(model), skin),
        None => Err(Mismatch::NoSkin { skin: skin.to_owned(), model: String::new(), known: Vec::new() }.into()),
    }
}
