//! The laboratory's commands: exit codes, what they print and write.

use crate::support;
use bindpose::skin::METHODS;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn bindpose(arguments: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5");
    let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    command.args(arguments).current_dir(folder).env("MESA_SHADER_CACHE_DISABLE", "true").output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bindpose-lab-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

const CYLINDER: [&str; 2] = ["cylinder.md5mesh", "cylinder_bend.md5anim"];

fn with<'a>(command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&[command], &CYLINDER[..], more].concat()
}

#[test]
fn methods_lists_every_row() {
    let output = bindpose(&["methods", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(rows.as_array().map(Vec::len), Some(METHODS.len()));
    assert_eq!((&rows[6]["name"], &rows[6]["joints_per_batch"]["article"]), (&"gradient".into(), &32.into()));
    let table = text(&bindpose(&["methods"]).stdout);
    assert!(rows.as_array().unwrap().iter().all(|row| table.contains(row["about"].as_str().unwrap())), "{table}");
}

#[test]
fn compare_agrees_and_writes_its_report() {
    if support::gpu().is_none_or(|gpu| !gpu.has_transform_feedback()) {
        return;
    }
    let folder = folder("report");
    let out = folder.to_str().unwrap();
    let output = bindpose(&with("compare", &["--size", "60x60", "--times", "0,0.4", "--bend", "-o", out]));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap();
    let methods = report["methods"].as_array().unwrap();
    assert_eq!(methods.len(), METHODS.len());
    for method in methods {
        assert_eq!(method["verdict"], "agrees", "{method}");
        assert_eq!(method["moments"].as_array().map(Vec::len), Some(2));
    }
    let markdown = std::fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(markdown.contains("| matrix-unrolled | agrees "), "{markdown}");
    assert!(markdown.contains("(contact-sheet.png)") && markdown.contains("(bend.png)"), "{markdown}");
    let sheet = image::open(folder.join("contact-sheet.png")).unwrap();
    // The reference and the methods, two times, a heat map beside each picture.
    assert!(sheet.width() > 4 * 60 && sheet.height() > 19 * 60, "{}x{}", sheet.width(), sheet.height());
    assert!(std::fs::read_to_string(folder.join("bend.svg")).unwrap().contains("</svg>"));
    let csv = std::fs::read_to_string(folder.join("bend.csv")).unwrap();
    assert!(csv.starts_with("degrees,cpu,ffp,") && csv.lines().count() == 32, "{csv}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_wrong_shader_ends_with_1_and_a_broken_one_names_its_line() {
    if support::gpu().is_none_or(|gpu| !gpu.has_transform_feedback()) {
        return;
    }
    let folder = folder("shaders");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/dqs.vert");
    let dqs = std::fs::read_to_string(source).unwrap();
    std::fs::write(folder.join("dqs.vert"), dqs.replace("weights.y, joints.y", "weights.y, joints.x")).unwrap();
    let shaders = folder.to_str().unwrap();
    let run = |method| {
        let more = ["--size", "40x40", "--times", "0.4", "--shaders", shaders, "--methods", method];
        bindpose(&with("compare", &more))
    };
    let wrong = run("dqs");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(text(&wrong.stderr).starts_with("dqs: OFF: vertex "), "{}", text(&wrong.stderr));
    assert_eq!(run("sjb").status.code(), Some(0), "others are as they were");

    std::fs::write(folder.join("sjb.vert"), "#version 120\nattribute vec3 position;\nvoid skin() { oops; }\n").unwrap();
    let broken = run("sjb,cpu");
    assert_eq!(broken.status.code(), Some(1));
    let stderr = text(&broken.stderr);
    assert!(stderr.starts_with("sjb: refused: ") && stderr.contains("\nsjb.vert:3"), "{stderr}");
    let stdout = text(&broken.stdout);
    assert!(stdout.contains("cpu     agrees"), "{stdout}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn figures_need_no_files_and_no_gpu() {
    let output = bindpose(&["compare", "--twist", "--methods", "matrix-blend,dqs"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines: Vec<Vec<String>> =
        text(&output.stdout).lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
    let last =
        |name: &str| lines.iter().find(|line| line.first().is_some_and(|cell| cell == name)).unwrap().last().cloned();
    assert_eq!(last("matrix-blend").as_deref(), Some("0.0000"));
    assert_eq!(last("dqs").as_deref(), Some("1.0000"));
}

#[test]
fn bench_times_every_method_that_runs() {
    if support::gpu().is_none() {
        return;
    }
    let quick = ["--copies", "2", "--rounds", "1", "--turn", "1", "--size", "16x16"];
    let output = bindpose(&with("bench", &[&quick[..], &["--json"]].concat()));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let methods = found["methods"].as_array().unwrap();
    assert_eq!(methods.len(), METHODS.len());
    for method in methods {
        assert!(method["frames_per_second"].as_f64().unwrap() > 0.0, "{method}");
        let expected = (found["vertices"].as_f64().unwrap()) * 2.0 * method["frames_per_second"].as_f64().unwrap();
        // Batches may draw a vertex more than once, never less.
        assert!(method["vertices_per_second"].as_f64().unwrap() > 0.99 * expected, "{method}");
    }
    let base = methods.iter().find(|method| method["method"] == "matrix-blend").unwrap();
    assert_eq!(base["ratio"], 1.0);
    let csv = text(&bindpose(&with("bench", &[&quick[..], &["--csv", "-m", "dqs"]].concat())).stdout);
    assert!(csv.starts_with("method,frames/s,ratio,") && csv.lines().count() == 2, "{csv}");
}

#[test]
fn usage_faults_end_with_2() {
    for arguments in [
        vec!["compare", "--methods", "nothing"],
        vec!["compare", "--limits", "vs30"],
        vec!["compare", "no-such.md5mesh"],
        vec!["compare", "--shaders", "no-such-folder"],
        with("compare", &["--times", "99"]),
        with("compare", &["--tolerance", "0"]),
        with("bench", &["--copies", "0"]),
        with("bench", &["--csv", "--json"]),
    ] {
        let output = bindpose(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}
