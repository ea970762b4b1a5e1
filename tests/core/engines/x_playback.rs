//! Playback of `.x` files by their engines.

use bindpose_core::engines::{Engine, Shown};
use bindpose_core::load::{LoadOptions, Loaded, PlaybackRequest, load_bytes};
use bindpose_core::model::surface::Sides;
use bindpose_core::model::{Clip, JointTracks, Model, NamedImage};
use glam::DVec3;
use std::sync::Arc;

const MESH: &str = "Mesh m { 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2;; }";

/// Returns a frame at (0, 2, 0) with a triangle whose vertex 1 is at (1, 0, 0), and the given animation sets.
fn moved(sets: &str) -> String {
    let matrix = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0,0.0,1.0";
    format!("xof 0303txt 0032\nFrame f {{ FrameTransformMatrix {{ {matrix};; }} {MESH} }}\n{sets}")
}

fn set(keys: &str) -> String {
    format!("AnimationSet {{ Animation {{ {{f}} {keys} }} }}\n")
}

fn load(engine: &str, text: &str) -> Loaded {
    let playback = PlaybackRequest { engine: Some(Engine::find(engine).unwrap()), ..PlaybackRequest::default() };
    let options = LoadOptions { playback, ..LoadOptions::default() };
    load_bytes(vec![("a.x".into(), text.as_bytes().to_vec())], &options).unwrap()
}

/// Returns the position of vertex 1 at a tick, in the axes of the file.
fn at(engine: &str, text: &str, tick: f64) -> DVec3 {
    vertex_1(&load(engine, text).model, tick)
}

/// Works as [`at`], for ticks shorter than a frame.
fn at_ticks(engine: &str, text: &str, tick: f64, rate: f64) -> DVec3 {
    let mut model = Arc::unwrap_or_clone(load(engine, text).model);
    model.clips[0].frame_rate = Some(rate);
    vertex_1(&model, tick)
}

fn vertex_1(model: &Model, frame: f64) -> DVec3 {
    each_vertex_1(model, frame)[0]
}

/// Vertex 1 of each mesh, in the axes of the file.
fn each_vertex_1(model: &Model, frame: f64) -> Vec<DVec3> {
    let mut shown = Shown::new(model, &model.clips[0], None).unwrap();
    let mut positions = Vec::new();
    shown.positions(frame, &mut positions);
    let sources = model.meshes.iter().flat_map(|mesh| &mesh.source_vertices);
    let wanted = sources.zip(positions).filter(|&(&vertex, _)| vertex == 1);
    wanted.map(|(_, DVec3 { x, y, z })| DVec3::new(x, z, y)).collect()
}

/// Compares with positions at ticks 0, 5, 10, 15 and 20, as recorded from the running programs.
fn assert_path(text: &str, expected: [(f64, f64, f64); 5]) {
    for engine in ["luanti", "luanti-5.16", "irrlicht"] {
        for (tick, (x, y, z)) in [0.0, 5.0, 10.0, 15.0, 20.0].into_iter().zip(expected) {
            let found = at(engine, text, tick);
            assert!(found.distance(DVec3::new(x, y, z)) < 1e-3, "{engine} at {tick}: {found}");
        }
    }
}

const TO_FOUR: &str = "AnimationKey { 2;2; 0;3;0.0,0.0,0.0;;, 20;3;4.0,0.0,0.0;;; }";

/// Luanti's entities, Irrlicht, Direct3D, OpenBVE and Panda3D cull the backs of triangles by default.
#[test]
fn backs_of_triangles_are_culled_for_engines_only() {
    let sides = |loaded: Loaded| loaded.model.materials[0].plain_surface(0, NamedImage::Missing).sides;
    for engine in ["luanti", "luanti-5.16", "irrlicht", "openbve", "openbve-assimp", "wine-d3dx9", "panda3d"] {
        assert_eq!(sides(load(engine, &moved(""))), Sides::Front, "{engine}");
    }
    let bytes = moved("").into_bytes();
    let plain = load_bytes(vec![("a.x".into(), bytes)], &LoadOptions::default()).unwrap();
    assert_eq!(sides(plain), Sides::Both);
}

#[test]
fn keys_replace_the_matrix_of_their_frame() {
    let along = [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| (x, 0.0, 0.0));
    assert_path(&moved(&set(TO_FOUR)), along);
    // A quarter turn about z, in the file's convention: cosine and sine of the angle, without the translation.
    let turned = "AnimationKey { 0;2; 0;4;1.0,0.0,0.0,0.0;;, 20;4;0.707107,0.0,0.0,0.707107;;; }";
    let angle = |share: f64| (share * std::f64::consts::FRAC_PI_2).sin_cos();
    let circle = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (angle(share).1, -angle(share).0, 0.0));
    assert_path(&moved(&set(turned)), circle);
}

