//! The tables of codes, and the page generated from them.

use bindpose::validate::{Input, Options, Outcome, check, codes, docs};
use bindpose_conformance::suite;
use std::collections::HashSet;
use std::path::Path;

#[test]
fn the_page_of_diagnostics_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md");
    let made = docs::markdown();
    if std::env::var_os("BINDPOSE_WRITE_DOCS").is_some() {
        std::fs::write(&path, &made).expect("docs/diagnostics.md written");
    }
    let kept = std::fs::read_to_string(&path).expect("docs/diagnostics.md");
    assert!(made == kept, "run BINDPOSE_WRITE_DOCS=1 cargo test --test all diagnostics");
}

#[test]
fn codes_are_found_by_id_and_by_name() {
    let code = codes::find("md5m204").expect("a code");
    assert_eq!((code.id, code.name), ("MD5M204", "weight-sum"));
    assert!(codes::named("weight-sum").contains(&code) && codes::named("weight-sum").len() > 1);
    assert_eq!(codes::find("MD5M999"), None);
}

#[test]
fn codes_are_unique_and_described() {
    let mut ids = HashSet::new();
    let mut names = HashSet::new();
    for code in codes::all() {
        assert!(ids.insert(&code.id), "{}", code.id);
        let prefix = code.id.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let group = if prefix.starts_with("MD5") { "MD5" } else { prefix };
        // Meshes, clips and cameras share names if they share numbers.
        names.insert((group, code.name, code.id.get(4..).unwrap_or_default()));
        assert!(!code.title.is_empty() && !code.why.is_empty(), "{} says too little", code.id);
        assert!(!code.title.ends_with('.') && code.why.ends_with('.'), "{} is not in the form", code.id);
        assert!(!code.help.is_empty(), "{} does not say what to do", code.id);
        assert!(!code.help.ends_with('.'), "{} is not in the form", code.id);
    }
    let mut by_name: Vec<_> = names.iter().map(|&(group, name, _)| (group, name)).collect();
    let count = by_name.len();
    by_name.sort_unstable();
    by_name.dedup();
    assert_eq!(by_name.len(), count, "a name has two numbers");
}

#[test]
fn explanations_quote_the_engines() {
    let text = docs::explain(codes::find("MD5A105").expect("a code"));
    assert!(text.contains("Invalid parent num: {parent}"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}

/// Each message that a followed loader prints for a file of the conformance suite is known to `explain`, with its engine.
#[test]
fn messages_of_followed_loaders_are_explained() {
    let cases = suite::cases().expect("the suite");
    let (mut seen, mut unknown) = (HashSet::new(), Vec::new());
    for case in &cases {
        let files = [Some(case), case.companion(&cases)].into_iter().flatten();
        let inputs = files.map(|file| Input { path: (&file.file).into(), bytes: Ok(file.bytes.clone()) }).collect();
        let report = check(inputs, &Options { together: true, ..Options::default() });
        for said in report.files.iter().flat_map(|file| &file.findings).flat_map(|finding| &finding.said) {
            // The number of an error alone is no sentence.
            let is_printed = !said.undefined && said.outcome != Outcome::Misreads && said.message.contains(' ');
            if is_printed && seen.insert((said.profile.name, said.message.clone())) {
                let known = docs::messages_with(&said.message);
                if !known.iter().any(|message| message.engines.contains(&said.profile.name)) {
                    unknown.push(format!("{}, {}: {}", said.profile.name, case.file, said.message));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{}", unknown.join("\n"));
    assert!(seen.len() > 300, "{} messages were printed", seen.len());
}
