//! `bindpose snapshot diff`

use super::{Finding, ReportFormat, Tolerances, Verdict, describe};
use crate::commands::{Outcome, load_failed, memory};
use bindpose::load::{LoadOptions, load};
use bindpose::snapshot::Snapshot;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compare two models, or two snapshots, frame by frame
///
/// Each may be a model, a clip or a snapshot. For `git difftool`: git config difftool.bindpose.cmd 'bindpose snapshot diff
/// "$LOCAL" "$REMOTE"', then git difftool -t bindpose
#[derive(Debug, clap::Args)]
pub struct Diff {
    /// The one
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The other
    #[arg(value_name = "B")]
    after: PathBuf,
    #[command(flatten)]
    tolerances: Tolerances,
    /// Text or JSON
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
}

/// Compares and tells; at fault where they differ.
pub fn run(args: &Diff, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let (Some(before), Some(after)) = (read(&args.before)?, read(&args.after)?) else { return Ok(Outcome::AtFault) };
    let comparison = before.compare(&after, &args.tolerances.check());
    let is_same = comparison.is_same();
    match args.format {
        ReportFormat::Json => writeln!(out, "{}", serde_json::to_string_pretty(&comparison)?)?,
        ReportFormat::Text if is_same => {
            let verdict = Verdict::new(&args.after.to_string_lossy(), Finding::Same { comparison });
            writeln!(out, "{}every frame is the same", describe(&verdict))?;
        }
        ReportFormat::Text => {
            let verdict = Verdict::new(&args.after.to_string_lossy(), Finding::Changed { comparison });
            write!(out, "{}", describe(&verdict))?;
        }
    }
    Ok(if is_same { Outcome::Fine } else { Outcome::AtFault })
}

/// A snapshot, read or taken; `None` where the file is at fault, which was said then.
fn read(path: &Path) -> anyhow::Result<Option<Snapshot>> {
    if path.extension().is_some_and(|extension| extension == "snapshot") {
        return super::read(path);
    }
    let options = LoadOptions { find_clips: true, memory: memory(), ..LoadOptions::default() };
    match load(&[path], &options) {
        Ok(loaded) => Ok(Some(Snapshot::of_files(&loaded))),
        Err(error) => load_failed(error).map(|_| None),
    }
}
