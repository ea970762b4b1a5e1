//! Texts of the codes.

use super::codes::{self, Code, Group};
use super::decls;
use super::profiles::{Effect, FormatFamily, Limit, LoaderFamily, PROFILES, Profile, fact, limits};
use bindpose_core::diagnostic::Severity;
use bindpose_core::suggest;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Width of the text in columns.
const WIDTH: usize = 100;

/// Wraps a text at 100 columns.
pub fn wrap(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "an error",
        Severity::Warning => "a warning",
        Severity::Info => "a note",
        Severity::Hint => "a hint",
    }
}

/// Returns what engines do with a code, worst first, and the limits of those that have some.
pub fn reactions(code: &Code) -> Vec<String> {
    let name = |profile: &&Profile| format!("{}{}", profile.name, if profile.inferred { " (inferred)" } else { "" });
    let of_engines = engines(code).into_iter().map(|(effect, profiles)| {
        format!("{} {}", effect_word(effect), profiles.iter().map(name).collect::<Vec<_>>().join(", "))
    });
    let limit = |limit: &Limit| format!("{} holds {} {}", limit.profile.name, limit.most, limit.quantity);
    of_engines.chain(limits(code).iter().map(limit)).collect()
}

/// Groups engines by effect, worst first.
fn engines(code: &Code) -> Vec<(Effect, Vec<&'static Profile>)> {
    let mut groups: Vec<(Effect, Vec<&'static Profile>)> = Vec::new();
    // The table has no rows for programs whose reaction depends on the file.
    let depends = |profile: &Profile| match code.group {
        Group::X | Group::XImport => profile.is_followed(FormatFamily::X),
        _ => profile.loader == LoaderFamily::XFile,
    };
    for profile in PROFILES.iter().filter(|profile| !depends(profile)) {
        let Some(fact) = fact(code, profile) else { continue };
        match groups.iter_mut().find(|(effect, _)| *effect == fact.effect) {
            Some((_, profiles)) => profiles.push(profile),
            None => groups.push((fact.effect, vec![profile])),
        }
    }
    groups.sort_by_key(|(effect, _)| Reverse(*effect));
    groups
}

/// Returns the long text of a code for a terminal.
pub fn explain(code: &Code) -> String {
    let mut text = format!("{} {}\n{}\n\n{}\n", code.id, code.name, code.title, wrap(code.why));
    if !code.help.is_empty() {
        let _ = write!(text, "\nWhat to do: {}\n", wrap(code.help));
    }
    if code.can_fix {
        text.push_str("\n`bindpose validate --fix` does this in files where it needs no guess.\n");
    }
    let _ = write!(text, "\nIt is at least {}.\n", severity_word(code.severity));
    let reactions = reactions(code);
    if !reactions.is_empty() {
        text.push('\n');
    }
    for reaction in reactions {
        let _ = writeln!(text, "{}", wrap(&reaction));
    }
    let said: Vec<Message> = messages().into_iter().filter(|message| message.codes.contains(&code)).collect();
    if !said.is_empty() {
        text.push_str("\nIn their own words:\n");
    }
    for Message { words, engines, cause, .. } in said {
        let cause = if cause.is_empty() { String::new() } else { format!(": {cause}") };
        let _ = writeln!(text, "  {words}\n      {}{cause}", engines.join(", "));
    }
    text
}

/// A message of engines.
#[derive(Debug)]
pub struct Message {
    /// Text with braces around variable parts.
    pub words: &'static str,
    /// Names of the engines that print it.
    pub engines: Vec<&'static str>,
    /// Codes for which they print it. Empty if it is printed for several, or before others.
    pub codes: Vec<&'static Code>,
    /// Reason, if no code describes it. May be empty.
    pub cause: &'static str,
}

/// Returns the sentences of the tables, and those that stand in the followed loaders.
fn messages() -> Vec<Message> {
    let rows = include_str!("messages.tsv").lines().filter(|line| !line.starts_with('#')).skip(1);
    let row = |line: &'static str| {
        let [words, engines, codes, cause] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        let codes = codes.split_whitespace().filter_map(codes::find).collect();
        Some(Message { words, engines: engines.split(',').collect(), codes, cause })
    };
    let mut found: Vec<Message> = rows.filter_map(row).collect();
    for (code, profile) in codes::all().iter().flat_map(|code| PROFILES.iter().map(move |profile| (code, profile))) {
        let Some(words) = fact(code, profile).map(|fact| fact.says).filter(|words| !["", "{words}"].contains(words))
        else {
            continue;
        };
        match found.iter_mut().find(|known| known.words == words && known.codes == [code]) {
            Some(known) => known.engines.push(profile.name),
            None => found.push(Message { words, engines: vec![profile.name], codes: vec![code], cause: "" }),
        }
    }
    found.extend(decls::spawn::ROWS.iter().filter(|row| !row.says.is_empty()).map(|row| Message {
        words: row.says,
        engines: row.engines.iter().map(|engine| engine.name).collect(),
        codes: row.rule.codes().collect(),
        cause: "",
    }));
    found.extend(codes::sentences().iter().map(|sentence| Message {
        words: sentence.words,
        engines: sentence.engines.iter().map(|engine| engine.profile().name).collect(),
        codes: sentence.codes.iter().filter_map(|&number| codes::all().get(number)).collect(),
        cause: "",
    }));
    found
}

