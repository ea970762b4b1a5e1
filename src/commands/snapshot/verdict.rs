//! Comparison of models with their snapshots, and its description.

use super::selection::Selection;
use super::settings::Settings;
use crate::commands::{Outcome, load_failed, output};
use anyhow::Context;
use bindpose::budget::grouped;
use bindpose::diagnostic::Escaped;
use bindpose::left_out::LeftOut;
use bindpose::load::LoadError;
use bindpose::snapshot::{Check, Comparison, ReadError, Snapshot, Store, StoreError, pair_models, take_all};
use serde::Serialize;
use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

/// State of a model or a snapshot.
#[derive(Debug, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum Finding {
    /// The model equals its snapshot.
    Same { comparison: Comparison },
    /// The model differs from its snapshot.
    Changed { comparison: Comparison },
    /// The model has no snapshot.
    Added,
    /// The snapshot has no model.
    Removed,
    /// The model has the frames of a snapshot with another name, whose model was removed.
    Renamed,
    /// The model does not load.
    Broken {
        message: String,
        /// True if the model has a snapshot.
        recorded: bool,
    },
    /// The snapshot has a format that this version does not read.
    Outdated { message: String },
    /// The snapshot is damaged.
    Damaged { message: String },
    /// The model or its snapshot cannot be opened.
    Unreadable { message: String },
}

/// State of one model or snapshot.
#[derive(Debug, Serialize)]
pub struct Verdict {
    pub model: String,
    #[serde(flatten)]
    pub finding: Finding,
    /// Name of the snapshot with which a renamed model is compared.
    #[serde(rename = "from", skip_serializing_if = "Option::is_none")]
    pub was: Option<String>,
    /// Path of the model's file; `None` if it was removed.
    #[serde(skip)]
    pub path: Option<PathBuf>,
    /// Snapshot of a model that changed.
    #[serde(skip)]
    pub recorded: Option<Snapshot>,
    /// The present model, unless it is unchanged or broken.
    #[serde(skip)]
    pub now: Option<Snapshot>,
    /// True for frames that a test left for review.
    #[serde(skip)]
    pub is_pending: bool,
    /// Reason why the model is broken.
    #[serde(skip)]
    failure: Option<LoadError>,
}

impl Verdict {
    pub fn new(model: &str, finding: Finding) -> Self {
        Self {
            model: model.to_owned(),
            finding,
            was: None,
            path: None,
            recorded: None,
            now: None,
            is_pending: false,
            failure: None,
        }
    }

    /// Prints the reason why the model is broken.
    pub fn report_failure(&mut self) -> anyhow::Result<Outcome> {
        self.failure.take().map_or(Ok(Outcome::Fine), load_failed)
    }

    /// Returns the parts that the present model lacks because a file is at fault.
    pub fn lacks(&self) -> impl Iterator<Item = &LeftOut> {
        self.now.iter().flat_map(|now| &now.left_out).filter(|left| left.is_fault())
    }

    /// True if the verification fails. `strict` is for build servers.
    pub fn fails(&self, strict: bool) -> bool {
        match self.finding {
            Finding::Same { .. } => false,
            Finding::Added => strict || self.lacks().next().is_some(),
            Finding::Removed | Finding::Renamed => strict,
            Finding::Changed { .. }
            | Finding::Broken { .. }
            | Finding::Outdated { .. }
            | Finding::Damaged { .. }
            | Finding::Unreadable { .. } => true,
        }
    }
}

/// Returns verdicts on all selected models and snapshots. Snapshots without a model come last.
pub fn verify_all(selection: &Selection, store: &Store, settings: &Settings) -> anyhow::Result<Vec<Verdict>> {
    let bar = output::progress(selection.models(), "models");
    let verdicts = take_all(&selection.files, store.limit(), |file, now, memory| {
        let verdict = selection.contains(&file.name).then(|| {
            let verdict = verify_one(&file.name, now, &store.within(memory), settings);
            Verdict { path: Some(file.path.clone()), ..verdict }
        });
        if !memory.is_short() {
            bar.inc(1);
        }
        verdict
    });
    bar.finish_and_clear();
    let mut verdicts: Vec<Verdict> = verdicts.into_iter().filter_map(|(_, verdict)| verdict).collect();
    let known: HashSet<&str> = verdicts.iter().map(|verdict| verdict.model.as_str()).collect();
    let (mut orphans, errors) = store.names();
    orphans.retain(|name| selection.contains(name) && !selection.is_unknown(name) && !known.contains(name.as_str()));
    find_renamed(&mut verdicts, &mut orphans, store, settings);
    verdicts.extend(errors.into_iter().map(|error| unreadable(&error.path().display().to_string(), error.to_string())));
    verdicts.extend(orphans.iter().map(|model| Verdict::new(model, Finding::Removed)));
    anyhow::ensure!(!verdicts.is_empty(), "no model, clip or snapshot is selected");
    Ok(verdicts)
}

