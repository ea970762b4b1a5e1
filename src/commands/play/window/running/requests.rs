//! Execution of commands from keys, panel and palette.

use super::Running;
use crate::commands::play::window::jobs::Purpose;
use crate::commands::play::window::open_request::OpenRequest;
use crate::commands::play::window::palette::{Palette, describe_theme};
use crate::commands::play::window::panel::losses;
use crate::commands::play::window::recording::Recording;
use crate::commands::play::window::request::{Command, Pick, Request};
use crate::commands::play::window::save::{self, Save, SaveContext};
use crate::commands::play::window::settings::Theme;
use crate::commands::play::window::watch::folder_of;
use crate::commands::record;
use anyhow::Context;
use bindpose::image_search::{ChosenImage, ImageRole};
use bindpose_player::{Attachment, Change, Page, Player, State, next_of};
use egui::Popup;
use glam::DAffine3;
use std::path::PathBuf;
use std::time::Duration;
use winit::event_loop::ActiveEventLoop;

/// Speed of the turntable, in turns per minute.
const TURNTABLE: f32 = 10.0;
/// Time up to which a dialog counts as not shown.
const SHORTEST_DIALOG: Duration = Duration::from_millis(400);

impl Running<'_> {
    pub(super) fn carry_out(&mut self, event_loop: &ActiveEventLoop, command: Command) {
        let had_panel = self.player.as_ref().is_some_and(|player| player.state.has_panel);
        match (command, &mut self.player) {
            (Command::Request(request), _) => {
                self.input.was_commanded = true;
                return self.answer(event_loop, request);
            }
            (_, None) => {}
            (Command::Change(change), Some(player)) => {
                player.apply(&change);
                if matches!(change, Change::Axes(..) | Change::Unit(_)) {
                    self.remember_axes(false);
                }
            }
            (Command::Step(step), Some(player)) => player.step(step),
            (Command::Player(call), Some(player)) => call(player),
        }
        self.input.was_commanded = true;
        self.show_notes();
        let is_hidden = self.player.as_ref().is_some_and(|player| !player.state.has_panel);
        if had_panel && is_hidden {
            self.panel.note("panel and timeline are hidden: ctrl+b or esc shows them".into());
        }
    }

    /// Closes the innermost open element: a menu, a window over the view, a message. If nothing is open, deselects,
    /// leaves full screen, or shows the panel.
    fn leave(&mut self) {
        if Popup::is_any_open(self.gui.context()) {
            return Popup::close_all(self.gui.context());
        }
        let Some(player) = &mut self.player else { return };
        let state = &player.state;
        if state.has_keys {
            player.apply(&Change::Keys(false));
        } else if self.panel.close_window() {
        } else if state.joint.is_some() || state.vertex.is_some() {
            player.apply(&Change::SelectJoint(None));
        } else if self.window.is_fullscreen() {
            self.window.toggle_fullscreen();
        } else if !state.has_panel {
            player.apply(&Change::Panel(true));
        }
    }

    /// Quits. If something would be lost, asks first, and quits on the next request.
    pub(super) fn quit(&mut self, event_loop: &ActiveEventLoop) {
        let turns = self.player.as_ref().map_or(0, |player| self.session.unsaved_turns(player));
        let losses = losses(turns, self.background.recording.is_some(), self.panel.convert.running());
        if losses.is_empty() || self.panel.asks_to_quit {
            return event_loop.exit();
        }
        self.panel.asks_to_quit = true;
        self.window.request_redraw();
    }

    /// Undoes the last manual rotation. Without one, shows the model again that was left with rotations.
    fn undo(&mut self) {
        let Some(player) = self.player.as_mut().filter(|player| player.state.history.can_undo() || self.left.is_none())
        else {
            return self.show_left();
        };
        player.step(State::undo_turn);
        self.show_notes();
    }

    /// Restores the rotation that was undone last. Without one, shows the model again that was left before the undo.
    fn redo(&mut self) {
        match self.player.as_mut().filter(|player| player.state.history.can_redo() || self.undone.is_none()) {
            Some(player) => player.step(State::redo_turn),
            None => self.leave_again(),
        }
        self.show_notes();
    }

    pub(super) fn change(&mut self, change: &Change) {
        if let Some(player) = &mut self.player {
            player.apply(change);
        }
        self.show_notes();
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each request")]
    fn answer(&mut self, event_loop: &ActiveEventLoop, request: Request) {
        match request {
            Request::Leave => self.leave(),
            Request::Messages => self.panel.has_messages ^= true,
            Request::Undo => self.undo(),
            Request::Redo => self.redo(),
            Request::Quit => self.quit(event_loop),
            Request::QuitWithoutSaving => event_loop.exit(),
            Request::SaveAndQuit => match self.save(Save::Still) {
                Ok(_) => event_loop.exit(),
                Err(error) => {
                    self.panel.asks_to_quit = false;
                    self.panel.note(format!("{error:#}"));
                }
            },
            Request::Fullscreen => self.window.toggle_fullscreen(),
            Request::Turntable => {
                let is_turning = self.player.as_ref().is_some_and(|player| player.state.turntable != 0.0);
                self.change(&Change::Turntable(if is_turning { 0.0 } else { TURNTABLE }));
            }
            Request::Theme(theme) => self.set_theme(theme),
            Request::NextTheme => {
                let theme = next_of(&Theme::ALL, self.settings.theme);
                self.panel.note(describe_theme(theme));
                self.set_theme(theme);
            }
            Request::Palette(typed) => self.panel.palette = self.player.is_some().then(|| Palette::new(typed)),
            Request::Browse(pick) => self.browse(pick),
            Request::ChooseImage(surface, path) => self.choose_image(surface, path),
            Request::AxesOfFolder => self.remember_axes(true),
            Request::RecordForm => self.panel.has_record_form ^= true,
            Request::ConvertForm => self.panel.convert.is_open ^= true,
            Request::Convert(arguments) => {
                let mut like = self.args.scene.clone();
                like.ticks_per_second = self.session.ticks_per_second;
                like.load.skin.clone_from(&self.session.current.skin);
                self.background.jobs.convert(arguments, like);
            }
            Request::TypePath => {
                self.type_path();
            }
            Request::BesideAs(engine) => self.beside_as(engine),
            Request::PlayAs(engine) => self.play_as(engine),
            Request::NextEngine => {
                let engines = self.player.as_ref().map_or(&[][..], Player::engines);
                let after = |engine| engines.iter().skip_while(move |known| *known != engine).nth(1);
                self.play_as(self.session.engine.map_or(engines.first(), after));
            }
            Request::Helpers(count) => self.compare_helpers(count),
            Request::OpenTyped(path) => {
                self.input.dropped.push(path);
                self.open_dropped();
            }
            Request::Open(request) => self.open(Purpose::Open, request),
            Request::OpenBeside(request) => self.open(Purpose::Beside, request),
            Request::Add(files) => self.add(files),
            Request::OpenDropped(file) => self.open(Purpose::Dropped, vec![file].into()),
            Request::Attach(file) => self.attach(file),
            Request::Detach(_) if self.session.current.attachments.is_empty() => {
                self.panel.note("no model is attached: drop one while a joint is selected".into());
            }
            Request::Detach(removed) => {
                let mut request = self.session.current.clone();
                match removed {
                    Some(number) => drop(request.attachments.remove(number)),
                    None => request.attachments.clear(),
                }
                self.open(Purpose::Attach, request);
            }
            Request::MoveAttached(number, joint_from_attached) => {
                self.session.current.attachments[number].joint_from_attached = joint_from_attached;
                if let Some(player) = &mut self.player {
                    player.move_attached(number, joint_from_attached);
                }
            }
            Request::Record(format) => {
                if let Err(error) = self.record(format) {
                    self.panel.note(format!("{error:#}"));
                }
                self.window.request_redraw();
            }
            Request::ApplySkin(skin) => {
                self.session.current.skin = skin;
                self.read_again();
            }
            Request::Reload => {
                self.session.announces_reload = true;
                self.session.game_list.decls_changed();
                self.panel.browser.refresh(None);
                self.read_again();
            }
            Request::TicksPerSecond(ticks) => {
                self.session.ticks_per_second = ticks;
                self.read_again();
            }
            Request::Save(save) => {
                let saved = self.save(save);
                self.panel.note(saved.unwrap_or_else(|error| format!("{error:#}")));
                self.window.request_redraw();
            }
        }
    }

    /// Attaches a model to the selected joint.
    pub(super) fn attach(&mut self, file: PathBuf) {
        let Some(player) = &self.player else { return };
        let Some(joint) = player.state.joint else { return self.panel.note("select a joint first".into()) };
        let joint = player.model().skeleton[joint].name.clone();
        let mut request = self.session.current.clone();
        request.attachments.push(Attachment { joint, file, clip: None, joint_from_attached: DAffine3::IDENTITY });
        self.open(Purpose::Attach, request);
    }

    /// Remembers the attached models of the shown scene, and notes the last one.
    pub(super) fn show_attached(&mut self, request: OpenRequest) {
        let is_added = request.attachments.len() > self.session.current.attachments.len();
        self.panel.note(match request.attachments.last().filter(|_| is_added) {
            Some(Attachment { joint, file, .. }) => {
                format!("{} follows {joint}; the page Files moves and removes it", file.display())
            }
            None => "attached model removed".into(),
        });
        self.session.current = request;
    }

    fn set_theme(&mut self, theme: Theme) {
        self.settings.theme = theme;
        self.gui.context().set_theme(theme);
    }

    /// Starts a recording of the range, or stops the current one.
    fn record(&mut self, format: record::MediaFormat) -> anyhow::Result<()> {
        if self.background.recording.take().is_some() {
            self.panel.note("recording stopped, nothing was written".into());
            return Ok(());
        }
        let player = self.player.as_ref().context("nothing is open yet")?;
        let frame = self.frame.as_ref().context("the window has no size")?;
        let clip = player.current_clip().map_or(String::new(), |clip| format!("-{}", clip.name));
        let kind = if format == record::MediaFormat::Png { "frames" } else { format.extension() };
        let folder = self.panel.record.folder.clone().unwrap_or_default();
        let path = save::free_path(&folder, &format!("{}{clip}", player.model().name), kind);
        let begun = Recording::begin(
            &self.background.jobs,
            self.window.gpu(),
            player,
            (&self.panel.record, frame.size()),
            (path, format),
        )?;
        self.background.recording = Some(begun);
        Ok(())
    }

    /// Opens the file dialog. If there is none, the path can be typed.
    fn browse(&mut self, pick: Pick) {
        if !std::mem::replace(&mut self.input.is_picking, true) {
            let file = self.session.current.files.first().map(|file| folder_of(file));
            self.background.jobs.pick(pick, file.or_else(|| std::env::current_dir().ok()).unwrap_or_default());
        }
    }

    /// Uses the picked files or folder.
    pub(super) fn picked(&mut self, pick: Pick, paths: Vec<PathBuf>, open_for: Duration) {
        self.input.is_picking = false;
        match (pick, paths.into_iter().next()) {
            (Pick::Open, None) if open_for < SHORTEST_DIALOG => {
                self.panel.note("there is no file dialog on this system: type the path, or drop the file".into());
                self.type_path();
            }
            (Pick::Image(_), None) if open_for < SHORTEST_DIALOG => {
                self.panel
                    .note("there is no file dialog on this system: type the image's path, or drop the image".into());
                self.type_path();
            }
            (_, None) => {}
            (Pick::Image(surface), Some(path)) => self.choose_image(surface, path),
            (Pick::Folder, Some(path)) => self.panel.record.folder = Some(path),
            (Pick::Open, Some(_)) => {}
        }
    }

    /// Reads the files again with an image for a surface.
    pub(super) fn choose_image(&mut self, surface: Option<String>, path: PathBuf) {
        let about = surface.as_deref().map_or("all meshes without an image".into(), |name| format!("'{name}'"));
        self.panel.note(format!("{about}: {}", path.display()));
        let chosen = ChosenImage { surface, role: ImageRole::Base, path };
        self.background.jobs.choose_image(chosen.clone());
        if let Some(player) = &mut self.player {
            player.choose_image(chosen);
        }
        self.read_again();
    }

    /// Remembers the axes and the unit of the current model, or of its folder.
    fn remember_axes(&mut self, of_folder: bool) {
        let (Some(player), Some(file)) = (&self.player, self.session.current.files.first()) else { return };
        let folder = folder_of(file);
        let path = if of_folder { &folder } else { file };
        self.settings.remember_axes(path, player.state.axes(), player.state.unit);
        self.panel.note(format!("axes and unit remembered for {}", path.display()));
    }

    fn type_path(&mut self) {
        self.panel.browser.ask_for_path();
        self.change(&Change::Page(Page::Files));
    }

    fn save(&mut self, save: Save) -> anyhow::Result<String> {
        let note = save.carry_out(SaveContext {
            player: self.player.as_mut().context("nothing is open yet")?,
            frame: self.frame.as_ref(),
            gpu: self.window.gpu(),
            record: &self.panel.record,
            file: self.session.current.files.first().map(PathBuf::as_path),
            clipboard: self.gui.context(),
            changes: &mut self.background.changes,
        })?;
        if let (Save::Still | Save::Obj | Save::Example, Some(player)) = (save, &self.player) {
            self.session.saved_turns.clone_from(&player.state.turns);
        }
        Ok(note)
    }

    pub(super) fn show_notes(&mut self) {
        for note in self.player.iter_mut().flat_map(Player::take_notes) {
            self.panel.note(note);
        }
    }
}
