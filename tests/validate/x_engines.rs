//! Followed loaders of `.x` beside the verdicts of the programs themselves, which were run on the same files.

use crate::support::{shared, skip};
use bindpose::validate::profiles::{Effect, LoaderFamily, PROFILES, Profile};
use bindpose::validate::x_loaders::{self, XFile};
use bindpose::validate::{Input, Options, check};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An engine, and the fewest files on which it must agree with the program.
struct Row(&'static str, usize);

const ROWS: [Row; 3] = [Row("luanti", 168), Row("luanti-5.16", 166), Row("irrlicht", 166)];

/// The word that the recorded verdicts use.
fn word(effect: Effect) -> &'static str {
    match effect {
        Effect::Fine | Effect::Note => "loads",
        Effect::Wrong => "incorrect",
        Effect::Refuses => "refuses",
        Effect::Drops | Effect::Exits => "crashes",
    }
}

/// The path of a recorded file.
fn place(root: &Path, key: &str) -> PathBuf {
    match key.strip_prefix("corpus:") {
        Some(path) => root.join("corpus").join(path),
        None => root.join("engines-x").join(key),
    }
}

/// Verdicts and messages of all engines with a followed loader.
fn verdicts(path: &Path, bytes: Vec<u8>) -> BTreeMap<&'static str, (&'static str, String)> {
    let report = check(vec![Input { path: path.to_owned(), bytes: Ok(bytes) }], &Options::default());
    let judged = report.files[0].judgements.iter();
    let of_x = judged.filter(|judgement| judgement.profile.loader == LoaderFamily::XFile);
    let said = |judgement: &bindpose::validate::Judgement| {
        (judgement.profile.name, (word(judgement.effect), judgement.message.clone().unwrap_or_default()))
    };
    of_x.map(said).collect()
}

/// Compares on every recorded file that is there; with `BINDPOSE_LIST`, prints each difference.
#[test]
fn loaders_agree_with_the_programs() {
    let Some(root) = shared() else { return skip("no recorded verdicts") };
    let Ok(text) = std::fs::read(root.join("engines-x/truth.json")) else { return skip("no recorded verdicts") };
    let truth: Value = serde_json::from_slice(&text).expect("JSON");
    let mut agreed: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differences = Vec::new();
    let mut read = 0;
    for (key, engines) in truth["files"].as_object().expect("files") {
        let path = place(&root, key);
        let Ok(bytes) = std::fs::read(&path) else { continue };
        read += 1;
        let found = verdicts(&path, bytes);
        for Row(name, _) in ROWS {
            let (verdict, message) = &found[name];
            let expected = &engines[name];
            let accepted = match &expected["verdict"] {
                Value::Array(several) => several.iter().any(|one| one == verdict),
                one => one == verdict,
            };
            match accepted {
                true => *agreed.entry(name).or_default() += 1,
                false => differences.push(format!(
                    "{name} {key}: {verdict} {message:?}, but the program: {} {}",
                    expected["verdict"], expected["message"]
                )),
            }
        }
    }
    println!("{read} files read: {agreed:?}");
    if std::env::var_os("BINDPOSE_LIST").is_some() {
        println!("{}", differences.join("\n"));
    }
    for Row(name, least) in ROWS {
        let agreed = agreed.get(name).copied().unwrap_or_default();
        assert!(agreed >= least, "{name}: {agreed} of {read}, expected {least}\n{}", differences.join("\n"));
    }
}

#[test]
fn rows_name_engines() {
    for Row(name, _) in ROWS {
        let profile = Profile::find(name).expect("a profile");
        assert_eq!(profile.loader, LoaderFamily::XFile, "{name}");
    }
    assert!(ROWS.len() <= PROFILES.iter().filter(|profile| profile.loader == LoaderFamily::XFile).count());
}

const BASE: &str = include_str!("../cases/validate/base.x");

/// A change of the base file: the verdict of an engine, the code, the line of its place, and a part of the words.
type Case = (&'static str, &'static str, &'static str, Effect, &'static str, u32, &'static str);

/// The conditions and messages are those of docs/formats/x-engines.md, which were seen when the programs ran.
const CASES: [Case; 14] = [
    (
        "luanti",
        "Frame Tip {",
        "Frame Tip two {",
        Effect::Refuses,
        "XF020",
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
    ("luanti", "Frame Tip {", "Frame Root {", Effect::Exits, "XF144", 6, "joint hierarchy must be acyclic"),
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
];

#[test]
fn programs_stop_in_their_own_words() {
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

/// Files that are worth damaging: the base, and the recorded ones that are small.
fn small_files() -> Vec<Vec<u8>> {
    let mut files = vec![BASE.as_bytes().to_vec()];
    if let Some(root) = shared() {
        let paths = crate::support::files_with(&root.join("engines-x/inputs"), &["x"]);
        files.extend(paths.iter().filter_map(|path| std::fs::read(path).ok()).filter(|bytes| bytes.len() < 1500));
    }
    files
}

/// Every beginning of a file, and every byte replaced: no loader panics, hangs, or points outside of the file.
#[test]
fn loaders_survive_every_cut_and_every_byte() {
    let engines: Vec<_> = PROFILES.iter().filter(|profile| profile.loader == LoaderFamily::XFile).collect();
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
    for file in small_files() {
        for end in 0..file.len() {
            load(&file[..end]);
            let mut damaged = file.clone();
            for byte in [b'}', b'9', b'-', b'"', 0xff] {
                damaged[end] = byte;
                load(&damaged);
            }
        }
    }
}
