//! Files in archives, as every command reads them, and `bindpose ls`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const MESH: &[u8] = include_bytes!("../cases/md5/base.md5mesh");
const ANIM: &[u8] = include_bytes!("../cases/md5/base.md5anim");

/// Creates Quake's archive format, the simplest one: header, files, index.
pub fn pak(files: &[(&str, &[u8])]) -> Vec<u8> {
    let (mut body, mut index) = (Vec::new(), Vec::new());
    for (name, bytes) in files {
        let mut record = name.as_bytes().to_vec();
        record.resize(56, 0);
        record.extend([12 + body.len() as u32, bytes.len() as u32].map(u32::to_le_bytes).as_flattened());
        index.extend(record);
        body.extend(*bytes);
    }
    let mut file = b"PACK".to_vec();
    file.extend([12 + body.len() as u32, index.len() as u32].map(u32::to_le_bytes).as_flattened());
    [file, body, index].concat()
}

/// Creates a game with a model in an archive, and a mod that replaces its clip.
fn game() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (path, bytes) in [
        ("base/pak0.pak", pak(&[("models/md5/imp/imp.md5mesh", MESH), ("models/md5/imp/walk.md5anim", ANIM)])),
        ("base/models/md5/imp/walk.md5anim", ANIM.to_vec()),
        ("mod/models/md5/imp/run.md5anim", ANIM.to_vec()),
        ("mod/broken.pk4", b"PK".to_vec()),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    root
}

