//! The bundled sample: a light mannequin with its clips. It is part of the library, so that it is always available.

#![forbid(unsafe_code)]

use std::path::PathBuf;

/// Names of files and their deflated, interleaved lines, packed by `build.rs`.
static PACKED: &[(&[&str], &[u8])] = include!(concat!(env!("OUT_DIR"), "/sample.rs"));

/// The model and its clips, the first clip first.
const FILES: [&str; 6] =
    ["mannequin_light.md5mesh", "walk.md5anim", "run.md5anim", "idle.md5anim", "wave.md5anim", "jump.md5anim"];

/// Its textures.
const IMAGES: [&str; 1] = ["mannequin.png"];

/// File of its example poses for `sjbbe`, for the module `examples`; [`file()`] has the meshes that it names.
pub const EXAMPLES: &str = "mannequin_light.examples.toml";

/// Returns the bytes of one file by its path below `data/md5`; `None` if the sample has no such file.
pub fn file(name: &str) -> Option<Vec<u8>> {
    let place_in = |names: &[&str]| names.iter().position(|known| *known == name);
    let (place, names, packed) = PACKED.iter().find_map(|&(names, packed)| Some((place_in(names)?, names, packed)))?;
    let unpacked = miniz_oxide::inflate::decompress_to_vec(packed).ok()?;
    let lines = unpacked.split_inclusive(|&byte| byte == b'\n');
    Some(lines.skip(place).step_by(names.len()).collect::<Vec<_>>().concat())
}

/// Returns the files for `load_bytes`.
pub fn files() -> Vec<(PathBuf, Vec<u8>)> {
    FILES.iter().filter_map(|name| Some((PathBuf::from(name), file(name)?))).collect()
}

/// Returns the names and bytes of its textures.
pub fn images() -> impl Iterator<Item = (String, Vec<u8>)> {
    IMAGES.iter().filter_map(|name| Some(((*name).to_owned(), file(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_unpacked_as_in_the_repository() {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("md5");
        for name in PACKED.iter().flat_map(|(names, _)| *names) {
            assert_eq!(file(name), std::fs::read(folder.join(name)).ok(), "{name}");
        }
        assert_eq!((files().len(), images().count()), (FILES.len(), IMAGES.len()));
        assert!(file(EXAMPLES).is_some());
    }
}
