//! glTF 2.0, `.gltf` and `.glb`.

#[cfg(feature = "gltf")]
mod accessor;
#[cfg(feature = "gltf")]
mod buffers;
#[cfg(feature = "gltf")]
mod clip;
#[cfg(feature = "gltf")]
mod context;
#[cfg(feature = "gltf")]
mod document;
#[cfg(feature = "gltf")]
mod error;
#[cfg(feature = "gltf")]
mod material;
#[cfg(feature = "gltf")]
mod mesh;
#[cfg(feature = "gltf")]
mod nodes;
#[cfg(feature = "gltf")]
mod pointer;

#[cfg(feature = "gltf")]
pub use document::{GltfImportOptions, Imported, import};
#[cfg(feature = "gltf")]
pub use error::Error;

use super::importer::{Contents, Format, ImportFailure, ImportJob, Importer, InputFile};
use super::loaded::Loaded;

/// Importer for glTF 2.0. Without the feature `gltf` every import fails with a message that names the feature.
pub static GLTF_FILE: Importer = Importer {
    format: Format::Gltf,
    name: "gltf",
    title: "glTF",
    family: "glTF",
    extensions: &["glb", "gltf"],
    mime: None,
    contents: Contents::Model,
    sniff: |head| head.starts_with(b"glTF"),
    import: import_files,
};

/// Imports one file, and its external buffers and images if the job allows that.
#[cfg(feature = "gltf")]
fn import_files(files: &[InputFile], job: &ImportJob<'_>, loaded: &mut Loaded) -> Result<(), ImportFailure> {
    use super::importer::second_model;
    use crate::diagnostic::{Diagnostic, Severity};
    use crate::read;
    use std::sync::Arc;
    if let Some(second) = files.get(1) {
        return Err(second_model(&loaded.sources, second.source));
    }
    let Some(InputFile { source, name, .. }) = files.first() else { return Ok(()) };
    let file = loaded.sources.get(*source);
    let folder = read::folder_of(&file.path);
    let mut read = |name: &str| match job.reads_named_files {
        true => read::found(&folder.join(name), &[&folder], job.budget).map_err(|error| error.to_string()),
        false => Err(format!("{name} is not among the files that were given")),
    };
    let without_tangents = job.options.without_tangents;
    let options = GltfImportOptions { name: name.clone(), skin: job.skin.map(str::to_owned), without_tangents };
    match import(&file.bytes, &options, &mut read, job.budget) {
        Ok(Imported { model, images, warnings }) => {
            loaded.warn(warnings, *source);
            loaded.own_clips = model.clips.len();
            (loaded.model, loaded.images, loaded.has_own_skins) = (Arc::new(model), images, true);
            Ok(())
        }
        Err(error) => {
            let code = if error.is_memory { "IO005" } else { "GLI000" };
            Err(Diagnostic::new(code, Severity::Error, error.to_string(), *source, error.span).into())
        }
    }
}

#[cfg(not(feature = "gltf"))]
fn import_files(files: &[InputFile], _: &ImportJob<'_>, loaded: &mut Loaded) -> Result<(), ImportFailure> {
    let path = files.first().map(|file| loaded.sources.path(file.source).to_owned()).unwrap_or_default();
    Err(super::error::Mismatch::NeedsGltf(path).into())
}
