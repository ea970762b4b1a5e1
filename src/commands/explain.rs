//! `bindpose explain`

use super::{Outcome, complete};
use anyhow::bail;
use bindpose::validate::{codes, docs};
use clap_complete::ArgValueCandidates;
use std::io::Write;

/// Explain a code of `validate`, or an engine's message
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code such as MD5M204, its name such as weight-sum, or an engine's message [default: list all codes]
    #[arg(value_name = "CODE|WORDS", add = ArgValueCandidates::new(complete::codes))]
    code: Option<String>,
}

/// Prints the explanation.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let text = match &args.code {
        None => codes::all().iter().map(|code| format!("{} {}: {}\n", code.id, code.name, code.title)).collect(),
        Some(wanted) => {
            // Codes for different kinds of files may share a name.
            let texts: Vec<String> = codes::named(wanted).into_iter().map(docs::explain).collect();
            match texts.is_empty() {
                false => texts.join("\n"),
                true => codes_said(wanted)?,
            }
        }
    };
    out.write_all(text.as_bytes())?;
    Ok(Outcome::Fine)
}

/// Lists the codes with matching engine messages.
fn codes_said(words: &str) -> anyhow::Result<String> {
    let found = docs::codes_of_words(words);
    if found.is_empty() {
        bail!(
            "no code is called '{words}', and no known engine message contains it; `bindpose explain` lists all codes"
        );
    }
    let lines = |(code, says, engines): &docs::SaidOf| {
        format!("{} {}: {}\n  {says}\n      {}\n", code.id, code.name, code.title, engines.join(", "))
    };
    Ok(found.iter().map(lines).collect())
}
