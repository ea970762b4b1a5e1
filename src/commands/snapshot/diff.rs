//! `bindpose snapshot diff`

use super::ReportFormat;
use super::settings::{Settings, ToleranceArgs};
use super::verdict::{Finding, Verdict, describe};
use crate::commands::load_args::MemoryArgs;
use crate::commands::{Outcome, load_failed, print_json};
use bindpose::budget::MemoryLimit;
use bindpose::load::{LoadOptions, load};
use bindpose::snapshot::Snapshot;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compare two models, or two snapshots, frame by frame
///
/// Each may be a model, a clip or a snapshot. Compared with a snapshot, a mesh includes the clips of its folder; two
/// meshes are compared alone. For `git difftool`: git config difftool.bindpose.cmd 'bindpose snapshot diff "$LOCAL"
/// "$REMOTE"', then git difftool -t bindpose
#[derive(Debug, clap::Args)]
pub struct Diff {
    /// Older file
    #[arg(value_name = "A")]
    before: PathBuf,
    /// Newer file
    #[arg(value_name = "B")]
    after: PathBuf,
    #[command(flatten)]
    tolerances: ToleranceArgs,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
    #[command(flatten)]
    memory: MemoryArgs,
}

/// Runs the command. The outcome is at fault if the files differ.
pub fn run(args: &Diff, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let memory = args.memory.limit();
    let (before, after) = (read(&args.before, &args.after, memory)?, read(&args.after, &args.before, memory)?);
    let (Some(before), Some(after)) = (before, after) else { return Ok(Outcome::AtFault) };
    let comparison = before.compare(&after, &Settings::new(&args.tolerances)?.check(&args.after.to_string_lossy()));
    let is_same = comparison.is_same();
    match args.format {
        ReportFormat::Json => print_json(out, &comparison)?,
        ReportFormat::Text if is_same => {
            let description = describe(&Verdict::new(&args.after.to_string_lossy(), Finding::Same { comparison }));
            write!(out, "{}", if description.is_empty() { "every frame is the same\n" } else { &description })?;
        }
        ReportFormat::Text => {
            let verdict = Verdict::new(&args.after.to_string_lossy(), Finding::Changed { comparison });
            write!(out, "{}", describe(&verdict))?;
        }
    }
    Ok(if is_same { Outcome::Fine } else { Outcome::AtFault })
}

fn is_snapshot(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "snapshot")
}

/// Reads or takes a snapshot. Returns `None` if the file is at fault, and reports it.
///
/// A snapshot contains the clips next to the mesh. If `other` is not a snapshot, clips are left out, because git's copy
/// of an older mesh is in another folder.
fn read(path: &Path, other: &Path, memory: MemoryLimit) -> anyhow::Result<Option<Snapshot>> {
    if is_snapshot(path) {
        return super::read(path, memory);
    }
    let mut options = LoadOptions { memory, ..LoadOptions::default() };
    options.clips.find = is_snapshot(other);
    match load(&[path], &options) {
        Ok(loaded) => Ok(Some(Snapshot::of_files(&loaded))),
        Err(error) => load_failed(error).map(|_| None),
    }
}
