//! The laboratory's commands: exit codes, and printed and written output.

use crate::support;
use bindpose::skin::METHODS;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn bindpose(arguments: &[&str]) -> Output {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/md5");
    Command::new(env!("CARGO_BIN_EXE_bindpose")).args(arguments).current_dir(folder).output().unwrap()
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
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(rows.as_array().unwrap().iter().all(|row| words.contains(row["about"].as_str().unwrap())), "{table}");
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
    let row = markdown.lines().find(|line| line.starts_with("| matrix-unrolled ") && line.contains("| agrees "));
    assert!(row.is_some(), "{markdown}");
    let files = ["contact-sheet.png", "bend.png", "bend-shapes.png"];
    assert!(files.iter().all(|file| markdown.contains(&format!("({file})"))), "{markdown}");
    assert_eq!(report["figures"][0]["name"], "bend");
    let sheet = image::open(folder.join("contact-sheet.png")).unwrap();
    // The reference and each group; two times and the worst joint, with the error next to each image.
    let groups = report["groups"].as_array().unwrap();
    let rows = groups.len() as u32 + 1;
    assert!(sheet.width() > 6 * 60 && sheet.height() > rows * 60, "{}x{}", sheet.width(), sheet.height());
    // The linear methods are identical on a clip, so they are one row.
    let linear = METHODS.iter().filter(|method| method.is_linear).map(|method| method.name.to_owned());
    let first: Vec<&str> = groups[0]["methods"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(linear.into_iter().all(|name| first.contains(&name.as_str())), "{first:?}");
    assert!(groups[0]["departs_by"].as_f64().unwrap() < 1e-3, "{}", groups[0]);
    let finding = report["finding"].as_str().unwrap();
    assert!(finding.starts_with("The linear methods") && finding.contains(" by "), "{finding}");
    assert!(markdown_starts(&folder, finding), "{finding}");
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains(&format!("<p class=\"finding\">{finding}</p>")), "{finding}");
    // Every term that a reader may not know is explained.
    let headings = ["linear methods", "from weighted sum", "worst joint", "similarity"];
    assert!(
        headings.iter().all(|heading| page.contains(&format!("<dt>{heading}</dt><dd>"))),
        "words are not explained"
    );
    // The slider has the reference and each group at both times. The table has them at the worst joint, and the errors
    // there and at both times: at the first time the cylinder is at rest but moving, which `velocity` shows. The bent
    // cylinder is shown for each line of its chart, every 15 degrees.
    let (_, bent) = page.split_once("<h2>A cylinder bent at its middle</h2>").expect("the figure");
    let lines = bent.matches("<figcaption>").count() as u32;
    assert!(lines > 5, "{lines} lines");
    assert_eq!(page.matches("<img ").count() as u32, 2 * rows + rows + 3 * (rows - 1) + 11 * lines);
    assert_eq!(page.matches("src=\"data:image/jpeg;base64,").count(), page.matches("src=").count());
    assert!(page.contains("volume / volume at rest"), "the plot of --bend is not in the page");
    // The name of SVG's namespace is never fetched.
    let page = page.replace("http://www.w3.org/2000/svg", "");
    assert!(
        !page.contains("http://") && !page.contains("https://") && !page.contains("<link"),
        "the page fetches something"
    );
    assert!(std::fs::read_to_string(folder.join("bend.svg")).unwrap().contains("</svg>"));
    let csv = std::fs::read_to_string(folder.join("bend.csv")).unwrap();
    assert!(csv.starts_with("degrees,cpu,ffp,") && csv.lines().count() == 32, "{csv}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// True if the report begins with its conclusion.
fn markdown_starts(folder: &Path, finding: &str) -> bool {
    let markdown = std::fs::read_to_string(folder.join("report.md")).unwrap();
    markdown.lines().nth(2) == Some(finding)
}

/// A blend of equal parts of a point and the point turned by 175 degrees is at cos(87.5 degrees) = 0.0436 of its
/// distance from the axis.
#[test]
fn a_twisted_joint_is_named_with_what_is_lost() {
    if support::gpu().is_none_or(|gpu| !gpu.has_transform_feedback()) {
        return;
    }
    let run = |methods| {
        let more = ["--pose", "upper=x,175", "--json", "--size", "80x80", "--methods", methods];
        let output = bindpose(&["compare", "cylinder.md5mesh"].iter().chain(&more).copied().collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    // A method that is named twice is compared once.
    let report = run("cpu,matrix-blend,dqs,sjb,rigid,dqs");
    assert_eq!(report["methods"].as_array().map(Vec::len), Some(5));
    assert_eq!(
        report["finding"],
        "Twisting upper by 175 degrees, the linear methods lose 96 % of the thickness there; rigid loses 91 %; sjb and dqs keep it. \
         The surface tears with rigid (48 triangles stretched to more than 4 times their length)."
    );
    // All 24 quads between the last ring of `lower` and the first of `upper`: their edges of 1.2 and 1.6 units are 8 long.
    let rigid = report["groups"].as_array().unwrap().iter().find(|group| group["methods"][0] == "rigid").unwrap();
    assert_eq!((&rigid["tears"]["stretched"], &rigid["tears"]["gap"]), (&48.into(), &0.0.into()));

    let linear = &report["groups"][0];
    assert_eq!(linear["methods"], serde_json::json!(["cpu", "matrix-blend"]));
    let left = linear["thickness"].as_f64().unwrap();
    assert!((left - 87.5_f64.to_radians().cos()).abs() < 1e-3, "{left}");
    let worst = report["groups"].as_array().unwrap().last().unwrap();
    assert!(["upper", "lower"].contains(&worst["joint"].as_str().unwrap()), "{worst}");
    // A collapsed joint has a low similarity.
    assert!(worst["similarity"].as_f64().unwrap() < 0.95, "{worst}");
}

/// A single clip needs no name. Without a clip, a time means nothing.
#[test]
fn a_turn_at_a_time_starts_from_the_only_clip() {
    let more = ["--times", "0.4", "--pose", "upper=x,30", "--json", "--size", "40x40", "--methods", "cpu"];
    let alone = bindpose(&[&["compare", "cylinder.md5mesh", "cylinder_bend.md5anim"], &more[..]].concat());
    let named =
        [&["compare", "cylinder.md5mesh", "cylinder_bend.md5anim", "--clip", "cylinder_bend"], &more[..]].concat();
    if support::gpu().is_some_and(|gpu| gpu.has_transform_feedback()) {
        assert_eq!((alone.status.code(), text(&alone.stdout)), (Some(0), text(&bindpose(&named).stdout)));
        let refused = bindpose(&[
            "compare",
            "cylinder.md5mesh",
            "--methods",
            "matrix-loop,sbs,cpu",
            "--limits",
            "vs11",
            "--json",
        ]);
        let report: serde_json::Value = serde_json::from_slice(&refused.stdout).unwrap();
        let reasons = [0, 1].map(|method| report["methods"][method]["reason"].as_str().unwrap().to_owned());
        assert!(reasons[0].contains("no loops") && reasons[1].contains("read no textures"), "{reasons:?}");
    }
    let table = text(&bindpose(&["methods"]).stdout);
    let table = table.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "vs11: vertex shaders before 2.0 have no loops",
        "vs11: 198 instructions, 128 slots",
        "vs11, vs20: vertex shaders before 3.0 read no textures",
        "8n; program 51",
    ] {
        assert!(table.contains(part), "{part}\n{table}");
    }
}

/// `compare` follows the cuts of the rest pose; the script cuts the turned triangles with new planes. In a twist, methods
/// move points around the bone, so both find the same neck. Widths are compared in other directions.
#[test]
fn cross_sections_are_those_of_planes_through_the_turned_surface() {
    if support::gpu().is_none_or(|gpu| !gpu.has_transform_feedback()) {
        return;
    }
    let methods = ["matrix-blend", "sjb", "cor", "log-matrix", "rigid"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (model, turn, child, reach) in [
        ("mannequin_light.md5mesh", "forearm_l=x,180", "hand_l", "4.5"),
        ("cylinder.md5mesh", "upper=x,175", "lower", "8"),
    ] {
        let script = Command::new("python3")
            .arg(root.join("tests/skin/sections.py"))
            .args([env!("CARGO_BIN_EXE_bindpose"), model, turn, child, reach])
            .args(methods)
            .current_dir(root.join("data/md5"))
            .output();
        let Ok(script) = script else {
            return support::skip("cut no cross-sections again: python3 is not installed");
        };
        assert!(script.status.success(), "{}", text(&script.stderr));
        let output =
            bindpose(&["compare", model, "--pose", turn, "--json", "--size", "40x40", "--methods", &methods.join(",")]);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        for (line, method) in text(&script.stdout).lines().zip(report["methods"].as_array().unwrap()) {
            let [name, area, width]: [&str; 3] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            assert_eq!(method["method"], name);
            let pose = &method["moments"][0];
            let apart = |key: &str, other: &str| (pose[key].as_f64().unwrap() - other.parse::<f64>().unwrap()).abs();
            assert!(apart("area", area) < 0.015 && apart("thickness", width) < 0.05, "{model} {line}: {pose}");
        }
    }
}

/// A shader with a new name is an additional method, compared with the reference of the method that it resembles.
#[test]
fn own_shaders_are_methods_of_their_own() {
    let folder = folder("own");
    let own = folder.join("shaders");
    std::fs::create_dir_all(&own).unwrap();
    let shaders = own.to_str().unwrap();
    let dqs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/dqs.vert")).unwrap();
    std::fs::write(own.join("mine.vert"), format!("// mine\n// like: dqs\n{dqs}")).unwrap();
    std::fs::write(own.join("notes.txt"), "no shader").unwrap();
    let rows: serde_json::Value =
        serde_json::from_slice(&bindpose(&["methods", "--json", "--shaders", shaders]).stdout).unwrap();
    let row = rows.as_array().unwrap().last().unwrap();
    assert_eq!((rows.as_array().unwrap().len(), &row["name"]), (METHODS.len() + 1, &"mine".into()));
    assert_eq!((&row["registers_per_joint"], &row["influences"]), (&2.into(), &4.into()));
    if support::gpu().is_some_and(|gpu| gpu.has_transform_feedback()) {
        let more = ["--size", "40x40", "--times", "0.4", "--json", "--methods", "mine,dqs"];
        let output = bindpose(&with("compare", &[&more[..], &[&format!("--shaders={shaders}")]].concat()));
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["groups"][0]["methods"], serde_json::json!(["mine", "dqs"]));
        assert_eq!(report["methods"][0]["verdict"], "agrees");
    }
    for (name, text_of_file, error) in [
        ("mine.vert", "// mine\n// like: dq\n", "mine.vert:2: no skinning method is called 'dq'; did you mean dqs?"),
        ("mine.vert", "void main() {}", "mine.vert:1: a line such as '// like: dqs' has to name the method"),
        ("my own.vert", "// like: dqs", "my own.vert:1: the name of a method has"),
        ("figur.frag", "", "figur.frag:1: no built-in file has this name; did you mean figure.frag?"),
    ] {
        std::fs::remove_dir_all(&own).unwrap();
        std::fs::create_dir_all(&own).unwrap();
        std::fs::write(own.join(name), text_of_file).unwrap();
        let output = bindpose(&["methods", "--shaders", shaders]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(error), "{}", text(&output.stderr));
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Half a turn in three steps: linear blending leaves cos(30 degrees) = 0.866 between two of them, and nothing without
/// helpers.
#[test]
fn helpers_keep_the_thickness_of_their_steps() {
    let run = |more: &[&str]| bindpose(&[&["compare", "cylinder.md5mesh"], more].concat());
    let output = run(&["--helpers", "upper=2", "--json", "--methods", "cpu,dqs"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("2 helper joints move"), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["degrees"], 180.0);
    let left = |gain: &serde_json::Value| ["without", "with"].map(|key| gain[key].as_f64().unwrap());
    let engines = report["engines"].as_array().unwrap();
    for gain in engines.iter().filter(|gain| gain["name"] != "cube2").chain([&report["methods"][0]]) {
        let [without, with] = left(gain);
        // Engines with bytes as weights are off by a 255th.
        assert!(without < 0.03 && (with - 0.866).abs() < 0.02, "{gain}");
    }
    assert!(left(&report["methods"][1]).into_iter().all(|left| left > 0.95), "{}", report["methods"][1]);
    let finding = report["finding"].as_str().unwrap();
    assert!(finding.starts_with("Twisting upper by 180 degrees with 2 helper joints at upper: "), "{finding}");
    let bent = run(&["--helpers", "upper=1", "--pose", "upper=y,120", "--methods", "cpu"]);
    assert!(text(&bent.stdout).starts_with("Bending upper by 120 degrees with 1 helper joint at upper: "));
    for (arguments, error) in [
        (&["--helpers", "lower=2"][..], "'lower' has no parent"),
        (&["--helpers", "upper=9"], "expected JOINT=N with N from 1 to 8"),
        (&["--helpers", "upper=1", "--pose", "upper=x,9", "--pose", "lower=x,9"], "needs one turn"),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(error), "{}", text(&output.stderr));
    }
}

#[test]
fn helpers_are_drawn_next_to_the_model_without_them() {
    if support::gpu().is_none() {
        return;
    }
    let folder = folder("helpers");
    let out = folder.to_str().unwrap();
    let output = bindpose(&[
        "compare",
        "cylinder.md5mesh",
        "--helpers",
        "upper=2",
        "--methods",
        "cpu",
        "--size",
        "60x60",
        "-o",
        out,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let markdown = std::fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(markdown.contains("(helpers.png)") && markdown.contains("(helpers-thickness.png)"), "{markdown}");
    let sheet = image::open(folder.join("helpers.png")).unwrap().to_rgb8();
    // The last angle is half a turn. Without helpers the middle is a point; with them it is nearly as wide as before.
    let width = |row: u32| {
        let left = sheet.width() - 64;
        let background = *sheet.get_pixel(left + 2, 34 + 64 * row);
        let lines = 10..50;
        let wide = |y: u32| (0..58).filter(|x| *sheet.get_pixel(left + 1 + x, 32 + 64 * row + y) != background).count();
        lines.map(wide).filter(|&wide| wide > 0).min().unwrap_or(0)
    };
    assert!(width(0) < width(1), "{} {}", width(0), width(1));
    std::fs::remove_dir_all(folder).unwrap();
}

/// A square with two joints encloses nothing, so its volume ratio is not a number.
#[test]
fn a_flat_mesh_has_no_volume_to_keep() {
    if support::gpu().is_none_or(|gpu| !gpu.has_transform_feedback()) {
        return;
    }
    let folder = folder("flat");
    let mesh = folder.join("flat.md5mesh");
    let vertices =
        [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(x, y)| format!("vert {} ( {x} {y} ) {} 2", 2 * x + y, 4 * x + 2 * y));
    let weights = (0..4).flat_map(|vertex| {
        let (x, y) = (4 * (vertex / 2), 2 * (vertex % 2) + 1);
        // The upper joint is at 2 along x.
        let lines = [(2 * vertex, 0, x), (2 * vertex + 1, 1, x - 2)];
        lines.map(|(number, joint, x)| format!("weight {number} {joint} 0.5 ( {x} {y} 0 )"))
    });
    let text_of_mesh = format!(
        "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 1\njoints {{\n\"lower\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"upper\" 0 ( 2 0 0 ) ( 0 0 0 )\n}}\n\
         mesh {{\nshader \"\"\nnumverts 4\n{}\nnumtris 2\ntri 0 0 1 2\ntri 1 1 3 2\nnumweights 8\n{}\n}}\n",
        vertices.join("\n"),
        weights.collect::<Vec<_>>().join("\n")
    );
    std::fs::write(&mesh, text_of_mesh).unwrap();
    let more = ["--pose", "upper=x,90", "--methods", "cpu,dqs", "--size", "40x40"];
    let run = |last: &[&str]| bindpose(&[&["compare", mesh.to_str().unwrap()], &more[..], last].concat());
    let output = run(&["--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for group in report["groups"].as_array().unwrap() {
        assert!(group["thickness"].is_number() && group["volume"].is_null(), "{group}");
    }
    let table = text(&run(&[]).stdout);
    assert!(table.split_whitespace().all(|word| !["inf", "-inf", "NaN"].contains(&word)), "{table}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_sweep_has_a_value_for_each_angle_a_chart_and_an_animation() {
    if support::gpu().is_none_or(|gpu| !gpu.has_transform_feedback()) {
        return;
    }
    let folder = folder("sweep");
    let out = folder.to_str().unwrap();
    let more = ["--sweep", "upper=x,0..180", "--methods", "matrix-blend,dqs", "--size", "40x40", "-o", out];
    let output = bindpose(&["compare", "cylinder.md5mesh"].iter().chain(&more).copied().collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let csv = std::fs::read_to_string(folder.join("sweep-thickness.csv")).unwrap();
    assert!(csv.starts_with("degrees,matrix-blend,dqs\n") && csv.lines().count() == 38, "{csv}");
    for line in csv.lines().skip(1) {
        let numbers: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let linear = (numbers[0] / 2.0).to_radians().cos();
        // Dual quaternions keep the vertices' distance from the bone, not that of the surface between.
        let dual = if numbers[0] == 180.0 { 0.95..0.97 } else { 0.955..1.001 };
        assert!((numbers[1] - linear).abs() < 2e-3 && dual.contains(&numbers[2]), "{line}");
    }
    let svg = std::fs::read_to_string(folder.join("sweep-distance.svg")).unwrap();
    assert!(["45", "90", "135", "180"].iter().all(|mark| svg.contains(&format!(">{mark}</text>"))), "{svg}");
    let markdown = std::fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(
        markdown.contains("at 37 poses from 0\u{b0} to 180\u{b0};") && markdown.contains("- *thickness left*: "),
        "{markdown}"
    );
    // Two groups and seven angles.
    let strip = image::open(folder.join("sweep.png")).unwrap();
    assert!(strip.width() > 7 * 40 && strip.height() > 2 * 40, "{}x{}", strip.width(), strip.height());
    let film = std::fs::read(folder.join("sweep.gif")).unwrap();
    let frames = image::codecs::gif::GifDecoder::new(std::io::Cursor::new(film)).unwrap();
    assert_eq!(image::AnimationDecoder::into_frames(frames).count(), 37);
    std::fs::remove_dir_all(folder).unwrap();
}

/// The only method is refused. The report says so, and there is no animation.
#[test]
fn a_sweep_without_a_method_is_reported_without_an_animation() {
    if support::gpu().is_none_or(|gpu| !gpu.has_transform_feedback()) {
        return;
    }
    let folder = folder("refused");
    std::fs::write(folder.join("dqs.vert"), "#version 120\nattribute vec3 position;\nvoid skin() { oops; }\n").unwrap();
    let out = folder.to_str().unwrap();
    let more = ["--sweep", "upper=x,0..90", "--methods", "dqs", "--size", "40x40", "--shaders", out, "-o", out];
    let output = bindpose(&["compare", "cylinder.md5mesh"].iter().chain(&more).copied().collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    for report in ["report.md", "report.html"] {
        let page = std::fs::read_to_string(folder.join(report)).unwrap();
        assert!(page.contains("No method could be compared.") && !page.contains("sweep.gif"), "{page}");
    }
    assert!(!folder.join("sweep.gif").exists());
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
    assert!(stdout.starts_with("The program of sjb was refused.") && stdout.contains("\ncpu"), "{stdout}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn cylinder_tests_need_no_files_and_no_gpu() {
    let output = bindpose(&["compare", "--twist", "--methods", "matrix-blend,dqs"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let lines: Vec<Vec<String>> =
        text(&output.stdout).lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect();
    let last =
        |name: &str| lines.iter().find(|line| line.first().is_some_and(|cell| cell == name)).unwrap().last().cloned();
    assert_eq!(last("matrix-blend").as_deref(), Some("0.0000"));
    assert_eq!(last("dqs").as_deref(), Some("0.9939"));
    let finding = "Twisted by up to 180 degrees, the cylinder keeps this share of its thickness at the worst angle: 0 % with \
                   matrix-blend; 99 % with dqs.";
    assert!(text(&output.stdout).starts_with(finding), "{}", text(&output.stdout));
}

/// A page for each test: conclusion, shapes with a slider, chart, sortable table, and all values.
#[test]
fn cylinder_tests_alone_are_a_report() {
    let folder = folder("figures");
    let out = folder.to_str().unwrap();
    let more = ["--twist", "--sigma", "--methods", "cpu,matrix-blend,dqs", "--size", "40x40"];
    let output = bindpose(&[&["compare"], &more[..], &["-o", out]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let read = |name| std::fs::read_to_string(folder.join(name)).unwrap();
    let (page, markdown) = (read("report.html"), read("report.md"));
    let report: serde_json::Value = serde_json::from_str(&read("report.json")).unwrap();
    let printed = text(&bindpose(&[&["compare"], &more[..], &["--json"]].concat()).stdout);
    let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let figures = report["figures"].as_array().unwrap();
    assert_eq!(figures.len(), 2);
    for (figure, printed) in figures.iter().zip(printed["figures"].as_array().unwrap()) {
        let finding = figure["finding"].as_str().unwrap();
        assert!(
            page.contains(&format!("<p class=\"finding\">{finding}</p>")) && markdown.contains(finding),
            "{finding}"
        );
        assert_eq!(figure["lines"], printed["lines"]);
        let [angles, values] = [&figure["angles"], &figure["lines"][0]["values"]].map(|list| list.as_array().unwrap());
        assert_eq!(angles.len(), values.len());
        for file in figure["pictures"].as_array().unwrap() {
            assert!(markdown.contains(&format!("({})", file.as_str().unwrap())), "{file}");
        }
    }
    // Two equal methods are one line; half of a blend of opposites is nothing.
    assert!(markdown.contains("at the worst angle: 0 % with the linear methods; 99 % with dqs."), "{markdown}");
    assert_eq!(figures[0]["lines"][0]["values"][36].as_f64().map(|left| left < 1e-6), Some(true));
    assert_eq!(page.matches("class=\"sortable\"").count(), 2);
    assert!(page.contains("<dt>linear methods</dt><dd>") && markdown.contains("- *linear methods*: "), "{markdown}");
    // Two lines at 13 angles, and four sigmas next to sjb at 11.
    if support::gpu().is_some() {
        assert_eq!(page.matches("type=\"range\"").count(), 2);
        assert_eq!(page.matches("<img ").count(), 2 * 13 + 5 * 11);
        let sheet = image::open(folder.join("twist-shapes.png")).unwrap().to_rgb8();
        // Images are below their headings and next to their names: cpu's cylinder at rest and after half a turn, and
        // that of dqs.
        let tile = |column: u32, row: u32| {
            image::imageops::crop_imm(&sheet, 200 + 44 * column, 32 + 44 * row, 40, 40).to_image()
        };
        let figure = |tile: &image::RgbImage| tile.pixels().filter(|pixel| **pixel != *tile.get_pixel(0, 0)).count();
        let [rest, pinched, kept] = [tile(0, 0), tile(6, 0), tile(6, 1)].map(|tile| figure(&tile));
        assert!(rest > 300 && pinched < rest * 9 / 10 && kept.abs_diff(rest) < 20, "{rest} {pinched} {kept}");
    }
    assert!(!page.replace("http://www.w3.org/2000/svg", "").contains("://"), "the page fetches something");
    std::fs::remove_dir_all(folder).unwrap();
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
        // Batches may draw a vertex more than once, but never omit one.
        assert!(method["vertices_per_second"].as_f64().unwrap() > 0.99 * expected, "{method}");
        // Drawing takes time, and the time by the GPU's clock is within the time by ours.
        let part = |name: &str| method[name].as_f64().unwrap();
        let asked = part("upload_ms") + part("driver_ms") + part("wait_ms");
        assert!(method["gpu_ms"].is_null() || (0.0 < part("gpu_ms") && part("gpu_ms") < 1.05 * asked), "{method}");
    }
    let base = methods.iter().find(|method| method["method"] == "matrix-blend").unwrap();
    assert_eq!(base["ratio"], 1.0);
    for method in methods {
        assert_eq!(method["spread"], 0.0, "one turn is as fast as itself: {method}");
    }
    let told = text(&output.stderr);
    assert!(told.contains(&format!("{} methods, 1 turn each: about ", METHODS.len())), "{told}");
    let table = text(&bindpose(&with("bench", &[&quick[..], &["-m", "dqs"]].concat())).stdout);
    let rows = table.lines().skip_while(|line| !line.starts_with("method")).take_while(|line| !line.is_empty());
    let rows: Vec<Vec<&str>> = rows.map(|line| line.split_whitespace().collect()).collect();
    assert_eq!((rows.len(), &rows[0][..2], rows[1][0]), (2, &["method", "frames/s"][..], "dqs"), "{table}");
    let folder = folder("series");
    let chart = folder.join("series.svg");
    let mut series = [&quick[..], &["-m", "dqs", "--json", "-o", chart.to_str().unwrap()]].concat();
    series[1] = "1,3";
    let found: serde_json::Value = serde_json::from_slice(&bindpose(&with("bench", &series)).stdout).unwrap();
    assert_eq!([0, 1].map(|number| found["series"][number]["copies"].as_u64()), [Some(1), Some(3)]);
    let method = &found["series"][1]["methods"][0];
    assert_eq!((&method["registers"], &method["instructions"]), (&2.into(), &81.into()));
    assert!(std::fs::read_to_string(&chart).unwrap().contains("copies"));
    std::fs::remove_dir_all(folder).unwrap();
    // A quarter turn leaves the cosine of half of it.
    let turned =
        [&["bench", "cylinder.md5mesh", "--pose", "upper=x,90", "-m", "matrix-blend,dqs", "--json"], &quick[..]];
    let found: serde_json::Value = serde_json::from_slice(&bindpose(&turned.concat()).stdout).unwrap();
    let [linear, dqs] = [0, 1].map(|number| &found["methods"][number]);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    assert!((number(&linear["thickness"]) - 0.5_f64.sqrt()).abs() < 1e-3 && number(&dqs["thickness"]) > 0.9, "{found}");
    assert!(number(&linear["from_weighted_sum"]) < 1e-6 && number(&dqs["from_weighted_sum"]) > 0.01, "{found}");
}

/// A quarter turn leaves the cosine of half of it.
#[test]
fn costs_and_thickness_are_one_table() {
    if support::gpu().is_none_or(|gpu| !gpu.has_transform_feedback()) {
        return;
    }
    let folder = folder("costs");
    let more = ["--pose", "upper=x,90", "-m", "matrix-blend,ddm", "--speed", "--size", "40x40", "-o"];
    let output = bindpose(&[&["compare", "cylinder.md5mesh"], &more[..], &[folder.to_str().unwrap()]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let csv = std::fs::read_to_string(folder.join("costs.csv")).unwrap();
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let headings = ["method", "registers", "instructions", "bytes/frame", "bytes kept", "from weighted sum"];
    assert_eq!(rows[0], [&headings[..], &["thickness left", "frame ms"]].concat());
    assert_eq!((&rows[1][..4], &rows[1][5..7]), (&["matrix-blend", "3", "63", "144"][..], &["0 %", "71 %"][..]));
    assert_eq!(&rows[2][..3], ["ddm", "-", "181"]);
    assert!(rows[1][7].parse::<f64>().unwrap() > 0.0, "{csv}");
    let (table, page) = (text(&output.stdout), std::fs::read_to_string(folder.join("report.html")).unwrap());
    assert!(headings.iter().all(|heading| table.contains(heading) && page.contains(heading)), "{table}");
    // What the methods do and what the columns mean is said wherever they stand.
    let markdown = std::fs::read_to_string(folder.join("report.md")).unwrap();
    for words in ["direct delta mush: every vertex", "registers: constants of a vertex shader", "three of four frames"]
    {
        for (place, said) in [("text", &table), ("page", &page), ("Markdown", &markdown)] {
            assert!(said.contains(words), "{place} does not say '{words}'");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn usage_faults_end_with_2() {
    for arguments in [
        vec!["compare", "--methods", "nothing"],
        vec!["compare", "--limits", "vs40"],
        vec!["compare", "no-such.md5mesh"],
        vec!["compare", "--shaders", "no-such-folder"],
        with("compare", &["--times", "99"]),
        with("compare", &["--tolerance", "0"]),
        with("compare", &["--pose", "upper"]),
        with("compare", &["--pose", "upper=w,10"]),
        with("compare", &["--pose", "elbow=x,10"]),
        with("compare", &["--sweep", "upper=x,90..0"]),
        with("compare", &["--sigma", "--as", "vkquake"]),
        vec!["compare", "mannequin_light.md5mesh", "--pose", "head=x,10", "--times", "0"],
        with("bench", &["--copies", "0"]),
        with("bench", &["--copies", "3", "-o", "chart.svg"]),
    ] {
        let output = bindpose(&arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(!output.stderr.is_empty(), "{arguments:?}");
    }
}
