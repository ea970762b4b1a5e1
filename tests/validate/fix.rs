//! Repairs are reported, the result validates, and no file is overwritten.

use bindpose::diagnostic::Severity;
use bindpose::validate::finding::Promise;
use bindpose::validate::fix::{self, Fixed};
use bindpose::validate::profiles::{Effect, Profile};
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, Validation, check, codes};
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

fn found(report: &Validation, file: usize) -> Vec<&str> {
    // A problem of a single program with a `.x` file is not repaired for all programs.
    let of_one =
        |finding: &&bindpose::validate::finding::Finding| finding.by_engine && finding.code.id.starts_with("XF");
    report.files[file].findings.iter().filter(|finding| !of_one(finding)).map(|finding| finding.code.id).collect()
}

fn edited(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from:?} is not in the file");
    text.replacen(from, to, 1)
}

struct Case {
    /// Code that is found before the repair and not afterwards.
    code: &'static str,
    mesh: String,
    anim: Option<String>,
    /// Description of the repair.
    done: &'static str,
    /// Text in the new file.
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
            // The weight follows its joint to the new index.
            holds: "weight 0 1 1",
        },
        mesh_case("MD5M002", "commandline \"x\"\n", "", "MD5M002", "commandline \"\""),
        mesh_case("MD5M009", "( -8 0 -10 )", "(-8 0 -10)", "MD5M009", "( -8 0 -10 )"),
        mesh_case("MD5M011", "weight 1 0 1 ( 8", "weight 1 0 1 ( 08", "MD5M011", "weight 1 0 1 ( "),
        mesh_case("MD5M204", "weight 3 0 0.5", "weight 3 0 1.5", "of 1 vertex of mesh 0 sum to 1", "weight 3 0 0.75"),
        // The numbers are reordered; each occurs once.
        mesh_case(
            "MD5M211",
            "weight 1 0 1 ( 8 0 0 )\n\tweight 2 0 1 ( 8 8 0 )",
            "weight 2 0 1 ( 8 8 0 )\n\tweight 1 0 1 ( 8 0 0 )",
            "the weights of mesh 0 are in the order of their numbers",
            "weight 1 0 1 ( 8 0 0 )\n\tweight 2 0 1 ( 8 8 0 )",
        ),
        mesh_case("MD5M211", "tri 1 ", "tri 7 ", "the tris of mesh 0 are numbered by their order", "tri 1 0 3 2"),
        mesh_case("MD5M213", "tri 1 0 3 2", "tri 1 0 3 3", "used a vertex twice is gone", "numtris 1"),
        mesh_case("MD5M212", "numverts 4", "numverts 3", "MD5M212", "numverts 4"),
        mesh_case("MD5M027", "numMeshes 1", "numMeshes 1\nnumMeshes 1", "MD5M027", "numMeshes 1"),
        anim_case(
            "MD5A206",
            "\"bone\"\t0 36 1",
            "\"bone\"\t0 0 9",
            "the first component of 1 joint that stores nothing is 0",
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
        assert!(found(&before, file).contains(&case.code), "{}: only {:?}", case.code, found(&before, file));
        let fixed = fix::fix(&before, &Options::default()).fixed;
        let done = words(&fixed, file);
        assert!(done.contains(case.done), "{}: {done}", case.code);
        let new = fixed.iter().find(|fixed| fixed.file == file).expect("a repaired file");
        let text = String::from_utf8_lossy(&new.bytes);
        assert!(text.contains(case.holds), "{}: {text}", case.code);

        let after = fix::recheck(&before, &fixed, &Options::default());
        for report_file in 0..after.files.len() {
            assert!(!found(&after, report_file).contains(&case.code), "{}: {text}", case.code);
            for finding in &after.files[report_file].findings {
                assert!(selection.severity(finding) < Some(Severity::Error), "{}: {}", case.code, finding.message);
            }
        }
        // A repaired file needs no repair.
        assert_eq!(fix::fix(&after, &Options::default()).fixed, [], "{}", case.code);
    }
}

