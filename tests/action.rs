//! `action.yml` and `.pre-commit-hooks.yaml`: their own commands, in a folder with good models and then with bad ones.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const CASES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/md5");

/// The lines of the script of the step of this name.
fn script(step: &str) -> String {
    let action = include_str!("../action.yml");
    let from = action.split(&format!("- name: {step}\n")).nth(1).unwrap();
    let lines = from.split("      run: |\n").nth(1).unwrap().lines();
    lines.map_while(|line| line.strip_prefix("        ")).collect::<Vec<_>>().join("\n")
}

/// Runs a script as the runner does, with this build of the program on the path.
fn run(script: &str, folder: &Path) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_bindpose")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let variables = [
        ("PATH", &*path),
        ("PATHS", "models"),
        ("PROFILE", "doom3,vkquake"),
        ("FAIL_ON", "error"),
        ("SARIF", "found.sarif"),
        ("DOCS", "https://host/team/bindpose/blob/v1/docs/diagnostics.md"),
        ("SNAPSHOTS", "shots"),
        ("REPORT", "report"),
        ("GITHUB_STEP_SUMMARY", "step-summary.md"),
    ];
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).current_dir(folder);
    command.envs(variables).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn copy(name: &str, folder: &Path) {
    fs::create_dir_all(folder.join("models")).unwrap();
    fs::copy(Path::new(CASES).join(name), folder.join("models").join(name)).unwrap();
}

#[test]
fn the_action_annotates_and_fails_on_bad_models_only() {
    let folder = tempfile::tempdir().unwrap();
    copy("base.md5mesh", folder.path());
    let good = run(&script("Validate"), folder.path());
    assert_eq!(good.status.code(), Some(0), "{}{}", text(&good.stdout), text(&good.stderr));

    let path = folder.path().join("models/base.md5mesh");
    let broken = fs::read_to_string(&path).unwrap().replace("weight 4 1 0.5", "weight 4 7 0.5");
    fs::write(&path, broken).unwrap();
    let bad = run(&script("Validate"), folder.path());
    assert_eq!(bad.status.code(), Some(1), "{}", text(&bad.stderr));
    assert!(text(&bad.stdout).contains("::error file=models/base.md5mesh,line=31"), "{}", text(&bad.stdout));
    let sarif: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.path().join("found.sarif")).unwrap()).unwrap();
    assert_eq!((&sarif["version"], &sarif["runs"][0]["results"][0]["level"]), (&"2.1.0".into(), &"error".into()));
    // Every rule leads to a heading, as GitHub makes anchors of headings.
    let page = include_str!("../docs/diagnostics.md");
    let headings = page.lines().filter_map(|line| line.strip_prefix("### "));
    let anchors: Vec<String> = headings.map(|heading| heading.to_lowercase().replace(' ', "-")).collect();
    let rules = sarif["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    assert!(!rules.is_empty());
    for rule in rules {
        let link = rule["helpUri"].as_str().unwrap();
        let (address, anchor) = link.split_once('#').unwrap();
        assert_eq!(address, "https://host/team/bindpose/blob/v1/docs/diagnostics.md");
        assert!(anchors.iter().any(|known| known == anchor), "{link}");
    }
}

#[test]
fn the_action_reports_frames_that_changed() {
    let folder = tempfile::tempdir().unwrap();
    ["base.md5mesh", "base.md5anim"].iter().for_each(|name| copy(name, folder.path()));
    let recorded = run("bindpose snapshot record models -o shots", folder.path());
    assert_eq!(recorded.status.code(), Some(0), "{}", text(&recorded.stderr));
    let step = script("Compare frames with snapshots");
    let good = run(&step, folder.path());
    assert_eq!(good.status.code(), Some(0), "{}{}", text(&good.stdout), text(&good.stderr));

    let path = folder.path().join("models/base.md5mesh");
    let moved = fs::read_to_string(&path).unwrap().replace("( -8 0 -10 )", "( -8 0 -11 )");
    fs::write(&path, moved).unwrap();
    let bad = run(&step, folder.path());
    assert_eq!(bad.status.code(), Some(1), "{}{}", text(&bad.stdout), text(&bad.stderr));
    let summary = fs::read_to_string(folder.path().join("step-summary.md")).unwrap();
    assert!(summary.contains("1 model: 1 same") && summary.contains("1 model: 1 changed"), "{summary}");
    assert!(folder.path().join("report/index.html").is_file());
}

#[test]
fn the_hooks_check_what_is_committed() {
    let hooks = include_str!("../.pre-commit-hooks.yaml");
    let entries: Vec<&str> = hooks.lines().filter_map(|line| line.strip_prefix("  entry: ")).collect();
    let [validate, verify] = entries[..] else { panic!("{entries:?}") };
    let folder = tempfile::tempdir().unwrap();
    ["base.md5mesh", "base.md5anim"].iter().for_each(|name| copy(name, folder.path()));
    run("bindpose snapshot record models -o shots", folder.path());
    let code = |line: &str| run(line, folder.path()).status.code();
    let (validate, verify) = (format!("{validate} models/base.md5mesh"), format!("{verify} models -s shots"));
    assert_eq!((code(&validate), code(&verify)), (Some(0), Some(0)));
    fs::write(folder.path().join("models/base.md5mesh"), "MD5Version 10\n").unwrap();
    assert_eq!((code(&validate), code(&verify)), (Some(1), Some(1)));
}
