//! Skins that a user requests for models that do not belong to a game.

use bindpose::load::{LoadOptions, load};
use std::path::Path;

/// Loads a model of two meshes with a skin and returns the error.
fn wear(model: &Path, skin: &str) -> Result<(), String> {
    let mut options = LoadOptions::default();
    options.game.skin = Some(skin.to_owned());
    load(&[model], &options).map(drop).map_err(|error| error.to_string())
}

#[test]
fn an_unknown_skin_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let [md5, x] = ["body.md5mesh", "cow.x"].map(|name| root.path().join(name));
    std::fs::write(&md5, super::MESH).unwrap();
    std::fs::write(&x, include_str!("../cases/validate/base.x")).unwrap();
    let none = |name: &str| {
        Err(format!("no skin is called 'red': {name} has none, neither of a game nor in a .skin file beside it"))
    };
    assert_eq!((wear(&md5, "red"), wear(&x, "red")), (none("body.md5mesh"), none("cow.x")));
    // Doom 3's skins have no lines of surfaces.
    std::fs::write(root.path().join("red.skin"), "skin red { a b }").unwrap();
    assert_eq!(wear(&md5, "red"), none("body.md5mesh"));

    for name in ["body_blue", "body_default", "other"] {
        std::fs::write(root.path().join(name).with_extension("skin"), "0, models/a\n").unwrap();
    }
    assert_eq!(
        wear(&md5, "red"),
        Err("no skin is called 'red'; beside body.md5mesh there are blue, default".to_owned())
    );
    for skin in ["blue", "BLUE", "body_blue", "other.skin"] {
        assert_eq!(wear(&md5, skin), Ok(()), "{skin}");
    }
    assert!(wear(&x, "blue").is_err());
}
