//! `bindpose snapshot`: exit codes and output.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

pub const MESH: &str = include_str!("../cases/md5/base.md5mesh");
pub const ANIM: &str = include_str!("../cases/md5/base.md5anim");

/// A temporary folder for each test, with `models/` and `shots/` in it.
pub struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    pub fn empty() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self { folder: std::env::temp_dir().join(format!("bindpose-snapshot-{}-{number}", std::process::id())) }
    }

    /// Creates two meshes with a clip each, in two folders, recorded.
    fn recorded() -> Self {
        let workshop = Self::empty();
        for name in ["models/boss/boss.md5mesh", "models/guard.md5mesh"] {
            workshop.write(name, MESH);
        }
        for name in ["models/boss/walk.md5anim", "models/stand.md5anim"] {
            workshop.write(name, ANIM);
        }
        let output = workshop.run(&["record", "models", "-o", "shots"]);
        assert_eq!(output.code, 0, "{}", output.errors);
        assert!(output.text.starts_with("recorded 2 models, 2 clips, 10 samples: "), "{}", output.text);
        workshop
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_in_ci(None, arguments)
    }

    fn run_in_ci(&self, ci: Option<&str>, arguments: &[&str]) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        command.arg("snapshot").args(arguments).current_dir(&self.folder).env_remove("CI");
        ci.map(|value| command.env("CI", value));
        Ran::new(command.output().unwrap())
    }

    /// Runs a command with `answers` as its standard input.
    pub fn answer(&self, arguments: &[&str], answers: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        command.arg("snapshot").args(arguments).current_dir(&self.folder).env_remove("CI");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
        Ran::new(child.wait_with_output().unwrap())
    }

    fn verify(&self) -> Ran {
        self.run(&["verify", "models", "-s", "shots"])
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

pub struct Ran {
    pub code: i32,
    pub text: String,
    pub errors: String,
}

impl Ran {
    fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap(), text: text(output.stdout), errors: text(output.stderr) }
    }

    pub fn expect(&self, code: i32, parts: &[&str]) {
        let missing: Vec<_> = parts.iter().filter(|part| !self.text.contains(**part)).collect();
        assert!(
            self.code == code && missing.is_empty(),
            "exit code {} (expected {code}), missing {missing:?} in:\n{}{}",
            self.code,
            self.text,
            self.errors
        );
    }
}

#[test]
fn unchanged_models_take_one_line() {
    let workshop = Workshop::recorded();
    let ran = workshop.verify();
    assert_eq!((ran.code, ran.text.as_str(), ran.errors.as_str()), (0, "2 models: 2 same\n", ""));
    // By another name, and independent of the path to the folder.
    workshop.run(&["verify", workshop.path("models").to_str().unwrap(), "--baseline", "shots"]).expect(0, &["2 same"]);
}

#[test]
fn a_number_changed_by_a_ten_thousandth_is_found_and_named() {
    for (from, to, joint) in [
        ("\t12 0.5", "\t12.0012 0.5", "bone"),
        ("\t12 0.5", "\t12 0.50005", "bone"),
        ("\t15\n", "\t15.0015\n", "origin"),
    ] {
        let workshop = Workshop::recorded();
        workshop.write("models/boss/walk.md5anim", &ANIM.replace(from, to));
        workshop.verify().expect(
            1,
            &[
                "changed  boss/boss.md5mesh",
                "the file changed (other bytes: walk.md5anim)",
                "first bad stage: local",
                "clip 'walk': joints differ in 1 of 3 frames [local]",
                &format!("  frame 1 (0.041667 s), joint '{joint}': "),
                "2 models: 1 same, 1 changed",
            ],
        );
    }
}

#[test]
fn a_comment_changes_nothing() {
    let workshop = Workshop::recorded();
    workshop.write("models/stand.md5anim", &ANIM.replace("frame 1", "// a step\nframe 1"));
    workshop.verify().expect(0, &["same     guard.md5mesh", "every frame is the same", "2 models: 2 same"]);
}

