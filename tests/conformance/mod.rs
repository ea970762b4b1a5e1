//! The conformance suite, run with our own library and with independent readers.

use crate::support::skip;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

fn bindpose() -> Command {
    Command::new(env!("CARGO_BIN_EXE_bindpose"))
}

/// Returns the folder of the suite, which is written once for all tests.
fn suite() -> &'static Path {
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("conformance");
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("the suite of an earlier run can be removed");
        }
        let output = bindpose().args(["generate", "conformance"]).arg(&folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        folder
    });
    &FOLDER
}

/// Returns `rules.json`.
fn rules() -> Value {
    serde_json::from_str(&fs::read_to_string(suite().join("rules.json")).unwrap()).unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn our_library_keeps_every_rule() {
    let output = bindpose().arg("conformance").output().unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    assert!(printed(&output).contains(" rules (100 %).\n"), "{}", printed(&output));
}

/// Returns the FNV-1a hash of the names and bytes of all files except the texts for people.
fn digest(rules: &Value) -> u64 {
    let files = rules["rules"].as_array().unwrap().iter().map(|rule| rule["file"].as_str().unwrap());
    let bytes = files.flat_map(|file| [file.as_bytes().to_vec(), fs::read(suite().join(file)).unwrap()].concat());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// A change of a file requires a higher `EDITION` and both new numbers here.
#[test]
fn files_of_an_edition_never_change() {
    let rules = rules();
    let found = (rules["edition"].as_u64().unwrap(), digest(&rules));
    assert_eq!(found, (1, 12_613_416_696_351_379_985));
}

#[test]
fn the_page_of_the_suite_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/conformance.md");
    let made = fs::read_to_string(suite().join("README.md")).unwrap();
    if std::env::var_os("BINDPOSE_WRITE_DOCS").is_some() {
        fs::write(&path, &made).expect("docs/conformance.md written");
    }
    let kept = fs::read_to_string(&path).expect("docs/conformance.md");
    assert!(made == kept, "run BINDPOSE_WRITE_DOCS=1 cargo test --test all conformance");
}

#[test]
fn existing_files_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rules.json"), "mine").unwrap();
    let output = bindpose().args(["generate", "conformance"]).arg(folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the other files are not written");
}

/// Runs a script of this folder on the suite. Without Python, prints a line and returns `None`.
fn python(script: &str) -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance").join(script);
    let Ok(output) = Command::new("python3").arg(script).arg(suite()).output() else {
        skip("no independent reader of the conformance suite: python3 is not installed");
        return None;
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(printed(&output))
}

/// Another decoder finds the same words in binary and compressed files as in the text they were made from.
#[test]
fn encodings_have_the_same_words() {
    let Some(text) = python("decode.py") else { return };
    assert_eq!(text, "36 compared\n");
}

/// Returns the output of a score, and the share of rules kept in percent.
fn share_of(results: &str) -> (String, u32) {
    let text = printed(&scored(results));
    let share = text.split_once(" rules (").and_then(|(_, rest)| rest.split_once(" %)")).unwrap().0.parse().unwrap();
    (text, share)
}

/// A simple reader of meshes agrees about everything that it reads, and breaks some rules.
#[test]
fn a_simple_reader_keeps_most_rules() {
    let Some(results) = python("naive.py") else { return };
    let (text, share) = share_of(&results);
    let broken = |name: &str| text.contains(&format!("\nmd5/{name}.md5mesh: "));
    assert!(broken("mesh-pair") && broken("vertex-beyond-the-weights") && !broken("joint-in-model-space"), "{text}");
    assert!((75..95).contains(&share), "{text}");
}

/// assimp agrees about joints, skins, clips and encodings, and breaks other rules, depending on its version.
#[test]
fn assimp_keeps_most_rules() {
    if Command::new("assimp").arg("version").output().is_err() {
        skip("assimp did not run the conformance suite: assimp-utils is not installed");
        return;
    }
    let Some(results) = python("assimp.py") else { return };
    let (text, share) = share_of(&results);
    for kept in [
        "md5/joint-in-model-space.md5mesh",
        "md5/joint-names-equal.md5mesh",
        "x/binary/arm.x",
        "x/binary-compressed/swing.x",
        "x/text/frame-axes.x",
    ] {
        assert!(!text.contains(&format!("\n{kept}: ")), "{text}");
    }
    assert!((60..95).contains(&share), "{text}");
    // It plays every clip at 24 frames a second.
    assert!(text.contains("\n  files that change this one and fail alike: md5/bounds-missing.md5anim, "), "{text}");
    let rules = rules();
    for broken in ["md5/words-one-line.md5mesh", "md5/words-glued-brackets.md5mesh", "md5/clip-rate.md5anim"] {
        assert!(text.contains(&format!("\n{broken}: ")), "{text}");
        let rule = rules["rules"].as_array().unwrap().iter().find(|rule| rule["file"] == broken).unwrap();
        let answer = rule["engines"]["assimp"].as_str().unwrap();
        assert!(answer.starts_with("misreads"), "{broken}: {answer}");
    }
}

/// Scores results that a loader could print.
fn score(files: &str) -> Output {
    scored(&format!("{{ \"loader\": \"mine\", \"files\": {{ {files} }} }}"))
}

fn scored(results: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("results.json");
    fs::write(&file, results).unwrap();
    bindpose().arg("conformance").arg(&file).output().unwrap()
}

#[test]
fn each_kind_of_fault_is_counted() {
    let output = score(
        r#""md5/flag.md5mesh": { "loads": true, "poses": [{ "triangles": [
               [[0, 8, 0], [0, 0, 0], [0, 8, 10]], [[0, 0, 10], [0, 8, 10], [0, 0, 0]]] }] },
           "md5/shader.md5mesh": { "loads": true, "poses": [] },
           "md5/comment-line.md5mesh": { "loads": true, "poses": [{ "triangles": [
               [[0, 0, 0], [0, 8, 0], [0, 8, 10]], [[0, 0, 0], [0, 0, 10], [0, 8, 10]]] }] },
           "md5/comment-block.md5mesh": { "loads": false, "error": "unexpected /*" },
           "md5/number-nan.md5mesh": { "loads": false },
           "md5/triangle-beyond.md5mesh": { "loads": true },
           "md5/number-huge-count.md5mesh": { "loads": false, "crashes": true }"#,
    );
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.starts_with("mine keeps 1 of 5 rules (20 %); "), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("all ")).unwrap();
    let numbers: Vec<&str> = row.split_whitespace().skip(1).take(8).collect();
    assert_eq!(numbers, ["1", "5", "1", "1", "1", "1", "0", "1"], "{text}");
    for line in [
        "md5/comment-line.md5mesh: no triangle is (0, 0, 0) (0, 8, 10) (0, 8, 0); it is there the other way round",
        "md5/comment-block.md5mesh: refused: unexpected /*",
        "md5/triangle-beyond.md5mesh: loaded, and should be refused",
        "md5/number-huge-count.md5mesh: crashed or hung",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

/// A bug that already shows in the file that others change counts once.
#[test]
fn files_that_fail_as_the_changed_one_follow_it() {
    let posed = |x: u32| {
        let corner = format!("[[{x}, 0, 0], [0, 8, 10], [0, 8, 0]]");
        let pose = format!(r#"{{ "triangles": [{corner}, {corner}] }}"#);
        format!(r#"{{ "loads": true, "poses": [{pose}, {pose}] }}"#)
    };
    let (late, later) = (posed(8), posed(9));
    let refused = r#"{ "loads": false, "error": "no" }"#;
    let output = score(&format!(
        r#""md5/wave.md5anim": {late}, "md5/clip-comments.md5anim": {late}, "md5/clip-rate.md5anim": {later},
           "md5/flag.md5mesh": {refused}, "md5/shader.md5mesh": {refused}, "x/text/arm.x": {refused}"#
    ));
    let text = printed(&output);
    assert!(text.starts_with("mine keeps 0 of 4 rules (0 %); "), "{text}");
    let row = text.lines().find(|line| line.trim_start().starts_with("all ")).unwrap();
    assert_eq!(row.split_whitespace().skip(1).take(7).collect::<Vec<_>>(), ["0", "4", "2", "2", "0", "0", "2"]);
    let wave = text.split_once("\nmd5/wave.md5anim: at 0 s no triangle is ").unwrap().1;
    assert!(wave.contains("\n  files that change this one and fail alike: md5/clip-comments.md5anim\n"), "{text}");
    assert!(!text.contains("\nmd5/clip-comments.md5anim: ") && text.contains("\nmd5/clip-rate.md5anim: "), "{text}");
}

#[test]
fn results_that_are_not_understood_are_an_error() {
    let output = score("\"a\": 1");
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && words.contains("cannot understand"), "{words}");
    let output = score("\"md5/none.md5mesh\": { \"loads\": false }");
    let words = String::from_utf8(output.stderr).unwrap();
    assert!(words.contains("the suite has no file 'md5/none.md5mesh'"), "{words}");
    let many: Vec<String> = (0..2000).map(|number| format!("\"{number}.x\": {{ \"loads\": false }}")).collect();
    let words = String::from_utf8(score(&many.join(", ")).stderr).unwrap();
    assert_eq!(words.lines().count(), 11, "{words}");
    assert!(words.ends_with("nor 1990 further files (--json lists them)\n"), "{words}");
}
