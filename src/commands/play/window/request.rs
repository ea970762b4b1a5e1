//! Commands of keys, panel and palette. [`Request`]s go beyond the player: files, window, clipboard.

use super::open_request::OpenRequest;
use super::save::Save;
use super::settings::Theme;
use crate::commands::record::MediaFormat;
use bindpose::engines::Engine;
use bindpose_player::{Change, Player, Step};
use glam::DAffine3;
use std::ffi::OsString;
use std::path::PathBuf;

/// Command of a key, a button or a row of the palette.
#[derive(Debug, Clone)]
pub enum Command {
    /// Changes the player's state.
    Change(Change),
    /// Changes the player's state depending on the current state.
    Step(Step),
    /// Changes the player, depending on what it draws.
    Player(fn(&mut Player)),
    Request(Request),
}

/// A task outside the player.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Goes to the path field of the Files page.
    TypePath,
    /// Opens the system's file dialog.
    Browse(Pick),
    /// Uses an image for the named mesh or material, or for all without an image.
    ChooseImage(Option<String>, PathBuf),
    /// Remembers the axes of the view for all models of the folder.
    AxesOfFolder,
    /// Shows or hides the form for recordings.
    RecordForm,
    /// Shows or hides the form for conversions.
    ConvertForm,
    /// Runs `bindpose convert` with these arguments.
    Convert(Vec<OsString>),
    /// Opens a typed path as if the file had been dropped on the window.
    OpenTyped(PathBuf),
    /// Opens a model in place of the current one.
    Open(OpenRequest),
    /// Opens a model in the right half.
    OpenBeside(OpenRequest),
    /// Opens a dropped model in place of the current one, or adds the clips of a file without one.
    OpenDropped(PathBuf),
    /// Attaches a model to the selected joint.
    Attach(PathBuf),
    /// Removes the attached model at this index, or all.
    Detach(Option<usize>),
    /// Sets the transform of the attached model at this index to its joint.
    MoveAttached(usize, DAffine3),
    /// Adds clips or a camera to the current model and shows them.
    Add(Vec<PathBuf>),
    /// Applies a skin of the game; `None` for the model's own.
    ApplySkin(Option<String>),
    Reload,
    /// Reads the files again with other ticks per second for `.x` clips; `None` for the file's.
    TicksPerSecond(Option<f64>),
    /// Plays the files as an engine does; `None` plays them unchanged.
    PlayAs(Option<&'static Engine>),
    /// Shows the current files in the right half as an engine plays them; `None` shows them unchanged.
    BesideAs(Option<&'static Engine>),
    /// Plays the files as the next engine; after the last one, unchanged.
    NextEngine,
    /// Shows the files with this many helpers of the selected joint in the right half.
    Helpers(usize),
    /// Saves to a file or to the clipboard.
    Save(Save),
    /// Records the range to a file in the current folder, or stops recording.
    Record(MediaFormat),
    /// Starts the turntable, or stops it.
    Turntable,
    Theme(Theme),
    NextTheme,
    /// Opens the palette with this text.
    Palette(&'static str),
    /// Enters or leaves full screen.
    Fullscreen,
    /// Closes what is open, deselects, leaves full screen or shows the panel, one per call. Never quits.
    Leave,
    /// Undoes the last manual rotation, or shows the model again that was left with rotations.
    Undo,
    /// Restores the rotation that was undone last, or the model that was open before the undo.
    Redo,
    /// Shows or hides the log of all messages.
    Messages,
    /// Quits. Asks first if manual rotations are not saved.
    Quit,
    /// Saves the pose, then quits.
    SaveAndQuit,
    QuitWithoutSaving,
}

/// Subject of the system's file dialog.
#[derive(Debug, Clone, PartialEq)]
pub enum Pick {
    /// A model, clips or a camera to open.
    Open,
    /// An image for the named mesh or material, or for all without an image.
    Image(Option<String>),
    /// The folder for recordings and screenshots.
    Folder,
}

/// Functions never compare equal.
#[cfg(test)]
impl PartialEq for Command {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Change(a), Self::Change(b)) => a == b,
            (Self::Request(a), Self::Request(b)) => a == b,
            _ => false,
        }
    }
}
