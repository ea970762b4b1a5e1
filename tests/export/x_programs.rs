//! `.x` files written for one program, checked against its loader as followed by `validate`.

use crate::support;
use bindpose::engines::{Engine, EngineId};
use bindpose::export::{Front, join_clips, x};
use bindpose::load::{LoadOptions, PlaybackRequest, load, load_bytes};
use bindpose::model::Model;
use bindpose::pose::{LocalPose, ModelPose, local_to_model, sample};
use bindpose::skin;
use bindpose::validate::codes::x as rules;
use bindpose::validate::x_loaders::{self, XFile};
use glam::DVec3;
use std::path::PathBuf;
use std::sync::Arc;

const TEXT: x::Encoding = x::Encoding::TEXT;
const BINARY: x::Encoding = x::Encoding::BINARY;

/// Programs, and the encodings that they read.
const PROGRAMS: [(EngineId, &[x::Encoding]); 6] = [
    (EngineId::Luanti, &[TEXT, BINARY]),
    (EngineId::Luanti516, &[TEXT, BINARY]),
    (EngineId::Irrlicht, &[TEXT, BINARY]),
    (EngineId::OpenBve, &[TEXT, BINARY]),
    (EngineId::OpenBveAssimp, &[TEXT, BINARY]),
    (EngineId::WineD3dx9, &[TEXT, BINARY]),
];

/// Returns the samples, and the corpus if it is present.
fn models() -> Vec<PathBuf> {
    let mut paths = support::real_files(&["md5mesh", "x"]);
    let is_small = |path: &PathBuf| path.metadata().is_ok_and(|file| file.len() < 2 << 20);
    paths.retain(|path| support::everything() || is_small(path));
    paths
}

fn options(engine: EngineId, encoding: x::Encoding) -> x::Options {
    x::Options { engine: Some(engine), encoding, front: Some(Front::NegativeY), ..x::Options::default() }
}

/// Joins all clips into one, as `convert` does for programs with one timeline.
fn joined(model: &Model) -> Model {
    let clips: Vec<_> = model.clips.iter().collect();
    let clips = join_clips(model, &clips, "all").map(|(clip, _)| clip);
    Model { clips: clips.into_iter().collect(), ..model.clone() }
}

/// True for faults that the program has with every such model.
fn is_known(engine: EngineId, rule: bindpose::validate::codes::Rule) -> bool {
    // Wine creates no animation controllers. Luanti and Irrlicht have one offset for each bone.
    match engine {
        EngineId::WineD3dx9 => rule == rules::CLIPS_IGNORED,
        EngineId::Luanti | EngineId::Luanti516 | EngineId::Irrlicht => rule == rules::BONE_OFFSETS,
        _ => false,
    }
}

#[test]
fn models_load_in_the_program_that_they_are_written_for() {
    let (mut written, mut wrong) = (0, Vec::new());
    for (number, path) in models().into_iter().enumerate() {
        let Ok(loaded) = load(&[&path], &LoadOptions::with_clips()) else { continue };
        let one_set = joined(&loaded.model);
        let programs = PROGRAMS.into_iter().enumerate();
        for (_, (engine, encodings)) in programs.filter(|(program, _)| support::is_sampled(*program, number, 4)) {
            let model: &Model = if x::has_one_timeline(engine) { &one_set } else { &loaded.model };
            for &encoding in encodings {
                let Ok(output) = x::write(model, &options(engine, encoding)) else { continue };
                written += 1;
                let verdict = x_loaders::load(engine, XFile::plain("a.x", &output.bytes)).expect("a followed loader");
                let places = verdict.undefined.iter().chain(&verdict.misread).filter(|it| !is_known(engine, it.rule));
                let mut faults: Vec<String> = places.map(|place| format!("{:?}", place.rule)).collect();
                faults.extend(verdict.refusal.map(|refusal| refusal.message));
                if !faults.is_empty() {
                    wrong.push(format!("{engine:?} {encoding:?} {}: {faults:?}", path.display()));
                }
            }
        }
    }
    println!("{written} files were written");
    assert!(wrong.is_empty(), "{} of {written}:\n{}", wrong.len(), wrong.join("\n"));
}

const TRIANGLE: &str = "3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2;;";

fn at(x: f64, y: f64, z: f64) -> String {
    format!("FrameTransformMatrix {{ 1,0,0,0, 0,1,0,0, 0,0,1,0, {x},{y},{z},1;; }}")
}

fn model(text: &str) -> Arc<Model> {
    load_bytes(vec![("a.x".into(), text.as_bytes().to_vec())], &LoadOptions::default()).unwrap().model
}

fn text_for(engine: EngineId, model: &Model) -> String {
    String::from_utf8(x::write(model, &options(engine, TEXT)).unwrap().bytes).unwrap()
}

