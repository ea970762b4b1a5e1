//! `bindpose validate` and `explain` as users call them: exit codes, streams, folders, patterns, settings, repairs.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");
const X: &str = include_str!("../cases/validate/base.x");

/// Creates an empty folder.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("validate_cli").join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("ours");
    }
    std::fs::create_dir_all(&folder).expect("writable");
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
    std::fs::write(path, text).expect("writable");
}

fn bindpose(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bindpose")).args(arguments).current_dir(folder).output().expect("it runs")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn quiet_prints_errors_only() {
    let folder = folder("quiet");
    write(&folder, "good.md5mesh", MESH);
    write(&folder, "good.md5anim", ANIM);
    let output = bindpose(&folder, &["validate", "--quiet", "--profile", "all", "good.md5mesh"]);
    assert!(!out(&output).lines().any(|line| line.starts_with("warning") || line.starts_with("compared")));
    let output = bindpose(&folder, &["validate", "--quiet", "--profile", "rerelease", "."]);
    assert_eq!((output.status.code(), out(&output)), (Some(0), String::new()));
    write(&folder, "bad.md5mesh", &broken());
    let output = bindpose(&folder, &["validate", "--quiet", "--profile", "kex", "bad.md5mesh"]);
    let printed = out(&output);
    assert!(output.status.code() == Some(1) && printed.contains("bad.md5mesh:"), "{printed}");
    assert!(!printed.contains("at fault") && !printed.contains("severities"), "{printed}");
}

fn broken() -> String {
    MESH.replace("weight 4 1 0.5", "weight 4 9 0.5")
}

#[test]
fn exit_codes_distinguish_success_faults_and_misuse() {
    let folder = folder("codes");
    write(&folder, "good.x", X);
    write(&folder, "bad.md5mesh", &broken());
    write(&folder, "half.md5mesh", &MESH.replace("weight 3 0 0.5", "weight 3 0 0.25"));
    let cases: [(&[&str], i32); 14] = [
        (&["good.x"], 0),
        (&["good.x", "bad.md5mesh"], 1),
        (&["half.md5mesh"], 0),
        (&["half.md5mesh", "--fail-on", "warning"], 1),
        (&["half.md5mesh", "--error", "MD5M204"], 1),
        (&["bad.md5mesh", "--ignore", "MD5M210"], 0),
        (&["bad.md5mesh", "--only", "TEX"], 0),
        // The Quake engines need a clip next to every mesh.
        (&["half.md5mesh", "--profile", "ironwail"], 1),
        (&["missing.x"], 2),
        (&["*.md5camera"], 2),
        (&["good.x", "--profile", "doom4"], 2),
        (&["good.x", "--only", "MD9"], 2),
        (&["good.x", "--fix"], 2),
        (&[], 2),
    ];
    for (arguments, code) in cases {
        let all: Vec<&str> = ["validate"].iter().chain(arguments).copied().collect();
        let output = bindpose(&folder, &all);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{}{}", out(&output), err(&output));
        // Usage errors are printed to stderr, findings are not.
        assert_eq!(err(&output).is_empty(), code < 2, "{arguments:?}: {}", err(&output));
    }
}

#[test]
fn a_bad_file_does_not_stop_others() {
    let folder = folder("bad");
    write(&folder, "a/broken.md5mesh", "MD5Version 10\nnumJoints many\n");
    write(&folder, "b/empty.x", "");
    write(&folder, "b/zeros.md5anim", &"\0".repeat(100));
    write(&folder, "c/good.x", X);
    write(&folder, "c/plain", "");
    let output = bindpose(&folder, &["validate", ".", "--format", "short"]);
    assert_eq!(output.status.code(), Some(1));
    let lines = out(&output);
    for part in ["broken.md5mesh:2:", "empty.x:1:1: error[XF001]", "zeros.md5anim:1:"] {
        assert!(lines.contains(part), "{part} is not in {lines}");
    }
    assert!(!lines.contains("good.x"), "{lines}");
    let output = bindpose(&folder, &["validate", "a/nosuch.x", "a/broken.md5mesh", "nosuch", "--format", "short"]);
    assert_eq!(output.status.code(), Some(2));
    let lines = out(&output);
    for part in ["a/nosuch.x:1:1: error[IO001]", "nosuch:1:1: error[IO001]", "broken.md5mesh:2:"] {
        assert!(lines.contains(part), "{part} is not in {lines}");
    }
}

