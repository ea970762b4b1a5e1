//! `bindpose info --batches`

use crate::commands::load_args::locate;
use bindpose::load::{LoadError, load};
use bindpose::skin::{GL2_REGISTERS, Limits};
use bindpose_compare::batches::{MeshBatches, batches};

/// Reads the files as one model and describes every mesh for every method. Prints the diagnostics of a file at fault.
///
/// Without a context, `gl2` means the minimum that OpenGL 2 guarantees.
pub fn describe(args: &super::Args) -> anyhow::Result<Option<Vec<MeshBatches>>> {
    let mut options = args.load.options()?;
    options.clips.find = true;
    match load(&locate(&args.files, options.game_files().as_deref()), &options) {
        Ok(loaded) => {
            let registers = if matches!(args.limits, Limits::Gl2 | Limits::None) { GL2_REGISTERS } else { u32::MAX };
            Ok(Some(batches(&loaded.model, args.limits, registers)))
        }
        Err(LoadError::File { sources, diagnostics }) => {
            crate::commands::print_diagnostics(&diagnostics, &sources);
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
