//! Parts of a store: a studio updates, renames, deletes and reviews, and no snapshot is lost.

use super::command::{ANIM, MESH, Workshop};
use super::figure::figure;
use bindpose::model::{Model, Transform};
use bindpose::snapshot::{Snapshot, assert_unchanged, runs_in_ci};
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;
use std::fs;
use std::panic::AssertUnwindSafe;
use std::path::Path;

/// Creates three folders with two models each, recorded.
fn studio() -> Workshop {
    let workshop = Workshop::empty();
    for folder in ["weapons", "monsters", "props/big"] {
        for (name, x) in [("one", 13), ("two", 14)] {
            workshop.write(&format!("models/{folder}/{name}/{name}.md5mesh"), MESH);
            workshop.write(&format!("models/{folder}/{name}/idle.md5anim"), &moved(&format!("{x}.{}", folder.len())));
        }
    }
    workshop.run(&["record", "models", "-o", "shots"]).expect(0, &["recorded 6 models, 6 clips"]);
    workshop
}

/// Returns the clip with another x of the bone in frame 1.
fn moved(x: &str) -> String {
    assert!(ANIM.contains("\t12 0.5"));
    ANIM.replace("\t12 0.5", &format!("\t{x} 0.5"))
}

/// Returns every file of the store with its bytes.
fn store(workshop: &Workshop) -> BTreeMap<String, Vec<u8>> {
    fn add(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            match entry.path().is_dir() {
                true => add(&entry.path(), &format!("{name}/"), files),
                false => drop(files.insert(name, fs::read(entry.path()).unwrap())),
            }
        }
    }
    let mut files = BTreeMap::new();
    add(&workshop.path("shots"), "", &mut files);
    files
}

/// Returns the names of files that changed, are new, or were removed.
fn changes(before: &BTreeMap<String, Vec<u8>>, after: &BTreeMap<String, Vec<u8>>) -> Vec<String> {
    let all: BTreeMap<_, _> = before.iter().chain(after).collect();
    all.keys().filter(|name| before.get(**name) != after.get(**name)).map(|name| (*name).clone()).collect()
}

const SWORD: &str = "weapons/one/one.md5mesh.snapshot";

