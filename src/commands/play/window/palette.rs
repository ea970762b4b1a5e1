//! The command palette: all actions and all values, found by their words. [`super::panel`] draws it.

mod choices;
mod typed;

pub use choices::{axes_with_up, is_image, show_example};

use super::actions;
use super::panel::PanelInput;
use super::request::{Command, Request};
use super::settings::Theme;
use bindpose::engines::Engine;
use bindpose::model::Model;
use bindpose::skin::{Example, MethodId};
use bindpose_player::{Change, State};
use std::path::Path;

pub struct Palette {
    pub filter: String,
    pub chosen: usize,
    /// True if the cursor has to move to the end of the text.
    pub is_new: bool,
    /// Scroll offset, in points.
    pub offset: f32,
}

impl Palette {
    pub fn new(typed: &str) -> Self {
        Self { filter: typed.to_owned(), chosen: 0, is_new: true, offset: 0.0 }
    }
}

pub struct PaletteInput<'a> {
    pub state: &'a State,
    pub model: &'a Model,
    pub methods: &'a [MethodId],
    pub engine: Option<&'static Engine>,
    /// Engines that can play the model.
    pub engines: &'static [Engine],
    pub examples: &'a [Example],
    /// True if the right half shows, or can show, another file.
    pub has_other: bool,
    /// Files of the folder on the Files page.
    pub files: Vec<&'a Path>,
    pub panel: &'a PanelInput<'a>,
}

#[derive(Debug, Clone)]
pub struct Row {
    pub text: String,
    /// Keys with the same effect, or empty.
    pub keys: String,
    /// Location of the action in the window, or empty.
    pub place: &'static str,
    pub effect: RowEffect,
    /// True if the value is the current one.
    pub is_current: bool,
}

#[derive(Debug, Clone)]
#[cfg_attr(test, derive(PartialEq))]
pub enum RowEffect {
    /// Runs these commands in order.
    Run(Vec<Command>),
    /// Puts this text into the palette for the user to complete.
    Type(String),
}

impl Row {
    fn run(text: impl Into<String>, commands: Vec<Command>) -> Self {
        Self { text: text.into(), keys: String::new(), place: "", effect: RowEffect::Run(commands), is_current: false }
    }

    fn ask(text: impl Into<String>, request: Request) -> Self {
        Self::run(text, vec![Command::Request(request)])
    }

    fn when(self, is_current: bool) -> Self {
        Self { is_current, ..self }
    }
}

/// Returns the rows that have all words of `filter`: first those with the words in sequence, then whole words, then
/// beginnings of words. Equal ones are in the order of `used`, the texts of the rows run before, the latest first.
pub fn rows(input: &PaletteInput<'_>, filter: &str, used: &[String]) -> Vec<Row> {
    let filter = &understood(filter);
    let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
    let choices = choices::rows(input);
    // A typed value may equal one of the choices.
    let is_new = |row: &Row| choices.iter().all(|choice| choice.text != row.text);
    let typed: Vec<Row> = typed::rows(input, filter).into_iter().filter(is_new).collect();
    let all = action_rows().chain(typed).chain(choices);
    let mut ranked: Vec<(u32, Row)> = all.filter_map(|row| Some((rank(&row.text, &words)?, row))).collect();
    let since = |row: &Row| used.iter().position(|text| *text == row.text).unwrap_or(usize::MAX);
    ranked.sort_by_cached_key(|(rank, row)| (*rank, since(row)));
    ranked.into_iter().map(|(_, row)| row).collect()
}

/// Returns the words of a row for a phrase such as `half speed` or `frames 10 to 20`, or the phrase itself.
fn understood(phrase: &str) -> String {
    let spaced = phrase.to_lowercase().replace('-', " ");
    let words: Vec<&str> = spaced.split_whitespace().filter(|&word| word != "to").collect();
    match words[..] {
        ["half"] | ["half", "speed"] => "speed 0.5".into(),
        ["double", "speed"] => "speed 2".into(),
        ["frames" | "range", first, last] if [first, last].iter().all(|frame| frame.parse::<u32>().is_ok()) => {
            format!("range {first}..{last}")
        }
        _ => phrase.to_owned(),
    }
}

