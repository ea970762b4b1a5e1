//! Input and output of the panel.

use crate::commands::play::window::findings_report::FindingsReport;
use crate::commands::play::window::open_request::OpenRequest;
use crate::commands::play::window::request::Command;
use crate::commands::play::window::settings::Theme;
use bindpose_player::GameModels;
use std::path::PathBuf;

/// Input of the panel, except for the player.
pub struct PanelInput<'a> {
    /// Files or game model that are open.
    pub current: &'a OpenRequest,
    /// Findings about these files, once they are validated.
    pub report: Option<&'a FindingsReport>,
    /// Models of the open game.
    pub game_models: Option<&'a GameModels>,
    /// Recently opened files.
    pub recent: &'a [PathBuf],
    /// Ticks per second that replace those of `.x` clips.
    pub ticks_per_second: Option<f64>,
    pub is_fullscreen: bool,
    /// Width and height of the view, in pixels.
    pub view_size: (u32, u32),
    /// True if the window has been used for less than a minute.
    pub is_new_user: bool,
    pub theme: Theme,
    /// Name of a file whose reading takes long.
    pub loading: Option<&'a str>,
    /// Number of joints rotated by hand, if the pose is not saved; otherwise 0.
    pub unsaved_turns: usize,
    /// Progress of a recording.
    pub recording: Option<String>,
    pub frames_per_second: f64,
}

pub struct PanelOutput {
    /// Commands to run, in order.
    pub commands: Vec<Command>,
    /// Rectangle of the view, in points.
    pub view: egui::Rect,
}