#[test]
fn a_month_of_a_studio_loses_no_snapshot() {
    let workshop = studio();
    let start = store(&workshop);
    assert_eq!(start.len(), 7, "six snapshots and the root: {:?}", start.keys());

    // Monday: a weapon and a monster change, and the weapons' artist updates the weapons.
    workshop.write("models/weapons/one/idle.md5anim", &moved("20"));
    workshop.write("models/monsters/one/idle.md5anim", &moved("21"));
    let ran = workshop.run(&["update", "models/weapons", "-s", "shots", "--prune"]);
    ran.expect(0, &["changed  weapons/one/one.md5mesh", "1 snapshot written, 0 deleted, 1 unchanged"]);
    let monday = store(&workshop);
    assert_eq!(changes(&start, &monday), [SWORD]);
    workshop.run(&["verify", "-s", "shots"]).expect(1, &["6 models: 5 same, 1 changed", "changed  monsters/one/"]);

    // Tuesday: the same by a pattern, by a path from the root, and by a file.
    let part = |arguments: &[&str]| {
        let ran = workshop.run(&[&["verify", "-o", "shots"], arguments].concat());
        ran.text.lines().last().unwrap_or_default().to_owned()
    };
    assert_eq!(part(&["--only", "weapons/**"]), "2 models: 2 same");
    assert_eq!(part(&["weapons"]), "2 models: 2 same");
    assert_eq!(part(&["models/props/big/../big/two"]), "1 model: 1 same");
    assert_eq!(part(&["models/monsters/one/one.md5mesh"]), "1 model: 1 changed");
    assert_eq!(part(&["--only", "*/one/*", "--only", "props/*"]), "4 models: 3 same, 1 changed");

    // Wednesday: a monster and a prop are deleted. Pruning the monsters keeps the prop's snapshot.
    fs::remove_dir_all(workshop.path("models/monsters/two")).unwrap();
    fs::remove_dir_all(workshop.path("models/props/big/two")).unwrap();
    let ran = workshop.run(&["update", "-s", "shots", "--only", "monsters/**", "--prune"]);
    ran.expect(0, &["deleted  monsters/two/two.md5mesh", "1 snapshot written, 1 deleted, 0 unchanged"]);
    let wednesday = store(&workshop);
    let expected = ["monsters/one/one.md5mesh.snapshot", "monsters/two/two.md5mesh.snapshot"];
    assert_eq!(changes(&monday, &wednesday), expected);
    workshop.run(&["verify", "-s", "shots"]).expect(0, &["5 models: 4 same, 1 removed", "removed  props/big/two/"]);

    // Thursday: a weapon is renamed. Updating the part with both names moves its snapshot.
    fs::rename(workshop.path("models/weapons/two"), workshop.path("models/weapons/blade")).unwrap();
    workshop.run(&["update", "models/weapons/blade", "-s", "shots"]).expect(0, &["added    weapons/blade/two.md5mesh"]);
    fs::remove_file(workshop.path("shots/weapons/blade/two.md5mesh.snapshot")).unwrap();
    let ran = workshop.run(&["update", "models/weapons", "-s", "shots"]);
    ran.expect(
        0,
        &["renamed  weapons/blade/two.md5mesh: was weapons/two/two.md5mesh", "1 written".trim_start_matches("1 ")],
    );
    let thursday = store(&workshop);
    let expected = ["weapons/blade/two.md5mesh.snapshot", "weapons/two/two.md5mesh.snapshot"];
    assert_eq!(changes(&wednesday, &thursday), expected);

    // Friday: a part is recorded again, and a folder elsewhere is refused.
    workshop.run(&["record", "models/weapons/one", "-o", "shots"]).expect(0, &["recorded 1 model"]);
    workshop.write("elsewhere/one.md5mesh", MESH);
    for command in ["record", "update", "verify", "review"] {
        let ran = workshop.run(&[command, "elsewhere", "-s", "shots"]);
        assert!(ran.code == 2 && ran.errors.contains("elsewhere is not below "), "{command}: {}", ran.errors);
    }
    assert_eq!(changes(&thursday, &store(&workshop)), Vec::<String>::new());
}

/// A clip that is named alone belongs to the mesh next to it.
#[test]
fn a_clip_of_a_part_is_no_model_of_its_own() {
    let workshop = studio();
    let before = store(&workshop);
    let ran = workshop.run(&["update", "models/weapons/one/idle.md5anim", "-s", "shots"]);
    assert_eq!(ran.code, 2, "nothing is selected: {}", ran.text);
    workshop.run(&["update", "-s", "shots", "--only", "weapons/one/*"]).expect(0, &["0 deleted, 1 unchanged"]);
    assert_eq!(changes(&before, &store(&workshop)), Vec::<String>::new());
}

/// The store and the models are moved together, or the root is given.
#[test]
fn the_root_is_found_from_anywhere() {
    let workshop = studio();
    fs::create_dir_all(workshop.path("moved")).unwrap();
    for folder in ["models", "shots"] {
        fs::rename(workshop.path(folder), workshop.path("moved").join(folder)).unwrap();
    }
    workshop.run(&["verify", "-s", "moved/shots"]).expect(0, &["6 models: 6 same"]);
    fs::rename(workshop.path("moved/models"), workshop.path("built")).unwrap();
    assert_eq!(workshop.run(&["verify", "-s", "moved/shots"]).code, 2);
    workshop.run(&["verify", "-s", "moved/shots", "--root", "built"]).expect(0, &["6 models: 6 same"]);
    let before = fs::read(workshop.path("moved/shots/store.json")).unwrap();
    workshop.run(&["update", "-s", "moved/shots", "--root", "built"]).expect(0, &["6 unchanged"]);
    assert_eq!(fs::read(workshop.path("moved/shots/store.json")).unwrap(), before, "the root is as recorded");
    // Without a recorded root, the command does not guess.
    fs::remove_file(workshop.path("moved/shots/store.json")).unwrap();
    let ran = workshop.run(&["update", "built/weapons", "-s", "moved/shots", "--prune"]);
    assert!(ran.code == 2 && ran.errors.contains("records no root"), "{}", ran.errors);
    workshop.run(&["update", "built/weapons", "-s", "moved/shots", "--root", "built"]).expect(0, &["2 unchanged"]);
}

