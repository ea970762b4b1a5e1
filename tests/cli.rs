//! The command line: exit codes, and the stream of each output.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output};

fn bindpose(arguments: &[&str]) -> Output {
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5");
    Command::new(env!("CARGO_BIN_EXE_bindpose")).args(arguments).current_dir(cases).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn info_prints_counts_on_stdout_and_nothing_else() {
    let output = bindpose(&["info", "base.md5mesh", "base.md5anim"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stderr), "");
    let stdout = text(&output.stdout);
    assert!(
        stdout.contains(
            "base.md5mesh: MD5 mesh, version 10\n  2 joints (1 root), 1 mesh, 4 vertices, 2 triangles, 5 weights"
        ),
        "{stdout}"
    );
    assert!(stdout.contains("3 frames at 24 per second: 0.083 s, 2 joints, 3 animated components"), "{stdout}");
    assert!(stdout.contains("bone  [Tz Qz]"), "{stdout}");
    assert!(stdout.contains("the root travels 20.00 units: Doom 3 and its family carry the model on"), "{stdout}");
}

/// Luanti from 5.17 and Panda3D refuse binary files, OpenBVE and Panda3D types without a template. The loaders of large
/// files are not followed.
#[test]
fn info_lists_programs_that_refuse_a_file() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/x/cylinder_bin.x");
    let stdout = text(&bindpose(&["info", path]).stdout);
    let line = "\n  refused by luanti, panda3d (see bindpose validate --profile NAME)\n";
    assert!(stdout.contains(line), "{stdout}");
    let folder = tempfile::tempdir().unwrap();
    for (spaces, is_followed) in [(0, true), (4 << 20, false)] {
        let file = folder.path().join(format!("{spaces}.x"));
        let content = format!("xof 0303txt 0032\nFrame A {{{}}}\nNote B {{ 1; }}\n", " ".repeat(spaces));
        std::fs::write(&file, content).unwrap();
        let output = bindpose(&["info", file.to_str().unwrap()]);
        assert_eq!(text(&output.stdout).contains("refused by"), is_followed, "{}", text(&output.stderr));
    }
}

