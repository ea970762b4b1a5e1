//! `bindpose snapshot review`

use super::selection::{ModelArgs, Selection};
use super::settings::{Settings, ToleranceArgs};
use super::verdict::{Finding, Verdict, accept, accept_clip, describe, pending, verify_all};
use super::{DrawingArgs, StoreArgs, counted};
use crate::commands::Outcome;
use crate::commands::check_failed;
use crate::commands::output::tell;
#[cfg(unix)]
use crate::commands::signals::restore_terminal_on_signals;
use anyhow::Context;
use bindpose::snapshot::{Comparison, Store};
use console::{Key, Term};
use std::io::{BufRead, ErrorKind, IsTerminal, Lines, StdinLock, Write};
use std::path::PathBuf;

/// Go through changes one by one: accept, reject, skip, or look at images
///
/// Frames that a failed `assert_unchanged` of a Rust test left in the folder come first. A model with changes in several
/// clips is one change for each clip. On a terminal, images are drawn at once and a key answers: a accepts the change
/// (writes, moves or deletes its snapshot), r rejects it (the snapshot stays, and frames that a test left are deleted), s
/// leaves it for later, i draws its images, q or Escape ends. Through a pipe, each answer is a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exit codes: 0 all changes are accepted, 1 one is not, 2 usage or I/O")]
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

/// Runs the command.
pub fn run(args: &Review, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let store = args.store.open()?;
    let settings = Settings::new(&args.tolerances)?;
    let mut verdicts = pending(&store, &settings)?;
    let mut unlisted = 0;
    // Snapshots of Rust tests need no root.
    if verdicts.is_empty() || store.root()?.is_some() {
        let selection = Selection::new(&args.models, &store, &args.store.snapshots)?;
        let models = verify_all(&selection, &store, &settings)?;
        unlisted = selection.unlisted();
        let is_new = |model: &Verdict| !verdicts.iter().any(|known| known.model == model.model);
        let models: Vec<Verdict> = models.into_iter().filter(is_new).collect();
        verdicts.extend(models);
    }
    verdicts.retain(|verdict| !matches!(verdict.finding, Finding::Same { .. }));
    let (mut accepted, mut rejected, mut number) = (0, 0, 0);
    let count: usize = verdicts.iter().map(|verdict| steps(verdict).len()).sum();
    let mut answers = Answers::new();
    'models: for mut verdict in verdicts {
        for clip in steps(&verdict) {
            number += 1;
            let whole = clip.as_deref().and_then(|clip| show_only(&mut verdict, clip));
            write!(out, "({number} of {count}) {}", describe(&verdict))?;
            verdict.report_failure()?;
            if answers.is_keyboard() && matches!(verdict.finding, Finding::Changed { .. }) {
                show_images(&verdict, args, out)?;
            }
            let answer = loop {
                write!(out, "accept, reject, skip, images, quit [a/r/s/i/q]? ")?;
                out.flush()?;
                match answers.next(out)? {
                    'i' => show_images(&verdict, args, out)?,
                    answer @ ('a' | 'r' | 's' | 'q') => break answer,
                    _ => writeln!(out, "type a, r, s, i or q")?,
                }
            };
            verdict.finding = whole.unwrap_or(verdict.finding);
            match answer {
                'a' => {
                    accepted += usize::from(match &clip {
                        Some(clip) => accept_clip(&mut verdict, clip, &store, out)?,
                        None => apply(&verdict, &store, out)?,
                    });
                }
                'r' => {
                    rejected += 1;
                    if verdict.is_pending {
                        store.remove_pending(&verdict.model).context("cannot delete")?;
                    }
                }
                's' => {}
                _ => break 'models,
            }
        }
    }
    let left = count - accepted - rejected;
    let rejected = if rejected > 0 { format!("{rejected} rejected, ") } else { String::new() };
    writeln!(out, "{} accepted, {rejected}{left} left", counted(accepted, "change"))?;
    check_failed(unlisted)?;
    Ok(if accepted == count { Outcome::Fine } else { Outcome::AtFault })
}

/// Returns the changes of a model: several clips one by one, else everything at once (`None`).
fn steps(verdict: &Verdict) -> Vec<Option<String>> {
    if let Finding::Changed { comparison } = &verdict.finding {
        let clips = comparison.clips();
        if clips.len() > 1 && comparison.differences.iter().all(|difference| difference.clip.is_some()) {
            return clips.into_iter().map(|clip| Some(clip.to_owned())).collect();
        }
    }
    vec![None]
}

/// Reduces the finding of a changed model to one clip. Returns the whole finding.
fn show_only(verdict: &mut Verdict, clip: &str) -> Option<Finding> {
    let Finding::Changed { comparison } = &verdict.finding else { return None };
    let of_clip = comparison.differences.iter().filter(|difference| difference.clip.as_deref() == Some(clip));
    let inputs = comparison.inputs.clone();
    let comparison = Comparison { inputs, differences: of_clip.cloned().collect(), ..Comparison::default() };
    Some(std::mem::replace(&mut verdict.finding, Finding::Changed { comparison }))
}

/// Answers from the keyboard, each a key, or lines of standard input.
struct Answers {
    keyboard: Option<Term>,
    lines: Lines<StdinLock<'static>>,
}

impl Answers {
    fn new() -> Self {
        let keyboard = Some(Term::stderr()).filter(|term| term.is_term() && std::io::stdin().is_terminal());
        #[cfg(unix)]
        if keyboard.is_some() {
            restore_terminal_on_signals();
        }
        Self { keyboard, lines: std::io::stdin().lock().lines() }
    }

    fn is_keyboard(&self) -> bool {
        self.keyboard.is_some()
    }

    /// Returns the first letter of the next answer, or NUL for another key or line. The end of the input quits, and so do
    /// Ctrl-D and Escape.
    fn next(&mut self, out: &mut dyn Write) -> anyhow::Result<char> {
        const ANSWERS: [&str; 5] = ["accept", "reject", "skip", "images", "quit"];
        let typed = match &self.keyboard {
            Some(keyboard) => match keyboard.read_key() {
                Ok(Key::Escape | Key::Char('\u{4}')) => "q".to_owned(),
                Ok(Key::Char(key)) => key.to_string(),
                Ok(_) => String::new(),
                // A signal, such as that of Ctrl-C, ends the program.
                Err(error) if error.kind() == ErrorKind::Interrupted => loop {
                    std::thread::park();
                },
                Err(error) => return Err(error.into()),
            },
            None => self.lines.next().transpose()?.unwrap_or_else(|| "q".to_owned()),
        };
        let typed = typed.trim().to_lowercase();
        if self.is_keyboard() {
            writeln!(out, "{typed}")?;
        }
        let answer = ANSWERS.into_iter().find(|answer| typed == *answer || typed == answer[..1]);
        Ok(answer.and_then(|answer| answer.chars().next()).unwrap_or_default())
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
