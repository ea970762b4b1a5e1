//! Small models of all kinds, most with a planted fault, through every command that loads them: each names the
//! fault of its model and nothing else.

use crate::support::GltfFile;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

const MESH: &str = include_str!("cases/md5/base.md5mesh");
const ANIM: &str = include_str!("cases/md5/base.md5anim");

/// A folder with one model, and what is said about it.
struct Planted {
    folder: &'static str,
    /// Name and content of each file. The first is the model.
    files: Vec<(&'static str, Vec<u8>)>,
    /// Codes of the parts that the model lacks.
    left_out: &'static [&'static str],
    /// Codes of all other errors and warnings about the model.
    found: &'static [&'static str],
    /// Exit code of a command that loads the model.
    exit: i32,
    /// Codes of the errors and warnings of `validate`, which checks neither glTF nor which way normals point.
    validated: &'static [&'static str],
}

/// A box around the model in every frame.
const BOX: &str = "( -50 -50 -50 ) ( 50 50 50 )";

fn md5(files: &[(&'static str, String)]) -> Vec<(&'static str, Vec<u8>)> {
    let image = image::RgbImage::new(2, 2);
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).unwrap();
    let files = files.iter().map(|(name, text)| (*name, text.replace("models/test", "skin").into_bytes()));
    files.chain([("skin.png", png.into_inner())]).collect()
}

/// Returns a sound mesh with a clip.
fn with_clip(clip: String) -> Vec<(&'static str, Vec<u8>)> {
    let wide = |clip: String, side| clip.replace(&format!("( -{side} -{side} -{side} ) ( {side} {side} {side} )"), BOX);
    md5(&[("m.md5mesh", MESH.into()), ("walk.md5anim", (1..4).fold(clip, wide))])
}

fn first_lines(text: &str, lines: usize) -> String {
    text.lines().take(lines).flat_map(|line| [line, "\n"]).collect()
}

/// Returns a frame with a triangle, and more.
fn x(more: &str) -> Vec<(&'static str, Vec<u8>)> {
    let text = format!(
        "xof 0303txt 0032\nFrame box {{\n Mesh skin {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }}\n}}\n\
         AnimTicksPerSecond {{ 10; }}\n{more}\n"
    );
    vec![("m.x", text.into_bytes())]
}

/// Returns a key for a frame.
fn animation(frame: &str) -> String {
    format!("Animation {{ {{{frame}}} AnimationKey {{ 2; 2; 0;3;0,0,0;;, 10;3;1,0,0;;; }} }}")
}

/// Returns a triangle of which the normals point the other way.
fn inside_out(name: &str) -> String {
    format!(
        "Frame of_{name} {{ Mesh {name} {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;\n\
         MeshNormals {{ 1; 0;0;-1;; 1; 3;0,0,0;; }} }} }}"
    )
}

/// Returns a triangle at a node that moves.
fn gltf(change: impl FnOnce(&mut Value)) -> Vec<(&'static str, Vec<u8>)> {
    let mut file = GltfFile::default();
    let position = file.floats("VEC3", &[0., 0., 0., 1., 0., 0., 0., 1., 0.]);
    let times = file.floats("SCALAR", &[0., 1.]);
    let step = file.floats("VEC3", &[0., 0., 0., 1., 0., 0.]);
    // Accessors 3 and 4, for a skin.
    file.bytes("VEC4", &[0; 12]);
    file.floats("VEC4", &[0.5, 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.]);
    let mut json = json!({
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "box", "mesh": 0}, {"name": "other"}],
        "meshes": [{"name": "skin", "primitives": [{"attributes": {"POSITION": position}}]}],
        "animations": [{
            "name": "walk",
            "samplers": [{"input": times, "output": step}],
            "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]
        }],
    });
    change(&mut json);
    vec![("m.gltf", file.text(json))]
}

/// A clip of the first joint alone.
const ONE_JOINT: &str = "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 1\nframeRate 24\nnumAnimatedComponents 0\n\
    hierarchy {\n\t\"origin\"\t-1 0 0\n}\nbounds {\n\t( -1 -1 -1 ) ( 1 1 1 )\n}\nbaseframe {\n\t( 5 6 7 ) ( 0 0 0 )\n}\n\
    frame 0 {\n}\n";