/// By hand: 201 keys, 160 ticks apart, at Direct3D's 4800; 6 keys, one a frame, would last 1 ms at that rate.
#[test]
fn info_gives_the_clips_of_a_x_file_in_seconds_and_frames() {
    let folder = tempfile::tempdir().unwrap();
    let info = |keys: usize, step: usize, ticks: &str| {
        let rows: Vec<String> = (0..keys).map(|key| format!("{}; 3; {key}, 0, 0;;", key * step)).collect();
        let content = format!(
            "xof 0303txt 0032\n{ticks}Frame A {{}}\nAnimationSet all {{ Animation {{ {{A}} AnimationKey {{ 2; {keys};\n{};\n}} }} }}\n",
            rows.join(",\n")
        );
        fs::write(folder.path().join("a.x"), content).unwrap();
        let stdout = text(&bindpose(&["info", folder.path().join("a.x").to_str().unwrap()]).stdout);
        let at = |word: &str| stdout[stdout.find(word).unwrap()..].lines().next().unwrap().to_owned();
        (at("ticks per second"), at("all ").split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (ticks, row) = info(201, 160, "");
    assert_eq!(ticks, "ticks per second not given, 4800 as in D3DX");
    assert_eq!(row, "all 1 201 32000 6.667 201 30 of 160 ticks loops");
    let (ticks, row) = info(6, 1, "");
    assert!(ticks.starts_with("ticks per second 24 (no AnimTicksPerSecond: "), "{ticks}");
    assert!(ticks.ends_with("would last 0.001 s, so that ticks are taken for frames, 24 a second)"), "{ticks}");
    assert_eq!(info(3, 160, "AnimTicksPerSecond { 0; }\n").0, "ticks per second 0, played with 4800");
    assert_eq!(row, "all 1 6 5 0.208 6 24 loops");
    assert_eq!(info(3, 7, "AnimTicksPerSecond { 5; }\n").1, "all 1 3 14 2.800 - - loops");
}

#[test]
fn info_as_json_is_one_array() {
    let output = bindpose(&["info", "--json", "base.md5mesh", "base.md5anim"]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found[0]["meshes"][0]["vertices"], 4);
    assert_eq!(found[0]["joints"][1]["name"], "bone");
    assert_eq!(found[1]["frames"], 3);
    assert_eq!(found[1]["joints"][1]["moves"], "Tz Qz");
}

/// Sizes computed from the file by another program. The .x file is turned by a quarter about the vertical axis.
#[test]
fn every_report_is_json_with_either_option() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().to_str().unwrap();
    assert_eq!(bindpose(&["snapshot", "record", "base.md5mesh", "-o", store]).status.code(), Some(0));
    let snapshot = format!("{store}/base.md5mesh.snapshot");
    let quick = ["--copies", "1", "--rounds", "1", "--turn", "1", "--size", "16x16", "--methods", "cpu"];
    let mut commands = vec![
        [&["bench", "base.md5mesh"], &quick[..]].concat(),
        vec!["compare", "base.md5mesh", "base.md5anim", "--times", "0", "--size", "16x16", "--methods", "dqs"],
        vec!["conformance"],
        vec!["doctor"],
        vec!["dump", "base.md5mesh"],
        vec!["explain", "MD5M008"],
        vec!["explain", "Unexpected ending found"],
        vec!["info", "base.md5mesh"],
        vec!["ls", "."],
        vec!["methods"],
        vec!["snapshot", "diff", &snapshot, &snapshot],
        vec!["snapshot", "show", &snapshot],
        vec!["snapshot", "verify", "base.md5mesh", "-s", store],
        vec!["validate", "base.md5mesh"],
    ];
    if crate::support::gpu().is_none() {
        commands.retain(|command| !["bench", "compare", "doctor"].contains(&command[0]));
    }
    for command in commands {
        for option in [&["--json"][..], &["--format", "json"]] {
            let output = bindpose(&[&command[..], option].concat());
            let parsed = serde_json::from_slice::<serde_json::Value>(&output.stdout);
            assert!(parsed.is_ok(), "{command:?} {option:?}: {}{}", text(&output.stdout), text(&output.stderr));
        }
    }
}

/// Before, `convert -o -` made a folder of that name.
#[test]
fn a_dash_is_a_stream_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5mesh");
    for command in [
        &["convert", mesh, "--to", "glb", "-o", "-"][..],
        &["compare", mesh, "-o", "-"],
        &["snapshot", "record", mesh, "-o", "-"],
        &["validate", mesh, "--fix", "-o", "-"],
        &["generate", "man", "-"],
        &["info", "-"],
        &["convert", "-", "-o", "a.glb"],
    ] {
        let run =
            Command::new(env!("CARGO_BIN_EXE_bindpose")).args(command).current_dir(folder.path()).output().unwrap();
        assert_eq!(run.status.code(), Some(2), "{command:?}");
        assert!(text(&run.stderr).contains("standard "), "{command:?}: {}", text(&run.stderr));
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{command:?}");
    }
}

#[test]
fn info_prints_the_size_at_rest() {
    for (file, size) in [("md5/mannequin_light.md5mesh", "12.9 by 54.4"), ("x/mannequin_light.x", "54.4 by 12.9")] {
        let output = bindpose(&["info", &format!("../../../data/{file}")]);
        let line =
            format!("\n  72.3 units high, {size} wide; in inches 1.84 m high, as convert --scale 0.0254 makes it\n");
        assert!(text(&output.stdout).contains(&line), "{}", text(&output.stdout));
    }
    let clip = bindpose(&["info", "--json", "base.md5anim"]);
    assert!(!text(&clip.stdout).contains("\"size\""), "{}", text(&clip.stdout));
}