fn action_rows() -> impl Iterator<Item = Row> {
    // Clips have their own rows, and the palette is already open.
    let is_listed = |command: &Command| {
        !matches!(command, Command::Change(Change::ShowClip(_)) | Command::Request(Request::Palette("")))
    };
    let of_group = move |group: &'static actions::Group| {
        let listed = group.actions.iter().filter(move |action| is_listed(&action.command));
        let row = |action: &'static actions::Action| Row::run(action.words, vec![action.command.clone()]);
        listed.map(move |action| Row { keys: action.shown(), place: group.place, ..row(action) })
    };
    actions::GROUPS.iter().flat_map(of_group)
}

/// Penalty for words out of sequence. It is larger than the penalty of any number of partial words.
const NOT_TOGETHER: u32 = 1000;

/// Penalty for a synonym.
const SYNONYM: u32 = 2 * NOT_TOGETHER;

/// Words of other programs, and beginnings of our words for the same.
const SYNONYMS: [(&str, &str); 54] = [
    ("animation", "clip"),
    ("armature", "skeleton joint"),
    ("axis", "front up: axes"),
    ("bones", "joint skeleton"),
    ("bug", "findings"),
    ("capture", "screenshot record"),
    ("color", "colour"),
    ("compare", "split beside"),
    ("curves", "curves"),
    ("darkmode", "theme"),
    ("debug", "findings bounding"),
    ("diffuse", "shading"),
    ("edges", "wireframe"),
    ("errors", "findings messages"),
    ("exit", "quit"),
    ("export", "export save"),
    ("fbx", "export"),
    ("focus", "look"),
    ("fps", "frame speed"),
    ("fullscreen", "full"),
    ("gizmo", "rotat"),
    ("glb", "convert"),
    ("gltf", "convert"),
    ("graph", "curves"),
    ("gray", "grey"),
    ("heatmap", "weights heat"),
    ("help", "keys help"),
    ("image", "screenshot texture"),
    ("lighting", "light"),
    ("log", "messages"),
    ("manual", "keys help"),
    ("movie", "record"),
    ("notifications", "messages"),
    ("onion", "trail"),
    ("orientation", "front up:"),
    ("pak", "open"),
    ("photo", "screenshot"),
    ("picture", "screenshot"),
    ("pk4", "open"),
    ("plot", "curves"),
    ("preferences", "theme"),
    ("problems", "findings messages"),
    ("revert", "undo reset"),
    ("rig", "skeleton joint"),
    ("settings", "theme"),
    ("shader", "method"),
    ("shortcuts", "keys"),
    ("sidebar", "panel"),
    ("slowmotion", "slower"),
    ("toolbar", "panel"),
    ("transparent", "record: background"),
    ("uv", "meshes"),
    ("video", "record"),
    ("warnings", "findings"),
];

/// Ranks a text for words in lower case; 0 is best. Returns `None` if it lacks one of the words.
fn rank(text: &str, words: &[String]) -> Option<u32> {
    let text = text.to_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let of_word = |word: &String| {
        let found = text.match_indices(word.as_str());
        let ranks = found.map(|(at, found)| {
            let begins = !is_letter(text[..at].chars().next_back());
            let ends = !is_letter(text[at + found.len()..].chars().next());
            match (begins, ends) {
                (true, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            }
        });
        let found = ranks.min();
        // A synonym matches our word, ranked behind all rows that contain it.
        let meant = SYNONYMS.iter().filter(|(own, _)| word.len() >= 3 && own.starts_with(word.as_str()));
        let mut meant = meant.flat_map(|(_, ours)| ours.split(' '));
        found.or_else(|| meant.any(|ours| text.contains(ours)).then_some(SYNONYM))
    };
    let rank: u32 = words.iter().map(of_word).sum::<Option<u32>>()?;
    // An engine's old version, such as vkquake-1.35, is behind the engine.
    let is_version = words.iter().any(|word| text.contains(&format!("({word}-")));
    let together = words.join(" ");
    let has_together = text.contains(&together) || text.replace([':', ','], "").contains(&together);
    Some(rank + u32::from(is_version) + if has_together { 0 } else { NOT_TOGETHER })
}

/// Returns `play as: ENGINE`.
pub fn describe_engine(engine: Option<&'static Engine>) -> String {
    match engine {
        Some(engine) => format!("play as: {} ({})", engine.title(), engine.name()),
        None => "play as: no engine, the files as they are".into(),
    }
}

/// Returns `theme: NAME`.
pub fn describe_theme(theme: Theme) -> String {
    format!("theme: {}", theme.name())
}

#[cfg(test)]
mod tests;
