//! `bindpose info --batches`

use bindpose::compare::batches::{MeshBatches, batches};
use bindpose::load::{LoadError, LoadOptions, load};
use bindpose::skin::{GL2_REGISTERS, Limits};
use std::path::PathBuf;

/// Every mesh of the files, read as one model, for every method; the diagnostics of a file at fault are printed.
///
/// Without a context `gl2` counts as the least that OpenGL 2 promises.
pub fn describe(files: &[PathBuf], limits: Limits) -> anyhow::Result<Option<Vec<MeshBatches>>> {
    let options = LoadOptions { find_clips: true, ..crate::commands::load_options()? };
    match load(&crate::commands::locate(files)?, &options) {
        Ok(loaded) => {
            let registers = if matches!(limits, Limits::Gl2 | Limits::None) { GL2_REGISTERS } else { u32::MAX };
            Ok(Some(batches(&loaded.model, limits, registers)))
        }
        Err(LoadError::File { sources, diagnostics }) => {
            crate::commands::print_diagnostics(&diagnostics, &sources);
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
