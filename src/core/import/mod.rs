//! File formats: the table of importers, and the conversion of documents to the model.
//!
//! A new format is a folder here and a row in [`IMPORTERS`].

pub(crate) mod error;
pub mod gltf;
pub(crate) mod importer;
mod indices;
mod loaded;
pub mod md5;
mod quake;
#[doc(hidden)]
pub mod shading;
pub mod x;

pub use error::{ImportError, ImportFault, Mismatch, Warning};
pub use importer::{Contents, Format, ImportFailure, ImportJob, ImportOptions, Importer, InputFile, PlaybackRequest};
pub use loaded::Loaded;

use std::path::Path;

/// All formats, most common first.
pub static IMPORTERS: [&Importer; 6] =
    [&md5::MESH_FILE, &md5::ANIM_FILE, &md5::CAMERA_FILE, &x::X_FILE, &gltf::GLTF_FILE, &quake::VERTEX_FILE];

/// Usual frame rates in Hz. A key spacing that implies another rate is not a frame.
const FRAME_RATES: std::ops::RangeInclusive<f64> = 1.0..=240.0;

/// Bytes at the start of a file that [`identify`] examines.
const HEAD: usize = 4096;

/// Returns the importer for a file's extension, in any case.
pub fn by_extension(path: &Path) -> Option<&'static Importer> {
    let extension = path.extension()?;
    let has_it = |importer: &&Importer| importer.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known));
    IMPORTERS.into_iter().find(has_it)
}

/// Returns the importer for a file: by its extension, else by its first bytes.
pub fn identify(path: &Path, bytes: &[u8]) -> Option<&'static Importer> {
    let head = &bytes[..bytes.len().min(HEAD)];
    by_extension(path).or_else(|| IMPORTERS.into_iter().find(|importer| (importer.sniff)(head)))
}

/// True if the extension belongs to a format that can contain a model.
pub fn is_model_file(path: &Path) -> bool {
    by_extension(path).is_some_and(Importer::is_model)
}

/// Extensions of the wanted formats as a phrase: `.md5mesh, .x, .glb or .gltf`.
pub fn extensions(wanted: impl Fn(&Importer) -> bool) -> String {
    let wanted = IMPORTERS.into_iter().filter(|importer| wanted(importer));
    let mut names: Vec<String> = wanted.flat_map(|row| row.extensions).map(|name| format!(".{name}")).collect();
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} or {last}", names.join(", ")),
        None => String::new(),
    }
}