#[test]
fn damage_that_requires_guessing_is_left() {
    for (from, to) in [("weight 4 1", "weight 4 9"), ("numJoints 2", "numJoints x"), ("\"bone\"\t0", "\"bone\"\t7")] {
        let before = report(&edited(MESH, from, to), None);
        for fixed in fix::fix(&before, &Options::default()).fixed {
            let text = String::from_utf8_lossy(&fixed.bytes);
            assert!(!to.contains('x') && text.contains(to), "{to}: {text}");
        }
    }
}

/// Returns a file with a fault of this code for its kind of file. Returns `None` if the table below does not have the
/// code.
fn broken(code: &codes::Code) -> Option<Vec<(&'static str, Vec<u8>)>> {
    const CAMERA: &str = include_str!("../cases/validate/base.md5camera");
    const X: &str = include_str!("../cases/validate/base.x");
    let group = code.id.as_bytes()[3];
    let (name, base) = match (code.group, group) {
        (codes::Group::X | codes::Group::XImport, _) => ("m.x", X),
        (codes::Group::Pair, _) | (_, b'A') => ("m.md5anim", ANIM),
        (_, b'C') => ("m.md5camera", CAMERA),
        _ => ("m.md5mesh", MESH),
    };
    let is_anim = name == "m.md5anim";
    let is_mesh = name == "m.md5mesh";
    // A number, a count and a block that each kind of file has.
    let (number, count, block) = match (is_mesh, is_anim) {
        (true, _) => ("( 8 8 0 )", "numMeshes 1", "mesh {"),
        (_, true) => ("\n\t15\n", "numFrames 3", "hierarchy {"),
        _ => ("( 5 0 0 )", "numFrames 4", "camera {"),
    };
    let edit = |from: &str, to: &str| base.contains(from).then(|| edited(base, from, to).into_bytes());
    let number_as = |from: &str, to: &str| edit(number, &number.replacen(from, to, 1));
    let digit = match (is_mesh, is_anim) {
        (true, _) => "8",
        (_, true) => "15",
        _ => "5",
    };
    let line = base.lines().find(|line| line.starts_with("commandline")).unwrap_or_default();
    let text = match code.name {
        "commandline-missing" => edit(&format!("{line}\n"), ""),
        "commandline-value" => edit(line, "commandline two words"),
        "long-string" => edit(line, &format!("commandline \"{}\"", "x".repeat(5000))),
        "keyword-order" if is_mesh => edit("numJoints 2\nnumMeshes 1", "numMeshes 1\nnumJoints 2"),
        "keyword-order" if is_anim => edit("numFrames 3\nnumJoints 2", "numJoints 2\nnumFrames 3"),
        "keyword-order" => edit("numFrames 4\nframeRate 24", "frameRate 24\nnumFrames 4"),
        "glued" if is_anim => edit("( -1 -1 -1 )", "(-1 -1 -1)"),
        "glued" => edit("( 0 0 0 )", "(0 0 0)"),
        "line-break" => edit(block, &block.replace(" {", "\n{")),
        "leading-zero" => number_as(digit, &format!("0{digit}")),
        "comment" => edit(line, &format!("{line} /* made by hand */")),
        "unquoted-name" if is_mesh => edit("\"models/test\"", "models/test"),
        "unquoted-name" if is_anim => edit("\"bone\"", "bone"),
        "number-spelling" => number_as(digit, &format!("+{digit}")),
        "long-line" => edit(line, &format!("{line}{}", " ".repeat(600))),
        "not-ascii" => edit("MD5Version", "\u{feff}MD5Version"),
        "cr-only" => Some(base.replace('\n', "\r").replace(line, &format!("{line} // x")).into_bytes()),
        "keyword-spelling" => edit("MD5Version", "md5version"),
        "joined-strings" if is_mesh => edit("\"bone\"", "\"bo\" \"ne\""),
        "joined-strings" if is_anim => edit("\"bone\"", "\"bo\" \"ne\""),
        "joined-strings" => edit(line, "commandline \"a\" \"b\""),
        "other-base" => number_as(digit, &format!("0x{digit}")),
        "fraction-dropped" => edit(count, &format!("{count}.5")),
        "repeated-line" => edit(count, &format!("{count}\n{count}")),
        "surplus-block" if is_mesh => {
            edit("mesh {", "mesh {\n\tshader \"x\"\n\tnumverts 0\n\tnumtris 0\n\tnumweights 0\n}\n\nmesh {")
        }
        "surplus-block" => edit("numFrames 3", "numFrames 2"),
        "block-count" if is_mesh => edit("numJoints 2", "numJoints 1"),
        "block-count" if is_anim => edit("numJoints 2", "numJoints 3"),
        "block-count" => edit("numFrames 4", "numFrames 3"),
        "trailing-text" => Some(format!("{base}\nthe end\n").into_bytes()),
        "other-layout" => edit("shader", "flags { 1 }\n\tshader"),
        "late-parent" if is_mesh => Some(CHILD_FIRST.into()),
        "late-parent" => {
            edit("\"origin\"\t-1 1 0\t// ( Tx )\n\t\"bone\"\t0 36 1", "\"bone\"\t1 36 1\n\t\"origin\"\t-1 1 0")
        }
        "weight-sum" if is_mesh => edit("weight 3 0 0.5", "weight 3 0 1.5"),
        "weight-sum" => edit("    0.75;\n    1.0,0.0", "    0.5;\n    1.0,0.0"),
        "record-number" => edit("tri 1 ", "tri 7 "),
        "record-count" => edit("numverts 4", "numverts 3"),
        "degenerate-triangle" => edit("tri 1 0 3 2", "tri 1 0 3 3"),
        "unused-weight" => edit("numweights 5", "numweights 6").map(|text| {
            let text = String::from_utf8(text).expect("ASCII");
            edited(&text, "( -8 0 -10 )\n", "( -8 0 -10 )\n\tweight 5 0 1 ( 0 0 0 )\n").into_bytes()
        }),
        "first-component" => edit("\"bone\"\t0 36 1", "\"bone\"\t0 0 9"),
        "block-missing" => {
            edit("bounds {\n\t( -1 -1 -1 ) ( 1 1 1 )\n\t( -2 -2 -2 ) ( 2 2 2 )\n\t( -3 -3 -3 ) ( 3 3 3 )\n}\n", "")
        }
        "bounds-count" => edit("\t( -3 -3 -3 ) ( 3 3 3 )\n", ""),
        "frame-order" => edit("frame 1 {", "frame 0 {"),
        "bounds-inverted" => edit("( -1 -1 -1 ) ( 1 1 1 )", "( 1 1 1 ) ( -1 -1 -1 )"),
        "bounds-small" => Some(base.into()),
        "bounds-large" => edit("( -1 -1 -1 ) ( 1 1 1 )", "( -999 -999 -999 ) ( 999 999 999 )"),
        "byte-order-mark" => Some(format!("\u{feff}{base}").into_bytes()),
        "comment-at-end" => Some(format!("{base}// made by hand").into_bytes()),
        "decimal-comma" => Some(base.replace(',', ";").replace('.', ",").into_bytes()),
        "separator-missing" => edit("   1.0;0.0;0.0;,", "   1.0;0.0 0.0;,"),
        "separator-extra" => edit("   4;\n   0.0", "   4;,,\n   0.0"),
        "separator-stray" => edit("  Mesh Square", "  ; Mesh Square"),
        "count" => edit("    4;\n    0,\n", "    7;\n    0,\n"),
        "unresolved-reference" => edit("{ Tip }", "{ tip }"),
        "bone-missing" => edit("\"Tip\"", "\"TIP\""),
        "skin-unused" => edit("    2;\n    2,\n    3;\n    0.75,\n    0.75;\n", "    0;\n    ;\n    ;\n"),
        "ticks-missing" => edit("AnimTicksPerSecond {\n 24;\n}\n", "").map(|text| {
            let text = String::from_utf8(text).expect("ASCII");
            edited(&edited(&text, "   36;4;", "   9600;4;"), "   24;4;", "   4800;4;").into_bytes()
        }),
        "normals-inside-out" => Some(tetrahedron("1", &INWARDS, "1").into_bytes()),
        "quaternion-length" => edit("12;4;0.707107,0.0,0.0,0.707107", "12;4;1.5,0.0,0.0,1.5"),
        _ => None,
    }?;
    let mut files = vec![(name, text)];
    if is_anim {
        let mesh = if code.name == "late-parent" { CHILD_FIRST } else { MESH };
        files.push(("m.md5mesh", mesh.into()));
    }
    Some(files)
}

