//! `bindpose explain`

use super::Outcome;
use anyhow::bail;
use bindpose::validate::{codes, docs};

/// Print what a code of `validate` means
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code such as MD5M204, or its name such as weight-sum; none lists all
    code: Option<String>,
}

/// Prints the long text.
pub fn run(args: &Args) -> anyhow::Result<Outcome> {
    let Some(wanted) = &args.code else {
        for code in codes::all() {
            println!("{} {}: {}", code.id, code.name, code.title);
        }
        return Ok(Outcome::Fine);
    };
    // The same name may stand for one thing in several kinds of files.
    let codes = codes::named(wanted);
    if codes.is_empty() {
        bail!("no code is called '{wanted}'; `bindpose explain` lists all");
    }
    for (number, code) in codes.into_iter().enumerate() {
        if number > 0 {
            println!();
        }
        print!("{}", docs::explain(code));
    }
    Ok(Outcome::Fine)
}
