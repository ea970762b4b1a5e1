//! Followed loaders of `.x` compared with the verdicts of the programs themselves, which were run on the same files.

use crate::support::{everything, files_with, shared};
use bindpose::validate::finding::Finding;
use bindpose::validate::profiles::{Effect, FormatFamily, PROFILES, Profile};
use bindpose::validate::x_loaders::{self, XFile};
use bindpose::validate::{Input, Options, check, fix};
use bindpose_parsers::x::{self, Reading};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Own files, and verdicts of the programs on them and on files of the corpus.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/engines-x");

/// Programs whose verdicts are recorded.
const PROGRAMS: [&str; 8] =
    ["assimp-6.0.5", "luanti", "luanti-5.16", "irrlicht", "openbve", "openbve-assimp", "wine-d3dx9", "panda3d"];

/// Programs and files on which our verdict is another: of the own files, and of those of the corpus.
const DIFFERENCES: [(&str, &str); 11] = [
    ("irrlicht", "inputs/m45_degenerate.x"),
    ("irrlicht", "inputs/m47_index_neg.x"),
    ("irrlicht", "inputs/v_e400.x"),
    ("luanti", "corpus:directx-sdk-legacy-samples/Media/Tiny/tiny.x"),
    ("luanti-5.16", "corpus:derived/x/wuson_bin32.x"),
    ("luanti-5.16", "corpus:directx-sdk-legacy-samples/Media/Tiny/tiny.x"),
    ("luanti-5.16", "inputs/m33_decl_short.x"),
    ("openbve-assimp", "inputs/f03_three_levels.x"),
    ("openbve-assimp", "inputs/m43_face1.x"),
    ("openbve-assimp", "inputs/m45_degenerate.x"),
    ("panda3d", "inputs/s03a_ok12.x"),
];

/// Returns the word used in the recorded verdicts.
fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Fine | Effect::Note => "loads",
        Effect::Wrong | Effect::Unused => "incorrect",
        Effect::Refuses => "refuses",
        Effect::Drops | Effect::Exits => "crashes",
    }
}

/// Returns the path of a recorded file; `None` if it is one of an absent corpus.
fn place(key: &str) -> Option<PathBuf> {
    match key.strip_prefix("corpus:") {
        Some(path) => shared().map(|shared| shared.join("corpus").join(path)),
        None => Some(Path::new(RECORDED).join(key)),
    }
}

/// Returns verdicts and messages of all engines with a followed loader.
fn verdicts(path: &Path, bytes: Vec<u8>) -> BTreeMap<&'static str, (&'static str, String)> {
    let report = check(vec![Input { path: path.to_owned(), bytes: Ok(bytes) }], &Options::default());
    let judged = report.files[0].judgements.iter();
    let of_x = judged.filter(|judgement| judgement.profile.is_followed(FormatFamily::X));
    let said = |judgement: &bindpose::validate::Judgement| {
        (judgement.profile.name, (word(judgement.effect), judgement.message.clone().unwrap_or_default()))
    };
    of_x.map(said).collect()
}

/// Compares all recorded files that are present: the own ones, and those of the corpus.
#[test]
fn loaders_agree_with_the_programs() {
    let truth: Value = serde_json::from_str(include_str!("../engines-x/truth.json")).expect("JSON");
    let mut judged: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut differences, mut messages, mut read) = (Vec::new(), Vec::new(), 0);
    for (key, engines) in truth["files"].as_object().expect("files") {
        let Some(path) = place(key) else { continue };
        let bytes = std::fs::read(&path).expect("a recorded file");
        read += 1;
        let found = verdicts(&path, bytes);
        for name in PROGRAMS {
            let (verdict, message) = &found[name];
            let expected = &engines[name];
            if expected["verdict"].is_null() {
                // The verdict depends on images that are missing here.
                continue;
            }
            *judged.entry(name).or_default() += 1;
            let accepted = match &expected["verdict"] {
                Value::Array(several) => several.iter().any(|one| one == verdict),
                one => one == verdict,
            };
            // The recorded messages of assimp are whole, but for the text that is not a number.
            let is_said = name != "assimp-6.0.5"
                || expected["message"].as_str().expect("words").split('…').all(|part| message.contains(part));
            if !accepted || !is_said {
                differences.push((name, key.as_str()));
                messages.push(format!(
                    "{name} {key}: {verdict} {message:?}, but the program: {} {}",
                    expected["verdict"], expected["message"]
                ));
            }
        }
    }
    println!("{read} files read, verdicts compared: {judged:?}");
    assert!(read >= 121 && PROGRAMS.iter().all(|name| judged[name] >= 119), "{read} files read: {judged:?}");
    differences.sort_unstable();
    let known = DIFFERENCES.into_iter().filter(|(_, key)| place(key).is_some());
    assert_eq!(differences, known.collect::<Vec<_>>(), "\n{}", messages.join("\n"));
}

