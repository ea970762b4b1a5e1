//! Minimal files for the faults of other programs that docs/upstream.md describes.

use bindpose_core::write;
use std::path::Path;

/// Names and bytes of the files.
const FILES: [(&str, &[u8]); 21] = [
    ("assimp-first-line.x", include_bytes!("upstream/assimp-first-line.x")),
    ("assimp-matrix.x", include_bytes!("upstream/assimp-matrix.x")),
    ("irrlicht-material-index.x", include_bytes!("upstream/irrlicht-material-index.x")),
    ("irrlicht-texture-coords.x", include_bytes!("upstream/irrlicht-texture-coords.x")),
    ("luanti-binary.x", include_bytes!("upstream/luanti-binary.x")),
    ("luanti-loose-weight.x", include_bytes!("upstream/luanti-loose-weight.x")),
    ("luanti-nested-name.x", include_bytes!("upstream/luanti-nested-name.x")),
    ("luanti-two-sets.x", include_bytes!("upstream/luanti-two-sets.x")),
    ("openbve-declared-type.x", include_bytes!("upstream/openbve-declared-type.x")),
    ("openbve-exponent.x", include_bytes!("upstream/openbve-exponent.x")),
    ("openbve-second-child.x", include_bytes!("upstream/openbve-second-child.x")),
    ("openbve-state-1-refused.x", include_bytes!("upstream/openbve-state-1-refused.x")),
    ("openbve-state-2-good.x", include_bytes!("upstream/openbve-state-2-good.x")),
    ("panda3d-reference.x", include_bytes!("upstream/panda3d-reference.x")),
    ("vkquake-components.md5anim", include_bytes!("upstream/vkquake-components.md5anim")),
    ("vkquake-components.md5mesh", include_bytes!("upstream/vkquake-components.md5mesh")),
    ("vkquake-first-weight.md5mesh", include_bytes!("upstream/vkquake-first-weight.md5mesh")),
    ("wine-dropped.x", include_bytes!("upstream/wine-dropped.x")),
    ("wine-material-list.x", include_bytes!("upstream/wine-material-list.x")),
    ("wine-templates.x", include_bytes!("upstream/wine-templates.x")),
    ("wine-whole-number.x", include_bytes!("upstream/wine-whole-number.x")),
];

/// Writes all files into a folder, or no file if one of them exists.
pub(super) fn write_files(folder: &Path) -> anyhow::Result<()> {
    let files: Vec<_> = FILES.iter().map(|(name, bytes)| (folder.join(name), bytes.to_vec())).collect();
    Ok(write::create_all(&files)?)
}