/// The root is recorded as a path from the store, wherever the two lie and whatever the current folder is.
#[test]
fn a_root_is_a_path_from_the_store() {
    for (root, store, recorded) in [
        ("models", "shots", "../models"),
        ("models", "a/b/shots", "../../../models"),
        (".", "tests/shots", "../.."),
        ("models", "models", "."),
        ("models/in", "models", "in"),
    ] {
        let workshop = Workshop::empty();
        workshop.write("models/in/one.md5mesh", MESH);
        workshop.run(&["record", root, "-o", store]).expect(0, &["recorded 1 model"]);
        let text = fs::read_to_string(workshop.path(store).join("store.json")).unwrap();
        assert_eq!(text, format!("{{\n  \"root\": \"{recorded}\"\n}}\n"));
        let store = workshop.path(store);
        workshop.run(&["verify", "-s", store.to_str().unwrap(), "--ci"]).expect(0, &["1 model: 1 same"]);
    }
}

#[test]
fn an_empty_root_deletes_no_snapshot() {
    let workshop = studio();
    let before = store(&workshop);
    fs::rename(workshop.path("models"), workshop.path("away")).unwrap();
    fs::create_dir(workshop.path("models")).unwrap();
    let ran = workshop.run(&["update", "-s", "shots", "--prune"]);
    assert!(ran.code == 2 && ran.errors.contains("has no models"), "{}", ran.errors);
    assert_eq!(changes(&before, &store(&workshop)), Vec::<String>::new());
}

/// A part or the parent given as root would rename every snapshot, and `--prune` would delete the others.
#[test]
fn a_root_in_or_around_the_recorded_one_is_refused() {
    let workshop = studio();
    let before = store(&workshop);
    for (root, relation) in [("models/weapons", "models/weapons is in "), (".", ". is around ")] {
        for arguments in [
            &["update", "-s", "shots", "--prune", "--root", root][..],
            &["update", "models/weapons", "-s", "shots", "--root", root],
            &["record", "-o", "shots", "--root", root],
        ] {
            let ran = workshop.run(arguments);
            assert!(ran.code == 2 && ran.errors.contains(relation), "{arguments:?}: {}", ran.errors);
        }
    }
    assert_eq!(changes(&before, &store(&workshop)), Vec::<String>::new());
    workshop.run(&["update", "-s", "shots", "--root", "models"]).expect(0, &["6 unchanged"]);
}

#[test]
fn review_goes_through_changes_one_by_one() {
    let workshop = studio();
    workshop.write("models/weapons/one/idle.md5anim", &moved("20"));
    workshop.write("models/weapons/two/idle.md5anim", &moved("21"));
    fs::remove_dir_all(workshop.path("models/props/big/two")).unwrap();
    let before = store(&workshop);
    let review = |answers: &str| workshop.answer(&["review", "-s", "shots"], answers);
    // At the end of the input, the remaining changes are left.
    review("").expect(1, &["(1 of 3) changed  weapons/one/one.md5mesh", "0 changes accepted, 3 left"]);
    review("what\ns\ns\nq\n")
        .expect(1, &["type a, r, s, i or q", "(3 of 3) removed  props/big/two", "0 changes accepted"]);
    assert_eq!(changes(&before, &store(&workshop)), Vec::<String>::new());
    review("s\na\ns\n").expect(1, &["clip 'idle': joints differ in 1 of 3 frames", "1 change accepted, 2 left"]);
    let after = store(&workshop);
    assert_eq!(changes(&before, &after), ["weapons/two/two.md5mesh.snapshot"]);
    review("accept\nA\n").expect(0, &["2 changes accepted, 0 left"]);
    assert_eq!(changes(&after, &store(&workshop)), ["props/big/two/two.md5mesh.snapshot", SWORD]);
    review("").expect(0, &["0 changes accepted, 0 left"]);
}