fn planted() -> Vec<Planted> {
    let base = || Planted { folder: "", files: Vec::new(), left_out: &[], found: &[], exit: 0, validated: &[] };
    let renamed = ANIM.replace("\"bone\"", "\"Bone1\"");
    // Half a turn, whatever its length.
    let long = MESH.replace("( 0 0 0.7071067691 )", "( 0 0 1.2 )").replace("( -8 0 -10 )", "( 0 -8 -10 )");
    let cut_glb = [&b"glTF"[..], &[2, 0, 0, 0, 255, 0, 0, 0]].concat();
    vec![
        Planted { folder: "md5-sound", files: with_clip(ANIM.into()), ..base() },
        Planted {
            folder: "md5-clip-cut",
            files: with_clip(first_lines(ANIM, 36)),
            left_out: &["MD5A008"],
            exit: 1,
            validated: &["MD5A008"],
            ..base()
        },
        Planted {
            folder: "md5-joint-renamed",
            files: with_clip(renamed),
            left_out: &["MD5P002"],
            exit: 1,
            validated: &["MD5P002"],
            ..base()
        },
        Planted {
            folder: "md5-joint-missing",
            files: with_clip(ONE_JOINT.into()),
            left_out: &["MD5P001"],
            exit: 1,
            validated: &["MD5P001"],
            ..base()
        },
        Planted {
            folder: "md5-stranger",
            files: with_clip(ONE_JOINT.replace("origin", "hip")),
            left_out: &["MD5P017"],
            validated: &["MD5P017"],
            ..base()
        },
        Planted {
            folder: "md5-other-parents",
            files: with_clip(ANIM.replace("\"bone\"\t0", "\"bone\"\t-1")),
            found: &["MD5I011"],
            validated: &["MD5A106"],
            ..base()
        },
        Planted {
            folder: "md5-no-rate",
            files: with_clip(ANIM.replace("frameRate 24", "frameRate 0")),
            found: &["MD5A202", "MD5I012"],
            validated: &["MD5A202"],
            ..base()
        },
        Planted {
            folder: "md5-long-quaternion",
            files: md5(&[("m.md5mesh", long)]),
            found: &["MD5I001"],
            validated: &["MD5M109"],
            ..base()
        },
        Planted {
            folder: "md5-mesh-cut",
            files: md5(&[("m.md5mesh", first_lines(MESH, 20)), ("walk.md5anim", ANIM.into())]),
            found: &["MD5M008"],
            exit: 1,
            validated: &["MD5M008"],
            ..base()
        },
        Planted { folder: "x-sound", files: x(&format!("AnimationSet walk {{ {} }}", animation("box"))), ..base() },
        Planted {
            folder: "x-clip-of-another",
            files: x(&format!("AnimationSet walk {{ {} }}", animation("tail"))),
            left_out: &["XFI014"],
            found: &["XF053"],
            validated: &["XF053"],
            ..base()
        },
        Planted {
            folder: "x-track-of-another",
            files: x(&format!("AnimationSet walk {{ {} {} }}", animation("box"), animation("tail"))),
            left_out: &["XFI012"],
            found: &["XF053"],
            validated: &["XF053"],
            ..base()
        },
        Planted {
            folder: "x-empty-mesh",
            files: x("Frame of_none { Mesh none { 0; 0; } }"),
            left_out: &["XFI020"],
            ..base()
        },
        Planted {
            folder: "x-inside-out",
            files: x(&[inside_out("hat"), inside_out("coat")].concat()),
            found: &["XFI021"],
            validated: &["XFI021"],
            ..base()
        },
        Planted {
            folder: "x-cut",
            files: vec![("m.x", b"xof 0303txt 0032\nFrame box { Mesh skin { 3; 0;0;0;, 1;0".to_vec())],
            found: &["XF021"],
            exit: 1,
            validated: &["XF021"],
            ..base()
        },
        Planted { folder: "gltf-sound", files: gltf(|_| {}), ..base() },
        Planted {
            folder: "gltf-morph",
            files: gltf(|json| {
                json["meshes"][0]["primitives"][0]["targets"] = json!([{"POSITION": 0}]);
                let smile = json!({"sampler": 0, "target": {"node": 0, "path": "weights"}});
                let smile =
                    json!({"name": "smile", "samplers": json["animations"][0]["samplers"], "channels": [smile]});
                json["animations"].as_array_mut().unwrap().push(smile);
            }),
            left_out: &["GLI001", "GLI004"],
            ..base()
        },
        Planted {
            folder: "gltf-camera",
            files: gltf(|json| {
                json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]);
                json["nodes"][1]["camera"] = 0.into();
            }),
            left_out: &["GLI001"],
            ..base()
        },
        Planted {
            folder: "gltf-metal",
            files: gltf(|json| {
                json["materials"] = json!([
                    {"name": "rust", "pbrMetallicRoughness": {"metallicFactor": 0.5}},
                    {"name": "skin", "pbrMetallicRoughness": {"metallicFactor": 0}},
                    {"name": "plain"}
                ]);
                json["meshes"][0]["primitives"][0]["material"] = 0.into();
            }),
            left_out: &["GLI001"],
            ..base()
        },
        Planted {
            folder: "gltf-weights",
            files: gltf(|json| {
                let attributes = &mut json["meshes"][0]["primitives"][0]["attributes"];
                (attributes["JOINTS_0"], attributes["WEIGHTS_0"]) = (3.into(), 4.into());
                json["skins"] = json!([{"joints": [0]}]);
                json["nodes"][0]["skin"] = 0.into();
            }),
            found: &["GLI007"],
            ..base()
        },
        Planted {
            folder: "gltf-version-1",
            files: vec![("m.gltf", br#"{"asset": {"version": "1.0"}, "nodes": {}, "meshes": {}}"#.to_vec())],
            found: &["GLI000"],
            exit: 1,
            ..base()
        },
        Planted { folder: "gltf-cut", files: vec![("m.glb", cut_glb)], found: &["GLI000"], exit: 1, ..base() },
    ]
}

