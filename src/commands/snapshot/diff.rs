//! `bindpose snapshot diff`

use super::settings::{Settings, ToleranceArgs};
use super::verdict::{Finding, Verdict, describe, description};
use crate::commands::format_arg::FormatArg;
use crate::commands::load_args::MemoryArgs;
use crate::commands::{Outcome, load_failed, print_json};
use bindpose::budget::MemoryLimit;
use bindpose::load::{LoadOptions, load};
use bindpose::snapshot::{Comparison, Snapshot, TextFormat};
use serde::Serialize;
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
    #[command(flatten)]
    format: FormatArg,
    /// List every frame and joint that differs, instead of ten lines a clip
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    memory: MemoryArgs,
}

#[derive(Serialize)]
struct JsonDiff {
    format: &'static str,
    version: u32,
    #[serde(flatten)]
    comparison: Comparison,
}

/// Runs the command. The outcome is at fault if the files differ.
pub fn run(args: &Diff, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let memory = args.memory.limit();
    let (before, after) = (read(&args.before, &args.after, memory)?, read(&args.after, &args.before, memory)?);
    let (Some(before), Some(after)) = (before, after) else { return Ok(Outcome::AtFault) };
    // Two files are compared whatever their names are.
    let before = if args.before.file_name() == args.after.file_name() { before } else { before.renamed_like(&after) };
    let comparison = before.compare(&after, &Settings::new(&args.tolerances)?.check(&args.after.to_string_lossy()));
    let is_same = comparison.is_same();
    match args.format.get() {
        TextFormat::Json => print_json(out, &JsonDiff { format: "bindpose diff", version: 2, comparison })?,
        TextFormat::Text if is_same => {
            let description = describe(&Verdict::new(&args.after.to_string_lossy(), Finding::Same { comparison }));
            write!(out, "{}", if description.is_empty() { "every frame is the same\n" } else { &description })?;
        }
        TextFormat::Text => {
            let verdict = Verdict::new(&args.after.to_string_lossy(), Finding::Changed { comparison });
            write!(out, "{}", description(&verdict, args.all))?;
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
    let taken = Snapshot::of_camera(path, memory);
    match taken
        .unwrap_or_else(|| load(&[path], &options).and_then(|loaded| Ok(Snapshot::of_files_within(&loaded, memory)?)))
    {
        Ok(taken) => Ok(Some(taken)),
        Err(error) => load_failed(error).map(|_| None),
    }
}