pub fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_bindpose")).current_dir(folder).args(arguments).output().unwrap();
    let Output { status, stdout, stderr } = output;
    (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn commands_read_files_in_archives() {
    let game = game();
    let mesh = "base/pak0.pak:models/md5/imp/imp.md5mesh";
    let clip = "base/pak0.pak:models/md5/imp/walk.md5anim";
    let (code, out, err) = run(game.path(), &["info", mesh, clip]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains(mesh) && out.contains(clip), "{out}");
    // The clip next to the mesh is found in the archive too.
    let (code, out, err) = run(game.path(), &["dump", "--stage", "model-pose", "--clip", "walk", mesh]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("origin"), "{out}");
    let (code, out, err) = run(game.path(), &["validate", "--format", "short", "-vv", "base/pak0.pak"]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains(mesh), "{out}");
    // Its image is searched in the archive, up to the root.
    assert!(out.contains("TEX001") && out.contains("'models/test'"), "{out}");
    let files =
        [("models/imp/imp.md5mesh", MESH), ("models/imp/imp.md5anim", ANIM), ("models/test.tga", b"".as_slice())];
    fs::write(game.path().join("found.pk3"), pak(&files)).unwrap();
    let (_, out, _) = run(game.path(), &["validate", "--format", "short", "-vv", "--only", "TEX,MD5P006", "found.pk3"]);
    assert_eq!(out, "");
    let (code, _, err) = run(game.path(), &["info", "base/pak0.pak:models/none.md5mesh"]);
    assert_eq!(code, Some(2));
    let path = "base/pak0.pak:models/none.md5mesh";
    assert!(err.contains(&format!("cannot read {path}: the archive has no such file")), "{err}");
}

#[test]
fn a_folder_is_checked_with_the_files_of_its_games_archives() {
    let root = tempfile::tempdir().unwrap();
    let lost = b"x { nosuch }".as_slice();
    let first = [("materials/a.mtr", lost), ("materials/b.mtr", b"b { nosuch }"), ("materials/c.mtr", b"c { nosuch }")];
    let first = [&first[..], &[("models/imp/imp.md5mesh", MESH)]].concat();
    for (path, bytes) in [
        ("base/pak000.pk4", pak(&first)),
        ("base/pak001.pk4", pak(&[("materials/B.mtr", b"b { }"), ("models/imp/walk.md5anim", ANIM)])),
        ("base/materials/c.mtr", b"c { }\n\n d { nosuch }".to_vec()),
        ("base/broken.pk4", b"PK".to_vec()),
        ("base/extra.pk4", pak(&[("addon.conf", b""), ("materials/e.mtr", lost)])),
        ("base/sub/deep.pk4", pak(&[("materials/f.mtr", lost)])),
    ] {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    // Returns the locations of all findings with these codes.
    let places = |arguments: &[&str]| {
        let (code, out, err) =
            run(root.path(), &[&["validate", "--format", "short", "--only", "MTR,PAK"], arguments].concat());
        assert_eq!(code, Some(1), "{err}");
        let mut places: Vec<String> = out.lines().map(|line| line.split(": ").next().unwrap().to_owned()).collect();
        places.sort();
        places
    };
    let (a, c) = ("base/pak000.pk4:materials/a.mtr:1:5", "base/materials/c.mtr:3:6");
    assert_eq!(places(&["base"]), ["base/broken.pk4:1:1", c, a, "base/pak000.pk4:models/imp/imp.md5mesh:14:9"]);
    // An archive by itself, and the same archive in its game.
    let alone = ["b", "c"].map(|name| format!("base/pak000.pk4:materials/{name}.mtr:1:5"));
    let mesh = "base/pak000.pk4:models/imp/imp.md5mesh:14:9";
    assert_eq!(places(&["base/pak000.pk4"]), [a, &alone[0], &alone[1], mesh]);
    assert_eq!(places(&["base/pak000.pk4", "--base", "./base"]).len(), 2);

    let (_, out, err) = run(root.path(), &["validate", "-v", "base"]);
    for expected in [
        "materials/b.mtr is not checked: the game takes base/pak001.pk4:materials/b.mtr",
        "materials/c.mtr is not checked: the game takes base/materials/c.mtr",
        // A mesh and its clip are in different archives.
        "compared base/pak000.pk4:models/imp/imp.md5mesh with base/pak001.pk4:models/imp/walk.md5anim",
    ] {
        assert!(out.contains(expected), "{expected}: {out}");
    }
    assert!(err.contains("base/extra.pk4 and 1 more archive: the game does not search there"), "{err}");
}

#[test]
fn files_of_a_folder_are_limited_by_memory() {
    let root = tempfile::tempdir().unwrap();
    let clip = [ANIM, &vec![b' '; 500 << 10]].concat();
    let names: Vec<String> = (0..5).map(|number| format!("models/{number}.md5anim")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (&**name, &clip[..])).collect();
    fs::write(root.path().join("pak0.pak"), pak(&files)).unwrap();
    let check = |memory| run(root.path(), &["validate", "--format", "short", "-q", "--max-memory", memory, "pak0.pak"]);
    let (code, out, _) = check("4M");
    assert_eq!((code, out.contains("IO001")), (Some(0), false), "{out}");
    // Four files have no more than 2,010 KiB.
    let (code, out, err) = check("2400K");
    assert_eq!((code, out.matches("IO001").count()), (Some(2), 1), "{out}{err}");
    assert!(out.contains("pak0.pak:models/4.md5anim") && out.contains("more than 2.3 MiB"), "{out}");
}

#[test]
fn files_are_named_as_their_game_names_them() {
    let game = game();
    let base = ["--base", "base", "--game", "mod"];
    let (code, out, err) =
        run(game.path(), &[&["info", "Models/md5/imp/imp.md5mesh", "models/md5/imp/run.md5anim"], &base[..]].concat());
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("pak0.pak:models/md5/imp/imp.md5mesh") && out.contains("run.md5anim"), "{out}");
    let (code, _, err) = run(game.path(), &["info", "a.md5mesh", "--game", "mod"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("--game needs --base"), "{err}");
    let (code, _, err) = run(game.path(), &["ls", "--base", "base", "--game", "mood"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("the mod mood: "), "{err}");
}

#[test]
fn ls_lists_the_origin_of_each_file_and_the_files_it_hides() {
    let game = game();
    let (code, out, err) = run(game.path(), &["ls", "--base", "base", "--game", "mod", "models/md5"]);
    assert_eq!(code, Some(0), "{err}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "models/md5/imp/imp.md5mesh\tfrom base/pak0.pak");
    assert_eq!(lines[1], "models/md5/imp/run.md5anim\tfrom mod");
    assert_eq!(lines[2], "models/md5/imp/walk.md5anim\tfrom base/pak0.pak, shadows base");
    assert!(err.contains("broken.pk4 is left out: ") && err.contains("3 files in "), "{err}");

    let (code, out, _) = run(game.path(), &["ls", "base/pak0.pak"]);
    assert_eq!((code, out.as_str()), (Some(0), "models/md5/imp/imp.md5mesh\nmodels/md5/imp/walk.md5anim\n"));
    let (_, out, _) = run(game.path(), &["ls", "base/pak0.pak:models/md5/imp/walk.md5anim", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json[0]["name"], "models/md5/imp/walk.md5anim");
    let (code, _, err) = run(game.path(), &["ls", "base/pak0.pak:nothing"]);
    assert_eq!((code, err.as_str()), (Some(2), "bindpose: nothing: no such file or folder in base/pak0.pak\n"));
    let (code, _, err) = run(game.path(), &["ls", "nowhere"]);
    assert_eq!(code, Some(2));
    assert!(err.starts_with("bindpose: cannot list nowhere: "), "{err}");
}

#[cfg(target_os = "linux")]
#[test]
fn ls_lists_files_that_differ_in_case() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["Same.x", "same.x", "other.x"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let (code, out, err) = run(folder.path(), &["ls", "."]);
    assert_eq!((code, out.as_str()), (Some(0), "other.x\nsame.x\tfrom ./Same.x, shadows ./same.x\n"), "{err}");
}
