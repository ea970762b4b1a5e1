//! Sixty models of all kinds, some with a planted fault, through every command that loads them: each names the fault of
//! its model and nothing else.

use crate::support::{GltfFile, is_sampled};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

const MESH: &str = include_str!("cases/md5/base.md5mesh");
const ANIM: &str = include_str!("cases/md5/base.md5anim");

/// A folder with one model, and what is said about it.
pub struct Planted {
    pub folder: String,
    /// Name and content of each file. The first is the model.
    pub files: Vec<(String, Vec<u8>)>,
    /// Codes of the parts that the model lacks.
    pub left_out: &'static [&'static str],
    /// Codes of the images that a command lacks which needs images. A broken one is a file's fault.
    pub images: &'static [&'static str],
    /// Codes of all other errors and warnings about the model.
    pub found: &'static [&'static str],
    /// Exit code of a command that loads the model.
    pub exit: i32,
    /// Codes of the errors and warnings of `validate`, which checks neither glTF nor which way normals point.
    pub validated: &'static [&'static str],
}

/// A box around the model in every frame.
const BOX: &str = "( -50 -50 -50 ) ( 50 50 50 )";

/// Names and contents of a model's files.
pub type Files = Vec<(String, Vec<u8>)>;

fn named(files: Vec<(&str, Vec<u8>)>) -> Files {
    files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect()
}

/// Returns the files with an image for their material.
fn md5(files: &[(&str, String)]) -> Files {
    let image = image::RgbImage::new(2, 2);
    let mut png = std::io::Cursor::new(Vec::new());
    image.write_to(&mut png, image::ImageFormat::Png).unwrap();
    [without_image(files), named(vec![("skin.png", png.into_inner())])].concat()
}

fn without_image(files: &[(&str, String)]) -> Files {
    named(files.iter().map(|(name, text)| (*name, text.replace("models/test", "skin").into_bytes())).collect())
}

/// Returns a sound model with this number of clips: MD5, .x and glTF in turn.
pub fn sound(clips: usize) -> [Planted; 3] {
    let wide = |clip: String, side| clip.replace(&format!("( -{side} -{side} -{side} ) ( {side} {side} {side} )"), BOX);
    let anim = (1..4).fold(ANIM.to_owned(), wide);
    let names: Vec<String> = (0..clips).map(|number| format!("walk{number}.md5anim")).collect();
    let mut files = vec![("m.md5mesh", MESH.to_owned())];
    files.extend(names.iter().map(|name| (&**name, anim.clone())));
    let sets: Vec<String> =
        (0..clips).map(|number| format!("AnimationSet walk{number} {{ {} }}", animation("box"))).collect();
    let animated = gltf(|json| {
        let clip = json["animations"][0].clone();
        let clip = |number| {
            let mut clip = clip.clone();
            clip["name"] = format!("walk{number}").into();
            clip
        };
        json["animations"] = (0..clips).map(clip).collect();
    });
    [("md5", md5(&files)), ("x", x(&sets.join("\n"))), ("gltf", animated)].map(|(kind, files)| Planted {
        folder: format!("{kind}-sound-{clips}"),
        files,
        left_out: &[],
        images: &[],
        found: &[],
        exit: 0,
        validated: &[],
    })
}

/// Returns a sound mesh with a clip.
fn with_clip(clip: String) -> Files {
    let wide = |clip: String, side| clip.replace(&format!("( -{side} -{side} -{side} ) ( {side} {side} {side} )"), BOX);
    md5(&[("m.md5mesh", MESH.into()), ("walk.md5anim", (1..4).fold(clip, wide))])
}

fn first_lines(text: &str, lines: usize) -> String {
    text.lines().take(lines).flat_map(|line| [line, "\n"]).collect()
}