/// Returns the messages that contain these words. They may be part of a message, or a whole console line, with names and
/// numbers instead of placeholders. A line may fit several messages of an engine: only the longest is returned.
pub fn messages_with(words: &str) -> Vec<Message> {
    let words = words.trim().to_lowercase();
    let fitting = messages().into_iter().filter_map(|message| Some((fits(message.words, &words)?, message)));
    let (parts, whole): (Vec<_>, Vec<_>) = fitting.partition(|(fit, _)| *fit == Fit::Part);
    let mut longest: BTreeMap<&str, Fit> = BTreeMap::new();
    for (fit, engine) in
        whole.iter().flat_map(|(fit, message)| message.engines.iter().map(move |engine| (*fit, *engine)))
    {
        let known = longest.entry(engine).or_insert(fit);
        *known = fit.max(*known);
    }
    let is_longest =
        |(fit, message): &(Fit, Message)| message.engines.iter().any(|engine| longest.get(engine) == Some(fit));
    parts.into_iter().chain(whole.into_iter().filter(is_longest)).map(|(_, message)| message).collect()
}

/// Returns the code, or its name in words, that is most similar to an unknown one.
pub fn nearest_code(name: &str) -> Option<&'static str> {
    suggest::nearest(name, codes::all().iter().flat_map(|code| [code.id, code.name]))
}

/// Returns the message that is most similar to these words: in letters, else in the words that it shares with these, at
/// least two and half of them.
pub fn nearest_message(words: &str) -> Option<&'static str> {
    let split = |text: &str| -> BTreeSet<String> {
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| word.len() > 2);
        words.map(str::to_lowercase).collect()
    };
    let wanted = split(words);
    let shared = |message: &Message| split(message.words).intersection(&wanted).count();
    let all = messages();
    if let Some(near) = suggest::nearest(words, all.iter().map(|message| message.words)) {
        return Some(near);
    }
    let (count, nearest) = all
        .iter()
        .map(|message| (shared(message), message.words))
        .max_by_key(|&(count, words)| (count, Reverse(words.len())))?;
    (count >= 2 && 2 * count >= wanted.len()).then_some(nearest)
}

/// Number of letters that the fixed parts of a message need in order to be found within a longer text.
const TELLING: usize = 11;

/// Relation of words to a message.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The message contains the words.
    Part,
    /// The words contain all fixed parts of the message in order, of this length together.
    Whole(usize),
}

/// Returns how words fit a message.
fn fits(says: &str, words: &str) -> Option<Fit> {
    // The user may omit the position.
    let says = says.strip_prefix("file {file}, line {line}: ").unwrap_or(says).to_lowercase();
    // The text between placeholders. A copied line may lack the punctuation.
    let fixed: Vec<&str> = says
        .split('{')
        .enumerate()
        .map(|(part, text)| if part == 0 { text } else { text.split_once('}').map_or("", |(_, rest)| rest) })
        .map(|part| part.trim_matches(|letter: char| !letter.is_alphanumeric()))
        .collect();
    if words.is_empty() || fixed.iter().any(|part| part.contains(words)) {
        return (!words.is_empty()).then_some(Fit::Part);
    }
    let mut rest = words;
    let follows = |part: &&str| match rest.split_once(*part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    };
    let first = fixed.iter().find(|part| !part.is_empty());
    let begins = first.is_some_and(|first| words.starts_with(first) || words.contains(&format!(": {first}")));
    let length = fixed.iter().map(|part| part.len()).sum();
    ((begins || length >= TELLING) && fixed.iter().all(follows)).then_some(Fit::Whole(length))
}

fn effect_word(effect: Effect) -> &'static str {
    match effect {
        Effect::Fine => "fine in",
        Effect::Note => "loads, worth knowing, in",
        Effect::Wrong => "loads incorrectly in",
        Effect::Unused => "another model shown by",
        Effect::Refuses => "refused by",
        Effect::Drops => "drops to the console in",
        Effect::Exits => "exits in",
    }
}