#[test]
fn openbve_gets_vertices_where_their_frames_put_them() {
    let frames = format!(
        "xof 0303txt 0032\nFrame a {{ {} Frame b {{ {} Mesh m {{ {TRIANGLE} }} }} Frame c {{ {} Mesh n {{ {TRIANGLE} }} }} }}",
        at(0.0, 0.0, 9.0),
        at(1.0, 0.0, 0.0),
        at(2.0, 3.0, 0.0)
    );
    let text = text_for(EngineId::OpenBve, &model(&frames));
    assert_eq!(text.matches("Frame ").count(), 1, "{text}");
    for vertex in ["1.0;0.0;9.0;", "2.0;0.0;9.0;", "3.0;3.0;9.0;", "2.0;4.0;9.0;"] {
        assert!(text.contains(vertex), "{vertex} {text}");
    }
}

/// Returns vertex 1 of the first mesh at a time, in the file's axes.
fn vertex(model: &Model, time: f64) -> DVec3 {
    let (mut local, mut pose) = (LocalPose::default(), ModelPose::default());
    sample(&model.skeleton, &model.clips[0], time, &mut local);
    local_to_model(&model.skeleton, &local, &mut pose);
    let mut skinned = skin::Skinned::default();
    skin::linear(&model.meshes[0], &pose, &mut skinned);
    let wanted = model.meshes[0].source_vertices.iter().position(|&vertex| vertex == 1).unwrap();
    let DVec3 { x, y, z } = skinned.positions[wanted];
    DVec3::new(x, z, y)
}

/// A quarter turn about z on a frame at (0, 2, 0). The programs ignore the matrix, so its position has to be a key.
#[test]
fn luanti_turns_a_frame_where_it_is() {
    let keys = "AnimationKey { 0;2; 0;4;1.0,0.0,0.0,0.0;;, 30;4;0.70710678,0.0,0.0,0.70710678;;; }";
    let text = format!(
        "xof 0303txt 0032\nFrame f {{ {} Mesh m {{ {TRIANGLE} }} }}\nAnimTicksPerSecond {{ 15; }}\nAnimationSet s {{ Animation {{ {{f}} {keys} }} }}",
        at(0.0, 2.0, 0.0)
    );
    let written = text_for(EngineId::Luanti, &model(&text));
    let playback = PlaybackRequest { engine: Some(Engine::find("luanti").unwrap()), ..PlaybackRequest::default() };
    let options = LoadOptions { playback, ..LoadOptions::default() };
    let played = load_bytes(vec![("a.x".into(), written.clone().into_bytes())], &options).unwrap().model;
    let end = played.clips[0].duration;
    for share in [0.0, 0.5, 1.0] {
        let (sine, cosine) = (share * std::f64::consts::FRAC_PI_2).sin_cos();
        let found = vertex(&played, share * end);
        assert!(found.distance(DVec3::new(cosine, 2.0 - sine, 0.0)) < 1e-5, "{share}: {found}\n{written}");
    }
}

#[test]
fn names_are_as_the_program_finds_them() {
    let long = "a".repeat(60);
    let text = format!("xof 0303txt 0032\nFrame f {{ Frame {long} {{ Mesh f {{ {TRIANGLE} }} }} }}");
    let model = model(&text);
    assert!(text_for(EngineId::D3dx9, &model).contains("Mesh f_2 {"));
    let for_wine = text_for(EngineId::WineD3dx9, &model);
    assert!(for_wine.contains(&format!("Frame {} {{", &long[..39])), "{for_wine}");
}

/// Games look for frames by name, but not for materials. Under Wine, long names are a fault.
#[test]
fn names_of_materials_fit_into_wine_s_objects() {
    let long = "a".repeat(60);
    let list = format!("MeshMaterialList {{ 1; 1; 0;; Material {long} {{ 1;0;0;1;; 0; 0;0;0;; 0;0;0;; }} }}");
    let model = model(&format!("xof 0303txt 0032\nFrame {long} {{ Mesh m {{ {TRIANGLE} {list} }} }}"));
    let text = text_for(EngineId::D3dx9, &model);
    assert!(
        text.contains(&format!("Frame {long} {{")) && text.contains(&format!("Material {} {{", &long[..39])),
        "{text}"
    );
    assert!(text_for(EngineId::Luanti, &model).contains(&format!("Material {long}")));
}

#[test]
fn a_binary_file_for_luanti_is_padded() {
    let model = model(&format!("xof 0303txt 0032\nFrame f {{ Mesh m {{ {TRIANGLE} }} }}"));
    let write = |engine| x::write(&model, &options(engine, BINARY)).unwrap().bytes;
    assert_eq!(write(EngineId::Luanti), [write(EngineId::Luanti516), vec![0, 0]].concat());
}
