//! `--as` shows only what the program reads of a `.x` file. The expected triangles are those of the programs themselves
//! (Wine 8.0), and of Irrlicht's and Luanti's sources.

use bindpose::engines::Engine;
use bindpose::load::{LoadOptions, PlaybackRequest, load_bytes};
use bindpose::model::{JointTracks, Model};
use std::sync::Arc;

fn load(engine: &str, text: &str) -> Model {
    let engine = Some(Engine::find(engine).unwrap());
    let reads_x = Some(bindpose::validate::reads_x as _);
    let playback = PlaybackRequest { engine, reads_x, ..PlaybackRequest::default() };
    let options = LoadOptions { playback, ..LoadOptions::default() };
    let files = vec![("a.x".into(), format!("xof 0303txt 0032\n{text}").into_bytes())];
    Arc::unwrap_or_clone(load_bytes(files, &options).unwrap().model)
}

/// Names of the shown meshes.
fn meshes(engine: &str, text: &str) -> Vec<String> {
    let shown = load(engine, text).meshes.into_iter().filter(|mesh| !mesh.triangles.is_empty());
    let mut names: Vec<String> = shown.map(|mesh| mesh.name).collect();
    names.sort();
    names
}

fn mesh(name: &str, inner: &str) -> String {
    format!("Mesh {name} {{ 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2;; {inner} }}\n")
}

#[test]
fn wine_drops_the_faulty_object_and_everything_behind_it() {
    let text = mesh("a", "") + "Frame f {\n" + &mesh("b", "") + "Unknown { 1; } }\n" + &mesh("c", "");
    assert_eq!(meshes("wine-d3dx9", &text), ["a"]);
    assert_eq!(meshes("luanti", &text), ["a", "b", "c"]);
}

#[test]
fn wine_ignores_an_object_whose_name_overwrites_its_type() {
    let text = mesh("a", "") + "Frame f {\n" + &mesh(&"m".repeat(60), "") + "}\n" + &mesh("b", "");
    assert_eq!(meshes("wine-d3dx9", &text), ["a", "b"]);
}

#[test]
fn irrlicht_shows_what_it_read_before_the_fault() {
    let coords = "MeshTextureCoords { 3; 0.0;0.0;, 1.0;0.0;, 0.25;0.5;; 7; }";
    let material = "MeshMaterialList { 1; 1; 0;; Material { 1.0;0.0;0.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;; } }";
    let text = "Frame f {\n".to_owned() + &mesh("a", &(coords.to_owned() + material)) + "}\n" + &mesh("b", "");
    let model = load("irrlicht", &text);
    assert_eq!(model.meshes.len(), 1);
    // The coordinates were read before the surplus value was found. The material comes after it.
    assert_eq!(model.meshes[0].uvs[2].to_array(), [0.25, 0.5]);
    assert_eq!(model.materials[model.meshes[0].material.index()].name, "default");
    // An animation counts when its end is read.
    let animation = |keys: &str| {
        format!(
            "AnimationSet {{ Animation {{ {{f}} AnimationKey {{ 2;1; 0;3;1.0,2.0,3.0;;; }} }} Animation {{ {{g}} {keys} }} }}"
        )
    };
    let frames = "Frame f { Frame g {\n".to_owned() + &mesh("a", "") + "} }\n";
    let moved = |keys: &str| {
        let model = load("irrlicht", &(frames.clone() + &animation(keys)));
        model.clips[0].joints.iter().filter(|joint| **joint != JointTracks::default()).count()
    };
    assert_eq!(moved("AnimationKey { 2;1; 0;3;1.0,2.0,3.0;;; }"), 2);
    assert_eq!(moved("AnimationKey { 7;1; 0;3;1.0,2.0,3.0;;; }"), 1);
}

#[test]
fn luanti_does_not_show_skipped_objects() {
    let text = mesh("a", "") + &mesh("b", "").replace("Mesh", "MESH") + &mesh("c", "");
    assert_eq!(meshes("luanti", &text), ["a", "c"]);
    assert_eq!(meshes("wine-d3dx9", &text), ["a", "b", "c"]);
}

/// Luanti moves back by a byte where it misses a separator, so it reads 2 instead of 12 faces (run, like the others).
#[test]
fn luanti_loses_a_digit_behind_a_missing_separator() {
    let face = |face: u32| format!("3;{},{},{};", face % 4, (face + 1) % 4, (face + 2) % 4);
    let faces = (0..12).map(face).collect::<Vec<_>>().join(",\n");
    let vertices = "4;\n0.0;0.0;0.0;,\n1.0;0.0;0.0;,\n0.0;1.0;0.0;,\n0.0;0.0;1.0;";
    let text = format!("Frame f {{ Mesh m {{ {vertices}\n12;\n{faces};\n}} }}\n");
    for (engine, expected) in [("luanti", 2), ("irrlicht", 2), ("openbve", 12)] {
        assert_eq!(load(engine, &text).meshes[0].triangles.len(), expected, "{engine}");
    }
}

/// A number with a `#` ends at it, and the rest of its line is a comment.
#[test]
fn luanti_reads_the_digits_of_a_number_that_is_none() {
    let vertices = "3; 0.0;0.0;4.#IND;,\n 1.0;0.0;0.0;, 0.0;1.0;0.0;;\n";
    let text = format!("Mesh m {{ {vertices} 1; 3;0,1,2;; }}");
    assert!(load("luanti", &text).meshes[0].positions.contains(&[0.0, 4.0, 0.0].into()));
    assert!(load("openbve", &text).meshes[0].positions.contains(&[0.0, 0.0, 0.0].into()));
    // After a missing separator, `MeshNormals` is read as `s`, an unknown object.
    let normals = "MeshNormals { 1; 0.0;0.0;1.0;; 1; 3;0,0,0;; }";
    let text = format!("Frame f {{ Mesh m {{ 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2 {normals} }} }}");
    for engine in ["luanti", "irrlicht"] {
        assert_eq!(load(engine, &text).meshes[0].triangles.len(), 1, "{engine}");
    }
}

#[test]
fn luanti_skips_an_object_that_begins_in_the_header_s_line() {
    let text = "Frame f { \n".to_owned() + &mesh("a", "") + "}\n" + &mesh("b", "");
    let playback = |engine| {
        let engine = Some(Engine::find(engine).unwrap());
        PlaybackRequest { engine, reads_x: Some(bindpose::validate::reads_x as _), ..PlaybackRequest::default() }
    };
    let options = LoadOptions { playback: playback("luanti"), ..LoadOptions::default() };
    let text = format!("xof 0303txt 0032 {text}");
    let model = load_bytes(vec![("a.x".into(), text.into_bytes())], &options).unwrap().model;
    let roots = model.skeleton.joints().iter().filter(|joint| joint.name == "f").count();
    assert_eq!((model.meshes.len(), roots), (2, 0));
}