/// Two clips of a model differ: each is a change of its own, and is accepted alone.
#[test]
fn clips_are_accepted_one_by_one() {
    let workshop = Workshop::empty();
    workshop.write("models/boss.md5mesh", MESH);
    let write = |walk: &str, run: &str| {
        workshop.write("models/walk.md5anim", &moved(walk));
        workshop.write("models/run.md5anim", &moved(run));
    };
    write("13", "14");
    workshop.run(&["record", "models", "-o", "shots"]).expect(0, &["recorded 1 model, 2 clips"]);
    write("20", "21");
    let before = store(&workshop);
    let review = |answers: &str| workshop.answer(&["review", "-s", "shots"], answers);
    review("r\ns\n")
        .expect(1, &["(1 of 2) changed  boss.md5mesh", "(2 of 2)", "0 changes accepted, 1 rejected, 1 left"]);
    assert_eq!(changes(&before, &store(&workshop)), Vec::<String>::new());
    let ran = workshop.run(&["accept", "-s", "shots", "--clip", "wa*"]);
    ran.expect(0, &["accepted clip 'walk' of boss.md5mesh", "1 snapshot written"]);
    let ran = workshop.run(&["verify", "-s", "shots"]);
    ran.expect(1, &["the file changed (other bytes: run.md5anim)", "clip 'run': joints differ in 1 of 3 frames"]);
    assert!(!ran.text.contains("'walk'"), "{}", ran.text);
    write("22", "21");
    review("s\na\n").expect(1, &["accepted clip 'walk' of boss.md5mesh", "1 change accepted, 1 left"]);
    review("a\n").expect(0, &["(1 of 1) changed  boss.md5mesh", "clip 'run'", "1 change accepted, 0 left"]);
    workshop.run(&["verify", "-s", "shots"]).expect(0, &["1 model: 1 same"]);
    // With another joint, the frames of one clip do not fit the snapshot.
    write("23", "21");
    workshop.write("models/boss.md5mesh", &MESH.replace("\"bone\"", "\"rod\""));
    let rename = |text: &str| text.replace("\"bone\"", "\"rod\"");
    workshop.write("models/walk.md5anim", &rename(&moved("23")));
    workshop.write("models/run.md5anim", &rename(&moved("21")));
    let ran = workshop.run(&["accept", "-s", "shots", "--clip", "walk"]);
    ran.expect(
        1,
        &["clip 'walk' of boss.md5mesh cannot be accepted alone: joints or meshes differ too", "0 snapshots written"],
    );
}

/// The snapshot with the old name is gone once a clip is accepted under the new one.
#[test]
fn a_clip_of_a_renamed_model_moves_its_snapshot() {
    let workshop = Workshop::empty();
    workshop.write("models/boss.md5mesh", MESH);
    workshop.write("models/walk.md5anim", &moved("13"));
    workshop.write("models/run.md5anim", &moved("14"));
    workshop.run(&["record", "models", "-o", "shots"]).expect(0, &["recorded 1 model, 2 clips"]);
    fs::rename(workshop.path("models/boss.md5mesh"), workshop.path("models/chief.md5mesh")).unwrap();
    workshop.write("models/walk.md5anim", &moved("20"));
    workshop.write("models/run.md5anim", &moved("21"));
    let accept = |clip: &str| workshop.run(&["accept", "-s", "shots", "--clip", clip]);
    accept("walk").expect(0, &["accepted clip 'walk' of chief.md5mesh", "1 snapshot written, 1 deleted"]);
    accept("stroll").expect(1, &["0 snapshots written, 0 deleted, 1 unchanged"]);
    accept("run").expect(0, &["accepted clip 'run' of chief.md5mesh", "1 snapshot written, 0 deleted"]);
    workshop.run(&["verify", "-s", "shots", "--ci"]).expect(0, &["1 model: 1 same"]);
}

/// A name too long for a snapshot, and a folder in place of one: the others are recorded and verified.
#[test]
fn one_bad_path_stops_nothing() {
    let workshop = studio();
    let long = format!("models/{}.md5mesh", "n".repeat(246));
    workshop.write(&long, MESH);
    let ran = workshop.run(&["record", "models", "-o", "shots"]);
    ran.expect(2, &["recorded 6 models, 6 clips"]);
    assert!(
        ran.errors.contains("cannot write") && ran.errors.contains("1 path could not be read or written"),
        "{}",
        ran.errors
    );
    workshop.run(&["verify", "-s", "shots"]).expect(2, &["unreadable nnn", "7 models: 6 same, 1 unreadable"]);
    fs::remove_file(workshop.path(&long)).unwrap();
    fs::remove_file(workshop.path("shots").join(SWORD)).unwrap();
    fs::create_dir(workshop.path("shots").join(SWORD)).unwrap();
    workshop.run(&["verify", "-s", "shots"]).expect(2, &["unreadable weapons/one/one.md5mesh", "5 same, 1 unreadable"]);
    workshop.run(&["update", "-s", "shots", "--prune"]).expect(2, &["0 snapshots written, 0 deleted, 5 unchanged"]);
}

