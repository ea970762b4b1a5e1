//! What the window is asked to do besides [`Action`]s: all that touches files, screen and clipboard.

use super::asked::Asked;
use super::save::Save;
use super::settings::Theme;
use crate::commands::record::MediaFormat;
use bindpose::engines::Engine;
use bindpose::player::Action;
use std::path::PathBuf;

/// What a key, a button or a file that is dropped asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Something to be done to the player's state.
    Act(Action),
    /// Something to be done around it.
    Ask(Request),
}

/// Something to be done around the player.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Goes to the page of files, where a path can be typed.
    AskForFile,
    /// Shows this instead.
    Open(Asked),
    /// Shows this in the right half of a split view.
    OpenBeside(Asked),
    /// Adds clips or a camera to what is shown, and shows them.
    Add(Vec<PathBuf>),
    /// Puts a skin of the game on what is shown; `None` its own.
    Wear(Option<String>),
    /// Reads the files again.
    Reload,
    /// Reads the files again with another speed for `.x` clips; `None` takes the file's.
    TicksPerSecond(Option<f64>),
    /// Shows the same as an engine plays it; `None` as the files mean it.
    PlayAs(Option<&'static Engine>),
    /// As the next engine plays it, after the last one as the files mean it.
    NextEngine,
    /// Writes something.
    Save(Save),
    /// Records the range that is played to a file of the current folder, or stops doing so.
    Record(MediaFormat),
    /// Goes about the figure, or stops.
    Turntable,
    /// Colours of panel and timeline.
    Theme(Theme),
    /// The next of these colours.
    NextTheme,
    /// Lists all actions, to be found by what is typed, which begins like this.
    Palette(&'static str),
    /// Fills the screen, or no longer.
    Fullscreen,
    /// Leaves the full screen, or else ends.
    Leave,
    /// Ends.
    Quit,
}