fn verify_one(name: &str, now: Result<Snapshot, LoadError>, store: &Store, settings: &Settings) -> Verdict {
    let recorded = match store.read(name) {
        Err(error @ StoreError::File(_)) => return unreadable(name, error.to_string()),
        recorded => recorded,
    };
    let now = match now {
        // A clip that cannot be read is not gone.
        Ok(now) => match now.left_out.iter().find(|part| part.clip_file().is_some() && part.reason.code == "IO001") {
            Some(part) => return unreadable(name, part.to_string()),
            None => now,
        },
        Err(error @ LoadError::Read(_)) => return unreadable(name, error.to_string()),
        Err(failure) => {
            let recorded = recorded.is_ok_and(|found| found.is_some());
            let finding = Finding::Broken { message: failure.to_string(), recorded };
            return Verdict { failure: Some(failure), ..Verdict::new(name, finding) };
        }
    };
    let recorded = match recorded {
        Ok(Some(recorded)) => recorded,
        Ok(None) => return Verdict { now: Some(now), ..Verdict::new(name, Finding::Added) },
        Err(error) => {
            let message = error.to_string();
            let finding = match error {
                StoreError::Content { error: ReadError::Older { .. } | ReadError::Newer { .. }, .. } => {
                    Finding::Outdated { message }
                }
                _ => Finding::Damaged { message },
            };
            return Verdict { now: Some(now), ..Verdict::new(name, finding) };
        }
    };
    compare(name, recorded, now, settings)
}

fn unreadable(name: &str, message: String) -> Verdict {
    Verdict::new(name, Finding::Unreadable { message })
}

fn compare(name: &str, recorded: Snapshot, now: Snapshot, settings: &Settings) -> Verdict {
    match recorded.compare(&now, &settings.check(name)) {
        // Snapshots of unchanged models are not kept: there may be thousands.
        comparison if comparison.is_same() => Verdict::new(name, Finding::Same { comparison }),
        comparison => {
            let verdict = Verdict::new(name, Finding::Changed { comparison });
            Verdict { recorded: Some(recorded), now: Some(now), ..verdict }
        }
    }
}

/// Returns verdicts on frames that tests left for review.
pub fn pending(store: &Store, settings: &Settings) -> anyhow::Result<Vec<Verdict>> {
    let verdict = |name: String| {
        let now = store.read_pending(&name)?;
        let verdict = match store.read(&name)? {
            Some(recorded) => compare(&name, recorded, now, settings),
            None => Verdict { now: Some(now), ..Verdict::new(&name, Finding::Added) },
        };
        Ok(Verdict { is_pending: true, ..verdict })
    };
    store.pending().0.into_iter().map(verdict).collect()
}

/// Compares models without a snapshot with snapshots without a model that have all or much of their content.
fn find_renamed(verdicts: &mut [Verdict], orphans: &mut Vec<String>, store: &Store, settings: &Settings) {
    let mut added: Vec<&mut Verdict> =
        verdicts.iter_mut().filter(|verdict| matches!(verdict.finding, Finding::Added)).collect();
    if added.is_empty() || orphans.is_empty() {
        return;
    }
    let recorded = |name: &String| store.read(name).ok().flatten();
    let then: Vec<_> = orphans.iter().map(|name| recorded(name).map(|of| of.aspects()).unwrap_or_default()).collect();
    let now: Vec<_> =
        added.iter().map(|verdict| verdict.now.as_ref().map(Snapshot::aspects).unwrap_or_default()).collect();
    let mut found = HashSet::new();
    for (was, is) in pair_models(&then, &now) {
        let verdict = &mut *added[is];
        let Some((snapshot, now)) = recorded(&orphans[was]).zip(verdict.now.take()) else { continue };
        let from = orphans[was].clone();
        found.insert(from.clone());
        let compared = compare(&verdict.model, snapshot.renamed_like(&now), now.clone(), settings);
        (verdict.recorded, verdict.now) = (compared.recorded, Some(now));
        verdict.was = Some(from);
        verdict.finding = match compared.finding {
            Finding::Same { .. } => Finding::Renamed,
            changed => changed,
        };
    }
    orphans.retain(|name| !found.contains(name));
}

/// Writes the present model into the store, and deletes the old snapshot of a renamed one. Returns false if there is no
/// model.
pub fn accept(verdict: &Verdict, store: &Store) -> anyhow::Result<bool> {
    let Some(now) = &verdict.now else { return Ok(false) };
    write(&verdict.model, verdict.was.as_deref(), now, store)?;
    store.remove_pending(&verdict.model).context("cannot delete")?;
    Ok(true)
}

/// Writes a model's snapshot, and deletes the one with its old name.
fn write(model: &str, was: Option<&str>, snapshot: &Snapshot, store: &Store) -> anyhow::Result<()> {
    store.write(model, snapshot).context("cannot write")?;
    was.map_or(Ok(()), |was| store.remove(was).context("cannot delete"))
}

