//! Folders of models.

use super::{TURNING, convert, json_of, text};

#[test]
fn whole_folders_are_converted_and_one_failure_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, content: &str| {
        let path = folder.path().join("models").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    };
    put("a/mob.x", TURNING);
    put("b/mob.x", TURNING);
    put("broken.x", "xof 0303txt 0032 Mesh { 3; 1;2;");
    put("readme.txt", "no model");
    let run = convert(folder.path(), &["models", "-o", "out", "--to", "glb"]);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
    assert!(text(&run.stdout).ends_with("2 converted, 1 failed\n"), "{}", text(&run.stdout));
    for name in ["out/a/mob.glb", "out/b/mob.glb"] {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    let old = std::time::SystemTime::UNIX_EPOCH;
    let input = std::fs::File::options().write(true).open(folder.path().join("models/a/mob.x")).unwrap();
    input.set_modified(old).unwrap();
    let output = std::fs::File::options().write(true).open(folder.path().join("out/b/mob.glb")).unwrap();
    output.set_modified(old).unwrap();
    let run = convert(folder.path(), &["models", "-o", "out", "--to", "glb", "--newer", "--json"]);
    let report = json_of(&run);
    assert_eq!([&report["converted"], &report["skipped"], &report["failed"]], [1, 1, 1], "{report}");
    assert_eq!(report["models"][2]["result"], "failed");
    assert!(report["models"][2]["errors"][0].is_string(), "{report}");
    // MD5 clips of two models may have the same name.
    let run = convert(folder.path(), &["models/a", "models/b/mob.x", "-o", "md5", "--to", "md5"]);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stdout));
    assert_eq!(text(&run.stdout).matches("would become the same file").count(), 2, "{}", text(&run.stdout));
    let run = convert(folder.path(), &["models/a", "-o", "md5", "--to", "md5"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(folder.path().join("md5/mob/turn.md5anim").exists());
    assert_eq!(convert(folder.path(), &["models/a", "-o", "one.glb"]).status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn names_that_differ_in_bytes_that_are_no_text_are_two_files() {
    use std::os::unix::ffi::OsStrExt;
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    std::fs::create_dir(&models).unwrap();
    for name in [b"mob\xfe.x", b"mob\xff.x"] {
        std::fs::write(models.join(std::ffi::OsStr::from_bytes(name)), TURNING).unwrap();
    }
    let run = convert(folder.path(), &["models", "-o", "out", "--to", "glb"]);
    assert!(text(&run.stdout).ends_with("2 converted, 0 failed\n"), "{}", text(&run.stdout));
    for name in ["mob\u{fffd}fe.glb", "mob\u{fffd}ff.glb"] {
        assert!(folder.path().join("out").join(name).exists(), "{name}");
    }
}