#[test]
fn matrix_keys_lose_their_scale() {
    let keys = "AnimationKey { 4;2; 0;16;1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0,0.0,1.0;;, \
                20;16;2.0,0.0,0.0,0.0,0.0,2.0,0.0,0.0,0.0,0.0,2.0,0.0,4.0,2.0,0.0,1.0;;; }";
    assert_path(&moved(&set(keys)), [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| (x, 2.0, 0.0)));
    let turned = keys.replace(
        "2.0,0.0,0.0,0.0,0.0,2.0,0.0,0.0,0.0,0.0,2.0,0.0,4.0",
        "0.0,1.0,0.0,0.0,-1.0,0.0,0.0,0.0,0.0,0.0,1.0,0.0,4.0",
    );
    let path = [(0.0, 0.0), (1.0, 0.25), (2.0, 0.5), (3.0, 0.75), (4.0, 1.0)].map(|(x, share): (f64, f64)| {
        let (sine, cosine) = (share * std::f64::consts::FRAC_PI_2).sin_cos();
        (x + cosine, 2.0 + sine, 0.0)
    });
    assert_path(&moved(&set(&turned)), path);
}

#[test]
fn sets_share_one_timeline() {
    let run = "AnimationKey { 2;2; 0;3;0.0,0.0,0.0;;, 20;3;0.0,0.0,8.0;;; }";
    let both = moved(&(set(TO_FOUR) + &set(run)));
    assert_path(&both, [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| (x, 0.0, 0.0)));
    assert_eq!(load("luanti", &both).model.clips.len(), 1);
    // A key that is not later is dropped.
    let unsorted = "AnimationKey { 2;3; 0;3;0.0,0.0,0.0;;, 20;3;4.0,0.0,0.0;;, 10;3;1.0,0.0,0.0;;; }";
    assert_path(&moved(&set(unsorted)), [1.0, 2.0, 3.0, 4.0, 5.0].map(|x| (x, 0.0, 0.0)));
    // The last key holds.
    assert!(at("luanti", &both, 40.0).distance(DVec3::new(5.0, 0.0, 0.0)) < 1e-3);
}

#[test]
fn the_file_s_rate_is_irrlicht_s_alone() {
    let text = moved(&("AnimTicksPerSecond { 10; }\n".to_owned() + &set(TO_FOUR)));
    let seconds = |engine| load(engine, &text).model.clips[0].duration;
    assert!((seconds("luanti") - 20.0 / 15.0).abs() < 1e-9);
    assert!((seconds("irrlicht") - 2.0).abs() < 1e-9);
}

/// Returns the bones at 0, 1, 2, ... along x, all but the last in their bind pose. Their weights are 5, 4, 3, 2 and
/// 1.
fn five_bones(offset: &str) -> String {
    let identity = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0";
    let frames: String = (0..5).map(|bone| format!("Frame b{bone} {{ }} ")).collect();
    let skin = |bone: i32| format!("SkinWeights {{ \"b{bone}\"; 1; 1; {}.0; {identity};; }} ", 5 - bone);
    let skins: String = (0..5).map(skin).collect();
    let mesh = MESH.trim_end_matches('}');
    let again = mesh.replace("Mesh m", "Mesh n");
    let last = format!("SkinWeights {{ \"b0\"; 1; 1; 1.0; {offset};; }} ");
    let keys = "AnimationSet { Animation { {b4} AnimationKey { 2;1; 0;3;100.0,0.0,0.0;;; } } \
                Animation { {b3} AnimationKey { 2;1; 0;3;14.0,0.0,0.0;;; } } }";
    format!(
        "xof 0303txt 0032\nFrame root {{ {frames} {mesh} XSkinMeshHeader {{ 5; 5; 5; }} {skins} }} \
         {again} XSkinMeshHeader {{ 1; 1; 1; }} {last} }} }}\n{keys}"
    )
}

#[test]
fn the_strongest_weights_are_divided_by_their_sum() {
    let text = five_bones("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0");
    // Out of 5 + 4 + 3 + 2, the bone with 2 moves by 14. Irrlicht keeps all 15, and the last bone moves by 100.
    assert!(at("luanti", &text, 0.0).distance(DVec3::new(1.0 + 14.0 * 2.0 / 14.0, 0.0, 0.0)) < 1e-3);
    let all = 1.0 + (14.0 * 2.0 + 100.0) / 15.0;
    assert!(at("irrlicht", &text, 0.0).distance(DVec3::new(all, 0.0, 0.0)) < 1e-3);
}

#[test]
fn a_bone_has_one_offset() {
    let text = five_bones("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,7.0,0.0,0.0,1.0");
    // The first mesh's bone 0 also gets the second one's offset: 5 of 14 parts move by 7.
    let x = 1.0 + 14.0 * 2.0 / 14.0 + 7.0 * 5.0 / 14.0;
    assert!(at("luanti", &text, 0.0).distance(DVec3::new(x, 0.0, 0.0)) < 1e-3);
}

