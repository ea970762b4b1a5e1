//! Conversion of models, as the command `convert` does without options.

use super::{Answer, Request, sentence};
use bindpose::engines::FormatFamily;
use bindpose::export::{Front, Normals, Output, fix_normals, gltf, iqm, md5, obj, x};
use bindpose::image_search::ImageChoices;
use bindpose::images::ExportImages;
use bindpose::left_out::LeftOut;
use bindpose::load::{LoadOptions, Loaded, load};
use bindpose::read;
use bindpose::vfs::zip_of;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Converts a model to the format `to`. The answer is a single file, or a zip of several, and the list of losses.
pub fn convert(request: &Request<'_>, (files, options): (Vec<PathBuf>, LoadOptions)) -> Answer {
    let mut loaded = load(&files, &options).map_err(sentence)?;
    let stem = files.first().map_or_else(|| loaded.model.name.clone(), |path| read::stem_of(path));
    let to = request.text("to")?;
    // MD5 has no normals, so engines compute them.
    let mut notes = if to == "md5" { Vec::new() } else { fix_normals(Arc::make_mut(&mut loaded.model), Normals::Fix) };
    let mut left_out = std::mem::take(&mut loaded.left_out);
    let (output, extension) = match to {
        "glb" => (glb(&loaded, &mut notes, &mut left_out), "glb"),
        "md5" => (
            md5::write(
                &loaded.model,
                &md5::Options { front: front(&loaded, to), weld: true, stem: stem.clone(), ..md5::Options::default() },
            ),
            "md5mesh",
        ),
        "x" => (x::write(&loaded.model, &x::Options { front: front(&loaded, to), ..x::Options::default() }), "x"),
        "iqm" => {
            (iqm::write(&loaded.model, &iqm::Options { front: front(&loaded, to), ..iqm::Options::default() }), "iqm")
        }
        "obj" => {
            let options = obj::Options { front: front(&loaded, to), stem: stem.clone(), ..obj::Options::default() };
            (obj::write(&loaded.model, &options), "obj")
        }
        other => return Err(format!("there is no format '{other}'")),
    };
    let output = output.map_err(sentence)?;
    let read = left_out.iter().map(ToString::to_string);
    let losses: Vec<_> = read.chain(output.losses.iter().map(ToString::to_string)).collect();
    let mut files = output.at(Path::new(&format!("{stem}.{extension}")));
    let (name, bytes) = match &mut files[..] {
        [(path, bytes)] => (path.display().to_string(), std::mem::take(bytes)),
        files => (format!("{stem}.zip"), zip(files)?),
    };
    let listed: Vec<_> = files.iter().map(|(path, _)| path.display().to_string()).collect();
    Ok((json!({ "name": name, "files": listed, "losses": losses, "notes": notes }), bytes))
}

/// Returns the direction that the model faces. From .x to .x nothing turns.
fn front(loaded: &Loaded, to: &str) -> Option<Front> {
    let is_x = loaded.format == Some(FormatFamily::X);
    Some(if is_x && to == "x" { Front::NegativeY } else { loaded.model.front })
}

fn glb(
    loaded: &Loaded,
    notes: &mut Vec<String>,
    left_out: &mut Vec<LeftOut>,
) -> Result<Output, bindpose::export::Error> {
    let choices = ImageChoices::default();
    let images = ExportImages::new(loaded, &choices, Default::default()).of_materials(false, notes, left_out);
    let options = gltf::Options {
        front: front(loaded, "glb"),
        ticks_per_second: loaded.ticks_per_second,
        frame_commands: loaded.frame_commands.clone(),
        images,
        ..gltf::Options::default()
    };
    gltf::write(&loaded.model, &options)
}

/// Packs files into one uncompressed archive.
pub fn zip(files: &[(PathBuf, Vec<u8>)]) -> Result<Vec<u8>, String> {
    let named = files.iter().map(|(path, bytes)| (path.to_string_lossy(), &bytes[..]));
    zip_of(named).map_err(sentence)
}
