//! `bindpose dump`: every stage of a small model whose numbers can be computed by hand.

use crate::support::{is_sampled, real_files};
use bindpose::budget::MemoryLimit;
use bindpose::dump::{DumpOptions, DumpStage, FrameSelection, TextFormat, document, model};
use bindpose::load::{LoadOptions, load};
use bindpose::play::OutsideClip;
use bindpose::skin::Skinning;
use std::process::{Command, Output};

fn dump(arguments: &[&str]) -> Output {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5");
    Command::new(env!("CARGO_BIN_EXE_bindpose")).arg("dump").args(arguments).current_dir(cases).output().unwrap()
}

fn text(arguments: &[&str]) -> String {
    let output = dump(arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

fn json(arguments: &[&str]) -> serde_json::Value {
    serde_json::from_str(&text(&[arguments, &["--format", "json"]].concat())).unwrap()
}

const BOTH: [&str; 2] = ["base.md5mesh", "base.md5anim"];

/// Returns the lines after the header.
fn body(arguments: &[&str]) -> String {
    let text = text(&[&BOTH, arguments].concat());
    assert!(!text.contains('\r') && text.ends_with('\n'));
    text.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\n")).collect()
}

/// The root's x comes from the frame, its y and z from the base frame. The bone is 12 above it and turned by the
/// conjugate of the file's quaternion (0, 0, 0.5), by -60 degrees about z.
#[test]
fn local_and_model_poses_are_those_of_the_file() {
    let head = "clip \"base\" frames 3 frame_rate 24.000000000 seconds 0.083333333 looping true\n  \
                frame number 1 time 0.041666667\n";
    let origin = "    joint \"origin\" position 15.000000000 6.000000000 7.000000000 \
                  rotation 0.000000000 0.000000000 0.000000000 1.000000000\n";
    let turned = "rotation 0.000000000 0.000000000 -0.500000000 0.866025404\n";
    let local = format!("{head}{origin}    joint \"bone\" position 0.000000000 0.000000000 12.000000000 {turned}");
    assert_eq!(body(&["--stage", "local", "--frames", "1"]), local);
    let model = format!("{head}{origin}    joint \"bone\" position 15.000000000 6.000000000 19.000000000 {turned}");
    assert_eq!(body(&["--stage", "model-pose", "--frames", "1"]), model);
}

/// Corner 3 is the mean of (0, 8, 0) on the root and (-8, 0, -10) on the bone, which are (15, 14, 7) and (15 - 4, 6 + 8
/// sin 60°, 19 - 10) in model space.
#[test]
fn vertices_are_the_weighted_sums() {
    let dumped = json(&["base.md5mesh", "base.md5anim", "--stage", "vertices", "--frames", "1"]);
    let mesh = &dumped["items"][0]["items"][0]["items"][0];
    let positions: Vec<Vec<f64>> = mesh["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|vertex| vertex["position"].as_array().unwrap().iter().map(|part| part.as_f64().unwrap()).collect())
        .collect();
    let expected = [[15.0, 6.0, 7.0], [23.0, 6.0, 7.0], [23.0, 14.0, 7.0], [13.0, 13.464_101_615, 8.0]];
    assert_eq!(positions, expected);
    assert_eq!(mesh["min"], serde_json::json!([13.0, 6.0, 7.0]));
    assert_eq!(mesh["max"], serde_json::json!([23.0, 14.0, 8.0]));
}

/// The root's bind pose is the identity. The bone is at (0, 0, 10), turned by -90 degrees, so its palette turns by -60
/// + 90 degrees. The file's quaternion has ten decimals.
#[test]
fn palettes_map_bind_pose_to_pose() {
    let dumped = json(&["base.md5mesh", "base.md5anim", "--stage", "palette", "--frames", "1"]);
    let joints = &dumped["items"][0]["items"][0]["items"][0]["items"];
    assert_eq!(joints[0]["name"], "origin");
    assert_eq!(joints[0]["translation"], serde_json::json!([15.0, 6.0, 7.0]));
    let near = |value: &serde_json::Value, expected: [f64; 3]| {
        let found: Vec<f64> = value.as_array().unwrap().iter().map(|part| part.as_f64().unwrap()).collect();
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?} instead of {expected:?}");
    };
    let (sine, cosine) = (0.5, 0.75_f64.sqrt());
    near(&joints[1]["x"], [cosine, sine, 0.0]);
    near(&joints[1]["y"], [-sine, cosine, 0.0]);
    near(&joints[1]["translation"], [15.0, 6.0, 9.0]);
}

#[test]
fn times_are_selected_by_frame_and_by_time() {
    let frames = |list| {
        let text = body(&["--stage", "local", "--frames", list]);
        let frames = text.lines().filter_map(|line| line.trim().strip_prefix("frame number "));
        frames.map(|frame| frame[..1].to_owned()).collect::<String>()
    };
    assert_eq!((frames("0,2"), frames("1..2"), frames("0..1,2")), ("02".into(), "12".into(), "012".into()));
    // Half-way between frames 0 and 1: half the distance and half the angle.
    let half = body(&["--stage", "local", "--time", "0.0208333333333333333"]);
    assert!(half.contains("position 10.000000000 6.000000000 7.000000000"), "{half}");
    assert!(half.contains("rotation 0.000000000 0.000000000 -0.258819045 0.965925826"), "{half}");
    // The last time may be as it is printed.
    assert!(OutsideClip::check(0.166_666_667, 1.0 / 6.0).is_ok() && OutsideClip::check(0.166_667, 1.0 / 6.0).is_err());
    // Without a clip, the rest pose is dumped.
    let rest = text(&["base.md5mesh", "--stage", "model-pose"]);
    assert!(rest.contains("rest\n  joint \"origin\""), "{rest}");
    // A requested clip is found next to the mesh, and is the only clip in the header.
    let found = text(&["base.md5mesh", "--clip", "base", "--stage", "local"]);
    assert!(found.contains("# source: base.md5mesh base.md5anim\n") && found.contains("clip \"base\""), "{found}");
    // For a game's model, the header has mesh and clip, whichever files name them.
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/data/game/mannequin.pk4");
    let walk = ["--base", game, "--stage", "local", "--clip", "walk", "--frames", "0"];
    for named in [&["--model", "mannequin"][..], &["models/md5/mannequin/mannequin.md5mesh"]] {
        let found = text(&[&walk, named].concat());
        assert!(found.contains("# source: mannequin.md5mesh walk.md5anim\n"), "{found}");
    }
}

#[test]
fn the_model_has_everything_by_name() {
    let text = body(&["--stage", "model"]);
    for line in [
        "joint \"bone\" parent \"origin\" position 0.000000000 0.000000000 10.000000000 rotation ",
        "material \"models/test\" ",
        "mesh \"m\" material \"models/test\" source_mesh 0 vertices 4 triangles 2 influences 5",
        "    influence \"bone\" weight 0.500000000 offset -8.000000000 0.000000000 -10.000000000",
        // Counter-clockwise: the file has 0 2 1.
        "  triangle number 0 corners 0 1 2",
        "  track \"origin\" of \"translation\"",
        "    key time 0.041666667 value 15.000000000 6.000000000 7.000000000",
    ] {
        assert!(text.lines().any(|found| found.starts_with(line)), "'{line}' is missing in\n{text}");
    }
}

#[test]
fn documents_keep_the_files_own_words_and_digits() {
    let mesh = text(&["base.md5mesh", "--stage", "document"]);
    for line in [
        "joint \"bone\" parent 0 position 0 0 10 rotation 0 0 0.7071067691",
        "  tri number 0 corners 0 2 1",
        "  weight number 4 joint \"bone\" bias 0.5 offset -8 0 -10",
    ] {
        assert!(mesh.lines().any(|found| found == line), "'{line}' is missing in\n{mesh}");
    }
    let anim = text(&["base.md5anim", "--stage", "document", "--frames", "2"]);
    assert!(anim.contains("channel \"bone\" parent 0 flags 36 first_component 1\n"), "{anim}");
    assert!(
        anim.ends_with("frame number 2\n  components \"origin\" values 25\n  components \"bone\" values 14 -0.5\n")
    );
    assert!(!anim.contains("frame number 1"));
    let both = text(&["base.md5mesh", "base.md5anim", "--stage", "document"]);
    assert!(both.contains("# source: base.md5mesh\n") && both.contains("# source: base.md5anim\n"));
}

/// JSON contains the same records with the same names and digits.
#[test]
fn json_has_the_records_of_the_text() {
    for stage in ["model", "local", "model-pose", "palette", "vertices", "document"] {
        let arguments = ["base.md5mesh", "--stage", stage];
        let lines = text(&arguments).lines().filter(|line| !line.starts_with('#')).count();
        fn records(value: &serde_json::Value) -> usize {
            let items = value["items"].as_array().map(Vec::as_slice).unwrap_or_default();
            items.iter().map(|item| 1 + records(item)).sum()
        }
        let json = json(&arguments);
        assert_eq!(records(&json), lines, "{stage}");
        assert_eq!(json["header"]["stage"], stage);
    }
}

#[test]
fn usage_and_faults_have_their_codes() {
    for (arguments, code, said) in [
        (&["base.md5mesh", "--clip", "jump"][..], 2, "there is no clip 'jump'; there are 'base'"),
        (&["base.md5mesh", "base.md5anim", "--stage", "local", "--frames", "3"], 2, "clip 'base' has no frame 3"),
        (&["base.md5mesh", "--frames", "2..1"], 2, "2..1 runs backwards"),
        (&["base.md5mesh", "--frames", "1", "--time", "1"], 2, "cannot be used with"),
        (&["base.md5mesh", "--time", "-0.1"], 2, "expected a number of seconds, 0 or more"),
        (&["base.md5mesh", "--time", "nan"], 2, "expected a number of seconds, 0 or more"),
        (&["base.md5mesh", "--time", "inf"], 2, "expected a number of seconds, 0 or more"),
        (&["base.md5mesh", "--ticks-per-second", "0"], 2, "expected a positive number"),
        (&["base.md5mesh", "--ticks-per-second", "9"], 2, "--ticks-per-second sets the speed of a .x file's clips"),
        (
            &["base.md5mesh", "base.md5anim", "--stage", "local", "--time", "9"],
            2,
            "--time 9 is outside of the clip, which lasts 0.083 s",
        ),
        (&["base.md5mesh", "--stage", "document", "--clip", "base"], 2, "a document shows whole files"),
        (&["base.md5anim", "--stage", "document", "--time", "0"], 2, "a document shows whole files"),
        (&["base.md5mesh", "--stage", "document", "--frames", "0"], 2, "--frames selects frames of .md5anim"),
        (&["none.md5mesh"], 2, "none.md5mesh"),
        (&["../../dump.rs", "--stage", "document"], 2, "none of .md5mesh, .md5anim, .md5camera, .x, .glb or .gltf"),
    ] {
        let output = dump(arguments);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(code) && errors.contains(said), "{arguments:?}: {errors}");
    }
    let folder = std::env::temp_dir().join(format!("bindpose-dump-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("broken.md5mesh");
    std::fs::write(&path, include_str!("cases/md5/base.md5mesh").replace("weight 4 1 0.5", "weight 4 7 0.5")).unwrap();
    for stage in ["document", "model"] {
        let output = dump(&[path.to_str().unwrap(), "--stage", stage]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && errors.contains("broken.md5mesh:31:"), "{stage}: {errors}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Nine ticks at three per second.
#[test]
fn ticks_per_second_are_those_that_the_user_gives() {
    let folder = std::env::temp_dir().join(format!("bindpose-dump-ticks-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("slide.x");
    let keys = "AnimationKey { 2; 2; 0;3;0,0,0;;, 9;3;1,0,0;;; }";
    let file = format!("xof 0303txt 0032\nFrame arm {{ }}\nAnimationSet {{ Animation {{ {{arm}} {keys} }} }}\n");
    std::fs::write(&path, file).unwrap();
    let text = text(&[path.to_str().unwrap(), "--ticks-per-second", "3", "--stage", "local", "--frames", "1"]);
    assert!(text.contains("frame number 1 time 3.000000000\n"), "{text}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A compressed file is unpacked up to the user's memory limit.
#[test]
fn documents_are_unpacked_within_the_memory_that_is_allowed() {
    let file = include_bytes!("../data/x/cylinder_tzip.x");
    let dumped = |memory| {
        let format = &bindpose::import::x::X_FILE;
        document(file, format, "", &FrameSelection::All, TextFormat::Text, memory, &mut Vec::new())
    };
    assert!(dumped(MemoryLimit::default()).is_ok());
    let refused = dumped(MemoryLimit::Bytes(1000)).unwrap_err().to_string();
    assert!(refused.contains("unpack"), "{refused}");
}

/// Dumps every stage of real files, by default of a third of them: all numbers are plain decimals, and none is -0.
#[test]
fn real_files_have_no_negative_zero() {
    let (mut files, mut bytes) = (0, 0);
    let all = real_files(&["md5mesh", "md5anim", "md5camera", "x"]);
    for (_, path) in all.into_iter().enumerate().filter(|(number, _)| is_sampled(*number, 0, 3)) {
        let mut check = |text: Vec<u8>, what: &str| {
            let text = String::from_utf8(text).unwrap();
            let mut negative = text.split_ascii_whitespace().filter(|word| word.starts_with("-0"));
            let zero = negative.find(|word| word.parse() == Ok(0.0));
            assert_eq!(zero, None, "{}, {what}", path.display());
            bytes += text.len();
        };
        let file = std::fs::read(&path).unwrap();
        let format = bindpose::import::identify(&path, &file).unwrap();
        let mut out = Vec::new();
        if document(&file, format, "", &FrameSelection::All, TextFormat::Text, MemoryLimit::default(), &mut out).is_ok()
        {
            check(out, "document");
            files += 1;
        }
        let Ok(loaded) = load(&[&path], &LoadOptions::default()) else { continue };
        let time = loaded.model.clips.iter().map(|clip| clip.duration).fold(0.25, f64::min);
        for stage in [DumpStage::Model, DumpStage::Local, DumpStage::ModelPose, DumpStage::Palette, DumpStage::Vertices]
        {
            let options = DumpOptions {
                stage,
                clip: None,
                frames: FrameSelection::Time(time),
                engine: None,
                skinning: Skinning::default(),
                format: TextFormat::Text,
            };
            let mut out = Vec::new();
            model(&loaded.model, "", &options, &mut out).unwrap();
            check(out, &format!("{stage:?}"));
        }
    }
    println!("{files} files read, {bytes} bytes of text");
}

/// Corner 3, (0, 8, 0) at rest, has equal weights of the root and the bone, whose z axis goes through the origin. The
/// bone turned by 120 degrees moves it to (-4 sqrt(3), -4, 0). The weighted sum is in the middle; dual quaternions turn
/// the corner by 60 degrees.
#[test]
fn vertices_are_those_of_the_method_and_the_pose() {
    let turned = ["base.md5mesh", "--pose", "bone=z,120"];
    let assert_corner = |more: &[&str], expected: [f64; 3]| {
        let dumped = json(&[&turned, more].concat());
        let corner = dumped["items"][0]["items"][0]["items"][3]["position"].clone();
        let corner: [f64; 3] = serde_json::from_value(corner).unwrap();
        assert!(corner.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{more:?}: {corner:?}");
    };
    let root = 3.0_f64.sqrt();
    assert_corner(&[], [-2.0 * root, 2.0, 0.0]);
    assert_corner(&["--method", "dqs"], [-4.0 * root, 4.0, 0.0]);
    let text = text(&[&turned[..], &["--method", "dqs"]].concat());
    let header = ["# method: dqs\n", "# pose: bone turned by 120 degrees about its [0, 0, 1]\n", "# stage: vertices\n"];
    assert!(header.iter().all(|line| text.contains(line)), "{text}");
    // Joints turned by hand keep the clip's velocities.
    let moving = dump(&["base.md5mesh", "base.md5anim", "--pose", "bone=z,1", "--method", "velocity"]);
    assert_eq!(moving.status.code(), Some(0), "{}", String::from_utf8_lossy(&moving.stderr));
    for (arguments, error) in [
        (&["base.md5mesh", "--method", "dqs", "--stage", "local"][..], "--method computes vertices"),
        (&["base.md5mesh", "--pose", "bone=z,1", "--stage", "model"], "--pose turns joints of a pose"),
        (
            &["base.md5mesh", "base.md5anim", "--pose", "bone=z,1", "--method", "morph"],
            "morph shows only poses of clips",
        ),
        (&["base.md5mesh", "--method", "morph"], "there is no clip"),
    ] {
        let output = dump(arguments);
        assert_eq!(output.status.code(), Some(2));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains(error), "{message}");
    }
}
