//! The list of everything that can be done now, to be found by its words: the table of keys, and what can be chosen of what is
//! shown. [`super::panel`] draws it.

mod choices;
mod typed;

use super::asked::Asked;
use super::keys;
use super::panel::Figures;
use super::request::{Command, Request};
use super::settings::Theme;
use bindpose::engines::Engine;
use bindpose::model::Model;
use bindpose::player::{Action, State};
use bindpose::skin::Example;
use std::path::{Path, PathBuf};

/// The list while it is open.
pub struct Palette {
    /// What is typed.
    pub filter: String,
    /// Which of the rows is chosen.
    pub chosen: usize,
    /// Whether the cursor is to be put behind what is typed.
    pub is_new: bool,
    /// How far the rows are scrolled, points.
    pub offset: f32,
}

impl Palette {
    /// With something typed.
    pub fn new(typed: &str) -> Self {
        Self { filter: typed.to_owned(), chosen: 0, is_new: true, offset: 0.0 }
    }
}

/// What the rows are made from.
pub struct Known<'a> {
    pub state: &'a State,
    pub model: &'a Model,
    /// Whose playback is shown.
    pub engine: Option<&'static Engine>,
    /// Whether it can be an engine's.
    pub has_engines: bool,
    /// Example poses for `sjbbe`.
    pub examples: &'a [Example],
    /// The model of the right half's file.
    pub other: Option<&'a str>,
    /// What is shown.
    pub asked: &'a Asked,
    /// What the game that is open has to show.
    pub figures: Option<&'a Figures>,
    /// Files that were shown before.
    pub recent: &'a [PathBuf],
    /// Files of the folder that is looked through.
    pub files: Vec<&'a Path>,
    /// Colours of panel and timeline.
    pub theme: Theme,
}

/// Something that can be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// For people.
    pub text: String,
    /// The key that does it as well, if there is one.
    pub key: String,
    pub does: Does,
    /// Whether it is so already.
    pub is_present: bool,
}

/// What becomes of a row that is chosen.
#[derive(Debug, Clone, PartialEq)]
pub enum Does {
    /// This is done, in order.
    Send(Vec<Command>),
    /// More has to be typed behind this.
    Type(String),
}

impl Row {
    fn send(text: impl Into<String>, commands: Vec<Command>) -> Self {
        Self { text: text.into(), key: String::new(), does: Does::Send(commands), is_present: false }
    }

    fn ask(text: impl Into<String>, request: Request) -> Self {
        Self::send(text, vec![Command::Ask(request)])
    }

    fn with_key(self, key: impl Into<String>) -> Self {
        Self { key: key.into(), ..self }
    }

    fn when(self, is_present: bool) -> Self {
        Self { is_present, ..self }
    }
}

/// The rows that have all words of `filter`: first those that have them one after the other, then those that have whole words,
/// then those that have words that begin like this.
pub fn rows(known: &Known<'_>, filter: &str) -> Vec<Row> {
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let choices = choices::rows(known);
    // What is typed may be what can be chosen anyway.
    let is_new = |row: &Row| choices.iter().all(|choice| choice.text != row.text);
    let typed: Vec<Row> = typed::rows(known, filter).into_iter().filter(is_new).collect();
    let all = of_keys().chain(typed).chain(choices);
    let mut ranked: Vec<(u32, Row)> = all.filter_map(|row| Some((rank(&row.text, &words)?, row))).collect();
    // Of equals the first ones stay first.
    ranked.sort_by_key(|&(rank, _)| rank);
    ranked.into_iter().map(|(_, row)| row).collect()
}

/// The table of keys.
fn of_keys() -> impl Iterator<Item = Row> {
    let rows =
        keys::bindings().map(|binding| Row::send(binding.about, vec![binding.command()]).with_key(binding.shown));
    // Clips have rows of their own, and the list is open.
    rows.filter(|row| {
        let Does::Send(commands) = &row.does else { return true };
        !matches!(commands[..], [Command::Act(Action::ShowClip(_)) | Command::Ask(Request::Palette(""))])
    })
}

/// What it costs that other words are between: more than any words that are no whole ones.
const NOT_TOGETHER: u32 = 1000;

/// How well a text has some words, in lower case: the least is best; `None` if it lacks one.
fn rank(text: &str, words: &[String]) -> Option<u32> {
    let text = text.to_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let of_word = |word: &String| {
        let places = text.match_indices(word.as_str());
        let ranks = places.map(|(at, found)| {
            let begins = !is_letter(text[..at].chars().next_back());
            let ends = !is_letter(text[at + found.len()..].chars().next());
            match (begins, ends) {
                (true, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            }
        });
        ranks.min()
    };
    let rank: u32 = words.iter().map(of_word).sum::<Option<u32>>()?;
    let together = words.join(" ");
    let has_together = text.contains(&together) || text.replace([':', ','], "").contains(&together);
    Some(rank + if has_together { 0 } else { NOT_TOGETHER })
}

/// Whose playback is shown.
pub fn engine_in_words(engine: Option<&'static Engine>) -> String {
    match engine {
        Some(engine) => format!("play as: {} ({})", engine.title(), engine.name()),
        None => "play as: what the files mean".into(),
    }
}

/// What panel and timeline look like.
pub fn theme_in_words(theme: Theme) -> String {
    format!("panel: {}", theme.name())
}

#[cfg(test)]
mod tests;
