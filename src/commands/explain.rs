//! `bindpose explain`

use super::{Outcome, complete};
use anyhow::bail;
use bindpose::validate::codes;
use bindpose::validate::docs::{self, Message};
use clap_complete::ArgValueCandidates;
use std::io::Write;

/// Explain a code of `validate`, or an engine's message
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code such as MD5M204, its name such as weight-sum, or an engine's message, with or without quotes [default: list all codes]
    #[arg(value_name = "CODE|WORDS", add = ArgValueCandidates::new(complete::codes))]
    words: Vec<String>,
}

/// Prints the explanation.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let words = args.words.join(" ");
    // Codes for different kinds of files may share a name.
    let named: Vec<String> = codes::named(&words).into_iter().map(docs::explain).collect();
    let text = match (words.is_empty(), named.is_empty()) {
        (true, _) => codes::all().iter().map(heading).collect(),
        (false, false) => named.join("\n"),
        (false, true) => said(&words)?,
    };
    out.write_all(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn heading(code: &codes::Code) -> String {
    format!("{} {}: {}\n", code.id, code.name, code.title)
}

/// Lists the messages that contain the words, with their engines and codes.
fn said(words: &str) -> anyhow::Result<String> {
    let found = docs::messages_with(words);
    match docs::nearest_code(words).or_else(|| docs::nearest_message(words)) {
        Some(near) if found.is_empty() => {
            bail!("no code is called '{words}', and no known engine message contains it; did you mean '{near}'?")
        }
        None if found.is_empty() => bail!(
            "no code is called '{words}', and no known engine message contains it; `bindpose explain` lists all codes"
        ),
        _ => {}
    }
    let lines = |Message { words, engines, codes }: &Message| {
        let codes: String = codes.iter().map(|code| format!("      {}", heading(code))).collect();
        format!("{words}\n  {}\n{codes}", engines.join(", "))
    };
    Ok(found.iter().map(lines).collect::<Vec<_>>().join("\n"))
}
