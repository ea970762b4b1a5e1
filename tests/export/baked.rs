//! `.mdl` and `.md3`, written by the program and read by `quake_models.py`, which shares no code with it.

use crate::support::skip;
use bindpose::load::{LoadOptions, load};
use bindpose::model::Model;
use bindpose::pose::LocalPose;
use bindpose::skin::Skinned;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/md5/");

fn convert(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bindpose")).arg("convert").args(arguments).current_dir(folder).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs the script; without Python, returns `None`.
fn python(arguments: &[&str]) -> Option<Vec<u8>> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/export/quake_models.py");
    let Ok(output) = Command::new("python3").arg(script).args(arguments).output() else {
        skip("no independent reader of .mdl and .md3: python3 is not installed");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(output.stdout)
}

fn read(path: &Path) -> Option<Value> {
    Some(serde_json::from_slice(&python(&["read", path.to_str().unwrap()])?).unwrap())
}

fn numbers(list: &Value) -> Vec<f64> {
    list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// A square whose upper edge moves down, as the script has it, in all bytes.
#[test]
fn a_square_has_the_bytes_of_its_description() {
    let folder = tempfile::tempdir().unwrap();
    let vertex = |number: usize, uv: &str| format!("vert {number} ( {uv} ) {number} 1\n");
    let weight = |number: usize, joint: usize, x: f64| format!("weight {number} {joint} 1 ( {x} 0 0 )\n");
    let mesh = [
        "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\n",
        "joints {\n\"low\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"high\" 0 ( 0 0 63.75 ) ( 0 0 0 )\n}\n",
        "mesh {\n// meshes: quad\nshader \"progs/quad\"\nnumverts 4\n",
        &[vertex(0, "0 1"), vertex(1, "0 0"), vertex(2, "1 0"), vertex(3, "1 1")].concat(),
        "numtris 2\ntri 0 0 1 2\ntri 1 0 2 3\nnumweights 4\n",
        &[weight(0, 0, -127.5), weight(1, 1, -127.5), weight(2, 1, 127.5), weight(3, 0, 127.5)].concat(),
        "}\n",
    ];
    let clip = "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 2\nframeRate 10\nnumAnimatedComponents 1\n\
        hierarchy {\n\"low\" -1 0 0\n\"high\" 0 4 0\n}\n\
        bounds {\n( -128 0 0 ) ( 128 0 64 )\n( -128 0 0 ) ( 128 0 64 )\n}\n\
        baseframe {\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 0 ) ( 0 0 0 )\n}\n\
        frame 0 {\n63.75\n}\nframe 1 {\n31.9375\n}\n";
    std::fs::write(folder.path().join("quad.md5mesh"), mesh.concat()).unwrap();
    std::fs::write(folder.path().join("stand.md5anim"), clip).unwrap();
    for format in ["mdl", "md3"] {
        let Some(mut expected) = python(&["write", format]) else { return };
        let name = format!("quad.{format}");
        let output = convert(folder.path(), &["quad.md5mesh", "stand.md5anim", "-o", &name]);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        let written = std::fs::read(folder.path().join(&name)).unwrap();
        if format == "md3" {
            // The folder in which a game finds the file is not known.
            expected[8..72].fill(0);
            expected[8..16].copy_from_slice(b"quad.md3");
        }
        assert_eq!(written.len(), expected.len(), "{format}");
        let differ: Vec<usize> = (0..written.len()).filter(|&at| written[at] != expected[at]).collect();
        assert!(differ.is_empty(), "{format} at {differ:?}");
        assert!(!printed(&output).contains("off by"), "{}", printed(&output));
    }
}

fn sample() -> Model {
    let files = ["mannequin_light.md5mesh", "walk.md5anim", "wave.md5anim"].map(|name| SAMPLES.to_owned() + name);
    let model = load(&files, &LoadOptions::default()).unwrap().model;
    std::sync::Arc::unwrap_or_clone(model)
}

/// Largest distance of a coordinate between a frame of a file and the weighted sum at that time.
fn farthest(frame: &Value, model: &Model, clip: &str, time: f64) -> f64 {
    let pose = LocalPose::of_clip(&model.skeleton, model.clip(clip), time).to_model(&model.skeleton);
    let exact: Vec<_> = model.meshes.iter().flat_map(|mesh| Skinned::linear(mesh, &pose).positions).collect();
    let found = frame["positions"].as_array().unwrap();
    assert_eq!(found.len(), exact.len());
    let far = found.iter().zip(exact).flat_map(|(found, exact)| {
        numbers(found).into_iter().zip(exact.to_array()).map(|(found, exact)| (found - exact).abs()).collect::<Vec<_>>()
    });
    far.fold(0.0, f64::max)
}

#[test]
fn frames_and_tags_are_those_of_the_clips() {
    let folder = tempfile::tempdir().unwrap();
    let model = sample();
    let path = |name: &str| SAMPLES.to_owned() + name;
    let files = [path("mannequin_light.md5mesh"), path("walk.md5anim"), path("wave.md5anim")];
    for (name, step) in [("man.mdl", 0.3), ("man.md3", 1.0 / 64.0)] {
        let tag = ["--tag", "hand_r=tag_weapon"];
        let mut arguments: Vec<&str> = files.iter().map(String::as_str).chain(["-o", name]).collect();
        arguments.extend(tag.iter().filter(|_| name == "man.md3"));
        let output = convert(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        let Some(file) = read(&folder.path().join(name)) else { return };
        let frames = file["frames"].as_array().unwrap();
        for (place, clip) in [(0, "walk"), (frames.iter().position(|frame| frame["name"] == "wave1").unwrap(), "wave")]
        {
            assert_eq!(frames[place]["name"], format!("{clip}1"));
            assert_eq!(frames[place + 4]["name"], format!("{clip}5"));
            let far = farthest(&frames[place + 4], &model, clip, 0.4);
            assert!(far > step / 8.0 && far <= step / 2.0 + 1e-4, "{name}, {clip}: {far}");
            if name == "man.md3" {
                let hand = model.skeleton.named("hand_r").unwrap();
                let local = LocalPose::of_clip(&model.skeleton, model.clip(clip), 0.4);
                let pose = local.to_model(&model.skeleton).0[hand.index()];
                let tag = &frames[place + 4]["tags"][0];
                assert_eq!(tag["name"], "tag_weapon");
                let exact = [pose.translation, pose.matrix3.x_axis, pose.matrix3.y_axis, pose.matrix3.z_axis];
                let found = [numbers(&tag["origin"]), numbers(&tag["axes"])].concat();
                let far = found.iter().zip(exact.iter().flat_map(|part| part.to_array())).map(|(a, b)| (a - b).abs());
                assert!(far.fold(0.0, f64::max) < 1e-5, "{tag}");
            }
        }
        // Texture coordinates are texels in a .mdl without a palette, exact in a .md3.
        if name == "man.md3" {
            let uvs = file["surfaces"][0]["uvs"].as_array().unwrap();
            let exact = model.meshes[0].uvs.iter();
            assert!(
                uvs.iter()
                    .zip(exact)
                    .all(|(found, exact)| numbers(found).iter().map(|part| *part as f32).eq(exact.to_array()))
            );
        }
    }
}

/// Written files can be loaded again, to be shown beside the model from which they were made.
#[test]
fn written_frames_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let [mesh, walk] = ["mannequin_light.md5mesh", "walk.md5anim"].map(|name| SAMPLES.to_owned() + name);
    for name in ["man.mdl", "man.md3"] {
        let path = folder.path().join(name);
        let output = convert(folder.path(), &[&mesh, &walk, "-o", name]);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        let Some(file) = read(&path) else { return };
        let model = load(&[&path], &LoadOptions::default()).unwrap().model;
        assert_eq!(model.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["walk"]);
        let exact = sample();
        for frame in [0, 3] {
            let pose = |model: &Model| LocalPose::of_clip(&model.skeleton, model.clip("walk"), f64::from(frame) / 10.0);
            let [shown, exact] = [&*model, &exact].map(|model| {
                let pose = pose(model).to_model(&model.skeleton);
                Skinned::linear(&model.meshes[0], &pose)
            });
            let read = file["frames"][frame as usize]["positions"].as_array().unwrap();
            for (vertex, &of_file) in model.meshes[0].source_vertices.iter().enumerate() {
                let read = numbers(&read[of_file as usize]);
                let far = shown.positions[vertex].to_array().into_iter().zip(read).map(|(a, b)| (a - b).abs());
                assert!(far.fold(0.0, f64::max) < 1e-4, "{name}, frame {frame}, vertex {vertex}");
                // The normals of both formats are within eleven degrees.
                assert!(shown.normals[vertex].dot(exact.normals[of_file as usize]) > 0.98, "{name}, vertex {vertex}");
            }
        }
    }
}

/// The cylinder's image, in a palette of greys with one fullbright colour.
#[test]
fn skins_have_colours_of_the_palette() {
    let folder = tempfile::tempdir().unwrap();
    let colour = |index: u8| if index < 224 { [index / 2; 3] } else { [255, 255, 255] };
    std::fs::write(folder.path().join("palette.lmp"), (0..=255).flat_map(colour).collect::<Vec<u8>>()).unwrap();
    let mesh = SAMPLES.to_owned() + "cylinder.md5mesh";
    let image = image::open(SAMPLES.to_owned() + "cylinder.png").unwrap().to_rgba8();
    let base = ["--no-clips", &mesh, "--palette", "palette.lmp", "--force", "-o", "a.mdl"];
    for (more, brightest) in [(None, 111), (Some("--fullbright"), 255)] {
        let arguments: Vec<&str> = base.into_iter().chain(more).collect();
        let output = convert(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
        let Some(file) = read(&folder.path().join("a.mdl")) else { return };
        assert_eq!(numbers(&file["size"]), [f64::from(image.width()), f64::from(image.height())]);
        let far = |shade: u8, texel: &[u8; 4]| {
            texel[..3].iter().map(|part| (i32::from(*part) - i32::from(shade)).pow(2)).sum::<i32>()
        };
        for (index, texel) in numbers(&file["skins"][0]).into_iter().zip(image.pixels()) {
            let shown = colour(index as u8)[0];
            let least =
                (0..=111).chain((brightest == 255).then_some(255)).map(|shade| far(shade, &texel.0)).min().unwrap();
            assert_eq!(far(shown, &texel.0), least, "{texel:?} is {index}");
        }
    }
}

/// The names, the number of frames and the flags are those of the model that is replaced.
#[test]
fn an_old_models_frames_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let Some(mut old) = python(&["write", "mdl"]) else { return };
    old[76] = 8;
    std::fs::write(folder.path().join("old.mdl"), old).unwrap();
    let mesh = SAMPLES.to_owned() + "mannequin_light.md5mesh";
    let clip = SAMPLES.to_owned() + "idle.md5anim";
    let arguments = [&mesh, &clip, "--frames-from", "old.mdl", "--map", "stand=idle", "-o", "new.mdl"];
    let output = convert(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let Some(file) = read(&folder.path().join("new.mdl")) else { return };
    let names: Vec<&str> =
        file["frames"].as_array().unwrap().iter().map(|frame| frame["name"].as_str().unwrap()).collect();
    assert_eq!((names, file["flags"].as_u64()), (vec!["stand1", "stand2"], Some(8)));
}

#[test]
fn clips_become_groups_that_end_every_tenth_of_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = SAMPLES.to_owned() + "cylinder.md5mesh";
    let output = convert(folder.path(), &[&mesh, "--grouped", "-o", "a.mdl"]);
    assert_eq!(output.status.code(), Some(0), "{}", printed(&output));
    let Some(file) = read(&folder.path().join("a.mdl")) else { return };
    let groups = file["groups"].as_array().unwrap();
    assert_eq!(groups.len(), 2);
    for group in groups {
        let times = numbers(group);
        assert!(times.iter().zip(1..).all(|(time, frame)| (time - f64::from(frame) / 10.0).abs() < 1e-6), "{times:?}");
    }
}

#[test]
fn what_games_refuse_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = SAMPLES.to_owned() + "mannequin.md5mesh";
    let output = convert(folder.path(), &[&mesh, "--no-clips", "-o", "a.mdl"]);
    assert!(printed(&output).contains("QuakeSpasm takes 2,000 vertices"), "{}", printed(&output));
    let walk = SAMPLES.to_owned() + "walk.md5anim";
    let light = SAMPLES.to_owned() + "mannequin_light.md5mesh";
    let many = [&light, &walk, "-o", "b.md3", "--fps", "1000", "--profile", "ironwail"];
    let output = convert(folder.path(), &many);
    assert_eq!(output.status.code(), Some(2), "{}", printed(&output));
    assert!(printed(&output).contains("Ironwail takes 1,024 frames"), "{}", printed(&output));
    let long = format!("hand_r={}", "tag_".repeat(20));
    let output = convert(folder.path(), &[&light, "--no-clips", "-o", "d.md3", "--tag", &long]);
    assert!(printed(&output).contains("tag_tag"), "a tag is cut without a word: {}", printed(&output));
    let far = convert(folder.path(), &[&mesh, "--no-clips", "-o", "c.md3", "--scale", "20"]);
    assert_eq!(far.status.code(), Some(2), "{}", printed(&far));
    assert!(printed(&far).contains("makes it fit"), "{}", printed(&far));
}
