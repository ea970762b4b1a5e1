//! .x files: D3DX's verdicts according to docs/formats/x.md, and lints.

mod slips;

use crate::support::is_sampled;
use bindpose::diagnostic::Severity;
use bindpose::validate::profiles::{Effect, FormatFamily, LoaderFamily, PROFILES, Profile, fact};
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, Validation, check};
use bindpose_parsers::x::{self, Reading};
use std::path::PathBuf;

const BASE: &str = include_str!("../cases/validate/base.x");

fn report(bytes: &[u8]) -> Validation {
    check(vec![Input { path: PathBuf::from("model.x"), bytes: Ok(bytes.to_vec()) }], &Options::default())
}

/// Returns the base file with one passage replaced.
fn base(from: &str, to: &str) -> Vec<u8> {
    assert!(BASE.contains(from), "the base has no {from:?}");
    BASE.replacen(from, to, 1).into_bytes()
}

fn d3dx9() -> &'static Profile {
    Profile::find("d3dx9").expect("a profile")
}

/// Returns codes with the line of their first location, hints included, without those that only single engines have.
fn codes(report: &Validation) -> Vec<(String, u32)> {
    let file = &report.files[0];
    let line = |start| report.sources.get(file.source).position(start).line;
    let own = file.findings.iter().filter(|finding| !finding.by_engine);
    own.map(|finding| (finding.code.id.to_owned(), line(finding.first.span.start))).collect()
}

fn refuses(report: &Validation) -> bool {
    let judgement = report.files[0].judgements.iter().find(|judgement| judgement.profile == d3dx9());
    judgement.expect("a judgement").effect > Effect::Wrong
}

/// Returns D3DX's message.
fn words(report: &Validation) -> Option<&str> {
    let judgement = report.files[0].judgements.iter().find(|judgement| judgement.profile == d3dx9());
    judgement.expect("a judgement").message.as_deref()
}

struct Case {
    id: &'static str,
    bytes: Vec<u8>,
    /// Error of D3DX; `None` if it loads the file.
    error: Option<&'static str>,
    /// Codes that must be among the findings, with their lines.
    codes: &'static [(&'static str, u32)],
}

fn case(
    id: &'static str,
    bytes: impl Into<Vec<u8>>,
    error: Option<&'static str>,
    codes: &'static [(&'static str, u32)],
) -> Case {
    Case { id, bytes: bytes.into(), error, codes }
}

const PARSE: Option<&str> = Some("D3DXFERR_PARSEERROR");
const BAD_FILE: Option<&str> = Some("D3DXFERR_BADFILE");
const BAD_TYPE: Option<&str> = Some("D3DXFERR_BADFILETYPE");
const BAD_VERSION: Option<&str> = Some("D3DXFERR_BADFILEVERSION");
const BAD_FLOATS: Option<&str> = Some("D3DXFERR_BADFILEFLOATSIZE");
const BAD_ALLOC: Option<&str> = Some("DXFILEERR_BADALLOC");
const FAIL: Option<&str> = Some("E_FAIL");

fn text(body: &str) -> Vec<u8> {
    format!("xof 0303txt 0032\n{body}").into_bytes()
}