/// A camera has no names, and additions of other versions are known only for meshes.
const NEVER_FOUND: [&str; 3] = ["MD5A030", "MD5C014", "MD5C030"];

#[test]
fn every_code_that_fix_promises_is_fixed() {
    let mut wrong = Vec::new();
    for code in codes::all().iter().filter(|code| code.can_fix) {
        let Some(files) = broken(code) else {
            if NEVER_FOUND.contains(&code.id) {
                continue;
            }
            wrong.push(format!("{} {}: no file is broken that way", code.id, code.name));
            continue;
        };
        let inputs = files.iter().map(|(path, bytes)| Input { path: PathBuf::from(path), bytes: Ok(bytes.clone()) });
        let mut before = check(inputs.collect(), &Options::default());
        fix::mark_tried(&mut before, &Options::default(), |_| true);
        let is_promised =
            before.files[0].findings.iter().any(|finding| finding.code == code && finding.promise == Promise::Tried);
        if !is_promised {
            wrong.push(format!("{} {}: only {:?} are found", code.id, code.name, found(&before, 0)));
            continue;
        }
        let repairs = fix::fix(&before, &Options::default());
        let after = fix::recheck(&before, &repairs.fixed, &Options::default());
        let done = words(&repairs.fixed, 0);
        if found(&after, 0).contains(&code.id) || !done.contains(code.id) {
            let why = repairs.given_up.get(&0);
            wrong.push(format!("{} {}: is left ({why:?}); done: {done}", code.id, code.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Faces of a tetrahedron at the origin, by the right-hand rule.
const OUTWARDS: [&str; 4] = ["0,2,1", "0,1,3", "0,3,2", "1,2,3"];
const INWARDS: [&str; 4] = ["0,1,2", "0,3,1", "0,2,3", "1,3,2"];

/// A tetrahedron with these faces, its normals pointing outwards times `sign`, in a frame that scales x.
fn tetrahedron(x: &str, faces: &[&str], sign: &str) -> String {
    let count = faces.len();
    let list = |part: &dyn Fn(usize) -> String| (0..count).map(part).collect::<Vec<_>>().join(",") + ";";
    let normals = ["0;0;-1;", "0;-1;0;", "-1;0;0;", "1;1;1;"].map(|normal| match sign {
        "-1" => normal.replace("-1", "+").replace('1', "-1").replace('+', "1"),
        _ => normal.to_owned(),
    });
    format!(
        "xof 0303txt 0032\nFrame F {{ FrameTransformMatrix {{ {x},0,0,0,0,1,0,0,0,0,1,0,0,0,0,1;; }}\n\
         Mesh M {{ 4; 0;0;0;, 1;0;0;, 0;1;0;, 0;0;1;;\n{count}; {}\n\
         MeshNormals {{ {count}; {}\n{count}; {} }} }} }}\n",
        list(&|face| format!("3;{};", faces[face])),
        list(&|face| normals[face].clone()),
        list(&|face| format!("3;{face},{face},{face};")),
    )
}

/// The volume is negative by the right-hand rule where faces point inwards; a frame that mirrors turns them over.
#[test]
fn only_closed_meshes_are_turned_over() {
    let cases = [
        ("1", &INWARDS[..], "1", Some(tetrahedron("1", &OUTWARDS, "1")), "faces of mesh 0"),
        ("-1", &INWARDS, "1", None, ""),
        ("-1", &OUTWARDS, "1", Some(tetrahedron("-1", &INWARDS, "1")), "faces of mesh 0"),
        ("1", &OUTWARDS, "-1", Some(tetrahedron("1", &OUTWARDS, "1")), "normals of mesh 0"),
        ("1", &INWARDS[..3], "1", None, "the mesh is not closed"),
    ];
    for (x, faces, sign, expected, why) in cases {
        let file = tetrahedron(x, faces, sign).into_bytes();
        let before = check(vec![Input { path: "m.x".into(), bytes: Ok(file) }], &Options::default());
        let repairs = fix::fix(&before, &Options::default());
        let text = repairs.fixed.first().map(|fixed| String::from_utf8(fixed.bytes.clone()).unwrap());
        assert_eq!(text, expected, "{x} {faces:?} {sign}");
        let finding = before.files[0].findings.iter().find(|finding| finding.code.id == "XFI021");
        assert_eq!(finding.is_none(), why.is_empty(), "{x} {faces:?} {sign}");
        let told = finding.map(|finding| repairs.why_left(0, &before.files[0], finding)).unwrap_or_default();
        assert!(words(&repairs.fixed, 0).contains(why) || told.contains(why), "{told} {:?}", repairs.fixed);
    }
}

/// A repair that could be repeated is made only once.
#[test]
fn repairs_are_made_only_once() {
    let base = include_str!("../cases/validate/base.x");
    let without = edited(base, "AnimTicksPerSecond {\n 24;\n}\n", "");
    // The clip is so long that Direct3D's default rate is plausible.
    let text = edited(&edited(&without, "   36;4;", "   9600;4;"), "   24;4;", "   4800;4;");
    let before = check(vec![Input { path: "m.x".into(), bytes: Ok(text.into_bytes()) }], &Options::default());
    let fixed = fix::fix(&before, &Options::default()).fixed;
    let text = String::from_utf8_lossy(&fixed[0].bytes);
    assert_eq!(text.matches("\nAnimTicksPerSecond {").count(), 1, "{text}");
    // Wine drops objects without a declared template.
    assert_eq!(text.matches("template AnimTicksPerSecond {").count(), 1, "{text}");
    assert_eq!(fixed[0].done.iter().filter(|done| done.starts_with("XF126")).count(), 1, "{:?}", fixed[0].done);
}

/// The boxes of a clip are checked once its frames are numbered.
#[test]
fn what_a_repaired_fault_had_hidden_is_repaired_with_it() {
    let anim = edited(ANIM, "frame 2 {", "frame 9 {");
    let before = report(MESH, Some(&anim));
    let fixed = fix::fix(&before, &Options::default()).fixed;
    let after = fix::recheck(&before, &fixed, &Options::default());
    assert!(words(&fixed, 1).contains("MD5A211"), "{}", words(&fixed, 1));
    assert_eq!(fix::fix(&after, &Options::default()).fixed, [], "{}", words(&fixed, 1));
}

/// Damage whose repair would be a guess: the text that the file keeps, and its code.
#[test]
fn repairs_do_not_guess() {
    let mesh = |from: &str, to: &str| vec![("m.md5mesh", edited(MESH, from, to))];
    let anim = |from: &str, to: &str| vec![("m.md5anim", edited(ANIM, from, to)), ("m.md5mesh", MESH.to_owned())];
    let x = |from: &str, to: &str| vec![("m.x", edited(include_str!("../cases/validate/base.x"), from, to))];
    let cases = [
        ("MD5M012", mesh("weight 3 0 0.5", "weight 3 0 nan"), "weight 3 0 nan"),
        ("MD5A012", anim("\t10 0\n", "\t10 -1.#IND00\n"), "-1.#IND00"),
        ("MD5A012", anim("( 0 0 10 )", "( 0 inf 10 )"), "( 0 inf 10 )"),
        // The second row is missing, or the first.
        ("MD5A209", anim("\t( 5 6 7 ) ( 0 0 0 )\n", ""), "baseframe {\n\t( 0 0 10 ) ( 0 0 0 )\n}"),
        ("MD5A209", anim("( 5 6 7 )", "( 1 1 1 ) ( 0 0 0 )\n\t( 5 6 7 )"), "( 1 1 1 ) ( 0 0 0 )\n\t( 5 6 7 )"),
        // A frame is missing.
        ("MD5A211", anim("frame 1 {\n\t15\n\t12 0.5\n}\n", ""), "frame 2 {"),
        ("MD5M028", mesh("numJoints 2", "numJoints 3"), "numJoints 3"),
        // A vertex is missing, so the following ones have other numbers than the triangles expect.
        (
            "MD5M212",
            mesh("\tvert 1 ( 1 0 ) 1 1\n", "\tvert 0 ( 0 0 ) 0 1\n\tvert 1 ( 1 0 ) 1 1\n"),
            "vert 0 ( 0 0 ) 0 1\n\tvert 0",
        ),
        // The range is too short, not its weight.
        ("MD5M204", mesh("vert 3 ( 0 1 ) 3 2", "vert 3 ( 0 1 ) 3 1"), "weight 3 0 0.5"),
        // A corner is not the number without its fraction, and a joint not the bias in its place.
        ("MD5M025", mesh("tri 1 0 3 2", "tri 1 0 2.5 2"), ""),
        ("MD5M204", mesh("weight 3 0 0.5", "weight 3 1.0 3"), ""),
        // A vertex is there twice, so that the triangles name others.
        (
            "MD5M211",
            mesh("numverts 4\n\tvert 0 ( 0 0 ) 0 1\n", "numverts 5\n\tvert 0 ( 0 0 ) 0 1\n\tvert 0 ( 0 0 ) 0 1\n"),
            "vert 0 ( 0 0 ) 0 1\n\tvert 0",
        ),
        // The weights of several vertices are not those of one.
        ("MD5M204", mesh("vert 1 ( 1 0 ) 1 1", "vert 1 ( 1 0 ) 1 4"), "vert 1 ( 1 0 ) 1 4"),
        ("MD5M008", mesh("shader \"models/test\"", ""), ""),
        ("MD5M008", mesh("\tnumtris 2\n\ttri 0 0 2 1\n\ttri 1 0 3 2\n", ""), ""),
        ("MD5A008", anim("frameRate 24\n", ""), ""),
        // At 4800 ticks per second, nothing would be visible.
        ("XF126", x("AnimTicksPerSecond {\n 24;\n}\n", ""), ""),
        // No bone has this name, and it is unknown which one is meant.
        ("XF096", x("\"Tip\"", "\"Top\""), "\"Top\""),
    ];
    for (code, files, holds) in cases {
        let inputs = files.iter().map(|(path, text)| Input { path: path.into(), bytes: Ok(text.clone().into_bytes()) });
        let mut before = check(inputs.collect(), &Options::default());
        assert!(found(&before, 0).contains(&code), "{code}: only {:?}", found(&before, 0));
        fix::mark_tried(&mut before, &Options::default(), |_| true);
        assert!(
            before.files[0].findings.iter().all(|finding| finding.code.id != code || finding.promise == Promise::None),
            "{code}"
        );
        let repairs = fix::fix(&before, &Options::default());
        let after = fix::recheck(&before, &repairs.fixed, &Options::default());
        assert!(found(&after, 0).contains(&code), "{code} is gone: {}", words(&repairs.fixed, 0));
        assert!(!words(&repairs.fixed, 0).contains(code), "{code}: {}", words(&repairs.fixed, 0));
        let left = after.files[0].findings.iter().find(|finding| finding.code.id == code).expect("a finding");
        assert!(!repairs.why_left(0, &after.files[0], left).is_empty());
        if let Some(fixed) = repairs.fixed.iter().find(|fixed| fixed.file == 0) {
            let text = String::from_utf8_lossy(&fixed.bytes);
            assert!(text.contains(holds), "{code}: {text}");
        }
    }
}

/// Several faults in one file: some are repaired and some are left, and every finding that disappears is listed.
#[test]
fn of_several_faults_only_the_unambiguous_ones_are_repaired() {
    const X: &str = include_str!("../cases/validate/base.x");
    let all =
        |text: &str, edits: &[(&str, &str)]| edits.iter().fold(text.to_owned(), |text, (a, b)| edited(&text, a, b));
    let mesh = |edits: &[(&str, &str)]| vec![("m.md5mesh", all(MESH, edits))];
    let anim = |edits: &[(&str, &str)]| vec![("m.md5anim", all(ANIM, edits)), ("m.md5mesh", MESH.to_owned())];
    let x = |edits: &[(&str, &str)]| vec![("m.x", all(X, edits))];
    let (no_line, no_clip_line) = (("commandline \"x\"\n", ""), ("commandline \"\"\n", ""));
    let tip = ("{ Tip }", "{ tip }");
    let weights = "0.75,\n    0.75";
    // Files, repaired codes, remaining codes, and text in the new file, or nothing if it is not written.
    type Damage<'a> = (Vec<(&'static str, String)>, &'a [&'a str], &'a [&'a str], &'a [&'a str]);
    let damages: [Damage; 21] = [
        (mesh(&[no_line, ("weight 3 0 0.5", "weight 3 0 nan")]), &["MD5M002"], &["MD5M012"], &["weight 3 0 nan"]),
        (anim(&[no_clip_line, ("10 0\n", "10 -1.#IND00\n")]), &["MD5A002"], &["MD5A012"], &["-1.#IND00"]),
        (anim(&[no_clip_line, ("\t( 5 6 7 ) ( 0 0 0 )\n", "")]), &[], &["MD5A002", "MD5A209"], &[]),
        (mesh(&[no_line, ("\"bone\"", "\"b one\"")]), &["MD5M002"], &["MD5M014"], &["\"b one\""]),
        (
            anim(&[("numAnimatedComponents 3", "numAnimatedComponents 4")]),
            &["MD5A212", "MD5P009"],
            &[],
            &["Components 3"],
        ),
        (
            anim(&[("10 0\n", "010 0\n"), ("frame 1 {\n\t15\n\t12 0.5\n}\n", "")]),
            &["MD5A011"],
            &["MD5A211"],
            &["numFrames 3", "frame 2 {"],
        ),
        (anim(&[no_clip_line, ("numFrames 3", "numFrames 5")]), &["MD5A002"], &["MD5A210"], &["numFrames 5"]),
        (mesh(&[no_line, ("\tvert 1 ( 1 0 ) 1 1\n", "")]), &[], &["MD5M002", "MD5M212"], &[]),
        (mesh(&[no_line, ("tri 1 0 3 2", "tri 1 0 3 9")]), &[], &["MD5M002", "MD5M210"], &[]),
        (
            mesh(&[("Version 10", "Version 9"), ("numMeshes 1", "numMeshes 1.5")]),
            &["MD5M001", "MD5M025"],
            &[],
            &["Version 10"],
        ),
        (
            x(&[("   4;\n   0.0;0.0;0.0;,", "   7;\n   0.0;0.0;0.0;,"), ("    2;\n    2,\n", "    3;\n    2,\n")]),
            &["XF048"],
            &[],
            &["   4;\n   0.0;0.0;0.0;,", "    2;\n    2,\n"],
        ),
        (
            x(&[("12;4;0.707107,0.0,0.0,0.707107", "12;4;1.5,0.0,0.0,1.5"), ("24;4;0.707107,0.0", "24;4;nan,0.0")]),
            &["XF127"],
            &["XF042"],
            &["12;4;0.707107,0.000000,0.000000,0.707107", "24;4;nan,0.0,0.0,0.707107"],
        ),
        // A vertex is missing, so the faces use more vertices than exist.
        (x(&[("   1.0;0.0;0.0;,\n", ""), tip]), &[], &["XF048"], &[]),
        (x(&[("\"Tip\"", "\"Top\""), (weights, "0.5,\n    0.5")]), &["XF097"], &["XF096"], &["\"Top\"", "0.333333"]),
        (
            x(&[("1.0;0.0;0.0;,", "1.0;0.0 0.0;,"), (weights, "0.5,\n    0.5")]),
            &["XF031", "XF097"],
            &[],
            &["1.0;0.0; 0.0;,", "0.666667"],
        ),
        (x(&[tip, ("0.0,-2.0,0.0,1.0;;", "0.0,-2.0,0.0;;")]), &["XF053"], &["XF045"], &["0.0,-2.0,0.0;;", "{ Tip }"]),
        (
            x(&[(weights, "nan,\n    0.5")]),
            &["XF097"],
            &["XF042"],
            &["    0.25,\n    0.333333;", "    nan,\n    0.666667;"],
        ),
        (
            x(&[("AnimTicksPerSecond {\n 24;\n}\n", ""), ("   4;\n   0.0;0.0;0.0;,", "   5;\n   0.0;0.0;0.0;,")]),
            &["XF048"],
            &["XF126"],
            &["   4;\n   0.0;0.0;0.0;,"],
        ),
        (x(&[("12;4;0.707107,0.0,0.0,0.707107", "12;4;0.0,0.0,0.0,0.0")]), &[], &["XF127"], &[]),
        // A weight is missing: indices and weights disagree, and it is unknown which sums are wrong.
        (x(&[("    0.25,\n    0.25;\n", "    0.25;\n")]), &[], &["XF045"], &[]),
        (x(&[("    0.0;0.0;;\n   }\n", "    0.0;0.0;;\n"), tip]), &[], &["XF021"], &[]),
    ];
    for (number, (files, mended, left, holds)) in damages.into_iter().enumerate() {
        let inputs = files.iter().map(|(path, text)| Input { path: path.into(), bytes: Ok(text.clone().into_bytes()) });
        let before = check(inputs.collect(), &Options::default());
        let repairs = fix::fix(&before, &Options::default());
        let after = fix::recheck(&before, &repairs.fixed, &Options::default());
        let done = words(&repairs.fixed, 0);
        let at = format!("damage {number}: done {done:?}, found {:?}, then {:?}", found(&before, 0), found(&after, 0));
        assert!(mended.iter().all(|code| done.contains(code)), "{at}");
        assert!(left.iter().all(|code| found(&after, 0).contains(code) && !done.contains(code)), "{at}");
        for gone in found(&before, 0).into_iter().filter(|code| !found(&after, 0).contains(code)) {
            assert!(done.contains(gone), "{gone} is gone in silence: {at}");
        }
        let fixed = repairs.fixed.iter().find(|fixed| fixed.file == 0);
        assert_eq!(fixed.is_some(), !holds.is_empty(), "{at}");
        let text = fixed.map_or_else(String::new, |fixed| String::from_utf8_lossy(&fixed.bytes).into_owned());
        assert!(holds.iter().all(|part| text.contains(part)), "{at}: {text}");
    }
}