fn bindpose(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bindpose")).args(arguments).current_dir(folder).output().unwrap()
}

/// Returns the codes that a text names.
fn codes(text: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.len() > 4 && bindpose::validate::codes::find(word).is_some()).map(str::to_owned).collect()
}

fn set(codes: &[&[&str]]) -> BTreeSet<String> {
    codes.concat().into_iter().map(str::to_owned).collect()
}

/// Arguments of the commands that load a model, without it.
const COMMANDS: &[&[&str]] = &[
    &["info"],
    &["info", "--json"],
    &["convert", "-o", "out.glb", "--force"],
    &["convert", "-o", "out.glb", "--force", "--json"],
    &["dump", "--clip", "walk"],
    &["snapshot", "record", "-o", "frames"],
    #[cfg(feature = "render")]
    &["render", "-o", "out.png", "--size", "8x8", "-v"],
    #[cfg(feature = "render")]
    &["bench", "--methods", "matrix-blend", "--size", "8x8", "--rounds", "1", "--turn", "1", "--copies", "1", "--json"],
    #[cfg(feature = "render")]
    &["compare", "--methods", "cpu", "--size", "8x8", "--times", "0", "--json"],
];

#[test]
fn every_command_names_each_fault_and_nothing_else() {
    let all = tempfile::tempdir().unwrap();
    let (mut wrong, mut of_all) = (Vec::new(), BTreeSet::new());
    for Planted { folder, ref files, left_out, found, exit, validated } in planted() {
        let path = all.path().join(folder);
        std::fs::create_dir(&path).unwrap();
        files.iter().for_each(|(name, bytes)| std::fs::write(path.join(name), bytes).unwrap());
        of_all.extend(set(&[left_out, found]));
        for command in COMMANDS {
            let run = bindpose(&path, &[command, &[files[0].0][..]].concat());
            // Warnings about files that load concern no frame.
            let expected =
                if command[0] == "snapshot" && exit == 0 { set(&[left_out]) } else { set(&[left_out, found]) };
            let said = codes(&[&run.stdout[..], &run.stderr[..]].concat());
            if String::from_utf8_lossy(&run.stderr).contains("needs OpenGL") {
                crate::support::skip("draws nothing");
                continue;
            }
            // A dump shows the clip that it is asked for, or fails.
            let has_exit = command[0] == "dump" || run.status.code() == Some(exit);
            if said != expected || !has_exit {
                wrong.push(format!(
                    "{folder}: {command:?}: {:?} {said:?}\n{}",
                    run.status.code(),
                    String::from_utf8_lossy(&run.stderr)
                ));
            }
            if command.last() == Some(&"--json") && exit == 0 {
                let report: Value = serde_json::from_slice(&run.stdout).unwrap();
                let report = if report.is_array() { &report[0] } else { &report };
                let field = if command[0] == "convert" { "losses" } else { "left_out" };
                let listed = codes(report[field].to_string().as_bytes());
                if listed != set(&[left_out]) {
                    wrong.push(format!("{folder}: {command:?} lists {listed:?}"));
                }
            }
        }
        let run = bindpose(&path, &["validate", ".", "--format", "short"]);
        let said: Vec<u8> = run
            .stdout
            .split_inclusive(|&byte| byte == b'\n')
            .filter(|line| {
                let line = String::from_utf8_lossy(line);
                line.contains(": error[") || line.contains(": warning[")
            })
            .collect::<Vec<_>>()
            .concat();
        if codes(&said) != set(&[validated]) {
            wrong.push(format!("{folder}: validate: {}", String::from_utf8_lossy(&said)));
        }
    }
    let batch = bindpose(all.path(), &["convert", ".", "-o", "out", "--to", "glb"]);
    if codes(&batch.stdout) != of_all {
        wrong.push(format!("convert .: {:?}\n{}", codes(&batch.stdout), String::from_utf8_lossy(&batch.stdout)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
