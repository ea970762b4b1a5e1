//! What keys and the panel ask for.

use super::Running;
use crate::commands::play::window::jobs::Purpose;
use crate::commands::play::window::palette::{Palette, theme_in_words};
use crate::commands::play::window::recording::Recording;
use crate::commands::play::window::request::{Command, Request};
use crate::commands::play::window::save::{self, Save, Shown};
use crate::commands::play::window::settings::Theme;
use crate::commands::record;
use anyhow::Context;
use bindpose::engines::ENGINES;
use bindpose::player::{Action, Page, Player};
use std::path::{Path, PathBuf};
use winit::event_loop::ActiveEventLoop;

/// Turns a minute of the turntable.
const TURNTABLE: f32 = 10.0;

impl Running<'_> {
    pub(super) fn carry_out(&mut self, event_loop: &ActiveEventLoop, command: Command) {
        let request = match command {
            Command::Act(action) => {
                if let Some(player) = &mut self.player {
                    player.apply(&action);
                }
                return self.tell_notes();
            }
            Command::Ask(request) => request,
        };
        let done = match request {
            Request::Leave if self.window.is_fullscreen() => {
                self.window.toggle_fullscreen();
                return;
            }
            Request::Quit | Request::Leave => {
                event_loop.exit();
                return;
            }
            Request::Fullscreen => {
                self.window.toggle_fullscreen();
                return;
            }
            Request::Turntable => {
                let turns = self.player.as_ref().map_or(0.0, |player| player.state.turntable);
                let turns = if turns == 0.0 { TURNTABLE } else { 0.0 };
                return self.carry_out(event_loop, Command::Act(Action::Turntable(turns)));
            }
            Request::Theme(theme) => {
                self.settings.theme = theme;
                self.gui.context().set_theme(theme);
                return;
            }
            Request::NextTheme => {
                let place = Theme::ALL.iter().position(|&theme| theme == self.settings.theme).unwrap_or_default();
                let theme = Theme::ALL[(place + 1) % Theme::ALL.len()];
                self.panel.note(theme_in_words(theme));
                return self.carry_out(event_loop, Command::Ask(Request::Theme(theme)));
            }
            Request::Palette(typed) => {
                if self.player.is_some() {
                    self.panel.palette = Some(Palette::new(typed));
                }
                return;
            }
            Request::AskForFile => {
                self.panel.browser.ask_for_path();
                return self.carry_out(event_loop, Command::Act(Action::Page(Page::Files)));
            }
            Request::PlayAs(engine) => return self.play_as(engine),
            Request::NextEngine => {
                let next = self
                    .engine
                    .map_or(ENGINES.first(), |engine| ENGINES.iter().skip_while(|known| *known != engine).nth(1));
                return self.play_as(next);
            }
            Request::Open(asked) => return self.open(Purpose::Open, asked),
            Request::OpenBeside(asked) => return self.open(Purpose::Beside, asked),
            Request::Add(files) => return self.add(files),
            Request::Record(format) => match self.record(format) {
                Ok(()) => return self.window.request_redraw(),
                Err(error) => Err(error),
            },
            Request::Wear(skin) => {
                self.asked.skin = skin;
                return self.read_again();
            }
            Request::Reload => {
                self.listing.decls_changed();
                return self.read_again();
            }
            Request::TicksPerSecond(ticks) => {
                self.ticks_per_second = ticks;
                return self.read_again();
            }
            Request::Save(save) => self.save(save),
        };
        self.panel.note(done.unwrap_or_else(|error| format!("{error:#}")));
        self.window.request_redraw();
    }

    /// Begins to record what is played, or stops.
    fn record(&mut self, format: record::MediaFormat) -> anyhow::Result<()> {
        if self.recording.take().is_some() {
            self.panel.note("the recording was stopped".into());
            return Ok(());
        }
        let player = self.player.as_ref().context("nothing is shown yet")?;
        let frame = self.frame.as_ref().context("the window has no size")?;
        let clip = player.current_clip().map_or(String::new(), |clip| format!("-{}", clip.name));
        let kind = if format == record::MediaFormat::Png { "frames" } else { format.extension() };
        let path = save::free_path(Path::new(""), &format!("{}{clip}", player.model().name), kind)?;
        let begun = Recording::begin(&self.jobs, self.window.gpu(), player, frame.size(), (path, format))?;
        self.recording = Some(begun);
        Ok(())
    }

    /// Writes something; a sentence on what was done.
    fn save(&mut self, save: Save) -> anyhow::Result<String> {
        save.carry_out(Shown {
            player: self.player.as_mut().context("nothing is shown yet")?,
            frame: self.frame.as_ref(),
            file: self.asked.files.first().map(PathBuf::as_path),
            clipboard: self.gui.context(),
            changes: &mut self.changes,
        })
    }

    /// Shows what the player has noted.
    pub(super) fn tell_notes(&mut self) {
        for note in self.player.iter_mut().flat_map(Player::take_notes) {
            self.panel.note(note);
        }
    }
}
