//! `bindpose explain`

use super::Outcome;
use anyhow::bail;
use bindpose::validate::{codes, docs};
use std::io::Write;

/// Print what a code of `validate` means
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code such as MD5M204, or its name such as weight-sum; none lists all
    code: Option<String>,
}

/// Prints the long text.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let text = match &args.code {
        None => codes::all().iter().map(|code| format!("{} {}: {}\n", code.id, code.name, code.title)).collect(),
        Some(wanted) => {
            // The same name may stand for one thing in several kinds of files.
            let texts: Vec<String> = codes::named(wanted).into_iter().map(docs::explain).collect();
            if texts.is_empty() {
                bail!("no code is called '{wanted}'; `bindpose explain` lists all");
            }
            texts.join("\n")
        }
    };
    out.write_all(text.as_bytes())?;
    Ok(Outcome::Fine)
}
