//! `bindpose conformance`

use super::format_arg::FormatArg;
use super::load_args::MemoryArgs;
use super::output::tell;
use super::{Outcome, print_json, table};
use anyhow::Context;
use bindpose_conformance::score::{Results, Scores, Verdict};
use bindpose_conformance::suite::Case;
use bindpose_conformance::{library, suite};
use bindpose_parsers::counted;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Score a loader on the files of `bindpose generate conformance`
///
/// A loader reads the files of the suite and prints what it finds as JSON; docs/conformance.md describes the form. The
/// score counts by area how many rules the loader keeps, and lists the others with what was expected.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose generate conformance suite/\n  \
    my-loader suite/rules.json > results.json\n  \
    bindpose conformance results.json\n\n\
    Exit codes: 0 all rules kept, 1 a rule is broken, 2 usage or I/O")]
pub struct Args {
    /// Results that a loader printed [default: those of bindpose itself]
    #[arg(value_name = "RESULTS.json")]
    results: Option<PathBuf>,
    #[command(flatten)]
    memory: MemoryArgs,
    #[command(flatten)]
    format: FormatArg,
}

/// Number of files that are not in the suite and are named.
const STRAYS_TOLD: usize = 10;

/// Prints the score.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let cases = suite::cases()?;
    let results = match &args.results {
        Some(path) => read_results(path, args.memory)?,
        None => library::results(&cases),
    };
    let scores = Scores::new(cases, &results);
    for stray in scores.strays.iter().take(STRAYS_TOLD) {
        tell!("bindpose: the suite has no file '{stray}'");
    }
    if let more @ 1.. = scores.strays.len().saturating_sub(STRAYS_TOLD) {
        tell!("bindpose: nor {} (--json lists them)", counted(more, "further file", "further files"));
    }
    let outcome = if scores.broken().next().is_some() { Outcome::AtFault } else { Outcome::Fine };
    if args.format.is_json() {
        let broken = |(case, verdict): &(Case, Verdict)| {
            let (verdict, following) = (verdict.sentence(), scores.following(case));
            json!({"file": case.file, "rule": case.rule, "verdict": verdict, "following": following})
        };
        let areas = scores.areas().into_iter().map(|(area, score)| json!({"area": area, "score": score}));
        let (areas, broken) = (areas.collect::<Vec<_>>(), scores.broken().map(broken).collect::<Vec<_>>());
        print_json(out, &json!({"loader": scores.loader, "areas": areas, "broken": broken, "strays": scores.strays}))?;
        return Ok(outcome);
    }
    writeln!(out, "{}", scores.sentence())?;
    write!(out, "\n{}", table::table(&Scores::HEADINGS, &scores.rows()))?;
    for (case, verdict) in scores.broken() {
        writeln!(out, "\n{}: {}\n  {}", case.file, verdict.sentence(), case.rule)?;
        let following = scores.following(case);
        if !following.is_empty() {
            writeln!(out, "  files that change this one and fail alike: {}", following.join(", "))?;
        }
    }
    Ok(outcome)
}

/// Reads what a loader printed.
fn read_results(path: &Path, memory: MemoryArgs) -> anyhow::Result<Results> {
    serde_json::from_slice(&memory.read(path)?).with_context(|| format!("cannot understand {}", path.display()))
}
