//! Score of a loader.

use crate::reading::{Comparison, Reading, compare};
use crate::suite::{Case, Load};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Results that a loader printed.
#[derive(Debug, Deserialize)]
pub struct Results {
    /// Name and version of the loader.
    pub loader: String,
    /// Results by path in the suite.
    pub files: BTreeMap<String, FileResult>,
}

/// Result of one file.
#[derive(Debug, Deserialize)]
pub struct FileResult {
    /// True if the loader returned a model, clip or camera.
    pub loads: bool,
    /// True if the loader did not exit normally.
    #[serde(default)]
    pub crashes: bool,
    /// Message of the loader if the file does not load.
    pub error: Option<String>,
    /// Content of the file.
    #[serde(flatten)]
    pub reading: Reading,
}

/// Judgement of one file.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The file loads with the suite's meaning, or is refused as it should be.
    Kept,
    /// The file loads with another meaning; the first difference.
    Wrong(String),
    /// The file should load; the loader's message.
    Refused(Option<String>),
    /// The file may be refused, and is.
    Declined,
    /// The file should be refused, but loads.
    Accepted,
    /// The loader did not exit normally.
    Crashed,
    /// The file fails exactly as the one that it changes, whose path this is, so it says nothing about its own rule.
    Follows(String),
    /// The loader does not report the subject of the rule.
    Unreported,
    /// The file is missing in the results.
    NotRun,
}

impl Verdict {
    fn new(case: &Case, result: Option<&FileResult>) -> Self {
        let Some(result) = result else { return Self::NotRun };
        match (case.load, result.loads, &case.meaning) {
            _ if result.crashes => Self::Crashed,
            (Load::No, true, _) => Self::Accepted,
            (Load::Must, false, _) => Self::Refused(result.error.clone()),
            (Load::May, false, _) => Self::Declined,
            (Load::No, false, _) | (_, true, None) => Self::Kept,
            (_, true, Some(meaning)) => match compare(meaning, &result.reading, case.about, case.tolerance) {
                Comparison::Same => Self::Kept,
                Comparison::Differs(what) => Self::Wrong(what),
                Comparison::Unreported => Self::Unreported,
            },
        }
    }

    /// Returns the heading under which it is counted.
    fn kind(&self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Wrong(_) => "wrong",
            Self::Refused(_) => "refused",
            Self::Accepted => "accepted",
            Self::Crashed => "crashed",
            Self::Follows(_) => "following",
            Self::Declined => "declined",
            Self::Unreported | Self::NotRun => "unreported",
        }
    }

    /// Describes the verdict without the file.
    pub fn sentence(&self) -> String {
        match self {
            Self::Kept => "kept".to_owned(),
            Self::Wrong(what) => what.clone(),
            Self::Refused(None) => "refused".to_owned(),
            Self::Refused(Some(words)) => format!("refused: {words}"),
            Self::Declined => "refused, as it may be".to_owned(),
            Self::Accepted => "loaded, and should be refused".to_owned(),
            Self::Crashed => "crashed or hung".to_owned(),
            Self::Follows(base) => format!("as {base}"),
            Self::Unreported => "not reported".to_owned(),
            Self::NotRun => "not run".to_owned(),
        }
    }
}

/// Counts of verdicts by their kind. Those after `crashed` do not count.
#[derive(Serialize)]
pub struct Score(BTreeMap<&'static str, usize>);

const KINDS: [&str; 8] = ["kept", "wrong", "refused", "accepted", "crashed", "following", "declined", "unreported"];

impl Score {
    fn new(cases: &[(Case, Verdict)]) -> Self {
        let mut score = BTreeMap::from(KINDS.map(|kind| (kind, 0)));
        cases.iter().for_each(|(_, verdict)| *score.entry(verdict.kind()).or_default() += 1);
        Self(score)
    }

    /// Returns the number of rules that were judged.
    fn judged(&self) -> usize {
        KINDS[..5].iter().map(|kind| self.0[kind]).sum()
    }
}

/// All files with their verdicts.
pub struct Scores {
    /// Name of the loader.
    pub loader: String,
    /// In the suite's order.
    pub cases: Vec<(Case, Verdict)>,
    /// Files in the results that are not in the suite.
    pub strays: Vec<String>,
}

impl Scores {
    /// Judges results.
    pub fn new(cases: Vec<Case>, results: &Results) -> Self {
        let strays =
            results.files.keys().filter(|file| !cases.iter().any(|case| case.file == **file)).cloned().collect();
        let verdict = |case: &Case| Verdict::new(case, results.files.get(&case.file));
        let judged = cases.iter().map(|case| {
            let (own, base) = (verdict(case), cases.iter().find(|other| other.file == case.base));
            let fails = matches!(own, Verdict::Wrong(_) | Verdict::Refused(_));
            let follows = base.is_some_and(|base| fails && base.file != case.file && verdict(base) == own);
            (case.clone(), if follows { Verdict::Follows(case.base.clone()) } else { own })
        });
        Self { loader: results.loader.clone(), cases: judged.collect(), strays }
    }

    /// Headings of [`rows`](Self::rows).
    pub const HEADINGS: [&str; 10] =
        ["area", "kept", "of", "wrong", "refused", "accepted", "crashed", "following", "declined", "unreported"];

    /// Returns [`areas`](Self::areas) as rows of a table.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let number =
            |score: &Score, heading| score.0.get(heading).copied().unwrap_or_else(|| score.judged()).to_string();
        let numbers = |score: &Score| Self::HEADINGS[1..].iter().map(|heading| number(score, heading)).collect();
        self.areas().iter().map(|(name, score)| [vec![(*name).to_owned()], numbers(score)].concat()).collect()
    }

    /// Returns the scores by area, followed by the total.
    pub fn areas(&self) -> Vec<(&str, Score)> {
        let areas = self.cases.chunk_by(|(a, _), (b, _)| a.area == b.area);
        let mut areas: Vec<_> = areas.map(|area| (area[0].0.area.as_str(), Score::new(area))).collect();
        areas.push(("all", Score::new(&self.cases)));
        areas
    }

    /// Returns the rules that the loader breaks.
    pub fn broken(&self) -> impl Iterator<Item = &(Case, Verdict)> {
        self.cases.iter().filter(|(_, verdict)| KINDS[1..5].contains(&verdict.kind()))
    }

    /// Returns the files that fail as `base`, which they change.
    pub fn following(&self, base: &Case) -> Vec<&str> {
        let follows = |verdict: &Verdict| matches!(verdict, Verdict::Follows(file) if *file == base.file);
        self.cases.iter().filter(|(_, verdict)| follows(verdict)).map(|(case, _)| case.file.as_str()).collect()
    }

    /// Describes the result in one sentence.
    pub fn sentence(&self) -> String {
        let total = Score::new(&self.cases);
        let (kept, judged, unreported) = (total.0["kept"], total.judged(), total.0["unreported"]);
        let share = (kept * 100).checked_div(judged).unwrap_or(0);
        let unreported = if unreported > 0 { format!("; {unreported} were not reported") } else { String::new() };
        format!("{} keeps {kept} of {judged} rules ({share} %){unreported}.", self.loader)
    }
}
