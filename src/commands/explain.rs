//! `bindpose explain`

use super::format_arg::FormatArg;
use super::{Outcome, complete, print_json};
use anyhow::bail;
use bindpose::validate::codes::{self, Code};
use bindpose::validate::docs::{self, Message};
use clap_complete::ArgValueCandidates;
use serde_json::json;
use std::io::Write;

/// Explain a code of `validate`, or an engine's message
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    bindpose explain MD5M204\n  \
    bindpose explain weight-sum\n  \
    bindpose explain bone head was renamed")]
pub struct Args {
    /// A code such as MD5M204, its name such as weight-sum, or an engine's message, with or without quotes [default: list all codes]
    #[arg(value_name = "CODE|WORDS", add = ArgValueCandidates::new(complete::codes))]
    words: Vec<String>,
    #[command(flatten)]
    format: FormatArg,
}

/// Prints the explanation.
pub fn run(args: &Args, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let words = args.words.join(" ");
    // Codes for different kinds of files may share a name.
    let named = if words.is_empty() { codes::all().iter().collect() } else { codes::named(&words) };
    let messages = if named.is_empty() { said(&words)? } else { Vec::new() };
    if args.format.is_json() {
        let code = |code: &&Code| json!({"code": code.id, "name": code.name, "title": code.title, "why": code.why, "help": code.help});
        let message = |Message { words, engines, codes, cause }: &Message| {
            let codes: Vec<_> = codes.iter().map(|code| code.id).collect();
            json!({"message": words, "engines": engines, "codes": codes, "cause": cause})
        };
        let [codes, messages] = [named.iter().map(code).collect::<Vec<_>>(), messages.iter().map(message).collect()];
        print_json(out, &json!({"codes": codes, "messages": messages}))?;
        return Ok(Outcome::Fine);
    }
    let lines = |Message { words, engines, codes, cause }: &Message| {
        let codes: String = codes.iter().map(|code| format!("      {}", heading(code))).collect();
        let cause = if cause.is_empty() { String::new() } else { format!("  {cause}\n") };
        format!("{words}\n  {}\n{cause}{codes}", engines.join(", "))
    };
    let text = match (words.is_empty(), named.is_empty()) {
        (true, _) => named.into_iter().map(heading).collect(),
        (false, false) => named.into_iter().map(docs::explain).collect::<Vec<_>>().join("\n"),
        (false, true) => messages.iter().map(lines).collect::<Vec<_>>().join("\n"),
    };
    out.write_all(text.as_bytes())?;
    Ok(Outcome::Fine)
}

fn heading(code: &Code) -> String {
    format!("{} {}: {}\n", code.id, code.name, code.title)
}

/// Returns the messages that contain the words.
fn said(words: &str) -> anyhow::Result<Vec<Message>> {
    let found = docs::messages_with(words);
    match docs::nearest_code(words).or_else(|| docs::nearest_message(words)) {
        Some(near) if found.is_empty() => {
            bail!("no code is called '{words}', and no known engine message contains it; did you mean '{near}'?")
        }
        None if found.is_empty() => bail!(
            "no code is called '{words}', and no known engine message contains it; `bindpose explain` lists all codes, \
             docs/troubleshooting.md causes by what you see"
        ),
        _ => {}
    }
    Ok(found)
}