/// A clip's boxes contain the repaired mesh, not the old one.
#[test]
fn boxes_are_computed_from_the_repaired_mesh() {
    // Three times the weight moves the vertex three times as far out.
    let mesh = edited(MESH, "weight 1 0 1 ( 8", "weight 1 0 3 ( 8");
    let boxes = |mesh: &str| {
        let before = report(mesh, Some(ANIM));
        let fixed = fix::fix(&before, &Options::default()).fixed;
        let clip = fixed.iter().find(|fixed| fixed.file == 1).expect("a repaired clip");
        let text = String::from_utf8(clip.bytes.clone()).expect("ASCII");
        text.split("baseframe").next().unwrap_or_default().to_owned()
    };
    assert_eq!(boxes(&mesh), boxes(MESH));
}

#[test]
fn a_valid_file_is_not_changed() {
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
fn no_file_is_overwritten() {
    let folder = folder("validate_fix_over");
    let (old, new) = (folder.join("in/deep/m.md5mesh"), folder.join("out"));
    std::fs::create_dir_all(old.parent().expect("a folder")).expect("writable");
    std::fs::write(&old, "old").expect("writable");
    let roots = [folder.join("in")];

    // Below a folder that was named, a file keeps its relative path.
    let target = fix::write(&new, &old, &roots, b"new").expect("writable");
    assert_eq!(target, new.join("deep/m.md5mesh"));
    assert_eq!(std::fs::read(&target).expect("readable"), b"new");
    // The second attempt fails, because the file exists.
    let again = fix::write(&new, &old, &roots, b"newer").expect_err("the file exists");
    assert_eq!(again.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&target).expect("readable"), b"new");
    // No file is written into the folder of the old files.
    let onto = fix::write(&folder.join("in"), &old, &roots, b"newer").expect_err("the file exists");
    assert_eq!(onto.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&old).expect("readable"), b"old");
    // No temporary files are left.
    let left: Vec<_> = std::fs::read_dir(new.join("deep")).expect("a folder").collect();
    assert_eq!(left.len(), 1);
}
