//! One cause, one finding in `.x` files: its line, its advice, and its repair by `--fix`.

use bindpose::diagnostic::Severity;
use bindpose::validate::finding::Finding;
use bindpose::validate::fix;
use bindpose::validate::profiles::{PROFILES, Profile};
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, Validation, check};

const X: &str = include_str!("../cases/validate/base.x");

fn report(text: &str) -> Validation {
    check(vec![Input { path: "m.x".into(), bytes: Ok(text.as_bytes().to_vec()) }], &Options::default())
}

/// Returns errors and warnings for Direct3D, with their lines.
fn reported(report: &Validation) -> Vec<(&Finding, u32)> {
    let selection = Selection { profiles: vec![Profile::find("d3dx9").expect("a profile")], ..Selection::default() };
    let file = &report.files[0];
    let source = report.sources.get(file.source);
    let found = file.findings.iter().filter(|finding| selection.severity(finding) >= Some(Severity::Warning));
    found.map(|finding| (finding, source.position(finding.first.span.start).line)).collect()
}

/// Returns the text of the repaired file, if there is one.
fn repaired(report: &Validation) -> Option<String> {
    let fixed = fix::fix(report, &Options::default()).fixed;
    fixed.into_iter().next().map(|fixed| String::from_utf8(fixed.bytes).expect("text"))
}

fn edited(from: &str, to: &str) -> String {
    assert!(X.contains(from), "{from:?} is not in the file");
    X.replacen(from, to, 1)
}

/// Returns the file as written by a program that puts spaces after commas.
fn spaced() -> String {
    X.replace(',', ", ")
}

#[test]
fn one_cause_is_one_finding() {
    /// Text, code, line, and words of the message, a note or the advice.
    type Case = (String, &'static str, u32, &'static str);
    let cut = |at: &str| X[..X.find(at).expect("a place to cut") + at.len()].to_owned();
    let cases: [Case; 19] = [
        // A block of unknown type is skipped, including the frame that a skin and an animation refer to.
        (edited("Frame Tip", "Frme Tip"), "XF052", 6, "did you mean 'Frame'?"),
        (edited("Frame Tip", "FrameTip"), "XF052", 6, "did you mean 'Frame Tip'?"),
        (edited("SkinWeights {\n    \"Tip", "SkinWeghts {\n    \"Tip"), "XF052", 68, "did you mean 'SkinWeights'?"),
        (
            edited(
                "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-2.0",
                "0.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-2.0",
            ),
            "XF135",
            69,
            "the offset matrix of bone 'Tip' has a row of zeros",
        ),
        (edited("Frame Tip", "Frame Tpi"), "XF096", 69, "did you mean 'Tpi'?"),
        (edited("\"Tip\"", "\"Tpi\""), "XF096", 69, "did you mean 'Tip'?"),
        (edited("\"Tip\"", "\"Ti\np\""), "XF096", 69, r"'Ti\np': did you mean 'Tip'?"),
        (edited("\"Tip\"", "\"Ti\np\""), "XF096", 69, r"skin weights name 'Ti\np'"),
        (edited("{ Tip }", "{ Tpi }"), "XF053", 85, "did you mean 'Tip'?"),
        // Two frames have one name, and none has the other.
        (edited("Frame Tip", "Frame Body"), "XF111", 11, "no frame is named 'Tip': the second one may be meant"),
        (X.replace(',', ";").replace('.', ","), "XF049", 4, "numbers have decimal commas, such as '1,0'"),
        (spaced().replace('.', ","), "XF049", 4, "export with decimal points"),
        (format!("{X}// made by hand"), "XF024", 104, "add one"),
        (cut("    \"Ti"), "XF021", 69, "the file ends here, inside 'SkinWeights': export or download it again"),
        (cut("    \"Tip\";\n    2"), "XF021", 70, "the file ends here, inside 'SkinWeights'"),
        (cut("{ Ti"), "XF021", 85, "the file ends here, inside 'Animation'"),
        (cut("   1.0;4.0;"), "XF021", 19, "the file ends here, inside 'Mesh': 2 of 4 records are missing"),
        (edited("   12;4;", "   99;4;"), "XF115", 90, "correct the time"),
        (format!("\u{feff}{X}"), "XF005", 1, "save the file without a byte order mark"),
    ];
    for (text, code, line, words) in cases {
        let report = report(&text);
        let found = reported(&report);
        let [(finding, at)] = found[..] else {
            panic!(
                "{code}: {:?}",
                found.iter().map(|(finding, at)| (finding.code.id, at, &finding.message)).collect::<Vec<_>>()
            )
        };
        assert_eq!((finding.code.id, at), (code, line), "{}", finding.message);
        let help = finding.help();
        let mut texts = finding.notes.iter().map(String::as_str).chain([finding.message.as_str(), &help]);
        assert!(texts.any(|text| text.contains(words)), "{code}: {words:?} in {finding:?}");
    }
}

