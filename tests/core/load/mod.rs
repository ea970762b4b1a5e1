//! Files to a model and all that comes with it. Further tests, with the program's, are in `tests/load.rs`.

mod counts;
mod gltf;

use bindpose_core::budget::MemoryLimit;
use bindpose_core::import::{Contents, Importer, extensions, identify};
use bindpose_core::load::{GameCache, LoadOptions, Loaded, load, load_bytes};
use bindpose_vfs::Order;
use counts::{md5anim, md5mesh};
use glam::DVec3;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[test]
fn formats_are_identified_by_extension_and_then_by_content() {
    let name = |path: &str, bytes: &[u8]| identify(Path::new(path), bytes).map(|importer| importer.name);
    assert_eq!(name("a.MD5Mesh", b""), Some("md5mesh"));
    assert_eq!(name("a.x", b"glTF"), Some("x"));
    assert_eq!(name("a", b"MD5Version 10 numJoints 1 numMeshes 1"), Some("md5mesh"));
    assert_eq!(name("a", b"numFrames 1 numAnimatedComponents 6"), Some("md5anim"));
    assert_eq!(name("a.txt", b"numCuts 0"), Some("md5camera"));
    assert_eq!(name("a", b"xof 0303txt 0032"), Some("x"));
    assert_eq!(name("a", b"glTF\x02"), Some("gltf"));
    assert_eq!(name("a", b"hello"), None);
}

#[test]
fn extensions_are_listed_for_a_sentence() {
    assert_eq!(extensions(Importer::is_model), ".md5mesh, .x, .glb or .gltf");
    assert_eq!(extensions(|importer| importer.contents == Contents::Clip), ".md5anim");
}

/// Files in two folders may have the same name.
#[test]
fn each_clip_keeps_the_boxes_of_its_own_file() {
    let boxes = |corner: &str| {
        md5anim(1, 1)
            .replace("bounds {\n( 0 0 0 ) ( 0 0 0 )", &format!("bounds {{\n( 0 0 0 ) ( {corner} )"))
            .into_bytes()
    };
    let files = vec![("a/w.md5anim".into(), boxes("1 2 3")), ("b/w.md5anim".into(), boxes("4 5 6"))];
    let Loaded { model, frame_boxes, .. } = load_bytes(files, &LoadOptions::default()).unwrap();
    assert_eq!(model.clips.iter().map(|clip| &clip.name[..]).collect::<Vec<_>>(), ["w", "w"]);
    let [first, second] =
        [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]].map(|corner| vec![[DVec3::ZERO, DVec3::from_array(corner)]]);
    assert_eq!(frame_boxes, [first, second]);
}

/// Cube 2's scripts know a mesh by this name.
#[test]
fn an_exporters_comment_names_a_mesh() {
    let text = md5mesh(2, 0, 0).replace("shader \"s1\"", "// meshes: Head\nshader \"s1\"");
    let model = load_bytes(vec![("a.md5mesh".into(), text.into())], &LoadOptions::default()).unwrap().model;
    assert_eq!(model.names_of_surfaces(), [["s0", "mesh 0"], ["s1", "Head"]]);
}

/// Daemon takes a row of the skin for each mesh, whatever shader the mesh names.
#[test]
fn meshes_of_one_shader_have_the_rows_of_the_skin() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("body.md5mesh");
    let text = ["s1", "s2", "s3"].iter().fold(md5mesh(4, 0, 0), |text, shader| text.replace(shader, "s0"));
    std::fs::write(&path, text).unwrap();
    let materials = |skin: &str| {
        std::fs::write(folder.path().join("body_default.skin"), skin).unwrap();
        let model = load(&[&path], &LoadOptions::default()).unwrap().model;
        let names: Vec<_> = model.materials.iter().map(|material| material.name.clone()).collect();
        (model.meshes.iter().map(|mesh| mesh.material.0).collect::<Vec<_>>(), names)
    };
    let split = materials("0, red\n1, green\n2, red\n");
    let whole = materials("0, red\n1, red\n");
    assert_eq!(split, (vec![0, 1, 0, 0], vec!["s0".to_owned(), "s0".to_owned()]));
    assert_eq!(whole, (vec![0; 4], vec!["s0".to_owned()]));
}

#[test]
fn a_game_is_read_once_for_all_files_in_it() {
    let root = tempfile::tempdir().unwrap();
    let models = root.path().join("models/deep");
    std::fs::create_dir_all(&models).unwrap();
    let games = GameCache::default();
    let order = Order::default();
    let decls =
        |file: &str| games.game_of(&[models.join(file)], order).map(|game| games.decls(&game, MemoryLimit::default()));
    let (a, b) = (decls("a.md5mesh"), decls("../b.md5mesh"));
    assert!(Arc::ptr_eq(&a.unwrap(), &b.unwrap()));
    assert!(games.game_of(&[] as &[PathBuf], order).is_none());
}
