//! Any bytes get an answer, and equivalent files get the same one.

use crate::support::{everything, is_sampled};
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::Severity;
use bindpose::validate::fix;
use bindpose::validate::report::{Selection, Style, Writer};
use bindpose::validate::{Input, Options, check};
use codespan_reporting::term::termcolor::NoColor;
use proptest::prelude::*;

const MESH: &[u8] = include_bytes!("../cases/validate/base.md5mesh");
const ANIM: &[u8] = include_bytes!("../cases/validate/base.md5anim");
const CAMERA: &[u8] = include_bytes!("../cases/validate/base.md5camera");
const X: &[u8] = include_bytes!("../cases/validate/base.x");

const STYLES: [Style; 5] = [Style::Human, Style::Short, Style::Json, Style::Sarif, Style::Github];

/// Does everything with files: check, print in every style, repair, check again.
fn run(files: &[(&str, &[u8])]) -> Vec<(String, u32)> {
    let inputs = files.iter().map(|(path, bytes)| Input { path: (*path).into(), bytes: Ok(bytes.to_vec()) });
    let report = check(inputs.collect(), &Options::default());
    let selection = Selection::default();
    for style in STYLES {
        let mut out = NoColor::new(Vec::new());
        let mut writer = Writer::new(style, &selection, Severity::Hint, &mut out).expect("memory");
        writer.add(&report).expect("memory");
        writer.finish().expect("memory");
    }
    let fixed = fix::fix(&report, &Options::default()).fixed;
    fix::recheck(&report, &fixed, &Options::default());
    let line = |file: &bindpose::validate::FileReport, at| report.sources.get(file.source).position(at).line;
    let findings = report.files.iter().flat_map(|file| file.findings.iter().map(move |finding| (file, finding)));
    findings.map(|(file, finding)| (finding.code.id.to_owned(), line(file, finding.first.span.start))).collect()
}

#[test]
fn every_truncated_file_is_handled() {
    for (name, bytes) in [("m.md5mesh", MESH), ("m.md5anim", ANIM), ("m.md5camera", CAMERA), ("m.x", X)] {
        for at in (0..bytes.len()).filter(|at| is_sampled(*at, 0, 3)) {
            run(&[(name, &bytes[..at])]);
        }
    }
}

#[test]
fn pairs_of_truncated_files_are_reported() {
    for at in (0..MESH.len()).step_by(7).filter(|at| is_sampled(*at, 0, 3)) {
        run(&[("m.md5mesh", &MESH[..at]), ("m.md5anim", ANIM)]);
    }
    for at in (0..ANIM.len()).step_by(7).filter(|at| is_sampled(*at, 0, 3)) {
        run(&[("m.md5mesh", MESH), ("m.md5anim", &ANIM[..at])]);
    }
}

#[test]
fn line_ends_and_tabs_change_nothing() {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("ASCII");
    let with = |from: &str, to: &str| -> Vec<(String, u32)> {
        let change = |bytes| text(bytes).replace(from, to).into_bytes();
        run(&[("m.md5mesh", &change(MESH)), ("m.md5anim", &change(ANIM))])
    };
    let plain = with("\n", "\n");
    assert!(!plain.is_empty());
    // Hexenwail refuses the joints of such a mesh.
    let mut other_ends = with("\n", "\r\n");
    other_ends.retain(|found| *found != ("MD5M008".to_owned(), 7));
    assert_eq!(other_ends, plain);
    assert_eq!(with("\t", "    "), plain);
    assert_eq!(with("\n\n", "\n \t\n"), plain);
    let x = run(&[("m.x", X)]);
    assert_eq!(run(&[("m.x", text(X).replace('\n', "\r\n").as_bytes())]), x);
}

/// Returns the bytes of a file with some of them changed, removed or doubled.
fn damaged(bytes: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let edit = (0..bytes.len(), 0u8..4, any::<u8>());
    prop::collection::vec(edit, 1..6).prop_map(move |edits| {
        let mut bytes = bytes.to_vec();
        for (at, what, byte) in edits {
            let at = at.min(bytes.len().saturating_sub(1));
            match what {
                0 => bytes[at] = byte,
                1 => {
                    bytes.remove(at);
                }
                2 => bytes.insert(at, byte),
                _ => bytes.insert(at, b"0123456789-.\"{}()/*"[byte as usize % 19]),
            }
        }
        bytes
    })
}

