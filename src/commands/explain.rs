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
    let Some(code) = codes::find(wanted) else {
        bail!("no code is called '{wanted}'; `bindpose explain` lists all");
    };
    print!("{}", docs::explain(code));
    Ok(Outcome::Fine)
}
