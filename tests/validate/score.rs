//! Numbers that no change of the checks may make worse: findings of damaged files, reported lines of two damages at once,
//! and the list of findings of undamaged files.
//!
//! An error or a warning counts if the undamaged file does not have it. The models bundled with the program are always
//! damaged, those of the corpus with `BINDPOSE_TESTS=all`; `BINDPOSE_WRITE_EXPECTED=1` writes the lists again.

use super::real::damages::{ANIM, Damage, FILES, MESH};
use super::real::lines::Lines;
use super::real::{MD5, X};
use crate::support;
use bindpose::budget::MemoryLimit;
use bindpose::diagnostic::Severity;
use bindpose::validate::profiles::{PROFILES, Profile};
use bindpose::validate::report::Selection;
use bindpose::validate::{Input, Options, check, inputs};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Distance in a table between the two damages that a file gets at once.
const APART: usize = 7;

/// Counts of one table of damages: for all engines, and for those of a report without options.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Score {
    damages: usize,
    /// Errors and warnings.
    found: [usize; 2],
    /// Damages with exactly one error or warning.
    exactly_one: [usize; 2],
    /// Damages with an error or a warning on their line.
    on_line: [usize; 2],
    pairs: usize,
    /// Pairs of damages with errors or warnings on both lines.
    both: [usize; 2],
    /// Pairs of damages with errors or warnings on neither line.
    neither: [usize; 2],
}

impl Score {
    /// True if nothing is worse than in a known score.
    fn holds(&self, known: &Self) -> bool {
        let fewer = |new: [usize; 2], old: [usize; 2]| new.iter().zip(&old).all(|(new, old)| new <= old);
        (self.damages, self.pairs) == (known.damages, known.pairs)
            && fewer(self.found, known.found)
            && fewer(known.exactly_one, self.exactly_one)
            && fewer(known.on_line, self.on_line)
            && fewer(known.both, self.both)
            && fewer(self.neither, known.neither)
    }
}

/// A new error or warning: its code, message, and line if it is in the damaged file.
type Found = (&'static str, String, usize);

/// A file to damage, and those checked with it.
struct Model<'a> {
    path: &'a str,
    bytes: Vec<u8>,
    others: Vec<(&'a str, Vec<u8>)>,
}

fn selections() -> [Selection; 2] {
    let all = PROFILES.iter().collect::<Vec<&'static Profile>>();
    [Selection { profiles: all, ..Selection::default() }, Selection::default()]
}

impl Model<'_> {
    /// Returns errors and warnings of the file with this content, for both selections of engines.
    fn found(&self, bytes: Vec<u8>) -> [Vec<Found>; 2] {
        let input = |(path, bytes): (&str, Vec<u8>)| Input { path: path.into(), bytes: Ok(bytes) };
        let others = self.others.iter().map(|(path, bytes)| (*path, bytes.clone()));
        let files = std::iter::once((self.path, bytes)).chain(others).map(input).collect();
        let report = check(files, &Options { together: true, ..Options::default() });
        let source = report.sources.get(report.files[0].source);
        selections().map(|selection| {
            let findings = report
                .files
                .iter()
                .enumerate()
                .flat_map(|(at, file)| file.findings.iter().map(move |finding| (at, finding)));
            let grave = findings.filter(|(_, finding)| selection.severity(finding) >= Some(Severity::Warning));
            grave
                .map(|(at, finding)| {
                    let line = if at == 0 { source.position(finding.first.span.start).line } else { 0 };
                    (finding.code.id, finding.message.clone(), line as usize)
                })
                .collect()
        })
    }

    /// Scores the damages of a table, each alone and each with a later one.
    fn score(&self, table: &[Damage], score: &mut Score) {
        let lines = Lines::read(&self.bytes);
        let known = self.found(self.bytes.clone());
        let new = |lines: &Lines| {
            let mut found = self.found(lines.bytes());
            for (found, known) in found.iter_mut().zip(&known) {
                found.retain(|(code, message, _)| !known.iter().any(|known| (known.0, &known.1) == (*code, message)));
            }
            found
        };
        let alone = |(_, damage, _): &Damage| {
            let mut lines = lines.clone();
            damage(&mut lines).map(|line| (line, new(&lines)))
        };
        for (line, found) in table.par_iter().filter_map(alone).collect::<Vec<_>>() {
            score.damages += 1;
            for (at, found) in found.iter().enumerate() {
                score.found[at] += found.len();
                score.exactly_one[at] += usize::from(found.len() == 1);
                score.on_line[at] += usize::from(found.iter().any(|found| found.2 == line));
            }
        }
        let together = |(index, (_, first, _)): (usize, &Damage)| {
            let (mut lines, (_, second, _)) = (lines.clone(), &table[(index + APART) % table.len()]);
            let one = first(&mut lines)?;
            let before = lines.0.len();
            let other = second(&mut lines)?;
            // The second damage may move the line of the first one.
            let one = if other <= one { (one + lines.0.len()).saturating_sub(before) } else { one };
            Some(([one, other], new(&lines)))
        };
        for (lines, found) in table.par_iter().enumerate().filter_map(together).collect::<Vec<_>>() {
            score.pairs += 1;
            for (at, found) in found.iter().enumerate() {
                let told = lines.iter().filter(|&&line| found.iter().any(|found| found.2 == line)).count();
                score.both[at] += usize::from(told == 2);
                score.neither[at] += usize::from(told == 0);
            }
        }
    }
}