/// A folder that cannot be listed hides its models, but does not remove their snapshots.
#[cfg(unix)]
#[test]
fn an_unlisted_folder_is_no_removed_one() {
    use std::os::unix::fs::PermissionsExt;
    let workshop = studio();
    let before = store(&workshop);
    let weapons = workshop.path("models/weapons");
    let allow = |mode| fs::set_permissions(&weapons, fs::Permissions::from_mode(mode)).unwrap();
    allow(0o000);
    if fs::read_dir(&weapons).is_err() {
        let ran = workshop.run(&["update", "-s", "shots", "--prune"]);
        ran.expect(2, &["0 snapshots written, 0 deleted, 4 unchanged"]);
        assert!(ran.errors.contains("cannot read models/weapons"), "{}", ran.errors);
        assert_eq!(workshop.answer(&["review", "-s", "shots"], "").code, 2);
    }
    allow(0o755);
    // A clip that cannot be read is not accepted as a missing one.
    let clip = workshop.path("models/weapons/one/idle.md5anim");
    fs::set_permissions(&clip, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&clip).is_err() {
        let ran = workshop.run(&["update", "-s", "shots"]);
        ran.expect(2, &["0 snapshots written, 0 deleted, 5 unchanged"]);
        assert!(ran.errors.contains("clip 'idle' is left out: cannot read "), "{}", ran.errors);
    }
    assert_eq!(changes(&before, &store(&workshop)), Vec::<String>::new());
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_not_utf_8_stay_different() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let workshop = studio();
    for name in [&b"a\xff.md5mesh"[..], b"a\xfe.md5mesh"] {
        fs::write(workshop.path("models").join(OsStr::from_bytes(name)), MESH).unwrap();
    }
    workshop.run(&["record", "models", "-o", "shots"]).expect(0, &["recorded 8 models"]);
    assert!(workshop.path("shots/a\u{fffd}ff.md5mesh.snapshot").exists());
    workshop.run(&["verify", "-s", "shots", "--ci"]).expect(0, &["8 models: 8 same"]);
}

