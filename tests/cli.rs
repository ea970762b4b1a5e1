//! The command line: exit codes and which stream what goes to.

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
}
