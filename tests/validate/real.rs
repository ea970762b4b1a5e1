//! Damages of real models, as exporters, hand editors and broken copies make them: each is one error or warning, at the line
//! that the damage knows, with a help, and its repair gives the undamaged model back or leaves the damage alone.
//!
//! `BINDPOSE_TESTS=all` damages every model of the tables in each way, otherwise the first of each kind in every other way;
//! `score.rs` checks how all of them are reported.

pub mod damages;
pub mod lines;

use crate::support;
use bindpose::diagnostic::Severity;
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, Validation, check, fix};
use damages::Repair::{Computed, Exact, Silent};
use damages::{ANIM, Damage, FILES, MESH};
use lines::Lines;
use rayon::prelude::*;
use std::path::Path;

/// Meshes, each with a clip of its own.
pub const MD5: [[&str; 2]; 3] = [
    [
        "unvanquished-players/models/players/level0/body.md5mesh",
        "unvanquished-players/models/players/level0/run.md5anim",
    ],
    ["redeclipse-weapons/rocket/rocket_launcher.md5mesh", "redeclipse-weapons/rocket/shoot.md5anim"],
    [
        "unvanquished-players/models/players/builder/body.md5mesh",
        "unvanquished-players/models/players/builder/walk_left.md5anim",
    ],
];
/// `.x` files as Blender writes them.
pub const X: [&str; 3] = [
    "minetest_game/mods/default/models/character_2014.x",
    "VoxelLegends/mods/mp_mobs/mobs_animal/models/mobs_bee.x",
    "VoxelLegends/mods/mp_mobs/mobs_monster/models/mobs_spider.x",
];

/// True if two files have the same words, numbers by their values; comments and blanks aside.
fn says_the_same(one: &[u8], other: &[u8]) -> bool {
    let words = |bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8_lossy(bytes).replace(['(', ')', '{', '}'], " ");
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        lines.flat_map(str::split_whitespace).map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let is_same = |(one, other): (&String, &String)| {
        one == other || one.parse::<f64>().is_ok_and(|one| other.parse::<f64>() == Ok(one))
    };
    one.len() == other.len() && one.iter().zip(&other).all(is_same)
}

/// A damaged file beside others, and what is found in it.
struct Case<'a> {
    /// Path of the damaged file, below the corpus.
    path: &'a str,
    lines: &'a Lines,
    others: &'a [Input],
    /// Findings of the undamaged file.
    known: &'a [(&'static str, String)],
    /// The undamaged file, as it is after `--fix`.
    fixed: &'a [u8],
}

fn checked(path: &str, bytes: &[u8], others: &[Input]) -> Validation {
    let other =
        |input: &Input| Input { path: input.path.clone(), bytes: Ok(input.bytes.as_ref().expect("bytes").clone()) };
    let files = [Input { path: path.into(), bytes: Ok(bytes.to_vec()) }].into_iter().chain(others.iter().map(other));
    check(files.collect(), &Options { together: true, ..Options::default() })
}

/// Codes and messages of the first file that are errors or warnings, with line and help.
fn found(report: &Validation) -> Vec<(&'static str, String, usize, String)> {
    let selection = Selection::default();
    let source = report.sources.get(report.files[0].source);
    let is_grave =
        |finding: &&bindpose::validate::finding::Finding| selection.severity(finding) >= Some(Severity::Warning);
    let of = |finding: &bindpose::validate::finding::Finding| {
        let line = source.position(finding.first.span.start).line as usize;
        (finding.code.id, finding.message.clone(), line, finding.help().into_owned())
    };
    report.files[0].findings.iter().filter(is_grave).map(of).collect()
}

/// The first file after `--fix`; as it is if there is nothing to repair.
fn repaired(report: &Validation) -> Option<Vec<u8>> {
    let options = Options { together: true, ..Options::default() };
    fix::fix(report, &options).fixed.into_iter().find(|fixed| fixed.file == 0).map(|fixed| fixed.bytes)
}

impl Case<'_> {
    fn fault(&self, (name, damage, repair): &Damage) -> Option<String> {
        let mut lines = self.lines.clone();
        let Some(line) = damage(&mut lines) else { return Some(format!("{}: {name}: no such place", self.path)) };
        let bytes = lines.bytes();
        let report = checked(self.path, &bytes, self.others);
        let told: Vec<_> = found(&report)
            .into_iter()
            .filter(|(code, message, ..)| !self.known.iter().any(|known| (known.0, &known.1) == (*code, message)))
            .collect();
        let wrong = |why: String| Some(format!("{}: {name}: {why}", self.path));
        let [(code, _, at, help)] = &told[..] else {
            return wrong(format!("found {told:#?}, expected one at line {line}"));
        };
        if (*at, help.is_empty()) != (line, false) {
            return wrong(format!("found {told:?}, expected it at line {line}"));
        }
        let after = repaired(&report);
        let stays = |after: &[u8]| found(&checked(self.path, after, self.others)).iter().any(|found| found.0 == *code);
        let outcome = match after {
            Some(after) if says_the_same(&after, self.fixed) => Exact,
            Some(after) if !stays(&after) => Computed,
            Some(_) | None => Silent,
        };
        if outcome != *repair { wrong(format!("{code}: the repair is {outcome:?}, expected {repair:?}")) } else { None }
    }
}

/// Faults of the damages of one file.
fn faults(corpus: &Path, path: &str, others: &[&str], damages: &[Damage]) -> Vec<String> {
    let read = |path: &str| std::fs::read(corpus.join(path)).expect("a file of the corpus");
    let (bytes, others) = (read(path), others.iter().map(|path| Input { path: path.into(), bytes: Ok(read(path)) }));
    let (lines, others): (_, Vec<Input>) = (Lines::read(&bytes), others.collect());
    assert_eq!(lines.bytes(), bytes, "{path} as lines");
    let report = checked(path, &bytes, &others);
    let known: Vec<_> = found(&report).into_iter().map(|(code, message, ..)| (code, message)).collect();
    let fixed = repaired(&report).unwrap_or(bytes);
    let case = Case { path, lines: &lines, others: &others, known: &known, fixed: &fixed };
    let damages = damages.par_iter().enumerate().filter(|(number, _)| support::is_sampled(*number, 0, 2));
    damages.filter_map(|(_, damage)| case.fault(damage)).collect()
}

#[test]
fn each_damage_of_a_real_model_is_one_finding() {
    let Some(shared) = support::shared_only() else { return };
    let corpus = shared.join("corpus");
    let models = if support::everything() { MD5.len() } else { 1 };
    let mut wrong = Vec::new();
    for [mesh, anim] in &MD5[..models] {
        wrong.extend(faults(&corpus, mesh, &[], MESH));
        wrong.extend(faults(&corpus, anim, &[mesh], ANIM));
    }
    for file in &X[..models] {
        wrong.extend(faults(&corpus, file, &[], FILES));
    }
    assert!(wrong.is_empty(), "{} are wrong\n{}", wrong.len(), wrong.join("\n"));
}
