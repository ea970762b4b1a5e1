//! Writes the suite.

use crate::engines::{Answers, answers};
use crate::suite::{Case, EDITION, Load, cases};
use bindpose_core::engines::PROFILES;
use bindpose_core::write;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Content of `rules.json`.
#[derive(Serialize)]
struct Manifest<'a> {
    edition: u32,
    rules: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    case: &'a Case,
    engines: Answers,
}

/// Writes all files into a folder, or no file if one of them exists.
pub fn write_suite(folder: &Path) -> anyhow::Result<()> {
    let cases = cases()?;
    let rules = cases.iter().map(|case| Entry { case, engines: answers(case, case.companion(&cases)) });
    let manifest = Manifest { edition: EDITION, rules: rules.collect() };
    let mut files: Vec<(PathBuf, Vec<u8>)> = vec![
        (folder.join("README.md"), page(&manifest.rules).into_bytes()),
        (folder.join("rules.json"), serde_json::to_string_pretty(&manifest)?.into_bytes()),
    ];
    files.extend(cases.iter().map(|case| (folder.join(&case.file), case.bytes.clone())));
    Ok(write::create_all(&files, folder)?)
}

/// Returns README.md: how to use the suite, the rules that each engine breaks, and all rules.
fn page(rules: &[Entry<'_>]) -> String {
    let mut text = include_str!("page.md").to_owned();
    text += "## Engines\n\nRules that each engine keeps, without what it may refuse and does. Not from running it, but from following its loader, and its playback\nwhere that is known. Of `d3dx9` and `xna` only refusals are known.\n\n";
    text += "| engine | MD5 | .x |\n|---|---|---|\n";
    for profile in &PROFILES {
        let cells = ["md5/", "x/"].map(|folder| {
            let files = rules.iter().filter(|rule| rule.case.file.starts_with(folder));
            let judged = files.filter_map(|rule| rule.engines.get(profile.name)?.keeps(rule.case));
            let (kept, broken): (Vec<bool>, Vec<bool>) = judged.partition(|keeps| *keeps);
            let all = kept.len() + broken.len();
            if all == 0 { String::new() } else { format!("{} of {all}", kept.len()) }
        });
        if cells.iter().any(|cell| !cell.is_empty()) {
            text += &format!("| `{}` {} | {} | {} |\n", profile.name, profile.title, cells[0], cells[1]);
        }
    }
    text += "\n## Rules\n\nEdition ";
    text += &format!("{EDITION}: {} files.\n", rules.len());
    let mut area = "";
    for rule in rules {
        if rule.case.area != area {
            area = &rule.case.area;
            text += &format!("\n### {area}\n\n| file | load | rule | broken by |\n|---|---|---|---|\n");
        }
        let broken = rule.engines.iter().filter(|(_, answer)| answer.keeps(rule.case) == Some(false));
        let engines: Vec<&str> = broken.map(|(name, _)| *name).collect();
        let load = match rule.case.load {
            Load::Must => "must",
            Load::May => "may",
            Load::No => "no",
        };
        let words = rule.case.rule.replace('|', "\\|");
        text += &format!("| `{}` | {load} | {words} | {} |\n", rule.case.file, engines.join(", "));
    }
    text
}