#[test]
fn programs_are_engines() {
    for name in PROGRAMS {
        let profile = Profile::find(name).expect("a profile");
        assert!(profile.is_followed(FormatFamily::X), "{name}");
    }
    assert!(PROGRAMS.len() <= PROFILES.iter().filter(|profile| profile.is_followed(FormatFamily::X)).count());
}

const BASE: &str = include_str!("../cases/validate/base.x");

/// The base's only material.
const MATERIAL: &str = "    Material Plain {
     1.0;1.0;1.0;1.0;;
     0.0;
     0.0;0.0;0.0;;
     0.0;0.0;0.0;; TextureFilename { \"plain\"; }
    }
";

/// An engine, a change of the base file, the effect, the code, its line, and a part of the message.
type Case = (&'static str, &'static str, &'static str, Effect, &'static str, u32, &'static str);

/// The conditions and messages are those of docs/formats/x-engines.md, observed when the programs ran.
const CASES: [Case; 22] = [
    (
        "luanti",
        "Frame Tip {",
        "Frame Tip two {",
        Effect::Refuses,
        "XF027",
        6,
        "No opening brace in Frame found in x file; Line: 5",
    ),
    (
        "luanti",
        "\"Tip\";",
        "\"Tip\" ;",
        Effect::Refuses,
        "XF142",
        69,
        "Unknown syntax while reading transform node name string in .x file",
    ),
    (
        "luanti",
        "3;0,2,3;;\n   MeshN",
        "3;0,2,9;;\n   MeshN",
        Effect::Refuses,
        "XF071",
        23,
        "Out of range index found in Mesh x file reader.",
    ),
    (
        "luanti",
        "    4;\n    0.0;1.0;,",
        "    5;\n    0.0;1.0;,",
        Effect::Refuses,
        "XF048",
        32,
        "Too many texture coords found in x file",
    ),
    (
        "luanti",
        "   4;\n   1;\n   0;16;",
        "   5;\n   1;\n   0;16;",
        Effect::Refuses,
        "XF112",
        98,
        "Unknown key type found in Animation Key in x file",
    ),
    ("luanti", "12;4;", "12.5;4;", Effect::Refuses, "XF040", 90, "Expected 4 numbers in animation key in x file"),
    ("luanti", "Frame Tip {", "Frame Root {", Effect::Exits, "XF111", 6, "joint hierarchy must be acyclic"),
    ("luanti", "Frame Tip {", "FRAME Tip {", Effect::Wrong, "XF149", 6, "FRAME is not Frame here"),
    ("irrlicht", "12;4;", "12.5;4;", Effect::Wrong, "XF040", 90, "Expected 4 numbers in animation key in x file"),
    ("irrlicht", "    4;\n    0.0;1.0;,", "    5;\n    0.0;1.0;,", Effect::Exits, "XF048", 32, ""),
    (
        "luanti",
        "txt 0032",
        "txt 0016",
        Effect::Refuses,
        "XF008",
        1,
        "Float size not supported.; GenericCAO::addToScene(): Could not load mesh model.x",
    ),
    (
        "luanti-5.16",
        "\nFrame Root",
        "Frame Root",
        Effect::Wrong,
        "XF131",
        1,
        "the rest of the header's line is skipped",
    ),
    (
        "luanti",
        "    0,\n    0;\n",
        "    0,\n    3;\n",
        Effect::Refuses,
        "XF079",
        42,
        "Out of range index found in x file",
    ),
    (
        "luanti",
        "{ Tip }",
        "{ Tip <11111111-2222-3333-4444-555555555555> }",
        Effect::Refuses,
        "XF020",
        85,
        "Unexpected ending found in Animation in x file.",
    ),
    // assimp 5.2.5 printed these, and crashed for the list without materials.
    ("assimp-6.0.5", MATERIAL, "", Effect::Exits, "XF077", 39, ""),
    ("assimp", "12;4;", "12.5;4;", Effect::Refuses, "XF040", 90, "Line 89: Separator character (';' or ',') expected."),
    ("assimp", "12;4;", "120;4;", Effect::Refuses, "XF115", 90, "aiNodeAnim::mRotationKeys[1].mTime (120.00000)"),
    ("assimp", "1.0;4.0;0.0;,", "1.0;4.0;0.0;;,", Effect::Refuses, "XF020", 19, "Cannot parse string \", "),
    ("assimp", "Frame Tip {", "FRAME Tip {", Effect::Wrong, "XF149", 6, "FRAME is not Frame here"),
    ("assimp-6.0.5", "    0,\n    0;\n", "    0,\n    3;\n", Effect::Wrong, "XF079", 42, "are not shown"),
    (
        "assimp-6.0.5",
        "SkinWeights {\n    \"Tip\";",
        "SkinWeights {\n    \"Root\";",
        Effect::Refuses,
        "XF063",
        68,
        "has the same name as aiMesh::mBones[1]",
    ),
    // x2egg keeps the clip and prints nothing.
    ("panda3d", "Bend {", "Bend {", Effect::Note, "XF170", 83, ""),
];

#[test]
fn programs_stop_with_their_own_messages() {
    let mut wrong = Vec::new();
    for (engine, from, to, effect, code, line, words) in CASES {
        assert!(BASE.contains(from), "the base has no {from:?}");
        let bytes = BASE.replacen(from, to, 1).into_bytes();
        let report =
            check(vec![Input { path: PathBuf::from("models/model.x"), bytes: Ok(bytes) }], &Options::default());
        let file = &report.files[0];
        let profile = Profile::find(engine).expect("a profile");
        let found = file.judgements.iter().find(|judgement| judgement.profile == profile).expect("a judgement");
        let said = file.findings.iter().flat_map(|finding| finding.said.iter().map(move |said| (finding, said)));
        let said: Vec<_> = said
            .filter(|(_, said)| said.profile == profile && said.outcome.effect() == effect)
            .map(|(finding, said)| {
                (
                    finding.code.id,
                    report.sources.get(file.source).position(finding.first.span.start).line,
                    &*said.message,
                )
            })
            .collect();
        let is_said = said.iter().any(|&(id, at, message)| (id, at) == (code, line) && message.contains(words));
        if found.effect != effect || !is_said {
            wrong.push(format!(
                "{engine} {to:?}: {:?} {said:?}, expected {effect:?} {code} {line} {words:?}",
                found.effect
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The last list of keys has separators that OpenBVE's Assimp parser does not take.
#[test]
fn a_program_s_stop_is_at_its_own_line() {
    let slide =
        "AnimationSet { Animation { { Body } AnimationKey { 2; 2; 0;3;0.0,0.0,0.0;;, 12;3;4.0,0.0,0.0;;; } } }\n";
    let text = BASE.replace("Mesh Square {", "Mesh Square { // four corners") + slide;
    let report = check(vec![Input { path: "a.x".into(), bytes: Ok(text.into_bytes()) }], &Options::default());
    let file = &report.files[0];
    let is_stop =
        |it: &&Finding| it.said.iter().any(|said| said.profile.name == "openbve-assimp" && said.outcome.stops());
    let finding = file.findings.iter().find(is_stop).expect("a stop");
    assert_eq!(report.sources.get(file.source).position(finding.first.span.start).line, 104);
    assert!(finding.message.contains("Separator character"), "{}", finding.message);
}

/// Programs stop at other faults than the one that led there. All say so at the latter.
#[test]
fn stops_are_at_the_fault_that_led_there() {
    for (from, to, code, engines) in [
        ("   4;\n   0.0;0.0;0.0;,", "   5;\n   0.0;0.0;0.0;,", "XF048", ["wine-d3dx9", "openbve"]),
        ("    4;\n    0.0;1.0;,", "    0.0;1.0;,", "XF045", ["wine-d3dx9", "panda3d"]),
        ("3;0,1,2;,", "3;0,1.5,2;,", "XF040", ["wine-d3dx9", "openbve-assimp"]),
    ] {
        assert!(BASE.contains(from), "the base has no {from:?}");
        let bytes = BASE.replacen(from, to, 1).into_bytes();
        let report = check(vec![Input { path: "a.x".into(), bytes: Ok(bytes) }], &Options::default());
        for engine in engines {
            let is_stop = |finding: &&Finding| {
                finding.said.iter().any(|said| said.profile.name == engine && said.outcome.stops())
            };
            let stops: Vec<_> = report.files[0].findings.iter().filter(is_stop).map(|stop| stop.code.id).collect();
            assert_eq!(stops, [code], "{engine}: {to:?}");
        }
    }
}

/// Returns files to damage: the base, and the small recorded ones.
fn small_files() -> Vec<Vec<u8>> {
    let mut files = vec![BASE.as_bytes().to_vec()];
    let recorded = files_with(&Path::new(RECORDED).join("inputs"), &["x"]).into_iter();
    files.extend(recorded.map(|path| std::fs::read(path).expect("a recorded file")).filter(|bytes| bytes.len() < 1500));
    files
}

/// Every prefix of a file, and every byte replaced: no loader panics, hangs, or reports positions outside the file. An
/// ordinary run tests every tenth place, of each file others.
#[test]
fn loaders_survive_every_cut_and_every_byte() {
    let engines: Vec<_> = PROFILES.iter().filter(|profile| profile.is_followed(FormatFamily::X)).collect();
    let load = |bytes: &[u8]| {
        for profile in &engines {
            let Some(verdict) = x_loaders::load(profile.id, XFile::plain("a.x", bytes)) else { continue };
            let places = verdict.undefined.iter().chain(&verdict.misread).map(|place| place.span);
            let places = places.chain(verdict.warnings.iter().map(|warning| warning.span));
            for span in places.chain(verdict.refusal.map(|refusal| refusal.span)) {
                assert!(span.start <= span.end && span.end as usize <= bytes.len(), "{} {span:?}", profile.name);
            }
        }
    };
    let step = if everything() { 1 } else { 10 };
    for (number, file) in small_files().into_iter().enumerate() {
        for end in (number % step..file.len()).step_by(step) {
            load(&file[..end]);
            let mut damaged = file.clone();
            for byte in [b'}', b'9', b'-', b'"', 0xff] {
                damaged[end] = byte;
                load(&damaged);
            }
        }
    }
}

/// An engine, and a change of the base that it does not show.
const SHOWN: [(&str, &str, &str); 8] = [
    // Only rotation keys, on a frame that its matrix moves.
    ("luanti", "", ""),
    ("luanti", "\"Tip\";", "\"Tip\" ;"),
    ("luanti", "\"Tip\";", "\"Tip\","),
    ("luanti", "Frame Tip {", "Frame Root {"),
    ("luanti-5.16", "\nFrame Root", "Frame Root"),
    ("luanti", "Frame Tip {", "FRAME Tip {"),
    ("luanti", "12;4;", "12.0;4;"),
    ("luanti", "Frame Tip {", "Frame Tip { <11111111-2222-3333-4444-555555555555>"),
];

/// A type unknown to OpenBVE, with its template.
const NOTE: &str = "template Note { <10DD46A8-775B-11cf-8F52-0040333594A3> DWORD n; }\nNote { 1; }\nFrame Root";

/// Tangents, which OpenBVE does not read, and a second set of texture coordinates.
const TANGENTS: &str = "   DeclData { 2; 2;0;6;0;, 1;0;5;1;; 20; 1,2,3,4,5, 1,2,3,4,5, 1,2,3,4,5, 1,2,3,4,5; }
   MeshTextureCoords {";

/// Changes for which programs refuse the base, whose skin or clip they never show.
const LOADED: [(&str, &str, &str); 13] = [
    ("wine-d3dx9", "", ""),
    ("wine-d3dx9", "1.0;4.0;0.0;,", "1;4;.0;,"),
    ("wine-d3dx9", "    2;\n    0,\n    0;", "    1;\n    0;"),
    ("wine-d3dx9", "Material Plain {", "Material Pl.ain {"),
    ("wine-d3dx9", "Material Plain {", "Material float {"),
    ("panda3d", "Material Plain {", "Material float {"),
    ("wine-d3dx9", "Material Plain {", "Material A_name_as_long_as_a_sentence_which_does_not_fit_into_an_object {"),
    ("wine-d3dx9", "Frame Tip {", "Mesh Empty { 0; 0; }\n Frame Tip {"),
    ("openbve", "1.0;4.0;0.0;,", "1e0;4e0;0.0;,"),
    ("openbve", "Frame Root", NOTE),
    ("openbve", "   MeshTextureCoords {", TANGENTS),
    ("panda3d", "1.0;4.0;0.0;,", "1e0;4.0;0.0;,"),
    (
        "openbve-assimp",
        "   36;4;1.0,0.0,0.0,0.0;;;\n  }\n",
        "   36;4;1.0,0.0,0.0,0.0;;;\n  }\n  AnimationKey {\n   2;\n   2;\n   0;3;0.0,0.0,0.0;;,\n   36;3;0.0,0.0,0.0;;;\n  }\n",
    ),
];

fn effect(engine: &'static Profile, bytes: Vec<u8>) -> Effect {
    let options = Options { profiles: vec![engine], ..Options::default() };
    let report = check(vec![Input { path: PathBuf::from("model.x"), bytes: Ok(bytes) }], &options);
    report.files[0].judgements.iter().find(|judgement| judgement.profile == engine).expect("a judgement").effect
}

/// Effects of a file, and of what `convert --profile` writes of it.
fn converted(engine: &str, bytes: Vec<u8>) -> (Effect, Effect) {
    let profile = Profile::find(engine).expect("a profile");
    let folder = tempfile::tempdir().expect("a folder");
    let [from, to] = ["model.x", "written.x"].map(|name| folder.path().join(name));
    std::fs::write(&from, &bytes).expect("a file");
    let mut convert = Command::new(env!("CARGO_BIN_EXE_bindpose"));
    convert.arg("convert").arg(&from).arg("-o").arg(&to).args(["--profile", engine]);
    let output = convert.output().expect("it runs");
    let written = std::fs::read(&to).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (effect(profile, bytes), effect(profile, written))
}

#[test]
fn conversion_for_a_program_makes_it_load_the_model() {
    let mut wrong = Vec::new();
    let shown = SHOWN.iter().map(|case| (case, Effect::Wrong, Effect::Note));
    for (&(engine, from, to), least, most) in
        shown.chain(LOADED.iter().map(|case| (case, Effect::Refuses, Effect::Wrong)))
    {
        assert!(BASE.contains(from), "the base has no {from:?}");
        let (before, after) = converted(engine, BASE.replacen(from, to, 1).into_bytes());
        if before < least || after > most {
            wrong.push(format!("{engine} {to:?}: {before:?}, then {after:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Without a program to write for, none of this happens.
    let plain = check(vec![Input { path: PathBuf::from("model.x"), bytes: Ok(BASE.into()) }], &Options::default());
    assert_eq!(fix::fix(&plain, &Options::default()).fixed, []);
}

/// OpenBVE and Wine read no references to later materials.
#[test]
fn converted_materials_are_in_the_lists_that_use_them() {
    let (start, end) =
        (BASE.find("Material Plain {").expect("a material"), BASE.find("   }\n   XSkin").expect("its end"));
    let material = &BASE[start..end];
    let without = BASE.replace(material, "{ Plain }\n");
    let (before, after) = converted("openbve", (without + material).into_bytes());
    assert!(before >= Effect::Refuses && after <= Effect::Wrong, "{before:?}, then {after:?}");
}

/// OpenBVE's Assimp parser counts vertex colours by their separators, which no repair changes.
#[test]
fn what_only_conversion_solves_names_the_command() {
    let path = Path::new(RECORDED).join("inputs/m29_colors_onesemi.x");
    let options = Options { profiles: vec![Profile::find("openbve-assimp").expect("a profile")], ..Options::default() };
    let input = Input { bytes: Ok(std::fs::read(&path).expect("a file")), path };
    let mut report = check(vec![input], &options);
    let repairs = fix::fix(&report, &options);
    let is_stop = |finding: &&Finding| finding.said.iter().any(|said| said.outcome.stops());
    let finding = report.files[0].findings.iter().find(is_stop).expect("the parser's error");
    let why = repairs.why_left(0, &report.files[0], finding);
    assert!(why.ends_with("convert --profile openbve-assimp writes a file for it"), "{why}");
    fix::mark_fixable(&mut report);
    let helps = report.files[0].findings.iter().map(Finding::help);
    let named =
        helps.filter(|help| help.ends_with("; `bindpose convert --profile openbve-assimp` writes a file for it"));
    assert_eq!(named.count(), 1);
}

/// Luanti and Panda3D refuse binary and compressed files. What to do about Panda3D's refusal is said of each.
#[test]
fn binary_and_compressed_files_are_converted() {
    let file = x::unpack(BASE.as_bytes(), Reading::Lenient).expect("a header");
    let document = x::parse(&file, Reading::Lenient).expect("a document").document;
    let binary = x::Encoding { format: x::BodyFormat::Binary, ..x::Encoding::TEXT };
    let options = Options { profiles: vec![Profile::find("panda3d").expect("a profile")], ..Options::default() };
    for (encoding, code, help) in [
        (binary, "XF007", "write its objects as text (`bindpose convert --encoding text`)"),
        (x::Encoding::TEXT.compressed(), "XF140", "write the file uncompressed"),
    ] {
        let bytes = x::write(&document, encoding);
        for engine in ["luanti", "panda3d"] {
            let (before, after) = converted(engine, bytes.clone());
            assert!(before == Effect::Refuses && after <= Effect::Note, "{engine}: {before:?} {after:?}");
        }
        let report = check(vec![Input { path: PathBuf::from("model.x"), bytes: Ok(bytes) }], &options);
        let found: Vec<_> = report.files[0].findings.iter().map(|finding| (finding.code.id, finding.help())).collect();
        assert!(matches!(&found[..], [(known, said)] if *known == code && said.contains(help)), "{found:?}");
    }
}

/// FPS Creator's Colonel-X_L.X has such a block. assimp 5.2.5 refused this file.
#[test]
fn stored_bytes_without_the_complement_of_their_number_are_read() {
    let [head, body] = [&BASE[..16], &BASE[16..]].map(str::as_bytes);
    let length = u16::try_from(body.len()).expect("one block").to_le_bytes();
    let [total, packed] = [BASE.len(), body.len() + 5].map(|bytes| u32::try_from(bytes).expect("small").to_le_bytes());
    let block = [&length[..], &packed[..2], b"CK\x01", &length, body].concat();
    let file = [&head[..8], b"tzip0032", &total, &block].concat();
    assert_eq!(&*x::unpack(&file, Reading::Lenient).expect("all bytes are there").bytes, BASE.as_bytes());
    let report = check(vec![Input { path: "a.x".into(), bytes: Ok(file) }], &Options::default());
    let finding = report.files[0].findings.iter().find(|it| it.code.id == "XF019").expect("a warning");
    let judged = |name: &str| finding.effect(Profile::find(name).expect("a profile"));
    assert_eq!(
        ["d3dx9", "assimp", "wine-d3dx9"].map(judged),
        [Effect::Fine, Effect::Refuses, Effect::Refuses].map(Some)
    );
}

/// Wine does not compare the sizes of compressed blocks with the length of the file.
#[test]
fn wine_reads_past_the_end_of_compressed_files() {
    let file = x::unpack(BASE.as_bytes(), Reading::Lenient).expect("a header");
    let document = x::parse(&file, Reading::Lenient).expect("a document").document;
    let packed = x::write(&document, x::Encoding::TEXT.compressed());
    let judged = |bytes: &[u8]| verdicts(Path::new("a.x"), bytes.to_vec())["wine-d3dx9"].clone();
    assert_eq!(judged(&packed[..packed.len() - 1]).0, "crashes");
    assert_eq!(judged(&[&packed[..], &[0xff, 0xff]].concat()), ("refuses", "0x8876035d".to_owned()));
}

#[test]
fn weights_of_vertices_without_faces_are_not_written() {
    let loose = "   5;\n   0.0;0.0;0.0;,";
    let bytes = BASE.replacen("   4;\n   0.0;0.0;0.0;,", loose, 1);
    let (from, to) = ("0.0;4.0;0.0;;", "0.0;4.0;0.0;,\n   9.0;9.0;9.0;;");
    assert!(bytes.contains(from), "{bytes}");
    let bytes = bytes.replacen(from, to, 1);
    let (list, longer) = (
        "    2;\n    2,\n    3;\n    0.75,\n    0.75;",
        "    3;\n    2,\n    3,\n    4;\n    0.75,\n    0.75,\n    1.0;",
    );
    assert!(bytes.contains(list), "{bytes}");
    let (before, after) = converted("luanti", bytes.replacen(list, longer, 1).into_bytes());
    assert!(before == Effect::Exits && after <= Effect::Wrong, "{before:?} {after:?}");
}