#[test]
fn a_tolerance_also_accepts_edits() {
    let workshop = Workshop::recorded();
    workshop.write("models/stand.md5anim", &ANIM.replace("\t12 0.5", "\t12.0012 0.5"));
    // The model is about 12 units in size.
    workshop
        .run(&["verify", "models", "-s", "shots", "--position-tolerance", "1e-3"])
        .expect(0, &["within the tolerance"]);
    workshop.run(&["verify", "models", "-s", "shots", "--position-tolerance", "1e-6"]).expect(1, &["frame 1"]);
    let ran = workshop.run(&["verify", "models", "-s", "shots", "--position-tolerance", "1e-12"]);
    assert!(ran.code == 2 && ran.errors.contains("--exact reports every bit"), "{}", ran.errors);
}

#[test]
fn a_missing_snapshot_or_model_fails_on_a_build_server_only() {
    let workshop = Workshop::recorded();
    // Nothing of the new model is like the removed one.
    let other = MESH.replace("\"bone\"", "\"rod\"").replace("8 8 0", "9 9 0");
    workshop.write("models/new/new.md5mesh", &other);
    fs::remove_file(workshop.path("models/boss/boss.md5mesh")).unwrap();
    fs::remove_file(workshop.path("models/boss/walk.md5anim")).unwrap();
    let reported = ["added    new/new.md5mesh", "removed  boss/boss.md5mesh", "3 models: 1 same, 1 added, 1 removed"];
    let arguments = ["verify", "models", "-s", "shots"];
    workshop.run_in_ci(None, &arguments).expect(0, &reported);
    workshop.run_in_ci(Some("false"), &arguments).expect(0, &reported);
    workshop.run_in_ci(Some("true"), &arguments).expect(1, &reported);
    workshop.run(&["verify", "models", "-s", "shots", "--ci"]).expect(1, &reported);
}

/// A name with a newline stays on its line, here and in what `convert` prints.
#[cfg(unix)]
#[test]
fn a_name_with_a_newline_is_one_line() {
    let workshop = Workshop::empty();
    let model = include_str!("../cases/validate/base.x");
    workshop.write("models/new\nline.x", model);
    workshop.run(&["record", "models", "-o", "shots"]).expect(0, &[]);
    workshop.write("models/new\nline.x", &model.replace("4.0;0.0;", "5.0;0.0;"));
    let escaped = r"new\u000aline.x";
    workshop.verify().expect(1, &[&format!("changed  {escaped}"), &format!("other bytes: {escaped}")]);
    let mut convert = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    convert.args(["convert", "models", "-o", "out", "--to", "glb"]).current_dir(&workshop.folder);
    let printed = Ran::new(convert.output().unwrap()).text;
    assert!(printed.starts_with(r"out/new\u000aline.glb ("), "{printed}");
}

#[test]
fn a_model_under_another_name_is_reported_as_renamed() {
    let workshop = Workshop::recorded();
    let rename = |from: &str, to: &str| fs::rename(workshop.path(from), workshop.path(to)).unwrap();
    rename("models/guard.md5mesh", "models/sentry.md5mesh");
    let reported =
        ["renamed  sentry.md5mesh: was guard.md5mesh, every frame is the same", "2 models: 1 same, 1 renamed"];
    workshop.verify().expect(0, &reported);
    workshop.run(&["verify", "models", "-s", "shots", "--ci"]).expect(1, &reported);
    // With a different frame, it is compared.
    workshop.write("models/stand.md5anim", &ANIM.replace("\t12 0.5", "\t13 0.5"));
    let changed =
        ["changed  sentry.md5mesh (was guard.md5mesh)\n", "joints differ in 1 of 3 frames", "1 same, 1 changed"];
    workshop.verify().expect(1, &changed);
    workshop.write("models/stand.md5anim", ANIM);
    workshop.run(&["update", "models", "-s", "shots"]).expect(0, &["1 snapshot written, 1 deleted, 1 unchanged"]);
    assert!(!workshop.path("shots/guard.md5mesh.snapshot").exists());
    workshop.run(&["verify", "models", "-s", "shots", "--ci"]).expect(0, &["2 models: 2 same"]);
}

/// A nameless animation set is named after its file.
#[test]
fn an_x_file_under_another_name_is_reported_as_renamed() {
    let workshop = Workshop::recorded();
    workshop.write("models/crane.x", X);
    workshop.run(&["record", "models", "-o", "shots"]).expect(0, &["recorded 3 models, 3 clips"]);
    fs::rename(workshop.path("models/crane.x"), workshop.path("models/lift.x")).unwrap();
    workshop.verify().expect(0, &["renamed  lift.x: was crane.x"]);
}