/// Replaces numbers of a file by others where sizes and indices are.
fn renumbered(bytes: &'static [u8]) -> impl Strategy<Value = Vec<u8>> {
    let number = prop::sample::select(vec![
        "-1",
        "0",
        "1",
        "255",
        "256",
        "65536",
        "2147483647",
        "-2147483648",
        "4294967295",
        "1e30",
        "nan",
    ]);
    (0..bytes.len(), number).prop_map(move |(at, number)| {
        let is_digit = |byte: &u8| byte.is_ascii_digit();
        let Some(start) = bytes[at..].iter().position(is_digit).map(|found| at + found) else { return bytes.to_vec() };
        let end = bytes[start..].iter().position(|byte| !is_digit(byte)).map_or(bytes.len(), |found| start + found);
        [&bytes[..start], number.as_bytes(), &bytes[end..]].concat()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if everything() { 256 } else { 64 }))]

    #[test]
    fn damaged_pairs_are_handled(mesh in damaged(MESH), anim in damaged(ANIM)) {
        run(&[("m.md5mesh", &mesh), ("m.md5anim", &anim)]);
    }

    #[test]
    fn strange_numbers_are_handled(mesh in renumbered(MESH), anim in renumbered(ANIM), x in renumbered(X)) {
        run(&[("m.md5mesh", &mesh), ("m.md5anim", ANIM), ("m.x", &x)]);
        run(&[("m.md5mesh", MESH), ("m.md5anim", &anim)]);
    }

    #[test]
    fn damaged_x_files_are_handled(x in damaged(X), camera in damaged(CAMERA)) {
        run(&[("m.x", &x), ("m.md5camera", &camera)]);
    }

    #[test]
    fn any_bytes_are_handled(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for name in ["m.md5mesh", "m.md5anim", "m.md5camera", "m.x", "m"] {
            run(&[(name, &bytes)]);
        }
    }
}

#[test]
fn checks_that_are_too_large_are_reported() {
    // 100 vertices that all have all 100 weights; 100 joints that turn in 100 frames.
    let list = |line: &dyn Fn(usize) -> String| (0..100).map(line).collect::<String>();
    let joints = list(&|at| format!("\"j{at}\" {} ( 0 0 0 ) ( 0 0 0 )\n", at as i64 - 1));
    let verts = list(&|at| format!("vert {at} ( 0 0 ) 0 100\n"));
    let weights = list(&|at| format!("weight {at} 0 0.01 ( {at} 0 0 )\n"));
    let mesh = format!(
        "MD5Version 10\ncommandline \"\"\nnumJoints 100\nnumMeshes 1\njoints {{\n{joints}}}\nmesh {{\nshader \"a\"\n\
         numverts 100\n{verts}numtris 1\ntri 0 0 1 2\nnumweights 100\n{weights}}}\n"
    );
    let hierarchy = list(&|at| format!("\"j{at}\" {} 63 0\n", at as i64 - 1));
    let frames = list(&|at| format!("frame {at} {{\n0 0 0 0 0 0.1\n}}\n"));
    let [bounds, base] = ["( 0 0 0 ) ( 1 1 1 )\n", "( 0 0 0 ) ( 0 0 0 )\n"].map(|line| line.repeat(100));
    let anim = format!(
        "MD5Version 10\ncommandline \"\"\nnumFrames 100\nnumJoints 100\nframeRate 24\nnumAnimatedComponents 6\n\
         hierarchy {{\n{hierarchy}}}\nbounds {{\n{bounds}}}\nbaseframe {{\n{base}}}\n{frames}"
    );
    let messages = |bytes| -> Vec<String> {
        let files = [("a.md5mesh", &mesh), ("a.md5anim", &anim)];
        let input = |(path, text): (&str, &String)| Input { path: path.into(), bytes: Ok(text.clone().into_bytes()) };
        let options = Options { memory: MemoryLimit::Bytes(bytes), ..Options::default() };
        let report = check(files.map(input).into(), &options);
        let findings = report.files.into_iter().flat_map(|file| file.findings);
        findings.filter(|finding| finding.code.id == "IO006").map(|finding| finding.message).collect()
    };
    assert_eq!(messages(1 << 30), <[&str; 0]>::default());
    assert_eq!(
        messages(100_000),
        [
            "10,000 weights in 1 mesh are more than is followed (--max-memory raises it): its weights and triangles are not checked",
            "100 joints in 100 frames are more than is followed (--max-memory raises it): how far they turn is not checked",
        ]
    );
}
