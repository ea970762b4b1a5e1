//! `--as ENGINE`: its page in docs, the names, and the commands that support it.

mod tables;
mod x_reading;

use bindpose::engines::ENGINES;
use std::path::Path;
use std::process::{Command, Output};

#[test]
fn the_tables_of_the_page_are_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/engines-playback.md");
    let kept = std::fs::read_to_string(&path).expect("docs/engines-playback.md");
    let (text, tables) = kept.split_once("\n## Rules\n\n").expect("a heading for the tables");
    let made = tables::tables();
    if std::env::var_os("BINDPOSE_WRITE_DOCS").is_some() {
        std::fs::write(&path, format!("{text}\n## Rules\n\n{made}")).expect("docs/engines-playback.md written");
        return;
    }
    assert!(made == tables, "run BINDPOSE_WRITE_DOCS=1 cargo test --test all engines::");
}

fn bindpose(arguments: &[&str]) -> Output {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5");
    Command::new(env!("CARGO_BIN_EXE_bindpose")).args(arguments).current_dir(cases).output().unwrap()
}

fn joints(engine: &str, when: [&str; 2]) -> Vec<String> {
    let stage = ["dump", "base.md5mesh", "base.md5anim", "--stage", "model-pose", "--as", engine];
    let output = bindpose(&[&stage[..], &when].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("# engine: "), "{text}");
    let joints = text.lines().filter(|line| line.trim_start().starts_with("joint"));
    joints.map(|line| line.trim().to_owned()).collect()
}

/// The root is at x = 15 in frame 1 and 25 in frame 2, and its base frame at (5, 6, 7). The bone is 12 and 14 above it.
#[test]
fn dump_shows_an_engine_s_joints() {
    let root = |place: &str| {
        format!("joint \"origin\" position {place} rotation 0.000000000 0.000000000 0.000000000 1.000000000")
    };
    let ironwail = joints("ironwail", ["--frames", "1"]);
    assert_eq!(ironwail[0], root("15.000000000 0.000000000 0.000000000"));
    assert!(ironwail[1].starts_with("joint \"bone\" position 15.000000000 0.000000000 12.000000000 "), "{ironwail:?}");
    assert_eq!(joints("vkquake", ["--frames", "1"])[0], root("15.000000000 6.000000000 7.000000000"));
    // Relative to the base frame, y and z, which no frame moves, are 0.
    assert_eq!(joints("doom3", ["--frames", "1"])[0], root("10.000000000 0.000000000 0.000000000"));
    // At ten frames a second, 0.15 s is half-way from frame 1 to 2, and 0.25 s from 2 to 0.
    assert_eq!(joints("fteqw", ["--time", "0.15"])[0], root("20.000000000 6.000000000 7.000000000"));
    assert_eq!(joints("fteqw", ["--time", "0.25"])[0], root("15.000000000 6.000000000 7.000000000"));
}

#[test]
fn refusals_of_an_engine_are_reported_with_their_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/md5");
    std::fs::copy(cases.join("base.md5mesh"), path("base.md5mesh")).unwrap();
    let clip = std::fs::read_to_string(cases.join("base.md5anim")).unwrap().replace("\"bone\"", "\"other\"");
    std::fs::write(path("base.md5anim"), clip).unwrap();
    let dump = |engine| bindpose(&["dump", &path("base.md5mesh"), &path("base.md5anim"), "--as", engine]);
    let refused = dump("ironwail");
    let told = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{told}");
    assert!(
        refused.stdout.is_empty() && told.contains("error[MD5P") && told.contains("Ironwail from 0.8.2 "),
        "{told}"
    );
    // A clip with another name is expected under the mesh's name.
    std::fs::copy(cases.join("base.md5anim"), path("walk.md5anim")).unwrap();
    let other = bindpose(&["dump", &path("base.md5mesh"), &path("walk.md5anim"), "--as", "ironwail"]);
    assert_eq!(other.status.code(), Some(0), "{}", String::from_utf8_lossy(&other.stderr));
    // Names do not matter to Q2PRO.
    assert_eq!(dump("q2pro").status.code(), Some(0));
    // If several engines have a limit, the message has the one of this engine.
    let large = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5/mannequin.md5mesh");
    let large = bindpose(&["dump", &large.to_string_lossy(), "--as", "etlegacy"]);
    let told = String::from_utf8_lossy(&large.stderr);
    assert!(told.contains("more than 10000 verts") && !told.contains("q2pro"), "{told}");
}

