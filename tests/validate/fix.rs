//! Repairs: what is done is said, the result validates, and no file is ever written over.

use bindpose::diagnostic::Severity;
use bindpose::validate::fix::{self, Fixed};
use bindpose::validate::profiles::{Effect, Profile};
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, Validation, check};
use std::path::{Path, PathBuf};

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");

/// A mesh whose second joint is the first one's parent.
const CHILD_FIRST: &str = "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {\n\
    \t\"bone\" 1 ( 0 0 10 ) ( 0 0 0 )\n\t\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n\
    mesh {\n\tshader \"s\"\n\tnumverts 1\n\tvert 0 ( 0 0 ) 0 1\n\tnumtris 0\n\tnumweights 1\n\
    \tweight 0 0 1 ( 1 2 3 )\n}\n";

fn report(mesh: &str, anim: Option<&str>) -> Validation {
    let file = |path: &str, text: &str| Input { path: PathBuf::from(path), bytes: Ok(text.as_bytes().to_vec()) };
    let mut files = vec![file("m.md5mesh", mesh)];
    files.extend(anim.map(|anim| file("m.md5anim", anim)));
    check(files, &Options::default())
}

fn codes(report: &Validation, file: usize) -> Vec<&str> {
    report.files[file].findings.iter().map(|finding| finding.code.id).collect()
}

fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in the file");
    text.replacen(from, to, 1)
}

struct Case {
    /// Code that is there before and gone afterwards.
    code: &'static str,
    mesh: String,
    anim: Option<String>,
    /// Words of what was done.
    done: &'static str,
    /// What the new file holds.
    holds: &'static str,
}

fn mesh_case(code: &'static str, from: &str, to: &str, done: &'static str, holds: &'static str) -> Case {
    Case { code, mesh: edited(MESH, from, to), anim: None, done, holds }
}

fn anim_case(code: &'static str, from: &str, to: &str, done: &'static str, holds: &'static str) -> Case {
    Case { code, mesh: MESH.to_owned(), anim: Some(edited(ANIM, from, to)), done, holds }
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            code: "MD5M105",
            mesh: CHILD_FIRST.to_owned(),
            anim: None,
            done: "joints stand behind their parents now",
            // The weight follows its joint to the new place.
            holds: "weight 0 1 1",
        },
        mesh_case("MD5M002", "commandline \"x\"\n", "", "MD5M002", "commandline \"\""),
        mesh_case("MD5M009", "( -8 0 -10 )", "(-8 0 -10)", "MD5M009", "( -8 0 -10 )"),
        mesh_case("MD5M011", "weight 1 0 1 ( 8", "weight 1 0 1 ( 08", "MD5M011", "weight 1 0 1 ( "),
        mesh_case("MD5M204", "weight 3 0 0.5", "weight 3 0 1.5", "of 1 vertices of mesh 0 sum to 1", "weight 3 0 0.75"),
        // The order of the numbers, each of which is there once.
        mesh_case(
            "MD5M211",
            "weight 1 0 1 ( 8 0 0 )\n\tweight 2 0 1 ( 8 8 0 )",
            "weight 2 0 1 ( 8 8 0 )\n\tweight 1 0 1 ( 8 0 0 )",
            "the weights of mesh 0 stand in the order of their numbers",
            "weight 1 0 1 ( 8 0 0 )\n\tweight 2 0 1 ( 8 8 0 )",
        ),
        mesh_case("MD5M211", "tri 1 ", "tri 7 ", "the tris of mesh 0 are numbered by their order", "tri 1 0 3 2"),
        mesh_case("MD5M213", "tri 1 0 3 2", "tri 1 0 3 3", "used a vertex twice are gone", "numtris 1"),
        mesh_case("MD5M212", "numverts 4", "numverts 3", "MD5M212", "numverts 4"),
        mesh_case("MD5M027", "numMeshes 1", "numMeshes 1\nnumMeshes 1", "MD5M027", "numMeshes 1"),
        anim_case(
            "MD5A206",
            "\"bone\"\t0 36 1",
            "\"bone\"\t0 0 9",
            "the first component of 1 joints that store nothing is 0",
            "\"bone\"\t0 0 0",
        ),
        anim_case("MD5P009", "frameRate", "frameRate", "the boxes of 3 frames are computed", "bounds {"),
        anim_case("MD5A220", "( -1 -1 -1 ) ( 1 1 1 )", "( 1 1 1 ) ( -1 -1 -1 )", "computed from the mesh", "bounds {"),
        anim_case("MD5A208", "\t( -3 -3 -3 ) ( 3 3 3 )\n", "", "computed from the mesh", "bounds {"),
        anim_case("MD5A002", "commandline \"\"\n", "", "MD5A002", "commandline \"\""),
        anim_case("MD5A011", "\t10 0\n", "\t010 0\n", "MD5A011", "frame 0"),
    ]
}