/// A frame and one matrix key for it.
const X: &str = "xof 0303txt 0032
Frame arm { FrameTransformMatrix { 1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1;; } }
AnimationSet { Animation { {arm} AnimationKey { 4; 2;
  0;16;1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1;;,
  9;16;1,0,0,0,0,1,0,0,0,0,1,0,8,6,7,1;;; } } }
";

/// Each of the sixteen numbers of a key, and of a frame's fourth column, is increased by a ten thousandth of itself, or set
/// to it if it is 0.
#[test]
fn every_number_of_a_matrix_is_compared() {
    let key = "8,6,7,1;;;";
    let row: Vec<&str> = "1,0,0,0,0,1,0,0,0,0,1,0,8,6,7,1".split(',').collect();
    let workshop = Workshop::recorded();
    for element in 0..16 {
        workshop.write("models/crane.x", X);
        workshop.run(&["record", "models/crane.x", "-o", "shots"]).expect(0, &["recorded 1 model"]);
        let value: f64 = row[element].parse().unwrap();
        let edited = if value == 0.0 { "0.0001".to_owned() } else { (value * 1.0001).to_string() };
        let mut numbers = row.clone();
        numbers[element] = &edited;
        let (start, _) = X.rsplit_once("9;16;").unwrap();
        assert!(X.contains(key));
        workshop.write("models/crane.x", &format!("{start}9;16;{};;; }} }} }}\n", numbers.join(",")));
        let stage = if element % 4 == 3 { "the fourth column of a matrix in 'crane.x' differs" } else { "[local]" };
        workshop.run(&["verify", "models/crane.x", "-s", "shots"]).expect(1, &["changed  crane.x", stage]);
        if element % 4 == 3 {
            let (frame, rest) = X.split_once("1,0,0,0,0,1,0,0,0,0,1,0,5,6,7,1").unwrap();
            (numbers[12], numbers[13], numbers[14]) = ("5", "6", "7");
            workshop.write("models/crane.x", &format!("{frame}{}{rest}", numbers.join(",")));
            workshop.run(&["verify", "models/crane.x", "-s", "shots"]).expect(1, &["changed  crane.x", stage]);
        }
    }
}

#[test]
fn a_snapshot_of_the_first_format_is_outdated_and_update_writes_it_again() {
    let workshop = Workshop::recorded();
    let path = workshop.path("shots/guard.md5mesh.snapshot");
    let mut bytes = fs::read(&path).unwrap();
    bytes[18] = b'1';
    fs::write(&path, bytes).unwrap();
    let reported = ["outdated ", "guard.md5mesh.snapshot has format 1, ", "1 with a snapshot of another format"];
    workshop.verify().expect(1, &reported);
    workshop.run(&["update", "models", "-s", "shots"]).expect(0, &["1 snapshot written"]);
    workshop.verify().expect(0, &["2 same"]);
}