/// There is one box more than frames. Both engines that continue without a clip report it and show the bind pose, with
/// the root at (5, 6, 7).
#[test]
fn a_clip_that_an_engine_ignores_is_not_played() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/md5");
    let mesh = std::fs::read(cases.join("base.md5mesh")).unwrap();
    let clip = std::fs::read_to_string(cases.join("base.md5anim")).unwrap();
    let clip = clip.replace("bounds {\n", "bounds {\n\t( 0 0 0 ) ( 1 1 1 )\n");
    std::fs::write(path("base.md5mesh"), &mesh).unwrap();
    std::fs::write(path("base.md5anim"), &clip).unwrap();
    let says = |engine| bindpose::validate::leaves_out(engine, &mesh, clip.as_bytes());
    for engine in &ENGINES {
        assert_eq!(says(engine).is_some(), engine.keeps_bind_pose, "{}", engine.name());
    }
    let files = [path("base.md5mesh"), path("base.md5anim")];
    let run = |command: &str, more: &[&str]| {
        let output = bindpose(&[&[command, &files[0], &files[1], "--as", "fteqw"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let sentence = "FTEQW does not take the clip 'base' (MD5ANIM: expected }), and shows the bind pose instead";
    let [pose, note] = run("dump", &["--stage", "model-pose", "--frames", "1"]);
    assert!(note.starts_with("warning[MD5A208]") && note.ends_with(&format!("\nnote: {sentence}\n")), "{note}");
    let [still, _] = run("dump", &["--stage", "model-pose", "--frames", "2"]);
    let joints =
        |dump: &str| dump.lines().filter(|line| line.contains("joint \"")).map(str::to_owned).collect::<Vec<_>>();
    assert!(joints(&pose).len() > 1 && joints(&pose) == joints(&still), "{pose}{still}");
    if cfg!(feature = "render") {
        let [words, _] = run("compare", &[]);
        assert!(words.starts_with(&format!("{sentence}. FTEQW is up to ")), "{words}");
    }
}

/// The engine's verdict and its playback come from the same reading, also of a clip beside the mesh.
#[cfg(target_os = "linux")]
#[test]
fn with_an_engine_a_clip_is_read_once() {
    use inotify::{EventMask, Inotify, WatchMask};
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/md5");
    let [mesh, clip] = ["base.md5mesh", "base.md5anim"].map(|name| {
        std::fs::copy(cases.join(name), path(name)).unwrap();
        path(name)
    });
    let image = path("frame.png");
    let runs: [&[&str]; 4] = [
        &["dump", &mesh, &clip],
        &["dump", &mesh],
        &["dump", &mesh, "--clip", "base"],
        #[cfg(feature = "render")]
        &["render", &mesh, "--size", "8x8", "-o", &image],
        #[cfg(not(feature = "render"))]
        &["dump", &mesh, &clip, "--stage", "local", "--frames", "0"],
    ];
    for run in runs {
        let mut watched = Inotify::init().unwrap();
        // Without the event between them, two events of one kind would become one.
        watched.watches().add(&clip, WatchMask::OPEN | WatchMask::CLOSE).unwrap();
        let output = bindpose(&[run, &["--as", "ironwail"]].concat());
        assert_eq!(output.status.code(), Some(0), "{run:?}: {}", String::from_utf8_lossy(&output.stderr));
        let mut buffer = [0; 4096];
        let events = watched.read_events(&mut buffer).unwrap();
        let opened = events.filter(|event| event.mask.contains(EventMask::OPEN)).count();
        assert_eq!(opened, 1, "{run:?}");
    }
}

#[test]
fn names_that_are_none_are_answered_with_one_that_is() {
    let output = bindpose(&["dump", "base.md5mesh", "--as", "iornwail"]);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("no engine whose playback is known is called 'iornwail'; did you mean ironwail?"), "{told}");
}

/// Doom 3 plays the root relative to its base frame (5, 6, 7), and everything else as the file specifies.
#[cfg(feature = "render")]
#[test]
fn compare_measures_an_engine_against_the_files_meaning() {
    let compare = |engines: &[&str]| -> serde_json::Value {
        let arguments = [&["compare", "base.md5mesh", "base.md5anim", "--json"], engines].concat();
        let output = bindpose(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let doom3 = compare(&["--as", "doom3"]);
    let shift = 110_f64.sqrt();
    for kind in ["at_frames", "between_frames"] {
        let found = doom3["clips"][0][kind]["distance"].as_f64().unwrap();
        assert!((found - shift).abs() < 1e-6, "{kind}: {found}");
    }
    assert_eq!((&doom3["one"], &doom3["other"]), (&"doom3".into(), &serde_json::Value::Null));
    let family = compare(&["--as", "doom3", "--as", "tdm"]);
    assert_eq!(family["clips"][0]["between_frames"]["distance"], 0.0);
    let words = bindpose(&["compare", "base.md5mesh", "base.md5anim", "--as", "doom3"]);
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.starts_with("Doom 3 (dhewm3) is up to 10.488 units from what the files mean, "), "{words}");
    let cause = "Most of it comes from where the root is. Doom 3 (dhewm3): where the frames put it, less its base frame; \
                 0 on axes that they leave out. What the files mean: where the frames put it. If both did the same, 0 % \
                 would remain.";
    assert!(words.lines().next().unwrap().ends_with(cause), "{words}");
    // Half-way between turns by 60 and by -60 degrees, blended matrices are half as long. Half of the vertex is 8 from
    // its joint.
    let words = bindpose(&["compare", "base.md5mesh", "base.md5anim", "--as", "fteqw"]);
    let words = String::from_utf8(words.stdout).unwrap();
    let place = "FTEQW is up to 2.000 units from what the files mean, 18 % of the model's size: half way between frames \
                 1 and 2 of 'base', at vertex 3 of m, mostly moved by the joint origin.";
    assert!(words.starts_with(place), "{words}");
    let other = bindpose(&["compare", "base.md5mesh", "base.md5anim", "--as", "ironwail", "--as", "doom3"]);
    let other = String::from_utf8(other.stdout).unwrap();
    // Neither engine follows the files' meaning: the largest difference is 5 of the root's x.
    let cause = "comes from where the root is. Ironwail from 0.8.2: where the frames put it. Doom 3 (dhewm3): where the \
                 frames put it, less";
    assert!(other.starts_with("Ironwail from 0.8.2 is up to ") && other.contains(cause), "{other}");
}

/// Doom 3 and The Dark Mod play identically. Ironwail ignores the base frame, so the cylinder's joints coincide.
#[cfg(feature = "render")]
#[test]
fn compare_draws_the_largest_differences_of_an_engine() {
    if crate::support::gpu().is_none() {
        return;
    }
    let folder = std::env::temp_dir().join(format!("bindpose-departs-{}", std::process::id()));
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/data/md5");
    let files = ["cylinder.md5mesh", "cylinder_bend.md5anim"].map(|name| format!("{data}/{name}"));
    let tiles = |engines: &[&str]| {
        let out = ["-o", folder.to_str().unwrap(), "--size", "240x240"];
        let arguments = [&["compare", &files[0], &files[1]], engines, &out].concat();
        let output = bindpose(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let finding = String::from_utf8(output.stdout).unwrap().lines().next().unwrap_or_default().to_owned();
        let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(read("report.md").contains(&finding), "{finding}");
        assert!(read("report.html").contains(&finding) && read("report.html").contains("data:image/jpeg"), "{finding}");
        assert!(read("report.json").contains("\"between_frames\""), "{finding}");
        let sheet = image::open(folder.join("contact-sheet.png")).unwrap().to_rgb8();
        // Images are right of 200 pixels of text and below 64 pixels, each 240 wide with gaps of 4.
        [0, 1, 2].map(|column| image::imageops::crop_imm(&sheet, 200 + 244 * column, 64, 240, 240).to_image())
    };
    let background = |tile: &image::RgbImage| *tile.get_pixel(0, 0);
    let figure = |tile: &image::RgbImage| tile.pixels().filter(|pixel| **pixel != background(tile)).count();
    let spread = |pixel: &image::Rgb<u8>| pixel.0.iter().max().unwrap() - pixel.0.iter().min().unwrap();
    let is_coloured = |pixel: &image::Rgb<u8>| spread(pixel) > 60;
    let [meant, shown, apart] = tiles(&["--as", "ironwail"]);
    assert!(figure(&shown) > 50 && figure(&meant) > figure(&shown) + 50, "{} {}", figure(&meant), figure(&shown));
    assert!(apart.pixels().any(is_coloured) && figure(&apart) == figure(&shown));
    let [meant, shown, apart] = tiles(&["--as", "doom3", "--as", "tdm"]);
    assert!(meant == shown && !apart.pixels().any(is_coloured) && figure(&apart) == figure(&shown));
    std::fs::remove_dir_all(folder).unwrap();
}

#[cfg(feature = "render")]
#[test]
fn what_does_not_go_with_an_engine_is_said() {
    let refused = |more: &[&str]| {
        let arguments =
            [&["render", "base.md5mesh", "base.md5anim", "-o", "never.png", "--as", "ironwail"], more].concat();
        let output = bindpose(&arguments);
        assert_eq!(output.status.code(), Some(2), "{more:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["--method", "dqs"]).contains("cannot be used with"), "methods");
    assert!(refused(&["--root-motion", "remove"]).contains("--root-motion does not work with --as ironwail"), "roots");
}

/// Luanti replaces the frame's position (0, 2, 0) by a rotation key, so everything is 2 too low at each tick.
#[test]
fn compare_counts_ticks_of_x_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("turn.x");
    let text = "xof 0303txt 0032\nFrame f { FrameTransformMatrix { 1,0,0,0, 0,1,0,0, 0,0,1,0, 0,2,0,1;; } \
        Mesh m { 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2;; } }\n\
        AnimationSet s { Animation { {f} AnimationKey { 0;2; 0;4;1.0,0.0,0.0,0.0;;, 20;4;0.7071068,0.0,0.0,0.7071068;;; } } }";
    std::fs::write(&file, text).unwrap();
    let run = bindpose(&["compare", file.to_str().unwrap(), "--as", "luanti", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).expect("JSON");
    for place in ["at_frames", "between_frames"] {
        let distance = report["clips"][0][place]["distance"].as_f64().unwrap();
        assert!((distance - 2.0).abs() < 1e-6, "{place}: {report}");
    }
}
