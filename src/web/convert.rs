//! Conversion of models, as the command `convert` does without options.

use super::{Answer, Request, sentence};
use bindpose::convert::{Format, Options, convert as converted};
use bindpose::load::LoadOptions;
use bindpose::vfs::zip_of;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Converts a model to the format `to`. The answer is a single file, or a zip of several, and the list of losses.
pub fn convert(request: &Request<'_>, (files, load): (Vec<PathBuf>, LoadOptions)) -> Answer {
    let to = request.text("to")?;
    let format = Format::named(to).ok_or_else(|| format!("there is no format '{to}'"))?;
    let options = Options { load, ..Options::default() };
    let converted = converted(&files, Path::new(""), format, &options).map_err(sentence)?;
    let read = converted.loaded.left_out.iter().map(ToString::to_string);
    let losses: Vec<_> = read.chain(converted.losses.iter().map(ToString::to_string)).collect();
    let listed: Vec<_> = converted.files.iter().map(|(path, _)| path.display().to_string()).collect();
    let (name, bytes) = packed(converted.files, &converted.path.with_extension("zip").display().to_string())?;
    Ok((json!({ "name": name, "files": listed, "losses": losses, "notes": converted.notes }), bytes))
}

/// Returns a single file with its name, or several as an uncompressed archive; no name for none.
pub fn packed(mut files: Vec<(PathBuf, Vec<u8>)>, archive: &str) -> Result<(Option<String>, Vec<u8>), String> {
    match &mut files[..] {
        [] => Ok((None, Vec::new())),
        [(path, bytes)] => {
            Ok((path.file_name().map(|name| name.to_string_lossy().into_owned()), std::mem::take(bytes)))
        }
        files => {
            let named = files.iter().map(|(path, bytes)| (path.to_string_lossy(), &bytes[..]));
            Ok((Some(archive.to_owned()), zip_of(named).map_err(sentence)?))
        }
    }
}
