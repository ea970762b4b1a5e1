//! Models and the files that they are loaded from.

use crate::support;
use bindpose::diagnostic::Severity;
use bindpose::import::ImportOptions;
use bindpose::load::{LoadError, LoadOptions, Loaded, Mismatch, load, load_bytes};
use glam::Vec4;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MESH: &str = include_str!("cases/md5/base.md5mesh");
const ANIM: &str = include_str!("cases/md5/base.md5anim");
const CAMERA: &str = "MD5Version 10\ncommandline \"\"\nnumFrames 1\nframeRate 24\nnumCuts 0\ncuts {\n}\n\
    camera {\n( 0 0 0 ) ( 0 0 0 ) 90\n}\n";
/// A triangle on a frame that moves by two units along x in one second.
const X: &str = "xof 0303txt 0032\n\
    Frame box { Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; } }\n\
    AnimTicksPerSecond { 10; }\n\
    AnimationSet move { Animation { {box} AnimationKey { 2; 2; 0;3;0;0;0;;, 10;3;2;0;0;;; } } }\n";
fn from(files: &[(&str, &str)]) -> Result<Loaded, LoadError> {
    let files = files.iter().map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec())).collect();
    load_bytes(files, &LoadOptions::default())
}

fn clip_names(loaded: &Loaded) -> Vec<&str> {
    loaded.model.clips.iter().map(|clip| clip.name.as_str()).collect()
}

