//! The tables of codes, and the page generated from them.

use bindpose::validate::{codes, docs};
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
    assert!(text.contains("Invalid parent num: {found}"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 120), "{text}");
}
