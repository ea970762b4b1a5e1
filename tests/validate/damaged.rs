//! Damage that most importers accept silently: each has its code, on the right line.

use bindpose::diagnostic::Severity;
use bindpose::validate::report::{Selection, Style, Writer};
use bindpose::validate::{Input, Options, Validation, check};
use codespan_reporting::term::termcolor::NoColor;

const MESH: &str = include_str!("../cases/validate/base.md5mesh");
const ANIM: &str = include_str!("../cases/validate/base.md5anim");
const X: &str = include_str!("../cases/validate/base.x");

enum Damage {
    Mesh(&'static [(&'static str, &'static str)]),
    Anim(&'static [(&'static str, &'static str)]),
    X(&'static [(&'static str, &'static str)]),
    /// Cuts off everything after the text.
    CutX(&'static str),
    CutAnim(&'static str),
    AppendX(&'static str),
}
use Damage::{Anim, AppendX, CutAnim, CutX, Mesh, X as InX};

struct Case {
    name: &'static str,
    damage: Damage,
    code: &'static str,
    line: u32,
    severity: Severity,
}

const fn error(name: &'static str, damage: Damage, code: &'static str, line: u32) -> Case {
    Case { name, damage, code, line, severity: Severity::Error }
}

const fn warning(name: &'static str, damage: Damage, code: &'static str, line: u32) -> Case {
    Case { name, damage, code, line, severity: Severity::Warning }
}

const CASES: [Case; 34] = [
    error("a joint of the clip is renamed", Anim(&[("\"bone\"", "\"horn\"")]), "MD5P002", 11),
    error("numJoints of the clip", Anim(&[("numJoints 2", "numJoints 3")]), "MD5A028", 5),
    error("numFrames 999", Anim(&[("numFrames 3", "numFrames 999")]), "MD5A007", 4),
    error("a frame is short", Anim(&[("15\n\t12 0.5", "15\n\t12")]), "MD5A212", 32),
    warning(
        "all weights halved",
        Mesh(&[
            ("0 0 1 (", "0 0 0.5 ("),
            ("1 0 1 (", "1 0 0.5 ("),
            ("2 0 1 (", "2 0 0.5 ("),
            ("3 0 0.5", "3 0 0.25"),
            ("4 1 0.5", "4 1 0.25"),
        ]),
        "MD5M204",
        17,
    ),
    error("a bias is not a number", Mesh(&[("1 0 1 (", "1 0 nan (")]), "MD5M012", 28),
    error("parents in a circle", Mesh(&[("\"origin\"\t-1", "\"origin\"\t1")]), "MD5M105", 8),
    error("a weight for joint 9999", Mesh(&[("4 1 0.5", "4 9999 0.5")]), "MD5M210", 31),
    warning("a quaternion of length 7.5", Mesh(&[("0 0 0.7071067691", "7.5 0 0")]), "MD5M109", 9),
    error("the last brace is missing", Mesh(&[("-10 )\n}", "-10 )\n")]), "MD5M008", 32),
    error("version 9", Mesh(&[("MD5Version 10", "MD5Version 9")]), "MD5M001", 1),
    error("numverts 3", Mesh(&[("numverts 4", "numverts 3")]), "MD5M212", 16),
    error("a vertex is missing", Mesh(&[("\tvert 1 ( 1 0 ) 1 1\n", "")]), "MD5M212", 18),
    error(
        "a vertex is there twice",
        Mesh(&[("\tvert 1 ( 1 0 ) 1 1\n", "\tvert 1 ( 1 0 ) 1 1\n\tvert 1 ( 1 0 ) 1 1\n")]),
        "MD5M212",
        19,
    ),
    error("a frame twice", Anim(&[("frame 1 {", "frame 0 {")]), "MD5A211", 30),
    warning("a box inside out", Anim(&[("( -2 -2 -2 ) ( 2 2 2 )", "( 2 2 2 ) ( -2 -2 -2 )")]), "MD5A220", 16),
    error("startIndex 99999", Anim(&[("0 36 1", "0 36 99999")]), "MD5A205", 11),
    error("frameRate 0", Anim(&[("frameRate 24", "frameRate 0")]), "MD5A202", 6),
    error("header 0909", InX(&[("0303", "0909")]), "XF006", 1),
    error("a bone that is no frame", InX(&[("\"Tip\";", "\"Top\";")]), "XF096", 69),
    error(
        "a weight for vertex 999999",
        InX(&[("    2,\n    3;\n    0.75", "    2,\n    999999;\n    0.75")]),
        "XF095",
        72,
    ),
    error("five weights too few", InX(&[("    4;\n    0,\n", "    9;\n    0,\n")]), "XF048", 57),
    error("key type 7", InX(&[("   0;\n   4;\n   0;4", "   7;\n   4;\n   0;4")]), "XF112", 87),
    error("three keys too few", InX(&[("   0;\n   4;\n   0;4", "   0;\n   7;\n   0;4")]), "XF048", 88),
    error("key times fall", InX(&[("24;4;", "6;4;")]), "XF115", 91),
    error("a brace is missing", InX(&[("    2;\n   }\n   SkinWeights", "    2;\n   SkinWeights")]), "XF021", 50),
    error("garbage at the end", AppendX("garbage 123;\n"), "XF020", 104),
    error("cut in half", CutX("0.0,0.0,-2"), "XF021", 75),
    error("cut behind a sign", CutX("0.0,0.0,-"), "XF021", 75),
    error("cut in a box", CutAnim("( -2 -2"), "MD5A008", 16),
    error("3 vertices announced", InX(&[("   4;\n   0.0;0.0;0.0;,", "   3;\n   0.0;0.0;0.0;,")]), "XF048", 16),
    error("an animation of nothing", InX(&[("{ Tip }", "{ Top }")]), "XF053", 85),
    warning(
        "empty SkinWeights",
        InX(&[("    2;\n    2,\n    3;\n    0.75,\n    0.75;\n", "    0;\n    ;\n    ;\n")]),
        "XF100",
        69,
    ),
    error(
        "1.#QNAN0 in a matrix",
        InX(&[(
            "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0",
            "1.#QNAN0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0",
        )]),
        "XF042",
        8,
    ),
];

/// Applies `edits` one after the other.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    edits.iter().fold(text.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from:?} is not in the file");
        text.replacen(from, to, 1)
    })
}

/// Returns the text up to the end of `at`.
fn cut(text: &str, at: &str) -> String {
    let end = text.find(at).expect("a place to cut") + at.len();
    text.get(..end).expect("ASCII").to_owned()
}

fn report(damage: &Damage) -> Validation {
    let file = |path: &str, text: String| Input { path: path.into(), bytes: Ok(text.into_bytes()) };
    let (mesh, anim, x) = (MESH.to_owned(), ANIM.to_owned(), X.to_owned());
    let files = match damage {
        Mesh(edits) => vec![file("m.md5mesh", edited(MESH, edits)), file("m.md5anim", anim)],
        Anim(edits) => vec![file("m.md5anim", edited(ANIM, edits)), file("m.md5mesh", mesh)],
        InX(edits) => vec![file("m.x", edited(X, edits))],
        CutX(at) => vec![file("m.x", cut(X, at))],
        CutAnim(at) => vec![file("m.md5anim", cut(ANIM, at)), file("m.md5mesh", mesh)],
        AppendX(tail) => vec![file("m.x", x + tail)],
    };
    check(files, &Options::default())
}

#[test]
fn every_damage_has_its_code_and_its_line() {
    let selection = Selection::default();
    let mut wrong = Vec::new();
    for case in &CASES {
        let report = report(&case.damage);
        // The damaged file is the first one.
        let file = &report.files[0];
        let source = report.sources.get(file.source);
        let found: Vec<_> = file
            .findings
            .iter()
            .map(|finding| {
                let severity = selection.severity(finding);
                (finding.code.id, source.position(finding.first.span.start).line, severity)
            })
            .collect();
        if !found.contains(&(case.code, case.line, Some(case.severity))) {
            wrong.push(format!("{}: {} in {} is not in {found:?}", case.name, case.code, case.line));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn undamaged_files_have_no_errors() {
    let report = report(&AppendX(""));
    let pair = self::report(&Mesh(&[]));
    let selection = Selection::default();
    for finding in report.files.iter().chain(&pair.files).flat_map(|file| &file.findings) {
        assert!(selection.severity(finding) < Some(Severity::Error), "{}: {}", finding.code.id, finding.message);
    }
}

#[test]
fn messages_stay_short() {
    let selection = Selection::default();
    for case in &CASES {
        let mut out = NoColor::new(Vec::new());
        let mut writer = Writer::new(Style::Human, &selection, Severity::Error, &mut out).expect("memory");
        writer.add(&report(&case.damage)).expect("memory");
        let at_fault = writer.finish().expect("memory").at_fault;
        let (length, errors) = (out.into_inner().len(), usize::from(case.severity == Severity::Error));
        assert!(at_fault >= errors, "{}", case.name);
        // Includes its share of the matrix.
        assert!(length < 4000, "{}: {length} bytes", case.name);
    }
}