/// A file edited by hand, with two meshes in a frame.
#[test]
fn a_mesh_in_a_mesh_shows_the_missing_brace_without_indentation() {
    let flat: String = X.lines().map(|line| format!("{}\n", line.trim_start())).collect();
    let (end, without) = ("}\n}\n}\n}\nAnimTicks", "}\nMesh Two {\n0;\n0;\n}\n}\n}\nAnimTicks");
    assert!(flat.contains(end), "{flat}");
    let report = report(&flat.replacen(end, without, 1));
    let found = report.files[0].findings.iter().find(|finding| finding.code.id == "XF021").expect("an error");
    let line = |at| report.sources.get(report.files[0].source).position(at).line;
    assert_eq!(line(found.first.span.start), 15, "{}", found.message);
    assert_eq!(
        (line(found.related[0].span.start), &*found.related[0].message),
        (77, "this Mesh begins inside another Mesh")
    );
}

/// Every program stops at a fault, or shows it, in its own way and place.
#[test]
fn one_cause_is_one_finding_for_all_programs() {
    let selection = Selection { profiles: PROFILES.iter().collect(), ..Selection::default() };
    let reported = |text: &str| -> Vec<(&'static str, u32)> {
        let report = report(text);
        let (file, source) = (&report.files[0], report.sources.get(report.files[0].source));
        let found = file.findings.iter().filter(|finding| selection.severity(finding) >= Some(Severity::Warning));
        found.map(|finding| (finding.code.id, source.position(finding.first.span.start).line)).collect()
    };
    let usual: Vec<&str> = reported(X).into_iter().map(|(code, _)| code).collect();
    let keys = "  AnimationKey {\n   0;\n   1;\n   0;4;1.0,0.0,0.0,0.0;;;\n  }\n";
    let template = |end: &str| format!("template A {{\n <10dd46a3-775b-11cf-8f52-0040333594a3{end}\n DWORD n;\n");
    let second = X.rfind("   SkinWeights").expect("weights");
    let weights = &X[second..second + X[second..].find("   }\n").expect("an end") + 5];
    let other = "template B {\n <10dd46a3-775b-11cf-8f52-0040333594a4>\n DWORD n;\n}\n";
    for (text, code, line) in [
        (edited("   4;\n   0;4;", "   0;4;"), "XF045", 88),
        (edited("   0;\n   4;\n   0;4", "   4;\n   0;4"), "XF045", 87),
        (edited("Mesh Square {\n   4;", "Mesh Square {\n   4.0;"), "XF040", 16),
        (edited("1.0;4.0;0.0;,", "1.0;4.0;0.0;0.0;,"), "XF046", 19),
        (edited("1.0;4.0;0.0;,", "1.0;4.0.1;0.0;,"), "XF020", 19),
        (edited("1.0;4.0;0.0;,", "1.0;1.5e;0.0;,"), "XF020", 19),
        (edited("1.0;4.0;0.0;,", "1.0;1e40;0.0;,"), "XF042", 19),
        (edited("    0.25,\n    0.25;", "    nan,\n    0.25;"), "XF042", 64),
        (edited("3;0,2,3;;", "3;0,2,4;;"), "XF071", 23),
        (edited("   2;\n   3;0,1,2;,\n", "   2;\n"), "XF048", 21),
        (edited("\"Tip\"", "\"Tip"), "XF023", 69),
        (edited("Frame Tip", "Frame T.ip"), "XF027", 6),
        (edited("  { Tip }", "  Tip"), "XF020", 85),
        (edited("  AnimationKey {\n   0;", &format!("{keys}  AnimationKey {{\n   0;")), "XF117", 91),
        (edited("   0;\n   4;\n   0;4", "   4;\n   4;\n   0;4"), "XF114", 87),
        (edited("   12;4;", "   12.5;4;"), "XF040", 90),
        (edited("txt 0032", "txt"), "XF007", 1),
        (edited("Frame Root", &format!("{}}}\nFrame Root", template(""))), "XF056", 3),
        (edited("Frame Root", &format!("{}{other}Frame Root", template(">"))), "XF021", 2),
        (edited("Frame Root", "/* old */\nFrame Root"), "XF022", 2),
        (edited("   MeshNormals {", "   }\n   MeshNormals {"), "XF034", 24),
        (edited("Bend {", "Bend"), "XF020", 83),
        (X[..X.find("   1.0;4.0").expect("a place to cut") + 10].to_owned(), "XF021", 19),
        ("xof 0303txt 0032\ntemplate A {\n <10dd46a3-775b-11cf-8f52-0040333594a3>\n DWO".to_owned(), "XF021", 4),
        (format!("\u{feff}{X}"), "XF005", 1),
        (spaced().replace('.', ","), "XF049", 4),
        (edited("Frame Tip", "Frame Tpi"), "XF096", 69),
        // A message about a whole object belongs to the fault in it.
        (edited("   12;4;", "   99;4;"), "XF115", 90),
        (edited("   12;4;", "   -12;4;"), "XF041", 90),
        (edited("    0,\n    0;\n", "    0,\n    -1;\n"), "XF041", 42),
        (edited("    2,\n    3;\n    0.75", "    2,\n    9;\n    0.75"), "XF095", 72),
        (edited(weights, &weights.repeat(2)), "XF093", 78),
    ] {
        let new: Vec<_> = reported(&text).into_iter().filter(|(code, _)| !usual.contains(code)).collect();
        assert_eq!(new, [(code, line)]);
    }
}