/// Returns the position of vertex 1 of a model without clips, in the axes of the file.
fn still(engine: &str, text: &str) -> DVec3 {
    each_still(engine, text)[0]
}

/// As [`still`], for each mesh.
fn each_still(engine: &str, text: &str) -> Vec<DVec3> {
    let mut model = Arc::unwrap_or_clone(load(engine, text).model);
    assert!(model.clips.is_empty(), "{engine}");
    model.clips.push(Clip { joints: vec![JointTracks::default(); model.skeleton.len()], ..Clip::default() });
    each_vertex_1(&model, 0.0)
}

#[test]
fn programs_without_clips_show_the_frames_at_rest() {
    for engine in ["openbve", "openbve-assimp", "wine-d3dx9"] {
        assert!(still(engine, &moved(&set(TO_FOUR))).distance(DVec3::new(1.0, 2.0, 0.0)) < 1e-6, "{engine}");
    }
    // The skin is ignored, so the frame of the mesh counts. In Wine the bones' positions count.
    let skinned = five_bones("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,7.0,0.0,0.0,1.0");
    assert!(still("openbve", &skinned).distance(DVec3::X) < 1e-6);
    assert!(still("wine-d3dx9", &skinned).distance(DVec3::X) < 1e-6);
}

#[test]
fn openbve_leaves_out_frames() {
    let frame = |x: i32, inner: &str| {
        let matrix = format!("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,{x}.0,0.0,0.0,1.0");
        format!("Frame {{ FrameTransformMatrix {{ {matrix};; }} {inner} }} ")
    };
    let nested = frame(10, &frame(100, &frame(1000, MESH)));
    let after_a_frame = frame(10, &frame(100, &(frame(5, "") + &frame(1000, MESH))));
    let after_a_mesh = frame(10, &(frame(100, MESH) + &frame(1000, MESH)));
    let two_roots = frame(10, MESH) + &frame(100, &frame(1000, MESH));
    for (text, own, assimp) in [
        (nested, vec![1111.0], vec![1011.0]),
        (after_a_frame, vec![1011.0], vec![1011.0]),
        (after_a_mesh, vec![111.0, 1001.0], vec![111.0, 1011.0]),
        (two_roots, vec![11.0, 1101.0], vec![11.0, 1001.0]),
    ] {
        for (engine, expected) in [("openbve", own), ("openbve-assimp", assimp)] {
            let found = each_still(engine, &format!("xof 0303txt 0032\n{text}"));
            let found: Vec<f64> = found.into_iter().map(|vertex| vertex.x.round()).collect();
            assert_eq!(found, expected, "{engine} {text}");
        }
    }
}

#[test]
fn wine_s_skins_need_a_header() {
    let skin = "SkinWeights { \"b\"; 1; 1; 1.0; 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,7.0,0.0,0.0,1.0;; } }";
    let mesh = MESH.trim_end_matches('}');
    for (header, x) in [("XSkinMeshHeader { 1; 1; 1; }", 8.0), ("", 1.0)] {
        let found = still("wine-d3dx9", &format!("xof 0303txt 0032\nFrame b {{ }} {mesh} {header} {skin}"));
        assert!(found.distance(DVec3::new(x, 0.0, 0.0)) < 1e-6, "{header} {found}");
    }
}

/// Keys 0, 4 and 1 at the ticks 0, 20 and 10 become samples 5 ticks apart, the mean of 20 and -10.
#[test]
fn panda_s_keys_are_samples() {
    let unsorted = "AnimationKey { 2;3; 0;3;0.0,0.0,0.0;;, 20;3;4.0,0.0,0.0;;, 10;3;1.0,0.0,0.0;;; }";
    let text = moved(&set(unsorted));
    for (tick, x) in [(0.0, 1.0), (5.0, 5.0), (10.0, 2.0)] {
        assert!(at_ticks("panda3d", &text, tick, 4800.0).distance(DVec3::new(x, 0.0, 0.0)) < 1e-6, "{tick}");
    }
    // Three rotations and two positions: the last position is 0.
    let turns = "AnimationKey { 0;3; 0;4;1.0,0.0,0.0,0.0;;, 10;4;1.0,0.0,0.0,0.0;;, 20;4;1.0,0.0,0.0,0.0;;; }";
    let text = moved(&set(&format!("{turns} {TO_FOUR}")));
    // Mean of 10, 10 and 20 ticks.
    let step = 40.0 / 3.0;
    for (sample, x) in [(0.0, 1.0), (1.0, 5.0), (2.0, 1.0)] {
        let found = at_ticks("panda3d", &text, sample * step, 4800.0);
        assert!(found.distance(DVec3::new(x, 0.0, 0.0)) < 1e-6, "{sample} {found}");
    }
}