#[test]
fn a_broken_file_is_shown_with_its_line_and_ends_with_1() {
    let folder = std::env::temp_dir().join(format!("bindpose-cli-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("broken.md5mesh");
    let base = include_str!("cases/md5/base.md5mesh");
    std::fs::write(&path, base.replace("weight 4 1 0.5", "weight 4 7 0.5")).unwrap();
    let output = bindpose(&["info", path.to_str().unwrap()]);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("broken.md5mesh:31:"), "{stderr}");
    assert!(stderr.contains("weight 4 7 0.5 ( -8 0 -10 )"), "{stderr}");
    assert!(stderr.contains('^'), "{stderr}");
}

#[test]
fn usage_and_missing_files_end_with_2() {
    assert_eq!(bindpose(&["info"]).status.code(), Some(2));
    let output = bindpose(&["info", "no-such.md5mesh"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no-such.md5mesh"));
    // The others are described.
    let output = bindpose(&["info", "no-such.md5mesh", "base.md5mesh", "../md5", "base.md5anim"]);
    assert_eq!(output.status.code(), Some(2));
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(out.contains("base.md5mesh: MD5 mesh") && out.contains("base.md5anim: "), "{out}");
    assert!(err.contains("cannot read no-such.md5mesh") && err.contains("help: give the model in it: "), "{err}");
    let archive = text(&bindpose(&["info", "../../../data/game/mannequin.pk4"]).stderr);
    assert!(archive.contains("it is an archive; name a model in it, such as "), "{archive}");
}

/// A temporary folder, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("bindpose-cli-{}-{test}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Only `play` lists its options. Where a command has many, they stand under headings, a dozen at most without one.
#[test]
fn help_is_short_and_has_headings() {
    let help = |arguments: &[&str]| text(&bindpose(arguments).stdout);
    let options = |part: &str| part.lines().filter(|line| line.trim_start().starts_with('-')).count();
    assert_eq!(options(&help(&["-h"])), 3, "--color, --help and --version");
    let names =
        ["play", "render", "methods", "compare", "bench", "convert", "info", "ls", "validate", "dump", "doctor"];
    for name in names {
        let help = help(&[name, "-h"]);
        let (before, rest) = help.split_once("\nOptions:\n").unwrap();
        let without_heading = rest.split("\n\n").next().unwrap();
        assert!((1..=12).contains(&options(without_heading)), "{name}: {without_heading}");
        assert_eq!(before.contains("Examples:"), help.contains("Examples:"), "{name}");
    }
    assert!(help(&["convert", "-h"]).contains("\n\nClips:\n"));
}

/// Both streams: a report, and the warning of a file that is loaded.
#[test]
fn colours_are_as_chosen() {
    let folder = Folder::new("colours");
    let path = &folder.write("a.md5mesh", "MD5Version 10\ncommandline \"\"\nnumJoints 1 x\n");
    let coloured = |arguments: &[&str]| {
        let output = bindpose(arguments);
        [output.stdout, output.stderr].map(|stream| text(&stream).contains("\u{1b}["))
    };
    assert_eq!(coloured(&["validate", path]), [false; 2]);
    assert_eq!(coloured(&["validate", path, "--color", "always"]), [true, false]);
    assert_eq!(coloured(&["--color=always", "render", path, "-o", "-"]), [false, true]);
    assert_eq!(coloured(&["validate", path, "--color", "never"]), [false; 2]);
}

/// Commands that print more than one line.
const PRINTING: [&[&str]; 9] = [
    &["methods"],
    &["methods", "--json"],
    &["explain"],
    &["info", "base.md5mesh", "base.md5anim"],
    &["info", "--json", "base.md5mesh"],
    &["dump", "base.md5mesh", "--stage", "document"],
    &["validate", "base.md5mesh"],
    &["validate", "base.md5mesh", "--format", "json"],
    &["--help"],
];

fn with_streams(arguments: &[&str], prepare: impl FnOnce(&mut Command)) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.args(arguments).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5"));
    prepare(&mut command);
    command.output().unwrap()
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    for arguments in PRINTING {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = with_streams(arguments, |command| {
            command.stdout(writer);
        });
        assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_reported() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    for arguments in PRINTING {
        let output = with_streams(arguments, |command| {
            command.stdout(full());
        });
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let stderr = text(&output.stderr);
        let sentence = "bindpose: cannot write to standard output: No space left on device";
        assert!(stderr.starts_with(sentence) && stderr.lines().count() == 1, "{arguments:?}: {stderr}");
    }
    // If the error message cannot be written, the exit code still shows the error.
    let missing = with_streams(&["info", "no-such.md5mesh"], |command| {
        command.stderr(full());
    });
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn no_control_byte_of_a_file_or_its_name_reaches_a_terminal() {
    let folder = Folder::new("control");
    let evil = "\u{1b}]0;owned\u{7}\u{9b}31m\u{202e}";
    let base = include_str!("cases/md5/base.md5mesh").replace("\"bone\"", &format!("\"{evil}\""));
    assert!(base.contains(evil));
    let named = folder.write(&format!("{evil}.md5mesh"), &base);
    let broken = folder.write(&format!("{evil}2.md5mesh"), &format!("MD5Version 10\n{evil} 3\n"));
    let missing = format!("{named}.not-there");
    let commands: [&[&str]; 9] = [
        &["info", &named],
        &["info", "--json", &named],
        &["info", "--batches", &named],
        &["dump", &named],
        &["dump", &named, "--stage", "document"],
        &["info", &broken],
        &["dump", &broken],
        &["info", &missing],
        &["info", &named, &format!("--{evil}")],
    ];
    for arguments in commands {
        let output = bindpose(arguments);
        for printed in [text(&output.stdout), text(&output.stderr)] {
            let raw = |c: &char| (c.is_control() && !matches!(c, '\n' | '\t')) || *c == '\u{202e}';
            assert_eq!(printed.chars().find(raw), None, "{arguments:?}: {printed:?}");
        }
    }
    let output = bindpose(&["info", "--json", &named]);
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found[0]["joints"][1]["name"], evil);
}

#[test]
fn the_output_for_a_small_file_is_short() {
    let folder = Folder::new("bounded");
    let mut mesh = String::from("MD5Version 10\ncommandline \"\"\nnumJoints 5000\nnumMeshes 0\njoints {\n");
    for joint in 0..5000 {
        mesh += &format!("\"{}{joint}\" {} ( 0 0 0 ) ( 0 0 0 )\n", "n".repeat(300), joint - 1);
    }
    let path = folder.write("deep.md5mesh", &(mesh + "}\n"));
    let output = bindpose(&["info", &path]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let stdout = text(&output.stdout);
    assert!(stdout.contains("5000 joints (1 root)") && stdout.contains("and 4000 more; --json lists them all"));
    assert!(stdout.len() < 300_000, "{} bytes", stdout.len());
    let found: serde_json::Value = serde_json::from_slice(&bindpose(&["info", "--json", &path]).stdout).unwrap();
    assert_eq!(found[0]["joints"].as_array().unwrap().len(), 5000);
}

/// A quarter of 4096 bytes is less than the sample's size, and a quarter of 4M is more.
#[test]
fn max_memory_limits_reading_in_every_command() {
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/data/md5/walk.md5anim");
    for command in [["info"].as_slice(), &["dump", "--stage", "model"], &["validate"]] {
        let refused = bindpose(&[command, &["--max-memory", "4096", sample]].concat());
        assert_ne!(refused.status.code(), Some(0), "{command:?}");
        let said = text(&refused.stdout) + &text(&refused.stderr);
        assert!(said.contains("files up to 1 KiB are read (--max-memory raises this)"), "{command:?}: {said}");
        let read = bindpose(&[command, &["--max-memory", "4M", sample]].concat());
        assert_eq!(read.status.code(), Some(0), "{command:?}");
    }
    // `--clip` is an option of `play`.
    let stray = bindpose(&["--clip", "walk", "info", sample]);
    assert_eq!(stray.status.code(), Some(2));
    assert!(text(&stray.stderr).contains("cannot stand before 'info'"), "{}", text(&stray.stderr));
    let unclear = bindpose(&["info", "--max-memory", "4Q", sample]);
    assert_eq!(unclear.status.code(), Some(2));
    assert!(text(&unclear.stderr).contains("'4Q' is not a size"));
}

/// A folder with links to a file elsewhere that is no model. Nothing of it is printed.
#[test]
#[cfg(unix)]
fn links_in_folders_show_no_other_files() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let secret = other.path().join("secret");
    fs::write(&secret, "hush:x:0\nhush { hush }\n").unwrap();
    for name in ["a.md5mesh", "a.md5anim", "a.x", "a.gltf", "materials/a.mtr", "def/a.def", "skins/a.skin", "af/a.af"] {
        let link = folder.path().join(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&secret, link).unwrap();
    }
    let model = folder.path().join("base.md5mesh");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5mesh"), &model).unwrap();
    let (folder, model) = (folder.path().to_str().unwrap(), model.to_str().unwrap());
    let (shots, converted) = (format!("{folder}/shots"), format!("{folder}/out"));
    for arguments in [
        &["validate", folder][..],
        &["validate", "--motion", "--format", "json", folder],
        &["validate", "--neighbours", model],
        &["info", model],
        &["ls", "--decls", folder],
        &["info", "--base", folder, "--entity", "hush"],
        &["snapshot", "record", "-o", &shots, folder],
        &["convert", folder, "--to", "glb", "-o", &converted],
    ] {
        let output = bindpose(arguments);
        for printed in [text(&output.stdout), text(&output.stderr)] {
            let printed = printed.replace("'hush'", "");
            assert!(!printed.contains("hush"), "{arguments:?}: {printed}");
        }
    }
}

/// Settings and ranges that were found, not named, are read through no link out of their folder. Broken ranges are a warning.
#[test]
#[cfg(unix)]
fn settings_and_ranges_are_no_links_to_other_files() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let secret = other.path().join("secret");
    fs::write(&secret, "hush:x:0\n").unwrap();
    let model = folder.path().join("base.md5mesh");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5mesh"), &model).unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        let output = command.args(arguments).current_dir(folder.path()).output().unwrap();
        (output.status.code(), [text(&output.stdout), text(&output.stderr)].concat())
    };
    let settings = folder.path().join("bindpose.toml");
    for link in ["bindpose.toml", "base.ranges.toml", "named.toml"] {
        std::os::unix::fs::symlink(&secret, folder.path().join(link)).unwrap();
    }
    for arguments in [&["validate", "base.md5mesh"][..], &["snapshot", "verify", "-s", ".", "base.md5mesh"]] {
        let (code, printed) = run(arguments);
        assert!(code == Some(2) && printed.contains("is outside") && !printed.contains("hush"), "{printed}");
    }
    // A named file is read, whatever it is.
    let (code, printed) = run(&["validate", "--config", "named.toml", "base.md5mesh"]);
    assert!(code == Some(2) && printed.contains("hush"), "{printed}");
    fs::remove_file(settings).unwrap();
    if cfg!(feature = "render") {
        // The image is drawn without them, and the file is at fault.
        let (code, printed) = run(&["render", "--size", "16x16", "-o", "a.png", "base.md5mesh"]);
        assert!(code == Some(1) && printed.contains("is outside") && !printed.contains("hush"), "{code:?} {printed}");
        fs::remove_file(folder.path().join("base.ranges.toml")).unwrap();
        fs::write(folder.path().join("base.ranges.toml"), "[[range]]\nname = 3\n").unwrap();
        let (code, printed) = run(&["render", "--size", "16x16", "-o", "a.png", "base.md5mesh"]);
        assert!(
            code == Some(1) && printed.contains("'base.ranges.toml' is left out: base.ranges.toml:2: invalid type"),
            "{code:?} {printed}"
        );
        let (code, printed) = run(&["validate", "--quiet", "base.md5mesh"]);
        assert!(code == Some(1) && printed.contains("error: base.ranges.toml"), "{code:?} {printed}");
    }
}

/// Files below a folder that the user named stay there, whatever links it has.
#[test]
#[cfg(unix)]
fn nothing_is_written_through_a_link_out_of_the_folder() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let base = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5mesh");
    let clip = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5anim");
    let mesh = fs::read_to_string(base).unwrap();
    fs::create_dir_all(folder.path().join("models/sub")).unwrap();
    for (name, text) in
        [("models/sub/a.md5mesh", mesh.clone()), ("models/sub/b.md5mesh", mesh.replace("numverts 4", "numverts 3"))]
    {
        fs::write(folder.path().join(name), text).unwrap();
    }
    for (output, link) in [
        ("glb", "sub"),
        ("fixed", "sub"),
        ("suite", "md5"),
        ("man", "bindpose.1"),
        ("frames", "1.png"),
        ("single", "x.bin"),
        ("clips", "base.md5anim"),
    ] {
        fs::create_dir(folder.path().join(output)).unwrap();
        std::os::unix::fs::symlink(
            other.path().join(if link.contains('.') { "file" } else { "" }),
            folder.path().join(output).join(link),
        )
        .unwrap();
    }
    for (arguments, code) in [
        (&["convert", "models", "-o", "glb", "--to", "glb", "--force"][..], 2),
        (&["convert", "models/sub/a.md5mesh", "-o", "single/x.gltf", "--force"], 2),
        (&["convert", base, clip, "-o", "clips/x.md5mesh", "--only-clips", "--force"], 2),
        (&["validate", "--fix", "-o", "fixed", "models"], 2),
        (&["generate", "conformance", "suite"], 2),
        (&["generate", "man", "man"], 2),
        #[cfg(feature = "render")]
        (&["render", base, "-o", "frames/%d.png", "--size", "16x16", "--turntable"], 2),
    ] {
        let run =
            Command::new(env!("CARGO_BIN_EXE_bindpose")).args(arguments).current_dir(folder.path()).output().unwrap();
        let printed = [text(&run.stdout), text(&run.stderr)].concat();
        if printed.contains("OpenGL") {
            crate::support::skip("draws nothing");
            continue;
        }
        assert!(run.status.code() == Some(code) && printed.contains("a link leads out of"), "{arguments:?}: {printed}");
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 0, "{arguments:?}: {printed}");
    }
}

