//! Followed loaders of `.x` beside the verdicts of the programs themselves, which were run on the same files.

use crate::support::{shared, skip};
use bindpose::validate::profiles::{Effect, LoaderFamily, PROFILES, Profile};
use bindpose::validate::{Input, Options, check};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// An engine, and the fewest files on which it must agree with the program.
struct Row(&'static str, usize);

const ROWS: [Row; 0] = [];

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