/// Returns a mesh of two faces in a frame at (0, 2, 0). Vertex 1, at the origin of the mesh, has no weight.
fn half_bound() -> String {
    let identity = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0";
    let skin = format!("SkinWeights {{ \"b\"; 3; 0,2,3; 1.0,1.0,1.0; {identity};; }} }}");
    let mesh = MESH.replace("3; 0.0", "4; 5.0;5.0;5.0;, 0.0").replace("1; 3;0,1,2;;", "2; 3;0,1,2;, 3;0,2,3;;");
    let text = moved("").replace(MESH, &(mesh.trim_end_matches('}').to_owned() + &skin));
    text.replace("Frame f {", "Frame b { } Frame f {")
}

#[test]
fn vertices_without_weights() {
    // The mesh's frame moves it only in Direct3D and Panda3D.
    for engine in ["wine-d3dx9", "panda3d"] {
        assert!(still(engine, &half_bound()).distance(DVec3::new(0.0, 2.0, 0.0)) < 1e-6, "{engine}");
    }
    for engine in ["luanti", "luanti-5.16", "irrlicht"] {
        assert!(still(engine, &half_bound()).distance(DVec3::ZERO) < 1e-6, "{engine}");
    }
}

/// Irrlicht 1.9 leaves a bone at (0, 2, 0) where it is if its offset is the identity, and moves it by 2 - 3 with
/// an offset of -3 (run). Luanti always uses the offset.
#[test]
fn irrlicht_computes_offsets_that_are_the_identity() {
    let skin = |y: f64| {
        let offset = format!("1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,{y:.1},0.0,1.0");
        format!("{} SkinWeights {{ \"f\"; 3; 0,1,2; 1.0,1.0,1.0; {offset};; }} }}", MESH.trim_end_matches('}'))
    };
    for (engine, offset, y) in [("irrlicht", 0.0, 0.0), ("irrlicht", -3.0, -1.0), ("luanti", 0.0, 2.0)] {
        let text = moved("").replace(MESH, &skin(offset));
        assert!(still(engine, &text).distance(DVec3::new(1.0, y, 0.0)) < 1e-6, "{engine} {offset}");
    }
}

/// The second material's face gets copies of vertices 0 and 2, which stay where the mesh is (run, as the others).
#[test]
fn vertices_of_two_materials_lose_weights() {
    let identity = "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0";
    let skin = format!("SkinWeights {{ \"f\"; 4; 0,1,2,3; 1.0,1.0,1.0,1.0; {identity};; }} }}");
    let faces = MESH.replace("3; 0.0", "4; 5.0;5.0;5.0;, 0.0").replace("1; 3;0,1,2;;", "2; 3;0,1,2;, 3;0,2,3;;");
    let material = "Material { 1.0;0.0;0.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;; }";
    let list = format!("MeshMaterialList {{ 2; 2; 0,1;; {material} {material} }}");
    let text = moved("").replace(MESH, &(faces.trim_end_matches('}').to_owned() + &list + &skin));
    let heights = |engine| -> Vec<f32> {
        let mut model = Arc::unwrap_or_clone(load(engine, &text).model);
        model.clips.push(Clip { joints: vec![JointTracks::default(); model.skeleton.len()], ..Clip::default() });
        let mut shown = Shown::new(&model, &model.clips[0], None).unwrap();
        let mut positions = Vec::new();
        shown.positions(0.0, &mut positions);
        let mut heights: Vec<f32> = positions.iter().map(|position| position.z as f32).collect();
        heights.sort_by(f32::total_cmp);
        heights
    };
    assert_eq!(heights("luanti"), [0.0, 2.0, 2.0, 3.0, 5.0, 7.0]);
}

#[test]
fn a_negative_time_is_a_late_one() {
    let early = "AnimationKey { 2;3; -10;3;1.0,0.0,0.0;;, 0;3;2.0,0.0,0.0;;, 10;3;3.0,0.0,0.0;;; }";
    for tick in [0.0, 10.0] {
        assert!(at("luanti", &moved(&set(early)), tick).distance(DVec3::new(2.0, 0.0, 0.0)) < 1e-6, "{tick}");
    }
}

#[test]
fn other_files_are_not_played() {
    let playback = PlaybackRequest { engine: Some(Engine::find("luanti").unwrap()), ..PlaybackRequest::default() };
    let options = LoadOptions { playback, ..LoadOptions::default() };
    let mesh = include_bytes!("../../cases/md5/base.md5mesh").to_vec();
    let error = load_bytes(vec![("a.md5mesh".into(), mesh)], &options).unwrap_err();
    assert!(error.to_string().contains("plays .x files"), "{error}");
}
