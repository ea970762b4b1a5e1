//! `bindpose snapshot review`

use super::selection::{ModelArgs, Selection};
use super::settings::{Settings, ToleranceArgs};
use super::verdict::{Finding, Verdict, accept, describe, pending, verify_all};
use super::{DrawingArgs, StoreArgs, counted};
use crate::commands::Outcome;
use crate::commands::output::tell;
use anyhow::Context;
use bindpose::snapshot::Store;
use std::io::{BufRead, Write};
use std::path::PathBuf;

/// Go through changes one by one: accept, skip, or look at images
///
/// Frames that a failed `assert_unchanged` of a Rust test left in the folder come first. Each change is answered with a
/// line: a accepts it (writes, moves or deletes its snapshot), s leaves it, i draws the frames that differ, q ends.
/// Answers may also come through a pipe.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 nothing is left, 1 a change was skipped, 2 usage or I/O")]
pub struct Review {
    #[command(flatten)]
    models: ModelArgs,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    tolerances: ToleranceArgs,
    /// Folder for images [default: a new one among temporary files]
    #[arg(long, value_name = "DIR")]
    images: Option<PathBuf>,
    #[command(flatten)]
    drawing: DrawingArgs,
}

/// Answer typed for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    Accept,
    Skip,
    Images,
    Quit,
}

/// Runs the command.
pub fn run(args: &Review, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let store = args.store.open()?;
    let settings = Settings::new(&args.tolerances)?;
    let mut verdicts = pending(&store, &settings)?;
    // Snapshots of Rust tests need no root.
    if verdicts.is_empty() || store.root()?.is_some() {
        let selection = Selection::new(&args.models, &store, &args.store.snapshots)?;
        let models = verify_all(&selection, &store, &settings)?;
        let is_new = |model: &Verdict| !verdicts.iter().any(|known| known.model == model.model);
        let models: Vec<Verdict> = models.into_iter().filter(is_new).collect();
        verdicts.extend(models);
    }
    verdicts.retain(|verdict| !matches!(verdict.finding, Finding::Same { .. }));
    let mut answers = std::io::stdin().lock().lines();
    let (mut accepted, count) = (0, verdicts.len());
    for (number, mut verdict) in verdicts.into_iter().enumerate() {
        write!(out, "({} of {count}) {}", number + 1, describe(&verdict))?;
        verdict.report_failure()?;
        let answer = loop {
            write!(out, "accept, skip, images, quit [a/s/i/q]? ")?;
            out.flush()?;
            match parse(answers.next().transpose()?.as_deref()) {
                Some(Answer::Images) => show_images(&verdict, args, out)?,
                Some(answer) => break answer,
                None => writeln!(out, "type a, s, i or q")?,
            }
        };
        match answer {
            Answer::Accept => accepted += usize::from(apply(&verdict, &store, out)?),
            Answer::Skip | Answer::Images => {}
            Answer::Quit => break,
        }
    }
    let skipped = count - accepted;
    writeln!(out, "{} accepted, {skipped} left", counted(accepted, "change"))?;
    Ok(if skipped == 0 { Outcome::Fine } else { Outcome::AtFault })
}

/// Parses an answer. The end of the input quits.
fn parse(line: Option<&str>) -> Option<Answer> {
    match line.map(|line| line.trim().to_lowercase()).as_deref() {
        Some("a" | "accept") => Some(Answer::Accept),
        Some("s" | "skip") => Some(Answer::Skip),
        Some("i" | "images") => Some(Answer::Images),
        Some("q" | "quit") | None => Some(Answer::Quit),
        Some(_) => None,
    }
}

/// Accepts a change. Returns false if there is nothing to write.
fn apply(verdict: &Verdict, store: &Store, out: &mut dyn Write) -> anyhow::Result<bool> {
    if matches!(verdict.finding, Finding::Removed) {
        store.remove(&verdict.model).context("cannot delete")?;
        return Ok(true);
    }
    let is_accepted = accept(verdict, store)?;
    if !is_accepted {
        writeln!(out, "the model does not load, so there is nothing to record")?;
    }
    Ok(is_accepted)
}

fn show_images(verdict: &Verdict, args: &Review, out: &mut dyn Write) -> anyhow::Result<()> {
    let folder = match &args.images {
        Some(folder) => folder.clone(),
        None => tempfile::Builder::new().prefix("bindpose-review-").tempdir()?.keep(),
    };
    let mut drawn = args.drawing.draw(std::slice::from_ref(verdict), &folder, args.store.memory.limit());
    match drawn.remove(&verdict.model) {
        Some(Ok(drawn)) => {
            for frame in drawn.frames {
                writeln!(out, "{}: {} pixels differ", frame.title, frame.pixels)?;
                for file in frame.files {
                    writeln!(out, "  {}", folder.join(file).display())?;
                }
            }
        }
        Some(Err(reason)) => tell!("no images: {reason}"),
        None => tell!("no images: only a changed model is drawn"),
    }
    Ok(())
}
