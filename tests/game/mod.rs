//! Games of id Tech 4. Each case creates a small folder tree.

mod entities;
mod info;
mod skins;

use std::fs;
use tempfile::TempDir;

pub const MESH: &str = include_str!("../cases/md5/base.md5mesh");
pub const ANIM: &str = include_str!("../cases/md5/base.md5anim");

/// Creates a game with these files, the mesh `models/imp.md5mesh` (surface `models/test`) and the clips
/// `models/a.md5anim` and `b`.
pub fn game(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let fixed = [("models/imp.md5mesh", MESH), ("models/a.md5anim", ANIM), ("models/b.md5anim", ANIM)];
    for (path, text) in fixed.iter().chain(files) {
        let path = root.path().join("base").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}
