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

/// Counts of verdicts.
#[derive(Default, Serialize)]
pub struct Score {
    kept: usize,
    wrong: usize,
    refused: usize,
    accepted: usize,
    crashed: usize,
    /// Files that fail as the file that they change. They do not count.
    following: usize,
    /// Files refused where this is allowed. They do not count either.
    declined: usize,
    /// Files not reported or not run. They do not count either.
    unreported: usize,
}

impl Score {
    fn add(&mut self, verdict: &Verdict) {
        *match verdict {
            Verdict::Kept => &mut self.kept,
            Verdict::Wrong(_) => &mut self.wrong,
            Verdict::Refused(_) => &mut self.refused,
            Verdict::Follows(_) => &mut self.following,
            Verdict::Declined => &mut self.declined,
            Verdict::Accepted => &mut self.accepted,
            Verdict::Crashed => &mut self.crashed,
            Verdict::Unreported | Verdict::NotRun => &mut self.unreported,
        } += 1;
    }

    /// Returns the number of rules that were judged.
    fn judged(&self) -> usize {
        self.kept + self.wrong + self.refused + self.accepted + self.crashed
    }

    /// Returns the numbers of a row.
    fn numbers(&self) -> [usize; 9] {
        let Self { kept, wrong, refused, accepted, crashed, following, declined, unreported } = *self;
        [kept, self.judged(), wrong, refused, accepted, crashed, following, declined, unreported]
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
        let numbers = |score: &Score| score.numbers().map(|number| number.to_string());
        self.areas().iter().map(|(name, score)| [&[(*name).to_owned()], &numbers(score)[..]].concat()).collect()
    }

    /// Returns the scores by area, followed by the total.
    pub fn areas(&self) -> Vec<(&str, Score)> {
        let mut areas: Vec<(&str, Score)> = Vec::new();
        for (case, verdict) in &self.cases {
            if areas.last().is_none_or(|(name, _)| *name != case.area) {
                areas.push((&case.area, Score::default()));
            }
            if let Some((_, score)) = areas.last_mut() {
                score.add(verdict);
            }
        }
        areas.push(("all", self.total()));
        areas
    }

    fn total(&self) -> Score {
        let mut total = Score::default();
        self.cases.iter().for_each(|(_, verdict)| total.add(verdict));
        total
    }

    /// Returns the rules that the loader breaks.
    pub fn broken(&self) -> impl Iterator<Item = &(Case, Verdict)> {
        let is_broken = |verdict: &Verdict| {
            use Verdict::{Declined, Follows, Kept, NotRun, Unreported};
            !matches!(verdict, Kept | Follows(_) | Declined | Unreported | NotRun)
        };
        self.cases.iter().filter(move |(_, verdict)| is_broken(verdict))
    }

    /// Returns the files that fail as `base`, which they change.
    pub fn following(&self, base: &Case) -> Vec<&str> {
        let follows = |verdict: &Verdict| matches!(verdict, Verdict::Follows(file) if *file == base.file);
        self.cases.iter().filter(|(_, verdict)| follows(verdict)).map(|(case, _)| case.file.as_str()).collect()
    }

    /// Describes the result in one sentence.
    pub fn sentence(&self) -> String {
        let total = self.total();
        let share = (total.kept * 100).checked_div(total.judged()).unwrap_or(0);
        let unreported =
            if total.unreported > 0 { format!("; {} were not reported", total.unreported) } else { String::new() };
        format!("{} keeps {} of {} rules ({share} %){unreported}.", self.loader, total.kept, total.judged())
    }
}