#[test]
fn a_mesh_takes_its_clips_in_the_order_given() {
    let loaded = from(&[("b.md5anim", ANIM), ("body.md5mesh", MESH), ("a.md5anim", ANIM)]).unwrap();
    assert_eq!(loaded.model.name, "body");
    assert_eq!(clip_names(&loaded), ["b", "a"]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

#[test]
fn only_tangents_are_left_out_on_request() {
    let model = |name: &str, bytes: &[u8], without_tangents| {
        let import = ImportOptions { without_tangents, ..ImportOptions::default() };
        let options = LoadOptions { import, ..LoadOptions::default() };
        Arc::unwrap_or_clone(load_bytes(vec![(name.into(), bytes.to_vec())], &options).unwrap().model)
    };
    let armature = support::armature();
    for (name, bytes) in [("a.md5mesh", MESH.as_bytes()), ("a.x", X.as_bytes()), ("a.gltf", &armature)] {
        let (mut with, without) = (model(name, bytes, false), model(name, bytes, true));
        assert!(with.meshes[0].tangent(0).length() > 1.0, "{name}");
        assert_eq!(without.meshes[0].tangent(0), Vec4::ZERO, "{name}");
        with.meshes.iter_mut().for_each(|mesh| mesh.tangents.clear());
        assert_eq!(format!("{with:?}"), format!("{without:?}"), "{name}");
    }
}

#[test]
fn an_animation_alone_is_a_skeleton() {
    let loaded = from(&[("walk.md5anim", ANIM)]).unwrap();
    assert_eq!((loaded.model.skeleton.len(), loaded.model.meshes.len()), (2, 0));
    assert_eq!(clip_names(&loaded), ["walk"]);
}

#[test]
fn content_identifies_files_without_extension() {
    assert_eq!(from(&[("mesh.txt", MESH), ("anim.txt", ANIM)]).unwrap().model.clips.len(), 1);
    assert_eq!(from(&[("thing", X)]).unwrap().model.meshes.len(), 1);
    let Err(LoadError::File { diagnostics, .. }) = from(&[("notes.txt", "hello")]) else { panic!("no model") };
    assert_eq!(diagnostics[0].code, "IO002");
}

#[test]
fn an_archive_or_an_image_is_resolved_to_a_model() {
    // A pak: the magic, position and length of its list, and the name, position and size of a file.
    let pak = |name: &str| {
        let mut bytes = [&b"PACK"[..], &12_u32.to_le_bytes(), &64_u32.to_le_bytes()].concat();
        bytes.extend(name.bytes().chain([0; 56]).take(56));
        bytes.extend([12_u32, 0].map(u32::to_le_bytes).concat());
        bytes
    };
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, expected) in [
        ("a.pak", pak("models/imp.md5mesh"), "such as D/a.pak:models/imp.md5mesh"),
        ("b.pak", pak("sound.wav"), "an archive without models"),
        ("c", b"\x89PNG\r\n\x1a\n".to_vec(), "--texture"),
        ("d.txt", b"BIM".to_vec(), ""),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let Err(LoadError::File { diagnostics, .. }) = load(&[path], &LoadOptions::default()) else {
            panic!("no model")
        };
        let notes = diagnostics[0].notes.join(" ").replace(folder.path().to_str().unwrap(), "D");
        assert_eq!((diagnostics[0].code, notes.is_empty()), ("IO002", expected.is_empty()), "{notes}");
        assert!(notes.contains(expected), "{notes}");
    }
}

#[test]
fn two_models_are_one_too_many() {
    for second in [("b.md5mesh", MESH), ("b.x", "xof 0303txt 0032\nMesh { 0; 0; }\n")] {
        let error = from(&[("a.md5mesh", MESH), second]).unwrap_err();
        assert!(
            matches!(error, LoadError::Mismatch(Mismatch::SecondModel(_) | Mismatch::OtherFormat { .. })),
            "{error}"
        );
    }
    assert!(matches!(
        from(&[("a.x", X), ("walk.md5anim", ANIM)]),
        Err(LoadError::Mismatch(Mismatch::OtherFormat { .. }))
    ));
}

#[test]
fn a_clip_of_another_skeleton_is_left_out_in_one_line() {
    let said = |files: &[(&str, &str)]| -> Vec<String> {
        let loaded = from(files).unwrap();
        assert!(loaded.left_out.iter().all(|left| left.is_fault()) && loaded.diagnostics.is_empty());
        loaded.left_out.iter().map(ToString::to_string).collect()
    };
    let other = ANIM.replace("\"origin\"", "\"hips\"").replace("\"bone\"\t0", "\"neck\"\t-1");
    assert_eq!(
        said(&[("body.md5mesh", MESH), ("walk.md5anim", &other)]),
        [
            "clip 'walk' is left out: no joint of the animation is a joint of the mesh (2 to 2) (MD5I010 at walk.md5anim:5:11)"
        ]
    );
    let other = X
        .replace("{box}", "{lid}")
        .replace("box", "lid")
        .replace("Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }", "");
    assert_eq!(
        said(&[("body.x", X), ("open.x", &other)]),
        ["clip 'open' is left out: none of its clips moves a frame of the model (XFI014 at open.x:1:1)"]
    );
}

#[test]
fn an_x_file_without_a_mesh_gives_its_clips_to_the_one_with() {
    let clip = X.replace("AnimationSet move", "AnimationSet more");
    let start = clip.find("Frame").unwrap();
    let end = clip.find("AnimTicks").unwrap();
    let clip = clip[..start].to_owned() + "Frame box {}\n" + &clip[end..];
    let loaded = from(&[("more.x", &clip), ("body.x", X)]).unwrap();
    assert_eq!((loaded.model.name.as_str(), loaded.model.meshes.len()), ("body", 1));
    assert_eq!(clip_names(&loaded), ["move", "more"]);
    assert_eq!(loaded.model.clips[1].duration, 1.0);
}

#[test]
fn ticks_per_second_can_be_overruled() {
    let mut options = LoadOptions::default();
    options.import.ticks_per_second = Some(5.0);
    let loaded = load_bytes(vec![("a.x".into(), X.as_bytes().to_vec())], &options).unwrap();
    assert_eq!(loaded.model.clips[0].duration, 2.0);
}

#[test]
fn clips_next_to_a_mesh_are_found_if_they_fit() {
    let folder = std::env::temp_dir().join(format!("bindpose-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("body.md5mesh", MESH);
    write("walk.md5anim", ANIM);
    write("other.md5anim", &ANIM.replace("\"bone\"", "\"tail\""));
    write("broken.md5anim", "MD5Version 10");
    // More clips than are checked together.
    let turns: Vec<String> = (100..180).map(|number| format!("turn{number}")).collect();
    turns.iter().for_each(|name| write(&format!("{name}.md5anim"), ANIM));
    write("way.md5camera", CAMERA);
    let options = LoadOptions::default().with_all_parts();
    let found = load(&[folder.join("body.md5mesh")], &options);
    let filmed = load(&[folder.join("body.md5mesh"), folder.join("way.md5camera")], &options);
    let named = load(&[folder.join("body.md5mesh"), folder.join("other.md5anim")], &options);
    std::fs::remove_dir_all(&folder).unwrap();
    let all = [&turns[..], &["walk".into()]].concat();
    assert_eq!(clip_names(&found.unwrap()), all);
    assert_eq!(clip_names(&filmed.unwrap()), all, "a camera is no clip");
    assert_eq!(clip_names(&named.unwrap()), ["other"], "named clips are the only ones");
}

/// Doom 3 takes vertices in their order; Quake's engines by their numbers.
#[test]
fn vertices_out_of_order_are_told() {
    let text = include_str!("cases/md5/base.md5mesh");
    let text =
        text.replace("\tvert 1 ", "\tvert X ").replace("\tvert 2 ", "\tvert 1 ").replace("\tvert X ", "\tvert 2 ");
    let loaded = from(&[("a.md5mesh", &text)]).unwrap();
    let told: Vec<_> = loaded.diagnostics.iter().map(|found| (found.code, found.message.as_str())).collect();
    let message = "vertices are not in the order of their numbers; the order counts, as in Doom 3";
    assert_eq!(told, [("MD5M211", message)]);
}

#[test]
fn the_error_of_a_broken_file_has_a_location() {
    let text = MESH.replace("numJoints 2", "numJoints two");
    let Err(LoadError::File { sources, diagnostics }) = from(&[("a.md5mesh", &text)]) else { panic!("it is broken") };
    let error = diagnostics.last().unwrap();
    assert_eq!(error.severity, Severity::Error);
    let place = error.primary.as_ref().unwrap();
    assert_eq!(sources.get(place.source).position(place.span.start).to_string(), "4:11");
}

#[test]
fn the_bundled_sample_loads_without_a_word() {
    let loaded = load_bytes(bindpose::sample::files(), &LoadOptions::default()).unwrap();
    assert_eq!(loaded.model.skeleton.len(), 23);
    assert_eq!(clip_names(&loaded), ["walk", "run", "idle", "wave", "jump"]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
}

/// Every real file becomes a model, except those that the index of the corpus lists as refused.
#[test]
fn real_files_load() {
    let refused = ["InvalidBoneIndex.md5mesh"];
    for file in &support::real_files(&["md5mesh", "md5anim", "x"]) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        match load(&[Path::new(file)], &LoadOptions::default()) {
            Ok(loaded) => {
                assert!(!refused.contains(&name.as_str()), "{name} must be refused");
                assert!(!loaded.model.skeleton.is_empty() || loaded.model.meshes.is_empty(), "{name}");
            }
            Err(error) => assert!(refused.contains(&name.as_str()), "{}: {error}", file.display()),
        }
    }
}

/// The codes of all messages of the loader are in the reference.
#[test]
fn every_code_of_the_loader_is_explained() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = support::files_with(&root.join("core/import"), &["rs"]);
    files.extend(
        ["core/load.rs", "commands/info.rs", "commands/info/md5.rs", "commands/info/x.rs"].map(|f| root.join(f)),
    );
    let mut codes = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        for word in text.split('"').skip(1).step_by(2) {
            let prefix = word.trim_end_matches(|c: char| c.is_ascii_digit());
            if ["MD5M", "MD5A", "MD5C", "MD5I", "XF", "XFI", "IO"].contains(&prefix) && word.len() == prefix.len() + 3 {
                assert!(
                    bindpose::validate::codes::find(word).is_some(),
                    "{word} of {} is not explained",
                    file.display()
                );
                codes += 1;
            }
        }
    }
    assert!(codes >= 20, "{codes}");
}
