//! `.x` files in other encodings: every object stays.

use crate::support::skip;
use crate::support::{files_with, is_sampled, real_files};
use bindpose::export::x::{Encoding, encode};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ENCODINGS: [Encoding; 4] = [
    Encoding::TEXT,
    Encoding::BINARY,
    Encoding { compressed: true, ..Encoding::TEXT },
    Encoding { compressed: true, ..Encoding::BINARY },
];

/// Unknown objects with numbers of both kinds, objects and strings, a name in Shift-JIS, a template and references.
const ODD: &[u8] = b"xof 0303txt 0032
template Lamp { <12345678-1234-1234-1234-123456789ABC> DWORD n; array FLOAT f[n]; [...] }
Material \x83\x5C { 1.0;1.0;1.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;; EffectInstance { \"a.fx\"; EffectParamDWord { \"n\"; 3; } } }
Lamp l { <00000000-0000-0000-0000-000000000001> 2; 0.1, 0.25; KeyValuePair { \"a\"; \"b c\"; } { \x83\x5C } }
Unknown u { <00000000-0000-0000-0000-000000000002> 1; -2; 0.5,1e-3;; Sub s { \"x\"; { l } } }
Frame f { Mesh m { 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 1; 3;0,1,2;; MeshMaterialList { 1; 1; 0;; { \x83\x5C } } } }
";

const TWO_MATERIALS: &[u8] = b"xof 0303txt 0032
Mesh m { 3; 0.0;0.0;0.0;, 1.0;0.0;0.0;, 0.0;1.0;0.0;; 2; 3;0,1,2;, 3;2,1,0;; MeshMaterialList { 2; 2; 0,1;;
 Material a { 1.0;1.0;1.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;; }
 Material b { 1.0;0.0;1.0;1.0;; 0.0; 0.0;0.0;0.0;; 0.0;0.0;0.0;; } } }
";

/// An independent decoder finds the same objects in all encodings of all real files, also when they are encoded twice.
#[test]
fn encodings_have_the_same_objects() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let own = files_with(&cases, &["x"]);
    let shared = std::env::var_os("BINDPOSE_SHARED").map(|shared| PathBuf::from(shared).join("cases/x"));
    let real =
        real_files(&["x"]).into_iter().chain(own).chain(shared.into_iter().flat_map(|it| files_with(&it, &["x"])));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("odd.x"), ODD).unwrap();
    let real = real.chain([folder.path().join("odd.x")]);
    let (mut pairs, mut hiding) = (String::new(), Vec::new());
    for (number, path) in real.enumerate() {
        let bytes = std::fs::read(&path).unwrap();
        let step = if bytes.len() > 2_000 { 8 } else { 1 };
        for (pair, (first, second)) in ENCODINGS.into_iter().flat_map(|it| ENCODINGS.map(|then| (it, then))).enumerate()
        {
            if !is_sampled(number, pair, step) {
                continue;
            }
            let Ok(once) = encode(&bytes, first) else {
                hiding.push(path.file_name().unwrap().to_string_lossy().into_owned());
                break;
            };
            let twice = encode(&once.bytes, second).unwrap_or_else(|code| panic!("{}: {code}", path.display()));
            let new = folder.path().join(format!("{number}.{pair}.x"));
            std::fs::write(&new, twice.bytes).unwrap();
            writeln!(pairs, "{}\t{}", path.display(), new.display()).unwrap();
        }
    }
    println!("not encoded, because of faults: {}", hiding.join(", "));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/decode.py");
    let mut python = Command::new("python3");
    let python = python.arg(script).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut python) = python else { return skip("no independent decoder of .x: python3 is not installed") };
    python.stdin.take().unwrap().write_all(pairs.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{} compared\n", pairs.lines().count()));
}

/// Only `--encoding` keeps all objects. Names that text cannot hold are listed, and so is a fault that hides a part.
#[test]
fn convert_encodes_again_what_it_does_not_change() {
    let folder = tempfile::tempdir().unwrap();
    let converted = |bytes: &[u8], options: &[&str]| {
        std::fs::write(folder.path().join("in.x"), bytes).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_bindpose"));
        let command = command.args(["convert", "in.x", "-o", "out.x", "--force"]).args(options);
        let report = command.current_dir(folder.path()).output().unwrap().stdout;
        (std::fs::read(folder.path().join("out.x")).unwrap(), String::from_utf8(report).unwrap())
    };
    let holds = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).any(|found| found == part);
    let (binary, report) = converted(ODD, &["--encoding", "binary"]);
    assert!(
        holds(&binary, b"Unknown") && holds(&binary, b"\x83\x5C") && report.contains("nothing was lost"),
        "{report}"
    );
    let (text, report) = converted(&binary, &["--encoding", "text"]);
    assert!(holds(&text, b"a.fx") && report.contains("nothing was lost"), "{report}");
    // A mesh without faces is not shown, but kept.
    let (text, report) = converted(&[ODD, b"Mesh bare { 1; 0.0;0.0;0.0;; 0; }"].concat(), &["--encoding", "text"]);
    assert!(holds(&text, b"Mesh bare") && report.contains("nothing was lost"), "{report}");
    // A file of commas in names, as binary files can have.
    let comma: Vec<u8> = binary.iter().map(|&byte| if byte == 0x5C { b',' } else { byte }).collect();
    let (text, report) = converted(&comma, &["--encoding", "text"]);
    assert!(holds(&text, b"Material ___ {") && holds(&text, b"{___}") && report.contains("to '___'"), "{report}");
    let (text, report) = converted(ODD, &["--encoding", "text", "--scale", "2"]);
    assert!(!holds(&text, b"Unknown"));
    assert!(
        report.contains("not written: 1 EffectInstance, 1 EffectParamDWord, 1 KeyValuePair, 1 Lamp, 1 Unknown"),
        "{report}"
    );
    let (_, report) = converted(TWO_MATERIALS, &[]);
    assert!(report.contains("1 mesh is written as 2, one for each material"), "{report}");
    let surplus = [ODD, b"Header { 1; 0; 1; 7; }"].concat();
    let (text, report) = converted(&surplus, &["--encoding", "text"]);
    assert!(!holds(&text, b"Unknown") && report.contains("because of XF046"), "{report}");
}