/// Returns a frame with a triangle, and more.
fn x(more: &str) -> Files {
    let text = format!(
        "xof 0303txt 0032\nFrame box {{\n Mesh skin {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }}\n}}\n\
         AnimTicksPerSecond {{ 10; }}\n{more}\n"
    );
    named(vec![("m.x", text.into_bytes())])
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

/// Returns a triangle with a material that names an image.
fn textured(image: &str) -> String {
    format!(
        "Frame of_coat {{ Mesh coat {{ 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;;\n\
         MeshMaterialList {{ 1; 1; 0; Material {{ 1;1;1;1;; 0; 0;0;0;; 0;0;0;; TextureFilename {{ \"{image}\"; }} }} }}\n\
         MeshTextureCoords {{ 3; 0;0;, 1;0;, 0;1;; }} }} }}"
    )
}

/// Returns a triangle at a node that moves.
fn gltf(change: impl FnOnce(&mut Value)) -> Files {
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
    named(vec![("m.gltf", file.text(json))])
}

/// A clip of the first joint alone.
const ONE_JOINT: &str = "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 1\nframeRate 24\nnumAnimatedComponents 0\n\
    hierarchy {\n\t\"origin\"\t-1 0 0\n}\nbounds {\n\t( -1 -1 -1 ) ( 1 1 1 )\n}\nbaseframe {\n\t( 5 6 7 ) ( 0 0 0 )\n}\n\
    frame 0 {\n}\n";

pub fn planted() -> Vec<Planted> {
    let base = || Planted {
        folder: "".into(),
        files: Vec::new(),
        left_out: &[],
        images: &[],
        found: &[],
        exit: 0,
        validated: &[],
    };
    let renamed = ANIM.replace("\"bone\"", "\"Bone1\"");
    // Half a turn, whatever its length.
    let long = MESH.replace("( 0 0 0.7071067691 )", "( 0 0 1.2 )").replace("( -8 0 -10 )", "( 0 -8 -10 )");
    let run = with_clip(ANIM.into()).swap_remove(1).1;
    let cut_glb = [&b"glTF"[..], &[2, 0, 0, 0, 255, 0, 0, 0]].concat();
    vec![
        Planted {
            folder: "md5-clip-cut".into(),
            files: with_clip(first_lines(ANIM, 36)),
            left_out: &["MD5A008"],
            exit: 1,
            validated: &["MD5A008"],
            ..base()
        },
        Planted {
            folder: "md5-joint-renamed".into(),
            files: with_clip(renamed),
            left_out: &["MD5P002"],
            exit: 1,
            validated: &["MD5P002"],
            ..base()
        },
        Planted {
            folder: "md5-joint-missing".into(),
            files: with_clip(ONE_JOINT.into()),
            left_out: &["MD5P001"],
            exit: 1,
            validated: &["MD5P001"],
            ..base()
        },
        Planted {
            folder: "md5-stranger".into(),
            files: with_clip(ONE_JOINT.replace("origin", "hip")),
            left_out: &["MD5P017"],
            validated: &["MD5P017"],
            ..base()
        },
        Planted {
            folder: "md5-other-parents".into(),
            files: with_clip(ANIM.replace("\"bone\"\t0", "\"bone\"\t-1")),
            found: &["MD5I011"],
            validated: &["MD5A106"],
            ..base()
        },
        Planted {
            folder: "md5-no-rate".into(),
            files: with_clip(ANIM.replace("frameRate 24", "frameRate 0")),
            found: &["MD5A202", "MD5I012"],
            validated: &["MD5A202"],
            ..base()
        },
        Planted {
            folder: "md5-long-quaternion".into(),
            files: md5(&[("m.md5mesh", long)]),
            found: &["MD5I001"],
            validated: &["MD5M109"],
            ..base()
        },
        Planted {
            folder: "md5-mesh-cut".into(),
            files: md5(&[("m.md5mesh", first_lines(MESH, 20)), ("walk.md5anim", ANIM.into())]),
            found: &["MD5M008"],
            exit: 1,
            validated: &["MD5M008"],
            ..base()
        },
        Planted {
            folder: "x-clip-of-another".into(),
            files: x(&format!("AnimationSet walk {{ {} }}", animation("tail"))),
            left_out: &["XFI014"],
            found: &["XF053"],
            validated: &["XF053"],
            ..base()
        },
        Planted {
            folder: "x-track-of-another".into(),
            files: x(&format!("AnimationSet walk {{ {} {} }}", animation("box"), animation("tail"))),
            left_out: &["XFI012"],
            found: &["XF053"],
            validated: &["XF053"],
            ..base()
        },
        Planted {
            folder: "x-empty-mesh".into(),
            files: x("Frame of_none { Mesh none { 0; 0; } }"),
            left_out: &["XFI020"],
            ..base()
        },
        Planted {
            folder: "x-inside-out".into(),
            files: x(&[inside_out("hat"), inside_out("coat")].concat()),
            found: &["XFI021"],
            validated: &["XFI021"],
            ..base()
        },
        Planted {
            folder: "x-cut".into(),
            files: named(vec![("m.x", b"xof 0303txt 0032\nFrame box { Mesh skin { 3; 0;0;0;, 1;0".to_vec())]),
            found: &["XF021"],
            exit: 1,
            validated: &["XF021"],
            ..base()
        },
        Planted {
            folder: "gltf-morph".into(),
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
            folder: "md5-one-of-two-clips-cut".into(),
            files: [with_clip(first_lines(ANIM, 36)), named(vec![("run.md5anim", run)])].concat(),
            left_out: &["MD5A008"],
            exit: 1,
            validated: &["MD5A008"],
            ..base()
        },
        Planted {
            folder: "md5-weight-of-no-joint".into(),
            files: md5(&[("m.md5mesh", MESH.replace("weight 4 1 0.5", "weight 4 7 0.5"))]),
            found: &["MD5M210"],
            exit: 1,
            validated: &["MD5M210"],
            ..base()
        },
        Planted {
            folder: "md5-image-missing".into(),
            files: without_image(&[("m.md5mesh", MESH.into())]),
            images: &["TEX001"],
            ..base()
        },
        Planted {
            folder: "md5-image-broken".into(),
            files: [without_image(&[("m.md5mesh", MESH.into())]), named(vec![("skin.png", b"no image".to_vec())])]
                .concat(),
            images: &["IO001"],
            ..base()
        },
        Planted {
            folder: "x-image-missing".into(),
            files: x(&textured("lost.png")),
            images: &["TEX001"],
            validated: &["TEX001"],
            ..base()
        },
        Planted {
            folder: "gltf-light".into(),
            files: gltf(|json| {
                json["extensionsUsed"] = json!(["KHR_lights_punctual"]);
                json["extensions"] = json!({"KHR_lights_punctual": {"lights": [{"type": "point"}]}});
                json["nodes"][1]["extensions"] = json!({"KHR_lights_punctual": {"light": 0}});
            }),
            left_out: &["GLI001"],
            ..base()
        },
        Planted {
            folder: "gltf-camera".into(),
            files: gltf(|json| {
                json["cameras"] = json!([{"type": "perspective", "perspective": {"yfov": 1, "znear": 1}}]);
                json["nodes"][1]["camera"] = 0.into();
            }),
            left_out: &["GLI001"],
            ..base()
        },
        Planted {
            folder: "gltf-metal".into(),
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
            folder: "gltf-weights".into(),
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
            folder: "gltf-version-1".into(),
            files: named(vec![("m.gltf", br#"{"asset": {"version": "1.0"}, "nodes": {}, "meshes": {}}"#.to_vec())]),
            found: &["GLI000"],
            exit: 1,
            ..base()
        },
        Planted {
            folder: "gltf-cut".into(),
            files: named(vec![("m.glb", cut_glb)]),
            found: &["GLI000"],
            exit: 1,
            ..base()
        },
    ]
}

fn bindpose(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bindpose")).args(arguments).current_dir(folder).output().unwrap()
}

/// Returns the codes that a text names.
pub fn codes(text: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(text).into_owned();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.len() > 4 && bindpose::validate::codes::find(word).is_some()).map(str::to_owned).collect()
}

pub fn set(codes: &[&[&str]]) -> BTreeSet<String> {
    codes.concat().into_iter().map(str::to_owned).collect()
}

/// Arguments of the commands that load a model, without it. Each second one of the last three is tried by default: they
/// read the same list and start OpenGL.
const COMMANDS: &[&[&str]] = &[
    &["info", "--json"],
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
/// Number of the first command that starts OpenGL.
const DRAWN: usize = 4;

pub fn write(folder: &Path, files: &Files) {
    std::fs::create_dir_all(folder).unwrap();
    files.iter().for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes).unwrap());
}

/// Writes the models, and what is expected of each, where the tests of the page, the Python package and
/// Blender look for them.
fn publish(models: &[&Planted]) {
    let all = Path::new(env!("CARGO_TARGET_TMPDIR")).join("planted");
    let _ = std::fs::remove_dir_all(&all);
    models.iter().for_each(|model| write(&all.join(&model.folder), &model.files));
    let expected = models.iter().map(|model| {
        let Planted { folder, files, left_out, images, found, exit, validated } = model;
        json!({
            "model": format!("{folder}/{}", files[0].0),
            "left_out": left_out,
            "images": images,
            "found": found,
            "refused": *exit == 1 && left_out.is_empty(),
            "validated": validated,
        })
    });
    std::fs::write(all.join("expected.json"), expected.collect::<Value>().to_string()).unwrap();
}

/// Returns what `validate` says of each folder, without hints.
fn validated(all: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let run = bindpose(all, &["validate", ".", "--format", "short"]);
    let mut said: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in String::from_utf8_lossy(&run.stdout).lines() {
        if line.contains(": error[") || line.contains(": warning[") {
            let folder = line.trim_start_matches("./").split('/').next().unwrap_or_default();
            said.entry(folder.to_owned()).or_default().extend(codes(line.as_bytes()));
        }
    }
    said
}

#[test]
fn every_command_names_each_fault_and_nothing_else() {
    let all = tempfile::tempdir().unwrap();
    let (mut wrong, mut of_all) = (Vec::new(), BTreeSet::new());
    let (planted, sound) = (planted(), (0..12).flat_map(sound).collect::<Vec<_>>());
    assert!(planted.len() >= 25 && planted.len() + sound.len() >= 60, "{} {}", planted.len(), sound.len());
    planted.iter().chain(&sound).for_each(|model| write(&all.path().join(&model.folder), &model.files));
    publish(&planted.iter().chain(&sound).collect::<Vec<_>>());
    let validated = validated(all.path());
    for (row, model) in planted.iter().chain(&sound).enumerate() {
        let Planted { folder, files, left_out, images, found, exit, .. } = model;
        let path = all.path().join(folder);
        of_all.extend(set(&[left_out, images, found]));
        if validated.get(folder).cloned().unwrap_or_default() != set(&[model.validated]) {
            wrong.push(format!("{folder}: validate: {:?}", validated.get(folder)));
        }
        for (column, command) in COMMANDS.iter().enumerate() {
            // Sound models are read together below.
            let step = if row >= planted.len() { 12 } else { 2 };
            let is_cheap = column < DRAWN && row < planted.len();
            if !is_cheap && !is_sampled(row, column, step) {
                continue;
            }
            if row >= planted.len() && command[0] == "dump" {
                continue;
            }
            let run = bindpose(&path, &[command, &[&*files[0].0][..]].concat());
            if String::from_utf8_lossy(&run.stderr).contains("needs OpenGL") {
                crate::support::skip("draws nothing");
                continue;
            }
            let has_images = column >= DRAWN || command[0] == "convert";
            let lacks = set(&[left_out, if has_images { images } else { &[] }]);
            // Warnings about files that load concern no frame.
            let is_warned = command[0] != "snapshot" || *exit == 1;
            let expected = &lacks | &set(&[if is_warned { found } else { &[] }]);
            let said = codes(&[&run.stdout[..], &run.stderr[..]].concat());
            let exit = if has_images && images.contains(&"IO001") { 1 } else { *exit };
            // A dump shows the clip that it is asked for, or fails.
            let has_exit = command[0] == "dump" || run.status.code() == Some(exit);
            if said != expected || !has_exit {
                let (code, error) = (run.status.code(), String::from_utf8_lossy(&run.stderr));
                wrong.push(format!("{folder}: {command:?}: {code:?} {said:?}\n{error}"));
            }
            if command.last() == Some(&"--json") && model.exit == 0 {
                let report: Value = serde_json::from_slice(&run.stdout).unwrap();
                let report = if report.is_array() { &report[0] } else { &report };
                let field = if command[0] == "convert" { "losses" } else { "left_out" };
                let listed = codes(report[field].to_string().as_bytes());
                if listed != lacks {
                    wrong.push(format!("{folder}: {command:?} lists {listed:?}"));
                }
            }
        }
    }
    let batch = bindpose(all.path(), &["convert", ".", "-o", "out", "--to", "glb"]);
    if codes(&batch.stdout) != of_all {
        wrong.push(format!("convert .: {:?}\n{}", codes(&batch.stdout), String::from_utf8_lossy(&batch.stdout)));
    }
    let models = planted.iter().chain(&sound).map(|model| format!("{}/{}", model.folder, model.files[0].0));
    let models: Vec<String> = models.collect();
    let together = bindpose(all.path(), &[vec!["info"], models.iter().map(String::as_str).collect()].concat());
    let of_files = planted.iter().flat_map(|model| set(&[model.left_out, model.found])).collect::<BTreeSet<_>>();
    let said = codes(&[&together.stdout[..], &together.stderr[..]].concat());
    if said != of_files {
        wrong.push(format!("info: {said:?}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A dump of a mesh alone has no clips, but names the broken one beside it.
#[test]
fn a_dump_names_a_broken_clip_beside_its_mesh() {
    let folder = tempfile::tempdir().unwrap();
    write(&folder.path().join("alone"), &md5(&[("m.md5mesh", MESH.into())]));
    write(&folder.path().join("beside"), &with_clip(first_lines(ANIM, 36)));
    let [alone, beside] = ["alone", "beside"].map(|name| bindpose(&folder.path().join(name), &["dump", "m.md5mesh"]));
    assert_eq!((alone.status.code(), alone.stderr.len()), (Some(0), 0));
    assert_eq!((beside.status.code(), &beside.stdout), (Some(1), &alone.stdout));
    let said = String::from_utf8_lossy(&beside.stderr);
    assert!(
        said.lines().count() == 1 && said.contains("clip 'walk' is left out") && said.contains("MD5A008"),
        "{said}"
    );
}