/// Direct3D's comments end at LF only.
#[test]
fn a_comment_without_lf_hides_the_rest() {
    let text = X.replacen("\n", "\n// made by hand\n", 1);
    let report = report(&text.replace('\n', "\r"));
    let (finding, line) = reported(&report)[0];
    assert_eq!((finding.code.id, line), ("XF024", 2));
    assert_eq!(finding.message, "lines end in CR alone, so that for Direct3D this comment goes on to the end");
    assert_eq!(repaired(&report), Some(text));
}

#[test]
fn repairs_are_exact() {
    let commas = spaced().replace('.', ",");
    assert_eq!(repaired(&report(&commas)).as_deref(), Some(&*spaced()));
    assert_eq!(repaired(&report(&format!("\u{feff}{X}"))).as_deref(), Some(X));
    assert_eq!(repaired(&report(&format!("{X}# end"))), Some(format!("{X}# end\n")));
    // A comma between digits only may be either.
    let glued = X.replace('.', ",");
    assert_eq!(repaired(&report(&glued)), None);
    assert!(reported(&report(&glued)).iter().any(|(finding, _)| finding.code.id == "XF049"));
}

/// A mesh that was scaled without its bones.
#[test]
fn another_unit_is_noticed() {
    let skin = |bone: &str, vertex: u32, at: u32| {
        format!(
            "SkinWeights {{ \"{bone}\"; 1; {vertex}; 1.0; 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,-{at}.0,0.0,1.0;; }}\n"
        )
    };
    let model = |scale: u32| {
        let vertices: Vec<String> = (0..3).map(|at| format!("1.0;{}.0;0.0;", at * scale)).collect();
        format!(
            "xof 0303txt 0032\nFrame a {{\n Frame b {{ }}\n Frame c {{ }}\n Mesh {{\n 3; {}; 1; 3;0,1,2;;\n \
             XSkinMeshHeader {{ 1; 3; 3; }}\n{}{}{} }}\n}}\n",
            vertices.join(","),
            skin("a", 0, 0),
            skin("b", 1, 1),
            skin("c", 2, 2)
        )
    };
    let codes =
        |scale| report(&model(scale)).files[0].findings.iter().map(|finding| finding.code.id).collect::<Vec<_>>();
    assert!(!codes(1).contains(&"XF134"), "{:?}", codes(1));
    assert!(codes(40).contains(&"XF134"), "{:?}", codes(40));
}
