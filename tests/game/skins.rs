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

/// Daemon uses the rows by the numbers of the meshes, whatever shaders the meshes and names the rows have.
#[test]
fn rows_of_a_skin_go_by_mesh() {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let second = super::MESH.split_once("\nmesh {").unwrap().1;
    write("models/body.md5mesh", &format!("{}\nmesh {{{second}", super::MESH.replace("numMeshes 1", "numMeshes 2")));
    write("models/red.png", "");
    write("models/blue.png", "");
    write("scripts/other.shader", "other { }\n");
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_bindpose"));
        let output = command.current_dir(root.path()).args(arguments).arg("models/body.md5mesh").output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let images = || {
        let found = run(&["info", "--json"]);
        let images = found[0]["images"].as_array().unwrap().clone();
        images.iter().map(|image| image["path"].as_str().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    let daemon = || {
        let found = run(&["validate", "--format", "json"]);
        let verdicts = found["files"][0]["verdicts"].as_array().unwrap().clone();
        verdicts.iter().find(|verdict| verdict["profile"] == "daemon").unwrap()["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!((images(), daemon()), (vec![String::new()], "wrong".to_owned()));
    write("models/body_default.skin", "m, models/red\nmodels/test, models/blue\n");
    assert_eq!(
        (images(), daemon()),
        (vec!["models/red.png".to_owned(), "models/blue.png".to_owned()], "fine".to_owned())
    );
    // The second mesh keeps its own shader, until a script declares that.
    write("models/body_default.skin", "m, models/red\n");
    assert_eq!(daemon(), "wrong");
    write("scripts/other.shader", "models/test { }\n");
    assert_eq!(daemon(), "fine");
}