/// Only `convert --force` replaces models: every other output that names one is refused, also through a link.
#[test]
fn images_and_reports_replace_no_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (model, clip, link) = (path("base.md5mesh"), path("base.md5anim"), path("link.png"));
    let linked = path("linked");
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5mesh"), &model).unwrap();
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5/base.md5anim"), &clip).unwrap();
    let before = [&model, &clip].map(|file| fs::read(file).unwrap());
    let shots = path("shots");
    assert_eq!(bindpose(&["snapshot", "record", "-o", &shots, &model]).status.code(), Some(0));
    #[cfg(unix)]
    {
        fs::create_dir(&linked).unwrap();
        std::os::unix::fs::symlink(&model, &link).unwrap();
        std::os::unix::fs::symlink(&model, path("linked/base.md5mesh.snapshot")).unwrap();
    }
    for arguments in [
        &["generate", "associations", model.as_str()][..],
        &["snapshot", "verify", "-s", &shots, "--junit", &clip],
        &["render", &model, "--size", "8", "--format", "png", "-o", &clip],
        #[cfg(unix)]
        &["render", &model, "--size", "8", "-o", &link],
        #[cfg(unix)]
        &["snapshot", "record", "-o", &linked, &model],
        #[cfg(unix)]
        &["snapshot", "update", "-s", &linked, &model],
    ] {
        let output = bindpose(arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
        let refusals = ["is a model or a clip", "OpenGL", "it is outside ", "a link leads out of "];
        assert!(refusals.iter().any(|refusal| errors.contains(refusal)), "{arguments:?}: {errors}");
    }
    assert_eq!([&model, &clip].map(|file| fs::read(file).unwrap()), before);
}