#[test]
fn a_root_outside_of_the_repository_is_refused() {
    let workshop = studio();
    fs::create_dir_all(workshop.path("repository/.git")).unwrap();
    fs::rename(workshop.path("shots"), workshop.path("repository/shots")).unwrap();
    fs::write(workshop.path("repository/shots/store.json"), r#"{"root": "../../models"}"#).unwrap();
    let ran = workshop.run(&["verify", "-s", "repository/shots"]);
    assert!(ran.code == 2 && ran.errors.contains("outside of the repository"), "{}", ran.errors);
    workshop.run(&["verify", "-s", "repository/shots", "--root", "models"]).expect(0, &["6 same"]);
    fs::rename(workshop.path("models"), workshop.path("repository/models")).unwrap();
    fs::write(workshop.path("repository/shots/store.json"), r#"{"root": "../models"}"#).unwrap();
    workshop.run(&["verify", "-s", "repository/shots"]).expect(0, &["6 same"]);
}

/// The joint is named, and the file is not said to be gone, also in a folder with so many meshes that it is listed once.
/// Every mesh of the clip's skeleton lacks the clip.
#[test]
fn a_joint_renamed_in_one_clip_is_named() {
    let other = MESH.replace("numJoints 2", "numJoints 3");
    let other = other.replace("// origin\n", "// origin\n\t\"tip\" 1 ( 0 0 12 ) ( 0 0 0 )\n");
    for (beside, mesh, lacking) in [(0, MESH, 1), (9, &*other, 1), (2, MESH, 3), (9, MESH, 10)] {
        name_renamed_joint(beside, mesh, lacking);
    }
}

fn name_renamed_joint(beside: usize, mesh: &str, lacking: usize) {
    let workshop = studio();
    for number in 0..beside {
        workshop.write(&format!("models/weapons/one/copy-{number}.md5mesh"), mesh);
    }
    workshop.write("models/weapons/one/walk.md5anim", &moved("15"));
    workshop.run(&["update", "-s", "shots"]).expect(0, &[]);
    workshop.write("models/weapons/one/idle.md5anim", &moved("13.7").replace("\"bone\"", "\"rod\""));
    let reason = "clip 'idle' is left out: joint 1 is 'bone' in the mesh and 'rod' in the clip";
    let ran = workshop.run(&["verify", "-s", "shots", "--report", "report"]);
    ran.expect(1, &["the file changed (other bytes: idle.md5anim)", reason]);
    for word in ["gone", "missing", "another order"] {
        assert!(!ran.text.contains(word), "{word}: {}", ran.text);
    }
    let summary = fs::read_to_string(workshop.path("report/summary.md")).unwrap();
    assert!(summary.contains(&reason.replace('\'', "&#39;")) || summary.contains(reason), "{summary}");
    assert_eq!(ran.text.matches(reason).count(), lacking, "{}", ran.text);
    // What is recorded now is said, too.
    let new = ["record", "models", "-o", "now"];
    for arguments in [&new[..], &["update", "-s", "shots"], &["update", "-s", "new", "--root", "models"]] {
        let ran = workshop.run(arguments);
        assert_eq!((ran.code, ran.text.matches(reason).count()), (1, lacking), "{}", ran.text);
    }
}

#[test]
fn build_servers_get_annotations_and_junit_xml() {
    let workshop = studio();
    workshop.write("models/weapons/one/idle.md5anim", &moved("20"));
    workshop.write("models/a,b\n::error::%/new.md5mesh", MESH);
    let ran = workshop.run(&["verify", "-s", "shots", "--format", "github"]);
    let lines: Vec<&str> = ran.text.lines().collect();
    assert_eq!((ran.code, lines.len()), (1, 3), "{}", ran.text);
    assert!(lines[0].starts_with("::error file="), "{}", lines[0]);
    assert!(
        lines[0]
            .contains("weapons/one/one.md5mesh,title=weapons/one/one.md5mesh::clip 'idle': joints differ in 1 of 3")
    );
    assert!(lines[1].starts_with("::warning file=") && lines[1].contains("a%2Cb%0A%3A%3Aerror%3A%3A%25/new.md5mesh"));
    assert_eq!(lines[2], "7 models: 5 same, 1 changed, 1 added");
    // The other formats also keep the name on its line.
    for arguments in [&["verify", "-s", "shots"][..], &["update", "-s", "shots"]] {
        let ran = workshop.run(arguments);
        assert!(!ran.text.lines().any(|line| line.starts_with("::")), "{}", ran.text);
    }
    workshop.write("models/weapons/one/idle.md5anim", &moved("22"));
    let ran = workshop.run(&["verify", "-s", "shots", "--junit", "report.xml"]);
    assert_eq!(ran.code, 1);
    let xml = fs::read_to_string(workshop.path("report.xml")).unwrap();
    assert!(xml.contains("tests=\"7\" failures=\"1\" errors=\"0\""), "{xml}");
    assert!(
        xml.contains("name=\"weapons/one/one.md5mesh\"><failure message=\"clip &#39;idle&#39;")
            || xml.contains("name=\"weapons/one/one.md5mesh\"><failure message=\"clip 'idle'"),
        "{xml}"
    );
    assert_eq!(xml.matches("<testcase ").count(), 7);
}

/// Tolerances of bindpose.toml apply to the models, clips and joints that they name.
#[test]
fn the_settings_file_has_tolerances_of_single_models() {
    let workshop = studio();
    workshop.write("models/weapons/one/idle.md5anim", &moved("13.7001"));
    workshop.run(&["verify", "-s", "shots"]).expect(1, &["1 changed"]);
    for (rule, code) in [
        ("model = 'weapons/*'\nposition = 1e-4", 0),
        ("model = 'weapons/*'\nclip = 'id*'\njoint = 'bone'\nposition = 1e-4", 0),
        ("model = 'weapons/*'\njoint = 'origin'\nposition = 1e-4", 1),
        ("model = 'monsters/*'\nposition = 1e-4", 1),
        ("clip = 'walk'\nposition = 1e-4", 1),
        ("position = 1e-12", 2),
        ("bone = 'x'", 2),
    ] {
        let config = format!("[validate]\nfail-on = 'error'\n[[snapshot.tolerance]]\n{rule}\n");
        workshop.write("bindpose.toml", &config);
        let ran = workshop.run(&["verify", "-s", "shots"]);
        assert_eq!(ran.code, code, "{rule}: {}{}", ran.text, ran.errors);
    }
    workshop.write("bindpose.toml", "[[snapshot.tolerance]]\nposition = 1e-4\n");
    workshop.run(&["verify", "-s", "shots", "--exact"]).expect(1, &["1 changed"]);
}

/// The report draws the old files of a changed mesh, from a folder and from git.
#[cfg(feature = "render")]
#[test]
fn the_report_shows_the_old_mesh() {
    let workshop = studio();
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]).args(arguments);
        command.current_dir(workshop.path("models")).output().is_ok_and(|output| output.status.success())
    };
    let has_git = git(&["init", "-q"]) && git(&["add", "."]) && git(&["commit", "-qm", "first"]);
    workshop.write("old/weapons/one/one.md5mesh", MESH);
    workshop.write("old/weapons/one/idle.md5anim", &moved("13.7"));
    workshop.write("wrong/weapons/one/one.md5mesh", &MESH.replace("weight 2 0 1 ( 8 8 0 )", "weight 2 0 1 ( 7 8 0 )"));
    workshop.write("wrong/weapons/one/idle.md5anim", &moved("13.7"));
    workshop.write("models/weapons/one/one.md5mesh", &MESH.replace("weight 2 0 1 ( 8 8 0 )", "weight 2 0 1 ( 9 8 0 )"));
    for (before, reason) in [
        ("old", None),
        ("HEAD", if has_git { None } else { Some("the skeleton is drawn as expected") }),
        ("wrong", Some("the files of --before are not those that were recorded")),
        ("no-such-revision", Some("the skeleton is drawn as expected")),
    ] {
        workshop.run(&["verify", "-s", "shots", "--report", "drawn", "--before", before]).expect(1, &["1 changed"]);
        let page = fs::read_to_string(workshop.path("drawn/index.html")).unwrap();
        if page.contains("No images: no OpenGL") {
            return crate::support::skip("drew nothing: no OpenGL");
        }
        assert_eq!(page.contains("the skeleton is drawn as expected"), reason.is_some(), "{before}: {page}");
        assert!(page.contains(reason.unwrap_or("1.expected.png")), "{before}: {page}");
    }
}

