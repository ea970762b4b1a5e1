//! The bundled sample: a light mannequin with its clips, part of the library so that it plays from anywhere.

use std::path::PathBuf;

/// Name and bytes of the model and its clips, the first clip first.
const FILES: [(&str, &[u8]); 6] = [
    ("mannequin_light.md5mesh", include_bytes!("../data/md5/mannequin_light.md5mesh")),
    ("walk.md5anim", include_bytes!("../data/md5/walk.md5anim")),
    ("run.md5anim", include_bytes!("../data/md5/run.md5anim")),
    ("idle.md5anim", include_bytes!("../data/md5/idle.md5anim")),
    ("wave.md5anim", include_bytes!("../data/md5/wave.md5anim")),
    ("jump.md5anim", include_bytes!("../data/md5/jump.md5anim")),
];

/// Name and bytes of its textures.
pub const IMAGES: [(&str, &[u8]); 1] = [("mannequin.png", include_bytes!("../data/md5/mannequin.png"))];

/// Its example poses for `sjbbe`, as [`crate::examples`] reads them.
pub const EXAMPLES: &[u8] = include_bytes!("../data/md5/mannequin_light.examples.toml");

/// Name and bytes of the meshes that the examples name.
pub const EXAMPLE_MESHES: [(&str, &[u8]); 4] = [
    (
        "examples/mannequin_light_upperarm_l_raised.md5mesh",
        include_bytes!("../data/md5/examples/mannequin_light_upperarm_l_raised.md5mesh"),
    ),
    (
        "examples/mannequin_light_forearm_l_tense.md5mesh",
        include_bytes!("../data/md5/examples/mannequin_light_forearm_l_tense.md5mesh"),
    ),
    (
        "examples/mannequin_light_upperarm_r_raised.md5mesh",
        include_bytes!("../data/md5/examples/mannequin_light_upperarm_r_raised.md5mesh"),
    ),
    (
        "examples/mannequin_light_forearm_r_tense.md5mesh",
        include_bytes!("../data/md5/examples/mannequin_light_forearm_r_tense.md5mesh"),
    ),
];

/// The files as [`bindpose_core::load::load_bytes`] takes them.
pub fn files() -> Vec<(PathBuf, Vec<u8>)> {
    FILES.map(|(name, bytes)| (PathBuf::from(name), bytes.to_vec())).into()
}
