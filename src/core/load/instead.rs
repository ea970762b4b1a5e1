//! What to do with a file that is no model but has to do with one.

use super::Format;
use bindpose_vfs::member;
use std::path::Path;

/// For an archive a model in it, for a picture the way onto a model.
pub(super) fn help(path: &Path, bytes: &[u8]) -> Option<String> {
    if member::is_archive(path) {
        let archive = member::open(path).ok()?;
        let is_model = |name: &&str| Format::of_path(Path::new(name)).is_some_and(Format::is_model);
        let model = archive.files().map(|(name, _)| name).find(is_model);
        return Some(model.map_or_else(
            || "it is an archive without models".to_owned(),
            |model| format!("it is an archive; name a model in it, such as {}", member::join(path, model).display()),
        ));
    }
    let begins: [&[u8]; 5] = [b"\x89PNG", b"\xff\xd8\xff", b"DDS ", b"GIF8", b"BM"];
    let is_targa = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tga"));
    let is_picture = is_targa || begins.iter().any(|begin| bytes.starts_with(begin));
    is_picture.then(|| "it is a picture; `bindpose play MODEL --texture PICTURE` shows it on a model".to_owned())
}