#[test]
fn review_accepts_frames_that_a_test_left() {
    let workshop = Workshop::empty();
    fs::create_dir_all(workshop.path("shots")).unwrap();
    let path = workshop.path("shots/figure.snapshot");
    let (before, mut after) = (figure(), figure());
    let root = after.skeleton.ids().next().unwrap();
    after.skeleton.set_rest_local(root, Transform::from_rotation_translation(DQuat::IDENTITY, DVec3::X));
    fs::write(&path, Snapshot::from(&before).to_bytes()).unwrap();
    let run = |model: &Model| std::panic::catch_unwind(AssertUnwindSafe(|| assert_unchanged(&path, model)));
    let message = *run(&after).unwrap_err().downcast::<String>().unwrap();
    let pending = workshop.path("shots/figure.snapshot.new");
    assert_eq!(pending.exists(), !runs_in_ci(), "{message}");
    if runs_in_ci() {
        return;
    }
    assert!(message.contains("or `bindpose snapshot review`"), "{message}");
    let review = |answers: &str| workshop.answer(&["review", "-s", "shots"], answers);
    review("s\n")
        .expect(1, &["(1 of 1) changed  figure\n", "joints of the rest pose differ", "0 changes accepted, 1 left"]);
    review("a\n").expect(0, &["1 change accepted, 0 left"]);
    assert!(!pending.exists() && run(&after).is_ok());
    // A test that passes again leaves no file.
    assert!(run(&before).is_err() && pending.exists() && run(&after).is_ok() && !pending.exists());
}