fn words(fixed: &[Fixed], file: usize) -> String {
    fixed
        .iter()
        .filter(|fixed| fixed.file == file)
        .flat_map(|fixed| &fixed.done)
        .map(|done| format!("{done}\n"))
        .collect()
}

#[test]
fn repairs_are_listed_and_the_result_validates() {
    let selection = Selection::default();
    for case in cases() {
        let before = report(&case.mesh, case.anim.as_deref());
        let file = usize::from(case.anim.is_some());
        assert!(codes(&before, file).contains(&case.code), "{}: only {:?}", case.code, codes(&before, file));
        let fixed = fix::fix(&before, &Options::default()).fixed;
        let done = words(&fixed, file);
        assert!(done.contains(case.done), "{}: {done}", case.code);
        let new = fixed.iter().find(|fixed| fixed.file == file).expect("a repaired file");
        let text = String::from_utf8_lossy(&new.bytes);
        assert!(text.contains(case.holds), "{}: {text}", case.code);

        let after = fix::recheck(&before, &fixed, &Options::default());
        for report_file in 0..after.files.len() {
            assert!(!codes(&after, report_file).contains(&case.code), "{}: {text}", case.code);
            for finding in &after.files[report_file].findings {
                assert!(selection.severity(finding) < Some(Severity::Error), "{}: {}", case.code, finding.message);
            }
        }
        // What is repaired needs no repair.
        assert_eq!(fix::fix(&after, &Options::default()).fixed, [], "{}", case.code);
    }
}

#[test]
fn what_would_need_guessing_stays() {
    for (from, to) in [("weight 4 1", "weight 4 9"), ("numJoints 2", "numJoints x"), ("\"bone\"\t0", "\"bone\"\t7")] {
        let before = report(&edited(MESH, from, to), None);
        for fixed in fix::fix(&before, &Options::default()).fixed {
            let text = String::from_utf8_lossy(&fixed.bytes);
            assert!(!to.contains('x') && text.contains(to), "{to}: {text}");
        }
    }
}

#[test]
fn a_sound_file_is_left_alone() {
    let sound = ANIM
        .replace("( -1 -1 -1 ) ( 1 1 1 )", "( 1 6 7 ) ( 13 14 7 )")
        .replace("( -2 -2 -2 ) ( 2 2 2 )", "( 1 6 7 ) ( 99 99 99 )")
        .replace("( -3 -3 -3 ) ( 3 3 3 )", "( -99 -99 -99 ) ( 99 99 99 )");
    let before = report(MESH, Some(&sound));
    let doom3 = Profile::find("doom3").expect("a profile");
    for file in &before.files {
        let judgement = file.judgements.iter().find(|judgement| judgement.profile == doom3).expect("a judgement");
        assert!(judgement.effect <= Effect::Note);
    }
    assert!(
        fix::fix(&before, &Options::default()).fixed.iter().all(|fixed| fixed.file != 0),
        "{:?}",
        fix::fix(&before, &Options::default()).fixed
    );
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("ours");
    }
    folder
}

#[test]
fn nothing_is_written_over() {
    let folder = folder("validate_fix_over");
    let (old, new) = (folder.join("in/deep/m.md5mesh"), folder.join("out"));
    std::fs::create_dir_all(old.parent().expect("a folder")).expect("writable");
    std::fs::write(&old, "old").expect("writable");
    let roots = [folder.join("in")];

    // Below a folder that was named, a file keeps its place.
    let target = fix::write(&new, &old, &roots, b"new").expect("writable");
    assert_eq!(target, new.join("deep/m.md5mesh"));
    assert_eq!(std::fs::read(&target).expect("readable"), b"new");
    // A second time it is there.
    let again = fix::write(&new, &old, &roots, b"newer").expect_err("the file is there");
    assert_eq!(again.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&target).expect("readable"), b"new");
    // Into the folder of the old files nothing goes.
    let onto = fix::write(&folder.join("in"), &old, &roots, b"newer").expect_err("the file is there");
    assert_eq!(onto.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&old).expect("readable"), b"old");
    // No temporary files are left.
    let left: Vec<_> = std::fs::read_dir(new.join("deep")).expect("a folder").collect();
    assert_eq!(left.len(), 1);
}
