//! Images found by the names in files.

use bindpose_core::image_search::{FoundAs, FoundImage, ImageFinder, ImageSearch};
use std::fs;
use std::path::PathBuf;

/// A folder with empty files.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str, files: &[&str]) -> Self {
        let root = std::env::temp_dir().join(format!("bindpose-images-{}-{test}", std::process::id()));
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        Self(root)
    }

    /// Returns the path of the found file below the root, its difference from the name, and the number of folders
    /// above.
    fn find(&self, model: &str, name: &str) -> Option<(String, FoundAs, usize)> {
        match ImageFinder::default().find(&[self.0.join(model)], name) {
            ImageSearch::Found(FoundImage { path, found_as, above }) => {
                let inside = path.strip_prefix(&self.0).unwrap();
                Some((inside.to_string_lossy().replace('\\', "/"), found_as, above))
            }
            ImageSearch::Missing { .. } | ImageSearch::NoImage => None,
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn names_lead_to_images() {
    use FoundAs::{Loosely, OtherExtension, QuakeSkin, Written};
    let files = [
        "base/models/md5/imp/imp.png",
        "base/models/md5/imp/Wall.TGA",
        "base/models/md5/imp/claw_d.png",
        "base/models/md5/imp/ogre_00_00.lmp",
        "base/models/md5/imp/sub/deep.tga",
        "base/models/md5/imp/old.gif",
        "base/models/md5/imp/髪.bmp",
        "base/models/monsters/imp/skin.tga",
        "base/models/monsters/imp/skin_local.tga",
        "base/shared.png",
        "mods/pigs/Textures/pig.png",
        "mods/pigs/models/textures/spots.png",
    ];
    let folder = Folder::new("names", &files);
    let imp = "base/models/md5/imp/";
    let cases = [
        ("imp.png", Some(("imp.png", Written, 0))),
        ("imp", Some(("imp.png", OtherExtension, 0))),
        ("imp.jpg", Some(("imp.png", OtherExtension, 0))),
        ("C:\\art\\IMP.PNG", Some(("imp.png", Loosely, 0))),
        ("/home/someone/imp.png", Some(("imp.png", Loosely, 0))),
        ("wall", Some(("Wall.TGA", Loosely, 0))),
        ("Wall", Some(("Wall.TGA", OtherExtension, 0))),
        ("textures/base/wall.tga", Some(("Wall.TGA", Loosely, 0))),
        ("models/whatever/claw", Some(("claw_d.png", Loosely, 0))),
        ("ogre", Some(("ogre_00_00.lmp", QuakeSkin, 0))),
        ("sub\\deep.tga", Some(("sub/deep.tga", Written, 0))),
        // The tail of an absolute path, including folders.
        ("D:/art/Sub/deep.tga", Some(("sub/deep.tga", Loosely, 0))),
        ("old.gif", Some(("old.gif", Written, 0))),
        ("髪.bmp", Some(("髪.bmp", Written, 0))),
        ("imp.png*env.sph", Some(("imp.png", Written, 0))),
        ("env.spa*imp.png", Some(("imp.png", Written, 0))),
        ("env.sph", None),
        ("skin", None),
        ("", None),
        ("..", None),
        ("/", None),
    ];
    for (name, found) in cases {
        let found = found.map(|(path, found_as, above)| (format!("{imp}{path}"), found_as, above));
        assert_eq!(folder.find("base/models/md5/imp", name), found, "{name}");
    }
    let beside = |name| folder.find("mods/pigs/models", name);
    assert_eq!(beside("pig.png"), Some(("mods/pigs/Textures/pig.png".to_owned(), Loosely, 1)));
    assert_eq!(beside("C:\\art\\Pig.tga"), Some(("mods/pigs/Textures/pig.png".to_owned(), Loosely, 1)));
    assert_eq!(beside("spots"), Some(("mods/pigs/models/textures/spots.png".to_owned(), Loosely, 0)));
    assert_eq!(folder.find("mods/pigs", "spots.png"), None);
    let outside = [
        ("models/monsters/imp/skin", "base/models/monsters/imp/skin.tga", OtherExtension, 3),
        ("models/monsters/imp/skin_local", "base/models/monsters/imp/skin.tga", Loosely, 3),
        ("..\\..\\monsters\\imp\\skin.tga", "base/models/monsters/imp/skin.tga", Written, 0),
        ("/q4/base/models/monsters/imp/skin.tga", "base/models/monsters/imp/skin.tga", Loosely, 4),
        ("shared.png", "base/shared.png", Written, 3),
    ];
    for (name, path, found_as, above) in outside {
        let found = folder.find("base/models/md5/imp", name);
        assert_eq!(found, Some((path.to_owned(), found_as, above)), "{name}");
    }
}

#[test]
fn a_missing_image_lists_what_was_tried() {
    let search = ImageFinder::default().find(&[], "models/imp/skin.tga");
    let ImageSearch::Missing { tried } = search else { panic!("{search:?}") };
    assert_eq!(tried.first().map(String::as_str), Some("models/imp/skin.tga"));
    assert!(tried.contains(&"skin_d.png".to_owned()), "{tried:?}");
}