#[test]
fn update_only_writes_failed_snapshots() {
    let workshop = Workshop::recorded();
    workshop.write("models/boss/walk.md5anim", &ANIM.replace("\t12 0.5", "\t13 0.5"));
    // The guard's file changed, but none of its frames. A new record would have another digest of the file.
    workshop.write("models/stand.md5anim", &ANIM.replace("frame 1", "// a step\nframe 1"));
    workshop.write("models/new.md5mesh", MESH);
    workshop.write("shots/gone.md5mesh.snapshot", "");
    let guard = fs::read(workshop.path("shots/guard.md5mesh.snapshot")).unwrap();
    let ran = workshop.run(&["update", "models", "-s", "shots"]);
    ran.expect(0, &["changed  boss/boss.md5mesh", "2 snapshots written, 0 deleted, 1 unchanged"]);
    assert_eq!(fs::read(workshop.path("shots/guard.md5mesh.snapshot")).unwrap(), guard);
    workshop.verify().expect(0, &["4 models: 3 same, 1 removed"]);
    workshop.run(&["update", "models", "-s", "shots", "--prune"]).expect(0, &["deleted  gone.md5mesh", "1 deleted"]);
    workshop.run(&["verify", "models", "-s", "shots", "--ci"]).expect(0, &["3 models: 3 same"]);
    let left_over = fs::read_dir(workshop.path("shots"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.'));
    assert_eq!(left_over.count(), 0, "temporary files are gone");
}

#[test]
fn a_damaged_snapshot_is_reported_and_the_others_are_verified() {
    let workshop = Workshop::recorded();
    let path = workshop.path("shots/boss/boss.md5mesh.snapshot");
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(bytes.len() / 2);
    fs::write(&path, bytes).unwrap();
    let ran = workshop.verify();
    ran.expect(1, &["damaged  ", "boss.md5mesh.snapshot is damaged", "2 models: 1 same, 1 with damaged snapshot"]);
    let shown = workshop.run(&["show", "shots/boss/boss.md5mesh.snapshot", "shots/guard.md5mesh.snapshot"]);
    assert_eq!(shown.code, 1);
    assert!(shown.errors.contains("is damaged"), "{}", shown.errors);
    assert!(shown.text.contains("# model: guard"), "{}", shown.text);
}

#[test]
fn a_model_that_no_longer_loads_has_changed() {
    let workshop = Workshop::recorded();
    workshop.write("models/guard.md5mesh", &MESH.replace("weight 4 1 0.5", "weight 4 7 0.5"));
    let ran = workshop.verify();
    ran.expect(1, &["changed  guard.md5mesh", "first bad stage: document", "it no longer loads: weight 4"]);
    assert!(ran.errors.contains("guard.md5mesh:31:"), "{}", ran.errors);
    let ran = workshop.run(&["record", "models", "-o", "shots"]);
    ran.expect(1, &["broken   guard.md5mesh: not recorded", "recorded 2 models"]);
}

#[test]
fn a_clip_without_its_mesh_is_a_model_of_its_own() {
    let workshop = Workshop::recorded();
    workshop.write("models/ghost/float.md5anim", ANIM);
    let ran = workshop.run(&["record", "models", "-o", "shots"]);
    ran.expect(0, &["recorded 3 models, 3 clips"]);
    let shown = workshop.run(&["show", "shots/ghost/float.md5anim.snapshot"]);
    shown.expect(0, &["joint \"bone\" parent \"origin\"", "clip \"float\" frames 3 frame_rate 24.000000000"]);
}

/// Frame 1 by hand: the root's x comes from the frame, its y and z from the base frame, and the bone is 12 above it.
/// The file's quaternion (0, 0, 0.5) is conjugated.
#[test]
fn show_prints_every_frame() {
    let workshop = Workshop::recorded();
    let shown = workshop.run(&["show", "shots/boss/boss.md5mesh.snapshot"]);
    let frame = shown.text.split("  frame number 1 ").nth(1).unwrap_or_else(|| panic!("{}", shown.text));
    let lines: Vec<_> = frame.lines().skip(1).take(2).map(str::trim).collect();
    assert_eq!(
        lines,
        [
            "joint \"origin\" position 15.000000000 6.000000000 7.000000000 rotation 0.000000000 0.000000000 0.000000000 1.000000000",
            "joint \"bone\" position 15.000000000 6.000000000 19.000000000 rotation 0.000000000 0.000000000 -0.500000000 0.866025404",
        ]
    );
    let json = workshop.run(&["show", "--format", "json", "shots/boss/boss.md5mesh.snapshot"]);
    let value: serde_json::Value = serde_json::from_str(&json.text).unwrap();
    assert_eq!(value["format"], "bindpose snapshot");
    let summary = workshop.run(&["show", "--summary", "shots/boss/boss.md5mesh.snapshot"]);
    assert!(summary.text.contains("clip \"walk\"") && !summary.text.contains("frame number"), "{}", summary.text);
}

#[test]
fn verify_reports_as_json() {
    let workshop = Workshop::recorded();
    workshop.write("models/boss/walk.md5anim", &ANIM.replace("\t12 0.5", "\t13 0.5"));
    let ran = workshop.run(&["verify", "models", "-s", "shots", "--format", "json"]);
    assert_eq!(ran.code, 1);
    let value: serde_json::Value = serde_json::from_str(&ran.text).unwrap();
    let boss = &value["models"][0];
    assert_eq!((&boss["model"], &boss["status"]), (&"boss/boss.md5mesh".into(), &"changed".into()));
    let difference = &boss["comparison"]["differences"][0];
    assert_eq!((&difference["stage"], &difference["clip"]), (&"local".into(), &"walk".into()));
    assert_eq!((&difference["first"]["frame"], &difference["first"]["joint"]), (&1.into(), &"bone".into()));
    assert!((difference["first"]["position"].as_f64().unwrap() - 1.0).abs() < 1e-6);
    assert_eq!(value["models"][1]["status"], "same");
}

#[test]
fn usage_errors_and_differences_have_different_exit_codes() {
    let workshop = Workshop::recorded();
    workshop.write("empty/readme.txt", "");
    for (arguments, message) in [
        (&["verify", "models"][..], "--snapshots"),
        (&["verify", "models", "-s", "no-shots"], "there is no folder no-shots"),
        (&["verify", "no-models", "-s", "shots"], "no-models"),
        (&["record", "empty", "-o", "new"], "no model or clip"),
        (&["record", "empty", "-o", "shots"], "empty is not below "),
        (&["verify", "-s", "empty"], "empty records no root: name the folder of the models"),
        (&["record", "models/guard.md5mesh", "models/boss/../guard.md5mesh", "-o", "shots"], ""),
        (&["show", "no.snapshot"], "no.snapshot"),
    ] {
        let ran = workshop.run(arguments);
        let expected = if message.is_empty() { 0 } else { 2 };
        assert!(ran.code == expected && ran.errors.contains(message), "{arguments:?}: {} {}", ran.code, ran.errors);
    }
}

/// The bone's quarter turn moves the corner that it influences. The rest of the image does not change.
#[cfg(feature = "render")]
#[test]
fn images_show_what_moved() {
    let workshop = Workshop::recorded();
    workshop.write("models/boss/walk.md5anim", &ANIM.replace("\t12 0.5", "\t12 -0.5"));
    let ran = workshop.run(&["verify", "models", "-s", "shots", "--report", "drawn"]);
    ran.expect(1, &["changed  boss/boss.md5mesh"]);
    assert!(ran.errors.contains("report: drawn/index.html"), "{}", ran.errors);
    let [page, summary] =
        ["index.html", "summary.md"].map(|name| std::fs::read_to_string(workshop.path("drawn").join(name)).unwrap());
    for text in [&page, &summary] {
        assert!(text.contains("2 models: 1 same, 1 changed") && text.contains("first bad stage: local"), "{text}");
    }
    if page.contains("No images: no OpenGL") {
        return crate::support::skip("drew nothing: no OpenGL");
    }
    assert!(page.contains("<h3>walk, frame 1 (0.041667 s): "), "{page}");
    let [before, after, difference] = ["expected", "actual", "difference"].map(|kind| {
        let file = format!("boss/boss.md5mesh/1.{kind}.png");
        assert!(page.contains(&format!("<img src=\"{file}\"")), "{page}");
        let path = workshop.path(&format!("drawn/{file}"));
        image::open(&path).unwrap_or_else(|error| panic!("{kind}: {error}")).into_rgba8()
    });
    let differ = |x, y| before.get_pixel(x, y) != after.get_pixel(x, y);
    let red = |x, y| difference.get_pixel(x, y).0[0] > difference.get_pixel(x, y).0[1];
    let pixels = || (0..before.height()).flat_map(|y| (0..before.width()).map(move |x| (x, y)));
    assert!(pixels().all(|(x, y)| differ(x, y) == red(x, y)));
    let count = pixels().filter(|&(x, y)| differ(x, y)).count();
    assert!((100..before.pixels().len() / 2).contains(&count), "{count} pixels");

    // A model that cannot be drawn does not affect the images of the others.
    workshop.write("models/stand.md5anim", &ANIM.replace("\t12 0.5", "\t12 -0.5"));
    workshop.write("blocked/guard.md5mesh", "a file in place of the folder of its images");
    workshop.run(&["verify", "models", "-s", "shots", "--report", "blocked"]).expect(1, &["2 models: 2 changed"]);
    let page = std::fs::read_to_string(workshop.path("blocked/index.html")).unwrap();
    assert!(page.contains("src=\"boss/boss.md5mesh/1.expected.png\""), "{page}");
    assert_eq!(page.matches("<p>No images: cannot write blocked/guard.md5mesh/1.expected.png").count(), 1, "{page}");
    workshop.write("models/stand.md5anim", ANIM);

    // A changed mesh is not drawn as if it had been recorded.
    workshop.write("models/guard.md5mesh", &MESH.replace("weight 2 0 1 ( 8 8 0 )", "weight 2 0 1 ( 9 8 0 )"));
    workshop.run(&["verify", "models", "-s", "shots", "--report", "drawn"]);
    let page = std::fs::read_to_string(workshop.path("drawn/index.html")).unwrap();
    assert!(page.contains("src=\"guard.md5mesh/1.expected.png\""), "{page}");
    assert!(page.contains("so the skeleton is drawn as expected: --before"), "{page}");
}

#[test]
fn diff_compares_files_and_snapshots() {
    let workshop = Workshop::recorded();
    workshop.write("other/walk.md5anim", &ANIM.replace("\t12 0.5", "\t13 0.5"));
    let (old, new) = ("models/boss/walk.md5anim", "other/walk.md5anim");
    let ran = workshop.run(&["diff", old, new]);
    ran.expect(1, &["changed  other/walk.md5anim", "first bad stage: local", "frame 1"]);
    workshop.run(&["diff", old, new, "--position-tolerance", "0.5"]).expect(0, &["same     other/walk.md5anim"]);
    workshop.run(&["diff", old, old]).expect(0, &["every frame is the same"]);
    // Other names make no difference.
    workshop.write("newer/walk_v2.md5anim", ANIM);
    let ran = workshop.run(&["diff", old, "newer/walk_v2.md5anim"]);
    ran.expect(0, &["the files are the same (walk_v2.md5anim was walk.md5anim): every frame is the same"]);
    let ran = workshop.run(&["diff", "other/walk.md5anim", "newer/walk_v2.md5anim"]);
    ran.expect(1, &["clip 'walk_v2': joints differ in 1 of 3 frames [local]\n      frame 1 (0.041667 s), joint 'bone': 1 units off"]);
    assert!(!ran.text.contains("was 'walk'"), "{}", ran.text);
    workshop.run(&["record", "other", "-o", "other-shots"]).expect(0, &["recorded 1 model"]);
    workshop.run(&["diff", "other-shots/walk.md5anim.snapshot", new]).expect(0, &["every frame is the same"]);
    let ran = workshop.run(&["diff", "other-shots/walk.md5anim.snapshot", old, "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&ran.text).unwrap();
    assert_eq!((ran.code, &value["differences"][0]["stage"]), (1, &"local".into()));
    workshop.write("other/broken.md5mesh", "MD5Version 10\n");
    assert_eq!(workshop.run(&["diff", old, "other/broken.md5mesh"]).code, 1);
    assert_eq!(workshop.run(&["diff", old, "other/none.md5mesh"]).code, 2);
    assert_eq!(workshop.run(&["diff", old, "other/none.snapshot"]).code, 2);
    workshop.write("other/broken.snapshot", "bindpose snapshot 5\n");
    assert_eq!(workshop.run(&["diff", old, "other/broken.snapshot"]).code, 1);
}

/// `git difftool` passes the older file alone in a temporary folder, and the newer one next to its clips.
#[test]
fn diff_compares_meshes_without_clips_wherever_they_are() {
    let workshop = Workshop::recorded();
    workshop.write("git-blob-1/boss.md5mesh", &MESH.replacen('\n', " // older\n", 1));
    let ran = workshop.run(&["diff", "git-blob-1/boss.md5mesh", "models/boss/boss.md5mesh"]);
    let same = "same     models/boss/boss.md5mesh\n    the file changed (other bytes: boss.md5mesh): every frame is the same\n";
    assert_eq!((ran.code, ran.text.as_str()), (0, same), "{}", ran.errors);
    // A snapshot has the clips, and so does the mesh next to them.
    let snapshot = "shots/boss/boss.md5mesh.snapshot";
    let ran = workshop.run(&["diff", snapshot, "models/boss/boss.md5mesh"]);
    assert_eq!((ran.code, ran.text.as_str()), (0, "every frame is the same\n"), "{}", ran.errors);
}
