//! The tables of codes, and the page generated from them.

use bindpose::validate::profiles::{FormatFamily, LoaderFamily, PROFILES};
use bindpose::validate::{Input, Options, Outcome, check, codes, docs};
use bindpose_conformance::suite;
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;

#[test]
fn the_page_of_diagnostics_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md");
    let made = page();
    if std::env::var_os("BINDPOSE_WRITE_DOCS").is_some() {
        std::fs::write(&path, &made).expect("docs/diagnostics.md written");
    }
    let kept = std::fs::read_to_string(&path).expect("docs/diagnostics.md");
    assert!(made == kept, "run BINDPOSE_WRITE_DOCS=1 cargo test --test all diagnostics");
}

/// Returns docs/diagnostics.md.
fn page() -> String {
    let mut text = String::from(
        "# Diagnostics\n\n\
         Every code of `bindpose validate`. This page is made from the same tables as the program: do not edit it,\n\
         run `BINDPOSE_WRITE_DOCS=1 cargo test --test all diagnostics` instead. `bindpose explain CODE` prints one entry\n\
         with the engines' own words.\n\n\
         A code names a fault; its severity depends on the engine (`--profile`). A code keeps its meaning in later versions. Below\n\
         200, `MD5M`, `MD5A` and `MD5C` codes of one number mean the same in meshes, clips and cameras; `MD5P` are\n\
         pairs of a mesh and a clip, `MOT` the motion of clips, `XF` DirectX .x files, `PAK` archives, `DECL` files of decls,\n\
         `MTR` materials, `IMG` image programs, `SKN` skins, `DEF` model decls and entityDefs, `TEX` textures, `IO` files as\n\
         such. The importers report `MD5I`, `XFI` and `GLI` (glTF): `info`, `convert` and the player print them.\n\n",
    );
    text.push_str("## Engines\n\n| profile | engine | formats | how its verdict is found |\n|---|---|---|---|\n");
    for profile in &PROFILES {
        let formats: Vec<&str> = [(FormatFamily::Md5, "MD5"), (FormatFamily::X, ".x"), (FormatFamily::Decl, "decls")]
            .iter()
            .filter(|(format, _)| profile.reads(*format))
            .map(|&(_, name)| name)
            .collect();
        let how = match profile.loader {
            _ if profile.inferred => "by inference, its source is closed",
            LoaderFamily::None => "from the table",
            LoaderFamily::D3dx => "by its answer to each fault that the reader here finds, from the table",
            _ => "by following its loader step by step",
        };
        let _ = writeln!(text, "| `{}` | {} | {} | {how} |", profile.name, profile.title, formats.join(", "));
    }
    text.push_str("\n## Codes\n");
    for code in codes::all() {
        let what = docs::wrap(&format!("**{}.** {}", capital(code.title), code.why));
        let _ = write!(text, "\n### {} {}\n\n{what}\n", code.id, code.name);
        if !code.help.is_empty() {
            let fix = if code.can_fix { " `--fix` does this in files where it needs no guess." } else { "" };
            let _ = write!(text, "\n{}\n", docs::wrap(&format!("*What to do:* {}.{fix}", code.help)));
        }
        let reactions = docs::reactions(code);
        if !reactions.is_empty() {
            text.push('\n');
        }
        for reaction in reactions {
            let _ = writeln!(text, "{}", docs::wrap(&format!("- {reaction}")));
        }
    }
    text
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
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