/// Files are reported in order, whatever the number of threads.
#[test]
fn thousands_of_files_are_reported_in_order() {
    let folder = folder("many");
    for number in 0..2000 {
        write(&folder, &format!("{:02}/{number:04}.x", number % 40), "xof 0303txt 0032\nFrame {\n");
    }
    let output = bindpose(&folder, &["validate", ".", "--format", "short"]);
    let paths: Vec<String> = out(&output).lines().map(|line| line.split(':').next().unwrap_or("").to_owned()).collect();
    assert_eq!(paths.len(), 2000);
    assert!(paths.is_sorted());
    assert_eq!(output.status.code(), Some(1));
}

/// Editors and hooks get one line for a cause, not one for each joint.
#[test]
fn a_finding_of_several_places_is_one_short_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5");
    let options = ["validate", "cylinder_bend.md5anim", "--profile", "vkquake-1.35", "--only", "MD5A203"];
    let lines = out(&bindpose(&folder, &[&options[..], &["--format", "short"]].concat()));
    let finding = "Qy of joint 0 'lower' comes from the base frame only (3 places) [baseframe[0]]";
    assert_eq!(lines, format!("cylinder_bend.md5anim:92:2: warning[MD5A203]: {finding}\n"));
}

#[test]
fn patterns_choose_files() {
    let folder = folder("patterns");
    for name in ["a/one.x", "a/b/two.x", "a/b/three.md5mesh", "four.x"] {
        write(&folder, name, "");
    }
    let checked = |pattern: &str| -> Vec<String> {
        let output = bindpose(&folder, &["validate", pattern, "--format", "json"]);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let files = report["files"].as_array().expect("files").iter();
        files.map(|file| file["path"].as_str().expect("a path").replace('\\', "/")).collect()
    };
    assert_eq!(checked("a/*.x"), ["a/one.x"]);
    assert_eq!(checked("**/t*"), ["a/b/three.md5mesh", "a/b/two.x"]);
    let none = bindpose(&folder, &["validate", "nope/*.md5mesh"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(err(&none).contains("no .md5mesh") && err(&none).contains("matches nope/*.md5mesh"), "{}", err(&none));
}

#[test]
fn standard_input_is_a_file_like_others() {
    let folder = folder("stdin");
    let run = |text: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bindpose"))
            .args(["validate", "-", "--format", "short", "-v"])
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("it reads");
        child.wait_with_output().expect("it ends")
    };
    // The content determines the format.
    let x = run(&X.replace("0303", "0909"));
    assert!(out(&x).starts_with("<stdin>:1:5: error[XF006]"), "{}", out(&x));
    let mesh = run(&broken());
    assert!(out(&mesh).contains("<stdin>:31:11: error[MD5M210]"), "{}", out(&mesh));
    assert_eq!(mesh.status.code(), Some(1));
    assert!(out(&run(ANIM)).contains("<stdin>:"), "a clip");
}

#[test]
fn settings_are_found_in_parent_folders_and_options_override_them() {
    let folder = folder("settings");
    write(
        &folder,
        "bindpose.toml",
        "[validate]\nprofile = [\"ironwail\"]\nignore = [\"MD5P006\"]\nformat = \"short\"\n",
    );
    write(&folder, "deep/below/m.md5mesh", &MESH.replace("weight 3 0 0.5", "weight 3 0 0.25"));
    let deep = folder.join("deep/below");
    let plain = bindpose(&deep, &["validate", "m.md5mesh"]);
    assert_eq!(plain.status.code(), Some(0), "{}", out(&plain));
    assert!(out(&plain).contains("m.md5mesh:20:2: warning[MD5M204]"), "{}", out(&plain));
    let over = bindpose(&deep, &["validate", "m.md5mesh", "--ignore", "MD5M204"]);
    assert_eq!(over.status.code(), Some(1), "the settings' list is replaced: {}", out(&over));
    write(&folder, "wrong.toml", "[validate]\nprofiles = []\n");
    let wrong = bindpose(&folder, &["validate", "deep", "--config", "wrong.toml"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("wrong.toml") && err(&wrong).contains("profiles"), "{}", err(&wrong));
}

/// The clip's root moves 20 units in two frames of a 24th of a second.
#[test]
fn motion_is_checked_on_request_or_by_a_contract() {
    let folder = folder("motion");
    write(&folder, "idle.md5anim", ANIM);
    let of =
        |more: &[&str]| out(&bindpose(&folder, &[&["validate", "idle.md5anim", "--format", "short"], more].concat()));
    assert!(!of(&[]).contains("MOT"), "{}", of(&[]));
    assert!(
        of(&["--motion"])
            .contains("warning[MOT003]: the clip's name implies no movement, but its root 'origin' moves 20.00 units")
    );
    let contract = |text: &str| {
        write(&folder, "bindpose.toml", text);
        of(&[])
    };
    let wanted = "[[validate.motion]]\nclips = \"id*\"\nspeed = 100\nloops = false\n";
    assert!(contract(wanted).contains("moves at 240.00 units per second at 24 frames per second, expected 100"));
    assert!(!contract(&wanted.replace("100", "240")).contains("MOT003"));
    write(&folder, "bindpose.toml", &wanted.replace("100", "-1"));
    let wrong = bindpose(&folder, &["validate", "idle.md5anim"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("'speed' of the motion of 'id*' is -1, expected 0 or more"), "{}", err(&wrong));
}

#[test]
fn findings_of_motion_become_a_page() {
    let folder = folder("clips");
    write(&folder, "models/idle.md5anim", ANIM);
    let run = |more: &[&str]| bindpose(&folder, &[&["validate", "models", "--report", "clips"], more].concat());
    assert!(err(&run(&[])).contains("--report shows findings of motion: give --motion, too"));
    assert_eq!(run(&["--motion"]).status.code(), Some(0));
    let page = std::fs::read_to_string(folder.join("clips/report.html")).expect("a page");
    let first = "<p class=\"finding\">1 clip has findings of motion: the root's speed is not the expected one (1).</p>";
    assert!(page.contains(first) && page.contains("<h2>idle: models/idle.md5anim</h2>"), "{page}");
    assert!(page.contains("<title>Distance of the root origin from its start</title>"), "{page}");
    run(&["--motion", "--ignore", "root-speed"]);
    let page = std::fs::read_to_string(folder.join("clips/report.html")).expect("a page");
    assert!(page.contains("No clip has a finding of motion.") && !page.contains("<table"), "{page}");
}

#[test]
fn a_mesh_and_clips_named_together_belong_together() {
    let folder = folder("together");
    write(&folder, "body/hero.md5mesh", &MESH.replace("\"bone\"", "\"tip\""));
    write(&folder, "moves/walk.md5anim", ANIM);
    let output = bindpose(&folder, &["validate", "body/hero.md5mesh", "moves/walk.md5anim"]);
    assert!(out(&output).contains("compared body/hero.md5mesh with moves/walk.md5anim"), "{}", out(&output));
    assert!(out(&output).contains("error[MD5P002]"));
    // In separate folders they do not belong together.
    let apart = bindpose(&folder, &["validate", "body", "moves"]);
    assert_eq!(apart.status.code(), Some(0), "{}", out(&apart));
}

/// Engines of Quake II look for one clip, of the mesh's name.
#[test]
fn a_clip_that_fits_is_named_where_the_meshs_own_is_missing() {
    let folder = folder("fitting");
    write(&folder, "m.md5mesh", MESH);
    let said = || out(&bindpose(&folder, &["validate", "--profile", "q2pro", "."]));
    let alone = said();
    assert!(alone.contains("error[MD5P006]") && !alone.contains("fits the mesh"), "{alone}");
    write(&folder, "walk.md5anim", ANIM);
    assert!(said().contains("= walk.md5anim fits the mesh; as m.md5anim it would be found"), "{}", said());
}

#[test]
fn repairs_are_written_to_another_folder() {
    let folder = folder("fix");
    let old = MESH.replace("commandline \"x\"\n", "");
    write(&folder, "models/a/m.md5mesh", &old);
    write(&folder, "models/a/good.x", X);
    let output = bindpose(&folder, &["validate", "models", "--fix", "-o", "fixed"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    assert!(err(&output).contains("MD5M002"), "what was done: {}", err(&output));
    let new = std::fs::read_to_string(folder.join("fixed/a/m.md5mesh")).expect("a new file");
    assert!(new.contains("commandline \"\""), "{new}");
    assert_eq!(std::fs::read_to_string(folder.join("models/a/m.md5mesh")).expect("the old file"), old);
    assert!(!folder.join("fixed/a/good.x").exists());
    // The second run fails, because the new file exists.
    let again = bindpose(&folder, &["validate", "models", "--fix", "-o", "fixed"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(err(&again).contains("is there already"), "{}", err(&again));
    let stdin = bindpose(&folder, &["validate", "-", "--fix", "-o", "fixed"]);
    assert_eq!(stdin.status.code(), Some(2));
}

#[test]
fn codes_are_explained() {
    let folder = folder("explain");
    for name in ["MD5M105", "md5m105", "late-parent"] {
        let output = bindpose(&folder, &["explain", name]);
        assert_eq!(output.status.code(), Some(0));
        assert!(out(&output).contains("MD5M105") && out(&output).contains("daemon"), "{}", out(&output));
    }
    // A line of Ironwail's console, and a part of one.
    for words in ["bone tip was renamed", "Was renamed"] {
        let output = bindpose(&folder, &["explain", words]);
        assert_eq!(output.status.code(), Some(0));
        assert!(out(&output).contains("MD5P002") && out(&output).contains("ironwail"), "{}", out(&output));
        assert!(!out(&output).contains("MD5M204"), "{}", out(&output));
    }
    // Doom 3's console message, with and without the location.
    for words in ["Joint Index out of range(22): 999", "file m.md5mesh, line 9: Joint Index out of range(22): 999"] {
        let output = bindpose(&folder, &["explain", words]);
        assert!(out(&output).contains("MD5M210") && !out(&output).contains("MD5P002"), "{}", out(&output));
    }
    let output = bindpose(&folder, &["explain", "Joint", "Index", "out", "of", "range(22):", "999"]);
    assert!(out(&output).contains("MD5M210"), "{}", out(&output));
    // Of a line that fits several messages, the longest.
    let output = bindpose(&folder, &["explain", "Joint 'Hed' not found for 'head_joint' on 'imp_1'"]);
    assert!(out(&output).contains("DEF019") && !out(&output).contains("DEF017"), "{}", out(&output));
    // A message without a code has its cause.
    let output = bindpose(&folder, &["explain", "Animation", "controller", "creation", "not", "implemented."]);
    assert!(out(&output).contains("wine-d3dx9\n  Wine's D3DXLoadMeshHierarchyFromX"), "{}", out(&output));
    let misspelt = ["MD5M999", "weight-summ", "clossing brace expected", "mesh imp has different joints than its anim"];
    let nearest = ["'MD5M009'", "'weight-sum'", "'Closing brace expected.'", "different # of joints than anim"];
    for (unknown, near) in misspelt.into_iter().zip(nearest) {
        let output = bindpose(&folder, &["explain", unknown]);
        assert_eq!(output.status.code(), Some(2));
        assert!(err(&output).contains(near), "{}", err(&output));
    }
}

/// Files of different folders, in the order of the report.
#[test]
fn equal_files_are_a_hint() {
    let root = tempfile::tempdir().unwrap();
    let mesh = include_str!("../cases/md5/base.md5mesh");
    let folders = [("heavy", mesh.to_owned()), ("light", mesh.to_owned()), ("other", mesh.replace("0 0 10", "0 0 11"))];
    for (folder, text) in folders {
        std::fs::create_dir(root.path().join(folder)).unwrap();
        std::fs::write(root.path().join(folder).join("body.md5mesh"), text).unwrap();
    }
    let output = bindpose(root.path(), &["validate", "--format", "short", "-vv", "--only", "IO007", "."]);
    assert_eq!(
        out(&output).replace('\\', "/").trim(),
        "./light/body.md5mesh:1:1: hint[IO007]: the file is equal to ./heavy/body.md5mesh"
    );
}
