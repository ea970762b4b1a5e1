//! `bindpose convert` as a user calls it.

use crate::support;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn convert(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.arg("convert").args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name).display().to_string()
}

#[test]
fn files_are_written_and_not_replaced_without_being_told() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = sample("md5/mannequin_light.md5mesh");
    let first = convert(folder.path(), &[&mesh, "-o", "out.x"]);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let before = std::fs::read(folder.path().join("out.x")).unwrap();
    let second = convert(folder.path(), &[&mesh, "-o", "out.x", "--encoding", "binary"]);
    assert_eq!(second.status.code(), Some(2));
    assert!(text(&second.stderr).contains("out.x; --force replaces it"), "{}", text(&second.stderr));
    assert_eq!(std::fs::read(folder.path().join("out.x")).unwrap(), before);
    let third = convert(folder.path(), &[&mesh, "-o", "out.x", "--encoding", "binary", "--force", "--json"]);
    assert_eq!(third.status.code(), Some(0), "{}", text(&third.stderr));
    assert!(std::fs::read(folder.path().join("out.x")).unwrap().starts_with(b"xof 0303bin 0032"));
    let report: Value = serde_json::from_slice(&third.stdout).unwrap();
    assert_eq!(report["files"][0]["path"], "out.x");
    assert_eq!(report["findings"]["errors"], 0);
}

#[test]
fn every_format_is_written_by_its_extension() {
    let folder = tempfile::tempdir().unwrap();
    for (name, head) in [
        ("a.glb", b"glTF".as_slice()),
        ("b.gltf", b"{"),
        ("c.md5mesh", b"MD5Version 10"),
        ("d.x", b"xof 0303txt 0032"),
        ("e.iqm", b"INTERQUAKEMODEL\0"),
        ("f.obj", b"mtllib f.mtl"),
    ] {
        let run = convert(folder.path(), &[&sample("x/cylinder.x"), "-o", name]);
        assert_eq!(run.status.code(), Some(0), "{name}: {}", text(&run.stderr));
        assert!(std::fs::read(folder.path().join(name)).unwrap().starts_with(head), "{name}");
    }
    assert_eq!(convert(folder.path(), &[&sample("x/cylinder.x"), "-o", "a.fbx"]).status.code(), Some(2));
    let wrong = convert(folder.path(), &[&sample("x/cylinder.x"), "-o", "g.iqm", "--luanti"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("--luanti has no meaning for .iqm files"), "{}", text(&wrong.stderr));
    let named = convert(folder.path(), &[&sample("x/cylinder.x"), "--to", "iqm", "-o", "folder"]);
    assert_eq!(named.status.code(), Some(0), "{}", text(&named.stderr));
    assert!(folder.path().join("folder/cylinder.iqm").exists());
}

/// A Quake model without skins, vertices and triangles, with frames of these names.
fn mdl(names: &[&str]) -> Vec<u8> {
    let mut bytes = b"IDPO".to_vec();
    bytes.extend(6_u32.to_le_bytes());
    bytes.resize(68, 0);
    bytes.extend((names.len() as u32).to_le_bytes());
    bytes.resize(84, 0);
    for name in names {
        bytes.extend([0; 12]);
        let mut field = name.as_bytes().to_vec();
        field.resize(16, 0);
        bytes.extend(field);
    }
    bytes
}

#[test]
fn a_quake_model_is_replaced_frame_for_frame() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["walk1", "walk2", "walk3", "wave1", "wave2", "death1"];
    std::fs::write(folder.path().join("ogre.mdl"), mdl(&names)).unwrap();
    let mesh = sample("md5/mannequin_light.md5mesh");
    let (walk, wave) = (sample("md5/walk.md5anim"), sample("md5/wave.md5anim"));
    let inputs = [mesh.as_str(), &walk, &wave, "-o", "progs/ogre.md5mesh", "--profile", "vkquake"];
    let run = convert(folder.path(), &[&inputs[..], &["--frames-from", "ogre.mdl", "--json"]].concat());
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    let losses = report["losses"].as_array().unwrap();
    assert!(losses.iter().any(|loss| loss["loss"] == "missing-clip" && loss["first"] == "death1"), "{losses:?}");
    let clip = std::fs::read_to_string(folder.path().join("progs/ogre.md5anim")).unwrap();
    assert!(clip.contains("numFrames 6\n") && clip.contains("frameRate 10\n"), "{}", &clip[..300]);
    let written = std::fs::read_to_string(folder.path().join("progs/ogre.md5mesh")).unwrap();
    assert!(written.contains("shader \"ogre\""));
    let fault = convert(folder.path(), &[&inputs[..], &["--force", "--frames-from", "progs/ogre.md5mesh"]].concat());
    assert_eq!(fault.status.code(), Some(2));
    assert!(text(&fault.stderr).contains("no Quake or Quake II model"), "{}", text(&fault.stderr));
}

/// vkQuake 1.35 reads one mesh of a file.
#[test]
fn the_validators_verdict_is_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = "Mesh { 3; 1;2;3;, 0;0;0;, 4;0;0;; 1; 3;0,1,2;; MeshTextureCoords { 3; 0;0;, 0;1;, 1;1;; } }\n";
    let file = format!("xof 0303txt 0032\n{mesh}{mesh}");
    std::fs::write(folder.path().join("two.x"), file).unwrap();
    let run = convert(folder.path(), &["two.x", "-o", "two.md5mesh", "--profile", "vkquake-1.35"]);
    let expected = Command::new(env!("CARGO_BIN_EXE_bindpose"))
        .args(["validate", "two.md5mesh", "--profile", "vkquake-1.35"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert_eq!(run.status.code(), expected.status.code(), "{}", text(&run.stderr));
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
}

/// Samples and corpus through the command, there and back: no panic, and nothing that is not told.
#[test]
fn real_files_convert_or_say_why_not() {
    let mut paths = Vec::new();
    if let Some(shared) = support::shared() {
        paths.extend(support::files_with(&shared.join("corpus"), &["x"]));
    }
    let folder = tempfile::tempdir().unwrap();
    for (number, path) in paths.iter().enumerate() {
        let name = format!("{number}.iqm");
        let run = convert(folder.path(), &[&path.display().to_string(), "-o", &name]);
        let code = run.status.code();
        assert!(matches!(code, Some(0..=2)), "{}: {code:?}", path.display());
        assert_eq!(folder.path().join(&name).exists(), code == Some(0), "{}", path.display());
        assert!(code == Some(0) || !run.stderr.is_empty(), "{}", path.display());
    }
    println!("{} files were converted", paths.len());
}