/// Options of loading, and the commands that use them.
#[test]
fn options_without_effect_are_rejected() {
    let options = [
        ("--max-memory", "1G", &["methods", "explain", "generate"][..]),
        ("--base", "base", &["methods", "explain", "generate", "doctor", "snapshot show"]),
        ("--game", "mod", &["methods", "explain", "generate", "doctor", "snapshot show"]),
        ("--entity", "imp", &["methods", "explain", "generate", "doctor", "snapshot show", "ls", "validate"]),
        ("--model", "imp", &["methods", "explain", "generate", "doctor", "snapshot show", "ls", "validate"]),
        ("--skin", "red", &["methods", "explain", "generate", "doctor", "snapshot show", "ls", "validate"]),
    ];
    let commands = [
        "play",
        "render",
        "compare",
        "bench",
        "convert",
        "info",
        "ls",
        "validate",
        "dump",
        "doctor",
        "methods",
        "explain",
        "generate",
        "snapshot show",
    ];
    for (option, value, without) in options {
        for command in commands {
            let words: Vec<&str> = command.split(' ').collect();
            let output = bindpose(&[&words, &[option, value, "--no-such-option"][..]].concat());
            let said = text(&output.stderr);
            let expected = if without.contains(&command) { option } else { "--no-such-option" };
            assert!(said.contains(&format!("unexpected argument '{expected}'")), "{command} {option}: {said}");
        }
        let output = bindpose(&[option, value, "--no-such-option"]);
        assert!(text(&output.stderr).contains("'--no-such-option'"), "{option}: {}", text(&output.stderr));
    }
}
