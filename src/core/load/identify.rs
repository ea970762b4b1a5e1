//! First step of loading: files become sources with a known format.

use crate::diagnostic::{Diagnostic, Severity, SourceId, Sources};
use crate::import::importer::{ImportFailure, InputFile};
use crate::import::{extensions, identify, is_model_file};
use crate::read;
use bindpose_parsers::Span;
use bindpose_vfs::member;
use std::path::{Path, PathBuf};

/// Adds a file to the sources and finds its format.
pub(super) fn add_file(path: PathBuf, bytes: Vec<u8>, sources: &mut Sources) -> Result<InputFile, ImportFailure> {
    let (importer, name) = (identify(&path, &bytes), read::stem_of(&path));
    let source = sources.add(path, bytes);
    match importer {
        Some(importer) => Ok(InputFile { source, importer, name }),
        None => Err(unknown_format(source, sources).into()),
    }
}

fn unknown_format(source: SourceId, sources: &Sources) -> Diagnostic {
    let message = format!("unrecognised format: expected {}", extensions(|_| true));
    let error = Diagnostic::new("IO002", Severity::Error, message, source, Span::new(0, 0));
    let file = sources.get(source);
    match help(&file.path, &file.bytes) {
        Some(help) => error.with_note(help),
        None => error,
    }
}

/// Returns the hint for a file of unknown format: a model in the archive, or the option for an image.
fn help(path: &Path, bytes: &[u8]) -> Option<String> {
    if member::is_archive(path) {
        let archive = bindpose_vfs::open(path).ok()?;
        let model = archive.files().map(|(name, _)| name).find(|name| is_model_file(Path::new(name)));
        return Some(model.map_or_else(
            || "it is an archive without models".to_owned(),
            |model| format!("it is an archive; name a model in it, such as {}", member::join(path, model).display()),
        ));
    }
    let marks: [&[u8]; 5] = [b"\x89PNG", b"\xff\xd8\xff", b"DDS ", b"GIF8", b"BM"];
    let is_targa = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tga"));
    let is_image = is_targa || marks.iter().any(|mark| bytes.starts_with(mark));
    is_image.then(|| "it is an image; `bindpose play MODEL --texture IMAGE` shows it on a model".to_owned())
}