/// Writes the present frames of one clip into the snapshot of a changed model, and prints it. Returns false, with the
/// reason printed, if they do not fit the rest of the snapshot.
pub fn accept_clip(verdict: &mut Verdict, clip: &str, store: &Store, out: &mut dyn Write) -> anyhow::Result<bool> {
    let model = Escaped(&verdict.model);
    let Some((recorded, now)) = verdict.recorded.as_mut().zip(verdict.now.as_ref()) else { return Ok(false) };
    if !recorded.accept_clip(now, clip) {
        writeln!(out, "clip '{clip}' of {model} cannot be accepted alone: joints or meshes differ too")?;
        return Ok(false);
    }
    // Once nothing differs, the digests of all files are those of now.
    let is_same = recorded.compare(now, &Check::default()).is_same();
    write(&verdict.model, verdict.was.take().as_deref(), if is_same { now } else { recorded }, store)?;
    if is_same {
        store.remove_pending(&verdict.model).context("cannot delete")?;
    }
    writeln!(out, "accepted clip '{clip}' of {model}")?;
    Ok(true)
}

/// Describes one model in several lines, at most ten for each clip. The text is empty if the model equals its snapshot
/// to the bit.
pub fn describe(verdict: &Verdict) -> String {
    description(verdict, false)
}

/// Describes one model like [`describe`], or with `all` in as many lines as there are.
pub fn description(verdict: &Verdict, all: bool) -> String {
    let Verdict { model, finding, was, .. } = verdict;
    // A line break in a file's name must not begin a new line.
    let (model, was) = (Escaped(model), Escaped(was.as_deref().unwrap_or_default()));
    let indented = |comparison: &Comparison| {
        let text = if all { format!("{comparison:#}") } else { comparison.to_string() };
        text.lines().map(|line| format!("    {line}\n")).collect::<String>()
    };
    match finding {
        Finding::Same { comparison } if comparison.to_string().is_empty() => String::new(),
        Finding::Same { comparison } => format!("same     {model}\n{}", indented(comparison)),
        Finding::Changed { comparison } => {
            let was = if verdict.was.is_some() { format!(" (was {was})") } else { String::new() };
            format!("changed  {model}{was}\n{}", indented(comparison))
        }
        Finding::Added => {
            let lacks: String = verdict.lacks().map(|left| format!("    {}\n", Escaped(left))).collect();
            format!("added    {model}: it has no snapshot; `bindpose snapshot update` writes it\n{lacks}")
        }
        Finding::Removed => {
            format!("removed  {model}: a snapshot without a model; `bindpose snapshot update --prune` deletes it\n")
        }
        Finding::Renamed => format!(
            "renamed  {model}: was {was}, every frame is the same; `bindpose snapshot update` moves its snapshot\n"
        ),
        Finding::Broken { message, recorded: true } => {
            format!("changed  {model}\n    first bad stage: document\n    it no longer loads: {message}\n")
        }
        Finding::Broken { message, recorded: false } => format!("broken   {model}: {message}\n"),
        Finding::Outdated { message } => format!("outdated {message}\n"),
        Finding::Damaged { message } => format!("damaged  {message}\n"),
        Finding::Unreadable { message } => format!("unreadable {model}: {message}\n"),
    }
}

/// States of models, in the order of [`summary`].
const STATES: [&str; 9] = [
    "same",
    "changed",
    "added",
    "removed",
    "renamed",
    "broken",
    "with a snapshot of another format",
    "with damaged snapshot",
    "unreadable",
];

/// Returns the state of a model in words.
pub fn state(finding: &Finding) -> &'static str {
    STATES[match finding {
        Finding::Same { .. } => 0,
        Finding::Changed { .. } | Finding::Broken { recorded: true, .. } => 1,
        Finding::Added => 2,
        Finding::Removed => 3,
        Finding::Renamed => 4,
        Finding::Broken { recorded: false, .. } => 5,
        Finding::Outdated { .. } => 6,
        Finding::Damaged { .. } => 7,
        Finding::Unreadable { .. } => 8,
    }]
}

/// Returns the number of models in each state, in a line without a line feed.
pub fn summary(verdicts: &[Verdict]) -> String {
    let count = |name: &&str| verdicts.iter().filter(|verdict| state(&verdict.finding) == *name).count();
    let counts = STATES.iter().map(|name| (count(name), name)).filter(|&(count, _)| count > 0);
    let texts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
    format!("{}: {}", counted(verdicts.len(), "model"), texts.join(", "))
}

/// Writes a description of all verdicts and a summary. Without `all`, a clip has at most ten lines.
pub fn write_all(verdicts: &[Verdict], all: bool, out: &mut dyn Write) -> anyhow::Result<()> {
    verdicts.iter().try_for_each(|verdict| write!(out, "{}", description(verdict, all)))?;
    Ok(writeln!(out, "{}", summary(verdicts))?)
}

/// Formats a count with its noun: `1 model`, `2,000 models`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}