/// Scores damages of meshes with one clip each, and of `.x` files.
fn scores(root: &Path, md5: &[[&str; 2]], x: &[&str]) -> [Score; 3] {
    let mut scores = [Score::default(); 3];
    let read = |path: &str| std::fs::read(root.join(path)).expect("a model");
    for [mesh, anim] in md5 {
        let model = |path, other| Model { path, bytes: read(path), others: vec![(other, read(other))] };
        model(*mesh, *anim).score(MESH, &mut scores[0]);
        model(*anim, *mesh).score(ANIM, &mut scores[1]);
    }
    for path in x {
        Model { path, bytes: read(path), others: Vec::new() }.score(FILES, &mut scores[2]);
    }
    scores
}

fn compare(found: [Score; 3], known: [Score; 3]) {
    println!("{found:#?}");
    for ((what, found), known) in ["meshes", "clips", ".x files"].into_iter().zip(found).zip(known) {
        assert!(found.holds(&known), "{what} are reported worse: {found:#?}, and not {known:#?}");
    }
}

/// Returns a known score: damages and pairs, then the other counts in their order.
const fn known([damages, pairs]: [usize; 2], counts: [[usize; 2]; 5]) -> Score {
    let [found, exactly_one, on_line, both, neither] = counts;
    Score { damages, found, exactly_one, on_line, pairs, both, neither }
}

#[test]
fn damages_of_bundled_models_are_reported_as_well_as_before() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
    compare(
        scores(&data, &[["quake/progs/banner.md5mesh", "quake/progs/banner.md5anim"]], &["x/cylinder.x"]),
        [
            known([76, 73], [[83, 80], [70, 72], [76, 76], [41, 37], [1, 1]]),
            known([53, 51], [[54, 53], [52, 53], [53, 53], [30, 29], [1, 1]]),
            known([56, 47], [[68, 60], [46, 52], [55, 55], [25, 25], [2, 2]]),
        ],
    );
}

#[test]
fn damages_of_real_models_are_reported_as_well_as_before() {
    let Some(shared) = support::shared().filter(|_| support::everything()) else { return };
    compare(
        scores(&shared.join("corpus"), &MD5, &X),
        [
            known([228, 219], [[249, 232], [213, 224], [228, 228], [125, 111], [3, 3]]),
            known([159, 153], [[160, 159], [158, 159], [159, 159], [89, 86], [3, 3]]),
            known([192, 189], [[225, 192], [167, 192], [192, 192], [111, 105], [3, 3]]),
        ],
    );
}

/// Returns the findings of files as lines: path, code, line, severity for the formats' own engines.
fn listed(root: &Path, paths: &[PathBuf]) -> String {
    let groups = inputs::find(paths, None, Default::default()).expect("a folder").groups;
    let of_group = |group: &inputs::Group| {
        let options = Options { together: group.together, ..Options::default() };
        let report = check(inputs::read(group, MemoryLimit::default()), &options);
        let mut lines = Vec::new();
        for file in &report.files {
            let source = report.sources.get(file.source);
            let path = file.path.strip_prefix(root).unwrap_or(&file.path).display().to_string().replace('\\', "/");
            for finding in &file.findings {
                let Some(severity) = Selection::default().severity(finding) else { continue };
                let line = source.position(finding.first.span.start).line;
                lines.push(format!("{path}\t{}\t{line}\t{severity:?}", finding.code.id));
            }
        }
        lines
    };
    let mut lines: Vec<String> = groups.par_iter().flat_map_iter(of_group).collect();
    lines.sort();
    lines.into_iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    })
}

/// Compares a list with the file that has it, or writes that file.
fn expect(found: &str, file: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate").join(file);
    if std::env::var_os("BINDPOSE_WRITE_EXPECTED").is_some() {
        std::fs::write(path, found).expect("written");
        return;
    }
    let known = std::fs::read_to_string(path).expect("the list");
    let gone: Vec<&str> = known.lines().filter(|line| !found.lines().any(|found| found == *line)).collect();
    let new: Vec<&str> = found.lines().filter(|line| !known.lines().any(|known| known == *line)).collect();
    assert!(gone.is_empty() && new.is_empty(), "findings of undamaged files changed: gone {gone:#?}, new {new:#?}");
}

#[test]
fn findings_of_undamaged_files_are_the_known_ones() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let paths = ["data/md5", "data/x", "data/quake", "tests/cases/validate"].map(|folder| root.join(folder));
    expect(&listed(root, &paths), "score/bundled.tsv");
    if let Some(shared) = support::shared() {
        expect(&listed(&shared, &[shared.join("corpus")]), "score/corpus.tsv");
    }
}
