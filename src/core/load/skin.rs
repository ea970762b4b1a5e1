//! Skins next to a model outside of games.

use super::error::LoadError;
use crate::diagnostic::SourceId;
use crate::image_search::{ImageFinder, find_skin_file, rows_of_model, skin_names};
use crate::import::Loaded;
use crate::import::error::Mismatch;
use crate::import::is_model_file;
use crate::model::{MaterialId, Model};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Checks that a skin exists in the folders of a model.
///
/// # Errors
///
/// [`Mismatch::NoSkin`] with the names of the existing skins.
pub fn find_skin(folders: &[PathBuf], model: &Path, skin: &str) -> Result<(), LoadError> {
    if find_skin_file(folders, model, skin).is_some() {
        return Ok(());
    }
    let name = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Err(Mismatch::NoSkin { skin: skin.to_owned(), model: name, known: skin_names(folders, model) }.into())
}

/// Checks that a skin exists in the folders of the first file with a model.
pub(super) fn find_skin_of(loaded: &Loaded, skin: &str) -> Result<(), LoadError> {
    let is_model = |source: &SourceId| is_model_file(loaded.sources.path(*source));
    match loaded.sources.ids().find(is_model) {
        Some(model) => find_skin(&loaded.directories, loaded.sources.path(model), skin),
        None => Err(Mismatch::NoSkin { skin: skin.to_owned(), model: String::new(), known: Vec::new() }.into()),
    }
}

/// Gives meshes of one shader materials of their own if the model's `.skin` has different shaders for them: its rows
/// go by the number of the mesh.
pub(super) fn split_materials(loaded: &mut Loaded, skin: Option<&str>, finder: &ImageFinder) {
    let mut used = HashSet::new();
    if loaded.model.meshes.iter().all(|mesh| used.insert(mesh.material)) {
        return;
    }
    let is_model = |source: &SourceId| is_model_file(loaded.sources.path(*source));
    let Some(file) = loaded.sources.ids().find(is_model) else { return };
    let rows = rows_of_model(finder, &loaded.directories, loaded.sources.path(file), skin);
    // Copies of the file's materials, by shader. The first shader of a material takes the material itself.
    let mut copies: HashMap<(MaterialId, &str), MaterialId> = HashMap::new();
    let mut taken = HashSet::new();
    let Model { meshes, materials, .. } = Arc::make_mut(&mut loaded.model);
    for (mesh, row) in meshes.iter_mut().zip(&rows) {
        let material = mesh.material;
        mesh.material = *copies.entry((material, &row.shader)).or_insert_with(|| {
            if taken.insert(material) {
                return material;
            }
            materials.push(materials[material.index()].clone());
            MaterialId(materials.len() as u32 - 1)
        });
    }
}