/// Returns a binary file of these words.
fn tokens(words: &[u16], tail: &[u32]) -> Vec<u8> {
    let mut bytes = b"xof 0303bin 0032".to_vec();
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(tail.iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

fn strict_cases() -> Vec<Case> {
    let square = "Mesh { 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2;; ";
    let mut base_and_garbage = BASE.as_bytes().to_vec();
    base_and_garbage.extend(b"garbage here 123;\n");
    vec![
        case("C01", "", BAD_FILE, &[("XF001", 1)]),
        case("C02", "just words, long enough", BAD_TYPE, &[("XF003", 1)]),
        case("C04", base("0303", "9999"), BAD_VERSION, &[("XF006", 1)]),
        case("C05", base("txt ", "cmp "), BAD_TYPE, &[("XF007", 1)]),
        case("C06", "xof 0302txt 0050\n", BAD_FLOATS, &[("XF008", 1)]),
        case("C07", "xof 0303txt 0032", None, &[("XF130", 1)]),
        case("C08", format!("xof 0303txt 0032{square}}}"), None, &[("XF131", 1)]),
        case("C14 signature", b"xof 0303bzip0032\x40\0\0\0\x20\0\x08\0XX\x03\0".to_vec(), BAD_ALLOC, &[]),
        case(
            "C18 one list separator too many",
            base("2,\n    3;\n    0.75", "2,,\n    3;\n    0.75"),
            PARSE,
            &[("XF032", 71)],
        ),
        case(
            "C24 unknown type",
            base("AnimTicksPerSecond {", "Unheard {\n { \n }\n}\nAnimTicksPerSecond {"),
            None,
            &[],
        ),
        case(
            "C25",
            text(&format!(
                "template Tag {{ <12345678-1234-1234-1234-123456789abc> DWORD n; array STRING names[n]; }}\n\
                 Frame {{ Tag {{ 2; \"a\",\"b\"; }} {square} Tag {{ 0; }} }} }}"
            )),
            None,
            &[],
        ),
        case(
            "C29",
            text("template Odd { <12345678-1234-1234-1234-123456789abc>\n array FLOAT v[n]; DWORD n; }\nFrame {}"),
            PARSE,
            &[("XF058", 3)],
        ),
        case("C30", text("Frame {}\n}\n"), PARSE, &[("XF034", 3)]),
        case("C31", &BASE.as_bytes()[..120], PARSE, &[("XF021", 4)]),
        case("C32 token 4", tokens(&[4], &[]), PARSE, &[("XF029", 1)]),
        case("C32 token 99", tokens(&[99], &[]), PARSE, &[("XF029", 1)]),
        case("C33", tokens(&[6], &[u32::MAX]), PARSE, &[("XF030", 1)]),
        case("C38", base("MeshMaterialList {\n    1;", "MeshMaterialList {\n    2;"), FAIL, &[("XF077", 39)]),
        case("C40 two corners", base("3;0,2,3;;\n   MeshN", "2;0,2;;\n   MeshN"), FAIL, &[("XF070", 23)]),
        case("C40 index", base("3;0,2,3;;\n   MeshN", "3;0,2,9;;\n   MeshN"), FAIL, &[("XF071", 23)]),
        case(
            "C50",
            base(
                "}\n Frame Tip",
                "FrameTransformMatrix { 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;; }\n }\n Frame Tip",
            ),
            None,
            &[],
        ),
        case("C57", base(" 24;\n", " 0;\n"), None, &[("XF124", 81)]),
        case(
            "C66",
            base(
                "   4;\n   1;\n   0;16;1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;;;\n  }",
                "   0;\n   1;\n   0;4;1.0,0.0,0.0,0.0;;;\n  }\n  AnimationKey {\n   0;\n   1;\n   0;4;1.0,0.0,0.0,0.0;;;\n  }",
            ),
            FAIL,
            &[("XF117", 102)],
        ),
        case("C67", base("12;4;", "30;4;"), FAIL, &[("XF115", 91)]),
        case(
            "C73 count",
            base("XSkinMeshHeader {\n    2;\n    6;\n    2;", "XSkinMeshHeader {\n    2;\n    6;\n    3;"),
            FAIL,
            &[("XF093", 53)],
        ),
        case("C74", base("    2;\n    6;\n    2;", "    0;\n    0;\n    2;"), None, &[("XF094", 51)]),
        case("C76", base("    2,\n    3;\n    0.75", "    2,\n    999999;\n    0.75"), FAIL, &[("XF095", 72)]),
        case("C78 rounding", base("0.75,\n    0.75", "0.749976,\n    0.75"), None, &[]),
        case("C78 half", base("0.75,\n    0.75", "0.25,\n    0.75"), None, &[("XF097", 64)]),
        case(
            "C79",
            base("    4;\n    0,\n    1,\n    2,\n    3;\n    1.0,\n", "    3;\n    1,\n    2,\n    3;\n"),
            None,
            &[("XF098", 50)],
        ),
        case("C81", base("\"Tip\";", "\"Nowhere\";"), FAIL, &[("XF096", 69)]),
        case("garbage at the end", base_and_garbage, PARSE, &[("XF020", 104)]),
    ]
}

#[test]
fn d3dx_answers_as_recorded() {
    let mut wrong = Vec::new();
    for case in strict_cases() {
        let report = report(&case.bytes);
        let (found, words) = (codes(&report), words(&report));
        let has = |wanted: &&(&str, u32)| found.iter().any(|(code, line)| (code.as_str(), *line) == **wanted);
        let missing: Vec<_> = case.codes.iter().filter(|wanted| !has(wanted)).collect();
        if refuses(&report) != case.error.is_some() || words != case.error || !missing.is_empty() {
            wrong.push(format!("{}: {words:?} for {:?}, {missing:?} not in {found:?}", case.id, case.error));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Code, a file that triggers it, one that just does not, and the severity for the default engine.
struct Lint(&'static str, Vec<u8>, Vec<u8>, Severity);

const TIP_WEIGHTS: &str = "    2;\n    2,\n    3;\n    0.75,\n    0.75;\n";

fn lints() -> Vec<Lint> {
    use Severity::{Error, Hint, Info, Warning};
    let base_file = || BASE.as_bytes().to_vec();
    let matrices = "0;16;1.0,0.0,0.0,0.0,0.0,1.0";
    vec![
        Lint("XF048", base("0.0;;\n   2;\n   3;0", "0.0;;\n   4;\n   3;0"), base_file(), Error),
        Lint("XF082", base("3;0,2,3;;\n   M", "3;0,2,2;;\n   M"), base_file(), Info),
        Lint("XF083", base("    2;\n    0,\n    0;", "    1;\n    0;"), base_file(), Warning),
        Lint("XF084", base(" TextureFilename { \"plain\"; }", ""), base_file(), Hint),
        Lint("XF090", base("   XSkinMeshHeader {\n    2;\n    6;\n    2;\n   }\n", ""), base_file(), Warning),
        Lint("XF094", base("    2;\n    6;\n", "    2;\n    0;\n"), base_file(), Info),
        Lint("XF097", base("0.75,\n", "0.74,\n"), base("0.75,\n", "0.7495,\n"), Warning),
        Lint("XF100", base(TIP_WEIGHTS, "    0;\n    ;\n    ;\n"), base_file(), Warning),
        Lint("XF101", base("    0.75,\n    0.75;", "    0.0,\n    0.75;"), base_file(), Hint),
        Lint(
            "XF118",
            base(
                "  AnimationKey {\n   0;",
                "  AnimationKey {\n   4;\n   1;\n   0;16;1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0,0.0,1.0;;;\n  }\n  AnimationKey {\n   0;",
            ),
            base_file(),
            Warning,
        ),
        Lint("XF119", base("{ Body }", ""), base_file(), Warning),
        Lint("XF122", base("{ Body }", "{ Tip }"), base_file(), Warning),
        Lint("XF126", base("AnimTicksPerSecond {\n 24;\n}\n", ""), base_file(), Info),
        Lint(
            "XF127",
            base("0.707107,0.0,0.0,0.707107", "0.707107,0.0,0.0,0.72"),
            base("0.707107,0.0,0.0,0.707107", "0.707107,0.0,0.0,0.7079"),
            Warning,
        ),
        Lint(
            "XF128",
            base(matrices, "0;16;1.0,0.0,0.0,0.0,0.5,1.0"),
            base(matrices, "0;16;3.0,0.0,0.0,0.0,0.0,0.1"),
            Warning,
        ),
        Lint("XF129", [BASE, "Frame Other {}\n"].concat().into_bytes(), base_file(), Info),
        Lint("XF130", text("AnimTicksPerSecond { 24; }\n"), text("Frame {}\n"), Warning),
        Lint("XF131", base("\nFrame Root", "Frame Root"), base_file(), Hint),
        // The grid's diagonal is the root of 18, and 20 times that is 84.9.
        Lint("XF133", grid("90"), grid("80"), Warning),
        Lint(
            "XF154",
            text("Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; Frame Lost { } }\n"),
            text("Mesh { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }\nFrame Lost { }\n"),
            Warning,
        ),
        Lint(
            "XF135",
            base("0.0,2.0,0.0,1.0;;", "0.0,2.0,0.0,0.5;;"),
            base("0.0,2.0,0.0,1.0;;", "0.0,2.0,7.0,1.0;;"),
            Warning,
        ),
        Lint(
            "XF135",
            base(
                "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0",
                "1.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0",
            ),
            base(
                "1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0",
                "1.0,0.0,0.0,0.0,0.0,0.01,0.0,0.0,0.0,0.0,1.0,0.0,0.0,2.0",
            ),
            Warning,
        ),
    ]
}

/// Creates sixteen vertices one unit apart, the sixth at this height.
fn grid(height: &str) -> Vec<u8> {
    let point = |at: usize| format!("{};{};{};", at % 4, at / 4, if at == 5 { height } else { "0" });
    let points: Vec<String> = (0..16).map(point).collect();
    let corners = (0..12).filter(|at| at % 4 < 3);
    let faces: Vec<String> = corners.map(|at| format!("4;{at},{},{},{};", at + 1, at + 5, at + 4)).collect();
    text(&format!("Mesh {{ 16; {}; 9; {}; }}\n", points.join(","), faces.join(",")))
}

#[test]
fn lints_are_triggered_exactly_by_their_files() {
    let selection = Selection::default();
    let mut wrong = Vec::new();
    for Lint(code, struck, spared, severity) in lints() {
        let struck = report(&struck);
        let finding = struck.files[0].findings.iter().find(|finding| finding.code.id == code);
        let found = finding.and_then(|finding| selection.severity(finding));
        if found != Some(severity) {
            wrong.push(format!("{code}: {found:?}, expected {severity:?}; found {:?}", codes(&struck)));
        }
        let spared = report(&spared);
        let mut ours = spared.files[0].findings.iter().filter(|finding| !finding.by_engine);
        if ours.any(|finding| finding.code.id == code) {
            wrong.push(format!("{code} where it should not be: {:?}", codes(&spared)));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_base_is_clean() {
    assert_eq!(codes(&report(BASE.as_bytes())), []);
}

/// The parser and the table agree about D3DX.
#[test]
fn table_and_parser_agree_about_d3dx() {
    let mut files: Vec<Vec<u8>> = strict_cases().into_iter().map(|case| case.bytes).collect();
    files.extend(lints().into_iter().map(|lint| lint.1));
    // Every cut of the file, and every byte removed or doubled. An ordinary run does one of the three at each place.
    for at in 0..BASE.len() {
        let (head, tail) = BASE.as_bytes().split_at(at);
        let damaged = [head.to_vec(), [head, &tail[1..]].concat(), [head, &tail[..1], tail].concat()];
        let damaged = damaged.into_iter().enumerate();
        files.extend(damaged.filter(|(kind, _)| is_sampled(at, *kind, 3)).map(|(_, bytes)| bytes));
    }
    let mut seen = std::collections::BTreeSet::new();
    for bytes in files {
        for finding in &report(&bytes).files[0].findings {
            let code = finding.code;
            // A cause also has the words of its consequences.
            let has_consequences = finding.related.iter().any(|place| place.message.starts_with("which names"))
                || finding.notes.iter().any(|note| note.starts_with("consequence"));
            if code.id.starts_with("XF") && !has_consequences && !finding.by_engine {
                let refused = finding.said.iter().any(|said| said.profile == d3dx9());
                let table = fact(code, d3dx9()).map_or(Effect::Fine, |fact| fact.effect);
                assert_eq!(refused, table > Effect::Wrong, "{} {}: {table:?}", code.id, finding.message);
                seen.insert(&code.id);
            }
        }
    }
    assert!(seen.len() > 40, "only {seen:?}");
}

/// Every line with the fault is listed, with the words in the file.
#[test]
fn repeats_have_their_lines_and_tokens_their_spelling() {
    let lines = |bytes: &[u8], code: &str| {
        let report = report(bytes);
        let finding = report.files[0].findings.iter().find(|finding| finding.code.id == code);
        let finding = finding.unwrap_or_else(|| panic!("no {code} in {:?}", codes(&report)));
        let source = report.sources.get(report.files[0].source);
        let lines: Vec<u32> = finding.places().map(|place| source.position(place.span.start).line).collect();
        (finding.message.clone(), lines, finding.count)
    };
    let fractions = base("3;0,1,2;,\n   3;0,2,3;;", "3;-0.000000,1,2;,\n   3;0.0,2.00,3;;");
    assert_eq!(lines(&fractions, "XF040"), ("'-0.000000', expected an integer".to_owned(), vec![22, 23, 23], 3));
    let materials = base("    2;\n    0,\n    0;", "    2;\n    7,\n    1;");
    let says = "a face names material 7, but there is 1 material".to_owned();
    assert_eq!(lines(&materials, "XF079"), (says, vec![41, 42], 2));
    // Two vertices are wrong; the worst comes first.
    let sums = base("0.75,\n    0.75", "0.5,\n    0.25");
    let says = "the weights of vertex 3 sum to 0.5, expected 1: 0.25 for 'Root' and 0.25 for 'Tip'".to_owned();
    assert_eq!(lines(&sums, "XF097"), (says, vec![65, 64], 2));
}

/// A file of clips is judged with the model next to it, by the model's frames.
#[test]
fn clips_are_judged_with_their_model() {
    let clips = |name: &str| {
        text(&format!(
            "AnimTicksPerSecond {{ 24; }}\nAnimationSet Run {{\n Animation {{\n  {{ {name} }}\n  \
             AnimationKey {{ 2; 1; 0;3; 0.0,0.0,0.0;;; }}\n }}\n}}\n"
        ))
    };
    let found = |files: &[(&str, Vec<u8>)]| {
        let input = |(path, bytes): &(&str, Vec<u8>)| Input { path: path.into(), bytes: Ok(bytes.clone()) };
        let report = check(files.iter().map(input).collect(), &Options::default());
        let clip = report.files.last().expect("a file");
        let ours: Vec<_> =
            clip.findings.iter().filter(|finding| !finding.by_engine && finding.only.is_none()).collect();
        let codes: Vec<&str> = ours.iter().map(|finding| finding.code.id).collect();
        (codes.join(" "), report.pairs.len(), ours.first().map_or_else(String::new, |first| first.message.clone()))
    };
    let base = || ("body.x", BASE.as_bytes().to_vec());
    let alone = found(&[("run.x", clips("Tip"))]);
    assert_eq!(alone.0, "XF130 XF053");
    assert_eq!(found(&[base(), ("run.x", clips("Tip"))]), (String::new(), 1, String::new()));
    // assimp cannot merge it: it refuses files without a node.
    let files = [base(), ("run.x", clips("Tip"))].map(|(path, bytes)| Input { path: path.into(), bytes: Ok(bytes) });
    let report = check(files.into(), &Options::default());
    let effect = |name: &str| {
        report.files[1].judgements.iter().find(|known| known.profile.name == name).expect("an engine").effect
    };
    assert_eq!((effect("assimp"), effect("d3dx9")), (Effect::Refuses, Effect::Fine));
    let shown = |profile: Option<&str>| {
        let profiles = profile.map(|name| Profile::find(name).expect("a profile")).into_iter().collect();
        let selection = Selection { profiles, ..Selection::default() };
        report.files[1].findings.iter().filter(|finding| selection.severity(finding) >= Some(Severity::Warning)).count()
    };
    assert_eq!([None, Some("d3dx9"), Some("assimp")].map(shown), [0, 0, 1]);
    // A file with other frames is not its model.
    let other = ("hat.x", text("Frame Hat {}\n"));
    assert_eq!(found(&[other, ("run.x", clips("Tip"))]), alone);
    let two = String::from_utf8(clips("Tip"))
        .expect("ASCII")
        .replace("Animation {\n  { Tip }", "Animation {\n  { tip }\n }\n Animation {\n  { Tip }");
    let says = "no object is named 'tip', here or in body.x".to_owned();
    assert_eq!(found(&[base(), ("run.x", two.into_bytes())]), ("XF053".to_owned(), 1, says));
}

#[test]
fn only_the_engines_of_x_judge_it() {
    let report = report(BASE.as_bytes());
    let names: Vec<_> = report.files[0].judgements.iter().map(|judgement| judgement.profile.name).collect();
    let is_of_x = |profile: &&Profile| profile.is_followed(FormatFamily::X) || profile.loader == LoaderFamily::D3dx;
    let expected: Vec<_> = PROFILES.iter().filter(is_of_x).map(|profile| profile.name).collect();
    assert_eq!(names, expected);
    assert_eq!(names.len(), 11);
    assert_eq!(PROFILES.iter().filter(|profile| profile.loader == LoaderFamily::D3dx).count(), 2);
}

#[test]
fn places_in_compressed_files_count_their_content() {
    let plain = base("0.75,\n", "0.5,\n");
    let file = x::unpack(&plain, Reading::Lenient).expect("a header");
    let document = x::parse(&file, Reading::Lenient).expect("a document").document;
    let packed = x::write(&document, x::Encoding::TEXT.compressed());
    let report = report(&packed);
    let file = &report.files[0];
    assert!(file.is_unpacked);
    let finding = file.findings.iter().find(|finding| finding.code.id == "XF097").expect("a finding");
    let content = &report.sources.get(file.source).bytes;
    // The first weight of the vertex is that of the other bone.
    assert_eq!(content[finding.first.span.range()], *b"0.25");
    assert!(!self::report(&plain).files[0].is_unpacked);
}

/// Every other code of the parser's faults: the change that triggers it, and the line.
#[test]
fn faults_have_their_codes() {
    let animation = "  AnimationKey {\n   0;\n   4;";
    let cases: Vec<(&str, u32, Vec<u8>)> = vec![
        ("XF004", 1, b"xof 0303txt".to_vec()),
        ("XF005", 1, [b"\xef\xbb\xbf", BASE.as_bytes()].concat()),
        ("XF022", 2, text("/ Frame {}\n")),
        ("XF023", 69, base("\"Tip\";", "\"Tip;")),
        ("XF024", 3, text("Frame {}\n// end")),
        ("XF025", 2, text("template T { <123> DWORD n; }\n")),
        ("XF026", 2, text("template T { < 12345678-1234-1234-1234-123456789abc > DWORD n; }\n")),
        ("XF027", 2, text("Frame a.b {}\n")),
        ("XF028", 2, text("Frame 1st {}\n")),
        ("XF031", 18, base("   1.0;0.0;0.0;,", "   1.0;0.0 0.0;,")),
        ("XF033", 2, text("Frame {};\n;Frame {}\n")),
        ("XF035", 3, text("Frame A {}\n{ A }\n")),
        ("XF040", 22, base("3;0,1,2;,", "3;0.5,1,2;,")),
        ("XF041", 51, base("    2;\n    6;\n", "    70000;\n    6;\n")),
        ("XF042", 18, base("   1.0;0.0;0.0;,", "   nan;0.0;0.0;,")),
        ("XF043", 18, base("   1.0;0.0;0.0;,", "   1e0;0.0;0.0;,")),
        ("XF044", 2, text("Mesh { 4000000; 0.0;0.0;0.0; }\n")),
        ("XF052", 2, text("Unheard {}\nFrame {}\n")),
        (
            "XF054",
            3,
            text("Frame A {\n { M }\n}\nMesh M { 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2;; }\n"),
        ),
        (
            "XF060",
            2,
            text("template AnimTicksPerSecond {\n <9E415A43-7BA6-4a73-8743-B73D47E88476>\n FLOAT t;\n}\nFrame {}\n"),
        ),
        ("XF072", 24, base("    2;\n    3;0,0,0;,\n    3;0,0,0;;", "    1;\n    3;0,0,0;;")),
        ("XF073", 28, base("3;0,0,0;,", "4;0,0,0,0;,")),
        ("XF074", 28, base("3;0,0,0;,", "3;0,0,1;,")),
        ("XF075", 31, base("    4;\n    0.0;1.0;,", "    3;\n")),
        ("XF078", 38, base("    2;\n    0,\n    0;", "    3;\n    0,\n    0,\n    0;")),
        ("XF079", 42, base("    0,\n    0;", "    0,\n    1;")),
        (
            "XF091",
            63,
            base("   XSkinMeshHeader {\n    2;\n    6;\n    2;\n   }\n", "")
                .tap(|text| insert(text, "   SkinWeights {\n    \"Tip\"", "   XSkinMeshHeader { 2; 6; 2; }\n")),
        ),
        ("XF092", 55, base("   SkinWeights", "   XSkinMeshHeader { 2; 6; 2; }\n   SkinWeights")),
        (
            "XF110",
            6,
            base(
                " Frame Tip",
                " FrameTransformMatrix {\n 1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0,0.0,0.0,0.0,0.0,1.0;; }\n Frame Tip",
            ),
        ),
        ("XF111", 11, base("Frame Tip", "Frame Body")),
        ("XF113", 98, base("   4;\n   1;\n   0;16", "   3;\n   1;\n   0;16")),
        ("XF114", 90, base("12;4;0.707107,0.0,0.0,0.707107", "12;3;0.707107,0.0,0.0")),
        ("XF116", 90, base("12;4;", "0;4;")),
        ("XF120", 85, base("{ Tip }", "{ Plain }")),
        ("XF123", 83, base("AnimationSet Bend {\n", "").tap(|text| text.truncate(text.len() - 2))),
        ("XF125", 104, [BASE, "RightHanded { 1; }\n"].concat().into_bytes()),
        ("XF112", 87, base(animation, "  AnimationKey {\n   9;\n   4;")),
    ];
    let mut wrong = Vec::new();
    for (code, line, bytes) in cases {
        let found = codes(&report(&bytes));
        if !found.contains(&(code.to_owned(), line)) {
            wrong.push(format!("{code} in {line} is not in {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// An invalid number and the missing text after it are corrected together.
#[test]
fn an_invalid_number_and_missing_text_after_it_are_one_fault() {
    for (number, rest) in [("nan ", "0.0;0.0;,"), ("-1.#IND00 ", "0.0;0.0;,")] {
        let found = codes(&report(&base("   1.0;0.0;0.0;,", &format!("   {number}{rest}"))));
        let faults: Vec<_> = found.iter().filter(|(code, _)| ["XF031", "XF042"].contains(&code.as_str())).collect();
        assert_eq!(faults, [&("XF042".to_owned(), 18)], "{number}");
    }
    let found = codes(&report(&base("   1.0;0.0;0.0;,", "   nan;0.0 0.0;,")));
    assert!(["XF031", "XF042"].iter().all(|code| found.contains(&((*code).to_owned(), 18))), "{found:?}");
}

/// Inserts a passage before another one.
fn insert(text: &mut Vec<u8>, before: &str, passage: &str) {
    let at = text.windows(before.len()).position(|part| part == before.as_bytes()).expect("a passage");
    text.splice(at..at, passage.bytes());
}

trait Tap {
    fn tap(self, change: impl FnOnce(&mut Self)) -> Self;
}

impl Tap for Vec<u8> {
    fn tap(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}
